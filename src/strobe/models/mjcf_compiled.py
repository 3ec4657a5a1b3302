"""What MuJoCo makes of a model, as plain arrays under MuJoCo's names, checked on their way in.

The numbers come from a process that has read a stranger's file (`mjcf_child`): every array has the shape that its
counts ask for, and every index points at something.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

COUNTED = ("body", "joint", "site", "equality", "actuator")  # things with names
JOINT_TYPES = 4


class Implausible(Exception):
    """An answer that no compiled model gives."""


@dataclass(frozen=True)
class _Field:
    """An array: one row for each of something, of several numbers or one, which may be indices into others."""

    rows: str
    columns: int | None = None
    into: str = ""  # what an index counts
    lowest: int = 0  # -1 where it may point at nothing
    optional: bool = False  # zero where the version of MuJoCo has none
    wider: bool = False  # some versions have more columns


FIELDS = {
    "body_parentid": _Field("body", into="body"),
    "body_pos": _Field("body", 3),
    "body_quat": _Field("body", 4),
    "body_ipos": _Field("body", 3),
    "body_iquat": _Field("body", 4),
    "body_mass": _Field("body"),
    "body_inertia": _Field("body", 3),
    "body_jntadr": _Field("body", into="joint", lowest=-1),
    "body_jntnum": _Field("body", into="joint+1"),
    "body_gravcomp": _Field("body"),
    "jnt_type": _Field("joint", into="type"),
    "jnt_pos": _Field("joint", 3),
    "jnt_axis": _Field("joint", 3),
    "jnt_qposadr": _Field("joint", into="q"),
    "jnt_dofadr": _Field("joint", into="dof"),
    "jnt_limited": _Field("joint"),
    "jnt_range": _Field("joint", 2),
    "jnt_actfrclimited": _Field("joint"),
    "jnt_actfrcrange": _Field("joint", 2),
    "jnt_stiffness": _Field("joint"),
    "dof_armature": _Field("dof"),
    "dof_damping": _Field("dof"),
    "dof_dampingpoly": _Field("dof", 2, optional=True, wider=True),
    "dof_frictionloss": _Field("dof"),
    "qpos0": _Field("q"),
    "site_bodyid": _Field("site", into="body"),
    "site_pos": _Field("site", 3),
    "site_quat": _Field("site", 4),
    "eq_obj1id": _Field("equality", into="any"),
    "eq_obj2id": _Field("equality", into="any", lowest=-1),
    "eq_active0": _Field("equality"),
    "eq_data": _Field("equality", 11, wider=True),
    "actuator_trnid": _Field("actuator", 2, into="any", lowest=-1),
    "actuator_gear": _Field("actuator", 6),
    "actuator_armature": _Field("actuator", optional=True),
    "actuator_damping": _Field("actuator", optional=True),
    "actuator_dampingpoly": _Field("actuator", 2, optional=True, wider=True),
}
WORDS = {"actuator_trntype": "actuator", "eq_type": "equality", "eq_objtype": "equality"}
LEFT_OUT = ("ntendon", "nflex", "nplugin")
BY_KIND = {"joint": "joint", "connect": "body", "weld": "body"}  # what an equality of a kind points at


class Compiled:
    """A compiled model: arrays as attributes (`body_pos`), words for MuJoCo's enumerations, names by kind."""

    def __init__(self, answer: dict[str, Any]) -> None:
        try:
            self._take(answer)
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
            raise Implausible(
                f"MuJoCo answers what no model gives ({type(error).__name__}: {error}); its version may be too new."
            ) from None

    def __getattr__(self, name: str) -> Any:
        try:
            return self.__dict__["arrays"][name]
        except KeyError:
            raise AttributeError(name) from None

    def _take(self, answer: dict[str, Any]) -> None:
        self.name = str(answer["name"])
        self.gravity = _numbers(answer["gravity"], (3,))
        self.medium = _numbers(answer["medium"], (2,))
        self.disabled = frozenset(map(str, answer["disabled"]))
        self.remarks = [str(text) for text in answer["remarks"]]
        self.names = {kind: [str(name) for name in answer["names"][kind]] for kind in COUNTED}
        self.left_out = {what: int(answer["left_out"][what]) for what in LEFT_OUT}
        fields = answer["fields"]
        self.counts = {kind: len(names) for kind, names in self.names.items()}
        self.counts |= {"dof": len(fields["dof_damping"]), "q": len(fields["qpos0"]), "type": JOINT_TYPES}
        self.counts |= {"joint+1": self.counts["joint"] + 1, "any": max(self.counts.values())}
        self.arrays = {name: self._array(name, field, fields) for name, field in FIELDS.items()}
        self.words = {name: [str(word) for word in answer["words"][name]] for name in WORDS}
        self._require_tree()
        self._require_ends()

    def _array(self, name: str, field: _Field, found: dict[str, Any]) -> NDArray[Any]:
        rows = self.counts[field.rows]
        shape = (rows,) if field.columns is None else (rows, field.columns)
        if field.optional and name not in found:
            return np.zeros(shape)
        array = _numbers(found[name], shape, field.wider)
        if not field.into:
            return array
        _require(bool(((array >= field.lowest) & (array < self.counts[field.into])).all()), name)
        return array.astype(np.int64)

    def _require_tree(self) -> None:
        """Bodies come after their parents, and joints lie in order, each of one body."""
        own = np.arange(1, self.counts["body"])
        _require(self.counts["body"] > 0 and bool((self.body_parentid[1:] < own).all()), "the tree")
        carried = [
            j
            for first, n in zip(self.body_jntadr, self.body_jntnum, strict=True)
            for j in range(first, first + n)
        ]
        _require(carried == list(range(self.counts["joint"])), "the joints of bodies")

    def _require_ends(self) -> None:
        """What equalities and actuators act on is there."""
        for name, kind in WORDS.items():
            _require(len(self.words[name]) == self.counts[kind], name)
        for i, kind in enumerate(self.words["eq_type"]):
            of = "site" if self.words["eq_objtype"][i] == "site" else BY_KIND.get(kind, "any")
            _require(max(self.eq_obj1id[i], self.eq_obj2id[i]) < self.counts[of], "eq_obj1id")
            _require(kind not in ("connect", "weld") or self.eq_obj2id[i] >= 0, "eq_obj2id")
        for k, kind in enumerate(self.words["actuator_trntype"]):
            if kind.startswith("joint"):
                _require(0 <= self.actuator_trnid[k, 0] < self.counts["joint"], "actuator_trnid")


def _numbers(found: Any, shape: tuple[int, ...], wider: bool = False) -> NDArray[np.float64]:
    """Numbers as an array of some shape; of nothing, a list does not tell its columns."""
    array = np.asarray(found, dtype=np.float64)
    if array.size == 0 and 0 in shape:
        return array.reshape(shape)
    fits = array.shape == shape or (wider and array.shape[:1] == shape[:1] and array.shape[1:] >= shape[1:])
    _require(fits, f"{array.shape} for {shape}")
    return array


def _require(holds: bool, what: str) -> None:
    if not holds:
        raise ValueError(what)
