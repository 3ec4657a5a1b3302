"""What motors must give over 200,000 random states and loads, interrupted half way and gone on with."""

import tempfile
from pathlib import Path

import numpy as np

import strobe

SWEEP = {
    "task": "torque",
    "robots": ["ur5"],
    "samples": 100_000,
    "chunk": 10_000,
    "seed": 7,
    "keep": ["tau", "payload_mass"],
    "state": {"q": {"uniform": "limits"}, "qd": {"normal": [0, 0.5]}, "qdd": {"normal": [0, 1]}},
    "payload": {"mass": {"uniform": [0, 5]}, "centre": {"values": [[0, 0, 0], [0, 0, 0.1]]}},
}


def impatient(progress):
    """Press Ctrl-C when half of it is done."""
    if progress.chunks == 10:
        raise KeyboardInterrupt


with tempfile.TemporaryDirectory() as folder:
    results = Path(folder, "results")
    try:
        strobe.sweep(SWEEP, results, workers=2, processes=False, watch=impatient)
    except KeyboardInterrupt:
        print("interrupted; the same call goes on:")
    done_before = len(list((results / "receipts").iterdir()))
    chunks = []
    sweep = strobe.sweep(SWEEP, results, workers=2, processes=False, watch=chunks.append)
    assert len(chunks) == 20 - done_before
    print(sweep.plan)

    arrays = sweep.arrays("ur5")  # of Zarr: read when they are indexed
    tau = np.abs(arrays["tau"][:])
    for cell, centre in enumerate(("in the flange", "10 cm before it")):
        needed = np.quantile(tau[cell], 0.999, axis=0)
        print(f"load {centre}: 99.9 % of all states need at most", needed.round(1), "N m")

    worst = sweep.summary["cells"][1]["fields"]["tau"]
    run = worst["largest_run"][1]
    cell, sample = divmod(run, sweep.plan.samples)
    assert arrays["tau"][cell, sample, 1] == worst["largest"][1]
    print(f"the shoulder gives most in run {run:,}: {worst['largest'][1]:.1f} N m")
