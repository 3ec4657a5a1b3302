"""The published operation counts beside the bookkeeping that explains them and the counts of our own code.

Nothing is copied from a paper into a result: the printed figure, the ledger's sum, the count as written and the
measured count stand side by side, and the status says how they compare.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from strobe.analysis.counts import Growth, growth
from strobe.analysis.polynomials import Number, Polynomial, mixed
from strobe.formulations import FORMULATIONS
from strobe.papers import ledgers, simultaneous_steps
from strobe.papers.attributed_counts import added, by_part, in_matrices
from strobe.papers.counted_code import LIKE_FOR_LIKE, Measured, measured, measured_half_matrix
from strobe.papers.published import PAPERS, Row

Figure = Polynomial | Number


class Status(StrEnum):
    """How a ledger compares with the printed figure."""

    EXACT = "exact"
    CORRECTED = "exact with correction"  # an assumption about the paper's arithmetic is needed, and named
    FITTED = "exact with a fitted rest"  # a line is there only because the sum comes out
    NOT_REPRODUCED = "not reproduced"


@dataclass(frozen=True, slots=True)
class Comparison:
    """One printed figure, what explains it, and what our code needs."""

    table: str
    row: str
    kind: str  # m or a
    joints: int | None  # the figures are for so many joints; polynomials in n otherwise
    published: Figure
    ledger: Figure
    as_written: Figure
    status: Status
    residue: Figure  # published minus ledger
    assumed: tuple[str, ...]
    remark: str
    formulation: str | None
    measured: Figure | None
    measured_from: int | None  # the polynomial holds from so many joints on
    difference: Figure | None  # measured minus published
    why: str  # what our code does differently
    uncounted: str  # why nothing was measured
    # published and measured for six joints, where they are polynomials
    at_six: tuple[Number, Number | None] | None


def compare(paper: str) -> list[Comparison]:
    """Every printed figure of a paper, multiplications and additions apart."""
    return [_compared(row, kind) for row in PAPERS[paper]() for kind in ("m", "a")]


def _compared(row: Row, kind: str) -> Comparison:
    whole: Polynomial = getattr(row, kind)
    printed = _at(whole, row.joints)
    total = _at(getattr(row.explained.total, kind), row.joints)
    literal = _at(getattr(row.explained.as_written, kind), row.joints)
    ours, start = _ours(row, kind)
    lines = row.explained.assumed(kind)
    return Comparison(
        table=row.table,
        row=row.name,
        kind=kind,
        joints=row.joints,
        published=printed,
        ledger=total,
        as_written=literal,
        status=_status(row, kind, printed == total),
        residue=printed - total,
        assumed=tuple(dict.fromkeys(line.beyond for line in lines)),
        remark=row.remark,
        formulation=row.formulation,
        measured=ours,
        measured_from=start,
        difference=None if ours is None else ours - printed,
        why=row.residue if row.formulation else "",
        uncounted=row.uncounted,
        at_six=None if row.joints else (whole(6), ours(6) if isinstance(ours, Polynomial) else None),
    )


def _status(row: Row, kind: str, met: bool) -> Status:
    lines = row.explained.assumed(kind)
    if not met:
        return Status.NOT_REPRODUCED
    if any(line.fitted for line in lines):
        return Status.FITTED
    return Status.CORRECTED if lines else Status.EXACT


def _ours(row: Row, kind: str) -> tuple[Figure | None, int | None]:
    """Our count of the same equations in the units of the paper."""
    if row.formulation is None:
        return None, None
    if row.paper == "waters":
        parts = in_matrices(row.formulation, row.joints or 6)
        return sum(parts[name][kind == "a"] for name in row.parts or parts), None
    if row.table == "5":
        return getattr(_our_stages()[row.name], kind), None
    count = _counted(row)
    if row.joints is not None:
        return count.counts[row.joints][kind == "a"], None
    growth: Growth | None = getattr(count, kind)
    return (None, None) if growth is None else (growth.polynomial, growth.start)


def _counted(row: Row) -> Measured:
    """All of a formulation, or the parts of it that a row is about."""
    method = row.formulation or ""
    if not row.parts:
        return measured(method, row.variant)
    parts = by_part(method, row.variant)
    return added(parts[name] for name in row.parts)


@cache
def _our_stages() -> dict[str, ledgers.Cost]:
    """Table 5 from what one task of one link costs in our modified Newton-Euler."""
    parts = {
        name: count.polynomials for name, count in by_part("modified-newton-euler", "diagonal").items()
    }
    return simultaneous_steps.stage_costs(
        {name: ledgers.cost(m.coefficient(1), a.coefficient(1)) for name, (m, a) in parts.items()}
    )


def _at(figure: Polynomial, joints: int | None) -> Figure:
    return figure if joints is None else figure(joints)


# -- what the papers' tables lead to ----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class OurCount:
    """A count of our own that belongs beside a paper's tables."""

    name: str
    m: Figure
    a: Figure
    both: Figure
    six: tuple[Number, Number, Number]


def like_for_like() -> list[OurCount]:
    """The link-coordinate methods with full and with diagonal inertia tensors, and the strobed half of M."""
    counted = {name: measured(*which) for name, which in LIKE_FOR_LIKE.items()}
    counted["lower half of M by strobing"] = measured_half_matrix()
    return [_our_count(name, *count.polynomials) for name, count in counted.items()]


def longest_paths() -> list[OurCount]:
    """Table 5 as a legal schedule: the longest path of its tasks with unlimited processors."""
    names = {"longest path, n_i added at the end": False, "longest path, n_i added beforehand": True}
    rows: list[OurCount] = []
    for name, early in names.items():
        m, a, both = (_known(simultaneous_steps.path_length(kind, early)) for kind in ("m", "a", "m+a"))
        rows.append(OurCount(name, m, a, both, (m(6), a(6), both(6))))
    return rows


@cache
def finest_path() -> Polynomial:
    """The longest path of the same equations where every single operation has a processor, sums as they stand."""
    found = growth(FORMULATIONS["modified-newton-euler"], range(2, 6))["path"]
    if found is None:
        raise ArithmeticError("the path of modified-newton-euler is no polynomial in n")
    return found.polynomial


def speed_ups() -> dict[str, float]:
    """What unlimited processors gain for six joints: as table 5 has it, and along the longest path."""
    serial = sum(ledgers.merged(ledgers.turney_modified()).total.at(6))
    return {
        "table 5": float(serial / sum(simultaneous_steps.stage_ledgers()["total"].total.at(6))),
        "longest path": float(serial / longest_paths()[-1].six[2]),
    }


@dataclass(frozen=True, slots=True)
class Weighted:
    """A step of Waters' ladder as scalar multiplications, 64 for a product and 16 for the rest, beside ours."""

    name: str
    published: Number
    share: float  # of the last step
    measured: int | None


def waters_weighted() -> list[Weighted]:
    """The ladder and its split as scalar multiplications."""
    rows = PAPERS["waters"]()
    figures = {row.name: ledgers.weighted(row.m(0), row.a(0)) for row in rows}
    whole = figures["and gravity recursive"]
    return [
        Weighted(row.name, figures[row.name], float(figures[row.name] / whole), _scalar_count(row))
        for row in rows
    ]


def _scalar_count(row: Row) -> int | None:
    """Ours of a whole step; a part of one has no count in numbers of its own."""
    return (
        measured(row.formulation).counts[row.joints or 6][0] if row.formulation and not row.parts else None
    )


def _our_count(name: str, m: Polynomial, a: Polynomial) -> OurCount:
    return OurCount(name, m, a, m + a, (m(6), a(6), m(6) + a(6)))


def _known(found: Polynomial | None) -> Polynomial:
    if found is None:
        raise ArithmeticError("these counts are not values of a polynomial; more lengths are needed")
    return found


def printed(figure: Figure | None) -> str:
    """A figure as papers print it."""
    if figure is None:
        return ""
    return str(figure) if isinstance(figure, Polynomial) else mixed(figure)
