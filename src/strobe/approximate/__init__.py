"""What may be left out, tabulated or extrapolated of inverse dynamics, and what it costs.

Each method is a class: ``approximate.X(robot, …).inverse_dynamics(q, qd, qdd)``, with its memory, operations and
preparation time. Names are imported when they are first used.

    method              what every approximation is
    states              checked, friction kept apart
    omitted_terms       velocity terms, links beyond a joint, other joints' motion
    extrapolation       along the path
    full_extrapolation  in all 3n parameters
    stored              D and E of tau = D qdd + E at states, used near them
    along_trajectory    stored along one motion
    typical_library     what a library of motions holds; in NPZ
    typical             near motions made again and again; others slowly
    grids               from where to where, how many points
    grid_interpolation  numbers between points
    tables              torques from tables
    table_files         tables in NPZ
    cmac                a table hashed and learned
    fixed_point         integers, with a proven bound
    fixed_point_timing  how fast that is
    provenance          which robot numbers belong to
    methods             all by name
    report              what each costs and how far it is off
    recommendation      which to take
    figure              error over time and memory
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from strobe.rooms import exported

if TYPE_CHECKING:
    from strobe.approximate.along_trajectory import AlongTrajectory as AlongTrajectory
    from strobe.approximate.cmac import CMAC as CMAC
    from strobe.approximate.extrapolation import PathExtrapolation as PathExtrapolation
    from strobe.approximate.fixed_point import FixedPoint as FixedPoint
    from strobe.approximate.full_extrapolation import (
        FullExtrapolation as FullExtrapolation,
        points_needed as points_needed,
    )
    from strobe.approximate.method import (
        Approximation as Approximation,
        Exact as Exact,
        Formula as Formula,
        Operations as Operations,
    )
    from strobe.approximate.omitted_terms import (
        GravityOnly as GravityOnly,
        LockedJoints as LockedJoints,
        ReducedInteraction as ReducedInteraction,
        WithoutDistalLinks as WithoutDistalLinks,
        WithoutVelocityTerms as WithoutVelocityTerms,
    )
    from strobe.approximate.report import TradeOff as TradeOff, trade_off as trade_off
    from strobe.approximate.table_files import load_table as load_table
    from strobe.approximate.tables import (
        CompleteTable as CompleteTable,
        HornRaibert as HornRaibert,
        Raibert as Raibert,
    )
    from strobe.approximate.typical import Policy as Policy, TypicalTrajectories as TypicalTrajectories

exported(
    __name__,
    {
        "strobe.approximate.along_trajectory": "AlongTrajectory",
        "strobe.approximate.cmac": "CMAC",
        "strobe.approximate.extrapolation": "PathExtrapolation",
        "strobe.approximate.fixed_point": "FixedPoint",
        "strobe.approximate.full_extrapolation": "FullExtrapolation points_needed",
        "strobe.approximate.omitted_terms": "GravityOnly LockedJoints ReducedInteraction WithoutDistalLinks "
        "WithoutVelocityTerms",
        "strobe.approximate.method": "Approximation Exact Formula Operations",
        "strobe.approximate.report": "TradeOff trade_off",
        "strobe.approximate.table_files": "load_table",
        "strobe.approximate.tables": "CompleteTable HornRaibert Raibert",
        "strobe.approximate.typical": "Policy TypicalTrajectories",
    },
    moved={
        "strobe.identify": "ForceTests PartlyKnown Payload PayloadMonitor force_tests identify_payload "
        "partly_known payload_regressor",
        "strobe.mechanisms": "Counterbalance counterbalance",
        "strobe.papers": "Rung ladder",
    },
)
