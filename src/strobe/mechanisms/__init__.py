"""Mechanisms beyond the fixed arm: moving bases, legs on the ground, closed chains.

In the order of the data:

    extended_coordinates  a base that translates, in blocks
    extended_equations    as closed forms
    zero_moment_point     what the ground does, and whether soles hold
    gait                  which foot stands where, and when
    walking               where the centre of mass must go, and the joints
    figure_zmp            the zero moment point from above

    loop_closure          positions that close every loop
    states                checked
    mobility              freedoms, redundancy, dead points
    dependent_rates       rates from joints that lead
    dependent_motion      motions from them
    reduced_dynamics      in the actuated joints
    cut_couplings         couplings held by forces instead
    loop_forces           what holds chains together
    transmitted_wrenches  what joints then have
    torque_terms          torques term by term
    parallel_linkages     open chains that share coordinates
    balanceable           which joints a counterweight can balance
    counterweights        which masses, where
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from strobe.rooms import exported

if TYPE_CHECKING:
    from strobe.mechanisms.counterweights import (
        Counterbalance as Counterbalance,
        counterbalance as counterbalance,
    )
    from strobe.mechanisms.cut_couplings import uncoupled as uncoupled
    from strobe.mechanisms.dependent_motion import led as led
    from strobe.mechanisms.dependent_rates import complete as complete
    from strobe.mechanisms.extended_coordinates import BlockForm as BlockForm, block_form as block_form
    from strobe.mechanisms.extended_equations import (
        BlockEquations as BlockEquations,
        block_equations as block_equations,
    )
    from strobe.mechanisms.gait import Gait as Gait
    from strobe.mechanisms.loop_closure import assemble as assemble
    from strobe.mechanisms.loop_forces import LoopForces as LoopForces, loop_forces as loop_forces
    from strobe.mechanisms.mobility import (
        Diagnosis as Diagnosis,
        diagnose as diagnose,
        independent as independent,
    )
    from strobe.mechanisms.parallel_linkages import (
        Chain as Chain,
        Combined as Combined,
        combined as combined,
    )
    from strobe.mechanisms.reduced_dynamics import Reduced as Reduced, reduced as reduced
    from strobe.mechanisms.walking import Walk as Walk, walk as walk
    from strobe.mechanisms.zero_moment_point import (
        Footing as Footing,
        GroundReaction as GroundReaction,
        ground_reaction as ground_reaction,
    )
    from strobe.models.feet import Foot as Foot

exported(
    __name__,
    {
        "strobe.mechanisms.loop_closure": "assemble",
        "strobe.mechanisms.counterweights": "Counterbalance counterbalance",
        "strobe.mechanisms.cut_couplings": "uncoupled",
        "strobe.mechanisms.dependent_motion": "led",
        "strobe.mechanisms.dependent_rates": "complete",
        "strobe.mechanisms.mobility": "Diagnosis diagnose independent",
        "strobe.mechanisms.extended_coordinates": "BlockForm block_form",
        "strobe.mechanisms.extended_equations": "BlockEquations block_equations",
        "strobe.mechanisms.gait": "Gait",
        "strobe.mechanisms.zero_moment_point": "Footing GroundReaction ground_reaction",
        "strobe.mechanisms.loop_forces": "LoopForces loop_forces",
        "strobe.mechanisms.reduced_dynamics": "Reduced reduced",
        "strobe.mechanisms.parallel_linkages": "Chain Combined combined",
        "strobe.mechanisms.walking": "Walk walk",
        "strobe.models.feet": "Foot",
    },
)
