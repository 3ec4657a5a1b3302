"""How long is one call, for every quantity, beside a call of Pinocchio for the same answer?

Both from Python, on states that change, in turn within one process, after the answers were found equal. `ours_ns` is
the method as a user writes it; `handle_ns` the function that `robot.prepared` gives for the same. Pinocchio's results
are its own data, which the next call overwrites; ours are new arrays. The last row of a robot is three questions at
once, against Pinocchio's calls one after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import strobe
from benchmarks.robots import ROBOTS, agreeing
from benchmarks.timer import Row, answer
from strobe.analysis.peers import Pinocchio
from strobe.analysis.speed import state
from strobe.compiler.runtime.timing import SINGLES, Way, best_times
from strobe.quantities import QUANTITIES

SECONDS = 0.3  # for each row
SEVERAL = ("mass_matrix", "bias", "jacobian")


def once(seconds: float = SECONDS, small: bool = False) -> list[Row]:
    names = ["ur5"] if small else ["panda", "ur5"]
    rows: list[Row] = []
    for name in names:
        robot = ROBOTS[name].load()
        peer = ROBOTS[name].pinocchio(robot)
        found = [*_alone(robot, peer, seconds, small), _several(robot, peer, seconds)]
        rows += [{"robot": name, "n": robot.n, **row} for row in found]
    return rows


def _alone(robot: strobe.Robot, peer: Pinocchio, seconds: float, small: bool) -> Iterator[Row]:
    """Each question by itself; those that Pinocchio has not, without it."""
    for quantity, record in QUANTITIES.items():
        if not hasattr(robot, quantity) or quantity in ("hybrid_dynamics", "point_jacobian"):
            continue
        if quantity.startswith(("loop_", "closed_")) or (small and quantity not in SEVERAL):
            continue
        drawn = [state(robot, record.states, seed) for seed in range(SINGLES)]
        ways = {"ours": Way(_method(robot, quantity, peer), drawn)}
        options = peer.options(quantity)
        ways["handle"] = Way(robot.prepared(quantity, **options), drawn)
        theirs = peer.single(quantity) if agreeing(peer, quantity) else None
        if theirs is not None:
            ways["theirs"] = theirs
        yield {"quantity": quantity} | _row(ways, seconds)


def _method(robot: strobe.Robot, quantity: str, peer: Pinocchio) -> Callable[..., Any]:
    """The method as a user writes it, once it has been asked as often as it takes to be quick."""
    options = peer.options(quantity)
    written = "".join(f", {name}={value!r}" for name, value in options.items() if value != robot.tip)
    names = ", ".join(QUANTITIES[quantity].states)
    call = eval(f"lambda {names}: robot.{quantity}({names}{written})", {"robot": robot})
    for _ in range(4):
        call(*state(robot, QUANTITIES[quantity].states, 0))
    return call if written else getattr(robot, quantity)


def _several(robot: strobe.Robot, peer: Pinocchio, seconds: float) -> Row:
    drawn = [state(robot, ("q", "qd"), seed) for seed in range(SINGLES)]
    ask = robot.prepared(*SEVERAL, frame=peer.frame())
    asked = {quantity: peer.single(quantity) for quantity in SEVERAL}
    calls = [(way.function, way.arguments) for way in asked.values() if way is not None]
    (f, a), (g, b), (h, c) = calls

    def theirs(first, second, third):
        f(*first)
        g(*second)
        h(*third)

    ways = {"handle": Way(ask, drawn), "theirs": Way(theirs, list(zip(a, b, c, strict=True)))}
    return {"quantity": " + ".join(SEVERAL)} | _row(ways, seconds)


def _row(ways: dict[str, Way], seconds: float) -> Row:
    best = {f"{name}_ns": 1e9 * time for name, time in best_times(ways, seconds).items()}
    if "theirs_ns" in best:
        ratios = {"ratio": "ours_ns", "handle_ratio": "handle_ns"}
        best |= {ratio: best["theirs_ns"] / best[ours] for ratio, ours in ratios.items() if ours in best}
    return best


if __name__ == "__main__":
    answer("one_call", once, SECONDS)
