"""`make bench`: every question in turn, rows appended to `benchmarks/results/`, the README's table rewritten."""

from __future__ import annotations

import runpy

from benchmarks import readme

QUESTIONS = (
    "against_peers",
    "against_c",
    "how_fast_to_compile",
    "how_it_grows",
    "ladder",
    "how_fast_interpreted",
    "how_fast_equations",
    "inverse_kinematics_analytic",
    "inverse_kinematics_general",
    "inverse_kinematics_numeric",
    "trajectories",
    "torque_limited",
    "simulation",
    "approximation",
    "control",
    "starts",
    "derivatives",
    "mechanisms",
    "parameters",
    "scaling",
)

if __name__ == "__main__":
    for question in QUESTIONS:
        runpy.run_module(f"benchmarks.{question}", run_name="__main__")
    readme.main()
