"""The frame that is meant where none is named: the tip, the farthest frame behind the last moving joint.

    ends    bodies that joints move and from which no moving body hangs; those that closed chains tie together are
            one end, and so are several behind a body with a frame named as a tool: fingers behind a hand
    tip     of the frames fixed to the only end: those named as tools first (`TOOLS`, in that order), then those
            behind more fixed joints, then the later ones of the file
    several ends (arms, legs, wheels) have no tip: a name is asked for, and one frame of each end offered

What a model says of itself (``Model.tip``) goes before the rule, as long as joints move that frame.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from weakref import WeakKeyDictionary

from strobe.errors import StillFrameError, TipError
from strobe.models.couplings import coordinates
from strobe.models.model import ROOT, Frame, Model

# the last word of a name, behind any prefix and before link, frame or site; the first that fits counts
TOOLS = ("tcp", "tool0?", "eef?|end_?effector", "gripper|hand")
_NAMED = [re.compile(rf"(?:^|.*_)(?:{word})(?:_?(?:link|frame|site))?") for word in TOOLS]

_known: WeakKeyDictionary[Model, frozenset[str]] = WeakKeyDictionary()


def tip(model: Model) -> str:
    """The frame meant where none is named; several ends are refused with a frame of each."""
    moved = moved_frames(model)
    if model.tip in moved:
        return model.tip
    match tips(model):
        case (only,):
            return only
        case ():
            raise StillFrameError(model.name)
        case several:
            raise TipError(model.name, several)


def tips(model: Model) -> tuple[str, ...]:
    """The farthest frame of every end, in the order of the file."""
    return tuple(_farthest(end.frames).name for end in _ends(model))


def rivals(model: Model) -> tuple[str, ...]:
    """What else might have been meant by the tip: frames of its body that may lie as far, tools before it, fingers
    behind it."""
    chosen = model.frame(tip(model))
    others = [frame for frame in model.frames if frame.body == chosen.body and frame is not chosen]
    own = model.bodies[chosen.body].name
    near = [f.name for f in others if f.name != own and (f.depth >= chosen.depth or _tool(f) < len(TOOLS))]
    before = [*_inwards(model, model.bodies[chosen.body].parent)]
    tools = [f.name for f in model.frames if f.body in before and _tool(f) < len(TOOLS)]
    fingers = [_farthest(end.frames).name for end in _leaves(model)]
    return tuple(dict.fromkeys([*near, *tools, *(name for name in fingers if name != chosen.name)]))


def frame_meant(model: Model) -> str:
    """Which frame is meant, where another might have been; nothing where it is the last frame and the only one."""
    name, others = tip(model), rivals(model)
    if not others and name == model.frames[-1].name:
        return ""
    few = [f'"{other}"' for other in others[:4]] + (["…"] if len(others) > 4 else [])
    beside = f", not {', '.join(few)}" if others else ""
    return f'no frame was named: "{name}" is meant, the tip of {model.name}{beside}.'


def unsaid(model: Model) -> Model:
    """What a file keeps of a model that has no place for its tip, and holds every frame by one fixed joint."""
    own = {model.base_name, *(body.name for body in model.bodies)}
    frames = tuple(replace(frame, depth=int(frame.name not in own)) for frame in model.frames)
    return replace(model, frames=frames, tip="")


def hands(model: Model) -> tuple[str, ...]:
    """The tip alone, or a frame of every end where there is none."""
    one = tip_or_none(model)
    return tips(model) if one is None else (one,)


def tip_or_none(model: Model) -> str | None:
    """The tip, if there is one."""
    try:
        return tip(model)
    except (StillFrameError, TipError):
        return None


def moved_frames(model: Model) -> frozenset[str]:
    """The names of the frames that joints move; worked out once."""
    if model not in _known:
        bodies = _moved(model)
        _known[model] = frozenset(frame.name for frame in model.frames if frame.body in bodies)
    return _known[model]


def moved_frame(model: Model, name: str | None) -> str:
    """The name of a frame that joints move, the tip if none is named; one that rests is refused."""
    if name is None:
        return tip(model)
    if model.frame(name).name not in moved_frames(model):
        raise StillFrameError(model.name, name, hands(model))
    return name


def _moved(model: Model) -> set[int]:
    """The bodies that some independent coordinate moves: a joint that follows none of them stands still."""
    rates = coordinates(model).velocities
    moved: set[int] = set()
    for body in model.bodies:
        own = rates[body.joint.v : body.joint.v + body.joint.nv]
        if body.parent in moved or any(factor for terms in own for factor in terms.values()):
            moved.add(body.index)
    return moved


@dataclass(frozen=True)
class _End:
    """Bodies that end together, and the frames to choose from."""

    bodies: frozenset[int]
    frames: Sequence[Frame]


def _ends(model: Model) -> list[_End]:
    """The ends, several of them behind a body with a frame named as a tool as one: fingers of a hand."""
    ends = _leaves(model)
    if len(ends) == 1:
        return ends
    tools: dict[int, list[Frame]] = {}
    for frame in model.frames:
        if _tool(frame) < len(TOOLS):
            tools.setdefault(frame.body, []).append(frame)
    for hand in sorted(tools, reverse=True):
        fingers = [end for end in ends if all(hand in _inwards(model, k) for k in end.bodies)]
        if hand != ROOT and len(fingers) > 1:
            place = ends.index(fingers[0])
            ends = [end for end in ends if end not in fingers]
            ends.insert(place, _End(frozenset({hand}), tools[hand]))
    return ends


def _leaves(model: Model) -> list[_End]:
    """The bodies from which none hangs, those that closed chains tie together in one."""
    moved = _moved(model)
    inner = {body.parent for body in model.bodies if body.index in moved}
    tied = [(model.frame(loop.frame_a).body, model.frame(loop.frame_b).body) for loop in model.loops]
    groups = {k: frozenset({k}) for k in sorted(moved - inner)}
    for a, b in tied:
        if a in groups and b in groups:
            both = groups[a] | groups[b]
            groups |= dict.fromkeys(both, both)
    # an end tied to a body of another branch that goes on is a rod that drives it, and no tip
    both_ways = [*tied, *((b, a) for a, b in tied)]
    driving = {a for a, b in both_ways if b in inner - {ROOT} and b not in _inwards(model, a)}
    every = list(dict.fromkeys(groups.values()))
    ends = [_End(group, _on(model, group)) for group in every if not group & driving]
    ends = ends or [_End(group, _on(model, group)) for group in every]
    return [end for end in ends if end.frames]


def _inwards(model: Model, k: int) -> Iterator[int]:
    """A body, and those before it on the way to the root."""
    while k != ROOT:
        yield k
        k = model.bodies[k].parent


def _on(model: Model, bodies: Iterable[int]) -> list[Frame]:
    """The frames of bodies; of one without, those of the nearest body before it that has some."""
    carriers = {frame.body for frame in model.frames}
    found = {next((j for j in _inwards(model, k) if j in carriers), None) for k in bodies}
    return [frame for frame in model.frames if frame.body in found]


def _farthest(frames: Sequence[Frame]) -> Frame:
    """Of frames in the order of the file: a tool before others, then the deepest, then the last."""
    return max(enumerate(frames), key=lambda each: (-_tool(each[1]), each[1].depth, each[0]))[1]


def _tool(frame: Frame) -> int:
    """Which of the words for tools a frame is named by; their number if by none."""
    name = re.sub(r"\W", "_", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", frame.name)).lower()
    return next((k for k, word in enumerate(_NAMED) if word.fullmatch(name)), len(TOOLS))
