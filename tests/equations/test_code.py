"""Exported equations run by themselves: Python on the standard library, C99 without a warning."""

import ctypes
import shutil
import subprocess
import sys

import numpy as np
import pytest

import strobe
from strobe.analysis.peers import Pinocchio
from strobe.equations.closed_form import equations_of
from strobe.equations.code import c_sources, cases, closed, python_source, sheet_of
from strobe.errors import EquationSizeError, UnsupportedModelError
from strobe.models.load import load_model

STRICT = "-O2 -std=c99 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror"
ARMS = ["planar2", "spherical3", "pendulum3", "parallelogram", "stanford", "puma560", "panda", "biped10"]

needs_gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")


def run_alone(path, *arguments):
    """Python without this package or any other: the standard library is all there is."""
    command = [sys.executable, "-I", "-S", str(path), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=path.parent)


def python_module(text):
    names = {"__name__": "exported"}
    exec(compile(text, "exported", "exec"), names)
    return names


def made(folder, texts):
    for name, text in texts.items():
        (folder / name).write_text(text, "ascii")
    return subprocess.run(
        ["make", "test", f"CFLAGS={STRICT}"], capture_output=True, text=True, check=False, cwd=folder
    )


# -- Python -------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("name", ARMS)
def test_the_python_module_tests_itself_with_the_standard_library_alone(name, tmp_path):
    path = tmp_path / "exported.py"
    path.write_text(python_source(load_model(name)))
    done = run_alone(path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"{name}: 4 states, largest relative difference ")


def test_the_python_test_fails_when_something_is_not_a_number(tmp_path):
    path = tmp_path / "arm.py"
    text = python_source(strobe.load("planar2"))
    assert "def _flat(" in text
    path.write_text(
        text.replace("def _flat(", "def _flat(x):\n    return [math.nan, *_plain(x)][:-1]\n\n\ndef _plain(")
    )
    done = run_alone(path)
    assert done.returncode == 1
    assert "nan" in done.stdout


def test_the_python_test_fails_when_a_number_is_changed(tmp_path):
    path = tmp_path / "exported.py"
    path.write_text(python_source(load_model("planar2")).replace("m1: float = 2.0", "m1: float = 2.1"))
    assert run_alone(path).returncode == 1


@pytest.mark.parametrize("name", ["planar2", "pendulum3", "panda"])
def test_python_agrees_with_the_robot_at_other_states(name):
    robot = strobe.Robot(load_model(name), compiled=False)
    module = python_module(python_source(robot))
    q, qd, qdd = robot.random_state(seed=99)
    np.testing.assert_allclose(module["mass_matrix"](list(q)), robot.mass_matrix(q), atol=1e-12)
    np.testing.assert_allclose(
        module["coriolis_matrix"](list(q), list(qd)), robot.coriolis_matrix(q, qd), atol=1e-12
    )
    np.testing.assert_allclose(module["gravity"](list(q)), robot.gravity(q), atol=1e-12)
    tau = robot.inverse_dynamics(q, qd, qdd, friction=False)
    np.testing.assert_allclose(module["inverse_dynamics"](list(q), list(qd), list(qdd)), tau, atol=1e-11)


@pytest.mark.slow
@pytest.mark.parametrize("numbers", [True, False])
def test_python_agrees_with_pinocchio(numbers):
    pin = pytest.importorskip("pinocchio", reason="Pinocchio (package pin) is not installed")
    robot = strobe.load("panda")
    peer = Pinocchio(robot)
    model, data = peer.model, peer.data
    module = python_module(python_source(robot, numbers=numbers))
    for seed in range(3):
        q, qd, qdd = robot.random_state(seed=seed + 50)
        M = np.triu(pin.crba(model, data, q))
        np.testing.assert_allclose(np.triu(module["mass_matrix"](list(q))), M, atol=1e-12)
        C = pin.computeCoriolisMatrix(model, data, q, qd)
        np.testing.assert_allclose(
            np.array(module["coriolis_matrix"](list(q), list(qd))) @ qd, C @ qd, atol=1e-11
        )
        G = pin.computeGeneralizedGravity(model, data, q)
        np.testing.assert_allclose(module["gravity"](list(q)), G, atol=1e-12)
        tau = pin.rnea(model, data, q, qd, qdd)
        np.testing.assert_allclose(
            module["inverse_dynamics"](list(q), list(qd), list(qdd)), tau, atol=1e-11
        )


def test_small_arms_are_written_as_in_a_textbook():
    text = python_source(load_model("planar2"))
    for line in (
        "[m1*lc1*lc1 + I1 + m2*(l1*l1 + lc2*lc2 + 2.0*l1*lc2*c2) + I2, m2*(lc2*lc2 + l1*lc2*c2) + I2],",
        "h = m2*l1*lc2*s2",
        "[-h*qd2, -h*(qd1 + qd2)],",
        "[h*qd1, 0.0],",
        "m2*g*lc2*c12,",
    ):
        assert f"    {line}\n" in text


def test_parameters_are_arguments_with_the_values_of_the_model():
    module = python_module(python_source(load_model("planar2")))
    Parameters = module["Parameters"]
    assert Parameters().m1 == 2.0
    assert not hasattr(Parameters(), "v2")  # friction is no part of these equations
    heavier = Parameters(m2=3.0)
    q = [0.3, 0.4]
    assert module["gravity"](q, heavier)[1] == pytest.approx(2 * module["gravity"](q)[1])


@pytest.mark.slow
def test_large_arms_come_with_numbers_or_with_names():
    assert "class Parameters" not in python_source(load_model("puma560"))
    named = python_source(load_model("puma560"), numbers=False)
    assert "m6: float = 0.09  # mass of link" in named
    assert "def dynamics(q, qd, p=DEFAULTS):" in named


@pytest.mark.slow
def test_the_text_tells_the_joints_and_the_count():
    text = python_source(load_model("panda"))
    assert "Joints, in this order: joint1, joint2, joint3, joint4, joint5, joint6, joint7\n" in text
    assert "M, C and G together: 818 multiplications, 679 additions.\n" in text
    assert "Friction is not included." in text
    assert not any(line != line.rstrip() for line in text.splitlines())


@pytest.mark.slow
def test_the_same_model_gives_the_same_text_in_every_process():
    program = "from strobe.equations.code import *; from strobe.models.load import load_model; " + (
        "print(python_source(load_model('stanford')))"
    )
    texts = {
        subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
        for _ in range(2)
    }
    assert texts == {python_source(load_model("stanford")) + "\n"}


# -- C ------------------------------------------------------------------------------------------------


@pytest.mark.slow
@needs_gcc
@pytest.mark.parametrize("name", ARMS)
def test_c_builds_without_a_warning_and_passes_its_test(name, tmp_path):
    done = made(tmp_path, c_sources(load_model(name)))
    assert done.returncode == 0, done.stderr
    assert f"strobe_{name}: 4 states, largest relative difference " in done.stdout


@pytest.mark.slow
@needs_gcc
@pytest.mark.parametrize("name", ["biped10", "random(4,1)"])
def test_c_in_named_parameters_builds_too(name, tmp_path):
    texts = c_sources(load_model(name), numbers=False)
    assert any("_defaults = {" in text for text in texts.values())
    done = made(tmp_path, texts)
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("name", ["puma560", "panda", "random(7,1)"])
def test_python_in_named_parameters_tests_itself(name, tmp_path):
    path = tmp_path / "exported.py"
    path.write_text(python_source(load_model(name), numbers=False))
    assert "class Parameters" in path.read_text()
    assert run_alone(path).returncode == 0


@needs_gcc
def test_the_c_test_fails_when_a_number_is_changed(tmp_path):
    texts = c_sources(load_model("planar2"))
    source = "strobe_planar2_equations.c"
    texts[source] = texts[source].replace("2.0, /* m1 */", "2.1, /* m1 */")
    assert "2.1, /* m1 */" in texts[source]
    assert made(tmp_path, texts).returncode != 0


@needs_gcc
def test_c_agrees_with_pinocchio(tmp_path):
    pin = pytest.importorskip("pinocchio", reason="Pinocchio (package pin) is not installed")
    robot = strobe.load("ur5")
    for name, text in c_sources(robot).items():
        (tmp_path / name).write_text(text, "ascii")
    library = tmp_path / "ur5.so"
    stem = tmp_path / "strobe_ur5_equations.c"
    subprocess.run(["gcc", *STRICT.split(), "-shared", "-fPIC", "-o", library, stem, "-lm"], check=True)
    torque = ctypes.CDLL(str(library)).strobe_ur5_inverse_dynamics
    torque.restype = None
    peer = Pinocchio(robot)
    model, data = peer.model, peer.data
    vectors = robot.random_state(seed=11)
    tau = np.zeros(robot.n)
    pointers = [
        x.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
        for x in (*map(np.ascontiguousarray, vectors), tau)
    ]
    torque(*pointers)
    np.testing.assert_allclose(tau, pin.rnea(model, data, *vectors), atol=1e-11)


@pytest.mark.slow
def test_three_matrices_of_seven_joints_fit_in_60_kb_of_c():
    for robot in (load_model("panda"), strobe.random(7, seed=1, kinds="R")):
        sheet = sheet_of(robot)
        assert sheet.equations.multiplications <= 3000
        texts = c_sources(robot)
        assert sum(len(text) for name, text in texts.items() if name.startswith("strobe_")) <= 60_000


def test_the_names_of_a_hostile_file_reach_no_code(tmp_path):
    file = tmp_path / "evil.urdf"
    file.write_text(
        '<robot name="*/ #error"><link name="a"/><link name="b"><inertial><mass value="1"/>'
        '<origin xyz="0 0.1 0"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>'
        '<joint name="&quot;&quot;&quot; */ \\" type="continuous"><parent link="a"/><child link="b"/>'
        '<axis xyz="1 0 0"/></joint></robot>'
    )
    robot = strobe.load(file)
    path = tmp_path / "exported.py"
    path.write_text(python_source(robot))
    assert run_alone(path).returncode == 0
    texts = c_sources(robot)
    assert "strobe_error_equations.c" in texts
    if shutil.which("gcc"):
        done = made(tmp_path, texts)
        assert done.returncode == 0, done.stderr


# -- which grade --------------------------------------------------------------------------------------


def test_small_arms_come_in_closed_form_and_others_in_the_readable_grade():
    for name, apart in (("planar3", True), ("pendulum3", True), ("stanford", False), ("panda", False)):
        assert sheet_of(load_model(name)).apart is apart


@pytest.mark.slow
def test_full_expansion_is_given_on_request_or_refused_by_its_size():
    whole = sheet_of(load_model("stanford-c"), full=True)
    assert whole.apart
    assert (
        whole.equations.multiplications > 2 * sheet_of(load_model("stanford-c")).equations.multiplications
    )
    with pytest.raises(EquationSizeError, match="the mass matrix of random-7-1 would have more terms"):
        sheet_of(strobe.random(7, seed=1, kinds="R"), full=True)


def test_joints_by_quaternions_are_refused():
    with pytest.raises(UnsupportedModelError, match="is spherical; the readable equations"):
        python_source(strobe.random(2, seed=0, kinds="S"))


@pytest.mark.parametrize("shortest", [True, False])
def test_a_closed_form_has_the_values_of_its_equations(shortest, monkeypatch):
    monkeypatch.setattr("strobe.equations.code.MANY_TERMS", 1000 if shortest else 0)
    equations = equations_of(load_model("pendulum3"))
    sheet = closed(equations)
    state = {f"q{k}": 0.3 * k for k in (1, 2, 3)} | {f"qd{k}": 0.7 - k for k in (1, 2, 3)}
    M, C, G = sheet.values({**equations.parameters, **state})
    q, qd = ([state[f"{x}{k}"] for k in (1, 2, 3)] for x in ("q", "qd"))
    np.testing.assert_allclose(M, equations.evaluate(equations.mass_matrix, q), rtol=1e-13, atol=1e-15)
    np.testing.assert_allclose(
        C, equations.evaluate(equations.coriolis_matrix, q, qd), rtol=1e-13, atol=1e-15
    )
    np.testing.assert_allclose(G, equations.evaluate(equations.gravity, q), rtol=1e-13, atol=1e-15)


def test_expected_values_come_from_a_formulation_that_applies():
    assert cases(load_model("panda")).method == "hollerbach-3x3"
    tree = strobe.random(4, seed=5, kinds="R", tree=True)
    assert cases(tree).method == "spatial-newton-euler"
    assert len(cases(load_model("planar2")).cases) == 4
