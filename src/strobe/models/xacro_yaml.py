"""YAML that a xacro file loads, as values of `xacro_values`.

PyYAML reads the text into nodes; every value is made from them here, so no tag names a class, and what anchors repeat
counts as often as it stands there.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from strobe.errors import MissingExtraError
from strobe.models.expressions import ExpressionError
from strobe.models.xacro_values import DEEPEST_VALUE, Dotted, Meter

LARGEST = 2**17  # bytes
DEEPEST = 50  # brackets, over which PyYAML takes its time
NODE = 5  # steps of making a value
LONGEST_NUMBER = 100  # characters
KINDS = "tag:yaml.org,2002:"
UNITS = {
    "!radians": 1.0, "!degrees": math.pi / 180.0,
    "!meters": 1.0, "!millimeters": 0.001, "!foot": 0.3048, "!inches": 0.0254,
}  # fmt: skip


def yaml_values(path: Path, content: bytes, meter: Meter, evaluate: Callable[[str], Any]) -> Any:
    """What a YAML file says: numbers, truth values, texts, lists, and dictionaries with members."""
    try:
        import yaml
    except ImportError:
        raise MissingExtraError(f"{path} (YAML)", "pyyaml", "xacro") from None
    if len(content) > LARGEST:
        raise ExpressionError(f"{path} has more than {LARGEST:,} bytes, the most that are read of YAML.")
    meter.spend(len(content))
    _require_shallow(path, content)
    try:
        text = content.decode("utf-8-sig")
        node = yaml.compose(text, Loader=yaml.SafeLoader)
        return _Nodes(path, meter, evaluate, yaml).value(node, 0)
    except UnicodeDecodeError as error:
        raise ExpressionError(f"{path} is not UTF-8: {error}.") from None
    except (yaml.YAMLError, RecursionError) as error:
        said = re.sub(r"\s+", " ", str(error)) or type(error).__name__
        raise ExpressionError(f"{path} is no YAML: {said[:300]}.") from None


def _require_shallow(path: Path, content: bytes) -> None:
    depth = 0
    for bracket in re.findall(rb"[\[\]{}]", content):
        depth += 1 if bracket in b"[{" else -1
        if depth > DEEPEST:
            raise ExpressionError(f"{path} has brackets nested more than {DEEPEST} deep.")


class _Nodes:
    """Values of nodes, one kind after the other."""

    def __init__(self, path: Path, meter: Meter, evaluate: Callable[[str], Any], yaml: Any) -> None:
        self.path, self.meter, self.evaluate = path, meter, evaluate
        self.yaml, self.scalars = yaml, yaml.constructor.SafeConstructor()

    def value(self, node: Any, depth: int) -> Any:
        self.meter.spend(NODE)
        if depth > DEEPEST_VALUE:
            raise self._fault(node, f"nested more than {DEEPEST_VALUE} deep")
        if node is None:
            return None
        if isinstance(node, self.yaml.ScalarNode):
            return self._scalar(node)
        if node.tag == f"{KINDS}seq":
            return [self.value(item, depth + 1) for item in node.value]
        if node.tag == f"{KINDS}map":
            return self._mapping(node, depth)
        raise self._fault(node, f'the tag "{node.tag}" is not read')

    def _mapping(self, node: Any, depth: int) -> Dotted:
        made = Dotted()
        for key, item in node.value:
            if key.tag == f"{KINDS}merge":
                raise self._fault(key, "merging (<<) is not read; write the values out")
            if not isinstance(key, self.yaml.ScalarNode):
                raise self._fault(key, "a key that is no number or text")
            made[self._scalar(key)] = self.value(item, depth + 1)
        return made

    def _scalar(self, node: Any) -> Any:
        kind, text = node.tag.removeprefix(KINDS), node.value
        if kind in ("str", "value", "timestamp"):  # dates as they stand
            return text
        if kind == "null":
            return None
        if kind in UNITS:
            return self._with_unit(node, UNITS[kind])
        if kind in ("bool", "int", "float") and len(text) <= LONGEST_NUMBER:
            try:
                return getattr(self.scalars, f"construct_yaml_{kind}")(node)
            except (ValueError, KeyError, IndexError):
                pass
        raise self._fault(node, f'"{text[:40]}" with the tag "{node.tag}" is not read')

    def _with_unit(self, node: Any, unit: float) -> float:
        value = self.evaluate(node.value)
        if not isinstance(value, int | float):
            raise self._fault(node, f'"{node.value[:40]}" is no number')
        return float(value) * unit

    def _fault(self, node: Any, text: str) -> ExpressionError:
        return ExpressionError(f"{self.path}:{node.start_mark.line + 1}: {text}.")
