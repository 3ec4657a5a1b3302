"""``strobe coordinates``: the map, a state in both coordinates, laws, equations, and every mistake."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import strobe
from tests.cli.verb import Verb

run = Verb("coordinates")
told = run.told


def test_absolute_angles_of_a_planar_arm_are_sums() -> None:
    data = told("planar2", "--q", "0.3,0.4", "--qd", "1,2", "--qdd", "0.5,-0.7")
    assert data["map"] == [[1, 0], [-1, 1]]
    assert data["state"]["phi"] == pytest.approx([0.3, 0.7])
    tau = strobe.load("planar2").inverse_dynamics([0.3, 0.4], [1, 2], [0.5, -0.7])
    assert data["state"]["Q"] == pytest.approx([tau[0] - tau[1], tau[1]])
    assert all(law["holds"] for law in data["laws"])
    assert len(data["laws"]) == 6


def test_the_equations_have_no_product_of_rates_left() -> None:
    shown = run("planar2").stdout
    assert "joint2 = −phi1 + phi2" in shown
    assert "C12 = h φ̇2" in shown
    assert "C11 = C22 = 0" in shown
    assert shown.count("rad, rad/s, rad/s², N m") == 4  # of two joints and of two coordinates
    assert "M in these coordinates, at this state in kg m²" in shown


def test_a_coordinate_has_the_unit_of_the_joints_that_it_moves() -> None:
    identity = "; ".join(" ".join("1" if i == k else "0" for k in range(3)) for i in range(3))
    shown = run("spherical3", "--map", identity, "--names", "a,b,c").stdout.splitlines()
    units = {line.split()[0]: line for line in shown if "/s²" in line}
    assert units["a"].endswith("rad, rad/s, rad/s², N m")
    assert units["c"].rstrip().endswith(" m, m/s, m/s², N")
    mixed = run("spherical3", "--map", "1 0 0; 0 1 0; 0 1 1", "--names", "a,b,c").stdout.splitlines()
    assert not any(line.startswith("b ") and "/s²" in line for line in mixed)  # it turns and slides


def test_a_matrix_comes_from_the_command_line_or_a_file(tmp_path: Path) -> None:
    path = tmp_path / "gears.json"
    path.write_text('{"map": [[1, 0], [-1, 2]]}')
    typed = told("planar2", "--map", "1 0; -1 2", "--offset", "0.1", "-0.2", "--q", "0.3,0.4")
    filed = told("planar2", "--map", str(path), "--offset", "0.1,-0.2", "--q", "0.3,0.4")
    assert typed == filed
    phi = np.linalg.solve([[1, 0], [-1, 2]], [0.3 - 0.1, 0.4 + 0.2])
    assert typed["state"]["phi"] == pytest.approx(phi.tolist())


def test_names_are_those_given_and_sections_those_asked_for() -> None:
    shown = run("planar2", "--names", "a,b", "--only", "G").stdout
    assert "joint2 = −a + b" in shown
    assert "G2 = m2 g lc2 cos b" in shown
    assert "Coriolis" not in shown


def test_equations_of_larger_arms_are_left_out_unless_asked_for() -> None:
    data = told("ur5", "--q", "0,-1,1,0,0,0")
    assert data["equations"] == []
    assert data["map"][3][2] == -1


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["planar2", "--map", "1 0"], "--map has 1 rows, expected 2"),
        (["planar2", "--map", "1 0 0; 0 1"], "--map has 3 numbers, expected 2"),
        (["planar2", "--map", "1 0; 1 0"], "not invertible"),
        (["planar2", "--offset", "1,2"], "--offset goes with --map"),
        (["planar2", "--names", "a"], "expected 2 different names"),
        (["planar2", "--only", "X"], "is none of M, C, G, tau"),
        (["panda"], "no joint whose axis is parallel"),
    ],
)
def test_a_mistake_is_a_sentence(arguments: list[str], sentence: str) -> None:
    done = run(*arguments)
    assert done.exit_code == 2
    assert sentence in done.stderr
