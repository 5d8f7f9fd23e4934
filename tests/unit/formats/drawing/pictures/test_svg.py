"""The built-in plotter: well-formed, repeatable, small, safe with any name."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from functools import cache
from typing import Any

import numpy as np
import pytest

from kinegen.errors import UsageError
from kinegen.formats.drawing.pictures.svg import FORMAT, draw
from kinegen.formats.load import load
from kinegen.kinematics.positions import forward
from kinegen.mechanism.model import Model

pytestmark = pytest.mark.slow

SVG = "{http://www.w3.org/2000/svg}"
SIZE_LIMIT = 150_000  # bytes: a page of pictures must load at once


@cache
def scene(name: str) -> tuple[Model, np.ndarray]:
    model = load(name).compile()
    return model, forward(model)[: model.link_count]


def texts(picture: str) -> list[str]:
    return [element.text or "" for element in ET.fromstring(picture).iter(f"{SVG}text")]


class Renamed:
    """A model whose first frame has another name."""

    def __init__(self, model: Model, name: str) -> None:
        self._model = model
        frame = model.frames[0]
        self.frames = (type(frame)(name, frame.link, frame.placement),)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)


# every mechanism is drawn by tests/contract/test_docs.py too: here one of each kind is enough
@pytest.mark.parametrize("name", ["arm-6", "cam-follower", "five-bar", "humanoid-30", "stewart"])
def test_library_pictures_are_well_formed_small_and_complete(name: str) -> None:
    model, poses = scene(name)
    picture = draw(model, poses, title=name)
    root = ET.fromstring(picture)
    assert root.tag == f"{SVG}svg"
    assert len(picture.encode()) < SIZE_LIMIT
    assert "nan" not in picture.lower().replace("finance", "")
    words = texts(picture)
    assert name in words
    assert {frame.name for frame in model.frames} <= set(words)
    assert any(re.fullmatch(r"[\d.]+ (m|mm|µm)", word) for word in words), "scale bar"
    assert len(list(root.iter(f"{SVG}path"))) > 20


def test_the_same_input_gives_the_same_bytes() -> None:
    model, poses = scene("stewart")
    assert draw(model, poses) == draw(model, poses.copy())


def test_rounding_noise_does_not_change_the_picture() -> None:
    # Other processors and other kernels give other last bits.
    model, poses = scene("puma560")
    noise = np.random.default_rng(1).normal(scale=1e-15, size=poses.shape)
    assert draw(model, poses) == draw(model, poses + noise)


def test_another_pose_gives_another_picture() -> None:
    model, poses = scene("puma560")
    q = model.start()
    q[1] += 0.3
    assert draw(model, forward(model, q)[: model.link_count]) != draw(model, poses)


@pytest.mark.parametrize(
    "evil", ["<script>alert(1)</script>", "a\"b'c", "&amp;", "]]>", "\x00\x1b"]
)
def test_names_and_titles_are_escaped(evil: str) -> None:
    model, poses = scene("five-bar")
    picture = draw(Renamed(model, evil), poses, title=evil)
    root = ET.fromstring(picture)
    assert not list(root.iter(f"{SVG}script"))
    shown = "".join(c if c.isprintable() else " " for c in evil)
    assert texts(picture).count(shown) == 2


def test_points_stay_on_the_page() -> None:
    model, poses = scene("humanoid-30")
    picture = draw(model, poses, size=(400, 300))
    body = re.search(r'<g class="p">(.*?)</g>', picture, re.DOTALL)
    assert body
    starts = re.findall(r"M(-?\d+)[ ]?(-?\d+)", body.group(1))
    assert len(starts) > 100
    for x, y in starts:
        assert 0 <= int(x) / 10 <= 400
        assert 0 <= int(y) / 10 <= 300


@pytest.mark.parametrize("view", ["auto", "iso", "front", "top", "side", (30, 40), (0, -30)])
def test_every_view_works(view: Any) -> None:
    model, poses = scene("puma560")
    ET.fromstring(draw(model, poses, view=view))


def test_flat_mechanisms_are_seen_from_the_front_by_default() -> None:
    model, poses = scene("five-bar")
    assert draw(model, poses) == draw(model, poses, view=(-96, 60))
    model, poses = scene("puma560")
    assert draw(model, poses) != draw(model, poses, view=(-96, 60))


def test_frames_and_theme_can_be_chosen() -> None:
    model, poses = scene("five-bar")
    assert "handle" in texts(draw(model, poses))
    assert "handle" not in texts(draw(model, poses, frames=False))
    assert draw(model, poses, theme="dark") != draw(model, poses)


def test_a_mesh_is_drawn_as_if_there_were_none() -> None:
    rows = "raff: 1\njoints:\n  - {name: A, parent: base%s}\n  - {name: B, parent: A, d: 1}\n"
    plain, meshed = (
        load(rows % shape).compile() for shape in ("", ", shape: arm.stl")
    )  # fmt: skip
    assert draw(plain, forward(plain)) == draw(meshed, forward(meshed))


@pytest.mark.parametrize("kind", ["free", "fixed", "revolute", "prismatic", "spherical"])
def test_a_mechanism_without_any_length_is_drawn(kind: str) -> None:
    model = load(f"raff: 1\njoints:\n  - {{name: A, parent: base, type: {kind}}}\n").compile()
    ET.fromstring(draw(model, forward(model)))


@pytest.mark.parametrize("length", ["1e-7", "1", "1e7"])
def test_any_size_is_drawn(length: str) -> None:
    rows = f"  - {{name: A, parent: base}}\n  - {{name: B, parent: A, d: {length}}}\n"
    text = f"raff: 1\njoints:\n{rows}"
    model = load(text).compile()
    picture = draw(model, forward(model))
    assert len(list(ET.fromstring(picture).iter(f"{SVG}path"))) > 5


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"view": "fornt"}, "did you mean 'front'"),
        ({"view": (float("nan"), 0)}, "finite"),
        ({"theme": "drak"}, "did you mean 'dark'"),
        ({"size": (10, 10)}, "100 to 20,000"),
    ],
)
def test_wrong_options_are_refused(change: dict[str, Any], message: str) -> None:
    model, poses = scene("five-bar")
    with pytest.raises(UsageError, match=message):
        draw(model, poses, **change)


def test_wrong_poses_are_refused() -> None:
    model, poses = scene("five-bar")
    with pytest.raises(UsageError, match=r"shape \(5, 7\)"):
        draw(model, poses[:2])
    with pytest.raises(UsageError, match="finite"):
        draw(model, poses * np.nan)


def test_svg_is_a_format_to_write() -> None:
    mechanism = load("four-bar")
    assert FORMAT.write is not None
    light = FORMAT.write(mechanism, options={})
    assert mechanism.title in texts(light)
    assert FORMAT.write(mechanism, options={"theme": "dark"}) != light
    with pytest.raises(UsageError, match="did you mean 'theme'"):
        FORMAT.write(mechanism, options={"thme": "dark"})
