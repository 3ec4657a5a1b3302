"""What a doctor finds in model files, and that its repairs change what is wrong and nothing else."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from strobe.algebra import Sym3, Vec3
from strobe.files.faults import Faults
from strobe.models.assembly import Assembly, LinkData
from strobe.models.doctor import examine
from strobe.models.doctor_inertias import judged
from strobe.models.findings import DOUBTFUL, NOTE, SERIOUS
from strobe.models.inertial import Inertial
from strobe.models.load import load_model

LINK = """  <link name="{name}">
    <inertial>
      <origin xyz="{com}" rpy="0 0 0"/>
      <mass value="{mass}"/>
      <inertia ixx="{i[0]}" iyy="{i[1]}" izz="{i[2]}" ixy="0" ixz="0" iyz="0"/>
    </inertial>
  </link>
"""
JOINT = """  <joint name="{name}" type="{kind}">
    <parent link="{parent}"/><child link="{child}"/>
    <origin xyz="0 0 {up}" rpy="{rpy}"/>
    <axis xyz="{axis}"/>
    {limit}
  </joint>
"""
LIMIT = '<limit lower="-1" upper="1" effort="5" velocity="2"/>'


def link(
    name: str, mass: float = 1.0, i: tuple[float, ...] = (0.01, 0.01, 0.002), com: str = "0 0 0.1"
) -> str:
    return LINK.format(name=name, mass=mass, i=i, com=com)


def joint(
    name: str, parent: str, child: str, kind: str = "revolute", limit: str = LIMIT, rpy: str = "0 0 0",
    axis: str = "0 0 1", up: float = 0.2,
) -> str:  # fmt: skip
    return JOINT.format(
        name=name, kind=kind, parent=parent, child=child, limit=limit, rpy=rpy, axis=axis, up=up
    )


def write(tmp_path: Path, *parts: str) -> Path:
    path = tmp_path / "arm.urdf"
    path.write_text(
        "<!-- by hand -->\n<robot name='arm'>\n  <link name='base'/>\n" + "".join(parts) + "</robot>\n"
    )
    return path


def found(tmp_path: Path, *parts: str) -> dict[str, tuple[str, str]]:
    """Severity and detail by text."""
    return {each.text: (each.severity, each.detail) for each in examine(write(tmp_path, *parts)).findings}


def test_a_sound_arm_has_nothing_to_complain_of(tmp_path: Path) -> None:
    arm = link("upper"), link("lower"), joint("a", "base", "upper"), joint("b", "upper", "lower")
    seen = examine(write(tmp_path, *arm))
    assert seen.findings == ()
    assert not seen.serious
    assert str(seen) == "arm: 3 links, 2 joints (2 moving): nothing to complain of"


# -- inertias ---------------------------------------------------------------------------------------------


def test_an_impossible_inertia_is_serious_unless_it_is_a_rounding(tmp_path: Path) -> None:
    said = "has principal moments of inertia that no body has"
    bad = found(tmp_path, link("upper", i=(0.01, 0.03, 0.01)), joint("a", "base", "upper"))
    assert bad[said] == (SERIOUS, "0.03 > 0.01 + 0.01 kg m²")
    cut = found(tmp_path, link("upper", i=(0.01, 0.02001, 0.01)), joint("a", "base", "upper"))
    assert cut[f"{said}, by a rounding"][0] == DOUBTFUL


def test_nothing_is_denser_than_osmium_and_few_links_lighter_than_air(tmp_path: Path) -> None:
    r = 0.02  # a solid ball: 2/5 m r² about every axis
    for density, text in (
        (22_000, None),
        (23_000, "would be denser than osmium"),
        (1.0, "would be lighter than air"),
    ):
        mass = density * 4 / 3 * math.pi * r**3
        seen = found(tmp_path, link("ball", mass, (0.4 * mass * r * r,) * 3), joint("a", "base", "ball"))
        assert list(seen) == ([] if text is None else [text])


def test_the_ellipsoid_bounds_the_density_of_every_body_from_below() -> None:
    """Boxes and cylinders of steel, hollow or not, are never taken for denser than steel."""
    rng = np.random.default_rng(0)
    for _ in range(50):
        a, b, c = rng.uniform(0.01, 0.5, 3)
        mass = 7850 * a * b * c
        I = [mass * (y * y + z * z) / 12 for y, z in ((b, c), (a, c), (a, b))]
        S = 0.5 * sum(I) - np.array(I)
        assert mass / (4 / 3 * math.pi * np.sqrt(5 * S / mass).prod()) < 7850


def test_inertias_about_origins_are_suspected_of_a_whole_file_only() -> None:
    def arm(about_origin: bool) -> list[LinkData]:
        links = []
        for k in range(6):
            m, c, long = 2.0 + k, 0.1 + 0.02 * k, 0.2 + 0.04 * k
            own, far = m * (long**2 + 0.05**2) / 12, m * c * c if about_origin else 0.0
            I = Sym3(m * 0.05**2 / 6, own + far, own + far, 0.0, 0.0, 0.0)
            links.append(LinkData(f"link{k}", Inertial.at_com(m, Vec3(c, 0.0, 0.0), I), str(k)))
        return links

    said = [
        [each.text for each in judged(Assembly("arm", arm(wrong), [], Faults("arm")))]
        for wrong in (True, False)
    ]
    assert said[1] == []
    assert len(said[0]) == 1
    assert said[0][0].startswith("seems to state inertias about the origins of links: 6 of the 6")


def test_mass_and_inertia_belong_together(tmp_path: Path) -> None:
    arm = link("upper"), joint("a", "base", "upper")
    more = joint("b", "upper", "tip", "fixed")
    assert found(tmp_path, *arm, link("tip", 0.0), more)["has an inertia but no mass"][0] == DOUBTFUL
    assert (
        found(tmp_path, *arm, link("tip", 0.1, (0, 0, 0)), more)["is a point mass without inertia"][0]
        == NOTE
    )


def test_a_joint_that_moves_no_inertia_is_serious(tmp_path: Path) -> None:
    arm = link("upper"), joint("a", "base", "upper"), "  <link name='tip'/>\n", joint("b", "upper", "tip")
    assert found(tmp_path, *arm)["moves no inertia"][0] == SERIOUS


# -- joints, names, meshes --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("limit", "text", "severity"),
    [
        ("", "is revolute without limits", DOUBTFUL),
        ('lower="0" upper="0" effort="1" velocity="1"', "cannot move: its lower limit is its upper one", DOUBTFUL),
        ('lower="-1" upper="1" effort="0" velocity="0"', "has a limit of 0 for its effort and velocity", DOUBTFUL),
        ('lower="-1" upper="1"', "has no limit of effort and velocity", NOTE),
        ('lower="1" upper="2" effort="1" velocity="1"', "cannot be at 0", NOTE),
    ],
)  # fmt: skip
def test_limits_are_judged(tmp_path: Path, limit: str, text: str, severity: str) -> None:
    stated = f"<limit {limit}/>" if limit else ""
    assert found(tmp_path, link("upper"), joint("a", "base", "upper", limit=stated))[text][0] == severity


def test_a_follower_that_is_led_too_far_is_doubtful(tmp_path: Path) -> None:
    arm = link("upper"), link("lower"), joint("a", "base", "upper")
    led = joint("b", "upper", "lower", limit=f'{LIMIT}<mimic joint="a" multiplier="2"/>')
    severity, detail = found(tmp_path, *arm, led)["is led beyond its own limits"]
    assert severity == DOUBTFUL
    assert detail == "led to -2 … 2, allowed -1 … 1"


def test_names_and_meshes_are_looked_at(tmp_path: Path) -> None:
    (tmp_path / "here.stl").write_text("solid")
    mesh = '<visual><geometry><mesh filename="{}"/></geometry></visual>'
    upper = link("upper arm").replace(
        "<inertial>",
        "".join(mesh.format(name) for name in ("here.stl", "gone.stl", "package://far/x.stl"))
        + "<inertial>",
    )
    seen = examine(write(tmp_path, upper, joint("a", "base", "upper arm")))
    told = [(each.part, each.text) for each in seen.findings]
    assert ('link "upper arm"', "has a name that other tools may not take") in told
    assert ('mesh "gone.stl"', "is not there") in told
    assert ('package "far"', "is not found, so its meshes were not looked for") in told
    assert len(told) == 3


def test_a_file_that_cannot_be_read_is_judged_as_far_as_it_can(tmp_path: Path) -> None:
    broken = examine(write(tmp_path, link("upper"), joint("a", "nowhere", "upper")))
    assert broken.serious
    assert broken.model is None
    assert "nowhere" in str(broken)


def test_what_is_said_of_several_parts_is_one_line(tmp_path: Path) -> None:
    arm = [part for k in range(6) for part in (link(f"l{k}"), joint(f"j{k}", "base", f"l{k}", limit=""))]
    (group, *_) = examine(write(tmp_path, *arm)).groups
    assert len(group.findings) == 6
    assert str(group).startswith('6 × is revolute without limits: joint "j0" (line ')
    assert " and 2 more. " in str(group)


# -- repairs ----------------------------------------------------------------------------------------------


def test_a_repair_changes_values_and_no_other_byte(tmp_path: Path) -> None:
    arm = (
        link("upper", i=(0.01, 0.03, 0.01)), link("lower"), joint("a", "base", "upper", limit="", rpy="1.5708 0.3 0"),
        joint("b", "upper", "lower", axis="0 0 2"),
    )  # fmt: skip
    path = write(tmp_path, *arm)
    mended = examine(path).repaired()
    before, after = path.read_text().splitlines(), mended.text.splitlines()
    changed = [(a.strip(), b.strip()) for a, b in zip(before, after, strict=True) if a != b]
    assert [pair[1] for pair in changed[1:]] == [
        '<joint name="a" type="continuous">',
        '<origin xyz="0 0 0.2" rpy="1.5707963267948966 0.3 0"/>',
        '<axis xyz="0.0 0.0 1.0"/>',
    ]
    assert changed[0][1].startswith('<inertia ixx="0.01')
    assert len(mended.repairs) == 4
    assert mended.left == ()


def test_the_mended_inertia_is_nearer_to_every_possible_one() -> None:
    from strobe.models.checks import nearest_valid

    rng = np.random.default_rng(1)

    def second(I: np.ndarray) -> np.ndarray:
        return 0.5 * np.trace(I) * np.eye(3) - I

    stated = Sym3(0.01, 0.05, 0.01, 0.003, -0.002, 0.001)
    full = [
        np.array([[float(x) for x in row] for row in I.matrix()]) for I in (stated, nearest_valid(stated))
    ]  # pyright: ignore
    for _ in range(100):
        A = rng.normal(size=(3, 3)) * 0.1
        true = A @ A.T  # the second moments of some body
        before, after = (np.linalg.norm(second(I) - true) for I in full)
        assert after <= before


def test_quotes_in_other_attributes_do_not_mislead_a_repair(tmp_path: Path) -> None:
    odd = joint("a", "base", "upper", axis="0 0 3").replace(
        "<axis xyz", """<axis note=" xyz='1 2 3' > " xyz"""
    )
    mended = examine(write(tmp_path, link("upper"), odd)).repaired()
    assert """<axis note=" xyz='1 2 3' > " xyz="0.0 0.0 1.0"/>""" in mended.text


def test_other_formats_are_written_anew_and_give_the_same_torques_but_for_the_repair() -> None:
    mended = examine("puma560").repaired()
    assert (mended.format, len(mended.repairs)) == ("toml", 1)
    from strobe.models.toml_reader import read_toml

    model = read_toml("mended.toml", text=mended.text)
    old = load_model("puma560")
    same = [
        np.allclose(
            [float(x) for x in a.inertial.about_origin.parameters],  # pyright: ignore[reportArgumentType]
            [float(x) for x in b.inertial.about_origin.parameters],  # pyright: ignore[reportArgumentType]
            rtol=1e-12,
        )
        for a, b in zip(old.bodies, model.bodies, strict=True)
    ]
    assert same == [True, True, False, True, True, True]
    assert not any(each.repair for each in mended.left)


def test_installed_urdfs_with_inertias_about_origins_are_found_and_the_corrected_one_is_not() -> None:
    import sysconfig

    site = Path(sysconfig.get_paths()["purelib"])
    robots = site / "cmeel.prefix/share/example-robot-data/robots"
    if not robots.exists():
        pytest.skip("example-robot-data is not installed")
    names = ("romeo_small.urdf", "laikago.urdf", "romeo_laas_small.urdf")
    seen = {name: examine(next(robots.rglob(name))) for name in names}
    suspected = {
        name: any("about the origins of links" in each.text for each in found.findings)
        for name, found in seen.items()
    }
    assert suspected == {"romeo_small.urdf": True, "laikago.urdf": True, "romeo_laas_small.urdf": False}
    mended = seen["romeo_laas_small.urdf"].repaired()
    assert len(mended.repairs) > 30
    assert not any(each.repair for each in mended.left)
