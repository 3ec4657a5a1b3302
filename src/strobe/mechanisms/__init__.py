"""Mechanisms beyond the fixed arm: moving bases, legs on the ground, closed chains."""

from __future__ import annotations

from strobe.mechanisms.assembly import assemble
from strobe.mechanisms.diagnosis import Diagnosis, diagnose, independent
from strobe.mechanisms.extended import BlockForm, block_form
from strobe.mechanisms.extended_equations import BlockEquations, block_equations
from strobe.mechanisms.following import complete
from strobe.mechanisms.gait import Gait
from strobe.mechanisms.ground import Footing, GroundReaction, ground_reaction
from strobe.mechanisms.leading import led
from strobe.mechanisms.loop_forces import LoopForces, loop_forces
from strobe.mechanisms.reduced import Reduced, reduced
from strobe.mechanisms.two_chains import Chain, Combined, combined
from strobe.mechanisms.uncoupling import uncoupled
from strobe.mechanisms.walking import Walk, walk
from strobe.models.feet import Foot

__all__ = [
    "BlockEquations",
    "BlockForm",
    "Chain",
    "Combined",
    "Diagnosis",
    "Foot",
    "Footing",
    "Gait",
    "GroundReaction",
    "LoopForces",
    "Reduced",
    "Walk",
    "assemble",
    "block_equations",
    "block_form",
    "combined",
    "complete",
    "diagnose",
    "ground_reaction",
    "independent",
    "led",
    "loop_forces",
    "reduced",
    "uncoupled",
    "walk",
]
