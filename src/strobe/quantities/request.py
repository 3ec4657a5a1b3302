"""What is asked of a robot, as data: the quantity, its options, and from them its inputs and its value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from strobe.algebra import Vec3
from strobe.errors import UnknownNameError
from strobe.models.couplings import coordinates
from strobe.models.default_frame import moved_frame
from strobe.models.loops import conditions, require_geometry
from strobe.models.model import Model
from strobe.models.parameters import PER_BODY, geometry_names, with_geometry, with_inertial
from strobe.quantities.catalogue import QUANTITIES, STATES, Quantity
from strobe.quantities.drives import DRIVE
from strobe.quantities.evaluation import Asked
from strobe.scalars import Numbers
from strobe.scalars.dual import Direction, slopes

POSITIONS = ("q", "q0", "q1")  # the inputs whose derivatives are along degrees of freedom


def _unlisted(asked: Asked, *_: Numbers) -> Any:
    raise UnknownNameError("quantity", asked.request.quantity, "strobe", list(QUANTITIES))


# of requests that compute by themselves, such as steps of a simulation
UNLISTED = Quantity(_unlisted, (), ())


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked of a robot: with the model, all that a kernel needs to know."""

    quantity: str
    formulation: str | None = None  # None: the cheapest
    friction: bool = True
    loaded: tuple[str, ...] = ()  # the frames that wrenches act on
    gravity: bool = False  # whether gravity is an input instead of the robot's own
    frame: str | None = None  # the frame asked about
    form: str = "christoffel"  # which of the Coriolis matrices
    accelerated: tuple[str, ...] = ()  # the joints whose acceleration is given instead of their torque
    actuated: tuple[str, ...] = ()  # the joints that drive a closed chain
    rank: int | None = None  # how many conditions of closed chains are independent, if not all are
    by: tuple[str, ...] = ()  # the inputs it is differentiated by, side by side in a last axis
    parameters: str = "fixed"  # or "runtime": the inertial parameters are an input
    geometry: str = "fixed"  # or "runtime", or "full": the numbers that place the joints are one
    drives: bool = False  # whether a regressor has columns for drives too
    reference: str = "aligned"  # where and in which axes the motion of a frame is told

    @property
    def record(self) -> Quantity:
        """What the catalogue says of its quantity."""
        return QUANTITIES.get(self.quantity, UNLISTED)

    @property
    def looks_up(self) -> bool:
        """Whether it reads stored numbers."""
        return False

    def at_frames(self, model: Model) -> Request:
        """The same with the tip where no frame is named; a frame at rest is refused where its motion is asked for."""
        for name in self.loaded:
            moved_frame(model, name)
        if not self.record.of_a_frame:
            return self
        any_frame = self.record.at_rest and self.frame is not None
        name = model.frame(str(self.frame)).name if any_frame else moved_frame(model, self.frame)
        return self if name == self.frame else replace(self, frame=name)

    def inputs(self, model: Model) -> dict[str, int]:
        """The vectors that the quantity takes, by name, with their sizes."""
        x = coordinates(model)
        sizes = {"n": x.nv, "q": x.nq}
        states = {name: STATES[name].size for name in QUANTITIES[self.quantity].states}
        names = {name: size if isinstance(size, int) else sizes[size] for name, size in states.items()}
        names |= {f"wrench {frame}": 6 for frame in self.loaded}
        names |= {"gravity": 3} if self.gravity else {}
        return names | self.constants(model)

    def constants(self, model: Model) -> dict[str, int]:
        """Those inputs that are constants of the robot, given at run time."""
        names = {"parameters": PER_BODY * len(model.bodies)} if self.parameters != "fixed" else {}
        if self.geometry != "fixed":
            names["geometry"] = len(geometry_names(model, self.geometry == "full"))
        return names

    def shape(self, model: Model) -> tuple[int, ...]:
        """The shape of the result for one state."""
        x = coordinates(model)
        sizes = {"n": x.nv, "q": x.nq, "bodies": len(model.bodies), "frames": len(model.frames)}
        sizes |= {"rows": len(conditions(model)), "loops": sum(not loop.held for loop in model.loops)}
        sizes["parameters"] = PER_BODY * len(model.bodies) + (len(DRIVE) * model.nv if self.drives else 0)
        shape = tuple(sizes[d] if d in sizes else int(d) for d in QUANTITIES[self.quantity].result)
        return (*shape, x.nv * len(self.by)) if self.by else shape

    def parts(self, model: Model) -> tuple[tuple[int, ...], ...]:
        """Shapes of the arrays that the result is to whoever asks, where these are several."""
        if not self.record.parted or self.by:
            return ()
        parts, *each = self.shape(model)
        return (tuple(each),) * parts

    @property
    def together(self) -> tuple[Request, ...]:
        """The requests that it is made of, where these are several."""
        return ()

    def evaluate(self, model: Model, **numbers: Numbers) -> Any:
        """The quantity over numbers of the model's system, as nested lists."""
        if self.by:
            function = partial(self.plain.evaluate, model)
            return slopes(function, numbers, self.directions(model, numbers), model.system)
        quantity = QUANTITIES[self.quantity]
        model = self.lifted(model, numbers)
        loads = {frame: numbers[f"wrench {frame}"] for frame in self.loaded}
        return quantity.function(Asked(model, self, loads), *(numbers[name] for name in quantity.states))

    def lifted(self, model: Model, numbers: Mapping[str, Numbers]) -> Model:
        """The model with those of its constants that are given as inputs."""
        if self.gravity:
            model = model.with_gravity(Vec3(*numbers["gravity"]))
        if self.parameters != "fixed":
            model = with_inertial(model, numbers["parameters"])
        if self.geometry != "fixed":
            require_geometry(model)
            model = with_geometry(model, numbers["geometry"], self.geometry == "full")
        return model

    @property
    def plain(self) -> Request:
        """The same, not differentiated."""
        return replace(self, by=())

    def directions(self, model: Model, numbers: Mapping[str, Numbers]) -> list[Direction]:
        """How its inputs move along every degree of freedom that it is differentiated by."""
        x = coordinates(model)
        units = [[1.0 if i == k else 0.0 for i in range(x.nv)] for k in range(x.nv)]
        return [
            {name: x.position_rates(numbers[name], unit) if name in POSITIONS else unit}
            for name in self.by
            for unit in units
        ]
