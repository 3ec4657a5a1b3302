"""How fine sensors must be: the chain of resolutions, the noise of differences, and loops that are asked."""

from dataclasses import replace

import numpy as np
import pytest

import strobe
from strobe.control import AccelerationServo, ComputedTorque, Sensor, control
from strobe.control.sensor_resolution import Row, bits_needed, scheme_sensors, table
from strobe.errors import ArgumentError
from strobe.models.joints import Friction, Motor
from strobe.trajectory.motion import Trajectory

T, POSE = 1e-3, np.array([0.7, -1.4])
ERROR = 2.65e-4  # rad: little more than the period itself costs
COARSE = {  # by what is measured and how finely: the RMS error of accelerations that was published for it
    ("accelerometer", 1e-2): 0.027,
    ("tachometer", 1e-5): 0.027,
    ("encoder", 1e-8): 0.027,
    ("tachometer", 1e-3): 0.205,
    ("encoder", 1e-6): 0.29,
    ("encoder", 1e-5): 2.9,
}


@pytest.fixture(scope="module")
def links():
    """The links of planar2 alone."""
    robot = strobe.load("planar2")
    drives = {"motor": Motor(), "friction": Friction()}
    bodies = tuple(replace(body, joint=replace(body.joint, **drives)) for body in robot.model.bodies)
    return strobe.Robot(replace(robot.model, bodies=bodies, golden=()))


def waves(robot, end=2.0, h=0.01):
    """From rest at the pose with the accelerations (0.8 cos 2t, −sin(3t + 0.3)), by their Taylor series every h."""
    t = np.linspace(0.0, end, round(end / h) + 1)[:-1]
    turns = np.arange(4) * np.pi / 2
    a = 0.8 * 2.0 ** np.arange(4) * np.cos(2 * t[:, None] + turns)
    b = -(3.0 ** np.arange(4)) * np.sin(3 * t[:, None] + 0.3 + turns)
    v = [0.4 * np.sin(2 * t), (np.cos(3 * t + 0.3) - np.cos(0.3)) / 3]
    sine = np.sin(3 * t + 0.3) - np.sin(0.3)
    q = [POSE[0] + 0.2 - 0.2 * np.cos(2 * t), POSE[1] + sine / 9 - t * np.cos(0.3) / 3]
    rows = [np.column_stack([*pair, more]) for *pair, more in zip(q, v, (a, b), strict=True)]
    powers = np.array([1, 1, 2, 6, 24, 120])
    coefficients = np.stack([row / powers for row in rows], axis=1)
    return Trajectory(robot.joint_names, np.append(t, end), coefficients, "waves", np.array([0.0, end]))


def missed(run):
    """RMS of the acceleration under the torque that was held, less the one wanted."""
    a = run.plant.forward_dynamics(run.q, run.qd, run.memory["torque"])
    return np.sqrt(np.mean((a - run.wanted[..., -2:]) ** 2))


# -- arithmetic ----------------------------------------------------------------------------------------------


def test_the_chain_of_resolutions_takes_7_17_and_29_bits():
    rows = table()
    assert [row.scheme for row in rows] == ["accelerometer", "tachometer", "encoder"]
    assert [row.resolution for row in rows] == pytest.approx([1e-2, 1e-5, 1e-8])
    assert [row.bits for row in rows] == [7, 17, 29]
    assert [row.bits for row in table(signed=True)] == [8, 18, 29]


def test_a_power_of_two_takes_no_bit_more():
    assert [row.bits for row in table(2**-7, 1.0, (1.0, 1.0, 1.0))] == [7, 7, 7]


def test_differences_of_rounded_numbers_are_as_noisy_as_the_table_says():
    """0.00707 and 0.0196 at most for positions, 0.00408 and 0.00997 for velocities."""
    t = T * np.arange(200_000)
    smooth = 0.7 * np.sin(1.3 * t) + 0.2 * np.sin(3.1 * t + 1)
    for row, order in zip(table()[1:], (1, 2), strict=True):
        rounded = np.floor(smooth / row.resolution + 0.5) * row.resolution
        off = np.diff(rounded - smooth, n=order) / T**order
        assert off.std() == pytest.approx(row.noise, rel=0.02)
        assert 0.9 * row.worst < np.abs(off).max() <= row.worst * (1 + 1e-6)
    assert [row.noise for row in table()[1:]] == pytest.approx([0.00408, 0.00707], abs=5e-6)


def test_a_table_of_nothing_is_refused():
    with pytest.raises(ArgumentError) as told:
        table(acceleration=0.0)
    assert str(told.value) == "acceleration is 0; expected a finite number above zero."
    with pytest.raises(ArgumentError) as told:
        table(ranges=(1.0, -1.0, 3.0))
    assert str(told.value) == "range 2 is -1; expected a finite number above zero."
    with pytest.raises(ArgumentError) as told:
        table(ranges=(1.0, 1.0))
    assert str(told.value) == "there are 2 ranges; expected three: acceleration, velocity, position."


# -- closed loops --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scheme", ["accelerometer", "tachometer", "encoder"])
def test_the_servo_misses_as_much_as_was_published(links, scheme):
    """λ = ½ with the effective inertias; the pose was not published, and is one at which the figures come out."""
    servo = AccelerationServo(links, T, 0.5, 0.0, 0.0, inertia="effective")
    motion = waves(links)
    for (which, resolution), published in COARSE.items():
        if which == scheme:
            sensors = scheme_sensors(scheme, Sensor(resolution))
            run = control(links, motion, servo, sensors=sensors, check=False)
            assert missed(run) == pytest.approx(published, rel=0.1)


@pytest.mark.parametrize("part", [0.25, 0.5, 1.0])
def test_the_noise_of_a_tachometer_goes_through_the_servo_as_computed(links, part):
    """a⁺ = (1 − λ) a − λ (w − w⁻)/T with white w of rms V/√12 has the variance 2 λ²/(2 − λ) of w/T."""
    V = 1e-3
    servo = AccelerationServo(links, T, part, 0.0, 0.0)
    coarse, exact = (
        missed(
            control(links, waves(links), servo, sensors=scheme_sensors("tachometer", sensor), check=False)
        )
        for sensor in (Sensor(V), Sensor())
    )
    noise = V / (np.sqrt(12) * T) * np.sqrt(2 * part**2 / (2 - part))
    assert np.sqrt(coarse**2 - exact**2) == pytest.approx(noise, rel=0.05)


@pytest.mark.slow
def test_the_fewest_bits_are_found_and_meet_the_error(links):
    motion = links.plan([(0.7, -1.4), (1.2, -0.9)], "quintic", velocity=1.0, acceleration=2.0)
    servo = AccelerationServo(links, T)
    needed = bits_needed(links, motion, servo, ERROR)
    assert set(needed) == {"accelerometer", "tachometer", "encoder"}
    for scheme, found in needed.items():
        at = found.bits.tolist().index(found.fewest)
        assert (found.errors[at:] <= ERROR).all()
        assert found.errors[at - 1] > ERROR
        low, high = found.ranges
        sensor = Sensor(bits=found.fewest, range=(low, high))
        alone = control(links, motion, servo, sensors=scheme_sensors(scheme, sensor), check=False)
        assert np.abs(alone.error).max() == pytest.approx(found.errors[at], rel=1e-9)
        assert found.resolution == pytest.approx((high - low) / 2**found.fewest)
    fewest = [needed[name].fewest for name in ("accelerometer", "tachometer", "encoder")]
    assert fewest == sorted(fewest)
    assert str(needed["encoder"]) == f"encoder: {fewest[2]} bits"


def test_a_controller_without_accelerations_is_not_asked_for_an_accelerometer(links):
    motion = links.plan([(0.7, -1.4), (1.2, -0.9)], "quintic", velocity=1.0, acceleration=2.0)
    needed = bits_needed(links, motion, ComputedTorque(links, T), 1e-3, bits=range(4, 24))
    assert set(needed) == {"tachometer", "encoder"}
    impossible = bits_needed(links, motion, ComputedTorque(links, T), 1e-12, bits=range(4, 8))["encoder"]
    assert impossible.fewest is None
    assert str(impossible).startswith("encoder: 7 bits do not suffice, the error is ")
    with pytest.raises(ArgumentError, match="error is -1; expected a number above zero."):
        bits_needed(links, motion, ComputedTorque(links, T), -1.0)


def test_a_scheme_that_nobody_knows_is_refused():
    with pytest.raises(ArgumentError) as told:
        scheme_sensors("gyroscope", Sensor())
    assert (
        str(told.value) == '"gyroscope" is no way to measure; expected accelerometer, tachometer, encoder.'
    )


def test_rows_are_plain_data():
    assert Row("encoder", 1e-8, 29, 7e-3, 2e-2)._asdict()["bits"] == 29
