"""A short version of `reliability.readers`: inputs that once failed, a few hundred others, and the trial itself."""

import os
import signal
from random import Random

import pytest
from hypothesis import given, settings, strategies as st

from reliability.inputs import BY_NAME, SECONDS, TARGETS, small
from reliability.mutations import GRAMMARS, mutated
from reliability.readers import REGRESSIONS, Readers, fails_alike, kept_input, seeds
from reliability.smaller import smaller
from reliability.workers import READ, REFUSED, Failure, outcome, tried
from strobe.errors import ArgumentError, StrobeError
from strobe.trajectory.reading import request_from

FILES = sorted(path for target in TARGETS for path in (REGRESSIONS / target.name).glob("*"))
ENOUGH = 5 * SECONDS  # on a machine that does other things too


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_what_once_failed_is_read_or_refused(path):
    target, data = BY_NAME[path.parent.name], path.read_bytes()
    assert outcome(lambda: target(data), ENOUGH) in (READ, REFUSED)


@pytest.mark.slow
@pytest.mark.parametrize("target", TARGETS, ids=lambda each: each.name)
def test_inputs_made_worse_are_read_or_refused(target):
    made = (mutated(Random(k), target.grammar, seeds(target)) for k in range(80))
    ends = [outcome(lambda data=data: target(data), ENOUGH) for data in made]
    assert {end for end in ends if isinstance(end, Failure)} == set()
    assert READ in ends or target.name in ("request-toml", "request-json", "log-gzip")


@pytest.mark.parametrize("target", TARGETS, ids=lambda each: each.name)
def test_most_seeds_are_inputs_that_the_target_takes(target):
    ends = [outcome(lambda data=data: target(data), 12.0) for data in seeds(target)]
    assert ends.count(READ) > len(ends) / 2 or target.name == "xacro-attack"
    assert {end for end in ends if isinstance(end, Failure)} == set()


def test_an_input_is_the_same_in_every_process():
    one, other = Readers(7), Readers(7)
    assert [one.input(k) for k in range(60)] == [other.input(k) for k in range(60)]
    assert one.input(3) != Readers(8).input(3)


def test_an_input_is_the_same_at_every_time(monkeypatch):
    target, made = BY_NAME["torques-npz"], []
    for year in (1999, 2026):
        monkeypatch.setattr("time.localtime", lambda *_, year=year: (year, 1, 1, 0, 0, 0, 0, 1, 0))
        found = target.seeds()
        made.append([*found, *(mutated(Random(k), "npz", found) for k in range(20))])
    assert made[0] == made[1]


@pytest.mark.parametrize("grammar", GRAMMARS)
def test_every_mutation_takes_any_bytes(grammar):
    rng = Random(1)
    for mutation in GRAMMARS[grammar]:
        for data in (b"", b"x", b"<a b='1'>", rng.randbytes(300)):
            assert isinstance(mutation(rng, data, [b"seed", b""]), bytes)


numbers = st.floats() | st.integers() | st.sampled_from([10**400, "pi/2", "free", True, None])
values = st.recursive(
    numbers | st.text(max_size=5), lambda inner: st.lists(inner, max_size=3), max_leaves=6
)
keys = st.sampled_from(
    ["q", "qd", "time", "name", "position", "rpy", "quaternion", "pose", "twist", "else"]
)
bounds = st.sampled_from(["velocity", "acceleration", "jerk", "effort", "lower", "upper", "joint1"])
points = st.dictionaries(keys, values | st.lists(numbers, min_size=2, max_size=2), max_size=4)
requests = st.fixed_dictionaries(
    {},
    optional={
        "points": st.lists(points, max_size=3) | values,
        "bounds": st.dictionaries(bounds, values, max_size=3) | values,
        "envelope": values,
        "method": st.sampled_from(["cubic", "quintic", 3]) | values,
        "frame": values,
        "parameters": st.dictionaries(st.text(max_size=3), values, max_size=2) | values,
    },
)


@pytest.mark.slow
@settings(max_examples=40)
@given(requests)
def test_a_request_of_any_shape_is_read_or_refused(request):
    end = outcome(lambda: request_from(small(), request, "request.toml"), ENOUGH)
    assert end in (READ, REFUSED)


# -- the trial itself -----------------------------------------------------------------------------------------


class Bad:
    """Five inputs, each with another fault, and one without."""

    rows, memory, lifetime = ["even", "odd"], 2**28, 4

    def prepare(self):
        pass

    def row(self, number):
        return number % 2

    def seconds(self, number):
        return 0.2

    def attempt(self, number):
        if number == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        if number == 2:
            while True:
                pass
        if number == 3:
            return bytes(2**29)
        if number == 4:
            raise ArgumentError("a sentence.")
        if number == 5:
            raise KeyError("no sentence")
        return None


@pytest.mark.slow
def test_crashes_hangs_floods_and_foreign_exceptions_are_told_by_the_input_that_made_them(capsys):
    counts, failures = tried(Bad(), inputs=10, processes=2)
    assert {(each.number, each.kind) for each in failures} == {
        (1, "crash"), (2, "hang"), (3, "memory"), (5, "KeyError"),
    }  # fmt: skip
    assert counts == {"even": (3, 1), "odd": (2, 0)}
    assert "input 5: KeyError at" in capsys.readouterr().err


def test_a_refusal_needs_a_sentence():
    def silent():
        raise StrobeError

    assert outcome(silent, 1.0).kind == "no sentence"


def test_what_an_input_does_not_need_to_fail_is_left_out():
    data = b"one\ntwo\nthree BAD line\nfour\n"
    assert smaller(data, lambda made: b"BAD" in made) == b"BAD"


def test_an_input_that_fails_is_kept_as_a_small_file(tmp_path, monkeypatch):
    target = BY_NAME["expression"]
    bad = type(target)("made", "text", ".txt", lambda: [b"1"], lambda data: 1 / (b"!" not in data))
    data = b"a sign!"
    failure = outcome(lambda: bad(data), 1.0)
    monkeypatch.setattr("reliability.readers.REGRESSIONS", tmp_path)
    path = kept_input(bad, data, failure)
    assert path.read_bytes() == b"!"
    assert path.parent == tmp_path / "made"
    assert fails_alike(bad, b"! again", failure)
    assert not fails_alike(bad, b"none", failure)
