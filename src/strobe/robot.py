"""What a user holds: a model and what can be asked of it, on plain arrays.

Arrays are ``(..., n)`` and broadcast over leading axes; float64, or float32 if the inputs are. The
signs: ``M qdd + C qd + g + friction(qd) = tau + Σ Jᵀ F``, with F = (force, moment) exerted on the robot
at a frame's origin in base axes.
"""

from __future__ import annotations

import html
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from os import PathLike
from typing import Any, NamedTuple

import numpy as np

from strobe import quantities
from strobe.errors import (
    ArgumentError,
    Fault,
    ModelWarning,
    SingularMassMatrixError,
    UnsupportedModelError,
)
from strobe.models import edits
from strobe.models.couplings import Coordinates, coordinates
from strobe.models.load import load_model
from strobe.models.model import Model
from strobe.models.random_robots import random_model
from strobe.quantities import Options
from strobe.runtime.arrays import collected
from strobe.runtime.interpret import evaluate

Array = np.ndarray
WRENCH = "a wrench is (fx, fy, fz, mx, my, mz) in base axes"
Wrench = Any  # an array (..., 6), or a mapping from frame names to such arrays


class Bounds(NamedTuple):
    """Limits of every independent degree of freedom, infinite where none is known."""

    lower: Array
    upper: Array
    velocity: Array
    acceleration: Array
    effort: Array


@dataclass(frozen=True, slots=True)
class Asked:
    """The keywords that dynamics calls share."""

    wrench: Wrench = None
    frame: str | None = None
    gravity: Any = None
    friction: bool = True
    formulation: str | None = None


class Robot:
    """A robot: its dynamics and kinematics as functions of arrays."""

    def __init__(self, model: Model) -> None:
        self.model = model

    # -- what it is ---------------------------------------------------------------------------------

    @cached_property
    def coordinates(self) -> Coordinates:
        """The independent coordinates: joints that follow others are not among them."""
        return coordinates(self.model)

    @property
    def name(self) -> str:
        return self.model.name

    @property
    def nq(self) -> int:
        """Numbers in a position q."""
        return self.coordinates.nq

    @property
    def nv(self) -> int:
        """Numbers in a velocity: the degrees of freedom."""
        return self.coordinates.nv

    @property
    def n(self) -> int:
        """Degrees of freedom."""
        return self.nv

    @property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the independent joints, in the order of q."""
        return tuple(joint.name for joint in self.coordinates.joints)

    @property
    def frames(self) -> tuple[str, ...]:
        return tuple(frame.name for frame in self.model.frames)

    @property
    def notes(self) -> tuple[Fault, ...]:
        """What the reader found worth saying."""
        return self.model.notes

    @cached_property
    def limits(self) -> Bounds:
        """Arrays of nv entries each."""
        rows = [joint.limits for joint in self.coordinates.joints for _ in range(joint.nv)]
        columns = zip(
            *((r.lower, r.upper, r.velocity, r.acceleration, r.effort) for r in rows), strict=True
        )
        return Bounds(*(np.array(column) for column in columns)) if rows else Bounds(*[np.empty(0)] * 5)

    @cached_property
    def neutral(self) -> Array:
        """The position in which every joint is at its zero."""
        return np.array([x for joint in self.coordinates.joints for x in joint.neutral()])

    # -- dynamics -----------------------------------------------------------------------------------

    def inverse_dynamics(
        self, q: Any, qd: Any, qdd: Any, *, wrench: Wrench = None, frame: str | None = None,
        gravity: Any = None, friction: bool = True, formulation: str | None = None, out: Array | None = None,
    ) -> Array:  # fmt: skip
        """Torques tau (..., n) behind a motion."""
        asked = Asked(wrench, frame, gravity, friction, formulation)
        return self._dynamics(
            quantities.inverse_dynamics, {"q": q, "qd": qd, "qdd": qdd}, (self.nv,), asked, out
        )

    def forward_dynamics(
        self, q: Any, qd: Any, tau: Any, *, wrench: Wrench = None, frame: str | None = None,
        gravity: Any = None, friction: bool = True, formulation: str | None = None, out: Array | None = None,
    ) -> Array:  # fmt: skip
        """Accelerations qdd (..., n) that follow from torques; NaN where the mass matrix is singular."""
        self._require_inertia()
        asked = Asked(wrench, frame, gravity, friction, formulation)
        return self._dynamics(
            quantities.forward_dynamics, {"q": q, "qd": qd, "tau": tau}, (self.nv,), asked, out
        )

    def mass_matrix(self, q: Any, *, formulation: str | None = None, out: Array | None = None) -> Array:
        """M (..., n, n), rotor inertia included."""
        asked = Asked(formulation=formulation)
        return self._dynamics(quantities.mass_matrix, {"q": q}, (self.nv, self.nv), asked, out)

    def coriolis_matrix(
        self, q: Any, qd: Any, *, formulation: str | None = None, out: Array | None = None
    ) -> Array:
        """C (..., n, n) of Christoffel symbols: C qd are the velocity torques, Ṁ − 2C is skew."""
        asked = Asked(formulation=formulation)
        return self._dynamics(
            quantities.coriolis_matrix, {"q": q, "qd": qd}, (self.nv, self.nv), asked, out
        )

    def gravity(
        self, q: Any, *, gravity: Any = None, formulation: str | None = None, out: Array | None = None
    ) -> Array:
        """The torques g (..., n) that hold the robot still."""
        asked = Asked(gravity=gravity, formulation=formulation)
        return self._dynamics(quantities.gravity, {"q": q}, (self.nv,), asked, out)

    def bias(
        self,
        q: Any,
        qd: Any,
        *,
        gravity: Any = None,
        formulation: str | None = None,
        out: Array | None = None,
    ) -> Array:
        """C qd + g (..., n): the rigid-body torques of a motion without acceleration."""
        asked = Asked(gravity=gravity, formulation=formulation)
        return self._dynamics(quantities.bias, {"q": q, "qd": qd}, (self.nv,), asked, out)

    # -- kinematics ---------------------------------------------------------------------------------

    def forward_kinematics(self, q: Any, frame: str | None = None, *, out: Array | None = None) -> Array:
        """The placement (..., 4, 4) of a frame (the last one if none is named) in base axes."""
        function = partial(quantities.forward_kinematics, self.model, self._frame(frame))
        return self._run(function, {"q": q}, (4, 4), out)

    def jacobian(self, q: Any, frame: str | None = None, *, out: Array | None = None) -> Array:
        """J (..., 6, n): linear velocity of the frame's origin, then angular velocity, base axes."""
        function = partial(quantities.jacobian, self.model, self._frame(frame))
        return self._run(function, {"q": q}, (6, self.nv), out)

    def integrate(self, q: Any, v: Any, dt: Any = 1.0) -> Array:
        """The position after velocity v has acted for a time dt; quaternions come back with length one."""
        times = (
            dt[..., None]
            if isinstance(dt, np.ndarray)
            else [dt]
            if np.isscalar(dt)
            else np.asarray(dt)[..., None]
        )
        function = partial(quantities.integrate, self.model)
        return self._run(lambda q, v, dt: function(q, v, dt[0]), {"q": q, "v": v, "dt": times}, (self.nq,))

    def difference(self, q0: Any, q1: Any) -> Array:
        """The velocity (..., nv) that leads from q0 to q1 in unit time."""
        return self._run(partial(quantities.difference, self.model), {"q0": q0, "q1": q1}, (self.nv,))

    def random_state(self, seed: int = 0, batch: int | tuple[int, ...] = ()) -> tuple[Array, Array, Array]:
        """Positions within the limits (a turn, or a metre, where there are none), rates, accelerations."""
        if seed < 0:
            raise ArgumentError(f"seed is {seed}; expected a number that is not negative.")
        rng = np.random.default_rng(seed)
        shape = tuple(batch) if isinstance(batch, tuple | list) else (int(batch),)
        q = np.empty((*shape, self.nq))
        for joint in self.coordinates.joints:
            here = q[..., joint.q : joint.q + joint.nq]
            here[...] = _random_position(joint, rng, here.shape)
        qd, qdd = (rng.standard_normal((*shape, self.nv)) for _ in range(2))
        return q, qd, qdd

    # -- edits: each gives a new robot --------------------------------------------------------------

    def lock(self, joints: Mapping[str, float]) -> Robot:
        """The robot with joints held at positions (names may use * and ?) and their links merged."""
        return Robot(edits.lock(self.model, joints))

    def with_payload(
        self, mass: float, com: Sequence[float] = (0.0, 0.0, 0.0), inertia: Any = None,
        *, frame: str | None = None, size: float | None = None, replacing: Any = None,
    ) -> Robot:  # fmt: skip
        """The robot carrying a load at a frame: mass, centre and inertia, or mass and longest dimension.

        ``replacing`` is a load (mass, centre, inertia) attached there before, which is taken off first.
        """
        where = self._frame(frame)
        load = edits.attach_payload(
            self.model, mass, com, inertia, frame=where, size=size, replacing=replacing
        )
        return Robot(load)

    def with_gravity(self, gravity: Sequence[float]) -> Robot:
        return Robot(edits.change_gravity(self.model, gravity))

    def with_base(self, base: str) -> Robot:
        """The robot on a fixed, translating or floating base."""
        return Robot(edits.change_base(self.model, base))

    def with_frame(
        self, name: str, xyz: Sequence[float] = (0, 0, 0), rpy: Sequence[float] = (0, 0, 0),
        *, frame: str | None = None,
    ) -> Robot:  # fmt: skip
        """The robot with one more named frame, placed relative to another."""
        return Robot(edits.add_frame(self.model, name, xyz, rpy, frame=self._frame(frame)))

    def chain(self, tip: str, base: str | None = None) -> Robot:
        """The joints between two frames as a robot of their own."""
        return Robot(edits.take_chain(self.model, tip, base))

    def scaled(self, length: float = 1.0, mass: float = 1.0) -> Robot:
        """A geometrically similar robot."""
        return Robot(edits.scale(self.model, length, mass))

    # -- showing ------------------------------------------------------------------------------------

    def __repr__(self) -> str:
        return f"<Robot {self.name}: {self.n} joints>"

    def __str__(self) -> str:
        kinds = {"revolute": "R", "continuous": "R", "prismatic": "P", "spherical": "S", "floating": "F"}
        pattern = "".join(kinds[joint.kind] for joint in self.coordinates.joints)
        mass = sum(float(body.inertial.m) for body in self.model.bodies)  # pyright: ignore[reportArgumentType]
        lines = [
            f"{self.name}: {self.n} degrees of freedom ({pattern}), {mass:.4g} kg moving, {len(self.frames)} frames"
        ]
        lines += [f"  {joint.name}: {joint.kind}" for joint in self.coordinates.joints]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        head, *rows = (html.escape(line) for line in str(self).splitlines())
        items = "".join(f"<li>{row.strip()}</li>" for row in rows)
        return f"<b>{head}</b><ol>{items}</ol>"

    # -- the border ---------------------------------------------------------------------------------

    def _run(
        self,
        function: Callable[..., Any],
        values: dict[str, Any],
        core: tuple[int, ...],
        out: Array | None = None,
    ) -> Array:
        """A function over numbers on arrays, checked by name."""
        sizes = {"q": self.nq, "q0": self.nq, "q1": self.nq, "dt": 1, "gravity": 3}
        why = f"{self.name} has {self.n} joint{'s' if self.n != 1 else ''}"
        if self.nq != self.nv:
            why = f"{self.name} has {self.nq} position numbers and {self.nv} degrees of freedom"
        reasons = {"gravity": "it is an acceleration in base axes", "dt": "it is a time"}
        cores = {name: 6 if name.startswith("wrench") else sizes.get(name, self.nv) for name in values}
        texts = {name: WRENCH if name.startswith("wrench") else reasons.get(name, why) for name in values}
        return evaluate(function, collected(values, cores, texts), core, out)

    def _dynamics(
        self, quantity: Callable[..., Any], states: dict[str, Any], core: tuple[int, ...], asked: Asked,
        out: Array | None,
    ) -> Array:  # fmt: skip
        if self.model.kinematic_only:
            raise UnsupportedModelError(f"{self.name} has no dynamics: {self.model.kinematic_only}")
        if not self.nv:
            raise UnsupportedModelError(f"{self.name} has no joints that move: it has no dynamics.")
        wrenches = self._wrenches(asked.wrench, asked.frame)
        values = states | {f"wrench {k}".removesuffix(" 0"): F for k, F in enumerate(wrenches.values())}
        if asked.gravity is not None:
            values["gravity"] = asked.gravity

        def function(**numbers: list) -> Any:
            loads = [numbers[name] for name in values if name.startswith("wrench")]
            external = dict(zip(wrenches, loads, strict=True))
            options = Options(asked.formulation, asked.friction, external, numbers.get("gravity"))
            return quantity(self.model, options, *(numbers[name] for name in states))

        return self._run(function, values, core, out)

    def _wrenches(self, wrench: Wrench, frame: str | None) -> dict[str, Any]:
        """Each wrench by the name of its frame."""
        if wrench is None:
            if frame is not None:
                raise ArgumentError("frame= says where a wrench acts, but no wrench= was given.")
            return {}
        if not isinstance(wrench, Mapping):
            return {self._frame(frame): wrench}
        if frame is not None:
            raise ArgumentError("give frame= or a mapping from frames to wrenches, not both.")
        return {self._frame(name): value for name, value in wrench.items()}

    def _frame(self, name: str | None) -> str:
        return self.model.frames[-1].name if name is None else self.model.frame(name).name

    @cached_property
    def _massless_joints(self) -> list[str]:
        """Joints whose pivot of the mass matrix vanishes at a position drawn at random."""
        names = [joint.name for joint in self.coordinates.joints for _ in range(joint.nv)]
        q, _, _ = self.random_state(seed=1)
        M = self.mass_matrix(q)
        diagonal = M.diagonal().copy()
        found: list[str] = []
        for k in reversed(range(len(M))):  # elimination from the tips, as in the dynamics
            if M[k, k] <= quantities.LEAST_PIVOT * diagonal[k]:
                found.append(names[k])
            else:
                row = M[k, :k].copy()
                M[:k, :k] -= np.outer(row, row) / M[k, k]
        return list(dict.fromkeys(reversed(found)))

    def _require_inertia(self) -> None:
        if not self.model.kinematic_only and self.nv and self._massless_joints:
            raise SingularMassMatrixError(self.name, self._massless_joints)


def _random_position(joint: Any, rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    if joint.nq == 1:
        reach = np.pi if joint.turns else 1.0
        lower, upper = joint.limits.lower, joint.limits.upper
        lower = lower if np.isfinite(lower) else (upper - 2 * reach if np.isfinite(upper) else -reach)
        upper = upper if np.isfinite(upper) else lower + 2 * reach
        return rng.uniform(lower, upper, shape)
    draw = rng.standard_normal(shape)
    draw[..., -4:] /= np.linalg.norm(draw[..., -4:], axis=-1, keepdims=True)
    return draw


def load(
    source: str | PathLike[str], *, lock: Mapping[str, float] | None = None, base: str | None = None,
    gravity: Sequence[float] | None = None, snap: float | None = None, strict: bool = False,
) -> Robot:  # fmt: skip
    """A robot from a model file (.urdf, .xacro, .xml, .toml) or a built-in name.

    Warnings about the model are issued as `ModelWarning` and kept in ``robot.notes``; ``strict`` turns
    them into errors. ``snap`` widens the tolerance within which angles become right angles.
    """
    if not isinstance(source, str | PathLike):
        raise ArgumentError(f"source is of type {type(source).__name__}; expected a path or the name of a robot.")
    model = load_model(source, snap=snap, strict=strict)
    robot = Robot(edits.apply(model, lock=lock, base=base, gravity=gravity))
    for note in robot.notes:
        if note.severity == "warning":
            warnings.warn(str(note), ModelWarning, stacklevel=2)
    return robot


def random(n: int, seed: int = 0, *, kinds: str = "RP", tree: bool = False) -> Robot:
    """A random robot with n joints, a chain or a tree, with valid inertias.

    ``kinds`` are the letters to draw from: R revolute, C continuous, P prismatic, S spherical, F floating.
    """
    return Robot(random_model(n, seed, kinds=kinds, tree=tree))
