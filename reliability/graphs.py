"""Random functions over numbers: what a compiler may be given, as a list of steps that can be kept and shortened.

A step is an operation on earlier values; values are the inputs, constants and the results of steps. Steps are drawn
so that the passes find something: sums of products with factors in common, values used again and again, constants of
every size, differences of equal values. A step is tried out on a few states and mostly dropped where little is known
of its value there, because it overflows or its bound on rounding is too large a part of it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from reliability.bounded import Bounded, BoundedSystem
from strobe.scalars import (
    Num,
    Numbers,
    Stored,
    absolute,
    atan2,
    cos,
    floor,
    less,
    maximum,
    minimum,
    sin,
    sqrt,
    tanh,
    where,
)
from strobe.scalars.scalar import is_number

TRIED = 12  # states on which a step is tried
KNOWN = 1e-6  # a value with a larger relative bound says little
DOUBTFUL = 0.02  # the part of steps kept without asking
CONSTANTS = (
    0.0,
    1.0,
    -1.0,
    2.0,
    0.5,
    -4.0,
    3.0,
    1e-3,
    math.pi,
    1e300,
    -1e300,
    1e-300,
    5e-324,
    1e30,
    1e-40,
    2.0**60,
)
TABLE = Stored([math.sin(0.7 * k) for k in range(17)], "table")

FUNCTIONS: Mapping[str, Any] = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "div": lambda x, y: x / y,
    "neg": lambda x: -x,
    "sin": sin,
    "cos": cos,
    "tanh": tanh,
    "sqrt": sqrt,
    "abs": absolute,
    "floor": floor,
    "atan2": atan2,
    "min": minimum,
    "max": maximum,
    "less": less,
    "where": lambda c, x, y: where(less(c, 0.25), x, y),
    "choice": where,
    "look up": TABLE.at,
    "between": lambda x: (lambda row: row[0] + (x - floor(x)) * (row[1] - row[0]))(TABLE.row(x, 2)),
    "common": lambda a, b, c: a * b - a * c,
    "bilinear": lambda a, b, c, d: (a * b + c * d) + (a * d - c * b),
    "turned": lambda a, x, y: cos(a) * x + sin(a) * y,
}
WEIGHTS = {
    "add": 5,
    "sub": 5,
    "mul": 7,
    "common": 3,
    "bilinear": 2,
    "turned": 2,
    "div": 2,
    "sin": 2,
    "cos": 2,
}


@dataclass(frozen=True)
class Step:
    """An operation on earlier values, or a constant."""

    op: str
    args: tuple[int, ...] = ()
    value: float = 0.0


@dataclass(frozen=True)
class Recipe:
    """A function of vectors: inputs by name with their sizes, steps, and which values are its results."""

    inputs: tuple[tuple[str, int], ...]
    steps: tuple[Step, ...]
    outputs: tuple[int, ...]

    def function(self, **given: Numbers) -> list[Num]:
        """The results over numbers of any system."""
        values: list[Num] = [x for name, _ in self.inputs for x in given[name]]
        for step in self.steps:
            values.append(made(step, values))
        return [values[k] for k in self.outputs]

    def to_json(self) -> dict[str, Any]:
        steps = [
            [step.op, *step.args] if step.op != "constant" else [step.op, step.value.hex()]
            for step in self.steps
        ]
        return {"inputs": dict(self.inputs), "steps": steps, "outputs": list(self.outputs)}

    @classmethod
    def from_json(cls, kept: Mapping[str, Any]) -> Recipe:
        steps = [
            Step(op, value=float.fromhex(args[0])) if op == "constant" else Step(op, tuple(args))
            for op, *args in kept["steps"]
        ]
        return cls(tuple(kept["inputs"].items()), tuple(steps), tuple(kept["outputs"]))


def made(step: Step, values: Sequence[Num]) -> Num:
    """The value of one step."""
    if step.op == "constant":
        return step.value
    return FUNCTIONS[step.op](*(values[k] for k in step.args))


def random_recipe(
    rng: np.random.Generator, size: int, inputs: Mapping[str, int] | None = None, results: int | None = None
) -> Recipe:
    """A function of about so many steps, of one to four vectors, with one to forty results, if none are given."""
    if inputs is None:
        inputs = {f"x{k}": int(n) for k, n in enumerate(rng.integers(1, 9, rng.integers(1, 5)))}
    system = BoundedSystem()
    values: list[Num] = [x for n in inputs.values() for x in system.given(states(rng, TRIED, n))]
    steps: list[Step] = []
    while len(steps) < size:
        step = _drawn(rng, len(values))
        value = _tried(step, values)
        if value is not None and (rng.random() < DOUBTFUL or _is_known(value)):
            steps.append(step)
            values.append(value)
    count = results or int(rng.integers(1, min(40, len(values)) + 1))
    outputs = [*(int(k) for k in rng.integers(0, len(values), count - 1)), len(values) - 1]
    return Recipe(tuple(inputs.items()), tuple(steps), tuple(outputs))


def states(rng: np.random.Generator, count: int, size: int) -> np.ndarray:
    """Vectors of ordinary numbers; among them zeros, whole numbers, right angles, and numbers of other sizes."""
    values = rng.normal(0.0, 2.0, (count, size))
    special = rng.random(values.shape)
    rounded = np.where(special < 0.03, np.round(values), values)
    turns = np.where((special >= 0.03) & (special < 0.06), np.round(values) * (math.pi / 2), rounded)
    sizes = 10.0 ** rng.uniform(-12, 6, values.shape)
    return np.where(special > 0.95, values * sizes, turns)


def _drawn(rng: np.random.Generator, known: int) -> Step:
    if rng.random() < 0.08:
        own = rng.random() < 0.5
        return Step(
            "constant", value=float(rng.normal() if own else CONSTANTS[rng.integers(len(CONSTANTS))])
        )
    names = list(FUNCTIONS)
    weights = np.array([WEIGHTS.get(name, 1) for name in names], float)
    op = names[rng.choice(len(names), p=weights / weights.sum())]
    count = FUNCTIONS[op].__code__.co_argcount - (op == "look up")
    recent = rng.random() < 0.6  # or anything from the beginning on
    low = max(0, known - 8) if recent else 0
    return Step(op, tuple(int(k) for k in rng.integers(low, known, count)))


def _tried(step: Step, values: Sequence[Num]) -> Num | None:
    """The value on the states tried; none where Python numbers alone have none."""
    try:
        with np.errstate(all="ignore"):
            return made(step, values)
    except (ZeroDivisionError, ValueError, OverflowError):
        return None


def _is_known(value: Num) -> bool:
    """Whether most states have a value, of a size that leaves room, that rounding leaves recognisable."""
    if is_number(value):
        return True
    assert isinstance(value, Bounded)
    size = np.abs(value.values)
    with np.errstate(invalid="ignore"):
        good = (value.error <= KNOWN * np.maximum(size, 1e-3)) & (size < 1e100)
    return float(np.mean(np.broadcast_to(good, (TRIED,)))) > 0.7


# -- smaller ones -----------------------------------------------------------------------------------------


def smaller(recipe: Recipe) -> Iterator[Recipe]:
    """Simpler recipes, the shortest first: one result alone, then runs of steps replaced by their first arguments."""
    if len(recipe.outputs) > 1:
        yield from (needed(replace(recipe, outputs=(k,))) for k in dict.fromkeys(recipe.outputs))
        return
    run = len(recipe.steps) // 2
    while run:
        for last in range(len(recipe.steps), 0, -run):
            shorter = recipe
            for place in reversed(range(max(last - run, 0), last)):
                shorter = _without(shorter, place)
            yield needed(shorter)
        run //= 2


def _without(recipe: Recipe, place: int) -> Recipe:
    """The same with a step replaced by its first argument wherever it is used."""
    step, own = recipe.steps[place], sum(n for _, n in recipe.inputs) + place
    instead = step.args[0] if step.args else 0
    return _renumbered(recipe, own, instead)


def needed(recipe: Recipe) -> Recipe:
    """The same without steps that no result needs."""
    first = sum(n for _, n in recipe.inputs)
    used = set(recipe.outputs)
    for place in reversed(range(len(recipe.steps))):
        if first + place in used:
            used |= set(recipe.steps[place].args)
    for place in reversed(range(len(recipe.steps))):
        if first + place not in used:
            recipe = _renumbered(recipe, first + place, 0)
    return recipe


def _renumbered(recipe: Recipe, gone: int, instead: int) -> Recipe:
    """The same without one value, in whose place stands another one before it."""
    first = sum(n for _, n in recipe.inputs)
    place = gone - first

    def new(k: int) -> int:
        return instead if k == gone else k - (k > gone)

    steps = [
        replace(step, args=tuple(map(new, step.args))) for i, step in enumerate(recipe.steps) if i != place
    ]
    return replace(recipe, steps=tuple(steps), outputs=tuple(map(new, recipe.outputs)))
