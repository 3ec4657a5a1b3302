"""Sphinx with MyST: `make docs`."""

import strobe

project = "Strobe"
author = "the Strobe developers"
release = strobe.__version__
extensions = ["myst_parser"]
exclude_patterns = ["_build"]
html_theme = "alabaster"
html_title = "Strobe"
