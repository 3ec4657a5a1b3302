"""A program in fixed point: every value an integer word times a power of two, with proven ranges and errors.

A word W of a value with f fractional bits stands for W 2⁻ᶠ. Forward through the program, each value gets

    a range      by interval arithmetic, sharpened where a rotation is recognised
    a fraction   the largest f with which the range, widened by the error, still fits the word
    an error     how far W 2⁻ᶠ may be from the exact value: what comes with the arguments, and its own rounding

so that no sum or product overflows, for any inputs within their ranges (operations: `rules`). What
comes out is a list of integer steps over words, which C (`c_source`) and NumPy (`execution`) carry out alike,
bit for bit:

    a shift to the right by s rounds to nearest, halves upwards:  ⌊(W + 2ˢ⁻¹) / 2ˢ⌋
    a product is made in twice the bits and shifted once; a quotient is rounded to nearest, halves away from zero;
    a root is rounded down; sines are those of `circle`; inputs outside their range are set to its end
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from strobe.compiler.fixed_point.bounds import WIDENED
from strobe.compiler.fixed_point.circle import CIRCLES, Circle
from strobe.compiler.fixed_point.products import clipped_products, made_clip
from strobe.compiler.fixed_point.rules import RULES
from strobe.compiler.fixed_point.sums import summed_products
from strobe.compiler.fixed_point.words import Ends, Errors, Format, Given, Operand, Step, Value, Word
from strobe.compiler.graph.program import Input, Program
from strobe.errors import ArgumentError, shown
from strobe.scalars import Node


@dataclass(frozen=True)
class Plan:
    """A program in integer steps."""

    program: Program
    bits: int
    given: dict[str, tuple[Given, ...]]  # by input
    steps: tuple[Step, ...]
    values: dict[Node, Value]
    outputs: tuple[Value, ...]

    @cached_property
    def circle(self) -> Circle:
        return CIRCLES[self.bits]

    @property
    def formats(self) -> tuple[Format, ...]:
        """Of the outputs."""
        return tuple(Format(self.bits, value.fraction) for value in self.outputs)

    @property
    def arithmetic_bounds(self) -> tuple[float, ...]:
        """How far each output may be from the exact function of the words given."""
        return tuple(value.errors[0] * WIDENED for value in self.outputs)

    @property
    def bounds(self) -> tuple[float, ...]:
        """How far each output may be from the exact function of numbers that were rounded to words."""
        return tuple(value.errors[1] * WIDENED for value in self.outputs)

    @property
    def peak(self) -> float:
        """The largest magnitude that any value is proven not to exceed."""
        return max((value.size for value in self.values.values()), default=0.0)

    @cached_property
    def constants(self) -> int:
        """How many different constant words the steps hold, those of the sine included."""
        words = {arg for step in self.steps for arg in step.args if isinstance(arg, Word)}
        turns = any(step.op == "turn" for step in self.steps)
        return len(words) + (len(self.circle.sine) + len(self.circle.cosine) + 1 if turns else 0)

    @cached_property
    def shifts(self) -> int:
        """How many shifts the steps take, those within sines left out."""
        return sum(shift != 0 for step in self.steps for shift in step.shifts)


def planned(
    program: Program,
    ranges: Mapping[str, Sequence[Ends]],
    bits: int = 32,
    fraction: int | None = None,
    label: Callable[[str], str] = str,
) -> Plan:
    """The program in words of 32 or 16 bits, for inputs within these ranges.

    With ``fraction`` all words have that many fractional bits, instead of as many as their ranges leave. ``label``
    turns the name of an input or output ("q[3]", "out[0]") into the words of a sentence.
    """
    if isinstance(bits, bool) or bits not in CIRCLES:
        raise ArgumentError(f"bits is {shown(bits)}; expected words of 16 or 32 bits.")
    if fraction is not None and (isinstance(fraction, bool) or fraction not in range(bits - 1)):
        raise ArgumentError(f"fraction is {shown(fraction)}; expected a whole number from 0 to {bits - 2}.")
    return Planner(program, ranges, bits, fraction, label).plan()


class Planner:
    """The walk through a program: what its rules ask for fractions, words and steps."""

    def __init__(
        self,
        program: Program,
        ranges: Mapping[str, Sequence[Ends]],
        bits: int,
        fraction: int | None,
        label: Callable[[str], str],
    ) -> None:
        self.program, self.ranges, self.bits, self.common = program, ranges, bits, fraction
        self.label = label
        self.circle = CIRCLES[bits]
        self.most = 2 ** (bits - 1) - 1
        self.steps: list[Step] = []
        self.values: dict[Node, Value] = {}
        self.turns: dict[Node, int] = {}  # angles as parts of a turn
        self.within = summed_products(program) if fraction is None else set()  # never words by themselves
        self._results = {node: f"out[{k}]" for k, node in reversed(list(enumerate(program.outputs)))}

    def plan(self) -> Plan:
        used = {str(node.value): node for node in self.program.nodes if node.op == "input"}
        given = {entry.name: self._inputs(entry, used) for entry in self.program.inputs}
        clips = clipped_products(self.program)
        within = self.within | {node for clip in clips.values() for node in clip.inside}
        for node in self.program.nodes:
            if node in clips:
                self.values[node] = made_clip(self, node, clips[node])
            elif node.op not in ("input", "constant") and node not in within:
                self.values[node] = self._value(node)
        outputs = tuple(self.argument(node) for node in self.program.outputs)
        return Plan(self.program, self.bits, given, tuple(self.steps), self.values, outputs)

    def _value(self, node: Node) -> Value:
        rule = RULES.get(node.op)
        if rule is None:
            raise ArgumentError(
                f"the program takes {node.op}, which there is no fixed point for; there is for "
                f"{', '.join(RULES)}."
            )
        return rule(self, node)

    # -- inputs and constants ---------------------------------------------------------------------

    def _inputs(self, entry: Input, used: Mapping[str, Node]) -> tuple[Given, ...]:
        ranges = self.ranges.get(entry.name)
        if ranges is None or len(ranges) != entry.size:
            got = "none" if ranges is None else str(len(ranges))
            raise ArgumentError(f'the input "{entry.name}" needs {entry.size} ranges; got {got}.')
        return tuple(self._input(f"{entry.name}[{k}]", ends, used) for k, ends in enumerate(ranges))

    def _input(self, name: str, ends: Ends, used: Mapping[str, Node]) -> Given:
        low, high = map(float, ends)
        if not (math.isfinite(low) and math.isfinite(high) and low <= high):
            raise ArgumentError(
                f"the range of {self.label(name)} is {low:g} to {high:g}; expected finite ends, the lower first."
            )
        fraction = self._fitting(max(abs(low), abs(high)), self.label(name))
        first = max(math.floor(math.ldexp(low, fraction)), -self.most)
        last = min(math.ceil(math.ldexp(high, fraction)), self.most)
        given = Given(name, Format(self.bits, fraction), first, last, None)
        if name not in used:
            return given
        step = self.emit("input", (Word(first), Word(last)))
        self.values[used[name]] = Value(*given.ends, fraction, (0.0, math.ldexp(0.5, -fraction)), step)
        return Given(name, given.format, first, last, step)

    def argument(self, node: Node, fraction: int | None = None) -> Value:
        """The value of a node; a constant as a word of this fraction, or of the one that keeps most digits."""
        if node.op != "constant":
            return self.values[node]
        number = float(node.value)  # pyright: ignore[reportArgumentType]
        if not math.isfinite(number):
            raise ArgumentError(f"the program has the constant {number:g}, for which there is no word.")
        if fraction is None or self.common is not None:
            fraction = self._fitting(abs(number), f"the constant {number:g}")
        word = round(math.ldexp(number, fraction))
        error = abs(math.ldexp(word, -fraction) - number)
        return Value(number, number, fraction, (error, error), Word(word))

    # -- fractions and steps ----------------------------------------------------------------------

    def made(
        self,
        node: Node,
        ends: Ends,
        most: int,
        errors: Callable[[int], tuple[Errors, float]],
        step: Callable[[int], int],
    ) -> Value:
        """The value with the largest fraction that fits, at most ``most``.

        ``errors`` gives those of a fraction, and the part that its own rounding is; ``step`` makes the word.
        """
        size = max(abs(ends[0]), abs(ends[1]))
        if not math.isfinite(size):
            raise ArgumentError(f"{self.called(node)} has no finite range; give narrower ones.")
        fraction = self.common if self.common is not None else min(most, self._room(size))
        while True:
            found, own = errors(fraction)
            if math.ldexp(size + found[0] * WIDENED, fraction) <= self.most:
                return Value(*ends, fraction, found, step(fraction), own)
            if self.common is not None:
                raise self._overflow(size + found[0], self.called(node))
            fraction -= 1

    def emit(self, op: str, args: tuple[Operand, ...], shifts: tuple[int, ...] = ()) -> int:
        """One more step; its place."""
        self.steps.append(Step(op, args, shifts))
        return len(self.steps) - 1

    def called(self, node: Node) -> str:
        """A value in a sentence."""
        if node.op == "input":
            return self.label(str(node.value))
        if node in self._results:
            return self.label(self._results[node])
        return f"the intermediate value %{node.index} ({node.op})"

    def _fitting(self, size: float, what: str) -> int:
        """The fraction of words that hold numbers of this size."""
        if self.common is None:
            return self._room(size)
        if math.ldexp(size, self.common) > self.most:
            raise self._overflow(size, what)
        return self.common

    def _room(self, size: float) -> int:
        """The largest fraction with which a word holds numbers of this size; of zero, any."""
        if size == 0.0:
            return 2 * self.bits
        fraction = self.bits - 1 - math.frexp(size)[1]
        return fraction if math.ldexp(size, fraction) <= self.most else fraction - 1

    def _overflow(self, size: float, what: str) -> ArgumentError:
        common, needed = self.common or 0, max(0, math.frexp(size)[1])
        fits = self.bits - 1 - needed
        other = f"fraction at most {fits}, narrower ranges" if fits >= 0 else "narrower ranges"
        return ArgumentError(
            f"{what} reaches {size:.6g}, which takes {needed} bits before the point; words of {self.bits} bits with "
            f"{common} behind it have {self.bits - 1 - common}. Use {other}, or a scale for each value "
            "(fraction=None)."
        )
