"""Certificates are what their choices write."""

from __future__ import annotations

import runpy

import pytest

from records.choices import CHOICES, written
from strobe.papers.certificates import check, read
from strobe.papers.fewest_records import DIVISION_FREE, FOLDER, VARIANTS, stored


def test_every_record_has_its_choices():
    assert list(CHOICES) == list(VARIANTS)


@pytest.mark.parametrize("name", DIVISION_FREE)
def test_a_division_free_certificate_is_what_its_choices_write(name):
    assert written(name) == (FOLDER / f"{name}.txt").read_text(encoding="utf-8")


def test_choices_without_a_search_are_written_and_hold():
    name = "puma560-operations-generic"
    found = read(written(name, rounds=0))
    assert check(found, VARIANTS[name].model, trials=1).holds
    assert found.additions == stored(name).additions
    assert found.multiplications <= 165


def test_a_record_that_does_not_exist_is_refused_with_those_that_do(monkeypatch):
    monkeypatch.setattr("sys.argv", ["records", "puma-operations"])
    with pytest.raises(
        SystemExit, match=r"^no record puma-operations; the records are general-6r-mult.*generic\.$"
    ):
        runpy.run_module("records", run_name="__main__")
