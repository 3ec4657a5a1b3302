"""The section on what may be left out, and the figure of the trade-off."""

from __future__ import annotations

import re

import numpy as np
import pytest

import strobe
from strobe.approximate.figure import trade_off_figure
from strobe.errors import UnsupportedModelError
from strobe.show.axes import LETTER, NARROW, WIDTH
from strobe.show.tables import table
from strobe.study import approximation, page_parts as page, trajectory
from strobe.study.case import Case
from strobe.study.ladder import times


@pytest.fixture(scope="module")
def case():
    return Case.of(strobe.load("planar2"), quick=True)


@pytest.fixture(scope="module")
def data(case):
    return approximation.measure(case)


def made(**rows):
    """A trade-off with the numbers that a test gives it: memory, ns, error."""
    methods = {
        name.replace("_", "-"): {"memory": memory, "ns": ns, "error": error}
        for name, (memory, ns, error) in rows.items()
    }
    return {
        "robot": "arm",
        "duration": 1.5,
        "within": 0.01,
        "methods": methods,
        "pareto": list(methods)[:1],
    }


def test_the_motion_is_that_of_the_section_on_trajectories(case, data):
    motion = trajectory.motion_of(case)
    shown = trajectory.measure(case)
    assert data["duration"] == motion.duration == shown["duration"]
    np.testing.assert_array_equal(motion.coefficients, shown["motion"]["coefficients"])


def test_a_quick_study_looks_at_few_methods(data):
    assert list(data["methods"]) == list(approximation.QUICK)
    assert data["methods"]["without-velocity-terms"]["error"] > 0
    assert data["recommendation"].startswith("Take ")


def test_the_page_draws_the_trade_off_twice_and_prints_it(case, data):
    shown = str(approximation.html(data, case))
    assert shown.count("<svg") == 2
    assert "on-narrow" in shown
    assert "The rule: of the methods" in shown


def test_a_column_of_tracking_errors_appears_with_them(data):
    assert "tracking error" not in str(page.printed([approximation.methods_table(data)]))
    rows = {name: row | {"tracking": 0.25} for name, row in data["methods"].items()}
    assert "tracking error" in str(page.printed([approximation.methods_table({**data, "methods": rows})]))


def test_what_does_not_apply_says_why():
    with pytest.raises(UnsupportedModelError, match="has no dynamics"):
        approximation.measure(Case.of(strobe.load("rx90")))
    with pytest.raises(UnsupportedModelError, match=r"a study waits for 12"):
        approximation.measure(Case.of(strobe.random(13, seed=1, kinds="R")))
    with pytest.raises(UnsupportedModelError, match=r"a study waits for 7\)"):
        approximation.measure(Case.of(strobe.load("biped10"), quick=True))
    with pytest.raises(UnsupportedModelError, match="quaternions"):
        approximation.measure(Case.of(strobe.load("planar2").with_base("floating")))


def circles(drawn):
    return [tuple(map(float, at)) for at in re.findall(r'<circle cx="([\d.]+)" cy="([\d.]+)"', drawn)]


def test_dots_stand_at_their_logarithms():
    drawn = trade_off_figure(made(exact=(100, 10.0, 0.0), a=(10_000, 100.0, 0.1), b=(1000, 1000.0, 0.001)))
    a, b, exact, *_ = circles(drawn)  # those that are beaten first, the others on top of them
    assert exact[0] < a[0] < b[0]
    assert b[0] - a[0] == pytest.approx(a[0] - exact[0], abs=0.1)
    assert a[1] < b[1] < exact[1]  # upwards is worse, and nothing is the least of all


@pytest.mark.parametrize("width", [WIDTH, NARROW])
def test_a_figure_keeps_within_its_width_whatever_the_numbers(width):
    rows = {f"a_rather_long_name_of_a_method_{k}": (10**k, 10.0**k, 10.0 ** (k - 9)) for k in range(12)}
    drawn = trade_off_figure(made(exact=(160, 12.0, 0.0), **rows), width)
    assert f'width="{width}"' in drawn
    assert all(0 < x < width for x, _ in circles(drawn))
    keys = re.findall(r'<text x="([\d.]+)"[^>]*>(\d+  [^<]*)<', drawn)
    assert len(keys) == 13
    assert all(float(x) + LETTER * len(words) < width for x, words in keys)
    assert len(circles(drawn)) == 26


def test_one_method_alone_is_drawn_too():
    assert len(circles(trade_off_figure(made(exact=(160, 12.0, 0.0))))) == 2


def test_a_method_without_a_time_is_not_drawn():
    drawn = trade_off_figure(made(exact=(160, 12.0, 0.0), emulated=(100, None, 0.1)))
    assert "emulated" not in drawn


def test_ratios_of_times_have_three_digits():
    assert [times(x) for x in (0.068, 1.94, 54.3, 932.4, 2_693_135.0)] == [
        "0.068×",
        "1.9×",
        "54×",
        "932×",
        "2,690,000×",
    ]


@pytest.mark.parametrize(
    ("cells", "side"),
    [
        (["432 bytes", "2.45 kB"], "num"),
        (["100 %", "1e-06 %", ""], "num"),
        (["5.3×", "2,690,000×"], "num"),
        (["54.4 ms", "19.7 µs"], "num"),
        (["joint1", "100 %"], None),
        (["8 s, in all 400", ""], None),
        (["N m"], None),
    ],
)
def test_numbers_with_units_stand_to_the_right_of_their_column(cells, side):
    written = page.table(table(["", "column"], [["row", cell] for cell in cells]))
    assert ('<td class="num">' in written) is (side == "num")


def test_no_line_ends_within_a_unit():
    assert page.unbroken("from (rad or m)") == "from (rad or m)"  # two units may stand in two lines
    assert page.unbroken("tau_1 (N m), 3 N m of 7") == "tau_1 (N\u00a0m), 3 N\u00a0m of 7"
