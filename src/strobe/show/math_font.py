"""The font of formulas, inside the page: without a MATH table browsers draw the dots of q̈ into the letter.

A part of STIX Two Math; `docs/fonts/math_font.py` makes it and says from what. Its licence, the SIL Open Font
License, lies beside it and goes with every copy: pages name it.
"""

from __future__ import annotations

from base64 import b64encode
from functools import cache
from importlib import resources

FAMILY = "Strobe Math"
FILE = "strobe-math.woff2"
NOTICE = (
    "Formulas are set in a part of STIX Two Math, Copyright 2001-2021 The STIX Fonts Project Authors, "
    "under the SIL Open Font License 1.1."
)
# Browsers set an accent down on the letter itself: at one pixel a dot, dots would run into it.
RULES = (
    f'math{{font-family:"{FAMILY}",math,serif}}\nmover[accent=true]>mo:last-child{{padding-bottom:.1em}}'
)


def font() -> bytes:
    """The font as WOFF2."""
    return resources.files("strobe.show").joinpath("fonts", FILE).read_bytes()


@cache
def face() -> str:
    """A rule of style that holds the font itself: a page that has it needs no file and no address."""
    inside = b64encode(font()).decode("ascii")
    return (
        f'/* {NOTICE} */\n@font-face{{font-family:"{FAMILY}";src:url(data:font/woff2;base64,{inside}) '
        f'format("woff2")}}\n{RULES}\n'
    )
