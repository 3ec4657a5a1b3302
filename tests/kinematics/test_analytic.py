"""Closed forms for random arms of every class, against the product of their joints' motions."""

from __future__ import annotations

import numpy as np
import pytest

from strobe.kinematics.analytic import places_of, recognise, shortfalls
from strobe.kinematics.screws import placement
from strobe.kinematics.serial_chain import Serial
from strobe.scalars import LANES, Lanes

N = 200
X, Y, Z = np.eye(3)


def chain(kinds, axes, points, seed=0, tool=True):
    """An arm with given lines, moved and turned as a whole, so that nothing lies along a coordinate axis."""
    rng = np.random.default_rng(seed)
    axes, points = np.array(axes, dtype=float), np.array(points, dtype=float)
    R = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    R *= np.linalg.det(R)
    home = np.eye(4)
    home[:3, :3] = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    home[:3, :3] *= np.linalg.det(home[:3, :3])
    home[:3, 3] = rng.normal(size=3) if tool else points[-1] @ R.T
    n = len(kinds)
    return Serial(
        names=tuple(f"joint{k + 1}" for k in range(n)),
        revolute=np.array([kind == "R" for kind in kinds]),
        axes=(axes / np.linalg.norm(axes, axis=1, keepdims=True)) @ R.T,
        points=points @ R.T,
        home=home,
        lower=np.full(n, -np.inf),
        upper=np.full(n, np.inf),
        columns=np.arange(n),
    )


def solved(arm, poses, what="pose", near=None):
    """(N, K, n): every branch, interpreted on arrays."""
    method = recognise(arm, what)
    numbers = [Lanes(column) for column in poses[:, :3].reshape(-1, 12).T]
    q0 = [0.0] * arm.n if near is None else [Lanes(x) for x in near.T]
    with np.errstate(all="ignore"):
        places = places_of(arm, method, numbers, q0)
        rows = [[np.broadcast_to(LANES.lower(x), len(poses)) for x in place] for place in places]
    return np.moveaxis(np.array(rows), -1, 0)


def away(arm, q, wanted):
    """The distance between positions, full turns apart."""
    d = q - wanted
    d = np.where(arm.revolute, np.angle(np.exp(1j * d)), d)
    return np.abs(d).max(-1)


def assert_solves(arm, what="pose", exact=True, seed=1):
    """The positions a pose was made from are found again, and (if exact) everything found reaches the pose."""
    q = np.random.default_rng(seed).uniform(-2.5, 2.5, size=(N, arm.n))
    T = placement(arm, q)
    found = solved(arm, T, what)[..., : arm.n]
    exists = np.isfinite(found).all(-1)
    assert np.nanmin(np.where(exists, away(arm, found, q[:, None]), np.nan), axis=1).max() < 1e-6
    if exact:
        reached = placement(arm, np.where(exists[..., None], found, 0.0))
        part = {"pose": np.s_[:3, :], "position": np.s_[:3, 3:], "orientation": np.s_[:3, :3]}[what]
        miss = np.abs(reached - T[:, None])[(..., *part)].max((-1, -2))
        assert np.where(exists, miss, 0.0).max() < 1e-9
    return exists


def general(rng):
    return rng.normal(size=3)


def wrist(rng, square=True):
    """Three axes through a point."""
    at = general(rng)
    if square:
        frame = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        return [frame[0], frame[1], frame[0]], [at] * 3
    return [general(rng) for _ in range(3)], [at] * 3


def first_three(kinds, how, rng):
    """Axes and points of three joints that lie to each other as ``how`` says."""
    axes, points = [general(rng) for _ in range(3)], [general(rng) for _ in range(3)]
    for relation in how.split():
        i, j = int(relation[1]) - 1, int(relation[2]) - 1
        if relation[0] == "x":
            points[j] = points[i]
        if relation[0] == "p":
            axes[j] = axes[i]
        if relation[0] == "s":
            axes[j] = np.cross(axes[i], general(rng))
    return axes, points


CARRIED = [
    ("RRR", "x12"),
    ("RRR", "p12"),
    ("RRR", "x23"),
    ("RRR", "p23"),
    ("RRP", "x12"),
    ("RRP", "p12"),
    ("RRP", "s23"),
    ("RRP", "p12 p23"),
    ("RPR", "s12"),
    ("RPR", "p12 p23"),
    ("RPR", "s23"),
    ("PRR", "x23"),
    ("PRR", "p23"),
    ("PRR", "s12"),
    ("RPP", ""),
    ("PRP", "s12"),
    ("PRP", "p12"),
    ("PPR", ""),
    ("PPP", ""),
]


@pytest.mark.parametrize("square", [True, False])
@pytest.mark.parametrize(("kinds", "how"), CARRIED)
def test_every_arm_with_a_spherical_wrist_is_solved(kinds, how, square):
    rng = np.random.default_rng(7)
    axes, points = first_three(kinds, how, rng)
    more = wrist(rng, square)
    arm = chain(kinds + "RRR", axes + more[0], points + more[1])
    assert recognise(arm).name == "spherical wrist"
    assert_solves(arm)


@pytest.mark.parametrize(("kinds", "how"), CARRIED[:8])
def test_every_arm_with_a_spherical_base_is_solved(kinds, how):
    rng = np.random.default_rng(8)
    axes, points = first_three(kinds, how, rng)
    more = wrist(rng)
    arm = chain("RRR" + kinds, more[0] + axes, more[1] + points)
    assert recognise(arm).name == "spherical base"
    assert_solves(arm)


@pytest.mark.parametrize("mirrored", [False, True])
@pytest.mark.parametrize("first", "RP")
def test_three_parallel_axes_are_solved(mirrored, first):
    rng = np.random.default_rng(9)
    h, at = general(rng), general(rng)
    axes = [general(rng), h, -h, h, general(rng), general(rng)]
    points = [general(rng) for _ in range(4)] + [at, at]
    step = -1 if mirrored else 1
    arm = chain((first + "RRRRR")[::step], axes[::step], points[::step])
    assert recognise(arm).name == "three parallel axes"
    assert_solves(arm)


def test_an_arm_without_such_axes_belongs_to_no_class():
    rng = np.random.default_rng(10)
    arm = chain("RRRRRR", rng.normal(size=(6, 3)), rng.normal(size=(6, 3)))
    assert recognise(arm) is None


def test_a_wrist_that_misses_its_point_by_a_millimetre_is_not_taken_for_one():
    rng = np.random.default_rng(11)
    axes, points = first_three("RRR", "x12", rng)
    more = wrist(rng)
    points = [*points, *more[1][:2], more[1][2] + 1e-3 * np.cross(more[0][2], more[0][1])]
    arm = chain("RRRRRR", axes + more[0], points)
    assert recognise(arm) is None


@pytest.mark.parametrize("kinds", ["RRR", "RRRP", "PRRR", "RRPR", "RPRR"])
def test_planar_and_scara_arms_are_solved(kinds):
    rng = np.random.default_rng(12)
    h = general(rng)
    arm = chain(kinds, [h * rng.choice([-1, 1]) for _ in kinds], rng.normal(size=(len(kinds), 3)))
    assert recognise(arm).name == "parallel axes"
    assert assert_solves(arm).any(axis=1).all()


@pytest.mark.parametrize(
    ("kinds", "how"), [("RRR", "x12"), ("RRR", "p12"), ("RRP", "x12"), ("PRR", "s12"), ("PPP", "")]
)
def test_three_joints_bring_a_point_anywhere_they_can(kinds, how):
    axes, points = first_three(kinds, how, np.random.default_rng(13))
    arm = chain(kinds, axes, points)
    assert recognise(arm, "position").name == "three joints"
    assert_solves(arm, "position")


def test_three_turning_axes_give_any_orientation_in_two_ways():
    rng = np.random.default_rng(14)
    axes, points = wrist(rng)
    arm = chain("RRR", axes, points)
    assert assert_solves(arm, "orientation").sum(axis=1).tolist() == [2] * N


@pytest.mark.parametrize("kinds", ["RR", "RP", "PR", "PP"])
def test_two_joints_and_one_are_solved_where_the_pose_is_theirs(kinds):
    rng = np.random.default_rng(15)
    assert_solves(chain(kinds, rng.normal(size=(2, 3)), rng.normal(size=(2, 3))), exact=False)
    assert_solves(chain(kinds[0], rng.normal(size=(1, 3)), rng.normal(size=(1, 3))))


def test_five_joints_with_two_axes_that_meet_are_completed_on_paper():
    rng = np.random.default_rng(16)
    axes, points = first_three("RRR", "p23", rng)
    at = general(rng)
    arm = chain("RRRRR", [*axes, general(rng), general(rng)], [*points, at, at])
    assert recognise(arm).name == "spherical wrist, 5 joints"
    assert_solves(arm, exact=False)


def test_five_joints_of_which_three_are_parallel_are_completed_on_paper():
    rng = np.random.default_rng(17)
    h = general(rng)
    arm = chain("RRRRR", [general(rng), h, h, h, general(rng)], rng.normal(size=(5, 3)))
    assert recognise(arm).name == "three parallel axes, 5 joints"
    assert_solves(arm, exact=False)


def test_four_joints_are_completed_on_paper():
    rng = np.random.default_rng(18)
    axes, points = first_three("RRR", "x12", rng)
    arm = chain("RRRR", [*axes, general(rng)], [*points, general(rng)])
    assert recognise(arm).name == "spherical wrist, 4 joints"
    assert_solves(arm, exact=False)


def test_a_singular_wrist_keeps_its_first_joint_and_says_that_it_is_free():
    axes, points = first_three("RRR", "x12", np.random.default_rng(19))
    arm = chain("RRRRRR", [*axes, Z, Y, Z], [*points, *[[0.3, 0.2, 0.1]] * 3])
    q = np.array([[0.3, 0.4, 0.5, 0.6, 0.0, 0.7]])
    rows = solved(arm, placement(arm, q), near=q)[0]
    (same,) = [row for row in rows if away(arm, row[:6], q[0]) < 1e-9]
    assert same[6] == 2.0**3


def test_what_is_out_of_reach_is_told_by_how_much():
    arm = chain(
        "RRRRRR", [Z, Y, Y, X, Y, X], [[0, 0, 0], [0, 0, 0], [1, 0, 0], *[[1.5, 0, 0]] * 3], tool=False
    )
    T = np.array([arm.home, arm.home])
    T[0, :3, 3] *= 2.0  # stretched out it reaches 1.5 m, folded back 0.5 m
    T[1, :3, 3] *= 0.2 / 1.5
    told = shortfalls(arm, recognise(arm), T[:, :3].reshape(-1, 12), np.zeros((2, 6)))
    assert told == [
        'the wrist lies 1.5 m out of the reach of joint "joint2".',
        'the wrist lies 0.3 m out of the reach of joint "joint2".',
    ]
