"""Colours: roles, limbs, files, light."""

from __future__ import annotations

import pytest

from kinegen.formats.drawing.pictures.theme import BRANCHES, THEMES, fill_of, shaded
from kinegen.mechanism.shapes.shapes import Role, Sphere
from kinegen.raff.sections.parts import COLORS

LIGHT = THEMES["light"]


def luminance(color: str) -> float:
    r, g, b = (int(color[i : i + 2], 16) for i in (1, 3, 5))
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


def test_limbs_differ_and_repeat_after_the_last_colour() -> None:
    fills = [fill_of(Sphere(radius=1, branch=i, tone=1), LIGHT) for i in range(1, 10)]
    assert fills[:8] == list(BRANCHES)
    assert fills[8] == fills[0]
    assert fill_of(Sphere(radius=1, branch=0), LIGHT) == LIGHT.platform


def test_roles_have_the_themes_colours() -> None:
    assert fill_of(Sphere(radius=1, role=Role.MOTOR, branch=3), LIGHT) == LIGHT.motor
    assert fill_of(Sphere(radius=1, role=Role.GROUND), LIGHT) == LIGHT.ground


@pytest.mark.parametrize(
    ("given", "fill"), [("#12AB34", "#12ab34"), ("#1a3", "#11aa33"), ("nonsense", LIGHT.platform)]
)
def test_a_colour_from_the_file_wins(given: str, fill: str) -> None:
    assert fill_of(Sphere(radius=1, color=given), LIGHT) == fill


def test_every_colour_name_of_the_format_is_known() -> None:
    fills = {name: fill_of(Sphere(radius=1, color=name), LIGHT) for name in COLORS}
    assert [name for name, fill in fills.items() if fill == LIGHT.platform] == []
    assert len(set(fills.values())) == len(COLORS)


def test_light_brightens_and_shadow_darkens() -> None:
    color = "#4c8dc4"
    assert shaded(color, 1.0) == color
    levels = [luminance(shaded(color, light / 10)) for light in range(21)]
    assert levels == sorted(levels)
    assert levels[0] < 30
    assert levels[-1] == pytest.approx(255)
