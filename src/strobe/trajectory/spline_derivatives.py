"""Velocities and accelerations of recorded positions: derivatives of the quintic spline through the rows.

The spline passes through every row at its own time (not-a-knot at both ends), so it delays nothing, and nothing is
smoothed: for rows h apart errors shrink with h⁵ in velocities and with h⁴ in accelerations, and noise of size ε grows
to about ε / h and ε / h². Of quaternions (signs of neighbours made to agree)

    ω = 2 q* ⊗ q̇        ω̇ = 2 q* ⊗ q̈        vector parts: q̇* ⊗ q̇ has none

and of an origin that floats, or moves in a plane, v = Rᵀ ṗ, v̇ = Rᵀ p̈ − ω × v, in body axes.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from strobe.algebra import Vec3, quaternion_rotation
from strobe.algebra.lie import quaternion_difference
from strobe.errors import ArgumentError
from strobe.models.joints import RAD
from strobe.scalars.dual import DualSystem
from strobe.scalars.lanes import LANES, Lanes

if TYPE_CHECKING:
    from strobe.models.joints import Joint
    from strobe.robot import Robot

Array = np.ndarray
DEGREE = 5
METHOD = "by the quintic spline through the rows; nothing is smoothed"


def derivatives(t: Array, x: Array) -> tuple[Array, Array]:
    """First and second derivatives (N, n) of columns x (N, n) at rising times t (N,)."""
    from scipy.interpolate import make_interp_spline

    if len(t) <= DEGREE:
        raise ArgumentError(
            f"there are {len(t)} rows; to be differentiated a motion needs {DEGREE + 1} or more."
        )
    late = np.flatnonzero(~(np.diff(t) > 0))
    if len(late):
        k = int(late[0])
        raise ArgumentError(
            f"time {t[k + 1]:g} s of row {k + 2} does not follow {t[k]:g} s; times must rise."
        )
    spline = make_interp_spline(t, x, DEGREE)
    found = spline.derivative(1)(t), spline.derivative(2)(t)
    if not all(np.isfinite(each).all() for each in found):
        raise ArgumentError("its numbers are too large, or its times too close, to be differentiated.")
    return found


def filled(
    robot: Robot, t: Array, state: Mapping[str, Array], missing: Mapping[str, Collection[int]]
) -> dict[str, Array]:
    """q, qd and qdd (N, …) with missing columns, by number, of the last two differentiated.

    A missing acceleration is the derivative of its velocity where that is given, else it comes from positions.
    """
    made = {name: values.copy() for name, values in state.items()}
    if missing["qd"]:
        wanted = {*missing["qd"], *missing["qdd"]}
        for joint in robot.coordinates.joints:
            own = range(joint.v, joint.v + joint.nv)
            if wanted.isdisjoint(own):
                continue
            rates = _rates(joint, t, state["q"][:, joint.q : joint.q + joint.nq])
            for name, values in zip(("qd", "qdd"), rates, strict=True):
                lacking = [k for k in own if k in missing[name]]
                made[name][:, lacking] = values[:, [k - joint.v for k in lacking]]
    given = sorted(set(missing["qdd"]) - set(missing["qd"]))
    if given:
        made["qdd"][:, given] = derivatives(t, state["qd"][:, given])[0]
    return made


def _rates(joint: Joint, t: Array, q: Array) -> tuple[Array, Array]:
    """Velocities and accelerations (N, nv) of one joint."""
    if not joint.has_quaternion:
        return _in_own_axes(joint, q, *derivatives(t, _unwound(joint, q)))
    turned = _with_signs(q[:, -4:])
    qd, qdd = derivatives(t, np.hstack([q[:, :-4], turned]))
    columns: Any = list(turned.T)
    w, wd = (2.0 * _stacked(quaternion_difference(columns, list(each[:, -4:].T))[1:]) for each in (qd, qdd))
    if joint.is_ball:
        return w, wd
    R = quaternion_rotation(*columns).T
    v, linear = (R @ Vec3(*each[:, :3].T) for each in (qd, qdd))
    vd = linear - Vec3(*w.T).cross(v)
    return np.hstack([_stacked(v), w]), np.hstack([_stacked(vd), wd])


def _unwound(joint: Joint, q: Array) -> Array:
    """Positions (N, nq) in which angles that know no limits go on over whole turns."""
    if joint.unlimited or not joint.additive:
        angles = [k for k, unit in enumerate(joint.position_units) if unit == RAD]
        q = q.copy()
        q[:, angles] = np.unwrap(q[:, angles], axis=0)
    return q


def _in_own_axes(joint: Joint, q: Array, change: Array, second: Array) -> tuple[Array, Array]:
    """Velocities and accelerations (N, nv) of the first and second derivatives of positions (N, nq)."""
    if joint.additive:
        return change, second
    system = DualSystem()
    here, rates = (
        [system.seed(Lanes(x), Lanes(xd)) for x, xd in zip(a.T, b.T, strict=True)]
        for a, b in ((q, change), (change, second))
    )
    found = [system.lower(v) for v in joint.record.velocity(here, rates)]
    return tuple(
        np.stack([np.asarray(LANES.lower(x)) for x in each], axis=-1)
        for each in ([v.value for v in found], [v.tangent for v in found])
    )  # pyright: ignore[reportReturnType]


def _stacked(numbers: Any) -> Array:
    return np.stack([*numbers], axis=-1)


def _with_signs(quaternions: Array) -> Array:
    """Quaternions (N, 4), each with the sign that is nearer to the one before: q and −q are one orientation."""
    products = (quaternions[1:] * quaternions[:-1]).sum(axis=-1)
    signs = np.cumprod(np.where(products < 0, -1.0, 1.0))
    return np.vstack([quaternions[:1], quaternions[1:] * signs[:, None]])
