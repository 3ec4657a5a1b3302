"""What is shown of the published tables, claims and records: titled grids, each with the data behind it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from itertools import groupby
from typing import Any

from strobe.analysis.polynomials import Polynomial
from strobe.errors import UnknownNameError
from strobe.papers import claims, fewest_records, records, tables
from strobe.papers.conditions import DISTANCES
from strobe.papers.findings import Check
from strobe.papers.tables import Comparison, OurCount, printed

KINDS = {"m": "multiplications", "a": "additions"}
WATERS_KINDS = {"m": "4×4 products", "a": "operations of order 16"}


@dataclass(frozen=True, slots=True)
class Sheet:
    """A grid of cells with a title, notes under it, and the same as plain data."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str]
    data: Sequence[Mapping[str, Any]]
    failed: bool = False  # what was recomputed does not bear out what is said


def hollerbach() -> list[Sheet]:
    """Tables I and II of [Hollerbach1980]."""
    return _comparisons("hollerbach", "Hollerbach 1980, table {}", KINDS)


def turney() -> list[Sheet]:
    """Tables 1 to 5 of [Turney1980], and the counts that they lead to."""
    gains = tables.speed_ups()
    note = (
        f"For six joints: a speed-up of {gains['table 5']:.1f} by table 5, of {gains['longest path']:.1f} along the "
        "longest path, which is a legal schedule."
    )
    step = (
        "A step is one multiplication or addition of a processor that has a whole task of a link (ω, Â, a rotation) "
        "to itself and does it one by one, as table 5 has it. Where every single operation has a processor, as "
        f"in strobe count, the same equations take {tables.finest_path()} steps."
    )
    return [
        *_comparisons("turney", "Turney, Mudge and Lee 1980, table {}", KINDS),
        _counts("Like for like: our code as written, on general revolute arms", tables.like_for_like()),
        _counts(
            "Table 5 as a legal schedule: a processor for every task", tables.longest_paths(), [step, note]
        ),
    ]


def waters() -> list[Sheet]:
    """The ladder of [Waters1979], its split, joint locking, and the same as scalar multiplications."""
    weighted = tables.waters_weighted()
    rows = [
        (
            row.name,
            printed(row.published),
            f"{row.share:.3g}",
            printed(row.measured) if row.measured else "",
        )
        for row in weighted
    ]
    sheet = Sheet(
        "Waters 1979 as scalar multiplications: 64 for a product, 16 for the rest",
        ("step", "published", "of the last step", "our code"),
        rows,
        (
            "Our code: waters (backward recursion) and waters-recursive (both recursions), dense, same joints.",
        ),
        [_plain(row) for row in weighted],
    )
    return [*_comparisons("waters", "Waters 1979, {}", WATERS_KINDS), sheet]


def claim_sheet(later: Mapping[str, Check] = claims.NO_CHECKS) -> list[Sheet]:
    """Every claim with its verdict and what was found; ``later`` as in `claims.judged`."""
    found = claims.judged(later)
    rows = [(j.claim.id, j.claim.text, j.claim.verdict, _status(j), j.figure) for j in found]
    data = [
        {
            "id": j.claim.id, "claim": j.claim.text, "verdict": j.claim.verdict, "status": j.status,
            "figure": j.figure, "holds": j.holds,
        }
        for j in found
    ]  # fmt: skip
    notes = (
        "H Hollerbach 1980, T Turney, Mudge and Lee 1980, A Asada, chapter 7, "
        "D decomposition 2012, W Waters 1979.",
        "recomputed: from counts, polynomials, robots or motions, now; partly where a part of the claim is left out. "
        "stated: no computation of this package decides it.",
    )
    failed = any(j.holds is False for j in found)
    return [
        Sheet("Claims", ("", "claim", "verdict", "status", "what was found"), rows, notes, data, failed)
    ]


def _status(judged: claims.Judged) -> str:
    return "NOT BORNE OUT" if judged.holds is False else judged.status


def record_sheet() -> list[Sheet]:
    """Counts published later, beside the papers' and ours; certificates are checked."""
    groups = groupby(records.records(), key=lambda record: record.group)
    sheets = [_record_group(group, list(members)) for group, members in groups]
    note = "Recalled figures are quoted from memory and not verified against their publications."
    sheets[-1] = replace(sheets[-1], notes=[*sheets[-1].notes, note])
    asked = [_condition_sheet(name) for name in fewest_records.GENERIC]
    explained = (
        "Where it is: on random arms of a prime field that break the condition. Lost: decimal digits of the largest "
        "torque in doubles at that distance from it; about one is lost anywhere."
    )
    asked[-1] = replace(asked[-1], notes=[explained])
    return [*sheets, *asked, _real_sheet()]


def _condition_sheet(name: str) -> Sheet:
    """What a generic program asks of an arm, tried on it and beside it."""
    found = fewest_records.beside_conditions(name)
    rows = [
        ("stops" if m.stops else "RUNS", *(f"{lost:.1f}" for lost in m.lost), m.condition.text)
        for m in found
    ]
    return Sheet(
        f"Records: must not be zero for {fewest_records.VARIANTS[name].title}",
        (
            "where it is",
            *(f"lost at {distance:g}" for distance in DISTANCES),
            "irreducible factor of a divisor",
        ),
        rows,
        (),
        [{"factor": m.condition.text, "stops": m.stops, "lost": list(m.lost)} for m in found],
        not all(m.stops for m in found),
    )


def _real_sheet() -> Sheet:
    """Programs on the arms that they are named after."""
    found = [
        (variant.title, robot, error)
        for name, variant in fewest_records.VARIANTS.items()
        for robot, error in fewest_records.on_real_arms(name).items()
    ]
    return Sheet(
        "Records: the programs on real arms, in doubles",
        ("program", "robot", "largest error"),
        [(title, robot, f"{error:.0e}") for title, robot, error in found],
        (
            f"Against fifty digits, as a part of the largest torque, on {fewest_records.STATES} random states.",
            "RX-90 and iiwa are not among them: their masses and inertias are not at hand.",
        ),
        [{"program": title, "robot": robot, "error": error} for title, robot, error in found],
        any(error > 1e-13 for _, _, error in found),
    )


def _record_group(group: str, found: Sequence[records.Record]) -> Sheet:
    rows = [(r.method, printed(r.m), printed(r.a), printed(r.both), _six(r), r.origin) for r in found]
    data = [
        {
            "method": r.method, "m": r.m, "a": r.a, "both": r.both, "six": r.at_six(), "origin": r.origin,
            "check": str(r.check or ""),
        }
        for r in found
    ]  # fmt: skip
    columns = ("method", "multiplications", "additions", "both", "six joints", "origin")
    notes = [f"{r.method}: {r.check}." for r in found if r.check]
    failed = any(r.check and not r.check.holds for r in found)
    return Sheet(
        f"Records: {group} ({records.EXCLUDED})",
        columns,
        rows,
        notes,
        [_plain_mapping(d) for d in data],
        failed,
    )


def _six(record: records.Record) -> str:
    figures = record.at_six()
    return f"{printed(figures[0])} ; {printed(figures[1])}" if figures else ""


SHEETS: Mapping[str, Callable[[], list[Sheet]]] = {
    "hollerbach": hollerbach,
    "turney": turney,
    "waters": waters,
    "claims": claim_sheet,
    "records": record_sheet,
}
"""What can be asked for by name."""


def sheets(name: str, later: Mapping[str, Check] = claims.NO_CHECKS) -> list[Sheet]:
    """The sheets of one name; ``later`` are checks of claims that rooms below this one bring."""
    if name not in SHEETS:
        raise UnknownNameError("table", name, "strobe", list(SHEETS))
    return claim_sheet(later) if name == "claims" else SHEETS[name]()


# -- comparisons ------------------------------------------------------------------------------------


def _comparisons(paper: str, title: str, kinds: Mapping[str, str]) -> list[Sheet]:
    """One sheet for each table of a paper."""
    grouped = groupby(tables.compare(paper), key=lambda c: c.table)
    return [_comparison(title.format(table), list(members), kinds) for table, members in grouped]


def _comparison(title: str, found: list[Comparison], kinds: Mapping[str, str]) -> Sheet:
    """The figures of one table, those for six joints too where they are polynomials; a note is said once."""
    columns = ["row", "", "published", "ledger", "status", "as written", "our code", "ours − published"]
    rows = [
        [
            c.row, kinds[c.kind], printed(c.published), printed(c.ledger), c.status, printed(c.as_written),
            _measured(c), printed(c.difference),
        ]
        for c in found
    ]  # fmt: skip
    if any(c.at_six for c in found):
        columns += ["n = 6: published", "n = 6: our code"]
        for row, c in zip(rows, found, strict=True):
            row += [*map(printed, c.at_six or (None, None))]
    return Sheet(title, columns, rows, [*dict.fromkeys(_notes(found))], [_plain(c) for c in found])


def _measured(c: Comparison) -> str:
    if c.measured is None:
        return "not instrumented"
    later = f" (n ≥ {c.measured_from})" if c.measured_from and c.measured_from > 2 else ""
    return printed(c.measured) + later


def _notes(found: Iterable[Comparison]) -> list[str]:
    """What is assumed, left over and done differently, once for each row."""
    notes: list[str] = []
    for name, members in groupby(found, key=lambda c: c.row):
        pair = list(members)
        for c in pair:
            if c.residue:
                notes.append(f"{name}, {c.kind}: published minus ledger is {printed(c.residue)}.")
        assumed = dict.fromkeys(text for c in pair for text in c.assumed)
        notes += [f"{name}: {text}." for text in assumed]
        notes += [f"{name}: {pair[0].remark}."] if pair[0].remark else []
        if any(c.difference for c in pair):
            notes.append(f"{name}, our {pair[0].formulation}: {pair[0].why}.")
        notes += [f"{name}, not instrumented: {pair[0].uncounted}."] if pair[0].uncounted else []
    return notes


def _counts(title: str, found: Sequence[OurCount], notes: Sequence[str] = ()) -> Sheet:
    columns = ("", "multiplications", "additions", "both", "six joints")
    rows = [
        (c.name, printed(c.m), printed(c.a), printed(c.both), " ; ".join(map(printed, c.six)))
        for c in found
    ]
    return Sheet(title, columns, rows, notes, [_plain(c) for c in found])


# -- data -------------------------------------------------------------------------------------------


def _plain(record: Any) -> dict[str, Any]:
    """A record as what JSON knows: polynomials and fractions as they are printed."""
    return _plain_mapping({field.name: getattr(record, field.name) for field in fields(record)})


def _plain_mapping(data: Mapping[str, Any]) -> dict[str, Any]:
    return {key: _plain_value(value) for key, value in data.items()}


def _plain_value(value: Any) -> Any:
    if isinstance(value, Polynomial):
        return str(value)
    if isinstance(value, Fraction):
        return printed(value)
    return [_plain_value(x) for x in value] if isinstance(value, tuple) else value
