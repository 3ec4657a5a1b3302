"""Formulas as MathML, written by docutils: browsers draw it themselves, without a script or a network."""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml

ACCENTED = re.compile(r"(\\(?:d?dot|hat|bar) ?(?:\\[a-zA-Z]+|\w))(?=[_^])")


def _written(node: nodes.Node, **how: bool) -> str:
    """The MathML of a formula; the index of a letter with an accent stands beside it, not below."""
    return tex2mathml(ACCENTED.sub(r"\1{}", node.astext()), **how)


def _inline(self: Any, node: nodes.math) -> None:
    self.body.append(_written(node))
    raise nodes.SkipNode


def _display(self: Any, node: nodes.math_block) -> None:
    self.body.append(f'<div class="math">{_written(node, as_block=True)}</div>')
    raise nodes.SkipNode


def setup(app: Any) -> dict[str, bool]:
    app.add_html_math_renderer("mathml", (_inline, None), (_display, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
