"""Feet and their soles: what they are made of, and how files and edits keep them."""

import numpy as np
import pytest

from strobe.errors import ArgumentError, ModelFileError
from strobe.models.edits import scale, take_chain
from strobe.models.feet import Foot
from strobe.models.load import load_model
from strobe.models.toml_reader import read_toml
from strobe.models.toml_writer import write_toml
from strobe.models.urdf_writer import write_urdf

ARM = """
format = 1
name = "one_leg"
[parameters]
half = 0.1
[axes]
[[axes.link]]
joint = "+Ry"
d = [0, 0, 0.5]
name = "shin"
mass = 1
com = [0, 0, 0.2]
inertia = [0.01, 0.01, 0.01, 0, 0, 0]
"""


def read(tmp_path, text):
    path = tmp_path / "leg.toml"
    path.write_text(ARM + text, encoding="utf-8")
    return read_toml(path)


def test_a_sole_has_corners_in_the_frame_of_its_foot():
    foot = Foot("foot", [(0, 0), (1, 0), (0, 2)])
    assert foot.sole == ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 2.0, 0.0))
    assert np.allclose(foot.middle, [1 / 3, 2 / 3, 0])
    assert Foot("foot", foot.sole) == foot


def test_a_rectangle_reaches_from_back_to_front_and_from_right_to_left():
    foot = Foot.rectangle("foot", -0.1, 0.2, -0.05, 0.04, z=-0.03)
    assert np.allclose(np.min(foot.sole, axis=0), [-0.1, -0.05, -0.03])
    assert np.allclose(np.max(foot.sole, axis=0), [0.2, 0.04, -0.03])


@pytest.mark.parametrize(
    ("sole", "sentence"),
    [
        ([(0, 0), (1, 0)], r'the sole of foot "foot" has 2 corners; a sole needs three or more\.'),
        (
            [(0, 0), (1, 0), (2, 0)],
            r'the corners of the sole of foot "foot" lie on a line; a sole needs an area',
        ),
        (
            [(0, 0), (1, 0), (2, np.nan)],
            r'the sole of foot "foot" is .*; expected corners \(x, y\) or \(x, y, z\)',
        ),
        ([1, 2, 3], r"expected corners"),
        ("sole", r"expected corners"),
        ([(0, 0), (1, 0, 0), (2, 1)], r"expected corners"),
    ],
)
def test_a_sole_that_cannot_be_stood_on_is_refused(sole, sentence):
    with pytest.raises(ArgumentError, match=sentence):
        Foot("foot", sole)


def test_a_file_gives_soles_in_numbers_and_parameters(tmp_path):
    text = '[[feet]]\nframe = "base"\nsole = [["-half", -0.1], ["half", -0.1], [0, "2*half", 0]]\n'
    with pytest.raises(ModelFileError, match=r"feet\[1\]\.sole: .*expected corners"):
        read(tmp_path, text)
    model = read(tmp_path, text.replace(", 0]]", "]]"))
    assert model.feet == (Foot("base", [(-0.1, -0.1), (0.1, -0.1), (0, 0.2)]),)


def test_feet_come_back_from_a_file(tmp_path):
    biped = load_model("biped10")
    path = tmp_path / "biped.toml"
    path.write_text(write_toml(biped), encoding="utf-8")
    assert [foot.frame for foot in biped.feet] == ["stance_foot", "swing_foot"]
    assert read_toml(path).feet == biped.feet


def test_a_urdf_cannot_hold_soles_and_that_is_said():
    _, remarks = write_urdf(load_model("biped10"))
    assert 'the sole of foot "stance_foot" is lost: URDF has no place for it.' in remarks


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ('[[feet]]\nframe = "shni"\nsole = [[0, 0], [1, 0], [0, 1]]\n', r'feet\[1\]\.frame: no frame "shni"\. Did'),
        ('[[feet]]\nframe = "shin"\nsole = [[0, 0], [1, 0]]\n', r"feet\[1\]\.sole: .* has 2 corners"),
        ('[[feet]]\nframe = "shin"\n', r"feet\[1\]\.sole: .* expected corners"),
        ('[[feet]]\nframe = "shin"\nsole = 3\n', r"feet\[1\]\.sole: .*expected corners"),
        ('[[feet]]\nframe = "shin"\nsole = [[0, 0], ["x", 0], [0, 1]]\n', r"feet\[1\]\.sole\[2\]: "),
        ('[[feet]]\nframe = "shin"\nsoul = 1\nsole = [[0, 0], [1, 0], [0, 1]]\n', r"feet\[1\]\.soul: unknown key"),
        (2 * '[[feet]]\nframe = "shin"\nsole = [[0, 0], [1, 0], [0, 1]]\n', r'foot "shin" is given twice'),
    ],
)  # fmt: skip
def test_a_file_with_a_wrong_foot_says_where(tmp_path, text, sentence):
    with pytest.raises(ModelFileError, match=sentence):
        read(tmp_path, text)


def test_soles_grow_with_the_robot_and_leave_with_their_frame():
    biped = load_model("biped10")
    assert np.allclose(scale(biped, 2.0, 1.0).feet[0].sole, 2 * np.array(biped.feet[0].sole))
    assert [foot.frame for foot in take_chain(biped, "torso").feet] == ["stance_foot"]
