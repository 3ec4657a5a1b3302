import os
import subprocess
import sys

import pytest

from strobe.compiler.runtime import cache


@pytest.fixture
def python(tmp_path):
    """Runs a script in a process of its own, with a cache of its own; what it printed, lines stripped."""
    script, kept = tmp_path / "script.py", tmp_path / "cache"

    def run(text: str, *, errors: bool = False, **environment: str) -> str:
        script.write_text(text)
        env = os.environ | {"STROBE_CACHE": str(kept)} | environment
        done = subprocess.run(
            [sys.executable, str(script)], capture_output=True, text=True, timeout=300, env=env, check=False
        )
        assert done.returncode == 0, f"exit {done.returncode}\n{done.stderr}"
        return (done.stderr if errors else done.stdout).strip()

    return run


@pytest.fixture
def forgetful():
    """The folder is looked up anew, and every complaint may be made again."""
    for known in (cache._folder, cache._complain):
        known.cache_clear()
    yield
    for known in (cache._folder, cache._complain):
        known.cache_clear()


@pytest.fixture
def folder(tmp_path, monkeypatch, forgetful):
    monkeypatch.setenv("STROBE_CACHE", str(tmp_path / "kept"))
    return tmp_path / "kept"
