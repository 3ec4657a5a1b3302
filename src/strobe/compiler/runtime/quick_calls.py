"""Calls in a hurry: what a control loop asks again and again is answered by builtins, without anything between.

A method of a robot is looked up once and found again as a builtin (`quick.dispatcher`). That learns, the second time
the same is asked, how that call was written: so many arguments, these by name, these options. From then on it answers
such calls on plain float64 arrays, for one state or for a batch, and hands everything else to the method, which
checks and refuses.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from threading import local
from typing import Any

import numpy as np

from strobe.compiler.runtime.kernels import Kernel
from strobe.compiler.runtime.processor import builtins_work, declined
from strobe.compiler.runtime.threads import building
from strobe.quantities import QUANTITIES, Request

_hearing = local()  # kernels that the call of this thread has used


class QuickCalls:
    """The builtins that lie over the methods of one robot."""

    def __init__(self) -> None:
        self._asked = set[tuple[Request, int]]()  # what was asked before, for one state (0) or a batch (1)
        self._made: dict[str, Any] = {}  # by method; what a robot has under its name may be somebody else's

    def notice(self, kernel: Kernel, axes: int) -> None:
        """Take note of a call with so many batch axes."""
        heard = getattr(_hearing, "kernels", None)
        if heard is not None:
            heard.append((kernel, axes))

    def ahead(self, kernel: Kernel) -> None:
        """Prepare for calls of single states now, and of batches at the first one."""
        with building:
            from strobe.compiler.runtime.quick import forget

            made = self._made.get(kernel.request.quantity)
            if made is not None:
                forget(made)  # the code may be another than before
            if _is_quick(kernel):
                self._asked |= {(kernel.request, 0), (kernel.request, 1)}
                _ = _code(kernel).quick

    def over(self, robot: Any, method: Callable[..., Any]) -> Callable[..., Any]:
        """The builtin over a method, which stands before it from now on."""
        name = method.__name__
        with building:  # imports too: a child forked in the middle of one would wait for ever
            from strobe.compiler.runtime.quick import dispatcher

            if name not in self._made:
                learning = partial(self._learning, robot, method)
                self._made[name] = dispatcher(name, _documentation(method), (), learning, itself, robot)
            robot.__dict__[name] = self._made[name]
            return self._made[name]

    def _learning(self, robot: Any, method: Callable[..., Any], *args: Any, **named: Any) -> Any:
        """What a method answers, and what there is to be learnt of it."""
        outer = getattr(_hearing, "kernels", None)
        heard: list[tuple[Kernel, int]] = []
        _hearing.kernels = heard
        try:
            result = method(robot, *args, **named)
        finally:
            _hearing.kernels = outer
        if len(heard) == 1 and heard[0][0].request.quantity == method.__name__:
            kernel, axes = heard[0]
            self._learn(method, args, named, kernel, axes, result)
        return result

    def _learn(
        self,
        method: Any,
        args: tuple[Any, ...],
        named: dict[str, Any],
        kernel: Kernel,
        axes: int,
        result: Any,
    ) -> None:
        """Remember how a call was written, the second time that the same is asked."""
        from strobe.compiler.runtime.quick import learn, room_for

        builtin = self._made[method.__name__]
        if axes > 1 or not _is_quick(kernel):
            return
        call = _written(method, args, named, kernel, axes)
        if call is None:
            return
        if (kernel.request, axes) not in self._asked:
            self._asked.add((kernel.request, axes))
            return
        with building:
            place = room_for(builtin)
            if place is None:
                return
            code = _code(kernel)
            parted = not axes and named.get("out") is None  # what a builtin gives where there are several
            if axes:
                asked = code.batched(_rows(kernel, call[-1]), named.get("threads"))
            else:
                asked = code.quick if parted or not kernel.parts else code.into
            wrap = _parting(result, None if parted else axes)
            made = None if asked is declined else _answering(asked, result, wrap, *call)
            if made is not None:
                learn(builtin, made, place)

    def handle(
        self, robot: Any, kernel: Kernel, answer: Callable[..., Any],
        wrap: Callable[[Any], Any] | None, cut: Callable[[Any], Any] | None,
    ) -> Callable[..., Any]:  # fmt: skip
        """A builtin that takes the inputs of a kernel in order, and ``out``; ``answer`` takes what is not plain.

        ``wrap`` is given the arrays of a result in parts, ``cut`` the one array that they are of a batch.
        """
        if not _is_quick(kernel, of_a_method=False):
            return answer
        with building:
            from strobe.compiler.runtime.quick import Call, dispatcher

            places = len(kernel.inputs)
            inputs = tuple((k, None) for k in range(places))
            code = _code(kernel)
            ways = [(code.quick, wrap)]
            if not kernel.floats:
                loads = tuple(name for name in kernel.inputs if _is_load(name))
                ways += [(code.batched(rows), cut) for rows in dict.fromkeys(((), loads))]
            calls = [
                Call(places, names, (), (*inputs, *((places, None) for _ in names)), made, then)
                for made, then in ways
                for names in ((), ("out",))
                if made is not declined
            ]
            return dispatcher(HANDLE, f"{kernel!r}", calls, answer, Asked, robot, kernel.request)


HANDLE = "ask"


class Asked:
    """Where a handle is found again that was sent to another process."""

    def __init__(self, robot: Any, request: Request) -> None:
        setattr(self, HANDLE, robot.prepared(*(request.together or (request,))))


def itself(robot: Any) -> Any:
    """Where the builtins over a robot's methods are found again."""
    return robot


def _is_quick(kernel: Kernel, of_a_method: bool = True) -> bool:
    """Whether builtins may answer: states of closed chains are looked at before, so they do not."""
    request = kernel.request
    known = type(request) is Request and request.quantity in QUANTITIES
    looked_at = kernel.model.is_closed and not request.record.kinematic
    able = kernel.device.in_a_hurry and not kernel.is_empty and builtins_work()
    return able and not looked_at and (known or not of_a_method)


def _code(kernel: Kernel) -> Any:
    """The code that plain calls run, in which constants are one row for all states."""
    return kernel.code.shared if kernel.constants else kernel.code


def _written(
    method: Any, args: tuple[Any, ...], named: dict[str, Any], kernel: Kernel, axes: int
) -> tuple[int, tuple[str, ...], list[tuple[int, Any]], list[tuple[int, Any]], list[Any]] | None:
    """How a call is written, and the arrays of this one; None where it has what builtins do not take."""
    parameters = _parameters(method)
    given = dict(zip(parameters, args, strict=False)) | named
    places = {name: k for k, name in enumerate(given)}
    arrays: list[tuple[int, Any]] = []
    values: list[Any] = []
    for k, name in enumerate(kernel.inputs):
        word = name.split(" ")[0]
        value = given.get(word, parameters[word])
        one_row = name in kernel.constants or (_is_load(name) and np.ndim(value) == 1)
        plain = _is_plain(value, 1 if one_row else axes + 1)
        if not (type(value) is float if k in kernel.floats and not axes else plain):
            return None
        arrays.append((places.pop(word, -1), value if word not in given else None))
        values.append(value)
    if given.get("out") is not None:
        if not isinstance(given["out"], np.ndarray):
            return None
        arrays.append((places.pop("out"), None))
        values.append(given["out"])
    options = [(k, given[name]) for name, k in places.items()]
    if not all(_is_fixed(value) for _, value in options) or len(options) > 8 or len(named) > 8:
        return None
    threads = given.get("threads")
    if axes and not (threads is None or (type(threads) is int and threads >= 1)):
        return None
    return len(args), tuple(named), options, arrays, values


def _answering(
    made: Any, result: Any, wrap: Any, places: int, names: tuple[str, ...], options: list[tuple[int, Any]],
    arrays: list[tuple[int, Any]], values: list[Any],
) -> Any:  # fmt: skip
    """A call that a builtin answers, if it answers this one as the method did."""
    from strobe.compiler.runtime.quick import Call

    found = made(*values)
    if found is NotImplemented or not _alike(wrap(found) if wrap else found, result):
        return None
    return Call(places, names, tuple(options), tuple(arrays), made, wrap)


def _is_load(name: str) -> bool:
    """Whether an input is one that a batch often has in common: a wrench, or gravity."""
    return name.split(" ")[0] in ("wrench", "gravity")


def _rows(kernel: Kernel, values: Sequence[Any]) -> tuple[str, ...]:
    """The loads of a batch that are given as one row for all states."""
    return tuple(
        name for name, x in zip(kernel.inputs, values, strict=False) if _is_load(name) and x.ndim == 1
    )


def _parting(result: Any, axes: int | None) -> Callable[[Any], Any] | None:
    """What makes several arrays, as a method gives them, of a tuple, or of one array with so many batch axes."""
    if not isinstance(result, tuple):
        return None
    make, before = getattr(type(result), "_make", tuple), (slice(None),) * (axes or 0)
    places = [(*before, k) for k in range(len(result))]
    return make if axes is None else lambda whole: make([whole[place] for place in places])


def _alike(found: Any, result: Any) -> bool:
    if isinstance(result, tuple):
        return type(found) is type(result) and all(map(_alike, found, result))
    return found.shape == result.shape and np.allclose(found, result, 1e-6, equal_nan=True)


def _is_plain(value: Any, axes: int) -> bool:
    return type(value) is np.ndarray and value.ndim == axes and value.dtype == np.float64


def _is_fixed(value: Any) -> bool:
    """Whether the same object, or an equal one of its type, is always the same option."""
    names = type(value) is tuple and all(type(x) is str for x in value)
    return names or type(value) in (str, bool, int, type(None))


@cache
def _parameters(method: Any) -> Mapping[str, Any]:
    """What a method takes behind itself, in order, with its defaults."""
    found = list(inspect.signature(method).parameters.values())[1:]
    return {each.name: each.default for each in found}


@cache
def _documentation(method: Any) -> str:
    """Text from which `help` and `inspect.signature` tell of a builtin what they tell of the method."""
    signature = inspect.signature(method)
    bare = [each.replace(annotation=each.empty) for each in list(signature.parameters.values())[1:]]
    shown = str(signature.replace(parameters=bare, return_annotation=signature.empty))
    return f"{method.__name__}{shown}\n--\n\n{inspect.getdoc(method) or ''}"
