"""How long a step may be: by how fast the robot moves, and by the modes that a method must not excite.

    ε ≤ 0.05 / max |qd|,   ε ≤ 0.2 / √max |qdd|                the change per step is small
    ε ≤ 0.1 / |Im λ|, in a stop 0.05 / |Im λ|                   a swing is followed; a stop begins within a step
    |R(λ ε)| ≤ 1 for every λ that does not grow by itself       the method is stable: RK4 to |λ| ε = 2.785 or 2.828

λ are the eigenvalues of the motion linearised where it starts: gravity, damping, the ramp of Coulomb friction, the
gains of a compiled law; stops add those of a joint on its spring. A Python function is tried around the start where a
step is to be chosen, else taken as constant: one that remembers its calls wants a step that is given.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from strobe.robot import Robot
from strobe.simulate.fixed_steps import Fault, called_torque, rates_at
from strobe.simulate.integrators import Integrator, Parts
from strobe.simulate.problem import Problem
from strobe.simulate.stops import eases, follows

Array = np.ndarray
TURN, BEND = 0.05, 0.2  # rad per step, and its square root by acceleration
SWING, SWING_IN_STOP = 0.1, 0.05  # of a swing's period over 2π
SAFETY = 0.5  # of what is stable
LONGEST = 1e-2  # seconds
ROUNDING = 1e-9  # by which a step may exceed what it is rounded to
MEMBERS = 8  # runs of a batch that are looked at
FASTEST = 64  # modes of them, by their eigenvalues
NUDGE, NUDGE_RATE = 1e-6, 1e-4  # for differences; the latter within the ramp of Coulomb friction
LEFT_OVER = 1e-8  # of an eigenvalue: what differences leave of a part that is none
GROWN = 1.001  # by which a mode may not grow in a step, if it does not by itself
LEFT = np.exp(
    1j * np.linspace(np.pi / 2 + 1e-9, np.pi, 1000)
)  # directions of what dies, and their conjugates
CAUTION = 0.95  # of what is stable in those directions: where nothing need be looked at more closely
SCALES = np.linspace(0.02, 12.0, 600)  # of λ h, in which the border of stability is looked for


class Modes(NamedTuple):
    """The fastest modes of a motion: eigenvalues, the degree of freedom that moves most, whether it is in a stop."""

    eigenvalues: Array
    movers: Array
    stopped: Array

    def words(self, problem: Problem, k: int) -> str:
        """One of them in words."""
        value, joint = self.eigenvalues[k], problem.joint_of(self.movers[k])
        where = f'joint "{joint}" in its stop' if self.stopped[k] else f'joint "{joint}"'
        return f"the mode of {where} (eigenvalue {_in_words(value)} 1/s)"


def _in_words(value: complex) -> str:
    """An eigenvalue without a part that is nothing but rounding beside the other."""
    if abs(value.imag) <= LEFT_OVER * abs(value):
        return f"{value.real:.4g}"
    real = "" if abs(value.real) <= LEFT_OVER * abs(value) else f"{value.real:.4g}"
    return f"{real}{value.imag:{'+' if real else ''}.4g}i"


class Choice(NamedTuple):
    """A step and why it is so short."""

    step: float
    reason: str


def modes(problem: Problem, tried: bool = False) -> Modes:
    """The modes of the first runs of a batch, where they start and at rest there.

    A torque function counts if it may be ``tried``.
    """
    return _modes(problem, _around_start(problem, tried))


def _around_start(problem: Problem, tried: bool) -> Array:
    """The motion linearised (…, 2 nv, 2 nv) where the first runs start, and at rest there."""
    both = _start_and_rest(problem)
    if tried and problem.function:  # which may count its calls
        return np.concatenate([_linearised(problem, x, tried=True) for x in np.split(both, 2)])
    return _linearised(problem, both, tried=False)


@cache
def _in_turn(p: Parts) -> Array:
    """What is left of a row (2, 1, nq + nv): all of it, then all but velocities."""
    kept = np.ones((2, 1, p.moving))
    kept[1, :, p.qd] = 0.0
    return kept


def _start_and_rest(problem: Problem) -> Array:
    """Positions and velocities where the first runs start, then at rest there."""
    state = problem.state[:MEMBERS, : problem.parts.moving]
    return (state * _in_turn(problem.parts)).reshape(-1, state.shape[1])


def surely_stable(problem: Problem, method: Integrator) -> float:
    """A step at which no mode grows, as a bound of them tells; zero where it tells nothing.

    No eigenvalue of (0 1; K D) exceeds s with s = k/s + d, sums of rows |K| at most k and |D| at most d: the norm of
    rows after positions are scaled by s.
    """
    if problem.rate.stops:  # of whose springs the bound knows nothing
        return 0.0
    k, d = _sums(_differenced(problem, _start_and_rest(problem), tried=False))
    fastest = (d + (d * d + 4.0 * k) ** 0.5) / 2.0
    return _stable(method) / fastest if fastest > 0.0 else 0.0


def _sums(differences: Array) -> list[float]:
    """The largest sum of a row of |K| and of one of |D|, from what accelerations differ by."""
    nv = len(differences) // 2
    return _weights(nv).dot(np.abs(differences).reshape(2 * nv, -1)).max(axis=1).tolist()


@cache
def _weights(nv: int) -> Array:
    """What differences are summed up with, once those by positions and once those by velocities."""
    parted = np.zeros((2, 2 * nv))
    parted[0, :nv], parted[1, nv:] = 0.5 / NUDGE, 0.5 / NUDGE_RATE
    return parted


@cache
def _stable(method: Integrator) -> float:
    """The size of λ h below which no mode grows by a method that does not by itself, with a margin."""
    return CAUTION * float(longest_stable(method, LEFT).min())


def _modes(problem: Problem, A: Array) -> Modes:
    """The fastest modes of a linearised motion."""
    p = problem.parts
    values, vectors = np.linalg.eig(A[np.isfinite(A).all(axis=(1, 2))])
    movers = np.argmax(np.abs(vectors[:, : p.nv]) + np.abs(vectors[:, p.nv :]), axis=1).ravel()
    own = Modes(values.ravel(), movers, np.zeros(movers.shape, dtype=bool))
    found = Modes(*map(np.concatenate, zip(own, _stop_modes(problem), strict=True)))
    fastest = np.argsort(-np.abs(found.eigenvalues))[:FASTEST]
    return Modes(*(each[fastest] for each in found))


def _linearised(problem: Problem, x: Array, tried: bool) -> Array:
    """d(v, qdd)/d(q, v) by differences, for every row of x."""
    nv = problem.parts.nv
    A = np.zeros((len(x), 2 * nv, 2 * nv))
    A[:, :nv, nv:] = np.eye(nv)
    A[:, nv:] = (_differenced(problem, x, tried) / (2 * _differences(nv)[0])).transpose(1, 2, 0)
    return A


def _differenced(problem: Problem, x: Array, tried: bool) -> Array:
    """By how much accelerations ahead and behind of every row of x differ: (2 nv, rows, nv)."""
    p, count = problem.parts, len(x)
    nudges, steps = _differences(p.nv)
    around = (x + steps).reshape(-1, x.shape[-1]) if steps.shape[-1] == p.moving else None
    if around is None or not problem.robot.coordinates.is_additive:
        ways = [(j, sign * by) for j, by in enumerate(nudges.ravel()) for sign in (1, -1)]
        around = np.concatenate([_nudged(problem, x, j, by) for j, by in ways])
    qdd = _accelerations(problem, around, tried).reshape(2 * p.nv, 2, count, p.nv)
    return qdd[:, 0] - qdd[:, 1]


@cache
def _differences(nv: int) -> tuple[Array, Array]:
    """By how much each degree of freedom and its rate are moved; that as rows, ahead and behind."""
    nudges = np.repeat([NUDGE, NUDGE_RATE], nv)
    ways = np.diag(nudges)
    return nudges[:, None, None], np.stack([ways, -ways], axis=1)[:, :, None]


def _nudged(problem: Problem, x: Array, j: int, by: float) -> Array:
    p, moved = problem.parts, x.copy()
    if j >= p.nv:
        moved[:, p.nq + j - p.nv] += by
    else:
        step = np.zeros((len(x), p.nv))
        step[:, j] = by
        moved[:, p.q] = problem.robot.integrate(np.ascontiguousarray(x[:, p.q]), step)
    return moved


def _accelerations(problem: Problem, x: Array, tried: bool) -> Array:
    """Of the first runs at the start, in places x (k times them, …)."""
    count = min(MEMBERS, len(problem.state))
    members = np.arange(len(x)) % count if count > 1 else np.zeros(len(x), int)
    tau = _tried(problem, x.reshape(-1, count, x.shape[-1])) if tried and problem.function else None
    calls = 1 if tried else 2
    rates = rates_at(problem, problem.spans[0], problem.start, problem.start, x, members, tau, calls)
    return rates[:, problem.parts.qd]


def _tried(problem: Problem, places: Array) -> Array | None:
    """What the torque function gives with the first runs in places (k, runs, …); nothing if it fails."""
    every = problem.state[:, : problem.parts.moving].copy()
    found: list[Array] = []
    try:
        for place in places:
            every[: len(place)] = place
            found.append(
                called_torque(problem, problem.start, every, "before the first step")[: len(place)]
            )
    except Fault:  # the run itself will tell, with the step
        return None
    return np.concatenate(found)


def at_start(problem: Problem) -> tuple[float, float]:
    """The largest speed and the largest acceleration at the start."""
    p, x = problem.parts, problem.state[:MEMBERS, : problem.parts.moving]
    qdd = np.abs(_accelerations(problem, x, tried=True))
    return float(np.abs(x[:, p.qd]).max()), float(np.max(qdd, initial=0.0, where=np.isfinite(qdd)))


def _stop_modes(problem: Problem) -> Modes:
    """Joints on the spring and damper of their stops, with the inertia that they move at the start."""
    if not problem.rate.stops:
        return Modes(np.empty(0), np.empty(0, dtype=int), np.empty(0, dtype=bool))
    p, limited = problem.parts, _limited(problem.robot)
    ease = eases(problem.robot, np.ascontiguousarray(problem.state[:MEMBERS, p.q]))
    felt = follows(problem.robot.coordinates) ** 2 * limited[:, None]
    k, d = (problem.constants[f"stop {what}"][:MEMBERS] @ felt * ease for what in ("stiffness", "damping"))
    roots = -d / 2 - np.sqrt((d / 2) ** 2 - k + 0j)  # of s² + d s + k, the faster one
    which = np.flatnonzero(felt.any(axis=0))
    values = roots[:, which].ravel()
    return Modes(values, np.tile(which, len(roots)), np.ones(values.shape, dtype=bool))


def _limited(robot: Robot) -> Array:
    """Of all degrees of freedom, those of joints that follow among them, whether there is a stop."""
    rows = [joint.limits for joint in robot.model.joints for _ in range(joint.nv)]
    return np.array([np.isfinite([row.lower, row.upper]).any() for row in rows], bool)


def longest_stable(method: Integrator, eigenvalues: Array) -> Array:
    """The longest steps at which modes that do not grow by themselves do not grow by the method."""
    size = np.abs(eigenvalues)
    size = np.where((np.real(eigenvalues) > 0) | (size == 0), 0.0, size)
    direction = np.where(size > 0, eigenvalues, -1.0) / np.where(size > 0, size, 1.0)
    if method.implicit_position:  # on a spring it is stable to ω h = 2, on a damper to d h = 2
        scale = np.full(size.shape, 2.0)
    else:
        grown = method.growth(SCALES * direction[:, None]) > GROWN
        scale = np.where(grown.any(axis=1), SCALES[np.argmax(grown, axis=1)], SCALES[-1])
    return np.where(size > 0, scale / np.where(size > 0, size, 1.0), np.inf)


def chosen(problem: Problem, method: Integrator, found: Modes, speed: float, acceleration: float) -> Choice:
    """The step for a motion of these largest rates and modes."""
    choices = [Choice(min(LONGEST, problem.end - problem.start), "no mode that asks for less")]
    if speed > 0:
        choices.append(Choice(TURN / speed, f"{TURN} rad per step at {speed:.4g} rad/s"))
    if acceleration > 0:
        choices.append(
            Choice(BEND / np.sqrt(acceleration), f"an acceleration of {acceleration:.4g} rad/s²")
        )
    stable = SAFETY * longest_stable(method, found.eigenvalues)
    swings = np.where(np.real(found.eigenvalues) > 0, 0.0, np.abs(np.imag(found.eigenvalues)))
    parts = np.where(found.stopped, SWING_IN_STOP, SWING)
    steps = np.minimum(stable, parts / np.maximum(swings, 1e-300))
    if len(steps):
        k = int(np.argmin(steps))
        choices.append(Choice(float(steps[k]), found.words(problem, k)))
    step, reason = min(choices)
    return Choice(_of_three_digits(step), reason)


def _of_three_digits(step: float) -> float:
    """The next shorter step that is as short in print as in truth."""
    digit = 10.0 ** (np.floor(np.log10(step)) - 2)
    return float(f"{np.floor(step / digit * (1 + ROUNDING)) * digit:.3g}")


def too_long(problem: Problem, method: Integrator, step: float, found: Modes | None = None) -> str | None:
    """What to say about a step at which some mode grows by the method; modes are looked for if none are given."""
    if found is None:
        if step <= surely_stable(problem, method):
            return None
        found = modes(problem)
    stable = longest_stable(method, found.eigenvalues)
    if not len(stable) or step <= stable.min():
        return None
    k = int(np.argmin(stable))
    return (
        f"step is {step:g} s, too long for {method.name}: {found.words(problem, k)} needs a step below "
        f"{stable[k]:.3g} s."
    )
