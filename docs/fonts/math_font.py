"""The font of formulas: a subset of STIX Two Math that a page can carry, in `src/strobe/show/fonts`.

    npm pack @fontsource/stix-two-math@5.3.0          # STIX Two Math 2.12 b168a, SIL Open Font License 1.1
    tar xzf fontsource-stix-two-math-5.3.0.tgz
    pip install "fonttools[woff]==4.68.0"
    python docs/fonts/math_font.py package/files/stix-two-math-latin-400-normal.woff2

Without a font that has a MATH table browsers put the dots of q̇ and q̈ where they think fit: Chromium draws them into
the letter, where they vanish on a screen of ordinary resolution. The licence asks that copyright and licence go with
the font (`OFL.txt` beside it, and its own table of names); it reserves no name, and yet this part has one of its own.
"""

from __future__ import annotations

import sys
from pathlib import Path

FAMILY = "Strobe Math"
FOLDER = Path(__file__).parents[2] / "src" / "strobe" / "show" / "fonts"
TARGET = FOLDER / "strobe-math.woff2"

LETTERS = [*range(0x20, 0x7F), *range(0x391, 0x3A2), *range(0x3A3, 0x3AA), *range(0x3B1, 0x3CA), 0x3D5]
# Browsers draw a single letter of a formula by these: italic Latin, h apart, and italic Greek with its variants.
ITALIC = [*range(0x1D434, 0x1D455), *range(0x1D456, 0x1D468), 0x210E, *range(0x1D6E2, 0x1D71C)]
ACCENTS = "˙¨ˆ˜ˉ¯"
SIGNS = "−±·⋅×≠≈≤≥∈∞∂∇ℓ√∑∏∫′…⋯←→⇒⊤‖½⅓⅔¼¾⅛⅜𝕀"
INVISIBLE = [0xA0, 0x2061, 0x2062]  # a space, function application, times


def characters() -> list[int]:
    """Every character that the subset is asked to have."""
    return sorted({*LETTERS, *ITALIC, *INVISIBLE, *map(ord, ACCENTS + SIGNS)})


def subset(source: Path, target: Path) -> None:
    """Glyphs of those characters, with what the MATH table says of them: variants of brackets, places of accents."""
    from fontTools.subset import Options, Subsetter, load_font, save_font

    how = Options(
        flavor="woff2", layout_features=[], hinting=False,
        name_IDs=[0, 1, 2, 3, 4, 5, 6, 14], recalc_timestamp=False,
    )  # fmt: skip
    font = load_font(str(source), how)
    chosen = Subsetter(how)
    chosen.populate(unicodes=characters())
    chosen.subset(font)
    _rename(font)
    save_font(font, str(target), how)


def _rename(font: object) -> None:
    names = font["name"]  # pyright: ignore
    short = FAMILY.replace(" ", "")
    for number, text in {1: FAMILY, 3: f"{short}-Regular", 4: FAMILY, 6: f"{short}-Regular"}.items():
        names.setName(text, number, 3, 1, 0x409)
    names.setName("SIL Open Font License, Version 1.1", 13, 3, 1, 0x409)
    names.setName("A subset of STIX Two Math", 10, 3, 1, 0x409)


if __name__ == "__main__":
    subset(Path(sys.argv[1]), TARGET)
    print(f"{TARGET.name}: {TARGET.stat().st_size:,} bytes")
