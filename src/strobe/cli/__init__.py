"""The command ``strobe``: one file per verb.

In the order of the data:

    start            the command
    first_page       what there is, without any verb
    robot_index      the robots that come along, known by their files
    app              the parser
    verbs            by name, imported when asked for
    parser           how words become values
    options          an option in a line
    renamed          old names of options
    inputs           a robot with its edits, lists of numbers
    states           a state and the loads on it
    closed_chains    a state of a closed chain
    frames           the frame that is meant
    logs             motions in files
    show             tables, JSON, notes
    outputs          results and drawings in files
    progress         how far a long job is
    exit_codes       how a command ends

    list_robots      the robots that come along (`strobe list`)
    info             what a robot is made of
    doctor           a model file judged
    diff             what changed
    convert          a robot in another format
    draw             a figure
    study            a report
    torque           torques behind a motion
    explain          torques term by term
    equations        the equations of motion
    coordinates      in other coordinates
    fk               where frames are
    ik               joint positions for a pose
    plan             a motion through points
    excite           motions that tell parameters
    simulate         how it moves
    drawn_robots     and how robots would that might be it
    control          how it follows
    zmp              what the ground does
    payload          what the hand carries
    identify         inertias and friction from logs
    calibrate        where joints are, from measured poses
    balance          counterweights
    approximate      what may be left out
    sweep            very many runs
    check            whether formulations are one function
    prove            from Newton-Euler to Lagrange, identity by identity
    count            what each costs
    strobe           g, M and Christoffel symbols, flash by flash
    tables           what papers say
    bench            how long it takes
    bench_explained  where its cycles go
    compile          source to build
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from strobe.rooms import exported

if TYPE_CHECKING:
    from strobe.cli.app import app as app
    from strobe.cli.start import main as main

exported(
    __name__,
    {
        "strobe.cli.app": "app",
        "strobe.cli.start": "main",
    },
)
