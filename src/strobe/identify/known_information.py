"""What logs told of a robot, in a file: from `strobe identify` to a search for the motion that tells most beside it.

An NPZ holds the information on base parameters and terms of friction (`Identification.information`), the names of the
terms, the noise of independent readings of each joint, and how many of these there were in a second.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from strobe.errors import ArgumentError
from strobe.files.arrays import read_arrays
from strobe.files.reading import Place
from strobe.identify.felt_rows import SLOPES

if TYPE_CHECKING:
    from strobe.identify.identification import Identification

Array = np.ndarray

HELD = ("information", "friction", "noise", "rate")


@dataclass(frozen=True, slots=True, eq=False)
class Known:
    """What is known before a motion is looked for, in the words of `excite`."""

    information: Array
    friction: tuple[str, ...]
    noise: Array  # (joints,) of a reading
    rate: float  # readings a second


def packed(found: Identification) -> bytes:
    """What an identification told, as the bytes of an NPZ."""
    friction = [name for name in found.friction_terms if name in SLOPES]
    stream = io.BytesIO()
    np.savez(
        stream, information=found.information(friction), friction=np.array(friction, dtype=str),
        noise=found.fit.noise, rate=np.array(found.reading_rate),
    )  # fmt: skip
    return stream.getvalue()


def read_known(path: Place) -> Known:
    """What `packed` wrote, or a sentence that says why it is not that."""
    held = read_arrays(path)
    if missing := [name for name in HELD if name not in held]:
        raise ArgumentError(
            f"{path}: there is no {missing[0]} in it; expected a file of strobe identify --information."
        )
    friction = tuple(str(name) for name in held["friction"].tolist())
    return Known(held["information"], friction, held["noise"], float(held["rate"]))
