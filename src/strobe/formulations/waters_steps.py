# pyright: reportConstantRedefinition=false
"""The steps that Waters takes from the equations as written to his recursion, as they would run. [Waters1979]

    tau_i = Σ_{j≥i} [ tr(U_ji Ĵ_j (P_j + L_j)ᵀ) − m_j ĝᵀ U_ji r̂_j ]
    P_j   = Σ_{k≤j} U_jk qdd_k,   L_j = Σ_{k,l≤j} U_jkl qd_k qd_l
    U_jk  = T_1 … Q_k T_k … T_j,  U_jkl = T_1 … Q_k T_k … Q_l T_l … T_j

`straightforward` multiplies every U out wherever it occurs, `recorded` once. Then comes `waters`, the recursion
outwards; `d_recursive` adds one inwards for the inertial part, D_i = Ĵ_i Ẅ_iᵀ + T_{i+1} D_{i+1}, while gravity still
runs over pairs of links. With gravity recursive as well it is `waters_recursive`. They are here to be run and
counted, not to be used.
"""

from __future__ import annotations

from strobe.algebra import Mat4
from strobe.formulations.links import Arm
from strobe.formulations.uicker_kahn import gravity_term
from strobe.formulations.waters import outward
from strobe.models.model import Model
from strobe.scalars import Num, Numbers


class _Derivatives:
    """U_jk, U_jkl and Ẅ_j of an arm in motion, each multiplied out whenever it is asked for, or once."""

    def __init__(self, arm: Arm, qd: Numbers, qdd: Numbers, keep: bool) -> None:
        self.arm, self.qd, self.qdd, self.keep = arm, qd, qdd, keep
        self._kept: dict[tuple[int, ...], Mat4] = {}

    def U(self, j: int, *by: int) -> Mat4:
        """T_1 … T_j, each differentiated as often as its joint is among ``by``."""
        return self._found((j, *by))

    def W_dd(self, j: int) -> Mat4:
        """P_j + L_j."""
        return self._found((j,))

    def _found(self, key: tuple[int, ...]) -> Mat4:
        if key in self._kept:
            return self._kept[key]
        made = self._chain(*key) if len(key) > 1 else self._accelerated(*key)
        if self.keep:
            self._kept[key] = made
        return made

    def _chain(self, j: int, *by: int) -> Mat4:
        product = self._derived(0, by)
        for k in range(1, j + 1):
            product = product @ self._derived(k, by)
        return product

    def _derived(self, k: int, by: tuple[int, ...]) -> Mat4:
        link = self.arm.links[k]
        times = by.count(k)
        return link.T if times == 0 else link.Q(link.T) if times == 1 else link.QQ(link.T)

    def _accelerated(self, j: int) -> Mat4:
        P, L = self.U(j, 0) * self.qdd[0], self.U(j, 0, 0) * (self.qd[0] * self.qd[0])
        for k in range(1, j + 1):
            P = P + self.U(j, k) * self.qdd[k]
        for k in range(j + 1):
            for l in range(j + 1):
                if k or l:
                    L = L + self.U(j, k, l) * (self.qd[k] * self.qd[l])
        return P + L


def straightforward(model: Model, q: Numbers, qd: Numbers, qdd: Numbers) -> list[Num]:
    """Joint forces of a serial arm, nothing kept."""
    return _summed(_Derivatives(Arm(model, q), qd, qdd, keep=False))


def recorded(model: Model, q: Numbers, qd: Numbers, qdd: Numbers) -> list[Num]:
    """Joint forces of a serial arm, every U, P and L worked out once."""
    return _summed(_Derivatives(Arm(model, q), qd, qdd, keep=True))


def _summed(of: _Derivatives) -> list[Num]:
    """The sums over pairs of links."""
    arm = of.arm
    tau: list[Num] = []
    for i in range(arm.n):
        total: Num = 0.0
        for j in range(i, arm.n):
            inertial = (of.U(j, i) @ arm.links[j].J_hat @ of.W_dd(j).T).trace()
            total = total + inertial - gravity_term(arm, j, of.U(j, i))
        tau.append(total)
    return tau


def d_recursive(model: Model, q: Numbers, qd: Numbers, qdd: Numbers) -> list[Num]:
    """Joint forces of a serial arm, the inertial part by a recursion inwards, gravity over pairs of links."""
    arm = Arm(model, q)
    U_own, W_dd = outward(arm, qd, qdd)
    D: dict[int, Mat4] = {}
    for i in reversed(range(arm.n)):
        own = arm.links[i].J_hat @ W_dd[i].T
        D[i] = own + arm.links[i + 1].T @ D[i + 1] if i + 1 in D else own
    return [(U @ D[i]).trace() - _weights(arm, i, U) for i, U in enumerate(U_own)]


def _weights(arm: Arm, i: int, U: Mat4) -> Num:
    """Σ_{j≥i} m_j ĝᵀ U_ji r̂_j."""
    total = gravity_term(arm, i, U)
    for j in range(i + 1, arm.n):
        U = U @ arm.links[j].T
        total = total + gravity_term(arm, j, U)
    return total
