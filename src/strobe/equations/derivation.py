"""Derivations of the equations of motion, step by step, each ending in the closed form.

    newton-euler     links cut free, coupling forces eliminated, moments projected on the joints
    lagrange         energies, their derivatives, d/dt ∂L/∂q̇ − ∂L/∂q
    decomposition    Jacobians of the links, their derivatives, D, C and G link by link

Every expression is computed on waves; in the end the torques are compared with those of `closed_form`, term by
term.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from strobe.equations.closed_form import Equations, equations_of, equations_over, predicted_terms
from strobe.equations.derivation_lines import Line, Step, Written, waves
from strobe.equations.derive_decomposition import Decomposition
from strobe.equations.derive_lagrange import Lagrange
from strobe.equations.derive_newton_euler import NewtonEuler
from strobe.equations.document import document
from strobe.equations.expression import Symbol
from strobe.equations.glossary import Parameter, parameters_among
from strobe.equations.link_motion import MovingLinks
from strobe.equations.notation import is_derived
from strobe.equations.parameters import named
from strobe.equations.readable_forms import Forms, order_of
from strobe.equations.trig_polynomials import Wave
from strobe.errors import EquationSizeError, UnknownNameError
from strobe.models.model import Model

if TYPE_CHECKING:
    from strobe.robot import Robot

MOST = 50  # predicted terms of a mass matrix: beyond, nobody follows the steps
SHARE = 250  # terms of a derivation for each of them, about
RESULT = ("M", "G", "tau")  # the sections of the closed form that a derivation ends with


class Way(Protocol):
    """One way to the equations of motion: its steps in order, and the torques that they end with."""

    def steps(self) -> Iterator[Step]: ...

    def torques(self) -> list[Wave]: ...


WAYS: dict[str, Callable[[MovingLinks], Way]] = {
    "newton-euler": NewtonEuler,
    "lagrange": Lagrange,
    "decomposition": Decomposition,
}


@dataclass(frozen=True, eq=False)
class Derivation:
    """The steps of one way, the result among them, and whether it is the closed form."""

    robot: str
    title: str
    way: str
    steps: tuple[Step, ...]
    parameters: tuple[Parameter, ...]
    forms: Forms
    agrees: bool

    @property
    def verdict(self) -> str:
        """What the comparison with the closed form says."""
        if self.agrees:
            return (
                "The torques derived here and the closed form of M, C and G have the same terms in normal "
                "form: they are equal for all values of the coordinates and the parameters."
            )
        return "The torques derived here differ from the closed form of M, C and G: do not use either."


def derive(robot: Robot | Model, way: str, numbers: bool = False) -> Derivation:
    """The derivation of a robot's equations in one of the `WAYS`."""
    if way not in WAYS:
        raise UnknownNameError("derivation", way, "the equations", list(WAYS))
    model = robot if isinstance(robot, Model) else robot.model
    equations = equations_of(model, numbers=True) if numbers else equations_over(named(model, is_derived))
    require_size(equations, way)
    expected = equations.torques
    made = WAYS[way](MovingLinks(equations))
    steps = (*made.steps(), _result(equations))
    used = set[str]().union(*(x.variables() for step in steps for x in waves(step)))
    return Derivation(
        robot=equations.name,
        title=equations.words.model.title,
        way=way,
        steps=steps,
        parameters=parameters_among(equations.words, used),
        forms=Forms(order_of(equations)),
        agrees=all(a.equals(b) for a, b in zip(made.torques(), expected, strict=True)),
    )


def require_size(equations: Equations, way: str) -> None:
    """Raise where a derivation is too long to be followed."""
    predicted = predicted_terms(equations)
    if predicted is None or predicted > MOST:
        shorter = (
            "Lock"
            if equations.numbers
            else "Ask for the model's own numbers (numbers=True, --numbers), lock"
        )
        raise EquationSizeError(
            equations.name,
            f"the {way} derivation",
            None if predicted is None else predicted * SHARE,
            MOST * SHARE,
            f"{shorter} joints until about three are left, or read the equations without their derivation.",
        )


def _result(equations: Equations) -> Step:
    """The closed form as it is printed everywhere."""
    sections = document(equations, only=RESULT, drives=False).sections
    lines = (
        Line(tuple(Written(Symbol(name)) for name in entry.names), Written(entry.value))
        for section in sections
        for entry in section.entries
    )
    return Step(
        "The equations of motion",
        "Gathered by accelerations, products of rates and the rest, the torques are the closed form: M is "
        "what the accelerations are multiplied by, G what is left at rest.",
        tuple(lines),
    )
