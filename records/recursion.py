"""Newton-Euler for few operations: one recursion for arms in modified DH, its choices as data.

    ω_i = Aᵀ ω + q̇ z,  U_i z = Aᵀ U z,  ω̇_i = U z × z + (z·ω) ω × z + (z·Aᵀ ω̇ + q̈) z,  v̇_i = Aᵀ (v̇ + U P)
    U = [ω̇×] + [ω×]²; a joint axis has one second derivative U z, seen from both of its links
    G = [U v̇] Ĵ,  F = the last column of G,  N = (G_zy − G_yz, G_xz − G_zx, G_yx − G_xy)
    f_i = F + A f,  n_i = N + A n + P × A f,  tau_i = n_z, or f_z where the joint slides

Ĵ are the second moments of `layout`, whose layout is one choice. The others:

    turn       how a vector turns by a joint angle: four products, or three and a sum more (*sum*: k = c (x + y),
               x' = k + (s − c) y, y' = k − (c + s) x)
    twist      the same for the oblique angle between two axes, where s − c and c + s are constants
    paired     two entries of a symmetric matrix share a product: b (x + y) + (a − b) x and b (x + y) + (c − b) y
    euler      links whose moment is written XX ω̇_x + (ZZ − YY) ω_y ω_z … instead of over U
    absolute   joints parallel to the one before: ω, ω̇ and n turn by the sum of both angles at once
    scheme     links whose force and moment are the products of `scheme`
    held       the last link is seen from the axes in which its joint starts: its moments turn, and no vector does
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import TypeAlias

from records import scheme
from records.layout import AXES, Link, Moments, is_zero, links, minus
from strobe.errors import ArgumentError, UnsupportedModelError
from strobe.models.model import Model
from strobe.scalars import Num, Numbers
from strobe.scalars.scalar import is_number

Vector: TypeAlias = list[Num]
Rows: TypeAlias = list[Vector]
Point: TypeAlias = tuple[Num, Num]  # cosine and sine
Copy: TypeAlias = Callable[[Num], Num]


@dataclass(frozen=True, slots=True)
class Choices:
    """One variant; joints and links are counted from 1.

    A length d stays with the joints in ``stays`` and passes to the next ones from the others; ``kept`` says by joint
    which kinds of mass (m, h, I) are kept beyond it.
    """

    turn: str = "four"
    twist: str = "four"
    stays: frozenset[int] = frozenset()
    kept: Mapping[int, str] = field(default_factory=dict)
    paired: bool = False
    euler: frozenset[int] = frozenset()
    absolute: frozenset[int] = frozenset()
    held: bool = False
    scheme: frozenset[int] = frozenset()

    @property
    def left(self) -> Mapping[int, Mapping[str, str]]:
        """What links pass inward but for the negative of another moment."""
        return dict.fromkeys(self.scheme, scheme.LEFT)


@dataclass(frozen=True, slots=True)
class Angles:
    """Points of the circle by joint from 1 on, and those of the sum with the angle of the joint before."""

    own: Mapping[int, Point]
    summed: Mapping[int, Point]


@dataclass(slots=True)
class Motion:
    """How a link moves, in its own axes."""

    w: Vector
    wd: Vector
    vd: Vector
    axis: Vector  # the second derivative of the next joint axis across it, U z
    U: Rows
    squares: Vector
    products: Vector  # yz, xz, xy


def inverse_dynamics(
    model: Model,
    choices: Choices,
    angles: Angles,
    q: Numbers,
    qd: Numbers,
    qdd: Numbers,
    copy: Copy = lambda x: x,
) -> list[Num]:
    """Joint forces; ``copy`` marks values that may be scaled apart from what they are copies of."""
    _require_upright(model)
    _require_one_way(choices, model.nv)
    arm = links(model, choices.stays, choices.kept, choices.left)
    turns = {k: Turning(point, choices.turn) for k, point in angles.own.items()}
    sums = {k: Turning(angles.summed[k], choices.turn) for k in choices.absolute}
    wrenches: list[tuple[Vector, Vector]] = []
    offsets: list[Vector] = []
    motion = Motion([0, 0, 0], [0, 0, 0], [-g for g in model.gravity.linear], [], [[0] * 3] * 3, [], [])
    first = motion  # of the axes from which a joint turns by a sum of angles
    for k, link in enumerate(arm, 1):
        P = offset(link, q[k - 1])
        arrived = _carried(link, motion, P, choices.twist, copy)
        J = link.J
        if link.slides:
            motion = _slipped(arrived, qd[k - 1], qdd[k - 1])
        elif choices.held and k == len(arm):
            J, turns[k] = turned_moments(J, turns[k]), STILL
            motion = _turned(arrived, arrived, STILL, STILL, (qd[k - 1], qdd[k - 1]))
        elif k in choices.absolute:
            motion = _turned(arrived, first, turns[k], sums[k], (qd[k - 1], qdd[k - 1]))
        else:
            first = arrived
            motion = _turned(arrived, arrived, turns[k], turns[k], (qd[k - 1], qdd[k - 1]))
        offsets.append(P)
        wrenches.append(_wrench(J, motion, choices, k))
    return _inward(arm, turns, sums, wrenches, offsets, choices.twist, copy)


def _require_upright(model: Model) -> None:
    """The first link is taken to need one number, its inertia about its joint."""
    down = model.gravity.linear
    if not (model.joints[0].turns and is_zero(down.x) and is_zero(down.y)):
        raise UnsupportedModelError(
            f"{model.name}: for few operations the first joint must turn about the direction of gravity, base z."
        )


def _require_one_way(choices: Choices, last: int) -> None:
    """Where moments turn, none of them is tied to another."""
    if choices.held and last in choices.scheme | choices.absolute:
        raise ArgumentError(f"link {last} is held: it can be neither absolute nor by the scheme.")


def offset(link: Link, q: Num) -> Vector:
    """The origin of a link in the axes of the one before."""
    return [p + k * q for p, k in zip(link.P, link.axis, strict=False)] if link.slides else [*link.P]


# -- outward ------------------------------------------------------------------------------------------


def _carried(link: Link, before: Motion, P: Vector, twist: str, copy: Copy) -> Motion:
    """What the link before hands on, in axes whose z is the joint."""
    vd = [
        v + total(u * p for u, p in zip(row, P, strict=True))
        for v, row in zip(before.vd, before.U, strict=True)
    ]
    w, vd = (twisted_in(link, x, twist) for x in (before.w, vd))
    wd = twisted_in(link, before.wd, "four")  # a turning joint needs no more than its z
    across = link.c * before.U[0][2] - link.s * before.U[0][1]
    if is_zero(link.c) or is_zero(link.s):
        axis = [across, link.c * link.c * before.U[1][2] - link.s * link.s * before.U[2][1]]
    else:
        axis = [across, w[1] * w[2] - wd[0]]
    return Motion(w, wd, [copy(vd[0]), vd[1], vd[2]], axis, [], [], [])


def _slipped(arrived: Motion, qd: Num, qdd: Num) -> Motion:
    (x, y, _), vd, twice = arrived.w, arrived.vd, qd * 2
    return _moving(arrived.w, arrived.wd, [vd[0] + y * twice, vd[1] - x * twice, vd[2] + qdd])


def _turned(
    arrived: Motion, start: Motion, turn: Turning, whole: Turning, rates: tuple[Num, Num]
) -> Motion:
    """After the joint: ω and U z turned from ``start`` by the whole turn, v̇ from where it arrived."""
    qd, qdd = rates
    x, y, _ = whole.inward(start.w)
    z = arrived.w[2] + qd
    if start is arrived and is_zero(start.w[0]) and not is_zero(start.w[2]):  # here ω' × q̇ z takes less
        p, r, _ = whole.inward(start.wd)
        return _moving([x, y, z], [p + y * qd, r - x * qd, arrived.wd[2] + qdd], turn.inward(arrived.vd))
    p, r, _ = whole.inward([*start.axis, 0])
    wd = [y * z - r, p - x * z, arrived.wd[2] + qdd]
    motion = _moving([x, y, z], wd, turn.inward(arrived.vd))
    motion.U[0][2], motion.U[1][2] = p, r
    return motion


def _moving(w: Vector, wd: Vector, vd: Vector) -> Motion:
    (x, y, z), (dx, dy, dz) = w, wd
    xx, yy, zz, yz, xz, xy = x * x, y * y, z * z, y * z, x * z, x * y
    U = [
        [minus(yy + zz), xy - dz, xz + dy],
        [xy + dz, minus(xx + zz), yz - dx],
        [xz - dy, yz + dx, minus(xx + yy)],
    ]
    return Motion(w, wd, vd, [], U, [xx, yy, zz], [yz, xz, xy])


# -- one link -----------------------------------------------------------------------------------------


def _wrench(J: Moments, motion: Motion, choices: Choices, k: int) -> tuple[Vector, Vector]:
    """F and N of a link."""
    if k == 1:
        return [0, 0, 0], [0, 0, (J["xx"] + J["yy"]) * motion.wd[2]]
    if k in choices.scheme:
        names = (f"U{row}{column}" for row in "xyz" for column in "xyz")
        inputs = dict(zip((*names, "vx", "vy", "vz"), [*chain(*motion.U), *motion.vd], strict=True))
        return scheme.wrench(J, inputs)
    euler = k in choices.euler
    used = {**J, "xx": 0, "yy": 0, "zz": 0} if euler else J
    G = {row: _row(row, used, motion, choices.paired) for row in "xyz"}
    F = [total([*G[row]["w"], J[row + "w"] * motion.U[i][i]]) for i, row in enumerate("xyz")]
    xx, yy, zz = motion.squares
    N = [
        [*G["z"]["y"], *map(minus, G["y"]["z"]), J["yz"] * (zz - yy)],
        [*G["x"]["z"], *map(minus, G["z"]["x"]), J["xz"] * (xx - zz)],
        [*G["y"]["x"], *map(minus, G["x"]["y"]), J["xy"] * (yy - xx)],
    ]
    if euler:
        for terms, more in zip(N, _euler(J, motion), strict=True):
            terms += more
    return F, [total(terms) for terms in N]


def _row(row: str, J: Moments, motion: Motion, paired: bool) -> dict[str, list[Num]]:
    """A row of G but for its own diagonal entry of U, as terms by column."""
    i = AXES.index(row)
    inputs = dict(zip(AXES, [*motion.U[i], motion.vd[i]], strict=True))
    columns = AXES.replace(row, "")
    diagonal = {a: J[a + a] for a in columns}
    terms: dict[str, list[Num]] = {a: [] for a in columns}
    for a, b in (columns[:2], columns[1:], columns[::2]):
        value, x, y = J[a + b], inputs[a], inputs[b]
        if paired and not any(map(is_zero, (value, x, y, diagonal[a], diagonal[b]))):
            both = value * (x + y)
            terms[a].append(both)
            terms[b].append(both)
            diagonal[a], diagonal[b] = diagonal[a] - value, diagonal[b] - value
        else:
            terms[a].append(value * y)
            terms[b].append(value * x)
    return {a: [diagonal[a] * inputs[a], *terms[a]] for a in columns}


def _euler(J: Moments, motion: Motion) -> list[list[Num]]:
    """The part of the second moments xx, yy, zz in N, over ω̇ and products of ω."""
    parts: list[list[Num]] = []
    for k, (b, c) in enumerate(((J["yy"], J["zz"]), (J["zz"], J["xx"]), (J["xx"], J["yy"]))):
        wd, product = motion.wd[k], motion.products[k]
        if is_zero(b) or is_zero(c):
            parts.append([b * (wd + product), c * (wd - product)])
        else:
            parts.append([wd * (b + c), product * (b - c)])
    return parts


# -- inward -------------------------------------------------------------------------------------------


def _inward(
    arm: Sequence[Link],
    turns: Mapping[int, Turning],
    sums: Mapping[int, Turning],
    wrenches: Sequence[tuple[Vector, Vector]],
    offsets: Sequence[Vector],
    twist: str,
    copy: Copy,
) -> list[Num]:
    tau: list[Num] = []
    f: Vector = [0, 0, 0]
    n, apart = f, f
    for k in range(len(arm), 0, -1):
        link, (F, N) = arm[k - 1], wrenches[k - 1]
        f, n = added(F, f), added(N, n)
        tau.append(f[2] if link.slides else n[2])
        if k == 1:
            break
        if k in sums:
            apart, f, n = sums[k].outward(n), turns[k].outward(f), [0, 0, n[2]]
        elif not link.slides:
            f, n = turns[k].outward(f), added(turns[k].outward(n), [*apart[:2], 0])
            apart = [0, 0, 0]
        f, n = (twisted_out(link, [copy(x[0]), x[1], x[2]], twist) for x in (f, n))
        n = added(n, cross(offsets[k - 1], f))
    return tau[::-1]


# -- vectors ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Turning:
    """Vectors turned about z by an angle."""

    point: Point
    kind: str

    def inward(self, v: Vector) -> Vector:
        """Into the turned axes."""
        return self._by(*self.point, v)

    def outward(self, v: Vector) -> Vector:
        """Out of the turned axes."""
        c, s = self.point
        return self._by(c, minus(s), v)

    def _by(self, c: Num, s: Num, v: Vector) -> Vector:
        x, y, z = v
        if self.kind == "four" or is_zero(x) or is_zero(y):
            return [c * x + s * y, c * y - s * x, z]
        k = c * (x + y)
        return [k + (s - c) * y, k - (c + s) * x, z]


STILL = Turning((1, 0), "four")


def turned_moments(J: Moments, turn: Turning) -> Moments:
    """Second moments in the axes that a joint turns from."""
    c, s = turn.point
    (xz, yz, _), (xw, yw, _) = (turn.outward([J["x" + a], J["y" + a], 0]) for a in "zw")
    t = (J["xx"] - J["yy"]) * s + (J["xy"] * 2) * c
    turned = {"xx": J["xx"] - s * t, "yy": J["yy"] + s * t, "xy": c * t - J["xy"]}
    return {**J, **turned, "xz": xz, "yz": yz, "xw": xw, "yw": yw}


def twisted_in(link: Link, v: Vector, kind: str) -> Vector:
    """From the axes of the link before to those whose z is the joint."""
    return [v[0], *_twist(link, kind).inward([*v[1:], 0])[:2]]


def twisted_out(link: Link, v: Vector, kind: str) -> Vector:
    """The other way round."""
    return [v[0], *_twist(link, kind).outward([*v[1:], 0])[:2]]


def _twist(link: Link, kind: str) -> Turning:
    oblique = not (is_number(link.c) or is_number(link.s))
    return Turning((link.c, link.s), kind if oblique else "four")


def added(a: Vector, b: Vector) -> Vector:
    return [x + y for x, y in zip(a, b, strict=True)]


def cross(a: Vector, b: Vector) -> Vector:
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def total(terms: Iterable[Num]) -> Num:
    """The sum of what does not vanish by structure."""
    return sum((term for term in terms if not is_zero(term)), start=0)
