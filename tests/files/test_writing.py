"""Files appear whole or not at all, and never over an input."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from strobe.errors import ArgumentError, OutputError
from strobe.files.reading import read_bytes, suffix_of
from strobe.files.writing import refuse, refuse_folder, write_folder, writing


def write(path: Path, text: str = "new", **options: object) -> None:
    with writing(path, **options) as stream:  # pyright: ignore[reportArgumentType]
        stream.write(text)


def test_a_new_file_holds_what_was_written_and_nothing_lies_beside_it(tmp_path: Path) -> None:
    write(tmp_path / "out.csv", "a,b\n1,2\n")
    assert (tmp_path / "out.csv").read_bytes() == b"a,b\n1,2\n"
    assert os.listdir(tmp_path) == ["out.csv"]


def test_the_file_appears_only_when_the_block_ends(tmp_path: Path) -> None:
    with writing(tmp_path / "out.csv") as stream:
        stream.write("half")
        assert not (tmp_path / "out.csv").exists()
    assert (tmp_path / "out.csv").exists()


def test_a_failure_leaves_the_old_file_and_no_draft(tmp_path: Path) -> None:
    target = tmp_path / "out.csv"
    target.write_text("old")

    def fail() -> None:
        with writing(target, force=True) as stream:
            stream.write("new")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert target.read_text() == "old"
    assert os.listdir(tmp_path) == ["out.csv"]


def test_a_folder_that_takes_no_files_is_said_before_anything_is_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda folder, mode: folder != str(tmp_path))
    with pytest.raises(
        OutputError, match=r"^cannot write .*out\.csv: the folder .* may not be written to\. Choose"
    ):
        refuse(tmp_path / "out.csv")
    refuse(os.devnull)  # a device is not replaced, but written to


@pytest.mark.parametrize("refused", ["fsync", "replace"])
def test_a_full_disk_is_said_with_the_name_of_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refused: str
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, refused, full)
    with pytest.raises(OutputError, match=r"cannot write .*out\.csv: No space left on device\."):
        write(tmp_path / "out.csv")
    assert os.listdir(tmp_path) == []


def test_a_refusal_of_another_file_keeps_its_own_name(tmp_path: Path) -> None:
    def read_while_writing() -> None:
        with writing(tmp_path / "out.csv"):
            (tmp_path / "in.csv").read_text()

    with pytest.raises(FileNotFoundError, match=r"in\.csv"):
        read_while_writing()
    assert os.listdir(tmp_path) == []


def test_an_existing_file_is_replaced_only_by_force(tmp_path: Path) -> None:
    target = tmp_path / "out.csv"
    target.write_text("old")
    with pytest.raises(OutputError, match=r"will not replace .*out\.csv: it exists.*--force"):
        write(target)
    assert target.read_text() == "old"
    write(target, force=True)
    assert target.read_text() == "new"


@pytest.mark.parametrize("alias", ["symlink", "hard link", "dots"])
def test_an_input_is_never_written_whatever_its_name(tmp_path: Path, alias: str) -> None:
    source = tmp_path / "in.csv"
    source.write_text("data")
    target = tmp_path / "other.csv"
    if alias == "symlink":
        target.symlink_to(source)
    elif alias == "hard link":
        target.hardlink_to(source)
    else:
        target = tmp_path / ".." / tmp_path.name / "in.csv"
    with pytest.raises(OutputError, match="it is the input"):
        write(target, inputs=[source], force=True)
    assert source.read_text() == "data"


def test_a_link_stays_a_link_and_its_target_is_written(tmp_path: Path) -> None:
    (tmp_path / "real.csv").write_text("old")
    (tmp_path / "link.csv").symlink_to("real.csv")
    write(tmp_path / "link.csv", force=True)
    assert (tmp_path / "link.csv").is_symlink()
    assert (tmp_path / "real.csv").read_text() == "new"


def test_a_missing_folder_and_a_folder_are_named(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match=r"the folder .*nowhere does not exist"):
        write(tmp_path / "nowhere" / "out.csv")
    with pytest.raises(OutputError, match="it is a folder"):
        write(tmp_path)


@pytest.mark.skipif(not os.path.exists("/dev/null"), reason="no /dev/null on this system")
def test_a_device_is_written_to_and_not_replaced() -> None:
    write(Path("/dev/null"))
    assert not os.path.isfile("/dev/null")


def test_the_new_file_has_the_permissions_of_any_new_file(tmp_path: Path) -> None:
    (tmp_path / "plain").write_text("")
    write(tmp_path / "out.csv")
    assert (tmp_path / "out.csv").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_a_folder_of_text_and_bytes_is_made(tmp_path: Path) -> None:
    written = write_folder(tmp_path / "a" / "b", {"x.txt": "\u00e9\n", "y.o": b"\x7f\x00"})
    assert written == [tmp_path / "a" / "b" / "x.txt", tmp_path / "a" / "b" / "y.o"]
    assert [file.read_bytes() for file in written] == [b"\xc3\xa9\n", b"\x7f\x00"]


def test_no_file_of_a_folder_is_written_if_one_may_not_be(tmp_path: Path) -> None:
    (tmp_path / "second").write_text("mine")
    with pytest.raises(OutputError, match="will not replace .*second: it exists"):
        write_folder(tmp_path, {"first": "a", "second": "b"})
    assert os.listdir(tmp_path) == ["second"]


def test_a_folder_that_holds_files_or_is_one_is_refused(tmp_path: Path) -> None:
    refuse_folder(tmp_path / "new")
    refuse_folder(tmp_path)
    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(OutputError, match="cannot write into .*file: it is a file. Name a folder."):
        refuse_folder(file)
    with pytest.raises(OutputError, match="it holds files. Name a new folder, or add --force."):
        refuse_folder(tmp_path)
    refuse_folder(tmp_path, force=True)


@pytest.mark.parametrize("path", [None, 1, b"name", [], 3.5, object])
def test_what_is_no_path_is_told_wherever_something_is_read_or_written(path):
    for use in (read_bytes, suffix_of, refuse, refuse_folder, lambda path: write_folder(path, {})):
        with pytest.raises(ArgumentError, match="is no path; expected the name of a file or of a folder"):
            use(path)


def test_force_is_true_or_false(tmp_path):
    for use in (refuse, refuse_folder):
        with pytest.raises(ArgumentError, match=r"^force is \[1\]; expected True or False"):
            use(tmp_path / "new", force=[1])
