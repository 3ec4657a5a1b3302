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
from typing import Any

from strobe.compiler.codegen import elementary, walk
from strobe.compiler.codegen.walk import Walk
from strobe.compiler.graph.program import CIRCLE, Program
from strobe.scalars import Node, Stored

NUMBER, PLACE = 0x7C, 0x7F  # the types f64 and i32
PAGE = 65536

GET, SET, DROP, CALL, SELECT, LOAD, STORE = 0x20, 0x21, 0x1A, 0x10, 0x1B, 0x2B, 0x39
IF, ELSE, LOOP, END, BRANCH_IF, NOTHING = 0x04, 0x05, 0x03, 0x0B, 0x0D, 0x40
LESS, LESS_OR_EQUAL, DIFFERENT, LEAST, MOST = 0x63, 0x65, 0x62, 0xA4, 0xA5
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


# -- operations ---------------------------------------------------------------------------------------

OPERATIONS: Mapping[str, bytes] = {
    "add": b"\xa0",
    "sub": b"\xa1",
    "mul": b"\xa2",
    "div": b"\xa3",
    "min": bytes([LEAST]),
    "max": bytes([MOST]),
    "abs": b"\x99",
    "neg": b"\x9a",
    "floor": b"\x9c",
    "sqrt": b"\x9f",
    "less": bytes([LESS]),
    "flag": number(0.0) + bytes([DIFFERENT]),
    "truth": b"\xb8",
    "where": bytes([SELECT]),  # of two numbers by what lies above them
    "row": b"\xfc\x02" + place(3) + SHIFT,  # within 32 bits, 0 for what is not a number; in bytes
    "pick": bytes([DIFFERENT, SELECT]),
    **dict.fromkeys(("circle", "atan2", "tanh"), b""),  # functions of the module
}
"""What comes behind the arguments."""


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


class Values(Walk[Code]):
    """The nodes of one program in the body of a function: each the code that puts it on the stack.

    What is read once is that code itself, unless it is too deep; all else is kept in a local, which is free after
    its last use.
    """

    language, table = "WebAssembly", OPERATIONS

    def __init__(self, body: Body, program: Program, read: Callable[[str], Code]) -> None:
        super().__init__(program)
        self.body, self._read = body, read
        self.left = Counter(program.uses)  # how often each value is still read
        self.depth: dict[Node, int] = {}
        self.holds: dict[Local, Node] = {}  # of which value a local is
        self._outputs = set(program.outputs)
        for node in program.nodes:
            if node.op == "pick":
                self.left[node.args[1]] += FOREVER

    def number(self, value: float) -> Code:
        return [number(value)]

    def read(self, entry: str) -> Code:
        return self._read(entry)

    def written(self, op: str, *args: Any) -> Code:
        if op == "where":
            args = (*args[1:], args[0])
        elif op == "row":
            args = args[0], [number(0.0) + bytes([MOST]), number(float(args[1])) + bytes([LEAST])]
        elif op == "pick":
            where, row, k, x = args
            args = x, row, [bytes([LOAD, 3]) + unsigned(where + 8 * k)], x, x
        end = self.table[op] or bytes([CALL]) + unsigned(self.body.module.need(op))
        return [part for code in args for part in code] + [end]

    def keep(self, node: Node, value: Code, kind: str = walk.NUMBER) -> Code:
        if kind == walk.PLACE:
            local = self.body.local(PLACE)
            self.put(value)
            self.body.set(local)
            return [(GET, local)]
        deep = self.depth[node] = 1 + max((self.depth.get(a, 0) for a in node.args), default=0)
        if self.left[node] <= 1 and node not in self._outputs and deep <= DEEPEST:
            return value
        self.depth[node] = 0
        self.put(value)
        return self._local(node, PLACE if kind == walk.FLAG else NUMBER)

    def _local(self, node: Node, kind: int = NUMBER) -> Code:
        """What lies on the stack, in a local."""
        local = self.body.local(kind)
        self.holds[local] = node
        self.body.set(local)
        return [(GET, local)]

    def put(self, value: Code) -> None:
        """Code where it is carried out: locals that it reads for the last time are free."""
        for part in value:
            self.body.code.append(part)
            if isinstance(part, tuple) and part[1] in self.holds:
                node = self.holds[part[1]]
                self.left[node] -= 1
                if not self.left[node]:
                    self.body.release(part[1])

    def circle(self, angle: Node) -> tuple[Code, Code]:
        """Sine and cosine together, each in a local if anything needs it."""
        pair = {node.op: node for node in self.program.nodes if node.op in CIRCLE and node.args[0] is angle}
        self.left[angle] -= len(pair) - 1
        self.put([*self.value(angle), bytes([CALL]) + unsigned(self.body.module.need("circle"))])
        found: dict[str, Code] = {}
        for op in reversed(CIRCLE):
            if op in pair:
                found[op] = self._local(pair[op])
            else:
                self.body.put(bytes([DROP]))
        return found.get("sin", []), found.get("cos", [])

    def array(self, stored: Stored) -> int:
        return self.body.module.where(stored)


# -- functions ----------------------------------------------------------------------------------------


def _evaluate(module: Module, program: Program) -> Body:
    """One state: what is read lies behind the first arguments, the result goes behind the last."""
    body = Body(module)
    places = {
        f"{given.name}[{j}]": (Local(PLACE, k), 8 * j)
        for k, given in enumerate(program.inputs)
        for j in range(given.size)
    }

    def read(name: str) -> Code:
        pointer, offset = places[name]
        return [(GET, pointer), bytes([LOAD, 3]) + unsigned(offset)]

    values = Values(body, program, read)
    for j, result in enumerate(values.results()):
        body.get(Local(PLACE, len(program.inputs)))
        values.put(result)
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
    body.put(OPERATIONS["abs"], number(elementary.DOUBLE.limit), bytes([LESS_OR_EQUAL, IF, NOTHING]))
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
    values = Values(body, program, lambda name: [(GET, inputs[name.removesuffix("[0]")])])
    for result in values.results():
        values.put(result)


def _set_all(body: Body, locals_: Sequence[Local]) -> None:
    """What lies on the stack, the last one uppermost."""
    for local in reversed(locals_):
        body.set(local)
