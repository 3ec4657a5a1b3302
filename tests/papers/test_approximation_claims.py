"""The claims that planned motions, simulation and fixed point decide: each is borne out, and its figure is this."""

from __future__ import annotations

import warnings

import pytest

from strobe.papers.approximation_claims import CHECKS
from strobe.papers.claims import CLAIMS, judge, judged

FIGURES = {
    "H-13": "7,563 of 7,564 numbers of planar2 with 0.5 kg in its hand, 1,292 of 1,824 numbers of stanford",
    "T-14": "order 4.1 with torques at the stage times, 1.0 with torques held over each step",
    "W-19": "it switches 1 time where |v| ≤ 3, 2 times where |v| ≤ 1.5",
    "W-20": "take 0.472 s and 2.000 s alone are in step after 7.464 s only",
    "W-21": "off by 0.0616 / 0.0308 / 0.0154 / 0.0077 if it stops at each point",
    "W-26": "errors up to 1.1e-03 N with 16 bits behind the point, and joint 6 is lost with 10",
}


@pytest.mark.parametrize("name", CHECKS)
def test_what_is_recomputed_bears_the_verdict_out(name):
    claim = next(claim for claim in CLAIMS if claim.id == name)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a table of claims says nothing beside itself
        found = judge(claim, CHECKS[name])
    assert found.status == "recomputed"
    assert found.holds, found.figure
    assert FIGURES[name] in found.figure


def test_a_check_is_brought_only_for_claims_that_are_not_decided_elsewhere():
    open_ones = {claim.id for claim in CLAIMS if claim.check is None or claim.check().unchecked}
    assert set(CHECKS) == set(FIGURES)
    assert set(CHECKS) <= open_ones
    assert all(
        "strobe tables claims" in claim.reason for claim in CLAIMS if claim.id in CHECKS and not claim.check
    )


def test_what_no_room_decides_yet_stays_stated(monkeypatch):
    monkeypatch.setattr("strobe.papers.claims.CLAIMS", [claim for claim in CLAIMS if claim.check is None])
    left = {found.claim.id for found in judged(CHECKS) if found.status == "stated"}
    assert left == {"A-9", "D-5", "D-6", "D-7", "W-14"}
