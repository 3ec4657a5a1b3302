"""Texts and tables as a terminal shows them: as rich draws them, styled where that is seen, harmless always."""

from __future__ import annotations

import io

import pytest

from strobe.show.tables import table
from strobe.show.terminal import Column, Pieces, Table, Text, write

HOSTILE = "\x1b[31mred\x07"


class Stream(io.StringIO):
    def __init__(self, terminal: bool = False, encoding: str = "utf-8") -> None:
        super().__init__()
        self.terminal, self.named = terminal, encoding

    @property
    def encoding(self) -> str:
        return self.named

    def isatty(self) -> bool:
        return self.terminal


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)


def written(*parts: object, terminal: bool = False, encoding: str = "utf-8") -> str:
    stream = Stream(terminal, encoding)
    write(parts, stream)
    return stream.getvalue()


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_a_table_is_drawn_as_rich_draws_it(encoding: str) -> None:
    box = pytest.importorskip("rich.box")
    from rich.console import Console
    from rich.table import Table as RichTable
    from rich.text import Text as RichText

    columns = [
        ("joint", "left", ["elbow", "手首", "", "a\nb", "é"]),
        ("q (rad)", "right", ["0", "-12.5", "1e-9", "", "x"]),
        ("", "left", ["", "", "", "", ""]),
        ("last", "left", ["in order", "ϕ̇", "three", "4", "5" * 200]),
    ]
    theirs = RichTable(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="bold")
    for name, side, _ in columns:
        theirs.add_column(name, justify=side, overflow="fold")
    for row in zip(*(cells for *_, cells in columns), strict=True):
        theirs.add_row(*map(RichText, row))
    stream = Stream(encoding=encoding)
    Console(file=stream, width=10_000, highlight=False, markup=False, soft_wrap=True).print(theirs)
    ours = Table([Column(name, cells, side) for name, side, cells in columns])
    assert written(ours, encoding=encoding) == stream.getvalue()


def test_numbers_stand_to_the_right_and_nothing_is_cut() -> None:
    name = "x" * 3000
    head, rule, first, second = written(table(["n", name], [[1, "a"], [1000, "b"]])).splitlines()
    assert head == f"    n   {name}"
    assert rule == "─" * len(head)
    assert (first.rstrip(), second.rstrip()) == ("    1   a", "1,000   b")


def test_styles_are_for_terminals(monkeypatch: pytest.MonkeyPatch) -> None:
    title, line = Text("title\nmore", style="bold cyan"), Pieces([("a", "red"), ("b", ""), ("c", "dim")])
    assert written(title, line) == "title\nmore\nabc\n"
    styled = "\x1b[1;36mtitle\x1b[0m\n\x1b[1;36mmore\x1b[0m\n\x1b[31ma\x1b[0mb\x1b[2mc\x1b[0m\n"
    assert written(title, line, terminal=True) == styled
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert written(title, line) == styled
    monkeypatch.setenv("NO_COLOR", "1")
    assert written(title, line) == "\x1b[1mtitle\x1b[0m\n\x1b[1mmore\x1b[0m\nab\x1b[2mc\x1b[0m\n"
    monkeypatch.setenv("TERM", "dumb")
    assert written(title, line, terminal=True) == "title\nmore\nabc\n"


def test_what_a_terminal_would_obey_is_written_out_and_counts_as_it_is_written() -> None:
    shown = "\\x1b[31mred\\x07"
    assert written(HOSTILE, Text(HOSTILE), Pieces([(HOSTILE, "")])) == f"{shown}\n" * 3
    head, rule, row = written(table([HOSTILE, "b"], [["a", HOSTILE]])).splitlines()
    assert head == f"{shown}   b{' ' * (len(shown) - 1)}"
    assert row == f"a{' ' * (len(shown) - 1)}   {shown}"
    assert len(rule) == len(head)
