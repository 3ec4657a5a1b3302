"""Sweeps in TOML files, or as mappings with the same keys.

    task = "simulate"                        torque, simulate, control or approximate
    samples = 1000                           runs of every combination of grid values
    seed = 7                                 0 if nothing is said
    chunk = 4096                             runs computed and written together; chosen if nothing is said
    keep = ["peak_speed"]                    of what a run yields; all of it if nothing is said
    robots = ["panda", "arm.urdf"]           built-in names or files; or tables with model, label, lock, base,
                                             gravity, drawn (so many robots that might be this one)
    trajectories = ["reach.toml"]            requests, planned for every robot, or motions
    controllers = ["joint-pd"]               names, or tables with name, label, gains
    approximations = ["exact"]               names: the controller's model, or what is held against exact torques

    [state]                                  where a run starts: q, qd, and qdd where torques are asked for
    q = { uniform = "limits" }               drawn; also uniform = [low, high], normal = [mean, deviation],
                                             log_uniform = [low, high], choice = [a, b, c]
    qd = { values = [0, 0.5] }               a grid; also from = 0, to = 1, count = 11
    [offset]                                 q and qd by which a run starts beside a trajectory
    [payload]                                mass, centre, and the frame that carries it, else the tip
    mass = 1.5                               the same in all runs

    [torque]                                 friction
    [simulate]                               t, step, method, torque (numbers, or "hold"), limits, friction
    [control]                                rate, steps, delay, t, tolerance, method, limits, friction

A number stands for all joints; a list has one for each. Numbers may be expressions in quotes over [parameters]. Files
are looked for beside the sweep file. Every fault of a file is reported in one go.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from strobe.errors import ArgumentError, StrobeError, SweepWarning, nearest
from strobe.files.faults import Faults
from strobe.files.reading import path_text, read_toml_data, suffix_of
from strobe.models.toml_table import Context, Table, as_written
from strobe.show.json_text import plain
from strobe.simulate.integrators import FIXED as METHODS
from strobe.sweep import named_entries as names
from strobe.sweep.axes import FIXED, LIMITS, NAMED, Given, is_drawn
from strobe.sweep.chunking import chosen_chunk
from strobe.sweep.documents import robot_data
from strobe.sweep.evaluate import prepared
from strobe.sweep.plan import FORMAT, Plan
from strobe.sweep.task_control import believes
from strobe.sweep.tasks import TASKS
from strobe.sweep.varied_numbers import given, whole, wrong

MOST_RUNS = 10**15
HOLD = "hold"
GAUSSIAN: Given = {"normal": [0.0, 1.0]}
ANYWHERE: dict[str, Given] = {"state.q": {"uniform": LIMITS}, "state.qd": GAUSSIAN, "state.qdd": GAUSSIAN}
AT_REST: dict[str, Given] = {"state.q": {"uniform": LIMITS}, "state.qd": {FIXED: 0.0}}
BESIDE: dict[str, Given] = {"offset.q": {FIXED: 0.0}, "offset.qd": {FIXED: 0.0}}
STARTS: dict[str, tuple[dict[str, Given] | None, dict[str, Given] | None]] = {
    "torque": (ANYWHERE, None),
    "simulate": (AT_REST, BESIDE),
    "control": (None, BESIDE),
    "approximate": (ANYWHERE, {"part": {"uniform": [0.0, 1.0]}} | BESIDE),
}
"""Where runs of a task start if nothing is said: without trajectories, and with them."""
LISTS = {
    "trajectories": ("simulate", "control", "approximate"),
    "controllers": ("control",),
    "approximations": ("control", "approximate"),
}
DEFAULT = "computed-torque"  # controller
ON = "runs start on a trajectory; [offset] says how far beside it"
OFF = "without trajectories runs start where [state] says"


def read_plan(source: str | PathLike[str] | Mapping[str, Any] | Plan) -> Plan:
    """The sweep in a .toml file or in a mapping, or an `ArgumentError` with every fault of it.

    A mapping may also hold robots and motions themselves; a plan is given back.
    """
    if isinstance(source, Plan):
        return source
    if isinstance(source, Mapping):
        return _plan(plain(source), "sweep", Path())
    path = Path(path_text(source))
    if suffix_of(path) != ".toml":
        raise ArgumentError(f"{path}: a sweep is a .toml file.")
    return _plan(read_toml_data(path), str(path), path.parent)


def _plan(data: Mapping[str, Any], source: str, folder: Path) -> Plan:
    faults = Faults(source)
    root = Table(data, "", Context(faults))
    task = root.choice("task", list(TASKS))
    faults.raise_if_any()  # on it depends what else there should be
    parameters = root.table("parameters")
    for name in parameters.data:
        root.context.parameters[name] = parameters.number(name)
    reader = _Reader(root, task, folder)
    document = reader.document()
    root.finish()
    faults.raise_if_any()
    told = [robot_data(robot, label, reader.believed.get(label)) for label, robot in reader.robots.items()]
    plan = Plan(document | {"robots": told})
    chunk = min(plan.chunk or chosen_chunk(plan), plan.runs // len(plan.robots))
    plan = Plan(plan.document | {"chunk": chunk})
    reader.check(plan)
    faults.raise_if_any()
    for note in faults.remarks:
        warnings.warn(str(note), SweepWarning, stacklevel=3)
    return plan


class _Reader:
    """One sweep, table by table."""

    def __init__(self, root: Table, task: str, folder: Path) -> None:
        self.root, self.task, self.frame = root, task, None
        self._refuse_others()
        self.seed = whole(root, "seed", 0, 0) or 0
        self.robots, self.believed = names.robots(root, folder, self.seed)
        self.trajectories = (
            names.trajectories(root, folder, self.robots) if task in LISTS["trajectories"] else []
        )
        if STARTS[task][0] is None:
            names.require(root, "trajectories", "requests or motions to follow")

    def document(self) -> dict[str, Any]:
        """All of the sweep as plain data, but for its robots."""
        root, quantities = self.root, self._starts() | self._payload()
        options = self._options(quantities)
        samples = self._samples(drawn=any(map(is_drawn, quantities.values())))
        return {
            "format": FORMAT, "task": self.task, "samples": samples, "seed": self.seed,
            "chunk": whole(root, "chunk", 0, 1), "keep": self._keep(), "trajectories": self.trajectories,
            "controllers": self._controllers(), "approximations": self._approximations(), "quantities": quantities,
            "payload_frame": self.frame, "options": options,
        }  # fmt: skip

    def _refuse_others(self) -> None:
        """Report tables and lists that another task would listen to."""
        tables = {task: (task,) for task in TASKS if task != "approximate"}
        for key, tasks in (tables | LISTS).items():
            if self.task not in tasks and key in self.root:
                listed = " or ".join(f'"{task}"' for task in tasks)
                self.root.error(key, f'this is for task = {listed}, not for "{self.task}".')

    def _keep(self) -> list[str]:
        kept = names.entries(self.root, "keep", "names of what is kept")
        for k, name in enumerate(kept, 1):
            if not isinstance(name, str):
                self.root.error(
                    f"keep[{k}]", f"found {as_written(name)}, expected the name of what is kept."
                )
        return kept

    def _samples(self, drawn: bool) -> int:
        samples = whole(self.root, "samples", None, 1)
        if samples is None and drawn and "samples" not in self.root.data:
            names.require(
                self.root, "samples", "how many runs are drawn for every combination of grid values"
            )
        if samples is not None and samples > 1 and not drawn:
            self.root.error(
                "samples",
                f"found {samples}, but nothing is drawn: all runs would be the same; leave it out.",
            )
        return samples or 1

    # -- numbers ------------------------------------------------------------------------------------

    def _starts(self) -> dict[str, Given]:
        """Where the runs start."""
        known = STARTS[self.task][bool(self.trajectories)]
        own, other, why = ("offset", "state", ON) if self.trajectories else ("state", "offset", OFF)
        if other in self.root and known is not None:
            self.root.error(other, f"{why}; remove this table.")
        table, found = self.root.table(own), dict(known or {})
        for key in [name.removeprefix(f"{own}.") for name in found if name.startswith(own)]:
            if key in table:
                found[f"{own}.{key}"] = given(table, key)
        if known is not None:
            table.finish()
        return found

    def _payload(self) -> dict[str, Given]:
        """What the runs carry, if anything."""
        if "payload" not in self.root:
            return {}
        table = self.root.table("payload")
        names.require(table, "mass", "a number of kilograms, or what it is drawn from")
        found = {
            "payload.mass": given(table, "mass"),
            "payload.centre": given(table, "centre") if "centre" in table else {FIXED: 0.0},
        }
        self.frame = table.text("frame") if "frame" in table else None
        table.finish()
        return found

    # -- the rest -----------------------------------------------------------------------------------

    def _controllers(self) -> list[dict[str, Any]]:
        if self.task != "control":
            return []
        otherwise = {"label": DEFAULT, "name": DEFAULT, "gains": {}}
        return names.controllers(self.root) if "controllers" in self.root else [otherwise]

    def _approximations(self) -> list[str]:
        if self.task == "approximate":
            names.require(self.root, "approximations", "names of approximations")
        return names.approximations(self.root) if self.task in LISTS["approximations"] else []

    def _options(self, quantities: dict[str, Given]) -> dict[str, Any]:
        """What a task is told in its own table; the torque of simulations, which may vary, goes with quantities."""
        if self.task == "approximate":
            return {"friction": True}
        table = self.root.table(self.task)
        options: dict[str, Any] = {"friction": table.flag("friction", True)}
        if self.task == "simulate":
            options |= self._simulation(table)
            if not self.trajectories and options["torque"] is None:
                quantities["simulate.torque"] = (
                    given(table, "torque") if "torque" in table else {FIXED: 0.0}
                )
        if self.task == "control":
            options |= _loop(table)
        table.finish()
        return options

    def _simulation(self, table: Table) -> dict[str, Any]:
        moving = bool(self.trajectories)
        if moving:
            table.refuse(("torque",), "the torques are those of the trajectory")
        else:
            names.require(table, "t", "how many seconds a run lasts")
        names.require(table, "step", "seconds, such as 0.001: all runs take the same step")
        held = not moving and "torque" in table and table.data["torque"] == HOLD
        return {
            "t": _above(table, "t"), "step": _above(table, "step"), "torque": HOLD if held else None,
            "method": table.choice("method", tuple(METHODS), "rk4"), "limits": table.flag("limits", False),
        }  # fmt: skip

    # -- all of it ----------------------------------------------------------------------------------

    def check(self, plan: Plan) -> None:
        """Report what does not go with a robot, or cannot be made, before any worker meets it."""
        faults = self.root.context.faults
        if plan.runs > MOST_RUNS:
            self.root.error("", f"these are {plan.runs:,} runs; at most {MOST_RUNS:,} are taken.")
        for label, robot in self.robots.items():
            for name, found in plan.document["quantities"].items():
                if said := wrong(name, found, robot):
                    self.root.error(name, f"for {label}: {said}")
        if not faults.errors:
            self._check_tasks(plan)
            self._check_models(plan)
            self._check_kept(plan)

    def _check_tasks(self, plan: Plan) -> None:
        """Every combination of labels once."""
        for kind in range(len(plan.cells) // plan.cells.alike):
            cell = plan.cells[kind * plan.cells.alike]
            named = ", ".join([cell.robot, *(cell.chosen[name] for name in NAMED if name in cell.chosen)])
            try:
                notes = prepared(plan, kind).notes
            except StrobeError as error:
                self.root.error("", f"{named}: {error}")
            else:
                for note in notes:
                    self.root.context.faults.warning("", f"{named}: {note}")

    def _check_models(self, plan: Plan) -> None:
        used = [each["name"] for each in plan.document["controllers"]]
        if self.task == "control" and plan.document["approximations"] and not any(map(believes, used)):
            self.root.error(
                "approximations", f"{', '.join(used)} uses no model of the arm; leave them out."
            )

    def _check_kept(self, plan: Plan) -> None:
        known = list(Plan(plan.document | {"keep": []}).fields(plan.robots[0]))
        for k, name in enumerate(plan.document["keep"], 1):
            if name not in known:
                hint = nearest(name, known) or f" It yields {', '.join(known)}."
                self.root.error(f"keep[{k}]", f'a run yields no "{name}".{hint}')


def _loop(table: Table) -> dict[str, Any]:
    """How arms are controlled."""
    return {
        "rate": _above(table, "rate", 1000.0), "steps": whole(table, "steps", None, 1),
        "delay": float(table.number("delay")), "t": _above(table, "t"), "tolerance": _above(table, "tolerance"),
        "method": table.choice("method", tuple(METHODS), "rk4"), "limits": table.flag("limits", False),
    }  # fmt: skip


def _above(table: Table, key: str, default: float | None = None) -> float | None:
    """A number above zero."""
    if key not in table:
        return default
    value = float(table.number(key))
    if not value > 0:
        table.error(key, f"found {table.as_written(key)}, expected a number above zero.")
    return value
