"""`robot.export`: the same function for every target, with what a test of it needs."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import strobe
from strobe.compiler.export.quantity import NAMES, export
from strobe.compiler.export.test_values import AWKWARD, STATES, doubtful, expected
from strobe.errors import ArgumentError, OutputError, UnknownNameError, UnsupportedModelError
from strobe.quantities import Request

NAME = "strobe_planar2_inverse_dynamics"
C = [f"{NAME}.h", f"{NAME}.c", f"test_{NAME}.c", "Makefile"]
FILES = {
    "c": C,
    "cuda": [f"{NAME}.h", f"{NAME}.cu", f"test_{NAME}.cu", "CMakeLists.txt"],
    "mex": [*C, f"{NAME}_mex.c", f"build_{NAME}.m", f"test_{NAME}.m"],
    "cffi": [*C, f"build_{NAME}.py"],
    "object": [f"{NAME}.o", f"{NAME}.h", f"test_{NAME}.c"],
    "wasm": [f"{NAME}.wasm", f"{NAME}.js", f"{NAME}.d.ts", "package.json", f"test_{NAME}.mjs"],
}


@pytest.fixture(scope="module")
def robot() -> strobe.Robot:
    return strobe.load("planar2")


@pytest.mark.parametrize("target", NAMES)
def test_every_target_has_its_files(robot: strobe.Robot, target: str, tmp_path: Path) -> None:
    triple = "aarch64" if target == "object" else None
    made = robot.export("inverse_dynamics", tmp_path / "out", target=target, triple=triple)
    assert list(made.files) == FILES[target]
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == sorted(FILES[target])
    for name, content in made.files.items():
        there = (tmp_path / "out" / name).read_bytes()
        assert there == (content if isinstance(content, bytes) else content.encode())


def test_nothing_is_written_without_a_folder(robot: strobe.Robot) -> None:
    made = robot.export("jacobian", frame="tool", name="my arm")
    assert made.function.name == "strobe_my_arm_jacobian"
    assert made.request.frame == "tool"


def test_loads_and_friction_are_what_was_asked_for(robot: strobe.Robot) -> None:
    made = robot.export("inverse_dynamics", wrench=["tool", "tool"], gravity_input=True, friction=False)
    assert [p.name for p in made.function.parameters] == ["q", "qd", "qdd", "wrench_tool", "gravity"]
    assert "Friction is left out." in made.function.about


def test_the_header_of_an_object_file_says_what_it_takes(robot: strobe.Robot) -> None:
    made = robot.export("inverse_dynamics", target="object", triple="thumbv7em-hf", single=True)
    assert made.built is not None
    header = str(made.files[f"{NAME}.h"])
    assert f"void {NAME}(const float q[2], const float qd[2], const float qdd[2], float out[2]);" in header
    assert "Made for thumbv7em-none-eabihf, cortex-m4, with fused multiplication and addition." in header
    sizes = (made.built.text, made.built.constants, made.built.stack)
    assert "Bytes: {} of code, {} of constants, {} of stack at most.".format(*sizes) in header


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
@pytest.mark.parametrize("single", [True, False])
def test_an_object_file_passes_its_test_where_it_is_linked(single: bool, tmp_path: Path) -> None:
    strobe.load("stanford").export(
        "inverse_dynamics", tmp_path, target="object", triple="x86_64", single=single
    )
    name = "strobe_stanford_inverse_dynamics"
    objects = [tmp_path / f"test_{name}.c", tmp_path / f"{name}.o"]
    subprocess.run(["gcc", "-std=c99", "-o", tmp_path / "test", *objects, "-lm"], check=True)
    done = subprocess.run([tmp_path / "test"], capture_output=True, text=True, check=False)
    assert "0 of 16 states wrong" in done.stdout


# -- several quantities ---


SEVERAL = ["inverse_dynamics", "mass_matrix", "jacobian"]
LIBRARY = "strobe_planar2"


def test_several_quantities_share_a_header_a_source_and_a_test(robot: strobe.Robot) -> None:
    made = robot.export(SEVERAL)
    assert list(made.files) == [f"{LIBRARY}.h", f"{LIBRARY}.c", f"test_{LIBRARY}.c", "Makefile"]
    assert [part.request.quantity for part in made.parts] == SEVERAL
    source, header = (str(made.files[f"{LIBRARY}.{ending}"]) for ending in "ch")
    assert source.count("static inline void sine_cosine") == 1
    for part, quantity in zip(made.parts, SEVERAL, strict=True):
        alone = robot.export(quantity)
        assert part.function.name == alone.function.name
        assert f"{alone.function.declaration()};" in header
        *_, body = str(alone.files[f"{alone.name}.c"]).split(alone.function.declaration())
        assert body.strip() in source  # the same operations in the same order
    with pytest.raises(ArgumentError, match="strobe_planar2 has 3 functions: look into its parts"):
        _ = made.function


def test_a_list_of_one_is_the_one(robot: strobe.Robot) -> None:
    assert robot.export(["gravity"]).files == robot.export("gravity").files


def test_each_of_several_takes_the_options_that_concern_it(robot: strobe.Robot) -> None:
    made = robot.export(
        SEVERAL, wrench=["tool"], gravity_input=True, frame="tool", formulation="newton-euler"
    )
    taken = [[p.name for p in part.function.parameters] for part in made.parts]
    assert taken == [["q", "qd", "qdd", "wrench_tool", "gravity"], ["q"], ["q"]]
    assert [part.request.frame for part in made.parts] == [None, None, "tool"]
    assert [part.request.formulation for part in made.parts] == ["newton-euler", "newton-euler", None]
    for options, words in [
        ({"frame": "tool"}, "a frame"),
        ({"accelerated": ["joint1"]}, "accelerated joints"),
    ]:
        with pytest.raises(
            ArgumentError, match=f"none of gravity, bias of planar2 depends on {words}: leave it"
        ):
            robot.export(["gravity", "bias"], **options)
    for options, words in [({"wrench": ["tool"]}, "wrenches"), ({"gravity_input": True}, "gravity")]:
        with pytest.raises(
            ArgumentError, match=f"none of mass_matrix, jacobian of planar2 depends on {words}: leave"
        ):
            robot.export(["mass_matrix", "jacobian"], **options)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
def test_several_quantities_pass_their_test_as_source_and_as_object_file(tmp_path: Path) -> None:
    arm = strobe.load("stanford")
    arm.export(SEVERAL, tmp_path / "c", single=True)
    done = subprocess.run(
        ["make", "-C", tmp_path / "c", "test", "CC=gcc"], capture_output=True, text=True, check=False
    )
    assert done.stdout.count("0 of 16 states wrong") == 3, done.stdout + done.stderr
    made = arm.export(SEVERAL, tmp_path / "o", target="object", triple="x86_64")
    alone = [arm.export(name, target="object", triple="x86_64") for name in SEVERAL]
    assert made.built is not None
    assert made.built.stack == max(each.built.stack for each in alone if each.built)
    assert made.built.text < sum(each.built.text for each in alone if each.built)  # helpers are there once
    files = [tmp_path / "o" / "test_strobe_stanford.c", tmp_path / "o" / "strobe_stanford.o"]
    subprocess.run(["gcc", "-std=c99", "-o", tmp_path / "test", *files, "-lm"], check=True)
    done = subprocess.run([tmp_path / "test"], capture_output=True, text=True, check=True)
    assert done.stdout.count("0 of 16 states wrong") == 3


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_several_quantities_pass_their_test_as_a_web_module(tmp_path: Path) -> None:
    strobe.load("ur5").export(SEVERAL, tmp_path, target="wasm")
    done = subprocess.run(
        ["node", tmp_path / "test_strobe_ur5.mjs"], capture_output=True, text=True, check=False
    )
    assert done.stdout.count("0 of 16 states wrong") == 3, done.stdout + done.stderr
    test = tmp_path / "test_strobe_ur5.mjs"
    test.write_text(test.read_text().replace("expected: [", "expected: [1 + ", 1))
    assert subprocess.run(["node", test], capture_output=True, check=False).returncode != 0


def test_lists_that_make_no_sense(robot: strobe.Robot) -> None:
    for quantities, sentence in [
        ([], "no quantity is named; expected one or several, such as inverse_dynamics."),
        (["gravity", "gravity"], "gravity is named 2 times: name it once."),
        (5, "quantity is 5; expected a name, or a list of names."),
    ]:
        with pytest.raises(ArgumentError) as error:
            robot.export(quantities)
        assert sentence in str(error.value)
    with pytest.raises(UnknownNameError, match='no quantity "torque"'):
        robot.export(["gravity", "torque"])
    for target, words in [
        ("mex", "a MEX file is one function of MATLAB"),
        ("cffi", "a module of cffi is built around"),
    ]:
        with pytest.raises(ArgumentError, match=words):
            robot.export(SEVERAL, target=target)


# -- what is refused ----------------------------------------------------------------------------------


def test_targets_and_what_they_do_not_take(robot: strobe.Robot) -> None:
    for keywords, sentence in [
        (
            {"target": "objet"},
            'target "objet" is not known: c, cuda, mex, cffi, object or wasm. Did you mean \'object\'?',
        ),
        ({"target": "wasm", "single": True}, "WebAssembly is written in double precision only."),
        ({"triple": "aarch64"}, "a triple is for object files: take target object, or leave it out."),
        ({"cpu": "cortex-m4"}, "a cpu is for object files: take target object, or leave it out."),
        ({"target": "object"}, "an object file is for one machine: name its triple (aarch64, armv7a, "),
        ({"target": None}, "target is None; expected a name."),
        ({"target": "object", "triple": 3}, "triple is 3; expected a name."),
        ({"name": 5}, "name is 5; expected a name."),
        ({"single": "yes"}, "single is 'yes'; expected True or False."),
    ]:  # fmt: skip
        with pytest.raises(ArgumentError) as error:
            robot.export("gravity", **keywords)
        assert sentence in str(error.value)


def test_requests_that_make_no_sense(robot: strobe.Robot) -> None:
    with pytest.raises(UnknownNameError, match='no quantity "torque" in strobe'):
        robot.export("torque")
    with pytest.raises(ArgumentError, match="take double precision"):
        robot.export("forward_dynamics", single=True)
    with pytest.raises(UnsupportedModelError, match="loop_residuals of planar2 has no numbers"):
        robot.export("loop_residuals")
    with pytest.raises(UnsupportedModelError, match="it would call"):
        robot.export("gravity", target="object", triple="thumbv7em")


def test_a_folder_that_holds_files_is_kept_unless_forced(robot: strobe.Robot, tmp_path: Path) -> None:
    robot.export("gravity", tmp_path / "out")
    with pytest.raises(OutputError, match="it holds files"):
        robot.export("gravity", tmp_path / "out")
    robot.export("gravity", tmp_path / "out", force=True)


# -- what a test compares with ------------------------------------------------------------------------


def test_expected_values_are_those_of_the_robot_at_awkward_angles() -> None:
    arm = strobe.load("ur5")
    test = expected(arm, Request("inverse_dynamics"), single=False)
    assert [row[0] for row in test.states["q"]][: len(AWKWARD)] == list(AWKWARD)
    found = arm.inverse_dynamics(*(np.array(test.states[key]) for key in ("q", "qd", "qdd")))
    np.testing.assert_allclose(found, test.results, rtol=1e-9, atol=1e-12)
    assert test.tolerance == 1e-12
    assert test.route == "computed by spatial-newton-euler, interpreted in double precision"


def test_code_by_the_equations_of_the_test_is_tested_by_others() -> None:
    arm = strobe.load("ur5")
    test = expected(arm, Request("inverse_dynamics", "spatial-newton-euler"), single=True)
    assert "newton-euler-armstrong" in test.route
    assert test.tolerance == 1e-5
    assert len(test.results) == STATES


def test_a_wrong_formulation_makes_its_test_doubtful() -> None:
    arm = strobe.load("puma560")
    test = expected(arm, Request("inverse_dynamics", "hollerbach-3x3-printed"), single=False)
    assert doubtful(test.tolerance, single=False)
    assert not doubtful(1e-12, single=False)


def test_an_export_is_the_same_every_time() -> None:
    arm = strobe.load("stanford")
    one, two = (export(arm, "gravity", target="object", triple="riscv64").files for _ in range(2))
    assert one == two


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"quantity": 3}, "quantity is 3; expected a name"),
        ({"folder": 7}, "7 is no path"),
        ({"formulation": ["newton-euler"]}, r"formulation is \['newton-euler'\]; expected a name"),
        ({"wrench": 5}, "wrench is 5; expected names"),
        ({"accelerated": len}, "accelerated is <built-in function len>; expected names"),
        ({"gravity_input": np.zeros(2)}, "gravity_input is array.*; expected True or False"),
        ({"friction": None}, "friction is None; expected True or False"),
        ({"frame": 1}, "frame is 1; expected the name of a frame"),
    ],
)
def test_arguments_of_other_kinds_are_told(robot: strobe.Robot, given: dict, sentence: str) -> None:
    with pytest.raises(ArgumentError, match=f"^{sentence}"):
        robot.export(**({"quantity": "gravity"} | given))
