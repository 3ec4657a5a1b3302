"""``strobe payload``: identified from logs of a known payload, bounded, by test forces; and every mistake."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import strobe
from strobe.identify import force_tests
from tests.cli.verb import Verb

MASS, COM, INERTIA = 0.8, (0.02, -0.01, 0.06), (0.003, 0.004, 0.002, 0.0, 0.0, 0.0)
NOISE = np.array([0.2, 0.2, 0.5, 0.05, 0.05, 0.02])


run = Verb("payload")
told = run.told


@pytest.fixture(scope="module")
def arm() -> strobe.Robot:
    return strobe.Robot(strobe.load("stanford").model, compiled=False)


@pytest.fixture(scope="module")
def loaded(arm: strobe.Robot) -> strobe.Robot:
    return arm.with_payload(MASS, COM, INERTIA)


def write(path: Path, arm: strobe.Robot, state: Any, tau: np.ndarray) -> str:
    names = [f"{x}_{joint}" for x in ("q", "qd", "qdd", "tau") for joint in arm.joint_names]
    rows = np.concatenate([*np.broadcast_arrays(*state), tau], axis=-1)
    np.savetxt(path, rows, fmt="%.17g", delimiter=",", header=",".join(names), comments="")
    return str(path)


@pytest.fixture(scope="module")
def log(arm: strobe.Robot, loaded: strobe.Robot, tmp_path_factory: pytest.TempPathFactory) -> str:
    state = arm.random_state(0, 200)
    noise = np.random.default_rng(0).normal(size=(200, 6)) * NOISE
    return write(
        tmp_path_factory.mktemp("payload") / "log.csv", arm, state, loaded.inverse_dynamics(*state) + noise
    )


def test_a_payload_is_found_within_what_is_said_of_it(log: str) -> None:
    data = told("stanford", log, "--noise", ",".join(map(str, NOISE)))
    c = np.array(COM)
    true = [
        MASS,
        *(MASS * c),
        *(np.diag(np.diag(INERTIA[:3]) + MASS * (c @ c * np.eye(3) - np.outer(c, c)))),
    ]
    off = np.abs(np.array(data["parameters"][:7]) - true) / np.array(data["deviations"][:7])
    assert data["rank"] == 10
    assert off.max() < 4
    assert data["mass"] == pytest.approx(MASS, abs=0.01)
    assert data["com"] == pytest.approx(COM, abs=0.005)
    assert data["left_rms"] == pytest.approx(NOISE.tolist(), rel=0.2)


def test_units_and_deviations_are_shown(log: str) -> None:
    shown = run("stanford", log, "--noise", "0.1").stdout
    assert "10 of 10 combinations decided by 200 rows" in shown
    assert "kg m²" in shown
    assert "centre of mass: (0.0" in shown
    assert "left of its torque, rms" in shown


def test_what_the_wrist_cannot_tell_is_said_and_not_invented(log: str, tmp_path: Path) -> None:
    data = told("stanford", log, "--joints", "joint[456]", "--noise", "0.1")
    assert data["rank"] == 9
    assert data["mass"] is None
    assert data["com"] is None
    assert data["inertia"] is None
    assert "a point mass at (0, 0, -0.263) m is not seen" in data["unseen"][0]
    done = run("stanford", log, "--joints", "joint[456]", "--noise", "0.1", "-o", str(tmp_path / "x.toml"))
    assert done.exit_code == 2
    assert "is not written" in done.stderr
    assert not (tmp_path / "x.toml").exists()


def test_what_was_known_before_decides_the_rest(log: str) -> None:
    known = ["--mass", "0.8", "--size", "0.15"]
    data = told("stanford", log, "--joints", "joint4,joint5,joint6", "--noise", "0.1", *known)
    assert data["rank"] == 10
    assert data["mass"] == pytest.approx(0.8, abs=0.01)


def test_torques_of_no_payload_exit_with_1(arm: strobe.Robot, tmp_path: Path) -> None:
    state = arm.random_state(0, 50)
    # gauges read too little
    log = write(tmp_path / "log.csv", arm, state, 0.9 * arm.inverse_dynamics(*state))
    data = told("stanford", log, code=1)
    assert data["impossible_by_deviations"] > 3
    assert data["faults"]


def test_the_robot_with_what_was_found_is_written(log: str, arm: strobe.Robot, tmp_path: Path) -> None:
    out = tmp_path / "loaded.toml"
    assert run("stanford", log, "--noise", ",".join(map(str, NOISE)), "-o", str(out)).exit_code == 0
    more = sum(float(b.inertial.m) for b in strobe.load(out).model.bodies)  # pyright: ignore[reportArgumentType]
    less = sum(float(b.inertial.m) for b in arm.model.bodies)  # pyright: ignore[reportArgumentType]
    assert more - less == pytest.approx(MASS, abs=0.01)


def test_a_mass_and_a_size_bound_every_parameter_and_torque(
    arm: strobe.Robot, loaded: strobe.Robot
) -> None:
    data = told("stanford", "--mass", "0.8", "--size", "0.15")
    low, high = np.array(data["ranges"]).T
    c = np.array(COM)
    assert (low[1:4] <= MASS * c).all()
    assert (high[1:4] >= MASS * c).all()
    state = arm.random_state(0, 1000)
    ball = arm.with_payload(0.8, size=0.15)
    wrong = np.abs(loaded.inverse_dynamics(*state) - ball.inverse_dynamics(*state)).max(axis=0)
    assert (wrong <= np.array(data["torque_error"])).all()


def test_test_forces_say_what_to_do_and_what_it_tells() -> None:
    noise = ["--noise", "0.05", "--acceleration-noise", "0.02"]
    data = told("stanford", "--test-forces", *noise)
    assert (len(data["steps"]), data["rank"]) == (8, 10)
    one = told("stanford", "--test-forces", "--at", "0.3,0.9,0.6,-0.4,0.7,1.1", *noise)
    assert one["deviations"][0] > data["deviations"][0]
    shown = run("stanford", "--test-forces", "--push", "0.1").stdout
    assert "add 0.1 more at joint4, then 0.1 more at joint5" in shown
    assert "joint3 m" in shown


def test_readings_of_test_forces_are_a_log(arm: strobe.Robot, loaded: strobe.Robot, tmp_path: Path) -> None:
    tests = force_tests(arm, arm.random_state(2, 4)[0])
    holding, qdd = tests.readings(loaded)
    q = np.repeat(tests.poses, 4, axis=0)
    moved = np.concatenate([np.zeros((4, 1, 6)), qdd], axis=1).reshape(-1, 6)
    tau = (holding[:, None] + np.concatenate([np.zeros((1, 6)), tests.forces])).reshape(-1, 6)
    log = write(tmp_path / "tests.csv", arm, (q, np.zeros_like(q), moved), tau)
    data = told("stanford", log)
    assert data["mass"] == pytest.approx(MASS, abs=1e-9)
    assert data["com"] == pytest.approx(COM, abs=1e-9)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["stanford"], "give a log with torques"),
        (["stanford", "--mass", "1"], "--mass and --size belong together"),
        (["stanford", "--test-forces", "--noise", "1"], "--acceleration-noise"),
        (["stanford", "--at", "1,2"], "belong to --test-forces"),
        (["stanford", "LOG", "--joints", "joint9"], "no joint"),
        (["stanford", "LOG", "--noise", "1,2"], "--noise has 2 numbers, expected 1 or 6"),
        (["stanford", "LOG", "--mass", "0.8", "--size", "0.15"], "give --noise"),
        (["stanford", "BARE"], 'no column holds torques; expected "tau_joint1"'),
    ],
)
def test_a_mistake_is_a_sentence(arguments: list[str], sentence: str, log: str, tmp_path: Path) -> None:
    bare = tmp_path / "bare.csv"
    bare.write_text(
        ",".join(f"{x}{k}" for x in ("q", "qd", "qdd") for k in range(1, 7)) + "\n" + ",".join(["0.4"] * 18)
    )
    done = run(*({"LOG": log, "BARE": str(bare)}.get(word, word) for word in arguments))
    assert done.exit_code == 2
    assert sentence in done.stderr


def test_torques_of_some_joints_are_enough(log: str, arm: strobe.Robot, tmp_path: Path) -> None:
    lines = [line.split(",") for line in Path(log).read_text(encoding="utf-8").splitlines()]
    kept = [k for k, name in enumerate(lines[0]) if name not in ("tau_joint1", "tau_joint2", "tau_joint3")]
    path = tmp_path / "wrist.csv"
    path.write_text("\n".join(",".join(line[k] for k in kept) for line in lines), encoding="utf-8")
    data = told("stanford", str(path), "--noise", ",".join(map(str, NOISE)))
    assert data["joints"] == ["joint4", "joint5", "joint6"]
    every = told("stanford", log, "--joints", "joint4,joint5,joint6", "--noise", ",".join(map(str, NOISE)))
    np.testing.assert_allclose(data["parameters"], every["parameters"], atol=1e-12)


def test_torques_that_no_payload_explains_are_told(log: str) -> None:
    said = "times the noise that was given: no payload explains them, and ± is too small."
    known = ",".join(map(str, NOISE))
    assert not any(said in note for note in told("stanford", log, "--noise", known)["notes"])
    assert any(said in note for note in told("puma560", log, "--noise", known, code=1)["notes"])
    assert "--degrees is for logs" in run("stanford", "--mass", "1", "--size", "0.1", "--degrees").stderr
