"""XML as elements that know their line, read without trusting the file.

No document type, no entities, nothing external, a limit on size and depth. Prefixes are part of a tag
(``xacro:macro``), declared or not, as the tools around robot files treat them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.sax import SAXParseException
from xml.sax.handler import ContentHandler

from defusedxml import DefusedXmlException
from defusedxml.sax import parseString

from strobe.errors import Fault, ModelFileError

LARGEST = 32 * 2**20  # bytes
DEEPEST = 200  # elements inside each other
UTF16 = (b"\xff\xfe", b"\xfe\xff")  # byte order marks


@dataclass(slots=True)
class Element:
    """A tag with its attributes, what it contains and where it stands."""

    tag: str
    attributes: dict[str, str]
    line: int
    children: list[Element] = field(default_factory=list)

    @property
    def where(self) -> str:
        return str(self.line)

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

    def __init__(self) -> None:
        super().__init__()
        self.root: Element | None = None
        self.open: list[Element] = []
        self.locator: Any = None

    def setDocumentLocator(self, locator: Any) -> None:
        self.locator = locator

    @property
    def line(self) -> int:
        return self.locator.getLineNumber() or 1

    def startElement(self, name: str, attrs: Any) -> None:
        element = Element(name, dict(attrs.items()), self.line)
        if self.open:
            self.open[-1].children.append(element)
        else:
            self.root = element
        self.open.append(element)
        if len(self.open) > DEEPEST:
            raise SAXParseException(f"elements nested more than {DEEPEST} deep", None, self.locator)

    def endElement(self, name: str) -> None:
        self.open.pop()


def read_bytes(path: Path) -> bytes:
    """The content of a file that is not too large."""
    try:
        size = path.stat().st_size
        if size > LARGEST:
            raise _fault(path, f"the file has {size} bytes; at most {LARGEST} are read.")
        return path.read_bytes()
    except OSError as error:
        raise _fault(path, f"cannot be read: {error.strerror or error}.") from None


def parse_xml(path: Path | str, content: bytes | str) -> Element:
    """The root element, or a `ModelFileError` that says why this is no XML to read."""
    data = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
    if len(data) > LARGEST:
        raise _fault(path, f"the text has {len(data)} bytes; at most {LARGEST} are read.")
    _require_text(path, data)
    tree = _Tree()
    try:
        parseString(data, tree, forbid_dtd=True)
    except DefusedXmlException:
        raise _fault(
            path, "a document type or entity declaration is refused; remove the <!DOCTYPE …>.", tree.line
        ) from None
    except SAXParseException as error:
        line, column = error.getLineNumber() or 1, (error.getColumnNumber() or 0) + 1
        raise _fault(path, f"malformed XML at column {column}: {error.getMessage()}.", line) from None
    except (LookupError, ValueError) as error:  # an encoding that Python does not know, or is no text
        raise _fault(path, f"cannot be decoded: {error}. Save the file as UTF-8.", 1) from None
    if tree.root is None:
        raise _fault(path, "no XML element found.")
    return tree.root


def _require_text(path: Path | str, data: bytes) -> None:
    if not data.strip():
        raise _fault(path, "the file is empty.")
    if data.startswith(UTF16):
        return
    if b"\0" in data:
        raise _fault(
            path, "contains NUL bytes: it is binary, or UTF-16 without a byte order mark. Save it as UTF-8."
        )
    if b"encoding" in data.split(b"?>", 1)[0][:200]:
        return
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise _fault(
            path,
            f"byte 0x{data[error.start]:02x} is not UTF-8; save the file as UTF-8, or declare its encoding "
            "in the first line.",
            line,
        ) from None


def _fault(path: Path | str, text: str, line: int | None = None) -> ModelFileError:
    return ModelFileError([Fault(f"{path}:{line}" if line else str(path), text)])
