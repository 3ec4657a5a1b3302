"""An estimator for live use: what batch least squares says of the same rows, whatever their number."""

from __future__ import annotations

import pickle
import shutil
import subprocess

import numpy as np
import pytest

import strobe
from strobe.errors import ArgumentError, ShapeError, UnsupportedModelError
from strobe.identify import identify
from strobe.identify.friction import TERMS, Motion
from strobe.identify.state_rows import COLUMNS
from strobe.robot import Robot

ALL = list(COLUMNS)
STRICT = "-O2 -std=c99 -Wall -Wextra -Wpedantic -Wconversion -Werror -ffp-contract=off"


def samples(robot: Robot, count: int = 300, noise: float = 0.1, seed: int = 0):
    rng = np.random.default_rng(seed)
    q, qd, qdd = rng.normal(size=(3, count, robot.nv))
    tau = robot.inverse_dynamics(q, qd, qdd) + 0.5 * qd + 0.2 * np.clip(qd / 1e-3, -1, 1)
    return q, qd, qdd, tau + noise * rng.normal(size=q.shape)


def batch(held, q, qd, qdd, tau, weights=1.0):
    """Rows and torques of all samples, as `names` counts unknowns."""
    base = held.model.base
    Y = base.regressor(q, qd, qdd)
    columns = [x for term in held.model.terms for x in term.columns(Motion(q, qd, qdd))]
    n, b, own = q.shape[1], base.count, len(columns)
    A = np.zeros((len(q), n, b + n * own))
    A[..., :b] = Y
    for j in range(n):
        for k, column in enumerate(columns):
            A[:, j, b + j * own + k] = column[:, j]
    A[..., held.rows.parts] = 0.0
    A, y = A * np.reshape(weights, (-1, 1, 1)), tau * np.reshape(weights, (-1, 1))
    return A.reshape(-1, A.shape[-1]), y.ravel()


@pytest.fixture(scope="module")
def arm() -> Robot:
    return strobe.load("planar3")


@pytest.mark.parametrize("name", ["planar2", "stanford", "panda"])
def test_it_gives_what_batch_least_squares_gives(name: str):
    robot = strobe.load(name)
    held, given = robot.estimator(), samples(robot)
    held.step(*given)
    A, y = batch(held, *given)
    x = np.linalg.lstsq(A, y, rcond=None)[0]
    left = y - A @ x
    spread = np.sqrt(np.diag(np.linalg.inv(A.T @ A)) * (left @ left) / (len(y) - len(x)))
    assert held.values == pytest.approx(x, rel=1e-9, abs=1e-11)
    assert held.deviations == pytest.approx(spread, rel=1e-9)


def test_forgetting_weighs_rows_by_their_age(arm: Robot):
    held, given = arm.estimator(forgetting=0.98), samples(arm)
    held.step(*given)
    weights = 0.98 ** (0.5 * np.arange(299, -1, -1))
    A, y = batch(held, *given, weights)
    assert held.values == pytest.approx(np.linalg.lstsq(A, y, rcond=None)[0], rel=1e-9, abs=1e-11)
    assert held.told == pytest.approx((1 - 0.98**300) / 0.02)


def test_it_follows_a_load_that_is_taken_up(arm: Robot):
    held = arm.estimator(forgetting=0.98)
    held.step(*samples(arm))
    heavier = arm.with_payload(2.0)
    held.step(*samples(heavier, 600, seed=1))
    assert held.base == pytest.approx(held.model.base.of(heavier.parameters), abs=0.1)


@pytest.mark.parametrize("name", ["planar2", "panda"])
def test_one_by_one_and_all_at_once_have_the_same_bits(name: str):
    robot = strobe.load(name)
    one, many, slow = (robot.estimator(friction=["rotor", "coulomb"], forgetting=0.999) for _ in range(3))
    given = samples(robot, 40)
    told = [one.step(*(np.ascontiguousarray(x[k]) for x in given)) for k in range(40)]
    slow.step(*(x[:7].tolist() for x in given))
    slow.step(*(x[7:] for x in given))
    assert sum(told) == many.step(*given)
    assert np.array_equal(one.memory, many.memory)
    assert np.array_equal(slow.memory, many.memory)
    assert one.samples == many.samples == 40


def test_without_a_compiler_it_is_the_same_up_to_rounding(arm: Robot):
    plain, given = Robot(arm.model, compiled=False).estimator(), samples(arm, 30)
    held = arm.estimator()
    assert plain.step(*given) == held.step(*given)
    assert plain.values == pytest.approx(held.values, rel=1e-9, abs=1e-11)


def test_columns_over_numbers_are_those_of_friction():
    q, qd, qdd = np.random.default_rng(0).normal(size=(3, 20, 1)) * 1e-3
    for name, column in COLUMNS.items():
        for k in range(20):
            state = (float(x[k, 0]) for x in (q, qd, qdd))
            expected = [x[k, 0] for x in TERMS[name].columns(Motion(q, qd, qdd))]
            assert column(*state) == pytest.approx(expected, rel=1e-12)


def test_what_rows_leave_open_has_no_deviation(arm: Robot):
    held = arm.estimator()
    assert np.isinf(held.deviations).all()
    assert not held.values.any()
    q, qd, qdd, tau = samples(arm)
    qd[:, 2] = qdd[:, 2] = 0.0
    held.step(q, qd, qdd, arm.inverse_dynamics(q, qd, qdd))
    open_ = {name for name, s in zip(held.names, held.deviations, strict=True) if np.isinf(s)}
    assert {"v joint3", "c joint3"} <= open_
    assert "v joint1" not in open_
    assert len(tau) == 300


def test_a_rotor_that_turns_as_its_body_does_is_part_of_its_parameter(arm: Robot):
    held = arm.estimator(friction=["rotor"])
    held.step(*samples(arm))
    assert held.names[held.rows.parts[0]] == "Ia joint1"
    assert any(name.endswith(" + Ia1") for name in held.names)
    assert (held.deviations[held.rows.parts] == 0).all()


def test_a_joint_that_stands_and_a_number_that_is_none_say_nothing(arm: Robot):
    q, qd, qdd, tau = samples(arm, 10)
    qd[3, 1] = 1e-4
    tau[5, 0] = np.nan
    q[7, 2] = np.inf
    held = arm.estimator(still=1e-3)
    assert held.step(q, qd, qdd, tau) == 30 - 1 - 1 - 3
    assert held.told.tolist() == [8, 8, 9]
    assert np.isfinite(held.values).all()


def test_noise_that_is_known_decides_weights_and_deviations(arm: Robot):
    q, qd, qdd, tau = samples(arm, 400, noise=0.0)
    noise = [0.5, 0.2, 0.05]
    rng, z = np.random.default_rng(3), []
    for _ in range(60):
        held = arm.estimator(noise=noise)
        held.step(q, qd, qdd, tau + rng.normal(size=tau.shape) * noise)
        true = np.concatenate([held.model.base.values, np.tile([0.5, 0.2, 0.0], 3)])
        z.append((held.values - true) / held.deviations)
    assert 0.62 < (np.abs(z) < 1).mean() < 0.74
    assert 0.92 < (np.abs(z) < 2).mean() < 0.98


def test_a_prior_is_worth_the_rows_that_it_came_from(arm: Robot):
    given = samples(arm)
    whole, first = arm.estimator(noise=0.1), arm.estimator(noise=0.1)
    whole.step(*given)
    first.step(*(x[:150] for x in given))
    known = first.solution
    held = arm.estimator(noise=0.1, prior=(known.values, known.information))
    held.step(*(x[150:] for x in given))
    assert held.values == pytest.approx(whole.values, rel=1e-8, abs=1e-10)
    assert held.deviations == pytest.approx(whole.deviations, rel=1e-8)


def test_deviations_alone_are_a_prior_and_those_that_are_infinite_say_nothing(arm: Robot):
    size = arm.estimator().rows.sizes.rows
    spread = np.where(np.arange(size) % 2, np.inf, 0.3)
    held = arm.estimator(noise=1.0, prior=(np.arange(size) * 1.0, spread))
    assert np.array_equal(np.isinf(held.deviations), np.isinf(spread))
    assert held.deviations[::2] == pytest.approx(0.3)
    assert held.values[::2] == pytest.approx(np.arange(size)[::2])


def test_an_identification_is_a_prior(lab, arm: Robot):
    friction = ["viscous", "offset"]
    found = identify(arm, lab.recorded(arm, 3, noise=0.1), friction=friction)
    held = arm.estimator(friction=friction, noise=1.0, prior=found)
    assert held.values == pytest.approx(found.fit.values, rel=1e-6, abs=1e-8)
    assert held.deviations == pytest.approx(found.fit.deviations, rel=1e-6)
    with pytest.raises(
        ArgumentError, match="with friction viscous, offset; the estimator is of planar3 with viscous. Ask"
    ):
        arm.estimator(friction=["viscous"], noise=1.0, prior=found)


def test_it_is_kept_printed_and_begun_again(arm: Robot):
    held = arm.estimator(forgetting=0.99)
    held.step(*samples(arm, 50))
    again = pickle.loads(pickle.dumps(held))
    assert np.array_equal(again.memory, held.memory)
    assert str(again) == str(held)
    assert repr(held) == "<planar3: base parameters and friction of 3 joints after 50 samples>"
    again.step(*samples(arm, 5))
    held.step(*samples(arm, 5))
    assert np.array_equal(again.memory, held.memory)
    held.reset()
    assert held.samples == 0
    assert not held.memory.any()


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"friction": ["load"]}, 'friction: "load" depends on more than the state of a joint; an estimator takes'),
        ({"friction": ["viscos"]}, 'friction: there is no term "viscos"'),
        ({"forgetting": 1.2}, "forgetting is 1.2; expected more than 0 and at most 1, such as 0.999."),
        ({"still": -1}, "still is -1; a speed is not negative."),
        ({"noise": 0.0}, "noise has 0; a standard deviation is positive."),
        ({"noise": [1, 2]}, "noise is [1, 2]; expected 3 finite numbers."),
        ({"prior": ([0], [1])}, "a prior is weighed against the noise of the torques: give noise=."),
        ({"prior": 3, "noise": 1}, "prior is 3; expected an Identification, or values with deviations or"),
        ({"prior": (np.zeros(18), -np.ones(18)), "noise": 1}, "prior: a standard deviation is positive"),
        ({"prior": (np.zeros(18), np.ones((18, 18))), "noise": 1}, "prior couples the friction of two joints"),
        ({"prior": (np.full(18, np.nan), np.ones(18)), "noise": 1}, "prior has a number that is none"),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_refused(arm: Robot, asked, said: str):
    with pytest.raises(ArgumentError) as error:
        arm.estimator(**asked)
    assert str(error.value).startswith(said)


def test_arrays_of_other_shapes_are_refused(arm: Robot):
    held = arm.estimator()
    x = np.zeros((4, 3))
    with pytest.raises(ShapeError, match="planar3 has 3 joints"):
        held.step(x, x, x, np.zeros((4, 2)))
    with pytest.raises(ShapeError, match="every sample has a position"):
        held.step(x, x, x, np.zeros(3))
    with pytest.raises(ShapeError, match="samples are rows"):
        held.step(*[np.zeros((2, 4, 3))] * 4)
    with pytest.raises(ShapeError, match=r"\(18,\) with \(18,\) or \(18, 18\)"):
        arm.estimator(noise=1, prior=([0], [1]))
    assert held.samples == 0


def test_joints_of_several_degrees_of_freedom_are_refused():
    with pytest.raises(UnsupportedModelError, match="joints with several degrees of freedom"):
        strobe.random(3, seed=2, kinds="SRR").estimator()


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
@pytest.mark.parametrize(
    ("name", "asked"),
    [
        ("planar2", {"friction": ["rotor", "viscous"], "forgetting": 0.99, "still": 1e-3, "noise": [1.0, 0.5]}),
        ("planar3", {"friction": []}),
        pytest.param("panda", {"friction": ALL}, marks=pytest.mark.slow),
    ],
)  # fmt: skip
def test_as_c_it_has_the_same_bits(tmp_path, name: str, asked):
    robot = strobe.load(name)
    held = robot.estimator(**asked)
    held.to_c(tmp_path, "live")
    done = subprocess.run(
        ["make", "-C", tmp_path, f"CFLAGS={STRICT}", "test"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "samples, 0 wrong" in done.stdout
    assert "<= 0.0)" in (tmp_path / "test_live.c").read_text()


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
def test_as_c_it_begins_with_its_prior_and_tells_what_is_open(tmp_path):
    robot = strobe.load("planar2")
    size = robot.estimator().rows.sizes.rows
    spread = np.where(np.arange(size) % 3, np.inf, 0.3)
    held = robot.estimator(noise=1.0, prior=(np.ones(size), spread))
    held.to_c(tmp_path)
    ask = """\
#include <stdio.h>
#include "estimator.h"
int main(void)
{
    estimator_state state;
    double x[ESTIMATOR_UNKNOWNS], s[ESTIMATOR_UNKNOWNS];
    estimator_start(&state);
    printf("%d\\n", estimator_values(&state, x));
    estimator_deviations(&state, s);
    for (int k = 0; k < ESTIMATOR_UNKNOWNS; k++)
        printf("%.17g %.17g\\n", x[k], s[k]);
    return 0;
}
"""
    (tmp_path / "ask.c").write_text(ask)
    command = ["gcc", *STRICT.split(), "-o", "ask", "ask.c", "estimator.c", "-lm"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    first, *rest = subprocess.run([tmp_path / "ask"], capture_output=True, text=True).stdout.split("\n")
    told = np.array([line.split() for line in rest if line], float)
    assert int(first) == np.isinf(spread).sum()
    assert told[:, 0] == pytest.approx(held.values)
    assert told[:, 1] == pytest.approx(held.deviations)


def test_a_name_that_is_none_in_c_is_refused(arm: Robot):
    with pytest.raises(
        ArgumentError, match='name is "my name"; expected letters, digits and _, such as "my_name".'
    ):
        arm.estimator().export("my name")
