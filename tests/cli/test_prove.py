"""``strobe prove``: the printed proof, its JSON, and how it ends."""

from __future__ import annotations

import json
from typing import Any

import pytest
from typer.testing import CliRunner

from strobe.cli import app
from strobe.formulations import newton_euler
from strobe.papers import proof


def prove(*arguments: str) -> Any:
    return CliRunner().invoke(app, ["prove", *arguments])


def test_the_proof_of_a_planar_arm_reads_from_tools_to_what_it_shows():
    done = prove("planar2", "--trials", "1")
    assert done.exit_code == 0
    titles = (
        "Tools:", "The two end points:", "Kinematics:", "Own link:", "Links above:", "Modified Newton-Euler:",
        "Hollerbach: from the Lagrangian",
        "The planar arm by Newton-Euler:", "The planar arm by Lagrange:", "4.35 in numbers", "What this shows",
    )  # fmt: skip
    places = [done.stdout.index(title) for title in titles]
    assert places == sorted(places)
    assert "as printed: ω_z ω_y + α_z as entry (3,2): fails, 2 of 2" in done.stdout
    assert "not applicable: it speaks of prismatic joints, and there is none" in done.stdout
    assert "Each is wrong with probability at most d/p = " in done.stdout
    assert "8.95179" in done.stdout  # the reference torque of joint 1
    assert "FAILS" not in done.stdout
    assert "follow from the rules they name" in done.stdout
    assert "4.1            ω_i = Σ_{j≤i} z(i,j−1) qd_j, j revolute  ← ω, 1.1, 1.2  ✓ 4" in done.stdout


@pytest.mark.slow
def test_a_line_whose_rules_do_not_give_it_exits_with_1(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(proof.LINES["4.1"], "by", ("1.1, 1.2",))
    done = prove("planar2", "--trials", "1")
    assert done.exit_code == 1
    assert "Not given by the rules they name: 4.1." in done.stdout


@pytest.mark.slow
def test_json_holds_every_line_with_its_verdict():
    done = prove("spherical3", "--trials", "1", "--json")
    assert done.exit_code == 0
    data = json.loads(done.stdout)
    assert data["passed"] is True
    assert len(data["primes"]) == 2
    lines = {line["id"]: line for section in data["sections"] for line in section["lines"]}
    assert lines["P1.11-P1.19"]["verdict"] == "holds"  # spherical3 has a prismatic joint
    assert lines["4.35"]["comparisons"] == 2 * 6
    assert all(line["verdict"] != "fails" for line in lines.values())
    assert len(data["links"]["newton_euler"]) == 3


@pytest.mark.slow
def test_a_failed_identity_exits_with_1_and_is_named(monkeypatch: pytest.MonkeyPatch):
    def wrong(*state: Any) -> list[float]:
        return [0.0, 0.0]

    monkeypatch.setattr(newton_euler, "inverse_dynamics", wrong)
    done = prove("planar2", "--trials", "1")
    assert done.exit_code == 1
    assert "identities FAIL: 2.7-2.10, modules" in done.stdout
    assert "Nothing is proven." in done.stdout
    assert "d/p" not in done.stdout


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["parallelogram"], "parallelogram is not a single chain of one-degree joints"),
        (["rx90"], "rx90 has no dynamics"),
        (["planar2", "--lock", "*=0"], "planar2 has no joints"),
        (["planar2", "--trials", "0"], "--trials"),
        (["nowhere"], "no robot"),
    ],
)
def test_bad_input_exits_with_2_and_a_sentence(arguments: list[str], sentence: str):
    done = prove(*arguments)
    assert done.exit_code == 2
    assert sentence in done.stderr
    assert "Traceback" not in done.output
