"""The tests as another machine would run them: `make elsewhere`.

    python -m reliability.elsewhere [PYTEST ARGUMENT ...]

A clone runs them in a folder whose path has a blank and the name of the package in it, with vectors of 256 bits in
our code, NumPy and OpenBLAS, in another time zone and locale, with an empty home and a narrow terminal, in random
order. ``STROBE_ORDER`` gives a seed back; the names of failed tests are left in the cache of pytest here.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).parent.parent
NARROW = 256  # bits of the vectors that every processor of the last ten years has
LAST_FAILED = Path(".pytest_cache", "v", "cache", "lastfailed")


def wide_features() -> list[str]:
    """What NumPy would use of this processor beyond AVX2, by the names it lets one disable."""
    from numpy._core import _multiarray_umath as core

    present = core.__cpu_features__
    return [
        name for name in core.__cpu_dispatch__ if present[name] and name.startswith(("AVX512", "X86_V4"))
    ]


def environment(home: Path, seed: str) -> dict[str, str]:
    """What another machine, another user and another day would have set."""
    from strobe.compiler.runtime import jit

    here = {
        "HOME": str(home),
        "TZ": "Asia/Kathmandu",  # 5 h 45 min from Greenwich
        "LC_ALL": "C",
        "COLUMNS": "60",
        "TERM": "dumb",
        "STROBE_ORDER": seed,
        "STROBE_CACHE": "",  # a folder of the session
        "PYTHONHASHSEED": str(int(seed) % 2**32),
    }
    if jit.widest() > NARROW:
        here["STROBE_WIDTH"] = str(NARROW)
        here["OPENBLAS_CORETYPE"] = "Haswell"
    if wide := wide_features():
        here["NPY_DISABLE_CPU_FEATURES"] = " ".join(wide)
    return here


def cloned(folder: Path) -> Path:
    """What is committed, where a path is awkward; what is here, where nothing is."""
    clone = folder / "strobe dir" / "strobe"
    if not (ROOT / ".git").exists():
        shutil.copytree(ROOT, clone, ignore=shutil.ignore_patterns(".*", "__pycache__", "_build"))
        return clone
    settings = folder / "git"
    settings.write_text('[safe]\n\tdirectory = "*"\n')  # a checkout may belong to another user
    env = {**os.environ, "GIT_CONFIG_GLOBAL": str(settings)}
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True, env=env)
    return clone


def run(arguments: Sequence[str], clone: Path, variables: Mapping[str, str]) -> int:
    """Pytest's exit status in the clone, with the packages of this Python and the sources of the clone."""
    print(f"in {clone}:", *(f"{name}={text!r}" for name, text in variables.items()), flush=True)
    command = [sys.executable, "-m", "pytest", *arguments]
    env = {**os.environ, **variables, "PYTHONPATH": str(clone / "src")}
    status = subprocess.run(command, cwd=clone, env=env, check=False, umask=0o077).returncode
    if (clone / LAST_FAILED).exists():
        (ROOT / LAST_FAILED).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(clone / LAST_FAILED, ROOT / LAST_FAILED)
    return status


def main() -> None:
    seed = os.environ.get("STROBE_ORDER") or str(random.randrange(10**6))
    with TemporaryDirectory(prefix="elsewhere-") as folder:
        home = Path(folder) / "home"
        home.mkdir()
        sys.exit(run(sys.argv[1:], cloned(Path(folder)), environment(home, seed)))


if __name__ == "__main__":
    main()
