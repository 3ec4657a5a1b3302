"""The rule of the recommendation on made-up numbers: what it names, what it says, and what beats what."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from strobe.approximate.recommendation import (
    by_work,
    chosen,
    in_bytes,
    in_time,
    on_tables,
    pareto,
    percent,
    recommendation,
    rule,
)


@dataclass(frozen=True)
class Made:
    """A method with the numbers that a test gives it."""

    name: str
    memory: int
    ns: float | None
    error: float
    family: str = "leaving out"
    work: int = 0


def table(*rows: Made) -> dict[str, Made]:
    return {row.name: row for row in rows}


EXACT = Made("exact", 160, 10.0, 0.0, "exact", 235)


def test_the_fastest_that_is_good_enough_is_taken():
    rows = table(EXACT, Made("a", 500, 5.0, 0.009), Made("b", 50, 7.0, 0.001), Made("c", 1, 1.0, 0.02))
    assert chosen(rows.values(), 0.01).name == "a"
    assert recommendation(rows, 0.01) == (
        "Take a: 5 ns a state and 500 bytes, where the exact torques take 10 ns and 160 bytes; it is wrong by at "
        "most 0.9 % of a joint's largest torque."
    )


def test_with_a_wider_tolerance_another_one_is_taken():
    rows = table(EXACT, Made("a", 500, 5.0, 0.009), Made("c", 1, 1.0, 0.02))
    assert chosen(rows.values(), 0.02).name == "c"
    assert chosen(rows.values(), 0.001).name == "exact"


def test_the_exact_torques_are_taken_where_nothing_is_faster_by_more_than_the_noise():
    rows = table(EXACT, Made("a", 1, 8.5, 0.001))
    assert chosen(rows.values(), 0.01).name == "exact"
    assert recommendation(rows, 0.01) == (
        "Take the exact torques: 10 ns a state and 160 bytes; the fastest approximation within 1 %, a, takes 8.5 ns."
    )
    faster = table(EXACT, Made("a", 1, 8.0, 0.001))
    assert chosen(faster.values(), 0.01).name == "a"


def test_where_no_approximation_is_good_enough_that_is_said():
    assert recommendation(table(EXACT, Made("a", 1, 1.0, 0.5)), 0.01) == (
        "Take the exact torques: 10 ns a state and 160 bytes; no approximation that was looked at stays within 1 % "
        "of every joint's largest torque."
    )


def test_among_those_as_fast_the_one_with_least_memory_is_taken_then_the_least_error():
    rows = table(EXACT, Made("a", 500, 5.0, 0.001), Made("b", 50, 5.9, 0.009), Made("c", 50, 5.8, 0.002))
    assert chosen(rows.values(), 0.01).name == "c"


def test_a_budget_keeps_out_what_takes_more_even_the_exact_torques():
    rows = table(EXACT, Made("a", 500, 5.0, 0.001), Made("b", 50, 9.0, 0.009))
    assert chosen(rows.values(), 0.01, 100).name == "b"
    assert chosen(rows.values(), 0.01, 10) is None
    assert recommendation(rows, 0.01, 10) == (
        "Nothing that was looked at stays within 1 % of every joint's largest torque in 10 bytes; nearest is exact, "
        "with 0 % and 160 bytes."
    )


def test_a_method_without_a_time_is_neither_recommended_nor_compared():
    rows = table(EXACT, Made("a", 1, None, 0.0))
    assert chosen(rows.values(), 0.01).name == "exact"
    assert pareto(rows.values()) == ["exact"]


def test_the_rule_is_stated_with_its_numbers():
    assert rule(0.005, 64_000) == (
        "of the methods whose error stays within 0.5 % of every joint's largest torque and whose memory stays within "
        "64 kB, the fastest; the exact torques where nothing else is faster by a factor of 1.2; among methods as "
        "fast as that, the one with the least memory, then the least error."
    )


def test_a_method_is_beaten_by_one_that_is_as_good_in_all_and_better_in_one():
    rows = [
        EXACT,
        Made("beaten", 160, 11.0, 0.1),
        Made("small", 10, 99.0, 0.1),
        Made("fast", 999, 1.0, 0.3),
        Made("also small", 10, 99.0, 0.2),
    ]
    assert pareto(rows) == ["exact", "small", "fast"]


def test_two_that_are_alike_do_not_beat_each_other():
    assert pareto([Made("a", 1, 1.0, 0.1), Made("b", 1, 1.0, 0.1)]) == ["a", "b"]


@pytest.mark.parametrize(
    ("ns", "sentence"),
    [
        (
            15.1,
            "Tables no longer pay: the fastest of them, t, takes 1.51 times as long as the exact torques (15.1 ns "
            "for 10 ns) and holds 1 MB.",
        ),
        (
            15.0,
            "Tables keep up: the fastest of them, t, takes 1.5 times as long as the exact torques (15 ns for 10 ns).",
        ),
        (
            2500.0,
            "Tables no longer pay: the fastest of them, t, takes 250 times as long as the exact torques (2.5 µs for "
            "10 ns) and holds 1 MB.",
        ),
    ],
)
def test_tables_pay_up_to_one_and_a_half_times_the_time_of_the_exact_torques(ns, sentence):
    rows = table(EXACT, Made("t", 10**6, ns, 0.1, "table"), Made("slower", 1, 9e9, 0.1, "table"))
    assert on_tables(rows, 0.01) == sentence


def test_what_takes_the_fewest_operations_is_named_where_it_is_something_else():
    slow = Made("slow", 64, 500.0, 0.001, work=98)
    rows = table(EXACT, slow, Made("wrong", 1, 1.0, 0.5, work=1), Made("timeless", 1, None, 0.001, work=98))
    assert by_work(rows, 0.01) == (
        "Where operations decide, as on a small processor, timeless takes 98 in place of 235, wrong by at most 0.1 %."
    )
    assert "slow takes 98" in by_work(table(EXACT, slow), 0.01, 200)
    assert by_work(table(EXACT, slow), 0.01, 60) is None
    assert by_work(table(EXACT, Made("more", 1, 500.0, 0.001, work=300)), 0.01) is None
    assert by_work(table(EXACT, Made("best", 1, 1.0, 0.001, work=50)), 0.01) is None  # recommended already


def test_a_table_that_is_good_enough_speaks_for_all():
    wrong, right = Made("wrong", 1, 5.0, 0.9, "table"), Made("right", 2000, 40.0, 0.001, "table")
    assert on_tables(table(EXACT, wrong, right), 0.01) == (
        "Tables no longer pay: the fastest within 1 %, right, takes 4 times as long as the exact torques (40 ns for "
        "10 ns) and holds 2 kB."
    )


def test_without_tables_nothing_is_said_of_them():
    assert on_tables(table(EXACT, Made("a", 1, 1.0, 0.1)), 0.01) is None


def test_sizes_times_and_shares_are_readable():
    sizes = (1, 999, 1000, 64_000, 19_125_000, 3_814_697_265_625 * 48)
    assert [in_bytes(size) for size in sizes] == [
        "1 byte", "999 bytes", "1 kB", "64 kB", "19.1 MB", "183 TB",
    ]  # fmt: skip
    assert [in_time(ns) for ns in (0.5, 12.34, 2500, 3e7, 5e9)] == [
        "0.5 ns",
        "12.3 ns",
        "2.5 µs",
        "30 ms",
        "5 s",
    ]
    shares = (0.0, 3e-7, 0.004, 0.0123, 0.994, 0.996, 1.0, 25.0)
    told = ["0 %", "3e-05 %", "0.4 %", "1.2 %", "99 %", "100 %", "100 %", "2,500 %"]
    assert [percent(x) for x in shares] == told
