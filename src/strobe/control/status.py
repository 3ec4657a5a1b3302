"""How a closed loop ended: what a motion controller reports back to whoever sent the request [Waters1979]."""

from __future__ import annotations

from enum import IntEnum

from strobe import renamed


class TrackingStatus(IntEnum):
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
    TrackingStatus.DONE: "the motion was followed to its end.",
    TrackingStatus.DEVIATION: "the arm left the motion by more than was allowed.",
    TrackingStatus.INFEASIBLE: "the motion asked for more than the arm can give.",
    TrackingStatus.STOPPED: "a sensor failed, and the arm was braked.",
    TrackingStatus.DIVERGED: "the loop diverged.",
}

renamed.answer(__name__)
