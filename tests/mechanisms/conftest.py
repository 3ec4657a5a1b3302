"""Linkages that several tests move: overconstrained ones, which no built-in is."""

import math

import pytest

import strobe

LINK = """
[[joints.link]]
name = "l{n}"
joint_name = "j{n}"
parent = "{parent}"
joint = "continuous"
axis = [0, 0, 1]
before = {{ xyz = [{a}, 0, 0], rpy = [{twist}, 0, 0] }}
mass = 1
com = [0.1, 0.02, 0.05]
inertia = [0.01, 0.012, 0.015, 0, 0, 0]
"""
ENDS = """
[[frames]]
name = "end"
link = "l3"
xyz = [{a}, 0, 0]
rpy = [{twist}, 0, 0]

[[frames]]
name = "fixed"
link = "base"
xyz = [{b}, 0, 0]
rpy = [{other}, 0, 0]

[[loops]]
name = "fourth"
frame_a = "end"
frame_b = "fixed"
kind = "hinge"
"""


def four_hinges(name, links, end, ground):
    """A chain of three hinges as text, closed by a fourth: links, end and ground are lengths and twists."""
    text = f'format = 1\nname = "{name}"\nactuated = ["j1"]\n[base]\ngravity = [0, -9.81, 0]\n[joints]\n'
    parents = ("base", "l1", "l2")
    for n, (parent, (a, twist)) in enumerate(zip(parents, links, strict=True), 1):
        text += LINK.format(n=n, parent=parent, a=a, twist=twist)
    return text + ENDS.format(a=end[0], twist=end[1], b=ground[0], other=ground[1])


def loaded(folder, name, *parts):
    path = folder / f"{name}.toml"
    path.write_text(four_hinges(name, *parts))
    return strobe.load(path)


@pytest.fixture(scope="session")
def bennett(tmp_path_factory):
    """Bennett's linkage: four hinges in space that move, for a sin β = b sin α; five conditions of rank two."""
    a, alpha, beta = 0.3, math.radians(50), math.radians(110)
    b = a * math.sin(beta) / math.sin(alpha)
    links = (0.0, 0.0), (a, alpha), (b, beta)
    return loaded(tmp_path_factory.mktemp("linkages"), "bennett", links, (a, alpha), (-b, -beta))


@pytest.fixture(scope="session")
def flat(tmp_path_factory):
    """A plane four-bar whose last pin is a hinge in space: five conditions of rank two."""
    links = (0.0, 0.0), (0.15, 0.0), (0.45, 0.0)
    return loaded(tmp_path_factory.mktemp("linkages"), "flat", links, (0.35, 0.0), (0.4, 0.0))
