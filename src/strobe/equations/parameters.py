"""Names for the constants of a robot, so that closed forms read like a textbook's.

A parameter that the model file names keeps its name. Everything else that is not zero or a right angle gets one
from its place, with i the number of the link:

    m_i                 mass                      a_i  b_i  d_i             displacements along x, y, z
    c_ix  c_iy  c_iz    centre of mass            alpha_i  beta_i  gamma_i  fixed turns about x, y, z
    I_ixx … I_iyz       inertia, about the centre of mass or the origin as the file gave it
    Ir_i                rotor inertia seen at the joint          v_i, f_i   viscous and Coulomb friction
    g  (gx gy gz)       gravity

(without the underscore: m3, c3x, I3xx). A second number at the same kind of place gets a suffix: a2, a2_2.

A parameter of the model file that would be printed like something else (an entry M11, a position q1, the energy V, a
name from a place, another parameter: l_1 and l__1 look alike) is written with _p behind it, and `glossary` says so;
in derivations, which print more letters, so is the length L.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import count
from typing import TypeAlias

from strobe.algebra import Inertia, Motion, Pose, Shift, Sym3, Turn, Vec3
from strobe.equations.notation import is_reserved, plain
from strobe.equations.trig_polynomials import Waves
from strobe.errors import UnsupportedOperationError
from strobe.models.couplings import coordinates
from strobe.models.expressions import Expression, parse_expression
from strobe.models.inertial import Inertial
from strobe.models.joints import Joint
from strobe.models.model import Body, Frame, Model
from strobe.scalars import Num, quarter_turns

KINDS = ("mass", "inertia", "length", "angle", "gravity", "drive")  # also the order in which products print
NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)
FILE = "the parameter of that name in the model file"
SHIFTS, TURNS, AXES = ("a", "b", "d"), ("alpha", "beta", "gamma"), ("x", "y", "z")
PRODUCTS = ("xx", "yy", "zz", "xy", "xz", "yz")


@dataclass(frozen=True, slots=True)
class Drive:
    """What a joint's drive adds: rotor inertia, viscous friction, Coulomb friction forwards and backwards."""

    rotor: float
    damping: float
    forwards: float
    backwards: float


@dataclass(frozen=True)
class Named:
    """A model whose constants are expressions over names, with the value and the place of each name."""

    model: Model
    drives: tuple[Drive, ...]  # one per degree of freedom of all joints
    values: Mapping[str, float] = field(default_factory=dict)  # in the order in which products print
    places: Mapping[str, str] = field(default_factory=dict)
    angles: tuple[str, ...] = ()  # the names that are fixed angles
    renamed: Mapping[str, str] = field(default_factory=dict)  # name here -> in the model file, if another


def state_names(model: Model) -> dict[str, list[str]]:
    """The names of the independent positions, rates and accelerations: q1, qd1, qdd1."""
    x = coordinates(model)
    sizes = {"q": x.nq, "qd": x.nv, "qdd": x.nv}
    return {letter: [f"{letter}{k + 1}" for k in range(size)] for letter, size in sizes.items()}


def named(model: Model, reserved: Callable[[str], bool] = is_reserved) -> Named:
    """Every constant of a model by a name that nothing else has, and that is not ``reserved``."""
    book = _Book(model, reserved)
    _each_constant(model, book.note)
    book.settle()
    renamed, drives = _each_constant(model, book.word)
    order = sorted(book.values, key=lambda name: KINDS.index(book.kinds[name]))
    return Named(
        renamed,
        drives,
        values={name: book.values[name] for name in order},
        places={name: book.places[name] for name in order},
        angles=tuple(name for name in order if name in book.angles),
        renamed={new: old for old, new in book.written.items() if new != old},
    )


@dataclass(frozen=True, slots=True)
class Place:
    """Where a constant stands: the name it would get, the same in words, and its kind."""

    name: str
    words: str
    kind: str


Word: TypeAlias = Callable[[float, Place], float]


@dataclass
class _Book:
    """The names given so far."""

    model: Model
    reserved: Callable[[str], bool]
    values: dict[str, float] = field(default_factory=dict)
    kinds: dict[str, str] = field(default_factory=dict)
    places: dict[str, str] = field(default_factory=dict)
    angles: set[str] = field(default_factory=set)
    taken: dict[tuple[Place, float], str] = field(default_factory=dict)
    known: dict[str, list[str]] = field(default_factory=dict)  # names of the file kept -> kinds of places
    wanted: set[str] = field(default_factory=set)  # names that come from places, as they read
    used: set[str] = field(default_factory=set)  # the same of names that are given
    written: dict[str, str] = field(default_factory=dict)  # name of the file -> name here

    def note(self, x: float, place: Place) -> float:
        """First pass: which names the model file gives, and which come from places."""
        if self._keeps_its_names(x, place.kind):
            for name in self.model.parameters:
                if name in x.names:  # pyright: ignore[reportAttributeAccessIssue]
                    self.known.setdefault(name, []).append(place.kind)
        elif x != 0:
            self.wanted.add(plain(place.name))
        return x

    def settle(self) -> None:
        """Names of the file that nothing else has."""
        for name, kinds in self.known.items():
            others = self.wanted | self.used
            new = next(x for x in _spellings(name) if plain(x) not in others and not self.reserved(x))
            self.written[name] = new
            for kind in kinds:
                self._take(new, self.model.parameters[name], FILE, kind)

    def word(self, x: float, place: Place) -> float:
        """Second pass: every other number by the name of its place."""
        if x == 0:
            return x
        if self._keeps_its_names(x, place.kind):
            return self._respelled(x)
        opposite = self.taken.get((place, -float(x)))
        if opposite and place.kind == "angle":  # into an oblique axis, and out of it again
            return parse_expression(f"-{opposite}", self.values)
        names = (place.name, *(f"{place.name}_{k}" for k in range(2, len(self.places) + 3)))
        name = next(name for name in names if plain(name) not in self.used)  # two of a kind on one link
        self._take(name, float(x), place.words, place.kind)
        self.taken[place, float(x)] = name
        return parse_expression(name, {name: float(x)})

    def _take(self, name: str, value: float, where: str, kind: str) -> None:
        self.places[name] = where
        self.used.add(plain(name))
        self.values.setdefault(name, float(value))
        self.kinds[name] = min(kind, self.kinds.get(name, kind), key=KINDS.index)
        if kind == "angle":
            self.angles.add(name)

    def _respelled(self, x: float) -> float:
        """An expression over the names that parameters of the file have here."""
        if all(self.written.get(name, name) == name for name in x.names):  # pyright: ignore
            return x
        text = NAME.sub(lambda found: self.written.get(found[0], found[0]), x.text)  # pyright: ignore
        return parse_expression(text, self.values)

    def _keeps_its_names(self, x: float, kind: str) -> bool:
        """Whether a constant is a polynomial (an angle: a sum of multiples) in parameters of the file."""
        known = self.model.parameters
        if not isinstance(x, Expression) or not x.names <= {"pi", *known}:
            return False
        ring = Waves(x.names)
        try:
            ring.point(x) if kind == "angle" else ring.number(x)
        except UnsupportedOperationError:
            return False
        return kind == "angle" or "pi" not in x.names


def _spellings(name: str) -> Iterator[str]:
    """The name itself where it begins with a letter, else as it reads; then with _p behind it, _p2, …"""
    letters = re.sub(r"_+", "_", name).strip("_") or "p"
    start = letters if letters[0].isalpha() else f"p{letters}"
    yield name if name[0] != "_" else start
    yield from (f"{start}_p{k if k > 1 else ''}" for k in count(1))


# -- every constant of a model with its place ---------------------------------------------------------


def has_names(model: Model) -> bool:
    """Whether the file gave names to constants of a model."""
    found: list[bool] = []

    def word(x: float, place: Place) -> float:
        found.append(hasattr(x, "evaluate"))
        return x

    _each_constant(model, word)
    return any(found)


def _each_constant(model: Model, word: Word) -> tuple[Model, tuple[Drive, ...]]:
    """The model with every constant that equations contain replaced by what ``word`` makes of it."""
    bodies = tuple(_body(body, word) for body in model.bodies)
    renamed = replace(
        model,
        bodies=bodies,
        gravity=Motion(Vec3.zero(), _gravity(model.gravity.linear, word)),
        frames=tuple(_frame(frame, word) for frame in model.frames),
        base_inertial=Inertial.zero(),  # at rest: no equation contains it
    )
    return renamed, drives_of(model, word)


def drives_of(model: Model, word: Word = lambda x, place: x) -> tuple[Drive, ...]:
    """The drives of all joints, one per degree of freedom."""
    joints = ((joint, joint.v + k + 1) for joint in model.joints for k in range(joint.nv))
    return tuple(_drive(joint, number, word) for joint, number in joints)


def _body(body: Body, word: Word) -> Body:
    number, words = body.index + 1, f'link "{body.name}"'
    return replace(
        body,
        before=_pose(body.before, str(number), words, word),
        after=_pose(body.after, str(number), words, word),
        inertial=_inertial(body.inertial, number, words, word),
        joint=_joint(body.joint, number, word),
    )


def _joint(joint: Joint, number: int, word: Word) -> Joint:
    if not joint.has_pitch:
        return joint
    place = Place(f"p{number}", f'pitch of joint "{joint.name}"', "length")
    return replace(joint, pitch=word(joint.pitch, place))  # pyright: ignore[reportArgumentType]


def _frame(frame: Frame, word: Word) -> Frame:
    suffix = "_" + re.sub(r"\W", "_", frame.name)
    return replace(frame, placement=_pose(frame.placement, suffix, f'frame "{frame.name}"', word))


def _pose(pose: Pose, suffix: str, words: str, word: Word) -> Pose:
    """Displacements a, b, d and angles alpha, beta, gamma of one placement."""

    def step(step: Turn | Shift) -> Turn | Shift:
        if isinstance(step, Shift):
            places = (
                Place(f"{letter}{suffix}", f"the displacement along {axis} of {words}", "length")
                for letter, axis in zip(SHIFTS, AXES, strict=True)
            )
            return Shift(Vec3(*map(word, step.p, places)))  # pyright: ignore[reportArgumentType]
        assert step.angle is not None
        if quarter_turns(step.angle) is not None:
            return step
        place = Place(
            f"{TURNS[step.axis]}{suffix}", f"the turn about {AXES[step.axis]} of {words}", "angle"
        )
        return Turn.by(step.axis, word(step.angle, place))

    return Pose(tuple(map(step, pose.steps)))  # pyright: ignore[reportArgumentType]


def _inertial(given: Inertial, i: int, words: str, word: Word) -> Inertial:
    """Mass, centre of mass and inertia, about the point that the file used; first moments without a mass."""

    def vector(v: Vec3, letters: str, what: str) -> Vec3:
        places = (Place(f"{letters}{i}{x}", f"the {what} of {words} along {x}", "length") for x in AXES)
        return Vec3(*map(word, v, places))  # pyright: ignore[reportArgumentType]

    def tensor(I: Sym3) -> Sym3:
        places = (Place(f"I{i}{xy}", f"the inertia {xy} of {words}", "inertia") for xy in PRODUCTS)
        return Sym3(*map(word, I, places))  # pyright: ignore[reportArgumentType]

    about_origin = given.about_origin
    if given.com is None or given.central is None:
        moments = vector(about_origin.h, "mc", "first moment")
        return Inertial.of(Inertia(0.0, moments, tensor(about_origin.I)))
    m = word(given.m, Place(f"m{i}", f"the mass of {words}", "mass"))  # pyright: ignore[reportArgumentType]
    com = vector(given.com, "c", "centre of mass")
    if given.given == "com":
        return Inertial.at_com(m, com, tensor(given.central))
    return Inertial.at_origin(m, com, tensor(about_origin.I))


def _gravity(down: Vec3, word: Word) -> Vec3:
    """±g where it acts along an axis, else three components."""
    along = [axis for axis, x in zip(AXES, down, strict=True) if x != 0]
    if len(along) > 1:
        places = (Place(f"g{x}", f"gravity along {x}", "gravity") for x in AXES)
        return Vec3(*map(word, down, places))  # pyright: ignore[reportArgumentType]
    return down.map(lambda x: _size(x, Place("g", "gravity", "gravity"), word))


def _size(x: Num, place: Place, word: Word) -> float:
    """A number by its size, with its sign in front."""
    assert isinstance(x, float | int)
    if x >= 0 or isinstance(x, Expression):
        return word(x, place)
    size = word(-x, place)
    return parse_expression(f"-{size.text}", {size.text: -x}) if isinstance(size, Expression) else x


def _drive(joint: Joint, i: int, word: Word) -> Drive:
    def part(x: float, letters: str, what: str) -> float:
        return word(x, Place(f"{letters}{i}", f'the {what} of joint "{joint.name}"', "drive"))

    rotor = part(joint.rotor_inertia, "Ir", "rotor inertia")
    damping = part(joint.damping, "v", "viscous friction")
    forwards, backwards = joint.coulomb
    if forwards == backwards:
        both = part(forwards, "f", "Coulomb friction")
        return Drive(rotor, damping, both, both)
    forwards = part(forwards, "fp", "Coulomb friction forwards")
    return Drive(rotor, damping, forwards, part(backwards, "fn", "Coulomb friction backwards"))
