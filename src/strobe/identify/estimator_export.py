"""An estimator as C: `estimator_step(&state, q, qd, qdd, tau)`, and the program that tests it.

    robot.estimator(friction=["viscous", "coulomb"]).to_c("firmware")
    make -C firmware test

What is written is what runs here, with the same bits. The test replays samples that were drawn here, and compares
values and deviations with batch least squares over the same rows.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from strobe.compiler.codegen.c_estimator import CEstimator, Recorded, files, source
from strobe.compiler.codegen.names import identifier
from strobe.compiler.codegen.triangles import Triangles
from strobe.compiler.export.provenance import origin
from strobe.compiler.runtime import width
from strobe.compiler.runtime.traced import trace
from strobe.errors import ArgumentError, UnsupportedModelError

if TYPE_CHECKING:
    from strobe.identify.online_estimator import OnlineEstimator

Array = np.ndarray

LARGEST = 200_000  # operations, which compilers still take in one function
UNFUSED = 1e-9  # by which triangles may differ where this processor does not fuse
SAMPLES = 3  # a test has so many for each unknown of a row
SPEED = 1.5  # rad/s or m/s, of its joints
SLOW = 1e-3  # of that: where Coulomb friction turns round


def export(held: OnlineEstimator, name: str = "estimator") -> dict[str, str]:
    """Header, source, test and Makefile by their names."""
    if name != identifier(name):
        raise ArgumentError(
            f'name is "{name}"; expected letters, digits and _, such as "{identifier(name)}".'
        )
    made = c_estimator(held, name)
    return files(made, _recorded(held, made))


def c_estimator(held: OnlineEstimator, name: str) -> CEstimator:
    """The program of a sample's rows, and what turns them into triangles."""
    rows, robot, sizes = held.rows, held.robot, held.rows.sizes
    program = trace(rows.function(sizes.unknowns + 1), **rows.inputs).program
    if len(program.nodes) > LARGEST:
        raise UnsupportedModelError(
            f"a sample of {robot.name} takes {len(program.nodes):,} operations; as C source at most {LARGEST:,} are "
            "written."
        )
    friction = ", ".join(term.name for term in rows.model.terms) or "none"
    fading = "" if held.forgetting == 1.0 else f", forgetting {held.forgetting:g} a step"
    about = (
        f"Base parameters of {robot.name} and friction of its joints ({friction}) from samples as they come{fading}.",
    )
    first = None if held.prior is None else _triangles(sizes, held.prior)
    made = CEstimator(
        name, about, sizes, program, held.names, tuple(rows.parts), first, held.root, held.noise_known,
    )  # fmt: skip
    return replace(made, origin=origin(robot, name, source(made)))


def _triangles(z: Triangles, memory: Array) -> list[list[float]]:
    """Rows of the triangles without the zeros behind them."""
    return memory[: z.sums].reshape(z.rows, z.stride)[:, : z.unknowns + 1].tolist()


def _recorded(held: OnlineEstimator, made: CEstimator) -> Recorded:
    """Samples of the robot, taken along by an estimator like this one."""
    robot, sizes = held.robot, made.sizes
    rng = np.random.default_rng(25)
    count = SAMPLES * (sizes.unknowns + 1)
    q, qd, qdd = rng.uniform(-SPEED, SPEED, (3, count, robot.nv))
    qd *= rng.choice([1.0, SLOW], qd.shape)  # so that a direction is told from what is always there
    tau = robot.inverse_dynamics(q, qd, qdd) + 0.1 * rng.standard_normal(q.shape)
    twin = held.fresh()
    taken = [twin.step(*sample) for sample in zip(q, qd, qdd, tau, strict=True)]
    decided = np.isfinite(twin.deviations)
    known = [np.where(decided, x, 0.0).tolist() for x in (twin.values, twin.deviations)]
    same = width.target().fused and robot.compiled
    return Recorded(
        np.column_stack([q, qd, qdd, tau]).tolist(), taken, _triangles(sizes, twin.memory),
        [*known, decided.astype(float).tolist()], 0.0 if same else UNFUSED,
    )  # fmt: skip
