"""Broken robot files: each with the sentence that names the fault and its place."""

import os

import pytest

from strobe.errors import ModelFileError
from strobe.files import reading
from strobe.models.toml_reader import read_toml

DH = """format = 1
[parameters]
l = 0.5
[dh]
convention = "standard"
[[dh.link]]
joint = "revolute"
a = "l"
mass = 2
com = [-0.2, 0, 0]
inertia = [0.01, 0.02, 0.02, 0, 0, 0]
[[dh.link]]
joint = "prismatic"
mass = 1
inertia = [0.01, 0.02, 0.02, 0, 0, 0]
"""

TREE = """format = 1
[joints]
[[joints.link]]
name = "arm"
parent = "base"
joint = "revolute"
axis = [0, 0, 1]
mass = 1
[[joints.link]]
name = "hand"
parent = "arm"
joint = "spherical"
mass = 1
"""


LOOP = DH + '[[loops]]\nframe_a = "link1"\nframe_b = "base"\n'


def dh(old: str, new: str) -> str:
    assert old in DH
    return DH.replace(old, new, 1)


def tree(old: str, new: str) -> str:
    assert old in TREE
    return TREE.replace(old, new, 1)


BROKEN = {
    "syntax": (dh("mass = 2", "mass = = 2"), "not valid TOML: Invalid value (at line 9, column 8)."),
    "duplicate key": (
        dh("mass = 2", "mass = 2\nmass = 3"),
        "not valid TOML: Cannot overwrite a value (at line 10",
    ),
    "no format": (
        dh("format = 1\n", ""),
        'the key "format" is missing; expected format = 1 in the first line.',
    ),
    "another format": (
        dh("format = 1", "format = 2"),
        "format: found 2, expected 1, the only format there is.",
    ),
    "no links at all": (
        "format = 1",
        "found none of them, expected exactly one of [dh], [axes] and [joints].",
    ),
    "two kinds": (
        DH + "[axes]\n",
        "found [dh] and [axes], expected exactly one of [dh], [axes] and [joints].",
    ),
    "an empty table": (
        'format = 1\n[dh]\nconvention = "modified"',
        "dh: no links; expected at least one [[dh.link]].",
    ),
    "one link as a table": (
        'format = 1\n[axes]\n[axes.link]\njoint = "+Rz"',
        "axes.link: found a table, expected tables, each under [[axes.link]].",
    ),
    "a structure that is no table": ("format = 1\ndh = 3", "dh: found 3, expected a table."),
    "no convention": (
        dh('convention = "standard"\n', ""),
        'dh: the key "convention" is missing; expected one of "standard", "modified".',
    ),
    "unknown convention": (
        dh('"standard"', '"craig"'),
        'dh.convention: found "craig", expected one of "standard", "modified".',
    ),
    "misspelt key": (dh("mass = 2", "mas = 2"), "dh.link[1].mas: unknown key. Did you mean 'mass'?"),
    "key without likeness": (
        dh("mass = 2", "zzz = 2"),
        "dh.link[1].zzz: unknown key. Known keys: joint, name, joint_name",
    ),
    "misspelt top key": ("titel = 'x'\n" + DH, "titel: unknown key. Did you mean 'title' or 'tip'?"),
    "misspelt key in limits": (
        dh("mass = 2", "limits = { positions = [0, 1] }"),
        "dh.link[1].limits.positions: unknown key. Did you mean 'position'?",
    ),
    "misspelt joint": (
        dh('"revolute"', '"revolut"'),
        'dh.link[1].joint: found "revolut", expected one of "revolute", "continuous", "prismatic", '
        '"helical", "fixed". Did you mean \'revolute\'?',
    ),
    "a screw without a pitch": (
        dh('joint = "revolute"', 'joint = "helical"'),
        'dh.link[1]: the key "pitch" is missing; a helical joint slides by it as it turns, in m/rad.',
    ),
    "a screw that does not slide": (
        dh('joint = "revolute"', 'joint = "helical"\npitch = 0'),
        "has pitch 0; a helical joint slides as it turns, in m/rad. Without a pitch it is revolute.",
    ),
    "a pitch of a hinge": (
        dh('joint = "revolute"', 'joint = "revolute"\npitch = 0.1'),
        "dh.link[1].pitch: a revolute joint has no pitch; remove this key.",
    ),
    "no joint": (dh('joint = "revolute"\n', ""), 'dh.link[1]: the key "joint" is missing; expected one of'),
    "unsigned axis": (
        'format = 1\n[axes]\n[[axes.link]]\njoint = "Rz"',
        'axes.link[1].joint: found "Rz", expected one of "+Rx", "-Rx", "+Ry"',
    ),
    "text for a number": (
        dh("mass = 2", "mass = true"),
        "dh.link[1].mass: found true, expected a number or an expression in quotes.",
    ),
    "not a number": (dh("mass = 2", "mass = nan"), "dh.link[1].mass: found nan, expected a finite number."),
    "infinite": (
        dh("[-0.2, 0, 0]", "[-inf, 0, 0]"),
        "dh.link[1].com[1]: found -inf, expected a finite number.",
    ),
    "huge integer": (
        dh("mass = 2", "mass = 1" + "0" * 400),
        "dh.link[1].mass: found inf, expected a finite number.",
    ),
    "negative mass": (
        dh("mass = 2", "mass = -2"),
        'dh.link[1]: link "link1" has mass -2.0; a mass is zero or positive.',
    ),
    "short vector": (
        dh("[-0.2, 0, 0]", "[-0.2, 0]"),
        "dh.link[1].com: found [-0.2, 0], expected an array of 3 numbers.",
    ),
    "short inertia": (
        dh("[0.01, 0.02, 0.02, 0, 0, 0]", "[0.01, 0.02, 0.02, 0]"),
        "dh.link[1].inertia: found [0.01, 0.02, 0.02, 0], "
        "expected six numbers (xx, yy, zz, xy, xz, yz), three (xx, yy, zz) or three rows of three.",
    ),
    "ragged inertia": (
        dh("[0.01, 0.02, 0.02, 0, 0, 0]", "[[1, 0, 0], [0, 1, 0], [0, 1]]"),
        "dh.link[1].inertia: found [[1, 0, 0], [0, 1, 0], [0, 1]], expected 3 rows of 3 numbers.",
    ),
    "skew inertia": (
        dh("[0.01, 0.02, 0.02, 0, 0, 0]", "[[1, 0.1, 0], [0.2, 1, 0], [0, 0, 1]]"),
        "dh.link[1].inertia: [1][2] = 0.1 but [2][1] = 0.2; an inertia matrix is symmetric.",
    ),
    "unknown reference point": (
        dh("[dh]", '[dh]\ninertia_at = "center"'),
        'dh.inertia_at: found "center", expected one of "com", "origin".',
    ),
    "unknown parameter": (
        dh('"l"', '"ll/2"'),
        'dh.link[1].a: unknown parameter "ll" in "ll/2". Did you mean \'l\'? Declare it under [parameters]',
    ),
    "a power": (
        dh('"l"', '"l**2"'),
        'dh.link[1].a: "l ** 2" is not allowed; use numbers, parameter names, pi',
    ),
    "a call": (dh('"l"', '"exit()"'), 'dh.link[1].a: "exit()" is not allowed;'),
    "division by zero": (dh('"l"', '"l/0"'), 'dh.link[1].a: "l/0" divides by zero.'),
    "empty expression": (dh('"l"', '""'), 'dh.link[1].a: "" is not an expression;'),
    "parameter used before it is declared": (
        dh("l = 0.5", 'l = "k"\nk = 0.5'),
        'parameters.l: unknown parameter "k" in "k".',
    ),
    "parameter named pi": (
        dh("l = 0.5", "l = 0.5\npi = 3"),
        "parameters.pi: not a parameter name; use letters",
    ),
    "parameter named with a dash": (
        dh("l = 0.5", "l = 0.5\nl-1 = 3"),
        "parameters.l-1: not a parameter name;",
    ),
    "reversed limits": (
        dh("mass = 2", "limits = { position = [1, -1] }"),
        "dh.link[1].limits.position: found 1.0 to -1.0; "
        "the lower limit comes first. Without limits leave it out.",
    ),
    "one limit": (
        dh("mass = 2", "limits = { position = 1 }"),
        "dh.link[1].limits.position: found 1, expected an array of 2 numbers.",
    ),
    "no gear": (
        dh("mass = 2", "motor = { gear = 0 }"),
        "dh.link[1].motor.gear: found 0, expected a gear ratio",
    ),
    "negative rotor": (
        dh("mass = 2", "motor = { inertia = -1e-4 }"),
        "dh.link[1].motor.inertia: found -0.0001, expected a number that is not negative.",
    ),
    "efficiency in percent": (
        dh("mass = 2", "motor = { efficiency = 90 }"),
        "dh.link[1].motor.efficiency: found 90.0, expected a number above 0 and up to 1.",
    ),
    "coulomb without sign": (
        dh("mass = 2", "friction = { coulomb = [0.1, 0.1] }"),
        "dh.link[1].friction.coulomb: found [0.1, 0.1], expected [+, −]: the torque "
        "moving forwards (not negative), then backwards (not positive).",
    ),
    "stribeck": (
        dh("mass = 2", "friction = { stribeck = 0.1 }"),
        "dh.link[1].friction.stribeck: Stribeck friction is not modelled; remove this key.",
    ),
    "a drive on a fixed joint": (
        dh('"prismatic"', '"fixed"\nlimits = { velocity = 1 }'),
        "dh.link[2].limits: a fixed joint does not move; remove this key.",
    ),
    "two links of one name": (dh("mass = 2", 'name = "link2"'), 'a second link named "link2"'),
    "gravity of two numbers": (
        DH + "[base]\ngravity = [0, -9.81]",
        "base.gravity: found [0, -9.81], expected an array of 3 numbers.",
    ),
    "unknown base": (
        DH + '[base]\ntype = "flying"',
        'base.type: found "flying", expected one of "fixed", "translating", "floating".',
    ),
    "unknown physical": (
        "physical = 'no'\n" + DH,
        'physical: found "no", expected one of "warn", "error", "known-violation".',
    ),
    "impossible inertia, refused": (
        'physical = "error"\n' + dh("[0.01, 0.02, 0.02, 0, 0, 0]", "[0.01, 0.02, 0.09, 0, 0, 0]"),
        "0.01 + 0.02 >= 0.09 fails by 0.06",
    ),
    "degrees in words": ('degrees = "yes"\n' + DH, 'degrees: found "yes", expected true or false.'),
    "title of a number": ("title = 3\n" + DH, "title: found 3, expected a string."),
    "frame on an unknown link": (
        DH + '[[frames]]\nname = "tool"\nlink = "link3"',
        "frames[1].link: no link \"link3\". Did you mean 'link2' or 'link1'?",
    ),
    "frame on a link number too high": (
        DH + '[[frames]]\nname = "tool"\nlink = 3',
        "frames[1].link: found 3, expected 0 (the base) to 2.",
    ),
    "frame without link": (
        DH + '[[frames]]\nname = "tool"',
        'frames[1]: the key "link" is missing; expected the name or the number of a link.',
    ),
    "frame named as a link": (
        DH + '[[frames]]\nname = "link1"\nlink = 1',
        'frames[1].name: a second frame named "link1"; every link is a frame, names must be unique.',
    ),
    "golden of the wrong length": (
        DH + "[[golden]]\nq = [1, 2, 3]\ntau = [1, 2]",
        "golden[1].q: found [1, 2, 3], expected an array of 2 numbers.",
    ),
    "golden without position": (
        DH + "[[golden]]\ntau = [1, 2]",
        'golden[1]: the key "q" is missing; expected a position.',
    ),
    "golden of nothing": (
        DH + "[[golden]]\nq = [1, 2]",
        "golden[1]: nothing to compare with; expected one of tau, M, C, G, h.",
    ),
    "golden matrix of the wrong shape": (
        DH + "[[golden]]\nq = [1, 2]\nM = [[1, 2], [3]]",
        "golden[1].M: found [[1, 2], [3]], expected 2 rows of 2 numbers.",
    ),
    "pose of the wrong length": (
        DH + "[poses]\nhome = [0]",
        "poses.home: found [0], expected an array of 2 numbers.",
    ),
    "coupling of an unknown joint": (
        DH + '[[couplings]]\njoint = "joint3"\nterms = { joint1 = 1 }',
        'couplings[1].joint: no joint "joint3". Did you mean',
    ),
    "coupling to an unknown joint": (
        DH + '[[couplings]]\njoint = "joint2"\nterms = { elbow = 1 }',
        'couplings[1].terms.elbow: no joint "elbow".',
    ),
    "coupling without terms": (
        DH + '[[couplings]]\njoint = "joint2"',
        'couplings[1]: the key "terms" is missing; expected a table of joints and factors.',
    ),
    "couplings in a circle": (
        DH
        + '[[couplings]]\njoint = "joint2"\nterms = { joint1 = 1 }\n[[couplings]]\njoint = "joint1"\n'
        + "terms = { joint2 = 1 }",
        'dh.link[2]: the joints "joint2" -> "joint1" -> "joint2" follow each other in a circle; break it',
    ),
    "a joint coupled to itself": (
        DH + '[[couplings]]\njoint = "joint2"\nterms = { joint2 = 1 }',
        'dh.link[2]: joint "joint2" follows itself; let it follow another, or none.',
    ),
    "coupling of a ball joint": (
        TREE + '[[couplings]]\njoint = "hand"\nterms = { arm = 1 }',
        'couplings[1].joint: joint "hand" is spherical; only joints with one position are coupled.',
    ),
    "loop to an unknown frame": (
        DH + '[[loops]]\nframe_a = "link1"\nframe_b = "link9"',
        'loops[1].frame_b: no frame "link9". Did you mean',
    ),
    "a loop of an unknown kind": (
        LOOP + 'kind = "pont"',
        'loops[1].kind: found "pont", expected one of "point", "line", "plane", "planar", "hinge", "cylinder", '
        '"slider", "full", "distance". Did you mean \'point\'?',
    ),
    "a distance without a length": (
        LOOP + 'kind = "distance"',
        'loops[1]: the key "length" is missing; expected the distance to keep, in metres.',
    ),
    "a distance of nothing": (
        LOOP + 'kind = "distance"\nlength = 0',
        "loops[1].length: found 0, expected a distance above zero, in metres.",
    ),
    "a length of what keeps none": (
        LOOP + "length = 0.3",
        'loops[1].length: a loop of kind "point" has no length; only "distance" has.',
    ),
    "conditions that a kind does not have": (
        LOOP + 'conditions = ["turn x"]',
        'loops[1].conditions: found ["turn x"], expected some of "place x", "place y", "place z".',
    ),
    "a loop of a frame with itself": (
        DH + '[[loops]]\nname = "knot"\nframe_a = "link1"\nframe_b = "link1"',
        'loop "knot": frames "link1" and "link1" are on one link: no joint could close a loop.',
    ),
    "a loop on one link": (
        DH + '[[frames]]\nname = "tip"\nlink = 1\n[[loops]]\nframe_a = "link1"\nframe_b = "tip"',
        'loop "loop1": frames "link1" and "tip" are on one link: no joint could close a loop.',
    ),
    "two loops of one name": (
        LOOP + 'name = "x"\n' + LOOP.removeprefix(DH) + 'name = "x"',
        'loops[2].name: a second loop named "x"; names must be unique.',
    ),
    "a loop that is locked open": (
        LOOP + '[[locked]]\njoint = "joint1"\nposition = 1',
        'locked: loop "loop1" of arm is open by 0.5, and no joint is left to close it. Lock joints where it '
        "is closed; robot.assemble(q) gives such positions.",
    ),
    "an actuated joint that does not exist": (
        DH.replace("[param", 'actuated = ["joint9"]\n[param'),
        'actuated: no joint "joint9". Did you mean',
    ),
    "actuated joints that are no list": (
        DH.replace("[param", 'actuated = "joint1"\n[param'),
        'actuated: found "joint1", expected a list of names of joints.',
    ),
    "a curve over a joint that does not exist": (
        DH + '[[curves]]\njoint = "joint1"\nother = "joint9"\ncoefficients = [1]',
        'curves[1].other: no joint "joint9". Did you mean',
    ),
    "a curve over itself": (
        DH + '[[curves]]\njoint = "joint1"\nother = "joint1"\ncoefficients = [1]',
        'curves[1].other: joint "joint1" cannot follow itself; name another.',
    ),
    "a curve without coefficients": (
        DH + '[[curves]]\njoint = "joint1"\nother = "joint2"',
        'curves[1]: the key "coefficients" is missing; expected a list of numbers, the constant first.',
    ),
    "a curve of a ball": (
        TREE + '[[curves]]\njoint = "arm"\nother = "hand"\ncoefficients = [1]',
        'curves[1].other: joint "hand" is spherical; only joints with one position are coupled.',
    ),
    "lock of an unknown joint": (
        DH + '[[locked]]\njoint = "link1"\nposition = 0',
        'locked[1].joint: no joint "link1".',
    ),
    "lock twice": (
        DH + '[[locked]]\njoint = "joint1"\n[[locked]]\njoint = "joint1"',
        'locked[2].joint: joint "joint1" is locked twice.',
    ),
    "lock of a following joint": (
        DH + '[[couplings]]\njoint = "joint2"\nterms = { joint1 = 1 }\n[[locked]]\njoint = "joint2"',
        'locked[1].joint: joint "joint2" follows "joint1"; lock those instead.',
    ),
    "lock at two numbers": (
        DH + '[[locked]]\njoint = "joint1"\nposition = [0, 1]',
        "locked[1].position: found [0, 1], expected an array of 1 numbers.",
    ),
    "lock of a ball at one number": (
        TREE + '[[locked]]\njoint = "hand"\nposition = 0.5',
        "locked[1].position: found 0.5, expected an array of 4 numbers.",
    ),
    "lock of a ball at no rotation": (
        TREE + '[[locked]]\njoint = "hand"\nposition = [0, 0, 0, 0]',
        "locked[1].position: the quaternion is (0, 0, 0, 0), which is no rotation; write 1, 0, 0, 0 for none.",
    ),
    "an integer of thousands of digits": (
        dh("mass = 2", "mass = " + "1" * 5000),
        "not valid TOML: an integer has too many digits.",
    ),
    "a hexadecimal integer of thousands of digits": (
        "name = 0x" + "f" * 5000 + "\n" + DH,
        "name: found a huge integer, expected a string.",
    ),
    "a number with an underscore": (dh('"l"', '"1_0*l"'), 'dh.link[1].a: "1_0*l" is not an expression;'),
    "a hexadecimal number": (dh('"l"', '"0x10*l"'), 'dh.link[1].a: "0x10*l" is not an expression;'),
    "a name in other letters": (dh('"l"', '"ｌ"'), 'dh.link[1].a: "ｌ" is not an expression;'),
    "an angle beyond all angles": (
        dh('a = "l"', "alpha = 1e300"),
        "dh.link[1].alpha: found 1e+300, which is too large for an angle.",
    ),
    "parent below": (
        tree('parent = "base"', 'parent = "hand"'),
        'joints.link[1].parent: no link "hand" above this one; a parent is defined before its children.',
    ),
    "no parent": (
        tree('parent = "arm"\n', ""),
        'joints.link[2]: the key "parent" is missing; expected a string.',
    ),
    "no name": (
        tree('name = "arm"\n', ""),
        'joints.link[1]: the key "name" is missing; expected a string.',
    ),
    "empty name": (
        tree('name = "hand"', 'name = ""'),
        'joints.link[2].name: found "", expected a string that is not empty.',
    ),
    "zero axis": (
        tree("[0, 0, 1]", "[0, 0, 0]"),
        'joints.link[1].axis: joint "arm" has axis (0, 0, 0); a revolute joint needs a unit axis.',
    ),
    "zero axis by expressions": (
        tree("[0, 0, 1]", '["0", "1 - 1", 0]'),
        'joints.link[1].axis: joint "arm" has axis (0, 0, 0); a revolute joint needs a unit axis.',
    ),
    "axis of hardly any length": (
        tree("[0, 0, 1]", "[0, 1e-200, 0]"),
        'joints.link[1].axis: joint "arm" has axis (0, 1e-200, 0); a revolute joint needs a unit axis.',
    ),
    "axis beyond all lengths": (
        tree("[0, 0, 1]", "[1.5e308, 1.5e308, 0]"),
        'joints.link[1].axis: joint "arm" has axis (1.5e+308, 1.5e+308, 0); a revolute joint needs a unit',
    ),
    "no axis": (
        tree("axis = [0, 0, 1]\n", ""),
        'joints.link[1]: the key "axis" is missing; a revolute joint needs one, such as [0, 0, 1].',
    ),
    "axis of a ball": (
        tree('"spherical"', '"spherical"\naxis = [0, 0, 1]'),
        "joints.link[2].axis: a spherical joint has no axis; remove this key.",
    ),
    "placement with an unknown key": (
        tree("axis = [0, 0, 1]", "axis = [0, 0, 1]\nbefore = { xzy = [0, 0, 1] }"),
        "joints.link[1].before.xzy: unknown key. Did you mean 'xyz'",
    ),
    "placement that is no table": (
        tree("axis = [0, 0, 1]", "axis = [0, 0, 1]\nbefore = 3"),
        "joints.link[1].before: found 3, expected a table.",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_file_is_explained(name):
    text, sentence = BROKEN[name]
    with pytest.raises(ModelFileError) as caught:
        read_toml("arm.toml", text=text)
    assert sentence in str(caught.value)
    assert str(caught.value.faults[0]).startswith("arm.toml")


@pytest.mark.parametrize("name", BROKEN)
def test_a_single_fault_is_reported_once(name):
    with pytest.raises(ModelFileError) as caught:
        read_toml("arm.toml", text=BROKEN[name][0])
    places = [str(fault) for fault in caught.value.faults]
    assert len(places) == len(set(places))


def test_the_unbroken_files_load():
    assert read_toml("arm.toml", text=DH).nv == 2
    assert read_toml("arm.toml", text=TREE).nv == 4


def test_all_faults_come_in_one_go():
    text = DH.replace("mass = 2", "mas = 2").replace('"l"', '"k"').replace('"prismatic"', '"slide"')
    text += '[[frames]]\nname = "tool"\nlink = 7\n[[golden]]\nq = [1]\ntau = [1, 2]\n'
    with pytest.raises(ModelFileError) as caught:
        read_toml("arm.toml", text=text)
    assert [fault.where for fault in caught.value.faults] == [
        "arm.toml: dh.link[1].a",
        "arm.toml: dh.link[1].mas",
        "arm.toml: dh.link[2].joint",
        "arm.toml: frames[1].link",
        "arm.toml: golden[1].q",
    ]
    assert str(caught.value).startswith("5 faults:\narm.toml: dh.link[1].a: unknown parameter")


def test_faults_of_locked_joints_come_in_one_go():
    text = TREE + '[[locked]]\njoint = "hand"\nposition = 1\n[[locked]]\njoint = "hnad"\npos = 2\n'
    with pytest.raises(ModelFileError) as caught:
        read_toml("arm.toml", text=text)
    places = [fault.where.removeprefix("arm.toml: ") for fault in caught.value.faults]
    assert places == ["locked[1].position", "locked[2].joint", "locked[2].pos"]


def test_strict_refuses_what_is_only_worth_a_warning():
    text = dh("[0.01, 0.02, 0.02, 0, 0, 0]", "[0.01, 0.02, 0.09, 0, 0, 0]")
    assert read_toml("arm.toml", text=text).notes
    with pytest.raises(ModelFileError, match="fails by"):
        read_toml("arm.toml", text=text, strict=True)


def test_a_file_that_is_not_utf8_is_refused(tmp_path):
    path = tmp_path / "arm.toml"
    path.write_bytes(DH.encode("utf-16"))
    with pytest.raises(
        ModelFileError, match=r"arm.toml:1: byte 0xff is not UTF-8; save the file as UTF-8\."
    ):
        read_toml(path)


def test_a_byte_order_mark_is_no_trouble(tmp_path):
    path = tmp_path / "arm.toml"
    path.write_bytes(b"\xef\xbb\xbf" + DH.encode())
    assert read_toml(path).nv == 2


def test_a_file_too_large_is_refused_unread(tmp_path):
    path = tmp_path / "arm.toml"
    path.write_text(DH)
    os.truncate(path, reading.LARGEST_TOML + 1)
    with pytest.raises(ModelFileError, match="more than 8388608 bytes, the most that are read of a file"):
        read_toml(path)


def test_a_missing_file_is_refused_in_words(tmp_path):
    with pytest.raises(ModelFileError, match="cannot be read: No such file or directory"):
        read_toml(tmp_path / "arm.toml")


def test_deep_nesting_is_refused_in_words():
    with pytest.raises(ModelFileError, match="not valid TOML"):
        read_toml("arm.toml", text="a = " + "[" * 100_000)
