"""An estimator held ready for a loop: least squares over all rows so far, in the same memory however many there were.

    held = robot.estimator(friction=["viscous", "coulomb"], forgetting=0.9999)
    held.step(q, qd, qdd, tau)          # one sample, or many: (n,) or (N, n)
    held.values, held.deviations

What is kept is a square root of the information: Givens' rotations turn every row into the triangle R of

    Σ λ^age |A x − y|² = |R x − z|²        R of each joint's own friction, then of what they share

A covariance is never formed, so nothing is lost where data are poor, and before any there is nothing to assume: it
is what batch least squares over the same rows gives. A joint's friction meets that of another in no row, which
leaves most of R zero and untouched. Compiled, a step is the robot's regressor and the rotations (`llvm_triangles`);
as C99 it has the same bits (`estimator_export`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from strobe.compiler.codegen.triangles import Triangles
from strobe.compiler.runtime.arrays import checked
from strobe.compiler.runtime.interpret import evaluate
from strobe.compiler.runtime.processor import declined, where_loops_run
from strobe.compiler.runtime.traced import trace
from strobe.compiler.runtime.triangles import Turning
from strobe.errors import ArgumentError, ShapeError, UnsupportedModelError, counted, shown
from strobe.identify.base_parameters import base_parameters
from strobe.identify.friction import chosen
from strobe.identify.identification import Identification
from strobe.identify.least_squares import Solution, least_squares
from strobe.identify.payload_readings import owners
from strobe.identify.state_rows import StateRows
from strobe.identify.torque_rows import TorqueModel
from strobe.models.arguments import finite_numbers, require_texts
from strobe.robot import Robot, require_robot
from strobe.show.sheet import Sheet, Table, displayed

if TYPE_CHECKING:
    from os import PathLike
    from pathlib import Path

Array = np.ndarray

FRICTION = ("viscous", "coulomb", "offset")
AT_ONCE = 512  # samples whose rows lie in memory together
COUPLED = 1e-6  # of a prior, between the friction of two joints: below this it is rounding
NOTHING = 1e-13  # of what a prior says of an unknown: below this it is rounding


@displayed
class OnlineEstimator:
    """Base parameters and friction from all samples so far; of one robot, for one thread at a time."""

    def __init__(self, rows: StateRows, noise_known: bool, forgetting: float, prior: Array | None) -> None:
        self._rows, self._noise_known, self._forgetting = rows, noise_known, forgetting
        self._prior = prior
        sizes, robot = rows.sizes, self.robot
        self._kernel = trace(rows.function(sizes.stride), **rows.inputs).to(where_loops_run(robot.device))
        self._turning = Turning(sizes, where_loops_run(robot.device), robot.compiled)
        plain = robot.compiled and robot.device.in_a_hurry
        self._quick = self._kernel.code.quick if plain else declined
        self._root = float(np.sqrt(forgetting))
        self._row = np.zeros((sizes.joints, sizes.stride))  # of one sample
        self._memory = np.zeros(sizes.size)
        self._turn = self._turning.prepared(self._row, self._memory, self._root)
        self.reset()

    def __getstate__(self) -> dict[str, Any]:
        given = self._rows, self._noise_known, self._forgetting, self._prior
        return {"given": given, "memory": self._memory, "samples": self.samples}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(*state["given"])
        self._memory[:], self.samples = state["memory"], state["samples"]

    @property
    def robot(self) -> Robot:
        return self._rows.model.base.robot

    @property
    def model(self) -> TorqueModel:
        """What torques are made of."""
        return self._rows.model

    @property
    def rows(self) -> StateRows:
        """The rows of a sample, over numbers."""
        return self._rows

    @property
    def forgetting(self) -> float:
        """What a row still weighs, squared, one step later."""
        return self._forgetting

    @property
    def root(self) -> float:
        """By which the triangle fades every step."""
        return self._root

    @property
    def noise_known(self) -> bool:
        """Whether deviations are of noise that was said; else they are taken from what is left over."""
        return self._noise_known

    @property
    def prior(self) -> Array | None:
        """The memory before any sample, where something was known."""
        return self._prior

    def fresh(self) -> OnlineEstimator:
        """The same before any sample."""
        return OnlineEstimator(self._rows, self._noise_known, self._forgetting, self._prior)

    @property
    def memory(self) -> Array:
        """All that is kept, as `strobe.compiler.codegen.triangles` lays it out; a copy."""
        return self._memory.copy()

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Base parameters as combinations, then the friction of each joint."""
        held, symbols = self.model.rotors(), self.model.symbols
        base = list(self.model.base.names)
        for joint, column in held.items():
            for k in np.flatnonzero(column):
                base[k] += f" + Ia{joint + 1}"
        return (*base, *(f"{symbol} {joint}" for joint in owners(self.robot) for symbol in symbols))

    # -- steps --------------------------------------------------------------------------------------

    def step(self, q: Any, qd: Any, qdd: Any, tau: Any) -> int:
        """Take samples along, one (n,) or many (N, n), and tell how many rows said something.

        A row in which a number is none (NaN, infinite) is left out: of one joint where its torque is none, of all
        where the motion is.
        """
        if self._quick(q, qd, qdd, tau, self._row) is not NotImplemented:
            self.samples += 1
            return self._turn()
        whole = self._arrays(q, qd, qdd, tau)
        return sum(
            self._several([x[k : k + AT_ONCE] for x in whole]) for k in range(0, len(whole[0]), AT_ONCE)
        )

    def _several(self, arrays: list[Array]) -> int:
        self.samples += len(arrays[0])
        if self.robot.compiled:
            rows = self._kernel(*arrays)
        else:
            given = dict(zip(self._rows.inputs, arrays, strict=True))
            rows = evaluate(self._kernel.function(), given, self._kernel.shape)
        return self._turning(np.ascontiguousarray(rows), self._memory, self._root)

    def _arrays(self, *given: Any) -> list[Array]:
        """Samples as arrays (N, n)."""
        why = f"{self.robot.name} has {counted(self.robot.nv, 'joint')}"
        names = self._rows.inputs
        arrays = [
            checked(name, x, (n,), why).astype(float)
            for (name, n), x in zip(names.items(), given, strict=True)
        ]
        first = arrays[0].shape
        for name, x in zip(names, arrays, strict=True):
            if x.ndim > 2:
                raise ShapeError(
                    name, x.shape, f"(…, {self.robot.nv})", "samples are rows, one behind the other"
                )
            if x.shape != first:
                raise ShapeError(
                    name,
                    x.shape,
                    str(first),
                    "every sample has a position, a rate, an acceleration, torques",
                )
        return [np.ascontiguousarray(np.atleast_2d(x)) for x in arrays]

    def reset(self) -> None:
        """Forget all samples; the prior stays."""
        self._memory[:] = 0.0 if self._prior is None else self._prior
        self.samples = 0  # given so far

    # -- what is known ------------------------------------------------------------------------------

    @property
    def told(self) -> Array:
        """(n,): how many rows of each joint said something, older ones counted as they are weighed."""
        sizes = self._rows.sizes
        return self._memory[sizes.told : sizes.told + sizes.joints].copy()

    @property
    def triangle(self) -> tuple[Array, Array]:
        """R (unknowns, unknowns) and z of |R x − z|², x in the order of `names`."""
        return _triangle(self._rows.sizes, self._memory)

    @property
    def solution(self) -> Solution:
        """What all rows say: values, covariance, what they leave open; x in the order of `names`."""
        R, z = self.triangle
        found = least_squares(R, z, unit_noise=True)
        if self._noise_known:
            return found
        variance = self._variance(found.rank)
        information = found.information / variance if variance else found.information
        return Solution(
            found.values,
            information,
            found.covariance * variance,
            found.condition,
            found.unseen,
            found.residual,
            variance,
        )

    def _variance(self, rank: int) -> float:
        """Of a row in units of `noise`, from what was left over; NaN while no row is."""
        sizes = self._rows.sizes
        left = self.told.sum() - rank
        return float(self._memory[sizes.sums : sizes.told].sum() / left) if left > 0 else float("nan")

    @property
    def values(self) -> Array:
        """(unknowns,) that fit best; where rows leave some open, the ones nearest to zero."""
        return self.solution.values

    @property
    def deviations(self) -> Array:
        """(unknowns,): standard deviations, infinite where rows leave one open, 0 of what others hold already."""
        found = self.solution.deviations
        found[self._rows.parts] = 0.0
        return found

    @property
    def base(self) -> Array:
        """The base parameters among `values`."""
        return self.values[: self.model.base.count]

    @property
    def friction(self) -> Array:
        """(n, coefficients): the friction among `values`."""
        return self.values[self.model.base.count :].reshape(self.robot.nv, -1)

    def _sheet(self) -> Sheet:
        joints = counted(self.robot.nv, "joint")
        head = f"{self.robot.name}: base parameters and friction of {joints} after {counted(self.samples, 'sample')}"
        found = self.solution
        rows = zip(found.values.tolist(), self.deviations.tolist(), self.names, strict=True)
        table = Table(["value", "±", "of"], [[x, float(f"{s:.2g}"), name] for x, s, name in rows])
        return Sheet(head, [table])

    # -- to take away -------------------------------------------------------------------------------

    def export(self, name: str = "estimator") -> dict[str, str]:
        """Header, source, test and Makefile as C99, by their names."""
        from strobe.identify.estimator_export import export

        return export(self, name)

    def to_c(
        self, folder: str | PathLike[str], name: str = "estimator", *, force: bool = False
    ) -> list[Path]:
        """The files of `export` in a folder, which is made; ``force`` replaces files."""
        from strobe.files.writing import write_folder

        return write_folder(folder, self.export(name), force=force)


def estimator(
    robot: Robot, *, friction: Sequence[str] = FRICTION, noise: Any = None, prior: Any = None,
    forgetting: float = 1.0, still: float = 0.0,
) -> OnlineEstimator:  # fmt: skip
    """A robot's base parameters and friction from samples as they come.

    ``friction`` names terms that the state decides: rotor, viscous, quadratic, coulomb, asymmetric, offset, spring.
    ``noise`` is the standard deviation of each torque (one number or one for each joint); without it all joints
    weigh alike and deviations are taken from what is left over. ``prior`` is what was known before: an
    `Identification` with the same friction, or values with their standard deviations or their information.
    ``forgetting`` is what squares of older samples are multiplied by every step, 1 for none. A joint no faster than
    ``still`` says nothing.
    """
    require_robot(robot)
    if not robot.coordinates.is_single:
        raise UnsupportedModelError(
            f"{robot.name} has joints with several degrees of freedom; robots are identified whose joints have one."
        )
    model = TorqueModel(base_parameters(robot), chosen(require_texts("friction", friction)))
    weights = np.ones(1) if noise is None else np.atleast_1d(np.asarray(noise, dtype=object))
    sigmas = finite_numbers("noise", weights.tolist() * (robot.nv if len(weights) == 1 else 1), robot.nv)
    if min(sigmas) <= 0:
        raise ArgumentError(f"noise has {min(sigmas):g}; a standard deviation is positive.")
    (kept,), (slowest,) = (
        finite_numbers(name, [x], 1) for name, x in (("forgetting", forgetting), ("still", still))
    )
    if not 0 < kept <= 1:
        raise ArgumentError(f"forgetting is {kept:g}; expected more than 0 and at most 1, such as 0.999.")
    if slowest < 0:
        raise ArgumentError(f"still is {slowest:g}; a speed is not negative.")
    rows = StateRows(model, tuple(sigmas), slowest)
    if prior is not None and noise is None:
        raise ArgumentError("a prior is weighed against the noise of the torques: give noise=.")
    known = None if prior is None else _known_before(rows, prior)
    return OnlineEstimator(rows, noise is not None, kept, known)


# -- memory -----------------------------------------------------------------------------------------


def _order(sizes: Triangles) -> Array:
    """Where the unknowns of memory, own ones first, stand among the names."""
    own = sizes.joints * sizes.own
    return np.r_[sizes.shared : sizes.shared + own, 0 : sizes.shared]


def _columns(sizes: Triangles) -> list[Array]:
    """Which unknowns of memory the numbers of each row are of."""
    shared = np.arange(sizes.shared) + sizes.joints * sizes.own
    own = [np.arange(sizes.own) + j * sizes.own for j in range(sizes.joints)]
    rows = [np.concatenate([each, shared]) for each in own for _ in range(sizes.own)]
    return rows + [np.concatenate([own[0], shared])] * sizes.shared


def _triangle(sizes: Triangles, memory: Array) -> tuple[Array, Array]:
    """R and z of |R x − z|², x in the order of the names."""
    rows = memory[: sizes.sums].reshape(sizes.rows, sizes.stride)
    R = np.zeros((sizes.rows, sizes.rows))
    for line, row, columns in zip(R, rows, _columns(sizes), strict=True):
        line[columns] = row[: sizes.unknowns]
    found = np.empty_like(R)
    found[:, _order(sizes)] = R
    return found, rows[:, sizes.unknowns].copy()


def _memory(sizes: Triangles, R: Array, z: Array) -> Array:
    """What `_triangle` reads, R in the order of memory."""
    memory = np.zeros(sizes.size)
    rows = memory[: sizes.sums].reshape(sizes.rows, sizes.stride)
    for row, line, columns in zip(rows, R, _columns(sizes), strict=True):
        row[: sizes.unknowns] = line[columns]
    rows[:, sizes.unknowns] = z
    return memory


# -- priors -----------------------------------------------------------------------------------------


def _known_before(rows: StateRows, prior: Any) -> Array:
    """The memory that holds a prior: a root of its information, own unknowns first."""
    values, information = _said(rows, prior)
    sizes, order = rows.sizes, _order(rows.sizes)
    scale = np.sqrt(np.diag(information))
    scale[scale == 0] = 1.0
    scaled = (information / np.outer(scale, scale))[np.ix_(order, order)]
    apart = np.kron(np.eye(sizes.joints), np.ones((sizes.own, sizes.own))) == 0
    own = scaled[: len(apart), : len(apart)]
    if np.abs(own[apart]).max(initial=0.0) > COUPLED:
        raise ArgumentError(
            "prior couples the friction of two joints, which torques never do: give deviations, or an Identification."
        )
    own[apart] = 0.0
    R = _root(scaled) * scale[order]
    return _memory(sizes, R, R @ values[order])


def _root(A: Array) -> Array:
    """Triangular R with RᵀR = A, semidefinite with ones on its diagonal; rows are zero where A says nothing."""
    A, R = A.copy(), np.zeros_like(A)
    for k in range(len(A)):
        if A[k, k] > NOTHING:
            R[k, k:] = A[k, k:] / np.sqrt(A[k, k])
            A[k:, k:] -= np.outer(R[k, k:], R[k, k:])
    return R


def _said(rows: StateRows, prior: Any) -> tuple[Array, Array]:
    """Values and their information, in the order of the names."""
    size, robot = rows.sizes.rows, rows.model.base.robot
    if isinstance(prior, Identification):
        terms = tuple(term.name for term in rows.model.terms)
        if prior.friction_terms != terms or prior.base.kept != rows.model.base.kept:
            raise ArgumentError(
                f"prior is of {prior.robot.name} with friction {', '.join(prior.friction_terms)}; the estimator is "
                f"of {robot.name} with {', '.join(terms)}. Ask for the same."
            )
        return prior.fit.values, np.linalg.pinv(prior.fit.covariance, hermitian=True)
    try:
        values, known = (np.asarray(x, dtype=float) for x in prior)
    except (TypeError, ValueError, OverflowError):
        raise ArgumentError(
            f"prior is {shown(prior)}; expected an Identification, or values with deviations or information."
        ) from None
    if values.shape != (size,) or known.shape not in ((size,), (size, size)):
        shapes = f"({size},) with ({size},) or ({size}, {size})"
        raise ShapeError(
            "prior", values.shape, shapes, "it has a value for each unknown, and how well each is known"
        )
    if not np.isfinite(values).all() or np.isnan(known).any():
        raise ArgumentError("prior has a number that is none (NaN or infinite).")
    if known.ndim == 1:
        if not (known > 0).all():
            raise ArgumentError(
                "prior: a standard deviation is positive, infinite where nothing was known."
            )
        known = np.diag(known**-2.0)
    return values, known
