"""Bodies and frames moved from one carrier to another: where each old body went, and how it lies there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from strobe.algebra import Pose
from strobe.models.model import Body, Frame
from strobe.models.placements import joined

Placed = Mapping[int, tuple[int, Pose]]  # old body -> new carrier, and where on it


def rehung(body: Body, index: int, placed: Placed) -> Body:
    """A body under another number, on the new carrier of its parent."""
    carrier, placement = placed[body.parent]
    return replace(body, index=index, parent=carrier, before=joined(placement @ body.before))


def reattached(frame: Frame, placed: Placed, deeper: int = 0) -> Frame:
    """A frame on the new carrier of its body, behind more fixed joints than before where joints became fixed."""
    carrier, placement = placed[frame.body]
    return Frame(frame.name, carrier, joined(placement @ frame.placement), frame.depth + deeper)


def numbered(bodies: Iterable[Body]) -> tuple[Body, ...]:
    """The same bodies with their joints' slices one after the other."""
    result: list[Body] = []
    q = v = 0
    for body in bodies:
        result.append(replace(body, joint=body.joint.at(q, v)))
        q, v = q + body.joint.nq, v + body.joint.nv
    return tuple(result)
