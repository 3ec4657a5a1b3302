"""Constants as the bits that code holds, and as C writes them."""

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


def c_number(value: float, single: bool = False) -> str:
    """A constant of C with every digit that matters; in parentheses if negative."""
    value = to_single(value) if single else float(value)
    real = "float" if single else "double"
    if math.isnan(value):
        return f"({real})NAN"
    if math.isinf(value):
        return f"({real})INFINITY" if value > 0 else f"(-({real})INFINITY)"
    digits = f"{_shortest(value)}f" if single else repr(value)
    return f"({digits})" if digits.startswith("-") else digits


def _shortest(value: float) -> str:
    """The fewest digits that read back as the same number of single precision."""
    texts = (f"{value:.{digits}g}" for digits in range(1, 18))
    text = next(text for text in texts if to_single(float(text)) == value)
    return text if any(sign in text for sign in ".e") else f"{text}.0"
