"""What stands between a WebAssembly module of ours and JavaScript: an ES module and its types.

    import { load } from "./strobe_panda_inverse_dynamics.js";
    const panda = await load();
    const tau = panda.evaluate(q, qd, qdd);       // one state: arrays of 7 in, a Float64Array of 7 out
    const all = panda.run(1000, Q, QD, QDD);      // 1000 states, row behind row

It runs in browsers, where `load` fetches the module that lies beside it, and in Node, where it is read from the disk.
"""

from __future__ import annotations

import json

from strobe.compiler.codegen.c import Function, block_comment
from strobe.compiler.codegen.c_test import Expected, Rows
from strobe.compiler.codegen.js import number


def wrapper(function: Function) -> str:
    """The .js file."""
    inputs = {p.name: p.size for p in function.parameters}
    names = "".join(f"{name}, " for name in inputs)
    return "\n".join(block_comment([*function.remarks(), "", *PROMISES])) + TEMPLATE.format(
        name=function.name,
        inputs=json.dumps(inputs),
        size=function.size,
        shape=list(function.program.shape),
        names=names,
        list=", ".join(inputs),
        bytes_at=f"{BYTES_AT}\n",
        calls=CALLS,
    )


def types(function: Function) -> str:
    """The .d.ts file."""
    arguments = "".join(f"{p.name}: ArrayLike<number>, " for p in function.parameters)
    return "\n".join(block_comment(function.remarks())) + TYPES.format(
        arguments=arguments,
        inputs=" ".join(f"readonly {p.name}: {p.size};" for p in function.parameters),
        size=function.size,
        shape=", ".join(map(str, function.program.shape)),
    )


def package(name: str) -> str:
    """What tells Node and bundlers that the .js file of this stem is an ES module, and where its types are."""
    beside = f"./{name}"
    exports = {".": {"types": f"{beside}.d.ts", "default": f"{beside}.js"}}
    return (
        json.dumps({"name": name, "version": "1.0.0", "type": "module", "exports": exports}, indent=2)
        + "\n"
    )


def self_test(function: Function, expected: Expected) -> str:
    """A program for Node that exits with 0 if every result is within the tolerance."""
    about = [
        f"Tests {function.name} on {len(expected.results)} states: node test_{function.name}.mjs",
        f"Expected: {expected.route}.",
    ]
    rows = [numbers(expected.states[given.name]) for given in function.program.inputs]
    return "\n".join(block_comment(about)) + TEST.format(
        name=function.name,
        count=len(expected.results),
        inputs=",\n".join(rows),
        results=numbers(expected.results),
        scales=numbers([expected.scales]),
        tolerance=f"{expected.tolerance:.0e}",
    )


def numbers(rows: Rows) -> str:
    """All numbers of rows in one array."""
    return f"[{', '.join(number(float(x)) for row in rows for x in row)}]"


PROMISES = (
    "Units are SI, angles radians.",
    "What is not a number, or an infinite angle, gives NaN where the result depends on it.",
)

BYTES_AT = """\
async function bytesAt(address) {
    const url = new URL(address, import.meta.url);
    if (url.protocol === "file:") {
        const { readFile } = await import("node:fs/promises");
        return readFile(url);
    }
    const answer = await fetch(url);
    if (!answer.ok) throw new Error(`cannot load ${url}: ${answer.status} ${answer.statusText}`);
    return answer.arrayBuffer();
}
"""

CALLS = """\
function count(n) {
    if (!Number.isInteger(n) || n < 0) throw new RangeError(`n is ${n}; expected a number of states.`);
    return n;
}

function checked(name, values, expected) {
    if (values?.length !== expected)
        throw new RangeError(`${name} has ${values?.length ?? "no"} numbers; expected ${expected}.`);
}

// what is given is laid behind one another in the module's memory, the results behind it
function inMemory({ memory, heap }, run, sizes, n, given, out) {
    const places = [];
    let end = heap.value;
    for (const size of sizes) {
        places.push(end);
        end += 8 * n * size;
    }
    const missing = end - memory.buffer.byteLength;
    if (missing > 0) memory.grow(Math.ceil(missing / 65536));
    const numbers = new Float64Array(memory.buffer);
    given.forEach((values, k) => numbers.set(values, places[k] / 8));
    run(n, ...places);
    const first = places.at(-1) / 8;
    out.set(numbers.subarray(first, first + out.length));
    return out;
}
"""

TEMPLATE = """
export const inputs = Object.freeze({inputs});
export const size = {size};
export const shape = Object.freeze({shape});

/** The module, instantiated: from beside this file, or from an address, its bytes or a compiled module. */
export async function load(source = new URL("./{name}.wasm", import.meta.url)) {{
    const given = source instanceof URL || typeof source === "string" ? await bytesAt(source) : source;
    const made = await WebAssembly.instantiate(given);
    return new Kernel((made.instance ?? made).exports);
}}

{bytes_at}class Kernel {{
    #code;

    constructor(code) {{
        this.#code = code;
    }}

    /** One state; the result is written into `out` if there is one. */
    evaluate({names}out = new Float64Array(size)) {{
        return this.#called(1, [{list}], out);
    }}

    /** n states, the numbers of each behind those of the one before. */
    run(n, {names}out = new Float64Array(count(n) * size)) {{
        return this.#called(count(n), [{list}], out);
    }}

    #called(n, given, out) {{
        Object.entries(inputs).forEach(([name, each], k) => checked(name, given[k], n * each));
        checked("out", out, n * size);
        return inMemory(this.#code, this.#code.run, [...Object.values(inputs), size], n, given, out);
    }}
}}

{calls}"""

TEST = """
import {{ load, size }} from "./{name}.js";

const given = [
{inputs}
];
const expected = {results};
const scale = {scales};

const kernel = await load();
const found = kernel.run({count}, ...given);
let worst = 0;
let wrong = 0;
for (let i = 0; i < {count}; i++) {{
    let difference = 0;
    for (let k = i * size; k < (i + 1) * size; k++) {{
        const d = Math.abs(found[k] - expected[k]) / scale[i];
        if (difference === difference && !(d <= difference)) difference = d; // once not a number, it stays so
    }}
    if (!(difference <= {tolerance})) {{
        console.log(`state ${{i}}: relative difference ${{difference}}, allowed {tolerance}`);
        wrong++;
    }}
    if (worst === worst && !(difference <= worst)) worst = difference;
}}
console.log(`{name}: ${{wrong}} of {count} states wrong, largest relative difference ${{worst}}`);
if (wrong) throw new Error("wrong results");
"""

TYPES = """
export interface Kernel {{
    /** One state; the result is written into `out` if there is one. */
    evaluate({arguments}out?: Float64Array): Float64Array;
    /** n states, the numbers of each behind those of the one before. */
    run(n: number, {arguments}out?: Float64Array): Float64Array;
}}

/** How many numbers each input has. */
export const inputs: {{ {inputs} }};
/** How many numbers a result has. */
export const size: {size};
/** Rows, columns and so on of a result, row by row. */
export const shape: readonly [{shape}];

/** The module, instantiated: from beside this file, or from an address, its bytes or a compiled module. */
export function load(source?: URL | string | BufferSource | WebAssembly.Module): Promise<Kernel>;
"""
