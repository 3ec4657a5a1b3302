"""Fixed point: ranges, fractions and errors that are proven, and integers that keep what they promise."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest

from strobe.compiler.fixed_point.circle import CIRCLES
from strobe.compiler.fixed_point.execution import carried_out, peaks, shifted, sine, to_words
from strobe.compiler.fixed_point.plan import planned
from strobe.compiler.fixed_point.words import Format, Word
from strobe.compiler.graph.program import trace
from strobe.errors import ArgumentError
from strobe.scalars import Graph, cos, sin
from strobe.scalars.functions import absolute, atan2, less, maximum, minimum, sqrt, where

BITS = (16, 32)
STATES = 20_000


def program(function, **sizes):
    outcome = function(**{name: [0.5] * size for name, size in sizes.items()})
    return trace(function, sizes, (len(outcome),), Graph())


def check(function, ranges, bits=32, fraction=None, exact=None):
    """Both bounds hold on random inputs; the plan and the errors met."""
    sizes = {name: len(ends) for name, ends in ranges.items()}
    plan = planned(program(function, **sizes), ranges, bits, fraction)
    rng = np.random.default_rng(3)
    numbers = {name: rng.uniform(*np.transpose(ends), (STATES, len(ends))) for name, ends in ranges.items()}
    words = {name: to_words(plan.given[name], x) for name, x in numbers.items()}
    out, clamped = carried_out(plan, words)
    assert not clamped.any()
    scale = np.array([format.resolution for format in plan.formats])
    most = 2 ** (bits - 1) - 1
    assert np.abs(out).max() <= most
    rounded = {
        name: x * np.array([g.format.resolution for g in plan.given[name]]) for name, x in words.items()
    }
    for state, bounds in ((numbers, plan.bounds), (rounded, plan.arithmetic_bounds)):
        columns = {name: list(x.T) for name, x in state.items()}
        true = np.stack(np.broadcast_arrays(*(exact or function)(**columns)), axis=-1)
        met = np.abs(out * scale - true).max(axis=0)
        assert (met <= bounds).all(), (met, bounds)
    return plan, met


# -- words --------------------------------------------------------------------------------------------


def test_a_format_tells_its_bits_resolution_and_largest_number():
    format = Format(16, 10)
    assert str(format) == "Q5.10"
    assert format.resolution == 2.0**-10
    assert format.largest == (2**15 - 1) / 1024
    assert str(Format(32, 36)) == "Q-5.36"


def test_a_shift_rounds_to_nearest_and_halves_upwards():
    words = np.array([5, 6, 7, -5, -6, -7, 2**31 - 1, 1 - 2**31])
    expected = [math.floor(Fraction(int(w), 4) + Fraction(1, 2)) for w in words]
    assert shifted(words, 2).tolist() == expected
    assert shifted(words, 0) is words
    assert shifted(words, 100).tolist() == [0] * len(words)


def test_a_shift_of_the_largest_word_is_rounded_in_c_as_here():
    words = np.array([2**31 - 1, 1 - 2**31, 3, -3, 1, -1, 0])
    for shift in range(1, 32):  # as C shifts, where one more than the largest word would overflow
        assert np.array_equal(shifted(words, shift), (words >> shift) + ((words >> (shift - 1)) & 1))


def test_the_fraction_is_the_largest_that_holds_the_range():
    plan = planned(
        program(lambda x: [x[0]], x=4), {"x": [(-1.0, 1.0), (0.0, 0.999), (0.0, 1000.0), (0.0, 0.003)]}
    )
    assert [str(g.format) for g in plan.given["x"]] == ["Q1.30", "Q0.31", "Q10.21", "Q-8.39"]


def test_a_program_takes_one_word_and_no_step_for_a_power_of_two():
    plan, met = check(lambda x: [4.0 * x[0]], {"x": [(-1.0, 1.0)]})
    assert [step.op for step in plan.steps] == ["input"]
    assert plan.formats == (Format(32, 28),)
    assert plan.arithmetic_bounds == (0.0,)


# -- the sine -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("bits", BITS)
def test_the_sine_is_within_its_proven_error(bits):
    circle = CIRCLES[bits]
    turns = np.arange(2**16) * 2 ** (bits - 16)
    if bits == 32:
        special = (np.arange(-64, 64) + (2**29) * np.arange(9)[:, None]).ravel() % 2**32
        turns = np.concatenate([turns + np.random.default_rng(0).integers(0, 2**16, turns.shape), special])
    with mpmath.workdps(25):
        exact = np.sin(np.longdouble(turns) * np.longdouble(mpmath.nstr(2 * mpmath.pi, 25)) / 2**bits)
    met = np.abs(sine(circle, turns) * 2.0**-circle.fraction - exact).max()
    assert met <= circle.error
    assert circle.error <= 4 * met
    assert circle.error < 2.5 * 2.0**-circle.fraction


@pytest.mark.parametrize("bits", BITS)
def test_the_polynomials_of_the_sine_never_leave_a_word(bits):
    circle = CIRCLES[bits]
    for words in (circle.sine, circle.cosine):
        assert sum(map(abs, words)) < 2 ** (bits - 1)
    quarter = 2 ** (bits - 2)
    assert sine(circle, np.array([0, quarter, 2 * quarter, 3 * quarter])).tolist() == [
        0,
        quarter,
        0,
        -quarter,
    ]


@pytest.mark.parametrize("bits", BITS)
@pytest.mark.parametrize("reach", [1e-6, 0.3, math.pi, 50.0])
def test_sines_of_angles_are_within_their_bounds(bits, reach):
    ranges = {"q": [(-reach, 2 * reach)]}
    plan, met = check(
        lambda q: [sin(q[0]), cos(q[0])], ranges, bits, exact=lambda q: [np.sin(q[0]), np.cos(q[0])]
    )
    assert max(plan.bounds) < (3 + 2 * reach) * 2.0 ** (2 - bits)


def test_a_sine_has_the_range_of_its_angles():
    plan = planned(program(lambda q: [sin(q[0]), cos(q[0])], q=1), {"q": [(0.1, 0.5)]})
    low, high = plan.outputs[0].ends
    assert low == pytest.approx(math.sin(0.1), abs=1e-8)
    assert high == pytest.approx(math.sin(0.5), abs=1e-8)
    across = planned(program(lambda q: [sin(q[0]), cos(q[0])], q=1), {"q": [(1.0, 2.0)]})
    assert across.outputs[0].high == 1.0
    assert across.outputs[1].ends == pytest.approx((math.cos(2.0), math.cos(1.0)), abs=1e-8)


# -- operations ---------------------------------------------------------------------------------------

OPERATIONS = {
    "sums of other scales": (
        lambda x: [x[0] + x[1], x[1] - 1000.0 * x[0], 3.7 - x[0]],
        [(-1, 1), (0, 300)],
    ),
    "products": (
        lambda x: [x[0] * x[1], x[0] * x[0], 0.123 * x[0] * x[1] * x[1]],
        [(-3, 5), (-0.01, 0.02)],
    ),
    "sums of products": (
        lambda x: [x[0] * x[1] + 0.3 * x[2], x[2] - x[0] * x[1], x[0] * x[1] - x[2] * 1e-6],
        [(-3, 5), (-1e-3, 2e-3), (-20, 10)],
    ),
    "a value next to nothing": (lambda x: [x[0] + x[1] * 1e-14], [(-3, 5), (-1e-3, 2e-3)]),
    "quotients": (lambda x: [x[0] / x[1], 1.0 / x[1], x[1] / x[2]], [(-3, 5), (0.1, 7), (-900, -800)]),
}


@pytest.mark.parametrize("bits", BITS)
@pytest.mark.parametrize(("function", "ranges"), OPERATIONS.values(), ids=OPERATIONS)
def test_operations_are_within_their_bounds(function, ranges, bits):
    plan, met = check(function, {"x": ranges}, bits)
    sizes = np.array([value.size for value in plan.outputs])
    assert (np.array(plan.bounds) <= 400 * sizes * 2.0**-bits).all()


@pytest.mark.parametrize("bits", BITS)
def test_choices_are_within_their_bounds(bits):
    def function(x):
        return [
            absolute(x[0]),
            minimum(x[0], x[1]),
            maximum(x[0], 0.3),
            where(less(x[0], x[1]), x[0], x[1]),
        ]

    def exact(x):
        return [
            np.abs(x[0]),
            np.minimum(x[0], x[1]),
            np.maximum(x[0], 0.3),
            np.where(x[0] < x[1], x[0], x[1]),
        ]

    plan, met = check(function, {"x": [(-3, 5), (-100, 20)]}, bits, exact=exact)
    assert plan.outputs[0].ends == (0.0, 5.0)
    assert plan.outputs[1].ends == (-100.0, 5.0)


@pytest.mark.parametrize("bits", BITS)
def test_roots_are_within_their_bounds(bits):
    ranges = {"x": [(0.0, 9.0), (50.0, 60.0)]}
    check(lambda x: [sqrt(x[0]), sqrt(x[1])], ranges, bits, exact=lambda x: [np.sqrt(x[0]), np.sqrt(x[1])])


def test_a_rotation_keeps_the_length_of_a_vector():
    def turned(q, x):
        c, s = cos(q[0]), sin(q[0])
        return [c * x[0] - s * x[1], c * x[1] + s * x[0]]

    plan = planned(program(turned, q=1, x=2), {"q": [(-3, 3)], "x": [(-3, 3), (-4, 4)]})
    assert [value.size for value in plan.outputs] == pytest.approx([5.0, 5.0])


def test_a_clipped_product_has_the_scale_of_its_ends():
    def ramp(x):
        return [maximum(minimum(1000.0 * x[0], 1.0), -1.0), minimum(maximum(-2.0, x[0] * x[1]), 0.5)]

    def exact(x):
        return [np.clip(1000.0 * x[0], -1, 1), np.clip(x[0] * x[1], -2, 0.5)]

    plan, met = check(ramp, {"x": [(-3, 3), (-50, 50)]}, exact=exact)
    assert plan.formats == (Format(32, 30), Format(32, 29))
    assert plan.arithmetic_bounds[0] < 1e-8


def test_a_sign_that_rounding_may_turn_costs_little_beside_a_factor_that_vanishes_with_it():
    def friction(x):
        size = where(less(x[0], 0.0), 2.0, 5.0)
        return [size, size * maximum(minimum(1000.0 * x[0], 1.0), -1.0)]

    def exact(x):
        size = np.where(x[0] < 0, 2.0, 5.0)
        return [size, size * np.clip(1000.0 * x[0], -1, 1)]

    plan, met = check(friction, {"x": [(-3, 3)]}, exact=exact)
    assert plan.arithmetic_bounds[0] == 0.0
    assert plan.bounds[0] == pytest.approx(3.0)
    assert plan.bounds[1] < 1e-4
    half = plan.given["x"][0].format.resolution / 2
    out, _ = carried_out(plan, {"x": to_words(plan.given["x"], np.array([[-0.9 * half]]))})
    assert out[0, 0] * plan.formats[0].resolution == 5.0  # the wrong one of the two, as the bound says


def test_intermediate_values_never_leave_their_words():
    def function(q, x):
        c, s = cos(q[0]), sin(q[1])
        return [(c * x[0] + s * x[1]) * (x[0] - x[1]) * s, c * s * x[0]]

    ranges = {"q": [(-3, 3)] * 2, "x": [(-30, 10), (0, 7)]}
    for bits in BITS:
        plan = planned(program(function, q=2, x=2), ranges, bits)
        rng = np.random.default_rng(0)
        words = {
            name: np.stack([rng.choice([g.low, g.high, 0], STATES) for g in plan.given[name]], axis=1)
            for name in ranges
        }
        for node, peak in peaks(plan, words).items():
            value = plan.values[node]
            assert peak <= Format(bits, value.fraction).largest
            assert peak <= value.size + value.errors[0]


# -- inputs -------------------------------------------------------------------------------------------


def test_inputs_outside_their_range_are_set_to_its_end_and_the_first_is_told():
    plan = planned(program(lambda x, y: [x[0] + y[1]], x=1, y=2), {"x": [(-1, 1)], "y": [(-2, 2)] * 2})
    one, two = plan.given["x"][0], plan.given["y"][1]
    far = 2**31 - 1
    words = {
        "x": np.array([[0], [far], [far], [0], [0]]),
        "y": np.array([[0, 0], [0, 0], [0, -far], [0, -far], [far, 0]]),
    }
    out, clamped = carried_out(plan, words)
    assert clamped.tolist() == [0, 1, 1, 3, 0]  # y[0] is not used: nothing depends on it
    scale = plan.formats[0].resolution
    assert (out[:, 0] * scale).tolist() == [0, one.ends[1], one.ends[1] + two.ends[0], two.ends[0], 0]


def test_numbers_become_the_nearest_words():
    plan = planned(program(lambda x: [x[0]], x=1), {"x": [(-1.0, 1.0)]}, 16)
    words = to_words(plan.given["x"], np.array([[0.5], [2.0**-15], [-0.9999], [1e30], [-1e30]]))
    assert words.ravel().tolist() == [8192, 0, -16382, 32767, -32767]


def test_batches_have_any_shape():
    plan = planned(program(lambda x, y: [x[0] + y[0]], x=1, y=1), {"x": [(-1, 1)], "y": [(-1, 1)]})
    out, clamped = carried_out(plan, {"x": np.zeros((3, 1, 1), int), "y": np.ones((2, 1), int)})
    assert out.shape == (3, 2, 1)
    assert clamped.shape == (3, 2)
    out, clamped = carried_out(plan, {"x": np.zeros(1, int), "y": np.ones(1, int)})
    assert out.shape == (1,)
    assert clamped.shape == ()


# -- one fraction for all -----------------------------------------------------------------------------


def test_with_one_fraction_every_value_has_it():
    def function(q, x):
        return [sin(q[0]) * x[0] + 0.3, where(less(x[0], 0.0), 1.0, x[0])]

    plan = planned(program(function, q=1, x=1), {"q": [(-3, 3)], "x": [(-5, 5)]}, 32, 12)
    assert {value.fraction for node, value in plan.values.items() if node.op != "less"} == {12}
    assert Word(round(0.3 * 2**12)) in {arg for step in plan.steps for arg in step.args}


def test_one_fraction_is_within_its_bounds_too():
    def function(x):
        return [x[0] * x[1] + 0.123 * x[0], x[0] / x[1], x[0] - x[1]]

    for fraction in (4, 8, 20):
        check(function, {"x": [(-3, 5), (1, 2)]}, 32, fraction)


def test_a_range_that_overflows_the_fraction_is_named_with_the_bits_it_needs():
    with pytest.raises(
        ArgumentError,
        match=r"^x\[0\] reaches 40, which takes 6 bits before the point; words of 16 bits with 12 behind it have 3. "
        r"Use fraction at most 9, narrower ranges, or a scale for each value \(fraction=None\).$",
    ):
        planned(program(lambda x: [x[0]], x=1), {"x": [(-40, 2)]}, 16, 12)
    with pytest.raises(ArgumentError, match=r"^out\[0\] reaches 1600\.\d+, which takes 11 bits"):
        planned(program(lambda x: [x[0] * x[0]], x=1), {"x": [(-40, 2)]}, 16, 6)
    with pytest.raises(ArgumentError, match=r"^the intermediate value %\d+ \(mul\) reaches 1600"):
        planned(program(lambda x: [x[0] * x[0] * 1e-2], x=1), {"x": [(-40, 2)]}, 16, 6)
    with pytest.raises(ArgumentError, match=r"^the constant 1000 reaches 1000, which takes 10 bits"):
        planned(program(lambda x: [x[0] + 1000.0], x=1), {"x": [(-1, 1)]}, 16, 10)


# -- what is refused ----------------------------------------------------------------------------------


def refused(function, ranges, *options):
    sizes = {name: len(ends) for name, ends in ranges.items()}
    with pytest.raises(ArgumentError) as caught:
        planned(program(function, **sizes), ranges, *options)
    return str(caught.value)


def test_other_words_are_refused():
    assert refused(lambda x: [x[0]], {"x": [(0, 1)]}, 24) == "bits is 24; expected words of 16 or 32 bits."
    told = refused(lambda x: [x[0]], {"x": [(0, 1)]}, 16, 15)
    assert told == "fraction is 15; expected a whole number from 0 to 14."


@pytest.mark.parametrize("ends", [(math.nan, 1.0), (-1.0, math.inf), (2.0, 1.0)])
def test_a_range_without_finite_ordered_ends_is_refused(ends):
    told = refused(lambda x: [x[0]], {"x": [ends]})
    assert told.startswith("the range of x[0] is ")
    assert told.endswith("expected finite ends, the lower first.")


def test_missing_ranges_are_refused():
    with pytest.raises(ArgumentError, match='^the input "x" needs 2 ranges; got none.$'):
        planned(program(lambda x: [x[0]], x=2), {})
    with pytest.raises(ArgumentError, match='^the input "x" needs 2 ranges; got 1.$'):
        planned(program(lambda x: [x[0]], x=2), {"x": [(0, 1)]})


def test_what_there_is_no_fixed_point_for_is_refused():
    told = refused(lambda x: [atan2(x[0], x[1])], {"x": [(0, 1), (1, 2)]})
    assert told.startswith(
        "the program takes atan2, which there is no fixed point for; there is for add, sub, mul"
    )
    told = refused(lambda x: [where(less(x[0], 0.0), x[0], math.nan)], {"x": [(-1, 1)]})
    assert told == "the program has the constant nan, for which there is no word."


def test_a_divisor_or_root_that_may_vanish_is_refused():
    told = refused(lambda x: [1.0 / x[0]], {"x": [(-1, 1)]})
    assert told.startswith("out[0] divides by a value between -1 and 1 with an error of 0: it may be zero.")
    told = refused(lambda x: [sqrt(x[0])], {"x": [(-1, 1)]})
    assert told.startswith("out[0] is the root of a value between -1 and 1, which may be negative.")
