"""WebAssembly modules: what the bytes are, and what Node and a browser make of them."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import strobe
from strobe.compiler.codegen import wasm, wasm_js
from strobe.compiler.codegen.c import Function
from strobe.compiler.codegen.wasm import module, signed, unsigned
from strobe.compiler.graph.program import Program, trace
from strobe.compiler.runtime.kernels import Kernel
from strobe.quantities import Request
from strobe.scalars import Graph, Num, Numbers, cos, sin
from strobe.scalars.functions import absolute, atan2, floor, less, maximum, minimum, sqrt, tanh, where
from strobe.scalars.stored import Stored

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
SCREWS = "screws and planes"
NODE = shutil.which("node") or str(Path(playwright.__file__).parent.parent / "driver" / "node")
CHROMIUM = shutil.which("chromium")

CALL = """
import { readFile } from "node:fs/promises";
const [wrapper, file, n] = process.argv.slice(2);
const { load, inputs } = await import(wrapper);
const all = new Float64Array(new Uint8Array(await readFile(file)).buffer);
let end = 0;
const given = Object.values(inputs).map((size) => all.subarray(end, (end += n * size)));
const once = given.map((x) => x.subarray(0, x.length / n));
const kernel = await load();
process.stdout.write(Buffer.from(kernel.run(Number(n), ...given).buffer));
process.stdout.write(Buffer.from(kernel.evaluate(...once).buffer));
"""


def written(folder: Path, program: Program) -> Path:
    """The module of a program with its wrapper."""
    function = Function("f", program)
    (folder / "f.wasm").write_bytes(module(program))
    (folder / "f.mjs").write_text(wasm_js.wrapper(function))
    (folder / "f.d.ts").write_text(wasm_js.types(function))
    return folder / "f.mjs"


def run(folder: Path, program: Program, *inputs: Any) -> np.ndarray:
    """Results of rows of inputs in Node; the first one computed once more, by itself, and equal."""
    n, size = len(inputs[0]), len(program.outputs)
    (folder / "call.mjs").write_text(CALL)
    (folder / "given").write_bytes(b"".join(np.asarray(x, "<f8").tobytes() for x in inputs))
    command = [NODE, folder / "call.mjs", written(folder, program).as_uri(), folder / "given", str(n)]
    done = subprocess.run(command, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    found = np.frombuffer(done.stdout, "<f8").reshape(n + 1, size)
    np.testing.assert_array_equal(found[n], found[0])
    return found[:n]


def robot_of(name: str) -> strobe.Robot:
    return strobe.random(4, 10, kinds="HE", tree=True) if name == SCREWS else strobe.load(name)


def dynamics(name: str, quantity: str = "inverse_dynamics") -> Program:
    return Kernel(robot_of(name).model, Request(quantity)).program


# -- bytes --------------------------------------------------------------------------------------------


def test_whole_numbers_are_groups_of_seven_bits() -> None:
    assert unsigned(0) == b"\x00"
    assert unsigned(624485) == b"\xe5\x8e\x26"
    assert signed(-123456) == b"\xc0\xbb\x78"
    assert [signed(x) for x in (63, 64, -64, -65)] == [b"\x3f", b"\xc0\x00", b"\x40", b"\xbf\x7f"]


def test_a_module_begins_with_its_name_and_holds_sections_in_order() -> None:
    binary = module(dynamics("planar2"))
    assert binary[:8] == b"\0asm\1\0\0\0"
    kinds, at = [], 8
    while at < len(binary):
        kinds.append(binary[at])
        size, shift, at = 0, 0, at + 1
        while True:
            byte, at = binary[at], at + 1
            size |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                break
        at += size
    assert kinds == [1, 3, 5, 6, 7, 10, 11]
    assert at == len(binary)


def test_a_value_used_once_has_no_local_and_locals_are_used_again() -> None:
    def chain(x: Numbers) -> list[Num]:
        total = x[0]
        for _ in range(3_000):
            total = total * total + x[1]
        return [total]

    program = trace(chain, {"x": 2}, (1,), Graph())
    body = wasm._evaluate(wasm.Module(), program)
    assert len(body.locals[wasm.NUMBER]) <= 4


def test_a_long_chain_of_values_used_once_is_no_deep_recursion() -> None:
    def chain(x: Numbers) -> list[Num]:
        total = x[0]
        for k in range(5_000):
            total = total * 0.5 + float(k)
        return [total]

    assert len(module(trace(chain, {"x": 1}, (1,), Graph()))) > 5_000 * 20


# -- values -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "quantity"),
    [
        ("panda", "inverse_dynamics"),
        ("ur5", "jacobian"),
        ("stanford", "forward_dynamics"),
        ("spherical3", "difference"),
        (SCREWS, "inverse_dynamics"),
    ],
)
def test_results_in_node_are_those_of_python(tmp_path: Path, name: str, quantity: str) -> None:
    robot = robot_of(name)
    program = dynamics(name, quantity)
    rng = np.random.default_rng(3)
    given = {
        i.name: robot.random_state(seed=k, batch=30)[0] if i.name.startswith("q") and i.size == robot.nq
        else rng.standard_normal((30, i.size))
        for k, i in enumerate(program.inputs)
    }  # fmt: skip
    if name == "panda":
        given["q"][:3, 0] = 1e5, 1e9, -1e22
    found = run(tmp_path, program, *given.values())
    expected = getattr(robot, quantity)(*given.values()).reshape(30, -1)
    scale = abs(expected).max(axis=1, keepdims=True)
    assert (abs(found - expected) / scale).max() < 1e-12


def test_every_operation_in_node_is_that_of_numpy(tmp_path: Path) -> None:
    table = Stored(np.linspace(0.0, 1.0, 7) ** 2)

    def f(x: Numbers, y: Numbers) -> list[Num]:
        a, b = x[0], y[0]
        smaller = less(a, b)
        return [
            sin(a), atan2(a, b), tanh(a), sqrt(absolute(a)), floor(b), minimum(a, b), maximum(a, b),
            where(smaller, a / b, a - b), where(smaller, b, a), smaller, table.at(b), a * b + a, -a, a,
            where(b, a, 1.0),
        ]  # fmt: skip

    program = trace(f, {"x": 1, "y": 1}, (15,), Graph())
    rng = np.random.default_rng(0)
    special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e9])
    a, b = (
        np.concatenate([rng.uniform(-9.0, 9.0, 100), axis.ravel()])
        for axis in np.meshgrid(special, special)
    )
    found = run(tmp_path, program, a[:, None], b[:, None])
    values = np.linspace(0.0, 1.0, 7) ** 2
    with np.errstate(all="ignore"):
        expected = [
            np.sin(a), np.arctan2(a, b), np.tanh(a), np.sqrt(abs(a)), np.floor(b), np.minimum(a, b), np.maximum(a, b),
            np.where(a < b, a / b, a - b), np.where(a < b, b, a), a < b,
            np.where(np.isnan(b), np.nan, values[np.clip(np.nan_to_num(b), 0, 6).astype(int)]), a * b + a, -a, a,
            np.where(b != 0, a, 1.0),
        ]  # fmt: skip
    for k, column in enumerate(expected):
        np.testing.assert_allclose(found[:, k], column, rtol=1e-15, err_msg=f"operation {k}")


def test_a_cosine_alone_and_a_result_that_is_an_input_or_a_constant(tmp_path: Path) -> None:
    program = trace(lambda q, v: [cos(q[0]), v[1], 3.5, v[1]], {"q": 1, "v": 2}, (4,), Graph())
    found = run(tmp_path, program, [[0.5]], [[1.0, 2.0]])
    np.testing.assert_allclose(found, [[np.cos(0.5), 2.0, 3.5, 2.0]], rtol=1e-15)


# -- the wrapper --------------------------------------------------------------------------------------


def test_the_wrapper_refuses_what_does_not_fit(tmp_path: Path) -> None:
    wrapper = written(tmp_path, dynamics("planar2"))
    script = f"""
        const {{ load, inputs, size, shape }} = await import("{wrapper.as_uri()}");
        const kernel = await load();
        const said = (f) => {{ try {{ f(); return "nothing"; }} catch (error) {{ return error.message; }} }};
        const z = [0, 0];
        const many = new Float64Array(200000);
        console.log(JSON.stringify([
            said(() => kernel.evaluate(z, z)), said(() => kernel.evaluate(z, [1], z)),
            said(() => kernel.run(2, z, z, z)), said(() => kernel.run(-1, z, z, z)),
            said(() => kernel.evaluate(z, z, z, new Float64Array(3))), kernel.run(0, [], [], []).length,
            inputs, size, shape, kernel.run(100000, many, many, many).length,
        ]));
    """
    done = subprocess.run(
        [NODE, "--input-type=module", "-e", script], capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout) == [
        "qdd has no numbers; expected 2.",
        "qd has 1 numbers; expected 2.",
        "q has 2 numbers; expected 4.",
        "n is -1; expected a number of states.",
        "out has 3 numbers; expected 2.",
        0, {"q": 2, "qd": 2, "qdd": 2}, 2, [2], 200_000,
    ]  # fmt: skip


def test_the_exports_take_addresses_and_the_result_may_lie_over_an_argument(tmp_path: Path) -> None:
    robot = strobe.load("puma560")
    (tmp_path / "f.wasm").write_bytes(module(dynamics("puma560")))
    state = robot.random_state(seed=7)
    script = f"""
        const bytes = require("node:fs").readFileSync({json.dumps(str(tmp_path / "f.wasm"))});
        const {{ memory, heap, evaluate, run }} = new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports;
        const numbers = new Float64Array(memory.buffer), first = heap.value / 8;
        const found = [0, 1, 2].map((over) => {{
            numbers.set({json.dumps(np.concatenate(state).tolist())}, first);
            const places = [0, 1, 2].map((k) => heap.value + 48 * k);
            over ? evaluate(...places, places[over]) : run(1, ...places, places[over]);
            return [...numbers.subarray(first + 6 * over, first + 6 * over + 6)];
        }});
        console.log(JSON.stringify(found));
    """
    done = subprocess.run([NODE, "-e", script], capture_output=True, text=True, check=True)
    expected = robot.inverse_dynamics(*state)
    np.testing.assert_allclose(json.loads(done.stdout), [expected] * 3, rtol=1e-12)


def test_types_name_every_argument() -> None:
    types = wasm_js.types(Function("f", dynamics("ur5", "jacobian")))
    assert "evaluate(q: ArrayLike<number>, out?: Float64Array): Float64Array;" in types
    assert "export const shape: readonly [6, 6];" in types
    assert "export const inputs: { readonly q: 6; };" in types


def test_a_module_passes_its_own_test_and_fails_one_that_expects_more(tmp_path: Path) -> None:
    made = strobe.load("ur5").export("inverse_dynamics", tmp_path, target="wasm")
    test = tmp_path / f"test_{made.function.name}.mjs"
    done = subprocess.run([NODE, test], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "0 of 16 states wrong" in done.stdout
    test.write_text(test.read_text().replace("const scale = [", "const scale = [1e-30, "))
    done = subprocess.run([NODE, test], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "1 of 16 states wrong" in done.stdout


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as engine:
        running = engine.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield running
        running.close()


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
def test_a_browser_fetches_the_module_beside_its_wrapper(tmp_path: Path, browser: Any) -> None:
    robot = strobe.load("stanford")
    written(tmp_path, dynamics("stanford"))
    kinds = {".mjs": "text/javascript", ".wasm": "application/wasm"}

    def answer(route: Any) -> None:
        file = tmp_path / route.request.url.rpartition("/")[2]
        if file.suffix in kinds:
            route.fulfill(body=file.read_bytes(), content_type=kinds[file.suffix])
        else:
            route.fulfill(body="<!doctype html>", content_type="text/html")

    page = browser.new_page()
    page.route("http://strobe.test/**", answer)
    page.goto("http://strobe.test/")
    state = robot.random_state(seed=4)
    script = "async (given) => [...(await (await import('./f.mjs')).load()).evaluate(...given)]"
    found = page.evaluate(
        script.replace("./f.mjs", "http://strobe.test/f.mjs"), [x.tolist() for x in state]
    )
    np.testing.assert_allclose(found, robot.inverse_dynamics(*state), rtol=1e-12)
    page.close()
