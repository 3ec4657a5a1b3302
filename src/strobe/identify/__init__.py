"""What motions and torques tell of a robot's parameters.

In the order of the data:

    log_columns        columns as programs spell them
    log_tables         text, MCAP, Parquet and NPZ as tables
    logs               recorded motions of one robot
    log_streams        that are too long for memory
    log_checks         whether columns agree
    log_doubts         what other reading would fit far better
    even_samples       rows on even times, filtered
    wrench_log         what a wrist sensor recorded beside
    least_squares      with what data cannot tell
    base_parameters    the combinations that are felt
    friction           what acts inside joints, term by term
    torque_rows        what is fitted
    log_sources        read again and again
    torque_fit         least squares, chunk by chunk
    estimators         which rows weigh how much, what wrong rates do
    falling_friction   the speeds within which it falls
    channel_delays     of efforts behind positions
    residuals          whether they are noise, and error bars where not
    cross_validation   parts predicted by the others
    essential          what could be left out
    possible           parameters of bodies that can be
    body_bounds        within shapes and masses
    drive_gains        what one ampere is worth
    loaded_logs        told by a load
    identification     what logs tell
    identifying        the call
    state_rows         rows of one state, over numbers
    online_estimator   sample by sample, in fixed memory
    estimator_export   and as C
    identification_page  as a page
    drawn_robots       robots that might be the one
    pose_readings      measured poses, checked
    placement_moves    of what places joints
    pose_errors        how far poses are off, compiled
    pose_fit           moves that explain them
    calibration        what poses tell
    calibrating        the call
    payload_readings   what was read, checked
    payload_regressor  torques linear in ten numbers
    payload            what a hand carries
    payload_bounds     from mass and size alone
    payload_change     noticed
    payload_forces     by small test forces
    rest_motions       waves and splines that begin and end at rest
    felt_rows          what torques along a motion feel
    information        how much that tells
    known_information  from logs to the next motion
    motion_bounds      what a motion has to keep
    motion_proof       and keeps at every time
    quasi_newton       the least of a function with slopes
    augmented_lagrangian  and within bounds
    informative_motion  the motion that tells most
    excitation         motions for a robot
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from strobe.rooms import exported

if TYPE_CHECKING:
    from strobe.identify.base_parameters import (
        BaseParameters as BaseParameters,
        base_parameters as base_parameters,
    )
    from strobe.identify.calibrating import calibrate as calibrate
    from strobe.identify.calibration import Calibration as Calibration
    from strobe.identify.drawn_robots import DrawnRobots as DrawnRobots, drawn as drawn
    from strobe.identify.excitation import Excitation as Excitation, excite as excite
    from strobe.identify.identification import Identification as Identification, Result as Result
    from strobe.identify.identifying import identify as identify
    from strobe.identify.log_streams import LogStream as LogStream, stream_log as stream_log
    from strobe.identify.logs import Log as Log, read_log as read_log
    from strobe.identify.online_estimator import OnlineEstimator as OnlineEstimator, estimator as estimator
    from strobe.identify.payload import Payload as Payload, identify_payload as identify_payload
    from strobe.identify.payload_bounds import PartlyKnown as PartlyKnown, partly_known as partly_known
    from strobe.identify.payload_change import PayloadMonitor as PayloadMonitor
    from strobe.identify.payload_forces import ForceTests as ForceTests, force_tests as force_tests
    from strobe.identify.payload_regressor import payload_regressor as payload_regressor

exported(
    __name__,
    {
        "strobe.identify.base_parameters": "BaseParameters base_parameters",
        "strobe.identify.calibrating": "calibrate",
        "strobe.identify.calibration": "Calibration",
        "strobe.identify.drawn_robots": "DrawnRobots drawn",
        "strobe.identify.excitation": "Excitation excite",
        "strobe.identify.identification": "Identification Result",
        "strobe.identify.identifying": "identify",
        "strobe.identify.log_streams": "LogStream stream_log",
        "strobe.identify.logs": "Log read_log",
        "strobe.identify.online_estimator": "OnlineEstimator estimator",
        "strobe.identify.payload": "Payload identify_payload",
        "strobe.identify.payload_bounds": "PartlyKnown partly_known",
        "strobe.identify.payload_change": "PayloadMonitor",
        "strobe.identify.payload_forces": "ForceTests force_tests",
        "strobe.identify.payload_regressor": "payload_regressor",
    },
    called="identify",
)
