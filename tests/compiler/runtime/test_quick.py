"""The builtin for one state per call: right where it accepts, modest where it does not."""

import gc
import inspect
import pickle
import re
import sys
import weakref
from functools import wraps
from types import BuiltinFunctionType

import numpy as np
import pytest

import strobe
from strobe.compiler.runtime import processor, shares, threads
from strobe.compiler.runtime.kernels import Kernel
from strobe.compiler.runtime.processor import Processor
from strobe.quantities import Request


def is_builtin(method):
    return isinstance(method, BuiltinFunctionType)


def learnt(robot, quantity):
    """How many ways to write a call the builtin over a method knows."""
    assert is_builtin(getattr(robot, quantity))
    return len(getattr(robot, quantity).__self__.calls)


@pytest.fixture(scope="module")
def panda():
    return strobe.load("panda")


@pytest.fixture(scope="module")
def quick(panda):
    return Kernel(panda.model, Request("inverse_dynamics")).code.quick


def test_it_computes_what_the_ufunc_does(panda, quick):
    for seed in range(5):
        state = panda.random_state(seed=seed)
        assert quick(*state) == pytest.approx(panda.inverse_dynamics(*state), rel=1e-13)


def test_matrices_come_back_as_matrices(panda):
    q, _, _ = panda.random_state(seed=1)
    M = Kernel(panda.model, Request("mass_matrix")).code.quick(q)
    assert M.shape == (7, 7)
    assert pytest.approx(panda.mass_matrix(q), rel=1e-13) == M


@pytest.mark.parametrize(
    "spoil",
    [
        lambda q: q.tolist(),
        lambda q: q.astype(np.float32),
        lambda q: q[:6],
        lambda q: q[None],
        lambda q: q[::-1],
        lambda q: q.astype(q.dtype.newbyteorder()),
        lambda q: np.ma.masked_array(q),
        lambda q: None,
        lambda q: np.arange(7),
    ],
)
def test_anything_but_plain_vectors_is_declined(panda, quick, spoil):
    q, qd, qdd = panda.random_state(seed=2)
    assert quick(spoil(q), qd, qdd) is NotImplemented
    assert quick(q, qd, spoil(qdd)) is NotImplemented
    assert quick(q, qd) is NotImplemented
    assert quick() is NotImplemented


def test_read_only_inputs_are_read(panda, quick):
    q, qd, qdd = panda.random_state(seed=3)
    q.flags.writeable = False
    assert np.isfinite(quick(q, qd, qdd)).all()


def test_large_and_missing_angles_take_the_exact_path(panda, quick):
    q, qd, qdd = panda.random_state(seed=4)
    q[2] = 1e9
    assert quick(q, qd, qdd) == pytest.approx(panda.inverse_dynamics(q, qd, qdd), rel=1e-12)
    q[2] = np.nan
    assert np.isnan(quick(q, qd, qdd)).any()


def test_no_reference_is_lost_or_kept(panda, quick):
    q, qd, qdd = panda.random_state(seed=5)
    before = [sys.getrefcount(x) for x in (q, qd, qdd, np.dtype(np.float64), np.ndarray)]
    for _ in range(1000):
        quick(q, qd, qdd)
        quick(q, qd)
    after = [sys.getrefcount(x) for x in (q, qd, qdd, np.dtype(np.float64), np.ndarray)]
    assert after == before


def test_the_first_the_later_and_the_batched_call_give_the_same_bits(panda):
    q, qd, qdd = panda.random_state(seed=6)
    robot = strobe.Robot(panda.model)
    calls = [robot.inverse_dynamics(q, qd, qdd) for _ in range(4)]
    batch = robot.inverse_dynamics(np.stack([q] * 9), qd, qdd)
    assert all((call == batch[5]).all() for call in calls)


@pytest.mark.parametrize("way", ["best", "fast"])
@pytest.mark.parametrize("seed", range(3))
def test_zeros_have_one_sign_however_they_are_asked_for(panda, seed, way):
    robot = strobe.Robot(panda.model, device=Processor(way))
    q, rest = panda.random_state(seed=seed)[0], np.zeros(7)
    calls = [robot.regressor(q, rest, -rest) for _ in range(4)]
    batch = robot.regressor(np.stack([q] * 9), rest, -rest)
    several = [panda.regressor(q, rest, -rest), *calls, batch[0], batch[8]]
    assert {each.tobytes() for each in several} == {calls[0].tobytes()}


def test_a_robot_answers_single_states_with_the_builtin_once_they_recur(panda):
    robot = strobe.Robot(panda.model)
    q, qd, qdd = robot.random_state(seed=7)
    for _ in range(3):
        robot.inverse_dynamics(q, qd, qdd)
    assert learnt(robot, "inverse_dynamics") == 1
    warm = strobe.Robot(panda.model).compile("mass_matrix")
    assert is_builtin(warm.mass_matrix)
    with pytest.raises(strobe.StrobeError, match=r"q has shape \(6,\)"):
        robot.inverse_dynamics(q[:6], qd, qdd)


# -- batches ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def batch(panda):
    return Kernel(panda.model, Request("inverse_dynamics")).code.batch


@pytest.mark.parametrize("states", [0, 1, 7, 8, 100])
def test_a_batch_gives_the_bits_of_the_ufunc(panda, batch, states):
    state = panda.random_state(seed=1, batch=states)
    expected = Kernel(panda.model, Request("inverse_dynamics")).code.ufunc()(*state)
    out = np.empty((states, 7))
    assert np.array_equal(batch(*state), expected)
    assert batch(*state, out) is out
    assert np.array_equal(out, expected)


def test_a_batch_of_matrices_is_one_array(panda):
    q = panda.random_state(seed=1, batch=5)[0]
    M = Kernel(panda.model, Request("mass_matrix")).code.batch(q)
    assert M.shape == (5, 7, 7)
    assert np.array_equal(M, panda.mass_matrix(q))


@pytest.mark.parametrize(
    "spoil",
    [
        lambda q: q.tolist(),
        lambda q: q.astype(np.float32),
        lambda q: q[:, :6],
        lambda q: q[:-1],
        lambda q: q[0],
        lambda q: q[None],
        lambda q: q[::-1],
        lambda q: np.asfortranarray(q),
        lambda q: np.repeat(q, 2, 1)[:, ::2],
        lambda q: q.astype(q.dtype.newbyteorder()),
        lambda q: np.ma.masked_array(q),
        lambda q: q.view(type("Mine", (np.ndarray,), {})),
        lambda q: None,
    ],
)
def test_anything_but_plain_batches_is_declined(panda, batch, spoil):
    q, qd, qdd = panda.random_state(seed=2, batch=9)
    out = np.empty((9, 7))
    assert batch(spoil(q), qd, qdd) is NotImplemented
    assert batch(q, qd, spoil(qdd), out) is NotImplemented
    assert batch(q, qd, qdd, spoil(out)) is NotImplemented
    assert batch(q, qd) is NotImplemented


def test_results_that_may_not_be_written_are_declined(panda, batch):
    q, qd, qdd = panda.random_state(seed=2, batch=9)
    out = np.empty((9, 7))
    out.flags.writeable = False
    room = np.empty((12, 7))
    room[2:11] = qd
    assert batch(q, qd, qdd, out) is NotImplemented
    assert batch(q, qd, qdd, qd) is NotImplemented
    assert batch(q, room[2:11], qdd, room[:9]) is NotImplemented
    assert batch(q, room[2:11], qdd, room[3:]) is NotImplemented
    assert np.array_equal(batch(q, qd, qdd, room[:9]), batch(q, qd, qdd))


def test_a_robot_answers_plain_batches_with_the_builtin_once_they_recur(panda):
    robot = strobe.Robot(panda.model)
    state = robot.random_state(seed=7, batch=20)
    calls = [robot.inverse_dynamics(*state, friction=False, threads=1) for _ in range(4)]
    assert learnt(robot, "inverse_dynamics") == 1
    assert all(np.array_equal(call, calls[0]) for call in calls)
    with pytest.raises(strobe.StrobeError, match=r"q has shape \(20, 6\)"):
        robot.inverse_dynamics(state[0][:, :6], *state[1:], friction=False)
    with pytest.raises(strobe.StrobeError, match="friction is 'no'"):
        robot.inverse_dynamics(*state, friction="no")


@pytest.fixture
def shared_out(monkeypatch):
    """How many threads batches were given out to, where sixteen states are a part and any batch is worth several."""
    monkeypatch.setattr(processor, "WORK_PER_THREAD", 1)
    monkeypatch.setattr(threads, "WORK_PER_THREAD", 1)
    monkeypatch.setattr(threads, "LEAST_PART", 1)
    found, share = [], shares.shared
    monkeypatch.setattr(shares, "shared", lambda order, most: (found.append(most), share(order, most)))
    return found


@pytest.mark.parametrize("many", [2, 3])
def test_a_batch_that_is_worth_several_threads_is_learnt_too(panda, shared_out, many):
    robot, state = strobe.Robot(panda.model), panda.random_state(seed=7, batch=100)
    one = {"wrench": np.arange(6.0), "gravity": np.array([0.0, 1, -9])}
    expected = strobe.Robot.inverse_dynamics(robot, *state, **one, frame="tool", threads=1)
    for _ in range(4):
        out = np.empty((100, 7))
        found = robot.inverse_dynamics(*state, **one, frame="tool", out=out, threads=many)
        assert found is out
        assert np.array_equal(found, expected)
        assert np.array_equal(robot.inverse_dynamics(*state, **one, frame="tool", threads=many), expected)
    assert learnt(robot, "inverse_dynamics") == 2
    assert set(shared_out) == {many}
    with pytest.raises(strobe.StrobeError, match=r"qdd has shape \(100, 6\)"):
        robot.inverse_dynamics(*state[:2], state[2][:, :6], **one, frame="tool", threads=many)
    lying = state[2].copy()
    robot.inverse_dynamics(*state[:2], lying, **one, frame="tool", out=lying, threads=many)
    assert np.array_equal(lying, expected)


def test_no_reference_is_lost_or_kept_by_batches_on_several_threads(panda, shared_out, monkeypatch):
    monkeypatch.setattr(threads, "crew", lambda: threads.Crew(0))  # who wakes late would have some
    robot, state = strobe.Robot(panda.model), panda.random_state(seed=5, batch=40)
    out = np.empty((40, 7))
    watched = (*state, out, np.dtype(np.float64), np.ndarray)
    ask = robot.kernel(Request("inverse_dynamics")).code.batched((), 2)
    for _ in range(3):
        ask(*state, out)
    before = [sys.getrefcount(x) for x in watched]
    for _ in range(300):
        ask(*state)
        ask(*state, out)
    assert len(shared_out) >= 600
    assert [sys.getrefcount(x) for x in watched] == before


def test_a_large_batch_with_a_quaternion_of_no_length_is_refused_as_ever(shared_out):
    robot = strobe.load("planar2").with_base("floating")
    q, qd, qdd = robot.random_state(seed=1, batch=40)
    for _ in range(3):
        robot.inverse_dynamics(q, qd, qdd, threads=2)
    assert learnt(robot, "inverse_dynamics") == 1
    q[17, 3:7] = 0.0
    with pytest.raises(strobe.StrobeError, match=r"q\[17\] has a quaternion of length zero"):
        robot.inverse_dynamics(q, qd, qdd, threads=2)


@pytest.mark.parametrize("threads", [None, 1])
def test_one_wrench_and_one_gravity_serve_a_batch(panda, threads):
    robot, state = strobe.Robot(panda.model), panda.random_state(seed=7, batch=6)
    one = {"wrench": np.arange(6.0), "gravity": np.array([0.0, 1, -9])}
    each = {name: np.stack([x] * 6) for name, x in one.items()}
    ask = robot.prepared("inverse_dynamics", given=["wrench tool", "gravity"])
    ways = (one, each, one | {"gravity": each["gravity"]})
    expected = strobe.Robot.inverse_dynamics(robot, *state, **each)
    for given in ways:
        found = [robot.inverse_dynamics(*state, **given, frame="tool", threads=threads) for _ in range(4)]
        assert all(np.array_equal(x, expected) for x in [*found, ask(*state, *given.values())])
    assert learnt(robot, "inverse_dynamics") == len(ways)
    with pytest.raises(strobe.StrobeError, match=r"gravity has shape \(2,\)"):
        robot.inverse_dynamics(*state, **one | {"gravity": np.zeros(2)}, frame="tool", threads=threads)
    room = np.zeros((7, 7))
    lying = room.ravel()[:6]
    lying[:] = one["wrench"]
    assert np.array_equal(
        robot.inverse_dynamics(*state, **one | {"wrench": lying}, frame="tool", out=room[:6]), expected
    )


def test_no_reference_is_lost_or_kept_by_batches(panda, batch):
    state = panda.random_state(seed=5, batch=4)
    out = np.empty((4, 7))
    watched = (*state, out, np.dtype(np.float64), np.ndarray)
    before = [sys.getrefcount(x) for x in watched]
    for _ in range(1000):
        batch(*state)
        batch(*state, out)
        batch(*state, out[:2])
    assert [sys.getrefcount(x) for x in watched] == before


def test_batches_leave_the_interpreter_to_other_threads(panda, batch):
    """Counting goes on while a batch runs in another thread."""
    from threading import Thread

    state = panda.random_state(seed=5, batch=4000)
    seen = []
    worker = Thread(target=lambda: [seen.append(batch(*state)) for _ in range(200)])
    worker.start()
    steps = 0
    while worker.is_alive():
        steps += 1
    worker.join()
    assert len(seen) == 200
    assert steps > 0


# -- parameters as an input ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def arm():
    return strobe.load("planar2")


def test_one_row_of_parameters_serves_a_batch(arm):
    kernel = Kernel(arm.model, Request("inverse_dynamics", parameters="runtime")).code.shared
    state, row = arm.random_state(seed=1, batch=11), 1.2 * arm.parameters
    expected, out = kernel.ufunc()(*state, row), np.empty((11, 2))
    assert np.array_equal(kernel.batch(*state, row), expected)
    assert kernel.batch(*state, row, out) is out
    assert np.array_equal(out, expected)
    for other in (row[:-1], np.tile(row, (11, 1)), row.tolist(), row[::-1], row.astype(np.float32)):
        assert kernel.batch(*state, other) is NotImplemented
    room = np.tile(row, 3)
    assert kernel.batch(*state, room[:20], room[18:40].reshape(11, 2)) is NotImplemented
    assert np.array_equal(kernel.batch(*state, room[:20], room[20:42].reshape(11, 2)), expected)


@pytest.mark.slow
@pytest.mark.parametrize("batch", [(), 5, (2, 3)])
def test_a_robot_gives_the_same_with_parameters_however_often_it_is_asked(arm, batch):
    robot = strobe.Robot(arm.model)
    q, qd, x = robot.random_state(seed=7, batch=batch)
    rows = [factor * arm.parameters for factor in (1.0, 1.3, 0.7, 1.1)]
    for row in rows:
        other = arm.with_parameters(row)
        for friction in (True, False):
            found = robot.inverse_dynamics(q, qd, x, parameters=row, friction=friction)
            assert np.allclose(found, other.inverse_dynamics(q, qd, x, friction=friction), rtol=1e-12)
        assert np.allclose(
            robot.forward_dynamics(q, qd, x, parameters=row), other.forward_dynamics(q, qd, x), rtol=1e-10
        )
        assert np.allclose(robot.mass_matrix(q, parameters=row), other.mass_matrix(q), rtol=1e-12)
    each = np.tile(rows[1], (2, 1)).reshape(2, *[1] * np.ndim(q[..., 0]), -1)  # a robot more than states
    assert robot.inverse_dynamics(q, qd, x, parameters=each).shape == (2, *q.shape)
    with pytest.raises(strobe.StrobeError, match=r"parameters has shape \(19,\)"):
        robot.inverse_dynamics(q, qd, x, parameters=rows[0][:-1])


def test_a_robot_answers_calls_with_parameters_by_builtins_once_they_recur(arm):
    robot = strobe.Robot(arm.model)
    for batch in ((), 4):
        state = robot.random_state(seed=7, batch=batch)
        for _ in range(2):
            robot.inverse_dynamics(*state, parameters=arm.parameters)
    assert learnt(robot, "inverse_dynamics") == 2


# -- methods ------------------------------------------------------------------------------------------


def test_a_method_that_was_taken_hold_of_before_its_first_call_is_quick_as_well(panda):
    robot = strobe.Robot(panda.model)
    held = robot.gravity
    q = robot.random_state(seed=1)[0]
    found = [held(q) for _ in range(3)]
    assert held is robot.gravity
    assert learnt(robot, "gravity") == 1
    assert all(np.array_equal(each, strobe.Robot.gravity(robot, q)) for each in found)


def test_methods_of_ones_own_are_left_alone(panda):
    class Doubled(strobe.Robot):
        def gravity(self, q):
            return 2.0 * super().gravity(q)

    robot, q = Doubled(panda.model), panda.random_state(seed=1)[0]
    for _ in range(4):
        assert np.array_equal(robot.gravity(q), 2.0 * panda.gravity(q))
    assert not is_builtin(robot.gravity)
    assert not is_builtin(strobe.Robot(panda.model, compiled=False).gravity)


def test_an_answer_that_somebody_else_works_out_is_asked_every_time(panda):
    class Watched(strobe.Robot):
        asked = 0

        def evaluate(self, *args, **named):
            self.asked += 1
            return super().evaluate(*args, **named)

    robot, q = Watched(panda.model), panda.random_state(seed=1)[0]
    ask = robot.prepared("gravity")
    for k in range(1, 6):
        assert np.array_equal(robot.gravity(q), ask(q))
        assert robot.asked == 2 * k


def watched(method):
    """A method that counts its calls, and says that it is the other one, as decorators do."""

    @wraps(method)
    def counted(self, *args, **named):
        self.asked = getattr(self, "asked", 0) + 1
        return method(self, *args, **named)

    return counted


@pytest.mark.parametrize(
    "name", ["evaluate", "kernel", "request", "loads", "named_frame", "_answer", "_kinematics"]
)
def test_what_somebody_put_on_the_way_to_an_answer_is_asked_every_time(panda, name):
    mine = type("Mine", (strobe.Robot,), {name: watched(getattr(strobe.Robot, name))})
    robot, plain, q = mine(panda.model), strobe.Robot(panda.model), panda.random_state(seed=1)[0]
    plain.asked = 0

    def counted(*args, **named):
        plain.asked += 1
        return getattr(strobe.Robot, name)(plain, *args, **named)

    setattr(plain, name, counted)
    for each in (robot, plain):
        for k in range(1, 6):
            assert np.array_equal(each.jacobian(q, "hand"), panda.jacobian(q, "hand"))
            assert each.asked == k


def test_a_frame_that_a_robot_of_ones_own_moves_its_tip_to_is_the_one_meant(panda):
    class Retooled(strobe.Robot):
        tool = "hand"

        @property
        def tip(self):
            return self.tool

    robot, q = Retooled(panda.model), panda.random_state(seed=1)[0]
    for robot.tool in ("hand", "hand", "hand", "link4"):
        assert np.array_equal(robot.jacobian(q), panda.jacobian(q, robot.tool))


def test_what_stands_in_the_place_of_a_method_is_left_alone(panda):
    robot, other = strobe.Robot(panda.model), strobe.load("planar2")
    held, q = robot.gravity, panda.random_state(seed=1)[0]
    for there in (None, lambda q: 1, other.gravity):
        if there is None:
            del robot.gravity
        else:
            robot.gravity = there
        for _ in range(3):
            assert np.array_equal(held(q), panda.gravity(q))
        robot.compile("gravity")
        assert vars(robot).get("gravity") is there
    assert not learnt(other, "gravity")
    del robot.gravity
    assert robot.gravity is held


def test_a_method_is_told_as_it_is_written(panda):
    written, found = (inspect.signature(x.mass_matrix) for x in (strobe.Robot, panda))
    bare = [p.replace(annotation=p.empty) for p in list(written.parameters.values())[1:]]
    assert list(found.parameters.values()) == bare
    assert panda.mass_matrix.__doc__ == inspect.getdoc(strobe.Robot.mass_matrix)


@pytest.mark.slow
def test_as_many_ways_to_write_a_call_are_learnt_as_there_is_room_for(panda):
    robot, q = strobe.Robot(panda.model), panda.random_state(seed=1)[0]
    names = [name for name in robot.moving_frames for _ in range(3)]
    for reference in ("aligned", "local", "world"):
        for name in names:
            found = robot.jacobian(q, name, reference=reference)
            assert np.array_equal(found, strobe.Robot.jacobian(robot, q, name, reference=reference))
    assert learnt(robot, "jacobian") == robot.jacobian.__self__.room


def test_a_usual_way_to_write_a_call_is_learnt_however_many_odd_ones_came_before(panda):
    robot, q = strobe.Robot(panda.model), panda.random_state(seed=1)[0]
    for name in robot.moving_frames:
        for reference in ("aligned", "local", "world"):
            for _ in range(3):
                robot.jacobian(q, name, reference=reference)
    expected = strobe.Robot.jacobian(robot, q)
    assert all(np.array_equal(robot.jacobian(q), expected) for _ in range(6))
    table = robot.jacobian.__self__
    assert [call for call in table.calls if call.places == 1 and not call.names]
    assert len(table.calls) == table.room


def test_ways_that_take_turns_do_not_drive_one_another_out(panda):
    robot, q = strobe.Robot(panda.model), panda.random_state(seed=1)[0]
    ways = [
        (name, reference) for name in robot.moving_frames for reference in ("aligned", "local", "world")
    ]
    table, known = robot.jacobian.__self__, []
    for _ in range(12):
        for name, reference in ways[: table.room + 1]:
            robot.jacobian(q, name, reference=reference)
        known.append(tuple(call.way for call in table.calls))
    assert len(ways) > table.room
    assert known[-1] == known[3]
    assert len(table.past) <= len(ways)


def test_a_way_that_comes_back_is_the_one_it_was(panda):
    robot, q = strobe.Robot(panda.model), panda.random_state(seed=1)[0]
    ways = [
        (name, reference) for name in robot.moving_frames for reference in ("aligned", "local", "world")
    ]
    table = robot.jacobian.__self__
    for _ in range(3):
        for name, reference in ways:
            for _ in range(4):
                found = robot.jacobian(q, name, reference=reference)
            assert np.array_equal(found, strobe.Robot.jacobian(robot, q, name, reference=reference))
    assert len(table.past) + len(table.calls) <= len(ways)


def test_names_and_numbers_that_are_made_anew_for_every_call_are_one_way_to_write_it(panda):
    robot, state = strobe.Robot(panda.model), panda.random_state(seed=1)
    many = panda.random_state(seed=1, batch=4)
    for _ in range(6):
        found = robot.hybrid_dynamics(*state, accelerated=tuple(f"joint{j}" for j in range(1, 3)))
        assert np.array_equal(found[0][2:], state[2][2:])
        assert robot.gravity(many[0], threads=int("300")).shape == (4, 7)
    assert learnt(robot, "hybrid_dynamics") == 1
    assert learnt(robot, "gravity") == 1


def test_an_option_that_cannot_be_compared_is_refused_as_the_method_refuses_it(panda):
    robot, state = strobe.Robot(panda.model), panda.random_state(seed=1)
    for _ in range(3):
        robot.hybrid_dynamics(*state, accelerated=("joint1", "joint2"))
    names = np.array(["joint1", "joint2"])  # their equality with a name has no truth
    assert learnt(robot, "hybrid_dynamics") == 1
    with pytest.raises(strobe.errors.ArgumentError, match="joints is .*; expected names"):
        robot.hybrid_dynamics(*state, accelerated=(names, "joint3"))


def test_a_robot_that_nobody_holds_is_let_go_with_its_builtins(panda):
    robot = strobe.Robot(panda.model)
    for _ in range(3):
        robot.gravity(np.zeros(7))
    ask, gone = robot.prepared("gravity"), weakref.ref(robot)
    del robot
    gc.collect()
    assert gone() is not None
    assert ask(np.zeros(7)).shape == (7,)
    del ask
    gc.collect()
    assert gone() is None


# -- handles ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "options", "values"),
    [
        (("jacobian",), {"frame": "hand", "reference": "local"}, 1),
        (("inverse_dynamics_derivatives",), {"friction": False}, 3),
        (("mass_matrix", "bias", "jacobian"), {}, 2),
    ],
)
def test_a_handle_answers_what_the_methods_do(panda, asked, options, values):
    state = panda.random_state(seed=3)[:values]
    ask = panda.prepared(*asked, **options)
    again = pickle.loads(pickle.dumps(ask))
    if len(asked) == 1:
        expected = getattr(panda, asked[0])(*state, **options)
    else:
        expected = (panda.mass_matrix(state[0]), panda.bias(*state), panda.jacobian(state[0]))
    for found in (ask(*state), ask(*map(list, state)), again(*state)):
        assert type(found) is type(expected)
        for one, other in zip(found, expected, strict=True):
            assert one == pytest.approx(other, rel=1e-12, abs=1e-13)


@pytest.mark.parametrize(
    "asked", [("mass_matrix", "bias"), ("inverse_dynamics_derivatives",), ("hybrid_dynamics",)]
)
def test_a_handle_of_several_answers_gives_those_of_no_state_and_of_several(panda, asked):
    ask = panda.prepared(*asked)
    given = panda.random_state(seed=3, batch=(2, 3))[: 2 if len(asked) > 1 else 3]
    several, none = ask(*given), ask(*(x[:0] for x in given))
    assert [x.shape for x in none] == [(0, *x.shape[1:]) for x in several]


@pytest.mark.parametrize(
    "quantity", ["inverse_dynamics_derivatives", "forward_dynamics_derivatives", "hybrid_dynamics"]
)
@pytest.mark.parametrize("batch", [(), 5])
def test_several_answers_are_learnt_of_a_state_and_of_a_batch(panda, quantity, batch):
    robot, state = strobe.Robot(panda.model), panda.random_state(seed=3, batch=batch)
    ask, expected = robot.prepared(quantity), getattr(strobe.Robot, quantity)(robot, *state)
    out = np.empty((*state[0].shape[:-1], *robot.kernel(Request(quantity)).shape))
    for _ in range(4):
        with_out, without = getattr(robot, quantity)(*state, out=out), getattr(robot, quantity)(*state)
        for found in (with_out, without, ask(*state)):
            assert type(found) is type(expected)
            assert all(map(np.array_equal, found, expected))
            assert not batch or [x.strides for x in found] == [x.strides for x in expected]
        assert all(np.shares_memory(x, out) for x in with_out)
    assert learnt(robot, quantity) == 2
    assert ask.__self__.calls[-1].wrap is not None


def test_a_handle_takes_what_is_given_besides_states(panda):
    q, qd, qdd = panda.random_state(seed=3)
    F, g = np.array([1.0, 2, 3, 4, 5, 6]), np.array([0.0, 1, -9])
    ask = panda.prepared("inverse_dynamics", given=["gravity", "wrench hand"], friction=False)
    expected = panda.inverse_dynamics(q, qd, qdd, wrench=F, frame="hand", gravity=g, friction=False)
    assert np.array_equal(ask(q, qd, qdd, F, g), expected)
    out = np.empty(7)
    assert ask(q, qd, qdd, F, g, out=out) is out
    assert np.array_equal(out, expected)


def test_one_word_of_what_is_given_is_no_row_of_letters(panda):
    q, qd, _ = panda.random_state(seed=3)
    g = np.array([0.0, 1, -9])
    ask = panda.prepared("bias", given="gravity")
    assert np.array_equal(ask(q, qd, g), panda.bias(q, qd, gravity=g))
    with pytest.raises(strobe.errors.ArgumentError, match="takes q, qd, gravity; got 2 arrays"):
        ask(q, qd)


def test_a_handle_for_steps_takes_a_number_for_the_time(panda):
    q, qd, _ = panda.random_state(seed=3)
    ask = panda.prepared("integrate")
    for dt in (0.25, 1, np.float64(0.25)):
        assert np.array_equal(ask(q, qd, dt), panda.integrate(q, qd, dt))
    many = np.stack([q, q]), np.stack([qd, qd]), np.array([0.1, 0.2])
    assert np.array_equal(ask(*many), panda.integrate(*many))


@pytest.mark.parametrize(
    ("asked", "options", "sentence"),
    [
        ((), {}, "needs a quantity"),
        (("jacobain",), {}, "Did you mean 'jacobian'"),
        ((3,), {}, "quantity is 3"),
        (("jacobian",), {"frame": "hnad"}, "Did you mean 'hand'"),
        (("jacobian",), {"friction": False}, 'no option "friction" in jacobian'),
        (("jacobian",), {"given": ["wrench hand"]}, 'given "wrench hand" is no input of jacobian'),
        (("bias",), {"given": ["gravty"]}, "Did you mean 'gravity'"),
        (("bias",), {"given": ["gravity hand"]}, 'no given "gravity hand"'),
        (("inverse_dynamics",), {"given": ["wrench base"]}, "no joint of panda moves frame"),
        (("inverse_dynamics",), {"formulation": "lagrange"}, "no formulation"),
        (("inverse_dynamics",), {"actuated": ["joint1"]}, "has none"),
    ],
)
def test_what_cannot_be_prepared_is_refused(panda, asked, options, sentence):
    with pytest.raises(strobe.StrobeError, match=re.escape(sentence)):
        panda.prepared(*asked, **options)


def test_a_handle_refuses_what_the_method_refuses(panda):
    q, qd, _ = panda.random_state(seed=3)
    ask = panda.prepared("bias")
    with pytest.raises(strobe.StrobeError, match="bias of panda takes q, qd; got 1 array"):
        ask(q)
    with pytest.raises(strobe.StrobeError, match=r"qd has shape \(6,\); panda has 7 joints"):
        ask(q, qd[:6])
    locked = np.empty(7)
    locked.flags.writeable = False
    with pytest.raises(strobe.StrobeError, match="out"):
        ask(q, qd, out=locked)


@pytest.mark.parametrize("compiled", [True, False])
def test_a_keyword_that_a_handle_has_not_is_refused_by_what_it_takes(panda, compiled):
    robot = strobe.Robot(panda.model, compiled=compiled)
    ask, q = robot.prepared("jacobian"), robot.random_state(0)[0]
    for named in ({"frame": "tool"}, {"frame": "tool", "out": np.empty((6, 7))}):
        with pytest.raises(TypeError) as refused:
            ask(q, **named)
        assert str(refused.value) == (
            "what robot.prepared gives for jacobian of panda takes q by place, and out=; got frame=."
        )
