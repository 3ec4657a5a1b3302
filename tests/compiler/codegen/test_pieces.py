"""Long programs in pieces: nothing lost between them, and the same bits as in one."""

import numpy as np
import pytest

import strobe
from strobe.compiler.codegen import llvm_pieces, llvm_stream
from strobe.compiler.codegen.llvm import Emitter, Target
from strobe.compiler.codegen.llvm_pieces import Layout
from strobe.compiler.graph.fuse import fuse
from strobe.compiler.graph.order import ordered
from strobe.compiler.graph.program import trace
from strobe.compiler.runtime import cache
from strobe.compiler.runtime.kernels import Kernel
from strobe.quantities import Request
from strobe.scalars import Graph

TREE = strobe.random(4, seed=2, kinds="RPSF", tree=True)
REQUESTS = ("inverse_dynamics", "mass_matrix", "forward_dynamics", "frame_placements", "integrate")


@pytest.fixture
def short_pieces(monkeypatch):
    """Pieces so short that every program has many, and no disk that knows the usual ones."""
    monkeypatch.setattr(llvm_pieces, "LONGEST_PIECE", 60)
    monkeypatch.setattr(llvm_pieces, "ROOM", 2**20)
    monkeypatch.setattr(cache, "_folder", lambda: None)


def layout(quantity: str) -> tuple[Emitter, Layout]:
    emitter = Emitter(Kernel(TREE.model, Request(quantity)).program, Target(8))
    return emitter, emitter.layout


def test_a_short_program_is_one_piece_that_keeps_nothing():
    _, whole = layout("integrate")
    assert len(whole.pieces) == 1
    assert whole.kept == 0


@pytest.mark.slow
@pytest.mark.parametrize("quantity", REQUESTS)
def test_every_value_is_made_once_and_every_result_stored(short_pieces, quantity):
    emitter, cut = layout(quantity)
    assert len(cut.pieces) > 3
    made = [node for piece in cut.pieces for node in piece.nodes]
    assert len(made) == len(set(made))
    assert set(made) == {n for n in emitter.program.nodes if n.op not in ("input", "constant")}
    stored = {k for piece in cut.pieces for start in piece.results for k in range(start, start + 4)}
    assert stored.issuperset(range(len(emitter.program.outputs)))


@pytest.mark.parametrize("quantity", REQUESTS)
def test_no_slot_holds_two_values_at_a_time(short_pieces, quantity):
    _, cut = layout(quantity)
    made = {node: k for k, piece in enumerate(cut.pieces) for node in piece.nodes}
    until = dict.fromkeys(cut.slots, 0)
    for node, piece in made.items():
        for a in node.args:
            if a in until:
                until[a] = max(until[a], piece)
    for a, slot in cut.slots.items():
        for b, other in cut.slots.items():
            if a is not b and slot == other:
                assert until[a] <= made[b] or until[b] <= made[a]


def cut_and_whole(quantity, monkeypatch):
    """Results of batches of several sizes: in pieces from rows and from columns apart, and from one whole program."""
    parts = Kernel(TREE.model, Request(quantity)).code.ufunc()
    monkeypatch.setattr(llvm_pieces, "LONGEST_PIECE", 10**9)
    monkeypatch.setattr(llvm_pieces, "LONGEST_CROWDED", 10**9)
    whole = Kernel(TREE.model, Request(quantity)).code.ufunc()
    for states in (1, 7, 8, 65, 130):
        rng = np.random.default_rng(states)
        values = [
            rng.standard_normal((states, size)) for size in Request(quantity).inputs(TREE.model).values()
        ]
        values[0][0, 0] = 1e7  # beyond the fast sine
        yield parts(*values), parts(*(np.repeat(x, 2, 1)[:, ::2] for x in values)), whole(*values)


@pytest.mark.slow
@pytest.mark.parametrize("quantity", REQUESTS)
def test_pieces_compute_the_bits_of_the_whole(short_pieces, monkeypatch, quantity):
    for together, apart, expected in cut_and_whole(quantity, monkeypatch):
        assert np.array_equal(together, expected, equal_nan=True)
        assert np.array_equal(apart, expected, equal_nan=True)


def test_a_program_stays_whole_where_what_is_kept_would_not_fit_the_cache(monkeypatch):
    program = ordered(fuse(Kernel(TREE.model, Request("forward_dynamics")).program))
    blocks = [range(k, k + 1) for k in range(len(program.outputs))]
    monkeypatch.setattr(llvm_pieces, "LONGEST_PIECE", 300)
    monkeypatch.setattr(llvm_pieces, "ROOM", 2**20)
    cut = llvm_pieces.layout(program, blocks, 64)
    assert len(cut.pieces) > 1
    monkeypatch.setattr(llvm_pieces, "ROOM", 2 * 64 * cut.kept - 1)  # room for one group only
    assert len(llvm_pieces.layout(program, blocks, 64).pieces) == 1
    monkeypatch.setattr(llvm_pieces, "CACHE", 64)  # too small for the values alive in any case
    assert len(llvm_pieces.layout(program, blocks, 64).pieces) > 1


def test_pieces_for_few_registers_are_shorter():
    program = ordered(fuse(Kernel(TREE.model, Request("forward_dynamics")).program))
    blocks = [range(k, k + 1) for k in range(len(program.outputs))]
    some, more = (llvm_pieces.layout(program, blocks, 32, crowded=few) for few in (False, True))
    assert len(more.pieces) > len(some.pieces)


@pytest.fixture
def long_rows(short_pieces, monkeypatch):
    """Results so many that they are written by pieces of their own."""
    monkeypatch.setattr(llvm_pieces, "LONGEST_ROW", 8)
    monkeypatch.setattr(llvm_pieces, "BLOCKS_AT_ONCE", 5)


def test_many_results_are_written_from_first_to_last_after_all_else(long_rows):
    _, cut = layout("mass_matrix")
    computing = [k for k, piece in enumerate(cut.pieces) if piece.nodes]
    storing = [k for k, piece in enumerate(cut.pieces) if piece.results]
    assert max(computing) < min(storing)
    starts = [start for piece in cut.pieces for start in piece.results]
    assert starts == sorted(starts)
    assert all(len(cut.pieces[k].results) <= 5 for k in storing)


@pytest.mark.slow
@pytest.mark.parametrize("quantity", ["mass_matrix", "frame_placements"])
def test_results_that_are_written_at_the_end_have_the_bits_of_the_whole(long_rows, monkeypatch, quantity):
    for together, apart, expected in cut_and_whole(quantity, monkeypatch):
        assert np.array_equal(together, expected, equal_nan=True)
        assert np.array_equal(apart, expected, equal_nan=True)


@pytest.fixture
def streamed(long_rows, monkeypatch):
    """Results that go past the caches however few they are."""
    monkeypatch.setattr(llvm_pieces, "BLOCKS_AT_ONCE", 32)
    monkeypatch.setattr(llvm_stream, "MOST_CACHED", 0)


@pytest.mark.slow
@pytest.mark.parametrize("single", [False, True])
def test_results_that_go_past_the_caches_have_the_bits_of_the_others(streamed, monkeypatch, single):
    request, dtype = Request("frame_placements"), np.float32 if single else np.float64
    past = Kernel(TREE.model, request).code.ufunc(single)
    monkeypatch.setattr(llvm_stream, "MOST_CACHED", 2**40)
    through = Kernel(TREE.model, request).code.ufunc(single)
    core = request.shape(TREE.model)
    size = int(np.prod(core))
    for states in (1, 7, 65):
        q = np.random.default_rng(states).standard_normal((states, TREE.nq)).astype(dtype)
        for offset in (0, 1, 5):  # from the beginning of a line of the cache
            for gap in (0, 3):
                memory = np.full(offset + states * (size + gap), 7.0, dtype)
                out = memory[offset:].reshape(states, size + gap)[:, :size].reshape(states, *core)
                assert np.shares_memory(out, memory)
                past(q, out=out)
                assert np.array_equal(out, through(q))
                assert (memory[:offset] == 7.0).all()
                assert (memory[offset:].reshape(states, -1)[:, size:] == 7.0).all()


@pytest.mark.slow
def test_what_parameters_decide_once_goes_past_the_caches_too(streamed, monkeypatch):
    request = Request("mass_matrix", parameters="runtime")
    q = TREE.random_state(seed=1, batch=20)[0]
    past = Kernel(TREE.model, request).code.shared.ufunc()(q, TREE.parameters)
    monkeypatch.setattr(llvm_stream, "MOST_CACHED", 2**40)
    assert np.array_equal(past, Kernel(TREE.model, request).code.shared.ufunc()(q, TREE.parameters))


def test_a_block_of_one_constant_is_stored_as_it_is():
    """Trees have zeros between branches, and no shuffle turns those."""
    text = Emitter(trace(lambda x: [0.0] * 8 + [x[0]] * 4, {"x": 2}, (12,), Graph()), Target(8)).text()
    body = text[: text.index("define void @loop")]
    plain = Emitter(trace(lambda x: [x[0]] * 4, {"x": 2}, (4,), Graph()), Target(8)).text()
    extra = body.count("shufflevector") - plain[: plain.index("define void @loop")].count("shufflevector")
    assert extra == 1 + 2 * 2  # the constant spread, and for each block its halves


def test_only_pieces_that_do_nothing_but_write_go_past_the_caches(streamed):
    emitter, cut = layout("frame_placements")
    text = emitter.text()
    writing = [piece for piece in cut.pieces if not piece.nodes]
    assert 0 < len(writing) < len(cut.pieces)
    assert text.count("call void @send(") == len(writing)
    assert text.count("!nontemporal") == 1
    assert "nontemporal" not in layout("integrate")[0].text()
