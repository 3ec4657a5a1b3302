"""The operation counts that three papers print, as data: what is compared, never what is measured.

[Hollerbach1980] tables I and II; [Turney1980] tables 1 to 5; [Waters1979] the figures of the section on the
computation of forces, for six joints, m a 4×4 product and a an operation of order 16. A row names the ledger
that explains it and the formulation of ours that evaluates the same equations.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from strobe.analysis.polynomials import Polynomial
from strobe.papers import ledgers, simultaneous_steps
from strobe.papers.counted_code import ON_LINE
from strobe.papers.ledgers import Ledger, Rows

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
    parts: tuple[str, ...] = ()  # of the formulation, where the row is not all of it
    joints: int | None = None  # the figures hold for this many joints only
    remark: str = ""
    residue: str = ""  # what our count does differently
    uncounted: str = ""  # why there is none


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
    "hollerbach-backward": "his own (6) to (10) as they stand: U_ii stored, one Ẅ (6 products and 4 scalings per "
    "link, not 8 and 5), gravity 19 m per (i, j); Waters' split P + L costs a product and a sum more (`waters`)",
    "hollerbach-4x4": "his own (8) to (14) as they stand: U_ii stored, one Ẅ (6 products and 4 scalings per link, "
    "not 8 and 5), m_i r_i constant; with Waters' split P + L it is 741n−570 ; 610n−484 (`waters-recursive`)",
    "hollerbach-3x3": "ours is the corrected recursion; Z R_i keeps its zero row, so its products cost 18 m for 27",
    "newton-euler": "ours adds before it rotates, ω × z q̇ costs two products, and link 1 saves nothing",
    "newton-euler-hat": "the count as written: ω × z q̇, m_n ā_n and τ counted, nothing beyond link n",
    "modified-newton-euler": "as written, K diagonal: ω × z q̇, R_n a_{n−1} and τ counted, nothing beyond link n",
    ON_LINE: "ours starts every sum with G_i instead of adding it to zero",
    "turney-lagrange": "ours leaves no term out, forms q̇_j q̇_k once for all links, and lets gravity point "
    "anywhere",
}

SAME = "the same operations, where a difference is 0"
DIFFERENCES: Mapping[str, Mapping[str, str]] = {
    "2": {
        "chains T": "the last row of a link's matrix times the same is free",
        "∂T": "a constant row times a zero row is free",
        "∂²T": "a constant row times a zero row is free",
        "kinetic sum": "the products with accelerations are there, q̇_j q̇_k is formed once for all links, and only "
        "distinct velocity terms are added",
        "gravity": "gravity may point anywhere: all rows of ∂T times m r, then a dot product",
        "total": RESIDUES["turney-lagrange"],
    },
    "3": {
        "α": "ω × z q̇ is counted",
        "f": "m_n ā_n is counted",
        "p×Rf": "link n has nothing beyond it",
        "Rn": "link n has nothing beyond it",
        "add n": "five terms are four sums, and link n has three terms",
        "total": RESIDUES["newton-euler-hat"],
    },
    "4": {
        "α": "ω × z q̇ is counted",
        "a": "R_n a_{n−1} is counted",
        "p×Rf": "link n has nothing beyond it",
        "Rn": "link n has nothing beyond it",
        "add n": "four terms are three sums, and link n has two terms",
        "total": RESIDUES["modified-newton-euler"],
    },
    "5": {
        "α_1": "ω × z q̇ is counted",
        "α_2": "ω × z q̇ is counted",
        "inward stages": "three sums for n_i",
        "total": "put together as table 5 does from what each task of a link costs in our code",
    },
}
"""What our code does differently in the rows of [Turney1980]; elsewhere nothing."""

TRACE = "a trace goes through a whole product (one product more, one operation less each)"
MATRIX_RESIDUES: Mapping[str, str] = {
    "waters": f"{TRACE}, P_j + L_j is added once for each link, not for each pair, and W_n is formed",
    "waters-recursive": f"{TRACE}, W_n is formed, and a step of order 4 is none of order 16",
    "gravity": "a step of order 4 is none of order 16",
    "second order": SAME,
    "inertial": f"{TRACE}, and W_n is formed",
    "outer links": "the gravity recursion is shortened as well",
}
"""The same in the units of [Waters1979]."""


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
            "Waters", "106½n²+620¼n−512", "82n²+514n−384", 7051, 5652, ledgers.waters_in_hollerbach,
            "hollerbach-backward",
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
    modified, steps = ledgers.turney_modified(), simultaneous_steps.stage_ledgers()
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


FORCES = {"3": ("mā", "Rf", "f"), "4": ("Rf", "f")}  # the row f, as parts of our code


def _breakdown(table: str, printed: Mapping[str, tuple[str, str]], explained: Rows) -> list[Row]:
    """The lines of a table and, at its end, their total."""
    total, ours, variant = {
        "2": ("Lagrange", "turney-lagrange", "full"),
        "3": ("Newton-Euler", "newton-euler-hat", "full"),
        "4": ("modified Newton-Euler", "modified-newton-euler", "diagonal"),
    }[table]

    def row(name: str, figures: tuple[str, str], why: Ledger, parts: tuple[str, ...]) -> Row:
        different = DIFFERENCES[table].get(name, SAME)
        return Row("turney", table, name, *_pair(figures), why, ours, variant, parts, residue=different)

    lines = [
        row(name, printed[name], explained[name], FORCES[table] if name == "f" else (name,))
        for name in printed
    ]
    return [*lines, row("total", TOTALS[total], ledgers.merged(explained), ())]


def _table_5(steps: Rows) -> list[Row]:
    remark = "not the length of a legal schedule: n_i is added up beside R n_{i+1}, which it needs"
    return [
        Row(
            "turney", "5", name, *_pair(figures), steps[name], "modified-newton-euler", "diagonal",
            remark=remark if name == "total" else "", residue=DIFFERENCES["5"].get(name, SAME),
        )
        for name, figures in SIMULTANEOUS.items()
    ]  # fmt: skip


def waters() -> list[Row]:
    """The ladder of improvements, the split of the last step, joint locking and the outer links."""

    def row(
        table: str, name: str, m: int, a: int, why: Explanation, ours: str | None = None, joints: int = 6,
        parts: tuple[str, ...] = (), remark: str = "", uncounted: str = "",
    ) -> Row:  # fmt: skip
        different = MATRIX_RESIDUES.get(name if table == "split" else table) or MATRIX_RESIDUES.get(
            ours or "", ""
        )
        return Row(
            "waters", table, name, Polynomial(m), Polynomial(a), why(), ours, parts=parts, joints=joints,
            remark=remark, residue=different, uncounted=uncounted,
        )  # fmt: skip

    closed = "Σ j(j³−1) and Σ j(2j²+j) meet the figure; what they leave out cannot be determined"
    inner, outer = ("inertial", "gravity"), ("inertial, outer links", "gravity, outer links")
    both = ledgers.waters_both_recursions
    return [
        row(
            "ladder", "straightforward", 2254, 973, ledgers.waters_naive, remark=closed,
            uncounted="no formulation of ours multiplies a derivative out again where it has it",
        ),
        row(
            "ladder", "values recorded", 486, 275, ledgers.waters_recorded, remark="45 products are unexplained",
            uncounted="uicker-kahn records values too, but takes a trace for every pair of rates",
        ),
        row("ladder", "backward recursion", 70, 106, ledgers.waters_backward, "waters"),
        row(
            "ladder", "and D recursive", 60, 81, ledgers.waters_d_recursion,
            uncounted="waters-recursive makes gravity recursive as well, which is the next row",
        ),
        row("ladder", "and gravity recursive", 45, 77, both, "waters-recursive"),
        row("split", "gravity", 0, 17, ledgers.waters_gravity, "waters-recursive", parts=(inner[1], outer[1])),
        row(
            "split", "second order", 20, 38, ledgers.waters_second_order, "waters-recursive", parts=("second order",)
        ),
        row("split", "inertial", 25, 22, ledgers.waters_inertial, "waters-recursive", parts=(inner[0], outer[0])),
        row(
            "locking", "three joints locked", 19, 34, both, "waters-recursive", 3,
            remark="the same ledger for three joints; one product more and one operation less are printed",
        ),
        row("outer links", "neglected, saving", 5, 5, ledgers.waters_outer_links, "waters-recursive", parts=outer),
    ]  # fmt: skip


PAPERS: Mapping[str, Callable[[], list[Row]]] = {
    "hollerbach": hollerbach,
    "turney": turney,
    "waters": waters,
}
"""The printed rows of each paper."""
