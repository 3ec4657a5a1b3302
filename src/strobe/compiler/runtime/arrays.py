"""The border: arrays are checked here, once, and the sentence says what was got and what was expected."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass, replace
from math import isfinite
from typing import Any, TypeGuard

import numpy as np

from strobe.algebra.quaternions import OFF_UNIT, SQUARES
from strobe.compiler.runtime.results import new_result
from strobe.errors import ArgumentError, DtypeError, ShapeError
from strobe.models.joints import Joint

REASONS = {
    "wrench": "a wrench is (fx, fy, fz, mx, my, mz) in base axes",
    "gravity": "it is an acceleration in base axes",
    "dt": "it is a time",
    "point": "it is a position in the frame's axes",
    "parameters": "it holds ten numbers for every body, as robot.parameter_names",
    "geometry": "it holds the numbers of robot.geometry_names or of robot.full_geometry_names",
}


def collected(values: Mapping[str, Any], sizes: Mapping[str, int], why: str) -> dict[str, np.ndarray]:
    """Arrays of one dtype, ordered as ``sizes``; lists and Python numbers take that of the arrays beside them."""
    clean = {name: values[name] for name, size in sizes.items() if is_clean(values[name], size)}
    if len(clean) == len(sizes):  # what a caller in a hurry passes
        return clean
    arrays = {
        name: checked(name.split(" ")[0], values[name], (size,), REASONS.get(name.split(" ")[0], why))
        for name, size in sizes.items()
    }
    if all(array.dtype is FLOAT64 for array in arrays.values()):
        return arrays
    strong = [array for name, array in arrays.items() if not is_python(values[name])]
    dtype = np.result_type(*strong) if strong else np.dtype(np.float64)
    return {name: array.astype(dtype, copy=False) for name, array in arrays.items()}


MOST_AXES = 24  # NumPy broadcasts 32, and results have more than what is given
FEW = 64  # truth values
FLOAT64 = np.dtype(np.float64)
KINDS = {"c": "complex numbers", "b": "truth values", "O": "Python objects", "U": "text", "S": "bytes"}


def is_clean(value: Any, size: int) -> bool:
    """Whether a value is a plain float64 array of the right size already."""
    return (
        type(value) is np.ndarray and value.dtype is FLOAT64 and value.ndim > 0 and value.shape[-1] == size
    )


def all_finite(array: np.ndarray) -> bool:
    """Whether every number is finite, as a sum of squares tells at once unless it is beyond all numbers."""
    return isfinite(np.vdot(array, array)) or bool(np.isfinite(array).all())


def every(truths: np.ndarray) -> bool:
    """Whether all of them hold: of few, Python's own tell in a third of the time that NumPy's takes."""
    return all(truths.ravel().tolist()) if truths.size <= FEW else bool(truths.all())


def some(truths: np.ndarray) -> bool:
    """Whether any of them holds, in the same way."""
    return any(truths.ravel().tolist()) if truths.size <= FEW else bool(truths.any())


def is_python(value: Any) -> bool:
    """Whether a value is made of Python's own numbers, which have no precision to keep."""
    if isinstance(value, list | tuple):
        return all(map(is_python, value))
    return isinstance(value, int | float) and not isinstance(value, np.generic)


def checked(name: str, value: Any, core: tuple[int, ...], why: str) -> np.ndarray:
    """value as a float array whose last axes are ``core``."""
    array = real_numbers(name, value)
    if core and (array.ndim < len(core) or array.shape[array.ndim - len(core) :] != core):
        sizes = ", ".join(map(str, core))
        raise ShapeError(name, array.shape, f"(..., {sizes})", why)
    return array


def one_or_each(name: str, value: Any, size: int, why: str) -> np.ndarray:
    """One number for all of several things, (), or one for each, (..., size), in double precision."""
    array = real_numbers(name, value)
    return (array if array.ndim == 0 else checked(name, array, (size,), why)).astype(float)


def real_numbers(name: str, value: Any) -> np.ndarray:
    """Anything that holds real numbers as a plain array: float32 where it has that, else float64."""
    if value is None:
        raise DtypeError(name, "nothing: it is None")
    array = _as_array(name, value)
    if array.dtype.kind not in "fiu":
        raise DtypeError(name, KINDS.get(array.dtype.kind, str(array.dtype)))
    if array.ndim > MOST_AXES:
        raise ShapeError(
            name, array.shape, "batch axes and those of one state", f"it has {array.ndim} axes"
        )
    if array.dtype.kind != "f" or array.dtype.itemsize not in (4, 8) or not array.dtype.isnative:
        with np.errstate(over="ignore"):  # a long double beyond all doubles is infinite
            array = array.astype(np.float32 if array.dtype == np.dtype(">f4") else np.float64)
    if _is_masked(array):
        array = array.filled(np.nan)  # what is masked is not known, and so is what follows from it
    return np.asarray(array)


LIBRARIES = {"torch": "Tensor", "jax": "Array"}  # whose arrays know derivatives, and what these are called


def library_of(values: Iterable[Any]) -> str | None:
    """The library of the first array that knows derivatives, or none: whoever has one has imported its library."""
    for library, kind in LIBRARIES.items():
        known = getattr(sys.modules.get(library), kind, None)
        if known is not None and any(isinstance(value, known) for value in values):
            return library
    return None


def shape_of(name: str, value: Any) -> tuple[int, ...]:
    """The shape of an array, which one of another library says by itself, whatever it can be made into."""
    shape = getattr(value, "shape", None)
    return tuple(shape) if isinstance(shape, tuple) else real_numbers(name, value).shape


def _is_masked(array: np.ndarray) -> TypeGuard[np.ma.MaskedArray]:
    """Whether some entries are masked; a plain array says so without the import of masked ones."""
    return type(array) is not np.ndarray and isinstance(array, np.ma.MaskedArray)


def precision(*values: Any) -> np.dtype[Any]:
    """The precision that an answer has: that of the arrays it is made from; Python's own numbers have none."""
    strong = [real_numbers("an argument", x).dtype for x in values if x is not None and not is_python(x)]
    return np.result_type(*strong) if strong else FLOAT64


def in_precision(answer: Any, dtype: np.dtype[Any]) -> Any:
    """What was worked out in double precision, its arrays in the precision of what was given."""
    if dtype == FLOAT64:
        return answer
    if isinstance(answer, np.ndarray | np.floating):
        return answer.astype(dtype) if answer.dtype == FLOAT64 else answer
    if isinstance(answer, Mapping):
        return {name: in_precision(value, dtype) for name, value in answer.items()}
    if isinstance(answer, tuple):
        return tuple(in_precision(value, dtype) for value in answer)
    if is_dataclass(answer) and not isinstance(answer, type):
        return replace(
            answer, **{f.name: in_precision(getattr(answer, f.name), dtype) for f in fields(answer)}
        )
    return answer


def _as_array(name: str, value: Any) -> np.ndarray:
    """What NumPy makes of a value, by any protocol that it or another array library knows."""
    try:
        array = np.asanyarray(value)
        if array.dtype.kind == "O" and hasattr(value, "__dlpack__") and not isinstance(value, np.ndarray):
            array = np.from_dlpack(value)
    except Exception as error:  # a foreign __array__ may raise anything
        if isinstance(value, list | tuple):
            raise DtypeError(name, "nested lists of unequal lengths") from None
        kind, said = type(value).__name__, " ".join(str(error).split())[:200]
        raise DtypeError(name, f"a {kind} that gives no array ({said})") from None
    return array


def turns(joints: Iterable[Joint]) -> tuple[int, ...]:
    """Where quaternions begin in a position."""
    return tuple(joint.q + joint.nq - 4 for joint in joints if joint.has_quaternion)


def require_turns(name: str, q: np.ndarray, joints: Iterable[Joint]) -> None:
    """Refuse quaternions that are no orientation: those whose length is not one; what is not a number passes."""
    for joint in joints:
        if not joint.has_quaternion:
            continue
        end = joint.q + joint.nq
        part = q[..., end - 4 : end].astype(float, copy=False)
        with np.errstate(all="ignore"):
            w, x, y, z = (
                part[..., k] for k in range(4)
            )  # whole columns: a sum along rows takes five times as long
            squares = w * w + x * x + y * y + z * z
            off = (squares < SQUARES[0]) | (squares > SQUARES[1])
        if off.any():
            _refuse_turn(name, squares, off, joint)


def _refuse_turn(name: str, squares: np.ndarray, off: np.ndarray, joint: Joint) -> None:
    first = tuple(np.argwhere(off)[0].tolist())
    row = f"[{', '.join(map(str, first))}]" if first else ""
    square = float(squares[first])
    cure = "" if not square else (
        f" Its length may differ from one by {OFF_UNIT:g}: divide the four numbers by it. Positions of MuJoCo and "
        "Pinocchio come in another order: strobe.convert_state."
    )  # fmt: skip
    raise ArgumentError(
        f"{name}{row} has a quaternion of length {f'{square**0.5:.6g}' if square else 'zero'} in joint "
        f'"{joint.name}"; expected w, x, y, z of an orientation, such as 1, 0, 0, 0.{cure}'
    )


def batch_shape(inputs: Mapping[str, np.ndarray]) -> tuple[int, ...]:
    """The common leading shape of arrays whose last axis belongs to one state."""
    shapes = {array.shape[:-1] for array in inputs.values()}
    if len(shapes) == 1:
        return shapes.pop()
    try:
        return np.broadcast_shapes(*(array.shape[:-1] for array in inputs.values()))
    except ValueError:
        got = ", ".join(f"{name} {array.shape}" for name, array in inputs.items())
        raise ArgumentError(
            f"the leading axes do not broadcast: {got}. All arrays need the same batch, or none."
        ) from None


def destination(out: np.ndarray | None, shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """Where a result of this shape goes: the given array, if it can hold it, or a new one."""
    if out is None:
        return new_result(shape, dtype)
    if not isinstance(out, np.ndarray) or _is_masked(out):
        raise ArgumentError(f"out is a {type(out).__name__}; expected a NumPy array of shape {shape}.")
    if out.shape != shape:
        raise ShapeError("out", out.shape, str(shape), "the result does not fit")
    if out.dtype.kind != "f" or out.dtype.itemsize < 4 or not out.flags.writeable:
        if out.flags.writeable:
            raise ArgumentError(f"out is a {out.dtype} array; expected float64.")
        raise ArgumentError(f"out is a read-only {out.dtype} array; expected one that may be written to.")
    return out


def side_by_side(array: np.ndarray, core: int) -> bool:
    """Whether the numbers of one state, the last ``core`` axes, lie together in memory."""
    expected = array.itemsize
    for axis in range(1, core + 1):
        if array.shape[-axis] > 1 and array.strides[-axis] != expected:
            return False
        expected *= array.shape[-axis]
    return True
