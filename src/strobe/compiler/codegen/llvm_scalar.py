"""A program as LLVM IR of one state and plain numbers, for small machines: no library, no writable data.

`@name(inputs…, out)` takes pointers to vectors. Sines, cosines and what else a processor has no instruction for are
functions of the same module, written by the same loop from the programs of `elementary`. Every number is read before
the first result is written, so a result may lie over an argument.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from strobe.compiler.codegen import elementary
from strobe.compiler.codegen.constants import bits_of, to_single
from strobe.compiler.codegen.llvm_text import BINARY, Text, intrinsics, put
from strobe.compiler.codegen.walk import Walk
from strobe.compiler.graph.fuse import fuse
from strobe.compiler.graph.order import ordered
from strobe.compiler.graph.program import CIRCLE, Program
from strobe.scalars import Node, Stored


def module(program: Program, name: str, single: bool, fused: bool) -> str:
    """The IR text with one function of this name that others can call."""
    return module_of({name: program}, single, fused)


def module_of(programs: Mapping[str, Program], single: bool, fused: bool) -> str:
    """The same with several functions, which share what they need."""
    return Module(single).with_functions(
        {name: ordered(fuse(program) if fused else program) for name, program in programs.items()}
    )


# -- operations ---------------------------------------------------------------------------------------

# a first that is NaN is kept, a second one is never smaller or larger
EXTREME = """\
ahead = fcmp {how} {{T}} {{0}}, {{1}}
unknown = fcmp uno {{T}} {{0}}, {{0}}
first = or i1 {{ahead}}, {{unknown}}
select i1 {{first}}, {{T}} {{0}}, {{T}} {{1}}"""

# rounded by adding and taking away what leaves no room for a fraction; not by an instruction: many lack it
FLOOR = """\
size = call {T} @llvm.fabs.{S}({T} {0})
moved = fadd {T} {size}, {room}
rounded = fsub {T} {moved}, {room}
signed = call {T} @llvm.copysign.{S}({T} {rounded}, {T} {0})
less = fsub {T} {signed}, {one}
above = fcmp ogt {T} {signed}, {0}
down = select i1 {above}, {T} {less}, {T} {signed}
fraction = fcmp olt {T} {size}, {room}
select i1 {fraction}, {T} {down}, {T} {0}"""

# rounded down and held among the stored numbers; 0 where it is not a number
ROW = """\
positive = fcmp ogt {T} {0}, {zero}
low = select i1 {positive}, {T} {0}, {T} {zero}
within = fcmp olt {T} {low}, {1}
held = select i1 {within}, {T} {low}, {T} {1}
fptosi {T} {held} to i32"""

PICK = """\
index = add i32 {1}, {2}
address = getelementptr {T}, ptr {0}, i32 {index}
found = load {T}, ptr {address}, align {align}
unknown = fcmp uno {T} {3}, {3}
select i1 {unknown}, {T} {3}, {T} {found}"""

# a line is an instruction; one that others of its row use has a name before it
OPERATIONS: Mapping[str, str] = {
    "circle": "",  # a call with two results
    **{op: f"{instruction} {{T}} {{0}}, {{1}}" for op, instruction in BINARY.items()},
    "neg": "fneg {T} {0}",
    "fma": "call {T} @llvm.fma.{S}({T} {0}, {T} {1}, {T} {2})",
    "fnma": "less = fneg {T} {0}\ncall {T} @llvm.fma.{S}({T} {less}, {T} {1}, {T} {2})",
    "abs": "call {T} @llvm.fabs.{S}({T} {0})",
    "sqrt": "call {T} @llvm.sqrt.{S}({T} {0})",
    "less": "fcmp olt {T} {0}, {1}",
    "flag": "fcmp une {T} {0}, {zero}",
    "truth": "uitofp i1 {0} to {T}",
    "where": "select i1 {0}, {T} {1}, {T} {2}",
    "min": EXTREME.format(how="olt"),
    "max": EXTREME.format(how="ogt"),
    "floor": FLOOR,
    "atan2": "call fastcc {T} @strobe.atan2({T} {0}, {T} {1})",
    "tanh": "call fastcc {T} @strobe.tanh({T} {0})",
    "row": ROW,
    "pick": PICK,
}


# -- modules ------------------------------------------------------------------------------------------


class Module:
    """The functions and stored numbers of one text."""

    def __init__(self, single: bool, fused: bool = False) -> None:
        self.single, self.fused = single, fused  # of fused functions of `elementary`
        self.real = "float" if single else "double"
        self.texts: dict[str, str] = {}  # functions of the module, in the order in which they were finished
        self.align = 4 if single else 8
        self.room = 2.0 ** (23 if single else 52)  # beyond it a number has no fraction
        self.stored: dict[Stored, str] = {}

    def with_functions(self, programs: Mapping[str, Program]) -> str:
        for name, program in programs.items():
            self.texts[name] = _public(self, program, name)
        rows = self.arrays()
        end = "attributes #0 = { nounwind noredzone }"  # below the stack's pointer is what interrupts use
        texts = "\n".join(self.texts.values())
        return "\n".join([*sorted(intrinsics(texts)), *rows, texts, end]) + "\n"

    def need(self, name: str) -> str:
        """The name of a function of `elementary`, which is written the first time."""
        called = f"@strobe.{name}"
        if name not in self.texts:
            self.texts[name] = ""  # before those that it needs itself
            self.texts[name] = self.function(name)
        return called

    def function(self, name: str) -> str:
        """The text of a function."""
        return _circle(self) if name == "circle" else _private(self, name)

    def place(self, stored: Stored) -> str:
        return self.stored.setdefault(stored, f"@strobe.stored{len(self.stored)}")

    def number(self, value: float) -> str:
        """A constant by its bits: those of double precision, also where the number is of single."""
        return f"0x{bits_of(to_single(value) if self.single else value):016X}"

    def arrays(self) -> list[str]:
        """The stored numbers."""
        return [self._array(stored, place) for stored, place in self.stored.items()]

    def _array(self, stored: Stored, place: str) -> str:
        numbers = ", ".join(f"{self.real} {self.number(float(x))}" for x in stored.values)
        return f"{place} = internal constant [{stored.size} x {self.real}] [{numbers}], align 8"


class Body(Walk[str], Text):
    """The lines of one function; several programs may be written into it."""

    language, table = "LLVM IR", OPERATIONS

    def __init__(self, module: Module) -> None:
        Text.__init__(self)
        self.module, self.real = module, module.real
        self.words = {"T": module.real, "S": "f32" if module.single else "f64", "align": module.align}
        self.words |= {
            "zero": module.number(0.0),
            "one": module.number(1.0),
            "room": module.number(module.room),
        }

    def compute(self, program: Program, read: Callable[[str], str]) -> list[str]:
        """The results of a program whose inputs are read by name."""
        Walk.__init__(self, program)
        self._read = read
        return self.results()

    def read(self, entry: str) -> str:
        return self._read(entry)

    def order(self) -> Iterator[Node]:
        """Calls come first, while little is alive; inputs and comparisons where they are used."""
        nodes = self.program.nodes
        yield from (node for node in nodes if node.op in CIRCLE and node.args[0].op == "input")
        yield from (node for node in nodes if node.op not in ("input", "less"))

    def number(self, value: float) -> str:
        return self.module.number(value)

    def written(self, op: str, *args: Any) -> str:
        if op in elementary.FUNCTIONS:
            self.module.need(op)
        if op == "row":
            args = (args[0], self.number(float(args[1])))
        return put(self, self.table[op], args, self.words)

    def circle(self, angle: Node) -> tuple[str, str]:
        sine, cosine = self.call("circle", [self.value(angle)], 2)
        return sine, cosine

    def array(self, stored: Stored) -> str:
        return self.module.place(stored)

    def call(self, name: str, args: Sequence[str], results: int) -> list[str]:
        """A function of the module with several results."""
        T, record = self.real, _record(self.real, results)
        given = ", ".join(f"{T} {a}" for a in args)
        result = self.new(f"call fastcc {record} {self.module.need(name)}({given})")
        return [self.new(f"extractvalue {record} {result}, {k}") for k in range(results)]


# -- functions ----------------------------------------------------------------------------------------


def _public(module: Module, program: Program, name: str) -> str:
    """What others call: pointers to the inputs, and one to the result."""
    body, T = Body(module), module.real
    places = {
        f"{given.name}[{j}]": (k, j) for k, given in enumerate(program.inputs) for j in range(given.size)
    }

    def at(pointer: str, j: int) -> str:
        return pointer if j == 0 else body.new(f"getelementptr {T}, ptr {pointer}, i32 {j}")

    def read(number: str) -> str:
        k, j = places[number]
        return body.new(f"load {T}, ptr {at(f'%a{k}', j)}, align {module.align}")

    results = body.compute(program, read)
    for j, result in enumerate(results):
        body.lines.append(f"  store {T} {result}, ptr {at('%out', j)}, align {module.align}")
    arguments = ", ".join([*(f"ptr %a{k}" for k in range(len(program.inputs))), "ptr %out"])
    return "\n".join([f"define void @{name}({arguments}) #0 {{", *body.lines, "  ret void", "}"])


def _private(module: Module, name: str) -> str:
    """A function of `elementary`: numbers in, numbers out."""
    program = elementary.program(name, module.single, module.fused)
    body = Body(module)
    results = body.compute(program, _arguments)
    arguments = [given.name for given in program.inputs]
    return returning(module, name, arguments, body, results)


def _circle(module: Module) -> str:
    """Sine and cosine of an angle: reduced the short way or, out of line, the long one; then turned."""
    single, T = module.single, module.real
    body = Body(module)
    size = body.written("abs", "%x")
    within = body.new(f"fcmp ole {T} {size}, {body.number(elementary.precision(single).limit)}")
    body.lines += [f"  br i1 {within}, label %near, label %far", "near:"]
    near = body.compute(elementary.program("near", single), _arguments)
    body.lines += ["  br label %turn", "far:"]
    far = body.call("far", ["%x"], 3)
    body.lines += ["  br label %turn", "turn:"]
    reduced = {"x": "%x"}
    for name, a, b in zip("krt", near, far, strict=True):
        reduced[name] = body.new(f"phi {T} [ {a}, %near ], [ {b}, %far ]")
    results = body.compute(elementary.program("turned", single), lambda number: reduced[number[:-3]])
    return returning(module, "circle", ["x"], body, results)


def _arguments(number: str) -> str:
    """The first number of an input, which is an argument of its name."""
    return f"%{number.removesuffix('[0]')}"


def returning(
    module: Module, name: str, arguments: Sequence[str], body: Text, results: Sequence[str]
) -> str:
    """A function of the module of numbers, whose lines and results are there."""
    T = module.real
    record = _record(T, len(results))
    value = results[0] if len(results) == 1 else "poison"
    if len(results) > 1:
        for k, result in enumerate(results):
            value = body.new(f"insertvalue {record} {value}, {T} {result}, {k}")
    head = (
        f"define internal fastcc {record} @strobe.{name}({', '.join(f'{T} %{a}' for a in arguments)}) #0 {{"
    )
    return "\n".join([head, *body.lines, f"  ret {record} {value}", "}"])


def _record(T: str, results: int) -> str:
    return T if results == 1 else f"{{ {', '.join([T] * results)} }}"
