"""How a closed loop ended: what a motion controller reports back to whoever sent the request [Waters1979]."""

from __future__ import annotations

from enum import IntEnum


class Status(IntEnum):
    """The worst of what happened."""

    DONE = 0
    DEVIATION = 1
    INFEASIBLE = 2
    STOPPED = 3
    DIVERGED = 4

    @property
    def sentence(self) -> str:
        return SENTENCES[self]


SENTENCES = {
    Status.DONE: "the motion was followed to its end.",
    Status.DEVIATION: "the arm left the motion by more than was allowed.",
    Status.INFEASIBLE: "the motion asked for more than the arm can give.",
    Status.STOPPED: "a sensor failed, and the arm was braked.",
    Status.DIVERGED: "the loop diverged.",
}
