"""Customised recursions of arms by their pattern of zeros."""

import pytest

from strobe.formulations import FORMULATIONS
from strobe.models.load import load_model
from strobe.papers.arm_patterns import PATTERNS, arm, customised, customised_general, principal

GOLDEN = {  # all ten parameters; base parameters
    "PUMA 560": ((296, 281), (259, 240)),
    "RX-90": ((284, 269), (247, 228)),
    "Stanford arm": ((258, 243), (227, 209)),
    "UR": ((301, 286), (262, 244)),
    "UR, d6 = 0": ((295, 280), (257, 239)),
    "KUKA iiwa": ((340, 322), (297, 275)),
    "Panda": ((359, 340), (314, 291)),
}


@pytest.mark.parametrize("name", PATTERNS)
def test_an_arm_costs_what_its_zeros_leave(name):
    model = arm(PATTERNS[name])
    assert (customised(model, base=False), customised(model)) == GOLDEN[name]


def test_general_arms_of_three_to_eight_joints_are_linear():
    assert customised_general() == {n: (87 * n - 110, 75 * n - 103) for n in range(3, 9)}
    assert customised_general(base=False) == {n: (96 * n - 119, 84 * n - 111) for n in range(3, 9)}


def test_principal_axes_save_a_third_on_the_stanford_arm():
    assert customised(arm(PATTERNS["Stanford arm"], principal), base=False) == (174, 129)


def test_a_robot_of_the_library_costs_what_its_pattern_does():
    assert customised(load_model("panda")) == GOLDEN["Panda"][1]


def test_an_arm_of_a_pattern_is_an_arm():
    model = arm(PATTERNS["Stanford arm"])
    assert [joint.kind for joint in model.joints] == [
        "revolute", "revolute", "prismatic", "revolute", "revolute", "revolute",
    ]  # fmt: skip
    state = [0.3] * 6
    one, other = (
        FORMULATIONS[name].inverse_dynamics(model, state, state, state)
        for name in ("newton-euler", "uicker-kahn")
    )
    assert one == pytest.approx(other, rel=1e-12)
