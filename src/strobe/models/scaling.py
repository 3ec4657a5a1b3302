"""Geometrically similar models: what a change of lengths and masses does to every other quantity."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import Any

from strobe.algebra import Inertia, Pose, Shift
from strobe.errors import ArgumentError
from strobe.models.arguments import finite_numbers
from strobe.models.feet import Foot
from strobe.models.inertial import Inertial
from strobe.models.joints import Friction, Joint, Limits, Motor
from strobe.models.model import Body, Coupling, Curve, Model

LARGEST = 1e30  # of a scale, whose powers are floats still


def scale(model: Model, length: float, mass: float) -> Model:
    """A geometrically similar model: lengths × length, masses × mass, inertias × mass·length².

    Torques (limits, friction, rotor inertia) scale as they do at equal joint accelerations: × mass·length²
    about revolute joints, × mass·length along prismatic ones. Gravity stays.
    """
    (l,), (m,) = finite_numbers("length", length, 1), finite_numbers("mass", mass, 1)
    for name, factor in (("length", l), ("mass", m)):
        if factor <= 0:
            raise ArgumentError(f"{name} is scaled by {factor:g}; a scale is positive (1 changes nothing).")
        if not 1 / LARGEST <= factor <= LARGEST:
            raise ArgumentError(f"{name} is scaled by {factor:g}; expected {1 / LARGEST:g} to {LARGEST:g}.")
    sliding = {joint.name for joint in model.joints if joint.slides}
    return replace(
        model,
        bodies=tuple(_scaled_body(body, l, m) for body in model.bodies),
        frames=tuple(replace(frame, placement=_scaled_pose(frame.placement, l)) for frame in model.frames),
        couplings=tuple(_scaled_coupling(coupling, sliding, l) for coupling in model.couplings),
        loops=tuple(replace(loop, length=loop.length * l) for loop in model.loops),
        curves=tuple(_scaled_curve(curve, sliding, l) for curve in model.curves),
        feet=tuple(
            Foot(foot.frame, [[l * x for x in corner] for corner in foot.sole]) for foot in model.feet
        ),
        base_inertial=_scaled_inertial(model.base_inertial, l, m),
        poses={},
        golden=(),
    )


def _scaled_body(body: Body, l: float, m: float) -> Body:
    return replace(
        body,
        joint=_scaled_joint(body.joint, l, m),
        before=_scaled_pose(body.before, l),
        after=_scaled_pose(body.after, l),
        inertial=_scaled_inertial(body.inertial, l, m),
    )


def _scaled_pose(pose: Pose, l: float) -> Pose:
    return Pose(tuple(Shift(step.p * l) if isinstance(step, Shift) else step for step in pose.steps))


def _scaled_inertial(inertial: Inertial, l: float, m: float) -> Inertial:
    def moment(x: Any) -> Any:
        return x * (m * l**2)

    if inertial.com is None or inertial.central is None or inertial.given == "parameters":
        ten = inertial.about_origin
        return Inertial.of(Inertia(ten.m * m, ten.h * (m * l), ten.I.map(moment)))
    if inertial.given == "origin":
        return Inertial.at_origin(inertial.m * m, inertial.com * l, inertial.about_origin.I.map(moment))
    return Inertial.at_com(inertial.m * m, inertial.com * l, inertial.central.map(moment))


def _scaled_joint(joint: Joint, l: float, m: float) -> Joint:
    unit = l if joint.slides else 1.0  # of its position
    torque = m * l**2 / unit  # of its force or torque
    limits, motor, friction = joint.limits, joint.motor, joint.friction
    return replace(
        joint,
        limits=Limits(
            limits.lower * unit,
            limits.upper * unit,
            limits.velocity * unit,
            limits.acceleration * unit,
            limits.effort * torque,
        ),
        motor=Motor(
            motor.inertia * torque / unit,
            motor.gear,
            motor.viscous * torque / unit,
            _pair(motor.coulomb, torque),
            motor.efficiency,
        ),
        friction=Friction(friction.viscous * torque / unit, _pair(friction.coulomb, torque)),
        pitch=joint.pitch * l,
    )


def _pair(values: tuple[float, float], factor: float) -> tuple[float, float]:
    return values[0] * factor, values[1] * factor


def _scaled_coupling(coupling: Coupling, sliding: Collection[str], l: float) -> Coupling:
    own = _unit(coupling.joint, sliding, l)
    terms = {name: factor * own / _unit(name, sliding, l) for name, factor in coupling.terms.items()}
    return replace(coupling, terms=terms, offset=coupling.offset * own)


def _scaled_curve(curve: Curve, sliding: Collection[str], l: float) -> Curve:
    own, other = (_unit(name, sliding, l) for name in (curve.joint, curve.other))
    return replace(curve, coefficients=tuple(c * own / other**k for k, c in enumerate(curve.coefficients)))


def _unit(joint: str, sliding: Collection[str], l: float) -> float:
    """What the position of a joint is scaled by."""
    return l if joint in sliding else 1.0
