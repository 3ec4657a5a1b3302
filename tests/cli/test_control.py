"""``strobe control``: a request in, errors, efforts and costs out, and every mistake in one sentence."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import strobe
from strobe.control import CONTROLLERS
from strobe.trajectory.files import write
from tests.cli.verb import Verb

REQUEST = """
[bounds]
velocity = 2
acceleration = 4
[[points]]
q = [0.1, 0.3]
[[points]]
q = [0.6, 0.9]
"""


run = Verb("control")
told = run.told
refusal = run.refusal


@pytest.fixture
def request_file(tmp_path: Path) -> Path:
    path = tmp_path / "request.toml"
    path.write_text(REQUEST, encoding="utf-8")
    return path


def test_the_help_lists_every_controller() -> None:
    shown = run("--help").stdout
    assert all(f"\n    {name}  " in shown for name in CONTROLLERS)


# -- a loop ---------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_loop_is_that_of_python(request_file: Path, tmp_path: Path) -> None:
    data = told("planar2", request_file, "--rate", 200, "-o", tmp_path / "out.npz", "--payload", 0.5)
    arm = strobe.load("planar2")
    wanted = arm.control(request_file, rate=200, payload=(0.5, 0, 0, 0))
    with np.load(tmp_path / "out.npz") as kept:
        np.testing.assert_array_equal(kept["q"], wanted.q)
    (loop,) = data["loops"]
    assert loop["hand"]["largest"] == wanted.hand_error().max()
    assert loop["hand"]["rms"] == pytest.approx(np.sqrt((wanted.hand_error() ** 2).mean()))
    np.testing.assert_allclose(loop["error"]["largest"], np.abs(wanted.error).max(axis=0))
    np.testing.assert_allclose(loop["torque"]["largest"], np.abs(wanted.tau).max(axis=0))
    assert (loop["controller"], loop["status"], loop["cut"]) == ("computed-torque", "done", [0.0, 0.0])
    assert loop["operations"]["multiplications"] > 0
    assert loop["ns"] > 0
    assert data["duration"] == wanted.motion.duration
    assert data["output"] == str(tmp_path / "out.npz")


@pytest.mark.slow
def test_controllers_are_compared_and_drawn(request_file: Path, tmp_path: Path) -> None:
    names = ["joint-pd", "pd-gravity", "computed-torque"]
    shown = run("planar2", request_file, "--compare", ",".join(names), "--plot", tmp_path / "out.svg")
    assert shown.exit_code == 0, shown.output
    for name in names:
        assert name in shown.stdout
    assert "hand largest (m)" in shown.stdout
    drawing = (tmp_path / "out.svg").read_text(encoding="utf-8")
    assert all(name in drawing for name in names)


def test_one_controller_is_shown_joint_by_joint(request_file: Path) -> None:
    shown = run("planar2", request_file, "--rate", 200).stdout
    assert "constant-acceleration: " in shown
    assert "controlled at 200 Hz" in shown
    assert "rms torque" in shown
    assert "joint2" in shown


def test_a_planned_motion_is_followed(request_file: Path, tmp_path: Path) -> None:
    arm = strobe.load("planar2")
    motion = arm.plan(request_file)
    for name in ("traj.json", "traj.npz"):
        write(motion, tmp_path / name, arm)
        data = told("planar2", tmp_path / name, "--rate", 200)
        assert data["duration"] == motion.duration
    assert "holds a motion that is planned already" in refusal(
        "planar2", tmp_path / "traj.json", "--planner", "cubic"
    )


@pytest.mark.slow
def test_a_table_takes_the_place_of_the_model_and_of_what_lies_beside_it(request_file: Path) -> None:
    data = told("planar2", request_file, "--approximation", "horn-raibert", "--payload", "0.2")
    assert data["loops"][0]["status"] == "done"
    exact = told("planar2", request_file, "--payload", "0.2")
    assert data["loops"][0]["hand"]["largest"] == pytest.approx(
        exact["loops"][0]["hand"]["largest"], rel=0.05
    )


@pytest.mark.slow
def test_an_approximation_takes_the_place_of_the_model(request_file: Path) -> None:
    exact, fast = (
        told("planar2", request_file, "--rate", 200, *more)["loops"][0]
        for more in ((), ("--approximation", "without-velocity-terms"))
    )
    assert sum(fast["operations"].values()) < sum(exact["operations"].values())
    assert fast["hand"]["largest"] > exact["hand"]["largest"]


@pytest.mark.slow
def test_fewer_bits_track_worse(request_file: Path) -> None:
    many, few, tacho = (
        told("planar2", request_file, "--rate", 200, "--sensor-bits", bits)["loops"][0]["error"]["rms"]
        for bits in ("24", "12", "position=12,velocity=16")
    )
    assert max(few) > 3 * max(many)
    assert max(tacho) < max(few)  # speeds that are measured are not differences of coarse angles


def test_gains_are_given_by_name(request_file: Path) -> None:
    data = told("planar2", request_file, "--rate", 200, "--gain", "kp=100", "--gain", "kd=20,30")
    assert data["loops"][0]["gains"] == {"kp": [100.0, 100.0], "kd": [20.0, 30.0]}


@pytest.mark.slow
def test_the_rows_of_a_hand_are_named_like_gains(request_file: Path) -> None:
    for rows, count in (("x,y", 2), ("x", 1)):
        data = told(
            "planar2", request_file, "-c", "operational-space", "--rate", 200, "--gain", f"of={rows}"
        )
        assert len(data["loops"][0]["gains"]["kp"]) == count


def test_a_deviation_is_warned_of_and_ends_with_one(request_file: Path) -> None:
    done = run("planar2", request_file, "--rate", 200, "--payload", 1, "--tolerance", "1e-4")
    assert done.exit_code == 1
    assert "warning: computed-torque: the arm left the motion by more than was allowed." in done.stderr
    assert 'note: computed-torque: joint "joint' in done.stderr


def test_a_stop_ends_the_motion(request_file: Path) -> None:
    whole, stopped = (told("planar2", request_file, *more) for more in ((), ("--stop-at", 0.2)))
    assert stopped["duration"] < whole["duration"]
    assert stopped["planner"] == "constant-acceleration, stop"


@pytest.mark.slow
def test_weak_motors_are_told_of(request_file: Path) -> None:
    done = run("planar2", request_file, "--limits", "--payload", "6", "--rate", 200)
    assert done.exit_code == 1
    assert 'the motor of joint "joint1" gave less than was asked for' in done.stderr
    free = run("planar2", request_file, "--payload", "6", "--rate", 200)
    assert "with --limits its motor gives no more." in free.stderr


# -- mistakes -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--controller", "computed-torqe"), "Did you mean 'computed-torque'?"),
        (("--compare", "joint-pd,none"), 'no controller "none"'),
        (("--compare", ","), "--compare names no controller"),
        (("--gain", "kp"), '--gain takes NAME=NUMBERS, for example kp=400, and got "kp".'),
        (("--gain", "kq=3"), "computed-torque takes no 'kq'"),
        (("--gain", "model=3"), "--gain model: an approximation is named by --approximation."),
        (("--sensor-bits", ","), "--sensor-bits names no sensor; expected a number of bits, such as 16."),
        (("--gain", "kp=x"), '--gain kp: "x" is not a number'),
        (("--compare", "joint-pd,pd-gravity", "--gain", "kq=3"), "takes no 'kq'"),
        (("--rate", "0"), "rate is 0.0; expected a number of Hz above zero."),
        (
            ("--plant-rate", "1500"),
            "--plant-rate is 1500 Hz, not a whole multiple of the controller's 1000 Hz; the nearest: 1000",
        ),
        (("--trajectory-rate", "300"), "the nearest: 333.333 or 250 Hz."),
        (("--delay", "0.003"), "the delay is 3 periods; a torque acts within one period at the latest."),
        (("--delay", "0.0005", "--plant-rate", "1000"), "the nearest are 0 or 0.001 s."),
        (("--tolerance", "-1"), "tolerance is -1.0; expected numbers above zero."),
        (("--payload", "1,2"), "--payload has 2 numbers"),
        (("--approximation", "gravity"), 'no approximation "gravity"'),
        (
            ("--approximation", "along-trajectory"),
            "--approximation along-trajectory knows torques along a motion",
        ),
        (("--approximation", "fixed-point-32"), "see strobe.control.FixedController."),
        (
            ("--controller", "joint-pd", "--approximation", "gravity-only"),
            "--approximation: joint-pd uses no model of the arm.",
        ),
        (("--planner", "cubik"), 'no method "cubik"'),
        (("--stop-at", "-1"), "expected rising times"),
        (("-o", "out.txt"), "out.txt: a closed loop is kept in an .npz or .csv file."),
        (("--compare", "joint-pd,pd-gravity", "-o", "out.npz"), "-o keeps one loop"),
        (("--plot", "out.png"), "--plot out.png: a drawing is an .svg file."),
        (("--speed", "3"), "no such option: --speed"),
        (("--duration", "0"), "t is 0 s; a run needs a duration above zero."),
        (("--sensor-bits", "0"), "bits is 0; expected whole numbers from 1 to 52."),
        (("--sensor-bits", "sight=3"), '--sensor-bits: "sight" is no sensor'),
        (("--sensor-bits", "position=x"), '--sensor-bits position: "x" is not a number'),
    ],
)
def test_mistakes_are_refused_in_a_sentence(
    request_file: Path, arguments: tuple[str, ...], sentence: str
) -> None:
    assert sentence in refusal("planar2", request_file, *arguments)


def test_a_wrong_file_is_refused(request_file: Path, tmp_path: Path) -> None:
    assert "no.toml: cannot be read" in refusal("planar2", tmp_path / "no.toml")
    (tmp_path / "r.yaml").write_text("x", encoding="utf-8")
    assert "a request is a .toml or a .json file" in refusal("planar2", tmp_path / "r.yaml")
    (tmp_path / "r.json").write_text("[", encoding="utf-8")
    assert "not valid JSON" in refusal("planar2", tmp_path / "r.json")
    (tmp_path / "r.toml").write_text(REQUEST.replace("0.9]", "99]"), encoding="utf-8")
    assert 'point 2 puts joint "joint2" at 99, above its upper bound' in refusal(
        "planar2", tmp_path / "r.toml"
    )
    (tmp_path / "free.toml").write_text(REQUEST.replace("acceleration = 4", ""), encoding="utf-8")
    assert "or --acceleration (one number" in refusal("planar2", tmp_path / "free.toml")
    (tmp_path / "out.npz").write_text("mine", encoding="utf-8")
    assert "will not replace" in refusal("planar2", request_file, "-o", tmp_path / "out.npz")
