"""What the papers say that six joints cost, beside the bookkeeping that explains it and our own counts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from strobe.errors import UnsupportedModelError
from strobe.papers.tables import Comparison, compare
from strobe.show.tables import remark, table
from strobe.study.case import Case

TITLE = "What the papers say it costs"


def measure(case: Case) -> dict[str, Any]:
    """Hollerbach's table II, each figure with its status; the papers count chains."""
    case.require_dynamics()
    if not case.robot.model.is_serial:
        raise UnsupportedModelError("the published tables are for single chains.")
    found = [c for c in compare("hollerbach") if c.joints == 6]
    return {"rows": [_plain(c) for c in found]}


def _plain(c: Comparison) -> dict[str, Any]:
    numbers = {"published": c.published, "ledger": c.ledger, "ours": c.measured}
    return {
        "method": c.row,
        "operation": {"m": "×", "a": "+"}[c.kind],
        **{name: None if x is None else int(x) for name, x in numbers.items()},  # pyright: ignore[reportArgumentType]
        "status": str(c.status),
    }


def command(case: Case) -> str:
    return "tables hollerbach"


def render(data: Mapping[str, Any]) -> Iterator[Any]:
    yield remark(
        "Hollerbach 1980, table II, six joints; ledger: what its own rules add up to; ours: our code as written. "
        "All tables: strobe tables"
    )
    columns = ("method", "operation", "published", "ledger", "ours", "status")
    yield table(columns, [[row[name] for name in columns] for row in data["rows"]])
