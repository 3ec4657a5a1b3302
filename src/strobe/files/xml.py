"""XML as elements that know their line, read without trusting the file.

No document type, no entities, nothing external, a limit on size and depth. Prefixes are part of a tag
(``xacro:macro``), declared or not, as the tools around robot files treat them.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.sax import SAXParseException
from xml.sax.handler import ContentHandler
from xml.sax.xmlreader import InputSource

from defusedxml import DefusedXmlException
from defusedxml.expatreader import DefusedExpatParser

from strobe.files.reading import UTF16, file_fault, require_size, require_utf8

DEEPEST = 200  # elements inside each other
MOST_PARTS = 1_000_000  # elements and attributes; the largest robot files known have some ten thousands


@dataclass(slots=True)
class Element:
    """A tag with its attributes, what it contains and where it stands: a line, of another file if one is named."""

    tag: str
    attributes: dict[str, str]
    line: int
    children: list[Element] = field(default_factory=list)
    file: str = ""

    @property
    def where(self) -> str:
        return f"{self.file}:{self.line}" if self.file else str(self.line)

    def all(self, tag: str) -> list[Element]:
        """The direct children with this tag."""
        return [child for child in self.children if child.tag == tag]

    def first(self, tag: str) -> Element | None:
        return next(iter(self.all(tag)), None)

    def walk(self) -> Iterator[Element]:
        """This element and everything inside it."""
        stack: list[Element] = [self]
        while stack:
            element = stack.pop()
            yield element
            stack += reversed(element.children)


class _Tree(ContentHandler):
    """Builds elements while the parser reports them."""

    def __init__(self, file: str) -> None:
        super().__init__()
        self.file = file
        self.root: Element | None = None
        self.open: list[Element] = []
        self.parts = 0
        self.locator: Any = None

    def setDocumentLocator(self, locator: Any) -> None:
        self.locator = locator

    @property
    def line(self) -> int:
        return self.locator.getLineNumber() or 1

    def startElement(self, name: str, attrs: Any) -> None:
        self.parts += 1 + len(attrs)
        if self.parts > MOST_PARTS:
            raise SAXParseException(f"more than {MOST_PARTS:,} elements and attributes", None, self.locator)
        element = Element(name, dict(attrs.items()), self.line, file=self.file)
        if self.open:
            self.open[-1].children.append(element)
        else:
            self.root = element
        self.open.append(element)
        if len(self.open) > DEEPEST:
            raise SAXParseException(f"elements nested more than {DEEPEST} deep", None, self.locator)

    def endElement(self, name: str) -> None:
        self.open.pop()


def parse_xml(path: Path | str, content: bytes | str, file: str = "") -> Element:
    """The root element, or a `ModelFileError` that says why this is no XML to read.

    Elements of a file that is not the one a user named say which: ``file``.
    """
    data = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
    require_size(path, data)
    _require_text(path, data)
    tree = _Tree(file)
    try:
        source = InputSource()
        source.setByteStream(io.BytesIO(data))
        # whole: in pieces, a name of megabytes is read anew with every piece
        parser = DefusedExpatParser(bufsize=len(data) + 1, forbid_dtd=True)
        parser.setContentHandler(tree)
        parser.parse(source)
    except DefusedXmlException:
        raise file_fault(
            path, "a document type or entity declaration is refused; remove the <!DOCTYPE …>.", tree.line
        ) from None
    except SAXParseException as error:
        line, column = error.getLineNumber() or 1, (error.getColumnNumber() or 0) + 1
        raise file_fault(path, f"malformed XML at column {column}: {error.getMessage()}.", line) from None
    except (LookupError, ValueError) as error:  # an encoding that Python does not know, or is no text
        raise file_fault(path, f"cannot be decoded: {error}. Save the file as UTF-8.", 1) from None
    if tree.root is None:
        raise file_fault(path, "no XML element found.")
    return tree.root


def _require_text(path: Path | str, data: bytes) -> None:
    if not data.strip():
        raise file_fault(path, "the file is empty.")
    if data.startswith(UTF16):
        return
    if b"\0" in data:
        raise file_fault(
            path, "contains NUL bytes: it is binary, or UTF-16 without a byte order mark. Save it as UTF-8."
        )
    if b"encoding" not in data.split(b"?>", 1)[0][:200]:
        require_utf8(path, data, ", or declare its encoding in the first line")
