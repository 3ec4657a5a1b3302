"""The equations on the page: matrices typeset as matrices, whose entries are those of the robot."""

from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree

import pytest

import strobe
from strobe.equations.closed_form import equations_of
from strobe.equations.document import Section, document
from strobe.equations.mathml import MathWriter
from strobe.equations.readable_document import readable_document
from strobe.study import study
from strobe.study.equations import BROAD, matrix
from strobe.study.pages import whole_page


def sections(name: str, *, readable: bool = False) -> dict[str, Section]:
    robot = strobe.load(name)
    found = (readable_document if readable else lambda r, only: document(equations_of(r), only=only))(
        robot, only=("M", "C")
    )
    return {section.key: section for section in found.sections}


def cells(mathml: str) -> list[list[str]]:
    """The words of every cell."""
    rows = ElementTree.fromstring(mathml).iter("mtr")
    return [["".join(cell.itertext()) for cell in row.iter("mtd")] for row in rows]


def words(mathml: str) -> str:
    return "".join(ElementTree.fromstring(f"<math>{mathml}</math>").itertext())


@pytest.mark.parametrize(
    ("name", "readable"),
    [("planar2", False), ("pendulum3", False), ("spherical3", True), ("stanford", True)],
)
@pytest.mark.parametrize("key", ["M", "C"])
def test_every_cell_is_the_entry_of_its_row_and_column_or_its_name(
    name: str, readable: bool, key: str
) -> None:
    section, math = sections(name, readable=readable)[key], MathWriter()
    whole = matrix(section)
    assert whole is not None
    found, n = cells(whole["mathml"]), strobe.load(name).n
    assert [len(row) for row in found] == [n] * n
    entries = {word: (k, entry) for k, entry in enumerate(section.entries) for word in entry.names}
    letter = section.entries[0].names[0][0]  # of links without rotors another
    for i in range(n):
        for j in range(n):
            own, mirrored = f"{letter}{i + 1}{j + 1}", f"{letter}{j + 1}{i + 1}"
            word = own if own in entries else mirrored
            assert word == own or key == "M"
            k, entry = entries[word]
            assert found[i][j] == words(
                math.symbol(word) if k in whole["below"] else math.write(entry.value)
            )


def test_a_matrix_that_is_not_symmetric_is_not_filled_in_from_above() -> None:
    section = sections("planar2")["C"]
    assert matrix(section) is not None
    without = replace(section, entries=tuple(e for e in section.entries if "C21" not in e.names))
    assert len(without.entries) < len(section.entries)
    assert matrix(without) is None


def test_a_matrix_too_broad_for_a_page_is_written_entry_by_entry(monkeypatch: pytest.MonkeyPatch) -> None:
    section = sections("planar2")["M"]
    assert matrix(section) is not None
    monkeypatch.setattr("strobe.study.equations.BROAD", 5)
    assert BROAD > 5
    assert matrix(section) is None


def test_the_page_has_the_matrix_once_and_below_it_what_it_only_names() -> None:
    page = whole_page(study(strobe.load("pendulum3"), quick=True, sections=["equations"]))
    mass = page.split("Mass matrix</h3>", 1)[1].split("<h3", 1)[0]
    assert mass.count("<mtable>") == 1
    whole = matrix(sections("pendulum3")["M"])
    assert whole is not None
    assert mass.count('class="equation"') == 1 + len(whole["below"])
