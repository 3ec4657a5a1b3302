"""XML as elements that know their line, read without trusting the file.

No document type, no entities, nothing external, a limit on size and depth. Prefixes are part of a tag
(``xacro:macro``), declared or not, as the tools around robot files treat them.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.parsers import expat
from xml.sax import SAXParseException
from xml.sax.handler import ContentHandler
from xml.sax.xmlreader import InputSource

from defusedxml import DefusedXmlException
from defusedxml.expatreader import DefusedExpatParser

from strobe.files.reading import UTF16, file_fault, require_size, require_utf8

DEEPEST = 200  # elements inside each other
DECLARATION = re.compile(r"\A\ufeff?\s*<\?xml.*?\?>", re.DOTALL)
MOST_PARTS = 1_000_000  # elements and attributes; the largest robot files known have some ten thousands


@dataclass(slots=True)
class Element:
    """A tag with its attributes, what it contains and where it stands: a line, of another file if one is named.

    Its own text is there if `parse_xml` was asked for it.
    """

    tag: str
    attributes: dict[str, str]
    line: int
    children: list[Element] = field(default_factory=list)
    file: str = ""
    text: str = ""

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

    def __init__(self, file: str, texts: bool) -> None:
        super().__init__()
        self.file = file
        self.texts: list[list[str]] | None = [] if texts else None  # of the elements that are open
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
        if self.texts is not None:
            self.texts.append([])
        if len(self.open) > DEEPEST:
            raise SAXParseException(f"elements nested more than {DEEPEST} deep", None, self.locator)

    def characters(self, content: str) -> None:
        if self.texts:
            self.texts[-1].append(content)

    def endElement(self, name: str) -> None:
        element = self.open.pop()
        if self.texts:
            element.text = "".join(self.texts.pop())


def parse_xml(path: Path | str, content: bytes | str, file: str = "", *, texts: bool = False) -> Element:
    """The root element, or a `ModelFileError` that says why this is no XML to read.

    Elements of a file that is not the one a user named say which: ``file``. A text is decoded already, whatever
    encoding its declaration names.
    """
    data = _undeclared(content).encode("utf-8", "surrogatepass") if isinstance(content, str) else content
    require_size(path, data)
    _require_text(path, data)
    tree = _Tree(file, texts)
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


def _undeclared(text: str) -> str:
    """A text without the declaration in front, its lines where they were."""
    return DECLARATION.sub(lambda found: "\n" * found[0].count("\n"), text)


def with_attributes(content: bytes, changes: Mapping[int, Mapping[str, str]]) -> bytes:
    """XML that `parse_xml` took, in UTF-8, with other values of attributes and every other byte as it was.

    ``changes`` are attributes of elements by their number in the order of the file. One that is not there is added.
    """
    starts = _starts(content)
    for number in sorted(changes, reverse=True):
        start = starts[number]
        end = _end_of_tag(content, start)
        tag = content[start:end]
        for name, value in changes[number].items():
            tag = _set(tag, name, value)
        content = content[:start] + tag + content[end:]
    return content


def _starts(content: bytes) -> list[int]:
    """Where every element begins."""
    found: list[int] = []
    parser = expat.ParserCreate()
    parser.StartElementHandler = lambda *_: found.append(parser.CurrentByteIndex)
    parser.Parse(content, True)
    return found


def _end_of_tag(content: bytes, start: int) -> int:
    """Behind the last attribute of a tag: a > within quotes ends none."""
    found = TAG.match(content, start)
    assert found is not None
    return found.end()


def _set(tag: bytes, name: str, value: str) -> bytes:
    """A tag with another value of an attribute."""
    quoted = f'"{value}"'.encode()
    start = TAG_NAME.match(tag)
    for found in ATTRIBUTE.finditer(tag, start.end() if start else 0):
        if found[1] == name.encode():
            return tag[: found.start(2)] + quoted + tag[found.end(2) :]
    return tag + f" {name}=".encode() + quoted


TAG_NAME = re.compile(rb"<[^\s/>]+")
ATTRIBUTE = re.compile(rb"""\s+([^\s=/>]+)\s*=\s*("[^"]*"|'[^']*')""")
TAG = re.compile(rb"""<[^\s/>]+(?:\s+[^\s=/>]+\s*=\s*(?:"[^"]*"|'[^']*'))*""")


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
