"""No way from input to the interpreter or the shell: nothing in the package unpickles, evaluates or calls a shell."""

import ast
from importlib import import_module
from pathlib import Path

import pytest

import strobe

ROOT = Path(strobe.__file__).parent
MODULES = {"pickle", "cloudpickle", "dill", "marshal", "shelve", "yaml", "pty", "commands"}
BUILTINS = {"eval", "exec", "compile", "__import__"}
OF_OS = {"system", "popen", "startfile"}
BEGINNINGS = ("exec", "spawn", "posix_spawn")
REASONED = {
    (
        "papers/ladder.py",
        "exec",
    ): "text made of a program's operations alone, to be timed; see the test below",
    (
        "models/xacro_yaml.py",
        "yaml",
    ): "its nodes alone; every value is made of them by us: tests/models/test_xacro.py",
}


def dangers(tree: ast.AST):
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names if name.name.split(".")[0] in MODULES)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in MODULES:
            yield node.module
        elif isinstance(node, ast.Call):
            yield from _of_call(node)


def _of_call(node: ast.Call):
    if isinstance(node.func, ast.Name) and node.func.id in BUILTINS:
        yield node.func.id
    if isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name):
        owner, name = node.func.value.id, node.func.attr
        if owner == "os" and (name in OF_OS or name.startswith(BEGINNINGS)):
            yield f"os.{name}"
    for keyword in node.keywords:
        stated = isinstance(keyword.value, ast.Constant) and not keyword.value.value
        if keyword.arg in ("shell", "allow_pickle") and not stated:
            yield f"{keyword.arg}="


def found() -> set[tuple[str, str]]:
    return {
        (path.relative_to(ROOT).as_posix(), danger)
        for path in ROOT.rglob("*.py")
        for danger in dangers(ast.parse(path.read_text(encoding="utf-8")))
    }


def test_nothing_unpickles_evaluates_or_calls_a_shell():
    assert found() == set(REASONED)


@pytest.mark.parametrize(
    "text",
    [
        "import pickle",
        "from marshal import loads",
        "eval(x)",
        "exec(x)",
        "os.system(x)",
        "os.execv(x, y)",
        "subprocess.run(x, shell=True)",
        "np.load(x, allow_pickle=True)",
        "np.load(x, allow_pickle=why)",
    ],
)
def test_the_walk_finds_what_it_looks_for(text):
    assert list(dangers(ast.parse(text)))


@pytest.mark.parametrize("text", ["re.compile(x)", "subprocess.run([x])", "np.load(x, allow_pickle=False)"])
def test_and_nothing_else(text):
    assert not list(dangers(ast.parse(text)))


def test_what_is_executed_to_be_timed_holds_no_word_of_the_robot(monkeypatch):
    """Names that are code stay out of the text, because only operations and constants get into it."""
    from strobe.compiler.runtime.kernels import Kernel
    from strobe.models.toml_reader import read_toml
    from strobe.quantities import Request
    from strobe.robot import Robot

    ladder = import_module("strobe.papers.ladder")  # the room has a function of that name

    text = (ROOT / "models/library/planar2.toml").read_text()
    hostile = text.replace('name = "planar2"', "name = \"__import__('os').abort()\"")
    robot = Robot(read_toml("arm.toml", text=hostile.replace("l1", "abort")))
    executed = []
    monkeypatch.setattr(
        ladder, "exec", lambda code, known: (executed.append(code), exec(code, known)), raising=False
    )
    ladder.straight(Kernel(robot.model, Request("inverse_dynamics", friction=False)).program)
    assert executed
    assert "abort" not in executed[0]
    assert set(executed[0]) <= set("abcdefghijklmnopqrstuvwxyz0123456789 _.,:()[]=+-*/\n")
