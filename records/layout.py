"""Arms laid out for few operations: where origins lie on joint axes, and which link carries which mass.

A link in modified DH: a twist about x, an offset P of its origin in the axes of the link before, a joint along z. Its
ten mass properties are the second moments Ĵ = ∫ r̂ r̂ᵀ dm of r̂ = (x, y, z, 1), keyed by letters, w for the last:

    xx xy xz yy yz zz    ∫ x x dm … ∫ z z dm          xw yw zw    first moments          ww    mass

Two freedoms cost nothing, because constants of a model are free.

    slide    an origin may lie anywhere on its joint axis: the length d_i belongs to P_i, or to P_{i+1}, where it
             is a z and P has no y
    share    a mass, a first moment and a second moment on the axis k of a turning joint look the same from both of
             its sides: Ĵ_i may take m P̂ P̂ᵀ, h (P̂ k̂ᵀ + k̂ P̂ᵀ) and I k̂ k̂ᵀ to the link before, or from it

Taking all of zz, zw, ww inward gives the base parameters of [Khalil1987]. Keeping some of them beyond a joint clears
an entry of the link before that costs more. Numbers of any system; no torque changes.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations_with_replacement

from strobe.algebra import Shift, Turn
from strobe.errors import ArgumentError
from strobe.models.model import Body, Model
from strobe.scalars import Num
from strobe.scalars.scalar import is_number

AXES = "xyzw"
PAIRS = tuple("".join(pair) for pair in combinations_with_replacement(AXES, 2))

Moments = Mapping[str, Num]
Vector = Sequence[Num]  # in homogeneous coordinates: points end with 1, directions with 0


@dataclass(frozen=True, slots=True)
class Link:
    """One link: cosine and sine of its twist, its origin in parent axes, its joint and its second moments."""

    c: Num
    s: Num
    P: tuple[Num, Num, Num]
    slides: bool
    J: Moments

    @property
    def axis(self) -> Vector:
        """The joint axis in parent axes."""
        return (0, minus(self.s), self.c, 0)


def links(
    model: Model,
    stays: Collection[int],
    kept: Mapping[int, str],
    left: Mapping[int, Mapping[str, str]] | None = None,
) -> list[Link]:
    """An arm of modified DH, laid out as `recursion.Choices` say."""
    return shared_out(slid(model, stays), kept, left or {})


def is_zero(x: Num) -> bool:
    """Whether a number vanishes by the structure of the arm."""
    return is_number(x) and x == 0


def minus(x: Num) -> Num:
    """−x; a zero stays what it is."""
    return 0 if is_zero(x) else -x


def moments(body: Body) -> Moments:
    """The second moments of a body about its origin."""
    m, h, I = body.inertia.m, body.inertia.h, body.inertia.I
    half = {"xx": I.yy + I.zz - I.xx, "yy": I.xx + I.zz - I.yy, "zz": I.xx + I.yy - I.zz}
    return {
        **{key: 0 if is_zero(x) else x * 0.5 for key, x in half.items()},
        "xy": minus(I.xy), "xz": minus(I.xz), "yz": minus(I.yz), "xw": h.x, "yw": h.y, "zw": h.z, "ww": m,
    }  # fmt: skip


# -- slide --------------------------------------------------------------------------------------------


def slid(model: Model, stays: Collection[int]) -> list[Link]:
    """The links of a model; a length d stays with the joints named, from 1 on, and else passes to the next."""
    found: list[Link] = []
    passed: Num = 0
    for number, body in enumerate(model.bodies, 1):
        c, s, a, d = _constants(body)
        slides, J = body.joint.slides, moments(body)
        y, z, passed = 0, passed, 0
        if slides or number in stays:
            y, z = minus(s * d), z + c * d
        elif not is_zero(d):
            passed, J = d, _raised(J, d)
        found.append(Link(c, s, (a, y, z), slides, J))
    return found


def _constants(body: Body) -> tuple[Num, Num, Num, Num]:
    """Cosine and sine of the twist, a and d."""
    c, s, a, d = 1, 0, 0, 0
    for step in body.before.steps:
        if isinstance(step, Turn):
            c, s = step.c, step.s
        elif isinstance(step, Shift):
            a, d = a + step.p.x, d + step.p.z
    return c, s, a, d


def _raised(J: Moments, d: Num) -> Moments:
    """The moments about an origin that lies lower by d: z becomes z + d."""
    return {
        **J,
        "xz": J["xz"] + d * J["xw"],
        "yz": J["yz"] + d * J["yw"],
        "zz": J["zz"] + (d * J["zw"]) * 2 + (d * d) * J["ww"],
        "zw": J["zw"] + d * J["ww"],
    }


# -- share --------------------------------------------------------------------------------------------

KINDS = {"m": "ww", "h": "zw", "I": "zz"}
"""What a turning joint cannot tell from its two sides: a mass, a first and a second moment on its axis."""


def shared_out(
    arm: Sequence[Link], kept: Mapping[int, str], left: Mapping[int, Mapping[str, str]]
) -> list[Link]:
    """Kinds kept beyond a joint clear an entry of the link before, outward; the others go inward.

    They leave nothing behind, or what ``left`` says by link and kind: the negative of another entry.
    """
    _require_possible(arm, kept, left)
    J = [dict(link.J) for link in arm]
    for i in range(1, len(arm)):
        for kind in kept.get(i + 1, ""):
            _clear(arm[i], kind, J[i - 1], J[i])
    for i in reversed(range(len(arm))):
        before = J[i - 1] if i else {}
        if arm[i].slides:
            _all_inward(arm[i], J[i], before)
        else:
            _inward(arm[i], kept.get(i + 1, ""), left.get(i + 1, {}), J[i], before)
    return [replace(link, J=own) for link, own in zip(arm, J, strict=True)]


def _require_possible(
    arm: Sequence[Link], kept: Mapping[int, str], left: Mapping[int, Mapping[str, str]]
) -> None:
    sliding = [k for k in kept if arm[k - 1].slides]
    if sliding:
        raise ArgumentError(f"joint {sliding[0]} slides: its two sides look alike to no mass; keep none.")
    both = [k for k, kinds in left.items() if set(kinds) & set(kept.get(k, ""))]
    if both:
        raise ArgumentError(
            f"link {both[0]} cannot both keep a moment and pass it on but for another; choose one."
        )


def _clear(link: Link, kind: str, before: dict[str, Num], own: dict[str, Num]) -> None:
    """An entry of the link before vanishes by what now counts as the link's own."""
    target, matrix = _target(link, kind), _matrix(link, kind)
    if is_zero(matrix[target]):
        raise ArgumentError(
            f"{kind!r} kept beyond a joint reaches no {target!r} of the link before; pass it on."
        )
    if not is_zero(before[target]):
        amount = before[target] / matrix[target]
        _add(before, matrix, -amount)
        before[target] = 0
        own[KINDS[kind]] = own[KINDS[kind]] + amount


def _target(link: Link, kind: str) -> str:
    """The entry that a kind clears: the dearest one that it reaches."""
    if kind == "m":
        return next((axis + "w" for axis, p in zip(AXES, link.P, strict=False) if not is_zero(p)), "xw")
    if kind == "h":
        return "yw"
    return "yy" if is_zero(link.c) else "yz"


def _inward(
    link: Link, kept: str, leave: Mapping[str, str], own: dict[str, Num], before: dict[str, Num]
) -> None:
    """What is not kept beyond a turning joint goes to the link before; the base takes all."""
    for kind, entry in KINDS.items():
        if kind not in kept:
            left = minus(own[leave[kind]]) if kind in leave else 0
            if before:
                _add(before, _matrix(link, kind), own[entry] - left)
            own[entry] = left


def _all_inward(link: Link, own: dict[str, Num], before: dict[str, Num]) -> None:
    """Second moments beyond a sliding joint belong to the link before: they never turn in it."""
    columns = {"x": (1, 0, 0, 0), "y": (0, link.c, link.s, 0), "z": link.axis}
    for key in PAIRS[:3] + PAIRS[4:6] + PAIRS[7:8]:
        if before:
            _add(before, _outer(columns[key[0]], columns[key[1]], key[0] == key[1]), own[key])
        own[key] = 0


def _matrix(link: Link, kind: str) -> Moments:
    """The second moments, seen by the link before, of one unit of a kind."""
    P, k = (*link.P, 1), link.axis
    u, v = {"m": (P, P), "h": (P, k), "I": (k, k)}[kind]
    return _outer(u, v, kind != "h")


def _outer(u: Vector, v: Vector, alike: bool) -> Moments:
    """u uᵀ, or u vᵀ + v uᵀ."""
    places = {key: (AXES.index(key[0]), AXES.index(key[1])) for key in PAIRS}
    if alike:
        return {key: u[i] * u[j] for key, (i, j) in places.items()}
    return {key: u[i] * v[j] + u[j] * v[i] for key, (i, j) in places.items()}


def _add(J: dict[str, Num], matrix: Moments, amount: Num) -> None:
    for key in PAIRS:
        J[key] = J[key] + matrix[key] * amount
