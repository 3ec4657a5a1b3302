"""Sections of robots that are no fixed arms: closed chains, moving bases, legs; and what is drawn of loops."""

import numpy as np
import pytest

import strobe
from strobe.show.skeleton import posed
from strobe.study import closed_chains, legs, moving_base, study as whole_study, view
from strobe.study.case import Case
from strobe.study.figure_body import free_body
from strobe.study.pages import whole_page
from strobe.study.sample_motion import Swing, resting_position


@pytest.fixture(scope="module")
def fourbar():
    return Case.of(strobe.load("fourbar"), quick=True)


@pytest.fixture(scope="module")
def report():
    names = ["view", "robot", "torques", "terms", "wrenches", "closed", "matrices", "counts", "trajectory"]
    return whole_study(strobe.load("fourbar"), sections=names, quick=True)


# -- closed chains ------------------------------------------------------------------------------------


def test_a_closed_chain_swings_with_its_loops_closed(fourbar):
    q, qd, qdd = fourbar.swing.states(np.linspace(0.0, 2.0, 9))
    robot = fourbar.robot
    assert np.abs(robot.loop_residuals(q)).max() < 1e-12
    robot.inverse_dynamics(q, qd, qdd)  # a state that loops do not allow would be refused
    assert np.ptp(q[:, 0]) > 1.0


@pytest.mark.slow
def test_a_swing_that_the_others_cannot_follow_is_made_narrower():
    """The rocker of a four-bar does not go far: led by it, the swing of 0.6 rad is too wide."""
    robot = strobe.load("fourbar").with_actuated(["rocker"])
    swing = Swing.about(robot, resting_position(robot))
    assert 0 < swing.amplitude[2] < 0.6
    assert swing.amplitude[0] == swing.amplitude[1] == 0


@pytest.mark.slow
def test_the_section_tells_freedoms_dynamics_forces_and_a_run(report):
    data = report.sections["closed"]
    assert data["freedoms"] == 1
    assert data["passed"]
    assert data["given_back"] < 1e-12
    assert data["here"]["open_by"] < 1e-12
    case, rate = report.case, report.case.qd / report.case.qd[0]
    M_r = data["reduced"]["mass_matrix"]
    assert M_r[0, 0] == pytest.approx(rate @ case.robot.mass_matrix(case.q) @ rate, rel=1e-9)
    pin = data["loop_forces"]["loops"][0]["wrench"]
    assert pin[:3] == pytest.approx([-3.18962, 0, -6.17433], abs=1e-5)
    assert data["run"]["open_by"].max() < 1e-12
    assert "1 freedom = 3 of the joints − 2 independent conditions of 1 loop" in list(
        closed_chains.render(data)
    )


def test_sections_that_look_at_the_tree_say_so_and_others_say_why_not(report):
    page = whole_page(report)
    assert page.count("Of the tree of its links, the loops cut") == 1  # the matrices
    assert "formulations are counted on the tree, its loops cut" in page.lower()
    assert report.sections["trajectory"]["skipped"].startswith("planning of closed chains is not solved")
    assert not report.failed


def test_a_view_of_a_closed_chain_plays_rows_in_which_loops_are_closed(report):
    data = report.sections["view"]
    rows = data["together"]["q"]
    assert np.abs(report.case.robot.loop_residuals(rows)).max() < 1e-12
    assert view.measure(Case.of(strobe.load("planar2")))["together"] is None
    assert [tie["rod"] for tie in data["ties"]] == [False]


def test_links_end_at_their_loops():
    robot = strobe.load("delta")
    skeleton = posed(robot, robot.model.poses["home"])
    assert len(skeleton.ties) == 6
    assert all(tie.rod and tie.apart == pytest.approx(0.8) for tie in skeleton.ties)
    ends = np.concatenate([stroke.points[-1:] for stroke in skeleton.strokes])
    for tie in skeleton.ties:
        for end in tie.ends:
            assert np.linalg.norm(ends - end, axis=-1).min() < 1e-12
    assert not skeleton.floats  # its arms stand on the base; only the platform is free


def test_a_link_of_a_closed_chain_balances_with_what_its_loops_do(fourbar):
    for link in ("coupler_link", "rocker_link"):
        body = free_body(fourbar.robot, fourbar.q, fourbar.qd, fourbar.qdd, link, inertial=True)
        forces = [load for load in body.loads if load.unit == "N"]
        assert np.abs(sum(load.vector for load in forces)).max() < 1e-12
        com = body.skeleton.coms[body.link]
        moment = sum(np.cross(load.at - com, load.vector) for load in forces)
        moment = moment + sum(load.vector for load in body.loads if load.unit == "N m")
        assert np.abs(moment).max() < 1e-12
        assert any(load.source == "pin" for load in forces)


# -- moving bases and legs ----------------------------------------------------------------------------


@pytest.mark.parametrize("base", ["translating", "floating"])
def test_the_rate_of_momentum_is_the_force_from_outside(base):
    data = moving_base.measure(Case.of(strobe.load("biped10", base=base)))
    assert data["passed"]
    assert data["base"] == base
    assert data["mass"] == pytest.approx(38)
    size = {"translating": 3, "floating": 6}[base]
    assert data["blocks"]["coupling"].shape == (size, 10)
    assert np.allclose(data["blocks"]["base"][:3, :3], 38 * np.eye(3))


@pytest.mark.parametrize("base", ["fixed", "floating"])
def test_in_a_quick_study_it_swings_on_a_foot(base):
    swung = legs.measure(Case.of(strobe.load("biped10", base=base), quick=True))
    assert swung["motion"] == "the swing, standing on stance_foot"
    assert "zero moment point" in swung["figure"]
