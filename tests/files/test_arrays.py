"""NPZ files that are not to be trusted."""

import io
import zipfile

import numpy as np
import pytest

from strobe.errors import ArgumentError
from strobe.files.arrays import misfit, read_arrays

ARRAYS = {
    "numbers": np.arange(6.0).reshape(2, 3),
    "by columns": np.asfortranarray(np.arange(6).reshape(2, 3)),
    "one": np.array(2.5),
    "none": np.zeros((0, 3)),
    "words": np.array(["a", "bcd"]),
    "no letters": np.array([""], dtype="<U0"),
    "other ends": np.arange(3, dtype=">f4"),
}


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_arrays_come_back_as_numpy_reads_them(tmp_path, save):
    save(tmp_path / "a.npz", **ARRAYS)
    found = read_arrays(tmp_path / "a.npz")
    with np.load(tmp_path / "a.npz") as theirs:
        assert list(found) == theirs.files
        for name, array in found.items():
            np.testing.assert_array_equal(array, theirs[name])
            assert array.dtype == theirs[name].dtype
            assert array.flags.writeable


def npz(path, header, content, compression=zipfile.ZIP_STORED):
    head = io.BytesIO()
    np.lib.format.write_array_header_1_0(head, header)
    with zipfile.ZipFile(path, "w", compression) as file:
        file.writestr("a.npy", head.getvalue() + content)


@pytest.mark.parametrize("shape", [(10**12,), (2**62, 4), (2,), (0,), (3, 1, 1, 2)])
def test_a_header_that_claims_what_is_not_there_is_refused(tmp_path, shape):
    npz(tmp_path / "a.npz", {"descr": "<f8", "fortran_order": False, "shape": shape}, bytes(8))
    with pytest.raises(ArgumentError, match=r"a\.npz: not an NPZ file of plain arrays\."):
        read_arrays(tmp_path / "a.npz")


@pytest.mark.slow
def test_a_small_file_that_unpacks_to_a_large_one_is_refused(tmp_path):
    header = {"descr": "|u1", "fortran_order": False, "shape": (2**27,)}
    npz(tmp_path / "a.npz", header, bytes(2**27), zipfile.ZIP_DEFLATED)
    with pytest.raises(
        ArgumentError, match=r"bytes that unpack to 134,\d+,\d+; more than 100 times its size"
    ):
        read_arrays(tmp_path / "a.npz")


@pytest.mark.parametrize("content", [b"", b"PK nonsense", b"\x93NUMPY", bytes(range(256))])
def test_what_is_no_such_file_is_refused(tmp_path, content):
    (tmp_path / "a.npz").write_bytes(content)
    with pytest.raises(ArgumentError, match=r"a\.npz: not an NPZ file of plain arrays\."):
        read_arrays(tmp_path / "a.npz")


def test_pickled_objects_are_refused(tmp_path):
    np.savez(tmp_path / "a.npz", a=np.array([{}]))
    with pytest.raises(ArgumentError, match="plain arrays"):
        read_arrays(tmp_path / "a.npz")


@pytest.mark.parametrize("name", ["missing.npz", "nul\0.npz"])
def test_a_file_that_cannot_be_read_says_why(tmp_path, name):
    with pytest.raises(ArgumentError, match="cannot be read: No such file|a name with a NUL"):
        read_arrays(f"{tmp_path}/{name}")


SHAPES = {"t": "T", "q": "... T nq", "status": "...", "names": "text nq"}
RUN = {
    "t": np.zeros(5),
    "q": np.zeros((3, 5, 2)),
    "status": np.zeros(3, int),
    "names": np.array(["a", "b"]),
}


def test_arrays_that_fit_together_have_nothing_wrong():
    assert misfit(RUN, SHAPES, nq=2) == ""
    assert misfit(RUN | {"q": np.zeros((5, 2)), "status": np.array(0)}, SHAPES, nq=2) == ""


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"q": np.zeros((3, 4, 2))}, '"q" has shape (3, 4, 2), expected (…, 5, 2)'),
        ({"q": np.zeros(5)}, '"q" has shape (5,), expected (…, 5, 2)'),
        ({"status": np.zeros(2)}, '"status" has shape (2,), expected (…)'),
        ({"t": np.array("now")}, '"t" holds <U3, expected real numbers'),
        ({"t": np.zeros((5, 1))}, '"t" has shape (5, 1), expected (T)'),
        ({"names": np.zeros(2)}, '"names" holds float64, expected text'),
    ],
)
def test_what_does_not_fit_is_told_by_its_name_and_shape(change, sentence):
    assert misfit(RUN | change, SHAPES, nq=2) == sentence


def test_a_missing_array_is_named():
    assert misfit({"t": np.zeros(5)}, SHAPES, nq=2) == 'there is no array "q"'
