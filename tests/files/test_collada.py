"""COLLADA files as triangles: where another reader puts them, and nothing of what a hostile file asks for."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from strobe.errors import ModelFileError
from strobe.files.collada import read_collada

CORNERS = "0 0 0  1 0 0  1 2 0  0 2 0  0 0 3"
SOURCE = f"""<source id="p"><float_array id="a" count="15">{CORNERS}</float_array><technique_common>
<accessor source="#a" count="5" stride="3"><param name="X" type="float"/><param name="Y" type="float"/>
<param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>"""
INPUT = '<input semantic="VERTEX" source="#v" offset="0"/>'
NORMALS = '<input semantic="NORMAL" source="#n" offset="1"/>'
TRIANGLE = f'<triangles count="1">{INPUT}<p>0 1 2</p></triangles>'
PLACED = """<node><translate>0.1 0.2 0.3</translate><rotate>0 0 1 30</rotate><rotate>1 0 0 -50</rotate>
<scale>2 3 4</scale><instance_geometry url="#g"/><node><matrix>0 -1 0 5  1 0 0 6  0 0 1 7  0 0 0 1</matrix>
<instance_node url="#far"/></node></node>"""
FAR = """<library_nodes><node id="far" name="far"><translate>0 0 9</translate><instance_geometry url="#g"/></node>
</library_nodes>"""


def dae(
    shapes: str = TRIANGLE,
    nodes: str = '<node><instance_geometry url="#g"/></node>',
    *,
    unit: str = "1",
    up: str = "Z_UP",
    library: str = "",
) -> bytes:
    return f"""<?xml version="1.0" encoding="utf-8"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1"><asset><created>2020-01-01</created>
<modified>2020-01-01</modified><unit name="u" meter="{unit}"/><up_axis>{up}</up_axis></asset>
<library_geometries><geometry id="g" name="g"><mesh>{SOURCE}{shapes}</mesh></geometry></library_geometries>{library}
<library_visual_scenes><visual_scene id="s" name="s">{nodes}</visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>""".encode()


def corners(content: bytes) -> np.ndarray:
    vertices, faces = read_collada("a.dae", content)
    return vertices[faces]


def area(triangles: np.ndarray) -> float:
    a, b, c = triangles.transpose(1, 0, 2)
    return float(0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=-1).sum())


def rows(points: np.ndarray) -> np.ndarray:
    """Points without repetitions, in an order."""
    return np.unique(np.round(points.reshape(-1, 3), 4) + 0.0, axis=0)


@pytest.mark.parametrize("up", ["Z_UP", "Y_UP"])
def test_vertices_stand_where_assimp_puts_them(tmp_path: Path, up: str) -> None:
    coal = pytest.importorskip("coal")
    path = tmp_path / "a.dae"
    quad = f'<polylist count="2">{INPUT}<vcount>4 3</vcount><p>0 1 2 3  0 1 4</p></polylist>'
    path.write_bytes(dae(quad, PLACED, up=up, library=FAR))
    peer = coal.MeshLoader().load(str(path), np.ones(3))
    ours = corners(path.read_bytes())
    assert len(ours) == peer.num_tris == 6
    assert np.allclose(rows(ours), rows(np.asarray(peer.vertices())), atol=1e-3)


def test_the_scale_of_a_node_is_felt_across_what_it_turns() -> None:
    """A triangle in x and z, with edges of 1 m and 3 m, is stretched 2 and 4 times; turned, 3 and 4 times."""
    found = corners(dae(TRIANGLE.replace("0 1 2<", "0 1 4<"), PLACED, library=FAR))
    assert area(found[:1]) == pytest.approx(1.5 * 8)
    assert area(found[1:]) == pytest.approx(1.5 * 12)


def test_the_unit_of_a_file_is_taken_into_account() -> None:
    assert corners(dae(unit="0.01")) == pytest.approx(0.01 * corners(dae()))


def test_the_meshes_of_an_installed_robot_have_the_size_that_assimp_gives_them() -> None:
    coal, pin = pytest.importorskip("coal"), pytest.importorskip("pinocchio")
    robots = next(iter(Path(pin.__file__).parents[4].glob("share/example-robot-data/robots")), None)
    if robots is None:
        pytest.skip("no robots are installed")
    for name in ("shoulder.dae", "wrist3.dae"):
        place = robots / "ur_description/meshes/ur5/visual" / name
        vertices, faces = read_collada(place, place.read_bytes())
        theirs = coal.MeshLoader().load(str(place), np.ones(3)).vertices()
        assert np.allclose(vertices.min(axis=0), theirs.min(axis=0), atol=1e-5)
        assert np.allclose(vertices.max(axis=0), theirs.max(axis=0), atol=1e-5)
        assert len(faces) > 1_000


@pytest.mark.parametrize(
    ("shape", "count", "square_metres"),
    [
        (TRIANGLE, 1, 1),
        (f'<polylist count="1">{INPUT}<vcount>4</vcount><p>0 1 2 3</p></polylist>', 2, 2),
        (f'<polygons count="2">{INPUT}<p>0 1 2 3</p><p>0 1 2</p></polygons>', 3, 3),
        (f'<tristrips count="1">{INPUT}<p>0 1 3 2</p></tristrips>', 2, 2),
        (f'<trifans count="1">{INPUT}<p>0 1 2 3</p></trifans>', 2, 2),
        (TRIANGLE + f'<lines count="1">{INPUT}<p>0 1</p></lines>', 1, 1),
        (f"<triangles>{INPUT}{NORMALS}<p>0 9 1 9 2 9</p></triangles>", 1, 1),
    ],
)
def test_every_way_to_state_faces_gives_its_area(shape: str, count: int, square_metres: float) -> None:
    found = corners(dae(shape))
    assert len(found) == count
    assert area(found) == pytest.approx(square_metres)
    normals = np.cross(found[:, 1] - found[:, 0], found[:, 2] - found[:, 0])
    assert (normals[:, 2] > 0).all()


HUGE_SCALE = PLACED.replace("2 3 4", "1e308 1e308 1e308").replace("0.1 0.2 0.3", "1e308 0 0")
HUGE = "".join(
    f'<node id="n{k}">' + f'<instance_node url="#n{k + 1}"/>' * 10 + "</node>" for k in range(12)
) + ('<node id="n12"><instance_geometry url="#g"/></node>')


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (dae(nodes='<node><instance_node url="#n0"/></node>', library=HUGE), "more than 10,000 nodes"),
        (dae(nodes='<node id="own"><instance_node url="#own"/></node>'), "100 deep"),
        (dae(nodes='<node><instance_geometry url="file:///etc/passwd"/></node>'), "nothing in the file"),
        (dae(nodes='<node><instance_controller url="#g"/></node>'), "skins"),
        (dae(nodes="<node><lookat>1 2 3 4 5 6 7 8 9</lookat></node>"), "lookat"),
        (dae(nodes="<node><scale>1 2</scale></node>"), "a scale of 2 numbers"),
        (dae(nodes="<node/>"), "no triangles"),
        (dae(nodes=HUGE_SCALE), "no size"),
        (dae(TRIANGLE.replace("0 1 2<", "0 1 7<")), "not there"),
        (dae(TRIANGLE.replace("0 1 2<", "0 1 -2<")), "not there"),
        (dae(TRIANGLE.replace("0 1 2<", "0 1 two<")), "words where p has numbers"),
        (dae(TRIANGLE.replace("0 1 2<", "0 1<")), "cannot reshape"),
        (dae(f'<polylist>{INPUT}<vcount>9</vcount><p>0 1 2 3</p></polylist>'), "other corners"),
        (dae(f'<polylist>{INPUT}<vcount>-4 8</vcount><p>0 1 2 3</p></polylist>'), "other corners"),
        (dae().replace(b'count="5"', b'count="999999999"'), "three numbers each"),
        (dae().replace(b"0 0 3<", b"0 0 nan<"), "three numbers each"),
        (dae(TRIANGLE.replace('offset="0"', 'offset="999999999"')), "no vertices"),
        (dae(unit="0"), "a unit of 0.0 m"),
        (dae(unit="nan"), "a unit of nan m"),
        (b"<COLLADA/>", "no scene"),
        (b'<!DOCTYPE x [<!ENTITY a "b">]><COLLADA/>', "refused"),
        (dae().replace(b'semantic="POSITION"', b'semantic="COLOUR"'), "POSITION"),
    ],
)  # fmt: skip
def test_what_is_no_mesh_is_refused_with_the_reason(content: bytes, why: str) -> None:
    with pytest.raises(ModelFileError, match=why):
        read_collada("a.dae", content)
