"""The simultaneous-steps table of [Turney1980]: its stage model, and the longest path of the same tasks.

The table gives every task a processor, counts multiplications and additions apart, and lets a stage last as
long as its longest task. That is a rate, not a schedule: the inward stage adds up n_i beside the rotation of
n_{i+1}, which the sum needs. With the same tasks, their costs and what each of them waits for, the longest
path says how long the arm takes at least:

    ω_i ← ω_{i−1}              α_i ← ω_{i−1}, α_{i−1}         Â_i ← ω_i, α_i
    a_i ← a_{i−1}, Â_i         mā_i ← a_i, Â_i  (a_{n−1} for i = n)
    Rf_i ← f_{i+1}             f_i ← Rf_i, mā_i               Rn_i ← n_{i+1}
    n_i ← N_i, s×mā_i, p×Rf_i, Rn_i, added up at the end, or all but Rn_i added beforehand
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache

from strobe.analysis.polynomials import N, Polynomial, fit
from strobe.papers.ledgers import NO_CROSS, Cost, Ledger, Line, Rows, additions, cost, ledger, line

TASKS = {
    "ω": cost(9, 7),
    "α": cost(9, 9),
    "Â": cost(6, 9),
    "a": cost(18, 15),
    "mā": cost(12, 9),
    "Tr ÂK": cost(6, 3),
    "s×mā": cost(6, 3),
    "Rf": cost(9, 6),
    "f": additions(3),
    "p×Rf": cost(6, 3),
    "Rn": cost(9, 6),
    "add n": additions(12),
}
"""What table 5 charges for one task of one link."""

AS_WRITTEN = TASKS | {"α": cost(11, 9), "add n": additions(9)}
"""What the equations ask for, as in the ledgers of tables 3 and 4."""

TWELVE = (
    "12 additions are charged for the sum of n_i, whose four terms need 9 and for which table 4 charges 15"
)

PROLOGUE = {"ω_1": "ω", "α_1": "α", "Â_1": "Â", "ω_2": "ω", "α_2": "α"}
STAGES = {
    "outward stages": ("ω", "α", "Â", "a", "mā", "Tr ÂK", "s×mā"),
    "inward stages": ("Rf", "p×Rf", "Rn", "add n"),
}
SLIPS = {"α_1": NO_CROSS, "α_2": NO_CROSS, "inward stages": TWELVE}


def stage_ledgers() -> Rows:
    """Table 5: a serial prologue, then n outward and n inward stages, each as long as its longest task."""
    written, charged = stage_costs(AS_WRITTEN), stage_costs(TASKS)
    return {name: ledger(*_lines(name, written[name], charged[name])) for name in PROLOGUE | STAGES} | {
        "total": Ledger(
            tuple(each for name in PROLOGUE | STAGES for each in _lines(name, written[name], charged[name]))
        )
    }


def _lines(name: str, written: Cost, charged: Cost) -> list[Line]:
    lines = [line("the longest task" if name in STAGES else "one after the other", 1, written)]
    if charged != written:
        lines.append(line("as charged", 1, charged - written, beyond=SLIPS[name]))
    return lines


def stage_costs(tasks: Mapping[str, Cost]) -> dict[str, Cost]:
    """The rows of table 5 from what one task of one link costs."""
    rows = {name: tasks[task] for name, task in PROLOGUE.items()}
    rows |= {name: longest_task(tasks[task] for task in each) * N for name, each in STAGES.items()}
    return rows | {"total": sum(rows.values(), cost(0, 0))}


def longest_task(costs: Iterable[Cost]) -> Cost:
    """The most multiplications and the most additions of any task of a stage."""
    found = list(costs)
    return cost(max(int(c.m(0)) for c in found), max(int(c.a(0)) for c in found))


Name = tuple[str, int]  # a task of a link, 1 … n
Time = Callable[[Cost], int]

TIMES: dict[str, Time] = {
    "m": lambda c: int(c.m(0)),
    "a": lambda c: int(c.a(0)),
    "m+a": lambda c: int(c.m(0)) + int(c.a(0)),
}
"""What takes time: multiplications, additions, or both."""


@dataclass(frozen=True, slots=True)
class Task:
    """A piece of work and the tasks it waits for."""

    cost: Cost
    needs: tuple[Name, ...]


def task_graph(n: int, pre_summed: bool) -> dict[Name, Task]:
    """Every task of an arm of n links; a need that is not in the graph is there from the beginning."""
    graph: dict[Name, Task] = {}
    for i in range(1, n + 1):
        last = i == n
        needs: dict[str, list[Name]] = {
            "ω": [("ω", i - 1)],
            "α": [("ω", i - 1), ("α", i - 1)],
            "Â": [("ω", i), ("α", i)],
            "mā": [("a", i - 1 if last else i), ("Â", i)],
            "Tr ÂK": [("Â", i)],
            "s×mā": [("mā", i)],
        }
        if last:
            needs["f"] = [("mā", i)]
        else:
            needs["a"] = [("a", i - 1), ("Â", i)]
            needs |= {
                "Rf": [("f", i + 1)],
                "f": [("Rf", i), ("mā", i)],
                "p×Rf": [("Rf", i)],
                "Rn": [("n", i + 1)],
            }
        graph |= {(task, i): Task(TASKS[task], tuple(wanted)) for task, wanted in needs.items()}
        graph |= _moments(i, last, pre_summed)
    graph["f", n] = Task(cost(0, 0), (("mā", n),))
    return graph


def _moments(i: int, last: bool, pre_summed: bool) -> dict[Name, Task]:
    """n_i: all its terms added at the end, or all but R n_{i+1} beforehand."""
    own: tuple[Name, ...] = (("Tr ÂK", i), ("s×mā", i), ("p×Rf", i))
    whole = TASKS["add n"]
    if not pre_summed:
        return {("n", i): Task(whole, (*own, ("Rn", i)))}
    final = additions(0 if last else 3)
    return {("own n", i): Task(whole - additions(3), own), ("n", i): Task(final, (("own n", i), ("Rn", i)))}


def longest_path(graph: dict[Name, Task], time: Time) -> int:
    """The time of the chain of tasks that takes longest."""

    @cache
    def end(name: Name) -> int:
        task = graph[name]
        return time(task.cost) + max((end(need) for need in task.needs if need in graph), default=0)

    return max(map(end, graph))


def path_length(kind: str, pre_summed: bool) -> Polynomial | None:
    """The longest path of an arm of n links, fitted exactly; ``kind`` is one of `TIMES`."""
    return fit({n: longest_path(task_graph(n, pre_summed), TIMES[kind]) for n in range(2, 9)})
