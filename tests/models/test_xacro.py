"""xacro: what is expanded, what is refused and in which words, and how much of anything there may be."""

import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from strobe.errors import MissingExtraError, ModelFileError
from strobe.files.xml import parse_xml
from strobe.models import xacro, xacro_values
from strobe.models.urdf import read_urdf
from strobe.models.xacro import parameters_of

ROBOT = """\
<robot name="macro" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:property name="m" value="${2 * 3}"/>
  <xacro:include filename="part.xacro"/>
  <link name="base"/>
  <xacro:part name="tip" mass="${m}"/>
</robot>
"""
PART = """\
<robot xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:macro name="part" params="name mass">
    <link name="${name}"><inertial><mass value="${mass}"/>
      <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
    <joint name="${name}_joint" type="continuous"><parent link="base"/><child link="${name}"/></joint>
  </xacro:macro>
</robot>
"""


@pytest.fixture
def arm(tmp_path: Path) -> Path:
    (tmp_path / "part.xacro").write_text(PART)
    (tmp_path / "arm.urdf.xacro").write_text(ROBOT)
    return tmp_path / "arm.urdf.xacro"


def written(folder: Path, inside: str) -> Path:
    path = folder / "robot.xacro"
    path.write_text(f'<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">\n{inside}\n</robot>')
    return path


def elements(path: Path) -> list[tuple[str, dict[str, str]]]:
    root = xacro.expanded(path, parse_xml(path, path.read_bytes()))
    return [(element.tag, element.attributes) for element in root.walk()][1:]


def refusal(path: Path) -> str:
    with pytest.raises(ModelFileError) as caught:
        elements(path)
    return str(caught.value)


def test_a_xacro_file_is_expanded_without_any_extra(arm, monkeypatch):
    for name in ("xacro", "xacrodoc", "yaml"):
        monkeypatch.setitem(sys.modules, name, None)
    model = read_urdf(arm)
    assert model.joint_names == ("tip_joint",)
    assert model.bodies[0].inertial.m == 6


def test_a_urdf_file_is_never_run_as_xacro(tmp_path):
    (tmp_path / "arm.urdf").write_text(ROBOT)
    with pytest.raises(ModelFileError, match=r"arm\.urdf:2: <xacro:property> is xacro; rename the file to"):
        read_urdf(tmp_path / "arm.urdf")


def test_faults_of_the_robot_are_told_where_the_file_has_them(arm):
    (arm.parent / "part.xacro").write_text(PART.replace('ixx="1"', 'ixx="one"'))
    with pytest.raises(ModelFileError) as caught:
        read_urdf(arm)
    assert f"{arm}: {arm.parent / 'part.xacro'}:4: " in str(caught.value)
    arm.write_text(ROBOT.replace('<link name="base"/>', '<link name="base"/><link/>'))
    with pytest.raises(ModelFileError) as caught:
        read_urdf(arm)
    assert f"{arm}:4: a <link> has no name" in str(caught.value)


def test_packages_beside_a_xacro_file_are_found():
    folders = (Path(entry) / "rtbdata/xacro" for entry in sys.path)
    found = next((folder for folder in folders if folder.is_dir()), None)
    if found is None:
        pytest.skip("rtb-data is not installed")
    assert read_urdf(found / "kuka_description/kuka_lbr_iiwa/urdf/lbr_iiwa_14_r820.xacro").nv == 7
    assert read_urdf(found / "unimation_puma560_description/urdf/puma560_robot.urdf.xacro").nv == 6


@pytest.mark.parametrize("variable", ["ROS_PACKAGE_PATH", "AMENT_PREFIX_PATH"])
def test_packages_of_ros_are_found(variable, arm, tmp_path_factory, monkeypatch):
    place = tmp_path_factory.mktemp("ros")
    package = place / ("share/parts" if variable.startswith("AMENT") else "deep/down/parts")
    package.mkdir(parents=True)
    (package / "package.xml").write_text("<package><name>parts</name></package>")
    (arm.parent / "part.xacro").rename(package / "part.xacro")
    arm.write_text(ROBOT.replace("part.xacro", "$(find parts)/part.xacro"))
    assert 'needs the package "parts"' in refusal(arm)
    monkeypatch.setenv(variable, str(place))
    assert read_urdf(arm).nv == 1


def test_a_package_above_is_found_by_the_name_it_gives_itself(arm):
    (arm.parent / "package.xml").write_text("<package>\n <name> parts </name></package>")
    arm.write_text(ROBOT.replace("part.xacro", "$(find parts)/part.xacro"))
    assert read_urdf(arm).nv == 1


def test_the_folder_of_the_file_being_read_is_known(tmp_path):
    (tmp_path / "below").mkdir()
    (tmp_path / "below/part.xacro").write_text('<robot><x v="$(dirname)"/></robot>')
    path = written(tmp_path, '<xacro:include filename="below/part.xacro"/><y v="$(dirname)"/>')
    assert elements(path) == [("x", {"v": str(tmp_path / "below")}), ("y", {"v": str(tmp_path)})]


def test_macros_that_call_themselves_a_hundred_times_are_loops(tmp_path):
    inside = """<xacro:macro name="m" params="n"><xacro:if value="${n}">
      <x n="${n}"/><xacro:m n="${n - 1}"/></xacro:if>
      </xacro:macro><xacro:m n="100"/>"""
    assert len(elements(written(tmp_path, inside))) == 100


@pytest.mark.parametrize(
    ("text", "parameters", "defaults"),
    [
        ("a b", ("a", "b"), {}),
        ("a:=1 b=2", ("a", "b"), {"a": (False, "1"), "b": (False, "2")}),
        ("a:='x y' *b **c", ("a", "*b", "**c"), {"a": (False, "'x y'")}),
        ("a:=^ b:=^|${1 + 2} c", ("a", "b", "c"), {"a": (True, None), "b": (True, "${1 + 2}")}),
        ("  a  :=  7\n b:=$(arg x)/y", ("a", "b"), {"a": (False, "7"), "b": (False, "$(arg x)/y")}),
        ("", (), {}),
    ],
)
def test_parameters_have_defaults(text, parameters, defaults):
    assert parameters_of(text) == (parameters, defaults)


# -- sentences --------------------------------------------------------------------------------------------

SENTENCES = {
    '<x v="${2 * missing}"/>': '"2 * missing": there is no property "missing"; define it before it is used.',
    '<x v="${1 / 0}"/>': '"1 / 0": it divides by zero.',
    '<x v="${(1 + }"/>': '"(1 + " has the end where a number, a text, a name or a bracket was expected.',
    '<x v="${1 2}"/>': '"1 2" has "2" where an operator or the end was expected.',
    '<x v="${1 ? 2}"/>': '"1 ? 2" cannot be read at "? 2"; expected numbers, texts, names and operators.',
    '<x v="${1 + 2"/>': '"${1 + 2" begins an expression that does not end; write $${ for a plain ${.',
    '<x v="${sin}"/>': '"sin": sin is a function, not a value; call it: sin(…).',
    '<x v="${math}"/>': '"math": the namespace "math" is no value; expected a number, a text or a list.',
    '<x v="${math.sinus(1)}"/>': '"math.sinus(1)": there is no "sinus" in the namespace "math".',
    '<x v="${(1)(2)}"/>': '"(1)(2)": an integer cannot be called.',
    '<x v="${[1][3]}"/>': '"[1][3]": a list has 1 items and no number 3.',
    '<x v="${(lambda: 1)()}"/>': '"lambda" in "(lambda: 1)()": functions of one\'s own are not read; write a macro.',
    '<x v="${[a for b in [1] for a in [b]]}"/>': 'has a second "for"; one is read.',
    "<x v=\"${'a\\x00'}\"/>": "has the character '\\x00', which no XML can hold.",
    "<x v=\"${'\\ud800'}\"/>": "has the character '\\ud800', which no XML can hold.",
    '<x v="$(arg a)"/>': 'there is no argument "a"; declare it: <xacro:arg name="a" default="…"/>.',
    '<x v="$(ls)"/>': '"$(ls)" is no command; expected one of arg, find, env, optenv, dirname, cwd and eval.',
    '<x v="$(find)"/>': '"$(find)" has 0 arguments; expected 1.',
    '<x v="$(env STROBE_NOT_SET)"/>': "the environment variable STROBE_NOT_SET is not set; set it",
    '<x v="$(find lost)"/>': 'needs the package "lost"; put its folder beside the one of this file, or into',
    '<xacro:if value="yes"/>': 'the condition "yes" is "yes"; expected true, false, 1 or 0.',
    "<xacro:if/>": '<xacro:if> has no attribute "value", which it needs.',
    '<xacro:property nam="a" value="1"/>': "which it needs. Did you mean 'nam'?",
    '<xacro:property name="a b" value="1"/>': 'the property "a b" has no name of letters, digits and underscores.',
    '<xacro:property name="__a" value="1"/>': 'the property "__a" has no name of letters',
    '<xacro:property name="a" value="1" default="2"/>': "has more than one of value, default and remove.",
    '<xacro:property name="a" value="1" scope="parent"/>': '"a" has no parent scope: it stands in no macro.',
    '<xacro:property name="a" value="1" scope="up"/>': 'the scope "up" is not one of parent and global.',
    '<xacro:property name="a" value="${b}"/><xacro:property name="b" value="${a}"/><x v="${a}"/>': (
        "properties that need each other: a -> b -> a."
    ),
    '<xacro:macro name="arm"/><xacro:amr/>': 'there is no macro "amr"; define it, or include its file, before it is',
    "<xacro:p.arm/>": 'there is no namespace "p" of the macro "p.arm".',
    '<xacro:macro name="arm" params="side"/><xacro:arm sid="1"/>': "has no parameter \"sid\". Did you mean 'side'?",
    '<xacro:macro name="arm" params="side"/><xacro:arm/>': 'the macro "arm" needs "side", which is not given.',
    '<xacro:macro name="arm" params="*a"/><xacro:arm/>': 'the macro "arm" is given 0 blocks; expected 1 (*a).',
    '<xacro:macro name="a.b"/>': 'a macro cannot be called "a.b"',
    '<xacro:macro name="m" params="a:=\'b"/>': 'the parameters "a:=\'b" cannot be read at "\'b".',
    f'<xacro:include filename="{"a" * 5000}"/>': "cannot be read: File name too long.",
    f'<xacro:include filename="{"*a" * 5000}"/>': "a pattern of 10,000 characters; at most 255 are read.",
    "<x v=\"$(env ${'\\ud800'})\"/>": "cannot be answered: 'utf-8' codec can't encode",
    "<x v=\"${xacro.load_yaml('\\x00')}\"/>": "a file name with a NUL byte.",
    '<xacro:insert_block name="b"/>': 'there is no block "b"; expected a parameter *b, or a property of it.',
    '<x><xacro:if value="1"><xacro:attribute name="a" value="1"/></xacro:if></x>': (
        '<xacro:attribute> "a" stands in a condition or macro, where xacro loses it; put it directly into'
    ),
    '<xacro:include filename="lost.xacro"/>': "lost.xacro, and there is no such file.",
    "<x v=\"${xacro.fatal('wrong', 'arm')}\"/>": "\"xacro.fatal('wrong', 'arm')\": the file says: wrong arm",
    '<xacro:property name="f" value="\'{0.real}\'"/><x v="${f.format(1)}"/>': (
        '"{0.real}" is not read; expected {}, {0} or {name}.'
    ),
    "<x v=\"${'%(a)s' % 1}\"/>": 'the format "%(a)s" is not read; expected %d, %s, %.3f and their like',
}


@pytest.mark.parametrize("inside", SENTENCES)
def test_a_fault_is_told_with_its_line_and_what_to_do(inside, tmp_path):
    path = written(tmp_path, f"<y/>\n{inside}")
    sentence = refusal(path)
    assert sentence.startswith(f"{path}:3: ")
    assert SENTENCES[inside] in sentence


def test_a_fault_in_a_macro_is_told_where_the_macro_stands(arm):
    (arm.parent / "part.xacro").write_text(PART.replace("${mass}", "${mas}"))
    assert f'{arm.parent / "part.xacro"}:3: "mas": there is no property "mas"' in refusal(arm)


def test_a_file_of_macros_only_is_no_robot(arm):
    with pytest.raises(ModelFileError, match="expands to no links; it may only define macros"):
        read_urdf(arm.parent / "part.xacro")


# -- YAML ---------------------------------------------------------------------------------------------------

LAUGHS = "a0: &a0 [1, 1]\n" + "".join(f"a{k + 1}: &a{k + 1} [*a{k}, *a{k}]\n" for k in range(40))
YAML = {
    "a: !!python/object/apply:os.system [true]": 'sizes.yaml:1: the tag "tag:yaml.org,2002:python/object/apply',
    "a: !!python/name:os.system ''": "is not read.",
    "a: {<<: {b: 1}}": "merging (<<) is not read; write the values out.",
    "a: [1, 2": "sizes.yaml is no YAML: while parsing a flow sequence",
    "a: &a [*a]": "sizes.yaml:1: nested more than 20 deep.",
    "[1, 2]: 3": "a key that is no number or text.",
    "a: !degrees ninety": 'there is no property "ninety"',
    "a: " + "[" * 5000: "sizes.yaml has brackets nested more than 50 deep.",
    "- " * 5000: "sizes.yaml is no YAML: maximum recursion depth exceeded",
    LAUGHS: "takes more than 500,000 steps",
    "a: " + "1" * 5000: "is not read.",
    "a: \x01": "is no YAML",
}


@pytest.mark.parametrize("text", YAML, ids=lambda text: text[:20])
def test_yaml_is_read_as_data_or_refused(text, tmp_path):
    pytest.importorskip("yaml", reason="pyyaml is not installed")
    (tmp_path / "sizes.yaml").write_text(text)
    assert YAML[text] in refusal(written(tmp_path, "<x v=\"${xacro.load_yaml('sizes.yaml')}\"/>"))


def test_a_yaml_file_that_is_too_large_is_refused(tmp_path):
    (tmp_path / "sizes.yaml").write_text("a: 1\n" * 30_000)
    sentence = refusal(written(tmp_path, "<x v=\"${xacro.load_yaml('sizes.yaml')}\"/>"))
    assert "sizes.yaml has more than 131,072 bytes, the most that are read of YAML." in sentence


def test_the_extra_that_yaml_needs_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "yaml", None)
    (tmp_path / "sizes.yaml").write_text("a: 1")
    with pytest.raises(
        MissingExtraError, match=r'needs the package pyyaml, .* pip install "strobe-dynamics\[xacro\]"'
    ):
        elements(written(tmp_path, "<x v=\"${xacro.load_yaml('sizes.yaml')}\"/>"))


# -- bounds ---------------------------------------------------------------------------------------------------


def doubled(levels: int, first: str, how: str) -> str:
    """Properties that each hold the one before twice."""
    made = "".join(
        f'<xacro:property name="a{k + 1}" value="{how.format(f"a{k}")}"/>' for k in range(levels)
    )
    return f'<xacro:property name="a0" value="{first}"/>{made}<x v="${{a{levels}}}"/>'


def formatted(text: str, arguments: str) -> str:
    """A text with braces, which cannot stand in an expression itself."""
    return f'<xacro:property name="f" value="\'{text}\'"/><x v="${{f.format({arguments})}}"/>'


TOO_MUCH = {
    "macros that double": (
        '<xacro:macro name="m0"><link name="l"/></xacro:macro>'
        + "".join(f'<xacro:macro name="m{k + 1}"><xacro:m{k}/><xacro:m{k}/></xacro:macro>' for k in range(40))
        + "<xacro:m40/>",
        "takes more than 500,000 steps to expand; look for a macro that calls itself.",
    ),
    "a macro without end": ('<xacro:macro name="m"><xacro:m/></xacro:macro><xacro:m/>', "nested more than 350 deep"),
    "an include without end": ('<xacro:include filename="robot.xacro"/>', "nested more than 350 deep"),
    "a text repeated": ("<x v=\"${'a' * 10 ** 9}\"/>", "a text repeated 1000000000 times is too long."),
    "a list repeated": ('<x v="${[0] * 10 ** 9}"/>', "a list repeated 1000000000 times is too long."),
    "a power": ('<x v="${10 ** 10 ** 10}"/>', "a power that is too large for a number."),
    "a power of powers": ('<x v="${9 ** 300 ** 2}"/>', "a power that is too large for a number."),
    "a product": (doubled(20, "${9 ** 99}", "${{{0} * {0}}}"), "an integer of more than 1024 bits"),
    "a shift": ('<x v="${1 &lt;&lt; 10 ** 10}"/>', "a shift that is too large for a number."),
    "a factorial": ('<x v="${factorial(10 ** 6)}"/>', "a factorial of more than 200"),
    "a range": ('<x v="${range(10 ** 9)}"/>', "a range of 1,000,000,000 numbers; at most 10,000 are made."),
    "rounding": ('<x v="${round(5, -10 ** 9)}"/>', "rounding to -1000000000 digits"),
    "a format": ("<x v=\"${'%999999999d' % 1}\"/>", 'the format "%999999999d" is not read'),
    "a format by format": (formatted("{:999999999}", "1"), 'the format "999999999" is not read'),
    "a format of formats": (formatted("{:{}}", "1, 999999999"), 'the format "{}" is not read'),
    "a replacement": (
        "<x v=\"${('a' * 60000).replace('a', 'b' * 60000)}\"/>", "a text of more than 65,536 characters."
    ),
    "joining": ("<x v=\"${('a' * 60000).join(['b'] * 9000)}\"/>", "a text of more than 65,536 characters."),
    "a long text": (doubled(30, "aaaaaaaa", "${{{0} + {0}}}"), "a text of more than 65,536 characters."),
    "a long text by parts": (doubled(30, "aaaaaaaa", "${{{0}}}${{{0}}}"), "a text of more than 65,536 characters."),
    "a list in lists": (doubled(40, "${[1]}", "${{[{0}]}}"), "lists nested more than 20 deep."),
    "lists of lists": (doubled(40, "${[1]}", "${{[{0}, {0}]}}"), "a list of more than 10,000 items."),
    "a format with much in it": (
        formatted("{0}" * 2000, "'a' * 60000"), "a text of more than 65,536 characters."
    ),
    "lists": (doubled(40, "${[1]}", "${{{0} + {0}}}"), "a list of more than 10,000 items."),
    "brackets": ('<x v="${' + "(" * 3000 + '1}"/>', "is nested more than 40 deep."),
    "signs": ('<x v="${' + "-" * 5000 + '1}"/>', "has more than 40 signs in a row."),
    "negations": ('<x v="${' + "not " * 2000 + '1}"/>', "has more than 40 signs in a row."),
    "powers in a row": ('<x v="${' + "1 ** " * 1500 + '1}"/>', "has more than 40 signs in a row."),
    "members in a row": ('<x v="${a' + "[0]" * 3000 + '}"/>', "has more than 40 members in a row."),
    "choices in a row": ('<x v="${' + "1 if 0 else " * 500 + '1}"/>', "is nested more than 40 deep."),
    "a long expression": ('<x v="${' + "1 + " * 3000 + '1}"/>', "an expression of 12,001 characters; at most 10,000"),
    "digits": ('<x v="${' + "9" * 5000 + '}"/>', "has 5000 digits; at most 300 are read."),
    "repetitions in repetitions": (
        '<x v="${[[[0 for a in range(5000)] for b in range(5000)] for c in range(5000)]}"/>', "more than"
    ),
    "properties in a row": (
        '<xacro:property name="a0" value="1"/>'
        + "".join(f'<xacro:property name="a{k + 1}" value="${{a{k}}}"/>' for k in range(900))
        + '<x v="${a900}"/>',
        "nested more than 350 deep",
    ),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("kind", TOO_MUCH)
def test_a_short_text_does_not_ask_for_much(kind, tmp_path):
    inside, sentence = TOO_MUCH[kind]
    assert sentence in refusal(written(tmp_path, inside))


LONG = "1" * 300_000
LONG_TEXTS = {
    "nearly a number": f'<xacro:property name="a" value="{LONG}x"/><x v="1"/>',
    "spaces": f'<xacro:property name="a" value="{" " * 300_000}x"/><x v="1"/>',
    "a macro": f'<xacro:macro name="a{LONG}"/><xacro:b{LONG}/>',
    "parameters": f'<xacro:macro name="a" params="{"a " * 150_000}"/><xacro:a/>',
    "a parameter": f'<xacro:macro name="a" params="a{LONG[:9000]}"/><xacro:a b{LONG}="1"/>',
    "many macros": "".join(f'<xacro:macro name="macro_{k}"/>' for k in range(20_000)) + "<xacro:macro_x/>",
    "dollars": f'<x v="{"$$(" * 100_000}"/>',
    "an expression that does not end": f'<x v="{"${(" * 100_000}"/>',
    "quotation marks": f'<x v="${{{chr(39) * 9_999}}}"/>',
}


@pytest.mark.parametrize("kind", LONG_TEXTS)
def test_a_long_text_is_read_or_refused_in_no_time(kind, tmp_path):
    """Patterns and comparisons that take the square of a length would take minutes."""
    path = written(tmp_path, LONG_TEXTS[kind])
    start = time.process_time()
    with suppress(ModelFileError):
        elements(path)
    assert time.process_time() - start < 10


def test_long_sums_are_no_deep_ones(tmp_path):
    path = written(tmp_path, f'<x v="${{{"1 + " * 2000}1}}" w="${{{" or ".join("0" * 2000)}}}"/>')
    assert elements(path) == [("x", {"v": "2001", "w": "0"})]


def test_the_size_of_what_comes_out_is_bounded(tmp_path, monkeypatch):
    monkeypatch.setattr(xacro, "LARGEST", 10_000)
    inside = f'<xacro:macro name="m"><x v="{"a" * 1000}"/></xacro:macro>' + "<xacro:m/>" * 20
    assert "expands to more than 10000 characters." in refusal(written(tmp_path, inside))


def test_all_steps_are_counted(tmp_path, monkeypatch):
    """Twice the work takes twice the steps, whatever it is that is repeated."""

    def steps(inside: str) -> int:
        path = written(tmp_path, inside)
        work = xacro._Expansion(path)
        work.document(parse_xml(path, path.read_bytes()))
        return work.meter.most - work.meter.left

    for one in (
        '<x v="1" w="2"/>',
        '<x v="${1 + 2}"/>',
        '<x v="${[a for a in range(100)]}"/>',
        "<x v=\"${'a' * 999}\"/>",
    ):
        assert steps(one * 40) == pytest.approx(2 * steps(one * 20), rel=0.1)
    assert xacro_values.Meter().most == 500_000
