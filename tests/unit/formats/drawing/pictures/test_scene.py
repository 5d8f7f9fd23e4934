"""What surrounds a mechanism: round lengths, words, labels, shadows."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kinegen.formats.drawing.pictures.camera import look_along
from kinegen.formats.drawing.pictures.scene import (
    floor_grid,
    frame_labels,
    length_words,
    nice_length,
    number,
    scale_bar,
    shadow,
)
from kinegen.formats.drawing.pictures.theme import THEMES


@given(st.floats(1e-9, 1e9))
def test_a_nice_length_is_one_two_or_five_and_fills_more_than_a_third(longest: float) -> None:
    length = nice_length(longest)
    digits = f"{length:.3e}".split("e")[0]
    assert float(digits) in (1, 2, 5)
    assert length <= longest * 1.001
    assert length > 0.39 * longest


@pytest.mark.parametrize(
    ("length", "words"),
    [(2.0, "2 m"), (0.2, "200 mm"), (0.001, "1 mm"), (2e-5, "20 µm"), (1e-8, "1e-08 m")],
)
def test_lengths_are_said_in_a_fitting_unit(length: float, words: str) -> None:
    assert length_words(length) == words


@pytest.mark.parametrize(
    ("value", "text"), [(1.0, "1"), (-0.04, "0"), (0.04, "0"), (12.34, "12.3"), (-7.96, "-8")]
)
def test_numbers_are_short(value: float, text: str) -> None:
    assert number(value) == text


def test_the_scale_bar_is_as_long_as_it_says() -> None:
    camera = look_along(0, 0)
    camera.scale = 300.0
    bar = scale_bar(camera, (800, 600))
    width = re.search(r"h([\d.]+)", bar)
    words = re.search(r">([\d.]+) mm<", bar)
    assert width and words
    assert float(width.group(1)) / 300 * 1000 == pytest.approx(float(words.group(1)), rel=1e-3)


def test_grid_lines_have_round_places() -> None:
    camera = look_along(-90, 90)
    camera.scale = 100.0
    grid = floor_grid(camera, np.array([-1.0, -1.0]), np.array([1.0, 1.0]), 0.0)
    uprights = {m.group(1) for m in re.finditer(r"M(-?[\d.]+) -?[\d.]+L\1 ", grid)}
    assert {"0", "50", "-50", "100"} <= uprights


def test_a_shadow_falls_away_from_the_light() -> None:
    camera = look_along(-90, 90)
    cube = np.array([(x, y, z) for x in (0, 10) for y in (0, 10) for z in (20, 30)], dtype=float)
    path = shadow(camera, [cube], 0.0, np.array([-0.5, 0.0, 1.0]))
    xs = [int(x) for x in re.findall(r"[ML](-?\d+) ", path)]
    assert min(xs) == 10
    assert max(xs) == 25


def test_labels_of_frames_in_one_place_do_not_cover_each_other() -> None:
    camera = look_along(-55, 24)
    camera.scale, camera.middle = 200.0, (400.0, 300.0)
    frames = [(f"frame{i}", np.eye(3), np.zeros(3)) for i in range(4)]
    drawn = frame_labels(camera, frames, THEMES["light"], (800, 600), [])
    places = set(re.findall(r'<text class="f" (x="[^"]+" y="[^"]+")', drawn))
    assert len(places) == 4
