"""Shapes of links as few triangles: the right ones, in the right place, and a word where they are missing."""

from __future__ import annotations

import sys
from base64 import b64decode
from pathlib import Path

import numpy as np
import pytest

import strobe
from strobe.study import meshes, study
from strobe.study.meshes import SOLIDS, Triangles, carried, clustered, few, packed
from strobe.study.pages import whole_page

ARM = """<robot name="arm"><link name="base"><visual><geometry><box size="0.2 0.2 0.1"/></geometry></visual></link>
<link name="arm"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
{}</link><joint name="turn" type="continuous"><parent link="base"/><child link="arm"/><origin xyz="0 0 0.5"/>
<axis xyz="0 0 1"/></joint></robot>"""
SHAPE = "<{0}><geometry>{1}</geometry></{0}>"


def arm(folder: Path, *shapes: tuple[str, str]) -> Path:
    path = folder / "arm.urdf"
    path.write_text(ARM.format("".join(SHAPE.format(*shape) for shape in shapes)), encoding="utf-8")
    return path


def stl(path: Path, mesh: Triangles) -> None:
    """A binary STL, by hand: 80 bytes, a count, and fifty bytes per triangle."""
    rows = np.zeros(len(mesh.faces), dtype=[("n", "<f4", 3), ("v", "<f4", (3, 3)), ("a", "<u2")])
    rows["v"] = mesh.vertices[mesh.faces]
    path.write_bytes(bytes(80) + np.uint32(len(rows)).tobytes() + rows.tobytes())


def area(mesh: Triangles) -> float:
    a, b, c = mesh.vertices[mesh.faces].transpose(1, 0, 2)
    return float(0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=-1).sum())


def unpacked(data: dict) -> Triangles:
    v, f = (np.frombuffer(b64decode(data[k]), "<u2").astype(int).reshape(-1, 3) for k in "vf")
    return Triangles(np.array(data["low"]) + data["step"] * v, f)


def told(file: Path) -> list[str]:
    return carried(file, strobe.load(file).model.proximal())[1]


def test_solids_have_their_areas() -> None:
    assert area(SOLIDS["box"](1, 2, 3)) == pytest.approx(22)
    assert area(SOLIDS["cylinder"](0.5, 2)) == pytest.approx(2.5 * np.pi, rel=0.02)
    assert area(SOLIDS["sphere"](1)) == pytest.approx(4 * np.pi, rel=0.03)


def test_a_mesh_comes_back_to_a_65535th_of_its_size() -> None:
    mesh = SOLIDS["sphere"](0.3).moved(np.eye(4))
    back = unpacked(packed(2, mesh))
    off = np.abs(back.vertices[back.faces] - mesh.vertices[mesh.faces])
    assert off.max() <= 0.6 / 65535


@pytest.mark.slow
def test_a_fine_mesh_becomes_few_triangles_of_the_same_shape(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meshes, "AROUND", 400)
    monkeypatch.setattr(meshes, "ALONG", 200)
    fine = SOLIDS["sphere"](1)
    small = few({0: fine}, 3_000)[0]
    assert len(fine.faces) == 160_000
    assert 1_000 < len(small.faces) <= 3_000
    assert np.linalg.norm(small.vertices, axis=-1) == pytest.approx(1, abs=0.05)
    assert area(small) == pytest.approx(4 * np.pi, rel=0.05)


def test_clustering_drops_what_collapses() -> None:
    mesh = Triangles(
        np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1e-3, 0, 0.0]]), np.array([[0, 1, 2], [0, 3, 2]])
    )
    assert len(clustered(mesh, 0.1).faces) == 1


def test_shapes_stand_where_pinocchio_puts_their_links(tmp_path: Path) -> None:
    pin = pytest.importorskip("pinocchio")
    inside = '<origin xyz="0.1 0.2 0.3" rpy="0.4 0.5 0.6"/><geometry><box size="0.2 0.4 0.6"/></geometry>'
    path = tmp_path / "arm.urdf"
    path.write_text(ARM.format(f"<visual>{inside}</visual>"), encoding="utf-8")
    solids, _ = carried(path, strobe.load(path).model.proximal())
    base, own = (unpacked(solid).vertices for solid in sorted(solids, key=lambda each: each["body"]))
    peer = pin.buildModelFromUrdf(str(path))
    shapes = pin.buildGeomFromUrdf(peer, str(path), pin.GeometryType.VISUAL)
    # in the joint's axes
    placed = next(g.placement for g in shapes.geometryObjects if g.name.startswith("arm"))
    assert np.allclose(own.mean(axis=0), placed.translation, atol=1e-4)
    assert np.allclose(
        np.abs((own - placed.translation) @ placed.rotation).max(axis=0), [0.1, 0.2, 0.3], atol=1e-4
    )
    assert np.allclose(np.ptp(base, axis=0), [0.2, 0.2, 0.1], atol=1e-4)


def test_a_mesh_file_is_drawn_with_its_scale(tmp_path: Path) -> None:
    pytest.importorskip("trimesh")
    stl(tmp_path / "hand.stl", SOLIDS["box"](100, 200, 300))
    path = arm(tmp_path, ("visual", '<mesh filename="hand.stl" scale="0.001 0.001 0.001"/>'))
    solids, remarks = carried(path, strobe.load(path).model.proximal())
    assert remarks == []
    assert np.allclose(np.ptp(unpacked(solids[-1]).vertices, axis=0), [0.1, 0.2, 0.3], atol=1e-4)


def test_a_urdf_called_xml_has_its_shapes_and_an_mjcf_is_told(tmp_path: Path) -> None:
    path = arm(tmp_path).rename(tmp_path / "arm.xml")
    page = whole_page(study(strobe.load(path), quick=True, sections=["view"], file=str(path)))
    assert "shapes of MJCF are not read" not in page
    assert '"body": -1' in page or '"body":-1' in page
    path.write_text('<mujoco><worldbody><geom size="1"/></worldbody></mujoco>', encoding="utf-8")
    page = whole_page(study(strobe.load("planar2"), quick=True, sections=["view"], file=str(path)))
    assert "shapes of MJCF are not read" in page


def test_a_robot_is_shown_with_the_shapes_of_its_file(tmp_path: Path) -> None:
    path = arm(tmp_path, ("visual", '<sphere radius="0.1"/>'))
    robot, page = strobe.load(path), tmp_path / "arm.html"
    robot.show(page)
    assert '"low"' not in page.read_text(encoding="utf-8")
    robot.show(page, shapes=path, force=True)
    assert '"low"' in page.read_text(encoding="utf-8")
    for shapes, why in (
        (tmp_path / "none.urdf", "cannot be read"),
        (3, "3 is no path"),
        (page, "malformed XML|document type"),
    ):
        with pytest.raises(strobe.StrobeError, match=why):
            robot.show(page, shapes=shapes, force=True)  # pyright: ignore[reportArgumentType]
    path.write_text(path.read_text(encoding="utf-8").replace('"base"', '"foot"'), encoding="utf-8")
    with pytest.raises(strobe.StrobeError, match="gives no link of planar2 a shape"):
        strobe.load("planar2").show(page, shapes=path, force=True)


def test_an_obj_file_opens_no_other(tmp_path: Path) -> None:
    pytest.importorskip("trimesh")
    lines = ["mtllib ../secret.mtl", "usemtl x", "v 0 0 0", "v 1 0 0", "v 0 1 0", "f 1 2 3"]
    (tmp_path / "hand.obj").write_text("\n".join(lines), encoding="utf-8")
    path = arm(tmp_path, ("visual", '<mesh filename="hand.obj"/>'))
    opened, listening = list[str](), [True]  # the interpreter never forgets a hook
    sys.addaudithook(
        lambda event, args: opened.append(str(args[0])) if event == "open" and listening else None
    )
    assert told(path) == []
    listening.clear()
    assert str(path) in opened
    assert not [place for place in opened if "secret" in place or "hand.mtl" in place]


def test_where_no_visual_can_be_read_the_collision_shape_is_drawn_and_that_is_said(tmp_path: Path) -> None:
    path = arm(tmp_path, ("visual", '<mesh filename="a.ply"/>'), ("collision", '<sphere radius="0.1"/>'))
    assert told(path) == ["1 link is drawn by its collision shape: meshes of the kind .ply are not read."]


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("none.stl", "files are not there"),
        ("../../etc/passwd.stl", "files are not there|outside"),
        ("broken.stl", "a file is no mesh that can be read"),
        ("a.ply", "meshes of the kind .ply are not read"),
        ("broken.dae", "a file is no mesh that can be read"),
        ("/etc/a.stl", "a file is named by an address or an absolute path"),
    ],
)
def test_where_nothing_can_be_read_lines_are_drawn_and_that_is_said(
    tmp_path: Path, name: str, why: str
) -> None:
    pytest.importorskip("trimesh")
    (tmp_path / "broken.stl").write_bytes(bytes(80) + b"\xff\xff\xff\xff")
    (tmp_path / "broken.dae").write_bytes(b"<COLLADA/>")
    (sentence,) = told(arm(tmp_path, ("visual", f'<mesh filename="{name}"/>')))
    assert sentence.startswith("1 link is drawn by lines between joints: ")
    assert any(each in sentence for each in why.split("|"))


def test_without_trimesh_the_page_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "trimesh", None)
    stl(tmp_path / "hand.stl", SOLIDS["box"](1, 2, 3))
    path = arm(tmp_path, ("visual", '<mesh filename="hand.stl"/>'))
    page = whole_page(study(strobe.load(path), sections=["view"], file=str(path)))
    assert "drawn by lines between joints: reading a mesh file needs the package trimesh" in page


def test_files_too_large_are_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(meshes, "LARGEST_FILE", 100)
    stl(tmp_path / "hand.stl", SOLIDS["box"](1, 2, 3))
    (sentence,) = told(arm(tmp_path, ("visual", '<mesh filename="hand.stl"/>')))
    assert "a file has more than" in sentence
