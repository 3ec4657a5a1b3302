"""What would CasADi's generated C give, beside a call and a batch of ours?

Pinocchio's algorithm over CasADi's expressions, as `pinocchio.casadi` has it (its wheel comes without): our
spatial Newton-Euler and composite bodies over a number system of CasADi's `SX`. CasADi writes the function as C,
compiled by gcc -O3 -march=native, and called through ctypes, on addresses that are there already, and in a loop over
states in C. Skipped where there is no gcc or no CasADi.
"""

from __future__ import annotations

import ctypes
import importlib
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import strobe
from benchmarks.against_c import FLAGS
from benchmarks.robots import ROBOTS
from benchmarks.timer import Row, answer
from strobe.analysis.peers import AGREEMENT, installed
from strobe.analysis.speed import batch_way, single_way
from strobe.compiler.runtime.timing import BATCH, Way, best_times
from strobe.formulations import FORMULATIONS
from strobe.quantities import QUANTITIES, Request
from strobe.scalars.scalar import Num, Scalar, System, is_number

SECONDS = 0.3
FORMULATION = {"inverse_dynamics": "spatial-newton-euler", "mass_matrix": "composite-body"}
LOOP = """#include "{name}.c"
void loop(long n, {parameters}, double *out)
{{
    double w[{work} + 1];
    for (long i = 0; i < n; ++i) {{
        const double *arg[] = {{ {arguments} }};
        double *res[] = {{ out + {size} * i }};
        {name}(arg, res, 0, w, 0);
    }}
}}
"""


class CasadiSystem(System):
    """CasADi's scalar expressions; zeros and ones fold as they do elsewhere."""

    name = "CasADi"

    def __init__(self) -> None:
        self.casadi = importlib.import_module("casadi")

    def number(self, x: float) -> Num:
        return x if x in (0, 1, -1) else Expression(self, self.casadi.SX(x))

    def point(self, angle: float) -> tuple[Num, Num]:
        return self.number(float(np.cos(angle))), self.number(float(np.sin(angle)))

    def inputs(self, name: str, size: int) -> tuple[Any, list[Num]]:
        column = self.casadi.SX.sym(name, size)
        return column, [Expression(self, column[k]) for k in range(size)]

    def column(self, values: list[Num]) -> Any:
        return self.casadi.vertcat(*(x if is_number(x) else x.value for x in values))  # pyright: ignore


class Expression(Scalar):
    """One of them."""

    __slots__ = ("value",)

    def __init__(self, system: CasadiSystem, value: Any) -> None:
        self.system = system
        self.value = value

    def apply(self, op: str, *args: Num) -> Expression:
        a = [self.admit(x).value for x in args]  # pyright: ignore[reportAttributeAccessIssue]
        functions: dict[str, Callable[..., Any]] = {
            "add": lambda x, y: x + y, "sub": lambda x, y: x - y, "mul": lambda x, y: x * y,
            "div": lambda x, y: x / y, "neg": lambda x: -x,
        }  # fmt: skip
        return Expression(self.system, (functions.get(op) or getattr(self.system.casadi, op))(*a))  # pyright: ignore

    def literal(self, x: float) -> Expression:
        return Expression(self.system, self.system.casadi.SX(x))  # pyright: ignore[reportAttributeAccessIssue]


def once(seconds: float = SECONDS, small: bool = False) -> list[Row]:
    if not (shutil.which("gcc") and installed("casadi")):
        return []
    names = ["ur5"] if small else ["panda", "ur5"]
    return [against(name, quantity, seconds) for name in names for quantity in FORMULATION]


def against(name: str, quantity: str, seconds: float) -> Row:
    """Batch beside loop and call beside call, on one thread."""
    robot = ROBOTS[name].load()
    request = Request(quantity, friction="friction" not in QUANTITIES[quantity].keywords)
    batch, single = batch_way(robot, request, 1), single_way(robot, request)
    out, one = np.empty((BATCH, *request.shape(robot.model))), np.empty(request.shape(robot.model))
    with tempfile.TemporaryDirectory() as folder:
        call, loop, instructions = compiled(robot, quantity, Path(folder))
    rows = [tuple(x.ctypes.data for x in values) for values in batch.arguments]
    loop(BATCH, *rows[0], out.ctypes.data)
    expected = batch.function(*batch.arguments[0])
    if not np.abs(out - expected).max() <= AGREEMENT * np.abs(expected).max():
        raise SystemExit(f"CasADi's code finds another {quantity} of {name}.")
    held = [_addresses(values) for values in single.arguments]
    result = (ctypes.c_void_p * 1)(one.ctypes.data)
    work = np.empty(max(1, instructions))
    ways = {
        "ours": batch,
        "theirs": Way(lambda *values: loop(BATCH, *values, out.ctypes.data), rows),
        "our_call": single,
        "their_call": Way(
            lambda given: call(given, result, None, work.ctypes.data, None), [(x,) for x in held]
        ),
    }
    best = best_times(ways, seconds)
    return {
        "robot": name, "quantity": quantity, "N": BATCH, "flags": " ".join(FLAGS[:2]),
        "ours_ns": 1e9 * best["ours"] / BATCH, "casadi_ns": 1e9 * best["theirs"] / BATCH,
        "ratio": best["theirs"] / best["ours"],
        "our_call_ns": 1e9 * best["our_call"], "casadi_call_ns": 1e9 * best["their_call"],
        "call_ratio": best["their_call"] / best["our_call"],
    }  # fmt: skip


def _addresses(values: tuple[np.ndarray, ...]) -> Any:
    return (ctypes.c_void_p * len(values))(*(x.ctypes.data for x in values))


def compiled(robot: strobe.Robot, quantity: str, folder: Path) -> tuple[Any, Any, int]:
    """CasADi's function, the loop over states around it, and how many numbers it works on."""
    system, sizes = CasadiSystem(), {"q": robot.nq}
    states = {name: system.inputs(name, sizes.get(name, robot.nv)) for name in QUANTITIES[quantity].states}
    written = getattr(FORMULATIONS[FORMULATION[quantity]].module, quantity)
    result = written(robot.model.lift(system), *(numbers for _, numbers in states.values()))
    flat = [x for row in result for x in row] if isinstance(result[0], list) else result
    given = [column for column, _ in states.values()]
    function = system.casadi.Function(quantity, given, [system.column(flat)])
    generator = system.casadi.CodeGenerator(f"{quantity}.c")
    generator.add(function)
    generator.generate(f"{folder}/")
    arguments = ", ".join(f"{name} + {column.numel()} * i" for name, (column, _) in states.items())
    text = LOOP.format(
        name=quantity, parameters=", ".join(f"const double *{name}" for name in states), arguments=arguments,
        size=len(flat), work=function.sz_w(),
    )  # fmt: skip
    (folder / "loop.c").write_text(text)
    subprocess.run(["gcc", *FLAGS, "-o", folder / "loop.so", folder / "loop.c", "-lm"], check=True)
    library = ctypes.CDLL(str(folder / "loop.so"))
    loop, call = library.loop, getattr(library, quantity)
    loop.argtypes, loop.restype = [ctypes.c_long, *[ctypes.c_void_p] * (len(states) + 1)], None
    call.argtypes, call.restype = [ctypes.c_void_p] * 5, ctypes.c_int
    return call, loop, function.sz_w()


if __name__ == "__main__":
    answer("against_casadi", once, SECONDS)
