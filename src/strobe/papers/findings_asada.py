"""What the planar arm says about the claims of [Asada2005]."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from strobe.algebra import Force, Pose, Sym3, Vec3
from strobe.analysis.accuracy import relative
from strobe.formulations import FORMULATIONS, kinematics, lagrange_jacobian, strobing
from strobe.formulations.world import world
from strobe.models.inertial import Inertial
from strobe.models.load import load_model
from strobe.models.model import Frame, Model
from strobe.models.random_robots import random_model
from strobe.papers.findings import (
    ARMS,
    ID,
    ROUNDING,
    Finding,
    array,
    golden,
    lowered,
    same_or_not,
    skew_residual,
    state_of,
)
from strobe.scalars import FieldSystem, Numbers


def planar_closed_form(model: Model, q: Numbers, qd: Numbers, qdd: Numbers) -> list[float]:
    """Equations 7.1.11 and 7.1.12 of [Asada2005] for the two-link planar arm."""
    p = model.parameters
    (a, b), (v, w), (x, y) = ((float(u), float(z)) for u, z in (q, qd, qdd))  # pyright: ignore[reportArgumentType]
    g = 9.81
    h = p["m2"] * p["l1"] * p["lc2"] * math.sin(b)
    c = p["m2"] * p["l1"] * p["lc2"] * math.cos(b)
    H22 = p["m2"] * p["lc2"] ** 2 + p["I2"]
    H12 = H22 + c
    H11 = p["m1"] * p["lc1"] ** 2 + p["I1"] + p["m2"] * p["l1"] ** 2 + H22 + 2 * c
    G2 = p["m2"] * g * p["lc2"] * math.cos(a + b)
    G1 = (p["m1"] * p["lc1"] + p["m2"] * p["l1"]) * g * math.cos(a) + G2
    return [H11 * x + H12 * y - h * w * w - 2 * h * v * w + G1, H12 * x + H22 * y + h * v * v + G2]


def closed_form() -> Finding:
    model = load_model("planar2")
    methods = {name: m for name, m in FORMULATIONS.items() if m.refusal(model) is None}
    worst = 0.0
    for seed in range(10):
        state = state_of(model, seed)
        wanted = array(planar_closed_form(model, *state))
        found = [array(m.inverse_dynamics(model, *state)) for m in methods.values()]
        worst = max(worst, *(relative(tau, wanted) for tau in found))
    return Finding(
        f"{len(methods)} formulations equal the closed form on planar2, to {worst:.0e}", worst < ROUNDING
    )


def symmetric() -> Finding:
    """Both triangles of H, each entry computed for itself."""
    equal: dict[str, bool] = {}
    for n in range(2, 6):
        system = FieldSystem(seed=n)
        model = random_model(n, n).lift(system)
        H = lagrange_jacobian.inertia(world(model, model.variables()[0]), n)
        rows = [lowered(system, row) for row in H]
        equal[f"{n} joints"] = rows == [list(column) for column in zip(*rows, strict=True)]
    return same_or_not("H = Hᵀ modulo a random prime, arms of 2 to 5 joints", equal)


def always_positive() -> Finding:
    model = load_model("planar2")
    tip = replace(model.bodies[1], inertial=Inertial.at_com(1.5, Vec3(-0.35, 0.0, 0.0), Sym3.zero()))
    M = array(strobing.mass_matrix(ID, replace(model, bodies=(model.bodies[0], tip)), [0.3, 0.4]))
    least = float(np.linalg.eigvalsh(M)[0])
    figure = f"two links with a point mass on joint 2's axis: smallest eigenvalue {abs(least):.0e}; else as for T-7"
    return Finding(figure, abs(least) < 1e-15)


def asada_is_not_christoffel() -> Finding:
    """Ḣ − 2C for the coefficients of 7.2.22 and for Christoffel's, at the reference state of planar2."""
    model = load_model("planar2")
    q, qd = golden(model, "q"), golden(model, "qd")
    bodies = world(model, q)
    dH = array([lagrange_jacobian.inertia_derivative(bodies, 2, k) for k in range(2)])  # k, i, j
    rate = np.einsum("kij,k->ij", dH, qd)
    asada = np.einsum("kij,k->ij", dH, qd) - 0.5 * np.einsum("ijk,k->ij", dH, qd)
    symbols = 0.5 * (np.einsum("kij->ijk", dH) + np.einsum("jik->ijk", dH) - dH)
    christoffel = np.einsum("ijk,k->ij", symbols, qd)
    residuals = [skew_residual(rate - 2 * C) for C in (asada, christoffel)]
    same = np.allclose(asada @ qd, christoffel @ qd)
    figure = (
        f"not symmetric in j, k: Ḣ − 2C misses skewness by {residuals[0]:.3f} on planar2 (Christoffel "
        f"{residuals[1]:.0e}); C q̇ is right"
    )
    return Finding(figure, residuals[0] > 0.1 and residuals[1] < ROUNDING and same)


def counterbalanced(model: Model) -> Model:
    """planar2 with counterweights at 0.1 m and 0.12 m behind its joints that take gravity away."""
    p = model.parameters
    second = p["m2"] * p["lc2"] / 0.1
    first = (p["m1"] * p["lc1"] + (p["m2"] + second) * p["l1"]) / 0.12
    weights = ((first, -0.12 - p["l1"]), (second, -0.1 - p["l2"]))
    bodies = tuple(
        replace(body, inertial=body.inertial + Inertial.at_com(m, Vec3(x, 0.0, 0.0), Sym3.zero()))
        for body, (m, x) in zip(model.bodies, weights, strict=True)
    )
    return replace(model, bodies=bodies)


def velocity_terms_need_a_changing_matrix() -> Finding:
    plain = load_model("planar2")
    found = {}
    for name, model in {"as it is": plain, "counterbalanced": counterbalanced(plain)}.items():
        M = [array(strobing.mass_matrix(ID, model, [0.2, b])) for b in (0.1, 1.0, 2.0)]
        h = array(ID(model.weightless(), [0.2, 1.0], [1.0, 1.0], [0.0, 0.0]))
        found[name] = (max(float(np.abs(x - M[0]).max()) for x in M), float(np.abs(h).max()))
    (change, torque), (still, none) = found.values()
    figure = (
        f"planar2: H changes by {change:.2f} and velocity torques are {torque:.2f}; counterbalanced, "
        f"{still:.0e} and {none:.0e}"
    )
    return Finding(figure, change > 0.01 < torque and max(still, none) < ROUNDING)


def extremes() -> Finding:
    model = load_model("planar2")
    angles = np.linspace(0, 2 * math.pi, 721)
    H11 = [float(array(strobing.mass_matrix(ID, model, [0.0, float(b)]))[0, 0]) for b in angles[:361]]
    most, least = angles[int(np.argmax(H11))], angles[int(np.argmin(H11))]
    reach = [abs(float(strobing.gravity(ID, model, [float(a), 0.0])[0])) for a in angles[:361]]  # pyright: ignore[reportArgumentType]
    level = angles[int(np.argmax(reach))] % math.pi
    figure = (
        f"planar2: H11 largest at θ2 = {most:.2f}, smallest at {least:.2f}; gravity largest stretched at "
        f"θ1 = {level:.2f} or π"
    )
    return Finding(figure, most == 0 and abs(least - math.pi) < 1e-9 and level < 1e-9)


def centrifugal_moment() -> Finding:
    model = load_model("planar2").weightless()
    p, rate = model.parameters, 1.3
    printed = p["m2"] * p["l1"] * p["lc2"] * rate**2
    moments = {b: float(ID(model, [0.0, b], [rate, 0.0], [0.0, 0.0])[1]) for b in (0.0, 0.5, 1.0)}  # pyright: ignore[reportArgumentType]
    off = max(abs(x - printed * math.sin(b)) for b, x in moments.items())
    figure = (
        f"the factor sinθ2 is missing: with θ2 = 0 the moment is {moments[0.0]:g}, printed {printed:.3f} "
        f"(with the factor, off by {off:.0e})"
    )
    return Finding(figure, abs(moments[0.0]) < ROUNDING < printed and off < ROUNDING)


def coriolis_about_joint_2() -> Finding:
    system = FieldSystem(seed=1)
    model = load_model("planar2").lift(system)
    C = strobing.christoffel(ID, model, model.variables()[0])
    found = {f"C^{i + 1}_12": system.lower(C[0][1][i]) for i in range(2)}
    figure = ", ".join(f"{name} {'is 0' if x == 0 else 'is not 0'}" for name, x in found.items())
    return Finding(f"{figure}, on planar2 modulo a random prime", found["C^2_12"] == 0 != found["C^1_12"])


def absolute_angles() -> Finding:
    """Q = Tᵀτ against the equations written in φ1 = θ1, φ2 = θ1 + θ2, and a tool force against Jᵀ F."""
    model = load_model("planar2")
    p, g = model.parameters, 9.81
    worst = 0.0
    for seed in range(10):
        q, qd, qdd = state_of(model, seed)
        tau = ID(model, q, qd, qdd)
        (f1, f2), (v1, v2), (x1, x2) = ((u, u + w) for u, w in (q, qd, qdd))
        k = p["m2"] * p["l1"] * p["lc2"]
        c, s = k * math.cos(f2 - f1), k * math.sin(f2 - f1)
        own = p["m1"] * p["lc1"] ** 2 + p["I1"] + p["m2"] * p["l1"] ** 2
        Q1 = own * x1 + c * x2 - s * v2**2 + (p["m1"] * p["lc1"] + p["m2"] * p["l1"]) * g * math.cos(f1)
        Q2 = (
            c * x1
            + (p["m2"] * p["lc2"] ** 2 + p["I2"]) * x2
            + s * v1**2
            + p["m2"] * p["lc2"] * g * math.cos(f2)
        )
        worst = max(worst, relative(array([tau[0] - tau[1], tau[1]]), array([Q1, Q2])))
    loads = max(_tool_deviation(random_model(5, seed), seed) for seed in ARMS)
    figure = (
        f"Q1 = τ1 − τ2 and Q2 = τ2 against the equations in absolute angles {worst:.0e}, JᵀF against a tool "
        f"force {loads:.0e}"
    )
    return Finding(figure, max(worst, loads) < ROUNDING)


def _tool_deviation(model: Model, seed: int) -> float:
    """Newton-Euler with a force and moment that the hand exerts, against Jᵀ of the same."""
    q, qd, qdd = state_of(model, seed)
    f, n = Vec3(1.0, -2.0, 3.0), Vec3(0.1, 0.2, -0.3)
    distal = model.distal()
    frame = Frame("hand", distal.bodies[-1].index, Pose())
    R = kinematics.frame_pose(distal, q, frame)
    wrench = [*R.direction(f), *R.direction(n)]
    added = kinematics.joint_torques(distal, q, frame, wrench)
    wanted = array(ID(model, q, qd, qdd)) + array(added)
    return relative(array(ID(model, q, qd, qdd, Force(n, f))), wanted)
