"""The statements of a program in C, and the helpers that they need before them.

Sines, cosines and, where compiled code is followed, arc tangents are those of `elementary`, rendered by the same
walk. What C does itself is how an angle is rounded to quadrants, and which of sine and cosine stands where: in
integers, without a branch. Angles beyond the limit take the long way, through the digits of 2/π.

Fused, the operations up to 2²⁰ are those of vector code on a processor that fuses, one by one. In single precision no
double is met on the way. All finite floats were tried, with and without fusing: sine and cosine are off by at most
0.91 units in the last place up to π, else by 0.94.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import Any

from strobe.compiler.codegen import elementary
from strobe.compiler.codegen.constants import c_number
from strobe.compiler.codegen.names import Names
from strobe.compiler.codegen.walk import NUMBER, PLACE, Walk
from strobe.compiler.graph.program import Program
from strobe.scalars import Node, Stored

PER_LINE = 8  # stored numbers in a line of source


class Statements(Walk[str]):
    """The statements of a program: angles first met are turned at once, single-use products stand in their sums.

    ``places`` say how each number of the inputs is read ("q[3]" of the program), ``names`` which identifiers of the
    scope are taken; what is ``needed`` before the function, by name, may be there for other statements already, and
    stored numbers may be ``arrays`` that have names.
    A program may be ``fused`` already; then its angles are those of compiled code too.
    """

    language = "C"

    def __init__(
        self, program: Program, places: Mapping[str, str], names: Names, needed: dict[str, str] | None = None,
        *, single: bool = False, fused: bool = False, arrays: Mapping[Stored, str] | None = None,
    ) -> None:  # fmt: skip
        self.table = WITHOUT_LIBRARY if arrays else FUSED_OPERATIONS if fused else OPERATIONS
        super().__init__(program)
        self.single, self.fused = single, fused
        self.real = "float" if single else "double"
        self.words = {"f": "f" if single else "", "real": self.real}
        self.words |= {"zero": c_number(0.0, single), "one": c_number(1.0, single)}
        self.lines: list[str] = []
        self.needed: dict[str, str] = {} if needed is None else needed
        self._names, self._places = names, places
        self._arrays = {
            stored: arrays[stored] if arrays else self._declared(stored) for stored in program.stored
        }
        self.results()

    @property
    def stored(self) -> list[str]:
        """The names of its arrays of stored numbers, which stand before the function."""
        return list(self._arrays.values())

    def order(self) -> Iterator[Node]:
        """The inputs as they lie in memory, then the others."""
        read = {str(node.value): node for node in self.program.nodes if node.op == "input"}
        yield from (read[entry] for entry in self._places if entry in read)
        yield from self.program.nodes

    def number(self, value: float) -> str:
        return c_number(value, self.single)

    def read(self, entry: str) -> str:
        return self._places[entry]

    def written(self, op: str, *args: Any) -> str:
        if op in HELPERS:
            self._need(op, lambda: HELPERS[op].format(**self.words))
        if op == "atan2" and self.fused:
            self._need(op, lambda: _angle(self.needed, self.single))
        if op == "pick" and args[2]:
            args = (args[0], f"{args[1]} + {args[2]}", *args[2:])
        return self.table[op].format(*args, **self.words)

    @cached_property
    def _terms(self) -> set[Node]:
        nodes = self.program.nodes
        return {arg for node in nodes if node.op in ("add", "sub") for arg in node.args}

    def keep(self, node: Node, value: str, kind: str = NUMBER) -> str:
        if kind == PLACE:
            return self._named("int32_t", f"i{node.index}", value)
        if node.op == "input":
            return self._named(self.real, value, value) if "[" in value else value
        inline = node.op in ("mul", "neg") and self.program.uses[node] == 1 and node in self._terms
        return f"({value})" if inline else self._named(self.real, f"t{node.index}", value)

    def _named(self, kind: str, name: str, value: str) -> str:
        name = self._names.new(name)
        self.lines.append(f"const {kind} {name} = {value};")
        return name

    def circle(self, angle: Node) -> tuple[str, str]:
        self._need("circle", lambda: _circle(self.needed, self.single, self.fused))
        pair = self._names.new(f"s{angle.index}"), self._names.new(f"c{angle.index}")
        self.lines.append(f"{self.real} {pair[0]}, {pair[1]};")
        self.lines.append(self.written("circle", self.value(angle), *pair))
        return pair

    def _need(self, name: str, text: Callable[[], str]) -> None:
        """A helper, behind those that it needs itself."""
        if name not in self.needed:
            self.needed[name] = text()

    def array(self, stored: Stored) -> str:
        return self._arrays[stored]

    def _declared(self, stored: Stored) -> str:
        """Stored numbers as a constant array, by its name."""
        name = self._names.new(stored.name)
        self.needed[f"stored {name}"] = "\n".join([*_array(stored, name, self.single), ""])
        return name


OPERATIONS: Mapping[str, str] = {
    "circle": "sine_cosine({}, &{}, &{});",
    "add": "{} + {}",
    "sub": "{} - {}",
    "mul": "{} * {}",
    "div": "{} / {}",
    "neg": "-{}",
    "fma": "fma{f}({}, {}, {})",
    "fnma": "fma{f}(-{}, {}, {})",
    "sqrt": "sqrt{f}({})",
    "tanh": "tanh{f}({})",
    "floor": "floor{f}({})",
    "atan2": "atan2{f}({}, {})",
    "abs": "fabs{f}({})",
    "min": "smaller({}, {})",
    "max": "larger({}, {})",
    "less": "({} < {}) ? {one} : {zero}",
    "where": "({} != {zero}) ? {} : {}",
    "row": "place_of({}, {})",
    "pick": "({3} != {3}) ? {3} : {0}[{1}]",
}
WITHOUT_LIBRARY = {**OPERATIONS, "floor": "({real})(int64_t){}"}  # of what is not negative
FUSED_OPERATIONS = {**OPERATIONS, "atan2": "angle_of({}, {})"}

HELPERS = {  # unlike fmin and fmax: what is not a number stays so
    "min": """\
static inline {real} smaller({real} x, {real} y)
{{
    return (x < y || x != x) ? x : y;
}}
""",
    "max": """\
static inline {real} larger({real} x, {real} y)
{{
    return (x > y || x != x) ? x : y;
}}
""",
    "row": """\
static inline int32_t place_of({real} x, int32_t last)
{{
    if (!(x > {zero}))
        return 0;
    return x < ({real})last ? (int32_t)x : last;
}}
""",
}


# -- sines, cosines and angles ------------------------------------------------------------------------


SCOPE = {"x[0]": "x", "k[0]": "n", "r[0]": "r", "t[0]": "t", "y[0]": "y"}  # what numbers are called there


def _circle(needed: dict[str, str], single: bool, fused: bool) -> str:
    """The functions behind `sine_cosine(x, &s, &c)`, in the precision that they are for."""
    p = elementary.precision(single, fused)
    constants = {
        "two_over_pi": p.two_over_pi,
        "tiny": p.tiny,
        "limit": p.limit,
        "round": 1.5 * 2.0 ** (p.bits - 1),
    }
    constants |= {"zero": 0.0, "half": 0.5, "one": 1.0}
    words = {name: c_number(value, single) for name, value in constants.items()}
    words |= {"real": "float" if single else "double", "f": "f" if single else ""}
    for part, name, deep in (
        ("polynomials", "first_quadrant", 4), ("reduction", "reduced", 8), ("long_way", "far", 4),
    ):  # fmt: skip
        program, arrays = elementary.program(name, single, fused), {p.digits: "digits"}
        body = Statements(program, SCOPE, Names("sck"), needed, single=single, fused=fused, arrays=arrays)
        words[part] = "\n".join(f"{' ' * deep}{line}" for line in body.lines)
        words |= {f"{part}_{k}": value for k, value in enumerate(body.results())}
    words["digits"] = "\n".join(f"    {line}" for line in _array(p.digits, "digits", single))
    return TEMPLATE.format(nearest=(FUSED_NEAREST if fused else NEAREST).format(**words), **words)


def _angle(needed: dict[str, str], single: bool) -> str:
    """The function `angle_of(y, x)`, as compiled code has it."""
    program, real = elementary.program("atan2", single, fused=True), "float" if single else "double"
    body = Statements(program, SCOPE, Names("xy"), needed, single=single, fused=True)
    lines = [*body.lines, f"return {body.results()[0]};"]
    head = f"static inline {real} angle_of({real} y, {real} x)"
    return "\n".join([head, "{", *(f"    {x}" for x in lines), "}", ""])


def _array(stored: Stored, name: str, single: bool) -> list[str]:
    """Stored numbers as a constant array."""
    numbers = [c_number(float(x), single) for x in stored.values]
    rows = [f"    {', '.join(numbers[k : k + PER_LINE])}," for k in range(0, len(numbers), PER_LINE)]
    return [f"static const {'float' if single else 'double'} {name}[{stored.size}] = {{", *rows, "};"]


NEAREST = """\
        const int32_t k = (int32_t)(x * {two_over_pi} + (x < {zero} ? -{half} : {half}));
        const {real} n = ({real})k;"""

FUSED_NEAREST = """\
        const {real} n = fma{f}(x, {two_over_pi}, {round}) - {round}; /* a whole number */
        const int32_t k = (int32_t)n;"""

TEMPLATE = """\
/* sine and cosine of r - t + k quarter turns, |r| at most pi/4, t what rounding added to r */
static inline void in_quadrant({real} r, {real} t, unsigned k, {real} *s, {real} *c)
{{
{polynomials}
    const {real} both[2] = {{{polynomials_0}, {polynomials_1}}}; /* chosen by index and sign: no branch to predict */
    *s = both[k & 1u] * ({one} - ({real})(k & 2u));
    *c = both[~k & 1u] * ({one} - ({real})((k + 1u) & 2u));
}}

/* angles beyond {limit}: x times 2/pi modulo 4, in digits whose products are not rounded; NaN for infinity and NaN */
static void large_angle({real} x, {real} *s, {real} *c)
{{
{digits}
    if (!(x - x == {zero})) {{
        *s = *c = x - x;
        return;
    }}
{long_way}
    in_quadrant({long_way_1}, {long_way_2}, (unsigned)(int32_t){long_way_0} & 3u, s, c);
}}

static inline void sine_cosine({real} x, {real} *s, {real} *c)
{{
    if (x > -{tiny} && x < {tiny}) {{
        *s = x;
        *c = {one};
    }} else if (x >= -{limit} && x <= {limit}) {{
{nearest}
{reduction}
        in_quadrant({reduction_0}, {reduction_1}, (unsigned)k & 3u, s, c);
    }} else {{
        large_angle(x, s, c);
    }}
}}
"""
