"""A controller as portable C99: one header, one source, a state that the caller owns.

    controller_start(&state, q, qd);                        once, for an arm in this state
    controller_step(&state, &reference, tau);               every period, with new readings in the state

A step is programs in turn, sensing and control, in one function; what lives on from period to period lies in the
state. Operations are those of compiled code on a processor that fuses, one by one (`c`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from strobe.compiler.codegen.c import UNKNOWN, Origin, Statements, block_comment, guarded, number, preamble
from strobe.compiler.codegen.names import Names, remark
from strobe.compiler.graph.program import Program


@dataclass(frozen=True)
class Member:
    """A vector of a struct, and what it holds."""

    name: str  # an identifier
    size: int
    meaning: str = ""
    first: Sequence[float] = ()  # numbers that are given to it at the start; none are zeros

    def places(self, of: str) -> list[str]:
        """Each of its numbers."""
        return [f"{of}{self.name}[{k}]" for k in range(self.size)]


@dataclass(frozen=True)
class Stage:
    """A fused program, where each number of its inputs is read, and where its outputs go."""

    program: Program
    places: Mapping[str, str]  # "q[3]" of the program, in C; or the name of an earlier output
    outputs: Sequence[str]  # places in C, or names for later stages


@dataclass(frozen=True)
class CController:
    """What is generated."""

    name: str  # an identifier: of files, types and functions
    about: tuple[str, ...]
    readings: tuple[Member, ...]  # written by the caller before every step
    gains: tuple[Member, ...]
    sensing: tuple[Member, ...]  # memory that turns readings into what is told
    memory: tuple[Member, ...]  # of the control law
    reference: tuple[Member, ...]
    start: tuple[Member, ...]  # the arguments of the start
    torques: int
    operations: tuple[int, int]  # multiplications and additions of a step
    beginning: tuple[Stage, ...]
    stages: tuple[Stage, ...]
    origin: Origin = UNKNOWN

    @property
    def kept(self) -> tuple[Member, ...]:
        """All memory."""
        return self.sensing + self.memory

    @property
    def start_declaration(self) -> str:
        given = "".join(f", const double {m.name}[{m.size}]" for m in self.start)
        return f"void {self.name}_start({self.name}_state *state{given})"

    @property
    def step_declaration(self) -> str:
        n = self.name
        return (
            f"void {n}_step({n}_state *state, const {n}_reference *reference, double tau[{self.torques}])"
        )


def header(controller: CController) -> str:
    """The .h file, for C and C++."""
    name = controller.name
    told = {
        "readings: write them before every step": controller.readings,
        "gains: as designed from the start on; may be changed between steps": controller.gains,
        "memory of what is made of readings: leave it alone": controller.sensing,
        "memory of the control law: leave it alone": controller.memory,
    }
    origin = ["", *controller.origin.lines] if controller.origin.lines else []
    about = [*controller.about, *origin, "", *(line.format(name=name) for line in PROMISES)]
    body = [
        *controller.origin.macros(name),
        *_struct(f"{name}_state", told),
        "",
        *_struct(f"{name}_reference", {"what is wanted at this moment": controller.reference}),
        "",
        f"{controller.start_declaration};",
        f"{controller.step_declaration};",
    ]
    return guarded(name, about, body)


def source(controller: CController) -> str:
    """The .c file."""
    needed: dict[str, str] = {}
    arguments = ["reference", "tau"], [m.name for m in controller.start]
    names = Names()  # one for both functions: what is needed before them has names of the whole file
    for word in ("state", "designed", *arguments[0], *arguments[1]):
        names.new(word)
    step = _statements(controller.stages, arguments[0], names, needed)
    start = _statements(controller.beginning, arguments[1], names, needed)
    count = "{} multiplications, {} additions a step".format(*controller.operations)
    lines = [
        *block_comment([*controller.about[:1], count, *controller.origin.made]),
        f'#include "{controller.name}.h"',
        "",
        *preamble(fused=True),
        *needed.values(),
        controller.start_declaration,
        "{",
        *_designed(controller),
        *(f"    {line}" for line in start),
        "}",
        "",
        controller.step_declaration,
        "{",
        *(f"    {line}" for line in step),
        "}",
    ]
    return "\n".join(lines) + "\n"


def _struct(name: str, groups: Mapping[str, Sequence[Member]]) -> list[str]:
    """A type, its members under the words that they have in common."""
    lines: list[str] = []
    for words, members in groups.items():
        lines += [f"    /* {remark(words)} */"] if members else []
        for m in members:
            told = f" /* {remark(m.meaning)} */" if m.meaning else ""
            lines.append(f"    double {m.name}[{m.size}];{told}")
    return ["typedef struct {", *lines, f"}} {name};"]


def _designed(controller: CController) -> list[str]:
    """The state before anything is known: gains as designed, all else zero."""
    given = [
        f"        .{m.name} = {{{', '.join(number(float(x)) for x in m.first)}}}," for m in controller.gains
    ]
    zero = f"        .{controller.readings[0].name} = {{0.0}},"
    return [
        f"    static const {controller.name}_state designed = {{",
        *(given or [zero]),
        "    };",
        "    *state = designed;",
    ]


def _statements(
    stages: Sequence[Stage], arguments: Sequence[str], names: Names, needed: dict[str, str]
) -> list[str]:
    """The programs in turn; everything is read before the first result is written."""
    lines: list[str] = []
    known: dict[str, str] = {}
    writes: list[str] = []
    for stage in stages:
        places = {number: known.get(place, place) for number, place in stage.places.items()}
        body = Statements(stage.program, places, names, needed, fused=True)
        lines += body.lines
        for place, value in zip(stage.outputs, body.results(), strict=True):
            known[place] = value
            if "[" in place:
                writes.append(f"{place} = {value};")
    read = " ".join([*lines, *writes])
    unused = [f"(void){name};" for name in arguments if f"{name}[" not in read and f"{name}->" not in read]
    return [*unused, *lines, *writes]


PROMISES = (
    "Write what sensors say into the state and what is wanted into the reference, then call {name}_step "
    "once every period. Units are SI, angles radians. Nothing is allocated, all that is kept lies in the state.",
    "Built with -ffp-contract=off it gives the bits that the simulator gave.",
)
