"""Modules keep their old names for one version: the same module, and a warning that says the new name."""

import importlib
import pickle
import subprocess
import sys
import warnings

import pytest

from strobe import renamed

OLD = [*renamed.ROOMS, *renamed.MODULES, "runtime.kernels", "graph.rules", "codegen.llvm"]


@pytest.mark.parametrize("old", OLD)
def test_a_module_is_found_under_its_old_name(old):
    new = renamed.new_name(f"strobe.{old}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a room may have moved too, and says so when it is first imported
        importlib.import_module(f"strobe.{old}".rpartition(".")[0])
    sys.modules.pop(f"strobe.{old}", None)
    with pytest.warns(DeprecationWarning, match=f"strobe.{old} is now {new}"):
        module = importlib.import_module(f"strobe.{old}")
    assert module is importlib.import_module(new)
    assert module.__spec__.name == module.__name__ == new


def test_from_the_old_room_comes_the_module_of_the_new_one():
    script = "from strobe.runtime import kernels; import strobe.compiler.runtime.kernels as k; print(kernels is k)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "True\n"


def test_what_was_pickled_under_an_old_name_is_found():
    from strobe.compiler.graph.program import Program

    old = pickle.dumps(Program).replace(b"strobe.compiler.graph.program", b"strobe.graph.program")
    frame = old.index(b"strobe.graph.program")
    old = old[: frame - 1] + bytes([len("strobe.graph.program")]) + old[frame:]
    sys.modules.pop("strobe.graph.program", None)
    with pytest.warns(DeprecationWarning, match="strobe.graph.program is now"):
        assert pickle._loads(old) is Program  # the Python one does not count the bytes of frames


def test_no_module_has_an_old_name():
    for old in renamed.MODULES:
        assert importlib.util.find_spec(renamed.new_name(f"strobe.{old}")) is not None
