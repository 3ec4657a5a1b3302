"""The dynamics of a robot in other coordinates φ, where q = map(φ) is smooth and has an inverse. [Asada2005]

    M_φ = Tᵀ M T     C_φ = Tᵀ (C T + M Ṫ)     g_φ = Tᵀ g     Q = Tᵀ τ          T = ∂q/∂φ

C_φ is the Christoffel matrix of M_φ where C is that of M, and Ṁ_φ − 2C_φ is skew where Ṁ − 2C is.

    from strobe.scalars import sin

    robot.in_coordinates("absolute")                         # angles against the base where axes are parallel
    robot.in_coordinates([[1, 0], [-1, 1]])                  # q = A φ, or A φ + offset: gears and belts
    robot.in_coordinates(lambda phi: [phi[0] + 0.1 * sin(phi[0]), phi[1]])

A map is written over numbers, as for `strobe.trace`, and so every quantity is compiled.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from strobe.compiler.runtime.arrays import checked, collected, turns
from strobe.compiler.runtime.interpret import evaluate
from strobe.compiler.runtime.traced import Traced
from strobe.equations.closed_form import Equations, equations_of
from strobe.equations.coordinate_maps import Change, Linear, Map, product, transposed
from strobe.equations.map_checks import checked_change, checked_names, checked_places, with_inverse
from strobe.equations.notation import is_result, plain
from strobe.errors import ArgumentError
from strobe.models.couplings import Coordinates, Terms
from strobe.models.loops import require_open
from strobe.models.model import Model
from strobe.quantities import Request
from strobe.quantities.pivots import solve
from strobe.robot import Robot, Wrench, require_robot
from strobe.scalars import Node, Num, Numbers
from strobe.show.sheet import Sheet, displayed

Array = np.ndarray

NAME = re.compile(r"[A-Za-z]\w*", re.ASCII)  # of a coordinate in equations


def in_coordinates(
    robot: Robot, map: Any, *, offset: Any = None, inverse: Map | None = None,
    names: Sequence[str] | None = None, within: Any = None,
) -> InCoordinates:  # fmt: skip
    """A robot in coordinates phi with q = map(phi): a function over numbers, a matrix, or "absolute".

    The map must be invertible in the box ``within`` = (lower, upper) of phi, −π to π by default; it is tried at
    places there. ``inverse`` is a function of q over numbers; a linear map has its own.
    """
    require_open(robot.model, "other coordinates")
    places = checked_places(within, robot.nv)
    change = checked_change(robot, map, offset, places)
    labels = checked_names(names, change.n)
    return InCoordinates(robot, with_inverse(change, inverse, places, labels), labels)


# -- quantities in other coordinates, over numbers ----------------------------------------------------


@dataclass(frozen=True, eq=False)
class Asked:
    """A request in other coordinates, to be traced."""

    change: Change
    model: Model
    request: Request

    @property
    def __name__(self) -> str:
        return self.request.quantity

    def __call__(self, **numbers: Numbers) -> Any:
        first = numbers["phi"][0]
        model = self.model.lift(first.system) if isinstance(first, Node) else self.model
        return QUANTITIES[self.request.quantity](replace(self, model=model), **numbers)

    @property
    def inputs(self) -> dict[str, int]:
        """The vectors it takes, by name, with their sizes."""
        own = self.request.inputs(self.model).items()
        return {NAMES.get(name, name): self.change.n if name in NAMES else size for name, size in own}

    def of_joints(self, request: Request, phi: Numbers, **numbers: Numbers) -> Any:
        """A quantity in the robot's own coordinates."""
        return request.evaluate(self.model, q=self.change.positions(phi), **numbers)

    def instead(self, quantity: str, **options: Any) -> Asked:
        """The same request for another quantity."""
        return replace(self, request=replace(self.request, quantity=quantity, **options))


def mass_matrix(asked: Asked, phi: Numbers) -> list[list[Num]]:
    """Tᵀ M T."""
    M, T = asked.of_joints(Request("mass_matrix"), phi), asked.change.T(phi)
    return product(transposed(T), product(M, T))


def coriolis_matrix(asked: Asked, phi: Numbers, phid: Numbers) -> list[list[Num]]:
    """Tᵀ (C T + M Ṫ)."""
    x = asked.change
    T, T_dot = x.T(phi), x.T_dot(phi, phid)
    C = asked.of_joints(asked.request, phi, qd=x.velocity(phi, phid))
    M = asked.of_joints(Request("mass_matrix"), phi)
    pairs = zip(product(C, T), product(M, T_dot), strict=True)
    return product(transposed(T), [[a + b for a, b in zip(*rows, strict=True)] for rows in pairs])


def gravity(asked: Asked, phi: Numbers, **loads: Numbers) -> list[Num]:
    """Tᵀ g."""
    return asked.change.forces(phi, asked.of_joints(asked.request, phi, **loads))


def inverse_dynamics(
    asked: Asked, phi: Numbers, phid: Numbers, phidd: Numbers, **loads: Numbers
) -> list[Num]:
    """Q = Tᵀ τ behind a motion."""
    x = asked.change
    qd, qdd = x.velocity(phi, phid), x.acceleration(phi, phid, phidd)
    return x.forces(phi, asked.of_joints(asked.request, phi, qd=qd, qdd=qdd, **loads))


def bias(asked: Asked, phi: Numbers, phid: Numbers, **loads: Numbers) -> list[Num]:
    """C_φ φ̇ + g_φ."""
    rigid = asked.instead("inverse_dynamics", friction=False)
    return inverse_dynamics(rigid, phi, phid, [0.0] * asked.change.n, **loads)


def forward_dynamics(asked: Asked, phi: Numbers, phid: Numbers, Q: Numbers, **loads: Numbers) -> list[Num]:
    """φ̈ that follows from forces; NaN where M_φ is singular, as it is where T is."""
    n = asked.change.n
    still = inverse_dynamics(asked.instead("inverse_dynamics"), phi, phid, [0.0] * n, **loads)
    right = [a - b for a, b in zip(Q, still, strict=True)]
    return solve(mass_matrix(asked, phi), right, range(-1, n - 1))


def energy(asked: Asked, phi: Numbers, phid: Numbers, **loads: Numbers) -> list[Num]:
    """Kinetic and potential energy."""
    return asked.of_joints(asked.request, phi, qd=asked.change.velocity(phi, phid), **loads)


def forward_kinematics(asked: Asked, phi: Numbers) -> list[list[Num]]:
    """The 4×4 placement of a frame."""
    return asked.of_joints(asked.request, phi)


def jacobian(asked: Asked, phi: Numbers, **point: Numbers) -> list[list[Num]]:
    """J T, of a frame or of a point."""
    return product(asked.of_joints(asked.request, phi, **point), asked.change.T(phi))


QUANTITIES: dict[str, Callable[..., Any]] = {
    "mass_matrix": mass_matrix,
    "coriolis_matrix": coriolis_matrix,
    "gravity": gravity,
    "bias": bias,
    "inverse_dynamics": inverse_dynamics,
    "forward_dynamics": forward_dynamics,
    "energy": energy,
    "forward_kinematics": forward_kinematics,
    "jacobian": jacobian,
    "point_jacobian": jacobian,
}
NAMES = {"q": "phi", "qd": "phid", "qdd": "phidd", "tau": "Q"}  # what stands in the place of a state


# -- what a user holds --------------------------------------------------------------------------------


@displayed
class InCoordinates:
    """A robot in other coordinates: what `Robot` says of q and torques, said of phi (..., n) and forces Q."""

    def __init__(self, robot: Robot, change: Change, names: tuple[str, ...]) -> None:
        self.robot = require_robot(robot)
        self.change = change
        self.names = names
        self._kernels: dict[Request | str, Traced] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return InCoordinates, (self.robot, self.change, self.names)

    def _sheet(self) -> Sheet:
        told = f"the joints {', '.join(self.robot.joint_names)} are functions of these {self.n} coordinates"
        return Sheet(f"{self.robot.name} in the coordinates {', '.join(self.names)}", [told])

    @property
    def n(self) -> int:
        """Degrees of freedom."""
        return self.change.n

    # -- the map ------------------------------------------------------------------------------------

    def positions(self, phi: Any) -> Array:
        """The positions q (..., nq) of the joints; quaternions have length one, whatever the map gives."""
        return self._unit(self._map("positions", phi=phi))

    def motion(self, phi: Any, phid: Any, phidd: Any) -> tuple[Array, Array, Array]:
        """q, qd, qdd of the joints."""
        nq, nv = self.robot.nq, self.robot.nv
        whole = self._map("motion", phi=phi, phid=phid, phidd=phidd)
        return self._unit(whole[..., :nq]), whole[..., nq : nq + nv], whole[..., nq + nv :]

    def _unit(self, q: Array) -> Array:
        for k in turns(self.robot.coordinates.joints):
            with np.errstate(all="ignore"):
                q[..., k : k + 4] /= np.linalg.norm(q[..., k : k + 4], axis=-1, keepdims=True)
        return q

    def T(self, phi: Any) -> Array:
        """∂q/∂φ (..., n, n): qd = T phid."""
        return self._map("T", phi=phi)

    def T_dot(self, phi: Any, phid: Any) -> Array:
        """The rate (..., n, n) of T while phi moves with phid."""
        return self._map("T_dot", phi=phi, phid=phid)

    def forces(self, phi: Any, tau: Any) -> Array:
        """The generalized forces Q = Tᵀ tau (..., n) of torques."""
        return self._map("forces", phi=phi, tau=tau)

    def from_positions(self, q: Any) -> Array:
        """The coordinates phi (..., n) of positions of the joints."""
        if self.change.inverse is None:
            raise ArgumentError(
                "the coordinates of a position need the inverse of the map: in_coordinates(map, inverse=…) takes it, "
                "a function of q over numbers."
            )
        return self._map("from_positions", q=q)

    def from_motion(self, q: Any, qd: Any, qdd: Any) -> tuple[Array, Array, Array]:
        """phi, phid, phidd (..., n) of a motion of the joints; NaN where T is singular."""
        phi = self.from_positions(q)
        qd, qdd = (
            checked(name, x, (self.n,), self.robot.shape_reason) for name, x in (("qd", qd), ("qdd", qdd))
        )
        T = self.T(phi)
        T = np.where(np.linalg.det(T)[..., None, None] == 0.0, np.nan, T)
        phid = np.linalg.solve(T, qd[..., None])
        phidd = np.linalg.solve(T, qdd[..., None] - self.T_dot(phi, phid[..., 0]) @ phid)
        return phi, phid[..., 0].astype(phi.dtype), phidd[..., 0].astype(phi.dtype)

    # -- dynamics -----------------------------------------------------------------------------------

    def mass_matrix(self, phi: Any, *, out: Array | None = None, threads: int | None = None) -> Array:
        """Tᵀ M T (..., n, n), rotor inertia included."""
        return self._dynamics("mass_matrix", {"phi": phi}, out, threads)

    def coriolis_matrix(
        self, phi: Any, phid: Any, *, form: str = "christoffel", out: Array | None = None,
        threads: int | None = None,
    ) -> Array:  # fmt: skip
        """Tᵀ (C T + M Ṫ) (..., n, n), of the Christoffel matrix C or that of the decomposition."""
        return self._dynamics("coriolis_matrix", {"phi": phi, "phid": phid}, out, threads, form=form)

    def gravity(
        self, phi: Any, *, gravity: Any = None, out: Array | None = None, threads: int | None = None
    ) -> Array:
        """The generalized forces (..., n) that hold the robot still."""
        values = {"phi": phi} | self.robot.loads(gravity=gravity)
        return self._dynamics("gravity", values, out, threads)

    def bias(
        self, phi: Any, phid: Any, *, gravity: Any = None, out: Array | None = None,
        threads: int | None = None,
    ) -> Array:  # fmt: skip
        """The rigid-body forces (..., n) of a motion without acceleration of phi."""
        values = {"phi": phi, "phid": phid} | self.robot.loads(gravity=gravity)
        return self._dynamics("bias", values, out, threads)

    def inverse_dynamics(
        self, phi: Any, phid: Any, phidd: Any, *, wrench: Wrench = None, frame: str | None = None,
        gravity: Any = None, friction: bool = True, out: Array | None = None, threads: int | None = None,
    ) -> Array:  # fmt: skip
        """The generalized forces Q (..., n) behind a motion."""
        values = {"phi": phi, "phid": phid, "phidd": phidd} | self.robot.loads(wrench, frame, gravity)
        return self._dynamics("inverse_dynamics", values, out, threads, friction=friction)

    def forward_dynamics(
        self, phi: Any, phid: Any, Q: Any, *, wrench: Wrench = None, frame: str | None = None,
        gravity: Any = None, friction: bool = True, out: Array | None = None, threads: int | None = None,
    ) -> Array:  # fmt: skip
        """Accelerations phidd (..., n) that follow from generalized forces; NaN where T or M is singular."""
        values = {"phi": phi, "phid": phid, "Q": Q} | self.robot.loads(wrench, frame, gravity)
        return self._dynamics("forward_dynamics", values, out, threads, friction=friction)

    def energy(
        self, phi: Any, phid: Any, *, gravity: Any = None, out: Array | None = None,
        threads: int | None = None,
    ) -> Array:  # fmt: skip
        """Kinetic and potential energy (..., 2)."""
        values = {"phi": phi, "phid": phid} | self.robot.loads(gravity=gravity)
        return self._dynamics("energy", values, out, threads)

    # -- kinematics ---------------------------------------------------------------------------------

    def forward_kinematics(
        self, phi: Any, frame: str | None = None, *, out: Array | None = None, threads: int | None = None
    ) -> Array:
        """The placement (..., 4, 4) of a frame in base axes."""
        return self._ask(
            Request("forward_kinematics", frame=self.robot.named_frame(frame)), {"phi": phi}, out, threads
        )

    def jacobian(
        self, phi: Any, frame: str | None = None, *, out: Array | None = None, threads: int | None = None
    ) -> Array:
        """J T (..., 6, n): linear velocity of the frame's origin, then angular velocity, base axes."""
        return self._ask(
            Request("jacobian", frame=self.robot.moving_frame(frame)), {"phi": phi}, out, threads
        )

    def point_jacobian(
        self, phi: Any, frame: str | None, point: Any, *, out: Array | None = None,
        threads: int | None = None,
    ) -> Array:  # fmt: skip
        """∂r/∂φ (..., 3, n) of a point r that moves with a frame and is given (..., 3) in its axes; base axes."""
        request = Request("point_jacobian", frame=self.robot.moving_frame(frame))
        return self._ask(request, {"phi": phi, "point": point}, out, threads)

    # -- closed forms -------------------------------------------------------------------------------

    def equations(self, *, numbers: bool = False) -> Equations:
        """The equations of motion as closed forms, printed in the names of these coordinates; forces are Q1, Q2, …

        To `evaluate` and in its own quantities the coordinates are called q1, q2, … in their order.
        """
        found = equations_of(self.robot, numbers)
        if self.change.linear is None:
            raise ArgumentError(
                f"closed forms need a linear map, and that of {self!r} is not: after it the equations are no "
                "trigonometric polynomials. Its values can be had: mass_matrix(phi), coriolis_matrix(phi, phid), …"
            )
        composed = _composed(self.robot.coordinates, self.change.linear)
        self._require_angles(composed)
        self._require_other_names(found)
        return replace(found, coordinates=composed, labels=self.names)

    def _require_other_names(self, equations: Equations) -> None:
        """Raise where a coordinate has the printed name of something else."""
        printed = {plain(name): f"the parameter {name}" for name in equations.parameters}
        for name in self.names:
            if not NAME.fullmatch(name):
                raise ArgumentError(
                    f'the coordinate "{name}" cannot be printed in equations: its name must begin with a letter and '
                    "have letters, digits and underscores only."
                )
            here = plain(name)
            if here in printed or is_result(name):
                other = printed.get(here, "a quantity of the equations")
                raise ArgumentError(
                    f'the coordinate "{name}" would be printed like {other}. Choose other names: '
                    "in_coordinates(map, names=[…])."
                )
            printed[here] = f"the coordinate {name}"

    def _require_angles(self, composed: Coordinates) -> None:
        """Raise where a joint turns with anything but whole multiples of coordinates in the places of angles."""
        for joint, (factors, _) in zip(self.robot.model.joints, composed.positions, strict=True):
            for k, factor in factors.items():
                if not joint.angular or (factor == int(factor) and composed.joints[k].angular):
                    continue
                raise ArgumentError(
                    f'joint "{joint.name}" of {self.robot.name} turns with {factor:g} {self.names[k]}; closed forms '
                    "need whole multiples of coordinates that stand in the places of turning joints. "
                    "Choose the coordinates so, or use their values: mass_matrix(phi), …"
                )

    # -- the border ---------------------------------------------------------------------------------

    def _dynamics(
        self, quantity: str, values: dict[str, Any], out: Array | None, threads: int | None, **options: Any
    ) -> Array:
        return self._ask(self.robot.request(quantity, values, **options), values, out, threads)

    def _ask(
        self, request: Request, values: dict[str, Any], out: Array | None, threads: int | None
    ) -> Array:
        """A quantity of the robot on arrays."""
        if request not in self._kernels:
            asked = Asked(self.change, self.robot.model, request)
            self._kernels[request] = Traced(asked, asked.inputs)
        kernel = self._kernels[request]
        if request.record.eliminates:
            return self._in_double(kernel, values, out, threads)
        return self._answer(kernel, values, out, threads)

    def _in_double(
        self, kernel: Traced, values: dict[str, Any], out: Array | None, threads: int | None
    ) -> Array:
        """Elimination in single precision cannot tell a small pivot from rounding: it is done in double."""
        arrays = collected(values, kernel.inputs, self.robot.shape_reason)
        wide = {name: array.astype(np.float64) for name, array in arrays.items()}
        result = self._answer(kernel, wide, out, threads)
        return result if out is not None else result.astype(arrays["phi"].dtype, copy=False)

    def _map(self, name: str, **values: Any) -> Array:
        """A function of the map on arrays."""
        if name not in self._kernels:
            sizes = {key: self.robot.nq if key == "q" else self.n for key in values}
            self._kernels[name] = Traced(getattr(self.change, name), sizes)
        return self._answer(self._kernels[name], values)

    def _answer(
        self,
        kernel: Traced,
        values: Mapping[str, Any],
        out: Array | None = None,
        threads: int | None = None,
    ) -> Array:
        arrays = collected(values, kernel.inputs, self.robot.shape_reason)
        if not self.robot.compiled:
            return evaluate(kernel.function(), arrays, kernel.shape, out)
        return kernel(*arrays.values(), out=out, threads=threads)


def _composed(x: Coordinates, map: Linear) -> Coordinates:
    """The coordinates of all joints where the independent ones follow φ."""

    def follow(terms: Terms) -> Terms:
        columns = zip(*map.rows, strict=True)
        factors = (sum(f * column[j] for j, f in terms.items()) for column in columns)
        return {k: f for k, f in enumerate(factors) if f}

    def shift(terms: Terms) -> float:
        return sum(f * map.offset[j] for j, f in terms.items())

    positions = tuple((follow(terms), offset + shift(terms)) for terms, offset in x.positions)
    return Coordinates(x.joints, positions, tuple(follow(terms) for terms in x.velocities), trivial=False)
