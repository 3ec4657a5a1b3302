"""The border between arrays and kernels: what is asked becomes a request, what is given is checked by its name."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from strobe.compiler.runtime.arrays import collected, real_numbers, require_turns
from strobe.compiler.runtime.device import INTERPRETER, Device, require_device
from strobe.compiler.runtime.kernels import Kernel
from strobe.compiler.runtime.prepared import Prepared
from strobe.compiler.runtime.processor import PROCESSOR
from strobe.errors import (
    ArgumentError,
    ShapeError,
    SingularMassMatrixError,
    UnknownNameError,
    UnsupportedModelError,
    shown,
)
from strobe.formulations.reference_frames import ALIGNED, REFERENCES
from strobe.models.arguments import finite_numbers, require_choice, require_text, require_truth
from strobe.models.loops import require_geometry, why_open
from strobe.models.model import Model
from strobe.models.random_states import random_positions
from strobe.quantities import QUANTITIES, Request
from strobe.robot.answers import Array, Names, Wrench
from strobe.robot.constants import Constants
from strobe.robot.singular_joints import singular_joints

if TYPE_CHECKING:
    from strobe.robot.robot import Robot

POSITIONS = {"q", "q0", "q1"}  # the inputs that hold positions


class Asking(Constants, Prepared):
    """A model of which quantities can be asked, on arrays."""

    def __init__(self, model: Model, compiled: bool = True, device: Device | None = None) -> None:
        Constants.__init__(self, model)
        Prepared.__init__(self)
        usual = PROCESSOR if compiled else INTERPRETER
        self._device = usual if device is None else require_device(device)
        self._kernels: dict[Request, Kernel] = {}
        self._massless: dict[Names, Names] = {}  # joints that never move inertia, while others are driven
        self._kept: dict[Hashable, Any] = {}

    @property
    def compiled(self) -> bool:
        """Whether quantities are machine code; if not, every call is interpreted on NumPy."""
        return self._device.compiles

    @property
    def device(self) -> Device:
        """Where quantities are computed, and whose arrays they take: this processor and NumPy, unless told."""
        return self._device

    def to(self, device: Device) -> Robot:
        """The same robot with its quantities on another device."""
        return type(self._robot)(self.model, device=require_device(device))

    @property
    def _robot(self) -> Robot:
        """Itself, as what users hold: no other class asks."""
        return cast("Robot", self)

    def __getstate__(self) -> dict[str, Any]:
        return {"model": self.model, "device": self.device}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state)

    def kernel(self, request: Request) -> Kernel:
        """The compiled form of a request, made once."""
        if not isinstance(request, Request):
            raise ArgumentError(f"request is {shown(request)}; expected a Request.")
        if request not in self._kernels:
            self._kernels.setdefault(request, Kernel(self.model, request, self.device))
        return self._kernels[request]

    def kept(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """What was made for this robot under a key, made now if it was not: for what applications need again."""
        if key not in self._kept:
            self._kept.setdefault(key, make())
        return self._kept[key]

    def compile(self, *asked: str | Request, single: bool = False) -> Robot:
        """This robot, with quantities compiled now, so that no later call of them has to wait.

        A name stands for a call without keywords; a `Request` says which (frames with wrenches, a frame, friction).
        ``single`` compiles for float32 arrays.
        """
        require_truth("single", single)
        for each in asked:
            if not isinstance(each, Request):
                require_choice("quantity", each, QUANTITIES)
            request = each if isinstance(each, Request) else Request(each)
            if request.quantity not in QUANTITIES:
                raise UnknownNameError("quantity", request.quantity, "strobe", list(QUANTITIES))
            request = request.at_frames(self.model)
            self._require_inertia(request)
            kernel = self.kernel(request)
            if self.compiled and not kernel.is_empty:
                self.device.compile(kernel, single)
                self._prepare_ahead(kernel)
        return self._robot

    # -- from arguments to a request ----------------------------------------------------------------

    def _dynamics(
        self, quantity: str, values: dict[str, Any], out: Array | None, threads: int | None, **options: Any
    ) -> Array:
        return self._ask(self._request(quantity, values, **options), values, out, threads)

    def _kinematics(
        self, quantity: str, values: dict[str, Any], geometry: Any, out: Array | None, threads: int | None,
        frame: str | None = None, reference: str = ALIGNED,
    ) -> Array:  # fmt: skip
        values = values | self._loads(geometry=geometry)
        require_choice("reference", reference, REFERENCES)
        frame = self._frame(frame) if QUANTITIES[quantity].of_a_frame else None
        request = Request(quantity, frame=frame, reference=reference, **self._lifted(values))
        return self._ask(request, values, out, threads)

    def _request(self, quantity: str, values: Mapping[str, Any], **options: Any) -> Request:
        """What a call of a dynamic quantity asks for, its keywords checked."""
        if self.model.kinematic_only or not ("parameters" in values or QUANTITIES[quantity].of_parameters):
            self._require_dynamics()
        for name in ("friction", "drives"):
            require_truth(name, options.get(name, True))
        for name in ("formulation", "form"):
            if options.get(name) is not None:
                require_text(name, options[name], "the name of one")
        loaded = tuple(name.removeprefix("wrench ") for name in values if name.startswith("wrench "))
        options |= self._lifted(values)
        request = Request(quantity, loaded=loaded, gravity="gravity" in values, **options)
        self._require_inertia(request)
        return request

    def _loads(
        self, wrench: Wrench = None, frame: str | None = None, gravity: Any = None, parameters: Any = None,
        geometry: Any = None,
    ) -> dict[str, Any]:  # fmt: skip
        """Wrenches, gravity and constants given with a call, by the name of the input they become."""
        lifted = {"gravity": gravity, "parameters": parameters, "geometry": geometry}
        given = {name: value for name, value in lifted.items() if value is not None}
        if geometry is not None:
            self._require_geometry(real_numbers("geometry", geometry).shape)
        if wrench is None:
            if frame is not None:
                raise ArgumentError("frame= says where a wrench acts, but no wrench= was given.")
            return given
        if not isinstance(wrench, Mapping):
            return {f"wrench {self._moving_frame(frame)}": wrench} | given
        if frame is not None:
            raise ArgumentError("give frame= or a mapping from frames to wrenches, not both.")
        named = {f"wrench {self._moving_frame(name)}": value for name, value in wrench.items()}
        if len(named) < len(wrench):
            raise ArgumentError("two wrenches act on one frame; add them up and give one.")
        return named | given

    def _lifted(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Which constants of the robot a request takes as inputs."""
        lifted = {"parameters": "runtime"} if "parameters" in values else {}
        return lifted | {"geometry": self._structure(values)} if "geometry" in values else lifted

    def _structure(self, values: Mapping[str, Any]) -> str:
        """Which of the two geometries is given, told by its size."""
        sizes = real_numbers("geometry", values["geometry"]).shape
        full = sizes[-1:] == (len(self.full_geometry_names),) != (len(self.geometry_names),)
        return "full" if full else "runtime"

    def _driven(self, actuated: Sequence[str] | None) -> Names:
        """The joints that drive a closed chain, as many as it has freedoms."""
        if not self.model.is_closed:
            if actuated is not None:
                raise ArgumentError(
                    f"actuated= is for closed chains; {self.name} has none{why_open(self.model)}"
                )
            return ()
        from strobe.mechanisms.mobility import require_actuation

        named = self._joints_like(self.model.actuated if actuated is None else actuated)
        return require_actuation(self._robot, named)

    # -- what is refused ----------------------------------------------------------------------------

    def _require_dynamics(self) -> None:
        if self.model.without_dynamics:
            raise UnsupportedModelError(f"{self.name} has no dynamics: {self.model.without_dynamics}")
        if not self.nv:
            raise UnsupportedModelError(f"{self.name} has no joints that move: it has no dynamics.")

    def _require_geometry(self, shape: tuple[int, ...]) -> None:
        """Refuse a geometry of no numbers, and that of robots that would come apart."""
        require_geometry(self.model)
        if shape[-1:] == (0,):
            raise UnsupportedModelError(
                f"geometry has shape {shape}, no number that places a joint of {self.name}; leave geometry= out."
            )

    def _require_inertia(self, request: Request) -> None:
        """Refuse accelerations from torques where some joint that is free to move never moves any inertia."""
        if not request.record.eliminates or self.model.without_dynamics or not self.nv:
            return
        if request.constants(self.model):
            return  # NaN tells of others
        given = request.accelerated
        if given not in self._massless:
            anywhere = random_positions(self.coordinates, np.random.default_rng(1), ())
            self._massless[given] = singular_joints(self.model, anywhere, given)
        if self._massless[given]:
            raise SingularMassMatrixError(self.name, self._massless[given], request.quantity)

    def _require_turns(self, arrays: Mapping[str, Array]) -> None:
        """Refuse positions whose quaternions are no orientations."""
        for name in POSITIONS & arrays.keys():
            require_turns(name, self.device.numpy(arrays[name]), self.coordinates.joints)

    def _require_closed(self, arrays: Mapping[str, Array]) -> None:
        """Refuse states of closed chains that do not exist."""
        from strobe.mechanisms.states import require_closed

        require_closed(self._robot, {name: self.device.numpy(array) for name, array in arrays.items()})

    def _transmitted(self, q: Any, qd: Any, qdd: Any, **loads: Any) -> Array:
        """What joints transmit where loops hold the links too."""
        from strobe.mechanisms.transmitted_wrenches import transmitted

        return transmitted(self._robot, q, qd, qdd, **loads).wrenches

    # -- from arrays to an answer -------------------------------------------------------------------

    def _position(self, q: Any) -> Array:
        """One position (nq,)."""
        here = collected({"q": q}, {"q": self.nq}, self._why)["q"].astype(float)
        if here.ndim > 1:
            raise ShapeError("q", here.shape, f"({self.nq},)", "it is one position")
        return here

    def _known_position(self, q: Any) -> Array:
        """One position (nq,) of finite numbers, whose quaternions have a length."""
        here = self._position(q)
        finite_numbers("q", here)
        require_turns("q", here, self.coordinates.joints)
        return here

    def _ask(
        self, request: Request, values: dict[str, Any], out: Array | None = None, threads: int | None = None
    ) -> Array:
        """A quantity on arrays, each checked by its name."""
        kernel = self.kernel(request)
        arrays = self.device.arrays(values, kernel.inputs, self._why)
        if self.nq > self.nv:
            self._require_turns(arrays)
        if self.model.is_closed and request.record.closed_states:
            self._require_closed(arrays)
        result = self.device.answer(kernel, arrays, out, threads, request.record.eliminates)
        if self.device.in_a_hurry and not kernel.is_empty:
            self._notice(kernel, arrays, result.ndim - len(kernel.shape))
        return result
