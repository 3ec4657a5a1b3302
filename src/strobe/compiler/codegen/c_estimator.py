"""An estimator as portable C99: least squares over samples as they come, in a state of fixed size.

    estimator_start(&state);                                    once
    estimator_step(&state, q, qd, qdd, tau);                    every sample
    estimator_values(&state, values);                           whenever they are wanted
    estimator_deviations(&state, deviations);

A step makes a row for each joint, a traced program, and turns it into the triangles of the state: the rotations of
`llvm_triangles`, one by one. Values are found by substitution from the last unknown to the first. An unknown whose
pivot is nothing beside its column is open: its value is 0, its deviation infinite.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from strobe.compiler.codegen.c import UNKNOWN, Origin, Statements, block_comment, guarded, number, preamble
from strobe.compiler.codegen.c_test import Check, Rows, check_program, make_rules, table
from strobe.compiler.codegen.names import Names
from strobe.compiler.codegen.triangles import Triangles
from strobe.compiler.graph.fuse import fuse
from strobe.compiler.graph.program import Program

INPUTS = ("q", "qd", "qdd", "tau")


@dataclass(frozen=True)
class CEstimator:
    """What is generated."""

    name: str  # an identifier: of files, types and functions
    about: tuple[str, ...]
    sizes: Triangles
    program: Program  # from a sample to its rows, joint by joint, without zeros behind them
    unknowns: tuple[str, ...]  # what they are: those that all joints share, then each joint's own
    parts: tuple[int, ...]  # unknowns that others hold already
    first: Sequence[Sequence[float]] | None  # the triangles before any sample, row by row
    root: float  # by which they fade every step
    noise_known: bool
    origin: Origin = UNKNOWN

    @property
    def width(self) -> int:
        """Numbers of a row."""
        return self.sizes.unknowns + 1

    @property
    def count(self) -> int:
        return self.sizes.rows

    @property
    def declarations(self) -> dict[str, str]:
        """The functions by what they do."""
        n, state, k = self.name, f"{self.name}_state *state", self.count
        given = ", ".join(f"const double {x}[{self.sizes.joints}]" for x in INPUTS)
        return {
            "start": f"void {n}_start({state})",
            "step": f"int {n}_step({state}, {given})",
            "values": f"int {n}_values(const {state}, double values[{k}])",
            "deviations": f"void {n}_deviations(const {state}, double deviations[{k}])",
        }


def header(e: CEstimator) -> str:
    """The .h file, for C and C++."""
    z = e.sizes
    own = (
        [f"    double own[{z.joints * z.own}][{e.width}]; /* of each joint alone, joint by joint */"]
        if z.own
        else []
    )
    body = [
        *e.origin.macros(e.name),
        f"#define {e.name.upper()}_UNKNOWNS {e.count}",
        "",
        "typedef struct {",
        *own,
        f"    double shared[{z.shared}][{e.width}]; /* of what all joints share */",
        f"    double left[{z.joints}]; /* squares that are left over, of each joint */",
        f"    double told[{z.joints}]; /* rows that said something, of each joint */",
        f"}} {e.name}_state;",
        "",
        *(f"{declaration};" for declaration in e.declarations.values()),
    ]
    origin = ["", *e.origin.lines] if e.origin.lines else []
    told = ["", *(f"values[{k}]: {name}" for k, name in enumerate(e.unknowns))]
    promises = [line.format(name=e.name) for line in PROMISES]
    return guarded(e.name, [*e.about, *origin, "", *promises, *told], body)


def source(e: CEstimator) -> str:
    """The .c file."""
    needed: dict[str, str] = {}
    names = Names([*INPUTS, "rows"])
    places = {f"{x}[{k}]": f"{x}[{k}]" for x in INPUTS for k in range(e.sizes.joints)}
    body = Statements(fuse(e.program), places, names, needed, fused=True)
    stores = [f"rows[{k // e.width}][{k % e.width}] = {value};" for k, value in enumerate(body.results())]
    unused = [f"(void){x};" for x in INPUTS if x not in e.program.inputs_read]
    z, words = e.sizes, _words(e)
    given = ", ".join(f"const double {x}[{z.joints}]" for x in INPUTS)
    lines = [
        *block_comment([*e.about[:1], *e.origin.made]),
        f'#include "{e.name}.h"',
        "",
        *preamble(fused=True),
        *needed.values(),
        f"static void make_rows({given}, double rows[{z.joints}][{e.width}])",
        "{",
        *(f"    {line}" for line in (*unused, *body.lines, *stores)),
        "}",
        "",
    ]
    return (
        "\n".join(lines)
        + TURN.format(**words)
        + "\n"
        + _started(e)
        + STEP.format(**words)
        + SOLVE.format(**words)
    )


def _words(e: CEstimator) -> dict[str, Any]:
    z = e.sizes
    declared = {f"declared_{what}": text for what, text in e.declarations.items()}
    own = (
        f"k < {z.own} ? state->own[{z.own} * joint + k] : state->shared[k - {z.own}]"
        if z.own
        else "state->shared[k]"
    )
    of_rows = {"own": z.joints * z.own, "shared": z.shared}
    fades = [
        line
        for key, rows in of_rows.items()
        for line in (
            f"for (int k = 0; k < {rows}; k++)",
            f"    fade(state->{key}[k], {e.width}, {number(e.root)});",
        )
        if rows
    ]
    fades += [f"fade(state->{key}, {z.joints}, {number(e.root * e.root)});" for key in ("left", "told")]
    fading = e.root != 1.0
    parts = "".join(f"    deviations[{k}] = 0.0;\n" for k in e.parts)
    return declared | {
        "name": e.name, "joints": z.joints, "own": z.own, "shared": z.shared, "unknowns": z.unknowns,
        "width": e.width, "row": own, "fade": FADE if fading else "",
        "fades": "".join(f"    {line}\n" for line in fades) if fading else "",
        "parts": parts, "held": len(e.parts), "free": e.count - len(e.parts),
        "scale": "1.0" if e.noise_known else f"scale_of(state, {e.count - len(e.parts)} - open)",
        "scale_of": "" if e.noise_known else SCALE.format(name=e.name, joints=z.joints),
    }  # fmt: skip


def _started(e: CEstimator) -> str:
    """What begins: zeros, or what was known before."""
    z = e.sizes
    lines = [e.declarations["start"], "{"]
    if e.first is None:
        lines += [
            f"    static const {e.name}_state nothing = {{.left = {{0.0}}}};",
            "    *state = nothing;",
        ]
        return "\n".join([*lines, "}", "", ""])
    rows = ["{" + ", ".join(number(float(x)) for x in row) + "}" for row in e.first]
    lines += [f"    static const {e.name}_state known = {{"]
    if z.own:
        lines += [
            "        .own = {",
            *(f"            {row}," for row in rows[: z.joints * z.own]),
            "        },",
        ]
    lines += [
        "        .shared = {",
        *(f"            {row}," for row in rows[z.joints * z.own :]),
        "        },",
    ]
    return "\n".join([*lines, "    };", "    *state = known;", "}", "", ""])


TURN = """\
/* a row into the triangle of a joint, by rotations that each take one number of it away */
static int turned_in({name}_state *state, int joint, double w[{width}])
{{
    int used = 0;
    for (int j = 0; j < {width}; j++)
        if (!(w[j] - w[j] == 0.0))
            return 0;
    for (int k = 0; k < {unknowns}; k++) {{
        double *row = {row};
        const double square = w[k] * w[k];
        if (square == 0.0)
            continue;
        const double size = sqrt(fma(row[k], row[k], square));
        const double c = row[k] / size, s = w[k] / size;
        for (int j = k; j < {width}; j++) {{
            const double a = row[j], b = w[j];
            const double sb = s * b, sa = s * a;
            row[j] = fma(c, a, sb);
            w[j] = fma(c, b, -sa);
        }}
        used = 1;
    }}
    state->left[joint] = fma(w[{unknowns}], w[{unknowns}], state->left[joint]);
    state->told[joint] += used;
    return used;
}}
{fade}"""

FADE = """
static void fade(double *x, int size, double factor)
{
    for (int k = 0; k < size; k++)
        x[k] *= factor;
}
"""

STEP = """\
{declared_step}
{{
    double rows[{joints}][{width}];
    int taken = 0;
    make_rows(q, qd, qdd, tau, rows);
{fades}    for (int joint = 0; joint < {joints}; joint++)
        taken += turned_in(state, joint, rows[joint]);
    return taken;
}}
"""

SOLVE = """
/* the row of a joint's triangle that begins with an unknown of its */
static const double *row_of(const {name}_state *state, int joint, int k)
{{
    (void)joint;
    return {row};
}}

/* whether the pivot of an unknown is nothing beside its column */
static int is_open(const {name}_state *state, int joint, int k)
{{
    double largest = 0.0;
    for (int i = 0; i <= k; i++)
        largest = fmax(largest, fabs(row_of(state, joint, i)[k]));
    return !(fabs(row_of(state, joint, k)[k]) > 1e-9 * largest);
}}

/* unknowns of a joint's triangle from the last to the first; how many of them are open */
static int solved(const {name}_state *state, int joint, int first, int last, double x[{unknowns}])
{{
    int open = 0;
    for (int k = last - 1; k >= first; k--) {{
        const double *row = row_of(state, joint, k);
        double rest = row[{unknowns}];
        for (int j = k + 1; j < {unknowns}; j++)
            rest -= row[j] * x[j];
        if (is_open(state, joint, k)) {{
            x[k] = 0.0;
            open++;
        }} else {{
            x[k] = rest / row[k];
        }}
    }}
    return open;
}}

{declared_values}
{{
    double x[{unknowns}];
    int open = solved(state, 0, {own}, {unknowns}, x);
    for (int k = 0; k < {shared}; k++)
        values[k] = x[{own} + k];
    for (int joint = 0; joint < {joints}; joint++) {{
        open += solved(state, joint, 0, {own}, x);
        for (int k = 0; k < {own}; k++)
            values[{shared} + {own} * joint + k] = x[k];
    }}
    return open - {held};
}}

/* the standard deviation of an unknown in units of the noise: the length of its row of the inverse */
static double deviation(const {name}_state *state, int joint, int unknown)
{{
    double y[{unknowns}], sum = 0.0;
    for (int j = unknown; j < {unknowns}; j++) {{
        double rest = j == unknown ? 1.0 : 0.0, size = rest;
        for (int i = unknown; i < j; i++) {{
            const double term = row_of(state, joint, i)[j] * y[i];
            rest -= term;
            size += fabs(term);
        }}
        if (!is_open(state, joint, j))
            y[j] = rest / row_of(state, joint, j)[j];
        else if (fabs(rest) > 1e-6 * size)
            return INFINITY;
        else
            y[j] = 0.0;
        sum += y[j] * y[j];
    }}
    return sqrt(sum);
}}
{scale_of}
{declared_deviations}
{{
    double values[{free} + {held}];
    const int open = {name}_values(state, values);
    const double scale = {scale};
    (void)open;
    for (int k = 0; k < {shared}; k++)
        deviations[k] = scale * deviation(state, 0, {own} + k);
    for (int joint = 0; joint < {joints}; joint++)
        for (int k = 0; k < {own}; k++)
            deviations[{shared} + {own} * joint + k] = scale * deviation(state, joint, k);
{parts}}}
"""

SCALE = """
/* the noise of a row, from what was left over; not a number while no row is */
static double scale_of(const {name}_state *state, int unknowns)
{{
    double left = 0.0, rows = -unknowns;
    for (int joint = 0; joint < {joints}; joint++) {{
        left += state->left[joint];
        rows += state->told[joint];
    }}
    return rows > 0.0 ? sqrt(left / rows) : NAN;
}}
"""

PROMISES = (
    "{name}_start makes a state before any sample. {name}_step takes one along: position, rate, acceleration and "
    "torque of every joint, in SI units and radians. It tells how many joints' rows said something: one with a "
    "number that is none is left out.",
    "{name}_values gives what fits best and tells how many unknowns are open (their values are 0), "
    "{name}_deviations standard deviations, infinite of what is open.",
    "Nothing is allocated, all that is kept lies in the state.",
    "Built with -ffp-contract=off a step gives the bits that Strobe gives.",
)


# -- the test ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Recorded:
    """Samples, what each said, and what came of all."""

    samples: Rows  # q, qd, qdd, tau in a row
    taken: Sequence[int]
    memory: Rows  # the triangles at the end, row by row
    known: Rows  # values, deviations, and whether samples decide each unknown (1 or 0)
    tolerance: float  # of the triangles, as a part of the largest number; none: the same bits


def files(e: CEstimator, recorded: Recorded) -> dict[str, str]:
    """Every file by its name."""
    return {
        f"{e.name}.h": header(e),
        f"{e.name}.c": source(e),
        f"test_{e.name}.c": self_test(e, recorded),
        "Makefile": make_rules(e.name, exact=True),
    }


def self_test(e: CEstimator, recorded: Recorded) -> str:
    """A C program that exits with 0 if a recorded run is what it was."""
    z, count = e.sizes, len(recorded.samples)
    n = z.joints
    rows = {
        "samples": recorded.samples, "taken": [[float(x) for x in recorded.taken]], "memory": recorded.memory,
        "known": recorded.known,
    }  # fmt: skip
    tables = [
        line
        for key, values in rows.items()
        for line in table(f"double {key}[{len(values)}][{len(values[0])}]", values)
    ]
    given = ", ".join(f"&samples[i][{k * n}]" for k in range(len(INPUTS)))
    words = {"name": e.name, "given": given, "tolerance": number(recorded.tolerance), "count": e.count}
    own = [COMPARED.format(rows=f"{n * z.own}", of="state.own[k]", first=0, width=e.width)] if z.own else []
    of = "state.shared[k]"
    shared = COMPARED.format(rows=z.shared, of=of, first=n * z.own, width=e.width)
    exact = recorded.tolerance == 0.0
    about = [
        f"Tests {e.name}_step on {count} samples: triangles must be",
        "the same bits;" if exact else f"within {recorded.tolerance:.0e} of the largest number;",
        "values and deviations those of batch least squares.",
    ]
    check = Check(
        e.name, count, tables, TAKEN.format(**words), '"sample %d: another number of rows\\n", i',
        f'"{e.name}: {count} samples, %d wrong, largest difference of a value %.2g\\n", wrong, worst',
        before=f"{e.name}_state state;\n{e.name}_start(&state);",
        after="\n".join([*own, shared, KNOWN.format(**words)]).replace("TOLERANCE", str(words["tolerance"])),
    )  # fmt: skip
    return check_program(e.name, about, [check])


TAKEN = "good = {name}_step(&state, {given}) == (int)taken[0][i];"

COMPARED = """\
for (int k = 0; k < {rows}; k++)
    for (int j = 0; j < {width}; j++)
        wrong += !(fabs({of}[j] - memory[{first} + k][j]) <= TOLERANCE);"""

KNOWN = """\
if (wrong)
    printf("{name}: the triangles differ in %d numbers\\n", wrong);
double values[{count}], deviations[{count}];
{name}_values(&state, values);
{name}_deviations(&state, deviations);
for (int k = 0; k < {count}; k++) {{
    const double d = fabs(values[k] - known[0][k]), s = fabs(deviations[k] - known[1][k]);
    if (known[2][k] == 0.0)
        continue;
    wrong += !(d <= 1e-6 * (1.0 + fabs(known[0][k])) + 1e-3 * known[1][k] && s <= 1e-4 * known[1][k]);
    if (d > worst)
        worst = d;
}}"""
