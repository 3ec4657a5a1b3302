"""The two-chain method of the paper: its values, the decoupling rule, nonlinear maps, and the closed form."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import strobe
from strobe.errors import ArgumentError, ShapeError
from strobe.mechanisms import Chain, combined
from strobe.models.load import load_model
from strobe.scalars import cos, sin

THETA, RATES, ACCELERATIONS = np.array([0.6, -0.35]), np.array([0.9, -1.3]), np.array([1.5, -0.7])
GOLDEN = {
    "D1": [[1.89711478052, 0.601757390259], [0.601757390259, 0.34]],
    "C1": [[-0.805281349741, -0.475848070302], [-0.32943327944, 0]],
    "G1": [27.5634925515, 8.29372168173],
    "D2": [[0.403340082608, 0.240695041304], [0.240695041304, 0.1802]],
    "C2": [[-0.186109467496, -0.0761356912483], [-0.109973776248, 0]],
    "G2": [9.14035881625, 4.21020203878],
    "D": [[1.2138, 0.322252431563], [0.322252431563, 0.44215]],
    "C": [[0, -0.585821846549], [-0.405568970688, 0]],
    "G": [23.4799729086, 13.2238784592],
}
DECOUPLED = {
    "D": [[1.2138, 0], [0, 1.85993106509]],
    "C": [[0, 0], [0, 0]],
    "G": [23.4799729086, -8.89980134309],
}
LIBRARY = Path(strobe.__file__).parent / "models/library/parallelogram.toml"


def linkage(model):
    """The two chains of the parallelogram, base-1-2 and base-3-4, as functions of θ."""
    tree = strobe.Robot(replace(model, couplings=(), loops=(), golden=()), compiled=False)
    return [
        Chain(tree.chain("pin_on_link2"), lambda x: [x[0], x[1] - x[0]]),
        Chain(tree.chain("pin_on_link4"), lambda x: [x[1], x[0] - x[1]]),
    ]


@pytest.fixture(scope="module")
def chains():
    return linkage(load_model("parallelogram"))


def test_the_parallelogram_has_the_values_of_the_paper(chains):
    found = combined(chains, THETA, RATES)
    parts = {f"{name}{k + 1}": getattr(part, name) for k, part in enumerate(found.chains) for name in "DCG"}
    for name, value in GOLDEN.items():
        ours = parts.get(name, getattr(found, name, None))
        assert ours == pytest.approx(np.array(value), rel=2e-11, abs=1e-12), name
    u = found.D @ ACCELERATIONS + found.C @ RATES + found.G
    assert u == pytest.approx([25.836664607, 13.0327400329], rel=1e-11)


def test_a_third_link_that_points_backwards_decouples_it(tmp_path):
    text = (
        LIBRARY.read_text()
        .replace("l3 = 0.2\n", f"l3 = {-0.45 / 0.52}\n")
        .replace("lc3 = 0.09", "lc3 = -0.09")
    )
    path = tmp_path / "decoupled.toml"
    path.write_text(text[: text.index("[[golden]]")])
    found = combined(linkage(load_model(path)), THETA, RATES)
    for name, value in DECOUPLED.items():
        assert getattr(found, name) == pytest.approx(np.array(value), rel=2e-11, abs=1e-12), name


def test_the_built_in_with_couplings_has_the_same_dynamics(chains):
    robot = strobe.Robot(load_model("parallelogram"), compiled=False)
    q, qd, _ = robot.random_state(1, batch=(2, 3))
    found = combined(chains, q, qd)
    assert pytest.approx(robot.mass_matrix(q), abs=1e-12) == found.D
    assert pytest.approx(robot.coriolis_matrix(q, qd), abs=1e-12) == found.C
    assert pytest.approx(robot.gravity(q), abs=1e-12) == found.G


def test_nonlinear_maps_keep_skewness_and_the_equations_of_lagrange():
    robot = strobe.Robot(strobe.load("planar3").model, compiled=False)
    maps = [Chain(robot, lambda x: [x[0], 0.5 * sin(x[0]) + x[1], cos(x[1]) * x[0]])]
    theta, rates = THETA, RATES
    found = combined(maps, theta, rates)
    h = 1e-6
    ahead, behind = (combined(maps, theta + s * h * rates, rates) for s in (1, -1))
    N = (ahead.D - behind.D) / (2 * h) - 2 * found.C
    assert pytest.approx(-N.T, abs=1e-8) == N

    def energies(x, xd):
        part = combined(maps, x, xd)
        q = np.array([x[0], 0.5 * np.sin(x[0]) + x[1], np.cos(x[1]) * x[0]])
        return xd @ part.D @ xd / 2, robot.energy(q, np.zeros(3))[1]

    units = np.eye(2) * h
    rise = [(energies(theta + u, rates)[0] - energies(theta - u, rates)[0]) / (2 * h) for u in units]
    slope = [(energies(theta + u, rates)[1] - energies(theta - u, rates)[1]) / (2 * h) for u in units]
    lagrange = (ahead.D - behind.D) / (2 * h) @ rates - rise
    assert found.C @ rates == pytest.approx(lagrange, abs=1e-7)
    assert pytest.approx(slope, abs=1e-7) == found.G


def test_the_closed_form_of_the_parallelogram_is_that_of_the_paper():
    shown = strobe.load("parallelogram").equations()
    names = "m1 m2 m3 m4 I1 I2 I3 I4 l1 l3 lc1 lc2 lc3 lc4 g"
    m1, m2, m3, m4, I1, I2, I3, I4, l1, l3, lc1, lc2, lc3, lc4, g = map(shown.ring.variable, names.split())
    (q1, q2), (qd1, qd2) = shown.q, shown.qd
    K, cosine = m2 * l1 * lc2 + m4 * l3 * lc4, cos(q1) * cos(q2) + sin(q1) * sin(q2)  # of δ = θ2 − θ1
    sine = sin(q2) * cos(q1) - cos(q2) * sin(q1)
    D11 = I1 + m1 * lc1 * lc1 + m2 * l1 * l1 + I4 + m4 * lc4 * lc4
    D22 = I2 + m2 * lc2 * lc2 + I3 + m3 * lc3 * lc3 + m4 * l3 * l3
    expected = {
        "mass_matrix": [[D11, K * cosine], [K * cosine, D22]],
        "coriolis_matrix": [[0.0, -(K * sine * qd2)], [K * sine * qd1, 0.0]],
        "gravity": [
            g * (m1 * lc1 + m2 * l1 + m4 * lc4) * cos(q1),
            g * (m2 * lc2 + m3 * lc3 + m4 * l3) * cos(q2),
        ],
    }
    for name, values in expected.items():
        ours, theirs = np.ravel(getattr(shown, name)), np.ravel(np.array(values, dtype=object))
        for x, y in zip(ours, theirs, strict=True):
            assert shown.ring.lower(x).equals(y), name


def test_the_decoupling_rule_is_printed():
    text = str(strobe.load("parallelogram").equations())
    assert "M is constant if and only if all of these vanish:\n    m2 l1 lc2 + m4 l3 lc4" in text


def test_maps_and_coordinates_that_do_not_fit_are_refused(chains):
    front, _ = chains
    with pytest.raises(ArgumentError, match="chains is empty"):
        combined([], THETA, RATES)
    with pytest.raises(ShapeError, match="^the map of "):
        combined([Chain(front.robot, lambda x: [x[0]])], THETA, RATES)
    with pytest.raises(ShapeError, match="theta_d has shape"):
        combined([front], THETA, [1.0])
