"""The robots that trials draw."""

import numpy as np

from reliability.random_trees import Shape, random_tree
from strobe.models.joints import KINDS


def test_joints_of_every_kind_are_drawn_and_stand_together():
    """Also of a kind that was added since the trial was written, with all that it asks for."""
    drawn = [random_tree(np.random.default_rng(seed), Shape(8)) for seed in range(40)]
    assert {joint.kind for model in drawn for joint in model.joints} == set(KINDS)
