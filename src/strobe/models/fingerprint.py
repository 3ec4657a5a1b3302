"""What a model computes, as a digest: equal models have equal digests in every process."""

from __future__ import annotations

import hashlib
from typing import Any

from strobe.algebra import Pose, Shift, Turn
from strobe.models.joints import Joint
from strobe.models.model import Body, Model


def fingerprint(model: Model) -> str:
    """A digest of every number and name that a kernel of this model can depend on."""
    content = (
        [_body(body) for body in model.bodies],
        _numbers(model.gravity.linear),
        [(frame.name, frame.body, _pose(frame.placement)) for frame in model.frames],
        [(c.joint, sorted((k, float(x).hex()) for k, x in c.terms.items()), float(c.offset).hex())
         for c in model.couplings],
        [(loop.frame_a, loop.frame_b, loop.kind, float(loop.length).hex(), loop.rows, loop.held)
         for loop in model.loops],
        [(curve.joint, curve.other, _numbers(curve.coefficients)) for curve in model.curves],
    )  # fmt: skip
    return hashlib.sha256(repr(content).encode()).hexdigest()


def _body(body: Body) -> Any:
    own = body.inertial
    inertial = own.given, *map(_numbers, (own.about_origin.parameters, own.com or (), own.central or ()))
    return body.parent, _joint(body.joint), _pose(body.before), _pose(body.after), inertial


def _joint(joint: Joint) -> Any:
    drive = (joint.rotor_inertia, joint.damping, *joint.coulomb)
    return joint.name, joint.kind, joint.axis, joint.sign, _numbers(drive)


def _pose(pose: Pose) -> Any:
    return [_step(step) for step in pose.steps]


def _step(step: Any) -> Any:
    if isinstance(step, Turn):
        return "turn", step.axis, _numbers((step.c, step.s))
    if isinstance(step, Shift):
        return "shift", _numbers(step.p)
    return "spin", [_numbers(row) for row in step.R]


def _numbers(values: Any) -> list[str]:
    return [float(x).hex() for x in values]
