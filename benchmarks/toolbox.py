"""The Robotics Toolbox as a peer, in a process of its own: it may need another Python than Strobe.

Run where `roboticstoolbox` can be imported, or by the interpreter that STROBE_RTB_PYTHON names. The child builds the
arm from transforms between joints and answers one line of JSON per line.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
import time

import numpy as np

PYTHON = "STROBE_RTB_PYTHON"


def interpreter() -> str | None:
    """The Python that has the toolbox, if there is one."""
    return sys.executable if importlib.util.find_spec("roboticstoolbox") else os.environ.get(PYTHON)


class Toolbox:
    """One arm in the toolbox: chains of revolute joints about z."""

    def __init__(self, links: list[np.ndarray], lower: np.ndarray, upper: np.ndarray) -> None:
        command = [interpreter() or sys.executable, __file__]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        arm = {"links": [link.tolist() for link in links], "limits": [lower.tolist(), upper.tolist()]}
        self.version = self._ask(arm)["version"]

    def forward(self, q: np.ndarray) -> np.ndarray:
        return np.array(self._ask({"forward": q.tolist()}))

    def inverse(self, poses: np.ndarray, **options: float) -> dict[str, float]:
        """Mean seconds per pose, and the share of poses that it calls solved."""
        return self._ask({"inverse": poses.tolist(), "options": options})

    def close(self) -> None:
        if self.process.stdin:
            self.process.stdin.close()
        self.process.wait()

    def _ask(self, question: object):
        stdin, stdout = self.process.stdin, self.process.stdout
        assert stdin is not None
        assert stdout is not None
        stdin.write(json.dumps(question) + "\n")
        stdin.flush()
        line = stdout.readline()
        if not line:
            raise SystemExit("the Robotics Toolbox did not answer; its own message stands above.")
        return json.loads(line)


def serve() -> None:
    """The child: an arm first, then questions about it."""
    import roboticstoolbox as rtb  # pyright: ignore[reportMissingImports]

    given = json.loads(sys.stdin.readline())
    chain = rtb.ETS()
    for k, link in enumerate(given["links"]):
        chain *= rtb.ET.SE3(np.array(link))
        if k < len(given["limits"][0]):
            chain *= rtb.ET.Rz(qlim=[given["limits"][0][k], given["limits"][1][k]])
    print(json.dumps({"version": rtb.__version__}), flush=True)
    for line in sys.stdin:
        asked = json.loads(line)
        if "forward" in asked:
            answer = [np.asarray(chain.eval(np.array(q))).tolist() for q in asked["forward"]]
        else:
            answer = _inverse(chain, np.array(asked["inverse"]), asked["options"])
        print(json.dumps(answer), flush=True)


def _inverse(chain, poses: np.ndarray, options: dict[str, float]) -> dict[str, float]:
    solved = 0
    start = time.perf_counter()
    for pose in poses:
        solved += int(chain.ik_LM(pose, **options)[1])
    return {"seconds": (time.perf_counter() - start) / len(poses), "solved": solved / len(poses)}


if __name__ == "__main__":
    serve()
