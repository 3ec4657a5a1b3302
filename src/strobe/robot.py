"""What a user holds: a model and what can be asked of it, on plain arrays.

Arrays are ``(..., n)`` and broadcast over leading axes; float64, or float32 if the inputs are. The
signs: ``M qdd + C qd + g + friction(qd) = tau + Σ Jᵀ F``, with F = (force, moment) exerted on the robot
at a frame's origin in base axes.
"""

from __future__ import annotations

import html
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
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
from strobe.runtime.arrays import checked
from strobe.runtime.interpret import evaluate

Array = np.ndarray
Wrench = Any  # an array (..., 6), or a mapping from frame names to such arrays


class Bounds(NamedTuple):
    """Limits of every independent degree of freedom, infinite where none is known."""

    lower: Array
    upper: Array
    velocity: Array
    acceleration: Array
    effort: Array


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
        inputs = self._state(q=q, qd=qd, qdd=qdd)
        return self._dynamics(
            quantities.inverse_dynamics,
            inputs,
            (self.nv,),
            wrench,
            frame,
            gravity,
            friction,
            formulation,
            out,
        )

    def forward_dynamics(
        self, q: Any, qd: Any, tau: Any, *, wrench: Wrench = None, frame: str | None = None,
        gravity: Any = None, friction: bool = True, formulation: str | None = None, out: Array | None = None,
    ) -> Array:  # fmt: skip
        """Accelerations qdd (..., n) that follow from torques."""
        self._require_inertia()
        inputs = self._state(q=q, qd=qd, tau=tau)
        return self._dynamics(
            quantities.forward_dynamics,
            inputs,
            (self.nv,),
            wrench,
            frame,
            gravity,
            friction,
            formulation,
            out,
        )

    def mass_matrix(self, q: Any, *, formulation: str | None = None, out: Array | None = None) -> Array:
        """M (..., n, n), rotor inertia included."""
        core = (self.nv, self.nv)
        return self._dynamics(
            quantities.mass_matrix, self._state(q=q), core, formulation=formulation, out=out
        )

    def coriolis_matrix(
        self, q: Any, qd: Any, *, formulation: str | None = None, out: Array | None = None
    ) -> Array:
        """C (..., n, n) of Christoffel symbols: C qd are the velocity torques, Ṁ − 2C is skew."""
        inputs, core = self._state(q=q, qd=qd), (self.nv, self.nv)
        return self._dynamics(quantities.coriolis_matrix, inputs, core, formulation=formulation, out=out)

    def gravity(
        self, q: Any, *, gravity: Any = None, formulation: str | None = None, out: Array | None = None
    ) -> Array:
        """The torques g (..., n) that hold the robot still."""
        inputs, core = self._state(q=q), (self.nv,)
        return self._dynamics(
            quantities.gravity, inputs, core, gravity=gravity, formulation=formulation, out=out
        )

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
        inputs, core = self._state(q=q, qd=qd), (self.nv,)
        return self._dynamics(
            quantities.bias, inputs, core, gravity=gravity, formulation=formulation, out=out
        )

    # -- kinematics ---------------------------------------------------------------------------------

    def forward_kinematics(self, q: Any, frame: str | None = None, *, out: Array | None = None) -> Array:
        """The placement (..., 4, 4) of a frame (the last one if none is named) in base axes."""
        model, name = self.model, self._frame(frame)

        def function(q: list) -> Any:
            return quantities.forward_kinematics(model, name, q)

        return evaluate(function, self._state(q=q), (4, 4), out)

    def jacobian(self, q: Any, frame: str | None = None, *, out: Array | None = None) -> Array:
        """J (..., 6, n): linear velocity of the frame's origin, then angular velocity, base axes."""
        model, name = self.model, self._frame(frame)

        def function(q: list) -> Any:
            return quantities.jacobian(model, name, q)

        return evaluate(function, self._state(q=q), (6, self.nv), out)

    def integrate(self, q: Any, v: Any, dt: Any = 1.0) -> Array:
        """The position after velocity v has acted for a time dt; quaternions stay unit quaternions."""
        inputs = self._state(q=q, v=v) | {"dt": checked("dt", dt, (), "")[..., None]}
        model = self.model
        return evaluate(lambda q, v, dt: quantities.integrate(model, q, v, dt[0]), inputs, (self.nq,))

    def difference(self, q0: Any, q1: Any) -> Array:
        """The velocity (..., nv) that leads from q0 to q1 in unit time."""
        inputs, model = self._state(q0=q0, q1=q1), self.model
        return evaluate(lambda q0, q1: quantities.difference(model, q0, q1), inputs, (self.nv,))

    def random_state(self, seed: int = 0, batch: int | tuple[int, ...] = ()) -> tuple[Array, Array, Array]:
        """Positions within the limits (a turn, or a metre, where there are none), rates, accelerations."""
        rng = np.random.default_rng(seed)
        shape = (batch,) if isinstance(batch, int) else tuple(batch)
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
        *, frame: str | None = None, size: float | None = None,
    ) -> Robot:  # fmt: skip
        """The robot carrying a load at a frame: mass, centre and inertia, or mass and longest dimension."""
        return Robot(
            edits.attach_payload(self.model, mass, com, inertia, frame=self._frame(frame), size=size)
        )

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

    def _state(self, **arrays: Any) -> dict[str, Array]:
        sizes = {"q": self.nq, "q0": self.nq, "q1": self.nq}
        why = f"{self.name} has {self.n} joint{'s' if self.n != 1 else ''}"
        if self.nq != self.nv:
            why = f"{self.name} has {self.nq} position numbers and {self.nv} degrees of freedom"
        return {
            name: checked(name, value, (sizes.get(name, self.nv),), why) for name, value in arrays.items()
        }

    def _dynamics(
        self, quantity: Callable[..., Any], inputs: dict[str, Array], core: tuple[int, ...],
        wrench: Wrench = None, frame: str | None = None, gravity: Any = None, friction: bool = True,
        formulation: str | None = None, out: Array | None = None,
    ) -> Array:  # fmt: skip
        if self.model.kinematic_only:
            raise UnsupportedModelError(f"{self.name} has no dynamics: {self.model.kinematic_only}")
        if not self.nv:
            raise UnsupportedModelError(f"{self.name} has no joints that move: it has no dynamics.")
        wrenches = self._wrenches(wrench, frame)
        extra = {f"wrench {k}": array for k, array in enumerate(wrenches.values())}
        if gravity is not None:
            extra["gravity"] = checked("gravity", gravity, (3,), "it is an acceleration in base axes")
        model, states = self.model, tuple(inputs)

        def function(**numbers: list) -> Any:
            loads = {name: numbers[f"wrench {k}"] for k, name in enumerate(wrenches)}
            options = Options(formulation, friction, loads, numbers.get("gravity"))
            return quantity(model, options, *(numbers[name] for name in states))

        return evaluate(function, inputs | extra, core, out)

    def _wrenches(self, wrench: Wrench, frame: str | None) -> dict[str, Array]:
        if wrench is None:
            if frame is not None:
                raise ArgumentError("frame= says where a wrench acts, but no wrench= was given.")
            return {}
        if isinstance(wrench, Mapping):
            if frame is not None:
                raise ArgumentError("give frame= or a mapping from frames to wrenches, not both.")
            pairs = dict(wrench)
        else:
            pairs = {self._frame(frame): wrench}
        why = "a wrench is (fx, fy, fz, mx, my, mz) in base axes"
        return {self._frame(name): checked("wrench", value, (6,), why) for name, value in pairs.items()}

    def _frame(self, name: str | None) -> str:
        return self.model.frames[-1].name if name is None else self.model.frame(name).name

    @cached_property
    def _massless_joints(self) -> list[str]:
        """Joints whose pivot of the mass matrix vanishes at a position drawn at random."""
        names = [joint.name for joint in self.coordinates.joints for _ in range(joint.nv)]
        q, _, _ = self.random_state(seed=1)
        M = self.mass_matrix(q)
        scale = float(np.max(np.abs(M), initial=0.0))
        # Python's elimination from the tips, on floats: the pivot that is nothing but rounding names its joint
        found: list[str] = []
        for k in reversed(range(len(M))):
            if abs(M[k, k]) <= 1e-14 * scale:
                found.append(names[k])
                continue
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
    model = load_model(source, snap=snap, strict=strict)
    robot = Robot(edits.apply(model, lock=lock, base=base, gravity=gravity))
    for note in robot.notes:
        if note.severity == "warning":
            warnings.warn(str(note), ModelWarning, stacklevel=2)
    return robot


def random(n: int, seed: int = 0, *, kinds: str = "RP", tree: bool = False) -> Robot:
    """A random robot with n joints (R revolute, P prismatic, S spherical), a chain or a tree, valid inertias."""
    return Robot(random_model(n, seed, kinds=kinds, tree=tree))
