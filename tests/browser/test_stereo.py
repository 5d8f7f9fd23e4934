"""Pictures for both eyes on an ordinary screen, in a real Chromium."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
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
    from PIL import Image, ImageChops

    plain = canvas(studio)
    studio.menu("View", "Stereo…")
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
        # it is picked where the eye of this half sees it, and not where the other one does
        eye = int(half > 0.5)
        picked = studio.value("v.pick(...a[0]).at", list(start))
        for other in (0, 1):
            x = box[0] + ((seen(studio, other, picked) + 1) / 4 + eye / 2) * box[1]
            # pixels, and the marks of the handle beside it
            assert (abs(x - start[0]) < 0.5) == (other == eye)
        studio.drag(start, (16, -10))
        studio.wait("a[0].some((x, i) => Math.abs(x - s.q[i]) > 1e-3)", before)
        at, goal = studio.place("handle"), (start[0] + 16, start[1] - 10)
        assert (
            max(abs(at[0] - goal[0]), abs(at[1] - goal[1])) < 40
        )  # it was not taken in its middle
    # red comes from the left eye alone, green and blue from the right one
    studio.value("s.setSetting('stereo', 'side'), s.setSetting('squeezeHalves', true)")
    studio.view_still()
    whole = canvas(studio)
    halves = [whole.crop((x, 0, x + width // 2, height)) for x in (0, width // 2)]
    seen_left, seen_right = (np.asarray(half, dtype=float) for half in halves)
    studio.value("s.setSetting('stereo', 'anaglyph')")
    for swapped in (False, True):
        studio.value("s.setSetting('swapEyes', a[0])", swapped)
        studio.view_still()
        mixed = canvas(studio)
        assert mixed.size == plain.size
        # as many columns as each half has: edges are smoother then, so they differ a little
        got = np.asarray(mixed.resize((width // 2, height), Image.Resampling.BOX), dtype=float)
        first, second = (seen_right, seen_left) if swapped else (seen_left, seen_right)
        gray, other = (one @ [0.299, 0.587, 0.114] for one in (first, second))
        assert np.median(np.abs(got[..., 0] - gray)) < 2
        assert np.abs(got[..., 0] - gray).mean() < 0.85 * np.abs(got[..., 0] - other).mean()
        for channel in (1, 2):
            near, far = (
                np.abs(got[..., channel] - one[..., channel]).mean() for one in (second, first)
            )
            assert near < 0.85 * far
    studio.value("s.setSetting('swapEyes', false)")
    studio.value("s.setSetting('squeezeHalves', false)")
    # remembered, until Escape ends it
    studio.value("s.setSetting('stereo', 'stacked')")
    studio.reload()
    assert studio.value("s.settings.stereo") == "stacked"
    assert canvas(studio).size == plain.size
    # full screen is entered from the dialog, and left
    studio.menu("View", "Stereo…")
    studio.button("Full screen").click()
    studio.poll("document.fullscreenElement?.classList.contains('spatial')")
    studio.no_dialog()
    shown = """[...document.querySelectorAll('.spatial > *')].filter((one) =>
      getComputedStyle(one).display !== 'none' && !one.matches('canvas, .kg-labels')).length"""
    assert studio.value(shown) == 0  # tools would be seen by one eye only
    studio.value("document.exitFullscreen()")
    studio.poll("document.fullscreenElement === null")
    studio.view_still()
    stacked = canvas(studio)
    studio.keys("Escape")
    studio.wait("s.settings.stereo === 'off'")
    studio.view_still()
    after = np.asarray(canvas(studio), dtype=float)
    # one picture again: its upper half is not like its lower one, as both eyes' were
    half = height // 2
    was = np.asarray(stacked, dtype=float)
    differences = [np.abs(one[:half] - one[half : 2 * half]).mean() for one in (after, was)]
    assert differences[0] > 2 * differences[1]
