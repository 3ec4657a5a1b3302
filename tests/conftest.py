"""Where everything is installed, a test that skips because something is missing is a failure.

Hypothesis draws the same examples in every run, and takes its time: a run that fails can be run again. ``make fuzz``
draws others (``STROBE_FUZZ=1``).
"""

import gc
import os

import pytest
from hypothesis import settings

settings.register_profile("same", deadline=None, derandomize=os.environ.get("STROBE_FUZZ") != "1")
settings.load_profile("same")


@pytest.fixture(scope="session", autouse=True)
def in_no_time():
    """Where something is timed, tests ask that there is a time, not how long it is: rounds of one call give one."""
    from strobe.analysis.speed import best_times

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(best_times, "__defaults__", (0.0, 0.0))
        yield


def pytest_collection_finish(session):
    """What is collected stays to the end, and graphs are no garbage: both are looked through less often."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(200_000, 20, 20)


REQUIRE_ALL = os.environ.get("STROBE_REQUIRE_ALL") == "1"


def _missing(report) -> bool:
    """Whether a report is a skip that says what is not installed."""
    reason = report.longrepr[2] if report.skipped and isinstance(report.longrepr, tuple) else ""
    return REQUIRE_ALL and "is not installed" in reason


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    if _missing(report):
        report.outcome, report.longrepr = "failed", f"STROBE_REQUIRE_ALL=1, but: {report.longrepr[2]}"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector):
    report = yield
    if _missing(report):
        report.outcome, report.longrepr = "failed", f"STROBE_REQUIRE_ALL=1, but: {report.longrepr[2]}"
    return report
