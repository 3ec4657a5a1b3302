"""Bookkeeping: what the published operation counts are sums of.

A ledger is a list of lines, each a number of times (a polynomial in n) a unit cost. A line is either *as
written*, what the equations ask for under the paper's rules, or it says in ``beyond`` what has to be assumed
about the paper's arithmetic to arrive at its figure: a slip, an overcharge, a fitted rest. The sum of the
lines as written is the honest count; the sum of all lines is the attempt to reproduce the printed one.

Unit costs for D×D matrices: product D³ m, D²(D−1) a; number times matrix D² m; sum D² a; matrix times vector
D² m, D(D−1) a; trace of a product by the full product D³ m, D²(D−1)+(D−1) a, entry by entry D² m, D²−1 a.
Negations, copies, sines and cosines are free, and so are the entries of one link's own matrices.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from strobe.analysis.polynomials import N, Number, Polynomial, polynomial


@dataclass(frozen=True, slots=True)
class Cost:
    """Multiplications and additions; in Waters' units, matrix products and operations of order 16."""

    m: Polynomial
    a: Polynomial

    def __add__(self, other: Cost) -> Cost:
        return Cost(self.m + other.m, self.a + other.a)

    def __sub__(self, other: Cost) -> Cost:
        return Cost(self.m - other.m, self.a - other.a)

    def __mul__(self, times: Polynomial | Number) -> Cost:
        return Cost(self.m * times, self.a * times)

    def at(self, joints: int) -> tuple[Number, Number]:
        """Both figures for an arm of so many joints."""
        return self.m(joints), self.a(joints)


def cost(m: Polynomial | Number, a: Polynomial | Number) -> Cost:
    """A cost from numbers or polynomials."""
    return Cost(polynomial(m), polynomial(a))


# -- unit costs -------------------------------------------------------------------------------------


def product(D: int) -> Cost:
    """D×D matrix times D×D matrix."""
    return cost(D**3, D**2 * (D - 1))


def scaling(D: int) -> Cost:
    """A number times a D×D matrix."""
    return cost(D**2, 0)


def matrix_sum(D: int) -> Cost:
    return cost(0, D**2)


def matrix_vector(D: int) -> Cost:
    return cost(D**2, D * (D - 1))


def dot(D: int) -> Cost:
    return cost(D, D - 1)


def vector_sum(D: int) -> Cost:
    return cost(0, D)


def trace_by_product(D: int) -> Cost:
    """tr(A B) with all of A B formed."""
    return product(D) + additions(D - 1)


def trace_by_entries(D: int) -> Cost:
    """tr(A Bᵀ) as the sum of the products of entries."""
    return cost(D**2, D**2 - 1)


def multiplications(k: int) -> Cost:
    return cost(k, 0)


def additions(k: int) -> Cost:
    return cost(0, k)


CROSS = cost(6, 3)
ROTATE = matrix_vector(3)
ADD = vector_sum(3)

# -- how often things happen ------------------------------------------------------------------------

S1 = N.summed()  # pairs i ≤ j
V = S1 - N  # pairs i < j
S2 = (N**2).summed()
S3 = (N**3).summed()
T3 = S1.summed()  # triples i ≤ j ≤ k
U3 = V.summed()  # the sum of j(j−1)/2


# -- lines and ledgers ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Line:
    """So many times one cost; ``beyond`` says what is assumed where it is not as written."""

    what: str
    times: Polynomial
    unit: Cost
    beyond: str = ""
    fitted: bool = False  # assumed only because the sum comes out

    @property
    def total(self) -> Cost:
        return self.unit * self.times


@dataclass(frozen=True, slots=True)
class Ledger:
    """The lines that make up one published figure."""

    lines: tuple[Line, ...]

    @property
    def total(self) -> Cost:
        """All lines: the attempt to reproduce the printed figure."""
        return _sum(self.lines)

    @property
    def as_written(self) -> Cost:
        """The lines that the equations ask for: the honest count."""
        return _sum(line for line in self.lines if not line.beyond)

    def assumed(self, kind: str) -> list[Line]:
        """The lines beyond what is written that touch the multiplications (m) or the additions (a)."""
        return [line for line in self.lines if line.beyond and getattr(line.total, kind)]

    def __add__(self, other: Ledger) -> Ledger:
        return Ledger(self.lines + other.lines)


def _sum(lines: Iterable[Line]) -> Cost:
    total = cost(0, 0)
    for each in lines:
        total = total + each.total
    return total


def line(
    what: str, times: Polynomial | Number, *units: Cost, beyond: str = "", fitted: bool = False
) -> Line:
    """A line of one or more unit costs that always come together."""
    unit = cost(0, 0)
    for each in units:
        unit = unit + each
    return Line(what, polynomial(times), unit, beyond, fitted)


def ledger(*lines: Line) -> Ledger:
    return Ledger(lines)


# -- Hollerbach 1980, tables I and II ---------------------------------------------------------------
# No use of zeros and ones; entries of A, ∂A, ∂²A free; traces by full product; only whole matrix products
# are saved on link 1; revolute joints.

HALF_INERTIAL = (
    "the inertial traces are charged n(n+1)(n+2)/12 times, half the distinct ones: a slip, inferred"
)
ONCE_PER_JOINT = "the inertial, Coriolis and gravity parts are combined once per joint, not once per (i, j)"
FROM_ZERO = "the five terms of Ẅ are charged five sums, the first one being added to zero"
UNKNOWN_SEVEN = (
    "7 multiplications per link of unknown origin, fitted; the same number serves both recursive rows"
)
GRAVITY_PAIRS = "the 20 gravity multiplications are left out where i = j, fitted"


def uicker_kahn() -> Ledger:
    """Every trace on its own, no symmetry used in the inertial terms."""
    inertial = (trace_by_product(4), product(4), multiplications(1), additions(1))
    return ledger(
        line("chains ᵏW_j", V, product(4)),
        line("first derivatives", S1 - 1, product(4)),
        line("second derivatives, k = l", S1 - 1, product(4)),
        line("second derivatives, k < l", U3, product(4)),
        line("Coriolis terms", S3, trace_by_product(4), product(4), multiplications(2), additions(1)),
        line("inertial terms", S2, *inertial),
        line("inertial terms that the table leaves out", T3 / 2 - S2, *inertial, beyond=HALF_INERTIAL),
        line("gravity", S1, matrix_vector(4), dot(4), multiplications(1)),
        line("the three parts of (i, j), combined and added up", S1, additions(3)),
        line("the same, per joint", N * 2 - S1 * 3, additions(1), beyond=ONCE_PER_JOINT),
    )


def coriolis_of_uicker_kahn() -> Cost:
    """The part of `uicker_kahn` that velocity products cost."""
    return _sum(each for each in uicker_kahn().lines if each.what == "Coriolis terms")


def kinematics(D: int) -> Ledger:
    """W, Ẇ and Ẅ by equations (9) and (10) with nothing reused, shared by three rows."""
    return ledger(
        line("W_i, Ẇ_i and Ẅ_i, link 1 free", N - 1, product(D) * 8),
        line("scalings by rates and accelerations", N * 5, scaling(D)),
        line("sums of Ẇ_i and Ẅ_i", N * 5, matrix_sum(D)),
        line("first term added to zero", N, matrix_sum(D), beyond=FROM_ZERO),
        line("unknown", N, multiplications(7), beyond=UNKNOWN_SEVEN, fitted=True),
    )


def waters_in_hollerbach() -> Ledger:
    return kinematics(4) + ledger(
        line("U_ji = U_{j−1,i} A_j", V, product(4)),
        line("traces", S1, trace_by_product(4), product(4)),
        line("m_j, subtraction, accumulation", S1, multiplications(1), additions(2)),
        line("gravity rows and dots", S1, matrix_vector(4), dot(4)),
        line(
            "gravity multiplications where i = j",
            -N,
            multiplications(20),
            beyond=GRAVITY_PAIRS,
            fitted=True,
        ),
    )


def hollerbach_4x4() -> Ledger:
    return kinematics(4) + ledger(
        line("J_i Ẅ_iᵀ", N, product(4)),
        line("tr(U_i D_i)", N, trace_by_product(4)),
        line("m_i r_i", N, multiplications(3)),
        line("gᵀU_i c_i, subtraction", N, matrix_vector(4), dot(4), additions(1)),
        line("A_{i+1} D_{i+1}, added", N - 1, product(4), matrix_sum(4)),
        line("A_{i+1} c_{i+1}, added", N - 1, matrix_vector(4), vector_sum(4)),
    )


def hollerbach_3x3() -> Ledger:
    """The recursion as printed, which is not the correct one."""
    return kinematics(3) + ledger(
        line("p̈_i", N, ROTATE, ADD),
        line("J_i Ẅ_iᵀ", N, product(3)),
        line("n_i p̈_iᵀ, added", N, multiplications(9), matrix_sum(3)),
        line("m_i r_i", N, multiplications(3)),
        line("tr(U_i D_i)", N, trace_by_product(3)),
        line("gᵀU_i c_i, subtraction", N, ROTATE, dot(3), additions(1)),
        line("A_{i+1} D_{i+1}", N - 1, product(3)),
        line("p_{i+1} e_{i+1}, both added", N - 1, multiplications(9), matrix_sum(3) * 2),
        line("A_{i+1} c_{i+1}, added", N - 1, ROTATE, ADD),
        line("e_i, not needed on link 1", N - 1, multiplications(3), ROTATE, ADD * 2),
    )


def newton_euler_in_hollerbach() -> Ledger:
    """The natural count with rotations distributed over the sums."""
    return ledger(
        line("ω_i", N, ROTATE, multiplications(3), ADD),
        line("α_i", N, ROTATE, multiplications(9), additions(9)),
        line("a_i", N, ROTATE, CROSS * 3, ADD * 2),
        line("ā_i", N, CROSS * 3, ADD * 2),
        line("F_i", N, multiplications(3)),
        line("N_i", N, ROTATE * 2, CROSS, ADD),
        line("f_i", N, ROTATE, ADD),
        line("n_i", N, ROTATE, CROSS * 2, ADD * 4),
        line("τ_i", N, dot(3)),
        line("link n has nothing beyond it", -1, ROTATE * 2, CROSS, ADD * 3),
        line("link 1 starts at rest", -1, ROTATE * 2, multiplications(6), additions(12)),
    )


def horn_raibert() -> Ledger:
    return ledger(
        line("M_ij q̈_j", N**2, multiplications(1), additions(1)),
        line("(C^i_jk q̇_j) q̇_k", N**3, multiplications(2), additions(1)),
        line("sums of the three parts", N, additions(2)),
    )


# -- Turney, Mudge and Lee 1980, tables 1 to 4 ------------------------------------------------------

Rows = dict[str, Ledger]

NO_ACCELERATIONS = "the 16q products with accelerations are left out"
ALL_PAIRS = "q² velocity terms are added where q(q+1)/2 are distinct"
WRONG_SUM = "Σ q(q+1) is taken as n(n²−1)/3; it is n(n+1)(n+2)/3"
NO_CROSS = "the two products of ω × z q̇ are left out"
LOST_MASS = "m_n ā_n is lost with the last link"
LAST_LINK = "charged to the last link too, which has nothing beyond it"
NO_TORQUE = "τ_i itself is not counted"
FIFTEEN = "15 additions are charged for the sum of n_i on every link"
LOST_ROTATION = "R_n a_{n−1}, which the last link still needs, is lost"


def turney_lagrange() -> Rows:
    """The Lagrange terms of table 2, in its order."""
    return {
        "chains T": ledger(line("products", V, product(4))),
        "∂T": ledger(line("products, Q free", V, product(4))),
        "∂²T": ledger(line("products, Q free", U3, product(4))),
        "kinetic sum": ledger(
            line("∂T q̈_j", S1, scaling(4)),
            line("∂²T q̇_j q̇_k", T3, scaling(4), multiplications(1)),
            line("sums", S1 + T3 - N, matrix_sum(4)),
            line("times J_q", N, product(4)),
            line("∂T q̈_j left out", -S1, scaling(4), beyond=NO_ACCELERATIONS),
            line("further sums", S2 - T3, matrix_sum(4), beyond=ALL_PAIRS),
            line("sums lost", N * (N**2 - 1) / 3 - T3 * 2, matrix_sum(4), beyond=WRONG_SUM),
        ),
        "trace": ledger(
            line("entry by entry", S1, trace_by_entries(4)), line("sum over q", V, additions(1))
        ),
        "gravity": ledger(line("one row of ∂T times m r", S1, dot(4)), line("sum over q", V, additions(1))),
    }


def _outward() -> Rows:
    """What tables 3 and 4 share at the start."""
    return {
        "ω": ledger(line("R (ω + z q̇)", N, ROTATE, additions(1))),
        "α": ledger(
            line("R (α + ω × z q̇ + z q̈)", N, ROTATE, multiplications(2), additions(3)),
            line("ω × z q̇", -N, multiplications(2), beyond=NO_CROSS),
        ),
        "Â": ledger(line("six products of ω, nine sums", N, multiplications(6), additions(9))),
    }


def _inward(terms: int) -> Rows:
    """What tables 3 and 4 share at the end; n_i is a sum of so many terms."""
    return {
        "s×mā": ledger(line("cross product", N, CROSS)),
        "p×Rf": ledger(line("cross product", N - 1, CROSS), line("link n", 1, CROSS, beyond=LAST_LINK)),
        "Rn": ledger(line("rotation", N - 1, ROTATE), line("link n", 1, ROTATE, beyond=LAST_LINK)),
        "add n": ledger(
            line(f"{terms} terms", N, ADD * (terms - 1)),
            line("link n has two terms less", -1, ADD * 2),
            line("overcharge", 1, cost(0, N * (15 - 3 * (terms - 1)) + 6), beyond=FIFTEEN),
        ),
        "τ": ledger(
            line("z · n, z with one zero", N, dot(2)), line("not counted", -N, dot(2), beyond=NO_TORQUE)
        ),
    }


def turney_newton_euler() -> Rows:
    """Table 3: through Â, with a full inertia tensor."""
    middle = {
        "a": ledger(line("R a + Â p", N, ROTATE * 2, ADD)),
        "ā": ledger(line("a + Â r", N, ROTATE, ADD)),
        "f": ledger(
            line("m ā", N, multiplications(3)),
            line("R f, added", N - 1, ROTATE, ADD),
            line("m_n ā_n", -1, multiplications(3), beyond=LOST_MASS),
        ),
        "Iα": ledger(line("full tensor", N, ROTATE)),
        "ω×Iω": ledger(line("full tensor", N, ROTATE, CROSS)),
    }
    return _outward() | middle | _inward(terms=5)


def turney_modified() -> Rows:
    """Table 4: the modified set, with a diagonal K."""
    middle = {
        "a": ledger(
            line("R a + Â p", N - 1, ROTATE * 2, ADD),
            line("R_n a_{n−1}", 1, ROTATE),
            line("R_n a_{n−1} lost", -1, ROTATE, beyond=LOST_ROTATION),
        ),
        "mā": ledger(line("Â (m s) + m u", N, ROTATE, multiplications(3), ADD)),
        "f": ledger(line("R f, added", N - 1, ROTATE, ADD)),
        "Tr ÂK": ledger(line("K diagonal", N, multiplications(6), additions(3))),
    }
    return _outward() | middle | _inward(terms=4)


def merged(rows: Rows) -> Ledger:
    """All lines of a table's rows."""
    return Ledger(tuple(each for part in rows.values() for each in part.lines))


# -- Waters 1979: m is one 4×4 product, a is one operation of order 16 ------------------------------

MATRIX = cost(1, 0)
ORDER_16 = cost(0, 1)
SMALL_STEP = "one step of order 4 per link is charged as one of order 16, against the stated rule"
NO_GRAVITY_SAVING = "the gravity recursion, which is shortened as well, is left out of the saving"


def waters_naive() -> Ledger:
    """Every U_ji and U_jkl multiplied out wherever it occurs: a chain of j matrices is j−1 products."""
    chain = N - 1
    return ledger(
        line("P_j: j derivatives, scaled and added", 1, _each_pair(N * chain, N * 2 - 1)),
        line("L_j: j² second derivatives", 1, _each_pair(N**2 * chain, N**2 * 2 - 1)),
        line("P_j + L_j", 1, _each_pair(0, 1)),
        line("trace: U_ji J_j", 1, _each_pair(chain + 1, 1)),
        line("gravity: U_ji again", 1, _each_pair(chain, 1)),
    )


def waters_recorded() -> Ledger:
    """Every value computed once."""
    return ledger(
        line("U_jk", 1, cost((N * (N - 1)).summed(), 0)),
        line("U_jkl", 1, cost((N**2 * (N - 1)).summed(), 0)),
        line("U_ji J_j", S1, MATRIX),
        line("P_j", 1, cost(0, (N * 2 - 1).summed())),
        line("L_j", 1, cost(0, (N**2 * 2 - 1).summed())),
        line("P_j + L_j, trace, gravity", S1, ORDER_16 * 3),
    )


def waters_backward() -> Ledger:
    return ledger(
        line("W_i", N - 2, MATRIX),
        line("U_ii", N - 1, MATRIX),
        line("U_iii", N - 1, MATRIX),
        line("U_ji, j > i", V, MATRIX),
        line("P_i", 1, cost(N - 1, N * 2 - 1)),
        line("V_i", 1, cost(N - 1, N * 2 - 1)),
        line("L_i", 1, cost(N * 2 - 2, N * 4 - 3)),
        line("U_ji J_j", S1, MATRIX),
        line("P_j + L_j, trace, gravity, for every pair", S1, ORDER_16 * 3),
    )


def waters_inertial() -> Ledger:
    return ledger(
        line("W_i", N - 2, MATRIX),
        line("U_ii", N - 1, MATRIX),
        line("P_i", 1, cost(N - 1, N * 2 - 1)),
        line("J_i (P_i + L_i)ᵀ", N, MATRIX),
        line("D_i", N - 1, MATRIX, ORDER_16),
        line("trace", N, ORDER_16),
    )


def waters_second_order() -> Ledger:
    return ledger(
        line("U_iii", N - 1, MATRIX),
        line("V_i, the last one unused", 1, cost(N - 1, N * 2 - 1)),
        line("L_i", 1, cost(N * 2 - 2, N * 4 - 3)),
        line("P_i + L_i", N, ORDER_16),
    )


def waters_gravity() -> Ledger:
    return ledger(
        line("A_{i+1} G_{i+1}", N - 1, ORDER_16),
        line("G U_ii", N, ORDER_16),
        line("· G_i", N, ORDER_16, beyond=SMALL_STEP),
    )


def waters_d_recursion() -> Ledger:
    """D_i recursive, gravity still over pairs."""
    return (
        waters_inertial()
        + waters_second_order()
        + ledger(line("U_ji for gravity, j > i", V, MATRIX), line("gravity", S1, ORDER_16))
    )


def waters_both_recursions() -> Ledger:
    return waters_inertial() + waters_second_order() + waters_gravity()


def waters_outer_links() -> Ledger:
    """What neglecting the links beyond i saves."""
    return ledger(
        line("A_{i+1} D_{i+1}, added", N - 1, MATRIX, ORDER_16),
        line("A_{i+1} G_{i+1}", N - 1, ORDER_16),
        line("A_{i+1} G_{i+1} left out", 1 - N, ORDER_16, beyond=NO_GRAVITY_SAVING),
    )


def weighted(products: Number, others: Number) -> Number:
    """Waters' units as scalar multiplications: 64 for a product, 16 for an operation of order 16."""
    return 64 * products + 16 * others


def _each_pair(m: Polynomial | Number, a: Polynomial | Number) -> Cost:
    """A cost that depends on j, once for every pair i ≤ j."""
    return cost((N * m).summed(), (N * a).summed())
