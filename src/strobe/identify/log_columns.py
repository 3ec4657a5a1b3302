"""What the columns of a log are called, in the spellings of the programs that write logs.

q_<joint>, <joint>_q, <joint>        position        q1 … qn, in the order of the joints       Strobe's own
/joint_states/<joint>/position       PlotJuggler; also <joint>/position, <joint>.position, position_<joint>
actual_q_0, target_qd_0, …           UR's RTDE, joints counted from 0
position[0], .position[0]            ROS messages as tables; name[0] beside them names the joints
field.position0                      rostopic echo -p
joint_1, J1, joint1_pos              joints by number, where no joint has that name

Letters may be small or large. What stands before a quantity is its *series*: a topic (``/joint_states``), a role
(``actual``, ``target``), or both. All quantities of a log come from one series: that which holds the positions;
measured ones before wanted ones. A unit may stand behind a name: ``q1 [deg]``, ``t (ms)``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from strobe.robot import Robot

WORDS = {
    "q": ("q", "pos", "position", "positions", "angle", "angles"),
    "qd": ("qd", "dq", "qdot", "vel", "velocity", "velocities", "speed", "speeds"),
    "qdd": ("qdd", "ddq", "qddot", "acc", "accel", "acceleration", "accelerations"),
    "tau": ("tau", "effort", "efforts", "torque", "torques", "moment", "moments"),
    "current": ("current", "currents"),
}
QUANTITIES = tuple(WORDS)
QUANTITY = {word: quantity for quantity, words in WORDS.items() for word in words}
MEASURED = ("actual", "measured", "meas", "feedback", "state", "sensor")
WANTED = (
    "target",
    "desired",
    "des",
    "command",
    "commanded",
    "cmd",
    "reference",
    "ref",
    "wanted",
    "setpoint",
)
TIMES = ("t", "time", "timestamp", "time_s", "__time", "elapsed_time", "stamp")
SECONDS, NANOSECONDS = ("sec", "secs"), ("nanosec", "nsecs", "nsec")
NAMES = ("name", "names")

UNIT = re.compile(r"\s*[\[(]\s*([^\[\]()\d][^\[\]()]*?)\s*[\])]$")
INDEXED = re.compile(r"([a-z]+)[_./]?(?:\[(\d{1,3})\]|(\d{1,3}))")
COUNTED = re.compile(r"(?:joint|axis|j)_?(\d{1,3})(?:[_./]([a-z]+))?")
SEPARATOR = re.compile(r"[/.]")
ROLE = re.compile(rf"({'|'.join((*MEASURED, *WANTED))})_")
DEGREES = re.compile(r"(deg|degrees?|°)(/s|/s\^?2|/s²)?")
PLAIN = {  # units that are taken as they are: of which quantity, of joints that turn (True) or slide
    "rad": ("q", True), "radian": ("q", True), "radians": ("q", True), "m": ("q", False),
    "rad/s": ("qd", True), "m/s": ("qd", False),
    "rad/s^2": ("qdd", True), "rad/s²": ("qdd", True), "rad/s2": ("qdd", True),
    "m/s^2": ("qdd", False), "m/s²": ("qdd", False), "m/s2": ("qdd", False),
    "nm": ("tau", True), "n m": ("tau", True), "n·m": ("tau", True), "n*m": ("tau", True), "n": ("tau", False),
    "a": ("current", None),
}  # fmt: skip
SCALED = {  # units that are multiples of those
    "nmm": (1e-3, "nm"), "n mm": (1e-3, "nm"), "n·mm": (1e-3, "nm"), "n*mm": (1e-3, "nm"), "mnm": (1e-3, "nm"),
    "knm": (1e3, "nm"), "kn": (1e3, "n"), "ma": (1e-3, "a"), "mrad": (1e-3, "rad"), "mm": (1e-3, "m"),
    "mm/s": (1e-3, "m/s"), "rpm": (math.pi / 30, "rad/s"), "1/min": (math.pi / 30, "rad/s"),
    "rev": (2 * math.pi, "rad"),
}  # fmt: skip
TIME_UNITS = {"s": 1.0, "sec": 1.0, "seconds": 1.0, "ms": 1e-3, "us": 1e-6, "µs": 1e-6, "ns": 1e-9}

Slot = tuple[str, int]  # a quantity, and which of its numbers


@dataclass(frozen=True, slots=True)
class Column:
    """What the name of a column says."""

    place: int
    name: str
    series: str  # the topic or role before the quantity
    quantity: str
    joint: int | None  # which number of the quantity, where a name says it
    count: int | None  # the number in the name, where there is one
    unit: str
    own: bool  # spelled as Strobe does: nothing is guessed


def names_of(robot: Robot, quantity: str) -> tuple[str, ...]:
    """One name per number of q, or of a velocity, an acceleration, torques or currents."""
    return robot.coordinates.position_names if quantity == "q" else robot.coordinates.rate_names


class Spellings:
    """Every way in which columns of a robot may be called."""

    def __init__(self, robot: Robot) -> None:
        self.own = dict(_own(robot))
        self.named = _lowered({**dict(_others(robot)), **self.own})
        self.plain = _lowered({name: ("q", k) for k, name in enumerate(names_of(robot, "q"))})

    def column(self, place: int, name: str) -> Column | None:
        """What a name says, if it is one of a quantity."""
        bare, unit = split_unit(name)
        if bare in self.own:
            quantity, k = self.own[bare]
            return Column(place, name, "", quantity, k, None, unit, not unit)
        text = bare.lower().lstrip("%").removeprefix("field.").strip()
        if text in self.plain:
            return Column(place, name, "", "q", self.plain[text][1], None, unit, False)
        for series, rest in _splits(text):
            if rest in self.named:
                quantity, k = self.named[rest]
                return Column(place, name, series, quantity, k, None, unit, False)
        for series, rest in _splits(text):
            if found := _counted(rest):
                own = not series and re.fullmatch(r"(q|qd|qdd|tau)[1-9]\d*", bare) is not None and not unit
                return Column(place, name, series, *found, unit, own)
        return None


def split_unit(name: str) -> tuple[str, str]:
    """A name and the unit behind it, in small letters: ``q1 [deg]`` are q1 and deg."""
    name = name.strip()
    found = UNIT.search(name)
    return (name[: found.start()].strip(), found[1].lower()) if found else (name, "")


def meaning_of(unit: str) -> tuple[str, bool | None] | None:
    """The quantity that a unit is of, and whether of joints that turn; None of a unit that is not known."""
    if found := DEGREES.fullmatch(unit):
        return (
            "qdd" if "2" in (found[2] or "") or "²" in (found[2] or "") else "qd" if found[2] else "q"
        ), True
    return PLAIN.get(SCALED[unit][1] if unit in SCALED else unit)


def role(series: str) -> str:
    """Whether a series is measured or wanted, as far as its name says."""
    last = SEPARATOR.split(series)[-1]
    return "measured" if last in MEASURED else "wanted" if last in WANTED else ""


def _own(robot: Robot) -> Iterator[tuple[str, Slot]]:
    """The spellings of Strobe's own files; names of joints win over what is written before them."""
    for quantity in ("q", "qd", "qdd", "tau"):
        for k, name in enumerate(names_of(robot, quantity)):
            yield f"{name}_{quantity}", (quantity, k)
            yield f"{quantity}_{name}", (quantity, k)
    for k, name in enumerate(names_of(robot, "q")):
        yield name, ("q", k)


def _others(robot: Robot) -> Iterator[tuple[str, Slot]]:
    for word, quantity in QUANTITY.items():
        for k, name in enumerate(names_of(robot, quantity)):
            for sign in "_./":
                yield f"{name}{sign}{word}", (quantity, k)
                yield f"{word}{sign}{name}", (quantity, k)


def _lowered(known: Mapping[str, Slot]) -> dict[str, Slot]:
    """Names in small letters, without those that only the size of letters tells apart."""
    found: dict[str, Slot] = {}
    twice = set[str]()
    for name, slot in known.items():
        small = name.lower()
        if found.setdefault(small, slot) != slot:
            twice.add(small)
    return {name: slot for name, slot in found.items() if name not in twice}


def _splits(text: str) -> Iterator[tuple[str, str]]:
    """A name as series and rest, the shortest series first."""
    places = [0, *(mark.end() for mark in SEPARATOR.finditer(text))]
    for place in places[:12]:
        series, rest = text[:place].rstrip("/."), text[place:]
        yield series, rest
        if found := ROLE.match(rest):
            yield "/".join(filter(None, (series, found[1]))), rest[found.end() :]


def _counted(text: str) -> tuple[str, None, int] | None:
    """The quantity and the number of ``position[0]``, ``q_1``, ``joint_3`` or ``j3.vel``."""
    if (found := INDEXED.fullmatch(text)) and found[1] in QUANTITY:
        return QUANTITY[found[1]], None, int(found[2] or found[3])
    if (found := COUNTED.fullmatch(text)) and (found[2] or "q") in QUANTITY:
        return QUANTITY[found[2] or "q"], None, int(found[1])
    return None


# -- times ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Clock:
    """Where the times of a log are: a column, or one of seconds and one of nanoseconds."""

    places: tuple[int, ...]
    name: str
    scale: float  # seconds in its unit
    series: str = ""


def clocks(header: Sequence[str]) -> list[Clock]:
    """The columns that may hold times, those that say so most plainly first."""
    plain, stamped = list[Clock](), list[Clock]()
    parts: dict[tuple[str, str], int] = {}
    for place, name in enumerate(header):
        bare, unit = split_unit(name)
        text = bare.lower()
        if text == "%time":  # rostopic echo -p
            plain.append(Clock((place,), name, 1e-9))
        elif text.lstrip("#% ").replace(" ", "_") in TIMES and unit in ("", *TIME_UNITS):
            plain.append(Clock((place,), name, TIME_UNITS.get(unit, 1.0)))
            continue
        split = SEPARATOR.split(text.removeprefix("field."))
        series, last = "/".join(filter(None, split[:-1])), split[-1]
        if last in SECONDS + NANOSECONDS:
            parts[series, "sec" if last in SECONDS else "nanosec"] = place
        elif last == "stamp" and len(split) > 1:
            scale = 1e-9 if text.startswith("field.") else 1.0
            stamped.append(Clock((place,), name, scale, series.removesuffix("header").rstrip("/")))
    for (series, part), place in parts.items():
        if part == "sec" and (series, "nanosec") in parts:
            of = series.removesuffix("stamp").rstrip("/").removesuffix("header").rstrip("/")
            stamped.append(Clock((place, parts[series, "nanosec"]), f"{header[place]}", 1.0, of))
    return plain + stamped
