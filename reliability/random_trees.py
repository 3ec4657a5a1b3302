"""Random robots at the ends of what is allowed, and random things to ask of them.

Trees and chains of every kind of joint, fixed ones too, whose links are solid ellipsoids with moments of inertia from
1e-9 to 1e6 kg·m² side by side; placements oblique or by right angles; drives, friction and joints that follow others.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from strobe.algebra import Pose, Sym3, Vec3
from strobe.compiler.runtime.kernels import Kernel
from strobe.errors import StrobeError
from strobe.files.faults import Faults
from strobe.formulations import FORMULATIONS
from strobe.models.assembly import Assembly, JointData, LinkData, assemble
from strobe.models.couplings import coordinates
from strobe.models.default_frame import moved_frames
from strobe.models.inertial import Inertial
from strobe.models.joints import FIXED, KINDS, REVOLUTE, Friction, Joint, Motor
from strobe.models.model import Coupling, Model, moved
from strobe.models.parameters import geometry_numbers, inertial_numbers
from strobe.quantities import QUANTITIES, Request
from strobe.robot import Robot

INERTIAS = (-9.0, 6.0)  # powers of ten, kg·m²
OF_LOOPS = (
    "loop_residuals", "loop_facing", "loop_jacobian", "loop_bias", "closed_velocities", "closed_accelerations",
)  # fmt: skip
ASKED = tuple(name for name in QUANTITIES if name not in OF_LOOPS)
LONG = (
    "inverse_dynamics_derivatives", "forward_dynamics_derivatives", "jacobian_derivative", "regressor",
    "momentum_regressor", "energy_regressor", "coriolis_matrix", "centroidal_momentum_matrix_dot",
    "hybrid_dynamics",
)  # fmt: skip  # what grows with the square of the joints, or faster
MOST_LONG = 8  # joints of a robot that is asked for one of those
WITHOUT = ("drives", "couplings", "extreme", "options")  # what a smaller case does without


@dataclass(frozen=True)
class Shape:
    """What a random robot is like: joints, and what it does without."""

    joints: int
    without: tuple[str, ...] = ()


def random_tree(rng: np.random.Generator, shape: Shape) -> Model:
    """A tree of so many joints, some of which may be fixed or follow others."""
    name = f"random-{shape.joints}"
    kinds, window = _kinds(rng), _window(rng, shape)
    bend = float(rng.choice([0.0, 0.3, 1.0]))  # how often a link is not carried by the one before it
    links, joints = [LinkData("base", _inertial(rng, window))], list[JointData]()
    for k in range(1, shape.joints + 1):
        parent = int(rng.integers(0, k)) if rng.random() < bend else k - 1
        links.append(LinkData(f"link{k}", _inertial(rng, window)))
        kind = kinds[int(rng.integers(len(kinds)))] if k < shape.joints else kinds[0]
        joints.append(_joint(rng, k, links[parent].name, kind, shape))
    frames = [
        (f"frame{k}", links[int(rng.integers(len(links)))].name, _placement(rng), "") for k in range(2)
    ]
    gravity = tuple(float(g) for g in rng.normal(0.0, 6.0, 3)) if rng.random() < 0.3 else (0.0, 0.0, -9.81)
    data = Assembly(name, links, joints, Faults(name), gravity=gravity, frames=frames)  # pyright: ignore[reportArgumentType]
    data.couplings = [] if "couplings" in shape.without else _couplings(rng, joints)
    return assemble(data)


def _kinds(rng: np.random.Generator) -> list[str]:
    """The kinds of joints of one robot, the first of which moves."""
    choice = rng.random()
    if choice < 0.35:
        return [REVOLUTE.name]
    return [*map(str, rng.permutation(list(KINDS))), *([FIXED.name] if choice > 0.7 else [])]


def _joint(rng: np.random.Generator, k: int, parent: str, kind: str, shape: Shape) -> JointData:
    axis = np.eye(3)[rng.integers(3)] * rng.choice([1, -1])
    if rng.random() < 0.3:
        axis = rng.standard_normal(3)
        axis /= np.linalg.norm(axis)
    x, y, z = (float(a) for a in axis)
    after = _placement(rng) if rng.random() < 0.2 else Pose()
    joint = JointData(
        f"joint{k}", kind, parent, f"link{k}", before=_placement(rng), axis=(x, y, z), after=after
    )
    if joint.has_pitch:
        joint.pitch = float(rng.choice([-1, 1]) * 10.0 ** rng.uniform(-4, 0))
    if "drives" not in shape.without and rng.random() < 0.5:
        joint.motor = Motor(float(10.0 ** rng.uniform(-9, 0)), float(rng.choice([1.0, -50.0, 120.5])))
        joint.friction = Friction(
            float(rng.uniform(0, 3)), (float(rng.uniform(0, 2)), -float(rng.uniform(0, 2)))
        )
    return joint


def _placement(rng: np.random.Generator) -> Pose:
    """Oblique, or by right angles and along axes."""
    if rng.random() < 0.5:
        x, y, z = (float(a) for a in rng.uniform(-0.5, 0.5, 3) * (rng.random(3) < 0.5))
        roll, pitch, yaw = (float(k) * (math.pi / 2) for k in rng.integers(-1, 2, 3))
        return Pose.at((x, y, z), (roll, pitch, yaw))
    x, y, z = (float(a) for a in rng.uniform(-0.5, 0.5, 3))
    roll, pitch, yaw = (float(a) for a in rng.uniform(-3.0, 3.0, 3))
    return Pose.at((x, y, z), (roll, pitch, yaw))


def _window(rng: np.random.Generator, shape: Shape) -> tuple[float, float]:
    """Between which powers of ten the moments of inertia of one robot lie: all that are allowed, or two decades."""
    low, high = INERTIAS
    if "extreme" in shape.without:
        return -2.0, 0.0
    first = float(rng.uniform(low, high - 2.0))
    return (low, high) if rng.random() < 0.4 else (first, first + 2.0)


def _inertial(rng: np.random.Generator, window: tuple[float, float]) -> Inertial:
    """A solid ellipsoid of a random moment of inertia, its centre within its own size of the link's origin."""
    moment, size = 10.0 ** rng.uniform(*window), 10.0 ** rng.uniform(-2.0, 0.0)
    aa, bb, cc = (float(a) for a in (size * rng.uniform(0.3, 1.0, 3)) ** 2)
    mass = float(5.0 * moment / (aa + bb))
    principal = Sym3(mass * (bb + cc) / 5, mass * (aa + cc) / 5, mass * (aa + bb) / 5, 0.0, 0.0, 0.0)
    x, y, z = (float(a) for a in rng.uniform(-size, size, 3))
    roll, pitch, yaw = (float(a) for a in rng.uniform(-1.5, 1.5, 3))
    return moved(Inertial.at_com(mass, Vec3.zero(), principal), Pose.at((x, y, z), (roll, pitch, yaw)))


def _couplings(rng: np.random.Generator, joints: list[JointData]) -> list[Coupling]:
    """On some robots, joints of one degree of freedom that follow one or two of those before them."""
    own = [joint.name for joint in joints if joint.nv == 1]
    if len(own) < 2 or rng.random() < 0.6:
        return []
    followers = own[1 :: int(rng.integers(2, 5))]
    free = [name for name in own if name not in followers]

    def terms() -> dict[str, float]:
        chosen = rng.choice(free, int(rng.integers(1, min(2, len(free)) + 1)), replace=False)
        return {str(name): float(rng.normal()) for name in chosen}

    return [Coupling(name, terms(), float(rng.choice([0.0, 0.3]))) for name in followers]


# -- what is asked ------------------------------------------------------------------------------------------


def random_request(rng: np.random.Generator, model: Model, plain: bool = False) -> Request:
    """A quantity with options that it has, on a robot for which it is not too long."""
    names = [name for name in ASKED if name not in LONG or len(model.bodies) <= MOST_LONG]
    quantity = str(rng.choice(names))
    options: dict[str, Any] = {}
    frames = [frame.name for frame in model.frames if frame.name in moved_frames(model)]
    if QUANTITIES[quantity].of_a_frame:
        options["frame"] = str(rng.choice(frames))
    if not plain:
        options |= _options(rng, model, quantity, frames)
    return Request(quantity, **options)


def _options(rng: np.random.Generator, model: Model, quantity: str, frames: list[str]) -> dict[str, Any]:
    options: dict[str, Any] = {}
    if rng.random() < 0.2 and quantity not in ("integrate", "difference"):
        options["geometry"] = str(rng.choice(["runtime", "full"])) if geometry_numbers(model) else "full"
    if QUANTITIES[quantity].kinematic:
        return options
    if rng.random() < 0.3 and "regressor" not in quantity:
        options["parameters"] = "runtime"
    if quantity in (
        "inverse_dynamics",
        "forward_dynamics",
        "inverse_dynamics_derivatives",
        "hybrid_dynamics",
    ):
        options["loaded"] = tuple(map(str, rng.permutation(frames)[: rng.integers(0, 3)]))
        options["friction"] = bool(rng.random() < 0.7)
    if quantity in ("inverse_dynamics", "forward_dynamics", "gravity", "bias", "energy", "regressor"):
        options["gravity"] = bool(rng.random() < 0.2)
    if (
        quantity in ("inverse_dynamics", "mass_matrix", "gravity", "bias")
        and rng.random() < 0.5
        and model.nv < 8
    ):
        options["formulation"] = str(rng.choice(list(FORMULATIONS)))
    if quantity == "forward_dynamics" and rng.random() < 0.3:
        options["formulation"] = "articulated-body"
    if quantity == "coriolis_matrix" and rng.random() < 0.3:
        options["form"] = "decomposition"
    if quantity == "regressor":
        options["drives"] = bool(rng.random() < 0.5)
    if quantity == "hybrid_dynamics":
        joints = coordinates(model).joints
        options["accelerated"] = tuple(joint.name for joint in joints if rng.random() < 0.5)
    if (
        quantity in ("inverse_dynamics", "energy", "gravity")
        and len(model.bodies) <= 4
        and rng.random() < 0.2
    ):
        options["by"] = ("q",)
    return options


def asked_of(robot: Robot, request: Request) -> Kernel | None:
    """The kernel of a request; none where the method it names does not take such robots."""
    kernel = robot.kernel(request)
    try:
        assert kernel.program.outputs
    except StrobeError:
        return None
    return kernel


def random_states(rng: np.random.Generator, kernel: Kernel, count: int) -> dict[str, np.ndarray]:
    """States of a robot by input name: angles, lengths, unit quaternions; its constants, changed a little."""
    joints = coordinates(kernel.model).joints
    return {name: _given(rng, kernel, name, size, count, joints) for name, size in kernel.inputs.items()}


def _given(
    rng: np.random.Generator, kernel: Kernel, name: str, size: int, count: int, joints: Any
) -> np.ndarray:
    if name in ("q", "q0", "q1"):
        return np.concatenate([_positions(rng, joint, count) for joint in joints], axis=-1)
    if name == "dt":
        return rng.uniform(-0.1, 0.1, (count, 1))
    if name in ("parameters", "geometry"):
        full = kernel.request.geometry == "full"
        own = (
            inertial_numbers(kernel.model) if name == "parameters" else geometry_numbers(kernel.model, full)
        )
        return np.array(own, float) * rng.uniform(0.9, 1.1, (count, size))
    values = rng.normal(0.0, 3.0, (count, size))
    return np.where(
        rng.random(values.shape) < 0.02, rng.choice([0.0, 1.0, 1e-3, -1e-9], values.shape), values
    )


def _positions(rng: np.random.Generator, joint: Joint, count: int) -> np.ndarray:
    """Positions of one joint, zeros, right angles and, now and then, angles of many turns among them."""
    plain = joint.nq - 4 if joint.has_quaternion else joint.nq
    q = rng.uniform(-math.pi, math.pi, (count, plain))
    special = rng.random((count, plain))
    q = np.where(special < 0.05, np.round(q) * (math.pi / 2), q)
    q = np.where(special > 0.99, q * 10.0 ** rng.uniform(0, 9, (count, plain)), q)
    if not joint.has_quaternion:
        return q
    ball = rng.normal(0.0, 1.0, (count, 4))
    return np.concatenate([q, ball / np.linalg.norm(ball, axis=-1, keepdims=True)], axis=-1)
