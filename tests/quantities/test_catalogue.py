"""The record of a quantity is true: of its function, of the method of `Robot`, and of what is told of it."""

import inspect
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import strobe
from strobe.compiler.export.argument_meanings import RESULTS, meanings
from strobe.errors import UnknownNameError, UnsupportedModelError
from strobe.models.inertial import Inertial
from strobe.quantities import QUANTITIES, Quantity, Request
from strobe.quantities.kinematics import jacobian

EMPTY = inspect.Parameter.empty
STANDS_FOR = {"wrench": "loaded"}  # what a keyword is called in a request
LOOPS = [name for name in QUANTITIES if name.startswith(("loop_", "closed_"))]
DEFAULTS = {
    "friction": True,
    "drives": False,
    "form": "christoffel",
    "reference": "aligned",
    "accelerated": (),
}
ROBOTS = {
    "stanford": lambda: strobe.load("stanford"),
    "fourbar": lambda: strobe.load("fourbar"),
    "floating": lambda: strobe.load("planar2").with_base("floating"),
}


@pytest.fixture(scope="module")
def arm():
    return strobe.load("planar2")


def parameters(name: str) -> dict[str, inspect.Parameter]:
    """What the method of a quantity takes."""
    found = dict(inspect.signature(getattr(strobe.Robot, name)).parameters)
    del found["self"]
    return found


def complains_of(robot: strobe.Robot, name: str, option: str) -> bool:
    """Whether the function of a quantity looks at an option: then it knows nothing of the name that nothing has."""
    nobody: Any = {"frame": robot.frames[0], option: "\0"}
    request = Request(name, **nobody)
    state = {key: [0.5] * size for key, size in request.inputs(robot.model).items()}
    try:
        request.evaluate(robot.model, **state)
    except UnknownNameError:
        return True
    except ZeroDivisionError:
        return False
    return False


# -- the method ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", QUANTITIES)
def test_a_method_takes_the_states_of_its_record_first_and_then_its_keywords(name: str):
    record, takes = QUANTITIES[name], parameters(name)
    positional = [key for key, each in takes.items() if each.kind is each.POSITIONAL_OR_KEYWORD]
    keywords = {*record.keywords, *record.of_closed_chains}
    assert [key for key in positional if key not in keywords] == list(record.states)
    assert takes.keys() - {*record.states} == keywords
    needed = {key for key, each in takes.items() if each.default is EMPTY}
    assert {*record.states} - {"dt"} <= needed <= {*record.states, "frame"}


@pytest.mark.parametrize("name", QUANTITIES)
def test_keywords_have_the_same_default_in_every_method(name: str):
    for key, each in parameters(name).items():
        if key not in QUANTITIES[name].states and each.default is not EMPTY:
            assert each.default == DEFAULTS.get(key), key


@pytest.mark.parametrize("name", QUANTITIES)
def test_a_method_says_what_it_answers_in_words_and_types(name: str):
    method = getattr(strobe.Robot, name)
    assert inspect.getdoc(method)
    hints = inspect.signature(method)
    assert hints.return_annotation is not EMPTY
    assert all(each.annotation is not EMPTY for key, each in hints.parameters.items() if key != "self")


@pytest.mark.parametrize("name", [name for name in QUANTITIES if name not in LOOPS])
def test_a_method_answers_in_the_shape_of_its_record(arm: strobe.Robot, name: str):
    record, model = QUANTITIES[name], strobe.Robot(arm.model, compiled=False)
    sizes = Request(name, frame="tool" if record.of_a_frame else None).inputs(arm.model)
    given: dict[str, Any] = {key: np.full((3, size), 0.3) for key, size in sizes.items()}
    given |= {"dt": 0.1} if "dt" in given else {}
    given |= {"frame": "tool"} if record.of_a_frame else {}
    found = getattr(model, name)(**given)
    whole = np.stack(found, axis=1) if isinstance(found, tuple) else found
    assert whole.shape == (3, *Request(name).shape(arm.model))


def test_every_public_array_method_that_asks_for_one_quantity_is_of_the_catalogue():
    """What has out= computes one quantity."""
    methods = inspect.getmembers(strobe.Robot, inspect.isfunction)
    taking = {name: inspect.signature(method).parameters.keys() for name, method in methods}
    computed = {name for name, taken in taking.items() if {"out", "threads"} <= taken and name[0] != "_"}
    assert computed - QUANTITIES.keys() == {"evaluate"}


# -- the function -------------------------------------------------------------------------------------


@pytest.mark.parametrize("which", ROBOTS)
@pytest.mark.parametrize("name", QUANTITIES)
def test_a_function_looks_at_a_frame_and_at_formulations_where_its_record_says_so(name: str, which: str):
    record, robot = QUANTITIES[name], ROBOTS[which]()
    for option, said in (("frame", record.of_a_frame), ("formulation", record.formulations)):
        try:
            assert complains_of(robot, name, option) == said
        except UnsupportedModelError:
            assert robot.model.is_closed


@pytest.mark.parametrize("name", QUANTITIES)
def test_a_keyword_is_an_option_of_a_request_or_of_the_run(name: str):
    record = QUANTITIES[name]
    options = {STANDS_FOR.get(key, key) for key in (*record.keywords, *record.of_closed_chains)}
    assert options - {"out", "threads"} <= Request.__dataclass_fields__.keys()
    assert ("formulation" in record.keywords) <= record.formulations


def test_robots_without_inertia_have_what_is_kinematic_and_nothing_else():
    closed = strobe.load("fourbar").model
    bodies = tuple(replace(body, inertial=Inertial.zero()) for body in closed.bodies)
    light = strobe.Robot(replace(closed, bodies=bodies, golden=()), compiled=False)
    for name, record in QUANTITIES.items():
        if record.kinematic:
            sizes = Request(name).inputs(light.model)
            given: dict[str, Any] = {key: np.full(size, 0.3) for key, size in sizes.items()}
            given |= {"dt": 0.1} if "dt" in given else {}
            given |= {"frame": light.moving_frames[-1]} if record.of_a_frame else {}
            assert np.isfinite(getattr(light, name)(**given)).all()
        elif not record.of_parameters:
            with pytest.raises(UnsupportedModelError, match="has no dynamics"):
                light.require(name)


def test_what_a_kinematic_quantity_is_of_a_massless_arm_can_be_exported():
    light = strobe.from_dh([{"joint": "R", "a": 1.0}, {"joint": "R", "a": 0.5}])
    assert light.model.without_dynamics
    for name, record in QUANTITIES.items():
        if record.kinematic and name not in LOOPS:
            assert light.export(name).files
    with pytest.raises(UnsupportedModelError, match="has no dynamics"):
        light.export("gravity")


# -- what is told -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", QUANTITIES)
def test_what_a_quantity_is_and_what_its_numbers_are_is_said_once(name: str):
    record = QUANTITIES[name]
    assert record.does
    assert record.does.isascii()
    if record.units:
        assert record.entries
        assert len(record.units) == len(record.result)
    else:
        assert (name in RESULTS) != bool(record.entries), "entries in the record, or else a row of RESULTS"
    robot = strobe.load("fourbar")
    assert meanings(robot, Request(name))["out"]


def test_a_quantity_is_added_by_its_record(arm: strobe.Robot, monkeypatch: pytest.MonkeyPatch):
    """A record alone is compiled, evaluated and exported."""

    def power(asked: Any, q: Any, qd: Any) -> Any:
        return [sum((x * v for x, v in zip(q, qd, strict=True)), 0.0) * v for v in qd]

    record = Quantity(power, ("q", "qd"), ("n",), "a power", entries="p, a power", units=("effort",))
    monkeypatch.setitem(QUANTITIES, "power", record)
    q, qd = np.array([1.0, 2.0]), np.array([3.0, 4.0])
    assert np.array_equal(arm.evaluate(Request("power"), {"q": q, "qd": qd}), [33.0, 44.0])
    source = next(text for name, text in arm.export("power").files.items() if name.endswith(".c"))
    assert "a power" in str(source)


def test_a_request_that_computes_by_itself_has_the_record_of_none():
    assert not Request("step").record.eliminates
    assert Request("jacobian").record.function is jacobian
