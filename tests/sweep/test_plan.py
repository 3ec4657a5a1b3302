"""What a plan is: cells in order, pieces that belong to one robot, a document that is all there is to it."""

import json

import numpy as np
import pytest

import strobe
from strobe.errors import ArgumentError, UnknownNameError
from strobe.models.fingerprint import fingerprint
from strobe.sweep.plan import Cells, Plan
from strobe.sweep.reading import read_plan

ASKED = {
    "task": "torque", "samples": 10, "chunk": 4, "seed": 3, "robots": ["planar2", "planar3"],
    "state": {"qd": {"values": [0, 1]}},
    "payload": {"mass": {"from": 0, "to": 2, "count": 3}, "centre": {"uniform": [-0.1, 0.1]}},
}  # fmt: skip


@pytest.fixture(scope="module")
def plan():
    return read_plan(ASKED)


def test_every_combination_of_grid_values_is_a_cell_the_robot_the_slowest(plan):
    assert plan.robots == ("planar2", "planar3")
    assert len(plan.cells) == 2 * 2 * 3
    assert [cell.robot for cell in plan.cells] == ["planar2"] * 6 + ["planar3"] * 6
    assert [cell.row for cell in plan.cells] == [*range(6), *range(6)]
    chosen = [(cell.chosen["state.qd"], cell.chosen["payload.mass"]) for cell in plan.cells[:6]]
    assert chosen == [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)]


@pytest.mark.parametrize(
    ("chunk", "sizes"),
    [(4, [4, 4, 2] * 12), (10, [10] * 12), (19, [10] * 12), (45, [40, 20] * 2), (1000, [60] * 2)],
)
def test_pieces_of_work_cover_every_run_once_and_none_lies_in_two_robots(chunk, sizes):
    plan = read_plan(ASKED | {"chunk": chunk})
    works = [plan.work(k) for k in range(plan.chunks)]
    assert [work.runs for work in works] == sizes
    assert [work.index for work in works] == [*range(len(sizes))]
    assert all({cell.robot for cell in work.cells} == {work.robot} for work in works)
    runs = [(cell.index, k) for work in works for cell in work.cells for k in range(work.start, work.stop)]
    assert runs == [(cell, k) for cell in range(12) for k in range(10)]


def test_a_chosen_chunk_fits_into_memory_even_if_little_of_it_is_kept():
    asked = {"task": "torque", "samples": 10**11, "robots": ["panda"], "keep": ["status"]}
    assert 10_000 < read_plan(asked).chunk < 1_000_000


def test_a_chunk_is_no_larger_than_the_runs_of_a_robot():
    assert read_plan(ASKED | {"chunk": 1000}).chunk == 60


def test_a_grid_without_draws_is_not_cut_into_single_runs():
    axis = {"from": 0, "to": 1, "count": 100}
    still = {"q": 0.3, "qd": axis, "qdd": 0}
    plan = read_plan({"task": "torque", "robots": ["planar2"], "state": still, "payload": {"mass": axis}})
    assert (plan.runs, plan.chunks) == (10_000, 1)


def test_a_piece_that_does_not_exist_is_an_index_error(plan):
    with pytest.raises(IndexError, match="no piece of work has the number 36; there are 36"):
        plan.work(36)


def test_cells_without_axes_are_the_robots():
    cells = Cells(["a", "b"], {})
    assert [(cell.index, cell.robot, cell.row, cell.chosen) for cell in cells] == [
        (0, "a", 0, {}),
        (1, "b", 0, {}),
    ]
    with pytest.raises(IndexError):
        cells[2]


def test_what_runs_yield_is_known_beforehand(plan):
    assert {name: shape for name, (shape, _) in plan.fields("planar3").items()} == {
        "q": (3,), "qdd": (3,), "payload_centre": (3,), "tau": (3,), "peak": (), "status": (),
    }  # fmt: skip
    assert plan.statuses == {0: "done", 1: "not_finite"}
    with pytest.raises(UnknownNameError, match='no robot "planar4" in the sweep. Did you mean'):
        plan.fields("planar4")


def test_a_plan_comes_back_from_its_document_as_text(plan):
    again = Plan.from_document(json.loads(json.dumps(plan.document)))
    assert again == plan
    assert hash(again) == hash(plan)
    assert again.fingerprint == plan.fingerprint
    assert again.work(35) == plan.work(35)


def test_robots_in_a_document_are_those_that_were_named(plan):
    for name in plan.robots:
        assert fingerprint(plan.robot(name).model) == fingerprint(strobe.load(name).model)
        assert plan.robot(name) is plan.robot(name)


def test_anything_that_changes_a_run_changes_the_fingerprint(plan):
    heavier = strobe.load("planar2").with_payload(1.0)
    others = [
        {"seed": 4}, {"samples": 11}, {"chunk": 5}, {"robots": [heavier, "planar3"]},
        {"state": {"qd": {"values": [0, 2]}}}, {"torque": {"friction": False}}, {"keep": ["peak"]},
    ]  # fmt: skip
    found = {read_plan(ASKED | other).fingerprint for other in others}
    assert len(found | {plan.fingerprint}) == len(others) + 1


def test_a_document_of_another_format_is_refused(plan):
    for wrong in (plan.document | {"format": 99}, {}, None):
        with pytest.raises(ArgumentError, match="has format .*; this Strobe reads 1"):
            Plan.from_document(wrong)


def test_motions_in_a_document_are_the_planned_ones_to_the_last_bit():
    arm = strobe.load("planar2")
    motion = arm.plan([[0, 0], [1, 0.3], [0.2, -1]], acceleration=3)
    found = read_plan({"task": "control", "robots": [arm], "trajectories": [motion]})
    again = Plan.from_document(json.loads(json.dumps(found.document))).motion("motion", "planar2")
    for name in ("times", "coefficients", "points"):
        np.testing.assert_array_equal(getattr(again, name), getattr(motion, name))
    assert again.joint_names == motion.joint_names
