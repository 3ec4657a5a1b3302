"""What planned motions, simulation and approximations say about the claims that `papers.claims` can only state.

A check per claim, for those who ask `papers.sheets` for the claims: figures computed now, as there.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from itertools import pairwise

import numpy as np

from strobe.errors import LimitsLeftWarning
from strobe.papers.findings import Check, Finding
from strobe.robot import Robot, load
from strobe.scalars import cos, sin

Array = np.ndarray

# from (1, 1) on, as in figure 5 of [Waters1979]: |a| ≤ ½
ACCELERATION = 0.5
CORNER = ((0.0, 0.0), (1.0, 0.4), (1.6, 2.0))  # two straight legs, joint 1 and 2
LEGS = (1, 2, 4, 8)  # parts of a leg


def switches() -> Finding:
    """The fastest motion from (1, 1) to rest at 9, its velocity bounded beyond and below what it would reach."""
    from strobe.trajectory.trapezoidal_profile import Ends, fastest

    counts = {
        V: sum(float(part) > 0 for part in fastest(Ends(1.0, 1.0, 9.0, 0.0, V, ACCELERATION))[:3]) - 1  # pyright: ignore[reportArgumentType]
        for V in (3.0, 1.5)
    }
    figure = (
        f"from x = 1, v = 1 to rest at 9 under |a| ≤ ½ it switches {counts[3.0]} time where |v| ≤ 3, "
        f"{counts[1.5]} times where |v| ≤ 1.5"
    )
    return Finding(figure, counts == {3.0: 1, 1.5: 2})


def in_step() -> Finding:
    """Two joints whose durations have no time in common until long after both."""
    from strobe.trajectory.trapezoidal_profile import Ends, common, durations

    pair = (Ends(1.0, 1.0, 1.5, 1.0, 3.0, ACCELERATION), Ends(0.0, 0.0, 0.5, 0.0, 3.0, ACCELERATION))
    sets = [durations(ends) for ends in pair]
    alone = [float(each.least) for each in sets]  # pyright: ignore[reportArgumentType]
    together = float(common(sets))  # pyright: ignore[reportArgumentType]
    figure = (
        f"two joints that take {alone[0]:.3f} s and {alone[1]:.3f} s alone are in step after {together:.3f} s only, "
        "the first one turning back: between its durations there is a gap"
    )
    return Finding(figure, abs(together - (4 + 2 * math.sqrt(3))) < 1e-9 and together > 2 * max(alone))


def denser_points() -> Finding:
    """How far a motion through denser and denser points of two lines leaves them, at rest in all and passing them."""
    stopping, passing = _deviations(still=True), _deviations(still=False)
    shown = " / ".join(f"{far:.4f}" for far in stopping)
    figure = (
        f"planar2 around a corner, 1, 2, 4, 8 parts to a leg: off by {shown} if it stops at each point, in "
        f"proportion to their distance; {' / '.join(f'{far:.4f}' for far in passing)} if it does not"
    )
    proportional = all(abs(a / b - 2) < 1e-6 for a, b in pairwise(stopping))
    return Finding(figure, proportional and all(b < 0.8 * a for a, b in pairwise(passing)))


def _deviations(still: bool) -> list[float]:
    from strobe.trajectory.envelope import deviations
    from strobe.trajectory.planners import plan
    from strobe.trajectory.requests import request

    robot, found = load("planar2"), []
    for parts in LEGS:
        shares = np.linspace(0, 1, parts + 1)[1:, None]
        legs = [np.array(a) + shares * (np.array(b) - np.array(a)) for a, b in pairwise(CORNER)]
        q = np.concatenate([CORNER[:1], *legs])
        qd = np.zeros_like(q) if still else None
        asked = request(robot, q, qd=qd, velocity=(1.0, 1.2), acceleration=(0.5, 0.3))
        found.append(float(deviations(plan(robot, asked), asked.q).max()))
    return found


def order_of_steps() -> Finding:
    """The order of Runge-Kutta steps under torques that change: known at all stages, and held over each step."""
    robot = load("planar2")
    true = _driven(robot, 1600, held=False)
    orders = [
        math.log2(errors[0] / errors[1])
        for errors in (
            [_apart(_driven(robot, n, held), true) for n in (200, 400)] for held in (False, True)
        )
    ]
    figure = (
        f"planar2 under torques that change: order {orders[0]:.1f} with torques at the stage times, {orders[1]:.1f} "
        "with torques held over each step"
    )
    return Finding(figure, abs(orders[0] - 4) < 0.5 and abs(orders[1] - 1) < 0.2)


def _driven(robot: Robot, steps: int, held: bool) -> Array:
    """Where planar2 is after a second of torques that swing."""
    from strobe.compiler.runtime.traced import trace
    from strobe.simulate.simulation import simulate
    from strobe.simulate.torques import TimeSeries

    t = np.arange(steps + 1) / steps
    table = TimeSeries(t, np.stack([3 * np.sin(7 * t), 1.5 * np.cos(5 * t)], axis=-1), "zero-order")
    law = trace(lambda t, q, qd: [3.0 * sin(t[0] * 7.0), 1.5 * cos(t[0] * 5.0)], t=1, q=2, qd=2)
    with warnings.catch_warnings():  # the order of the method is the question: beyond limits too
        warnings.simplefilter("ignore", LimitsLeftWarning)
        run = simulate(
            robot, [0.3, -0.5], [0.0, 0.0], table if held else law, 1.0, step=1 / steps, friction=False
        )
    return run.q[-1]


def _apart(a: Array, b: Array) -> float:
    return float(np.abs(a - b).max())


def fixed_point() -> Finding:
    """The Stanford arm in integers: with one scale for all values, and with a scale for each."""
    from strobe.approximate.fixed_point import LOST, FixedPoint

    robot, ranges = load("stanford"), {"qd": 1.0, "qdd": 1.0}
    common = {fraction: FixedPoint(robot, ranges, fraction=fraction) for fraction in (10, 16)}
    lost = {fraction: float((m.observed / m.largest)[-1]) > LOST for fraction, m in common.items()}
    own = {bits: FixedPoint(robot, ranges, bits) for bits in (16, 32)}
    relative = {bits: float((m.observed / m.largest).max()) for bits, m in own.items()}
    largest = float(common[16].observed.max())
    figure = (
        f"stanford, one scale for all: errors up to {largest:.1e} N with 16 bits behind the point, and joint 6 is "
        f"{'lost' if lost[10] else 'kept'} with 10; a scale for each value: within {relative[16]:.0e} of every "
        f"joint's largest torque in words of 16 bits, {relative[32]:.0e} in 32"
    )
    return Finding(figure, 5e-4 < largest < 2e-3 and lost == {10: True, 16: False} and relative[16] < 0.01)


def load_refills() -> Finding:
    """Tables over positions filled for an arm alone, and for the same arm with a load in its hand."""
    from strobe.approximate.tables import HornRaibert

    told, shares = [], []
    for name, points, mass in (("planar2", 61, 0.5), ("stanford", 3, 0.3)):
        robot = load(name)
        anew = HornRaibert(robot, points).refilled_for(robot.with_payload(mass))
        shares.append(anew.changed / anew.numbers)
        told.append(f"{anew.changed:,} of {anew.numbers:,} numbers of {name} with {mass} kg in its hand")
    figure = f"a load refills them: {', '.join(told)} (HornRaibert.refilled_for)"
    return Finding(figure, min(shares) > 0.5)


CHECKS: Mapping[str, Check] = {
    "H-13": load_refills,
    "T-14": order_of_steps,
    "W-19": switches,
    "W-20": in_step,
    "W-21": denser_points,
    "W-26": fixed_point,
}
"""By the name of the claim."""
