"""The frame that is meant where none is named: the tip of a chain, or a sentence that offers the tips of several."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import strobe
from strobe.errors import StillFrameError, TipError
from strobe.models.default_frame import frame_meant, hands, moved_frames, rivals, tip, tip_or_none, tips
from strobe.models.edits import add_frame, lock, take_chain
from strobe.models.load import load_model
from strobe.models.model import Model
from strobe.models.toml_reader import read_toml
from strobe.models.toml_writer import write_toml
from strobe.models.urdf import read_urdf
from strobe.models.urdf_writer import write_urdf
from strobe.robot import Robot

LINK = (
    '<link name="{}"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
    "</inertial></link>"
)
JOINT = (
    '<joint name="to_{1}" type="{2}"><parent link="{0}"/><child link="{1}"/><origin xyz="0.1 0.2 0.3"/>'
    '<axis xyz="0 1 0"/>{3}</joint>'
)
MIMIC = '<mimic joint="{}" multiplier="{}"/>'


def urdf(text: str) -> str:
    """A robot out of lines "parent > child", a moving joint, "parent = child", a fixed one, or "parent ~ child"."""
    pairs = [line.split() for line in text.strip().splitlines()]
    kinds = {">": "continuous", "=": "fixed", "~": "continuous"}
    names = dict.fromkeys(name for line in pairs for name in (line[0], line[2]))
    joints = [
        JOINT.format(a, b, kinds[how], MIMIC.format(*rest) if how == "~" else "")
        for a, how, b, *rest in pairs
    ]
    return f'<robot name="arm">{"".join(map(LINK.format, names))}{"".join(joints)}</robot>'


def built(text: str, folder: Path) -> Model:
    path = folder / "arm.urdf"
    path.write_text(urdf(text))
    return read_urdf(path)


CHAIN = "base > upper\nupper > fore\n"

MEANT = {
    "the end of the fixed chain": (CHAIN + "fore = flange\nflange = pen\nfore = cover", "pen"),
    "not the last frame of the file, which rests": (CHAIN + "fore = pen\nbase = table", "pen"),
    "not the last frame of the file, on another link": (CHAIN + "fore = pen\nupper = camera\ncamera = lens", "pen"),
    "the link itself, where nothing is fixed to it": (CHAIN + "upper = camera", "fore"),
    "a tool rather than what lies deeper": (CHAIN + "fore = tool0\nfore = camera\ncamera = lens", "tool0"),
    "tool0 rather than ee_link, whatever their order": (CHAIN + "fore = tool0\nfore = ee_link", "tool0"),
    "a tool centre point before all": (CHAIN + "fore = my_hand\nmy_hand = my_hand_tcp\nfore = tool0", "my_hand_tcp"),
    "not what only contains such a word": (CHAIN + "fore = hand_camera\nhand_camera = lens", "lens"),
    "a word behind a prefix and before link": (CHAIN + "fore = l/EndEffector_link\nfore = pad", "l/EndEffector_link"),
    "of equals the last": (CHAIN + "fore = this\nfore = that", "that"),
    "the hand of a gripper": (CHAIN + "fore = hand\nhand > finger_1\nhand > finger_2", "hand"),
    "the hand, the fingers of which follow": (CHAIN + "fore = hand\nhand > f1\nhand ~ f2 to_f1 -1", "hand"),
    "a lone jaw, which is the last joint": (CHAIN + "fore = hand\nhand > jaw", "jaw"),
    "not what follows with a factor of zero": ("base > arm\nbase ~ stuck to_arm 0\nstuck = pad", "arm"),
}  # fmt: skip


@pytest.mark.parametrize("what", MEANT)
def test_the_tip_is(what: str, tmp_path: Path) -> None:
    text, expected = MEANT[what]
    model = built(text, tmp_path)
    assert tip(model) == expected
    robot = Robot(model, compiled=False)
    assert robot.tip == expected
    q, _, _ = robot.random_state(seed=1)
    assert np.array_equal(robot.jacobian(q), robot.jacobian(q, expected))
    assert robot.jacobian(q).any()


SEVERAL = {
    "two fingers without a hand": (CHAIN + "fore > f1\nfore > f2", ("f1", "f2")),
    "arms": (
        "base > left\nbase > right\nleft = left_tool\nright = right_tool",
        ("left_tool", "right_tool"),
    ),
    "legs and an arm": ("base > leg\nleg = foot\nbase > arm\narm = tool0", ("foot", "tool0")),
    "hands with fingers": (
        "base > l\nl = l_hand\nl_hand > l1\nl_hand > l2\nbase > r\nr = r_hand\nr_hand > r1\nr_hand > r2",
        ("l_hand", "r_hand"),
    ),
    "a tool on the base is no hand": ("base = tool0\nbase > a\nbase > b", ("a", "b")),
}


@pytest.mark.parametrize("what", SEVERAL)
def test_several_ends_ask_for_a_name_and_offer_one_each(what: str, tmp_path: Path) -> None:
    text, offered = SEVERAL[what]
    model = built(text, tmp_path)
    assert tips(model) == hands(model) == offered
    assert tip_or_none(model) is None
    with pytest.raises(TipError) as refused:
        tip(model)
    first, last = ", ".join(f'"{name}"' for name in offered[:-1]), offered[-1]
    assert str(refused.value) == (
        f'arm ends in {len(offered)} tips, and no frame was named. Name the frame, for example {first} or "{last}".'
    )
    robot = Robot(model, compiled=False)
    q, qd, qdd = robot.random_state(seed=2)
    for asked in (
        lambda **frame: robot.forward_kinematics(q, **frame),
        lambda **frame: robot.jacobian(q, **frame),
        lambda **frame: robot.inverse_dynamics(q, qd, qdd, wrench=np.ones(6), **frame),
        lambda **frame: robot.with_payload(1.0, **frame),
        lambda **frame: robot.with_frame("there", **frame),
        lambda **frame: robot.simulate(q, qd, None, 0.01, payload=[1.0, 0, 0, 0], **frame),
    ):
        with pytest.raises(TipError):
            asked()
        asked(frame=offered[0])
    assert robot.simulate(q, qd, None, 0.01).done  # where no frame is needed none is asked for


def test_many_tips_are_offered_in_part(tmp_path: Path) -> None:
    model = built("\n".join(f"base > leg{k}" for k in range(15)), tmp_path)
    with pytest.raises(TipError, match='"leg10", "leg11" or 3 more.$'):
        tip(model)


def test_where_nothing_moves_there_is_no_tip(tmp_path: Path) -> None:
    robot = Robot(built("base = table", tmp_path), compiled=False)
    with pytest.raises(
        StillFrameError, match="^no joint of arm moves a frame: name one where its place is all"
    ):
        robot.forward_kinematics(np.zeros(0))
    assert np.allclose(robot.forward_kinematics(np.zeros(0), "table")[:3, 3], [0.1, 0.2, 0.3])


# -- what no joint moves ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "asked",
    [
        lambda r, q, **k: r.jacobian(q, "table"),
        lambda r, q, **k: r.jacobian_dot(q, q, "table"),
        lambda r, q, **k: r.jacobian_derivative(q, "table"),
        lambda r, q, **k: r.point_jacobian(q, "table", [0.0, 0, 0]),
        lambda r, q, **k: r.manipulability(q, "table"),
        lambda r, q, **k: r.inverse_velocity(q, np.ones(6), "table"),
        lambda r, q, **k: r.inverse_kinematics(np.eye(4), "table"),
        lambda r, q, **k: r.inverse_kinematics(np.eye(4), "table", method="numeric"),
        lambda r, q, **k: r.inverse_dynamics(q, q, q, wrench=np.ones(6), frame="table"),
        lambda r, q, **k: r.forward_dynamics(q, q, q, wrench={"table": np.ones(6)}),
        lambda r, q, **k: r.explain(q, q, q, wrench=np.ones(6), frame="table"),
        lambda r, q, **k: r.with_payload(5.0, frame="table"),
        lambda r, q, **k: r.simulate(q, q, None, 0.1, payload=[5.0, 0, 0, 0], frame="table"),
        lambda r, q, **k: r.simulate(q, q, None, 0.1, wrench={"table": np.ones(6)}),
        lambda r, q, **k: r.simulate(q, q, None, 0.1, events=[strobe.simulate.Attach(0.05, 1.0, frame="table")]),
        lambda r, q, **k: r.export("jacobian", frame="table"),
        lambda r, q, **k: r.export("forward_kinematics", frame="table"),
        lambda r, q, **k: r.export("inverse_dynamics", wrench=["table"]),
        lambda r, q, **k: r.compile(strobe.quantities.Request("jacobian", frame="table")),
        lambda r, q, **k: r.equations().jacobian("table"),
        lambda r, q, **k: r.in_coordinates([[1.0, 0], [0, 1]]).jacobian(q, "table"),
    ],
)  # fmt: skip
def test_what_is_asked_of_a_frame_at_rest_is_refused(asked, tmp_path: Path) -> None:
    robot = Robot(built(CHAIN + "fore = pen\nbase = table", tmp_path), compiled=False)
    with pytest.raises(StillFrameError) as refused:
        asked(robot, np.array([0.1, 0.2]))
    assert str(refused.value) == (
        'no joint of arm moves frame "table". Name a frame that joints move, such as "pen"; see robot.frames.'
    )
    assert robot.moving_frames == ("upper", "fore", "pen")
    assert robot.forward_kinematics([0.1, 0.2], "table").any()  # where it is can be said


def test_a_base_that_moves_carries_a_load(tmp_path: Path) -> None:
    robot = Robot(built(CHAIN + "base = table", tmp_path), compiled=False)
    lifted = robot.with_base("floating").with_payload(5.0, frame="table")
    q, _, _ = lifted.random_state(seed=1)
    more = lifted.gravity(q)[:3] - robot.with_base("floating").gravity(q)[:3]
    assert np.linalg.norm(more) == pytest.approx(5 * 9.81)


# -- closed chains ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("fourbar", "pin_on_rocker"), ("fivebar", "hand"), ("delta", "tool"), ("slider-crank", "pin_on_piston"),
        ("parallelogram", "pin_on_link4"),
    ],
)  # fmt: skip
def test_ends_that_a_loop_ties_together_are_one(name: str, expected: str) -> None:
    model = load_model(name)
    assert tip(model) == expected
    assert tip_or_none(replace(model, loops=(), tip="")) is None


def test_a_rod_that_drives_an_arm_is_no_end(tmp_path: Path) -> None:
    """A palletizer: the rod ends on the link before the hand."""
    model = built(
        CHAIN + "fore > wrist\nwrist = pad\nupper = ear\nbase > crank\ncrank > rod\nrod = pin", tmp_path
    )
    assert tip_or_none(model) is None
    tied = Robot(model, compiled=False).with_loop("ear", "pin")
    assert tied.tip == "pad"


# -- edits ------------------------------------------------------------------------------------------------


def test_a_frame_added_to_the_tip_takes_its_place_and_another_does_not() -> None:
    panda = load_model("panda")
    longer = add_frame(panda, "pen", (0.0, 0.0, 0.1), frame="tool")
    assert tip(longer) == "pen"
    assert tip(add_frame(longer, "nib", frame="pen")) == "nib"
    assert tip(add_frame(panda, "camera", frame="link4")) == "tool"
    assert tip(add_frame(panda, "sticker", frame="flange")) == "tool"


def test_a_chain_ends_where_it_was_told_to() -> None:
    assert tip(take_chain(load_model("panda"), "flange")) == "flange"
    assert tip(take_chain(load_model("panda"), "link3")) == "link3"


def test_a_tip_that_no_longer_moves_is_none() -> None:
    chain = take_chain(load_model("planar3"), "link1")
    assert tip(chain) == "link1"
    assert tip_or_none(lock(chain, {"*": 0.0})) is None
    floor = Robot(chain, compiled=False).standing_on("link1")
    assert floor.tip == "base"


def test_locked_links_lie_behind_those_that_hold_them(tmp_path: Path) -> None:
    """What is fixed now lies as deep as what always was."""
    model = built(CHAIN + "fore > wrist\nwrist = pad\nfore = cover", tmp_path)
    held = lock(model, {"to_wrist": 0.3})
    assert {frame.name: frame.depth for frame in held.frames if frame.depth} == {
        "wrist": 1,
        "pad": 2,
        "cover": 1,
    }
    assert tip(held) == "pad"


# -- files ------------------------------------------------------------------------------------------------

READ_AGAIN = [text for text, _ in MEANT.values()]


@pytest.mark.parametrize("text", READ_AGAIN, ids=list(MEANT))
def test_files_keep_the_tip(text: str, tmp_path: Path) -> None:
    model = built(text, tmp_path)
    written, remarks = write_urdf(model)
    for path, content, read in (
        (tmp_path / "again.urdf", written, read_urdf),
        (tmp_path / "again.toml", write_toml(model), read_toml),
    ):
        path.write_text(content)
        again = read(path)
        assert tip(again) == tip(model)
        assert moved_frames(again) >= moved_frames(model)
    assert not any("tip" in remark for remark in remarks)


def test_a_toml_file_says_a_tip_that_does_not_follow(tmp_path: Path) -> None:
    path = tmp_path / "arm.toml"
    path.write_text(write_toml(replace(load_model("panda"), tip="flange")))
    assert 'tip = "flange"' in path.read_text()
    assert tip(read_toml(path)) == "flange"
    assert "tip =" not in write_toml(load_model("panda"))
    path.write_text(path.read_text().replace('tip = "flange"', 'tip = "flnge"'))
    with pytest.raises(
        strobe.errors.ModelFileError, match="tip: no frame \"flnge\". Did you mean 'flange'?"
    ):
        read_toml(path)


def test_depth_survives_what_models_are_made_into() -> None:
    """Kernels are made of models in other numbers and on other link frames: the tip is the same there."""
    model = add_frame(add_frame(load_model("ur5"), "stand", frame="base"), "pad", frame="tool")
    assert tip(model) == tip(model.proximal()) == tip(model.lift(model.system)) == "pad"


# -- what is said -----------------------------------------------------------------------------------------


def test_what_else_might_have_been_meant_is_told(tmp_path: Path) -> None:
    assert frame_meant(load_model("stanford")) == ""
    twins = built(CHAIN + "fore = ee_link\nfore = tool0\nbase = table", tmp_path)
    assert rivals(twins) == ("ee_link",)
    assert frame_meant(twins) == 'no frame was named: "tool0" is meant, the tip of arm, not "ee_link".'
    other = built(CHAIN + "fore = pen\nbase = table", tmp_path)
    assert frame_meant(other) == 'no frame was named: "pen" is meant, the tip of arm.'
    fingers = built(CHAIN + "fore = hand\nhand > f1\nhand > f2", tmp_path)
    assert rivals(fingers) == ("f1", "f2")
    jaw = built(CHAIN + "fore = hand\nhand > jaw", tmp_path)
    assert frame_meant(jaw) == 'no frame was named: "jaw" is meant, the tip of arm, not "hand".'
