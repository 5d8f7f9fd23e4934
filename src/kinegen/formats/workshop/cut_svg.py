"""SVG for laser cutters: the flat parts of a planar mechanism in millimetres."""

from __future__ import annotations

import html
import math
from collections.abc import Mapping

from kinegen.formats.format import Format, Written
from kinegen.formats.workshop.flat.assembly import FlatAssembly
from kinegen.formats.workshop.flat.label import label_of
from kinegen.formats.workshop.flat.layout import Layout
from kinegen.formats.workshop.flat.options import FLAT_OPTIONS, flat_drawing
from kinegen.formats.workshop.flat.outline import Outline, Point
from kinegen.formats.workshop.flat.part import FlatPart, Placed
from kinegen.kernels import Floats
from kinegen.mechanism.graph import Mechanism

__all__ = ["FORMAT", "cut_svg"]

_MM = 1000.0
_MARGIN = 2.0
"""Around the drawing [mm]."""
_CUT, _ENGRAVE, _SHEET = "#ff0000", "#0000ff", "#b0b0b0"
"""Red is cut, blue is engraved: what most programs of laser cutters start from."""


def cut_svg(assembly: FlatAssembly, layout: Layout, *, labels: bool = True) -> str:
    """The drawing of a layout, at true scale: one group for each part."""
    groups = [_group(part, place, assembly, labels) for part, place in layout.places]
    corners = [
        point
        for part, place in layout.places
        for point in part.outline(assembly.sizes).moved(place.x, place.y, place.angle).polygon()
    ] + [point for x0, y0, x1, y1 in layout.sheets for point in ((x0, y0), (x1, y1))]
    xs, ys = [p[0] for p in corners] or [0.0], [p[1] for p in corners] or [0.0]
    left, top = _MM * min(xs) - _MARGIN, -_MM * max(ys) - _MARGIN
    width, height = (_MM * (max(v) - min(v)) + 2 * _MARGIN for v in (xs, ys))
    sheets = [
        f'<rect x="{_n(_MM * x0)}" y="{_n(-_MM * y1)}" width="{_n(_MM * (x1 - x0))}" '
        f'height="{_n(_MM * (y1 - y0))}" stroke="{_SHEET}"/>'
        for x0, y0, x1, y1 in layout.sheets
    ]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{_n(width)}mm" '
            f'height="{_n(height)}mm" viewBox="{_n(left)} {_n(top)} {_n(width)} {_n(height)}" '
            'fill="none" stroke-width="0.1">',
            f"<title>{html.escape(assembly.name)}</title>",
            *sheets,
            *groups,
            "</svg>",
            "",
        ]
    )


def _group(part: FlatPart, place: Placed, assembly: FlatAssembly, labels: bool) -> str:
    sizes = assembly.sizes
    lines = [f'<g id="{html.escape(part.name)}" stroke="{_CUT}">']
    for line in (*part.cuts(sizes), part.outline(sizes)):
        lines.append(f'<path d="{_path(line.moved(place.x, place.y, place.angle))}"/>')
    lines.append("</g>")
    marks = [place.point(mark.at) for mark in part.marks]
    reach = 0.15 * _MM * sizes.width
    for x, y in ((_MM * x, -_MM * y) for x, y in marks):
        way = f"M{_n(x - reach)} {_n(y)}H{_n(x + reach)}M{_n(x)} {_n(y - reach)}V{_n(y + reach)}"
        lines.append(f'<path class="labels" stroke="{_ENGRAVE}" d="{way}"/>')
    if labels:
        label = label_of(part, sizes)
        x, y = place.point(label.at)
        size = _MM * label.height / 0.72  # capital letters are that high
        turn = -math.degrees(place.angle) % 360
        turn = turn - 180 if 90 < turn < 270 else turn
        lines.append(
            f'<text class="labels" stroke="none" fill="{_ENGRAVE}" font-family="sans-serif" '
            f'font-size="{_n(size)}" text-anchor="middle" dominant-baseline="central" '
            f'transform="translate({_n(_MM * x)} {_n(-_MM * y)}) rotate({_n(turn)})">'
            f"{html.escape(label.text)}</text>"
        )
    return "\n".join(lines)


def _path(outline: Outline) -> str:
    """Lines and arcs; y points down."""
    words = [f"M{_at(outline.corners[0])}"]
    for start, end, bulge in outline.pieces():
        if not bulge:
            words.append(f"L{_at(end)}")
            continue
        sweep = 4 * math.atan(bulge)
        radius = math.dist(start, end) / (2 * math.sin(sweep / 2))
        r, large = _n(_MM * radius), int(sweep > math.pi)
        words.append(f"A{r} {r} 0 {large} 0 {_at(end)}")
    return "".join(words) + "Z"


def _at(point: Point) -> str:
    return f"{_n(_MM * point[0])} {_n(-_MM * point[1])}"


def _n(number: float) -> str:
    """A number with a precision of a nanometre."""
    return f"{round(number, 6) + 0.0:.10g}"


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
    text = cut_svg(drawn.assembly, drawn.layout, labels=drawn.labels)
    return Written(text, drawn.notes)


FORMAT = Format(
    "cut",
    "flat parts of a planar mechanism for laser cutters, as SVG [mm]",
    (".svg",),
    write=_write,
    options=FLAT_OPTIONS,
    media_type="image/svg+xml",
)
