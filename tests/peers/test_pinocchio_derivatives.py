"""Derivatives against Pinocchio's, on arms, legs and a humanoid: both take them along the same tangent directions."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from strobe.analysis.peers import Pinocchio
from strobe.models.load import load_model
from strobe.robot import Robot

pin = pytest.importorskip("pinocchio", reason="Pinocchio (package pin) is not installed")

ROBOTS = {  # and whether their base floats
    "panda_description/urdf/panda.urdf": False,
    "ur_description/urdf/ur5_robot.urdf": False,
    "anymal_b_simple_description/robots/anymal.urdf": True,
    "g1_description/urdf/g1_29dof_rev_1_0.urdf": True,
    "talos_data/robots/talos_reduced.urdf": True,
}
LOCKED = {"panda": {"panda_finger_*": 0.0}}  # joints that follow others are free in Pinocchio


def robots_folder() -> Path:
    spec = importlib.util.find_spec("cmeel")
    assert spec is not None
    site = Path(spec.submodule_search_locations[0]).parent  # pyright: ignore
    return site / "cmeel.prefix/share/example-robot-data/robots"


@pytest.fixture(scope="module", params=ROBOTS, ids=lambda path: Path(path).stem)
def peer(request):
    path, floating = robots_folder() / request.param, ROBOTS[request.param]
    robot = Robot(load_model(path), compiled=False).lock(LOCKED.get(path.stem, {}))
    if floating:
        robot = robot.with_base("floating")
    return Pinocchio(robot, None if path.stem in LOCKED else path.read_text(), floating)


def close(ours, theirs, tolerance=1e-9):
    return np.abs(np.asarray(ours) - theirs).max() <= tolerance * np.abs(theirs).max()


def theirs(peer, call, *state):
    """Their derivatives in our order."""
    q, v, x = state
    rows = [np.zeros(peer.model.nv) for _ in (v, x)]
    for row, mine in zip(rows, (v, x), strict=True):
        row[peer.order] = mine
    found = call(peer.model, peer.data, peer.position(q), *rows)
    return [np.array(matrix)[np.ix_(peer.order, peer.order)] for matrix in found]


def test_derivatives_of_torques_are_theirs(peer):
    for seed in range(2):
        state = peer.robot.random_state(seed=seed)
        ours = peer.robot.inverse_dynamics_derivatives(*state, friction=False)
        by_q, by_qd, _ = theirs(peer, pin.computeRNEADerivatives, *state)
        assert close(ours.dtau_dq, by_q)
        assert close(ours.dtau_dqd, by_qd)


def test_derivatives_of_accelerations_are_theirs(peer):
    q, qd, tau = peer.robot.random_state(seed=3)
    ours = peer.robot.forward_dynamics_derivatives(q, qd, tau, friction=False)
    by_q, by_qd, inverse = theirs(peer, pin.computeABADerivatives, q, qd, tau)
    assert close(ours.dqdd_dq, by_q, 1e-8)
    assert close(ours.dqdd_dqd, by_qd, 1e-8)
    full = np.array(pin.computeMinverse(peer.model, peer.data, peer.position(q)))
    full = np.triu(full) + np.triu(full, 1).T
    assert close(ours.Minv, full[np.ix_(peer.order, peer.order)], 1e-8)
