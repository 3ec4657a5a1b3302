"""What was made a while ago goes, whoever asks at the same time."""

import sys
from concurrent.futures import ThreadPoolExecutor

from strobe.robot.recent import Recent


def test_what_was_made_first_goes_first():
    recent = Recent(2)
    for key in "abab":
        assert recent(key, lambda key=key: [key]) == [key]
    again = recent("b", list)
    assert (recent("c", lambda: ["c"]), len(recent)) == (["c"], 2)
    assert recent("b", list) is again == ["b"]
    assert recent("a", lambda: ["new"]) == ["new"]


def test_threads_may_make_things_at_once():
    recent, usual = Recent(4), sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(6) as threads:
            asked = [threads.submit(recent, k, object) for k in range(10_000)]
            assert all(each.result() for each in asked)
    finally:
        sys.setswitchinterval(usual)
    assert len(recent) <= 4
