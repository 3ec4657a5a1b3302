"""Mass properties of solids: golden values, closed forms against meshes, refusals."""

import math
import sys

import numpy as np
import pytest

from strobe.algebra import Pose
from strobe.errors import ArgumentError, MissingExtraError
from strobe.models import shapes
from strobe.models.model import moved

CUBE = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)], float)
CUBE_FACES = [
    [0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1],
    [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3],
]  # fmt: skip


def matrix(I):
    return np.array([[float(x) for x in row] for row in I.matrix()])


def test_a_box_from_density_has_the_golden_mass_and_moments():
    box = shapes.box((0.3, 0.2, 0.1), density=1200)
    assert box.m == pytest.approx(7.2, rel=1e-14)
    assert np.allclose(matrix(box.central), np.diag([0.03, 0.06, 0.078]), rtol=1e-14, atol=0)


def test_a_turned_box_has_the_golden_inertia():
    turned = moved(shapes.box((0.3, 0.2, 0.1), density=1200), Pose.at(rpy=(0.3, 0.0, 0.4)))
    golden = [
        [0.0347877847723, -0.0113241758858, 0.00197893922388],
        [-0.0113241758858, 0.0567841946935, -0.00468063142021],
        [0.00197893922388, -0.00468063142021, 0.0764280205342],
    ]
    assert np.allclose(matrix(turned.central), golden, rtol=0, atol=1e-13)


def quadrature(inside, reach, n=100):
    """Mass (density 1) and inertia of a solid about its centre, on a grid of cells."""
    x = (np.arange(n) + 0.5) / n * 2 - 1
    X, Y, Z = np.meshgrid(*(x * r for r in reach), indexing="ij")
    w = inside(X, Y, Z) * np.prod(reach) * 8 / n**3
    return w.sum(), [(w * (Y**2 + Z**2)).sum(), (w * (X**2 + Z**2)).sum(), (w * (X**2 + Y**2)).sum()]


@pytest.mark.parametrize(
    ("shape", "inside", "reach"),
    [
        (shapes.sphere(0.5, density=1), lambda x, y, z: x**2 + y**2 + z**2 < 0.25, (0.5, 0.5, 0.5)),
        (
            shapes.cylinder(0.3, 1.0, "x", density=1),
            lambda x, y, z: (y**2 + z**2 < 0.09) & (abs(x) < 0.5),
            (0.5, 0.3, 0.3),
        ),
        (
            shapes.capsule(0.3, 0.8, "y", density=1),
            lambda x, y, z: x**2 + z**2 + np.maximum(abs(y) - 0.4, 0) ** 2 < 0.09,
            (0.3, 0.7, 0.3),
        ),
    ],
    ids=["sphere", "cylinder", "capsule"],
)
def test_round_solids_have_the_inertia_of_their_cells(shape, inside, reach):
    mass, moments = quadrature(inside, reach)
    assert shape.m == pytest.approx(mass, rel=2e-3)
    assert np.allclose(np.diag(matrix(shape.central)), moments, rtol=2e-3)


def test_a_cube_mesh_is_a_box_about_its_own_centre():
    mesh = shapes.mesh((CUBE * [0.3, 0.2, 0.1] + [1, 2, 3], CUBE_FACES), density=1200)
    assert mesh.m == pytest.approx(7.2)
    assert np.allclose([*mesh.com], [1.15, 2.1, 3.05])
    assert np.allclose(matrix(mesh.central), np.diag([0.03, 0.06, 0.078]), atol=1e-14)


def test_a_mesh_inside_out_counts_as_outside_out():
    faces = [face[::-1] for face in CUBE_FACES]
    mesh = shapes.mesh((CUBE, faces), mass=2.0)
    assert mesh.m == 2.0
    assert np.allclose(matrix(mesh.central), np.eye(3) / 3)


def test_a_mesh_file_in_millimetres_is_scaled_to_metres(tmp_path):
    trimesh = pytest.importorskip("trimesh")
    path = tmp_path / "ball.stl"
    trimesh.creation.icosphere(subdivisions=4, radius=50).export(path)
    mesh, ball = shapes.mesh(path, density=1000, scale=1e-3), shapes.sphere(0.05, density=1000)
    assert mesh.m == pytest.approx(ball.m, rel=5e-3)
    assert np.allclose(matrix(mesh.central), matrix(ball.central), rtol=1e-2, atol=1e-8)


def test_an_open_mesh_is_refused_with_its_open_edges():
    with pytest.raises(ArgumentError) as caught:
        shapes.mesh((CUBE, CUBE_FACES[:-1]), density=1)
    assert str(caught.value) == (
        "the mesh is not closed: 3 of its 18 edges do not join exactly two triangles. "
        "Close the surface, or give mass, centre and inertia yourself."
    )


def test_a_mesh_with_a_turned_triangle_is_refused():
    faces = [*CUBE_FACES[:-1], CUBE_FACES[-1][::-1]]
    with pytest.raises(ArgumentError, match="not consistently oriented: across 3 edges"):
        shapes.mesh((CUBE, faces), density=1)


def test_a_flat_mesh_is_refused():
    with pytest.raises(ArgumentError, match="encloses no volume"):
        shapes.mesh((CUBE * [1, 1, 0], CUBE_FACES), density=1)


def test_a_face_that_names_no_vertex_is_refused():
    with pytest.raises(ArgumentError, match="names vertex 9 of 8"):
        shapes.mesh((CUBE, [[0, 1, 9]]), density=1)


def test_an_unreadable_mesh_file_is_named(tmp_path):
    pytest.importorskip("trimesh", reason="trimesh is not installed")
    path = tmp_path / "no.stl"
    path.write_text("nothing")
    with pytest.raises(ArgumentError, match=r"no\.stl"):
        shapes.mesh(path, density=1)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (
            lambda: shapes.box((1, 2), mass=1),
            "the size of a box is (1, 2); expected three lengths x, y, z.",
        ),
        (
            lambda: shapes.box((1, -2, 1), mass=1),
            "the size of a box along y is -2; expected a positive number.",
        ),
        (
            lambda: shapes.box(2.0, mass=1),  # pyright: ignore[reportArgumentType]
            "the size of a box is 2.0; expected three lengths x, y, z.",
        ),
        (
            lambda: shapes.sphere("big", mass=1),  # pyright: ignore[reportArgumentType]
            "the radius of a sphere is 'big'; expected a positive number.",
        ),
        (
            lambda: shapes.sphere(1, mass=float("nan")),
            "mass is nan; expected a positive number.",
        ),
        (
            lambda: shapes.mesh(([[0, 0, 0], [1]], [[0, 1, 2]]), mass=1),
            "the mesh is not made of numbers; expected vertices (n, 3) and faces (k, 3).",
        ),
        (
            lambda: shapes.mesh(([[0, 0, 0]],), mass=1),  # pyright: ignore[reportArgumentType]
            "the mesh is not made of numbers; expected vertices (n, 3) and faces (k, 3).",
        ),
        (lambda: shapes.sphere(1), "give density= (kg/m³) or mass= (kg), one of the two."),
        (
            lambda: shapes.sphere(1, mass=1, density=1),
            "give density= (kg/m³) or mass= (kg), one of the two.",
        ),
        (lambda: shapes.sphere(1, mass=math.nan), "mass is nan; expected a positive number."),
        (lambda: shapes.cylinder(1, 1, "w", mass=1), "axis is 'w'; choose x, y or z."),
    ],
)
def test_impossible_solids_are_refused(make, sentence):
    with pytest.raises(ArgumentError) as caught:
        make()
    assert str(caught.value) == sentence


def test_a_missing_trimesh_is_told_with_its_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "trimesh", None)
    with pytest.raises(MissingExtraError) as caught:
        shapes.mesh("hand.stl", density=1)
    assert str(caught.value) == (
        'reading a mesh file needs the package trimesh, which is not installed: pip install "strobe-dynamics[mesh]"'
    )
