"""`make bench`: every question in turn, rows appended to `benchmarks/results/`, the README's table rewritten."""

from __future__ import annotations

import runpy
from time import monotonic

from benchmarks import QUESTIONS, readme

if __name__ == "__main__":
    begun = monotonic()
    for question in QUESTIONS:
        start = monotonic()
        runpy.run_module(f"benchmarks.{question}", run_name="__main__")
        print(f"({question}: {monotonic() - start:.0f} s)", flush=True)
    readme.main()
    print(f"\nall questions: {(monotonic() - begun) / 60:.1f} minutes")
