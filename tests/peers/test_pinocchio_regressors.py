"""Regressors against Pinocchio's, on arms and on robots that float."""

import numpy as np
import pytest

from benchmarks.robots import ROBOTS
from strobe.robot import Robot

pin = pytest.importorskip("pinocchio", reason="Pinocchio (package pin) is not installed")

THEIRS = [
    0,
    1,
    2,
    3,
    4,
    6,
    9,
    5,
    7,
    8,
]  # where our ten stand in theirs: m, mc, Ixx, Ixy, Iyy, Ixz, Iyz, Izz


@pytest.fixture(scope="module", params=["ur5", "panda", "solo12", "g1"])
def peer(request):
    robot = ROBOTS[request.param].load()
    return ROBOTS[request.param].pinocchio(Robot(robot.model, compiled=request.param == "ur5"))


@pytest.fixture(scope="module")
def state(peer):
    q, qd, qdd = peer.robot.random_state(seed=3)
    return (q, qd, qdd), (peer.position(q), peer.rates(qd), peer.rates(qdd))


def columns(peer, Y):
    """Their columns in our order of bodies and parameters."""
    ids = [peer.model.getJointId(peer._called(joint)) for joint in peer.robot.model.joints]
    return Y[..., [10 * (k - 1) + j for k in ids for j in THEIRS]]


@pytest.mark.slow
def test_torques(peer, state):
    ours, theirs = state
    Y = pin.computeJointTorqueRegressor(peer.model, peer.data, *theirs)
    assert peer.robot.regressor(*ours) == pytest.approx(columns(peer, Y)[peer.order], rel=1e-10, abs=1e-9)


def test_energies(peer, state):
    (q, qd, _), (tq, tqd, _) = state
    kinetic = pin.computeKineticEnergyRegressor(peer.model, peer.data, tq, tqd)
    potential = pin.computePotentialEnergyRegressor(peer.model, peer.data, tq)
    both = columns(peer, np.array([kinetic, potential]))
    assert peer.robot.energy_regressor(q, qd) == pytest.approx(both, rel=1e-10, abs=1e-9)


def test_parameters(peer):
    inertias = [
        peer.model.inertias[peer.model.getJointId(peer._called(j))] for j in peer.robot.model.joints
    ]
    theirs = np.concatenate([np.array(inertia.toDynamicParameters())[THEIRS] for inertia in inertias])
    assert peer.robot.parameters == pytest.approx(theirs, rel=1e-9, abs=1e-9)
