"""What is taken from the cache is what would be made now, whatever has changed since it was kept."""

import importlib
import pkgutil
from contextlib import suppress
from dataclasses import MISSING, dataclass, fields, replace

import numpy as np
import pytest

import strobe
from reliability.fields import changed
from strobe.compiler.runtime import cache
from strobe.compiler.runtime.kernels import Kernel
from strobe.compiler.runtime.marching import Marching
from strobe.quantities import QUANTITIES, Request
from strobe.quantities.catalogue import Quantity
from strobe.scalars import sin
from strobe.simulate.equations_of_motion import Law

ARM = strobe.load("planar2")


def limited(lower: float) -> strobe.Robot:
    """The arm with other position limits, and nothing else."""
    bodies = []
    for body in ARM.model.bodies:
        limits = replace(body.joint.limits, lower=lower, upper=1.0)
        bodies.append(replace(body, joint=replace(body.joint, limits=limits)))
    return strobe.Robot(replace(ARM.model, bodies=tuple(bodies)))


def fallen(robot: strobe.Robot) -> np.ndarray:
    rest = np.zeros(2)
    return strobe.simulate(robot, rest, rest, None, t=0.5, step=1e-4, stops=True, every=5000).q


@pytest.mark.slow
def test_a_robot_with_other_limits_hits_its_own_stops(folder, monkeypatch):
    ends = [fallen(limited(lower))[-1] for lower in (-1.0, -0.3)]
    assert len(list(folder.glob("*.o"))) > 0
    monkeypatch.setenv("STROBE_CACHE", "off")
    cache._folder.cache_clear()
    assert [end.tolist() for end in ends] == [fallen(limited(low))[-1].tolist() for low in (-1.0, -0.3)]
    assert ends[0][0] < -0.5 < ends[1][0]


# -- requests -------------------------------------------------------------------------------------------


def kinds_of_requests() -> list[type[Request]]:
    """Every kind of request that there is in the package."""
    for module in pkgutil.walk_packages(strobe.__path__, "strobe."):
        if not module.name.startswith(("strobe.cli", "strobe.study", "strobe.__main__")):
            with suppress(ImportError):  # of an extra that is not installed
                importlib.import_module(module.name)
    found = [Request]
    for kind in found:
        found += [each for each in kind.__subclasses__() if each.__module__.startswith("strobe.")]
    return list({kind.__qualname__: kind for kind in found}.values())  # of slots, a class is made twice


def other(field, value):
    """Another value of a field of a request; laws are told apart by what they compute."""
    if field.name in ("law", "cost"):
        return Law(strobe.trace(lambda q: [q[0], 2.0 * q[1]], q=2))
    if isinstance(value, bool):
        return not value
    if field.name == "frame":
        return "link2"
    if isinstance(value, Request):
        return Request("gravity")
    if field.name == "requests":
        return (Request("gravity"),)
    return ("link2",) if isinstance(value, tuple) else 3 if field.name == "rank" else "another"


def test_whatever_is_asked_otherwise_is_another_kernel():
    for kind in kinds_of_requests():
        asked = kind("inverse_dynamics")
        found = {Kernel(ARM.model, asked).fingerprint()}
        for field in fields(kind):
            value = "inverse_dynamics" if field.default is MISSING else getattr(asked, field.name)
            request = replace(asked, **{field.name: other(field, value)})
            found.add(Kernel(ARM.model, request).fingerprint())
        assert len(found) == 1 + len(fields(kind)), kind.__name__
        assert cache.is_source(kind.__module__)


def test_kinds_of_requests_are_told_apart_where_all_their_fields_are_alike():
    kinds = kinds_of_requests()
    assert len(kinds) >= 8
    assert len({Kernel(ARM.model, kind("inverse_dynamics")).fingerprint() for kind in kinds}) == len(kinds)


def test_laws_that_differ_in_one_number_are_two():
    laws = [Law(strobe.trace(lambda q, k=k: [k * q[0], q[1]], q=2)) for k in (0.1, 0.1 + 2**-56)]
    assert laws[0] != laws[1]


def test_every_number_of_a_weight_is_told_apart():
    from strobe.simulate.integrators import StageRequest

    asked = StageRequest("stage", weights=(0.5, 0.0, 1 / 3))
    others = [change.data for change in changed(asked) if "weights" in change.where]
    assert len(others) > 3
    assert len({Kernel(ARM.model, each).fingerprint() for each in others}) == len(others)


@pytest.mark.parametrize("kind", [sin, None], ids=["quantity", "class"])
def test_what_others_wrote_is_told_apart_by_what_it_computes(folder, monkeypatch, kind):
    def result(factor: float) -> list[float]:
        if kind is None:

            @dataclass(frozen=True, slots=True)
            class Asked(Request):  # the same name, as in a notebook whose cell is run again
                def evaluate(self, model, **numbers):
                    return [factor * x for x in numbers["q"]]

                def shape(self, model):
                    return (2,)

            request = Asked("gravity")
        else:
            own = Quantity(lambda asked, q: [factor * x for x in q], ("q",), ("n",))
            monkeypatch.setitem(QUANTITIES, "own", own)
            request = Request("own")
        return Kernel(ARM.model, request)({"q": np.array([1.0, 2.0])}).tolist()

    assert [result(2.0), result(3.0), result(2.0)] == [[2.0, 4.0], [3.0, 6.0], [2.0, 4.0]]


# -- functions of one's own -----------------------------------------------------------------------------

STIFFNESS = 4.0


def spring(q):
    return [-STIFFNESS * q[0], -STIFFNESS * q[1]]


def swung(law: strobe.compiler.runtime.traced.Traced, **how: bool) -> np.ndarray:
    return strobe.simulate(
        strobe.Robot(ARM.model, **how), [0.3, 0.2], [0, 0], law, t=0.02, step=1e-4, every=100
    ).q


@pytest.mark.slow
def test_a_law_is_what_it_was_when_it_was_traced(folder, monkeypatch):
    law = strobe.trace(spring, q=2)
    monkeypatch.setitem(globals(), "STIFFNESS", 100.0)
    found = swung(law)  # the first that is compiled of this law
    assert np.abs(swung(strobe.trace(spring, q=2)) - found).max() > 1e-4
    assert swung(law, compiled=False) == pytest.approx(found, rel=1e-9)
    monkeypatch.setitem(globals(), "STIFFNESS", 4.0)
    assert np.array_equal(swung(strobe.trace(spring, q=2)), found)
    monkeypatch.setenv("STROBE_CACHE", "off")
    cache._folder.cache_clear()
    assert np.array_equal(swung(strobe.trace(spring, q=2)), found)


def test_a_traced_function_is_interpreted_as_it_was_traced(monkeypatch):
    law = strobe.trace(spring, q=2)
    slope = law.jacobian()
    monkeypatch.setitem(globals(), "STIFFNESS", 100.0)
    x = np.array([[1.0, 2.0], [0.5, -1.0]])
    assert np.array_equal(law.code._interpreted(x), law(x))
    assert np.array_equal(slope.code._interpreted(x), slope(x))
    assert law.written(q=[1.0, 2.0]) == [-100.0, -200.0]


# -- recurrences ----------------------------------------------------------------------------------------


def test_whatever_of_a_recurrence_is_changed_is_another_march(monkeypatch):
    from strobe.compiler.graph.recurrence import Call, Recurrence, Signal

    program = strobe.trace(lambda x, h: [x[0] + h[0], x[1]], x=2, h=1)
    base = Recurrence(
        2, {"c": 1, "d": 1}, {"h": Signal(1), "k": Signal(1, 2)},
        (Call("step", ("state", "h @0"), "next"), Call("step", ("next", "h @0"), "next")), "next", ("next", 0, 1),
    )  # fmt: skip
    named: list[str] = []

    def entry(name, make):
        named.append(name)
        return cache.Entry(1, b"")

    monkeypatch.setattr(cache, "fetch", entry)
    recurrences = [base, *(change.data for change in changed(base))]
    for recurrence in recurrences:
        assert Marching(ARM.model, {"step": program}, recurrence).code is None
    assert len(recurrences) > 20
    assert len(set(named)) == len(named) == len(recurrences)


# -- sources --------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_nothing_is_traced_through_modules_whose_sources_no_key_is_made_from(python):
    script = """
import sys
import numpy as np
import strobe
arm = strobe.Robot(strobe.load("planar2").model, compiled=False)
rest = np.zeros(2)
arm.inverse_dynamics(rest, rest, rest)
strobe.simulate(arm, rest, rest, None, t=1e-3, step=1e-4, stops=True, limits=True)
arm.control([[0.0, 0.0], [0.1, 0.1]], bounds={"acceleration": 1.0}, t=0.01, check=False)
arm.inverse_kinematics(arm.forward_kinematics(rest), what="position")
from strobe.runtime.cache import is_source
print([name for name in sys.modules if name.split(".")[0] == "strobe" and not is_source(name)])
"""
    assert python(script) == "[]"
