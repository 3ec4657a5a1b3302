"""Exact derivatives in any number system: numbers extended by square-zero symbols ε1 … εk.

With ε² = 0, f(x + ε v) = f(x) + ε f′(x) v, and a product of different symbols carries a mixed derivative:
the coefficient of ε1 ε2 in f(x + ε1 u + ε2 v) is the second derivative of f along u and v. A jet is a dual
of a dual of …; a coefficient is named by its mask, bit s − 1 standing for εs.
"""

from __future__ import annotations

from strobe.scalars import Dual, DualSystem, Num, Numbers, System


class Jets:
    """Numbers with ``order`` square-zero symbols over a base system."""

    def __init__(self, base: System, order: int) -> None:
        self.systems: list[DualSystem] = []
        for _ in range(order):
            base = DualSystem(base)
            self.systems.append(base)

    @property
    def order(self) -> int:
        return len(self.systems)

    def make(self, coefficients: Numbers) -> Num:
        """The jet with these 2ᵏ coefficients, in the order of their masks."""
        return self._nested(coefficients, self.order)

    def _nested(self, coefficients: Numbers, depth: int) -> Num:
        if depth == 0:
            return coefficients[0]
        half = len(coefficients) // 2
        value, tangent = (
            self._nested(part, depth - 1) for part in (coefficients[:half], coefficients[half:])
        )
        return self.systems[depth - 1].seed(value, tangent)

    def constant(self, x: Num) -> Num:
        """A number of the base system as a jet that does not move; Python numbers stay as they are."""
        if isinstance(x, int | float):
            return x
        for system in self.systems:
            x = system.seed(x, 0.0)
        return x

    def split(self, x: Num) -> tuple[Num, Num]:
        """What stands without and with the last symbol: two jets with one symbol less."""
        if isinstance(x, Dual) and x.system is self.systems[-1]:
            return x.value, x.tangent
        return x, 0.0

    def coefficient(self, x: Num, mask: int) -> Num:
        """The coefficient of one product of symbols, a number of the base system."""
        for depth in reversed(range(self.order)):
            has_symbol = bool(mask >> depth & 1)
            if isinstance(x, Dual) and x.system is self.systems[depth]:
                x = x.tangent if has_symbol else x.value
            elif has_symbol:
                return 0.0
        return x

    def lower(self) -> Jets:
        """The jets that `split` gives: the same symbols without the last."""
        shorter = Jets.__new__(Jets)
        shorter.systems = self.systems[:-1]
        return shorter
