"""``strobe check``: verdicts, exit codes and sentences."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from strobe.analysis import equivalence
from strobe.formulations import CHAIN, FORMULATIONS, TREE
from tests.cli.verb import Verb


@pytest.fixture(scope="module", autouse=True)
def general_arms_checked_once() -> Iterator[None]:
    """What is found on them is the same whichever robot is checked."""
    with pytest.MonkeyPatch.context() as patch:
        checked = cache(equivalence.on_general_arms)
        patch.setattr(equivalence, "on_general_arms", lambda names, seed: checked(tuple(names), seed))
        yield


run = Verb("check")


def test_the_check_of_a_small_robot_shows_every_verdict() -> None:
    done = run("planar2", "--terms", "--speeds", "0.5", "2")
    assert done.exit_code == 0, done.output
    for name in FORMULATIONS:
        assert name in done.stdout
    assert f"all {len(FORMULATIONS)} formulations:" in done.stdout
    assert "the same rational function for every robot of this structure, in 3 trials of 3" in done.stdout
    assert "wrong with probability at most d/p < 1e-16 per trial." in done.stdout
    assert f"{len(FORMULATIONS)} of {len(FORMULATIONS)} formulations reduce to the 23 terms" in done.stdout
    assert "velocity terms outgrow gravity at speed" in done.stdout
    assert "joint, at speed 2" in done.stdout
    assert "planar2: everything agrees." in done.stdout
    assert "≠" not in done.stdout
    assert "FAILS" not in done.stdout


@pytest.mark.slow
def test_the_data_hold_the_matrix_of_verdicts() -> None:
    data = json.loads(run("spherical3", "--json", "--trials", "2", "--terms").stdout)
    assert data["passed"] is True
    assert data["exact"]["formulations"] == list(FORMULATIONS)
    assert data["exact"]["equal"] == [[True] * len(FORMULATIONS)] * len(FORMULATIONS)
    assert len(set(data["exact"]["primes"])) == 2
    assert data["forward"]["articulated-body"]["holds"] is True
    assert all(entry["error"] < 1e-13 for entry in data["accuracy"].values())
    assert all(data["symbolic"]["equal"].values())
    assert all(law["holds"] for law in data["laws"])
    assert data["refused"] == {}
    assert len(data["terms"]["overall"]) == 5


def test_the_printed_recursion_disagrees_and_exits_with_1() -> None:
    done = run("planar2", "--formulation", "hollerbach-3x3-printed")
    assert done.exit_code == 1
    assert "spatial-newton-euler ≠ hollerbach-3x3-printed, exactly." in done.stdout
    assert "planar2: NOT everything agrees:" in done.stdout


@pytest.mark.slow
def test_the_printed_recursion_takes_part_only_if_asked() -> None:
    assert "printed" not in run("planar2").stdout


def test_formulations_can_be_picked() -> None:
    done = run("planar3", "--formulation", "waters", "--formulation", "decomposition", "--json")
    names = json.loads(done.stdout)["exact"]["formulations"]
    assert names == ["spatial-newton-euler", "waters", "decomposition"]


def test_a_tree_lists_what_does_not_apply() -> None:
    done = run("parallelogram")
    assert done.exit_code == 0
    assert "waters does not apply: parallelogram is not a single chain" in done.stdout
    applying = [name for name, method in FORMULATIONS.items() if method.scope != CHAIN]
    assert f"all {len(applying)} formulations:" in done.stdout


@pytest.mark.slow
def test_a_floating_base_is_checked_too() -> None:
    data = json.loads(run("planar2", "--base", "floating", "--json", "--trials", "1").stdout)
    assert data["passed"] is True
    whole = [name for name, method in FORMULATIONS.items() if method.scope == TREE]
    assert data["exact"]["formulations"] == whole


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["rx90"], "rx90 has no dynamics"),
        (["planar2", "--formulation", "watters"], "Did you mean 'waters'"),
        (
            ["parallelogram", "--formulation", "waters"],
            "not a single chain of one-degree joints, which waters",
        ),
        (["stanford", "--formulation", "hollerbach-3x3-printed"], "revolute joints only"),
        (["planar2", "--speeds", "-1"], "a speed is -1"),
        (["planar2", "--speeds", "fast"], '"fast" is not a number'),
    ],
)
def test_bad_input_is_a_sentence_and_exits_with_2(arguments: list[str], sentence: str) -> None:
    done = run(*arguments)
    assert done.exit_code == 2
    assert sentence in done.stderr
    assert "Traceback" not in done.output


WEAK = """
<robot name="weak"><link name="base"/><link name="arm"><inertial><mass value="1"/><origin xyz="0.3 0 0"/>
<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link><link name="tip"/>
<joint name="hinge" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/></joint>
<joint name="wrist" type="continuous"><parent link="arm"/><child link="tip"/><axis xyz="0 1 0"/></joint></robot>
"""


def test_a_joint_that_moves_no_inertia_is_reported_and_is_no_disagreement(tmp_path: Path) -> None:
    path = tmp_path / "weak.urdf"
    path.write_text(WEAK.strip())
    done = run(str(path), "--formulation", "waters", "--trials", "1")
    assert done.exit_code == 0
    line = next(line for line in done.stdout.splitlines() if line.startswith("M is positive"))
    assert "does not hold" in line
    assert 'joint "wrist" moves no inertia' in line
    law = json.loads(run(str(path), "--formulation", "waters", "--json").stdout)["laws"][-1]
    assert (law["law"], law["holds"], law["least"]) == ("M is positive", False, 0.0)


@pytest.mark.slow
def test_what_is_borrowed_from_the_reference_is_said() -> None:
    done = run("planar2", "--trials", "2")
    assert "composite-body takes its velocity and gravity torques from spatial-newton-euler" in done.stdout
    assert "smallest λmin/λmax" in done.stdout
    assert "bound 1e-12" in done.stdout
    assert "per trial, in 2 trials" in done.stdout


@pytest.mark.slow
def test_other_seeds_have_other_primes() -> None:
    primes = [
        json.loads(run("planar2", "--formulation", "waters", "--json", "--seed", seed).stdout)["exact"][
            "primes"
        ]
        for seed in "01"
    ]
    assert not set(primes[0]) & set(primes[1])


def test_a_robot_without_joints_is_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "rock.urdf"
    path.write_text('<robot name="rock"><link name="base"/></robot>')
    done = run(str(path))
    assert done.exit_code == 2
    assert "rock has no joints" in done.stderr
