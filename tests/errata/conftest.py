"""Random arms as plain arrays, and what the errata page says an error costs."""

import math
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from strobe.algebra import Motion, Pose, Shift, Sym3, Turn, Vec3
from strobe.formulations import FORMULATIONS
from strobe.formulations.links import Arm
from strobe.models.inertial import Inertial
from strobe.models.joints import Joint
from strobe.models.model import Body, Model

PAGE = Path(__file__).parents[2] / "docs" / "errata.md"


@dataclass
class Link:
    """Link i of a standard-DH arm at one configuration, in the letters of `strobe.formulations.links`."""

    revolute: bool
    theta: float
    alpha: float
    R: np.ndarray
    T: np.ndarray
    p: np.ndarray
    r: np.ndarray
    z: np.ndarray
    m: float
    I: np.ndarray
    J: np.ndarray
    K: np.ndarray
    J_hat: np.ndarray

    @property
    def s(self):
        return self.p + self.r

    @property
    def mu(self):
        return self.m * self.r


class NumericArm:
    """A random standard-DH arm at a random state, with the torques of spatial Newton-Euler as the truth."""

    def __init__(self, seed: int, kinds: str = "RRRRRR") -> None:
        rng = np.random.default_rng(seed)
        bodies, alphas = [], []
        for i, kind in enumerate(kinds):
            a, d, alpha = rng.uniform((-0.5, -0.5, -math.pi), (0.5, 0.5, math.pi))
            after = Pose((Shift(Vec3(0.0, 0.0, d)), Shift(Vec3(a, 0.0, 0.0)), Turn.by(0, alpha)))
            joint = Joint(f"joint{i + 1}", {"R": "revolute", "P": "prismatic"}[kind], q=i, v=i)
            bodies.append(Body(i, f"link{i + 1}", i - 1, joint, Pose(), after, _inertial(rng)))
            alphas.append(alpha)
        self.model = Model("arm", tuple(bodies), gravity=Motion(Vec3.zero(), Vec3(0.0, 0.0, -9.81)))
        self.q, self.qd, self.qdd = rng.uniform(-2, 2, (3, len(kinds)))
        self.g = np.array([0.0, 0.0, -9.81])
        self.alphas = alphas

    @property
    def n(self):
        return len(self.alphas)

    @property
    def links(self):
        return self.links_at(self.q)

    def links_at(self, q):
        """Every link at a configuration."""
        return [
            _link(link, alpha)
            for link, alpha in zip(Arm(self.model, list(q)).links, self.alphas, strict=True)
        ]

    def torques(self, qd=None, qdd=None, gravity=True):
        """The truth."""
        model = self.model if gravity else self.model.weightless()
        qd, qdd = (self.qd if qd is None else qd), (self.qdd if qdd is None else qdd)
        return np.array(
            FORMULATIONS["spatial-newton-euler"].inverse_dynamics(model, list(self.q), list(qd), list(qdd)),
            float,
        )


def _inertial(rng):
    """A solid ellipsoid, turned and placed at random."""
    m = rng.uniform(0.5, 5.0)
    half = rng.uniform(0.05, 0.3, 3) ** 2
    turn, _ = np.linalg.qr(rng.standard_normal((3, 3)))
    second = turn @ np.diag(m * half / 5) @ turn.T
    I = np.trace(second) * np.eye(3) - second
    com = rng.uniform(-0.3, 0.3, 3)
    entries = [float(I[i, j]) for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
    return Inertial.at_com(float(m), Vec3(*map(float, com)), Sym3(*entries))


def _link(link, alpha):
    array = lambda rows: np.array([list(map(float, row)) for row in rows])  # noqa: E731
    vector = lambda v: np.array(list(map(float, v)))  # noqa: E731
    return Link(
        revolute=link.revolute, theta=float(link.q) if link.revolute else 0.0, alpha=alpha,
        R=array(link.R), T=array(link.T.rows), p=vector(link.p), r=vector(link.r), z=vector(link.z),
        m=float(link.m), I=array(link.I.matrix()), J=array(link.J), K=array(link.K), J_hat=array(link.J_hat.rows),
    )  # fmt: skip


@pytest.fixture(scope="session")
def arms():
    """Twenty random six-joint revolute arms."""
    return [NumericArm(seed) for seed in range(20)]


@pytest.fixture(scope="session")
def mixed_arms():
    """Twenty random arms with sliding joints among the turning ones."""
    patterns = ("RRPRRR", "PRRPRR", "RPRRPR", "RRRRPR")
    return [NumericArm(100 + seed, patterns[seed % 4]) for seed in range(20)]


@pytest.fixture(scope="session")
def relative():
    """Largest difference over the largest entry of the reference."""
    return lambda found, truth: float(np.max(np.abs(np.asarray(found) - truth)) / np.max(np.abs(truth)))


@pytest.fixture(scope="session")
def spread():
    """The range of relative errors as the page prints it: two digits, in percent."""

    def printed(x):
        return f"{float(f'{100 * x:.2g}'):g}"

    return lambda errors: f"{printed(min(errors))} to {printed(max(errors))} %"


@pytest.fixture(scope="session")
def figure():
    """What the page says an erratum costs when it is left as printed, by its id."""
    rows = re.findall(r"^\| ([A-Z]\d+) \|(.*)\|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    return {key: row.split(" | ")[3].strip() for key, row in rows}.__getitem__
