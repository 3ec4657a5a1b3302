"""What is not solved of closed chains is refused, never computed for the open tree."""

import re
from dataclasses import replace

import numpy as np
import pytest

import strobe
from strobe.analysis import significance
from strobe.approximate import extrapolation, fixed_point, full_extrapolation, omitted_terms
from strobe.approximate.cmac import CMAC
from strobe.approximate.typical import TypicalTrajectories
from strobe.control import methods
from strobe.equations.derivation import derive
from strobe.equations.readable import readable
from strobe.equations.shortened import shortened
from strobe.equations.symbolic_meaning import symbolic
from strobe.errors import UnsupportedModelError
from strobe.identify.payload_regressor import payload_regressor
from strobe.kinematics.workspace import cross_section
from strobe.mechanisms import counterweights
from strobe.models.loops import require_open
from strobe.models.model import Curve
from strobe.papers import ladder
from strobe.robot import Robot
from strobe.trajectory.achievable_accelerations import largest_acceleration
from strobe.trajectory.near_minimum_time import near_minimum_time

POINTS = [[0.6, 0.0, 1.3], [0.7, 0.1, 1.4]]
POSE = np.eye(4)
REFUSED = {
    "inverse kinematics": [
        lambda robot, q: robot.inverse_kinematics(POSE),
        lambda robot, q: robot.inverse_kinematics(POSE, method="numeric"),
        lambda robot, q: robot.track([POSE, POSE], q),
    ],
    "what joints do to a hand one by one": [
        lambda robot, q: robot.inverse_velocity(q, np.zeros(6)),
        lambda robot, q: robot.inverse_acceleration(q, np.zeros(3), np.zeros(6)),
        lambda robot, q: robot.manipulability(q),
        lambda robot, q: robot.singular_directions(q),
    ],
    "the workspace": [lambda robot, q: cross_section(robot)],
    "planning": [
        lambda robot, q: robot.plan(POINTS),
        lambda robot, q: robot.plan(POINTS, "torque-limited"),
        lambda robot, q: near_minimum_time(robot, *POINTS),
        lambda robot, q: largest_acceleration(robot),
    ],
    "an approximation": [
        lambda robot, q: omitted_terms.GravityOnly(robot),
        lambda robot, q: extrapolation.PathExtrapolation(robot),
        lambda robot, q: full_extrapolation.FullExtrapolation(robot),
        lambda robot, q: fixed_point.FixedPoint(robot),
        lambda robot, q: CMAC(robot),
        lambda robot, q: TypicalTrajectories(robot),
        lambda robot, q: counterweights.counterbalance(robot),
        lambda robot, q: ladder(robot),
        lambda robot, q: payload_regressor(robot, q, q, q),
    ],
    "control": [
        lambda robot, q: methods.make("computed-torque", robot, 1e-3),
        lambda robot, q: methods.make("joint-pd", robot, 1e-3),
    ],
    "a closed form": [
        lambda robot, q: robot.equations(),
        lambda robot, q: derive(robot, "newton-euler"),
        lambda robot, q: readable(robot),
        lambda robot, q: shortened(robot, 0.01),
        lambda robot, q: symbolic(robot),
    ],
    "other coordinates": [lambda robot, q: robot.in_coordinates("absolute")],
    "the size of single terms": [lambda robot, q: significance.measure(robot, 3)],
}
CASES = [(what, k) for what, asked in REFUSED.items() for k in range(len(asked))]


@pytest.mark.parametrize(("what", "k"), CASES, ids=lambda case: str(case).replace(" ", "-"))
def test_what_is_not_solved_of_closed_chains_is_refused_in_one_sentence(what, k):
    robot = Robot(strobe.load("fourbar").model, compiled=False)
    sentence = f'{what} of closed chains is not solved, and fourbar has "pin". '
    with pytest.raises(UnsupportedModelError, match=re.escape(sentence) + "[A-Z].*[.)]$"):
        REFUSED[what][k](robot, np.array(robot.model.poses["home"]))


def test_the_refusal_names_what_closes_the_chains_and_nothing_that_couplings_close():
    require_open(strobe.load("parallelogram").model, "anything")
    with pytest.raises(UnsupportedModelError, match='and delta has "rod1_left", "rod1_right" and 4 more.'):
        require_open(strobe.load("delta").model, "anything")
    curved = replace(strobe.load("planar2").model, curves=(Curve("cam", "joint2", "joint1", (0.0, 1.0)),))
    with pytest.raises(UnsupportedModelError) as caught:
        require_open(curved, "anything")
    assert str(caught.value) == (
        'anything of closed chains is not solved, and planar2 has "cam". '
        "Take an open part of it, robot.chain(frame), or lock the joints that close it."
    )
