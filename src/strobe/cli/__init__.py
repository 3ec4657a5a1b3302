"""The command ``strobe``: one file per verb."""

from __future__ import annotations

from typing import TYPE_CHECKING

from strobe.rooms import exported

if TYPE_CHECKING:
    from strobe.cli.app import app as app
    from strobe.cli.app import main as main

exported(
    __name__,
    {
        "strobe.cli.app": "app main",
    },
)
