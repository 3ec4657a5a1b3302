"""A sweep from its file to its folder: begun, gone on with, or found done."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from os import PathLike
from typing import Any

from strobe.errors import ArgumentError, MissingExtraError, OutputError, shown
from strobe.models.arguments import is_whole, require_text, require_truth
from strobe.show.json_text import json_text
from strobe.sweep.formats import format_named
from strobe.sweep.local_workers import By, by_processes, by_threads
from strobe.sweep.manifest import Manifest, manifest_for, refuse_another
from strobe.sweep.plan import Plan
from strobe.sweep.progress import Progress, Timed
from strobe.sweep.reading import read_plan
from strobe.sweep.result import Sweep, summary_of
from strobe.sweep.store import MANIFEST, SUMMARY, Store
from strobe.sweep.worker import Done, Workshop

Watch = Callable[[Progress], None]
MOST_WORKERS = 10_000
ROUNDS = 3  # in which all chunks are done, unless something takes files away


def sweep(
    what: str | PathLike[str] | Mapping[str, Any] | Plan,
    out: str | PathLike[str],
    *,
    workers: int | None = None,
    processes: bool = True,
    scheduler: str | None = None,
    format: str | None = None,
    verify: bool = False,
    watch: Watch | None = None,
) -> Sweep:
    """Do all runs of a sweep file (or of a mapping like one) into a folder, and give them back as a `Sweep`.

    Called again on the same folder it goes on with what is left; ``verify`` also reads all data and does again what
    is damaged. The chunks are shared by ``workers`` processes, one for each processor if not given, by threads with
    ``processes=False``, or by the workers of the Dask ``scheduler`` at an address; 0 workers do them in this
    process. ``format`` is "zarr" (if not given) or "parquet". ``watch`` is called with a `Progress` after each chunk.
    """
    plan = read_plan(what)
    for name, value in (("processes", processes), ("verify", verify)):
        require_truth(name, value)
    if watch is not None and not callable(watch):
        raise ArgumentError(f"watch is {shown(watch)}; expected a function of the progress.")
    doing = _who(workers, processes, scheduler)
    store = Store(out)
    _refuse(store, plan, format)
    with store.alone():
        manifest = _begun(store, plan, format)
        _do_all(store, plan, manifest, doing, verify, watch)
        store.remove_drafts()
        _summarise(store, plan)
    return Sweep(out)


def _who(workers: int | None, processes: bool, scheduler: str | None) -> By:
    """Who does the chunks that are asked for."""
    if scheduler is not None and workers is not None:
        raise ArgumentError("a scheduler has its own workers: give workers or a scheduler, not both.")
    count = number_of(workers)
    if scheduler is not None:
        return _of_cluster(
            require_text("scheduler", scheduler, "an address such as tcp://192.168.0.7:8786")
        )
    if count == 0:
        return _here
    return by_processes(count) if processes else by_threads(count)


def _of_cluster(scheduler: str) -> By:
    try:
        from strobe.sweep import dask_cluster
    except ImportError as error:
        if (error.name or "").split(".")[0] not in ("dask", "distributed"):
            raise
        raise MissingExtraError("a sweep by a scheduler", "distributed", "scale") from None
    return dask_cluster.crew(scheduler)


def _here(workshop: Workshop, pending: Sequence[int]) -> Generator[Done]:
    yield from map(workshop.do, pending)


def number_of(workers: int | None) -> int:
    """How many workers there will be: one for each processor if nothing is said."""
    if workers is None:
        return _processors()
    if not is_whole(workers, 0) or workers > MOST_WORKERS:
        raise ArgumentError(
            f"workers is {shown(workers)}; expected 0 (this process alone) to {MOST_WORKERS:,}."
        )
    return int(workers)


def _processors() -> int:
    usable = getattr(os, "sched_getaffinity", None)
    return len(usable(0)) if usable else os.cpu_count() or 1


def _refuse(store: Store, plan: Plan, format: str | None) -> Manifest | None:
    """What a folder holds of this sweep; anything else is refused, before the folder is touched."""
    format_named("zarr" if format is None else format)
    known = store.manifest()
    if known is None:
        store.refuse_other_things()
    else:
        refuse_another(known, plan, format, store.name)
    return known


def _begun(store: Store, plan: Plan, format: str | None) -> Manifest:
    """The manifest of the folder, which is made if it is new; with the files that stand before any chunk."""
    manifest = _refuse(store, plan, format)
    if manifest is None:
        manifest = manifest_for(plan, format or "zarr")
        store.put(MANIFEST, json_text(manifest).encode())
    for name, content in format_named(manifest["format"]).opening(plan).items():
        if not store.holds(name, content):
            store.put(name, content)
    return manifest


def _do_all(
    store: Store, plan: Plan, manifest: Manifest, doing: By, verify: bool, watch: Watch | None
) -> None:
    """Every chunk, and a look at the end that all of them stand."""
    workshop = Workshop(
        json.dumps(manifest["plan"]),
        manifest["format"],
        str(store.folder),
        manifest["token"],
        manifest["strobe"],
    )
    pending = store.unfinished(plan.chunks, hashes=verify)
    for _ in range(ROUNDS):
        if not pending:
            return
        store.forget_damaged(pending)
        with closing(doing(workshop, pending)) as results:
            _do(store, plan, results, pending, watch)
        pending = store.unfinished(plan.chunks)
    if pending:
        raise OutputError(
            f"chunk {pending[0]} was written into {store.name} and is not there. "
            "Does something else change the folder?"
        )


def _do(store: Store, plan: Plan, results: Iterator[Done], pending: list[int], watch: Watch | None) -> None:
    left = sum(plan.work(index).runs for index in pending)
    timed = Timed(plan.chunks - len(pending), plan.chunks, plan.runs - left, plan.runs)
    for done in results:
        if done.files:
            store.keep(done.index, done.files, done.receipt)
        if watch is not None:
            watch(timed.after(plan.work(done.index).runs))


def _summarise(store: Store, plan: Plan) -> None:
    text = json_text(summary_of(plan, store)).encode()
    if not store.holds(SUMMARY, text):
        store.put(SUMMARY, text)
