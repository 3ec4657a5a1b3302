"""A robot of the Robotics Toolbox becomes the robot whose energies are those of its own placements.

The toolbox is no dependency of the tests: where it is absent, objects that say the same of themselves stand in for
what is read of it, and their placements are products of turns and shifts written here.
"""

from types import SimpleNamespace

import numpy as np
import pytest

import strobe
from strobe.errors import ArgumentError, ModelFileError
from strobe.models.load import load_model
from strobe.models.toolbox_robot import read_toolbox
from strobe.robot import Robot

SHAPE = {"m": 2.0, "r": np.array([0.1, 0.2, 0.3]), "I": np.diag([0.2, 0.3, 0.4]) + 0.01}
DRIVE = {"Jm": 0.1, "G": -3.0, "B": 0.2, "Tc": np.array([0.3, -0.1])}


def turned(axis, angle):
    c, s, T = np.cos(angle), np.sin(angle), np.eye(4)
    i, j = {"x": (1, 2), "y": (2, 0), "z": (0, 1)}[axis]
    T[i, i] = T[j, j] = c
    T[i, j], T[j, i] = -s, s
    return T


def shifted(x=0.0, y=0.0, z=0.0):
    T = np.eye(4)
    T[:3, 3] = x, y, z
    return T


class Link:
    """What the reader asks of a link."""

    def __init__(self, A, *, axis="Rz", flip=False, parent=None, mdh=None, name=None, **more):
        self._A, self.name, self.parent, self.isflip = A, name, parent, flip
        self.isjoint, self.isrevolute = axis is not None, axis is not None and axis[0] == "R"
        self.v = None if axis is None else SimpleNamespace(axis=axis)
        self.qlim = self.qdlim = self.tlim = self.jindex = None
        if mdh is not None:
            self.mdh = mdh
        vars(self).update(
            {"m": 0.0, "r": np.zeros(3), "I": np.zeros((3, 3)), "Jm": 0, "G": 0, "B": 0, "Tc": (0, 0)}
            | more
        )

    def A(self, q=0.0):
        return SimpleNamespace(A=self._A(-q if self.isflip else q))


def robot(links, **more):
    for k, link in enumerate(link for link in links if link.isjoint):
        link.jindex = k
    given = {
        "name": "arm",
        "links": links,
        "gravity": np.array([0, 0, -9.81]),
        "base": np.eye(4),
        "tool": np.eye(4),
    }
    return SimpleNamespace(**(given | more))


def chained(*makers):
    links = []
    for make in makers:
        links.append(make(links[-1] if links else None))
    return links


def standard(theta=0.0, d=0.0, a=0.0, alpha=0.0, *, slides=False, mdh=False, **more):
    def A(q):
        z = turned("z", theta + (0 if slides else q)) @ shifted(z=d + (q if slides else 0))
        x = shifted(x=a) @ turned("x", alpha)
        return x @ z if mdh else z @ x

    axis = "tz" if slides else "Rz"
    return lambda parent: Link(A, axis=axis, parent=parent, mdh=mdh, **SHAPE, **more)


def energies(theirs, q, step=1e-6):
    """Mass matrix and gravity by differences of the placements that the links themselves state."""

    def places(q):
        found = {}
        for link in theirs.links:
            before = matrix(theirs.base) if link.parent is None else found[id(link.parent)]
            found[id(link)] = before @ matrix(link.A(q[link.jindex]) if link.isjoint else link.A())
        return found

    here, n = places(q), len(q)
    moved = [[places(q + sign * step * np.eye(n)[k]) for sign in (1, -1)] for k in range(n)]
    M, g = np.zeros((n, n)), np.zeros(n)
    for link in theirs.links:
        R = here[id(link)][:3, :3]
        rates = [(ahead[id(link)] - behind[id(link)]) / (2 * step) for ahead, behind in moved]
        linear = np.array([(T @ [*link.r, 1.0])[:3] for T in rates]).T
        spins = [T[:3, :3] @ R.T for T in rates]
        angular = np.array([[W[2, 1], W[0, 2], W[1, 0]] for W in spins]).T
        M += link.m * linear.T @ linear + angular.T @ R @ link.I @ R.T @ angular
        g -= link.m * linear.T @ theirs.gravity
        if link.isjoint:
            M[link.jindex, link.jindex] += link.G**2 * link.Jm
    return M, g


def matrix(placement):
    return np.asarray(getattr(placement, "A", placement), dtype=float)


def has_its_energies(theirs, read=read_toolbox):
    ours = Robot(read(theirs), compiled=False)
    q = np.random.default_rng(5).uniform(-1, 1, ours.n)
    M, g = energies(theirs, q)
    np.testing.assert_allclose(ours.mass_matrix(q), M, atol=1e-8 * np.abs(M).max())
    np.testing.assert_allclose(ours.gravity(q), g, atol=1e-8 * max(1.0, np.abs(g).max()))
    return ours


@pytest.mark.parametrize("flip", [False, True])
@pytest.mark.parametrize("mdh", [False, True])
def test_rows_of_both_conventions_have_the_energies_of_their_placements(mdh, flip):
    links = chained(
        standard(0.5, 0.1, 0.3, 0.4, mdh=mdh, flip=flip),
        standard(0.7, 0.1, 0.2, -0.3, slides=True, mdh=mdh, **DRIVE),
        standard(0.0, 0.0, 0.1, 1.2, mdh=mdh, flip=flip),
    )
    base = turned("x", 0.4) @ shifted(0.3)
    ours = has_its_energies(robot(links, base=base, tool=shifted(z=0.2)))
    assert ours.joint_names == ("joint1", "joint2", "joint3")
    assert (ours.tip, ours.model.base_name) == ("tool", "world")


def test_links_of_elementary_transforms_branch_and_carry_fixed_ones():
    fixed = Link(lambda q: shifted(0.1) @ turned("y", 0.2), axis=None, name="base_link", **SHAPE)
    first = Link(lambda q: shifted(z=0.3) @ turned("y", q), axis="Ry", parent=fixed, name="arm", **SHAPE)
    welded = Link(lambda q: shifted(0.2), axis=None, parent=first, name="palm", **SHAPE)
    left = Link(lambda q: turned("x", 0.3) @ shifted(y=q), axis="ty", parent=welded, name="left", **SHAPE)
    right = Link(lambda q: shifted(y=-q), axis="ty", flip=False, parent=welded, name="right", **SHAPE)
    right._A, right.isflip = (lambda q: shifted(y=q)), True
    ours = has_its_energies(robot([fixed, first, welded, left, right]))
    assert {"base_link", "arm", "palm", "left", "right"} <= set(ours.frames)


def test_another_order_of_joints_and_a_tool_that_several_links_could_carry_are_warned_of():
    root = Link(lambda q: turned("z", q), name="root", **SHAPE)
    left = Link(lambda q: shifted(0.1) @ turned("z", q), name="left", parent=root, **SHAPE)
    right = Link(lambda q: shifted(0.2) @ turned("z", q), name="right", parent=root, **SHAPE)
    theirs = robot([root, left, right], tool=shifted(1.0))
    left.jindex, right.jindex = 2, 1
    said = [str(note) for note in read_toolbox(theirs).notes if note.severity == "warning"]
    assert said == [
        "<roboticstoolbox>: tool: it is left out: 2 links could carry it.",
        "<roboticstoolbox>: its joints have another order there; here it is joint1, joint2, joint3.",
    ]


def test_drives_and_limits_are_those_of_the_links():
    (link,) = links = chained(standard(0, 0, 1, 0, **DRIVE))
    link.qlim, link.qdlim, link.tlim = np.array([-1.0, 2.0]), 3.0, 4.0
    (joint,) = read_toolbox(robot(links)).joints
    assert (joint.limits.lower, joint.limits.upper, joint.limits.velocity, joint.limits.effort) == (
        -1,
        2,
        3,
        4,
    )
    assert joint.rotor_inertia == pytest.approx(0.9)
    assert joint.damping == pytest.approx(1.8)
    assert joint.coulomb == pytest.approx((0.9, 0.3))


def test_a_link_that_moves_otherwise_than_it_says_is_refused():
    odd = Link(lambda q: shifted(0.1) @ turned("z", q) @ shifted(0.2), **SHAPE, name="odd")
    with pytest.raises(
        ModelFileError, match='<roboticstoolbox>: link "odd": its joint is neither the last of'
    ):
        read_toolbox(robot([odd]))


def test_symbols_are_asked_to_become_numbers():
    import sympy

    (link,) = links = chained(standard(0, 0, 1, 0))
    link.m = sympy.Symbol("m1")
    with pytest.raises(ArgumentError, match='m of link "link1" is m1; expected a number'):
        read_toolbox(robot(links))


def test_gravity_that_points_up_and_grippers_left_out_are_warned_of():
    links = chained(standard(0, 0, 1, 0))
    up = read_toolbox(robot(links, gravity=np.array([0, 0, 9.81]), grippers=[SimpleNamespace(name="hand")]))
    assert up.gravity.linear.z == 9.81
    said = " ".join(note.text for note in up.notes if note.severity == "warning")
    assert "gravity is (0, 0, 9.81), upwards" in said
    assert "grippers (hand) are left out" in said


class TestWithTheToolbox:
    """The toolbox itself, where somebody has it."""

    @pytest.fixture
    def rtb(self):
        return pytest.importorskip(
            "roboticstoolbox", reason="the Robotics Toolbox is no dependency of the tests"
        )

    @pytest.mark.filterwarnings("ignore::strobe.errors.ModelWarning")
    @pytest.mark.parametrize("name", ["Puma560", "Panda", "UR5", "UR10", "Stanford", "IRB140", "TwoLink"])
    def test_arms_have_the_torques_of_its_rne(self, rtb, name):
        theirs = getattr(rtb.models.DH, name)()
        ours = Robot(load_model(theirs), compiled=False)
        q, qd, qdd = np.random.default_rng(1).uniform(-1, 1, (3, ours.n))
        tau = np.ravel(theirs.rne(q, qd, qdd))
        np.testing.assert_allclose(
            ours.inverse_dynamics(q, qd, qdd), tau, atol=1e-12 * max(1.0, np.abs(tau).max())
        )
        places = [ours.forward_kinematics(q, frame) for frame in ours.frames]
        assert min(np.abs(place - theirs.fkine(q).A).max() for place in places) < 1e-12

    @pytest.mark.filterwarnings("ignore::strobe.errors.ModelWarning")
    def test_a_robot_of_a_urdf_file_has_the_places_and_names_of_its_links(self, rtb):
        theirs = rtb.models.Panda()
        ours = strobe.load(theirs)
        q = np.random.default_rng(1).uniform(-1, 1, 7)
        assert ours.joint_names[0] == "panda_joint1"
        for link in theirs.links:
            place = theirs.fkine(q, end=link).A
            np.testing.assert_allclose(ours.forward_kinematics(q, link.name), place, atol=1e-12)

    def test_flipped_joints_have_the_energies_of_its_placements(self, rtb):
        rows = [
            rtb.RevoluteDH(a=0.3, alpha=0.4, d=0.1, offset=0.5, flip=True, **SHAPE),
            rtb.PrismaticDH(a=0.2, alpha=-0.3, theta=0.7, offset=0.1, qlim=[0, 1], **SHAPE),
        ]
        has_its_energies(rtb.DHRobot(rows, name="flipped"), load_model)
