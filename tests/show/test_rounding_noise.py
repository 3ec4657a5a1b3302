"""What is rounding, and who asks: tables, explanations and pages show 0 for it."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import strobe
from strobe.equations.meaning import explain
from strobe.show.rounding_noise import NOISE, noise, quiet


def test_noise_is_measured_by_the_largest_of_a_kind() -> None:
    assert noise([3.0, -40.0], [[7.0]]) == 40 * NOISE
    assert noise([np.nan, np.inf, 2.0]) == 2 * NOISE
    assert noise([]) == noise() == 0.0


def test_small_numbers_are_kept_where_nothing_is_large() -> None:
    assert quiet([1e-20, -3e-22]).tolist() == [1e-20, -3e-22]
    assert quiet([1e-20, -3e-22], [1.0]).tolist() == [0.0, 0.0]
    assert quiet([1.0, -8.88e-16, np.nan]).tolist()[:2] == [1.0, 0.0]


def test_a_sum_of_hundreds_of_products_is_off_by_less_than_noise() -> None:
    a, b = np.random.default_rng(1).standard_normal((2, 20, 300))
    rounded = np.cumsum(a * b, axis=1)[:, -1]  # one after another, as a formulation adds them
    exact = [
        float(sum(Fraction(x) * Fraction(y) for x, y in zip(*rows, strict=True)))
        for rows in zip(a.tolist(), b.tolist(), strict=True)
    ]
    assert 0 < np.abs(rounded - exact).max() <= noise(rounded)


TILTED = """<robot name="tilted"><link name="base"/>{links}</robot>"""
LINK = """<link name="link{k}"><inertial><origin xyz="0.1 0.02 0.3"/><mass value="{m}"/>
  <inertia ixx="0.02" iyy="0.02" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="joint{k}" type="continuous"><parent link="{on}"/><child link="link{k}"/>
  <origin xyz="0 0 0.4" rpy="{rpy}"/><axis xyz="0 0 1"/></joint>"""


@pytest.fixture(scope="module")
def tilted(tmp_path_factory: pytest.TempPathFactory) -> strobe.Robot:
    """An arm whose frames are turned forth and back, so that its first axis is upright up to rounding."""
    turns = ["0.3 0.2 0", "-0.3 0 0.1", "0 1.1 0.4", "0.2 0 0"]
    names = ["base", *(f"link{k}" for k in range(4))]
    links = "".join(LINK.format(k=k, m=3 - 0.5 * k, on=names[k], rpy=turns[k]) for k in range(4))
    file = tmp_path_factory.mktemp("tilted") / "tilted.urdf"
    file.write_text(TILTED.format(links=links), encoding="utf-8")
    robot = strobe.load(file)
    axis = robot.forward_kinematics(robot.neutral, "link0")[:3, 2]
    return strobe.load(file, gravity=(-9.81 * axis).tolist())


def test_a_joint_that_carries_no_weight_is_not_said_to_carry_rounding(tilted: strobe.Robot) -> None:
    still = np.zeros(4)
    found = explain(tilted, [0.3, -0.7, 0.4, 0.2], still, still)
    assert 0 < abs(found.tau[0]) < 1e-13  # what rounding leaves
    assert found.torques[0] == 0.0
    assert not np.any(found.shares[0])
    assert re.search(r"^ *joint0 +0 +0$", str(found), re.M)


def test_nobody_else_decides_what_rounding_is() -> None:
    sources = Path(strobe.__file__).parent
    own = re.compile(r"^_?NOISE\w* *= *1e-", re.M)
    found = {
        str(file.relative_to(sources))
        for room in ("show", "study", "equations", "cli")
        for file in (sources / room).rglob("*.py")
        if own.search(file.read_text(encoding="utf-8"))
    }
    assert found == {
        "show/rounding_noise.py",
        "equations/shortened.py",
    }  # the latter: a joint without torque
