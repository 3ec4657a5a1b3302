"""Robots drawn from what a file says of how well its robot is known: what a verb would say of each of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

from strobe.cli.options import takes
from strobe.errors import ArgumentError, counted

if TYPE_CHECKING:
    import numpy as np

    from strobe.robot import Robot

DrawRobots = Annotated[
    int | None,
    takes("--draw-robots", "N", "How N robots would that might be this one, as strobe identify knows it."),
]
Seed = Annotated[int | None, takes("--seed", "N", "For --draw-robots: other robots; else 0.")]


def refuse_seed(count: int | None, seed: int | None) -> None:
    """Refuse a seed of nothing."""
    if seed is not None and count is None:
        raise ArgumentError("--seed is for --draw-robots: add it, or leave it out.")


def spread(
    robot: Robot, count: int, seed: int | None, asked: Callable[[Robot], np.ndarray]
) -> dict[str, Any]:
    """What is asked of each drawn robot, number by number: mean, deviation, least and largest."""
    import numpy as np

    from strobe.cli.progress import Progress
    from strobe.cli.show import note

    try:
        robots = robot.drawn(count, 0 if seed is None else seed)
    except ArgumentError as error:
        said = str(error)
        raise ArgumentError(
            f"--draw-robots {said.removeprefix('count ')}" if said.startswith("count") else said
        ) from None
    for each in robots.notes:
        note(each)
    with Progress("drawing", count, "robots") as progress:
        found = []
        for each in robots:
            found.append(asked(each))
            progress.advance(1)
    rows = np.array(found)
    whole = np.isfinite(rows).all(axis=1)
    if not whole.all():
        note(f"{int((~whole).sum())} of {count} drawn robots did not reach the end; they are left out.")
    rows = rows[whole] if whole.any() else rows
    return {
        "count": count, "seed": robots.seed, "moved": int(robots.moved.sum()), "done": int(whole.sum()),
        "mean": rows.mean(axis=0), "deviation": rows.std(axis=0),
        "least": rows.min(axis=0), "largest": rows.max(axis=0),
    }  # fmt: skip


def in_place(data: Mapping[str, Any]) -> list[str]:
    """Joints with the units of their positions, of what a verb has to say."""
    pairs = zip(data["joints"], data["units"], strict=True)
    return [f"{name} ({'rad' if unit == 'N m' else 'm'})" for name, unit in pairs]


def shown(drawn: dict[str, Any], what: str, names: Sequence[str]) -> Any:
    """The spread as a table."""
    from strobe.show.tables import table

    keys = ("mean", "deviation", "least", "largest")
    columns = ([float(f"{x:.4g}") for x in drawn[key]] for key in keys)
    head = [f"{what} of {counted(drawn['count'], 'drawn robot')}", *keys]
    return table(head, [list(row) for row in zip(names, *columns, strict=True)])
