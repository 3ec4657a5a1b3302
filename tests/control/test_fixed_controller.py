"""A control law in integers: within its bound of the law in floating point, and the same words in C."""

import shutil
import subprocess

import numpy as np
import pytest

import strobe
from strobe.control import ComputedTorque, JointPID, PDGravity, control
from strobe.control.fixed_controller import FixedController
from strobe.errors import ArgumentError


@pytest.fixture(scope="module")
def planar():
    return strobe.load("planar2")


@pytest.fixture(scope="module")
def motion(planar):
    return planar.plan([(0.1, 0.4), (0.6, -0.5)], "quintic", velocity=2.0, acceleration=8.0)


@pytest.mark.parametrize(("kind", "bits"), [(ComputedTorque, 32), (PDGravity, 32), (PDGravity, 16)])
def test_along_a_recorded_run_torques_are_within_their_bound_of_the_law(planar, motion, kind, bits):
    controller = kind(planar, 2e-3)
    run = control(planar, motion, controller, q0=motion(0.0).q + 0.03, check=False)
    made = FixedController.along(controller, motion, bits=bits)
    error = np.abs(made.torques(run.q, run.qd, run.wanted) - run.tau).max(axis=0)
    assert (error <= made.bound).all()
    assert (error > 0).all()
    assert (made.bound < {32: 1e-4, 16: 10.0}[bits]).all()


def test_a_law_in_16_bits_is_coarser_by_about_that_many(planar, motion):
    controller = ComputedTorque(planar, 2e-3)
    fine, coarse = (FixedController.along(controller, motion, bits=bits).bound for bits in (32, 16))
    assert np.log2(coarse / fine) == pytest.approx(16, abs=1)


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
def test_the_c_code_gives_the_same_words(tmp_path, planar, motion):
    made = FixedController.along(ComputedTorque(planar, 2e-3), motion)
    for name, text in made.c_files().items():
        (tmp_path / name).write_text(text, "ascii")
    done = subprocess.run(["make", "-C", tmp_path, "test", "CC=gcc"], capture_output=True, text=True)
    assert "controller_step: 0 of 24 states wrong" in done.stdout, done.stdout + done.stderr
    source = (tmp_path / "controller_step.c").read_text()
    assert "double" not in source
    assert "float" not in source


def test_a_number_outside_its_range_is_set_to_the_end(planar, motion):
    made = FixedController.along(ComputedTorque(planar, 2e-3), motion)
    wanted = np.concatenate([motion(0.0).q, np.zeros(4)])
    high = made.ranges["q"][:, 1]
    at, beyond = (made.torques(q, np.zeros(2), wanted) for q in (high, high + 1.0))
    assert beyond == pytest.approx(at, abs=1e-5)


def test_what_has_no_ranges_is_refused(planar, motion):
    with pytest.raises(ArgumentError, match="joint-pid keeps numbers from period to period"):
        FixedController.along(JointPID(planar, 2e-3), motion)
    with pytest.raises(
        ArgumentError, match="ranges has q; expected q, qd, q_wanted, qd_wanted, qdd_wanted"
    ):
        FixedController(ComputedTorque(planar, 2e-3), {"q": [[0, 1], [0, 1]]})
    with pytest.raises(ArgumentError, match="a state with NaN has no words"):
        FixedController.along(ComputedTorque(planar, 2e-3), motion).torques(
            [np.nan, 0], [0, 0], np.zeros(6)
        )
