"""xacro files worked out to URDF: properties, macros, blocks, conditions and includes.

A xacro file is a program, and it is read as one by us alone: expressions by `xacro_grammar` and `xacro_evaluation`,
texts by `xacro_texts`, names by `xacro_scopes`, files by `xacro_files`. No part of it is handed to Python. What comes
out are elements that know the file and line where they stand; text between elements, which no robot is read from, is
passed over. How much may come out, how deep macros call macros and how long it takes are bounded (`Meter`).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from strobe.errors import ModelFileError, nearest
from strobe.files.reading import LARGEST, file_fault
from strobe.files.xml import Element, parse_xml
from strobe.models.expressions import ExpressionError
from strobe.models.names import is_file
from strobe.models.xacro_files import Surroundings
from strobe.models.xacro_grammar import KEYWORDS, LONGEST
from strobe.models.xacro_scopes import Scope, truth
from strobe.models.xacro_texts import Texts
from strobe.models.xacro_values import Meter

PREFIX = "xacro:"
OWN = "xmlns:xacro"
DEEPEST = 350  # elements and macros inside each other
ELEMENT, CALL = 3, 10  # steps of making an element, and of calling a macro
IDENTIFIER = re.compile(r"(?!__)[A-Za-z_][A-Za-z0-9_]*")
DEFAULT = re.compile(  # a name, then := or =, then ^ or ^| to take the caller's
    r"\s*(?P<name>[^\s:=]+)\s*:?=\s*(?P<forward>\^\|?)?"
)
NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # what no document may hold
UNIT = re.compile(r"\$\{[^}]*\}|\$\([^)]*\)|'[^']*'|\"[^\"]*\"|[^\s'\"$]+|\$")


def expanded(path: Path, root: Element) -> Element:
    """The root element of a xacro file with its macros, properties and includes worked out."""
    return _Expansion(path).document(root)


@dataclass(frozen=True, slots=True)
class Macro:
    """Elements with parameters: blocks (*name), and texts that may have a default."""

    body: Element
    parameters: tuple[str, ...]
    # whether the caller's property of that name comes first, and else
    defaults: dict[str, tuple[bool, str | None]]


@dataclass(slots=True)
class Place:
    """Where elements go, with the names that hold there; ``owner`` takes attributes, if one element does."""

    out: Element
    macros: Scope
    symbols: Scope
    owner: Element | None = None


class _Expansion:
    """One document on its way."""

    def __init__(self, path: Path) -> None:
        self.path, self.meter = path, Meter()
        self.texts = Texts(path, self.meter, Surroundings(path if is_file(path) else None))
        self.depth, self.written = 0, 0

    def document(self, root: Element) -> Element:
        top = replace(root, children=[])
        place = Place(top, Scope(None), Scope(self.texts.symbols), top)
        try:
            with_attributes = self._attributes(root, place.symbols)
            top.attributes = with_attributes
            self._inside(root, place)
        except ExpressionError as error:
            raise self._fault(root, str(error)) from None
        except RecursionError:
            raise file_fault(self.path, _too_deep()) from None
        return top

    def _fault(self, element: Element, text: str) -> ModelFileError:
        return file_fault(element.file or self.path, text, element.line)

    # -- elements ---------------------------------------------------------------------------------------------

    def _inside(self, element: Element, place: Place) -> None:
        """Work out what an element contains."""
        self.depth += 1
        if self.depth > DEEPEST:
            raise self._fault(element, _too_deep())
        for child in element.children:
            self.meter.spend()
            try:
                RULES.get(child.tag, _Expansion._any)(self, child, place)
            except ExpressionError as error:
                raise self._fault(child, str(error)) from None
        self.depth -= 1

    def _any(self, element: Element, place: Place) -> None:
        if element.tag.startswith(PREFIX):
            self._call(element, element.tag.removeprefix(PREFIX), element.attributes, place)
        else:
            self._plain(element, place)

    def _plain(self, element: Element, place: Place) -> None:
        self.meter.spend(ELEMENT)
        made = Element(
            element.tag, self._attributes(element, place.symbols), element.line, file=element.file
        )
        place.out.children.append(made)
        self._inside(element, Place(made, place.macros, place.symbols, made))

    def _attributes(self, element: Element, symbols: Scope) -> dict[str, str]:
        made = {
            name: self._text(value, symbols)
            for name, value in element.attributes.items()
            if not name.startswith(PREFIX) and name != OWN
        }
        self.written += len(element.tag) + sum(len(name) + len(value) for name, value in made.items())
        if self.written > LARGEST:
            raise ExpressionError(f"expands to more than {LARGEST} characters.")
        return made

    def _text(self, text: str, symbols: Scope) -> str:
        written = self.texts.written(self.texts.value(text, symbols))
        if found := NO_XML.search(written):
            raise ExpressionError(f'"{text}" has the character {found[0]!a}, which no XML can hold.')
        return written

    def _given(self, element: Element, *needed: str) -> list[str]:
        """Attributes that must be there, in this order; files have others of their own."""
        for name in needed:
            if name not in element.attributes:
                hint = nearest(name, element.attributes)
                raise ExpressionError(f'<{element.tag}> has no attribute "{name}", which it needs.{hint}')
        return [element.attributes[name] for name in needed]

    # -- properties -------------------------------------------------------------------------------------------

    def _property(self, element: Element, place: Place) -> None:
        (given,) = self._given(element, "name")
        found, symbols = element.attributes, place.symbols
        name = self._text(given, symbols)
        if not IDENTIFIER.fullmatch(name) or name in KEYWORDS:
            raise ExpressionError(f'the property "{name}" has no name of letters, digits and underscores.')
        remove = self._truth(found.get("remove", "false"), symbols)
        if ("value" in found) + ("default" in found) + remove > 1:
            raise ExpressionError(f'the property "{name}" has more than one of value, default and remove.')
        if remove:
            symbols.forget(name)
        elif "default" in found:
            if name not in symbols:
                symbols.define(name, found["default"], later=True)
        else:
            self._define(element, name, symbols)

    def _define(self, element: Element, name: str, symbols: Scope) -> None:
        """A property with a value, or with a block of elements, in the scope that it asks for."""
        found = element.attributes
        scope, later = found.get("scope"), self._truth(found.get("lazy_eval", "true"), symbols)
        target: Scope | None = symbols
        if scope == "global":
            target, later = symbols.top(), False
        elif scope == "parent":
            target, later = symbols.caller(), False
        elif scope:
            raise ExpressionError(f'the scope "{scope}" is not one of parent and global.')
        if target is None:
            raise ExpressionError(f'the property "{name}" has no parent scope: it stands in no macro.')
        if "value" not in found:
            target.values[f"**{name}"] = element
            return
        value = found["value"] if later else self.texts.value(found["value"], symbols)
        target.define(name, value, later=later)

    def _truth(self, text: str, symbols: Scope) -> bool:
        return truth(self.texts.value(text, symbols), text)

    def _argument(self, element: Element, place: Place) -> None:
        name, default = self._given(element, "name", "default")
        if name not in self.texts.arguments:
            self.texts.arguments[name] = self._text(default, place.symbols)

    # -- conditions, blocks, elements by name -----------------------------------------------------------------

    def _condition(self, element: Element, place: Place) -> None:
        (condition,) = self._given(element, "value")
        if self._truth(condition, place.symbols) is (element.tag == "xacro:if"):
            self._inside(element, replace(place, owner=None))

    def _block(self, element: Element, place: Place) -> None:
        (name,) = self._given(element, "name")
        for stars in ("**", "*"):
            if stars + name in place.symbols:
                block = place.symbols.get(stars + name, self.texts.value)
                if stars == "**":
                    self._inside(block, replace(place, owner=None))
                else:
                    self._plain(block, place)
                return
        raise ExpressionError(
            f'there is no block "{name}"; expected a parameter *{name}, or a property of it.'
        )

    def _element(self, element: Element, place: Place) -> None:
        name = element.attributes.get("xacro:name")
        if name is None:
            raise ExpressionError('<xacro:element> has no attribute "xacro:name", which it needs.')
        tag = self._text(name, place.symbols)
        if not tag:
            raise ExpressionError(f'<xacro:element> has the name "{name}", which is empty.')
        others = {key: value for key, value in element.attributes.items() if key != "xacro:name"}
        named = replace(element, tag=tag, attributes=others)
        RULES.get(tag, _Expansion._any)(self, named, place)

    def _attribute(self, element: Element, place: Place) -> None:
        name, value = (self._text(each, place.symbols) for each in self._given(element, "name", "value"))
        if place.owner is None:
            raise ExpressionError(
                f'<xacro:attribute> "{name}" stands in a condition or macro, where xacro loses it; put it directly '
                "into its element."
            )
        place.owner.attributes[name] = value

    # -- macros -----------------------------------------------------------------------------------------------

    def _macro(self, element: Element, place: Place) -> None:
        (name,) = self._given(element, "name")
        name = name.removeprefix(PREFIX)
        if name == "call" or "." in name:
            raise ExpressionError(
                f'a macro cannot be called "{name}": that word, and dots, have a meaning.'
            )
        parameters, defaults = parameters_of(element.attributes.get("params", ""))
        place.macros.values[name] = Macro(element, parameters, defaults)

    def _dynamic(self, element: Element, place: Place) -> None:
        name = self._text(element.attributes.get("macro", ""), place.symbols)
        if not name:
            raise ExpressionError('<xacro:call> has no attribute "macro", which it needs.')
        given = {key: value for key, value in element.attributes.items() if key != "macro"}
        self._call(element, name, given, place)

    def _call(self, element: Element, name: str, given: dict[str, str], place: Place) -> None:
        self.meter.spend(CALL)
        macro, macros, symbols = self._found(name, place)
        scope, left = Scope(symbols), list(macro.parameters)
        for key, value in given.items():
            if key not in left:
                raise ExpressionError(
                    f'the macro "{name}" has no parameter "{key}".{nearest(key, macro.parameters)}'
                )
            left.remove(key)
            scope.define(key, self.texts.value(value, place.symbols))
        self._give_blocks(element, name, left, scope, place)
        for key in list(left):
            if key in macro.defaults:
                left.remove(key)
                scope.define(key, self._default(name, key, *macro.defaults[key], place.symbols))
        if left:
            raise ExpressionError(f'the macro "{name}" needs "{left[0]}", which is not given.')
        _lift_namespaces(macro.body, place.out)
        self._inside(macro.body, Place(place.out, Scope(macros), scope))

    def _found(self, name: str, place: Place) -> tuple[Macro, Scope, Scope]:
        """A macro by its name, after the namespaces that lead to it."""
        macros, symbols = place.macros, place.symbols
        found = macros.owner(name)
        if found is None:
            *spaces, last = name.split(".")
            for space in spaces:
                inner, known = macros.owner(space), symbols.owner(space)
                macros = inner.values[space] if inner else None
                symbols = known.values[space] if known else None
                if not isinstance(macros, Scope) or not isinstance(symbols, Scope):
                    raise ExpressionError(f'there is no namespace "{space}" of the macro "{name}".')
            name, found = last, macros.owner(last)
        macro = found.values[name] if found else None
        if not isinstance(macro, Macro):
            raise ExpressionError(
                f'there is no macro "{name}"; define it, or include its file, before it is called.'
                f"{nearest(name, macros.values)}"
            )
        return macro, macros, symbols

    def _give_blocks(
        self, element: Element, name: str, left: list[str], scope: Scope, place: Place
    ) -> None:
        """Elements inside a call, worked out where it stands, to the parameters that take blocks."""
        inside = Element("", {}, element.line, file=element.file)
        self._inside(element, Place(inside, place.macros, place.symbols))
        wanted = [key for key in left if key.startswith("*")]
        if len(inside.children) != len(wanted):
            raise ExpressionError(
                f'the macro "{name}" is given {len(inside.children)} blocks; expected {len(wanted)}'
                f"{' (' + ', '.join(wanted) + ')' if wanted else ''}."
            )
        for key, block in zip(wanted, inside.children, strict=True):
            left.remove(key)
            scope.values[key] = block

    def _default(self, macro: str, key: str, forward: bool, default: str | None, symbols: Scope) -> object:
        if forward and key in symbols:
            return symbols.get(key, self.texts.value)
        if default is None:
            raise ExpressionError(f'the macro "{macro}" needs "{key}", which is not given, nor a property.')
        return self.texts.value(default, symbols)

    # -- includes ---------------------------------------------------------------------------------------------

    def _include(self, element: Element, place: Place) -> None:
        (name,) = self._given(element, "filename")
        optional = element.attributes.get("optional")
        inner = Place(place.out, place.macros, place.symbols)
        if space := element.attributes.get("ns"):
            space = self._text(space, place.symbols)
            inner.macros, inner.symbols = Scope(None), Scope(place.symbols, namespace=True)
            place.macros.values[space], place.symbols.values[space] = inner.macros, inner.symbols
        for path in self.texts.surroundings.matching(self.texts.beside(self._text(name, place.symbols))):
            self._include_one(path, inner, optional is not None and truth(optional, optional))

    def _include_one(self, path: Path, place: Place, optional: bool) -> None:
        try:
            content = self.texts.surroundings.read(path)
        except FileNotFoundError:
            if optional:
                return
            raise ExpressionError(f"includes {path}, and there is no such file.") from None
        self.meter.spend(1 + len(content) // 16)
        root = parse_xml(path, content, file=str(path))
        self.texts.files.append(path)
        self._attributes(root, place.symbols)
        _lift_namespaces(root, place.out)
        self._inside(root, place)
        self.texts.files.pop()


Rule = Callable[[_Expansion, Element, Place], None]
RULES: dict[str, Rule] = {
    "xacro:property": _Expansion._property,
    "xacro:arg": _Expansion._argument,
    "xacro:if": _Expansion._condition,
    "xacro:unless": _Expansion._condition,
    "xacro:insert_block": _Expansion._block,
    "xacro:element": _Expansion._element,
    "xacro:attribute": _Expansion._attribute,
    "xacro:macro": _Expansion._macro,
    "xacro:call": _Expansion._dynamic,
    "xacro:include": _Expansion._include,
}


def _too_deep() -> str:
    return f"macros and elements are nested more than {DEEPEST} deep; look for a macro that calls itself."


def _lift_namespaces(source: Element, out: Element) -> None:
    """Prefixes that an included file or a macro declares, for the elements it leaves behind."""
    for name, value in source.attributes.items():
        if name.startswith("xmlns:") and name != OWN:
            out.attributes.setdefault(name, value)


def parameters_of(text: str) -> tuple[tuple[str, ...], dict[str, tuple[bool, str | None]]]:
    """The parameters of a macro, and what they are if they are not given: ``a b:=1 c:=^ d:=^|2 *block``."""
    if len(text) > LONGEST:
        raise ExpressionError(f"parameters of {len(text):,} characters; at most {LONGEST:,} are read.")
    names: list[str] = []
    defaults: dict[str, tuple[bool, str | None]] = {}
    place = 0
    while text[place:].strip():
        found = DEFAULT.match(text, place)
        if found is None:
            name = text[place:].split(None, 1)[0]
            place = text.index(name, place) + len(name)
        else:
            name, start = found["name"], found.end()
            place = start
            while unit := UNIT.match(text, place):
                place = unit.end()
            if place < len(text) and not text[place].isspace():
                raise ExpressionError(
                    f'the parameters "{text}" cannot be read at "{text[place : place + 20]}".'
                )
            default = text[start:place] or None
            if found["forward"] or default is not None:
                defaults[name] = (bool(found["forward"]), default)
        names.append(name)
    return tuple(names), defaults
