"""Where frames are and how they move with the joints, and steps along the degrees of freedom."""

from __future__ import annotations

from collections.abc import Sequence

from strobe.algebra import Vec3
from strobe.formulations import kinematics
from strobe.formulations.reference_frames import ALIGNED, REFERENCES, Reference
from strobe.models.arguments import require_choice
from strobe.models.default_frame import tip
from strobe.models.model import Frame, Model
from strobe.quantities.evaluation import Asked
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
    frame, q = _frame(tree, asked), x.expand(q)
    J = kinematics.jacobian(tree, q, frame)
    if asked.request.reference != ALIGNED:
        reference, placed = _reference(asked), kinematics.frame_placement(tree, q, frame)
        J = _rows([reference.column(placed, column) for column in _columns(J)])
    return x.reduce_columns(J)


def point_jacobian(asked: Asked, q: Numbers, point: Numbers) -> list[list[Num]]:
    """Three rows: the velocity of a point that moves with a frame and is given in its axes, base axes."""
    x, tree = asked.coordinates, asked.model.proximal()
    return x.reduce_columns(kinematics.point_jacobian(tree, x.expand(q), _frame(tree, asked), point))


def jacobian_dot(asked: Asked, q: Numbers, qd: Numbers) -> list[list[Num]]:
    """The rate of the Jacobian while the robot moves with qd."""
    x, tree = asked.coordinates, asked.model.proximal()
    frame, q, qd = _frame(tree, asked), x.expand(q), x.expand_rates(qd)
    rates = kinematics.jacobian_dot(tree, q, qd, frame)
    if asked.request.reference != ALIGNED:
        reference, placed = _reference(asked), kinematics.frame_placement(tree, q, frame)
        moving = kinematics.frame_velocity(tree, q, qd, frame)
        both = zip(_columns(kinematics.jacobian(tree, q, frame)), _columns(rates), strict=True)
        rates = _rows([reference.rate(placed, moving, column, rate) for column, rate in both])
    return x.reduce_columns(rates)


def frame_velocity(asked: Asked, q: Numbers, qd: Numbers) -> list[Num]:
    """J qd: linear velocity of the frame's origin, angular velocity, base axes."""
    x, tree = asked.coordinates, asked.model.proximal()
    frame, q = _frame(tree, asked), x.expand(q)
    moving = kinematics.frame_velocity(tree, q, x.expand_rates(qd), frame)
    placed = kinematics.frame_placement(tree, q, frame)
    linear, angular = _reference(asked).column(placed, (moving.p_d, moving.w))
    return [*linear, *angular]


def frame_acceleration(asked: Asked, q: Numbers, qd: Numbers, qdd: Numbers) -> list[Num]:
    """J qdd + J̇ qd: the rate of the frame's velocity, linear and angular, base axes."""
    x, tree = asked.coordinates, asked.model.proximal()
    frame, q, qd, qdd = _frame(tree, asked), x.expand(q), x.expand_rates(qd), x.expand_rates(qdd)
    moving, accelerating = kinematics.frame_acceleration(tree, q, qd, qdd, frame)
    placed = kinematics.frame_placement(tree, q, frame)
    velocity, rate = (moving.p_d, moving.w), (accelerating.p_dd, accelerating.w_d)
    linear, angular = _reference(asked).rate(placed, moving, velocity, rate)
    return [*linear, *angular]


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


def _reference(asked: Asked) -> Reference:
    return REFERENCES[require_choice("reference", asked.request.reference, REFERENCES)]


def _columns(rows: Sequence[Numbers]) -> list[tuple[Vec3, Vec3]]:
    """Columns (linear, angular) of six rows."""
    return [(Vec3(*column[:3]), Vec3(*column[3:])) for column in zip(*rows, strict=True)]


def _rows(columns: Sequence[tuple[Vec3, Vec3]]) -> list[list[Num]]:
    """Six rows out of columns."""
    return [list(row) for row in zip(*((*linear, *angular) for linear, angular in columns), strict=True)]
