"""Other coordinates: the examples of the literature, Lagrange's equation by dual numbers, laws, and every refusal."""

import math
import pickle
import re
from dataclasses import replace

import numpy as np
import pytest

import strobe
from strobe.algebra.lie import quaternion_product
from strobe.equations.coordinates import Asked
from strobe.equations.document import document
from strobe.equations.latex import latex_source
from strobe.equations.text import text_lines
from strobe.equations.verification import exact
from strobe.errors import ArgumentError, SingularMapError, StrobeError, UnsupportedModelError
from strobe.models.joints import Friction, Motor
from strobe.quantities import Request
from strobe.robot import Robot
from strobe.scalars import DualSystem, absolute, atan2, cos, less, maximum, minimum, sin, sqrt, where

STATE = np.array([[0.7, -1.1], [1.3, -0.6], [-0.8, 2.1]])  # of planar2, in the book
ABSOLUTE = np.array([[0.7, -0.4], [1.3, 0.7], [-0.8, 1.3]])  # the same with absolute angles


def bare(name, sign=()):
    """A built-in without drives; joints may turn the other way."""
    model = strobe.load(name).model
    bodies = [
        replace(b, joint=replace(b.joint, motor=Motor(), friction=Friction(), sign=s * b.joint.sign))
        for b, s in zip(model.bodies, sign or (1,) * len(model.bodies), strict=True)
    ]
    return Robot(replace(model, bodies=tuple(bodies)))


def bent(phi):
    """A map of three coordinates in which everything moves everything."""
    a, b, c = phi
    return [a + 0.3 * sin(b), b + 0.1 * a * a + 0.2 * sin(c), 0.8 + c + 0.1 * a * b]


def coupled(phi):
    """A map to the independent joints of the parallelogram."""
    return [phi[0] + 0.2 * phi[1] * phi[1] * phi[1], phi[1] - 0.5 * sin(phi[0])]


def euler(phi):
    """The quaternion of three turns, three times as long as it need be."""
    x, y, z = ((cos(angle * 0.5), sin(angle * 0.5)) for angle in phi)
    turns = [z[0], 0.0, 0.0, z[1]], [y[0], 0.0, y[1], 0.0], [x[0], x[1], 0.0, 0.0]
    whole = quaternion_product(quaternion_product(turns[0], turns[1]), turns[2])
    return [3.0 * part for part in whole]


def ball(phi):
    return [*euler(phi[:3]), phi[3] * 2.0]


def base(phi):
    return [phi[0] + 0.1 * phi[3], phi[1], phi[2] * 0.5, *euler(phi[3:6]), phi[6]]


def tip(phi):
    """The elbow and shoulder of planar2 from where its tip is."""
    x, y = phi
    c = (x * x + y * y - (0.4 * 0.4 + 0.35 * 0.35)) / (2 * 0.4 * 0.35)
    s = sqrt(1.0 - c * c)
    return [atan2(y, x) - atan2(0.35 * s, 0.4 + 0.35 * c), atan2(s, c)]


def where_the_tip_is(q):
    return [0.4 * cos(q[0]) + 0.35 * cos(q[0] + q[1]), 0.4 * sin(q[0]) + 0.35 * sin(q[0] + q[1])]


NEAR = 1.2  # of turns about y: at π/2 the three turns lose an axis
CASES = {
    "spherical3": lambda: strobe.load("spherical3").in_coordinates(bent),
    "pendulum3": lambda: strobe.load("pendulum3").in_coordinates("absolute"),
    "parallelogram": lambda: strobe.load("parallelogram").in_coordinates(coupled, within=(-1, 1)),
    "ball": lambda: strobe.random(2, 4, kinds="SR").in_coordinates(ball, within=(-NEAR, NEAR)),
    "tip": lambda: strobe.load("planar2").in_coordinates(tip, within=([0.3, 0.1], [0.5, 0.3])),
}


@pytest.fixture(scope="module", params=CASES)
def changed(request):
    return CASES[request.param]()


@pytest.fixture(scope="module")
def state(changed):
    """Three vectors of a state that suits every map."""
    rng = np.random.default_rng(3)
    phi = np.array([0.45, 0.2]) if changed.change.map is tip else rng.uniform(-0.9, 0.9, changed.n)
    return phi, rng.standard_normal(changed.n), rng.standard_normal(changed.n)


# -- the examples of the literature -------------------------------------------------------------------


def test_planar2_in_absolute_angles_has_the_numbers_of_the_book():
    arm = bare("planar2").in_coordinates("absolute")
    phi, phid, phidd = ABSOLUTE
    assert arm.mass_matrix(phi) == pytest.approx(
        np.array([[0.3348, 0.0408236509283], [0.0408236509283, 0.04575]]), rel=1e-10
    )
    assert arm.inverse_dynamics(phi, phid, phidd) == pytest.approx([7.02751077376, 1.9242753188], rel=1e-10)
    assert arm.forces(phi, [8.95178609256, 1.9242753188]) == pytest.approx(
        [7.02751077376, 1.9242753188], rel=1e-10
    )
    assert np.stack(arm.from_motion(*STATE)) == pytest.approx(ABSOLUTE)
    assert np.stack(arm.motion(*ABSOLUTE)) == pytest.approx(STATE)


def assert_equal(found, expected):
    for x, y in zip(found, expected, strict=True):
        assert x.equals(y), (x.terms, y)


@pytest.mark.parametrize("given", ["absolute", [[1, 0], [-1, 1]], lambda phi: [phi[0], phi[1] - phi[0]]])
def test_planar2_in_absolute_angles_is_the_closed_form_of_the_book(given):
    e = bare("planar2").in_coordinates(given).equations()
    m1, m2, I1, I2 = map(e.ring.variable, ("m1", "m2", "I1", "I2"))
    l1, lc1, lc2, g = map(e.ring.variable, ("l1", "lc1", "lc2", "g"))
    (phi1, phi2), (phid1, phid2), (phidd1, phidd2) = e.q, e.qd, e.qdd
    kappa, delta = m2 * l1 * lc2, phi2 - phi1
    H = [
        [m1 * lc1 * lc1 + I1 + m2 * l1 * l1, kappa * cos(delta)],
        [kappa * cos(delta), m2 * lc2 * lc2 + I2],
    ]
    G = [(m1 * lc1 + m2 * l1) * g * cos(phi1), m2 * lc2 * g * cos(phi2)]
    h = [-kappa * sin(delta) * phid2 * phid2, kappa * sin(delta) * phid1 * phid1]  # no phid1·phid2
    for i in range(2):
        assert_equal(e.mass_matrix[i], H[i])
    assert_equal(e.gravity, G)
    assert_equal(e.velocity_torques, h)
    assert_equal(e.torques, [H[i][0] * phidd1 + H[i][1] * phidd2 + h[i] + G[i] for i in range(2)])


def test_a_parallelogram_is_two_arms_in_the_same_two_angles():
    robot = strobe.load("parallelogram")
    arms = [
        robot.chain("link2").in_coordinates([[1, 0], [-1, 1]]),
        robot.chain("link4").in_coordinates([[0, 1], [1, -1]]),
    ]
    theta, rate = [0.6, -0.35], [0.9, -1.3]
    D, C, G = (
        sum(ask(arm) for arm in arms)
        for ask in (
            lambda arm: arm.mass_matrix(theta),
            lambda arm: arm.coriolis_matrix(theta, rate),
            lambda arm: arm.gravity(theta),
        )
    )
    assert pytest.approx(np.array([[1.2138, 0.322252431563], [0.322252431563, 0.44215]]), rel=1e-10) == D
    assert np.array([[0, -0.585821846549], [-0.405568970688, 0]]) == pytest.approx(C, rel=1e-10, abs=1e-12)
    assert pytest.approx([23.4799729086, 13.2238784592], rel=1e-10) == G


def test_the_mass_matrix_at_the_tip_is_that_of_the_task_space():
    robot = strobe.load("planar2")
    arm = robot.in_coordinates(
        tip, inverse=where_the_tip_is, within=([0.3, 0.1], [0.5, 0.3]), names=("x", "y")
    )
    q = np.array([0.2, 1.0])
    back = np.linalg.inv(robot.jacobian(q)[:2])
    phi = arm.from_positions(q)
    assert phi == pytest.approx(robot.forward_kinematics(q)[:2, 3])
    assert arm.mass_matrix(phi) == pytest.approx(back.T @ robot.mass_matrix(q) @ back)
    assert arm.jacobian(phi)[:2] == pytest.approx(np.eye(2), abs=1e-12)
    assert repr(arm) == "<planar2 in the coordinates x, y>"


# -- Lagrange, and laws -------------------------------------------------------------------------------


def derivative(function, x, direction):
    """The derivative of a function of numbers along a direction, by dual numbers."""
    system = DualSystem()
    return system.lower(function([system.seed(a, b) for a, b in zip(x, direction, strict=True)])).tangent


def units(n):
    return np.eye(n).tolist()


def test_the_map_moves_the_joints_as_differences_say(changed, state):
    phi, phid, phidd = state
    robot, h = changed.robot, 1e-5
    at = [changed.positions(phi + t * phid + 0.5 * t * t * phidd) for t in (-h, 0.0, h)]
    q, qd, qdd = changed.motion(phi, phid, phidd)
    assert q == pytest.approx(at[1])
    assert robot.difference(at[0], at[2]) / (2 * h) == pytest.approx(qd, abs=1e-8)
    assert changed.T(phi) @ phid == pytest.approx(qd, abs=1e-12)
    assert changed.T_dot(phi, phid) @ phid + changed.T(phi) @ phidd == pytest.approx(qdd, abs=1e-12)
    rates = [changed.T(phi + t * phid) for t in (-h, h)]
    assert (rates[1] - rates[0]) / (2 * h) == pytest.approx(changed.T_dot(phi, phid), abs=1e-7)


def test_forces_are_those_of_lagranges_equation(changed, state):
    phi, phid, phidd = (x.tolist() for x in state)
    n, energy = changed.n, Asked(changed.change, changed.robot.model, Request("energy"))

    def lagrangian(x):
        kinetic, potential = energy(phi=x[:n], phid=x[n:])
        return kinetic - potential

    def momentum(i):
        return lambda x: derivative(lagrangian, x, [*[0.0] * n, *units(n)[i]])

    for i, Q in enumerate(changed.inverse_dynamics(*state, friction=False)):
        rate = derivative(momentum(i), [*phi, *phid], [*phid, *phidd])
        slope = derivative(lagrangian, [*phi, *phid], [*units(n)[i], *[0.0] * n])
        assert rate - slope == pytest.approx(Q, rel=1e-10, abs=1e-10)


@pytest.mark.slow
def test_c_is_the_christoffel_matrix_of_m(changed, state):
    phi, phid = (x.tolist() for x in state[:2])
    n, asked = changed.n, Asked(changed.change, changed.robot.model, Request("mass_matrix"))
    d = [
        [
            [derivative(lambda x, i=i, j=j: asked(phi=x)[i][j], phi, unit) for unit in units(n)]
            for j in range(n)
        ]
        for i in range(n)
    ]
    d = np.array(d)  # ∂M_ij/∂φ_k
    c = (d + d.swapaxes(1, 2) - d.transpose(2, 1, 0)) / 2
    C = changed.coriolis_matrix(*state[:2])
    assert pytest.approx(np.einsum("ijk,k->ij", c, phid), rel=1e-9, abs=1e-10) == C


@pytest.mark.slow
@pytest.mark.parametrize("form", ["christoffel", "decomposition"])
def test_twice_c_differs_from_the_rate_of_m_by_a_skew_matrix(changed, state, form):
    phi, phid, phidd = state
    M = Asked(changed.change, changed.robot.model, Request("mass_matrix"))
    n = range(changed.n)
    rate = [[derivative(lambda x, i=i, j=j: M(phi=x)[i][j], phi, phid) for j in n] for i in n]
    C = changed.coriolis_matrix(phi, phid, form=form)
    difference = np.array(rate) - 2 * C
    assert np.abs(difference + difference.T).max() < 1e-10 * max(1.0, np.abs(C).max())
    assert changed.bias(phi, phid) == pytest.approx(C @ phid + changed.gravity(phi), abs=1e-10)
    whole = changed.mass_matrix(phi) @ phidd + changed.bias(phi, phid)
    assert changed.inverse_dynamics(*state, friction=False) == pytest.approx(whole, abs=1e-10)


@pytest.mark.slow
def test_accelerations_undo_forces(changed, state):
    phi, phid, phidd = state
    wrench = [1.0, 2.0, 3.0, 0.1, 0.2, 0.3]
    loads = {"wrench": wrench, "gravity": [1.0, 2.0, 3.0]}
    Q = changed.inverse_dynamics(phi, phid, phidd, **loads)
    assert changed.forward_dynamics(phi, phid, Q, **loads) == pytest.approx(phidd, rel=1e-7)
    q, qd, qdd = changed.motion(phi, phid, phidd)
    assert pytest.approx(changed.T(phi).T @ changed.robot.inverse_dynamics(q, qd, qdd, **loads)) == Q


@pytest.mark.slow
def test_frames_and_points_move_with_the_coordinates(changed, state):
    phi, phid, _ = state
    q, robot = changed.positions(phi), changed.robot
    T, point = changed.T(phi), [0.1, 0.2, 0.3]
    assert changed.forward_kinematics(phi) == pytest.approx(robot.forward_kinematics(q))
    assert changed.jacobian(phi) == pytest.approx(robot.jacobian(q) @ T)
    assert changed.point_jacobian(phi, None, point) == pytest.approx(
        robot.point_jacobian(q, None, point) @ T
    )
    assert changed.energy(phi, phid) == pytest.approx(robot.energy(q, T @ phid))


@pytest.mark.slow
def test_a_floating_base_by_three_turns_keeps_its_energy():
    robot = strobe.random(1, 2, kinds="R").with_base("floating")
    arm = robot.in_coordinates(base, within=(-NEAR, NEAR))
    rng = np.random.default_rng(1)
    phi, phid = rng.uniform(-0.9, 0.9, (2, 7))
    h = 1e-5
    q, ahead, behind = (arm.positions(phi + t * phid) for t in (0.0, h, -h))
    qd = robot.difference(behind, ahead) / (2 * h)
    assert phid @ arm.mass_matrix(phi) @ phid / 2 == pytest.approx(robot.energy(q, qd)[0], rel=1e-8)


# -- absolute angles ----------------------------------------------------------------------------------


@pytest.mark.parametrize("sign", [(1, 1, 1), (-1, 1, -1)])
def test_a_link_turns_with_its_own_absolute_angle_alone(sign):
    robot = bare("planar3", sign)
    arm = robot.in_coordinates("absolute")
    phi = [0.3, -0.5, 1.2]
    for k, link in enumerate(("link1", "link2", "link3")):
        turning = arm.jacobian(phi, link)[5]
        assert np.flatnonzero(np.abs(turning) > 1e-12).tolist() == [k]


def test_axes_stay_parallel_past_a_sliding_joint_and_start_anew_past_another_axis():
    assert np.array(strobe.load("pendulum3").in_coordinates("absolute").change.linear.rows).tolist() == [
        [1, 0, 0],
        [0, 1, 0],
        [0, -1, 1],
    ]
    robot = next(
        robot
        for seed in range(100)
        if (robot := strobe.random(3, seed, kinds="RP")).model.joints[1].kind == "prismatic"
        and robot.model.joints[0].turns
        and robot.model.joints[2].turns
    )
    bodies = tuple(replace(body, before=type(body.before)()) for body in robot.model.bodies)
    bodies = tuple(
        replace(b, after=type(b.after)(), joint=replace(b.joint, axis=0, sign=1)) for b in bodies
    )
    scara = Robot(replace(robot.model, bodies=bodies)).in_coordinates("absolute")
    assert np.array(scara.change.linear.rows).tolist() == [[1, 0, 0], [0, 1, 0], [-1, 0, 1]]


# -- closed forms -------------------------------------------------------------------------------------

MATRICES = {
    "pendulum3": ([[1, 0, 0], [0, 1, 0], [0, -1, 1]], None),
    "spherical3": ([[2, 1, 0], [0, -1, 0], [0, 0.25, 0.5]], [0.3, -math.pi / 2, 0.8]),
    "parallelogram": ([[1, 2], [0, 1]], [0.1, 0.2]),  # with joints that follow
}


@pytest.mark.parametrize("name", MATRICES)
def test_closed_forms_have_the_values_of_the_compiled_quantities(name):
    matrix, offset = MATRICES[name]
    arm = strobe.load(name).in_coordinates(matrix, offset=offset)
    named, e = (arm.equations(numbers=numbers) for numbers in (False, True))
    phi, phid, phidd = np.random.default_rng(1).standard_normal((3, 5, arm.n))
    pairs = [
        (e.mass_matrix, arm.mass_matrix(phi)),
        (e.coriolis_matrix, arm.coriolis_matrix(phi, phid)),
        (e.decomposition_matrix, arm.coriolis_matrix(phi, phid, form="decomposition")),
        (e.gravity, arm.gravity(phi)),
        (e.torques, arm.inverse_dynamics(phi, phid, phidd, friction=False)),
        (e.forward_kinematics(), arm.forward_kinematics(phi)),
        (e.jacobian(), arm.jacobian(phi)),
    ]
    for closed, values in pairs:
        assert e.evaluate(closed, phi, phid, phidd) == pytest.approx(values, rel=1e-9, abs=1e-9)
    tau = named.evaluate(named.torques, phi, phid, phidd)
    assert tau == pytest.approx(e.evaluate(e.torques, phi, phid, phidd), rel=1e-9, abs=1e-9)


@pytest.mark.parametrize(
    ("name", "terms"), [("planar2", (22, 16)), ("planar3", (85, 31)), ("pendulum3", (64, 51))]
)
def test_absolute_angles_shorten_the_equations_and_keep_them_exact(name, terms):
    robot = strobe.load(name)
    changed = robot.in_coordinates("absolute").equations()
    assert all(exact(changed).values())
    assert tuple(sum(map(len, e.torques)) for e in (robot.equations(), changed)) == terms


def test_rotors_stay_on_their_joints():
    e = strobe.load("planar2").in_coordinates("absolute").equations()
    for (i, j), sign in {(0, 0): 1, (0, 1): -1, (1, 1): 1}.items():
        assert e.mass_matrix[i][j].derivative("Ir2").equals(sign)


def test_closed_forms_are_printed_in_the_names_of_the_coordinates():
    arm = strobe.load("planar2")
    absolute = arm.in_coordinates("absolute").equations()
    lines = [line.strip() for line in text_lines(document(absolute, only=("M", "G", "tau", "facts")))]
    assert "H12 = m2 l1 lc2 cos(φ1 − φ2)" in lines
    assert "Q1 = H11 φ̈1 + H12 φ̈2 + h φ̇2² + G1 + Ir2 φ̈1 − Ir2 φ̈2 + F1" in lines
    assert "4 of 6 Christoffel symbols vanish: c111, c112, c212, c222." in lines
    belt = arm.in_coordinates([[1, 0], [-1, 1]], names=["motor", "beta_2"]).equations()
    source = latex_source(document(belt, only=("G", "tau")))
    assert r"\cos \mathit{motor}" in source
    assert r"Q_{2} &= H_{12} \, \ddot{\mathit{motor}} + H_{22} \, \ddot{\beta}_{2}" in source
    assert r"\ddot{\beta}_{2}" in str(belt._repr_latex_())


@pytest.mark.parametrize(
    ("names", "sentence"),
    [
        (["l1", "b"], 'the coordinate "l1" would be printed like the parameter l1.'),
        (["a", "l_1"], 'the coordinate "l_1" would be printed like the parameter l1.'),
        (["V", "b"], 'the coordinate "V" would be printed like a quantity of the equations.'),
        (["a_1", "a1"], 'the coordinate "a1" would be printed like the coordinate a_1.'),
        (
            ["left knee", "b"],
            'the coordinate "left knee" cannot be printed in equations: its name must begin',
        ),
    ],
)
def test_names_that_would_be_mistaken_for_others_are_refused(names, sentence):
    arm = strobe.load("planar2").in_coordinates("absolute", names=names)
    with pytest.raises(ArgumentError, match=re.escape(sentence)):
        arm.equations()


def test_closed_forms_are_refused_where_they_are_none():
    arm = strobe.load("planar2")
    with pytest.raises(ArgumentError, match="closed forms need a linear map, and that of <planar2 in the"):
        arm.in_coordinates(lambda phi: [phi[0] + 0.1 * sin(phi[0]), phi[1]]).equations()
    sentence = 'joint "joint2" of planar2 turns with 0.5 knee; closed forms need whole multiples'
    with pytest.raises(ArgumentError, match=sentence):
        arm.in_coordinates([[1, 0], [0, 0.5]], names=["hip", "knee"]).equations()
    with pytest.raises(ArgumentError, match='joint "joint1" of spherical3 turns with 1 phi3; closed forms'):
        strobe.load("spherical3").in_coordinates([[0, 0, 1], [0, 1, 0], [1, 0, 0]]).equations()
    with pytest.raises(UnsupportedModelError, match="is spherical, and a rotation by a quaternion"):
        CASES["ball"]().equations()


# -- arrays -------------------------------------------------------------------------------------------


def test_batches_broadcast_and_interpreting_gives_the_same():
    robot = strobe.load("spherical3")
    compiled, plain = (Robot(robot.model, c).in_coordinates(bent) for c in (True, False))
    phi, phid, phidd = np.random.default_rng(0).uniform(-1, 1, (3, 2, 4, 3))
    for ask in (
        lambda arm, **k: arm.mass_matrix(phi, **k),
        lambda arm, **k: arm.coriolis_matrix(phi, phid[0, 0], **k),
        lambda arm, **k: arm.inverse_dynamics(phi, phid, phidd[0], **k),
        lambda arm, **k: arm.forward_dynamics(phi, phid[:, :1], phidd, **k),
    ):
        many = ask(compiled, threads=2)
        assert many.shape[:2] == (2, 4)
        assert many == pytest.approx(ask(plain), rel=1e-9, abs=1e-11)
        out = np.empty_like(many)
        assert ask(compiled, out=out) is out
        assert np.array_equal(out, many)
    assert compiled.T(phi).shape == (2, 4, 3, 3)
    assert robot.in_coordinates(np.eye(3)).T(phi).shape == (
        2,
        4,
        3,
        3,
    )  # constant, and of the batch all the same


def test_float32_in_float32_out():
    arm = strobe.load("planar2").in_coordinates("absolute")
    single = ABSOLUTE.astype(np.float32)
    for method in (arm.inverse_dynamics, arm.forward_dynamics):
        assert method(*single).dtype == np.float32
        assert method(*single) == pytest.approx(method(*ABSOLUTE), rel=1e-4)
    assert all(x.dtype == np.float32 for x in arm.from_motion(*STATE.astype(np.float32)))


def test_nothing_is_said_where_the_map_is_singular():
    arm = strobe.load("planar2").in_coordinates(
        lambda phi: [phi[0] * phi[0], phi[1]], inverse=lambda q: [sqrt(q[0]), q[1]], within=(0.1, 1)
    )
    assert np.isnan(arm.forward_dynamics([0.0, 1.0], [1.0, 1.0], [1.0, 1.0])).all()
    assert np.isfinite(arm.inverse_dynamics([0.0, 1.0], [1.0, 1.0], [1.0, 1.0])).all()
    phi, phid, phidd = arm.from_motion([[0.0, 1.0], [0.25, 1.0]], [1.0, 1.0], [1.0, 1.0])
    assert phi.tolist() == [[0.0, 1.0], [0.5, 1.0]]
    assert np.isnan([phid[0], phidd[0]]).all()
    assert phid[1] == pytest.approx([1.0, 1.0])


def test_a_pickled_robot_in_coordinates_gives_the_same():
    arm = strobe.load("spherical3").in_coordinates([[2, 1, 0], [0, 1, 0], [0, 0, 3]], names=("a", "b", "c"))
    again = pickle.loads(pickle.dumps(arm))
    assert again.names == ("a", "b", "c")
    assert np.array_equal(again.mass_matrix([1, 2, 3]), arm.mass_matrix([1, 2, 3]))


def test_numpy_may_write_the_map():
    A = np.array([[1.0, 0.0], [-1.0, 1.0]])
    arm = strobe.load("planar2").in_coordinates(lambda phi: A @ phi)
    assert np.array_equal(arm.change.linear.rows, A)


# -- everything that can be wrong ---------------------------------------------------------------------

ELSEWHERE = " Give within=(lower, upper), a box of phi without such places."
WRITTEN = (
    " Write it with arithmetic and the smooth functions of strobe.scalars (sin, cos, sqrt, atan2, tanh)."
)
BAD = {
    "abs": (
        lambda p: [p[0], absolute(p[1])],
        "the map uses absolute, which has corners: C needs second derivatives." + WRITTEN,
    ),
    "min and max": (
        lambda p: [minimum(p[0], 0), maximum(p[1], 0)],
        "the map uses minimum, maximum, which has corners: C needs second derivatives." + WRITTEN,
    ),
    "where": (
        lambda p: [p[0], where(less(p[1], 0), p[1], p[0])],
        "the map uses less, where, which has corners: C needs second derivatives." + WRITTEN,
    ),
    "if": (
        lambda p: [p[0], p[1] if p[0] else 0.0],
        "the map decides on a value (if, and, or): it has corners." + WRITTEN,
    ),
    "math": (
        lambda p: [math.sin(p[0]), p[1]],
        "the map cannot be run on 2 numbers: must be real number, not Node." + WRITTEN,
    ),
    "too many coordinates": (
        lambda p: [p[0], p[2]],
        "the map cannot be run on 2 numbers: list index out of range." + WRITTEN,
    ),
    "too few joints": (lambda p: [p[0]], "the map gives 1 number; expected 2 (joint1, joint2)."),
    "no list": (lambda p: None, "the map gives a NoneType; expected a list of 2 numbers."),
    "nested": (lambda p: [[p[0]], p[1]], 'the map gives a list for "joint1"; expected a number.'),
    "complex": (
        lambda p: [p[0] * 1j, p[1]],
        "the map mixes what it is given with complex or other numbers; expected real arithmetic.",
    ),
    "a complex constant": (
        lambda p: [p[0], 1j],
        'the map gives the complex number 1j for "joint2"; expected a real one.',
    ),
    "nan": (lambda p: [math.nan, p[1]], 'the map gives nan for "joint1"; expected a finite number.'),
    "nan somewhere": (tip, 'the map gives nan for "joint1" at phi = (0, 0).' + ELSEWHERE),
    "no slope": (
        lambda p: [sqrt(p[0] * p[0]), p[1]],
        "the map has no finite derivative at phi = (0, 0)." + ELSEWHERE,
    ),
    "a pole": (
        lambda p: [1 / ((p[0] - 1) * (p[0] - 1)), p[1]],
        "the map has no finite derivative at phi = (1, ",
    ),
    "twice the same": (
        lambda p: [p[0] * p[0] + p[1], p[0] * p[0] + p[1]],
        "the map to the joints of planar2 is not invertible: at phi = (0, 0) its derivative has rank 1 of 2, and "
        "moving phi along (1, 0) moves no joint." + ELSEWHERE,
    ),
    "a fold": (
        lambda p: [p[0] * p[0] - 2 * p[0], p[0] + p[1]],
        "the map to the joints of planar2 is not invertible: at phi = (1, ",
    ),
    "a matrix": (
        [[1, -2], [-2, 4]],
        "the map to the joints of planar2 is not invertible: everywhere its derivative has rank 1 of 2, and moving "
        "phi along (1, 0.5) moves no joint. Give another map.",
    ),
    "nothing": (
        np.zeros((2, 2)),
        "the map to the joints of planar2 is not invertible: everywhere its derivative has rank 0 of 2, and moving "
        "phi along (0, 1) moves no joint. Give another map.",
    ),
    "a shape": (np.eye(3), "map has shape (3, 3); planar2 has 2 joints, expected (2, 2)."),
    "a nan": ([[1, 0], [math.nan, 1]], "map holds nan; expected finite numbers."),
    "complex entries": (
        [[1, 0], [0, 1j]],
        "map holds complex numbers; expected real numbers (float64, float32 or integers).",
    ),
    "a name": ("absolut", 'map is "absolut"; expected a function, a matrix or "absolute".'),
}


@pytest.mark.parametrize("case", BAD)
def test_a_map_that_is_none_is_refused_with_the_reason(case):
    map, sentence = BAD[case]
    with pytest.raises(StrobeError) as found:
        strobe.load("planar2").in_coordinates(map)
    assert str(found.value).startswith(sentence), found.value


def test_the_place_where_a_map_folds_is_found():
    fold = 1 / math.sqrt(3)
    with pytest.raises(SingularMapError) as found:
        strobe.load("planar2").in_coordinates(lambda p: [p[0] * (p[0] * p[0] - 1), p[1]])
    assert abs(found.value.place[0]) == pytest.approx(fold, rel=1e-6)
    assert found.value.direction == pytest.approx((1, 0), abs=1e-9)
    kept = strobe.load("planar2").in_coordinates(
        lambda p: [p[0] * (p[0] * p[0] - 1), p[1]], within=([fold + 0.01, -1], [2, 1])
    )
    assert np.linalg.det(kept.T([1.0, 0.0])) == pytest.approx(2.0)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"names": ["a"]}, "names is ['a']; expected 2 different names, one for each coordinate."),
        (
            {"names": ["a", "a"]},
            "names is ['a', 'a']; expected 2 different names, one for each coordinate.",
        ),
        ({"names": "ab"}, "names is 'ab'; expected 2 different names, one for each coordinate."),
        (
            {"within": 3},
            "within is 3; expected (lower, upper), each a number or 2 of them, lower below upper.",
        ),
        ({"within": (1, 1)}, "within is (1, 1); expected (lower, upper), each a number or 2 of them"),
        (
            {"within": (0, math.inf)},
            "within is (0, inf); expected (lower, upper), each a number or 2 of them",
        ),
        (
            {"within": ([0, 0, 0], 1)},
            "within is ([0, 0, 0], 1); expected (lower, upper), each a number or 2",
        ),
        ({"offset": [1, 2]}, "offset= goes with a matrix; a function adds its own."),
        (
            {"inverse": lambda q: [q[0], 2 * q[1]], "within": (1, 2)},
            "inverse does not undo the map: at phi = (1.5, 1.5) the joints are at (1.5, 2.25), for which it gives "
            "phi = (1.5, 4.5). Give within=",
        ),
        (
            {"inverse": lambda q: [q[0]], "within": (1, 2)},
            "the inverse gives 1 number; expected 2 (phi1, phi2).",
        ),
    ],
)
def test_options_that_do_not_fit_are_refused(options, sentence):
    with pytest.raises(ArgumentError) as found:
        strobe.load("planar2").in_coordinates(
            lambda p: [p[0], p[1] * p[1]], **({"within": (0.5, 1)} | options)
        )
    assert str(found.value).startswith(sentence), found.value


def test_robots_that_do_not_fit_are_refused():
    with pytest.raises(
        UnsupportedModelError, match="has joints with quaternions, which no matrix leads to"
    ):
        strobe.random(2, 4, kinds="SR").in_coordinates(np.eye(4))
    with pytest.raises(
        UnsupportedModelError, match='joints that follow others, for which "absolute" is not'
    ):
        strobe.load("parallelogram").in_coordinates("absolute")
    with pytest.raises(
        UnsupportedModelError, match="spherical3 has no joint whose axis is parallel to that of"
    ):
        strobe.load("spherical3").in_coordinates("absolute")
    with pytest.raises(UnsupportedModelError, match="has no joints that move: there is nothing to map to"):
        strobe.load("planar2").lock({"*": 0.0}).in_coordinates(lambda phi: [])


def test_arrays_that_do_not_fit_are_refused():
    arm = strobe.load("planar2").in_coordinates("absolute")
    with pytest.raises(
        StrobeError, match=r"phi has shape \(3,\); planar2 has 2 joints, expected \(..., 2\)"
    ):
        arm.mass_matrix([1, 2, 3])
    with pytest.raises(
        StrobeError, match=r"qdd has shape \(1,\); planar2 has 2 joints, expected \(..., 2\)"
    ):
        arm.from_motion([1, 2], [1, 2], [1])
    with pytest.raises(StrobeError, match="friction is 1; expected True or False"):
        arm.inverse_dynamics([1, 2], [1, 2], [1, 2], friction=1)
    with pytest.raises(StrobeError, match='no frame "tol" in planar2. Did you mean .tool.'):
        arm.jacobian([1, 2], "tol")
    bent_arm = strobe.load("spherical3").in_coordinates(bent)
    with pytest.raises(ArgumentError, match="the coordinates of a position need the inverse of the map"):
        bent_arm.from_positions([1, 2, 3])
