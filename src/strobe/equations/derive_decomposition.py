"""D, C and G by cross products, link by link, in six steps. [Decomposition2012]

    1  R_i, e_j                                       rotations, and the axes of the joints
    2  J_ω,i e_j = e_j                                D_ω,i = J_ωᵀ I J_ω
    3  J̇_ω,i e_j = ω × e_j                            C_ω,i = J_ωᵀ (I J̇_ω + ω × I J_ω)
    4  J_v,i e_j = e_j × (r_ci − p_j)                 D_v,i = m J_vᵀ J_v        G_i = −m J_vᵀ g
    5  J̇_v,i e_j = (ω × e_j) × (r_ci − p_j) + e_j × (v_ci − ṗ_j)                C_v,i = m J_vᵀ J̇_v
    6  D = Σ D_ω + D_v        C = Σ C_ω + C_v        G = Σ G_i

for turning joints j; sliding ones have no column in J_ω, e_j in J_v and ω × e_j in J̇_v. ω in 3 and 5 is the angular
velocity of the link that carries joint j.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from strobe.algebra import Vec3
from strobe.equations.closed_form import Matrix
from strobe.equations.derivation_lines import Letter, Line, Step, Times, Transposed, Values, plus
from strobe.equations.link_motion import Letters, Link, MovingLinks
from strobe.equations.trig_polynomials import Wave

MASS, INERTIA, GRAVITY = Letter("m", "i"), Letter("I", "i", bold=True), Letter("g", bold=True)

Columns = Mapping[int, Vec3]  # joint -> column


@dataclass(frozen=True, slots=True, eq=False)
class LinkParts:
    """Jacobians of one link, their derivatives, and what it adds to D, C and G."""

    Jw: Columns
    Jw_d: Columns
    Jv: Columns
    Jv_d: Columns
    Dw: Matrix
    Cw: Matrix
    Dv: Matrix
    Cv: Matrix
    G: list[Wave]


@dataclass(frozen=True)
class Decomposition:
    """One derivation."""

    moving: MovingLinks

    def steps(self) -> Iterator[Step]:
        yield self._rotations()
        yield self._angular()
        yield self._angular_rates()
        yield self._linear()
        yield self._linear_rates()
        yield self._sums()

    # -- what the steps compute ---------------------------------------------------------------------

    @cached_property
    def parts(self) -> dict[int, LinkParts]:
        """By number of the link."""
        return {link.number: self._parts(link) for link in self.moving.links}

    def _parts(self, link: Link) -> LinkParts:
        joints = [self.moving.link(j) for j in link.supports]
        I, m, w, g = link.inertia, link.mass, link.spin, self.moving.gravity
        Jw = {j.number: j.axis if j.turns else Vec3.zero() for j in joints}
        Jv = {j.number: j.axis.cross(link.centre - j.joint) if j.turns else j.axis for j in joints}
        Jw_d = {j.number: self._turned(j) if j.turns else Vec3.zero() for j in joints}
        Jv_d = {j.number: self._linear_rate(link, j) for j in joints}
        moments = {j: I @ Jw_d[j] + w.cross(I @ column) for j, column in Jw.items()}
        return LinkParts(
            Jw, Jw_d, Jv, Jv_d,
            Dw=self._products(Jw, {j: I @ column for j, column in Jw.items()}),
            Cw=self._products(Jw, moments),
            Dv=self._products(Jv, {j: column * m for j, column in Jv.items()}),
            Cv=self._products(Jv, {j: column * m for j, column in Jv_d.items()}),
            G=[self.moving.wave(-(Jv[j].dot(g) * m)) if j in Jv else self.moving.wave(0.0) for j in self._joints],
        )  # fmt: skip

    def _turned(self, joint: Link) -> Vec3:
        """ω × e: the link before turns the axis."""
        return self._spin_before(joint).cross(joint.axis)

    def _spin_before(self, joint: Link) -> Vec3:
        return self.moving.link(joint.parent).spin if joint.parent else Vec3.zero()

    def _linear_rate(self, link: Link, joint: Link) -> Vec3:
        turned = self._turned(joint)
        if not joint.turns:
            return turned
        relative = link.velocity - self.moving.rates(joint.joint)
        return turned.cross(link.centre - joint.joint) + joint.axis.cross(relative)

    def _products(self, left: Columns, right: Columns) -> Matrix:
        """The matrix of dot products of columns, zero where a joint does not move the link."""
        return Matrix(
            [
                self.moving.wave(left[i].dot(right[j]) if i in left and j in right else 0.0)
                for j in self._joints
            ]
            for i in self._joints
        )

    @cached_property
    def mass_matrix(self) -> Matrix:
        """D, rotors included."""
        D = self._sum(lambda part: (part.Dw, part.Dv))
        for k, rotor in enumerate(self.moving.rotors):
            D[k][k] = self.moving.wave(D[k][k] + rotor)
        return self._reduced(D)

    @cached_property
    def coriolis_matrix(self) -> Matrix:
        return self._reduced(self._sum(lambda part: (part.Cw, part.Cv)))

    @cached_property
    def gravity(self) -> list[Wave]:
        ring, x = self.moving.equations.ring, self.moving.equations.coordinates
        columns = zip(*(part.G for part in self.parts.values()), strict=True)
        return [ring.lower(t) for t in x.reduce([ring.total(column) for column in columns])]

    def torques(self) -> list[Wave]:
        """D q̈ + C q̇ + G."""
        equations = self.moving.equations
        return [
            equations.ring.total(
                (
                    *(d * a for d, a in zip(D, equations.qdd, strict=True)),
                    *(c * v for c, v in zip(C, equations.qd, strict=True)),
                    G,
                )
            )
            for D, C, G in zip(self.mass_matrix, self.coriolis_matrix, self.gravity, strict=True)
        ]

    def _sum(self, of: Callable[[LinkParts], Sequence[Matrix]]) -> Matrix:
        ring = self.moving.equations.ring
        matrices = [matrix for part in self.parts.values() for matrix in of(part)]
        size = range(len(self._joints))
        return Matrix([ring.total(matrix[i][j] for matrix in matrices) for j in size] for i in size)

    def _reduced(self, M: Matrix) -> Matrix:
        rows = self.moving.equations.coordinates.reduce_matrix(M)
        return Matrix([self.moving.wave(x) for x in row] for row in rows)

    @property
    def _joints(self) -> range:
        return range(1, len(self.moving.links) + 1)

    # -- steps --------------------------------------------------------------------------------------

    def _rotations(self) -> Step:
        letters, moving, lines = Letters(self.moving.planar), self.moving, list[Line]()
        for link in moving.links:
            R = Letter("R", str(link.number), bold=True)
            lines.append(Line((letters.axis(link),), self._axis(link), link.name))
            lines.append(Line((R,), moving.written(link.rotation), link.name))
        return Step(
            "Rotations and axes",
            "R takes the axes of a link to those of the base, one joint after the other; e is the axis of "
            "a joint in base axes, which the link before it carries.",
            tuple(lines),
        )

    def _axis(self, link: Link) -> Values:
        """All three components where it is the normal of the plane."""
        if self.moving.planar and link.turns:
            return Values(tuple((self.moving.wave(x),) for x in link.axis), ("x", "y", "z"))
        written = self.moving.written(link.axis)
        assert isinstance(written, Values)
        return written

    def _angular(self) -> Step:
        def lines(k: str, part: LinkParts) -> Iterator[Line]:
            yield self._jacobian(_J("ω", k), part.Jw, turning=True)
            yield self._matrix(Letter("D", f"ω{k}", bold=True), part.Dw)

        return self._step(
            "Angular Jacobians",
            "The columns of the angular Jacobian of a link are the axes of the turning joints that it "
            "hangs on. The inertia I about its centre of mass, turned into base axes by R, then says what "
            "its turning adds to the mass matrix.",
            lines,
            Line((Letter("D", "ωi", bold=True),), Times(Transposed(_J("ω")), Times(INERTIA, _J("ω")))),
        )

    def _angular_rates(self) -> Step:
        letters, moving = Letters(self.moving.planar), self.moving
        gyroscopic = Times(Letter("ω", "i", bold=True), Times(INERTIA, _J("ω")), "×")
        change = plus(((1, Times(INERTIA, _J("ω", dots=1))), (1, gyroscopic)))

        def lines(k: str, part: LinkParts) -> Iterator[Line]:
            link = moving.link(int(k))
            yield Line((letters.spin(link),), moving.written(moving.about(link.spin)))
            yield self._jacobian(_J("ω", k, 1), part.Jw_d, turning=True)
            yield self._matrix(Letter("C", f"ω{k}", bold=True), part.Cw)

        return self._step(
            "Their derivatives",
            "An axis is turned by the link that carries it: its rate is the cross product of the angular "
            "velocity of that link with the axis. The angular momentum of a link changes with its axes and "
            "with its inertia, which turns with it.",
            lines,
            Line((Letter("C", "ωi", bold=True),), Times(Transposed(_J("ω")), change)),
        )

    def _linear(self) -> Step:
        letters, moving = Letters(self.moving.planar), self.moving

        def lines(k: str, part: LinkParts) -> Iterator[Line]:
            link = moving.link(int(k))
            yield Line((Letter("p", k, bold=True),), moving.written(link.joint))
            if not link.weightless:
                yield Line((letters.centre(link),), moving.written(link.centre))
                yield self._jacobian(_J("v", k), part.Jv)
                yield self._matrix(Letter("D", f"v{k}", bold=True), part.Dv)
                yield Line((Letter("G", f"v{k}", bold=True),), _column(part.G))

        return self._step(
            "Positions and linear Jacobians",
            "A turning joint at the point p moves the centre of mass of a link around its axis: the column "
            "is the cross product of e with the arm from p. A sliding joint moves it along e.",
            lines,
            Line((Letter("D", "vi", bold=True),), Times(MASS, Times(Transposed(_J("v")), _J("v")))),
            Line(
                (Letter("G", "vi", bold=True),),
                plus(((-1, Times(MASS, Times(Transposed(_J("v")), GRAVITY))),)),
            ),
            Line((GRAVITY,), self.moving.written(self.moving.gravity)),
        )

    def _linear_rates(self) -> Step:
        moving, letters = self.moving, Letters(self.moving.planar)

        def lines(k: str, part: LinkParts) -> Iterator[Line]:
            link = moving.link(int(k))
            if not link.weightless:
                yield Line((letters.velocity(link),), moving.written(link.velocity))
                yield self._jacobian(_J("v", k, 1), part.Jv_d)
                yield self._matrix(Letter("C", f"v{k}", bold=True), part.Cv)

        return self._step(
            "Their derivatives",
            "Both the axis and the arm of a column change.",
            lines,
            Line((Letter("C", "vi", bold=True),), Times(MASS, Times(Transposed(_J("v")), _J("v", dots=1)))),
        )

    def _sums(self) -> Step:
        moving = self.moving
        rotors = (
            " with the inertia of the rotors on the diagonal of D"
            if any(not r.is_zero() for r in moving.rotors)
            else ""
        )
        coupled = (
            "" if moving.equations.coordinates.trivial else ", and reduced to the independent coordinates"
        )
        G = Letter("G", bold=True)
        return Step(
            "Sums",
            f"The matrices of all links are added{rotors}{coupled}. The torques are D times the "
            "accelerations, C times the rates, and G. D is the mass matrix M of other derivations.",
            (
                self._matrix(Letter("D", bold=True), self.mass_matrix),
                self._matrix(Letter("C", bold=True), self.coriolis_matrix),
                Line((G,), _column(self.gravity)),
            ),
        )

    def _step(
        self, title: str, words: str, lines: Callable[[str, LinkParts], Iterator[Line]], *laws: Line
    ) -> Step:
        """A step with the laws for all links first, and then what they give link by link."""
        found = (
            replace(line, about=self.moving.link(number).name)
            for number, part in self.parts.items()
            for line in lines(str(number), part)
        )
        return Step(title, words, (*laws, *found))

    def _jacobian(self, letter: Letter, columns: Columns, turning: bool = False) -> Line:
        """A matrix with one column for every joint; of turning in a plane one row."""
        all_columns = [columns.get(j, Vec3.zero()) for j in self._joints]
        normal, plane = self.moving.plane.normal, self.moving.plane
        if turning and normal is not None:
            row = tuple(self.moving.wave(normal.dot(column)) for column in all_columns)
            return Line((letter,), Values((row,), ("n",)))
        rows = tuple(tuple(self.moving.wave([*column][k]) for column in all_columns) for k in plane.axes)
        return Line((letter,), Values(rows, plane.names))

    def _matrix(self, letter: Letter, M: Matrix) -> Line:
        return Line((letter,), Values(tuple(map(tuple, M)), tuple(str(i + 1) for i in range(len(M)))))


def _J(kind: str, link: str = "i", dots: int = 0) -> Letter:
    return Letter("J", f"{kind}{link}", dots, bold=True)


def _column(values: Sequence[Wave]) -> Values:
    return Values(tuple((x,) for x in values), tuple(str(i + 1) for i in range(len(values))))
