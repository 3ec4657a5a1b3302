"""Matrices and generalised forces of the examples to twelve digits, computed independently for each example.

The robots are those of [Decomposition2012] and of the planar arm of [Asada2005], with parameters chosen for
Strobe; values carried over from hand-derived closed forms, confirmed by Pinocchio.
"""

import numpy as np
import pytest

import strobe
from strobe.formulations import FORMULATIONS, composite_coriolis, decomposition, strobing
from strobe.models.load import load_model

PENDULUM = [0.4, -0.6, 0.9], [1.1, -0.8, 0.5], [-0.3, 0.7, 1.2]


def agree(value, golden):
    np.testing.assert_allclose(np.array(value, float), golden, rtol=1e-10, atol=1e-12)


# -- the Coriolis matrix of the biped in the form of the decomposition --------------------------------

BIPED_C = [
    [
        -0.579311964383,
        -2.27978964906,
        -1.17972623403,
        -0.440629894684,
        -0.975574106232,
        0.0731742433674,
        -0.275092304184,
        -0.0252076274964,
        -0.00646636743382,
        -0.00353016013851,
    ],
    [
        1.79025762108,
        -1.4845173168,
        -1.00606460631,
        -0.484537058842,
        0.703640460705,
        -0.0561525859207,
        0.107881939754,
        -0.00964752644674,
        -0.00257770019256,
        -0.00132434981088,
    ],
    [
        1.33400324258,
        -1.02207677964,
        -0.543624069153,
        -0.40062457935,
        0.511647035604,
        -0.00990917511296,
        -0.107400443648,
        0.00699748435753,
        0.00655941656499,
        -0.000236518620793,
    ],
    [
        0.025740896401,
        -0.0648067585223,
        -0.21723414413,
        -0.0742346543268,
        0.153448219853,
        0.114442257988,
        -0.118591306331,
        0.0356754330621,
        0.0187806818484,
        0.00253438147407,
    ],
    [
        0.597143795371,
        -1.01447129688,
        -0.282043883356,
        -0.605952924525,
        -0.154891693393,
        -0.481915864519,
        -0.50588702158,
        -0.0122485542358,
        -0.00202280486543,
        -0.00322050372089,
    ],
    [
        0.0141730900649,
        0.088161156386,
        0.02813205054,
        -0.106803787584,
        0.000936098374615,
        -0.326088072752,
        -0.115392049652,
        0.0136185580187,
        0.00504349456398,
        0.000269355529998,
    ],
    [
        -0.111696662445,
        0.151749451629,
        0.0510057060624,
        0.0119892546609,
        0.0450541599864,
        0.115179682107,
        -0.122590335122,
        0.0362113318479,
        0.0189972938362,
        0.00246525559918,
    ],
    [
        0.00542795446978,
        -0.10288130028,
        -0.0590950577967,
        -0.113515178308,
        -0.0328951112269,
        -0.0141784323917,
        -0.153431867019,
        0.00536979995089,
        0.00626141137309,
        -0.000624305121941,
    ],
    [
        0.000670438355021,
        -0.0145846210533,
        -0.00810224491792,
        -0.0133395696624,
        -0.00605321784506,
        -0.00522545603233,
        -0.0153988282641,
        -0.000887612488782,
        3.99893341866e-06,
        -0.000311973244489,
    ],
    [
        0.000549791105807,
        0.0011464833942,
        0.000428210150467,
        -0.00174148244132,
        0.000422891339035,
        -0.00456576807185,
        -0.00202866679639,
        0.000412807867939,
        0.000162003243489,
        0,
    ],
]


@pytest.mark.parametrize("matrix", [decomposition.coriolis_matrix, composite_coriolis.coriolis_matrix])
def test_the_biped_has_the_coriolis_matrix_of_the_decomposition(matrix):
    model = load_model("biped10")
    golden = model.golden[0]
    agree(matrix(model, golden["q"], golden["qd"], form="decomposition"), BIPED_C)
    christoffel = np.array(matrix(model, golden["q"], golden["qd"], form="christoffel"), float)
    agree(christoffel, golden["C"])
    assert 0.02 < np.abs(christoffel - BIPED_C).max() < 0.03  # another matrix with the same torques
    agree(christoffel @ golden["qd"], np.array(BIPED_C) @ golden["qd"])


# -- extended coordinates: a base that translates -----------------------------------------------------

A = [
    [-0.136655346841, -0.66411758574, -0.131988476442],
    [0.323220290167, -0.280784411696, -0.0558038327913],
    [0, -0.350921700377, 0.0443280309992],
]
B = [
    [-0.552267932144, 0.587853495146, 0.0491355699822],
    [0.314978948846, -0.612573992667, -0.150365968591],
    [0, -0.50517808636, -0.0429901420107],
]
MASS = 4.5


@pytest.mark.parametrize("form", decomposition.FORMS)
def test_a_translating_base_adds_mass_and_moments_to_the_matrices(form):
    fixed, moving = strobe.load("pendulum3"), strobe.load("pendulum3", base="translating")
    q, qd = [0.0, 0.0, 0.0, *PENDULUM[0]], [0.0, 0.0, 0.0, *PENDULUM[1]]
    M, C = moving.mass_matrix(q), moving.coriolis_matrix(q, qd, form=form)
    agree(M[:3, :3], MASS * np.eye(3))
    agree(M[:3, 3:], A)
    agree(M[3:, :3], np.transpose(A))
    agree(M[3:, 3:], fixed.mass_matrix(PENDULUM[0]))
    agree(C[:, :3], np.zeros((6, 3)))
    agree(C[:3, 3:], B)
    agree(C[3:, 3:], fixed.coriolis_matrix(*PENDULUM[:2], form=form))
    agree(moving.gravity(q), [0, 0, 44.145, 0, -3.4425418807, 0.434857984102])


# -- Christoffel symbols of the Stanford arm ----------------------------------------------------------

STANFORD_C = [
    [
        [0, 0.790686333198, 0.735606455054, 0.0214708014449, -0.0328791088627, 0],
        [
            0.790686333198,
            0.112444188966,
            -0.582838046969,
            0.00219301105623,
            0.000523131750291,
            -6.64767089843e-05,
        ],
        [0.735606455054, -0.582838046969, 0, 0, 0, 0],
        [0.0214708014449, 0.00219301105623, 0, 0.0330885230828, -0.0148827154163, -6.97196728058e-05],
        [-0.0328791088627, 0.000523131750291, 0, -0.0148827154163, 0.0275786866353, -2.50714871452e-05],
        [0, -6.64767089843e-05, 0, -6.97196728058e-05, -2.50714871452e-05, 0],
    ],
    [
        [-0.790686333198, 0, 0, 0.00314840461037, 0.0273713371944, 6.64767089844e-05],
        [0, 0, 1.19285035788, -0.000309643258497, -0.0362762915188, 0],
        [0, 1.19285035788, 0, 0, 0, 0],
        [0.00314840461037, -0.000309643258497, 0, -0.0020269192806, 0.0410761251917, -3.76305275775e-05],
        [0.0273713371944, -0.0362762915188, 0, 0.0410761251917, 0.0119654639672, -0.000105669945791],
        [6.64767089844e-05, 0, 0, -3.76305275775e-05, -0.000105669945791, 0],
    ],
    [
        [-0.735606455054, 0, 0, -0.00590760495447, 0.0438388252383, 0],
        [0, -1.19285035788, 0, -0.0587533905193, 0.0236615872638, 0],
        [0, 0, 0, 0, 0, 0],
        [-0.00590760495447, -0.0587533905193, 0, 0, 0, 0],
        [0.0438388252383, 0.0236615872638, 0, 0, -0.0607613578844, 0],
        [0, 0, 0, 0, 0, 0],
    ],
]


@pytest.mark.parametrize("name", ["newton-euler", "newton-euler-armstrong", "waters", "decomposition"])
def test_the_stanford_arm_has_its_christoffel_symbols_by_strobing(name):
    model = load_model("stanford")
    C = strobing.christoffel(FORMULATIONS[name].inverse_dynamics, model, model.golden[0]["q"])
    for i, golden in enumerate(STANFORD_C):
        agree([[C[j][k][i] for k in range(6)] for j in range(6)], golden)


# -- forces on points of a link, by virtual work ------------------------------------------------------


def with_point(name, link, xyz):
    return strobe.load(name).with_frame("point", xyz, frame=link)


def generalised(robot, q, force, frame):
    """Jᵀ F, and that inverse dynamics takes it off the torques."""
    wrench = [*force, 0.0, 0.0, 0.0]
    rates = [0.5] * robot.nv
    pushed = robot.inverse_dynamics(q, rates, rates, wrench=wrench, frame=frame)
    Q = robot.jacobian(q, frame).T @ wrench
    agree(robot.inverse_dynamics(q, rates, rates) - pushed, Q)
    return Q


def test_a_force_on_the_tip_and_on_the_middle_of_the_planar_arm():
    robot, q = strobe.load("planar2"), [0.7, -1.1]
    tip = generalised(robot, q, [3.0, -2.0, 0.0], "tool")
    agree(tip, [-1.62078841089, -0.235853436378])
    rigid = FORMULATIONS["newton-euler"].inverse_dynamics(robot.model, q, [1.3, -0.6], [-0.8, 2.1])
    agree(np.array(rigid) - tip, [10.5725745035, 2.16012875518])
    middle = with_point("planar2", "link2", [0.1 - 0.35, 0.0, 0.0])
    agree(generalised(middle, q, [3.0, -2.0, 0.0], "point"), [-1.45232167062, -0.067386696108])


def test_a_force_on_a_point_of_the_pendulum():
    robot = with_point("pendulum3", "link3", [0.02, 0.03, -0.3])
    Q = generalised(robot, PENDULUM[0], [3.0, -2.0, 1.5], "point")
    agree(Q, [-0.53007536724, -1.47000597038, -0.476119817722])


# -- the parallelogram: two chains driven by the same two angles --------------------------------------

CHAINS = {
    (0, 1): (
        [[1.89711478052, 0.601757390259], [0.601757390259, 0.34]],
        [[-0.805281349741, -0.475848070302], [-0.32943327944, 0]],
        [27.5634925515, 8.29372168173],
    ),
    (2, 3): (
        [[0.403340082608, 0.240695041304], [0.240695041304, 0.1802]],
        [[-0.186109467496, -0.0761356912483], [-0.109973776248, 0]],
        [9.14035881625, 4.21020203878],
    ),
}
TURNS = {(0, 1): [[1, 0], [-1, 1]], (2, 3): [[0, 1], [1, -1]]}  # from the two angles to each chain's


def test_each_chain_of_the_parallelogram_has_its_matrices_and_together_they_are_the_arms():
    model = load_model("parallelogram")
    golden = model.golden[0]
    q, qd = ([x[0], x[1] - x[0], x[1], x[0] - x[1]] for x in (golden["q"], golden["qd"]))
    whole = (
        decomposition.mass_matrix(model, q),
        decomposition.coriolis_matrix(model, q, qd),
        decomposition.gravity(model, q),
    )
    D, C, G = (np.array(part, float) for part in whole)
    total = [np.zeros((2, 2)), np.zeros((2, 2)), np.zeros(2)]
    for joints, values in CHAINS.items():
        block, T = np.ix_(joints, joints), np.array(TURNS[joints])
        for part, value in zip((D[block], C[block], G[list(joints)]), values, strict=True):
            agree(part, value)
        total[0] += T.T @ D[block] @ T
        total[1] += T.T @ C[block] @ T
        total[2] += T.T @ G[list(joints)]
    for part, key in zip(total, "MCG", strict=True):
        agree(part, golden[key])
