"""The packages that Strobe needs here: version, licence, size, and whether they hold native code.

    python -m reliability.dependencies

What they parse and who maintains them is in `docs/security.md`.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import NamedTuple

NATIVE = re.compile(r"\.(so|pyd|dylib|dll)(\.|$)")
NAME = re.compile(r"[A-Za-z0-9._-]+")
PROJECT = Path(__file__).parents[1] / "pyproject.toml"


class Package(NamedTuple):
    """One installed package."""

    name: str
    version: str
    licence: str
    native: bool
    bytes: int


def direct() -> dict[str, str]:
    """What Strobe asks for by itself: by name, "core" or the first extra that asks."""
    project = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]
    asked: dict[str, str] = {}
    for extra, texts in {"core": project["dependencies"], **project["optional-dependencies"]}.items():
        for text in texts:
            asked.setdefault(NAME.match(text)[0].lower(), extra)  # pyright: ignore[reportOptionalSubscript]
    asked.pop(project["name"], None)  # an extra that asks for others
    return asked


def installed(names: list[str]) -> Iterator[Package]:
    """These packages and all that they need in turn, as far as they are here."""
    seen: set[str] = set()
    while names:
        name = names.pop(0).lower().replace("_", "-")
        if name in seen:
            continue
        seen.add(name)
        try:
            found = distribution(name)
        except PackageNotFoundError:
            continue
        yield _package(name, found)
        needed = [text for text in found.requires or () if "extra ==" not in text]
        names += [match[0] for text in needed if (match := NAME.match(text))]


def _package(name: str, found: Distribution) -> Package:
    files = [Path(str(found.locate_file(file))) for file in found.files or ()]
    size = sum(file.stat().st_size for file in files if file.is_file())
    return Package(name, found.version, _licence(found), any(NATIVE.search(f.name) for f in files), size)


def _licence(found: Distribution) -> str:
    """As the package states it, in its fields or among its classifiers."""
    fields = {
        key: found.metadata.get_all(key) or [""] for key in ("License-Expression", "License", "Classifier")
    }
    stated = fields["License-Expression"][0] or fields["License"][0]
    kinds = [text.split("::")[-1].strip() for text in fields["Classifier"] if "License" in text]
    return (stated if len(stated) < 80 else "") or ", ".join(kinds) or "not stated"


def main() -> None:
    asked = direct()
    for package in installed(list(asked)):
        extra = asked.get(package.name, "")
        kind = "native" if package.native else "Python"
        print(
            f"{package.name:24}{package.version:16}{extra:8}{kind:8}{package.bytes / 1e6:8.1f} MB  {package.licence}"
        )


if __name__ == "__main__":
    main()
