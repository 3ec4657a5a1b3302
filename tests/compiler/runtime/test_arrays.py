"""What comes in as numbers: every kind is taken in its precision, or refused with a sentence."""

import array
import decimal
import fractions

import numpy as np
import pytest

import strobe
from strobe.errors import DtypeError

NUMBERS = [0.1, -0.2]


@pytest.fixture(scope="module")
def arm():
    return strobe.Robot(strobe.load("planar2").model, compiled=False)


class ByArray:
    """Anything that NumPy may ask for an array, as tensors of other libraries are."""

    def __init__(self, numbers, dtype):
        self._numbers = np.array(numbers, dtype)

    def __array__(self, dtype=None, copy=None):
        return self._numbers if dtype is None else self._numbers.astype(dtype)


class ByInterface:
    def __init__(self, numbers, dtype):
        self._numbers = np.array(numbers, dtype)
        self.__array_interface__ = self._numbers.__array_interface__


class ByDLPack:
    """What knows no NumPy, but the protocol for tensors."""

    def __init__(self, numbers, dtype):
        self._numbers = np.array(numbers, dtype)

    def __dlpack__(self, **how):
        return self._numbers.__dlpack__(**how)

    def __dlpack_device__(self):
        return self._numbers.__dlpack_device__()


class Failing:
    """A tensor that is elsewhere, or needs to be asked in another way."""

    def __array__(self, dtype=None, copy=None):
        raise RuntimeError("call\n.cpu() first")


def all_equal(arm, q):
    """Torques of planar2 at rest with every argument of one kind, and those of plain lists."""
    found = arm.inverse_dynamics(q, q, q)
    expected = arm.inverse_dynamics(NUMBERS, NUMBERS, NUMBERS)
    assert type(found) is np.ndarray
    assert found == pytest.approx(expected, rel=1e-2 if found.dtype == np.float32 else 1e-3)
    return found.dtype


@pytest.mark.parametrize("kind", [ByArray, ByInterface, ByDLPack, np.array])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_tensors_keep_their_precision(arm, kind, dtype):
    assert all_equal(arm, kind(NUMBERS, dtype)) == dtype


@pytest.mark.parametrize(
    ("given", "dtype"),
    [
        ([np.float32(x) for x in NUMBERS], np.float32),
        ([np.float64(x) for x in NUMBERS], np.float64),
        (tuple(NUMBERS), np.float64),
        (array.array("f", NUMBERS), np.float32),
        (array.array("d", NUMBERS), np.float64),
        (memoryview(array.array("f", NUMBERS)), np.float32),
        (np.ma.masked_array(NUMBERS, dtype=np.float32), np.float32),
        (np.array(NUMBERS, ">f4"), np.float32),
        (np.array(NUMBERS, ">f8"), np.float64),
        (np.array(NUMBERS, np.float16), np.float64),
        (np.array(NUMBERS, np.longdouble), np.float64),
    ],
    ids=lambda value: type(value).__name__,
)
def test_numbers_of_every_kind_give_this_precision(arm, given, dtype):
    assert all_equal(arm, given) == dtype


def test_lists_take_the_precision_of_what_stands_beside_them(arm):
    q = ByArray(NUMBERS, np.float32)
    assert arm.inverse_dynamics(q, NUMBERS, NUMBERS).dtype == np.float32
    assert arm.inverse_dynamics(q, NUMBERS, [np.float64(x) for x in NUMBERS]).dtype == np.float64
    assert arm.integrate(q, NUMBERS, 0.1).dtype == np.float32
    assert arm.integrate(q, NUMBERS, np.float64(0.1)).dtype == np.float64
    assert arm.point_forces(q, None, [0.0, 0.0, 0.0], [1.0, 0.0, 0.0]).dtype == np.float32
    assert arm.point_forces(q, None, [0.0, 0.0, 0.0], np.array([1.0, 0.0, 0.0])).dtype == np.float64


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ([True, False], "truth values"),
        (np.array(NUMBERS) + 0j, "complex numbers"),
        (["0.1", "0.2"], "text"),
        ("0.1,0.2", "text"),
        (b"01", "bytes"),
        ([10**400, 0], "Python objects"),
        ([decimal.Decimal(1), 0.0], "Python objects"),
        ([fractions.Fraction(1, 3), 0.0], "Python objects"),
        (None, "nothing: it is None"),
        ({"a": 1.0}, "Python objects"),
        ((x for x in NUMBERS), "Python objects"),
        (np.array([1, 2], "M8[s]"), r"datetime64\[s\]"),
        (Failing(), r"a Failing that gives no array \(call .cpu\(\) first\)"),
        ([Failing()], "nested lists of unequal lengths"),
        ([[1.0], 2.0], "nested lists of unequal lengths"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_holds_no_real_numbers_is_refused(arm, given, told):
    with pytest.raises(DtypeError, match=f"^q holds {told}; expected real numbers"):
        arm.gravity(given)


def test_lists_without_an_end_are_refused(arm):
    deep: list = []
    deep.append(deep)
    with pytest.raises(DtypeError, match="^q holds"):
        arm.gravity(deep)
    with pytest.raises(DtypeError, match="^dt holds text"):
        arm.integrate(NUMBERS, NUMBERS, "soon")
