"""What five documents claim about manipulator dynamics, and what became of each claim.

H [Hollerbach1980], T [Turney1980], A [Asada2005], D [Decomposition2012], W [Waters1979]. A claim with a check is
recomputed from counts, polynomials or robots whenever it is asked for; the check also says whether what came
out bears the verdict out. A claim without one is stated with its reason, and marked so; rooms below this one, which
plan, simulate and control motions, bring checks of their own for some of these, and for what a check here leaves
unchecked (`judged(later=…)`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from strobe.papers import (
    findings_asada as asada,
    findings_counts as counts,
    findings_decomposition as decomposition,
    findings_hollerbach as hollerbach,
    findings_turney as turney,
    findings_waters as waters,
)
from strobe.papers.findings import Check, Finding


class Verdict(StrEnum):
    """What a claim is worth."""

    TRUE = "true"
    QUALIFIED = "qualified"  # true under a condition that the figure names
    FALSE = "false"
    OPEN = "open"  # cannot be decided here


TRUE, QUALIFIED, FALSE, OPEN = Verdict
NO_CHECKS: Mapping[str, Check] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim in our words, a verdict, and a check or a reason."""

    id: str
    text: str
    verdict: Verdict
    check: Check | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Judged:
    """A claim with what was found; ``holds`` is None where it is stated only."""

    claim: Claim
    figure: str
    holds: bool | None
    partly: bool = False  # something of the claim was not looked at

    @property
    def status(self) -> str:
        if self.holds is None:
            return "stated"
        return "partly recomputed" if self.partly else "recomputed"


def judge(claim: Claim, later: Check | None = None) -> Judged:
    """Look at the facts behind a claim: by its own check, and for what that leaves by one of a later room."""
    check = claim.check or later
    if check is None:
        return Judged(claim, claim.reason, None)
    found = check()
    if found.unchecked and later is not None:
        rest = later()
        found = Finding(f"{found.figure}; {rest.figure}", found.holds and rest.holds, rest.unchecked)
    rest = f"; not checked here: {found.unchecked}" if found.unchecked else ""
    return Judged(claim, found.figure + rest, found.holds, bool(found.unchecked))


def judged(later: Mapping[str, Check] = NO_CHECKS) -> list[Judged]:
    """Every claim, its facts looked at now; ``later`` has checks by the names of claims."""
    return [judge(claim, later.get(claim.id)) for claim in CLAIMS]


MOTIONS = "planned motions decide it: strobe tables claims"
MECHANISMS = "closed chains and feet decide it: strobe tables claims"
CONTROL = "closed loops decide it: strobe tables claims"

CLAIMS: tuple[Claim, ...] = (
    Claim("H-1", "earlier Lagrangian formulations cost O(n⁴)", QUALIFIED, counts.fourth_power),
    Claim("H-2", "six joints take 66,271 m and 51,548 a", FALSE, counts.uicker_kahn_at_six),
    Claim("H-3", "the backward recursion is O(n²): 7,051 m, 5,652 a", QUALIFIED, counts.backward_recursion),
    Claim("H-4", "the forward recursion is O(n) at hardly any cost", QUALIFIED, counts.forward_recursion),
    Claim("H-5", "3×3 matrices take more than 50 % off the coefficients", TRUE, counts.three_by_three),
    Claim("H-6", "Newton-Euler saves 60 % over the recursive Lagrangian", TRUE, counts.newton_euler_saving),
    Claim("H-7", "Lagrange can be made about as efficient as Newton-Euler", FALSE, counts.as_efficient),
    Claim(
        "H-8", "tabulated configuration space loses to Newton-Euler for n ≥ 9", QUALIFIED,
        counts.configuration_space_loses,
    ),
    Claim("H-9", "only minor improvements of recursive formulations remain", FALSE, counts.no_improvement),
    Claim("H-10", "velocity terms are by far the greatest burden", QUALIFIED, counts.coriolis_burden),
    Claim(
        "H-11", "dropping velocity terms works at low speed only, and feedback cannot make up for it", QUALIFIED,
        hollerbach.speed_squared,
    ),
    Claim("H-12", "one point takes 7.9 s on a PDP 11/45", OPEN, counts.seconds_per_point),
    Claim("H-13", "tables are huge and hold for one load", TRUE, counts.tables_are_huge),
    Claim("H-14", "the 3×3 equations equal the general ones", FALSE, hollerbach.printed_three_by_three),
    Claim("T-1", "Lagrange and Newton-Euler are equivalent", TRUE, turney.lagrange_is_newton_euler),
    Claim("T-2", "Lagrange can be evaluated in O(n³), with the printed totals", QUALIFIED, counts.third_power),
    Claim("T-3", "Newton-Euler costs 108n−12 m, 100n−9 a", FALSE, counts.turney_newton_euler),
    Claim(
        "T-4", "the modified set costs 90n−27 m, 88n−24 a and is less complex", QUALIFIED,
        counts.modified_is_less_complex,
    ),
    Claim("T-5", "it is also more parallel: 27n+42, 27n+41 steps", QUALIFIED, counts.more_parallel),
    Claim(
        "T-6", "Hollerbach's higher counts come from taking the equations literally", QUALIFIED, counts.discrepancy
    ),
    Claim("T-7", "M is positive definite, so elimination needs no pivoting", QUALIFIED, turney.no_pivoting),
    Claim("T-8", "unit accelerations strobe M", TRUE, turney.strobed_mass_matrix),
    Claim("T-9", "two unit rates strobe C^i_jk", FALSE, turney.strobed_coriolis),
    Claim("T-10", "the cost forms of strobing", QUALIFIED, counts.strobing_cost),
    Claim(
        "T-11", "Newton-Euler shows which terms are insignificant, Lagrange hides it", QUALIFIED,
        turney.insignificant_terms,
    ),
    Claim(
        "T-12", "Horowitz and Tomizuka's complexity lies between the two", QUALIFIED, counts.gibbs_appell_between,
    ),
    Claim("T-13", "a base acceleration of +9.8 stands for gravity", TRUE, turney.gravity_by_acceleration),
    Claim(
        "T-14", "Runge-Kutta with a step from the largest velocity simulates the arm", QUALIFIED,
        reason="of order 4 only if torques are known at the stage times; simulation decides it: strobe tables claims",
    ),
    Claim("A-1", "eliminating coupling forces and Lagrange give 7.1.11 and 7.1.12", TRUE, asada.closed_form),
    Claim("A-2", "H is symmetric", TRUE, asada.symmetric),
    Claim("A-3", "kinetic energy is always positive, H positive definite", QUALIFIED, asada.always_positive),
    Claim("A-4", "the coefficients of 7.2.22 are Christoffel's symbols", FALSE, asada.asada_is_not_christoffel),
    Claim(
        "A-5", "velocity terms exist only where H depends on the configuration", TRUE,
        asada.velocity_terms_need_a_changing_matrix,
    ),
    Claim("A-6", "H11 and the gravity moments are largest with the arm stretched out", TRUE, asada.extremes),
    Claim("A-7", "the centrifugal moment of 7.1.17, −m2 ℓ1 ℓc2 θ̇1²", FALSE, asada.centrifugal_moment),
    Claim("A-8", "the Coriolis force has no moment about joint 2", TRUE, asada.coriolis_about_joint_2),
    Claim(
        "A-9", "Lagrange needs neither accelerations nor constraint forces", TRUE,
        reason="by construction: lagrange-jacobian uses positions, velocities and H only",
    ),
    Claim("A-10", "Q = τ + JᵀF; absolute angles give Q1 = τ1 − τ2", TRUE, asada.absolute_angles),
    Claim(
        "D-1", "the Lagrange and Newton-Euler routes give the same D, C, G", QUALIFIED, decomposition.same_matrices
    ),
    Claim("D-2", "C is not unique, yet Ḋ − 2C is skew", QUALIFIED, decomposition.skew_forms),
    Claim("D-3", "one procedure serves symbols and numbers", TRUE, decomposition.one_procedure),
    Claim("D-4", "D is positive definite with massless virtual links", QUALIFIED, decomposition.virtual_links),
    Claim(
        "D-5", "simple closed chains are two serial chains", QUALIFIED,
        reason=f"only where both are functions of the same independent coordinates; {MECHANISMS}",
    ),
    Claim(
        "D-6", "ground reaction and zero-moment point come with little extra effort", TRUE,
        reason=f"they are sums over forces that Newton-Euler has already; {MECHANISMS}",
    ),
    Claim("D-7", "generated C code speeds simulation up", OPEN, reason="the source gives no figures"),
    Claim(
        "W-1", "evaluation as written takes 2254m+973a and 8 s, and grows like the cube", FALSE,
        counts.naive_evaluation,
    ),
    Claim("W-2", "recording values takes 486m+275a, a factor 5", QUALIFIED, counts.recording),
    Claim("W-3", "recurrences take 70m+106a, a further factor 6, 0.25 s", QUALIFIED, counts.recurrences),
    Claim("W-4", "60m+81a, then 45m+77a", TRUE, counts.both_recursions),
    Claim("W-5", "a factor 50 in all, 400 and 20 ms with 3×3 and fixed point", QUALIFIED, counts.overall_factor),
    Claim("W-6", "gravity 6 %, second order 46 %, inertial 48 %", TRUE, counts.shares),
    Claim("W-7", "as written U_66 is computed 12 times, L_6 6 times", FALSE, counts.repeated_values),
    Claim("W-8", "locking three of six joints saves 57 %", TRUE, counts.locking),
    Claim("W-9", "ignoring the second order terms saves 46 %", TRUE, counts.ignoring_velocities),
    Claim("W-10", "neglecting outer links saves 5m+5a only", QUALIFIED, waters.neglecting_outer_links),
    Claim("W-11", "zeros in some U_ij save nothing in a recursion", QUALIFIED, counts.zeros_save_nothing),
    Claim("W-12", "counterbalancing saves almost nothing", QUALIFIED, waters.balancing_saves_little),
    Claim("W-13", "acceleration, velocity and position need 7, 17 and 29 bits", TRUE, counts.resolution),
    Claim("W-14", "a fast acceleration servo beats the model under friction", TRUE, reason=CONTROL),
    Claim("W-15", "a full table has 5¹⁸ = 4·10¹² sets of 6 values", TRUE, counts.full_table),
    Claim(
        "W-16", "108 derivatives per point pay if they save two orders of magnitude of points", QUALIFIED,
        counts.derivatives_per_point,
    ),
    Claim(
        "W-17", "the D and E form needs 5¹² = 2·10⁸ sets of 42 values, and 504 derivatives", QUALIFIED,
        counts.smaller_table,
    ),
    Claim("W-18", "7 function values give 18 pairs; six 18×18 inversions", FALSE, waters.extrapolation_points),
    Claim(
        "W-19", "the fastest motion switches at most once", QUALIFIED,
        reason=f"twice where a velocity bound is active; {MOTIONS}",
    ),
    Claim(
        "W-20", "segments without acceleration synchronise joints", QUALIFIED,
        reason=f"the durations that can be reached have gaps; {MOTIONS}",
    ),
    Claim(
        "W-21", "trajectories converge to the piecewise straight path as points get denser", TRUE, reason=MOTIONS
    ),
    Claim(
        "W-22", "over the square root of velocity, constant acceleration is a straight line", FALSE,
        waters.straight_in_which_axes,
    ),
    Claim(
        "W-23", "one further point of the hand gives its angular velocity", FALSE, waters.further_hand_points,
    ),
    Claim("W-24", "test forces of the wrist identify the payload", FALSE, waters.wrist_payload),
    Claim("W-25", "the link matrix A_i as printed", FALSE, waters.printed_link_matrix),
    Claim(
        "W-26", "fixed point suffices", QUALIFIED,
        reason="only if every joint has a scale of its own; fixed-point code decides it: strobe tables claims",
    ),
)  # fmt: skip
