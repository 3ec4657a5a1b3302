"""Torques by every formulation, beside those that a model keeps."""

from __future__ import annotations

from dataclasses import replace

import pytest

import strobe
from strobe.robot import Robot
from strobe.study import SECTIONS, study


@pytest.mark.parametrize("name", ["stanford", "biped10"])
def test_torques_that_nobody_published_are_called_reference_torques(name: str) -> None:
    told = _told(strobe.load(name))
    assert told.startswith("the model's reference torques are met to ")


def test_torques_with_a_source_are_called_published_by_it() -> None:
    model = strobe.load("planar2").model
    golden = ({**model.golden[0], "source": "Somebody 1999, table 3"},)
    told = _told(Robot(replace(model, golden=golden), compiled=False))
    assert told.startswith("the published torques (Somebody 1999, table 3) are met to ")


def _told(robot: Robot) -> str:
    data = study(robot, quick=True, sections=["torques"]).sections["torques"]
    return next(str(line) for line in SECTIONS["torques"].render(data) if "torques" in str(line))
