"""DXF: the flat parts of a planar mechanism for laser cutters, routers and CAD programs."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from kinegen.errors import FormatError, UsageError
from kinegen.formats.format import Format, Written
from kinegen.formats.workshop.flat.assembly import FlatAssembly, flat_assembly
from kinegen.formats.workshop.flat.label import label_of
from kinegen.formats.workshop.flat.layout import SPACING, Layout, arrange
from kinegen.formats.workshop.flat.options import FLAT_OPTIONS, flat_drawing
from kinegen.formats.workshop.flat.outline import Outline, Point
from kinegen.formats.workshop.flat.part import FlatPart, Placed
from kinegen.formats.workshop.names import distinct
from kinegen.formats.workshop.sizes import Sizes, parse_word
from kinegen.kernels import Floats
from kinegen.kinematics.configurations import Configuration
from kinegen.mechanism.any_model import AnyModel
from kinegen.mechanism.graph import Mechanism

if TYPE_CHECKING:
    from ezdxf.document import Drawing

__all__ = ["FORMAT", "VERSIONS", "dxf_text", "export_dxf"]

VERSIONS = ("R12", "R2000", "R2010")
LABELS = "labels"
"""Layer of names and marks, which are not cut."""
SHEETS = "sheets"
"""Layer of the edges of the material."""

_MM = 1000.0
_CUT, _LABEL, _SHEET = 1, 5, 8
"""Colours of DXF: red is cut, blue is engraved, grey is for the eye."""
_ASSEMBLED = (1, 3, 6, 4, 30, 2, 140, 200)
"""Colours of parts that lie on top of each other."""


def export_dxf(
    model: AnyModel,
    q: Configuration = None,
    *,
    sizes: Sizes | None = None,
    layout: str = "nested",
    ground: bool = False,
    frames: str = "mark",
    labels: bool = True,
    sheet: tuple[float, float] | None = None,
    spacing: float = SPACING,
    version: str = "R2010",
) -> str:
    """The parts of a planar mechanism as the text of a DXF file, in millimetres.

    Every part has a layer of its name; names of parts and marks of frames have a layer 'labels'.

    Args:
        model: The mechanism or its model.
        q: The pose of an assembled drawing; default: the file's start.
        sizes: Of bars and holes.
        layout: 'nested' side by side for cutting, or 'assembled'.
        ground: Whether the ground is a part.
        frames: What becomes of named frames: 'mark', 'hole' or 'no'.
        labels: Whether parts are labelled with their name and level.
        sheet: Length and width of the material [m].
        spacing: Between parts [m].
        version: Of the format: 'R12', 'R2000' or 'R2010'.

    Raises:
        FormatError: A joint leaves the plane, or a part cannot be made or placed.
    """
    assembly = flat_assembly(model, q, sizes=sizes, frames=frames)
    placed = arrange(assembly, layout=layout, ground=ground, sheet=sheet, spacing=spacing)
    return dxf_text(assembly, placed, labels=labels, version=version)


def dxf_text(
    assembly: FlatAssembly, layout: Layout, *, labels: bool = True, version: str = "R2010"
) -> str:
    """The drawing of a layout."""
    if version not in VERSIONS:
        raise UsageError(f"version={version}: use one of {', '.join(VERSIONS)}")
    document = _new(version)
    space = document.modelspace()
    # Layers that differ in capital letters alone are one in DXF.
    taken = ("0", "Defpoints", LABELS, SHEETS)
    layers = distinct((part.name for part, _ in layout.places), taken)
    overlaid = layout.places and all(place == part.at for part, place in layout.places)
    sizes = assembly.sizes
    if layout.sheets:
        document.layers.add(SHEETS, color=_SHEET)
    for x0, y0, x1, y1 in layout.sheets:
        corners = ((x0, y0), (x1, y0), (x1, y1), (x0, y1))
        _closed(space, Outline(corners, (0.0,) * 4), SHEETS, version)
    if labels or any(part.marks for part, _ in layout.places):
        document.layers.add(LABELS, color=_LABEL)
    for index, ((part, place), layer) in enumerate(zip(layout.places, layers, strict=True)):
        color = _ASSEMBLED[index % len(_ASSEMBLED)] if overlaid else _CUT
        document.layers.add(layer, color=color)
        _cut_part(space, part, place, sizes, layer, version)
        for mark in part.marks:
            _cross(space, place.point(mark.at), 0.15 * sizes.width)
        if labels:
            label = label_of(part, sizes)
            _text(space, place, label.at, label.text, label.height)
    out = io.StringIO()
    document.write(out)
    return out.getvalue()


def _new(version: str) -> Drawing:
    try:
        from ezdxf import units
        from ezdxf.document import Drawing as Document
    except ImportError:
        raise FormatError("DXF files need ezdxf: pip install 'kinegen[workshop]'") from None
    document = Document.new(version)
    document.header["$INSUNITS"] = units.MM
    document.header["$MEASUREMENT"] = 1
    return document


def _cut_part(
    space: Any, part: FlatPart, place: Placed, sizes: Sizes, layer: str, version: str
) -> None:
    """Holes first, then the outline: a part that is cut free may move."""
    wide = sizes.drilled - sizes.kerf
    for hole in part.holes:
        space.add_circle(_mm(place.point(hole.at)), _MM * wide / 2, dxfattribs={"layer": layer})
    for slot in part.cuts(sizes)[len(part.holes) :]:
        _closed(space, slot.moved(place.x, place.y, place.angle), layer, version)
    outline = part.outline(sizes).moved(place.x, place.y, place.angle)
    _closed(space, outline, layer, version)


def _closed(space: Any, outline: Outline, layer: str, version: str) -> None:
    rows = [(*_mm(at), bulge) for at, bulge in zip(outline.corners, outline.bulges, strict=True)]
    add = space.add_polyline2d if version == "R12" else space.add_lwpolyline
    add(rows, format="xyb", close=True, dxfattribs={"layer": layer})


def _cross(space: Any, at: Point, reach: float) -> None:
    for x, y in ((reach, 0.0), (0.0, reach)):
        ends = _mm((at[0] - x, at[1] - y)), _mm((at[0] + x, at[1] + y))
        space.add_line(*ends, dxfattribs={"layer": LABELS})


def _text(space: Any, place: Placed, at: Point, text: str, height: float) -> None:
    from ezdxf.enums import TextEntityAlignment

    degrees = _upright(place.angle)
    entity = space.add_text(
        text, height=_MM * height, rotation=degrees, dxfattribs={"layer": LABELS}
    )
    entity.set_placement(_mm(place.point(at)), align=TextEntityAlignment.MIDDLE_CENTER)


def _upright(angle: float) -> float:
    """An angle [deg] at which a text is not upside down."""
    degrees = angle * 57.29577951308232 % 360
    return degrees - 180 if 90 < degrees < 270 else degrees


def _mm(at: Point) -> Point:
    return _MM * at[0], _MM * at[1]


def _write(
    mechanism: Mechanism,
    *,
    options: Mapping[str, str],
    file: str = "",
    q: Floats | None = None,
    motion: str | None = None,
) -> Written:
    FORMAT.check_options(options)
    drawn = flat_drawing(mechanism, q, options)
    version = parse_word("version", options.get("version", "R2010"), VERSIONS)
    text = dxf_text(drawn.assembly, drawn.layout, labels=drawn.labels, version=version)
    return Written(text, drawn.notes)


FORMAT = Format(
    "dxf",
    "flat parts of a planar mechanism for cutting, one layer each [mm]",
    (".dxf",),
    write=_write,
    options={**FLAT_OPTIONS, "version": "version of DXF: R12, R2000 or R2010 (default)"},
    media_type="image/vnd.dxf",
    needs={"ezdxf": "workshop"},
)
