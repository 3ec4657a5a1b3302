"""A gateway that makes a generated function callable from MATLAB: sizes and classes checked, columns are states.

    tau = strobe_panda_inverse_dynamics(q, qd, qdd)      % each 7 × N, or 7 × 1 for all N; the result 7 × N

A matrix result is r × c × N with MATLAB's column order.
"""

from __future__ import annotations

from strobe.codegen.c import Function, block_comment
from strobe.codegen.names import remark


def gateway(function: Function) -> str:
    """The source of the MEX file, to be compiled together with the function's own."""
    matlab = "single" if function.single else "double"
    names = ", ".join(p.name for p in function.parameters)
    count = len(function.parameters)
    rows, columns = (
        (*function.program.shape, 1)[:2] if len(function.program.shape) < 3 else (function.size, 1)
    )
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
        count=count,
        size=function.size,
        rows=rows,
        columns=columns,
        axes=3 if columns > 1 else 2,
        dimensions=f"{{{rows}, {columns}, 0}}" if columns > 1 else f"{{{rows}, 0}}",
        checks=checks,
        pointers=pointers,
        arguments=arguments,
    )
    return "\n".join([*block_comment([f"out = {function.name}({names})", *function.remarks()]), body])


def build_script(function: Function) -> str:
    """A MATLAB script that builds the MEX file."""
    name = function.name
    lines = [
        f"% Builds {name}: in MATLAB, in this folder, type build_{name}",
        *(f"% {remark(line)}".rstrip() for line in function.remarks()),
        f"mex('-R2018a', '-output', '{name}', '{name}_mex.c', '{name}.c');",
    ]
    return "\n".join(lines) + "\n"


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
    size_t i, row, column;
    for (i = 0; i < states; i++) {{
        {real} out[{size}];
        {name}({arguments}, out);
        for (row = 0; row < {rows}; row++)
            for (column = 0; column < {columns}; column++)
                result[i * {size} + column * {rows} + row] = out[row * {columns} + column];
    }}
}}

void mexFunction(int results, mxArray *result[], int count, const mxArray *given[])
{{
    size_t states = 1;
    mwSize dimensions[{axes}] = {dimensions};
    if (count != {count})
        mexErrMsgIdAndTxt("strobe:arguments", "{name} takes {count} arguments: {names}.");
    if (results > 1)
        mexErrMsgIdAndTxt("strobe:results", "{name} gives one result.");
{checks}
    dimensions[{axes} - 1] = (mwSize)states;
    result[0] = mxCreateNumericArray({axes}, dimensions, mx{upper}_CLASS, mxREAL);
    evaluate(given, ({real} *)mxGetData(result[0]), states);
}}
"""
