"""Where a run stood when it ended, and what it was a run of: all that it takes to go on with the same bits."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any, NamedTuple

import numpy as np

from strobe.errors import ArgumentError
from strobe.models.differences import changes
from strobe.models.fingerprint import described, digest, fingerprint
from strobe.simulate.integrators import FIXED
from strobe.simulate.problem import Problem
from strobe.simulate.time_grid import Grid, grid

Array = np.ndarray
NEAR = 1e-9  # of a step: so near, two times are one


class Checkpoint(NamedTuple):
    """All that a fixed-step run needs to go on with the same bits: ``simulate(…, resume=checkpoint)``."""

    state: Array  # (N, size), the number of steps done among it
    energy: Array  # (N,) what conservation holds on to
    step: float
    time: float  # that was reached
    setting: Mapping[str, str]  # digests of what the run was asked for, by words
    model: Mapping[str, Any]  # the robot that it was asked of, `described`

    @classmethod
    def of(
        cls,
        problem: Problem,
        state: Array,
        energy: Array,
        step: float,
        time: float,
        setting: Mapping[str, str],
    ) -> Checkpoint:
        """Where a run of a problem stands; the state and what it holds on to are kept."""
        return cls(state, energy, step, time, setting, described(problem.asked_of.model))


def setting(problem: Problem, method: str, conserved: bool) -> dict[str, str]:
    """What a run is made of, as digests by the words of `simulate`; a Python function is like any other."""
    p, rate, spans = problem.parts, problem.rate, problem.spans
    inputs = {**problem.constants, **problem.tables}

    def given(prefix: str) -> list[Any]:
        return [(name, x) for name, x in inputs.items() if name.startswith(prefix)]

    made_of = {
        "robot": fingerprint(problem.asked_of.model),
        "method": method,
        "q0": problem.state[:, p.q],
        "qd0": problem.state[:, p.qd],
        "start": problem.start,
        "torque": (repr(rate.law), problem.function is not None, given("tau")),
        "parameters": given("law "),
        "wrench": given("wrench "),
        "payload": [*spans[0].payloads.items()],
        "events": [(span.start, span.locked, [*span.payloads.items()]) for span in spans],
        "stops": given("stop "),
        "limits": rate.limited,
        "friction": rate.friction,
        "formulation": rate.formulation,
        "conserve_energy": conserved,
        "setting": (
            fingerprint(problem.robot.model),
            digest(rate),
            [*inputs.items()],
            spans,
        ),  # whatever else
    }
    return {word: _digest(value) for word, value in made_of.items()}


def _digest(value: Any) -> str:
    found = hashlib.sha256()
    for part in _bytes(value):
        found.update(part)
    return found.hexdigest()[:16]


def _bytes(value: Any) -> Iterable[bytes]:
    if isinstance(value, Mapping):
        value = [*value.items()]
    elif is_dataclass(value):
        value = [(each.name, getattr(value, each.name)) for each in fields(value)]
    if isinstance(value, tuple | list):
        yield f"{len(value)}:".encode()
        for each in value:
            yield from _bytes(each)
    elif isinstance(value, np.ndarray):
        yield repr(value.shape).encode()
        yield np.ascontiguousarray(value).tobytes()
    else:
        yield repr(value).encode()


def require_fit(resume: Any, problem: Problem, words: Mapping[str, str], step: float | None) -> None:
    """Refuse a checkpoint of another run: what is gone on with is all else as it was."""
    if not isinstance(resume, Checkpoint):
        raise ArgumentError(
            f"resume is a {type(resume).__name__}; expected the checkpoint of a run: run.checkpoint."
        )
    if not np.isfinite(resume.step):
        raise ArgumentError(
            f"resume holds a run whose steps SciPy chose; only fixed steps ({', '.join(FIXED)}) can be gone on with."
        )
    if resume.state.shape != problem.state.shape:
        raise ArgumentError(
            f"resume holds a state of shape {resume.state.shape}, this run needs {problem.state.shape}; "
            "give the batch and limits= that the run had."
        )
    if step is not None and step != resume.step:
        raise ArgumentError(
            f"resume holds a run with steps of {resume.step:g} s, but step is {step:g}; give the same, or none."
        )
    for word, known in words.items():
        if resume.setting.get(word) != known:
            how = f" ({changes(resume.model, problem.asked_of.model)})" if word == "robot" else ""
            raise ArgumentError(
                f"resume holds a run with another {word}{how}; give all as it was, or begin anew without resume."
            )


def grid_from(resume: Checkpoint, problem: Problem) -> Grid:
    """The steps of a run that goes on: as they were, or, to another end, new ones from where it stopped."""
    start, end, step, marks = problem.start, problem.end, resume.step, problem.marks
    if resume.time > end + NEAR * step:
        raise ArgumentError(
            f"resume holds a run that went beyond {end:g} s; give t as it was, or a longer one."
        )
    done = np.array([int(resume.state[:, problem.parts.steps].max())])
    as_it_was = grid(start, end, step, marks)
    if abs(float(as_it_was.steps(done).t[0]) - resume.time) <= NEAR * step:
        return as_it_was
    longer = grid(start, end, step, np.append(marks, resume.time))
    if longer.number_at(np.array([resume.time])) != done:
        raise ArgumentError(
            f"resume holds a run that stopped at {resume.time:.9g} s after other steps; give t as it was."
        )
    return longer
