"""The report on one robot: a list of sections, each a function from a case to data and renderers of it.

A section is a module with ``TITLE``, ``measure(case) -> data`` (plain numbers, lists and names) and
``render(data)`` (what rich prints). It may have ``html(data, case)`` for the page, where that shows more than
``render``, ``command(case)``, which makes its numbers again, ``in_brief(data)``, a figure and a sentence for the
head of the report, and ``SLOW``. A section that a robot does not allow raises `UnsupportedModelError`, and its
sentence is the data. A new section is a new module and a row in `report.SECTIONS`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from strobe.rooms import exported

if TYPE_CHECKING:
    from strobe.study.report import SECTIONS as SECTIONS
    from strobe.study.report import Report as Report
    from strobe.study.report import study as study

exported(
    __name__,
    {
        "strobe.study.report": "SECTIONS Report study",
    },
)
