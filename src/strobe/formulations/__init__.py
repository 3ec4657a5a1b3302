"""The equations, one module per method, written once over numbers.

In the order of the data:

    links                   a serial arm in the papers' letters
    world                   a tree in base axes, for the Jacobian methods
    kinematics              placements, velocities, Jacobians and their rates
    reference_frames        in which axes, and at which point, a motion is told

    spatial_newton_euler    O(n), trees, every joint: what torques are compared with
    newton_euler            link coordinates, centres of mass
    newton_euler_hat        through the matrix Â
    newton_euler_base       base coordinates
    newton_euler_orin       motion in base, forces in link coordinates
    newton_euler_armstrong  joint frames, first moments, trees
    newton_euler_moments    the same over second moments: what runs
    modified_newton_euler   forces and moments straight from Â
    uicker_kahn             Lagrange with 4×4 matrices, O(n⁴)
    waters                  backward recursion, O(n²)
    waters_steps            the steps on the way to it
    waters_recursive        both of its recursions, O(n)
    hollerbach_backward     with one acceleration of each matrix, O(n²)
    hollerbach_4x4          recursive Lagrange, O(n)
    hollerbach_3x3          with 3×3 matrices, corrected
    hollerbach_3x3_printed  with the errata of its equations
    turney_lagrange         kinematics summed before the trace, O(n³)
    lagrange_jacobian       H, h and G through link Jacobians
    decomposition           D, C and G by cross products
    configuration_space     coefficients that depend on q alone
    gibbs_appell            derivatives of an energy of accelerations, O(n²), trees

    strobing                M, C and g from any inverse dynamics, by unit vectors
    composite_body          M, O(n²)
    composite_coriolis      C, O(n · depth)
    composite_derivatives   derivatives of torques, O(n · depth)
    articulated_body        accelerations from torques, O(n)
    armstrong_forward       with 3×3 matrices, where joints turn freely
    transmission            all six components at every joint
    energy_and_momentum     with the centre of mass, O(n)
    centroidal              momentum about the centre of mass, as a matrix
    regressors              torques as linear functions of inertial parameters
    loop_constraints        how far loops are open, and what they demand
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType

from strobe.algebra import Force
from strobe.errors import UnknownNameError, UnsupportedModelError
from strobe.formulations import (
    composite_body,
    configuration_space,
    decomposition,
    gibbs_appell,
    hollerbach_3x3,
    hollerbach_3x3_printed,
    hollerbach_4x4,
    hollerbach_backward,
    lagrange_jacobian,
    modified_newton_euler,
    newton_euler,
    newton_euler_armstrong,
    newton_euler_base,
    newton_euler_hat,
    newton_euler_moments,
    newton_euler_orin,
    spatial_newton_euler,
    turney_lagrange,
    uicker_kahn,
    waters,
    waters_recursive,
)
from strobe.models.model import Model
from strobe.scalars import Num, Numbers

CHAIN, ONE_DEGREE, TREE = "chain", "one-degree", "tree"  # what a method runs on


@dataclass(frozen=True, slots=True)
class Formulation:
    """A way to compute the torques of a motion: its module, what it runs on, whether it knows a tool wrench."""

    name: str
    module: ModuleType
    scope: str = CHAIN
    tool: bool = False

    @property
    def inverse_dynamics(self) -> Callable[..., list[Num]]:
        return self.module.inverse_dynamics

    def refusal(self, model: Model) -> str | None:
        """Why this method cannot run on a model, or None."""
        if not model.bodies:
            return f"{model.name} has no joints: there is nothing to compute."
        if self.scope == CHAIN and not model.is_serial:
            return f"{model.name} {model.not_serial}, which {self.name} needs."
        if self.scope == ONE_DEGREE and any(joint.nv != 1 for joint in model.joints):
            return f"{model.name} has a joint with several degrees of freedom; {self.name} takes joints with one."
        if self.scope == ONE_DEGREE and not all(joint.is_elementary for joint in model.joints):
            joint = next(joint for joint in model.joints if not joint.is_elementary)
            takes = f"{self.name} takes joints that turn or slide."
            return f'joint "{joint.name}" of {model.name} is {joint.kind}; {takes}'
        return None

    def with_tool(self, model: Model, q: Numbers, qd: Numbers, qdd: Numbers, tool: Force) -> list[Num]:
        """Torques with a wrench that the hand exerts, in the last link's frame, where the method has one."""
        if not self.tool:
            known = ", ".join(method.name for method in FORMULATIONS.values() if method.tool)
            raise UnsupportedModelError(
                f"{self.name} has no tool wrench; its paper leaves it out. Methods that have one: {known}."
            )
        return self.inverse_dynamics(model, q, qd, qdd, tool)


FORMULATIONS: dict[str, Formulation] = {
    method.name: method
    for method in (
        Formulation("uicker-kahn", uicker_kahn),
        Formulation("waters", waters),
        Formulation("waters-recursive", waters_recursive),
        Formulation("hollerbach-backward", hollerbach_backward),
        Formulation("hollerbach-4x4", hollerbach_4x4),
        Formulation("hollerbach-3x3", hollerbach_3x3),
        Formulation("newton-euler-base", newton_euler_base, tool=True),
        Formulation("newton-euler-orin", newton_euler_orin, tool=True),
        Formulation("newton-euler", newton_euler, tool=True),
        Formulation("newton-euler-hat", newton_euler_hat, tool=True),
        Formulation("newton-euler-armstrong", newton_euler_armstrong, TREE),
        Formulation("newton-euler-moments", newton_euler_moments, TREE),
        Formulation("turney-lagrange", turney_lagrange),
        Formulation("modified-newton-euler", modified_newton_euler, tool=True),
        Formulation("decomposition", decomposition, ONE_DEGREE),
        Formulation("lagrange-jacobian", lagrange_jacobian, ONE_DEGREE),
        Formulation("gibbs-appell", gibbs_appell, ONE_DEGREE),
        Formulation("configuration-space", configuration_space, TREE),
        Formulation("spatial-newton-euler", spatial_newton_euler, TREE),
        Formulation("composite-body", composite_body, TREE),
    )
}
"""Every method that gives the torques of a motion. `articulated_body` and `armstrong_forward` give
accelerations and stand apart."""

PRINTED = Formulation("hollerbach-3x3-printed", hollerbach_3x3_printed)
"""Wrong on purpose: a paper's equations with their errata, to be asked for by name only."""

REFERENCE = "spatial-newton-euler"
"""What the others are compared with: it takes every tree. What runs is chosen elsewhere."""
DEFAULT = REFERENCE  # its old name, for one version


def formulation(name: str | None) -> Formulation:
    """A formulation by its name; the reference for None."""
    name = REFERENCE if name is None else name
    if name == PRINTED.name:
        return PRINTED
    if name not in FORMULATIONS:
        raise UnknownNameError("formulation", name, "strobe", [*FORMULATIONS, PRINTED.name])
    return FORMULATIONS[name]
