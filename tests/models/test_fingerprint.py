"""What tells models apart: every field of everything in them, changed one by one."""

from dataclasses import replace

import pytest

import strobe
from reliability.fields import changed, filled
from strobe.algebra import Motion, Pose, Vec3
from strobe.errors import Fault
from strobe.models.differences import changes, differences, from_letters, letters
from strobe.models.feet import Foot
from strobe.models.fingerprint import UNSEEN, described, digest, fingerprint, plain, seen
from strobe.models.joints import Friction, Limits, Motor
from strobe.models.model import Coupling, Curve, Loop, Model
from strobe.models.uncertainty import Uncertainty

OF_PEOPLE = ("Fault.", "Uncertainty.")  # what no kernel sees
WITHOUT_EFFECT = {f"Model.{name}" for name in (*UNSEEN, "name")}


@pytest.fixture(scope="module")
def model() -> Model:
    """A model that has one of everything."""
    plain = strobe.load("planar3").model
    first, *others = plain.bodies
    joint = replace(
        first.joint,
        limits=Limits(-1.0, 0.5, 2.0, 3.0, 4.0),
        motor=Motor(1e-4, 30.0, 0.1, (0.2, -0.3), 0.9),
        friction=Friction(0.4, (0.5, -0.6)),
    )
    frame = plain.frames[-1]
    return replace(
        plain,
        bodies=(replace(first, joint=joint, before=Pose.at((0.1, 0.2, 0.3), (0.4, 0.0, 0.0))), *others),
        gravity=Motion(Vec3.zero(), Vec3(0.0, -9.8, 0.1)),
        frames=(*plain.frames, replace(frame, name="hook", placement=Pose.at((0.0, 0.1, 0.0)))),
        couplings=(Coupling("joint3", {"joint1": 0.5, "joint2": -0.25}, 0.1),),
        loops=(Loop("ring", frame.name, "hook", "distance", 0.3, (0, 1), True),),
        curves=(Curve("cam", "joint2", "joint1", (0.0, 1.0)),),
        actuated=("joint1",),
        feet=(Foot("hook", [(0, 0), (1, 0), (0, 1)]),),
        base_inertial=first.inertial,
        tip="hook",
        title="an arm",
        source="arm.urdf",
        kinematic_only="no masses",
        parameters={"l1": 0.4, "l2": 0.3},
        poses={"home": (0.0, 0.1, 0.2)},
        golden=({"q": (0.0, 0.0, 0.0)},),
        notes=(Fault("arm.urdf:1", "a note", topic="angles"),),
        uncertainty=Uncertainty(("Izz1", "v1"), (0.5, 0.1), ((0.1,), (0.0, 0.2)), ("v1",)),
    )


def test_whatever_of_a_model_is_changed_changes_its_fingerprint_unless_no_kernel_sees_it(model):
    found = {fingerprint(model)}
    for change in changed(model):
        if not change.field.startswith(OF_PEOPLE) and change.field not in WITHOUT_EFFECT:
            assert fingerprint(change.data) not in found, change.where
            found.add(fingerprint(change.data))
    assert len(found) > 200


def test_nothing_in_the_model_above_is_empty_so_that_every_field_there_is_was_changed(model):
    assert [name for name, holds in filled(model).items() if not holds] == []


def test_what_no_kernel_sees_is_not_in_what_kernels_are_given(model):
    bare, same = seen(model), fingerprint(model)
    assert all(getattr(bare, name) == empty for name, empty in UNSEEN.items())
    for change in changed(model):
        if change.field.startswith(OF_PEOPLE) or change.field in WITHOUT_EFFECT:
            assert fingerprint(change.data) == same, change.where


def test_models_read_twice_are_one():
    assert fingerprint(strobe.load("panda").model) == fingerprint(strobe.load("panda").model)


@pytest.mark.parametrize("pair", [(0.0, -0.0), (0.1, 0.1 + 2**-56), (1.0, True), ("a", None), ((), "")])
def test_values_that_are_not_the_same_are_told_apart(pair):
    assert digest(pair[0]) != digest(pair[1])


def test_numbers_are_told_apart_by_value_alone():
    import numpy as np

    assert digest(1, np.float64(0.5), np.int64(2), np.bool_(True)) == digest(1.0, 0.5, 2.0, True)


def test_what_cannot_be_told_from_others_is_refused():
    with pytest.raises(TypeError, match="a function is no plain data, and has no fingerprint"):
        plain(lambda: 0)
    with pytest.raises(TypeError, match="a mapping whose keys are no text"):
        plain({1: 2})


# -- what differs ---------------------------------------------------------------------------------------


def test_what_has_changed_is_named(model):
    body = model.bodies[1]
    joint = replace(body.joint, limits=replace(body.joint.limits, upper=1.0, effort=7.0))
    other = replace(model, bodies=(model.bodies[0], replace(body, joint=joint), *model.bodies[2:]))
    assert changes(described(model), other) == (
        'joint "joint2": limits.upper was Infinity and is 1.0; '
        'joint "joint2": limits.effort was Infinity and is 7.0'
    )
    assert changes(described(model), replace(model, frames=model.frames[:-1])) == (
        'frame "hook" is no longer there'
    )


@pytest.mark.slow
def test_every_change_of_a_model_has_words(model):
    before = described(model)
    for change in changed(model):
        if not change.field.startswith(OF_PEOPLE) and change.field not in WITHOUT_EFFECT:
            assert list(differences(before, described(change.data))), change.where


def test_two_of_one_name_stay_two(model):
    frame = model.frames[-1]
    twice = replace(model, frames=(*model.frames, frame, frame))
    assert sum(key.startswith('another frame "hook"') for key in described(twice)) == 1
    assert sum('frame "hook"' in key for key in described(twice)) == 3


def test_a_description_comes_back_from_its_letters_and_nothing_from_others(model):
    import numpy as np

    assert from_letters(letters(model)) == described(model)
    for array in (letters(model)[:-1], np.zeros(3, np.uint8), np.zeros(3), np.frombuffer(b"[1]", np.uint8)):
        assert from_letters(array) is None


def test_names_from_a_file_are_shown_without_what_a_terminal_would_act_on():
    (said,) = differences({"\x1b[2J": 1.0}, {})
    assert "\x1b" not in said
