"""The audit of packages names every package that Strobe asks for."""

from pathlib import Path

from reliability.dependencies import direct, installed

PAGE = (Path(__file__).parents[2] / "docs" / "security.md").read_text(encoding="utf-8")
WORKSHOP = {"test", "docs", "fuzz", "cuda"}  # extras of those who work on Strobe, not of those who use it


def test_every_package_that_users_install_stands_in_the_table():
    asked = {name for name, extra in direct().items() if extra not in WORKSHOP}
    assert {"numpy", "defusedxml", "mujoco", "dask"} <= asked
    assert not [name for name in asked if f"| {name} (" not in PAGE]


def test_a_package_is_told_with_version_licence_and_native_code():
    found = {package.name: package for package in installed(["numpy", "rich", "not-a-package"])}
    assert found["numpy"].native
    assert not found["rich"].native
    assert "BSD" in found["numpy"].licence
    assert "pygments" in found  # what rich needs
    assert "not-a-package" not in found
    assert found["numpy"].bytes > 10**6
