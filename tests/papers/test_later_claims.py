"""The claims that motions, loops, chains and feet decide: each is borne out, and its figure is this."""

from __future__ import annotations

import warnings
from collections import Counter

import pytest

from strobe.papers import approximation_claims, control_claims, mechanism_claims
from strobe.papers.claims import CLAIMS, Claim, Verdict, judge
from strobe.papers.findings import Finding

MODULES = (approximation_claims, control_claims, mechanism_claims)
CHECKS = {name: check for module in MODULES for name, check in module.CHECKS.items()}
FIGURES = {
    "D-5": "parallelogram: D, C and G of its two chains give its torques to",
    "D-6": "what the first joint transmits and the 9.81 N that the foot below it weighs",
    "H-11": "the hand strays 0.84 mm in place of 0.04, and 11.9 in place of 11.7 where it carries 0.3 kg unknown",
    "H-13": "7,563 of 7,564 numbers of planar2 with 0.5 kg in its hand, 1,292 of 1,824 numbers of stanford",
    "T-14": "order 4.1 with torques at the stage times, 1.0 with torques held over each step",
    "W-14": "off by 0.13 every 1 ms, 0.28 every 3 ms, 0.59 every 10 ms; by 4.3 and 18.3 rad/s² under the model's",
    "W-19": "it switches 1 time where |v| ≤ 3, 2 times where |v| ≤ 1.5",
    "W-20": "take 0.472 s and 2.000 s alone are in step after 7.464 s only",
    "W-21": "off by 0.0616 / 0.0308 / 0.0154 / 0.0077 if it stops at each point",
    "W-26": "errors up to 1.1e-03 N with 16 bits behind the point, and joint 6 is lost with 10",
}


@pytest.mark.parametrize("name", FIGURES)
def test_what_is_recomputed_bears_the_verdict_out(name):
    claim = next(claim for claim in CLAIMS if claim.id == name)
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a table of claims says nothing beside itself
        found = judge(claim, CHECKS[name])
    assert found.status == "recomputed"
    assert found.holds, found.figure
    assert FIGURES[name] in found.figure


@pytest.mark.slow
def test_no_claim_is_checked_twice_and_none_that_is_decided_elsewhere():
    assert Counter(name for module in MODULES for name in module.CHECKS) == Counter(list(FIGURES))
    left = [claim for claim in CLAIMS if claim.check is None or claim.check().unchecked]
    assert set(CHECKS) <= {claim.id for claim in left}
    stated = [claim for claim in left if claim.id in CHECKS and not claim.check]
    assert all("strobe tables claims" in claim.reason for claim in stated)


def test_what_nothing_decides_stays_stated():
    left = [claim for claim in CLAIMS if claim.check is None and claim.id not in CHECKS]
    assert {claim.id: judge(claim, CHECKS.get(claim.id)).status for claim in left} == {
        "A-9": "stated",
        "D-7": "stated",
    }


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
