"""The robots that come with Strobe: one TOML file each, with source and golden values."""

from __future__ import annotations

from importlib.resources import files


def built_in_names() -> tuple[str, ...]:
    """The names under which built-in robots are loaded, in alphabetical order."""
    entries = (entry.name for entry in files(__name__).iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in entries if name.endswith(".toml")))


def built_in_text(name: str) -> str:
    """The robot file of a built-in robot."""
    return files(__name__).joinpath(f"{name}.toml").read_text("utf-8")
