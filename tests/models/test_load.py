import os
import subprocess
import sys

import pytest

from strobe.cli.first_page import BANNER, page
from strobe.cli.inputs import robots_like
from strobe.errors import ArgumentError, ModelFileError, UnknownNameError
from strobe.models import library
from strobe.models.formats import ENDINGS, FORMATS
from strobe.models.load import load_model

ARM = """
format = 1
[axes]
[[axes.link]]
joint = "+Rz"
mass = 1
"""


def refusal(path) -> str:
    with pytest.raises(ModelFileError) as caught:
        load_model(path)
    return str(caught.value)


def test_every_built_in_name_has_a_title():
    assert all(load_model(name).title for name in library.built_in_names())


def test_help_and_completion_know_every_ending_that_is_read(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for ending in ENDINGS:
        (tmp_path / f"mine{ending}").touch()
    assert set(robots_like("mine")) == {f"mine{ending}" for ending in ENDINGS}
    for text in (BANNER, page()):
        assert all(ending in text for each in FORMATS.values() for ending in (*each.endings, ".xml"))


def test_a_built_in_name_wins_over_a_folder_of_that_name(tmp_path, monkeypatch):
    (tmp_path / "panda").mkdir()
    monkeypatch.chdir(tmp_path)
    assert load_model("panda").nv == 7


def test_an_unknown_name_shows_the_nearest_ones():
    with pytest.raises(
        UnknownNameError, match=r'no robot "stanfrod" in the library. Did you mean \'stanford\''
    ):
        load_model("stanfrod")


def test_a_random_robot_is_named_by_its_size_and_seed():
    assert load_model("random(4)").nv == 4
    one, same, other = (
        load_model(text) for text in ("random(3, 1)", "random( 3 , seed = 1 )", "random(3, 2)")
    )
    masses = [[body.inertial.m for body in model.bodies] for model in (one, same, other)]
    assert masses[0] == masses[1] != masses[2]


def test_a_random_robot_that_is_misspelt_is_explained():
    with pytest.raises(ArgumentError, match=r'"random\(six\)" is not a random robot; write random\(n\)'):
        load_model("random(six)")


def test_a_toml_file_is_read_and_named_after_itself(tmp_path):
    path = tmp_path / "arm.toml"
    path.write_text(ARM)
    assert load_model(path).name == load_model(str(path)).name == "arm"


def test_a_name_too_long_for_a_file_is_an_unknown_robot():
    with pytest.raises(UnknownNameError, match=r'no robot "aaa'):
        load_model("a" * 5000)


def test_a_random_robot_by_name_has_a_thousand_joints_at_most():
    expected = r'"random\(1001\)" has too many joints; a random robot by name has at most 1,000\.'
    with pytest.raises(ArgumentError, match=expected):
        load_model("random(1001)")


def test_a_missing_file_names_similar_ones(tmp_path):
    (tmp_path / "arm.toml").write_text(ARM)
    text = refusal(tmp_path / "amr.toml")
    assert text == f"{tmp_path / 'amr.toml'}: no such file. Did you mean 'arm.toml'?"


def test_a_missing_file_in_a_missing_folder_says_so(tmp_path):
    path = tmp_path / "no" / "arm.urdf"
    assert refusal(path) == f"{path}: no such file. The folder {path.parent} does not exist either."


def test_a_file_named_like_a_built_in_robot_points_to_it(tmp_path):
    assert refusal(tmp_path / "panda.urdf").endswith(
        'no such file. The built-in robot is loaded as "panda".'
    )


def test_a_folder_is_not_a_robot_and_shows_what_it_holds(tmp_path):
    assert refusal(tmp_path).endswith("a folder, expected a robot file. It holds no robot file.")
    (tmp_path / "arm.toml").write_text(ARM)
    assert refusal(tmp_path).endswith("It holds arm.toml.")


def test_an_unknown_suffix_names_the_known_ones(tmp_path):
    (tmp_path / "arm.yaml").write_text("a: 1")
    expected = "the suffix .yaml is not one of a robot file; expected .urdf, .xacro, .toml, .xml, .mjcf."
    assert expected in refusal(tmp_path / "arm.yaml")


def test_a_file_without_suffix_is_refused(tmp_path):
    (tmp_path / "arm").write_text(ARM)
    assert "the file has no suffix; expected .urdf" in refusal(tmp_path / "arm")


def test_an_xml_file_is_known_by_its_root_element(tmp_path):
    path = tmp_path / "arm.xml"
    path.write_text(
        '<?xml version="1.0"?>\n<!-- <mujoco> --><robot name="r"><link name="base"/><link name="tip"/>'
        '<joint name="j" type="continuous"><parent link="base"/><child link="tip"/></joint></robot>'
    )
    assert load_model(path).joint_names == ("j",)


def test_an_xml_file_with_another_root_element_is_refused(tmp_path):
    path = tmp_path / "world.xml"
    path.write_text('<sdf version="1.6"/>')
    assert refusal(path).endswith("the root element is <sdf>, expected <robot> (URDF) or <mujoco> (MJCF).")
    path.write_text("hello")
    assert refusal(path).endswith("no XML element was found, expected <robot> (URDF) or <mujoco> (MJCF).")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads everything")
def test_a_file_without_permission_is_refused(tmp_path):
    path = tmp_path / "arm.toml"
    path.write_text(ARM)
    path.chmod(0)
    assert refusal(path).endswith("cannot be read: Permission denied.")


def test_a_pipe_is_refused_without_waiting_for_it(tmp_path):
    if not hasattr(os, "mkfifo"):
        pytest.skip("no pipes here")
    os.mkfifo(tmp_path / "arm.urdf")
    assert refusal(tmp_path / "arm.urdf").endswith(
        "a pipe, expected a regular file; save its content to one."
    )


@pytest.mark.parametrize("snap", [-1e-9, 0.2, float("nan"), float("inf"), "1e-4"])
def test_a_snap_that_is_no_small_angle_is_refused(snap):
    with pytest.raises(ArgumentError, match=r"snap is .*; expected an angle from 0 to 0\.1 rad"):
        load_model("planar2", snap=snap)


def test_a_name_with_a_null_byte_is_refused_in_words():
    assert refusal("arm\0.toml") == r"arm\x00.toml: a name with a NUL in it is no name of a file."


def test_loading_a_built_in_robot_needs_no_xml_reader_and_no_engine():
    code = (
        "import sys; from strobe.models.load import load_model; load_model('planar2'); "
        "print([m for m in ('mujoco', 'xacrodoc', 'defusedxml', 'strobe.models.urdf') if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
