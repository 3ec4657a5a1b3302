"""States of closed chains as options give them: positions are guesses that are closed, rates those of what drives.

Numbers are those of all joints, or of the actuated ones alone, which the others follow.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from strobe.cli.inputs import numbers
from strobe.errors import ArgumentError, counted

if TYPE_CHECKING:
    import numpy as np

    from strobe.robot import Robot

ROUNDED = 1e-3  # of rates: by which they may differ from those that are allowed and be called rounded


class ClosedState:
    """A state that is put together, and what was assumed of it."""

    def __init__(self, robot: Robot, given: Mapping[str, str | None], known: Mapping[str, Any]) -> None:
        self.robot = robot
        self.assumed: dict[str, str] = {}
        self.state: dict[str, np.ndarray] = {}
        if "q" in given or "q" in known:
            self.state["q"] = self._position(given.get("q"), known.get("q"))
        for name in ("qd", "qdd"):
            if name in given or name in known:
                self.state[name] = self._rates(name, given.get(name), known.get(name))

    # -- positions ----------------------------------------------------------------------------------

    def _position(self, text: str | None, known: Any) -> np.ndarray:
        """A closed position: as given, from the actuated joints, or near a pose of the model."""
        import numpy as np

        from strobe.compiler.runtime.arrays import require_turns
        from strobe.study.sample_motion import resting_position

        if text is None:
            return self._known(known)
        robot, words = self.robot, self._numbers("q", text)
        if len(words) == robot.nq:
            guess = np.array(words)
            require_turns("--q", guess, robot.coordinates.joints)
            return self._closed(guess, "--q")
        held = dict(zip(self._leaders(), words, strict=True))
        q = robot.assemble(resting_position(robot), held)
        self._told("q", q, f"with {_equations(held)}, the other joints follow")
        return q

    def _known(self, known: Any) -> np.ndarray:
        from strobe.study.sample_motion import resting_position

        if known is not None:
            return self._closed(known, "the start")
        q = resting_position(self.robot)
        named = list(self.robot.model.poses)
        self._told("q", q, f'the pose "{named[0]}"' if named else "zero, put together")
        return q

    def _closed(self, guess: np.ndarray, source: str) -> np.ndarray:
        """The position itself where its loops are closed, else the nearest one, which is told."""
        from strobe.mechanisms.states import are_open

        off = self.robot.loop_residuals(guess)
        if not are_open(self.robot, off).any():
            return guess
        q = self.robot.assemble(guess)
        self._told("q", q, f"put together, {source} being open by {abs(off).max():.3g}")
        return q

    # -- rates --------------------------------------------------------------------------------------

    def _rates(self, name: str, text: str | None, known: Any) -> np.ndarray:
        """Velocities or accelerations that loops allow."""
        import numpy as np

        if text is None and known is not None:
            return known
        if text is None:
            return self._at_rest(name)
        words = np.array(self._numbers(name, text))
        if len(words) == self.robot.nv:
            return self._allowed(name, words)
        rates = self._following(name, words)
        self._told(name, rates, f"that of {', '.join(self._leaders())} given, the other joints follow")
        return rates

    def _at_rest(self, name: str) -> np.ndarray:
        """No velocity; or no acceleration of the actuated joints, the others going along with their rates."""
        import numpy as np

        none = np.zeros(self.robot.nv)
        if name == "qd" or not self.state["qd"].any():
            self.assumed[name] = "0"
            return none
        rates = self._following(name, np.zeros(len(self._leaders())))
        self._told(name, rates, f"0 of {', '.join(self._leaders())}, the other joints follow")
        return rates

    def _following(self, name: str, led: np.ndarray) -> np.ndarray:
        """Rates of all joints from those of the actuated ones."""
        from strobe.mechanisms.dependent_rates import complete
        from strobe.mechanisms.mobility import dofs_of

        names, q = self._leaders(), self.state["q"]
        if name == "qd":
            return complete(self.robot, q, dict(zip(names, led, strict=True)))[0]
        rates = self.state["qd"][dofs_of(self.robot, names)]
        return complete(
            self.robot, q, dict(zip(names, rates, strict=True)), dict(zip(names, led, strict=True))
        )[1]

    def _allowed(self, name: str, given: np.ndarray) -> np.ndarray:
        """Rates of all joints as given, less what was rounded away; refused where they would open a loop."""
        import numpy as np

        robot, q = self.robot, self.state["q"]
        if name == "qd":
            near = robot.closed_velocities(q, given)
        else:
            near = robot.closed_accelerations(q, self.state["qd"], given)
        off = np.abs(near - given).max() / (1.0 + np.abs(given).max())
        if off > ROUNDED:
            raise ArgumentError(
                f"--{name} would open loops of {robot.name}: the nearest that they allow is "
                f"({_written(near)}). Give that of the joints that drive it alone ({', '.join(self._leaders())})."
            )
        return near

    # -- words --------------------------------------------------------------------------------------

    def _numbers(self, name: str, text: str) -> list[float]:
        """As many numbers as there are joints, or actuated ones."""
        from strobe.cli.states import names_of

        found, every = numbers(f"--{name}", text), names_of(self.robot, name)
        if len(found) == len(every):
            return found
        driving = self._leaders()
        if len(found) != len(driving):
            raise ArgumentError(
                f"--{name} has {counted(len(found), 'number')}, expected {len(every)} ({', '.join(every)}) or those "
                f"of the actuated joints alone ({', '.join(driving)})."
            )
        return found

    def _leaders(self) -> tuple[str, ...]:
        from strobe.mechanisms.dependent_motion import leaders

        return leaders(self.robot)

    def _told(self, name: str, values: np.ndarray, how: str) -> None:
        self.assumed[name] = f"({_written(values)}): {how}"


def driving_torques(robot: Robot, text: str) -> list[float]:
    """Torques of all joints, from those of all or of the actuated ones."""
    from strobe.mechanisms.mobility import dofs_of

    found = numbers("--torque", text)
    if len(found) == robot.nv:
        return found
    own = dofs_of(robot, robot.model.actuated)
    if len(found) != len(own):
        raise ArgumentError(
            f"--torque has {counted(len(found), 'number')}, expected {robot.nv} "
            f"({', '.join(robot.coordinates.rate_names)}) or those of the actuated joints alone "
            f"({', '.join(robot.model.actuated) or 'none are named'})."
        )
    whole = [0.0] * robot.nv
    for k, torque in zip(own, found, strict=True):
        whole[k] = torque
    return whole


def _written(values: Any) -> str:
    from strobe.show.tables import short

    return ", ".join(map(short, values.tolist()))


def _equations(held: Mapping[str, float]) -> str:
    return ", ".join(f"{name} = {value:g}" for name, value in held.items())
