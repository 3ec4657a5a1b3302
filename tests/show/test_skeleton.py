"""A robot as points and lines: where its joints and frames are, and what its table of DH parameters says."""

from __future__ import annotations

import math
import tomllib
from importlib import resources

import numpy as np
import pytest

import strobe
from strobe.errors import ArgumentError, ShapeError, UnsupportedModelError
from strobe.models.urdf_writer import write_urdf
from strobe.show.skeleton import denavit_hartenberg, posed

DH_ROBOTS = ("stanford", "puma560", "ur5", "planar2", "planar3", "panda", "rx90")


def state(robot) -> np.ndarray:
    return robot.random_state(seed=5)[0]


def drawn(robot):
    return posed(robot, state(robot))


def screw(axis: int, angle: float, length: float) -> np.ndarray:
    """A turn about a coordinate axis and a shift along it."""
    c, s = math.cos(angle), math.sin(angle)
    a, b = (axis + 1) % 3, (axis + 2) % 3
    T = np.eye(4)
    T[a, a] = T[b, b] = c
    T[a, b], T[b, a], T[axis, 3] = -s, s, length
    return T


@pytest.mark.parametrize("name", DH_ROBOTS)
def test_the_product_of_the_rows_of_the_table_gives_every_frame(name: str) -> None:
    robot = strobe.load(name)
    q = state(robot)
    skeleton = posed(robot, q)
    T = np.eye(4)
    for i, (row, hinge) in enumerate(zip(skeleton.table, skeleton.hinges, strict=True)):
        theta, d = (row.theta + q[i], row.d) if hinge.turns else (row.theta, row.d + q[i])
        about_z, about_x = screw(2, theta, d), screw(0, row.alpha, row.a)
        T = T @ about_z @ about_x if skeleton.convention == "standard" else T @ about_x @ about_z
        assert np.allclose(skeleton.frames[i + 1], T)


@pytest.mark.parametrize("name", DH_ROBOTS)
def test_the_table_is_that_of_the_file(name: str) -> None:
    text = resources.files("strobe.models.library").joinpath(f"{name}.toml").read_text()
    assert drawn(strobe.load(name)).convention == tomllib.loads(text)["dh"]["convention"]


def test_robots_with_other_axes_have_no_table() -> None:
    for robot in (strobe.load("biped10"), strobe.load("spherical3"), strobe.random(5, seed=2, tree=True)):
        assert denavit_hartenberg(robot.model) == ("", ())


@pytest.mark.parametrize("name", ["stanford", "puma560", "panda"])
def test_links_go_along_the_axes_of_their_frames(name: str) -> None:
    skeleton = drawn(strobe.load(name))
    directions = skeleton.frames[:, :3, [0, 2]].transpose(0, 2, 1).reshape(-1, 3)
    for stroke in skeleton.strokes[:-1]:
        for step in np.diff(stroke.points, axis=0):
            assert np.abs(directions @ step).max() == pytest.approx(np.linalg.norm(step))


@pytest.mark.parametrize("tree", [False, True])
def test_joints_are_where_pinocchio_has_them(tree: bool) -> None:
    pin = pytest.importorskip("pinocchio")
    robot = strobe.random(9, seed=3, tree=tree)
    q = state(robot)
    peer = pin.buildModelFromXML(write_urdf(robot.model)[0])
    data, there = peer.createData(), np.zeros(peer.nq)
    for joint in robot.coordinates.joints:
        there[peer.joints[peer.getJointId(joint.name)].idx_q] = q[joint.q]
    pin.forwardKinematics(peer, data, there)
    for hinge in posed(robot, q).hinges:
        placed = data.oMi[peer.getJointId(hinge.body.joint.name)]
        assert np.allclose(hinge.origin, placed.translation)


def test_every_link_ends_where_a_joint_or_its_tip_is() -> None:
    skeleton = drawn(strobe.random(9, seed=3, tree=True))
    for stroke in skeleton.strokes:
        if stroke.to is not None:
            assert np.allclose(stroke.points[-1], skeleton.hinges[stroke.to].rest)
        if stroke.body >= 0:
            assert np.allclose(stroke.points[0], skeleton.hinges[stroke.body].origin)


def test_centres_of_mass_are_those_of_the_robot() -> None:
    robot = strobe.load("puma560")
    skeleton = posed(robot, q := state(robot))
    masses = np.array([float(hinge.body.inertial.m) for hinge in skeleton.hinges])
    assert np.allclose(masses @ skeleton.coms / masses.sum(), robot.center_of_mass(q))


@pytest.mark.parametrize(
    ("name", "normal"),
    [("planar2", (0, 0, 1)), ("parallelogram", (0, -1, 0)), ("stanford", None), ("spherical3", None)],
)
def test_the_plane_of_planar_robots_is_found(name: str, normal) -> None:
    plane = drawn(strobe.load(name)).plane
    assert plane is None if normal is None else np.allclose(plane, normal)


def test_a_pose_that_is_none_is_refused() -> None:
    robot = strobe.load("planar2")
    with pytest.raises(ShapeError, match="planar2 has 2 joints"):
        posed(robot, [0.1, 0.2, 0.3])
    with pytest.raises(ArgumentError, match=r"q has shape \(4, 2\); one pose is drawn, expected \(2,\)\."):
        posed(robot, np.zeros((4, 2)))
    with pytest.raises(ArgumentError, match="q has an entry that is not a finite number"):
        posed(robot, [0.1, math.nan])
    with pytest.raises(
        UnsupportedModelError, match="planar2 has no joints that move: there is nothing to draw."
    ):
        posed(robot.lock({"*": 0.0}), [])
