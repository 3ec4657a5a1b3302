"""What the hand carries, learnt from torques by gradient descent: its mass and where its centre is, in PyTorch.

Torques are differentiable in the robot's parameters, and these in the mass and the centre of a point that the last
body carries. Needs the extra "torch".
"""

import numpy as np
import torch

import strobe
import strobe.torch

panda = strobe.load("panda")
q, qd, qdd = (torch.from_numpy(x) for x in panda.random_state(seed=0, batch=200))
empty = torch.from_numpy(panda.parameters)


def carrying(mass, centre):
    """The parameters of the robot with a point mass on its last body, all about that body's origin."""
    square = centre @ centre * torch.eye(3, dtype=mass.dtype) - torch.outer(centre, centre)
    inertia = mass * square[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]  # xx, yy, zz, xy, xz, yz
    added = torch.cat([mass[None], mass * centre, inertia])
    return torch.cat([empty[:-10], empty[-10:] + added])


true_mass, true_centre = torch.tensor(1.8, dtype=q.dtype), torch.tensor([0.05, -0.03, 0.21], dtype=q.dtype)
measured = strobe.torch.inverse_dynamics(panda, q, qd, qdd, parameters=carrying(true_mass, true_centre))
measured = measured + 0.05 * torch.from_numpy(np.random.default_rng(0).standard_normal(measured.shape))

mass = torch.tensor(0.5, dtype=q.dtype, requires_grad=True)
centre = torch.zeros(3, dtype=q.dtype, requires_grad=True)
optimiser = torch.optim.Adam([{"params": [mass], "lr": 0.05}, {"params": [centre], "lr": 0.01}])


def report(when):
    off = (mass - true_mass).abs().item(), 1e3 * (centre - true_centre).norm().item()
    print(f"{when}: mass off by {off[0]:.3f} kg, centre by {off[1]:.1f} mm")


report("before")
for _ in range(300):
    optimiser.zero_grad()
    tau = strobe.torch.inverse_dynamics(panda, q, qd, qdd, parameters=carrying(mass, centre))
    (tau - measured).square().mean().backward()
    optimiser.step()
report("after")
print(f"learnt: {mass.item():.2f} kg at {centre.detach().numpy().round(2)} m")
