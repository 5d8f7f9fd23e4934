import xml.etree.ElementTree as ET

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import UsageError
from kinegen.formats.reports.result_figure import Drawable, figure
from kinegen.mechanism.model import Model


def _words(result: Drawable, **options: object) -> list[str]:
    svg = figure(result, **options).to_bytes().decode()  # type: ignore[arg-type]
    return [part.text or "" for part in ET.fromstring(svg).iter() if part.tag.endswith("text")]


@pytest.fixture(scope="module")
def lynx() -> Model:
    return kg.load("lynx6").compile()


@pytest.fixture(scope="module")
def five_bar() -> Model:
    return kg.load("five-bar").compile()


def test_cloud_in_the_papers_colours(lynx: Model) -> None:
    made = kg.cloud(lynx, factor=45)
    words = _words(made, palette="paper")
    for word in ("Workspace of lynx6", "64 poses, 320 points", "elbow", "waist 0 to 180°"):
        assert word in words
    svg = made.to_bytes("a.svg", palette="paper").decode()
    # where the base is: orange; what moves fades with its distance, but keeps its hue
    assert 'color="#ffa500"' in svg
    assert 'color="#ffa500"' not in figure(made)._repr_svg_()


def test_cloud_by_a_number_has_a_scale(lynx: Model) -> None:
    words = _words(kg.cloud(lynx, factor=45, layer="joint:elbow"))
    assert "elbow" in words and "90°" in words and "45°" in words


def test_zone_by_mode(five_bar: Model) -> None:
    made = kg.zone(five_bar, step=0.4)
    words = _words(made)
    assert "home" in words and "C flipped" in words and str(made.modes[0].count) in words


def test_a_turn_has_no_places() -> None:
    stewart = kg.load("stewart").compile()
    made = kg.workspace.zone_slice(stewart, step=0.8, kind="turn")
    with pytest.raises(UsageError, match="no positions"):
        figure(made)


def test_backlash_close_up(five_bar: Model) -> None:
    words = _words(kg.workspace.backlash(five_bar, angle=0.02, directions=6, fill=5))
    assert "at the mechanism" in words and "x [cm]" in words and "x [mm]" in words


def test_path_with_what_is_reached_and_not(five_bar: Model) -> None:
    path = kg.follow(
        five_bar,
        kg.curves.ellipse_by_corners((0, 0.24, 0), (0.2, 0.39, 0)),
        frame="handle",
        points=30,
    )
    around = [np.array([[0.0, 0.3, 0.0], [0.2, 0.3, 0.0]])]
    words = _words(path, around=around, views=["top", (-70, 35)], theme="dark")
    for word in ("reached", "not reached", "surface", str(path.reachable_count)):
        assert word in words
    assert words.count("x [cm]") == 2


def test_a_path_that_reaches_nothing_is_still_drawn(five_bar: Model) -> None:
    path = kg.follow(five_bar, kg.curves.segment((2, 0, 0), (3, 0, 0)), frame="handle", points=4)
    assert "not reached" in _words(path)


def test_other_things_have_no_figure(five_bar: Model) -> None:
    with pytest.raises(UsageError, match="a float cannot be drawn"):
        figure(1.0)  # type: ignore[arg-type]
