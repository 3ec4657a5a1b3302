"""The trial of caches: short, and what it says of a cache that forgets something."""

import pytest

from reliability import caches
from reliability.fields import changed
from strobe.compiler.runtime import kernels
from strobe.models.load import load_model


@pytest.mark.slow
def test_one_change_of_a_robot_is_felt_and_nothing_is_taken_from_the_cache_that_is_another():
    tally = caches.Tally()
    caches.attempt(1, tally, ["quantities"], most=1)
    assert (tally.robots, tally.changes, tally.failures) == (1, 1, [])


@pytest.mark.slow
def test_robots_with_fields_changed_compute_what_they_compute_without_a_cache():
    tally = caches.Tally()
    caches.attempt(0, tally)
    assert tally.failures == []
    assert tally.felt > tally.changes / 5


def test_a_cache_that_forgets_a_field_is_found_out(monkeypatch, tmp_path):
    monkeypatch.setattr(kernels, "fingerprint", lambda model: "the same for all")
    tally, model = caches.Tally(), load_model("planar2")
    (heavier,) = (x for x in changed(model, lambda x: 2 * x) if x.where == "bodies.1.inertial.m")
    with caches.kept_in(str(tmp_path)):
        before = caches.answer("weights", model, caches.How())
    caches._compare("weights", model, heavier, before, str(tmp_path), "seed 0", tally)
    assert tally.felt == 1
    (said,) = tally.failures
    assert said == "seed 0: weights of a robot with another bodies.1.inertial.m: other bits from the cache"


@pytest.fixture(autouse=True)
def weights(monkeypatch):
    """One quantity alone, which is compiled quickly."""
    monkeypatch.setitem(caches.SUBJECTS, "weights", lambda robot, how: [robot.gravity([0.1, 0.2])])
