"""Random robots: reproducible, of the kinds asked for, physically possible."""

import numpy as np
import pytest

from strobe.errors import ArgumentError
from strobe.formulations import spatial_newton_euler as newton_euler, strobing
from strobe.models.random_robots import random_model


def numbers(model):
    return [
        float(x)
        for body in model.bodies
        for x in (
            *body.inertia.parameters,
            *body.before.translation,
            *body.pose([0.5] * model.nq).translation,
        )
    ]


def test_the_same_seed_gives_the_same_robot():
    assert numbers(random_model(5, 7)) == numbers(random_model(5, 7))


def test_another_seed_gives_another_robot():
    assert numbers(random_model(5, 7)) != numbers(random_model(5, 8))


def test_names_run_from_one_and_the_tool_is_the_last_frame():
    model = random_model(3, 1)
    assert model.joint_names == ("joint1", "joint2", "joint3")
    assert [frame.name for frame in model.frames] == ["base", "link1", "link2", "link3", "tool"]
    assert model.frame("tool").body == 2


def test_a_chain_is_serial_and_a_tree_branches():
    assert random_model(8, 0).is_serial
    parents = [body.parent for body in random_model(12, 0, tree=True).bodies]
    assert len(set(parents)) < len(parents)


@pytest.mark.parametrize("letters", ["R", "P", "C", "S", "F", "RPSFC"])
def test_only_the_kinds_asked_for_appear(letters):
    spelled = {"R": "revolute", "P": "prismatic", "S": "spherical", "F": "floating", "C": "continuous"}
    kinds = {joint.kind for joint in random_model(20, 3, kinds=letters).joints}
    assert kinds == {spelled[letter] for letter in letters}


@pytest.mark.parametrize("seed", range(5))
def test_every_inertia_belongs_to_a_body(seed):
    for body in random_model(6, seed).bodies:
        I = np.array([[float(x) for x in row] for row in body.inertial.central.matrix()])
        low, middle, high = np.linalg.eigvalsh(I)
        assert body.inertial.m > 0
        assert 0 < low <= middle <= high < low + middle


@pytest.mark.parametrize("seed", range(5))
def test_the_mass_matrix_is_positive_definite(seed):
    model = random_model(5, seed, kinds="RPSC", tree=True)
    q = list(np.random.default_rng(seed).standard_normal(model.nq))
    M = np.array(strobing.mass_matrix(newton_euler.inverse_dynamics, model, q), float)
    assert np.linalg.eigvalsh(M).min() > 0


def test_limits_enclose_zero():
    for joint in random_model(10, 2).joints:
        assert joint.limits.lower < 0 < joint.limits.upper
        assert joint.limits.effort > 0


@pytest.mark.parametrize("n", [0, -3, 2.5])
def test_a_robot_without_joints_is_refused(n):
    with pytest.raises(ArgumentError) as caught:
        random_model(n)
    assert str(caught.value) == f"a random robot with {n!r} joints; expected a whole number, 1 or more."


@pytest.mark.parametrize("seed", [-1, 2.5, "seven", None])
def test_a_seed_is_a_whole_number(seed):
    with pytest.raises(ArgumentError) as caught:
        random_model(3, seed)
    assert str(caught.value) == f"seed is {seed!r}; expected a whole number, 0 or more."


@pytest.mark.parametrize("kinds", ["", "RX", 3, None])
def test_unknown_letters_are_refused_with_the_choices(kinds):
    with pytest.raises(
        ArgumentError, match="R revolute, C continuous, P prismatic, S spherical, F floating, H"
    ):
        random_model(3, kinds=kinds)
