"""What the claims and the tables say of this package is so: verbs and functions that they name are there."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest

import strobe
from strobe.cli.verbs import VERBS
from strobe.formulations import PRINTED, hollerbach_3x3_printed
from strobe.formulations.links import Link
from strobe.papers import approximation_claims, control_claims, mechanism_claims
from strobe.papers.claims import CLAIMS, Judged, Verdict, judge
from strobe.papers.sheets import turney

LATER = {**approximation_claims.CHECKS, **control_claims.CHECKS, **mechanism_claims.CHECKS}
DENIED = re.compile(
    r"not part of this package|of this package returns|not (?:yet )?(?:there|written|implemented)"
)
ERRATA = (Path(__file__).parents[2] / "docs" / "errata.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def found() -> list[Judged]:
    return [judge(claim, LATER.get(claim.id)) for claim in CLAIMS]


def said(judged: Judged) -> str:
    return f"{judged.claim.text}; {judged.claim.reason}; {judged.figure}"


@pytest.mark.slow
def test_no_claim_denies_what_the_package_does(found: list[Judged]) -> None:
    assert [j.claim.id for j in found if DENIED.search(said(j))] == []


@pytest.mark.slow
def test_verbs_that_a_claim_names_are_verbs(found: list[Judged]) -> None:
    verbs = {verb for j in found for verb in re.findall(r"\bstrobe ([a-z]+)", said(j))}
    assert verbs >= {"tables", "count", "zmp"}
    assert verbs <= set(VERBS)


@pytest.mark.slow
def test_functions_that_a_claim_names_are_public(found: list[Judged]) -> None:
    names = {name for j in found for name in re.findall(r"\b(mechanisms|approximate)\.(\w+)", said(j))}
    assert names >= {
        ("mechanisms", "combined"),
        ("mechanisms", "reduced"),
        ("mechanisms", "ground_reaction"),
    }
    for room, name in names:
        assert callable(getattr(importlib.import_module(f"strobe.{room}"), name)), f"strobe.{room}.{name}"
    methods = {name for j in found for name in re.findall(r"\b([A-Z]\w+\.\w+)\b", said(j))}
    for name in methods & {"HornRaibert.refilled_for"}:
        kind, method = name.split(".")
        assert callable(getattr(getattr(importlib.import_module("strobe.approximate"), kind), method))
    assert "HornRaibert.refilled_for" in methods


@pytest.mark.slow
def test_closed_chains_and_the_zero_moment_point_are_decided_by_what_runs(found: list[Judged]) -> None:
    status = {j.claim.id: (j.claim.verdict, j.status) for j in found}
    assert status["D-5"] == (Verdict.QUALIFIED, "recomputed")
    assert status["D-6"] == (Verdict.TRUE, "recomputed")


@pytest.mark.slow
def test_what_bears_an_author_out_is_not_called_qualified(found: list[Judged]) -> None:
    """More than half of both coefficients goes, and that is what the author says."""
    claim = next(j for j in found if j.claim.id == "H-5")
    assert claim.claim.verdict is Verdict.TRUE
    shares = [float(x) for x in re.findall(r"([\d.]+) % [ma]", claim.figure)[:2]]
    assert min(shares) > 50


@pytest.mark.slow
def test_a_path_is_printed_with_what_a_step_is() -> None:
    sheet = next(sheet for sheet in turney() if "legal schedule" in sheet.title)
    assert "a processor for every task" in sheet.title
    told = " ".join(sheet.notes)
    assert "A step is one multiplication or addition" in told
    assert "as in strobe count, the same equations take 8n+4 steps" in told


def test_the_printed_recursion_keeps_every_misprint_but_the_first_moments(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert "all but E4" in " ".join(ERRATA.split())
    assert "but for its first moments" in (hollerbach_3x3_printed.__doc__ or "")
    model = strobe.random(3, 1, kinds="R").model
    state = [[0.3, -0.7, 0.9]] * 3
    plain = PRINTED.inverse_dynamics(model, *state)
    monkeypatch.setattr(Link, "mu", property(lambda self: self.r * self.m))
    assert PRINTED.inverse_dynamics(model, *state) == pytest.approx(plain)
    monkeypatch.setattr(Link, "mu", property(lambda self: self.r * (1.0 / self.m)))
    assert PRINTED.inverse_dynamics(model, *state) != pytest.approx(plain, rel=1e-2)


def test_raiberts_remark_is_placed_where_it_stands() -> None:
    assert "Raibert's tables over positions and velocities" in " ".join(ERRATA.split())
    assert "introduction to the configuration-space method" not in " ".join(ERRATA.split())


def test_reference_states_are_not_called_published() -> None:
    for path in (Path(strobe.__file__).parent).rglob("*.py"):
        text = path.read_text(encoding="utf-8").lower()
        assert "published golden" not in text, path
        assert "published state" not in text, path
    assert all(not golden.get("source") for name in ("planar2", "stanford", "biped10")
               for golden in strobe.load(name).model.golden)  # fmt: skip


def test_the_history_marks_every_text_that_was_not_read() -> None:
    history = (Path(__file__).parents[2] / "docs" / "history.md").read_text(encoding="utf-8")
    rows = [line.split(" | ")[1] for line in history.splitlines() if line.startswith("| 19")]
    unmarked = {key for row in rows for key in re.findall(r"\[(\w+)\]\(references\.md#\w+\)\)", row)}
    assert unmarked == {"Waters1979", "Hollerbach1980", "Turney1980"}
