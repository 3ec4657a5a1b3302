"""Base parameters: how many there are, that torques need no others, and what they are combinations of."""

import numpy as np
import pytest

import strobe
from strobe.errors import UnsupportedModelError
from strobe.formulations.regressors import torque_regressor
from strobe.identify import base_parameters
from strobe.models.random_robots import random_model
from strobe.robot import Robot
from strobe.scalars import FieldSystem

COUNTS = {
    "puma560": 36,  # known of this arm: 7 for every joint but 1 for the first, whose axis is along gravity
    "ur5": 36,
    "stanford": 33,
    "panda": 43,
    "planar2": 6,
    "planar3": 9,
    "biped10": 66,
}


def general(kinds, seed=1):
    return Robot(random_model(len(kinds), seed, kinds=kinds[0]))


def tree():
    return Robot(random_model(5, 3, kinds="RPS", tree=True))


@pytest.mark.parametrize("name", COUNTS)
def test_known_robots_have_as_many_as_is_known(name):
    robot = strobe.load(name)
    found = base_parameters(robot)
    assert found.count == COUNTS[name]
    assert len(found.symbols) == found.count


def test_a_general_arm_has_seven_a_joint_but_three_for_the_first():
    """A first joint across gravity feels two first moments and one inertia of its body."""
    for joints in (2, 4, 6):
        assert base_parameters(general("R" * joints)).count == 7 * joints - 4
    assert base_parameters(general("R" * 6)).count == 38


def test_of_a_base_that_floats_all_ten_are_felt():
    arm = strobe.load("panda").with_base("floating")
    found = base_parameters(arm)
    assert found.count == 10 + 7 * 7
    assert set(range(10)) <= set(found.kept)
    assert found.names[0] == "m1 + m2 + m3 + m4 + m5 + m6 + m7 + m8"


def rank_modulo(rows, prime):
    """The rank of a matrix of whole numbers modulo a prime."""
    rows, rank = [list(row) for row in rows], 0
    for column in range(len(rows[0])):
        pivot = next((k for k in range(rank, len(rows)) if rows[k][column]), None)
        if pivot is None:
            continue
        rows[rank], rows[pivot] = rows[pivot], rows[rank]
        inverse = pow(rows[rank][column], -1, prime)
        own = rows[rank] = [x * inverse % prime for x in rows[rank]]
        for k in range(rank + 1, len(rows)):
            factor = rows[k][column]
            if factor:
                rows[k] = [(x - factor * y) % prime for x, y in zip(rows[k], own, strict=True)]
        rank += 1
    return rank


@pytest.mark.parametrize(
    "robot", [strobe.load("puma560"), strobe.load("planar3"), tree()], ids=lambda robot: robot.name
)
def test_the_count_is_the_rank_in_exact_arithmetic(robot):
    """Of every robot of the same structure: lengths and angles are drawn modulo a prime."""
    system = FieldSystem(seed=2)
    model, rows = robot.model.lift(system), []
    while len(rows) < 10 * len(model.bodies):
        Y = torque_regressor(model, *model.variables())
        rows += [[int(system.lower(x)) for x in row] for row in Y]
    assert rank_modulo(rows, system.prime) == base_parameters(robot).count


ROBOTS = {
    "puma560": strobe.load("puma560"),
    "stanford": strobe.load("stanford"),
    "tree": tree(),
    "coupled": strobe.load("parallelogram"),
    "floating": strobe.load("planar2").with_base("floating"),
}


@pytest.mark.parametrize("name", ROBOTS)
@pytest.mark.parametrize("drives", [False, True])
def test_torques_need_no_other_parameters(name, drives):
    robot = Robot(ROBOTS[name].model, compiled=False)
    found = base_parameters(robot, drives)
    q, qd, qdd = robot.random_state(seed=11, batch=7)
    whole = np.concatenate([robot.parameters, robot.drive_parameters]) if drives else robot.parameters
    expected = robot.regressor(q, qd, qdd, drives=drives) @ whole
    torques = found.regressor(q, qd, qdd) @ found.values
    assert torques == pytest.approx(expected, rel=1e-8, abs=1e-8 * np.abs(expected).max())
    if drives:
        assert torques == pytest.approx(robot.inverse_dynamics(q, qd, qdd), rel=1e-8, abs=1e-7)


def test_none_of_them_can_be_left_out():
    found = base_parameters(strobe.load("planar3"))
    states = strobe.load("planar3").random_state(seed=12, batch=40)
    Y = found.regressor(*states).reshape(-1, found.count)
    assert np.linalg.matrix_rank(Y) == found.count


def test_the_combinations_are_those_of_a_planar_arm():
    """Body frames lie at the ends of links: of length l, Izz + 2 l mcx + l² m is felt, and mcx + l m."""
    found = base_parameters(strobe.load("planar2"))
    assert found.names == (
        "mcx1 + 0.4 m1 + 0.4 m2",
        "mcy1",
        "Izz1 - 0.16 m1 - 0.16 m2",
        "mcx2 + 0.35 m2",
        "mcy2",
        "Izz2 - 0.1225 m2",
    )
    assert found.unfelt[:4] == ("mcz1", "Ixx1", "Iyy1", "Ixy1")
    assert str(found).splitlines()[0] == "planar2: 6 base parameters of 20"


def test_parameters_of_a_batch_of_robots_are_combined_at_once():
    arm = strobe.load("planar2")
    found = base_parameters(arm, drives=True)
    many = arm.parameters * np.linspace(0.5, 2, 4)[:, None]
    drives = np.broadcast_to(arm.drive_parameters, (4, 8))
    assert found.of(many, drives)[2] == pytest.approx(found.of(many[2], arm.drive_parameters))
    assert found.values == pytest.approx(found.of(arm.parameters, arm.drive_parameters))


# -- over names ---------------------------------------------------------------------------------------


def test_the_first_joint_of_the_puma_feels_what_the_relations_say():
    found = base_parameters(strobe.load("puma560"))
    assert str(found.relations["Izz1'"]) == "Iyy1 + Iyy2'"
    assert str(found.symbols["Ixx2"]) == "Ixx2' - Iyy2'"
    whole = found.expanded(found.symbols["Izz1"])
    for part in ("Iyy1", "Iyy2", "Izz3", "m2*x2**2", "m3*x3**2", "m6*z3**2", "2*mcx2*x2"):
        assert part in str(whole).split(" + ")


@pytest.mark.slow
@pytest.mark.parametrize(
    "robot", [strobe.load("puma560"), strobe.load("biped10"), general("RR")], ids=lambda robot: robot.name
)
def test_symbols_have_the_values_that_regrouping_leaves(robot):
    from strobe.models.parameters import inertial_numbers
    from strobe.models.regroup import regrouped

    found = base_parameters(robot)
    known = dict(zip(robot.parameter_names, robot.parameters, strict=True))
    known |= dict(zip(robot.geometry_names, robot.geometry, strict=True))
    left = dict(zip(robot.parameter_names, inertial_numbers(regrouped(robot.model)), strict=True))

    def value(expression):
        return float(expression.subs({symbol: known[symbol.name] for symbol in expression.free_symbols}))

    for name, expression in reversed(found.relations.items()):  # from the tips
        known[name] = value(expression)
    for name, expression in found.symbols.items():
        assert value(expression) == pytest.approx(left[name], rel=1e-9, abs=1e-9)


def test_relations_of_a_robots_own_are_left_to_the_numbers():
    arm = strobe.load("parallelogram")
    found = base_parameters(arm)
    assert found.count == 8
    with pytest.raises(UnsupportedModelError, match="leaves 12 parameters where 8 are independent"):
        _ = found.symbols


def test_closed_chains_are_refused():
    arm = strobe.load("planar3").with_frame("there", (0.3, 0.2, 0.0), frame="base")
    with pytest.raises(UnsupportedModelError, match="planar3 has closed chains"):
        arm.with_loop(arm.frames[-2], "there").base_parameters()
