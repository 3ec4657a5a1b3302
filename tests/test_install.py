"""What is installed has one name, wherever it is written, and extras that are what they say."""

import re
import subprocess
import tomllib
from pathlib import Path

import pytest

from strobe.errors import DISTRIBUTION, MissingExtraError

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
TENSORS = {"torch", "jax"}  # large, and brought by those whose tensors they are
WORKSHOP = {"bench", "cuda", "fuzz", "docs", "test"}  # of those who work on Strobe
OTHERS = re.compile(r"pip install[^\n`]*?['\"` ]strobe(?!-dynamics)\b|['\"` ]strobe\[")


def texts():
    """Every text of the project, by its path."""
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout.split("\0")
    if listed == [""]:
        pytest.skip("no list of files: git does not know this folder")
    for name in listed:
        path = ROOT / name
        if path.suffix in {".md", ".py", ".toml", ".txt", ""} and path.is_file():
            yield name, path.read_text(encoding="utf-8", errors="replace")


def test_nothing_is_said_to_be_installed_under_another_name():
    own = Path(__file__).relative_to(ROOT).as_posix()
    assert [name for name, text in texts() if name != own and OTHERS.search(text)] == []


@pytest.mark.parametrize(
    "text",
    ["pip install strobe", "`pip install 'strobe[mjcf]'`", 'pip install -U "strobe[all]"', "'strobe[gym]'"],
)
def test_the_search_finds_the_old_name(text):
    assert OTHERS.search(text)


@pytest.mark.parametrize(
    "text",
    ['pip install "strobe-dynamics[all]"', "pip install strobe-dynamics", "from the command `strobe`"],
)
def test_and_leaves_the_new_one_alone(text):
    assert not OTHERS.search(text)


def test_errors_name_what_is_installed():
    assert PROJECT["name"] == DISTRIBUTION == "strobe-dynamics"
    said = str(MissingExtraError("this", "that", "mjcf"))
    assert (
        said == 'this needs the package that, which is not installed: pip install "strobe-dynamics[mjcf]"'
    )


def test_the_extra_all_is_every_extra_of_a_user():
    (everything,) = EXTRAS["all"]
    name, _, listed = everything.rstrip("]").partition("[")
    assert name == DISTRIBUTION
    assert set(listed.split(",")) == set(EXTRAS) - WORKSHOP - TENSORS - {"all"}
