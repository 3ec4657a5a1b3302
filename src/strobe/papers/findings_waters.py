"""What robots say about the claims of [Waters1979]."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from strobe.algebra import Inertia, Motion, Sym3, Vec3
from strobe.formulations import formulation, strobing
from strobe.models.inertial import Inertial
from strobe.models.load import load_model
from strobe.models.model import Model
from strobe.papers import ledgers
from strobe.papers.findings import ID, ROUNDING, Finding, array, golden, only, state_of
from strobe.papers.findings_asada import counterbalanced
from strobe.papers.findings_counts import waters_shares
from strobe.scalars import Num


def balancing_saves_little() -> Finding:
    model = counterbalanced(load_model("planar2"))
    held = max(
        float(np.abs(array(strobing.gravity(ID, model, q))).max()) for q in ([0.0, 0.0], [0.7, -1.1])
    )
    share = waters_shares()["gravity"]
    figure = (
        f"true of the count ({100 * share:.1f} %); but a fully balanced planar2 needs no torque to stand "
        f"(at most {held:.0e}) and its H is constant, see A-5"
    )
    return Finding(figure, share < 0.1 and held < 1e-10)


def neglecting_outer_links() -> Finding:
    model = load_model("stanford")
    q, qd, qdd = (golden(model, key) for key in ("q", "qd", "qdd"))
    tau = ID(model, q, qd, qdd)
    own = [ID(only(model, {i}), q, qd, qdd)[i] for i in range(6)]
    wrong = [abs(float(o) - float(t)) / abs(float(t)) for o, t in zip(own, tau, strict=True)]  # pyright: ignore[reportArgumentType]
    m, a = ledgers.waters_outer_links().as_written.at(6)
    figure = (
        f"{m}m+{a}a with the gravity recursion; on stanford joint 2 becomes {100 * wrong[1]:.0f} % wrong"
    )
    return Finding(figure, (m, a) == (5, 10) and wrong[1] > 0.5)


def extrapolation_points() -> Finding:
    """The rank of all differences of 7 and of 19 random points in 18 dimensions."""
    rng = np.random.default_rng(0)
    ranks = {}
    for points in (7, 19):
        x = rng.standard_normal((points, 18))
        pairs = [x[i] - x[j] for i in range(points) for j in range(i)]
        ranks[points] = (len(pairs), int(np.linalg.matrix_rank(np.array(pairs))))
    figure = (
        f"7 points have {ranks[7][0]} differences of rank {ranks[7][1]}; 19 points have rank {ranks[19][1]}, "
        "and one factorisation serves all"
    )
    return Finding(figure, ranks[7] == (21, 6) and ranks[19][1] == 18)


def straight_in_which_axes() -> Finding:
    """How far a motion of constant acceleration is from straight over √v and over v²."""
    t = np.linspace(0.1, 1.0, 50)
    x, v = t**2, 2 * t
    bends = [_bend(x, axis) for axis in (np.sqrt(v), v**2)]
    return Finding(
        f"distance from a line: {bends[0]:.2f} over √v, {bends[1]:.0e} over v|v|",
        bends[0] > 0.01 and bends[1] < ROUNDING,
    )


def _bend(x: np.ndarray, y: np.ndarray) -> float:
    """The largest distance of y(x) from the chord, relative to the height of the curve."""
    chord = np.interp(x, [x[0], x[-1]], [y[0], y[-1]])
    return float(np.abs(y - chord).max() / np.ptp(y))


def further_hand_points() -> Finding:
    """How many components of ω the velocities ω × d of further points of the hand tell."""
    points = np.random.default_rng(0).standard_normal((2, 3))
    maps = [np.cross(np.eye(3), d) for d in points]  # rows: what each component of ω does to the point
    one, two = (int(np.linalg.matrix_rank(np.hstack(maps[:k]))) for k in (1, 2))
    figure = f"one further point tells {one} of the 3 components, nothing about the line through both; two tell {two}"
    return Finding(figure, (one, two) == (2, 3))


def wrist_payload() -> Finding:
    """The rank of the last link's ten parameters in the torques of the wrist, and of the wrist and joint 3."""
    model = only(load_model("stanford"), set())
    rows = []
    for seed in range(12):
        state = state_of(model, seed)
        rows.append(array([_payload_torques(model, k, state) for k in range(10)]).T)
    regressors = np.array(rows)
    wrist, more = (
        int(np.linalg.matrix_rank(regressors[:, s].reshape(-1, 10), tol=1e-9))
        for s in (slice(3, 6), slice(2, 6))
    )
    figure = f"stanford, 12 motions: rank {wrist} of 10 from joints 4 to 6, {more} with joint 3"
    return Finding(figure, (wrist, more) == (9, 10))


def _payload_torques(
    model: Model, k: int, state: tuple[list[float], list[float], list[float]]
) -> list[Num]:
    """Torques of a last link with one of the ten parameters 1 and the others 0."""
    m, x, y, z, *moments = (float(i == k) for i in range(10))
    tip = replace(model.bodies[-1], inertial=Inertial.of(Inertia(m, Vec3(x, y, z), Sym3(*moments))))
    loaded = replace(
        model, bodies=(*model.bodies[:-1], tip), gravity=Motion(Vec3.zero(), Vec3(0.0, 0.0, -9.81))
    )
    return formulation("spatial-newton-euler").inverse_dynamics(loaded, *state)


def printed_link_matrix() -> Finding:
    """How far the rotation with −sinθ sin b in row 2 is from orthogonal; with −cosθ sin b it is."""
    rng = np.random.default_rng(0)
    off = {"printed": 0.0, "corrected": 0.0}
    for theta, b in rng.uniform(-3, 3, (50, 2)):
        c, s, cb, sb = math.cos(theta), math.sin(theta), math.cos(b), math.sin(b)
        for name, entry in (("printed", -s * sb), ("corrected", -c * sb)):
            R = np.array([[c, -s * cb, s * sb], [s, c * cb, entry], [0, sb, cb]])
            off[name] = max(off[name], float(np.abs(R.T @ R - np.eye(3)).max()))
    figure = f"not orthogonal, off by up to {off['printed']:.1f}; with −cosθ sin b {off['corrected']:.0e}"
    return Finding(figure, off["printed"] > 0.5 and off["corrected"] < ROUNDING)
