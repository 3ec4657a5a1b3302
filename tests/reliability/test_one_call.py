"""A short trial of the builtins over methods; `make fuzz` runs the long one."""

import numpy as np
import pytest

from reliability.one_call import attempt, ended
from strobe.errors import ArgumentError


@pytest.mark.slow
def test_builtins_end_as_the_methods_do_that_they_lie_over():
    tally, said = attempt(range(12), calls=240)
    assert said == []
    assert tally.learnt > 5
    assert tally.refused > 20


def test_an_end_is_told_from_others_by_bits_types_and_sentences():
    def refusing(sentence):
        raise ArgumentError(sentence)

    ends = [np.zeros(2), -np.zeros(2), np.zeros(2, np.float32), np.zeros((1, 2)), np.array([0.0, np.nan])]
    found = [ended(lambda x=x: x, [], {}) for x in ends]
    found += [
        ended(refusing, ["a"], {}),
        ended(refusing, ["b"], {}),
        ended(lambda: (ends[0], ends[0]), [], {}),
    ]
    assert all(a != b for k, a in enumerate(found) for b in found[:k])
    assert ended(lambda: np.array([np.nan]), [], {}) == ended(lambda: np.array([-np.nan]), [], {})
