"""``strobe equations``: text, LaTeX, code, JSON, grades, and every mistake."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path

import pytest

from strobe.cli.equations import SECTIONS
from strobe.equations import document
from tests.cli.verb import Verb

LINK = (
    '<link name="{}"><inertial><mass value="1"/><origin xyz="0.2 0 0"/><inertia ixx="0.01" iyy="0.01" izz="0.01" '
    'ixy="0" ixz="0" iyz="0"/></inertial></link>'
)
HALF = (
    f'<robot name="half"><link name="base"/>{LINK.format("a")}{LINK.format("b")}'
    '<joint name="one" type="continuous"><parent link="base"/><child link="a"/><axis xyz="0 1 0"/></joint>'
    '<joint name="two" type="continuous"><parent link="a"/><child link="b"/><origin xyz="0.4 0 0"/>'
    '<axis xyz="0 1 0"/><mimic joint="one" multiplier="0.5"/></joint></robot>'
)


run = Verb("equations")


def test_a_small_arm_is_written_out() -> None:
    done = run("planar2")
    assert done.exit_code == 0
    assert "  H11 = m1 lc1² + I1 + m2 (l1² + lc2² + 2 l1 lc2 cos q2) + I2\n" in done.stdout
    titles = [line for line in done.stdout.splitlines() if line and not line.startswith(" ")]
    assert titles[:5] == [
        "Parameters",
        "Kinetic energy",
        "Potential energy",
        "Mass matrix of the links",
        "Abbreviations",
    ]
    assert titles[-1] == "Structure"


def test_letters_and_short_waves_of_textbooks() -> None:
    shown = run("planar2", "--only", "M,tau", "--textbook", "--short").stdout
    assert "  H12 = m2 (lc2² + l1 lc2 c2) + I2\n" in shown
    assert "  τ2 = H12 θ̈1 + H22 θ̈2 + h θ̇1² + G2 + Ir2 θ̈2 + F2\n" in shown


def test_every_section_can_be_asked_for() -> None:
    assert tuple(document.SECTIONS) == SECTIONS


def test_only_some_sections_of_some_frame() -> None:
    shown = run("planar2", "--only", "fk", "--frame", "link1").stdout
    assert "  x = l1 cos q1\n" in shown
    assert "Mass matrix" not in shown


def test_numbers_and_the_other_form() -> None:
    shown = run("spherical3", "--only", "C", "--form", "decomposition", "--numbers").stdout
    assert "Coriolis matrix, decomposition form" in shown
    assert "Parameters" not in shown


def test_json_holds_text_and_latex() -> None:
    data = json.loads(run("planar2", "--only", "G,facts", "--json").stdout)
    entry = data["sections"][0]["entries"][1]
    assert entry["names"] == ["G2"]
    assert entry["text"] == "m2 g lc2 cos(q1 + q2)"
    assert entry["latex"] == r"m_{2} \, g \, \ell_{c2} \, \cos(q_{1} + q_{2})"
    assert data["sections"][1]["data"]["zero_christoffel_symbols"] == [[1, 1, 1], [2, 1, 2], [2, 2, 2]]
    assert data["sections"][1]["remarks"][-1] == "H does not depend on q1."
    assert data["sections"][1]["conditions"][0]["zero"] == ["m2 lc2", "m1 lc1 + m2 l1"]
    assert data["parameters"][0] == {
        "name": "m1", "value": 2.0, "role": "mass", "unit": "kg", "meaning": 'mass, link "link1"'
    }  # fmt: skip


def test_a_large_arm_comes_with_named_intermediate_results() -> None:
    done = run("stanford", "--only", "M")
    assert done.exit_code == 0
    assert (
        "note: the mass matrix of stanford has about 904 terms; these are its equations over named"
        in done.stderr
    )
    assert "Mass matrix" in done.stdout
    assert "Coriolis matrix" not in done.stdout
    assert "V = g (m1 (d1 − c1y)" in run("stanford", "--only", "V").stdout  # short by itself


@pytest.mark.slow
def test_full_expansion_is_offered_where_it_is_given() -> None:
    for asked in (["biped10", "--only", "C"], ["random(2,2)", "--only", "fk"]):
        assert "--full" not in run(*asked).stderr
        assert run(*asked, "--full").exit_code == 2
    for asked in (["biped10", "--only", "T"], ["ur5", "--only", "C"]):
        assert "named intermediate results. --full writes them out." in run(*asked).stderr


@pytest.mark.slow
def test_oblique_angles_do_not_fill_pages_with_placements() -> None:
    done = run("random(1,2)")
    assert (
        'note: the placement of the frame "tool" of random-1-2 has 22,685 terms; these are its equations over named '
        "intermediate results. --only T,V,M,C,G,tau,friction,facts may write out the others.\n"
    ) in done.stderr
    assert len(done.stdout) < 20_000
    short = run("random(1,2)", "--only", "T,V,M,C,G,tau,friction,facts")
    assert "note" not in short.stderr
    assert "  M11 = " in short.stdout


def test_full_expansion_tells_its_size_first() -> None:
    done = run("stanford", "--only", "V,T", "--full")
    assert done.stderr.startswith("note: the mass matrix of stanford has about ")
    assert "V = " in done.stdout


def test_files_are_kept_unless_forced(tmp_path: Path) -> None:
    target = tmp_path / "arm.tex"
    assert run("planar2", "--latex", str(target)).exit_code == 0
    assert target.read_text().startswith(r"\documentclass")
    done = run("planar2", "--latex", str(target))
    assert done.exit_code == 2
    assert f"will not replace {target}: it exists." in done.stderr
    assert run("planar2", "--latex", str(target), "--force").exit_code == 0


def test_code_that_tests_itself(tmp_path: Path) -> None:
    module, folder = tmp_path / "arm.py", tmp_path / "c"
    assert run("planar2", "--python", str(module), "--c", str(folder)).exit_code == 0
    assert subprocess.run([sys.executable, str(module)], capture_output=True).returncode == 0
    assert (folder / "Makefile").exists()


def test_c_is_written_beside_a_file_that_is_named(tmp_path: Path) -> None:
    asked = ["planar2", "--c", str(tmp_path / "arm-1.c")]
    assert run(*asked).exit_code == 0
    assert {path.name for path in tmp_path.iterdir()} == {"arm-1.c", "arm-1.h", "test_arm-1.c"}
    build = ["cc", "-std=c99", "-o", "test_arm-1", "test_arm-1.c", "arm-1.c", "-lm"]
    assert f"Build: {' '.join(build)}" in (tmp_path / "test_arm-1.c").read_text()
    assert subprocess.run(build, cwd=tmp_path).returncode == 0
    assert subprocess.run(["./test_arm-1"], cwd=tmp_path, capture_output=True).returncode == 0
    assert f"will not replace {tmp_path / 'arm-1.h'}: it exists." in run(*asked).stderr


def test_a_shortened_model_states_its_bound() -> None:
    done = run("planar2", "--within", "1%", "--numbers")
    assert done.exit_code == 0
    assert "The bound is proven" in done.stdout
    assert "τ1 = " in done.stdout
    data = json.loads(run("planar2", "--within", "0.01", "--json").stdout)
    assert data["proven"] is True
    assert [row["joint"] for row in data["joints"]] == ["joint1", "joint2"]


def test_ranges_of_motion_are_given_and_told() -> None:
    asked = [
        "planar2",
        "--within",
        "5%",
        "--q-range",
        "0:pi,-1:1",
        "--qd-range",
        "2",
        "--qdd-range",
        "3",
        "-4",
    ]
    shown = run(*asked).stdout
    assert "planar2 within 0.05 of the largest torques: " in shown
    assert "  Ranges: q: given; qd: given; qdd: given.\n" in shown
    assert (
        "  joint2                        -1 … 1 rad            -2 … 2 rad/s           -4 … 4 rad/s²\n"
        in shown
    )
    data = json.loads(run(*asked, "--json").stdout)
    assert data["within"] == 0.05
    assert data["ranges"] == {"q": "given", "qd": "given", "qdd": "given"}
    assert data["joints"][0]["q"] == [0.0, math.pi]
    assert data["joints"][1]["qdd"] == [-4.0, 4.0]
    assert all(0.0 <= row["bound"] <= 0.05 for row in data["joints"])


def test_slower_motions_leave_more_terms_out() -> None:
    def terms(*more: str) -> str:
        return (
            run("planar2", "--within", "5%", "--numbers", *more)
            .stdout.partition("keep ")[2]
            .partition(" of")[0]
        )

    assert int(terms("--qd-range", "0.1")) < int(terms("--qd-range", "6"))


def test_the_ranges_and_errors_of_a_motion(tmp_path: Path) -> None:
    log, document = tmp_path / "log.csv", tmp_path / "short.tex"
    log.write_text("q1,q2,qd1,qd2,qdd1,qdd2\n0,0,1,0,2,0\n0.5,-1,0.5,-2,0,3\n")
    done = run("planar2", "--within", "10%", "--trajectory", str(log))
    assert (
        "  Ranges: q: those of the motion; qd: those of the motion; qdd: those of the motion.\n"
        in done.stdout
    )
    assert "the motion: largest" in done.stdout
    wider = json.loads(
        run("planar2", "--within", "10%", "--trajectory", str(log), "--qd-range", "5", "--json").stdout
    )
    assert wider["ranges"]["qd"] == "given"
    assert wider["joints"][0]["q"] == [0.0, 0.5]
    assert (
        run("planar2", "--within", "10%", "--trajectory", str(log), "--latex", str(document)).exit_code == 0
    )
    source = document.read_text()
    assert (
        "joint2: q from -1 to 0 rad; qd from -2 to 0 rad/s; qdd from 0 to 3 rad/s$^2$; largest torque"
        in source
    )
    assert "The bound is proven" in source


@pytest.mark.slow
def test_shortened_torques_are_exported_with_their_tests(tmp_path: Path) -> None:
    module, folder = tmp_path / "short.py", tmp_path / "short"
    assert run("stanford", "--within", "5%", "--python", str(module), "--c", str(folder)).exit_code == 0
    assert subprocess.run([sys.executable, str(module)], capture_output=True).returncode == 0
    assert {path.name for path in folder.iterdir()} >= {"Makefile", "strobe_stanford_short_equations.c"}


def test_nothing_is_written_where_one_file_exists(tmp_path: Path) -> None:
    module, folder = tmp_path / "arm.py", tmp_path / "c"
    folder.mkdir()
    (folder / "Makefile").write_text("all:\n")
    done = run("planar2", "--python", str(module), "--c", str(folder))
    assert done.exit_code == 2
    assert f"will not replace {folder / 'Makefile'}: it exists." in done.stderr
    assert [path.name for path in folder.iterdir()] == ["Makefile"]
    assert not module.exists()
    missing = tmp_path / "missing" / "arm.py"
    assert run("planar2", "--python", str(missing), "--c", str(tmp_path / "new")).exit_code == 2
    assert not (tmp_path / "new").exists()


@pytest.mark.slow
def test_code_of_a_larger_arm_takes_parameters_on_request(tmp_path: Path) -> None:
    module = tmp_path / "panda.py"
    assert run("panda", "--named", "--python", str(module)).exit_code == 0
    assert "def dynamics(q, qd, p=DEFAULTS):" in module.read_text()
    assert subprocess.run([sys.executable, str(module)], capture_output=True).returncode == 0


def test_a_coupling_by_half_an_angle_is_written_with_named_intermediate_results(tmp_path: Path) -> None:
    file = tmp_path / "half.urdf"
    file.write_text(HALF)
    done = run(str(file), "--only", "M")
    assert done.exit_code == 0
    assert (
        'note: half: joint "two" turns with "one", but not by an integer multiple of an angle, and its sine is then '
        "no trigonometric polynomial; these are its equations over named intermediate results.\n"
    ) in done.stderr
    assert "c2 = cos t1" in done.stdout
    refused = run(str(file), "--full")
    assert refused.exit_code == 2
    assert "its sine is then no trigonometric polynomial." in refused.stderr


def test_json_has_every_digit_of_numbers() -> None:
    asked = ["random(3,1)", "--only", "M", "--numbers"]
    entries = [
        entry
        for section in json.loads(run(*asked, "--json").stdout)["sections"]
        for entry in section["entries"]
    ]
    digits = {word for entry in entries for word in entry["text"].split() if word.startswith("0.")}
    assert max(map(len, digits)) > 12
    assert not any(word in run(*asked).stdout for word in digits if len(word) > 12)


def test_a_derivation_is_printed_step_by_step_and_ends_in_a_verdict() -> None:
    shown = run("planar2", "--derive", "newton-euler", "--textbook").stdout
    assert "1. The links cut free\n" in shown
    assert "    τ1 = H11 θ̈1 + H12 θ̈2 − h θ̇2² − 2 h θ̇1 θ̇2 + G1\n" in shown
    assert "  The torques derived here and the closed form of M, C and G have the same terms" in shown


def test_a_derivation_as_json_and_as_latex(tmp_path: Path) -> None:
    data = json.loads(run("planar2", "--derive", "lagrange", "--json").stdout)
    assert data["agrees"] is True
    assert data["steps"][0]["equations"][0]["names"] == ["rc1"]
    target = tmp_path / "derivation.tex"
    assert run("planar2", "--derive", "decomposition", "--latex", str(target)).exit_code == 0
    assert r"\section*{2. Angular Jacobians}" in target.read_text()


def test_a_derivation_that_fails_ends_with_exit_code_1(monkeypatch) -> None:
    from strobe.equations import derivation

    monkeypatch.setattr(derivation.Lagrange, "torques", lambda self: self.moving.equations.gravity)
    done = run("planar2", "--derive", "lagrange")
    assert done.exit_code == 1
    assert "differ from the closed form" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["planar2", "--only", "M,D"], 'no section "D" in the equations.'),
        (
            ["planar2", "--form", "lagrange"],
            'form is "lagrange"; expected one of christoffel, decomposition.',
        ),
        (["planar2", "--frame", "hand"], 'no frame "hand" in planar2'),
        (["planar2", "--within", "lots"], '--within: "lots" is not a number'),
        (
            ["planar2", "--within", "1%", "--q-range", "1 2 3"],
            "--q-range has 3 ranges, expected 1 or 2. The order of planar2: joint1, joint2.",
        ),
        (["planar2", "--within", "1%", "--q-range", "0:far"], '--q-range: "far" is not a number'),
        (
            ["planar2", "--within", "1%", "--qd-range", "2:1"],
            "the range of qd1 is 2 to 1, which is empty; give the lower end first.",
        ),
        (
            ["planar2", "--within", "1%", "--trajectory", "no.csv"],
            "no.csv: cannot be read: No such file or directory.",
        ),
        (
            ["biped10", "--full"],
            "terms, fully expanded; at most 100,000 are worked out. Leave out --full: named intermediate results "
            "keep them short.",
        ),
        (["random(4,1)", "--full", "--python", "a.py"], "would have more terms than can be predicted"),
        (["planar2", "--derive", "gauss"], 'no derivation "gauss" in the equations.'),
        (["panda", "--derive", "lagrange"], "the lagrange derivation of panda would have about"),
        (["rx90"], "rx90 has no dynamics: only its geometry is known"),
        (["planar2", "--latex", "no/such/folder/arm.tex"], "does not exist. Make it first."),
    ],
)
def test_a_mistake_is_one_sentence_and_exit_code_2(arguments: list[str], sentence: str) -> None:
    done = run(*arguments)
    assert done.exit_code == 2
    assert sentence in done.stderr


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            ["planar2", "--latex", "a.tex", "--json"],
            "--json and --latex cannot be asked for at once; leave one out.",
        ),
        (
            ["planar2", "--named", "--python", "a.py", "--within", "1%"],
            "--named and --within cannot be asked for at once",
        ),
        (["planar2", "--named", "--numbers"], "--named and --numbers cannot be asked for at once"),
        (
            ["planar2", "--named"],
            "--named is for code; say where to write it: --python FILE.py or --c FOLDER.",
        ),
        (["planar2", "--short", "--c", "a"], "--c and --short cannot be asked for at once; leave one out."),
        (
            ["planar2", "--frame", "tool", "--only", "M"],
            "--frame is about fk and jacobian, which --only leaves",
        ),
        (
            ["planar2", "--form", "decomposition", "--only", "M"],
            "--form is about C and tau, which --only leaves out.",
        ),
        (
            ["planar2", "--only", ","],
            '--only is ","; expected some of T, V, M, C, G, tau, friction, fk, jacobian',
        ),
        (
            ["planar2", "--qd-range", "1"],
            "--qd-range is for shortened equations; say how short: --within 1%.",
        ),
        (
            ["planar2", "--trajectory", "log.csv"],
            "--trajectory is for shortened equations; say how short: --within 1%.",
        ),
        (
            ["planar2", "--derive", "lagrange", "--only", "M"],
            "--derive and --only cannot be asked for at once",
        ),
        (["planar2", "--within", "1%", "--full"], "--within and --full cannot be asked for at once"),
        (
            ["planar2", "--form", "nonsense"],
            '--form is "nonsense"; expected one of christoffel, decomposition.',
        ),
        (["panda", "--frame", "nonsense"], 'no frame "nonsense" in panda.'),
    ],
)
def test_what_would_be_left_unheard_is_refused(arguments: list[str], sentence: str) -> None:
    done = run(*arguments)
    assert done.exit_code == 2
    assert sentence in done.stderr


def test_the_bound_beside_shortened_torques_is_theirs() -> None:
    done = run("planar2", "--within", "10%", "--numbers")
    assert "The torques above keep 10 of 13 terms; their error is at most 8.601% (proven)." in done.stdout
    assert "As a program, with other terms left out:" in done.stdout


def test_friction_of_each_direction_is_written() -> None:
    done = run("puma560", "--full", "--only", "friction")
    assert "F1 = v1 q̇1 + fp1 satp(1000 q̇1) + fn1 satn(1000 q̇1)" in done.stdout
