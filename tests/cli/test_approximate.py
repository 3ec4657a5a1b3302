"""``strobe approximate``: methods side by side, a drawing, and every mistake in one sentence."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

import strobe
from strobe.approximate import report
from strobe.approximate.methods import METHODS
from strobe.cli.approximate import _budget, _share
from strobe.trajectory.files import write
from tests.cli.verb import Verb

SOME = ("--approximations", "without-velocity-terms,locked-joints", "--samples", "50")


@pytest.fixture(autouse=True)
def in_no_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Times are not looked at here."""
    monkeypatch.setattr(
        report.trade_off, "__kwdefaults__", report.trade_off.__kwdefaults__ | {"seconds": 0.0, "round": 0.0}
    )


@pytest.fixture(scope="module")
def traj(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("motion") / "traj.json"
    arm = strobe.load("planar2")
    write(arm.plan([(0, 0.3), (1, 0.6), (1.6, 1.4)], velocity=3, acceleration=6), path, arm)
    return path


run = Verb("approximate")
told = run.told
refusal = run.refusal


# -- what is told -----------------------------------------------------------------------------------------------


def test_methods_stand_side_by_side_under_a_recommendation(traj: Path) -> None:
    done = run("planar2", traj, *SOME)
    assert done.exit_code == 0, done.output
    first, *lines = done.stdout.splitlines()
    assert first.startswith("Take the exact torques: ")
    assert lines[0].startswith("the rule: of the methods whose error stays within 1 % ")
    rows = [line.split() for line in lines]
    assert any(row[:1] == ["exact"] for row in rows)
    assert any(row[:1] == ["without-velocity-terms"] and "joint2" in row for row in rows)
    assert (
        "without locked-joints: every joint of planar2 moves in this motion: there is none to lock."
        in lines
    )
    assert any(row[:2] == ["largest", "torque"] and len(row) == 4 for row in rows)


def test_json_has_every_figure(traj: Path) -> None:
    data = told("planar2", traj, *SOME, "--within", "50%", "--memory", "1kB")
    arm = strobe.load("planar2")
    motion = arm.plan([(0, 0.3), (1, 0.6), (1.6, 1.4)], velocity=3, acceleration=6)
    seen = report.trade_off(arm, motion, ["without-velocity-terms"], samples=50)
    row = data["methods"]["without-velocity-terms"]
    assert row["rms"] == pytest.approx(seen.rows["without-velocity-terms"].rms.tolist())
    assert (data["within"], data["budget"], data["samples"]) == (0.5, 1000, 50)
    assert set(row) >= {
        "memory",
        "operations",
        "ns",
        "single_ns",
        "preparation",
        "largest",
        "relative",
        "notes",
    }


def test_a_controlled_arm_says_how_far_the_hand_strays_with_each_method(traj: Path) -> None:
    data = told("planar2", traj, *SOME)
    exact, slow = (data["methods"][name]["tracking"] for name in ("exact", "without-velocity-terms"))
    assert 0 < exact < 1e-3  # metres
    assert slow > 5 * exact
    assert "tracking error (mm)" in run("planar2", traj, *SOME).stdout.replace("\n", " ")


def test_the_drawing_has_a_dot_for_every_method_in_both_panels(traj: Path, tmp_path: Path) -> None:
    path = tmp_path / "out.svg"
    assert told("planar2", traj, *SOME, "--plot", path)["plot"] == str(path)
    drawn = path.read_text(encoding="utf-8")
    assert drawn.count("<circle") == 4
    assert "1  exact" in drawn
    assert "2  without-velocity-terms" in drawn
    assert "time of a state" in drawn
    assert "memory" in drawn


@pytest.mark.slow
def test_the_ladder_needs_no_motion(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(import_module("strobe.papers.ladder"), "SECONDS", 0.0)
    done = run("planar2", "--ladder")
    assert done.exit_code == 0, done.output
    titles = [line.split("  ")[0] for line in done.stdout.splitlines()]
    assert titles.index("compiled, in a batch") > titles.index("newton-euler as written, in Python")
    assert "8 s" in done.stdout
    assert "Take " not in done.stdout


def test_help_lists_every_method_and_shows_examples() -> None:
    done = run("--help")
    assert done.exit_code == 0
    for name in METHODS:
        assert re.search(rf"^ +{name}( |$)", done.stdout, re.M), name
    assert "strobe approximate panda traj.json --memory 64kB" in done.stdout


# -- mistakes ---------------------------------------------------------------------------------------------------


def test_without_a_motion_it_says_how_to_make_one() -> None:
    assert refusal("planar2") == (
        "strobe: give a motion: strobe plan ROBOT REQUEST.toml -o traj.json makes one, then strobe approximate ROBOT "
        "traj.json. (--ladder needs none.)\n"
    )


def test_a_wrong_file_is_named(traj: Path, tmp_path: Path) -> None:
    assert "no.json: cannot be read: No such file" in refusal("planar2", tmp_path / "no.json")
    assert "a motion is kept in a .json, .csv or .npz file, " in refusal("planar2", tmp_path / "a.doc")
    wrong = tmp_path / "wrong.json"
    wrong.write_text("[1, 2", encoding="utf-8")
    assert f"{wrong}: not valid JSON" in refusal("planar2", wrong)
    assert f"{traj}: the motion has no joint joint3, which planar3 has." in refusal("planar3", traj)
    assert 'no robot "planar9"' in refusal("planar9", traj)


def test_wrong_flags_and_names_are_refused(traj: Path) -> None:
    assert "no such option: --methodz" in refusal("planar2", traj, "--methodz", "exact").lower()
    sentence = refusal("planar2", traj, "--approximations", "without-velocity")
    assert 'no method "without-velocity" in the trade-off report. Did you mean' in sentence
    assert "'without-velocity-terms'" in sentence
    assert "--approximations names no method; strobe approximate --help lists them." in refusal(
        "planar2", traj, "--approximations", ","
    )
    assert "--samples" in refusal("planar2", traj, "--samples", "1")


@pytest.mark.parametrize("text", ["-64kB", "0", "-1", "0.5"])
def test_a_budget_below_a_byte_is_refused(traj: Path, text: str) -> None:
    assert (
        refusal("planar2", traj, "--memory", text)
        == f"strobe: --memory is {text}; expected one byte or more.\n"
    )


@pytest.mark.parametrize("text", ["64k", "much", "", "1e", "kB", "nan", "inf", "1_000", "6 4kB"])
def test_a_budget_that_is_no_size_is_refused(text: str) -> None:
    with pytest.raises(strobe.errors.ArgumentError) as error:
        _budget(text)
    assert str(error.value) == (
        f'--memory: "{text}" is no size; expected bytes, like 4096, 64kB, 1.5MB or 2MiB.'
    )


def test_sizes_and_shares_are_read_as_people_write_them() -> None:
    sizes = ("4096", "64kB", "64 KB", "1.5MB", "2MiB", "1e3", "1e3kb", "7b")
    assert [_budget(text) for text in sizes] == [4096, 64_000, 64_000, 1_500_000, 2**21, 1000, 10**6, 7]
    assert [_share(text) for text in ("1%", "0.5 %", "0.01")] == [0.01, 0.005, 0.01]


@pytest.mark.parametrize("text", ["0", "-1%", "small", "nan", "inf", "%"])
def test_a_tolerance_that_is_no_share_is_refused(traj: Path, text: str) -> None:
    assert refusal("planar2", traj, "--within", text) == (
        f'strobe: --within: "{text}" is no share above zero; expected one like 1% or 0.01.\n'
    )


def test_a_drawing_is_written_where_nothing_is_lost(traj: Path, tmp_path: Path) -> None:
    assert "a drawing is an .svg file." in refusal("planar2", traj, "--plot", tmp_path / "out.png")
    there = tmp_path / "there.svg"
    there.write_text("mine", encoding="utf-8")
    assert "it exists" in refusal("planar2", traj, *SOME, "--plot", there)
    assert there.read_text(encoding="utf-8") == "mine"
    assert run("planar2", traj, *SOME, "--plot", there, "--force").exit_code == 0
    assert "does not exist" in refusal("planar2", traj, "--plot", tmp_path / "no" / "out.svg")


@pytest.mark.parametrize(
    "option",
    [
        ("--plot", "a.svg"),
        ("--approximations", "exact"),
        ("--memory", "1kB"),
        ("--within", "2%"),
        ("--samples", "9"),
    ],
)
def test_what_would_go_unheard_beside_the_ladder_is_refused(option: tuple[str, str]) -> None:
    assert refusal("planar2", "--ladder", *option) == (
        f"strobe: {option[0]} is about methods on a motion; give one: strobe approximate ROBOT traj.json.\n"
    )


def test_a_robot_without_masses_has_no_torques_to_approximate(tmp_path: Path) -> None:
    path = tmp_path / "traj.json"
    arm = strobe.load("rx90")
    write(arm.plan([[0] * 6, [0.1] * 6], velocity=1, acceleration=1), path, arm)
    assert "has no dynamics" in refusal("rx90", path)
