"""``strobe study``: the report, on chains, trees, floating bases and robots without masses."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import strobe
from strobe.analysis import laws
from strobe.cli import app
from strobe.formulations import FORMULATIONS
from strobe.study import SECTIONS, agreement


def study(*arguments: str) -> Any:
    done = CliRunner().invoke(app, ["study", *arguments, "--json"])
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)["sections"]


def test_the_study_of_stanford_has_every_section_and_passes() -> None:
    sections = study("stanford")
    assert list(sections) == list(SECTIONS)
    assert not any("skipped" in data for data in sections.values())
    assert sections["torques"]["published"]["relative_difference"] < 1e-11
    assert sections["torques"]["relative_difference"]["newton-euler"] < 1e-13
    assert sections["exactness"]["comparisons"] == dict.fromkeys(
        (name for name in FORMULATIONS if name != "spatial-newton-euler"), True
    )


def test_the_study_reads_like_a_page() -> None:
    shown = CliRunner().invoke(app, ["study", "stanford"]).stdout
    for section in SECTIONS.values():
        assert section.TITLE in shown
    assert "all 15 formulations:" in shown
    assert "in 3 trials of 3, wrong with probability at most d/p < " in shown
    assert "FAILS" not in shown


def test_published_torques_with_motors_and_friction_are_met() -> None:
    assert study("puma560")["torques"]["published"]["relative_difference"] < 1e-10


def test_the_counts_are_those_of_the_number_systems() -> None:
    costs = study("planar2")["counts"]["formulations"]["newton-euler"]
    assert costs["dense"]["multiplications"] == 124 * 2 - 24
    assert costs["folded"]["multiplications"] < costs["dense"]["multiplications"]
    assert costs["graph"]["multiplications"] <= costs["folded"]["multiplications"]


def test_a_tree_says_which_formulations_do_not_apply() -> None:
    sections = study("parallelogram")
    applying = list(sections["torques"]["tau"])
    assert applying == [name for name, method in FORMULATIONS.items() if method.scope != "chain"]
    assert "not a single chain" in sections["torques"]["refused"]["newton-euler"]
    assert sections["exactness"]["passed"] is True
    assert sections["laws"]["passed"] is True


def test_a_robot_without_masses_says_why_once() -> None:
    done = CliRunner().invoke(app, ["study", "rx90"])
    assert done.exit_code == 0
    assert done.stdout.count("not shown: ") == 1
    assert "rx90 has no dynamics" in done.stdout


def test_a_floating_base_is_studied_too() -> None:
    sections = study("planar2", "--base", "floating", "--seed", "4")
    assert sections["robot"]["degrees_of_freedom"] == 8
    assert sections["laws"]["passed"] is True
    assert sections["terms"]["joints"][:2] == ["base_vx", "base_vy"]


def test_the_same_seed_studies_the_same_state() -> None:
    first, again, other = (study("planar3", "--seed", seed)["terms"]["q"] for seed in ("7", "7", "8"))
    assert first == again != other
    assert np.allclose(first, strobe.load("planar3").random_state(seed=7)[0])


def test_a_law_that_fails_exits_with_1(monkeypatch: pytest.MonkeyPatch) -> None:
    def uphill(scene: laws.Scene) -> Iterator[Any]:
        """water runs uphill"""
        yield scene.M[0][0]

    monkeypatch.setattr(laws, "EXACT", (uphill,))
    done = CliRunner().invoke(app, ["study", "planar2"])
    assert done.exit_code == 1
    assert "water runs uphill" in done.stdout
    assert "FAILS" in done.stdout


def test_published_torques_that_are_not_met_are_called_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agreement, "GOLDEN_TOLERANCE", 1e-30)
    done = CliRunner().invoke(app, ["study", "stanford"])
    assert done.exit_code == 1
    assert "the published torques are NOT met: off by " in done.stdout
    assert "are met" not in done.stdout


def test_a_robot_without_joints_is_refused_as_by_the_other_verbs(tmp_path: Path) -> None:
    file = tmp_path / "stone.urdf"
    file.write_text('<robot name="stone"><link name="base"/></robot>', encoding="utf-8")
    for verb in ("study", "check", "prove", "count"):
        done = CliRunner().invoke(app, [verb, str(file)])
        assert done.exit_code == 2, verb
        assert "stone has no joints" in done.stderr, verb
