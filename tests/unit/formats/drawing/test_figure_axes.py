import re

import numpy as np
import pytest

from kinegen.formats.drawing.canvas import SvgCanvas
from kinegen.formats.drawing.figure_axes import draw_axes, is_flat, length_unit
from kinegen.formats.drawing.pictures.camera import VIEWS, look_along
from kinegen.formats.drawing.pictures.theme import THEMES


@pytest.mark.parametrize(
    ("extent", "unit"), [(3.0, (1.0, "m")), (0.4, (100.0, "cm")), (0.01, (1000.0, "mm"))]
)
def test_units(extent: float, unit: tuple[float, str]) -> None:
    assert length_unit(extent) == unit


def _words(view: str, low: list[float], high: list[float]) -> dict[str, list[tuple[float, float]]]:
    camera = look_along(*VIEWS[view])
    ends = np.array([low, high])
    camera.fit(ends, (50, 50, 550, 450))
    canvas = SvgCanvas(600, 500, "t")
    draw_axes(canvas, camera, *ends, THEMES["light"])
    found = re.findall(r'<text x="([-\d.]+)" y="([-\d.]+)"[^>]*>([^<]*)<', canvas.finish().decode())
    words: dict[str, list[tuple[float, float]]] = {}
    for x, y, word in found:
        words.setdefault(word, []).append((float(x), float(y)))
    return words


def test_a_plane_has_two_axes_at_right_angles() -> None:
    words = _words("top", [0, 0, 0], [0.5, 0.4, 0])
    assert "x [cm]" in words and "y [cm]" in words and not any("z" in word for word in words)
    # ticks to the right grow, as do those upwards
    assert words["10"][0][0] < words["20"][0][0]
    assert min(y for _, y in words["20"]) < min(y for _, y in words["10"])
    assert is_flat(look_along(*VIEWS["top"])) and not is_flat(look_along(*VIEWS["iso"]))


def test_space_has_three_axes() -> None:
    words = _words("iso", [-1, -1, 0], [1, 1, 2])
    assert {"x [m]", "y [m]", "z [m]"} <= set(words)
    assert len(words["0"]) == 3


def test_an_axis_without_extent_has_no_ticks() -> None:
    words = _words("iso", [0, 0, 0], [0.5, 0.4, 0])
    assert "z [cm]" not in words
