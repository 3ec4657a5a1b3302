"""The mass matrix and the gravity torques at the state of the study."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from strobe.study.case import Case
from strobe.study.tables import remark, short, table, tidy

TITLE = "Mass matrix and gravity"
CUT_OPEN = True  # of closed chains the tree is looked at

LARGEST = 12  # beyond this many joints a matrix is data, not reading


def measure(case: Case) -> dict[str, Any]:
    """M(q), g(q) and what the eigenvalues of M say."""
    case.require_dynamics()
    M = case.robot.mass_matrix(case.q)
    eigenvalues = np.linalg.eigvalsh(M)
    return {
        "joints": case.robot.coordinates.rate_names,
        "mass_matrix": M,
        "gravity": case.robot.gravity(case.q),
        "smallest_eigenvalue": float(eigenvalues[0]),
        "largest_eigenvalue": float(eigenvalues[-1]),
    }


def render(data: Mapping[str, Any]) -> Iterator[Any]:
    low, high = data["smallest_eigenvalue"], data["largest_eigenvalue"]
    yield remark(
        f"M(q) by strobing with unit accelerations; eigenvalues from {short(low)} to {short(high)}"
    )
    names = data["joints"]
    M = np.array(tidy(data["mass_matrix"]))
    gravity = tidy(data["gravity"])
    if len(names) > LARGEST:
        rows = [[name, float(d), g] for name, d, g in zip(names, np.diag(M), gravity, strict=True)]
        yield table(["joint", "M diagonal", "g"], rows)
        yield remark(f"the JSON has all of the {len(names)}×{len(names)} matrix")
    else:
        rows = [[k + 1, names[k], *M[k].tolist(), gravity[k]] for k in range(len(names))]
        yield table(["", "M", *(str(row[0]) for row in rows), "g"], rows)
