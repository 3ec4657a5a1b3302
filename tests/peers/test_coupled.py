"""Every quantity of robots whose joints follow others, from Pinocchio's open tree and projections by hand.

    q = G x + q0      τ = Gᵀ τ_tree      M = Gᵀ M_tree G      J = J_tree G      ∂/∂x = (∂/∂q) G

with rotors and friction of every joint, those that follow too. G is written here from the couplings, not by Strobe.
"""

from dataclasses import replace
from functools import cached_property

import numpy as np
import pytest

import strobe
from strobe.mechanisms import loop_forces
from strobe.models.edits import add_loop
from strobe.models.joints import Friction, Motor
from strobe.models.loops import choose_actuated
from strobe.models.model import Coupling
from strobe.models.urdf_writer import write_urdf
from strobe.quantities import QUANTITIES
from strobe.robot import Robot

pin = pytest.importorskip("pinocchio", reason="Pinocchio (package pin) is not installed")

AXES = {"x": "1 0 0", "y": "0 1 0", "z": "0 0 1", "-y": "0 -1 0"}
LINK = """<link name="l{k}"><inertial><origin xyz="{com}" rpy="0.1 -0.2 0.3"/><mass value="{mass}"/>
<inertia ixx="0.02" iyy="0.03" izz="0.025" ixy="0.001" ixz="-0.002" iyz="0.003"/></inertial></link>
<joint name="j{k}" type="{kind}"><parent link="{parent}"/><child link="l{k}"/><origin xyz="{at}" rpy="{rpy}"/>
<axis xyz="{axis}"/>{limit}</joint>"""
# else they would count two numbers a joint
LIMIT = '<limit lower="-3" upper="3" effort="100" velocity="10"/>'
TREE = (  # parent, kind, axis: two branches, a slide in each
    ("base", "revolute", "z"),
    ("l1", "revolute", "y"),
    ("l2", "prismatic", "x"),
    ("l1", "revolute", "x"),
    ("l4", "prismatic", "-y"),
    ("l4", "revolute", "z"),
)
COUPLINGS = {
    "mimic": {"j4": ({"j2": -1.5}, 0.2)},
    "mimic of a mimic": {"j4": ({"j2": -1.5}, 0.2), "j6": ({"j4": 0.4}, -0.3), "j2": ({"j1": 0.7}, 0.1)},
    "slides that follow": {"j5": ({"j3": -1.0}, 0.05), "j3": ({"j1": 0.08}, 0.1)},
    "differential": {"j4": ({"j1": 0.6, "j2": -0.8}, 0.1), "j6": ({"j4": 2.0, "j5": 1.5}, 0.0)},
    "held": {"j4": ({}, 0.4), "j6": ({"j4": -1.0, "j1": 1.2}, 0.1)},
}
WRENCH = np.array([3.0, -2.0, 4.0, 0.5, 0.7, -0.4])
POINT = np.array([0.1, -0.2, 0.3])


def urdf():
    text = '<robot name="tree"><link name="base"/>'
    for k, (parent, kind, axis) in enumerate(TREE, 1):
        text += LINK.format(
            k=k, parent=parent, kind=kind, axis=AXES[axis], limit=LIMIT, mass=0.5 + 0.3 * k,
            com=f"{0.1 * k - 0.25:.2f} {0.05 * k:.2f} {0.12 - 0.04 * k:.2f}", at=f"{0.2 + 0.02 * k:.2f} 0.1 -0.05",
            rpy="0 0 0" if k == 1 else f"{0.3 * k:.1f} 0.2 -0.4",
        )  # fmt: skip
    return text + "</robot>"


def driven(model):
    """The model with a rotor and friction on every joint, none like another."""
    bodies = []
    for k, body in enumerate(model.bodies):
        motor, friction = (
            Motor(0.01 * (k + 1), 3.0),
            Friction(0.1 + 0.05 * k, (0.3 + 0.1 * k, -0.2 - 0.1 * k)),
        )
        bodies.append(replace(body, joint=replace(body.joint, motor=motor, friction=friction)))
    return replace(model, bodies=tuple(bodies), golden=())


class Case:
    """A coupled robot of ours, and Pinocchio's tree of the same links with G by hand, at one state."""

    def __init__(self, robot, path, couplings):
        self.robot, self.couplings = robot, couplings
        self.model = pin.buildModelFromUrdf(str(path))
        self.data = self.model.createData()
        self.names = list(self.model.names)[1:]
        self.free = [joint.name for joint in robot.coordinates.joints]
        rng = np.random.default_rng(7)
        signs = np.where(np.arange(robot.nv) % 2, -1, 1)
        self.x, self.xd, self.xdd = rng.uniform(0.2, 0.9, (3, robot.nv)) * signs
        joints = {joint.name: joint for joint in robot.model.joints}
        self.joints = [joints[name] for name in self.names]

    @cached_property
    def map(self):
        """G and q0, by following every joint to those that are free."""
        rows = [self.row(name) for name in self.names]
        return np.array([row[:-1] for row in rows]), np.array([row[-1] for row in rows])

    def row(self, name):
        if name in self.free:
            return np.eye(len(self.free) + 1)[self.free.index(name)]
        terms, offset = self.couplings[name]
        found = np.zeros(len(self.free) + 1)
        found[-1] = offset
        for other, factor in terms.items():
            found = found + factor * self.row(other)
        return found

    @property
    def G(self):
        return self.map[0]

    def state(self):
        G, q0 = self.map
        return G @ self.x + q0, G @ self.xd, G @ self.xdd

    # -- drives, by hand ------------------------------------------------------------------------------

    @property
    def rotors(self):
        return np.array([joint.motor.inertia * joint.motor.gear**2 for joint in self.joints])

    def friction(self, rates):
        forces = []
        for joint, rate in zip(self.joints, rates, strict=True):
            forwards, backwards = joint.friction.coulomb
            size = forwards if rate > 0 else -backwards
            forces.append(joint.friction.viscous * rate + size * np.clip(rate / 1e-3, -1, 1))
        return np.array(forces)

    # -- the tree -------------------------------------------------------------------------------------

    def mass(self, q):
        M = pin.crba(self.model, self.data, q)
        M = np.triu(M) + np.triu(M, 1).T
        return M + np.diag(self.rotors)

    def torques(self, q, v, a, wrench=None, frame=None):
        tau = pin.rnea(self.model, self.data, q, v, a).copy() + self.rotors * a + self.friction(v)
        return tau if wrench is None else tau - self.frame_jacobian(q, frame).T @ wrench

    def frame_jacobian(self, q, frame):
        which = self.model.getFrameId(frame)
        return pin.computeFrameJacobian(self.model, self.data, q, which, pin.LOCAL_WORLD_ALIGNED).copy()

    def reduced(self, x, xd, xdd):
        """The torques of the independent joints behind a motion of theirs."""
        G, q0 = self.map
        return G.T @ self.torques(G @ x + q0, G @ xd, G @ xdd)


@pytest.fixture(
    scope="module", params=[*COUPLINGS, "parallelogram"], ids=lambda name: name.replace(" ", "-")
)
def case(request, tmp_path_factory):
    path = tmp_path_factory.mktemp("coupled") / "tree.urdf"
    if request.param == "parallelogram":
        model = strobe.load("parallelogram").model
        text = write_urdf(replace(model, couplings=(), loops=(), golden=()))[0]
        path.write_text(text.replace('type="continuous">', f'type="revolute">{LIMIT}'))
        rules = {c.joint: (dict(c.terms), c.offset) for c in model.couplings}
        return Case(Robot(driven(model), compiled=False), path, rules)
    path.write_text(urdf())
    rules = COUPLINGS[request.param]
    couplings = tuple(Coupling(name, terms, offset) for name, (terms, offset) in rules.items())
    model = replace(driven(strobe.load(path).model), couplings=couplings)
    return Case(Robot(model, compiled=False), path, rules)


# -- the table ----------------------------------------------------------------------------------------


def differences(function, x, h=1e-5):
    """∂ function / ∂x by central differences of second and fourth order, columns last."""
    columns = []
    for unit in np.eye(len(x)):
        f = [function(x + k * h * unit) for k in (-2, -1, 1, 2)]
        columns.append((f[0] - 8 * f[1] + 8 * f[2] - f[3]) / (12 * h))
    return np.stack(columns, axis=-1)


def inverse_dynamics(c, q, v, a):
    return c.robot.inverse_dynamics(c.x, c.xd, c.xdd), c.G.T @ c.torques(q, v, a)


def forward_dynamics(c, q, v, a):
    tau = np.linspace(-3, 5, c.robot.nv)
    bias = c.G.T @ c.torques(q, v, 0 * a)
    return c.robot.forward_dynamics(c.x, c.xd, tau), np.linalg.solve(c.G.T @ c.mass(q) @ c.G, tau - bias)


def inverse_dynamics_derivatives(c, q, v, a):
    by_q, by_v, _ = pin.computeRNEADerivatives(c.model, c.data, q, v, a)
    viscous = np.diag([joint.friction.viscous for joint in c.joints])
    theirs = [c.G.T @ D @ c.G for D in (by_q, by_v + viscous, c.mass(q))]
    return c.robot.inverse_dynamics_derivatives(c.x, c.xd, c.xdd), theirs


def forward_dynamics_derivatives(c, q, v, a):
    inverse = np.linalg.inv(c.G.T @ c.mass(q) @ c.G)
    _, (by_q, by_v, _) = inverse_dynamics_derivatives(c, q, v, a)
    tau = c.reduced(c.x, c.xd, c.xdd)
    ours = c.robot.forward_dynamics_derivatives(c.x, c.xd, tau)
    return ours, [-inverse @ by_q, -inverse @ by_v, inverse]


def mass_matrix(c, q, v, a):
    return c.robot.mass_matrix(c.x), c.G.T @ c.mass(q) @ c.G


def coriolis_matrix(c, q, v, a):
    """The Christoffel symbols of M, differentiated numerically."""
    G, q0 = c.map
    dM = differences(lambda x: G.T @ c.mass(G @ x + q0) @ G, c.x)
    symbols = (dM + dM.transpose(0, 2, 1) - dM.transpose(2, 1, 0)) / 2
    return c.robot.coriolis_matrix(c.x, c.xd), np.einsum("ijk,k->ij", symbols, c.xd)


def gravity(c, q, v, a):
    return c.robot.gravity(c.x), c.G.T @ pin.computeGeneralizedGravity(c.model, c.data, q)


def bias(c, q, v, a):
    return c.robot.bias(c.x, c.xd), c.G.T @ pin.nonLinearEffects(c.model, c.data, q, v)


def energy(c, q, v, a):
    kinetic = pin.computeKineticEnergy(c.model, c.data, q, v) + c.rotors @ v**2 / 2
    return c.robot.energy(c.x, c.xd), [kinetic, pin.computePotentialEnergy(c.model, c.data, q)]


def momentum(c, q, v, a):
    h = pin.computeCentroidalMomentum(c.model, c.data, q, v)
    return c.robot.momentum(c.x, c.xd), [*h.linear, *h.angular]


def center_of_mass(c, q, v, a):
    return c.robot.center_of_mass(c.x), pin.centerOfMass(c.model, c.data, q)


def centroidal_momentum_matrix(c, q, v, a):
    return c.robot.centroidal_momentum_matrix(c.x), pin.ccrba(c.model, c.data, q, v) @ c.G


def centroidal_momentum_matrix_dot(c, q, v, a):
    return c.robot.centroidal_momentum_matrix_dot(c.x, c.xd), pin.dccrba(c.model, c.data, q, v) @ c.G


def centroidal_momentum_bias(c, q, v, a):
    return c.robot.centroidal_momentum_bias(c.x, c.xd), pin.dccrba(c.model, c.data, q, v) @ v


def joint_wrenches(c, q, v, a):
    """Of the tree, by their recursion; of a loop with the pin's force from a balance of torques of the tree."""
    outside = pin.StdVec_Force([pin.Force.Zero() for _ in range(c.model.njoints)])
    pin.framesForwardKinematics(c.model, c.data, q)  # their recursion of forces leaves old ones
    if c.robot.model.loops:
        tau = dict(zip(c.free, c.reduced(c.x, c.xd, c.xdd), strict=True))
        missing = c.torques(q, v, a) - np.array([tau.get(name, 0.0) for name in c.names])
        frames = "pin_on_link4", "pin_on_link2"
        on_4, on_2 = (c.frame_jacobian(q, name)[:3] for name in frames)
        force, *_ = np.linalg.lstsq((on_4 - on_2).T, missing, rcond=None)
        for name, sign in zip(frames, (1, -1), strict=True):
            which = c.model.frames[c.model.getFrameId(name)]
            at = c.data.oMf[c.model.getFrameId(name)].translation
            turned = pin.SE3(np.eye(3), at).act(pin.Force(sign * force, np.zeros(3)))
            outside[which.parentJoint] += c.data.oMi[which.parentJoint].actInv(turned)
    pin.rnea(c.model, c.data, q, v, a, outside)
    theirs = {}
    for k, name in enumerate(c.names, 1):
        R = c.data.oMi[k].rotation
        theirs[name] = [*(R @ c.data.f[k].linear), *(R @ c.data.f[k].angular)]
    return c.robot.joint_wrenches(c.x, c.xd, c.xdd), [theirs[name] for name in c.robot.model.joint_names]


def regressor(c, q, v, a):
    """Times the parameters, of which Pinocchio knows nothing of ours: the torques."""
    Y = c.robot.regressor(c.x, c.xd, c.xdd)
    return Y @ c.robot.parameters, c.G.T @ pin.rnea(c.model, c.data, q, v, a)


def momentum_regressor(c, q, v, a):
    bare = c.G.T @ (c.mass(q) - np.diag(c.rotors)) @ c.G @ c.xd
    return c.robot.momentum_regressor(c.x, c.xd) @ c.robot.parameters, bare


def energy_regressor(c, q, v, a):
    kinetic = pin.computeKineticEnergy(c.model, c.data, q, v)
    ours = c.robot.energy_regressor(c.x, c.xd) @ c.robot.parameters
    return ours, [kinetic, pin.computePotentialEnergy(c.model, c.data, q)]


def hybrid_dynamics(c, q, v, a):
    """The first joint's acceleration is given, torques of the others."""
    M, h = c.G.T @ c.mass(q) @ c.G, c.G.T @ c.torques(q, v, 0 * a)
    given, tau = c.xdd[0], np.linspace(1, 2, c.robot.nv)
    rest = np.linalg.solve(M[1:, 1:], tau[1:] - h[1:] - M[1:, 0] * given)
    qdd = np.r_[given, rest]
    x = np.r_[given, tau[1:]]
    return c.robot.hybrid_dynamics(c.x, c.xd, x, [c.free[0]]), [np.r_[M[0] @ qdd + h[0], tau[1:]], qdd]


def placed(c, q, frame):
    pin.framesForwardKinematics(c.model, c.data, q)
    return c.data.oMf[c.model.getFrameId(frame)].homogeneous.copy()


def forward_kinematics(c, q, v, a):
    return c.robot.forward_kinematics(c.x, c.tip), placed(c, q, c.tip)


def frame_placements(c, q, v, a):
    names = [frame.name for frame in c.robot.model.frames]
    return c.robot.frame_placements(c.x), [placed(c, q, name) for name in names]


def jacobian(c, q, v, a):
    return c.robot.jacobian(c.x, c.tip), c.frame_jacobian(q, c.tip) @ c.G


def point_jacobian(c, q, v, a):
    J, arm = c.frame_jacobian(q, c.tip), placed(c, q, c.tip)[:3, :3] @ POINT
    return c.robot.point_jacobian(c.x, c.tip, POINT), (J[:3] + np.cross(J[3:].T, arm).T) @ c.G


def jacobian_derivative(c, q, v, a):
    G, q0 = c.map
    return c.robot.jacobian_derivative(c.x, c.tip), differences(
        lambda x: c.frame_jacobian(G @ x + q0, c.tip) @ G, c.x
    )


def jacobian_dot(c, q, v, a):
    _, by_x = jacobian_derivative(c, q, v, a)
    return c.robot.jacobian_dot(c.x, c.xd, c.tip), by_x @ c.xd


def frame_velocity(c, q, v, a):
    return c.robot.frame_velocity(c.x, c.xd, c.tip), c.frame_jacobian(q, c.tip) @ v


def frame_acceleration(c, q, v, a):
    pin.forwardKinematics(c.model, c.data, q, v, a)
    theirs = pin.getFrameClassicalAcceleration(
        c.model, c.data, c.model.getFrameId(c.tip), pin.LOCAL_WORLD_ALIGNED
    )
    return c.robot.frame_acceleration(c.x, c.xd, c.xdd, c.tip), theirs.vector


def mass_matrix_inverse(c, q, v, a):
    return c.robot.mass_matrix_inverse(c.x), np.linalg.inv(mass_matrix(c, q, v, a)[1])


def integrate(c, q, v, a):
    return c.robot.integrate(c.x, c.xd, 0.3), c.x + 0.3 * c.xd


def difference(c, q, v, a):
    return c.robot.difference(c.x, c.xd), c.xd - c.x


TABLE = {
    f.__name__: f
    for f in (
        inverse_dynamics, forward_dynamics, inverse_dynamics_derivatives, forward_dynamics_derivatives, mass_matrix,
        coriolis_matrix, gravity, bias, energy, momentum, center_of_mass, centroidal_momentum_matrix,
        centroidal_momentum_matrix_dot, centroidal_momentum_bias, joint_wrenches, regressor, momentum_regressor,
        energy_regressor, hybrid_dynamics, forward_kinematics, frame_placements, jacobian, point_jacobian,
        jacobian_dot, jacobian_derivative, integrate, difference, frame_velocity, frame_acceleration,
        mass_matrix_inverse,
    )
}  # fmt: skip
OF_LOOPS = {
    "loop_residuals",
    "loop_facing",
    "loop_jacobian",
    "loop_bias",
    "closed_velocities",
    "closed_accelerations",
}


@pytest.mark.parametrize("quantity", TABLE)
def test_every_quantity_is_that_of_the_tree_projected(quantity, case):
    case.tip = "pin_on_link2" if case.robot.model.loops else "l6"
    ours, theirs = (np.asarray(x, dtype=float) for x in TABLE[quantity](case, *case.state()))
    assert ours.shape == theirs.shape
    assert np.abs(ours - theirs).max() < 1e-8 * max(1.0, np.abs(theirs).max())


def test_the_table_holds_every_quantity_there_is():
    assert {*TABLE} | OF_LOOPS == {*QUANTITIES}


# -- loops between links of which some joints follow others -------------------------------------------


@pytest.fixture(scope="module")
def closed(tmp_path_factory):
    """The tree with a mimic joint, and a rod between its branches: four independent joints are actuated."""
    path = tmp_path_factory.mktemp("closed") / "tree.urdf"
    path.write_text(urdf())
    rules = COUPLINGS["mimic"]
    couplings = tuple(Coupling(name, terms, offset) for name, (terms, offset) in rules.items())
    tree = replace(driven(strobe.load(path).model), couplings=couplings)
    q = np.array([0.3, -0.4, 0.5, 0.2, -0.6])
    apart = [Robot(tree, compiled=False).forward_kinematics(q, name)[:3, 3] for name in ("l3", "l6")]
    model = add_loop(tree, "l3", "l6", "distance", float(np.linalg.norm(apart[1] - apart[0])), "rod")
    robot = Robot(choose_actuated(model, ("j1", "j2", "j5", "j6")), compiled=False)
    case = Case(robot, path, rules)
    case.x, case.xd = q, robot.closed_velocities(q, [0.7, -0.5, 0.4, -0.3, 0.6])
    return case


def test_a_rod_between_coupled_links_pushes_and_moves_as_multipliers_say(closed):
    """M ẍ + h = τ + kᵀ λ, k ẍ + k̇ ẋ = 0, with k from Pinocchio's Jacobians times G, k̇ by differences."""
    c, (G, q0) = closed, closed.map
    robot, length = c.robot, c.robot.model.loops[0].length

    def row(x):
        q = G @ x + q0
        d = placed(c, q, "l6")[:3, 3] - placed(c, q, "l3")[:3, 3]
        return d @ (c.frame_jacobian(q, "l6")[:3] - c.frame_jacobian(q, "l3")[:3]) @ G / length

    k, k_dot = row(c.x), differences(row, c.x) @ c.xd
    assert robot.loop_jacobian(c.x)[0] == pytest.approx(k, abs=1e-12)
    assert robot.loop_bias(c.x, c.xd)[0] == pytest.approx(k_dot @ c.xd, abs=1e-8)
    q, v, _ = c.state()
    M, h = G.T @ c.mass(q) @ G, G.T @ c.torques(q, v, 0 * v)
    tau = np.array([5.0, -3.0, 0.0, 2.0, 1.0])
    whole = np.block([[M, -k[:, None]], [k[None], np.zeros((1, 1))]])
    *qdd, push = np.linalg.solve(whole, [*(tau - h), -(k_dot @ c.xd)])
    assert robot.forward_dynamics(c.x, c.xd, tau) == pytest.approx(qdd, rel=1e-8)
    back = robot.inverse_dynamics(c.x, c.xd, qdd)
    assert back == pytest.approx(tau, abs=1e-7)
    found = loop_forces(robot, c.x, c.xd, qdd)
    assert found.multipliers == pytest.approx([push], rel=1e-7)


# -- friction, power and payloads of joints that follow -----------------------------------------------


def test_power_is_the_rate_of_energy_and_what_friction_takes(case):
    G, q0 = case.map
    q, v, a = case.state()
    tau = case.robot.inverse_dynamics(case.x, case.xd, case.xdd)
    h = 1e-5

    def total(t):
        x, xd = case.x + case.xd * t + case.xdd * t * t / 2, case.xd + case.xdd * t
        return case.robot.energy(x, xd).sum()

    rate = (total(-2 * h) - 8 * total(-h) + 8 * total(h) - total(2 * h)) / (12 * h)
    assert tau @ case.xd == pytest.approx(rate + case.friction(v) @ v, abs=1e-7)


def test_wrenches_and_loads_on_links_that_follow_reach_the_joints_that_lead(case):
    tip = "link4" if case.robot.model.loops else "l6"
    q, v, a = case.state()
    ours = case.robot.inverse_dynamics(case.x, case.xd, case.xdd, wrench=WRENCH, frame=tip)
    assert ours == pytest.approx(case.G.T @ case.torques(q, v, a, WRENCH, tip), abs=1e-9)
    loaded = case.robot.with_payload(2.0, (0.1, 0.02, -0.03), frame=tip)
    heavy = case.model.copy()
    joint = heavy.frames[heavy.getFrameId(tip)].parentJoint
    heavy.inertias[joint] += pin.Inertia(2.0, np.array([0.1, 0.02, -0.03]), np.zeros((3, 3)))
    light, case.model, case.data = (case.model, case.data), heavy, heavy.createData()
    try:
        expected = case.G.T @ case.torques(q, v, a)
    finally:
        case.model, case.data = light
    assert loaded.inverse_dynamics(case.x, case.xd, case.xdd) == pytest.approx(expected, abs=1e-9)


def test_code_gives_what_the_interpreter_does(case):
    """Compiled, on a batch: the couplings are in the code."""
    compiled = Robot(case.robot.model)
    states = [np.stack([x, 0.5 * x, -x]) for x in (case.x, case.xd, case.xdd)]
    ours = compiled.inverse_dynamics(*states)
    for k in range(3):
        assert ours[k] == pytest.approx(case.reduced(*(x[k] for x in states)), abs=1e-9)


@pytest.mark.slow
def test_base_parameters_are_as_many_as_the_projected_regressor_has_rank(case):
    """The rank of Pinocchio's regressor of the tree, times G, over many states."""
    G, q0 = case.map
    rows = []
    rng = np.random.default_rng(3)
    for x, xd, xdd in rng.uniform(-2, 2, (60, 3, len(case.x))):
        rows.append(
            G.T @ pin.computeJointTorqueRegressor(case.model, case.data, G @ x + q0, G @ xd, G @ xdd)
        )
    sizes = np.linalg.svd(np.concatenate(rows), compute_uv=False)
    rank = int((sizes > 1e-9 * sizes[0]).sum())
    assert len(case.robot.base_parameters().names) == rank


@pytest.mark.slow
def test_a_run_keeps_the_energy_that_friction_leaves(case):
    """Let go without friction: the energy of the coupled robot, rotors of followers included, stays."""
    run = strobe.simulate(case.robot, case.x, case.xd, None, 0.02, step=1e-3, friction=False)
    energy = case.robot.energy(run.q, run.qd).sum(axis=-1)
    assert np.ptp(energy) < 1e-9 * np.abs(energy).max()
