"""What operation counts say about the papers' claims: every figure computed from ledgers or by counting our code."""

from __future__ import annotations

import math
from collections import Counter
from functools import lru_cache

from strobe.analysis.polynomials import N, Number, Polynomial, fit, mixed
from strobe.papers import ledgers, simultaneous_steps, tables
from strobe.papers.arm_patterns import PATTERNS, arm, customised, customised_general
from strobe.papers.counted_code import Measured, measured
from strobe.papers.findings import Finding
from strobe.papers.published import PAPERS, Row


@lru_cache
def printed(paper: str, table: str, name: str) -> Row:
    """A row of a paper's table."""
    return next(row for row in PAPERS[paper]() if (row.table, row.name) == (table, name))


def _pair(m: Number, a: Number) -> str:
    return f"{mixed(m)} m, {mixed(a)} a"


def _percent(x: float) -> str:
    return f"{100 * x:.1f} %"


# -- Hollerbach -------------------------------------------------------------------------------------


def fourth_power() -> Finding:
    orders = [
        measured(name).polynomials[0] for name in ("uicker-kahn", "turney-lagrange", "hollerbach-4x4")
    ]
    uicker = measured("uicker-kahn").polynomials
    lead = [p.coefficient(4) for p in uicker]
    figure = (
        f"the evaluation order does: {mixed(lead[0])}n⁴ m, {mixed(lead[1])}n⁴ a counted; the same equation "
        f"regrouped is of degree {orders[1].degree}, and of degree {orders[2].degree} by recursion"
    )
    return Finding(figure, [p.degree for p in orders] == [4, 3, 1])


def uicker_kahn_at_six() -> Finding:
    row, six = (printed("hollerbach", table, "Uicker/Kahn") for table in ("I", "II"))
    own, honest = row.m(6), row.explained.as_written.at(6)
    figure = f"the printed polynomials give {_pair(own, row.a(6))}; an honest dense count {_pair(*honest)}"
    return Finding(figure, own != six.m(6) and honest[0] > own)


def backward_recursion() -> Finding:
    row, six = (printed("hollerbach", table, "Waters") for table in ("I", "II"))
    degree = measured("hollerbach-backward").polynomials[0].degree
    figure = (
        f"of degree {degree}; the printed polynomial gives {mixed(row.m(6))}, and "
        f"{row.explained.total.m} the {mixed(row.explained.total.m(6))} of table II"
    )
    return Finding(figure, degree == 2 and row.m(6) != six.m(6) == row.explained.total.m(6))


def forward_recursion() -> Finding:
    before = printed("hollerbach", "I", "Waters").explained.total.m
    after = printed("hollerbach", "I", "Hollerbach 4×4").m
    growth = after.coefficient(1) / before.coefficient(1) - 1
    start = crossover(before, after)
    figure = (
        f"the linear coefficient grows from {mixed(before.coefficient(1))} to {mixed(after.coefficient(1))} "
        f"(+{100 * float(growth):.0f} %); cheaper from n = {start} on"
    )
    return Finding(figure, growth > 0 and start == 2)


def three_by_three() -> Finding:
    big, small = (printed("hollerbach", "I", f"Hollerbach {d}×{d}") for d in (4, 3))
    slopes = [
        1 - small.m.coefficient(1) / big.m.coefficient(1),
        1 - small.a.coefficient(1) / big.a.coefficient(1),
    ]
    six = [1 - small.m(6) / big.m(6), 1 - small.a(6) / big.a(6)]
    figure = (
        f"coefficients {_percent(float(slopes[0]))} m, {_percent(float(slopes[1]))} a; for six joints "
        f"{100 * float(six[0]):.2f} % m, {_percent(float(six[1]))} a; and the printed recursion is not correct"
    )
    return Finding(figure, min(slopes) > 0.5)


def newton_euler_saving() -> Finding:
    lagrange, newton = (printed("hollerbach", "I", x) for x in ("Hollerbach 3×3", "Newton-Euler"))
    m, a = (1 - newton.m(6) / lagrange.m(6), 1 - newton.a(6) / lagrange.a(6))
    both = 1 - (newton.m(6) + newton.a(6)) / (lagrange.m(6) + lagrange.a(6))
    figure = (
        f"{_percent(float(m))} m, {_percent(float(a))} a, {_percent(float(both))} together, for six joints"
    )
    return Finding(figure, abs(both - 0.6) < 0.02)


def as_efficient() -> Finding:
    lagrange, newton = (printed("hollerbach", "I", x) for x in ("Hollerbach 3×3", "Newton-Euler"))
    m, a = lagrange.m(6) / newton.m(6), lagrange.a(6) / newton.a(6)
    return Finding(
        f"{float(m):.1f} times the m and {float(a):.1f} times the a by the same table", min(m, a) > 2
    )


def crossover(cheaper_at_first: Polynomial, other: Polynomial) -> int:
    """The first n from which on the other polynomial stays below."""
    horizon = 60
    above = [n for n in range(1, horizon) if other(n) >= cheaper_at_first(n)]
    return max(above, default=0) + 1


def configuration_space_loses() -> Finding:
    tables_ = printed("hollerbach", "I", "Horn/Raibert")
    rivals = {
        "his Newton-Euler": _figures(printed("hollerbach", "I", "Newton-Euler")),
        "Turney's": _figures(printed("turney", "1", "Newton-Euler")),
        "the modified one, counted here": measured("modified-newton-euler").polynomials,
        "the customised one, counted here": _customised(),
    }
    starts = {name: _starts(tables_, m, a) for name, (m, a) in rivals.items()}
    shown = "; ".join(f"{name} {s[0]}/{s[1]}/{s[2]}" for name, s in starts.items())
    return Finding(
        f"n from which on it loses, by m / a / m+a, against {shown}",
        starts["his Newton-Euler"] == (9, 11, 10) and min(starts["the customised one, counted here"]) < 9,
    )


def _customised() -> tuple[Polynomial, Polynomial]:
    """Compiled torques of general arms with base parameters."""
    return Measured(customised_general()).polynomials


def _figures(row: Row) -> tuple[Polynomial, Polynomial]:
    return row.m, row.a


def _starts(row: Row, m: Polynomial, a: Polynomial) -> tuple[int, int, int]:
    return crossover(row.m, m), crossover(row.a, a), crossover(row.m + row.a, m + a)


def no_improvement() -> Finding:
    before = printed("hollerbach", "I", "Newton-Euler")
    was = before.m(6), before.a(6)
    counted = {
        "as written with full inertias (modified)": measured("modified-newton-euler").counts[6],
        "with base parameters and every value computed once": customised_general()[6],
    }
    saved = {name: 1 - float(sum(now) / sum(was)) for name, now in counted.items()}
    became = "; ".join(
        f"{_pair(*now)} {name}, {_percent(saved[name])} less" for name, now in counted.items()
    )
    return Finding(
        f"{_pair(*was)} became, counted here for six joints: {became}", min(saved.values()) > 0.2
    )


def coriolis_burden() -> Finding:
    part, whole = ledgers.coriolis_of_uicker_kahn().m(6), ledgers.uicker_kahn().total.m(6)
    linear = waters_shares()["second order"]
    figure = (
        f"{mixed(part)} of {mixed(whole)} multiplications ({100 * float(part / whole):.0f} %) in the "
        f"Uicker/Kahn order, {100 * linear:.0f} % in the linear one"
    )
    return Finding(figure, part / whole > 0.8 and linear < 0.5)


def seconds_per_point() -> Finding:
    row, ladder = printed("hollerbach", "II", "Uicker/Kahn"), printed("waters", "ladder", "straightforward")
    his = 7.9 / float(row.m(0) + row.a(0))
    waters = 8 / float(ledgers.weighted(ladder.m(0), ladder.a(0)))
    alike = 0.5 < his / waters < 2
    figure = (
        f"{1e6 * his:.0f} µs per operation; Waters' 8 s are {1e6 * waters:.0f} µs per multiplication: "
        f"{'' if alike else 'NOT '}consistent"
    )
    return Finding(figure, alike, "the time itself, which needs the machine")


# -- Turney, Mudge and Lee --------------------------------------------------------------------------


def third_power() -> Finding:
    m, a = measured("turney-lagrange").polynomials
    honest = ledgers.merged(ledgers.turney_lagrange()).as_written
    figure = f"of degree {m.degree}; without the slips {honest.m} m, {honest.a} a; our code {m} m, {a} a"
    return Finding(figure, m.degree == a.degree == 3)


def turney_newton_euler() -> Finding:
    m, a = measured("newton-euler-hat").polynomials
    row = printed("turney", "1", "Newton-Euler")
    honest = row.explained.as_written
    return Finding(
        f"the same algorithm counted: {m} m, {a} a", m == honest.m != row.m and a == honest.a != row.a
    )


def modified_is_less_complex() -> Finding:
    names = ("newton-euler-hat", "modified-newton-euler")
    full = [measured(name).polynomials for name in names]
    diagonal = measured(names[1], "diagonal").polynomials
    step = [int(full[0][k].coefficient(1) - full[1][k].coefficient(1)) for k in (0, 1)]
    axes = int(full[1][0].coefficient(1) - diagonal[0].coefficient(1))
    figure = (
        f"counted with diagonal K: {diagonal[0]} m, {diagonal[1]} a; like for like it saves {step[0]} m and "
        f"{step[1]} a per link, principal axes the other {axes} m"
    )
    return Finding(figure, step == [6, 3] and axes == 12)


def more_parallel() -> Finding:
    total = simultaneous_steps.stage_ledgers()["total"].total
    path = simultaneous_steps.path_length("m+a", pre_summed=True)
    gain = tables.speed_ups()["longest path"]
    figure = (
        f"{total.m} m, {total.a} a reproduced, but not a legal schedule; with a processor for each task of a link, "
        f"doing one operation a step, the longest path is {path} steps ({path(6) if path else '?'} for six joints), "
        f"a speed-up of {gain:.1f}; with one for every operation, as strobe count schedules it, "
        f"{tables.finest_path()}"
    )
    return Finding(figure, path == N * 51 + 21)


def gibbs_appell_between() -> Finding:
    """Counted in our own evaluation of Gibbs' function: theirs is not in the source."""
    names = ("newton-euler", "gibbs-appell", "turney-lagrange")
    found = [measured(name).polynomials for name in names]
    six = [m(6) + a(6) for m, a in found]
    shown = ", ".join(f"{name} {_pair(m(6), a(6))}" for name, (m, a) in zip(names, found, strict=True))
    figure = f"their own count is not in the source; as we write it, for six joints: {shown}"
    return Finding(figure, six == sorted(six))


def discrepancy() -> Finding:
    newton = printed("hollerbach", "I", "Newton-Euler")
    rest = newton.m - newton.explained.total.m, newton.a - newton.explained.total.a
    degrees = [measured(name).polynomials[0].degree for name in ("uicker-kahn", "turney-lagrange")]
    figure = (
        f"the Lagrange row: degree {degrees[0]} as written, {degrees[1]} regrouped; of the Newton-Euler row "
        f"{rest[0]} m and {rest[1]} a stay unexplained"
    )
    return Finding(figure, degrees == [4, 3] and bool(rest[0]))


def strobing_cost() -> Finding:
    """Links visited by all runs, outward from the first moving one and inward to where torques are wanted."""
    halves = fit({n: sum(n - j for j in range(n)) for n in range(1, 8)})
    pairs = {n: [(j, k) for j in range(n) for k in range(j, n)] for n in range(1, 8)}
    outward = fit({n: sum(n - min(pair) for pair in pairs[n]) for n in pairs})
    inward = fit({n: n * len(pairs[n]) for n in pairs})
    figure = f"links visited: M {halves} both ways; C {outward} outward, {inward} inward, not {ledgers.S1}"
    return Finding(figure, halves == ledgers.S1 and outward == ledgers.S2 and inward == N * ledgers.S1)


# -- Waters -----------------------------------------------------------------------------------------


def _ladder(name: str) -> tuple[Number, Number]:
    row = printed("waters", "ladder", name)
    return row.m(0), row.a(0)


def _factors(before: str, after: str) -> tuple[float, float]:
    """The gain of one step, by products and with weights."""
    one, other = _ladder(before), _ladder(after)
    return float(one[0] / other[0]), float(ledgers.weighted(*one) / ledgers.weighted(*other))


def waters_shares() -> dict[str, float]:
    """Each part of Waters' last step, of the whole, with weights 64 and 16."""
    return {row.name: row.share for row in tables.waters_weighted()}


def naive_evaluation() -> Finding:
    honest = ledgers.waters_naive().total
    figure = f"honest count {mixed(honest.m(6))}m+{mixed(honest.a(6))}a; products grow like {honest.m}"
    return Finding(figure, honest.at(6) != _ladder("straightforward") and honest.m.degree == 5)


def recording() -> Finding:
    found = ledgers.waters_recorded().total.at(6)
    products, weights = _factors("straightforward", "values recorded")
    figure = (
        f"{mixed(found[1])}a exact, products {mixed(found[0])}; a factor {products:.1f} by products, "
        f"{weights:.1f} weighted"
    )
    return Finding(figure, found == (441, 275))


def recurrences() -> Finding:
    found = ledgers.waters_backward().total.at(6)
    products, weights = _factors("values recorded", "backward recursion")
    by_products, by_weights = (8 / f for f in _factors("straightforward", "backward recursion"))
    figure = (
        f"{found[0]}m+{found[1]}a exact; a factor {products:.1f} by products, {weights:.1f} weighted; "
        f"{by_products:.2f} s by products, {by_weights:.2f} s weighted"
    )
    return Finding(figure, found == _ladder("backward recursion"))


def both_recursions() -> Finding:
    found = [ledgers.waters_d_recursion().total.at(6), ledgers.waters_both_recursions().total.at(6)]
    literal = ledgers.waters_both_recursions().as_written.at(6)
    steps = [f"{m}m+{a}a" for m, a in (*found, literal)]
    figure = f"{steps[0]}, {steps[1]}; the last by his stated rule {steps[2]}"
    return Finding(figure, found == [_ladder("and D recursive"), _ladder("and gravity recursive")])


def overall_factor() -> Finding:
    products, weights = _factors("straightforward", "and gravity recursive")
    further = 2 * 4
    figure = (
        f"{products:.1f} by products, {weights:.1f} weighted; then {weights * further:.0f} and "
        f"{8000 / (weights * further):.0f} ms, if the further 2 and 4 are granted"
    )
    return Finding(figure, abs(products - 50) < 1 and weights < 45)


def shares() -> Finding:
    found = [waters_shares()[name] for name in ("gravity", "second order", "inertial")]
    claimed = (0.06, 0.46, 0.48)
    close = all(abs(x - y) < 0.01 for x, y in zip(found, claimed, strict=True))
    return Finding(" / ".join(f"{100 * x:.1f}" for x in found) + " % with weights 64 and 16", close)


def repeated_values() -> Finding:
    """How often the equations as written compute U_66 and L_6, found by walking through them."""
    seen: Counter[str] = Counter()
    for i in range(1, 7):
        for j in range(i, 7):
            seen.update(f"U_{j}{k}" for k in range(1, j + 1))  # P_j
            seen[f"L_{j}"] += 1
            seen[f"U_{j}{i}"] += 2  # the trace and gravity
    figure = f"U_66 {seen['U_66']} times, L_6 {seen['L_6']} times"
    return Finding(figure, (seen["U_66"], seen["L_6"]) == (8, 6))


def locking() -> Finding:
    whole = ledgers.weighted(*_ladder("and gravity recursive"))
    row = printed("waters", "locking", "three joints locked")
    his = 1 - ledgers.weighted(row.m(0), row.a(0)) / whole
    found = ledgers.waters_both_recursions().total.at(3)
    ours = 1 - ledgers.weighted(*found) / whole
    figure = (
        f"his figures {_percent(float(his))}; the ledger for three joints {found[0]}m+{found[1]}a, "
        f"{_percent(float(ours))}"
    )
    return Finding(figure, abs(his - 0.57) < 0.005)


def ignoring_velocities() -> Finding:
    share = waters_shares()["second order"]
    return Finding(f"{_percent(share)}, the share of the second order terms", abs(share - 0.46) < 0.005)


def resolution() -> Finding:
    ranges = ((1, 1e-2), (1, 1e-5), (3, 1e-8))
    bits = [math.ceil(math.log2(span / step)) for span, step in ranges]
    figure = f"{bits[0]}, {bits[1]} and {bits[2]} bits; one more each for signed velocity and acceleration"
    return Finding(figure, bits == [7, 17, 29])


def full_table() -> Finding:
    sets = 5**18
    return Finding(f"{sets:,} sets of 6 values", 3.5e12 < sets < 4.5e12)


def derivatives_per_point() -> Finding:
    derivatives = 6 * 18
    factor = (6 + derivatives) / 6
    figure = (
        f"{derivatives} true; storage per point grows from 6 to {6 + derivatives}, a factor {factor:.0f} "
        f"({math.log10(factor):.1f} orders)"
    )
    return Finding(figure, derivatives == 108 and factor < 100)


def smaller_table() -> Finding:
    sets, values = 5**12, 36 + 6
    enough = 5**6 * (21 + 126 + 6)
    figure = (
        f"{sets:,} sets of {values}, {values * 12} derivatives more; but M depends on positions only and "
        f"velocity terms are quadratic: 5⁶ × {21 + 126 + 6} = {enough:,} values suffice"
    )
    return Finding(figure, sets == 244_140_625 and values * 12 == 504)


def tables_are_huge() -> Finding:
    sizes = full_table(), smaller_table()
    figure = f"{sizes[0].figure}, or {5**12:,} sets of 42"
    return Finding(figure, all(size.holds for size in sizes), "that a change of load refills them")


def zeros_save_nothing() -> Finding:
    """Customised torques of an arm with the PUMA 560's zeros, all inertias there, and of a general one."""
    special, general = customised(arm(PATTERNS["PUMA 560"])), customised_general()[6]
    saved = 1 - sum(special) / sum(general)
    figure = (
        f"customised Newton-Euler with base parameters: {_pair(*special)} for an arm of the PUMA 560's geometry, "
        f"{_pair(*general)} for a general 6R arm, {_percent(saved)} less; a matrix recursion as written does not "
        "change"
    )
    return Finding(figure, saved > 0.2)
