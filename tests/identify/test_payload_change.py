"""A change of payload is noticed soon, and nothing else raises an alarm more often than stated."""

import numpy as np
import pytest

import strobe
from strobe.errors import ArgumentError, ShapeError
from strobe.identify import PayloadMonitor

# coarse: 0.3 kg is less than one deviation of every joint
NOISE = 10 * np.array([0.2, 0.2, 0.5, 0.05, 0.05, 0.02])


@pytest.fixture(scope="module")
def arm(stanford):
    return stanford


@pytest.fixture(scope="module")
def swing(swing):
    """The motion of constant accelerations that the report's methods are measured on, every millisecond."""
    return swing(np.arange(0.0, swing.duration, 1e-3))[:3]


@pytest.fixture(scope="module")
def torques(arm, swing):
    """Empty, and with 0.3 kg in the hand."""
    return arm.inverse_dynamics(*swing), arm.with_payload(0.3, (0, 0, 0.05), size=0.05).inverse_dynamics(
        *swing
    )


def noisy(tau, rng, noise=NOISE):
    return tau + rng.normal(size=tau.shape) * noise


def changing(torques, at):
    return np.where(np.arange(len(torques[0]))[:, None] >= at, torques[1], torques[0])


@pytest.mark.slow
@pytest.mark.parametrize("friction", [False, True])
def test_false_alarms_are_no_more_than_stated_and_not_far_fewer(arm, swing, torques, friction):
    states, tau = [x[::16] for x in swing], torques[0][::16]
    monitor = PayloadMonitor(arm, NOISE, false_alarms=0.02, window=16, unknown_friction=friction)
    rng, rates = np.random.default_rng(0), []
    for _ in range(60):
        monitor.reset()
        rates.append(monitor.update(*states, noisy(tau, rng)).alarms.mean())
    deviation = np.std(rates) / np.sqrt(60)
    assert np.mean(rates) < 0.02 + 3 * deviation
    assert np.mean(rates) > 0.004


@pytest.mark.slow
@pytest.mark.parametrize(("friction", "at"), [(False, 400), (False, 1400), (True, 400)])
def test_a_third_of_a_kilogram_is_noticed_within_50_milliseconds(arm, swing, torques, friction, at):
    monitor = PayloadMonitor(arm, NOISE, unknown_friction=friction)
    rng, delays = np.random.default_rng(1), []
    for _ in range(6):
        monitor.reset()
        found = monitor.update(*swing, noisy(changing(torques, at), rng))
        assert found.changed
        delays.append(found.sample - at)
        assert abs(found.since - at) < 60
        assert abs(found.mass - 0.3) < 4 * found.mass_deviation < 0.1
    assert min(delays) >= 0
    assert np.mean(delays) < 50


def test_less_noise_means_sooner(arm, swing, torques):
    tau = changing(torques, 400)
    found = PayloadMonitor(arm, NOISE / 10).update(*swing, noisy(tau, np.random.default_rng(0), NOISE / 10))
    assert (found.sample, found.since) == (400, 400)
    assert found.mass == pytest.approx(0.3, abs=0.004)
    assert str(found).startswith(
        "noticed at sample 400: the payload changed at about sample 400, by 0.301 ± 0.0009"
    )


def test_dropping_what_was_carried_is_a_negative_change(arm, swing, torques):
    monitor = PayloadMonitor(arm.with_payload(0.3, (0, 0, 0.05), size=0.05), NOISE)
    found = monitor.update(*swing, noisy(changing(torques[::-1], 500), np.random.default_rng(0)))
    assert found.mass == pytest.approx(-0.3, abs=4 * found.mass_deviation)


def test_samples_one_by_one_say_what_they_say_together(arm, swing, torques):
    tau = noisy(changing(torques, 60), np.random.default_rng(3))
    states = [x[:120] for x in swing]
    one, many = PayloadMonitor(arm, NOISE, window=32), PayloadMonitor(arm, NOISE, window=32)
    together = many.update(*states, tau[:120])
    each = [one.update(*(x[k] for x in states), tau[k]) for k in range(120)]
    assert together.sample is not None
    assert np.array_equal(together.alarms, np.concatenate([watch.alarms for watch in each]))
    last = each[-1]
    assert (last.sample, last.since) == (together.sample, together.since)
    assert np.allclose(last.moments, together.moments, rtol=1e-6)


def test_nothing_is_said_before_an_alarm(arm, swing, torques):
    found = PayloadMonitor(arm, NOISE).update(*swing, torques[0])
    assert not found.changed
    assert not found.alarms.any()
    assert np.isnan(found.mass)
    assert str(found) == "the payload has not changed"


@pytest.mark.slow
def test_friction_that_the_model_does_not_know_raises_alarms_unless_it_is_said(arm, swing, torques):
    rubbing = torques[0] + 3 * NOISE * np.sign(swing[1]) + 0.5 * NOISE * swing[1]
    rng = np.random.default_rng(0)
    assert PayloadMonitor(arm, NOISE).update(*swing, noisy(rubbing, rng)).changed
    monitor = PayloadMonitor(arm, NOISE, unknown_friction=True)
    assert not monitor.update(*swing, noisy(rubbing, rng)).changed
    monitor.reset()
    rubbing = rubbing + changing((0 * torques[0], torques[1] - torques[0]), 700)
    found = monitor.update(*swing, noisy(rubbing, rng))
    assert 700 <= found.sample < 800
    assert found.mass == pytest.approx(0.3, abs=4 * found.mass_deviation)


def test_joints_at_rest_say_nothing_where_friction_is_unknown(arm, torques):
    q, rest = np.tile([0, 0.6, 0.4, 0, 0.5, 0], (50, 1)), np.zeros((50, 6))
    tau = arm.gravity(q) + 100.0
    assert not PayloadMonitor(arm, NOISE, unknown_friction=True).update(q, rest, rest, tau).changed
    found = PayloadMonitor(arm, NOISE).update(q, rest, rest, tau)
    assert found.changed


def test_at_one_pose_the_offset_along_gravity_stays_open(arm, torques):
    robot = strobe.load("planar2").lock({"joint2": 0.3})
    q, rest = np.full((40, 1), 0.2), np.zeros((40, 1))
    tau = robot.with_payload(1.0).gravity(q)
    found = PayloadMonitor(robot, 0.1).update(q, rest, rest, tau)
    assert found.changed
    assert np.isinf(found.mass_deviation)
    assert str(found).endswith("; the motion so far does not tell by how much")


def test_after_a_reset_with_what_was_found_all_is_quiet(arm, swing, torques):
    monitor = PayloadMonitor(arm, NOISE)
    found = monitor.update(*swing, noisy(torques[1], np.random.default_rng(0)))
    assert found.since == 0
    monitor.reset(arm.with_payload(found.mass, found.moments[1:] / found.mass))
    assert not monitor.update(*swing, noisy(torques[1], np.random.default_rng(1))).changed


def test_wrist_torques_alone_notice_a_change_too(arm, swing, torques):
    monitor = PayloadMonitor(arm, NOISE / 10, joints=["joint4", "joint5", "joint6"])
    tau = noisy(changing(torques, 600), np.random.default_rng(0), NOISE / 10)
    tau[:, :3] = np.nan
    assert 600 <= monitor.update(*swing, tau).sample < 620


@pytest.mark.parametrize(
    ("noise", "options", "sentence"),
    [
        (None, {}, "noise is None; a change is told from noise by how large noise is: give it."),
        (-1, {}, "noise is -1; a standard deviation is positive."),
        (
            1,
            {"false_alarms": 0},
            "false_alarms is 0; expected a chance per sample, more than 0 and less than 1.",
        ),
        (1, {"false_alarms": 2}, "false_alarms is 2; expected a chance per sample"),
        (1, {"window": 100}, "window is 100; expected a power of two: 1, 2, 4, …."),
        (1, {"window": 0}, "window is 0; expected a power of two"),
        (1, {"frame": "base"}, 'no joint of stanford moves frame "base"'),
        (np.eye(6) + 0.1, {"unknown_friction": True}, "unknown_friction needs noise that is independent"),
        (np.tile(np.eye(6), (5, 1, 1)), {}, "noise is a covariance for every sample; give one for all."),
    ],
)
def test_monitors_that_cannot_be_are_refused(arm, noise, options, sentence):
    with pytest.raises(ArgumentError) as error:
        PayloadMonitor(arm, noise, **options)
    assert str(error.value).startswith(sentence)


def test_samples_that_do_not_fit_are_refused(arm, swing, torques):
    monitor = PayloadMonitor(arm, NOISE)
    with pytest.raises(ShapeError, match="tau has shape \\(6,\\); every state has its own torques"):
        monitor.update(*swing, torques[0][0])
    with pytest.raises(ArgumentError, match="samples follow one another: \\(N, 6\\)"):
        monitor.update(*(np.zeros((2, 3, 6)) for _ in range(4)))
    with pytest.raises(ArgumentError, match="tau is nan at sample 0, joint joint1"):
        monitor.update(*(x[:1] for x in swing), np.full((1, 6), np.nan))
    with pytest.raises(
        ArgumentError, match="the new robot has joints joint1, joint2; the one that was watched has"
    ):
        monitor.reset(strobe.load("planar2"))
