"""One step in time, as a recurrence over numbers: the stages of a method, each a call of the rates, then the landing.

    k_i = f(t + c_i h, y + h Σ_j a_ij k_j)        y⁺ = y + h Σ_i b_i k_i        explicit Runge-Kutta
    v⁺ = v + h f(t, q, v),   q⁺ = q ⊞ h v⁺                                      semi-implicit Euler

Torques and wrenches are sampled at the stage times, which the order of a method rests on. The state is the position,
the velocity, the work done, perhaps how long motors were cut, whether the run is alive, and how many steps it took.
Quaternions move as four numbers through the stages, of which only the direction counts, and land on unit length. With
``conserved`` the landing scales the velocities so that kinetic and potential energy change by the work done and by
nothing else. A run whose numbers exceed all bounds stays where it was last.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np

from strobe.algebra.lie import normalised
from strobe.compiler.graph.recurrence import STATE, Call, Recurrence, Signal, sample
from strobe.models.arguments import require_choice
from strobe.models.couplings import coordinates
from strobe.models.model import Model
from strobe.quantities import Request
from strobe.quantities.closed_chains import closed_positions, closed_state
from strobe.quantities.evaluation import Asked
from strobe.scalars import Num, Numbers, absolute, less, maximum, minimum, sqrt, where
from strobe.simulate.equations_of_motion import WORKS, LoadedRequest, RateRequest, carrying, payload_inputs
from strobe.simulate.limit_extremes import bounded, bounds, extended

BOUND = 1e9  # rad, rad/s, m or m/s, summed: beyond this a run counts as lost
MOST_SCALED = 0.5  # of the kinetic energy: what conservation may add or take in one step


@dataclass(frozen=True, slots=True)
class Integrator:
    """An explicit Runge-Kutta method: rows of a below the diagonal, weights, stage times, order."""

    name: str
    order: int
    a: tuple[tuple[float, ...], ...]
    b: tuple[float, ...]
    c: tuple[float, ...]
    implicit_position: bool = False  # the position follows the new velocity

    @property
    def times(self) -> tuple[float, ...]:
        """The stage times, each once, as parts of a step."""
        return tuple(sorted(set(self.c)))

    def growth(self, z: np.ndarray) -> np.ndarray:
        """By how much a mode with λ h = z grows in a step: |R(z)|, R(z) = 1 + Σ_k bᵀ Aᵏ 1 z^(k+1)."""
        A = np.zeros((len(self.b), len(self.b)))
        for i, row in enumerate(self.a):
            A[i, : len(row)] = row
        coefficients, vector = [1.0], np.ones(len(self.b))
        for _ in self.b:
            coefficients.append(float(np.dot(self.b, vector)))
            vector = A @ vector
        return np.abs(np.polyval(coefficients[::-1], z))


RK4 = Integrator(
    "rk4", 4, ((), (0.5,), (0.0, 0.5), (0.0, 0.0, 1.0)), (1 / 6, 1 / 3, 1 / 3, 1 / 6), (0, 0.5, 0.5, 1)
)
EULER = Integrator("semi-implicit-euler", 1, ((),), (1.0,), (0.0,), implicit_position=True)


def _rk8() -> Integrator:
    """Dormand and Prince, order 8, twelve stages, with the tableau that SciPy has."""
    from scipy.integrate import DOP853

    n = DOP853.n_stages
    a = tuple(tuple(DOP853.A[i, :i].tolist()) for i in range(n))
    return Integrator("rk8", 8, a, tuple(DOP853.B[:n].tolist()), tuple(DOP853.C[:n].tolist()))


FIXED: Mapping[str, Callable[[], Integrator]] = {
    "rk4": lambda: RK4,
    "rk8": cache(_rk8),
    "semi-implicit-euler": lambda: EULER,
}
"""By name; each made when it is first asked for."""


def fixed_method(name: str) -> Integrator:
    """A method of fixed step by its name."""
    return FIXED[require_choice("method", name, FIXED)]()


@dataclass(frozen=True)
class Parts:
    """Where the parts of a state lie."""

    nq: int
    nv: int
    limited: bool  # whether motors may be cut

    @cached_property
    def moving(self) -> int:
        """Numbers of position and velocity."""
        return self.nq + self.nv

    @cached_property
    def integrated(self) -> int:
        """Numbers that have rates."""
        return self.moving + len(WORKS) + self.nv * self.limited

    @cached_property
    def size(self) -> int:
        return self.integrated + 2

    @cached_property
    def q(self) -> slice:
        return slice(0, self.nq)

    @cached_property
    def qd(self) -> slice:
        return slice(self.nq, self.moving)

    @cached_property
    def work(self) -> slice:
        return slice(self.moving, self.moving + len(WORKS))

    @cached_property
    def cut(self) -> slice:
        """Seconds for which each motor gave less than was asked."""
        return slice(self.moving + len(WORKS), self.integrated)

    @cached_property
    def alive(self) -> int:
        return self.integrated

    @cached_property
    def steps(self) -> int:
        return self.integrated + 1


def parts(model: Model, limited: bool) -> Parts:
    x = coordinates(model)
    return Parts(x.nq, x.nv, limited)


@dataclass(frozen=True, slots=True)
class StageRequest(Request):
    """Position and velocity of a stage: x + h Σ a_j k_j."""

    weights: tuple[float, ...] = ()

    def inputs(self, model: Model) -> dict[str, int]:
        moving = parts(model, False).moving
        return {"x": moving, "h": 1} | {f"k{j}": moving for j in _used(self.weights)}

    def shape(self, model: Model) -> tuple[int, ...]:
        return (parts(model, False).moving,)

    def evaluate(self, model: Model, **numbers: Numbers) -> list[Num]:
        return _moved(numbers["x"], numbers["h"][0], self.weights, numbers)


@dataclass(frozen=True, slots=True)
class LandingRequest(Request):
    """The state after a step, from the rates of all stages."""

    weights: tuple[float, ...] = ()
    implicit_position: bool = False
    limited: bool = False
    conserved: bool = False
    watched: bool = False  # whether the extremes of what has a limit are carried along
    loads: tuple[str, ...] = ()

    def inputs(self, model: Model) -> dict[str, int]:
        p = parts(model, self.limited)
        sizes = {"state": self.shape(model)[0], "h": 1}
        sizes |= {f"k{j}": p.integrated for j in _used(self.weights)}
        if self.watched:
            sizes["k0"] = p.integrated + p.nv  # with the torques that act at the beginning of the step
        return sizes | ({"energy": 1} if self.conserved else {}) | payload_inputs(self.loads)

    def shape(self, model: Model) -> tuple[int, ...]:
        return (parts(model, self.limited).size + (len(bounds(model)) if self.watched else 0),)

    def evaluate(self, model: Model, **numbers: Numbers) -> list[Num]:
        p, state, h = parts(model, self.limited), numbers["state"], numbers["h"][0]
        y = _moved(state[: p.integrated], h, self.weights, numbers)
        q, qd, rest = y[p.q], y[p.qd], y[p.moving :]
        if self.implicit_position:
            step = [v * h for v in qd]
            q = [x for joint in coordinates(model).joints for x in joint.integrate(state[p.q], step)]
        else:
            q = on_unit_length(model, q)
        if model.is_closed:
            asked = Asked(carrying(model, numbers, self.loads), self, {})
            if self.implicit_position:  # a step of low order is far off
                q = closed_positions(asked, q)
            q, qd = closed_state(asked, q, qd)
        if self.conserved:
            qd = self._scaled(model, q, qd, y[p.work], numbers)
        landed = _guarded(p, state, [*q, *qd, *rest])
        return [*landed, *self._extremes(model, p, state, numbers)] if self.watched else landed

    def _extremes(
        self, model: Model, p: Parts, state: Numbers, numbers: Mapping[str, Numbers]
    ) -> list[Num]:
        """The extremes with those at the beginning of this step; its end is the beginning of the next."""
        tau = numbers["k0"][p.integrated : p.integrated + p.nv]
        return extended(model, state[p.size :], bounded(model, state[p.q], state[p.qd], tau))

    def _scaled(
        self, model: Model, q: Numbers, qd: Numbers, work: Numbers, numbers: Mapping[str, Numbers]
    ) -> list[Num]:
        """The velocities with the kinetic energy that is due."""
        carried = {name: numbers[name] for name in payload_inputs(self.loads)}
        asked = LoadedRequest("energy", loads=self.loads)
        kinetic, potential = asked.evaluate(model, q=q, qd=qd, **carried)
        due = numbers["energy"][0] - potential
        for each in work:
            due = due + each
        part = (due - kinetic) / maximum(kinetic, 1e-300)
        factor = sqrt(minimum(maximum(part, -MOST_SCALED), MOST_SCALED) + 1.0)
        return [v * factor for v in qd]


def _used(weights: tuple[float, ...]) -> list[int]:
    return [j for j, weight in enumerate(weights) if weight]


def _moved(y: Numbers, h: Num, weights: tuple[float, ...], numbers: Mapping[str, Numbers]) -> list[Num]:
    """y + h Σ_j weight_j k_j."""
    moved: list[Num] = []
    for place, start in enumerate(y):
        total: Num = 0.0
        for j in _used(weights):
            total = total + numbers[f"k{j}"][place] * weights[j]
        moved.append(start + total * h)
    return moved


def on_unit_length(model: Model, q: Numbers) -> list[Num]:
    """Positions whose quaternions are turns again."""
    landed: list[Num] = []
    for joint in coordinates(model).joints:
        place = joint.position(q)
        landed += [*place] if not joint.has_quaternion else [*place[:-4], *normalised(place[-4:])]
    return landed


def _guarded(p: Parts, old: Numbers, new: Numbers) -> list[Num]:
    """The new state of a run that is alive and within all bounds, else the old one."""
    total: Num = 0.0
    for x in new[: p.moving]:
        total = total + absolute(x)
    alive = less(total, BOUND) * old[p.alive]
    return [*(where(alive, x, y) for x, y in zip(new, old, strict=False)), alive, old[p.steps] + alive]


def one_step(
    model: Model,
    method: Integrator,
    rate: RateRequest,
    signals: Mapping[str, int],
    conserved: bool = False,
    watched: bool = False,
) -> tuple[dict[str, Request], Recurrence]:
    """The programs of a step by name, and their order; ``signals`` are the inputs that vary in time, with sizes."""
    p = parts(model, rate.limited)
    landing = LandingRequest(
        "landing", weights=method.b, implicit_position=method.implicit_position, limited=rate.limited,
        conserved=conserved, watched=watched, loads=rate.loads if conserved or model.is_closed else (),
        accelerated=rate.accelerated if model.is_closed else (), rank=rate.rank,
    )  # fmt: skip
    requests: dict[str, Request] = {"rate": rate}
    calls: list[Call] = []
    sampled = {"h": Signal(1)} | {name: Signal(n, len(method.times)) for name, n in signals.items()}

    def cell(name: str, stage: int) -> str:
        return sample(name, method.times.index(method.c[stage])) if name in signals else name

    for i, weights in enumerate(method.a):
        place = STATE
        if i:
            place, name = "place", f"stage {i}"
            requests[name] = StageRequest("stage", weights=weights)
            calls.append(Call(name, (STATE, sample("h", 0), *(f"k{j}" for j in _used(weights))), place))
        others = [cell(name, i) for name in rate.inputs(model) if name != "x"]
        calls.append(Call("rate", (place, *others), f"k{i}"))
    requests["landing"] = landing
    own = {"state": STATE, "h": sample("h", 0)}
    calls.append(Call("landing", tuple(own.get(name, name) for name in landing.inputs(model)), "next"))
    known = {**rate.inputs(model), **landing.inputs(model)}
    stages = {f"k{j}" for j in range(len(method.b))}
    outside = {name: n for name, n in known.items() if name not in {"x", "state", "h", *signals, *stages}}
    size, recorded = landing.shape(model)[0], ("k0", p.integrated, p.nv)
    return requests, Recurrence(
        size, outside, sampled, tuple(calls), "next", recorded, unkept=size - p.size
    )
