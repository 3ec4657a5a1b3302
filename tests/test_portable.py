"""Nothing that only some systems have is used without a branch for the others; each branch is walked here.

The systems themselves are not here: these tests take away what they lack.
"""

from __future__ import annotations

import ast
import errno
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

import strobe
from strobe import child_processes
from strobe.compiler.runtime import cache
from strobe.errors import OutputError
from strobe.models import mjcf_child, mjcf_process, model_files
from strobe.sweep import store

ROOT = Path(strobe.__file__).parent
MODULES = {
    "fcntl", "resource", "pwd", "grp", "termios", "tty", "pty", "syslog", "posix", "readline", "curses",
    "msvcrt", "winreg", "winsound", "_winapi", "nt",  # Windows alone
}  # fmt: skip
OF_OS = {
    "getuid", "geteuid", "getgid", "getegid", "getgroups", "getlogin", "setuid", "setgid", "initgroups", "fork",
    "forkpty", "register_at_fork", "setsid", "getsid", "getpgid", "getpgrp", "setpgid", "killpg", "nice",
    "getpriority", "sysconf", "sched_getaffinity", "sched_setaffinity", "sched_yield", "statvfs", "fstatvfs",
    "mkfifo", "mknod", "chown", "lchown", "fchown", "fchmod", "lchmod", "chroot", "wait", "wait3", "wait4",
    "waitid", "WNOHANG", "uname", "getloadavg", "pread", "pwrite", "preadv", "pwritev", "openpty", "ttyname",
    "ctermid", "environb", "getenvb", "memfd_create", "eventfd", "sendfile", "splice", "pidfd_open", "lockf",
    "pipe2", "O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_DIRECTORY", "O_NOCTTY", "O_PATH", "O_SYNC", "O_DSYNC",
    "O_TMPFILE", "O_BINARY", "O_NOINHERIT", "startfile", "EX_OK", "posix_fadvise", "posix_fallocate", "sync",
    "fdatasync", "getrandom", "getxattr", "setxattr", "confstr", "tcgetpgrp", "sched_param",
}  # fmt: skip
OF_SIGNAL = {
    "alarm", "setitimer", "pause", "pthread_kill", "pthread_sigmask", "sigwait", "siginterrupt", "SIGALRM",
    "SIGKILL", "SIGPIPE", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGXCPU", "SIGXFSZ", "SIGCHLD", "SIGSTOP",
    "SIGCONT", "SIGTSTP", "SIGWINCH", "CTRL_C_EVENT", "CTRL_BREAK_EVENT", "SIGBREAK",
}  # fmt: skip
OF_TIME = {"tzset", "clock_gettime", "clock_settime", "pthread_getcpuclockid"}
OF_SUBPROCESS = {"CREATE_NEW_PROCESS_GROUP", "CREATE_NO_WINDOW", "STARTUPINFO", "DETACHED_PROCESS"}
ATTRIBUTES = {"os": OF_OS, "signal": OF_SIGNAL, "time": OF_TIME, "subprocess": OF_SUBPROCESS}
STARTING = {
    "preexec_fn",
    "pass_fds",
    "process_group",
    "umask",
    "user",
    "group",
    "extra_groups",
    "startupinfo",
}


# -- the sources ----------------------------------------------------------------------------------------------


def parted(text: str) -> Iterator[str]:
    """What a source uses that not every system has, outside of a branch that asks for it."""
    pending: list[tuple[ast.AST, tuple[str, ...]]] = [(ast.parse(text), ())]
    while pending:
        node, guards = pending.pop()
        yield from (used for used in _uses(node) if not _guarded(used, guards))
        inner = (*guards, *_guards_of(node), *_leaves(node))
        pending += [(child, inner) for child in ast.iter_child_nodes(node)]


def _uses(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (name.name for name in node.names if name.name.split(".")[0] in MODULES)
    elif isinstance(node, ast.ImportFrom):
        module = node.module or ""
        if module.split(".")[0] in MODULES:
            yield module
        yield from (
            f"{module}.{name.name}" for name in node.names if name.name in ATTRIBUTES.get(module, ())
        )
    elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        if node.attr in ATTRIBUTES.get(node.value.id, ()):
            yield f"{node.value.id}.{node.attr}"
    elif isinstance(node, ast.Call):
        yield from (f"{word.arg}=" for word in node.keywords if word.arg in STARTING)


def _guards_of(node: ast.AST) -> Iterator[str]:
    """What a node asks for, as the text of the question, or of the errors that it expects."""
    if isinstance(node, ast.If | ast.IfExp):
        yield ast.unparse(node.test)
    elif isinstance(node, ast.BoolOp):
        yield ast.unparse(node)
    elif isinstance(node, ast.Try):
        yield from (ast.unparse(handler.type) for handler in node.handlers if handler.type)
    elif isinstance(node, ast.With):
        yield from (ast.unparse(item.context_expr) for item in node.items)


def _leaves(node: ast.AST) -> Iterator[str]:
    """What a function asks for in order to leave at once where it is not there."""
    for step in getattr(node, "body", ()) if isinstance(node, ast.FunctionDef) else ():
        if isinstance(step, ast.If) and isinstance(step.body[-1], ast.Return):
            yield ast.unparse(step.test)


def _guarded(used: str, guards: tuple[str, ...]) -> bool:
    owner, _, name = used.rpartition(".")
    expected = "AttributeError" if owner else "ImportError"
    asked = (f"hasattr({owner}, '{name}')", "sys.platform", "os.name", expected)
    return any(each in guard for guard in guards for each in asked)


def test_nothing_of_one_system_is_used_without_asking_for_it():
    owned = (rf"{owner}\.(?:{'|'.join(names)})|from {owner} " for owner, names in ATTRIBUTES.items())
    imported, started = (f"(?:import|from) (?:{'|'.join(MODULES)})", f"(?:{'|'.join(STARTING)})=")
    suspect = re.compile(rf"\b(?:{'|'.join([*owned, imported, started])})")
    found = {(path, used) for path, text in sources(suspect) for used in parted(text)}
    assert found == set()


def sources(suspect: re.Pattern[str]) -> Iterator[tuple[str, str]]:
    """The sources in which a pattern is found at all, by their paths."""
    for path in ROOT.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        if suspect.search(text):
            yield path.relative_to(ROOT).as_posix(), text


@pytest.mark.parametrize(
    "text",
    [
        "import fcntl",
        "from resource import getrlimit",
        "import msvcrt",
        "os.getuid()",
        "os.open(x, os.O_NOFOLLOW)",
        "from os import fork",
        "signal.alarm(3)",
        "try:\n    import fcntl\nexcept OSError:\n    pass",
        "with suppress(OSError):\n    os.sysconf(x)",
        "if hasattr(os, 'fork'):\n    os.getuid()",
        "Popen(x, preexec_fn=f)",
        "subprocess.CREATE_NO_WINDOW",
    ],
)
def test_the_walk_finds_what_it_looks_for(text):
    assert len(list(parted(text))) == 1


@pytest.mark.parametrize(
    "text",
    [
        "try:\n    import fcntl\nexcept ImportError:\n    pass",
        "with suppress(ImportError, ValueError):\n    import resource",
        "getattr(os, 'O_NOFOLLOW', 0)",
        "hasattr(os, 'getuid') and os.getuid()",
        "if hasattr(os, 'register_at_fork'):\n    os.register_at_fork(f)",
        "with suppress(AttributeError):\n    signal.alarm(3)",
        "if sys.platform == 'win32':\n    import msvcrt",
        "def f():\n    if not hasattr(os, 'fork'):\n        return 0\n    return os.fork()",
        "os.open(x, os.O_RDONLY)",
        "Popen(x, start_new_session=True)",
    ],
)
def test_and_nothing_else(text):
    assert list(parted(text)) == []


def test_no_text_is_opened_in_the_encoding_of_the_system():
    """Windows has others than UTF-8."""
    wrong = [
        f"{path}:{node.lineno}"
        for path, text in sources(re.compile(r"\b(fd)?open\(|(read|write)_text\("))
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call) and _opens_text(node)
    ]
    assert wrong == []


def _opens_text(node: ast.Call) -> bool:
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    owner = getattr(getattr(node.func, "value", None), "id", "")
    words = {word.arg for word in node.keywords}
    if name in ("read_text", "write_text") and isinstance(node.func, ast.Attribute):
        return "encoding" not in words and len(node.args) < (1 if name == "read_text" else 2)
    if name not in ("open", "fdopen") or (name == "open" and owner in ("os", "webbrowser")):
        return False
    mode = [ast.unparse(arg) for arg in node.args] + [
        ast.unparse(w.value) for w in node.keywords if w.arg == "mode"
    ]
    return "encoding" not in words and None not in words and not any("b'" in text for text in mode)


# -- the branches ---------------------------------------------------------------------------------------------

ELSEWHERE = """
import contextlib, importlib, multiprocessing, os, signal, subprocess, sys, tempfile, threading
for other in {others}:  # as they are here: what they do elsewhere is theirs
    with contextlib.suppress(ImportError):
        importlib.import_module(other)
for module in ("fcntl", "resource", "pwd", "grp", "termios", "tty", "pty"):
    sys.modules[module] = None
for name in {os_names}:
    if hasattr(os, name):
        delattr(os, name)
for name in ("alarm", "SIGALRM", "SIGXCPU", "SIGKILL", "SIGPIPE"):
    if hasattr(signal, name):
        delattr(signal, name)
os.supports_dir_fd = set()
{body}
"""
OURS = ("getuid", "register_at_fork", "sched_getaffinity", "sysconf", "O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC",
        "O_DIRECTORY", "O_NOCTTY", "O_PATH", "fork")  # fmt: skip


CORE = ("llvmlite.binding", "numpy", "scipy.optimize", "typer")
EXTRAS = (
    "distributed",
    "zarr",
    "pyarrow.parquet",
    "gymnasium",
    "mcap",
    "trimesh",
    "ruckig",
    "yaml",
    "sympy",
)


def elsewhere(body: str, folder: Path, others: tuple[str, ...] = CORE) -> str:
    """What a program prints where there is nothing of POSIX that we know of."""
    code = ELSEWHERE.format(os_names=OURS, body=body, others=others)
    environment = {**os.environ, "STROBE_CACHE": str(folder / "kept"), "PYTHONPATH": str(ROOT.parent)}
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        cwd=folder,
        env=environment,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


IMPORTED = """
import importlib, pathlib, strobe
root = pathlib.Path(strobe.__file__).parent
for path in sorted(root.rglob("*.py")):
    parts = path.relative_to(root.parent).with_suffix("").parts
    name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
    if name != "strobe.__main__" and parts[1:2] not in (("jax",), ("torch",)):  # their wheels are each system's own
        try:
            importlib.import_module(name)
        except strobe.StrobeError as error:  # an extra that is not installed
            assert "is not installed" in str(error), error
print("all")
"""


@pytest.mark.slow
def test_every_module_is_imported_where_nothing_of_posix_is(tmp_path):
    assert elsewhere(IMPORTED, tmp_path, CORE + EXTRAS).split() == ["all"]


WORKS = """
import warnings
warnings.simplefilter("error")
import numpy, pathlib, strobe
from strobe.files.writing import writing
from strobe.models.model_files import NearFiles
from strobe.models.toml_writer import write_toml

robot = strobe.load("planar2")
with writing("arm.toml") as stream:
    stream.write(write_toml(robot.model))
again = strobe.load("arm.toml")
state = robot.random_state(seed=0, batch=3)
print(numpy.array_equal(robot.inverse_dynamics(*state), again.inverse_dynamics(*state)))
print(len(list(pathlib.Path("kept").glob("*.o"))) > 0)
near = NearFiles(pathlib.Path())
print(near.read(near.first(["arm.toml"])) == pathlib.Path("arm.toml").read_bytes())
"""


def test_robots_are_read_compiled_kept_and_written_where_nothing_of_posix_is(tmp_path):
    assert elsewhere(WORKS, tmp_path).split() == ["True"] * 3


def test_a_folder_is_ours_where_files_have_no_owners(monkeypatch):
    status = os.stat_result((0o100666, 0, 0, 1, 12345, 12345, 0, 0, 0, 0))
    assert not cache._is_ours(status)
    monkeypatch.delattr(os, "getuid")
    assert cache._is_ours(status)
    assert not cache._is_others_link(os.stat_result((0o120777, 0, 0, 1, 12345, 12345, 0, 0, 0, 0)))


def test_a_path_is_opened_at_once_where_folders_cannot_be_walked(monkeypatch, tmp_path):
    (tmp_path / "a").write_bytes(b"content")
    monkeypatch.setattr(os, "supports_dir_fd", set())
    descriptor = model_files.opened(tmp_path / "a")
    with open(descriptor, "rb") as file:
        assert file.read() == b"content"


@pytest.mark.parametrize("taken", [False, True])
def test_windows_locks_hold_a_results_folder(monkeypatch, tmp_path, taken):
    asked = []

    def locking(descriptor, mode, count):
        asked.append((mode, count))
        if taken:
            raise OSError(errno.EACCES, "Permission denied")

    monkeypatch.setitem(sys.modules, "fcntl", None)
    monkeypatch.setitem(sys.modules, "msvcrt", SimpleNamespace(locking=locking, LK_NBLCK=2))
    if taken:
        with (
            pytest.raises(OutputError, match="another sweep is writing into"),
            store.Store(tmp_path / "out").alone(),
        ):
            pass
    else:
        with store.Store(tmp_path / "out").alone():
            pass
    assert asked == [(2, 1)]


def test_where_there_are_no_locks_at_all_a_folder_is_taken_as_ours(monkeypatch, tmp_path):
    for module in ("fcntl", "msvcrt"):
        monkeypatch.setitem(sys.modules, module, None)
    with store.Store(tmp_path / "out").alone(), store.Store(tmp_path / "out").alone():
        assert (tmp_path / "out").is_dir()


def test_a_process_is_set_apart_from_the_terminal_in_the_systems_own_way(monkeypatch):
    monkeypatch.setattr(sys, "platform", "darwin")
    assert child_processes.apart_on_windows() == 0
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0x200, raising=False)
    monkeypatch.setattr(subprocess, "CREATE_NO_WINDOW", 0x08000000, raising=False)
    assert child_processes.apart_on_windows() == 0x08000200


@pytest.mark.parametrize("code", [0, 1, -9, None])
def test_no_signal_is_blamed_where_there_is_none(monkeypatch, code):
    for name in ("SIGALRM", "SIGXCPU"):
        monkeypatch.delattr(signal, name)
    assert "of memory in MuJoCo, or MuJoCo crashes over it" in mjcf_process._reason(code, late=False)
    assert mjcf_process._reason(code, late=True) == "takes more than 90 s in MuJoCo."


CONFINED = """
import os, signal, sys
sys.modules["resource"] = None
del os.sysconf, signal.alarm
sys.path.insert(0, {folder!r})
import mjcf_child
mjcf_child.confine(2**30)
mjcf_child.bound_time(1.0, 1.0)
print(mjcf_child._taken(), os.path.exists({folder!r}))
"""


def test_mujocos_process_does_without_limits_where_there_are_none(tmp_path):
    code = CONFINED.format(folder=str(Path(mjcf_child.__file__).parent))
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, timeout=60, check=False
    )
    assert done.stdout.split() == ["0", "True"], done.stderr


def test_processors_are_counted_where_none_are_assigned(monkeypatch):
    from strobe.compiler.runtime import threads
    from strobe.sweep import sweeping

    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.delenv("STROBE_THREADS", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 5)
    assert (threads.default_threads.__wrapped__(), sweeping._processors()) == (5, 5)
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert (threads.default_threads.__wrapped__(), sweeping._processors()) == (1, 1)


def test_a_processor_without_proc_is_named_by_python(monkeypatch):
    from strobe.study import machine

    monkeypatch.setattr(
        machine.Path, "read_text", lambda *_, **__: (_ for _ in ()).throw(FileNotFoundError())
    )
    monkeypatch.setattr(machine.platform, "processor", lambda: "arm")
    assert machine._processor() == "arm"
