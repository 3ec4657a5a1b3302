"""The report: sections as plug-ins, a page that is safe and complete, headlines and commands."""

from __future__ import annotations

import html as entities
import json
import re
import shlex
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import strobe
from strobe.cli.verbs import VERBS
from strobe.errors import UnknownNameError
from strobe.formulations import FORMULATIONS
from strobe.show.html import VOID
from strobe.study import SECTIONS, page_parts, report, study
from strobe.study.case import LARGEST, Case, file_name
from strobe.study.pages import whole_page
from strobe.study.refusals import reasons
from strobe.study.sample_motion import PERIOD, Swing, resting_position
from strobe.study.view import measure as scene_of, roll_pitch_yaw

ROOT = Path(strobe.__file__).parent


@pytest.fixture(scope="module")
def planar():
    return study(strobe.load("planar2"), quick=True)


@pytest.fixture(scope="module")
def page(planar) -> str:
    return whole_page(planar)


# -- sections -----------------------------------------------------------------------------------------


def test_every_section_has_a_title_data_and_a_view(planar) -> None:
    for key, section in SECTIONS.items():
        assert section.TITLE, key
        assert callable(section.measure), key
        assert callable(section.render), key
    assert list(planar.sections) == [key for key in SECTIONS if key not in ("closed", "base", "legs")]
    assert report.fitting(planar.case.robot, list(SECTIONS)) == list(
        planar.sections
    )  # what progress counts


def test_a_section_for_other_robots_says_so_where_it_is_asked_for_by_name() -> None:
    found = study(strobe.load("planar2"), sections=["closed", "base", "legs"]).sections
    assert found["closed"] == {"skipped": "planar2 has no closed chain."}
    assert found["base"] == {"skipped": "planar2 stands on a fixed base."}
    assert found["legs"] == {"skipped": "planar2 names no feet that it could stand on."}


def test_a_new_section_is_one_module_and_one_row(monkeypatch: pytest.MonkeyPatch) -> None:
    section = ModuleType("weather")
    section.__dict__.update(
        TITLE="The weather",
        measure=lambda case: {"sun": 1 < 2},
        render=lambda data: [f"sun & {data['sun']}"],
    )
    monkeypatch.setitem(SECTIONS, "weather", section)
    found = study(strobe.load("planar2"), sections=["weather"])
    assert found.sections == {"weather": {"sun": True}}
    assert '<section id="weather"><h2>The weather</h2><p>Sun &amp; True</p>' in whole_page(found)


def test_sections_are_chosen_by_name_and_come_in_the_order_of_the_report() -> None:
    assert report.chosen(["laws", "robot"]) == ["robot", "laws"]
    with pytest.raises(UnknownNameError, match='no section "lawz" in the study. Did you mean .laws.'):
        report.chosen(["lawz"])


def test_a_quick_study_leaves_out_what_takes_long_and_says_so(planar) -> None:
    assert planar.sections["speed"] == {"skipped": "it takes long, and --quick leaves it out."}
    assert planar.sections["proof"] == planar.sections["speed"]


def test_methods_that_take_minutes_on_many_joints_are_left_out_with_the_reason() -> None:
    case = Case.of(strobe.load("random(20)"))
    assert case.refused["uicker-kahn"] == "a study waits for uicker-kahn on up to 12 joints only."
    assert "newton-euler" in case.formulations
    assert {"newton-euler", "spatial-newton-euler"}.isdisjoint(LARGEST)
    assert "waters" in Case.of(strobe.load("random(10)")).formulations
    assert "on up to 8 joints" in Case.of(strobe.load("random(10)"), quick=True).refused["waters"]


def test_a_quick_study_of_sixty_joints_keeps_the_formulations_that_are_quick_there() -> None:
    case = Case.of(strobe.load("random(60)"), quick=True)
    assert set(case.formulations) == set(FORMULATIONS) - set(LARGEST)
    assert {"newton-euler", "spatial-newton-euler"} <= set(case.formulations)


def test_why_formulations_are_left_out_is_said_once_for_all_that_share_it() -> None:
    case = Case.of(strobe.load("biped10").with_base("floating"))
    chains, *others = reasons(case.refused)
    assert chains.startswith(
        "without uicker-kahn, waters, waters-recursive, hollerbach-backward, hollerbach-4x4, "
    )
    assert chains.endswith(": biped10 is not a single chain of one-degree joints, which each needs.")
    assert len(others) < 4
    (alone,) = reasons({"waters": "the waters arm is no chain, which waters needs."})
    assert alone == "without waters: the waters arm is no chain, which waters needs."


def test_torques_of_many_joints_stand_below_one_another() -> None:
    data = study(strobe.load("random(13)"), quick=True, sections=["torques"]).sections["torques"]
    _, shown, *_ = SECTIONS["torques"].render(data)
    columns = {column.header: list(column.cells) for column in shown.columns}
    assert list(columns) == ["joint", *data["tau"]]
    joints = [f"{name} ({unit})" for name, unit in zip(data["joints"], data["units"], strict=True)]
    assert [str(cell) for cell in columns["joint"]] == [*joints, "relative to spatial-newton-euler"]
    assert str(columns["newton-euler"][2]) == f"{data['tau']['newton-euler'][2]:.6g}"
    assert str(columns["spatial-newton-euler"][-1]) == "0"


# -- the page -----------------------------------------------------------------------------------------


def test_the_page_asks_for_nothing_from_elsewhere(page: str) -> None:
    assert set(re.findall(r"https?://[^\"'\s<)]*", page)) <= {
        "http://www.w3.org/2000/svg",
        "http://www.w3.org/1998/Math/MathML",
    }
    assert not re.search(r"<(script|img|iframe)[^>]* src=|@import|url\((?!data:font/woff2;base64,)", page)
    assert "default-src 'none'" in page


def test_every_anchor_leads_somewhere(page: str) -> None:
    targets = set(re.findall(r' id="([^"]+)"', page))
    assert set(re.findall(r'href="#([^"]+)"', page)) <= targets


def test_every_element_that_opens_closes(page: str) -> None:
    body = re.sub(r"<(script|style)\b[^>]*>.*?</\1>|<!.*?>", "", page, flags=re.S)
    stack: list[str] = []
    for closing, name, rest in re.findall(r"<(/?)([a-zA-Z][\w-]*)((?:[^>\"]|\"[^\"]*\")*)>", body):
        if closing:
            assert stack.pop() == name
        elif name not in (*VOID, "link") and not rest.endswith("/"):
            stack.append(name)
    assert stack == []


def test_the_page_and_its_numbers_are_small(page: str) -> None:
    assert len(page.encode()) < 440_000


def test_names_from_a_file_cannot_become_markup(tmp_path: Path) -> None:
    evil = '</script><script>alert(1)</script>"&'
    text = (ROOT / "models/library/planar2.toml").read_text(encoding="utf-8")
    text = text.replace('title = "', f"title = '''{evil}''' #", 1)
    file = tmp_path / "arm.toml"
    file.write_text(text, encoding="utf-8")
    robot = strobe.load(file)
    assert robot.model.title == evil
    named = whole_page(study(robot, sections=["view", "robot"], called=evil))
    assert "alert(1)" in named
    assert "<script>alert" not in named
    assert page_parts.data_script("x", {"name": evil}).count("</script>") == 1


def test_every_section_shows_the_command_that_makes_it_again(planar, page: str) -> None:
    commands = [entities.unescape(line) for line in re.findall(r"<code>\$ strobe (.*?)</code>", page)]
    shown = [key for key, data in planar.sections.items() if "skipped" not in data]
    assert len(commands) == len(shown) + 2  # the view and the hand have two each
    assert {shlex.split(line)[0] for line in commands} <= VERBS.keys()
    assert all("planar2" in line or line == "tables hollerbach" for line in commands)


def test_a_command_keeps_the_edits_that_its_verb_knows_and_the_seed() -> None:
    robot = strobe.load("planar2", gravity=[0, 0, -9.81])
    called = "planar2 --gravity 0,0,-9.81"
    found = whole_page(study(robot, 3, sections=["robot", "laws"], called=called))
    assert f"$ strobe study {called} --seed 3 --sections robot --text" in found  # info takes no gravity
    assert f"$ strobe check {called}" in found


def test_results_are_counted_at_the_head(planar, page: str) -> None:
    assert [h.section for h in planar.headlines] == ["exactness", "torques", "counts", "laws", "equations"]
    assert planar.headlines[0].figure == f"{len(FORMULATIONS)} = 1"
    assert planar.headlines[2].figure == "27"
    for h in planar.headlines:
        assert entities.escape(h.sentence, quote=False) in page


def test_a_robot_without_masses_gets_a_page_that_says_why() -> None:
    found = study(strobe.load("rx90"), quick=True)
    page = whole_page(found)
    assert page.count("Not shown: rx90 has no dynamics") == 1
    assert "No torques are shown: only its geometry is known" in page
    assert "function placements(q)" in page
    assert "function torques(" not in page
    assert [h.section for h in found.headlines] == ["kinematics", "robot"]


def test_warnings_about_a_model_stand_in_its_report(tmp_path: Path) -> None:
    urdf = """<robot name="bent"><link name="base"/><link name="arm"><inertial><mass value="1"/>
      <inertia ixx="1" iyy="1" izz="9" ixy="0" ixz="0" iyz="0"/></inertial></link>
      <joint name="turn" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/></joint>
      </robot>"""
    file = tmp_path / "bent.urdf"
    file.write_text(urdf, encoding="utf-8")
    with pytest.warns(strobe.errors.ModelWarning):
        robot = strobe.load(file)
    page = whole_page(study(robot, sections=["robot"]))
    assert "1 warning about the model" in page
    assert '<span class="chip warn">warning</span>bent.urdf' in page
    assert str(tmp_path) not in page.split("</ul>")[1]


def test_the_numbers_are_json(planar) -> None:
    from strobe.show.json_text import json_text

    data = json.loads(json_text(planar.numbers))
    assert data["robot"] == "planar2"
    assert data["passed"] is True
    assert len(data["headlines"]) == 5
    assert list(data["sections"]) == list(planar.sections)
    assert data["sections"]["equations"]["parts"][0]["entries"][0]["latex"].startswith("T = ")


def test_torques_are_said_term_by_term(planar, page: str) -> None:
    explained = planar.sections["terms"]["explained"]
    assert [row["joint"] for row in explained] == ["joint1", "joint2"]
    assert explained[0]["terms"][0]["kind"] == "gravity"
    assert 'title="g1: carries the weight beyond joint1"' in page


def test_the_matrix_of_all_pairs_is_shown(planar, page: str) -> None:
    assert page.count('<td class="same">=</td>') == len(FORMULATIONS) * (len(FORMULATIONS) - 1)
    assert np.all(planar.sections["exactness"]["matrix"])


@pytest.mark.slow
def test_a_long_torque_list_is_cut_in_the_figures_and_whole_in_the_numbers() -> None:
    found = study(strobe.load("random(20, 1)"), sections=["motion", "terms"])
    page = whole_page(found)
    assert np.shape(found.sections["motion"]["tau"]) == (25, 20)
    assert "The 12 largest of 20 torques; all are in the JSON file." in page
    assert "The 12 largest torques; 8 more are in the JSON file." in page


# -- pieces -------------------------------------------------------------------------------------------


def test_a_figure_too_wide_for_a_phone_is_marked_so_that_it_scrolls() -> None:
    small, broad = (page_parts.figure(f'<svg xmlns="" width="{wide}" height="9"/>') for wide in (480, 760))
    assert '<div class="wide">' in small
    assert '<div class="wide broad">' in broad


def test_elements_escape_text_and_keep_markup() -> None:
    made = page_parts.tag("p", "a < b ", page_parts.tag("b", 1), None, ["&"], class_='"x"', title=None)
    assert made == '<p class="&quot;x&quot;">a &lt; b <b>1</b>&amp;</p>'
    assert page_parts.tag("td") == "<td></td>"  # never <td/>, which HTML reads as open
    assert page_parts.tag("br") == "<br>"


def test_names_of_files_are_harmless() -> None:
    assert file_name("panda") == "panda"
    assert file_name("../../etc/passwd") == "etc_passwd"
    assert file_name("random(60, 1)") == "random_60_1"
    assert file_name("…/") == "robot"


# -- the motion to look at ----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["panda", "stanford", "planar2", "biped10"])
def test_a_swing_keeps_the_limits_and_its_rates_are_derivatives(name: str) -> None:
    robot = strobe.load(name)
    swing = Swing.about(robot, resting_position(robot))
    t = np.linspace(0, PERIOD, 2001)
    q, qd, qdd = swing.states(t)
    assert np.all(q >= robot.limits.lower - 1e-12)
    assert np.all(q <= robot.limits.upper + 1e-12)
    assert np.allclose(np.gradient(q, t, axis=0)[1:-1], qd[1:-1], atol=1e-4)
    assert np.allclose(np.gradient(qd, t, axis=0)[1:-1], qdd[1:-1], atol=1e-3)
    assert np.all(swing.amplitude > 0)


def test_a_floating_base_stays_where_it_is() -> None:
    robot = strobe.load("planar2").with_base("floating")
    q, qd, _ = Swing.about(robot, resting_position(robot)).states(np.array([0.0, 0.3]))
    assert np.array_equal(q[:, :7], [[0, 0, 0, 1, 0, 0, 0]] * 2)
    assert not np.any(qd[:, :6])


def test_roll_pitch_and_yaw_turn_as_the_quaternion_does() -> None:
    from strobe.algebra import Pose
    from strobe.algebra.quaternions import quaternion_rotation

    for quaternion in np.random.default_rng(0).standard_normal((20, 4)):
        roll, pitch, yaw = roll_pitch_yaw(quaternion)
        turned = Pose.at(rpy=(roll, pitch, yaw)).rotation
        expected = quaternion_rotation(*quaternion.tolist())
        assert np.allclose([[*row] for row in turned], [[*row] for row in expected], atol=1e-12)


def test_a_scene_has_a_slider_for_every_degree_of_freedom() -> None:
    case = Case.of(strobe.load("stanford"))
    controls = scene_of(case)["controls"]
    assert [c["name"] for c in controls] == list(case.robot.joint_names)
    assert [c["value"] for c in controls] == pytest.approx(case.swing.q)
    assert (controls[2]["unit"], controls[2]["torque_unit"], controls[2]["ends"]) == (
        "m",
        "N",
        [0.3048, 1.27],
    )
    floating = scene_of(Case.of(strobe.load("planar2").with_base("floating")))["controls"]
    assert [c["name"] for c in floating[:6]] == [
        f"base {x}" for x in ("x", "y", "z", "roll", "pitch", "yaw")
    ]
    assert [c["unit"] for c in floating] == ["m"] * 3 + ["rad"] * 5
