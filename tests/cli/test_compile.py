"""``strobe compile``: sources that build and test themselves, and every wrong request."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from strobe.quantities import QUANTITIES
from tests.cli.verb import Verb

STRICT = "-O1 -std=c99 -Wall -Wextra -Wpedantic -Wconversion -Werror"
SANITISED = f"{STRICT} -fsanitize=address,undefined -fno-sanitize-recover=all"

OF_LOOPS = ("loop_residuals", "loop_facing", "loop_jacobian", "loop_bias")

needs_gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")


run = Verb("compile")
told = run.told
refused = run.refusal


def make_test(folder: Path, flags: str = STRICT) -> subprocess.CompletedProcess[str]:
    command = ["make", "-C", folder, "test", "CC=gcc", f"CFLAGS={flags}"]
    return subprocess.run(command, capture_output=True, text=True, check=False)


# -- what is written ----------------------------------------------------------------------------------


def test_a_folder_with_source_header_test_and_makefile_is_written(tmp_path: Path) -> None:
    data = told("planar2", "inverse_dynamics", "-o", tmp_path / "new" / "out")
    name = "strobe_planar2_inverse_dynamics"
    assert data["function"] == name
    assert data["files"] == [f"{name}.h", f"{name}.c", f"test_{name}.c", "Makefile"]
    assert sorted(p.name for p in (tmp_path / "new" / "out").iterdir()) == sorted(data["files"])
    assert data["inputs"] == [{"name": key, "size": 2} for key in ("q", "qd", "qdd")]
    assert data["tolerance"] == 1e-12
    header = (tmp_path / "new" / "out" / f"{name}.h").read_text("ascii")
    assert (
        f"void {name}(const double q[2], const double qd[2], const double qdd[2], double out[2]);" in header
    )


def test_the_files_and_the_command_that_tests_them_are_printed(tmp_path: Path) -> None:
    done = run("planar2", "gravity", "-o", tmp_path / "out")
    assert done.exit_code == 0
    assert done.stdout.splitlines()[-1] == f"test it: make -C {tmp_path / 'out'} test"
    assert str(tmp_path / "out" / "Makefile") in done.stdout


def test_loads_frames_names_and_precision_shape_the_function(tmp_path: Path) -> None:
    options = ["--wrench-input", "tool", "--gravity-input", "--float", "--name", "my arm!"]
    data = told("planar2", "inverse_dynamics", "-o", tmp_path / "a", *options)
    assert data["function"] == "strobe_my_arm_inverse_dynamics"
    assert data["precision"] == "float"
    assert [(x["name"], x["size"]) for x in data["inputs"]][3:] == [("wrench_tool", 6), ("gravity", 3)]
    data = told("ur5", "jacobian", "--frame", "tool", "-o", tmp_path / "b")
    assert data["shape"] == [6, 6]
    assert "Frame: tool" in (tmp_path / "b" / "strobe_ur5_jacobian.h").read_text()


def test_several_quantities_go_into_one_file(tmp_path: Path) -> None:
    names = ["inverse_dynamics", "mass_matrix", "jacobian"]
    data = told("planar2", *names, "--frame", "tool", "-o", tmp_path / "out")
    assert data["files"] == ["strobe_planar2.h", "strobe_planar2.c", "test_strobe_planar2.c", "Makefile"]
    assert [each["quantity"] for each in data["functions"]] == names
    assert [each["frame"] for each in data["functions"]] == [None, None, "tool"]
    said = " ".join(refused("planar2", *names, "--target", "mex", "-o", tmp_path / "mex").split())
    assert (
        "a MEX file is one function of MATLAB: export the quantities one by one, or take target c." in said
    )
    said = " ".join(
        refused("planar2", *names, "--fixed", 32, "--qdd-range", 1, "-o", tmp_path / "f").split()
    )
    assert "leave out other quantities" in said


def test_mex_and_cffi_add_their_wrappers(tmp_path: Path) -> None:
    name = "strobe_planar2_mass_matrix"
    mex = told("planar2", "mass_matrix", "--target", "mex", "-o", tmp_path / "mex")["files"]
    assert mex[4:] == [f"{name}_mex.c", f"build_{name}.m", f"test_{name}.m"]
    cffi = told("planar2", "mass_matrix", "--target", "cffi", "-o", tmp_path / "cffi")["files"]
    assert cffi[4:] == [f"build_{name}.py"]


# -- what it does -------------------------------------------------------------------------------------


@pytest.mark.slow
@needs_gcc
@pytest.mark.parametrize(
    "options", [[], ["--float"], ["--formulation", "spatial-newton-euler"]], ids=" ".join
)
def test_the_panda_builds_without_a_warning_and_passes_its_own_test(
    tmp_path: Path, options: list[str]
) -> None:
    told("panda", "inverse_dynamics", *options, "-o", tmp_path / "out")
    done = make_test(tmp_path / "out", SANITISED)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 of 16 states wrong" in done.stdout


@pytest.mark.slow
@needs_gcc
@pytest.mark.parametrize("quantity", [name for name in QUANTITIES if name not in OF_LOOPS])
def test_every_quantity_passes_its_own_test(tmp_path: Path, quantity: str) -> None:
    data = told("planar2", quantity, "-o", tmp_path / "out")
    assert data["tolerance"] <= 1e-11
    done = make_test(tmp_path / "out")
    assert done.returncode == 0, done.stdout + done.stderr


@needs_gcc
@pytest.mark.parametrize(
    "arguments",
    [
        ["spherical3", "forward_dynamics"],
        ["stanford", "inverse_dynamics", "--wrench-input", "tool", "--gravity-input", "--float"],
        ["planar3", "hybrid_dynamics", "--accelerated", "joint2"],
    ],
    ids=" ".join,
)
def test_other_robots_and_loads_pass_their_own_tests(tmp_path: Path, arguments: list[str]) -> None:
    told(*arguments, "-o", tmp_path / "out")
    done = make_test(tmp_path / "out", SANITISED)
    assert done.returncode == 0, done.stdout + done.stderr


@needs_gcc
def test_a_damaged_source_fails_its_test(tmp_path: Path) -> None:
    told("planar2", "inverse_dynamics", "-o", tmp_path / "out")
    source = tmp_path / "out" / "strobe_planar2_inverse_dynamics.c"
    text = source.read_text()
    assert "9.81" in text or "out[1] = " in text
    source.write_text(text.replace("out[1] = ", "out[1] = 1e-9 + "))
    done = make_test(tmp_path / "out")
    assert done.returncode != 0
    assert "states wrong" in done.stdout


def test_a_formulation_that_is_wrong_is_told_to_be(tmp_path: Path) -> None:
    done = run(
        "puma560", "inverse_dynamics", "--formulation", "hollerbach-3x3-printed", "-o", tmp_path / "out"
    )
    assert done.exit_code == 0
    assert "it may fail" in done.stderr


def test_names_of_a_model_file_cannot_enter_the_code(tmp_path: Path) -> None:
    model = tmp_path / "arm.urdf"
    model.write_text(
        """<robot name="*/ int main(void){system(&quot;rm&quot;);} /*"><link name="base"/>
        <joint name="a */ #error" type="continuous"><parent link="base"/><child link="*/ x"/><axis xyz="0 0 1"/>
        </joint><link name="*/ x"><inertial><mass value="1"/><origin xyz="0.1 0 0"/>
        <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>"""
    )
    data = told(
        model, "inverse_dynamics", "--target", "mex", "--wrench-input", "*/ x", "-o", tmp_path / "out"
    )
    assert data["inputs"][3]["name"] == "wrench_x"
    for file in data["files"]:
        text = (tmp_path / "out" / file).read_text("ascii")
        assert "*/ int" not in text
        assert "*/ x" not in text
        assert "*/ #error" not in text
    if shutil.which("gcc"):
        assert make_test(tmp_path / "out").returncode == 0


# -- object files and the web -------------------------------------------------------------------------


@pytest.mark.slow
def test_an_object_file_is_written_with_its_header_and_what_it_takes(tmp_path: Path) -> None:
    options = ["--target", "object", "--triple", "thumbv7em-hf", "--float"]
    data = told("ur5", "inverse_dynamics", *options, "-o", tmp_path / "a")
    name = "strobe_ur5_inverse_dynamics"
    assert data["files"] == [f"{name}.o", f"{name}.h", f"test_{name}.c"]
    assert data["triple"] == "thumbv7em-none-eabihf"
    assert data["cpu"] == "cortex-m4"
    assert data["precision"] == "float"
    assert data["code"] + data["constants"] < 32_000
    assert data["stack"] < 1_000
    done = run("ur5", "inverse_dynamics", *options, "--cpu", "cortex-m7", "-o", tmp_path / "b")
    assert done.stdout.splitlines()[-1].startswith("thumbv7em-none-eabihf, cortex-m7: ")
    assert done.stdout.splitlines()[-1].endswith(" of stack")


def test_a_web_module_is_written_with_its_wrapper_types_and_test(tmp_path: Path) -> None:
    done = run("planar2", "inverse_dynamics", "--target", "wasm", "-o", tmp_path / "out")
    name = "strobe_planar2_inverse_dynamics"
    assert done.stdout.splitlines()[-1] == f"test it: node {tmp_path / 'out' / f'test_{name}.mjs'}"
    assert (tmp_path / "out" / f"{name}.wasm").read_bytes().startswith(b"\0asm")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--target", "object"], "an object file is for one machine: name its triple (aarch64, armv7a, riscv32, "),
        (["--target", "object", "--triple", "arm64"], 'no machine "arm64" in strobe. Did you mean'),
        (["--target", "object", "--triple", "aarch64", "--cpu", "cortex-a753"], "Did you mean 'cortex-a75'"),
        (["--target", "object", "--triple", "thumbv7em"], "cortex-m4 does not compute in double precision"),
        (["--target", "object", "--triple", "thumbv6m", "--float"], "another processor, or write C in fixed point."),
        (["--triple", "aarch64"], "a triple is for object files: take target object, or leave it out."),
        (["--target", "wasm", "--float"], "WebAssembly is written in double precision only."),
    ],
)  # fmt: skip
def test_what_machines_and_the_web_do_not_have_is_refused(
    tmp_path: Path, options: list[str], sentence: str
) -> None:
    said = refused("planar2", "inverse_dynamics", *options, "-o", tmp_path / "out")
    assert sentence in " ".join(said.split())
    assert not (tmp_path / "out").exists()


# -- bad input ----------------------------------------------------------------------------------------


def test_an_unknown_quantity_is_answered_with_the_nearest(tmp_path: Path) -> None:
    said = refused("planar2", "inverse_dynamic", "-o", tmp_path / "out")
    assert "no quantity \"inverse_dynamic\" in strobe. Did you mean 'inverse_dynamics'" in said
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["jacobian", "--frame", "tol"], 'no frame "tol" in planar2'),
        (["inverse_dynamics", "--wrench-input", "tol"], 'no frame "tol" in planar2'),
        (
            ["inverse_dynamics", "--frame", "tool"],
            "inverse_dynamics does not depend on a frame: leave it out.",
        ),
        (["jacobian", "--formulation", "newton-euler"], "jacobian does not depend on a formulation"),
        (["inverse_dynamics", "--formulation", "newton"], 'no formulation "newton" in strobe'),
        (["mass_matrix", "--gravity-input"], "mass_matrix of planar2 does not depend on gravity"),
        (["mass_matrix", "--wrench-input", "tool"], 'does not depend on a wrench on "tool": leave it out.'),
        (["gravity", "--accelerated", "joint1"], "gravity takes no accelerated joints"),
        (["hybrid_dynamics", "--accelerated", "joint9"], 'no joint "joint9" in planar2'),
        (
            ["gravity", "--target", "rust"],
            'target "rust" is not known: c, cuda, mex, cffi, object or wasm.',
        ),
    ],
    ids=lambda x: " ".join(x) if isinstance(x, list) else "",
)
def test_what_does_not_exist_or_does_not_matter_is_refused(
    tmp_path: Path, arguments: list[str], sentence: str
) -> None:
    assert sentence in refused("planar2", *arguments, "-o", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_robot_without_dynamics_still_has_kinematics(tmp_path: Path) -> None:
    said = refused("rx90", "inverse_dynamics", "-o", tmp_path / "out")
    assert "rx90 has no dynamics: only its geometry is known" in said
    assert told("rx90", "forward_kinematics", "-o", tmp_path / "out")["shape"] == [4, 4]


def test_a_folder_that_holds_files_is_kept_unless_forced(tmp_path: Path) -> None:
    mine = tmp_path / "mine.txt"
    mine.write_text("kept")
    assert "it holds files. Name a new folder, or add --force." in refused(
        "planar2", "gravity", "-o", tmp_path
    )
    assert [p.name for p in tmp_path.iterdir()] == ["mine.txt"]
    told("planar2", "gravity", "-o", tmp_path, "--force")
    told("planar2", "gravity", "-o", tmp_path, "--force")
    assert mine.read_text() == "kept"
    assert (tmp_path / "strobe_planar2_gravity.c").exists()


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    assert f"cannot write into {file}: it is a file" in refused("planar2", "gravity", "-o", file)
    assert f"cannot make the folder {file / 'sub'}" in refused("planar2", "gravity", "-o", file / "sub")


def test_the_help_has_an_example_that_builds() -> None:
    done = run("--help")
    assert done.exit_code == 0
    assert "strobe compile panda inverse_dynamics -o out && make -C out test" in done.stdout


# -- fixed point --------------------------------------------------------------------------------------


@needs_gcc
def test_fixed_point_tests_itself(tmp_path: Path) -> None:
    data = told(
        "stanford", "inverse_dynamics", "--fixed", 32, "--qd-range", 2, "--qdd-range", "5", "-o", tmp_path
    )
    name = "strobe_stanford_inverse_dynamics"
    assert data["files"] == [f"{name}.h", f"{name}.c", f"{name}_convert.h", f"test_{name}.c", "Makefile"]
    assert data["precision"] == "int32_t"
    assert data["formats"]["qd"] == ["Q2.29"] * 6
    assert all(bound > met > 0.0 for bound, met in zip(data["bound"], data["observed"], strict=True))
    done = make_test(tmp_path, SANITISED)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_fixed_point_takes_ranges_one_scale_and_a_name(tmp_path: Path) -> None:
    data = told(
        "planar2", "inverse_dynamics", "--fixed", 32, "--fraction", 12, "--q-range", "0:1,-1:2", "--qd-range", "0.5",
        "--qdd-range", "1,2", "--name", "arm", "-o", tmp_path,
    )  # fmt: skip
    assert data["function"] == "strobe_arm_inverse_dynamics"
    assert set(data["formats"]["tau"]) == {"Q19.12"}
    header = (tmp_path / "strobe_arm_inverse_dynamics.h").read_text("ascii")
    assert "[1]   Q19.12  from -1 to 2  rad  joint2" in header
    done = run("planar2", "inverse_dynamics", "--fixed", 32, "--qdd-range", 1, "-o", tmp_path / "other")
    assert done.stdout.splitlines()[-1] == f"test it: make -C {tmp_path / 'other'} test"


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--fraction", 8], "--fraction is for fixed point: add --fixed 32 or --fixed 16."),
        (["--qd-range", 1], "--qd-range is for fixed point: add --fixed 32 or --fixed 16."),
        (["--fixed", 24, "--qdd-range", 1], "bits is 24; expected words of 16 or 32 bits."),
        (["--fixed", 32], 'joint "joint1" of planar2 has no limit of its acceleration, and fixed point needs its'),
        (["--fixed", 32, "--qdd-range", 1, "--float"], "--fixed writes inverse_dynamics as C, with friction"),
        (["--fixed", 32, "--qdd-range", 1, "--no-friction"], "--fixed writes inverse_dynamics as C, with friction"),
        (["--fixed", 32, "--qdd-range", 1, "--target", "mex"], "--fixed writes inverse_dynamics as C, with friction"),
        (["--fixed", 32, "--qdd-range", "1,2,3"], "--qdd-range has 3 ranges, expected 1 or 2."),
        (["--fixed", 16, "--fraction", 14, "--qdd-range", 1], "takes 2 bits before the point; words of 16 bits with"),
    ],
)  # fmt: skip
def test_what_fixed_point_cannot_do_is_refused(tmp_path: Path, options: list[Any], sentence: str) -> None:
    told = refused("planar2", "inverse_dynamics", *options, "-o", tmp_path / "out")
    assert sentence in " ".join(told.split())
    assert not (tmp_path / "out").exists()


def test_other_quantities_in_fixed_point_are_refused(tmp_path: Path) -> None:
    sentence = refused("planar2", "gravity", "--fixed", 32, "-o", tmp_path / "out")
    assert "--fixed writes inverse_dynamics as C" in sentence


# -- controllers --------------------------------------------------------------------------------------


@pytest.mark.slow
@needs_gcc
def test_a_controller_tests_itself_on_a_recorded_run(tmp_path: Path) -> None:
    data = told(
        "planar2", "--controller", "joint-pid", "--gain", "kp=100,50", "--rate", 500, "--patience", 4, "-o", tmp_path
    )  # fmt: skip
    assert data["controller"] == "joint-pid"
    assert data["rate"] == 500.0
    assert data["gains"]["kp"] == [100.0, 50.0]
    assert data["memory"] == {"integral": 2}
    assert data["files"] == ["controller.h", "controller.c", "test_controller.c", "Makefile"]
    done = make_test(tmp_path, f"{SANITISED} -ffp-contract=off")
    assert "controller: 64 periods, 0 wrong" in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["planar2"], "name a QUANTITY to compute, such as inverse_dynamics, or a --controller."),
        (["planar2", "jacobian", "--controller", "joint-pd"], "a quantity does not go with --controller"),
        (["planar2", "--controller", "joint-pd", "--float"], "--float does not go with --controller"),
        (["planar2", "jacobian", "--rate", "500"], "--rate is for a controller: add --controller NAME"),
        (
            ["planar2", "--controller", "joint-pf"],
            'no controller "joint-pf" in strobe.control. Did you mean',
        ),
        (
            ["planar2", "--controller", "joint-pd", "--gain", "ki=1"],
            "joint-pd takes no 'ki'; it takes kp, kd.",
        ),
        (["planar2", "--controller", "joint-pd", "--rate", "0"], "rate"),
        (["planar2", "--controller", "joint-pd", "--patience", "-1"], "patience is -1"),
    ],
)
def test_what_a_controller_cannot_be_is_refused(
    tmp_path: Path, arguments: list[str], sentence: str
) -> None:
    assert sentence in " ".join(refused(*arguments, "-o", tmp_path).split())


# -- estimators ---------------------------------------------------------------------------------------


@needs_gcc
def test_an_estimator_tests_itself_on_samples(tmp_path: Path) -> None:
    data = told(
        "planar2",
        "--estimator",
        "viscous,offset",
        "--forgetting",
        0.999,
        "--noise",
        "1,0.5",
        "-o",
        tmp_path,
    )
    assert data["friction"] == ["viscous", "offset"]
    assert data["forgetting"] == 0.999
    assert data["unknowns"][-4:] == ["v joint1", "o joint1", "v joint2", "o joint2"]
    assert data["files"] == ["estimator.h", "estimator.c", "test_estimator.c", "Makefile"]
    done = make_test(tmp_path, f"{SANITISED} -ffp-contract=off")
    assert "estimator: 27 samples, 0 wrong" in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["jacobian", "--estimator", "viscous"], "a quantity does not go with --estimator"),
        (
            ["--controller", "joint-pd", "--estimator", "viscous"],
            "--controller does not go with --estimator",
        ),
        (
            ["jacobian", "--still", "0.1"],
            "--still is for an estimator: add --estimator TERMS, or leave it out.",
        ),
        (["--estimator", "load"], '--estimator: "load" depends on more than the state of a joint'),
        (["--estimator", "viscous", "--forgetting", "2"], "--forgetting is 2; expected more than 0"),
        (["--estimator", "viscous", "--noise", "1"], "--noise"),
    ],
)
def test_what_an_estimator_cannot_be_is_refused(
    tmp_path: Path, arguments: list[str], sentence: str
) -> None:
    assert sentence in " ".join(refused("planar2", *arguments, "-o", tmp_path).split())
