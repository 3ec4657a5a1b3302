"""Where a formulation's operations come from: each one charged to the expression of its module that asks for it.

The formulation runs as it is, on numbers that count; a number looks back along the calls to the first line of a
formulation's module and reads there which expression is being evaluated. In Waters' units the same run is
counted in whole operations on 4×4 matrices.
"""

from __future__ import annotations

import linecache
import re
import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from types import CodeType, FrameType

from strobe import formulations
from strobe.algebra import matrices
from strobe.analysis.counts import general_arm
from strobe.errors import StrobeError
from strobe.formulations import formulation, links
from strobe.papers.counted_code import LENGTHS, Measured, diagonal
from strobe.scalars import DenseCount, Num
from strobe.scalars.count import Count

MODULES = str(Path(formulations.__file__).parent)
LINKS = links.__file__  # a link's own constants, which are nobody's row
MATRICES = matrices.__file__
MATRIX_METHODS = ("__matmul__", "__mul__", "__add__", "__sub__", "apply", "trace")

Charge = tuple[str, str, str]  # operation, matrix method or nothing, expression
Pair = tuple[int, int]  # multiplications, additions; or 4×4 products, operations of order 16


class Charges(Counter[str]):
    """Operations by kind, as every counting system has them, and by the expression they are for."""

    def __init__(self) -> None:
        super().__init__()
        self.by: Counter[Charge] = Counter()

    def __setitem__(self, op: str, count: int) -> None:
        super().__setitem__(op, count)
        self.by[op, *_origin(sys._getframe(1))] += 1


class AsWritten(DenseCount):
    """The dense count, charged to expressions."""

    def __init__(self) -> None:
        self.tally = self.charges = Charges()


class Everything(AsWritten):
    """No number is known beforehand, so that a 4×4 product is 64 multiplications wherever it occurs."""

    def number(self, x: float) -> Num:
        return Count(self)

    def circle(self, angle: float) -> tuple[Num, Num]:
        return Count(self), Count(self)

    def entry(self, x: Num) -> Num:
        return x if isinstance(x, Count) else Count(self)


def _origin(frame: FrameType | None) -> tuple[str, str]:
    """The matrix method that is at work, and the expression of a formulation that is being evaluated."""
    method = ""
    while frame is not None and not frame.f_code.co_filename.startswith(MODULES):
        if frame.f_code.co_filename == MATRICES and frame.f_code.co_name in MATRIX_METHODS:
            method = frame.f_code.co_name
        frame = frame.f_back
    if frame is None or frame.f_code.co_filename == LINKS:
        return method, ""
    return method, _expression(frame.f_code, frame.f_lasti)


@cache
def _expression(code: CodeType, instruction: int) -> str:
    """The source of what an instruction evaluates, on one line."""
    line, last, start, end = list(code.co_positions())[instruction // 2]
    if line is None or start is None or end is None or line != last:
        raise StrobeError(
            f"which expression of {Path(code.co_filename).name} an operation belongs to is not known: it spans "
            "lines, or Python runs without debug ranges; run it without -X no_debug_ranges and PYTHONNODEBUGRANGES."
        )
    return linecache.getline(code.co_filename, line).encode()[start:end].decode()


# -- the rows of the papers, as expressions of our modules --------------------------------------------

# how an expression begins, and the part it belongs to; the first that fits
Rules = tuple[tuple[str, str], ...]

OUTWARD: Rules = (
    (r"(into @ \()?w \+ Z0", "ω"),
    (r"(into @ \()?al \+|w\.cross\(Z0\)", "α"),
    (r"Mat3\.acceleration", "Â"),
    (r"into @ a$|(u \+ )?A @ link\.p$", "a"),
)
INWARD: Rules = (
    (r"R @ f$", "Rf"),
    (r"F_i \+ Rf$", "f"),
    (r"link\.s\.cross\(F_i\)$", "s×mā"),
    (r"link\.p\.cross\(Rf\)$", "p×Rf"),
    (r"R @ n$", "Rn"),
    (r"N_i \+", "add n"),
    (r"link\.z\.dot", "τ"),
)
RULES: Mapping[str, Rules] = {
    "newton-euler-hat": (
        *OUTWARD,
        (r"(a \+ )?A @ link\.r$", "ā"),
        (r"abar \*", "mā"),
        (r"link\.I @ al$", "Iα"),
        (r"link\.I @ al \+", "add n"),
        (r"link\.I @ w$|w\.cross\(link\.I", "ω×Iω"),
        *INWARD,
    ),
    "modified-newton-euler": (
        *OUTWARD,
        (r"A @ \(link\.s|u \* link\.m", "mā"),
        (r"A\.[abc]\.dot", "Tr ÂK"),
        *INWARD,
    ),
    "turney-lagrange": (
        (r"chain\[j, j \+ span", "chains T"),
        (r"chain\[0, j - 1\] @ own", "∂T"),
        (r"chain\[0, j - 1\] @ links|dT\[k - 1", "∂²T"),
        (r"kinetic|qd\[j\]|d?dT\[m, ", "kinetic sum"),
        (r"a \* b|total \+|tau\[i\] \+ contraction\(S, dT\[m, i\]\)$", "trace"),
        (r"U\.apply|g\.|tau\[i\]", "gravity"),
    ),
}
"""The rows of [Turney1980], tables 2 to 4."""

MATRIX_RULES: Rules = (
    (r"T @ D$|D_own \+", "inertial, outer links"),
    (r"T\.apply", "gravity, outer links"),
    (r"U(\[i\])?\.apply", "gravity"),
    (r"D \* accel|W @ [DT]$|P @ T|U \* accel|link\.J_hat|U(\[i\])? @ ", "inertial"),
    (r"D \* rate|DD \*|P \+ L|L @ T|\(?V @|\(?W @ DD|U \* rate", "second order"),
)
"""The parts of [Waters1979] in `waters` and `waters-recursive`."""

UNITS: Mapping[tuple[str, str], tuple[int, int, int]] = {
    ("mul", "__matmul__"): (64, 1, 0),
    ("mul", "__mul__"): (16, 0, 1),
    ("mul", "apply"): (16, 0, 1),
    ("add", "__add__"): (16, 0, 1),
}
"""How many scalar operations are one 4×4 product or one operation of order 16; what is smaller is none."""


@cache
def by_part(method: str, inertia: str = "full") -> Mapping[str, Measured]:
    """The dense count of a formulation of `RULES`, part by part."""
    counts: dict[str, dict[int, Pair]] = {}
    for n in LENGTHS:
        for part, pair in _charged(method, inertia, n).items():
            counts.setdefault(part, {})[n] = pair
    return {part: Measured(found) for part, found in counts.items()}


def _charged(method: str, inertia: str, n: int) -> dict[str, Pair]:
    parts: dict[str, Pair] = {}
    for (op, _, expression), count in _run(AsWritten(), method, n, inertia).items():
        if expression and op in ("mul", "add", "sub"):
            part = _part(RULES[method], expression)
            m, a = parts.get(part, (0, 0))
            parts[part] = (m + count, a) if op == "mul" else (m, a + count)
    return parts


@cache
def in_matrices(method: str, n: int) -> Mapping[str, Pair]:
    """4×4 products and operations of order 16 of `waters` or `waters-recursive`, part by part."""
    parts: dict[str, Pair] = {}
    for (op, via, expression), count in _run(Everything(), method, n).items():
        if expression and (op, via) in UNITS:
            size, product, other = UNITS[op, via]
            times, rest = divmod(count, size)
            if rest:
                raise ArithmeticError(f"{expression} does {count} operations, no multiple of {size}")
            part = _part(MATRIX_RULES, expression)
            products, others = parts.get(part, (0, 0))
            parts[part] = products + times * product, others + times * other
    return parts


def added(counts: Iterable[Measured]) -> Measured:
    """Several parts as one; a part that short arms do not have costs them nothing."""
    found = [each.counts for each in counts]
    pairs = {n: [each.get(n, (0, 0)) for each in found] for n in LENGTHS}
    return Measured({n: (sum(m for m, _ in each), sum(a for _, a in each)) for n, each in pairs.items()})


def _run(system: AsWritten, method: str, n: int, inertia: str = "full") -> Counter[Charge]:
    model = general_arm(n).lift(system)
    formulation(method).inverse_dynamics(
        diagonal(model) if inertia == "diagonal" else model, *model.variables()
    )
    return system.charges.by


def _part(rules: Rules, expression: str) -> str:
    for start, part in rules:
        if re.match(start, expression):
            return part
    raise ArithmeticError(f"no part of a table knows the expression {expression}")
