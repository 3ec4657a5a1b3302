"""Newton-Euler with coupling forces, as textbooks derive it: cut the links free, balance, eliminate, project.

    f_pi − Σ f_ic + m_i g − m_i v̇_ci = 0                                                    forces on link i
    N_pi − Σ N_ic − r_i,ci × f_pi + Σ r_c,ci × f_ic − I_i ω̇_i − ω_i × (I_i ω_i) = 0          moments about its centre

    f_pi = Σ f_ic + m_i (v̇_ci − g)
    N_pi = Σ N_ic + m_i r_i,ci × (v̇_ci − g) + Σ r_i,c × f_ic + I_i ω̇_i + ω_i × (I_i ω_i)

f_pi and N_pi are what the link p before exerts on link i at its joint; c are the links that i carries. [Asada2005]
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from strobe.equations.derivation_lines import (
    Formula,
    Letter,
    Line,
    Quantity,
    Step,
    Times,
    Written,
    plus,
    worked_out,
)
from strobe.equations.link_motion import Letters, Link, MovingLinks
from strobe.equations.notation import index
from strobe.equations.trig_polynomials import Wave

GRAVITY = Letter("g", bold=True)

NOTHING = plus(())
FOLLOWING = (
    "Joints that follow others are left free: what makes them follow, also by closing a loop, does no work "
    "and drops out of the torques in the end."
)
LOOPS = (
    "The forces and moments of the joints are therefore those of the open chains, without what the pins of the "
    "closed one add to them: strobe explain computes these at a state."
)
HELD = "What acts along the joints is the work of the drives; the bearings hold all the rest."

Terms = list[tuple[int, Formula]]


@dataclass
class NewtonEuler:
    """One derivation: what every letter stands for, filled in as the steps are made."""

    moving: MovingLinks
    book: dict[Letter, Quantity] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.letters = Letters(self.moving.planar)
        self._enter_motion()

    def steps(self) -> Iterator[Step]:
        yield self._balances()
        yield self._forces()
        yield self._moments()
        yield self._kinematics()
        yield self._accelerations()
        yield self._substituted()
        yield self._projected()

    def torques(self) -> list[Wave]:
        """Of the independent coordinates, after the last step."""
        lower = self.moving.equations.ring.lower
        return [lower(self.book[self.letters.torque(i)]) for i in range(self.moving.equations.n)]

    # -- letters and what they stand for ------------------------------------------------------------

    def _force(self, link: Link) -> Letter:
        return Letter("f", index(link.parent, link.number), bold=True)

    def _moment(self, link: Link) -> Letter:
        return Letter("N", index(link.parent, link.number), bold=not self.moving.planar)

    def _arm(self, link: Link, to: Link) -> Letter:
        """From the joint of a link to that of another one."""
        return Letter("r", index(link.number - 1, to.number - 1), bold=True)

    def _to_centre(self, of: Link, joint: Link) -> Letter:
        """From a joint to the centre of mass of a link."""
        return Letter("r", f"{joint.number - 1},c{of.number}", bold=True)

    def _joint_torque(self, link: Link) -> Letter:
        """Along a joint: τ where every joint moves by itself."""
        number = link.number
        return self.letters.torque(number - 1) if self._independent else Letter("Q", str(number))

    @property
    def _independent(self) -> bool:
        """Whether no joint follows others."""
        return self.moving.equations.coordinates.trivial

    def _enter_motion(self) -> None:
        book, moving, letters = self.book, self.moving, self.letters
        book[GRAVITY] = moving.gravity
        for link in moving.links:
            book[letters.velocity(link)] = link.velocity
            book[letters.velocity(link, 1)] = link.acceleration
            book[letters.spin(link)] = moving.about(link.spin)
            book[letters.spin(link, 1)] = moving.about(link.spin_rate)
            book[letters.inertia(link)] = moving.tensor(link.inertia)
            book[letters.axis(link)] = link.axis
            book[self._to_centre(link, link)] = link.centre - link.joint
            for child in self._carried(link):
                book[self._to_centre(link, child)] = link.centre - child.joint
                book[self._arm(link, child)] = child.joint - link.joint

    def _carried(self, link: Link) -> list[Link]:
        """The links whose joints a link carries."""
        return [self.moving.link(number) for number in link.children]

    def _felt(self, *letters: Letter) -> bool:
        """Whether none of some letters stands for zero."""
        return not any(self.moving.is_zero(self.book[x]) for x in letters)

    def _shown(self, letter: Letter) -> Line:
        return Line((letter,), self.moving.written(self.book[letter]))

    def _enter(self, letter: Letter, formula: Formula) -> None:
        """What a letter stands for, worked out from a formula."""
        self.book[letter] = worked_out(formula, self.book, self.moving.plane.normal)

    # -- balances -----------------------------------------------------------------------------------

    def _balances(self) -> Step:
        lines = (
            Line((balance,), NOTHING, link.name)
            for link in self.moving.links
            for balance in (self._forces_on(link), self._moments_on(link))
        )
        return Step(
            "The links cut free",
            "Joint i sits at the point O(i−1) and joins link i to the link before it, which exerts on it "
            "there the coupling force f and the coupling moment N, and feels the opposite of both. Arms r "
            "lead from a point O to another one, or to a centre of mass c. With the inertial force and "
            "moment among them, all forces on a link add up to zero, and so do all moments about its "
            "centre of mass. What vanishes is left out." + self._left_free(),
            tuple(lines),
        )

    def _left_free(self) -> str:
        if self._independent:
            return ""
        return f" {FOLLOWING} {LOOPS}" if self.moving.equations.words.model.loops else f" {FOLLOWING}"

    def _forces_on(self, link: Link) -> Formula:
        terms: Terms = [
            (1, self._force(link)),
            *((-1, self._force(child)) for child in self._carried(link)),
        ]
        for sign, acceleration in ((1, GRAVITY), (-1, self.letters.velocity(link, 1))):
            if not link.weightless and self._felt(acceleration):
                terms.append((sign, Times(Written(link.mass), acceleration)))
        return plus(terms)

    def _moments_on(self, link: Link) -> Formula:
        carried = self._carried(link)
        terms: Terms = [(1, self._moment(link)), *((-1, self._moment(child)) for child in carried)]
        levers = [(-1, self._to_centre(link, link), self._force(link))]
        levers += [(1, self._to_centre(link, child), self._force(child)) for child in carried]
        terms += [(sign, Times(arm, force, "×")) for sign, arm, force in levers if self._felt(arm)]
        return plus([*terms, *((-1, term) for term in self._inertial(link))])

    def _inertial(self, link: Link) -> list[Formula]:
        """I ω̇ and ω × I ω; in a plane there is none of the second."""
        I, w = self.letters.inertia(link), self.letters.spin(link)
        if not self._felt(I, w):
            return []
        if self.moving.planar:
            return [Times(Written(self.book[I]), self.letters.spin(link, 1))]
        return [Times(I, self.letters.spin(link, 1)), Times(w, Times(I, w), "×")]

    # -- elimination --------------------------------------------------------------------------------

    def _forces(self) -> Step:
        return Step(
            "The coupling forces",
            "Solved from the last link inwards, the balances of forces say what every joint passes on: the "
            "inertial forces and the weights of all that lies beyond it.",
            tuple(
                Line((self._force(link),), self._passed_force(link)) for link in reversed(self.moving.links)
            ),
        )

    def _passed_force(self, link: Link) -> Formula:
        """Σ m (v̇ − g) over all links beyond a joint."""
        pushing = self._pushing(link)
        return plus((1, Times(Written(other.mass), self._felt_acceleration(other))) for other in pushing)

    def _pushing(self, link: Link) -> list[Link]:
        """The links beyond a joint, its own among them, that weigh on it or resist its acceleration."""
        beyond = (other for other in self.moving.links if link.number in other.supports)
        return [x for x in beyond if not x.weightless and self._felt_acceleration(x) != NOTHING]

    def _felt_acceleration(self, link: Link) -> Formula:
        """v̇ − g."""
        parts = ((1, self.letters.velocity(link, 1)), (-1, GRAVITY))
        return plus((sign, x) for sign, x in parts if self._felt(x))

    def _lever(self, arm: Letter, link: Link) -> Formula:
        """m r × (v̇ − g)."""
        return Times(Written(link.mass), Times(arm, self._felt_acceleration(link), "×"))

    def _moments(self) -> Step:
        return Step(
            "The coupling moments",
            "Put into the balances of moments, these forces are eliminated, again from the last link "
            "inwards. The two arms from the centre of mass of a link to its joints combine to the one from "
            "joint to joint.",
            tuple(
                Line((self._moment(link),), self._passed_moment(link))
                for link in reversed(self.moving.links)
            ),
        )

    def _passed_moment(self, link: Link) -> Formula:
        """Σ N + m r × (v̇ − g) + Σ r × f + I ω̇ + ω × I ω."""
        carried, own = self._carried(link), self._to_centre(link, link)
        terms: Terms = [
            (1, self._moment(child)) for child in carried if self._passed_moment(child) != NOTHING
        ]
        if link in self._pushing(link) and self._felt(own):
            terms.append((1, self._lever(own, link)))
        for child in carried:
            if self._felt(self._arm(link, child)):
                terms += [(1, self._lever(self._arm(link, child), other)) for other in self._pushing(child)]
        return plus([*terms, *((1, term) for term in self._inertial(link))])

    # -- substitution -------------------------------------------------------------------------------

    def _kinematics(self) -> Step:
        letters, moving = self.letters, self.moving
        lines = [self._shown(arm) for link in moving.links for arm in self._arms(link) if self._felt(arm)]
        if not moving.planar:
            lines += [self._shown(letters.inertia(link)) for link in moving.links if self._inertial(link)]
        lines += [self._shown(letters.spin(link)) for link in moving.links]
        lines += [self._shown(letters.velocity(link)) for link in moving.links if not link.weightless]
        *first, last = moving.plane.names
        plane = ", in the plane of motion; angular velocities and moments are about its normal"
        return Step(
            "Kinematic relations",
            "The links do not move independently of each other: arms, angular velocities and the "
            f"velocities of the centres of mass follow from the joint coordinates. Components are those "
            f"along {', '.join(first)} and {last} of the base{plane if moving.planar else ''}.",
            (*([self._shown(GRAVITY)] if self._felt(GRAVITY) else ()), *lines),
        )

    def _arms(self, link: Link) -> list[Letter]:
        return [self._to_centre(link, link), *(self._arm(link, child) for child in self._carried(link))]

    def _accelerations(self) -> Step:
        letters, links = self.letters, self.moving.links
        lines = [self._shown(letters.spin(link, 1)) for link in links]
        lines += [self._shown(letters.velocity(link, 1)) for link in links if not link.weightless]
        return Step(
            "Accelerations", "The same relations differentiated with respect to time.", tuple(lines)
        )

    def _substituted(self) -> Step:
        lines: list[Line] = []
        for link in reversed(self.moving.links):
            f, N = self._force(link), self._moment(link)
            self._enter(f, self._passed_force(link))
            self._enter(N, self._passed_moment(link))
            lines += [self._shown(f), self._shown(N)]
        return Step(
            "Substitution",
            "With them the coupling forces and moments become functions of the joint coordinates, their "
            "rates and accelerations." + (f" {HELD}" if self._independent else ""),
            tuple(lines),
        )

    # -- projection ---------------------------------------------------------------------------------

    def _projected(self) -> Step:
        moving, lines = self.moving, list[Line]()
        for link in moving.links:
            torque, formula = self._joint_torque(link), self._along_joint(link)
            self._enter(torque, formula)
            if not moving.planar or not link.turns:
                lines.append(self._shown(self.letters.axis(link)))
            lines.append(Line((torque,), formula))
        for i, formula in enumerate(self._reduced()):
            self._enter(self.letters.torque(i), formula)
            lines.append(Line((self.letters.torque(i),), formula))
        said = {line.left[0] for line in lines if isinstance(line.right, Letter | Written)}
        torques = [self.letters.torque(i) for i in range(moving.equations.n)]
        lines += [self._shown(torque) for torque in torques if torque not in said]
        rotors = " The rotors of the drives are accelerated besides." if any(self._rotors()) else ""
        following = "" if self._independent else " Joints that follow others load these."
        return Step(
            "Projection on the joints",
            "A joint that turns leaves the moment about its axis e to the drive, one that slides the force "
            f"along it.{rotors}{following}",
            tuple(lines),
        )

    def _along_joint(self, link: Link) -> Formula:
        """e · N or e · f, and what the rotor needs."""
        terms = [self._component(link)] if self._passes(link) else []
        if self._rotors()[link.number - 1]:
            turning = self.moving.rotors[link.number - 1] * self.moving.joint_accelerations[link.number - 1]
            terms.append((1, Written(self.moving.equations.ring.lower(turning))))
        return plus(terms)

    def _passes(self, link: Link) -> bool:
        """Whether a joint passes anything on that a drive could feel."""
        return (self._passed_moment(link) if link.turns else self._passed_force(link)) != NOTHING

    def _component(self, link: Link) -> tuple[int, Formula]:
        """What a joint passes on along its axis, with its sign."""
        carried, normal = self._moment(link) if link.turns else self._force(link), self.moving.plane.normal
        if not link.turns or normal is None:
            return 1, Times(self.letters.axis(link), carried, "·")
        along = self.moving.equations.ring.lower(normal.dot(link.axis)).as_fraction()
        return 1 if along == 1 else -1, carried

    def _rotors(self) -> list[bool]:
        return [not rotor.is_zero() for rotor in self.moving.rotors]

    def _reduced(self) -> Iterator[Formula]:
        """τ of the independent coordinates from the torques along all joints, where some follow others."""
        x, ring = self.moving.equations.coordinates, self.moving.equations.ring
        for i in range(0 if x.trivial else x.nv):
            shares = zip(self.moving.links, x.velocities, strict=True)
            felt = [(self._joint_torque(link), row[i]) for link, row in shares if row.get(i)]
            yield plus(
                (1 if k > 0 else -1, Q if abs(k) == 1 else Times(Written(ring.constant(abs(k))), Q))
                for Q, k in felt
            )
