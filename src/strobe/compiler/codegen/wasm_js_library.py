"""What stands between a WebAssembly module of several functions and JavaScript: one ES module, its types and test.

    import { load } from "./strobe_panda.js";
    const panda = await load();
    const tau = panda.inverse_dynamics.evaluate(q, qd, qdd);
    const all = panda.jacobian.run(1000, Q);           // 1000 states, row behind row

The functions share one memory and what they need.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from strobe.compiler.codegen.c import Function, block_comment
from strobe.compiler.codegen.c_test import Expected
from strobe.compiler.codegen.wasm_js import BYTES_AT, CALLS, PROMISES, numbers


def wrapper(name: str, functions: Mapping[str, Function]) -> str:
    """The .js file of functions by the names that they have in JavaScript."""
    facts = {key: _facts(function) for key, function in functions.items()}
    about = block_comment([*_about(functions), "", *PROMISES])
    return "\n".join(about) + TEMPLATE.format(
        name=name, facts=json.dumps(facts, indent=4), bytes_at=BYTES_AT, calls=CALLS
    )


def types(functions: Mapping[str, Function]) -> str:
    """The .d.ts file."""
    members = "".join(_member(key, function) for key, function in functions.items())
    return "\n".join(block_comment(_about(functions))) + TYPES.format(members=members)


def self_test(name: str, tested: Mapping[str, tuple[Function, Expected]]) -> str:
    """A program for Node that exits with 0 if every result is within its tolerance."""
    cases = ",\n".join(_case(key, *each) for key, each in tested.items())
    about = block_comment([f"Tests all functions of {name}: node test_{name}.mjs"])
    return "\n".join(about) + TEST.format(name=name, cases=cases)


def _about(functions: Mapping[str, Function]) -> list[str]:
    first = next(iter(functions.values()))
    lines = list(first.origin.lines)
    for function in functions.values():
        lines += ["", *function.explanation()]
    return lines


def _facts(function: Function) -> dict[str, object]:
    inputs = {p.name: p.size for p in function.parameters}
    return {"inputs": inputs, "size": function.size, "shape": list(function.program.shape)}


def _member(key: str, function: Function) -> str:
    given = "".join(f"{p.name}: ArrayLike<number>, " for p in function.parameters)
    return MEMBER.format(key=key, given=given)


def _case(key: str, function: Function, expected: Expected) -> str:
    given = ", ".join(numbers(expected.states[each.name]) for each in function.program.inputs)
    return CASE.format(
        key=json.dumps(key),
        count=len(expected.results),
        given=given,
        results=numbers(expected.results),
        scales=numbers([expected.scales]),
        tolerance=f"{expected.tolerance:.0e}",
    )


TEMPLATE = """
/** Of every function: how many numbers each input and a result have, and the shape of a result, row by row. */
export const functions = {facts};

/** The functions by name: from the module beside this file, or from an address, its bytes or a compiled module. */
export async function load(source = new URL("./{name}.wasm", import.meta.url)) {{
    const given = source instanceof URL || typeof source === "string" ? await bytesAt(source) : source;
    const made = await WebAssembly.instantiate(given);
    const code = (made.instance ?? made).exports;
    return Object.fromEntries(Object.keys(functions).map((name) => [name, new Kernel(code, name)]));
}}

{bytes_at}
class Kernel {{
    #code;
    #run;
    #of;

    constructor(code, name) {{
        this.#code = code;
        this.#run = code[`run_${{name}}`];
        this.#of = functions[name];
    }}

    /** One state; the result is written into an array behind the inputs if there is one. */
    evaluate(...given) {{
        return this.run(1, ...given);
    }}

    /** n states, the numbers of each behind those of the one before. */
    run(n, ...given) {{
        const {{ inputs, size }} = this.#of;
        const names = Object.keys(inputs);
        const out = given.length > names.length ? given.pop() : new Float64Array(count(n) * size);
        if (given.length !== names.length)
            throw new RangeError(`${{given.length}} arguments; expected ${{names.join(", ")}}.`);
        names.forEach((name, k) => checked(name, given[k], n * inputs[name]));
        checked("out", out, n * size);
        return inMemory(this.#code, this.#run, [...Object.values(inputs), size], n, given, out);
    }}
}}

{calls}"""

MEMBER = """\
    {key}: {{
        evaluate({given}out?: Float64Array): Float64Array;
        run(n: number, {given}out?: Float64Array): Float64Array;
    }};
"""

TYPES = """
/** `evaluate` takes one state, `run` n of them, the numbers of each behind those of the one before. */
export interface Kernels {{
{members}}}

/** Of every function: how many numbers each input and a result have, and the shape of a result, row by row. */
export const functions: {{
    readonly [name in keyof Kernels]: {{
        readonly inputs: Readonly<Record<string, number>>;
        readonly size: number;
        readonly shape: readonly number[];
    }};
}};

/** The functions by name: from the module beside this file, or from an address, its bytes or a compiled module. */
export function load(source?: URL | string | BufferSource | WebAssembly.Module): Promise<Kernels>;
"""

CASE = """\
    {{
        name: {key},
        count: {count},
        given: [{given}],
        expected: {results},
        scale: {scales},
        tolerance: {tolerance},
    }}"""

TEST = """
import {{ functions, load }} from "./{name}.js";

const cases = [
{cases}
];

const kernels = await load();
let failed = 0;
for (const {{ name, count, given, expected, scale, tolerance }} of cases) {{
    const size = functions[name].size;
    const found = kernels[name].run(count, ...given);
    let worst = 0;
    let wrong = 0;
    for (let i = 0; i < count; i++) {{
        let difference = 0;
        for (let k = i * size; k < (i + 1) * size; k++) {{
            const d = Math.abs(found[k] - expected[k]) / scale[i];
            if (difference === difference && !(d <= difference)) difference = d; // once not a number, it stays so
        }}
        if (!(difference <= tolerance)) wrong++;
        if (worst === worst && !(difference <= worst)) worst = difference;
    }}
    console.log(`${{name}}: ${{wrong}} of ${{count}} states wrong, largest relative difference ${{worst}}`);
    failed += wrong;
}}
if (failed) throw new Error("wrong results");
"""
