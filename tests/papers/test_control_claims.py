"""The claims that closed loops decide: each is borne out, and its figure is this."""

from __future__ import annotations

import pytest

from strobe.papers import approximation_claims as of_motions
from strobe.papers.claims import CLAIMS, Claim, Verdict, judge
from strobe.papers.control_claims import CHECKS
from strobe.papers.findings import Finding

FIGURES = {
    "H-11": "the hand strays 0.84 mm in place of 0.04, and 11.9 in place of 11.7 where it carries 0.3 kg unknown",
    "W-14": "off by 0.13 every 1 ms, 0.28 every 3 ms, 0.59 every 10 ms; by 4.3 and 18.3 rad/s² under the model's",
}


@pytest.mark.parametrize("name", CHECKS)
def test_what_is_recomputed_bears_the_verdict_out(name):
    claim = next(claim for claim in CLAIMS if claim.id == name)
    found = judge(claim, CHECKS[name])
    assert found.status == "recomputed"
    assert found.holds, found.figure
    assert FIGURES[name] in found.figure


def test_no_claim_is_checked_by_two_rooms():
    assert set(CHECKS) == set(FIGURES)
    assert not set(CHECKS) & set(of_motions.CHECKS)


def half():
    return Finding("one half holds", True, "the other half")


@pytest.mark.parametrize("holds", [True, False])
def test_what_a_check_leaves_is_decided_by_a_later_one(holds):
    claim = Claim("X-1", "water runs uphill, and fast", Verdict.QUALIFIED, half)
    assert judge(claim).status == "partly recomputed"
    found = judge(claim, lambda: Finding("the other does", holds))
    assert (found.figure, found.status, found.holds) == (
        "one half holds; the other does",
        "recomputed",
        holds,
    )
