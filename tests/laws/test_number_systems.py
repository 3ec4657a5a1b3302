"""Every formulation is one function on numbers of every system (fifty digits and the field: `test_mechanics`)."""

import math

import numpy as np
import pytest

from strobe.compiler.graph.program import trace
from strobe.compiler.graph.replay import replay
from strobe.formulations import FORMULATIONS
from strobe.models.random_robots import random_model
from strobe.scalars import LANES, DualSystem, Graph, Lanes

ROBOTS = {"chain (RP)": random_model(3, 11), "tree (RPHS)": random_model(3, 12, kinds="RPHS", tree=True)}
STILL = 1e-9  # of the largest torque: rounding, nothing else


def on_lanes(ID, model, state):
    tau = ID(model.lift(LANES), *([Lanes(np.array([x, x])) for x in part] for part in state))
    return [np.broadcast_to(LANES.lower(x), 2)[0] for x in tau]


def on_duals(ID, model, state):
    system = DualSystem()
    return [
        system.lower(x).value
        for x in ID(model.lift(system), *([system.seed(x, 1.0) for x in p] for p in state))
    ]


def on_nodes(ID, model, state):
    graph, names = Graph(), ("q", "qd", "qdd")
    lifted = model.lift(graph)
    sizes = dict(zip(names, map(len, state), strict=True))
    program = trace(lambda q, qd, qdd: ID(lifted, q, qd, qdd), sizes, (model.nv,), graph)
    return replay(program, dict(zip(names, state, strict=True)))


SYSTEMS = {"Lanes": on_lanes, "Dual": on_duals, "Node": on_nodes}


def state(model):
    """Positions, the first of them awkward where it is an angle; rates and accelerations."""
    rng = np.random.default_rng(5)
    parts = [rng.standard_normal(joint.nq) for joint in model.joints]
    q = np.concatenate([x / np.linalg.norm(x) if len(x) == 4 else x for x in parts])
    q[0] = math.pi / 2 if len(parts[0]) == 1 else q[0]
    return q.tolist(), rng.standard_normal(model.nv).tolist(), rng.standard_normal(model.nv).tolist()


@pytest.mark.every("formulation", robot=ROBOTS, system=SYSTEMS)
def test_torques_are_those_of_floats_on_numbers_of_every_system(formulation, robot, system):
    ID, model = FORMULATIONS[formulation].inverse_dynamics, ROBOTS[robot]
    given = state(model)
    wanted = np.array(ID(model, *given), float)
    found = np.array(SYSTEMS[system](ID, model, given), float)
    assert np.abs(found - wanted).max() < STILL * max(1.0, np.abs(wanted).max())
