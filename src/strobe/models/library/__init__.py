"""The robots that come with Strobe: one TOML file each, with source and golden values."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).parent


def built_in_names() -> tuple[str, ...]:
    """The names under which built-in robots are loaded, in alphabetical order."""
    return tuple(sorted(path.stem for path in FOLDER.iterdir() if path.suffix == ".toml"))


def built_in_text(name: str) -> str:
    """The robot file of a built-in robot."""
    return (FOLDER / f"{name}.toml").read_text("utf-8")
