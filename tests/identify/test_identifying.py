"""From logs to a model: what was put in comes out, with the error bars that it has, and mistakes are told."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest

import strobe
from strobe.errors import ArgumentError, StrobeError
from strobe.identify import identify
from strobe.identify.friction import bent
from strobe.identify.identification import driven
from strobe.identify.possible import is_possible
from strobe.robot import Robot

PLAIN = ["viscous", "coulomb", "offset"]
VISCOUS, COULOMB = 0.4, 1.0


def _rubbing(robot: Robot) -> Robot:
    return robot.with_model(driven(robot.model, [(0.0, VISCOUS, COULOMB)] * robot.nv))


@pytest.fixture(scope="module")
def panda() -> Robot:
    return strobe.load("panda")


@pytest.fixture(scope="module")
def made(lab, panda: Robot):
    """A robot with friction, and a log of it."""
    return lab.recorded(_rubbing(panda), 1, noise=0.1, step=2e-5)


@pytest.mark.parametrize("name", ["planar3", "stanford", "ur5", "panda"])
def test_what_was_put_in_comes_out(lab, name: str):
    robot = strobe.load(name)
    found = identify(robot, lab.recorded(_rubbing(robot), 3), friction=PLAIN)
    scale = np.abs(found.base.values).max()
    assert np.abs(found.values - found.base.values).max() < 2e-3 * scale
    own = found.fit.values[found.base.count :].reshape(robot.nv, 3)
    assert np.abs(own - [VISCOUS, COULOMB, 0.0]).max() < 0.03
    assert all(log.after.max() < 1.0 for log in found.logs)


def test_errors_are_as_large_as_they_are_said_to_be(lab):
    robot = strobe.load("planar3")
    t, q, qd, qdd = lab.motion(robot, 5)
    clean = _rubbing(robot).inverse_dynamics(q, qd, qdd)
    rng = np.random.default_rng(0)
    z = []
    for _ in range(60):
        tau = clean + rng.normal(size=clean.shape) * [0.5, 0.2, 0.1]
        found = identify(robot, lab.log_of(robot, t, np.round(q / 2e-5) * 2e-5, tau), friction=PLAIN)
        true = np.concatenate([found.base.values, np.tile([VISCOUS, COULOMB, 0.0], robot.nv)])
        z.append((found.fit.values - true) / found.fit.deviations)
    assert 0.62 < (np.abs(z) < 1).mean() < 0.74
    assert 0.92 < (np.abs(z) < 2).mean() < 0.98


def test_the_model_has_bodies_that_can_be_and_predicts_a_motion_it_never_saw(lab, panda: Robot, made):
    true = _rubbing(panda)
    found = identify(panda, made, test=lab.recorded(true, 8, noise=0.1), friction=PLAIN)
    assert is_possible(found.parameters)
    assert (found.friction[:, :2] > 0).all()
    fitted, held = found.logs
    assert not fitted.held_out
    assert held.held_out
    assert np.all(held.after < 1.3 * fitted.after + 0.2)
    _, q, qd, qdd = lab.motion(panda, 9)
    wanted, told = (robot.inverse_dynamics(q, qd, qdd) for robot in (true, found.identified))
    assert np.linalg.norm(told - wanted) < 0.01 * np.linalg.norm(wanted)


def test_presliding_friction_is_told_from_what_slips_at_once(lab, panda: Robot):
    t, q, qd, qdd = lab.motion(panda, 4)
    z = bent(q, [1e-3])[..., 0]
    tau = panda.inverse_dynamics(q, qd, qdd) + 2.0 * z + 0.5 * qd
    found = identify(panda, lab.log_of(panda, t, q, tau), friction=["viscous", "presliding"])
    assert found.symbols == ("v", "c1", "c2", "c3")
    assert np.abs(found.friction[:, 3] - 2.0).max() < 0.1
    assert found.drives[:, 2] == pytest.approx(2.0, rel=0.1)


def test_load_friction_follows_the_torque_of_the_body(lab, panda: Robot):
    t, q, qd, qdd = lab.motion(panda, 4)
    rigid = panda.inverse_dynamics(q, qd, qdd)
    tau = rigid + (1.0 + 0.05 * np.abs(rigid)) * bent(q, [1e-3])[..., 0]
    found = identify(panda, lab.log_of(panda, t, q, tau), friction=["presliding", "load"])
    loaded = np.abs(rigid).mean(axis=0) > 5
    assert found.friction[loaded, found.symbols.index("l")] == pytest.approx(0.05, abs=0.005)


def test_a_rotor_that_turns_as_its_body_does_is_named_with_it(panda: Robot, made):
    found = identify(panda, made, friction=["rotor", *PLAIN])
    assert found.names[0].endswith(" + Ia1")
    assert sum("Ia" in name for name in found.names) == 2
    assert np.isfinite(found.deviations).all()


def test_a_result_is_kept_and_printed(panda: Robot, made):
    found = identify(panda, made, friction=PLAIN)
    again = pickle.loads(pickle.dumps(found))
    assert np.array_equal(again.values, found.values)
    assert str(again) == str(found)
    assert "base parameters and friction of 7 joints from 6000 rows" in str(found)
    times, measured, predicted = again.predicted(made)
    assert len(times) == len(measured) == len(predicted)
    assert np.linalg.norm(measured - predicted) < 0.02 * np.linalg.norm(measured)


def _signed(x: np.ndarray, joint: int) -> np.ndarray:
    return x * np.where(np.arange(x.shape[1]) == joint, -1.0, 1.0)


def _exchanged(x: np.ndarray, i: int, j: int) -> np.ndarray:
    order = list(range(x.shape[1]))
    order[i], order[j] = j, i
    return x[:, order]


def _held(x: np.ndarray, joint: int) -> np.ndarray:
    return np.where(np.arange(x.shape[1]) == joint, 3.0, x)


def _spoilt(x: np.ndarray) -> np.ndarray:
    x = x.copy()
    x[700, 2] = np.inf
    return x


def _back(times: np.ndarray) -> np.ndarray:
    times = times.copy()
    times[1500] = times[1400]
    return times


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda log: replace(log, tau=_signed(log.tau, 2)), "the torque of joint3 seems to have the other sign: "),
        (lambda log: replace(log, q=_signed(log.q, 3)), "the position of joint4 seems to have the other sign: "),
        (lambda log: replace(log, tau=_exchanged(log.tau, 1, 3)), "the torques of joint2 and joint4 seem to be exch"),
        (lambda log: replace(log, q=_exchanged(log.q, 1, 3)), "the positions of joint2 and joint4 seem to be exch"),
        (lambda log: replace(log, q=np.degrees(log.q)), "the angles seem to be in degrees (degrees=True): "),
        (lambda log: replace(log, tau=_exchanged(log.tau, 1, 3), q=_exchanged(log.q, 1, 3)), "positions and torques"),
        (lambda log: replace(log, tau=_signed(log.tau, 3), q=_signed(log.q, 3)), "position and torque of joint4 see"),
        (lambda log: replace(log, tau=-log.tau), "masses and inertias are -1 times those that the robot was given "
         "with: see the unit of the torques; all of them seem to have the other sign."),
        (lambda log: replace(log, tau=1000 * log.tau), "masses and inertias are 1e+03 times those that the robot was "
         "given with: see the unit of the torques; they seem to be in N mm."),
        (lambda log: replace(log, tau=0.02 * log.tau), "masses and inertias are 0.02 times those that the robot was "
         "given with: see the unit of the torques; are they N m or N, and no currents?"),
        (lambda log: replace(log, tau=_held(log.tau, 1)), "the effort of joint2 is 3 all the while, though it moves"),
        (lambda log: replace(log, times=100 * log.times), "the motion is too slow for inertias: "),
        (lambda log: replace(log, tau=_spoilt(log.tau)), "log.csv: 1 row hold numbers that no robot has, and "),
        (lambda log: replace(log, times=_back(log.times)), "log.csv: the time does not rise at 1 row, which "),
        (
            lambda log: replace(log, tau=np.clip(log.tau, -20, 20)),
            "log.csv: the effort of joint2 is ±20 in ",
        ),
        (
            lambda log: replace(log, q=np.where(np.arange(7) == 6, 0.3, log.q)),
            "joint7 does not move: what only such a motion tells is not known.",
        ),
    ],
)  # fmt: skip
def test_columns_that_are_mistaken_are_told(panda: Robot, made, change, said: str):
    found = identify(panda, change(made), friction=PLAIN)
    assert any(remark.startswith(said) for remark in found.remarks), found.remarks


def test_a_log_that_fits_is_not_doubted(panda: Robot, made):
    assert identify(panda, made, friction=PLAIN).remarks == ()


def test_links_without_mass_are_identified_from_plain_ones(lab):
    rows = [("R", 0, 0.3, 0, "pi/2"), ("R", 0, 0, 0.4, 0), ("R", 0, 0, 0.3, 0)]
    bare = strobe.from_dh(rows)
    masses = np.array([[3, 0, -0.3, 0, 0.1, 0.05, 0.1, 0, 0, 0], [2, -0.4, 0, 0, 0.01, 0.12, 0.12, 0, 0, 0],
                       [1, -0.15, 0, 0, 0.005, 0.04, 0.04, 0, 0, 0]])  # fmt: skip
    true = bare.with_parameters(masses.ravel())
    found = identify(bare, lab.recorded(true, 2), friction=["viscous"])
    assert found.remarks == (
        "no mass and inertia of a body were given for link1, link2, link3: plain bodies of their length begin.",
    )
    assert is_possible(found.parameters)
    wanted = found.base.map @ masses.ravel()
    assert np.abs(found.values - wanted).max() < 2e-3 * np.abs(wanted).max()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda log: replace(log, times=None), "log.csv: rates are taken by the times of its rows; "),
        (lambda log: replace(log, q=0 * log.q), "no joint moves in log.csv: there is nothing to identify."),
        (lambda log: replace(log, q=log.tau, tau=log.q), "log.csv: its positions change as fast as "),
        (lambda log: replace(log, tau=None), "log.csv: there are neither torques nor currents; torques are"),
        (lambda log: replace(log, q=log.q[:99], tau=log.tau[:99], times=log.times[:99]), "log.csv: 99 rows over 0.4"),
    ],
)  # fmt: skip
def test_logs_that_tell_nothing_are_refused(panda: Robot, made, change, said: str):
    with pytest.raises(StrobeError) as refused:
        identify(panda, change(made), friction=PLAIN)
    assert str(refused.value).startswith(said)


def test_what_is_no_log_is_refused(panda: Robot):
    with pytest.raises(ArgumentError, match=r"^logs is empty; give at least one log\.$"):
        identify(panda, [])
    with pytest.raises(ArgumentError, match=r"^a log is a str; expected one of strobe\.read_log\(…\)\.$"):
        identify(panda, ["log.csv"])
