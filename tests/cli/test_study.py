"""``strobe study``: the report, on chains, trees, floating bases and robots without masses."""

from __future__ import annotations

import json
import re
import resource
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import strobe
from strobe.analysis import laws
from strobe.cli import app, progress
from strobe.formulations import FORMULATIONS
from strobe.models.urdf_writer import write_urdf
from strobe.study import SECTIONS, agreement, speed
from tests.cli.verb import Verb

OF_AN_ARM = [key for key in SECTIONS if key not in ("closed", "base", "legs")]


run = Verb("study")


def study(*arguments: str) -> Any:
    done = run(*arguments, "--quick", "--json")
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)["sections"]


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """The folder of a quick report on planar2 without -o, and what was printed."""
    folder = tmp_path_factory.mktemp("study")
    with pytest.MonkeyPatch.context() as here:
        here.chdir(folder)
        done = run("planar2", "--quick")
    assert done.exit_code == 0, done.output
    return folder / "study-planar2", done.stdout.splitlines()


# -- what is found ------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_quick_study_has_every_section_but_those_that_take_long(written: tuple[Path, list[str]]) -> None:
    sections = json.loads((written[0] / "planar2.json").read_text(encoding="utf-8"))["sections"]
    assert list(sections) == OF_AN_ARM
    assert [key for key, data in sections.items() if "skipped" in data] == ["proof", "speed"]


def test_the_study_of_stanford_meets_the_papers_and_agrees_exactly() -> None:
    sections = study("stanford", "--sections", "torques,exactness")
    assert sections["torques"]["kept"]["relative_difference"] < 1e-11
    assert sections["torques"]["relative_difference"]["newton-euler"] < 1e-13
    assert sections["exactness"]["comparisons"] == dict.fromkeys(
        (name for name in FORMULATIONS if name != "spatial-newton-euler"), True
    )


@pytest.mark.slow
def test_the_study_reads_like_a_page() -> None:
    shown = run("planar2", "--quick", "--text").stdout
    for key in OF_AN_ARM:
        assert SECTIONS[key].TITLE in shown
    assert f"all {len(FORMULATIONS)} formulations:" in shown
    assert "in 3 trials of 3, wrong with probability at most d/p < " in shown
    assert "FAILS" not in shown


def test_reference_torques_with_motors_and_friction_are_met() -> None:
    assert study("puma560", "--sections", "torques")["torques"]["kept"]["relative_difference"] < 1e-10


def test_the_counts_are_those_of_the_number_systems() -> None:
    costs = study("planar2", "--sections", "counts")["counts"]["formulations"]["newton-euler"]
    assert costs["dense"]["multiplications"] == 124 * 2 - 24
    assert costs["folded"]["multiplications"] < costs["dense"]["multiplications"]
    assert costs["graph"]["multiplications"] <= costs["folded"]["multiplications"]


@pytest.mark.slow
def test_a_tree_says_which_formulations_do_not_apply() -> None:
    sections = study("parallelogram")
    applying = list(sections["torques"]["tau"])
    assert applying == [name for name, method in FORMULATIONS.items() if method.scope != "chain"]
    assert "not a single chain" in sections["torques"]["refused"]["newton-euler"]
    assert sections["exactness"]["passed"] is True
    assert sections["laws"]["passed"] is True


@pytest.mark.slow
def test_a_robot_without_masses_says_why_once() -> None:
    done = run("rx90", "--text")
    assert done.exit_code == 0
    assert done.stdout.count("not shown: ") == 1
    assert "rx90 has no dynamics" in done.stdout


@pytest.mark.slow
def test_a_floating_base_is_studied_too() -> None:
    sections = study("planar2", "--base", "floating", "--seed", "4")
    assert sections["robot"]["degrees_of_freedom"] == 8
    assert sections["laws"]["passed"] is True
    assert sections["terms"]["joints"][:2] == ["base_vx", "base_vy"]


def test_the_same_seed_studies_the_same_state() -> None:
    chosen = ("--sections", "terms")
    first, again, other = (
        study("planar3", "--seed", seed, *chosen)["terms"]["q"] for seed in ("7", "7", "8")
    )
    assert first == again != other
    assert np.allclose(first, strobe.load("planar3").random_state(seed=7)[0])


@pytest.mark.slow
def test_times_and_proof_are_in_a_whole_study(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(speed, "SECONDS", 0.1)
    done = run("planar2", "--sections", "speed,proof", "--json")
    assert done.exit_code == 0, done.output
    sections = json.loads(done.stdout)["sections"]
    kinds = {way["name"]: way["kind"] for way in sections["speed"]["ways"]}
    assert kinds["strobe"] == kinds["strobe, one call"] == "default"
    assert kinds["uicker-kahn"] == "formulation"
    assert all(way["ns"] > 0 for way in sections["speed"]["ways"])
    assert sections["proof"]["passed"] is True
    assert sum(step["holds"] for step in sections["proof"]["steps"]) > 90


# -- the verdict --------------------------------------------------------------------------------------


def test_a_law_that_fails_exits_with_1(monkeypatch: pytest.MonkeyPatch) -> None:
    def uphill(scene: laws.Scene) -> Iterator[Any]:
        """water runs uphill"""
        yield scene.M[0][0]

    monkeypatch.setattr(laws, "EXACT", (uphill,))
    done = run("planar2", "--sections", "laws", "--text")
    assert done.exit_code == 1
    assert "water runs uphill" in done.stdout
    assert "FAILS" in done.stdout


def test_reference_torques_that_are_not_met_are_called_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(agreement, "GOLDEN_TOLERANCE", 1e-30)
    done = run("stanford", "--sections", "torques", "-o", str(tmp_path))
    assert done.exit_code == 1
    assert "FAILS: Torques, by every formulation" in done.stdout
    page = (tmp_path / "stanford.html").read_text(encoding="utf-8")
    assert "The model's reference torques are NOT met: off by " in page
    assert '<a class="chip bad" href="#torques">✗ Torques, by every formulation</a>' in page


def test_a_robot_without_joints_is_refused_as_by_the_other_verbs(tmp_path: Path) -> None:
    file = tmp_path / "stone.urdf"
    file.write_text('<robot name="stone"><link name="base"/></robot>', encoding="utf-8")
    for verb in ("study", "check", "prove", "count"):
        done = CliRunner().invoke(app, [verb, str(file), *(["--json"] if verb == "study" else [])])
        assert done.exit_code == 2, verb
        assert "stone has no joints" in done.stderr, verb


# -- the files ----------------------------------------------------------------------------------------


def test_a_study_writes_a_page_and_its_numbers_and_tells_five_results(
    written: tuple[Path, list[str]],
) -> None:
    folder, lines = written
    assert lines[0] == "planar2"
    assert lines[1].startswith(
        f"{len(FORMULATIONS)} = 1  {len(FORMULATIONS)} formulations are the same function"
    )
    assert lines[6] == ""
    assert lines[7] == "The report: study-planar2/planar2.html"
    assert lines[8] == "Its numbers: study-planar2/planar2.json"
    assert sorted(path.name for path in folder.iterdir()) == ["planar2.html", "planar2.json"]
    assert (folder / "planar2.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    data = json.loads((folder / "planar2.json").read_text(encoding="utf-8"))
    assert data["robot"] == "planar2"
    assert len(data["headlines"]) == 5


def test_an_existing_report_is_kept_unless_forced(tmp_path: Path) -> None:
    arguments = ("planar2", "--sections", "robot", "-o", str(tmp_path))
    page = tmp_path / "planar2.html"
    page.write_text("mine", encoding="utf-8")
    done = run(*arguments)
    assert done.exit_code == 2
    assert f"will not replace {page}: it exists. Choose another name, or add --force." in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["planar2.html"]
    assert page.read_text(encoding="utf-8") == "mine"
    assert run(*arguments, "--force").exit_code == 0
    assert page.read_text(encoding="utf-8") != "mine"


def test_a_folder_that_cannot_be_made_is_a_sentence_before_any_work(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    done = run("planar2", "-o", str(file))
    assert done.exit_code == 2
    assert f"cannot write into {file}: it is a file. Name a folder." in done.stderr
    done = run("planar2", "-o", str(file / "below"))
    assert done.exit_code == 2
    assert f"cannot make the folder {file}/below: Not a directory." in done.stderr


def test_a_study_that_stops_halfway_leaves_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from strobe.study import pages

    def broken(report: Any) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr(pages, "whole_page", broken)
    done = run("planar2", "--sections", "robot", "-o", str(tmp_path))
    assert done.exit_code == 130
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("room", "suffix"), [(1_000, ".json"), (20_000, ".html")])
def test_a_file_that_cannot_be_written_takes_the_other_with_it(
    tmp_path: Path, room: int, suffix: str
) -> None:
    before = {"planar2.json", "planar2.html"}
    for name in before:
        (tmp_path / name).write_text("mine", encoding="utf-8")
    _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, most))  # as if the disk were full
    try:
        done = run("planar2", "--sections", "robot", "-o", str(tmp_path), "--force")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    assert done.exit_code == 2
    assert f"cannot write {tmp_path}/planar2{suffix}: File too large." in done.stderr
    assert {path.name for path in tmp_path.iterdir()} == before
    assert {(tmp_path / name).read_text(encoding="utf-8") for name in before} == {"mine"}


@pytest.mark.parametrize("option", [["-o", "here"], ["--force"], ["--json"]])
def test_what_would_go_unheard_beside_text_is_refused(option: list[str]) -> None:
    done = run("planar2", "--sections", "robot", "--text", *option)
    assert done.exit_code == 2
    assert f"--text prints the report and writes no file; leave out --text or {option[0]}." in done.stderr


@pytest.mark.parametrize("names", ["", " , "])
def test_a_list_without_a_section_is_refused(names: str) -> None:
    done = run("planar2", "--sections", names)
    assert done.exit_code == 2
    assert "--sections names no section; strobe study --help lists them." in done.stderr


def test_json_writes_files_only_where_a_folder_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("planar2", "--sections", "robot", "--json").exit_code == 0
    assert list(tmp_path.iterdir()) == []
    done = run("planar2", "--sections", "robot", "--json", "-o", "here")
    assert json.loads(done.stdout) == json.loads(
        (tmp_path / "here/planar2.json").read_text(encoding="utf-8")
    )


def test_an_unknown_section_is_a_sentence() -> None:
    done = run("planar2", "--sections", "torques,lawz")
    assert done.exit_code == 2
    assert 'no section "lawz" in the study. Did you mean' in done.stderr


def test_the_help_names_every_section() -> None:
    told = re.sub(r"\s+", " ", run("--help").stdout)
    assert f"Sections: {', '.join(SECTIONS)}." in told


def test_commands_of_a_page_carry_no_absolute_path(tmp_path: Path) -> None:
    file = tmp_path / "arm.urdf"
    text, _ = write_urdf(strobe.load("planar2").model)
    file.write_text(text, encoding="utf-8")
    assert (
        run(str(file), "--sections", "view,robot,terms,machine", "-o", str(tmp_path / "out")).exit_code == 0
    )
    (page,) = (tmp_path / "out").glob("*.html")
    assert str(tmp_path) not in page.read_text(encoding="utf-8")
    assert "$ strobe info arm.urdf<" in page.read_text(encoding="utf-8")


def test_a_relative_path_stays_as_it_was_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text, _ = write_urdf(strobe.load("planar2").model)
    (tmp_path / "models").mkdir()
    (tmp_path / "models/arm.urdf").write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert run("models/arm.urdf", "--sections", "robot", "-o", "out").exit_code == 0
    (page,) = Path("out").glob("*.html")
    assert "$ strobe info models/arm.urdf<" in page.read_text(encoding="utf-8")


def test_progress_names_the_section_at_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "PATIENCE", 0.0)
    monkeypatch.setattr(progress, "PAUSE", {True: 0.0, False: 0.0})
    done = run("planar2", "--sections", "robot,laws,counts", "--text", "--quick")
    assert "study: 0 of 3 sections: The robot\n" in done.stderr
    assert "study: 1 of 3 sections: Laws of mechanics, checked here\n" in done.stderr
    assert "study: 2 of 3 sections: What inverse dynamics costs\n" in done.stderr
