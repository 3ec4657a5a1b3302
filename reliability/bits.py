"""Whether a change of the sources left every bit of every result as it was: one digest per robot and quantity.

    python -m reliability.bits --write before.json       in the tree before the change
    python -m reliability.bits --against before.json     in the tree after it

Random robots (chains and trees, every kind of joint that both trees know) answer every quantity on random states, as
machine code and, for some of them, interpreted. Only names that people rely on are used, so that one file serves both
trees. Numbers of another processor are no fault: both files are made on one machine.
"""

from __future__ import annotations

import argparse
import hashlib
import inspect
import json
import os
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

ROBOTS = 300
STATES = 128
INTERPRETED = 8  # of so many robots one is interpreted too
KINDS = ("R", "RP", "RPS", "RPSF", "RCP")


def robot_of(seed: int) -> Any:
    import strobe

    return strobe.random(1 + seed % 6, seed, kinds=KINDS[seed % len(KINDS)], tree=seed % 3 == 0)


def answers(robot: Any, seed: int) -> Iterator[tuple[str, Any]]:
    """Every quantity of a robot on random states, by name."""
    import numpy as np

    from strobe.quantities import QUANTITIES

    rng = np.random.default_rng(seed)
    q, qd, qdd = robot.random_state(seed=seed, batch=STATES)
    q1 = robot.random_state(seed=seed + 1, batch=STATES)[0]
    tau = rng.normal(size=qd.shape)
    given = {"q": q, "qd": qd, "qdd": qdd, "tau": tau, "v": tau, "q0": q, "q1": q1, "dt": 0.25}
    given["point"] = rng.normal(size=(STATES, 3))
    for name in sorted(QUANTITIES):
        method = getattr(robot, name, None)
        if method is None or name.startswith(("closed_", "loop_")) or name == "hybrid_dynamics":
            continue
        takes = inspect.signature(method).parameters
        values = {
            key: given[key] for key, way in takes.items() if way.default is way.empty and key in given
        }
        options = {"frame": robot.frames[-1]} if "frame" in takes and "wrench" not in takes else {}
        found = method(**values, **options)
        yield name, found if isinstance(found, tuple) else (found,)


def digests(seed: int) -> dict[str, str]:
    """What one robot answers, a digest each; a refusal is its sentence."""
    import numpy as np

    from strobe import Robot, StrobeError

    robot = robot_of(seed)
    found = {}
    for way in ("compiled", "interpreted")[: 1 + (seed % INTERPRETED == 0)]:
        asked = robot if way == "compiled" else Robot(robot.model, compiled=False)
        try:
            for name, arrays in answers(asked, seed):
                bits = b"".join(np.ascontiguousarray(array).tobytes() for array in arrays)
                found[f"{seed} {way} {name}"] = hashlib.sha256(bits).hexdigest()
        except StrobeError as refused:
            found[f"{seed} {way}"] = str(refused)
    return found


def all_digests(robots: int, processes: int) -> dict[str, str]:
    with ProcessPoolExecutor(processes) as pool:
        return {name: digest for part in pool.map(digests, range(robots)) for name, digest in part.items()}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    todo = parser.add_mutually_exclusive_group(required=True)
    todo.add_argument("--write", type=Path)
    todo.add_argument("--against", type=Path)
    parser.add_argument("--robots", type=int, default=ROBOTS)
    parser.add_argument("--processes", type=int, default=2)
    args = parser.parse_args()
    os.environ["STROBE_CACHE"] = "off"
    found = all_digests(args.robots, args.processes)
    print(
        f"{args.robots} robots, {len(found)} results of {STATES} states, {len(found) * STATES} evaluations"
    )
    if args.write:
        args.write.write_text(json.dumps(found, indent=0), "ascii")
        return
    before = json.loads(args.against.read_text("ascii"))
    changed = [name for name, digest in before.items() if found.get(name) != digest]
    print(*changed[:20], f"{len(changed)} of {len(before)} changed", sep="\n")
    sys.exit(bool(changed))


if __name__ == "__main__":
    main()
