"""A short version of `reliability.commands`: commands that once failed, a few dozen others, and the trial itself."""

import os

import pytest

import strobe
from reliability.commands import BadEnd, Command, Commands, random_command, run
from reliability.readers import REGRESSIONS
from reliability.workers import place

FILES = sorted((REGRESSIONS / "command").glob("*.json"))
# an interrupt in a callback
UNHEARD = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")


@UNHEARD
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_command_that_once_failed_ends_as_it_should(path):
    assert run(Command.read(path.read_text())) in (0, 1, 2, 130)


@pytest.mark.slow
@UNHEARD
def test_random_commands_end_with_a_code_and_a_sentence():
    commands = Commands(seed=0)
    codes = [run(commands.command(k)) for k in range(40)]
    assert {0, 2} <= set(codes) <= {0, 1, 2, 130}


def test_a_command_is_kept_with_its_files():
    command = Command(("torque", "planar2", "log.csv"), {"log.csv": b"\0\xff"})
    assert Command.read(command.text()) == command


def test_no_word_names_a_place_outside_of_the_folder():
    from random import Random

    for number in range(300):
        for word in random_command(Random(number)).arguments:
            assert not word.startswith("/")
            assert ".." not in word


def test_an_exception_behind_an_exit_is_told_by_its_place(monkeypatch):
    monkeypatch.setattr("strobe.cli.list_robots.show_robots", lambda as_json: as_json.missing)
    with pytest.raises(BadEnd, match=r"exit code 70: AttributeError at list_robots\."):
        run(Command(("list",), {}))


def test_a_place_is_in_the_package_not_in_a_folder_of_its_name():
    theirs: dict = {}
    exec(compile("def given(x):\n    return x.missing", "/home/me/strobe/theirs.py", "exec"), theirs)
    with pytest.raises(AttributeError) as caught:
        strobe.trace(theirs["given"], x=1)
    assert place(caught.value).split(".")[0] != "theirs"


def test_a_command_leaves_the_folder_as_it_was():
    before = os.getcwd()
    assert run(Command(("list",), {"a.txt": b""})) == 0
    assert os.getcwd() == before
