"""XML that is meant to harm: bombs, outside entities, document types, for every reader of XML."""

import pytest

import strobe
from strobe.errors import ModelFileError

LAUGHS = "".join(f'<!ENTITY {chr(b + 1)} "{f"&{chr(b)};" * 10}">' for b in range(ord("a"), ord("k")))
BOMB = f'<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">{LAUGHS}]>'
QUADRATIC = f'<!DOCTYPE x [<!ENTITY a "{"a" * 20_000}">]>'
EXTERNAL = '<!DOCTYPE x [<!ENTITY a SYSTEM "%s">]>'
PARAMETER = '<!DOCTYPE x [<!ENTITY % a SYSTEM "{place}"> %a;]>'
FETCHED = '<!DOCTYPE x SYSTEM "{place}">'

BODIES = {
    "arm.urdf": '<robot name="x"><link name="{}"/></robot>',
    "arm.xacro": '<robot name="x" xmlns:xacro="http://www.ros.org/wiki/xacro"><link name="{}"/></robot>',
    "arm.xml": '<mujoco><worldbody><body name="{}"><geom size="1"/></body></worldbody></mujoco>',
}
ATTACKS = {
    "billion laughs": (BOMB, "&k;"),
    "quadratic blow-up": (QUADRATIC, "&a;" * 1000),
    "external entity": (EXTERNAL, "&a;"),
    "parameter entity": (PARAMETER, "a"),
    "document type elsewhere": (FETCHED, "a"),
}


def refusal(path) -> str:
    with pytest.raises(ModelFileError) as caught:
        strobe.load(path)
    return str(caught.value)


@pytest.mark.parametrize("kind", BODIES)
@pytest.mark.parametrize("attack", ATTACKS)
def test_a_document_type_is_refused_before_anything_in_it_is_read(kind, attack, tmp_path):
    secret = tmp_path / "secret.txt"
    secret.write_text("hunter2")
    head, name = ATTACKS[attack]
    head = head.replace("%s", secret.as_uri()).replace("{place}", secret.as_uri())
    (tmp_path / kind).write_text(head + BODIES[kind].format(name))
    sentence = refusal(tmp_path / kind)
    assert "a document type or entity declaration is refused; remove the <!DOCTYPE …>." in sentence
    assert "hunter2" not in sentence


@pytest.mark.parametrize("attack", ["billion laughs", "quadratic blow-up", "external entity"])
def test_entities_in_a_file_that_xacro_includes_are_refused(attack, tmp_path):
    head, name = ATTACKS[attack]
    (tmp_path / "secret.txt").write_text("hunter2")
    part = f'{head.replace("%s", (tmp_path / "secret.txt").as_uri())}<robot><link name="{name}"/></robot>'
    (tmp_path / "part.xacro").write_text(part)
    (tmp_path / "arm.xacro").write_text(
        '<robot name="x" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:include filename="part.xacro"/></robot>'
    )
    sentence = refusal(tmp_path / "arm.xacro")
    assert "part.xacro:1: a document type or entity declaration is refused" in sentence
    assert "hunter2" not in sentence


def test_a_document_type_in_a_file_that_mjcf_includes_is_refused(tmp_path):
    (tmp_path / "part.xml").write_text(BOMB + '<mujoco><worldbody><body name="&k;"/></worldbody></mujoco>')
    (tmp_path / "arm.xml").write_text('<mujoco><include file="part.xml"/></mujoco>')
    assert "part.xml:1: a document type or entity declaration is refused" in refusal(tmp_path / "arm.xml")


@pytest.mark.parametrize("kind", ["arm.urdf", "arm.xml"])
def test_nesting_without_end_is_refused(kind, tmp_path):
    root = "robot" if kind == "arm.urdf" else "mujoco"
    (tmp_path / kind).write_text(f"<{root}>{'<a>' * 100_000}")
    assert "elements nested more than 200 deep" in refusal(tmp_path / kind)


def test_an_encoding_in_which_mujoco_would_read_other_words_is_refused(tmp_path):
    """MuJoCo takes every file for UTF-8: where we read it otherwise, we would look at another text than it does."""
    text = '<?xml version="1.0" encoding="cp037"?><mujoco><include file="/etc/passwd"/></mujoco>'
    (tmp_path / "arm.xml").write_text(text)
    assert '<include> names "/etc/passwd", which is no relative path' in refusal(tmp_path / "arm.xml")
