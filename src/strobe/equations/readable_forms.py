"""The shortest readable form of a wave: candidates by a table of rules, and a length that chooses.

The normal form is unique but long: a product of three cosines is four waves. From it

    pairs      cos(a + b) + cos(a − b) = 2 cos a cos b, and so on: waves become products, 1 − cos 2a a square
    expansion  sin(a + b) = sin a cos b + cos a sin b where these factors stand in the sum already
    rules      common factors, squares of sums, products of sums, groups with a factor in common
    gathering  by masses and inertias, link by link, as textbooks do; those with one wave are put together

No rule is trusted: `forms` of the tests are converted back and compared with the normal form.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias

from strobe.equations import expression as ex, factors, product_forms
from strobe.equations.expression import Angle, Expression, Number, Symbol, Trig
from strobe.equations.factors import Atom, Monomial, Polynomial
from strobe.equations.glossary import COLLECTED, glossary
from strobe.equations.parameters import state_names
from strobe.equations.trig_polynomials import Powers, Wave

if TYPE_CHECKING:
    from strobe.equations.closed_form import Equations

MANY = 4  # terms: up to here every grouping is tried, beyond only with the most frequent factors
FEW = 1  # such factors
EXPANDED = 112  # terms to which addition theorems are applied: they seldom leave a quarter of them
SQUARES = 28  # terms of a polynomial that is tried as a square or a product of sums

# the order of factors, sums in plural
GATHERED, GRAVITY, LENGTH, POSITION, LENGTHS, WAVE, WAVES, RATE = range(8)


@dataclass(frozen=True)
class Order:
    """Which names sums are gathered by, and the order of factors and terms."""

    names: Sequence[str] = ()  # of all variables
    gather: Sequence[str] = ()  # masses and inertias, link by link
    gravity: frozenset[str] = frozenset()
    state: frozenset[str] = frozenset()  # positions, rates, accelerations
    rates: frozenset[str] = frozenset()  # rates and accelerations: sums are gathered by them first
    decimals: bool = False  # numbers are measured values: none is put in front of a sum of others
    _places: dict[str, int] = field(default_factory=dict, repr=False)
    _gathered: dict[str, int] = field(default_factory=dict, repr=False)
    _terms: dict[Monomial, tuple[object, ...]] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        self._places.update((name, k) for k, name in enumerate(self.names))
        self._gathered.update((name, k) for k, name in enumerate(self.gather))

    def place(self, name: str) -> int:
        return self._places.get(name, -1)

    def gathers(self, atom: Atom) -> bool:
        return atom in self._gathered

    def leads(self, atom: Atom) -> bool:
        """Whether a common factor is put in front of a sum even where that is no shorter."""
        return isinstance(atom, Trig) or atom in self._gathered or atom in self.gravity

    def rank(self, atom: Atom) -> tuple[Any, ...]:
        """The place of a factor in a product: masses, gravity, lengths, positions, waves, rates."""
        if isinstance(atom, Trig):
            return WAVE, len(atom.angle), self._angle(atom.angle), atom.function == "cos"
        if atom in self._gathered:
            return GATHERED, self._gathered[atom]
        sets = ((self.gravity, GRAVITY), (self.rates, RATE), (self.state, POSITION))
        return next((place for names, place in sets if atom in names), LENGTH), self.place(atom)

    def term(self, m: Monomial) -> tuple[object, ...]:
        """The place of a term in a sum: by rates, what it is gathered by, its waves, then by exponents."""
        if m not in self._terms:
            names = [(self.rank(a), e) for a, e in m if not isinstance(a, Trig)]
            waves = sorted(self.rank(a)[1:] for a, _ in m if isinstance(a, Trig))
            angles = {name for a, _ in m if isinstance(a, Trig) for name, _ in a.angle}
            gathered = sorted(rank[1] for rank, _ in names if rank[0] == GATHERED)
            rates = sorted(rank[1] for rank, _ in names if rank[0] == RATE)
            others = sorted((rank[1], -e) for rank, e in names if rank[0] not in (GATHERED, RATE))
            place = rates, gathered or [-1], len(angles), waves, [*others, (len(self.names), 0)]
            self._terms[m] = place
        return self._terms[m]

    def _angle(self, angle: Angle) -> tuple[tuple[int, int], ...]:
        return tuple((self.place(name), -k) for name, k in angle)


def order_of(equations: Equations) -> Order:
    """Masses and inertias link by link, then gravity, lengths, positions, waves, rates."""
    known, state = glossary(equations.words), state_names(equations.words.model)
    return Order(
        names=equations.ring.names,
        gather=[name for name, p in known.items() if p.role in COLLECTED],
        gravity=frozenset(name for name, p in known.items() if p.role == "gravity"),
        state=frozenset(name for names in state.values() for name in names),
        rates=frozenset((*state["qd"], *state["qdd"])),
        decimals=equations.numbers,
    )


@dataclass(frozen=True)
class Forms:
    """Forms in one order of names; equal polynomials are worked out once."""

    order: Order
    _sums: dict[str, Expression] = field(default_factory=dict, repr=False)  # atoms that stand for a sum
    _known: dict[frozenset[tuple[Monomial, Fraction]], Expression] = field(default_factory=dict, repr=False)

    # -- waves --------------------------------------------------------------------------------------

    def form(self, x: Wave) -> Expression:
        """The shortest form found."""
        if not self.order.rates.isdisjoint(x.variables()):
            return self.along_rates(x, self.form)
        return self._by_parameter(x)

    def along_rates(self, x: Wave, coefficient: Callable[[Wave], Expression]) -> Expression:
        """A sum over products of rates, those with one coefficient together."""
        groups: dict[object, tuple[Wave, Fraction, list[Expression]]] = {}
        shapes = x.collect(self.order.rates)
        for shape in sorted(shapes, key=lambda shape: self._rates(shape.powers)):
            base, number = shapes[shape].primitive()
            _, first, members = groups.setdefault(base.key, (shapes[shape], number, []))
            rates = (ex.power(Symbol(name), e) for name, e in shape.powers)
            members.append(ex.product([Number(number / first), *rates]))
        parts = (
            ex.product((ex.signed(coefficient(c)), ex.total(rates))) for c, _, rates in groups.values()
        )
        return ex.total(parts, sorting=False)

    def _rates(self, powers: Powers) -> tuple[int, list[int]]:
        return len(powers), [self.order.place(name) for name, _ in powers]

    def _by_parameter(self, x: Wave) -> Expression:
        """Gathered by masses and inertias; those whose coefficients have one wave in common are put together."""
        pieces: dict[Monomial, Polynomial] = {}
        for shape, part in x.collect(self.order.gather).items():
            pieces[factors.monomial(shape.powers)] = self._products(part)
        groups: dict[object, Polynomial] = {}
        for own, p in pieces.items():
            key = own if self._kept_alone(p) else self._wave_in_common(p)
            groups[key] = factors.added(groups.get(key, {}), factors.scaled(p, own))
        return self._groups(groups.values())

    def _groups(self, groups: Iterable[Polynomial]) -> Expression:
        ordered = sorted(groups, key=lambda p: min(map(self.order.term, p)))
        apart = ex.total(map(self._group, ordered), sorting=len(ordered) <= 3)
        whole = factors.added(*ordered)
        if len(whole) < 2 or len(ordered) < 2:
            return apart
        number, shared = self._common_factor(whole)
        if not shared:
            return apart
        inner = ex.total(self._group(_divided(p, number, shared)) for p in ordered)
        together = self._product(number, shared, inner)
        return together if ex.length(together) < ex.length(apart) else apart

    def _group(self, p: Polynomial) -> Expression:
        """Terms that belong together, with what they were gathered by in front."""
        if len(p) == 1:
            return self._sum(p)
        number, shared = self._common_factor(p)
        front = frozenset((atom, e) for atom, e in shared if self.order.leads(atom))
        if not front and abs(number) == 1:
            return self.polynomial(p)
        return self._product(number, front, self.polynomial(_divided(p, number, front)))

    def _kept_alone(self, p: Polynomial) -> bool:
        """Whether a coefficient is one product without a wave: there is nothing to share."""
        return len(p) == 1 and not any(isinstance(atom, Trig) for m in p for atom, _ in m)

    def _wave_in_common(self, p: Polynomial) -> tuple[Monomial, frozenset[tuple[Monomial, Fraction]]]:
        """What two coefficients must share to be put together: all but a number and a product of lengths."""
        _, shared = factors.common_factor(p)
        waves = frozenset((a, e) for a, e in shared if isinstance(a, Trig))
        rest = factors.without_common_factor(p)
        if rest[min(rest, key=self.order.term)] < 0:
            rest = {m: -c for m, c in rest.items()}
        return waves, frozenset(rest.items())

    # -- waves as products --------------------------------------------------------------------------

    def _products(self, x: Wave) -> Polynomial:
        """The shortest of its polynomials in cosines and sines."""
        return min(self._polynomials(x), key=lambda p: ex.inside(self.polynomial(p)))

    def _polynomials(self, x: Wave) -> Iterator[Polynomial]:
        x, sums = self._in_sums(x)
        by_powers: dict[tuple[tuple[str, int], ...], Polynomial] = {}
        for t in x.terms:
            wave = frozenset() if t.function == "1" else frozenset({(Trig(t.function, t.frequencies), 1)})
            powers = tuple((sums.get(name, name), e) for name, e in t.powers)
            by_powers.setdefault(powers, {})[wave] = t.coefficient
        paired = factors.added(
            *(
                factors.scaled(product_forms.paired(p, self.order.place), frozenset(powers))
                for powers, p in by_powers.items()
            )
        )
        yield paired
        yield factors.added(*(factors.scaled(p, frozenset(powers)) for powers, p in by_powers.items()))
        halved = product_forms.halved(paired)
        for p in (halved, product_forms.expanded(halved)) if len(halved) <= EXPANDED else ():
            if len(p) <= SQUARES:
                yield p

    def _in_sums(self, x: Wave) -> tuple[Wave, dict[str, str]]:
        """The wave with lengths that occur only as a sum or difference put into the first of them.

        f depends on a ± b alone if and only if ∂f/∂a = ±∂f/∂b; then f(a, b) = f(a ± b, 0).
        """
        slopes = {name: x.derivative(name) for name in self._lengths(x)}
        sums: dict[str, str] = {}
        while len(slopes) > 1:
            name = next(iter(slopes))
            slope = slopes.pop(name)
            same = {b: +1 for b, other in slopes.items() if slope.equals(other)}
            same |= {b: -1 for b, other in slopes.items() if slope.equals(-other)}
            if same:
                x = x.substitute(dict.fromkeys(same, 0.0))
                sums[name] = self._sum_atom(name, same)
                slopes = {b: other for b, other in slopes.items() if b not in same}
        return x, sums

    def _lengths(self, x: Wave) -> list[str]:
        """The names in it that are no masses, gravity, angles or rates."""
        order = self.order
        found = {name for t in x.terms for name, _ in t.powers}
        lengths = (n for n in found if order.rank(n)[0] in (LENGTH, POSITION) and n not in x.system.angles)
        return sorted(lengths, key=order.place)

    def _sum_atom(self, first: str, others: dict[str, int]) -> str:
        terms = [Symbol(first), *(ex.product((Number(Fraction(k)), Symbol(b))) for b, k in others.items())]
        atom = " ".join((first, *(f"{k:+d}{b}" for b, k in others.items())))
        self._sums[atom] = ex.Sum(tuple(terms))
        return atom

    # -- polynomials --------------------------------------------------------------------------------

    def polynomial(self, p: Polynomial) -> Expression:
        """The shortest form of a polynomial by the rules."""
        key = frozenset(p.items())
        if key not in self._known:
            found = (rule(self, p) for rule in RULES if len(p) > 1)
            best = self._plain(p)
            for candidate in found:
                best = self._shorter(best, candidate) if candidate is not None else best
            self._known[key] = best
        return self._known[key]

    def _shorter(self, first: Expression, second: Expression) -> Expression:
        return second if ex.inside(second) < ex.inside(first) else first

    def _plain(self, p: Polynomial) -> Expression:
        """The sum as it is; the common factor in front where that is as long and breaks no lone square."""
        plain = self._sum(p)
        if len(p) < 2 or any(len(m) < 2 for m in p):
            return plain
        factored = self._factored(p)
        return plain if factored is None or ex.inside(plain) < ex.inside(factored) else factored

    def _sum(self, p: Polynomial) -> Expression:
        return ex.total(self._product(p[m], m) for m in sorted(p, key=self.order.term))

    def _factored(self, p: Polynomial) -> Expression | None:
        """The common factor in front."""
        number, shared = self._common_factor(p)
        if abs(number) == 1 and not shared:
            return None
        return self._product(number, shared, self.polynomial(_divided(p, number, shared)))

    def _common_factor(self, p: Polynomial) -> tuple[Fraction, Monomial]:
        """What is put in front of a sum, so that its first term is positive."""
        number, shared = factors.common_factor(p)
        if self.order.decimals and len({abs(c) for c in p.values()}) > 1:
            number = Fraction(1)
        return -number if p[min(p, key=self.order.term)] < 0 else number, shared

    def _square(self, p: Polynomial) -> Expression | None:
        """The square of a sum."""
        root = factors.square_root(p) if len(p) <= SQUARES else None
        return ex.power(self.polynomial(root), 2) if root else None

    def _two_sums(self, p: Polynomial) -> Expression | None:
        """The product of two sums."""
        found = factors.two_sums(p) if 4 <= len(p) <= SQUARES else None
        return self._sorted(ex.signed(self.polynomial(part)) for part in found) if found else None

    def _grouped(self, p: Polynomial) -> Expression | None:
        """Terms with a factor in common together, the others beside them."""
        counts = Counter(atom for m in p for atom, _ in m)
        found = (atom for atom, count in counts.items() if 1 < count < len(p))
        shared = sorted(found, key=lambda atom: (-counts[atom], self.order.rank(atom), str(atom)))
        best: Expression | None = None
        for atom in shared if len(p) <= MANY else shared[:FEW]:
            inside = {m: c for m, c in p.items() if any(a == atom for a, _ in m)}
            outside = {m: c for m, c in p.items() if m not in inside}
            parts = sorted((inside, outside), key=lambda part: min(map(self.order.term, part)))
            candidate = ex.total(map(self.polynomial, parts))
            best = candidate if best is None else self._shorter(best, candidate)
        return best

    def _product(self, number: Fraction, m: Monomial, *others: Expression) -> Expression:
        atoms = [ex.power(a if isinstance(a, Trig) else self._sums.get(a, Symbol(a)), e) for a, e in m]
        return self._sorted([Number(number), *atoms, *others])

    def _sorted(self, factors: Iterable[Expression]) -> Expression:
        """A product in the order of its factors."""
        whole = ex.product(factors)
        if not isinstance(whole, ex.Product):
            return whole
        number, rest = Number(ex.coefficient(whole)), ex.without_number(whole)
        parts = rest.factors if isinstance(rest, ex.Product) else (rest,)
        return ex.product([number, *sorted(parts, key=self._rank)])

    def _rank(self, x: Expression) -> tuple[object, ...]:
        """The place of a factor: a sum stands where its symbols would, one with waves after single waves."""
        match x:
            case Trig():
                return self.order.rank(x)
            case Symbol(name):
                return self.order.rank(name)
            case ex.Power(base, _):
                return self._rank(base)
            case _:
                names = ex.symbols(x)
                places = sorted(map(self.order.place, names))
                if ex.has_waves(x) or not self.order.rates.isdisjoint(names):
                    return WAVES, places
                return (GATHERED, -1, places) if any(map(self.order.gathers, names)) else (LENGTHS, places)


Rule: TypeAlias = Callable[[Forms, Polynomial], Expression | None]

RULES: tuple[Rule, ...] = (  # each tried on every sum; a later one wins only if it is shorter
    Forms._factored,
    Forms._square,
    Forms._two_sums,
    Forms._grouped,
)


def _divided(p: Polynomial, number: Fraction, shared: Monomial) -> Polynomial:
    return {factors.over(m, shared): c / number for m, c in p.items()}
