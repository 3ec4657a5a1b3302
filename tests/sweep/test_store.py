"""The folder of a sweep: files whole or not at all, receipts that tell the truth, one writer at a time."""

import errno
import json
import os

import pytest

from strobe.errors import ArgumentError, OutputError
from strobe.sweep.store import Store, receipt_of

FILES = {"data/a": b"first", "data/b": b"second"}


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "results")


def keep(store, index=0, files=FILES):
    store.keep(index, files, receipt_of(index, files, {"runs": 1}))


def test_a_chunk_is_done_when_its_receipt_stands(store):
    assert store.receipt(0) is None
    keep(store)
    assert store.receipt(0, hashes=True)["reductions"] == {"runs": 1}
    assert store.unfinished(3) == [1, 2]
    assert (store.folder / "data/b").read_bytes() == b"second"


@pytest.mark.parametrize("damage", ["", "{", "[]", "null", '{"files": {}}', "[" * 10**5])
def test_a_damaged_receipt_is_none(store, damage):
    keep(store)
    (store.folder / "receipts/000000.json").write_text(damage)
    assert store.unfinished(1) == [0]


def test_a_receipt_in_which_anything_was_changed_is_none(store):
    keep(store)
    path = store.folder / "receipts/000000.json"
    told = json.loads(path.read_text())
    for change in ({"files": {}}, {"reductions": {"runs": 2}}, {"reductions": None}, {"more": 0}):
        path.write_text(json.dumps(told | change))
        assert store.unfinished(1) == [0]
    path.write_text(json.dumps(told))
    assert store.unfinished(1) == []


def test_a_receipt_of_another_chunk_is_none(store):
    keep(store)
    (store.folder / "receipts/000001.json").write_bytes(
        (store.folder / "receipts/000000.json").read_bytes()
    )
    assert store.unfinished(2) == [1]


def test_a_file_that_is_gone_or_short_undoes_its_chunk(store):
    keep(store)
    (store.folder / "data/a").write_bytes(b"firs")
    assert store.unfinished(1) == [0]
    (store.folder / "data/a").unlink()
    assert store.unfinished(1) == [0]


def test_a_file_with_a_changed_byte_is_found_by_its_hash_alone(store):
    keep(store)
    (store.folder / "data/a").write_bytes(b"fIrst")
    assert store.unfinished(1) == []
    assert store.unfinished(1, hashes=True) == [0]


def test_only_receipts_of_damaged_chunks_are_taken_away(store):
    keep(store)
    keep(store, 1, {"data/c": b"third"})
    (store.folder / "data/c").write_bytes(b"thIrd")
    store.forget_damaged([0, 1, 2])
    assert store.unfinished(3) == [1, 2]


@pytest.mark.parametrize("fails", range(4))
def test_a_process_that_dies_while_writing_leaves_whole_files_and_no_receipt(store, monkeypatch, fails):
    keep(store, files={"data/a": b"old", "data/b": b"old"})
    (store.folder / "receipts/000000.json").unlink()
    moves, move = iter(range(10)), os.replace

    def dying(draft, target):
        if next(moves) == fails:
            raise KeyboardInterrupt
        move(draft, target)

    monkeypatch.setattr(os, "replace", dying)
    if fails < 3:
        with pytest.raises(KeyboardInterrupt):
            keep(store)
        assert store.receipt(0) is None
    else:
        keep(store)
        assert store.receipt(0, hashes=True) is not None
    assert {(store.folder / name).read_bytes() for name in FILES} <= {b"old", b"first", b"second"}
    assert list((store.folder / "drafts").iterdir()) == []


def test_drafts_of_the_dead_are_removed(store):
    keep(store)
    (store.folder / "drafts/abc").write_bytes(b"half")
    store.remove_drafts()
    assert list((store.folder / "drafts").iterdir()) == []


def test_a_full_disk_is_told_with_what_to_do(store, monkeypatch):
    def full(_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OutputError) as error:
        keep(store)
    assert str(error.value).startswith("cannot write ")
    assert str(error.value).endswith(
        "No space left on device. Make room and give the same command again: what is done stays."
    )
    assert store.unfinished(1) == [0]


def test_two_sweeps_do_not_write_into_one_folder(store):
    with (
        store.alone(),
        pytest.raises(
            OutputError, match="another sweep is writing into .*results. Wait until it has ended"
        ),
        Store(store.folder).alone(),
    ):
        pass
    with store.alone():
        pass


def test_a_folder_of_other_things_is_refused(tmp_path):
    (tmp_path / "thesis.tex").write_text("")
    with pytest.raises(
        OutputError, match=r'it holds other things \("thesis.tex"\) and no manifest.json of a sweep'
    ):
        Store(tmp_path).refuse_other_things()
    assert Store(tmp_path).manifest() is None


def test_a_file_in_the_place_of_the_folder_is_refused(tmp_path):
    (tmp_path / "results").write_text("")
    with pytest.raises(OutputError, match="results: it is a file. Name a folder."):
        Store(tmp_path / "results").refuse_other_things()
    with (
        pytest.raises(OutputError, match="cannot write .*deeper: Not a directory"),
        Store(tmp_path / "results" / "deeper").alone(),
    ):
        pass


@pytest.mark.parametrize("text", ["", "{", "[]", "3", '{"version": 1}', "\udcff", "[" * 10**5])
def test_a_damaged_manifest_is_told(store, text):
    store.folder.mkdir()
    (store.folder / "manifest.json").write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(ArgumentError, match="manifest.json is not the manifest of a sweep, or is damaged."):
        store.manifest()


def test_a_manifest_of_another_form_is_told(store):
    store.put("manifest.json", json.dumps({"version": 2}).encode())
    with pytest.raises(
        ArgumentError, match="is of form 2, and this strobe writes form 1. Go on with the strobe that"
    ):
        store.manifest()
