"""Programs as CUDA C++ to read and to build: one header, one source, functions of states side by side.

A state is computed by a function in plain C, that of the target c with the operations of compiled code: multiply-adds
with one rounding. Two kernels call it, one for arrays entry by entry (columns), one for arrays state by state (rows),
which go through shared memory so that neighbouring threads touch neighbouring numbers.

Built by a compiler of C++ without CUDA the same source has the same functions, on arrays of this machine's memory,
state by state: what a card computes can be held against that, bit for bit.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from strobe.compiler.codegen.c import Function, block_comment, body_lines, guarded, preamble
from strobe.compiler.codegen.c_test import FURTHER, Check, Expected, check_program, table
from strobe.compiler.codegen.constants import c_number

SHARED = 48 * 2**10  # bytes of shared memory that a block has on every card
BLOCKS = (128, 64, 32)  # threads

MACROS = """\
#ifdef __CUDACC__
#define STROBE_ON_CARD __device__
#define STROBE_TABLE __constant__
#else
#define STROBE_ON_CARD
#define STROBE_TABLE
#endif
"""

ABOUT = """\
Arrays lie on the card, and calls return before it is done; the result is a cudaError_t, 0 where all is well.
A stream is a cudaStream_t, or a null pointer. Built without CUDA, arrays lie in memory, and streams do nothing.
columns: entry j of state i is at j times states plus i; rows: at i times entries plus j.
out must not lie over an argument.""".splitlines()


def header(*functions: Function, name: str = "") -> str:
    """The .h file of functions of one origin."""
    first, about, body = functions[0], list[str](), list[str]()
    for function in functions:
        about += ["", *function.remarks()]
        body += [f"#define {macro} {size}" for macro, size in function.macros.items()]
        body += ["", *(f"{_prototype(function, layout)};" for layout in ("columns", "rows")), ""]
    body = [*first.origin.macros(name or first.name), *body]
    return guarded(name or first.name, [*about[1:], "", *ABOUT], body[:-1])


def source(*functions: Function, name: str = "") -> str:
    """The .cu file."""
    first = functions[0]
    needed: dict[str, str] = {}
    stored: list[str] = []
    bodies = [body_lines(function, needed, stored) for function in functions]
    lines = [
        *(block_comment(first.origin.made) if first.origin.made else ()),
        f'#include "{name or first.name}.h"',
        "",
        *preamble(first.fused, first.single),
        MACROS,
        *map(_on_card, needed.values()),
        *(_on_card("\n".join(("static " + line) if line.startswith("void ") else line for line in body)) + "\n"
          for body in bodies),
        "#ifdef __CUDACC__",
        COPIES.format(real=first.real),
        *(text for function in functions for text in _kernels(function)),
        "#else",
        *(text for function in functions for text in _loops(function)),
        "#endif",
    ]  # fmt: skip
    return "\n".join(lines) + "\n"


def _on_card(text: str) -> str:
    """Functions and tables of plain C, for a card."""
    text = re.sub(r"^static const", "STROBE_TABLE static const", text, flags=re.MULTILINE)
    return re.sub(r"^static (?!const)", "STROBE_ON_CARD static ", text, flags=re.MULTILINE)


def _pointers(function: Function) -> list[str]:
    given = [f"const {function.real} *{p.name}" for p in function.parameters]
    return [*given, f"{function.real} *out"]


def _prototype(function: Function, layout: str) -> str:
    arguments = ", ".join(["long long states", *_pointers(function), "void *stream"])
    return f"int {function.name}_{layout}({arguments})"


def _sizes(function: Function) -> dict[str, int]:
    return {p.name: p.size for p in function.parameters} | {"out": function.size}


def _block(function: Function) -> int:
    """Threads of a block whose rows fit in shared memory; none if those of few do not."""
    size = (4 if function.single else 8) * sum(n | 1 for n in _sizes(function).values())
    return next((threads for threads in BLOCKS if threads * size <= SHARED), 0)


def _words(function: Function) -> dict[str, str]:
    sizes, real = _sizes(function), function.real
    *given, _ = sizes
    indent = " " * 8
    own = [f"{indent}{real} own_{name}[{n}];" for name, n in sizes.items()]
    read = [
        f"{indent}for (int j = 0; j < {sizes[name]}; j++)\n{indent}    own_{name}[j] = {name}[j * states + i];"
        for name in given
    ]
    write = (
        f"{indent}for (int j = 0; j < {sizes['out']}; j++)\n{indent}    out[j * states + i] = own_out[j];"
    )
    call = f"{indent}{function.name}({', '.join(f'own_{name}' for name in sizes)});"
    direct = ", ".join(f"{name} + {n} * i" for name, n in sizes.items())
    return {
        "name": function.name, "real": real, "pointers": ", ".join(_pointers(function)),
        "passed": ", ".join(sizes), "columns": "\n".join([*own, *read, call, write]),
        "direct": f"{indent}{function.name}({direct});",
    }  # fmt: skip


def _kernels(function: Function) -> list[str]:
    words, block = _words(function), _block(function)
    columns = KERNEL.format(layout="columns", body=words["columns"], **words)
    if not block:
        rows = KERNEL.format(layout="rows", body=words["direct"], **words)
    else:
        rows = STAGED.format(block=block, **_staged(function, block), **words)
    launches = [
        LAUNCH.format(prototype=_prototype(function, layout), layout=layout, block=threads, **words)
        for layout, threads in (("columns", 128), ("rows", block or 128))
    ]
    return [columns, rows, *launches]


def _staged(function: Function, block: int) -> dict[str, str]:
    """Where rows lie in shared memory, and how they come and go."""
    sizes, places, end = _sizes(function), dict[str, int](), 0
    for name, n in sizes.items():
        places[name] = end
        end += block * (n | 1)
    fetched = [
        f"        fetch<{n}, {block}>(staged + {places[name]}, {name} + {n} * first, here);"
        for name, n in sizes.items()
        if name != "out"
    ]
    own = ", ".join(f"staged + {places[name]} + {n | 1} * threadIdx.x" for name, n in sizes.items())
    bring = f"        bring<{sizes['out']}, {block}>(out + {sizes['out']} * first, staged + {places['out']}, here);"
    call = f"            {function.name}({own});"
    return {"room": str(end), "fetched": "\n".join(fetched), "call": call, "brought": bring}


def _loops(function: Function) -> list[str]:
    words = _words(function)
    return [
        LOOP.format(prototype=_prototype(function, layout), body=words[body], **words)
        for layout, body in (("columns", "columns"), ("rows", "direct"))
    ]


COPIES = """\
/* rows of a block to shared memory and back; an odd distance between rows, or threads meet at one bank */
template <int size, int block>
static __device__ void fetch({real} *staged, const {real} *from, int rows)
{{
    for (int e = threadIdx.x; e < rows * size; e += block)
        staged[e / size * (size | 1) + e % size] = from[e];
}}

template <int size, int block>
static __device__ void bring({real} *to, const {real} *staged, int rows)
{{
    for (int e = threadIdx.x; e < rows * size; e += block)
        to[e] = staged[e / size * (size | 1) + e % size];
}}
"""

KERNEL = """\
static __global__ void {name}_{layout}_kernel(long long states, {pointers})
{{
    const long long step = (long long)gridDim.x * blockDim.x;
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < states; i += step) {{
{body}
    }}
}}
"""

STAGED = """\
static __global__ void {name}_rows_kernel(long long states, {pointers})
{{
    __shared__ {real} staged[{room}];
    for (long long first = {block}LL * blockIdx.x; first < states; first += {block}LL * gridDim.x) {{
        const int here = states - first < {block} ? (int)(states - first) : {block};
{fetched}
        __syncthreads();
        if ((int)threadIdx.x < here)
{call}
        __syncthreads();
{brought}
        __syncthreads();
    }}
}}
"""

LAUNCH = """\
{prototype}
{{
    const long long blocks = (states + {block} - 1) / {block}, most = 2147483647;
    if (states > 0)
        {name}_{layout}_kernel<<<(unsigned)(blocks < most ? blocks : most), {block}, 0, (cudaStream_t)stream>>>(
            states, {passed});
    return (int)cudaGetLastError();
}}
"""

LOOP = """\
{prototype}
{{
    (void)stream;
    for (long long i = 0; i < states; i++) {{
{body}
    }}
    return 0;
}}
"""


# -- the test ---------------------------------------------------------------------------------------------


def self_test(*tested: tuple[Function, Expected], name: str = "") -> str:
    """A program that holds both layouts of functions against results that are carried along."""
    about = [
        f"Tests {', '.join(function.name for function, _ in tested)}, by columns and by rows.",
        "A result passes if no number is off by more than a part of the scale, which is the largest number",
        "of the result, or a thousandth of what is usual among all results where that is more.",
    ]
    checks = [_check(*each) for each in tested]
    return check_program(name or tested[0][0].name, about, checks, f"{THERE}\n{FURTHER}")


def _check(function: Function, expected: Expected) -> Check:
    count, sizes, real = len(expected.results), _sizes(function), function.real
    tables: list[str] = []
    for given, parameter in zip(function.program.inputs, function.parameters, strict=True):
        rows = expected.states[given.name]
        for layout, numbers in (("rows", rows), ("columns", list(zip(*rows, strict=True)))):
            flat = [[x for row in numbers for x in row]]
            declared = f"{real} {layout}_{parameter.name}[1][{count * parameter.size}]"
            tables += table(declared, flat, lambda x: c_number(x, function.single))
    tables += table(f"double expected[{count}][{sizes['out']}]", expected.results)
    tables += table(f"double scale[{count}]", [[scale] for scale in expected.scales], plain=True)
    tolerance = f"{expected.tolerance:.0e}"
    return Check(
        function.name, count, tables, EACH.format(size=sizes["out"], count=count, tolerance=tolerance),
        f'"{function.name}, state %d: relative difference %.3g, allowed {tolerance}\\n", i, difference',
        f'"{function.name}: %d of {count} states wrong, largest relative difference %.2g\\n", wrong, worst',
        f"{count} states. Expected: {expected.route}. Tolerance: {expected.tolerance:.1g}",
        before="\n".join([f"static {real} columns[{count * sizes['out']}], rows[{count * sizes['out']}];",
                          *(line for layout in ("columns", "rows") for line in _asked(function, layout, count))]),
    )  # fmt: skip


def _asked(function: Function, layout: str, count: int) -> Sequence[str]:
    """A call on arrays that are brought there and back."""
    real, sizes = function.real, _sizes(function)
    places = {name: f"{layout}_{name}_there" for name in sizes}
    lines = [
        f"{real} *{places[name]} = ({real} *)there({f'{layout}_{name}' if name != 'out' else 'NULL'}, "
        f"sizeof({real}) * {count * n});"
        for name, n in sizes.items()
    ]
    passed = ", ".join(places.values())
    return [
        *lines,
        f"wrong += {function.name}_{layout}({count}, {passed}, NULL) != 0;",
        f"wrong += back({layout}, {places['out']}, sizeof({layout})) != 0;",
        *(f"gone({place});" for place in places.values()),
    ]


EACH = """\
double by_columns[{size}], by_rows[{size}], difference;
for (int k = 0; k < {size}; k++) {{
    by_columns[k] = (double)columns[k * {count} + i];
    by_rows[k] = (double)rows[i * {size} + k];
    good = good && (by_columns[k] == by_rows[k] || by_columns[k] != by_columns[k]);
}}
difference = further(0.0, by_rows, expected[i], {size}, scale[i]);
good = good && difference <= {tolerance};
if (worst == worst && !(difference <= worst))
    worst = difference;"""

THERE = """\
#include <stdlib.h>
#include <string.h>

#ifdef __CUDACC__
static void *there(const void *from, size_t size)
{
    void *place = NULL;
    if (cudaMalloc(&place, size) != cudaSuccess) {
        printf("there is no card, or it has no memory left\\n");
        exit(2);
    }
    if (from)
        cudaMemcpy(place, from, size, cudaMemcpyHostToDevice);
    return place;
}
static int back(void *to, const void *from, size_t size)
{
    return (int)cudaMemcpy(to, from, size, cudaMemcpyDeviceToHost);
}
static void gone(void *place) { cudaFree(place); }
#else
static void *there(const void *from, size_t size)
{
    void *place = malloc(size);
    if (!place)
        exit(2);
    if (from)
        memcpy(place, from, size);
    return place;
}
static int back(void *to, const void *from, size_t size)
{
    memcpy(to, from, size);
    return 0;
}
static void gone(void *place) { free(place); }
#endif
"""


def cmake_lists(name: str) -> str:
    """The CMakeLists.txt of a source and its test, for CUDA where it is and for plain C++ where it is not."""
    return CMAKE.format(name=name)


CMAKE = """\
# cmake -S . -B build && cmake --build build && ctest --test-dir build --output-on-failure
# Without CUDA, or with -DWITHOUT_CUDA=ON, the same source is built as plain C++.
cmake_minimum_required(VERSION 3.18)
project({name} LANGUAGES CXX)

option(WITHOUT_CUDA "build for this processor" OFF)
include(CheckLanguage)
check_language(CUDA)
set(sources {name}.cu test_{name}.cu)

if(CMAKE_CUDA_COMPILER AND NOT WITHOUT_CUDA)
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES 75 80 90)
  endif()
  enable_language(CUDA)
  set(flags --fmad=false)
else()
  set_source_files_properties(${{sources}} PROPERTIES LANGUAGE CXX)
  set(flags -x c++ -O2 -ffp-contract=off)
endif()

add_library({name} STATIC {name}.cu)
target_compile_options({name} PRIVATE ${{flags}})
target_include_directories({name} PUBLIC ${{CMAKE_CURRENT_SOURCE_DIR}})

add_executable(test_{name} test_{name}.cu)
target_compile_options(test_{name} PRIVATE ${{flags}})
target_link_libraries(test_{name} PRIVATE {name})

enable_testing()
add_test(NAME {name} COMMAND test_{name})
"""
