"""Films the worlds of the library, and writes the page that shows them.

``make worlds`` runs this; MuJoCo draws, and Pillow writes the films. The page depends on the
library alone: ``tests/contract/test_docs.py`` compares it with the file.
"""

from __future__ import annotations

import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import kinegen as kg
from kinegen.world.renderer import Renderer, View

DOCS = Path(__file__).parents[1]
PAGE = DOCS / "gallery" / "worlds.md"
FILMS = DOCS / "images" / "worlds"
SIZE = (480, 300)
RATE = 12.5
"""Frames per second."""
LARGEST = 400_000
"""Bytes of a film."""

INTRODUCTION = """\
# Worlds gallery

This page shows the worlds of the library. Each is a short RAFF file and a short agent: read, run,
change and copy them. `kinegen run NAME` runs one, `kinegen studio NAME` shows it, and
`kg.World("NAME")` opens it in Python; `kinegen list` lists them. [Worlds](../how-to/world.md)
explains the files, and [a tutorial](../tutorials/deciding-robot.md) builds one from scratch.

`make worlds` makes the films again, with the renderer that the cameras of worlds use.
"""


@dataclass(frozen=True)
class Shot:
    """How a world is filmed."""

    agent: str
    """Its file in world/library."""
    eye: tuple[float, float, float]
    """Where the camera is [m]."""
    at: tuple[float, float, float]
    """What it looks at [m]."""
    time: float
    """How long [s]."""
    follows: str = ""
    """A body with which camera and aim move along."""
    opening: float = 32.0
    """Vertical [deg]."""
    start: float = 0.0
    """Skipped [s]."""


SHOTS: dict[str, Shot] = {
    "exploring-cart": Shot("explorer", (5.6, -5.6, 6.4), (0, 0, -0.4), 16, opening=36),
    "crawling-robot": Shot("crawling_robot", (0.85, -1.75, 0.85), (0.4, 0, 0.08), 8),
    "segway": Shot("segway", (1.5, -2.6, 1.1), (-0.1, 0, 0.34), 7),
    "line-follower": Shot("line_follower", (0.3, -2.6, 1.9), (0.0, 0, 0), 16),
    "ball-plate": Shot("ball_plate", (2.2, -4.2, 5.0), (0, 0, 1.75), 8, opening=36),
    "two-arms": Shot("two_arms", (2.3, -1.5, 1.5), (0.25, 0, 0.42), 9),
    "carry-together": Shot("carry_together", (2.0, -1.8, 1.15), (0.78, 0, 0.4), 15.5, start=0.8),
    "pick-and-place": Shot("pick_and_place", (1.9, 1.0, 1.3), (0.35, -0.06, 0.33), 11.8, start=1.8),
    "careful-robot": Shot(
        "careful_robot", (-2.6, -4.4, 2.9), (1.0, 0, 0.85), 14, opening=34, start=1.5
    ),
    "walking-legs": Shot("walking_legs", (2.2, -3.6, 1.5), (0, 0, 0.5), 6, follows="body"),
}
"""In the order of the page."""


class _Tripod:
    """Where a camera stands: x ahead, z up."""

    def __init__(self, eye: Any, at: Any) -> None:
        ahead = np.array(at, float) - eye
        ahead /= np.linalg.norm(ahead)
        left = np.cross([0, 0, 1], ahead)
        left /= np.linalg.norm(left)
        self.R = np.column_stack([ahead, left, np.cross(ahead, left)])
        self.p = np.array(eye, float)

    def place(self) -> tuple[Any, Any]:
        return self.R, self.p


def film(name: str) -> None:
    """Run a world and write its film."""
    shot = SHOTS[name]
    frames = []
    with kg.World(name, keyframes=0) as world:
        look = View(
            3 * SIZE[0] // 2, 3 * SIZE[1] // 2, np.radians(shot.opening), 0.01, 60, tiles=True
        )
        camera = Renderer(world.stage, look, "film")
        world.run(shot.start)
        for _ in range(round(shot.time * RATE)):
            world.run(1 / RATE)
            moved = np.zeros(3)
            if shot.follows:
                moved[0] = world.node(shot.follows).pose.translation[0]
            tripod: Any = _Tripod(np.array(shot.eye) + moved, np.array(shot.at) + moved)
            frames.append(
                _with_hands(camera.take(tripod, ["color"])[0], world, tripod, look.opening)
            )
        camera.close()
        assert not world.report().events, world.report().events
    _write(FILMS / f"{name}.webp", frames)


def _with_hands(picture: Any, world: kg.World, tripod: _Tripod, opening: float) -> Any:
    """A picture with the hands of the file's pulls: where each is, and the spring to the part."""
    from PIL import Image, ImageDraw

    drawn = Image.fromarray(picture)
    pen = ImageDraw.Draw(drawn)
    focal = drawn.height / 2 / np.tan(opening / 2)

    def pixel(place: Any) -> tuple[float, float, float]:
        ahead, left, up = tripod.R.T @ (np.array(place) - tripod.p)
        scale = focal / ahead
        return drawn.width / 2 - left * scale, drawn.height / 2 - up * scale, scale

    for name, pull in world.pulls.items():
        if pull.touch is not None:
            x, y, scale = pixel(world.signals[f"{name}.hand"].value)
            pen.line([(x, y), pixel(pull.touch.place)[:2]], fill="#1d4fd8", width=3)
            size = 0.035 * scale
            box = (x - size, y - size, x + size, y + size)
            pen.ellipse(box, fill="#3b82f6", outline="#1d4fd8", width=2)
    return np.array(drawn)


def _write(path: Path, frames: list[Any]) -> None:
    """An animation that is small enough, as good as it can be."""
    from PIL import Image

    pictures = [Image.fromarray(one).resize(SIZE, Image.Resampling.LANCZOS) for one in frames]
    for quality in (60, 30, 15):
        pictures[0].save(path, save_all=True, append_images=pictures[1:], loop=0,
                         duration=round(1000 / RATE), quality=quality, method=3)  # fmt: skip
        if path.stat().st_size < LARGEST:
            break
    size = path.stat().st_size / 1000
    sys.stdout.write(f"{path.name}: {len(frames)} frames, {size:.0f} kB, quality {quality}\n")


def page() -> str:
    """The page that shows all films."""
    return INTRODUCTION + "\n" + "\n".join(_entry(name, shot) for name, shot in SHOTS.items())


def _entry(name: str, shot: Shot) -> str:
    world = kg.load(name)
    words = textwrap.fill(world.description or "", 100)
    home = "../../src/kinegen/world/library"
    return (
        f"## {world.title}\n\n![{world.title}](../images/worlds/{name}.webp)\n\n"
        f"`kinegen run {name}` · [world]({home}/{name}.raff) · [agent]({home}/{shot.agent}.py)\n\n"
        f"{words}\n"
    )


def main(names: list[str]) -> None:
    """Film the worlds that are named, or all, and write the page."""
    FILMS.mkdir(exist_ok=True)
    for name in names or SHOTS:
        film(name)
    PAGE.write_text(page(), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main(sys.argv[1:])
