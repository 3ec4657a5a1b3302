"""The robots that trials draw."""

import numpy as np

from reliability.random_trees import Shape, random_states, random_tree
from strobe.models.joints import KINDS
from strobe.quantities import Request
from strobe.robot import Robot


def test_joints_of_every_kind_are_drawn_and_stand_together():
    """Also of a kind that was added since the trial was written, with all that it asks for."""
    drawn = [random_tree(np.random.default_rng(seed), Shape(8)) for seed in range(40)]
    assert {joint.kind for model in drawn for joint in model.joints} == set(KINDS)


def test_states_are_drawn_of_every_kind_too():
    for seed in range(40):
        rng = np.random.default_rng(seed)
        kernel = Robot(random_tree(rng, Shape(8)), compiled=False).kernel(
            Request("forward_kinematics", frame="link8")
        )
        assert {name: x.shape for name, x in random_states(rng, kernel, 3).items()} == {
            name: (3, size) for name, size in kernel.inputs.items()
        }
