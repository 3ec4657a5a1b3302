"""The code on a page, run: what a page shows is what its code prints.

Three kinds of fenced blocks do something; every other block is only shown.

    ```python           runs, all blocks of a page in one namespace; what it prints is put behind it
    ```console          each line "$ command" runs; what it prints is put under it
    ```LANGUAGE FILE    is written to FILE first, for the blocks after it

A page runs in an empty folder of its own. `strobe` commands run in this process, others in a shell.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

BLOCK = re.compile(
    r"^```(?P<language>\w+)(?: (?P<file>[\w./-]+))?\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL
)

PROGRESS = re.compile(
    r"^[\w ]+: [\d,]+ of [\d,]+ \w+( \(.*\))?\n", re.MULTILINE
)  # said only on a slow machine


class PageError(Exception):
    """Code on a page that does not run."""


def executed(text: str, page: str) -> str:
    """The text of a page with what its blocks print."""
    names: dict[str, object] = {"__name__": "__main__"}

    def shown(match: re.Match[str]) -> str:
        language, file, code = match["language"], match["file"], match["code"]
        if file is not None:
            Path(file).write_text(code, encoding="utf-8")
        elif language == "python":
            return match[0] + _fenced(_ran(code, names, page))
        elif language == "console":
            return f"```console\n{''.join(_session(code, page))}```"
        return match[0]

    with _empty_folder():
        return BLOCK.sub(shown, text)


def _ran(code: str, names: dict[str, object], page: str) -> str:
    with _captured() as output:
        try:
            exec(compile(code, page, "exec"), names)
        except Exception as error:
            raise PageError(f"{page}: {type(error).__name__}: {error}, in this block:\n{code}") from error
    return output.getvalue()


def _session(code: str, page: str) -> Iterator[str]:
    for line in code.replace("\\\n", "").splitlines():
        if not line.startswith("$ "):
            raise PageError(f'{page}: a console block has lines "$ command" only, not "{line}".')
        status, output = _commanded(line[2:])
        if status:
            raise PageError(f"{page}: {line[2:]} ends with {status}:\n{output}")
        yield f"{line}\n{PROGRESS.sub('', output)}"


def _commanded(command: str) -> tuple[int, str]:
    """The exit code of a command and all it prints."""
    words = shlex.split(command)
    if words[0] != "strobe" or {"|", ">", "&&"} & set(words):
        done = subprocess.run(
            command, shell=True, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
        return done.returncode, done.stdout
    from strobe.cli.app import app

    with _captured() as output:
        try:
            app(words[1:])
        except SystemExit as end:
            return int(end.code or 0), output.getvalue()
    return 0, output.getvalue()


def _fenced(output: str) -> str:
    return f"\n\n```text\n{output.rstrip()}\n```" if output.strip() else ""


@contextlib.contextmanager
def _captured() -> Iterator[io.StringIO]:
    output = io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        yield output


@contextlib.contextmanager
def _empty_folder() -> Iterator[None]:
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)
