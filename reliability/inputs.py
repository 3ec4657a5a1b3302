"""What the trials read: every reader of Strobe as a row of a table, with inputs that it takes and how they are read.

A target takes bytes as they may stand in a file or in an option. It either reads them or raises a `StrobeError`; what
was read is used a little: a model gives torques by interpretation, a motion its states.
"""

from __future__ import annotations

import gzip
import io
import os
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import strobe
from reliability import texts
from reliability.mutations import text_of, undated
from strobe.models import library
from strobe.models.load import load_model
from strobe.models.model import Model
from strobe.models.toml_writer import write_toml
from strobe.models.urdf_writer import write_urdf
from strobe.robot import Robot

SECONDS = 1.0  # of processor time: the most that reading one input may take
EXPANDED = 5.0  # where as many steps may be taken as a xacro file has
POSES = 5.0  # where poses are solved too: by interpretation here, which is many times slower than compiled


class WrongAnswer(Exception):
    """Something was read, and what it gave is no answer."""


@dataclass(frozen=True)
class Target:
    """A reader, inputs that it takes, and how they are built."""

    name: str
    grammar: str
    suffix: str
    seeds: Callable[[], list[bytes]]
    read: Callable[[bytes], object]
    share: float = 1.0  # of the inputs: fast readers take more of them
    seconds: float = SECONDS

    def __call__(self, data: bytes) -> None:
        """Read one input, remarks aside."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.read(data)


# -- where files go -----------------------------------------------------------------------------------------


@cache
def _root() -> TemporaryDirectory[str]:
    """A folder of the trial, in memory where there is such a place; it goes with the process that made it."""
    return TemporaryDirectory(prefix="strobe-fuzz-", dir="/dev/shm" if Path("/dev/shm").is_dir() else None)


def folder() -> Path:
    """A folder of this process: of a worker, inside that of the trial."""
    path = Path(_root().name) / str(os.getpid())
    path.mkdir(exist_ok=True)
    return path


def placed(data: bytes, name: str) -> Path:
    """A file with this content."""
    path = folder() / name
    path.write_bytes(data)
    return path


# -- robots -------------------------------------------------------------------------------------------------

SMALL = ("planar2", "stanford", "fourbar", "spherical3", "slider-crank")


def _urdf_seeds() -> list[bytes]:
    return [texts.MIMIC, *(write_urdf(load_model(name))[0].encode() for name in SMALL)]


def _toml_seeds() -> list[bytes]:
    """The built-in robots as they are written by hand, and as they are written by us."""
    by_hand = [library.built_in_text(name).encode() for name in library.built_in_names()]
    small = sorted(by_hand, key=len)[:10]
    return [*small, *(write_toml(load_model(name)).encode() for name in SMALL)]


def used(model: Model) -> None:
    """A model that was read, at a state of it: torques by interpretation, all of them numbers."""
    if model.kinematic_only or not model.nv or model.is_closed:
        return
    robot = Robot(model, compiled=False)
    rates = np.full(robot.nv, 0.5)
    with np.errstate(all="ignore"):
        tau = robot.inverse_dynamics(robot.neutral, rates, rates)
    if not np.isfinite(tau).all():
        raise WrongAnswer(f"torques {tau} of {model.name}")


def _model(suffix: str) -> Callable[[bytes], None]:
    return lambda data: used(load_model(placed(data, f"robot{suffix}")))


def _mjcf_with_files(data: bytes) -> None:
    """A model that includes, attaches and names files, beside those."""
    for name, content in texts.BESIDE_MJCF.items():
        placed(content, name)
    used(load_model(placed(data, "robot.xml")))


def _urdf_text(data: bytes) -> None:
    from strobe.models.urdf import read_urdf

    used(read_urdf("robot.urdf", text=text_of(data)))


def _toml_text(data: bytes) -> None:
    from strobe.models.toml_reader import read_toml

    used(read_toml("robot.toml", text=text_of(data)))


def _written_again(data: bytes) -> None:
    """A model that was read can be written as TOML, and is read again."""
    from strobe.models.toml_reader import read_toml

    model = load_model(placed(data, "robot.urdf"))
    read_toml("again.toml", text=write_toml(model))


def _name(data: bytes) -> None:
    used(load_model(text_of(data)))


# -- motions, requests, runs --------------------------------------------------------------------------------


@cache
def arm() -> Robot:
    """The robot that files are read for; interpreted, so that reading compiles nothing."""
    return Robot(load_model("stanford"), compiled=False)


@cache
def small() -> Robot:
    return Robot(load_model("planar2"), compiled=False)


def _planned() -> Any:
    robot = small()
    q = np.array([[0.0, 0.1], [0.5, -0.3], [0.2, 0.4]])
    return robot.plan(q, acceleration=5.0, velocity=2.0)


def _written(writer: Callable[[Path], object], suffix: str) -> bytes:
    path = folder() / f"seed{suffix}"
    path.unlink(missing_ok=True)
    writer(path)
    data = path.read_bytes()
    return undated(data) if suffix == ".npz" else data


def _motion_seeds(suffix: str) -> Callable[[], list[bytes]]:
    from strobe.trajectory.files import write

    def seeds() -> list[bytes]:
        return [_written(lambda path: write(_planned(), path, step=0.1), suffix)]

    return seeds


def _motion(suffix: str) -> Callable[[bytes], None]:
    from strobe.trajectory.files import in_order, read

    def reading(data: bytes) -> None:
        recorded = read(placed(data, f"motion{suffix}"))
        motion = in_order(recorded.motion, small().joint_names, "planar2")
        with np.errstate(all="ignore"):
            motion(recorded.times)

    return reading


def _log(data: bytes) -> None:
    from strobe.cli.logs import read_motion

    read_motion(placed(data, "log.csv"), small())


def _recorded(suffix: str) -> Callable[[bytes], object]:
    from strobe import read_log

    return lambda data: read_log(placed(data, f"log{suffix}"), small())


def _mcap_seeds() -> list[bytes]:
    run = small().simulate([0.3, 0.2], [0.0, 0.0], None, 0.01, step=0.005)
    return [_written(lambda path: run.to_mcap(path), ".mcap")]


def _parquet_seeds() -> list[bytes]:
    import pyarrow
    from pyarrow import parquet

    columns = {"t": [0.0, 0.1], "q1": [0.1, 0.2], "q2": [0.3, 0.4], "tau1": [1.0, 2.0]}
    return [_written(lambda path: parquet.write_table(pyarrow.table(columns), path), ".parquet")]


def _examined(data: bytes) -> None:
    """A file judged, and repaired where it can be read."""
    from strobe.models.doctor import examine

    found = examine(placed(data, "robot.urdf"))
    if found.model is not None:
        found.repaired()


def _request(suffix: str) -> Callable[[bytes], object]:
    from strobe.trajectory.reading import read_request

    return lambda data: read_request(arm(), placed(data, f"request{suffix}"))


def _sweep(data: bytes) -> None:
    from strobe.sweep.reading import read_plan

    read_plan(placed(data, "sweep.toml"))


def _request_as_json() -> list[bytes]:
    import json
    import tomllib

    return [json.dumps(tomllib.loads(texts.REQUEST.decode())).encode()]


def _run_seeds() -> list[bytes]:
    from strobe.simulate.files import write

    run = strobe.simulate(small(), [0.1, 0.2], [0.0, 0.0], 0.0, 0.001, step=1e-4)
    return [_written(lambda path: write(run, path), ".npz")]


def _run(data: bytes) -> None:
    from strobe.simulate.files import read

    run = read(placed(data, "run.npz"), small())
    with np.errstate(all="ignore"):
        _ = run.audit.kinetic, run.q, str(run)


def _torques(suffix: str) -> Callable[[bytes], object]:
    from strobe.simulate.files import read_torques

    return lambda data: read_torques(placed(data, f"torques{suffix}"), small())


def _torque_arrays() -> list[bytes]:
    stream = io.BytesIO()
    np.savez(stream, t=np.linspace(0, 1, 5), tau=np.ones((5, 2)))
    return [undated(stream.getvalue())]


def _table_seeds() -> list[bytes]:
    from strobe import approximate

    robot = small()
    made = [approximate.HornRaibert(robot, 3), approximate.Raibert(robot, 2)]
    return [_written(table.save, ".npz") for table in made]


def _table(data: bytes) -> None:
    from strobe.approximate import load_table

    load_table(placed(data, "table.npz"), small())


def _library_seeds() -> list[bytes]:
    from strobe.approximate import TypicalTrajectories

    kept = TypicalTrajectories(small())
    kept.learn(_planned())
    return [_written(kept.save, ".npz")]


def _library(data: bytes) -> None:
    from strobe.approximate import TypicalTrajectories

    TypicalTrajectories.load(placed(data, "library.npz"), small())


def _pose(data: bytes) -> None:
    from strobe.cli.ik import _file  # pyright: ignore[reportPrivateUsage]

    _file(placed(data, "pose.json"))


def _cache_entry(data: bytes) -> None:
    from strobe.compiler.runtime import cache as kept

    entry = kept._read(placed(data, f"{'0' * 64}.o"))  # pyright: ignore[reportPrivateUsage]
    if entry is not None and data != _entry():
        raise WrongAnswer("a damaged entry was taken for a whole one")


@cache
def _entry() -> bytes:
    from strobe.compiler.runtime import cache as kept

    path = folder() / f"{'0' * 64}.o"
    kept._write(path, kept.Entry(7, bytes(range(256))))  # pyright: ignore[reportPrivateUsage]
    return path.read_bytes()


# -- short texts --------------------------------------------------------------------------------------------


def _expression(data: bytes) -> None:
    from strobe.models.expressions import Expression, negated, parse_expression

    value = parse_expression(text_of(data), {"l1": 0.5, "lc1": 0.25})
    if not np.isfinite(value):
        raise WrongAnswer(f"{value} of an expression")
    if isinstance(value, Expression) and abs(negated(negated(value)) - value) > 0:
        raise WrongAnswer("twice negated is another")


def _xacro_expression(data: bytes) -> None:
    """A text of a xacro file over a few names: it gives a value of a few kinds, none of them large."""
    from strobe.models.xacro_files import Surroundings
    from strobe.models.xacro_scopes import Scope
    from strobe.models.xacro_texts import Texts
    from strobe.models.xacro_values import Meter

    path = folder() / "robot.xacro"
    texts_ = Texts(path, Meter(), Surroundings(path))
    scope = Scope(texts_.symbols)
    for name, value in (("a", "2"), ("b", "${a * 1.5}"), ("c", "left"), ("d", "${dict(x=1, y=[1, 2])}")):
        scope.define(name, value, later=True)
    value = texts_.value(text_of(data), scope)
    Meter().made(value)


def _option(data: bytes) -> None:
    from strobe.cli.inputs import locks, numbers
    from strobe.cli.states import given_range
    from strobe.errors import StrobeError

    text = text_of(data)
    for reading in (
        lambda: numbers("--q", text, 2),
        lambda: given_range(small(), "--q-range", text),
        lambda: small().lock(locks([text]) or {}),
    ):
        try:
            reading()
        except StrobeError:
            continue


def _certificate_seeds() -> list[bytes]:
    from importlib.resources import files

    found = files("strobe.papers").joinpath("fewest_certificates").iterdir()
    return [entry.read_bytes() for entry in found if entry.name.startswith("stanford")]


def _certificate(data: bytes) -> None:
    from strobe.papers.certificates import read

    read(text_of(data))


def _constant(*seeds: bytes) -> Callable[[], list[bytes]]:
    return lambda: list(seeds)


TARGETS: tuple[Target, ...] = (
    Target("urdf", "xml", ".urdf", _urdf_seeds, _model(".urdf"), 2),
    Target("urdf-text", "xml", ".urdf", _urdf_seeds, _urdf_text, 1),
    Target("urdf-to-toml", "xml", ".urdf", _urdf_seeds, _written_again, 0.3),
    Target("xacro", "xml", ".xacro", _constant(*texts.XACRO), _model(".urdf.xacro"), 1, EXPANDED),
    Target("xacro-expression", "text", ".txt", _constant(*texts.XACRO_EXPRESSIONS), _xacro_expression, 2, EXPANDED),
    Target("xacro-attack", "text", ".txt", _constant(*texts.XACRO_ATTACKS, b"${a}"), _xacro_expression, 2, EXPANDED),
    Target("mjcf", "xml", ".xml", _constant(*texts.MJCF), _model(".xml"), 1),
    Target("mjcf-files", "xml", ".xml", _constant(*texts.MJCF_FILES), _mjcf_with_files, 0.5),
    Target("robot-toml", "toml", ".toml", _toml_seeds, _model(".toml"), 2),
    Target("robot-toml-text", "toml", ".toml", _toml_seeds, _toml_text, 0.5),
    Target("robot-name", "text", ".txt", _constant(*texts.NAMES), _name, 0.5),
    Target("request-toml", "toml", ".toml", _constant(texts.REQUEST), _request(".toml"), 0.5, POSES),
    Target("request-json", "json", ".json", _request_as_json, _request(".json"), 0.5, POSES),
    Target("sweep-toml", "toml", ".toml", _constant(texts.SWEEP), _sweep, 0.2),
    Target("motion-json", "json", ".json", _motion_seeds(".json"), _motion(".json"), 1),
    Target("motion-csv", "csv", ".csv", _motion_seeds(".csv"), _motion(".csv"), 1),
    Target("motion-npz", "npz", ".npz", _motion_seeds(".npz"), _motion(".npz"), 0.5),
    Target("log-csv", "csv", ".csv", _constant(texts.LOG), _log, 1),
    Target("log-foreign", "csv", ".csv", _constant(*texts.FOREIGN_LOGS), _recorded(".csv"), 1),
    Target("log-gzip", "bytes", ".csv.gz", lambda: [gzip.compress(texts.LOG, mtime=0)], _recorded(".csv.gz"), 0.3),
    Target("log-mcap", "bytes", ".mcap", _mcap_seeds, _recorded(".mcap"), 0.5),
    Target("log-parquet", "bytes", ".parquet", _parquet_seeds, _recorded(".parquet"), 0.3),
    Target("doctor", "xml", ".urdf", _urdf_seeds, _examined, 1),
    Target("run-npz", "npz", ".npz", _run_seeds, _run, 0.5),
    Target("torques-csv", "csv", ".csv", _constant(texts.TORQUES), _torques(".csv"), 1),
    Target("torques-npz", "npz", ".npz", _torque_arrays, _torques(".npz"), 0.5),
    Target("table-npz", "npz", ".npz", _table_seeds, _table, 0.5),
    Target("library-npz", "npz", ".npz", _library_seeds, _library, 0.5),
    Target("pose-json", "json", ".json", _constant(texts.POSE), _pose, 1),
    Target("cache-entry", "bytes", ".o", lambda: [_entry()], _cache_entry, 1),
    Target("certificate", "text", ".txt", _certificate_seeds, _certificate, 0.5),
    Target("expression", "text", ".txt", _constant(*texts.EXPRESSIONS), _expression, 2),
    Target("option", "text", ".txt", _constant(*texts.OPTIONS), _option, 2),
)  # fmt: skip
BY_NAME = {target.name: target for target in TARGETS}


def chosen(names: Sequence[str]) -> tuple[Target, ...]:
    """The targets of these names, or all."""
    if unknown := [name for name in names if name not in BY_NAME]:
        raise SystemExit(f'no target "{unknown[0]}"; there are {", ".join(BY_NAME)}.')
    return tuple(BY_NAME[name] for name in names) if names else TARGETS
