"""Results and drawings in the files that were named for them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from strobe.cli.options import takes
from strobe.errors import ArgumentError

if TYPE_CHECKING:
    from strobe.simulate.sensors import Sensors


@dataclass(frozen=True)
class Drawing:
    """Where a figure goes, if one was asked for."""

    path: Path | None
    inputs: Sequence[str | Path]
    force: bool

    def check(self) -> None:
        """Refuse, before any work, a drawing that cannot or must not be written."""
        if self.path is None:
            return
        from strobe.files.writing import refuse

        if self.path.suffix.lower() != ".svg":
            raise ArgumentError(f"--plot {self.path}: a drawing is an .svg file.")
        refuse(self.path, inputs=self.inputs, force=self.force)

    def write(self, figure: Callable[[], str], what: str = "") -> dict[str, str]:
        """Draw it and say so; what is told as data."""
        if self.path is None:
            return {}
        from strobe.cli.show import note
        from strobe.files.writing import writing

        with writing(self.path, inputs=self.inputs, force=self.force) as stream:
            stream.write(figure())
        note(f"{what} drawn in {self.path}.".lstrip())
        return {"plot": str(self.path)}


SensorsWritten = Annotated[
    str | None,
    takes(
        "--sensors",
        "MAP",
        "Write what sensors would say: noise=0.2,step=2e-5,delay=0.004 (N m, rad, s), seed=1.",
    ),
]


def sensors_for(output: Path | None, said: str | None) -> Sensors | None:
    """The sensors that a file is written through, if any are said."""
    from strobe.simulate.sensors import sensors

    if said is None:
        return None
    if output is None:
        raise ArgumentError("--sensors is for what is written; give -o FILE too.")
    return sensors(said)


def write_run(
    run: Any, write: Callable[..., None], output: Path | None, inputs: Sequence[Any], force: bool
) -> dict[str, str]:
    """A run in its file, if one was named; what is told as data."""
    if output is None:
        return {}
    from strobe.cli.show import note

    write(run, output, inputs=inputs, force=force)
    note(f"{len(run.times):,} rows written to {output}.")
    return {"output": str(output)}
