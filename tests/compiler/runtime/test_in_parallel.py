"""Robots under other people's schedulers: wherever a method runs, the bits are those of the direct call."""

import multiprocessing
import pickle
import sys
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pytest

import strobe
from strobe.quantities import Request
from strobe.scalars import sin

ARM = strobe.load("planar3")
STATES = ARM.random_state(seed=3, batch=103)  # no multiple of a vector's lanes
TORQUES = ARM.inverse_dynamics(*STATES)
CHUNKS = ((40, 0, 1, 62), (3,))  # along the batch, one of them empty
PARTS = [
    tuple(x[part] for x in STATES) for part in (slice(0, 40), slice(40, 40), slice(40, 41), slice(41, 103))
]
needs_fork = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no fork")


def same(found, expected=TORQUES):
    """Whether two arrays have the same type, shape and bits."""
    found = np.asarray(found)
    return (found.dtype, found.shape, found.tobytes()) == (
        expected.dtype, expected.shape, np.ascontiguousarray(expected).tobytes(),
    )  # fmt: skip


def joined(parts):
    return np.concatenate(list(parts))


# -- what travels -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["planar3", "ur5", "panda"])
def test_a_compiled_robot_travels_in_a_few_thousand_bytes(name):
    robot = strobe.load(name)
    fresh = len(pickle.dumps(robot))
    states = robot.random_state(seed=0, batch=5)
    for _ in range(3):  # as kernel, as builtin for batches
        robot.inverse_dynamics(*states)
    assert len(pickle.dumps(robot)) == fresh < 8000
    assert len(pickle.dumps(robot.inverse_dynamics)) < fresh + 100


def test_what_is_unpickled_gives_the_same_bits():
    for shipped in (ARM.inverse_dynamics, ARM):
        again = pickle.loads(pickle.dumps(shipped))
        call = again if callable(again) else again.inverse_dynamics
        assert same(call(*STATES))
        assert same(call(*STATES))  # by the builtin


@pytest.mark.parametrize("name", [name for name in strobe.__all__ if not name[0].isupper()])
def test_functions_travel_by_name_packages_that_are_called_too(name):
    function = getattr(strobe, name)
    assert pickle.loads(pickle.dumps(function)) is function
    assert len(pickle.dumps(function)) < 100


# -- threads and processes ----------------------------------------------------------------------------


def test_a_pool_of_threads():
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda part: ARM.inverse_dynamics(*part), PARTS * 8))
    assert all(same(joined(found[k : k + 4])) for k in range(0, 32, 4))


@pytest.mark.slow
@pytest.mark.parametrize("method", ["spawn", pytest.param("fork", marks=needs_fork)])
def test_a_pool_of_processes(method):
    ARM.inverse_dynamics(*STATES, threads=2)  # our own threads have run before
    with ProcessPoolExecutor(2, multiprocessing.get_context(method)) as pool:
        assert same(joined(pool.map(ARM.inverse_dynamics, *zip(*PARTS, strict=True))))
        alone, shared = (pool.submit(ARM.inverse_dynamics, *STATES, threads=n) for n in (1, 2))
        assert same(alone.result())
        assert same(shared.result())


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_joblib(backend):
    joblib = pytest.importorskip("joblib", reason="joblib is not installed")
    call = joblib.delayed(ARM.inverse_dynamics)
    assert same(joined(joblib.Parallel(2, backend=backend)(call(*part) for part in PARTS)))


def test_joblib_gives_large_arrays_as_files_that_are_only_read():
    joblib = pytest.importorskip("joblib", reason="joblib is not installed")
    states = ARM.random_state(seed=4, batch=50_000)  # beyond 1 MB they are mapped, not copied
    found = joblib.Parallel(1, backend="loky", max_nbytes="1M")(
        [joblib.delayed(ARM.inverse_dynamics)(*states)]
    )
    assert same(found[0], ARM.inverse_dynamics(*states))


DROPPED_CODE = """
import os, threading
import strobe
from strobe.codegen.llvm import module
from strobe.runtime import jit

robot = strobe.load("planar2")
state = robot.random_state(seed=0)
text = module(robot.kernel(strobe.quantities.Request("gravity")).program, jit.host_target())
stop = threading.Event()

def others():
    while not stop.is_set():
        jit.emit_assembly(text)

threads = [threading.Thread(target=others) for _ in range(2)]
for thread in threads:
    thread.start()
ended = []
for _ in range(5):
    child = os.fork()
    if not child:
        strobe.Robot(robot.model).mass_matrix(state[0])
        os._exit(0)
    ended.append(os.waitpid(child, 0)[1])
stop.set()
print(sum(ended))
"""


@pytest.mark.slow
@needs_fork
def test_a_process_forked_while_llvm_is_busy_elsewhere_does_not_wait_for_ever(python):
    assert python(DROPPED_CODE) == "0"


# -- Dask ---------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def lazy():
    """The states as chunked arrays."""
    array = pytest.importorskip("dask.array", reason="dask is not installed")
    return [array.from_array(x, chunks=CHUNKS) for x in STATES]


def gufunc(function, *arrays, **options):
    import dask.array

    return dask.array.apply_gufunc(function, "(n),(n),(n)->(n)", *arrays, output_dtypes=float, **options)


@pytest.mark.slow
@pytest.mark.parametrize("scheduler", ["synchronous", "threads", "processes"])
def test_apply_gufunc_on_every_scheduler(lazy, scheduler):
    made = gufunc(ARM.inverse_dynamics, *lazy)
    assert (made.shape, made.dtype, made.chunks) == (TORQUES.shape, TORQUES.dtype, CHUNKS)
    assert same(made.compute(scheduler=scheduler))


def test_apply_gufunc_of_several_results(lazy):
    import dask.array

    made = dask.array.apply_gufunc(
        ARM.inverse_dynamics_derivatives, "(n),(n),(n)->(n,m),(n,m),(n,m)", *lazy,
        output_dtypes=[float] * 3, output_sizes={"m": 3},
    )  # fmt: skip
    for lazily, directly in zip(made, ARM.inverse_dynamics_derivatives(*STATES), strict=True):
        assert same(lazily.compute(), directly)


def test_apply_gufunc_of_the_ufunc_itself(lazy):
    ufunc = ARM.kernel(Request("inverse_dynamics")).code.ufunc()
    assert same(gufunc(ufunc, *lazy).compute(scheduler="threads"))


def test_a_ufunc_of_machine_code_does_not_travel():
    with pytest.raises(pickle.PicklingError):
        pickle.dumps(ARM.kernel(Request("inverse_dynamics")).code.ufunc())


def test_map_blocks_knows_what_comes_out_from_a_type(lazy):
    import dask.array

    made = dask.array.map_blocks(ARM.inverse_dynamics, *lazy, dtype=float)
    assert made.dtype == float
    assert same(made.compute())
    matrices = dask.array.map_blocks(
        ARM.mass_matrix, lazy[0], dtype=float, chunks=(*CHUNKS, (3,)), new_axis=2
    )
    assert matrices.shape == (103, 3, 3)
    assert same(matrices.compute(), ARM.mass_matrix(STATES[0]))


def test_map_blocks_in_single_precision(lazy):
    import dask.array

    short = [x.astype(np.float32) for x in lazy]
    made = dask.array.map_blocks(ARM.inverse_dynamics, *short, dtype=np.float32)
    assert same(made.compute(), ARM.inverse_dynamics(*(x.astype(np.float32) for x in STATES)))


def test_a_chunk_that_cuts_through_joints_is_refused_as_what_it_is(lazy):
    import dask.array

    cut = [x.rechunk((103, 2)) for x in lazy]
    with pytest.raises(strobe.StrobeError, match=r"q has shape \(103, [12]\); planar3 has 3 joints"):
        dask.array.map_blocks(ARM.inverse_dynamics, *cut, dtype=float).compute(scheduler="synchronous")


def test_states_made_in_the_workers(lazy):
    import dask.array

    def made(block_info=None):
        begin, end = block_info[None]["array-location"][0]
        return ARM.inverse_dynamics(*(x[begin:end] for x in STATES))

    blocks = dask.array.map_blocks(made, chunks=CHUNKS, dtype=float, meta=np.empty((0, 0)))
    assert same(blocks.compute(scheduler="threads"))


def product(q, qd):
    return [q[0] * sin(qd[1]), qd[2] * qd[0]]


def test_traced_functions_work_as_methods_do(lazy):
    import dask.array

    traced = strobe.trace(product, q=3, qd=3)
    expected = traced(*STATES[:2])
    made = dask.array.apply_gufunc(
        traced, "(n),(n)->(m)", *lazy[:2], output_dtypes=float, output_sizes={"m": 2}
    )
    assert same(made.compute(), expected)


@pytest.fixture(scope="module")
def client():
    """Two worker processes of two threads."""
    distributed = pytest.importorskip("distributed", reason="distributed is not installed")
    settings = {"n_workers": 2, "threads_per_worker": 2, "dashboard_address": None}
    with distributed.LocalCluster(**settings) as cluster, distributed.Client(cluster) as connected:
        yield connected


@pytest.mark.slow
def test_distributed_workers(client, lazy):
    assert same(gufunc(ARM.inverse_dynamics, *lazy).compute(scheduler=client))
    futures = client.map(ARM.inverse_dynamics, *zip(*PARTS, strict=True))
    assert same(joined(client.gather(futures)))


@pytest.mark.slow
def test_distributed_workers_simulate(client):
    q, qd, _ = STATES
    found = client.submit(strobe.simulate, ARM, q, qd, 0.0, 0.02, step=1e-3).result()
    directly = strobe.simulate(ARM, q, qd, 0.0, 0.02, step=1e-3)
    assert same(found.q, directly.q)
    assert same(found.qd, directly.qd)


@pytest.mark.slow
def test_a_fault_in_a_worker_arrives_as_its_sentence(client):
    with pytest.raises(strobe.StrobeError, match=r"q has shape \(2,\); planar3 has 3 joints, expected"):
        client.submit(ARM.gravity, [0.0, 1.0]).result()
