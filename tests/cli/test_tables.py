"""``strobe tables``: by name or all, as a page, as JSON, as Markdown."""

from __future__ import annotations

import json

import pytest

from strobe.papers import claims, fewest_records, sheets
from strobe.papers.certificates import Check
from strobe.papers.findings import Finding
from tests.cli.verb import Verb

run = Verb("tables")


def test_a_table_is_shown_with_its_ledger_its_status_and_our_count() -> None:
    done = run("hollerbach")
    assert done.exit_code == 0
    for part in (
        "Hollerbach 1980, table I",
        "table II",
        "32½n⁴+86 5/12n³",
        "not reproduced",
        "67,143",
        "677n−506 (n ≥ 3)",
    ):
        assert part in done.stdout
    assert "published minus ledger is −872." in done.stdout


@pytest.mark.slow
def test_json_has_every_figure() -> None:
    found = json.loads(run("turney", "--json").stdout)["turney"]
    titles = [sheet["title"] for sheet in found]
    assert titles[:5] == [f"Turney, Mudge and Lee 1980, table {k}" for k in range(1, 6)]
    first = found[0]["rows"][2]
    assert (first["row"], first["kind"], first["published"], first["as_written"], first["measured"]) == (
        "Newton-Euler", "m", "108n−12", "112n−24", "112n−24",
    )  # fmt: skip
    assert found[-1]["rows"][1]["both"] == "51n+21"
    assert found[-1]["rows"][1]["six"] == [168, 159, 327]


@pytest.mark.slow
def test_every_row_marked_as_corrected_is_explained_under_its_own_table() -> None:
    for sheet in json.loads(run("turney", "--json").stdout)["turney"][:5]:
        corrected = {row["row"] for row in sheet["rows"] if row["status"] == "exact with correction"}
        assert corrected
        assert all(any(note.startswith(f"{row}: ") for note in sheet["notes"]) for row in corrected)


def test_the_totals_for_six_joints_are_in_the_tables() -> None:
    shown = run("turney").stdout
    for total in ("5,916", "4,840", "636", "591", "513", "504"):
        assert total in shown


def test_what_is_not_counted_says_why() -> None:
    ladder = json.loads(run("waters", "--json").stdout)["waters"][0]
    bare = {row["row"] for row in ladder["rows"] if row["measured"] is None}
    assert bare == {"straightforward", "values recorded", "and D recursive"}
    assert all(
        any(note.startswith(f"{row}, not instrumented: ") for note in ladder["notes"]) for row in bare
    )


def test_markdown_is_a_table_a_reader_can_paste() -> None:
    lines = run("waters", "--markdown").stdout.splitlines()
    assert lines[0] == "## Waters 1979, ladder"
    header, rule, row = lines[2:5]
    assert header.startswith("| row |")
    assert set(rule) <= set("| -")
    assert header.count("|") == rule.count("|") == row.count("|")
    assert any("2,345" in line and "not reproduced" in line for line in lines)


@pytest.mark.slow
def test_without_a_name_everything_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claims, "CLAIMS", claims.CLAIMS[:1])  # every one is judged in tests/analysis
    done = run("--json")
    assert done.exit_code == 0
    assert list(json.loads(done.stdout)) == list(sheets.SHEETS)


@pytest.mark.slow
def test_records_are_marked_as_recalled() -> None:
    shown = run("records").stdout
    assert "recalled, unverified" in shown
    assert "not verified against their publications" in shown


@pytest.mark.slow
def test_certified_records_are_shown_with_their_check() -> None:
    one_arm = json.loads(run("records", "--json").stdout)["records"][1]
    rows = {row["method"]: row for row in one_arm["rows"] if row["check"]}
    fewest = rows["general 6R arm, fewest multiplications"]
    assert (fewest["m"], fewest["a"], fewest["origin"]) == (
        "307",
        "395",
        "computed here, with a certificate",
    )
    assert all(row["check"].startswith("equal in 3 trials") for row in rows.values())
    assert f"general 6R arm, fewest multiplications: {fewest['check']}." in one_arm["notes"]


@pytest.mark.slow
def test_a_certificate_that_does_not_hold_exits_with_1(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = Check(False, (2**61 - 1, 2**61 - 1), 7)
    monkeypatch.setattr(fewest_records, "checked", lambda name: wrong)
    done = run("records", "--json")
    assert done.exit_code == 1
    assert "NOT EQUAL in 2 trials" in done.stdout


def test_a_wrong_name_gets_the_nearest_one() -> None:
    done = run("holerbach")
    assert done.exit_code == 2
    assert 'no table "holerbach"' in done.stderr
    assert "hollerbach" in done.stderr.split("Did you mean")[1]


def test_two_formats_at_once_are_refused() -> None:
    done = run("waters", "--json", "--markdown")
    assert done.exit_code == 2
    assert "exclude each other" in done.stderr


def test_a_verdict_that_is_not_borne_out_exits_with_1(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = claims.Claim(
        "X-1", "water runs uphill", claims.Verdict.TRUE, lambda: Finding("it does not", False)
    )
    monkeypatch.setattr(claims, "CLAIMS", (wrong,))
    done = run("claims")
    assert done.exit_code == 1
    assert "NOT BORNE OUT" in done.stdout
