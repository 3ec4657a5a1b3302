"""Object code on disk: found again, private, rebuilt when damaged, and never in the way."""

import importlib
import os
import re
import stat
import subprocess
import sys
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import strobe
from strobe.compiler.runtime import cache, jit
from strobe.compiler.runtime.kernels import Kernel
from strobe.compiler.runtime.processor import PROCESSOR
from strobe.errors import CacheWarning
from strobe.models.fingerprint import fingerprint
from strobe.quantities import Request

ARM = strobe.load("planar2")
REQUEST = Request("inverse_dynamics")
STATE = ARM.random_state(seed=1, batch=5)
EXPECTED = strobe.Robot(ARM.model, compiled=False).inverse_dynamics(*STATE)


@pytest.fixture
def made(monkeypatch):
    """The object files made from here on."""
    calls, emit = [], jit.emit_object
    monkeypatch.setattr(jit, "emit_object", lambda *a, **k: calls.append(emit(*a, **k)) or calls[-1])
    return calls


def torques(model=ARM.model):
    return Kernel(model, REQUEST).code.ufunc()(*STATE)


def test_a_second_kernel_takes_its_code_from_disk(folder, made):
    first, second = torques(), torques()
    assert len(made) == 1
    assert np.array_equal(first, second)
    np.testing.assert_allclose(first, EXPECTED, atol=1e-12)


def test_a_kernel_from_disk_knows_how_many_operations_it_has(folder):
    first, second = Kernel(ARM.model, REQUEST), Kernel(ARM.model, REQUEST)
    first.code.ufunc(), second.code.ufunc()
    assert second.code.operations == first.code.operations == len(first.program.nodes)
    assert "program" not in vars(second)


@pytest.mark.slow
def test_a_warm_start_does_not_trace(python):
    script = (
        "import strobe\nfrom strobe.compiler.runtime import kernels\n{}\n"
        "robot = strobe.load('planar2')\n"
        "print(robot.inverse_dynamics(*robot.random_state(seed=0, batch=100_000)).sum())"
    )
    cold = python(script.format(""))
    raising = "def fail(*_): raise AssertionError('traced')\nkernels.trace = kernels.optimised = fail"
    assert python(script.format(raising)) == cold


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no modes of files")
def test_folder_and_entries_are_private(folder):
    torques()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert [stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()] == [0o600]


DAMAGE = {
    "empty": lambda data: b"",
    "short": lambda data: data[:20],
    "digest only": lambda data: data[: cache.DIGEST],
    "truncated": lambda data: data[:-1],
    "longer": lambda data: data + b"\0",
    "a bit of the code": lambda data: data[:200] + bytes([data[200] ^ 1]) + data[201:],
    "a bit of the count": lambda data: data[:33] + bytes([data[33] ^ 1]) + data[34:],
    "a bit of the digest": lambda data: bytes([data[0] ^ 128]) + data[1:],
}


@pytest.mark.parametrize("kind", DAMAGE)
def test_a_damaged_entry_is_made_again(folder, made, kind):
    torques()
    (path,) = folder.iterdir()
    whole = path.read_bytes()
    path.write_bytes(DAMAGE[kind](whole))
    np.testing.assert_allclose(torques(), EXPECTED, atol=1e-12)
    assert len(made) == 2
    assert path.read_bytes() == whole


def test_an_entry_under_the_name_of_another_is_not_taken(folder, made):
    torques()
    (path,) = folder.iterdir()
    other = ARM.with_gravity((0, 0, -1.0))
    Kernel(other.model, REQUEST).code.ufunc()
    (path2,) = set(folder.iterdir()) - {path}
    path2.write_bytes(path.read_bytes())
    tau = Kernel(other.model, REQUEST).code.ufunc()(*STATE)
    assert len(made) == 3
    np.testing.assert_allclose(tau, strobe.Robot(other.model, compiled=False).inverse_dynamics(*STATE))


def test_nothing_is_kept_when_switched_off(tmp_path, monkeypatch, made, forgetful):
    monkeypatch.setenv("STROBE_CACHE", "OFF")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    torques(), torques()
    assert len(made) == 2
    assert not list(tmp_path.iterdir())


def test_the_users_cache_folder_is_the_default(tmp_path, monkeypatch, forgetful):
    monkeypatch.delenv("STROBE_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    torques()
    assert len(list((tmp_path / "strobe").iterdir())) == 1


def test_a_folder_that_is_named_needs_no_home(folder, monkeypatch):
    """As in a container, for a user whom the system does not know."""
    monkeypatch.setattr("pathlib.Path.home", lambda: Path("~unknown").expanduser())
    torques()
    assert len(list(folder.iterdir())) == 1


@pytest.mark.parametrize("place", ["relative", "~/cache"])
def test_a_cache_folder_that_follows_the_working_folder_is_not_used(place, monkeypatch, forgetful):
    """What lies there is run, and whoever lays files there need not be the user."""
    monkeypatch.delenv("STROBE_CACHE", raising=False)
    monkeypatch.setattr("platformdirs.user_cache_path", lambda *_, **__: Path(place))
    with pytest.warns(CacheWarning, match=f"cannot be made .{place} is no absolute path."):
        assert cache._folder() is None


FOLDERS = {  # by system: what platformdirs has it by, and what the environment says
    "linux": ("platformdirs.unix.Unix", {"XDG_CACHE_HOME": ""}, ".cache/strobe"),
    "linux, moved": ("platformdirs.unix.Unix", {"XDG_CACHE_HOME": "/elsewhere"}, "/elsewhere/strobe"),
    "darwin": ("platformdirs.macos.MacOS", {"XDG_CACHE_HOME": ""}, "Library/Caches/strobe"),
}


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has its home elsewhere")
@pytest.mark.parametrize("system", FOLDERS)
def test_every_system_has_its_own_place_for_the_cache(system, monkeypatch, tmp_path):
    made_by, environment, expected = FOLDERS[system]
    module, _, name = made_by.rpartition(".")
    monkeypatch.setattr("platformdirs.PlatformDirs", getattr(importlib.import_module(module), name))
    for variable, value in (environment | {"HOME": str(tmp_path)}).items():
        monkeypatch.setenv(variable, value)
    assert cache._of_the_user() == tmp_path / expected


def test_on_windows_the_cache_is_in_the_users_local_data(monkeypatch):
    from platformdirs import windows

    monkeypatch.setattr("platformdirs.PlatformDirs", windows.Windows)
    monkeypatch.setattr(windows, "get_win_folder", lambda name: f"/{name}")
    assert cache._of_the_user() == Path("/CSIDL_LOCAL_APPDATA/strobe/Cache")


def _in_the_way(folder, monkeypatch):
    folder.write_text("not a folder")


def _open_to_all(folder, monkeypatch):
    folder.mkdir()
    folder.chmod(0o777)


def _foreign(folder, monkeypatch):
    monkeypatch.setattr(os, "getuid", lambda: 123456)


def _full(folder, monkeypatch):
    def refuse(*args, **kwargs):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(cache.tempfile, "mkstemp", refuse)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no owners and modes of folders")
@pytest.mark.parametrize(
    ("trouble", "sentence"),
    [
        (_in_the_way, "the cache folder cannot be made"),
        (_open_to_all, "belongs to someone else or others may write to it"),
        (_foreign, "belongs to someone else or others may write to it"),
        (_full, "cannot be written .No space left on device"),
    ],
)
def test_a_folder_that_cannot_be_used_is_reported_once_and_done_without(
    folder, monkeypatch, trouble, sentence
):
    trouble(folder, monkeypatch)
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        for _ in range(2):
            np.testing.assert_allclose(torques(), EXPECTED, atol=1e-12)
    assert [warning.category for warning in said] == [CacheWarning]
    assert re.search(sentence, str(said[0].message))
    assert "Set STROBE_CACHE to a folder of your own, or to off." in str(said[0].message)


def test_a_failed_write_leaves_no_draft(folder, monkeypatch):
    def refuse(*args):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(cache.os, "replace", refuse)
    with pytest.warns(CacheWarning, match="Input/output error"):
        torques()
    assert not list(folder.iterdir())


@pytest.mark.slow
def test_two_processes_may_make_the_same_entry_at_once(tmp_path):
    script = (
        "import strobe, sys\nsys.stdin.readline()\nrobot = strobe.load('planar3')\n"
        "print(robot.inverse_dynamics(*robot.random_state(seed=0)).tolist())"
    )
    env = os.environ | {"STROBE_CACHE": str(tmp_path / "kept")}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    both = [subprocess.Popen([sys.executable, "-c", script], env=env, text=True, **pipes) for _ in range(2)]
    for process in both:
        process.stdin.write("go\n")
        process.stdin.flush()
    (one, said), (two, also) = (process.communicate(timeout=300) for process in both)
    assert one == two != ""
    assert said == also == ""
    assert {path.suffix for path in (tmp_path / "kept").iterdir()} == {".o"}


def test_the_name_of_an_entry_depends_on_everything_that_matters(monkeypatch):
    def name(model=ARM.model, request=REQUEST, single=False):
        return cache.key(PROCESSOR.key, fingerprint(model), repr(request), repr(jit.host_target(single)))

    def with_value(owner, attribute, value):
        with monkeypatch.context() as patch:
            patch.setattr(owner, attribute, lambda: value)
            return name()

    names = [
        name(),
        name(ARM.with_gravity((0, 0, -1.0)).model),
        name(ARM.with_payload(1.0).model),
        name(request=replace(REQUEST, friction=False)),
        name(request=replace(REQUEST, gravity=True)),
        name(request=Request("gravity")),
        name(single=True),
        with_value(cache, "sources", "other sources"),
        with_value(jit, "host", "another processor"),
    ]
    assert len(set(names)) == len(names)
    assert name() == name(strobe.load("planar2").model)


def test_what_code_depends_on_is_named():
    assert jit.host().startswith(f"LLVM {jit.llvm.llvm_version_info[0]}.")
    assert jit.llvm.get_host_cpu_name() in jit.host()


@pytest.fixture
def sources(tmp_path, monkeypatch):
    """The digest of a package that holds some texts by path."""
    monkeypatch.setattr(cache.strobe.errors, "__file__", str(tmp_path / "errors.py"))

    def found(**texts):
        for path, text in texts.items():
            file = tmp_path / f"{path.replace('__', '/')}.py"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        cache.sources.cache_clear()
        return cache.sources()

    yield found
    cache.sources.cache_clear()


def test_the_digest_of_the_sources_follows_every_source_but_the_front(sources):
    found = [sources(errors="x = 1", graph__module="x = 1", cli__module="x = 1", study__module="x = 1")]
    changes = {"errors": "x = 2", "graph__module": "x = 2", "approximate__new": "", "graph__deep__er": ""}
    found += [sources(**{path: text}) for path, text in changes.items()]
    found.append(sources(graph__cli__new=""))  # a folder of that name is the front at the top alone
    assert len(set(found)) == len(found)
    assert sources(cli__module="x = 2", study__other="x = 2") == found[-1]
    assert sources(graph__module="", approximate__new="x = 2") != found[-1]  # as if text had moved


def test_without_sources_nothing_is_kept(sources, folder, made):
    assert sources() == ""
    with pytest.warns(
        CacheWarning, match="the sources of strobe, by which kernels are told apart, cannot be"
    ):
        torques()
    assert not list(folder.iterdir())


def test_the_sources_are_those_of_the_modules_that_are_taken_for_sources():
    import sys

    ours = [module for name, module in sys.modules.items() if cache.is_source(name)]
    root = os.path.dirname(strobe.__file__) + os.sep
    assert len(ours) > 50
    for module in ours:
        assert module.__file__.startswith(root)
        assert module.__file__.removeprefix(root).split(os.sep)[0] not in cache.FRONT
    assert not any(
        map(cache.is_source, ("strobe.cli.app", "strobe.study", "strobes.graph", "__main__", "numpy"))
    )


# -- what is no entry -----------------------------------------------------------------------------------


def _pipe(path):
    os.mkfifo(path)


def _socket(path):
    import socket

    with socket.socket(socket.AF_UNIX) as made:
        here = os.getcwd()
        os.chdir(path.parent)  # the name of a socket has a hundred letters at most
        try:
            made.bind(path.name)
        finally:
            os.chdir(here)


def _link(path):
    whole = path.with_suffix(".aside")
    whole.write_bytes(_link.whole)
    path.symlink_to(whole)


def _endless(path):
    path.symlink_to("/dev/zero")


def _huge(path):
    with path.open("wb") as file:
        file.truncate(20 * 2**30)  # no block of which is on the disk


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pipes among files")
@pytest.mark.parametrize("replaced", [_pipe, _socket, _link, _endless, _huge])
def test_what_is_no_plain_file_of_a_bounded_size_is_not_read_and_made_again(folder, made, replaced):
    torques()
    (path,) = folder.iterdir()
    _link.whole = path.read_bytes()
    path.unlink()
    replaced(path)
    np.testing.assert_allclose(torques(), EXPECTED, atol=1e-12)
    assert len(made) == 2
    assert stat.S_ISREG(path.lstat().st_mode)
    assert path.read_bytes() == _link.whole


def test_a_folder_in_the_place_of_an_entry_is_reported_and_done_without(folder, made):
    torques()
    (path,) = folder.iterdir()
    path.unlink()
    path.mkdir()
    with pytest.warns(CacheWarning, match="cannot be written"):
        np.testing.assert_allclose(torques(), EXPECTED, atol=1e-12)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pipes among files")
def test_an_entry_that_becomes_a_pipe_while_it_is_looked_at_is_not_waited_for(folder, monkeypatch):
    torques()
    (path,) = folder.iterdir()
    before, look = path.lstat(), os.lstat
    path.unlink()
    os.mkfifo(path)
    monkeypatch.setattr(cache.os, "lstat", lambda place: before if place == path else look(place))
    assert cache.known(path.stem) is None


def test_where_a_system_lacks_the_flags_entries_are_read_all_the_same(folder, made, monkeypatch):
    torques()
    monkeypatch.setattr(cache, "READING", os.O_RDONLY | getattr(os, "O_BINARY", 0))
    torques()
    assert len(made) == 1


def test_code_that_would_not_be_read_is_not_kept(folder, monkeypatch):
    monkeypatch.setattr(cache, "LARGEST", 1000)
    for size in (960, 961):
        cache.fetch(f"{size:064}", lambda size=size: cache.Entry(1, b"c" * size))
    assert [path.stat().st_size for path in folder.iterdir()] == [1000]
    assert cache.known(f"{960:064}") is not None


def test_what_is_no_entry_goes_first_where_there_is_too_much(folder, monkeypatch):
    folder.mkdir(mode=0o700)
    monkeypatch.setattr(cache, "MOST", 3000)
    monkeypatch.setattr(cache, "LARGEST", 1000)
    huge = folder / f"{9:064x}.o"
    with huge.open("wb") as file:
        file.truncate(10**6)
    for k in range(3):
        cache.fetch(f"{k:064x}", lambda: cache.Entry(1, b"c" * 200))
    assert sorted(path.name[-3] for path in folder.iterdir()) == ["0", "1", "2"]


# -- a folder that is a link ----------------------------------------------------------------------------


def test_a_folder_may_be_a_link_of_ones_own(folder, tmp_path):
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    folder.symlink_to(tmp_path / "elsewhere")
    torques()
    assert len(list((tmp_path / "elsewhere").iterdir())) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no owners of links")
def test_a_link_that_someone_else_made_is_not_followed(folder, tmp_path, monkeypatch):
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    folder.symlink_to(tmp_path / "elsewhere")
    look = cache.Path.lstat
    theirs = list(folder.lstat())
    theirs[stat.ST_UID] = os.getuid() + 1234
    monkeypatch.setattr(cache.Path, "lstat", lambda p: os.stat_result(theirs) if p == folder else look(p))
    with pytest.warns(
        CacheWarning, match="the cache folder is a link to .* that someone else made; compiled"
    ):
        torques()
    assert not list((tmp_path / "elsewhere").iterdir())


def test_beyond_a_size_the_oldest_entries_go_and_nothing_else(folder, monkeypatch):
    folder.mkdir(mode=0o700)
    (folder / "notes.txt").write_bytes(b"x" * 1000)
    monkeypatch.setattr(cache, "MOST", 1000)
    for k in range(6):
        name = f"{k:064x}"
        cache.fetch(name, lambda: cache.Entry(1, b"c" * 200))
        os.utime(folder / f"{name}.o", (k, k))
    left = sorted(path.name for path in folder.iterdir())
    assert left[-1] == "notes.txt"
    assert [name[-3] for name in left[:-1]] == ["3", "4", "5"]


def test_a_folder_with_much_room_is_not_looked_through_at_every_entry(folder, monkeypatch):
    looked = []
    look = cache._tidied
    monkeypatch.setattr(cache, "_tidied", lambda place: looked.append(place) or look(place))
    monkeypatch.setattr(cache, "MOST", 16_000)
    for k in range(12):  # four of 240 bytes fit a sixteenth
        cache.fetch(f"{k:064x}", lambda: cache.Entry(1, b"c" * 200))
    assert len(looked) == 3


def test_a_draft_that_is_gone_when_it_is_looked_at_is_no_cause_for_complaint(folder):
    folder.mkdir(mode=0o700)
    (folder / ".new-gone").symlink_to(folder / "nowhere")  # listed, not found: as if renamed
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cache.fetch("0" * 64, lambda: cache.Entry(1, b"code"))
    assert cache.known("0" * 64) == cache.Entry(1, b"code")


def test_no_warning_where_all_is_well(folder):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = torques()
    assert np.isfinite(found).all()
