"""Loops that are alike: which compiled rounds a loop can take over from one that ran before.

A round is made from programs, and programs from all that a controller, its sensors and its arm are, gains and numbers
of sensors aside. That is told apart by content: a number that has changed makes another loop. Only what our own
modules compute can be told apart so. A controller or a model that somebody else wrote may read anything, globals and
what it closes over: its programs are traced anew for every loop.
"""

from __future__ import annotations

from abc import ABC
from collections.abc import Hashable, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from strobe.approximate.method import Formula
from strobe.compiler.runtime.cache import is_source
from strobe.control.sensors import PERFECT
from strobe.robot import Robot
from strobe.robot.recent import Recent

if TYPE_CHECKING:
    from strobe.control.loop import Loop

PLAIN = (type(None), bool, int, str)
DEEP = 6  # what holds what, from a loop to its numbers
LATER = ("_gains", "_pole")  # numbers of a controller that a round is given
SHARED = (  # of loops that are alike
    "parts", "instruments", "layout", "gains", "sensing", "readings", "kernels", "recurrence", "marching", "verdicts",
)  # fmt: skip
MOST = 16  # loops of an arm, each with its compiled rounds


class Unlike(Exception):
    """What cannot be told apart by content."""


def content(thing: Any, deep: int = DEEP) -> Hashable:
    """What tells a thing from others that compute something else; robots by themselves, since they do not change."""
    if type(thing) in PLAIN:
        return type(thing), thing
    if type(thing) is float:
        return float, thing.hex()  # which tells zeros apart
    if isinstance(thing, Robot):
        return thing
    if isinstance(thing, np.ndarray):
        return thing.shape, thing.dtype.str, thing.tobytes()
    if isinstance(thing, np.generic):
        return type(thing), thing.item()
    if not deep or isinstance(thing, Formula):
        raise Unlike
    if isinstance(thing, list | tuple):
        return type(thing), *(content(x, deep - 1) for x in thing)
    if isinstance(thing, Mapping):
        return "mapping", *((name, content(x, deep - 1)) for name, x in thing.items())
    if not _is_ours(type(thing)):
        raise Unlike
    return type(thing), *(
        (name, content(x, deep - 1)) for name, x in _held(thing).items() if name not in LATER
    )


def copied(thing: Any) -> Any:
    """A thing of ours with numbers of its own, robots aside: whoever changes one changes no other."""
    if isinstance(thing, np.ndarray):
        return thing.copy()
    if type(thing) is dict:
        return {name: copied(x) for name, x in thing.items()}
    if type(thing) is list:
        return thing[:]
    if (
        type(thing) in PLAIN
        or type(thing) is float
        or isinstance(thing, Robot)
        or not _is_ours(type(thing))
    ):
        return thing
    found = object.__new__(type(thing))
    vars(found).update({name: copied(x) for name, x in vars(thing).items()})
    return found


@cache
def _content_of_perfect() -> Hashable:
    return content(PERFECT)


def shared(loop: Loop, made_of: Hashable = None) -> Loop:
    """The loop, with the rounds of one that is like it, if one ran before on this arm.

    ``made_of`` is the content of its controller where that is known.
    """
    gains = tuple((name, x.shape[-1]) for name, x in loop.controller.gains.items())
    try:
        sensing = _content_of_perfect() if loop.sensors is PERFECT else content(loop.sensors)
        made_of = made_of or content(loop.controller), sensing
    except Unlike:
        return loop
    key = loop.rate, loop.method.name, loop.steps, loop.late, loop.continuous, gains, made_of
    other = loop.plant.kept("loops", lambda: Recent(MOST))(key, lambda: loop)
    if other is not loop:
        vars(loop).update({name: getattr(other, name) for name in SHARED})
    return loop


@cache
def _is_ours(kind: type) -> bool:
    """Whether all that a class does stands in our modules."""
    return all(is_source(each.__module__) for each in kind.__mro__ if each not in (object, ABC))


def _held(thing: Any) -> dict[str, Any]:
    """The attributes of a thing."""
    if hasattr(thing, "__dict__"):
        return vars(thing)
    if is_dataclass(thing):
        return {each.name: getattr(thing, each.name) for each in fields(thing)}
    raise Unlike
