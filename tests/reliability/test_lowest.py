"""The lowest versions that are tried are those that the project promises."""

import tomllib

import pytest

from reliability import lowest


def test_every_core_dependency_has_a_lowest_version_that_is_tried():
    project = tomllib.loads(lowest.PYPROJECT.read_text(encoding="utf-8"))["project"]
    expected = [text.replace(">=", "==") for text in project["dependencies"]]
    assert list(lowest.constraints()) == expected
    assert list(lowest.constraints(["scale"]))[: len(expected)] == expected
    assert any(line.startswith("dask==") for line in lowest.constraints(["scale"]))


@pytest.mark.parametrize("text", ["numpy", "numpy==2.0", "numpy>=2,<3", "strobe-dynamics[mjcf]"])
def test_a_requirement_without_a_lowest_version_is_refused(monkeypatch, tmp_path, text):
    file = tmp_path / "pyproject.toml"
    file.write_text(f'[project]\ndependencies = ["{text}"]\n[project.optional-dependencies]\n')
    monkeypatch.setattr(lowest, "PYPROJECT", file)
    with pytest.raises(
        SystemExit, match=f'pyproject.toml: "{text[:5]}.* has no lowest version; expected "name>=version".'
    ):
        list(lowest.constraints())
