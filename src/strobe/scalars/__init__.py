"""What a number is: nine number systems behind one door, ``apply(op, *args)``.

A formulation runs unchanged on each of them, and what a number is decides what comes out. The
systems that need a heavy library (`symbol`: SymPy, `precise`: mpmath) are imported from their own
modules.

    scalar     the base: operators, and the folding of Python numbers
    functions  sine, cosine and the rest, for a number of any system
    lanes      a batch side by side, one NumPy array per number
    interval   all values between two ends
    count      what it cost
    degree     a bound of the degree, for the probability of a false proof
    field      integers modulo a large prime
    dual       a number with its derivative along one direction
    precise    fifty decimal digits
    symbol     SymPy expressions
    node       an expression graph, hash-consed
    stored     numbers read from a table by a computed place
"""

from strobe.scalars.count import DenseCount, FoldedCount
from strobe.scalars.degree import DegreeSystem
from strobe.scalars.dual import Dual, DualSystem
from strobe.scalars.field import FieldSystem
from strobe.scalars.functions import (
    absolute,
    atan2,
    cos,
    floor,
    less,
    maximum,
    minimum,
    sin,
    sqrt,
    tanh,
    where,
)
from strobe.scalars.interval import INTERVALS, Interval
from strobe.scalars.lanes import LANES, Lanes
from strobe.scalars.node import Graph, Node
from strobe.scalars.scalar import FLOAT, Num, Numbers, Scalar, System, quarter_turns
from strobe.scalars.stored import Stored

__all__ = [
    "FLOAT",
    "INTERVALS",
    "LANES",
    "DegreeSystem",
    "DenseCount",
    "Dual",
    "DualSystem",
    "FieldSystem",
    "FoldedCount",
    "Graph",
    "Interval",
    "Lanes",
    "Node",
    "Num",
    "Numbers",
    "Scalar",
    "Stored",
    "System",
    "absolute",
    "atan2",
    "cos",
    "floor",
    "less",
    "maximum",
    "minimum",
    "quarter_turns",
    "sin",
    "sqrt",
    "tanh",
    "where",
]
