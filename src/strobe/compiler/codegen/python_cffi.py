"""A build script that makes a generated function importable in Python, through cffi's API mode.

The script needs cffi and a C compiler where it runs; the module it builds needs cffi alone.
"""

from __future__ import annotations

from strobe.compiler.codegen.c import Function
from strobe.compiler.codegen.names import remark


def build_script(function: Function) -> str:
    """`python build_NAME.py` leaves the module _NAME beside it."""
    arguments = ", ".join(f"const {function.real} *{p.name}" for p in function.parameters)
    prototype = f"void {function.name}({arguments}, {function.real} *out);"
    views = [
        f'        ffi.from_buffer("{function.real}[{p.size}]", {p.name}),' for p in function.parameters
    ]
    return TEMPLATE.format(
        name=function.name,
        dtype="float32" if function.single else "float64",
        about="\n".join(remark(line).rstrip() for line in function.remarks()),
        views="\n".join(views),
        real=function.real,
        size=function.size,
        prototype=prototype,
    )


TEMPLATE = '''\
"""Builds the Python module _{name}: python build_{name}.py

{about}

Afterwards, with contiguous {dtype} arrays (a shorter one is refused):

    import numpy as np
    from _{name} import ffi, lib

    out = np.empty({size}, np.{dtype})
    lib.{name}(
{views}
        ffi.from_buffer("{real}[{size}]", out, require_writable=True),
    )

The call holds no lock: threads run side by side.
"""

from pathlib import Path

from cffi import FFI

HERE = Path(__file__).resolve().parent

ffibuilder = FFI()
ffibuilder.cdef("{prototype}")
ffibuilder.set_source(
    "_{name}",
    '#include "{name}.h"',
    sources=[str(HERE / "{name}.c")],
    include_dirs=[str(HERE)],
)

if __name__ == "__main__":
    ffibuilder.compile(tmpdir=str(HERE), verbose=True)
'''
