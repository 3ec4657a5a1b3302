"""Words of strangers in every output: no verb lets them command a terminal, a spreadsheet, a page or a program.

A robot whose names are code for everything that reads our files goes through every verb, with motions, requests and
logs of the same kind. Names with control characters are refused when they are read; all others stay text.
"""

import csv
import io
import json
import re
from pathlib import Path

import numpy as np
import pytest

from strobe.cli.exit_codes import leave
from strobe.cli.verbs import VERBS
from strobe.errors import ArgumentError, harmless, presentable
from strobe.files.tables import inert
from strobe.models.toml_reader import read_toml
from strobe.trajectory.files import read

BAD = """=cmd|'/C calc'!A0[red]x[/red][link=http://x]<script>alert(1)</script>*/ \\input{/etc/passwd}"""
COMMANDED = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
COMMANDS = {
    "title": "\x1b]0;x\x07",
    "c1": "\x9b2J",
    "reversed": "\u202etxt",
    "line": "a\nb",
    "half": "\udcff",
}

ARM = f"""
format = 1
name = {json.dumps(f"robot {BAD}")}
title = {json.dumps(f"title {BAD}")}
source = {json.dumps(f"source {BAD}")}
[base]
name = {json.dumps(f"base {BAD}")}
gravity = [0, -9.81, 0]
[poses]
{json.dumps(f"pose {BAD}")} = [0.3, 0.4]
[dh]
convention = "standard"
inertia_at = "com"
""" + "".join(
    f"""
[[dh.link]]
name = {json.dumps(f"link {k} {BAD}")}
joint_name = {json.dumps(f"{BAD} {k}")}
joint = "revolute"
a = 0.4
mass = 2.0
com = [-0.2, 0, 0]
inertia = [0.01, 0.03, 0.03, 0, 0, 0]
limits = {{ position = [-3.1, 3.1], velocity = 4.0, acceleration = 9.0, effort = 90.0 }}
"""
    for k in (1, 2)
)
NAMES = [f"{BAD} {k}" for k in (1, 2)]
REQUEST = {
    "bounds": {"acceleration": 5.0},
    "points": [{"q": [0.0, 0.1], "name": f"point {BAD}"}, {"q": [0.3, 0.2], "name": BAD}],
}


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A folder with hostile files, which verbs run in."""
    monkeypatch.chdir(tmp_path)
    Path("arm.toml").write_text(ARM, encoding="utf-8")
    Path("request.json").write_text(json.dumps(REQUEST))
    head = [
        "time",
        *(f"{kind}_{name}" for kind in ("q", "qd", "qdd") for name in NAMES),
        f"{BAD}\x1b[2J\u202e",
    ]
    with Path("log.csv").open("w", newline="") as stream:
        csv.writer(stream).writerows([head, *([0.1 * k] + [0.1] * 6 + [BAD] for k in range(3))])
    head = ["time", *(f"{kind}_{name}" for kind in ("q", "tau") for name in NAMES), f"{BAD}\x1b[2J\u202e"]
    with Path("motion.csv").open("w", newline="") as stream:
        rows = (
            [0.02 * k, *(np.sin([0.03 * k, 0.05 * k])), *np.cos([0.03 * k, 0.05 * k]), BAD]
            for k in range(800)
        )
        csv.writer(stream).writerows([head, *rows])
    q = np.random.default_rng(0).uniform(-2, 2, (40, 2))
    hand = [0.4 * sum(f(q[:, : k + 1].sum(axis=1)) for k in (0, 1)) for f in (np.cos, np.sin)]
    with Path("poses.csv").open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow([*NAMES, "x", "y", "z", f"{BAD}\x1b[2J\u202e"])
        writer.writerows([*row, 0.0, BAD] for row in np.column_stack([q, *hand]).tolist())
    Path("sweep.toml").write_text('task = "torque"\nsamples = 2\nrobots = ["arm.toml"]\n')
    return tmp_path


VERBS_OF = {
    "info": [["arm.toml"], ["arm.toml", "--json"]],
    "torque": [
        ["arm.toml"],
        ["arm.toml", "--json"],
        ["arm.toml", "log.csv"],
        ["arm.toml", "log.csv", "-o", "tau.csv"],
        ["arm.toml", "log.csv", "--json"],
    ],
    "equations": [["arm.toml", "--only", "G"], ["arm.toml", "--only", "G", "--latex", "g.tex"]],
    "explain": [["arm.toml", "--qd", "1,1"], ["arm.toml", "--trajectory", "log.csv", "--plot", "e.svg"]],
    "draw": [["arm.toml", "-o", "d.svg"]],
    "count": [["arm.toml"], ["arm.toml", "--json"]],
    "fk": [["arm.toml", "--all-frames"], ["arm.toml", "--json"], ["arm.toml", "log.csv", "-o", "p.csv"]],
    "payload": [["arm.toml", "--mass", "1", "--size", "0.1"], ["arm.toml", "--test-forces"]],
    "identify": [
        ["arm.toml", "motion.csv", "--friction", "viscous", "-o", "i.urdf", "--report", "i.html"],
        ["arm.toml", "motion.csv", "--friction", "viscous", "--json"],
    ],
    "calibrate": [["arm.toml", "poses.csv", "-o", "k.urdf"], ["arm.toml", "poses.csv", "--json"]],
    "balance": [["arm.toml", "-o", "w.urdf"], ["arm.toml", "--json"]],
    "coordinates": [["arm.toml", "--only", "G"]],
    "strobe": [["arm.toml"], ["arm.toml", "--json"]],
    "doctor": [["arm.toml", "-o", "d.urdf"], ["arm.toml", "--json"]],
    "diff": [["arm.toml", "arm.toml"]],
    "ik": [["arm.toml", "--at", "0.3,0.4"], ["arm.toml", "--at", "0.3,0.4", "--json"]],
    "plan": [
        ["arm.toml", "request.json", "-o", "m.json", "--plot", "m.svg"],
        ["arm.toml", "request.json", "-o", "m.csv"],
        ["arm.toml", "request.json", "--json"],
        ["arm.toml", "request.json"],
    ],
    "excite": [
        ["arm.toml", "--duration", "4", "--waves", "3", "-o", "x.json", "--plot", "x.svg"],
        ["arm.toml", "--duration", "4", "--waves", "3", "--friction", "viscous", "--json"],
    ],
    "simulate": [
        ["arm.toml", "--duration", "0.01", "-o", "r.csv", "--plot", "r.svg"],
        ["arm.toml", "--duration", "0.01", "--json"],
    ],
    "convert": [
        ["arm.toml", "--to", "urdf", "-o", "a.urdf"],
        ["arm.toml", "--to", "toml", "-o", "b.toml"],
        ["arm.toml", "--to", "dh"],
    ],
    "compile": [
        ["arm.toml", "gravity", "-o", "made"],
        ["arm.toml", "--estimator", "viscous", "-o", "held"],
    ],
    "list": [[]],
}  # fmt: skip
SLOW = {
    "check": [["arm.toml"]],
    "prove": [["arm.toml", "--trials", "2"]],
    "bench": [["arm.toml", "--seconds", "0.2"]],
    "approximate": [["arm.toml", "--ladder"]],
    "control": [["arm.toml", "request.json", "-o", "c.csv", "--plot", "c.svg"]],
    "sweep": [["sweep.toml", "--output", "swept"]],
    "study": [["arm.toml", "--quick", "-o", "report"]],
    "zmp": [["arm.toml", "log.csv", "--foot", f"link 1 {BAD}"]],
    "tables": [[BAD]],
}


REFUSED = (
    "zmp",
    "tables",
)  # a frame without a sole, a table that there is not: their sentences are looked at


def run(verb, arguments, capsys):
    from strobe.cli.app import app

    with pytest.raises(SystemExit) as caught:
        leave(lambda: app([verb, *arguments], standalone_mode=False))
    shown = capsys.readouterr()
    return caught.value.code or 0, shown.out + shown.err


def require_harmless(path: Path) -> None:
    """No file that was written commands what reads it."""
    if (
        path.suffix == ".npz"
        or "data.zarr" in path.parts
        or path.name in ("log.csv", "motion.csv", "poses.csv")
    ):
        return
    text = path.read_bytes().decode("utf-8")
    assert not COMMANDED.search(text), path
    if path.suffix == ".csv":
        cells = [cell for row in csv.reader(io.StringIO(text)) for cell in row]
        assert not [cell for cell in cells if cell.startswith(tuple("=+-@")) and inert(cell) != cell]
    if path.suffix in (".svg", ".html", ".urdf"):
        assert "<script>alert" not in text.replace("&lt;", "")
    if path.suffix in (".c", ".h"):
        outside = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
        assert not re.search(r"C calc|!A0|alert\(|input\{", outside)
    if path.suffix == ".tex":
        assert r"\input{" not in text


def require_text(verb, arguments, capsys, place) -> None:
    code, shown = run(verb, arguments, capsys)
    assert code == (2 if verb in REFUSED else 0), shown
    assert not COMMANDED.search(shown), shown
    for path in place.rglob("*"):
        assert re.fullmatch(r"[\w.-]+", path.name)
        if path.is_file():
            require_harmless(path)


def test_every_verb_is_tried():
    assert set(VERBS_OF) | set(SLOW) == set(VERBS)


@pytest.mark.parametrize("verb", VERBS_OF)
def test_what_a_verb_prints_and_writes_of_hostile_names_is_text(verb, place, capsys):
    for arguments in VERBS_OF[verb]:
        require_text(verb, arguments, capsys, place)


@pytest.mark.slow
@pytest.mark.parametrize("verb", SLOW)
def test_what_a_slow_verb_prints_and_writes_of_hostile_names_is_text(verb, place, capsys):
    for arguments in SLOW[verb]:
        require_text(verb, arguments, capsys, place)


def test_words_in_brackets_are_no_markup(place, capsys):
    _, shown = run("info", ["arm.toml"], capsys)
    assert "[red]x[/red][link=http://x]" in shown


def test_names_that_are_harmless_to_a_terminal_are_worked_with(place, capsys):
    code, shown = run("plan", ["arm.toml", "request.json", "-o", "m.json"], capsys)
    assert code == 0, shown
    assert json.loads(Path("m.json").read_text())["joint_names"] == NAMES


# -- what is refused when it is read --------------------------------------------------------------------------------


@pytest.mark.parametrize("sign", COMMANDS)
@pytest.mark.parametrize("key", ["method", "joint_names", "notes"])
def test_a_motion_whose_words_are_commands_is_refused_or_made_text(sign, key, place):
    import strobe

    robot = strobe.Robot(read_toml("arm.toml", text=ARM))
    data = message(robot.plan([[0.0, 0.1], [0.3, 0.2]]))
    word = COMMANDS[sign]
    if key == "joint_names":
        data["joint_names"][0] = word
    else:
        data["strobe"][key] = word if key == "method" else [word]
    Path("m.json").write_text(json.dumps(data))
    if key == "notes":
        assert not any(COMMANDED.search(note) or "\n" in note for note in read("m.json").motion.notes)
        return
    with pytest.raises(ArgumentError, match="has control characters; use letters and signs.") as caught:
        read("m.json")
    assert not COMMANDED.search(str(caught.value))


def message(motion) -> dict:
    from strobe.trajectory.files import joint_trajectory, rows

    return json.loads(json.dumps(joint_trajectory(motion, rows(motion))))


@pytest.mark.parametrize("sign", ["title", "c1", "reversed", "line"])
def test_a_point_whose_name_is_a_command_is_refused(sign, place, capsys):
    points = [{"q": [0, 0], "name": COMMANDS[sign]}, {"q": [1, 1]}]
    Path("request.json").write_text(json.dumps({"points": points}))
    code, shown = run("plan", ["arm.toml", "request.json", "--acceleration", "5"], capsys)
    assert code == 2
    assert "points[1].name" in shown
    assert "has control characters" in shown
    assert not COMMANDED.search(shown)


@pytest.mark.parametrize(
    "cell", ["=cmd|'/C calc'!A0", "\x1b]0;x\x07", "@SUM(1)", "+1+1", "-x", "nan", "inf", "1_0", ""]
)
def test_a_time_of_a_log_that_is_no_time_is_refused(cell, tmp_path, capsys):
    with (tmp_path / "log.csv").open("w", newline="") as stream:
        csv.writer(stream).writerows([["t", "q1", "q2"], ["0", "0", "0"], [cell, "0", "0"]])
    code, shown = run("torque", ["planar2", str(tmp_path / "log.csv")], capsys)
    assert code == 2, shown
    assert f'{tmp_path}/log.csv:3: column "t": ' in shown
    assert not COMMANDED.search(shown)


@pytest.mark.parametrize(
    "cell", ["0.5", "+1e3", "1700000000.123456789", "2024-02-29T12:30:05.25Z", "2024-02-29 12:30"]
)
def test_a_time_of_a_log_is_passed_through_as_it_stands(cell, tmp_path, capsys):
    (tmp_path / "log.csv").write_text(f"t,q1,q2,qd1,qd2,qdd1,qdd2\n{cell},0,0,0,0,0,0\n")
    code, shown = run("torque", ["planar2", str(tmp_path / "log.csv")], capsys)
    assert code == 0
    assert f"\n{cell}," in shown


@pytest.mark.parametrize(
    ("cell", "shown"),
    [("=1+1", "'=1+1"), ("@x", "'@x"), ("-x", "'-x"), ("\t=1", "'\t=1"), ("-1.5e-3", "-1.5e-3"), ("+2", "+2")],
)  # fmt: skip
def test_no_cell_but_a_number_begins_as_a_formula(cell, shown):
    assert inert(cell) == shown


def test_names_of_files_that_are_commands_are_shown_as_text(tmp_path, capsys):
    for name in ("a\x1b[2J.csv", "b\u202etxt.csv", "c\nstrobe: all is well.csv"):
        code, shown = run("torque", ["planar2", str(tmp_path / name)], capsys)
        assert code == 2
        assert not COMMANDED.search(shown)
        assert len(shown.splitlines()) == 1


# -- the one place that cuts and escapes ----------------------------------------------------------------------------


@pytest.mark.parametrize("length", [80, 81, 10**6])
def test_a_sentence_repeats_eighty_letters_of_a_quoted_name(length):
    name = "n" * length
    expected = f'no joint "{name[:80]}{"…" if length > 80 else ""}" here. Name another.'
    assert presentable(f'no joint "{name}" here. Name another.') == expected


def test_what_stands_between_two_quoted_names_is_kept():
    between = "is something else, and this goes on for longer than eighty letters, as there is much to say,"
    assert presentable(f'"a" {between} "b"') == f'"a" {between} "b"'


def test_a_sentence_without_quotes_is_cut_too():
    assert len(presentable("a b " * 10**6)) < 2_100
    assert len(presentable("a" * 10**6)) < 100
    assert len(presentable("a\n" * 10**6).splitlines()) <= 61


def test_every_letter_that_cannot_be_printed_is_written_out():
    text = "".join(map(chr, range(0x110000)))
    shown = harmless(text)
    assert not COMMANDED.search(shown)
    shown.encode("utf-8")


def test_an_error_of_any_kind_is_harmless():
    from strobe.errors import UnknownNameError

    word = "\x1b]0;x\x07\u202e"
    for error in (ArgumentError(f"a {word}"), UnknownNameError("joint", word, word, [word])):
        assert not COMMANDED.search(str(error))
        assert not COMMANDED.search(repr(error))


def test_memory_that_is_not_there_is_no_bug(capsys):
    def work():
        raise MemoryError

    with pytest.raises(SystemExit) as caught:
        leave(work)
    assert caught.value.code == 2
    assert capsys.readouterr().err.startswith("strobe: not enough memory for this.")
