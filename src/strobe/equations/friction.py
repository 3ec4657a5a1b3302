"""Friction written out at the independent coordinates, of joints that follow others too.

    F_k = Σ_i G_ik (damping_i q̇_i + coulomb_i sat(q̇_i / v0)),      q̇_i = Σ_k G_ik q̇_k

Where a drive has one Coulomb friction forwards and another backwards, sat is satp for the one and satn for the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

from strobe.equations import expression as ex
from strobe.equations.expression import Expression, Number
from strobe.equations.parameters import Drive, Named
from strobe.equations.readable_forms import Forms
from strobe.equations.trig_polynomials import Wave, Waves, exact
from strobe.models.couplings import Coordinates
from strobe.quantities.drives import COULOMB_SPEED

STEEP = Number(Fraction(round(1 / COULOMB_SPEED)))
RAMPS = {
    "sat": "sat(x) is x between −1 and 1, and ±1 beyond.",
    "satp": "satp(x) is x between 0 and 1, 0 below and 1 beyond: friction forwards.",
    "satn": "satn(x) is x between −1 and 0, −1 below and 0 beyond: friction backwards.",
}
OPPOSITE = {"sat": "sat", "satp": "satn", "satn": "satp"}  # ramp(−x) = −opposite(x)


def rubs(drive: Drive) -> bool:
    """Whether a drive has any friction."""
    return bool(drive.damping or drive.forwards or drive.backwards)


def rubbed(words: Named, x: Coordinates) -> tuple[int, ...]:
    """The coordinates whose motion some friction resists."""
    pairs = zip(words.drives, x.velocities, strict=True)
    return tuple(sorted({k for drive, terms in pairs if rubs(drive) for k in terms}))


def friction(words: Named, x: Coordinates, ring: Waves, forms: Forms) -> dict[int, Expression]:
    """F_k by coordinate, where there is any; ``ring`` holds the parameters and the rates."""
    rates = [
        ring.lower(rate) for rate in x.expand_rates([ring.variable(f"qd{k + 1}") for k in range(x.nv)])
    ]
    return {k: ex.total(_terms(k, words.drives, x, ring, forms, rates)) for k in rubbed(words, x)}


def _terms(
    k: int, drives: tuple[Drive, ...], x: Coordinates, ring: Waves, forms: Forms, rates: list[Wave]
) -> Iterator[Expression]:
    """What one coordinate feels: viscous friction of all joints together, then Coulomb friction of each."""
    felt = [(i, terms[k]) for i, terms in enumerate(x.velocities) if k in terms]
    viscous = ring.total(rates[i] * ring.number(drives[i].damping) * factor for i, factor in felt)
    yield forms.along_rates(viscous, forms.form)
    for i, factor in felt:
        speed = ex.product((STEEP, forms.along_rates(rates[i], forms.form)))
        for ramp, size in ramps(drives[i]).items():
            coulomb = ring.lower(ring.number(size))
            if not coulomb.is_zero():
                yield ex.product((Number(exact(factor)), forms.form(coulomb), _ramp(ramp, speed)))


def ramps(drive: Drive) -> Mapping[str, float]:
    """How Coulomb friction sets in, and its size: one way for both directions where they have the same."""
    if drive.forwards == drive.backwards:
        return {"sat": drive.forwards}
    return {"satp": drive.forwards, "satn": drive.backwards}


def _ramp(function: str, speed: Expression) -> Expression:
    """A ramp at a speed, with the sign in front where the speed would be written with a minus."""
    if ex.negative(speed):
        return ex.product((ex.MINUS_ONE, ex.Call(OPPOSITE[function], ex.opposite(speed))))
    return ex.Call(function, speed)


def ramp_remarks(words: Named) -> tuple[str, ...]:
    """What the ramps in use are."""
    used = dict.fromkeys(r for drive in words.drives for r, size in ramps(drive).items() if size)
    return tuple(RAMPS[ramp] for ramp in used)
