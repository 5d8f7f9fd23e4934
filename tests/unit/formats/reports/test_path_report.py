import re
import sys
import xml.etree.ElementTree as ET

import numpy as np
import pytest

import kinegen as kg
from kinegen.curves import circle, ellipse_by_corners
from kinegen.errors import FormatError
from kinegen.formats.drawing.canvas import PdfCanvas, SvgCanvas
from kinegen.formats.drawing.chart import Box, Line, draw_chart, ticks
from kinegen.formats.reports.path_report import path_report
from kinegen.motion.follow import follow
from kinegen.motion.path import Path


@pytest.fixture(scope="module")
def path() -> Path:
    model = kg.load("five-bar").compile()
    return follow(model, ellipse_by_corners((0, 0.2, 0), (0.2, 0.45, 0)), frame="handle", points=40)


def test_svg_shows_every_point_and_line(path: Path) -> None:
    root = ET.fromstring(path_report(path, "a.svg"))
    dots = [e for e in root.iter() if e.get("class") == "d"]
    # 40 points, of which the first and the last are one
    assert sum((dot.get("d") or "").count("h0") for dot in dots) == 39
    assert len({dot.get("color") for dot in dots}) == 2
    texts = [e.text for e in root.iter() if e.tag.endswith("text")]
    assert "joint speeds [°/s]" in texts
    assert any("not reached" in (text or "") for text in texts)


def test_gaps_break_the_lines() -> None:
    canvas = SvgCanvas(300, 200, "t")
    values = np.array([0, 1, np.nan, 3, 4.0])
    draw_chart(
        canvas, Box(0, 0, 300, 200), np.arange(5.0), [Line("a", values)], title="t", unit="u"
    )
    lines = re.findall(r'points="([^"]+)" fill="none" stroke="#4c8dc4"', canvas.finish().decode())
    assert [len(line.split()) for line in lines] == [2, 2]


def test_pdf_is_whole(path: Path) -> None:
    data = path_report(path, "a.pdf")
    assert data.startswith(b"%PDF-1.4")
    start = int(re.findall(rb"startxref\n(\d+)", data)[0])
    assert data[start : start + 4] == b"xref"
    places = [int(p) for p in re.findall(rb"(\d{10}) 00000 n", data)]
    assert [data[p : p + 7] for p in places] == [b"%d 0 obj" % n for n in range(1, 7)]
    length = int(re.findall(rb"/Length (\d+)", data)[0])
    at = data.index(b"stream\n") + 7
    assert data[at + length : at + length + 10] == b"\nendstream"


def test_pdf_texts_are_escaped() -> None:
    canvas = PdfCanvas(100, 100, "a (b) \\")
    canvas.text(0, 0, "(x) \\ → °", 10, "#000000")
    assert b"(\\(x\\) \\\\ ? \xb0) Tj" in canvas.finish()


def test_spatial_paths_and_single_points() -> None:
    model = kg.load("ur5e").compile()
    found = follow(model, circle((0.35, 0.1, 0.3), 0.1), frame="tool", points=9)
    assert b"no warnings" in path_report(found, "a.svg")


def test_png_needs_matplotlib(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(FormatError, match="pip install"):
        path_report(path, "a.png")


def test_png(path: Path) -> None:
    pytest.importorskip("matplotlib")
    assert path_report(path, "a.png").startswith(b"\x89PNG")


def test_other_suffixes_are_refused(path: Path) -> None:
    with pytest.raises(FormatError, match="svg"):
        path_report(path, "a.doc")


def test_ticks_are_round() -> None:
    assert ticks(0, 1, 5) == pytest.approx([0, 0.2, 0.4, 0.6, 0.8, 1.0])
    assert ticks(-3, 17, 5) == pytest.approx([0, 5, 10, 15])
