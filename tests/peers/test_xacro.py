"""xacro files against xacro itself: installed robots, every element, and expressions give the same document."""

import sys
from pathlib import Path

import pytest

from strobe.errors import ModelFileError
from strobe.files.xml import parse_xml
from strobe.models.xacro import expanded
from strobe.models.xacro_files import Surroundings

xacro = pytest.importorskip("xacro", reason="xacro (package xacrodoc) is not installed")
packages = pytest.importorskip("xacrodoc.packages", reason="xacrodoc is not installed")

INSTALLED = [
    path
    for entry in sys.path
    if entry.endswith("site-packages")
    for path in sorted(Path(entry).rglob("*.xacro"))
]


def theirs(path: Path):
    """What xacro makes of a file, as tags, attributes and what they contain; nothing if it refuses."""
    xacro.init_stacks(str(path))
    try:
        document = xacro.parse(None, str(path))
        xacro.process_doc(document)
    except Exception:  # whatever it raises
        return None
    return _of_dom(document.documentElement)


def _of_dom(node):
    inside = tuple(_of_dom(child) for child in node.childNodes if child.nodeType == child.ELEMENT_NODE)
    return node.tagName, dict(node.attributes.items()), inside


def ours(path: Path):
    try:
        return _of_element(expanded(path, parse_xml(path, path.read_bytes())))
    except ModelFileError:
        return None


def _of_element(element):
    return element.tag, element.attributes, tuple(_of_element(child) for child in element.children)


@pytest.fixture(autouse=True)
def found_by_our_names(monkeypatch):
    monkeypatch.setattr("xacro.substitution_args._eval_find", packages.get_path)


@pytest.mark.slow
def test_installed_robots_are_expanded_as_xacro_expands_them(capfd):
    if not INSTALLED:
        pytest.skip("rtb-data is not installed")
    differ = []
    for path in INSTALLED:
        packages.reset()
        packages.update_package_cache(Surroundings(path)._around())
        differ += [path.name] if theirs(path) != ours(path) else []
    assert differ == []
    assert sum(ours(path) is not None for path in INSTALLED) > 0.9 * len(INSTALLED)


FEATURES = {
    "a property": '<xacro:property name="a" value="2"/><x v="${a} ${a * 2}"/>',
    "a property by another": """<xacro:property name="a" value="${b}"/><xacro:property name="b" value="3"/>
        <x v="${a}"/>""",
    "a property redefined": """<xacro:property name="a" value="1"/><xacro:property name="b" value="${a}"/>
        <xacro:property name="a" value="2"/><x v="${b} ${a}"/>""",
    "greedily": """<xacro:property name="a" value="1"/><xacro:property name="b" value="${a}" lazy_eval="false"/>
        <xacro:property name="a" value="2"/><x v="${b} ${a}"/>""",
    "kinds of literals": "".join(
        f'<xacro:property name="a" value="{value}"/><x v="${{str(a)}}" w="${{a}}"/>'
        for value in ("1", "1.0", "1e3", "'1'", "true", "False", "1_0", " 7 ", "inf", "-.5", "x y", "'", "")
    ),
    "a default": '<xacro:property name="a" default="1"/><xacro:property name="a" default="2"/><x v="${a}"/>',
    "a property removed": """<xacro:property name="a" value="1"/><xacro:property name="a" remove="true"/>
        <xacro:property name="a" default="2"/><x v="${a}"/>""",
    "a name by an expression": '<xacro:property name="a_${1 + 1}" value="5"/><x v="${a_2}"/>',
    "a block": '<xacro:property name="b"><x v="${1 + 1}"/><y/></xacro:property><xacro:insert_block name="b"/>',
    "a macro": '<xacro:macro name="m" params="a b"><x v="${a}-${b}"/></xacro:macro><xacro:m a="1" b="${2 * 3}"/>',
    "defaults": """<xacro:macro name="m" params="a:=1 b='x y' c:=${2 + 3} d:='' e=$(arg f)">
        <x v="${a}|${b}|${c}|${d}|${e}"/></xacro:macro>
        <xacro:arg name="f" default="g"/><xacro:m/><xacro:m a="7" b="8"/>""",
    "defaults of the caller": """<xacro:macro name="m" params="a:=^ b:=^|4"><x v="${a} ${b}"/></xacro:macro>
        <xacro:property name="a" value="3"/><xacro:m/><xacro:property name="b" value="5"/><xacro:m/>""",
    "a default of the caller that is not there": """<xacro:macro name="m" params="a:=^"><x v="${a}"/></xacro:macro>
        <xacro:m/>""",
    "blocks": """<xacro:macro name="m" params="*one **many n"><a n="${n}"><xacro:insert_block name="one"/></a>
        <b><xacro:insert_block name="many"/><xacro:insert_block name="many"/></b></xacro:macro>
        <xacro:property name="z" value="9"/>
        <xacro:m n="1"><o v="${z}"/><all><p/><q v="${z + 1}"/></all></xacro:m>""",
    "too few blocks": '<xacro:macro name="m" params="*a *b"/><xacro:m><x/></xacro:m>',
    "too many blocks": '<xacro:macro name="m" params="*a"/><xacro:m><x/><y/></xacro:m>',
    "a parameter too many": '<xacro:macro name="m" params="a"/><xacro:m a="1" b="2"/>',
    "a parameter missing": '<xacro:macro name="m" params="a"/><xacro:m/>',
    "an unknown macro": "<xacro:m/>",
    "a macro in a macro": """<xacro:macro name="m" params="n"><x v="${n}"/>
        <xacro:if value="${n > 0}"><xacro:m n="${n - 1}"/></xacro:if></xacro:macro><xacro:m n="3"/>""",
    "a macro of a macro": """<xacro:macro name="m"><xacro:macro name="n"><x/></xacro:macro><xacro:n/></xacro:macro>
        <xacro:m/>""",
    "a macro of a macro from outside": """<xacro:macro name="m"><xacro:macro name="n"><x/></xacro:macro></xacro:macro>
        <xacro:m/><xacro:n/>""",
    "a macro redefined": """<xacro:macro name="m"><x/></xacro:macro><xacro:macro name="m"><y/></xacro:macro>
        <xacro:m/>""",
    "names of the caller": """<xacro:macro name="m" params="a"><x v="${a} ${b}"/></xacro:macro>
        <xacro:property name="b" value="2"/><xacro:m a="${b + 1}"/>""",
    "scopes": """<xacro:macro name="m"><xacro:property name="a" value="1"/>
        <xacro:property name="b" value="${a + 1}" scope="parent"/></xacro:macro>
        <xacro:macro name="n"><xacro:m/><xacro:property name="c" value="${b + 1}" scope="global"/></xacro:macro>
        <xacro:n/><x v="${c}"/>""",
    "a local name": '<xacro:macro name="m"><xacro:property name="a" value="1"/></xacro:macro><xacro:m/><x v="${a}"/>',
    "a call by name": """<xacro:macro name="m1" params="a"><x v="${a}"/></xacro:macro>
        <xacro:property name="k" value="1"/><xacro:call macro="m${k}" a="5"/>""",
    "conditions": "".join(
        f'<xacro:if value="{value}"><x v="{value}"/></xacro:if>'
        f'<xacro:unless value="{value}"><y v="{value}"/></xacro:unless>'
        for value in (
            "true",
            "false",
            "True",
            "1",
            "0",
            "${1 == 1}",
            "${0.0}",
            "${'true'}",
            "${[1]}",
            " 1 ",
            "${None}",
        )
    ),
    "no condition": '<xacro:if value="yes"/>',
    "no condition either": '<xacro:if value="1.0"/>',
    "an element by name": """<xacro:property name="t" value="link"/>
        <xacro:element xacro:name="${t}" name="a"><xacro:attribute name="k${1}" value="v ${2}"/></xacro:element>""",
    "arguments": """<xacro:arg name="a" default="${1 + 2}"/><xacro:arg name="a" default="9"/>
        <x v="$(arg a) ${$(arg a) * 2}"/>
        <x v="$(eval a + 1)" w="$(eval 1 if false else 'n')"/>""",
    "arguments in expressions": """<xacro:arg name="s" default="left"/>
        <x v="${1 if '$(arg s)' == 'left' else -1}" w="${xacro.arg('s')}"/>""",
    "an argument that is not there": '<x v="$(arg a)"/>',
    "commands": '<x v="$(optenv STROBE_NOT_SET one two)" w="$(optenv STROBE_NOT_SET)" p="$(env HOME)" c="$(cwd)"/>',
    "no command": '<x v="$(rm -r)"/>',
    "an environment variable that is not set": '<x v="$(env STROBE_NOT_SET)"/>',
    "dollars": '<x v="$${a} $$${a} $$(b) $ 5$"/>',
    "a dollar too many": '<x v="$$ {a}"/>',
    "an expression without end": '<x v="${1 + 2"/>',
    "a circle": '<xacro:property name="a" value="${b}"/><xacro:property name="b" value="${a}"/><x v="${a}"/>',
    "an include": '<xacro:include filename="part.xacro"/><x v="${of_part}"/><xacro:from_part n="1"/>',
    "an include by an expression": """<xacro:property name="p" value="part"/>
        <xacro:include filename="${p}.xacro"/><x v="${of_part}"/>""",
    "a namespace": '<xacro:include filename="part.xacro" ns="p"/><x v="${p.of_part}"/><xacro:p.from_part n="1"/>',
    "a namespace keeps to itself": '<xacro:include filename="part.xacro" ns="p"/><x v="${of_part}"/>',
    "an optional include": '<xacro:include filename="lost.xacro" optional="true"/><x/>',
    "a lost include": '<xacro:include filename="lost.xacro"/><x/>',
    "includes by a pattern": '<xacro:include filename="*art.xacro"/><x v="${of_part}"/>',
    "a folder below": '<xacro:include filename="below/inner.xacro"/>',
    "yaml": """<xacro:property name="y" value="${xacro.load_yaml('sizes.yaml')}"/>
        <x v="${y.arm.length} ${y['arm']['name']} ${y['list'][1]} ${y.list[2].deep}"/>
        <x v="${len(y['list'])} ${y.angle} ${y.mm}"/>
        <y v="${y.yes} ${y.none} ${y.e} ${y.text}"/>""",
    "a key that yaml does not have": "<x v=\"${xacro.load_yaml('sizes.yaml').missing}\"/>",
    "dictionaries": """<xacro:property name="d" value="${dict(a=1, b=[2, 3])}"/><x v="${d['a']} ${d['b'][-1]} ${d}"/>
        <x v="${xacro.dotify(d).a}"/>""",
    "no members of a dictionary": '<xacro:property name="d" value="${dict(a=1)}"/><x v="${d.a}"/>',
    "a prefix of one's own": '<xacro:macro name="m" xmlns:k="http://k"><k:x/></xacro:macro><xacro:m/>',
    "attributes of xacro": '<x xacro:doc="gone" v="1"/>',
    "a file that gives up": "<x v=\"${xacro.fatal('no such robot')}\"/>",
    "remarks": "<x v=\"${xacro.warning('careful')}${xacro.message('hello')}\"/>",
    "a property with the name of a function": '<xacro:property name="e" value="1"/><x v="${e}"/>',
    "a bad name": '<xacro:property name="a b" value="1"/>',
    "a keyword for a name": '<xacro:property name="if" value="1"/>',
    "two kinds of a format": """<xacro:property name="f" value="'{} {0}'"/><x v="${f.format(1, 'a')}"/>""",
    "formats": """<xacro:property name="g" value="'{0:.2f} {1!r} {name:>5} {{'"/>
        <x v="${g.format(1, 'a', name='b')}"/>
        <xacro:property name="h" value="'{:+06.2f}|{:&lt;4}|{:x}|{}'"/><x v="${h.format(1.5, 'a', 255, [1])}"/>""",
    "nothing": "",
}
PART = """<robot xmlns:xacro="http://www.ros.org/wiki/xacro" xmlns:k="http://k">
  <xacro:property name="of_part" value="${4 * 2}"/><part/>
  <xacro:macro name="from_part" params="n"><made n="${n} ${of_part}"/></xacro:macro></robot>"""
INNER = (
    '<robot xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:include filename="innermost.xacro"/></robot>'
)
SIZES = """\
arm: {length: 0.5, name: "upper"}
list: [1, 2.5, {deep: yes}]
angle: !degrees 90
mm: !millimeters 2 * 3
'yes': on
none: ~
e: 1e3
text: |
  two lines
  of it
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("xacro")
    (path / "below").mkdir()
    (path / "part.xacro").write_text(PART)
    (path / "below/inner.xacro").write_text(INNER)
    (path / "below/innermost.xacro").write_text("<robot><innermost/></robot>")
    (path / "sizes.yaml").write_text(SIZES)
    return path


@pytest.mark.parametrize("feature", FEATURES)
def test_every_element_does_what_it_does_in_xacro(feature, folder, capfd):
    path = folder / "robot.xacro"
    path.write_text(
        f'<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">{FEATURES[feature]}</robot>'
    )
    assert ours(path) == theirs(path)


EXPRESSIONS = """\
1 + 2 * 3 - 4 / 5
(1 + 2) * 3
-2 ** 2
2 ** -1
2 ** 3 ** 2
--3
+-~5
7 // 2
-7 // 2
-7 % 3
7.5 % -2
1 / 3
1e3
1.
.5
0x1F + 0b11 + 0o17
1_000
1 < 2 < 3
1 < 3 < 2
1 == 1.0
'a' != 'b'
not 1
not not 0
1 and 2
0 or 3
0 and 1 or 2
1 if 0 else 2
1 if 1 else 2 if 0 else 3
'a' + 'b'
'a' 'b'
"it's"
'tab\\tand \\x41 \\\\ \\q'
r'\\n'
'ab' * 3
[1, 2] + [3]
[1, 2] * 2
(1, 2)
(1,)
()
1, 2
[]
[1, 'a', None, True, 1.5]
[1, 2, 3][0]
[1, 2, 3][-1]
[1, 2, 3][1:]
'abcdef'[::2]
'abcdef'[-3:-1]
'abc'[::-1]
'b' in 'abc'
3 not in [1, 2]
None is None
1 is not None
6 & 3 | 8 ^ 1
1 << 4 >> 2
pi
radians(90)
degrees(pi)
sin(pi / 6) + cos(0) + tan(0.1)
atan2(1, -1)
sqrt(2) * hypot(3, 4)
math.pi + math.sin(1)
floor(2.5) + ceil(2.5) + int(2.9)
log(10) + log10(1000) + exp(1)
fabs(-3)
python.abs(-3) + python.sum([1, 2, 3])
min(1, 2) + max([3, 4])
round(2.567, 2)
round(2.5)
round(1234, -2)
len('abc') + len([1, 2])
str(1.0) + str(True) + str([1, 'a'])
float('1.5') + int('7')
bool(0)
list((1, 2))
list('ab')
list(map(str, [1, 2]))
' '.join(map(str, [1, 2.5]))
' '.join([str(2 * x) for x in [1, 2, 3] if x != 2])
[a + b for a, b in [(1, 2), (3, 4)]]
sorted([3, 1, 2])
list(range(5))
list(range(1, 10, 3))
dict(a=1, b=2)
dict([['a', 1]])
dict(a=1)['a']
dict(a=1).get('b', 5)
list(dict(a=1, b=2).keys())
'1 2 3'.split()
'a,b'.split(',')[1]
' x '.strip() + 'ABC'.lower() + 'abc'.upper()
'abc'.replace('b', 'x')
'abc'.startswith('a') and 'abc'.endswith('c')
'%d %s %.3f %5.1f|%-4d|%%' % (1, 'a', 2.0, 3.14159, 7)
'%s' % 5
'abc'.find('c') + 'abcabc'.count('b')
python.list(python.reversed([1, 2]))
python.list(python.zip([1, 2], ['a', 'b']))
python.list(python.enumerate(['a', 'b']))
python.all([1, 0]) or python.any([0, 1])
python.tuple([1])
python.divmod(7, 2)
xacro.tokenize('a, b;c')
inf
-inf
isnan(nan)
factorial(5)
prod([1, 2, 3])
gcd(12, 18)
1e400
0.1 + 0.2
1e16
123456789012345678901234567890
True + True
1 / 0
'a' + 1
missing
[1][5]
1 +
+ + +
1 2
)(
(1
[1, 2
'open
2x
1 = 1
f(1)
'a'.missing()
3.real
f'{1}'
010
""".splitlines()


def test_expressions_have_the_values_that_xacro_gives_them(folder, capfd):
    path, differ = folder / "expression.xacro", []
    for expression in EXPRESSIONS:
        escaped = expression.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")
        inside = f'<xacro:property name="p" value="${{{escaped}}}"/><x v="${{{escaped}}}" w="a ${{p}}"/>'
        path.write_text(f'<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">{inside}</robot>')
        if ours(path) != theirs(path):
            differ.append((expression, ours(path), theirs(path)))
    assert differ == []
