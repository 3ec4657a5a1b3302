"""What a user holds: arrays in, arrays out, and sentences for what cannot be."""

import pickle

import numpy as np
import pytest

import strobe
from strobe.errors import (
    ArgumentError,
    DtypeError,
    ShapeError,
    SingularMassMatrixError,
    UnknownNameError,
    UnsupportedModelError,
)


@pytest.fixture(scope="module")
def panda():
    return strobe.load("panda")


@pytest.fixture(scope="module")
def state(panda):
    return panda.random_state(seed=4)


def test_names_sizes_and_limits(panda):
    assert (panda.n, panda.nq, panda.nv) == (7, 7, 7)
    assert panda.joint_names == tuple(f"joint{k}" for k in range(1, 8))
    assert panda.limits.effort.tolist() == [87.0] * 4 + [12.0] * 3
    assert "flange" in panda.frames
    assert "7 degrees of freedom (RRRRRRR)" in str(panda)
    assert "<b>panda" in panda._repr_html_()
    assert repr(panda) == "<Robot panda: 7 joints>"
    assert repr(strobe.random(1, seed=0)).endswith(": 1 joint>")


def test_random_states_are_reproducible_and_within_limits(panda):
    q, qd, qdd = panda.random_state(seed=1, batch=(50,))
    again, _, _ = panda.random_state(seed=1, batch=50)
    assert q.shape == qd.shape == qdd.shape == (50, 7)
    assert (q == again).all()
    assert (q >= panda.limits.lower).all()
    assert (q <= panda.limits.upper).all()


def test_leading_axes_broadcast(panda, state):
    q, qd, qdd = state
    many, _, _ = panda.random_state(seed=2, batch=(4, 1))
    tau = panda.inverse_dynamics(many, np.stack([qd] * 3), qdd)
    assert tau.shape == (4, 3, 7)
    assert tau[2, 1] == pytest.approx(panda.inverse_dynamics(many[2, 0], qd, qdd), rel=1e-13)
    assert panda.mass_matrix(many).shape == (4, 1, 7, 7)
    assert panda.forward_kinematics(many).shape == (4, 1, 4, 4)
    assert panda.jacobian(many).shape == (4, 1, 6, 7)


def test_empty_batches_are_fine(panda):
    empty = np.empty((0, 7))
    assert panda.inverse_dynamics(empty, empty, empty).shape == (0, 7)
    assert panda.mass_matrix(empty).shape == (0, 7, 7)


def test_lists_integers_and_odd_memory_are_accepted(panda, state):
    q, qd, qdd = state
    expected = panda.inverse_dynamics(q, qd, qdd)
    assert panda.inverse_dynamics(q.tolist(), tuple(qd), qdd) == pytest.approx(expected)
    swapped = q.astype(q.dtype.newbyteorder())
    wide = np.stack([q, q], axis=-1).reshape(-1)[::2]
    frozen = q.copy()
    frozen.flags.writeable = False
    for odd in (swapped, wide, frozen):
        assert panda.inverse_dynamics(odd, qd, qdd) == pytest.approx(expected)
    assert panda.gravity([0, 0, 0, -1, 0, 1, 0]) == pytest.approx(panda.gravity([0.0, 0, 0, -1, 0, 1, 0]))


def test_float32_in_float32_out(panda):
    q, qd, qdd = (x.astype(np.float32) for x in panda.random_state(seed=0, batch=5))
    tau = panda.inverse_dynamics(q, qd, qdd)
    assert tau.dtype == np.float32
    assert tau == pytest.approx(panda.inverse_dynamics(*map(np.float64, (q, qd, qdd))), rel=1e-4, abs=1e-4)
    assert panda.inverse_dynamics(q, qd, qdd.astype(float)).dtype == np.float64


def test_out_is_filled_and_returned_even_over_an_input(panda):
    q, qd, qdd = panda.random_state(seed=0, batch=5)
    expected = panda.inverse_dynamics(q, qd, qdd)
    assert panda.inverse_dynamics(q, qd, qdd, out=qdd) is qdd
    assert qdd == pytest.approx(expected)
    with pytest.raises(
        ShapeError, match=r"out has shape \(5, 6\); the result does not fit, expected \(5, 7\)"
    ):
        panda.inverse_dynamics(q, qd, qdd, out=np.empty((5, 6)))


def test_out_must_be_a_float_array_that_can_be_written(panda, state):
    frozen = np.empty(7)
    frozen.flags.writeable = False
    with pytest.raises(ArgumentError, match="out is a int64 array; expected float64"):
        panda.inverse_dynamics(*state, out=np.empty(7, int))
    with pytest.raises(
        ArgumentError, match="out is a read-only float64 array; expected one that may be written"
    ):
        panda.inverse_dynamics(*state, out=frozen)


def test_out_must_keep_every_digit(panda, state):
    for bad in (np.empty(7, np.float16), np.ma.masked_array(np.empty(7)), [0.0] * 7):
        with pytest.raises(ArgumentError, match="out is a"):
            panda.inverse_dynamics(*state, out=bad)


def test_a_robot_cannot_be_changed_in_place(panda):
    with pytest.raises(AttributeError):
        panda.model = panda.with_payload(5.0).model
    plain = strobe.Robot(panda.model, compiled=False)
    assert not plain.with_payload(1.0).compiled


def test_two_wrenches_on_one_frame_are_not_one(panda, state):
    with pytest.raises(ArgumentError, match="two wrenches act on one frame"):
        panda.inverse_dynamics(*state, wrench={None: np.ones(6), panda.frames[-1]: np.ones(6)})


@pytest.mark.parametrize("compiled", [True, False])
def test_single_precision_sees_a_singular_mass_matrix_too(compiled):
    arm = strobe.Robot(point_mass_arm(2).model, compiled)
    q = np.random.default_rng(0).uniform(-3, 3, (200, 2)).astype(np.float32)
    q[:, 1] = 0.0  # stretched out: singular
    ones = np.ones((200, 2), np.float32)
    qdd = arm.forward_dynamics(q, 0 * ones, ones)
    assert qdd.dtype == np.float32
    assert np.isnan(qdd).any(axis=1).all()


@pytest.mark.parametrize(
    ("keyword", "value"), [("friction", "no"), ("formulation", ["waters"]), ("threads", 0)]
)
def test_keywords_of_the_wrong_kind_get_a_sentence(panda, state, keyword, value):
    for _ in range(3):  # also once single states are answered by the builtin
        with pytest.raises(ArgumentError, match=f"{keyword} is"):
            panda.inverse_dynamics(*state, **{keyword: value})
        panda.inverse_dynamics(*state)


def test_masked_entries_are_unknown_and_so_is_what_follows_from_them(panda):
    q, qd, qdd = panda.random_state(seed=0, batch=3)
    masked = np.ma.masked_array(q, mask=np.zeros_like(q, bool))
    masked[1, 3] = np.ma.masked
    tau = panda.inverse_dynamics(masked, qd, qdd)
    assert np.isnan(tau[1]).any()
    assert np.isfinite(tau[[0, 2]]).all()


def test_lists_beside_float32_arrays_do_not_widen_the_result(panda):
    q, qd, qdd = (x.astype(np.float32) for x in panda.random_state(seed=0))
    assert panda.inverse_dynamics(q, qd, qdd, gravity=[0.0, 0.0, -1.6]).dtype == np.float32
    assert panda.integrate(q, qd, 0.1).dtype == np.float32


def test_differences_do_not_depend_on_the_rounding_of_quaternions():
    ball = strobe.random(1, seed=3, kinds="S")
    a, b = np.array([1.0, 0.0, 0.0, 0.0]), np.array([0.6, 0.8, 0.0, 0.0])
    assert ball.difference(a, b) == pytest.approx(ball.difference(1.0005 * a, 0.9995 * b))
    assert np.linalg.norm(ball.integrate(1.0005 * a, [0.1, 0.2, 0.3])) == pytest.approx(1.0)


def point_mass_arm(n):
    """n parallel joints with one point mass at the tip: a mass matrix of rank two at most."""
    from strobe.models.toml_reader import read_toml

    link = '[[dh.link]]\njoint = "revolute"\na = 0.5\n'
    head = 'format = 1\nname = "rod"\n[dh]\nconvention = "standard"\n'
    return strobe.Robot(read_toml("rod.toml", text=head + link * n + "mass = 1.0\n"))


@pytest.mark.parametrize("n", [3, 4, 5, 6, 8, 10])
def test_a_chain_with_a_point_mass_is_refused_however_long(n):
    with pytest.raises(SingularMassMatrixError, match="moves no inertia"):
        point_mass_arm(n).forward_dynamics(np.zeros(n), np.zeros(n), np.zeros(n))


def test_accelerations_at_a_singular_configuration_are_nan_never_large():
    arm = point_mass_arm(2)  # regular, except stretched out or folded back
    states = np.array([[0.3, 0.4], [0.3, 0.0], [0.3, np.pi]])
    qdd = arm.forward_dynamics(states, np.zeros((3, 2)), np.ones((3, 2)))
    assert np.isfinite(qdd[0]).all()
    assert np.isnan(qdd[1:]).any(axis=1).all()


def test_a_light_link_on_a_heavy_body_is_no_singularity():
    from strobe.models.toml_reader import read_toml

    link = '[[dh.link]]\njoint = "revolute"\na = 0.5\n'
    head = 'format = 1\nname = "crane"\n[dh]\nconvention = "standard"\n'
    heavy = "mass = 1e9\ninertia = [1e9, 1e9, 1e9, 0, 0, 0]\n"
    light = "mass = 1e-7\ninertia = [1e-7, 1e-7, 1e-7, 0, 0, 0]\n"
    crane = strobe.Robot(read_toml("crane.toml", text=head + link + heavy + link + light))
    assert np.isfinite(crane.forward_dynamics([0.1, 0.2], [0.0, 0.0], [1.0, 1e-7])).all()


def test_a_payload_can_be_replaced(panda, state):
    first = panda.with_payload(0.8, com=[0.0, 0.0, 0.05], frame="tool")
    second = first.with_payload(0.3, frame="tool", replacing=(0.8, [0.0, 0.0, 0.05], None))
    direct = panda.with_payload(0.3, frame="tool")
    assert second.inverse_dynamics(*state) == pytest.approx(direct.inverse_dynamics(*state))


@pytest.mark.parametrize(
    "ask",
    [
        lambda r: r.gravity(np.zeros(7), formulation=5),
        lambda r: r.forward_kinematics(np.zeros(7), 5),
        lambda r: r.random_state(seed=-1),
        lambda r: strobe.load(5),
    ],
)
def test_arguments_of_the_wrong_kind_get_a_sentence(panda, ask):
    with pytest.raises(strobe.StrobeError):
        ask(panda)


def test_a_batch_may_be_a_numpy_integer(panda):
    assert panda.random_state(batch=np.int64(3))[0].shape == (3, 7)


def test_nan_stays_where_it_is(panda):
    q, qd, qdd = panda.random_state(seed=0, batch=3)
    q[1, 6] = np.nan
    tau = panda.inverse_dynamics(q, qd, qdd)
    assert np.isnan(tau[1]).any()
    assert np.isfinite(tau[[0, 2]]).all()
    assert np.isnan(panda.inverse_dynamics([0.1, np.inf] + [0.1] * 5, qd[0], qdd[0])).any()


def test_forward_undoes_inverse_dynamics_with_friction_and_wrench():
    puma = strobe.load("puma560")
    q, qd, qdd = puma.random_state(seed=3, batch=20)
    wrench = np.random.default_rng(0).standard_normal((20, 6))
    tau = puma.inverse_dynamics(q, qd, qdd, wrench=wrench)
    assert puma.forward_dynamics(q, qd, tau, wrench=wrench) == pytest.approx(qdd, rel=1e-8, abs=1e-8)


def test_a_wrench_enters_by_the_transposed_jacobian(panda, state):
    q, qd, qdd = state
    F = np.array([1.0, -2.0, 3.0, 0.1, 0.2, -0.3])
    free = panda.inverse_dynamics(q, qd, qdd)
    held = panda.inverse_dynamics(q, qd, qdd, wrench=F, frame="tool")
    assert free - held == pytest.approx(panda.jacobian(q, "tool").T @ F)
    two = panda.inverse_dynamics(q, qd, qdd, wrench={"tool": F, "flange": 2 * F})
    pulled = panda.jacobian(q, "tool").T @ F + panda.jacobian(q, "flange").T @ (2 * F)
    assert free - two == pytest.approx(pulled)


def test_gravity_can_be_given_with_the_call_and_batched(panda, state):
    q, qd, qdd = state
    tilted = panda.with_gravity([1.0, 2.0, -9.0])
    assert panda.inverse_dynamics(q, qd, qdd, gravity=[1.0, 2.0, -9.0]) == pytest.approx(
        tilted.inverse_dynamics(q, qd, qdd)
    )
    both = panda.gravity(q, gravity=[[1.0, 2.0, -9.0], [0.0, 0.0, 0.0]])
    assert both == pytest.approx(np.stack([tilted.gravity(q), np.zeros(7)]))


def test_the_jacobian_is_the_rate_of_the_placement(panda, state):
    q, qd, _ = state
    h = 1e-6
    ahead, behind = (panda.forward_kinematics(panda.integrate(q, qd, s * h), "tool") for s in (1, -1))
    rate = (ahead - behind) / (2 * h)
    twist = panda.jacobian(q, "tool") @ qd
    assert rate[:3, 3] == pytest.approx(twist[:3], abs=1e-8)
    spin = rate[:3, :3] @ panda.forward_kinematics(q, "tool")[:3, :3].T
    assert [spin[2, 1], spin[0, 2], spin[1, 0]] == pytest.approx(twist[3:], abs=1e-8)


def test_robots_can_be_pickled(panda, state):
    again = pickle.loads(pickle.dumps(panda))
    assert again.inverse_dynamics(*state) == pytest.approx(panda.inverse_dynamics(*state))
    named = pickle.loads(pickle.dumps(strobe.load("planar2")))
    assert named.model.bodies[0].inertial.m.text == "m1"


# -- sentences ----------------------------------------------------------------------------------------


def test_a_wrong_shape_says_what_was_got_and_expected(panda):
    with pytest.raises(ShapeError) as caught:
        panda.inverse_dynamics(np.zeros((100, 6)), np.zeros(7), np.zeros(7))
    assert str(caught.value) == "q has shape (100, 6); panda has 7 joints, expected (..., 7)."
    with pytest.raises(
        ShapeError, match=r"wrench has shape \(3,\); a wrench is \(fx, fy, fz, mx, my, mz\)"
    ):
        panda.inverse_dynamics(*np.zeros((3, 7)), wrench=[1, 2, 3])
    with pytest.raises(ShapeError, match=r"q has shape \(\); panda has 7 joints"):
        panda.gravity(1.0)


def test_batches_that_do_not_fit_are_listed(panda):
    with pytest.raises(ArgumentError, match=r"do not broadcast: q \(4, 7\), qd \(5, 7\), qdd \(7,\)"):
        panda.inverse_dynamics(np.zeros((4, 7)), np.zeros((5, 7)), np.zeros(7))


@pytest.mark.parametrize(
    ("value", "what"),
    [
        (np.zeros(7, complex), "complex numbers"),
        (np.array(["1"] * 7), "text"),
        (np.array([None] * 7), "Python objects"),
        (np.ones(7, bool), "truth values"),
        ([[1.0, 2.0], [3.0]], "nested lists of unequal lengths"),
    ],
)
def test_arrays_that_hold_no_real_numbers_are_refused(panda, value, what):
    with pytest.raises(DtypeError, match=f"q holds {what}; expected real numbers"):
        panda.gravity(value)


def test_unknown_frames_and_formulations_name_the_nearest(panda, state):
    with pytest.raises(UnknownNameError) as caught:
        panda.forward_kinematics(state[0], frame="tol")
    assert str(caught.value).startswith("no frame \"tol\" in panda. Did you mean 'tool'?")
    with pytest.raises(UnknownNameError, match='no formulation "newton-oiler" in strobe. Did you mean'):
        panda.inverse_dynamics(*state, formulation="newton-oiler")


def test_a_frame_without_a_wrench_is_an_error(panda, state):
    with pytest.raises(ArgumentError, match="no wrench= was given"):
        panda.inverse_dynamics(*state, frame="tool")


def test_a_joint_that_moves_no_inertia_is_named_when_forward_dynamics_is_asked_for():
    text = """
    format = 1
    name = "bare"
    [dh]
    convention = "standard"
    [[dh.link]]
    joint = "revolute"
    a = 1.0
    mass = 1.0
    inertia = [0.1, 0.1, 0.1, 0, 0, 0]
    [[dh.link]]
    joint = "revolute"
    a = 1.0
    """
    from strobe.models.toml_reader import read_toml

    robot = strobe.Robot(read_toml("bare.toml", text=text))
    assert robot.inverse_dynamics([0.1, 0.2], [0, 0], [0, 0]).shape == (2,)
    with pytest.raises(SingularMassMatrixError, match='because joint "joint2" moves no inertia'):
        robot.forward_dynamics([0.1, 0.2], [0, 0], [0, 0])


def test_robots_without_dynamics_say_why():
    with pytest.raises(UnsupportedModelError, match="rx90 has no dynamics"):
        strobe.load("rx90").gravity(np.zeros(6))
    still = strobe.load("planar2").lock({"joint*": 0.0})
    with pytest.raises(UnsupportedModelError, match="no joints that move"):
        still.inverse_dynamics([], [], [])
    assert still.forward_kinematics([], "tool")[0, 3] == pytest.approx(0.75)


def test_a_serial_formulation_refuses_a_tree():
    tree = strobe.random(5, seed=2, tree=True)
    with pytest.raises(UnsupportedModelError, match="not a single chain"):
        tree.gravity(np.zeros(5), formulation="newton-euler")
