"""Pages run, links lead somewhere, every formulation has its page."""

import importlib.util
import re
import shlex
import sys
from pathlib import Path
from types import ModuleType

import pytest

import strobe
from strobe.cli.first_page import VERBS

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = sorted(
    path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md") if "_build" not in path.parts
)
ALL = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(DOCS / page for page in PAGES)]


def extension(name: str) -> ModuleType:
    """A module that the pages are built with."""
    spec = importlib.util.spec_from_file_location(name, DOCS / "_ext" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


running = extension("running")
formulation_pages = extension("formulation_pages")
robot_page = extension("robot_page")


def text(page: str) -> str:
    return (DOCS / page).read_text(encoding="utf-8")


# -- pages run ----------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(
    "page", [page for page in PAGES if re.search(r"^```(python|console)", text(page), re.M)]
)
def test_what_a_page_shows_runs(page):
    for library in ("torch", "jax"):
        if f"\nimport {library}\n" in text(page):
            pytest.importorskip(library, reason=f"{library} is not installed")
    assert running.executed(text(page), page).count("```") >= text(page).count("```")


def test_what_a_block_prints_is_put_behind_it_and_the_next_block_knows_its_names():
    page = "```python\nx = 2\n```\n\n```python\nprint(x + 1)\n```\n"
    assert running.executed(page, "page") == page.rstrip() + "\n\n```text\n3\n```\n"


def test_what_a_command_prints_is_put_under_it():
    shown = running.executed("```console\n$ strobe --version\n$ echo more\n```", "page")
    assert re.fullmatch(r"```console\n\$ strobe --version\nstrobe [\d.]+\n\$ echo more\nmore\n```", shown)


def test_a_block_with_a_file_name_is_there_for_the_blocks_after_it_and_leaves_nothing(
    tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    page = '```toml a.toml\nx = 1\n```\n\n```python\nprint(open("a.toml").read())\n```'
    assert running.executed(page, "page").endswith("```text\nx = 1\n```")
    assert list(tmp_path.iterdir()) == []


def test_other_blocks_are_left_alone():
    page = "```\n$ rm\n```\n\n```sh\nfalse\n```\n\n```{toctree}\ntour\n```\n"
    assert running.executed(page, "page") == page


@pytest.mark.parametrize(
    ("block", "sentence"),
    [
        ("```python\n1 / 0\n```", "page: ZeroDivisionError: division by zero, in this block:\n1 / 0"),
        ("```console\n$ strobe info nobody\n```", "page: strobe info nobody ends with 2:\nstrobe: "),
        (
            "```console\nstrobe list\n```",
            'page: a console block has lines "$ command" only, not "strobe list".',
        ),
    ],
)
def test_code_that_does_not_run_stops_the_build(block, sentence):
    with pytest.raises(running.PageError) as error:
        running.executed(block, "page")
    assert str(error.value).startswith(sentence)


# -- formulations -------------------------------------------------------------------------------------


@pytest.mark.every("formulation")
def test_every_formulation_has_a_page_with_its_derivation_equations_and_source(formulation):
    page = text(f"formulations/{formulation}.md")
    assert page.startswith(f"# {formulation}\n")
    assert re.findall(r"^## (.*)$", page, re.M) == ["Derivation", "Equations"]
    assert re.search(r"\]\(\.\./references\.md#\w+\)", page.split("##")[0])
    module = ROOT / "src" / "strobe" / "formulations" / f"{formulation.replace('-', '_')}.py"
    assert f"../../{module.relative_to(ROOT)}" in formulation_pages._code(formulation)
    assert module.is_file()


def test_the_page_of_a_formulation_ends_with_its_own_count():
    ending = formulation_pages.ending("newton-euler")
    assert "takes 124n−24 multiplications and 101n−24 additions: 720 and 582 for n = 6" in ending
    assert "| stanford | 728 × 585 + | 267 × 191 + |" in ending


def test_every_method_of_a_robot_stands_once_on_the_page_of_the_api():
    shown = re.findall(
        r"^   \.\. auto(?:method|property):: (\w+)$", robot_page.with_layers(text("api/robot.md")), re.M
    )
    methods = {name for name in dir(strobe.Robot) if name[0] != "_" and getattr(strobe.Robot, name).__doc__}
    assert sorted(shown) == sorted(methods)


# -- the papers --------------------------------------------------------------------------------------


COMMANDS = sorted(set(re.findall(r"`(strobe [^`]+)`", text("papers.md"))) - {"strobe tables claims"})


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_of_the_page_of_papers_runs(command, tmp_path, monkeypatch):
    from typer.testing import CliRunner

    from strobe.cli import app

    monkeypatch.chdir(tmp_path)
    (request,) = re.findall(r"```toml\n(.*?)```", text("papers.md"), re.S)
    (tmp_path / "request.toml").write_text(request, encoding="utf-8")
    (planned,) = (each for each in COMMANDS if each.endswith("-o traj.json"))
    if "traj.json" in command and command != planned:
        assert CliRunner().invoke(app, shlex.split(planned)[1:]).exit_code == 0
    done = CliRunner().invoke(app, shlex.split(command)[1:])
    assert done.exit_code == 0, done.output
    assert done.output


def test_every_text_that_is_a_source_has_its_sections_on_the_page_of_papers():
    assert re.findall(r"^## (.*)$", text("papers.md"), re.M) == [
        "Hollerbach 1980",
        "Turney, Mudge and Lee 1980",
        "Waters 1979",
        "Asada 2005",
        "Decomposition 2012",
    ]


# -- links --------------------------------------------------------------------------------------------


def anchors(path: Path) -> set[str]:
    """What the headings of a page are called in an address."""
    headings = re.findall(r"^#+ (.*)$", path.read_text(encoding="utf-8"), re.M)
    return {re.sub(r"[^\w\- ]", "", heading).lower().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("path", ALL, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_link_leads_to_a_page_and_a_heading(path):
    targets = re.findall(
        r"\]\(([^)\s]+)\)", re.sub(r"```.*?```", "", path.read_text(encoding="utf-8"), flags=re.S)
    )
    for target in targets:
        if "://" in target:
            continue
        file, _, heading = target.partition("#")
        found = (path.parent / file).resolve() if file else path
        assert found.is_file(), target
        assert not heading or heading in anchors(found), target


PLACES = [ROOT, ROOT / "src", ROOT / "src/strobe", ROOT / "src/strobe/compiler"]
PATH = re.compile(r"`([a-z_]+/[\w/.-]+)`")


@pytest.mark.parametrize("path", ALL, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_file_that_a_page_names_is_there(path):
    """Those of the package and of this repository; names with ``my`` stand for what is to be written."""
    named = [name.rstrip("/") for name in PATH.findall(path.read_text(encoding="utf-8"))]
    ours = [n for n in named if any((place / n.split("/")[0]).is_dir() for place in PLACES)]
    there = [n for n in ours if any(list(place.glob(f"{n}*")) for place in PLACES)]
    assert [n for n in ours if n not in there and not re.search(r"\bmy|_my_", n)] == []


def test_the_tour_names_every_verb():
    assert [verb for verb in VERBS if f"`strobe {verb} " not in text("tour.md")] == ["list"]


def test_the_house_has_ten_words_of_its_own_at_most():
    glossary = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("## Words of the house")[2]
    words = ", ".join(re.findall(r"^\| ([a-z, ]+) \|", glossary, re.M)).split(", ")
    assert words.pop(0) == "word"
    assert 0 < len(words) <= 10


def test_every_page_is_in_a_table_of_contents():
    listed = {"index.md"}
    for page in PAGES:
        for tree in re.findall(r"```\{toctree\}\n(.*?)```", text(page), re.S):
            lines = (line for line in tree.splitlines() if line and not line.startswith(":"))
            found = (path for line in lines for path in (DOCS / page).parent.glob(f"{line}.md"))
            listed |= {path.relative_to(DOCS).as_posix() for path in found}
    assert listed == set(PAGES)


def keys() -> list[str]:
    """Those of the bibliography."""
    return re.findall(r"^@\w+\{(\w+),", (DOCS / "references.bib").read_text(encoding="utf-8"), re.M)


def test_the_references_are_those_of_the_bibliography():
    assert re.findall(r"^## (\w+)$", text("references.md"), re.M) == keys()


def test_every_source_that_code_cites_is_in_the_bibliography():
    for path in Path(strobe.__file__).parent.rglob("*.py"):
        cited = re.findall(r"\[([A-Z][A-Za-z]+\d{4}[a-z]?)\]", path.read_text(encoding="utf-8"))
        assert {*cited} <= {*keys()}, path
