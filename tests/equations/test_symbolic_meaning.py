"""Closed forms of the terms: their values are those of the numeric rows, at every state."""

from __future__ import annotations

import numpy as np
import pytest

import strobe
from strobe.equations import meaning
from strobe.equations.closed_form import equations_of
from strobe.equations.expression import value
from strobe.equations.symbolic_meaning import symbolic
from strobe.equations.text import text
from strobe.errors import EquationSizeError


def rows_by_place(name: str, **options) -> dict[tuple[str, str], str]:
    rows = symbolic(strobe.load(name), **options)
    return {(row.joint, row.formula): text(row.value) for row in rows}


def test_the_textbook_arm() -> None:
    assert rows_by_place("planar2", friction=False) == {
        ("joint1", "M11 qdd1"): "(m1 lc1² + I1 + m2 (l1² + lc2² + 2 l1 lc2 cos q2) + I2) q̈1",
        ("joint1", "M12 qdd2"): "(m2 (lc2² + l1 lc2 cos q2) + I2) q̈2",
        ("joint1", "c122 qd2²"): "−m2 l1 lc2 sin q2 · q̇2²",
        ("joint1", "2 c112 qd1 qd2"): "−2 m2 l1 lc2 sin q2 · q̇1 q̇2",
        ("joint1", "g1"): "m1 g lc1 cos q1 + m2 g (l1 cos q1 + lc2 cos(q1 + q2))",
        ("joint2", "M22 qdd2"): "(m2 lc2² + I2 + Ir2) q̈2",
        ("joint2", "M21 qdd1"): "(m2 (lc2² + l1 lc2 cos q2) + I2) q̈1",
        ("joint2", "c211 qd1²"): "m2 l1 lc2 sin q2 · q̇1²",
        ("joint2", "g2"): "m2 g lc2 cos(q1 + q2)",
    }


@pytest.mark.parametrize("name", ["planar2", "planar3", "spherical3", "pendulum3", "parallelogram"])
def test_every_row_has_the_value_of_the_numeric_row(name: str) -> None:
    robot = strobe.Robot(strobe.load(name).model, compiled=False)
    q, qd, qdd = robot.random_state(seed=2)
    found = meaning.explain(robot, q, qd, qdd)
    state = {
        f"{letter}{k + 1}": x
        for letter, values in (("q", q), ("qd", qd), ("qdd", qdd))
        for k, x in enumerate(values)
    }
    names = {**equations_of(robot).parameters, **state}
    written = {(row.joint, row.formula): row for row in symbolic(robot)}
    scale = np.abs(found.values).max()
    for joint in found.joints:
        for row in found.rows(joint):
            mine = written.pop((joint, row.formula), None)
            closed = 0.0 if mine is None else value(mine.value, names.__getitem__)
            assert float(row.value) == pytest.approx(closed, abs=1e-12 * scale)
            if mine is not None:
                assert (mine.kind, mine.by, mine.meaning) == (row.kind, row.by, row.meaning)
    assert not written


def test_friction_stands_last_with_its_own_letters() -> None:
    last = symbolic(strobe.load("planar2"))[-1]
    assert (last.joint, last.kind) == ("joint2", "friction")
    assert text(last.value) == "v2 q̇2 + f2 sat(1000 q̇2)"


def test_a_large_robot_is_told_to_be_explained_at_a_state() -> None:
    with pytest.raises(
        EquationSizeError, match="at most 400 are worked out. Explain a state instead: the val"
    ):
        symbolic(strobe.load("panda"))
