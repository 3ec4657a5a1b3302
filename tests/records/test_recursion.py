"""The recursion for few operations: every choice gives the torques of the reference, exactly."""

from __future__ import annotations

from itertools import product

import pytest

from records.layout import PAIRS, is_zero, links, moments
from records.program import traced
from records.recursion import Angles, Choices, Turning, inverse_dynamics
from records.rescaling import Scales
from records.scheme import PRODUCTS
from strobe.algebra import Vec3
from strobe.errors import ArgumentError, UnsupportedModelError
from strobe.formulations import formulation
from strobe.models.model import Model
from strobe.papers.arm_patterns import PATTERNS, Pattern, arm, full, general, principal
from strobe.papers.fewest_records import published
from strobe.scalars import FieldSystem, cos, sin

TURNS = ("four", "sum")
GENERAL = arm(general(4))
SLIDING = arm(Pattern((0, 35, 50, 0, 40), a=(2, 3, 5), d=(2, 4, 5), slides=(3,)))


def agrees(model: Model, choices: Choices, seed: int = 1) -> bool:
    """Whether the torques are those of the reference, in a prime field."""
    system = FieldSystem(seed)
    lifted = model.lift(system)
    state = lifted.variables()
    joints = enumerate(zip(state[0], model.joints, strict=True), 1)
    turning = {k: (cos(x), sin(x)) for k, (x, joint) in joints if joint.turns}
    summed = {}
    for k in choices.absolute:
        (a, b), (c, d) = turning[k - 1], turning[k]
        summed[k] = a * c - b * d, a * d + b * c
    found = inverse_dynamics(lifted, choices, Angles(turning, summed), *state)
    expected = formulation("spatial-newton-euler").inverse_dynamics(lifted, *state)
    return [system.lower(x) for x in found] == [system.lower(x) for x in expected]


@pytest.mark.parametrize("turn", TURNS)
@pytest.mark.parametrize("paired", [False, True])
def test_every_way_to_turn_gives_the_torques_of_the_reference(turn, paired):
    kept = {3: "mhI", 4: "mhI"}
    assert agrees(GENERAL, Choices(turn, kept=kept, paired=paired))
    assert agrees(GENERAL, Choices(turn, stays=frozenset({2, 3, 4}), paired=paired))


@pytest.mark.parametrize("kept", ["", "m", "h", "I", "mh", "mI", "hI", "mhI"])
def test_what_is_kept_beyond_a_joint_changes_no_torque(kept):
    assert agrees(GENERAL, Choices(kept={3: kept, 4: kept[::-1][:1]}))


def test_moments_over_accelerations_change_no_torque():
    every = frozenset(range(2, 5))
    assert agrees(GENERAL, Choices(euler=every))
    assert agrees(GENERAL, Choices(euler=every, kept={4: "I"}))


@pytest.mark.parametrize("turn", TURNS)
def test_a_twist_in_three_products_changes_no_torque(turn):
    assert agrees(GENERAL, Choices(turn, "sum"))


def test_sixteen_products_are_the_force_and_the_moment_of_a_link():
    assert len(PRODUCTS.strip().splitlines()) == 16
    every = frozenset(range(2, 5))
    assert agrees(GENERAL, Choices(scheme=every))
    assert agrees(GENERAL, Choices("sum", "sum", scheme=frozenset({2, 3}), kept={4: "mhI"}, held=True))
    assert agrees(arm(PATTERNS["Panda"], published), Choices(scheme=every))


@pytest.mark.parametrize("place", range(0, 800, 80))
def test_a_changed_sign_in_the_scheme_is_found(place, monkeypatch):
    start = next(k for k in range(place, len(PRODUCTS)) if PRODUCTS[k] == "-")
    changed = PRODUCTS[:start] + "+" + PRODUCTS[start + 1 :]
    monkeypatch.setattr("records.scheme.PRODUCTS", changed)
    assert not agrees(GENERAL, Choices(scheme=frozenset({3, 4})))


def test_a_last_link_whose_moments_turn_gives_the_same():
    assert agrees(GENERAL, Choices(held=True))
    assert agrees(GENERAL, Choices("sum", euler=frozenset({2, 4}), kept={4: "mhI"}, paired=True, held=True))
    assert agrees(arm(PATTERNS["PUMA 560"], published), Choices(absolute=frozenset({3}), held=True))
    assert agrees(SLIDING, Choices("sum", held=True))


@pytest.mark.parametrize("field", ["scheme", "absolute"])
def test_a_held_link_has_no_moments_that_are_tied(field):
    with pytest.raises(ArgumentError) as refused:
        agrees(GENERAL, Choices(held=True, **{field: frozenset({4})}))
    assert str(refused.value) == "link 4 is held: it can be neither absolute nor by the scheme."


def test_a_sliding_joint_keeps_nothing_and_a_link_that_leaves_a_moment_does_not_keep_it():
    with pytest.raises(
        ArgumentError, match="^joint 3 slides: its two sides look alike to no mass; keep none.$"
    ):
        agrees(SLIDING, Choices(kept={3: "h"}))
    with pytest.raises(
        ArgumentError, match="^link 4 cannot both keep a moment and pass it on but for another"
    ):
        agrees(GENERAL, Choices(kept={4: "I"}, scheme=frozenset({4})))


def test_parallel_axes_turn_by_the_sum_of_their_angles():
    for name, links_ in product(("PUMA 560", "RX-90"), (full, published)):
        assert agrees(arm(PATTERNS[name], links_), Choices("sum", absolute=frozenset({3})))
    assert agrees(arm(Pattern((0, 30, 0, 40), a=(2, 3, 4), d=(3, 4))), Choices(absolute=frozenset({3})))


def test_sliding_joints_are_no_exception():
    assert agrees(SLIDING, Choices())
    assert agrees(SLIDING, Choices("sum", stays=frozenset({2}), kept={5: "mhI"}, paired=True))
    assert agrees(arm(PATTERNS["Stanford arm"], principal), Choices("sum", euler=frozenset({2, 4, 5, 6})))


def test_an_axis_that_is_not_parallel_must_not_be_turned_by_a_sum():
    assert not agrees(GENERAL, Choices(absolute=frozenset({3})))


def test_what_is_kept_clears_an_entry_of_the_link_before():
    base, kept = (links(GENERAL, (), {3: kinds}) for kinds in ("", "mhI"))
    zeros = [{key for key in PAIRS if is_zero(link.J[key])} for link in base]
    assert zeros[1] == {"zz", "zw", "ww"}
    moved = [{key for key in PAIRS if is_zero(link.J[key])} for link in kept]
    assert moved[1] == zeros[1] | {"xw", "yw", "yz"}
    assert moved[2] == set()


def test_a_kind_that_reaches_nothing_is_refused():
    with pytest.raises(
        ArgumentError, match="^'m' kept beyond a joint reaches no 'xw' of the link before; pass it on.$"
    ):
        links(arm(Pattern((0, 90, 90))), (), {3: "m"})


@pytest.mark.parametrize(
    "model", [GENERAL.with_gravity(Vec3(0.0, 1.0, -9.0)), arm(Pattern((0, 90), slides=(1,)))]
)
def test_the_first_joint_must_turn_about_the_direction_of_gravity(model):
    with pytest.raises(UnsupportedModelError) as refused:
        agrees(model, Choices())
    assert str(refused.value) == (
        "arm: for few operations the first joint must turn about the direction of gravity, base z."
    )


def test_origins_slide_so_that_offsets_have_no_y():
    passed, stay = links(GENERAL, (), {}), links(GENERAL, (2, 3, 4), {})
    assert all(is_zero(link.P[1]) for link in passed)
    assert not any(is_zero(link.P[1]) for link in stay[1:])


def test_second_moments_give_the_inertia_back():
    body = GENERAL.bodies[2]
    J, I = moments(body), body.inertia.I
    assert (J["yy"] + J["zz"], -J["xy"], J["ww"]) == pytest.approx((I.xx, I.xy, body.inertia.m))


@pytest.mark.parametrize("turn", TURNS)
def test_a_vector_turned_in_and_out_is_itself(turn):
    c, s = 0.6, 0.8
    turning = Turning((c, s), turn)
    assert turning.inward([1.0, 2.0, 3.0]) == pytest.approx([2.2, 0.4, 3.0])
    assert turning.outward(turning.inward([1.0, 2.0, 3.0])) == pytest.approx([1.0, 2.0, 3.0])


@pytest.mark.parametrize(
    ("choices", "count"),
    [
        (Choices(), (380, 312)),
        (Choices(held=True), (371, 310)),
        (Choices("four", "sum"), (364, 331)),
        (Choices("sum", "sum", paired=True), (338, 369)),
        (Choices("sum", "sum", scheme=frozenset(range(2, 7))), (308, 410)),
        (Choices(kept=dict.fromkeys(range(3, 7), "mhI"), held=True), (359, 291)),
    ],
)
def test_each_choice_saves_what_it_should_on_a_general_arm(choices, count):
    flow, _ = traced(arm(general(6)), choices)
    scales = Scales(flow)
    additions = sum(len(flow.values[k].terms) - 1 for k in flow.needed if flow.values[k].terms)
    assert (scales.cost(scales.solved([])), additions) == count
