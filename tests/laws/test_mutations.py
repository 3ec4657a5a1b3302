"""Deliberate errors in every formulation are caught: signs, indices, factors, missing terms, misprints.

A mutation replaces one piece of a module's source; the rest of the package stays as it is.
"""

import inspect

import numpy as np
import pytest

import strobe
from strobe.algebra import Force, Vec3
from strobe.analysis.equivalence import vanishes
from strobe.formulations import (
    FORMULATIONS,
    PRINTED,
    articulated_body,
    composite_coriolis,
    decomposition,
    strobing,
)
from strobe.models.random_robots import random_model
from strobe.scalars import FieldSystem

ARMS = [random_model(4, 5, kinds="R"), random_model(4, 11, kinds="RP"), random_model(3, 2, kinds="PR")]

MUTATIONS = {
    "uicker-kahn": [
        ("total - gravity_term", "total + gravity_term"),
        ("* qd[k] * qd[l]", "* qd[k] * qd[k]"),
        ("U[j, i] @ link.J_hat @ U[j, k].T", "U[j, k] @ link.J_hat @ U[j, k].T"),
        ("UU[j, min(k, l), max(k, l)]", "UU[j, min(k, l), min(k, l)]"),
        ("for j in range(i, arm.n)", "for j in range(i + 1, arm.n)"),
        ("link.QQ(link.T)", "link.Q(link.T)"),
        ("[*link.mu, link.m]", "[*link.mu, 1.0]"),
    ],
    "waters": [
        ("(2.0 * rate)", "rate"),
        ("+ (W @ DD)", "- (W @ DD)"),
        ("- gravity_term", "+ gravity_term"),
        ("V = V @ T + U * rate", "V = V @ T + U * accel"),
        ("P = P @ T", "P = P"),
        ("U @ link.J_hat @ W_dd[j].T", "U @ link.J_hat @ W_dd[i].T"),
    ],
    "hollerbach-4x4": [
        ("inward(arm, *outward(arm, qd, qdd))", new)
        for new in (
            "inward(arm, *outward(arm, qdd, qd))",
            "inward(arm, *outward(arm, qd, qd))",
            "inward(arm, *outward(arm, qd, qdd)[::-1])",
            "inward(arm, *[outward(arm, qd, qdd)[1]] * 2)",
        )
    ],  # its own lines are those of two modules above and below
    "waters-recursive": [
        ("D_own + T @ D", "D_own + D"),
        ("T = link.T", "T = arm.links[0].T"),
        ("- (g.x * x", "+ (g.x * x"),
        ("[*link.mu, link.m]", "[*link.mu, 1.0]"),
        ("W_dd[i].T", "W_dd[i]"),
    ],
    "hollerbach-backward": [
        ("(2.0 * rate)", "rate"),
        ("+ (W @ DD)", "- (W @ DD)"),
        ("+ U * accel", "+ D * accel"),
        ("- gravity_term", "+ gravity_term"),
        ("W_d = W_d @ T", "W_d = W_d"),
        ("W_dd = W_dd @ T", "W_dd = W_d @ T"),
    ],
    "hollerbach-3x3": [
        (" + Mat3.outer(link.p, e)", ""),
        ("Mat3.outer(link.mu, k.p_dd)", "Mat3.outer(k.p_dd, link.mu)"),
        ("link.mu + link.p * M", "link.mu"),
        ("(k.U @ E).trace() - g", "(k.U @ E).trace() + g"),
        ("k.axis.dot(e - g * M)", "k.axis.dot(e + g * M)"),
        ("(W_d @ ZR) * (2.0 * rate)", "(W_d @ ZR) * rate"),
        ("(W @ (Z @ ZR))", "(W @ ZR)"),
    ],
    "newton-euler-base": [
        (" + w.cross(z) * rate", ""),
        ("w.cross(z) * (2.0 * rate)", "w.cross(z) * rate"),
        ("(p + r).cross(F)", "r.cross(F)"),
        ("+ p.cross(f)", "- p.cross(f)"),
        ("I @ wd + w.cross(I @ w)", "I @ wd - w.cross(I @ w)"),
        ("W @ link.I.matrix() @ W.T", "W.T @ link.I.matrix() @ W"),
    ],
    "newton-euler-orin": [
        (" + w.cross(z) * rate", ""),
        ("w.cross(z) * (2.0 * rate)", "w.cross(z) * rate"),
        ("spin = into @ w", "spin = w"),
        ("into @ abar * link.m", "abar * link.m"),
        ("link.I @ (into @ wd)", "link.I @ wd"),
        ("+ spin.cross(link.I @ spin)", "- spin.cross(link.I @ spin)"),
    ],
    "newton-euler": [
        ("a = u + al.cross(link.p) + w", "a = u + al.cross(link.p) - w"),
        ("w.cross(w.cross(link.r))", "w.cross(w.cross(link.p))"),
        ("link.s.cross(F_i)", "link.r.cross(F_i)"),
        ("link.p.cross(Rf)", "link.r.cross(Rf)"),
        ("+ R @ n", "+ n"),
        ("w.cross(Z0) * rate", "Z0.cross(w) * rate"),
        ("a = -arm.gravity", "a = arm.gravity"),
        ("w.cross(link.z) * (2.0 * rate)", "w.cross(link.z) * rate"),
    ],
    "newton-euler-hat": [
        ("a = u + A @ link.p", "a = u + A @ link.r"),
        ("abar = a + A", "abar = a - A"),
        ("+ w.cross(link.I @ w)", "- w.cross(link.I @ w)"),
        ("abar * link.m", "a * link.m"),
        ("Mat3.acceleration(w, al)", "Mat3.acceleration(al, w)"),
    ],
    "newton-euler-armstrong": [
        ("- U.c.x * I.xy", "+ U.c.x * I.xy"),
        ("(yy - zz)", "(zz - yy)"),
        ("U.b.z * I.xz", "U.b.z * I.yz"),
        ("h.cross(vd[i])", "vd[i].cross(h)"),
        ("+ P[i].cross(Rf)", "- P[i].cross(Rf)"),
        ("carried.cross(own.angular)", "own.angular.cross(carried)"),
        ("own.linear * 2.0", "own.linear"),
        ("U[p] @ P[i]", "U[p].T @ P[i]"),
    ],
    "newton-euler-moments": [
        ("U.c.y * yy - U.b.z * zz", "U.c.y * yy + U.b.z * zz"),
        ("(x - z) * xz", "(z - x) * xz"),
        ("- U.a.z * yz", "+ U.a.z * yz"),
        ("body.h.cross(at.vd)", "at.vd.cross(body.h)"),
        ("carried.cross(own.angular)", "own.angular.cross(carried)"),
        ("own.linear * 2.0", "own.linear"),
        ("w0[b] * w0[e] - wd0[a]", "w0[b] * w0[e] + wd0[a]"),
        ("u[a] - x[a] * x[e]", "u[a] + x[a] * x[e]"),
        ("rows[a][e], rows[b][e] = u[a], u[b]", "rows[a][e], rows[b][e] = u[b], u[a]"),
        ("c * t - mixed[e]", "c * t + mixed[e]"),
        ("square[b] + s * t", "square[b] - s * t"),
        ("mixed[e] * 2.0", "mixed[e]"),
    ],
    "turney-lagrange": [
        ("1.0 if j == k else 2.0", "1.0"),
        ("- gravity_term", "+ gravity_term"),
        ("dT[k - 1, j] @", "dT[k, j] @"),
        ("links[j].QQ(chain[j, m])", "links[j].Q(chain[j, m])"),
        ("contraction(S, dT[m, i])", "contraction(S, dT[m, 0])"),
    ],
    "modified-newton-euler": [
        ("u + A @ link.p", "u - A @ link.p"),
        ("link.s * link.m", "link.r * link.m"),
        (" + u * link.m", ""),
        ("A.c.dot(K.b) - A.b.dot(K.c)", "A.b.dot(K.c) - A.c.dot(K.b)"),
        ("A.a.dot(K.c)", "A.a.dot(K.b)"),
    ],
    "decomposition": [
        ("turned.cross(body.c - joint.p)", "turned.cross(body.c)"),
        ("w[joint.parent].cross(joint.a)", "joint.a.cross(w[joint.parent])"),
        ("c_d[body.index] - p_d[j]", "c_d[body.index]"),
        ("spin.cross(kernel @ Jw[j])", "spin.cross(Jw[j])"),
        ("-(Jv[j].dot(g) * body.m)", "Jv[j].dot(g) * body.m"),
        ("o_d[i] + body.a * rate", "o_d[i]"),
        ("o_d[i] + w[i].cross(body.c - body.o)", "o_d[i] + w[i].cross(body.c)"),
    ],
    "lagrange-jacobian": [
        ("- dH[i][j][k] * 0.5", "- dH[i][j][k]"),
        ("(dH[k][i][j]", "(dH[i][k][j]"),
        ("G[i] - g.dot", "G[i] + g.dot"),
        ("d_arm - bodies[k]", "d_arm + bodies[k]"),
        ("- body.I @ turn.cross(angular[j])", "+ body.I @ turn.cross(angular[j])"),
        ("joint.a.cross(d_arm)", "d_arm.cross(joint.a)"),
    ],
    "gibbs-appell": [
        ("turned * 2.0", "turned"),
        (" + moving.gyroscopic", ""),
        ("a[i] = hinge + slip", "a[i] = hinge"),
        ("moment.dot(bodies[j].angular())", "moment.dot(body.angular())"),
        ("{ROOT: -g}", "{ROOT: g}"),
        ("wd[p] + turned", "wd[p] - turned"),
    ],
    "configuration-space": [
        ("C[j][k][i] * qd[j] * qd[k]", "C[j][k][i] * qd[j] * qd[j]"),
        ("C[j][k][i] * qd[j]", "C[i][k][j] * qd[j]"),
        ("M[i][j] * qdd[j]", "M[i][j] * qdd[i]"),
        ("total = G[i]", "total = -G[i]"),
    ],
    "spatial-newton-euler": [
        ("+ v[i].cross(vJ)", "- v[i].cross(vJ)"),
        (" + v[i].cross(I @ v[i])", ""),
        ("-model.gravity", "model.gravity"),
        ("X[body.index].T @ f", "X[body.parent].T @ f"),
        ("v[i] = X[i] @ v[p] + vJ", "v[i] = X[i] @ v[p] - vJ"),
    ],
    "composite-body": [
        ("poses[ahead.index].inverse().T @ F", "poses[body.index].inverse().T @ F"),
        ("= M[ahead.joint.v + j][row] = entry", "= entry"),
        ("F = composite[body.index] @ column", "F = body.inertia @ column"),
        ("tau[i] + entry * accel", "tau[i] - entry * accel"),
        ("composite[body.parent] + poses", "poses"),
        ("ahead = model.bodies[ahead.parent]", "ahead = model.bodies[0]"),
    ],
}

CHRISTOFFEL_MUTATIONS = [
    ("(I.trace() * 0.5)", "(I.trace() * 0.7)"),
    ("return I - Mat3", "return I + Mat3"),
    ('body.I if form == "decomposition" else', "body.I if form else"),
    ("body.I @ Jw_d[j] + spin", "body.I @ Jw_d[j] - spin"),
    ("turned.cross(body.c - joint.p) +", "turned.cross(body.c - joint.p) -"),
]

STROBING_MUTATIONS = [
    ("(both - one - other) * 0.5", "(both - one - other)"),
    ("(both - one - other)", "(both - one + other)"),
    ("symbols[j][k][i] * qd[k]", "symbols[j][k][i] * qd[j]"),
    ("symbols[j][k][i]", "symbols[i][k][j]"),
    ("still, n, zeros = model.weightless()", "still, n, zeros = model"),
    ("C[i][j] + _sum(M[i][k]", "C[i][j] - _sum(M[i][k]"),
    ("for k, x in bracket.items()) * 0.5", "for k, x in bracket.items())"),
    ("bracket = v.cross(column)", "bracket = column.cross(v)"),
]

STROBED_MASS_MUTATIONS = [
    ("    still = model.weightless()\n    n = model.nv", "    still = model\n    n = model.nv"),
    ("M[i][j] = M[j][i] = column[i]", "M[i][j] = column[i]"),
    ("range(j + 1)", "range(j)"),
    ("M[i][i] + inertia", "M[i][i] - inertia"),
    ("[t - b for t, b", "[t + b for t, b"),
]

TOOL_MUTATIONS = {
    "newton-euler-base": [
        ("W @ tool.moment", "-(W @ tool.moment)"),
        ("W @ tool.force", "tool.force"),
        ("W @ tool.moment", "tool.moment"),
        ("+ p.cross(f)", "- p.cross(f)"),
    ],
    "newton-euler": [
        ("(tool.force, tool.moment)", "(tool.force, -tool.moment)"),
        ("(tool.force, tool.moment)", "(tool.moment, tool.force)"),
        ("(tool.force, tool.moment)", "(-tool.force, tool.moment)"),
        ("Rf = R @ f", "Rf = f"),
    ],
    "newton-euler-hat": [("inward(arm, F, N, tool)", "inward(arm, F, N, None)")],
    "newton-euler-orin": [("inward(arm, F, N, tool)", "inward(arm, F, N, None)")],
    "modified-newton-euler": [("inward(arm, F, N, tool)", "inward(arm, F, N, None)")],
}

FORWARD_MUTATIONS = [
    ("body.inertia @ b[i] + v[i]", "v[i]"),
    ("[t - s for t, s", "[t + s for t, s"),
    ("P @ B.T - inner @ P", "P @ B.T + inner @ P"),
    ("B = B + P @ C", "B = B - P @ C"),
    ("x - carried.dot(column)", "x + carried.dot(column)"),
    ("p = p + column * entry", "p = p - column * entry"),
    ("-model.gravity", "model.gravity"),
    ("self.A - _outer", "self.A + _outer"),
    ("self.C - _outer", "self.C + _outer"),
    ("self.B - Mat3.outer(f.moment, g.force)", "self.B - Mat3.outer(f.force, g.moment)"),
    ("+ v[i].cross(vJ)", "+ vJ.cross(v[i])"),
    ("v[i].cross(body.inertia @ v[i])", "v[i].cross(body.inertia @ vJ)"),
    ("IA[body.parent] + Ia.outward", "IA[body.parent] + IA[i].outward"),
    ("a[i] = carried + body.S @ accel", "a[i] = carried"),
    ("X[i] @ b[body.parent] + v[i]", "v[i]"),
]


def code(source):
    """The source after its docstring, where a replacement means something."""
    return source.index('"""', source.index('"""') + 3) + 3


def mutated(module, old, new):
    """The module's names with one piece of its source replaced."""
    source = inspect.getsource(module)
    start = code(source)
    assert old in source[start:], f"{old!r} does not occur in {module.__name__}"
    names = {"__name__": module.__name__}
    exec(compile(source[:start] + source[start:].replace(old, new, 1), module.__name__, "exec"), names)
    return names


def in_field(function, model, seed=1):
    system = FieldSystem(seed)
    lifted = model.lift(system)
    return [system.lower(x) for x in function(lifted, *lifted.variables())]


RIGHT = [in_field(FORMULATIONS["newton-euler"].inverse_dynamics, arm) for arm in ARMS]


def test_every_formulation_has_mutations():
    assert set(MUTATIONS) == set(FORMULATIONS)
    assert all(len(pieces) >= 4 for pieces in MUTATIONS.values())


@pytest.mark.parametrize(
    ("name", "old", "new"), [(name, *piece) for name, pieces in MUTATIONS.items() for piece in pieces]
)
def test_an_error_in_a_formulation_is_caught_in_the_field(name, old, new):
    mutant = mutated(FORMULATIONS[name].module, old, new)["inverse_dynamics"]
    assert any(in_field(mutant, arm) != tau for arm, tau in zip(ARMS, RIGHT, strict=True))


@pytest.mark.parametrize("name", MUTATIONS)
def test_a_mutation_that_changes_nothing_passes_as_equal(name):
    same = mutated(FORMULATIONS[name].module, "return", "return ")["inverse_dynamics"]
    assert all(in_field(same, arm) == tau for arm, tau in zip(ARMS, RIGHT, strict=True))


def left_over(forward, model):
    system = FieldSystem(3)
    lifted = model.lift(system)
    q, qd, tau = lifted.variables()
    again = FORMULATIONS["newton-euler"].inverse_dynamics(lifted, q, qd, forward(lifted, q, qd, tau))
    return vanishes(system, [x - y for x, y in zip(again, tau, strict=True)])


@pytest.mark.parametrize(("old", "new"), FORWARD_MUTATIONS)
def test_an_error_in_the_articulated_body_method_is_caught_by_the_round_trip(old, new):
    assert left_over(articulated_body.forward_dynamics, ARMS[0])
    assert not left_over(mutated(articulated_body, old, new)["forward_dynamics"], ARMS[0])


def matrices(names, model, seed=4):
    """C of a module's names in the field."""
    system = FieldSystem(seed)
    lifted = model.lift(system)
    q, qd, _ = lifted.variables()
    if "strobing" in names["__name__"]:
        C = names["coriolis_matrix"](FORMULATIONS["newton-euler-armstrong"].inverse_dynamics, lifted, q, qd)
    else:
        C = names["coriolis_matrix"](lifted, q, qd, "christoffel")
    return [[system.lower(x) for x in row] for row in C]


@pytest.mark.parametrize(("old", "new"), CHRISTOFFEL_MUTATIONS)
def test_an_error_in_the_decompositions_christoffel_matrix_is_caught(old, new):
    strobed = [matrices(vars(strobing), arm) for arm in ARMS]
    assert [matrices(vars(decomposition), arm) for arm in ARMS] == strobed
    assert [matrices(mutated(decomposition, old, new), arm) for arm in ARMS] != strobed


@pytest.mark.parametrize(("old", "new"), STROBING_MUTATIONS)
def test_an_error_in_strobing_the_coriolis_matrix_is_caught(old, new):
    trees = [*ARMS, random_model(3, 6, kinds="RS", tree=True)]
    right = [matrices(vars(composite_coriolis), tree) for tree in trees]
    assert [matrices(vars(strobing), tree) for tree in trees] == right
    assert [matrices(mutated(strobing, old, new), tree) for tree in trees] != right


@pytest.mark.parametrize(("old", "new"), STROBED_MASS_MUTATIONS)
def test_an_error_in_strobing_the_mass_matrix_is_caught_by_forward_dynamics(old, new):
    assert undone(vars(strobing))
    assert not undone(mutated(strobing, old, new))


def undone(names):
    """Whether strobed forward dynamics with rotors is undone by inverse dynamics with them."""
    system = FieldSystem(3)
    lifted = ARMS[0].lift(system)
    q, qd, tau = lifted.variables()
    rotor = [system.draw() for _ in tau]
    ID = FORMULATIONS["newton-euler"].inverse_dynamics
    try:
        qdd = names["forward_dynamics"](ID, lifted, q, qd, tau, rotor)
    except ZeroDivisionError:
        return False
    again = [t + r * a for t, r, a in zip(ID(lifted, q, qd, qdd), rotor, qdd, strict=True)]
    return vanishes(system, [x - y for x, y in zip(again, tau, strict=True)])


def held(function, model):
    """Torques in the field with a wrench in the hand."""
    system = FieldSystem(2)
    lifted = model.lift(system)
    state = lifted.variables()
    tool = Force(Vec3(*(system.draw() for _ in range(3))), Vec3(*(system.draw() for _ in range(3))))
    return [system.lower(x) for x in function(lifted, *state, tool)]


@pytest.mark.parametrize(
    ("name", "old", "new"), [(name, *piece) for name, pieces in TOOL_MUTATIONS.items() for piece in pieces]
)
def test_an_error_with_the_wrench_in_the_hand_is_caught(name, old, new):
    others = [other for other, method in FORMULATIONS.items() if method.tool and other != name]
    right = [held(FORMULATIONS[others[0]].with_tool, arm) for arm in ARMS]
    for other in others:
        assert [held(FORMULATIONS[other].with_tool, arm) for arm in ARMS] == right
    mutant = mutated(FORMULATIONS[name].module, old, new)["inverse_dynamics"]
    assert [held(mutant, arm) for arm in ARMS] != right


def test_every_formulation_with_a_tool_has_mutations_of_it():
    assert set(TOOL_MUTATIONS) == {name for name, method in FORMULATIONS.items() if method.tool}


# -- the papers' misprints, each alone, in float64 ----------------------------------------------------

SPIN = "(into @ (w + Z0 * rate)).cross(Z0) * rate"
ERRATA = {
    "E1: the origin's own motion is left out": ("hollerbach-3x3", " + Mat3.outer(link.p, e)", ""),
    "E2: gravity forgets the origins": ("hollerbach-3x3", "link.mu + link.p * M", "link.mu"),
    "E3: the sign of the acceleration": (
        "hollerbach-3x3",
        "(W_dd @ link.p) * sign",
        "(W_dd @ link.p) * -sign",
    ),
    "E4: r/m for m r": ("hollerbach-3x3", "arm = Arm(model, q)", "arm = with_quotients(Arm(model, q))"),
    "T1: a velocity of the wrong link": ("newton-euler", "w.cross(Z0) * rate", SPIN),
    "T2: an entry of the matrix": (
        "modified-newton-euler",
        "Mat3.acceleration(w, al)",
        "(lambda A: Mat3(A.a, A.b, A.c + Vec3(0.0, al.z - al.x, 0.0)))(Mat3.acceleration(w, al))",
    ),
    "T3: the sign of the trace term": ("modified-newton-euler", "vee(A, link.K)", "-vee(A, link.K)"),
    "T4: moments about the wrong point": (
        "modified-newton-euler",
        "vee(A, link.K)",
        "vee(A, link.K + Mat3.outer(link.s, link.s) * link.m)",
    ),
    "W1: a sine for a cosine": ("waters", "arm = Arm(model, q)", "arm = with_sines(Arm(model, q))"),
}


def with_quotients(arm):
    """Hollerbach's printed definition n = r/m in the place of the first moment m r."""
    return type("Printed", (), {
        "links": [Altered(link, mu=link.r * (1.0 / link.m)) for link in arm.links],
        "gravity": arm.gravity,
    })  # fmt: skip


def with_sines(arm):
    """Waters' printed −sin θ sin α in the place of −cos θ sin α."""
    for link in arm.links:
        a, (s, c_a, _, y), c, d = link.T.rows
        link.__dict__["T"] = type(link.T)((a, (s, c_a, -s * c[1], y), c, d))
    return arm


class Altered:
    """A link with one letter replaced."""

    def __init__(self, link, **letters):
        self.link = link
        self.__dict__.update(letters)

    def __getattr__(self, name):
        return getattr(self.link, name)


def misprinted(name, old, new):
    names = mutated(FORMULATIONS[name].module, old, new)
    names |= {"with_quotients": with_quotients, "with_sines": with_sines}
    return names["inverse_dynamics"]


def difference(function, robot, seed):
    q, qd, qdd = (array.tolist() for array in robot.random_state(seed))
    right = np.array(FORMULATIONS["newton-euler"].inverse_dynamics(robot.model, q, qd, qdd), float)
    wrong = np.array(function(robot.model, q, qd, qdd), float)
    return np.abs(wrong - right).max() / np.abs(right).max()


@pytest.mark.parametrize("erratum", ERRATA)
def test_a_misprint_breaks_agreement_by_more_than_a_thousandth(erratum):
    function = misprinted(*ERRATA[erratum])
    robots = [strobe.load("puma560")] * 10 if erratum.startswith("W1") else [
        strobe.random(6, seed, kinds="R") for seed in range(10)
    ]  # fmt: skip
    assert min(difference(function, robot, seed) for seed, robot in enumerate(robots)) > 1e-3


def test_the_printed_recursion_is_wrong_on_revolute_arms_of_two_joints_and_more():
    robots = [strobe.random(n, n, kinds="R") for n in range(2, 7)]
    assert min(difference(PRINTED.inverse_dynamics, robot, 0) for robot in robots) > 1e-3


def test_strobing_two_rates_at_once_as_described_is_wrong_by_the_order_of_the_symbols():
    """T8: the torque of two unit rates is C_jj + C_kk + 2 C_jk, not a symbol."""
    robot = strobe.random(6, 1, kinds="R")
    q = robot.random_state(0)[0].tolist()
    ID = FORMULATIONS["newton-euler"].inverse_dynamics
    right = np.array(strobing.christoffel(ID, robot.model, q), float)
    printed = mutated(strobing, "(both - one - other) * 0.5", "both")["christoffel"]
    wrong = np.array(printed(ID, robot.model, q), float)
    assert np.abs(wrong - right).max() > 0.1 * np.abs(right).max()
