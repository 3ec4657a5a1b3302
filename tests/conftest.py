"""What holds for every test: where it may look, in which order it runs, what it may leave out.

Where everything is installed, a test that skips because something is missing is a failure (``STROBE_REQUIRE_ALL=1``).

Compiled kernels are kept in a folder of the session, so that nothing depends on the home folder or on earlier runs.

Hypothesis draws the same examples in every run, and takes its time: a run that fails can be run again. ``make fuzz``
draws others (``STROBE_FUZZ=1``). ``STROBE_ORDER=7`` shuffles files, and the tests in each; the same number gives the
same order. Tests marked ``slow`` are left to ``make test-all``; those of the `NUMERIC` folders are marked
``numeric``: their numbers could depend on the processor. A law marked ``every("formulation")`` is a test for each of
them, on the robots, number systems or kinds of joint that it asks for: `cases`.
"""

import gc
import os
import random
import shutil
import tempfile
from itertools import groupby, product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings

NUMERIC = {
    "algebra", "analysis", "approximate", "compiler", "control", "equations", "formulations", "golden", "identify",
    "kinematics", "laws", "mechanisms", "papers", "peers", "quantities", "robot", "scalars", "simulate", "trajectory",
    "tensors", "torch", "jax", "test_precision.py", "test_tiny.py",
}  # fmt: skip
ORDER = os.environ.get("STROBE_ORDER", "")

settings.register_profile("same", deadline=None, derandomize=os.environ.get("STROBE_FUZZ") != "1")
settings.load_profile("same")


def pytest_configure(config):
    """Workers inherit the folder of the process that starts them, which takes it away."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # the same sums wherever; no thread spins
    if not os.environ.get("STROBE_CACHE"):
        folder = os.environ["STROBE_CACHE"] = tempfile.mkdtemp(prefix="strobe-tests-")
        config.add_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))


def pytest_generate_tests(metafunc):
    for mark in metafunc.definition.iter_markers("every"):
        metafunc.parametrize(*cases(*mark.args, **mark.kwargs))


def cases(what, *, robot=None, where=lambda *_: True, **others):
    """What a law is tried on, by name: every formulation, or every kind of joint.

        every("formulation")                                each
        every("formulation", robot=ROBOTS, system=SYSTEMS)  each with every robot that it takes, on every system
        every("kind")                                       of joint

    ``where(method)``, or ``where(method, model)`` beside robots, says which of them.
    """
    from strobe.formulations import FORMULATIONS
    from strobe.models.joints import KINDS

    records = {"formulation": FORMULATIONS, "kind": KINDS}[what]
    if robot is None:
        rows = [(name,) for name, record in records.items() if where(record)]
    else:
        rows = [
            (name, called)
            for (name, method), (called, model) in product(records.items(), robot.items())
            if method.refusal(model) is None and where(method, model)
        ]
    names = [what, *(() if robot is None else ("robot",)), *others]
    return names, [(*row, *rest) for row, *rest in product(rows, *others.values())]


@pytest.hookimpl(tryfirst=True)  # before tests are chosen by their marks
def pytest_collection_modifyitems(items):
    here = Path(__file__).parent
    for item in items:
        if item.path.relative_to(here).parts[0] in NUMERIC:
            item.add_marker("numeric")
    if ORDER:
        items[:] = shuffled(items, random.Random(ORDER))


def shuffled(items, rng):
    """Files in another order, and the tests in each: what a file sets up once stays set up once."""
    files = [list(tests) for _, tests in groupby(items, key=lambda item: item.path)]
    rng.shuffle(files)
    for tests in files:
        rng.shuffle(tests)
    return [item for tests in files for item in tests]


def pytest_terminal_summary(terminalreporter):
    if ORDER:
        terminalreporter.write_line(f"in the order of STROBE_ORDER={ORDER}")


@pytest.fixture(autouse=True)
def draws_of_its_own(request):
    """A generator that a module holds starts anew in each test: no draw depends on the tests before."""
    for held in vars(request.module).values():
        if isinstance(held, np.random.Generator):
            bits = held.bit_generator
            bits.state = type(bits)(bits.seed_seq).state


@pytest.fixture(scope="session", autouse=True)
def in_no_time():
    """Where something is timed, tests ask that there is a time, not how long it is: rounds of one call give one."""
    from strobe.compiler.runtime.timing import best_times

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(best_times, "__defaults__", (0.0, 0.0))
        yield


def pytest_collection_finish(session):
    """What is collected stays to the end, and graphs are no garbage: both are looked through less often."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(200_000, 20, 20)


REQUIRE_ALL = os.environ.get("STROBE_REQUIRE_ALL") == "1"


def _needs_more(call, report) -> None:
    """A test that fails because Strobe says which extra is not installed is skipped with that sentence."""
    from strobe.errors import MissingExtraError

    if call.excinfo is not None and isinstance(call.excinfo.value, MissingExtraError):
        report.outcome, report.longrepr = (
            "skipped",
            (*report.location[:2], f"Skipped: {call.excinfo.value}"),
        )


def _require_all(report) -> None:
    """A skip that says what is not installed is a failure where everything is."""
    reason = report.longrepr[2] if report.skipped and isinstance(report.longrepr, tuple) else ""
    if REQUIRE_ALL and "is not installed" in reason:
        report.outcome, report.longrepr = "failed", f"STROBE_REQUIRE_ALL=1, but: {reason}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    _needs_more(call, report)
    _require_all(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector):
    report = yield
    _require_all(report)
    return report


@pytest.fixture(scope="session")
def stanford():
    import strobe

    return strobe.load("stanford")


@pytest.fixture(scope="session")
def swing(stanford):
    """From rest to rest at constant maximum accelerations, in 1.8667 s."""
    ends = [[0, 0.6, 0.4, 0, 0.5, 0], [1.2, 1.3, 0.8, 1, -0.6, 1.5]]
    return stanford.plan(ends, velocity=[1, 1, 0.6, 2, 2, 2], acceleration=[1.5, 1.5, 0.8, 4, 4, 4])
