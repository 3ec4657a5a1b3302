"""The bookkeeping behind the published counts: sums of lines, as written and as printed."""

import pytest

from strobe.analysis.polynomials import N, Polynomial
from strobe.papers import ledgers, simultaneous_steps
from strobe.papers.ledgers import cost, ledger, line


def figures(text):
    m, a = text.split(" ; ")
    return Polynomial.parse(m), Polynomial.parse(a)


def test_unit_costs_are_the_dense_ones():
    assert ledgers.product(4) == cost(64, 48)
    assert ledgers.trace_by_product(4) == cost(64, 51)
    assert ledgers.trace_by_entries(4) == cost(16, 15)
    assert ledgers.matrix_vector(3) == cost(9, 6)
    cross = ledgers.CROSS
    assert cross == cost(6, 3)


def test_a_line_beyond_what_is_written_counts_in_the_total_only():
    book = ledger(line("honest", N, cost(2, 1)), line("slip", 3, cost(1, 0), beyond="a slip"))
    assert book.as_written == cost(N * 2, N)
    assert book.total == cost(N * 2 + 3, N)
    assert [each.what for each in book.assumed("m")] == ["slip"]
    assert book.assumed("a") == []


@pytest.mark.parametrize(
    ("book", "total", "as_written"),
    [
        (
            ledgers.uicker_kahn,
            "32½n⁴+86 5/12n³+171¼n²+53⅓n−128 ; 25n⁴+66⅓n³+129½n²+42⅙n−96",
            "32½n⁴+118⅔n³+203½n²+53⅓n−128 ; 25n⁴+91⅓n³+156n²+41⅔n−96",
        ),
        (
            ledgers.waters_in_hollerbach,
            "106½n²+621½n−512 ; 82n²+514n−384",
            "106½n²+634½n−512 ; 82n²+498n−384",
        ),
        (ledgers.hollerbach_4x4, "830n−592 ; 675n−464", "823n−592 ; 659n−464"),
        (ledgers.hollerbach_3x3, "412n−273 ; 320n−201", "405n−273 ; 311n−201"),
        (ledgers.newton_euler_in_hollerbach, "135n−48 ; 113n−48", "135n−48 ; 113n−48"),
        (ledgers.horn_raibert, "2n³+n² ; n³+n²+2n", "2n³+n² ; n³+n²+2n"),
    ],
)
def test_the_ledgers_of_hollerbachs_rows(book, total, as_written):
    assert (book().total.m, book().total.a) == figures(total)
    assert (book().as_written.m, book().as_written.a) == figures(as_written)


@pytest.mark.parametrize(
    ("rows", "total", "as_written"),
    [
        (
            ledgers.turney_lagrange,
            "81/6n³+165/2n²+5n ; 40/3n³+58n²−64/3n",
            "27/2n³+90½n²+13n ; 32/3n³+74n²−2⅔n",
        ),
        (ledgers.turney_newton_euler, "108n−12 ; 100n−9", "112n−24 ; 98n−24"),
        (ledgers.turney_modified, "90n−27 ; 88n−24", "94n−33 ; 83n−33"),
    ],
)
def test_the_ledgers_of_turneys_tables(rows, total, as_written):
    book = ledgers.merged(rows())
    assert (book.total.m, book.total.a) == figures(total)
    assert (book.as_written.m, book.as_written.a) == figures(as_written)


@pytest.mark.parametrize(
    ("book", "six", "as_written"),
    [
        (ledgers.waters_naive, (2345, 1085), (2345, 1085)),
        (ledgers.waters_recorded, (441, 275), (441, 275)),
        (ledgers.waters_backward, (70, 106), (70, 106)),
        (ledgers.waters_d_recursion, (60, 81), (60, 81)),
        (ledgers.waters_both_recursions, (45, 77), (45, 71)),
        (ledgers.waters_gravity, (0, 17), (0, 11)),
        (ledgers.waters_second_order, (20, 38), (20, 38)),
        (ledgers.waters_inertial, (25, 22), (25, 22)),
        (ledgers.waters_outer_links, (5, 5), (5, 10)),
    ],
)
def test_the_ledgers_of_waters_ladder_for_six_joints(book, six, as_written):
    assert book().total.at(6) == six
    assert book().as_written.at(6) == as_written


def test_waters_last_step_is_linear_and_locking_is_the_same_ledger_for_three_joints():
    last = ledgers.waters_both_recursions().total
    assert (last.m, last.a) == (N * 9 - 9, N * 14 - 7)
    assert last.at(3) == (18, 35)


def test_closed_forms_meet_waters_first_figure():
    """Σ j(j³−1) and Σ j(2j²+j), whatever they leave out."""
    products, others = (N * (N**3 - 1)).summed(), (N * (N**2 * 2 + N)).summed()
    assert (products(6), others(6)) == (2254, 973)


def test_the_stage_model_gives_the_simultaneous_steps():
    total = simultaneous_steps.stage_ledgers()["total"].total
    assert (total.m, total.a) == (N * 27 + 42, N * 27 + 41)


@pytest.mark.parametrize(
    ("pre_summed", "m", "a", "both"),
    [(False, "27n+6", "33n+9", "60n+15"), (True, "27n+6", "24n+15", "51n+21")],
)
def test_the_longest_path_of_the_same_tasks(pre_summed, m, a, both):
    found = [simultaneous_steps.path_length(kind, pre_summed) for kind in ("m", "a", "m+a")]
    assert [str(path) for path in found] == [m, a, both]


def test_every_need_of_a_task_is_a_task_or_lies_beyond_the_arm():
    n = 4
    graph = simultaneous_steps.task_graph(n, pre_summed=True)
    missing = {need for task in graph.values() for need in task.needs if need not in graph}
    beyond = {("ω", 0), ("α", 0), ("a", 0), ("p×Rf", n), ("Rn", n)}
    assert missing == beyond
