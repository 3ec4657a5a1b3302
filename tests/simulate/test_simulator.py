"""A simulation called again with other numbers: what may be kept from run to run, and what may not."""

import copy
import pickle
import warnings
import weakref

import numpy as np
import pytest

import strobe
import strobe.compiler.runtime.marching
from strobe.errors import StrobeError
from strobe.robot.recent import MOST
from strobe.simulate import Attach, Run, RunStatus, Simulator, Stops, TimeSeries, step_size
from strobe.simulate.fixed_steps import Stepping
from strobe.simulate.integrators import FIXED, fixed_method
from strobe.simulate.problem import problem

ROBOT = strobe.load("pendulum3")
START = [0.3, 0.8, 0.4], [0.1, 0.0, -0.2]
TAU = [0.5, -0.2, 0.1]

SETTLED = {
    "plain": {"step": 1e-3},
    "chosen": {},
    "euler": {"method": "semi-implicit-euler", "step": 1e-3},
    "adaptive": {"method": "rk45"},
    "limits": {"step": 1e-3, "limits": True},
    "stops": {"step": 1e-3, "stops": Stops(1000.0, 10.0)},
    "wrench": {"step": 1e-3, "wrench": [1.0, 2.0, 3.0, 0.1, 0.2, 0.3]},
    "wrench over time": {"step": 1e-3, "wrench": TimeSeries([0, 0.005, 0.02], np.ones((3, 6)))},
    "payload": {"step": 1e-3, "payload": [[0.3, 0, 0, 0.1], [0.1, 0, 0, 0]]},
    "events": {"step": 1e-3, "events": [Attach(0.005, 0.5)]},
    "rows": {"step": 1e-3, "every": 7},
    "conserved": {"step": 1e-3, "conserve_energy": True},
}


def numbers(run: Run):
    """All that a run holds, to be compared bit for bit."""
    books, point = run.audit, run.checkpoint
    arrays = [run.times, run.q, run.qd, run.tau, run.status, run.stopped, run.cut]
    arrays += [books.energy, books.work, books.events, point.state, point.energy]
    return [x.tobytes() for x in arrays], run.notes, dict(point.setting)


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@pytest.mark.parametrize("words", SETTLED.values(), ids=SETTLED)
def test_a_simulator_answers_what_simulate_does(words):
    held = ROBOT.simulator(**words)
    for scale in (1.0, 0.7):
        given = [[scale * x for x in START[0]], START[1], TAU, 0.02]
        assert numbers(held(*given)) == numbers(strobe.simulate(strobe.load("pendulum3"), *given, **words))


def test_a_simulator_travels():
    held = pickle.loads(pickle.dumps(ROBOT.simulator(step=1e-3, limits=True)))
    assert isinstance(held, Simulator)
    expected = strobe.simulate(ROBOT, *START, TAU, 0.01, step=1e-3, limits=True)
    assert np.array_equal(held(*START, TAU, 0.01).q, expected.q)
    assert repr(held) == "<simulator of pendulum3: method='rk4', step=0.001, limits=True>"
    with pytest.raises(TypeError):
        held.words["step"] = 1.0


REFUSED = {
    "step is -1; expected a time above zero.": {"step": -1},
    "no keyword \"stepp\" in simulator. Did you mean 'step' or 'stops'? (18 keywords)": {"stepp": 1},
    "friction is 3; expected True or False.": {"friction": 3},
    "limits is 1; expected True or False.": {"limits": 1},
    "formulation is 3; expected the name of one.": {"formulation": 3},
    "method is 3; expected a name.": {"method": 3},
    "threads is 0; expected a number of threads, 1 or more.": {"threads": 0},
    "payload has shape (1,); it is mass and centre, or ten parameters, expected (..., 4) or (..., 10).": {
        "payload": [1]
    },
}


@pytest.mark.parametrize("sentence", REFUSED, ids=lambda each: each[:24])
def test_a_word_is_refused_when_it_is_settled(sentence):
    with pytest.raises(StrobeError) as refused:
        ROBOT.simulator(**REFUSED[sentence])
    assert str(refused.value) == sentence


@pytest.mark.parametrize("word", ["friction", "limits", "conserve_energy", "error"])
def test_what_was_right_once_does_not_make_its_like_right(word):
    strobe.simulate(ROBOT, *START, TAU, 0.002, step=1e-3, **{word: True})
    with pytest.raises(StrobeError, match=f"{word} is 1; expected True or False."):
        strobe.simulate(ROBOT, *START, TAU, 0.002, step=1e-3, **{word: 1})


def test_a_function_that_reads_something_is_asked_what_it_reads_now():
    gain = [1.0]

    def pull(t, q, qd):
        return -gain[0] * q

    def traced():
        return strobe.trace(
            lambda q, qd: [-gain[0] * x + 0.0 * v for x, v in zip(q, qd, strict=True)], q=3, qd=3
        )

    runs = []
    for gain[0] in (1.0, 5.0):
        runs.append([strobe.simulate(ROBOT, *START, law, 0.002, step=1e-3) for law in (pull, traced())])
    for before, after in zip(*runs, strict=True):
        assert np.allclose(5.0 * before.tau[0], after.tau[0], rtol=1e-12)


def test_runs_of_many_laws_leave_few_outlines():
    for k in range(MOST + 6):
        law = strobe.trace(lambda qd, k=k: [-(1.0 + k) * v for v in qd], qd=3)
        problem(ROBOT, *START, law, 0.01)
    assert len(ROBOT.kept("outlines", list)) == MOST


def test_a_run_is_not_changed_by_what_becomes_of_its_arguments():
    q, qd, tau = (np.array(x) for x in (*START, TAU))
    run = strobe.simulate(ROBOT, q, qd, tau, 0.02, step=1e-3)
    for x in (q, qd, tau):
        x[:] = 9.0
    assert numbers(run) == numbers(strobe.simulate(ROBOT, *START, TAU, 0.02, step=1e-3))


def test_what_nobody_has_read_travels_and_is_copied_with_the_run():
    def fresh():
        return strobe.simulate(ROBOT, *START, TAU, 0.02, step=1e-3)

    expected = numbers(fresh())
    assert numbers(pickle.loads(pickle.dumps(fresh()))) == expected
    assert numbers(copy.copy(fresh())) == numbers(copy.deepcopy(fresh())) == expected
    with pytest.raises(AttributeError, match="'Run' object has no attribute 'energies'"):
        _ = fresh().energies


def test_the_last_row_is_the_same_whether_it_is_written_with_the_others_or_by_itself():
    batch = ROBOT.random_state(1, 5)[0], np.zeros((5, 3)), np.outer([0, 1e9, 0, 1, 2], [1, 1, 1])
    for given in ((*START, TAU), batch):
        at_once = strobe.simulate(ROBOT, *given, 0.02, step=1e-3)
        watched = strobe.simulate(ROBOT, *given, 0.02, step=1e-3, watch=lambda t: None)
        assert numbers(at_once) == numbers(watched)


@pytest.mark.parametrize("method", FIXED)
@pytest.mark.parametrize("name", ["pendulum3", "planar2", "stanford"])
def test_a_step_that_is_surely_stable_is_too_long_for_no_mode(name, method):
    robot, chosen = strobe.load(name), fixed_method(method)
    q, qd, _ = robot.random_state(3, 6)
    for scale in (0.0, 1.0, 20.0):
        asked = problem(robot, q, scale * qd, None, 1.0)
        sure = step_size.surely_stable(asked, chosen)
        found = step_size.modes(asked)
        assert 0 < sure <= step_size.longest_stable(chosen, found.eigenvalues).min()
        assert step_size.too_long(asked, chosen, sure, found) is None


def test_an_interrupt_at_the_end_leaves_a_run_to_go_on_with(monkeypatch):
    run = strobe.compiler.runtime.marching.Marching.__call__

    def interrupted(self, *args):
        run(self, *args)
        raise KeyboardInterrupt

    given = *START, TAU, 0.02
    with monkeypatch.context() as m:
        m.setattr("strobe.compiler.runtime.marching.Marching.__call__", interrupted)
        part = strobe.simulate(ROBOT, *given, step=1e-3)
    assert part.status == 2
    rest = strobe.simulate(ROBOT, *given, step=1e-3, resume=part.checkpoint)
    assert numbers(rest) == numbers(strobe.simulate(ROBOT, *given, step=1e-3))


ROOM = np.array([0.4, 0.3, -0.2]), np.array([0.2, -0.1, 0.3]), np.array([0.3, 0.1, -0.4])
LATER = {  # what comes after runs that left something behind
    "other numbers": lambda q, qd, tau: ((0.9 * q, 1.1 * qd, -tau, 0.01), {"step": 1e-3}),
    "another step": lambda q, qd, tau: ((q, qd, tau, 0.01), {"step": 5e-4}),
    "another duration": lambda q, qd, tau: ((q, qd, tau, 0.0125), {"step": 1e-3}),
    "another method": lambda q, qd, tau: ((q, qd, tau, 0.01), {"step": 1e-3, "method": "rk8"}),
    "fewer rows": lambda q, qd, tau: ((q, qd, tau, 0.01), {"step": 1e-3, "every": 3}),
    "limits": lambda q, qd, tau: ((q, qd, tau, 0.01), {"step": 1e-3, "limits": True}),
    "no friction": lambda q, qd, tau: ((q, qd, tau, 0.01), {"step": 1e-3, "friction": False}),
    "another formulation": lambda q, qd, tau: (
        (q, qd, tau, 0.01),
        {"step": 1e-3, "formulation": "newton-euler-base"},
    ),
    "energy conserved": lambda q, qd, tau: ((q, qd, tau, 0.01), {"step": 1e-3, "conserve_energy": True}),
    "several starts": lambda q, qd, tau: ((np.array([q, 0.5 * q]), qd, tau, 0.01), {"step": 1e-3}),
    "several torques": lambda q, qd, tau: ((q, qd, np.array([tau, 2 * tau]), 0.01), {"step": 1e-3}),
    "zeros with a sign": lambda q, qd, tau: ((0.0 * q, -0.0 * qd, -0.0 * tau, 0.01), {"step": 1e-3}),
    "a list": lambda q, qd, tau: ((q.tolist(), qd, tau, 0.01), {"step": 1e-3}),
    "a view": lambda q, qd, tau: ((np.repeat(q, 2)[::2], qd, tau[::-1], 0.01), {"step": 1e-3}),
    "what cannot be written to": lambda q, qd, tau: ((q, qd, _locked(tau), 0.01), {"step": 1e-3}),
    "single precision": lambda q, qd, tau: ((q.astype(np.float32), qd, tau, 0.01), {"step": 1e-3}),
    "a start beyond a limit": lambda q, qd, tau: ((q + 9.0, qd, tau, 0.01), {"step": 1e-3}),
    "a step that is too long": lambda q, qd, tau: ((q, 30.0 * qd, tau, 0.9), {"step": 0.3}),
    "a run that is lost": lambda q, qd, tau: ((q, qd, 1e200 * tau, 0.01), {"step": 1e-3}),
    "times": lambda q, qd, tau: ((q, qd, tau, np.array([0.0, 0.004, 0.01])), {"step": 1e-3}),
}


def _locked(array):
    array = array.copy()
    array.setflags(write=False)
    return array


def _told(robot, asked, words):
    """A run, and what was said while it ran."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        run = strobe.simulate(robot, *asked, **words)
    return numbers(run), run.notes, [str(each.message) for each in said], run.exceeded


@pytest.mark.parametrize("what", LATER)
def test_what_a_run_leaves_behind_does_not_change_a_later_one(what):
    asked, words = LATER[what](*ROOM)
    used = strobe.Robot(ROBOT.model)
    for factor in (1.0, 0.8, 0.7):
        strobe.simulate(used, *(factor * x for x in ROOM), 0.01, step=1e-3)
    expected = _told(strobe.Robot(ROBOT.model), asked, words)
    for _ in range(3):
        assert repr(_told(used, asked, words)) == repr(expected)


EDITED = {
    "gravity": lambda: strobe.load("pendulum3", gravity=[0.0, 0.0, -1.6]),
    "what it carries": lambda: ROBOT.with_payload(0.7),
    "parameters": lambda: ROBOT.with_parameters(1.1 * ROBOT.parameters),
}


@pytest.mark.parametrize("what", EDITED)
def test_a_robot_that_was_changed_runs_as_one_that_never_ran_before(what):
    words = {"step": 1e-3}
    for _ in range(3):
        plain = _told(ROBOT, (*ROOM, 0.01), words)
    changed = EDITED[what]()
    first = _told(changed, (*ROOM, 0.01), words)
    assert repr(_told(changed, (*ROOM, 0.01), words)) == repr(first)
    assert first[0] != plain[0]
    assert first[0] == numbers(
        strobe.simulate(strobe.Robot(changed.model), *map(list, ROOM), 0.01, **words)
    )


@pytest.mark.parametrize("spoilt", range(3))
def test_numbers_that_are_none_are_refused_after_good_ones_too(spoilt):
    strobe.simulate(ROBOT, *ROOM, 0.01, step=1e-3)
    bad = [x.copy() for x in ROOM]
    bad[spoilt][1] = np.nan
    name = ("q0", "qd0", "torque")[spoilt]
    with pytest.raises(StrobeError, match=f"^{name} holds a number that is not finite"):
        strobe.simulate(ROBOT, *bad, 0.01, step=1e-3)


def test_a_run_is_let_go_as_soon_as_nobody_holds_it():
    simulated = ROBOT.simulator(step=1e-3)
    gone = [weakref.ref(simulated(*ROOM, 0.01)) for _ in range(4)]
    assert not any(each() for each in gone)


def test_a_run_that_is_interrupted_at_its_only_chunk_goes_on_with_the_same_bits(monkeypatch):
    words = {"step": 1e-3}
    expected = strobe.simulate(ROBOT, *ROOM, 0.01, **words)
    with monkeypatch.context() as patched:

        def interrupted(*_):
            raise KeyboardInterrupt

        patched.setattr(Stepping, "run", interrupted)
        run = strobe.simulate(ROBOT, *ROOM, 0.01, **words)
    assert run.status == RunStatus.INTERRUPTED
    assert len(run.times) == 0
    again = strobe.simulate(ROBOT, *ROOM, 0.01, resume=run.checkpoint, **words)
    assert np.array_equal(again.q, expected.q)


def test_a_keyword_of_a_run_is_refused_by_the_name_of_the_handle():
    with pytest.raises(TypeError) as refused:
        ROBOT.simulator(step=1e-3)(*START, TAU, 0.01, every=2)
    assert str(refused.value) == (
        "a simulator of pendulum3 takes q0, qd0, torque and t; got every=. What is settled once goes to "
        "robot.simulator."
    )
