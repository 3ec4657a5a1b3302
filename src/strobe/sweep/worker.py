"""Where chunks are done: evaluated, encoded, and written by who computed them if the folder is within reach."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import strobe
from strobe.errors import StrobeError, SweepError
from strobe.sweep.evaluate import evaluate
from strobe.sweep.formats import Format, first_run, format_named
from strobe.sweep.plan import Plan, Work
from strobe.sweep.reductions import Reduced
from strobe.sweep.store import Files, Receipt, Store, receipt_of

MOST_DEATHS = 5  # of workers, under the same chunk


@dataclass(frozen=True, slots=True)
class Done:
    """A chunk that is done; with its files, if whoever asked for it has to write them."""

    index: int
    receipt: Receipt
    files: Files


class Workshop:
    """All that a worker needs to do any chunk of a sweep: plain words, which travel once."""

    def __init__(self, document: str, format: str, folder: str, token: str, version: str) -> None:
        self.document, self.format = document, format
        self.folder, self.token, self.version = folder, token, version

    def words(self) -> dict[str, str]:
        """What it is made of."""
        names = ("document", "format", "folder", "token", "version")
        return {name: getattr(self, name) for name in names}

    def __reduce__(self) -> Any:
        return type(self), tuple(self.words().values())

    @cached_property
    def plan(self) -> Plan:
        return Plan.from_document(json.loads(self.document))

    @cached_property
    def encoder(self) -> Format:
        return format_named(self.format)

    @cached_property
    def store(self) -> Store | None:
        """The folder, if this worker sees the same one."""
        store = Store(self.folder)
        try:
            manifest = store.manifest()
        except StrobeError:
            return None
        return store if manifest is not None and manifest["token"] == self.token else None

    def do(self, index: int) -> Done:
        """A chunk, unless it is done already."""
        if self.store is not None and (receipt := self.store.receipt(index)) is not None:
            return Done(index, receipt, {})
        if strobe.__version__ != self.version:
            raise SweepError(
                f"a worker has strobe {strobe.__version__}, and the sweep was begun with {self.version}. "
                "Install the same on all."
            )
        work = self.plan.work(index)
        try:
            return self._done(work)
        except StrobeError as error:  # its class may not travel
            raise SweepError(f"{named(work)}: {error}") from None

    def _done(self, work: Work) -> Done:
        rows = evaluate(self.plan, work)
        files = self.encoder.chunk(self.plan, work, rows)
        reduced = Reduced.of_each(rows, work.samples, first_run(self.plan, work))
        receipt = receipt_of(work.index, files, [each.data() for each in reduced])
        if self.store is None:
            return Done(work.index, receipt, files)
        self.store.keep(work.index, files, receipt)
        return Done(work.index, receipt, {})


def killer(work: Work) -> SweepError:
    """The error for a chunk under which workers die."""
    return SweepError(
        f"{named(work)} killed its worker {MOST_DEATHS} times. Memory may be short: "
        "take fewer runs a chunk, or fewer workers. The chunks that are done stay."
    )


def named(work: Work) -> str:
    """A chunk as a person finds it in the file."""
    first, last = work.cells[0], work.cells[-1]
    if first is last:
        chosen = "".join(f", {axis} {value}" for axis, value in first.chosen.items())
        which = f"{chosen}, samples {work.start:,} to {work.stop - 1:,}"
    else:
        which = f", combinations {first.row:,} to {last.row:,}"
    return f"chunk {work.index} (robot {work.robot}{which})"
