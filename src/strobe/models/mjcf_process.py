"""The process that MuJoCo runs in, seen from outside: started when needed, asked, bounded, ended.

One child (`mjcf_child`) serves this process until it has been idle for a while, so that importing MuJoCo is paid for
once. It ends when this process does, since its input ends then, and by itself when its time is over. A child that
fails is put away; where it had served before, a new one is asked once more, so that no model is blamed for what
another has left behind. Threads take turns; after a fork the child belongs to the parent alone.
"""

from __future__ import annotations

import atexit
import contextlib
import importlib.util
import json
import os
import signal
import subprocess
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from strobe.child_processes import apart_on_windows, python_command, python_environment
from strobe.errors import MissingExtraError

MEMORY = 2 * 2**30  # bytes of addresses, where the system can limit them
SECONDS = 30.0  # of processor time, where the system can limit it
WALL = 90.0  # seconds until no answer is waited for
IDLE = 30.0  # seconds after which a child that nobody asks ends
MOST_ANSWER = 256 * 2**20  # bytes
CHILD = Path(__file__).with_name("mjcf_child.py")


class NoAnswer(Exception):
    """MuJoCo took more than it may, crashed, or does not run here: a sentence that says which."""


@dataclass
class _Child:
    """A running process, and whether it has served before."""

    process: subprocess.Popen[bytes]
    used: bool = False


_lock = threading.Lock()
_child: _Child | None = None


def ask(text: str, files: Mapping[str, bytes]) -> dict[str, Any]:
    """What MuJoCo makes of a model that is handed over whole, as the child says it: nobody vouches for that."""
    if importlib.util.find_spec("mujoco") is None:
        raise MissingExtraError("reading an MJCF file", "mujoco", "mjcf")
    with _lock:
        child = _running()
        try:
            return _asked(child, text, files)
        except NoAnswer:
            if not child.used:
                raise
        return _asked(_running(), text, files)


def _asked(child: _Child, text: str, files: Mapping[str, bytes]) -> dict[str, Any]:
    late = threading.Event()
    timer = threading.Timer(WALL, lambda: (late.set(), child.process.kill()))
    timer.daemon = True
    timer.start()
    answer: dict[str, Any] | None = None
    try:
        _send(child.process, text, files)
        answer = _received(child.process)
    finally:
        timer.cancel()
        if answer is None or answer.get("spoiled") or "absent" in answer:
            _put_away()
    if answer is None:
        raise NoAnswer(_reason(child.process.returncode, late.is_set()))
    if answer.get("exhausted"):
        raise NoAnswer(
            f"takes more than {_gibibytes()} of memory in MuJoCo, or has numbers that it fails over."
        )
    if "absent" in answer:
        raise NoAnswer(
            f"MuJoCo cannot be imported ({answer['absent']}); install it anew: pip install mujoco."
        )
    child.used = True
    return answer


def _reason(code: int | None, late: bool) -> str:
    """Why a child has ended without an answer."""
    if late or _ended_by("SIGALRM", code):
        return f"takes more than {WALL:g} s in MuJoCo."
    if _ended_by("SIGXCPU", code):
        return f"takes more than {SECONDS:g} s of processor time in MuJoCo."
    return f"takes more than {_gibibytes()} of memory in MuJoCo, or MuJoCo crashes over it."


def _ended_by(name: str, code: int | None) -> bool:
    """Whether a process was ended by a signal, which not every system has."""
    return hasattr(signal, name) and code == -getattr(signal, name)


def _gibibytes() -> str:
    return f"{MEMORY / 2**30:g} GiB"


# -- the conversation -------------------------------------------------------------------------------------


def _send(process: subprocess.Popen[bytes], text: str, files: Mapping[str, bytes]) -> None:
    assert process.stdin is not None
    data = text.encode()
    sizes = {name: len(content) for name, content in files.items()}
    request = {"files": sizes, "text": len(data), "processor": SECONDS, "wall": WALL}
    with contextlib.suppress(OSError):  # it has ended, and its pipe is broken: no answer tells
        for content in (json.dumps(request).encode() + b"\n", *files.values(), data):
            left = memoryview(content)
            while left:
                left = left[process.stdin.write(left) :]


def _received(process: subprocess.Popen[bytes]) -> dict[str, Any] | None:
    """The child's answer, if it gave a whole one."""
    assert process.stdout is not None
    parts: list[bytes] = []
    size = 0
    while not parts or not parts[-1].endswith(b"\n"):
        part = process.stdout.read(2**20)
        size += len(part or b"")
        if not part or size > MOST_ANSWER:
            return None
        parts.append(part)
    answer = json.loads(b"".join(parts))
    return answer if isinstance(answer, dict) else None


# -- the child --------------------------------------------------------------------------------------------


def _running() -> _Child:
    global _child
    if _child is None or _child.process.poll() is not None:
        _put_away()
        _child = _Child(_started())
    return _child


def _started() -> subprocess.Popen[bytes]:
    """A child with nothing of the working folder: neither its code nor its files, nor the terminal's signals."""
    script = f"import runpy; runpy.run_path({str(CHILD)!r}, run_name='__main__')"
    try:
        return subprocess.Popen(
            python_command(script, str(MEMORY), str(IDLE)),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            cwd=CHILD.parent,
            env=python_environment(MUJOCO_GL="disable", LC_ALL="C.UTF-8"),
            start_new_session=True,  # which Windows passes over
            creationflags=apart_on_windows(),
        )
    except OSError as error:
        raise NoAnswer(f"MuJoCo's process cannot be started: {error}.") from None


def _put_away() -> None:
    """End the child, if there is one, and wait for its end."""
    global _child
    if _child is None:
        return
    process, _child = _child.process, None
    process.kill()
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            stream.close()
    process.wait()


def _forget() -> None:
    """After a fork: the child is not this process's, whose copies of its pipes would keep it alive."""
    global _child, _lock
    _lock = threading.Lock()
    if _child is not None:
        for stream in (_child.process.stdin, _child.process.stdout):
            if stream is not None:
                stream.close()
        _child.process.returncode = 0  # nothing to wait for here
        _child = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
atexit.register(_put_away)
