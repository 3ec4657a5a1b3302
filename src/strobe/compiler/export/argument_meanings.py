"""What a function computes and what every number of its arguments is, in words: each with its index and its unit.

Words are ASCII, for comments of C, and indices are those of C: ``d tau[i] / d q[j]``. Where a robot has joints of
several numbers, changes of q are meant along its degrees of freedom, as those of qd are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from strobe.compiler.export import units
from strobe.compiler.export.units import ONE, M, S, Unit, in_runs, of_entries
from strobe.models.bases import FLOATS, mobility
from strobe.models.joints import KINDS
from strobe.models.loops import conditions
from strobe.quantities import Request
from strobe.quantities.catalogue import STATES
from strobe.quantities.drives import DRIVE

if TYPE_CHECKING:
    from strobe.models.couplings import Coordinates
    from strobe.models.joints import Joint
    from strobe.robot import Robot

LONGEST_NAME = 40
LONGEST_SOURCE = 300


def does(robot: Robot, request: Request) -> list[str]:
    """What a quantity is: a clause, and for torques the terms."""
    if request.quantity != "inverse_dynamics" or robot.model.is_closed:
        return [request.record.does]
    terms = ["M(q) qdd", "C(q, qd) qd", "g(q)", *(["friction(qd)"] if request.friction else [])]
    pushed = "".join(" - J^T wrench" for _ in request.loaded[:1])
    return [request.record.does, f"tau = {' + '.join(terms)}{pushed}"]


def meanings(robot: Robot, request: Request) -> dict[str, str]:
    """Of every input, and of "out", in lines."""
    told = Told(robot, request)
    return {name: told.input(name) for name in request.inputs(robot.model)} | {
        "out": "\n".join(RESULTS.get(request.quantity, _entries)(told))
    }


def short(name: str, longest: int = LONGEST_NAME) -> str:
    """A name that a comment can hold."""
    return name if len(name) <= longest else f"{name[: longest - 3]}..."


# -- the robot ----------------------------------------------------------------------------------------


def about_robot(robot: Robot) -> list[str]:
    """The robot, its source, its joints in the order of their numbers, and the axes that quantities are told in."""
    x, model = robot.coordinates, robot.model
    g = ", ".join(f"{float(part):g}" for part in model.gravity.linear)  # pyright: ignore[reportArgumentType]
    lines = [f"Robot: {short(robot.name)}, {x.nq} positions (nq), {x.nv} degrees of freedom (nv)"]
    lines += [f"Source: {short(model.source, LONGEST_SOURCE)}"] if model.source else []
    lines += ["", *joint_lines(x), ""]
    following = [joint.name for joint in model.joints if joint.name not in {j.name for j in x.joints}]
    if following:
        lines += [f"Joints that follow these, and have no numbers of their own: {_listed(following)}"]
    if model.is_closed and model.actuated:
        lines += [f"Closed chains are driven by: {_listed(model.actuated)}"]
    world = "the world that the robot floats in" if mobility(model)[0] == FLOATS else "the fixed base"
    return [*lines, f"Base axes are those of {world}; gravity there is ({g}) m/s^2."]


def joint_lines(x: Coordinates) -> list[str]:
    """A line for every joint: where its numbers are in the vectors, and in which units."""
    rows = [HEADINGS, *map(_joint_row, x.joints)]
    widths = [max(len(row[k]) for row in rows) for k in range(3)]
    lines = [
        "  ".join([*(f"{text:<{width}}" for text, width in zip(row, widths, strict=False)), row[3]])
        for row in rows
    ]
    kinds = {joint.kind for joint in x.joints}
    told = (kind.convention for name, kind in KINDS.items() if name in kinds and kind.convention)
    return [*lines, *(line for words in told for line in ("", words))]


def _joint_row(joint: Joint) -> tuple[str, str, str, str]:
    q, v = (f"[{first}..{first + size - 1}]" if size > 1 else f"[{first}]"
            for first, size in ((joint.q, joint.nq), (joint.v, joint.nv)))  # fmt: skip
    return q, v, short(joint.name), f"{joint.kind}: {joint.record.units}"


HEADINGS = ("q", "qd, qdd, tau", "joint", "kind: unit of q; of qd, qdd, tau")


def _listed(names: Sequence[str]) -> str:
    return ", ".join(map(short, names))


def numbered(names: Sequence[str]) -> str:
    """Names with their numbers: 0 base, 1 link1."""
    return ", ".join(f"{k} {short(name)}" for k, name in enumerate(names))


# -- arguments ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Told:
    """A request of a robot, to be put into words."""

    robot: Robot
    request: Request

    @property
    def x(self) -> Coordinates:
        return self.robot.coordinates

    @property
    def n(self) -> int:
        return self.x.nv

    @cached_property
    def step(self) -> list[Unit]:
        return units.steps(self.x)

    @cached_property
    def per_step(self) -> list[Unit]:
        return [ONE / step for step in self.step]

    @cached_property
    def effort(self) -> list[Unit]:
        return units.efforts(self.x)

    @property
    def frame(self) -> str:
        return short(self.robot.named_frame(self.request.frame))

    @property
    def twist(self) -> tuple[str, str]:
        """What the linear and the angular numbers of a frame's motion are, in its reference."""
        linear, axes = TWISTS[self.request.reference]
        return linear.format(frame=self.frame), axes.format(frame=self.frame)

    def along(self, j: str = "j") -> list[str]:
        """What a derivative by q is where q has more numbers than there are degrees of freedom."""
        if self.x.is_additive:
            return []
        return [f"d q[{j}] is a step along degree of freedom {j}: the way q moves while qd[{j}] is 1"]

    def per(self, seconds: int) -> list[Unit]:
        """Steps, rates or accelerations."""
        return [Unit(step.kg, step.m, step.s - seconds, step.rad) for step in self.step]

    def units(self, axis: str) -> list[Unit]:
        """The factors along an axis of a result, as the record of a quantity names them."""
        known = {"effort": self.effort, "rate": self.per(1), "acceleration": self.per(2)}
        return known[axis] if axis in known else [ONE / unit for unit in known[axis.removeprefix("per ")]]

    def told(self, what: str, unit: str) -> str:
        """What a vector is, with the unit of each number where a record names one."""
        if not unit:
            return what.format(frame=self.frame) if "{frame}" in what else what
        return self.vector(what, units.positions(self.x) if unit == "position" else self.units(unit))

    def vector(self, what: str, found: Sequence[object]) -> str:
        return f"{what}: {in_runs(found)}"

    def input(self, name: str) -> str:
        """An argument that is read."""
        if name.startswith("wrench "):
            frame = short(name.removeprefix("wrench "))
            return (
                f"what acts on the robot at the origin of {frame}, base axes: "
                f"{in_runs(['force, N'] * 3 + ['moment, N m'] * 3)}"
            )
        if name in INPUTS:
            return INPUTS[name](self)
        return self.told(STATES[name].entries, STATES[name].units)


def _x(told: Told) -> str:
    driven = {joint.name for joint in told.x.joints} & set(told.request.accelerated)
    dofs = [joint.name in driven for joint in told.x.joints for _ in range(joint.nv)]
    found = [
        f"acceleration, {step / S / S}"
        if given
        else f"force, {effort}"
        if step == M
        else f"torque, {effort}"
        for given, step, effort in zip(dofs, told.step, told.effort, strict=True)
    ]
    return f"what is given of every joint: {in_runs(found)}"


def _v(told: Told) -> str:
    """Of velocities, and of accelerations in the one quantity that takes them under this name."""
    if told.request.quantity == "closed_accelerations":
        return told.vector("joint accelerations wanted", told.per(2))
    return told.told(STATES["v"].entries, STATES["v"].units)


# what is no state, or is another in every request
INPUTS: dict[str, Callable[[Told], str]] = {
    "v": _v,
    "x": _x,
    "gravity": lambda told: "acceleration of gravity x y z, m/s^2, base axes, in place of the robot's own",
    "parameters": lambda told: "inertial parameters, ten for every body",
    "geometry": lambda told: "numbers that place the joints",
}


# -- results ------------------------------------------------------------------------------------------

PLACEMENT = (
    "with i, j = 0..2: the rotation, which turns vectors from the axes of the frame to base axes",
    "with i = 0..2, j = 3: the position x y z of its origin, m;  with i = 3: 0 0 0 1",
)


def _entries(told: Told) -> list[str]:
    """Numbers as the record of their quantity has them: lines, a vector, or a matrix row by row."""
    record = told.request.record
    if isinstance(record.entries, tuple):
        return list(record.entries)
    if len(record.units) == 1:
        return [told.told(record.entries, *record.units)]
    factors = [told.units(axis) for axis in record.units]
    entry = f"out[{len(factors[1])} i + j] = {record.entries}[i][j]"
    return of_entries(entry, dict(zip("ij", factors, strict=True)))


def _driving(told: Told) -> list[str]:
    model = told.robot.model
    if not model.is_closed:
        return _entries(told)
    driving = told.request.actuated or model.actuated or told.robot.joint_names
    return [*_entries(told), f"Closed chains carry the rest: tau is 0 but for {_listed(driving)}"]


def _derivatives(told: Told) -> list[str]:
    n, tau = told.n, told.effort
    slopes = [("q", 0), ("qd", 1), ("qdd", 2)]
    return [
        *_blocks(n, [("tau", name, tau, [ONE / u for u in told.per(order)]) for name, order in slopes], "M[i][j]"),
        *told.along(),
    ]  # fmt: skip


def _forward_derivatives(told: Told) -> list[str]:
    qdd = told.per(2)
    changed = [("q", told.step), ("qd", told.per(1)), ("tau", told.effort)]
    blocks = [("qdd", name, qdd, [ONE / unit for unit in by]) for name, by in changed]
    return [*_blocks(told.n, blocks, "M^-1[i][j]"), *told.along()]


def _blocks(
    n: int, blocks: Sequence[tuple[str, str, Sequence[Unit], Sequence[Unit]]], last: str
) -> list[str]:
    """Three square matrices of derivatives, one behind the other."""
    lines: list[str] = []
    for k, (of, by, rows, columns) in enumerate(blocks):
        start = f"{k * n * n} + " if k else ""
        also = f" = {last}" if k == len(blocks) - 1 else ""
        entry = f"out[{start}{n} i + j] = d {of}[i] / d {by}[j]{also}"
        lines += of_entries(entry, {"i": rows, "j": columns})
    return lines


def _frame_rows(rows: Sequence[Unit], words: str, seconds: int = 0) -> Callable[[Told], list[str]]:
    """A matrix that takes rates to a motion, a row for each of its numbers."""

    def told_of(told: Told) -> list[str]:
        over = Unit(s=-seconds)
        entries = of_entries(
            f"out[{told.n} i + j]", {"i": [row * over for row in rows], "j": told.per_step}
        )
        return [words.format(frame=told.frame if "{frame}" in words else ""), *entries]

    return told_of


def _twist_matrix(seconds: int = 0) -> Callable[[Told], list[str]]:
    """J or its rate, in the reference that is asked for."""

    def told_of(told: Told) -> list[str]:
        linear, axes = told.twist
        words = f"Rows i = 0..2: linear velocity of {linear}, rows i = 3..5: angular velocity, {axes}"
        return _frame_rows(units.TWIST, words.replace("{", "{{").replace("}", "}}"), seconds)(told)

    return told_of


def _twist(seconds: int) -> Callable[[Told], list[str]]:
    """A velocity or its rate, in the reference that is asked for."""

    def told_of(told: Told) -> list[str]:
        linear, axes = told.twist
        of = "the rate of the " if seconds > 1 else ""
        turning, moving = Unit(s=-seconds, rad=1), Unit(m=1, s=-seconds)
        words = [f"{of}linear velocity of {linear}, {moving}"] * 3 + [
            f"{of}angular velocity, {turning}"
        ] * 3
        return [f"{axes}: {in_runs(words)}"]

    return told_of


def _jacobian_derivative(told: Told) -> list[str]:
    n = told.n
    entry = f"out[{n * n} i + {n} j + k] = d J[i][j] / d q[k]"
    axes = {"i": units.TWIST, "j": told.per_step, "k": told.per_step}
    return [TWIST_ROWS.format(frame=told.frame), *of_entries(entry, axes), *told.along("k")]


TWISTS = {  # whose velocity, in which axes
    "aligned": ("the origin of {frame}", "base axes"),
    "local": ("the origin of {frame}", "in the axes of {frame}"),
    "world": ("the point of {frame} that is passing the origin of the base", "base axes"),
}
TWIST_ROWS = "Rows i = 0..2: linear velocity of the origin of {frame}, rows i = 3..5: its angular velocity, base axes"
POINT_ROWS = "Rows: the velocity x y z of the point, base axes"
MOMENTUM_ROWS = (
    "Rows i = 0..2: linear momentum, rows i = 3..5: angular momentum about the centre of mass, base axes"
)
MOMENTUM = [unit * S for unit in units.MOMENTUM]  # per rate, of which the seconds are taken away
PARTS = (
    "k = 0: its mass, kg;  k = 1..3: mass times centre of mass, kg m;  k = 4..9: Ixx Iyy Izz Ixy Ixz Iyz, kg m^2, "
    "entries of its inertia matrix about the origin of the body, in its axes"
)


def _regressor(row: str, rows: Sequence[str]) -> Callable[[Told], list[str]]:
    def told_of(told: Told) -> list[str]:
        bodies = [body.name for body in told.robot.model.bodies]
        width = 10 * len(bodies) + (len(DRIVE) * told.robot.model.nv if told.request.drives else 0)
        found = rows or [f"{effort}" for effort in told.effort]
        return [
            f"out[{width} i + 10 b + k] = {row} per unit of parameter k of body b",
            f"{row} is in: {in_runs(found)}; the unit of an entry is that over the unit of its parameter",
            PARTS,
            f"Bodies b: {numbered(bodies)}",
        ]

    return told_of


def _momenta(told: Told) -> list[str]:
    found = [str(effort * S) for effort in told.effort]
    return _regressor("(M qd)[i]", found)(told)


def _hybrid(told: Told) -> list[str]:
    n = told.n
    return [
        f"out[i] = tau[i]: {in_runs(told.effort)}",
        f"out[{n} + i] = qdd[i]: {in_runs(told.per(2))}",
    ]


def _placement(told: Told) -> list[str]:
    return [f"out[4 i + j] of the frame {told.frame}", *PLACEMENT]


def _placements(told: Told) -> list[str]:
    frames = [frame.name for frame in told.robot.model.frames]
    return ["out[16 f + 4 i + j] of frame f", *PLACEMENT, f"Frames f: {numbered(frames)}"]


def _wrenches(told: Told) -> list[str]:
    bodies = [f"{body.name} (by {body.joint.name})" for body in told.robot.model.bodies]
    return [
        "out[6 b + k] on body b at the origin of the moved frame of its joint, base axes",
        "with k = 0..2: force x y z, N;  with k = 3..5: moment x y z, N m",
        f"Bodies b: {numbered(bodies)}",
    ]


def _conditions(seconds: int) -> Callable[[Told], list[str]]:
    def told_of(told: Told) -> list[str]:
        return [
            in_runs([unit * Unit(s=-seconds) for unit in _of_conditions(told)]),
            _named_conditions(told),
        ]

    return told_of


def _loop_jacobian(told: Told) -> list[str]:
    entry = f"out[{told.n} r + j] = K[r][j]"
    axes = {"r": _of_conditions(told), "j": told.per_step}
    return [*of_entries(entry, axes), _named_conditions(told)]


def _of_conditions(told: Told) -> list[Unit]:
    """Metres, or none of sines of angles; a curve has the unit of the joint that it leads."""
    model = told.robot.model
    curves = {curve.name: units.step_of(model.joint(curve.joint)) for curve in model.curves}
    return [
        curves[name] if word == "curve" else ONE if word.startswith("turn") else M
        for name, word in conditions(model)
    ]


def _named_conditions(told: Told) -> str:
    return f"Conditions: {numbered([f'{name} {word}' for name, word in conditions(told.robot.model)])}"


def _facing(told: Told) -> list[str]:
    loops = [loop.name for loop in told.robot.model.loops if not loop.held]
    return [f"Loops: {numbered(loops)}"]


# results whose words are made of the robot
RESULTS: dict[str, Callable[[Told], list[str]]] = {
    "inverse_dynamics": _driving,
    "inverse_dynamics_derivatives": _derivatives,
    "forward_dynamics_derivatives": _forward_derivatives,
    "centroidal_momentum_matrix": _frame_rows(MOMENTUM, MOMENTUM_ROWS),
    "centroidal_momentum_matrix_dot": _frame_rows(MOMENTUM, MOMENTUM_ROWS, 1),
    "joint_wrenches": _wrenches,
    "regressor": _regressor("tau[i]", ()),
    "momentum_regressor": _momenta,
    "energy_regressor": _regressor("energy[i]", ("kinetic, J", "potential, J")),
    "hybrid_dynamics": _hybrid,
    "forward_kinematics": _placement,
    "frame_placements": _placements,
    "frame_velocity": _twist(1),
    "frame_acceleration": _twist(2),
    "jacobian": _twist_matrix(),
    "point_jacobian": _frame_rows([M] * 3, POINT_ROWS),
    "jacobian_dot": _twist_matrix(1),
    "jacobian_derivative": _jacobian_derivative,
    "loop_residuals": _conditions(0),
    "loop_facing": _facing,
    "loop_jacobian": _loop_jacobian,
    "loop_bias": _conditions(2),
}  # fmt: skip
