"""One way to a file from outside: no other place in the package opens, reads or loads one."""

import ast
import os
import socket
from pathlib import Path

import numpy as np
import pytest

import strobe
from strobe.cli.app import app
from strobe.cli.exit_codes import leave
from strobe.errors import ModelFileError
from strobe.files import arrays, reading
from strobe.files.reading import read_bytes, read_json_data, read_text, read_toml_data

ROOT = Path(strobe.__file__).parent
OPENERS = {"open", "read_text", "read_bytes", "write_text", "write_bytes"}
LOADERS = {"np.load", "np.loadtxt", "np.genfromtxt", "np.fromfile", "np.savez", "json.load", "json.loads"}
LOADERS |= {
    "tomllib.load",
    "tomllib.loads",
    "csv.reader",
    "csv.DictReader",
    "csv.writer",
    "zipfile.ZipFile",
}
LOADERS |= {"mmap.mmap", "os.open", "os.fdopen", "io.open", "io.FileIO", "Path.open"}
REASONED = {  # files, and what they open that is no file from outside, or is opened in another careful way
    "files/reading.py": "the one way",
    "files/writing.py": "the one way to write",
    "files/arrays.py": "a stream that reading has opened",
    "files/tables.py": "a text that reading has read",
    "compiler/runtime/cache.py": "its own folder, checked by owner and digest; the sources of the package",
    "compiler/runtime/cuda.py": "what the cache has kept",
    "compiler/runtime/ptx.py": "a temporary folder of its own",
    "models/library/__init__.py": "robots of the package",
    "papers/fewest_records.py": "certificates of the package",
    "study/pages.py": "the page of the package",
    "study/robot_page.py": "a browser, on a page that writing has written",
    "show/math_font.py": "the font of the package",
    "study/machine.py": "/proc/cpuinfo",
    "approximate/fixed_point_timing.py": "a temporary folder of its own",
    "sweep/store.py": "drafts and the lock in a folder of its own",
    "sweep/worker.py": "a text of its own, from the process that started it",
    "cli/exit_codes.py": "/dev/null",
    "models/model_files.py": "what a model names, folder by folder without links, regular and bounded too",
    "models/xacro_files.py": "a descriptor of model_files",
    "models/mjcf_process.py": "the answer of its own process",
    "models/mjcf_child.py": "the question of its own process; /proc/self/statm",
    "sweep/local_workers.py": "the answer of its own process",
    "sweep/worker_process.py": "the question of its own process",
    "approximate/provenance.py": "into a stream of writing",
    "simulate/files.py": "into a stream of writing",
    "trajectory/files.py": "into a stream of writing",
    "control/files.py": "into a stream of writing",
    "cli/robot_index.py": "of the package, and its maker",
    "identify/known_information.py": "into a stream of writing",
    "identify/log_streams.py": "a stream that reading has opened, part by part",
}
ONLY = {name: {"np.savez"} for name, why in REASONED.items() if why == "into a stream of writing"}


def openings(tree: ast.AST):
    ours = {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module == "strobe.files.reading"
        for alias in node.names
    }
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        if isinstance(node.func, ast.Name) and node.func.id in OPENERS - ours:
            yield node.func.id
        elif isinstance(node.func, ast.Attribute):
            owner = node.func.value.id if isinstance(node.func.value, ast.Name) else ""
            if f"{owner}.{node.func.attr}" in LOADERS:
                yield f"{owner}.{node.func.attr}"
            elif node.func.attr in OPENERS:
                yield node.func.attr


def test_files_are_opened_in_one_place():
    found: dict[str, set[str]] = {}
    words = [f"{name.split('.')[-1]}(" for name in OPENERS | LOADERS]
    for path in ROOT.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        if not any(word in text for word in words):
            continue  # parsing all of them takes seconds
        if calls := set(openings(ast.parse(text))):
            found[path.relative_to(ROOT).as_posix()] = calls
    assert {name: found[name] for name in set(found) - set(REASONED)} == {}
    assert set(REASONED) - set(found) == set()
    assert {name: found[name] for name in ONLY if name in found} == ONLY


@pytest.mark.parametrize(
    "text",
    [
        "open(p)",
        "Path(p).open()",
        "p.read_bytes()",
        "np.load(p)",
        "json.loads(p.read_text())",
        "os.open(p, 0)",
    ],
)
def test_the_walk_finds_what_it_looks_for(text):
    assert list(openings(ast.parse(text)))


def test_and_nothing_else():
    text = "from strobe.files.reading import read_bytes\nread_bytes(p)\nre.compile(x)\nstore.openers()"
    assert not list(openings(ast.parse(text)))


# -- what is no file ----------------------------------------------------------------------------------------------


@pytest.fixture
def odd(tmp_path):
    """Paths that are no regular files of a bearable size, by what a sentence says about them."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "linked").symlink_to("/dev/zero")
    (tmp_path / "piped").symlink_to(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as bound:
        here = os.getcwd()
        os.chdir(tmp_path)  # names of sockets are short
        bound.bind("socket")
        os.chdir(here)
    return {
        "pipe": "a pipe, expected a regular file; save its content to one.",
        "piped": "a pipe, expected a regular file; save its content to one.",
        "linked": "a device, expected a regular file; save its content to one.",
        "socket": "a socket, expected a regular file; save its content to one.",
        ".": "a folder, expected a regular file.",
        "missing": "cannot be read: No such file or directory.",
        "n\0l": "a name with a NUL in it is no name of a file.",
        "\udcff": "the name of this file is not UTF-8; rename it.",
        "a" * 300: "cannot be read: File name too long.",
    }


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names here")
def test_what_is_no_regular_file_is_refused_at_once_and_named(odd, tmp_path):
    for name, sentence in odd.items():
        with pytest.raises(ModelFileError) as caught:
            read_bytes(f"{tmp_path}/{name}")
        assert str(caught.value).endswith(f": {sentence}"), name


def test_a_file_beyond_its_bound_is_refused_before_it_is_read(tmp_path):
    (tmp_path / "hole").touch()
    os.truncate(tmp_path / "hole", 2**40)
    with pytest.raises(ModelFileError, match="more than 33554432 bytes, the most that are read of a file"):
        read_bytes(tmp_path / "hole")


def test_a_file_that_grows_while_it_is_read_is_refused_too(tmp_path, monkeypatch):
    path = tmp_path / "log"
    path.write_bytes(b"x" * 11)
    monkeypatch.setattr(reading, "_require_regular", lambda *any_: None)
    with pytest.raises(ModelFileError, match="more than 10 bytes"):
        read_bytes(path, 10)


ARGUMENTS = {
    "log": ["torque", "planar2", "{}.csv"],
    "planned": ["torque", "planar2", "{}.json"],
    "arrays": ["torque", "planar2", "{}.npz"],
    "request": ["plan", "planar2", "{}.toml"],
    "message": ["plan", "planar2", "{}.json"],
    "pose": ["ik", "planar2", "--pose", "{}.json"],
    "torques": ["simulate", "planar2", "--torque", "{}.csv", "--duration", "0.01"],
    "torque arrays": ["simulate", "planar2", "--torque", "{}.npz", "--duration", "0.01"],
    "motion": ["simulate", "planar2", "--trajectory", "{}.json", "--duration", "0.01"],
    "run": ["simulate", "planar2", "--resume", "{}.npz", "--duration", "0.01"],
    "reference": ["control", "planar2", "{}.json"],
    "explained": ["explain", "planar2", "--trajectory", "{}.csv", "--plot", "x.svg"],
    "sweep": ["sweep", "{}.toml", "-o", "x"],
    "robot": ["info", "{}.urdf"],
    "table": ["info", "{}.toml"],
}


def ended(arguments, capsys):
    """The code and the sentence with which a command ends."""
    with pytest.raises(SystemExit) as caught:
        leave(lambda: app(arguments, standalone_mode=False))
    return caught.value.code, capsys.readouterr().err


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names here")
@pytest.mark.parametrize("kind", ARGUMENTS)
def test_no_argument_waits_for_a_pipe_or_reads_a_device(kind, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for name in ("pipe", "zero", "\udcff"):
        arguments = [word.format(name) for word in ARGUMENTS[kind]]
        path = next(word for word in arguments if word.startswith(f"{name}."))
        if name == "pipe":
            os.mkfifo(path)
        elif name == "zero":
            os.symlink("/dev/zero", path)
        code, sentence = ended(arguments, capsys)
        assert code == 2, sentence
        assert "expected a regular file" in sentence or "is not UTF-8; rename it" in sentence, sentence


# -- text and data ------------------------------------------------------------------------------------------------


def test_the_line_of_the_first_byte_that_is_no_text_is_named(tmp_path):
    (tmp_path / "a.toml").write_bytes(b"x = 1\ny = 2\nz = '\xff'\n")
    with pytest.raises(
        ModelFileError, match=r"a\.toml:3: byte 0xff is not UTF-8; save the file as UTF-8\."
    ):
        read_toml_data(tmp_path / "a.toml")


def test_a_byte_order_mark_is_no_part_of_the_text(tmp_path):
    (tmp_path / "a.txt").write_bytes(b"\xef\xbb\xbfa\r\nb")
    assert read_text(tmp_path / "a.txt") == "a\r\nb"


def test_a_key_of_json_that_is_said_twice_is_refused(tmp_path):
    (tmp_path / "a.json").write_text('{"q": 1, "r": 2, "q": 3}')
    with pytest.raises(ModelFileError, match='not valid JSON: the key "q" is there twice'):
        read_json_data(tmp_path / "a.json")


def test_arrays_of_one_name_are_refused(tmp_path):
    import warnings
    import zipfile

    np.save(tmp_path / "a.npy", np.zeros(3))
    with zipfile.ZipFile(tmp_path / "a.npz", "w") as packed, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(2):
            packed.write(tmp_path / "a.npy", "a.npy")
    with pytest.raises(strobe.errors.ArgumentError, match="two of its arrays have one name"):
        arrays.read_arrays(tmp_path / "a.npz")


def test_very_many_arrays_are_refused_before_one_is_read(tmp_path):
    import zipfile

    with zipfile.ZipFile(tmp_path / "a.npz", "w") as packed:
        for k in range(10_001):
            packed.writestr(f"{k}", b"")
    with pytest.raises(strobe.errors.ArgumentError, match="10,001 arrays; expected at most 10,000"):
        arrays.read_arrays(tmp_path / "a.npz")
