"""A gateway that makes a generated function callable from MATLAB: sizes and classes checked, columns are states.

    tau = strobe_panda_inverse_dynamics(q, qd, qdd)      % each 7 × N, or 7 × 1 for all N; the result 7 × N

A matrix result is r × c × N, several matrices are r × c × k × N, each in MATLAB's column order. Octave takes the
same gateway, build script and test.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from strobe.compiler.codegen.c import Function, block_comment
from strobe.compiler.codegen.c_test import Expected, Rows
from strobe.compiler.codegen.names import remark
from strobe.errors import counted


def gateway(function: Function) -> str:
    """The source of the MEX file, to be compiled together with the function's own."""
    matlab = "single" if function.single else "double"
    names = ", ".join(p.name for p in function.parameters)
    count = len(function.parameters)
    rows, columns, _ = _layout(function)
    sizes = _result_sizes(function)
    checks = "\n".join(
        f'    check(given[{k}], "{p.name}", {p.size}, &states);' for k, p in enumerate(function.parameters)
    )
    pointers = "\n".join(
        f"    const {function.real} *{p.name} = (const {function.real} *)mxGetData(given[{k}]);\n"
        f"    const size_t step_{k} = mxGetNumberOfElements(given[{k}]) == {p.size} ? 0 : {p.size};"
        for k, p in enumerate(function.parameters)
    )
    arguments = ", ".join(f"{p.name} + i * step_{k}" for k, p in enumerate(function.parameters))
    body = TEMPLATE.format(
        name=function.name,
        real=function.real,
        matlab=matlab,
        upper=matlab.upper(),
        test="mxIsSingle" if function.single else "mxIsDouble",
        names=names,
        arguments_taken=counted(count, "argument"),
        count=count,
        size=function.size,
        rows=rows,
        columns=columns,
        axes=len(sizes) + 1,
        sizes=", ".join(map(str, sizes)),
        checks=checks,
        pointers=pointers,
        arguments=arguments,
    )
    return "\n".join([*block_comment([f"out = {function.name}({names})", *_remarks(function)]), body])


def _layout(function: Function) -> tuple[int, int, int]:
    """Rows and columns of a result, and how many such matrices it has; a vector is one column."""
    shape = function.program.shape
    *pages, rows, columns = shape if len(shape) > 1 else (function.size, 1)
    return rows, columns, prod(pages)


def _result_sizes(function: Function) -> tuple[int, ...]:
    """The sizes of one state's result as MATLAB sees it."""
    return _layout(function)[: max(1, len(function.program.shape))]


def _remarks(function: Function) -> list[str]:
    sizes = " x ".join(map(str, [*_result_sizes(function), "N"]))
    return [*function.remarks(), "", f"In MATLAB a column is a state; N states give a result of {sizes}."]


def build_script(function: Function) -> str:
    """A MATLAB script that builds the MEX file."""
    name = function.name
    lines = [
        f"% Builds {name}: in MATLAB or Octave, in this folder, type build_{name}, then test_{name}",
        *(f"% {remark(line)}".rstrip() for line in _remarks(function)),
        f"mex('-R2018a', '-output', '{name}', '{name}_mex.c', '{name}.c');",
    ]
    return "\n".join(lines) + "\n"


def self_test(function: Function, expected: Expected) -> str:
    """A MATLAB function that ends in an error unless every result of the MEX file is within the tolerance."""
    inputs = zip(function.program.inputs, function.parameters, strict=True)
    cast = "single" if function.single else "double"
    return SELF_TEST.format(
        name=function.name,
        count=len(expected.results),
        route=remark(expected.route),
        tolerance=f"{expected.tolerance:.0e}",
        tables="\n".join(
            f"{p.name} = {cast}({_table(expected.states[given.name])});" for given, p in inputs
        ),
        names=", ".join(p.name for p in function.parameters),
        expected=_table([_in_columns(function, row) for row in expected.results]),
        scale=_table([[scale] for scale in expected.scales]),
        size=function.size,
    )


def _in_columns(function: Function, result: Sequence[float]) -> list[float]:
    """The numbers of one result in MATLAB's order."""
    rows, columns, pages = _layout(function)
    return [
        result[(page * rows + row) * columns + column]
        for page in range(pages)
        for column in range(columns)
        for row in range(rows)
    ]


def _table(states: Rows) -> str:
    """A matrix with one column per state, which has a line of its own."""
    lines = (" ".join(repr(float(x)) for x in row) for row in states)
    return "[ ...\n    " + "\n    ".join(lines) + "]'"


SELF_TEST = """\
function test_{name}()
% Tests {name} on {count} states; build_{name} comes first.
% Expected: {route}.
% Tolerance: {tolerance} of the scale of each result.
{tables}
expected = {expected};
scale = {scale};
out = reshape(double({name}({names})), {size}, {count});
difference = max(abs(out - expected), [], 1) ./ scale;
difference(any(isnan(out), 1)) = Inf;  % max passes over what is not a number
wrong = sum(difference > {tolerance});
fprintf('{name}: %d of {count} states wrong, largest relative difference %.2g\\n', wrong, max(difference));
if wrong
    error('strobe:test', '{name} does not give what is expected.');
end
end
"""

TEMPLATE = """\
#include "{name}.h"

#include <stddef.h>

#include "mex.h"

/* size by N numbers of class {matlab}, N the same for all arguments, or one state for all N */
static void check(const mxArray *array, const char *name, size_t size, size_t *states)
{{
    const size_t count = mxGetNumberOfElements(array);
    const int vector = count == size && (mxGetM(array) == 1 || mxGetN(array) == 1);
    if (!{test}(array) || mxIsComplex(array) || mxIsSparse(array))
        mexErrMsgIdAndTxt("strobe:class", "%s must be a full real array of class {matlab}.", name);
    if (mxGetNumberOfDimensions(array) != 2 || !(vector || mxGetM(array) == size))
        mexErrMsgIdAndTxt("strobe:size", "%s must have %d rows, one column per state.", name, (int)size);
    if (count == size)
        return;
    if (*states != 1 && count != *states * size)
        mexErrMsgIdAndTxt("strobe:size", "%s has %d columns; the arguments before it have %d.", name,
                          (int)mxGetN(array), (int)*states);
    *states = mxGetN(array);
}}

static void evaluate(const mxArray *given[], {real} *result, size_t states)
{{
{pointers}
    size_t i, page, row, column;
    for (i = 0; i < states; i++) {{
        {real} out[{size}];
        {name}({arguments}, out);
        for (page = 0; page < {size}; page += {rows} * {columns})
            for (row = 0; row < {rows}; row++)
                for (column = 0; column < {columns}; column++)
                    result[i * {size} + page + column * {rows} + row] = out[page + row * {columns} + column];
    }}
}}

void mexFunction(int results, mxArray *result[], int count, const mxArray *given[])
{{
    size_t states = 1;
    mwSize dimensions[{axes}] = {{{sizes}, 0}};
    if (count != {count})
        mexErrMsgIdAndTxt("strobe:arguments", "{name} takes {arguments_taken}: {names}.");
    if (results > 1)
        mexErrMsgIdAndTxt("strobe:results", "{name} gives one result.");
{checks}
    dimensions[{axes} - 1] = (mwSize)states;
    result[0] = mxCreateNumericArray({axes}, dimensions, mx{upper}_CLASS, mxREAL);
    evaluate(given, ({real} *)mxGetData(result[0]), states);
}}
"""
