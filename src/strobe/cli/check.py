"""``strobe check``: every formulation against every other, its rounding, and the laws of mechanics."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from strobe.cli.exit_codes import CHECK_FAILED
from strobe.cli.inputs import Base, Gravity, Json, Lock, RobotName, Strict, numbers, open_robot
from strobe.cli.options import takes
from strobe.errors import counted

if TYPE_CHECKING:
    from strobe.analysis.equivalence import OnGeneralArm, RoundTrip
    from strobe.analysis.significance import Significance
    from strobe.analysis.verdict import Check
    from strobe.robot import Robot

MARKS = {True: "=", False: "≠"}
HOLDS = {True: "holds", False: "FAILS", None: "not defined"}


def check(
    robot: RobotName,
    formulation: Annotated[
        list[str] | None,
        takes("--formulation", "NAME", "Only this one, and the reference; may be repeated."),
    ] = None,
    terms: Annotated[
        bool,
        typer.Option("--terms", help="Also show which terms of the torque matter, and at which speed."),
    ] = False,
    speeds: Annotated[
        str | None, takes("--speeds", "NUMBERS", "Speeds for --terms, 1 being rates of about 1 rad/s.")
    ] = None,
    trials: Annotated[
        int, typer.Option("--trials", min=1, help="Random robots, a fresh prime for each.")
    ] = 3,
    seed: Annotated[int, typer.Option("--seed", min=0, help="Other random robots and states.")] = 0,
    lock: Lock = None,
    base: Base = None,
    gravity: Gravity = None,
    strict: Strict = False,
    as_json: Json = False,
) -> None:
    """Whether all formulations are one function on a robot, and the laws of mechanics.

    Exactly in a prime field; in float64 against fifty digits; symbolically for three joints or fewer. The same
    on general arms (all twists or right angles, full inertias), where no zero of the robot hides a term.
    Exits with 1 on any disagreement; a joint that moves no inertia is reported and is none.
    hollerbach-3x3-printed, a paper's misprint, has to be asked for by name.

    \b
    Examples:
      strobe check panda
      strobe check stanford --formulation waters --formulation hollerbach-3x3
      strobe check puma560 --terms --speeds 0.1,1,10
    """
    from strobe.analysis import significance, verdict
    from strobe.cli.progress import Progress
    from strobe.cli.show import note, present

    wanted = _speeds(speeds, terms)
    arm = open_robot(robot, lock=lock, base=base, gravity=gravity, strict=strict)
    if arm.model.is_closed:
        note(
            f"{arm.name} has closed chains: its tree is checked, the loops cut; strobe study checks the closed one."
        )
    with Progress("check", verdict.PARTS, "parts") as progress:
        found = verdict.check(arm, formulation or (), trials, seed, lambda: progress.advance(1))
        sizes = significance.measure(arm, seed=seed) if wanted else None
    present(_data(arm, found, sizes, wanted), _rendered(arm, found, sizes, wanted), as_json)
    if not found.passed:
        raise typer.Exit(CHECK_FAILED)


def _speeds(text: str | None, terms: bool) -> tuple[float, ...]:
    """The speeds to show; none unless terms are asked for, which --speeds does too."""
    from strobe.analysis.significance import SPEEDS, checked_speeds

    if text is not None:
        return checked_speeds(numbers("--speeds", text))
    return SPEEDS if terms else ()


# -- as data ------------------------------------------------------------------------------------------


def _data(
    robot: Robot, found: Check, sizes: Significance | None, speeds: tuple[float, ...]
) -> dict[str, Any]:
    exact = found.exact
    data: dict[str, Any] = {
        "robot": robot.name,
        "passed": found.passed,
        "disagreements": found.disagreements,
        "reference": found.selection.reference,
        "exact": {
            "formulations": exact.names,
            "equal": [[exact.agree(a, b) for b in exact.names] for a in exact.names],
            "primes": exact.primes,
            "degree": max(exact.degree.values(), default=0),
            "probability_of_error_per_trial": exact.probability,
            "borrowed": found.borrowed,
        },
        "forward": {name: asdict(trip) for name, trip in found.forward.items()},
        "accuracy": {name: asdict(error) for name, error in found.accuracy.items()},
        "general": [_on_general(on, found.selection.reference) for on in found.general],
        "symbolic": asdict(found.symbolic),
        "laws": [asdict(law) for law in found.laws],
        "refused": found.selection.refused,
    }
    return data if sizes is None else data | {"terms": _terms(robot, sizes, speeds)}


def _terms(robot: Robot, sizes: Significance, speeds: tuple[float, ...]) -> dict[str, Any]:
    return {
        "joints": robot.coordinates.rate_names,
        "mean_magnitude_at_speed_1": sizes.magnitude,
        "overall": [{"speed": s, "shares": sizes.overall(s)} for s in speeds],
        "by_joint": [{"speed": s, "shares": sizes.shares(s)} for s in speeds],
        "velocity_overtakes_gravity_at": sizes.overtaking,
    }


def _on_general(on: OnGeneralArm, reference: str) -> dict[str, Any]:
    return {
        "arm": on.arm,
        "formulations": on.exact.names,
        "differing": on.differing(reference),
        "with_a_wrench_in_the_hand": [] if on.holding is None else on.holding.names,
        "differing_with_it": on.differing_in_the_hand,
        "terms": on.terms,
        "primes": on.exact.primes,
        "probability_of_error_per_trial": on.exact.probability,
        "forward": {name: asdict(trip) for name, trip in on.forward.items()},
    }


# -- as text ------------------------------------------------------------------------------------------


def _rendered(
    robot: Robot, found: Check, sizes: Significance | None, speeds: tuple[float, ...]
) -> Iterator[Any]:
    yield from _title("Every formulation against every other, exactly")
    yield from _matrix(found)
    yield from _title("The same on general arms")
    yield from _general(found)
    yield from _title("In float64, against fifty digits")
    yield from _errors(found)
    yield from _title("Symbolically")
    yield from _symbols(found)
    yield from _title("Laws of mechanics")
    yield from _laws(found)
    if sizes is not None:
        yield from _title("Which terms matter")
        yield from _significance(robot, sizes, speeds)
    yield ""
    yield f"{robot.name}: {'everything agrees.' if found.passed else 'NOT everything agrees:'}"
    yield from (f"  {sentence}" for sentence in found.disagreements)


def _title(text: str) -> Iterator[Any]:
    from strobe.show.terminal import Text

    yield ""
    yield Text(text, style="bold cyan")


def _matrix(found: Check) -> Iterator[Any]:
    from strobe.show.tables import remark, table
    from strobe.study.exactness import HOW, statement

    exact = found.exact
    yield remark(HOW)
    yield table(
        ["", "formulation", *(str(k + 1) for k in range(len(exact.names)))],
        [
            [f"{k + 1}", a, *("·" if a == b else MARKS[exact.agree(a, b)] for b in exact.names)]
            for k, a in enumerate(exact.names)
        ],
    )
    yield from statement(exact)
    for name, trip in found.forward.items():
        yield f"{name}: ID(q, qd, FD(q, qd, tau)) = tau {HOLDS[trip.holds]}{_trust(trip.degree, trip.primes)}."
        if trip.why:
            yield remark(f"  {trip.why}")
    yield from (remark(f"{name} {what}.") for name, what in found.borrowed.items())
    for name, reason in found.selection.refused.items():
        yield remark(f"{name} does not apply: {reason}")


def _general(found: Check) -> Iterator[Any]:
    from strobe.show.tables import remark, table
    from strobe.study.exactness import odds

    yield remark(
        "whatever the robot: all twists or right angles, all offsets, full inertias, so that no zero of its own "
        "hides a wrong term"
    )
    rows = [
        [
            on.arm,
            str(len(on.exact.names)),
            ", ".join(on.differing(found.selection.reference)) or "none",
            "none" if on.holding is None else str(len(on.holding.names)),
            ", ".join(f"{a} ≠ {b}" for a, b in on.differing_in_the_hand) or "none",
            ", ".join(name for name, same in on.terms.items() if not same) or "none",
            ", ".join(name for name, trip in on.forward.items() if not trip.holds) or "none",
            odds(max([on.exact.probability, *map(_error, on.forward.values())])),
        ]
        for on in found.general
    ]
    columns = ["on", "formulations", "that differ", "with a wrench", "that differ", "M, C, g"]
    yield table([*columns, "forward, not undone", "wrong with probability at most"], rows)


def _error(trip: RoundTrip) -> float:
    return trip.degree / min(trip.primes) if trip.degree and trip.primes else 0.0


def _trust(degree: int | None, primes: tuple[int, ...]) -> str:
    """What an exact verdict rests on."""
    from strobe.study.exactness import odds

    if degree is None or not primes:
        return ""
    trials = f"in {counted(len(primes), 'trial')}"
    return f" {trials}, wrong with probability at most {odds(degree / min(primes))} per trial"


def _errors(found: Check) -> Iterator[Any]:
    from strobe.analysis.accuracy import STATES, TOLERANCE
    from strobe.show.tables import remark, table

    yield remark(
        f"worst of {STATES} random states; relative to the state's largest torque (bound {TOLERANCE:.0e}), then to "
        "the joint's own torque, where cancellation costs most digits"
    )
    rows: list[list[Any]] = []
    for name, a in found.accuracy.items():
        worst = a.cancellation
        own = (
            [""] * 4
            if worst is None
            else [f"{worst.error:.1e}", worst.joint, f"{worst.state}", f"{worst.torque:.3g}"]
        )
        rows.append([name, f"{a.error:.1e}", a.joint, f"{a.state}", *own])
    columns = ["error", "joint", "state", "own error", "joint", "state", "where tau is"]
    yield table(["formulation", *columns], rows)


def _symbols(found: Check) -> Iterator[Any]:
    from strobe.show.tables import remark

    symbolic, reference = found.symbolic, found.selection.reference
    if symbolic.why:
        yield remark(f"not shown: {symbolic.why}")
        return
    same = sum(symbolic.equal.values())
    yield f"{same} of {len(symbolic.equal)} formulations reduce to the {symbolic.terms} terms of {reference}."
    yield from (f"{name} ≠ {reference}" for name, equal in symbolic.equal.items() if not equal)


def _laws(found: Check) -> Iterator[Any]:
    from strobe.show.tables import remark, table
    from strobe.study.laws import rows

    yield remark(
        f"of {found.selection.reference}, exactly at random robots of this structure unless it says float64"
    )
    yield table(["law", "", "how sure"], rows(found.laws))


def _significance(robot: Robot, sizes: Significance, speeds: tuple[float, ...]) -> Iterator[Any]:
    from strobe.analysis.significance import STATES, TERMS
    from strobe.show.tables import remark, table

    yield remark(
        f"shares of the mean magnitudes over {STATES} random states; a motion s times as fast has rates s and "
        "accelerations s² as large"
    )
    overall = [(speed, sizes.overall(speed)) for speed in speeds]
    yield table(["speed", *TERMS], [[f"{s:g}", *(_percent(x[t]) for t in TERMS)] for s, x in overall])
    yield ""
    middle = speeds[len(speeds) // 2]
    shares = sizes.shares(middle)
    columns = [f"joint, at speed {middle:g}", *TERMS, "velocity terms outgrow gravity at speed"]
    joints = enumerate(zip(robot.coordinates.rate_names, sizes.overtaking, strict=True))
    yield table(
        columns, [[name, *(_percent(shares[t][i]) for t in TERMS), _speed(at)] for i, (name, at) in joints]
    )


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _speed(at: float | None) -> str:
    return "never: no velocity terms" if at is None else f"{at:.3g}" if at else "any: no gravity"
