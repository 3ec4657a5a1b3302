"""The shapes of a URDF: what is stated, and which files may be read for it."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from strobe.models.model_files import TooFar
from strobe.models.urdf_shapes import Meshes, read_shapes

LINK = '<link name="a">{}</link>'
VISUAL = '<visual><origin xyz="1 2 3" rpy="0 0 1.5707963267948966"/><geometry>{}</geometry></visual>'


def written(folder: Path, inside: str) -> Path:
    path = folder / "arm.urdf"
    path.write_text(f'<robot name="x">{LINK.format(inside)}</robot>', encoding="utf-8")
    return path


def test_shapes_have_a_link_a_place_and_a_size(tmp_path: Path) -> None:
    inside = VISUAL.format('<cylinder radius="0.1" length="0.5"/>')
    inside += '<collision><geometry><mesh filename="a.stl" scale="1 2 3"/></geometry></collision>'
    tube, mesh = read_shapes(written(tmp_path, inside))
    assert (tube.link, tube.role, tube.kind, tube.size) == ("a", "visual", "cylinder", (0.1, 0.5))
    assert np.allclose([*tube.placement.translation], [1, 2, 3])
    assert (mesh.role, mesh.kind, mesh.size, mesh.file) == ("collision", "mesh", (1, 2, 3), "a.stl")


@pytest.mark.parametrize(
    "stated",
    [
        "",
        "<box/>",
        '<box size="1 2"/>',
        '<sphere radius="nan"/>',
        '<cylinder radius="1"/>',
        '<box size="1 2 x"/>',
    ],
)
def test_a_shape_that_says_nothing_is_left_out(tmp_path: Path, stated: str) -> None:
    assert read_shapes(written(tmp_path, VISUAL.format(stated))) == []


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """secret.stl, and beside it arm_description with urdf/ and meshes/."""
    for name in ("arm_description/urdf", "arm_description/meshes"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "secret.stl").write_text("secret")
    (tmp_path / "arm_description/meshes/hand.stl").write_text("hand")
    return tmp_path / "arm_description/urdf/arm.urdf"


@pytest.mark.parametrize(
    "name",
    [
        "../meshes/hand.stl",
        "package://arm_description/meshes/hand.stl",
        "model://arm_description/meshes/hand.stl",
    ],
)
def test_a_mesh_of_the_package_is_read(package: Path, name: str) -> None:
    assert Meshes(package).read(name) == b"hand"


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("../../secret.stl", "outside of the folder"),
        ("package://arm_description/../secret.stl", "outside of the folder"),
        ("package://../secret.stl", "not there|outside of the folder"),
        ("/etc/passwd", "an address or an absolute path"),
        ("file:///etc/passwd", "an address or an absolute path"),
        ("http://example.org/a.stl", "an address or an absolute path"),
        ("..\\meshes\\hand.stl", "an address or an absolute path"),
        ("../meshes/.hidden.stl", "hidden"),
        ("../meshes/none.stl", "not there"),
        ("../meshes", "no regular file|cannot be read"),
    ],
)
def test_no_other_file_is(package: Path, name: str, why: str) -> None:
    (package.parent.parent / "meshes/.hidden.stl").write_text("hidden")
    with pytest.raises(TooFar, match=why):
        Meshes(package).read(name)


def test_a_link_that_leads_out_is_not_followed(package: Path) -> None:
    os.symlink(package.parent.parent.parent / "secret.stl", package.parent.parent / "meshes/link.stl")
    with pytest.raises(TooFar, match="outside of the folder"):
        Meshes(package).read("../meshes/link.stl")


def test_a_pipe_is_not_waited_for(package: Path) -> None:
    os.mkfifo(package.parent.parent / "meshes/pipe.stl")
    with pytest.raises(TooFar, match="no regular file"):
        Meshes(package).read("../meshes/pipe.stl")
