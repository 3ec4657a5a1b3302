"""Options under their old names: they work for one version, no help shows them, and a note says the new name.

One name stands for one thing in all verbs (docs/decisions.md); what was called otherwise is listed here alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from strobe.cli.show import note

RENAMED: Mapping[str, Mapping[str, str]] = {
    "approximate": {"--methods": "--approximations", "--budget": "--memory"},
    "compile": {"--wrench": "--wrench-input"},
    "control": {"--method": "--planner", "--t": "--duration"},
    "equations": {"--along": "--trajectory"},
    "ik": {"--method": "--solver"},
    "plan": {"--method": "--planner"},
    "simulate": {
        "--error": "--estimate-error",
        "--method": "--integrator",
        "--t": "--duration",
        "--traj": "--trajectory",
    },
    "sweep": {"--out": "--output"},
}


def renamed(verb: str, words: Sequence[str], quiet: bool = False) -> list[str]:
    """The words behind a verb, old names of options exchanged for the new ones; ``quiet`` says nothing of it."""
    new = RENAMED.get(verb, {})
    options = words[: words.index("--")] if "--" in words else words
    found = {name for word in options if (name := word.partition("=")[0]) in new}
    for name in sorted(found) if not quiet else ():
        note(f"{name} of strobe {verb} is called {new[name]} now; the old name works in this version only.")
    return [_exchanged(word, new) for word in options] + list(words[len(options) :])


def _exchanged(word: str, new: Mapping[str, str]) -> str:
    name, equals, value = word.partition("=")
    return f"{new[name]}{equals}{value}" if name in new else word
