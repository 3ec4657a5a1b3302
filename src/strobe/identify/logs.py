"""Recorded motions: from the file of another program to arrays of one robot, and what was guessed on the way.

    read_log("log.csv", robot)        CSV, gzip or not: comma, semicolon, tab, blanks; with a header or without
    read_log("bag.mcap", robot)       joint states of ROS 2, or of strobe simulate
    read_log("log.parquet", robot)    columns by the same names as in CSV (extra "scale")
    read_log("log.npz", robot)        arrays t, q, qd, tau, … by rows, as strobe simulate writes them
    read_log("traj.json", robot)      a motion of strobe plan, or a ROS JointTrajectory; .npz too

Columns are matched to joints by their names (`log_columns`), or as ``columns`` says. What could mean two things is
refused with the candidates; what was guessed is in ``remarks``. Angles are in radians, unless a header or ``degrees``
says otherwise. All faults of a file are told in one go.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from strobe.errors import MOST_FAULTS, ArgumentError, counted, nearest, some_of
from strobe.files.arrays import read_arrays
from strobe.files.faults import Faults
from strobe.files.reading import path_text
from strobe.identify.log_checks import disagreements
from strobe.identify.log_columns import (
    DEGREES,
    NAMES,
    QUANTITIES,
    SCALED,
    Clock,
    Column,
    Slot,
    Spellings,
    clocks,
    meaning_of,
    names_of,
    role,
    split_unit,
)
from strobe.identify.log_tables import (
    ArrayTable,
    LogTable,
    Watch,
    is_time,
    joined_stamps,
    named_table,
    read_message_tables,
    read_parquet_table,
    read_text_table,
    since,
)
from strobe.models.arguments import require_mapping, require_text, require_truth
from strobe.show.sheet import displayed
from strobe.trajectory.spline_derivatives import METHOD

if TYPE_CHECKING:
    from strobe.robot import Robot
    from strobe.trajectory.files import Recorded
    from strobe.trajectory.motion import Trajectory

Array = np.ndarray

PLANNED = (".json", ".npz")
POLYNOMIALS = "coefficients"  # what an NPZ of a planned motion has, and one of a recorded motion has not
LOGGED = (".csv", ".tsv", ".txt", ".gz", ".mcap", ".parquet")
BOOKS = ("kinetic", "potential", "hand_error")  # what strobe simulate and control write beside a run
STATE = ("q", "qd", "qdd")
MOST_FOREIGN = 1_000  # columns that belong to no joint
MOST_TOLD = 8  # of them, one by one
MOST_LISTED = 8  # names in a sentence
SHORT = 5  # letters: in names below that, one mistake makes another word
FAR = 4 * np.pi  # rad: further, joints that end somewhere seldom turn
DIGITS = {range(12, 15): ("milliseconds", 1e-3), range(15, 18): ("microseconds", 1e-6),
          range(18, 21): ("nanoseconds", 1e-9)}  # fmt: skip  # of times since 1970
UNITS = {"q": "rad or m", "qd": "rad/s or m/s", "qdd": "rad/s² or m/s²", "tau": "N m or N", "current": "A"}


@displayed
@dataclass(frozen=True, slots=True, eq=False)
class Log:
    """A recorded motion: rows of numbers in the order of a robot's joints. What the file does not hold is None."""

    source: str
    robot: str
    joints: tuple[str, ...]  # the names of rates and torques
    time_name: str | None
    stamps: list[str] = field(repr=False)  # the times as they stand in the file
    times: Array | None = field(repr=False)  # (N,) seconds since the first row
    q: Array = field(repr=False)  # (N, nq)
    qd: Array | None = field(repr=False)  # (N, nv)
    qdd: Array | None = field(repr=False)
    tau: Array | None = field(repr=False)  # efforts as recorded; NaN of a joint that has no column
    current: Array | None = field(repr=False)  # of motors, A; likewise
    remarks: list[str]

    def __len__(self) -> int:
        return len(self.q)

    def __str__(self) -> str:
        held = [name for name in QUANTITIES if getattr(self, name) is not None]
        lacking = [name for name in STATE if name not in held]
        lines = [
            f"{self.source}: {counted(len(self), 'row')} of {self.robot}{self._span()}",
            f"  holds    {', '.join(f'{name} ({UNITS[name]})' for name in held)}",
            *([f"  lacks    {', '.join(lacking)}"] if lacking else []),
            *(f"  note: {remark}" for remark in self.remarks),
        ]
        return "\n".join(lines)

    def _span(self) -> str:
        if self.times is None:
            return ", without times"
        if len(self) < 2 or not self.times[-1] > 0:
            return ""
        return f" over {self.times[-1]:.6g} s, about {(len(self) - 1) / self.times[-1]:.3g} a second"


def read_log(
    path: str | os.PathLike[str],
    robot: Robot,
    *,
    columns: str | Mapping[str, str | int] | None = None,
    degrees: bool = False,
    differentiate: bool = False,
    topic: str | None = None,
    broken: bool = False,
) -> Log:
    """A recorded motion of a robot from a file, or a `ModelFileError` with every fault of it.

    ``columns`` says what the file does not: ``"t=1, q=2:8, tau=20:26"`` (counted from 1, ends included), names in the
    place of numbers, ``q_JOINT=NAME`` for one joint; or a mapping of these; where it says the time alone, names say
    the rest. ``topic`` chooses between several series.
    ``degrees`` reads angles and their rates in degrees. ``differentiate`` takes velocities and accelerations that the
    file lacks from its positions. ``broken`` leaves out rows that are cut off or hold no number where one belongs,
    and lets the time go back, for those who judge rows themselves (`strobe.identify`).
    """
    from strobe.robot import require_robot

    require_robot(robot)
    if not isinstance(columns, str | None):
        require_mapping("columns", columns, "columns by quantity, like t=1, q=2:7")
    if topic is not None:
        require_text("topic", topic)
    require_truth("degrees", degrees)
    require_truth("differentiate", differentiate)
    require_truth("broken", broken)
    return reading(Path(path_text(path)), robot, columns, degrees, differentiate, topic, broken=broken)


def reading(
    path: Path, robot: Robot, columns: str | Mapping[str, str | int] | None = None, degrees: bool = False,
    differentiate: bool = False, topic: str | None = None, *, needs: Sequence[str] = (), watch: Watch | None = None,
    broken: bool = False,
) -> Log:  # fmt: skip
    """The log of `read_log`; one without the rates among ``needs`` is refused, tau may be of some joints."""
    table = _arrays(path)
    if table is None and path.suffix.lower() in PLANNED:
        return _planned(
            path, robot, differentiate, {"columns": columns, "degrees": degrees, "topic": topic}
        )
    table = table or _table(path, robot, topic, Faults(path), watch)
    return log_of(table, path, robot, columns, degrees, differentiate, topic, needs=needs, broken=broken)


def log_of(
    table: LogTable, path: Path, robot: Robot, columns: str | Mapping[str, str | int] | None = None,
    degrees: bool = False, differentiate: bool = False, topic: str | None = None, *, needs: Sequence[str] = (),
    broken: bool = False, began: str | None = None,
) -> Log:  # fmt: skip
    """The log in a table; ``began`` is the first time of a longer one that it is a part of."""
    faults = Faults(path)
    mapping = None if columns is None else _parsed(columns)
    if mapping is not None and topic is not None and path.suffix.lower() != ".mcap":
        raise ArgumentError("columns: they say already what is read; leave out topic=….")
    if mapping is None and not table.headed and not _is_echo(table):
        table = _numbered(table, robot, faults)
    chosen = _Chosen(table, robot, mapping, topic, faults, needs)
    lacking = _lacking(robot, chosen.slots.values())
    led = bool(_missing(robot, "q", chosen.slots.values()))
    wanted = lacking if differentiate else {rate: lacking[rate] for rate in lacking if rate in needs}
    if any(wanted.values()) and not faults.found:
        _require_derivatives(robot, wanted, chosen, differentiate, faults)
    if not len(table):
        faults.add("there is a header but no row of numbers.")
    table.leave_out_empty(list(chosen.slots))
    if broken:
        table.leave_out_broken(list(chosen.slots), chosen.clock.places if chosen.clock else ())
    numbers = table.numbers(list(chosen.slots), faults)
    stamps, times = _times(table, chosen, faults, broken, began)
    faults.raise_if_any()
    state = _filled(robot, numbers, chosen, degrees, faults, broken)
    whole = {name for name in STATE if not _missing(robot, name, chosen.slots.values())}
    chosen.remarks += disagreements(robot, times, {name: state[name] for name in whole})
    if any(lacking.values()) and differentiate:
        state |= _differentiated(robot, state, lacking, stamps, times, chosen, faults)
        chosen.remarks += _told_derivatives(robot, lacking)
    if led:
        state |= _followed(robot, state)
    held = _held(robot, chosen, led, lacking) | ({"qd", "qdd"} if differentiate else set())
    chosen.remarks += _told_parts(robot, chosen, lacking, held)
    clock = chosen.clock
    return Log(
        str(path), robot.name, names_of(robot, "qd"), clock.name if clock else None, stamps,
        times, state["q"], *(state[name] if name in held and name in state else None for name in QUANTITIES[1:]),
        remarks=[*table.remarks, *chosen.remarks],
    )  # fmt: skip


# -- from files -------------------------------------------------------------------------------------------------


def read_planned(path: Path, robot: Robot, differentiate: bool = False) -> Recorded:
    """A motion of ``strobe plan`` with its joints in the order of a robot."""
    from strobe.trajectory.files import in_order, read

    recorded = read(path, differentiate)
    try:
        return recorded._replace(motion=in_order(recorded.motion, robot.joint_names, robot.name))
    except ArgumentError as error:
        raise ArgumentError(f"{path}: {error}") from None


def motion_of(log: Log, robot: Robot) -> Trajectory:
    """A log as a motion of joints: its rows joined by quintics, or by cubics where it has no accelerations."""
    from strobe.trajectory.files import joined

    if robot.coordinates.rate_names != robot.joint_names or not robot.coordinates.is_single:
        raise ArgumentError(
            f"{log.source}: a motion is one number for each joint, and joints of {robot.name} have more."
        )
    if log.times is None:
        raise ArgumentError(f'{log.source}: a motion needs the times of its rows; there is no column "t".')
    if not np.isfinite(log.times).all():
        raise ArgumentError(f"{log.source}: the times of its rows are not all in seconds, or all dates.")
    if log.qd is None:
        raise ArgumentError(f"{log.source}: a motion needs velocities; say differentiate=True.")
    return joined(log.source, robot.joint_names, log.times, log.q, log.qd, log.qdd)


def _planned(path: Path, robot: Robot, differentiate: bool, unheard: Mapping[str, object]) -> Log:
    refuse_unheard(path, unheard)
    planned = read_planned(path, robot, differentiate)
    said = list(planned.motion.notes) if planned.motion.method == "read" else []
    stamps = [repr(t) for t in planned.times.tolist()]
    joints = names_of(robot, "qd")
    motion = planned.motion(planned.times)
    return Log(str(path), robot.name, joints, "t", stamps, planned.times, *motion, None, None, remarks=said)


def refuse_unheard(path: Path, options: Mapping[str, object]) -> None:
    """Refuse what is said of columns where a planned motion says it itself."""
    for name in (name for name, value in options.items() if value):
        raise ArgumentError(f"{path}: a planned motion says itself what it holds; leave out {name}=.")


def _arrays(path: Path) -> ArrayTable | None:
    """The columns of an NPZ that holds rows and no planned motion."""
    if path.suffix.lower() != ".npz":
        return None
    found = read_arrays(path)
    if POLYNOMIALS in found or "q" not in found or not {"tau", "current"} & {*found}:
        return None
    count = len(found["q"])
    plain = {
        name: x
        for name, x in found.items()
        if x.ndim in (1, 2) and len(x) == count and x.dtype.kind in "fiu"
    }
    return named_table(plain)


def _table(path: Path, robot: Robot, topic: str | None, faults: Faults, watch: Watch | None) -> LogTable:
    kind = path.suffix.lower()
    if kind == ".parquet":
        return read_parquet_table(path)
    return (
        _messages(path, robot, topic, faults) if kind == ".mcap" else read_text_table(path, faults, watch)
    )


def _messages(path: Path, robot: Robot, topic: str | None, faults: Faults) -> LogTable:
    """The one table of joint states that holds the joints of a robot."""
    tables = read_message_tables(path)
    wanted = {name: table for name, table in tables.items() if topic is None or _is_topic(name, topic)}
    if not wanted:
        faults.add(f'no joint states on topic "{topic}"; there are some on {_listed(list(tables))}.')
        faults.raise_if_any()
    spellings = Spellings(robot)
    fit = {name: table for name, table in wanted.items() if not _unheld(robot, spellings, table)}
    if len(fit) > 1:
        faults.add(f"joint states of {robot.name} are on {_listed(list(fit))}; name one with topic=….")
        faults.raise_if_any()
    fit = fit or dict([max(wanted.items(), key=lambda each: -len(_unheld(robot, spellings, each[1])))])
    ((name, table),) = fit.items()
    if others := [each for each in tables if each != name]:
        table.remarks.append(f"read from {name}; joint states on {_listed(others)} were left aside.")
    return table


def _unheld(robot: Robot, spellings: Spellings, table: LogTable) -> list[str]:
    """Positions that no column of a table holds; none where those that are missing follow."""
    found = [spellings.column(k, name) for k, name in enumerate(table.names)]
    slots = [(each.quantity, each.joint) for each in found if each is not None and each.joint is not None]
    missing = _missing(robot, "q", slots)
    return [] if missing and set(missing) == _following(robot) else missing


def _is_topic(name: str, topic: str) -> bool:
    asked, name = topic.lower().strip("/"), name.lower().strip("/")
    return name == asked or name.endswith(f"/{asked}") or name.startswith(f"{asked} of ")


def _is_echo(table: LogTable) -> bool:
    return bool(table.names) and table.names[0] == "header.stamp.sec"


def _numbered(table: LogTable, robot: Robot, faults: Faults) -> LogTable:
    """A table without header under the names that its number of columns allows, if that is one set of names."""
    sizes = {name: len(names_of(robot, name)) for name in STATE}
    fitting = []
    for clock in ([], ["t"]):
        for k in range(1, len(STATE) + 1):
            names = clock + [f"{name}{j}" for name in STATE[:k] for j in range(1, sizes[name] + 1)]
            if len(names) == len(table.names):
                fitting.append((names, [*clock, *(f"{name} ({sizes[name]})" for name in STATE[:k])]))
    if len(fitting) != 1:
        choice = " or ".join(", ".join(parts) for _, parts in fitting)
        why = f"which may be {choice}" if fitting else f"which are no q, qd and qdd of {robot.name}"
        faults.add(
            f"no header, and {counted(len(table.names), 'column')}, {why}. Say what they are, counted from 1: "
            f"columns=t=1,q=2:{1 + sizes['q']}."
        )
        faults.raise_if_any()
    names, parts = fitting[0]
    table.remarks.append(
        f"no header: the columns are taken as {', '.join(parts)}, in the order of the joints."
    )
    table.names = names
    return table


# -- which column is which --------------------------------------------------------------------------------------


def _parsed(columns: str | Mapping[str, str | int]) -> dict[str, str]:
    """What each quantity is read from: ``t=1, q=2:7`` as a mapping."""
    if not isinstance(columns, str):
        return {str(name).strip(): str(source).strip() for name, source in columns.items()}
    found: dict[str, str] = {}
    for item in filter(None, (part.strip() for part in columns.split(","))):
        name, equals, source = (part.strip() for part in item.partition("="))
        if not (name and equals and source):
            raise ArgumentError(f'columns: "{item}" is no QUANTITY=COLUMNS, like t=1 or q=2:7.')
        if name in found:
            raise ArgumentError(f'columns: "{name}" is there twice.')
        found[name] = source
    return found


class _Chosen:
    """The columns that are read, and what there is to say about the others."""

    def __init__(
        self, table: LogTable, robot: Robot, mapping: Mapping[str, str] | None, topic: str | None, faults: Faults,
        needs: Collection[str] = (),
    ) -> None:  # fmt: skip
        self.table, self.robot, self.faults, self.needs = table, robot, faults, needs
        self.slots: dict[int, Slot] = {}
        self.units: dict[int, str] = {}
        self.clock: Clock | None = None
        self.remarks: list[str] = []
        self.guessed = False  # whether names were read that others than Strobe write
        self.left = set[int]()  # columns that were left out after they were understood
        if mapping and table.headed and set(mapping) <= {"t", "time"}:
            for name, source in mapping.items():
                self._take_clock(self._places(name, source))
            faults.raise_if_any()
            self._by_name(topic)
        elif mapping is None:
            self._by_name(topic)
        else:
            self._by_mapping(mapping)

    # -- as somebody says

    def _by_mapping(self, mapping: Mapping[str, str]) -> None:
        own = Spellings(self.robot).own
        for name, source in mapping.items():
            places = self._places(name, source)
            if name in ("t", "time"):
                self._take_clock(places)
                continue
            size = len(names_of(self.robot, name)) if name in QUANTITIES else 1
            if name not in QUANTITIES and name not in own:
                known = [*QUANTITIES, "t", *own]
                raise ArgumentError(
                    f'columns: "{name}" is no quantity of {self.robot.name}.{nearest(name, known)} '
                    f"Expected t, {', '.join(QUANTITIES)}, or one of a joint like q_{self.robot.joint_names[0]}."
                )
            if places and len(places) != size:
                raise ArgumentError(
                    f"columns: {name}={source} are {counted(len(places), 'column')}; {self.robot.name} has {size}."
                )
            for k, place in enumerate(places):
                if place in self.slots:
                    raise ArgumentError(f'columns: "{self.table.names[place]}" is given twice.')
                slot = (name, k) if name in QUANTITIES else own[name]
                if slot in self.slots.values():
                    raise ArgumentError(f"columns: {slot[0]} {slot[1] + 1} is given twice.")
                self.slots[place] = slot
                self.units[place] = split_unit(self.table.names[place])[1]
        if self.clock is None:
            self._find_clock("")
        self.faults.raise_if_any()
        self._leave_out_parts()
        if missing := _missing(self.robot, "q", self.slots.values()):
            if set(missing) != _following(self.robot):
                raise ArgumentError(
                    f"columns: nothing for the position of {_listed(missing)}; give q=… or q_JOINT=…."
                )
            self.remarks.append(_they_follow(missing))
        self._tell_read(
            [name for name in QUANTITIES if any(slot[0] == name for slot in self.slots.values())]
        )

    def _places(self, name: str, source: str) -> list[int]:
        """The columns that a number, a range, a name or a pattern stands for."""
        first, colon, last = source.partition(":")
        if colon:
            a, b = self._place(first), self._place(last)
            if a is not None and b is not None and a <= b:
                return list(range(a, b + 1))
        if (place := self._place(source)) is not None:
            return [place]
        matching = [
            k for k, each in enumerate(self.table.names) if fnmatchcase(each.lower(), source.lower())
        ]
        if not matching:
            hint = nearest(source, self.table.names)
            self.faults.add(
                f'columns: no column "{source}" for {name}.{hint} There are {len(self.table.names)}, counted from 1.',
                self.table.line,
            )
        return matching

    def _place(self, text: str) -> int | None:
        text = text.strip()
        if re.fullmatch(r"\d{1,6}", text):
            return int(text) - 1 if 1 <= int(text) <= len(self.table.names) else None
        lowered = [name.lower() for name in self.table.names]
        for names, wanted in ((list(self.table.names), text), (lowered, text.lower())):
            if names.count(wanted) == 1:
                return names.index(wanted)
        return None

    def _take_clock(self, places: Sequence[int]) -> None:
        if len(places) == 1:
            name = self.table.names[places[0]]
            own = {each.places: each for each in clocks(self.table.names)}
            self.clock = own.get(
                tuple(places), Clock(tuple(places), name if self.table.headed else "t", 1.0)
            )
        elif places:
            raise ArgumentError(f"columns: the time is one column, and got {len(places)}.")

    # -- as the names say

    def _by_name(self, topic: str | None) -> None:
        spellings = Spellings(self.robot)
        found = [spellings.column(k, name) for k, name in enumerate(self.table.names)]
        known = [column for column in found if column is not None]
        series = self._series(known, topic)
        if self.clock is None:
            self._find_clock(series)
        self._fill([column for column in known if column.series == series])
        aside = {column.place for column in known if column.series != series}
        understood = {*self.slots, *self.left, *aside, *(self.clock.places if self.clock else ())}
        self._judge(
            [name for k, name in enumerate(self.table.names) if k not in understood and not _is_name(name)],
            spellings,
        )
        if aside:
            others = _listed([self.table.names[k] for k in sorted(aside)])
            self.remarks.append(f"the columns of {_called(series)} were read; {others} were left aside.")

    def _series(self, known: Sequence[Column], topic: str | None) -> str:
        """The topic or role whose positions are read; several that could be are refused."""
        counts: dict[str, int] = {}
        for column in known:
            counts[column.series] = counts.get(column.series, 0) + (column.quantity == "q")
        if topic is not None:
            named = [each for each in counts if _is_topic(each, topic)]
            if len(named) != 1:
                self.faults.add(
                    f'topic "{topic}" is {"none" if not named else "more than one"} of '
                    f"{_listed([each or 'columns without a topic' for each in counts])}.",
                    self.table.line,
                )
                self.faults.raise_if_any()
            return named[0]
        most = max(counts.values(), default=0)
        fitting = [each for each, count in counts.items() if count == most]
        for kept in ("measured", ""):
            if len(fitting) > 1 and any(role(each) == kept for each in fitting):
                fitting = [each for each in fitting if role(each) == kept]
        if len(fitting) > 1:
            self.faults.add(
                f"positions of {self.robot.name} are in {_listed([_called(each) for each in fitting], quote='')}; "
                "name one with topic=….",
                self.table.line,
            )
            self.faults.raise_if_any()
        return fitting[0] if fitting else ""

    def _fill(self, columns: Sequence[Column]) -> None:
        """Slots from names and numbers of joints."""
        held: dict[Slot, str] = {}
        order = {name: self._order(name, columns) for name in QUANTITIES}
        self._refuse_more_joints(columns, order["q"])
        for column in columns:
            joint = column.joint if column.count is None else order[column.quantity].get(column.count)
            if joint is None:
                continue
            slot = column.quantity, joint
            if slot in held:
                self.faults.add(
                    f'columns "{held[slot]}" and "{column.name}" hold the same quantity; keep one.',
                    self.table.line,
                )
            self.slots[column.place], self.units[column.place] = slot, column.unit
            held.setdefault(slot, column.name)
        guessed = {column.quantity for column in columns if column.place in self.slots and not column.own}
        self.guessed = bool(guessed)
        self._leave_out_parts()
        self._tell_read([name for name in QUANTITIES if name in guessed])

    def _refuse_more_joints(self, columns: Sequence[Column], order: Mapping[int, int]) -> None:
        """Refuse positions of more joints than there are, by number: which of them are meant cannot be told."""
        counted = {
            column.count for column in columns if column.quantity == "q" and column.count is not None
        }
        if counted - set(order) and not self._said_names():
            self.faults.add(
                f"positions of {len(counted)} joints are numbered, and {self.robot.name} has {len(order)}: say which "
                "are meant with columns=….",
                self.table.line,
            )

    def _order(self, quantity: str, columns: Sequence[Column]) -> dict[int, int]:
        """Which joint the numbers in names stand for: by names beside them, else by the order, from 0 or 1."""
        counts = {column.count for column in columns}  # of all quantities: they are counted in one way
        names = list(names_of(self.robot, quantity))
        if said := self._said_names():
            return {k: names.index(name) for k, name in said.items() if name in names}
        base = 0 if 0 in counts else 1
        return {k + base: k for k in range(len(names))}

    def _said_names(self) -> dict[int, str]:
        """The names of joints in columns ``name[0]``, … beside those of positions."""
        said: dict[int, str] = {}
        for place, header in enumerate(self.table.names):
            if (found := _NAME.fullmatch(header.strip().lower())) is None:
                continue
            texts = set(self.table.texts(place))
            if len(texts) > 1:
                self.faults.add(f'column "{header}": the names of joints change from row to row.')
            said |= {int(found[1]): text for text in texts}
        return said

    def _leave_out_parts(self) -> None:
        """Efforts and currents are kept for all joints or for none, unless some are all that is needed."""
        for quantity in (name for name in ("tau", "current") if name not in self.needs):
            places = [place for place, slot in self.slots.items() if slot[0] == quantity]
            missing = _missing(self.robot, quantity, self.slots.values())
            if places and missing:
                self.remarks.append(f"{quantity} was ignored: there is no column for {_listed(missing)}.")
                for place in places:
                    del self.slots[place]
                self.left |= set(places)

    def _find_clock(self, series: str) -> None:
        found = clocks(self.table.names)
        near = [clock for clock in found if not clock.series or clock.series == series.strip("/")]
        self.clock = (near or [None])[0]
        if self.clock is None and len(found) == 1:
            self.clock = found[0]
        if self.clock is not None and self.clock.scale != 1.0:
            unit = {1e-3: "milliseconds", 1e-6: "microseconds", 1e-9: "nanoseconds"}[self.clock.scale]
            self.remarks.append(f'column "{self.clock.name}" is read as {unit}.')

    def _tell_read(self, quantities: Sequence[str]) -> None:
        for quantity in quantities:
            pairs = sorted((slot[1], place) for place, slot in self.slots.items() if slot[0] == quantity)
            names = names_of(self.robot, quantity)
            told = [f'"{self.table.names[place]}" ({names[k]})' for k, place in pairs]
            if told:
                self.remarks.append(f"{quantity} is read from {some_of(told, MOST_TOLD)}.")

    # -- what is not read

    def _judge(self, unknown: Sequence[str], spellings: Spellings) -> None:
        """Refuse a log without all positions, and names that seem misspelt; tell what is ignored."""
        robot, line = self.robot, self.table.line
        if len(unknown) > MOST_FOREIGN:
            self.faults.add(
                f"{len(unknown):,} columns belong to no joint of {robot.name}; leave them out.", line
            )
            return
        known = dict(_numbered_names(robot)) | spellings.own
        missing = _missing(robot, "q", self.slots.values())
        led = bool(missing) and set(missing) == _following(robot)
        unknown = [name for name in unknown if name not in BOOKS]
        foreign = {name: _of_no_joint(robot, name) for name in unknown}
        if missing and not led:
            needed = _listed(missing, "q_")
            say = "" if not unknown else " Other names are said with columns=…."
            self.faults.add(
                f"no column for the position of {_listed(missing)}; {robot.name} needs {needed}.{say}", line
            )
            for k, (name, text) in enumerate(foreign.items()):
                hint = nearest(name, known) if k < MOST_FAULTS else ""  # what is not shown needs none
                self.faults.add(text + hint, line)
            return
        held = set(self.slots.values())
        absent = {name: slot[0] for name, slot in known.items() if slot not in held and slot[0] in STATE}
        meant = {name: column for name in unknown if (column := _misspelt(name, absent))}
        for name, column in meant.items():
            self.faults.add(f"{foreign[name]} Did you mean '{column}'? Rename it, or leave it out.", line)
        ignored = [name for name in foreign if name not in meant]
        if len(ignored) > MOST_TOLD:
            what = f"{len(ignored):,} columns belong to no joint of {robot.name} and were ignored"
            self.remarks.append(f"{what}: {_listed(ignored)}.")
        else:
            self.remarks += [f"{foreign[name]} It was ignored." for name in ignored]
        if led:
            self.remarks.append(_they_follow(missing))


_NAME = re.compile(rf"(?:.*[/.])?(?:{'|'.join(NAMES)})_?\[?(\d{{1,3}})\]?")


def _is_name(header: str) -> bool:
    return _NAME.fullmatch(header.strip().lower()) is not None


def _of_no_joint(robot: Robot, name: str) -> str:
    """What is said of a column that is not read: of a joint that follows another, that it does."""
    moving = {joint.name for joint in robot.coordinates.joints}
    for body in robot.model.bodies:
        joint = re.escape(body.joint.name.lower())
        if body.joint.name not in moving and re.search(rf"(?<![a-z0-9]){joint}(?![a-z0-9])", name.lower()):
            return f'column "{name}" is of {body.joint.name}, which follows another joint of {robot.name}.'
    return f'column "{name}" belongs to no joint of {robot.name}.'


def _numbered_names(robot: Robot) -> Iterable[tuple[str, Slot]]:
    for quantity in STATE:
        for k in range(len(names_of(robot, quantity))):
            yield f"{quantity}{k + 1}", (quantity, k)


def _called(series: str) -> str:
    return f'"{series}"' if series else "columns without a topic"


def _they_follow(missing: Sequence[str]) -> str:
    return f"no column for the position of {_listed(missing)}: they follow the actuated joints."


def _missing(robot: Robot, quantity: str, slots: Iterable[tuple[str, int | None]]) -> list[str]:
    present = set(slots)
    return [name for k, name in enumerate(names_of(robot, quantity)) if (quantity, k) not in present]


def _listed(names: Sequence[str], prefix: str = "", quote: str = '"') -> str:
    return some_of([f"{quote}{prefix}{name}{quote}" for name in names], MOST_LISTED)


# -- names that are nearly right --------------------------------------------------------------------------------


def _misspelt(name: str, absent: Mapping[str, str]) -> str:
    """The absent column (with its quantity) that a name seems to stand for, or nothing."""
    typed = name.lower()
    best, distance = "", 3
    near = {
        column: quantity for column, quantity in absent.items() if abs(len(column) - len(typed)) < distance
    }
    for column, quantity in near.items():
        mistakes = _mistakes(typed, column.lower())
        about = typed.startswith(spellings := (quantity, quantity[::-1])) or typed.endswith(spellings)
        short = len(column) < SHORT and "q" not in typed
        if mistakes < distance and mistakes <= (2 if about else 1) and not short:
            best, distance = column, mistakes
    return best


def _mistakes(a: str, b: str) -> int:
    """Letters to put in, leave out, replace or swap with a neighbour to turn one text into another."""
    before, last = [], list(range(len(b) + 1))
    for i, x in enumerate(a):
        row = [i + 1]
        for j, y in enumerate(b):
            row.append(min(last[j + 1] + 1, row[j] + 1, last[j] + (x != y)))
            if i and j and a[i - 1] == y and b[j - 1] == x:
                row[-1] = min(row[-1], before[j - 1] + 1)
        before, last = last, row
    return last[-1]


# -- numbers ----------------------------------------------------------------------------------------------------


def _times(
    table: LogTable, chosen: _Chosen, faults: Faults, may_go_back: bool = False, began: str | None = None
) -> tuple[list[str], Array | None]:
    """The times as they stand there, and in seconds since the first; anything that is none is told."""
    clock = chosen.clock
    if clock is None:
        return [], None
    if may_go_back and isinstance(table, ArrayTable) and (found := _plain_times(table, clock, began)):
        return found
    texts = [table.texts(place) for place in clock.places]
    stamps = texts[0] if len(texts) == 1 else list(joined_stamps(*texts))
    for r, (stamp, text) in enumerate(zip(stamps, texts[0], strict=True)):
        if not is_time(stamp) and not (isinstance(stamp, str) and not stamp and _ragged(table, r)):
            what = f'"{text}" is neither a number nor a date and time' if text else "is empty"
            faults.add(f'column "{clock.name}": {what}.', table.line_of(r))
    if faults.found or not stamps:
        return stamps, None
    scale = clock.scale if clock.scale != 1.0 else _scale_since_1970(stamps[0], clock, chosen)
    seconds = scale * np.array([since(stamp, began or stamps[0]) for stamp in stamps])
    if not may_go_back and not table.headed and np.isfinite(seconds).all() and (np.diff(seconds) < 0).any():
        faults.add(f'column "{clock.name}" is taken as the time, and does not rise. Say columns=….')
    return stamps, seconds


def _plain_times(table: ArrayTable, clock: Clock, began: str | None) -> tuple[list[str], Array] | None:
    """Times that are numbers already, without a text for each; None of dates, and of seconds since 1970."""
    column = table.columns[clock.places[0]]
    if len(clock.places) > 1 or column.dtype.kind not in "fiu" or not len(column):
        return None
    first = str(column[0].item()) if began is None else began
    if column.dtype.kind in "iu" and len(first) in {n for lengths in DIGITS for n in lengths}:
        return None
    start = int(first) if column.dtype.kind in "iu" and first.lstrip("-").isdecimal() else float(first)
    return [first], clock.scale * (column - start).astype(float)


def _ragged(table: LogTable, row: int) -> bool:
    """Whether a row of text has other cells than the header, which is told elsewhere."""
    rows = getattr(table, "rows", None)
    return rows is not None and len(rows[row][1]) != len(table.names)


def _scale_since_1970(stamp: str, clock: Clock, chosen: _Chosen) -> float:
    """Seconds in the unit of whole numbers that are far too large for seconds."""
    digits = len(stamp) if stamp.isdecimal() else 0
    for lengths, (unit, scale) in DIGITS.items():
        if digits in lengths:
            chosen.remarks.append(f'column "{clock.name}" is read as {unit} since 1970.')
            return scale
    return 1.0


def _filled(
    robot: Robot, table: Array, chosen: _Chosen, degrees: bool, faults: Faults, broken: bool = False
) -> dict[str, Array]:
    """The numbers by quantity, in the order of the joints and in radians."""
    held = {slot[0] for slot in chosen.slots.values()} | set(STATE)
    state = {
        name: np.full((len(table), len(names_of(robot, name))), 0.0 if name in STATE else np.nan)
        for name in QUANTITIES
        if name in held
    }
    turning = _turning(robot)
    _judge_units(robot, chosen, degrees, turning, faults)
    faults.raise_if_any()
    converted = False
    for column, (place, slot) in zip(table.T, chosen.slots.items(), strict=True):
        said = DEGREES.fullmatch(chosen.units[place]) is not None
        turned = (said or degrees) and slot in turning
        converted |= turned
        scale = SCALED.get(chosen.units[place], (1.0, ""))[0]
        state[slot[0]][:, slot[1]] = np.radians(column) if turned else scale * column
    if converted:
        mixed = any(chosen.units[place].startswith("rad") for place in chosen.slots)
        what = "columns that say deg" if mixed else "angles and their rates"
        chosen.remarks.append(f"{what} are read in degrees.")
    else:
        if chosen.guessed and turning and not any(chosen.units[place] for place in chosen.slots):
            chosen.remarks.append("no unit is said: angles are taken in rad, their rates in rad/s.")
        if not broken:
            _warn_of_degrees(robot, state["q"], chosen)
    return state


def _judge_units(
    robot: Robot, chosen: _Chosen, degrees: bool, turning: Collection[Slot], faults: Faults
) -> None:
    """Refuse units that do not fit what their columns hold, and angles of which only some have a unit."""
    turns = _turns(robot)
    silent, said = list[str](), list[str]()
    for place, slot in chosen.slots.items():
        unit, name = chosen.units[place], chosen.table.names[place]
        if unit and (wrong := _wrong_unit(unit, slot, turns)):
            faults.add(f'column "{name}"{wrong}', chosen.table.line)
        if degrees and unit.startswith("rad"):
            faults.add(f'column "{name}" says it is in rad, and degrees=True was given.', chosen.table.line)
        if slot in turning:
            (silent if not unit else said if DEGREES.fullmatch(unit) else []).append(name)
    if silent and said and not degrees:
        faults.add(
            f"{_listed(said)} {'is' if len(said) == 1 else 'are'} in degrees, and {_listed(silent)} "
            f"{'has' if len(silent) == 1 else 'have'} no unit. Say it in the header, or degrees=True for all.",
            chosen.table.line,
        )


def _wrong_unit(unit: str, slot: Slot, turns: Mapping[Slot, bool]) -> str:
    """What is wrong with the unit of a column, if anything is."""
    meant = meaning_of(unit)
    if meant is None:
        return f': the unit "{unit}" is not known; expected rad, deg or m.'
    if DEGREES.fullmatch(unit) and not (turns.get(slot) and slot[0] in STATE):
        return " is no angle, and cannot be in degrees."
    fits = meant[0] == slot[0] and (slot not in turns or meant[1] in (None, turns[slot]))
    return "" if fits else f': the unit "{unit}" does not fit; expected {_unit_of(slot, turns)}.'


def _unit_of(slot: Slot, turns: Mapping[Slot, bool]) -> str:
    either = UNITS[slot[0]].split(" or ")
    return either[0 if turns[slot] else -1] if slot in turns else " or ".join(either)


def _turns(robot: Robot) -> dict[Slot, bool]:
    """Whether the joint of a number turns or slides; of a joint with several numbers nothing is said."""
    single = [joint for joint in robot.coordinates.joints if joint.nq == 1]
    return {
        (name, joint.q if name == "q" else joint.v): joint.angular
        for joint in single
        for name in QUANTITIES
    }


def _turning(robot: Robot) -> set[Slot]:
    """The numbers of a state that are angles or their rates."""
    return {slot for slot, turns in _turns(robot).items() if turns and slot[0] in STATE}


def _warn_of_degrees(robot: Robot, q: Array, chosen: _Chosen) -> None:
    """Say so where joints with limits turn further than such joints do."""
    for joint in robot.coordinates.joints:
        held = joint.turns and not joint.unlimited
        if held and len(q) and (most := float(np.abs(q[:, joint.q]).max())) > FAR:
            chosen.remarks.append(
                f"{joint.name} turns as far as {most:.4g} rad. If the angles are in degrees, say degrees=True."
            )
            return


# -- rates that a log lacks -------------------------------------------------------------------------------------


def _lacking(robot: Robot, slots: Iterable[Slot]) -> dict[str, list[int]]:
    """The numbers of qd and qdd that no column holds; those of joints that are led follow."""
    slots = list(slots)
    led = bool(_missing(robot, "q", slots))
    lacking = {}
    for quantity in ("qd", "qdd"):
        names, missing = names_of(robot, quantity), set(_missing(robot, quantity, slots))
        wanted = {name for name in missing if not led or name in robot.model.actuated}
        lacking[quantity] = [k for k, name in enumerate(names) if name in wanted]
    return lacking


def _named(robot: Robot, quantity: str, numbers: Iterable[int]) -> list[str]:
    names = names_of(robot, quantity)
    return [names[k] for k in numbers]


def _require_derivatives(
    robot: Robot, lacking: Mapping[str, list[int]], chosen: _Chosen, differentiate: bool, faults: Faults
) -> None:
    """Refuse a log without velocities or accelerations, unless they can be taken from what it has."""
    absent = [
        f"{kind}_{name}" for kind, numbers in lacking.items() for name in _named(robot, kind, numbers)
    ]
    if not differentiate:
        faults.add(
            f"no column for {_listed(absent)}, which torques depend on. Add them (zeros for a robot that stands "
            "still), or let them be taken from the other columns: differentiate=True.",
            chosen.table.line,
        )
    elif chosen.clock is None:
        faults.add(
            'differentiate=True needs the times of the rows: there is no column "t". If another holds them, say '
            "which: columns=t=NAME.",
            chosen.table.line,
        )


def _differentiated(
    robot: Robot, state: Mapping[str, Array], lacking: Mapping[str, list[int]], stamps: Sequence[str],
    times: Array | None, chosen: _Chosen, faults: Faults,
) -> dict[str, Array]:  # fmt: skip
    """The state with what it lacks, by the times of its rows."""
    from strobe.trajectory.spline_derivatives import filled

    assert times is not None
    assert chosen.clock is not None
    for k in np.flatnonzero(~np.isfinite(times)).tolist():
        faults.add(
            f'column "{chosen.clock.name}": "{stamps[k]}" is not a time in seconds.',
            chosen.table.line_of(k),
        )
    faults.raise_if_any()
    try:
        return filled(robot, times, {name: state[name] for name in STATE}, lacking)
    except ArgumentError as error:
        faults.add(str(error))
        faults.raise_if_any()
        raise


def _told_derivatives(robot: Robot, lacking: Mapping[str, list[int]]) -> list[str]:
    source = "positions" if lacking["qd"] else "velocities"
    return [
        f"{_listed(_named(robot, quantity, lacking[quantity]), f'{quantity}_')}: taken from {source} {METHOD}."
        for quantity in ("qd", "qdd")
        if lacking[quantity]
    ]


def _told_parts(
    robot: Robot, chosen: _Chosen, lacking: Mapping[str, list[int]], held: Collection[str]
) -> list[str]:
    """What is said of rates that are there for some joints and not for others."""
    found = {name for name, _ in chosen.slots.values()}
    return [
        f"{name} was ignored: there is no column for {_listed(_named(robot, name, numbers))}."
        for name, numbers in lacking.items()
        if name in found - set(held) and numbers
    ]


def _held(robot: Robot, chosen: _Chosen, led: bool, lacking: Mapping[str, list[int]]) -> set[str]:
    """The quantities that are there: states for every joint, efforts and currents for one at least.

    Accelerations of joints that follow depend on velocities: without these, there are none.
    """
    found = {name for name, _ in chosen.slots.values()}
    if led:
        rates = () if lacking["qd"] else ("qd",) if lacking["qdd"] else ("qd", "qdd")
        return {"q", *rates} | (found - set(STATE))
    whole = {name for name in STATE if not _missing(robot, name, chosen.slots.values())}
    return whole | (found - set(STATE))


# -- closed chains ----------------------------------------------------------------------------------------------


def _following(robot: Robot) -> set[str]:
    """The numbers of a position that follow from those of the joints that drive a closed chain."""
    if not robot.model.is_closed or not robot.model.actuated:
        return set()
    passive = (joint for joint in robot.coordinates.joints if joint.name not in robot.model.actuated)
    return {name for joint in passive for name in joint.position_names}


def _followed(robot: Robot, state: Mapping[str, Array]) -> dict[str, Array]:
    """The motion of all joints of a closed chain from that of its actuated ones."""
    from strobe.mechanisms.dependent_motion import led
    from strobe.robot.rest_position import resting_position

    driving = [joint for joint in robot.coordinates.joints if joint.name in robot.model.actuated]
    places, rates = [joint.q for joint in driving], [joint.v for joint in driving]
    own = state["q"][:, places], state["qd"][:, rates], state["qdd"][:, rates]
    names = [joint.name for joint in driving]
    return dict(zip(STATE, led(robot, *own, resting_position(robot), names), strict=True))
