"""Inverse dynamics as C99 for a controller, with a test of its own; built and run where there is a C compiler."""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

with tempfile.TemporaryDirectory() as folder:
    out = Path(folder) / "arm"
    command = ["compile", "planar2", "inverse_dynamics", "--target", "c", "-o"]
    subprocess.run([sys.executable, "-m", "strobe", *command, str(out)], check=True)

    header = next(out.glob("strobe_*.h")).read_text()
    print(next(line for line in header.splitlines() if line.startswith("void")))

    if shutil.which("cc") and shutil.which("make"):
        subprocess.run(["make", "-s", "-C", str(out), "CC=cc", "test"], check=True)
    else:
        print("no C compiler here: copy the folder to where there is one and run make test")
