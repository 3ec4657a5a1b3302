"""A short version of `reliability.arguments`: some calls of every public function, and the trial itself."""

import pytest

from reliability.arguments import Arguments, subjects, told
from reliability.workers import Failure, outcome
from strobe.robot import Robot


def failures(numbers):
    trial = Arguments(seed=0)
    ended = ((k, outcome(lambda: trial.attempt(k), 60.0, k)) for k in numbers)  # noqa: B023  called at once
    return [f"{told(k)}\n{end}" for k, end in ended if isinstance(end, Failure)]


def test_calls_end_with_an_answer_or_a_sentence():
    assert failures(range(len(subjects()))) == []


@pytest.mark.slow
def test_more_calls_do_so_too():
    assert failures(range(len(subjects()), 15 * len(subjects()))) == []


def test_every_method_of_a_robot_is_called():
    names = {subject.name for subject in subjects()}
    methods = {
        f"Robot.{name}"
        for name in dir(Robot)
        if not name.startswith("_") and callable(getattr(Robot, name))
    }
    assert methods - names == {"Robot.kept"}
    assert {"strobe.load", "strobe.simulate", "strobe.sweep", "strobe.convert_state", "Run.plot"} <= names


def test_an_exception_without_a_sentence_fails_the_trial(monkeypatch):
    monkeypatch.setattr("strobe.robot.dynamics.Dynamics.center_of_mass", lambda *_, **__: None.missing)
    number = [subject.name for subject in subjects()].index("Robot.center_of_mass")
    (said,) = failures([number])
    assert "AttributeError" in said
