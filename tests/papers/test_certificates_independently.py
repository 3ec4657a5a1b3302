"""Certificates read by a parser of this file's own and held to a Newton-Euler of its own, and to Pinocchio.

Nothing of the package takes part but the text of the certificates: neither its reader nor its formulations.
"""

from __future__ import annotations

import math
import random
import re
from importlib.resources import files

import numpy as np
import pytest

TEXTS = {
    path.name.removesuffix(".txt"): path.read_text(encoding="utf-8")
    for path in files("strobe.papers").joinpath("fewest_certificates").iterdir()
}
FREE = [name for name in TEXTS if "generic" not in name]
HALF = math.pi / 2
TWISTS = {
    "general-6r": None,
    "puma560": (0, -HALF, 0, -HALF, HALF, -HALF),
    "panda": (0, -HALF, HALF, HALF, -HALF, HALF, HALF),
    "stanford": (0, -HALF, HALF, 0, -HALF, HALF),
}
OPERATION = re.compile(r"(\w+) = (\S+) ([-+*/]) (\S+)")
NEGATIVE = re.compile(r"(\w+) = - (\S+)")
EQUAL = re.compile(r"(\w+) = (\S+)")


def pattern(name: str) -> str:
    return next(key for key in TWISTS if name.startswith(key))


def slides(name: str) -> tuple[int, ...]:
    return (3,) if name.startswith("stanford") else ()


# -- the program ---------------------------------------------------------------------------------------


def run(text: str, known: dict[str, float]) -> list[float]:
    """The torques of a text; angles of sums are given as they are asked for."""
    known = dict(known)

    def value(word: str) -> float:
        if word in known:
            return known[word]
        if re.fullmatch(r"[cst]\d+", word):
            angle = known["q" + word[1:]]
            return {"c": math.cos(angle), "s": math.sin(angle), "t": math.tan(angle / 2)}[word[0]]
        return float(word)

    tau = []
    for line in text.splitlines()[1:]:
        if match := OPERATION.fullmatch(line):
            name, a, sign, b = match.groups()
            x, y = value(a), value(b)
            known[name] = (
                x * y if sign == "*" else x / y if sign == "/" else x + y if sign == "+" else x - y
            )
        elif match := NEGATIVE.fullmatch(line):
            name, known[match[1]] = match[1], -value(match[2])
        elif match := EQUAL.fullmatch(line):
            name, known[match[1]] = match[1], value(match[2])
        else:
            assert line in ("constants", "program", "torques")
            continue
        if name.startswith("tau"):
            tau.append(known[name])
    return tau


def given_names(text: str) -> set[str]:
    """The parameters that a text uses: names without a line of their own that do not move."""
    words = set(re.findall(r"[A-Za-z]\w*", text.split("\n", 1)[1])) - {"constants", "program", "torques"}
    made = {line.split(" = ")[0] for line in text.splitlines() if " = " in line}
    return {word for word in words - made if not re.fullmatch(r"(q|qd|qdd|c|s|t)\d+", word)}


# -- an arm of its parameters --------------------------------------------------------------------------


def draw(
    name: str, text: str, rng: random.Random, zeros: float = 0.0
) -> tuple[dict[str, float], list[float]]:
    """Random parameters of a text, some of them zero, and the twists; a twist may be any angle in a general arm."""
    names = given_names(text)
    n = 7 if name.startswith("panda") else 6
    twists = list(TWISTS[pattern(name)] or (0, *(rng.uniform(-3, 3) for _ in range(n - 1))))
    for k, twist in enumerate(twists):
        if twist not in (0, HALF, -HALF) and rng.random() < zeros:
            twists[k] = rng.choice((0, HALF, -HALF, math.pi))
    known = {word: 0.0 if rng.random() < zeros else rng.uniform(-1.5, 1.5) for word in sorted(names)}
    for k, twist in enumerate(twists, 1):
        exact = {0: (1.0, 0.0), HALF: (0.0, 1.0), -HALF: (0.0, -1.0), math.pi: (-1.0, 0.0)}
        known[f"ca{k}"], known[f"sa{k}"] = exact.get(twist, (math.cos(twist), math.sin(twist)))
    known.setdefault("g", 0.0)
    return known, twists


def link(known: dict[str, float], k: int) -> tuple[float, np.ndarray, np.ndarray]:
    """Mass, first moment and inertia about the origin of link k."""
    at = {word: known.get(f"{word}{k}", 0.0) for word in ("m", "cx", "cy", "cz", "hx", "hy", "hz")}
    I = {key: known.get(f"I{key}{k}", 0.0) for key in ("xx", "yy", "zz", "xy", "xz", "yz")}
    tensor = np.array(
        [[I["xx"], I["xy"], I["xz"]], [I["xy"], I["yy"], I["yz"]], [I["xz"], I["yz"], I["zz"]]]
    )
    if any(f"c{axis}{k}" in known for axis in "xyz"):
        c = np.array([at["cx"], at["cy"], at["cz"]])
        return at["m"], at["m"] * c, tensor + at["m"] * (c @ c * np.eye(3) - np.outer(c, c))
    return at["m"], np.array([at["hx"], at["hy"], at["hz"]]), tensor


def newton_euler(known, sliding, q, qd, qdd) -> np.ndarray:
    """Textbook Newton-Euler in modified DH, in link axes, first moments instead of centres of mass."""
    n, z = len(q), np.array([0.0, 0.0, 1.0])
    w, wd, vd = np.zeros(3), np.zeros(3), np.array([0.0, 0.0, -known["g"]])
    forces, frames = [], []
    for k in range(1, n + 1):
        slide = k in sliding
        a, d, ca, sa = (known.get(f"{word}{k}", 0.0) for word in ("a", "d", "ca", "sa"))
        d, angle = (d + q[k - 1], 0.0) if slide else (d, q[k - 1])
        R = np.array([[1, 0, 0], [0, ca, -sa], [0, sa, ca]]) @ np.array(
            [[math.cos(angle), -math.sin(angle), 0], [math.sin(angle), math.cos(angle), 0], [0, 0, 1]]
        )
        p = np.array([a, -sa * d, ca * d])
        vd = R.T @ (vd + np.cross(wd, p) + np.cross(w, np.cross(w, p)))
        w, wd = R.T @ w, R.T @ wd
        if slide:
            vd = vd + qdd[k - 1] * z + 2 * np.cross(w, qd[k - 1] * z)
        else:
            wd = wd + qdd[k - 1] * z + np.cross(w, qd[k - 1] * z)
            w = w + qd[k - 1] * z
        m, h, I = link(known, k)
        forces.append((m * vd + np.cross(wd, h) + np.cross(w, np.cross(w, h)),
                       I @ wd + np.cross(w, I @ w) + np.cross(h, vd)))  # fmt: skip
        frames.append((R, p))
    tau, f, m = np.zeros(n), np.zeros(3), np.zeros(3)
    for k in range(n, 0, -1):
        f, m = f + forces[k - 1][0], m + forces[k - 1][1]
        tau[k - 1] = f[2] if k in sliding else m[2]
        R, p = frames[k - 1]
        f, m = R @ f, R @ m
        m = m + np.cross(p, f)
    return tau


def state(rng: random.Random, n: int) -> tuple[list[float], list[float], list[float]]:
    q, qd, qdd = ([rng.uniform(-2.5, 2.5) for _ in range(n)] for _ in range(3))
    return q, qd, qdd


def torques(text: str, known: dict[str, float], moving) -> list[float]:
    rows = zip(("q", "qd", "qdd"), moving, strict=True)
    return run(text, {**known, **{f"{name}{k}": x for name, row in rows for k, x in enumerate(row, 1)}})


@pytest.mark.parametrize("name", TEXTS)
def test_a_certificate_gives_the_torques_of_a_newton_euler_written_here(name):
    text, rng = TEXTS[name], random.Random(name)
    for _ in range(5):
        known, twists = draw(name, text, rng)
        moving = state(rng, len(twists))
        expected = newton_euler(known, slides(name), *moving)
        close = (
            1e-13 if name in FREE else 1e-7
        )  # generic ones lose digits where an arm comes near a condition
        assert torques(text, known, moving) == pytest.approx(
            expected, rel=0, abs=close * max(abs(expected))
        )


@pytest.mark.parametrize("name", FREE)
def test_without_divisions_a_certificate_runs_on_arms_with_any_parameters_zero(name):
    text, rng = TEXTS[name], random.Random(name)
    assert " / " not in text
    for _ in range(10):
        known, twists = draw(name, text, rng, zeros=0.4)
        moving = state(rng, len(twists))
        expected = newton_euler(known, slides(name), *moving)
        scale = max(1e-3, *abs(expected))
        assert torques(text, known, moving) == pytest.approx(expected, rel=0, abs=1e-13 * scale)


@pytest.mark.parametrize("name", [name for name in TEXTS if "generic" in name])
def test_generic_certificates_stop_on_an_arm_with_zeros(name):
    text, rng = TEXTS[name], random.Random(1)
    known, twists = draw(name, text, rng)
    known |= {word: 0.0 for word in known if re.fullmatch(r"a\d", word)}
    with pytest.raises(ZeroDivisionError):
        torques(text, known, state(rng, len(twists)))


@pytest.mark.parametrize("name", [name for name in FREE if name.startswith("general")])
def test_pinocchio_gives_the_same_on_random_general_arms(name):
    pin = pytest.importorskip("pinocchio")
    text, rng = TEXTS[name], random.Random(7)
    for _ in range(5):
        known, twists = draw(name, text, rng)
        for k in range(1, 7):  # as it insists on bodies that can be
            known |= {f"I{key}{k}": 3.0 + rng.random() for key in ("xx", "yy", "zz")}
            known[f"m{k}"] = 0.5 + rng.random()
        model = pin.Model()
        model.gravity.linear = np.array([0.0, 0.0, known["g"]])
        parent = 0
        for k, twist in enumerate(twists, 1):
            R = pin.utils.rotate("x", twist)
            p = R @ np.array([0.0, 0.0, known.get(f"d{k}", 0.0)]) + [known.get(f"a{k}", 0.0), 0.0, 0.0]
            parent = model.addJoint(parent, pin.JointModelRZ(), pin.SE3(R, p), f"joint{k}")
            m, h, I = link(known, k)
            c = h / m if m else np.zeros(3)
            central = I - m * (c @ c * np.eye(3) - np.outer(c, c))
            model.appendBodyToJoint(parent, pin.Inertia(m, c, central), pin.SE3.Identity())
        moving = state(rng, 6)
        expected = pin.rnea(model, model.createData(), *map(np.array, moving))
        assert torques(text, known, moving) == pytest.approx(
            expected, rel=0, abs=1e-12 * max(abs(expected))
        )
