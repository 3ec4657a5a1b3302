"""What compiled kernels take and give as NumPy ufuncs."""

import sys
import warnings

import numpy as np
import pytest

import strobe
from strobe.compiler.runtime import gufunc
from strobe.compiler.runtime.kernels import Kernel
from strobe.errors import ArgumentError, DtypeError, ShapeError
from strobe.quantities import Request

N, ARM = 11, 6
ROBOT = strobe.load("puma560")
PLAIN = strobe.Robot(ROBOT.model, compiled=False)


def _unaligned(x):
    raw = np.zeros(x.nbytes + 1, np.uint8)
    moved = raw[1:].view(x.dtype).reshape(x.shape)
    moved[...] = x
    return moved


def _read_only(x):
    copy = x.copy()
    copy.flags.writeable = False
    return copy


def _inside(x):
    """The same numbers in the middle of a larger array, every second one."""
    large = np.full((*(2 * size + 3 for size in x.shape),), np.nan, x.dtype)
    part = large[tuple(slice(1, 2 * size + 1, 2) for size in x.shape)]
    part[...] = x
    return part


LAYOUTS = {
    "contiguous": lambda x: x.copy(),
    "Fortran": np.asfortranarray,
    "reversed batch": lambda x: x[::-1].copy()[::-1],
    "reversed core": lambda x: x[..., ::-1].copy()[..., ::-1],
    "reversed both": lambda x: x[::-1, ..., ::-1].copy()[::-1, ..., ::-1],
    "inside a larger array": _inside,
    "byte-swapped": lambda x: x.astype(x.dtype.newbyteorder()),
    "unaligned": _unaligned,
    "read-only": _read_only,
}


@pytest.fixture(scope="module")
def states():
    return ROBOT.random_state(seed=3, batch=N)


@pytest.fixture(scope="module")
def torques():
    """The raw ufunc of the torques."""
    return Kernel(ROBOT.model, Request("inverse_dynamics")).code.ufunc()


@pytest.fixture(scope="module")
def inertia():
    """The raw ufunc of the mass matrix."""
    return Kernel(ROBOT.model, Request("mass_matrix")).code.ufunc()


@pytest.fixture(params=["raw ufunc", "ctypes loop"])
def either(request, monkeypatch):
    """The torques through NumPy's ufunc, and through what stands in for it."""
    if request.param == "ctypes loop":
        monkeypatch.setattr(gufunc, "available", lambda: False)
    return Kernel(ROBOT.model, Request("inverse_dynamics")).code.ufunc()


def test_a_kernel_is_a_numpy_ufunc_with_frozen_sizes(torques, inertia):
    assert isinstance(torques, np.ufunc)
    assert (torques.signature, torques.types) == ("(6),(6),(6)->(6)", ["ddd->d"])
    assert inertia.signature == "(6)->(6,6)"
    assert (torques.__name__, torques.__doc__.splitlines()[-1]) == (
        "inverse_dynamics",
        "inverse_dynamics of puma560",
    )


@pytest.mark.parametrize("layout", LAYOUTS)
def test_inputs_of_any_layout_give_the_same_bits(either, states, layout):
    expected = either(*states)
    np.testing.assert_allclose(expected, PLAIN.inverse_dynamics(*states), rtol=1e-12, atol=1e-12)
    assert np.array_equal(either(*map(LAYOUTS[layout], states)), expected)
    assert np.array_equal(either(LAYOUTS[layout](states[0]), *states[1:]), expected)
    assert np.array_equal(ROBOT.inverse_dynamics(*map(LAYOUTS[layout], states)), expected)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_outputs_of_any_layout_are_filled(inertia, states, layout):
    expected = inertia(states[0])
    out = LAYOUTS[layout](np.full((N, ARM, ARM), np.nan))
    if layout == "read-only":
        with pytest.raises(ValueError, match="read-only"):
            inertia(states[0], out=out)
        with pytest.raises(ArgumentError, match="out is a read-only float64 array"):
            ROBOT.mass_matrix(states[0], out=out)
        return
    for fill in (lambda: inertia(states[0], out=out), lambda: ROBOT.mass_matrix(states[0], out=out)):
        out[...] = np.nan
        assert fill() is out
        assert np.array_equal(out, expected)


@pytest.mark.parametrize("axes", [(0, 2, 1), (2, 1, 0), (1, 0, 2), (2, 0, 1), (1, 2, 0)])
def test_a_matrix_may_be_written_in_any_order_of_axes(inertia, states, axes):
    expected = inertia(states[0])
    shape = tuple(np.empty((N, ARM, ARM)).transpose(axes).shape)
    for call in (inertia, ROBOT.mass_matrix):
        out = np.full(shape, np.nan).transpose(np.argsort(axes))
        assert out.shape == expected.shape
        call(states[0], out=out)
        assert np.array_equal(out, expected)


def test_writing_inside_a_larger_array_leaves_its_surroundings_alone(inertia, states):
    large = np.full((2 * N, ARM + 4, 2 * ARM + 1), -7.0)
    part = large[::2, 2:-2, 1::2]
    for call in (inertia, ROBOT.mass_matrix):
        large[...] = -7.0
        call(states[0], out=part)
        assert np.count_nonzero(large == -7.0) == large.size - part.size


def test_leading_axes_broadcast(either, states):
    q, qd, qdd = states
    grid = either(q[:, None], qd[None, :4], qdd[0])
    assert grid.shape == (N, 4, ARM)
    assert np.array_equal(grid[3, 2], either(q[3], qd[2], qdd[0]))
    same = np.broadcast_to(q[0], (5, ARM))  # stride zero
    assert np.array_equal(either(same, qd[:5], qdd[:5]), either(q[0], qd[:5], qdd[:5]))


@pytest.mark.parametrize("batch", [(0,), (3, 0), (0, 2), (), (1,), (2, 3, 4)])
def test_batches_may_be_empty_or_have_many_axes(either, batch):
    q, qd, qdd = ROBOT.random_state(seed=1, batch=batch)
    assert either(q, qd, qdd).shape == (*batch, ARM)
    assert ROBOT.mass_matrix(q).shape == (*batch, ARM, ARM)


def test_the_output_may_be_an_input(either, states):
    q, qd, qdd = states
    expected = either(q, qd, qdd)
    for call in (either, ROBOT.inverse_dynamics):
        for k in range(3):
            mine = [q.copy(), qd.copy(), qdd.copy()]
            call(*mine, out=mine[k])
            assert np.array_equal(mine[k], expected)


@pytest.mark.parametrize("shift", [-8, -3, -1, 1, 3, 8])
def test_the_output_may_overlap_an_input_by_some_rows(either, states, shift):
    q, qd, qdd = states
    expected = either(q, qd, qdd)
    for call in (either, ROBOT.inverse_dynamics):
        room = np.zeros((N + 8, ARM))
        there, here = (room[max(0, s) : max(0, s) + N] for s in (-shift, shift))
        there[...] = q
        call(there, qd, qdd, out=here)
        assert np.array_equal(here, expected)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_single_precision_stays_single(states, layout):
    narrow = [LAYOUTS[layout](x.astype(np.float32)) for x in states]
    tau = ROBOT.inverse_dynamics(*narrow)
    assert tau.dtype == np.float32
    np.testing.assert_allclose(tau, PLAIN.inverse_dynamics(*states), rtol=1e-4, atol=2e-4)


def test_a_result_is_rounded_into_an_output_of_another_precision(states):
    expected = ROBOT.inverse_dynamics(*states)
    for dtype in (np.float32, ">f8", np.longdouble):
        out = np.empty((N, ARM), dtype)
        assert ROBOT.inverse_dynamics(*states, out=out) is out
        assert np.array_equal(out, expected.astype(dtype))


def test_integers_are_numbers(either):
    q = np.arange(-9, 9).reshape(3, ARM)
    assert np.array_equal(either(q, q, q), either(*[q.astype(float)] * 3))
    assert np.array_equal(
        ROBOT.inverse_dynamics(q.astype(np.uint8), q, q),
        either(q.astype(np.uint8).astype(float), *[q.astype(float)] * 2),
    )
    assert np.array_equal(
        ROBOT.inverse_dynamics([0] * 6, [1] * 6, [0] * 6), either(*np.float64([[0] * 6, [1] * 6, [0] * 6]))
    )


def test_what_follows_from_masked_numbers_is_not_a_number(states):
    q, qd, qdd = states
    hidden = np.ma.array(q, mask=False)
    hidden[2, 1] = np.ma.masked
    tau = ROBOT.inverse_dynamics(hidden, qd, qdd)
    assert type(tau) is np.ndarray
    assert np.isnan(tau[2]).any()
    assert np.array_equal(np.delete(tau, 2, 0), np.delete(ROBOT.inverse_dynamics(q, qd, qdd), 2, 0))


def test_a_matrix_object_is_an_array(states):
    q = states[0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PendingDeprecationWarning)
        assert np.array_equal(ROBOT.gravity(np.matrix(q)), ROBOT.gravity(q))
        np.testing.assert_allclose(PLAIN.gravity(np.matrix(q)), ROBOT.gravity(q), atol=1e-12)


@pytest.mark.parametrize("size", [0, 1, 5, 7, 12])
def test_vectors_of_another_length_are_refused_before_they_are_read(either, size):
    right, wrong = np.zeros((4, ARM)), np.zeros((4, size))
    for arguments in ((wrong, right, right), (right, wrong, right), (wrong, wrong, wrong)):
        with pytest.raises(ValueError, match="core dimension|do not end in"):
            either(*arguments)
    with pytest.raises(ShapeError, match=rf"qd has shape \(4, {size}\); puma560 has 6 joints, expected"):
        ROBOT.inverse_dynamics(right, wrong, right)


def test_numbers_without_axes_are_refused(either):
    with pytest.raises(ValueError, match="does not have enough dimensions|do not end in"):
        either(0.0, 0.0, 0.0)
    with pytest.raises(ShapeError, match=r"q has shape \(\)"):
        ROBOT.gravity(0.0)


@pytest.mark.parametrize("shape", [(N, 5), (N, 7), (N - 1, ARM), (ARM,), (1, N, ARM)])
def test_outputs_of_another_shape_are_refused(states, torques, shape):
    with pytest.raises(ValueError, match="the result does not fit"):
        ROBOT.inverse_dynamics(*states, out=np.empty(shape))
    if len(shape) < 3:  # NumPy itself would broadcast into more axes
        with pytest.raises(ValueError, match="dimension|broadcast"):
            torques(*states, out=np.empty(shape))


@pytest.mark.parametrize("bad", [np.zeros(6, complex), np.zeros(6, bool), np.array(["a"] * 6), [None] * 6])
def test_what_is_not_a_real_number_is_refused(bad):
    with pytest.raises(DtypeError, match="expected real numbers"):
        ROBOT.gravity(bad)


def test_infinity_and_nan_pass_without_warnings(states):
    q = states[0].copy()
    q[0, 0], q[1, 1], q[2, 2], q[3, 3] = np.inf, np.nan, -np.inf, 1e300
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        serial = ROBOT.mass_matrix(q)
        assert np.array_equal(
            ROBOT.kernel(Request("mass_matrix"))({"q": q}, None, 2), serial, equal_nan=True
        )
    assert np.isfinite(serial[3:]).all()
    np.testing.assert_allclose(serial[3:], PLAIN.mass_matrix(q[3:]), atol=1e-12)


GUARDED = """
import ctypes, mmap
import numpy as np
import strobe
from strobe.quantities import Request
from strobe.runtime.kernels import Kernel

libc, page = ctypes.CDLL(None, use_errno=True), mmap.PAGESIZE


class Room:
    '''Memory between two pages that nobody may touch.'''

    def __init__(self, size):
        self.size = -(-size // page) * page
        self.map = mmap.mmap(-1, self.size + 2 * page)
        start = ctypes.addressof(ctypes.c_char.from_buffer(self.map))
        for guard in (start, start + page + self.size):
            assert libc.mprotect(ctypes.c_void_p(guard), page, 0) == 0

    def array(self, shape, dtype, at_end):
        size = int(np.prod(shape)) * np.dtype(dtype).itemsize
        offset = page + (self.size - size if at_end else 0)
        return np.frombuffer(self.map, dtype, int(np.prod(shape)), offset).reshape(shape)


def check(kernel, single, count, rooms):
    dtype = np.float32 if single else np.float64
    sizes = list(kernel.request.inputs(kernel.model).values())
    core = kernel.request.shape(kernel.model)
    rng = np.random.default_rng(count)
    values = [rng.normal(size=(count, size)).astype(dtype) for size in sizes]
    expected = kernel.code.ufunc(single)(*values)
    for at_end in (True, False):
        arrays = [room.array(x.shape, dtype, at_end) for room, x in zip(rooms, values)]
        for array, x in zip(arrays, values):
            array[...] = x
        out = rooms[-1].array((count, *core), dtype, at_end)
        kernel.code.ufunc(single)(*arrays, out=out)
        assert np.array_equal(out, expected), (kernel.request, single, count)
        if len(core) == 1 and sizes[0] == core[0]:  # backwards through memory, and its own input
            kernel.code.ufunc(single)(arrays[0][::-1], *arrays[1:], out=arrays[0][::-1])


rooms = [Room(2 * page) for _ in range(4)]
checked = 0
for n in range(1, 10):
    model = strobe.random(n).model
    for quantity in ("difference", "integrate", "forward_kinematics", "jacobian"):
        for single in (False, True):
            if quantity in ("forward_kinematics", "jacobian") and (single or n not in (1, 3, 8)):
                continue
            kernel = Kernel(model, Request(quantity))
            for count in range(1, 18):
                check(kernel, single, count, rooms)
                checked += 1
print(checked)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="guard pages are made with mprotect")
def test_no_kernel_touches_memory_beyond_its_arrays(python):
    assert int(python(GUARDED)) == (9 * 4 + 3 * 2) * 17
