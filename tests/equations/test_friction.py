"""Friction written out at the independent coordinates."""

from dataclasses import replace

import numpy as np
import pytest

import strobe
from strobe.equations.closed_form import equations_of
from strobe.equations.document import document
from strobe.equations.expression import value
from strobe.equations.text import text_lines
from strobe.models.joints import Friction
from strobe.models.model import Coupling
from strobe.models.toml_reader import read_toml
from strobe.robot import Robot

GEARED = """
format = 1
[joints]
[[joints.link]]
name = "upper"
joint_name = "joint1"
parent = "base"
joint = "revolute"
axis = [0, 0, 1]
mass = 2
com = [0.3, 0, 0]
friction = {{ viscous = 0.5, coulomb = {first} }}
[[joints.link]]
name = "lower"
joint_name = "joint2"
parent = "upper"
joint = "revolute"
axis = [0, 0, 1]
before = {{ xyz = [0.5, 0, 0] }}
mass = 1
com = [0.2, 0, 0]
friction = {{ viscous = 0.2, coulomb = {second} }}
[[couplings]]
joint = "joint2"
terms = {{ joint1 = -2.0 }}
"""


def geared(first="0.4", second="[0.3, -0.1]"):
    return read_toml("geared.toml", text=GEARED.format(first=first, second=second))


def friction_lines(equations):
    made = replace(document(equations, only=("friction",)), parameters=())
    return [line.strip() for line in text_lines(made) if line.startswith("  ")]


def test_a_joint_that_follows_adds_its_friction_where_it_is_felt():
    assert friction_lines(equations_of(geared()))[0] == (
        "F1 = (v1 + 4 v2) q̇1 + f1 sat(1000 q̇1) + 2 fp2 satn(2000 q̇1) + 2 fn2 satp(2000 q̇1)"
    )


def test_in_other_coordinates_friction_acts_between_them():
    absolute = strobe.load("planar2").in_coordinates("absolute").equations()
    assert friction_lines(absolute) == [
        "F1 = v2 (φ̇1 − φ̇2) + f2 sat(1000 (φ̇1 − φ̇2))",
        "F2 = −v2 (φ̇1 − φ̇2) − f2 sat(1000 (φ̇1 − φ̇2))",
        "sat(x) is x between −1 and 1, and ±1 beyond.",
    ]


def with_friction(name):
    """A built-in whose joints all rub, each in its own way."""
    model = strobe.load(name).model
    bodies = [
        replace(b, joint=replace(b.joint, friction=Friction(0.1 * k, (0.2 * k, -0.3 * k))))
        for k, b in enumerate(model.bodies, start=1)
    ]
    return replace(model, bodies=tuple(bodies))


def cases():
    follows = with_friction("planar3")
    names = [body.joint.name for body in follows.bodies]
    yield "planar3", Robot(follows, compiled=False), None
    yield "parallelogram", Robot(with_friction("parallelogram"), compiled=False), None
    coupling = Coupling(names[2], {names[0]: 2.0, names[1]: -1.0}, 0.3)
    yield "coupled", Robot(replace(follows, couplings=(coupling,)), compiled=False), None
    yield "absolute", Robot(follows, compiled=False), "absolute"
    yield "geared", Robot(geared(), compiled=False), None


@pytest.mark.parametrize("case", list(cases()), ids=lambda case: case[0])
def test_the_friction_written_is_the_friction_of_the_robot(case):
    _, robot, map = case
    arm = robot if map is None else robot.in_coordinates(map)
    equations = arm.equations()
    rng, still = np.random.default_rng(3), np.zeros(arm.n)
    entries = {
        e.names[0]: e.value for s in document(equations, only=("friction",)).sections for e in s.entries
    }
    for speed in (1.0, 1e-4):  # beyond the ramp, and on it
        q, qd = rng.normal(size=arm.n), speed * rng.normal(size=arm.n)
        expected = arm.inverse_dynamics(q, qd, still) - arm.inverse_dynamics(q, qd, still, friction=False)
        known = {f"qd{k + 1}": float(x) for k, x in enumerate(qd)} | dict(equations.parameters)
        found = [value(entries[f"F{k + 1}"], known.__getitem__) for k in range(arm.n)]
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-13)


def test_what_does_not_rub_has_no_line():
    assert friction_lines(equations_of(strobe.load("spherical3"))) == []
    assert [line[:2] for line in friction_lines(equations_of(geared("0.0", "0.0")))] == ["F1"]
