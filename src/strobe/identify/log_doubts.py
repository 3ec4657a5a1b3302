"""What may be wrong with the columns of a log, by the fit that another reading of them would give.

Every way in which columns are mistaken for each other (a sign, two joints exchanged, degrees for radians) is one
change of the log; where the torques fit far better after it, that is said. A log that fits well is not asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from strobe.errors import counted
from strobe.identify.even_samples import Stretch

Array = np.ndarray
Reading = tuple[str, Callable[[Stretch], Stretch]]

POOR = 20.0  # % of relative residual error, of the worst joint: below it, nothing is doubted
BETTER = 3.0  # times smaller must an error be
SATURATED = 0.02  # of rows, that have one and the same largest effort
ALIKE = 1e-9  # of it
HELD = 5  # rows without effort, one after the other
STANDS = 1e-3  # rad or m: a joint that moves less stands
THOUSAND = 1e3
LEAST = 0.1  # of the parameters that were known: below, the unit is doubted


def readings(joints: Sequence[str]) -> Iterator[Reading]:
    """Other readings of a log, and what is said where one of them fits."""
    n = len(joints)
    for j, name in enumerate(joints):
        signs = _signs(n, j)
        yield f"the torque of {name} seems to have the other sign", _torque(range(n), signs)
        yield f"the position of {name} seems to have the other sign", _position(range(n), signs)
        yield f"position and torque of {name} seem to have the other sign", _both(range(n), signs)
    for i in range(n):
        for j in range(i + 1, n):
            both, order = f"{joints[i]} and {joints[j]}", list(range(n))
            order[i], order[j] = j, i
            yield f"the torques of {both} seem to be exchanged", _torque(order, np.ones(n))
            yield f"the positions of {both} seem to be exchanged", _position(order, np.ones(n))
            yield f"positions and torques of {both} seem to be exchanged", _both(order, np.ones(n))
    yield "the angles seem to be in degrees (degrees=True)", _position(range(n), np.full(n, np.pi / 180))


def _signs(n: int, j: int) -> Array:
    signs = np.ones(n)
    signs[j] = -1.0
    return signs


def _torque(order: Sequence[int], factors: Array) -> Callable[[Stretch], Stretch]:
    return lambda piece: replace(piece, effort=piece.effort[:, list(order)] * factors)


def _position(order: Sequence[int], factors: Array) -> Callable[[Stretch], Stretch]:
    def read(piece: Stretch) -> Stretch:
        q, qd, qdd = (x[:, list(order)] * factors for x in (piece.q, piece.qd, piece.qdd))
        return replace(piece, q=q, qd=qd, qdd=qdd)

    return read


def _both(order: Sequence[int], factors: Array) -> Callable[[Stretch], Stretch]:
    torque, position = _torque(order, factors), _position(order, factors)
    return lambda piece: position(torque(piece))


def doubts(
    joints: Sequence[str], pieces: Sequence[Stretch], error: Callable[[Sequence[Stretch]], Array]
) -> list[str]:
    """A sentence for each other reading that fits far better; ``error`` gives that of each joint in percent."""
    tried = [max(pieces, key=len)]
    found = error(tried)
    if not found.max() > POOR:
        return []
    better: list[tuple[float, str]] = []
    for sentence, read in readings(joints):
        size = float(np.linalg.norm(error([read(piece) for piece in tried])))
        if size * BETTER < np.linalg.norm(found):
            better.append((size, sentence))
    if not better:
        return [
            f"{found.max():.0f} % of the torques of {joints[int(found.argmax())]} stay unexplained: see that "
            "columns, units and the robot's geometry are those of the log."
        ]
    size, sentence = min(better)
    times = float(np.linalg.norm(found)) / max(size, 1e-300)
    return [f"{sentence}: read so, what is left of the torques is {times:.3g} times smaller."]


def begun(piece: Stretch, rows: int) -> Stretch:
    """So many rows in the middle of a stretch."""
    spare = max(0, (len(piece) - rows) // 2)
    cut = slice(spare, spare + rows)
    names = ("times", "q", "qd", "qdd", "effort", "felt")
    return replace(piece, **{name: getattr(piece, name)[cut] for name in names})


def standing(joints: Sequence[str], pieces: Sequence[Stretch], slowest: float) -> list[str]:
    """The joints that move in no stretch."""
    fastest = np.max([np.abs(piece.qd).max(axis=0) for piece in pieces], axis=0)
    still = [name for name, speed in zip(joints, fastest, strict=True) if speed <= slowest]
    if not still:
        return []
    verb = "does" if len(still) == 1 else "do"
    return [f"{', '.join(still)} {verb} not move: what only such a motion tells is not known."]


def constant(joints: Sequence[str], pieces: Sequence[Stretch], slowest: float) -> list[str]:
    """The joints that move while their effort is one number."""
    told = list[str]()
    for j, name in enumerate(joints):
        effort = np.concatenate([piece.effort[piece.felt[:, j], j] for piece in pieces])
        moves = any(np.abs(piece.qd[:, j]).max() > slowest for piece in pieces)
        if moves and len(effort) and np.ptp(effort) == 0:
            told.append(
                f"the effort of {name} is {effort[0]:.4g} all the while, though it moves: it is no measurement."
            )
    return told


def slow(joints: Sequence[str], inertial: Array, noise: Array) -> list[str]:
    """A sentence where joints move so slowly that what they take of it (joints,) is lost in noise."""
    lost = [
        f"{name} ({x:.2g} of {s:.2g})"
        for name, x, s in zip(joints, inertial, noise, strict=True)
        if 0 < x < s
    ]
    if not lost:
        return []
    return [
        f"the motion is too slow for inertias: what accelerations and speeds take of {', '.join(lost)} N m or N is "
        "less than the noise."
    ]


def scaled(found: Array, known: Array, spread: Array) -> list[str]:
    """A sentence where base parameters are those of the robot as it was given, but in another unit."""
    weight = 1 / np.maximum(spread, 1e-300)
    if not (known * weight).any():
        return []
    a, b = found * weight, known * weight
    ratio = float(a @ b) / float(b @ b)
    if LEAST < ratio < 1 / LEAST:
        return []
    if -1 / LEAST < ratio < -LEAST:
        meant = "all of them seem to have the other sign."
    elif abs(ratio / THOUSAND - 1) < 0.5:
        meant = "they seem to be in N mm."
    elif abs(ratio * THOUSAND - 1) < 0.5:
        meant = "they seem to be in kN m."
    else:
        meant = "are they N m or N, and no currents?"
    return [
        f"masses and inertias are {ratio:.3g} times those that the robot was given with: see the unit of the "
        f"torques; {meant}"
    ]


def braked(joints: Sequence[str], q: Array, effort: Array) -> tuple[Array, list[str]]:
    """Where joints (N, n) stand without any effort beside rows that have one: a brake holds them."""
    most = np.nanmax(np.abs(effort), axis=0, initial=0.0)
    nothing = (np.abs(effort) <= ALIKE * most) & (most > 0)
    held, told = np.zeros_like(nothing), list[str]()
    for j, name in enumerate(joints):
        for first, last in _runs(nothing[:, j]):
            moved = np.ptp(q[first:last, j]) if q.shape == effort.shape else 0.0
            held[first:last, j] = last - first >= HELD and moved < STANDS
        if held[:, j].any():
            told.append(name)
    if not told:
        return held, []
    rows = counted(int(held.any(axis=1).sum()), "row")
    return held, [
        f"{', '.join(told)} stand without effort in {rows}, which were left out: a brake holds them."
    ]


def _runs(true: Array) -> list[tuple[int, int]]:
    """Where a mask is true without a break: first row, and the one behind the last."""
    edges = np.flatnonzero(np.diff(true.astype(np.int8), prepend=0, append=0))
    return list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))


def saturated(joints: Sequence[str], effort: Array) -> tuple[Array, list[str]]:
    """Where an effort (N, n) stays at its bound, and a sentence on each such joint."""
    size = np.abs(effort)
    most = size.max(axis=0, initial=0.0)
    at = (size >= most * (1 - ALIKE)) & (most > 0)
    stays = (at.mean(axis=0) > SATURATED) & ~at.all(axis=0)
    told = [
        f"the effort of {name} is ±{bound:.4g} in {counted(int(rows), 'row')}: it seems cut off there, and they were "
        "left out."
        for name, bound, rows, is_cut in zip(joints, most, at.sum(axis=0), stays, strict=True)
        if is_cut
    ]
    return at & stays, told
