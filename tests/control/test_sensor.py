"""One sensor: what it makes of the truth, and what it cannot be."""

import numpy as np
import pytest

import strobe
from strobe.control.sensor import Channel, Sensor
from strobe.control.sensors import SensorFault, Sensors
from strobe.errors import ArgumentError, ShapeError


@pytest.fixture(scope="module")
def arm():
    return strobe.load("planar2")


def said(sensor, arm, truth, quantity="position"):
    """What it says of numbers, on plain floats."""
    channel = Channel(quantity, sensor, arm, 1e-3, watched=False)
    numbers = {name: x.tolist() for name, x in channel.numbers.items()}
    return channel.read(truth, (), numbers)


def test_readings_are_the_nearest_multiples_of_the_resolution(arm):
    assert said(Sensor(0.25), arm, [0.6, -0.6]) == [0.5, -0.5]
    assert said(Sensor((0.25, 0.5)), arm, [0.9, 0.9]) == [1.0, 1.0]
    x = np.random.default_rng(0).uniform(-3, 3, (1000, 2))
    off = np.array([said(Sensor(1e-2), arm, row) for row in x.tolist()]) - x
    assert np.abs(off).max() <= 5e-3 + 1e-12
    assert off.std() == pytest.approx(1e-2 / np.sqrt(12), rel=0.05)


def test_bits_give_so_many_readings_and_no_more(arm):
    for bits in (1, 3, 8):
        sensor = Sensor(bits=bits, range=(-1.0, 2.0))
        found = {said(sensor, arm, [x, 0.0])[0] for x in np.linspace(-1.5, 2.5, 1025).tolist()}
        assert len(found) == 2**bits
        assert min(found) == -1.0
        assert max(found) == pytest.approx(2.0 - 3.0 / 2**bits)


def test_a_range_holds_readings_and_may_be_one_number_for_both_sides(arm):
    assert said(Sensor(range=0.5), arm, [0.7, -0.7]) == [0.5, -0.5]
    assert said(Sensor(range=(0.0, 0.5)), arm, [0.7, -0.7]) == [0.5, 0.0]


def test_bits_without_a_range_share_out_the_limits_of_the_robot(arm):
    channel = Channel("position", Sensor(bits=10), arm, 1e-3, watched=False)
    assert channel.numbers["position resolution"] == pytest.approx(np.array([6.2, 5.2]) / 1024)
    with pytest.raises(ArgumentError) as told:
        said(Sensor(bits=10), arm, [0.0, 0.0], "acceleration")
    assert str(told.value) == (
        'bits= count the parts of a range, and joint "joint1" has no limit to its acceleration. Give '
        "range=(low, high)."
    )


def test_no_reading_stays_no_reading(arm):
    sensor = Sensor(bits=8, noise=0.1)
    channel = Channel("position", sensor, arm, 1e-3, watched=True)
    numbers = {name: x.tolist() for name, x in channel.numbers.items()}
    found = channel.read([0.1, 0.2], [np.nan, 0.0], numbers)
    assert np.isnan(found[0])
    assert np.isfinite(found[1])


@pytest.mark.parametrize(
    ("how", "sentence"),
    [
        ({"bits": 0}, "bits is 0; expected whole numbers from 1 to 52."),
        ({"bits": 7.5}, "bits is 7.5; expected whole numbers from 1 to 52."),
        ({"bits": [8, 60]}, "bits is 60; expected whole numbers from 1 to 52."),
        ({"resolution": 0.0}, "resolution is 0; expected finite numbers above zero."),
        ({"resolution": np.nan}, "resolution is nan; expected finite numbers above zero."),
        ({"resolution": 0.1, "bits": 3}, "resolution= and bits= both say how fine a sensor is; give one."),
        ({"noise": -1.0}, "noise is -1; expected finite numbers, 0 or more."),
        ({"noise": np.inf}, "noise is inf; expected finite numbers, 0 or more."),
        ({"reach": 0.0}, "reach is 0; expected a length above zero."),
        ({"dropped": 1.5}, "dropped is 1.5; expected a part from 0 to 1, or a mask."),
        ({"dropped": [0.0, 1.0]}, "dropped is no mask: expected truth values (periods,) or (periods, nv)."),
        (
            {"range": (1.0, 0.0)},
            "range is (1.0, 0.0); expected finite numbers (low, high), the lower one first, or one above zero for "
            "both sides.",
        ),
        ({"range": (1.0, 2.0, 3.0)}, "range has 3 parts; expected (low, high)."),
    ],
)
def test_a_sensor_that_cannot_be_is_refused(how, sentence):
    with pytest.raises(ArgumentError) as told:
        Sensor(**how)
    assert str(told.value) == sentence


@pytest.mark.parametrize(
    ("how", "sentence"),
    [
        ({"position": 12}, "position is a int; expected a Sensor."),
        (
            {"position": Sensor(source="difference")},
            'the source of position is "difference"; expected "own".',
        ),
        (
            {"velocity": Sensor(source="accelerometers")},
            'the source of velocity is "accelerometers"; expected "own", "difference".',
        ),
        (
            {"velocity": Sensor(noise=0.1, source="difference")},
            "a velocity that is a difference has no resolution, range, noise, delay or faults of its own; give them "
            "to the sensor whose readings are differenced.",
        ),
        ({"patience": -1}, "patience is -1; expected a whole number, 0 or more."),
        ({"seed": 0.5}, "seed is 0.5; expected a whole number, 0 or more."),
        ({"braking": 0.0}, "braking is 0; expected a rate above zero, in 1/s."),
        (
            {"velocity": Sensor(source="difference"), "faults": [SensorFault("velocity")]},
            "the velocity is a difference; what can fail is the sensor that it is of.",
        ),
    ],
)
def test_sensors_that_cannot_be_are_refused(how, sentence):
    with pytest.raises(ArgumentError) as told:
        Sensors(**how)
    assert str(told.value) == sentence


def test_a_fault_has_a_sensor_and_times_in_order():
    with pytest.raises(ArgumentError) as told:
        SensorFault("torque")
    assert str(told.value) == '"torque" is no sensor; expected position, velocity, acceleration.'
    with pytest.raises(ArgumentError) as told:
        SensorFault("position", at=1.0, until=0.5)
    assert str(told.value) == "a fault from 1 s until 0.5 s; expected a time before another."


def test_numbers_for_the_wrong_number_of_joints_are_refused(arm):
    with pytest.raises(ShapeError, match="resolution has shape"):
        said(Sensor((0.1, 0.1, 0.1)), arm, [0.0, 0.0])
