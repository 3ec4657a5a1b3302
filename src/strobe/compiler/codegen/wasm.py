"""A program as a WebAssembly module: the binary itself, written here, without a linker and without imports.

    memory       exported; stored numbers at its beginning, free from the exported `heap` on
    evaluate     (inputs…, out): pointers to the vectors of one state
    run          (n, inputs…, out): the same for n states, row behind row

Of several programs each has its own: `evaluate_NAME` and `run_NAME`.

Numbers are those of double precision. Sine, cosine, arc tangent and hyperbolic tangent are functions of the module,
from the programs of `elementary`. A value used once stays on the stack of the machine, one used more often has a
local, which is used again after its last use. Every number is read before the first result is written.
[WebAssembly core specification 1.0, with several results of a function and conversions that saturate]
"""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from strobe.compiler.codegen import elementary
from strobe.compiler.graph.program import CIRCLE, Program
from strobe.scalars import Node, Stored

NUMBER, PLACE = 0x7C, 0x7F  # the types f64 and i32
PAGE = 65536

OPERATIONS: Mapping[str, int] = {
    "add": 0xA0,
    "sub": 0xA1,
    "mul": 0xA2,
    "div": 0xA3,
    "min": 0xA4,
    "max": 0xA5,
    "abs": 0x99,
    "neg": 0x9A,
    "floor": 0x9C,
    "sqrt": 0x9F,
}
LESS, LESS_OR_EQUAL, DIFFERENT = 0x63, 0x65, 0x62
GET, SET, DROP, CALL, SELECT, LOAD, STORE = 0x20, 0x21, 0x1A, 0x10, 0x1B, 0x2B, 0x39
IF, ELSE, LOOP, END, BRANCH_IF, NOTHING = 0x04, 0x05, 0x03, 0x0B, 0x0D, 0x40
TO_NUMBER = b"\xb8"
TO_PLACE = b"\xfc\x02"  # held within its range, 0 for what is not a number
ADD_PLACES, SUBTRACT_PLACES, PLACE_GREATER, SHIFT = b"\x6a", b"\x6b", b"\x4a", b"\x74"
DEEPEST = 40  # operations inside one another before a value gets a local after all
FOREVER = 2**40  # uses of what is read again and again


def module(program: Program) -> bytes:
    """The bytes of a module with `memory`, `heap`, `evaluate` and `run`."""
    return module_of({"": program})


def module_of(programs: Mapping[str, Program]) -> bytes:
    """The same with `evaluate_NAME` and `run_NAME` for each of several programs, which share what they need."""
    made, named, room = Module(), dict[str, int](), 0
    for name, program in programs.items():
        sizes = [*(given.size for given in program.inputs), len(program.outputs)]
        after = f"_{name}" if name else ""
        evaluate = named[f"evaluate{after}"] = made.add(_evaluate(made, program), [PLACE] * len(sizes), 0)
        named[f"run{after}"] = made.add(_run(made, evaluate, sizes), [PLACE] * (len(sizes) + 1), 0)
        room = max(room, 8 * sum(sizes))
    return made.binary(named, room)


# -- bytes --------------------------------------------------------------------------------------------


def unsigned(value: int) -> bytes:
    """A whole number in groups of seven bits, the lowest first."""
    groups = bytearray()
    while value > 0x7F:
        groups.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*groups, value])


def signed(value: int) -> bytes:
    """The same for numbers of either sign, whose last group has it."""
    groups = bytearray()
    while not -0x40 <= value < 0x40:
        groups.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*groups, value & 0x7F])


def vector(items: Sequence[bytes]) -> bytes:
    return unsigned(len(items)) + b"".join(items)


def sized(content: bytes) -> bytes:
    return unsigned(len(content)) + content


def section(kind: int, content: bytes) -> bytes:
    return bytes([kind]) + sized(content)


def number(value: float) -> bytes:
    return b"\x44" + struct.pack("<d", value)


def place(value: int) -> bytes:
    return b"\x41" + signed(value)


# -- the module ---------------------------------------------------------------------------------------


@dataclass(eq=False)
class Local:
    """A variable of a function; its index is known once the function is finished, unless it is an argument."""

    kind: int
    index: int | None = None


Code = list["bytes | tuple[int, Local]"]  # instructions, and those that name a local


class Module:
    """Functions and stored numbers, in the order in which they were first needed."""

    def __init__(self) -> None:
        self.types: dict[bytes, int] = {}
        self.functions: list[tuple[int, bytes]] = []  # the type and the body of each
        self.helpers: dict[str, int] = {}
        self.stored: dict[Stored, int] = {}  # where each begins
        self.data = b""

    def add(self, body: Body, arguments: Sequence[int], results: int) -> int:
        """The index of a finished function."""
        kind = b"\x60" + vector([bytes([a]) for a in arguments]) + vector([bytes([NUMBER])] * results)
        number = self.types.setdefault(kind, len(self.types))
        self.functions.append((number, body.binary(len(arguments))))
        return len(self.functions) - 1

    def need(self, name: str) -> int:
        """The index of a function of `elementary`, which is written the first time."""
        if name not in self.helpers:
            _, arguments, results = elementary.FUNCTIONS.get(name, (None, ("x",), 2))
            body = _circle(self) if name == "circle" else _helper(self, name)
            self.helpers[name] = self.add(body, [NUMBER] * len(arguments), results)
        return self.helpers[name]

    def where(self, stored: Stored) -> int:
        if stored not in self.stored:
            self.stored[stored] = len(self.data)
            self.data += stored.values.astype("<f8").tobytes()
        return self.stored[stored]

    def binary(self, functions: Mapping[str, int], room: int) -> bytes:
        """Everything in the order of the format; room for one state behind what is stored."""
        heap = -(-len(self.data) // 16) * 16
        pages = -(-(heap + room) // PAGE)
        called = ((name.encode(), 0, index) for name, index in functions.items())
        named = (*called, (b"memory", 2, 0), (b"heap", 3, 0))
        exports = [sized(name) + bytes([kind]) + unsigned(index) for name, kind, index in named]
        data = [b"\x00" + place(0) + bytes([END]) + sized(self.data)] if self.data else []
        return b"".join(
            [
                b"\0asm\1\0\0\0",
                section(1, vector(list(self.types))),
                section(3, vector([unsigned(kind) for kind, _ in self.functions])),
                section(5, vector([b"\x00" + unsigned(pages)])),
                section(6, vector([bytes([PLACE, 0]) + place(heap) + bytes([END])])),
                section(7, vector(exports)),
                section(10, vector([body for _, body in self.functions])),
                *([section(11, vector(data))] if data else []),
            ]
        )


class Body:
    """The instructions of one function, and its locals."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.code: Code = []
        self.locals: dict[int, list[Local]] = {NUMBER: [], PLACE: []}
        self.free: dict[int, list[Local]] = {NUMBER: [], PLACE: []}

    def put(self, *code: bytes) -> None:
        self.code += code

    def get(self, local: Local) -> None:
        self.code.append((GET, local))

    def set(self, local: Local) -> None:
        self.code.append((SET, local))

    def local(self, kind: int = NUMBER) -> Local:
        """A local that nothing needs any more, or a new one."""
        if self.free[kind]:
            return self.free[kind].pop()
        self.locals[kind].append(Local(kind))
        return self.locals[kind][-1]

    def release(self, local: Local) -> None:
        self.free[local.kind].append(local)

    def call(self, function: int) -> None:
        self.put(bytes([CALL]) + unsigned(function))

    def binary(self, arguments: int) -> bytes:
        """The body with its size before it; numbers come first among the locals."""
        for index, local in enumerate((*self.locals[NUMBER], *self.locals[PLACE]), arguments):
            local.index = index
        groups = [unsigned(len(some)) + bytes([kind]) for kind, some in self.locals.items() if some]
        code = [
            part if isinstance(part, bytes) else bytes([part[0]]) + unsigned(_index(part[1]))
            for part in self.code
        ]
        return sized(vector(groups) + b"".join(code) + bytes([END]))


def _index(local: Local) -> int:
    assert local.index is not None
    return local.index


class Values:
    """The nodes of one program in the body of a function; `read` puts an input on the stack."""

    def __init__(self, body: Body, program: Program, read: Callable[[str], None]) -> None:
        self.body, self.program, self.read = body, program, read
        self.left = Counter(program.uses)  # how often each value is still read
        self.kept: dict[Node, Local] = {}  # comparisons as what chooses, all others as numbers
        self.rows: dict[tuple[Node, Node, int], Local] = {}  # where rows of stored numbers begin, in bytes
        for node in program.nodes:
            if node.op == "pick":
                self.left[node.args[1]] += FOREVER
        self._compute()

    def _compute(self) -> None:
        """Every value that is read more than once, and the results, into locals."""
        outputs, depth = set(self.program.outputs), dict[Node, int]()
        for node in self.program.nodes:
            if node.op in ("constant", "stored") or node in self.kept:
                continue
            depth[node] = 1 + max((depth.get(a, 0) for a in node.args if a not in self.kept), default=0)
            if node.op in CIRCLE:
                self._circle(node.args[0])
            elif self.left[node] > 1 or node in outputs or depth[node] > DEEPEST:
                (self._flag if node.op == "less" else self._make)(node)
                self._keep(node, PLACE if node.op == "less" else NUMBER)

    def _keep(self, node: Node, kind: int = NUMBER) -> None:
        self.kept[node] = self.body.local(kind)
        self.body.set(self.kept[node])

    def value(self, node: Node) -> None:
        """Put a number on the stack."""
        if node.op == "constant":
            self.body.put(number(float(node.value)))  # pyright: ignore[reportArgumentType]
        elif node.op == "less":
            self._flag(node)
            self.body.put(TO_NUMBER)
        elif node in self.kept:
            self._read(node)
        else:
            self._make(node)

    def _read(self, node: Node) -> None:
        """A local, which is free after its last use."""
        local = self.kept[node]
        self.body.get(local)
        self.left[node] -= 1
        if not self.left[node]:
            self.body.release(local)

    def _make(self, node: Node) -> None:
        """Compute a number from its arguments."""
        if node.op == "input":
            self.read(str(node.value))
        elif node.op == "pick":
            self._pick(node)
        elif node.op == "where":
            condition, x, y = node.args
            self.value(x)
            self.value(y)
            self._flag(condition)
            self.body.put(bytes([SELECT]))
        else:
            for a in node.args:
                self.value(a)
            if node.op in OPERATIONS:
                self.body.put(bytes([OPERATIONS[node.op]]))
            else:
                self.body.call(self.body.module.need(node.op))

    def _flag(self, node: Node) -> None:
        """Whether a number is not zero."""
        if node.op == "less" and node in self.kept:
            self._read(node)
            return
        for a in node.args if node.op == "less" else (node,):
            self.value(a)
        self.body.put(bytes([LESS]) if node.op == "less" else number(0.0) + bytes([DIFFERENT]))

    def _circle(self, angle: Node) -> None:
        """Sine and cosine of an angle together, each in a local if anything needs it."""
        pair = [node for node in self.program.nodes if node.op in CIRCLE and node.args[0] is angle]
        self.left[angle] -= len(pair) - 1
        self.value(angle)
        self.body.call(self.body.module.need("circle"))
        for op in reversed(CIRCLE):
            found = [node for node in pair if node.op == op]
            for node in found:
                self._keep(node)
            if not found:
                self.body.put(bytes([DROP]))

    def _pick(self, node: Node) -> None:
        """A stored number, or the place itself where that is no number."""
        (leaf, at), (k, width) = node.args, node.value  # pyright: ignore[reportGeneralTypeIssues]
        stored = leaf.value
        assert isinstance(stored, Stored)
        row = self.rows.get((leaf, at, width)) or self._row(leaf, at, width, stored.size - width)
        self.value(at)
        self.body.get(row)
        self.body.put(bytes([LOAD, 3]) + unsigned(self.body.module.where(stored) + 8 * k))
        self.value(at)
        self.value(at)
        self.body.put(bytes([DIFFERENT, SELECT]))

    def _row(self, leaf: Node, at: Node, width: int, last: int) -> Local:
        """Where a row begins: its place rounded down and held among the stored numbers."""
        row = self.rows[leaf, at, width] = self.body.local(PLACE)
        self.value(at)
        self.body.put(
            number(0.0), bytes([OPERATIONS["max"]]), number(float(last)), bytes([OPERATIONS["min"]])
        )
        self.body.put(TO_PLACE, place(3), SHIFT)
        self.body.set(row)
        return row


# -- functions ----------------------------------------------------------------------------------------


def _evaluate(module: Module, program: Program) -> Body:
    """One state: what is read lies behind the first arguments, the result goes behind the last."""
    body = Body(module)
    places = {
        f"{given.name}[{j}]": (Local(PLACE, k), 8 * j)
        for k, given in enumerate(program.inputs)
        for j in range(given.size)
    }

    def read(name: str) -> None:
        pointer, offset = places[name]
        body.get(pointer)
        body.put(bytes([LOAD, 3]) + unsigned(offset))

    values = Values(body, program, read)
    for j, node in enumerate(program.outputs):
        body.get(Local(PLACE, len(program.inputs)))
        values.value(node)
        body.put(bytes([STORE, 3]) + unsigned(8 * j))
    return body


def _run(module: Module, evaluate: int, sizes: Sequence[int]) -> Body:
    """n states: the pointers go on by a row each time; none is touched where n is not positive."""
    body = Body(module)
    n, pointers = Local(PLACE, 0), [Local(PLACE, 1 + k) for k in range(len(sizes))]
    body.get(n)
    body.put(place(0), PLACE_GREATER, bytes([IF, NOTHING, LOOP, NOTHING]))
    for pointer in pointers:
        body.get(pointer)
    body.call(evaluate)
    for pointer, size in zip(pointers, sizes, strict=True):
        body.get(pointer)
        body.put(place(8 * size), ADD_PLACES)
        body.set(pointer)
    body.get(n)
    body.put(place(1), SUBTRACT_PLACES)
    body.set(n)
    body.get(n)
    body.put(bytes([BRANCH_IF, 0, END, END]))
    return body


def _helper(module: Module, name: str) -> Body:
    """A function of `elementary`: numbers in, numbers out."""
    body = Body(module)
    program = elementary.program(name, single=False)
    _inline(body, program, {given.name: Local(NUMBER, k) for k, given in enumerate(program.inputs)})
    return body


def _circle(module: Module) -> Body:
    """Sine and cosine of an angle: reduced the short way or, by a call, the long one; then turned."""
    body = Body(module)
    x, reduced = Local(NUMBER, 0), [body.local() for _ in range(3)]
    body.get(x)
    body.put(
        bytes([OPERATIONS["abs"]]), number(elementary.DOUBLE.limit), bytes([LESS_OR_EQUAL, IF, NOTHING])
    )
    _inline(body, elementary.program("near", single=False), {"x": x})
    _set_all(body, reduced)
    body.put(bytes([ELSE]))
    body.get(x)
    body.call(module.need("far"))
    _set_all(body, reduced)
    body.put(bytes([END]))
    _inline(body, elementary.program("turned", single=False), dict(zip("xkrt", [x, *reduced], strict=True)))
    return body


def _inline(body: Body, program: Program, inputs: Mapping[str, Local]) -> None:
    """The results of a program on the stack, its inputs in locals."""
    values = Values(body, program, lambda name: body.get(inputs[name.removesuffix("[0]")]))
    for node in program.outputs:
        values.value(node)


def _set_all(body: Body, locals_: Sequence[Local]) -> None:
    """What lies on the stack, the last one uppermost."""
    for local in reversed(locals_):
        body.set(local)
