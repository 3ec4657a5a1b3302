"""What runs yield: the numbers that direct calls give, in any chunk the same bits, and a status where a run fails."""

import numpy as np
import pytest
from scipy import stats

import strobe
from strobe.sweep.evaluate import evaluate
from strobe.sweep.plan import Plan, Work
from strobe.sweep.reading import read_plan

POINTS = {"bounds": {"acceleration": 4}, "points": [{"q": [0.2, 0.4]}, {"q": [0.5, 0.1]}]}
LOAD = {"mass": {"uniform": [0, 3]}, "centre": {"normal": [[0, 0, 0.1], 0.02]}}
TORQUE = {"task": "torque", "samples": 40, "robots": ["planar2"], "payload": LOAD}
FALL = {
    "task": "simulate", "samples": 20, "robots": ["planar2"], "payload": LOAD,
    "simulate": {"t": 0.3, "step": 2e-3, "friction": False},
}  # fmt: skip
FOLLOW = {
    "task": "control", "samples": 20, "robots": ["planar2"], "trajectories": [POINTS], "payload": LOAD,
    "offset": {"q": {"normal": [0, 0.02]}, "qd": {"uniform": [-0.1, 0.1]}}, "controllers": ["computed-torque"],
    "approximations": ["without-velocity-terms"],
    "control": {"rate": 500, "t": 0.2, "steps": 2, "friction": False},
}  # fmt: skip
JUDGE = {
    "task": "approximate", "samples": 20, "robots": ["planar2"], "trajectories": [POINTS], "payload": LOAD,
    "approximations": ["fixed-point-16", "horn-raibert"], "offset": {"q": {"normal": [0, 1e-3]}},
}  # fmt: skip


def whole(plan: Plan, cell: int = 0, chunk: int = 4096) -> dict[str, np.ndarray]:
    """All runs of a cell, chunk by chunk."""
    cuts = range(0, plan.samples, chunk)
    parts = [
        evaluate(plan, Work(0, (plan.cells[cell],), start, min(start + chunk, plan.samples)))
        for start in cuts
    ]
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def interpreted(name: str, **edits) -> strobe.Robot:
    """A robot that computes without a compiler: another way to the same numbers."""
    return strobe.Robot(strobe.load(name, **edits).model, compiled=False)


@pytest.mark.slow
@pytest.mark.parametrize("asked", [TORQUE, FALL, FOLLOW, JUDGE], ids=lambda asked: asked["task"])
def test_chunks_of_1_7_and_4096_runs_give_the_same_bits(asked):
    plan = read_plan(asked)
    for cell in range(len(plan.cells)):
        together = whole(plan, cell)
        for chunk in (1, 7):
            for name, values in whole(plan, cell, chunk).items():
                np.testing.assert_array_equal(values, together[name], err_msg=name)


@pytest.mark.parametrize("asked", [TORQUE, FALL, FOLLOW, JUDGE], ids=lambda asked: asked["task"])
def test_cells_give_the_same_bits_together_as_alone(asked):
    grid = {"mass": {"values": [0, 0.5, 2]}, "centre": {"choice": [[0, 0, 0], [0.1, 0, 0.2]]}}
    plan = read_plan(asked | {"samples": 5, "payload": grid, "chunk": 4096})
    assert plan.chunks == 1
    alone = [whole(plan, cell) for cell in range(len(plan.cells))]
    for name, values in evaluate(plan, plan.work(0)).items():
        np.testing.assert_array_equal(values, np.concatenate([cell[name] for cell in alone]), err_msg=name)


@pytest.mark.parametrize("asked", [TORQUE, FALL, FOLLOW, JUDGE], ids=lambda asked: asked["task"])
def test_rows_are_of_the_shape_and_kind_that_the_plan_says(asked):
    plan = read_plan(asked)
    rows = evaluate(plan, Work(0, (plan.cells[0],), 3, 8))
    assert {name: (values.shape, values.dtype) for name, values in rows.items()} == {
        name: ((5, *shape), kind) for name, (shape, kind) in plan.fields("planar2").items()
    }
    assert (rows["status"] == 0).all()
    assert all(values.flags.c_contiguous for values in rows.values())


# -- torques ----------------------------------------------------------------------------------------


def test_torques_are_those_of_the_robot_with_each_payload():
    rows = whole(read_plan(TORQUE | {"robots": ["stanford"], "samples": 5}))
    for k in range(5):
        loaded = interpreted("stanford").with_payload(rows["payload_mass"][k], rows["payload_centre"][k])
        tau = loaded.inverse_dynamics(*(rows[key][k] for key in ("q", "qd", "qdd")))
        np.testing.assert_allclose(rows["tau"][k], tau, rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(rows["peak"], np.abs(rows["tau"]).max(axis=1))


def test_a_payload_hangs_on_the_frame_that_is_named():
    arm = interpreted("stanford")
    frame = arm.frames[2]
    load = {"mass": 2.0, "centre": [0.1, 0, 0], "frame": frame}
    rows = whole(read_plan(TORQUE | {"robots": ["stanford"], "payload": load}))
    loaded = arm.with_payload(2.0, (0.1, 0, 0), frame=frame)
    tau = loaded.inverse_dynamics(rows["q"], rows["qd"], rows["qdd"])
    np.testing.assert_allclose(rows["tau"], tau, rtol=1e-12, atol=1e-12)


def test_without_friction_the_torques_have_none():
    arm = interpreted("puma560")
    plan = read_plan({"task": "torque", "samples": 5, "robots": ["puma560"], "torque": {"friction": False}})
    rows = whole(plan)
    tau = arm.inverse_dynamics(rows["q"], rows["qd"], rows["qdd"], friction=False)
    np.testing.assert_allclose(rows["tau"], tau, rtol=1e-12, atol=1e-12)


def test_positions_fill_the_limits_and_rates_are_gaussian_if_nothing_is_said():
    plan = read_plan({"task": "torque", "samples": 4000, "robots": ["panda"], "keep": ["q", "qd"]})
    rows = whole(plan)
    assert set(rows) == {"q", "qd", "status"}
    limits = strobe.load("panda").limits
    for column, low, high in zip(rows["q"].T, limits.lower, limits.upper, strict=True):
        assert stats.kstest(column, stats.uniform(low, high - low).cdf).pvalue > 1e-3
    assert stats.kstest(rows["qd"].ravel(), stats.norm.cdf).pvalue > 1e-3


def test_rates_within_limits_fill_them():
    plan = read_plan(
        {"task": "torque", "samples": 2000, "robots": ["panda"], "state": {"qd": {"uniform": "limits"}}}
    )
    top, found = strobe.load("panda").limits.velocity, whole(plan)["qd"]
    for column, most in zip(found.T, top, strict=True):
        assert stats.kstest(column, stats.uniform(-most, 2 * most).cdf).pvalue > 1e-3


def test_cells_draw_the_same_numbers_for_the_same_run():
    plan = read_plan(TORQUE | {"robots": ["planar2", "planar3"], "state": {"qd": {"values": [0, 1]}}})
    first, second, third = (whole(plan, cell) for cell in (0, 1, 2))
    for name in ("q", "payload_mass", "payload_centre"):
        np.testing.assert_array_equal(first[name], second[name])
    np.testing.assert_array_equal(first["payload_mass"], third["payload_mass"])


def test_drawing_one_more_thing_leaves_the_others_as_they_were():
    without = {key: value for key, value in TORQUE.items() if key != "payload"}
    np.testing.assert_array_equal(whole(read_plan(TORQUE))["q"], whole(read_plan(without))["q"])


def test_a_torque_that_is_no_number_has_its_status():
    plan = read_plan(
        {"task": "torque", "samples": 6, "robots": ["planar2"], "state": {"qd": {"choice": [0, 1e200]}}}
    )
    rows = whole(plan)
    lost = rows["qd"][:, 0] > 0
    assert 0 < lost.sum() < 6
    np.testing.assert_array_equal(rows["status"], lost)
    assert np.isfinite(rows["tau"][~lost]).all()


def test_floating_bases_are_drawn_with_orientations():
    arm = interpreted("planar2", base="floating")
    rows = whole(
        read_plan({"task": "torque", "samples": 5, "robots": [{"model": "planar2", "base": "floating"}]})
    )
    np.testing.assert_allclose(np.linalg.norm(rows["q"][:, 3:7], axis=1), 1, rtol=1e-14)
    tau = arm.inverse_dynamics(rows["q"], rows["qd"], rows["qdd"])
    np.testing.assert_allclose(rows["tau"], tau, rtol=1e-12, atol=1e-12)


# -- simulations ------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::strobe.errors.SimulationWarning")
def test_a_fall_is_that_of_a_simulation_by_itself():
    rows, arm = whole(read_plan(FALL)), strobe.load("planar2")
    for k in range(3):
        load = [rows["payload_mass"][k], *rows["payload_centre"][k]]
        run = arm.simulate(rows["q"][k], [0, 0], None, 0.3, step=2e-3, payload=load, friction=False)
        np.testing.assert_array_equal(rows["q_end"][k], run.q[-1])
        np.testing.assert_array_equal(rows["qd_end"][k], run.qd[-1])
        np.testing.assert_array_equal(rows["peak_speed"][k], np.abs(run.qd).max(axis=0))
        np.testing.assert_allclose(rows["energy_error"][k], run.audit.drift[-1], atol=1e-13)
        assert rows["reached"][k] == 0.3


def test_torques_that_hold_keep_every_run_where_it_starts():
    plan = read_plan(FALL | {"simulate": {"t": 0.3, "step": 2e-3, "torque": "hold", "friction": False}})
    rows = whole(plan)
    np.testing.assert_allclose(rows["q_end"], rows["q"], atol=1e-9)
    assert rows["peak_torque"].max() > 1


@pytest.mark.filterwarnings("ignore::strobe.errors.SimulationWarning")
def test_drawn_torques_drive_the_runs():
    how = {"step": 2e-3, "limits": True, "friction": False}
    asked = {"t": 0.2, "torque": {"uniform": [[-1, 0], [1, 0]]}, **how}
    rows, arm = whole(read_plan(FALL | {"payload": {"mass": 1}, "simulate": asked})), strobe.load("planar2")
    assert (rows["torque"][:, 1] == 0).all()
    assert len(np.unique(rows["torque"][:, 0])) == 20
    run = arm.simulate(rows["q"], np.zeros((20, 2)), rows["torque"], 0.2, payload=[1, 0, 0, 0], **how)
    np.testing.assert_array_equal(rows["q_end"], run.q[:, -1])


def test_the_torques_of_a_motion_lead_along_it_and_a_load_away_from_it():
    how = {"step": 1e-3, "friction": False}
    asked = {"task": "simulate", "robots": ["planar2"], "trajectories": [POINTS], "simulate": how}
    plan = read_plan(asked | {"payload": {"mass": {"values": [0, 1]}}})
    free, loaded = evaluate(plan, plan.work(0))["q_end"]
    np.testing.assert_allclose(free, [0.5, 0.1], atol=1e-5)
    assert np.abs(loaded - [0.5, 0.1]).max() > 0.01


def test_a_run_that_diverges_has_its_status_and_its_last_good_state():
    plan = read_plan(
        {"task": "simulate", "samples": 8, "robots": ["planar2"], "state": {"qd": {"choice": [0, 1e5]}},
         "simulate": {"t": 1.0, "step": 0.02, "friction": False}}
    )  # fmt: skip
    rows = whole(plan)
    fast = rows["qd"][:, 0] > 0
    assert plan.statuses[1] == "diverged"
    assert 0 < fast.sum() < 8
    np.testing.assert_array_equal(rows["status"], fast)
    assert (rows["reached"][fast] < 1).all()
    assert (rows["reached"][~fast] == 1).all()
    assert all(np.isfinite(values).all() for values in rows.values())


# -- loops ------------------------------------------------------------------------------------------


def test_a_loop_is_that_of_control_by_itself():
    plan, arm = read_plan(FOLLOW), strobe.load("planar2")
    rows, motion = whole(plan), plan.motion("motion", "planar2")
    model = strobe.approximate.WithoutVelocityTerms(arm)
    start = motion(0.0)
    for k in range(3):
        run = arm.control(
            motion, "computed-torque", gains={"model": model}, rate=500, t=0.2, steps=2, friction=False,
            q0=start.q + rows["offset_q"][k], qd0=start.qd + rows["offset_qd"][k],
            payload=[rows["payload_mass"][k], *rows["payload_centre"][k]],
        )  # fmt: skip
        np.testing.assert_allclose(rows["error_max"][k], np.abs(run.error).max(axis=0), rtol=1e-12)
        np.testing.assert_allclose(rows["error_rms"][k], np.sqrt((run.error**2).mean(axis=0)), rtol=1e-12)
        np.testing.assert_allclose(rows["peak_torque"][k], np.abs(run.tau).max(axis=0), rtol=1e-12)
        assert rows["status"][k] == run.status


@pytest.mark.slow
def test_loops_that_motors_cannot_follow_are_infeasible_and_say_for_how_long():
    fast = POINTS | {"bounds": {"acceleration": 400, "velocity": 40}}
    how = {"limits": True, "tolerance": 9, "friction": False}
    plan = read_plan({"task": "control", "robots": ["planar2"], "trajectories": [fast], "control": how})
    rows = evaluate(plan, plan.work(0))
    assert (rows["cut"] > 0).any()
    assert plan.statuses[int(rows["status"][0])] == "infeasible"


def test_a_loop_that_diverges_has_its_status_and_no_nan():
    wild = [{"name": "joint-pd", "gains": {"kp": 1e9, "kd": 0.0}}]
    asked = FOLLOW | {"controllers": wild, "control": {"rate": 100, "t": 0.3, "friction": False}}
    plan = read_plan({key: value for key, value in asked.items() if key != "approximations"})
    rows = whole(plan)
    assert plan.statuses[4] == "diverged"
    assert (rows["status"] == 4).all()
    assert (rows["reached"] < 0.3).all()
    assert all(np.isfinite(values).all() for values in rows.values())


# -- approximations ---------------------------------------------------------------------------------


def test_errors_are_those_of_the_approximation_against_the_exact_torques():
    arm = strobe.load("planar2")
    judged = ["exact", "gravity-only"]
    plan = read_plan({"task": "approximate", "samples": 6, "robots": ["planar2"], "approximations": judged})
    exact, rough = whole(plan, 0), whole(plan, 1)
    np.testing.assert_allclose(exact["error"], 0, atol=1e-12)
    off = arm.gravity(rough["q"]) - arm.inverse_dynamics(rough["q"], rough["qd"], rough["qdd"])
    off += arm.inverse_dynamics(rough["q"], rough["qd"], 0 * off) - arm.inverse_dynamics(
        rough["q"], rough["qd"], 0 * off, friction=False
    )
    np.testing.assert_allclose(rough["error"], off, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(rough["error_max"], np.abs(off).max(axis=1), rtol=1e-9)
    np.testing.assert_allclose(rough["error_rms"], np.sqrt((off**2).mean(axis=1)), rtol=1e-9)
    size = np.linalg.norm(rough["tau"], axis=1)
    np.testing.assert_allclose(rough["relative"], np.linalg.norm(off, axis=1) / size, rtol=1e-9)


def test_a_state_that_an_approximation_does_not_know_has_its_status():
    plan = read_plan(JUDGE | {"offset": {"q": {"choice": [0, 1.0]}}})
    for cell in range(2):
        rows = whole(plan, cell)
        away = rows["offset_q"][:, 0] > 0
        assert plan.statuses[1] == "outside"
        assert 0 < away.sum() < 20
        np.testing.assert_array_equal(rows["status"], away)
        assert np.isnan(rows["error"][away]).all()
        assert np.isfinite(rows["error"][~away]).all()
        assert np.isfinite(rows["tau"]).all()


def test_states_along_a_motion_are_its_own_moved_aside_and_the_load_is_not_known():
    plan, arm = read_plan(JUDGE | {"approximations": ["without-velocity-terms"]}), strobe.load("planar2")
    rows, motion = whole(plan), plan.motion("motion", "planar2")
    k = 4
    q, qd, qdd = motion(rows["part"][k] * motion.duration)
    q = q + rows["offset_q"][k]
    loaded = arm.with_payload(rows["payload_mass"][k], rows["payload_centre"][k])
    np.testing.assert_allclose(rows["tau"][k], loaded.inverse_dynamics(q, qd, qdd), rtol=1e-12)
    believed = strobe.approximate.WithoutVelocityTerms(arm).inverse_dynamics(q, qd, qdd)
    np.testing.assert_allclose(rows["error"][k], believed - rows["tau"][k], rtol=1e-10)
