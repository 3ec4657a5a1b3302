"""Whether what a file says of masses and inertias can be true of bodies made of matter.

With the second moments Σ = ½ tr(I) 1 − I about the centre of mass, a body is possible only if Σ ≥ 0. If it is made of
matter no denser than ρ, then also

    det Σ ≥ det Σ of the ellipsoid of that density        ρ ≥ 3 m / (4π √det(5 Σ/m)) =: the least density

for of all bodies of mass m and density ρ or less, the ellipsoids have the least det Σ (a linear map that keeps volume
makes Σ a multiple of 1, and then the ball has the least trace). Nothing is denser than osmium. Hollow links may be
far less dense than their matter, but few are lighter than the air.

An inertia stated about the link's origin instead of its centre of mass c shows in what is left without Steiner's part
m (c² 1 − c cᵀ): of an inertia about the centre that is rarely possible, of one about the origin always.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

import numpy as np

from strobe.models.assembly import Assembly, LinkData
from strobe.models.checks import LARGEST, SMALLEST, SPREAD, broken_rule
from strobe.models.findings import DOUBTFUL, NOTE, SERIOUS, Finding
from strobe.models.inertial import principal_moments

Array = np.ndarray

OSMIUM = 22_590.0  # kg/m³
AIR = 1.2
# of the largest moment: an inequality that fails by less was true before digits were cut off
ROUNDED = 1e-2
FLAT = 1e-6  # of the largest second moment: below it a plate or a rod is meant, whose density says nothing
SLIGHT = 1e-2  # of the largest inertia of the file: what is less has no consequence
NOTHING = 1e-12  # kg m²: no inertia at all
OFF = 0.03  # m between origin and centre of mass that tell them apart
SUSPECTED, AT_LEAST = 0.8, 4  # share and number of links that would be possible about their origins
AGAIN = (
    "Take it from the drawing again: products with the wrong sign, mixed-up axes or another point do this. "
    "MuJoCo refuses it."
)
COPIES = 5  # links with the same numbers: more than the legs of a quadruped have
MOST_POINTS = 200  # of one body, that are looked at one by one


def judged(data: Assembly) -> Iterator[Finding]:
    """What is wrong with the inertias of a file, link by link and as a whole."""
    bodies = [link for link in data.links if _finite(link) and link.inertial.central is not None]
    largest = max((float(np.trace(_central(link))) for link in bodies), default=0.0)
    sizes = _sizes(data)
    for link in bodies:
        yield from _judged(link, largest, sizes)
    yield from _about_origins(bodies)
    yield from _copied(bodies)
    yield from _resting(data)


def _finding(
    severity: str, link: LinkData, text: str, detail: str, cure: str, repair: bool = False
) -> Finding:
    return Finding(severity, "inertia", f'link "{link.name}"', link.where, text, detail, cure, repair)


def _judged(link: LinkData, largest: float, sizes: Mapping[str, float]) -> Iterator[Finding]:
    m, I = _mass(link), _central(link)
    if m == 0 and np.abs(I).max() <= NOTHING:
        return
    if m == 0:
        slight = NOTE if np.trace(I) < SLIGHT * largest else DOUBTFUL
        cure = "Give it its mass, or no inertia; MuJoCo drops it, Pinocchio keeps it, as here."
        yield _finding(slight, link, "has an inertia but no mass", f"trace {np.trace(I):.3g} kg m²", cure)
    elif np.abs(I).max() <= NOTHING:
        cure = "Give it an inertia: MuJoCo refuses a moving body without one."
        yield _finding(NOTE, link, "is a point mass without inertia", f"{m:.4g} kg", cure)
    elif fault := broken_rule(principal_moments(link.inertial.central)):  # pyright: ignore[reportArgumentType]
        yield _impossible(link, fault, slight=bool(np.trace(I) < SLIGHT * largest))
    elif m > 0:
        found = [*_density(link, m, I, largest)]
        yield from found or _spread(link, m, I, sizes.get(link.name, 0.0))


def _impossible(link: LinkData, fault: str, slight: bool) -> Finding:
    a, b, c = principal_moments(link.inertial.central)  # pyright: ignore[reportArgumentType]
    broken = f"{a:.4g} is negative" if fault == "sign" else f"{c:.4g} > {a:.4g} + {b:.4g}"
    off = abs(a) if fault == "sign" else c - a - b
    rounded = off < ROUNDED * c
    cure = "Digits were cut off." if rounded else AGAIN
    text = "has principal moments of inertia that no body has"
    text += ", by a rounding" if rounded else ""
    detail = f"{broken} kg m²"
    return _finding(DOUBTFUL if rounded or slight else SERIOUS, link, text, detail, cure, repair=True)


def _density(link: LinkData, m: float, I: Array, largest: float) -> Iterator[Finding]:
    """Denser than any matter, or lighter than air."""
    axes, density = _ellipsoid(m, I)
    if density is None:
        return
    size = " × ".join(f"{2e3 * a:.3g}" for a in axes[::-1])
    detail = f"{m:.4g} kg as an ellipsoid of {size} mm"
    if density > OSMIUM:
        cure = "Its inertia is too small for its mass, whatever it is made of: check both (kg, kg m²)."
        yield _finding(DOUBTFUL, link, "would be denser than osmium", detail, cure)
    elif density < AIR:
        slight = NOTE if np.trace(I) < SLIGHT * largest else DOUBTFUL
        cure = "Its inertia is too large for its mass, or a placeholder: check both (kg, kg m²)."
        yield _finding(slight, link, "would be lighter than air", detail, cure)


def _spread(link: LinkData, m: float, I: Array, size: float) -> Iterator[Finding]:
    radius = math.sqrt(max(float(np.trace(I)), 0.0) / (2.0 * m))
    if size >= SMALLEST and radius > SPREAD * size:
        detail = f"a radius of gyration of {radius:.3g} m, joints within {size:.3g} m"
        cure = "Check the inertia and its units (kg m²)."
        yield _finding(DOUBTFUL, link, "has its mass far outside its joints", detail, cure)


def _about_origins(bodies: Sequence[LinkData]) -> Iterator[Finding]:
    """The inertias of a whole file about the wrong point."""
    telling = [link for link in bodies if _tells(link)]
    left = [
        np.linalg.eigvalsh(_second_moments(_central(link) - _steiner(link)))[0] >= 0 for link in telling
    ]
    if len(telling) >= AT_LEAST and sum(left) >= SUSPECTED * len(telling):
        yield Finding(
            DOUBTFUL, "inertia", "the file", "",
            f"seems to state inertias about the origins of links: {sum(left)} of the {len(telling)} links that would "
            "tell have room for Steiner's part, which is rare of inertias about centres of mass",
            cure="URDF means the centre of mass. Check one link by hand: if it is so, subtract m (c² 1 − c cᵀ).",
        )  # fmt: skip


def _tells(link: LinkData) -> bool:
    """Whether a link's centre of mass is far from its origin, and its inertia one of a body of matter."""
    m, I = _mass(link), _central(link)
    if m <= 0 or np.linalg.norm(_com(link)) < OFF:
        return False
    density = _ellipsoid(m, I)[1]
    return density is not None and AIR < density < OSMIUM


def _ellipsoid(m: float, I: Array) -> tuple[Array, float | None]:
    """Half axes (m) and density (kg/m³) of the solid ellipsoid with this inertia; of a plate or a rod none."""
    S = np.linalg.eigvalsh(_second_moments(I))
    axes = np.sqrt(5.0 * np.maximum(S, 0.0) / m)
    volume = 4.0 / 3.0 * math.pi * float(axes.prod())
    if S[0] <= FLAT * S[2] or not 0.0 < volume < math.inf:
        return axes, None
    return axes, m / volume


def _copied(bodies: Sequence[LinkData]) -> Iterator[Finding]:
    """The same round ball on many links: placeholders."""
    seen: dict[tuple[float, ...], list[LinkData]] = {}
    for link in bodies:
        I, m = _central(link), _mass(link)
        if m > 0 and I[0, 0] > 0 and np.allclose(I, I[0, 0] * np.eye(3), rtol=1e-9, atol=0):
            seen.setdefault((m, I[0, 0]), []).append(link)
    for (m, moment), links in seen.items():
        if len(links) >= COPIES:
            detail = f"{m:.4g} kg, {moment:.4g} kg m² about every axis"
            for link in links:
                cure = "It looks like a placeholder; dynamics need the real one."
                yield _finding(NOTE, link, f"has the inertia of {len(links)} links alike", detail, cure)


def _resting(data: Assembly) -> Iterator[Finding]:
    """The root with mass: some tools take none there."""
    children = {joint.child for joint in data.joints}
    if len(data.joints) == 0:
        return
    for link in data.links:
        if link.name not in children and link.where and _mass(link) > 0:
            cure = "KDL ignores it; a root without mass, fixed to it, helps."
            yield Finding(
                NOTE, "inertia", f'the root link "{link.name}"', link.where, "has a mass", cure=cure
            )


# -- numbers ------------------------------------------------------------------------------------------


def _sizes(data: Assembly) -> dict[str, float]:
    """How far from the centre of mass of each link the joints are of all that is fixed to it, origins included."""
    placed: dict[str, tuple[str, Any]] = {}
    points: dict[str, list[Array]] = {}
    by_parent: dict[str, list[Any]] = {}
    for joint in data.joints:
        by_parent.setdefault(joint.parent, []).append(joint)
    children = {joint.child for joint in data.joints}
    pending = list(dict.fromkeys(link.name for link in data.links if link.name not in children))
    for name in pending:
        placed[name] = (name, None)
    while pending:
        name = pending.pop()
        head, pose = placed[name]
        points.setdefault(head, [np.zeros(3)])
        for joint in by_parent.get(name, ()):
            here = joint.before if pose is None else pose @ joint.before
            points[head].append(_vector(here.translation))
            fixed = joint.is_fixed
            if joint.child not in placed:
                placed[joint.child] = (head, here @ joint.after) if fixed else (joint.child, None)
                pending.append(joint.child)
    around = {head: _outermost(np.array(found)) for head, found in points.items()}
    sizes: dict[str, float] = {}
    for link in data.links:
        if link.name in placed and link.inertial.com is not None:
            head, pose = placed[link.name]
            com = link.inertial.com if pose is None else pose.point(link.inertial.com)
            sizes[link.name] = float(np.linalg.norm(around[head] - _vector(com), axis=1).max())
    return sizes


def _outermost(points: Array) -> Array:
    """Points (k, 3), or of very many the corners of the box around them, which lie no nearer to anything."""
    if len(points) <= MOST_POINTS:
        return points
    ends = np.array([points.min(axis=0), points.max(axis=0)])
    return np.array([[ends[i, 0], ends[j, 1], ends[k, 2]] for i in (0, 1) for j in (0, 1) for k in (0, 1)])


def _finite(link: LinkData) -> bool:
    """Whether its numbers are measurements; else the reader has refused them."""
    return all(abs(cast(float, x)) <= LARGEST for x in link.inertial.about_origin.parameters)


def _mass(link: LinkData) -> float:
    return float(cast(float, link.inertial.m))


def _com(link: LinkData) -> Array:
    return _vector(link.inertial.com)


def _vector(v: Any) -> Array:
    return np.array([float(cast(float, x)) for x in v])


def _central(link: LinkData) -> Array:
    assert link.inertial.central is not None
    return np.array([[float(cast(float, x)) for x in row] for row in link.inertial.central.matrix()])


def _second_moments(I: Array) -> Array:
    return 0.5 * np.trace(I) * np.eye(3) - I


def _steiner(link: LinkData) -> Array:
    c = _com(link)
    return _mass(link) * (c @ c * np.eye(3) - np.outer(c, c))
