"""Whether a line follows from the rules it names: tried on arms of which only those rules are true.

On a `LooseArm` every letter of the proof is drawn on its own: rotations that rotate nothing, derivatives that are
derivatives of nothing, velocities and inertias from nowhere. A rule is either

- a *fact* (`FACTS`), which gives a letter its value out of others, so that it holds on the arm; or
- *algebra* (`ALGEBRA`), which is true of any numbers, on loose arms as well; or
- another line, which stands for the rules that it names in turn.

A line follows from its rules if its two sides agree on a loose arm on which the facts among them hold and no other.
A line that names too few fails there, and is refused. What cannot be asked this way (both sides are derivatives taken
exactly, or a module that runs) says so in words instead and names no rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from strobe.algebra import Mat3, Mat4, Sym3, Vec3
from strobe.formulations import newton_euler
from strobe.formulations.links import Z0, Link, second_moments
from strobe.papers.proof_arm import Drawing, MovingArm, Z, drawn_vector, gyration, total
from strobe.papers.proof_lines import Line
from strobe.scalars import Num

ALGEBRA = {"1.6-1.8", "1.20", "1.21", "1.22", "1.23"}
"""Lines of the walk that hold for any vectors and matrices."""

FACTS = {
    "rotation": "every R_i is a rotation",
    "turn": "∂_i R_i = Z R_i of a rotation about z0, 0 of a translation",
    "product rule": "∂_j of W_i = R_1 … R_i: R_j alone depends on q_j",
    "origins": "∂_j of p_i = Σ_{m≤i} W_m p*_m, in which a prismatic p*_j slides along z_{j−1}",
    "1.11": "∂_jW_i", "1.12": "∂_jkW_i", "1.18": "∂_jp_i", "1.19": "∂_jkp_i",
    "J_i": "J_i = Σ w d dᵀ", "I_i": "I_i = Σ w G(e eᵀ), e from the centre of mass", "1.27": "I_i by J_i",
    "Ĵ_i": "Ĵ_i = [J_i m_i r_i; m_i r_iᵀ m_i]", "1.28": "Ĵ_i in blocks",
    "ω": "the recursion of ω_i", "α": "the recursion of α_i", "a": "the recursion of a_i", "ā": "ā_i by a_i",
    "4.1": "ω_i as a sum", "4.2": "α_i as a sum", "4.7": "a_i by p̈_i", "4.9": "ā_i by p̈_i and Ẅ_i",
}  # fmt: skip
"""What gives a letter its value; where a joint slides, 1.11 to 1.19 stand for P1.11 to P1.19."""


@dataclass(eq=False)
class LooseLink:
    """A link whose rotation, inertia and matrices are whatever was drawn."""

    like: Link
    R: Mat3
    I: Sym3
    J_hat: Mat4

    @property
    def revolute(self) -> bool:
        return self.like.revolute

    @property
    def p(self) -> Vec3:
        return self.like.p

    @property
    def r(self) -> Vec3:
        return self.like.r

    @property
    def m(self) -> Num:
        return self.like.m

    @property
    def s(self) -> Vec3:
        return self.like.s

    @cached_property
    def z(self) -> Vec3:
        return self.R.T @ Z0

    @cached_property
    def K(self) -> Mat3:
        return second_moments(self.I)

    @cached_property
    def T(self) -> Mat4:
        return Mat4.homogeneous(self.R, self.R @ self.p)


class LooseArm(MovingArm):
    """An arm of which nothing is true but definitions and some facts."""

    def __init__(self, arm: MovingArm, system: Drawing, facts: Iterable[str]) -> None:
        super().__init__(arm.model, arm.state, arm.masses[1:])
        self.facts = frozenset(facts)
        self._system = system
        self._letters: dict[tuple[Any, ...], Any] = {}
        true = self.links[1:]
        made: list[Any] = [
            LooseLink(
                link,
                link.R if "rotation" in self.facts else self._matrix("R", i),
                self._inertia(i, link),
                self._augmented(i, link),
            )
            for i, link in enumerate(true, 1)
        ]
        self.links = [made[0], *made]

    # -- what is drawn --------------------------------------------------------------------------------

    def _once(self, key: tuple[Any, ...], draw: Callable[[], Any]) -> Any:
        if key not in self._letters:
            self._letters[key] = draw()
        return self._letters[key]

    def _vector(self, *key: Any) -> Vec3:
        return self._once(key, lambda: drawn_vector(self._system))

    def _matrix(self, *key: Any) -> Mat3:
        return self._once(key, lambda: Mat3(*(drawn_vector(self._system) for _ in range(3))))

    def _symmetric(self, *key: Any) -> Sym3:
        return self._once(key, lambda: Sym3(*(self._system.variable("s") for _ in range(6))))

    def _number(self, *key: Any) -> Num:
        return self._once(key, lambda: self._system.variable("s"))

    # -- links ----------------------------------------------------------------------------------------

    def J(self, i: int) -> Mat3:
        return super().J(i) if "J_i" in self.facts else self._symmetric("J", i).matrix()

    def _inertia(self, i: int, link: Link) -> Sym3:
        if "I_i" in self.facts:
            return link.I
        if "1.27" in self.facts:
            return Sym3.of(gyration(self.J(i) - Mat3.outer(link.r, link.r) * link.m))
        return self._symmetric("I", i)

    def _augmented(self, i: int, link: Link) -> Mat4:
        if self.facts & {"Ĵ_i", "1.28"}:
            first, m, second = link.r * link.m, link.m, self.J(i)
        else:
            first, m = self._vector("Ĵ first", i), self._number("Ĵ mass", i)
            second = self._symmetric("Ĵ", i).matrix()
        rows = [(*row, entry) for row, entry in zip(second, first, strict=True)]
        return Mat4((*rows, (*first, m)))  # pyright: ignore[reportArgumentType]

    # -- derivatives ----------------------------------------------------------------------------------

    def dR(self, i: int) -> Mat3:
        """∂_i R_i."""
        if "turn" not in self.facts:
            return self._matrix("dR", i)
        return Z @ self.links[i].R if self.turns(i) else Mat3.zero()

    def ddR(self, i: int) -> Mat3:
        """∂_ii R_i."""
        if "turn" not in self.facts:
            return self._matrix("ddR", i)
        return Z @ (Z @ self.links[i].R) if self.turns(i) else Mat3.zero()

    def _chain(self, i: int, changed: Mapping[int, Mat3]) -> Mat3:
        W = Mat3.identity()
        for m in range(1, i + 1):
            W = W @ changed.get(m, self.links[m].R)
        return W

    def dW(self, j: int, i: int) -> Mat3:
        if j > i:
            return Mat3.zero()
        if "1.11" in self.facts:
            return self.Q(0, j - 1) @ self.W[i] if self.turns(j) else Mat3.zero()
        return self._chain(i, {j: self.dR(j)}) if "product rule" in self.facts else self._matrix("dW", j, i)

    def ddW(self, j: int, k: int, i: int) -> Mat3:
        v, u = min(j, k), max(j, k)
        if u > i:
            return Mat3.zero()
        if "1.12" in self.facts:
            both = self.turns(v) and self.turns(u)
            return self.Q(0, v - 1) @ self.Q(0, u - 1) @ self.W[i] if both else Mat3.zero()
        if "product rule" in self.facts:
            return self._chain(i, {v: self.ddR(v)} if v == u else {v: self.dR(v), u: self.dR(u)})
        return self._matrix("ddW", v, u, i)

    def dp(self, j: int, i: int) -> Vec3:
        if j > i:
            return Vec3.zero()
        axis = self.W[j - 1] @ Z0
        if "1.18" in self.facts:
            if not self.turns(j):
                return axis
            reach = total(self.W[m] @ self.ps(m) for m in range(j, i + 1))
            return self.Q(0, j - 1) @ reach
        if "origins" in self.facts:
            moved = total(self.dW(j, m) @ self.ps(m) for m in range(j, i + 1))
            return moved if self.turns(j) else moved + axis
        return self._vector("dp", j, i)

    def ddp(self, j: int, k: int, i: int) -> Vec3:
        v, u = min(j, k), max(j, k)
        if u > i:
            return Vec3.zero()
        if "1.19" in self.facts:
            if not self.turns(u):
                return self.Q(0, v - 1) @ self.z(0, u - 1) if self.turns(v) else Vec3.zero()
            if not self.turns(v):
                return Vec3.zero()
            reach = total(self.W[m] @ self.ps(m) for m in range(u, i + 1))
            return self.Q(0, v - 1) @ (self.Q(0, u - 1) @ reach)
        if "origins" in self.facts:
            moved = total(self.ddW(v, u, m) @ self.ps(m) for m in range(u, i + 1))
            return moved if self.turns(u) or v == u else moved + self.dW(v, u - 1) @ Z0
        return self._vector("ddp", v, u, i)

    @cached_property
    def in_time(self) -> Any:
        raise TypeError("a loose arm has no motion: its derivatives are derivatives of nothing")

    # -- velocities and accelerations -----------------------------------------------------------------

    @cached_property
    def _outward(self) -> list[tuple[Vec3, Vec3, Vec3, Vec3]]:
        zero = Vec3.zero()
        found = [(zero, zero, -self.g, -self.g)]
        for i in self.all_links:
            w0, al0, a0, _ = found[-1]
            link: Any = self.links[i]
            rw, ral, _ = newton_euler.outward(link, w0, al0, a0, self.qd[i], self.qdd[i])
            w = (
                self._summed_w(i)
                if "4.1" in self.facts
                else rw
                if "ω" in self.facts
                else self._vector("ω", i)
            )
            al = (
                self._summed_al(i)
                if "4.2" in self.facts
                else ral
                if "α" in self.facts
                else self._vector("α", i)
            )
            a = self._acceleration(i, a0, w, al)
            found.append((w, al, a, self._centre(i, w, al, a)))
        return found

    def _summed_w(self, i: int) -> Vec3:
        return total((self.z(i, j - 1) * self.qd[j] for j in self.turning(i)), Vec3.zero())

    def _summed_al(self, i: int) -> Vec3:
        joints = self.turning(i)
        driven = total((self.z(i, j - 1) * self.qdd[j] for j in joints), Vec3.zero())
        pairs = (
            self.z(i, k - 1).cross(self.z(i, j - 1)) * (self.qd[j] * self.qd[k])
            for j in joints
            for k in self.turning(j - 1)
        )
        return driven + total(pairs, Vec3.zero())

    def _acceleration(self, i: int, before: Vec3, w: Vec3, al: Vec3) -> Vec3:
        if "4.7" in self.facts:
            return self.W[i].T @ (self.pdd[i] - self.g)
        if "a" not in self.facts:
            return self._vector("a", i)
        link, p = self.links[i], self.ps(i)
        slip = Vec3.zero() if link.revolute else w.cross(link.z) * (2.0 * self.qd[i]) + link.z * self.qdd[i]
        return link.R.T @ before + slip + al.cross(p) + w.cross(w.cross(p))

    def _centre(self, i: int, w: Vec3, al: Vec3, a: Vec3) -> Vec3:
        if "4.9" in self.facts:
            return self.W[i].T @ (self.pdd[i] + self.Wdd[i] @ self.r(i) - self.g)
        if "ā" not in self.facts:
            return self._vector("ā", i)
        return a + al.cross(self.r(i)) + w.cross(w.cross(self.r(i)))


def facts_of(names: Iterable[str], lines: Mapping[str, Line]) -> frozenset[str]:
    """The facts that rules come down to; a line that is no fact stands for the rules it names."""
    found: set[str] = set()
    for name in names:
        if name in FACTS:
            found.add(name)
        elif name not in ALGEBRA:
            found |= facts_of(lines[name].by or (), lines)
    return frozenset(found)
