"""The operation counts that three papers print, as data: what is compared, never what is measured.

[Hollerbach1980] tables I and II; [Turney1980] tables 1 to 5; [Waters1979] the figures of the section on the
computation of forces, for six joints, m a 4×4 product and a an operation of order 16. A row names the ledger
that explains it and the formulation of ours that evaluates the same equations.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from strobe.analysis import ledgers, stages
from strobe.analysis.ledgers import Ledger, Rows
from strobe.analysis.measured import ON_LINE
from strobe.analysis.polynomials import Polynomial

Explanation = Callable[[], Ledger]


@dataclass(frozen=True, slots=True)
class Row:
    """One printed row: its table, its name, its two figures."""

    paper: str
    table: str
    name: str
    m: Polynomial
    a: Polynomial
    explained: Ledger
    formulation: str | None = None  # ours, where it evaluates the same equations
    variant: str = "full"  # inertia tensors of the general arm it is counted on: full or diagonal
    joints: int | None = None  # the figures hold for this many joints only
    remark: str = ""
    residue: str = ""  # what our count does differently


REMARKS: Mapping[tuple[str, str], str] = {
    (
        "I",
        "Uicker/Kahn",
    ): "no integer for n = 1 (215½ ; 167⅙), so the printed polynomials cannot be counts; "
    "the additions are printed with 25n³ for 25n⁴",
    ("II", "Uicker/Kahn"): "the printed polynomial itself gives 67,143 multiplications",
    ("I", "Waters"): "620¼n gives 7,043½ for six joints; 621½n gives the 7,051 of table II",
    ("I", "Newton-Euler"): "the constants are met; 15 m and 18 a per link remain unexplained",
    (
        "I",
        "Hollerbach 3×3",
    ): "slope met with the fitted 7; the constant is −273. The printed recursion is not correct",
}

RESIDUES: Mapping[str, str] = {
    "uicker-kahn": "ours adds all terms into one sum, needs 19 multiplications for gravity per (i, j), and "
    "constant zero rows of link 1 are free; no inertial term is left out",
    "waters": "ours stores U_ii (7 products and 4 scalings per link, not 8 and 5), gravity is 19 m per (i, j)",
    "hollerbach-4x4": "ours stores U_ii (7 products and 4 scalings per link, not 8 and 5), m_i r_i is constant",
    "hollerbach-3x3": "ours is the corrected recursion; Z R_i keeps its zero row, so its products cost 18 m for 27",
    "newton-euler": "ours adds before it rotates, ω × z q̇ costs two products, and link 1 saves nothing",
    "newton-euler-hat": "the count as written: ω × z q̇, m_n ā_n and τ counted, nothing beyond link n",
    "modified-newton-euler": "as written, K diagonal: ω × z q̇, R_n a_{n−1} and τ counted, nothing beyond link n",
    ON_LINE: "ours starts every sum with G_i instead of adding it to zero",
    "turney-lagrange": "ours leaves no term out, forms q̇_j q̇_k once for all links, and lets gravity point "
    "anywhere",
}


def _hollerbach(name: str, m: str, a: str, m6: int, a6: int, why: Explanation, ours: str) -> list[Row]:
    """A row of table I and the same row of table II."""
    residue = RESIDUES[ours]
    paper, poly = "hollerbach", Polynomial.parse
    return [
        Row(paper, "I", name, poly(m), poly(a), why(), ours, residue=residue, remark=REMARKS.get(("I", name), "")),
        Row(
            paper, "II", name, Polynomial(m6), Polynomial(a6), why(), ours, joints=6, residue=residue,
            remark=REMARKS.get(("II", name), ""),
        ),
    ]  # fmt: skip


def hollerbach() -> list[Row]:
    """Tables I and II."""
    rows = [
        _hollerbach(
            "Uicker/Kahn", "32½n⁴+86 5/12n³+171¼n²+53⅓n−128", "25n⁴+66⅓n³+129½n²+42⅓n−96", 66271, 51548,
            ledgers.uicker_kahn, "uicker-kahn",
        ),
        _hollerbach(
            "Waters", "106½n²+620¼n−512", "82n²+514n−384", 7051, 5652, ledgers.waters_in_hollerbach, "waters"
        ),
        _hollerbach(
            "Hollerbach 4×4", "830n−592", "675n−464", 4388, 3586, ledgers.hollerbach_4x4, "hollerbach-4x4"
        ),
        _hollerbach(
            "Hollerbach 3×3", "412n−277", "320n−201", 2195, 1719, ledgers.hollerbach_3x3, "hollerbach-3x3"
        ),
        _hollerbach(
            "Newton-Euler", "150n−48", "131n−48", 852, 738, ledgers.newton_euler_in_hollerbach, "newton-euler"
        ),
        _hollerbach("Horn/Raibert", "2n³+n²", "n³+n²+2n", 468, 264, ledgers.horn_raibert, ON_LINE),
    ]  # fmt: skip
    return sorted((row for pair in rows for row in pair), key=lambda row: len(row.table))


LAGRANGE = {
    "chains T": ("32n²−32n", "24n²−24n"),
    "∂T": ("32n²−32n", "24n²−24n"),
    "∂²T": ("32/3n³−32/3n", "8n³−8n"),
    "kinetic sum": ("17/6n³+17/2n²+209/3n", "16/3n³+80/3n"),
    "trace": ("8n²+8n", "8n²+7n"),
    "gravity": ("2n²+2n", "2n²+n"),
}
NEWTON_EULER = {
    "ω": ("9n", "7n"),
    "α": ("9n", "9n"),
    "Â": ("6n", "9n"),
    "a": ("18n", "15n"),
    "ā": ("9n", "9n"),
    "f": ("12n−12", "9n−9"),
    "Iα": ("9n", "6n"),
    "ω×Iω": ("15n", "9n"),
    "s×mā": ("6n", "3n"),
    "p×Rf": ("6n", "3n"),
    "Rn": ("9n", "6n"),
    "add n": ("0", "15n"),
}
MODIFIED = {
    "ω": ("9n", "7n"),
    "α": ("9n", "9n"),
    "Â": ("6n", "9n"),
    "a": ("18n−18", "15n−15"),
    "mā": ("12n", "9n"),
    "f": ("9n−9", "9n−9"),
    "Tr ÂK": ("6n", "3n"),
    "s×mā": ("6n", "3n"),
    "p×Rf": ("6n", "3n"),
    "Rn": ("9n", "6n"),
    "add n": ("0", "15n"),
}
TOTALS = {
    "Lagrange": ("81/6n³+165/2n²+5n", "40/3n³+58n²−64/3n"),
    "Newton-Euler": ("108n−12", "100n−9"),
    "modified Newton-Euler": ("90n−27", "88n−24"),
}
SIMULTANEOUS = {
    "ω_1": ("9", "7"),
    "α_1": ("9", "9"),
    "Â_1": ("6", "9"),
    "ω_2": ("9", "7"),
    "α_2": ("9", "9"),
    "outward stages": ("18n", "15n"),
    "inward stages": ("9n", "12n"),
    "total": ("27n+42", "27n+41"),
}


def _pair(figures: tuple[str, str]) -> tuple[Polynomial, Polynomial]:
    m, a = figures
    return Polynomial.parse(m), Polynomial.parse(a)


def turney() -> list[Row]:
    """Tables 1 to 5."""
    lagrange, newton_euler = ledgers.turney_lagrange(), ledgers.turney_newton_euler()
    modified, steps = ledgers.turney_modified(), stages.stage_ledgers()
    whole = {
        "Lagrange": (ledgers.merged(lagrange), "turney-lagrange", "full"),
        "Newton-Euler": (ledgers.merged(newton_euler), "newton-euler-hat", "full"),
        "modified Newton-Euler": (ledgers.merged(modified), "modified-newton-euler", "diagonal"),
    }
    first = [
        Row(
            "turney", "1", name, *_pair(TOTALS[name]), explained, ours, variant,
            residue=RESIDUES[ours],
        )
        for name, (explained, ours, variant) in whole.items()
    ]  # fmt: skip
    breakdowns = (("2", LAGRANGE, lagrange), ("3", NEWTON_EULER, newton_euler), ("4", MODIFIED, modified))
    return first + [row for each in breakdowns for row in _breakdown(*each)] + list(_table_5(steps))


def _breakdown(table: str, printed: Mapping[str, tuple[str, str]], explained: Rows) -> list[Row]:
    """The lines of a table and, at its end, their total."""
    rows = [Row("turney", table, name, *_pair(printed[name]), explained[name]) for name in printed]
    total = {"2": "Lagrange", "3": "Newton-Euler", "4": "modified Newton-Euler"}[table]
    return [
        *rows,
        Row("turney", table, "total", *_pair(TOTALS[total]), ledgers.merged(explained)),
    ]


def _table_5(steps: Rows) -> list[Row]:
    remark = "not the length of a legal schedule: n_i is added up beside R n_{i+1}, which it needs"
    return [
        Row(
            "turney", "5", name, *_pair(figures), steps[name],
            remark=remark if name == "total" else "",
        )
        for name, figures in SIMULTANEOUS.items()
    ]  # fmt: skip


def waters() -> list[Row]:
    """The ladder of improvements, the split of the last step, joint locking and the outer links."""

    def row(
        table: str, name: str, m: int, a: int, why: Explanation, ours: str | None = None, joints: int = 6,
        remark: str = "",
    ) -> Row:  # fmt: skip
        return Row(
            "waters", table, name, Polynomial(m), Polynomial(a), why(), ours, joints=joints, remark=remark
        )

    closed = "Σ j(j³−1) and Σ j(2j²+j) meet the figure; what they leave out cannot be determined"
    return [
        row("ladder", "straightforward", 2254, 973, ledgers.waters_naive, remark=closed),
        row("ladder", "values recorded", 486, 275, ledgers.waters_recorded, remark="45 products are unexplained"),
        row("ladder", "backward recursion", 70, 106, ledgers.waters_backward, "waters"),
        row("ladder", "and D recursive", 60, 81, ledgers.waters_d_recursion),
        row("ladder", "and gravity recursive", 45, 77, ledgers.waters_both_recursions, "hollerbach-4x4"),
        row("split", "gravity", 0, 17, ledgers.waters_gravity),
        row("split", "second order", 20, 38, ledgers.waters_second_order),
        row("split", "inertial", 25, 22, ledgers.waters_inertial),
        row(
            "locking", "three joints locked", 19, 34, ledgers.waters_both_recursions, "hollerbach-4x4", 3,
            "the same ledger for three joints; one product more and one operation less are printed",
        ),
        row("outer links", "neglected, saving", 5, 5, ledgers.waters_outer_links),
    ]  # fmt: skip


PAPERS: Mapping[str, Callable[[], list[Row]]] = {
    "hollerbach": hollerbach,
    "turney": turney,
    "waters": waters,
}
"""The printed rows of each paper."""
