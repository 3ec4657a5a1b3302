"""From Newton-Euler to Lagrange, identity by identity, each checked exactly. [Turney1980]

Every line is checked modulo random primes near 2⁶¹ on two families of arms: those with the robot's own
geometry (its zeros and right angles, every other number drawn) and those with general Denavit-Hartenberg
constants and joints of the same types; in both, any links, any gravity, any motion. Two rational functions of
degree d that differ agree at a random point with probability at most d/p (Schwartz and Zippel); d is bounded
by running the very same line on degrees. Printed forms that are wrong are run on the general arm, where
nothing vanishes by luck. A line that names rules must follow from them: it is tried on arms of which nothing but
those rules is true (`proof_rules`), and refused where it fails there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from strobe.errors import ArgumentError, UnsupportedModelError
from strobe.models.model import Model
from strobe.papers.proof_above import ABOVE
from strobe.papers.proof_arm import Drawing, MovingArm
from strobe.papers.proof_ends import ENDS
from strobe.papers.proof_hollerbach import HOLLERBACH
from strobe.papers.proof_kinematics import KINEMATICS
from strobe.papers.proof_lines import Line, Section, Sides, entries
from strobe.papers.proof_modified import MODIFIED
from strobe.papers.proof_own_link import OWN_LINK
from strobe.papers.proof_planar import LAGRANGE, MEANING, NEWTON, PlanarPair, is_planar_pair
from strobe.papers.proof_rules import LooseArm, facts_of
from strobe.papers.proof_tools import TOOLS
from strobe.scalars import FLOAT, DegreeSystem, FieldSystem

WALK = (TOOLS, ENDS, KINEMATICS, OWN_LINK, ABOVE, MODIFIED, HOLLERBACH)
PLANAR = (NEWTON, LAGRANGE, MEANING)

LINES = {line.id: line for section in WALK for line in section.lines}

TRIALS = 3


@dataclass(frozen=True, slots=True)
class Family:
    """A kind of arms that a section is checked on; on ``strict`` ones misprints are held up too."""

    name: str
    draw: Callable[[Model, Drawing], Any]
    strict: bool


OWN = Family("this robot's geometry", MovingArm.like, strict=False)
GENERAL = Family("general arms with its joint types", MovingArm.general, strict=True)
PAIR = Family("planar arms with two links", PlanarPair, strict=True)


@dataclass
class Count:
    """How many comparisons were made and how many of them failed."""

    made: int = 0
    failed: int = 0

    def add(self, sides: Sides, arm: Any, system: FieldSystem) -> None:
        for left, right in sides(arm):
            self.made += 1
            self.failed += [*map(system.lower, entries(left))] != [*map(system.lower, entries(right))]


@dataclass
class Verdict:
    """What was found of one line."""

    line: Line
    count: Count = field(default_factory=Count)
    degree: int = 0
    false: list[Count] = field(default_factory=list)
    loose: Count = field(default_factory=Count)  # on arms of which only its rules are true

    @property
    def applies(self) -> bool:
        return self.count.made > 0

    @property
    def holds(self) -> bool:
        return not self.count.failed

    @property
    def follows(self) -> bool | None:
        """Whether it follows from the rules it names; None where that cannot be asked."""
        return not self.loose.failed if self.loose.made else None

    def as_dict(self) -> dict[str, Any]:
        line = self.line
        return {
            "id": line.id,
            "statement": line.statement,
            "assume": line.assume,
            "rule": line.because or None,
            "rules": line.by,
            "follows": self.follows,
            "note": line.note or None,
            "verdict": ("holds" if self.holds else "fails") if self.applies else "not applicable",
            "reason": None if self.applies else line.reason,
            "comparisons": self.count.made,
            "failed": self.count.failed,
            "degree": self.degree,
            "false_forms": [
                {"text": form.text, "printed": form.printed, "comparisons": c.made, "failed": c.failed}
                for form, c in zip(line.false, self.false, strict=True)
            ],
        }


@dataclass
class Part:
    """A section and what was found of its lines."""

    section: Section
    families: Sequence[Family]
    verdicts: list[Verdict]


@dataclass
class Proof:
    """The whole walk on one robot."""

    robot: str
    trials: int
    primes: list[int]
    parts: list[Part]

    @property
    def verdicts(self) -> Iterator[Verdict]:
        return (verdict for part in self.parts for verdict in part.verdicts)

    @property
    def passed(self) -> bool:
        return all(verdict.holds and verdict.follows is not False for verdict in self.verdicts)

    @property
    def comparisons(self) -> int:
        return sum(verdict.count.made for verdict in self.verdicts)

    @property
    def degree(self) -> int:
        """A bound on the degree of every difference that was looked at."""
        return max(verdict.degree for verdict in self.verdicts)

    def as_dict(self) -> dict[str, Any]:
        return {
            "robot": self.robot,
            "passed": self.passed,
            "trials": self.trials,
            "primes": self.primes,
            "degree": self.degree,
            "probability_per_trial": self.degree / min(self.primes),
            "comparisons": self.comparisons,
            "sections": [
                {
                    "title": part.section.title,
                    "families": [family.name for family in part.families],
                    "lines": [verdict.as_dict() for verdict in part.verdicts],
                }
                for part in self.parts
            ],
        }


def prove(
    model: Model, trials: int = TRIALS, seed: int = 0, step: Callable[[], None] = lambda: None
) -> Proof:
    """Every line on every family of arms, with a fresh prime per trial; ``step`` is called after each walk."""
    refuse(model)
    if trials < 1:
        raise ArgumentError(f"a proof of {trials} trials; expected 1 or more.")
    parts = [_part(section, (OWN, GENERAL)) for section in WALK]
    if is_planar_pair(model):
        parts += [_part(section, (PAIR,)) for section in PLANAR]
    primes: list[int] = []
    for family in (OWN, GENERAL, PAIR):
        concerned = [part for part in parts if family in part.families]
        if not concerned:
            continue
        _measure_degrees(model, family, concerned)
        step()
        for _ in range(trials):
            system = FieldSystem(seed * 1_000_003 + len(primes))
            arm = family.draw(model, system)
            _try(arm, system, concerned, family.strict)
            if family is GENERAL:
                _try_rules(arm, system, concerned)
            primes.append(system.prime)
            step()
    return Proof(model.name, trials, primes, parts)


def steps(model: Model, trials: int) -> int:
    """How often `prove` reports a step."""
    return (3 if is_planar_pair(model) else 2) * (trials + 1)


def refuse(model: Model) -> None:
    """Raise, with the reason, where there is no chain to walk along."""
    if model.without_dynamics:
        raise UnsupportedModelError(f"{model.name} has no dynamics: {model.without_dynamics}")
    if not model.bodies:
        raise UnsupportedModelError(f"{model.name} has no joints: there is nothing to prove.")
    if not model.is_serial:
        raise UnsupportedModelError(
            f"{model.name} {model.not_serial}, which the proof walks along. "
            "Prove an arm of it: lock the other joints or take a sub-chain."
        )


def contributions(model: Model, state: Any) -> dict[str, Any]:
    """What each link asks of each joint at a state of floats, by both sides of 4.35; row q, column i ≤ q."""
    arm = MovingArm(model, state)
    newton, lagrange = (
        [[FLOAT.lower(side(i, q)) if i <= q else 0.0 for i in arm.all_links] for q in arm.all_links]
        for side in (arm.projected, arm.traced)
    )
    pairs = [(x, y) for r, s in zip(newton, lagrange, strict=True) for x, y in zip(r, s, strict=True)]
    scale = max(abs(x) for x, _ in pairs)
    difference = max(abs(x - y) for x, y in pairs)
    return {
        "newton_euler": newton,
        "lagrange": lagrange,
        "torque": [sum(column) for column in zip(*newton, strict=True)],
        "relative_difference": difference / scale if scale else difference,
    }


def _part(section: Section, families: Sequence[Family]) -> Part:
    verdicts = [Verdict(line, false=[Count() for _ in line.false]) for line in section.lines]
    return Part(section, families, verdicts)


def _try(arm: Any, system: FieldSystem, parts: Sequence[Part], strict: bool) -> None:
    """Every line on one random arm."""
    for part in parts:
        for verdict in part.verdicts:
            verdict.count.add(verdict.line.sides, arm, system)
            if strict:
                for form, count in zip(verdict.line.false, verdict.false, strict=True):
                    count.add(form.sides, arm, system)


def _try_rules(arm: MovingArm, system: FieldSystem, parts: Sequence[Part]) -> None:
    """Every line that names its rules on an arm of which nothing else is true."""
    arms: dict[frozenset[str], LooseArm] = {}
    for part in parts:
        for verdict in part.verdicts:
            if verdict.line.by is None:
                continue
            facts = facts_of(verdict.line.by, LINES)
            if facts not in arms:
                arms[facts] = LooseArm(arm, system, facts)
            verdict.loose.add(verdict.line.sides, arms[facts], system)


def _measure_degrees(model: Model, family: Family, parts: Sequence[Part]) -> None:
    """A bound on the degree of left − right, for every line on a family of arms."""
    system = DegreeSystem()
    arm = family.draw(model, system)
    for part in parts:
        for verdict in part.verdicts:
            differences = (
                system.lower(x - y)
                for left, right in verdict.line.sides(arm)
                for x, y in zip(entries(left), entries(right), strict=True)
            )
            verdict.degree = max(verdict.degree, max(differences, default=0))
