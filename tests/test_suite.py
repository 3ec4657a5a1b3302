"""What `make test` leaves to `make test-all` is no room, no law, no golden value and no verb, whatever the order."""

import ast
import re
from collections import Counter
from itertools import pairwise
from pathlib import Path
from random import Random
from types import SimpleNamespace

import pytest

from reliability.commands import verbs

HERE = Path(__file__).parent
PACKAGE = HERE.parent / "src" / "strobe"
FILES = {"list": "test_command.py"}  # where a verb is tried that has no file of its name


def functions(path: Path) -> list[tuple[str, bool]]:
    """Names of the tests of a file, and whether each is left out as a whole."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found = [
        node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name[:5] == "test_"
    ]
    whole = [
        text
        for text in map(ast.unparse, tree.body)
        if text.startswith("pytestmark") and "mark.slow" in text
    ]
    return [
        (node.name, bool(whole) or "pytest.mark.slow" in map(ast.unparse, node.decorator_list))
        for node in found
    ]


def quick(path: Path) -> bool:
    return not all(slow for _, slow in functions(path))


ROOMS = sorted(path.name for path in PACKAGE.iterdir() if (path / "__init__.py").exists())


@pytest.mark.parametrize("room", [*ROOMS, "laws", "golden", "peers", "records", "reliability", "security"])
def test_every_room_is_entered(room):
    assert any(map(quick, (HERE / room).rglob("test_*.py")))


@pytest.mark.parametrize("path", sorted((HERE / "laws").glob("test_*.py")), ids=lambda path: path.stem)
def test_every_law_is_tried(path):
    assert [name for name, slow in functions(path) if slow] == []


def test_every_golden_value_is_compared():
    assert [
        path for path in HERE.rglob("golden/*.py") if "mark.slow" in path.read_text(encoding="utf-8")
    ] == []


@pytest.mark.parametrize("verb", verbs())
def test_every_verb_is_called(verb):
    assert quick(HERE / "cli" / FILES.get(verb, f"test_{verb}.py"))


# -- the order --------------------------------------------------------------------------------------------


@pytest.fixture
def shuffled(request):
    return request.config.pluginmanager.get_plugin(str(HERE / "conftest.py")).shuffled


def test_a_seed_is_an_order_in_which_the_tests_of_a_file_stay_together(shuffled):
    items = [SimpleNamespace(path=f"{k // 10}.py", number=k) for k in range(100)]
    once, again, other = (shuffled(items, Random(seed)) for seed in ("1", "1", "2"))
    assert once == again
    assert len({tuple(item.number for item in order) for order in (items, once, other)}) == 3
    assert Counter(item.number for item in once) == Counter(range(100))
    assert sum(a.path != b.path for a, b in pairwise(once)) == 9


PAGES = sorted((HERE.parent / "docs").glob("*.md")) + sorted((HERE.parent / "docs/howto").glob("*.md"))
NAMING = (
    "Makefile",
    ".ci/run",
    "README.md",
    "CONTRIBUTING.md",
    *(p.relative_to(HERE.parent).as_posix() for p in PAGES),
)


@pytest.mark.parametrize("named_in", NAMING)
def test_every_file_and_folder_of_ours_that_is_named_is_there(named_in):
    text = (HERE.parent / named_in).read_text(encoding="utf-8")
    named = re.findall(r"(?<![\w/.-])(?:tests|reliability|benchmarks|examples|src)/[\w/.-]*\w", text)
    ours = [path for path in named if "my_" not in path]  # that is the reader's own
    assert [path for path in ours if not (HERE.parent / path).exists()] == []
