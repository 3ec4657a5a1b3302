"""What headers say of every number: the units are those by which results change with the units of the robot."""

from __future__ import annotations

import re
import shutil
import subprocess
from functools import partial
from itertools import product
from math import prod
from pathlib import Path

import numpy as np
import pytest

import strobe
from strobe.compiler.export.argument_meanings import meanings
from strobe.compiler.export.units import KG, NEWTON, RAD, M, S
from strobe.compiler.runtime.interpret import evaluate
from strobe.errors import StrobeError
from strobe.models.urdf_writer import write_urdf
from strobe.quantities import QUANTITIES, Request

METRE, KILOGRAM, SECOND = 3.0, 7.0, 0.5  # the units of before, in those of after
FACTORS = {"kg": KILOGRAM, "m": METRE, "s": SECOND, "rad": 1.0, "1": 1.0}
FACTORS |= {"N": KILOGRAM * METRE / SECOND**2, "J": KILOGRAM * METRE**2 / SECOND**2}


def factor(unit: str) -> float:
    """By how much numbers of a unit grow."""
    above, _, below = unit.partition("/")
    up, down = (
        prod(FACTORS[name] ** int(power or 1) for name, power in re.findall(r"(\w+)(?:\^(\d))?", text))
        for text in (above, below)
    )
    return up / down


def numbers(text: str) -> list[int]:
    """0..1 or 3..5."""
    spans = [[int(end) for end in span.split("..")] for span in text.split(" or ")]
    return [k for span in spans for k in range(span[0], span[-1] + 1)]


def of_vector(text: str) -> np.ndarray:
    """The factors of a vector whose units are told in runs."""
    found: dict[int, float] = {}
    for span, told in re.findall(r"\[(\d+(?:\.\.\d+)?)\] ([^\[]*)", text):
        unit = "1" if told.startswith("quaternion") else re.split("[;,] *$", told)[0].split(", ")[-1]
        found |= dict.fromkeys(numbers(span), factor(unit))
    return np.array([found[k] for k in range(len(found))])


def of_entries(text: str, size: int) -> np.ndarray:
    """The factors of a result whose entries are told by a formula of their place."""
    found = np.full(size, np.nan)
    formula = ""
    for line in text.splitlines():
        if entry := re.match(r"out\[(.*?)\].*?(?:, ([^,]*)|; with)$", line):
            formula = re.sub(r"(\d+) (\w)", r"\1*\2", entry[1])
            if entry[2]:  # one unit for all
                later = [int(n) for n in re.findall(r"out\[(\d+) \+ \d+ i", text)]
                start = (
                    int(formula.split(" + ")[0])
                    if formula[0].isdigit() and "*" not in formula.split(" + ")[0]
                    else 0
                )
                end = min((n for n in later if n > start), default=size)
                found[start:end] = factor(entry[2])
        elif places := re.match(r"    (.*): ([^:]*)$", line):
            letters = dict(part.split(" = ") for part in places[1].split(", "))
            for values in product(*map(numbers, letters.values())):
                at = eval(formula, dict(zip(letters, values, strict=True)))
                assert np.isnan(found[at]), "told twice"
                found[at] = factor(places[2])
    assert not np.isnan(found).any(), text
    return found


VECTORS = (
    "inverse_dynamics",
    "forward_dynamics",
    "gravity",
    "bias",
    "momentum",
    "centroidal_momentum_bias",
    "energy",
)
MATRICES = (
    "mass_matrix", "coriolis_matrix", "inverse_dynamics_derivatives", "forward_dynamics_derivatives", "jacobian",
    "jacobian_dot", "jacobian_derivative", "point_jacobian", "centroidal_momentum_matrix",
    "centroidal_momentum_matrix_dot",
)  # fmt: skip


KINDS = {"all kinds": 5, "screws and planes": 4}  # and their seeds


@pytest.mark.parametrize("quantity", [*VECTORS, *MATRICES])
@pytest.mark.parametrize("name", ["stanford", *KINDS])
def test_results_in_other_units_change_as_the_units_told_say(name: str, quantity: str) -> None:
    robot = (
        strobe.load("stanford")
        if name == "stanford"
        else strobe.random(5, KINDS[name], kinds="FSPR" if name == "all kinds" else "HEP")
    )
    gravity = np.array([0.3, -0.5, -9.0])
    one = robot.with_gravity(gravity)
    other = robot.scaled(METRE, KILOGRAM).with_gravity(gravity * METRE / SECOND**2)
    request = Request(quantity, friction=False)
    told = meanings(one, request)
    rng = np.random.default_rng(3)
    state = {key: rng.standard_normal(size) for key, size in request.inputs(one.model).items()}
    state["q"] = one.random_state(seed=1)[0]
    scaled = {
        key: value * (METRE if key == "point" else of_vector(told[key])) for key, value in state.items()
    }
    shape = request.shape(one.model)
    here, there = (
        evaluate(partial(request.evaluate, r.model), x, shape).ravel()
        for r, x in ((one, state), (other, scaled))
    )
    text = told["out"]
    if quantity == "energy":
        factors = np.array([factor(re.findall(r"energy, (\w+)", line)[0]) for line in text.split("\n")[1:]])
    else:
        factors = of_entries(text, here.size) if quantity in MATRICES else of_vector(text)
    largest = abs(here * factors).max()
    assert np.allclose(there, here * factors, rtol=1e-9, atol=1e-10 * largest)


def test_units_are_written_as_people_write_them() -> None:
    said = {
        "N m": NEWTON * M, "N": NEWTON, "kg m^2": KG * M * M, "rad/s^2": RAD / S / S, "N m/rad": NEWTON * M / RAD,
        "1": M / M, "m/(s rad)": M / S / RAD, "1/(kg m)": M / M / KG / M, "kg m^2/s": KG * M * M / S,
    }  # fmt: skip
    assert {text: str(unit) for text, unit in said.items()} == {text: text for text in said}


# -- headers ------------------------------------------------------------------------------------------


def headers(robot: strobe.Robot) -> dict[str, str]:
    """The header of every quantity that the robot has."""
    found: dict[str, str] = {}
    for quantity in QUANTITIES:
        try:
            files = robot.export(quantity).files
        except StrobeError:
            continue
        found |= {name: str(text) for name, text in files.items() if name.endswith(".h")}
    return found


def hand(tmp_path: Path) -> strobe.Robot:
    """A URDF with a slide, a joint that follows it, and names beyond ASCII."""
    path = tmp_path / "hand.urdf"
    path.write_text(
        """<robot name="Händ"><link name="base"/>
        <joint name="öffnen" type="prismatic"><parent link="base"/><child link="a"/><axis xyz="0 1 0"/>
        <limit lower="0" upper="0.1" effort="5" velocity="1"/></joint>
        <joint name="zweite" type="prismatic"><parent link="base"/><child link="b"/><axis xyz="0 -1 0"/>
        <limit lower="0" upper="0.1" effort="5" velocity="1"/><mimic joint="öffnen"/></joint>
        <link name="a"><inertial><mass value="1"/><origin xyz="0.1 0 0"/>
        <inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
        <link name="b"><inertial><mass value="1"/><origin xyz="0.1 0 0"/>
        <inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>""",
        encoding="utf-8",
    )
    return strobe.load(path)


ROBOTS = {
    "stanford": lambda _: strobe.load("stanford"),
    "floating": lambda _: strobe.load("planar2").with_base("floating"),
    "spherical3": lambda _: strobe.load("spherical3"),
    "fourbar": lambda _: strobe.load("fourbar"),
    "parallelogram": lambda _: strobe.load("parallelogram"),
    "urdf": hand,
}


@pytest.mark.slow
@pytest.mark.parametrize("name", ROBOTS)
def test_all_headers_of_a_robot_are_plain_text_and_go_together(name: str, tmp_path: Path) -> None:
    found = headers(ROBOTS[name](tmp_path))
    assert len(found) > 15
    for file, text in found.items():
        assert text.isascii()
        assert str(tmp_path) not in text
        told = text.split("#ifndef")[0] + "".join(re.findall(r"/\*.*?\*/", text, re.DOTALL))
        assert "..." not in told.replace("....", ""), "cut off"
        assert not re.search(r"\b_(tau|q|qd|qdd|J)_?\b|M__", told), "a sign was lost"
        assert max(map(len, told.splitlines())) <= 110
        (tmp_path / file).write_text(text)
    if shutil.which("gcc") is None or shutil.which("g++") is None:
        pytest.skip("gcc or g++ is not installed")
    everything = "".join(f'#include "{file}"\n' for file in found)
    for compiler, standard, ending in (("gcc", "c99", "c"), ("g++", "c++11", "cpp")):
        user = tmp_path / f"user.{ending}"
        user.write_text(f"{everything}int main(void) {{ return 0; }}\n")
        flags = [f"-std={standard}", "-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only"]
        subprocess.run([compiler, *flags, user], check=True)


def header(robot: strobe.Robot, quantity: str, **options: object) -> str:
    files = robot.export(quantity, **options).files  # pyright: ignore[reportArgumentType]
    return next(str(text) for name, text in files.items() if name.endswith(".h"))


def test_the_header_on_the_page_of_the_documentation_is_a_real_one() -> None:
    page = (Path(__file__).parents[3] / "docs" / "compiled_code.md").read_text(encoding="utf-8")
    _, shown = page.split("## The header")[1].split("```c\n")[0:2]
    made = strobe.load("stanford").export(["inverse_dynamics", "mass_matrix"], single=True)
    real = str(made.files["strobe_stanford.h"]).splitlines()
    lines = shown.split("```")[0].splitlines()
    assert len(lines) > 40
    assert not [line for line in lines if line not in real]


def test_a_slide_has_a_force_and_metres() -> None:
    text = header(strobe.load("stanford"), "inverse_dynamics", wrench=["tool"])
    assert "[2]  [2]           joint3  prismatic: m; m/s, m/s^2, N (a force)" in text
    assert "q[6]     in   joint positions: [0..1] rad, [2] m, [3..5] rad" in text
    assert "out[6]   out  tau, the torque or force of every joint: [0..1] N m, [2] N, [3..5] N m" in text
    assert "what acts on the robot at the origin of tool, base axes: [0..2] force, N; [3..5]" in text


def test_derivatives_say_by_what_where_and_in_which_unit() -> None:
    text = header(strobe.load("stanford"), "inverse_dynamics_derivatives")
    assert "out[108] out  3 x 6 x 6, row by row" in text
    assert "out[6 i + j] = d tau[i] / d q[j]; with" in text
    assert "out[36 + 6 i + j] = d tau[i] / d qd[j]; with" in text
    assert "out[72 + 6 i + j] = d tau[i] / d qdd[j] = M[i][j]; with" in text
    assert " i = 2, j = 0..1 or 3..5: N/rad\n" in text


def test_a_floating_base_says_its_order_axes_and_origin() -> None:
    text = " ".join(header(strobe.load("planar2").with_base("floating"), "integrate").split(" *")).replace(
        "\n", ""
    )
    words = " ".join(text.split())
    assert "[0..2] m, [3..6] quaternion w x y z of base, [7..8] rad" in words
    assert "quaternion w x y z (scalar first, length 1)" in words
    assert "both in the axes of the moved frame" in words
    assert "the moment about that origin in N m" in words
    assert "Base axes are those of the world that the robot floats in" in words


def test_a_header_tells_the_file_of_its_robot_without_a_path(tmp_path: Path) -> None:
    path = tmp_path / "my arm.urdf"
    path.write_text(write_urdf(strobe.load("planar2").model)[0], encoding="utf-8")
    text = header(strobe.load(path), "gravity")
    assert " * Source: my arm.urdf\n" in text
    assert str(tmp_path) not in text
    assert "Source" not in header(strobe.load(path.read_text(encoding="utf-8")), "gravity")
    assert "Source: Geometry and masses as commonly published" in header(strobe.load("stanford"), "gravity")


def test_sizes_are_macros_and_the_stamp_is_the_same_for_the_same_input() -> None:
    text = header(strobe.load("panda"), "jacobian", frame="tool")
    sizes = dict(re.findall(r"#define (\w+) (\d+)\n", text))
    assert sizes == {
        "STROBE_PANDA_NQ": "7", "STROBE_PANDA_NV": "7", "STROBE_PANDA_JACOBIAN_Q_SIZE": "7",
        "STROBE_PANDA_JACOBIAN_OUT_SIZE": "42", "STROBE_PANDA_JACOBIAN_OUT_ROWS": "6",
        "STROBE_PANDA_JACOBIAN_OUT_COLUMNS": "7",
    }  # fmt: skip
    assert f"Made by Strobe {strobe.__version__}; stamp " in text
    assert text == header(strobe.load("panda"), "jacobian", frame="tool")
    stamps = {
        re.findall(r'STAMP "([0-9a-f]{16})"', header(robot, quantity, **options))[0]
        for robot, quantity, options in (
            (strobe.load("panda"), "jacobian", {"frame": "tool"}),
            (strobe.load("panda"), "jacobian", {"frame": "hand"}),
            (strobe.load("panda"), "gravity", {}),
            (strobe.load("panda"), "gravity", {"single": True}),
            (strobe.load("panda").with_payload(0.5), "gravity", {}),
        )
    }
    assert len(stamps) == 5
