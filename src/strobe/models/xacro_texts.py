"""Texts of a xacro file with what they contain: ${expression}, $(command …), and $${ for a plain ${.

A text that is one expression has the value of it, number or list; any other is put together from its parts. Commands
are arg, find, env, optenv, dirname, cwd and eval.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from strobe.errors import nearest
from strobe.models.expressions import ExpressionError
from strobe.models.xacro_evaluation import Evaluation
from strobe.models.xacro_files import Surroundings
from strobe.models.xacro_grammar import Node, parsed
from strobe.models.xacro_scopes import Scope, literal
from strobe.models.xacro_values import (
    BUILTINS,
    MATHEMATICS,
    OTHERS,
    Function,
    Meter,
    Namespace,
    dotted,
    text_of,
)
from strobe.models.xacro_yaml import yaml_values

PARTS = re.compile(
    r"(?P<escaped>\$\$+[{(])|\$\{(?P<expression>[^}]*)\}|\$\((?P<command>[^)]*)\)|(?P<text>[^$]+|\$[^{($]+|\$\Z)"
)


class Texts:
    """Texts worked out over scopes, for one document."""

    def __init__(self, path: Path, meter: Meter, surroundings: Surroundings) -> None:
        self.meter, self.surroundings = meter, surroundings
        self.files = [path]  # the one that is read, after those that include it
        self.arguments: dict[str, str] = {}
        self.trees: dict[str, Node] = {}
        self.loaded: dict[str, Any] = {}
        self.symbols = self._symbols()

    def value(self, text: str, scope: Scope) -> Any:
        """What a text stands for: the value of its one part, or all parts as text."""
        self.meter.spend()
        if "$" not in text:
            return text
        values, place = [], 0
        while place < len(text):
            found = PARTS.match(text, place)
            if found is None:
                raise ExpressionError(
                    f'"{text[place : place + 40]}" begins an expression that does not end; '
                    "write $${ for a plain ${."
                )
            values.append(self._part(found, scope))
            place = found.end()
        if len(values) == 1:
            return values[0]
        return self.meter.made("".join(map(self.written, values)))

    def written(self, value: Any) -> str:
        """A value as it stands in a document."""
        return value if isinstance(value, str) else text_of(self.meter.made(value))

    def _part(self, found: re.Match[str], scope: Scope) -> Any:
        if found["expression"] is not None:
            return self._expression(
                self.written(self.value(found["expression"], scope)), self._lookup(scope)
            )
        if found["command"] is not None:
            return self._answered(self.written(self.value(found["command"], scope)))
        return found["text"] or found["escaped"][1:]

    def _lookup(self, scope: Scope) -> Callable[[str], Any]:
        return lambda name: scope.get(name, self.value)

    def _expression(self, text: str, lookup: Callable[[str], Any]) -> Any:
        """An expression worked out; every fault of it names it."""
        tree = self.trees.get(text)
        if tree is None:
            self.meter.spend(len(text) // 8)
            tree = self.trees[text] = parsed(text)
        try:
            return Evaluation(self.meter, lookup).plain(tree)
        except ZeroDivisionError:
            why = "it divides by zero."
        except OverflowError:
            why = "it is too large for a number."
        except ExpressionError as error:
            why = str(error)
        except (ArithmeticError, LookupError, TypeError, ValueError) as error:
            why = f"{error}."
        shown = text.strip() if len(text) <= 80 else f"{text.strip()[:80]}…"
        raise ExpressionError(why if why.startswith('"') else f'"{shown}": {why}')

    # -- functions that know the file -------------------------------------------------------------------------

    def _symbols(self) -> Scope:
        """What is there before a file begins; that is also what a property may take the name of."""
        own = {
            "load_yaml": Function("load_yaml", self._load_yaml),
            "abs_filename": Function("abs_filename", lambda name: str(self.beside(name))),
            "dotify": Function("dotify", dotted),
        }
        silent = {name: Function(name, _told) for name in ("message", "warning", "error", "print_location")}
        more = {
            "arg": Function("arg", self._argument),
            "fatal": Function("fatal", _fatal),
            "tokenize": Function("tokenize", _tokenized),
        }
        scope = Scope(None)
        scope.values = {
            **BUILTINS, **MATHEMATICS, **own,
            "math": Namespace("math", MATHEMATICS),
            "python": Namespace("python", {**BUILTINS, **OTHERS}),
            "xacro": Namespace("xacro", {**own, **silent, **more}),
        }  # fmt: skip
        return scope

    def beside(self, name: str) -> Path:
        """A file by the name that the file being read calls it."""
        if "\0" in name:
            raise ExpressionError("a file name with a NUL byte.")
        return self.files[-1].parent / name

    def _load_yaml(self, name: str) -> Any:
        path = self.beside(name)
        if str(path) not in self.loaded:
            try:
                content = self.surroundings.read(path)
            except FileNotFoundError:
                raise ExpressionError(f"no such file: {path}.") from None
            self.loaded[str(path)] = yaml_values(
                path, content, self.meter, lambda text: self._expression(text, self._lookup(self.symbols))
            )
        return self.loaded[str(path)]

    # -- commands ---------------------------------------------------------------------------------------------

    def _answered(self, text: str) -> str:
        try:
            return self._command(text)
        except ExpressionError:
            raise
        except (OSError, ValueError) as error:  # of the system, on names that it does not take
            raise ExpressionError(f'"$({text})" cannot be answered: {error}.') from None

    def _command(self, text: str) -> str:
        word, _, rest = text.partition(" ")
        if word == "eval":
            return self.written(self._expression(rest, self._argument_or_symbol))
        words = [each for each in text.split(" ") if each]
        command = COMMANDS.get(words[0]) if words else None
        if command is None:
            raise ExpressionError(
                f'"$({text})" is no command; expected one of {", ".join(COMMANDS)} and eval.'
                f"{nearest(word, [*COMMANDS, 'eval'])}"
            )
        least, most, run = command
        if not least <= len(words) - 1 <= most:
            raise ExpressionError(f'"$({text})" has {len(words) - 1} arguments; expected {least}.')
        return run(self, *words[1:])

    def _argument(self, name: str) -> str:
        if name not in self.arguments:
            raise ExpressionError(
                f'there is no argument "{name}"; declare it: <xacro:arg name="{name}" default="…"/>.'
                f"{nearest(name, self.arguments)}"
            )
        return self.arguments[name]

    def _argument_or_symbol(self, name: str) -> Any:
        """A name in $(eval …): functions first, then arguments, as the numbers that they may be."""
        if name in ("true", "false"):
            return name == "true"
        if name == "arg":
            return Function("arg", lambda name: _converted(self._argument(name)))
        if name in COMMANDS:
            _, _, run = COMMANDS[name]
            return Function(name, lambda *words: run(self, *words))
        if name in self.symbols.values:
            return self.symbols.values[name]
        return _converted(self.arguments[name])

    def _environment(self, name: str) -> str:
        if name not in os.environ:
            raise ExpressionError(
                f"the environment variable {name} is not set; set it, or use $(optenv …)."
            )
        return os.environ[name]

    def _environment_or(self, name: str, *words: str) -> str:
        return os.environ.get(name, " ".join(words))

    def _folder(self) -> str:
        return str(Path(os.path.abspath(self.files[-1])).parent)

    def _package(self, name: str) -> str:
        return self.surroundings.package(name)


# least and most words after it, and what it gives
COMMANDS: dict[str, tuple[int, int, Callable[..., str]]] = {
    "arg": (1, 1, Texts._argument),
    "find": (1, 1, Texts._package),
    "env": (1, 1, Texts._environment),
    "optenv": (1, 100, Texts._environment_or),
    "dirname": (0, 0, Texts._folder),
    "cwd": (0, 0, lambda _: os.getcwd()),
}


def _converted(text: str) -> Any:
    """An argument as the number or truth value that it may be."""
    value = literal(text) if not text.startswith("'") else text
    return {"true": True, "false": False}.get(text.lower(), value)


def _told(*_: Any, **__: Any) -> str:
    """Remarks of a file are its own affair."""
    return ""


def _fatal(*words: Any) -> None:
    raise ExpressionError(f"the file says: {' '.join(map(str, words))[:500]}")


def _tokenized(text: str, sep: str = ",; ", skip_empty: bool = True) -> list[str]:
    pieces = re.split(f"[{re.escape(sep)}]", text) if sep else [text]
    return [piece for piece in pieces if piece or not skip_empty]
