"""Names that are code: in C, Python, LaTeX, HTML, SVG, XML, TOML, CSV and on a terminal they stay names.

A robot with hostile names is written beside the same robot with plain ones: what comes out has the same structure.
"""

import csv
import io
import re
import shutil
import subprocess
import tomllib
from html.parser import HTMLParser
from xml.etree import ElementTree

import numpy as np
import pytest
from typer.testing import CliRunner

from strobe.cli.app import app
from strobe.cli.verbs import VERBS
from strobe.compiler.export.quantity import TARGETS
from strobe.errors import ModelFileError
from strobe.models.toml_reader import read_toml
from strobe.models.toml_writer import write_toml
from strobe.models.urdf import read_urdf
from strobe.models.urdf_writer import write_urdf
from strobe.robot import Robot
from strobe.simulate.files import write

HOSTILE = {
    "robot": """*/ system("touch pwned"); /* <script>alert(1)</script>"' onload="alert(1)""",
    "title": r"\input{/etc/passwd} \immediate\write18{touch pwned} %$&#_^~{} </title><script>alert(2)</script>",
    "first": "</script><img src=x onerror=alert(1)>",
    "second": "\\write18{x}\"]) + __import__('os').system('touch pwned') #",
    "base": "`touch pwned` $(touch pwned); touch pwned | ../../up \\",
    "link": """=cmd|'/C calc'!A0""",
    "hand": "javascript:alert(1)//]]> --> ??/ \u00e9",
}
PLAIN = {key: f"{key}_name" for key in HOSTILE}

ARM = """
format = 1
name = {robot}
title = {title}
source = {title}
[base]
name = {base}
gravity = [0, -9.81, 0]
[dh]
convention = "standard"
inertia_at = "com"
[[dh.link]]
name = {link}
joint_name = {first}
joint = "revolute"
a = 0.4
mass = 2.0
com = [-0.2, 0, 0]
inertia = [0.01, 0.03, 0.03, 0, 0, 0]
limits = {{ position = [-3.1, 3.1], velocity = 4.0, effort = 30.0 }}
[[dh.link]]
name = "link2"
joint_name = {second}
joint = "revolute"
a = 0.3
mass = 1.0
com = [-0.1, 0, 0]
inertia = [0.01, 0.03, 0.03, 0, 0, 0]
limits = {{ position = [-3.1, 3.1], velocity = 4.0, effort = 30.0 }}
[[frames]]
name = {hand}
link = 2
"""


def quoted(text: str) -> str:
    """A TOML string."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def text_of(names: dict[str, str]) -> str:
    return ARM.format(**{key: quoted(name) for key, name in names.items()})


@pytest.fixture(scope="module")
def hostile() -> Robot:
    return Robot(read_toml("arm.toml", text=text_of(HOSTILE)))


@pytest.fixture(scope="module")
def plain() -> Robot:
    return Robot(read_toml("arm.toml", text=text_of(PLAIN)))


def renamed(text: str) -> str:
    """A text with what is made of names taken out, the stamp too."""
    text = re.sub(r'_STAMP "[0-9a-f]{16}"', "", text)
    return re.sub(r"\b\w*(system|robot_name)\w*|\b\w*(SYSTEM|ROBOT_NAME)\w*", "R", text)


# -- code -------------------------------------------------------------------------------------------------


def without_comments(text: str) -> str:
    return re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.DOTALL)


def test_c_differs_from_that_of_plain_names_in_comments_and_identifiers_alone(hostile, plain):
    bad, good = (list(robot.export("inverse_dynamics").files.items()) for robot in (hostile, plain))
    for (name, content), (_, expected) in zip(bad, good, strict=True):
        assert re.fullmatch(r"[A-Za-z0-9_.]+", name)
        if name.endswith((".c", ".h")):
            assert renamed(without_comments(content)) == renamed(without_comments(expected))
            assert content.isascii()
        else:
            assert renamed(content) == renamed(expected)


@pytest.mark.parametrize("target", TARGETS)
def test_no_line_of_generated_code_says_what_a_name_says(target, hostile):
    for name, content in hostile.export("inverse_dynamics", target=target).files.items():
        if isinstance(content, str):
            code = re.sub(
                r"(?m)^\s*(%|#).*$|\"\"\".*?\"\"\"", "", without_comments(content), flags=re.DOTALL
            )
            code = re.sub(r"\w*system_touch_pwned\w*", "R", code)  # our identifiers
            assert not re.search(r"system|touch|alert|write18|calc", code), name


@pytest.mark.skipif(shutil.which("cc") is None or shutil.which("make") is None, reason="no C compiler here")
def test_exported_files_build_and_run_without_doing_what_names_say(hostile, tmp_path):
    place = tmp_path / "a b; touch pwned"
    hostile.export("inverse_dynamics", place)
    done = subprocess.run(["make", "test"], cwd=place, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert not list(tmp_path.rglob("pwned"))


def test_equations_as_python_compile_to_the_code_of_plain_names(hostile, plain, tmp_path):
    def code(names):
        (tmp_path / "arm.toml").write_text(text_of(names))
        target = tmp_path / "arm.py"
        done = CliRunner().invoke(
            app, ["equations", str(tmp_path / "arm.toml"), "--python", str(target), "--force"]
        )
        assert done.exit_code == 0, done.output
        return compile(target.read_text(), "arm.py", "exec")

    bad, good = code(HOSTILE), code(PLAIN)
    assert bad.co_names == good.co_names
    assert "system" not in bad.co_names


# -- LaTeX ------------------------------------------------------------------------------------------------


def test_latex_has_the_commands_of_plain_names_and_the_signs_of_these_escaped(tmp_path):
    def commands(names):
        (tmp_path / "arm.toml").write_text(text_of(names))
        target = tmp_path / "arm.tex"
        done = CliRunner().invoke(
            app, ["equations", str(tmp_path / "arm.toml"), "--latex", str(target), "--force"]
        )
        assert done.exit_code == 0, done.output
        return target.read_text()

    bad, good = commands(HOSTILE), commands(PLAIN)
    signs = {r"\textbackslash", r"\textasciicircum", r"\textasciitilde", r"\textless", r"\textgreater"}
    signs |= {r"\textbar", r"\textquotedbl", r"\textasciigrave"}
    found, expected = (set(re.findall(r"\\[A-Za-z@]+", text)) for text in (bad, good))
    assert found - expected <= signs
    assert bad.count("$") - bad.count(r"\$") == good.count("$") - good.count(r"\$")
    assert bad.count("%") - bad.count(r"\%") == good.count("%") - good.count(r"\%")


# -- pages and pictures -----------------------------------------------------------------------------------


class Elements(HTMLParser):
    """The elements of a page with the names of their attributes; addresses with their values."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, tuple[str, ...]]] = []
        self.addresses: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, tuple(name for name, _ in attrs)))
        self.addresses |= {
            value or "" for name, value in attrs if name in ("href", "src", "action", "xlink:href")
        }


SECTIONS = ["overview", "robot", "torques", "equations", "counts"]


def page_of(robot: Robot) -> str:
    from strobe.study import SECTIONS as known, study
    from strobe.study.pages import whole_page

    return whole_page(study(robot, quick=True, sections=[key for key in SECTIONS if key in known]))


def test_a_report_has_the_elements_of_one_with_plain_names(hostile, plain):
    bad, good = Elements(page_of(hostile)), Elements(page_of(plain))
    kinds = [{(tag, names) for tag, names in each.found} for each in (bad, good)]
    assert kinds[0] <= kinds[1]
    assert [tag for tag, _ in bad.found].count("script") == [tag for tag, _ in good.found].count("script")
    assert not [each for each in bad.addresses if each.startswith(("javascript:", "http:", "//"))]
    assert not [name for _, names in bad.found for name in names if name.startswith("on")]


def test_a_robot_in_a_notebook_is_text(hostile):
    found = {tag for tag, _ in Elements(hostile._repr_html_()).found}
    assert found == {"div", "p", "b", "table", "thead", "tbody", "tr", "th", "td"}


def test_a_picture_has_the_elements_of_one_with_plain_names(tmp_path):
    def drawn(names):
        (tmp_path / "arm.toml").write_text(text_of(names))
        target = tmp_path / "arm.svg"
        done = CliRunner().invoke(app, ["draw", str(tmp_path / "arm.toml"), "-o", str(target), "--force"])
        assert done.exit_code == 0, done.output
        tree = ElementTree.fromstring(target.read_text())
        return {(element.tag, tuple(element.attrib)) for element in tree.iter()}

    assert drawn(HOSTILE) <= drawn(PLAIN)


# -- files that are read again ----------------------------------------------------------------------------


def test_written_models_keep_hostile_names_as_they_are(hostile):
    text = write_toml(hostile.model)
    assert tomllib.loads(text)["name"] == HOSTILE["robot"]
    for again in (
        read_toml("arm.toml", text=text),
        read_urdf("arm.urdf", text=write_urdf(hostile.model)[0]),
    ):
        assert again.name == HOSTILE["robot"]
        assert again.joint_names == (HOSTILE["first"], HOSTILE["second"])
        assert HOSTILE["hand"] in [frame.name for frame in again.frames]


def test_a_table_keeps_one_cell_a_name_and_no_cell_begins_as_a_formula(hostile, tmp_path):
    """Spreadsheets calculate cells that begin with = + - @; names stand behind q_, qd_ or tau_."""
    times = np.linspace(0.0, 0.01, 3)
    run = hostile.simulate([0.0, 0.0], [0.0, 0.0], [0.0, 0.0], times, step=0.005)
    target = tmp_path / "run.csv"
    write(run, target)
    head, *rows = csv.reader(io.StringIO(target.read_text()))
    assert f"q_{HOSTILE['second']}" in head
    assert not [cell for cell in head if cell[:1] in "=+-@\t\r"]
    assert {len(row) for row in rows} == {len(head)}


# -- terminals --------------------------------------------------------------------------------------------

COMMANDS = {
    "escape": "\x1b[2J",
    "bell": "\x07",
    "line": "a\nb",
    "reversed": "a\u202eb",
    "c1": "\x9b31m",
    "cr": "a\rb",
}


@pytest.mark.parametrize("sign", COMMANDS)
@pytest.mark.parametrize("key", ["robot", "base", "link", "first", "hand"])
def test_a_name_that_a_terminal_would_obey_is_refused(key, sign):
    escaped = COMMANDS[sign].encode("unicode_escape").decode().replace("\\x", "\\u00")
    text = text_of(PLAIN).replace(quoted(PLAIN[key]), f'"{escaped}"')
    with pytest.raises(ModelFileError) as caught:
        read_toml("arm.toml", text=text)
    assert "has control characters; use letters and signs." in str(caught.value)
    assert COMMANDS[sign] not in str(caught.value)


def test_a_name_in_a_urdf_is_held_to_the_same():
    with pytest.raises(ModelFileError, match="has control characters"):
        read_urdf("arm.urdf", text='<robot name="a&#10;b"><link name="c"/></robot>')


def test_what_an_error_quotes_does_not_command_the_terminal(capsys):
    from strobe.cli.exit_codes import leave
    from strobe.errors import ArgumentError

    def fail():
        raise ArgumentError("no joint \x1b]0;pwned\x07 here\u202e.")

    with pytest.raises(SystemExit):
        leave(fail)
    assert capsys.readouterr().err == "strobe: no joint \\x1b]0;pwned\\x07 here\\u202e.\n"


@pytest.mark.parametrize("verb", ["info", "torque", "explain", "count"])
def test_a_verb_prints_hostile_names_as_text(verb, tmp_path):
    assert verb in VERBS
    (tmp_path / "arm.toml").write_text(text_of(HOSTILE))
    done = CliRunner().invoke(app, [verb, str(tmp_path / "arm.toml")])
    assert done.exit_code == 0, done.output
    assert "\x1b" not in done.output
