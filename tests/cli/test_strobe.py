"""``strobe strobe``: what each call shows."""

from __future__ import annotations

import json

import numpy as np

import strobe
from tests.cli.verb import Verb

run = Verb("strobe")


def test_every_call_is_a_row_with_what_it_was_given() -> None:
    done = run("planar2", "--q", "0.3", "0.8")
    assert done.exit_code == 0, done.output
    assert "planar2: 6 calls of inverse dynamics" in done.stdout
    rows = [" ".join(line.split()) for line in done.stdout.splitlines()]
    assert "M e_1 qdd1 = 1 rad/s² 0.505957 0.108454" in rows
    assert "2 C_2,1 + C_2,2 + C_1,1 qd1 = 1 rad/s, qd2 = 1 rad/s -0.193686 0.064562" in rows
    assert "C^2_11 0.064562 kg m²" in rows


def test_every_number_has_its_unit() -> None:
    rows = [" ".join(line.split()) for line in run("stanford").stdout.splitlines()]
    headings = "joint1 (N m) joint2 (N m) joint3 (N) joint4 (N m) joint5 (N m) joint6 (N m)"
    assert rows.count(f"shows given {headings}") == 3
    assert "M e_3 qdd3 = 1 m/s² 0 -0.029826 6.47 0 0 0" in rows
    assert "C^1_32 -0.99638 kg m" in rows  # a torque, over a rate that slides and one that turns
    assert "C^3_22 -2.42401 kg m" in rows  # a force, over two rates that turn
    assert json.loads(run("stanford", "--json").stdout)["units"] == ["N m", "N m", "N", "N m", "N m", "N m"]


def test_the_data_are_those_of_the_robot() -> None:
    data = json.loads(run("stanford", "--formulation", "waters", "--json").stdout)
    robot = strobe.load("stanford")
    assert np.allclose(data["M"], robot.mass_matrix(data["q"]), atol=1e-12)
    assert data["calls"] == {"g": 1, "M": 6, "C": 21}
    assert len(data["flashes"]) == 28


def test_bad_input_is_a_sentence() -> None:
    done = run("planar2", "--q", "0.3")
    assert done.exit_code == 2
    assert "--q has 1 number, expected 2" in done.stderr
