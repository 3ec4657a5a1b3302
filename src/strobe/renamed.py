"""Modules under their old names: they work for one version, and a warning says the new name."""

from __future__ import annotations

import importlib
import sys
import warnings
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from importlib.abc import Loader

ROOMS = {
    "graph": "compiler.graph",
    "codegen": "compiler.codegen",
    "runtime": "compiler.runtime",
    "export": "compiler.export",
}
MODULES = {
    "analysis.certificates": "papers.certificates",
    "analysis.fewest_records": "papers.fewest_records",
    "analysis.measured": "papers.counted_code",
    "equations.noise": "show.rounding_noise",
    "simulate.side_by_side": "simulate.batch_stepper",
    "study.figure_trajectory": "trajectory.figure",
    "study.figure_zmp": "mechanisms.figure_zmp",
    "trajectory.achievable": "trajectory.achievable_accelerations",
    "codegen.c_fixed": "compiler.fixed_point.c_source",
    "codegen.c_fixed_test": "compiler.fixed_point.c_test",
    "codegen.fixed": "compiler.fixed_point.plan",
    "codegen.fixed_bounds": "compiler.fixed_point.bounds",
    "codegen.fixed_circle": "compiler.fixed_point.circle",
    "codegen.fixed_products": "compiler.fixed_point.products",
    "codegen.fixed_rules": "compiler.fixed_point.rules",
    "codegen.fixed_sums": "compiler.fixed_point.sums",
    "codegen.fixed_words": "compiler.fixed_point.words",
    "runtime.fixed": "compiler.fixed_point.execution",
    "kinematics.serial": "kinematics.serial_chain",
    "kinematics.descent": "kinematics.damped_least_squares",
    "runtime.json_text": "show.json_text",
    "children": "child_processes",
    "formulations.references": "formulations.reference_frames",
    "formulations.totals": "formulations.energy_and_momentum",
    "formulations.closures": "formulations.loop_constraints",
    "show.noise": "show.rounding_noise",
    "show.over_time": "show.time_series",
    "show.limbs": "show.torso_and_feet",
    "kinematics.hand": "kinematics.end_effector",
    "kinematics.rates": "kinematics.inverse_rates",
    "trajectory.hand_lines": "trajectory.cartesian_lines",
    "trajectory.methods": "trajectory.planners",
    "simulate.audit": "simulate.energy_audit",
    "approximate.leaving_out": "approximate.omitted_terms",
    "approximate.learned": "approximate.typical_library",
    "approximate.partials": "approximate.full_extrapolation",
    "approximate.time_scaling": "approximate.typical",
    "approximate.typical_files": "approximate.typical_library",
    "mechanisms.inverted_pendulum": "mechanisms.walking",
    "mechanisms.support_polygon": "mechanisms.zero_moment_point",
    "models.frames": "models.edits",
    "control.tracked": "control.tracking_result",
    "control.stopping": "control.emergency_stop",
    "control.disturbances": "control.sensor_noise",
    "control.resolution": "control.sensor_resolution",
    "control.task": "control.end_effector_task",
    "control.rates": "control.sample_rates",
    "control.timeline": "control.request_timeline",
    "control.cost": "control.step_cost",
    "control.sampling": "control.sampled_modes",
    "mechanisms.diagnosis": "mechanisms.mobility",
    "equations.moving_links": "equations.link_motion",
    "equations.relations": "equations.derivation_lines",
    "equations.products": "equations.product_forms",
    "analysis.ports": "analysis.execution_ports",
    "compiler.export.meanings": "compiler.export.argument_meanings",
    "compiler.export.origin": "compiler.export.provenance",
    "compiler.export.expected": "compiler.export.test_values",
}
PACKAGE = __name__.rpartition(".")[0] + "."


def new_name(name: str) -> str | None:
    """What a module of the package is called now, where it was called otherwise."""
    inside = name.removeprefix(PACKAGE)
    room, dot, rest = inside.partition(".")
    if inside in MODULES:
        return PACKAGE + MODULES[inside]
    return PACKAGE + ROOMS[room] + dot + rest if room in ROOMS else None


class Renamed:
    """Finds modules of the package under their old names, before anything finds their files once more."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        if not name.startswith(PACKAGE) or (new := new_name(name)) is None:
            return None
        return ModuleSpec(name, cast("Loader", Alias(name, new)))


class Alias:
    """Loads the module of the new name as that of the old one."""

    def __init__(self, old: str, new: str) -> None:
        self.old, self.new = old, new

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        warnings.warn(f"{self.old} is now {self.new}.", DeprecationWarning, stacklevel=2)
        module = importlib.import_module(self.new)
        self.spec, self.loader = module.__spec__, module.__loader__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """The module has run; what it says of itself stays as it was."""
        module.__spec__, module.__loader__ = self.spec, self.loader


def install() -> None:
    if not any(
        isinstance(finder, type) and finder.__name__ == Renamed.__name__ for finder in sys.meta_path
    ):
        sys.meta_path.insert(0, Renamed)
