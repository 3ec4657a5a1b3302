"""What the comparisons with Pinocchio share."""

import importlib.util
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def open_trees():
    """The tests of open trees as a module, which translates states between the two libraries."""
    path = Path(__file__).with_name("test_pinocchio.py")
    spec = importlib.util.spec_from_file_location("pinocchio_peer", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
