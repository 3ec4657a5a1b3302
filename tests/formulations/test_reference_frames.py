"""Motions of frames: what is told in each reference is J qd, its rate J qdd + J̇ qd, exactly, for every joint kind."""

import pytest

from strobe.errors import UnknownNameError
from strobe.formulations.reference_frames import REFERENCES
from strobe.models.edits import add_frame
from strobe.models.random_robots import random_model
from strobe.quantities import Request
from strobe.scalars import DualSystem, FieldSystem

TREES = [("R", 1, False), ("RP", 2, True), ("RPSF", 3, True), ("RSF", 4, True)]
every_reference = pytest.mark.parametrize("reference", REFERENCES)
every_tree = pytest.mark.parametrize(("kinds", "seed", "tree"), TREES)


def moving(kinds, seed, tree):
    """A random robot with a frame off its last body, over a field, and its state."""
    model = random_model(4, seed, kinds=kinds, tree=tree)
    model = add_frame(model, "hand", (0.1, 0.2, 0.3), (0.4, 0.5, 0.6), frame=model.frames[-1].name)
    system = FieldSystem(seed)
    lifted = model.lift(system)
    q, qd, qdd = lifted.variables()
    return system, lifted, {"q": q, "qd": qd, "qdd": qdd}


def asked(quantity, model, state, reference):
    request = Request(quantity, frame="hand", reference=reference)
    return request.evaluate(model, **{name: state[name] for name in request.inputs(model)})


def product(J, x):
    return [sum((a * b for a, b in zip(row, x, strict=True)), start=0.0) for row in J]


def lowered(system, numbers):
    return [system.lower(number) for number in numbers]


@every_reference
@every_tree
def test_velocities_and_accelerations_are_those_of_the_jacobian(kinds, seed, tree, reference):
    system, model, state = moving(kinds, seed, tree)
    J, Jd = (asked(name, model, state, reference) for name in ("jacobian", "jacobian_dot"))
    v, a = (asked(name, model, state, reference) for name in ("frame_velocity", "frame_acceleration"))
    assert lowered(system, v) == lowered(system, product(J, state["qd"]))
    carried = zip(product(J, state["qdd"]), product(Jd, state["qd"]), strict=True)
    assert lowered(system, a) == lowered(system, [x + y for x, y in carried])


@every_reference
def test_the_acceleration_is_the_derivative_of_the_velocity_in_time(reference):
    model = random_model(5, 2, kinds="RP", tree=True)
    model = add_frame(model, "hand", (0.1, 0.2, 0.3), (0.4, 0.5, 0.6), frame=model.frames[-1].name)
    n = model.nv
    q, qd, qdd = ([0.1 * k + c for k in range(n)] for c in (0.2, -0.3, 0.7))
    dual = DualSystem()
    along = {
        "q": [dual.seed(x, v) for x, v in zip(q, qd, strict=True)],
        "qd": [dual.seed(v, a) for v, a in zip(qd, qdd, strict=True)],
    }
    velocity = asked("frame_velocity", model.lift(dual), along, reference)
    acceleration = asked("frame_acceleration", model, {"q": q, "qd": qd, "qdd": qdd}, reference)
    assert [dual.lower(x).tangent for x in velocity] == pytest.approx(acceleration, rel=1e-12, abs=1e-12)


def test_a_reference_that_there_is_not_is_refused_by_name():
    system, model, state = moving("R", 1, False)
    with pytest.raises(UnknownNameError, match='no reference "LOCAL" in strobe'):
        asked("jacobian", model, state, "LOCAL")
