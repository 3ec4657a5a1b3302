"""Results as Zarr and Parquet: what other programs read is what was computed."""

import sys

import numpy as np
import pytest

from strobe.errors import ArgumentError, MissingExtraError
from strobe.sweep.evaluate import evaluate
from strobe.sweep.formats import Parquet, Zarr, format_named
from strobe.sweep.plan import Work
from strobe.sweep.reading import read_plan

zarr = pytest.importorskip("zarr", reason="zarr is not installed")
datasets = pytest.importorskip("pyarrow.dataset", reason="pyarrow is not installed")

SWEEP = {
    "task": "torque", "robots": ["planar2", "planar3"], "samples": 10, "chunk": 4, "seed": 3, "keep": ["q", "tau"],
    "payload": {"mass": {"values": [0.0, 2.0]}},
}  # fmt: skip


@pytest.fixture(scope="module")
def plan():
    return read_plan(SWEEP)


@pytest.fixture(scope="module", params=[3, 10, 24, 40], ids=lambda chunk: f"chunk {chunk}")
def cut(request):
    """Plans whose chunks are parts of a cell, whole ones, and two or three of them."""
    return read_plan(SWEEP | {"chunk": request.param, "payload": {"mass": {"values": [0.0, 1.0, 2.0]}}})


@pytest.mark.slow
def test_however_runs_are_cut_into_chunks_both_formats_give_them_back(cut, tmp_path):
    for kind in (Zarr(), Parquet()):
        written(cut, kind, tmp_path)
    for robot in cut.robots:
        cells = [cell for cell in cut.cells if cell.robot == robot]
        runs = evaluate(cut, Work(0, tuple(cells), 0, 10))
        tables = [kind.table(cut, tmp_path, robot) for kind in (Zarr(), Parquet())]
        assert tables[0]["payload.mass"].to_pylist() == [0.0] * 10 + [1.0] * 10 + [2.0] * 10
        assert tables[0].equals(tables[1].combine_chunks().cast(tables[0].schema))
        for kind in (Zarr(), Parquet()):
            for name, values in kind.arrays(cut, tmp_path, robot).items():
                assert np.array_equal(values[:], runs[name].reshape(3, 10, *runs[name].shape[1:]))


def written(plan, kind, folder, chunks=None):
    files = kind.opening(plan)
    for index in range(plan.chunks) if chunks is None else chunks:
        work = plan.work(index)
        made = kind.chunk(plan, work, evaluate(plan, work))
        assert not files.keys() & made.keys()  # no file belongs to two chunks
        files |= made
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)


@pytest.fixture
def expected(plan):
    """tau of robots, (cells, samples, n), straight from the evaluation."""
    found = {robot: [] for robot in plan.robots}
    for index in range(plan.chunks):
        work = plan.work(index)
        found[work.robot].append(evaluate(plan, work)["tau"])
    return {robot: np.concatenate(parts).reshape(2, 10, -1) for robot, parts in found.items()}


def test_zarr_opens_an_array_for_each_field_of_each_robot(plan, expected, tmp_path):
    written(plan, Zarr(), tmp_path)
    root = zarr.open(tmp_path / "data.zarr", mode="r")
    for robot, tau in expected.items():
        assert np.array_equal(root[robot]["tau"][:], tau)
        assert root[robot]["tau"].chunks == (1, 4, tau.shape[-1])
        assert np.array_equal(root[f"{robot}/status"][:], np.zeros((2, 10)))
    assert root["planar2"].attrs["cells"] == [{"payload.mass": 0.0}, {"payload.mass": 2.0}]
    assert root.attrs["statuses"]["0"] == "done"


def test_what_zarr_has_not_got_yet_reads_as_no_number(plan, tmp_path):
    written(plan, Zarr(), tmp_path, chunks=[2])
    group = zarr.open(tmp_path / "data.zarr", mode="r")["planar2"]
    finite = np.isfinite(group["tau"][:]).all(-1)
    assert finite.tolist() == [[False] * 8 + [True] * 2, [False] * 10]
    assert np.array_equal(group["status"][:] == 0, finite)
    assert set(group["status"][:].ravel().tolist()) == {0, -1}


def test_arrow_reads_one_table_of_all_robots(plan, expected, tmp_path):
    written(plan, Parquet(), tmp_path)
    data = datasets.dataset(tmp_path / "data", partitioning="hive")
    table = data.to_table().sort_by("run")
    assert table["run"].to_pylist() == list(range(40))
    assert table["cell"].to_pylist() == [cell for cell in range(4) for _ in range(10)]
    assert table["payload.mass"].to_pylist() == ([0.0] * 10 + [2.0] * 10) * 2
    assert table["robot"].to_pylist() == ["planar2"] * 20 + ["planar3"] * 20
    assert np.array_equal(table["tau_1"].to_numpy().reshape(2, 2, 10)[1], expected["planar3"][:, :, 1])
    assert table["tau_2"].to_pylist()[:20] == [None] * 20
    assert table["tau_2"].to_pylist()[20:] == expected["planar3"][:, :, 2].ravel().tolist()


def test_both_formats_give_the_same_arrays_and_tables(plan, expected, tmp_path):
    for kind in (Zarr(), Parquet()):
        written(plan, kind, tmp_path)
    for robot, tau in expected.items():
        arrays = [kind.arrays(plan, tmp_path, robot) for kind in (Zarr(), Parquet())]
        assert arrays[0].keys() == arrays[1].keys() == plan.fields(robot).keys()
        assert all(np.array_equal(each["tau"][:], tau) for each in arrays)
        assert all(each["status"].dtype == arrays[0]["status"].dtype for each in arrays)
        tables = [kind.table(plan, tmp_path, robot) for kind in (Zarr(), Parquet())]
        assert tables[0].equals(tables[1].combine_chunks().cast(tables[0].schema))


def test_numbers_and_lists_on_one_axis_share_a_column(tmp_path):
    asked = {
        "task": "torque",
        "robots": ["planar2"],
        "samples": 2,
        "state": {"qd": {"values": [0.5, [1, 2]]}},
    }
    plan = read_plan(asked)
    written(plan, Parquet(), tmp_path)
    column = Parquet().table(plan, tmp_path, "planar2")["state.qd"].to_pylist()
    assert column == [[0.5], [0.5], [1.0, 2.0], [1.0, 2.0]]


def test_an_unknown_format_is_told_with_those_there_are():
    with pytest.raises(
        ArgumentError, match="no format \"parket\". Did you mean 'parquet'\\? Results are kept as"
    ):
        format_named("parket")


@pytest.mark.parametrize(("name", "package"), [("zarr", "zarr"), ("parquet", "pyarrow")])
def test_a_missing_package_is_told_with_its_extra(name, package, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(
        MissingExtraError, match=rf'the package {package}, .*: pip install "strobe-dynamics\[scale\]"'
    ):
        format_named(name)
