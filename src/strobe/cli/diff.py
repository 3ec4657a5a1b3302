"""``strobe diff``: what changed between two robots, and what that does to torques and reach."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from strobe.cli.exit_codes import CHECK_FAILED
from strobe.cli.inputs import Json, Lock, open_robot

if TYPE_CHECKING:
    from strobe.analysis.comparison import Comparison

FRAMES = 8  # that are shown


def diff(
    a: Annotated[str, typer.Argument(metavar="A", help="A built-in robot or a model file.")],
    b: Annotated[str, typer.Argument(metavar="B", help="The other one.")],
    states: Annotated[int, typer.Option("--states", min=1, help="Random states that are compared.")] = 1000,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Other random states.")] = 0,
    tolerance: Annotated[
        float, typer.Option("--tolerance", min=0.0, help="What counts as the same, relative.")
    ] = 1e-9,
    lock: Lock = None,
    as_json: Json = False,
) -> None:
    """What changed between two robots: geometry, inertia, limits, names, couplings, and what follows.

    Joints, links and frames are matched by name. Torques and the places of frames are compared at random states of
    the joints that both have; a joint that only one has is held at 0. Exits with 1 if anything differs, like diff.

    \b
    Examples:
      strobe diff arm.urdf arm_new.urdf
      strobe diff panda panda.urdf --tolerance 1e-6
      strobe diff arm.urdf repaired.urdf --json
    """
    from strobe.analysis.comparison import compare
    from strobe.cli.show import present

    first, second = (open_robot(source, lock=lock) for source in (a, b))
    found = compare(first, second, states=states, seed=seed, tolerance=tolerance)
    present(_data(found), _shown(found, a, b), as_json)
    if not found.same:
        raise typer.Exit(CHECK_FAILED)


def _data(found: Comparison) -> dict[str, Any]:
    return {
        "same": found.same, "robots": [found.first, found.second], "changes": [asdict(x) for x in found.changes],
        "states": found.states, "tolerance": found.tolerance, "joints": found.joints, "says": found.says,
        "torques": [asdict(row) for row in found.torques], "torques_not_compared": found.torques_why or None,
        "reach": [asdict(row) for row in found.reach], "reach_not_compared": found.reach_why or None,
        "worst_torque": None if found.worst is None else asdict(found.worst),
        "farthest_frame": None if found.farthest is None else asdict(found.farthest),
    }  # fmt: skip


def _shown(found: Comparison, a: str, b: str) -> Iterator[Any]:
    from strobe.show.tables import table, three

    if found.changes:
        yield f"{a} → {b}"
        rows = [[x.topic, x.part, x.what, x.first, x.second, x.unit] for x in found.changes]
        yield table(["", "part", "what", "first", "second", "unit"], rows)
        yield ""
    yield from (f"{sentence[0].upper()}{sentence[1:].rstrip('.')}." for sentence in found.says)
    if found.worst is not None:
        yield ""
        columns = ["joint", "unit", "largest in first", "in second", "largest difference", "its rms"]
        yield table(
            columns,
            [
                [r.joint, r.unit, *map(three, (r.first, r.second, r.difference, r.typical))]
                for r in found.differing
            ],
        )
    if found.farthest is not None:
        yield ""
        apart = [
            row for row in found.reach if row.distance > found.tolerance or row.angle > found.tolerance
        ]
        rows = [[row.frame, three(row.distance), three(row.angle)] for row in apart[:FRAMES]]
        yield table(["frame", "largest distance m", "largest angle rad"], rows)
        if len(apart) > FRAMES:
            yield f"and {len(apart) - FRAMES} frames more (--json has all)"
