"""A sketch's lines as the bars of a linkage."""

from __future__ import annotations

from typing import Any

from kinegen_host import Host

from kinegen.errors import UsageError
from kinegen.formats.mechanisms.bars import Bar, linkage_from_bars
from kinegen_freecad.assembly import add_mechanism
from kinegen_freecad.solids import MM

__all__ = ["bars_of", "mechanism_from_sketch"]

Point = tuple[float, float]


def bars_of(sketch: Any) -> tuple[list[Bar], list[Point]]:
    """Bars of a sketch, and points that are fixed to the ground [m].

    Lines are bars and construction lines the ground; points are fixed to the ground too. Without
    any of these, the first line is the ground.
    """
    bars: list[Bar] = []
    ground: list[Point] = []
    for index, one in enumerate(sketch.Geometry):
        kind = one.TypeId
        if kind == "Part::GeomLineSegment":
            start, end = ((at.x / MM, at.y / MM) for at in (one.StartPoint, one.EndPoint))
            fixed = _is_construction(sketch, index)
            bars.append(Bar(start, end, fixed=fixed, name=f"line {index + 1}"))
        elif kind == "Part::GeomPoint":
            ground.append((one.X / MM, one.Y / MM))
        elif not _is_construction(sketch, index):
            raise UsageError(
                f"element {index + 1} of sketch '{sketch.Label}' is not a straight line but "
                f"{kind.removeprefix('Part::Geom')}: draw bars as straight lines, or make it "
                "construction geometry to leave it out"
            )
    if bars and not ground and not any(bar.fixed for bar in bars):
        first, *others = bars
        bars = [Bar(first.start, first.end, fixed=True, name=first.name), *others]
    return bars, ground


def mechanism_from_sketch(sketch: Any) -> Any:
    """Add the linkage that a sketch's lines form, in the sketch's plane; its object *Mechanism*."""
    bars, ground = bars_of(sketch)
    if not bars:
        raise UsageError(f"sketch '{sketch.Label}' has no lines")
    host = Host(linkage_from_bars(bars, ground=ground, name="linkage"))
    host.mechanism.title = sketch.Label
    feature = add_mechanism(sketch.Document, host)
    feature.getParentGeoFeatureGroup().Placement = sketch.getGlobalPlacement()
    return feature


def _is_construction(sketch: Any, index: int) -> bool:
    return bool(sketch.getConstruction(index))
