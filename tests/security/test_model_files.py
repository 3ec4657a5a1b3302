"""Files that a model names: what is opened while a robot is read, and what is not."""

import os
import re
import sys
from pathlib import Path

import pytest

import strobe
from strobe.errors import ModelFileError
from strobe.models import mjcf_text, model_files
from strobe.models.model_files import NearFiles, TooFar

SECRET = "hunter2"
BODY = '<worldbody><body name="a"><joint name="j"/><geom size="0.1" mass="1"/></body></worldbody>'

MANY = '<replicate count="1000">'
SIBLING = f"{MANY}<geom/><site/><camera/></replicate>"
JOINTED = f"{MANY}<body><joint/></body></replicate>"

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
        '<asset><mesh name="m" file="{}"/></asset>',
        '<asset><model name="m" file="{}"/></asset>',
        '<worldbody><body name="b"><flexcomp name="f" type="mesh" file="{}"/></body></worldbody>',
    ],
)
@pytest.mark.parametrize("name", ["../../secret.txt", r"..\..\secret.txt", r"..\shared/..\../secret.txt"])
def test_no_asset_leads_out(asset, name, folder):
    assert f'names "{name}", which is not below' in refusal(mjcf(folder, asset.format(name)))


@pytest.mark.parametrize(
    "asset",
    [
        '<texture name="t" type="2d" file="{}"/>',
        '<texture name="t" type="cube" fileright="{}"/>',
        '<texture name="t" builtin="flat" width="1000000" height="1000000"/>',
        '<hfield name="h" size="1 1 1 1" file="{}"/>',
        '<hfield name="h" nrow="100000" ncol="100000" size="1 1 1 1"/>',
        '<skin file="{}"/>',
    ],
)
def test_pictures_elevations_and_skins_are_neither_opened_nor_made(asset, folder, opened):
    os.mkfifo(folder / "pipe")
    for name in ("../../secret.txt", "pipe", "/etc/passwd"):
        assert strobe.load(mjcf(folder, f"<asset>{asset.format(name)}</asset>")).n == 1
    assert str(folder / "arm.xml") in opened
    assert not [place for place in opened if place.endswith(("secret.txt", "pipe", "passwd"))]


@pytest.mark.parametrize("attribute", ["meshdir", "assetdir"])
def test_a_folder_of_assets_does_not_lead_out(attribute, folder):
    inside = '<asset><mesh name="m" file="secret.txt"/></asset>'
    assert "which is no relative path" in refusal(mjcf(folder, f'<compiler {attribute}="/"/>{inside}'))
    for away in ("../..", r"..\..", r"../shared\..\.."):
        assert "which is not below" in refusal(mjcf(folder, f'<compiler {attribute}="{away}"/>{inside}'))


def test_a_folder_of_assets_in_one_file_does_not_lead_out_in_another(folder):
    (folder / "part.xml").write_text('<mujoco><asset><mesh name="m" file="secret.txt"/></asset></mujoco>')
    path = mjcf(folder, '<compiler meshdir="../.."/><include file="part.xml"/>')
    assert 'part.xml:1: <mesh> names "secret.txt", which is not below' in refusal(path)
    (folder / "part.xml").write_text('<mujoco><compiler meshdir="../.."/></mujoco>')
    path = mjcf(folder, '<include file="part.xml"/><asset><mesh name="m" file="secret.txt"/></asset>')
    assert 'arm.xml:1: <mesh> names "secret.txt", which is not below' in refusal(path)


def test_a_name_without_its_folders_does_not_lead_out(folder):
    (folder / "link.obj").symlink_to(folder.parent.parent / "secret.txt")
    os.mkfifo(folder / "pipe.obj")
    strip = '<compiler strippath="true"/><asset><mesh name="m" file="{}"/></asset>'
    assert "which is not below" in refusal(mjcf(folder, strip.format("no/link.obj")))
    assert "which is no regular file" in refusal(mjcf(folder, strip.format(r"no\pipe.obj")))
    assert 'names "secret.txt", which is not there' in refusal(
        mjcf(folder, strip.format("../../secret.txt"))
    )


def test_an_attribute_that_only_mujoco_might_take_for_a_file_is_refused(folder):
    sentence = refusal(mjcf(folder, '<INCLUDE file="../../secret.txt"/>'))
    assert 'arm.xml:1: <INCLUDE> has an attribute "file", by which it names no file; remove it.' in sentence


@pytest.mark.parametrize("exchanged", ["file", "folder"])
def test_a_file_exchanged_after_the_look_is_not_followed(exchanged, folder):
    (folder / "part").mkdir()
    (folder / "part" / "m.obj").write_text("near")
    (folder.parent.parent / "m.obj").write_text(SECRET)
    near = NearFiles(folder)
    place = near.first([str(folder / "part" / "m.obj")])
    assert place is not None
    if exchanged == "file":
        place.unlink()
        place.symlink_to(folder.parent.parent / "m.obj")
    else:
        place.parent.rename(folder / "before")
        place.parent.symlink_to(folder.parent.parent)
    with pytest.raises(TooFar, match="which cannot be read"):
        near.read(place)


def test_files_are_bounded_together(folder, monkeypatch):
    monkeypatch.setattr(model_files, "MOST_BYTES", 100)
    for name in "ab":
        (folder / f"{name}.obj").write_bytes(bytes(60))
    meshes = "".join(f'<mesh file="{name}.obj"/>' for name in "ab")
    sentence = refusal(mjcf(folder, f"<asset>{meshes}</asset>"))
    assert '<mesh> names "b.obj", with which its files have more than 100 bytes' in sentence


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
            f"<worldbody>{2 * MANY}<geom/>{2 * '</replicate>'}</worldbody>",
            "<replicate> asks for 1e+06 copies; at most 1,000 are made for a robot.",
        ),
        (
            '<worldbody><flexcomp name="f" type="grid" count="999 999 999"/></worldbody>',
            "<flexcomp> asks for 9.97003e+08 cells; at most 10,000 are made for a robot.",
        ),
        (
            f"<worldbody>{20 * SIBLING}</worldbody>",
            "with <site> it asks for 50949 elements beside those it writes out: copies, cells and what it attaches; "
            "at most 50,000 are made for a robot.",
        ),
        (
            '<worldbody><body name="b">'
            + 2 * '<flexcomp name="f" count="8 9 99"/>'
            + "</body></worldbody>",
            "with <flexcomp> it asks for 71278 elements",
        ),
        ('<size nuser_body="100000000"/>', "<size> asks for 1e+08 nuser_body; at most 10,000"),
        ('<size nkey="100000000"/>', "<size> asks for 1e+08 nkey"),
        ('<sensor><user dim="1e9"/></sensor>', "<user> asks for 1e+09 dim"),
        ('<size nkey="nan"/>', "<size> asks for nan nkey"),
        (
            f"<worldbody>{11 * JOINTED}</worldbody>",
            "with it there are more than 10,000 elements <joint>, the most that are made for a robot.",
        ),
    ],
)
def test_a_short_text_does_not_ask_for_gigabytes(inside, sentence, folder):
    assert sentence in refusal(mjcf(folder, inside))


@pytest.mark.parametrize(
    "element",
    [
        "<keyframe>{}<key/></keyframe>",
        "<worldbody>{}<site/></worldbody>",
        '<default>{}<default class="d"/></default>',
    ],
)
def test_very_many_elements_of_a_kind_are_refused_before_mujoco_looks_at_each_beside_all_others(
    element, folder
):
    kind = re.findall(r"<(\w+)", element)[1]
    many = 20_000 * (f'<default class="{kind}"/>' if kind == "default" else f"<{kind}/>")
    said = refusal(mjcf(folder, element.format(many)))
    assert f"with it there are more than 20,000 elements <{kind}>" in said
    few = element.format(20 * f"<{kind}/>") if kind != "default" else ""
    assert strobe.load(mjcf(folder, few)).n == 1


def test_what_attached_models_have_alike_is_added_up(folder):
    (folder / "sites.xml").write_text(f"<mujoco><worldbody>{3_000 * '<site/>'}{{}}</worldbody></mujoco>")
    attach = "".join(f'<attach model="m" prefix="{i}"/>' for i in range(7))
    said = refusal(
        mjcf(folder, f'<asset><model name="m" file="sites.xml"/></asset><worldbody>{attach}</worldbody>')
    )
    assert "with it there are more than 20,000 elements <site>" in said


def test_copies_are_added_up_over_included_files(folder):
    for k in range(4):
        (folder / f"part{k}.xml").write_text(f"<mujoco><worldbody>{5 * SIBLING}</worldbody></mujoco>")
    parts = "".join(f'<include file="part{k}.xml"/>' for k in range(4))
    assert "part2.xml:1: with <site> it asks for 50949 elements" in refusal(mjcf(folder, parts))


def test_attached_models_are_counted_as_often_as_they_are_made(folder):
    attach = "".join(f'<attach model="m" prefix="{i}"/>' for i in range(8))
    for k in range(7):
        text = f'<asset><model name="m" file="m{k + 1}.xml"/></asset><worldbody>{attach}</worldbody>'
        (folder / f"m{k}.xml").write_text(f"<mujoco>{text}</mujoco>")
    (folder / "m7.xml").write_text("<mujoco><worldbody><geom/><site/><camera/></worldbody></mujoco>")
    assert re.search(r"m\d.xml:1: with <attach> it asks for \d+ elements", refusal(folder / "m0.xml"))


def test_what_a_model_attaches_to_itself_is_counted_as_often_as_it_is_made(folder):
    doubled = '<body name="b{}"><attach body="b{}" prefix="l{}"/><attach body="b{}" prefix="r{}"/></body>'
    bodies = "".join(doubled.format(k, k - 1, k, k - 1, k) for k in range(1, 25))
    path = mjcf(folder, f'<worldbody><body name="b0"><geom size="1"/></body>{bodies}</worldbody>')
    assert "with <attach> it asks for" in refusal(path)
    again = "".join(f'<attach body="c" prefix="p{k}"/>' for k in range(25))
    into_itself = mjcf(folder, f'<worldbody><body name="c"><geom size="1"/>{again}</body></worldbody>')
    assert "with <attach> it asks for" in refusal(into_itself)
    renamed = '<body name="b{}"><attach body="x{}b{}" prefix="l"/><attach body="x{}b{}" prefix="r"/></body>'
    renamed += '<attach body="b{}" prefix="x{}"/>'
    bodies = "".join(renamed.format(k, k - 1, k - 1, k - 1, k - 1, k, k) for k in range(1, 25))
    start = '<body name="b0"><geom size="1"/></body><attach body="b0" prefix="x0"/>'
    assert "it asks for" in refusal(mjcf(folder, f"<worldbody>{start}{bodies}</worldbody>"))


def test_a_model_may_attach_parts_of_itself(folder):
    finger = '<body name="f"><joint/><geom size="1"/></body>'
    more = "".join(f'<frame pos="{k} 0 0"><attach body="f" prefix="{k}"/></frame>' for k in range(3))
    assert strobe.load(mjcf(folder, f"<worldbody>{finger}{more}</worldbody>")).n == 5


def test_models_that_attach_each_other_end(folder):
    inside = '<mujoco><asset><model name="m" file="{}.xml"/></asset>' + BODY + "</mujoco>"
    (folder / "a.xml").write_text(inside.format("b"))
    (folder / "b.xml").write_text(inside.format("a"))
    (folder / "arm.xml").write_text(inside.format("a"))
    assert 'b.xml:1: <model> names "a.xml", which has this one inside.' in refusal(folder / "arm.xml")
    for k in range(30):
        (folder / f"m{k}.xml").write_text(inside.format(f"m{k + 1}"))
    assert "m19.xml:1: models nested more than 20 deep." in refusal(
        mjcf(folder, '<asset><model file="m0.xml"/></asset>')
    )


def test_texts_are_bounded_together(folder, monkeypatch):
    monkeypatch.setattr(mjcf_text, "LARGEST", 400)
    for k in range(3):
        (folder / f"part{k}.xml").write_text(f"<mujoco><!-- {150 * ' '} --><size/></mujoco>")
    parts = "".join(f'<include file="part{k}.xml"/>' for k in range(3))
    assert "part1.xml: with it, the model has more than 400 bytes" in refusal(mjcf(folder, parts))


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


ESCAPES = [
    "(lambda: ().__class__.__base__.__subclasses__())()",
    "(lambda g: g.gi_frame.f_back)((x for x in [1]))",
    "[c.__init__ for c in [1]]",
    "_x",
    "__builtins__",
    "exec('import os')",
    "eval('1')",
    "compile('1', '', 'eval')",
    "__import__('os')",
    "open('/etc/passwd').read()",
    "globals()",
    "getattr(1, 'real')",
    "python.type(xacro.fatal)",
    "python.vars(xacro)",
    "python.type(1)",
    "python.isinstance(1, int)",
    "str.__class__",
    "str.mro()",
    "'a'.__class__",
    "[].append(1)",
    "(1).real",
    "math.__dict__",
    "xacro.__class__",
    "xacro.names",
    "python.map.call",
    "len.call",
    "dict(a=1).values.call",
    "dict(a=1).__init__",
    "xacro.dotify(dict(a=1)).__class__",
    "sorted([1], key=len)",
    "map(open, ['/etc/passwd'])",
    "map('a'.__class__, [1])",
    "(1).__class__",
    "f'{1}'",
    "a := 1",
    "`1`",
    "1; 2",
    "import os",
    "dict(**dict())",
    "max(*[1, 2])",
    "{1: 2",
    "...",
    "b'a'",
    "1j",
    "print(1)",
    "input()",
    "type('X', (), dict())",
]


@pytest.mark.parametrize("text", ESCAPES)
@pytest.mark.parametrize("kind", ["${%s}", "$(eval %s)"])
def test_an_expression_of_xacro_does_not_reach_the_interpreter(kind, text, folder):
    sentence = refusal(xacro(folder, f"<link name='{kind % text.replace(chr(39), '&apos;')}'/>"))
    assert sentence.startswith(f"{folder / 'arm.xacro'}:1: ")


@pytest.mark.parametrize(
    "text", ["{0.__class__}", "{0[__class__]}", "{a.__init__.__globals__}", "{0.real}", "{0!a}"]
)
def test_a_format_of_xacro_does_not_reach_the_interpreter(text, folder):
    inside = f"<xacro:property name='f' value=\"'{text}'\"/><link name='${{f.format(1, a=2)}}'/>"
    assert "is not read; expected" in refusal(xacro(folder, inside))


TRAP = """
<xacro:property name="globals_of" value="${python.vars(python.type(xacro.fatal))['__globals__']}"/>
<xacro:property name="get" value="${python.vars(python.type(globals_of))['__get__']}"/>
<xacro:property name="builtin" value="${get(globals_of, xacro.fatal)['__builtins__']}"/>
<xacro:property name="made" value="${python.vars(builtin['__import__']('os'))['mkfifo']('PLACE')}"/>
<link name="${made}"/>"""


def test_a_xacro_file_runs_no_code(folder):
    """A way from an allowed function to its globals, and from there to any module, without one forbidden name."""
    place = folder / "executed"
    sentence = refusal(xacro(folder, TRAP.replace("PLACE", str(place))))
    assert 'there is no "vars" in the namespace "python"' in sentence
    assert not place.exists()


def test_nothing_is_evaluated_or_imported_for_a_xacro_file(folder, monkeypatch):
    """No expression reaches eval, exec or compile; no module is loaded for one."""
    path = xacro(folder, "<link name=\"${'a' + str(max(1, 2))}\"/>")
    strobe.load(path)
    told = []

    def listen(event, args):
        if _counting and event in ("exec", "compile", "import", "subprocess.Popen", "os.system"):
            told.append((event, args))

    _counting = False
    sys.addaudithook(listen)
    _counting = True
    strobe.load(path)
    _counting = False
    assert told == []


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
    sentence = refusal(xacro(folder, '<xacro:include filename="part.xacro"/>'))
    assert "part.xacro is no regular file; expected one." in sentence


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
