"""How long does an identification take, and are its error bars as large as its errors?

Logs are simulated: a periodic motion of every joint, torques of a robot with viscous and Coulomb friction and white
noise, positions in steps of an encoder. ``within_1`` and ``within_2`` are the parts of base parameters and friction
that lie within one and two standard deviations of what was put in (0.683 and 0.954 if all is right); ``beyond_floor``
is by how much the error of torques on a motion that was held out exceeds their noise, row by row as recorded, and
``beyond_in_band`` the same of what passes the band, which holds a fiftieth of the noise: there the errors of 64
parameters from some 1,300 rows show. With STROBE_LOGS naming a folder of the UR10e's logs (Mamedov and Mikhel, doi
10.3389/frobt.2020.571574), one of these is identified too and another held out.

    python -m benchmarks.identification --runs 1000     the trial of error bars, longer
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import numpy as np

import strobe
from benchmarks.timer import Row, answer
from strobe.identify.identification import Identification, driven
from strobe.identify.logs import Log
from strobe.identify.possible import is_possible
from strobe.models.model import Model

Array = np.ndarray

SECONDS = 1.0
RUNS = 40
TERMS = ("viscous", "coulomb", "offset")
VISCOUS, COULOMB = 0.4, 1.0
NOISE, STEP = 0.02, 2e-5  # of the largest torque of a joint; rad
UR10E = [("R", 0, 0.1807, 0, "pi/2"), ("R", 0, 0, -0.6127, 0), ("R", 0, 0, -0.57155, 0),
         ("R", 0, 0.17415, 0, "pi/2"), ("R", 0, 0.11985, 0, "-pi/2"), ("R", 0, 0.11655, 0, 0)]  # fmt: skip
GAINS = (14.87, 13.26, 11.13, 10.62, 11.03, 11.47)  # N m/A, of the UR10e in the literature
COLUMNS = "t=1,q=2:7,current=14:19"


def once(seconds: float = SECONDS, small: bool = False) -> list[Row]:
    names = ("planar2",) if small else ("panda", "ur5")
    runs = int(sys.argv[sys.argv.index("--runs") + 1]) if "--runs" in sys.argv else 2 if small else RUNS
    rows = [row for name in names for row in (chain(name, small), error_bars(name, runs))]
    folder = os.environ.get("STROBE_LOGS")
    return rows + (recorded(Path(folder)) if folder and not small else [])


def chain(name: str, small: bool) -> Row:
    """From 50,000 rows to possible bodies and the best friction, in seconds of both processors and of the wall."""
    truth = _rubbing(name)
    log = _log(truth, _motion(truth, 1, 10.0 if small else 100.0, 500.0), 1)
    strobe.identify(strobe.load(name), log)  # kernels are made then
    wall, own = time.perf_counter(), time.process_time()
    strobe.identify(strobe.load(name), log)
    took = {"wall_s": time.perf_counter() - wall, "processor_s": time.process_time() - own}
    return {"robot": name, "case": "the whole chain", "rows": len(log), **took}


def error_bars(name: str, runs: int) -> Row:
    """The errors of many logs of one motion, in standard deviations."""
    truth, robot = _rubbing(name), strobe.load(name)
    fitted, held = _motion(truth, 1, 40.0, 250.0), _motion(truth, 2, 40.0, 250.0)
    off: list[Array] = []
    beyond, within, possible = list[float](), list[float](), 0
    for run in range(runs):
        log, other = _log(truth, fitted, 2 * run), _log(truth, held, 2 * run + 1)
        found = strobe.identify(robot, log, test=other, friction=TERMS)
        true = np.concatenate([found.base.values, np.tile([VISCOUS, COULOMB, 0.0], robot.nv)])
        off.append((found.fit.values - true) / found.fit.deviations)
        possible += is_possible(found.parameters)
        beyond.append(_beyond(found, other, truth, held))
        within.append(_beyond_in_band(found, other, truth, held))
    z = np.abs(off)
    return {
        "robot": name, "case": "error bars", "runs": runs, "within_1": float((z < 1).mean()),
        "within_2": float((z < 2).mean()), "possible": possible / runs, "beyond_floor": float(np.mean(beyond)),
        "beyond_in_band": float(np.mean(within)),
    }  # fmt: skip


def _beyond(found: Identification, log: Log, truth: strobe.Robot, motion: tuple[Array, ...]) -> float:
    """By which part what is left of torques that were held out is larger than their noise, in rows as recorded."""
    _, q, qd, qdd = motion
    offset = found.friction[:, found.symbols.index("o")]
    left = log.tau - found.identified.inverse_dynamics(q, qd, qdd) - offset
    noise = log.tau - truth.inverse_dynamics(q, qd, qdd)
    return float((np.linalg.norm(left, axis=0) / np.linalg.norm(noise, axis=0)).mean()) - 1


def _beyond_in_band(
    found: Identification, log: Log, truth: strobe.Robot, motion: tuple[Array, ...]
) -> float:
    """The same of what passes the band."""
    _, measured, predicted = found.predicted(log)
    clean = found.predicted(_log(truth, motion, None))[1]
    floor = np.linalg.norm(measured - clean, axis=0)
    return max(float((np.linalg.norm(measured - predicted, axis=0) / floor).mean()) - 1, 0.0)


def recorded(folder: Path) -> list[Row]:
    """The real logs: one is identified, another one held out; gains of the literature, and found from a load."""
    robot = strobe.from_dh(UR10E, name="ur10e")
    read = {
        name: strobe.read_log(folder / f"{name}.csv.gz", robot, columns=COLUMNS, broken=True)
        for name in ("free-30s", "free-50s", "loaded-50s")
    }
    ways = {
        "gains of the literature": {"gains": GAINS},
        "gains found": {"loaded": read["loaded-50s"], "load": 2.805},
    }
    rows: list[Row] = []
    for way, words in ways.items():
        found = strobe.identify(robot, read["free-30s"], test=read["free-50s"], **words)
        rows += [
            {"robot": "ur10e", "case": way, "log": Path(told.source).name, "held_out": str(told.held_out),
             **{f"left_{j + 1}_percent": float(x) for j, x in enumerate(told.after)}}
            for told in found.logs
        ]  # fmt: skip
    return rows


def _rubbing(name: str) -> strobe.Robot:
    robot = strobe.load(name)
    model: Model = driven(robot.model, [(0.0, VISCOUS, COULOMB)] * robot.nv)
    return robot.with_model(model)


def _motion(robot: strobe.Robot, seed: int, seconds: float, rate: float) -> tuple[Array, ...]:
    """Times, positions, rates, accelerations: four frequencies up to 0.4 Hz."""
    rng, t = np.random.default_rng(seed), np.arange(0, seconds, 1 / rate)
    w = 2 * np.pi * np.arange(1, 5) / 10.0
    a, b = rng.normal(size=(2, robot.nv, len(w))) * 0.5
    sine, cosine = np.sin(np.outer(w, t)), np.cos(np.outer(w, t))
    q = rng.normal(size=robot.nv) + (a @ sine + b @ cosine).T
    return t, q, ((a * w) @ cosine - (b * w) @ sine).T, (-(a * w**2) @ sine - (b * w**2) @ cosine).T


def _log(robot: strobe.Robot, motion: tuple[Array, ...], seed: int | None) -> Log:
    """What would be recorded; without noise where there is no seed."""
    t, q, qd, qdd = motion
    tau = robot.inverse_dynamics(q, qd, qdd)
    if seed is not None:
        noise = np.random.default_rng(seed).normal(size=tau.shape)
        tau = tau + NOISE * np.abs(tau).max(axis=0) * noise
    return Log(
        "simulated",
        robot.name,
        robot.joint_names,
        "t",
        [],
        t,
        np.round(q / STEP) * STEP,
        None,
        None,
        tau,
        None,
        [],
    )


if __name__ == "__main__":
    answer("identification", once, SECONDS, processes=1)
