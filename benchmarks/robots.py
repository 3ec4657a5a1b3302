"""The robots that are measured: real models, read from the installed package example-robot-data."""

from __future__ import annotations

import importlib.util
import warnings
from dataclasses import dataclass
from pathlib import Path

import strobe
from strobe.analysis.peers import AGREEMENT, Pinocchio
from strobe.errors import ModelWarning


@dataclass(frozen=True)
class Real:
    """A file of the collection, and how it is taken."""

    file: str
    floating: bool = False
    lock: str = ""

    def load(self) -> strobe.Robot:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ModelWarning)
            robot = strobe.load(self.path, lock={self.lock: 0.0} if self.lock else None)
            return robot.with_base("floating") if self.floating else robot

    @property
    def path(self) -> Path:
        spec = importlib.util.find_spec("cmeel")
        if spec is None or not spec.submodule_search_locations:
            raise SystemExit("The benchmarks read robots from the package example-robot-data; install it.")
        site = Path(spec.submodule_search_locations[0]).parent
        return site / "cmeel.prefix/share/example-robot-data/robots" / self.file

    def pinocchio(self, robot: strobe.Robot) -> Pinocchio:
        """The same file in Pinocchio; of a robot with joints locked, what Strobe writes."""
        text = None if self.lock else self.path.read_text()
        return Pinocchio(robot, text, self.floating)


ROBOTS = {
    "ur5": Real("ur_description/urdf/ur5_robot.urdf"),
    "panda": Real("panda_description/urdf/panda.urdf", lock="panda_finger_*"),
    "solo12": Real("solo_description/robots/solo12.urdf", floating=True),
    "g1": Real("g1_description/urdf/g1_29dof_rev_1_0.urdf", floating=True),
}


def agreeing(peer: Pinocchio, quantity: str) -> bool:
    """Whether Pinocchio has the quantity; stops everything if its result is another."""
    off = peer.disagreement(quantity)
    if off is not None and not off <= AGREEMENT:
        raise SystemExit(
            f"{quantity} of {peer.robot.name} differs from Pinocchio's by {off:.1e}; expected equal."
        )
    return off is not None
