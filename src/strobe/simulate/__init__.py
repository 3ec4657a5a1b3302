"""Given torques, how does the robot move: `strobe.simulate(robot, q0, qd0, torque, t)`.

The package is its main function: it can be called, and holds what its arguments are made of.

    torques              what drives a run
    events               loads taken up, joints locked
    stops                springs and dampers at the limits of joints
    problem              what is asked, checked
    equations_of_motion  rates, with friction, stops, motors, loads
    evaluation           compiled, or interpreted where that is sooner
    integrators          methods as recurrences
    step_size            how long a step may be
    time_grid            where steps end
    fixed_steps          compiled rounds
    adaptive             SciPy's
    checkpoint           to go on with the same bits
    energy_audit         where energy and momentum went
    limit_extremes       how far each limited number went
    limit_violations     and where it was beyond
    run                  what comes back
    report               from rows to a run
    simulation           the call
    simulator            the call, its words settled
    sensors              what would have been recorded
    files                NPZ, CSV, MCAP
    figure               a run, drawn
    feed_forward         torques of a planned motion
    batch_stepper        many runs, period by period
    rollout              very many runs, on a card too, without books
    gym                  environments of Gymnasium
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from strobe.rooms import exported

if TYPE_CHECKING:
    from strobe.simulate.energy_audit import Audit as Audit
    from strobe.simulate.events import Attach as Attach, Drop as Drop, Lock as Lock, Release as Release
    from strobe.simulate.rollout import Rollout as Rollout
    from strobe.simulate.run import Run as Run, RunStatus as RunStatus
    from strobe.simulate.sensors import Sensors as Sensors
    from strobe.simulate.simulation import simulate as simulate
    from strobe.simulate.simulator import Simulator as Simulator
    from strobe.simulate.torques import Stops as Stops, TimeSeries as TimeSeries

exported(
    __name__,
    {
        "strobe.simulate.energy_audit": "Audit",
        "strobe.simulate.events": "Attach Drop Lock Release",
        "strobe.simulate.rollout": "Rollout",
        "strobe.simulate.run": "Run RunStatus",
        "strobe.simulate.sensors": "Sensors",
        "strobe.simulate.simulation": "simulate",
        "strobe.simulate.simulator": "Simulator",
        "strobe.simulate.torques": "Stops TimeSeries",
    },
    called="simulate",
)
