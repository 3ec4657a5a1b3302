"""The papers, put to the test: proofs, claims, ledgers, published tables, records and their certificates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from strobe.rooms import exported

if TYPE_CHECKING:
    from strobe.papers.ladder import Rung as Rung
    from strobe.papers.ladder import ladder as ladder

exported(
    __name__,
    {
        "strobe.papers.ladder": "Rung ladder",
    },
)
