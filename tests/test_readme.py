"""What the README shows runs as shown."""

import re
from pathlib import Path

import pytest

import strobe
from strobe.analysis.counts import Operations, compiled, cost
from strobe.formulations import FORMULATIONS

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_readmes_snippet_has_twelve_lines_and_ends_in_rounding(capsys):
    (snippet,) = re.findall(r"```python\n(.*?)```", README, flags=re.S)
    assert len(snippet.strip().splitlines()) == 12
    exec(compile(snippet, "README.md", "exec"), {})
    assert float(capsys.readouterr().out) < 1e-11


SESSIONS = re.findall(r"```console\n\$ strobe (.*?)\n(.*?)```", README, flags=re.S)


@pytest.mark.parametrize(
    ("command", "excerpt"), SESSIONS, ids=[command.split()[0] for command, _ in SESSIONS]
)
def test_the_readmes_excerpts_are_made_of_lines_of_the_real_output(command, excerpt, capsys):
    from strobe.cli.app import app

    with pytest.raises(SystemExit):
        app(command.split())
    printed = capsys.readouterr().out.splitlines()
    assert [line for line in excerpt.splitlines() if line not in printed] == []


def test_the_readmes_counts_are_those_of_the_stanford_arm():
    model = strobe.load("stanford").model
    rows = dict(re.findall(r"^\| ([\w-]+) \| (\d.*) \|$", README.split("<!-- measured -->")[0], flags=re.M))
    assert len(rows) == 5
    for name, counts in rows.items():
        price = cost(FORMULATIONS[name], model)
        assert counts == " | ".join(pair(x) for x in (price.dense, price.folded, price.optimised))
    assert f"| what a call runs (regrouped) | | | {pair(compiled(model))} |" in README


def pair(operations: Operations) -> str:
    return f"{operations.multiplications:,} × {operations.additions:,} +"


def test_the_readme_is_short():
    assert len(README.splitlines()) <= 150


def test_figures_of_the_readme_and_of_its_page_are_the_newest_measured_rows():
    from benchmarks.readme import HEADLINES, MARKED, headlines, tables

    assert MARKED.findall(README) == [headlines()]
    assert len(headlines().splitlines()) == 4 + len(HEADLINES) == 12  # which machine, and the table's head
    assert MARKED.findall((ROOT / "docs" / "measured.md").read_text(encoding="utf-8")) == [tables()]
