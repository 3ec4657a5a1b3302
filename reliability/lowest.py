"""`make lowest`: constraints that hold every dependency at the lowest version that pyproject.toml allows.

    python -m reliability.lowest [EXTRA ...]        the core, and the named extras

A requirement without a lowest version, or with more than that, is refused: there would be nothing to try.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path

PYPROJECT = Path(__file__).parent.parent / "pyproject.toml"
REQUIREMENT = re.compile(r"(?P<name>[\w.-]+)>=(?P<version>[\d.]+)")


def constraints(extras: Sequence[str] = ()) -> Iterator[str]:
    """Lines for pip: each requirement of the core and of these extras at its lowest version."""
    project = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]
    for asked in [project["dependencies"], *(project["optional-dependencies"][extra] for extra in extras)]:
        for requirement in asked:
            found = REQUIREMENT.fullmatch(requirement)
            if found is None:
                raise SystemExit(
                    f'pyproject.toml: "{requirement}" has no lowest version; expected "name>=version".'
                )
            yield f"{found['name']}=={found['version']}"


if __name__ == "__main__":
    print("\n".join(constraints(sys.argv[1:])))
