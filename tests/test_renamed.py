"""Modules and classes keep their old names for one version: the same, and a warning that says the new name."""

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
    try:
        importlib.import_module(new)
    except ModuleNotFoundError as missing:
        if str(missing.name).startswith("strobe"):
            raise
        pytest.skip(f"{missing.name} is not installed")
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


CLASSES = [(module, old, new) for module, names in renamed.NAMES.items() for old, new in names.items()]


@pytest.mark.parametrize(("module", "old", "new"), CLASSES)
def test_a_class_is_found_under_its_old_name(module, old, new):
    holder = importlib.import_module(f"strobe.{module}")
    with pytest.warns(
        DeprecationWarning, match=rf"^strobe\.{module}\.{old} is now strobe\.{module}\.{new}\.$"
    ):
        found = getattr(holder, old)
    assert found is getattr(holder, new)
    assert old not in dir(holder)


def test_the_note_of_an_old_class_is_about_who_imports_it():
    with pytest.warns(DeprecationWarning, match="is now") as told:
        from strobe.simulate.run import Status  # noqa: F401
    assert {each.filename for each in told} == {__file__}


def test_a_module_with_old_classes_has_no_other_names():
    from strobe.simulate import run

    with pytest.raises(AttributeError, match=r"module 'strobe\.simulate\.run' has no attribute 'Stattus'"):
        run.Stattus  # noqa: B018


@pytest.mark.parametrize(
    ("module", "old", "made"),
    [
        ("kinematics.solutions", "Status", lambda cls: cls(1)),
        ("control.status", "Status", lambda cls: cls(4)),
        ("control.sensors", "Fault", lambda cls: cls("position", "elbow", 0.5)),
    ],
)
def test_what_was_pickled_under_an_old_class_is_found(module, old, made):
    new = renamed.NAMES[module][old]
    value = made(getattr(importlib.import_module(f"strobe.{module}"), new))
    text = pickle.dumps(value, protocol=0).replace(f"\n{new}\n".encode(), f"\n{old}\n".encode())
    text = text.replace(b"V" + new.encode() + b"\n", b"V" + old.encode() + b"\n")
    assert new.encode() not in text
    with pytest.warns(DeprecationWarning, match=f"{old} is now"):
        assert pickle.loads(text) == value


def test_no_module_has_an_old_name():
    for old in renamed.MODULES:
        assert importlib.util.find_spec(renamed.new_name(f"strobe.{old}")) is not None
