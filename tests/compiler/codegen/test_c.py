"""Generated C: clean, reentrant, exact in its sines, and harmless whatever a model file calls its parts."""

import ctypes
import math
import re
import shutil
import subprocess
import sys
from dataclasses import replace

import mpmath
import numpy as np
import pytest

import strobe
from strobe.compiler.codegen import c, c_test, mex, python_cffi
from strobe.compiler.codegen.names import KEYWORDS, Names, identifier, remark, remarks
from strobe.compiler.graph.program import trace
from strobe.compiler.runtime.kernels import Kernel
from strobe.quantities import Request
from strobe.scalars import Graph, cos, sin
from strobe.scalars.functions import absolute, atan2, less, maximum, minimum, sqrt, tanh, where

STRICT = ["-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror"]
HOSTILE = [
    '*/ system("rm -rf")',
    "a\nb\r\n#error",
    "??/\n*/ \\",
    "Ø→é\u2028x",
    "",
    "int",
    "9lives",
    '"""',
    "%s%n",
]

needs_gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")


def gcc(*arguments):
    done = subprocess.run(["gcc", *map(str, arguments)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done


def written(folder, function):
    (folder / f"{function.name}.h").write_text(c.header(function), "ascii")
    path = folder / f"{function.name}.c"
    path.write_text(c.source(function), "ascii")
    return path


def built(folder, function, *flags):
    """The function as one of NumPy rows, through a shared library."""
    library = folder / f"{function.name}.so"
    gcc(*STRICT, *(flags or ["-O2"]), "-shared", "-fPIC", "-o", library, written(folder, function), "-lm")
    raw = getattr(ctypes.CDLL(str(library)), function.name)
    raw.restype = None
    dtype = np.float32 if function.single else np.float64
    pointer = ctypes.POINTER(ctypes.c_float if function.single else ctypes.c_double)

    def call(*rows, out=None):
        arrays = [np.ascontiguousarray(row, dtype) for row in rows]
        assert [a.shape for a in arrays] == [(p.size,) for p in function.parameters]
        result = np.empty(function.size, dtype) if out is None else out
        raw(*(a.ctypes.data_as(pointer) for a in (*arrays, result)))
        return result.reshape(function.program.shape)

    return call


def circle(single=False):
    program = trace(lambda x: [sin(x[0]), cos(x[0])], {"x": 1}, (2,), Graph())
    return c.Function("circle", program, single)


def compiled(name, quantity="inverse_dynamics", single=False, **options):
    robot = strobe.load(name)
    program = Kernel(robot.model, Request(quantity, **options)).program
    return robot, c.Function(f"strobe_{name}_{quantity}", program, single)


# -- sines and cosines --------------------------------------------------------------------------------


def worst(call, xs):
    """The largest error in units of the last place."""
    with mpmath.workdps(60):
        error = 0
        for x in xs:
            for value, exact in zip(
                call([x]), (mpmath.sin(mpmath.mpf(x)), mpmath.cos(mpmath.mpf(x))), strict=True
            ):
                error = max(
                    error, abs(mpmath.mpf(float(value)) - exact) / mpmath.mpf(math.ulp(float(exact)))
                )
        return error


@needs_gcc
@pytest.mark.parametrize(
    "flags", [["-O0"], ["-O3", "-march=native", "-ffp-contract=fast"]], ids=["plain", "fused"]
)
def test_sines_and_cosines_are_within_one_unit_in_the_last_place_everywhere(tmp_path, flags):
    call = built(tmp_path, circle(), *flags)
    rng = np.random.default_rng(7)
    sizes = [*rng.uniform(-30, 20, 300), *rng.uniform(20, 1023.9, 500), 20.0]
    usual = [
        float(sign * 2.0**size) for size, sign in zip(sizes, rng.choice([-1, 1], len(sizes)), strict=True)
    ]
    assert worst(call, usual) < 1.0


@needs_gcc
def test_large_angles_beside_multiples_of_right_angles_keep_every_digit(tmp_path):
    call = built(tmp_path, circle())
    nearest = 6381956970095103.0 * 2.0**797  # its cosine is 4.7e-19
    bounds = [2.0**20, np.nextafter(2.0**20, 0), np.nextafter(2.0**20, 1e9), sys.float_info.max]
    near = [k * math.pi / 2 for k in (667544, 667545, 10**9, 10**15, 12345678901234567)]
    near += [826882.8943881015, 413441.44719405076]  # closest to multiples for their size
    assert worst(call, [*bounds, *near, nearest, -nearest]) < 1.0
    assert abs(call([nearest])[1]) < 1e-18


@needs_gcc
def test_infinity_and_nan_give_nan_and_zero_keeps_its_sign(tmp_path):
    call = built(tmp_path, circle())
    for x in (math.inf, -math.inf, math.nan):
        assert np.isnan(call([x])).all()
    assert call([-0.0]).tolist() == [0.0, 1.0]
    assert math.copysign(1.0, call([-0.0])[0]) == -1.0
    assert call([5e-324])[0] == 5e-324


@needs_gcc
def test_a_compiler_that_may_ignore_nan_is_refused(tmp_path):
    path = written(tmp_path, circle())
    done = subprocess.run(
        ["gcc", "-ffast-math", "-c", "-o", tmp_path / "x.o", path], capture_output=True, text=True
    )
    assert done.returncode != 0
    assert "-ffast-math" in done.stderr


# -- operations ---------------------------------------------------------------------------------------


@needs_gcc
@pytest.mark.parametrize("single", [False, True], ids=["double", "float"])
def test_every_operation_means_what_numpy_means(tmp_path, single):
    def every(x, y):
        (a,), (b,) = x, y
        chosen = where(less(a, b), a, b * 2.0)
        return [
            a + b, a - b, a * b, a / b, -a, sqrt(absolute(a)), tanh(a), atan2(a, b), minimum(a, b), maximum(a, b),
            less(a, b), chosen, a * b + a * 3.0, math.nan, math.inf, -math.inf,
        ]  # fmt: skip

    function = c.Function("every", trace(every, {"x": 1, "y": 1}, (16,), Graph()), single)
    call = built(tmp_path, function)
    real = np.float32 if single else np.float64
    for a, b in [(1.5, -2.25), (-0.75, 3.0), (2.0, 2.0), (math.nan, 1.0), (1.0, math.nan), (math.inf, 1.0)]:
        x, y = real(a), real(b)
        with np.errstate(all="ignore"):
            expected = [
                x + y, x - y, x * y, x / y, -x, np.sqrt(abs(x)), np.tanh(x), np.arctan2(x, y), np.minimum(x, y),
                np.maximum(x, y), real(x < y), x if x < y else y * 2, x * y + x * 3, math.nan, math.inf, -math.inf,
            ]  # fmt: skip
        assert np.allclose(call([a], [b]), expected, rtol=1e-6 if single else 1e-15, atol=0, equal_nan=True)


@pytest.mark.parametrize("value", [0.1, -1 / 3, 1e-310, 1.7976931348623157e308, 5e-324, 2.0, 1e22, -0.0])
def test_constants_read_back_exactly(value):
    assert float(c.number(value).strip("()")) == value
    text = c.number(value, single=True).strip("()").removesuffix("f")
    with np.errstate(over="ignore"):
        if "INFINITY" not in text:
            assert np.float32(text) == np.float32(value)
        else:
            assert np.isinf(np.float32(value))


# -- whole robots -------------------------------------------------------------------------------------


@needs_gcc
def test_generated_c_and_the_kernel_give_the_same_torques(tmp_path):
    robot, function = compiled("panda")
    call = built(tmp_path, function)
    q, qd, qdd = robot.random_state(seed=3, batch=20)
    expected = robot.inverse_dynamics(q, qd, qdd)
    got = np.array([call(*rows) for rows in zip(q, qd, qdd, strict=True)])
    assert abs(got - expected).max() < 1e-13 * abs(expected).max()


@needs_gcc
def test_the_result_may_lie_over_an_argument(tmp_path):
    robot, function = compiled("planar3")
    call = built(tmp_path, function)
    q, qd, qdd = robot.random_state(seed=4)
    expected = call(q, qd, qdd).copy()
    over = qdd.copy()
    assert call(q, qd, over, out=over).tolist() == expected.tolist()


@pytest.mark.slow
@needs_gcc
def test_a_compiled_source_holds_no_writable_data_and_calls_no_allocator(tmp_path):
    _, function = compiled("panda", "forward_dynamics")
    target = tmp_path / "code.o"
    gcc(*STRICT, "-O2", "-c", "-o", target, written(tmp_path, function))
    symbols = subprocess.run(["nm", target], capture_output=True, text=True, check=True).stdout.split("\n")
    kinds = {line.split()[-1]: line.split()[-2] for line in symbols if line}
    assert not {name for name, kind in kinds.items() if kind in "bBdDC"}
    assert {name for name, kind in kinds.items() if kind == "T"} == {function.name}
    assert {name for name, kind in kinds.items() if kind == "U"} <= {"memcpy", "sqrt"}


@needs_gcc
def test_the_header_serves_cpp(tmp_path):
    _, function = compiled("planar2")
    written(tmp_path, function)
    user = tmp_path / "user.cpp"
    user.write_text(
        f'#include "{function.name}.h"\n'
        f"void (*f)(const double *, const double *, const double *, double *) = {function.name};\n"
    )
    if shutil.which("g++") is None:
        pytest.skip("g++ is not installed")
    subprocess.run(["g++", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", user], check=True)


# -- names --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", [*HOSTILE, "tool", "base/link", "x" * 500, *sorted(KEYWORDS)[:5]])
def test_identifiers_are_plain_and_never_keywords(text):
    name = identifier(text)
    assert re.fullmatch(r"[A-Za-z][A-Za-z0-9_]{0,60}", name)
    assert name not in KEYWORDS


def test_names_that_collide_are_numbered():
    names = Names()
    given = [names.new(text) for text in ("a b", "a/b", "a_b", "a_b_2", "out")]
    assert given == ["a_b", "a_b_2", "a_b_3", "a_b_2_2", "out_2"]


@pytest.mark.parametrize("text", HOSTILE)
def test_remarks_cannot_end_a_comment_a_line_or_a_string(text):
    for said in (remark(text), *remarks([text, f"  {text} {text * 50}"])):
        assert said.isascii()
        assert said.isprintable()
        assert not set('*\\?"%\n\r') & set(said)  # a slash alone ends nothing


def test_long_remarks_go_on_below_and_lose_nothing():
    text = "  " + " ".join(f"d tau[{k}] / d q[{k}]" for k in range(40))
    rows = remarks([text, "", "short"])
    assert max(map(len, rows)) <= 100
    assert " ".join(" ".join(rows).split()) == f"{' '.join(text.split())} short"
    assert rows[-2:] == ["", "short"]


def hostile(single=False):
    """planar2 whose every name is an attack, with wrenches on two frames whose identifiers collide."""
    robot = strobe.load("planar2").with_frame("a b").with_frame("a/b").with_frame(HOSTILE[0])
    bodies = tuple(
        replace(body, joint=replace(body.joint, name=HOSTILE[k]))
        for k, body in enumerate(robot.model.bodies)
    )
    model = replace(robot.model, name=HOSTILE[1], bodies=bodies)
    request = Request("inverse_dynamics", loaded=("a b", "a/b", HOSTILE[0]), gravity=True)
    told = {f"wrench {frame}": frame for frame in request.loaded} | {"out": HOSTILE[2], "q": HOSTILE[0]}
    about = (f"inverse_dynamics of {model.name}", *HOSTILE)
    program = Kernel(model, request).program
    return c.Function(f"strobe_{identifier(model.name)}_id", program, single, about, told)


@needs_gcc
def test_hostile_names_neither_break_the_code_nor_enter_it(tmp_path):
    function = hostile()
    assert [p.name for p in function.parameters][3:6] == [
        "wrench_a_b",
        "wrench_a_b_2",
        "wrench_system_rm_rf",
    ]
    texts = [
        c.header(function),
        c.source(function),
        mex.gateway(function),
        python_cffi.build_script(function),
    ]
    for text in texts:
        assert text.isascii()
        code = re.sub(r'/\*.*?\*/|""".*?"""', "", text, flags=re.DOTALL)
        assert "system(" not in code
        assert "#error\n" not in text
        assert "??" not in text
    built(tmp_path, function)(*([0.5] * p.size for p in function.parameters))
    compile(texts[3], "build.py", "exec")


# -- the self-test ------------------------------------------------------------------------------------


@needs_gcc
@pytest.mark.parametrize("answer", [1.0, 1.001, math.nan], ids=["right", "wrong", "undefined"])
def test_the_self_test_tells_right_from_wrong(tmp_path, answer):
    function = c.Function("same", trace(lambda x: [x[0] * 1.0 + 0.0, x[1]], {"x": 2}, (2,), Graph()))
    expected = c_test.Expected({"x": [[0.5, answer]]}, [[0.5, 1.0]], [1.0], 1e-12, "given")
    written(tmp_path, function)
    (tmp_path / "test_same.c").write_text(c_test.self_test((function, expected)))
    (tmp_path / "Makefile").write_text(c_test.make_rules("same"))
    done = subprocess.run(["make", "-C", tmp_path, "test", "CC=gcc"], capture_output=True, text=True)
    assert ("0 of 1 states wrong" in done.stdout) == (answer == 1.0), done.stdout + done.stderr
    assert (done.returncode == 0) == (answer == 1.0)


# -- MATLAB, whose own header and library are not at hand: a small stand-in takes their place ---------

MEX_H = """
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
typedef size_t mwSize;
typedef enum { mxDOUBLE_CLASS, mxSINGLE_CLASS } mxClassID;
typedef enum { mxREAL } mxComplexity;
typedef struct { mxClassID kind; mwSize axes; mwSize sizes[3]; void *data; } mxArray;
extern jmp_buf failed;
static inline size_t mxGetM(const mxArray *a) { return a->sizes[0]; }
static inline size_t mxGetN(const mxArray *a) { return a->axes == 3 ? a->sizes[1] * a->sizes[2] : a->sizes[1]; }
static inline size_t mxGetNumberOfElements(const mxArray *a) { return mxGetM(a) * mxGetN(a); }
static inline mwSize mxGetNumberOfDimensions(const mxArray *a) { return a->axes; }
static inline int mxIsDouble(const mxArray *a) { return a->kind == mxDOUBLE_CLASS; }
static inline int mxIsSingle(const mxArray *a) { return a->kind == mxSINGLE_CLASS; }
static inline int mxIsComplex(const mxArray *a) { (void)a; return 0; }
static inline int mxIsSparse(const mxArray *a) { (void)a; return 0; }
static inline void *mxGetData(const mxArray *a) { return a->data; }
static inline mxArray *mxCreateNumericArray(mwSize axes, const mwSize *sizes, mxClassID kind, mxComplexity c)
{
    mxArray *a = calloc(1, sizeof *a);
    size_t k, count = 1;
    (void)c;
    a->kind = kind;
    a->axes = axes;
    for (k = 0; k < axes; k++) { a->sizes[k] = sizes[k]; count *= sizes[k]; }
    a->data = calloc(count + 1, 8);
    return a;
}
static inline void mexErrMsgIdAndTxt(const char *id, const char *form, ...)
{
    va_list rest;
    va_start(rest, form);
    printf("%s ", id);
    vprintf(form, rest);
    printf("\\n");
    va_end(rest);
    longjmp(failed, 1);
}
void mexFunction(int results, mxArray *result[], int count, const mxArray *given[]);
"""

MEX_MAIN = """
#include "mex.h"
jmp_buf failed;
static void show(int count, mxArray *q, mxArray *qd)
{
    const mxArray *given[2];
    mxArray *result[1] = {NULL};
    size_t k;
    given[0] = q;
    given[1] = qd;
    if (setjmp(failed)) return;
    mexFunction(1, result, count, given);
    printf("%d:", (int)result[0]->axes);
    for (k = 0; k < result[0]->axes; k++) printf(" %d", (int)result[0]->sizes[k]);
    for (k = 0; k < mxGetNumberOfElements(result[0]); k++) printf(" %.17g", ((double *)result[0]->data)[k]);
    printf("\\n");
    free(result[0]->data);
    free(result[0]);
}
int main(void)
{
    double q[6] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6}, qd[2] = {1.5, -0.5};
    mxArray three = {mxDOUBLE_CLASS, 2, {2, 3, 1}, q}, one = {mxDOUBLE_CLASS, 2, {1, 2, 1}, qd};
    mxArray two = {mxDOUBLE_CLASS, 2, {2, 2, 1}, q}, wrong = {mxDOUBLE_CLASS, 2, {3, 2, 1}, q};
    mxArray single = {mxSINGLE_CLASS, 2, {2, 1, 1}, q}, none = {mxDOUBLE_CLASS, 2, {2, 0, 1}, q};
    show(2, &three, &one);
    show(1, &three, &one);
    show(2, &three, &two);
    show(2, &wrong, &one);
    show(2, &single, &one);
    show(2, &none, &one);
    return 0;
}
"""


@needs_gcc
def test_the_matlab_gateway_checks_sizes_and_turns_matrices_to_columns(tmp_path):
    robot, function = compiled("planar2", "coriolis_matrix")
    path = written(tmp_path, function)
    (tmp_path / "mex.h").write_text(MEX_H)
    (tmp_path / "main.c").write_text(MEX_MAIN)
    (tmp_path / "gateway.c").write_text(mex.gateway(function))
    program = tmp_path / "program"
    sanitised = ["-fsanitize=address,undefined", "-g"]
    gcc(*STRICT, *sanitised, "-o", program, tmp_path / "main.c", tmp_path / "gateway.c", path, "-lm")
    done = subprocess.run([program], capture_output=True, text=True, check=True)
    shown, *errors, empty = done.stdout.splitlines()
    head, numbers = shown.split(" ")[:4], [float(x) for x in shown.split(" ")[4:]]
    assert head == ["3:", "2", "2", "3"]
    C = robot.coriolis_matrix([[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]], [1.5, -0.5])
    assert np.allclose(numbers, C.transpose(0, 2, 1).ravel(), rtol=1e-14)
    assert errors == [
        "strobe:arguments strobe_planar2_coriolis_matrix takes 2 arguments: q, qd.",
        "strobe:size qd has 2 columns; the arguments before it have 3.",
        "strobe:size q must have 2 rows, one column per state.",
        "strobe:class q must be a full real array of class double.",
    ]
    assert empty == "3: 2 2 0"


# -- Python -------------------------------------------------------------------------------------------


@pytest.mark.slow
@needs_gcc
@pytest.mark.parametrize("single", [False, True], ids=["double", "float"])
def test_the_cffi_module_computes_on_numpy_arrays_and_refuses_short_ones(tmp_path, single):
    pytest.importorskip("cffi", reason="cffi is not installed")
    robot, function = compiled("planar2", single=single)
    written(tmp_path, function)
    (tmp_path / f"build_{function.name}.py").write_text(python_cffi.build_script(function))
    done = subprocess.run(
        [sys.executable, tmp_path / f"build_{function.name}.py"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    if "Python.h" in done.stderr + done.stdout and done.returncode:
        pytest.skip("Python's C header (Python.h) is not installed")
    assert done.returncode == 0, done.stdout + done.stderr
    dtype = "float32" if single else "float64"
    q, qd, qdd = [0.7, -1.1], [1.3, -0.6], [-0.8, 2.1]
    user = f"""
import numpy as np
from _{function.name} import ffi, lib
q, qd, qdd = (np.array(x, np.{dtype}) for x in ({q}, {qd}, {qdd}))
out = np.empty(2, np.{dtype})
view = lambda x: ffi.from_buffer("{function.real}[2]", x)
lib.{function.name}(view(q), view(qd), view(qdd), view(out))
print(*out)
try:
    view(q[:1])
except ValueError:
    print("too short")
"""
    said = subprocess.run(
        [sys.executable, "-c", user], capture_output=True, text=True, cwd=tmp_path, check=True
    )
    numbers, refused = said.stdout.splitlines()
    expected = robot.inverse_dynamics(q, qd, qdd)
    assert np.allclose([float(x) for x in numbers.split()], expected, rtol=1e-6 if single else 1e-13)
    assert refused == "too short"
