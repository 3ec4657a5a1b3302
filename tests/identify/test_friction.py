"""Terms of friction: presliding elements against their definition, and names."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

import strobe
from strobe.errors import ArgumentError
from strobe.identify import identify
from strobe.identify.friction import TERMS, Motion, bent, chosen, direction
from strobe.identify.torque_rows import undriven


@given(st.lists(st.floats(-1, 1), min_size=2, max_size=60), st.floats(1e-3, 1.0))
def test_an_element_goes_along_each_step_as_its_equation_says(places: list[float], reach: float):
    q = np.array(places)[:, None]
    z = 0.0
    for before, after, found in zip(q[:-1, 0], q[1:, 0], bent(q, [reach])[1:, 0, 0], strict=True):
        s = np.sign(after - before)
        z = s + (z - s) * np.exp(-abs(after - before) / reach)
        assert found == pytest.approx(z, abs=1e-9)


def test_an_element_turns_over_its_reach_and_rests_where_it_is():
    q = np.concatenate([np.linspace(0, 1, 101), np.ones(50), np.linspace(1, 0.9, 11)])[:, None]
    z = bent(q, [0.01])[:, 0, 0]
    assert z[100] == pytest.approx(1.0)
    assert np.allclose(z[100:151], z[100], atol=1e-12)
    assert z[152] == pytest.approx(-1 + 2 * np.exp(-1.0))


@given(st.lists(st.floats(-1, 1), min_size=4, max_size=40), st.integers(1, 39))
def test_chunks_follow_each_other(places: list[float], cut: int):
    q = np.array(places)[:, None]
    cut = min(cut, len(q) - 1)
    whole = bent(q, [0.1, 0.3])
    rest = bent(q[cut - 1 :], [0.1, 0.3], whole[cut - 1])
    assert np.allclose(rest, whole[cut - 1 :], atol=1e-12)


def test_an_unknown_term_is_refused_with_those_there_are():
    with pytest.raises(ArgumentError) as refused:
        chosen(["viscous", "colomb"])
    assert str(refused.value) == (
        f"friction: there is no term \"colomb\". Did you mean 'coulomb'? There are {', '.join(TERMS)}."
    )


def test_saturating_friction_never_falls_and_grows_ever_more_slowly():
    speed = np.linspace(-5, 5, 2001)[:, None]
    for column in TERMS["saturating"].columns(Motion(0 * speed, speed, 0 * speed)):
        slope = np.diff(column[:, 0])
        assert (slope > 0).all()
        assert (np.diff(slope[1000:]) < 0).all()
        assert np.abs(column).max() < 1


def test_the_speed_within_which_friction_falls_is_found(lab):
    arm = strobe.load("planar3")
    t, q, qd, qdd = lab.motion(arm, 4)
    falls, size = np.array([0.08, 0.15, 0.3]), np.array([2.0, 1.5, 1.0])
    bare = arm.with_model(undriven(arm.model)).inverse_dynamics(q, qd, qdd)
    tau = bare + 0.5 * qd + direction(qd) * (1.0 + size * np.exp(-((qd / falls) ** 2)))
    tau = tau + np.random.default_rng(0).normal(size=q.shape) * 0.02
    log = lab.log_of(arm, t, q, tau)
    found = identify(arm, log, friction=["viscous", "coulomb", "stribeck"], delay=0)
    assert found.speeds == pytest.approx(falls, rel=0.1)
    assert found.friction[:, found.symbols.index("cs")] == pytest.approx(size, rel=0.1)
    plain = identify(arm, log, friction=["viscous", "coulomb"], delay=0)
    assert (found.logs[0].after < 0.6 * plain.logs[0].after).all()
    assert "stribeck" in found.friction_terms
