"""What can be wrong with a map from coordinates φ to the joints of a robot, each said before anything is computed.

A map is run once over nodes: it must give as many numbers as the joints have, by smooth operations. Then it is tried
at places in a box of φ. Where det T differs in sign between two of them, a place with det T = 0 lies on the way, and
is found by halving; T has no inverse there, and some direction of φ moves no joint.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from strobe.compiler.runtime.arrays import checked
from strobe.compiler.runtime.interpret import evaluate
from strobe.equations.coordinate_maps import Change, Linear, Map, rows
from strobe.errors import (
    ArgumentError,
    MixedNumbersError,
    NumberTruthError,
    ShapeError,
    SingularMapError,
    StrobeError,
    UnsupportedModelError,
    counted,
    shown,
    vector,
)
from strobe.formulations import kinematics
from strobe.models.arguments import require_texts
from strobe.models.model import ROOT
from strobe.robot import Robot
from strobe.scalars import Graph, Scalar
from strobe.scalars.scalar import is_number

Array = np.ndarray

CORNERS = {"abs": "absolute", "min": "minimum", "max": "maximum", "less": "less", "where": "where"}
WRITTEN = (
    "Write it with arithmetic and the smooth functions of strobe.scalars (sin, cos, sqrt, atan2, tanh)."
)
ELSEWHERE = "Give within=(lower, upper), a box of phi without such places."
PLACES = 64  # where a map is tried
PARALLEL = 1e-9  # how far from ±1 the cosine between parallel axes may be
SINGULAR = 1e-12  # a singular value below this part of the largest is rounding
CROSSED = 1e-6  # the same where halving has found a change of sign as closely as rounding allows


def checked_change(robot: Robot, map: Any, offset: Any, places: Array) -> Change:
    """The change of coordinates that a user asks for, invertible at places and between them."""
    if not robot.nv:
        raise UnsupportedModelError(f"{robot.name} has no joints that move: there is nothing to map to.")
    change = Change(_map(robot, map, offset), robot.coordinates.joints)
    labels = robot.coordinates.position_names
    used = _operations("map", change.map, change.n, labels)
    corners = [name for op, name in CORNERS.items() if op in used]
    if corners:
        raise ArgumentError(
            f"the map uses {', '.join(corners)}, which has corners: C needs second derivatives. {WRITTEN}"
        )
    if change.linear is not None:
        T = np.array([change.linear.rows])
        _refuse_singular(robot, [None], T, _scales(T))
    else:
        _require_invertible(robot, change, places, labels)
    return change


def with_inverse(change: Change, inverse: Map | None, places: Array, names: Sequence[str]) -> Change:
    """The change with its way back: that of a linear map, or a given one that leads back to the joints."""
    if inverse is None:
        return replace(change, inverse=change.linear.inverse()) if change.linear is not None else change
    nq = sum(joint.nq for joint in change.joints)
    _operations("inverse", inverse, nq, names)
    change = replace(change, inverse=inverse)
    q = evaluate(change.positions, {"phi": places}, (nq,))
    phi = evaluate(change.from_positions, {"q": q}, (change.n,))
    again = evaluate(change.positions, {"phi": phi}, (nq,))
    far = ~(np.abs(again - q) <= 1e-6 * (1.0 + np.abs(q)))
    for row, _ in np.argwhere(far)[:1]:
        raise ArgumentError(
            f"inverse does not undo the map: at phi = {vector(places[row])} the joints are at {vector(q[row])}, "
            f"for which it gives phi = {vector(phi[row])}. {ELSEWHERE}"
        )
    return change


def checked_names(names: Sequence[str] | None, n: int) -> tuple[str, ...]:
    """The names of coordinates: phi1, phi2, … where none are given."""
    if names is None:
        return tuple(f"phi{k + 1}" for k in range(n))
    given = require_texts("names", names)
    if len(given) != n or len(set(given)) != n:
        raise ArgumentError(
            f"names is {shown(names)}; expected {n} different names, one for each coordinate."
        )
    return tuple(given)


def checked_places(within: Any, n: int) -> Array:
    """Places (PLACES, n) in a box (lower, upper) of φ, −π to π where none is given; its middle first."""
    box = _box((-math.pi, math.pi) if within is None else within, n)
    if box is None:
        raise ArgumentError(
            f"within is {shown(within)}; expected (lower, upper), each a number or {n} of them, lower below upper."
        )
    places = np.random.default_rng(0).uniform(*box, (PLACES, n))
    places[0] = (box[0] + box[1]) / 2
    return places


def _box(within: Any, n: int) -> tuple[Array, Array] | None:
    try:
        lower, upper = (np.broadcast_to(np.asarray(end, dtype=float), (n,)) for end in within)
    except (TypeError, ValueError):
        return None
    return (lower, upper) if np.isfinite(upper - lower).all() and (lower < upper).all() else None


# -- what is given ------------------------------------------------------------------------------------


def _map(robot: Robot, map: Any, offset: Any) -> Map:
    """A function as it is, a matrix as one, and "absolute" as its matrix."""
    if isinstance(map, str) and map != "absolute":
        raise ArgumentError(f'map is "{map}"; expected a function, a matrix or "absolute".')
    if offset is not None and (isinstance(map, str) or callable(map)):
        raise ArgumentError("offset= goes with a matrix; a function adds its own.")
    if callable(map):
        return map  # pyright: ignore[reportReturnType]  what it gives is looked at later
    if not robot.coordinates.is_single:
        raise UnsupportedModelError(
            f"{robot.name} has joints with {robot.coordinates.several}, which no matrix leads to; write the map as a "
            "function."
        )
    if isinstance(map, str):
        return _absolute(robot)
    n = robot.nv
    matrix = _finite("map", map, (n, n), robot.shape_reason)
    shift = np.zeros(n) if offset is None else _finite("offset", offset, (n,), robot.shape_reason)
    return Linear(rows(matrix), tuple(shift.tolist()))


def _finite(name: str, given: Any, shape: tuple[int, ...], why: str) -> Array:
    array = checked(name, given, (), why)
    if array.shape != shape:
        raise ShapeError(name, array.shape, str(shape), why)
    if not np.isfinite(array).all():
        raise ArgumentError(f"{name} holds {array[~np.isfinite(array)][0]}; expected finite numbers.")
    return array


def _absolute(robot: Robot) -> Linear:
    """Every turning joint by its angle against the base, as far inwards as the axes are parallel to its own."""
    if not robot.coordinates.trivial:
        raise UnsupportedModelError(
            f'{robot.name} has joints that follow others, for which "absolute" is not defined; give a matrix.'
        )
    bodies, axes = robot.model.bodies, _axes(robot)
    matrix = np.eye(robot.nv)
    for index, axis in axes.items():
        before = bodies[index].parent
        while before != ROOT and bodies[before].joint.slides:
            before = bodies[before].parent
        along = float(axis @ axes[before]) if before in axes else 0.0
        if abs(abs(along) - 1.0) < PARALLEL:
            matrix[bodies[index].joint.v, bodies[before].joint.v] = -round(along)
    if np.count_nonzero(matrix) == robot.nv:
        raise UnsupportedModelError(
            f"{robot.name} has no joint whose axis is parallel to that of the joint before it: "
            '"absolute" angles would be the angles of the joints.'
        )
    return Linear(rows(matrix), (0.0,) * robot.nv)


def _axes(robot: Robot) -> dict[int, Array]:
    """The axes of the turning joints by their bodies, base axes, with all joints at zero."""
    bodies = robot.model.bodies
    placed = kinematics.body_placements(bodies, robot.neutral.tolist())
    turning = [body for body in bodies if body.joint.turns]
    columns = {body.index: next(iter(body.S)).angular for body in turning}
    return {index: np.array([*(placed[index].R @ axis)], dtype=float) for index, axis in columns.items()}


# -- how it is written --------------------------------------------------------------------------------


def _operations(what: str, function: Map, size: int, labels: Sequence[str]) -> set[str]:
    """The operations that a function uses; raise where it does not give one real number for each label."""
    graph = Graph()
    try:
        result: Any = function([graph.variable(f"x[{k}]") for k in range(size)])
    except NumberTruthError:
        raise ArgumentError(
            f"the {what} decides on a value (if, and, or): it has corners. {WRITTEN}"
        ) from None
    except MixedNumbersError:
        raise ArgumentError(
            f"the {what} mixes what it is given with complex or other numbers; expected real arithmetic."
        ) from None
    except StrobeError:
        raise
    except (TypeError, ValueError, AttributeError, LookupError, ArithmeticError) as error:
        raise ArgumentError(f"the {what} cannot be run on {size} numbers: {error}. {WRITTEN}") from error
    if not isinstance(result, list | tuple | np.ndarray):
        raise ArgumentError(
            f"the {what} gives a {type(result).__name__}; expected a list of {len(labels)} numbers."
        )
    if len(result) != len(labels):
        count = counted(len(result), "number")
        raise ArgumentError(f"the {what} gives {count}; expected {len(labels)} ({', '.join(labels)}).")
    for label, value in zip(labels, result, strict=True):
        _require_real(what, label, value)
    return {node.op for node in graph.nodes}


def _require_real(what: str, label: str, value: Any) -> None:
    if isinstance(value, complex):
        raise ArgumentError(
            f'the {what} gives the complex number {value} for "{label}"; expected a real one.'
        )
    if not isinstance(value, Scalar) and not is_number(value):
        raise ArgumentError(f'the {what} gives a {type(value).__name__} for "{label}"; expected a number.')
    if is_number(value) and not math.isfinite(value):
        raise ArgumentError(f'the {what} gives {value} for "{label}"; expected a finite number.')


# -- where it can be used -----------------------------------------------------------------------------


def _require_invertible(robot: Robot, change: Change, places: Array, labels: Sequence[str]) -> None:
    """Raise where the map has no value, no derivative or no inverse, at places and on the way between them."""
    q = evaluate(change.positions, {"phi": places}, (len(labels),))
    for row, column in np.argwhere(~np.isfinite(q))[:1]:
        raise ArgumentError(
            f'the map gives {q[row, column]} for "{labels[column]}" at phi = {vector(places[row])}. {ELSEWHERE}'
        )
    T = _slopes(change, places)
    scales = _scales(T)
    _refuse_singular(robot, places, T, scales)
    signs, _ = np.linalg.slogdet(T)
    if signs.min() < signs.max():
        place = _crossing(change, places[signs.argmin()], places[signs.argmax()])
        _refuse_singular(robot, [place], _slopes(change, place[None]), scales, CROSSED)
        raise ArgumentError(f"the map has a pole at phi = {vector(place)}. {ELSEWHERE}")


def _slopes(change: Change, places: Array) -> Array:
    """T at places; raise where it is not finite."""
    T = evaluate(change.T, {"phi": places}, (change.n, change.n))
    for row, *_ in np.argwhere(~np.isfinite(T))[:1]:
        raise ArgumentError(f"the map has no finite derivative at phi = {vector(places[row])}. {ELSEWHERE}")
    return T


def _crossing(change: Change, below: Array, above: Array) -> Array:
    """Where det T changes its sign between two places."""
    for _ in range(64):
        middle = (below + above) / 2
        if np.linalg.det(_slopes(change, middle[None])[0]) < 0.0:
            below = middle
        else:
            above = middle
    return (below + above) / 2


def _scales(T: Array) -> Array:
    """What each coordinate moves at most, over places: radians stand beside metres and turns of a motor."""
    lengths = np.linalg.norm(T, axis=-2).max(axis=0)
    return np.where(lengths > 0.0, lengths, 1.0)


def _refuse_singular(robot: Robot, places: Any, T: Array, scales: Array, least: float = SINGULAR) -> None:
    """Raise at the first place where some direction of φ moves no joint."""
    _, values, directions = np.linalg.svd(T / scales)
    small = values <= least * values[..., :1]
    for row in np.flatnonzero(small.any(axis=-1))[:1]:
        direction = directions[row, -1] / scales
        largest = np.abs(direction) > 0.999 * np.abs(direction).max()
        direction = direction / direction[largest.argmax()]  # the first that rounding cannot tell apart
        raise SingularMapError(robot.name, int((~small[row]).sum()), places[row], direction.tolist())
