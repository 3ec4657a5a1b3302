"""How near does a card come to its own limits, and how far from others? Inverse dynamics to rollouts, on one card.

    python -m benchmarks.gpu --prepare FOLDER   here, without a card: kernels, states, what is right, wheels of peers
    python -m benchmarks.gpu --search FOLDER    there, with llvmlite: the best way to make each kernel, into FOLDER
    python -m benchmarks.gpu --prepare FOLDER   here, again: the kernels that were found best
    python -m benchmarks.gpu --run FOLDER       there, without a network: rows as they come, into FOLDER/rows.jsonl
    python -m benchmarks.gpu --record FILE      here again: those rows among the results

Nothing but NumPy and the driver is needed for a run; what else is there (PyTorch, JAX, CuPy) is asked too. Every case
is first held against this processor's results: in double precision to 1e-12 of the largest number, in single to what
rounding costs this processor, times a few. Kernels as calls take them without a search, and as a search found them
best, are timed by events of the card, many launches at a time, on data that no cache holds. A rate is of states a
second; its share of the copy is what it moves of memory over what the best of several copies moves.
"""

from __future__ import annotations

import argparse
import json
import os
import pickle
import subprocess
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from strobe.scalars import Num, Scalar, System

ROOM = 5 * 10**8  # bytes that a case moves: far more than any cache
CHECKED = 510  # states, so that the last block is not full
PLENTY = 400.0  # seconds of a run after which nothing new is begun
EXACT, ROUNDED = 1e-12, 8.0  # of the largest number; times what single precision costs this processor
PEERS = ("frax", "lxml", "pyyaml", "mujoco", "mujoco-core", "mujoco-mjx", "etils", "absl-py", "trimesh")
SEARCHED = 16.0  # seconds for a case, three times as long for a humanoid
FOUND, KEPT = "best_forms.pickle", 3  # of a case
ADVANCED = 2**13  # states that MJX is given


@dataclass(frozen=True)
class Case:
    """A quantity of a robot, how its arrays lie, and what it is to reach."""

    robot: str
    quantity: str
    layout: str = "columns"
    single: bool = True
    elimination: str = "single"
    least_rate: float = 0.0  # millions a second
    least_share: float = 0.0  # of the copy

    @property
    def name(self) -> str:
        how = (
            f", {self.elimination} elimination"
            if self.quantity.startswith("forward_d") and self.single
            else ""
        )
        return f"{self.quantity} of {self.robot}, {'float32' if self.single else 'float64'}, {self.layout}{how}"


CASES = (
    Case("panda", "inverse_dynamics", least_share=0.92),
    Case("panda", "inverse_dynamics", single=False, least_share=0.90),
    Case("panda", "inverse_dynamics", "rows", least_share=0.85),
    Case("panda", "inverse_dynamics", "rows", single=False, least_share=0.85),
    Case("panda", "forward_dynamics", least_rate=8000),
    Case("panda", "forward_dynamics", elimination="double"),
    Case("panda", "forward_dynamics", "rows"),
    Case("panda", "forward_dynamics", single=False),
    Case("panda", "inverse_dynamics_derivatives", least_rate=2000),
    Case("panda", "inverse_dynamics_derivatives", "rows"),
    Case("panda", "inverse_dynamics_derivatives", single=False),
    Case("panda", "mass_matrix", least_share=0.85),
    Case("panda", "mass_matrix", "rows"),
    Case("panda", "forward_kinematics", least_share=0.85),
    Case("panda", "jacobian", least_share=0.85),
    Case("panda", "jacobian", single=False),
    Case("g1", "inverse_dynamics", least_rate=3000),
    Case("g1", "inverse_dynamics", single=False),
    Case("g1", "forward_dynamics", least_rate=500),
    Case("g1", "mass_matrix"),
    Case("solo12", "inverse_dynamics"),
    Case("solo12", "forward_dynamics"),
)
ROLLOUTS = (  # robot, method, precision, millions of steps a second
    ("panda", "rk4", True, 2000.0),
    ("panda", "semi-implicit-euler", True, 0.0),
    ("panda", "rk4", False, 0.0),
    ("solo12", "rk4", True, 300.0),
    ("solo12", "semi-implicit-euler", True, 0.0),
)
STEPS, RUNS = 200, 2**18  # of a rollout

Row = dict[str, Any]


def held(robot: Any, case: Case) -> Any:
    """The robot on the card, and the kernel of a case."""
    from strobe.compiler.runtime.cuda import Cuda

    fast = robot.to(Cuda(elimination=case.elimination))
    return fast.kernel(fast.request(case.quantity))


def rollout(robot: Any, method: str, device: str = "cuda") -> Any:
    """Joints pulled to a target, softly enough for every step length."""
    import strobe
    from strobe.simulate import Rollout

    n, nq = robot.nv, robot.nq

    def pull(q: Any, qd: Any, target: Any) -> list[Any]:
        return [2.0 * (t - x) - 0.02 * v for x, v, t in zip(q[nq - n :], qd, target, strict=True)]

    return Rollout(robot.to(device), strobe.trace(pull, q=nq, qd=n, target=n), step=1e-4, method=method)


# -- here: what is carried ------------------------------------------------------------------------------------


def prepare(folder: Path, small: bool = False, wheels: bool = True) -> None:
    """Everything that a run needs, into a folder."""
    from benchmarks.robots import ROBOTS
    from strobe.models.urdf_writer import write_urdf

    folder.mkdir(parents=True, exist_ok=True)
    cases, rollouts = (CASES[:1], ROLLOUTS[:1]) if small else (CASES, ROLLOUTS)
    robots = {name: ROBOTS[name].load() for name in dict.fromkeys(case.robot for case in cases)}
    (folder / "robots.pickle").write_bytes(pickle.dumps(robots))
    right: dict[str, np.ndarray] = {}
    for case in cases:
        kernel, robot = held(robots[case.robot], case), robots[case.robot]
        begun = time.perf_counter()
        for form in kernel.code.forms(case.single, kernel.device.is_wide(_eliminates(case), case.single)):
            if form.layout in (case.layout, "strided"):
                kernel.code.entry(form)
        for _, _, best in _found(folder).get(case.name, []):
            kernel.code.entry(best)
        print(f"{case.name}: {time.perf_counter() - begun:.1f} s to make", flush=True)
        states = _states(robot, kernel.inputs, CHECKED, case.single)
        right |= {f"{case.name} {name}": x for name, x in states.items()}
        wide = {name: x.astype(float) for name, x in states.items()}
        exact = robot.kernel(kernel.request)(wide)
        right[f"{case.name} exact"] = exact.reshape(CHECKED, -1)
        if case.single:
            ours = robot.kernel(kernel.request)(states)
            right[f"{case.name} ours"] = np.abs(ours - exact).max()
    for name, method, single, _ in rollouts:
        robot, run = robots.setdefault(name, ROBOTS[name].load()), rollout(robots[name], method)
        run.compile(single)
        q, qd, target = _beginnings(robot, 64, single)
        ours = rollout(robot, method, "processor")
        right[f"rollout {name} {method} {single}"] = ours(
            q.astype(float), qd.astype(float), 20, target=target.astype(float)
        )
    (folder / "robots.pickle").write_bytes(pickle.dumps(robots))
    np.savez_compressed(folder / "right.npz", **right)
    circle().entry(_circle_form())
    (folder / "panda.urdf").write_text(write_urdf(robots["panda"].model)[0], encoding="utf-8")
    if wheels:
        _download(folder / "wheels")
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    print(f"{folder}: {size / 2**20:.1f} MiB")


def _found(folder: Path) -> dict[str, list[tuple[str, Any, Any]]]:
    """What searches found: of a case, the name of a card, the usual form and the best."""
    file = folder / FOUND
    return pickle.loads(file.read_bytes()) if file.exists() else {}


def circle() -> Any:
    """Sine and cosine of a float32 angle, as a kernel for cards."""
    import strobe
    from strobe.scalars import cos, sin

    return strobe.trace(lambda x: [sin(x[0]), cos(x[0])], x=1).to("cuda").code


def _circle_form() -> Any:
    from strobe.compiler.codegen.llvm_cuda import Form

    return Form("strided", single=True)


def _download(folder: Path) -> None:
    """Wheels of peers for Python 3.12; what cannot be had is left out."""
    platform = ["--only-binary", ":all:", "--python-version", "3.12", "--platform", "manylinux2014_x86_64"]
    platform += ["--platform", "manylinux_2_28_x86_64", "--platform", "any"]
    for name in PEERS:
        told = [
            sys.executable,
            "-m",
            "pip",
            "download",
            name,
            "--no-deps",
            *platform,
            "-d",
            str(folder),
            "-q",
        ]
        done = subprocess.run(told, capture_output=True, text=True, check=False)
        print(
            f"{name}: {'here' if not done.returncode else done.stderr.strip().splitlines()[-1]}", flush=True
        )


def _eliminates(case: Case) -> bool:
    from strobe.quantities import QUANTITIES

    return QUANTITIES[case.quantity].eliminates


def _states(robot: Any, inputs: dict[str, int], count: int, single: bool) -> dict[str, np.ndarray]:
    q, qd, qdd = robot.random_state(seed=7, batch=count)
    dtype = np.float32 if single else np.float64
    return {name: {"q": q, "qd": qd}.get(name, qdd).astype(dtype) for name in inputs}


def _beginnings(robot: Any, count: int, single: bool) -> list[np.ndarray]:
    q, qd, target = robot.random_state(seed=8, batch=count)
    return [x.astype(np.float32 if single else np.float64) for x in (q, 0.1 * qd, 0.1 * target)]


# -- there: what is measured ------------------------------------------------------------------------------------


class Run:
    """One run: rows are written as they come, and what fails is a row that says why."""

    def __init__(self, folder: Path, rows: Path, small: bool = False) -> None:
        from strobe.compiler.runtime.cuda_driver import card

        self.folder, self.file, self.small = folder, rows, small
        self.begun, self.on, self.copy = time.monotonic(), card(0), 0.0
        self.robots = pickle.loads((folder / "robots.pickle").read_bytes())
        self.right = np.load(folder / "right.npz")
        self.found = _found(folder)
        self.common = {
            "when": datetime.now(UTC).isoformat(timespec="seconds"), "card": self.on.name,
            "driver": self.on.driver.number("cuDriverGetVersion"),
        }  # fmt: skip
        self.rows: list[Row] = []

    def row(self, **found: Any) -> None:
        self.rows.append(found)
        with self.file.open("a", encoding="utf-8") as file:
            file.write(json.dumps({**self.common, **found}) + "\n")
        told = "  ".join(f"{k} {v:.4g}" if isinstance(v, float) else f"{k} {v}" for k, v in found.items())
        print(f"[{time.monotonic() - self.begun:5.0f} s] {told}", flush=True)

    def each(self, name: str, ask: Callable[[], Iterator[Row]], late: bool = False) -> None:
        """The rows of one question, or why there are none."""
        if late and time.monotonic() - self.begun > PLENTY:
            self.row(case=name, failed="the time is up")
            return
        try:
            for found in ask():
                self.row(case=name, **found)
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                raise
            said = traceback.format_exception_only(error)[-1].strip()
            self.row(case=name, failed=said[:400])

    # -- the card itself ------------------------------------------------------------------------------

    def copies(self) -> Iterator[Row]:
        """The best of several ways to copy: bytes read and written in a second."""
        from strobe.compiler.runtime.cuda_arrays import OnCard

        numbers = (2**20 if self.small else 2**28,)
        a, b = OnCard(0, numbers, True), OnCard(0, numbers, True)
        size = 4 * numbers[0]
        ways = {"driver": lambda: self.on.driver("cuMemcpyDtoDAsync_v2", b.address, a.address, size, None)}
        found = {name: 2 * size / self._seconds(way) for name, way in ways.items()}
        try:
            import cupy

            x, y = cupy.zeros(numbers, "f4"), cupy.zeros(numbers, "f4")
            found["cupy"] = 2 * size / self._seconds(lambda: cupy.copyto(y, x))
        except Exception as error:
            print(f"no copy by CuPy: {error}")
        try:
            import torch

            s, t = torch.zeros(numbers, device="cuda"), torch.zeros(numbers, device="cuda")
            found["torch"] = 2 * size / self._seconds(lambda: t.copy_(s))
        except Exception as error:
            print(f"no copy by PyTorch: {error}")
        best = max(found, key=found.__getitem__)
        self.copy = found[best]
        yield {"copy_gb_s": self.copy / 1e9, "by": best, **{f"{k}_gb_s": v / 1e9 for k, v in found.items()}}

    def _seconds(self, work: Callable[[], object], times: int = 20, rounds: int = 3) -> float:
        """How long the card takes for something, many times in a row on the stream of all."""

        def again() -> None:
            for _ in range(times):
                work()

        with self.on.current():
            again()
        return min(self.on.milliseconds(again, 0) for _ in range(rounds)) / times / 1e3

    def sines(self) -> Iterator[Row]:
        """Sine and cosine of float32 there: the worst of very many angles, in units of the last place."""
        from strobe.compiler.runtime.cuda import Call
        from strobe.compiler.runtime.cuda_arrays import OnCard, sent

        code, form = circle(), _circle_form()
        worst, step = [0.0, 0.0], 40_001 if self.small else 331
        x = np.arange(0x38000000, 0x7F800000, step, dtype=np.uint32).view(np.float32)
        there, out = sent(x[:, None]), OnCard(0, (len(x), 2), True)
        call = Call(len(x), (there.address, out.address), (1, 2), (1, 1))
        code.ready(call, form, self.on)(call.addresses, 0)
        right = np.sin(x.astype(float)), np.cos(x.astype(float))
        for k, (mine, exact) in enumerate(zip(out.numpy().T, right, strict=True)):
            worst[k] = float((np.abs(mine - exact) / np.spacing(np.abs(exact).astype(np.float32))).max())
        far = self.on.far(code.function(form, self.on)[1])
        yield {
            "sine_ulp": worst[0],
            "cosine_ulp": worst[1],
            "angles": len(x),
            "counted": far,
            "beyond": int((x > 4096).sum()),
        }

    # -- quantities -------------------------------------------------------------------------------------

    def search(self) -> None:
        """The best way to make the kernel of every case, kept in the folder."""
        from strobe.compiler.runtime.cuda_search import search

        found = _found(self.folder)
        for case in CASES[:1] if self.small else CASES:
            kernel = held(self.robots[case.robot], case)
            call, form, _, kept = self._many(case, kernel)
            seconds = SEARCHED * (3 if case.robot == "g1" else 1)
            tried = search(kernel.code, call, form, self.on, seconds=seconds)
            usual = kernel.code.usual(form, self.on)[0]
            best, before = tried[0], next(one for one in tried if one.form == usual)
            told = f"{before.milliseconds:.4f} -> {best.milliseconds:.4f} ms, {len(tried)} ways"
            print(f"[{time.monotonic() - self.begun:5.0f} s] {case.name}: {told}, {best.form}", flush=True)
            found[case.name] = [(self.on.name, form, one.form) for one in tried[:KEPT]]
            (self.folder / FOUND).write_bytes(pickle.dumps(found))
            del kept

    def case(self, case: Case) -> Iterator[Row]:
        from strobe.compiler.runtime.cuda_search import LAUNCHED, search

        kernel = held(self.robots[case.robot], case)
        code = kernel.code
        begun = time.perf_counter()
        worst, bound = self._checked(case, kernel, case.layout == "columns")
        ready = time.perf_counter() - begun
        call, form, count, kept = self._many(case, kernel)
        moved = (4 if case.single else 8) * sum(code.sizes)
        known = [best for _, _, best in self.found.get(case.name, [])]
        tried = search(code, call, form, self.on, known=known, choices=LAUNCHED, orders=())
        usual = next(one for one in tried if one.form == code.usual(form, self.on)[0])
        best = tried[0]
        rate = count / (best.milliseconds / 1e3)
        share = rate * moved / self.copy if self.copy else 0.0
        reached = rate >= 1e6 * case.least_rate and share >= case.least_share
        asked = bool(case.least_rate or case.least_share)
        yield {
            **asdict(case), "states": count, "million_per_s": rate / 1e6, "of_copy": share,
            "reached": "yes" if asked and reached else "no" if asked else "", "error": worst, "allowed": bound,
            "ready_s": ready, "registers": best.registers, "local_bytes": best.local,
            "threads_at_once": best.blocks * best.form.block, "form": repr(best.form),
            "usual_over_best": usual.milliseconds / best.milliseconds,
        }  # fmt: skip
        del kept

    def _many(self, case: Case, kernel: Any) -> tuple[Any, Any, int, Any]:
        """A call on more states than caches hold, its usual form, how many there are, and what keeps them."""
        code = kernel.code
        moved = (4 if case.single else 8) * sum(code.sizes)
        count = 2**12 if self.small else max(ROOM // moved // 2**14 * 2**14, 2**14)
        states = _states(self.robots[case.robot], kernel.inputs, min(count, 2**15), case.single)
        call, kept = self._call(code, states, count, case.layout == "columns")
        return call, code.form(call, case.single, _eliminates(case)), count, kept

    def _checked(self, case: Case, kernel: Any, columns: bool) -> tuple[float, float]:
        """The largest difference from this processor's results over the largest number, and what is allowed."""
        states = {name: self.right[f"{case.name} {name}"] for name in kernel.inputs}
        exact = self.right[f"{case.name} exact"]
        call, kept = self._call(kernel.code, states, CHECKED, columns)
        form = kernel.code.form(call, case.single, _eliminates(case))
        kernel.code.ready(call, form, self.on)(call.addresses, 0)
        scale = np.abs(exact).max()
        worst = float(np.abs(kept[-1].numpy() - exact).max() / scale)
        bound = EXACT
        if case.single:
            bound = ROUNDED * float(self.right[f"{case.name} ours"] / scale)
            bound = max(bound, 1e-6) if case.elimination == "double" else max(20 * bound, 1e-5)
        if not worst <= bound:
            raise AssertionError(
                f"{case.name} is off by {worst:.2e} of the largest number; expected {bound:.1e}"
            )
        return worst, bound

    def _call(
        self, code: Any, states: dict[str, np.ndarray], count: int, columns: bool
    ) -> tuple[Any, list[Any]]:
        """Arrays of so many states on the card, the given ones again and again, and the call of a kernel on them."""
        from strobe.compiler.runtime.cuda_arrays import OnCard, lying, sent

        arrays = [sent(np.resize(x, (count, x.shape[1])), columns=columns) for x in states.values()]
        single = next(iter(states.values())).dtype == np.float32
        out = OnCard(0, (count, code.sizes[-1]), single, count if columns else 0)
        named = zip([*states, "out"], [*arrays, out], strict=True)
        lie = {name: lying(name, x) for name, x in named}
        from strobe.compiler.runtime.cuda import Call
        from strobe.compiler.runtime.cuda_arrays import in_a_row

        steps, entries = in_a_row(lie, (count,), 1)
        return Call(count, tuple(a.address for a in lie.values()), tuple(steps), tuple(entries)), [
            *arrays,
            out,
        ]

    def rollout(self, name: str, method: str, single: bool, least: float) -> Iterator[Row]:
        from strobe.compiler.runtime.cuda_arrays import sent

        robot = self.robots[name]
        run = rollout(robot, method)
        q, qd, target = _beginnings(robot, 64, single)
        found = run(q, qd, 20, target=target)
        right = self.right[f"rollout {name} {method} {single}"]
        worst = float(np.abs(found - right).max() / np.abs(right).max())
        allowed = 1e-3 if single else 1e-10
        if not worst <= allowed:
            raise AssertionError(
                f"the rollout is off by {worst:.2e} of the largest number; expected {allowed:.0e}"
            )
        runs, steps = (256, 8) if self.small else (RUNS, STEPS)
        held_there = [sent(np.resize(x, (runs, x.shape[1])), columns=True) for x in (q, qd, target)]
        seconds = self._seconds(lambda: run(held_there[0], held_there[1], steps, target=held_there[2]), 1)
        rate = runs * steps / seconds
        function = next(iter(run.on_card.functions.values()))
        yield {
            "robot": name, "quantity": f"rollout {method}", "single": single, "million_per_s": rate / 1e6,
            "least_rate": least, "reached": ("yes" if rate >= 1e6 * least else "no") if least else "", "error": worst,
            "registers": function.registers, "local_bytes": function.local, "runs": runs, "steps": steps,
        }  # fmt: skip

    # -- how it is called -----------------------------------------------------------------------------------

    def host_arrays(self) -> Iterator[Row]:
        """NumPy's arrays there and back, and what the bus gives."""
        fast, robot = self.robots["panda"].to("cuda"), self.robots["panda"]
        count = 2**12 if self.small else 2**21
        for dtype in (np.float32, np.float64):
            states = [
                np.resize(x, (count, 7)).astype(dtype) for x in robot.random_state(seed=3, batch=4096)
            ]
            out = np.empty_like(states[0])
            fast.inverse_dynamics(*states, out=out)
            seconds = min(
                _timed(lambda s=states, o=out: fast.inverse_dynamics(*s, out=o)) for _ in range(3)
            )
            moved = 28 * out.itemsize * count
            yield {
                "host": str(out.dtype),
                "million_per_s": count / seconds / 1e6,
                "bus_gb_s": moved / seconds / 1e9,
            }

    def tensors(self) -> Iterator[Row]:
        """Tensors of PyTorch: what a call costs Python, whether a graph records it, and whether nothing is copied."""
        import torch

        robot, fast = self.robots["panda"], self.robots["panda"].to("cuda")
        states = [torch.as_tensor(x, device="cuda") for x in robot.random_state(seed=3, batch=1024)]
        tau = fast.inverse_dynamics(*states)
        right = robot.inverse_dynamics(*(x.cpu().numpy() for x in states))
        off = float(np.abs(tau.cpu().numpy() - right).max() / np.abs(right).max())
        torch.cuda.synchronize()
        seconds = (
            min(
                _timed(lambda: [fast.inverse_dynamics(*states, out=tau) for _ in range(200)])
                for _ in range(3)
            )
            / 200
        )
        side = torch.cuda.Stream()
        with torch.cuda.stream(side):
            again = fast.inverse_dynamics(*states)
        side.synchronize()
        same = bool(torch.equal(again, tau))
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            recorded = fast.inverse_dynamics(*states)
        states[0].add_(0.25)
        graph.replay()
        torch.cuda.synchronize()
        moved = robot.inverse_dynamics(*(x.cpu().numpy() for x in states))
        replayed = float(np.abs(recorded.cpu().numpy() - moved).max() / np.abs(moved).max())
        yield {
            "torch_call_us": 1e6 * seconds,
            "error": off,
            "stream": "same" if same else "other",
            "graph_error": replayed,
        }

    # -- others -----------------------------------------------------------------------------------------------

    def frax(self) -> Iterator[Row]:
        _unpacked(self.folder)
        import jax
        from frax.robots.franka_panda import load_panda  # pyright: ignore[reportMissingImports]

        for single in (True, False):
            jax.config.update("jax_enable_x64", not single)
            robot = load_panda()
            count = 2**10 if self.small else 2**20
            dtype = np.float32 if single else np.float64
            given = [
                jax.device_put(
                    np.random.default_rng(k).uniform(-1, 1, (count, robot.num_joints)).astype(dtype)
                )
                for k in range(3)
            ]
            gravity = jax.numpy.array([0.0, 0.0, -9.81, 0.0, 0.0, 0.0], dtype)
            call = jax.jit(jax.vmap(lambda q, v, a, g=gravity, r=robot: r.rnea(q, v, a, g, None)))
            begun = time.perf_counter()
            call(*given).block_until_ready()
            first = time.perf_counter() - begun
            seconds = min(_timed(lambda c=call, g=given: c(*g).block_until_ready()) for _ in range(5))
            yield {
                "peer": "frax",
                "quantity": "inverse_dynamics",
                "single": single,
                "million_per_s": count / seconds / 1e6,
                "first_s": first,
            }

    def mjx(self) -> Iterator[Row]:
        """MuJoCo's inverse dynamics in JAX, of the same robot."""
        _unpacked(self.folder)
        import jax
        import mujoco
        from mujoco import mjx  # pyright: ignore[reportAttributeAccessIssue]

        model = mjx.put_model(mujoco.MjModel.from_xml_string((self.folder / "panda.urdf").read_text()))
        data, count = mjx.make_data(model), 2**6 if self.small else ADVANCED
        call = jax.jit(
            jax.vmap(lambda q, v, a: mjx.inverse(model, data.replace(qpos=q, qvel=v, qacc=a)).qfrc_inverse)
        )
        states = [
            jax.device_put(x.astype(np.float32))
            for x in self.robots["panda"].random_state(seed=1, batch=count)
        ]
        begun = time.perf_counter()
        call(*states).block_until_ready()
        first = time.perf_counter() - begun
        seconds = min(_timed(lambda: call(*states).block_until_ready()) for _ in range(3))
        yield {
            "peer": "MJX", "quantity": "inverse_dynamics", "single": True, "million_per_s": count / seconds / 1e6,
            "first_s": first,
        }  # fmt: skip

    def plain_torch(self) -> Iterator[Row]:
        """The same recursion as it stands, each number a tensor."""
        import torch

        from strobe.quantities import Request

        robot, count = self.robots["panda"], 2**10 if self.small else 2**20
        q, qd, qdd = (
            [Tensor(Tensors(), torch.rand(count, device="cuda")) for _ in range(7)] for _ in range(3)
        )
        asked = Request("inverse_dynamics")
        asked.evaluate(robot.model, q=q, qd=qd, qdd=qdd)
        torch.cuda.synchronize()

        def once() -> None:
            asked.evaluate(robot.model, q=q, qd=qd, qdd=qdd)
            torch.cuda.synchronize()

        seconds = min(_timed(once) for _ in range(3))
        yield {
            "peer": "plain torch",
            "quantity": "inverse_dynamics",
            "single": True,
            "million_per_s": count / seconds / 1e6,
        }

    def absent(self) -> Iterator[Row]:
        """Peers that are not here are said not to be."""
        from importlib.util import find_spec

        for name in ("mujoco_warp", "warp", "bard"):
            yield {"peer": name, "here": "yes" if find_spec(name) else "no"}

    def ratios(self) -> Iterator[Row]:
        for single in (True, False):
            ours = [
                r
                for r in self.rows
                if r.get("robot") == "panda" and r.get("quantity") == "inverse_dynamics"
            ]
            ours = [
                r["million_per_s"]
                for r in ours
                if r.get("single") == single and r.get("layout") == "columns"
            ]
            theirs = [
                r for r in self.rows if "peer" in r and r.get("single") == single and "million_per_s" in r
            ]
            for peer in theirs if ours else ():
                yield {"ratio_to": peer["peer"], "single": single, "ratio": ours[0] / peer["million_per_s"]}

    def all(self) -> None:
        cases, rollouts = (CASES[:1], ROLLOUTS[:1]) if self.small else (CASES, ROLLOUTS)
        self.each("copy", self.copies)
        for case in cases:
            self.each(case.name, lambda case=case: self.case(case), late=True)
        for name, method, single, least in rollouts:
            told = f"rollout {method} of {name}, {'float32' if single else 'float64'}"
            self.each(told, lambda a=(name, method, single, least): self.rollout(*a), late=True)
        others = (
            self.sines,
            self.host_arrays,
            self.tensors,
            self.frax,
            self.mjx,
            self.plain_torch,
            self.absent,
            self.ratios,
        )
        for ask in others:
            self.each(ask.__name__, ask, late=True)


def _timed(work: Callable[[], object]) -> float:
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def _unpacked(folder: Path) -> None:
    """Wheels that were carried, where Python finds them behind what is installed."""
    import tempfile
    import zipfile

    place = Path(tempfile.mkdtemp())
    for wheel in sorted((folder / "wheels").glob("*.whl")):
        with zipfile.ZipFile(wheel) as file:
            file.extractall(place)
    sys.path.append(str(place))


class Tensors(System):
    """Tensors on a card."""

    name = "tensor"


class Tensor(Scalar):
    """A tensor of all states' values of one number."""

    __slots__ = ("values",)

    system: Tensors

    def __init__(self, system: Tensors, values: Any) -> None:
        self.system, self.values = system, values

    def apply(self, op: str, *args: Num) -> Tensor:
        import torch

        functions: dict[str, Any] = {
            "add": torch.add, "sub": torch.sub, "mul": torch.mul, "div": torch.div, "neg": torch.neg,
            "sin": torch.sin, "cos": torch.cos, "sqrt": torch.sqrt, "abs": torch.abs,
        }  # fmt: skip
        return Tensor(self.system, functions[op](*(a.values if isinstance(a, Tensor) else a for a in args)))

    def literal(self, x: float) -> Tensor:
        import torch

        return Tensor(self.system, torch.full_like(self.values, x))


# -- here again -------------------------------------------------------------------------------------------------


def record(rows: Path) -> None:
    """Rows of a run among the results."""
    kept = Path(__file__).parent / "results" / "gpu.jsonl"
    with kept.open("a", encoding="utf-8") as file:
        file.write(rows.read_text(encoding="utf-8"))
    print(f"{kept}: {len(rows.read_text(encoding='utf-8').splitlines())} rows more")


def main(given: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--prepare", type=Path, metavar="FOLDER")
    parser.add_argument("--search", type=Path, metavar="FOLDER")
    parser.add_argument("--run", type=Path, metavar="FOLDER")
    parser.add_argument("--rows", type=Path, metavar="FILE", help="where rows go; FOLDER/rows.jsonl")
    parser.add_argument("--record", type=Path, metavar="FILE")
    parser.add_argument("--small", action="store_true", help="a case or two, few states")
    parser.add_argument("--no-wheels", action="store_true", help="prepare without the network")
    told = parser.parse_args(given)
    folder = told.prepare or told.search or told.run
    if folder is not None:
        os.environ["STROBE_CACHE"] = str((folder / "kernels").absolute())
    warnings.simplefilter("ignore")
    if told.prepare:
        prepare(told.prepare, told.small, not told.no_wheels)
    if told.search:
        Run(told.search, told.search / "rows.jsonl", told.small).search()
    if told.run:
        Run(told.run, told.rows or told.run / "rows.jsonl", told.small).all()
    if told.record:
        record(told.record)
    if not (folder or told.record):
        parser.print_help()


if __name__ == "__main__":
    main()
