"""Users' own functions, compiled."""

import pickle

import numpy as np
import pytest

import strobe
from strobe.compiler.runtime import kernels
from strobe.compiler.runtime.traced import AsWritten
from strobe.errors import ArgumentError, NumberTruthError, ProgramSizeError, UnknownNameError
from strobe.scalars import cos, less, maximum, sin, sqrt, where


def pendulum(q, tau):
    return [(tau[0] - 9.81 * sin(q[0])) / 0.5]


def test_a_function_over_numbers_runs_on_arrays():
    kernel = strobe.trace(pendulum, q=1, tau=1)
    q, tau = np.random.default_rng(0).standard_normal((2, 50, 1))
    assert kernel(q, tau) == pytest.approx((tau - 9.81 * np.sin(q)) / 0.5)
    assert kernel(q=q[0], tau=[0.3]).shape == (1,)


def test_results_keep_their_nested_shape_and_lists_of_one_come_from_single_numbers():
    rotation = strobe.trace(lambda a: [[cos(a[0]), -sin(a[0])], [sin(a[0]), cos(a[0])]], a=1)
    assert rotation(np.zeros((4, 1))) == pytest.approx(np.broadcast_to(np.eye(2), (4, 2, 2)))
    assert strobe.trace(lambda x: x[0] * x[1], x=2)([2.0, 3.0]).tolist() == [6.0]


def test_decisions_are_written_with_where():
    clipped = strobe.trace(lambda x: [where(less(x[0], 0.0), 0.0, x[0])], x=1)
    assert clipped([[-1.0], [2.0]]).ravel().tolist() == [0.0, 2.0]
    with pytest.raises(NumberTruthError, match="use less"):
        strobe.trace(lambda x: [x[0] if x[0] else 0.0], x=1)


def test_what_a_function_closes_over_is_part_of_the_kernel():
    kernels = [strobe.trace(lambda x, k=k: [x[0] * k], x=1) for k in (2.0, 3.0)]
    assert [k([1.0])[0] for k in kernels] == [2.0, 3.0]


@pytest.mark.parametrize(
    ("ask", "sentence"),
    [
        (lambda: strobe.trace(pendulum), "needs the sizes of the arguments by name"),
        (lambda: strobe.trace(pendulum, q=0, tau=1), "q has size 0; expected a whole number"),
        (lambda: strobe.trace(pendulum, q=True, tau=1), "q has size True; expected"),
        (lambda: strobe.trace(lambda x: None, x=1), "returned a NoneType; expected numbers"),
        (lambda: strobe.trace(lambda out: out, out=1), 'cannot be named "out"'),
        (lambda: strobe.trace(pendulum, q=1), "pendulum cannot be traced: .*missing 1 required"),
        (lambda: strobe.trace(lambda x: [x[0], [x[0]]], x=1), "lists of equal lengths"),
        (lambda: strobe.trace(pendulum, q=1, tau=1)([1.0]), "pendulum takes q, tau; got q"),
        (lambda: strobe.trace(pendulum, q=1, tau=1)([1.0], [1.0], [1.0]), "takes 2 arrays"),
    ],
)
def test_mistakes_get_a_sentence(ask, sentence):
    with pytest.raises(ArgumentError, match=sentence):
        ask()


def test_sizes_are_checked():
    with pytest.raises(strobe.StrobeError, match=r"q has shape \(2,\); the function was traced for"):
        strobe.trace(pendulum, q=1, tau=1)([1.0, 2.0], [1.0])


# -- derivatives -------------------------------------------------------------------------------------


def spring(q, k):
    return [[q[0] * k[0] + sin(q[1]), q[1] / k[0]], [cos(q[0] * q[1]), where(less(q[0], 0.0), 0.0, q[0])]]


def test_a_jacobian_has_a_last_axis_of_the_numbers_it_is_taken_by():
    kernel = strobe.trace(spring, q=2, k=1)
    q, k = np.array([[0.3, -0.8], [-1.2, 0.4]]), np.array([2.0])
    by_q, by_both = kernel.jacobian("q"), kernel.jacobian()
    assert by_q.inputs == {"q": 2, "k": 1}
    found = by_q(q, k)
    assert found.shape == (2, 2, 2, 2)
    x, y = q.T
    one, zero = np.ones(2), np.zeros(2)
    wanted = [[[2 * one, np.cos(y)], [zero, one / 2]],
              [[-y * np.sin(x * y), -x * np.sin(x * y)], [np.where(x < 0, 0.0, 1.0), zero]]]  # fmt: skip
    assert found == pytest.approx(np.moveaxis(np.array(wanted), -1, 0))
    assert (by_both(q, k)[..., :2] == found).all()
    assert by_both(q, k)[..., 2] == pytest.approx(
        np.stack([[[x, -y / 4], [zero, zero]]])[0].T.swapaxes(1, 2)
    )


def test_a_jacobian_has_a_jacobian_and_survives_pickling():
    cubic = strobe.trace(cube, x=1)
    second = pickle.loads(pickle.dumps(cubic.jacobian("x").jacobian("x")))
    assert second([2.0]).tolist() == [[[12.0]]]
    assert second.name == "jacobian of jacobian of cube of a traced function"


def cube(x):
    return [x[0] * x[0] * x[0]]


@pytest.mark.parametrize(
    ("function", "x", "wanted"),
    [
        (
            lambda x: where(less(x[0], 0.0), x[1], sqrt(x[0]) * x[1] * x[2]),
            [-1.0, 2.0, 3.0],
            [0.0, 1.0, 0.0],
        ),
        (lambda x: where(less(x[0], 1e-3), x[1], x[1] * x[2] / x[0]), [0.0, 2.0, 3.0], [0.0, 1.0, 0.0]),
        (lambda x: maximum(x[1], x[2] / x[0]), [0.0, 2.0, -3.0], [0.0, 1.0, 0.0]),
    ],
)
def test_a_branch_that_is_not_taken_has_no_part_in_a_jacobian(function, x, wanted):
    by_x = strobe.trace(function, x=3).jacobian()
    assert np.array_equal(by_x(x), [wanted])
    assert np.array_equal(by_x.code._interpreted(np.array(x)), [wanted])


def test_a_jacobian_too_long_to_write_out_is_refused_before_it_is_made(monkeypatch):
    monkeypatch.setattr(kernels, "MOST_TRACED", 50)
    many = strobe.trace(lambda x: [sum(sin(x[i]) * x[i - j] for i in range(6)) for j in range(3)], x=6)
    with pytest.raises(
        ProgramSizeError, match="jacobian of lambda of a traced function takes more than 50"
    ):
        many.jacobian()(np.ones(6))


def test_a_jacobian_that_cannot_be_compiled_is_interpreted_on_duals():
    by_q = strobe.trace(spring, q=2, k=1).jacobian("q")
    q, k = np.array([[0.3, -0.8], [-1.2, 0.4]]), np.array([[2.0], [3.0]])
    assert by_q.code._interpreted(q, k) == pytest.approx(by_q(q, k), rel=1e-14)


def test_an_input_that_there_is_not_is_told_with_those_there_are():
    with pytest.raises(UnknownNameError, match='no input "qd" in spring'):
        strobe.trace(spring, q=2, k=1).jacobian("qd")


def test_what_is_done_as_it_is_written_has_the_bits_of_numpy():
    def written(a, b, c):
        x, y, z = a[0], b[0], c[0]
        return [
            x * y + z,
            x - y * z,
            x + y * z * z,
            x * y + x * z,
            (x + y) / 2.0 * z,
            where(less(x, y), x, y) * z,
        ]

    each = np.random.default_rng(3).standard_normal((3, 4000, 1))
    found = AsWritten(written, {"a": 1, "b": 1, "c": 1})
    x, y, z = each[..., 0]
    expected = [
        x * y + z,
        x - y * z,
        x + y * z * z,
        x * y + x * z,
        (x + y) / 2.0 * z,
        np.where(x < y, x, y) * z,
    ]
    assert np.array_equal(found(*each), np.stack(expected, axis=-1))
    assert isinstance(pickle.loads(pickle.dumps(AsWritten(pendulum, {"q": 1, "tau": 1}))), AsWritten)
