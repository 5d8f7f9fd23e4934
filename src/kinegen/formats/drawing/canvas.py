"""Canvas: lines, dots and texts on a page, written as SVG, PDF or PNG."""

from __future__ import annotations

import html
import io
from collections.abc import Sequence
from typing import Literal, Protocol

import numpy as np

from kinegen.errors import FormatError
from kinegen.kernels import Floats

__all__ = ["Canvas", "PdfCanvas", "PngCanvas", "SvgCanvas", "canvas_for", "text_width"]

Anchor = Literal["start", "middle", "end"]
_NARROW, _WIDE = "iljI.,:;'|! ft()[]", "mwMW@%"


class Canvas(Protocol):
    """What a chart draws on; x to the right, y down [px]."""

    def line(self, points: Sequence[tuple[float, float]], color: str, width: float) -> None:
        """A line through points."""
        ...

    def dot(self, x: float, y: float, radius: float, color: str) -> None:
        """A filled circle."""
        ...

    def lines(self, ways: Sequence[Floats], color: str, width: float) -> None:
        """Many lines of one width and colour, each (points, 2)."""
        ...

    def dots(self, places: Floats, radius: float, color: str) -> None:
        """Many circles of one size and colour, (n, 2)."""
        ...

    def polygons(self, outlines: Sequence[Floats], color: str) -> None:
        """Filled polygons of one colour, each (corners, 2), a hair wider than they are."""
        ...

    def text(
        self, x: float, y: float, text: str, size: float, color: str, anchor: Anchor = "start"
    ) -> None:
        """A line of text; y is its base line."""
        ...

    def finish(self) -> bytes:
        """The file."""
        ...


class SvgCanvas:
    """Writes SVG, which any browser shows."""

    def __init__(self, width: int, height: int, title: str) -> None:
        self._parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
            f'width="{width}" height="{height}" font-family="Helvetica, Arial, sans-serif">',
            f"<title>{html.escape(title)}</title>",
            "<style>.l,.d{fill:none;stroke:currentColor;stroke-linejoin:round;"
            "stroke-linecap:round}.d{transform:scale(.1)}.p{fill:currentColor;"
            "stroke:currentColor;stroke-width:.8;stroke-linejoin:round}</style>",
            f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        ]

    def line(self, points: Sequence[tuple[float, float]], color: str, width: float) -> None:
        """A polyline with round corners."""
        way = " ".join(f"{x:.2f},{y:.2f}" for x, y in points)
        self._parts.append(
            f'<polyline points="{way}" fill="none" stroke="{color}" stroke-width="{width:g}" '
            'stroke-linejoin="round" stroke-linecap="round"/>'
        )

    def dot(self, x: float, y: float, radius: float, color: str) -> None:
        """A circle."""
        self._parts.append(f'<circle cx="{x:.2f}" cy="{y:.2f}" r="{radius:g}" fill="{color}"/>')

    def lines(self, ways: Sequence[Floats], color: str, width: float) -> None:
        """One path."""
        self._parts.append(
            f'<path class="l" color="{color}" stroke-width="{width:g}" d="{_svg_way(ways)}"/>'
        )

    def dots(self, places: Floats, radius: float, color: str) -> None:
        """One path of lines without length, in tenths of a pixel from dot to dot: few bytes."""
        tenths = np.unique(np.rint(10 * np.asarray(places)).astype(np.int64)[:, ::-1], axis=0)
        steps = np.diff(tenths, axis=0, prepend=np.zeros((1, 2), np.int64))[:, ::-1].tolist()
        way = "".join(f"m{x}{y}h0" if y < 0 else f"m{x} {y}h0" for x, y in steps)
        self._parts.append(
            f'<path class="d" color="{color}" stroke-width="{20 * radius:g}" d="{way}"/>'
        )

    def polygons(self, outlines: Sequence[Floats], color: str) -> None:
        """One path, its edges stroked in its own colour."""
        self._parts.append(f'<path class="p" color="{color}" d="{_svg_way(outlines, "z")}"/>')

    def text(
        self, x: float, y: float, text: str, size: float, color: str, anchor: Anchor = "start"
    ) -> None:
        """Text that can be selected."""
        self._parts.append(
            f'<text x="{x:.2f}" y="{y:.2f}" font-size="{size:g}" fill="{color}" '
            f'text-anchor="{anchor}">{html.escape(text)}</text>'
        )

    def finish(self) -> bytes:
        """The SVG text."""
        return "\n".join([*self._parts, "</svg>", ""]).encode()


class PdfCanvas:
    """Writes one page of PDF with the standard font Helvetica."""

    def __init__(self, width: int, height: int, title: str) -> None:
        self._size = width, height
        self._title = title
        self._parts: list[str] = ["1 J 1 j"]

    def line(self, points: Sequence[tuple[float, float]], color: str, width: float) -> None:
        """A path, stroked."""
        height = self._size[1]
        way = [f"{x:.2f} {height - y:.2f} {'l' if i else 'm'}" for i, (x, y) in enumerate(points)]
        self._parts.append(f"{_rgb(color)} RG {width:g} w {' '.join(way)} S")

    def dot(self, x: float, y: float, radius: float, color: str) -> None:
        """A line of no length with a round, wide pen."""
        self.line([(x, y), (x, y)], color, 2 * radius)

    def lines(self, ways: Sequence[Floats], color: str, width: float) -> None:
        """Lines one by one: they are short in this format."""
        for way in ways:
            self.line([(float(x), float(y)) for x, y in way], color, width)

    def dots(self, places: Floats, radius: float, color: str) -> None:
        """The same, many in one path."""
        height = self._size[1]
        way = " ".join(f"{x:.1f} {height - y:.1f} m {x:.1f} {height - y:.1f} l" for x, y in places)
        self._parts.append(f"{_rgb(color)} RG {2 * radius:g} w {way} S")

    def polygons(self, outlines: Sequence[Floats], color: str) -> None:
        """Paths, filled and stroked."""
        height = self._size[1]
        way = " ".join(
            " ".join(
                f"{x:.1f} {height - y:.1f} {'l' if i else 'm'}" for i, (x, y) in enumerate(outline)
            )
            + " h"
            for outline in outlines
        )
        self._parts.append(f"{_rgb(color)} rg {_rgb(color)} RG 0.8 w {way} B")

    def text(
        self, x: float, y: float, text: str, size: float, color: str, anchor: Anchor = "start"
    ) -> None:
        """Text in the Latin alphabet; other letters become question marks."""
        shift = {"start": 0.0, "middle": 0.5, "end": 1.0}[anchor] * text_width(text, size)
        shown = text.encode("cp1252", "replace").decode("latin-1")
        for letter in "\\()":
            shown = shown.replace(letter, "\\" + letter)
        place = f"{x - shift:.2f} {self._size[1] - y:.2f}"
        self._parts.append(f"{_rgb(color)} rg BT /F {size:g} Tf {place} Td ({shown}) Tj ET")

    def finish(self) -> bytes:
        """The file: six objects and the table of their places."""
        width, height = self._size
        content = "\n".join(self._parts).encode("latin-1")
        title = self._title.encode("cp1252", "replace").decode("latin-1")
        for letter in "\\()":
            title = title.replace(letter, "\\" + letter)
        objects = [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {width} {height}] /Contents 4 0 R "
            "/Resources << /Font << /F 5 0 R >> >> >>".encode(),
            b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content),
            b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
            f"<< /Title ({title}) /Creator (Kinegen) >>".encode("latin-1"),
        ]
        out = io.BytesIO()
        out.write(b"%PDF-1.4\n")
        places = []
        for n, each in enumerate(objects, 1):
            places.append(out.tell())
            out.write(b"%d 0 obj\n%s\nendobj\n" % (n, each))
        table = out.tell()
        out.write(b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1))
        out.writelines(b"%010d 00000 n \n" % place for place in places)
        out.write(
            b"trailer << /Size %d /Root 1 0 R /Info 6 0 R >>\nstartxref\n%d\n%%%%EOF\n"
            % (len(objects) + 1, table)
        )
        return out.getvalue()


class PngCanvas:
    """Draws pixels with Matplotlib, where it is installed; what comes later lies on top."""

    def __init__(self, width: int, height: int, title: str) -> None:
        try:
            from matplotlib.backends.backend_agg import FigureCanvasAgg
            from matplotlib.figure import Figure
        except ImportError:
            raise FormatError(
                "PNG pictures need Matplotlib: pip install 'kinegen[plot]'; SVG and PDF do not"
            ) from None
        self._figure = Figure(figsize=(width / 100, height / 100), dpi=150)
        FigureCanvasAgg(self._figure)
        self._axes = self._figure.add_axes((0, 0, 1, 1))
        self._axes.set_xlim(0, width)
        self._axes.set_ylim(height, 0)
        self._axes.axis("off")

    def line(self, points: Sequence[tuple[float, float]], color: str, width: float) -> None:
        """A plotted line."""
        self._axes.plot(*zip(*points, strict=True), color=color, linewidth=0.72 * width, zorder=1)

    def dot(self, x: float, y: float, radius: float, color: str) -> None:
        """A marker."""
        size = 2 * 0.72 * radius
        self._axes.plot([x], [y], "o", color=color, markersize=size, markeredgewidth=0, zorder=1)

    def lines(self, ways: Sequence[Floats], color: str, width: float) -> None:
        """Plotted lines."""
        for way in ways:
            self.line([(float(x), float(y)) for x, y in way], color, width)

    def dots(self, places: Floats, radius: float, color: str) -> None:
        """Markers without a line."""
        size = 2 * 0.72 * radius
        x, y = np.asarray(places).T
        self._axes.plot(x, y, "o", color=color, markersize=size, markeredgewidth=0, zorder=1)

    def polygons(self, outlines: Sequence[Floats], color: str) -> None:
        """Filled outlines."""
        for outline in outlines:
            self._axes.fill(*np.asarray(outline).T, color=color, linewidth=0.6, zorder=1)

    def text(
        self, x: float, y: float, text: str, size: float, color: str, anchor: Anchor = "start"
    ) -> None:
        """A text; dollar signs are no formulas."""
        side = {"start": "left", "middle": "center", "end": "right"}[anchor]
        self._axes.text(
            x, y, text, fontsize=0.72 * size, color=color, ha=side, va="baseline",
            parse_math=False, zorder=1,
        )  # fmt: skip

    def finish(self) -> bytes:
        """The PNG file."""
        out = io.BytesIO()
        self._figure.savefig(out, format="png")
        return out.getvalue()


def canvas_for(suffix: str, width: int, height: int, title: str) -> Canvas:
    """The canvas for a file's suffix."""
    kinds: dict[str, type[SvgCanvas] | type[PdfCanvas] | type[PngCanvas]] = {
        ".svg": SvgCanvas,
        ".pdf": PdfCanvas,
        ".png": PngCanvas,
    }
    if suffix.lower() not in kinds:
        raise FormatError(f"a picture is written as {', '.join(kinds)}, not '{suffix}'")
    return kinds[suffix.lower()](width, height, title)


def _svg_way(ways: Sequence[Floats], end: str = "") -> str:
    """Path data with one decimal; what is longer than two points continues in steps."""
    parts = []
    for way in ways:
        tenths = np.rint(10 * np.asarray(way)).astype(np.int64)
        first, *steps = np.diff(tenths, axis=0, prepend=np.zeros((1, 2), np.int64)).tolist()
        words = " ".join(f"{x / 10:g} {y / 10:g}" for x, y in steps)
        parts.append(f"M{first[0] / 10:g} {first[1] / 10:g}l{words}{end}".replace(" -", "-"))
    return "".join(parts).replace(" 0.", " .").replace("-0.", "-.")


def _rgb(color: str) -> str:
    return " ".join(f"{int(color[i : i + 2], 16) / 255:.3f}" for i in (1, 3, 5))


def text_width(text: str, size: float) -> float:
    """About how wide Helvetica sets a text."""
    return size * sum(0.3 if c in _NARROW else 0.85 if c in _WIDE else 0.556 for c in text)
