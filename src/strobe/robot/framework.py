"""What applications build on: a robot's names and sizes, what is asked of it as data, and the answer on arrays.

    request = robot.request("jacobian", frame="tool")
    J = robot.evaluate(request, {"q": q})

What a caller gives becomes a request and a value for each of its inputs; arrays are checked by their names, what the
robot cannot answer is refused, and a kernel, made once, computes. Every quantity of `Robot` goes this way.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from strobe.compiler.runtime.arrays import (
    collected,
    is_python,
    library_of,
    real_numbers,
    require_turns,
    shape_of,
)
from strobe.compiler.runtime.device import INTERPRETER, Device, require_device
from strobe.compiler.runtime.kernels import Kernel
from strobe.compiler.runtime.processor import PROCESSOR
from strobe.compiler.runtime.quick_calls import QuickCalls
from strobe.errors import (
    ArgumentError,
    Fault,
    KeywordError,
    ShapeError,
    SingularMassMatrixError,
    UnknownNameError,
    UnsupportedModelError,
    counted,
    shown,
)
from strobe.formulations.reference_frames import ALIGNED, REFERENCES
from strobe.models.arguments import (
    finite_numbers,
    require_choice,
    require_text,
    require_texts,
    require_truth,
)
from strobe.models.couplings import Coordinates, coordinates
from strobe.models.default_frame import moved_frame, moved_frames, tip, tips
from strobe.models.loops import require_geometry
from strobe.models.model import Model
from strobe.models.parameters import geometry_names
from strobe.models.random_states import random_positions
from strobe.quantities import QUANTITIES, Quantity, Request
from strobe.quantities.request import POSITIONS
from strobe.robot.answers import Array, Bounds, Names, Wrench, cut, parted_as
from strobe.robot.closed_chains import require_closed
from strobe.robot.description import limits, sheet
from strobe.robot.prepared import prepared
from strobe.robot.quick_methods import OURS, may_be_passed_by, overlay
from strobe.robot.singular_joints import singular_joints

if TYPE_CHECKING:
    from typing import Self


class Framework:
    """A model, seen by its independent coordinates, of which quantities can be asked on arrays."""

    def __init__(self, model: Model, compiled: bool = True, device: Device | None = None) -> None:
        self._model = model
        usual = PROCESSOR if compiled else INTERPRETER
        self._device = usual if device is None else require_device(device)
        self._kernels: dict[Request, Kernel] = {}
        self._massless: dict[Names, Names] = {}  # joints that never move inertia, while others are driven
        self._kept: dict[Hashable, Any] = {}
        self._calls = QuickCalls()

    def __init_subclass__(cls) -> None:
        if cls.__module__.startswith(OURS):
            overlay(cls)

    def __getstate__(self) -> dict[str, Any]:
        return {"model": self.model, "device": self.device}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state)

    # -- names and sizes ----------------------------------------------------------------------------

    @property
    def model(self) -> Model:
        """The robot as data; an edit gives a new robot."""
        return self._model

    @property
    def compiled(self) -> bool:
        """Whether quantities are machine code; if not, every call is interpreted on NumPy."""
        return self._device.compiles

    @property
    def device(self) -> Device:
        """Where quantities are computed, and whose arrays they take: this processor and NumPy, unless told."""
        return self._device

    def to(self, device: Device | str) -> Self:
        """The same robot with its quantities on another device: "cuda", "cuda:1", "processor", or one of your own."""
        return type(self)(self.model, device=require_device(device))

    @cached_property
    def coordinates(self) -> Coordinates:
        """The independent coordinates: joints that follow others are not among them."""
        return coordinates(self.model)

    @property
    def name(self) -> str:
        return self.model.name

    @property
    def nq(self) -> int:
        """Numbers in a position q."""
        return self.coordinates.nq

    @property
    def nv(self) -> int:
        """Numbers in a velocity: the degrees of freedom."""
        return self.coordinates.nv

    @property
    def n(self) -> int:
        """Degrees of freedom."""
        return self.nv

    @cached_property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the independent joints, in the order of q."""
        return tuple(joint.name for joint in self.coordinates.joints)

    @property
    def frames(self) -> tuple[str, ...]:
        return tuple(frame.name for frame in self.model.frames)

    @property
    def moving_frames(self) -> tuple[str, ...]:
        """Names of the frames that joints move; the others have neither Jacobian nor load."""
        moved = moved_frames(self.model)
        return tuple(name for name in self.frames if name in moved)

    @cached_property
    def tip(self) -> str:
        """The frame meant where none is named: the farthest behind the last moving joint; see `models.default_frame`.

        A robot that ends in several places has none: a `TipError` offers a frame of each.
        """
        return tip(self.model)

    @property
    def tips(self) -> tuple[str, ...]:
        """The farthest frame of every end of the robot: hands, feet, wheels."""
        return tips(self.model)

    @property
    def notes(self) -> tuple[Fault, ...]:
        """What the reader found worth saying."""
        return self.model.notes

    @cached_property
    def limits(self) -> Bounds:
        """Arrays of nv entries each."""
        return limits(self.coordinates.joints)

    @cached_property
    def neutral(self) -> Array:
        """The position in which every joint is at its zero."""
        return np.array([x for joint in self.coordinates.joints for x in joint.neutral()])

    def __repr__(self) -> str:
        return f"<Robot {self.name}: {counted(self.n, 'joint')}>"

    def __str__(self) -> str:
        return sheet(self).text()

    def _repr_html_(self) -> str:
        return str(sheet(self).html())

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(str(self))

    # -- what a caller says, checked ----------------------------------------------------------------

    @cached_property
    def shape_reason(self) -> str:
        """What a wrong size is held against, for error sentences: "panda has 7 joints"."""
        if not self.coordinates.is_single:
            return f"{self.name} has {self.nq} position numbers and {self.nv} degrees of freedom"
        return f"{self.name} has {counted(self.n, 'joint')}"

    def named_frame(self, name: str | None = None) -> str:
        """The name of a frame that there is, the tip if none is named."""
        return self.tip if name is None else self.model.frame(name).name

    def moving_frame(self, name: str | None = None) -> str:
        """The name of a frame that joints move, the tip if none is named."""
        return self.tip if name is None else moved_frame(self.model, name)

    def matching_joints(self, patterns: Sequence[str]) -> tuple[str, ...]:
        """Names of independent joints, in their order, that patterns with * and ? match; each must match one."""
        patterns = require_texts("joints", patterns)
        for pattern in patterns:
            if not any(fnmatchcase(name, pattern) for name in self.joint_names):
                raise UnknownNameError("joint", pattern, self.name, self.joint_names, "robot.joint_names")
        return tuple(n for n in self.joint_names if any(fnmatchcase(n, pattern) for pattern in patterns))

    def position(self, q: Any, *, known: bool = False) -> Array:
        """One position (nq,); ``known`` ones are finite, and their quaternions have a length."""
        require_truth("known", known)
        here = collected({"q": q}, {"q": self.nq}, self.shape_reason)["q"].astype(float)
        if here.ndim > 1:
            raise ShapeError("q", here.shape, f"({self.nq},)", "it is one position")
        if known:
            finite_numbers("q", here)
            require_turns("q", here, self.coordinates.joints)
        return here

    def loads(
        self, wrench: Wrench = None, frame: str | None = None, gravity: Any = None, parameters: Any = None,
        geometry: Any = None,
    ) -> dict[str, Any]:  # fmt: skip
        """Wrenches, gravity and constants given with a call, by the name of the input they become."""
        lifted = {"gravity": gravity, "parameters": parameters, "geometry": geometry}
        given = {name: value for name, value in lifted.items() if value is not None}
        if geometry is not None:
            self._require_geometry(shape_of("geometry", geometry))
        if wrench is None:
            if frame is not None:
                raise ArgumentError("frame= says where a wrench acts, but no wrench= was given.")
            return given
        if not isinstance(wrench, Mapping):
            return {f"wrench {self.moving_frame(frame)}": wrench} | given
        if frame is not None:
            raise ArgumentError("give frame= or a mapping from frames to wrenches, not both.")
        named = {f"wrench {self.moving_frame(name)}": value for name, value in wrench.items()}
        if len(named) < len(wrench):
            raise ArgumentError("two wrenches act on one frame; add them up and give one.")
        return named | given

    # -- what is asked, as data ---------------------------------------------------------------------

    def request(self, quantity: str, values: Mapping[str, Any] | None = None, **options: Any) -> Request:
        """What a call of a quantity asks for, its options checked and what the robot has not refused.

        ``values`` are those of `loads`: which wrenches, whether gravity and constants are inputs. Options are fields
        of a `Request`.
        """
        if not isinstance(values, Mapping | None):
            raise ArgumentError(f"values is {shown(values)}; expected those of robot.loads, by name.")
        values, record = values or {}, _record(quantity)
        if record.of_a_frame:
            require_choice("reference", options.setdefault("reference", ALIGNED), REFERENCES)
            options["frame"] = self.named_frame(options.get("frame"))
        if record.kinematic:
            return Request(quantity, **options, **self._lifted(values))
        self._require_dynamics(record, "parameters" in values)
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

    def _lifted(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Which constants of the robot a request takes as inputs."""
        lifted = {"parameters": "runtime"} if "parameters" in values else {}
        return lifted | {"geometry": self._structure(values)} if "geometry" in values else lifted

    def _structure(self, values: Mapping[str, Any]) -> str:
        """Which of the two geometries is given, told by its size."""
        sizes = shape_of("geometry", values["geometry"])
        some, all_of_them = (len(geometry_names(self.model, full)) for full in (False, True))
        return "full" if sizes[-1:] == (all_of_them,) != (some,) else "runtime"

    # -- what is refused ----------------------------------------------------------------------------

    def require(self, asked: str | Request) -> None:
        """Refuse what this robot has not: dynamics where nothing has mass, accelerations that no torque decides."""
        request = asked if isinstance(asked, Request) else Request(asked)
        record = _record(request.quantity) if type(request) is Request else request.record
        if not record.kinematic:
            self._require_dynamics(record, request.parameters != "fixed")
            self._require_inertia(request)

    def _require_dynamics(self, record: Quantity, other_parameters: bool) -> None:
        """Refuse what needs inertia where nothing that moves has any, unless it is given or does not matter."""
        if not self.model.kinematic_only and (other_parameters or record.of_parameters):
            return
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

    # -- from arrays to an answer -------------------------------------------------------------------

    def evaluate(
        self, request: Request, values: Mapping[str, Any], out: Array | None = None, threads: int | None = None
    ) -> Array:  # fmt: skip
        """What a request asks for, on arrays (..., size) by the names of its inputs, each checked.

        Tensors of PyTorch and arrays of JAX give such, with derivatives.
        """
        library = library_of(values.values()) if isinstance(values, Mapping) else None
        if library is not None and not self.device.takes(values.values()):
            return self._on_library(library, request, values, out, threads)
        kernel, record = self.kernel(request), request.record
        if type(values) is not dict or values.keys() != kernel.inputs.keys():
            _require_inputs(kernel, values)
        arrays = self.device.arrays(values, kernel.inputs, self.shape_reason)
        if self.nq > self.nv and self.device.reads_states:
            for name in arrays.keys() & POSITIONS:
                require_turns(name, self.device.numpy(arrays[name]), self.coordinates.joints)
        if record.closed_states and self.model.is_closed:
            require_closed(self, {name: self.device.numpy(array) for name, array in arrays.items()})
        result = self.device.answer(kernel, arrays, out, threads, record.eliminates)
        if self.device.in_a_hurry and not kernel.is_empty:
            self._calls.notice(kernel, result.ndim - len(kernel.shape))
        return result

    def _on_library(
        self, library: str, request: Request, values: Mapping[str, Any], out: Any, threads: Any
    ) -> Any:
        """The answer on arrays of another library."""
        raise NotImplementedError

    def kernel(self, request: Request) -> Kernel:
        """The compiled form of a request, made once."""
        if not isinstance(request, Request):
            raise ArgumentError(f"request is {shown(request)}; expected a Request.")
        found = self._kernels.get(request)
        return found or self._kernels.setdefault(request, Kernel(self.model, request, self.device))

    def kept(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """What was made for this robot under a key, made now if it was not: for what applications need again."""
        if key not in self._kept:
            self._kept.setdefault(key, make())
        return self._kept[key]

    def with_model(self, model: Model) -> Self:
        """A robot of another model, on the same device."""
        return type(self)(model, device=self.device)

    def compile(self, *asked: str | Request, single: bool = False, best: bool = False) -> Self:
        """This robot, with quantities compiled now, so that no later call of them has to wait.

        A name stands for a call without keywords; a `Request` says which (frames with wrenches, a frame, friction).
        ``single`` compiles for float32 arrays. ``best`` is for a robot loaded with ``compile="fast"``:
        calls from now on take the code that others have from the first.
        """
        require_truth("single", single)
        require_truth("best", best)
        for each in asked:
            request = each if isinstance(each, Request) else Request(each)
            _record(request.quantity)
            request = request.at_frames(self.model)
            self._require_inertia(request)
            kernel = self.kernel(request)
            if self.compiled and not kernel.is_empty:
                self.device.compile(kernel, single, best)
                self._calls.ahead(kernel)
        return self

    def prepared(
        self, *asked: str | Request, given: Sequence[str] = (), **options: Any
    ) -> Callable[..., Any]:  # fmt: skip
        """A function for one question, compiled now, for loops that ask it state by state.

            ask = robot.prepared("jacobian", frame="tool")
            J = ask(q)

        It takes the inputs in order (states, then what is ``given`` besides: "wrench hand", "gravity", "parameters",
        "geometry") and ``out=``, and answers as the method does. ``options`` are keywords of the method that are
        no arrays; a `Request` has its own. Of several questions it takes what any of them needs, gives a tuple of
        their answers, and what they have in common is computed once: ``robot.prepared("mass_matrix", "bias")``.
        """
        return self._asking(prepared(self, asked, given, options))

    def _asking(self, request: Request) -> Callable[..., Any]:
        """A function of the inputs of a request, in their order, for calls in a hurry: see `prepared`."""
        answer = partial(self._asked, request)
        if not may_be_passed_by(self):
            return answer
        kernel, parted = self.kernel(request), _parted(request)
        whole = parted and (lambda found: parted(cut(found, kernel.shape, kernel.parts)))
        return self._calls.handle(self, kernel, answer, parted, whole)

    def _asked(self, request: Request, /, *arrays: Any, out: Array | None = None, **others: Any) -> Any:
        kernel = self.kernel(request)
        if others:
            taken = f"{', '.join(kernel.inputs)} by place, and out="
            raise KeywordError(next(iter(others)), f"what robot.prepared gives for {kernel.name}", taken)
        if len(arrays) != len(kernel.inputs):
            got = counted(len(arrays), "array")
            raise ArgumentError(f"{kernel.name} takes {', '.join(kernel.inputs)}; got {got}.")
        values = dict(zip(kernel.inputs, arrays, strict=True))
        if "dt" in values:
            values["dt"] = as_time(values["dt"])
        result, parted = self.evaluate(request, values, out), _parted(request)
        return parted(cut(result, kernel.shape, kernel.parts)) if parted else result

    def _answer(
        self, quantity: str, values: dict[str, Any], out: Array | None, threads: int | None, **options: Any
    ) -> Array:
        return self.evaluate(self.request(quantity, values, **options), values, out, threads)


def _record(quantity: str) -> Quantity:
    found = QUANTITIES.get(quantity) if isinstance(quantity, str) else None
    return found or QUANTITIES[require_choice("quantity", quantity, QUANTITIES)]


def _parted(request: Request) -> Callable[[Any], Any] | None:
    """What the arrays of an answer of several parts are given as."""
    return tuple if request.together else parted_as(request.quantity)


def as_time(dt: Any) -> Any:
    """A time step, or one for each state, as the vectors of one number that `integrate` takes."""
    times = real_numbers("dt", dt)[..., None]
    return times.tolist() if is_python(dt) else times


def _require_inputs(kernel: Kernel, values: Any) -> None:
    """Refuse values that lack an input, or that are those of none."""
    if not isinstance(values, Mapping):
        raise ArgumentError(
            f"values is {shown(values)}; expected a mapping from names of inputs to arrays."
        )
    missing, others = kernel.inputs.keys() - values.keys(), values.keys() - kernel.inputs.keys()
    if missing or others:
        cure = f"give {min(missing)}" if missing else f"leave out {min(map(str, others))}"
        raise ArgumentError(
            f"{kernel.name} takes {', '.join(kernel.inputs)}, and values hold others: {cure}."
        )
