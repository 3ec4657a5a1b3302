"""URDF files that cannot be used: each fault is named with its line, its element and what to do."""

import re
from pathlib import Path

import pytest

from strobe.errors import ModelFileError
from strobe.files import reading
from strobe.models.urdf import read_urdf

SOUND = """\
<robot name="arm">
  <link name="base"/>
  <link name="tip">
    <inertial>
      <origin xyz="0 0 0.1" rpy="0 0 0"/>
      <mass value="1"/>
      <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/>
    </inertial>
  </link>
  <joint name="elbow" type="revolute">
    <origin xyz="0 0 1" rpy="0 0 0"/>
    <parent link="base"/>
    <child link="tip"/>
    <axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" velocity="2" effort="3"/>
    <dynamics damping="0.1" friction="0.2"/>
  </joint>
</robot>
"""

AXIS = '<axis xyz="0 0 1"/>'
LIMIT = '<limit lower="-1" upper="1" velocity="2" effort="3"/>'
DYNAMICS = '<dynamics damping="0.1" friction="0.2"/>'
MASS = '<mass value="1"/>'
LAST = "  </joint>\n</robot>"
SECOND = (
    '<link name="a"/><joint name="wrist" type="{}"><parent link="tip"/><child link="a"/>{}</joint></robot>'
)


def second(kind: str, inside: str) -> str:
    """The rest of the file with one more joint, on line 18."""
    return "  </joint>\n" + SECOND.format(kind, inside)


BROKEN = {  # what is replaced in the sound file, by what, and the sentence
    # XML
    "an unclosed tag": ("</robot>", "", ":19: malformed XML at column 1: no element found."),
    "tags that cross": ("  </joint>", "  </joinn>", ":17: malformed XML at column 5: mismatched tag."),
    "text after the end": (
        "</robot>",
        "</robot> x",
        ":18: malformed XML at column 10: junk after document",
    ),
    "an attribute twice": (
        MASS,
        '<mass value="1" value="2"/>',
        ":6: malformed XML at column 23: duplicate",
    ),
    "an attribute without quotes": (
        MASS,
        "<mass value=1/>",
        ":6: malformed XML at column 19: not well-formed",
    ),
    "an undeclared entity": (
        MASS,
        '<mass value="&m;"/>',
        ":6: malformed XML at column 7: undefined entity.",
    ),
    "a document type": (
        '<robot name="arm">',
        '<!DOCTYPE robot><robot name="arm">',
        ":1: a document type or entity declaration is refused; remove the <!DOCTYPE …>.",
    ),
    # the root
    "no links": (SOUND, '<robot name="arm"/>', "arm.urdf: no links: a robot needs at least one."),
    # links
    "a link without a name": (
        '<link name="base"/>',
        '<link name="base"/><link/>',
        ':2: a <link> has no name; give it name="…".',
    ),
    "a link with a blank name": (
        '<link name="base"/>',
        '<link name="base"/><link name=" "/>',
        ':2: a <link> has no name; give it name="…".',
    ),
    "two links of one name": (
        '<link name="base"/>',
        '<link name="base"/><link name="tip"/>',
        ':3: a second link named "tip" (first at 2); names must be unique.',
    ),
    "no mass": (MASS, "", ':4: link "tip": <inertial> has no <mass value="…"/>.'),
    "a mass without a value": (MASS, "<mass/>", ':6: link "tip": <mass> has no attribute value.'),
    "a mass in words": (
        MASS,
        '<mass value="heavy"/>',
        ':6: link "tip": <mass> has value="heavy"; "heavy" is not a finite number.',
    ),
    "a mass with its unit": (
        MASS,
        '<mass value="1 kg"/>',
        ':6: link "tip": <mass> has value="1 kg"; expected one number, found 2.',
    ),
    "an empty mass": (
        MASS,
        '<mass value=""/>',
        ':6: link "tip": <mass> has value=""; expected one number, found 0.',
    ),
    "a mass that is not a number": (
        MASS,
        '<mass value="nan"/>',
        ':6: link "tip": <mass> has value="nan"; "nan" is not a finite number.',
    ),
    "an infinite mass": (
        MASS,
        '<mass value="-inf"/>',
        ':6: link "tip": <mass> has value="-inf"; "-inf" is not a finite number.',
    ),
    "a mass beyond all floats": (
        MASS,
        '<mass value="1e999"/>',
        'has value="1e999"; "1e999" is not a finite number.',
    ),
    "a mass with an underscore": (MASS, '<mass value="1_0"/>', '"1_0" is not a finite number.'),
    "a mass in other digits": (MASS, '<mass value="١٠"/>', '"١٠" is not a finite number.'),
    "an angle beyond all angles": (
        'xyz="0 0 1" rpy="0 0 0"',
        'xyz="0 0 1" rpy="0 0 1e300"',
        ':11: joint "elbow" has rpy "0 0 1e+300", which is too large for angles.',
    ),
    "an inertia turned by a word": (
        'xyz="0 0 0.1" rpy="0 0 0"',
        'xyz="0 0 0.1" rpy="0 pi 0"',
        ':5: link "tip": <origin> has rpy="0 pi 0"; "pi" is not a finite number.',
    ),
    "an inertia turned beyond all angles": (
        'xyz="0 0 0.1" rpy="0 0 0"',
        'xyz="0 0 0.1" rpy="0 1e7 0"',
        ':5: link "tip" has rpy "0 1e+07 0", which is too large for angles.',
    ),
    "an axis of hardly any length": (
        AXIS,
        '<axis xyz="0 0 1e-200"/>',
        ':14: joint "elbow" has axis (0, 0, 1e-200); a revolute joint needs a unit axis.',
    ),
    "xacro in a URDF file": (
        '<link name="base"/>',
        '<xacro:property name="a" value="1"/>',
        ":2: <xacro:property> is xacro; rename the file to arm.urdf.xacro to have it expanded.",
    ),
    "a decimal comma": (
        MASS,
        '<mass value="0,5"/>',
        ':6: link "tip": <mass> has value="0,5"; separate numbers by spaces, decimals by a point.',
    ),
    "an expression": (MASS, '<mass value="${m}"/>', '"${m}" is not a finite number.'),
    "a negative mass": (
        MASS,
        '<mass value="-2"/>',
        ':3: link "tip" has mass -2.0; a mass is zero or positive.',
    ),
    "no inertia": (
        '<inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/>',
        "",
        ':4: link "tip": <inertial> has no <inertia ixx=… />; write zeros for a point mass.',
    ),
    "an inertia with a part missing": (
        'iyz="0" ',
        "",
        ':7: link "tip": <inertia> has no attribute iyz.',
    ),
    "an inertia in words": (
        'ixx="0.01"',
        'ixx="small"',
        ':7: link "tip": <inertia> has ixx="small"; "small" is not a finite number.',
    ),
    "a centre of mass in two numbers": (
        'xyz="0 0 0.1"',
        'xyz="0 0.1"',
        ':5: link "tip": <origin> has xyz="0 0.1"; expected 3 numbers, found 2.',
    ),
    "a mass beyond all bounds": (
        MASS,
        '<mass value="1e308"/>',
        ':3: link "tip" has the number 1e+308; expected sizes up to 1e+50.',
    ),
    # joints
    "a joint without a name": (
        'joint name="elbow"',
        "joint",
        ':10: a <joint> has no name; give it name="…".',
    ),
    "a joint without a type": (
        ' type="revolute"',
        "",
        ':10: joint "elbow" has no type; give it one of revolute, continuous, prismatic,',
    ),
    "a misspelled type": (
        "revolute",
        "revolut",
        ':10: joint "elbow" has the unknown type "revolut". Did you mean \'revolute\'?',
    ),
    "a type of another format": (
        "revolute",
        "hinge",
        ':10: joint "elbow" has the unknown type "hinge". Known: revolute, continuous,',
    ),
    "a kind that URDF has not": (
        "revolute",
        "helical",
        ':10: joint "elbow" has the unknown type "helical". Did you mean \'spherical\'? Known: revolute, continuous, '
        "prismatic, spherical, floating, planar, fixed.",
    ),
    "no parent": (
        '<parent link="base"/>',
        "",
        ':10: joint "elbow" has no parent; add <parent link="…"/>.',
    ),
    "a child without a link": (
        '<child link="tip"/>',
        "<child/>",
        ':13: joint "elbow" has no child; add <child link="…"/>.',
    ),
    "an unknown parent": (
        '<parent link="base"/>',
        '<parent link="bas"/>',
        ':10: joint "elbow" names the parent link "bas", which does not exist. Did you mean \'base\'?',
    ),
    "an unknown child": (
        '<child link="tip"/>',
        '<child link="hand"/>',
        ':10: joint "elbow" names the child link "hand", which does not exist.',
    ),
    "a link joined to itself": (
        '<parent link="base"/>',
        '<parent link="tip"/>',
        ':10: joint "elbow" joins link "tip" to itself.',
    ),
    "two roots": (
        '<link name="base"/>',
        '<link name="base"/><link name="spare"/>',
        'arm.urdf: 2 root links ("base", "spare"); a robot has one. Join the others to it.',
    ),
    "two joints of one name": (
        LAST,
        second("fixed", "").replace("wrist", "elbow"),
        ':18: a second joint named "elbow" (first at 10); names must be unique.',
    ),
    "two joints with one child": (
        LAST,
        second("fixed", "").replace('child link="a"', 'child link="tip"').replace('"tip"/><c', '"a"/><c'),
        ':18: link "tip" is the child of two joints, "elbow" and "wrist"; a tree allows one.',
    ),
    "a cycle": (
        LAST,
        second("fixed", "").replace('child link="a"', 'child link="base"').replace('<link name="a"/>', ""),
        ':10: the joints "elbow", "wrist" form a cycle: no link of it is the base. Break it at one joint.',
    ),
    "a zero axis": (
        AXIS,
        '<axis xyz="0 0 0"/>',
        ':14: joint "elbow" has axis (0, 0, 0); a revolute joint needs a unit axis.',
    ),
    "a zero axis of a slide": (
        AXIS + "\n    " + LIMIT + "\n    " + DYNAMICS + "\n" + LAST,
        "\n\n\n" + second("prismatic", '<axis xyz="0 0 0"/>' + LIMIT),
        'joint "wrist" has axis (0, 0, 0); a prismatic joint needs a unit axis.',
    ),
    "an axis without numbers": (AXIS, "<axis/>", ':14: joint "elbow": <axis> has no attribute xyz.'),
    "an axis with commas": (
        AXIS,
        '<axis xyz="0,0,1"/>',
        ':14: joint "elbow": <axis> has xyz="0,0,1"; separate numbers by spaces, decimals by a point.',
    ),
    "an axis in four numbers": (
        AXIS,
        '<axis xyz="0 0 1 0"/>',
        ':14: joint "elbow": <axis> has xyz="0 0 1 0"; expected 3 numbers, found 4.',
    ),
    "an axis by name": (
        AXIS,
        '<axis xyz="z"/>',
        ':14: joint "elbow": <axis> has xyz="z"; expected 3 numbers,',
    ),
    "an origin with a word": (
        'xyz="0 0 1" rpy="0 0 0"',
        'xyz="0 0 1" rpy="0 pi 0"',
        ':11: joint "elbow": <origin> has rpy="0 pi 0"; "pi" is not a finite number.',
    ),
    "an origin that is not a number": (
        'xyz="0 0 1" rpy',
        'xyz="0 NaN 1" rpy',
        ':11: joint "elbow": <origin> has xyz="0 NaN 1"; "NaN" is not a finite number.',
    ),
    "a limit in words": (
        'lower="-1"',
        'lower="low"',
        ':15: joint "elbow": <limit> has lower="low"; "low" is not a finite number.',
    ),
    "an infinite limit": (
        'upper="1"',
        'upper="inf"',
        ':15: joint "elbow": <limit> has upper="inf"; "inf" is not a finite number.',
    ),
    "a negative velocity limit": (
        'velocity="2"',
        'velocity="-2"',
        ':10: joint "elbow" has a velocity limit of -2.0; it must be zero or positive.',
    ),
    "a negative effort limit": (
        'effort="3"',
        'effort="-3"',
        ':10: joint "elbow" has an effort limit of -3.0; it must be zero or positive.',
    ),
    "negative damping": (
        'damping="0.1"',
        'damping="-0.1"',
        ':10: joint "elbow" has damping -0.1; it must be zero or positive.',
    ),
    "negative friction": (
        'friction="0.2"',
        'friction="-0.2"',
        ':16: joint "elbow" has friction -0.2; it must be zero or positive.',
    ),
    "damping in words": (
        'damping="0.1"',
        'damping="some"',
        ':16: joint "elbow": <dynamics> has damping="some"; "some" is not a',
    ),
    # mimic
    "an unknown joint to mimic": (
        DYNAMICS,
        '<mimic joint="elbo"/>',
        ':16: joint "elbow" mimics "elbo", which does not exist. Did you mean \'elbow\'?',
    ),
    "a joint that mimics itself": (
        DYNAMICS,
        '<mimic joint="elbow"/>',
        ':10: joint "elbow" follows itself; let it follow another, or none.',
    ),
    "a mimic without a joint": (
        DYNAMICS,
        "<mimic/>",
        ':16: joint "elbow" has a <mimic> without a joint; write <mimic joint="…"/>.',
    ),
    "a mimic of a fixed joint": (
        DYNAMICS + "\n" + LAST,
        '<mimic joint="wrist"/>\n' + second("fixed", ""),
        ':16: joint "elbow" mimics "wrist", which is fixed; a joint with one degree of freedom is needed.',
    ),
    "a ball that mimics": (
        LAST,
        second("spherical", '<mimic joint="elbow"/>'),
        ':18: joint "wrist" is spherical and cannot mimic another; only joints with one degree',
    ),
    "a factor in words": (
        LAST,
        second("continuous", '<mimic joint="elbow" multiplier="two"/>'),
        ':18: joint "wrist": <mimic> has multiplier="two"; "two" is not a finite number.',
    ),
    "a circle of mimics": (
        DYNAMICS + "\n" + LAST,
        '<mimic joint="wrist"/>\n' + second("continuous", '<mimic joint="elbow"/>'),
        ':10: the joints "elbow" -> "wrist" -> "elbow" follow each other in a circle; break it at one joint.',
    ),
}


def faults(text: str, path: str = "arm.urdf") -> str:
    with pytest.raises(ModelFileError) as raised:
        read_urdf(path, text=text)
    return str(raised.value)


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_file_is_refused_in_a_sentence(name: str) -> None:
    old, new, sentence = BROKEN[name]
    assert old in SOUND
    found = faults(SOUND.replace(old, new, 1))
    assert found.startswith("arm.urdf")
    assert sentence in found
    assert found.count("\n") == 0, "one cause, one fault"


def test_the_file_that_is_broken_above_is_sound() -> None:
    model = read_urdf("arm.urdf", text=SOUND, strict=True)
    assert model.joint_names == ("elbow",)
    assert model.notes == ()


def test_all_faults_are_reported_at_once() -> None:
    text = SOUND
    names = (
        "a zero axis",
        "a negative mass",
        "negative friction",
        "an inertia in words",
        "a link without a name",
    )
    for old, new, _ in map(BROKEN.__getitem__, names):
        text = text.replace(old, new, 1)
    found = faults(text)
    assert found.startswith("5 faults:\n")
    places = re.findall(r"^arm\.urdf:(\d+)", found, re.MULTILINE)
    assert sorted(map(int, places)) == [2, 3, 7, 14, 16]


@pytest.mark.parametrize(
    ("root", "sentence"),
    [
        ("mujoco", ":1: the root element is <mujoco>; this is MJCF; give the file the suffix .xml"),
        (
            "sdf",
            ":1: the root element is <sdf>; this is SDF, which Strobe does not read; convert it to URDF.",
        ),
        ("html", ":1: the root element is <html>; a URDF file has <robot>."),
    ],
)
def test_files_of_other_formats_are_recognised(root: str, sentence: str) -> None:
    assert faults(f"<{root}/>").startswith(f"arm.urdf{sentence}")


def test_an_entity_bomb_is_refused_before_it_expands() -> None:
    entities = "".join(f'<!ENTITY a{k + 1} "{f"&a{k};" * 10}">' for k in range(30))
    bomb = f'<!DOCTYPE robot [<!ENTITY a0 "ha">{entities}]>\n<robot name="&a30;"><link name="x"/></robot>'
    assert faults(bomb) == (
        "arm.urdf:1: a document type or entity declaration is refused; remove the <!DOCTYPE …>."
    )


def test_an_external_entity_is_never_fetched(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("hunter2")
    declared = f'<!DOCTYPE robot [<!ENTITY x SYSTEM "{secret.as_uri()}">]>'
    found = faults(f'{declared}<robot name="r"><link name="&x;"/></robot>')
    assert "document type or entity declaration is refused" in found
    assert "hunter2" not in found


def from_bytes(tmp_path: Path, data: bytes) -> str:
    path = tmp_path / "arm.urdf"
    path.write_bytes(data)
    with pytest.raises(ModelFileError) as raised:
        read_urdf(path)
    return str(raised.value).removeprefix(str(tmp_path) + "/")


def test_an_empty_file_is_called_empty(tmp_path: Path) -> None:
    assert from_bytes(tmp_path, b" \n") == "arm.urdf: the file is empty."


def test_a_binary_file_is_called_binary(tmp_path: Path) -> None:
    found = from_bytes(tmp_path, b"\x7fELF\x02\x01\x00\x00" * 9)
    assert found == (
        "arm.urdf: contains NUL bytes: it is binary, or UTF-16 without a byte order mark. Save it as UTF-8."
    )


def test_utf_16_without_a_mark_is_named(tmp_path: Path) -> None:
    assert "UTF-16 without a byte order mark" in from_bytes(tmp_path, SOUND.encode("utf-16-le"))


def test_utf_16_with_a_mark_is_read(tmp_path: Path) -> None:
    path = tmp_path / "arm.urdf"
    path.write_bytes(SOUND.encode("utf-16"))
    assert read_urdf(path).joint_names == ("elbow",)


def test_a_byte_that_is_not_utf_8_is_named_with_its_line(tmp_path: Path) -> None:
    data = SOUND.replace('"tip"', '"tôp"').encode("latin-1")
    assert from_bytes(tmp_path, data).startswith(
        "arm.urdf:3: byte 0xf4 is not UTF-8; save the file as UTF-8,"
    )


def test_a_declared_encoding_is_honoured(tmp_path: Path) -> None:
    path = tmp_path / "arm.urdf"
    declared = '<?xml version="1.0" encoding="latin-1"?>\n' + SOUND.replace('"tip"', '"tôp"')
    path.write_bytes(declared.encode("latin-1"))
    assert read_urdf(path).bodies[0].name == "tôp"


def test_an_unknown_encoding_is_refused(tmp_path: Path) -> None:
    data = b'<?xml version="1.0" encoding="klingon"?>\n' + SOUND.encode()
    assert from_bytes(tmp_path, data) == (
        "arm.urdf:1: cannot be decoded: unknown encoding: klingon. Save the file as UTF-8."
    )


def test_a_file_over_the_limit_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "arm.urdf"
    with path.open("wb") as file:
        file.truncate(reading.LARGEST + 1)
    with pytest.raises(
        ModelFileError, match="more than 33554432 bytes, the most that are read of a file of this kind"
    ):
        read_urdf(path)


def test_a_text_over_the_limit_is_not_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "LARGEST", 100)
    assert "more than 100 bytes, the most that are read" in faults(SOUND)


def test_elements_nested_without_end_are_refused() -> None:
    deep = '<robot name="r">' + "<a>" * 10000 + "</a>" * 10000 + "</robot>"
    assert "elements nested more than 200 deep" in faults(deep)


def test_a_missing_file_is_an_error_of_the_model(tmp_path: Path) -> None:
    with pytest.raises(ModelFileError, match=r"cannot be read: No such file or directory\."):
        read_urdf(tmp_path / "none.urdf")
