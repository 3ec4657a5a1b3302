"""How many steps of the arm a period takes: enough to keep its own modes, dry friction on a light joint above all,
from growing by the integrator, and to make a delay a whole number of them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from strobe.control.sample_rates import WHOLE
from strobe.simulate import step_size
from strobe.simulate.integrators import Integrator
from strobe.simulate.problem import Problem

NUMBERS = (1, 2, 5, 10, 20, 50, 100)
"""To choose from: few, so that loops side by side are integrated as one by one."""


class PlantSteps(NamedTuple):
    """Steps in a period, and what there is to say where they are too few."""

    number: int
    said: str | None = None


def plant_steps(
    asked: Problem, method: Integrator, period: float, delay: float, given: int | None
) -> PlantSteps:
    """As many as are given; else as many as the arm needs where it starts, 100 at most."""
    sure, number, modes = step_size.surely_stable(asked, method), given, None
    if number is None and step_size.SAFETY * sure >= period:
        number = _with_delay(NUMBERS[0], delay / period)
    if number is None:
        modes = step_size.modes(asked)
        longest = step_size.SAFETY * step_size.longest_stable(method, modes.eigenvalues)
        needed = period / float(np.min(longest, initial=np.inf))
        enough = (n for n in NUMBERS if n >= needed)
        number = _with_delay(next(enough, NUMBERS[-1]), delay / period)
    if period / number <= sure:
        return PlantSteps(number)
    said = step_size.too_long(asked, method, period / number, modes or step_size.modes(asked))
    return PlantSteps(number, said and f"{said} A larger plant_rate= (or rate=) makes it shorter.")


def _with_delay(fewest: int, late: float) -> int:
    """The fewest steps of which a delay is a whole number, where there are such."""
    whole = (n for n in range(fewest, fewest + NUMBERS[-1]) if abs(n * late - round(n * late)) <= WHOLE * n)
    return next(whole, fewest) if 0 <= late <= 1 else fewest
