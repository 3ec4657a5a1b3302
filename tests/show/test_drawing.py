"""Drawings: valid, small, the same every time, for every robot; no words on one another or off the page."""

from __future__ import annotations

import re
from functools import cache
from itertools import combinations
from xml.etree import ElementTree

import numpy as np
import pytest

import strobe
from strobe.show import svg
from strobe.show.drawing import Drawing
from strobe.show.projection import View
from strobe.show.skeleton import posed
from strobe.study.figure_body import body_figure
from strobe.study.figure_effects import effects_figure
from strobe.study.figure_robot import robot_figure

SVG = "{http://www.w3.org/2000/svg}"
NARROW = 5.2  # pixels: a letter at 12 px is at least this wide in the mean


def random(n: int, **how) -> strobe.Robot:
    return strobe.random(n, seed=n, **how)


ROBOTS = {
    **{
        name: (lambda name=name: strobe.load(name))
        for name in (
            "stanford", "puma560", "panda", "ur5", "rx90", "planar2", "planar3", "spherical3", "biped10",
            "parallelogram", "pendulum3",
        )
    },
    "tree": lambda: random(9, tree=True),
    "many joints": lambda: random(35, tree=True),
    "floating": lambda: random(6, tree=True).with_base("floating"),
    "one joint": lambda: random(1, kinds="R"),
    "one slide": lambda: random(1, kinds="P"),
    "balls": lambda: strobe.random(4, seed=2, kinds="RS"),
    "screws": lambda: strobe.random(4, seed=3, kinds="RH"),
    "planes": lambda: strobe.random(3, seed=4, kinds="ER"),
}  # fmt: skip


@cache
def robot(name: str) -> strobe.Robot:
    return ROBOTS[name]()


def pose(name: str) -> np.ndarray:
    return robot(name).random_state(seed=3)[0]


FIGURES = {
    **{name: (lambda name=name: robot_figure(robot(name), pose(name), centres=True)) for name in ROBOTS},
    "from above": lambda: robot_figure(robot("ur5"), pose("ur5"), view=View.read("top")),
    "at zero": lambda: robot_figure(robot("panda"), np.zeros(7), view=View.read("iso")),
    "free body": lambda: body_figure(
        robot("stanford"), *robot("stanford").random_state(seed=1), "link3", inertial=True
    ),
    "free planar body": lambda: body_figure(
        robot("planar3"), *robot("planar3").random_state(seed=1), "link2"
    ),
    "effects": lambda: effects_figure(robot("planar3"), (0.7, -1.1, 0.5), (1.3, -0.6, 0.9)),
}


@pytest.fixture(scope="module", params=list(FIGURES))
def drawn(request) -> str:
    return FIGURES[request.param]()


def texts(drawn: str) -> list[tuple[str, tuple[float, float, float, float]]]:
    """Every text that is not a halo, with the least room it takes."""
    found = []
    for e in ElementTree.fromstring(drawn).iter(f"{SVG}text"):
        if e.get("class") != "halo":
            words, size = "".join(e.itertext()), float(e.get("font-size", 12))
            x, y, wide = float(e.get("x", 0)), float(e.get("y", 0)), NARROW * size / 12 * len(words)
            left = {"middle": x - wide / 2, "end": x - wide}.get(e.get("text-anchor", ""), x)
            found.append((words, (left, y - 0.72 * size, left + wide, y)))
    return found


def test_a_drawing_is_xml_with_a_title_and_a_description(drawn: str) -> None:
    root = ElementTree.fromstring(drawn)
    assert [child.tag for child in root[:2]] == [f"{SVG}title", f"{SVG}desc"]
    assert (root[1].text or "").endswith(".")
    assert root.get("aria-label") == root[0].text


def test_a_drawing_needs_nothing_from_elsewhere_and_has_no_names_that_could_clash(drawn: str) -> None:
    assert re.findall(r"https?://[^\"]*", drawn) == ["http://www.w3.org/2000/svg"]
    assert not re.search(r"url\(|@import|<image|<script|<use|href|\bid=", drawn)


def test_every_coordinate_is_a_number(drawn: str) -> None:
    assert not re.search(r"nan|inf\b|e[-+]\d", drawn)


def test_every_class_in_use_has_a_rule(drawn: str) -> None:
    used = {e.get("class") for e in ElementTree.fromstring(drawn).iter() if e.get("class")} - {"strobe"}
    assert {look for look in used if f".strobe .{look}{{" not in svg.STYLE} == set()


def test_a_drawing_is_small(drawn: str) -> None:
    assert len(drawn) < 60_000


def test_no_two_texts_lie_on_one_another(drawn: str) -> None:
    for (a, (x0, y0, x1, y1)), (b, (u0, v0, u1, v1)) in combinations(texts(drawn), 2):
        assert x1 <= u0 or u1 <= x0 or y1 <= v0 or v1 <= y0, (a, b)


def test_every_text_stays_on_the_page(drawn: str) -> None:
    root = ElementTree.fromstring(drawn)
    width, height = (float(root.get(name) or 0) for name in ("width", "height"))
    for words, (x0, y0, x1, y1) in texts(drawn):
        assert x0 >= 0, words
        assert y0 >= 0, words
        assert x1 <= width, words
        assert y1 <= height, words


def test_words_are_large_enough_where_the_drawing_is_400_pixels_wide(drawn: str) -> None:
    width = float(ElementTree.fromstring(drawn).get("width") or 0)
    sizes = [float(e.get("font-size", 12)) for e in ElementTree.fromstring(drawn).iter(f"{SVG}text")]
    assert min(sizes) * 400 / width > 8


@pytest.mark.slow
def test_a_drawing_is_the_same_every_time() -> None:
    for name in ("stanford", "tree", "effects", "free body"):
        assert FIGURES[name]() == FIGURES[name]()


# -- joints -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["stanford", "puma560", "panda", "biped10", "spherical3"])
def test_joints_in_one_place_are_drawn_beside_one_another_on_their_axes(name: str) -> None:
    golden = robot(name).model.golden[0]["q"]
    drawing = Drawing(posed(robot(name), np.array(golden)), None)
    for hinge, place in zip(drawing.skeleton.hinges, drawing.places, strict=True):
        on = hinge.rest if hinge.slides else hinge.origin
        assert np.allclose(np.cross(place - on, hinge.axis), 0.0, atol=1e-9)
    flat = [drawing.screen(place) for place in drawing.places]
    assert min(np.linalg.norm(a - b) for a, b in combinations(flat, 2)) > drawing.r


@pytest.mark.parametrize("name", ["stanford", "biped10", "tree"])
def test_every_joint_is_a_cylinder_or_a_box(name: str) -> None:
    drawn = FIGURES[name]()
    solid = [e for e in ElementTree.fromstring(drawn).iter(f"{SVG}path") if e.get("class") == "side"]
    assert len(solid) == robot(name).n


def test_a_robot_that_moves_in_a_plane_is_seen_from_in_front_of_it() -> None:
    for name in ("planar2", "planar3"):
        assert str(Drawing(posed(robot(name), pose(name)), None).screen.view) == "top"
    assert str(Drawing(posed(robot("parallelogram"), pose("parallelogram")), None).screen.view) == "side"


def test_links_have_the_lengths_and_angles_of_the_robot() -> None:
    """The planar arm on the page: 0.4 and 0.35 m long, at 0.7 and −0.4 rad."""
    bands = [
        np.array(re.findall(r"[ML](-?[\d.]+) (-?[\d.]+)", e.get("d") or ""), dtype=float)
        for e in ElementTree.fromstring(robot_figure(robot("planar2"), (0.7, -1.1))).iter(f"{SVG}path")
        if e.get("class") == "sum" and float(e.get("stroke-width", 1)) > 8
    ]
    first, second = (band[-1] - band[0] for band in bands)
    assert np.linalg.norm(first) / np.linalg.norm(second) == pytest.approx(0.4 / 0.35, rel=1e-3)
    assert np.arctan2(-first[1], first[0]) == pytest.approx(0.7, abs=1e-3)
    assert np.arctan2(-second[1], second[0]) == pytest.approx(-0.4, abs=1e-3)
