"""Questions about how links look with other parameters."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from kinegen.studio.wire.message import Question, Result
from kinegen.studio.wire.parts import DrawnData, Shape

__all__ = ["ShapesRequest", "ShapesResult"]


@dataclass(slots=True)
class ShapesResult(Result):
    """What is drawn of every link."""

    link_shapes: list[Shape]
    """As the file gives them, numbers worked out."""
    drawn: list[DrawnData]
    """Gears, belts, cams and curves."""


@dataclass(slots=True)
class ShapesRequest(Question):
    """The shapes with these parameters, which are not yet in the text."""

    KIND: ClassVar[str] = "shapes"
    RESULT: ClassVar[type[Result]] = ShapesResult
    parameters: dict[str, float] = field(default_factory=dict)
