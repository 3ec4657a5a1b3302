"""A motion controller, end to end: `strobe.control(robot, motion, controller)`.

The package is its main function: it can be called, and holds what its arguments are made of.

    controller          what every one is
    controller_model    the dynamics it believes in
    end_effector_task   what is asked of a hand
    joint_pd            each joint alone
    joint_pid           each joint alone, with an integral
    model_based_pd      with the model's gravity, or its feed-forward
    computed_torque     the model's torques
    operational_space   computed torque for the hand
    impedance           a hand on springs
    slotine_li          adaptive, on the regressor
    regressor           how torques depend on a load
    acceleration_servo  torque changed until the acceleration is right
    momentum_observer   disturbances from generalised momentum
    fixed_controller    a law in fixed point
    gain_rules          what gives them a bandwidth
    methods             all by name
    law                 one as a function of a state
    inertias            how much inertia joints move
    inertia_scales      for gains that fit any arm
    gains               from the dynamics
    effort_limits       what motors give at most

    sensor              one kind, at every joint
    sensors             all that a controller gets to know
    accelerometers      in pairs
    sensor_noise        noise, and readings that do not come
    instruments         what sensors say, period by period
    sensor_failures     loops braked for them, in sentences
    sensor_resolution   how fine they must be
    sample_rates        rates that divide one another
    plant_steps         steps of the arm in a period
    loop_cache          loops that share their compiled rounds
    loop                the closed loop as a recurrence
    recording           a run of the loop, round by round
    emergency_stop      to rest, as fast as joints may
    request_timeline    requests as they arrive
    motion_controller   from a request to torques
    status              how a loop ended
    verdict             why, in sentences
    tracking_result     what comes back
    tracking            the call
    online              a controller held ready, step by step
    linearised          the loop near rest
    sampled_modes       the pole that sampling leaves
    modes               its eigenvalues and modes
    stability           asked before anything moves
    tracking_deviation  with the torques of an approximation
    step_cost           operations and nanoseconds
    export              a controller as C
    files               NPZ, CSV
    figure              loops, drawn
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from strobe.rooms import exported

if TYPE_CHECKING:
    from strobe.control.acceleration_servo import AccelerationServo as AccelerationServo
    from strobe.control.computed_torque import ComputedTorque as ComputedTorque
    from strobe.control.controller import Controller as Controller, Measured as Measured, Wanted as Wanted
    from strobe.control.fixed_controller import FixedController as FixedController
    from strobe.control.gains import Suggestion as Suggestion, suggest as suggest
    from strobe.control.impedance import Impedance as Impedance
    from strobe.control.joint_pd import JointPD as JointPD
    from strobe.control.joint_pid import JointPID as JointPID
    from strobe.control.law import law_of as law_of
    from strobe.control.methods import CONTROLLERS as CONTROLLERS, make as make
    from strobe.control.model_based_pd import FeedForwardPD as FeedForwardPD, PDGravity as PDGravity
    from strobe.control.momentum_observer import MomentumObserver as MomentumObserver
    from strobe.control.online import OnlineController as OnlineController
    from strobe.control.operational_space import OperationalSpace as OperationalSpace
    from strobe.control.request_timeline import Stop as Stop
    from strobe.control.sensor import Sensor as Sensor
    from strobe.control.sensor_resolution import bits_needed as bits_needed
    from strobe.control.sensors import SensorFault as SensorFault, Sensors as Sensors
    from strobe.control.slotine_li import SlotineLi as SlotineLi
    from strobe.control.stability import Stability as Stability, stability as stability
    from strobe.control.status import TrackingStatus as TrackingStatus
    from strobe.control.tracking import control as control
    from strobe.control.tracking_deviation import straying as straying
    from strobe.control.tracking_result import Tracked as Tracked

exported(
    __name__,
    {
        "strobe.control.acceleration_servo": "AccelerationServo",
        "strobe.control.computed_torque": "ComputedTorque",
        "strobe.control.controller": "Controller Measured Wanted",
        "strobe.control.fixed_controller": "FixedController",
        "strobe.control.gains": "Suggestion suggest",
        "strobe.control.impedance": "Impedance",
        "strobe.control.joint_pd": "JointPD",
        "strobe.control.joint_pid": "JointPID",
        "strobe.control.law": "law_of",
        "strobe.control.methods": "CONTROLLERS make",
        "strobe.control.model_based_pd": "FeedForwardPD PDGravity",
        "strobe.control.momentum_observer": "MomentumObserver",
        "strobe.control.online": "OnlineController",
        "strobe.control.operational_space": "OperationalSpace",
        "strobe.control.sensor_resolution": "bits_needed",
        "strobe.control.sensor": "Sensor",
        "strobe.control.sensors": "SensorFault Sensors",
        "strobe.control.slotine_li": "SlotineLi",
        "strobe.control.stability": "Stability stability",
        "strobe.control.status": "TrackingStatus",
        "strobe.control.request_timeline": "Stop",
        "strobe.control.tracking_result": "Tracked",
        "strobe.control.tracking": "control",
        "strobe.control.tracking_deviation": "straying",
    },
    called="control",
)
