# pyright: reportConstantRedefinition=false
"""Gibbs-Appell: torques are the derivatives of an energy of accelerations, O(n²), on trees. [Horowitz1980]

    ω̇_i = ω̇_p + ω_p × a_i qd_i + a_i qdd_i,   c̈_i by the joint axes as in `world`               outward, base axes
    S   = Σ_i [ ½ m_i (c̈_i − g)·(c̈_i − g) + ½ ω̇_i·I_i ω̇_i + ω̇_i·(ω_i × I_i ω_i) ]
    tau_j = ∂S/∂qdd_j = Σ_i [ m_i (c̈_i − g)·J_v,ij + (I_i ω̇_i + ω_i × I_i ω_i)·J_ω,ij ]

S is quadratic in the accelerations, and those of a body are linear in qdd with its Jacobian's columns as
coefficients: ∂c̈_i/∂qdd_j = J_v,ij, ∂ω̇_i/∂qdd_j = J_ω,ij. Only bodies that joint j supports have any.
"""

from __future__ import annotations

from dataclasses import dataclass

from strobe.algebra import Vec3
from strobe.formulations.world import WorldBody, world
from strobe.models.model import ROOT, Model
from strobe.scalars import Num, Numbers


@dataclass(frozen=True, slots=True, eq=False)
class Accelerated:
    """A body in motion: its velocity and acceleration of rotation, and that of its centre of mass less gravity."""

    body: WorldBody
    w: Vec3
    wd: Vec3
    felt: Vec3

    @property
    def gyroscopic(self) -> Vec3:
        return self.w.cross(self.body.I @ self.w)


def inverse_dynamics(model: Model, q: Numbers, qd: Numbers, qdd: Numbers) -> list[Num]:
    """Joint forces of a tree of revolute and prismatic joints."""
    bodies = world(model, q)
    tau: list[Num] = [0.0] * model.nv
    for moving in accelerated(bodies, model.gravity.linear, qd, qdd):
        body = moving.body
        force, moment = moving.felt * body.m, body.I @ moving.wd + moving.gyroscopic
        for j in body.supports:
            tau[j] = tau[j] + force.dot(bodies[j].linear(body.c)) + moment.dot(bodies[j].angular())
    return tau


def gibbs_function(model: Model, q: Numbers, qd: Numbers, qdd: Numbers) -> Num:
    """S, up to what does not depend on the accelerations."""
    total: Num = 0.0
    for moving in accelerated(world(model, q), model.gravity.linear, qd, qdd):
        body, felt, wd = moving.body, moving.felt, moving.wd
        total = total + (felt.dot(felt) * body.m + wd.dot(body.I @ wd)) * 0.5 + wd.dot(moving.gyroscopic)
    return total


def accelerated(bodies: list[WorldBody], g: Vec3, qd: Numbers, qdd: Numbers) -> list[Accelerated]:
    """Every body with its accelerations; the base feels −g."""
    w, wd, a = {ROOT: Vec3.zero()}, {ROOT: Vec3.zero()}, {ROOT: -g}
    found: list[Accelerated] = []
    for body, rate, accel in zip(bodies, qd, qdd, strict=True):
        i, p = body.index, body.parent
        arm = body.p if p == ROOT else body.p - bodies[p].o
        hinge = a[p] + wd[p].cross(arm) + w[p].cross(w[p].cross(arm))
        turned = w[p].cross(body.a) * rate
        if body.revolute:
            w[i], wd[i], slip = w[p] + body.a * rate, wd[p] + turned + body.a * accel, Vec3.zero()
        else:
            w[i], wd[i], slip = w[p], wd[p], turned * 2.0 + body.a * accel
        out, centre = body.o - body.p, body.c - body.p
        a[i] = hinge + slip + wd[i].cross(out) + w[i].cross(w[i].cross(out))
        felt = hinge + slip + wd[i].cross(centre) + w[i].cross(w[i].cross(centre))
        found.append(Accelerated(body, w[i], wd[i], felt))
    return found
