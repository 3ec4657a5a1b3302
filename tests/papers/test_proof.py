"""The walk from Newton-Euler to Lagrange: every line holds, every misprint falls, every mistake is found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import strobe
from strobe.errors import ArgumentError, UnsupportedModelError
from strobe.formulations import newton_euler
from strobe.models.model import Model
from strobe.models.random_robots import random_model
from strobe.papers import proof, proof_planar
from strobe.papers.proof_arm import MovingArm, PointBody
from strobe.papers.proof_lines import Line, entries
from strobe.papers.proof_rules import ALGEBRA, FACTS, LooseArm, facts_of
from strobe.scalars import FieldSystem

LINES = [line for section in proof.WALK for line in section.lines]
PLANAR_LINES = [line for section in proof.PLANAR for line in section.lines]
FALSE_FORMS = [(line.id, form) for line in LINES for form in line.false]

COMPLETE = """1.1, 1.2|1.3, 1.4|1.6-1.8|1.9|1.10d|1.11|1.12|1.14|1.15-1.17|1.18|1.19|P1.11-P1.19|U|chain
1.20|1.21|1.22|1.23|1.26|1.27|1.28|2.6|2.7-2.10|2.11M|3.1-3.4|3.7, 3.8|3.10|4.1|4.2|4.3|4.4|4.5a|4.5b|4.5c|4.6|4.6b
4.7|4.8|4.9|4.11a|4.11|4.12|4.12c|4.13|4.14|4.14d|4.15|4.16|4.17|4.18-4.19|4.20|4.21|4.22-4.23|4.24|4.25|4.25g|4.26
4.27|4.29|4.30|4.31|4.32|4.33|4.34|4.35a|4.35b|4.35c|4.35d|4.35|4.36a|4.36b|4.36c|4.36|4.37|modules|5.A|5.1|5.2|5.2o
A1, A2|A3-A5|A6|A12|A9|A10|A11|A13, 15|15 = 4|8-10|6|11-14|16|B1|B3, B4|B2, B5, 17"""


def arm(kinds: str, seed: int = 0, draw: Any = MovingArm.general) -> tuple[MovingArm, FieldSystem]:
    """A random arm whose joints are of the given kinds, in exact arithmetic."""
    bodies = random_model(len(kinds), 1, kinds="R").bodies
    typed = [replace(b, joint=replace(b.joint, kind={"R": "revolute", "P": "prismatic"}[k]))
             for b, k in zip(bodies, kinds, strict=True)]  # fmt: skip
    model = replace(random_model(len(kinds), 1, kinds="R"), bodies=tuple(typed))
    system = FieldSystem(seed)
    return draw(model, system), system


def failures(sides: Callable[[Any], Any], subject: Any, system: FieldSystem) -> tuple[int, int]:
    """How many comparisons there are and how many of them fail."""
    verdicts = [
        [*map(system.lower, entries(left))] != [*map(system.lower, entries(right))]
        for left, right in sides(subject)
    ]
    return len(verdicts), sum(verdicts)


def test_the_walk_has_every_line_of_the_source_in_its_order():
    assert [line.id for line in LINES] == COMPLETE.replace("\n", "|").split("|")
    assert [line.id for line in PLANAR_LINES[:23]] == [f"N{k}" for k in range(1, 12)] + [
        f"L{k}" for k in range(1, 13)
    ]


@pytest.mark.slow
@pytest.mark.parametrize("kinds", ["RRRR", "RPRR", "PRRP"])
@pytest.mark.parametrize("draw", [MovingArm.like, MovingArm.general])
def test_every_line_holds_on_revolute_and_mixed_arms(kinds: str, draw: Any):
    subject, system = arm(kinds, 7, draw)
    silent = set()
    for line in LINES:
        made, failed = failures(line.sides, subject, system)
        assert failed == 0, f"{line.id}: {line.statement}"
        if not made:
            silent.add(line.assume)
    assert silent == {"RRRR": {"P"}, "RPRR": {"R"}, "PRRP": {"R"}}[kinds]


@pytest.mark.parametrize(
    ("id", "form"), FALSE_FORMS, ids=[f"{id}: {form.text}" for id, form in FALSE_FORMS]
)
def test_no_misprint_survives(id: str, form: Any):
    subject, system = arm("RRR", 3)
    made, failed = failures(form.sides, subject, system)
    assert made
    assert failed


def test_the_misprints_are_those_that_are_known():
    printed = {line.id for line in LINES for form in line.false if form.printed}
    assert printed == {
        "1.19", "1.26", "3.1-3.4", "4.3", "4.5b", "4.5c", "4.7", "4.9", "4.11a", "4.14d", "4.17", "4.18-4.19",
        "4.21", "4.25", "4.29", "4.30", "4.32", "5.A", "5.2", "A3-A5", "A6", "A11", "16", "B1", "B2, B5, 17",
    }  # fmt: skip
    assert {line.id for line in LINES if line.false} - printed == {"1.12", "1.18", "1.23"}


# -- rules --------------------------------------------------------------------------------------------


def test_every_line_says_what_gives_it():
    assert [line.id for line in LINES if not line.because] == []
    assert [line.id for line in PLANAR_LINES if not line.because] == []


def test_rules_are_facts_algebra_or_other_lines_and_never_lead_back():
    def below(name: str, above: tuple[str, ...]) -> None:
        assert name not in above, f"{name} is given by itself"
        if name in FACTS or name in ALGEBRA:
            return
        for rule in proof.LINES[name].by or ():
            below(rule, (*above, name))

    for line in LINES:
        for rule in line.by or ():
            below(rule, (line.id,))


def follows(line: Line, subject: MovingArm, system: FieldSystem, facts: frozenset[str]) -> bool:
    return failures(line.sides, LooseArm(subject, system, facts), system)[1] == 0


@pytest.mark.parametrize("kinds", ["RRR", "RRP"])
def test_every_line_follows_from_the_rules_it_names(kinds: str):
    subject, system = arm(kinds, 5)
    named = [line for line in LINES if line.by is not None]
    assert len(named) > 80
    for line in named:
        assert follows(line, subject, system, facts_of(line.by or (), proof.LINES)), line.id


def test_no_line_follows_without_one_of_the_facts_it_comes_down_to():
    """But for J_i: the road of 4.12 to 4.15 leads over the points of a link and on to any J_i."""
    subject, system = arm("RRP", 5)
    for line in LINES:
        facts = facts_of(line.by or (), proof.LINES)
        idle = {fact for fact in facts if follows(line, subject, system, facts - {fact})}
        assert idle <= ({"J_i"} if "4.12" not in line.id else set()), line.id


def test_the_algebra_holds_on_an_arm_of_which_nothing_is_true():
    subject, system = arm("RRR", 6)
    for name in ALGEBRA:
        assert follows(proof.LINES[name], subject, system, frozenset())
    assert not follows(proof.LINES["4.35"], subject, system, frozenset())


@pytest.mark.slow
def test_a_line_with_too_few_rules_is_refused(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(proof.LINES["4.9"], "by", ("4.8", "4.7", "1.11"))  # 1.12 is missing
    found = proof.prove(random_model(2, 0, kinds="R"), trials=1)
    assert not found.passed
    assert all(verdict.holds for verdict in found.verdicts)
    assert [verdict.line.id for verdict in found.verdicts if verdict.follows is False] == ["4.9"]


def test_the_page_explains_every_fact():
    page = (Path(__file__).parents[2] / "docs/proof.md").read_text()
    for name, what in FACTS.items():
        assert f"| {name} | {what} |" in page


def test_points_make_the_inertia_of_a_body_of_any_kind():
    system = FieldSystem(1)
    body = PointBody.drawn(system)
    inertial = body.inertial
    moment = [system.lower(x) for x in inertial.about_origin.h]
    drawn = [sum(system.lower(w * x) for w, x in zip(body.weights, axis, strict=True)) % system.prime
             for axis in zip(*(d for _, d in body.points), strict=True)]  # fmt: skip
    assert moment == drawn
    assert all(system.lower(x) for x in inertial.about_origin.parameters)


@pytest.mark.slow
def test_a_wrong_recursion_is_found_by_the_lines_that_use_it(monkeypatch: pytest.MonkeyPatch):
    right = newton_euler.outward

    def wrong(link: Any, w: Any, al: Any, a: Any, rate: Any, accel: Any) -> Any:
        """The angular acceleration without ω × z0 qd."""
        new, turned, u = right(link, w, al, a, rate, accel)
        return new, link.R.T @ (al + proof_planar.Z0 * accel) if link.revolute else turned, u

    monkeypatch.setattr(newton_euler, "outward", wrong)
    found = proof.prove(strobe.load("pendulum3").model, trials=1)
    assert not found.passed
    failed = {verdict.line.id for verdict in found.verdicts if not verdict.holds}
    assert {"2.7-2.10", "3.1-3.4", "4.2", "4.9", "4.35", "4.37", "modules"} <= failed
    assert not {"1.11", "1.19", "2.6", "4.1", "4.20"} & failed


@pytest.mark.slow
def test_a_proof_says_how_much_was_compared_and_how_sure_it_is():
    found = proof.prove(strobe.load("planar2").model, trials=2)
    assert found.passed
    assert len(set(found.primes)) == 6  # three families, two trials, a fresh prime each
    assert all(2**60 < prime < 2**61 for prime in found.primes)
    assert 20 < found.degree <= 40 * 2 + 20
    assert found.comparisons == sum(verdict.count.made for verdict in found.verdicts) > 1000
    data = found.as_dict()
    assert data["probability_per_trial"] == found.degree / min(found.primes) < 1e-15
    lines = {line["id"]: line for section in data["sections"] for line in section["lines"]}
    assert lines["P1.11-P1.19"]["verdict"] == "not applicable"
    assert "prismatic" in lines["P1.11-P1.19"]["reason"]
    assert lines["4.37"] | {"verdict": "holds", "failed": 0} == lines["4.37"]


@pytest.mark.slow
def test_another_seed_draws_other_primes_and_the_same_one_the_same():
    model = random_model(1, 0, kinds="R")
    first, again, other = (proof.prove(model, trials=1, seed=seed).primes for seed in (0, 0, 1))
    assert first == again
    assert not set(first) & set(other)


def test_one_joint_of_either_kind_is_proven_too():
    for kinds in ("R", "P"):
        found = proof.prove(random_model(1, 0, kinds=kinds), trials=1)
        assert found.passed
        applied = {verdict.line.id: verdict.applies for verdict in found.verdicts}
        assert applied["4.37"]
        assert not applied["4.34"]
        assert applied["4.27"] == (kinds == "R")


def test_the_links_contributions_add_up_to_the_reference_torques():
    robot = strobe.load("planar2")
    golden: Any = robot.model.golden[0]
    table = proof.contributions(robot.model, (golden["q"], golden["qd"], golden["qdd"]))
    assert np.allclose(table["torque"], golden["tau"], rtol=1e-10)
    assert table["relative_difference"] < 1e-13
    assert table["newton_euler"][0][1] == 0.0  # link 1 asks nothing of joint 2


@pytest.mark.parametrize("robot", ["stanford", "random(5, 3)"])
def test_both_sides_give_the_same_contributions_in_floats(robot: str):
    subject = strobe.load(robot)
    q, qd, qdd = (list(map(float, x)) for x in subject.random_state(seed=2))
    table = proof.contributions(subject.model, (q, qd, qdd))
    assert table["relative_difference"] < 1e-13
    tau = subject.inverse_dynamics(q, qd, qdd, friction=False)
    motors = np.array([joint.rotor_inertia for joint in subject.model.joints]) * qdd
    assert np.allclose(table["torque"], tau - motors, rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("line", PLANAR_LINES, ids=[line.id for line in PLANAR_LINES])
def test_every_step_of_the_planar_arm_holds_and_its_misprints_fall(line: Line):
    system = FieldSystem(9)
    pair = proof_planar.PlanarPair(strobe.load("planar2").model, system)
    made, failed = failures(line.sides, pair, system)
    assert made
    assert not failed
    for form in line.false:
        assert failures(form.sides, pair, system)[1]


def test_only_planar_arms_with_two_links_get_the_textbook_steps():
    def planar(name: str) -> bool:
        return proof_planar.is_planar_pair(strobe.load(name).model)

    assert planar("planar2")
    assert not any(map(planar, ("planar3", "spherical3", "random(2, 1)")))
    offset = strobe.load("planar2").model.bodies
    shifted = replace(offset[1].inertial, com=replace(offset[1].inertial.com, y=0.05))  # pyright: ignore
    bent = replace(strobe.load("planar2").model, bodies=(offset[0], replace(offset[1], inertial=shifted)))
    assert not proof_planar.is_planar_pair(bent)


def test_what_cannot_be_walked_along_is_refused_in_a_sentence():
    def sentence(model: Model) -> str:
        with pytest.raises(UnsupportedModelError) as caught:
            proof.prove(model)
        return str(caught.value)

    assert "parallelogram is not a single chain of one-degree joints" in sentence(
        strobe.load("parallelogram").model
    )
    assert "rx90 has no dynamics" in sentence(strobe.load("rx90").model)
    still = replace(strobe.load("planar2").model, bodies=())
    assert sentence(still) == "planar2 has no joints: there is nothing to prove."
    with pytest.raises(ArgumentError, match="a proof of 0 trials; expected 1 or more"):
        proof.prove(strobe.load("planar2").model, trials=0)
