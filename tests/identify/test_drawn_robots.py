"""Robots drawn from what logs told: as far apart as torques are uncertain, with bodies that can be."""

from __future__ import annotations

import pickle
import tomllib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import strobe
from strobe.errors import ArgumentError, ModelFileError, UnsupportedModelError
from strobe.files.faults import Faults
from strobe.identify import identify
from strobe.identify.drawn_robots import normals
from strobe.identify.identification import Identification, driven
from strobe.identify.possible import is_possible
from strobe.models.fingerprint import fingerprint
from strobe.models.toml_reader import read_data
from strobe.models.writers import written
from strobe.robot import Robot

FRICTION = ["viscous", "coulomb"]


def identified(lab, name: str, friction: list[str], noise: float) -> Identification:
    robot = strobe.load(name)
    true = robot.with_model(driven(robot.model, [(0.0, 0.4, 1.0)] * robot.nv))
    return identify(robot, lab.recorded(true, 1, noise=noise), friction=friction)


@pytest.fixture(scope="module")
def found(lab) -> Identification:
    return identified(lab, "planar3", FRICTION, 0.2)


@pytest.fixture(scope="module")
def arm(found: Identification) -> Robot:
    return found.identified


def predicted(found: Identification, q, qd, qdd) -> np.ndarray:
    """Standard deviations of torques by the covariance of what was found."""
    count, n = found.base.count, found.robot.nv
    W = np.zeros((len(q), n, len(found.fit.values)))
    W[..., :count] = found.base.regressor(q, qd, qdd)
    for j in range(n):
        W[:, j, count + 2 * j], W[:, j, count + 2 * j + 1] = qd[:, j], np.clip(qd[:, j] / 1e-3, -1, 1)
    return np.sqrt(np.einsum("nik,kl,nil->ni", W, found.fit.covariance, W))


def states(robot: Robot, count: int = 40) -> list[np.ndarray]:
    return [*(0.5 * np.random.default_rng(0).normal(size=(3, count, robot.nv)))]


def torques(drawn, *state: np.ndarray) -> np.ndarray:
    """Torques (robots, N, n): parameters at run time, and friction beside them."""
    q, qd, qdd = state
    rigid = drawn.robot.inverse_dynamics(q, qd, qdd, parameters=drawn.parameters[:, None], friction=False)
    rotor, viscous, coulomb = np.moveaxis(drawn.drives, -1, 0)[:, :, None]
    return rigid + rotor * qdd + viscous * qd + coulomb * np.clip(qd / 1e-3, -1, 1)


def test_torques_of_drawn_robots_are_spread_as_their_covariance_says(found: Identification, arm: Robot):
    drawn, state = arm.drawn(2000, seed=3), states(arm)
    assert not drawn.moved.any()
    tau = torques(drawn, *state)
    assert tau[7] == pytest.approx(drawn[7].inverse_dynamics(*state))
    ratio = tau.std(axis=0) / predicted(found, *state)
    assert np.abs(ratio - 1).max() < 0.1
    assert ratio.mean() == pytest.approx(1.0, abs=0.02)
    assert np.abs(tau.mean(axis=0) - arm.inverse_dynamics(*state)).max() < 0.1 * tau.std(axis=0).max()


@pytest.mark.slow
def test_where_mechanics_allows_less_than_logs_the_nearest_bodies_stand_for_them(lab):
    found = identified(lab, "panda", FRICTION, 0.3)
    drawn = found.identified.drawn(60, seed=1)
    assert all(is_possible(each) for each in drawn.parameters)
    assert drawn.moved.all()
    assert drawn.notes[0].startswith(
        "60 of 60 drawn robots would have bodies that cannot be; the nearest that can"
    )
    state = states(found.robot)
    ratio = torques(drawn, *state).std(axis=0) / predicted(found, *state)
    assert 0.8 < ratio.mean() < 1.1


def test_a_file_keeps_what_is_known_without_loss(arm: Robot, tmp_path: Path):
    text, _ = written(arm.model, "toml")
    path = tmp_path / "arm.toml"
    path.write_text(text)
    again = strobe.load(path)
    assert again.model.uncertainty == arm.model.uncertainty
    assert written(again.model, "toml")[0] == text
    assert again.drawn(5, seed=1).parameters == pytest.approx(arm.drawn(5, seed=1).parameters, rel=1e-9)
    assert "[identified]" in text
    bare = replace(arm.model, uncertainty=None)
    assert fingerprint(bare) == fingerprint(arm.model)


def test_robots_are_a_function_of_seed_and_number(arm: Robot):
    few, many, others = arm.drawn(3, seed=5), arm.drawn(8, seed=5), arm.drawn(3, seed=6)
    assert np.array_equal(few.parameters, many.parameters[:3])
    assert np.array_equal(few.drives, many.drives[:3])
    assert not np.array_equal(few.parameters, others.parameters)
    assert len(list(few)) == len(few) == 3
    z = normals(0, 4000, 3)
    assert abs(z.mean()) < 0.03
    assert z.std() == pytest.approx(1.0, abs=0.02)


def test_a_drawn_robot_is_a_robot_of_its_own(arm: Robot):
    one = arm.drawn(2, seed=1)[1]
    assert one.model.uncertainty is None
    assert one.joint_names == arm.joint_names
    assert not np.array_equal(one.parameters, arm.parameters)


def test_they_are_kept_and_printed(arm: Robot):
    drawn = arm.drawn(4)
    assert np.array_equal(pickle.loads(pickle.dumps(drawn)).parameters, drawn.parameters)
    assert repr(drawn) == "<4 robots drawn from what is known of planar3>"


def test_friction_beyond_what_drives_have_is_left_out_and_presliding_is_summed(lab):
    rich = identified(lab, "planar3", ["rotor", "viscous", "quadratic", "presliding"], 0.1)
    known = rich.uncertainty
    joints = [
        name
        for name in known.names
        if name[0] in "Ivc" and name[-1] in "123" and not name.startswith("Izz")
    ]
    assert [name for name in joints if name.startswith("v")] == ["v1", "v2", "v3"]
    assert [name for name in joints if name.startswith("c")] == ["c1", "c2", "c3"]
    count = rich.base.count
    spread = rich.fit.covariance[count + 3 : count + 6, count + 3 : count + 6].sum() ** 0.5
    row = known.factor[known.names.index("c1")]
    assert np.linalg.norm(row) == pytest.approx(spread, rel=1e-6)


def test_what_no_log_told_stays_and_is_named(lab):
    robot = strobe.load("planar3")
    t, q, _, _ = lab.motion(robot, 1)
    q[:, 2] = 0.3
    qd = np.gradient(q, t, axis=0)
    tau = robot.inverse_dynamics(q, qd, np.gradient(qd, t, axis=0))
    tau += 0.1 * np.random.default_rng(0).normal(size=tau.shape)
    found = identify(robot, lab.log_of(robot, t, q, tau), friction=FRICTION)
    assert {"v3", "c3"} <= set(found.uncertainty.open)
    drawn = found.identified.drawn(3)
    assert (np.ptp(drawn.drives[:, 2], axis=0) == 0).all()
    assert any(note.startswith("No log told ") and "v3" in note for note in drawn.notes)


def test_robots_of_which_nothing_is_known_or_that_were_changed_are_refused(arm: Robot):
    with pytest.raises(
        ArgumentError, match="nothing says how well planar3 is known: write it with strobe identify"
    ):
        strobe.load("planar3").drawn(3)
    with pytest.raises(
        UnsupportedModelError, match="planar3 is not as it was identified: .* Draw robots first"
    ):
        arm.with_payload(1.0).drawn(3)
    with pytest.raises(UnsupportedModelError, match="not as it was identified"):
        arm.lock({"joint3": 0.2}).drawn(3)
    with pytest.raises(ArgumentError, match="count"):
        arm.drawn(0)
    with pytest.raises(ArgumentError, match="seed"):
        arm.drawn(2, seed=-1)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"names": 3}, "identified.names: found 3, expected an array of strings."),
        ({"names": ["Izz1"]}, "identified.values: found ["),
        ({"factor": 3}, "identified.factor: expected 15 rows, one for each of names."),
        ({"factor": [[1.0]] * 15}, "identified.factor[2]: found [1.0], expected 2 numbers."),
        ({"open": "v1"}, 'identified.open: found "v1", expected an array of strings.'),
        ({"other": 1}, "identified.other: unknown key."),
    ],
)
def test_a_file_that_says_it_otherwise_is_refused(arm: Robot, changed: dict[str, object], said: str):
    data = tomllib.loads(written(arm.model, "toml")[0])
    faults = Faults("arm.toml")
    with pytest.raises(ModelFileError) as error:
        read_data(data | {"identified": data["identified"] | changed}, faults)
    assert said in str(error.value)
