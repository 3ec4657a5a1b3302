"""An error in any term of any formulation is caught by `check`, whichever robot is asked for.

Every sum, product, constant, transpose, cross product and index of a module's code is changed, one at a time. What
survives must be listed here with the reason why it is no error.
"""

from __future__ import annotations

import ast
import inspect
import sys
import types
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import pytest

import strobe
from strobe.analysis import equivalence, verdict
from strobe.formulations import (
    FORMULATIONS,
    REFERENCE,
    Formulation,
    armstrong_forward,
    articulated_body,
    composite_coriolis,
    links,
    strobing,
    world,
)
from strobe.models.model import Model
from strobe.models.random_robots import LETTERS
from strobe.scalars import FieldSystem

ARMS = list(equivalence.general_arms().values())
FREE = [arm for arm in ARMS if not armstrong_forward.refusal(arm)]
SEED = equivalence.stream(0, 0, 0)  # the draw that `check` makes first

BOUNDS = {"inertia_bounds", "_bound", "gibbs_function"}  # no torques
CYCLES = [("x", "y", "z"), ("a", "b", "c"), ("xx", "yy", "zz"), ("xy", "xz", "yz")]
TURNED = {name: cycle[k - 2] for cycle in CYCLES for k, name in enumerate(cycle)}


class Changed(ast.NodeVisitor):
    """Every place of a module where a change means an error of mechanics, with the changes."""

    def __init__(self) -> None:
        self.found: list[tuple[ast.AST, str, ast.AST]] = []
        self.function = ""

    def visit_BinOp(self, node: ast.BinOp) -> None:
        match node.op:
            case ast.Add() | ast.Sub():
                other = ast.Sub() if isinstance(node.op, ast.Add) else ast.Add()
                self._add(node, "sign", ast.BinOp(node.left, other, node.right))
                self._add(node, "missing term", node.left)
                self._add(node, "missing first term", node.right)
            case ast.Mult():
                self._add(node, "missing factor", node.left)
            case ast.MatMult():
                self._add(node, "order", ast.BinOp(node.right, ast.MatMult(), node.left))
            case _:
                pass
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        if isinstance(node.op, ast.USub):
            self._add(node, "sign", node.operand)
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, float):
            self._add(node, "constant", ast.Constant(node.value + 1.0))

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if node.attr == "T":
            self._add(node, "transpose", node.value)
        if node.attr in TURNED:
            self._add(node, "component", ast.Attribute(node.value, TURNED[node.attr], node.ctx))
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        if isinstance(node.func, ast.Attribute) and node.func.attr == "cross" and len(node.args) == 1:
            turned = ast.Attribute(node.args[0], "cross", ast.Load())
            self._add(node, "order", ast.Call(turned, [node.func.value], []))
        if isinstance(node.func, ast.Attribute) and node.func.attr in ("outer", "acceleration"):
            self._add(node, "order", ast.Call(node.func, node.args[::-1], []))
        self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        if isinstance(node.slice, ast.Tuple) and isinstance(node.ctx, ast.Load):
            first, second, *rest = node.slice.elts
            self._add(
                node,
                "index",
                ast.Subscript(node.value, ast.Tuple([second, first, *rest], ast.Load()), node.ctx),
            )
        self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value:
            self.visit(node.value)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        if node.name in BOUNDS:
            return
        self.function = node.name
        for line in node.body:  # annotations are no mathematics
            self.visit(line)

    def _add(self, node: ast.AST, what: str, new: ast.AST) -> None:
        self.found.append((node, f"{self.function}, {what}", new))


@contextmanager
def replaced(node: ast.AST, new: ast.AST) -> Iterator[None]:
    """A node that is another one for a while, wherever it stands."""
    kept = type(node), dict(vars(node))
    node.__class__, held = type(new), {**vars(new), "lineno": 1, "col_offset": 0}
    vars(node).clear()
    vars(node).update(held)
    try:
        yield
    finally:
        node.__class__ = kept[0]
        vars(node).clear()
        vars(node).update(kept[1])


def mutants(module: types.ModuleType) -> Iterator[tuple[str, types.ModuleType]]:
    """The module with one error each, named by the function, the kind of error and what it was made in."""
    tree = ast.parse(inspect.getsource(module))
    for node, what, new in places(tree):
        name = f"{what}: {ast.unparse(node)}"
        with replaced(node, new):
            code = compile(ast.fix_missing_locations(tree), module.__name__, "exec")
        made = types.ModuleType(module.__name__)
        sys.modules[module.__name__], kept = made, module  # dataclasses look their module up
        try:
            exec(code, made.__dict__)
        except (TypeError, AttributeError):
            continue  # no module any more
        finally:
            sys.modules[module.__name__] = kept
        yield name, made


def places(tree: ast.Module) -> list[tuple[ast.AST, str, ast.AST]]:
    """What can be changed, in functions and classes only."""
    changed = Changed()
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            changed.visit(node)
    return changed.found


def right(method: Formulation, model: Model, *, tool: bool = False) -> list[int] | None:
    """Torques in the field that `check` draws, or nothing where the method does not apply."""
    if method.refusal(model):
        return None
    system = FieldSystem(SEED)
    tau = equivalence.torques({"it": method}, model, system, tool=tool)["it"]
    return [system.lower(x) for x in tau]


RIGHT = [right(FORMULATIONS[REFERENCE], arm) for arm in ARMS]
HELD = [right(FORMULATIONS["newton-euler-hat"], arm, tool=True) for arm in ARMS[:2]]


def shown(method: Formulation) -> bool:
    """Whether `check` finds a method that is not the others."""
    try:
        return any(
            tau not in (None, known) for tau, known in zip(torques(method), RIGHT, strict=True)
        ) or any(
            method.tool and right(method, arm, tool=True) != known
            for arm, known in zip(ARMS[:2], HELD, strict=True)
        )
    except Exception:  # whatever a broken module does, it is not silent
        return True


def torques(method: Formulation) -> Iterator[list[int] | None]:
    return (right(method, arm) for arm in ARMS)


def survivors(module: types.ModuleType, is_shown: Callable[[types.ModuleType], bool]) -> set[str]:
    return {what for what, made in mutants(module) if not is_shown(made)}


def forward_shown(forward: equivalence.ForwardDynamics, arms: Sequence[Model] = ARMS) -> bool:
    """Whether the round trip of `check` finds a wrong forward dynamics."""
    try:
        return not all(equivalence.round_trip(forward, arm, 1, 0).holds for arm in arms)
    except Exception:
        return True


def terms_shown(made: types.ModuleType) -> bool:
    """Whether `check` finds wrong M, C or g, or what is solved with them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(equivalence, made.__name__.split(".")[-1], made)
        try:
            same = (equivalence.terms(arm, FieldSystem(SEED)) for arm in ARMS)
            return not all(all(x.values()) for x in same) or forward_shown(equivalence.strobed)
        except Exception:
            return True


def coriolis_shown(made: types.ModuleType) -> bool:
    """Whether `check` finds a wrong C, or it is another one when it is carried in base axes."""
    if terms_shown(made):
        return True
    try:
        return any(_coriolis(made, arm, level=False) != _coriolis(made, arm, level=True) for arm in ARMS)
    except Exception:
        return True


def _coriolis(made: types.ModuleType, arm: Model, level: bool) -> list[list[int]]:
    system = FieldSystem(SEED)
    lifted = arm.lift(system)
    q, qd, _ = lifted.variables()
    return [[system.lower(x) for x in row] for row in made.coriolis_matrix(lifted, q, qd, level=level)]


def users_shown(made: types.ModuleType) -> bool:
    """Whether `check` finds an error in what several methods read."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, made.__name__, made)
        for name, method in FORMULATIONS.items():
            source = inspect.getsource(method.module)
            if f"from {made.__name__} import" in source:
                again = types.ModuleType(method.module.__name__)
                exec(source, again.__dict__)
                if shown(Formulation(name, again, method.scope, method.tool)):
                    return True
    return False


# -- what is no error, and why ------------------------------------------------------------------------

TRACE = "tr(A B) = tr(B A)"
ROTORS = "rotors stand around a formulation; test_mutations holds them"

NO_ERROR = {
    "uicker-kahn": {
        "inverse_dynamics, order: U[j, i] @ link.J_hat @ U[j, k].T": TRACE,
        "inverse_dynamics, order: U[j, i] @ link.J_hat @ UU[j, min(k, l), max(k, l)].T": TRACE,
    },
    "waters": {"inverse_dynamics, order: U @ link.J_hat @ W_dd[j].T": TRACE},
    "waters-recursive": {"inward, order: U[i] @ D": TRACE},
    "hollerbach-backward": {"inverse_dynamics, order: U @ link.J_hat @ W_dd[j].T": TRACE},
    "hollerbach-3x3": {
        "inverse_dynamics, order: k.U @ E": TRACE,
        "outward, missing factor: W_dd @ link.p * sign": "the sign is +1 except in the paper",
    },
    "newton-euler-moments": {
        "_is_square, component: R.a": "two rows of a rotation decide the third",
        "_is_square, component: R.b": "two rows of a rotation decide the third",
        "_is_square, component: R.c": "two rows of a rotation decide the third",
        "_is_square, sign: -1": "axes that lie against axes are then moved the longer way, to the same torques",
        "_moments, constant: 0.0": "equal nodes of a graph alone come here: counts and compiled torques hold it",
        "_placed, constant: 0.0": "along the joint's axis, where nothing reads it",
    },
    "decomposition": {
        "mass_matrix, constant: 0.0": "D does not depend on the rates",
        "gravity, constant: 0.0": "G does not depend on the rates",
    },
    "strobing": {
        "mass_matrix, constant: 0.0": "every entry is written over",
        "forward_dynamics, sign: M[i][i] + inertia": ROTORS,
        "forward_dynamics, missing term: M[i][i] + inertia": ROTORS,
        "forward_dynamics, missing first term: M[i][i] + inertia": ROTORS,
    },
    "articulated_body": {
        "forward_dynamics, sign: entries[k][k] + inertia": ROTORS,
        "forward_dynamics, missing term: entries[k][k] + inertia": ROTORS,
        "forward_dynamics, missing factor: [0.0] * model.nv": "rates are cut out of a list by their place",
        "solve, sign: n - 1": "elimination reads as many parents as there are columns",
        "solve, missing term: n - 1": "elimination reads as many parents as there are columns",
    },
    "links": {"pose, constant: 0.0": "positions before the joint's own are not read"},
}


@pytest.mark.slow
@pytest.mark.every("formulation")
def test_an_error_in_any_term_of_a_formulation_is_caught_on_general_arms(formulation: str) -> None:
    method = FORMULATIONS[formulation]

    def is_shown(made: types.ModuleType) -> bool:
        return shown(Formulation(formulation, made, method.scope, method.tool)) or (
            formulation == "decomposition" and terms_shown(made)
        )

    assert survivors(method.module, is_shown) == NO_ERROR.get(formulation, {}).keys()


@pytest.mark.slow
@pytest.mark.parametrize(
    "module", [strobing, composite_coriolis, links, world, articulated_body, armstrong_forward]
)
def test_an_error_in_what_stands_beside_the_formulations_is_caught_too(module: types.ModuleType) -> None:
    how: dict[types.ModuleType, Callable[[types.ModuleType], bool]] = {
        composite_coriolis: coriolis_shown,
        links: users_shown,
        world: users_shown,
        articulated_body: lambda made: forward_shown(made.forward_dynamics),
        armstrong_forward: lambda made: forward_shown(made.forward_dynamics, FREE),
    }
    name = module.__name__.split(".")[-1]
    assert survivors(module, how.get(module, terms_shown)) == NO_ERROR.get(name, {}).keys()


SIGN = ("newton-euler-armstrong", "- U.c.x * I.xy", "+ U.c.x * I.xy")
ERRORS = [
    SIGN,
    ("newton-euler", "w.cross(link.z) * (2.0 * rate)", "w.cross(link.z) * rate"),
    ("modified-newton-euler", "A.a.dot(K.c)", "A.a.dot(K.b)"),
    ("hollerbach-3x3", "link.J @ k.W_dd.T", "link.J.T @ k.W_dd"),
    ("waters", "- gravity_term", "+ gravity_term"),
    ("spatial-newton-euler", " + v[i].cross(I @ v[i])", ""),
    ("newton-euler-moments", "u = tuple(into(", "u = tuple(("),  # between axes at right angles alone
]


SLOW = pytest.mark.slow


@pytest.mark.parametrize(
    "robot", ["planar2", *(pytest.param(name, marks=SLOW) for name in ("stanford", "ur5", "parallelogram"))]
)
def test_a_wrong_sign_of_a_product_of_inertia_is_found_whichever_robot_is_checked(
    robot: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = checked(robot, *SIGN, monkeypatch)
    assert not found.passed
    assert any("a general arm with joints RRRR" in sentence for sentence in found.disagreements)


@pytest.mark.parametrize(
    "error",
    [pytest.param(each, id=each[0], marks=SLOW if k else ()) for k, each in enumerate(ERRORS[:0:-1])],
)
def test_errors_are_found_in_checking_a_robot_that_hides_them(
    error: tuple[str, str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not checked("planar2", *error, monkeypatch).passed


def checked(robot: str, name: str, old: str, new: str, patch: pytest.MonkeyPatch) -> verdict.Check:
    """The check of one formulation of a robot while it has an error."""
    method = FORMULATIONS[name]
    source = inspect.getsource(method.module)
    assert old in source
    wrong = types.ModuleType(method.module.__name__)
    exec(source.replace(old, new), wrong.__dict__)
    patch.setitem(FORMULATIONS, name, Formulation(name, wrong, method.scope, method.tool))
    return verdict.check(strobe.load(robot), [name], trials=1)


def test_the_general_arms_have_no_zero_that_hides_a_term() -> None:
    for model in ARMS:
        for body in model.bodies:
            assert all(body.inertial.central), body.name
            assert all(body.inertial.com), body.name
        letters = {kind.name: letter for letter, kind in LETTERS.items()}
        names = "".join(letters[joint.kind] for joint in model.joints)
        assert any(names in title for title, arm in equivalence.general_arms().items() if arm is model)
