"""What cannot be true is said, with its numbers, and never repaired."""

import math

import numpy as np
import pytest

from strobe.algebra import Inertia, Pose, Sym3, Vec3
from strobe.errors import ModelFileError
from strobe.files.faults import Faults
from strobe.models.assembly import Assembly, JointData, LinkData, assemble
from strobe.models.checks import check, nearest_valid
from strobe.models.inertial import Inertial
from strobe.models.joints import Friction, Limits, Motor
from strobe.models.model import Coupling

SPHERE = Sym3(0.01, 0.01, 0.01, 0.0, 0.0, 0.0)


def inertial(
    m: float = 1.0, com: tuple[float, float, float] = (0.0, 0.0, 0.1), I: Sym3 = SPHERE
) -> Inertial:
    return Inertial.at_com(m, Vec3(*com), I)


def arm(
    tip: Inertial | None = None, physical: str = "warn", strict: bool = False, **joint: object
) -> Assembly:
    """A base and a tip on one joint, both as a file might state them."""
    stated = {"before": Pose.at((0.0, 0.0, 0.3)), "limits": Limits(-1.0, 1.0), "where": "9", **joint}
    elbow = JointData("elbow", "revolute", "base", "tip", **stated)  # pyright: ignore[reportArgumentType]
    links = [LinkData("base"), LinkData("tip", tip or inertial(), where="5")]
    return Assembly("arm", links, [elbow], Faults("arm.urdf", strict), physical=physical)


def said(data: Assembly) -> list[str]:
    check(data)
    return [f"{fault.severity}: {fault}" for fault in data.faults.found]


def test_a_plausible_arm_passes_without_a_word() -> None:
    assert said(arm()) == []


def test_a_massless_link_passes_without_a_word() -> None:
    assert said(arm(Inertial.zero())) == []


def test_a_negative_mass_is_an_error() -> None:
    assert said(arm(inertial(m=-1.0))) == [
        'error: arm.urdf:5: link "tip" has mass -1.0; a mass is zero or positive.'
    ]


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_a_number_that_is_not_finite_is_an_error(bad: float) -> None:
    assert said(arm(inertial(m=bad)))[0] == (
        'error: arm.urdf:5: link "tip" has an inertial number that is not finite.'
    )
    entries = Sym3(bad, 0.1, 0.1, 0.0, 0.0, 0.0)
    assert said(arm(inertial(I=entries))) == [
        'error: arm.urdf:5: link "tip" has an inertial number that is not finite.'
    ]


def test_inertia_without_mass_is_kept_with_a_warning() -> None:
    stated = inertial(m=0.0, I=Sym3(0.2, 0.3, 0.3, 0.0, 0.0, 0.0))
    data = arm(stated)
    assert said(data) == [
        'warning: arm.urdf:5: link "tip" has mass 0 but inertia (0.2, 0.3, 0.3, 0, 0, 0); kept as stated '
        "(other tools may drop it). Give it a mass, or zero inertia."
    ]
    assert assemble(arm(stated)).bodies[0].inertia.I is stated.about_origin.I


def test_a_first_moment_without_mass_is_kept_with_a_warning() -> None:
    regrouped = Inertial.of(Inertia(0.0, Vec3(0.5, 0.0, 0.0), Sym3.zero()))
    assert said(arm(regrouped)) == [
        'warning: arm.urdf:5: link "tip" has mass 0 but first moments (0.5, 0, 0); kept as stated.'
    ]


def test_a_centre_of_mass_without_mass_is_only_noted() -> None:
    assert said(arm(inertial(m=0.0, I=Sym3.zero()))) == [
        'note: arm.urdf:5: link "tip" has mass 0: its centre of mass has no effect.'
    ]


def test_a_broken_triangle_inequality_is_warned_of_with_numbers_and_the_nearest_valid_tensor() -> None:
    flat = Sym3(0.01, 0.02, 0.05, 0.0, 0.0, 0.0)
    assert said(arm(inertial(I=flat))) == [
        'warning: arm.urdf:5: link "tip" has principal moments of inertia 0.01, 0.02, 0.05: 0.01 + 0.02 >= '
        "0.05 fails by 0.02. No body has them; kept as stated. Nearest valid: ixx=0.02 iyy=0.03 izz=0.05 "
        "ixy=0 ixz=0 iyz=0"
    ]


def test_a_negative_principal_moment_is_warned_of() -> None:
    hollow = Sym3(0.01, 0.02, 0.02, 0.02, 0.0, 0.0)
    (text,) = said(arm(inertial(I=hollow)))
    assert (
        "principal moments of inertia -0.00561553, 0.02, 0.0356155: -0.00561553 is negative; none may be."
        in text
    )


def test_an_inequality_broken_by_rounding_is_no_fault() -> None:
    assert said(arm(inertial(I=Sym3(0.01, 0.02, 0.03 * (1 + 1e-10), 0.0, 0.0, 0.0)))) == []


@pytest.mark.parametrize(("physical", "severity"), [("error", "error"), ("known-violation", "note")])
def test_a_file_decides_how_loudly_an_impossible_inertia_is_reported(physical: str, severity: str) -> None:
    data = arm(inertial(I=Sym3(0.01, 0.02, 0.05, 0.0, 0.0, 0.0)), physical)
    assert [text.split(":")[0] for text in said(data)] == [severity]


def test_a_strict_reader_refuses_an_impossible_inertia() -> None:
    data = arm(inertial(I=Sym3(0.01, 0.02, 0.05, 0.0, 0.0, 0.0)), strict=True)
    with pytest.raises(ModelFileError, match=r"0\.01 \+ 0\.02 >= 0\.05 fails by 0\.02"):
        assemble(data)


def test_the_nearest_valid_tensor_is_valid_and_leaves_a_valid_one_alone() -> None:
    rng = np.random.default_rng(1)
    for _ in range(50):
        stated = Sym3(*rng.normal(size=6).tolist())
        fixed = nearest_valid(stated)
        a, b, c = np.linalg.eigvalsh([list(row) for row in fixed.matrix()])  # pyright: ignore
        assert a >= -1e-12
        assert a + b >= c - 1e-12
        assert list(nearest_valid(fixed)) == pytest.approx(list(fixed), abs=1e-12)


def test_an_inertia_in_the_wrong_unit_is_warned_of() -> None:
    assert said(arm(inertial(I=Sym3(10.0, 10.0, 10.0, 0.0, 0.0, 0.0)))) == [
        'warning: arm.urdf:5: link "tip" has a radius of gyration of 3.87 m but its centre of mass and '
        "joints are within 0.1 m; check the units of its inertia (kg m²)."
    ]


def test_joints_count_towards_the_size_of_a_link() -> None:
    wide = Sym3(0.5, 0.5, 0.5, 0.0, 0.0, 0.0)
    assert len(said(arm(inertial(I=wide)))) == 1
    assert said(arm(inertial(I=wide), after=Pose.at((0.3, 0.0, 0.0)))) == []


def test_a_link_of_no_extent_is_not_judged_by_it() -> None:
    assert said(arm(inertial(com=(0.0, 0.0, 1e-6)))) == []


@pytest.mark.parametrize(
    ("stated", "sentence"),
    [
        ({"friction": Friction(-0.5)}, "damping -0.5"),
        ({"motor": Motor(viscous=-0.5)}, "motor damping -0.5"),
        ({"motor": Motor(inertia=-0.5)}, "rotor inertia -0.5"),
        ({"limits": Limits(velocity=-2.0)}, "a velocity limit of -2.0"),
        ({"limits": Limits(acceleration=-2.0)}, "an acceleration limit of -2.0"),
        ({"limits": Limits(effort=-2.0)}, "an effort limit of -2.0"),
    ],
)
def test_what_must_not_be_negative_is_an_error(stated: dict[str, object], sentence: str) -> None:
    assert said(arm(**stated)) == [  # pyright: ignore[reportArgumentType]
        f'error: arm.urdf:9: joint "elbow" has {sentence}; it must be zero or positive.'
    ]


@pytest.mark.parametrize("bound", [90.0, 180.0, 360.0])
def test_limits_in_degrees_are_warned_of(bound: float) -> None:
    assert said(arm(limits=Limits(-bound, bound))) == [
        f'warning: arm.urdf:9: joint "elbow" has limits {-bound:g} and {bound:g}, which look like degrees; '
        "radians are expected."
    ]


def test_limits_of_a_few_turns_are_plausible() -> None:
    assert said(arm(limits=Limits(-6 * math.pi, 6 * math.pi))) == []


def test_an_angle_of_more_than_a_full_turn_is_warned_of() -> None:
    assert said(arm(before=Pose.at((0.0, 0.0, 0.3), (0.0, 90.0, 0.0)))) == [
        'warning: arm.urdf:9: joint "elbow" is placed with an angle of 90, more than a full turn; radians '
        "are expected, not degrees."
    ]


def test_an_inertia_turned_by_degrees_is_warned_of() -> None:
    data = arm()
    data.links[1].axes = Pose.at(rpy=(0.0, 0.0, 90.0))
    assert said(data) == [
        'warning: arm.urdf:5: link "tip" has an inertia turned by an angle of 90, more than a full turn; '
        "radians are expected, not degrees."
    ]


def test_a_frame_placed_by_degrees_is_warned_of() -> None:
    data = arm()
    data.frames.append(("tool", "tip", Pose.at(rpy=(180.0, 0.0, 0.0)), "12"))
    assert said(data) == [
        'warning: arm.urdf:12: frame "tool" is placed with an angle of 180, more than a full turn; radians '
        "are expected, not degrees."
    ]


@pytest.mark.parametrize("axis", [(0.0, 0.0, 0.0), (0.0, 1e-13, 0.0), (0.0, math.inf, 0.0)])
def test_an_axis_that_points_nowhere_is_an_error(axis: tuple[float, float, float]) -> None:
    shown = ", ".join(f"{x:g}" for x in axis)
    assert said(arm(axis=axis, axis_where="10")) == [
        f'error: arm.urdf:10: joint "elbow" has axis ({shown}); a revolute joint needs a unit axis.'
    ]


def test_an_axis_of_another_length_is_normalised_with_a_note() -> None:
    assert said(arm(axis=(0.0, 3e-5, 4e-5))) == [
        'note: arm.urdf:9: joint "elbow" has axis (0, 3e-05, 4e-05) of length 5e-05; normalised.'
    ]
    assert assemble(arm(axis=(0.0, -1e-9, 0.0))).joints[0].sign == -1


def test_joints_without_an_axis_are_not_asked_for_one() -> None:
    data = arm()
    data.joints[0] = JointData("elbow", "spherical", "base", "tip", axis=(0.0, 0.0, 0.0))
    assert said(data) == []


def test_an_efficiency_is_kept_and_said_not_to_be_modelled() -> None:
    assert said(arm(motor=Motor(efficiency=0.9))) == [
        'warning: arm.urdf:9: joint "elbow" has motor efficiency 0.9: kept, not modelled.'
    ]


def test_a_centre_of_mass_some_metres_away_is_warned_of_unless_the_link_is_heavy() -> None:
    assert said(arm(inertial(com=(0.0, 6.0, 0.0)))) == [
        'warning: arm.urdf:5: link "tip" has its centre of mass 6 m away, which looks like millimetres; '
        "metres are expected."
    ]
    assert said(arm(inertial(m=1500.0, com=(0.0, 6.0, 0.0)))) == []


def test_two_circles_of_followers_are_reported_at_once() -> None:
    data = arm()
    for k in range(4):
        data.links.append(LinkData(f"l{k}"))
        data.joints.append(JointData(f"j{k}", "revolute", "base", f"l{k}", where=str(20 + k)))
    follows = {"j0": "j1", "j1": "j0", "j2": "j3", "j3": "j2", "elbow": "j0"}
    data.couplings = [Coupling(name, {other: 1.0}) for name, other in follows.items()]
    with pytest.raises(ModelFileError) as raised:
        assemble(data)
    assert [str(fault) for fault in raised.value.faults] == [
        f'arm.urdf:{line}: the joints "{a}" -> "{b}" -> "{a}" follow each other in a circle; break it at one '
        "joint."
        for line, a, b in ((20, "j0", "j1"), (22, "j2", "j3"))
    ]


def test_an_offset_in_millimetres_is_warned_of() -> None:
    assert said(arm(before=Pose.at((0.0, 0.0, 300.0)))) == [
        'warning: arm.urdf:9: joint "elbow" is placed 300 m away, which looks like millimetres; metres are '
        "expected."
    ]


def test_a_centre_of_mass_in_millimetres_is_warned_of() -> None:
    assert said(arm(inertial(com=(0.0, 120.0, 0.0)))) == [
        'warning: arm.urdf:5: link "tip" has its centre of mass 120 m away, which looks like millimetres; '
        "metres are expected."
    ]


def test_joints_that_are_all_far_apart_are_warned_of_once() -> None:
    data = arm(before=Pose.at((0.0, 0.0, 30.0)))
    data.links.append(LinkData("hand"))
    data.joints.append(JointData("wrist", "fixed", "tip", "hand", before=Pose.at((20.0, 0.0, 0.0))))
    assert said(data) == [
        'warning: arm.urdf:9: joint "elbow" is placed 30 m away (and 1 more), which looks like '
        "millimetres; metres are expected."
    ]


def test_one_long_link_among_others_is_plausible() -> None:
    data = arm(before=Pose.at((0.0, 0.0, 30.0)))
    data.links.append(LinkData("hand"))
    data.joints.append(JointData("wrist", "fixed", "tip", "hand", before=Pose.at((0.2, 0.0, 0.0))))
    assert said(data) == []


def test_faults_of_plausibility_and_of_structure_come_together() -> None:
    data = arm(inertial(m=-1.0), friction=Friction(-1.0))
    data.links.append(LinkData("spare"))
    data.joints.append(JointData("lost", "fixed", "tip", "nowhere", where="12"))
    with pytest.raises(ModelFileError, match="3 faults"):
        assemble(data)
