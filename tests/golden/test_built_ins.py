"""Independently computed values of the built-in robots, kept under [[golden]]."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from strobe.formulations import CHAIN, FORMULATIONS, strobing
from strobe.models.joints import Motor
from strobe.models.library import built_in_names
from strobe.models.load import load_model
from strobe.models.model import Model
from strobe.robot import Robot

RELATIVE, ABSOLUTE = 1e-10, 1e-12
COMPILED = ("spatial-newton-euler",)  # the others run as Python, and so does this one on long robots
LONG = 7  # joints beyond which strobing all symbols takes seconds, as Python or compiled
STROBES_ITSELF = "configuration-space"  # its coefficients are strobed: strobing it again shows nothing new


def states() -> Iterator[object]:
    """Every golden state with every formulation that its robot allows."""
    for name in built_in_names():
        model = load_model(name)
        for k, golden in enumerate(model.golden, 1):
            for method in FORMULATIONS.values():
                if method.refusal(model) is None:
                    yield pytest.param(model, golden, method.name, id=f"{name}-{k}-{method.name}")


def without_motors(model: Model) -> Model:
    bodies = (replace(body, joint=replace(body.joint, motor=Motor())) for body in model.bodies)
    return replace(model, bodies=tuple(bodies))


def agree(value: object, golden: object) -> bool:
    np.testing.assert_allclose(value, golden, rtol=RELATIVE, atol=ABSOLUTE)  # pyright: ignore
    return True  # or it has raised, with both numbers


@pytest.mark.parametrize(("model", "golden", "method"), list(states()))
def test_every_golden_value_is_met(model: Model, golden: dict, method: str):
    compiled = method in COMPILED and model.nv <= LONG
    robot = Robot(model if golden["motors"] else without_motors(model), compiled)
    q, qd, qdd = golden["q"], golden["qd"], golden["qdd"]
    computed = {
        "tau": lambda: robot.inverse_dynamics(q, qd, qdd, friction=golden["friction"], formulation=method),
        "G": lambda: robot.gravity(q, formulation=method),
        "h": lambda: robot.bias(q, qd, formulation=method) - robot.gravity(q, formulation=method),
        "M": lambda: robot.mass_matrix(q, formulation=method),
        "C": lambda: robot.coriolis_matrix(q, qd, formulation=method),
    }
    if method == STROBES_ITSELF:
        del computed["M"], computed["C"]
    elif method not in COMPILED and model.nv > LONG:
        del computed["C"]
    kept = [key for key in computed if key in golden]
    assert kept
    for key in kept:
        assert agree(computed[key](), golden[key])


def test_every_formulation_meets_golden_values_of_a_chain_and_those_for_trees_of_a_tree():
    met = {(parameters.values[0].name, parameters.values[2]) for parameters in states()}  # pyright: ignore
    assert {name for robot, name in met if robot == "stanford"} == set(FORMULATIONS)
    trees = {name for name, method in FORMULATIONS.items() if method.scope != CHAIN}
    assert {name for robot, name in met if robot == "parallelogram"} == trees


def test_every_robot_with_masses_has_golden_torques():
    for name in built_in_names():
        model = load_model(name)
        assert model.kinematic_only or any("tau" in golden for golden in model.golden), name


def test_the_library_is_complete():
    assert built_in_names() == (
        "biped10",
        "delta",
        "fivebar",
        "fourbar",
        "panda",
        "parallelogram",
        "pendulum3",
        "planar2",
        "planar3",
        "puma560",
        "rx90",
        "slider-crank",
        "spherical3",
        "stanford",
        "stanford-c",
        "ur5",
    )


@pytest.mark.every("formulation", where=lambda method: method.name != STROBES_ITSELF)
def test_stanford_c_has_its_reference_christoffel_symbols(formulation: str):
    model = load_model("stanford-c")
    C = strobing.christoffel(FORMULATIONS[formulation].inverse_dynamics, model, model.golden[0]["q"])  # pyright: ignore
    symbols = [C[0][1][0], C[0][2][0], C[0][2][1], C[0][0][2], C[1][1][2], C[0][1][3]]
    golden = [-0.719766278089, 0.296523163966, 0, -0.296523163966, -1.24186862664, -0.0155959034058]
    assert agree(symbols, golden)


def test_stanford_c_is_given_about_link_origins_and_converted_to_centres_of_mass():
    central = load_model("stanford-c").bodies[0].inertial.central
    assert agree(tuple(central), [0.159721715, 0.1415667775, 0.0681549375, 0, 0, -0.0179645375])  # pyright: ignore


def test_stanford_puts_its_hand_where_the_closed_form_does():
    robot = Robot(load_model("stanford"))
    T = robot.forward_kinematics([0.3, 0.9, 0.6, -0.4, 0.7, 1.1], "tool")
    assert agree(T[:3, 3], [0.560961702979, 0.171375055002, 0.96168801398])
    assert agree(T[0, :3], [0.385550074088, 0.702045118871, 0.598735159682])


def test_puma560_adds_its_rotors_to_the_mass_matrix():
    robot = Robot(load_model("puma560"))
    rigid = Robot(without_motors(robot.model))
    q = robot.model.golden[0]["q"]
    rotors = np.diag(robot.mass_matrix(q) - rigid.mass_matrix(q))
    golden = [0.784029968642, 2.324814845, 0.576873331938, 0.190790626124, 0.170706291657, 0.194064505668]
    np.testing.assert_allclose(rotors, golden, rtol=1e-10)


def test_puma560_knows_its_four_poses():
    poses = load_model("puma560").poses
    assert list(poses) == ["zero", "ready", "stretch", "nominal"]
    assert agree(poses["nominal"], [0, np.pi / 4, -np.pi, 0, np.pi / 4, 0])


def test_puma560_is_kept_as_published_and_says_so_without_a_warning():
    notes = load_model("puma560").notes
    assert {note.severity for note in notes} == {"note"}
    assert any('link "link3"' in note.text and "fails by 0.0075" in note.text for note in notes)


def test_no_built_in_robot_warns_even_when_strict():
    for name in built_in_names():
        notes = load_model(name, strict=True).notes
        assert all(note.severity == "note" for note in notes), name


def test_rx90_has_no_masses_and_says_why_dynamics_is_refused():
    model = load_model("rx90")
    assert "no masses or inertias" in model.kinematic_only
    assert all(body.inertial.is_zero() for body in model.bodies)


def test_panda_flange_hand_and_tool_follow_the_last_link():
    robot = Robot(load_model("panda"))
    q = np.zeros(7)
    last, flange, hand, tool = (robot.forward_kinematics(q, f) for f in ("link7", "flange", "hand", "tool"))
    assert agree(np.linalg.inv(last) @ flange, [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0.107], [0, 0, 0, 1]])
    assert agree((np.linalg.inv(hand) @ tool)[:3, 3], [0, 0, 0.1034])
    assert agree((np.linalg.inv(flange) @ hand)[:2, 0], [np.sqrt(0.5), -np.sqrt(0.5)])


def test_the_biped_weighs_38_kilograms_with_its_stance_foot():
    model = load_model("biped10")
    assert sum(body.inertial.m for body in model.bodies) + model.base_inertial.m == 38  # pyright: ignore
    assert [body.name for body in model.bodies if body.inertial.is_zero()] == [
        "stance_ankle",
        "stance_hip",
        "swing_hip",
        "swing_ankle",
    ]


def test_the_parallelogram_has_two_independent_joints_and_stays_closed():
    robot = Robot(load_model("parallelogram"))
    assert robot.joint_names == ("a1", "b1")
    q = [0.6, -0.35]
    pins = [robot.forward_kinematics(q, frame)[:3, 3] for frame in ("pin_on_link2", "pin_on_link4")]
    assert agree(pins[0], pins[1])
    assert agree(
        pins[0], [0.5 * np.cos(0.6) + 0.2 * np.cos(0.35), 0, 0.5 * np.sin(0.6) - 0.2 * np.sin(0.35)]
    )
