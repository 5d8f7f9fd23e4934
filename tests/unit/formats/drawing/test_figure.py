import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import FormatError, KinegenError, UsageError
from kinegen.formats.drawing.figure import FEW, Dots, Key, Panel, Wires, draw_figure
from kinegen.mechanism.model import Model


@pytest.fixture(scope="module")
def model() -> Model:
    return kg.load("five-bar").compile()


def _svg(model: Model, panels: list[Panel], **options: object) -> str:
    return draw_figure(model, panels, "a.svg", title="t", **options).decode()  # type: ignore[arg-type]


def _dots(svg: str, color: str) -> int:
    return sum(way.count("h0") for way in re.findall(rf'color="{color}"[^>]* d="([^"]*)"', svg))


def _red(xyz: np.ndarray, above: bool = True) -> Dots:
    return Dots(xyz, np.tile(np.array([255, 0, 0], np.uint8), (len(xyz), 1)), 1.0, above)


def test_every_dot_that_shows_is_drawn(model: Model) -> None:
    places = np.array([[0.0, 0.1, 0], [0.1, 0.1, 0], [0.2, 0.1, 0], [0.2, 0.1, 0]])
    assert _dots(_svg(model, [Panel([_red(places)], model.start())]), "#ff0000") == 3


def test_too_many_dots_are_thinned_and_that_is_said(model: Model) -> None:
    grid = np.stack(np.meshgrid(np.linspace(0, 1, 200), np.linspace(0, 1, 200), [0.0])).reshape(
        3, -1
    )
    svg = _svg(model, [Panel([_red(grid.T, above=False)], view="top")])
    shown = int(re.findall(r"(\d+) of \d+ dots drawn", svg)[0])
    assert shown == FEW == _dots(svg, "#ff0000")


def test_far_dots_fade_and_near_ones_come_last(model: Model) -> None:
    places = np.array([[0.0, 0.9, 0], [0.1, 0.3, 0], [0.2, 0, 0]])
    svg = _svg(model, [Panel([_red(places, above=False)], view="front")])
    green = [int(color[2:4], 16) for color in re.findall(r'class="d" color="#(\w+)"', svg)]
    assert len(green) == 3 and green[0] > green[1] > green[2]


def test_wires_break_where_there_is_nothing(model: Model) -> None:
    line = np.array(
        [[0.0, 0, 0], [0.1, 0, 0], [np.nan] * 3, [0.2, 0, 0], [0.3, 0.1, 0], [0.3, 0.2, 0]]
    )
    svg = _svg(model, [Panel([Wires([line], "#123456", 2.0)], model.start())])
    (way,) = re.findall(r'class="l" color="#123456"[^>]* d="([^"]*)"', svg)
    assert way.count("M") == 2


def test_legend_notes_and_panels(model: Model) -> None:
    panels = [Panel([], model.start(), view, f"from {view}") for view in ("top", "iso", "side")]
    svg = _svg(model, panels, notes=["a note"], keys=[Key("red ones", "#ff0000", "17")])
    words = [part.text for part in ET.fromstring(svg).iter() if part.tag.endswith("text")]
    for word in ("a note", "red ones", "17", "from top", "from iso", "from side", "x [cm]"):
        assert word in words


def test_axes_count_from_the_origin(model: Model) -> None:
    place = np.array([1.0, 2.0, 3.0])
    near = place + np.array([[-0.004, -0.004, -0.004], [0.004, 0.004, 0.004]])
    svg = _svg(model, [Panel([_red(near)], None, "front", origin=place)])
    words = [part.text for part in ET.fromstring(svg).iter() if part.tag.endswith("text")]
    assert "x [mm]" in words and "-2" in words and "0" in words


def test_other_kinds_of_files(model: Model) -> None:
    panel = Panel([_red(np.zeros((1, 3)))], model.start())
    assert draw_figure(model, [panel], "a.pdf", title="t").startswith(b"%PDF")
    with pytest.raises(FormatError, match=r"\.svg, \.pdf, \.png"):
        draw_figure(model, [panel], "a.doc", title="t")


def test_png_with_matplotlib(model: Model) -> None:
    pytest.importorskip("matplotlib")
    panel = Panel([_red(np.zeros((1, 3)))], model.start())
    assert draw_figure(model, [panel], "a.png", title="t").startswith(b"\x89PNG")


def test_what_cannot_be_drawn(model: Model) -> None:
    with pytest.raises(KinegenError, match="light"):
        draw_figure(model, [Panel([])], "a.svg", title="t", theme="lihgt")
    with pytest.raises(UsageError, match="at least one view"):
        draw_figure(model, [], "a.svg", title="t")
    with pytest.raises(UsageError, match="tpo"):
        draw_figure(model, [Panel([], model.start(), "tpo")], "a.svg", title="t")
