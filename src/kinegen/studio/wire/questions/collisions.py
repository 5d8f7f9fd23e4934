"""Questions about bodies that can collide."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from kinegen.studio.wire.message import Question, Result

__all__ = ["BodiesRequest", "BodiesResult"]


@dataclass(slots=True)
class BodiesResult(Result):
    """The bodies of a mechanism and its scene, for the page's own kernels."""

    ints: str
    """Kind, link and lists of every shape, int32, as base64; as the kernels take them."""
    reals: str
    """Places and sizes of every shape, float64, as base64."""
    corners: str
    planes: str
    facet_first: str
    facet_corners: str
    heights: str
    meets: str
    """Which shapes may touch each other, int32, as base64."""
    body: str
    """Body of each shape, int32, as base64."""
    names: list[str]
    """Of the bodies: links, objects, floor."""
    tolerance: float
    """Depth up to which bodies only rest on each other [m]."""
    clearance: float
    """Distance that drags keep [m]."""
    remarks: list[str] = field(default_factory=list)
    """What is not checked, in words."""


@dataclass(slots=True)
class BodiesRequest(Question):
    """The bodies with these parameters, which may not be in the text yet."""

    KIND: ClassVar[str] = "bodies"
    RESULT: ClassVar[type[Result]] = BodiesResult
    parameters: dict[str, float] = field(default_factory=dict)
    places: dict[str, list[float]] = field(default_factory=dict)
    """Where objects are now, wxyz and xyz [m], by name; others as at the start."""
    absent: list[str] = field(default_factory=list)
    """Objects that are no obstacles, such as those that are carried."""
    floor: float | None = None
    """Height of a floor [m], if any; that of the file comes first."""
