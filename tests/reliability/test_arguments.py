"""A short version of `reliability.arguments`: some calls of every public function, and the trial itself."""

import inspect
import math

import pytest

import strobe
from reliability.arguments import Arguments, subjects, told
from reliability.workers import Failure, outcome
from strobe import mechanisms
from strobe.approximate import trade_off
from strobe.robot import Robot


def failures(numbers):
    trial = Arguments(seed=0)
    ended = ((k, outcome(lambda: trial.attempt(k), 60.0, k)) for k in numbers)  # noqa: B023  called at once
    return [f"{told(k)}\n{end}" for k, end in ended if isinstance(end, Failure)]


def test_calls_end_with_an_answer_or_a_sentence():
    assert failures(range(len(subjects()))) == []


@pytest.mark.slow
def test_more_calls_do_so_too():
    assert failures(range(len(subjects()), 5 * len(subjects()))) == []


def test_every_method_of_a_robot_is_called():
    names = {subject.name for subject in subjects()}
    methods = {
        f"Robot.{name}"
        for name in dir(Robot)
        if not name.startswith("_") and callable(getattr(Robot, name))
    }
    assert methods - names == {"Robot.kept"}
    functions = {f"strobe.{name}" for name in strobe.__all__ if not inspect.isclass(getattr(strobe, name))}
    assert functions <= names | {"strobe.__version__"}
    assert {"strobe.sweep", "strobe.read_log", "strobe.mechanisms.reduced", "Run.plot"} <= names


def test_an_exception_without_a_sentence_fails_the_trial(monkeypatch):
    monkeypatch.setattr("strobe.robot.dynamics.Dynamics.center_of_mass", lambda *_, **__: None.missing)
    number = [subject.name for subject in subjects()].index("Robot.center_of_mass")
    (said,) = failures([number])
    assert "AttributeError" in said


ARM, LINKAGE = strobe.load("planar2"), strobe.load("fourbar")
MOTION = ARM.plan([[0, 0], [0.1, 0.1]], "cubic", velocity=1.0, acceleration=1.0)
CURED = {  # calls that the trial found to end otherwise, and what they say
    "path is no text": (lambda: strobe.read_log(bytearray(b"a"), ARM), r"is no path; expected the name of a file"),
    "logs": (lambda: strobe.identify(ARM, 3), r"a log is a int; expected one of strobe\.read_log"),
    "columns of a log": (lambda: strobe.read_log("a.csv", ARM, columns=3), r"columns is 3; expected columns"),
    "topic": (lambda: strobe.read_log("a.csv", ARM, topic=[]), r"topic is \[\]; expected a name"),
    "columns of a table": (lambda: strobe.from_dh([], columns=1.5), r"columns is 1\.5; expected joint, theta"),
    "within": (lambda: trade_off(ARM, MOTION, within=[1, 2]), r"within is \[1, 2\]; expected a share above zero"),
    "seconds": (lambda: trade_off(ARM, MOTION, seconds=math.nan), r"seconds is nan; expected a time in seconds"),
    "methods": (lambda: trade_off(ARM, MOTION, methods=object), r"methods is <class 'object'>; expected names"),
    "progress": (lambda: trade_off(ARM, MOTION, progress=[]), r"progress is \[\]; expected a function"),
    "tracking": (lambda: trade_off(ARM, MOTION, tracking=False), r"tracking is False; expected a function"),
    "purpose": (lambda: mechanisms.counterbalance(ARM, purpose=[0.0]), r"purpose is \[0\.0\]; expected one of"),
    "chains": (lambda: mechanisms.combined(3, [0.1], [0.1]), r"chains is 3; expected a list of Chain"),
    "rates": (lambda: mechanisms.complete(LINKAGE, [0, 0, 0], 3), r"rates is 3; expected velocities by the names"),
    "accelerations": (
        lambda: mechanisms.complete(LINKAGE, [0, 0, 0], {}, [0.1]),
        r"accelerations is \[0\.1\]; expected accelerations by the names",
    ),
    "numbers": (lambda: mechanisms.block_equations(ARM, numbers=[1]), r"numbers is \[1\]; expected True or False"),
    "actuated": (lambda: mechanisms.led(LINKAGE, 0, 0, 0, 0, actuated=-1), r"actuated is -1; expected names"),
    "q": (lambda: mechanisms.independent(LINKAGE, [[1.0]]), r"q has shape \(1, 1\)"),
}  # fmt: skip


@pytest.mark.parametrize("kind", CURED)
def test_what_ended_otherwise_once_has_a_sentence(kind):
    call, sentence = CURED[kind]
    with pytest.raises(strobe.StrobeError, match=sentence):
        call()


def test_an_open_robot_has_no_conditions_that_follow_from_others():
    assert mechanisms.independent(ARM, [0.1, 0.2]) == (ARM, ())
