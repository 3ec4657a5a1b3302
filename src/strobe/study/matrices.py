"""The mass matrix and the gravity torques at the state of the study."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from strobe.show.tables import remark, short, table, tidy
from strobe.show.units import lengths
from strobe.study import page_parts as page
from strobe.study.case import Case

TITLE = "Mass matrix and gravity"
CUT_OPEN = True  # of closed chains the tree is looked at

UNITS = {  # of M and g, by what the joints have as theirs
    frozenset({"rad"}): "in kg m² and N m",
    frozenset({"m"}): "in kg and N",
    frozenset({"rad", "m"}): "in kg m² and N m where joints turn, kg and N where they slide, kg m between",
}
LARGEST = 12  # beyond this many joints a matrix is data, not reading


def measure(case: Case) -> dict[str, Any]:
    """M(q), g(q) and what the eigenvalues of M say."""
    case.require_dynamics()
    M = case.robot.mass_matrix(case.q)
    eigenvalues = np.linalg.eigvalsh(M)
    return {
        "joints": case.robot.coordinates.rate_names,
        "units": lengths(case.robot.coordinates.joints),
        "mass_matrix": M,
        "gravity": case.robot.gravity(case.q),
        "smallest_eigenvalue": float(eigenvalues[0]),
        "largest_eigenvalue": float(eigenvalues[-1]),
    }


def render(data: Mapping[str, Any]) -> Iterator[Any]:
    yield remark(_told(data))
    names = data["joints"]
    M = np.array(tidy(data["mass_matrix"]))
    gravity = tidy(data["gravity"], M)
    if len(names) > LARGEST:
        rows = [[name, float(d), g] for name, d, g in zip(names, np.diag(M), gravity, strict=True)]
        yield table(["joint", "M diagonal", "g"], rows)
        yield remark(f"the JSON has all of the {len(names)}×{len(names)} matrix")
    else:
        rows = [[k + 1, names[k], *M[k].tolist(), gravity[k]] for k in range(len(names))]
        yield table(["", "M", *(str(row[0]) for row in rows), "g"], rows)


def _told(data: Mapping[str, Any]) -> str:
    low, high = data["smallest_eigenvalue"], data["largest_eigenvalue"]
    return (
        f"M(q) by strobing with unit accelerations; eigenvalues from {short(low)} to {short(high)}; "
        f"{UNITS[frozenset(data['units'])]}"
    )


def html(data: Mapping[str, Any], case: Case) -> page.Html:
    """M and g between brackets, as on paper; of many joints the diagonal."""
    if len(data["joints"]) > LARGEST:
        return page.printed(render(data))
    M = tidy(data["mass_matrix"])
    rows = zip(data["joints"], M, tidy(data["gravity"], M), strict=True)
    heads = ["", "M", *([""] * (len(M) - 1)), "", "g"]
    head = page.tag("tr", (page.tag("th", word, scope="col" if word else None) for word in heads))
    body = page.tag("tbody", (_row(*row) for row in rows))
    whole = page.tag("table", page.tag("thead", head), body, class_="brackets")
    told = page.printed([remark(f"{_told(data)}; five digits")])
    return page.markup(told, page.scrolled(whole, "mass matrix and gravity torques"))


def _row(name: str, numbers: Sequence[float], gravity: float) -> page.Html:
    """A row of M between its brackets, and the entry of g between its own."""
    last = len(numbers) - 1
    sides = ["num" + " first" * (k == 0) + " last" * (k == last) for k in range(last + 1)]
    cells = [page.tag("td", _five(x), class_=side) for x, side in zip(numbers, sides, strict=True)]
    own = page.tag("td", _five(gravity), class_="num first last")
    return page.tag(
        "tr", page.tag("th", page.breakable(name), scope="row"), cells, page.tag("td", class_="gap"), own
    )


def _five(x: float) -> str:
    return f"{x:.5g}".replace("-", "−", 1)
