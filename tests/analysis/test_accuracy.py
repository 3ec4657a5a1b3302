"""The true rounding error, and laws that exact arithmetic decides."""

from dataclasses import replace

import numpy as np
import pytest

import strobe
from strobe.algebra import Sym3, Vec3
from strobe.analysis import accuracy, laws
from strobe.analysis.equivalence import vanishes
from strobe.errors import UnsupportedModelError
from strobe.formulations import FORMULATIONS, PRINTED
from strobe.models.inertial import Inertial
from strobe.models.toml_reader import read_toml
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
    values = np.array([[1.0, 2.0], [4.0 + 2e-12, 1e-6 + 1e-15]])
    found = accuracy.judge(robot.model, values, exact)
    assert (found.joint, found.state) == ("joint1", 1)
    assert found.error == pytest.approx(5e-13, rel=1e-3)
    assert (found.cancellation.joint, found.cancellation.state) == ("joint2", 1)
    assert found.cancellation.error == pytest.approx(1e-9, rel=1e-3)
    assert found.passed
    assert not accuracy.judge(robot.model, values + np.array([[0.0, 0.0], [4e-12, 0.0]]), exact).passed


def test_a_state_where_all_torques_vanish_is_measured_against_a_hundredth_of_the_largest():
    exact = np.array([[1.0, 2.0], [1e-9, 0.0]], dtype=object)
    found = accuracy.judge(strobe.load("planar2").model, np.array([[1.0, 2.0], [1e-9 + 1e-16, 0.0]]), exact)
    assert found.error == pytest.approx(1e-16 / 0.02, rel=1e-3)


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


@pytest.mark.slow
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


def test_laws_are_put_to_as_many_trials_as_asked_for():
    exact = [law for law in laws.measure(strobe.random(2, 1), 3, 5) if law.degree is not None]
    assert {len(set(law.primes)) for law in exact} == {3}


# -- a positive mass matrix ---------------------------------------------------------------------------

HEAD = 'format = 1\nname = "rod"\n[dh]\nconvention = "standard"\n'
LINK = '[[dh.link]]\njoint = "revolute"\na = 0.5\n'
HEAVY = "mass = 1.0\ncom = [-0.2, 0, 0]\ninertia = [0.01, 0.02, 0.02, 0, 0, 0]\n"


def positive(text):
    model = read_toml("rod.toml", text=HEAD + text)
    return laws.positive(strobe.Robot(model))


def test_a_positive_mass_matrix_shows_its_smallest_ratio_of_eigenvalues():
    found = positive(LINK + HEAVY + LINK + HEAVY)
    assert found.holds
    assert not found.why
    assert 1e-4 < found.least < 0.5


def test_a_joint_that_moves_no_inertia_is_named_and_is_not_a_disagreement():
    found = positive(LINK + HEAVY + LINK)
    assert found.holds is False
    assert not found.broken
    assert found.least == 0
    assert found.why == 'not positive: joint "joint2" moves no inertia (rotors are left out).'
    # joints 2 and 3 coincide
    twice = positive(LINK + HEAVY + LINK.replace("a = 0.5", "a = 0") + LINK + HEAVY)
    assert 'joint "joint2"' in twice.why
    assert abs(twice.least) < 1e-12


def test_a_rotor_does_not_make_the_bodies_matrix_positive():
    found = positive(LINK + HEAVY + LINK + "motor = { inertia = 1.0 }\n")
    assert found.holds is False


def test_a_negative_pivot_is_a_broken_law_unless_a_link_is_impossible():
    M = np.array([[[1.0, 0.0], [0.0, -0.5]]])
    assert laws.failing_pivot(M) == (1, pytest.approx(-0.5))
    assert laws.failing_pivot(np.array([[[1.0, 2.0], [2.0, 1.0]]]))[0] == 0
    model = read_toml("rod.toml", text=HEAD + LINK + HEAVY)
    assert laws._reason(model, 0, -0.5) == ""
    wrong = Inertial.at_com(1.0, Vec3.zero(), Sym3(0.01, 0.01, -2.0, 0.0, 0.0, 0.0))
    impossible = replace(model, bodies=(replace(model.bodies[0], inertial=wrong),))
    found = laws.positive(strobe.Robot(impossible, compiled=False))
    assert found.holds is False
    assert found.why == 'not positive: no body has the inertia of link "link1".'


def test_a_robot_without_masses_has_no_laws():
    with pytest.raises(UnsupportedModelError, match="rx90 has no dynamics"):
        laws.measure(strobe.load("rx90"))
