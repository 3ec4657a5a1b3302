"""What a formulation costs: its operations, counted by running it on numbers that count.

Four ways to count one run of inverse dynamics:

    dense      as the equations are written, for a robot without zeros: the papers' bookkeeping, in which a
               link's placement is free and everything else is charged; of the robot only the zeros of a joint
               axis that is an axis of its link's frame are seen
    folded     for this robot: products with its zeros and ones and sums with its zeros cost nothing
    graph      folded, and what occurs twice is computed once, what no torque needs never
    optimised  the graph after every pass of the compiler

For general arms of standard DH the counts are polynomials in the number of joints n, fitted exactly.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from strobe.algebra import Motion, Pose, Shift, Sym3, Turn, Vec3
from strobe.analysis.polynomials import Polynomial, fit
from strobe.analysis.schedule import DataFlow
from strobe.compiler.graph import passes
from strobe.compiler.graph.program import Program
from strobe.compiler.runtime.kernels import Kernel
from strobe.formulations import Formulation
from strobe.models.inertial import Inertial
from strobe.models.joints import REVOLUTE, Joint
from strobe.models.model import Body, Model
from strobe.quantities import Request
from strobe.scalars import DenseCount, FoldedCount, Graph, Num, System

LENGTHS = range(2, 9)  # joints of the general arms that are counted: enough for degree 4 and a check
IRREGULAR = 1  # of the shortest arms may be exceptions: what the base at rest saves reaches the second link
DOWN = Vec3(0.0, 0.0, -9.81)


@dataclass(frozen=True, slots=True)
class Operations:
    """How many operations of each kind; a negation is none."""

    multiplications: int
    additions: int
    divisions: int
    sines: int
    cosines: int

    @classmethod
    def of(cls, tally: Mapping[str, int]) -> Operations:
        """From counts by the names that numbers give their operations."""
        sums = tally.get("add", 0) + tally.get("sub", 0)
        return cls(tally.get("mul", 0), sums, *(tally.get(op, 0) for op in ("div", "sin", "cos")))

    @classmethod
    def in_program(cls, program: Program) -> Operations:
        """Those of a program after its passes."""
        rest = (program.counts[op] for op in ("div", "sin", "cos"))
        return cls(program.multiplications, program.additions, *rest)


@dataclass(frozen=True, slots=True)
class Cost:
    """What one formulation costs on one robot."""

    dense: Operations
    folded: Operations
    graph: Operations
    optimised: Operations
    nodes: int  # of the traced graph: inputs, constants, negations and unused values included
    flow: DataFlow


def cost(method: Formulation, model: Model) -> Cost:
    """The operations of one formulation on one robot, and the data flow of its graph."""
    graph = Graph()
    torques = run(method, model, graph)
    flow = DataFlow.of(torques)
    given = {op: graph.counts()[op] for op in ("sin", "cos")}
    return Cost(
        dense=dense(method, model),
        folded=_counted(method, model, FoldedCount()),
        graph=Operations.of(Counter(flow.kinds) + Counter(given)),
        optimised=Operations.in_program(optimised(graph, torques)),
        nodes=len(graph.nodes),
        flow=flow,
    )


def optimised(graph: Graph, torques: Sequence[Num]) -> Program:
    """Traced torques after every pass."""
    outputs = tuple(graph.lower(torque) for torque in torques)
    return passes.optimised(Program((), outputs, (len(outputs),)))


def compiled(model: Model) -> Operations:
    """What a call costs where no formulation is asked for: inertias regrouped, rotors and couplings added."""
    return Operations.in_program(Kernel(model, Request("inverse_dynamics", friction=False)).program)


def dense(method: Formulation, model: Model) -> Operations:
    """The operations as written."""
    return written(method.inverse_dynamics, model)


def written(run: Callable[..., list[Num]], model: Model) -> Operations:
    """The operations as written of any function of a model and its motion."""
    counter = DenseCount()
    lifted = model.lift(counter)
    run(lifted, *lifted.variables())
    return Operations.of(counter.tally)


def run(method: Formulation, model: Model, system: System) -> list[Num]:
    """Inverse dynamics on fresh inputs of a number system."""
    lifted = model.lift(system)
    return method.inverse_dynamics(lifted, *lifted.variables())


def _counted(method: Formulation, model: Model, counter: FoldedCount) -> Operations:
    run(method, model, counter)
    return Operations.of(counter.tally)


@dataclass(frozen=True, slots=True)
class Growth:
    """One count of general arms as a polynomial in n, true of every length counted from ``start`` joints on."""

    polynomial: Polynomial
    start: int


COUNTS: Mapping[str, Callable[[Cost], int]] = {
    "dense multiplications": lambda c: c.dense.multiplications,
    "dense additions": lambda c: c.dense.additions,
    "folded multiplications": lambda c: c.folded.multiplications,
    "folded additions": lambda c: c.folded.additions,
    "path": lambda c: c.flow.path,
}
"""What grows with the number of joints."""


def growth(method: Formulation, lengths: Sequence[int] = LENGTHS) -> dict[str, Growth | None]:
    """Each of `COUNTS` on general arms as a polynomial; None where no polynomial goes through them."""
    costs = {n: cost(method, general_arm(n)) for n in lengths}
    return {name: fitted({n: count(c) for n, c in costs.items()}) for name, count in COUNTS.items()}


def fitted(counts: Mapping[int, int]) -> Growth | None:
    """The polynomial through all counts by length, or through all but those of the shortest arms."""
    for skipped in range(IRREGULAR + 1):
        regular = dict(sorted(counts.items())[skipped:])
        polynomial = fit(regular)
        if polynomial is not None:
            return Growth(polynomial, min(regular))
    return None


@lru_cache
def general_arm(n: int) -> Model:
    """A revolute arm of standard DH in which every length, twist and inertial parameter counts."""
    return Model(f"general-{n}R", tuple(map(_general_link, range(n))), gravity=Motion(Vec3.zero(), DOWN))


def _general_link(i: int) -> Body:
    """Values that are nothing special: no zeros, no ones, no two equal."""
    after = Pose((Shift(Vec3(0.0, 0.0, 0.11)), Shift(Vec3(0.31, 0.0, 0.0)), Turn.by(0, 0.41)))
    inertia = Sym3(0.52, 0.63, 0.74, 0.05, 0.06, 0.07)
    inertial = Inertial.at_com(1.7, Vec3(0.13, 0.22, 0.34), inertia)
    joint = Joint(f"joint{i + 1}", REVOLUTE.name, q=i, v=i)
    return Body(i, f"link{i + 1}", i - 1, joint, Pose(), after, inertial)
