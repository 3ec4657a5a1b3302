"""Published counts against ledgers and against our code: what is exact, what is not, and by how much."""

import strobe
from strobe.analysis.polynomials import N
from strobe.formulations import newton_euler, strobing
from strobe.papers import published, tables
from strobe.papers.counted_code import half_mass_matrix, measured
from strobe.papers.tables import Status, compare, printed


def statuses(paper, table):
    return {(c.row, c.kind): c.status for c in compare(paper) if c.table == table}


def test_every_row_of_every_table_is_there():
    rows = [(paper, row.table) for paper, make in published.PAPERS.items() for row in make()]
    sizes = {key: rows.count(key) for key in rows}
    assert sizes == {
        ("hollerbach", "I"): 6,
        ("hollerbach", "II"): 6,
        ("turney", "1"): 3,
        ("turney", "2"): 7,
        ("turney", "3"): 13,
        ("turney", "4"): 12,
        ("turney", "5"): 8,
        ("waters", "ladder"): 5,
        ("waters", "split"): 3,
        ("waters", "locking"): 1,
        ("waters", "outer links"): 1,
    }


def test_the_printed_rows_add_up_to_the_printed_totals():
    for table in "2345":
        rows = [row for row in published.turney() if row.table == table]
        *parts, total = rows
        assert (sum(r.m for r in parts), sum(r.a for r in parts)) == (total.m, total.a)


def test_hollerbachs_table_i_says_what_is_reproduced():
    assert statuses("hollerbach", "I") == {
        ("Uicker/Kahn", "m"): Status.CORRECTED,
        ("Uicker/Kahn", "a"): Status.NOT_REPRODUCED,
        ("Waters", "m"): Status.NOT_REPRODUCED,
        ("Waters", "a"): Status.CORRECTED,
        ("Hollerbach 4×4", "m"): Status.FITTED,
        ("Hollerbach 4×4", "a"): Status.CORRECTED,
        ("Hollerbach 3×3", "m"): Status.NOT_REPRODUCED,
        ("Hollerbach 3×3", "a"): Status.CORRECTED,
        ("Newton-Euler", "m"): Status.NOT_REPRODUCED,
        ("Newton-Euler", "a"): Status.NOT_REPRODUCED,
        ("Horn/Raibert", "m"): Status.EXACT,
        ("Horn/Raibert", "a"): Status.EXACT,
    }


def test_what_is_not_reproduced_has_its_residue():
    missed = {(c.table, c.row, c.kind): printed(c.residue) for c in compare("hollerbach") if c.residue}
    assert missed == {
        ("I", "Uicker/Kahn", "a"): "⅙n",
        ("I", "Waters", "m"): "−1¼n",
        ("I", "Hollerbach 3×3", "m"): "−4",
        ("I", "Newton-Euler", "m"): "15n",
        ("I", "Newton-Euler", "a"): "18n",
        ("II", "Uicker/Kahn", "m"): "−872",
        ("II", "Uicker/Kahn", "a"): "1",
        ("II", "Hollerbach 3×3", "m"): "−4",
        ("II", "Newton-Euler", "m"): "90",
        ("II", "Newton-Euler", "a"): "108",
    }


def test_all_of_turneys_figures_are_met_and_the_slips_are_named():
    found = compare("turney")
    assert not any(c.residue for c in found)
    assert all(c.assumed for c in found if c.status is Status.CORRECTED)
    assert statuses("turney", "2")["∂²T", "a"] is Status.EXACT
    assert statuses("turney", "2")["kinetic sum", "a"] is Status.CORRECTED
    corrected = {key for key, status in statuses("turney", "5").items() if status is not Status.EXACT}
    assert corrected == {("α_1", "m"), ("α_2", "m"), ("inward stages", "a"), ("total", "m"), ("total", "a")}


def test_table_5_charges_what_tables_3_and_4_do_not_ask_for():
    found = {(c.table, c.row, c.kind): c for c in compare("turney")}
    assert found["5", "α_1", "m"].as_written * N == found["4", "α", "m"].as_written
    assert any("12 additions" in text and "15" in text for text in found["5", "inward stages", "a"].assumed)


def test_waters_ladder_says_what_is_reproduced():
    missed = {(c.row, c.kind): c.residue for c in compare("waters") if c.status is Status.NOT_REPRODUCED}
    assert missed == {
        ("straightforward", "m"): -91,
        ("straightforward", "a"): -112,
        ("values recorded", "m"): 45,
        ("three joints locked", "m"): 1,
        ("three joints locked", "a"): -1,
    }


def test_the_six_variants_like_for_like_are_counted_exactly():
    found = {c.name: (str(c.m), str(c.a)) for c in tables.like_for_like()}
    assert list(found.values()) == [
        ("124n−24", "101n−24"),
        ("112n−24", "98n−24"),
        ("106n−33", "95n−33"),
        ("112n−24", "89n−24"),
        ("100n−24", "86n−24"),
        ("94n−33", "83n−33"),
        ("37n²−5n", "30½n²−11½n+3"),
    ]


def test_the_counted_code_is_what_turneys_ledgers_say_as_written():
    for row in published.turney():
        if row.table == "1" and row.name != "Lagrange":
            count = measured(row.formulation, row.variant)
            honest = row.explained.as_written
            assert (count.m.polynomial, count.a.polynomial) == (honest.m, honest.a)


def test_every_row_of_turneys_breakdowns_is_counted_in_our_code():
    found = [c for c in compare("turney") if c.table in "2345"]
    assert all(c.measured is not None for c in found)
    assert all(c.measured == c.as_written for c in found if c.table in "345")
    for table in "34":
        parts = [c for c in found if c.table == table and c.kind == "m"]
        *rows, total = (c.measured for c in parts)
        assert sum(rows, N * 2) == total  # τ, 2 multiplications per link, is no row of the tables


def test_the_rows_of_the_lagrangian_add_up_to_our_whole_count():
    for kind in "ma":
        *rows, total = (c.measured for c in compare("turney") if c.table == "2" and c.kind == kind)
        assert sum(rows, N * 0) == total


def test_our_code_in_waters_units():
    found = {c.row: [] for c in compare("waters")}
    for c in compare("waters"):
        found[c.row].append(c.measured)
    assert found == {
        "straightforward": [None, None],
        "values recorded": [None, None],
        "backward recursion": [92, 70],
        "and D recursive": [None, None],
        "and gravity recursive": [52, 65],
        "gravity": [0, 11],
        "second order": [20, 38],
        "inertial": [32, 16],
        "three joints locked": [22, 29],
        "neglected, saving": [5, 10],
    }


def test_our_codes_growth_is_that_of_its_method():
    degrees = {
        "uicker-kahn": 4,
        "turney-lagrange": 3,
        "waters": 2,
        "hollerbach-4x4": 1,
        "hollerbach-3x3": 1,
    }
    assert {name: measured(name).m.polynomial.degree for name in degrees} == degrees


def test_the_strobed_half_is_the_mass_matrix():
    model = strobe.load("puma560").model
    q = [0.1, -0.4, 0.7, 1.1, -0.3, 0.5]
    columns = half_mass_matrix(model, q)
    M = strobing.mass_matrix(newton_euler.inverse_dynamics, model, q)
    assert all(abs(columns[j][i - j] - M[i][j]) < 1e-14 for j in range(6) for i in range(j, 6))


def test_unlimited_processors_gain_more_than_table_5_says():
    gains = tables.speed_ups()
    assert (round(gains["table 5"], 1), round(gains["longest path"], 1)) == (2.5, 3.1)


def test_a_published_figure_is_never_taken_for_a_measured_one():
    for paper in published.PAPERS:
        for c in compare(paper):
            assert (c.measured is None) == (c.difference is None)
            if c.measured is not None:
                assert c.measured - c.published == c.difference
                assert c.formulation
                assert c.why


def test_waters_shares_are_those_of_his_weights():
    shares = {row.name: round(100 * row.share, 1) for row in tables.waters_weighted()}
    assert (shares["gravity"], shares["second order"], shares["inertial"]) == (6.6, 45.9, 47.5)
