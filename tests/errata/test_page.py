"""The errata page and the errata tests tell the same story."""

import ast
import re
from pathlib import Path

HERE = Path(__file__).parent
PAGE = (HERE.parents[1] / "docs" / "errata.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| ([A-Z]\d+) \|(.*)\|$", PAGE, re.MULTILINE)


def written_tests():
    for path in HERE.glob("test_*.py"):
        if path.name != "test_page.py":
            tree = ast.parse(path.read_text(encoding="utf-8"))
            yield from (
                f.name for f in tree.body if isinstance(f, ast.FunctionDef) and f.name.startswith("test_")
            )


def test_every_row_of_the_page_names_a_test_and_every_test_is_on_the_page():
    named = re.findall(r"`(test_\w+)`", PAGE)
    assert sorted(named) == sorted(written_tests())
    assert all(re.search(r"`test_\w+`", row) for _, row in ROWS)


def test_every_erratum_is_there_once_as_a_row_or_stated():
    tested = [key for key, _ in ROWS]
    stated = re.findall(r"\*\*([A-Z]\d+)\*\*", PAGE)
    assert len(tested) == len(set(tested))
    for letter, count in {"E": 11, "T": 13, "W": 16, "A": 10, "S": 4}.items():
        known = {key for key in (*tested, *stated) if key[0] == letter}
        assert known == {f"{letter}{k + 1}" for k in range(count)}
