"""A controller as C: `controller_step(&state, &reference, tau)`, and the program that tests it.

    ComputedTorque(robot, 1e-3).to_c("firmware")
    make -C firmware test

What is written is the very programs that the loop runs: what is made of readings (`Loop.sense_program`) and the
control law (`Loop.control_program`), with the same bits. The test replays a run that was recorded here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from strobe.compiler.codegen.c_controller import CController, Member, Stage, source
from strobe.compiler.codegen.names import Names, identifier
from strobe.compiler.export.provenance import origin
from strobe.compiler.graph.fuse import fuse
from strobe.compiler.runtime.traced import trace
from strobe.control.controller import Controller
from strobe.control.instruments import STOPPED
from strobe.control.loop import Loop
from strobe.control.sensor import ACCELEROMETERS
from strobe.control.sensors import Sensors
from strobe.errors import ArgumentError, UnsupportedModelError
from strobe.scalars import Num, Numbers

if TYPE_CHECKING:
    from strobe.compiler.codegen.c_controller_test import Recorded
    from strobe.control.recording import Recording

NAME = "controller"
OWN = "memory "  # how the loop's state calls what is the controller's
LARGEST = 200_000  # operations, which compilers still take in one function
UNFUSED = 1e-9  # by which torques may differ where the simulator's processor does not fuse
STOPS = "1 once a sensor has failed"
READINGS = {"position": "q", "velocity": "qd", "acceleration": "qdd"}
WANTED = {"q": "position", "qd": "velocity", "qdd": "acceleration"}


def export(controller: Controller, sensors: Sensors | None = None, name: str = NAME) -> dict[str, str]:
    """Header, source, test and Makefile by their names; ``sensors`` as in `control`: what is computed of them is
    written too, and with ``patience`` a reading that is no number is not passed on."""
    from strobe.compiler.codegen.c_controller_test import files
    from strobe.control.recording import recorded

    _check(controller, name)
    run = recorded(controller, Sensors() if sensors is None else sensors)
    return files(c_controller(run.loop, name), _as_recorded(run))


def write(
    folder: str | PathLike[str],
    controller: Controller,
    sensors: Sensors | None = None,
    name: str = NAME,
    *,
    force: bool = False,
) -> list[Path]:
    """The files of `export` in a folder, which is made; ``force`` replaces files."""
    from strobe.files.writing import write_folder

    return write_folder(folder, export(controller, sensors, name), force=force)


def _check(controller: Controller, name: str) -> None:
    if name != identifier(name):
        raise ArgumentError(
            f'name is "{name}"; expected letters, digits and _, such as "{identifier(name)}".'
        )
    if any(x.ndim > 1 for x in controller.gains.values()):
        raise ArgumentError(
            f"{controller.name} has gains for several runs; code is written for one of them."
        )


def c_controller(loop: Loop, name: str = NAME) -> CController:
    """The programs of a loop with the places of their numbers."""
    controller, robot = loop.controller, loop.controller.robot
    programs = [kernel.program for kernel in (loop.sense_program, loop.control_program)]
    size = sum(len(program.nodes) for program in programs)
    if size > LARGEST:
        raise UnsupportedModelError(
            f"a step of {controller.name} on {robot.name} takes {size:,} operations; as C source at most {LARGEST:,} "
            "are written. Give the controller a cheaper model."
        )
    names = Names()
    readings = _readings(loop, names)
    gains = tuple(
        Member(names.new(key), x.shape[-1], first=x.tolist()) for key, x in controller.gains.items()
    )
    kept = loop.instruments.computed | {f"{OWN}{key}": size for key, size in controller.memory.items()}
    memory = {
        key: Member(names.new(key.removeprefix(OWN)), size, STOPS if key == STOPPED else "")
        for key, size in kept.items()
    }
    sizes = {"q": robot.nq, "qd": robot.nv, "qdd": robot.nv}
    reference = tuple(Member(key, n, WANTED[key]) for key, n in sizes.items())
    start = tuple(Member(key, sizes[key], WANTED[key]) for key in ("q", "qd"))
    made = CController(
        name, _about(loop), readings, gains, tuple(memory[key] for key in loop.instruments.computed),
        tuple(member for key, member in memory.items() if key.startswith(OWN)), reference, start, robot.nv,
        (sum(p.multiplications for p in programs), sum(p.additions for p in programs)),
        _beginning(loop, readings, memory), _stages(loop, readings, gains, memory, reference),
    )  # fmt: skip
    return replace(made, origin=origin(robot, name, source(made)))


def _about(loop: Loop) -> tuple[str, ...]:
    controller, robot = loop.controller, loop.controller.robot
    believed = "" if controller.model is None else f", believing in {controller.model.title}"
    if loop.instruments.watched:
        periods = loop.sensors.most_missing
        missing = (
            "A reading that is not a number is not passed on: the last good one stands for it. Missing for more than "
            f"{periods} periods in a row the sensor has failed: the arm is braked and sensor_stopped is 1."
        )
    else:
        missing = "A reading that is not a number gives torques that are not: see to it that none comes."
    return (
        f"{controller.title} of {robot.name}{believed}, every {controller.period:g} s",
        missing,
    )


def _readings(loop: Loop, names: Names) -> tuple[Member, ...]:
    found: list[Member] = []
    for quantity, size in loop.readings.sizes.items():
        pairs = quantity == "acceleration" and loop.sensors.acceleration.source == ACCELEROMETERS
        name = ACCELEROMETERS if pairs else READINGS[quantity]
        meaning = (
            "specific forces, three before and three after every joint" if pairs else f"{quantity} measured"
        )
        found.append(Member(names.new(name), size, meaning))
    return tuple(found)


def _beginning(loop: Loop, readings: tuple[Member, ...], memory: Mapping[str, Member]) -> tuple[Stage, ...]:
    """The readings as given, and the memory of an arm that came along like that."""
    robot, given = loop.controller.robot, ("q", "qd")
    copied = [m for m in readings if m.name in given]

    def begin(q: Numbers, qd: Numbers) -> list[Num]:
        of = dict(loop.instruments.begin(q, qd)) if loop.instruments.memory else {}
        of |= {f"{OWN}{name}": x for name, x in loop.controller.begin(q, qd).items()}
        known = {"q": q, "qd": qd}
        kept = [of.get(name, [0.0] * member.size) for name, member in memory.items()]
        return [x for part in (*(known[m.name] for m in copied), *kept) for x in part]

    program = fuse(trace(begin, q=robot.nq, qd=robot.nv).program)
    places = {f"{m}[{k}]": f"{m}[{k}]" for m, n in (("q", robot.nq), ("qd", robot.nv)) for k in range(n)}
    return (Stage(program, places, _all("state->", *copied, *memory.values())),)


def _stages(
    loop: Loop, readings: tuple[Member, ...], gains: tuple[Member, ...], memory: Mapping[str, Member],
    reference: tuple[Member, ...],
) -> tuple[Stage, ...]:  # fmt: skip
    """Sensing, then control; without what is on its way to the sensors, which the world keeps."""
    kept = {
        f"state[{place.start + k}]": where
        for name, place in loop.layout.places.items()
        if name in memory
        for k, where in enumerate(memory[name].places("state->"))
    }
    said = _numbered("read", _all("state->", *readings))
    told = loop.plant.nq + 2 * loop.plant.nv
    late = sum(loop.instruments.physical.values())
    sensed, law = (fuse(kernel.program) for kernel in (loop.sense_program, loop.control_program))
    asked = {str(node.value) for node in law.nodes}
    needed = [k for k in range(told) if f"sensed[{k}]" in asked]
    of_sensors = [memory[name] for name in loop.instruments.computed]
    sense = Stage(
        sensed.with_outputs([*(sensed.outputs[k] for k in needed), *sensed.outputs[told + late :]]),
        said | kept,
        [*(f"told {k}" for k in needed), *_all("state->", *of_sensors)],
    )
    computed = {f"sensed[{told + late + k}]": place for k, place in enumerate(_all("state->", *of_sensors))}
    nv = loop.plant.nv
    own = [member for name, member in memory.items() if name.startswith(OWN)]
    beside = nv + late + sum(member.size for member in of_sensors)
    control = Stage(
        law.with_outputs([*law.outputs[:nv], *law.outputs[beside:]]),
        {f"sensed[{k}]": f"told {k}" for k in needed}
        | computed
        | kept
        | _numbered("reference", _all("reference->", *reference))
        | _numbered("gains", _all("state->", *gains)),
        [*(f"tau[{k}]" for k in range(nv)), *_all("state->", *own)],
    )
    return sense, control


def _all(of: str, *members: Member) -> list[str]:
    return [place for member in members for place in member.places(of)]


def _numbered(name: str, places: Sequence[str]) -> dict[str, str]:
    return {f"{name}[{k}]": place for k, place in enumerate(places)}


def _as_recorded(run: Recording) -> Recorded:
    from strobe.compiler.codegen.c_controller_test import Recorded
    from strobe.compiler.runtime import width

    loop = run.loop
    names = [*loop.instruments.computed, *(f"{OWN}{name}" for name in loop.controller.memory)]
    columns = np.concatenate(
        [np.arange(loop.layout.end)[loop.layout.places[name]] for name in names] or [np.zeros(0, int)]
    )
    first, last = run.states[[0, -1]][:, columns]
    same = width.target().fused and loop.plant.compiled
    return Recorded(
        [*run.q, *run.qd], run.read[:, : loop.readings.end].tolist(), run.wanted.tolist(), run.tau.tolist(),
        first.tolist(), last.tolist(), 0.0 if same else UNFUSED,
        f"a closed loop of {loop.controller.title} and {loop.plant.name}",
    )  # fmt: skip
