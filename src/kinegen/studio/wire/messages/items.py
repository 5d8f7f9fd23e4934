"""What programs show: things in the view and controls in their panel, by their ``kind``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from kinegen.studio.wire.message import Length, Range, Vec3

__all__ = [
    "MOST_CHOICES",
    "MOST_LETTERS",
    "MOST_NUMBERS",
    "MOST_SERIES",
    "ArrowItem",
    "ButtonItem",
    "CheckboxItem",
    "ChoiceItem",
    "Item",
    "LabelItem",
    "LineItem",
    "MeshItem",
    "PlotItem",
    "PointsItem",
    "ReadoutItem",
    "SliderItem",
    "TraceItem",
]

MOST_NUMBERS = 1_000_000
"""Numbers of one item: a third as many points."""
MOST_LETTERS = 2000
"""Letters of a text that is shown."""
MOST_CHOICES = 1000
MOST_SERIES = 16

Text = Annotated[str, Length(0, MOST_LETTERS)]
"""Shown as it is, never as HTML."""
Color = Annotated[str, Length(0, 30)]
"""``#rrggbb``, or '' for the colour of the program."""
Site = Annotated[str, Length(0, 1000)]
"""Link or frame in whose axes places are; '' for the world."""
Width = Annotated[float, Range(0.0, 100.0)]
"""[px] On the screen; 0: as usual."""
Packed = Annotated[str, Length(0, 6 * MOST_NUMBERS)]
"""float32 or uint32, little endian, base64."""


@dataclass(slots=True)
class ArrowItem:
    """An arrow."""

    kind: Literal["arrow"]
    start: Vec3
    """[m]"""
    vector: Vec3
    """From its start to its tip [m]."""
    frame: Site
    color: Color
    label: Text


@dataclass(slots=True)
class PointsItem:
    """Dots at given positions."""

    kind: Literal["points"]
    places: Packed
    """x y z of each, float32 [m]."""
    colors: Packed
    """r g b of each, float32 from 0 to 1; '' where all have one colour."""
    frame: Site
    color: Color
    size: Width


@dataclass(slots=True)
class LineItem:
    """A line through places."""

    kind: Literal["line"]
    places: Packed
    """x y z of each, float32 [m]."""
    frame: Site
    color: Color
    width: Width


@dataclass(slots=True)
class MeshItem:
    """A surface of triangles."""

    kind: Literal["mesh"]
    places: Packed
    """x y z of each corner, float32 [m]."""
    triangles: Packed
    """Three corners each, uint32."""
    frame: Site
    color: Color
    opacity: Annotated[float, Range(0.0, 1.0)]


@dataclass(slots=True)
class LabelItem:
    """Words at a place."""

    kind: Literal["label"]
    text: Text
    place: Vec3
    """[m]"""
    frame: Site
    color: Color


@dataclass(slots=True)
class TraceItem:
    """The way that a point of a link or frame goes from now on."""

    kind: Literal["trace"]
    frame: Site
    point: Vec3
    """In its axes [m]."""
    color: Color
    length: Annotated[int, Range(2, 100_000)]
    """Points at most; the oldest are forgotten."""


@dataclass(slots=True)
class SliderItem:
    """A number to choose."""

    kind: Literal["slider"]
    label: Text
    value: float
    low: float
    high: float
    step: float
    """0 for any."""
    unit: Text


@dataclass(slots=True)
class ButtonItem:
    """Something to press."""

    kind: Literal["button"]
    label: Text


@dataclass(slots=True)
class CheckboxItem:
    """Something to switch on and off."""

    kind: Literal["checkbox"]
    label: Text
    value: bool


@dataclass(slots=True)
class ChoiceItem:
    """One of some words."""

    kind: Literal["choice"]
    label: Text
    value: Text
    options: Annotated[list[Text], Length(1, MOST_CHOICES)]


@dataclass(slots=True)
class ReadoutItem:
    """A value that is shown."""

    kind: Literal["readout"]
    label: Text
    value: Text


@dataclass(slots=True)
class PlotItem:
    """Curves over time or another number."""

    kind: Literal["plot"]
    label: Text
    x_label: Text
    unit: Text
    series: Annotated[list[Text], Length(1, MOST_SERIES)]
    """Names of the curves."""
    data: Packed
    """Rows of x and one y per curve, float64; a value that is missing is NaN."""


Item = (
    ArrowItem
    | PointsItem
    | LineItem
    | MeshItem
    | LabelItem
    | TraceItem
    | SliderItem
    | ButtonItem
    | CheckboxItem
    | ChoiceItem
    | ReadoutItem
    | PlotItem
)
