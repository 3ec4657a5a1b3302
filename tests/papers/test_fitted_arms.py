"""Real arms in the names of a certificate."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest

from strobe import load
from strobe.algebra import Pose
from strobe.errors import ArgumentError
from strobe.models.model import Frame
from strobe.papers.arm_patterns import PATTERNS, arm
from strobe.papers.fewest_records import VARIANTS, stored
from strobe.papers.fitted_arms import fitted
from strobe.robot import Robot


def error(robot, name: str) -> float:
    rng = random.Random(3)
    real = fitted(robot, VARIANTS[name].model)
    return real.error(stored(name), [[rng.uniform(-3.0, 3.0) for _ in range(robot.nv)] for _ in range(3)])


def described(path: str):
    package = pytest.importorskip("pinocchio")
    folder = Path(package.__file__).parents[4] / "share/example-robot-data/robots"
    if not folder.is_dir():
        pytest.skip("example-robot-data is not installed")
    return folder / path


@pytest.mark.filterwarnings("ignore::strobe.errors.ModelWarning")
@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("ur_description/urdf/ur5_robot.urdf", "general-6r-multiplications"),
        ("ur_description/urdf/ur10_robot.urdf", "general-6r-operations"),
    ],
)
def test_a_general_program_runs_on_the_files_of_real_arms(path, name):
    assert error(load(described(path)), name) < 2e-15


@pytest.mark.parametrize(
    ("geometry", "name"), [("RX-90", "general-6r-operations"), ("KUKA iiwa", "panda-operations")]
)
def test_geometries_without_published_masses_run_with_drawn_ones(geometry, name):
    model = arm(PATTERNS[geometry])
    tip = Frame("tip", len(model.bodies) - 1, Pose())
    assert error(Robot(replace(model, frames=(tip,))), name) < 2e-15


@pytest.mark.parametrize("robot", ["ur5", "puma560"])
def test_a_generic_program_stops_on_arms_of_industry(robot):
    with pytest.raises(ZeroDivisionError):
        error(load(robot), "general-6r-operations-generic")


def test_an_arm_that_does_not_fit_is_refused_with_the_number():
    with pytest.raises(ArgumentError, match="^ur5: cx3 is -0.24225; the arm of the certificate has 0.$"):
        fitted(load("ur5"), VARIANTS["puma560-operations"].model)
    with pytest.raises(ArgumentError, match="^panda has other joints than the arm of the certificate.$"):
        fitted(load("panda"), VARIANTS["puma560-operations"].model)
