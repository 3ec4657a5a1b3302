"""What motions and torques tell of a robot's parameters."""

from __future__ import annotations

from strobe.identify.base_parameters import BaseParameters, base_parameters

__all__ = ["BaseParameters", "base_parameters"]
