"""A request at work on a model: the methods that answer it and the wrenches that act."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from strobe.algebra import Force
from strobe.algebra.rows import minus, plus
from strobe.formulations import FORMULATIONS, composite_body, formulation, kinematics, strobing
from strobe.models.couplings import Coordinates, coordinates
from strobe.models.model import Model
from strobe.models.regroup import regrouped
from strobe.scalars import Num, Numbers

if TYPE_CHECKING:
    from strobe.quantities.request import Request

CHEAPEST = FORMULATIONS["newton-euler-moments"]  # fewest instructions, once regrouped and shared


@dataclass(frozen=True)
class Asked:
    """A request at work on a model: the methods to use and the wrenches that act."""

    model: Model
    request: Request
    wrenches: Mapping[str, Numbers]

    @property
    def coordinates(self) -> Coordinates:
        return coordinates(self.model)

    @property
    def parents(self) -> Sequence[int]:
        """For each independent degree of freedom the one before it, for elimination of the mass matrix."""
        return self.model.dof_parents if self.coordinates.trivial else range(-1, self.coordinates.nv - 1)

    def dofs(self, names: Sequence[str]) -> list[int]:
        """The degrees of freedom of named joints."""
        joints = [joint for joint in self.coordinates.joints if joint.name in names]
        return [joint.v + k for joint in joints for k in range(joint.nv)]

    def inverse_dynamics(self, q: Numbers, qd: Numbers, qdd: Numbers) -> list[Num]:
        """The rigid-body torques, by the method asked for or by the cheapest."""
        if self.request.formulation is not None:
            return formulation(self.request.formulation).inverse_dynamics(self.model, q, qd, qdd)
        return CHEAPEST.inverse_dynamics(regrouped(self.model, flat=True), q, qd, qdd)

    def loaded_dynamics(self, q: Numbers, qd: Numbers, qdd: Numbers) -> list[Num]:
        """The rigid-body torques less Σ Jᵀ F, which the cheapest method takes along on its way inwards."""
        if self.request.formulation is not None:
            return minus(self.inverse_dynamics(q, qd, qdd), self.external(q))
        return CHEAPEST.module.inverse_dynamics(
            regrouped(self.model, flat=True), q, qd, qdd, self.outside(q)
        )

    def external(self, q: Numbers) -> list[Num]:
        """Σ Jᵀ F."""
        tree = self.model.proximal()
        total: list[Num] = [0.0] * tree.nv
        for frame, wrench in self.wrenches.items():
            total = plus(total, kinematics.joint_torques(tree, q, tree.frame(frame), wrench))
        return total

    def outside(self, q: Numbers) -> dict[int, Force]:
        """The wrenches as forces on the bodies that move, in the axes of their joint frames."""
        tree = self.model.proximal()
        loads = [(tree.frame(name), wrench) for name, wrench in self.wrenches.items()]
        return kinematics.forces_on_bodies(tree, q, loads)

    def mass_matrix(self, q: Numbers) -> list[list[Num]]:
        """The rigid-body mass matrix: by composite bodies, or strobed through the method asked for."""
        if self.request.formulation is None:
            return composite_body.mass_matrix(regrouped(self.model), q)
        method = formulation(self.request.formulation)
        own = getattr(method.module, "mass_matrix", None)
        return own(self.model, q) if own else strobing.mass_matrix(method.inverse_dynamics, self.model, q)
