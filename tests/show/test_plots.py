"""Figures: what is drawn is what was measured, for every eye, reader and program."""

from __future__ import annotations

import re
from itertools import combinations
from xml.etree import ElementTree

import numpy as np
import pytest

import strobe
from strobe.equations.figure_torques import term_bars
from strobe.equations.meaning import explain
from strobe.errors import ArgumentError
from strobe.show import svg
from strobe.show.axes import NARROW, Scale
from strobe.show.plots import (
    BARS,
    POINTS,
    STACK,
    Panel,
    phase_plot,
    small_multiples,
    time_plot,
    torque_bars,
)

SVG = "{http://www.w3.org/2000/svg}"
T = np.linspace(0.0, 2.0, 21)


def parsed(text: str) -> ElementTree.Element:
    return ElementTree.fromstring(text)


def found(text: str, name: str, look: str | None = None) -> list[ElementTree.Element]:
    return [e for e in parsed(text).iter(SVG + name) if look is None or e.get("class") == look]


def words(text: str, look: str | None = None) -> list[str]:
    return ["".join(e.itertext()) for e in found(text, "text", look)]


def points(path: ElementTree.Element) -> np.ndarray:
    return np.array(re.findall(r"[ML](-?[\d.]+) (-?[\d.]+)", path.get("d") or ""), dtype=float)


def boxes(path: ElementTree.Element) -> np.ndarray:
    """x, y, width and height of every rectangle in a path."""
    pattern = r"M(-?[\d.]+) (-?[\d.]+)h([\d.]+)v([\d.]+)h-[\d.]+z"
    return np.array(re.findall(pattern, path.get("d") or ""), dtype=float).reshape(-1, 4)


@pytest.fixture(scope="module")
def swing():
    """A swing of the textbook's arm, explained."""
    robot = strobe.Robot(strobe.load("planar2").model, compiled=False)
    q = np.stack([np.sin(3 * T), 0.5 * np.cos(2 * T)], axis=-1)
    qd = np.stack([3 * np.cos(3 * T), -np.sin(2 * T)], axis=-1)
    qdd = np.stack([-9 * np.sin(3 * T), -2 * np.cos(2 * T)], axis=-1)
    return explain(robot, q, qd, qdd)


FIGURES = {
    "bars": lambda swing: torque_bars(swing, T),
    "narrow": lambda swing: torque_bars(swing, T, title="In short", width=NARROW),
    "lines": lambda swing: time_plot("Torques", T, dict(zip("ab", swing.tau.T, strict=True)), "N m"),
    "phase": lambda swing: phase_plot("Phase plane", {"a": (np.sin(T), np.cos(T))}),
}


@pytest.fixture(params=list(FIGURES))
def drawn(request, swing) -> str:
    return FIGURES[request.param](swing)


# -- elements -----------------------------------------------------------------------------------------


def test_elements_nest_and_escape_what_they_hold() -> None:
    made = svg.group(svg.text(1.0, 2.5, "a < b & c"), None, [svg.circle(0, -0.001, 3, class_='"x"')])
    assert str(made) == (
        '<g><text x="1" y="2.5" class="ink">a &lt; b &amp; c</text>'
        '<circle cx="0" cy="0" r="3" class="&quot;x&quot;"/></g>'
    )


def test_numbers_take_no_more_letters_than_they_need() -> None:
    assert [svg.number(x) for x in (1.0, 0.5, 1 / 3, -0.004, 100, 1e-9)] == [
        "1",
        "0.5",
        "0.33",
        "0",
        "100",
        "0",
    ]


def test_a_line_is_interrupted_where_a_value_is_missing() -> None:
    nan = float("nan")
    assert svg.polyline([0, 1, 2, 3, 4], [0, 1, nan, 3, np.inf]) == "M0 0L1 1M3 3"


def test_lines_beyond_the_colours_are_dashed() -> None:
    assert svg.stroke(1) == {"class_": "s1", "stroke_dasharray": None}
    assert svg.stroke(len(svg.SERIES) + 1) == {"class_": "s1", "stroke_dasharray": "7 3"}


# -- every figure -------------------------------------------------------------------------------------


def test_a_figure_is_xml_with_a_title_and_a_description(drawn: str) -> None:
    root = parsed(drawn)
    assert root.tag == f"{SVG}svg"
    assert root[0].tag == f"{SVG}title"
    assert root[1].tag == f"{SVG}desc"
    assert (root[1].text or "").endswith(".")
    assert root.get("role") == "img"
    assert root.get("aria-label") == root[0].text


def test_a_figure_needs_nothing_from_elsewhere(drawn: str) -> None:
    assert re.findall(r"https?://[^\"]*", drawn) == ["http://www.w3.org/2000/svg"]
    assert not re.search(r"url\(|@import|<image|<script|<use|href", drawn)
    assert not re.search(r'\bid="', drawn)  # several figures may stand in one page


def test_a_figure_is_the_same_every_time(swing) -> None:
    for make in FIGURES.values():
        assert make(swing) == make(swing)


def test_a_figure_is_small(drawn: str) -> None:
    assert len(drawn) < 30_000


def test_text_stays_inside_the_figure(drawn: str) -> None:
    width, height = (float(parsed(drawn).get(name) or 0) for name in ("width", "height"))
    for e in found(drawn, "text"):
        x, y = float(e.get("x") or 0), float(e.get("y") or 0)
        assert 0 <= x <= width
        assert 0 <= y <= height


def test_both_themes_are_there_by_preference_and_by_class() -> None:
    assert "@media(prefers-color-scheme:dark){.strobe{--strobe-paper:#14181d;" in svg.STYLE
    assert ".dark .strobe,[data-theme=dark] .strobe{--strobe-paper:#14181d;" in svg.STYLE
    assert ".light .strobe,[data-theme=light] .strobe{--strobe-paper:#ffffff;" in svg.STYLE
    assert ".strobe .paper{fill:#ffffff;fill:var(--strobe-paper)}" in svg.STYLE


def test_every_class_in_use_has_a_rule(drawn: str) -> None:
    used = {e.get("class") for e in parsed(drawn).iter() if e.get("class")} - {"strobe"}
    assert {look for look in used if f".strobe .{look}{{" not in svg.STYLE} == set()


# -- colours ------------------------------------------------------------------------------------------

# What people without one kind of cone see, on linear colours. Machado, Oliveira, Fernandes (2009), severity 1
EYES = {
    "all cones": np.eye(3),
    "no long cones": [
        [0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998],
    ],
    "no middle cones": [
        [0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881],
    ],
    "no short cones": [
        [1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900],
    ],
}  # fmt: skip


def linear(colour: str) -> np.ndarray:
    c = np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)]) / 255
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def lab(rgb: np.ndarray) -> np.ndarray:
    xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]) @ rgb
    f = np.cbrt(xyz / [0.9505, 1.0, 1.089])
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("eye", list(EYES))
@pytest.mark.parametrize("series", [svg.SERIES, svg.SERIES_ON_DARK], ids=["light", "dark"])
def test_colours_can_be_told_apart_by_every_eye(series, eye) -> None:
    seen = [lab(np.clip(np.array(EYES[eye]) @ linear(colour), 0.001, 1)) for colour in series]
    assert min(np.linalg.norm(a - b) for a, b in combinations(seen, 2)) > 20  # 2.3 is just noticeable


@pytest.mark.parametrize("theme", [svg.LIGHT, svg.DARK], ids=["light", "dark"])
def test_words_stand_out_from_the_paper(theme) -> None:
    def light(colour: str) -> float:
        return float(linear(colour) @ [0.2126, 0.7152, 0.0722]) + 0.05

    for role in ("ink", "muted"):
        ratio = light(theme[role]) / light(theme["paper"])
        assert max(ratio, 1 / ratio) > 4.5  # what the accessibility guidelines ask for


# -- scales -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "labels"),
    [
        ([0.0, 10.0], ["0", "2", "4", "6", "8", "10"]),
        ([-0.034, 0.021], ["−0.04", "−0.02", "0", "0.02", "0.04"]),
        ([3.0, 3.0], ["2.6", "2.8", "3.0", "3.2", "3.4"]),
        ([0.0], ["−1.0", "−0.5", "0", "0.5", "1.0"]),
        ([np.nan], ["0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
        ([1.2e6, 2.9e6], ["1e+06", "1.5e+06", "2e+06", "2.5e+06", "3e+06"]),
    ],
)
def test_ticks_are_round_numbers_around_the_values(values, labels) -> None:
    scale = Scale.over([np.array(values)], 0.0, 100.0, 5)
    assert [scale.label(tick) for tick in scale.ticks] == labels


def test_a_snug_scale_ends_where_the_values_end() -> None:
    scale = Scale.over([np.array([0.13, 2.07])], 50.0, 250.0, 4, snug=True)
    assert scale(np.array([0.13, 2.07])) == pytest.approx([50.0, 250.0])
    assert [scale.label(tick) for tick in scale.ticks] == ["0.5", "1.0", "1.5", "2.0"]


# -- torques as bars ----------------------------------------------------------------------------------


def ladder(text: str, panel: int) -> tuple[np.ndarray, np.ndarray]:
    """The tick labels of a panel's upward axis as numbers, with their heights."""
    panels = [g for g in parsed(text).iter(f"{SVG}g") if g.find(f"{SVG}path") is not None and found_grid(g)]
    labels = [e for e in panels[panel].findall(f"{SVG}text") if e.get("text-anchor") == "end"]
    numbers = [float((e.text or "").replace("−", "-")) for e in labels]
    return np.array(numbers), np.array([float(e.get("y") or 0) - 4 for e in labels])


def found_grid(group: ElementTree.Element) -> bool:
    return any(e.get("class") == "grid" for e in group.findall(f"{SVG}path"))


def test_the_stacks_reach_as_far_as_the_sums_of_either_sign(swing) -> None:
    text = torque_bars(swing, T)
    numbers, heights = ladder(text, 0)
    per_unit = (heights[-1] - heights[0]) / (numbers[-1] - numbers[0])
    zero = heights[0] - numbers[0] * per_unit
    looks = [f"f{STACK[kind]}" for kind in STACK]
    bars = [boxes(paths[0]) for look in looks if (paths := found(text, "path", look))]
    parts = np.array([swing.parts[kind][:, 0] for kind in STACK])
    tops = np.full(len(T), zero)
    feet = np.full(len(T), zero)
    places = np.unique(np.round(np.concatenate([b[:, 0] for b in bars]), 1))
    for b in bars:
        column = np.searchsorted(places, np.round(b[:, 0], 1))
        np.minimum.at(tops, column, b[:, 1])
        np.maximum.at(feet, column, b[:, 1] + b[:, 3])
    assert tops == pytest.approx(zero + np.where(parts > 0, parts, 0).sum(axis=0) * per_unit, abs=0.1)
    assert feet == pytest.approx(zero + np.where(parts < 0, parts, 0).sum(axis=0) * per_unit, abs=0.1)


def test_the_line_is_the_torque(swing) -> None:
    text = torque_bars(swing, T)
    for i in range(2):
        numbers, heights = ladder(text, i)
        line = points([e for e in found(text, "path", "sum") if e.get("stroke-width") == "1.6"][i])
        read = np.interp(-line[:, 1], -heights, numbers)
        assert read == pytest.approx(swing.tau[:, i], abs=0.01 * np.ptp(numbers))


def test_a_narrow_figure_has_its_panels_below_one_another_and_none_beyond_its_edge(swing) -> None:
    text = torque_bars(swing, T, width=NARROW)
    first, second = (ladder(text, i)[1] for i in range(2))
    assert second.min() > first.max()
    bars = [boxes(path) for look in STACK.values() for path in found(text, "path", f"f{look}")]
    assert max((b[:, 0] + b[:, 2]).max(initial=0.0) for b in bars) < NARROW
    keys = [e.get("transform") or "" for e in parsed(text).iter(f"{SVG}g") if e.get("transform")]
    assert max(float(key[10:].split()[0]) for key in keys) < NARROW - 60


def test_every_joint_has_a_panel_with_its_unit_and_every_kind_a_key(swing) -> None:
    shown = words(torque_bars(swing, T))
    assert shown[0] == "Where the torques of planar2 come from"
    assert {"joint1N m", "joint2N m", "time (s)", "gravity", "friction", "sum"} <= set(shown)
    assert "external" not in shown  # nothing acts from outside


def test_a_long_motion_has_bars_enough_to_see(swing) -> None:
    robot = strobe.Robot(strobe.load("planar2").model, compiled=False)
    t = np.linspace(0, 1, 5000)
    still = np.zeros((5000, 2))
    text = torque_bars(explain(robot, still + t[:, None], still + 1.0, still), t)
    assert {len(boxes(e)) for e in found(text, "path", "f6")} == {BARS}
    assert {len(points(e)) for e in found(text, "path", "halo")} == {POINTS}


def test_one_instant_can_be_drawn() -> None:
    robot = strobe.Robot(strobe.load("planar2").model, compiled=False)
    text = torque_bars(explain(robot, [[0.1, 0.2]], [[1, 1]], [[0, 0]]), [0.5])
    assert len(boxes(found(text, "path", "f6")[0])) == 1


def test_values_that_are_not_finite_leave_a_gap() -> None:
    robot = strobe.Robot(strobe.load("planar2").model, compiled=False)
    q = np.zeros((5, 2))
    q[2] = np.nan
    text = torque_bars(explain(robot, q, q * 0 + 1, q * 0), np.arange(5.0))
    assert "nan" not in text
    assert len(boxes(found(text, "path", "f6")[0])) == 4


def test_names_may_hold_any_letters() -> None:
    text = time_plot('a < b & "c"', T, {"<x>": T, "y & z": T**2}, "N m")
    assert words(text)[0] == 'a < b & "c"'
    assert {"<x>", "y & z"} <= set(words(text))


# -- lines and the phase plane ------------------------------------------------------------------------


def test_lines_pass_through_their_values() -> None:
    text = time_plot("Two lines", T, {"a": T, "b": T**2}, "m")
    numbers, heights = ladder(text, 0)
    for k, values in enumerate((T, T**2)):
        line = points(next(e for e in found(text, "path", f"s{k}") if e.get("stroke-width") == "1.8"))
        assert np.interp(-line[:, 1], -heights, numbers) == pytest.approx(values, abs=0.01)
    assert {"a", "b", "m", "time (s)"} <= set(words(text))


def test_many_keys_take_several_lines() -> None:
    lines = {f"a rather long name {k}": T + k for k in range(9)}
    text = time_plot("Nine lines", T, lines, "m")
    assert set(lines) <= set(words(text))
    shifts = [e.get("transform") or "" for e in found(text, "g") if e.get("transform")]
    assert len({shift.split()[1] for shift in shifts}) > 1


def test_an_orbit_begins_at_its_dot_and_shows_its_way() -> None:
    text = phase_plot("A circle", {"x": (np.cos(T), -np.sin(T))})
    (dot,) = found(text, "circle")
    first = points(next(e for e in found(text, "path", "s0") if e.get("stroke-width") == "1.8"))[0]
    assert first == pytest.approx([float(dot.get("cx") or 0), float(dot.get("cy") or 0)])
    (head,) = found(text, "path", "f0")
    tip, *foot = points(head)
    assert tip[0] < np.mean(foot, axis=0)[0]  # from cos 0 = 1 leftwards
    assert {"q (rad)", "qd (rad/s)"} <= set(words(text))


def test_a_point_at_rest_has_no_arrow() -> None:
    text = phase_plot("Rest", {"x": (np.zeros(3), np.zeros(3))})
    assert len(found(text, "circle")) == 1
    assert found(text, "path", "f0") == []


def test_what_does_not_fit_together_is_refused(swing) -> None:
    with pytest.raises(
        ArgumentError, match=r"there are 2 instants, but values of shape \(21,\); expected \(2,\)"
    ):
        torque_bars(swing, [0, 1])
    with pytest.raises(ArgumentError, match=r"there are 21 instants, but values of shape \(3,\)"):
        time_plot("x", T, {"a": [1, 2, 3]}, "m")
    with pytest.raises(
        ArgumentError, match="the instants of the bars do not increase; sort them, each once."
    ):
        torque_bars(swing, T[::-1])
    with pytest.raises(ArgumentError, match="there is nothing to plot"):
        time_plot("x", [], {"a": []}, "m")
    with pytest.raises(ArgumentError, match=r"there are 2 instants, but values of shape \(3,\)"):
        phase_plot("x", {"a": ([0, 1], [0, 1, 2])})


def test_terms_of_joints_that_turn_and_slide_begin_at_one_zero() -> None:
    stanford = strobe.load("stanford")
    state = [0.3, 0.9, 0.6, -0.4, 0.7, 1.1]
    figure = term_bars(explain(stanford, state, np.zeros(6), np.zeros(6)))
    zeros = [points(line)[:, 0] for line in found(figure, "path", "axis")]
    assert len(zeros) == 6
    assert np.ptp(zeros) == 0  # a pull of −9 N m and a push of 39 N point away from one line


def test_what_is_written_below_a_column_stands_below_its_last_panel() -> None:
    panel = Panel("joint", "N m", "time (s)", T, np.sin(T)[None])
    figure = small_multiples("Torques", "", [[panel, panel], [panel]])
    left, right = sorted(
        (float(e.get("x") or 0), float(e.get("y") or 0))
        for e in found(figure, "text", "muted")
        if "".join(e.itertext()) == "time (s)"
    )
    assert left[1] > right[1] + 50
