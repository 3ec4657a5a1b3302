"""Numbers that are meant to harm: arrays that claim to be large, bombs, objects, nesting, endless digits."""

import io
import json
import pickle
import subprocess
import sys
import zipfile

import numpy as np
import pytest

import strobe
from strobe.errors import ArgumentError, ModelFileError, StrobeError
from strobe.files.reading import parsed_toml
from strobe.models.toml_reader import read_toml
from strobe.trajectory import files

ARM = strobe.load("planar2")


def npz(path, **members: bytes):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in members.items():
            packed.writestr(f"{name}.npy", content)
    return path


def npy(array) -> bytes:
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


def header(dtype: str, shape: tuple[int, ...]) -> bytes:
    """An array that claims a shape and holds nothing."""
    stream = io.BytesIO()
    np.lib.format.write_array_header_1_0(stream, {"descr": dtype, "fortran_order": False, "shape": shape})
    return stream.getvalue()


def refusal(path) -> str:
    with pytest.raises(ArgumentError) as caught:
        files.read(path)
    return str(caught.value)


@pytest.mark.parametrize(
    ("dtype", "shape"), [("<f8", (10**12,)), ("<f8", (10**6, 10**6)), ("<U1", (10**12,)), ("<f8", (-1,))]
)
def test_an_array_that_claims_terabytes_is_refused(dtype, shape, tmp_path):
    path = npz(tmp_path / "m.npz", t=header(dtype, shape))
    assert refusal(path) == f"{path}: not an NPZ file of plain arrays."


def test_a_file_that_unpacks_to_a_thousand_times_its_size_is_refused(tmp_path):
    path = npz(tmp_path / "m.npz", t=npy(np.zeros(20_000_000)))
    assert path.stat().st_size < 200_000
    assert "unpack to 160,000,128; more than 100 times its size, or" in refusal(path)


def test_objects_in_an_array_are_not_made(tmp_path):
    class Harm:
        def __reduce__(self):
            return exec, ("import sys; sys.harmed = True",)

    stream = io.BytesIO()
    np.save(stream, np.array([Harm()], dtype=object), allow_pickle=True)
    path = npz(tmp_path / "m.npz", joint_names=stream.getvalue())
    assert refusal(path) == f"{path}: not an NPZ file of plain arrays."
    assert not hasattr(sys, "harmed")


def test_a_pickle_in_the_place_of_a_file_is_not_loaded(tmp_path):
    path = tmp_path / "m.npz"
    path.write_bytes(pickle.dumps({"t": [0.0, 1.0]}))
    assert refusal(path) == f"{path}: not an NPZ file of plain arrays."


@pytest.mark.parametrize(
    "text", ["[" * 100_000, '{"a":' * 100_000, '{"joint_names": ' + "9" * 100_000 + "}"]
)
def test_json_without_end_is_refused(text, tmp_path):
    path = tmp_path / "m.json"
    path.write_text(text)
    assert f"{path}: not valid JSON" in refusal(path)


def test_numbers_beyond_all_bounds_are_refused_in_json(tmp_path):
    path = tmp_path / "m.json"
    points = [{"positions": [1e400, 0], "time_from_start": 0}, {"positions": [0, 0], "time_from_start": 1}]
    path.write_text(json.dumps({"joint_names": ["a", "b"], "points": points}))
    assert "positions of point 1 are not 2 numbers" in refusal(path)


def test_a_table_with_columns_without_end_is_read_or_refused_in_time(tmp_path):
    path = tmp_path / "m.csv"
    path.write_text("t" + ",x" * 1_000_000 + "\n0\n1\n")
    assert refusal(path) == f"{path}:1: 1,000,001 columns; expected at most 10,000."


@pytest.mark.parametrize("text", ["a = " + "[" * 20_000, "a = " + "{b=" * 20_000])
def test_toml_nested_without_end_is_refused(text):
    with pytest.raises(ModelFileError, match="arm.toml: not valid TOML: nested too deeply."):
        read_toml("arm.toml", text=text)


@pytest.mark.parametrize("text", ["[{}]", "{} = 1", "b = {{ {} = 1 }}", "[b]\n c = 1\n {} = 1"])
@pytest.mark.parametrize("dot", [".", " . ", "\t.", '"."'])
def test_a_key_of_parts_without_end_is_refused_before_it_takes_hours(text, dot):
    """The parser's time grows with the square of the parts: a megabyte would take the better part of an hour."""
    quote = '"' if '"' in dot else ""
    key = quote + dot.join(["a"] * 100_000) + quote
    with pytest.raises(ModelFileError, match="not valid TOML: a key with more than 200 parts."):
        read_toml("arm.toml", text=text.format(key))


def test_rows_of_many_numbers_are_no_keys():
    rows = ", ".join(["0.25"] * 1000)
    assert parsed_toml(f"a.b = [{rows},\n  {rows}]\nc = [ 1.5 , 2.5 ]")["a"]["b"] == [0.25] * 2000


@pytest.mark.parametrize("number", ["9" * 100_000, "1e400", "1" * 5000 + ".0", "nan", "0x" + "f" * 100_000])
def test_numbers_beyond_all_bounds_are_refused_in_toml(number):
    text = f'format = 1\nname = "x"\n[base]\ngravity = [0, 0, {number}]\n'
    with pytest.raises(ModelFileError, match="arm.toml"):
        read_toml("arm.toml", text=text)


PATTERNS = """
import sys
from strobe.cli.parser import _looks_numeric
from strobe.files.tables import finite_decimal
from strobe.models.load import _root_element
from strobe.compiler.codegen.names import identifier, remark
from strobe.errors import nearest
from strobe.files.xml import _undeclared

n = 300_000
for text in ("1" * n + "x", "." * n, "1." * n, "1e" * n, "+" * n):
    try:
        finite_decimal(text)
    except ValueError:
        pass
    _looks_numeric(text)
    identifier(text)
    remark(text)
for text in ("<!--" * 16_000, "<?" * 30_000, "<!" * 30_000, "<" * 60_000, "<!-- --" * 9_000):
    assert _root_element(text) == ""
for text in ("<?xml" * n, " " * n + "<?xml", "\\ufeff" + "<?xml ?" * n):
    _undeclared(text)
"""


def test_no_text_makes_a_pattern_search_for_hours(tmp_path):
    """Each of these took minutes to hours where a pattern could divide a text in many ways."""
    command = [sys.executable, "-c", PATTERNS, str(tmp_path / "x.xml")]
    subprocess.run(command, check=True, timeout=60)


def test_a_motion_of_ages_is_refused_before_its_rows_are_made():
    motion = ARM.plan([[0.0, 0.0], [1.0, 1.0]], velocity=1e-9, acceleration=1.0)
    with pytest.raises(StrobeError, match="are more than 1,000,000 rows"):
        files.rows(motion)
