"""Quotes the newest rows of `benchmarks/results/` between markers: all in docs/measured.md, eight in the README.

A ratio stands beside the floor that it must not fall under; floors are design decisions, not measurements.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path

from benchmarks import QUESTIONS
from benchmarks.timer import Row, kind_of, newest
from strobe.approximate.recommendation import TABLES_PAY

ROOT = Path(__file__).parent.parent
CARDS = Path(__file__).parent / "results" / "gpu.jsonl"
MARKED = re.compile(r"(?<=<!-- measured -->\n).*?(?=<!-- end -->)", re.S)

FLOORS = {  # robot, quantity, way, against
    ("panda", "inverse_dynamics", "batch", "rneaInParallel"): 60,
    ("panda", "inverse_dynamics", "batch, 4-wide", "rneaInParallel"): 40,
    ("panda", "forward_dynamics", "batch", "abaInParallel"): 50,
    ("panda", "inverse_dynamics", "one call", "pin.rnea"): 3,
    ("g1", "inverse_dynamics", "batch", "rneaInParallel"): 35,
    ("panda", "inverse_dynamics", "batch", "C"): 9,
}
HEADLINES = [  # how rows of the tables begin
    ["Panda (7)", "inverse dynamics", "batch"],
    ["Panda (7)", "forward dynamics", "batch"],
    ["G1 humanoid, floating (35)", "inverse dynamics", "batch"],
    ["Panda (7)", "inverse dynamics", "one call"],
    ["Panda (7), inverse dynamics from model to machine code"],
    ["ur5, all branches of a pose"],
    ["1,000 general 6R arms, all solutions of a pose"],
    ["Panda, one RK4 step of 1,024 runs side by side, every step kept"],
]
THREADED = ("panda", "g1")  # shown on all threads too
TITLES = {
    "ur5": "UR5 (6)",
    "panda": "Panda (7)",
    "solo12": "Solo12, floating (18)",
    "g1": "G1 humanoid, floating (35)",
}


def tables() -> str:
    """All tables of measured numbers."""
    compared = ("robot (degrees of freedom)", "quantity", "Strobe", "against", "ratio", "cold", "floor")
    asked = ("robot", "one call of", "method", "handle", "Pinocchio", "ratio", "handle's ratio")
    parts = [
        _machines(), "", *_rows(compared, [*_ratios()]), "", *_rows(asked, [*_calls()]), "",
        *_rows(("question", "figure"), [*_figures()]),
    ]  # fmt: skip
    return "\n".join(parts) + "\n"


def _machines() -> str:
    """Where the figures come from: usually one machine."""
    kinds: dict[str, list[str]] = {}
    for question in QUESTIONS:
        for row in newest(question)[:1]:
            kinds.setdefault(kind_of(row), []).append(question)
    most = max(kinds, key=lambda kind: len(kinds[kind]))
    told = [f"{kind} ({', '.join(asked)})" for kind, asked in kinds.items() if kind != most]
    return f"Measured on {'; '.join([*told, f'all else on {most}' if told else most])}."


def _calls() -> Iterator[list[str]]:
    """Single calls of every quantity."""
    for row in newest("one_call"):
        theirs = _time(row["theirs_ns"]) if "theirs_ns" in row else ""
        ratios = [f"**{_digits(row[name])}**" if name in row else "" for name in ("ratio", "handle_ratio")]
        ours = [_time(row[name]) if name in row else "" for name in ("ours_ns", "handle_ns")]
        yield [TITLES[row["robot"]], row["quantity"].replace("_", " "), *ours, theirs, *ratios]


def headlines() -> str:
    """The rows that the README shows."""
    told = [*(_in_brief(*row) for row in _ratios()), *_figures()]
    chosen = [next(row for row in told if row[0].startswith(", ".join(asked))) for asked in HEADLINES]
    return "\n".join([_machines(), "", *_rows(("question", "figure"), chosen)]) + "\n"


def _in_brief(
    robot: str, quantity: str, ours: str, theirs: str, ratio: str, cold: str, _: str
) -> list[str]:
    """A comparison as a question and its figure."""
    time, _, way = ours.partition(", ")
    beside = f", {cold} with cold caches" if cold else ""
    return [
        f"{robot}, {quantity}, {way}",
        f"{time}, {ratio} times faster than {theirs.partition(', ')[2]}{beside}",
    ]


def _figures() -> Iterator[list[str]]:
    for rows in (
        _generating, _compiling, _starting, _growing, _climbing, _interpreted, _inverting, _planning,
        _simulating, _approximating, _controlling, _beginning, _sweeping,
    ):  # fmt: skip
        yield from rows()


def _rows(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    return [f"| {' | '.join(row)} |" for row in (columns, ["---"] * len(columns), *rows)]


def _ratios() -> Iterator[list[str]]:
    """One line per comparison."""
    as_c = {"way": "batch", "against": "C", "threads": 1}
    c = [{**row, **as_c, "theirs_ns": row["c_ns"]} for row in newest("against_c")]
    rows = [row for row in newest("against_peers") if row["threads"] == 1 or row["robot"] in THREADED]
    for row in [*rows, *c]:
        floor = FLOORS.get((row["robot"], row["quantity"], row["way"], row["against"]))
        threads = f", {row['threads']} threads, N = {row['N']:,}" if row["threads"] > 1 else ""
        against = f"`{row['against']}`" if " " not in row["against"] else row["against"]
        if row["against"] == "C":
            against = f"the same graph as C, gcc {row['flags']}, scalar loop"
        yield [
            TITLES.get(row["robot"], row["robot"]),
            row["quantity"].replace("_", " "),
            f"{_time(row['ours_ns'])}, {row['way']}{threads}",
            f"{_time(row['theirs_ns'])}, {against}",
            f"**{_digits(row['ratio'])}**",
            _digits(row["cold"]) if "cold" in row and "batch" in row["way"] else "",
            "" if floor is None or threads else f"{floor:g}",
        ]


def _generating() -> Iterator[list[str]]:
    for row in newest("against_casadi"):
        what = (
            f"{TITLES[row['robot']]}, {row['quantity'].replace('_', ' ')} beside CasADi's C, {row['flags']}"
        )
        batch = f"{_time(row['casadi_ns'])} a state in a loop in C, {_digits(row['ratio'])} times ours in a batch"
        call = (
            f"{_time(row['casadi_call_ns'])} a call through ctypes, {_digits(row['call_ratio'])} times ours"
        )
        yield [what, f"{batch}; {call}"]


def _compiling() -> Iterator[list[str]]:
    rows = newest("how_fast_to_compile")
    for row in _slowest(row for row in rows if "among" in row):
        what = f"{row['robot']} ({row['n']}), each of {row['among']} quantities from model to machine code"
        told = f"{row['quantity'].replace('_', ' ')}, {row['operations']:,} operations"
        yield [what, f"at most {row['processor_s']:.2g} s of the processor ({told})"]
    for row in rows:
        if "among" in row:
            continue
        if "cache" in row:
            where = "with an empty cache" if row["cache"] == "cold" else "with its code on disk"
            after, whole = row["after_import_ms"], row["from_start_ms"]
            figure = f"{after:.0f} ms after import, {whole:.0f} ms from the start of the process"
            yield [f"Panda's first torque {where}", figure]
        elif "processor_s" in row:
            what = f"{row['robot']} ({row['n']}), {row['quantity'].replace('_', ' ')} from model to machine code"
            told = f"{row['operations']:,} operations, {_digits(row['us_per_operation'])} µs each"
            yield [what, f"{row['processor_s']:.2g} s of the processor ({told})"]
        else:
            what = f"{TITLES[row['robot']]}, {row['quantity'].replace('_', ' ')} from model to machine code"
            stages = ("trace", "passes", "emit", "llvm")
            told = ", ".join(f"{stage} {row[f'{stage}_ms']:.0f}" for stage in stages)
            yield [what, f"{row['total_ms']:.0f} ms ({told.replace('llvm', 'LLVM')})"]


def _slowest(rows: Iterable[Row]) -> Iterator[Row]:
    """The row of each robot that takes longest."""
    by_robot = groupby(sorted(rows, key=lambda row: row["robot"]), lambda row: row["robot"])
    return (max(each, key=lambda row: row["processor_s"]) for _, each in by_robot)


def _starting() -> Iterator[list[str]]:
    rows = {row["start"]: row["processor_ms"] for row in newest("how_fast_to_start")}
    if not rows:
        return
    alone = {name: rows.pop(f"{name} alone") for name in ("Python", "NumPy")}
    for name, time in rows.items():
        what = f"`{name}`" if name.startswith("strobe") else name
        yield [f"{what}, a process from start to end", f"{time:.0f} ms of processor time"]
    yield [
        "the same for Python alone, and with NumPy",
        f"{alone['Python']:.0f} and {alone['NumPy']:.0f} ms",
    ]


def _growing() -> Iterator[list[str]]:
    rows = newest("how_it_grows")
    if not rows:
        return
    told = ", ".join(f"{row['ns_per_joint']:.3g} (n = {row['n']})" for row in rows)
    yield ["random chains, inverse dynamics in a batch, ns per joint", told]


def _climbing() -> Iterator[list[str]]:
    for robot in ("stanford", "panda"):
        rows = {row["formulation"]: row for row in newest("ladder") if row["robot"] == robot}
        names = ("uicker-kahn", "waters", "hollerbach-3x3", "newton-euler", "compiled (regrouped)")
        if rows:
            told = ", ".join(f"{name} {rows[name]['ns']:.3g}" for name in names)
            yield [f"{robot}, each formulation compiled alike, ns in a batch", told]


def _interpreted() -> Iterator[list[str]]:
    for row in newest("how_fast_interpreted"):
        figure = f"{row['batch_ns'] / 1e3:.2f} µs a state in a batch, {row['one_call_us']:.0f} µs a call"
        yield ["Panda, inverse dynamics where nothing can be compiled", figure]


def _inverting() -> Iterator[list[str]]:
    """Inverse kinematics: in closed form, by elimination, by search."""
    for row in newest("inverse_kinematics_analytic"):
        figure = f"{row['ours_us']:.2f} µs in a batch, {row['closed_form_us']:.2f} of them the closed form"
        beside = f", {_digits(row['ratio'])} times faster than EAIK" if "ratio" in row else ""
        yield [f"{row['robot']}, all branches of a pose, {row['recognised']}", figure + beside]
    for row in newest("inverse_kinematics_general"):
        if row["arm"] == "RRRRRR":
            missed = (
                f"{row['missed']} of {row['solutions']:,} missed, residual {row['largest_residual']:.0e}"
            )
            asked = f"{row['arms']:,} general 6R arms, all solutions of a pose"
            yield [asked, f"{row['us_per_pose']:.0f} µs; {missed}"]
    for row in newest("inverse_kinematics_numeric"):
        if row["against"] == "ik_LM, its tolerance":
            figure = f"{row['ours_us']:.1f} µs in a batch, {_digits(row['ratio'])} times faster than"
            asked = f"{row['robot']}, one solution of a random pose within the limits, by search"
            yield [asked, f"{figure} the Robotics Toolbox's `ik_LM`"]


def _planning() -> Iterator[list[str]]:
    for row in newest("trajectories"):
        if "ratio" in row:
            figure = f"{row['ours_us']:.2f} µs a request in a batch, {_digits(row['ratio'])} times faster than Ruckig"
            same = f"durations equal to {row['largest_difference_s']:.0e} s"
            yield [f"{row['joints']} joints in step at constant maximum acceleration", f"{figure}, {same}"]
    for row in newest("torque_limited"):
        if row["path"] == "1,000 points":
            figure = (
                f"{row['ours_ms']:.0f} ms, slowed down by {row['slowed_percent']:.2g} % to keep every limit"
            )
            yield ["Panda, least time through 1,000 points under torque limits", figure]


def _simulating() -> Iterator[list[str]]:
    titles = {"simulate": "every step kept", "march": "the compiled loop alone"}
    for row in newest("simulation"):
        if "ratio" in row:
            figure = (
                f"{row['ours_ns']:.0f} ns, {_digits(row['ratio'])} times faster than MuJoCo's `rollout`"
            )
            yield [f"Panda, one RK4 step of {row['N']:,} runs side by side, {titles[row['way']]}", figure]


def _approximating() -> Iterator[list[str]]:
    for row in newest("approximation"):
        if "exact_ns" in row:
            ratio = row["times_the_exact"]
            says = "tables keep up" if ratio <= TABLES_PAY else "tables no longer pay"
            figure = (
                f"{_time(row['ns'])}, {ratio:.2f} times the exact torques' {_time(row['exact_ns'])}: {says}"
            )
            yield [f"{row['robot']}, torques from a table of {row['method']}", figure]
        elif "fixed_ns" in row:
            figure = f"{_time(row['fixed_ns'])}, in double precision {_time(row['double_ns'])}"
            yield [f"{row['robot']}, inverse dynamics by {row['method']}, built with -O2", figure]


def _controlling() -> Iterator[list[str]]:
    for row in newest("control"):
        if row["way"] == "control":
            asked = f"UR5, {row['loops']:,} closed loops of {row['periods']:,} periods, every period kept"
            beside = (
                f"{_digits(row['ratio'])} times faster than loops in Python around Pinocchio and MuJoCo"
            )
            yield [asked, f"{row['ours_s']:.2f} s on one thread, {beside}"]
        elif "c_ns" in row and row["controller"] == "computed-torque":
            figure = f"{_time(row['batch_ns'])} in a batch, {_time(row['c_ns'])} alone as C"
            yield [f"UR5, one step of {row['controller']}", figure]


def _beginning() -> Iterator[list[str]]:
    """What applications take that are called again with other numbers, beside the steps of those that have some."""
    for row in newest("starts"):
        beside = row.get("beside_us", row["call_us"])
        figure = _time(1e3 * beside) + (" beside its steps" if beside != row["call_us"] else "")
        yield [f"{row['robot']}, again with other numbers: {row['case']}", figure]


def _sweeping() -> Iterator[list[str]]:
    titles = {"torque": "torques", "simulate": "motions of 0.1 s at a millisecond"}
    for row in newest("scaling"):
        if "efficiency" in row:
            figure = f"{row['one_per_second']:,.3g} a second by one, {row['efficiency']:.0%} of twice that by two"
            yield [f"{row['robot']}, a sweep of {titles[row['task']]}, workers as {row['way']}", figure]
        elif row["task"] == "memory":
            figure = f"{row['worker_mb_10%']:.0f} MB when a tenth is done, {row['worker_mb_100%']:.0f} MB at the end"
            yield [f"memory of a worker over {row['evaluations']:,} evaluations", figure]


def on_a_card() -> str:
    """What a card was measured at, by case the newest row."""
    rows = {row["case"]: row for row in map(json.loads, CARDS.read_text(encoding="utf-8").splitlines())}
    copy = rows["copy"]
    speed = f"a copy moves {copy['copy_gb_s'] / 1e3:.2f} TB/s there (by {copy['by']})"
    head = f"Measured on one {copy['card']}, {copy['when'][:10]}; {speed}."
    columns = ("robot", "quantity", "numbers", "lie", "million a second", "of a copy")
    measured = [_of_a_card(row) for row in rows.values() if "robot" in row]
    return "\n".join([head, "", *_rows(columns, measured)]) + "\n"


def _of_a_card(row: Row) -> list[str]:
    quantity = row["quantity"].replace("_", " ")
    if row.get("elimination") == "double" and row["single"] and "forward" in quantity:
        quantity += ", eliminating in float64"
    share = f"{row['of_copy']:.0%}" if "of_copy" in row else ""
    numbers = "float32" if row["single"] else "float64"
    return [
        TITLES[row["robot"]],
        quantity,
        numbers,
        row.get("layout", ""),
        f"{row['million_per_s']:,.0f}",
        share,
    ]


def _time(ns: float) -> str:
    return f"{ns:.3g} ns" if ns < 999.5 else f"{ns / 1e3:.3g} µs"


def _digits(ratio: float) -> str:
    return f"{ratio:.0f}" if ratio >= 9.95 else f"{ratio:.2g}"


def main() -> None:
    pages = {"README.md": headlines(), "docs/measured.md": tables(), "docs/gpu.md": on_a_card()}
    for path, quoted in pages.items():
        page = ROOT / path
        text = page.read_text(encoding="utf-8")
        page.write_text(MARKED.sub(lambda _, quoted=quoted: quoted, text), encoding="utf-8")


if __name__ == "__main__":
    main()
