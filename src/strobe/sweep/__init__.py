"""Very many runs of many robots: `strobe.sweep("sweep.toml", "results")`.

The package is its main function: it can be called, and holds what its arguments and results are made of.

    reading           sweep files
    named_entries     robots, motions, controllers by label
    varied_numbers    fixed, on a grid, drawn
    axes              what varies
    plan              cells and chunks
    documents         robots and motions as plain data
    random_streams    numbers by seed and run alone
    tasks             all by name
    task_torque       inverse dynamics
    task_simulate     motions
    task_control      closed loops
    task_approximate  errors of approximations
    evaluate          one chunk
    chunking          how many runs at a time
    estimating        size and time
    worker            evaluated, encoded, written
    worker_process    as a process
    local_workers     on this machine
    dask_cluster      on a cluster
    formats           Zarr, Parquet
    checksums         whether data are what was written
    manifest          all that was asked
    reductions        means and extremes
    store             the folder
    progress          how far it is
    result            what comes back
    sweeping          the call
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from strobe.rooms import exported

if TYPE_CHECKING:
    from strobe.sweep.estimating import Estimate as Estimate, estimate as estimate
    from strobe.sweep.plan import Plan as Plan
    from strobe.sweep.progress import Progress as Progress
    from strobe.sweep.reading import read_plan as read_plan
    from strobe.sweep.result import Sweep as Sweep
    from strobe.sweep.sweeping import sweep as sweep

exported(
    __name__,
    {
        "strobe.sweep.estimating": "Estimate estimate",
        "strobe.sweep.plan": "Plan",
        "strobe.sweep.progress": "Progress",
        "strobe.sweep.reading": "read_plan",
        "strobe.sweep.result": "Sweep",
        "strobe.sweep.sweeping": "sweep",
    },
    called="sweep",
)
