"""What people install: a wheel of the package alone, which works where there is nothing of its sources."""

import os
import re
import subprocess
import sys
import tomllib
import venv
import zipfile
from email.parser import Parser
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import strobe

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
pytestmark = [
    pytest.mark.skipif(find_spec(package) is None, reason=f"{package} is not installed")
    for package in ("build", "hatchling", "pip")
]


def run(*command: object, folder: Path) -> str:
    """What a command prints, in a folder of its own and without what this process knows of places."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    done = subprocess.run(
        [*map(str, command)],
        capture_output=True,
        text=True,
        cwd=folder,
        env=environment,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, ROOT, folder=folder)
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def contents(wheel):
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """The folder of an environment with the wheel in it, and with what is installed here beside it."""
    folder = tmp_path_factory.mktemp("clean")
    venv.create(folder, with_pip=False)
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    options = ("--quiet", "--no-deps", "--no-index", "--no-compile", "--disable-pip-version-check")
    run(sys.executable, "-m", "pip", "--python", python, "install", *options, wheel, folder=folder)
    site = Path(
        run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", folder=folder).strip()
    )
    places = [place for place in sys.path if Path(place).name in ("site-packages", "dist-packages")]
    # a .pth file in these is not read: sources stay unknown
    (site / "beside.pth").write_text("\n".join(places))
    return folder, python


def test_the_wheel_holds_the_package_and_nothing_else(contents):
    source = ROOT / "src"
    own = {
        path
        for path in (source / "strobe").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    expected = {path.relative_to(source).as_posix(): path.read_bytes() for path in own}
    found = {name: content for name, content in contents.items() if ".dist-info/" not in name}
    assert found.keys() == expected.keys()
    assert found == expected
    assert any(name.endswith(".toml") for name in found)  # the robots that come with it
    assert "strobe/py.typed" in found


def test_the_wheel_says_what_it_is_and_needs(contents):
    about = f"strobe_dynamics-{strobe.__version__}.dist-info"
    metadata = Parser().parsestr(contents[f"{about}/METADATA"].decode())
    assert (metadata["Name"], metadata["Version"]) == ("strobe-dynamics", strobe.__version__)
    assert metadata["Requires-Python"] == PROJECT["requires-python"]
    assert metadata["License-Expression"] == "Apache-2.0 AND OFL-1.1"
    needed = [text for text in metadata.get_all("Requires-Dist", []) if "extra ==" not in text]
    assert sorted(needed) == sorted(PROJECT["dependencies"])
    assert set(metadata.get_all("Provides-Extra", [])) == set(PROJECT["optional-dependencies"])
    assert "strobe = strobe.cli:main" in contents[f"{about}/entry_points.txt"].decode()
    assert f"{about}/licenses/LICENSE" in contents
    assert f"{about}/licenses/src/strobe/show/fonts/OFL.txt" in contents
    assert "Tag: py3-none-any" in contents[f"{about}/WHEEL"].decode()


TORQUES = """
import strobe
robot = strobe.load("panda")
print(strobe.__file__)
print(robot.inverse_dynamics(*robot.random_state(seed=0)).tobytes().hex())
"""


@pytest.mark.slow
def test_an_installed_wheel_computes_the_same_torques_without_the_sources(installed):
    folder, python = installed
    place, torques = run(python, "-c", TORQUES, folder=folder).split()
    assert Path(place).is_relative_to(folder)
    robot = strobe.load("panda")
    expected = robot.inverse_dynamics(*robot.random_state(seed=0))
    assert np.array_equal(np.frombuffer(bytes.fromhex(torques)), expected)


def test_an_installed_wheel_has_the_command(installed):
    folder, python = installed
    command = python.parent / "strobe"
    assert run(command, "--version", folder=folder) == f"strobe {strobe.__version__}\n"
    assert re.search(r"^stanford +6 +2RP3R ", run(command, "list", folder=folder), re.M)
