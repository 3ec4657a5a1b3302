"""The constants of a robot as vectors, with their names.

What a method is given as ``parameters=`` or ``geometry=`` stands instead of these; one row serves all states.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from strobe.models import parameters as constants
from strobe.robot.answers import Array, Names
from strobe.robot.description import Described


class Constants(Described):
    """A model's inertial parameters, drives and geometry."""

    @cached_property
    def parameters(self) -> Array:
        """The inertial parameters π (10 · bodies), ten of each body about its origin in body axes."""
        return np.array(constants.inertial_numbers(self.model), float)

    @cached_property
    def parameter_names(self) -> Names:
        """One name per inertial parameter: m1, mcx1, mcy1, mcz1, Ixx1, Iyy1, Izz1, Ixy1, Ixz1, Iyz1, m2, …"""
        return constants.inertial_names(self.model)

    @cached_property
    def drive_parameters(self) -> Array:
        """Rotor inertia, viscous and Coulomb friction forwards and backwards of every degree of freedom."""
        return np.array(constants.drive_numbers(self.model), float)

    @cached_property
    def drive_names(self) -> Names:
        """One name per number of `drive_parameters`: Ir1, v1, fp1, fn1, Ir2, …"""
        return constants.drive_names(self.model)

    @cached_property
    def geometry(self) -> Array:
        """The numbers that place the joints, where they are neither zero nor right angles."""
        return np.array(constants.geometry_numbers(self.model), float)

    @cached_property
    def geometry_names(self) -> Names:
        """One name per number of `geometry`: x2, y2, z2 displace body 2, rx2, ry2, rz2 turn it about an axis."""
        return constants.geometry_names(self.model)

    @cached_property
    def full_geometry(self) -> Array:
        """Every number that places a joint, zeros and right angles too."""
        return np.array(constants.geometry_numbers(self.model, full=True), float)

    @cached_property
    def full_geometry_names(self) -> Names:
        """One name per number of `full_geometry`."""
        return constants.geometry_names(self.model, full=True)
