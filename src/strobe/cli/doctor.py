"""``strobe doctor``: a model file judged part by part, and a repaired one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from strobe.cli.exit_codes import CHECK_FAILED
from strobe.cli.first_page import ENDINGS
from strobe.cli.inputs import Force, Json
from strobe.cli.options import written_to

if TYPE_CHECKING:
    from strobe.models.doctor import Examination
    from strobe.models.repairs import Repaired

STYLES = {"serious": "bold red", "doubtful": "yellow", "note": "dim"}


def doctor(
    model: Annotated[
        str,
        typer.Argument(metavar="MODEL", help=f"A {ENDINGS.format('')} file, or a built-in robot."),
    ],
    output: Annotated[Path | None, written_to("Write the file with what can be mended safely.")] = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Judge a model file: every inertia, limit, frame, angle, coupling, name and mesh.

    \b
    serious    what is computed with it is wrong or not defined, or it cannot be read: exit code 1
    doubtful   it can hardly be meant
    note       worth knowing, harmless

    -o writes the file with what can be mended without guessing, each change told: inertias that no body has become
    the nearest that one has, right angles written with few digits get all of them, axes become unit vectors, revolute
    joints without limits continuous. The text of a URDF stays as it is but for these values; other formats are
    written anew.

    \b
    Examples:
      strobe doctor arm.urdf
      strobe doctor arm.urdf -o repaired.urdf
      strobe doctor arm.xacro --json
    """
    from strobe.cli.show import present
    from strobe.files.writing import refuse, writing
    from strobe.models.doctor import examine
    from strobe.models.writers import format_of

    if output is not None:
        format_of(output)
        refuse(output, inputs=[model], force=force)
    found = examine(model)
    mended = None if output is None or found.model is None else found.repaired().to(format_of(output))
    if mended is not None and output is not None:
        with writing(output, inputs=[model], force=force) as stream:
            stream.write(mended.text)
    present(_data(found, mended, output), _shown(found, mended, output), as_json)
    if found.serious:
        raise typer.Exit(CHECK_FAILED)


def _data(found: Examination, mended: Repaired | None, output: Path | None) -> dict[str, Any]:
    data: dict[str, Any] = {
        "model": found.name, "file": found.path, "serious": found.serious, "count": found.count, "links": found.links,
        "joints": found.joints, "moving": found.moving, "findings": [asdict(finding) for finding in found.findings],
    }  # fmt: skip
    if output is not None:
        data["output"] = None if mended is None else str(output)
    if mended is not None:
        data["repairs"] = [asdict(repair) for repair in mended.repairs]
        data["remarks"] = mended.remarks
        data["left"] = [asdict(finding) for finding in mended.left]
    return data


def _shown(found: Examination, mended: Repaired | None, output: Path | None) -> Iterator[Any]:
    from strobe.show.terminal import Pieces

    yield found.headline
    for group in found.groups:
        yield Pieces(
            [("  ", ""), (f"{group.severity}  ".ljust(10), STYLES[group.severity]), (str(group), "")]
        )
    if output is None:
        return
    yield ""
    if mended is None:
        yield f"{output} is not written: the file cannot be read. Mend what is called serious first."
        return
    yield f"{output}: " + (
        f"{len(mended.repairs)} changed" if mended.repairs else "nothing could be mended safely"
    )
    yield from (f"  {repair}" for repair in mended.repairs)
    yield from (f"  {remark}" for remark in mended.remarks)
    serious = sum(finding.severity == "serious" for finding in mended.left)
    if serious:
        yield f"  {serious} serious left"
