"""The claims that closed chains and feet decide: each is borne out, and its figure is this."""

from __future__ import annotations

import pytest

from strobe.papers import approximation_claims, control_claims
from strobe.papers.claims import CLAIMS, judge
from strobe.papers.mechanism_claims import CHECKS

FIGURES = {
    "D-5": "parallelogram: D, C and G of its two chains give its torques to",
    "D-6": "what the first joint transmits and the 9.81 N that the foot below it weighs",
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
    assert not set(CHECKS) & (set(approximation_claims.CHECKS) | set(control_claims.CHECKS))
