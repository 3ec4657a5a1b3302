"""A quantity of a robot, written for somewhere else.

    robot.export("inverse_dynamics", "out")                                    C99 with a test and a Makefile
    robot.export("inverse_dynamics", "out", target="object", triple="thumbv7em-hf", single=True)
    robot.export("jacobian", "web", target="wasm", frame="tool")
    robot.export(["inverse_dynamics", "mass_matrix"], "out")                   one header, one source, one test

Every target has the same function under the same name, and a test of it that carries its expected values along.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from strobe.compiler.codegen import c, c_test, cuda_cpp, mex, python_cffi, wasm, wasm_js, wasm_js_library
from strobe.compiler.codegen.c import Function
from strobe.compiler.codegen.c_test import Expected
from strobe.compiler.export.function import function, stem, with_origin
from strobe.compiler.export.test_values import expected
from strobe.errors import ArgumentError, nearest, shown
from strobe.files.writing import write_folder
from strobe.quantities import Request
from strobe.robot import Robot, require_robot
from strobe.show.sheet import Sheet, Table, displayed

if TYPE_CHECKING:
    from strobe.compiler.runtime.objects import Built, Machine

Files = dict[str, str | bytes]


@dataclass(frozen=True)
class Part:
    """One quantity of an export: what was asked, its function, and what its test compares with."""

    request: Request
    function: Function
    expected: Expected


@displayed
@dataclass(frozen=True)
class Export:
    """Functions in some form: their files by name, and what they hold."""

    target: str
    parts: tuple[Part, ...]
    name: str  # the stem of the files
    files: Mapping[str, str | bytes]
    built: Built | None = None  # what an object file takes

    @property
    def request(self) -> Request:
        """What was asked, where it was one quantity."""
        return self._only.request

    @property
    def function(self) -> Function:
        """The function of the one quantity."""
        return self._only.function

    @property
    def expected(self) -> Expected:
        """What the test of the one quantity compares with."""
        return self._only.expected

    @property
    def _only(self) -> Part:
        first, *others = self.parts
        if others:
            raise ArgumentError(f"{self.name} has {len(self.parts)} functions: look into its parts.")
        return first

    def _sheet(self) -> Sheet:
        count = f"{len(self.files)} file{'s' if len(self.files) > 1 else ''}"
        head = f"{', '.join(part.function.name for part in self.parts)} for target {self.target}: {count}"
        rows = [
            [name, len(content.encode() if isinstance(content, str) else content)]
            for name, content in self.files.items()
        ]
        return Sheet(head, [Table(["file", "bytes"], rows), "write them: .write(folder)"])

    def write(self, folder: str | PathLike[str], *, force: bool = False) -> list[Path]:
        """The files in a folder, which is made; ``force`` replaces files."""
        return write_folder(folder, self.files, force=force)


def export(
    robot: Robot, request: Request | str | Sequence[Request | str], *, target: str = "c", single: bool = False,
    name: str | None = None, triple: str | None = None, cpu: str | None = None,
) -> Export:  # fmt: skip
    """Quantities of a robot for a target: c, cuda, mex (MATLAB), cffi (Python), object or wasm.

    An object file is for the machine of a ``triple``, and for one of its processors, ``cpu``, if that is named.
    ``single`` computes in single precision; ``name`` stands in place of the robot's in names of code. Several
    quantities are written into one header and one source, one object file or one module.
    """
    require_robot(robot)
    _require_kinds(target=target, single=single, name=name, triple=triple, cpu=cpu)
    machine = check_target(target, single, triple, cpu)
    given = [request] if isinstance(request, Request | str) else list(request)
    asked = [Request(each) if isinstance(each, str) else each for each in given]
    check_several(target, len(asked))
    functions = with_origin(robot, asked, [function(robot, each, single, name) for each in asked], name)
    tests = [expected(robot, each, single) for each in asked]
    parts = tuple(Part(*three) for three in zip(asked, functions, tests, strict=True))
    called = functions[0].name if len(parts) == 1 else stem(robot, name)
    unwritten = Export(target, parts, called, {})
    if machine is not None:
        return _object(unwritten, machine)
    return replace(unwritten, files=TARGETS[target](unwritten))


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
    from strobe.compiler.runtime.objects import MACHINES, machine

    if triple is None:
        raise ArgumentError(f"an object file is for one machine: name its triple ({', '.join(MACHINES)}).")
    return machine(triple, cpu)


def check_several(target: str, count: int) -> None:
    """Refuse several quantities where a target holds one."""
    if count > 1 and target in ONE_EACH:
        raise ArgumentError(f"{ONE_EACH[target]}: export the quantities one by one, or take target c.")


# -- files by target ----------------------------------------------------------------------------------


def _c(made: Export) -> Files:
    name, functions = made.name, [part.function for part in made.parts]
    return {
        f"{name}.h": c.header(*functions, name=name),
        f"{name}.c": c.source(*functions, name=name),
        f"test_{name}.c": _c_test(made),
        "Makefile": c_test.make_rules(name),
    }


def _c_test(made: Export) -> str:
    return c_test.self_test(*((part.function, part.expected) for part in made.parts), name=made.name)


def _cuda(made: Export) -> Files:
    """With the operations of compiled code."""
    name = made.name
    parts = [replace(part.function, fused=True) for part in made.parts]
    tested = [(function, part.expected) for function, part in zip(parts, made.parts, strict=True)]
    return {
        f"{name}.h": cuda_cpp.header(*parts, name=name),
        f"{name}.cu": cuda_cpp.source(*parts, name=name),
        f"test_{name}.cu": cuda_cpp.self_test(*tested, name=name),
        "CMakeLists.txt": cuda_cpp.cmake_lists(name),
    }


def _mex(made: Export) -> Files:
    name = made.name
    return _c(made) | {
        f"{name}_mex.c": mex.gateway(made.function),
        f"build_{name}.m": mex.build_script(made.function),
        f"test_{name}.m": mex.self_test(made.function, made.expected),
    }


def _cffi(made: Export) -> Files:
    return _c(made) | {f"build_{made.name}.py": python_cffi.build_script(made.function)}


def _wasm(made: Export) -> Files:
    name = made.name
    if len(made.parts) > 1:
        return _wasm_library(made)
    return {
        f"{name}.wasm": wasm.module(made.function.program),
        f"{name}.js": wasm_js.wrapper(made.function),
        f"{name}.d.ts": wasm_js.types(made.function),
        "package.json": wasm_js.package(name),
        f"test_{name}.mjs": wasm_js.self_test(made.function, made.expected),
    }


def _wasm_library(made: Export) -> Files:
    """Functions by the names of their quantities."""
    name, parts = made.name, {part.request.quantity: part for part in made.parts}
    functions = {key: part.function for key, part in parts.items()}
    tested = {key: (part.function, part.expected) for key, part in parts.items()}
    return {
        f"{name}.wasm": wasm.module_of({key: each.program for key, each in functions.items()}),
        f"{name}.js": wasm_js_library.wrapper(name, functions),
        f"{name}.d.ts": wasm_js_library.types(functions),
        "package.json": wasm_js.package(name),
        f"test_{name}.mjs": wasm_js_library.self_test(name, tested),
    }


def _object(unbuilt: Export, machine: Machine) -> Export:
    """An object file, and a header that says what it takes."""
    from strobe.compiler.runtime.objects import build_all

    name, functions = unbuilt.name, [part.function for part in unbuilt.parts]
    built = build_all({each.name: each.program for each in functions}, machine, functions[0].single)
    told = (
        f"Made for {machine}, {'with' if built.fused else 'without'} fused multiplication and addition.",
        f"Bytes: {built.text} of code, {built.constants} of constants, {built.stack} of stack at most.",
        "It calls nothing.",
    )
    origin = functions[0].origin
    origin = replace(origin, lines=(*origin.lines, "", *told))
    files: Files = {
        f"{name}.o": built.code,
        f"{name}.h": c.header(*(replace(each, origin=origin) for each in functions), name=name),
        f"test_{name}.c": _c_test(unbuilt),
    }
    return replace(unbuilt, files=files, built=built)


TARGETS: Mapping[str, Callable[[Export], Files]] = {
    "c": _c,
    "cuda": _cuda,
    "mex": _mex,
    "cffi": _cffi,
    "wasm": _wasm,
}
NAMES = ("c", "cuda", "mex", "cffi", "object", "wasm")
ONE_EACH = {
    "mex": "a MEX file is one function of MATLAB",
    "cffi": "a module of cffi is built around one function",
}
