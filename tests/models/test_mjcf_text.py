"""The files that an MJCF names, in every arrangement of folders: those that MuJoCo itself would read."""

import itertools

import pytest

from strobe.errors import ModelFileError
from strobe.models.mjcf import read_mjcf

mujoco = pytest.importorskip("mujoco", reason="MuJoCo (package mujoco) is not installed")

PLACES = [
    f"{top}{place}x.obj"
    for top in ("", "sub/")
    for place in ("", "meshes/", "deep/", "meshes/deep/", "other/")
]
BODY = '<worldbody><body name="b"><joint/><geom type="mesh" mesh="x"/></body></worldbody>'
ATTACH = '<worldbody><attach model="s" body="b" prefix="p"/></worldbody>'
ASSET = '<asset><model name="s" file="{}"/></asset>'


def solid(size: float) -> str:
    """A tetrahedron of a size that its mass tells."""
    return f"v 0 0 0\nv {size} 0 0\nv 0 {size} 0\nv 0 0 {size}\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"


def mesh(name: str) -> str:
    return f'<asset><mesh name="x" file="{name}"/></asset>'


def compiler(**told: str) -> str:
    return f"<compiler {' '.join(f'{name}={value!r}' for name, value in told.items())}/>"


INCLUDE = '<include file="sub/part.xml"/>'
ARRANGEMENTS = {
    "beside": {"arm": mesh("x.obj") + BODY},
    "below": {"arm": mesh("deep/x.obj") + BODY},
    "backslashes": {"arm": mesh(r"meshes\deep\x.obj") + BODY},
    "back and forth": {"arm": mesh("nowhere/../meshes//./x.obj") + BODY},
    "meshdir": {"arm": compiler(meshdir="meshes") + mesh("x.obj") + BODY},
    "meshdir with backslashes": {"arm": compiler(meshdir="meshes\\deep\\") + mesh("x.obj") + BODY},
    "assetdir": {"arm": compiler(assetdir="meshes") + mesh("x.obj") + BODY},
    "meshdir over assetdir": {"arm": compiler(assetdir="deep", meshdir="meshes") + mesh("x.obj") + BODY},
    "the last meshdir": {"arm": compiler(meshdir="deep") + mesh("x.obj") + compiler(meshdir="meshes") + BODY},
    "assetdir after meshdir": {"arm": compiler(meshdir="deep") + compiler(assetdir="other") + mesh("x.obj") + BODY},
    "strippath": {"arm": compiler(strippath="true", meshdir="meshes") + mesh("q/deep/x.obj") + BODY},
    "strippath with backslashes": {"arm": compiler(strippath="true") + mesh(r"..\..\x.obj") + BODY},
    "strippath of an absolute name": {"arm": compiler(strippath="true") + mesh("/q/x.obj") + BODY},
    "strippath taken back": {
        "arm": compiler(strippath="true") + compiler(strippath="false") + mesh("deep/x.obj") + BODY,
    },
    "in an included file": {"arm": INCLUDE + BODY, "sub/part": mesh("x.obj")},
    "by a backslash": {"arm": INCLUDE.replace("/p", "\\p") + BODY, "sub/part": mesh("x.obj")},
    "meshdir here, mesh there": {"arm": compiler(meshdir="meshes") + INCLUDE + BODY, "sub/part": mesh("x.obj")},
    "meshdir there, mesh here": {"arm": INCLUDE + mesh("x.obj") + BODY, "sub/part": compiler(meshdir="meshes")},
    "both there": {"arm": INCLUDE + BODY, "sub/part": compiler(meshdir="meshes") + mesh("x.obj")},
    "strippath there": {"arm": INCLUDE + BODY, "sub/part": compiler(strippath="true") + mesh("deep/x.obj")},
    "included twice over": {
        "arm": INCLUDE + BODY, "sub/part": '<include file="more.xml"/>', "sub/more": mesh("deep/x.obj"),
    },
    "included from beside the model": {
        "arm": INCLUDE + BODY, "sub/part": '<include file="more.xml"/>', "more": mesh("x.obj"),
        "sub/more": mesh("deep/x.obj"),
    },
    "in an attached model": {"arm": ASSET.format("sub/s.xml") + ATTACH, "sub/s": mesh("x.obj") + BODY},
    "in a model by a backslash": {"arm": ASSET.format("sub\\s.xml") + ATTACH, "sub/s": mesh("x.obj") + BODY},
    "in a model with a meshdir around": {
        "arm": compiler(meshdir="meshes") + ASSET.format("sub/s.xml") + ATTACH, "sub/s": mesh("x.obj") + BODY,
    },
    "in a model with its own meshdir": {
        "arm": compiler(meshdir="deep") + ASSET.format("sub/s.xml") + ATTACH,
        "sub/s": compiler(meshdir="meshes") + mesh("x.obj") + BODY,
    },
    "in a model with strippath around": {
        "arm": compiler(strippath="true") + ASSET.format("sub/s.xml") + ATTACH, "sub/s": mesh("deep/x.obj") + BODY,
    },
    "in a model with its own strippath": {
        "arm": ASSET.format("sub/s.xml") + ATTACH,
        "sub/s": compiler(strippath="true") + mesh("deep/x.obj") + BODY,
    },
    "in a model that an included file names": {
        "arm": INCLUDE + ATTACH, "sub/part": ASSET.format("s.xml"), "sub/s": mesh("x.obj") + BODY,
    },
    "in a file that a model includes": {
        "arm": ASSET.format("sub/s.xml") + ATTACH, "sub/s": '<include file="more.xml"/>' + BODY,
        "sub/more": mesh("x.obj"),
    },
    "called by its file": {"arm": '<asset><mesh file="deep\\x.obj"/></asset>' + BODY},
}  # fmt: skip


def masses(path) -> tuple[float | None, float | str | None]:
    """Of the body, in MuJoCo's own reading and in ours; none where the file is not found."""
    try:
        theirs = float(mujoco.MjModel.from_xml_path(str(path)).body_mass.sum())
    except ValueError:
        theirs = None
    try:
        ours = sum(body.inertia.m for body in read_mjcf(path).bodies)
    except ModelFileError as error:
        ours = None if "which is not there" in str(error) else str(error)
    return theirs, ours


@pytest.mark.parametrize("arrangement", ARRANGEMENTS)
def test_the_files_are_those_that_mujoco_reads(arrangement, tmp_path):
    for name, inside in ARRANGEMENTS[arrangement].items():
        (tmp_path / f"{name}.xml").parent.mkdir(exist_ok=True)
        (tmp_path / f"{name}.xml").write_text(f"<mujoco>{inside}</mujoco>")
    sizes = {}
    for size, place in zip(itertools.count(1), PLACES, strict=False):
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / place).write_text(solid(size))
        sizes[round(size**3 * 1000 / 6)] = place
    found = 0
    while True:  # each time without the file that was read the last time
        theirs, ours = masses(tmp_path / "arm.xml")
        assert ours == (None if theirs is None else pytest.approx(theirs))
        if theirs is None:
            break
        (tmp_path / sizes[round(theirs)]).unlink()
        found += 1
    assert found > 0


def test_meshes_of_one_name_in_two_folders_are_two(tmp_path):
    for size, place in enumerate(("x.obj", "deep/x.obj"), start=1):
        (tmp_path / place).parent.mkdir(exist_ok=True)
        (tmp_path / place).write_text(solid(size))
    assets = '<asset><mesh name="x" file="x.obj"/><mesh name="y" file="deep/x.obj"/></asset>'
    (tmp_path / "arm.xml").write_text(f"<mujoco>{assets}{BODY}</mujoco>")
    theirs, ours = masses(tmp_path / "arm.xml")
    assert ours == pytest.approx(theirs)
    assert theirs == pytest.approx(1000 / 6)


def test_a_height_field_weighs_what_it_weighs_in_mujoco(tmp_path):
    text = """<mujoco><asset><hfield name="h" nrow="3" ncol="2" elevation="0 1 2 3 4 5" size="1 2 .5 .1"/></asset>
    <worldbody><body name="b"><joint/><geom size=".1"/>
    <body pos="1 0 0"><geom type="hfield" hfield="h"/></body></body></worldbody></mujoco>"""
    (tmp_path / "arm.xml").write_text(text)
    theirs, ours = masses(tmp_path / "arm.xml")
    assert ours == pytest.approx(theirs)
    assert theirs > 1000


@pytest.mark.parametrize(
    ("files", "sentence"),
    [
        (
            {"arm": INCLUDE + BODY, "sub/part": "<asset>\n\n<mesh/></asset>"},
            "part.xml:3: MuJoCo cannot compile this: ",
        ),
        (
            {
                "arm": ASSET.format("sub/s.xml") + ATTACH,
                "sub/s": '\n<worldbody>\n<body name="b"><joint/></body></worldbody>',
            },
            "s.xml:3: MuJoCo cannot compile this: Error: mass and inertia of moving bodies",
        ),
        (
            {"arm": ASSET.format("sub/s.xml") + ATTACH, "sub/s": "\n<wheel/>"},
            "s.xml:2: MuJoCo cannot compile this: ",
        ),
        ({"arm": "\n" + mesh("arm.xml") + BODY}, "arm.xml:2: MuJoCo cannot compile this: Error: no decoder"),
        ({"arm": mesh("x.obj")}, 'arm.xml:1: <mesh> names "x.obj", which is not there.'),
        ({"arm": '<include file="arm.xml"/>'}, 'arm.xml:1: <include> names "arm.xml", which is already included.'),
        ({"arm": "<include/>"}, "arm.xml:1: <include> has no file; expected the name of a file alone."),
        ({"arm": INCLUDE, "sub/part": ""}, "part.xml:1: an included file without elements; remove the <include>."),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_in_the_file_where_it_stands(files, sentence, tmp_path):
    for name, inside in files.items():
        (tmp_path / f"{name}.xml").parent.mkdir(exist_ok=True)
        (tmp_path / f"{name}.xml").write_text(f"<mujoco>{inside}</mujoco>")
    with pytest.raises(ModelFileError) as caught:
        read_mjcf(tmp_path / "arm.xml")
    assert sentence in str(caught.value)


def test_a_file_is_called_by_its_own_name_in_a_complaint(tmp_path):
    (tmp_path / "bad.stl").write_bytes(bytes(100))
    (tmp_path / "arm.xml").write_text(f"<mujoco>{mesh('bad.stl')}{BODY}</mujoco>")
    with pytest.raises(ModelFileError, match=r"STL file 'bad\.stl'"):
        read_mjcf(tmp_path / "arm.xml")


def test_values_arrive_as_they_are_written(tmp_path):
    name = "a &lt; &quot;b&quot; &amp; 'c' é"
    (tmp_path / "arm.xml").write_text(
        f'\ufeff<?xml version="1.0"\n?>\n<mujoco model="{name}"><worldbody/></mujoco>', encoding="utf-8"
    )
    assert read_mjcf(tmp_path / "arm.xml").name == "a < \"b\" & 'c' é"
