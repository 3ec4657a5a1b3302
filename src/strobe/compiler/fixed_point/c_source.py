"""A plan in fixed point as portable C99, without a floating-point number in it.

    int NAME(const int32_t q[7], …, int32_t out[7]);

The function allocates nothing and keeps nothing between calls. Inputs outside their ranges are set to the nearer end;
it returns 0, or which number was the first to be so, counted from 1 through all inputs. No sum or product overflows.
All inputs are read before the first output is written. What converts between words and doubles is in a header of its
own, which the function does not need; the program that tests it does.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from strobe.compiler.codegen.c import UNKNOWN, Origin, Parameter, block_comment, guarded
from strobe.compiler.codegen.names import Names
from strobe.compiler.fixed_point.plan import Plan
from strobe.compiler.fixed_point.words import Operand, Step, Word

RESERVED = (  # what the generated sources use themselves, beside the names that all of ours do
    "bound", "clamped", "clipped", "codes", "exact", "good", "outside", "quotient", "root", "rounded",
    "shifted", "sine",
)  # fmt: skip


@dataclass(frozen=True)
class FixedFunction:
    """What is generated: a plan under a name, with its explanation."""

    name: str  # an identifier; also the stem of every file
    plan: Plan
    about: tuple[str, ...] = ()  # lines of the header's comment
    meanings: Mapping[str, str] | None = None  # of inputs and "out", by name
    label: Callable[[str], str] = str  # of one number ("q[3]") in words
    origin: Origin = UNKNOWN

    @property
    def word(self) -> str:
        return f"int{self.plan.bits}_t"

    @property
    def wide(self) -> str:
        return f"int{2 * self.plan.bits}_t"

    @property
    def size(self) -> int:
        """How many numbers the result has."""
        return len(self.plan.outputs)

    @cached_property
    def parameters(self) -> tuple[Parameter, ...]:
        names, told = _names(), self.meanings or {}
        return tuple(
            Parameter(names.new(i.name), i.size, told.get(i.name, "")) for i in self.plan.program.inputs
        )

    def declaration(self) -> str:
        """The prototype without its semicolon."""
        arguments = [f"const {self.word} {p.name}[{p.size}]" for p in self.parameters]
        return f"int {self.name}({', '.join([*arguments, f'{self.word} out[{self.size}]'])})"

    def tables(self) -> dict[str, tuple[int, ...]]:
        """The fractional bits of every number of the inputs and of the output, by the name of their array."""
        found = {
            f"{self.name}_{parameter.name}_fraction": tuple(
                g.format.fraction for g in self.plan.given[entry.name]
            )
            for entry, parameter in zip(self.plan.program.inputs, self.parameters, strict=True)
        }
        return found | {f"{self.name}_out_fraction": tuple(f.fraction for f in self.plan.formats)}

    def scaling(self) -> list[str]:
        """The formats in lines: every number, its range or the largest error."""
        lines: list[str] = []
        for entry, parameter in zip(self.plan.program.inputs, self.parameters, strict=True):
            lines.append(f"{parameter.name}: {parameter.meaning}" if parameter.meaning else parameter.name)
            for k, given in enumerate(self.plan.given[entry.name]):
                low, high = given.ends
                lines.append(
                    f"  [{k}] {given.format!s:>8}  from {low:.6g} to {high:.6g}  {self.label(given.name)}"
                )
        meaning = (self.meanings or {}).get("out", "the result")
        lines.append(f"out: {meaning}; error at most, and of the arithmetic alone")
        rows = zip(self.plan.formats, self.plan.bounds, self.plan.arithmetic_bounds, strict=True)
        for k, (format, bound, own) in enumerate(rows):
            lines.append(f"  [{k}] {format!s:>8}  {bound:.2g}, {own:.2g}  {self.label(f'out[{k}]')}")
        return lines


def header(function: FixedFunction) -> str:
    """The .h file, for C and C++."""
    told = ["", *function.origin.lines] if function.origin.lines else []
    about = [*function.about, *told, "", *PROMISES, "", *function.scaling()]
    sizes = {p.name: p.size for p in function.parameters} | {"out": function.size}
    body = [
        *function.origin.macros(function.name),
        *(f"#define {function.name.upper()}_{name.upper()}_SIZE {size}" for name, size in sizes.items()),
        f"{function.declaration()};",
        "",
        "/* how many bits of each word are behind the point */",
        *(f"extern const short {name}[{len(row)}];" for name, row in function.tables().items()),
    ]
    return guarded(function.name, about, body, ["#include <stdint.h>"])


def source(function: FixedFunction) -> str:
    """The .c file."""
    body = _Body(function)
    lines = [
        *block_comment([*function.about[:1], *function.origin.made]),
        f'#include "{function.name}.h"',
        "",
        SHIFTING,
        "",
        *(
            f"const short {name}[{len(row)}] = {{{', '.join(map(str, row))}}};"
            for name, row in function.tables().items()
        ),
        "",
        *body.helpers,
        function.declaration(),
        "{",
        *(f"    {line}" for line in body.lines),
        "}",
    ]
    return "\n".join(lines) + "\n"


def conversions(function: FixedFunction) -> str:
    """A header that turns doubles into words and back, for those who have doubles."""
    word, name, most = function.word, function.name, 2 ** (function.plan.bits - 1) - 1
    body = [CONVERSIONS.format(name=name, word=word, most=most)]
    body += [TO_WORDS.format(name=name, word=word, vector=p.name, size=p.size) for p in function.parameters]
    body += [FROM_WORDS.format(name=name, word=word, size=function.size).rstrip("\n")]
    about = [f"Words of {name} from doubles, and doubles from its words."]
    return guarded(f"{name}_convert", about, body, [f'#include "{name}.h"', "", "#include <math.h>"])


# -- the steps ----------------------------------------------------------------------------------------


class _Read(NamedTuple):
    """A number of the arguments: as it stands in C, the name of its value, and its number through all of them."""

    text: str
    name: str
    number: int


class _Body:
    """The statements of the function, and the helpers that they call."""

    def __init__(self, function: FixedFunction) -> None:
        self.function, self.plan, self.word = function, function.plan, function.word
        self._needed: dict[str, None] = {}
        self._names = _names()
        self._places: list[str] = []
        self.lines: list[str] = []
        reads = self._reads()
        if reads:
            self.lines.append("int outside = 0;")
        for place, step in enumerate(self.plan.steps):
            if step.op == "input":
                text, name = self._clamped(step, reads[place]), reads[place].name
            else:
                text, name = self._expression(step), f"t{place}"
            self._places.append(self._names.new(name))
            kind = f"u{self.word}" if step.op == "turn" else self.word
            self.lines.append(f"const {kind} {self._places[-1]} = {text};")
        stores = [f"out[{k}] = {self._text(value.word)};" for k, value in enumerate(self.plan.outputs)]
        self.lines += [f"(void){name};" for name in self._idle(stores)] + stores
        self.lines.append("return outside;" if reads else "return 0;")

    def _idle(self, stores: Sequence[str]) -> list[str]:
        """The values of which nothing is left where they are used, beside far larger ones."""
        met = Counter(re.findall(r"\w+", "\n".join([*self.lines, *stores])))
        return [name for name in self._places if met[name] == 1]

    @property
    def helpers(self) -> list[str]:
        """The helpers needed, in an order in which each knows those that it calls."""
        values = _helper_values(self.plan)
        return [text % values for name, text in HELPERS.items() if name in self._needed]

    def _reads(self) -> dict[int, _Read]:
        """What is read, by the place of the step; vectors of which nothing is are named and left alone."""
        found: dict[int, _Read] = {}
        count = 0
        for entry, parameter in zip(self.plan.program.inputs, self.function.parameters, strict=True):
            self._names.new(parameter.name)
            for k, given in enumerate(self.plan.given[entry.name]):
                count += 1
                if given.step is not None:
                    found[given.step] = _Read(f"{parameter.name}[{k}]", f"{parameter.name}_{k}", count)
            if all(given.step is None for given in self.plan.given[entry.name]):
                self.lines.append(f"(void){parameter.name};")
        return found

    def _need(self, *names: str) -> None:
        self._needed |= dict.fromkeys(names)

    def _clamped(self, step: Step, read: _Read) -> str:
        self._need("clamped")
        low, high = map(self._text, step.args)
        return f"clamped({read.text}, {low}, {high}, {read.number}, &outside)"

    def _text(self, operand: Operand) -> str:
        if isinstance(operand, Word):
            return f"({operand.value})" if operand.value < 0 else str(operand.value)
        return self._places[operand]

    def _shifted(self, text: str, shift: int) -> str:
        if shift == 0:
            return text
        if shift >= self.plan.bits:  # nothing is left of it
            return "0"
        self._need("shifted")
        return f"shifted({text}, {shift})"

    def _wide(self, x: str, y: str, shift: int) -> str:
        """A product in twice the bits, shifted."""
        text = f"({self.function.wide}){x} * {y}"
        return text if shift == 0 else self._rounded(text, shift)

    def _rounded(self, text: str, shift: int) -> str:
        if shift == 0:
            return f"({text})"
        if shift > 2 * self.plan.bits - 2:  # nothing is left of it
            return "0"
        self._need("rounded")
        return f"rounded({text}, {shift})"

    def _expression(self, step: Step) -> str:
        args = [self._text(arg) for arg in step.args]
        word = self.word
        match step.op, step.shifts:
            case "mul", (shift,):
                return f"({word}){self._rounded(f'({self.function.wide}){args[0]} * {args[1]}', shift)}"
            case ("add products" | "sub products") as op, (first, second, shift):
                x, y = self._wide(args[0], args[1], first), self._wide(args[2], args[3], second)
                both = f"{x} {'+' if op == 'add products' else '-'} {y}"
                return f"({word}){self._rounded(both, shift)}"
            case "clip", (shift,):
                self._need("clipped")
                return f"clipped({self._wide(args[0], args[1], shift)}, {args[2]}, {args[3]})"
            case ("add" | "sub") as op, shifts:
                x, y = (self._shifted(a, s) for a, s in zip(args, shifts, strict=True))
                return f"({word})({x} {'+' if op == 'add' else '-'} {y})"
            case "less", shifts:
                x, y = (self._shifted(a, s) for a, s in zip(args, shifts, strict=True))
                return f"{x} < {y}"
            case ("min" | "max") as op, shifts:
                self._need(name := "smaller" if op == "min" else "larger")
                return (
                    f"{name}({', '.join(self._shifted(a, s) for a, s in zip(args, shifts, strict=True))})"
                )
            case "where", (_, first, second):
                return f"{args[0]} ? {self._shifted(args[1], first)} : {self._shifted(args[2], second)}"
            case "neg", _:
                return f"({word})-{args[0]}"
            case "abs", _:
                return f"({word})({args[0]} < 0 ? -{args[0]} : {args[0]})"
            case "turn", (drop, shift):
                self._need("rounded")
                radians = self._shifted(args[0], drop)
                turns = f"rounded(({self.function.wide}){radians} * {self.plan.circle.per_radian}, {shift})"
                return f"(u{word}){turns}"
            case ("sine" | "cosine") as op, (shift,):
                self._need("rounded", "sine")
                quarter = f" + {2 ** (self.plan.bits - 2)}u" if op == "cosine" else ""
                turn = f"(u{word})({args[0]}{quarter})" if quarter else args[0]
                return self._shifted(f"sine({turn})", shift)
            case "div", (shift,):
                self._need("quotient")
                return f"quotient({args[0]}, {args[1]}, {max(shift, 0)}, {max(-shift, 0)})"
            case "sqrt", (shift,):
                self._need("root")
                return f"root({args[0]}, {shift})"
            case _:
                raise ValueError(step.op)


def _names() -> Names:
    names = Names()
    for name in RESERVED:
        names.new(name)
    return names


def _helper_values(plan: Plan) -> dict[str, str]:
    """What the helpers are written with: types, and the numbers of the sine."""
    w = plan.bits
    values = {
        "word": f"int{w}_t", "unsigned": f"uint{w}_t", "wide": f"int{2 * w}_t", "wide_unsigned": f"uint{2 * w}_t",
        "eighth": f"{2 ** (w - 3)}", "quarter": f"{2 ** (w - 2)}", "mask": f"{2 ** (w - 2) - 1}",
        "w1": str(w - 1), "w2": str(w - 2), "w4": str(w - 4), "top": str(2 * w - 2),
    }  # fmt: skip
    for name, words in (("sine_lines", plan.circle.sine), ("cosine_lines", plan.circle.cosine)):
        rows = [f"{word} + ({values['word']})rounded(square * value, {w - 2})" for word in words[-2::-1]]
        rows = [str(words[-1]), *(f"({values['word']})({row})" for row in rows)]
        values[name] = "\n".join(f"        value = {row};" for row in rows)
    return values


# In the order in which they need each other. Shifts of negative numbers keep the sign: SHIFTING checks it.
HELPERS = {
    "clamped": """\
static %(word)s clamped(%(word)s x, %(word)s low, %(word)s high, int place, int *outside)
{
    if (x >= low && x <= high)
        return x;
    if (*outside == 0)
        *outside = place;
    return x < low ? low : high;
}
""",
    "shifted": """\
static inline %(word)s shifted(%(word)s x, int shift) /* to nearest, halves upwards */
{
    return (%(word)s)((x >> shift) + ((x >> (shift - 1)) & 1));
}
""",
    "rounded": """\
static inline %(wide)s rounded(%(wide)s x, int shift) /* to nearest, halves upwards */
{
    return (x + ((%(wide)s)1 << (shift - 1))) >> shift;
}
""",
    "clipped": """\
static inline %(word)s clipped(%(wide)s x, %(word)s low, %(word)s high)
{
    return x < low ? low : x > high ? high : (%(word)s)x;
}
""",
    "smaller": """\
static inline %(word)s smaller(%(word)s x, %(word)s y)
{
    return x < y ? x : y;
}
""",
    "larger": """\
static inline %(word)s larger(%(word)s x, %(word)s y)
{
    return x > y ? x : y;
}
""",
    "sine": """\
/* of a part of a turn: the nearest quarter is taken off, the rest goes into a polynomial */
static %(word)s sine(%(unsigned)s turn)
{
    const %(unsigned)s centred = (%(unsigned)s)(turn + %(eighth)su);
    const int quarter = (int)(centred >> %(w2)s);
    const %(word)s rest = (%(word)s)((%(word)s)(centred & %(mask)su) - %(eighth)s);
    const %(wide)s square = rounded((%(wide)s)rest * rest, %(w4)s);
    %(word)s value;
    if (quarter & 1) {
%(cosine_lines)s
        value = (%(word)s)(%(quarter)s + (%(word)s)rounded(square * value, %(w1)s));
    } else {
%(sine_lines)s
        value = (%(word)s)rounded((%(wide)s)rest * value, %(w2)s);
    }
    return (quarter & 2) ? (%(word)s)-value : value;
}
""",
    "quotient": """\
static %(word)s quotient(%(word)s x, %(word)s y, int left, int right) /* to nearest, halves away from zero */
{
    const %(wide)s top = (%(wide)s)(x < 0 ? -(%(wide)s)x : x) * ((%(wide)s)1 << left);
    const %(wide)s bottom = (%(wide)s)(y < 0 ? -(%(wide)s)y : y) * ((%(wide)s)1 << right);
    const %(word)s size = (%(word)s)((top + bottom / 2) / bottom);
    return ((x < 0) != (y < 0)) ? (%(word)s)-size : size;
}
""",
    "root": """\
static %(word)s root(%(word)s x, int left) /* rounded down */
{
    %(wide_unsigned)s rest = x < 0 ? 0 : (%(wide_unsigned)s)x << left;
    %(wide_unsigned)s found = 0, bit = (%(wide_unsigned)s)1 << %(top)s;
    while (bit != 0) {
        if (rest >= found + bit) {
            rest -= found + bit;
            found = (found >> 1) + bit;
        } else {
            found >>= 1;
        }
        bit >>= 2;
    }
    return (%(word)s)found;
}
""",
}

SHIFTING = """\
#if (-1 >> 1) != -1
#error "a shift to the right must keep the sign of a negative number"
#endif"""

PROMISES = (
    "Words of fixed point: a word with f bits behind the point stands for the word times 2 to the power -f. "
    "Q5.26 is a sign, 5 bits before the point and 26 behind it. Units are SI, angles radians.",
    "Numbers outside their range are set to its nearer end; the function returns 0, or which number was the first "
    "to be so, counted from 1 through all arguments. Within, nothing overflows and the errors below are proven.",
    "Products and shifts are rounded to nearest, halves upwards. Nothing is allocated or kept.",
)

CONVERSIONS = """\
static inline {word} {name}_word(double x, int fraction, int *outside) /* nearest; NaN gives 0 */
{{
    const double scaled = rint(ldexp(x, fraction));
    *outside |= !(fabs(scaled) <= {most}.0);
    return scaled != scaled ? 0 : ({word})fmin(fmax(scaled, -{most}.0), {most}.0);
}}
"""

TO_WORDS = """\
/* returns 1 if a number is too large for its word, or none */
static inline int {name}_{vector}_to_words(const double x[{size}], {word} words[{size}])
{{
    int k, outside = 0;
    for (k = 0; k < {size}; k++)
        words[k] = {name}_word(x[k], {name}_{vector}_fraction[k], &outside);
    return outside;
}}
"""

FROM_WORDS = """\
static inline void {name}_out_from_words(const {word} words[{size}], double x[{size}])
{{
    int k;
    for (k = 0; k < {size}; k++)
        x[k] = ldexp((double)words[k], -{name}_out_fraction[k]);
}}
"""
