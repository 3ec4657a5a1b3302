"""Very many runs of many robots: `strobe.sweep("sweep.toml", "results")`.

The package is its main function: it can be called, and holds what its arguments and results are made of.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from strobe.rooms import exported

if TYPE_CHECKING:
    from strobe.sweep.estimating import Estimate as Estimate
    from strobe.sweep.estimating import estimate as estimate
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
