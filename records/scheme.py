"""Force and moment of a link in sixteen products of a constant and a sum, instead of twenty-three.

As for products of matrices, F and N are sums of products (moments of the link) × (entries of [U v̇]). What a turning
joint cannot tell from its two sides is free: with zz = −yz, zw = 0 and ww = −xw, which take no quotient, the products
below suffice. They were found by a random walk among such sums (two products that share a factor may trade parts of
the others), from the twenty-three of the definition; an identity, checked in a prime field by the tests.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations

from records.layout import Moments, is_zero
from strobe.scalars import Num

Form = dict[str, int]  # names with signs

PRODUCTS = """
yy + yz + yw      | Uxy                   | - Nz
xz                | Uxx - Uyx - Uyy + Uyz | Ny + Nz
yw                | Uyy                   | Fy - Nz
yy - xy           | Uzy                   | Nx
xz - yz           | Uyy - Uyz - Uzz       | Nx
xw - yw           | Uxx - vx              | Fx
xw - yw           | Uzx - vz              | Fz + Ny
yz                | Uxy - Uxz             | Ny + Nz
xx - xy + xw - yw | Uzx                   | - Ny
xw                | Uyx - vy              | Fy - Nz
yw                | Uxx + Uxy - vx        | Fx + Nz
xy + yw           | Uzx + Uzy             | Nx - Ny
xy + xz + yw      | Uxx - Uyy             | - Nz
xz                | Uyx + Uyy - Uyz - Uzz | - Nx + Ny
xx + xz + xw      | Uyx                   | Nz
yw                | Uzx + Uzy - vz        | Fz - Nx + Ny
"""
LEFT = {"I": "yz", "m": "xw"}  # zz and ww are left at minus these


def wrench(J: Moments, inputs: Mapping[str, Num]) -> tuple[list[Num], list[Num]]:
    """F and N of a link from Uxx … Uzz, vx, vy, vz."""
    rows = [[_form(part) for part in row.split("|")] for row in PRODUCTS.strip().splitlines()]
    constants = [_sum(form, J) for form, _, _ in rows]
    varying = shared([form for _, form, _ in rows], inputs)
    products = {str(k): c * x for k, (c, x) in enumerate(zip(constants, varying, strict=True))}
    outputs = [{str(k): row[2][name] for k, row in enumerate(rows) if name in row[2]} for name in OUTPUTS]
    found = shared(outputs, products)
    return found[:3], found[3:]


OUTPUTS = ("Fx", "Fy", "Fz", "Nx", "Ny", "Nz")


def _form(text: str) -> Form:
    tokens = text.split()
    signs = [tokens[k - 1] if k else "+" for k in range(len(tokens))]
    return {
        name: -1 if sign == "-" else 1 for name, sign in zip(tokens, signs, strict=True) if name not in "+-"
    }


def _sum(form: Form, values: Mapping[str, Num]) -> Num:
    total: Num = 0
    for name, sign in sorted(form.items(), key=lambda item: -item[1]):
        total = total + values[name] if sign > 0 else total - values[name]
    return total


def shared(forms: Sequence[Form], values: Mapping[str, Num]) -> list[Num]:
    """Sums in which a pair of terms that occurs more than once is added once; zeros are left out."""
    known = {name: x for name, x in values.items() if not is_zero(x)}
    left = [{name: sign for name, sign in form.items() if name in known} for form in forms]
    while True:
        pairs = Counter(
            (a, b, form[a] * form[b]) for form in _distinct(left) for a, b in combinations(sorted(form), 2)
        )
        (a, b, sign), count = pairs.most_common(1)[0] if pairs else (("", "", 0), 0)
        if count < 2:
            return [_sum(form, known) for form in left]
        name = f"{a}{b}{sign}"
        known[name] = known[a] + known[b] if sign > 0 else known[a] - known[b]
        for form in left:
            if a in form and b in form and form[a] * form[b] == sign:
                form[name] = form.pop(a)
                del form[b]


def _distinct(forms: Sequence[Form]) -> list[Form]:
    """Each form once, whatever its sign."""
    found: dict[object, Form] = {}
    for form in forms:
        opposite = frozenset((name, -sign) for name, sign in form.items())
        if opposite not in found:
            found[frozenset(form.items())] = form
    return list(found.values())
