"""A controller as C: the bits of the simulator, on a state that the caller owns."""

import ctypes
import math
import re
import shutil
import subprocess
import warnings

import numpy as np
import pytest

import strobe
from strobe.approximate import GravityOnly, HornRaibert
from strobe.compiler.runtime import width
from strobe.control import CONTROLLERS, ComputedTorque, JointPID, Sensors, control, make
from strobe.control.controller import Layout
from strobe.control.export import c_controller, export
from strobe.control.recording import recorded
from strobe.control.sensor import Sensor
from strobe.control.sensors import SensorFault
from strobe.errors import ArgumentError, ControlWarning, OutputError

STRICT = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror", "-ffp-contract=off"]
needs_gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
needs_fusing = pytest.mark.skipif(
    not width.target().fused, reason="this processor does not fuse multiply-adds"
)
SENSORS = {
    "perfect": Sensors(),
    "watched": Sensors(patience=3),
    "differences": Sensors(
        Sensor(resolution=1e-4), Sensor(source="difference"), Sensor(source="difference")
    ),
    "poor": Sensors(Sensor(noise=1e-4, delay=2e-3), Sensor(dropped=0.2), Sensor(source="accelerometers")),
}


class Built:
    """A controller of a shared library, called period by period; states are numbers in the order of the header."""

    def __init__(self, folder, controller, sensors=None, *flags):
        texts = export(controller, sensors)
        for name, text in texts.items():
            (folder / name).write_text(text, "ascii")
        library = folder / "controller.so"
        command = ["gcc", *STRICT, *(flags or ["-O1"]), "-shared", "-fPIC", "-o", library]
        done = subprocess.run([*command, folder / "controller.c", "-lm"], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        code, nv = ctypes.CDLL(str(library)), controller.robot.nv
        members = re.findall(
            r"double (\w+)\[(\d+)\];", texts["controller.h"].partition("} controller_state")[0]
        )
        self.layout = Layout({name: int(size) for name, size in members})
        self.state, self.tau = np.full(self.layout.end, math.nan), np.zeros(nv)
        self._start, self._step = code.controller_start, code.controller_step

    def __getitem__(self, name):
        return self.state[self.layout.places[name]]

    def start(self, q, qd):
        self._call(self._start, self.state, q, qd)

    def step(self, reference, *readings):
        for name, reading in zip(self.layout.places, readings, strict=False):
            self[name][...] = reading
        self._call(self._step, self.state, reference, self.tau)
        return self.tau.copy()

    @staticmethod
    def _call(function, *arrays):
        rows = [np.ascontiguousarray(x, float) for x in arrays]
        function(*(row.ctypes.data_as(ctypes.POINTER(ctypes.c_double)) for row in rows))


@pytest.fixture(scope="module")
def planar():
    return strobe.load("planar2")


@pytest.fixture(scope="module")
def motion(planar):
    return planar.plan([(0.1, 0.4), (0.6, -0.5)], "quintic", velocity=2.0, acceleration=8.0)


def made(name, robot):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ControlWarning)
        return make(name, robot, 2e-3)


# -- the same bits ------------------------------------------------------------------------------------


@pytest.mark.slow
@needs_gcc
@needs_fusing
@pytest.mark.parametrize("name", [name for name in CONTROLLERS if name != "acceleration-servo"])
def test_on_a_recorded_run_every_torque_has_the_bits_of_the_simulator(tmp_path, planar, motion, name):
    controller = made(name, planar)
    run = control(planar, motion, controller, q0=motion(0.0).q + 0.03, check=False)
    built = Built(tmp_path, controller)
    built.start(run.q[0], run.qd[0])
    for key, kept in run.memory.items():
        built[re.sub(r"\W", "_", key)][...] = kept[0]
    rows = zip(run.wanted, run.q, run.qd, strict=True)
    assert np.array([built.step(*row) for row in rows]).tolist() == run.tau.tolist()


@pytest.mark.slow
@needs_gcc
@needs_fusing
@pytest.mark.parametrize(
    ("name", "sensors"), [*(("acceleration-servo", each) for each in SENSORS), ("joint-pid", "differences")]
)
def test_what_is_made_of_readings_has_the_bits_of_the_simulator_too(tmp_path, planar, name, sensors):
    controller = made(name, planar)
    controller.to_c(tmp_path, SENSORS[sensors])
    done = subprocess.run(["make", "-C", tmp_path, "test", "CC=gcc"], capture_output=True, text=True)
    assert "64 periods, 0 wrong, largest difference of a torque 0\n" in done.stdout, (
        done.stdout + done.stderr
    )


@pytest.mark.slow
@needs_gcc
@needs_fusing
@pytest.mark.parametrize("kind", [GravityOnly, HornRaibert])
def test_a_controller_that_believes_in_an_approximation_is_written_with_it(tmp_path, planar, kind):
    ComputedTorque(planar, 2e-3, model=kind(planar)).to_c(tmp_path)
    flags = f"CFLAGS=-O1 {' '.join(STRICT)}"
    done = subprocess.run(["make", "-C", tmp_path, "test", "CC=gcc", flags], capture_output=True, text=True)
    assert "64 periods, 0 wrong, largest difference of a torque 0\n" in done.stdout, (
        done.stdout + done.stderr
    )


@pytest.mark.slow
@needs_gcc
@needs_fusing
def test_optimisation_for_the_processor_at_hand_changes_no_bit(tmp_path):
    robot = strobe.load("stanford")
    controller = ComputedTorque(robot, 1e-3)
    run = recorded(controller, Sensors())
    built = Built(tmp_path, controller, None, "-O2", "-march=native")
    built.start(run.q, run.qd)
    rows = zip(run.wanted, run.states[:, : robot.nq], run.states[:, robot.nq :], strict=False)
    got = [built.step(wanted, q, qd[: robot.nv]) for wanted, q, qd in rows]
    assert np.array(got).tolist() == run.tau.tolist()


# -- the start, and readings that do not come ---------------------------------------------------------


@needs_gcc
@pytest.mark.parametrize("name", ["acceleration-servo", "momentum-observer"])
def test_the_memory_starts_as_it_does_in_the_simulator(tmp_path, planar, name):
    controller = made(name, planar)
    q, qd = np.array([0.3, -0.7]), np.array([0.5, 0.2])
    built = Built(tmp_path, controller)
    built.start(q, qd)
    assert built["q"].tolist() == q.tolist()
    for key, kept in controller.first(q, qd).items():
        assert built[re.sub(r"\W", "_", key)] == pytest.approx(kept, rel=1e-12, abs=1e-12)
    for key, gain in controller.gains.items():
        assert built[key].tolist() == gain.tolist()


@pytest.mark.slow
@needs_gcc
def test_a_reading_that_is_not_a_number_is_held_then_the_arm_is_brought_to_rest(tmp_path, planar, motion):
    controller, patience = ComputedTorque(planar, 2e-3), 3
    sensors = Sensors(patience=patience, faults=[SensorFault("position", planar.joint_names[1], at=0.1)])
    run = control(planar, motion, controller, sensors=sensors, check=False)
    built = Built(tmp_path, controller, sensors)
    built.start(run.q[0], run.qd[0])
    silent = run.times >= 0.1 - 1e-9
    flags = []
    for k in range(len(run.times)):
        q = run.q[k].copy()
        q[1] = math.nan if silent[k] else q[1]
        assert built.step(run.wanted[k], q, run.qd[k]) == pytest.approx(run.tau[k], rel=1e-9, abs=1e-9)
        flags.append(built["sensor_stopped"][0])
    assert flags.index(1.0) == int(silent.argmax()) + patience
    assert set(flags[flags.index(1.0) :]) == {1.0}


@needs_gcc
def test_without_patience_a_reading_that_is_not_a_number_is_seen_in_the_torques(tmp_path, planar):
    built = Built(tmp_path, ComputedTorque(planar, 2e-3))
    built.start([0.0, 0.0], [0.0, 0.0])
    assert np.isnan(built.step(np.zeros(6), [math.nan, 0.0], [0.0, 0.0])).any()
    assert "see to it that none comes" in export(ComputedTorque(planar, 2e-3))["controller.h"]


# -- the code -----------------------------------------------------------------------------------------


@needs_gcc
def test_the_self_test_tells_a_law_that_was_changed(tmp_path, planar):
    controller = JointPID(planar, 2e-3, kp=100.0, kd=20.0, ki=50.0)
    controller.to_c(tmp_path)
    source = tmp_path / "controller.c"
    text = source.read_text()
    assert ".ki = {50.0, 50.0}" in text
    source.write_text(text.replace(".ki = {50.0, 50.0}", ".ki = {50.0, 51.0}"))
    done = subprocess.run(["make", "-C", tmp_path, "test", "CC=gcc"], capture_output=True, text=True)
    assert done.returncode != 0
    assert "the torques differ" in done.stdout


@pytest.mark.slow
@needs_gcc
def test_the_object_holds_no_writable_data_and_calls_no_allocator(tmp_path, planar):
    made("operational-space", planar).to_c(tmp_path, Sensors(patience=2))
    target = tmp_path / "controller.o"
    subprocess.run(["gcc", *STRICT, "-O2", "-c", "-o", target, tmp_path / "controller.c"], check=True)
    symbols = subprocess.run(["nm", target], capture_output=True, text=True, check=True).stdout.split("\n")
    kinds = {line.split()[-1]: line.split()[-2] for line in symbols if line}
    assert not {name for name, kind in kinds.items() if kind in "bBdDC"}
    assert {name for name, kind in kinds.items() if kind == "T"} == {"controller_start", "controller_step"}
    assert {name for name, kind in kinds.items() if kind == "U"} <= {"fma", "sqrt", "memcpy", "memset"}


def test_the_header_serves_cpp(tmp_path, planar):
    if shutil.which("g++") is None:
        pytest.skip("g++ is not installed")
    made("joint-pd", planar).to_c(tmp_path, name="elbow")
    user = tmp_path / "user.cpp"
    user.write_text(
        '#include "elbow.h"\nvoid (*f)(elbow_state *, const elbow_reference *, double *) = elbow_step;\n'
    )
    subprocess.run(["g++", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", user], check=True)


# -- what is refused ----------------------------------------------------------------------------------


def test_files_are_replaced_only_when_asked(tmp_path, planar):
    controller = made("joint-pd", planar)
    assert [path.name for path in controller.to_c(tmp_path)] == [
        "controller.h", "controller.c", "test_controller.c", "Makefile",
    ]  # fmt: skip
    with pytest.raises(OutputError, match="will not replace"):
        controller.to_c(tmp_path)
    controller.to_c(tmp_path, force=True)


def test_a_name_that_c_does_not_take_is_refused(planar):
    with pytest.raises(
        ArgumentError, match='name is "9 lives"; expected letters, digits and _, such as "n9_lives"'
    ):
        export(made("joint-pd", planar), name="9 lives")


def test_gains_for_several_runs_are_refused(planar):
    controller = ComputedTorque(planar, 1e-3, kp=[[100.0, 100.0], [200.0, 200.0]])
    with pytest.raises(ArgumentError, match="computed-torque has gains for several runs"):
        export(controller)


@pytest.mark.slow
def test_a_ball_joint_has_as_many_numbers_as_its_quaternion():
    robot = strobe.random(2, seed=2, kinds="S")
    written = c_controller(recorded(ComputedTorque(robot, 1e-3), Sensors(), 2).loop)
    assert {m.name: m.size for m in written.readings} == {"q": 8, "qd": 6}
