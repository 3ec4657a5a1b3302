"""Quotes the newest rows of `benchmarks/results/` in the README, between its markers."""

from __future__ import annotations

import json
import re
from pathlib import Path

from benchmarks.timer import RESULTS

README = Path(__file__).parent.parent / "README.md"
MARKED = re.compile(r"(?<=<!-- measured -->\n).*?(?=<!-- end -->)", re.S)


def newest(question: str) -> dict:
    """The last row recorded for a question."""
    return json.loads((RESULTS / f"{question}.jsonl").read_text().splitlines()[-1])


def table() -> str:
    """The README's table of measured numbers."""
    trace, speed = newest("how_long_to_trace"), newest("how_fast_interpreted")
    rows = [
        (
            "Panda's inverse dynamics traced to a graph",
            f"{trace['trace_ms']:.1f} ms, {trace['nodes']:.0f} nodes",
        ),
        (
            f"Panda, inverse dynamics interpreted, batch of {speed['batch']}",
            f"{speed['batch_ns_per_state'] / 1e3:.2f} µs a state (Pinocchio's `rneaInParallel`, one thread: "
            f"{speed['pinocchio_batch_ns_per_state'] / 1e3:.2f} µs)",
        ),
        (
            "the same, one call",
            f"{speed['one_call_us']:.0f} µs (Pinocchio: {speed['one_pinocchio_call_us']:.1f} µs)",
        ),
    ]
    lines = ["| question | figure |", "| --- | --- |", *(f"| {a} | {b} |" for a, b in rows)]
    return "\n".join(lines) + "\n"


def main() -> None:
    README.write_text(MARKED.sub(lambda _: table(), README.read_text()))


if __name__ == "__main__":
    main()
