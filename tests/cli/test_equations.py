"""``strobe equations``: text, LaTeX, code, JSON, grades, and every mistake."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from strobe.cli import app


def run(*arguments: str) -> Result:
    done = CliRunner().invoke(app, ["equations", *arguments])
    assert "Traceback" not in done.output
    return done


def test_a_small_arm_is_written_out() -> None:
    done = run("planar2")
    assert done.exit_code == 0
    assert "  M11 = m1 lc1² + I1 + m2 (l1² + lc2² + 2 l1 lc2 cos q2) + I2\n" in done.stdout
    titles = [line for line in done.stdout.splitlines() if line and not line.startswith(" ")]
    assert titles[:5] == [
        "Parameters",
        "Kinetic energy",
        "Potential energy",
        "Mass matrix",
        "Abbreviations",
    ]
    assert titles[-1] == "Structure"


def test_letters_and_short_waves_of_textbooks() -> None:
    shown = run("planar2", "--only", "M,tau", "--textbook", "--short").stdout
    assert "  H12 = m2 (lc2² + l1 lc2 c2) + I2\n" in shown
    assert "  τ2 = H12 θ̈1 + H22 θ̈2 + h θ̇1² + G2\n" in shown


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
    assert data["sections"][1]["conditions"][0]["zero"] == ["m2 lc2", "m1 lc1 + m2 l1"]
    assert data["parameters"][0] == {
        "name": "m1", "value": 2.0, "role": "mass", "unit": "kg", "meaning": 'mass, link "link1"'
    }  # fmt: skip


def test_a_large_arm_comes_with_named_intermediate_results() -> None:
    done = run("stanford", "--only", "M")
    assert done.exit_code == 0
    assert (
        "note: the mass matrix of stanford has about 904 terms; these are its M, C and G over"
        in done.stderr
    )
    assert "Mass matrix" in done.stdout
    assert "Coriolis matrix" not in done.stdout
    assert "V = g (m1 (d1 − c1y)" in run("stanford", "--only", "V").stdout  # short by itself


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


def test_a_shortened_model_states_its_bound() -> None:
    done = run("planar2", "--within", "1%", "--numbers")
    assert done.exit_code == 0
    assert "The bound is proven" in done.stdout
    assert "τ1 = " in done.stdout
    data = json.loads(run("planar2", "--within", "0.01", "--json").stdout)
    assert data["proven"] is True
    assert [row["joint"] for row in data["joints"]] == ["joint1", "joint2"]


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
            ["planar2", "--python", "a.py", "--within", "1%"],
            "--python and --within cannot be asked for at once",
        ),
        (
            ["planar2", "--derive", "lagrange", "--only", "M"],
            "--derive and --only cannot be asked for at once",
        ),
        (["planar2", "--within", "1%", "--full"], "--within and --full cannot be asked for at once"),
        (
            ["panda", "--form", "decomposition"],
            "but not --form decomposition. Ask for M, C, G, or for --full.",
        ),
        (["panda", "--only", "T,M"], "but not --only T. Ask for M, C, G, or for --full."),
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
