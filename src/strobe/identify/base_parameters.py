"""Base parameters: the combinations of inertial parameters that torques depend on, and no others.

Torques are Y π, and columns of Y may be zero or depend on each other at every state. Then

    Y π = Y_b π_b        Y_b = Y P: the columns that depend on none before them      π_b = B π

A parameter whose column depends on others is added to those with the factors of that dependence; one whose
column is zero cannot be felt. Columns are taken body by body from the base, inertias before first moments before
the mass: what a joint cannot feel of its own body is added to a body before it, as regrouping does [Khalil1987].

Numbers: Y is stacked over random states, and a column is independent where orthogonalisation leaves more of it than
rounding. Symbols: the relations of regrouping, over names instead of numbers. They hold for every length and angle; a
robot may have more of its own (joints that follow others, two prismatic joints in line), which the numbers know.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from strobe.compiler.runtime.arrays import REASONS, batch_shape, checked
from strobe.errors import ArgumentError, UnsupportedModelError, counted, shown
from strobe.models.arguments import require_truth, require_whole
from strobe.models.model import ROOT, Model
from strobe.models.parameters import (
    PER_BODY,
    geometry_names,
    inertial,
    inertial_names,
    inertial_numbers,
    with_geometry,
    with_inertial,
)
from strobe.models.regroup import regrouped, split
from strobe.robot import Robot, require_robot
from strobe.show.sheet import Sheet, Table, displayed

Array = np.ndarray
DEPENDENT = 1e-8  # of a column: what rounding leaves of one that depends on others
NOTHING = 1e-9  # of the largest factor of a dependence: below this it is rounding
ROWS_PER_COLUMN = 4  # of the stacked regressor
PREFERRED = (*range(4, 10), *range(1, 4), 0)  # of a body: inertias stay, the mass is added to them


@displayed
@dataclass(frozen=True, eq=False)
class BaseParameters:
    """The base parameters of a robot: their map B, and the columns of the regressor that stay."""

    robot: Robot
    drives: bool  # whether the parameters of drives are among those combined
    kept: tuple[int, ...]  # columns of the regressor, which is P
    map: Array  # B (count, parameters): π_b = B π

    @property
    def count(self) -> int:
        return len(self.kept)

    @cached_property
    def parameter_names(self) -> tuple[str, ...]:
        """The parameters that are combined."""
        return self.robot.parameter_names + (self.robot.drive_names if self.drives else ())

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Every base parameter as a combination: Izz1 + Iyy2 + 0.1864 m3."""
        rows = zip(self.map, self.kept, strict=True)
        return tuple(combination(row, self.parameter_names, own) for row, own in rows)

    @cached_property
    def unfelt(self) -> tuple[str, ...]:
        """The parameters that no torque depends on."""
        columns = zip(self.parameter_names, self.map.T, strict=True)
        return tuple(name for name, column in columns if not column.any())

    @cached_property
    def values(self) -> Array:
        """B π of the robot's own parameters."""
        return self.of(self.robot.parameters, self.robot.drive_parameters)

    def of(self, parameters: Any, drives: Any = ()) -> Array:
        """The base parameters (..., count) of inertial parameters (..., 10 · bodies), and of drives where asked."""
        sizes = len(self.robot.parameters), len(self.robot.drive_parameters)
        own = checked("parameters", parameters, sizes[:1], REASONS["parameters"])
        if self.drives:
            why = "it holds four numbers for every degree of freedom, as robot.drive_names"
            parts = {"parameters": own, "drives": checked("drives", drives, sizes[1:], why)}
            batch = batch_shape(parts)
            own = np.concatenate(
                [np.broadcast_to(x, (*batch, x.shape[-1])) for x in parts.values()], axis=-1
            )
        return own @ self.map.T

    def regressor(self, q: Any, qd: Any, qdd: Any, **keywords: Any) -> Array:
        """Y_b (..., n, count): Y_b @ `values` are the torques; keywords as in `Robot.regressor`."""
        return self.robot.regressor(q, qd, qdd, drives=self.drives, **keywords)[..., list(self.kept)]

    @cached_property
    def symbols(self) -> Mapping[str, Any]:
        """Base parameters as SymPy expressions over the sums of `relations`, by what is left of which parameter.

        They are about joint frames, as regrouping leaves them, and without drives.
        """
        return _symbols(self)

    @cached_property
    def relations(self) -> Mapping[str, Any]:
        """The sums that regrouping makes, from body to body, as SymPy expressions; see `relations_of`."""
        return relations_of(self.robot.model)

    def expanded(self, expression: Any) -> Any:
        """An expression with every sum written out, down to `Robot.parameter_names` and `Robot.geometry_names`."""
        if not hasattr(expression, "free_symbols") or not hasattr(expression, "subs"):
            raise ArgumentError(f"expression is {shown(expression)}; expected one of SymPy.")
        names = {symbol: symbol.name for symbol in expression.free_symbols}
        known = {symbol: self.relations[name] for symbol, name in names.items() if name in self.relations}
        return self.expanded(expression.subs(known).expand()) if known else expression

    def _sheet(self) -> Sheet:
        title = f"{self.robot.name}: {self.count} base parameters of {len(self.parameter_names)}"
        rows = [[float(value), name] for value, name in zip(self.values, self.names, strict=True)]
        return Sheet(title, [Table(["value (kg, kg m, kg m²)", "what is felt"], rows)])


def base_parameters(robot: Robot, drives: bool = False, seed: int = 0) -> BaseParameters:
    """The base parameters of a robot, by its regressor at random states; ``drives`` adds those of its drives."""
    require_robot(robot)
    require_truth("drives", drives)
    require_whole("seed", seed, 0)
    if robot.model.is_closed:
        raise UnsupportedModelError(
            f"{robot.name} has closed chains: what their torques depend on is not what those of the open tree do. "
            "Take the tree without its loops."
        )
    W = _stacked(robot, drives, seed)
    bodies = [PER_BODY * body.index + k for body in robot.model.bodies for k in PREFERRED]
    kept, B = dependencies(W, [*bodies, *range(len(bodies), W.shape[1])])
    return BaseParameters(robot, drives, kept, B)


def _stacked(robot: Robot, drives: bool, seed: int) -> Array:
    """Regressors at random states, one below the other: several rows for every column."""
    rng = np.random.default_rng(seed)
    columns = len(robot.parameters) + (len(robot.drive_parameters) if drives else 0)
    states = ROWS_PER_COLUMN * (1 + columns // max(robot.n, 1))
    turns, qd, qdd = (rng.uniform(-np.pi, np.pi, (states, robot.n)) for _ in range(3))
    asked = Robot(robot.model, compiled=False)  # once: not worth a kernel
    q = asked.integrate(robot.neutral, turns)  # wherever the limits are
    return asked.regressor(q, qd, qdd, drives=drives).reshape(-1, columns)


def dependencies(
    W: Array, order: Sequence[int], dependent: float = DEPENDENT
) -> tuple[tuple[int, ...], Array]:
    """The columns that depend on none before them in an order, and B with W = W[:, kept] B.

    ``dependent`` is the part of a column that may be left of one that depends on others.
    """
    sizes = np.linalg.norm(W, axis=0)
    felt = np.flatnonzero(sizes > DEPENDENT * sizes.max(initial=0.0))
    kept, basis = list[int](), np.empty((len(W), 0))
    for k in (k for k in order if k in felt):
        left = W[:, k] / sizes[k]
        for _ in range(2):  # once is not enough where little is left
            left = left - basis @ (basis.T @ left)
        size = np.linalg.norm(left)
        if size > dependent:
            kept.append(k)
            basis = np.column_stack([basis, left / size])
    kept.sort()
    B = np.zeros((len(kept), W.shape[1]))
    scaled = W[:, kept] / sizes[kept]
    B[:, felt] = np.linalg.lstsq(scaled, W[:, felt], rcond=None)[0] / sizes[kept][:, None]
    B[:, kept] = np.eye(len(kept))
    return tuple(kept), _cleaned(B)


def _cleaned(B: Array) -> Array:
    """Without what rounding left of zeros and of whole numbers."""
    whole = np.round(B)
    near = np.abs(B - whole) <= NOTHING * max(np.abs(B).max(initial=0.0), 1.0)
    return np.where(near, whole, B) + 0.0


def combination(row: Array, names: Sequence[str], own: int) -> str:
    """A sum of parameters with their factors, the own one first."""
    order = [own, *(int(k) for k in np.flatnonzero(row) if k != own)]
    text = ""
    for k in order:
        size = "" if abs(row[k]) == 1 else f"{abs(row[k]):.6g} "
        sign = ("-" if row[k] < 0 else "") if not text else (" - " if row[k] < 0 else " + ")
        text += f"{sign}{size}{names[k]}"
    return text


# -- over names -----------------------------------------------------------------------------------------


def relations_of(model: Model) -> dict[str, Any]:
    """What belongs to every body once the bodies beyond it were regrouped, about its joint frame, over names.

    Izz1' is the inertia Izz of body 1 with what its children pass on; where they have a part in it, so have their
    own sums, such as Iyy2', and the numbers of `Robot.geometry_names`.
    """
    tree = _named(model).proximal()
    names, system = inertial_names(model), tree.system
    inertias = {body.index: body.inertia for body in tree.bodies}
    for body in reversed(tree.bodies):
        own = names[PER_BODY * body.index : PER_BODY * (body.index + 1)]
        whole = inertial([system.variable(f"{name}'") for name in own]).about_origin
        if body.parent != ROOT:
            moved = body.before.inertia(split(body.joint, whole)[1])
            inertias[body.parent] = inertias[body.parent] + moved
    numbers = [x for body in tree.bodies for x in inertias[body.index].parameters]
    return {f"{name}'": system.lower(x).expand() for name, x in zip(names, numbers, strict=True)}


def _symbols(found: BaseParameters) -> dict[str, Any]:
    """The regrouped parameters that torques depend on, over the sums of `relations_of`."""
    model = found.robot.model
    names, felt, count = inertial_names(model), _felt(found.robot), base_parameters(found.robot).count
    if len(felt) != count:
        raise UnsupportedModelError(
            f"{model.name} has relations beyond regrouping, which leaves {counted(len(felt), 'parameter')} where "
            f"{count} are independent: they hold for its own numbers, and `names` has them."
        )
    stays: list[Any] = []
    for body in _named(model).bodies:
        own = names[PER_BODY * body.index : PER_BODY * (body.index + 1)]
        whole = inertial([body.system.variable(f"{name}'") for name in own]).about_origin
        stays += [body.system.lower(x) for x in split(body.joint, whole)[0].parameters]
    return {names[k]: stays[k] for k in felt}


def _named(model: Model) -> Model:
    """The model with its inertial parameters and its geometry as names."""
    from strobe.scalars.symbol import SymbolSystem

    system = SymbolSystem()
    lifted = with_geometry(model.lift(system), [system.variable(name) for name in geometry_names(model)])
    return with_inertial(lifted, [system.variable(name) for name in inertial_names(model)])


def _felt(robot: Robot) -> list[int]:
    """The places of regrouped parameters, about joint frames, that are not zero and that some torque depends on."""
    drawn = np.random.default_rng(0).uniform(1, 2, len(robot.parameters)).tolist()
    model = regrouped(with_inertial(robot.model, drawn))
    sizes = np.linalg.norm(_stacked(Robot(model), drives=False, seed=0), axis=0)
    pairs = zip(inertial_numbers(model), sizes, strict=True)
    return [k for k, (left, size) in enumerate(pairs) if left and size > DEPENDENT * sizes.max()]
