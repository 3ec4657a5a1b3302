"""Manipulability, lost directions and limit margins, against determinants and closed forms."""

import numpy as np
import pytest

import strobe
from strobe.errors import StrobeError


def test_manipulability_is_the_root_of_the_determinant():
    panda = strobe.load("panda")
    q = panda.random_state(seed=1, batch=(10, 3))[0]
    J = panda.jacobian(q)
    for of, rows in (("all", J), ("translation", J[..., :3, :]), ("rotation", J[..., 3:, :])):
        expected = np.sqrt(np.linalg.det(rows @ np.swapaxes(rows, -1, -2)))
        assert panda.manipulability(q, of=of) == pytest.approx(expected, rel=1e-9)
    assert panda.manipulability(q, of=("z", "wx")).shape == (10, 3)
    assert panda.manipulability(q, length=2.0) == pytest.approx(panda.manipulability(q) / 8, rel=1e-12)


def test_planar_arms_have_the_closed_form_of_the_textbook():
    two, three = strobe.load("planar2"), strobe.load("planar3")
    q = two.random_state(seed=2, batch=50)[0]
    l1, l2 = (two.equations().parameters[name] for name in ("l1", "l2"))
    assert two.manipulability(q, of="translation") == pytest.approx(l1 * l2 * np.abs(np.sin(q[:, 1])))
    assert two.manipulability(q, of=("x", "y")) == pytest.approx(l1 * l2 * np.abs(np.sin(q[:, 1])))
    q = three.random_state(seed=2, batch=50)[0]
    expected = l1 * l2 * np.abs(np.sin(q[:, 1]))
    assert three.manipulability(q, of=("x", "y", "wz")) == pytest.approx(expected)
    # it never leaves its plane
    assert three.manipulability(q, of="translation") == pytest.approx(0, abs=1e-12)


# -- singular directions ----------------------------------------------------------------------------------


def test_at_the_wrist_singularity_one_direction_is_lost_and_two_joints_turn_against_each_other():
    stanford = strobe.load("stanford")
    found = stanford.singular_directions([0.3, 0.9, 0.6, -0.4, 0.0, 1.1])
    J = stanford.jacobian([0.3, 0.9, 0.6, -0.4, 0.0, 1.1])
    assert found.rank == 5
    (lost,), (idle,) = found.hand[found.lost], found.joints[found.idle]
    assert lost @ J == pytest.approx(np.zeros(6), abs=1e-15)
    assert J @ idle == pytest.approx(np.zeros(6), abs=1e-15)
    assert np.abs(idle) == pytest.approx([0, 0, 0, 0.5**0.5, 0, 0.5**0.5], abs=1e-14)
    assert idle[3] == pytest.approx(-idle[5])


def test_a_stretched_planar_arm_cannot_be_moved_along_itself():
    planar = strobe.load("planar2")
    found = planar.singular_directions([0.4, 0.0], of=("x", "y"))
    (lost,) = found.hand[found.lost]
    assert np.abs(lost @ [np.cos(0.4), np.sin(0.4)]) == pytest.approx(1)


def test_arms_with_more_and_with_fewer_joints_than_rows():
    panda, planar = strobe.load("panda"), strobe.load("planar2")
    q = panda.random_state(seed=3, batch=(4, 2))[0]
    found = panda.singular_directions(q)
    assert found.rank.tolist() == [[6, 6]] * 4
    assert found.idle.sum(-1).tolist() == [[1, 1]] * 4
    idle = found.joints[found.idle].reshape(4, 2, 7)
    assert np.einsum("...ij,...j->...i", panda.jacobian(q), idle) == pytest.approx(
        np.zeros((4, 2, 6)), abs=1e-13
    )
    few = planar.singular_directions(planar.random_state(seed=3)[0])
    assert (few.rank, few.lost.sum(), few.idle.sum()) == (2, 4, 0)
    assert few.hand[few.lost] @ planar.jacobian(planar.random_state(seed=3)[0]) == pytest.approx(
        np.zeros((4, 2)), abs=1e-14
    )


def test_a_wider_tolerance_shows_what_is_nearly_lost():
    stanford = strobe.load("stanford")
    q = [0.3, 0.9, 0.6, -0.4, 1e-4, 1.1]
    assert stanford.singular_directions(q).rank == 6
    assert stanford.singular_directions(q, tolerance=1e-3).rank == 5


def test_what_is_not_a_number_has_no_rank_and_spoils_nothing_beside_it():
    ur5 = strobe.load("ur5")
    q = ur5.random_state(seed=4, batch=3)[0]
    q[1, 2] = np.nan
    assert np.isnan(ur5.manipulability(q)).tolist() == [False, True, False]
    found = ur5.singular_directions(q)
    assert found.rank.tolist() == [6, 0, 6]
    assert np.isnan(found.hand).all((-1, -2)).tolist() == [False, True, False]


# -- limits -----------------------------------------------------------------------------------------------


def test_margins_are_distances_to_either_bound_and_a_share_of_the_half_range():
    panda = strobe.load("panda")
    lower, upper = panda.limits.lower, panda.limits.upper
    middle = panda.limit_margins((lower + upper) / 2)
    assert middle.share == pytest.approx(np.ones(7))
    assert middle.to_lower == pytest.approx(middle.to_upper)
    q = np.stack([lower, upper, lower + 0.25 * (upper - lower)])
    found = panda.limit_margins(q)
    assert found.share == pytest.approx(np.array([[0.0], [0.0], [0.5]]) * np.ones(7))
    assert found.within.all()
    assert found.sentences == ()


def test_what_is_beyond_a_bound_is_told_with_joint_and_bound():
    stanford = strobe.load("stanford")
    q = np.tile([0.3, 0.9, 0.6, -0.4, 0.7, 1.1], (2, 1))
    q[1, 2] = 1.4
    found = stanford.limit_margins(q)
    assert found.within.tolist() == [True, False]
    assert found.sentences == ('joint "joint3" of state 1 is beyond its upper limit by 0.13.',)
    assert found.share[:, 0].tolist() == [np.inf, np.inf]  # no bounds there
    assert found.share[1, 2] < 0
    low = stanford.limit_margins([0, 0, 0.3, 0, 0, 0])
    assert low.sentences == ('joint "joint3" is beyond its lower limit by 0.0048.',)


def test_joints_with_quaternions_have_no_bounds_and_unknown_positions_no_margins():
    walker = strobe.load("biped10", base="floating")
    q = walker.random_state(seed=5)[0]
    found = walker.limit_margins(q)
    assert len(found.names) == walker.nv == found.share.shape[-1]
    assert np.isinf(found.share[:6]).all()
    ur5 = strobe.load("ur5")
    unknown = ur5.limit_margins([np.nan] * 6)
    assert np.isnan(unknown.share).all()
    assert not unknown.within


@pytest.mark.parametrize(
    ("keywords", "sentence"),
    [
        ({"of": "linear"}, 'no row "linear" in a Jacobian.'),
        ({"of": ()}, "of=() names no row; expected each row once."),
        ({"of": ("x", "x")}, "of=('x', 'x') names a row twice; expected each row once."),
        ({"length": 0.0}, "length is 0.0; expected a positive number of metres."),
        ({"length": np.nan}, "length is nan; expected a positive number of metres."),
        ({"frame": "hammer"}, 'no frame "hammer" in ur5.'),
    ],
)
def test_bad_input_is_refused_with_a_sentence(keywords, sentence):
    robot = strobe.load("ur5")
    with pytest.raises(StrobeError) as caught:
        robot.manipulability(np.zeros(6), **keywords)
    assert sentence in str(caught.value)
    with pytest.raises(
        StrobeError, match="tolerance is -1; expected a share of the largest singular value"
    ):
        robot.singular_directions(np.zeros(6), tolerance=-1)
    with pytest.raises(StrobeError, match=r"q has shape \(5,\); ur5 has 6 position numbers"):
        robot.limit_margins(np.zeros(5))
