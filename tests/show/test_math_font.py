"""The font of formulas: it has what they are written with, and dots over letters can be seen at one pixel a dot."""

from __future__ import annotations

import re
import shutil
import string
import sys
from collections.abc import Iterator
from fractions import Fraction
from html import unescape
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import strobe
from strobe.equations import expression as ex
from strobe.equations.document import Entry, document
from strobe.equations.mathml import DOTS, MathWriter, equation, mathml
from strobe.equations.notation import GREEK, Name
from strobe.show import math_font
from strobe.study import study
from strobe.study.pages import whole_page

ROOT = Path(__file__).parents[2]
CHROMIUM = shutil.which("chromium")
FLAGS = [
    "--no-sandbox",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-sync",
]


def characters() -> set[str]:
    """What the subset was asked to have; a test with fontTools holds that it has it."""
    sys.path.insert(0, str(ROOT / "docs" / "fonts"))
    try:
        import math_font as recipe  # pyright: ignore[reportMissingImports]
    finally:
        sys.path.pop(0)
    return set(map(chr, recipe.characters()))


def italic(letter: str) -> str:
    """What browsers draw in the place of the only letter of an <mi>."""
    if letter in string.ascii_lowercase:
        return "ℎ" if letter == "h" else chr(0x1D44E + ord(letter) - ord("a"))
    if letter in string.ascii_uppercase:
        return chr(0x1D434 + ord(letter) - ord("A"))
    return chr(0x1D6FC + ord(letter) - 0x3B1) if "α" <= letter <= "ω" else letter


def drawn(markup: str) -> set[str]:
    """The characters of a formula as browsers draw it."""
    single = {italic(unescape(found)) for found in re.findall(r"<mi>([^<]|&#?\w+;)</mi>", markup)}
    return single | set(unescape(re.sub(r"<[^>]*>", "", markup))) - {"\n"}


def alphabet() -> Iterator[str]:
    """Formulas with every letter, number and sign that the writer of MathML knows."""
    writer = MathWriter()
    for letter in (*string.ascii_letters, *GREEK.values(), "ℓ"):
        yield from (writer.name(Name(letter, dots, "12,xyz"), letter) for dots in range(len(DOTS)))
    x, y = ex.Symbol("q1"), ex.Symbol("length")
    numbers = [ex.Number(Fraction(n, d)) for n, d in ((1, 2), (-3, 7), (1234567890, 1), (1, 10**9))]
    waves = [ex.Trig(function, (("q1", 2), ("q2", -1))) for function in ("cos", "sin")]
    terms = [*numbers, *waves, ex.power(waves[0], 2), ex.power(x, 3), ex.Call("sat", y)]
    whole = ex.total([ex.product([ex.total([x, y]), term]) for term in terms])
    yield mathml(whole)
    yield equation(Entry(("M12", "tau1", "qdd1", "Ṁ"), whole))


def test_every_character_that_is_written_in_mathml_is_in_the_font():
    known = characters()
    for formula in alphabet():
        assert not drawn(formula) - known, formula


@pytest.mark.parametrize("robot", ["planar2", "planar3"])
def test_equations_of_robots_need_no_other_font(robot: str):
    found = document(strobe.load(robot).equations(), only=("T", "V", "M", "C", "G", "tau"))
    formulas = (equation(entry) for section in found.sections for entry in section.entries)
    assert not set[str]().union(*map(drawn, formulas)) - characters()


def test_every_formula_of_the_documentation_is_in_the_font():
    docutils = pytest.importorskip("docutils.utils.math.latex2mathml", reason="docutils is not installed")
    known, seen = characters(), 0
    for page in (ROOT / "docs").rglob("*.md"):
        text = re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
        for block, inline in re.findall(r"\$\$(.+?)\$\$|\$([^$\n]+?)\$", text, re.DOTALL):
            seen += 1
            assert not drawn(docutils.tex2mathml(block or inline)) - known, (page.name, block or inline)
    assert seen > 50


def test_the_font_is_what_its_recipe_says():
    ttLib = pytest.importorskip("fontTools.ttLib", reason="fonttools is not installed")
    pytest.importorskip("brotli", reason="brotli is not installed")
    font = ttLib.TTFont(BytesIO(math_font.font()))
    assert set(map(chr, font.getBestCmap())) >= characters()
    assert "MATH" in font
    assert font["name"].getDebugName(1) == math_font.FAMILY
    assert "STIX Fonts Project Authors" in font["name"].getDebugName(0)


def test_the_licence_goes_with_the_font():
    folder = ROOT / "src" / "strobe" / "show" / "fonts"
    licence = (folder / "OFL.txt").read_text(encoding="utf-8")
    assert "Copyright 2001-2021 The STIX Fonts Project Authors" in licence
    assert "SIL OPEN FONT LICENSE Version 1.1" in licence
    assert "with Reserved Font Name" not in licence  # else a part of it must not bear that name
    assert "SIL Open Font License" in math_font.face()
    assert len(math_font.font()) < 30_000


def test_a_page_without_formulas_carries_no_font():
    page = whole_page(study(strobe.load("rx90"), quick=True, sections=["robot"]))
    assert "@font-face" not in page


# -- as Chromium draws them ----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed")
    with playwright.sync_playwright() as engine:
        running = engine.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield running
        running.close()


PIXELS = """async () => {
    await document.fonts.ready;
    return document.fonts.check('16px "Strobe Math"');
}"""


def pixels(page: Any, number: int) -> np.ndarray:
    """The darkness of every pixel around a formula, at one pixel a dot."""
    import zlib

    box = page.locator("math").nth(number).bounding_box()
    clip = {"x": int(box["x"]) - 2, "y": int(box["y"]) - 8, "width": 24, "height": 40}
    data = page.screenshot(clip=clip)
    return 255.0 - _decoded(data, zlib.decompress)


def _decoded(png: bytes, inflate: Any) -> np.ndarray:
    """A PNG of eight bits a channel as grey (rows, columns)."""
    width, height = (int.from_bytes(png[k : k + 4], "big") for k in (16, 20))
    channels = {2: 3, 6: 4}[png[25]]
    parts, at = b"", 8
    while at < len(png):
        size, kind = int.from_bytes(png[at : at + 4], "big"), png[at + 4 : at + 8]
        parts += png[at + 8 : at + 8 + size] if kind == b"IDAT" else b""
        at += 12 + size
    lines = np.frombuffer(inflate(parts), np.uint8).reshape(height, 1 + width * channels)
    rows = np.zeros((height + 1, channels + width * channels), int)
    for k, (kind, *line) in enumerate(lines.tolist()):
        up, row = rows[k], rows[k + 1]
        for i, value in enumerate(line, start=channels):
            a, b, c = int(row[i - channels]), int(up[i]), int(up[i - channels])
            near = min((a, b, c), key=lambda x, p=a + b - c: abs(p - x))
            row[i] = value + (0, a, b, (a + b) // 2, near)[kind] & 255
    return rows[1:, channels:].reshape(height, width, channels)[..., :3].mean(axis=-1)


@pytest.mark.slow
@pytest.mark.parametrize("letter", ["q", "phi"])
def test_dots_stand_apart_above_their_letter_at_one_pixel_a_dot(browser: Any, letter: str):
    writer = MathWriter()
    written = [writer.name(Name(GREEK.get(letter, letter), dots), letter) for dots in range(3)]
    spans = "".join(f"<p style='margin:30px'><math>{each}</math></p>" for each in written)
    page = browser.new_page(viewport={"width": 200, "height": 300}, device_scale_factor=1)
    page.set_content(
        f"<style>{math_font.face()}math{{font-size:17px}}body{{background:#fff}}</style>{spans}"
    )
    assert page.evaluate(PIXELS)
    plain, rate, acceleration = (pixels(page, k) for k in range(3))
    page.close()
    heights = [np.flatnonzero((image > 60).any(axis=1)) for image in (plain, rate, acceleration)]
    tall = len(heights[0])
    for rows, image, dots in zip(heights[1:], (rate, acceleration), (1, 2), strict=True):
        assert len(rows) > tall  # something stands above the letter
        gap = np.flatnonzero(np.diff(rows) > 1)
        assert len(gap) == 1, "the dots touch the letter"
        above = (image[rows[: gap[0] + 1]].max(axis=0) > 60).astype(int)
        assert np.count_nonzero(np.diff(above, prepend=0) == 1) == dots
