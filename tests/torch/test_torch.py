"""Quantities on tensors of PyTorch: gradients of every order, transformations, the compiler, laws, sentences."""

import importlib.util
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import strobe
from strobe.errors import StrobeError
from strobe.quantities import Request

pytest.importorskip("torch", reason="torch is not installed")

import torch

import strobe.torch as st


def neighbour(name):
    """A module beside this one."""
    spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name(f"{name}.py"))
    sys.modules[name] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


on_tensors = neighbour("plain_torch").on_tensors
CALLS = {
    "inverse_dynamics": lambda robot, q, qd, x: st.inverse_dynamics(robot, q, qd, x, friction=False),
    "forward_dynamics": lambda robot, q, qd, x: st.forward_dynamics(robot, q, qd, x, friction=False),
    "mass_matrix": lambda robot, q, qd, x: st.mass_matrix(robot, q),
    "gravity": lambda robot, q, qd, x: st.gravity(robot, q),
    "bias": lambda robot, q, qd, x: st.bias(robot, q, qd),
    "energy": lambda robot, q, qd, x: st.energy(robot, q, qd),
    "forward_kinematics": lambda robot, q, qd, x: st.forward_kinematics(robot, q),
    "jacobian": lambda robot, q, qd, x: st.jacobian(robot, q),
}


def states(robot, batch=(), grad=True, dtype=torch.float64):
    given = [torch.from_numpy(x).to(dtype) for x in robot.random_state(0, batch)]
    return [x.requires_grad_(grad) for x in given]


def arrays(tensors):
    return [x.detach().numpy() for x in tensors]


# -- derivatives ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("quantity", CALLS)
def test_gradients_of_first_and_second_order_are_those_of_differences(quantity):
    robot = strobe.load("planar2")

    def call(*x):
        return CALLS[quantity](robot, *x)

    used = states(robot, 2)
    assert torch.autograd.gradcheck(call, used, check_forward_ad=True)
    assert torch.autograd.gradgradcheck(call, used)


@pytest.mark.parametrize("quantity", ["inverse_dynamics", "forward_dynamics", "energy", "jacobian"])
def test_gradients_are_those_that_pytorch_finds_in_the_recursion(quantity):
    robot = strobe.load("puma560")
    request = Request(quantity, friction=False).at_frames(robot.model)
    ours, plain = states(robot, 4), states(robot, 4)
    found = CALLS[quantity](robot, *ours)
    expected = on_tensors(request, robot.model)(*plain[: len(request.inputs(robot.model))])
    assert found.detach().numpy() == pytest.approx(expected.detach().numpy(), rel=1e-9, abs=1e-9)
    weights = torch.from_numpy(np.random.default_rng(0).normal(size=found.shape))
    found.backward(weights)
    expected.backward(weights)
    for x, y in zip(ours, plain, strict=True):
        if y.grad is None:
            assert x.grad is None
        else:
            assert x.grad.numpy() == pytest.approx(y.grad.numpy(), rel=1e-9, abs=1e-9)


def test_gradients_are_those_of_pinocchio():
    pin = pytest.importorskip("pinocchio", reason="pin is not installed")
    from strobe.analysis.peers import Pinocchio

    robot = strobe.load("panda")
    peer, (q, qd, tau) = Pinocchio(robot), states(robot)
    theirs = [peer.position(q.detach().numpy()), *(peer.rates(x.detach().numpy()) for x in (qd, tau))]
    expected = pin.computeABADerivatives(peer.model, peer.data, *theirs)
    found = torch.func.jacrev(partial(CALLS["forward_dynamics"], robot), (0, 1, 2))(q, qd, tau)
    for ours, matrix in zip(found, expected, strict=True):
        assert ours.detach().numpy() == pytest.approx(np.array(matrix), rel=1e-8, abs=1e-8)


def test_quaternions_have_gradients_by_their_four_numbers():
    robot = strobe.load("spherical3").with_base("floating")
    q, qd, qdd = states(robot)
    q, qd, qdd = (x.detach().requires_grad_() for x in (q, qd, qdd))
    for quantity in ("inverse_dynamics", "forward_kinematics"):
        assert torch.autograd.gradcheck(partial(CALLS[quantity], robot), (q, qd, qdd))


def test_only_what_is_asked_for_is_computed():
    robot = strobe.load("planar2")
    q, qd, qdd = states(robot, 5, grad=False)
    qdd.requires_grad_()
    tau = st.inverse_dynamics(robot, q, qd, qdd)
    tau.sum().backward()
    assert q.grad is None
    assert qdd.grad.numpy() == pytest.approx(robot.mass_matrix(q.numpy()).sum(axis=1))
    assert not st.inverse_dynamics(robot, q, qd, qdd.detach()).requires_grad


def test_what_is_the_same_for_several_states_has_the_sum_of_their_shares():
    robot = strobe.load("planar2")
    q, qd, qdd = states(robot, (3, 5), grad=False)
    one, rows = q[0, 0].clone().requires_grad_(), qd[:, :1].clone().requires_grad_()
    every = one.expand(3, 5, 2).detach().clone().requires_grad_()
    st.inverse_dynamics(robot, one, rows, qdd).sum().backward()
    st.inverse_dynamics(robot, every, rows.detach(), qdd).sum().backward()
    assert one.grad.numpy() == pytest.approx(every.grad.sum(dim=(0, 1)).numpy())
    assert rows.grad.shape == rows.shape


def test_parameters_have_the_regressor_for_their_slope_and_geometry_has_one():
    robot = strobe.load("panda")
    q, qd, qdd = states(robot, 20, grad=False)
    parameters = torch.tensor(robot.parameters, requires_grad=True)
    geometry = torch.tensor(robot.geometry, requires_grad=True)
    tau = st.inverse_dynamics(robot, q, qd, qdd, parameters=parameters, geometry=geometry)
    tau.sum().backward()
    expected = robot.regressor(*arrays((q, qd, qdd))).sum(axis=(0, 1))
    assert parameters.grad.numpy() == pytest.approx(expected, rel=1e-9, abs=1e-9)
    planar = strobe.load("planar2")
    given = (
        torch.tensor(planar.parameters, requires_grad=True),
        torch.tensor(planar.geometry, requires_grad=True),
    )
    q, qd, x = states(planar, 2)
    assert torch.autograd.gradcheck(
        lambda q, p, g: st.forward_dynamics(planar, q, qd, x, parameters=p, geometry=g), (q, *given)
    )


def test_wrenches_and_gravity_have_gradients():
    robot = strobe.load("panda")
    q, qd, qdd = states(robot, 5, grad=False)
    wrench = torch.zeros(5, 6, dtype=torch.float64, requires_grad=True)
    down = torch.tensor([0.0, 0.0, -9.81], dtype=torch.float64, requires_grad=True)
    st.inverse_dynamics(robot, q, qd, qdd, wrench=wrench, gravity=down).sum().backward()
    assert wrench.grad.numpy() == pytest.approx(-robot.jacobian(q.numpy()).sum(axis=-1), abs=1e-12)
    assert (down.grad @ down.detach()).item() == pytest.approx(robot.gravity(q.numpy()).sum())


# -- laws -----------------------------------------------------------------------------------------------


def test_the_slope_of_the_potential_energy_is_the_torque_of_gravity():
    robot = strobe.load("panda")
    q, qd, _ = states(robot, 20)
    (slope,) = torch.autograd.grad(st.energy(robot, q, qd)[..., 1].sum(), q)
    assert torch.allclose(slope, st.gravity(robot, q), rtol=0, atol=1e-11)


def test_the_slope_of_the_kinetic_energy_is_the_momentum_and_the_next_one_the_mass_matrix():
    robot = strobe.load("puma560")
    q, qd, _ = states(robot, 20)
    M = st.mass_matrix(robot, q)
    (momentum,) = torch.autograd.grad(st.energy(robot, q, qd)[..., 0].sum(), qd, create_graph=True)
    assert torch.allclose(momentum, (M @ qd[..., None])[..., 0], rtol=1e-11)
    (row,) = torch.autograd.grad(momentum[..., 2].sum(), qd)
    assert torch.allclose(row, M[..., 2], rtol=1e-11, atol=1e-11)


def test_slopes_of_the_mass_matrix_are_symmetric():
    robot = strobe.load("puma560")
    q, _, _ = states(robot)
    slopes = torch.func.jacrev(lambda q: st.mass_matrix(robot, q))(q.detach())
    assert torch.allclose(slopes, slopes.transpose(0, 1), rtol=0, atol=1e-12)


def test_lagrange_s_equations_give_the_torques():
    robot = strobe.load("planar3")
    q, qd, qdd = states(robot, grad=False)

    def lagrangian(q, qd):
        kinetic, potential = st.energy(robot, q, qd).unbind(-1)
        return kinetic - potential

    momentum, force = torch.func.grad(lagrangian, 1), torch.func.grad(lagrangian, 0)
    _, rate = torch.func.jvp(momentum, (q, qd), (qd, qdd))  # d/dt ∂L/∂qd
    expected = robot.inverse_dynamics(*arrays((q, qd, qdd)), friction=False)
    assert (rate - force(q, qd)).numpy() == pytest.approx(expected, rel=1e-10)


# -- transformations, and the compiler ------------------------------------------------------------------


def test_transformations_nest():
    robot = strobe.load("panda")
    q, qd, qdd = states(robot, 4, grad=False)

    def torques(q, qd, qdd):
        return st.inverse_dynamics(robot, q, qd, qdd)

    M = torch.from_numpy(robot.mass_matrix(q.numpy()))
    for jacobian in (torch.func.jacrev, torch.func.jacfwd):
        assert torch.allclose(torch.func.vmap(jacobian(torques, 2))(q, qd, qdd), M, atol=1e-12)
    one = [x[0] for x in (q, qd, qdd)]
    hessian = torch.func.hessian(lambda q: torques(q, *one[1:]).sum())(one[0])
    again = torch.func.jacrev(torch.func.jacrev(lambda q: torques(q, *one[1:]).sum()))(one[0])
    assert torch.allclose(hessian, again, atol=1e-10)


def test_mapped_axes_may_stand_anywhere():
    robot = strobe.load("planar2")
    q, qd, _ = states(robot, (3, 4), grad=False)
    expected = robot.bias(*arrays((q, qd)))
    mapped = torch.func.vmap(
        torch.func.vmap(lambda a, b: st.bias(robot, a, b), in_dims=(1, 0)), in_dims=(0, 0)
    )
    assert mapped(q.transpose(1, 2), qd).numpy() == pytest.approx(expected)
    shared = torch.func.vmap(lambda a, b: st.bias(robot, a, b), in_dims=(None, 1))(q[0, 0], qd)
    assert shared.numpy() == pytest.approx(robot.bias(q[0, 0].numpy(), np.swapaxes(qd.numpy(), 0, 1)))


def test_the_compiler_sees_the_whole_graph():
    robot = strobe.load("planar2")
    q, qd, qdd = states(robot, 3)
    parameters = torch.tensor(robot.parameters, requires_grad=True)
    hand = st.function(robot, "jacobian", frame=robot.tip)

    def loss(q, qd, qdd, parameters):
        tau = st.inverse_dynamics(robot, q, qd, qdd, parameters=parameters)
        return tau.square().sum() + hand(q).square().sum()

    compiled = torch.compile(loss, fullgraph=True, backend="aot_eager")
    expected = torch.autograd.grad(loss(q, qd, qdd, parameters), (q, parameters))
    found = torch.autograd.grad(compiled(q, qd, qdd, parameters), (q, parameters))
    for a, b in zip(found, expected, strict=True):
        assert torch.allclose(a, b, rtol=1e-12)


def test_the_operator_keeps_the_rules_of_operators():
    robot = strobe.load("planar2")
    q, qd, _ = states(robot, 3)
    asked = st.function(robot, "bias").asked
    torch.library.opcheck(torch.ops.strobe.ask.default, (asked.number, [q, qd]))


# -- rollouts -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["semi-implicit-euler", "rk4"])
def test_a_rollout_is_that_of_simulate_with_gradients(method):
    robot, steps = strobe.load("planar2"), 4
    q, qd, _ = states(robot)
    tau = torch.from_numpy(np.random.default_rng(0).normal(size=(steps, 2))).requires_grad_()
    places, rates = st.rollout(robot, q, qd, tau, 0.01, method=method, friction=False)
    held = strobe.simulate.TimeSeries(
        0.01 * np.arange(steps + 1), np.vstack([tau.detach(), np.zeros((1, 2))]), "zero-order"
    )
    run = strobe.simulate(
        robot, *arrays((q, qd)), held, 0.01 * steps, step=0.01, method=method, friction=False
    )
    assert places.detach().numpy() == pytest.approx(run.q, rel=1e-13)
    assert rates.detach().numpy() == pytest.approx(run.qd, rel=1e-13)

    length = torch.tensor(0.01, dtype=torch.float64, requires_grad=True)

    def call(q, qd, tau, length):
        return st.rollout(robot, q, qd, tau, length, method=method, friction=False)

    assert torch.autograd.gradcheck(call, (q, qd, tau, length))
    assert torch.autograd.gradgradcheck(call, (q, qd, tau, length))


def test_rollouts_of_batches_sum_what_they_share():
    robot = strobe.load("planar2")
    q, qd, _ = states(robot, (2, 3))
    tau = torch.zeros(4, 2, dtype=torch.float64, requires_grad=True)
    parameters = torch.tensor(robot.parameters, requires_grad=True)

    def call(q, tau, parameters):
        return st.rollout(robot, q, qd.detach(), tau, 0.01, parameters=parameters, friction=False)[0]

    assert call(q, tau, parameters).shape == (2, 3, 5, 2)
    assert torch.autograd.gradcheck(call, (q, tau, parameters))
    mapped = torch.func.vmap(lambda q, qd: st.rollout(robot, q, qd, tau.detach(), 0.01)[1])(
        q[0].detach(), qd[0].detach()
    )
    assert torch.allclose(mapped, st.rollout(robot, q[0], qd[0], tau, 0.01)[1])


# -- who gives tensors gets tensors ---------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_methods_of_a_robot_return_what_they_are_given(dtype):
    robot = strobe.load("panda")
    q, qd, qdd = states(robot, 3, dtype=dtype)
    tau = robot.inverse_dynamics(q, qd, qdd, friction=False)
    assert tau.dtype == dtype
    tau.sum().backward()
    assert q.grad.dtype == dtype
    expected = robot.inverse_dynamics(*arrays((q, qd, qdd)), friction=False)
    assert tau.detach().numpy() == pytest.approx(expected, rel=1e-5)
    found = robot.inverse_dynamics_derivatives(q, qd, qdd)
    assert found.M.shape == (3, 7, 7)
    assert isinstance(found.M, torch.Tensor)
    assert isinstance(robot.inverse_dynamics(*arrays((q, qd, qdd))), np.ndarray)


def test_numbers_beside_tensors_are_taken_for_constants():
    robot = strobe.load("planar2")
    q, _, _ = states(robot)
    assert st.bias(robot, q, [0.0, 0.0]).requires_grad
    assert robot.bias(q, np.zeros(2)).dtype == torch.float64


def test_layouts_in_memory_do_not_matter():
    robot = strobe.load("planar2")
    q, qd, _ = states(robot, 6, grad=False)
    turned = q.T.contiguous().T.requires_grad_()
    tau = st.bias(robot, turned[::2], qd[::2])
    assert tau.detach().numpy() == pytest.approx(robot.bias(*arrays((q[::2], qd[::2]))))
    tau.sum().backward()
    assert turned.grad.shape == q.shape
    assert st.bias(robot, q[:0], qd[:0]).shape == (0, 2)


vectorized = partial(torch.autograd.functional.jacobian, vectorize=True)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (
            lambda r, q, qd: st.bias(r, q, qd.float()),
            "q holds float64 and qd float32; expected one precision",
        ),
        (
            lambda r, q, qd: st.bias(r, q[:, :1], qd),
            r"q has shape \(3, 1\); planar2 has 2 joints, expected",
        ),
        (lambda r, q, qd: st.bias(r, q.half(), qd), "q holds float16; expected float64 or float32"),
        (lambda r, q, qd: st.bias(r, q.to_sparse(), qd), "q is a sparse tensor .*q.to_dense()"),
        (
            lambda r, q, qd: st.bias(r, q.to("meta"), qd),
            r"q is on meta; robots compute on cpu and cuda: q.cpu\(\).",
        ),
        (lambda r, q, qd: st.bias(r, [0, 0], [0, 0]), "none of q, qd is a tensor"),
        (lambda r, q, qd: st.bias(r, q, "a"), "qd is 'a'; expected a tensor, or numbers."),
        (lambda r, q, qd: st.bias(r, q, ["a"]), "qd holds what is no number"),
        (lambda r, q, qd: st.bias(r, q, qd[:2]), "the leading axes do not broadcast"),
        (lambda r, q, qd: st.bias("planar2", q, qd), "robot is a str; expected a robot"),
        (lambda r, q, qd: st.bias(r, q[0, 0], qd), r"q has shape \(\)"),
        (lambda r, q, qd: st.jacobian(r, q, "toe"), 'no frame "toe" in planar2'),
        (lambda r, q, qd: st.function(r, "bias")(q), "bias takes q, qd; got 1 argument."),
        (
            lambda r, q, qd: st.bias(r, q, qd, formulation=[1]),
            r"formulation is \[1\]; expected the name of one",
        ),
        (lambda r, q, qd: st.rollout(r, q[0], qd[0], qd[0], 0.1), "it holds the torques of every step"),
        (lambda r, q, qd: st.rollout(r, q, qd, qd, "a"), "step is the length of a step in seconds"),
        (lambda r, q, qd: st.rollout(r, q, qd, qd, 0.1, method="x"), 'method is "x"|no method|method'),
        (
            lambda r, q, qd: torch.autograd.functional.jacobian(
                lambda q: st.bias(r, q, qd), q, vectorize=True
            ),
            "vmap of torch.func",
        ),
        (lambda r, q, qd: r.bias(q, qd, out=np.zeros((3, 2))), "out= is for NumPy arrays"),
    ],
)
def test_mistakes_have_sentences(call, sentence):
    robot = strobe.load("planar2")
    q, qd, _ = states(robot, 3, grad=False)
    with pytest.raises(StrobeError, match=sentence):
        call(robot, q, qd)


def test_closed_chains_answer_and_have_no_gradient():
    robot = strobe.load("fivebar")
    q, qd, qdd = states(robot)
    tau = st.inverse_dynamics(robot, q, qd, qdd)
    assert tau.detach().numpy() == pytest.approx(robot.inverse_dynamics(*arrays((q, qd, qdd))))
    with pytest.raises(StrobeError, match="has closed chains, and its joints cannot move one by one"):
        tau.sum().backward()
    with pytest.raises(StrobeError, match="has closed chains; a rollout is of open ones"):
        st.rollout(robot, q, qd, qdd[None], 0.1)
