"""What the reader finds in a text: rows, and the numbers and names that are checked later."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from kinegen.raff.formulas.formula import Formula
from kinegen.raff.nodes import Mapping, Node, Scalar
from kinegen.raff.repeat import Indices
from kinegen.raff.sections.kinds import Number

__all__ = ["NumberUse", "ReferenceUse", "Row"]


@dataclass(slots=True, eq=False)
class Row:
    """A mapping that was read: its values by key, and the node they came from."""

    node: Mapping
    values: dict[str, Any] = field(default_factory=dict)
    indices: Indices = field(default_factory=dict)
    """What the indices are where the row is one of several that are written once."""

    def place(self, key: str) -> Node:
        """The node to blame for a key: its value, or the row when it is absent."""
        return self.node.get(key) or self.node


@dataclass(slots=True)
class NumberUse:
    """A formula in a field, to be checked once all parameters are known."""

    formula: Formula
    kind: Number
    node: Scalar
    label: str
    indices: Indices = field(default_factory=dict)


@dataclass(slots=True)
class ReferenceUse:
    """A name of something else, to be checked once all names are known."""

    name: str
    to: str
    node: Scalar
    label: str
    indices: Indices = field(default_factory=dict)
