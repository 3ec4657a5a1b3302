"""Every public function and method against arguments that fit, and such that do not: an answer or a sentence.

    python -m reliability.arguments --inputs 20000 --processes 2 --seed 0 [--record]

A call is a number: it says which function, which of its parameters are given, and what each is given: most often what
fits its name, now and then something of another type, shape, size or temper. It answers, or raises a `StrobeError`;
anything else, ten seconds of processor time or memory that cannot be had are failures. Only calls that Python itself
can bind are made, each in a new folder of its own, which takes what it writes.
"""

from __future__ import annotations

import decimal
import fractions
import inspect
import math
import os
import re
import sys
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import chdir
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
from operator import attrgetter
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import strobe
from reliability import inputs, workers
from reliability.readers import options, summary
from reliability.workers import READ, tried
from strobe.compiler.runtime.traced import Traced
from strobe.mechanisms import Chain
from strobe.quantities import Request
from strobe.robot import Robot

SECONDS = 10.0  # of processor time: a method may have to be compiled
ROOM = 4 * 2**30  # bytes of address space
ODDLY, ODD = 0.8, 0.03  # how often one argument of a call does not fit, and any other
LONGEST, FOREVER = 0.1, 1e6  # seconds: a run that lasts longer takes its time, and one for years is refused
GIVEN = 0.3  # of the parameters that need not be given are
NAMES = ("planar2", "spherical3", "fourbar", "biped10 floating")
ALONE = (
    "workers",
    "t",
)  # always given: a sweep starts no processes here, and a loop follows no whole motion
MOVING = ("simulate", "control")  # which take a robot of many joints that is not compiled too long
ROOMS = (
    "strobe.approximate",
    "strobe.identify",
    "strobe.mechanisms",
)  # whose functions are called too, of a robot
INSIDE = ("kept",)  # that applications ask of a robot, by keys of their own


# -- what is given ------------------------------------------------------------------------------------------


class Failing:
    """A tensor that is elsewhere."""

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise RuntimeError("call .cpu() first")


class Lying:
    """What gives something else than an array."""

    def __array__(self, *_: Any, **__: Any) -> Any:
        return "no array"


class Endless:
    """A sequence that never ends by index and has no length worth the name."""

    def __len__(self) -> int:
        return -1

    def __getitem__(self, k: int) -> float:
        return 0.0


def _nested(depth: int) -> list[Any]:
    made: list[Any] = [0.0]
    for _ in range(depth):
        made = [made]
    return made


def _within_itself() -> list[Any]:
    made: list[Any] = []
    made.append(made)
    return made


def _frozen(n: int) -> np.ndarray:
    made = np.zeros(n)
    made.flags.writeable = False
    return made


FIXED: tuple[Any, ...] = (
    None, True, False, -1, 0, 1, 2, 3.7, -0.0, math.nan, math.inf, -math.inf, 10**400, 10**5000, -(2**70), 2**63,
    1e308, 1e-320, 1j, "", "x", "joint1", "tool", "*", "[", "\0", "é" * 50, b"", b"ab", (), (1,), "0.1,0.2",
    Path("nowhere"), decimal.Decimal("1.5"), fractions.Fraction(1, 3), object, type, Exception("no"), math, len, ...,
    NotImplemented, range(3), np.float32(0.5), np.int8(-3), np.bool_(True), np.str_("x"), np.datetime64("2020-01-01"),
    np.ma.masked,
)  # fmt: skip
DTYPES = ("c16", "O", "?", "U3", "M8[s]", "m8[s]", "f2", "g", "u8", "i1", ">f4", "S2", [("a", float)])


def _changeable(rng: Random) -> Any:
    """Something odd that a call could change: made anew each time."""
    makers: Sequence[Callable[[], Any]] = (
        list, dict, object, Failing, Lying, Endless, _within_itself,
        lambda: {"a": 1.0}, lambda: {1: 2}, lambda: {"joint1": "here"}, lambda: {"tool": [1.0]}, lambda: {1.5, "x"},
        lambda: (x for x in (0.1, 0.2)), lambda: [None], lambda: [[1.0], [2.0, 3.0]], lambda: ["a", "b"],
        lambda: [object()], lambda: [10**400, 1], lambda: [math.nan, math.inf], lambda: [[[0.5, 0.5]]],
        lambda: _nested(rng.choice((40, 100, 5000))), lambda: bytearray(b"123"), lambda: memoryview(b"1234"),
        lambda: np.zeros(rng.choice((0, 1, 2, 3, 6, 9, 100))), lambda: np.zeros((rng.randrange(3), rng.randrange(5))),
        lambda: np.zeros((1,) * rng.randrange(9)), lambda: np.full(2, math.nan), lambda: np.array([1e308, -1e308]),
        lambda: np.zeros(2, rng.choice(DTYPES)), lambda: _frozen(rng.choice((2, 3))),
        lambda: np.ma.masked_array([0.1, 0.2], mask=[rng.random() < 0.5, True]), lambda: np.asmatrix([[0.1, 0.2]]),
        lambda: np.broadcast_to(np.float64(0.1), (3, 2)), lambda: _robots()["planar2"],
        lambda: lambda *_, **__: None, lambda: lambda *_: [0.0, 0.0], lambda: np.random.default_rng(0),
    )  # fmt: skip
    return rng.choice(makers)()


@cache
def _robots() -> dict[str, Robot]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = {
            name: Robot(
                strobe.load(name.split()[0], base=(*name.split(), None)[1]).model,
                compiled=name == "planar2",
            )
            for name in NAMES
        }
    return made


def _sum(q: Any) -> Any:
    return [q[0] + q[1]]


FITTING: Mapping[str, tuple[Any, ...]] = {
    "gravity": ([0, 0, -9.81],), "threads": (1, 2), "seed": (0, 7), "batch": (3, (2, 2)), "n": (2, 3),
    "formulation": ("newton-euler", "uicker-kahn"), "friction": (True, False), "point": ([0.1, 0, 0],),
    "force": ([1, 0, 0], True), "dt": (0.1,), "t": (0.01, [0.0, 0.01]), "method": ("rk4", "numeric", "cubic"),
    "source": ("planar2", "mujoco"), "mass": (1.0,), "com": ([0, 0, 0.1],), "length": (1.0, 2.0),
    "quantity": ("mass_matrix", "gravity"), "twist": (np.ones(6),), "acceleration": (np.ones(6),),
    "angles": ("rpy",), "of": ("all", "translation", ("x", "y")), "pose": (np.eye(4), [0.3, 0.2, 0.1]),
    "poses": (np.eye(4)[None],), "name": ("new",), "xyz": ([0, 0, 1],), "rpy": ([0, 0, 1],),
    "kind": ("point", "full"), "size": (0.1,), "kinds": ("RP", "RS"),
    "controller": ("computed-torque", "joint-pd"), "target": ("mujoco", "c"), "step": (0.001,),
    "rate": (100.0,), "stops": (True,), "limits": (True,), "numbers": (True,), "tolerance": (0.1,),
    "every": (2,), "at": (0.0,), "rows": ([0, 1], [("R", 0, 0, 0.3, 0)]), "samples": (3,), "single": (True,),
    "drives": (True,),
    "form": ("christoffel", "decomposition"), "damping": (0.1,), "function": (_sum,),
    "folder": ("new",), "path": ("new.npz", Path("new.csv"), "new.json", "log.csv"), "workers": (0,),
    "what": ({"task": "torque", "robots": ["planar2"], "samples": 2}, "sweep.toml"), "verify": (True,),
    "processes": (True, False), "format": ("parquet", "zarr"), "gravity_input": (True,),
    "triple": ("thumbv7em-hf",), "payload": ([1, 0, 0, 0.1],), "continuous": (True,), "delay": (0.0,), "steps": (2,),
    "check": (True, False), "events": ((),), "conserve_energy": (True,), "error": (True,), "cause": ("drive",),
    "order": (1,), "count": (3,), "k": (0,), "request": (Request("gravity"),), "snap": (1e-4,), "strict": (True,),
    "reference": ("aligned", "local", "world"), "convention": ("standard", "modified"), "degrees": (True, False),
    "columns": ({"t": 1, "q": "2:3"}, ("joint", "a", "d", "theta", "alpha")), "differentiate": (True,),
    "topic": ("actual",), "noise": (0.1,), "prior": ([1, 0, 0, 0, 0, 0, 0, 0, 0, 0],), "purpose": ("gravity",),
    "rtol": (1e-6,), "atol": (1e-6,), "planner": ("cubic",), "plant_rate": (1000.0,), "trajectory_rate": (10.0,),
    "stop_at": (0.005,), "budget": (1e6,), "seconds": (0.01,), "methods": (["gravity-only"],),
    "inertia": ([0.1] * 6,), "inertial": (True,), "centres": (True,), "open": (False,), "shapes": (False,),
    "bounds": ({"velocity": 1.0},), "gains": ({"stiffness": 10.0},), "tracking": (None,), "round": (1,),
    "view": ("front",),
    "tree": (True,), "scheme": ("central",), "tries": (3,), "least": (0.1,), "which": (0,),
}  # fmt: skip


UNKNOWN = object()
LOG = "t,q1,q2\n" + "".join(f"{k / 10},{k / 20},0.3\n" for k in range(8))


def fitting(name: str, robot: Robot, rng: Random) -> Any:
    """What fits a parameter by its name; `UNKNOWN` where nothing is known to."""
    batch = rng.choice(((), (), (2,), (1, 2)))
    q, qd, qdd = robot.random_state(seed=rng.randrange(5), batch=batch)
    vectors = {
        "q": q, "q0": q, "q1": q, "qd": qd, "qd0": qd, "v": qd, "qdd": qdd, "tau": qdd, "x": qdd, "torque": qdd,
        "start": q, "goal": q, "center": q, "preferred": qd, "posture": q, "theta": q, "theta_d": qd,
    }  # fmt: skip
    if name in vectors:
        value = vectors[name]
        return rng.choice((value, value, value, value.tolist(), value.astype(np.float32)))
    joint, base, tip = rng.choice(robot.joint_names), robot.frames[0], robot.frames[-1]
    ones = np.ones(robot.nv)
    choices: dict[str, tuple[Any, ...]] = {
        "robot": (robot,), "frame": (rng.choice((tip, base, None)),), "tip": (tip,),
        "base": ("fixed", "floating", base), "frame_a": (tip,), "frame_b": (base,),
        "wrench": (np.ones(6), {tip: np.ones(6)}), "parameters": (robot.parameters,),
        "geometry": (robot.geometry,), "out": (np.empty((*batch, robot.nv)), "new"), "actuated": ([joint],),
        "accelerated": ([joint],), "joints": ([joint],), "joint": (joint,), "lock": ({joint: 0.1},),
        "hold": ({joint: 0.1},), "asked": ([ones, 1.2 * ones], "mass_matrix"), "motion": (_motion(robot),),
        "q_a": (np.zeros((3, 1)),), "qd_a": (np.zeros((3, 1)),), "qdd_a": (np.zeros((3, 1)),),
        "rates": ({joint: 0.1},), "accelerations": ({joint: 0.1},), "foot": (base, tip), "link": (tip,),
        "chains": ([Chain(robot, list)],), "body": ([0.0, 0.0, 0.1],), "arm": (tip,), "names": (robot.joint_names,),
        "map": ("absolute", np.eye(robot.nv)), "within": ([-ones, ones],),
    }  # fmt: skip
    choices |= FITTING
    return rng.choice(choices[name]) if name in choices else UNKNOWN


@cache
def fits(name: str) -> bool:
    """Whether it is known what fits a parameter of this name."""
    return fitting(name, _robots()["planar2"], Random(0)) is not UNKNOWN


@cache
def _motion(robot: Robot) -> Any:
    try:
        ends = [robot.neutral[: robot.nv], robot.neutral[: robot.nv] + 0.1]
        return robot.plan(ends, "cubic", velocity=1.0, acceleration=1.0)
    except strobe.StrobeError:
        return None


def _odd(rng: Random) -> Any:
    return rng.choice(FIXED) if rng.random() < 0.5 else _changeable(rng)


# -- what is called -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Subject:
    """Something public that is called."""

    name: str
    bound: Callable[[Robot], Callable[..., Any]]  # to what it is called of, by a robot
    parameters: Sequence[inspect.Parameter]


def _parameters(
    function: Callable[..., Any], more: Callable[..., Any] | None = None
) -> list[inspect.Parameter]:
    """Those of a function, and those that its keywords stand for."""
    found = [p for p in inspect.signature(function).parameters.values() if p.name != "self"]
    named = [p for p in found if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)]
    if more is None or len(named) == len(found):
        return named
    known = {p.name for p in named} | {"robot"}
    extra = inspect.signature(more).parameters.values()
    return named + [
        p.replace(kind=p.KEYWORD_ONLY)
        for p in extra
        if p.name not in known
        and p.kind in (p.KEYWORD_ONLY, p.POSITIONAL_OR_KEYWORD)
        and p.default is not p.empty
    ]


def _behind(name: str) -> Callable[..., Any] | None:
    """The function whose keywords a thin method of `Robot` passes on."""
    from strobe.compiler.export.quantity import export
    from strobe.control.tracking import control
    from strobe.identify.base_parameters import base_parameters
    from strobe.identify.calibrating import calibrate
    from strobe.identify.excitation import excite
    from strobe.identify.identifying import identify
    from strobe.identify.online_estimator import estimator
    from strobe.kinematics.inverse import inverse_kinematics
    from strobe.kinematics.inverse_rates import inverse_acceleration, inverse_velocity
    from strobe.kinematics.manipulability import singular_directions
    from strobe.mechanisms.loop_closure import assemble
    from strobe.simulate.simulation import simulate
    from strobe.sweep.sweeping import sweep
    from strobe.trajectory.planners import plan

    every = (
        control, export, base_parameters, inverse_kinematics, singular_directions, inverse_acceleration,
        inverse_velocity, assemble, simulate, sweep, plan, identify, excite,
        estimator, calibrate,
    )  # fmt: skip
    return {function.__name__: function for function in every}.get(name)


@cache
def subjects() -> list[Subject]:
    """The methods of `Robot`, the functions of `strobe`, and methods of what these answer."""
    made: list[Subject] = []
    for name, method in inspect.getmembers(Robot, inspect.isfunction):
        if not name.startswith("_") and name not in INSIDE:
            made.append(Subject(f"Robot.{name}", attrgetter(name), _parameters(method, _behind(name))))
    for room in (strobe, *map(import_module, ROOMS)):
        for name in room.__all__:
            function = _behind(name) or getattr(room, name)  # some rooms are called as a function of theirs
            if inspect.isfunction(function):
                called = f"{room.__name__}.{name}"
                made.append(Subject(called, partial(_itself, function), _parameters(function)))
    for name, answer in ANSWERS.items():
        kind = type(answer(_robots()["planar2"]))
        for inner, method in inspect.getmembers(kind, inspect.isfunction):
            if kind is not Traced and not inner.startswith("_"):
                made.append(
                    Subject(f"{name}.{inner}", partial(_of_answer, answer, inner), _parameters(method))
                )
        if "__call__" in vars(kind):
            made.append(Subject(f"{name}()", answer, _parameters(kind.__call__)))
    return made


def _itself(function: Callable[..., Any], robot: Robot) -> Callable[..., Any]:
    return function


def _of_answer(answer: Callable[[Robot], Any], name: str, robot: Robot) -> Callable[..., Any]:
    return getattr(answer(robot), name)


def _run(robot: Robot) -> Any:
    return robot.simulate(robot.neutral, np.zeros(robot.nv), None, 0.01, step=0.005)


def _trajectory(robot: Robot) -> Any:
    return _motion(robot) or _motion(_robots()["planar2"])


def _explanation(robot: Robot) -> Any:
    return robot.explain(*robot.random_state(seed=0))


def _solutions(robot: Robot) -> Any:
    robot = _robots()["planar2"]
    return robot.inverse_kinematics(robot.forward_kinematics([0.3, 0.4]))


ANSWERS: Mapping[str, Callable[[Robot], Any]] = {
    "Run": _run,
    "Audit": lambda robot: _run(robot).audit,
    "Trajectory": _trajectory,
    "Explanation": _explanation,
    "Solutions": _solutions,
    "BaseParameters": lambda robot: _robots()["planar2"].base_parameters(),
    "Equations": lambda robot: _robots()["planar2"].equations(),
    "Traced": lambda robot: strobe.trace(_sum, q=2),
}


# -- many ---------------------------------------------------------------------------------------------------


class Arguments:
    """Random calls by their number."""

    memory, lifetime = ROOM, 500

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.rows: Sequence[str] = [subject.name for subject in subjects()]

    def prepare(self) -> None:
        """Robots loaded, and everything that a call imports."""
        from strobe.compiler.runtime import cache as kept

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            os.environ["STROBE_CACHE"] = str(inputs.folder() / "cache")
            kept._folder.cache_clear()  # pyright: ignore[reportPrivateUsage]
            _robots()
            for robot in _robots().values():
                _motion(robot)

    def row(self, number: int) -> int:
        return number % len(self.rows)

    def seconds(self, number: int) -> float:
        return SECONDS

    def call(self, number: int) -> tuple[Subject, Robot, dict[str, Any]]:
        """What the call of this number asks, of which robot, and by which arguments."""
        rng, subject = Random(self.seed << 40 | number), subjects()[self.row(number)]
        robot = _robots()[rng.choice(NAMES[:-1] if subject.name.endswith(MOVING) else NAMES)]
        given: dict[str, Any] = {}
        required = [p for p in subject.parameters if p.default is p.empty]
        free = [p for p in subject.parameters if p.default is not p.empty]
        worst = rng.choice(subject.parameters).name if subject.parameters and rng.random() < ODDLY else None
        for each in required:
            given[each.name] = fitting(each.name, robot, rng)
        for each in free:
            if each.name in ALONE or (rng.random() < GIVEN and fits(each.name)):
                given[each.name] = fitting(each.name, robot, rng)
        for name in given:
            if rng.random() < ODD:
                given[name] = _odd(rng)
        if worst is not None:
            given[worst] = _odd(rng)
        if subject.name.startswith(ROOMS) and "robot" in given:
            given["robot"] = robot
        if isinstance(given.get("t"), int | float) and LONGEST < given["t"] < FOREVER:
            given["t"] = LONGEST
        return subject, robot, given

    def attempt(self, number: int) -> object:
        subject, robot, given = self.call(number)
        with TemporaryDirectory() as place, chdir(place), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            Path("log.csv").write_text(LOG)
            function = subject.bound(robot)
            positional = [p.name for p in subject.parameters if p.kind is p.POSITIONAL_ONLY]
            first = [given.pop(name) for name in positional if name in given]
            function(*first, **given)
        return READ


def told(number: int, seed: int = 0) -> str:
    """A call in words."""
    subject, robot, given = Arguments(seed).call(number)
    shown = ", ".join(f"{name}={_shown(value)}" for name, value in given.items())
    return f"{subject.name}({shown}) of {robot.name}"


def _shown(value: Any) -> str:
    try:
        return re.sub(r"\s+", " ", repr(value))[:80]
    except Exception:  # who cannot even say what it is
        return f"<{type(value).__name__}>"


def main() -> None:
    given = options(__doc__, 6_000)
    trial = Arguments(given.seed)
    start = time.monotonic()
    counts, failures = tried(trial, given.inputs, given.processes)
    found: dict[tuple[str, str], workers.Failure] = {}
    for failure in sorted(failures, key=lambda failure: failure.number):
        found.setdefault(failure.signature, failure)
    for failure in found.values():
        print(f"{told(failure.number, given.seed)}\n    {failure}", flush=True)
    summary("arguments", given, counts, failures, time.monotonic() - start)
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
