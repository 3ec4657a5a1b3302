"""``strobe bench``: how long each quantity and each formulation takes on this machine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from strobe.cli.inputs import Base, Json, Lock, RobotName, open_robot
from strobe.cli.options import takes
from strobe.errors import ArgumentError
from strobe.models.arguments import require_choice

if TYPE_CHECKING:
    from strobe.analysis.speed import Speed
    from strobe.quantities import Request
    from strobe.robot import Robot

LONGEST_EXPLAINED = 10.0  # seconds: longer makes no figure better
TARGETS = ("processor", "cuda")
SHARE = 0.25  # of the time allowed goes into timing; compiling takes what it takes


def bench(
    robot: RobotName,
    peers: Annotated[
        bool, typer.Option("--peers", help="Also time Pinocchio and MuJoCo, where they are installed.")
    ] = False,
    seconds: Annotated[
        float, typer.Option("--seconds", min=0.1, max=3600, help="The time that all of it may take, about.")
    ] = 60.0,
    explain: Annotated[
        bool,
        typer.Option("--explain", help="Say where the cycles of one quantity go, in place of timing all."),
    ] = False,
    quantity: Annotated[
        str | None, takes("--quantity", "NAME", "With --explain: which one; else inverse_dynamics.")
    ] = None,
    target: Annotated[
        str,
        takes("--target", "KIND", "processor, or cuda: what kernels take of a card, and how fast it is."),
    ] = "processor",
    lock: Lock = None,
    base: Base = None,
    as_json: Json = False,
) -> None:
    """How long each quantity takes, compiled: in a batch on one thread, and in a single call.

    Of a single chain each formulation of inverse dynamics is compiled and timed as well. Every time is the
    best of interleaved rounds on inputs that change; machines are noisy, so compare within one run only.
    Batches leave friction out, as other libraries do; a single call has no keywords, so friction is in.

    With --explain the machine code of one quantity is counted and compared with what this processor can do,
    for vectors of 256 and of 512 bits.

    With --target cuda each quantity is made for a card: registers, spills, threads at once, bytes moved, and the rate
    with its share of what a copy moves. Without a card only what NVIDIA's assembler tells is shown.

    \b
    Examples:
      strobe bench panda
      strobe bench arm.urdf --peers
      strobe bench stanford --seconds 10 --json
      strobe bench panda --explain --quantity forward_dynamics
      strobe bench panda --target cuda
    """
    from strobe.analysis.speed import formulations, measurable
    from strobe.cli.show import note, print_json, show
    from strobe.compiler.runtime.timing import BATCH
    from strobe.study.case import Case

    require_choice("target", target, TARGETS)
    subject = open_robot(robot, lock=lock, base=base)
    Case.of(subject).require_dynamics()
    if quantity is not None and not explain:
        raise ArgumentError("--quantity chooses what --explain looks at; add --explain.")
    if explain:
        _explain(subject, quantity or "inverse_dynamics", seconds, as_json)
        return
    if target == "cuda":
        _on_card(subject, as_json)
        return
    others, reasons = _others(subject) if peers else ([], [])
    requests, methods = measurable(subject), formulations(subject)
    watch = _Watch(seconds, len(requests) + len(methods))
    data = {
        "robot": subject.name,
        "batch": BATCH,
        "threads": 1,
        "quantities": _timed(subject, [_framed(r, others) for r in requests], watch, others),
        "formulations": _timed(subject, methods, watch, []),
        "left_out": watch.left_out,
        "peers_left_out": reasons,
    }
    if as_json:
        print_json(data)
        return
    for reason in reasons:
        note(reason)
    for reason in dict.fromkeys(watch.left_out.values()):
        names = [name for name, why in watch.left_out.items() if why == reason]
        note(f"{', '.join(names)} left out: {reason}")
    show(rendered(data))


def _explain(robot: Robot, quantity: str, seconds: float, as_json: bool) -> None:
    try:
        from strobe.analysis.cycles import BATCH, explain, request_of
    except (ImportError, OSError) as error:
        raise ArgumentError(
            f"--explain reads machine code; llvmlite, which makes it, cannot be used ({error})."
        ) from None
    from strobe.cli.bench_explained import plain as figures, rendered as explained
    from strobe.cli.show import present

    request = request_of(robot, quantity)
    found = explain(robot, request, min(SHARE * seconds, LONGEST_EXPLAINED))
    data = {"robot": robot.name, "quantity": quantity, "batch": BATCH, "widths": figures(found)}
    present(data, explained(data), as_json)


def _on_card(robot: Robot, as_json: bool) -> None:
    """What quantities take of the card that is here, or would take of one."""
    from dataclasses import asdict

    from strobe.analysis.gpu_resources import PLAN, taken, timed
    from strobe.analysis.speed import measurable
    from strobe.cli.show import present
    from strobe.compiler.runtime.cuda_driver import card
    from strobe.errors import CardError

    requests = measurable(robot)
    try:
        on = card(0)
        name, rows = on.name, [asdict(row) for row in timed(robot, requests, on)]
    except CardError as error:
        name, why = "", str(error)
        try:
            rows = [asdict(row) for row in taken(robot, requests)]
        except (RuntimeError, ImportError) as other:
            raise ArgumentError(f"{why} And without a card {other}") from None
    data = {"robot": robot.name, "card": name, "architecture": "" if name else PLAN, "kernels": rows}
    present(data, _card_rendered(data), as_json)


def _card_rendered(data: Mapping[str, Any]) -> Iterator[Any]:
    from strobe.show.tables import remark, table

    name, rows = data["card"], data["kernels"]
    yield f"{data['robot']}: kernels for {name or data['architecture']}, states by columns"
    if not name:
        yield remark(
            "there is no card here: registers and spills as NVIDIA's assembler tells them, nothing is measured"
        )
    yield ""
    head = ["quantity", "precision", "operations", "bytes", "registers", "spilled", "threads at once"]
    told = ["quantity", "precision", "operations", "moved", "registers", "spilled", "threads"]
    measured = [[f"{row['rate'] / 1e6:.0f}", f"{row['share']:.0%}"] if name else [] for row in rows]
    head += ["million/s", "of a copy"] if name else []
    yield table(
        head, [[*(row[key] for key in told), *more] for row, more in zip(rows, measured, strict=True)]
    )


class _Watch:
    """How much time is left, how much a request gets, and what had none."""

    def __init__(self, seconds: float, requests: int) -> None:
        from time import monotonic

        self.clock = monotonic
        self.end = monotonic() + seconds
        self.each = SHARE * seconds / max(requests, 1)
        self.requests = requests
        self.left_out: dict[str, str] = {}

    @property
    def over(self) -> bool:
        return self.clock() > self.end


def _others(robot: Robot) -> Any:
    from strobe.analysis.peers import beside

    return beside(robot)


def _framed(request: Request, others: list[Any]) -> Request:
    """Kinematics of a frame that the other library knows too."""
    from dataclasses import replace

    frames = [peer.frame() for peer in others if hasattr(peer, "frame")]
    if not request.record.of_a_frame or not frames or frames[0] is None:
        return request
    return replace(request, frame=frames[0])


def _timed(robot: Robot, requests: list[Request], watch: _Watch, others: list[Any]) -> dict[str, Any]:
    """Each request's figures by its name."""
    from strobe.analysis.speed import speed, too_large
    from strobe.cli.progress import Progress
    from strobe.errors import SingularMassMatrixError

    found: dict[str, Any] = {}
    with Progress("bench", len(requests), "to time") as progress:
        for request in requests:
            name = request.formulation or request.quantity
            reason = "the time is up." if watch.over else too_large(robot, request)
            if reason is None:
                ways = {n: way for peer in others for n, way in peer.ways(request.quantity).items()}
                try:
                    single = request.formulation is None
                    found[name] = plain(speed(robot, request, watch.each, ways, single=single))
                except SingularMassMatrixError as error:
                    reason = str(error)
            if reason is not None:
                watch.left_out[name] = reason
            progress.advance(1)
    return found


def plain(s: Speed) -> dict[str, Any]:
    """Figures by name; nanoseconds per state or call."""
    return {
        "multiplications": s.multiplications,
        "additions": s.additions,
        "first_s": s.first,
        "batch_ns": 1e9 * s.batch,
        "single_ns": None if s.single is None else 1e9 * s.single,
        "peers_ns": {name: 1e9 * time for name, time in s.peers.items()},
    }


def rendered(data: Mapping[str, Any]) -> Iterator[Any]:
    """What a person reads."""
    from strobe.show.tables import remark, table

    yield f"{data['robot']}: nanoseconds per state, compiled for this machine"
    yield remark(
        f"batch: {data['batch']:,} states, one thread; one call: one state from Python; "
        "ready: seconds to trace and compile, or to find the code on disk"
    )
    yield ""
    quantities = data["quantities"]
    yield table(
        ["quantity", "×", "+", "ready", "batch", "one call"],
        [[name, *_figures(f), _ns(f["single_ns"])] for name, f in quantities.items()],
    )
    beside = [
        [name, peer, _ns(ns), _ns(ns / f["batch_ns"]), _over_call(peer, ns, f)]
        for name, f in quantities.items()
        for peer, ns in f["peers_ns"].items()
    ]
    if beside:
        yield ""
        yield "other libraries, timed in turn with the same quantity"
        yield remark("their time over that of our batch, per state, and over that of our single call")
        yield ""
        yield table(["quantity", "library", "ns", "over our batch", "over our call"], beside)
    if data["formulations"]:
        best = quantities.get("inverse_dynamics", {}).get("batch_ns")
        yield ""
        yield "inverse dynamics by formulation, each compiled as it stands"
        yield remark("times: how many times the default's time, which regroups the inertias first")
        yield ""
        rows = sorted(data["formulations"].items(), key=lambda row: -row[1]["batch_ns"])
        yield table(
            ["formulation", "×", "+", "ready", "batch", "times"],
            [[name, *_figures(f), _times(f["batch_ns"], best)] for name, f in rows],
        )


def _figures(f: Mapping[str, Any]) -> list[Any]:
    return [f["multiplications"], f["additions"], f"{f['first_s']:.2f}", _ns(f["batch_ns"])]


def _ns(ns: float | None) -> float | None:
    """Three digits; more would be noise."""
    return None if ns is None else float(f"{ns:.3g}")


def _over_call(peer: str, ns: float, f: Mapping[str, Any]) -> float | None:
    return None if peer.endswith("batch") or f["single_ns"] is None else _ns(ns / f["single_ns"])


def _times(ns: float, best: float | None) -> float | None:
    return None if best is None else _ns(ns / best)
