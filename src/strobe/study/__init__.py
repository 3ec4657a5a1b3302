"""The report on one robot: a list of sections, each a function from a case to data and a renderer of it.

A section is a module with ``TITLE``, ``measure(case) -> data`` (plain numbers, lists and names) and
``render(data)`` (what rich prints). A section that a robot does not allow raises `UnsupportedModelError`,
and its sentence is the data.
"""

from strobe.study.report import SECTIONS, Report, study

__all__ = ["SECTIONS", "Report", "study"]
