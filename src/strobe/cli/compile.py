"""``strobe compile``: a quantity of a robot as source code to build into something else."""

from __future__ import annotations

import math
import textwrap
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from strobe.cli.inputs import Base, Gravity, Json, Lock, RobotName, Strict, open_robot
from strobe.cli.options import takes, written_to
from strobe.cli.states import NoFriction, given_range
from strobe.errors import ArgumentError, OutputError, UnknownNameError, UnsupportedModelError, nearest

if TYPE_CHECKING:
    import numpy as np

    from strobe.approximate.fixed_point import FixedPoint
    from strobe.codegen.c import Function
    from strobe.codegen.c_test import Expected
    from strobe.control.controller import Controller
    from strobe.graph.program import Program
    from strobe.quantities import Request
    from strobe.robot import Robot

TARGETS = ("c", "mex", "cffi")
KINEMATIC = (
    "forward_kinematics",
    "frame_placements",
    "jacobian",
    "point_jacobian",
    "jacobian_dot",
    "integrate",
    "difference",
)
LARGEST = 200_000  # operations: a source of some ten megabytes, which compilers still take

STATES = 16
# angles where sines, cosines or their reduction are special; the last three need the path for large angles
AWKWARD = (0.0, math.pi / 2, -math.pi, 1e-9, -1e-30, 1e5, -1048577.0, 1e9, 1e22)
LEAST_TOLERANCE = {False: 1e-12, True: 1e-5}  # of double and of single precision
MOST_TOLERANCE = {False: 1e-6, True: 1e-1}

MEANINGS = {
    "q": "position, in the order of the joints",
    "qd": "velocity, in the order of the joints",
    "qdd": "acceleration",
    "tau": "torques and forces",
    "q0": "position to start from",
    "q1": "position to end at",
    "v": "velocity",
    "dt": "a time",
    "x": "the acceleration of joints driven so, the torque of the others",
    "gravity": "acceleration of gravity, base axes",
    "point": "a position in the axes of the frame",
}


def compile(
    robot: RobotName,
    output: Annotated[Path, written_to("The folder to write; made if need be.", "DIR")],
    quantity: Annotated[
        str | None,
        typer.Argument(metavar="QUANTITY", help="What to compute, e.g. inverse_dynamics or jacobian."),
    ] = None,
    target: Annotated[str, takes("--target", "KIND", "c, mex (MATLAB) or cffi (Python).")] = "c",
    single: Annotated[
        bool, typer.Option("--float", help="Single precision; sines and cosines still work in double.")
    ] = False,
    formulation: Annotated[
        str | None, takes("--formulation", "NAME", "The equations; else the cheapest.")
    ] = None,
    frame: Annotated[str | None, takes("--frame", "FRAME", "The frame asked about; else the last.")] = None,
    wrench: Annotated[
        list[str] | None, takes("--wrench", "FRAME", "Take a wrench on this frame; may be repeated.")
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
    """Write a quantity of a robot, or a controller, as C99: a header, a source, a test and a Makefile.

    The code allocates nothing, keeps no state and needs no library but C's own. `make test` in the folder
    compares it with values that another formulation gave when the code was written. --target mex adds a
    gateway for MATLAB, --target cffi a script that builds a Python module.

    --fixed writes inverse_dynamics in integers, for processors without floating point: each number has a scale of
    its own from the ranges of motion (the robot's limits where none are given), and a proven error.

    --controller writes controller_step(&state, &reference, tau), the very program that strobe control simulates, with
    the same bits; its test replays a recorded run. With --patience a reading that is not a number is not passed on,
    and the arm is braked when too many are missing.

    \b
    Examples:
      strobe compile panda inverse_dynamics -o out && make -C out test
      strobe compile arm.urdf inverse_dynamics --wrench tool --float -o firmware
      strobe compile ur5 jacobian --frame tool --target mex -o matlab
      strobe compile panda inverse_dynamics --fixed 32 --qdd-range 10 -o firmware
      strobe compile panda --controller computed-torque --gain kp=100 --gain kd=20 --patience 5 -o firmware
    """
    from strobe.cli.show import warn
    from strobe.quantities import Request

    _check_target(target)
    _check_folder(output, force)
    of_controller = {"--gain": gain, "--rate": rate, "--patience": patience}
    if controller is not None:
        of_quantity = {
            "a quantity": quantity, "--target": target != "c", "--float": single, "--formulation": formulation,
            "--frame": frame, "--wrench": wrench, "--gravity-input": gravity_input, "--accelerated": accelerated,
            "--no-friction": no_friction, "--fixed": fixed, "--fraction": fraction, "--q-range": q_range,
            "--qd-range": qd_range, "--qdd-range": qdd_range,
        }  # fmt: skip
        _check_controller(of_quantity)
        arm = open_robot(robot, lock=lock, base=base, gravity=gravity, strict=strict)
        made = _controller(arm, controller, gain or [], rate)
        texts = _exported(made, patience, name)
        _write(output, texts, robot, force)
        _tell(output, texts, _controller_data(made, patience, output, texts) if as_json else None)
        return
    if quantity is None:
        raise ArgumentError("name a QUANTITY to compute, such as inverse_dynamics, or a --controller.")
    for option, value in of_controller.items():
        if value is not None:
            raise ArgumentError(f"{option} is for a controller: add --controller NAME, or leave it out.")
    _check_quantity(quantity)
    arm = open_robot(robot, lock=lock, base=base, gravity=gravity, strict=strict)
    request = Request(
        quantity,
        formulation,
        not no_friction,
        tuple(dict.fromkeys(arm.model.frame(f).name for f in wrench or ())),
        gravity_input,
        None if frame is None else arm.model.frame(frame).name,
        accelerated=tuple(accelerated or ()),
    )
    _check_request(arm, request)
    ranges = {"--q-range": q_range, "--qd-range": qd_range, "--qdd-range": qdd_range}
    _check_fixed(
        fixed, request, {"--fraction": fraction, **ranges}, {"--float": single, "--target": target != "c"}
    )
    if fixed is not None:
        made = _fixed(arm, fixed, fraction, ranges)
        texts = made.c_files(name)
        _write(output, texts, robot, force)
        _tell(output, texts, _fixed_data(made, name, output, texts) if as_json else None)
        return
    _check_precision(request, single)
    function = _function(arm, request, single, name)
    expected = _expected(arm, request, single)
    if expected.tolerance >= MOST_TOLERANCE[single]:
        warn(f"the test allows {expected.tolerance:.0e}, and other equations differ by more: it may fail.")
    texts = _texts(function, expected, target)
    _write(output, texts, robot, force)
    _tell(
        output, texts, _data(arm, request, function, expected, target, output, texts) if as_json else None
    )


# -- checks -------------------------------------------------------------------------------------------


def _check_target(target: str) -> None:
    if target not in TARGETS:
        raise ArgumentError(
            f'--target "{target}" is not known: c, mex or cffi.{nearest(target, list(TARGETS))}'
        )


def _check_quantity(quantity: str) -> None:
    from strobe.quantities import QUANTITIES

    if quantity not in QUANTITIES:
        raise UnknownNameError("quantity", quantity, "strobe", list(QUANTITIES))


def _check_precision(request: Request, single: bool) -> None:
    from strobe.quantities import ELIMINATING

    if single and request.quantity in ELIMINATING:
        raise ArgumentError(
            f"{request.quantity} divides by pivots, and single precision cannot tell a small one from rounding: "
            "leave --float out."
        )


def _check_folder(folder: Path, force: bool) -> None:
    """Refuse before any work what could not be written in the end."""
    if folder.exists() and not folder.is_dir():
        raise OutputError(f"cannot write into {folder}: it is a file. Name a folder.")
    try:
        occupied = folder.is_dir() and any(folder.iterdir())
    except OSError as error:
        raise OutputError(f"cannot write into {folder}: {error.strerror or error}.") from None
    if occupied and not force:
        raise OutputError(
            f"will not write into {folder}: it holds files. Name a new folder, or add --force."
        )


def _check_request(arm: Robot, request: Request) -> None:
    """Refuse what this robot or this quantity does not have."""
    from strobe.formulations import FORMULATIONS

    quantity = request.quantity
    if not arm.nv:
        raise UnsupportedModelError(f"{arm.name} has no joints that move: there is nothing to compute.")
    if arm.model.kinematic_only and quantity not in KINEMATIC:
        raise UnsupportedModelError(f"{arm.name} has no dynamics: {arm.model.kinematic_only}")
    for option, value in (("formulation", request.formulation), ("frame", request.frame)):
        if value is not None and not _reads(arm, quantity, option):
            raise ArgumentError(f"{quantity} does not depend on a {option}: leave --{option} out.")
    joints = {joint.name for joint in arm.coordinates.joints}
    for joint in request.accelerated:
        if joint not in joints:
            raise UnknownNameError("joint", joint, arm.name, sorted(joints), "robot.joint_names")
    if request.accelerated and quantity != "hybrid_dynamics":
        raise ArgumentError(f"{quantity} takes no --accelerated joints; hybrid_dynamics does.")
    method = FORMULATIONS.get(request.formulation or "")
    refusal = method.refusal(arm.model) if method else None
    if refusal is not None:
        raise UnsupportedModelError(refusal)
    arm._require_inertia(request)


def _reads(arm: Robot, quantity: str, option: str) -> bool:
    """Whether a quantity looks at an option: then it complains of a name that nothing has."""
    from strobe.quantities import Request

    nobody: Any = {option: "\0"}
    request = Request(quantity, **nobody)
    state = {key: [0.5] * size for key, size in request.inputs(arm.model).items()}
    try:
        request.evaluate(arm.model, **state)
    except UnknownNameError:
        return True
    except ZeroDivisionError:
        return False
    return False


def _check_loads(arm: Robot, request: Request, program: Program) -> None:
    """Refuse a wrench or gravity that the result does not depend on: it was asked for in error."""
    used = {str(node.value).rpartition("[")[0] for node in program.nodes if node.op == "input"}
    for given in program.inputs:
        if given.name in used or not (given.name == "gravity" or given.name.startswith("wrench ")):
            continue
        what = (
            "gravity" if given.name == "gravity" else f'a wrench on "{given.name.removeprefix("wrench ")}"'
        )
        option = "--gravity-input" if given.name == "gravity" else "--wrench"
        raise ArgumentError(
            f"{request.quantity} of {arm.name} does not depend on {what}: leave {option} out."
        )


# -- the function -------------------------------------------------------------------------------------


def _function(arm: Robot, request: Request, single: bool, name: str | None) -> Function:
    from strobe.codegen.c import Function
    from strobe.codegen.names import identifier
    from strobe.quantities import QUANTITIES
    from strobe.runtime.kernels import Kernel

    program = Kernel(arm.model, request).program
    _check_loads(arm, request, program)
    if len(program.nodes) > LARGEST:
        raise UnsupportedModelError(
            f"{request.quantity} of {arm.name} takes {len(program.nodes):,} operations; "
            f"as C source at most {LARGEST:,} are written. Choose another formulation."
        )
    does = (QUANTITIES[request.quantity].function.__doc__ or "").strip().splitlines()[0]
    about = [f"{request.quantity} of {_short(arm.name)}: {_ascii(does)}", *_details(arm, request)]
    return Function(
        f"strobe_{identifier(name if name is not None else arm.name)}_{request.quantity}",
        program,
        single,
        tuple(about),
        _meanings(request),
    )


def _details(arm: Robot, request: Request) -> list[str]:
    """What else a reader must know: the joints in order, the frame, the equations."""
    from strobe.quantities import OF_A_FRAME

    joints = ", ".join(_short(joint.name) for joint in arm.coordinates.joints)
    lines = textwrap.wrap(f"Joints: {joints}", 100, subsequent_indent="  ")
    if request.frame is not None or request.quantity in OF_A_FRAME:
        lines.append(f"Frame: {_short(request.frame or arm.model.frames[-1].name)}")
    if request.formulation is not None:
        lines.append(f"Equations: {request.formulation}")
    if request.accelerated:
        driven = ", ".join(map(_short, request.accelerated))
        lines += textwrap.wrap(f"Accelerations are given for: {driven}", 100, subsequent_indent="  ")
    if not request.friction:
        lines.append("Friction is left out.")
    return lines


def _meanings(request: Request) -> dict[str, str]:
    loads = {
        f"wrench {frame}": f"force and moment on the robot at {_short(frame)}, base axes"
        for frame in request.loaded
    }
    return MEANINGS | {"out": request.quantity} | loads


def _short(name: str) -> str:
    return name if len(name) <= 40 else f"{name[:37]}..."


def _ascii(text: str) -> str:
    """The signs of our own sentences in ASCII."""
    return text.translate({ord("×"): "x", ord("ᵀ"): "^T", ord("·"): "*", ord("−"): "-"})


# -- the test -----------------------------------------------------------------------------------------


def _expected(arm: Robot, request: Request, single: bool) -> Expected:
    """Results in double precision by other equations than those compiled, interpreted."""
    import numpy as np

    from strobe.codegen.c_test import Expected
    from strobe.runtime.interpret import evaluate

    other = _other_route(arm, request)
    states = _states(arm, request, np.dtype(np.float32 if single else np.float64))
    shape = request.shape(arm.model)
    wide = {key: value.astype(np.float64) for key, value in states.items()}
    results = evaluate(partial(other.evaluate, arm.model), wide, shape).reshape(STATES, -1)
    own = evaluate(partial(request.evaluate, arm.model), states, shape).reshape(STATES, -1)
    good = np.isfinite(results).all(axis=1)  # a singular mass matrix has no accelerations to compare
    if not good.any():
        raise UnsupportedModelError(f"{arm.name} has no finite {request.quantity} to test the code with.")
    results, own = results[good], own[good]
    states, wide = ({key: value[good] for key, value in rows.items()} for rows in (states, wide))
    sizes = abs(results).max(axis=1)
    scales = np.maximum(sizes, 1e-3 * np.median(sizes))
    scales = np.where(scales > 0.0, scales, 1.0)
    measured = 16.0 * float((abs(own - results).max(axis=1) / scales).max())
    allowed = max(LEAST_TOLERANCE[single], min(measured, MOST_TOLERANCE[single]))
    equations = f"by {other.formulation}, " if other.formulation else ""
    return Expected(
        {key: value.tolist() for key, value in wide.items()},
        results.tolist(),
        scales.tolist(),
        10.0 ** math.ceil(math.log10(allowed) - 1e-9),
        f"computed {equations}interpreted in double precision",
    )


def _other_route(arm: Robot, request: Request) -> Request:
    """The same request by equations that are not those of the code, where there are others."""
    if not _reads(arm, request.quantity, "formulation"):
        return request
    first, second = "spatial-newton-euler", "newton-euler-armstrong"
    return replace(request, formulation=second if request.formulation == first else first)


def _states(arm: Robot, request: Request, dtype: np.dtype) -> dict[str, np.ndarray]:
    """Random states, and in the first rows of q the awkward angles."""
    import numpy as np

    rng = np.random.default_rng(20)
    states: dict[str, np.ndarray] = {}
    for k, (key, size) in enumerate(request.inputs(arm.model).items()):
        if key in ("q", "q0", "q1"):
            states[key] = arm.random_state(seed=k + 1, batch=STATES)[0]
        else:
            states[key] = rng.standard_normal((STATES, size)) * (9.81 if key == "gravity" else 1.0)
    if "q" in states and arm.coordinates.trivial:  # a sum of angles would lose the digits of large ones
        for joint in arm.coordinates.joints:
            if joint.nq == 1 and joint.turns:
                states["q"][: len(AWKWARD), joint.q] = AWKWARD
    return {key: value.astype(dtype) for key, value in states.items()}


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
            "--fixed writes inverse_dynamics as C, with friction and without wrenches: leave out "
            "--float, --target, --formulation, --frame, --wrench, --gravity-input, --accelerated and --no-friction."
        )


def _fixed(arm: Robot, bits: int, fraction: int | None, ranges: dict[str, str | None]) -> FixedPoint:
    from strobe.approximate.fixed_point import FixedPoint

    given = {
        option.removeprefix("--").removesuffix("-range"): given_range(arm, option, text)
        for option, text in ranges.items()
        if text is not None
    }
    return FixedPoint(arm, given, bits, fraction)


def _fixed_data(made: FixedPoint, name: str | None, output: Path, texts: dict[str, str]) -> dict[str, Any]:
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
        "output": str(output),
        "files": list(texts),
    }


# -- controllers --------------------------------------------------------------------------------------


def _check_controller(others: dict[str, Any]) -> None:
    """Refuse what is said of a quantity."""
    for option, value in others.items():
        if value:
            raise ArgumentError(f"{option} does not go with --controller: leave one of them out.")


def _controller(arm: Robot, name: str, gain: list[str], rate: float | None) -> Controller:
    from strobe.cli.control import gains_of
    from strobe.control.methods import make, offer
    from strobe.control.rates import RATE, rates

    gains = gains_of([offer(name).name], gain)[name]
    return make(name, arm, rates(RATE if rate is None else rate).period, **gains)


def _exported(made: Controller, patience: int | None, name: str | None) -> dict[str, str]:
    from strobe.codegen.names import identifier
    from strobe.control.export import NAME, export
    from strobe.control.sensors import Sensors

    return export(made, Sensors(patience=patience), NAME if name is None else identifier(name))


def _controller_data(
    made: Controller, patience: int | None, output: Path, texts: dict[str, str]
) -> dict[str, Any]:
    return {
        "robot": made.robot.name,
        "controller": made.name,
        "rate": 1.0 / made.period,
        "gains": {name: values.tolist() for name, values in made.gains.items()},
        "memory": dict(made.memory),
        "patience": patience,
        "output": str(output),
        "files": list(texts),
    }


# -- files --------------------------------------------------------------------------------------------


def _texts(function: Function, expected: Expected, target: str) -> dict[str, str]:
    """Every file by its name."""
    from strobe.codegen import c, c_test, mex, python_cffi

    name = function.name
    texts = {
        f"{name}.h": c.header(function),
        f"{name}.c": c.source(function),
        f"test_{name}.c": c_test.self_test(function, expected),
        "Makefile": c_test.makefile(function),
    }
    if target == "mex":
        texts |= {
            f"{name}_mex.c": mex.gateway(function),
            f"build_{name}.m": mex.build_script(function),
            f"test_{name}.m": mex.self_test(function, expected),
        }
    elif target == "cffi":
        texts |= {f"build_{name}.py": python_cffi.build_script(function)}
    return texts


def _write(folder: Path, texts: dict[str, str], source: str, force: bool) -> None:
    from strobe.runtime.files import writing

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"cannot make the folder {folder}: {error.strerror or error}.") from None
    for file, text in texts.items():
        with writing(folder / file, inputs=[source], force=force) as stream:
            stream.write(text)


def _tell(output: Path, texts: dict[str, str], data: dict[str, Any] | None) -> None:
    """What was written: as data if there are any, else as a list of files."""
    from strobe.cli.show import print_json

    if data is not None:
        print_json(data)
        return
    for file in texts:
        print(output / file)
    print(f"test it: make -C {output} test")


def _data(
    arm: Robot,
    request: Request,
    function: Function,
    expected: Expected,
    target: str,
    output: Path,
    texts: dict[str, str],
) -> dict[str, Any]:
    program = function.program
    return {
        "robot": arm.name,
        "quantity": request.quantity,
        "target": target,
        "function": function.name,
        "precision": function.real,
        "inputs": [{"name": p.name, "size": p.size} for p in function.parameters],
        "shape": program.shape,
        "multiplications": program.multiplications,
        "additions": program.additions,
        "states": len(expected.results),
        "tolerance": expected.tolerance,
        "output": str(output),
        "files": list(texts),
    }
