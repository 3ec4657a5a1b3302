"""The ladder from equations as written to machine code: what is counted, and that every rung computes the same."""

import math
import shutil

import numpy as np
import pytest

import strobe
from strobe.errors import UnsupportedModelError
from strobe.papers import ladder
from strobe.papers.ladder import _in_c, straight
from strobe.quantities import Request


@pytest.fixture(scope="module")
def rungs():
    return ladder(strobe.load("stanford"), quick=True)


@pytest.mark.slow
def test_the_stanford_arm_has_every_rung_in_the_order_of_the_report(rungs):
    assert [rung.title for rung in rungs] == [
        "every derivative multiplied out again, in Python",
        "uicker-kahn as written, in Python",
        "every value recorded, in Python",
        "waters as written, in Python",
        "waters, inertial part recursive, in Python",
        "waters-recursive as written, in Python",
        "hollerbach-3x3 as written, in Python",
        "newton-euler as written, in Python",
        "regrouped, folded, shared, in Python",
        "compiled, one call",
        "compiled, in a batch",
        "compiled, in a batch, float32",
        "C, fixed point, counted",
    ]


def test_every_rung_multiplies_no_more_than_the_one_before(rungs):
    counts = [rung.multiplications for rung in rungs]
    assert counts == sorted(counts, reverse=True)
    assert (counts[1], counts[3]) == (75055, 6597)
    assert (rungs[7].multiplications, rungs[7].additions) == (728, 585)
    assert (rungs[-1].multiplications, rungs[-1].additions) == (120, 102)


def test_what_is_run_has_a_time_and_what_is_counted_has_none(rungs):
    for rung in rungs:
        assert (rung.ns is None) == rung.title.endswith("counted")
        assert rung.ns is None or 0 < rung.ns < math.inf


def test_the_report_is_quoted_beside_the_steps_it_names(rungs):
    said = [rung.reported for rung in rungs if rung.reported]
    assert said == [
        "2,254m + 973a: 8 s",
        "486m + 275a: a factor 5",
        "70m + 106a: a further factor 6, 0.25 s",
        "60m + 81a",
        "45m + 77a: a factor 50 in all",
        "3×3 for 4×4 matrices: a further factor 2",
        "fixed point: a further factor 4, 400 in all, 20 ms",
    ]


def test_a_tree_has_only_the_rungs_of_machine_code(tmp_path):
    pytest.importorskip("mujoco", reason="MuJoCo (package mujoco) is not installed")
    path = tmp_path / "tree.xml"
    path.write_text(
        '<mujoco><worldbody><body><joint name="a"/><geom size=".1" pos="1 0 0"/></body>'
        '<body><joint name="b" axis="0 1 0"/><geom size=".1" pos="1 0 0"/></body></worldbody></mujoco>'
    )
    titles = [rung.title for rung in ladder(strobe.load(path), quick=True)]
    assert titles[0] == "regrouped, folded, shared, in Python"


@pytest.mark.slow
def test_c_is_timed_where_there_is_a_compiler():
    if not any(map(shutil.which, ("cc", "gcc", "clang"))):
        pytest.skip("a C compiler is not installed")
    single, fixed = _in_c(strobe.load("planar2"), quick=False)
    assert (single.title, fixed.title) == ("C, float32", "C, fixed point")
    assert single.ns > 0 < fixed.ns
    assert fixed.reported


def test_a_program_as_python_gives_the_torques():
    robot = strobe.load("panda")
    run = straight(robot.kernel(Request("inverse_dynamics", friction=False)).program)
    q, qd, qdd = robot.random_state(seed=1)
    expected = robot.inverse_dynamics(q, qd, qdd, friction=False)
    assert np.array(run(q.tolist(), qd.tolist(), qdd.tolist())) == pytest.approx(expected, abs=1e-12)


def test_a_robot_without_dynamics_has_no_ladder():
    with pytest.raises(UnsupportedModelError, match="rx90 has no dynamics"):
        ladder(strobe.load("rx90"))
