"""A program as LLVM IR of one state and plain numbers, for small machines: no library, no writable data.

`@name(inputs…, out)` takes pointers to vectors. Sines, cosines and what else a processor has no instruction for are
functions of the same module, written by the same loop from the programs of `elementary`. Every number is read before
the first result is written, so a result may lie over an argument.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from strobe.compiler.codegen import elementary
from strobe.compiler.codegen.constants import bits_of, to_single
from strobe.compiler.codegen.llvm_text import BINARY, Text
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


class Module:
    """The functions and stored numbers of one text."""

    def __init__(self, single: bool) -> None:
        self.single = single
        self.real = "float" if single else "double"
        self.texts: dict[str, str] = {}  # functions of the module, in the order in which they were finished
        self.declared: set[str] = set()
        self.stored: dict[Stored, str] = {}

    def with_functions(self, programs: Mapping[str, Program]) -> str:
        for name, program in programs.items():
            self.texts[name] = _public(self, program, name)
        rows = [self._array(stored, place) for stored, place in self.stored.items()]
        end = "attributes #0 = { nounwind noredzone }"  # below the stack's pointer is what interrupts use
        return "\n".join([*sorted(self.declared), *rows, *self.texts.values(), end]) + "\n"

    def need(self, name: str) -> str:
        """The name of a function of `elementary`, which is written the first time."""
        called = f"@strobe.{name}"
        if name not in self.texts:
            self.texts[name] = ""  # before those that it needs itself
            self.texts[name] = _circle(self) if name == "circle" else _private(self, name)
        return called

    def place(self, stored: Stored) -> str:
        return self.stored.setdefault(stored, f"@strobe.stored{len(self.stored)}")

    def number(self, value: float) -> str:
        """A constant by its bits: those of double precision, also where the number is of single."""
        return f"0x{bits_of(to_single(value) if self.single else value):016X}"

    def _array(self, stored: Stored, place: str) -> str:
        numbers = ", ".join(f"{self.real} {self.number(float(x))}" for x in stored.values)
        return f"{place} = internal constant [{stored.size} x {self.real}] [{numbers}], align 8"


class Body(Text):
    """The lines of one function."""

    def __init__(self, module: Module) -> None:
        super().__init__()
        self.module, self.real = module, module.real

    def number(self, value: float) -> str:
        return self.module.number(value)

    def call(self, name: str, args: Sequence[str], results: int = 1) -> list[str]:
        """A function of the module."""
        T = self.real
        result = self.new(
            f"call fastcc {_record(T, results)} {self.module.need(name)}({', '.join(f'{T} {a}' for a in args)})"
        )
        if results == 1:
            return [result]
        return [self.new(f"extractvalue {_record(T, results)} {result}, {k}") for k in range(results)]

    def intrinsic(self, name: str, *args: str) -> str:
        T, full = self.real, f"@llvm.{name}.f{32 if self.module.single else 64}"
        self.module.declared.add(f"declare {T} {full}({', '.join([T] * len(args))})")
        return self.new(f"call {T} {full}({', '.join(f'{T} {a}' for a in args)})")

    def compute(self, program: Program, read: Callable[[str], str]) -> list[str]:
        """The results of a program whose inputs are read by name."""
        return Values(self, program, read).results()


class Values:
    """What the nodes of one program are called."""

    def __init__(self, body: Body, program: Program, read: Callable[[str], str]) -> None:
        self.body, self.program, self.read = body, program, read
        self.known: dict[Node, str] = {}
        self.flags: dict[Node, str] = {}  # comparisons, as those who choose want them
        self.circles: dict[Node, list[str]] = {}
        self.firsts: dict[tuple[Node, Node, int], str] = {}  # where rows of stored numbers begin

    def results(self) -> list[str]:
        """What the outputs are called; calls come first, while little is alive."""
        for node in self.program.nodes:
            if node.op in CIRCLE and node.args[0].op == "input":
                self.value(node)
        for node in self.program.nodes:
            if node.op not in ("input", "stored", "constant", "less"):
                self.value(node)
        return [self.value(node) for node in self.program.outputs]

    def value(self, node: Node) -> str:
        if node.op == "constant":
            return self.body.number(float(node.value))  # pyright: ignore[reportArgumentType]
        if node not in self.known:
            self.known[node] = self._made(node)
        return self.known[node]

    def _made(self, node: Node) -> str:
        if node.op == "input":
            return self.read(str(node.value))
        if node.op in CIRCLE:
            return self._circle(node.args[0])[node.op == "cos"]
        if node.op == "pick":
            return self._picked(node)
        if node.op == "where":
            return self._chosen(*node.args)
        if node.op == "less":
            return self.body.new(f"uitofp i1 {self._flag(node)} to {self.body.real}")
        args = [self.value(a) for a in node.args]
        if node.op in BINARY:
            return self.body.new(f"{BINARY[node.op]} {self.body.real} {args[0]}, {args[1]}")
        return OPERATIONS[node.op](self.body, *args)

    def _circle(self, angle: Node) -> list[str]:
        if angle not in self.circles:
            self.circles[angle] = self.body.call("circle", [self.value(angle)], 2)
        return self.circles[angle]

    def _chosen(self, condition: Node, x: Node, y: Node) -> str:
        T = self.body.real
        first, second = self.value(x), self.value(y)
        return self.body.new(f"select i1 {self._flag(condition)}, {T} {first}, {T} {second}")

    def _flag(self, node: Node) -> str:
        """Whether a number is not zero."""
        if node not in self.flags:
            compared = node.op == "less"
            how, first = ("olt", node.args[0]) if compared else ("une", node)
            second = self.value(node.args[1]) if compared else self.body.number(0.0)
            self.flags[node] = self.body.new(f"fcmp {how} {self.body.real} {self.value(first)}, {second}")
        return self.flags[node]

    def _picked(self, node: Node) -> str:
        (leaf, at), (k, width) = node.args, node.value  # pyright: ignore[reportGeneralTypeIssues]
        stored, T, new = leaf.value, self.body.real, self.body.new
        assert isinstance(stored, Stored)
        x = self.value(at)
        if (leaf, at, width) not in self.firsts:
            self.firsts[leaf, at, width] = _first(self.body, x, stored.size - width)
        index = new(f"add i32 {self.firsts[leaf, at, width]}, {k}")
        address = new(f"getelementptr {T}, ptr {self.body.module.place(stored)}, i32 {index}")
        found = new(f"load {T}, ptr {address}, align {4 if self.body.module.single else 8}")
        return new(f"select i1 {new(f'fcmp uno {T} {x}, {x}')}, {T} {x}, {T} {found}")


def _first(body: Body, x: str, last: int) -> str:
    """A place rounded down and held among the stored numbers; 0 where it is not a number."""
    T, zero, most = body.real, body.number(0.0), body.number(float(last))
    x = body.new(f"select i1 {body.new(f'fcmp ogt {T} {x}, {zero}')}, {T} {x}, {T} {zero}")
    x = body.new(f"select i1 {body.new(f'fcmp olt {T} {x}, {most}')}, {T} {x}, {T} {most}")
    return body.new(f"fptosi {T} {x} to i32")


# -- functions ----------------------------------------------------------------------------------------


def _public(module: Module, program: Program, name: str) -> str:
    """What others call: pointers to the inputs, and one to the result."""
    body, T = Body(module), module.real
    places = {
        f"{given.name}[{j}]": (k, j) for k, given in enumerate(program.inputs) for j in range(given.size)
    }
    align = 4 if module.single else 8

    def at(pointer: str, j: int) -> str:
        return pointer if j == 0 else body.new(f"getelementptr {T}, ptr {pointer}, i32 {j}")

    def read(number: str) -> str:
        k, j = places[number]
        return body.new(f"load {T}, ptr {at(f'%a{k}', j)}, align {align}")

    results = body.compute(program, read)
    for j, result in enumerate(results):
        body.lines.append(f"  store {T} {result}, ptr {at('%out', j)}, align {align}")
    arguments = ", ".join([*(f"ptr %a{k}" for k in range(len(program.inputs))), "ptr %out"])
    return "\n".join([f"define void @{name}({arguments}) #0 {{", *body.lines, "  ret void", "}"])


def _private(module: Module, name: str) -> str:
    """A function of `elementary`: numbers in, numbers out."""
    program = elementary.program(name, module.single)
    body = Body(module)
    results = body.compute(program, _arguments)
    arguments = [given.name for given in program.inputs]
    return _returning(module, name, arguments, body, results)


def _circle(module: Module) -> str:
    """Sine and cosine of an angle: reduced the short way or, out of line, the long one; then turned."""
    single, T = module.single, module.real
    body = Body(module)
    size = body.intrinsic("fabs", "%x")
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
    return _returning(module, "circle", ["x"], body, results)


def _arguments(number: str) -> str:
    """The first number of an input, which is an argument of its name."""
    return f"%{number.removesuffix('[0]')}"


def _returning(
    module: Module, name: str, arguments: Sequence[str], body: Body, results: Sequence[str]
) -> str:
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


# -- operations ---------------------------------------------------------------------------------------


def _floor(body: Body, x: str) -> str:
    """Rounded by adding and taking away what leaves no room for a fraction; not by an instruction: many lack it."""
    T, size = body.real, body.intrinsic("fabs", x)
    room = body.number(2.0 ** (23 if body.module.single else 52))
    rounded = body.new(f"fsub {T} {body.new(f'fadd {T} {size}, {room}')}, {room}")
    signed = body.intrinsic("copysign", rounded, x)
    less = body.new(f"fsub {T} {signed}, {body.number(1.0)}")
    down = body.new(f"select i1 {body.new(f'fcmp ogt {T} {signed}, {x}')}, {T} {less}, {T} {signed}")
    return body.new(f"select i1 {body.new(f'fcmp olt {T} {size}, {room}')}, {T} {down}, {T} {x}")


def _extreme(how: str) -> Callable[[Body, str, str], str]:
    """The smaller or larger one; a first that is NaN is kept, a second one is never smaller or larger."""

    def chosen(body: Body, x: str, y: str) -> str:
        T = body.real
        ahead, unknown = body.new(f"fcmp {how} {T} {x}, {y}"), body.new(f"fcmp uno {T} {x}, {x}")
        return body.new(f"select i1 {body.new(f'or i1 {ahead}, {unknown}')}, {T} {x}, {T} {y}")

    return chosen


def _negative(body: Body, x: str) -> str:
    return body.new(f"fneg {body.real} {x}")


OPERATIONS: Mapping[str, Callable[..., str]] = {
    "fma": lambda body, a, b, c: body.intrinsic("fma", a, b, c),
    "fnma": lambda body, a, b, c: body.intrinsic("fma", _negative(body, a), b, c),
    "neg": _negative,
    "abs": lambda body, x: body.intrinsic("fabs", x),
    "sqrt": lambda body, x: body.intrinsic("sqrt", x),
    "floor": _floor,
    "min": _extreme("olt"),
    "max": _extreme("ogt"),
    "atan2": lambda body, y, x: body.call("atan2", [y, x])[0],
    "tanh": lambda body, x: body.call("tanh", [x])[0],
}
