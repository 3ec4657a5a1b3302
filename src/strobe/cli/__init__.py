"""The command ``strobe``: one file per verb."""

from strobe.cli.app import app, main

__all__ = ["app", "main"]
