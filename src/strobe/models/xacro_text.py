"""xacro files worked out to URDF by the package xacrodoc, in a process of their own.

A xacro file is a program: it evaluates expressions, repeats itself and reads the files it names. The child process
bounds what it costs (time, memory, size of the text) and what it may do (`xacro_limits`).
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from contextlib import redirect_stdout, suppress
from pathlib import Path

from strobe.errors import MissingExtraError
from strobe.models.text_files import LARGEST, file_fault
from strobe.models.xacro_limits import checked, confine

SECONDS = 10.0
MEMORY = 4 * 2**30  # bytes, where the system can limit them
LEVELS = 4  # folders above a xacro file that are searched for the packages it names
SUFFIXES = ("", "_description", "_support")  # what a package's name and its folder's may differ by


def expanded(path: Path, content: bytes | str) -> str:
    """The text of a xacro file with its macros, properties and includes worked out."""
    if importlib.util.find_spec("xacrodoc") is None:
        raise MissingExtraError(f"{path} (xacro)", "xacrodoc", "xacro")
    data = content.encode("utf-8", "replace") if isinstance(content, str) else content
    command = [sys.executable, "-m", __name__, str(path)]
    places = {"PYTHONPATH": os.pathsep.join(place for place in sys.path if place)}
    try:
        child = subprocess.run(
            command, input=data, capture_output=True, timeout=SECONDS, env={**os.environ, **places}
        )
    except subprocess.TimeoutExpired:
        raise file_fault(
            path, f"xacro has not expanded it in {SECONDS:g} s; look for a macro that calls itself."
        ) from None
    if child.returncode:
        raise file_fault(path, "xacro cannot expand it: it takes too much memory, or crashed.")
    answer: dict[str, str] = json.loads(child.stdout)
    if "fault" in answer:
        raise file_fault(path, answer["fault"])
    return answer["text"]


# -- in the child process -------------------------------------------------------------------------------


def _main() -> None:
    """Answer on standard output with the expanded text, or with what is wrong, as JSON."""
    path, content = Path(sys.argv[1]), sys.stdin.buffer.read()
    _limit_memory()
    with redirect_stdout(sys.stderr):  # what the file itself prints is no answer
        answer = _answer(path, content.decode("utf-8", "replace"))
    json.dump(answer, sys.stdout)


def _answer(path: Path, text: str) -> dict[str, str]:
    import defusedxml
    import xacro
    from xacro import substitution_args
    from xacrodoc import XacroDoc, packages

    defusedxml.defuse_stdlib()  # pyright: ignore[reportAttributeAccessIssue]  no entities in included files
    xacro.safe_eval = checked(xacro.safe_eval)
    substitution_args._eval = checked(substitution_args._eval)
    packages.reset()
    packages.walk_up_from(path)
    packages.update_package_cache(_packages_around(path.resolve()))
    xacro.init_stacks(str(path))  # includes are relative to this file
    confine(_readable(path.resolve()))
    try:
        document = XacroDoc.from_string(text, resolve_packages=False).dom.toxml()
    except Exception as error:  # whatever the file's own expressions raise
        cause = getattr(error, "exc", None) or error
        if isinstance(cause, packages.PackageNotFoundError):
            return {
                "fault": f'needs the package "{cause.args[0]}"; put its folder beside the one of this file.'
            }
        said = " ".join(str(error).split()) or type(error).__name__
        return {"fault": f"xacro cannot expand it: {said[:300]}{'…' if len(said) > 300 else ''}"}
    if len(document) > LARGEST:
        return {"fault": f"expands to more than {LARGEST} characters."}
    return {"text": document}


def _limit_memory() -> None:
    with suppress(ImportError, ValueError, OSError):  # systems without such limits
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def _packages_around(path: Path) -> dict[str, Path]:
    """Folders near a file under every package name that they may stand for; the nearest wins."""
    found: dict[str, Path] = {}
    for folder in list(path.parents)[:LEVELS]:
        for near in (folder, *sorted(child for child in _children(folder) if child.is_dir())):
            stem = near.name.removesuffix("_description").removesuffix("_support")
            for suffix in SUFFIXES:
                found.setdefault(stem + suffix, near)
    return found


def _readable(path: Path) -> list[Path]:
    """Folders below which files may be read: those searched for packages, ROS's own, and what STROBE_FILES names."""
    around = [folder for folder in list(path.parents)[:LEVELS] if folder != Path(folder.anchor)]
    named = [os.environ.get(name, "") for name in ("STROBE_FILES", "ROS_PACKAGE_PATH", "AMENT_PREFIX_PATH")]
    return [*around, *(Path(place) for text in named for place in text.split(os.pathsep) if place)]


def _children(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except OSError:
        return []


if __name__ == "__main__":
    _main()
