"""Where frames are and how they move with the joints, and steps along the degrees of freedom."""

from __future__ import annotations

from strobe.formulations import kinematics
from strobe.models.model import Frame, Model
from strobe.models.tips import tip
from strobe.quantities.asked import Asked
from strobe.scalars import Num, Numbers


def forward_kinematics(asked: Asked, q: Numbers) -> list[list[Num]]:
    """The 4×4 placement of a frame in base axes."""
    placed = kinematics.frame_placement(
        asked.model, asked.coordinates.expand(q), _frame(asked.model, asked)
    )
    return [list(row) for row in placed.matrix().rows]


def frame_placements(asked: Asked, q: Numbers) -> list[list[list[Num]]]:
    """The 4×4 placements of all frames in base axes."""
    every = kinematics.frame_placements(asked.model, asked.coordinates.expand(q))
    return [[list(row) for row in placed.matrix().rows] for placed in every]


def jacobian(asked: Asked, q: Numbers) -> list[list[Num]]:
    """Six rows: linear velocity of the frame's origin, angular velocity, base axes."""
    x, tree = asked.coordinates, asked.model.proximal()
    return x.reduce_columns(kinematics.jacobian(tree, x.expand(q), _frame(tree, asked)))


def point_jacobian(asked: Asked, q: Numbers, point: Numbers) -> list[list[Num]]:
    """Three rows: the velocity of a point that moves with a frame and is given in its axes, base axes."""
    x, tree = asked.coordinates, asked.model.proximal()
    return x.reduce_columns(kinematics.point_jacobian(tree, x.expand(q), _frame(tree, asked), point))


def jacobian_dot(asked: Asked, q: Numbers, qd: Numbers) -> list[list[Num]]:
    """The rate of the Jacobian while the robot moves with qd."""
    x, tree = asked.coordinates, asked.model.proximal()
    rates = kinematics.jacobian_dot(tree, x.expand(q), x.expand_rates(qd), _frame(tree, asked))
    return x.reduce_columns(rates)


def jacobian_derivative(asked: Asked, q: Numbers) -> list[list[list[Num]]]:
    """∂J/∂q: how every column j of the Jacobian changes along every degree of freedom k."""
    x, tree = asked.coordinates, asked.model.proximal()
    rows = kinematics.jacobian_derivative(tree, x.expand(q), _frame(tree, asked))
    return [x.reduce_matrix(row) for row in rows]


def integrate(asked: Asked, q: Numbers, v: Numbers, dt: Numbers) -> list[Num]:
    """The position after velocity v has acted for a time dt."""
    step = [rate * dt[0] for rate in v]
    return [number for joint in asked.coordinates.joints for number in joint.integrate(q, step)]


def difference(asked: Asked, q0: Numbers, q1: Numbers) -> list[Num]:
    """The velocity that leads from q0 to q1 in unit time."""
    return [number for joint in asked.coordinates.joints for number in joint.difference(q0, q1)]


def _frame(model: Model, asked: Asked) -> Frame:
    return model.frame(asked.request.frame or tip(model))
