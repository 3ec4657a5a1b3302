"""Very many runs of many robots: `strobe.sweep("sweep.toml", "results")`.

The package is its main function: it can be called, and holds what its arguments and results are made of.
"""

from __future__ import annotations

import sys
from importlib import import_module
from inspect import signature
from types import ModuleType
from typing import Any

from strobe.sweep.estimating import Estimate, estimate
from strobe.sweep.plan import Plan
from strobe.sweep.progress import Progress
from strobe.sweep.reading import read_plan
from strobe.sweep.result import Sweep
from strobe.sweep.sweeping import sweep

__all__ = ["Estimate", "Plan", "Progress", "Sweep", "estimate", "read_plan", "sweep"]


class _Callable(ModuleType):
    """A module that is called as its function of the same name."""

    def __call__(self, *args: Any, **keywords: Any) -> Sweep:
        return sweep(*args, **keywords)

    def __reduce__(self) -> tuple[Any, ...]:
        return import_module, (self.__name__,)


__signature__ = signature(sweep)  # what tools show of the call
sys.modules[__name__].__class__ = _Callable
