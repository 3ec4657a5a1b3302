"""The trial of frames in short, and whether it would find anything."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from reliability import frames
from reliability.frames import Tally, attempt, drawn, faults
from strobe.models.default_frame import moved_frames, tip_or_none
from strobe.models.model import Model


@pytest.mark.slow
def test_some_trees_mean_what_they_should() -> None:
    tally, said = attempt(range(60))
    assert not said
    assert tally.tips > 15
    assert tally.several > 10
    assert tally.files > tally.tips


def last_frame(model: Model) -> str:
    """The rule that there was before."""
    return model.frames[-1].name


def last_that_moves(model: Model) -> str:
    """And the one that some verbs had instead."""
    return next(frame.name for frame in reversed(model.frames) if frame.name in moved_frames(model))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rule", "sentence"), [(last_frame, "does not move"), (last_that_moves, "joints beyond")]
)
def test_other_rules_are_found_out(
    rule, sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    models = [model for model in map(drawn, range(46)) if tip_or_none(model) is not None]
    monkeypatch.setattr(frames, "tip_or_none", rule)
    found = [fault for model in models for fault in faults(model, tmp_path, Tally())]
    assert any(sentence in fault for fault in found)


def test_a_file_that_loses_the_tip_is_found_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A writer that keeps quiet about a tip that somebody chose."""
    chosen = [
        replace(model, tip=name)
        for model in map(drawn, range(12))
        for name in moved_frames(model)
        if name != tip_or_none(model)
    ]
    write, read = frames.KINDS[".urdf"]
    monkeypatch.setattr(frames, "KINDS", {".urdf": (lambda model: (write(model)[0], []), read)})
    assert any(
        "nobody says so" in fault for model in chosen[:8] for fault in faults(model, tmp_path, Tally())
    )
