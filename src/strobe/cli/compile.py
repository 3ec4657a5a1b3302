"""``strobe compile``: quantities of a robot as source code to build into something else."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from strobe.cli.frames import TIP, meant_frame
from strobe.cli.inputs import Base, Gravity, Json, Lock, RobotName, Strict, open_robot
from strobe.cli.options import in_options, takes, written_to
from strobe.cli.states import NoFriction, given_range
from strobe.errors import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from strobe.approximate.fixed_point import FixedPoint
    from strobe.compiler.export.quantity import Export, Part
    from strobe.control.controller import Controller
    from strobe.identify.online_estimator import OnlineEstimator
    from strobe.quantities import Request
    from strobe.robot import Robot


def compile(
    robot: RobotName,
    output: Annotated[Path, written_to("The folder to write; made if need be.", "FOLDER")],
    quantity: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="QUANTITY...", help="What to compute, e.g. inverse_dynamics; several go into one file."
        ),
    ] = None,
    target: Annotated[
        str,
        takes("--target", "KIND", "c, cuda, mex (MATLAB), cffi (Python), object or wasm (WebAssembly)."),
    ] = "c",
    triple: Annotated[
        str | None, takes("--triple", "TRIPLE", "For --target object: the machine, e.g. thumbv7em-hf.")
    ] = None,
    cpu: Annotated[
        str | None, takes("--cpu", "NAME", "For --target object: its processor, e.g. cortex-m7.")
    ] = None,
    single: Annotated[
        bool, typer.Option("--float", help="Single precision throughout, sines too.")
    ] = False,
    formulation: Annotated[
        str | None, takes("--formulation", "NAME", "The equations; else the cheapest.")
    ] = None,
    frame: Annotated[str | None, takes("--frame", "FRAME", f"The frame asked about; {TIP}")] = None,
    wrench_input: Annotated[
        list[str] | None, takes("--wrench-input", "FRAME", "Take a wrench on this frame; may be repeated.")
    ] = None,
    gravity_input: Annotated[
        bool, typer.Option("--gravity-input", help="Take gravity as an argument.")
    ] = False,
    accelerated: Annotated[
        list[str] | None,
        takes("--accelerated", "JOINT", "hybrid_dynamics: its acceleration is given; repeatable."),
    ] = None,
    no_friction: NoFriction = False,
    name: Annotated[
        str | None, takes("--name", "NAME", "Instead of the robot's, in names of code.")
    ] = None,
    fixed: Annotated[
        int | None, takes("--fixed", "BITS", "Integers of 32 or 16 bits, no floating point.")
    ] = None,
    fraction: Annotated[
        int | None, takes("--fraction", "BITS", "For --fixed: one scale for all values.")
    ] = None,
    q_range: Annotated[
        str | None, takes("--q-range", "RANGES", "For --fixed: where the joints are.")
    ] = None,
    qd_range: Annotated[
        str | None, takes("--qd-range", "RANGES", "For --fixed: how fast they move.")
    ] = None,
    qdd_range: Annotated[
        str | None, takes("--qdd-range", "RANGES", "For --fixed: how fast that changes.")
    ] = None,
    controller: Annotated[
        str | None, takes("--controller", "NAME", "A controller of strobe control, not a quantity.")
    ] = None,
    gain: Annotated[
        list[str] | None, takes("--gain", "NAME=NUMBERS", "For --controller; may be repeated.")
    ] = None,
    rate: Annotated[float | None, takes("--rate", "HZ", "For --controller: steps a second, 1000.")] = None,
    patience: Annotated[
        int | None,
        takes(
            "--patience",
            "PERIODS",
            "For --controller: how long the last good reading may stand for one that is none.",
        ),
    ] = None,
    estimator: Annotated[
        str | None,
        takes(
            "--estimator",
            "TERMS",
            "Least squares for base parameters and this friction, e.g. viscous,coulomb.",
        ),
    ] = None,
    forgetting: Annotated[
        float | None,
        takes(
            "--forgetting", "PART", "For --estimator: what older squares weigh a sample later, e.g. 0.9999."
        ),
    ] = None,
    noise: Annotated[
        str | None,
        takes("--noise", "NUMBERS", "For --estimator: N m (N) of every torque; else all weigh alike."),
    ] = None,
    still: Annotated[
        float | None, takes("--still", "SPEED", "For --estimator: a joint no faster says nothing.")
    ] = None,
    lock: Lock = None,
    base: Base = None,
    gravity: Gravity = None,
    strict: Strict = False,
    force: Annotated[
        bool,
        typer.Option("--force", help="Write into a folder that holds files, over those of these names."),
    ] = False,
    as_json: Json = False,
) -> None:
    """Write a quantity of a robot, a controller or an estimator as C99: a header, a source, a test and a Makefile.

    The code allocates nothing, keeps no state and needs no library but C's own. The header tells every number
    with its index and unit, and has the sizes as macros. `make test` in the folder compares with values that
    another formulation gave when the code was written. --target cuda writes CUDA C++ for batches, with a CMake file;
    without CUDA it builds as plain C++. --target mex adds a gateway for MATLAB, --target cffi a
    script that builds a Python module.

    Quantities: inverse_dynamics, forward_dynamics, mass_matrix, mass_matrix_inverse, coriolis_matrix, gravity, bias,
    forward_kinematics, frame_placements, frame_velocity, frame_acceleration, jacobian, jacobian_dot, point_jacobian,
    derivatives of dynamics and of the Jacobian, regressors, energies, momenta and those of closed chains: all methods
    of a robot that are called by states (docs/api/robot.md).

    Several quantities share a header, a source and a test (or an object file, or a module); each takes those of
    the options that concern it, such as --frame for a jacobian.

    --target object writes an object file and a header instead of a source, for a small machine: aarch64, armv7a,
    riscv32, riscv64, thumbv7em, thumbv7em-hf, thumbv8m, x86_64 or a triple in full. It calls no library; how many
    bytes of code, constants and stack it takes is told. --target wasm writes a WebAssembly module with a wrapper for
    browsers and Node.

    --fixed writes inverse_dynamics in integers, for processors without floating point: each number has a scale of
    its own from the ranges of motion (the robot's limits where none are given), and a proven error.

    --controller writes controller_step(&state, &reference, tau), the very program that strobe control simulates, with
    the same bits; its test replays a recorded run. With --patience a reading that is not a number is not passed on,
    and the arm is braked when too many are missing.

    --estimator writes estimator_step(&state, q, qd, qdd, tau), which takes samples along as they come, and the base
    parameters and friction that fit all of them best, with their standard deviations.

    \b
    Examples:
      strobe compile panda inverse_dynamics -o out && make -C out test
      strobe compile panda inverse_dynamics mass_matrix jacobian --float -o out && make -C out test
      strobe compile arm.urdf inverse_dynamics --wrench-input tool --float -o firmware
      strobe compile ur5 jacobian --frame tool --target mex -o matlab
      strobe compile panda inverse_dynamics mass_matrix --target cuda --float -o cuda
      strobe compile ur5 inverse_dynamics --target object --triple thumbv7em-hf --float -o firmware
      strobe compile panda inverse_dynamics --target wasm -o web && node web/test_*.mjs
      strobe compile panda inverse_dynamics --fixed 32 --qdd-range 10 -o firmware
      strobe compile panda --controller computed-torque --gain kp=100 --gain kd=20 --patience 5 -o firmware
      strobe compile panda --estimator viscous,coulomb --forgetting 0.9999 -o firmware
    """
    from strobe.compiler.export.quantity import check_several, check_target
    from strobe.compiler.export.requests import named, requests
    from strobe.files.writing import refuse_folder
    from strobe.quantities import Request

    refuse_folder(output, force=force)
    of_controller = {"--gain": gain, "--rate": rate, "--patience": patience}
    of_estimator = {"--forgetting": forgetting, "--noise": noise, "--still": still}
    of_quantity = {
        "a quantity": quantity, "--target": target != "c", "--triple": triple, "--cpu": cpu, "--float": single,
        "--formulation": formulation, "--frame": frame, "--wrench-input": wrench_input,
        "--gravity-input": gravity_input,
        "--accelerated": accelerated, "--no-friction": no_friction, "--fixed": fixed, "--fraction": fraction,
        "--q-range": q_range, "--qd-range": qd_range, "--qdd-range": qdd_range,
    }  # fmt: skip
    if estimator is not None:
        _check_alone("--estimator", of_quantity | {"--controller": controller} | of_controller)
        arm = open_robot(robot, lock=lock, base=base, gravity=gravity, strict=strict)
        held = _estimator(arm, estimator, of_estimator)
        files = _estimating(held, name)
        _write(output, files, robot, force, _estimator_data(held) if as_json else None)
        return
    _check_unused("an estimator: add --estimator TERMS", of_estimator)
    if controller is not None:
        _check_alone("--controller", of_quantity)
        arm = open_robot(robot, lock=lock, base=base, gravity=gravity, strict=strict)
        made = _controller(arm, controller, gain or [], rate)
        files = _exported(made, patience, name)
        _write(output, files, robot, force, _controller_data(made, patience) if as_json else None)
        return
    if not quantity:
        raise ArgumentError("name a QUANTITY to compute, such as inverse_dynamics, or a --controller.")
    _check_unused("a controller: add --controller NAME", of_controller)
    check_target(target, single, triple, cpu)
    names = named(quantity)
    check_several(target, len(names))
    arm = open_robot(robot, lock=lock, base=base, gravity=gravity, strict=strict)
    options = Request(
        names[0],
        formulation,
        not no_friction,
        tuple(dict.fromkeys(arm.model.frame(f).name for f in wrench_input or ())),
        gravity_input,
        _frame(arm, names, frame),
        accelerated=tuple(accelerated or ()),
    )
    ranges = {"--q-range": q_range, "--qd-range": qd_range, "--qdd-range": qdd_range}
    other = {"--float": single, "--target": target != "c", "more quantities": len(names) > 1}
    _check_fixed(fixed, options, {"--fraction": fraction, **ranges}, other)
    if fixed is not None:
        made = _fixed(arm, options, fixed, fraction, ranges)
        files = made.c_files(name)
        _write(output, files, robot, force, _fixed_data(made, name) if as_json else None)
        return
    asked = requests(arm, names, options)
    made = _export(arm, asked, target=target, single=single, name=name, triple=triple, cpu=cpu)
    _write(output, made.files, robot, force, _data(arm, made) if as_json else None, *_sizes(made))


def _frame(arm: Robot, quantities: Sequence[str], frame: str | None) -> str | None:
    """The frame that quantities are of; one at rest has nothing to compute."""
    from strobe.quantities import QUANTITIES

    wanted = frame is not None or any(QUANTITIES[name].of_a_frame for name in quantities)
    return meant_frame(arm, frame) if wanted else None


# -- quantities ---------------------------------------------------------------------------------------


def _export(arm: Robot, asked: Sequence[Request], **options: Any) -> Export:
    from strobe.cli.show import warn
    from strobe.compiler.export.quantity import export
    from strobe.compiler.export.test_values import doubtful

    made = export(arm, asked, **options)
    for part in made.parts:
        tolerance = part.expected.tolerance
        if doubtful(tolerance, part.function.single):
            of = f" of {part.request.quantity}" if len(made.parts) > 1 else ""
            warn(f"the test{of} allows {tolerance:.0e}, and other equations differ by more: it may fail.")
    return made


def _sizes(made: Export) -> list[str]:
    """What an object file takes, in a line."""
    built = made.built
    if built is None:
        return []
    return [
        f"{built.machine}: {built.text} bytes of code, {built.constants} of constants, {built.stack} of stack"
    ]


def _data(arm: Robot, made: Export) -> dict[str, Any]:
    first, *others = made.parts
    data = {"robot": arm.name, "target": made.target, "stamp": first.function.origin.stamp}
    data |= {"functions": list(map(_part_data, made.parts))} if others else _part_data(first)
    built = made.built
    if built is not None:
        data |= {"triple": built.machine.triple, "cpu": built.machine.cpu, "fused": built.fused}
        data |= {"code": built.text, "constants": built.constants, "stack": built.stack}
    return data


def _part_data(part: Part) -> dict[str, Any]:
    function, program = part.function, part.function.program
    return {
        "quantity": part.request.quantity,
        "frame": part.request.frame,
        "function": function.name,
        "precision": function.real,
        "inputs": [{"name": p.name, "size": p.size} for p in function.parameters],
        "shape": program.shape,
        "multiplications": program.multiplications,
        "additions": program.additions,
        "states": len(part.expected.results),
        "tolerance": part.expected.tolerance,
    }


# -- fixed point --------------------------------------------------------------------------------------


def _check_fixed(fixed: int | None, request: Request, own: dict[str, Any], other: dict[str, bool]) -> None:
    """Refuse options of fixed point without it, and what it does not have."""
    from strobe.quantities import Request

    if fixed is None:
        for option, value in own.items():
            if value is not None:
                raise ArgumentError(f"{option} is for fixed point: add --fixed 32 or --fixed 16.")
        return
    if request != Request("inverse_dynamics") or any(other.values()):
        raise ArgumentError(
            "--fixed writes inverse_dynamics as C, with friction and without wrenches: leave out other quantities, "
            "--float, --target, --formulation, --frame, --wrench-input, --gravity-input, --accelerated and "
            "--no-friction."
        )


def _fixed(
    arm: Robot, request: Request, bits: int, fraction: int | None, ranges: dict[str, str | None]
) -> FixedPoint:
    from strobe.approximate.fixed_point import FixedPoint
    from strobe.compiler.export.function import check

    check(arm, request)
    given = {
        option.removeprefix("--").removesuffix("-range"): given_range(arm, option, text)
        for option, text in ranges.items()
        if text is not None
    }
    return FixedPoint(arm, given, bits, fraction)


def _fixed_data(made: FixedPoint, name: str | None) -> dict[str, Any]:
    return {
        "robot": made.robot.name,
        "quantity": "inverse_dynamics",
        "target": "c",
        "function": made.c_function(name).name,
        "precision": f"int{made.bits}_t",
        "formats": {key: list(map(str, formats)) for key, formats in made.formats.items()},
        "bound": made.bound.tolist(),
        "observed": made.observed.tolist(),
        "notes": list(made.notes),
    }


# -- controllers --------------------------------------------------------------------------------------


def _check_alone(option: str, others: dict[str, Any]) -> None:
    """Refuse what is said of something else."""
    for other, value in others.items():
        if value:
            raise ArgumentError(f"{other} does not go with {option}: leave one of them out.")


def _check_unused(what: str, options: dict[str, Any]) -> None:
    """Refuse options of what is not asked for."""
    for option, value in options.items():
        if value is not None:
            raise ArgumentError(f"{option} is for {what}, or leave it out.")


def _controller(arm: Robot, name: str, gain: list[str], rate: float | None) -> Controller:
    from strobe.cli.control import gains_of
    from strobe.control.methods import make, offer
    from strobe.control.sample_rates import RATE, rates

    gains = gains_of([offer(name).name], gain)[name]
    return make(name, arm, rates(RATE if rate is None else rate).period, **gains)


def _exported(made: Controller, patience: int | None, name: str | None) -> dict[str, str]:
    from strobe.compiler.codegen.names import identifier
    from strobe.control.export import NAME, export
    from strobe.control.sensors import Sensors

    return export(made, Sensors(patience=patience), NAME if name is None else identifier(name))


def _controller_data(made: Controller, patience: int | None) -> dict[str, Any]:
    return {
        "robot": made.robot.name,
        "controller": made.name,
        "rate": 1.0 / made.period,
        "gains": {name: values.tolist() for name, values in made.gains.items()},
        "memory": dict(made.memory),
        "patience": patience,
    }


# -- estimators ---------------------------------------------------------------------------------------


def _estimator(arm: Robot, terms: str, options: dict[str, Any]) -> OnlineEstimator:
    from strobe.cli.inputs import numbers

    given = {option.removeprefix("--"): value for option, value in options.items() if value is not None}
    if "noise" in given:
        given["noise"] = numbers("--noise", given["noise"], arm.nv, "There is one for each joint.")
    try:
        return arm.estimator(friction=terms.replace(",", " ").split(), **given)
    except ArgumentError as error:
        said = in_options(error, ("noise",), ("forgetting", "still", "noise"))
        raise ArgumentError(str(said).replace("friction:", "--estimator:")) from None


def _estimating(held: OnlineEstimator, name: str | None) -> dict[str, str]:
    from strobe.compiler.codegen.names import identifier

    return held.export() if name is None else held.export(identifier(name))


def _estimator_data(held: OnlineEstimator) -> dict[str, Any]:
    return {
        "robot": held.robot.name,
        "unknowns": list(held.names),
        "friction": [term.name for term in held.model.terms],
        "forgetting": held.forgetting,
        "bytes": 8 * (held.rows.sizes.rows * (held.rows.sizes.unknowns + 1) + 2 * held.robot.nv),
    }


# -- files --------------------------------------------------------------------------------------------


def _write(
    folder: Path, files: Mapping[str, str | bytes], source: str, force: bool, data: dict[str, Any] | None, *more: str
) -> None:  # fmt: skip
    """Write all files and tell of them: as data if there are any, else as a list."""
    from strobe.cli.show import print_json, say
    from strobe.files.writing import write_folder

    written = write_folder(folder, files, inputs=[source], force=force)
    if data is not None:
        print_json(data | {"output": str(folder), "files": list(files)})
        return
    for line in (*written, *more):
        say(str(line))
    if "Makefile" in files:
        say(f"test it: make -C {folder} test")
    elif script := next((file for file in written if file.suffix == ".mjs"), None):
        say(f"test it: node {script}")
