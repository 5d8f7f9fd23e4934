"""Pictures for both eyes on an ordinary screen, in a real Chromium."""

from __future__ import annotations

import io
from typing import Any

import pytest

from tests.browser.studio import Studio


def canvas(studio: Studio) -> Any:
    """The picture without labels and tools."""
    from PIL import Image

    bytes_ = studio.value(
        "v.screenshot().then(async (blob) => [...new Uint8Array(await blob.arrayBuffer())])"
    )
    return Image.open(io.BytesIO(bytes(bytes_))).convert("RGB")


def seen(studio: Studio, eye: int, place: list[float]) -> float:
    """Where an eye sees a place of the world, -1 … 1 from side to side."""
    return float(
        studio.value(
            """(() => {
              const p = v.stereo.eyes[a[0]].position.clone().set(a[1][0], a[1][2], -a[1][1]);
              return p.project(v.stereo.eyes[a[0]]).x;
            })()""",
            eye,
            place,
        )
    )


def test_stereo_from_the_menu_to_the_way_out(studio: Studio) -> None:
    from PIL import ImageChops

    plain = canvas(studio)
    studio.menu("What the view shows", "Stereo…")
    studio.page.get_by_label("Side by side").check(force=True)
    studio.enter("Width of the picture on the screen [m]", "0.2")
    studio.button("Done").click()
    studio.no_dialog()
    studio.view_still()
    picture = canvas(studio)
    width, height = picture.size
    left, right = (picture.crop((x, 0, x + width // 2, height)) for x in (0, width // 2))
    assert ImageChops.difference(left, right).getbbox() is not None
    # what is behind the screen is farther to the right for the right eye, what is before it not
    target, back = studio.value("[v.camera.eye.target, v.camera.basis()[2].toArray()]")
    depth = studio.value("v.camera.eye.distance")
    for share, sign in ((-0.5, 1), (0.0, 0), (0.5, -1)):
        place = [t + share * depth * b for t, b in zip(target, back, strict=True)]
        disparity = (seen(studio, 1, place) - seen(studio, 0, place)) / 2 * 0.2
        # e (z - d) / z with the closed form's z = d (1 - share)
        assert disparity == pytest.approx(0.063 * -share / (1 - share), abs=1e-9)
        assert (disparity > 1e-6) - (disparity < -1e-6) == sign
    # the handle is dragged in each half, by the eye that sees it there
    box = studio.value("(({ left, width }) => [left, width])(v.canvas.getBoundingClientRect())")
    for half in (0.25, 0.75):
        studio.page.mouse.move(box[0] + half * box[1], 300)
        studio.frame_drawn()
        before, start = studio.q, studio.part_at(studio.place("handle"))
        assert (start[0] > box[0] + box[1] / 2) == (half > 0.5)
        studio.drag(start, (16, -10))
        studio.wait("a[0].some((x, i) => Math.abs(x - s.q[i]) > 1e-3)", before)
        at, goal = studio.place("handle"), (start[0] + 16, start[1] - 10)
        assert (
            max(abs(at[0] - goal[0]), abs(at[1] - goal[1])) < 40
        )  # it was not taken in its middle
    # red comes from the left eye alone, green and blue from the right one
    studio.value("s.setSetting('stereo', 'anaglyph')")
    studio.view_still()
    mixed = canvas(studio)
    red, _, blue = mixed.split()
    assert mixed.size == plain.size and ImageChops.difference(red, blue).getbbox() is not None
    # remembered, until Escape ends it
    studio.value("s.setSetting('stereo', 'stacked')")
    studio.reload()
    assert studio.value("s.settings.stereo") == "stacked"
    assert canvas(studio).size == plain.size
    studio.keys("Escape")
    studio.wait("s.settings.stereo === 'off'")
    studio.view_still()
    assert ImageChops.difference(canvas(studio), canvas(studio)).getbbox() is None
