"""What is written, and where: links, drafts, permissions, names with line breaks."""

import os
import re
from concurrent.futures import ThreadPoolExecutor

import pytest

import strobe
from strobe.errors import OutputError
from strobe.files.writing import write_folder, writing
from strobe.study.case import file_name


def test_a_draft_does_not_follow_a_link_that_lies_in_wait(tmp_path, monkeypatch):
    """Even who guesses the name of a draft does not get what it points to overwritten."""
    victim = tmp_path / "victim"
    victim.write_text("mine")
    monkeypatch.setattr("secrets.token_hex", lambda n: "00" * n)
    (tmp_path / "out.txt.00000000.part").symlink_to(victim)
    with pytest.raises(OSError, match="File exists|cannot write"), writing(tmp_path / "out.txt") as stream:
        stream.write("x")
    assert victim.read_text() == "mine"


def test_drafts_have_names_that_cannot_be_guessed(tmp_path):
    seen = set()
    for _ in range(20):
        with writing(tmp_path / "out.txt", force=True):
            seen |= {name for name in os.listdir(tmp_path) if name.endswith(".part")}
    assert len(seen) == 20
    assert all(re.fullmatch(r"out\.txt\.[0-9a-f]{8}\.part", name) for name in seen)


def test_a_link_is_written_through_only_by_force(tmp_path):
    victim = tmp_path / "victim"
    victim.write_text("mine")
    (tmp_path / "out.txt").symlink_to(victim)
    with pytest.raises(OutputError, match="it exists"), writing(tmp_path / "out.txt") as stream:
        stream.write("x")
    assert victim.read_text() == "mine"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names on this system")
@pytest.mark.parametrize("force", [False, True])
def test_a_pipe_that_nobody_reads_is_not_waited_for(force, tmp_path):
    os.mkfifo(tmp_path / "out.csv")
    with (
        pytest.raises(OutputError, match=r"^cannot write .*out\.csv: it is a pipe that nobody reads"),
        writing(tmp_path / "out.csv", force=force) as stream,
    ):
        stream.write("x")


@pytest.mark.skipif(not os.path.exists("/dev/fd/0"), reason="no /dev/fd on this system")
def test_a_pipe_that_somebody_reads_is_written_to_whole():
    """As a shell gives it in ``-o >(command)``: a link that leads to no name."""
    inwards, outwards = os.pipe()
    text = "0123456789" * 30_000  # more than a pipe holds
    with ThreadPoolExecutor() as threads, open(inwards, encoding="utf-8") as end:
        read = threads.submit(end.read)
        try:
            with writing(f"/dev/fd/{outwards}") as stream:
                stream.write(text)
        finally:
            os.close(outwards)
        assert read.result(timeout=20) == text


@pytest.mark.parametrize("to", ["missing", "../elsewhere/new.txt", "own.txt"])
def test_a_link_that_leads_nowhere_is_not_written_through(to, tmp_path):
    """A new file would come where the link points: to the place of somebody else."""
    place = tmp_path / "here"
    place.mkdir()
    (tmp_path / "elsewhere").mkdir()
    (place / "out.txt").symlink_to(to)
    with (
        pytest.raises(OutputError, match=r"will not write through the link .*out\.txt to .*Choose another"),
        writing(place / "out.txt") as stream,
    ):
        stream.write("x")
    with pytest.raises(OutputError, match="will not write through the link"):
        write_folder(place, {"out.txt": "x"})
    assert not (place / "out.txt").exists()
    with writing(place / "out.txt", force=True) as stream:
        stream.write("x")
    assert (place / to).read_text() == "x"


@pytest.mark.parametrize("name", ["a\udcff.txt", "a\0.txt"])
def test_a_name_that_no_text_can_repeat_is_refused_before_anything_is_made(name, tmp_path):
    refusal = "the name is not UTF-8|a name with a NUL"
    with pytest.raises(OutputError, match=refusal), writing(f"{tmp_path}/{name}"):
        pass
    with pytest.raises(OutputError, match=refusal):
        write_folder(f"{tmp_path}/{name}", {"a.txt": "x"})
    assert not os.listdir(tmp_path)


def test_files_have_the_permissions_that_the_user_has_chosen(tmp_path):
    before = os.umask(0o077)
    try:
        with writing(tmp_path / "own.txt") as stream:
            stream.write("x")
        write_folder(tmp_path / "made", {"a.txt": "x"})
    finally:
        os.umask(before)
    assert (tmp_path / "own.txt").stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "made").stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "made" / "a.txt").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    "name",
    [
        "../../etc/x",
        "/etc/x",
        "..",
        ".bashrc",
        "a\nb",
        "a/b\\c",
        "\x00",
        "-rf",
        "con: nul",
        "NUL",
        "com1.x",
    ],
)
def test_a_report_named_after_a_robot_stays_in_its_folder(name):
    made = file_name(name)
    assert "/" not in made
    assert "\\" not in made
    assert not made.startswith((".", "-"))
    assert made.split(".")[0].lower() not in ("con", "nul", "com1")
    assert made.isprintable()


def test_exported_files_are_named_by_letters(tmp_path):
    from dataclasses import replace

    robot = strobe.Robot(replace(strobe.load("planar2").model, name="../../x\n; rm -rf $HOME"))
    robot.export("gravity", tmp_path / "out")
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert all(re.fullmatch(r"[A-Za-z0-9_.]+", path.name) for path in (tmp_path / "out").iterdir())


def test_a_file_whose_name_has_a_line_break_is_named_on_one_line(tmp_path, capsys):
    from strobe.cli.exit_codes import leave

    with pytest.raises(SystemExit):
        leave(lambda: strobe.load(tmp_path / "a\x1b[2Jb.urdf"))
    assert "\x1b" not in capsys.readouterr().err
