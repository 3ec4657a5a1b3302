"""Mechanisms beyond the fixed arm: moving bases, legs on the ground, closed chains."""

from __future__ import annotations

from strobe.mechanisms.extended import BlockForm, block_form
from strobe.mechanisms.extended_equations import BlockEquations, block_equations
from strobe.mechanisms.gait import Gait
from strobe.mechanisms.ground import Footing, GroundReaction, ground_reaction
from strobe.mechanisms.walking import Walk, walk
from strobe.models.feet import Foot

__all__ = [
    "BlockEquations",
    "BlockForm",
    "Foot",
    "Footing",
    "Gait",
    "GroundReaction",
    "Walk",
    "block_equations",
    "block_form",
    "ground_reaction",
    "walk",
]
