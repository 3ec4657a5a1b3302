"""Operation counts published later, beside those of the papers and our own: for display, not as fact.

Each row says where it is from: *printed* in one of the source papers, *recalled*, that is quoted from memory and
not verified against its publication, or *computed* by this package now. Sines and cosines are not counted.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from strobe.analysis.counts import general_arm
from strobe.analysis.polynomials import Number, Polynomial, polynomial
from strobe.formulations import articulated_body, composite_body, formulation
from strobe.models.load import load_model
from strobe.models.model import Model
from strobe.papers import fewest_records
from strobe.papers.arm_patterns import METHOD, PATTERNS, arm, customised, customised_general, principal
from strobe.papers.certificates import Check
from strobe.papers.counted_code import LENGTHS, Measured, measured, measured_half_matrix
from strobe.papers.published import hollerbach, turney
from strobe.scalars import DenseCount, FoldedCount


class Origin(StrEnum):
    """Where a count is from."""

    PRINTED = "printed in a source paper"
    RECALLED = "recalled, unverified"
    DOUBTFUL = "recalled, unverified, doubtful"
    COMPUTED = "computed here"
    CERTIFIED = "computed here, with a certificate"


@dataclass(frozen=True, slots=True)
class Record:
    """A method, what it costs as polynomials or for one arm, and where that is from."""

    group: str
    method: str
    m: Polynomial | None  # None where only the sum of both is known
    a: Polynomial | None
    both: Polynomial
    origin: Origin
    joints: int | None = None  # for one arm only: its number of joints
    check: Check | None = None  # of a certificate

    def at_six(self) -> tuple[Number, Number] | None:
        """For six joints; None for a figure of one arm."""
        return None if self.joints or not (self.m and self.a) else (self.m(6), self.a(6))


def _record(
    group: str,
    method: str,
    m: Polynomial | int,
    a: Polynomial | int,
    origin: Origin,
    joints: int | None = None,
    check: Check | None = None,
) -> Record:
    """A row whose multiplications and additions are known."""
    products, sums = polynomial(m), polynomial(a)
    return Record(group, method, products, sums, products + sums, origin, joints, check)


INVERSE = "inverse dynamics, general arm"
MATRIX = "mass matrix, general arm"
FORWARD = "forward dynamics, general arm"
ARMS = "inverse dynamics, one arm"
GENERIC = "inverse dynamics, one arm, generic programs: constants divide by numbers of the arm"
EXCLUDED = "no tool wrench, no friction, no rotors; sines and cosines given"

RECALLED: tuple[tuple[str, str, str, str, Origin], ...] = (
    (INVERSE, "Lagrange-Euler, Fu, Gonzalez and Lee", "128/3n⁴+512/3n³+844/3n²+76/3n",
     "98/3n⁴+781/6n³+637/3n²+107/6n", Origin.RECALLED),
    (INVERSE, "generalised d'Alembert, Lee, Lee and Nigam", "13/6n³+105/2n²+268/3n+69",
     "4/3n³+44n²+146/3n+45", Origin.RECALLED),
    (INVERSE, "Newton-Euler, Fu, Gonzalez and Lee", "132n", "111n−4", Origin.RECALLED),
    (INVERSE, "the same, broken down for a PUMA", "117n−24", "103n−21", Origin.RECALLED),
    (INVERSE, "Newton-Euler, Walker and Orin 1982", "137n−22", "101n−11", Origin.RECALLED),
    (INVERSE, "recursive Newton-Euler with DH frames, Featherstone's book", "130n−68", "106n−56", Origin.DOUBTFUL),
    (INVERSE, "Kane's equations, Angeles, Ma and Rojas 1989", "105n−109", "90n−105", Origin.RECALLED),
    (INVERSE, "Cartesian tensors, Balafoutis, Patel and Misra 1988", "93n−69", "81n−65", Origin.RECALLED),
    (INVERSE, "base parameters, Khalil and Kleinfinger 1987", "92n−127", "81n−117", Origin.RECALLED),
    (MATRIX, "Walker and Orin 1982, method 3", "12n²+56n−27", "7n²+67n−53", Origin.RECALLED),
    (MATRIX, "composite bodies, Lilly and Orin 1991", "10n²+31n−41", "6n²+40n−46", Origin.DOUBTFUL),
    (MATRIX, "composite bodies, Featherstone's book", "10n²+22n−32", "6n²+37n−43", Origin.DOUBTFUL),
    (FORWARD, "articulated bodies, Featherstone 1983", "300n−267", "279n−259", Origin.RECALLED),
    (FORWARD, "articulated bodies, Brandl, Johanni and Otter 1986", "250n−222", "220n−198", Origin.RECALLED),
    (FORWARD, "articulated bodies, Featherstone's book", "224n−259", "205n−248", Origin.DOUBTFUL),
)  # fmt: skip

RECALLED_ARMS: tuple[tuple[str, int, int, Origin], ...] = (
    ("Stanford arm, Kane and Levinson 1983", 646, 394, Origin.RECALLED),
    ("Stanford arm, simplified inertias, Khalil, Kleinfinger and Gautier 1986", 142, 99, Origin.RECALLED),
    ("RX-90, general inertias, Khalil and Dombre", 293, 283, Origin.DOUBTFUL),
    ("RX-90, base parameters, Khalil and Dombre", 253, 238, Origin.DOUBTFUL),
    ("RX-90, simplified inertias, Khalil and Dombre, about", 160, 113, Origin.DOUBTFUL),
)

RECALLED_SUMS: tuple[tuple[str, int, Origin], ...] = (
    ("PUMA 560, recursive Newton-Euler, Armstrong, Khatib and Burdick 1986, about", 1560, Origin.RECALLED),
    ("PUMA 560, explicit, terms above 1 %, Armstrong, Khatib and Burdick 1986", 305, Origin.RECALLED),
)
"""Multiplications and additions together."""

FOLDED_ARMS = ("stanford", "puma560", "panda")


def records() -> list[Record]:
    """Every row, grouped, the computed ones counted now."""
    rows = [*_printed(), *_recalled(), *_computed(), *_certified()]
    groups = (INVERSE, ARMS, GENERIC, MATRIX, FORWARD)
    return sorted(rows, key=lambda row: groups.index(row.group))


def _printed() -> Iterator[Record]:
    for row in hollerbach():
        if row.table == "I":
            yield _record(INVERSE, f"{row.name}, Hollerbach 1980", row.m, row.a, Origin.PRINTED)
    for row in turney():
        if row.table == "1":
            yield _record(INVERSE, f"{row.name}, Turney, Mudge and Lee 1980", row.m, row.a, Origin.PRINTED)


def _recalled() -> Iterator[Record]:
    for group, method, m, a, origin in RECALLED:
        yield _record(group, method, Polynomial.parse(m), Polynomial.parse(a), origin)
    for method, m, a, origin in RECALLED_ARMS:
        yield _record(ARMS, method, m, a, origin, joints=6)
    for method, both, origin in RECALLED_SUMS:
        yield Record(ARMS, method, None, None, Polynomial(both), origin, joints=6)


def _computed() -> Iterator[Record]:
    for name in ("newton-euler", "newton-euler-hat", "modified-newton-euler", METHOD):
        yield from _grown(INVERSE, f"{name}, as written", measured(name))
    for base, kept in PARAMETERS.items():
        yield from _grown(INVERSE, f"{CUSTOMISED}, {kept}", Measured(customised_general(base)))
    yield from _grown(MATRIX, "lower half by strobing, as written", measured_half_matrix())
    yield from _dense_spatial()
    yield from _arms()


PARAMETERS = {False: "all ten parameters", True: "base parameters"}
CUSTOMISED = "customised Newton-Euler, every value once"


def _grown(group: str, method: str, count: Measured) -> Iterator[Record]:
    """A row of polynomials, where the counts are values of one."""
    if count.m and count.a:
        yield _record(group, method, count.m.polynomial, count.a.polynomial, Origin.COMPUTED)


def _arms() -> Iterator[Record]:
    """Customised recursions by pattern of zeros, and of built-in robots with the zeros of their inertias too."""
    for name, pattern in PATTERNS.items():
        model = arm(pattern)
        for base, kept in PARAMETERS.items():
            yield _record(ARMS, f"{name}, {CUSTOMISED}, {kept}", *customised(model, base), _C, model.nv)
    stanford = arm(PATTERNS["Stanford arm"], principal)
    yield _record(
        ARMS,
        f"Stanford arm, {CUSTOMISED}, principal axes",
        *customised(stanford, base=False),
        _C,
        stanford.nv,
    )
    for name in FOLDED_ARMS:
        model = load_model(name)
        yield _record(ARMS, f"{name}, {METHOD}, zeros folded", *_folded(model), _C, model.nv)
        yield _record(
            ARMS, f"{name}, {CUSTOMISED}, its own base parameters", *customised(model), _C, model.nv
        )


_C = Origin.COMPUTED


def _certified() -> Iterator[Record]:
    """Stored programs, counted and checked now."""
    for name, variant in fewest_records.VARIANTS.items():
        program, check = fewest_records.stored(name), fewest_records.checked(name)
        figures = program.multiplications, program.additions
        group = GENERIC if variant.generic else ARMS
        yield _record(group, variant.title, *figures, Origin.CERTIFIED, variant.model.nv, check)


def _dense_spatial() -> Iterator[Record]:
    """The tree algorithms on general arms, as written with full spatial arithmetic."""
    matrix, forward = {}, {}
    for n in LENGTHS:
        system = DenseCount()
        model = general_arm(n).lift(system)
        q, qd, tau = model.variables()
        composite_body.mass_matrix(model, q)
        matrix[n] = system.multiplications, system.additions
        system.tally.clear()
        articulated_body.forward_dynamics(model, q, qd, tau)
        forward[n] = system.multiplications, system.additions
    for group, name, counts in ((MATRIX, "composite-body", matrix), (FORWARD, "articulated-body", forward)):
        yield from _grown(group, f"{name}, as written", Measured(counts))


def _folded(model: Model) -> tuple[int, int]:
    system = FoldedCount()
    lifted = model.lift(system)
    formulation(METHOD).inverse_dynamics(lifted, *lifted.variables())
    return system.multiplications, system.additions
