"""The report on one robot: a list of sections, each a function from a case to data and renderers of it.

A section is a module with ``TITLE``, ``measure(case) -> data`` (plain numbers, lists and names) and
``render(data)`` (what a terminal shows). It may have ``html(data, case)`` for the page, where that shows more than
``render``, ``command(case)``, which makes its numbers again, ``in_brief(data)``, a figure and a sentence for the
head of the report, and ``SLOW``. A section that a robot does not allow raises `UnsupportedModelError`, and its
sentence is the data. A new section is a new module and a row in `report.SECTIONS`.

    case               one robot at one state
    report             every section in order
    pages              as one page
    page_parts         figures, commands, data
    refusals           why something is left out

    overview           joints, links, frames
    view               the robot to turn and to move
    equations          the equations of motion
    matrices           M and g
    torque_parts       a torque by gravity, velocity, inertia, friction, wrenches
    terms              where a torque comes from
    wrenches           what joints transmit
    motion             torques along a motion
    sample_motion      a motion to look at
    moving_base        a base that moves
    legs               legs on the ground
    closed_chains      what loops leave free
    loop_forces        what holds them
    kinematics         hand and joints
    inverse_solutions  of one pose
    trajectory         planned in several ways
    limit_usage        how much of its limits it uses
    simulation         the robot let go
    simulation_tables  in numbers
    control            under every controller
    control_loops      in numbers
    approximation      what may be left out
    counts             what formulations cost
    ladder             from 1979 on
    published          beside the papers
    speed              beside other libraries
    agreement          torques by every formulation
    exactness          whether they are one function
    laws               laws of mechanics
    proof              identities checked
    machine            where the numbers come from

    figures            figures by kind
    figure_robot       the robot in a pose
    figure_body        a free-body diagram
    figure_effects     centrifugal and Coriolis forces
    meshes             shapes in few bytes
    robot_page         a page of the robot alone
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from strobe.rooms import exported

if TYPE_CHECKING:
    from strobe.study.report import SECTIONS as SECTIONS, Report as Report, study as study

exported(__name__, {"strobe.study.report": "SECTIONS Report study"})
