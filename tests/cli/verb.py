"""A verb as tests call it: what it says, what it gives as JSON, how it refuses."""

from __future__ import annotations

import json
from typing import Any

from typer.testing import CliRunner, Result

from strobe.cli import app


class Verb:
    """``strobe`` with a verb, or with none, in this process; a traceback is never an answer."""

    def __init__(self, *name: str) -> None:
        self.name = name

    def __call__(self, *arguments: object) -> Result:
        done = CliRunner().invoke(app, [*self.name, *map(str, arguments)])
        assert "Traceback" not in done.output
        return done

    def told(self, *arguments: object, code: int = 0) -> Any:
        """Its JSON."""
        done = self(*arguments, "--json")
        assert done.exit_code == code, done.output
        return json.loads(done.stdout)

    def refusal(self, *arguments: object) -> str:
        """What it says on standard error where it takes nothing of what it was given."""
        done = self(*arguments)
        assert done.exit_code == 2, done.output
        assert done.stdout == ""
        return done.stderr
