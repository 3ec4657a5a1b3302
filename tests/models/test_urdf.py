"""URDF: what is read, from small texts and real robots; what is written computes the same."""

import math
import random
import sys
from contextlib import suppress
from dataclasses import replace
from itertools import permutations
from pathlib import Path

import pytest

from strobe.algebra import Inertia, Pose, Sym3, Vec3
from strobe.errors import ModelFileError, UnsupportedModelError
from strobe.formulations.kinematics import frame_pose
from strobe.formulations.spatial_newton_euler import inverse_dynamics
from strobe.models.assembly import SNAP
from strobe.models.couplings import coordinates
from strobe.models.default_frame import tip, tip_or_none
from strobe.models.inertial import Inertial
from strobe.models.load import load_model
from strobe.models.model import ROOT, Coupling, Frame, Model
from strobe.models.urdf import read_urdf
from strobe.models.urdf_writer import write_urdf


def installed(package: str, folder: str) -> Path:
    """A folder of models that a test dependency has put beside the installed packages."""
    for entry in sys.path:
        if (Path(entry) / folder).is_dir():
            return Path(entry) / folder
    pytest.skip(f"the package {package} is not installed")


@pytest.fixture(scope="module")
def robots() -> Path:
    return installed("example-robot-data", "cmeel.prefix/share/example-robot-data/robots")


def state(model: Model, seed: int = 0) -> tuple[list[float], list[float], list[float]]:
    """A position (quaternions need not be of unit length), velocities and accelerations."""
    draw = random.Random(seed).uniform
    q, qd, qdd = ([draw(-2, 2) for _ in range(n)] for n in (model.nq, model.nv, model.nv))
    return q, qd, qdd


def torques(model: Model, *motion: list[float]) -> list[float]:
    return [float(t) for t in inverse_dynamics(model, *(motion or state(model)))]  # pyright: ignore


def two_links(joint: str = "", link: str = "", kind: str = "revolute") -> str:
    """A robot of two links: ``joint`` is what stands inside its joint, ``link`` inside its tip."""
    return (
        f'<robot name="two"><link name="base"/><link name="tip">{link}</link>\n'
        f'<joint name="elbow" type="{kind}"><parent link="base"/><child link="tip"/>{joint}</joint></robot>'
    )


LIMIT = '<limit lower="-1" upper="2" velocity="3" effort="4"/>'
INERTIAL = (
    '<inertial><origin xyz="0.1 0.2 0.3" rpy="{rpy}"/><mass value="2"/>'
    '<inertia ixx="{ixx}" iyy="0.4" izz="0.3" ixy="0.01" ixz="0.02" iyz="0.03"/></inertial>'
)


def read(joint: str = LIMIT, link: str = "", kind: str = "revolute", **options: float | bool) -> Model:
    return read_urdf("two.urdf", text=two_links(joint, link, kind), **options)  # pyright: ignore


def only_note(model: Model) -> str:
    (note,) = model.notes
    return f"{note.severity}: {note}"


# -- joints ---------------------------------------------------------------------------------------------


def test_an_axis_that_is_not_stated_is_x() -> None:
    joint = read().joints[0]
    assert (joint.axis, joint.sign) == (0, 1)


def test_limits_damping_and_friction_are_kept() -> None:
    joint = read(LIMIT + '<dynamics damping="0.5" friction="0.25"/>').joints[0]
    assert (joint.limits.lower, joint.limits.upper) == (-1, 2)
    assert (joint.limits.velocity, joint.limits.effort) == (3, 4)
    assert joint.friction.viscous == 0.5
    assert joint.friction.coulomb == (0.25, -0.25)


def test_a_continuous_joint_has_no_bounds() -> None:
    limits = read(LIMIT, kind="continuous").joints[0].limits
    assert (limits.lower, limits.upper, limits.velocity) == (-math.inf, math.inf, 3)


def test_a_revolute_joint_without_limits_loads_with_a_warning() -> None:
    model = read("")
    assert model.joints[0].limits.upper == math.inf
    assert only_note(model) == (
        'warning: two.urdf:2: joint "elbow" is revolute and has no <limit>; treated as unlimited.'
    )


def test_reversed_limits_mean_none_and_are_warned_of() -> None:
    model = read('<limit lower="1" upper="-1" velocity="3" effort="4"/>')
    assert (model.joints[0].limits.lower, model.joints[0].limits.upper) == (-math.inf, math.inf)
    assert only_note(model) == (
        'warning: two.urdf:2: joint "elbow" has lower limit 1 above upper limit -1; treated as unlimited.'
    )


def test_a_strict_reader_refuses_what_a_lenient_one_warns_of() -> None:
    with pytest.raises(ModelFileError, match="treated as unlimited"):
        read("", strict=True)


def test_an_axis_that_is_not_a_unit_vector_is_normalised_with_a_note() -> None:
    model = read(LIMIT + '<axis xyz="0 0 -2"/>')
    assert (model.joints[0].axis, model.joints[0].sign) == (2, -1)
    assert (
        only_note(model) == 'note: two.urdf:2: joint "elbow" has axis (0, 0, -2) of length 2; normalised.'
    )


def test_an_oblique_axis_turns_about_itself() -> None:
    model = read(LIMIT + '<axis xyz="0.6 0 0.8"/>')
    along = model.bodies[0].pose([0.7]).direction(Vec3(0.6, 0.0, 0.8))
    (column,) = model.bodies[0].S.columns
    for axis in (along, column.angular):
        assert list(axis) == pytest.approx([0.6, 0, 0.8], abs=1e-15)


def test_angles_a_hair_off_a_right_angle_are_snapped() -> None:
    origin = f'<origin rpy="{math.pi / 2 + 1e-12} 0 0"/>'
    R = read(LIMIT + origin).bodies[0].before.rotation
    assert [list(row) for row in R] == [[1, 0, 0], [0, 0, -1], [0, 1, 0]]


def test_right_angles_in_few_digits_are_kept_and_noted_once() -> None:
    model = read(LIMIT + '<origin rpy="1.5708 0 -1.5708"/>')
    assert only_note(model) == (
        'note: two.urdf:2: joint "elbow" has rpy "1.5708 0 -1.5708", close to right angles but not equal '
        "to them; kept. Load with snap=1e-4 if right angles are meant."
    )
    assert 0 < abs(float(model.bodies[0].before.rotation.a.x)) < 1e-4  # pyright: ignore


def test_right_angles_in_few_digits_are_snapped_on_request() -> None:
    model = read(LIMIT + '<origin rpy="1.5708 0 -1.5708"/>', snap=1e-4)
    assert model.notes == ()
    assert model.bodies[0].before.rotation.a.x == 0


@pytest.mark.parametrize(
    ("kind", "sizes"), [("spherical", (4, 3)), ("floating", (7, 6)), ("fixed", (0, 0))]
)
def test_joints_of_several_degrees_and_of_none_are_read(kind: str, sizes: tuple[int, int]) -> None:
    model = read("", kind=kind)
    assert (model.nq, model.nv) == sizes
    assert [frame.name for frame in model.frames] == ["base", "tip"]


def test_a_mimic_joint_becomes_a_coupling() -> None:
    extra = (
        '<link name="c"/><joint name="slave" type="continuous"><parent link="tip"/><child link="c"/>'
        '<mimic joint="elbow" multiplier="-2" offset="0.5"/></joint></robot>'
    )
    model = read_urdf("m.urdf", text=two_links(LIMIT).replace("</robot>", extra))
    (coupling,) = model.couplings
    assert (coupling.joint, coupling.terms, coupling.offset) == ("slave", {"elbow": -2.0}, 0.5)


def test_a_mimic_of_a_mimic_follows_both() -> None:
    def follower(name: str, parent: str, mimic: str) -> str:
        return (
            f'<link name="{name}"/><joint name="{name}" type="continuous"><parent link="{parent}"/>'
            f'<child link="{name}"/><mimic {mimic}/></joint>'
        )

    first = follower("c", "tip", 'joint="elbow" multiplier="-2" offset="0.5"')
    second = follower("d", "c", 'joint="c" multiplier="3" offset="1"')
    text = two_links(LIMIT).replace("</robot>", first + second + "</robot>")
    x = coordinates(read_urdf("m.urdf", text=text))
    assert (x.nq, [joint.name for joint in x.joints]) == (1, ["elbow"])
    assert x.expand([0.1]) == pytest.approx([0.1, 0.3, 1.9])


def test_a_mimic_on_a_fixed_joint_is_only_noted() -> None:
    extra = (
        '<link name="c"/><joint name="still" type="fixed"><parent link="tip"/><child link="c"/>'
        '<mimic joint="elbow"/></joint></robot>'
    )
    model = read_urdf("m.urdf", text=two_links(LIMIT).replace("</robot>", extra))
    assert model.couplings == ()
    assert only_note(model) == 'note: m.urdf:2: joint "still" is fixed; its <mimic> has no effect.'


def test_a_misspelled_element_is_pointed_out() -> None:
    model = read(link=INERTIAL.format(rpy="0 0 0", ixx=0.5).replace("inertial>", "inertal>"))
    assert only_note(model) == (
        'warning: two.urdf:1: link "tip": unknown element <inertal> is passed over. Did you mean '
        "<inertial>?"
    )


@pytest.mark.parametrize(
    ("joint", "sentence"),
    [
        ('<origin xzy="0 0 1"/>', "unknown attribute xzy of <origin> is passed over. Did you mean 'xyz'?"),
        (
            '<origin xyz="0 0 1" rpz="0 0 1"/>',
            "unknown attribute rpz of <origin> is passed over. Did you mean 'rpy'?",
        ),
        (
            '<origin xyz="0 0 1" quat_xyzw="0 0 0 1"/>',
            "unknown attribute quat_xyzw of <origin> is passed over.",
        ),
        ('<dynamics dampign="1"/>', "unknown attribute dampign of <dynamics> is passed over. Did you mean"),
        (
            '<mimic joint="elbow" Multiplier="2"/>',
            "unknown attribute Multiplier of <mimic> is passed over. Did you mean 'multiplier'?",
        ),
        ("<Axis/>", "unknown element <Axis> is passed over. Did you mean <axis>?"),
        ("<axes/>", "unknown element <axes> is passed over. Did you mean <axis>?"),
        ("<pose/>", "unknown element <pose> is passed over."),
    ],
)
def test_what_is_misspelled_in_a_joint_is_pointed_out(joint: str, sentence: str) -> None:
    extra = (
        f'<link name="c"/><joint name="last" type="continuous"><parent link="tip"/><child link="c"/>{joint}'
        "</joint></robot>"
    )
    note = only_note(read_urdf("m.urdf", text=two_links(LIMIT).replace("</robot>", extra)))
    assert note.startswith(f'warning: m.urdf:2: joint "last": {sentence}')


def test_a_misspelled_limit_is_pointed_out() -> None:
    note = only_note(read('<limit lowr="-1" upper="2" velocity="3" effort="4"/>'))
    assert note == (
        'warning: two.urdf:2: joint "elbow": unknown attribute lowr of <limit> is passed over. '
        "Did you mean 'lower'?"
    )


def test_foreign_attributes_beside_the_right_ones_are_only_noted() -> None:
    limit = LIMIT.replace("/>", ' gear_velocity="7" current="8"/>')
    assert only_note(read(limit)) == (
        'note: two.urdf:2: joint "elbow": of <limit> nothing is made of gear_velocity, current.'
    )


@pytest.mark.parametrize("tag", ["origin", "mass", "inertia"])
def test_the_first_of_two_elements_of_an_inertial_is_used_with_a_warning(tag: str) -> None:
    inertial = INERTIAL.format(rpy="0 0 0", ixx=0.5)
    second = {
        "origin": '<origin xyz="9 9 9"/>',
        "mass": '<mass value="9"/>',
        "inertia": '<inertia ixx="9" iyy="9" izz="9" ixy="0" ixz="0" iyz="0"/>',
    }[tag]
    model = read(link=inertial.replace("</inertial>", f"{second}</inertial>"))
    assert only_note(model) == f'warning: two.urdf:1: link "tip" has 2 <{tag}>; the first is used.'
    assert list(model.bodies[0].inertial.central) == [0.5, 0.4, 0.3, 0.01, 0.02, 0.03]  # pyright: ignore


@pytest.mark.parametrize("second", ['<axis xyz="0 0 1"/>', LIMIT, '<origin xyz="1 1 1"/>'])
def test_the_first_of_two_elements_of_a_joint_is_used_with_a_warning(second: str) -> None:
    first = '<axis xyz="0 1 0"/><origin xyz="0 0 1"/>' + LIMIT
    assert "has 2 <" in only_note(read(first + second))


def test_real_files_meet_few_warnings_of_slips(robots: Path) -> None:
    found = []
    for path in sorted(robots.glob("**/*.urdf")):
        with suppress(ModelFileError):
            found += [note for note in read_urdf(path).notes if "passed over" in note.text]
    assert {note.text for note in found if note.severity == "warning"} == {
        'link "gripper_frame_link": unknown element <origin> is passed over.'
    }


def test_a_robot_without_a_name_takes_that_of_its_file() -> None:
    model = read_urdf("some/arm.urdf", text='<robot><link name="base"/></robot>')
    assert model.name == "arm"
    assert only_note(model).endswith('<robot> has no name; the file\'s own, "arm", is used.')


def test_undeclared_prefixes_and_foreign_elements_are_passed_over() -> None:
    text = two_links(LIMIT).replace(
        "</robot>", "<drake:tag/><gazebo><link/></gazebo><transmission/></robot>"
    )
    assert read_urdf("two.urdf", text=text).notes == ()


# -- mass properties ------------------------------------------------------------------------------------


def test_an_inertia_is_turned_from_its_own_axes_into_those_of_the_link() -> None:
    plain = read(link=INERTIAL.format(rpy="0 0 0", ixx=0.5)).bodies[0].inertial
    turned = read(link=INERTIAL.format(rpy=f"0 0 {math.pi / 2}", ixx=0.5)).bodies[0].inertial
    assert list(plain.central) == [0.5, 0.4, 0.3, 0.01, 0.02, 0.03]  # pyright: ignore
    assert list(turned.central) == [0.4, 0.5, 0.3, -0.01, -0.03, 0.02]  # pyright: ignore
    assert list(turned.com) == [0.1, 0.2, 0.3]  # pyright: ignore


def test_a_link_without_inertial_weighs_nothing() -> None:
    assert read().bodies[0].inertial.is_zero()


def test_the_mass_of_the_root_link_is_kept_for_the_base() -> None:
    text = two_links(LIMIT).replace('<link name="base"/>', f'<link name="base">{INERTIAL}</link>')
    model = read_urdf("two.urdf", text=text.format(rpy="0 0 0", ixx=0.5))
    assert model.base_inertial.m == 2


# -- real robots ----------------------------------------------------------------------------------------

FAULTY = {  # real files with real faults, and what they are
    "alex_psyonic_hands.urdf": 'joint "Left_index_q2" mimics "index_q1", which does not exist.',
    "falcon.urdf": 'names the child link "Z_propeller", which does not exist.',
    "ur3.urdf": "no links: a robot needs at least one.",
}


def test_every_real_robot_loads_or_says_what_is_wrong(robots: Path) -> None:
    files = sorted(robots.glob("**/*.urdf"))
    assert len(files) > 60
    refused = {}
    for path in files:
        try:
            model = read_urdf(path)
        except ModelFileError as error:
            refused[path.name] = str(error)
        else:
            assert len({frame.name for frame in model.frames}) == len(model.frames)
    assert set(refused) <= set(FAULTY)
    for name, text in refused.items():
        assert FAULTY[name] in text


@pytest.mark.parametrize(
    "path",
    [
        "panda_description/urdf/panda.urdf",
        "anymal_b_simple_description/robots/anymal.urdf",
        "allegro_hand_description/urdf/allegro_left_hand.urdf",
        "talos_data/robots/talos_full_v2.urdf",
        "icub_description/robots/icub_reduced.urdf",
        "double_pendulum_description/urdf/double_pendulum.urdf",
        "tiago_pro_description/robots/tiago_pro.urdf",
    ],
)
def test_a_real_robot_survives_writing_and_reading(robots: Path, path: str) -> None:
    model = read_urdf(robots / path)
    again, remarks = round_trip(model)
    assert remarks == []
    assert {c.joint: c for c in again.couplings} == {c.joint: c for c in model.couplings}
    assert [joint.limits for joint in again.joints] == [joint.limits for joint in model.joints]
    assert [joint.friction for joint in again.joints] == [joint.friction for joint in model.joints]


# -- writing --------------------------------------------------------------------------------------------


def round_trip(model: Model, snap: float = SNAP) -> tuple[Model, list[str]]:
    """The model written and read, after asserting that it moves, weighs and stands as before.

    Frames agree to the angle within which the reader takes an angle for a right one.
    """
    text, remarks = write_urdf(model)
    again = read_urdf("again.urdf", text=text, snap=snap)
    again = again.with_gravity(model.gravity.linear)
    assert again.joint_names == model.joint_names
    q, qd, qdd = state(model)
    expected = torques(model, q, qd, qdd)
    scale = max(map(abs, expected), default=1.0)
    assert torques(again, q, qd, qdd) == pytest.approx(expected, rel=0, abs=1e-12 * scale)
    for frame in model.frames:
        placed, expected_place = (frame_pose(m, q, m.frame(frame.name)).matrix() for m in (again, model))
        for row, expected_row in zip(placed.rows, expected_place.rows, strict=True):
            assert row == pytest.approx(expected_row, abs=max(snap, 1e-12))
    return again, remarks


@pytest.mark.parametrize("name", ["stanford", "puma560", "panda", "ur5", "biped10", "planar3"])
def test_a_built_in_robot_survives_as_urdf(name: str) -> None:
    model = load_model(name)
    again, _ = round_trip(model)
    assert again.nv == model.nv


def test_mixed_joints_and_oblique_axes_survive() -> None:
    model = load_model("random(9, 3)")
    again, _ = round_trip(model)
    assert [joint.kind for joint in again.joints] == [joint.kind for joint in model.joints]


@pytest.mark.parametrize("kind", ["spherical", "floating", "prismatic", "continuous"])
def test_every_kind_of_joint_survives(kind: str) -> None:
    joint = LIMIT + '<axis xyz="0.48 0.6 0.64"/><origin xyz="1 2 3" rpy="0.3 -0.4 0.5"/>'
    model = read(joint, INERTIAL.format(rpy="0.1 0.2 0.3", ixx=0.5), kind)
    again, remarks = round_trip(model)
    assert again.joints[0].kind == kind
    assert remarks == (
        ['joint "elbow" is spherical, which few readers of URDF know.'] if kind == "spherical" else []
    )


def test_a_pitch_close_to_a_right_angle_survives() -> None:
    for off in (1e-6, 1e-8, 3e-10, 1e-12):
        origin = f'<origin xyz="1 2 3" rpy="0.3 {math.pi / 2 - off} 0.5"/><axis xyz="0.6 0 0.8"/>'
        model = read(LIMIT + origin, INERTIAL.format(rpy="0 0 0", ixx=0.5), snap=0.0)
        again, remarks = round_trip(model, snap=0.0)
        assert (again.joint_names, remarks) == (model.joint_names, [])


def test_a_revolute_joint_without_bounds_is_written_as_continuous() -> None:
    again, _ = round_trip(read(""))
    assert again.joints[0].kind == "continuous"


def test_a_slide_without_bounds_stays_without() -> None:
    again, _ = round_trip(read("", kind="prismatic"))
    assert again.joints[0].limits == read("", kind="prismatic").joints[0].limits


def test_names_that_need_escaping_survive() -> None:
    text = two_links(LIMIT).replace('"tip"', '"a &lt;&amp;&quot; b"')
    again, _ = round_trip(read_urdf("two.urdf", text=text))
    assert again.bodies[0].name == 'a <&" b'


def test_what_urdf_cannot_say_is_remarked_on() -> None:
    _, remarks = round_trip(load_model("puma560"))
    assert 'joint "joint1" loses its rotor inertia of 0.78403: URDF has no place for it.' in remarks
    assert (
        'joint "joint1" has Coulomb friction 24.7314 forwards and 27.2358 backwards; URDF has one value, '
        "and their mean 25.9836 is written." in remarks
    )


def test_gravity_that_readers_would_not_assume_is_remarked_on() -> None:
    _, remarks = write_urdf(load_model("planar2"))
    assert "gravity (0, -9.81, 0) is lost: URDF has no place for it. State it when loading." in remarks


def test_a_coupling_to_several_joints_is_remarked_on() -> None:
    model = load_model("planar3")
    first, second, third = model.joint_names
    model = replace(model, couplings=(Coupling(third, {first: 1.0, second: 1.0}),))
    text, remarks = write_urdf(model)
    assert "mimic" not in text
    assert f'joint "{third}" follows 2 joints, URDF can say one: the coupling is lost.' in remarks


def test_a_held_joint_is_remarked_on() -> None:
    model = load_model("planar2")
    model = replace(model, couplings=(Coupling(model.joint_names[1], {}, 0.1),))
    text = f'joint "{model.joint_names[1]}" is held at 0.1, which URDF cannot say: it moves freely there.'
    assert f"{text} Lock it before writing." in write_urdf(model)[1]


def test_that_a_robot_is_for_kinematics_only_is_remarked_on() -> None:
    model = replace(load_model("planar2"), kinematic_only="its masses are not published.")
    assert (
        "that the model is for kinematics only is lost: URDF has no place for it. Do not use its dynamics: "
        "its masses are not published." in write_urdf(model)[1]
    )


FRAMES_ON = {
    "needle": 1,
    "lens": 1,
    "camera": 0,
    "mark": ROOT,
}  # frames, and the bodies of planar2 that carry them


@pytest.mark.parametrize("order", list(permutations(FRAMES_ON)))
@pytest.mark.parametrize("deep", ["camera", "lens", "needle"])
def test_the_tip_of_a_chain_stays_the_tip(order: tuple[str, ...], deep: str) -> None:
    model = load_model("planar2")
    extra = [Frame(name, FRAMES_ON[name], Pose.at((0.1, 0.2, 0.3)), 1 + (name == deep)) for name in order]
    kept = [frame for frame in model.frames if frame.name != "tool"]
    model = replace(model, frames=(*kept, *extra))
    again, remarks = round_trip(model)
    assert tip(again) == tip(model) != "link2"
    assert tip(model) == deep or FRAMES_ON[deep] != 1
    assert not any("tip" in remark for remark in remarks)


def test_a_real_robot_keeps_the_order_of_its_frames(robots: Path) -> None:
    model = read_urdf(robots / "tiago_pro_description/robots/tiago_pro.urdf")
    again, _ = round_trip(model)
    assert [frame.name for frame in again.frames] == [frame.name for frame in model.frames]


def test_a_tip_that_the_written_file_does_not_have_is_remarked_on() -> None:
    cut, said = round_trip(load_model("parallelogram"))  # its loop, which makes two ends one, is lost
    assert tip_or_none(cut) is None
    assert (
        'the tip, "pin_on_link4", is meant where no frame is named; the written file has none. Name the frame.'
        in said
    )
    chosen = replace(load_model("panda"), tip="flange")
    again, said = round_trip(chosen)
    assert tip(again) == "tool"
    assert (
        'the tip, "flange", is meant where no frame is named; of the written file it is "tool". Name the frame.'
        in said
    )


def test_a_first_moment_without_mass_is_refused_by_name() -> None:
    model = read()
    odd = Inertial.of(Inertia(0.0, Vec3(1.0, 0.0, 0.0), Sym3.zero()))
    model = replace(model, bodies=(replace(model.bodies[0], inertial=odd),))
    with pytest.raises(UnsupportedModelError, match='link "tip" has mass 0 and a first moment'):
        write_urdf(model)
