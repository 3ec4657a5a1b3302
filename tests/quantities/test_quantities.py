"""Every quantity: compiled as interpreted, on batches, in float32, into a given array, on threads."""

import numpy as np
import pytest

import strobe
from strobe.compiler.runtime.kernels import Kernel
from strobe.errors import (
    ArgumentError,
    ShapeError,
    SingularMassMatrixError,
    UnknownNameError,
    UnsupportedModelError,
)
from strobe.models.load import load_model
from strobe.models.random_robots import random_model
from strobe.quantities import QUANTITIES, Request
from strobe.robot import Robot

F = [1.0, -2.0, 3.0, 0.1, 0.2, -0.3]  # a list, which leaves float32 beside it as it is
CALLS = {
    "energy": lambda r, q, qd, x, **k: r.energy(q, qd, **k),
    "energy elsewhere": lambda r, q, qd, x, **k: r.energy(q, qd, gravity=[1.0, 2.0, 3.0], **k),
    "momentum": lambda r, q, qd, x, **k: r.momentum(q, qd, **k),
    "center_of_mass": lambda r, q, qd, x, **k: r.center_of_mass(q, **k),
    "centroidal_momentum_matrix": lambda r, q, qd, x, **k: r.centroidal_momentum_matrix(q, **k),
    "centroidal_momentum_matrix_dot": lambda r, q, qd, x, **k: r.centroidal_momentum_matrix_dot(q, qd, **k),
    "centroidal_momentum_bias": lambda r, q, qd, x, **k: r.centroidal_momentum_bias(q, qd, **k),
    "frame_placements": lambda r, q, qd, x, **k: r.frame_placements(q, **k),
    "jacobian_dot": lambda r, q, qd, x, **k: r.jacobian_dot(q, qd, **k),
    "jacobian in its own axes": lambda r, q, qd, x, **k: r.jacobian(q, reference="local", **k),
    "jacobian_dot at the base": lambda r, q, qd, x, **k: r.jacobian_dot(q, qd, reference="world", **k),
    "frame_velocity": lambda r, q, qd, x, **k: r.frame_velocity(q, qd, reference="local", **k),
    "frame_acceleration": lambda r, q, qd, x, **k: r.frame_acceleration(q, qd, x, **k),
    "point_jacobian": lambda r, q, qd, x, **k: r.point_jacobian(q, r.frames[-1], [0.1, 0.2, 0.3], **k),
    "joint_wrenches": lambda r, q, qd, x, **k: r.joint_wrenches(q, qd, x, wrench=F, **k),
    "coriolis_matrix": lambda r, q, qd, x, **k: r.coriolis_matrix(q, qd, **k),
    "other form": lambda r, q, qd, x, **k: r.coriolis_matrix(q, qd, form="decomposition", **k),
    "mass_matrix_inverse": lambda r, q, qd, x, **k: r.mass_matrix_inverse(q, **k),
    "forward_dynamics": lambda r, q, qd, x, **k: r.forward_dynamics(q, qd, x, wrench=F, **k),
}
ROBOTS = {
    "puma560": strobe.load("puma560").model,  # rotors and friction
    "tree": random_model(4, 5, kinds="RPS", tree=True),
    "screws and planes": random_model(3, 6, kinds="HE"),
}


@pytest.fixture(scope="module", params=ROBOTS)
def pair(request):
    model = ROBOTS[request.param]
    return Robot(model), Robot(model, compiled=False)


def relative(a, b):
    return np.abs(a - b).max() / np.abs(b).max()


@pytest.mark.slow
@pytest.mark.parametrize("call", CALLS)
def test_compiled_is_interpreted_on_batches_threads_and_into_arrays(pair, call):
    compiled, interpreted = pair
    q, qd, x = compiled.random_state(seed=1, batch=(3, 5))
    expected = CALLS[call](interpreted, q, qd, x)
    result = CALLS[call](compiled, q, qd, x)
    assert result.shape == expected.shape
    assert result.shape[:2] == (3, 5)
    assert relative(result, expected) < 1e-12
    assert relative(CALLS[call](compiled, q, qd, x, threads=2), expected) < 1e-12
    out = np.empty_like(expected)
    assert CALLS[call](compiled, q, qd, x, out=out) is out
    assert relative(out, expected) < 1e-12
    one = CALLS[call](interpreted, q[1, 2], qd[1, 2], x[1, 2])
    assert relative(one, expected[1, 2]) < 1e-12


@pytest.mark.parametrize("call", ["energy", "joint_wrenches", "jacobian_dot"])
def test_float32_in_float32_out(call):
    robot = Robot(ROBOTS["puma560"])
    states = robot.random_state(seed=2, batch=4)
    single = CALLS[call](robot, *(x.astype(np.float32) for x in states))
    assert single.dtype == np.float32
    assert relative(single, CALLS[call](robot, *states)) < 1e-4


def test_every_quantity_has_a_method():
    assert all(callable(getattr(Robot, name)) for name in QUANTITIES)


# -- the two forms of C -------------------------------------------------------------------------------


def test_both_forms_give_the_same_velocity_torques_and_differ(pair):
    robot = pair[1]
    q, qd, _ = robot.random_state(seed=3)
    a, b = (robot.coriolis_matrix(q, qd, form=form) for form in ("christoffel", "decomposition"))
    velocity = robot.bias(q, qd, gravity=[0.0, 0.0, 0.0])
    assert a @ qd == pytest.approx(velocity, abs=1e-11)
    assert b @ qd == pytest.approx(velocity, abs=1e-11)
    assert np.abs(a - b).max() > 1e-3
    assert np.abs((a + a.T) - (b + b.T)).max() < 1e-11  # both are Ṁ


def test_a_form_that_cannot_be_had_is_refused():
    puma = strobe.load("puma560")
    with pytest.raises(
        ArgumentError, match='form is "cristoffel"; expected one of christoffel, decomposition'
    ):
        puma.coriolis_matrix(np.zeros(6), np.zeros(6), form="cristoffel")
    with pytest.raises(ArgumentError, match="only form=.christoffel. can be read"):
        puma.coriolis_matrix(np.zeros(6), np.zeros(6), form="decomposition", formulation="newton-euler")


# -- accelerations ------------------------------------------------------------------------------------


@pytest.mark.slow
def test_articulated_bodies_agree_with_the_mass_matrix_and_take_rotors_and_friction(pair):
    robot = pair[0]
    q, qd, tau = robot.random_state(seed=4, batch=6)
    direct = robot.forward_dynamics(q, qd, tau, wrench=F)
    articulated = robot.forward_dynamics(q, qd, tau, wrench=F, formulation="articulated-body")
    assert relative(articulated, direct) < 1e-10


def test_articulated_bodies_refuse_joints_that_follow_others():
    arm = strobe.load("parallelogram")
    zeros = np.zeros(arm.n)
    with pytest.raises(UnsupportedModelError, match="joints that follow others"):
        arm.forward_dynamics(arm.neutral + 0.3, zeros, zeros, formulation="articulated-body")


@pytest.mark.slow
def test_hybrid_dynamics_is_both_dynamics_at_its_ends(pair):
    robot = pair[0]
    q, qd, x = robot.random_state(seed=5, batch=3)
    tau, qdd = robot.hybrid_dynamics(q, qd, x)
    assert (tau == x).all()
    assert qdd == pytest.approx(robot.forward_dynamics(q, qd, x), rel=1e-9, abs=1e-9)
    tau, qdd = robot.hybrid_dynamics(q, qd, x, accelerated=["*"])
    assert (qdd == x).all()
    assert tau == pytest.approx(robot.inverse_dynamics(q, qd, x), rel=1e-12)


def test_a_passive_joint_swings_while_the_others_are_driven():
    puma = strobe.load("puma560")
    q, qd, x = puma.random_state(seed=6, batch=4)
    passive = puma.joint_names[2]
    x[:, 2] = 0.0
    driven = [name for name in puma.joint_names if name != passive]
    both = np.empty((4, 2, 6))
    tau, qdd = puma.hybrid_dynamics(q, qd, x, accelerated=driven, wrench=F, out=both)
    assert (tau[:, 2] == 0).all()
    assert np.delete(qdd, 2, axis=1) == pytest.approx(np.delete(x, 2, axis=1))
    again = puma.inverse_dynamics(q, qd, qdd, wrench=F)
    assert again == pytest.approx(tau, rel=1e-9, abs=1e-9)
    assert tau.base is both


def test_hybrid_dynamics_follows_couplings():
    arm = strobe.load("parallelogram")
    q, qd, x = arm.random_state(seed=1)
    tau, qdd = arm.hybrid_dynamics(q, qd, x, accelerated=[arm.joint_names[0]])
    assert arm.inverse_dynamics(q, qd, qdd) == pytest.approx(tau, rel=1e-10, abs=1e-10)


def planar(*masses):
    """Parallel joints half a metre apart, each link a point mass at its end."""
    from strobe.models.toml_reader import read_toml

    links = "".join(f'[[dh.link]]\njoint = "revolute"\na = 0.5\nmass = {mass}\n' for mass in masses)
    return Robot(
        read_toml("bare.toml", text=f'format = 1\nname = "bare"\n[dh]\nconvention = "standard"\n{links}')
    )


def test_a_free_joint_that_never_moves_inertia_is_named():
    arm = planar(1.0, 0.0)
    state = [0.1, 0.2], [0.3, 0.4], [0.5, 0.6]
    sentence = (
        'bare: hybrid dynamics is not defined, because joint "joint2" moves no inertia (its pivot of the mass '
        "matrix is zero). Give the links beyond it mass and inertia, add rotor inertia, or give its acceleration."
    )
    for accelerated in (["joint1"], []):
        with pytest.raises(SingularMassMatrixError) as error:
            arm.hybrid_dynamics(*state, accelerated=accelerated)
        assert str(error.value) == sentence
    with pytest.raises(SingularMassMatrixError, match="hybrid dynamics"):
        arm.compile(Request("hybrid_dynamics", accelerated=("joint1",)))
    tau, qdd = arm.hybrid_dynamics(*state, accelerated=["joint2"])
    assert arm.inverse_dynamics(*state[:2], qdd) == pytest.approx(tau)


def test_driving_a_joint_can_free_the_others_of_a_singularity():
    arm = planar(0.0, 0.0, 1.0)  # rank two: of three free joints one moves nothing
    state = [0.1, 0.2, 0.3], [0.3, 0.4, 0.5], [0.5, 0.6, 0.7]
    with pytest.raises(SingularMassMatrixError, match='because joint "joint1" moves no inertia'):
        arm.hybrid_dynamics(*state)
    for driven in arm.joint_names:
        tau, qdd = arm.hybrid_dynamics(*state, accelerated=[driven])
        assert arm.inverse_dynamics(*state[:2], qdd) == pytest.approx(tau, rel=1e-9)


def test_the_joint_behind_undefined_accelerations_is_named_on_request():
    arm = planar(0.0, 1.0)
    bent, stretched = [0.3, 0.4], [0.3, 0.0]
    zeros = np.zeros(2)
    assert np.isnan(arm.forward_dynamics(stretched, zeros, zeros)).any()
    assert arm.singular_joints(stretched) == ("joint1",)
    assert arm.singular_joints(bent) == ()
    assert np.isnan(arm.hybrid_dynamics(stretched, zeros, zeros)[1]).any()
    assert np.isfinite(arm.hybrid_dynamics(stretched, zeros, zeros, accelerated=["joint2"])).all()
    assert arm.singular_joints(stretched, accelerated=["joint2"]) == ()
    assert arm.singular_joints(np.array(stretched, np.float32)) == ("joint1",)
    assert planar(0.0, 0.0, 1.0).singular_joints([0.1, 0.2, 0.3], ["joint?"]) == ()


def test_singular_joints_are_asked_of_one_position():
    with pytest.raises(ShapeError, match=r"q has shape \(3, 6\); it is one position, expected \(6,\)"):
        strobe.load("puma560").singular_joints(np.zeros((3, 6)))
    with pytest.raises(ShapeError, match=r"q has shape \(5,\); puma560 has 6 joints"):
        strobe.load("puma560").singular_joints(np.zeros(5))


def test_an_unknown_joint_is_named():
    with pytest.raises(UnknownNameError, match='no joint "joint9" in panda'):
        strobe.load("panda").hybrid_dynamics(*np.zeros((3, 7)), accelerated=["joint9"])


# -- joint wrenches -----------------------------------------------------------------------------------


def test_along_the_joint_the_wrench_is_the_torque_less_rotor_and_friction():
    puma = strobe.load("puma560")
    q, qd, qdd = puma.random_state(seed=7)
    f = puma.joint_wrenches(q, qd, qdd, wrench=F)
    tau = puma.inverse_dynamics(q, qd, qdd, wrench=F, friction=False)
    rotor = np.array([joint.rotor_inertia for joint in puma.model.joints])
    # angular columns are the joints' axes, and they pass through the joints' origins
    tip = puma.jacobian(q)
    along = np.einsum("ij,ji->i", f[:, 3:], tip[3:])
    assert along == pytest.approx(tau - rotor * qdd, rel=1e-10, abs=1e-10)


@pytest.mark.slow
def test_the_first_joint_carries_the_weight_of_a_robot_at_rest():
    panda = strobe.load("panda")
    f = panda.joint_wrenches(np.zeros(7), np.zeros(7), np.zeros(7))
    weight = 9.81 * sum(float(body.inertia.m) for body in panda.model.bodies)
    assert f[0, :3] == pytest.approx([0.0, 0.0, weight], abs=1e-12)
    pulled = panda.joint_wrenches(np.zeros(7), np.zeros(7), np.zeros(7), wrench=[0, 0, weight, 0, 0, 0])
    assert pulled[0, :3] == pytest.approx([0.0, 0.0, 0.0], abs=1e-12)


# -- kinematics ---------------------------------------------------------------------------------------


def test_the_rate_of_the_jacobian_is_its_difference_along_the_motion(pair):
    robot = pair[1]
    q, qd, _ = robot.random_state(seed=8)
    h = 1e-6
    ahead, behind = (robot.jacobian(robot.integrate(q, qd, s * h)) for s in (1, -1))
    assert robot.jacobian_dot(q, qd) == pytest.approx((ahead - behind) / (2 * h), abs=1e-7)


def test_a_robot_without_joints_still_has_frames():
    still = strobe.load("planar2").lock({"joint*": 0.0})
    assert still.frame_placements([]).shape == (len(still.frames), 4, 4)


# -- compiling ahead ----------------------------------------------------------------------------------


def test_what_is_compiled_ahead_is_what_calls_use():
    robot = strobe.load("planar2")
    request = Request("inverse_dynamics", loaded=("tool",))
    assert robot.compile("inverse_dynamics", "jacobian", "hybrid_dynamics", request) is robot
    known = set(robot._kernels)
    assert all(robot.kernel(each).code._ufuncs for each in known)
    q, qd, qdd = robot.random_state(seed=0)
    robot.inverse_dynamics(q, qd, qdd)
    robot.inverse_dynamics(q, qd, qdd, wrench=F, frame="tool")
    robot.jacobian(q)
    robot.hybrid_dynamics(q, qd, qdd)
    assert set(robot._kernels) == known


def test_an_unknown_quantity_is_named():
    with pytest.raises(UnknownNameError, match=r'no quantity "torque" in strobe.*\d quantities\)'):
        strobe.load("planar2").compile("torque")


# -- wrenches from outside ----------------------------------------------------------------------------


def work(robot, quantity, frames, formulation=None):
    program = Kernel(robot.model, Request(quantity, formulation, loaded=frames)).program
    return np.array([program.multiplications, program.additions])


@pytest.mark.parametrize("quantity", ["inverse_dynamics", "forward_dynamics"])
def test_what_a_tool_wrench_adds_to_the_pandas_operations_is_golden(quantity):
    panda = strobe.load("panda")
    assert (work(panda, quantity, ("tool",)) - work(panda, quantity, ())).tolist() == [66, 40]


def test_a_wrench_taken_along_costs_less_than_the_transposed_jacobian():
    panda = strobe.load("panda")
    around = work(panda, "inverse_dynamics", ("tool",), "newton-euler-armstrong")
    within = work(panda, "inverse_dynamics", ("tool",))
    assert sum(around - work(panda, "inverse_dynamics", (), "newton-euler-armstrong")) > 2 * sum(
        within - work(panda, "inverse_dynamics", ())
    )


@pytest.mark.parametrize("wrenches", [1, 3])
def test_wrenches_taken_along_and_around_give_the_same_torques_and_accelerations(pair, wrenches):
    robot = pair[1]
    q, qd, x = robot.random_state(seed=8, batch=4)
    rng = np.random.default_rng(3)
    load = {frame: rng.standard_normal((4, 6)) for frame in robot.frames[-wrenches:]}
    tau = robot.inverse_dynamics(q, qd, x, wrench=load)
    around = robot.inverse_dynamics(q, qd, x, wrench=load, formulation="spatial-newton-euler")
    assert relative(tau, around) < 1e-12
    for method in (None, "composite-body", "articulated-body"):
        assert relative(robot.forward_dynamics(q, qd, tau, wrench=load, formulation=method), x) < 1e-9


@pytest.mark.slow
def test_joints_are_named_wherever_articulated_bodies_give_nan(tmp_path):
    """Two massless links before the last make a wrist that is singular when stretched."""
    joints = [("0 0 1", "0.1 0 0", 3.0)] * 12 + [("0 0 1", "0 0.1 0", 0.0), ("0 1 0", "0 0 0", 0.0)]
    links = "".join(
        f'<link name="l{k}">{_mass(m)}</link><joint name="j{k}" type="continuous"><parent link="l{k - 1}"/>'
        f'<child link="l{k}"/><origin xyz="{xyz}" rpy="0.3 0.2 0"/><axis xyz="{axis}"/></joint>'
        for k, (axis, xyz, m) in enumerate([*joints, ("0 0 1", "0 0 0", 2.0)], 1)
    )
    text = f'<robot name="long"><link name="l0"/>{links}</robot>'.replace(
        '<origin xyz="0 0 0" rpy="0.3 0.2 0"/>', ""
    )
    (tmp_path / "long.urdf").write_text(text)
    robot = strobe.Robot(load_model(tmp_path / "long.urdf"))
    still = np.zeros(robot.n)
    for angle in (0.0, 1e-8, 1e-7, 1e-6, 1e-5, 0.1):
        q = still.copy()
        q[-2] = angle
        unknown = np.isnan(robot.forward_dynamics(q, still, still + 1.0)).any()
        assert unknown == bool(robot.singular_joints(q))


def _mass(m):
    inertia = '<inertia ixx="0.01" iyy="0.02" izz="0.03" ixy="0" ixz="0" iyz="0"/>'
    return f'<inertial><origin xyz="0 0 0.1"/><mass value="{m}"/>{inertia}</inertial>' if m else ""
