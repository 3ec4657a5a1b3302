"""Poisoned cache entries: machine code that others could have put there is not run."""

import hashlib
import os

import numpy as np
import pytest

import strobe
from strobe.compiler.runtime import cache, jit
from strobe.errors import CacheWarning

ARM = strobe.load("planar2").model

# leaves results as they lie in memory
POISON = "define void @loop(ptr %a, ptr %b, ptr %c, ptr %d) { ret void }"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("STROBE_CACHE", str(tmp_path / "kept"))
    for known in (cache._folder, cache._complain):
        known.cache_clear()
    yield tmp_path / "kept"
    for known in (cache._folder, cache._complain):
        known.cache_clear()


def torques() -> np.ndarray:
    return strobe.Robot(ARM).inverse_dynamics(*np.full((3, 5, 2), 0.3))


def poisoned(path) -> bytes:
    """Another kernel's code with the digest that belongs to this name."""
    content = (100).to_bytes(8, "little") + jit.emit_object(POISON)
    return hashlib.sha256(path.stem.encode() + content).digest() + content


def test_machine_code_under_the_right_name_without_its_digest_is_not_run(folder):
    expected = torques()
    for path in folder.glob("*.o"):
        path.write_bytes(bytes(32) + poisoned(path)[32:])
    assert (torques() == expected).all()


def test_one_bit_of_machine_code_is_enough_to_make_it_again(folder):
    expected = torques()
    for path in folder.glob("*.o"):
        data = bytearray(path.read_bytes())
        data[-100] ^= 1
        path.write_bytes(data)
    assert (torques() == expected).all()


@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
def test_an_entry_that_others_may_write_is_not_run_even_where_its_digest_is_right(folder, mode):
    expected = torques()
    for path in folder.glob("*.o"):
        path.write_bytes(poisoned(path))
        path.chmod(mode)
    assert (torques() == expected).all()


@pytest.mark.skipif(os.getuid() != 0, reason="only root gives files away")
def test_an_entry_of_someone_else_is_not_run(folder):
    expected = torques()
    for path in folder.glob("*.o"):
        path.write_bytes(poisoned(path))
        os.chown(path, 12345, -1)
    assert (torques() == expected).all()


@pytest.mark.parametrize("mode", [0o777, 0o770, 0o722])
def test_a_folder_that_others_may_write_to_is_not_used(tmp_path, folder, mode):
    folder.mkdir()
    folder.chmod(mode)
    with pytest.warns(CacheWarning, match="belongs to someone else or others may write to it"):
        torques()
    assert not list(folder.iterdir())


@pytest.mark.skipif(os.getuid() != 0, reason="only root gives folders away")
def test_a_folder_of_someone_else_is_not_used(folder):
    folder.mkdir(mode=0o700)
    os.chown(folder, 12345, -1)
    with pytest.warns(CacheWarning, match="belongs to someone else"):
        torques()
    assert not list(folder.iterdir())


def test_folder_and_entries_are_for_the_user_alone_whatever_the_umask(folder):
    before = os.umask(0)
    try:
        torques()
    finally:
        os.umask(before)
    assert folder.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o600}


def test_what_a_robot_is_called_does_not_name_a_file(folder):
    """Entries are named by digests: a name cannot lead out of the folder."""
    from dataclasses import replace

    strobe.Robot(replace(ARM, name="../../evil")).inverse_dynamics(*np.full((3, 5, 2), 0.3))
    assert all(len(path.stem) == 64 for path in folder.iterdir())
    assert not list(folder.parent.parent.glob("evil*"))
