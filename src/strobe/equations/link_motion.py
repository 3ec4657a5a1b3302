"""The links of a robot in motion: points, axes, velocities and accelerations as waves, in base axes.

    ω_i = ω_p + e_i q̇_i (turning joint)        d/dt x = Σ ∂x/∂q_j q̇_j + ∂x/∂q̇_j q̈_j

Velocities and accelerations are derivatives of positions: nothing here follows the recursions of formulations. A
robot whose links move in parallel planes is planar, and its vectors are shown with two components.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from strobe.algebra import Mat3, Vec3
from strobe.equations.closed_form import Equations
from strobe.equations.derivation_lines import Letter, Quantity, Values, Written
from strobe.equations.trig_polynomials import Wave
from strobe.errors import UnsupportedModelError
from strobe.formulations.kinematics import body_placements
from strobe.formulations.world import world
from strobe.models.model import ROOT
from strobe.scalars import Num

AXES = ("x", "y", "z")


@dataclass(frozen=True, slots=True, eq=False)
class Link:
    """One link, counted from 1, the base being 0; everything in base axes."""

    number: int
    parent: int
    children: tuple[int, ...]
    supports: tuple[int, ...]  # the joints that it hangs on, its own last
    turns: bool  # how its joint moves
    axis: Vec3
    joint: Vec3  # the point of its joint, fixed to the link before
    centre: Vec3
    mass: Wave
    inertia: Mat3  # about the centre of mass
    rotation: Mat3
    spin: Vec3
    spin_rate: Vec3
    velocity: Vec3  # of the centre of mass
    acceleration: Vec3

    @property
    def name(self) -> str:
        return f"Link {self.number}"

    @property
    def weightless(self) -> bool:
        return self.mass.is_zero()


@dataclass(frozen=True, slots=True)
class Plane:
    """What is shown of vectors: the components along some base axes, and of turning the one along a normal."""

    axes: tuple[int, ...]
    normal: Vec3 | None = None  # None in space: turning then has all components

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(AXES[k] for k in self.axes)


SPACE = Plane((0, 1, 2))


@dataclass(frozen=True)
class MovingLinks:
    """All links of one robot."""

    equations: Equations

    # -- time ---------------------------------------------------------------------------------------

    def rate(self, x: Num) -> Wave:
        """The derivative of a wave with respect to time."""
        equations = self.equations
        wave = equations.ring.lower(x)
        parts: list[Num] = []
        for j in range(equations.n):
            parts.append(wave.derivative(f"q{j + 1}") * equations.qd[j])
            parts.append(wave.derivative(f"qd{j + 1}") * equations.qdd[j])
        return equations.ring.total(parts)

    def rates(self, v: Vec3) -> Vec3:
        return v.map(self.rate)

    @cached_property
    def joint_rates(self) -> Sequence[Wave]:
        """q̇ of every joint, those that follow others included."""
        x = self.equations.coordinates
        return [self.equations.ring.lower(rate) for rate in x.expand_rates(self.equations.qd)]

    @cached_property
    def joint_accelerations(self) -> Sequence[Wave]:
        """q̈ of every joint."""
        return [self.rate(rate) for rate in self.joint_rates]

    # -- links --------------------------------------------------------------------------------------

    @cached_property
    def links(self) -> tuple[Link, ...]:
        return tuple(self._links())

    def _links(self) -> Iterator[Link]:
        model, lower = self.equations.model, self.equations.ring.lower
        for body in model.bodies:
            if body.inertial.com is None or body.inertial.central is None:
                raise UnsupportedModelError(
                    f'link "{body.name}" has no centre of mass, at which a derivation takes its forces. '
                    "Derive the equations of the model as it was before regrouping."
                )
        q = self.equations.coordinates.expand(self.equations.q)
        bodies, placed = world(model, q), body_placements(model.bodies, q)
        spins = {ROOT: Vec3.zero()}
        for body, rate in zip(bodies, self.joint_rates, strict=True):
            turning = body.angular() * rate
            spin = spins[body.index] = spins[body.parent] + turning
            centre = body.c.map(lower)
            velocity = self.rates(centre)
            yield Link(
                number=body.index + 1,
                parent=body.parent + 1,
                children=tuple(b.index + 1 for b in bodies if b.parent == body.index),
                supports=tuple(j + 1 for j in body.supports),
                turns=body.revolute,
                axis=body.a.map(lower),
                joint=body.p.map(lower),
                centre=centre,
                mass=lower(body.m),
                inertia=body.I,
                rotation=placed[body.index].R,
                spin=spin.map(lower),
                spin_rate=self.rates(spin),
                velocity=velocity,
                acceleration=self.rates(velocity),
            )

    def link(self, number: int) -> Link:
        return self.links[number - 1]

    @property
    def gravity(self) -> Vec3:
        """The acceleration of gravity, pointing down."""
        return self.equations.model.gravity.linear.map(self.equations.ring.lower)

    @cached_property
    def rotors(self) -> tuple[Wave, ...]:
        """The rotor inertia seen at every joint."""
        ring = self.equations.ring
        return tuple(ring.lower(ring.number(drive.rotor)) for drive in self.equations.drives)

    # -- planes -------------------------------------------------------------------------------------

    @cached_property
    def plane(self) -> Plane:
        """The plane in which all links move, its normal along the first axis that turns; else space."""
        for k in (2, 1, 0):
            if all(self._moves_across(link, k) for link in self.links):
                turning = (link.axis for link in self.links if link.turns)
                sign = next((_sign([*axis][k]) for axis in turning), 1)
                u, v = (k + 1) % 3, (k + 2) % 3
                return Plane((u, v) if sign > 0 else (v, u), Vec3.unit(k, sign))
        return SPACE

    def _moves_across(self, link: Link, k: int) -> bool:
        """Whether a joint turns about base axis k, or slides across it."""
        lower = self.equations.ring.lower
        zero = [lower(x).is_zero() for x in link.axis]
        return all(zero[j] for j in range(3) if j != k) if link.turns else zero[k]

    @property
    def planar(self) -> bool:
        return self.plane.normal is not None

    def about(self, v: Vec3) -> Wave | Vec3:
        """An angular velocity or a moment: in a plane the component along the normal."""
        normal = self.plane.normal
        return v if normal is None else self.wave(normal.dot(v))

    def tensor(self, I: Mat3) -> Wave | Mat3:
        """An inertia: in a plane the one about the normal."""
        normal = self.plane.normal
        return I if normal is None else self.wave(normal.dot(I @ normal))

    def written(self, x: Quantity) -> Written | Values:
        """A quantity written out; of vectors and matrices what the plane shows."""
        axes, names = self.plane.axes, self.plane.names
        if isinstance(x, Vec3):
            return Values(tuple((self.wave([*x][k]),) for k in axes), names)
        if isinstance(x, Mat3):
            rows = [[*row] for row in x]
            return Values(tuple(tuple(self.wave(rows[i][j]) for j in axes) for i in axes), names)
        return Written(self.wave(x))

    def is_zero(self, x: Quantity) -> bool:
        """Whether nothing of a quantity is left where it is written out."""
        written = self.written(x)
        rows = written.rows if isinstance(written, Values) else ((written.value,),)
        return all(entry.is_zero() for row in rows for entry in row)  # pyright: ignore[reportAttributeAccessIssue]

    def wave(self, x: Num) -> Wave:
        """A number of the ring, a constant included."""
        return self.equations.ring.lower(x)


@dataclass(frozen=True, slots=True)
class Letters:
    """The letters of the links; those of turning are vectors in space only."""

    planar: bool

    def centre(self, link: Link) -> Letter:
        return Letter("r", f"c{link.number}", bold=True)

    def velocity(self, link: Link, dots: int = 0) -> Letter:
        return Letter("v", f"c{link.number}", dots, bold=True)

    def spin(self, link: Link, dots: int = 0) -> Letter:
        return Letter("ω", str(link.number), dots, bold=not self.planar)

    def inertia(self, link: Link) -> Letter:
        return Letter("I", str(link.number), bold=not self.planar)

    def axis(self, link: Link) -> Letter:
        return Letter("e", str(link.number), bold=True)

    def torque(self, i: int) -> Letter:
        return Letter("τ", str(i + 1))


def _sign(x: Num) -> int:
    """Of a number that is ±1."""
    assert isinstance(x, Wave)
    value = x.as_fraction()
    return 1 if value is None or value > 0 else -1
