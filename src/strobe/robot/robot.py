"""What a user holds: a model and what can be asked of it, on plain arrays.

Arrays are ``(..., n)`` and broadcast over leading axes; float64, or float32 if the inputs are. The
signs: ``M qdd + C qd + g + friction(qd) = tau + Σ Jᵀ F``, with F = (force, moment) exerted on the robot
at a frame's origin in base axes. Quantities are inherited; here are edits, and what the rooms below do with a robot.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from math import prod
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from strobe.compiler.runtime.arrays import collected
from strobe.errors import ArgumentError, Fault, KeywordError, ShapeError, shown
from strobe.models import edits, parameters as constants
from strobe.models.arguments import require_text, require_texts, require_truth, require_whole
from strobe.models.random_states import random_guess, random_positions
from strobe.quantities import Request
from strobe.robot.answers import Array, Names, Wrench
from strobe.robot.dynamics import Dynamics
from strobe.robot.kinematics import Kinematics

if TYPE_CHECKING:
    from strobe.analysis.strobed import Strobed
    from strobe.compiler.export.quantity import Export
    from strobe.control.controller import Controller
    from strobe.control.online import OnlineController
    from strobe.control.tracking_result import Tracked
    from strobe.equations.closed_form import Equations
    from strobe.equations.coordinates import InCoordinates
    from strobe.equations.meaning import Explanation
    from strobe.identify.base_parameters import BaseParameters
    from strobe.identify.calibration import Calibration
    from strobe.identify.drawn_robots import DrawnRobots
    from strobe.identify.excitation import Excitation
    from strobe.identify.identification import Identification
    from strobe.identify.logs import Log
    from strobe.identify.online_estimator import OnlineEstimator
    from strobe.kinematics.end_effector import Hand
    from strobe.kinematics.inverse_rates import Resolved
    from strobe.kinematics.manipulability import LimitMargins, SingularDirections
    from strobe.kinematics.solutions import Solutions
    from strobe.kinematics.tracking import Path
    from strobe.show.picture import Picture
    from strobe.simulate.run import Run
    from strobe.simulate.simulator import Simulator
    from strobe.study.robot_page import Shown
    from strobe.trajectory.motion import Trajectory

MOST_DRAWN = 10**8  # random states


class Robot(Dynamics, Kinematics):
    """A robot: its dynamics and kinematics as functions of arrays."""

    def _on_library(
        self, library: str, request: Request, values: Mapping[str, Any], out: Any, threads: Any
    ) -> Any:
        from strobe.tensors.robot_methods import answer

        return answer(library, self, request, values, out, threads)

    # -- states -------------------------------------------------------------------------------------

    def random_state(self, seed: int = 0, batch: int | tuple[int, ...] = ()) -> tuple[Array, Array, Array]:
        """Positions within the limits (a turn, or a metre, where there are none), rates, accelerations."""
        rng = np.random.default_rng(require_whole("seed", seed, 0))
        sizes = batch if isinstance(batch, tuple | list) else (batch,)
        shape = tuple(require_whole("batch", size, 0) for size in sizes)
        if prod(shape) > MOST_DRAWN:
            raise ArgumentError(
                f"batch is {shown(batch)}; at most {MOST_DRAWN:,} states are drawn at a time."
            )
        if self.model.is_closed:
            return self._random_closed(rng, shape)
        q = random_positions(self.coordinates, rng, shape)
        qd, qdd = (rng.standard_normal((*shape, self.nv)) for _ in range(2))
        return q, qd, qdd

    def _random_closed(
        self, rng: np.random.Generator, shape: tuple[int, ...]
    ) -> tuple[Array, Array, Array]:
        """Positions in which closed chains are closed, and rates and accelerations that keep them so."""
        from strobe.mechanisms import loop_closure

        q = loop_closure.random_positions(self, lambda part: random_guess(self.model, rng, part), shape)
        v, a = (rng.standard_normal((*shape, self.nv)) for _ in range(2))
        qd = self.closed_velocities(q, v)
        return q, qd, self.closed_accelerations(q, qd, a)

    def assemble(self, q: Any = None, hold: Mapping[str, float] | None = None, **keywords: Any) -> Array:
        """Positions (..., nq) near q in which closed chains are closed, joints in ``hold`` at given positions.

        Keywords (tries, limits) as in `strobe.mechanisms.assemble`.
        """
        from strobe.mechanisms.loop_closure import assemble

        return assemble(self, q, hold, **keywords)

    # -- the hand and the joints --------------------------------------------------------------------

    def analytic_jacobian(self, q: Any, frame: str | None = None, angles: str = "rpy") -> Array:
        """(..., 6, n): linear velocity, then the rates of named angles, which are not ω (see `jacobian` for that).

        ``angles`` is "rpy", "waters", "rotation-vector" or "quaternion" (7 rows); NaN where these have no rates.
        """
        from strobe.kinematics.end_effector import analytic_jacobian

        return analytic_jacobian(self, q, frame, angles)

    def hand(self, q: Any, qd: Any = None, frame: str | None = None, angles: str = "waters") -> Hand:
        """Position, orientation and named angles of a frame, and their rates where qd is given, base axes."""
        from strobe.kinematics.end_effector import hand

        return hand(self, q, qd, frame, angles)

    def manipulability(
        self, q: Any, frame: str | None = None, of: str | Sequence[str] = "all", length: float = 1.0
    ) -> Array:
        """√det(J Jᵀ) (...) of the rows ``of``: "all", "translation", "rotation", or such as ("x", "y", "wz").

        ``length`` is how many metres count as one radian.
        """
        from strobe.kinematics.manipulability import manipulability

        return manipulability(self, q, frame, of, length)

    def singular_directions(
        self, q: Any, frame: str | None = None, of: str | Sequence[str] = "all", **keywords: Any
    ) -> SingularDirections:
        """Where the hand cannot be moved at q, and which joint motions do not move it.

        Keywords as in `strobe.kinematics.manipulability.singular_directions`.
        """
        from strobe.kinematics.manipulability import singular_directions

        return singular_directions(self, q, frame, of, **keywords)

    def limit_margins(self, q: Any) -> LimitMargins:
        """The distance of every joint to its lower and its upper limit."""
        from strobe.kinematics.manipulability import limit_margins

        return limit_margins(self, q)

    def inverse_velocity(self, q: Any, twist: Any, frame: str | None = None, **keywords: Any) -> Resolved:
        """Joint velocities that move a frame with a twist (..., 6), and the residual.

        Keywords (damping, of, preferred, method, …) as in `strobe.kinematics.inverse_rates.inverse_velocity`.
        """
        from strobe.kinematics.inverse_rates import inverse_velocity

        return inverse_velocity(self, q, twist, frame, **keywords)

    def inverse_acceleration(
        self, q: Any, qd: Any, acceleration: Any, frame: str | None = None, **keywords: Any
    ) -> Resolved:
        """Joint accelerations that accelerate a frame by (p̈, ω̇) (..., 6) while it moves with qd.

        Keywords (damping, of, preferred) as in `strobe.kinematics.inverse_rates.inverse_acceleration`.
        """
        from strobe.kinematics.inverse_rates import inverse_acceleration

        return inverse_acceleration(self, q, qd, acceleration, frame, **keywords)

    def inverse_kinematics(
        self, pose: Any, frame: str | None = None, *, method: str = "auto", q0: Any = None,
        limits: bool = True, what: str = "pose", **options: Any,
    ) -> Solutions:  # fmt: skip
        """Joint positions that bring a frame to poses (..., 4, 4): every branch where a closed form is known.

        The best come first: within the limits, then near q0. ``method`` is "auto", "analytic" or "numeric", ``what``
        "pose", "position" or "orientation". Keywords as in `strobe.kinematics.inverse.inverse_kinematics`.
        """
        from strobe.kinematics.inverse import inverse_kinematics

        return inverse_kinematics(
            self, pose, frame, method=method, q0=q0, limits=limits, what=what, **options
        )

    def track(self, poses: Any, q0: Any = None, frame: str | None = None, **options: Any) -> Path:
        """The joints along a sequence of poses (T, 4, 4), from q0 on, without jumps between branches.

        Keywords (what, limits, step, tolerance, …) as in `strobe.kinematics.tracking.track`.
        """
        from strobe.kinematics.tracking import track

        return track(self, poses, q0, frame, **options)

    # -- motion -------------------------------------------------------------------------------------

    def plan(self, asked: Any, method: str | None = None, **options: Any) -> Trajectory:
        """The motion that a request asks for: a .toml or .json file, a mapping, or joint positions (P, n).

        ``method`` is "constant-acceleration", "torque-limited", "near-minimum-time", "jerk-limited", "cubic",
        "quintic", "hand-line" or "blends". Options (velocity, acceleration, qd, times, envelope, …) as in
        `strobe.trajectory.planners.plan`.
        """
        from strobe.trajectory.planners import plan

        return plan(self, asked, method, **options)

    def excite(self, **asked: Any) -> Excitation:
        """Motions that tell its base parameters; keywords (duration, friction, …) as in `strobe.identify.excite`."""
        from strobe.identify.excitation import excite

        return excite(self, **asked)

    def simulate(self, q0: Any, qd0: Any, torque: Any, t: Any, method: str = "rk4", **keywords: Any) -> Run:
        """The motion that follows from torques; keywords (step, wrench, events, …) as in `strobe.simulate`."""
        from strobe.simulate.simulation import simulate

        return simulate(self, q0, qd0, torque, t, method, **keywords)

    def control(
        self, motion: Any, controller: str | Controller = "computed-torque", **keywords: Any
    ) -> Tracked:
        """How the arm follows a motion or a request under a controller; keywords as in `strobe.control`."""
        from strobe.control.tracking import control

        return control(self, motion, controller, **keywords)

    def simulator(self, method: str = "rk4", step: float | None = None, **keywords: Any) -> Simulator:
        """`simulate` with all but its numbers settled: called with q0, qd0, torque and t; keywords as there."""
        from strobe.simulate.simulator import Simulator

        return Simulator(self, method, step, **keywords)

    def controller(
        self, controller: str | Controller = "computed-torque", *, rate: float | None = None,
        gains: Mapping[str, Any] | None = None, **others: Any,
    ) -> OnlineController:  # fmt: skip
        """A controller of `control` held ready for a loop: ``.step(measured, wanted)`` gives torques (nv,)."""
        from strobe.control.online import online

        for name in others:
            cure = ' Gains go together: gains={"kp": …}.'
            raise KeywordError(name, "robot.controller", "a controller, rate= and gains=", cure)
        return online(self, controller, rate=rate, gains=gains)

    # -- to take away -------------------------------------------------------------------------------

    def export(
        self, quantity: str | Sequence[str], folder: str | PathLike[str] | None = None, *, target: str = "c",
        force: bool = False,
        formulation: str | None = None, frame: str | None = None, wrench: Sequence[str] = (),
        gravity_input: bool = False, friction: bool = True, accelerated: Sequence[str] = (), **keywords: Any,
    ) -> Export:  # fmt: skip
        """A quantity as C, an object file or a module for the web, written into a folder if one is named.

        ``wrench`` names frames whose wrenches are arguments, ``gravity_input`` makes gravity one; keywords (single,
        name, triple, cpu) as in `strobe.compiler.export.quantity.export`. Several quantities share a header and a
        source; of the options each takes those that concern it.
        """
        from strobe.compiler.export.quantity import export
        from strobe.compiler.export.requests import named, requests
        from strobe.files.writing import refuse_folder

        if folder is not None:
            refuse_folder(folder, force=force)
        for name, value in (("gravity_input", gravity_input), ("friction", friction)):
            require_truth(name, value)
        if formulation is not None:
            require_text("formulation", formulation)
        loaded = dict.fromkeys(self.model.frame(f).name for f in require_texts("wrench", wrench))
        options = Request(
            named(quantity)[0], formulation, friction, tuple(loaded), gravity_input,
            None if frame is None else self.model.frame(frame).name,
            accelerated=tuple(require_texts("accelerated", accelerated)),
        )  # fmt: skip
        made = export(self, requests(self, quantity, options), target=target, **keywords)
        if folder is not None:
            made.write(folder, force=force)
        return made

    # -- pictures -----------------------------------------------------------------------------------

    def draw(
        self, q: Any = None, qd: Any = None, qdd: Any = None, *, kind: str = "robot", view: str | None = None,
        link: str | None = None, centres: bool = False, inertial: bool = False,
    ) -> Picture:  # fmt: skip
        """A figure as SVG, which a notebook shows and ``.save(path)`` writes; kinds and options of ``strobe draw``.

        ``kind`` is "robot", "free-body", "effects", "torques", "time" or "phase"; ``view`` "front", "side", "top",
        "iso", or "AZIMUTH,ELEVATION" in degrees. Without q, qd and qdd the state is the robot's reference state.
        """
        from strobe.study.figures import figure

        return figure(self, q, qd, qdd, kind=kind, view=view, link=link, centres=centres, inertial=inertial)

    def show(
        self, path: str | PathLike[str] | None = None, *, q: Any = None,
        shapes: str | PathLike[str] | None = None, open: bool | None = None, force: bool = False,
    ) -> Shown:  # fmt: skip
        """The robot to turn and to move, as one HTML page: in a notebook below the cell, else in the browser.

        The page is written to ``path``, or to a temporary file. ``open`` says whether a browser is to show it; if
        nothing is said, one does where there is one, no notebook shows it, and no path was given. The robot stands at
        ``q``, or in a pose that one would draw. Links have the shapes that the URDF (or xacro) file ``shapes`` gives
        them, if one is named.
        """
        from strobe.study.robot_page import show

        return show(self, path, q=q, shapes=shapes, open=open, force=force)

    # -- equations ----------------------------------------------------------------------------------

    def equations(self, *, numbers: bool = False) -> Equations:
        """The equations of motion as closed forms, in named parameters or with the robot's own numbers."""
        from strobe.equations.closed_form import equations_of

        return equations_of(self, numbers)

    def explain(
        self, q: Any, qd: Any, qdd: Any, *, wrench: Wrench = None, frame: str | None = None,
        gravity: Any = None, friction: bool = True,
    ) -> Explanation:  # fmt: skip
        """The torques of a motion, each term with what it stands for; of a closed chain those that drive it."""
        if self.model.loops or self.model.curves:
            from strobe.mechanisms.torque_terms import explain
        else:
            from strobe.equations.meaning import explain

        return explain(self, q, qd, qdd, wrench=wrench, frame=frame, gravity=gravity, friction=friction)

    def in_coordinates(
        self, map: Any, *, offset: Any = None, inverse: Any = None, names: Sequence[str] | None = None,
        within: Any = None,
    ) -> InCoordinates:  # fmt: skip
        """The dynamics in other coordinates phi, where q = map(phi); see `strobe.equations.coordinates`.

        ``map`` is a function over numbers, a matrix (q = map @ phi + offset), or "absolute": angles against the
        base where joints have parallel axes.
        """
        from strobe.equations.coordinates import in_coordinates

        return in_coordinates(self, map, offset=offset, inverse=inverse, names=names, within=within)

    # -- parameters ---------------------------------------------------------------------------------

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

    def base_parameters(self, **keywords: Any) -> BaseParameters:
        """The combinations of inertial parameters that torques depend on; keywords as in `strobe.identify`."""
        from strobe.identify.base_parameters import base_parameters

        return base_parameters(self, **keywords)

    def identify(self, logs: Log | Sequence[Log], **keywords: Any) -> Identification:
        """Inertial parameters and friction from logs; keywords (test, gains, loaded, …) as in `strobe.identify`."""
        from strobe.identify.identifying import identify

        return identify(self, logs, **keywords)

    def calibrate(self, q: Any, poses: Any, **keywords: Any) -> Calibration:
        """Where its joints are, from measured poses; keywords (frame, test, …) as in `strobe.identify.calibrate`."""
        from strobe.identify.calibrating import calibrate

        return calibrate(self, q, poses, **keywords)

    def estimator(self, **keywords: Any) -> OnlineEstimator:
        """Base parameters and friction held ready for a loop: ``.step(q, qd, qdd, tau)`` takes samples along.

        Keywords (friction, noise, prior, forgetting, still) as in `strobe.identify.online_estimator.estimator`.
        """
        from strobe.identify.online_estimator import estimator

        return estimator(self, **keywords)

    def drawn(self, count: int, seed: int = 0) -> DrawnRobots:
        """Robots that might be this one, by what logs told of it and its file keeps: see `strobe.identify.drawn`."""
        from strobe.identify.drawn_robots import drawn

        return drawn(self, count, seed)

    def check_parameters(self, parameters: Any) -> tuple[Fault, ...]:
        """What keeps inertial parameters (10 · bodies) from being those of bodies: body by body, the broken rule."""
        given = self._one_robot({"parameters": parameters})
        return constants.unphysical(self.model, given["parameters"])

    def with_parameters(self, parameters: Any = None, geometry: Any = None) -> Robot:
        """The robot with other constants, for good: its kernels are made for them."""
        values = self.loads(parameters=parameters, geometry=geometry)
        request = Request("regressor", **self._lifted(values))
        return self.with_model(request.lifted(self.model, self._one_robot(values)))

    def _one_robot(self, values: Mapping[str, Any]) -> dict[str, list[float]]:
        """Constants of one robot, as numbers."""
        sizes = Request("regressor", **self._lifted(values)).constants(self.model)
        arrays = collected(values, sizes, self.shape_reason)
        for name, array in arrays.items():
            if array.ndim > 1:
                raise ShapeError(name, array.shape, f"({sizes[name]},)", "it is one robot")
        return {name: array.astype(float).tolist() for name, array in arrays.items()}

    # -- edits: each gives a new robot --------------------------------------------------------------

    def lock(self, joints: Mapping[str, float]) -> Robot:
        """The robot with joints held at positions (names may use * and ?) and their links merged."""
        return self.with_model(edits.lock(self.model, joints))

    def with_payload(
        self, mass: float, com: Sequence[float] = (0.0, 0.0, 0.0), inertia: Any = None,
        *, frame: str | None = None, size: float | None = None, replacing: Any = None,
    ) -> Robot:  # fmt: skip
        """The robot carrying a load at a frame (the tip): mass, centre and inertia, or mass and longest dimension.

        ``replacing`` is a load (mass, centre, inertia) attached there before, which is taken off first. A load on
        the base is felt only where the base moves: `with_base` comes first.
        """
        where = self.moving_frame(frame)
        load = edits.attach_payload(
            self.model, mass, com, inertia, frame=where, size=size, replacing=replacing
        )
        return self.with_model(load)

    def with_gravity(self, gravity: Sequence[float]) -> Robot:
        return self.with_model(edits.change_gravity(self.model, gravity))

    def with_base(self, base: str) -> Robot:
        """The robot on a fixed, translating or floating base."""
        return self.with_model(edits.change_base(self.model, base))

    def standing_on(self, frame: str, q: Any = None) -> Robot:
        """The robot with a frame as its base, held still; joints keep their names and what their positions mean.

        Gravity lies in the axes of that frame as it does there at the position q, the neutral one if none is given.
        """
        here = None if q is None else self.coordinates.expand(self.position(q, known=True).tolist())
        return self.with_model(edits.reroot(self.model, frame, here))

    def with_frame(
        self, name: str, xyz: Sequence[float] = (0, 0, 0), rpy: Sequence[float] = (0, 0, 0),
        *, frame: str | None = None,
    ) -> Robot:  # fmt: skip
        """The robot with one more named frame, placed relative to another (the tip, whose place it then takes)."""
        return self.with_model(edits.add_frame(self.model, name, xyz, rpy, frame=self.named_frame(frame)))

    def with_loop(
        self,
        frame_a: str,
        frame_b: str,
        kind: str = "point",
        *,
        length: float = 0.0,
        name: str | None = None,
    ) -> Robot:
        """The robot with two of its frames bound to each other: a closed chain (kinds: `strobe.models.loops`)."""
        return self.with_model(edits.add_loop(self.model, frame_a, frame_b, kind, length, name))

    def with_actuated(self, joints: Sequence[str]) -> Robot:
        """The robot with motors at these joints (names may use * and ?) and none elsewhere."""
        return self.with_model(edits.choose_actuated(self.model, self.matching_joints(joints)))

    def chain(self, tip: str, base: str | None = None) -> Robot:
        """The joints between two frames as a robot of their own."""
        return self.with_model(edits.take_chain(self.model, tip, base))

    def scaled(self, length: float = 1.0, mass: float = 1.0) -> Robot:
        """A geometrically similar robot."""
        return self.with_model(edits.scale(self.model, length, mass))

    def strobe(self, q: Any, *, formulation: str | None = None) -> Strobed:
        """g, M and the Christoffel symbols at one position, read off inverse dynamics by unit vectors."""
        from strobe.analysis.strobed import strobe

        return strobe(self, q, formulation=formulation)


def require_robot(given: object, name: str = "robot") -> Robot:
    """What an application was given as a robot, refused where it is none."""
    if not isinstance(given, Robot):
        raise ArgumentError(f"{name} is a {type(given).__name__}; expected a robot: strobe.load(name).")
    return given
