"""Tables in files: they come back as they were, for the robot they were made with and no other."""

import json
from dataclasses import replace

import numpy as np
import pytest

import strobe
from strobe.approximate import CMAC, CompleteTable, HornRaibert, Raibert, load_table
from strobe.errors import ArgumentError, OutputError

ARM = strobe.load("planar2")
STILL = {"qdd": (-3.0, 3.0)}
MADE = [
    lambda: HornRaibert(ARM, 7, derivatives=True),
    lambda: HornRaibert(ARM, 7, interpolation="nearest"),
    lambda: Raibert(ARM, 3),
    lambda: CompleteTable(ARM, 3, STILL),
    lambda: CMAC(ARM, STILL, samples=500, rows=512, tilings=8),
]
STATE = [np.random.default_rng(k).uniform(-1.0, 1.0, (50, 2)) for k in range(3)]


@pytest.mark.parametrize("make", MADE)
def test_a_table_comes_back_as_it_was(tmp_path, make):
    table = make()
    table.save(tmp_path / "table.npz")
    again = load_table(tmp_path / "table.npz", strobe.load("planar2"))
    assert type(again) is type(table)
    np.testing.assert_array_equal(again.inverse_dynamics(*STATE), table.inverse_dynamics(*STATE))
    assert (again.memory, again.notes, again.operations) == (table.memory, table.notes, table.operations)


def test_a_payload_is_noticed(tmp_path):
    HornRaibert(ARM, 5).save(tmp_path / "table.npz")
    with pytest.raises(
        ArgumentError, match=r"table.npz was made with another planar2: the body moved by joint2 has"
    ):
        load_table(tmp_path / "table.npz", ARM.with_payload(0.3, (0.0, 0.0, 0.0)))
    with pytest.raises(
        ArgumentError, match=r"table.npz was made with planar2, whose joints are joint1, joint2"
    ):
        load_table(tmp_path / "table.npz", strobe.load("stanford"))


def test_what_else_has_changed_is_named_and_an_older_file_is_no_ground_for_a_claim(tmp_path):
    path, first = tmp_path / "table.npz", ARM.model.bodies[0]
    HornRaibert(ARM, 5).save(path)
    joint = replace(first.joint, limits=replace(first.joint.limits, upper=1.0))
    other = strobe.Robot(replace(ARM.model, bodies=(replace(first, joint=joint), *ARM.model.bodies[1:])))
    with pytest.raises(
        ArgumentError, match=r'planar2: joint "joint1": limits\.upper was 3\.1 and is 1\.0\. What'
    ):
        load_table(path, other)
    with np.load(path) as data:
        np.savez(path, **{name: data[name] for name in data.files if name != "model"})
    with pytest.raises(
        ArgumentError, match="planar2: an older strobe kept too little of it to compare the two"
    ):
        load_table(path, other)


def test_a_file_is_not_replaced_unless_asked(tmp_path):
    table = HornRaibert(ARM, 5)
    table.save(tmp_path / "table.npz")
    with pytest.raises(OutputError, match="it exists"):
        table.save(tmp_path / "table.npz")
    table.save(tmp_path / "table.npz", force=True)
    assert [path.name for path in tmp_path.iterdir()] == ["table.npz"]


def test_files_of_other_kinds_are_refused(tmp_path):
    with pytest.raises(ArgumentError, match=r"table.csv: a table is kept in an .npz file"):
        HornRaibert(ARM, 5).save(tmp_path / "table.csv")
    with pytest.raises(ArgumentError, match="cannot be read: No such file"):
        load_table(tmp_path / "none.npz", ARM)
    (tmp_path / "text.npz").write_text("hello")
    with pytest.raises(ArgumentError, match="not an NPZ file of plain arrays"):
        load_table(tmp_path / "text.npz", ARM)
    np.savez(tmp_path / "other.npz", q=np.zeros(3))
    with pytest.raises(ArgumentError, match=r"other.npz: no table that was saved here"):
        load_table(tmp_path / "other.npz", ARM)


def damaged(arrays):
    """Ways in which a file may lie about itself."""
    cut = {name: x[:-1] if name == "coefficients 0" else x for name, x in arrays.items()}
    whole = json.loads(str(arrays["description"]))
    plan = whole["plans"]["coefficients"]
    wide = json.dumps({**whole, "plans": {"coefficients": {**plan, "parts": [[[0, 1], [0, 99]]]}}})
    other = json.dumps({**whole, "table": "sundial"})
    return [cut, {**arrays, "description": np.array(wide)}, {**arrays, "description": np.array(other)}]


@pytest.mark.parametrize("which", range(3))
def test_a_damaged_file_is_refused(tmp_path, which):
    HornRaibert(ARM, 5).save(tmp_path / "table.npz")
    with np.load(tmp_path / "table.npz") as found:
        arrays = {name: found[name] for name in found.files}
    np.savez(tmp_path / "damaged.npz", **damaged(arrays)[which])
    with pytest.raises(ArgumentError, match=r"damaged.npz: no table that was saved here"):
        load_table(tmp_path / "damaged.npz", ARM)
