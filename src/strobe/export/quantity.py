"""A quantity of a robot, written for somewhere else.

    robot.export("inverse_dynamics", "out")                                    C99 with a test and a Makefile
    robot.export("inverse_dynamics", "out", target="object", triple="thumbv7em-hf", single=True)
    robot.export("jacobian", "web", target="wasm", frame="tool")

Every target has the same function under the same name, and a test of it that carries its expected values along.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from strobe.codegen import c, c_test, mex, python_cffi, wasm, wasm_js
from strobe.codegen.c import Function
from strobe.codegen.c_test import Expected
from strobe.errors import ArgumentError, nearest, shown
from strobe.export.expected import expected
from strobe.export.function import function
from strobe.files.writing import write_folder
from strobe.quantities import Request

if TYPE_CHECKING:
    from strobe.robot import Robot
    from strobe.runtime.objects import Built, Machine

Files = dict[str, str | bytes]


@dataclass(frozen=True)
class Export:
    """A function in some form: its files by name, and what they hold."""

    request: Request
    target: str
    function: Function
    expected: Expected
    files: Mapping[str, str | bytes]
    built: Built | None = None  # what an object file takes

    def write(self, folder: str | PathLike[str], *, force: bool = False) -> list[Path]:
        """The files in a folder, which is made; ``force`` replaces files."""
        return write_folder(folder, self.files, force=force)


def export(
    robot: Robot, request: Request | str, *, target: str = "c", single: bool = False, name: str | None = None,
    triple: str | None = None, cpu: str | None = None,
) -> Export:  # fmt: skip
    """A quantity of a robot for a target: c, mex (MATLAB), cffi (Python), object or wasm.

    An object file is for the machine of a ``triple``, and for one of its processors, ``cpu``, if that is named.
    ``single`` computes in single precision; ``name`` stands in place of the robot's in names of code.
    """
    _require_kinds(target=target, single=single, name=name, triple=triple, cpu=cpu)
    machine = check_target(target, single, triple, cpu)
    asked = Request(request) if isinstance(request, str) else request
    made = function(robot, asked, single, name)
    test = expected(robot, asked, single)
    if machine is not None:
        return _object(Export(asked, target, made, test, {}), machine)
    return Export(asked, target, made, test, TARGETS[target](made, test))


def _require_kinds(target: object, single: object, **names: object) -> None:
    """Refuse what is neither text nor, for ``single``, True or False."""
    if not isinstance(single, bool):
        raise ArgumentError(f"single is {shown(single)}; expected True or False.")
    for option, value in {"target": target, **names}.items():
        if not isinstance(value, str) and (value is not None or option == "target"):
            raise ArgumentError(f"{option} is {shown(value)}; expected a name.")


def check_target(target: str, single: bool, triple: str | None, cpu: str | None) -> Machine | None:
    """Refuse what a target cannot be asked for; the machine of an object file."""
    if target not in NAMES:
        raise ArgumentError(
            f'target "{target}" is not known: {", ".join(NAMES[:-1])} or {NAMES[-1]}.{nearest(target, NAMES)}'
        )
    if target == "wasm" and single:
        raise ArgumentError("WebAssembly is written in double precision only.")
    if target != "object":
        for option, value in (("triple", triple), ("cpu", cpu)):
            if value is not None:
                raise ArgumentError(f"a {option} is for object files: take target object, or leave it out.")
        return None
    from strobe.runtime.objects import MACHINES, machine

    if triple is None:
        raise ArgumentError(f"an object file is for one machine: name its triple ({', '.join(MACHINES)}).")
    return machine(triple, cpu)


# -- files by target ----------------------------------------------------------------------------------


def _c(made: Function, test: Expected) -> Files:
    name = made.name
    return {
        f"{name}.h": c.header(made),
        f"{name}.c": c.source(made),
        f"test_{name}.c": c_test.self_test(made, test),
        "Makefile": c_test.make_rules(name),
    }


def _mex(made: Function, test: Expected) -> Files:
    name = made.name
    return _c(made, test) | {
        f"{name}_mex.c": mex.gateway(made),
        f"build_{name}.m": mex.build_script(made),
        f"test_{name}.m": mex.self_test(made, test),
    }


def _cffi(made: Function, test: Expected) -> Files:
    return _c(made, test) | {f"build_{made.name}.py": python_cffi.build_script(made)}


def _wasm(made: Function, test: Expected) -> Files:
    name = made.name
    return {
        f"{name}.wasm": wasm.module(made.program),
        f"{name}.js": wasm_js.wrapper(made),
        f"{name}.d.ts": wasm_js.types(made),
        "package.json": wasm_js.package(made),
        f"test_{name}.mjs": wasm_js.self_test(made, test),
    }


def _object(unbuilt: Export, machine: Machine) -> Export:
    """An object file, and a header that says what it takes."""
    from strobe.runtime.objects import build

    made = unbuilt.function
    built = build(made.program, made.name, machine, made.single)
    told = (
        f"Made for {machine}, {'with' if built.fused else 'without'} fused multiplication and addition.",
        f"Bytes: {built.text} of code, {built.constants} of constants, {built.stack} of stack at most.",
        "It calls nothing.",
    )
    files: Files = {
        f"{made.name}.o": built.code,
        f"{made.name}.h": c.header(replace(made, about=(*made.about, "", *told))),
        f"test_{made.name}.c": c_test.self_test(made, unbuilt.expected),
    }
    return replace(unbuilt, files=files, built=built)


TARGETS: Mapping[str, Callable[[Function, Expected], Files]] = {
    "c": _c,
    "mex": _mex,
    "cffi": _cffi,
    "wasm": _wasm,
}
NAMES = ("c", "mex", "cffi", "object", "wasm")
