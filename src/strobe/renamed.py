"""Modules and classes under their old names: they work for one version, and a warning says the new name."""

from __future__ import annotations

import importlib
import sys
import warnings
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import TYPE_CHECKING, Any, cast

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
    "models.safe_xml": "files.xml",
    "models.text_files": "files.reading",
    "runtime.array_files": "files.arrays",
    "runtime.files": "files.writing",
    "runtime.children": "child_processes",
    "compiler.codegen.llvm_sincos": "compiler.codegen.llvm_elementary",
    "control.pd_gravity": "control.model_based_pd",
    "control.feed_forward_pd": "control.model_based_pd",
    "robot.dispatch": "robot.framework",
    "trajectory.under_torque": "trajectory.torque_limited",
    "control.alike": "control.loop_cache",
    "tensors.guests": "tensors.robot_methods",
    "quantities.together": "quantities.several_requests",
    "study.showing": "study.robot_page",
    "analysis.on_card": "analysis.gpu_resources",
    "robot.overlaid": "robot.quick_methods",
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
    "analysis.attributed": "papers.attributed_counts",
    "analysis.claims": "papers.claims",
    "analysis.findings": "papers.findings",
    "analysis.findings_asada": "papers.findings_asada",
    "analysis.findings_counts": "papers.findings_counts",
    "analysis.findings_decomposition": "papers.findings_decomposition",
    "analysis.findings_hollerbach": "papers.findings_hollerbach",
    "analysis.findings_turney": "papers.findings_turney",
    "analysis.findings_waters": "papers.findings_waters",
    "analysis.jets": "papers.jets",
    "analysis.ledgers": "papers.ledgers",
    "analysis.patterns": "papers.arm_patterns",
    "analysis.proof": "papers.proof",
    "analysis.proof_above": "papers.proof_above",
    "analysis.proof_arm": "papers.proof_arm",
    "analysis.proof_ends": "papers.proof_ends",
    "analysis.proof_kinematics": "papers.proof_kinematics",
    "analysis.proof_lines": "papers.proof_lines",
    "analysis.proof_modified": "papers.proof_modified",
    "analysis.proof_own_link": "papers.proof_own_link",
    "analysis.proof_planar": "papers.proof_planar",
    "analysis.proof_tools": "papers.proof_tools",
    "analysis.published": "papers.published",
    "analysis.records": "papers.records",
    "analysis.sheets": "papers.sheets",
    "analysis.stages": "papers.simultaneous_steps",
    "analysis.symbolic": "analysis.symbolic_equality",
    "analysis.tables": "papers.tables",
    "approximate.balanceable": "mechanisms.balanceable",
    "approximate.claims": "papers.approximation_claims",
    "approximate.counterweights": "mechanisms.counterweights",
    "approximate.fixed_speed": "approximate.fixed_point_timing",
    "approximate.least_squares": "identify.least_squares",
    "approximate.made_with": "approximate.provenance",
    "approximate.payload": "identify.payload",
    "approximate.payload_bounds": "identify.payload_bounds",
    "approximate.payload_change": "identify.payload_change",
    "approximate.payload_columns": "identify.payload_regressor",
    "approximate.payload_forces": "identify.payload_forces",
    "approximate.payload_readings": "identify.payload_readings",
    "approximate.rungs": "papers.ladder",
    "approximate.slowly": "approximate.typical",
    "approximate.tabulated": "approximate.grid_interpolation",
    "cli.closed": "cli.closed_chains",
    "cli.exits": "cli.exit_codes",
    "codegen.llvm_sincos": "compiler.codegen.llvm_elementary",
    "control.belief": "control.controller_model",
    "control.claims": "papers.control_claims",
    "control.effort": "control.effort_limits",
    "control.failures": "control.sensor_failures",
    "control.scales": "control.inertia_scales",
    "control.straying": "control.tracking_deviation",
    "control.supported_pd": "control.model_based_pd",
    "equations.bounds": "equations.torque_bounds",
    "equations.division": "equations.exact_division",
    "equations.facts": "equations.structural_facts",
    "equations.forms": "equations.readable_forms",
    "equations.maps": "equations.coordinate_maps",
    "equations.structure": "equations.prime_field_facts",
    "equations.walk": "equations.graph_to_steps",
    "equations.waves": "equations.trig_polynomials",
    "equations.writing": "equations.rendering",
    "export.expected": "compiler.export.test_values",
    "kinematics.chains": "kinematics.chain_geometry",
    "kinematics.line_numbers": "kinematics.line_coordinates",
    "kinematics.places": "kinematics.closed_form_solutions",
    "kinematics.ranges": "kinematics.joint_ranges",
    "kinematics.secondary": "kinematics.null_space",
    "kinematics.seeds": "kinematics.initial_guesses",
    "kinematics.step": "kinematics.damped_step",
    "kinematics.unreached": "kinematics.unreachable_poses",
    "mechanisms.assembly": "mechanisms.loop_closure",
    "mechanisms.explained": "mechanisms.torque_terms",
    "mechanisms.extended": "mechanisms.extended_coordinates",
    "mechanisms.following": "mechanisms.dependent_rates",
    "mechanisms.ground": "mechanisms.zero_moment_point",
    "mechanisms.leading": "mechanisms.dependent_motion",
    "mechanisms.pendulum": "mechanisms.walking",
    "mechanisms.reduced": "mechanisms.reduced_dynamics",
    "mechanisms.soles": "mechanisms.zero_moment_point",
    "mechanisms.transmitted": "mechanisms.transmitted_wrenches",
    "mechanisms.two_chains": "mechanisms.parallel_linkages",
    "mechanisms.uncoupling": "mechanisms.cut_couplings",
    "models.near_files": "models.model_files",
    "models.rehanging": "models.body_transfer",
    "models.tips": "models.default_frame",
    "quantities.asked": "quantities.evaluation",
    "quantities.totals": "quantities.energy_and_momentum",
    "robot.asking": "robot.framework",
    "robot.described": "robot.description",
    "robot.singular": "robot.singular_joints",
    "simulate.asking": "simulate.evaluation",
    "simulate.effects": "simulate.equations_of_motion",
    "simulate.excess": "simulate.limit_violations",
    "simulate.march": "simulate.fixed_steps",
    "simulate.steps": "simulate.integrators",
    "simulate.times": "simulate.time_grid",
    "study.annotation": "show.annotation",
    "study.answers": "study.inverse_solutions",
    "study.closed": "study.closed_chains",
    "study.drawing": "show.drawing",
    "study.figure_approximation": "approximate.figure",
    "study.figure_branches": "kinematics.figure_branches",
    "study.figure_control": "control.figure",
    "study.figure_motion": "equations.figure_motion",
    "study.figure_simulation": "simulate.figure",
    "study.glyphs": "show.glyphs",
    "study.html": "study.page_parts",
    "study.loops": "study.control_loops",
    "study.placing": "show.label_placement",
    "study.plots": "show.plots",
    "study.projection": "show.projection",
    "study.runs": "study.simulation_tables",
    "study.shares": "study.limit_usage",
    "study.sheet": "show.drawing_sheet",
    "study.skeleton": "show.skeleton",
    "study.svg": "show.svg",
    "study.swing": "study.sample_motion",
    "study.tables": "show.tables",
    "sweep.draws": "sweep.random_streams",
    "sweep.local": "sweep.local_workers",
    "sweep.reading_names": "sweep.named_entries",
    "sweep.reading_numbers": "sweep.varied_numbers",
    "sweep.running": "sweep.dask_cluster",
    "sweep.seals": "sweep.checksums",
    "sweep.workshop": "sweep.worker",
    "trajectory.along": "trajectory.path_constraints",
    "trajectory.closeness": "trajectory.envelope",
    "trajectory.differentiated": "trajectory.spline_derivatives",
    "trajectory.evolution": "trajectory.cma_es",
    "trajectory.kahn": "trajectory.near_minimum_time",
    "trajectory.keeping": "trajectory.bound_checks",
    "trajectory.legs": "trajectory.synchronised_profiles",
    "trajectory.profile": "trajectory.trapezoidal_profile",
    "trajectory.reachable": "trajectory.controllable_sets",
    "trajectory.repeats": "trajectory.repeated_points",
    "trajectory.via": "trajectory.via_points",
}
NAMES = {
    "control": {"Fault": "SensorFault", "Status": "TrackingStatus"},
    "control.sensors": {"Fault": "SensorFault"},
    "control.status": {"Status": "TrackingStatus"},
    "kinematics.denavit_hartenberg": {"Table": "DHTable"},
    "kinematics.solutions": {"Status": "SolutionStatus"},
    "simulate": {"Status": "RunStatus", "Table": "TimeSeries"},
    "simulate.run": {"Status": "RunStatus"},
    "simulate.torques": {"Table": "TimeSeries"},
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


def answer(module: str) -> None:
    """Let a module answer to what its classes were called; pickles find them by these names too."""
    vars(sys.modules[module])["__getattr__"] = lambda name: under_old_name(module, name)


def under_old_name(module: str, name: str) -> Any:
    new = NAMES.get(module.removeprefix(PACKAGE), {}).get(name)
    if new is None:
        raise AttributeError(f"module '{module}' has no attribute '{name}'")
    warnings.warn(f"{module}.{name} is now {module}.{new}.", DeprecationWarning, stacklevel=3)
    return getattr(sys.modules[module], new)


def install() -> None:
    if not any(
        isinstance(finder, type) and finder.__name__ == Renamed.__name__ for finder in sys.meta_path
    ):
        sys.meta_path.insert(0, Renamed)
