"""The true rounding error, and laws that exact arithmetic decides."""

import numpy as np
import pytest

import strobe
from strobe.analysis import accuracy, laws
from strobe.analysis.equivalence import vanishes
from strobe.errors import UnsupportedModelError
from strobe.formulations import FORMULATIONS, PRINTED
from strobe.scalars import FieldSystem

REFERENCE = FORMULATIONS["spatial-newton-euler"]


def test_every_formulation_of_the_stanford_arm_is_right_to_rounding():
    found = accuracy.measure(FORMULATIONS, REFERENCE, strobe.load("stanford"), states=12)
    assert all(0 < a.error < 1e-13 for a in found.values())
    assert all(a.cancellation.error >= a.error for a in found.values())


def test_fifty_digits_are_the_same_by_any_formulation():
    robot = strobe.random(4, 2)
    batch = accuracy.sample(robot, 2, 0)
    exact = [
        accuracy.precise_torques(FORMULATIONS[n], robot.model, batch) for n in ("waters", "newton-euler")
    ]
    assert np.abs((exact[0] - exact[1]) / exact[0]).max() < 1e-45


def test_the_place_of_the_worst_error_is_named():
    robot = strobe.load("planar2")
    exact = np.array([[1.0, 2.0], [4.0, 1e-6]], dtype=object)
    values = np.array([[1.0, 2.0], [4.0 + 4e-12, 1e-6 + 1e-15]])
    found = accuracy.judge(robot.model, values, exact)
    assert (found.joint, found.state) == ("joint1", 1)
    assert found.error == pytest.approx(1e-12, rel=1e-3)
    assert (found.cancellation.joint, found.cancellation.state) == ("joint2", 1)
    assert found.cancellation.error == pytest.approx(1e-9, rel=1e-3)
    assert found.passed


def test_a_misprint_is_not_rounding():
    found = accuracy.measure({PRINTED.name: PRINTED}, REFERENCE, strobe.load("planar2"), states=3)
    assert not found[PRINTED.name].passed


def test_states_of_coupled_joints_follow_the_coupling():
    robot = strobe.load("parallelogram")
    q, _, _ = accuracy.sample(robot, 5, 0)
    assert q.shape == (5, robot.model.nv)
    names = robot.model.joint_names
    a1, a2, b1 = (q[:, names.index(name)] for name in ("a1", "a2", "b1"))
    assert np.allclose(a2, b1 - a1)


@pytest.mark.parametrize("kinds", ["R", "P", "RP", "RPSF"])
@pytest.mark.parametrize("tree", [False, True])
def test_every_law_holds_exactly_on_chains_and_trees(kinds, tree):
    robot = strobe.random(2 if "S" in kinds else 3, 6, kinds=kinds, tree=tree)
    found = laws.measure(robot)
    assert [law.law for law in found if law.holds is False] == []
    exact = [law for law in found if law.degree is not None]
    assert len(exact) >= 6
    assert all(law.primes[0] > 2**60 for law in exact)


def test_a_law_that_does_not_hold_is_found_out(monkeypatch):
    def upwards(scene):
        """water runs uphill"""
        yield scene.M[0][0]

    monkeypatch.setattr(laws, "EXACT", (laws.symmetric, upwards))
    verdicts = list(laws.exact(strobe.load("planar2").model))
    assert [(v.law, v.holds) for v in verdicts] == [("M = Mᵀ", True), ("water runs uphill", False)]


@pytest.mark.parametrize(
    ("law", "old", "new"),
    [
        (laws.symmetric, "M", lambda s: [[x * (1.0 + i) for x in row] for i, row in enumerate(s.M)]),
        (laws.quadratic, "C", lambda s: [[[x * 2.0 for x in c] for c in row] for row in s.C]),
        (laws.christoffel, "dM", lambda s: s.dM[::-1]),
        (laws.chain, "dM", lambda s: s.dM[::-1]),
        (laws.power, "qd", lambda s: s.qdd),
    ],
)
def test_a_law_sees_a_wrong_matrix(law, old, new):
    system = FieldSystem(1)
    scene = laws.Scene(strobe.random(3, 1, kinds="R").model, system)
    assert vanishes(system, [*law(scene)])
    wrong = new(scene)
    if law is laws.power:  # rates that are not those of the motion
        scene.qd, scene.moving = wrong, lambda rates, right=scene.moving, qd=scene.qd: right(qd)
    else:
        scene.__dict__[old] = wrong
    assert not vanishes(system, [*law(scene)])


def test_laws_that_need_a_chain_or_coordinates_say_so_elsewhere():
    verdicts = {v.law: v for v in laws.measure(strobe.random(1, 1, kinds="S"))}
    undefined = [v.why for v in verdicts.values() if v.holds is None]
    assert len(undefined) == 2
    assert any("single chain" in why for why in undefined)


def test_a_robot_without_masses_has_no_laws():
    with pytest.raises(UnsupportedModelError, match="rx90 has no dynamics"):
        laws.measure(strobe.load("rx90"))
