"""Every answer that people receive prints and displays as a person would want: short, with units, escaped."""

from __future__ import annotations

import enum
import importlib
import inspect
import json
import re
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import strobe
from strobe.robot import Robot

ROOT = Path(__file__).parents[2]
LINES, WIDE = 60, 200
UNIT = re.compile(r"\b(rad|m|N m|N|kg|kg m|kg m²|J|s|ms|ns|bytes|MB)\b")
PLAIN = {"iframe", "div", "p", "b", "table", "thead", "tbody", "tr", "th", "td", "pre", "img"}


@cache
def robot(name: str) -> Robot:
    return Robot(strobe.load(name).model, compiled=False)


@cache
def arm() -> Robot:
    return robot("planar2")


@cache
def states(count: int = 0) -> Any:
    return arm().random_state(1, count) if count else arm().random_state(1)


@cache
def motion() -> Any:
    return arm().plan([[0.0, 0.0], [1.0, 0.5]], acceleration=5.0, velocity=2.0)


@cache
def fourbar() -> tuple[Any, ...]:
    closed = robot("fourbar")
    return closed, *closed.random_state(1)


def forms() -> Any:
    return arm().equations()


def mechanisms() -> Any:
    return importlib.import_module("strobe.mechanisms")


def poses(count: int) -> np.ndarray:
    return robot("stanford").forward_kinematics(robot("stanford").random_state(2, count)[0])


def payload(of: str) -> Any:
    from strobe import identify

    q, qd, qdd = robot("stanford").random_state(3, 40)
    loaded = robot("stanford").with_payload(2.0, (0.0, 0.0, 0.1), size=0.2)
    if of == "known":
        return identify.PartlyKnown(robot("stanford"), robot("stanford").tip, 2.0, 0.2, None)
    return identify.identify_payload(robot("stanford"), q, qd, qdd, loaded.inverse_dynamics(q, qd, qdd))


def recorded() -> Path:
    path = Path(tempfile.mkdtemp()) / "log.csv"
    path.write_text("t,q1,q2\n0,0.1,0.2\n1,0.2,0.3\n", encoding="utf-8")
    return path


def log() -> Any:
    return strobe.read_log(recorded(), arm())


def calibration() -> Any:
    q = robot("stanford").random_state(seed=3, batch=40)[0]
    return robot("stanford").calibrate(q, robot("stanford").forward_kinematics(q))


def identification() -> Any:
    from strobe.identify.logs import Log

    t = np.arange(0, 20, 0.01)
    w = 2 * np.pi * np.array([[0.1, 0.3], [0.2, 0.25]])
    q = sum(np.sin(t[:, None] * row) for row in w)
    qd = sum(row * np.cos(t[:, None] * row) for row in w)
    qdd = sum(-(row**2) * np.sin(t[:, None] * row) for row in w)
    tau = arm().inverse_dynamics(q, qd, qdd)
    log = Log("log.csv", arm().name, arm().joint_names, "t", [], t, q, None, None, tau, None, [])
    return arm().identify(log, friction=["viscous"])


ANSWERS: dict[str, Callable[[], Any]] = {
    "robot": arm,
    "a humanoid": lambda: robot("random(40)"),
    "limits": lambda: arm().limits,
    "derivatives": lambda: arm().inverse_dynamics_derivatives(*states()),
    "derivatives, many": lambda: arm().inverse_dynamics_derivatives(*states(500)),
    "second derivatives": lambda: arm().inverse_dynamics_second_derivatives(*states()),
    "acceleration derivatives": lambda: arm().forward_dynamics_derivatives(*states()),
    "kernel": lambda: arm().kernel(strobe.quantities.Request("mass_matrix")),
    "traced": lambda: strobe.trace(lambda x: [x[0] * x[1]], x=2),
    "picture": lambda: arm().draw(),
    "page": lambda: arm().show(Path(tempfile.mkdtemp()) / "arm.html"),
    "solutions": lambda: robot("stanford").inverse_kinematics(poses(1)[0]),
    "solutions, many": lambda: robot("stanford").inverse_kinematics(poses(500)),
    "path": lambda: robot("stanford").track(np.repeat(poses(1), 3, axis=0)),
    "hand": lambda: arm().hand(*states()[:2]),
    "hands": lambda: arm().hand(*states(500)[:2], angles="rpy"),
    "resolved": lambda: arm().inverse_velocity(states()[0], [0.1, 0.2], of=("x", "y")),
    "resolved, many": lambda: arm().inverse_velocity(states(500)[0], [0.1, 0.2], of=("x", "y")),
    "singular directions": lambda: arm().singular_directions(np.zeros(2), of=("x", "y")),
    "singular directions, many": lambda: arm().singular_directions(states(500)[0], of=("x", "y")),
    "limit margins": lambda: arm().limit_margins(states()[0]),
    "limit margins, many": lambda: arm().limit_margins(4.0 * states(500)[0]),
    "cross-section": lambda: importlib.import_module("strobe.kinematics.workspace").cross_section(arm(), samples=500),
    "table of Denavit and Hartenberg": lambda: importlib.import_module(
        "strobe.kinematics.denavit_hartenberg"
    ).denavit_hartenberg(robot("stanford")),
    "equations": forms,
    "long equations": lambda: robot("panda").equations(),
    "closed form": lambda: forms().mass_matrix[0][0],
    "row": lambda: forms().mass_matrix[0],
    "matrix": lambda: forms().mass_matrix,
    "long matrix": lambda: robot("stanford").equations().mass_matrix,
    "vector": lambda: forms().gravity,
    "Christoffel symbols": lambda: forms().christoffel_symbols,
    "singularities": lambda: forms().singularities(of=("x", "y")),
    "explanation": lambda: arm().explain(*states()),
    "long explanation": lambda: robot("random(12)").explain(*robot("random(12)").random_state(1)),
    "explanations": lambda: arm().explain(*states(500)),
    "other coordinates": lambda: arm().in_coordinates("absolute"),
    "base parameters": lambda: arm().base_parameters(),
    "identification": identification,
    "excitation": lambda: arm().excite(duration=3.0, waves=2, velocity=2.0, acceleration=6.0),
    "fit of a log": lambda: identification().logs[0],
    "residuals": lambda: identification().residuals,
    "estimator": lambda: arm().estimator(friction=["viscous"]),
    "calibration": calibration,
    "misses": lambda: calibration().misses[0],
    "stream": lambda: strobe.identify.stream_log(recorded(), arm()),
    "drawn robots": lambda: identification().identified.drawn(3),
    "export": lambda: arm().export("inverse_dynamics"),
    "request": lambda: importlib.import_module("strobe.trajectory.requests").request(
        arm(), [[0.0, 0.0], [1.0, 0.5]], acceleration=5.0
    ),
    "trajectory": motion,
    "state of a trajectory": lambda: motion()(np.linspace(0, 0.5, 50)),
    "extremes": lambda: motion().extremes(1),
    "run": lambda: arm().simulate([0.3, 0.2], [0, 0], None, 0.002, step=1e-4),
    "runs": lambda: arm().simulate(np.zeros((40, 2)), np.zeros(2), None, 0.002, step=1e-4),
    "audit": lambda: ANSWERS["run"]().audit,
    "table of torques": lambda: strobe.simulate.TimeSeries([0.0, 1.0], np.zeros((2, 2))),
    "tracked": lambda: strobe.load("planar2").control(motion(), rate=200),
    "controller": lambda: strobe.control.make("joint-pd", arm(), 1e-3, kp=10.0, kd=1.0),
    "diagnosis": lambda: mechanisms().diagnose(*fourbar()[:2]),
    "loop forces": lambda: mechanisms().loop_forces(*fourbar()),
    "reduced": lambda: mechanisms().reduced(*fourbar()[:3]),
    "block form": lambda: mechanisms().block_form(arm(), *states()[:2]),
    "block equations": lambda: mechanisms().block_equations(arm()),
    "ground reaction": lambda: mechanisms().ground_reaction(robot("biped10"), *robot("biped10").random_state(1, 50)),
    "chain": lambda: mechanisms().Chain(arm(), lambda theta: [theta[0], theta[0]]),
    "combined": lambda: mechanisms().combined([ANSWERS["chain"]()], [0.3], [0.1]),
    "payload": lambda: payload("identified"),
    "partly known payload": lambda: payload("known"),
    "approximation": lambda: importlib.import_module("strobe.approximate").WithoutVelocityTerms(arm()),
    "trade-off": lambda: importlib.import_module("strobe.approximate.report").trade_off(
        arm(), motion(), ["without-velocity-terms"], samples=20, seconds=0.01, round=0.001
    ),
    "examination": lambda: importlib.import_module("strobe.models.doctor").examine("puma560"),
    "repaired": lambda: ANSWERS["examination"]().repaired(),
    "comparison": lambda: importlib.import_module("strobe.analysis.comparison").compare(
        arm(), robot("planar3"), states=5
    ),
    "log": log,
    "row of a trade-off": lambda: next(iter(ANSWERS["trade-off"]().rows.values())),
}  # fmt: skip
UNITLESS = {  "residuals", "drawn robots", "estimator", "calibration", "stream", # what has no quantity to show
    "kernel", "traced", "picture", "page", "equations", "long equations", "closed form", "row", "matrix",
    "long matrix", "vector", "singularities", "Christoffel symbols", "other coordinates", "diagnosis",
    "examination", "repaired", "fit of a log",
    "block equations", "chain", "approximation", "table of Denavit and Hartenberg", "controller", "solutions, many",
}  # fmt: skip
INPUTS = {  # what people make themselves, in a line
    "Finding", "Attach", "Drop", "Lock", "Release", "Stops", "Sensor", "Sensors", "SensorFault", "Foot", "Gait",
    "Progress",
}  # fmt: skip


@cache
def made(name: str) -> Any:
    return ANSWERS[name]()


def documented() -> Iterator[type]:
    """Classes that the API pages show."""
    pages = sorted((ROOT / "docs" / "api").glob("*.md"))
    page = "\n".join(page.read_text(encoding="utf-8") for page in pages)
    for path in re.findall(r"^\.\. autoclass:: (\S+)", page, re.MULTILINE):
        module, _, name = path.rpartition(".")
        if "gym" not in module:
            yield getattr(importlib.import_module(module), name)


class Tags(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.found.append(tag)


FORMULAS = {
    "row",
    "matrix",
    "long matrix",
    "vector",
    "Christoffel symbols",
    "closed form",
}  # their text is the formula


@pytest.mark.parametrize("name", list(ANSWERS))
def test_an_answer_is_short_has_units_and_displays_itself(name: str) -> None:
    answer = made(name)
    for text in (repr(answer), str(answer)) if name != "picture" else (repr(answer),):
        assert " at 0x" not in text
        assert "array(" not in text
        assert len(text.splitlines()) <= LINES or name == "equations"  # which are a document
    assert name in FORMULAS or len(repr(answer).splitlines()) == 1
    assert name in UNITLESS or UNIT.search(str(answer))
    faces = [face for face in ("_repr_html_", "_repr_latex_", "_repr_svg_") if hasattr(answer, face)]
    assert faces or name in {"kernel", "traced", "row"}  # lists and functions show their text
    if "_repr_html_" in faces:
        assert set(Tags(answer._repr_html_()).found) <= PLAIN


@cache
def slow(name: str) -> Any:
    """Answers that take a second or more to make."""
    if name == "Walk":
        posture = [0.0, -0.3, 0.6, -0.3, 0.0] * 2
        return mechanisms().walk(strobe.load("biped10"), posture, "torso", gait=mechanisms().Gait(steps=2))
    if name == "Family":
        kinematics = {
            part: importlib.import_module(f"strobe.kinematics.{part}")
            for part in ("redundant", "serial_chain")
        }
        panda = robot("panda")
        poses = panda.forward_kinematics(panda.random_state(1, 1)[0])
        return kinematics["redundant"].solve(kinematics["serial_chain"].serial(panda), poses)
    if name == "SideBySide":
        return importlib.import_module("strobe.simulate.batch_stepper").SideBySide(
            strobe.load("planar2"), 5, 0.01
        )
    folder = Path(tempfile.mkdtemp()) / "sweep"
    asked = {"task": "torque", "robots": ["planar2"], "samples": 10, "state": {"q": {"uniform": "limits"}}}
    return strobe.sweep(asked, folder, workers=1, processes=False)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["Walk", "Sweep", "Family", "SideBySide"])
def test_an_answer_that_takes_longer_is_short_too(name: str) -> None:
    answer = slow(name)
    assert type(answer).__name__ == name
    assert " at 0x" not in str(answer) + repr(answer)
    assert len(str(answer).splitlines()) <= LINES
    assert len(repr(answer).splitlines()) == 1
    assert set(Tags(answer._repr_html_()).found) <= PLAIN


def test_every_class_of_the_api_page_is_walked() -> None:
    kinds = {type(made(name)) for name in ANSWERS}
    for cls in documented():
        known = (
            cls.__name__ in INPUTS | {"Uncertainty", "Walk", "Sweep", "Family", "SideBySide"}
            or issubclass(cls, enum.Enum)
            or inspect.isabstract(cls)
        )
        assert known or any(issubclass(kind, cls) for kind in kinds), cls
        assert cls.__repr__ is not object.__repr__, cls


def test_figures_are_pictures_closed_in_themselves() -> None:
    for name in ("trajectory", "run", "tracked", "explanation", "cross-section"):
        shown = made(name)._repr_html_()
        assert shown.count('<img src="data:image/svg+xml;base64,') == 1
        assert "<svg" not in shown


def test_names_from_files_are_escaped() -> None:
    name = "<script>alert(1)</script>"
    bodies = [replace(body, joint=replace(body.joint, name=name)) for body in arm().model.bodies[:1]]
    model = replace(arm().model, name=name, bodies=(*bodies, *arm().model.bodies[1:]))
    hostile = Robot(model, compiled=False)
    planned = hostile.plan([[0.0, 0.0], [1.0, 0.5]], acceleration=5.0)
    for answer in (hostile, hostile.explain(*states()), hostile.limit_margins([0, 0]), planned):
        assert name in str(answer)
        assert set(Tags(answer._repr_html_()).found) <= PLAIN


# -- pictures and pages --------------------------------------------------------------------------------


def test_a_picture_is_svg_text_that_saves_itself(tmp_path: Path) -> None:
    drawn = arm().draw([0.3, 0.4], view="top")
    assert drawn._repr_svg_() == str(drawn)
    assert drawn.startswith("<svg ")
    assert drawn.save(tmp_path / "arm.svg").read_text(encoding="utf-8") == drawn
    with pytest.raises(strobe.StrobeError, match="exists"):
        drawn.save(tmp_path / "arm.svg")


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"kind": "robt"}, "kind is 'robt'; expected one of robot, free-body, .* Did you mean 'robot'"),
        ({"link": "link1"}, "link= belongs to kind free-body, not to robot."),
        ({"q": [[0, 0], [1, 1]]}, r"q has shape \(2, 2\); a figure shows one state, \(2,\)."),
        ({"q": [0, 0, 0]}, r"q has shape \(3,\)"),
    ],
)
def test_what_cannot_be_drawn_is_said(options: dict[str, Any], told: str) -> None:
    with pytest.raises(strobe.StrobeError, match=told):
        arm().draw(**options)


def test_a_robot_is_shown_by_a_page_of_one_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    shown = arm().show(tmp_path / "arm.html")
    assert opened == []  # a path was given: nobody waits for a browser
    assert Path(shown).read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert Tags(shown._repr_html_()).found == ["iframe"]
    assert 'sandbox="allow-scripts"' in shown._repr_html_()
    arm().show(tmp_path / "arm.html", open=True, force=True)
    assert opened == [(tmp_path / "arm.html").resolve().as_uri()]
    with pytest.raises(strobe.StrobeError, match="open is 'yes'; expected True, False or None."):
        arm().show(tmp_path / "other.html", open="yes")  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("name", ["planar2", "panda", "fourbar"])
def test_a_robot_is_shown_where_it_is_asked_to_be(name: str, tmp_path: Path) -> None:
    robot = strobe.load(name)
    q = robot.assemble(robot.neutral + 0.3) if name == "fourbar" else robot.random_state(seed=3)[0]
    page = robot.show(tmp_path / "arm.html", q=q).page
    data = json.loads(re.search(r'id="scene">(.*?)</script>', page)[1])  # pyright: ignore[reportOptionalSubscript]
    assert np.allclose(data["q"], q, atol=1e-9)


def test_a_pose_in_the_place_of_a_path_is_told_where_it_belongs() -> None:
    with pytest.raises(
        strobe.StrobeError, match=r"is no path; expected the name of a file\. A pose is given by name, q=…"
    ):
        arm().show([0.1, 0.2])  # pyright: ignore[reportArgumentType]
    with pytest.raises(strobe.StrobeError, match=r"q has shape \(3,\)"):
        arm().show(q=[0.1, 0.2, 0.3])
