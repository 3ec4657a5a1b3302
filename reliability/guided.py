"""Readers against inputs that grow towards code not yet reached: the targets of `inputs` under Atheris.

    python -m reliability.guided --target urdf --seconds 60 [--record]

Without ``--target`` the time is shared among all of them. Each target runs in a process of its own, with the seeds of
the target as its first inputs and our mutations beside those of libFuzzer. An input that fails is kept in
`reliability/regressions/<target>/`, like those of `readers`.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from random import Random

from reliability.record import record

INSTRUMENTED = (
    "strobe.models", "strobe.trajectory", "strobe.simulate.files", "strobe.files", "strobe.cli.logs",
)  # fmt: skip
MEMORY = 2048  # megabytes: libFuzzer counts what Python and its libraries hold too
PATIENCE = 5  # seconds on the clock for one input, which instrumentation makes several times slower
MISSING = 'atheris is not installed: pip install "strobe-dynamics[fuzz]"'


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--target", action="append", default=[])
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--record", action="store_true", help="append a row to reliability/results")
    # in the process of one target
    parser.add_argument("--inside", metavar="CORPUS", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if importlib.util.find_spec("atheris") is None:
        print(MISSING)
        return
    if given.inside:
        fuzz(given.target[0], Path(given.inside), given.seconds, given.seed)
        return
    # not before: in the process of a target, imports are instrumented
    from reliability.inputs import chosen

    targets = [target.name for target in chosen(given.target)]
    start = time.monotonic()
    results: dict[str, tuple[int, int, str]] = {}
    for name in targets:
        tries, reached, failed = results[name] = explored(name, given.seconds / len(targets), given.seed)
        wrong = f"; FAILED: {failed}" if failed else ""
        print(f"{name:16} {tries:>9,} inputs, {reached:>6,} edges reached{wrong}", flush=True)
    row = {
        "inputs": sum(tries for tries, _, _ in results.values()),
        "rows": len(targets),
        "edges": sum(reached for _, reached, _ in results.values()),
        "seed": given.seed,
        "seconds": round(time.monotonic() - start, 1),
        "failures": sum(bool(failed) for _, _, failed in results.values()),
    }
    record("guided", row, kept=given.record)
    sys.exit(bool(row["failures"]))


def explored(name: str, seconds: float, seed: int) -> tuple[int, int, str]:
    """How many inputs one target was given, how many edges of the code they reached, and what failed."""
    with tempfile.TemporaryDirectory(prefix="strobe-guided-") as folder:
        command = [sys.executable, "-m", "reliability.guided", "--target", name, "--inside", folder]
        command += ["--seconds", str(max(1, round(seconds))), "--seed", str(seed)]
        done = subprocess.run(command, capture_output=True, text=True, errors="replace")
        said = done.stdout + done.stderr
        runs = re.findall(r"^#(\d+)", said, re.MULTILINE)
        edges = re.findall(r"cov: (\d+)", said)
        crash = sorted(Path(folder).glob("crash-*")) + sorted(Path(folder).glob("timeout-*"))
        failed = _kept(name, crash[0]) if crash else "" if done.returncode == 0 else said[-300:]
    return int(runs[-1]) if runs else 0, int(edges[-1]) if edges else 0, failed


def _kept(name: str, crash: Path) -> str:
    """Where an input that failed is kept, made smaller."""
    from reliability.inputs import BY_NAME
    from reliability.readers import kept_input
    from reliability.workers import outcome

    target, data = BY_NAME[name], crash.read_bytes()
    ended = outcome(lambda: target(data), target.seconds)
    return (
        f"{ended}, kept as {kept_input(target, data, ended)}"
        if not isinstance(ended, str)
        else f"{ended} here"
    )


def fuzz(name: str, folder: Path, seconds: float, seed: int) -> None:
    """One target under libFuzzer, which ends the process."""
    import atheris

    with atheris.instrument_imports(include=list(INSTRUMENTED)):  # pyright: ignore[reportAttributeAccessIssue]
        from reliability.inputs import BY_NAME
        from reliability.mutations import mutated
        from reliability.readers import seeds
        from strobe.errors import StrobeError
    target = BY_NAME[name]
    corpus = folder / "corpus"
    corpus.mkdir()
    for k, data in enumerate(seeds(target)):
        (corpus / f"seed{k}").write_bytes(data)

    def one(data: bytes) -> None:
        try:
            target(data)
        except StrobeError:
            return

    def changed(data: bytes, most: int, number: int) -> bytes:
        rng = Random(number)
        if rng.random() < 0.5:
            return atheris.Mutate(data, most)
        return mutated(rng, target.grammar, [data, *seeds(target)])[:most]

    os.chdir(folder)
    flags = [
        f"-max_total_time={seconds:g}",
        f"-seed={seed + 1}",
        f"-timeout={PATIENCE}",
        f"-rss_limit_mb={MEMORY}",
    ]
    atheris.Setup([sys.argv[0], *flags, "-max_len=16384", str(corpus)], one, custom_mutator=changed)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
