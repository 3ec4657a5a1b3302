"""docs/reliability.md quotes the newest rows."""

from reliability import page


def test_the_page_quotes_the_newest_row_of_every_trial():
    assert page.table() in page.PAGE.read_text(encoding="utf-8")


def test_a_row_is_told_in_the_words_of_its_keys(monkeypatch):
    row = {
        "when": "2026-01-02T03:04:05+00:00", "cpu": "x", "cores": 2, "python": "3.11", "strobe": "1",
        "inputs": 1_000_000, "memory_growth_percent": 0.123456, "by_kind": {"a": 1}, "seed": 0, "failures": 0,
    }  # fmt: skip
    monkeypatch.setattr(page, "newest", lambda trial: [row] if trial == "soak" else [])
    assert page.table().splitlines()[2:] == [
        "| random calls from threads, the cache being damaged | 1,000,000 inputs, memory growth 0.1235 % "
        "| **0** | 2026-01-02, 2 cores, Python 3.11 |"
    ]


def test_where_nothing_ran_the_page_says_so(monkeypatch):
    monkeypatch.setattr(page, "newest", lambda trial: [])
    assert page.table() == "No trial has been recorded yet.\n"
