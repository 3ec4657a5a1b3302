"""The report in a browser without a network: it is quiet, it moves, and it computes what Python computes."""

from __future__ import annotations

import json
import shlex
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import strobe
from strobe.algebra import Pose, Vec3
from strobe.algebra.quaternions import quaternion_rotation
from strobe.cli import app
from strobe.compiler.codegen.js import function
from strobe.compiler.runtime.kernels import Kernel
from strobe.quantities import Request
from strobe.robot import Robot
from strobe.study import study
from strobe.study.case import Case
from strobe.study.pages import whole_page
from strobe.study.sample_motion import Swing

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
CHROMIUM = shutil.which("chromium")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed"),
]

FLAGS = [
    "--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-sync",
    "--disable-component-update", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
]  # fmt: skip
FITTED = """() => new Promise((done) => {
    const canvas = document.querySelector("canvas");
    const look = () => (canvas.width === canvas.clientWidth ? done() : requestAnimationFrame(look));
    look();
})"""  # once the canvas has the size of its place, it has been drawn
TORN = r"""() => [...document.querySelectorAll("td.num, thead th")].flatMap((cell) => {
    const unit = cell.textContent.match(/\(.{1,9}\)$|\d\s\S{1,5}$/);
    if (!unit) return [];
    const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    let last = null;
    while (texts.nextNode()) last = texts.currentNode;
    const range = document.createRange();
    range.setStart(last, Math.max(0, last.length - unit[0].length));
    range.setEnd(last, last.length);
    return new Set([...range.getClientRects()].map((r) => Math.round(r.top))).size > 1 ? [cell.textContent] : [];
})"""  # numbers or names whose unit goes on in the next line
PARTS = ("view", "robot", "torques", "motion", "equations")
NAMED = ("view", "terms", "motion", "wrenches", "equations")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with playwright.sync_playwright() as engine:
        running = engine.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield running
        running.close()


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Reports on an arm with a sliding joint, one that floats, one without masses, and one with long names."""
    folder = tmp_path_factory.mktemp("pages")
    robots = {
        "stanford": strobe.load("stanford"),
        "floating": strobe.load("planar2").with_base("floating"),
        "rx90": strobe.load("rx90"),
    }
    files = {name: folder / f"{name}.html" for name in robots}
    for name, robot in robots.items():
        files[name].write_text(whole_page(study(robot, quick=True, sections=PARTS)), encoding="utf-8")
    long = study(
        spelled_out(strobe.load("random(14)")), quick=True, sections=NAMED, called=f"{'a' * 90}.urdf"
    )
    files["long"] = folder / "long.html"
    files["long"].write_text(whole_page(long), encoding="utf-8")
    letters = study(long_equations(), quick=True, sections=["view", "equations", "matrices"])
    files["letters"] = folder / "letters.html"
    files["letters"].write_text(whole_page(letters), encoding="utf-8")
    return files


def long_equations() -> Robot:
    """An arm in general position: its conditions for no gravity are longer than a page is wide."""
    return strobe.random(5, seed=3)


def spelled_out(robot: Robot) -> Robot:
    """The same robot with names as long as those of humanoids."""
    bodies = (
        replace(body, joint=replace(body.joint, name=f"{body.joint.name}_of_the_left_shoulder_pitch_joint"))
        for body in robot.model.bodies
    )
    return Robot(replace(robot.model, bodies=tuple(bodies)), compiled=False)


def upright() -> Robot:
    """An arm whose first axis is upright but for rounding, so that gravity leaves a torque of rounding about it."""
    arm = strobe.random(4, seed=5, kinds="R")
    axis = arm.jacobian(arm.neutral)[3:, 0]
    return Robot(arm.model.with_gravity(Vec3(*(-9.81 * axis).tolist())), compiled=False)


def opened(browser: Any, file: Path, **how: Any) -> Any:
    """A page off the network that remembers what it complains about and what it asks for."""
    context = browser.new_context(**({"viewport": {"width": 1280, "height": 800}} | how))
    context.set_offline(True)
    page = context.new_page()
    page.complaints, page.requests = [], []
    page.on("console", lambda message: page.complaints.append(message.text))
    page.on("pageerror", lambda error: page.complaints.append(str(error)))
    page.on("request", lambda request: page.requests.append(request.url))
    page.goto(file.as_uri())
    if how.get("java_script_enabled", True):
        page.evaluate(FITTED)
    return page


@pytest.fixture(scope="module")
def opened_stanford(browser: Any, pages: dict[str, Path]) -> Iterator[Any]:
    page = opened(browser, pages["stanford"])
    yield page
    page.context.close()


@pytest.fixture
def stanford(opened_stanford: Any) -> Any:
    """One page for many tests, put back to its beginning before each."""
    for button in ("Reset", "Position"):
        opened_stanford.get_by_role("button", name=button).click()
    return opened_stanford


def picture(page: Any) -> str:
    """The canvas after the next frame."""
    return page.evaluate(
        "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame("
        "() => done(document.querySelector('canvas').toDataURL()))))"
    )


def slide(page: Any, k: int, value: float) -> None:
    page.evaluate(
        "([k, x]) => { const s = document.getElementById(`slider-${k}`); s.value = x;"
        " s.dispatchEvent(new Event('input')); }",
        [k, value],
    )


def shown(page: Any) -> np.ndarray:
    return np.array(
        page.evaluate("[...document.querySelectorAll('output.torque')].map((o) => Number(o.dataset.value))")
    )


def expected(page: Any, robot: Robot) -> np.ndarray:
    state = page.evaluate("strobe.state()")
    return robot.inverse_dynamics(*(np.array(state[name]) for name in ("q", "qd", "qdd")))


def off(found: np.ndarray, wanted: np.ndarray) -> float:
    return float(np.abs(found - wanted).max() / np.abs(wanted).max())


@pytest.mark.parametrize("name", ["stanford", "floating", "rx90"])
def test_a_page_is_quiet_and_asks_for_nothing(browser: Any, pages: dict[str, Path], name: str) -> None:
    page = opened(browser, pages[name])
    page.get_by_role("button", name="Play").click()
    page.wait_for_timeout(150)
    page.get_by_role("button", name="Frames").click()
    page.get_by_role("button", name="Reset").click()
    assert page.complaints == []
    assert [url for url in page.requests if not url.startswith(("file:", "data:"))] == []
    page.context.close()


def test_let_go_plays_the_simulated_motion_to_its_end(browser: Any, tmp_path: Path) -> None:
    robot = strobe.random(1, seed=2, kinds="F", tree=True)
    found = study(robot, quick=True, sections=["view", "simulation"])
    (tmp_path / "page.html").write_text(whole_page(found), encoding="utf-8")
    page = opened(browser, tmp_path / "page.html")
    page.get_by_role("button", name="Let go").click()
    page.get_by_role("button", name="Pause").wait_for(state="detached", timeout=60_000)
    q, wanted = np.array(page.evaluate("strobe.state()")["q"]), found.sections["simulation"]["q"][-1]
    np.testing.assert_allclose(q[:3], wanted[:3], atol=1e-9)
    q, wanted = (x[3:] * np.sign(x[3]) for x in (q, wanted))  # both signs turn the same way
    np.testing.assert_allclose(q, wanted, atol=1e-9)
    assert page.complaints == []
    page.context.close()


def test_sliders_move_the_robot_and_its_torques(stanford: Any) -> None:
    robot = strobe.load("stanford")
    before, torques = picture(stanford), shown(stanford)
    assert off(torques, expected(stanford, robot)) < 1e-12
    slide(stanford, 1, -0.7)
    assert picture(stanford) != before
    assert np.abs(shown(stanford) - torques).max() > 1
    assert off(shown(stanford), expected(stanford, robot)) < 1e-12


def test_rates_and_accelerations_enter_the_torques(stanford: Any) -> None:
    robot = strobe.load("stanford")
    for k, mode in enumerate(("Velocity", "Acceleration")):
        stanford.get_by_role("button", name=mode).click()
        for joint in range(6):
            slide(stanford, joint, 0.3 + 0.1 * joint + k)
    state = stanford.evaluate("strobe.state()")
    assert state["qd"] == pytest.approx([0.3, 0.4, 0.5, 0.6, 0.7, 0.8])
    assert state["qdd"] == pytest.approx([1.3, 1.4, 1.5, 1.6, 1.7, 1.8])
    assert off(shown(stanford), expected(stanford, robot)) < 1e-12


def test_what_is_written_is_the_torque_to_its_digits(stanford: Any) -> None:
    texts = stanford.evaluate("[...document.querySelectorAll('output.torque')].map((o) => o.textContent)")
    written = [float(text.replace("−", "-").split(" ", 1)[0]) for text in texts]
    wanted = expected(stanford, strobe.load("stanford"))
    assert written == pytest.approx(wanted, rel=1e-3, abs=1e-12)
    assert [text.split(" ", 1)[1] for text in texts] == ["N m", "N m", "N", "N m", "N m", "N m"]


def test_a_floating_base_turns_by_three_angles(browser: Any, pages: dict[str, Path]) -> None:
    page = opened(browser, pages["floating"])
    for k, angle in ((3, 0.4), (4, -0.6), (5, 1.1), (6, 0.8)):
        slide(page, k, angle)
    robot = strobe.load("planar2").with_base("floating")
    turned = quaternion_rotation(*page.evaluate("strobe.state()")["q"][3:7])
    wanted = Pose.at(rpy=(0.4, -0.6, 1.1)).rotation
    assert np.allclose([[*row] for row in turned], [[*row] for row in wanted], atol=1e-14)
    assert off(shown(page), expected(page, robot)) < 1e-12
    page.context.close()


def test_the_page_puts_the_tool_where_the_kinematics_puts_it(stanford: Any) -> None:
    slide(stanford, 3, 0.9)
    found = stanford.evaluate(
        "() => { const s = JSON.parse(document.getElementById('scene').textContent).tool, q = strobe.state().q;"
        " return { q, link: placements(q).slice(12 * s.body, 12 * s.body + 12), tool: s.placement }; }"
    )
    link, tool = (np.vstack([np.reshape(found[k], (3, 4)), [0, 0, 0, 1]]) for k in ("link", "tool"))
    assert np.allclose(link @ tool, strobe.load("stanford").forward_kinematics(found["q"]), atol=1e-14)


def test_keys_move_sliders_and_turn_the_view(stanford: Any) -> None:
    before = stanford.evaluate("strobe.state().q[0]")
    stanford.locator("#slider-0").focus()
    stanford.keyboard.press("ArrowRight")
    assert stanford.evaluate("strobe.state().q[0]") > before
    first = picture(stanford)
    stanford.locator("canvas").focus()
    stanford.keyboard.press("ArrowLeft")
    assert picture(stanford) != first


def test_dragging_turns_the_robot_and_reset_turns_it_back(stanford: Any) -> None:
    first = picture(stanford)
    box = stanford.locator("canvas").bounding_box()
    stanford.mouse.move(box["x"] + 200, box["y"] + 200)
    stanford.mouse.down()
    stanford.mouse.move(box["x"] + 300, box["y"] + 230)
    stanford.mouse.up()
    assert picture(stanford) != first
    stanford.get_by_role("button", name="Reset").click()
    assert picture(stanford) == first


def test_without_scripts_the_robot_stands_still_and_is_there(browser: Any, pages: dict[str, Path]) -> None:
    page = opened(browser, pages["stanford"], java_script_enabled=False)
    assert page.locator("noscript svg").first.is_visible()
    assert not page.locator("#viewer").is_visible()
    assert page.locator("button:visible").count() == 0
    page.context.close()


@pytest.mark.parametrize("name", ["stanford", "floating", "long", "letters"])
def test_the_page_never_scrolls_sideways_and_figures_fit(
    browser: Any, pages: dict[str, Path], name: str
) -> None:
    page = opened(browser, pages[name])
    page.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    for width in (390, 820, 1200, 1920):
        page.set_viewport_size({"width": width, "height": 844})
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        edges = "[...document.querySelectorAll('figure svg')].map((s) => s.getBoundingClientRect().right)"
        assert 0 < max(page.evaluate(edges), default=1) <= width
    page.context.close()


def test_tables_of_seven_joints_fit_a_desk_and_no_unit_is_torn(browser: Any, tmp_path: Path) -> None:
    path = tmp_path / "panda.html"
    sections = ("view", "robot", "torques", "terms", "wrenches", "matrices")
    path.write_text(
        whole_page(study(strobe.load("panda"), quick=True, sections=sections)), encoding="utf-8"
    )
    page = opened(browser, path)
    cut = "[...document.querySelectorAll('.wide')].filter((w) => w.scrollWidth > w.clientWidth).length"
    for width in (1200, 1280, 1920):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate(cut) == 0
        figure, joints = page.evaluate(
            "[...document.querySelectorAll('#robot .beside > *')].map((e) => e.offsetTop)"
        )
        assert figure == joints  # side by side
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate(TORN) == []
    page.context.close()


def test_a_robot_that_is_shown_alone_has_the_page_for_itself(browser: Any, tmp_path: Path) -> None:
    strobe.load("stanford").show(tmp_path / "alone.html")
    page = opened(browser, tmp_path / "alone.html", viewport={"width": 900, "height": 844})
    for width, least in ((1280, 500), (1920, 500), (900, 400), (390, 300)):
        page.set_viewport_size({"width": width, "height": 844})
        assert page.evaluate("document.querySelector('canvas').clientWidth") >= least
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.context.close()


def test_plots_take_the_width_of_the_column(stanford: Any) -> None:
    widths = "['#motion', '#motion .on-wide svg'].map((s) => document.querySelector(s).clientWidth)"
    for width in (1200, 1280, 1920):
        stanford.set_viewport_size({"width": width, "height": 800})
        column, plot = stanford.evaluate(widths)
        assert plot >= 0.97 * column
    stanford.set_viewport_size({"width": 1280, "height": 800})


def test_cards_are_of_one_height_on_a_desk_and_row_by_row_on_a_phone(
    browser: Any, pages: dict[str, Path]
) -> None:
    page = opened(browser, pages["stanford"])
    cards = "[...document.querySelectorAll('.cards a')].map((c) => [c.offsetTop, c.offsetHeight])"
    _, heights = np.array(page.evaluate(cards)).T
    assert len(heights) > 2
    assert np.ptp(heights) <= 1
    page.set_viewport_size({"width": 390, "height": 844})
    tops, heights = np.array(page.evaluate(cards)).T
    for top in set(tops):
        assert np.ptp(heights[tops == top]) <= 1
    alone = (
        "(c) => c.offsetHeight - c.querySelector('span').offsetHeight - c.querySelector('b').offsetHeight"
    )
    # no empty room below a card of its own row
    assert page.locator(".cards li:last-child a").evaluate(alone) < 45
    page.context.close()


def test_the_torques_of_six_joints_are_seen_on_a_phone_without_scrolling_their_list(stanford: Any) -> None:
    stanford.set_viewport_size({"width": 390, "height": 844})
    assert stanford.locator(".rows").evaluate("(r) => r.scrollHeight <= r.clientHeight")
    stanford.set_viewport_size({"width": 1280, "height": 800})


def test_the_commands_follow_the_sliders(stanford: Any) -> None:
    robot = strobe.load("stanford")
    slide(stanford, 1, -0.71)
    stanford.get_by_role("button", name="Velocity").click()
    slide(stanford, 0, 1.25)
    draw, torque = (
        stanford.locator(where).inner_text() for where in ("#view > .command code", "#torque-command code")
    )
    assert draw == "$ strobe draw stanford --q 0.3,-0.71,0.6,-0.4,0.7,1.1 -o stanford.svg"
    assert torque == (
        "$ strobe torque stanford --q 0.3,-0.71,0.6,-0.4,0.7,1.1 --qd 1.25,0,0,0,0,0 --qdd 0,0,0,0,0,0"
    )
    done = CliRunner().invoke(app, [*shlex.split(torque)[2:], "--json"])
    assert off(np.array(json.loads(done.stdout)["tau"]), shown(stanford)) < 1e-12
    assert off(shown(stanford), expected(stanford, robot)) < 1e-12


def test_what_rounding_leaves_of_no_torque_is_written_as_0(browser: Any, tmp_path: Path) -> None:
    robot = upright()
    (tmp_path / "page.html").write_text(whole_page(study(robot, sections=["view"])), encoding="utf-8")
    page = opened(browser, tmp_path / "page.html")
    exact = shown(page)
    assert 0 < np.abs(exact).min() < 1e-12 * np.abs(exact).max()
    text = page.locator("output.torque").nth(int(np.abs(exact).argmin())).inner_text()
    assert text == "0 N m"
    page.context.close()


SHAPED = """<robot name="shaped"><link name="base">
<visual><geometry><box size="0.4 0.4 0.1"/></geometry></visual></link>
<link name="arm"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
<visual><origin xyz="0 0 0.3"/><geometry><box size="0.2 0.2 0.6"/></geometry></visual></link>
<joint name="turn" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/></joint></robot>"""


def test_links_are_drawn_as_the_model_shapes_them_and_as_lines_on_request(
    browser: Any, tmp_path: Path
) -> None:
    (tmp_path / "arm.urdf").write_text(SHAPED, encoding="utf-8")
    found = study(strobe.load(tmp_path / "arm.urdf"), sections=["view"], file=str(tmp_path / "arm.urdf"))
    (tmp_path / "page.html").write_text(whole_page(found), encoding="utf-8")
    page = opened(browser, tmp_path / "page.html")
    shapes = picture(page)
    page.get_by_role("button", name="Shapes").click()
    lines = picture(page)
    assert lines != shapes
    page.get_by_role("button", name="Shapes").click()
    assert picture(page) == shapes
    slide(page, 0, 0.8)
    assert picture(page) != shapes
    assert page.complaints == []
    page.context.close()


# -- an instant of a motion -----------------------------------------------------------------------------------

MARKED = "[...document.querySelectorAll('#{} .on-wide .instant')].map((p) => p.getAttribute('d'))"


def test_an_instant_pointed_at_is_marked_in_all_plots_of_the_motion_and_poses_the_robot(
    browser: Any, pages: dict[str, Path]
) -> None:
    page = opened(browser, pages["stanford"])
    panel = page.locator("#motion .on-wide [data-time]").nth(2)
    panel.scroll_into_view_if_needed()
    box = panel.bounding_box()
    page.mouse.move(box["x"] + 0.6 * box["width"], box["y"] + 0.5 * box["height"])
    marks = page.evaluate(MARKED.format("motion"))
    assert len(marks) == 6
    assert len({mark.split(" ")[0] for mark in marks}) == 2  # two columns of panels
    t = float(page.locator("#motion .clock").inner_text().split()[2])
    assert 0.8 < t < 1.6
    robot = strobe.load("stanford")
    q, qd, qdd = Swing.about(robot, Case.of(robot).q).states(np.array([t]))
    state = page.evaluate("strobe.state()")
    assert np.allclose(state["q"], q[0], atol=5e-3)
    assert np.allclose(state["qd"], qd[0], atol=2e-2)
    assert (
        off(shown(page), robot.inverse_dynamics(*(np.array(state[k]) for k in ("q", "qd", "qdd")))) < 1e-12
    )
    assert page.locator(".inset.shown").count() == 1  # the robot itself is out of sight
    page.mouse.move(5, 5)
    assert page.locator(".inset.shown").count() == 0
    assert page.complaints == []
    page.context.close()


def test_arrow_keys_move_the_instant(browser: Any, pages: dict[str, Path]) -> None:
    page = opened(browser, pages["stanford"])
    page.locator("#motion figure").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    first = page.locator("#motion .clock").inner_text()
    before = page.evaluate("strobe.state()")["q"]
    page.keyboard.press("End")
    assert page.locator("#motion .clock").inner_text() != first
    page.keyboard.press("Home")
    assert page.locator("#motion .clock").inner_text() == "t = 0.000 s"
    assert page.evaluate("strobe.state()")["q"] != before
    page.context.close()


def test_a_motion_that_is_played_moves_the_mark(browser: Any, pages: dict[str, Path]) -> None:
    page = opened(browser, pages["stanford"])
    page.get_by_role("button", name="Play").click()
    page.locator("#motion .on-wide .instant").first.wait_for(state="attached")
    first = page.evaluate(MARKED.format("motion"))
    picture(page)  # two frames later
    picture(page)
    assert page.evaluate(MARKED.format("motion")) != first
    page.context.close()


def test_a_touch_marks_an_instant_on_a_phone(browser: Any, pages: dict[str, Path]) -> None:
    page = opened(browser, pages["stanford"], viewport={"width": 390, "height": 844}, has_touch=True)
    panel = page.locator("#motion .on-narrow [data-time]").first
    panel.scroll_into_view_if_needed()
    box = panel.bounding_box()
    page.touchscreen.tap(box["x"] + 0.5 * box["width"], box["y"] + 0.5 * box["height"])
    assert page.locator("#motion .clock").inner_text().startswith("t = ")
    assert page.locator(".inset.shown").count() == 1
    page.touchscreen.tap(5, 5)
    assert page.locator(".inset.shown").count() == 0
    page.context.close()


@pytest.mark.parametrize("name", ["stanford", "long"])
def test_no_torque_beside_a_slider_is_cut_off(browser: Any, pages: dict[str, Path], name: str) -> None:
    page = opened(browser, pages[name])
    page.evaluate(
        "document.querySelectorAll('output.torque').forEach((o) => { o.textContent = '−0.001234 N m'; })"
    )
    cut = "[...document.querySelectorAll('output.torque')].filter((o) => o.scrollWidth > o.clientWidth).length"
    assert page.evaluate(cut) == 0
    page.context.close()


def test_plots_have_one_column_on_a_phone_and_two_on_a_desk(stanford: Any) -> None:
    shown = "['.on-wide', '.on-narrow'].map((c) => document.querySelector(`#motion ${c}`).offsetWidth > 0)"
    stanford.set_viewport_size({"width": 390, "height": 844})
    assert stanford.evaluate(shown) == [False, True]
    stanford.set_viewport_size({"width": 1280, "height": 800})
    assert stanford.evaluate(shown) == [True, False]


def test_equations_begin_at_the_left(stanford: Any) -> None:
    left = "['#equations h3', '#equations math[display=block]']"
    lefts = f"{left}.map((s) => document.querySelector(s).getBoundingClientRect().left)"
    heading, equation = stanford.evaluate(lefts)
    assert heading < equation < heading + 40


def test_light_and_dark_follow_the_system_and_the_button(browser: Any, pages: dict[str, Path]) -> None:
    page = opened(browser, pages["stanford"], color_scheme="dark")
    colour = "getComputedStyle(document.body).backgroundColor"
    assert page.evaluate(colour) == "rgb(20, 24, 29)"
    dark = picture(page)
    page.get_by_role("button", name="theme").click()
    assert page.evaluate(colour) == "rgb(255, 255, 255)"
    assert picture(page) != dark
    page.context.close()


def test_a_robot_without_masses_moves_without_torques(browser: Any, pages: dict[str, Path]) -> None:
    page = opened(browser, pages["rx90"])
    before = picture(page)
    slide(page, 1, 0.5)
    assert picture(page) != before
    assert page.evaluate("strobe.torques()") is None
    assert len(shown(page)) == 0
    page.context.close()


# -- programs as script -------------------------------------------------------------------------------

ASKED = {  # between them every operation that a quantity uses
    "friction": ("puma560", Request("inverse_dynamics")),
    "pivots": ("panda", Request("forward_dynamics")),
    "quaternions": ("floating", Request("mass_matrix")),
    "gravity": ("ur5", Request("inverse_dynamics", gravity=True)),
    "logarithms": ("floating", Request("difference")),
}


@pytest.mark.parametrize("case", list(ASKED))
def test_a_program_as_script_computes_what_python_computes(browser: Any, case: str) -> None:
    name, request = ASKED[case]
    model = (
        strobe.load("planar3").with_base("floating") if name == "floating" else strobe.load(name)
    ).model
    kernel = Kernel(model, request)
    rng = np.random.default_rng(3)
    values = {key: rng.standard_normal(size) for key, size in kernel.inputs.items()}
    wanted = np.array(kernel.function()(**{k: v.tolist() for k, v in values.items()}), dtype=float).ravel()
    page = browser.new_page()
    call = f"({function(kernel.program, 'f')})(...arguments[0])"
    found = page.evaluate(f"function() {{ return {call}; }}", [v.tolist() for v in values.values()])
    assert off(np.array(found), wanted) < 1e-12
    page.close()
