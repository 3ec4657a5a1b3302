"""Constants as the bits that code holds."""

from __future__ import annotations

import math
import struct


def to_single(value: float) -> float:
    """The nearest number of single precision; infinity beyond its range."""
    try:
        return struct.unpack("<f", struct.pack("<f", value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)


def double_of(bits: int) -> float:
    """The number of double precision that has these bits."""
    return struct.unpack("<d", struct.pack("<Q", bits))[0]


def bits_of(value: float, single: bool = False) -> int:
    """The bits of a number in either precision."""
    if single:
        return struct.unpack("<I", struct.pack("<f", to_single(value)))[0]
    return struct.unpack("<Q", struct.pack("<d", value))[0]
