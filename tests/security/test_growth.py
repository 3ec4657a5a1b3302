"""Work grows with the size of a file and not with its square: lines that are run at one size and at four times it."""

import sys
import time
from contextlib import suppress

import pytest

from strobe.errors import ModelFileError, StrobeError
from strobe.files import xml
from strobe.models.assembly import MOST_LINKS
from strobe.models.couplings import coordinates
from strobe.models.toml_reader import read_toml
from strobe.models.urdf import read_urdf

SMALL, TIMES = 30, 4
LINEAR = 6.5  # lines at four times the size may be so many times as many: twice that is a square


def robot(body: str) -> str:
    return f'<robot name="r">{body}</robot>'


def joint(k: int, parent: str, kind: str = "continuous", more: str = "") -> str:
    ends = f'<parent link="{parent}"/><child link="l{k}"/>'
    return f'<link name="l{k}"/><joint name="j{k}" type="{kind}">{ends}{more}</joint>'


def chain(n: int, kind: str = "continuous", more=lambda k: "") -> str:
    """n joints in a row on the link l0."""
    joints = (joint(k, f"l{k - 1}", kind, more(k)) for k in range(1, n + 1))
    return robot('<link name="l0"/>' + "".join(joints))


def rows(n: int) -> str:
    link = '[[joints.link]]\nname="l{}"\njoint_name="j{}"\nparent="l{}"\njoint="revolute"\naxis=[0,0,1]\nmass=1\n'
    return 'format=1\nname="r"\n[base]\nname="l0"\n[joints]\n' + "".join(
        link.format(k, k, k - 1) for k in range(1, n + 1)
    )


PLACE = '<origin xyz="1 2 3" rpy="0.1 0.2 0.3"/>'
URDF = {
    "a chain": chain,
    "a chain of fixed joints": lambda n: chain(n, "fixed", lambda k: PLACE),
    "a star": lambda n: robot('<link name="l0"/>' + "".join(joint(k, "l0") for k in range(1, n))),
    "links alone": lambda n: robot("".join(f'<link name="l{k}"/>' for k in range(n))),
    "one name": lambda n: robot('<link name="l"/>' * n),
    "parents that are not there": lambda n: robot("".join(joint(k, f"m{k}") for k in range(n))),
    "inertias that are none": lambda n: robot(
        '<link name="l"><inertial><mass value="x"/></inertial></link>' * n
    ),
    "a chain that follows": lambda n: chain(
        n, more=lambda k: f'<mimic joint="j{k - 1}"/>' if k > 1 else ""
    ),
    "a circle": lambda n: chain(n, more=lambda k: f'<mimic joint="j{k % n + 1}"/>'),
    "pairs": lambda n: chain(n, more=lambda k: f'<mimic joint="j{k + 1 if k % 2 else k - 1}"/>'),
    "each itself": lambda n: chain(n, more=lambda k: f'<mimic joint="j{k}"/>'),
    "attributes": lambda n: robot('<link name="a" ' + " ".join(f'x{k}="1"' for k in range(n)) + "/>"),
}
TOML = {
    "a chain": rows,
    "frames": lambda n: rows(n) + "".join(f'[[frames]]\nname="f{k}"\nlink="l{k}"\n' for k in range(n)),
    "frames on nothing": lambda n: (
        rows(n) + "".join(f'[[frames]]\nname="f{k}"\nlink="m{k}"\n' for k in range(n))
    ),
    "motors": lambda n: f"actuated={[f'j{k + 1}' for k in range(n)]}\n" + rows(n),
    "loops": lambda n: rows(2) + '[[loops]]\nframe_a="l0"\nframe_b="l2"\n' * n,
    "feet": lambda n: (
        rows(n) + "".join(f'[[feet]]\nframe="l{k}"\nsole=[[0,0],[1,0],[0,1]]\n' for k in range(n))
    ),
    "a chain that follows": lambda n: (
        rows(n) + "".join(f'[[couplings]]\njoint="j{k}"\nterms={{j{k - 1}=1}}\n' for k in range(2, n + 1))
    ),
    "locks": lambda n: rows(n) + "".join(f'[[locked]]\njoint="j{k}"\n' for k in range(1, n + 1)),
}
CASES = {f"urdf: {name}": ("a.urdf", read_urdf, text) for name, text in URDF.items()}
CASES |= {f"toml: {name}": ("a.toml", read_toml, text) for name, text in TOML.items()}


def lines_of(work) -> int:
    """How many lines of Python run, loops within expressions and their rounds included."""
    count = 0

    def trace(frame, event, arg):
        nonlocal count
        count += 1
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


@pytest.mark.filterwarnings("ignore::strobe.errors.ModelWarning")
@pytest.mark.parametrize("name", CASES)
def test_the_work_of_reading_grows_with_the_size(name):
    path, read, text = CASES[name]

    def work(n):
        with suppress(StrobeError):
            coordinates(read(path, text=text(n)))

    work(2)  # what is made once
    few, many = (lines_of(lambda n=n: work(n)) for n in (SMALL, TIMES * SMALL))
    assert many / few < LINEAR, f"{few:,} lines, and {many:,} at {TIMES} times the size"


def test_a_square_would_be_noticed():
    few, many = (
        lines_of(lambda n=n: [[0 for _ in range(n)] for _ in range(n)]) for n in (SMALL, TIMES * SMALL)
    )
    assert many / few > LINEAR


def test_couplings_that_meet_again_and_again_are_not_followed_along_every_way():
    """Each joint follows the two before it: there are 10^20 ways from the last to the first."""
    ways = "".join(
        f'[[couplings]]\njoint="j{k}"\nterms={{j{k - 1}=0.5,j{k - 2}=0.5}}\n' for k in range(3, 100)
    )
    found = coordinates(read_toml("a.toml", text=rows(99) + ways))
    factors = dict(found.velocities[-1])
    assert factors[0] == pytest.approx(1 / 3)  # half and half, again and again
    assert factors[1] == pytest.approx(2 / 3)


def test_joints_may_follow_each_other_in_a_chain_as_long_as_a_robot():
    """No recursion: Python's own stack ends at a thousand."""
    n = 1_500
    found = coordinates(read_urdf("a.urdf", text=URDF["a chain that follows"](n)))
    assert (len(found.joints), len(found.velocities)) == (1, n)


def test_eighty_thousand_attributes_are_read_in_time():
    start = time.process_time()
    read_urdf("a.urdf", text=URDF["attributes"](80_000))
    # it is half a second; by a list it was three quarters of a minute
    assert time.process_time() - start < 12.0


def test_more_links_than_a_robot_has_are_refused():
    many = MOST_LINKS + 1
    with pytest.raises(ModelFileError, match="a.urdf: 50,001 links; expected at most 50,000."):
        read_urdf("a.urdf", text=robot('<link name="l"/>' * many))


@pytest.mark.parametrize("many", ["<a/>" * 101, "<a " + " ".join(f'a{k}=""' for k in range(101)) + "/>"])
def test_more_elements_than_a_file_has_are_refused(many, monkeypatch):
    monkeypatch.setattr(xml, "MOST_PARTS", 100)
    with pytest.raises(ModelFileError, match="more than 100 elements and attributes"):
        read_urdf("a.urdf", text=robot(many))


def test_the_faults_of_a_file_end():
    with pytest.raises(ModelFileError) as caught:
        read_urdf("a.urdf", text=URDF["parents that are not there"](300))
    lines = str(caught.value).splitlines()
    assert lines[0] == "201 faults:"
    assert (len(lines), lines[-1]) == (22, "… and 181 more")
    assert caught.value.faults[-1].text == "that is 200 faults; the rest of the file was not looked at."


@pytest.mark.parametrize("length", [81, 501, 5_000_000])
def test_no_sentence_repeats_a_name_whole(length):
    name = "a" * length
    text = robot(f'<link name="{name}"/><link name="{name}"/><joint name="{name}"/>')
    with pytest.raises(ModelFileError) as caught:
        read_urdf("a.urdf", text=text)
    assert name[:81] not in str(caught.value)
    assert f'"{name[:80]}…"' in str(caught.value)
    assert len(str(caught.value)) < 2_000


def test_no_sentence_repeats_a_key_whole():
    key = "k" * 100_000
    with pytest.raises(ModelFileError) as caught:
        read_toml("a.toml", text=f'{key} = "{key}"\n{rows(1)}')
    assert len(str(caught.value)) < 2_000
