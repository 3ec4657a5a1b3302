"""The papers' claims: each is there, each recomputed one is borne out, and a wrong one would be noticed."""

from collections import Counter
from fractions import Fraction

import pytest

from strobe.papers import findings_asada, findings_counts, findings_decomposition, findings_turney
from strobe.papers.claims import CLAIMS, Claim, Verdict, judge
from strobe.papers.findings import Finding
from strobe.papers.records import Origin, records


def test_every_claim_of_the_five_documents_is_there_once():
    papers = Counter(claim.id.split("-")[0] for claim in CLAIMS)
    assert papers == {"H": 14, "T": 14, "A": 10, "D": 7, "W": 26}
    assert len({claim.id for claim in CLAIMS}) == len(CLAIMS)


PARTLY = {"H-11", "H-12", "H-13"}


@pytest.mark.parametrize("claim", [c for c in CLAIMS if c.check], ids=lambda c: c.id)
def test_what_is_recomputed_bears_the_verdict_out(claim):
    found = judge(claim)
    assert found.status == ("partly recomputed" if claim.id in PARTLY else "recomputed")
    assert ("not checked here" in found.figure) == (claim.id in PARTLY)
    assert found.holds, found.figure


def test_a_claim_without_a_check_is_stated_with_its_reason():
    stated = [judge(claim) for claim in CLAIMS if claim.check is None]
    assert all(j.status == "stated" and j.figure and j.holds is None for j in stated)
    assert {j.claim.id for j in stated} == {
        "T-14", "A-9", "D-5", "D-6", "D-7", "W-14", "W-19", "W-20", "W-21", "W-26",
    }  # fmt: skip


def test_a_finding_against_the_verdict_is_seen():
    wrong = Claim("X-1", "water runs uphill", Verdict.TRUE, lambda: Finding("it does not", False))
    assert judge(wrong).holds is False


FIGURES = {
    "H-2": "67,143 m, 51,548 a; an honest dense count 75,270 m, 57,898 a",
    "H-5": "coefficients 50.4 % m, 52.6 % a; for six joints 49.98 % m",
    "H-8": "his Newton-Euler 9/11/10; Turney's 8/10/8; the modified one, counted here 7/9/8; "
    "the customised one, counted here 6/8/7",
    "H-9": "412 m, 347 a with base parameters and every value computed once, 52.3 % less",
    "H-10": "57,330 of 67,143",
    "T-5": "51n+21 steps (327 for six joints), a speed-up of 3.1; with one for every operation, as strobe count "
    "schedules it, 8n+4",
    "T-12": "newton-euler 720 m, 582 a, gibbs-appell 1,235 m, 1,008 a, turney-lagrange 6,393 m, 5,153 a",
    "T-11": "2 of 21 link contributions are below 1 % of the torque, 128 of 162 terms of the explicit form (92",
    "A-4": "0.257",
    "W-1": "2,345m+1,085a",
    "W-5": "50.1 by products, 38.9 weighted; then 311 and 26 ms",
    "W-6": "6.6 / 45.9 / 47.5 %",
    "W-7": "U_66 8 times, L_6 6 times",
    "W-8": "18m+35a, 58.4 %",
    "W-11": "259 m, 240 a for an arm of the PUMA 560's geometry, 412 m, 347 a for a general 6R arm, 34.3 % less",
    "W-15": "3,814,697,265,625",
    "W-17": "2,390,625",
    "W-18": "21 differences of rank 6; 19 points have rank 18",
    "W-23": "one further point tells 2 of the 3 components",
    "W-24": "rank 9 of 10 from joints 4 to 6, 10 with joint 3",
}


@pytest.mark.parametrize("name", FIGURES)
def test_the_figures_are_these(name):
    claim = next(claim for claim in CLAIMS if claim.id == name)
    assert FIGURES[name] in judge(claim).figure


def test_a_broken_formulation_would_be_noticed(monkeypatch):
    def ones(model, q, qd, qdd, tool=None):
        return [model.system.number(2.0)] * len(qd)

    for module in (findings_turney, findings_asada, findings_decomposition):
        monkeypatch.setattr(module, "ID", ones)
    assert not findings_asada.centrifugal_moment().holds
    wrong = {
        "T-1": "NOT equal",
        "T-8": "NOT equal to the matrix by link Jacobians",
        "A-8": "C^2_12 is not 0",
        "D-1": "NOT D, G and C q̇ equal",
        "D-3": "NOT equal to Newton-Euler",
    }
    for claim in CLAIMS:
        if claim.id in wrong:
            found = judge(claim)
            assert found.holds is False
            assert wrong[claim.id] in found.figure


def test_the_crossover_is_the_first_length_from_which_on_a_polynomial_stays_below():
    from strobe.analysis.polynomials import N

    assert findings_counts.crossover(N**2, N * 5) == 6
    assert findings_counts.crossover(N * 2, N) == 1


@pytest.mark.slow
def test_records_say_where_they_are_from():
    rows = records()
    assert {row.origin for row in rows} == set(Origin)
    six = {row.method: row.at_six() for row in rows}
    assert six["Lagrange-Euler, Fu, Gonzalez and Lee"] == (102440, 78203)
    assert six["generalised d'Alembert, Lee, Lee and Nigam"] == (2963, 2209)
    assert six["Waters, Hollerbach 1980"] == (Fraction(14087, 2), 5652)
    assert six["modified-newton-euler, as written"] == (603, 537)
    assert six["lower half by strobing, as written"] == (1302, 1032)
    polynomials = {row.method: (str(row.m), str(row.a)) for row in rows}
    assert polynomials["customised Newton-Euler, every value once, base parameters"] == (
        "87n−110",
        "75n−103",
    )
    assert polynomials["customised Newton-Euler, every value once, all ten parameters"] == (
        "96n−119",
        "84n−111",
    )


def test_a_record_of_which_only_the_sum_is_known_shows_no_parts():
    sums = {row.method: row.both for row in records() if row.m is None}
    assert list(sums.values()) == [1560, 305]
    assert all("Armstrong, Khatib and Burdick" in method for method in sums)
