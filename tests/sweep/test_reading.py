"""Sweeps in files and mappings: every way to vary something, every fault in a sentence."""

import re

import numpy as np
import pytest

import strobe
from strobe.errors import ArgumentError, SweepWarning
from strobe.simulate.integrators import FIXED
from strobe.sweep.chunking import bytes_per_run
from strobe.sweep.estimating import estimate
from strobe.sweep.reading import read_plan

FILE = """
task = "control"
samples = 1e3
seed = 7
robots = ["planar2", { model = "arm.toml", label = "my arm", gravity = [0, 0, -3.7] }]
trajectories = ["reach.toml", "motion.csv"]
controllers = ["computed-torque", { name = "joint-pd", label = "soft", gains = { kp = [20, 10] } }]
approximations = ["exact", "without-velocity-terms"]
keep = ["error_max", "payload_centre"]

[parameters]
off = 0.01

[offset]
q = { normal = [0, "off/2"] }
qd = { choice = [0, [0.1, -0.1]] }

[payload]
mass = { values = [0, 1, "1 + 1"] }
centre = { uniform = [[0, 0, 0], [0, 0, 0.1]] }
frame = "tool"

[control]
rate = 500
limits = true
friction = false
"""
REQUEST = "[bounds]\nacceleration = 4\n[[points]]\nq = [0, 0]\n[[points]]\nq = [0.5, 0.1]\n"


@pytest.fixture
def folder(tmp_path):
    arm = strobe.load("planar2")
    motion = arm.plan([[0, 0], [0.3, 0.2]], acceleration=3)
    from strobe.models.toml_writer import write_toml
    from strobe.trajectory.files import write

    write(motion, tmp_path / "motion.csv")
    (tmp_path / "arm.toml").write_text(write_toml(arm.model), encoding="utf-8")
    (tmp_path / "reach.toml").write_text(REQUEST, encoding="utf-8")
    (tmp_path / "sweep.toml").write_text(FILE, encoding="utf-8")
    return tmp_path


def test_a_file_names_robots_motions_controllers_and_what_varies(folder):
    plan = read_plan(folder / "sweep.toml")
    assert (plan.task, plan.samples, plan.seed) == ("control", 1000, 7)
    assert plan.robots == ("planar2", "my-arm")
    assert plan.robot("my-arm").model.gravity.linear.z == -3.7
    assert len(plan.cells) == 2 * 2 * 2 * 2 * 3
    assert plan.cells[-1].chosen == {
        "trajectory": "motion", "controller": "soft", "approximation": "without-velocity-terms", "payload.mass": 2,
    }  # fmt: skip
    assert plan.motion("reach", "my-arm")(0.0).q.tolist() == [0, 0]
    assert plan.document["quantities"]["offset.q"] == {"normal": [0, 0.005]}
    assert plan.document["options"] == {
        "rate": 500, "steps": None, "delay": 0, "t": None, "tolerance": None, "method": "rk4", "limits": True,
        "friction": False,
    }  # fmt: skip
    assert list(plan.fields("planar2")) == ["payload_centre", "error_max", "status"]


def test_a_plan_needs_no_file_any_more_once_it_is_read(folder):
    from strobe.sweep.evaluate import evaluate
    from strobe.sweep.plan import Plan

    plan = read_plan(folder / "sweep.toml")
    for path in folder.iterdir():
        path.unlink()
    again = Plan.from_document(plan.document)
    work = again.work(again.chunks - 1)
    assert evaluate(again, work)["error_max"].shape == (work.runs, 2)


def test_a_mapping_may_hold_robots_motions_arrays_and_paths(folder):
    arm = strobe.load("planar2")
    motion = arm.plan([[0, 0], [0.3, 0.2]], acceleration=3)
    plan = read_plan(
        {"task": "simulate", "robots": [arm, folder / "arm.toml"], "trajectories": [motion, folder / "reach.toml"],
         "offset": {"q": {"values": np.zeros((3, 2))}}, "simulate": {"step": 0.01, "friction": False}}
    )  # fmt: skip
    assert plan.robots == ("planar2", "planar2_2")
    assert [cell.chosen["trajectory"] for cell in plan.cells[:6]] == ["motion"] * 3 + ["reach"] * 3
    assert plan.runs == 12


def test_what_is_not_drawn_is_done_once():
    plan = read_plan({"task": "torque", "robots": "planar2", "state": {"q": 0, "qd": 0, "qdd": [1, 2]}})
    assert plan.runs == 1


def test_numbers_from_to_count_are_a_grid_with_both_ends():
    plan = read_plan(
        {
            "task": "torque",
            "samples": 1,
            "robots": "planar2",
            "state": {"q": {"from": -1, "to": 1, "count": 5}},
        }
    )
    assert [cell.chosen["state.q"] for cell in plan.cells] == [-1, -0.5, 0, 0.5, 1]


def test_a_step_that_is_too_long_is_told_before_anything_runs():
    asked = {"task": "simulate", "samples": 1, "robots": "planar2", "simulate": {"t": 1, "step": 0.01}}
    with pytest.warns(SweepWarning) as told:
        assert read_plan(asked).runs == 1
    assert re.match(
        "sweep: planar2: step is 0.01 s, too long for rk4: .* needs a step below", str(told[0].message)
    )


TORQUE = 'task = "torque"\nrobots = ["planar2"]\nsamples = 10\n'
SIMULATE = 'task = "simulate"\nrobots = ["planar2"]\nsamples = 10\n'
CONTROL = 'task = "control"\nrobots = ["planar2"]\nsamples = 10\ntrajectories = ["reach.toml"]\n'
JUDGE = 'task = "approximate"\nrobots = ["planar2"]\nsamples = 10\n'
DRAWN = "[offset]\nq = { normal = [0, 0.1] }\n"
WRONG = [
    ("", 'the key "task" is missing; expected one of "torque", "simulate", "control", "approximate".'),
    ('task = "torq"', "task: found \"torq\", expected one of .* Did you mean 'torque'?"),
    ('task = "torque"\nrobots = [', "not valid TOML: "),
    ('task = "torque"', 'the key "robots" is missing; expected names of robots, or robot files.'),
    (
        'task = "torque"\nrobots = []',
        "robots: found an empty list, expected names of robots, or robot files.",
    ),
    (
        'task = "torque"\nrobots = ["planr2"]',
        "robots[1]: no robot \"planr2\" in the library. Did you mean 'planar2'",
    ),
    ('task = "torque"\nrobots = ["gone.urdf"]', "gone.urdf: no such file."),
    (
        'task = "torque"\nrobots = ["fourbar"]',
        "fourbar has closed chains, whose states cannot be drawn joint by joint",
    ),
    (
        'task = "torque"\nrobots = [3]',
        "robots[1]: found 3, expected the name of a robot, a robot file, or a table.",
    ),
    (
        'task = "torque"\nrobots = [{ model = "planar2", grvity = [0, 0, 0] }]',
        "robots[1].grvity: unknown key. Did you mean",
    ),
    (
        'task = "torque"\nrobots = ["planar2"]',
        'the key "samples" is missing; expected how many runs are drawn',
    ),
    (TORQUE.replace("10", "0"), "samples: found 0, expected a whole number, 1 or more."),
    (TORQUE + "seed = -1", "seed: found -1, expected a whole number, 0 or more."),
    (TORQUE + "keep = 3", "keep[1]: found 3, expected the name of what is kept."),
    (TORQUE + 'chunk = "many"', 'chunk: found "many", expected a whole number, 1 or more.'),
    (TORQUE + "sampels = 3", "sampels: unknown key. Did you mean 'samples'"),
    (TORQUE + 'keep = ["tua"]', "keep[1]: a run yields no \"tua\". Did you mean 'tau'?"),
    (
        TORQUE + "[state]\nq = 0\nqd = 0\nqdd = 0",
        "samples: found 10, but nothing is drawn: all runs would be the same",
    ),
    (TORQUE + "[simulate]\nt = 1", 'simulate: this is for task = "simulate", not for "torque".'),
    (
        TORQUE + 'approximations = ["exact"]',
        'approximations: this is for task = "control" or "approximate", not for',
    ),
    (
        TORQUE + "[offset]\nq = 1",
        "offset: without trajectories runs start where [state] says; remove this table.",
    ),
    (TORQUE + "[state]\nqq = 1", "state.qq: unknown key. Did you mean 'qd'"),
    (
        TORQUE + "[state]\nq = [0, 0, 0]",
        "state.q: for planar2: there are 3 numbers, expected 2, or one for all.",
    ),
    (
        TORQUE + "[state]\nq = {}",
        "state.q: found none, expected one of values, from, uniform, normal, log_uniform, choice.",
    ),
    (
        TORQUE + '[state]\nq = { uniform = "limits", normal = [0, 1] }',
        'state.q: found "uniform" and "normal", expected one',
    ),
    (
        TORQUE + "[state]\nq = { uniform = 3 }",
        'state.q.uniform: found 3, expected [low, high] or "limits".',
    ),
    (
        TORQUE + "[state]\nq = { uniform = [1, 0] }",
        "state.q: for planar2: low is 1 and high 0; expected low before high.",
    ),
    (
        TORQUE + "[state]\nq = { uniform = [0, inf] }",
        "state.q.uniform[2]: found inf, expected a finite number.",
    ),
    (TORQUE + "[state]\nq = { normal = [0, -1] }", "the deviation is -1; expected zero or more."),
    (TORQUE + "[state]\nq = { log_uniform = [0, 1] }", "low is 0; log_uniform needs bounds above zero."),
    (
        TORQUE + "[state]\nq = { values = [] }",
        "state.q.values: found [], expected a list of up to 1,000,000 values.",
    ),
    (
        TORQUE + "[state]\nq = { from = 0, count = 3 }",
        'state.q: the key "to" is missing; expected the last number',
    ),
    (
        TORQUE + "[state]\nq = { from = 0, to = 1 }",
        'state.q: the key "count" is missing; expected how many numbers',
    ),
    (TORQUE + '[state]\nq = { choice = [[0, "x"]] }', 'state.q.choice[1][2]: unknown parameter "x"'),
    (
        TORQUE + "[payload]\ncentre = 0",
        'payload: the key "mass" is missing; expected a number of kilograms',
    ),
    (
        TORQUE + "[payload]\nmass = -1",
        "payload.mass: for planar2: the mass is -1 kg; a mass is not negative.",
    ),
    (
        TORQUE + "[payload]\nmass = { normal = [1, 0.5] }",
        "masses down to -3.15 kg could be drawn; a mass is not negative.",
    ),
    (
        TORQUE + '[payload]\nmass = { uniform = "limits" }',
        '"limits" are those of joints; expected [low, high].',
    ),
    (TORQUE + '[payload]\nmass = 1\nframe = "hnd"', 'planar2: no frame "hnd" in planar2.'),
    (SIMULATE, 'simulate: the key "t" is missing; expected how many seconds a run lasts.'),
    (
        SIMULATE + "[simulate]\nt = 1",
        'simulate: the key "step" is missing; expected seconds, such as 0.001',
    ),
    (SIMULATE + "[simulate]\nt = 0\nstep = 1", "simulate.t: found 0, expected a number above zero."),
    (
        SIMULATE + '[simulate]\nt = 1\nstep = 1\nmethod = "rk5"',
        f'simulate.method: found "rk5", expected one of "{next(iter(FIXED))}"',
    ),
    (
        SIMULATE + 'trajectories = ["reach.toml"]\n[simulate]\nstep = 1\ntorque = 1',
        "simulate.torque: the torques are those of the trajectory; remove this key.",
    ),
    (
        SIMULATE + 'trajectories = ["reach.toml"]\n[state]\nq = 0',
        "state: runs start on a trajectory; [offset] says how",
    ),
    (
        CONTROL.replace('trajectories = ["reach.toml"]', ""),
        'the key "trajectories" is missing; expected requests or motions',
    ),
    (CONTROL.replace("reach", "gone"), "trajectories[1]: for planar2: .*gone.toml: cannot be read"),
    (
        CONTROL.replace("planar2", "planar3"),
        "trajectories[1]: for planar3: .*expected an array of 3 numbers",
    ),
    (
        CONTROL + 'controllers = ["pid"]',
        "controllers[1].name: found \"pid\", expected one of .* Did you mean 'joint-pid'",
    ),
    (
        CONTROL + 'controllers = [{ name = "joint-pd", gains = { kq = 2 } }]\n' + DRAWN,
        "joint-pd takes no 'kq'; it takes",
    ),
    (
        CONTROL + 'controllers = ["joint-pd"]\napproximations = ["exact"]\n' + DRAWN,
        "joint-pd uses no model of the arm",
    ),
    (
        CONTROL + 'approximations = ["fixed-point-16"]\n' + DRAWN,
        "takes the place of a whole controller, not of its model.",
    ),
    (
        CONTROL + 'approximations = ["path-extrapolation-0"]\n' + DRAWN,
        "knows torques along a motion only; a loop needs",
    ),
    (JUDGE, 'the key "approximations" is missing; expected names of approximations.'),
    (
        JUDGE + 'approximations = ["exct"]',
        "approximations[1]: found \"exct\", which is no approximation. Did you mean 'exact'",
    ),
    (JUDGE + 'approximations = ["cmac"]', "planar2, cmac: cmac is made for a motion; give trajectories."),
    (
        JUDGE + 'approximations = ["path-extrapolation-1"]',
        "takes states that follow one another; those of a sweep do not.",
    ),
    (
        TORQUE.replace("10", "10_000_000_000_000_000"),
        "these are 10,000,000,000,000,000 runs; at most 1,000,000,000,000,000",
    ),
    (
        TORQUE.replace("planar2", "stanford") + '[state]\nqd = { uniform = "limits" }',
        "state.qd: for stanford: stanford has no limits of velocity for all its joints; give the bounds.",
    ),
]


@pytest.mark.parametrize(("text", "sentence"), WRONG, ids=range(len(WRONG)))
def test_a_mistake_is_told_with_its_place_and_what_was_expected(folder, text, sentence):
    path = folder / "wrong.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ArgumentError) as error:
        read_plan(path)
    said = str(error.value)
    assert str(path) in said
    parts = sentence.split(" .*") if " .*" in sentence else sentence.split(".*")
    for part in parts:
        assert part.strip() in said


def test_all_faults_of_a_file_are_told_in_one_go(folder):
    path = folder / "wrong.toml"
    path.write_text(TORQUE + "seed = -1\nkeep = 3\n[state]\nqq = 1\n[torque]\nfriction = 3\n")
    with pytest.raises(ArgumentError, match="4 faults:\n.*\n.*\n.*\n.*"):
        read_plan(path)


def test_joints_with_quaternions_are_drawn_as_orientations_only():
    asked = {"task": "torque", "samples": 2, "robots": [{"model": "planar2", "base": "floating"}]}
    with pytest.raises(
        ArgumentError, match="has joints with quaternions, whose four numbers are not drawn one by one"
    ):
        read_plan(asked | {"state": {"q": {"normal": [0, 1]}}})
    with pytest.raises(ArgumentError, match="q has a quaternion of length zero in joint"):
        read_plan(asked | {"state": {"q": 0}})


def test_a_sweep_is_a_toml_file_that_is_there(tmp_path):
    with pytest.raises(ArgumentError, match="a sweep is a .toml file"):
        read_plan(tmp_path / "sweep.json")
    with pytest.raises(ArgumentError, match="cannot be read: No such file"):
        read_plan(tmp_path / "sweep.toml")


# -- its size ---------------------------------------------------------------------------------------


def test_the_size_of_a_sweep_is_that_of_its_rows():
    plan = read_plan({"task": "torque", "samples": 100, "robots": ["planar2", "planar3"]})
    assert [bytes_per_run(plan, robot) for robot in plan.robots] == [
        8 * (4 * 2 + 1) + 1,
        8 * (4 * 3 + 1) + 1,
    ]
    found = estimate(plan)
    assert (found.runs, found.chunks) == (200, plan.chunks)
    assert found.bytes == 100 * (73 + 105)
    assert found.seconds == found.runs * found.seconds_per_run > 0


def test_chunks_are_small_enough_to_send_and_few_enough_to_count():
    asked = {"task": "torque", "robots": ["planar2"]}
    few, many, most = (read_plan(asked | {"samples": 10**k}) for k in (3, 8, 12))
    assert few.chunks == 1
    assert many.chunk * bytes_per_run(many, "planar2") <= 8 * 2**20
    assert many.chunks <= 100_000
    assert most.chunk * bytes_per_run(most, "planar2") <= 64 * 2**20
    how = {"t": 100, "step": 1e-4, "friction": False}
    long = read_plan({"task": "simulate", "robots": ["planar2"], "samples": 10**4, "simulate": how})
    assert long.chunk < 100


@pytest.mark.parametrize(
    ("names", "labels"),
    [
        (["arm", "arm"], ("arm", "arm_2")),
        (["Arm", "aRM"], ("Arm", "aRM_2")),
        (["zarr.json"], ("zarr.json_2",)),
        (["../odd näme/x"], ("odd-n-me-x",)),
        (["..", "-"], ("unnamed", "unnamed_2")),
        (["a" * 200], ("a" * 60,)),
    ],
)
def test_labels_name_folders_of_their_own_on_any_disk(names, labels):
    robots = [{"model": "planar2", "label": name} for name in names]
    assert read_plan({"task": "torque", "samples": 1, "robots": robots}).robots == labels
