"""Robots that might be the one, in ``strobe simulate``, ``strobe control`` and ``strobe sweep``."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner, Result

import strobe
from strobe.cli import app
from strobe.control import control
from strobe.models.toml_writer import write_toml
from strobe.models.uncertainty import Uncertainty
from strobe.robot import Robot
from strobe.sweep.evaluate import evaluate
from strobe.sweep.reading import read_plan

REQUEST = """
[bounds]
velocity = 2
acceleration = 4
[[points]]
q = [0.1, 0.3]
[[points]]
q = [0.6, 0.9]
"""


def run(*arguments: object) -> Result:
    done = CliRunner().invoke(app, [*map(str, arguments)])
    assert "Traceback" not in done.output
    return done


@pytest.fixture(scope="module")
def arm() -> Robot:
    """An arm whose base parameters are known to a hundredth, and its friction to a tenth of a newton metre second."""
    robot = strobe.load("planar2")
    base = robot.base_parameters()
    names = (*(base.parameter_names[k] for k in base.kept), "v1", "v2")
    values = (*base.values.tolist(), 0.0, 0.0)
    spread = [*(0.01 * np.abs(base.values)), 0.1, 0.1]
    factor = tuple(tuple(spread[k] * (i == k) for i in range(k + 1)) for k in range(len(names)))
    return robot.with_model(replace(robot.model, uncertainty=Uncertainty(names, values, factor)))


@pytest.fixture
def file(arm: Robot, tmp_path: Path) -> Path:
    path = tmp_path / "arm.toml"
    path.write_text(write_toml(arm.model))
    return path


@pytest.mark.filterwarnings("ignore::strobe.errors.SimulationWarning")
def test_a_simulation_tells_where_robots_would_end_that_might_be_this_one(arm: Robot, file: Path):
    asked = (
        "simulate",
        file,
        "--q",
        "0.3,0.4",
        "--duration",
        0.2,
        "--step",
        0.01,
        "--draw-robots",
        4,
        "--seed",
        2,
    )
    done = run(*asked, "--json")
    assert done.exit_code == 0, done.output
    told = json.loads(done.stdout)["drawn"]
    ends = [each.simulate([0.3, 0.4], [0, 0], None, 0.2, step=0.01).q[-1] for each in arm.drawn(4, seed=2)]
    assert told["count"] == told["done"] == 4
    assert told["mean"] == pytest.approx(np.mean(ends, axis=0), rel=1e-9)
    assert told["deviation"] == pytest.approx(np.std(ends, axis=0), rel=1e-6)
    assert np.all(np.array(told["deviation"]) > 0)
    assert "end of 4 drawn robots" in run(*asked).output


@pytest.mark.slow
def test_controllers_believe_in_the_robot_and_drive_those_that_might_be_it(
    arm: Robot, file: Path, tmp_path: Path
):
    request = tmp_path / "request.toml"
    request.write_text(REQUEST)
    done = run(
        "control", file, request, "--compare", "computed-torque,joint-pd", "--draw-robots", 3, "--json"
    )
    assert done.exit_code == 0, done.output
    loops = json.loads(done.stdout)["loops"]
    assert [len(loop["drawn"]["mean"]) for loop in loops] == [3, 3]
    exact = loops[0]
    assert exact["drawn"]["least"][0] > 10 * exact["hand"]["largest"]
    shown = run("control", file, request, "--draw-robots", 3)
    assert "computed-torque: largest error of 3 drawn robots" in shown.output


@pytest.mark.filterwarnings("ignore::strobe.errors.SweepWarning")
def test_a_sweep_draws_robots_that_controllers_do_not_know(arm: Robot, file: Path, tmp_path: Path):
    request = tmp_path / "request.toml"
    request.write_text(REQUEST)
    asked = {
        "task": "control", "seed": 2, "trajectories": [str(request)],
        "robots": [{"model": str(file), "drawn": 3}], "control": {"rate": 100, "steps": 4},
    }  # fmt: skip
    plan = read_plan(asked)
    assert plan.robots == ("planar2-1", "planar2-2", "planar2-3")
    drawn = arm.drawn(3, seed=2)
    for k, label in enumerate(plan.robots):
        assert plan.robot(label).parameters == pytest.approx(drawn.parameters[k], rel=1e-12)
        assert plan.believed(label).parameters == pytest.approx(arm.parameters)
    found = evaluate(plan, plan.work(1))
    loop = control(arm, plan.motion("request", "planar2-2"), plant=drawn[1], rate=100, steps=4, check=False)
    assert found["error_max"][0] == pytest.approx(np.abs(loop.error).max(axis=0), rel=1e-9)


def test_a_sweep_over_torques_draws_robots_too(file: Path):
    plan = read_plan(
        {"task": "torque", "samples": 2, "robots": [{"model": str(file), "drawn": 2, "label": "arm"}]}
    )
    assert plan.robots == ("arm-1", "arm-2")
    assert not np.array_equal(plan.robot("arm-1").parameters, plan.robot("arm-2").parameters)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ["planar2", "--duration", "1", "--draw-robots", "3"],
            "nothing says how well planar2 is known: write it with",
        ),
        (
            ["planar2", "--duration", "1", "--seed", "3"],
            "--seed is for --draw-robots: add it, or leave it out.",
        ),
        (["FILE", "--duration", "0.01", "--draw-robots", "0"], "--draw-robots"),
    ],
)
def test_what_cannot_be_drawn_is_refused(file: Path, arguments: list[str], said: str):
    done = run("simulate", *(str(file) if word == "FILE" else word for word in arguments))
    assert done.exit_code == 2
    assert said in " ".join(done.stderr.split())


def test_a_sweep_of_a_robot_of_which_nothing_is_known_is_refused():
    with pytest.raises(strobe.StrobeError, match=r"robots\[1\]: nothing says how well planar2 is known"):
        read_plan({"task": "torque", "samples": 2, "robots": [{"model": "planar2", "drawn": 2}]})
