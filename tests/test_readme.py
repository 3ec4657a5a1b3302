"""What the README and the documentation show runs as shown."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def snippets(page: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), flags=re.S)


def test_the_readmes_snippet_has_twelve_lines_and_ends_in_rounding(capsys):
    (snippet,) = snippets("README.md")
    assert len(snippet.strip().splitlines()) == 12
    exec(compile(snippet, "README.md", "exec"), {})
    assert float(capsys.readouterr().out) < 1e-11


@pytest.mark.parametrize("page", ["docs/numbers.md", "docs/tour.md"])
def test_the_documentations_snippets_run(page):
    for snippet in snippets(page):
        exec(compile(snippet, page, "exec"), {})


def test_the_readmes_figures_are_the_newest_measured_rows():
    from benchmarks.readme import MARKED, table

    (quoted,) = MARKED.findall((ROOT / "README.md").read_text())
    assert quoted == table()
