"""Files that a model names: what is opened while a robot is read, and what is not."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import strobe
from strobe.errors import ModelFileError
from strobe.models.xacro_limits import Refused, require_arithmetic

SECRET = "hunter2"
BODY = '<worldbody><body name="a"><joint name="j"/><geom size="0.1" mass="1"/></body></worldbody>'

MANY = '<replicate count="1000">'

_opened: list[str] = []
_listening = False


def _listen(event, args):
    if _listening and event == "open" and isinstance(args[0], str | bytes):
        _opened.append(os.fsdecode(args[0]))


@pytest.fixture
def opened():
    """The files that Python opens; the interpreter never forgets a hook, so it is made once."""
    global _listening
    if not hasattr(sys, "_strobe_listens"):
        sys.addaudithook(_listen)
        sys._strobe_listens = True
    _opened.clear()
    _listening = True
    yield _opened
    _listening = False


@pytest.fixture
def folder(tmp_path):
    """A project with a folder of models, another beside it, and a secret outside."""
    (tmp_path / "secret.txt").write_text(f"<mujoco><!-- {SECRET} --></mujoco>")
    (tmp_path / "project" / "models").mkdir(parents=True)
    (tmp_path / "project" / "shared").mkdir()
    (tmp_path / "project" / "shared" / "part.xml").write_text(f"<mujoco>{BODY}</mujoco>")
    (tmp_path / "project" / ".hidden").write_text("<mujoco/>")
    return tmp_path / "project" / "models"


def mjcf(folder: Path, inside: str) -> Path:
    path = folder / "arm.xml"
    path.write_text(f"<mujoco>{inside}{BODY if 'part.xml' not in inside else ''}</mujoco>")
    return path


def refusal(path: Path) -> str:
    with pytest.raises(ModelFileError) as caught:
        strobe.load(path)
    assert SECRET not in str(caught.value)
    return str(caught.value)


# -- MJCF -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["part.xml", "./part.xml", "../shared/part.xml"])
def test_a_model_may_include_what_lies_beside_it_or_in_a_folder_beside_its_own(name, folder):
    (folder / "part.xml").write_text(f"<mujoco>{BODY}</mujoco>")
    assert strobe.load(mjcf(folder, f'<include file="{name}"/>')).n == 1


@pytest.mark.parametrize(
    "name",
    ["../../secret.txt", "../shared/../../secret.txt", "../.hidden"],
)
def test_a_model_may_not_include_what_is_further_away_or_hidden(name, folder):
    sentence = refusal(mjcf(folder, f'<include file="{name}"/>'))
    assert f'arm.xml:1: <include> names "{name}", which is not below {folder.parent}, or hidden' in sentence
    assert "Put the file beside the model, or its folder into STROBE_FILES." in sentence


@pytest.mark.parametrize(
    "name",
    ["/etc/passwd", "file:///etc/passwd", "http://example.org/x.xml", "C:\\x.xml", "\\\\host\\x.xml"],
)
def test_a_model_may_not_name_files_by_absolute_paths_or_addresses(name, folder):
    sentence = refusal(mjcf(folder, f'<include file="{name}"/>'))
    assert f'arm.xml:1: <include> names "{name}", which is no relative path' in sentence


def test_a_link_does_not_lead_out(folder):
    (folder / "part.xml").symlink_to(folder.parent.parent / "secret.txt")
    assert "which is not below" in refusal(mjcf(folder, '<include file="part.xml"/>'))


def test_a_pipe_is_not_waited_for(folder):
    os.mkfifo(folder / "part.xml")
    assert "which is no regular file" in refusal(mjcf(folder, '<include file="part.xml"/>'))


def test_what_is_included_is_looked_at_too(folder):
    (folder / "outer.xml").write_text('<mujoco><include file="../../secret.txt"/></mujoco>')
    sentence = refusal(mjcf(folder, '<include file="outer.xml"/>'))
    assert 'outer.xml:1: <include> names "../../secret.txt"' in sentence


@pytest.mark.parametrize(
    "asset",
    [
        '<mesh name="m" file="{}"/>',
        '<texture name="t" type="2d" file="{}"/>',
        '<texture name="t" type="cube" fileright="{}"/>',
        '<hfield name="h" size="1 1 1 1" file="{}"/>',
        '<skin file="{}"/>',
        '<model name="m" file="{}"/>',
    ],
)
def test_no_asset_leads_out(asset, folder):
    assert 'names "../../secret.txt", which is not below' in refusal(
        mjcf(folder, f"<asset>{asset.format('../../secret.txt')}</asset>")
    )


@pytest.mark.parametrize("attribute", ["meshdir", "texturedir", "assetdir"])
def test_a_folder_of_assets_does_not_lead_out(attribute, folder):
    inside = '<asset><mesh name="m" file="secret.txt"/></asset>'
    assert "which is no relative path" in refusal(mjcf(folder, f'<compiler {attribute}="/"/>{inside}'))
    assert "which is not below" in refusal(mjcf(folder, f'<compiler {attribute}="../.."/>{inside}'))


def test_a_folder_can_be_allowed(folder, monkeypatch):
    (folder.parent.parent / "far.xml").write_text(f"<mujoco>{BODY}</mujoco>")
    path = folder / "arm.xml"
    path.write_text('<mujoco><include file="../../far.xml"/></mujoco>')
    assert "which is not below" in refusal(path)
    monkeypatch.setenv("STROBE_FILES", str(folder.parent.parent))
    assert strobe.load(path).n == 1


def test_models_that_include_each_other_end(folder):
    (folder / "arm.xml").write_text('<mujoco><include file="arm.xml"/></mujoco>')
    assert "already included" in refusal(folder / "arm.xml")


def test_a_model_in_parts_without_end_is_refused(folder):
    for k in range(250):
        (folder / f"part{k}.xml").write_text(f'<mujoco><include file="part{k + 1}.xml"/></mujoco>')
    (folder / "part250.xml").write_text("<mujoco/>")
    assert "includes more than 200 files" in refusal(mjcf(folder, '<include file="part0.xml"/>'))


@pytest.mark.parametrize(
    ("inside", "sentence"),
    [
        (
            '<asset><hfield name="h" nrow="100000" ncol="100000" size="1 1 1 1"/></asset>',
            "<hfield> asks for 1e+10 cells; at most 16,777,216 are made for a robot.",
        ),
        (
            '<asset><texture name="t" builtin="flat" width="1000000" height="1000000"/></asset>',
            "<texture> asks for 1e+12 cells",
        ),
        (
            f"<worldbody>{2 * MANY}<geom/>{2 * '</replicate>'}</worldbody>",
            "<replicate> asks for 1e+06 copies; at most 1,000 are made for a robot.",
        ),
        (
            '<worldbody><flexcomp name="f" type="grid" count="999 999 999"/></worldbody>',
            "<flexcomp> asks for 9.97003e+08 cells",
        ),
        ('<size nuser_body="100000000"/>', "<size> asks for 1e+08 nuser_body; at most 10,000"),
        ('<size nkey="100000000"/>', "<size> asks for 1e+08 nkey"),
        ('<sensor><user dim="1e9"/></sensor>', "<user> asks for 1e+09 dim"),
        ('<size nkey="nan"/>', "<size> asks for nan nkey"),
    ],
)
def test_a_short_text_does_not_ask_for_gigabytes(inside, sentence, folder):
    assert sentence in refusal(mjcf(folder, inside))


# -- URDF -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "mesh",
    [
        "/etc/passwd",
        "file:///etc/passwd",
        "../../secret.txt",
        "package://a/../../secret.txt",
        "http://example.org/x",
    ],
)
def test_meshes_of_a_urdf_are_never_opened(mesh, folder, opened):
    path = folder / "arm.urdf"
    shape = f'<geometry><mesh filename="{mesh}"/></geometry>'
    path.write_text(
        f'<robot name="x"><link name="a"><visual>{shape}</visual><collision>{shape}</collision></link></robot>'
    )
    strobe.load(path)
    assert str(path) in opened
    assert not [place for place in opened if "secret" in place or "passwd" in place or "example" in place]


# -- xacro ------------------------------------------------------------------------------------------------


def xacro(folder: Path, inside: str) -> Path:
    path = folder / "arm.xacro"
    path.write_text(f'<robot name="x" xmlns:xacro="http://www.ros.org/wiki/xacro">{inside}</robot>')
    return path


ESCAPES = {
    "over subclasses": "(lambda: ().__class__.__base__.__subclasses__())()",
    "over frames": "(lambda g: g.gi_frame.f_back)((x for x in [1]))",
    "over a comprehension": "[c.__init__ for c in [1]]",
    "by a private name": "_x",
    "by execution": "exec('import os')",
    "by an import": "__import__('os')",
    "by a file": "open('/etc/passwd').read()",
    "by all variables": "globals()",
    "by the name of an attribute": "getattr(1, 'x')",
}


@pytest.mark.parametrize("escape", ESCAPES)
def test_an_expression_of_xacro_does_not_reach_the_interpreter(escape, folder):
    with pytest.raises(Refused, match="is no arithmetic; a robot file may calculate, not program"):
        require_arithmetic(ESCAPES[escape])


@pytest.mark.parametrize("text", ["${(lambda: ().__class__.__base__)()}", "$(eval open)"])
def test_both_kinds_of_expressions_are_looked_at(text, folder):
    sentence = refusal(xacro(folder, f'<link name="{text}"/>'))
    assert "is no arithmetic; a robot file may calculate, not program" in sentence


@pytest.mark.parametrize(
    "inside",
    [
        "<link name=\"${xacro.load_yaml('/etc/passwd')}\"/>",
        '<xacro:include filename="/etc/passwd"/>',
        '<xacro:include filename="../.hidden"/>',
        "<link name=\"${xacro.load_yaml('../.hidden')}\"/>",
    ],
)
def test_xacro_reads_nothing_that_is_far_away_or_hidden(inside, folder):
    assert "it wants to read" in refusal(xacro(folder, inside))


def test_xacro_does_not_wait_for_a_pipe(folder):
    os.mkfifo(folder / "part.xacro")
    assert "it wants to read" in refusal(xacro(folder, '<xacro:include filename="part.xacro"/>'))


def test_xacro_still_calculates_and_reads_what_lies_near(folder):
    (folder.parent / "shared" / "sizes.yaml").write_text("arm: {length: 0.5}\n")
    (folder / "part.xacro").write_text(
        '<robot xmlns:xacro="http://www.ros.org/wiki/xacro"><link name="second"/></robot>'
    )
    inside = """
      <xacro:include filename="part.xacro"/>
      <xacro:arg name="side" default="left"/>
      <xacro:property name="sizes" value="${xacro.load_yaml('../shared/sizes.yaml')}"/>
      <link name="$(arg side)_${int(max(2, 3) * sin(pi / 2))}"/>
      <joint name="j" type="fixed"><parent link="left_3"/><child link="second"/>
        <origin xyz="${sizes['arm']['length'] * 2} 0 $(eval 1 + 2)"/></joint>"""
    robot = strobe.load(xacro(folder, inside))
    assert robot.frames == ("left_3", "second")
    assert robot.forward_kinematics([], "second")[:3, 3].tolist() == [1.0, 0.0, 3.0]


CONFINED = """
import os, socket, subprocess, sys
from pathlib import Path
from strobe.models.xacro_limits import Refused, confine
confine([Path({folder!r})])
attempts = dict(
    system=lambda: os.system("true"), process=lambda: subprocess.run(["true"]), fork=os.fork,
    network=lambda: socket.create_connection(("127.0.0.1", 9)), writing=lambda: open({folder!r} + "/x", "w"),
    appending=lambda: os.open({folder!r} + "/y", os.O_CREAT | os.O_WRONLY), removing=lambda: os.remove({file!r}),
    other_language=lambda: __import__("ctypes").CDLL(None), reading=lambda: open("/etc/passwd"),
)
for name, attempt in attempts.items():
    try:
        attempt()
    except Refused:
        print(name, end=" ")
print(open({file!r}).read())
"""


def test_a_confined_process_reads_near_files_and_does_nothing_else(tmp_path):
    near = tmp_path / "near.txt"
    near.write_text("read")
    script = CONFINED.format(folder=str(tmp_path), file=str(near))
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == [
        "system", "process", "fork", "network", "writing", "appending", "removing", "other_language", "reading",
        "read",
    ]  # fmt: skip
    assert list(tmp_path.iterdir()) == [near]
