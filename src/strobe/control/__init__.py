"""A motion controller, end to end: `strobe.control(robot, motion, controller)`.

The package is its main function: it can be called, and holds what its arguments are made of.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from strobe.rooms import exported

if TYPE_CHECKING:
    from strobe.control.acceleration_servo import AccelerationServo as AccelerationServo
    from strobe.control.computed_torque import ComputedTorque as ComputedTorque
    from strobe.control.controller import Controller as Controller
    from strobe.control.controller import Measured as Measured
    from strobe.control.controller import Wanted as Wanted
    from strobe.control.fixed_controller import FixedController as FixedController
    from strobe.control.gains import Suggestion as Suggestion
    from strobe.control.gains import suggest as suggest
    from strobe.control.impedance import Impedance as Impedance
    from strobe.control.joint_pd import JointPD as JointPD
    from strobe.control.joint_pid import JointPID as JointPID
    from strobe.control.methods import CONTROLLERS as CONTROLLERS
    from strobe.control.methods import make as make
    from strobe.control.model_based_pd import FeedForwardPD as FeedForwardPD
    from strobe.control.model_based_pd import PDGravity as PDGravity
    from strobe.control.momentum_observer import MomentumObserver as MomentumObserver
    from strobe.control.operational_space import OperationalSpace as OperationalSpace
    from strobe.control.request_timeline import Stop as Stop
    from strobe.control.sensor import Sensor as Sensor
    from strobe.control.sensor_resolution import bits_needed as bits_needed
    from strobe.control.sensors import Fault as Fault
    from strobe.control.sensors import Sensors as Sensors
    from strobe.control.slotine_li import SlotineLi as SlotineLi
    from strobe.control.stability import Stability as Stability
    from strobe.control.stability import stability as stability
    from strobe.control.status import Status as Status
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
        "strobe.control.methods": "CONTROLLERS make",
        "strobe.control.model_based_pd": "FeedForwardPD PDGravity",
        "strobe.control.momentum_observer": "MomentumObserver",
        "strobe.control.operational_space": "OperationalSpace",
        "strobe.control.sensor_resolution": "bits_needed",
        "strobe.control.sensor": "Sensor",
        "strobe.control.sensors": "Fault Sensors",
        "strobe.control.slotine_li": "SlotineLi",
        "strobe.control.stability": "Stability stability",
        "strobe.control.status": "Status",
        "strobe.control.request_timeline": "Stop",
        "strobe.control.tracking_result": "Tracked",
        "strobe.control.tracking": "control",
        "strobe.control.tracking_deviation": "straying",
    },
    called="control",
)
