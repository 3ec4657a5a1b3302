"""What a xacro file may do while it is expanded: calculate, and read files near it.

xacro evaluates expressions with Python, and from any of its objects a way leads to all of Python. So expressions
with attributes of the interpreter, or with builtins beyond arithmetic, are refused before they are evaluated; and
the process that expands (`xacro_text`) is told by the interpreter of everything that it is about to do, and refuses
what is neither. Either alone would do; there is no promise that both together hold against everyone.
"""

from __future__ import annotations

import ast
import builtins
import os
import sys
import types
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

ARITHMETIC = frozenset(
    """
    abs all any bool complex dict divmod enumerate filter float frozenset hash int isinstance len list map max min
    ord range repr reversed round set slice sorted str sum tuple zip True False None
    """.split()  # noqa: SIM905
)
INTERNAL = frozenset(  # of frames, generators and code: f_globals, gi_frame, co_consts
    name
    for kind in (types.FrameType, types.GeneratorType, types.CodeType, types.TracebackType)
    for name in dir(kind)
    if "_" in name
)
REFUSED = (  # events, by how they begin: processes, network, other languages, changes of files
    "subprocess.", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.fork", "os.startfile", "os.kill",
    "pty.", "socket.", "ctypes.", "urllib.", "http.", "ftplib.", "smtplib.", "webbrowser.", "winreg.",
    "os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.link", "os.symlink", "os.truncate", "os.chmod", "os.chown",
    "os.utime", "os.setxattr", "shutil.", "tempfile.", "sqlite3.", "mmap.", "pickle.", "marshal.", "sys.set",
)  # fmt: skip
CODE = (".py", ".pyc", ".so", ".pyd")  # what an import reads


class Refused(Exception):
    """Something that a robot description has no need of."""


def require_arithmetic(expression: str) -> None:
    """Refuse an expression with names that lead from numbers and texts into the interpreter."""
    for node in ast.walk(ast.parse(expression.strip(), mode="eval")):
        name = (
            node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
        )
        internal = name.startswith("_") or (isinstance(node, ast.Attribute) and name in INTERNAL)
        if internal or (isinstance(node, ast.Name) and hasattr(builtins, name) and name not in ARITHMETIC):
            raise Refused(
                f'"{name}" in "{expression}" is no arithmetic; a robot file may calculate, not program'
            )


def checked(evaluate: Callable[..., Any]) -> Callable[..., Any]:
    """xacro's evaluation of expressions, behind `require_arithmetic`."""

    def evaluated(expression: str, *context: Any) -> Any:
        require_arithmetic(expression)
        return evaluate(expression, *context)

    return evaluated


def confine(folders: Iterable[Path]) -> None:
    """From now on this process reads code and files below some folders, none hidden, and does nothing else."""
    near = [Path(os.path.realpath(folder)) for folder in folders]
    code = [Path(os.path.realpath(place)) for place in sys.path]

    def told(event: str, args: tuple[Any, ...]) -> None:
        if event.startswith(REFUSED):
            raise Refused(f"it wants {event}; a robot file may calculate, not act")
        if event == "open":
            _require_reading(args, near, code)

    sys.addaudithook(told)


def _require_reading(args: tuple[Any, ...], near: list[Path], code: list[Path]) -> None:
    name, mode, flags = args
    if isinstance(name, int):
        return
    writes = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
    if set(mode or "") & set("wax+") or (flags or 0) & writes:
        raise Refused(f"it wants to write {os.fsdecode(name)}")
    place = Path(os.path.realpath(os.fsdecode(name)))
    if place.suffix in CODE and any(place.is_relative_to(folder) for folder in code):
        return
    inside = [place.relative_to(folder).parts for folder in near if place.is_relative_to(folder)]
    if not inside or any(part.startswith(".") for part in min(inside, key=len)) or _is_special(place):
        raise Refused(
            f"it wants to read {place}, which is not near it; put the file beside it, or its folder into STROBE_FILES"
        )


def _is_special(place: Path) -> bool:
    """Whether it is there as a pipe or a device, from which reading may never end."""
    return place.exists() and not place.is_file() and not place.is_dir()
