"""Arithmetic without branches as instructions of x86-64, whose registers are assigned here.

LLVM takes a hundred microseconds for an operation of a long run, and decides nothing that matters: the order is a
good one already. Here it is about ten. Values lie in memory until they are asked for; when no register is free, the
value goes that is asked for last, to memory if it is not there yet. An operand that is not asked for again soon is
read where it lies.

Every operation is the instruction of its name, in the order given, so bits are those of any other way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from math import inf

from strobe.compiler.codegen.constants import bits_of
from strobe.scalars import Node

SIMPLE = {"add": "vadd", "sub": "vsub", "mul": "vmul", "div": "vdiv"}
FUSED = {"fma": 1, "fnma": -1}  # the sign of the product
SIGNED = {(1, 1): "vfmadd", (-1, 1): "vfnmadd", (1, -1): "vfmsub", (-1, -1): "vfnmsub"}  # ± a b ± c
FUSED_NAMES = frozenset(SIGNED.values())
COMMUTING = ("add", "mul")
EXTREMES = {
    "max": ("vmax", "and"),
    "min": ("vmin", "or"),
}  # how two zeros, one of them negative, become one
CHOSEN = ("less", "where")
ASSEMBLED = frozenset({*SIMPLE, *FUSED, *EXTREMES, *CHOSEN, "sqrt", "neg"})
"""The operations that are written here."""

SOON = 48  # operations within which a value that was read comes to a register for its next use
CLEAN = 4  # how much sooner a value may be asked for that goes without being stored
WINDOW = 16  # operations of which the first one goes on whose arguments are there
PACE = 0.5  # cycles for an operation
LATENCY = {"div": 16, "sqrt": 19}  # cycles until a result is there
USUAL_LATENCY = 4


@dataclass(frozen=True)
class Registers:
    """What vectors a processor has: how wide, of which precision, how many, and whether it spreads one number that it
    reads over all lanes (AVX-512)."""

    width: int
    single: bool
    many: bool

    @property
    def count(self) -> int:
        return 32 if self.many else 16

    @property
    def spreads(self) -> bool:
        return self.many and self.width > 1

    @property
    def bytes(self) -> int:
        return self.width * (4 if self.single else 8)

    @property
    def letter(self) -> str:
        return "xyz"[max(self.bytes, 16).bit_length() - 5]

    @property
    def suffix(self) -> str:
        return ("s" if self.width == 1 else "p") + ("s" if self.single else "d")

    @property
    def clobbered(self) -> str:
        """All of them, as LLVM is told."""
        masks = ["~{k1}"] if self.many else []
        return ",".join([f"~{{{self.letter}mm{k}}}" for k in range(self.count)] + masks)

    def names(self) -> list[str]:
        return [f"%{self.letter}mm{k}" for k in range(self.count)]


class Assembly:
    """The lines for one run of nodes.

    ``places`` are operands in memory of values made before, ``results`` those to which values go that are asked for
    afterwards; ``number`` gives the address of a constant by its bits, ``cell`` a new place for a vector.
    """

    def __init__(
        self,
        registers: Registers,
        places: Mapping[Node, str],
        results: Mapping[Node, Sequence[str]],
        number: Callable[[int], str],
        cell: Callable[[], str],
    ) -> None:
        self.registers, self.results, self.number, self.cell = registers, results, number, cell
        self.homes: dict[Node, str] = dict(places)  # where a value lies in memory
        self.lines: list[str] = []
        self.of: dict[Node, str] = {}  # the register of a value
        self.free = registers.names()[::-1]
        self.uses: dict[Node, list[int]] = {}  # the last one first
        self.step, self.args = 0, ()  # the operation at work, and what it asks for
        s = registers.suffix
        self.moved = f"vmovup{s[1]}" if s[0] == "p" else f"vmovs{s[1]}"
        self.copied = f"vmovap{s[1]}"
        self.times = f"{{1to{registers.width}}}" if registers.spreads else ""
        self.spread = f"vbroadcasts{s[1]}" if registers.width > 1 else self.moved
        if registers.bytes == 16 and not registers.single:
            self.spread = "vmovddup"
        self.spilled: dict[Node, str] = {}  # values in cells of their own, which others may use after them
        self.cells: list[str] = []  # that are free

    def write(self, nodes: Sequence[Node]) -> list[str]:
        """The lines of these nodes, in their order."""
        steps = _steps(nodes, self.results)
        if self.registers.many:  # with few, every value that is there early costs a store and a load
            steps = _in_time(steps)
        for number in range(len(steps) - 1, -1, -1):
            for a in dict.fromkeys(steps[number][2]):
                self.uses.setdefault(a, []).append(number)
        for number, (node, op, args) in enumerate(steps):
            self.step, self.args = number, args
            for a in dict.fromkeys(args):
                self.uses[a].pop()
            self._made(node, self._computed(op, args))
            for a in args:
                if not self.uses[a] and a in self.spilled:
                    self.cells.append(self.spilled.pop(a))
        return self.lines

    def _made(self, node: Node, register: str) -> None:
        """A value is in a register now."""
        for place in self.results.get(node, ()):
            self.lines.append(f"{self.moved} {register}, {place}")
            self.homes[node] = place
        if self.uses.get(node):
            self.of[node] = register
        else:
            self.free.append(register)

    # -- operations ---------------------------------------------------------------------------------

    def _computed(self, op: str, args: tuple[Node, ...]) -> str:
        """The register of what an operation gives."""
        if op in FUSED_NAMES:
            return self._fused(op, *args)
        if op == "neg":
            return self._negated(args[0])
        if op == "sqrt":
            return self._root(args[0])
        if op in EXTREMES:
            return self._extreme(*EXTREMES[op], *args)
        if op == "less":
            return self._less(*args)
        if op == "where":
            return self._chosen(*args)
        x, y = args
        if op in COMMUTING and x not in self.of and y in self.of:
            x, y = y, x
        first = self._register(x)
        second = self._operand(y)
        result = self._result(args)
        self.lines.append(f"{SIMPLE[op]}{self.registers.suffix} {second}, {first}, {result}")
        return result

    def _fused(self, name: str, a: Node, b: Node, c: Node) -> str:
        """±a b + c in the register of an argument that is not asked for again, or in a copy of one."""
        s = self.registers.suffix
        if b in self.of and self._is_last(b) and not (a in self.of and self._is_last(a)):
            a, b = b, a
        apart = a is not b and a is not c
        if apart and a in self.of and self._is_last(a) and not (c in self.of and self._is_last(c)):
            return self._over_factor(name, a, b, c)
        if a not in self.of and b in self.of:
            a, b = b, a
        first = self._register(a)
        second = self._operand(b)
        sum_ = self.of.get(c)
        if sum_ is None or not self._is_last(c) or c is a or c is b:
            sum_ = self._copy(c)
        else:
            del self.of[c]
        self._release((a, b))
        self.lines.append(f"{name}231{s} {second}, {first}, {sum_}")
        return sum_

    def _over_factor(self, name: str, a: Node, b: Node, c: Node) -> str:
        """±a b + c in the register of a, which is asked for here for the last time."""
        s, product = self.registers.suffix, self.of[a]
        if c in self.of or b not in self.of:
            first = self._register(c)
            second = self._operand(b)
            form = "132"
        else:
            first = self.of[b]
            second = self._operand(c)
            form = "213"
        del self.of[a]
        self._release((b, c))
        self.lines.append(f"{name}{form}{s} {second}, {first}, {product}")
        return product

    def _negated(self, x: Node) -> str:
        bits = 1 << (31 if self.registers.single else 63)
        first = self._register(x)
        sign = f"{self.number(bits)}"
        letter = "d" if self.registers.single else "q"
        if self.registers.many:
            lanes = max(self.registers.width, 16 // (4 if self.registers.single else 8))
            result = self._result((x,))
            self.lines.append(f"vpxor{letter} {sign}{{1to{lanes}}}, {first}, {result}")
            return result
        mask = self._taken()
        self.lines += [f"{self.spread} {sign}, {mask}", f"vxorpd {mask}, {first}, {mask}"]
        self._release((x,))
        return mask

    def _root(self, x: Node) -> str:
        s = self.registers.suffix
        source = self._register(x)
        result = self._result((x,))
        middle = f"{source}, " if s[0] == "s" else ""
        self.lines.append(f"vsqrt{s} {source}, {middle}{result}")
        return result

    def _extreme(self, name: str, joined: str, x: Node, y: Node) -> str:
        """The larger or smaller one, and NaN where one of them is; of both zeros it is as of other numbers."""
        s = self.registers.suffix
        first, second = self._register(x), self._register(y)
        result, other = self._taken(), self._taken()
        self.lines += [
            f"{name}{s} {second}, {first}, {result}",
            f"{name}{s} {first}, {second}, {other}",
            f"{self._bitwise(joined)} {other}, {result}, {result}",
        ]
        if self.registers.many:
            self.lines += [
                f"vcmpunord{s} {second}, {first}, %k1",
                f"vadd{s} {second}, {first}, {result} {{%k1}}",
            ]
        else:
            mask = self._taken()
            self.lines += [
                f"vcmpunord{s} {second}, {first}, {mask}",
                f"vadd{s} {second}, {first}, {other}",
                f"vblendvp{s[1]} {mask}, {other}, {result}, {result}",
            ]
            self.free.append(mask)
        self.free.append(other)
        self._release((x, y))
        return result

    def _less(self, x: Node, y: Node) -> str:
        """One where x is less than y, else zero."""
        s, one = self.registers.suffix, self.number(bits_of(1.0, self.registers.single))
        first, second, result = self._register(x), self._register(y), self._taken()
        if self.registers.many:
            self.lines += [
                f"vcmplt_oq{s} {second}, {first}, %k1",
                f"{self.spread} {one}, {result} {{%k1}} {{z}}",
            ]
        else:
            other = self._taken()
            self.lines += [
                f"vcmplt_oq{s} {second}, {first}, {result}",
                f"{self.spread} {one}, {other}",
                f"vandp{s[1]} {other}, {result}, {result}",
            ]
            self.free.append(other)
        self._release((x, y))
        return result

    def _chosen(self, condition: Node, x: Node, y: Node) -> str:
        """x where the condition is not zero, else y."""
        s = self.registers.suffix
        flag, first, second, result = *(self._register(a) for a in (condition, x, y)), self._taken()
        self.lines.append(f"{self._bitwise('xor')} {result}, {result}, {result}")
        if self.registers.many:
            self.lines += [
                f"vcmpneq_uq{s} {result}, {flag}, %k1",
                f"vblendmp{s[1]} {first}, {second}, {result} {{%k1}}",
            ]
        else:
            self.lines += [
                f"vcmpneq_uq{s} {result}, {flag}, {result}",
                f"vblendvp{s[1]} {result}, {first}, {second}, {result}",
            ]
        self._release((condition, x, y))
        return result

    def _bitwise(self, name: str) -> str:
        """An instruction on bits that the processor has for all its registers."""
        double = not self.registers.single
        if self.registers.many:
            return f"vp{name}{'q' if double else 'd'}"
        return f"v{name}p{'d' if double else 's'}"

    # -- registers ----------------------------------------------------------------------------------

    def _is_last(self, node: Node) -> bool:
        """Whether the operation at work is the last one that asks for a value."""
        return not self.uses[node]

    def _register(self, node: Node) -> str:
        """The register of a value, which is read now if it is in memory."""
        register = self.of.get(node)
        if register is None:
            register = self._taken()
            self._read(node, register)
            self.of[node] = register
        return register

    def _operand(self, node: Node) -> str:
        """A value where it is: in a register or, unless it is asked for again soon, in memory."""
        register = self.of.get(node)
        if register is not None:
            return register
        uses = self.uses[node]
        if uses and uses[-1] - self.step <= SOON and node.op != "constant":
            return self._register(node)
        return self._place(node)

    def _place(self, node: Node) -> str:
        """A value as an operand in memory."""
        if node.op == "constant":
            return self._address(node) + self.times
        return self.homes[node]

    def _address(self, node: Node) -> str:
        return self.number(bits_of(node.value, self.registers.single))  # pyright: ignore[reportArgumentType]

    def _read(self, node: Node, register: str) -> None:
        constant = node.op == "constant"
        place = self._address(node) if constant else self.homes[node]
        self.lines.append(f"{self.spread if constant and self.times else self.moved} {place}, {register}")

    def _copy(self, node: Node) -> str:
        """A value in a register of its own, to be written over."""
        source, register = self.of.get(node), self._taken()
        if source is None:
            self._read(node, register)
        else:
            self.lines.append(f"{self.copied} {source}, {register}")
        return register

    def _result(self, args: Iterable[Node]) -> str:
        """A register for the result of an operation on these; it may be one that holds an argument."""
        self._release(args)
        return self._taken()

    def _release(self, args: Iterable[Node]) -> None:
        """Let go of the registers of values that are asked for no more."""
        for node in args:
            if not self.uses[node] and node in self.of:
                self.free.append(self.of.pop(node))

    def _taken(self) -> str:
        """A register: a free one, or that of the value that is asked for last; arguments at work stay."""
        if self.free:
            return self.free.pop()
        uses, homes, now, args = self.uses, self.homes, self.step, self.args
        latest, victim = -1, None
        for node in self.of:
            if node not in args:
                ahead = uses[node][-1] - now
                if node in homes or node.op == "constant":
                    ahead *= CLEAN
                if ahead > latest:
                    latest, victim = ahead, node
        assert victim is not None
        register = self.of.pop(victim)
        if victim.op != "constant" and victim not in self.homes:
            self.homes[victim] = self.spilled[victim] = self.cells.pop() if self.cells else self.cell()
            self.lines.append(f"{self.moved} {register}, {self.homes[victim]}")
        return register


Step = tuple[Node, str, tuple[Node, ...]]  # a value, and the operation and arguments that give it


def _steps(nodes: Sequence[Node], results: Iterable[Node]) -> list[Step]:
    """The operations of a run; a sign that they can take along is not computed by itself."""
    own = {node for node in nodes if node.op == "neg"}
    steps = [(node, *_signed(node, own)) for node in nodes]
    needed = own.intersection(a for _, op, args in steps for a in args) | own.intersection(results)
    return [step for step in steps if step[1] != "neg" or step[0] in needed]


def _signed(node: Node, signs: set[Node]) -> tuple[str, tuple[Node, ...]]:
    """An operation with the signs of its arguments in it: a + (−b) = a − b, and so on, to the last bit."""
    op, args = node.op, node.args
    if op in FUSED:
        (s, a), (t, b), (u, c) = (_plain(x, signs) for x in args)
        return SIGNED[FUSED[op] * s * t, u], (a, b, c)
    if op == "add" or op == "sub":
        x, (t, y) = args[0], _plain(args[1], signs)
        if t < 0:
            return ("sub" if op == "add" else "add"), (x, y)
        s, x = _plain(x, signs)
        if s < 0 and op == "add":
            return "sub", (y, x)
    return op, args


def _plain(node: Node, signs: set[Node]) -> tuple[int, Node]:
    """A value without the sign that stands before it."""
    return (-1, node.args[0]) if node in signs else (1, node)


def _in_time(steps: list[Step]) -> list[Step]:
    """The operations in nearly the same order, none before what it needs is there while others can go on."""
    made = {step[0] for step in steps}
    ready = {a: 0.0 for _, _, args in steps for a in args if a not in made}  # when a value is there
    done: list[Step] = []
    source = iter(steps)
    waiting = list(islice(source, WINDOW))
    time = 0.0
    while waiting:
        k = _first_ready(waiting, ready, time)
        node, op, args = step = waiting.pop(k)
        if k == 0:
            time = max(time, *(ready[a] for a in args))
        ready[node] = time + LATENCY.get(op, USUAL_LATENCY)
        time += PACE
        done.append(step)
        waiting += islice(source, 1)
    return done


def _first_ready(waiting: list[Step], ready: Mapping[Node, float], time: float) -> int:
    """Which operation can begin at a time; the first one if none can."""
    for k, (_, _, args) in enumerate(waiting):
        for a in args:
            if ready.get(a, inf) > time:
                break
        else:
            return k
    return 0
