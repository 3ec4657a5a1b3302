"""What every parameter of the equations is: its role, its unit, and where it stands."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from strobe.algebra import Shift, Turn
from strobe.equations.parameters import FILE, Named
from strobe.models.model import Body, Model

UNITS = {
    "mass": "kg",
    "first moment": "kg m",
    "inertia": "kg m²",
    "length": "m",
    "angle": "rad",
    "pitch": "m/rad",
    "gravity": "m/s²",
}
DRIVES = {  # of turning and of sliding joints
    "rotor inertia": ("kg m²", "kg"),
    "viscous friction": ("N m s", "N s/m"),
    "Coulomb friction": ("N m", "N"),
}
COLLECTED = ("mass", "first moment", "inertia", "rotor inertia")  # what textbooks collect terms by


@dataclass(frozen=True, slots=True)
class Parameter:
    """A name with its value and what it means."""

    name: str
    value: float
    role: str
    unit: str
    meaning: str


def glossary(words: Named) -> dict[str, Parameter]:
    """Every name, link by link; masses and inertias first on each link."""
    found: dict[str, Parameter] = {}
    for role, unit, where, names in _places(words):
        for name in names:
            if name in words.values and name not in found:
                stated = words.places[name]
                meaning = f"{role}, {where}" if stated == FILE else stated.removeprefix("the ")
                if name in words.renamed:
                    meaning += f" ({words.renamed[name]} in the model file)"
                found[name] = Parameter(name, words.values[name], role, unit, meaning)
    return found


def parameters_among(words: Named, names: Collection[str]) -> tuple[Parameter, ...]:
    """The parameters that some names are those of."""
    return tuple(p for name, p in glossary(words).items() if name in names)


def _places(words: Named) -> Iterator[tuple[str, str, str, list[str]]]:
    """Role, unit, place and names of every kind of constant."""
    model = words.model
    for body, joint_drives in zip(model.bodies, _drives(words), strict=True):
        where, inertial = f'link "{body.name}"', body.inertial
        massless = inertial.com is None or inertial.central is None
        tensor = inertial.central if inertial.given == "com" and not massless else inertial.about_origin.I
        yield "mass", UNITS["mass"], where, _names([inertial.m])
        if massless:
            yield "first moment", UNITS["first moment"], where, _names(inertial.about_origin.h)
        yield "inertia", UNITS["inertia"], where, _names(tensor or ())
        for role, values in joint_drives.items():
            unit = DRIVES[role][not body.joint.angular]
            yield role, unit, f'joint "{body.joint.name}"', _names(values)
        yield "length", UNITS["length"], where, _names([*_shifts(body), *(inertial.com or ())])
        yield "angle", UNITS["angle"], where, _names(_turns(body))
        yield "pitch", UNITS["pitch"], f'joint "{body.joint.name}"', _names([body.joint.pitch])
    yield "gravity", UNITS["gravity"], "base axes", _names(model.gravity.linear)
    yield from _frames(model)


def _frames(model: Model) -> Iterator[tuple[str, str, str, list[str]]]:
    for frame in model.frames:
        steps = frame.placement.steps
        where = f'frame "{frame.name}"'
        yield (
            "length",
            UNITS["length"],
            where,
            _names(x for s in steps if isinstance(s, Shift) for x in s.p),
        )
        yield "angle", UNITS["angle"], where, _names(s.angle for s in steps if isinstance(s, Turn))


def _drives(words: Named) -> list[dict[str, list[Any]]]:
    """The constants of the drive of every link's joint."""
    result: list[dict[str, list[Any]]] = []
    for body in words.model.bodies:
        own = words.drives[body.joint.v : body.joint.v + body.joint.nv]
        result.append(
            {
                "rotor inertia": [d.rotor for d in own],
                "viscous friction": [d.damping for d in own],
                "Coulomb friction": [x for d in own for x in (d.forwards, d.backwards)],
            }
        )
    return result


def _shifts(body: Body) -> list[Any]:
    steps = (*body.before.steps, *body.after.steps)
    return [x for step in steps if isinstance(step, Shift) for x in step.p]


def _turns(body: Body) -> list[Any]:
    steps = (*body.before.steps, *body.after.steps)
    return [step.angle for step in steps if isinstance(step, Turn)]


def _names(values: Iterable[Any]) -> list[str]:
    """The names in some constants, in the order in which they are written."""
    found: dict[str, None] = {}
    for x in values:
        text = getattr(x, "text", "")
        found |= dict.fromkeys(sorted(getattr(x, "names", ()), key=text.find))
    return list(found)
