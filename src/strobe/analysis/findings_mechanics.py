"""What robots say about the papers' claims: equations evaluated on random states, exactly where that decides."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from strobe.algebra import Force, Inertia, Motion, Pose, Sym3, Vec3
from strobe.analysis import ledgers
from strobe.analysis.findings_counts import Finding, waters_shares
from strobe.formulations import (
    FORMULATIONS,
    PRINTED,
    decomposition,
    formulation,
    kinematics,
    lagrange_jacobian,
    newton_euler,
    strobing,
    uicker_kahn,
)
from strobe.formulations.world import world
from strobe.models.inertial import Inertial
from strobe.models.load import load_model
from strobe.models.model import Frame, Model
from strobe.models.random_robots import random_model
from strobe.robot import load
from strobe.scalars import DualSystem, FieldSystem, FoldedCount, Graph, Num, Numbers

ARMS = range(20)  # seeds of random arms
ROUNDING = 1e-12
ID = newton_euler.inverse_dynamics


def _state(model: Model, seed: int) -> tuple[list[float], list[float], list[float]]:
    rng = np.random.default_rng(seed)
    q, qd, qdd = (rng.uniform(-2, 2, model.nv).tolist() for _ in range(3))
    return q, qd, qdd


def _relative(got: Any, wanted: Any) -> float:
    reference = np.asarray(wanted, dtype=float)
    return float(np.max(np.abs(np.asarray(got, dtype=float) - reference)) / np.max(np.abs(reference)))


def _array(rows: Any) -> np.ndarray:
    return np.array(rows, dtype=float)


def _lowered(system: FieldSystem, numbers: Numbers) -> list[int]:
    return [system.lower(x) for x in numbers]


# -- Hollerbach -------------------------------------------------------------------------------------


def speed_squared() -> Finding:
    model = load_model("stanford").weightless()
    q, qd, _ = _state(model, 0)
    still = [0.0] * model.nv
    whole = _array(ID(model, q, qd, still))
    worst = max(
        _relative(_array(ID(model, q, [s * v for v in qd], still)) / s**2, whole) for s in (0.5, 0.25, 0.1)
    )
    figure = (
        f"what is dropped grows with the square of speed (to {worst:.0e}); that feedback cannot correct it needs a "
        "controlled motion and is not checked here"
    )
    return Finding(figure, worst < ROUNDING)


def printed_three_by_three() -> Finding:
    good = formulation("hollerbach-3x3").inverse_dynamics
    wrong, right = [], []
    for seed in ARMS:
        model = random_model(6, seed, kinds="R")
        state = _state(model, seed)
        reference = ID(model, *state)
        wrong.append(_relative(PRINTED.inverse_dynamics(model, *state), reference))
        right.append(_relative(good(model, *state), reference))
    figure = (
        f"torques {100 * min(wrong):.0f} to {100 * max(wrong):.0f} % wrong on {len(wrong)} random 6R arms as "
        f"printed; corrected, {max(right):.0e}"
    )
    return Finding(figure, min(wrong) > 1e-3 and max(right) < ROUNDING)


# -- Turney, Mudge and Lee --------------------------------------------------------------------------


def lagrange_is_newton_euler() -> Finding:
    return _same_function(range(1, 7), lambda model: model.variables())


def gravity_by_acceleration() -> Finding:
    """Gravity as a base acceleration (Newton-Euler) and as a term of its own (Uicker/Kahn), at rest."""
    found = _same_function(range(1, 7), lambda m: (m.variables()[0], [0.0] * m.nv, [0.0] * m.nv))
    return Finding(f"as a vector, −g; static torques: {found.figure}", found.holds)


def _same_function(lengths: range, state: Any) -> Finding:
    equal = []
    for n in lengths:
        system = FieldSystem(seed=n)
        model = random_model(n, n).lift(system)
        inputs = state(model)
        equal.append(
            _lowered(system, ID(model, *inputs))
            == _lowered(system, uicker_kahn.inverse_dynamics(model, *inputs))
        )
    figure = f"equal modulo a random prime on arms of {lengths[0]} to {lengths[-1]} joints, revolute and prismatic"
    return Finding(figure if all(equal) else f"not equal: {equal}", all(equal))


PIVOT_ROBOTS = ("stanford", "puma560", "panda", "ur5")
POSES = 400


def no_pivoting() -> Finding:
    smallest, worst, pivoted = math.inf, 0.0, 0.0
    for name in PIVOT_ROBOTS:
        robot = load(name)
        q, b, _ = robot.random_state(seed=0, batch=POSES)
        M = robot.mass_matrix(q)
        pivots, x = eliminated(M, b)
        smallest = min(smallest, float(pivots.min()))
        worst = max(worst, _backward_error(M, x, b))
        pivoted = max(pivoted, _backward_error(M, np.linalg.solve(M, b[..., None])[..., 0], b))
    singular = _pivot_of_a_point_mass()
    figure = (
        f"{POSES} poses each of {', '.join(PIVOT_ROBOTS)}: smallest pivot {smallest:.1e}, backward error {worst:.1e} "
        f"(with pivoting {pivoted:.1e}); a UR5 whose last link is a point on its axis has the pivot {singular:g}"
    )
    return Finding(figure, smallest > 0 and worst < 1e-15 and singular == 0)


def eliminated(M: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Pivots and solution of M x = b by symmetric elimination of the lower triangle, without pivoting."""
    A, x = M.copy(), b.copy()
    n = M.shape[-1]
    for k in range(n):
        for i in range(k + 1, n):
            factor = A[..., i, k] / A[..., k, k]
            A[..., i, k + 1 : i + 1] -= factor[..., None] * A[..., k + 1 : i + 1, k]
            x[..., i] -= factor * x[..., k]
    pivots = np.diagonal(A, axis1=-2, axis2=-1)
    for i in reversed(range(n)):
        x[..., i] = (x[..., i] - np.sum(A[..., i + 1 :, i] * x[..., i + 1 :], axis=-1)) / pivots[..., i]
    return pivots, x


def _backward_error(M: np.ndarray, x: np.ndarray, b: np.ndarray) -> float:
    residual = np.abs(np.einsum("...ij,...j->...i", M, x) - b).max(axis=-1)
    scale = np.abs(M).sum(axis=-1).max(axis=-1) * np.abs(x).max(axis=-1) + np.abs(b).max(axis=-1)
    return float(np.max(residual / scale))


def _pivot_of_a_point_mass() -> float:
    model = load_model("ur5")
    tip = replace(model.bodies[-1], inertial=Inertial.at_com(0.2, Vec3(0.0, 0.0, -0.02), Sym3.zero()))
    alone = replace(model, bodies=(*model.bodies[:-1], tip))
    M = strobing.mass_matrix(ID, alone, [0.1] * 6)
    return float(_array(M)[5, 5])


def strobed_mass_matrix() -> Finding:
    equal = []
    for n in range(1, 6):
        system = FieldSystem(seed=n)
        model = random_model(n, n).lift(system)
        q, _, _ = model.variables()
        strobed, direct = strobing.mass_matrix(ID, model, q), decomposition.mass_matrix(model, q)
        equal += [_lowered(system, x) == _lowered(system, y) for x, y in zip(strobed, direct, strict=True)]
    return Finding(
        "equal to the matrix by link Jacobians modulo a random prime, arms of 1 to 5 joints", all(equal)
    )


def strobed_coriolis() -> Finding:
    """Two unit rates at once return C_jj + C_kk + 2 C_jk."""
    worst, identity = 0.0, 0.0
    for seed in ARMS:
        model = random_model(5, seed).weightless()
        q, _, _ = _state(model, seed)
        C = _array(strobing.christoffel(ID, model, q))
        scale = np.abs(C).max()
        for j in range(5):
            for k in range(j):
                rates = [float(i in (j, k)) for i in range(5)]
                got = _array(ID(model, q, rates, [0.0] * 5))
                worst = max(worst, float(np.abs(got - C[j, k]).max() / scale))
                whole = C[j, j] + C[k, k] + 2 * C[j, k]
                identity = max(identity, float(np.abs(got - whole).max() / scale))
    figure = f"it returns C_jj + C_kk + 2 C_jk, off by up to {worst:.1f} times the largest symbol; polarised exact"
    return Finding(figure, worst > 0.1 and identity < ROUNDING)


def insignificant_terms() -> Finding:
    """Contributions below 1 % of a joint's torque, link by link and term by term, at the published state."""
    model = load_model("stanford")
    q, qd, qdd = (_golden(model, key) for key in ("q", "qd", "qdd"))
    tau = np.abs(_array(ID(model, q, qd, qdd)))
    links = [_array(ID(_only(model, {j}), q, qd, qdd)) for j in range(6)]
    parts = [abs(links[j][i]) / tau[i] for i in range(6) for j in range(i, 6)]
    M = _array(strobing.mass_matrix(ID, model, q)) * _array(qdd)
    C = _array(strobing.christoffel(ID, model, q))
    pairs = [(j, k) for j in range(6) for k in range(j + 1)]
    velocity = [C[j, k] * qd[j] * qd[k] * (1 if j == k else 2) for j, k in pairs]
    terms = np.concatenate([np.abs(M.T), np.abs(velocity)]) / tau
    small, few = int((terms < 0.01).sum()), sum(part < 0.01 for part in parts)
    figure = (
        f"stanford at its published state: {few} of {len(parts)} link contributions are below 1 % of the torque, "
        f"{small} of {terms.size} terms of the explicit form ({int((terms > 1e-14).sum())} are not zero)"
    )
    return Finding(figure, small / terms.size > few / len(parts))


def _golden(model: Model, key: str) -> list[float]:
    return list(model.golden[0][key])  # pyright: ignore[reportArgumentType]


def _only(model: Model, kept: set[int]) -> Model:
    """The same robot with the mass of these links alone."""
    bodies = tuple(b if b.index in kept else replace(b, inertial=Inertial.zero()) for b in model.bodies)
    return replace(model, bodies=bodies)


# -- Asada ------------------------------------------------------------------------------------------


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
        state = _state(model, seed)
        wanted = planar_closed_form(model, *state)
        worst = max(
            worst, *(_relative(m.inverse_dynamics(model, *state), wanted) for m in methods.values())
        )
    return Finding(
        f"{len(methods)} formulations equal the closed form on planar2, to {worst:.0e}", worst < ROUNDING
    )


def symmetric() -> Finding:
    """Both triangles of H, each entry computed for itself."""
    equal = []
    for n in range(2, 6):
        system = FieldSystem(seed=n)
        model = random_model(n, n).lift(system)
        H = lagrange_jacobian.inertia(world(model, model.variables()[0]), n)
        rows = [_lowered(system, row) for row in H]
        equal.append(rows == [list(column) for column in zip(*rows, strict=True)])
    return Finding("H = Hᵀ modulo a random prime, arms of 2 to 5 joints", all(equal))


def always_positive() -> Finding:
    model = load_model("planar2")
    tip = replace(model.bodies[1], inertial=Inertial.at_com(1.5, Vec3(-0.35, 0.0, 0.0), Sym3.zero()))
    M = _array(strobing.mass_matrix(ID, replace(model, bodies=(model.bodies[0], tip)), [0.3, 0.4]))
    least = float(np.linalg.eigvalsh(M)[0])
    figure = f"two links with a point mass on joint 2's axis: smallest eigenvalue {abs(least):.0e}; else as for T-7"
    return Finding(figure, abs(least) < 1e-15)


def asada_is_not_christoffel() -> Finding:
    """Ḣ − 2C for the coefficients of 7.2.22 and for Christoffel's, at the published state of planar2."""
    model = load_model("planar2")
    q, qd = _golden(model, "q"), _golden(model, "qd")
    bodies = world(model, q)
    dH = _array([lagrange_jacobian.inertia_derivative(bodies, 2, k) for k in range(2)])  # k, i, j
    rate = np.einsum("kij,k->ij", dH, qd)
    asada = np.einsum("kij,k->ij", dH, qd) - 0.5 * np.einsum("ijk,k->ij", dH, qd)
    symbols = 0.5 * (np.einsum("kij->ijk", dH) + np.einsum("jik->ijk", dH) - dH)
    christoffel = np.einsum("ijk,k->ij", symbols, qd)
    residuals = [_skew_residual(rate - 2 * C) for C in (asada, christoffel)]
    same = np.allclose(asada @ qd, christoffel @ qd)
    figure = (
        f"not symmetric in j, k: Ḣ − 2C misses skewness by {residuals[0]:.3f} on planar2 (Christoffel "
        f"{residuals[1]:.0e}); C q̇ is right"
    )
    return Finding(figure, residuals[0] > 0.1 and residuals[1] < ROUNDING and same)


def _skew_residual(N: np.ndarray) -> float:
    return float(np.abs(N + N.T).max())


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
        M = [_array(strobing.mass_matrix(ID, model, [0.2, b])) for b in (0.1, 1.0, 2.0)]
        h = _array(ID(model.weightless(), [0.2, 1.0], [1.0, 1.0], [0.0, 0.0]))
        found[name] = (max(float(np.abs(x - M[0]).max()) for x in M), float(np.abs(h).max()))
    (change, torque), (still, none) = found.values()
    figure = (
        f"planar2: H changes by {change:.2f} and velocity torques are {torque:.2f}; counterbalanced, "
        f"{still:.0e} and {none:.0e}"
    )
    return Finding(figure, change > 0.01 < torque and max(still, none) < ROUNDING)


def balancing_saves_little() -> Finding:
    model = counterbalanced(load_model("planar2"))
    held = max(
        float(np.abs(_array(strobing.gravity(ID, model, q))).max()) for q in ([0.0, 0.0], [0.7, -1.1])
    )
    share = waters_shares()["gravity"]
    figure = (
        f"true of the count ({100 * share:.1f} %); but a fully balanced planar2 needs no torque to stand "
        f"(at most {held:.0e}) and its H is constant, see A-5"
    )
    return Finding(figure, share < 0.1 and held < 1e-10)


def extremes() -> Finding:
    model = load_model("planar2")
    angles = np.linspace(0, 2 * math.pi, 721)
    H11 = [float(_array(strobing.mass_matrix(ID, model, [0.0, float(b)]))[0, 0]) for b in angles[:361]]
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
    about = [system.lower(C[0][1][i]) for i in range(2)]
    return Finding("C²_12 = 0 modulo a random prime, C¹_12 is not", about[1] == 0 != about[0])


def absolute_angles() -> Finding:
    """Q = Tᵀτ against the equations written in φ1 = θ1, φ2 = θ1 + θ2, and a tool force against Jᵀ F."""
    model = load_model("planar2")
    p, g = model.parameters, 9.81
    worst = 0.0
    for seed in range(10):
        q, qd, qdd = _state(model, seed)
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
        worst = max(worst, _relative([tau[0] - tau[1], tau[1]], [Q1, Q2]))
    loads = max(_tool_deviation(random_model(5, seed), seed) for seed in ARMS)
    figure = (
        f"Q1 = τ1 − τ2 and Q2 = τ2 against the equations in absolute angles {worst:.0e}, JᵀF against a tool "
        f"force {loads:.0e}"
    )
    return Finding(figure, max(worst, loads) < ROUNDING)


def _tool_deviation(model: Model, seed: int) -> float:
    """Newton-Euler with a force and moment that the hand exerts, against Jᵀ of the same."""
    q, qd, qdd = _state(model, seed)
    f, n = Vec3(1.0, -2.0, 3.0), Vec3(0.1, 0.2, -0.3)
    distal = model.distal()
    frame = Frame("hand", distal.bodies[-1].index, Pose())
    R = kinematics.frame_pose(distal, q, frame)
    wrench = [*R.direction(f), *R.direction(n)]
    added = kinematics.joint_torques(distal, q, frame, wrench)
    wanted = _array(ID(model, q, qd, qdd)) + _array(added)
    return _relative(ID(model, q, qd, qdd, Force(n, f)), wanted)


# -- decomposition ----------------------------------------------------------------------------------


def same_matrices() -> Finding:
    equal = []
    for n in range(1, 6):
        system = FieldSystem(seed=n)
        model = random_model(n, n).lift(system)
        q, qd, _ = model.variables()
        C = decomposition.coriolis_matrix(model, q, qd, "decomposition")
        velocity = [_dot(row, qd) for row in C]
        equal += [
            _lowered(system, decomposition.gravity(model, q))
            == _lowered(system, strobing.gravity(ID, model, q)),
            _lowered(system, velocity) == _lowered(system, ID(model.weightless(), q, qd, [0.0] * n)),
        ]
    both = all(equal) and strobed_mass_matrix().holds
    return Finding(
        "D, G and C q̇ equal modulo a random prime, arms of 1 to 5 joints; C itself is not unique", both
    )


def _dot(a: Numbers, b: Numbers) -> Num:
    total: Num = 0.0
    for x, y in zip(a, b, strict=True):
        total = total + x * y
    return total


def skew_forms() -> Finding:
    """Ḋ − 2C for form A, Christoffel's form, and the form with −[I ω ×], which has the same C q̇."""
    worst = {"form A": 0.0, "Christoffel": 0.0, "−[Iω×]": 0.0}
    power = 0.0
    for seed in ARMS:
        model = random_model(7, seed, kinds="R")
        q, qd, _ = _state(model, seed)
        forms = {
            "form A": _array(decomposition.coriolis_matrix(model, q, qd, "decomposition")),
            "Christoffel": _array(decomposition.coriolis_matrix(model, q, qd, "christoffel")),
        }
        forms["−[Iω×]"] = forms["form A"] + _other_kernel(model, q, qd)
        rate = _mass_matrix_rate(model, q, qd)
        for name, C in forms.items():
            N = rate - 2 * C
            worst[name] = max(worst[name], _skew_residual(N) / float(np.abs(C).max()))
            power = max(power, abs(float(_array(qd) @ N @ _array(qd))) / float(np.abs(C).max()))
    figure = (
        ", ".join(f"{name} {x:.0e}" for name, x in worst.items())
        + f" off skew relative to C; q̇ᵀ(Ḋ−2C)q̇ = 0 for all ({power:.0e})"
    )
    holds = max(worst["form A"], worst["Christoffel"], power) < 1e-10 and worst["−[Iω×]"] > 1e-3
    return Finding(figure, holds)


def _mass_matrix_rate(model: Model, q: Sequence[float], qd: Sequence[float]) -> np.ndarray:
    bodies = world(model, q)
    n = model.nv
    return sum(_array(lagrange_jacobian.inertia_derivative(bodies, n, k)) * qd[k] for k in range(n))  # pyright: ignore[reportReturnType]


def _other_kernel(model: Model, q: Numbers, qd: Numbers) -> np.ndarray:
    """What J_ωᵀ(−[Iω×] − [ω×]I)J_ω adds to form A: nothing to C q̇."""
    bodies, n = world(model, q), model.nv
    w, _, _ = decomposition.velocities(bodies, qd)
    total = np.zeros((n, n))
    for body in bodies:
        spin = w[body.index]
        for j in body.supports:
            a = bodies[j].angular()
            column = -((body.I @ spin).cross(a)) - spin.cross(body.I @ a)
            for i in body.supports:
                total[i, j] += float(bodies[i].angular().dot(column))  # pyright: ignore[reportArgumentType]
    return total


def one_procedure() -> Finding:
    model = load_model("planar3")
    systems = (DualSystem(FieldSystem(seed=1)), FieldSystem(seed=1), FoldedCount(), Graph())
    ran = []
    for system in systems:
        lifted = model.lift(system)
        ran.append(len(decomposition.inverse_dynamics(lifted, *lifted.variables())) == model.nv)
    return Finding("the same code runs on floats, duals, a prime field, counters and graph nodes", all(ran))


def virtual_links() -> Finding:
    robot = load("biped10")
    q, _, _ = robot.random_state(seed=0, batch=50)
    least = float(np.linalg.eigvalsh(robot.mass_matrix(q)).min())
    last = _only(robot.model, set(range(robot.nv - 1)))
    M = _array(strobing.mass_matrix(formulation(None).inverse_dynamics, last, [0.1] * robot.nv))
    tip = float(M[-1, -1])
    figure = f"biped10, 50 poses: smallest eigenvalue {least:.1e}; a massless outermost link has the pivot {tip:g}"
    return Finding(figure, least > 0 and tip == 0)


# -- Waters -----------------------------------------------------------------------------------------


def neglecting_outer_links() -> Finding:
    model = load_model("stanford")
    q, qd, qdd = (_golden(model, key) for key in ("q", "qd", "qdd"))
    tau = ID(model, q, qd, qdd)
    own = [ID(_only(model, {i}), q, qd, qdd)[i] for i in range(6)]
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


def wrist_payload() -> Finding:
    """The rank of the last link's ten parameters in the torques of the wrist, and of the wrist and joint 3."""
    model = _only(load_model("stanford"), set())
    rows = []
    for seed in range(12):
        state = _state(model, seed)
        rows.append(_array([_payload_torques(model, k, state) for k in range(10)]).T)
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
