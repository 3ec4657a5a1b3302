"""A robot given as the text of a file: the same robot as the file's, the same faults, and no way to other files."""

from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import strobe
from strobe.errors import ArgumentError, ModelFileError, UnknownNameError
from strobe.files import reading
from strobe.models import library
from strobe.models.fingerprint import fingerprint
from strobe.models.load import is_text, load_model
from strobe.models.urdf_writer import write_urdf

TOML = library.built_in_text("planar2")
URDF = write_urdf(load_model("ur5"))[0]
MJCF = """<mujoco model="arm"><worldbody><body name="a"><joint name="j" axis="0 1 0"/><geom size=".1"/></body>
</worldbody></mujoco>"""
LINK = (
    '<link name="{}"><inertial><mass value="{}"/>'
    '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>'
)
XACRO = f"""<robot name="x" xmlns:xacro="http://ros.org/wiki/xacro">
<xacro:property name="m" value="2"/>
<link name="b"/>{LINK.format("c", "${m * 3}")}
<joint name="j" type="continuous"><parent link="b"/><child link="c"/></joint>
</robot>"""
needs_mujoco = pytest.mark.skipif(find_spec("mujoco") is None, reason="mujoco is not installed")


def refusal(source) -> str:
    with pytest.raises(ModelFileError) as caught:
        strobe.load(source)
    return str(caught.value)


@pytest.mark.parametrize(
    ("suffix", "text"),
    [(".toml", TOML), (".urdf", URDF), pytest.param(".xml", MJCF, marks=needs_mujoco), (".xacro", XACRO)],
)
def test_a_text_is_the_robot_of_the_file_that_it_would_stand_in(suffix, text, tmp_path):
    path = tmp_path / f"arm{suffix}"
    path.write_text(text, encoding="utf-8")
    expected = fingerprint(load_model(path))
    assert fingerprint(load_model(text)) == expected
    assert fingerprint(load_model(text.encode())) == expected


@pytest.mark.parametrize("source", [TOML, URDF, MJCF, b"", b"panda", "\ufeff <robot/>", "<", "a\nb"])
def test_bytes_and_texts_that_begin_with_an_element_or_have_lines_are_texts(source):
    assert is_text(source)


@pytest.mark.parametrize(
    "source", ["panda", "panda\n", "arm.urdf", " arm.urdf ", Path("<robot>"), Path("a\nb"), 3, None]
)
def test_names_and_paths_are_no_texts(source):
    assert not is_text(source)


def test_a_robot_description_loads_whatever_encoding_it_declares_and_wherever_it_begins():
    """ROS hands over text that is decoded already; Python's literals begin with a line break."""
    plain = URDF.partition("?>")[2] if URDF.startswith("<?xml") else URDF
    for head in (
        '<?xml version="1.0" encoding="{}"?>',
        '\n  <?xml version="1.0" encoding="{}" ?>\n<!-- made by xacro -->',
    ):
        for encoding in ("utf-8", "utf-16", "iso-8859-1"):
            robot = strobe.load(head.format(encoding) + plain)
            assert fingerprint(robot.model) == fingerprint(load_model(URDF))


def test_letters_of_a_text_are_kept_whatever_it_declares():
    text = f'<?xml version="1.0" encoding="iso-8859-1"?><robot name="Ärmchen">{LINK.format("b", 1)}</robot>'
    assert load_model(text).name == "Ärmchen"
    assert load_model(text.encode("iso-8859-1")).name == "Ärmchen"


def test_meshes_of_a_text_are_not_looked_for():
    visual = '<visual><geometry><mesh filename="package://arm/meshes/a.dae"/></geometry></visual></link>'
    assert load_model(URDF.replace("</link>", visual, 1)).nv == 6


def test_faults_of_a_text_name_their_lines():
    text = f'<?xml version="1.0"?>\n<robot name="x">\n{LINK.format("b", "heavy")}\n</robot>'
    assert refusal(text).startswith('<text>:3: link "b": <mass> has value="heavy"; "heavy" is not a finite')
    assert refusal("\n\n" + text).startswith("<text>:5: ")
    assert (
        refusal("<robot name='x'>\n<link>\n</robot>")
        == "<text>:3: malformed XML at column 3: mismatched tag."
    )
    assert refusal(TOML.replace("mass", "mss", 1)).startswith("<text>: dh.link[1].mss: unknown key.")
    assert "<text>: not valid TOML" in refusal("format = 1\nname =\n")
    assert "(at line 2, column 7)" in refusal("format = 1\nname =\n")
    assert (
        refusal("<sdf/>")
        == "<text>: the root element is <sdf>, expected <robot> (URDF) or <mujoco> (MJCF)."
    )


@needs_mujoco
def test_faults_of_a_text_that_mujoco_finds_name_their_lines():
    assert refusal(MJCF.replace("\n", '\n<body><joint axis="0 0 0"/><geom size="1"/></body>')).startswith(
        "<text>:2: MuJoCo cannot compile this"
    )


def test_a_robot_without_a_name_is_called_so():
    assert load_model(f"<robot>{LINK.format('b', 1)}</robot>").name == "robot"
    assert load_model(TOML.replace('name = "planar2"', "")).name == "robot"


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (("<link", '<xacro:include filename="secret.xacro"/><link'), "secret.xacro"),
        (("${m * 3}", "${xacro.load_yaml('secret.yaml')}"), "secret.yaml"),
        (('value="2"', 'value="$(find secret)"'), "$(find secret)"),
        (("<link", '<xacro:include filename="*.xacro"/><link'), "*.xacro"),
    ],
)
def test_xacro_in_a_text_reads_no_file(change, named, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("secret.xacro", "secret.yaml"):
        (tmp_path / name).write_text("<robot/>")
    said = refusal(XACRO.replace(*change, 1))
    assert (
        f'it names "{named}", and a text has no files around it; save it as a .xacro file beside them.'
        in said
    )


@pytest.mark.parametrize(
    "part",
    [
        '<include file="beside.xml"/>',
        '<asset><mesh file="beside.stl"/></asset>',
        '<asset><model name="m" file="beside.xml"/></asset>',
        '<include file="/etc/passwd"/>',
    ],
)
def test_an_mjcf_text_names_no_file(part, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("beside.xml", "beside.stl"):
        (tmp_path / name).write_text(MJCF)
    said = refusal(MJCF.replace("<worldbody>", f"\n{part}<worldbody>"))
    assert said.startswith("<text>:2: <")
    assert (
        "and a text has no files around it; save it as a file beside them, or load the mujoco.MjModel"
        in said
    )


def test_bounds_of_files_are_bounds_of_texts(monkeypatch):
    assert "a document type or entity declaration is refused" in refusal(
        '<!DOCTYPE r [<!ENTITY a "b">]><robot name="x"><link name="a"/></robot>'
    )
    monkeypatch.setattr(reading, "LARGEST", 1000)
    assert "more than 1000 bytes" in refusal(URDF)
    monkeypatch.setattr("strobe.models.toml_reader.LARGEST_TOML", 1000)
    assert "more than 1000 bytes" in refusal(TOML)
    assert "more than 1000 bytes" in refusal(TOML.encode())


def test_what_is_no_robot_is_told_what_would_be_one():
    with pytest.raises(
        ArgumentError, match=r"source is b'panda'; expected the text of a robot file, or its name"
    ):
        strobe.load(b"panda")
    with pytest.raises(UnknownNameError, match="Did you mean 'panda'"):
        strobe.load("panda\n")
    with pytest.raises(
        ArgumentError, match=r"source is of type ndarray; expected the name, the path or the text"
    ):
        strobe.load(np.eye(4))
    with pytest.raises(ModelFileError, match="byte 0xff is not UTF-8"):
        strobe.load(b"format = 1\nname = '\xff'\n")


def test_rows_of_a_table_are_told_where_they_belong() -> None:
    with pytest.raises(ArgumentError, match=r"Rows of a DH table are read by strobe\.from_dh\.$"):
        strobe.load([("R", 0, 0.3, 0, 0)])  # pyright: ignore[reportArgumentType, reportCallIssue]
