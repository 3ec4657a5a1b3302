"""The whole check of one robot: formulations on it and on general arms, rounding, symbols, laws."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from strobe.analysis import accuracy, equivalence, laws
from strobe.analysis.accuracy import Accuracy
from strobe.analysis.equivalence import TRIALS, Equivalence, OnGeneralArm, RoundTrip, Selection
from strobe.errors import UnsupportedModelError, UnsupportedOperationError
from strobe.robot import Robot

Part = TypeVar("Part")

PARTS = 6  # how often `check` reports progress


@dataclass(frozen=True, slots=True)
class Symbolic:
    """Which formulations equal the reference symbol by symbol, or why that was not asked."""

    equal: Mapping[str, bool]
    terms: int = 0
    why: str = ""


@dataclass(frozen=True, slots=True)
class Check:
    """Everything that was compared, and whether all of it agreed."""

    selection: Selection
    exact: Equivalence
    forward: Mapping[str, RoundTrip]
    accuracy: Mapping[str, Accuracy]
    symbolic: Symbolic
    laws: Sequence[laws.Verdict]
    general: Sequence[OnGeneralArm]

    @property
    def disagreements(self) -> list[str]:
        """One sentence for everything that failed."""
        reference = self.selection.reference
        return [
            *(f"{a} ≠ {b}, exactly." for (a, b), equal in self.exact.equal.items() if not equal),
            *(
                f"{x}: inverse dynamics does not undo it."
                for x, r in self.forward.items()
                if r.holds is False
            ),
            *(f"{x} is off by {a.error:.1e} (relative)." for x, a in self.accuracy.items() if not a.passed),
            *(f"{x} ≠ {reference}, symbolically." for x, same in self.symbolic.equal.items() if not same),
            *(f"law broken: {v.law}." for v in self.laws if v.broken),
            *(
                f"{x} ≠ {reference}, exactly, on {on.arm}."
                for on in self.general
                for x in on.differing(reference)
            ),
            *(
                f"{a} ≠ {b}, exactly, with a wrench in the hand, on {on.arm}."
                for on in self.general
                for a, b in on.differing_in_the_hand
            ),
            *(
                f"{x} is not that of strobing, exactly, on {on.arm}."
                for on in self.general
                for x, same in on.terms.items()
                if not same
            ),
            *(
                f"{x}: inverse dynamics does not undo it on {on.arm}."
                for on in self.general
                for x, r in on.forward.items()
                if not r.holds
            ),
        ]

    @property
    def borrowed(self) -> dict[str, str]:
        """What of the agreement is no independent evidence."""
        return {name: why for name, why in equivalence.BORROWED.items() if name in self.exact.names}

    @property
    def passed(self) -> bool:
        return not self.disagreements


def check(
    robot: Robot,
    names: Sequence[str] = (),
    trials: int = TRIALS,
    seed: int = 0,
    progress: Callable[[], None] = lambda: None,
) -> Check:
    """Every formulation that a robot allows (or those named, and the reference) put to every test.

    The general arms are the same for every robot: those that it does not allow are compared there.
    """
    selection = equivalence.select(robot.model, names)
    methods, reference = selection.methods, selection.methods[selection.reference]

    def done(part: Part) -> Part:
        progress()
        return part

    return Check(
        selection,
        done(equivalence.compare(methods, robot.model, trials, seed)),
        done(equivalence.round_trips(robot.model, trials, seed)),
        done(accuracy.measure(methods, reference, robot, seed=seed)),
        done(symbolic(selection, robot)),
        done(laws.measure(robot, trials, seed)),
        done(equivalence.on_general_arms(names, seed)),
    )


def symbolic(selection: Selection, robot: Robot) -> Symbolic:
    """The symbolic comparison where the robot is small enough."""
    from strobe.analysis.symbolic_equality import (
        compare,  # SymPy is heavy and most robots are too large for it
    )

    try:
        proof = compare(selection.methods, selection.reference, robot.model)
    except (UnsupportedModelError, UnsupportedOperationError) as error:
        return Symbolic({}, why=str(error))
    return Symbolic(proof.equal, proof.terms)
