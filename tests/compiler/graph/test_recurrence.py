"""Rounds of calls on cells, over any numbers."""

from fractions import Fraction

from strobe.compiler.graph.recurrence import STATE, Call, Recurrence, Signal, round_of, sample, samples

FIBONACCI = Recurrence(
    size=2,
    constants={"gain": 1},
    signals={"push": Signal(1, 2)},
    calls=(
        Call("sum", (STATE, "gain"), "total"),
        Call("shift", (STATE, "total", sample("push", 1)), "next"),
    ),
    result="next",
    recorded=("total", 0, 1),
)
PROGRAMS = {
    "sum": lambda state, gain: [(state[0] + state[1]) * gain[0]],
    "shift": lambda state, total, push: [state[1], total[0] + push[0]],
}


def test_a_round_runs_the_calls_in_turn_and_its_result_is_the_state():
    cells = {STATE: [0, 1], "gain": [1], "push @0": [9], "push @1": [0]}
    seen = []
    for _ in range(6):
        cells = round_of(FIBONACCI, lambda call, inputs: PROGRAMS[call.program](*inputs), cells)
        seen.append(cells[STATE][1])
    assert seen == [1, 2, 3, 5, 8, 13]


def test_any_numbers_will_do():
    cells = {
        STATE: [Fraction(1, 2), Fraction(1, 3)],
        "gain": [2],
        "push @0": [0],
        "push @1": [Fraction(1, 7)],
    }
    cells = round_of(FIBONACCI, lambda call, inputs: PROGRAMS[call.program](*inputs), cells)
    assert cells[STATE] == [Fraction(1, 3), Fraction(5, 3) + Fraction(1, 7)]


def test_cells_are_the_state_constants_samples_and_what_is_written():
    sizes = FIBONACCI.cells({"sum": 1, "shift": 2})
    assert sizes == {STATE: 2, "gain": 1, "push @0": 1, "push @1": 1, "total": 1, "next": 2}
    assert samples("push", Signal(3, 2)) == ["push @0", "push @1"]
