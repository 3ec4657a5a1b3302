"""The equations of motion of a robot as closed forms in named parameters and joint symbols.

    M(q)                 by composite bodies, rotor inertia on the diagonal
    T = ½ q̇ᵀ M q̇         V = −Σ m g · c
    G = ∂V/∂q            c_ijk = ½ (∂M_ij/∂q_k + ∂M_ik/∂q_j − ∂M_jk/∂q_i)
    C_ij = Σ_k c_ijk q̇_k    h = C q̇    τ = M q̈ + h + G  (+ friction, which is no trigonometric polynomial)

Everything is a `Wave`, in normal form: derivatives are exact, equal expressions have equal terms. The names of
the state are q1, qd1, qdd1 and so on, one per independent coordinate; those of constants are in `parameters`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from strobe.algebra import Motion, Vec3
from strobe.compiler.runtime.arrays import batch_shape, checked, in_precision, precision
from strobe.equations.notation import Notation
from strobe.equations.parameters import Drive, Named, drives_of, named, state_names
from strobe.equations.printed import Matrix, Symbols, Vector
from strobe.equations.trig_polynomials import Evaluation, TooManyProducts, Wave, Waves
from strobe.errors import ArgumentError, EquationSizeError, UnsupportedModelError, counted, shown
from strobe.formulations import composite_body, decomposition, kinematics
from strobe.models.arguments import require_text, require_truth
from strobe.models.couplings import Coordinates, coordinates
from strobe.models.default_frame import moved_frame, tip
from strobe.models.loops import require_open
from strobe.models.model import ROOT, Body, Model
from strobe.scalars import Num, Numbers

if TYPE_CHECKING:
    from strobe.equations.expression import Expression
    from strobe.equations.singularities import Singularities
    from strobe.robot import Robot

REDUCED = "Where joints follow others linearly, give it [[couplings]]; else use values: strobe.mechanisms.reduced."
WRITTEN_OUT = 400  # terms of the mass matrix: beyond, named intermediate results are easier to read
MOST_PAIRS = 1_000  # entries of M that differ, as a chain of 44 joints has them: beyond, nobody reads them
MOST = 1_000_000  # terms of one quantity in normal form: beyond, nobody evaluates them
WRITABLE = 100_000  # terms of all that is written out, at half a millisecond or so each
WORK = 6_000_000  # products of terms in one quantity: beyond, they take longer than half a minute
MERGING = 20  # products of terms per term that is left of them, on the arms measured
BUDGET = 300_000  # products of terms that a prediction may cost


@dataclass(frozen=True, eq=False)
class Equations:
    """Closed forms of one robot, each worked out when it is first asked for."""

    words: Named
    model: Model  # on waves
    coordinates: Coordinates
    numbers: bool
    most: int
    labels: tuple[str, ...] = ()  # names of other coordinates that q1, q2, … stand for

    def __post_init__(self) -> None:
        self.ring.readable = self._readable

    def _readable(self, x: Wave) -> tuple[Expression, Notation]:
        """The shortest form of one of its values, and how its names are read."""
        from strobe.equations.readable_forms import Forms, order_of

        return Forms(order_of(self)).form(x), Notation(labels=self.labels, decimals=self.numbers)

    @property
    def name(self) -> str:
        return self.model.name

    @property
    def parameters(self) -> Mapping[str, float]:
        """The value of every name; empty with the model's own numbers."""
        return self.words.values

    @property
    def drives(self) -> tuple[Drive, ...]:
        """Rotor inertia and friction of all joints, numbers that carry their names."""
        return self.words.drives

    @property
    def ring(self) -> Waves:
        """The number system of these equations."""
        return self.model.system  # pyright: ignore[reportReturnType]

    # -- the state ----------------------------------------------------------------------------------

    @property
    def n(self) -> int:
        """Independent degrees of freedom."""
        return self.coordinates.nv

    @cached_property
    def q(self) -> Vector:
        return self._state("q")

    @cached_property
    def qd(self) -> Vector:
        return self._state("qd")

    @cached_property
    def qdd(self) -> Vector:
        return self._state("qdd")

    def _state(self, letter: str) -> Vector:
        return Vector(self.ring.variable(f"{letter}{k + 1}") for k in range(self.n))

    # -- energies and the equations of motion -------------------------------------------------------

    @cached_property
    def mass_matrix(self) -> Matrix:
        """M(q), rotor inertia included."""
        rows = zip(self.link_matrix, self.rotor_matrix, strict=True)
        return Matrix([self.ring.total(pair) for pair in zip(*row, strict=True)] for row in rows)

    @cached_property
    def link_matrix(self) -> Matrix:
        """The part of M(q) that the links have."""
        self._require_dynamics()
        self._require_size("the mass matrix", predicted_terms(self))
        x = self.coordinates
        with self._within_reach("the mass matrix"):
            return self._matrix(x.reduce_matrix(composite_body.mass_matrix(self.model, x.expand(self.q))))

    @cached_property
    def rotor_matrix(self) -> Matrix:
        """What the rotors of the drives add to M."""
        own = range(len(self.drives))
        rotors = [self.ring.number(drive.rotor) for drive in self.drives]
        return self._matrix(
            self.coordinates.reduce_matrix([[rotors[i] if i == j else 0.0 for j in own] for i in own])
        )

    @cached_property
    def kinetic_energy(self) -> Wave:
        """½ q̇ᵀ M q̇."""
        momenta = [self._along(row, self.qd) for row in self.mass_matrix]
        return self.ring.lower(self._along(momenta, self.qd) / 2)

    @cached_property
    def potential_energy(self) -> Wave:
        """−Σ m g · c of what moves, zero for masses at the base origin."""
        self._require_dynamics()
        with self._within_reach("the potential energy"):
            return self._moment_along(-self.model.gravity.linear)

    @cached_property
    def first_moments(self) -> Vector:
        """Σ m c of what moves, in base axes: the centre of mass times the mass."""
        self._require_dynamics()
        with self._within_reach("the centre of mass"):
            return Vector(self._moment_along(Vec3.unit(axis)) for axis in range(3))

    def _moment_along(self, direction: Vec3) -> Wave:
        """Σ m c · direction of what moves."""
        placed = kinematics.body_placements(self.model.bodies, self.coordinates.expand(self.q))
        parts: list[Num] = []
        for body in self.model.bodies:
            here, inertia = placed[body.index], body.inertia
            parts.append(direction.dot(here.p * inertia.m + here.R @ inertia.h))
        return self.ring.total(parts)

    @cached_property
    def gravity(self) -> Vector:
        """G = ∂V/∂q, the torques that hold the robot still."""
        return Vector(self.potential_energy.derivative(f"q{i + 1}") for i in range(self.n))

    @cached_property
    def christoffel_symbols(self) -> Symbols:
        """c_ijk, of the mass matrix: first index the torque, the other two the rates, symmetric in these."""
        n, M = range(self.n), self.mass_matrix
        self._require_size("the Coriolis matrix", self.n * terms(M))
        slope = {(i, j): [M[i][j].derivative(f"q{k + 1}") for k in n] for i in n for j in n if i <= j}
        d = [[slope[min(i, j), max(i, j)] for j in n] for i in n]
        half = {
            (i, j, k): (d[i][j][k] + d[i][k][j] - d[j][k][i]) / 2 for i in n for j in n for k in n if j <= k
        }
        return Symbols(
            Matrix([self.ring.lower(half[i, min(j, k), max(j, k)]) for k in n] for j in n) for i in n
        )

    @cached_property
    def coriolis_matrix(self) -> Matrix:
        """C(q, q̇) = Σ_k c_ijk q̇_k, the Christoffel matrix: Ṁ − 2C is skew."""
        return Matrix([self._along(row, self.qd) for row in matrix] for matrix in self.christoffel_symbols)

    @cached_property
    def decomposition_matrix(self) -> Matrix:
        """The Coriolis matrix of the decomposition: the same C q̇, and Ṁ − 2C skew, with other entries."""
        x, q = self.coordinates, self.coordinates.expand(self.q)
        inward = {body.index: body.pose(q).inverse().inward for body in self.model.bodies}
        more = trace_part(
            self.model,
            x.expand_rates(self.qd),
            half_traces(self.model),
            lambda body, _, w: inward[body.index](w),
        )
        rows = zip(self.coriolis_matrix, x.reduce_matrix(more), strict=True)
        return Matrix([self.ring.total(pair) for pair in zip(*row, strict=True)] for row in rows)

    def coriolis(self, form: str = "christoffel") -> Matrix:
        """C(q, q̇) in one of its two forms."""
        require_form(form)
        return self.coriolis_matrix if form == "christoffel" else self.decomposition_matrix

    @cached_property
    def velocity_torques(self) -> Vector:
        """h = C q̇, centrifugal and Coriolis torques."""
        return Vector(self._along(row, self.qd) for row in self.coriolis_matrix)

    @cached_property
    def torques(self) -> Vector:
        """τ = M q̈ + h + G, without friction."""
        accelerated = (self._along(row, self.qdd) for row in self.mass_matrix)
        parts = zip(accelerated, self.velocity_torques, self.gravity, strict=True)
        return Vector(self.ring.total(part) for part in parts)

    # -- frames -------------------------------------------------------------------------------------

    def forward_kinematics(self, frame: str | None = None) -> Matrix:
        """The 4×4 placement of a frame (the tip if none is named) in base axes."""
        q, target = self.coordinates.expand(self.q), self._frame(frame)
        with self._within_reach("the forward kinematics"):
            return self._matrix(kinematics.frame_placement(self.model, q, target).matrix().rows)

    def jacobian(self, frame: str | None = None) -> Matrix:
        """Six rows: linear velocity of the frame's origin, angular velocity, base axes."""
        x, target = self.coordinates, self.model.frame(moved_frame(self.model, frame))
        with self._within_reach("the Jacobian"):
            return self._matrix(x.reduce_columns(kinematics.jacobian(self.model, x.expand(self.q), target)))

    def singularities(self, frame: str | None = None, of: Sequence[str] | None = None) -> Singularities:
        """det J as a product, and where each factor is zero; see `strobe.equations.singularities`."""
        from strobe.equations.singularities import singularities

        return singularities(self, frame, of)

    def _frame(self, name: str | None) -> Any:
        return self.model.frame(tip(self.model) if name is None else name)

    # -- friction and values ------------------------------------------------------------------------

    @cached_property
    def viscous_friction(self) -> Vector:
        """damping · q̇ of every joint. Coulomb friction is no trigonometric polynomial: its sizes are in `drives`."""
        x = self.coordinates
        rates = x.expand_rates(self.qd)
        damped = [
            rate * self.ring.number(drive.damping) for rate, drive in zip(rates, self.drives, strict=True)
        ]
        return Vector(self.ring.lower(t) for t in x.reduce(damped))

    def evaluate(self, quantity: Any, q: Any, qd: Any = None, qdd: Any = None) -> np.ndarray:
        """The values of a wave, or of nested lists of them, at states (..., n), with the robot's own parameters."""
        given = {
            letter: values for letter, values in (("q", q), ("qd", qd), ("qdd", qdd)) if values is not None
        }
        sizes = {"q": self.coordinates.nq, "qd": self.coordinates.nv, "qdd": self.coordinates.nv}
        why = f"{self.model.name} has {counted(self.coordinates.nv, 'degree')} of freedom"
        arrays = {name: checked(name, x, (sizes[name],), why).astype(float) for name, x in given.items()}
        state = {
            f"{letter}{k + 1}": column
            for letter, array in arrays.items()
            for k, column in enumerate(np.moveaxis(array, -1, 0))
        }
        try:
            found = _stacked(quantity, Evaluation({**self.parameters, **state}), batch_shape(arrays))
            return in_precision(found, precision(*given.values()))
        except (RecursionError, OverflowError, IndexError, ValueError):  # too deep, too large, uneven
            raise ArgumentError(
                f"quantity is {shown(quantity)}; expected a closed form of these equations."
            ) from None

    def __repr__(self) -> str:
        names = "its own numbers" if self.numbers else f"{len(self.parameters)} named parameters"
        return f"<equations of {self.name}: {self.n} degrees of freedom, {names}>"

    def __str__(self) -> str:
        from strobe.equations.document import document
        from strobe.equations.text import text_lines

        size = predicted_terms(self)
        if size is None or size > WRITTEN_OUT:
            return f"{repr(self)[1:-1]}\ntoo long to be read as one text. {_instead(self)}"
        return "\n".join(text_lines(document(self))).rstrip()

    def _repr_latex_(self) -> str | None:
        from strobe.equations.latex import notebook

        return notebook(self)

    # -- small steps --------------------------------------------------------------------------------

    def _along(self, row: Sequence[Wave], rates: Vector) -> Wave:
        return self.ring.total(entry * rate for entry, rate in zip(row, rates, strict=True))

    def _matrix(self, rows: Sequence[Sequence[Num]]) -> Matrix:
        return Matrix([self.ring.lower(entry) for entry in row] for row in rows)

    def _require_dynamics(self) -> None:
        if self.model.without_dynamics:
            raise UnsupportedModelError(f"{self.name} has no dynamics: {self.model.without_dynamics}")

    def _require_size(self, quantity: str, predicted: int | None) -> None:
        if predicted is None or predicted > self.most:
            raise EquationSizeError(self.name, quantity, predicted, self.most, _instead(self))

    @contextmanager
    def _within_reach(self, quantity: str) -> Iterator[None]:
        """Refuse a quantity that takes more than `WORK` products of terms; a smaller budget of the ring stays."""
        ring, budget = self.ring, self.ring.budget
        ring.budget = allowed = min(budget, WORK)
        try:
            yield
        except TooManyProducts:
            if budget <= WORK:
                raise
            raise EquationSizeError(self.name, quantity, None, self.most, _instead(self)) from None
        finally:
            ring.budget = budget - (allowed - ring.budget)


def equations_of(robot: Robot | Model, numbers: bool = False, most: int = MOST) -> Equations:
    """The closed forms of a robot in named parameters, or with its own numbers.

    ``most`` is the number of terms beyond which a quantity is refused instead of expanded.
    """
    model = robot if isinstance(robot, Model) else robot.model
    require_truth("numbers", numbers)
    return equations_over(Named(model, drives_of(model)) if numbers else named(model), numbers, most)


def equations_over(words: Named, numbers: bool = False, most: int = MOST) -> Equations:
    """The closed forms of a model whose constants have their names already."""
    _require_waves(words.model)
    return Equations(
        words, words.model.lift(_ring(words, numbers)), coordinates(words.model), numbers, most
    )


def budgeted(equations: Equations, products: float) -> Equations:
    """The same equations in a ring that raises `TooManyProducts` after so many products of terms."""
    words = equations.words
    return replace(equations, model=words.model.lift(_ring(words, equations.numbers, products)))


def require_form(form: str) -> None:
    """Raise where a Coriolis matrix has no such form."""
    if require_text("form", form, "a name") not in decomposition.FORMS:
        raise ArgumentError(f'form is "{form}"; expected one of {", ".join(decomposition.FORMS)}.')


def _require_waves(model: Model) -> None:
    """Raise, with the reason, where the equations are no trigonometric polynomials."""
    require_open(model, "a closed form", REDUCED)
    if not model.bodies:
        raise UnsupportedModelError(f"{model.name} has no joints: there are no equations to write down.")
    for joint in model.joints:
        if joint.nv > 1:
            why = (
                "and a rotation by a quaternion is no trigonometric polynomial"
                if joint.has_quaternion
                else "and its velocities are not the rates of its positions"
            )
            raise UnsupportedModelError(
                f'{model.name}: joint "{joint.name}" is {joint.kind}, {why}. {joint.record.otherwise}'
            )
    x = coordinates(model)
    for joint, (factors, _) in zip(model.joints, x.positions, strict=True):
        odd = [x.joints[k].name for k, f in factors.items() if not (x.joints[k].angular and f == int(f))]
        if joint.angular and odd:
            raise UnsupportedModelError(
                f'{model.name}: joint "{joint.name}" turns with "{odd[0]}", but not by an integer multiple of '
                "an angle, and its sine is then no trigonometric polynomial. Lock it, or give the other one the "
                "coupling."
            )


def _ring(words: Named, numbers: bool, budget: float = math.inf) -> Waves:
    """Angles first, then parameters, sliding positions, rates and accelerations."""
    state = state_names(words.model)
    joints = coordinates(words.model).joints
    turning = [name for name, joint in zip(state["q"], joints, strict=True) if joint.angular]
    others = (*words.values, *state["q"], *state["qd"], *state["qdd"])
    return Waves((*turning, *words.angles), others, not numbers, budget)


def trace_part(
    model: Model, qd: Numbers, half_traces: Mapping[int, Num], carried: Callable[[Body, int, Vec3], Vec3]
) -> list[list[Num]]:
    """What the decomposition adds to the Christoffel matrix of all joints.

    Σ_links ½ tr(I) w_i · (ω × w_j), with w_i the joint axes: for three joints on one path w_i · (w_k × w_j) is
    the same seen from every link beyond them, so that the half traces of these links add up. ``carried`` takes the
    axis of a joint from the parent of a body to the body.
    """
    half, axes = dict(half_traces), dict[int, dict[int, Vec3]]({ROOT: {}})
    parts: list[list[Num]] = [[0.0] * model.nv for _ in range(model.nv)]
    for body in reversed(model.bodies):
        if body.parent != ROOT:
            half[body.parent] = half[body.parent] + half[body.index]
    for body in model.bodies:
        before = {j: carried(body, j, w) for j, w in axes[body.parent].items()}
        (own,), d = body.S, body.joint.v
        axes[body.index] = before | {d: own.angular}
        for a, b in combinations(before, 2):
            volume = before[a].cross(before[b]).dot(own.angular) * half[body.index]
            for i, k, j in ((a, b, d), (b, d, a), (d, a, b)):
                parts[i][j] = parts[i][j] + volume * qd[k]
                parts[j][i] = parts[j][i] - volume * qd[k]
    return parts


def half_traces(model: Model) -> dict[int, Num]:
    """½ tr(I) of every link about its centre of mass."""
    half: dict[int, Num] = {}
    for body in model.bodies:
        central = body.inertial.central
        if central is None:
            raise UnsupportedModelError(
                f'link "{body.name}" has no centre of mass, at which the decomposition takes its inertia. '
                "Use the Christoffel form."
            )
        half[body.index] = (central.xx + central.yy + central.zz) * 0.5
    return half


def _stacked(quantity: Any, evaluation: Evaluation, batch: tuple[int, ...]) -> np.ndarray:
    """Nested lists of waves as an array, the batch in front."""
    if isinstance(quantity, str) or not isinstance(quantity, Sequence | Wave | int | float):
        raise ArgumentError(f"quantity is {shown(quantity)}; expected a closed form of these equations.")
    if not isinstance(quantity, Sequence):
        return np.broadcast_to(np.asarray(evaluation(quantity), dtype=float), batch)
    entries = [_stacked(entry, evaluation, batch) for entry in quantity]
    return np.stack(entries, axis=len(batch))


# -- sizes --------------------------------------------------------------------------------------------


def terms(matrix: Sequence[Sequence[Wave]]) -> int:
    """The terms of all entries."""
    return sum(len(entry) for row in matrix for entry in row)


def carried_pairs(model: Model) -> int:
    """Pairs of a joint and itself or one that carries it: the entries of M that differ and are not zero."""
    depth: dict[int, int] = {}
    for body in model.bodies:
        depth[body.index] = depth.get(body.parent, 0) + 1
    return sum(depth.values())


def predicted_terms(equations: Equations) -> int | None:
    """About how many terms the mass matrix has, from the velocities and momenta of the links alone.

    Every entry is a sum of products of a velocity and a momentum; `MERGING` of their products are one term in
    the end. Fixed angles that are no right angles make it too high, up to some twenty times. None where even
    the velocities are too long.
    """
    if carried_pairs(equations.model) > MOST_PAIRS:
        return None
    model = budgeted(equations, BUDGET).model
    q = equations.coordinates.expand([model.system.variable(f"q{k + 1}") for k in range(equations.n)])
    velocities: dict[int, list[Motion]] = {ROOT: []}
    products = 0
    try:
        for body in model.bodies:
            X = body.pose(q).inverse()
            columns = velocities[body.index] = [*(X @ c for c in velocities[body.parent]), *body.S]
            products += _products(model.system, body, columns)  # pyright: ignore[reportArgumentType]
    except TooManyProducts:
        return None
    return products // MERGING


def _products(ring: Waves, body: Body, columns: Sequence[Motion]) -> int:
    """Products of terms in the kinetic energy of one link, taken at its centre of mass."""
    com, central = body.inertial.com or Vec3.zero(), body.inertial.central or body.inertia.I
    at_com = [Motion(c.angular, c.linear + c.angular.cross(com)) for c in columns]
    left = [[len(ring.lower(x)) for x in (*c.angular, *c.linear)] for c in at_com]
    momenta = [(*(central @ c.angular), *(c.linear * body.inertia.m)) for c in at_com]
    right = [[len(ring.lower(x)) for x in momentum] for momentum in momenta]
    return sum(a * b for u in left for f in right for a, b in zip(u, f, strict=True))


def require_writable(
    equations: Equations, asked: Collection[str] = ("M", "C", "G"), frame: str | None = None
) -> None:
    """Refuse quantities (letters as in a document) whose terms would take minutes to write out."""
    size = 0
    if not {"M", "C", "tau"}.isdisjoint(asked):
        size += terms(equations.mass_matrix)
    if not {"C", "tau"}.isdisjoint(asked):
        size += terms(equations.coriolis_matrix)
    if "fk" in asked:
        size += terms(equations.forward_kinematics(frame))
    if "jacobian" in asked:
        size += terms(equations.jacobian(frame))
    if size > WRITABLE:
        raise EquationSizeError(equations.name, "the equations", size, WRITABLE, _instead(equations))


def _instead(equations: Equations) -> str:
    """What fits where full expansion does not."""
    readable = "Use strobe.equations.readable.readable(robot), which names intermediate results"
    return (
        f"{readable}." if equations.numbers else f"{readable}, or the model's own numbers (numbers=True)."
    )
