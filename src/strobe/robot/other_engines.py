"""States as MuJoCo and Pinocchio write them, to and from ours; joints are matched by name.

    joint        MuJoCo                                    Pinocchio                       here
    floating     x y z, quaternion w x y z                 x y z, quaternion x y z w       x y z, w x y z
      velocity   R v, ω                                    v, ω                            v, ω in body axes
      accel.     R (v̇ + ω × v), ω̇                          v̇, ω̇                            v̇, ω̇
      force      R f, n                                    f, n                            f, n in body axes
    spherical    w x y z                                   x y z w                         w x y z
    continuous   angle                                     cosine, sine                    angle
    helical      (none)                                    angle                           angle
    planar       (none)                                    x y, cosine, sine               x y, angle
      velocity                                             v, ω                            v x y, ω in body axes

Joints that follow others are coordinates of their own there and none here. MuJoCo holds them by soft constraints: in
what it simulates they are nearly where they follow to, and a tolerance says how nearly is near enough.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from strobe.algebra import Vec3, quaternion_rotation
from strobe.compiler.runtime.arrays import batch_shape, collected, require_turns
from strobe.errors import ArgumentError, UnknownNameError, shown
from strobe.models.arguments import require_above, require_texts
from strobe.models.joints import FLOATING, MUJOCO, RAD, Joint
from strobe.models.names import unused_name
from strobe.robot.answers import Array
from strobe.robot.robot import Robot, require_robot
from strobe.show.sheet import Column, Sheet, by_joint, displayed, numbered, states
from strobe.show.units import EITHER, either

ENGINES = ("mujoco", "pinocchio")
FOLLOWS = 1e-6  # by which a joint that follows others may be elsewhere, as a part of what it has to be
OFF_CIRCLE = 1e-3  # by which the length of a cosine and a sine may differ from one


@displayed
class State(NamedTuple):
    """A state in one way of writing it; what was not given is None."""

    q: Array
    qd: Array | None
    qdd: Array | None
    tau: Array | None

    def _sheet(self) -> Sheet:
        head = (
            f"a state as another engine writes it{states(np.shape(self.q)[:-1])}: {', '.join(self._fields)}"
        )
        units = (EITHER, either(1), either(2), "N m or N")
        given = [(n, x, u) for n, x, u in zip(self._fields, self, units, strict=True) if x is not None]
        tables = [by_joint(numbered("", x.shape[-1]), [Column(n, x, u)], "") for n, x, u in given]
        return Sheet(head, tables)


@dataclass(frozen=True, slots=True)
class Place:
    """Where the numbers of a joint lie in an engine's vectors."""

    q: slice
    v: slice

    @property
    def nq(self) -> int:
        return self.q.stop - self.q.start


@dataclass(frozen=True)
class Layout:
    """The vectors of an engine: where each joint of a robot's model has its numbers; those it leaves out follow."""

    engine: str
    places: Mapping[str, Place]  # by the names of the robot
    nq: int
    nv: int

    @property
    def sizes(self) -> dict[str, int]:
        return {"q": self.nq, "qd": self.nv, "qdd": self.nv, "tau": self.nv}


def convert_state(
    robot: Robot, q: Any, qd: Any = None, qdd: Any = None, tau: Any = None, *, source: Any = None,
    target: Any = None, joints: Sequence[str] | None = None, tolerance: float = FOLLOWS,
) -> State:  # fmt: skip
    """Positions (..., nq), rates, accelerations and torques from (``source``) or to (``target``) another engine.

    Either is "mujoco", "pinocchio", or the engine's own model, from which names and order are read. By the engine's
    name alone, ``joints`` says in which order its joints come; a robot without branches needs no order.

    A joint that follows others here has to do so in a state from there too, up to ``tolerance``, as a part of what it
    has to be and, below one, by itself (rad, m, and per second): its own numbers are then left out. MuJoCo's
    equality constraints are soft; states that it simulated ask for more than the default, 1e-6.
    """
    require_above("tolerance", tolerance, "a number, zero or more", or_zero=True)
    require_robot(robot)
    if (source is None) == (target is None):
        raise ArgumentError('give source= or target=, one of both: "mujoco", "pinocchio" or its model.')
    layout = layout_of(robot, target if source is None else source, joints)
    if qdd is not None and qd is None and layout.engine == "mujoco" and _floats(robot):
        raise ArgumentError("qdd of a free joint is converted by its velocity too; give qd.")
    given = {name: x for name, x in zip(State._fields, (q, qd, qdd, tau), strict=True) if x is not None}
    if "q" not in given:
        raise ArgumentError("q is None; a state is converted with its position.")
    if source is None:
        return _there(robot, layout, _arrays(robot, given, robot_sizes(robot), robot.shape_reason))
    why = f"{layout.engine} has {layout.nq} position numbers and {layout.nv} degrees of freedom"
    return _here(robot, layout, _arrays(robot, given, layout.sizes, why), tolerance)


def robot_sizes(robot: Robot) -> dict[str, int]:
    return {"q": robot.nq, "qd": robot.nv, "qdd": robot.nv, "tau": robot.nv}


def _arrays(robot: Robot, given: Mapping[str, Any], sizes: Mapping[str, int], why: str) -> dict[str, Array]:
    """All of one dtype, with the batch axes that they have together."""
    arrays = collected(given, {name: sizes[name] for name in given}, why)
    batch = batch_shape(arrays)
    return {name: np.broadcast_to(x, (*batch, x.shape[-1])) for name, x in arrays.items()}


def _floats(robot: Robot) -> bool:
    return any(joint.is_free for joint in robot.model.joints)


# -- where numbers lie ------------------------------------------------------------------------------------


def layout_of(robot: Robot, engine: Any, joints: Sequence[str] | None) -> Layout:
    """The vectors of an engine, by its name or by its model, for the joints of a robot."""
    if isinstance(engine, str):
        if engine not in ENGINES:
            raise UnknownNameError("engine", engine, "strobe", ENGINES)
        names = _stated(robot, joints) if joints is not None else _in_one_row(robot, engine)
        return _laid_out(robot, engine, names)
    if joints is not None:
        raise ArgumentError(
            "joints= says the order where only the engine's name is given; its model has it."
        )
    if hasattr(engine, "jnt_qposadr"):
        found = "mujoco", dict(_of_mujoco(engine)), int(engine.nq), int(engine.nv)
    elif hasattr(engine, "idx_qs") and hasattr(engine, "names"):
        found = "pinocchio", dict(_of_pinocchio(engine)), int(engine.nq), int(engine.nv)
    else:
        raise ArgumentError(
            f"a {type(engine).__name__} is no engine's model; expected {' or '.join(map(repr, ENGINES))}, a "
            "mujoco.MjModel or a pinocchio.Model."
        )
    name, places, nq, nv = found
    return Layout(name, _matched(robot, places), nq, nv)


def _of_mujoco(model: Any) -> Iterator[tuple[str, Place]]:
    stated = [model.joint(i).name for i in range(model.njnt)]
    for i, name in enumerate(stated):
        kind, q, v = MUJOCO[int(model.jnt_type[i])], int(model.jnt_qposadr[i]), int(model.jnt_dofadr[i])
        yield name or unused_name(f"joint{i}", stated), Place(slice(q, q + kind.nq), slice(v, v + kind.nv))


def _of_pinocchio(model: Any) -> Iterator[tuple[str, Place]]:
    for i, name in enumerate(model.names):
        nq, nv, q, v = (int(x[i]) for x in (model.nqs, model.nvs, model.idx_qs, model.idx_vs))
        if nq:  # the universe has none, nor has a joint that Pinocchio itself lets follow
            yield name, Place(slice(q, q + nq), slice(v, v + nv))


def _stated(robot: Robot, joints: Sequence[str]) -> list[str]:
    if isinstance(joints, str):
        raise ArgumentError(f"joints is {shown(joints)}; expected names of joints.")
    joints = require_texts("joints", joints)
    known = {joint.name: joint for joint in robot.model.joints}
    for name in joints:
        if name not in known:
            raise UnknownNameError("joint", name, robot.name, list(known), "robot.model.joints")
    return joints


def _in_one_row(robot: Robot, engine: str) -> list[str]:
    """The joints of a robot without branches: there is one order."""
    parents = [body.parent for body in robot.model.bodies]
    if len(set(parents)) < len(parents):
        raise ArgumentError(
            f"{robot.name} has branches, whose order is {engine}'s own: give its model in place of its name, or the "
            "names in its order, joints=."
        )
    return [joint.name for joint in robot.model.joints]


def _laid_out(robot: Robot, engine: str, names: Sequence[str]) -> Layout:
    """Joints one after the other."""
    places: dict[str, Place] = {}
    q = v = 0
    for name in names:
        joint = robot.model.joint(name)
        nq = joint.nq + (engine == "pinocchio" and joint.record.circle)
        if engine == "mujoco" and not joint.record.mujoco:
            raise ArgumentError(
                f'joint "{name}" of {robot.name} is {joint.kind}, a kind that MuJoCo does not have. '
                f"{joint.record.otherwise}"
            )
        places[name] = Place(slice(q, q + nq), slice(v, v + joint.nv))
        q, v = q + nq, v + joint.nv
    _require_all(robot, places)
    if len(places) < len(names):
        raise ArgumentError("joints= names a joint twice.")
    return Layout(engine, places, q, v)


def _matched(robot: Robot, theirs: Mapping[str, Place]) -> dict[str, Place]:
    """Their places by our names; a base that floats alone is found whatever it is called."""
    joints = {joint.name: joint for joint in robot.model.joints}
    places = {name: place for name, place in theirs.items() if name in joints}
    left = [name for name in theirs if name not in joints]
    ours = [joint.name for joint in joints.values() if joint.is_free and joint.name not in places]
    free = [name for name in left if theirs[name].nq == FLOATING.nq]
    if len(ours) == len(free) == 1:
        places[ours[0]] = theirs[free[0]]
        left.remove(free[0])
    if left:
        raise ArgumentError(
            f'the model has a joint "{left[0]}" that {robot.name} does not have. Convert the numbers of its own '
            "joints alone: the engine's name, and joints= in the order of these numbers."
        )
    for name, place in places.items():
        if place.nq != joints[name].nq and not _has_circle(joints[name], place):
            raise ArgumentError(
                f'joint "{name}" has {place.nq} position numbers there and is {joints[name].kind} here, with '
                f"{joints[name].nq}: these are two robots."
            )
    _require_all(robot, places)
    return places


def _require_all(robot: Robot, places: Mapping[str, Place]) -> None:
    for joint in robot.coordinates.joints:
        if joint.name not in places:
            raise ArgumentError(f'the engine has no joint "{joint.name}", which {robot.name} has.')


# -- numbers ----------------------------------------------------------------------------------------------


def _there(robot: Robot, layout: Layout, state: Mapping[str, Array]) -> State:
    """A state of ours as the engine has it; joints that follow have no motor."""
    require_turns("q", state["q"], robot.coordinates.joints)
    every = _expanded(robot, state)
    if "tau" in state:
        every["tau"] = np.zeros((*state["tau"].shape[:-1], robot.model.nv), state["tau"].dtype)
        for ours, joint in _independent(robot):
            every["tau"][..., _slots(joint)["tau"]] = state["tau"][..., _slots(ours)["tau"]]
    made = _empty(state, layout.sizes)
    for joint in robot.model.joints:
        if (place := layout.places.get(joint.name)) is None:
            continue
        own = {name: value[..., _slots(joint)[name]] for name, value in every.items()}
        made["q"][..., place.q] = _position_there(layout.engine, joint, place, own["q"])
        for name, value in _turned(layout.engine, joint, own, back=False).items():
            made[name][..., place.v] = value
    return _state(made)


def _here(robot: Robot, layout: Layout, state: Mapping[str, Array], tolerance: float) -> State:
    """A state of the engine as ours; what follows others has to be where it follows to."""
    x = robot.coordinates
    every = _empty(state, {"q": robot.model.nq} | dict.fromkeys(State._fields[1:], robot.model.nv))
    for joint in robot.model.joints:
        if (place := layout.places.get(joint.name)) is None:
            continue
        own = {name: value[..., place.q if name == "q" else place.v] for name, value in state.items()}
        own["q"] = _position_here(layout.engine, joint, place, own["q"])
        for name, value in {"q": own["q"], **_turned(layout.engine, joint, own, back=True)}.items():
            every[name][..., _slots(joint)[name]] = value
    made = _empty(state, robot_sizes(robot))
    for ours, joint in _independent(robot):
        for name, value in every.items():
            made[name][..., _slots(ours)[name]] = value[..., _slots(joint)[name]]
    require_turns("q", made["q"], x.joints)
    _require_following(robot, layout, made, every, tolerance)
    if "tau" in made:
        made["tau"] = _columns(x.reduce(_split(every["tau"])), made["q"])
    return _state(made)


def _state(made: Mapping[str, Array]) -> State:
    return State(made["q"], *(made.get(name) for name in State._fields[1:]))


def _empty(state: Mapping[str, Array], sizes: Mapping[str, int]) -> dict[str, Array]:
    return {name: np.zeros((*x.shape[:-1], sizes[name]), x.dtype) for name, x in state.items()}


def _slots(joint: Joint) -> dict[str, slice]:
    """Where a joint has its numbers in vectors of its own robot."""
    rates = slice(joint.v, joint.v + joint.nv)
    return {"q": slice(joint.q, joint.q + joint.nq), "qd": rates, "qdd": rates, "tau": rates}


def _independent(robot: Robot) -> list[tuple[Joint, Joint]]:
    """Joints that follow no other, each as an independent one and as one of all."""
    return [(joint, robot.model.joint(joint.name)) for joint in robot.coordinates.joints]


def _expanded(robot: Robot, state: Mapping[str, Array]) -> dict[str, Array]:
    """Positions and rates of every joint, those that follow too."""
    x = robot.coordinates
    how = {"q": x.expand, "qd": x.expand_rates, "qdd": x.expand_rates}
    return {
        name: _columns(expand(_split(state[name])), state[name])
        for name, expand in how.items()
        if name in state
    }


def _require_following(
    robot: Robot, layout: Layout, made: Mapping[str, Array], every: Mapping[str, Array], tolerance: float
) -> None:
    """Refuse a state in which a joint that follows others here moves by itself there."""
    own = {joint.name for joint in robot.coordinates.joints}
    for name, wanted in _expanded(robot, made).items():
        for joint in robot.model.joints:
            if joint.name in own or joint.name not in layout.places:
                continue
            follows, found = wanted[..., _slots(joint)[name]], every[name][..., _slots(joint)[name]]
            apart = found - follows
            if joint.turns and name == "q":  # a cosine and a sine tell no turns
                apart = np.arctan2(np.sin(apart), np.cos(apart))
            parts = np.abs(apart) / np.maximum(1.0, np.abs(follows))
            if (parts > tolerance).any():
                worst = np.unravel_index(int(np.nanargmax(parts)), parts.shape)
                raise ArgumentError(
                    f'{name} of joint "{joint.name}" is {found[worst]:g}; it follows others in {robot.name}, to '
                    f"{follows[worst]:g}, and is off by {parts[worst]:.2g}, more than tolerance={tolerance:g}. Where "
                    "the engine holds it softly, give a larger one."
                )


def _has_circle(joint: Joint, place: Place) -> bool:
    """Whether the last angle of a joint is told by its cosine and sine there."""
    return place.nq == joint.nq + 1 and joint.position_units[-1] == RAD


def _position_there(engine: str, joint: Joint, place: Place, own: Array) -> Array:
    if joint.has_quaternion:
        return np.concatenate([own[..., :-4], _reordered(own[..., -4:], engine, -1)], axis=-1)
    if not _has_circle(joint, place):
        return own
    return np.concatenate([own[..., :-1], np.cos(own[..., -1:]), np.sin(own[..., -1:])], axis=-1)


def _position_here(engine: str, joint: Joint, place: Place, own: Array) -> Array:
    if joint.has_quaternion:
        return np.concatenate([own[..., :-4], _reordered(own[..., -4:], engine, 1)], axis=-1)
    if not _has_circle(joint, place):
        return own
    c, s = own[..., -2], own[..., -1]
    if (np.abs(np.hypot(c, s) - 1.0) > OFF_CIRCLE).any():
        raise ArgumentError(
            f'q of joint "{joint.name}" is no cosine and sine: their squares do not add up to one.'
        )
    return np.concatenate([own[..., :-2], np.arctan2(s, c)[..., None]], axis=-1)


def _reordered(quaternion: Array, engine: str, by: int) -> Array:
    """Pinocchio has w last."""
    return np.roll(quaternion, by, axis=-1) if engine == "pinocchio" else quaternion


def _turned(engine: str, joint: Joint, own: Mapping[str, Array], back: bool) -> dict[str, Array]:
    """Rates, accelerations and forces of a joint; MuJoCo has the linear parts of a free one in world axes."""
    position, rates = own["q"], {name: value for name, value in own.items() if name != "q"}
    if engine != "mujoco" or not joint.is_free:
        return rates
    R = quaternion_rotation(*_split(position[..., 3:]))
    linear, angular = (
        {name: Vec3(*_split(value[..., part])) for name, value in rates.items()}
        for part in (slice(0, 3), slice(3, 6))
    )
    turned = {name: (R.T if back else R) @ v for name, v in linear.items()}
    if "qdd" in rates:  # (R v)˙ = R (v̇ + ω × v)
        if back:
            turned["qdd"] = turned["qdd"] - angular["qd"].cross(turned["qd"])
        else:
            turned["qdd"] = R @ (linear["qdd"] + angular["qd"].cross(linear["qd"]))
    return {name: _columns([*turned[name], *angular[name]], position) for name in rates}


def _split(array: Array) -> list[Any]:
    return list(np.moveaxis(array, -1, 0))


def _columns(numbers: Sequence[Any], like: Array) -> Array:
    """Numbers, each an array or one for all, as the last axis."""
    shape = like.shape[:-1]
    columns = [np.broadcast_to(np.asarray(x, like.dtype), shape) for x in numbers]
    return np.stack(columns, axis=-1) if columns else np.zeros((*shape, 0), like.dtype)
