"""Arms by their pattern of zeros, and what Armstrong's recursion costs on such an arm after the compiler's passes.

Modified DH: twists, which lengths a and offsets d are not zero, which joints slide; gravity along the first axis.
An operation count depends on nothing else of an arm's geometry: not on its lengths, nor on the sign of a right
angle. Links have all ten inertial parameters unless it is said otherwise. *Customised* is Newton-Euler at joint
frames with every value computed once, common factors taken out and the rest folded away, inertias as they are or
regrouped into base parameters. Published arms of the same pattern: [Khalil1987].
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from functools import cache

from strobe.algebra import Inertia, Motion, Pose, Shift, Sym3, Turn, Vec3
from strobe.compiler.graph.passes import optimised
from strobe.compiler.graph.program import trace
from strobe.formulations import formulation
from strobe.models.inertial import Inertial
from strobe.models.joints import PRISMATIC, REVOLUTE, Joint
from strobe.models.model import Body, Model
from strobe.models.regroup import regrouped
from strobe.scalars import Graph

METHOD = "newton-euler-armstrong"
DOWN = Motion(Vec3.zero(), Vec3(0.0, 0.0, -9.81))

Links = Callable[[int], Inertial]  # the mass properties of link 1 … n


@dataclass(frozen=True, slots=True)
class Pattern:
    """Twists in degrees, and the joints, from 1 on, whose a or d is not zero or that slide."""

    twists: tuple[float, ...]
    a: Collection[int] = ()
    d: Collection[int] = ()
    slides: Collection[int] = ()


PATTERNS: Mapping[str, Pattern] = {
    "PUMA 560": Pattern((0, -90, 0, -90, 90, -90), a=(3, 4), d=(3, 4)),
    "RX-90": Pattern((0, 90, 0, -90, 90, -90), a=(3,), d=(4,)),
    "Stanford arm": Pattern((0, -90, 90, 0, -90, 90), d=(2,), slides=(3,)),
    "UR": Pattern((0, 90, 0, 0, 90, -90), a=(3, 4), d=(4, 5, 6)),
    "UR, d6 = 0": Pattern((0, 90, 0, 0, 90, -90), a=(3, 4), d=(4, 5)),
    "KUKA iiwa": Pattern((0, -90, 90, 90, -90, -90, 90), d=(3, 5)),
    "Panda": Pattern((0, -90, 90, 90, -90, 90, 90), a=(4, 5, 7), d=(3, 5)),
}
"""Arms of industry."""


def general(n: int) -> Pattern:
    """A revolute arm without a zero beyond its first joint."""
    later = range(2, n + 1)
    return Pattern((0.0, *(20.0 + 5 * k for k in later)), a=later, d=later)


def full(k: int) -> Inertial:
    """A link with ten parameters, none of them special."""
    return Inertial.at_com(
        1.7 + k, Vec3(0.13, 0.22, 0.34), Sym3(0.52, 0.63 + 0.01 * k, 0.74, 0.05, 0.06, 0.07)
    )


def principal(k: int) -> Inertial:
    """The Stanford arm's links along their principal axes: no products of inertia, few first moments."""
    y, z = {1: (0.0, 0.0), 2: (0.21, 0.32), 3: (0.0, 0.37)}.get(k, (0.0, 0.11))
    moments = (0.0, 0.0, 0.3) if k == 1 else (0.51 + 0.013 * k, 0.63 + 0.007 * k, 0.79 + 0.003 * k)
    m = 0.0 if k == 1 else 1.7 + k
    return Inertial.of(Inertia(m, Vec3(0.0, m * y, m * z), Sym3(*moments, 0.0, 0.0, 0.0)))


def arm(pattern: Pattern, links: Links = full) -> Model:
    """An arm of this pattern."""
    bodies = tuple(_link(pattern, k, links(k)) for k in range(1, len(pattern.twists) + 1))
    return Model("arm", bodies, gravity=DOWN)


def _link(pattern: Pattern, k: int, inertial: Inertial) -> Body:
    joint = Joint(f"joint{k}", (PRISMATIC if k in pattern.slides else REVOLUTE).name, q=k - 1, v=k - 1)
    return Body(k - 1, f"link{k}", k - 2, joint, Pose(tuple(_steps(pattern, k))), Pose(), inertial)


def _steps(pattern: Pattern, k: int) -> Iterable[Turn | Shift]:
    twist = pattern.twists[k - 1]
    if twist:
        yield Turn.by(0, math.radians(twist))
    if k in pattern.a:
        yield Shift(Vec3(0.3 + 0.01 * k, 0.0, 0.0))
    if k in pattern.d:
        yield Shift(Vec3(0.0, 0.0, 0.1 + 0.02 * k))


def customised(model: Model, base: bool = True) -> tuple[int, int]:
    """Multiplications and additions of compiled torques, with base parameters or with all that a link has."""
    graph = Graph()
    lifted = model.lift(graph)
    lifted = regrouped(lifted) if base else lifted
    compute, n = formulation(METHOD).inverse_dynamics, model.nv
    sizes: dict[str, int] = dict.fromkeys(("q", "qd", "qdd"), n)
    program = optimised(trace(lambda q, qd, qdd: compute(lifted, q, qd, qdd), sizes, (n,), graph))
    return program.multiplications, program.additions


@cache
def customised_general(base: bool = True) -> Mapping[int, tuple[int, int]]:
    """The same of general revolute arms, by number of joints."""
    return {n: customised(arm(general(n)), base) for n in range(3, 9)}
