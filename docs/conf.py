"""Sphinx with MyST: `make docs`. Pages run while they are read; formulas become MathML, which needs no script."""

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))  # pages read benchmarks
sys.path.insert(0, str(Path(__file__).parent / "_ext"))

from formulation_pages import ending  # pyright: ignore[reportMissingImports]
from robot_page import with_layers  # pyright: ignore[reportMissingImports]
from running import executed  # pyright: ignore[reportMissingImports]

import strobe

project = "Strobe"
author = "the Strobe developers"
release = strobe.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "mathml"]
exclude_patterns = ["_build"]
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 4
html_theme = "furo"
html_title = "Strobe"
html_math_renderer = "mathml"
html_static_path = ["_static", "../src/strobe/show/fonts"]
html_css_files = ["strobe.css"]
html_copy_source = False
html_show_copyright = False
autodoc_member_order = "bysource"
autodoc_typehints = "none"  # shapes say more, and docstrings have them


def run_page(app: Any, page: str, source: list[str]) -> None:
    """What a page's code prints, what closes the page of a formulation, and the methods of a robot."""
    folder, _, name = page.rpartition("/")
    source[0] = executed(with_layers(source[0]), page) + (ending(name) if folder == "formulations" else "")


def plain_words(app: Any, what: str, name: str, thing: Any, options: Any, lines: list[str]) -> None:
    """Docstrings are text: a star in one is a star."""
    lines[:] = [line.replace("*", "\\*") for line in lines]


def setup(app: Any) -> None:
    app.connect("source-read", run_page)
    app.connect("autodoc-process-docstring", plain_words)
