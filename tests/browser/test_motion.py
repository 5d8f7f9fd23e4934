"""Motions: record a drag, keep it, play it, change it, chart it, take it along."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path
from typing import Any

import pytest

from tests.browser.studio import CLOSED, Studio


@pytest.fixture
def recorded(studio: Studio) -> Studio:
    """The studio with a kept motion 'wave'."""
    record(studio, "wave")
    return studio


def record(studio: Studio, name: str) -> None:
    """Record a drag and keep it."""
    page = studio.page
    page.get_by_role("button", name="Record").click()
    studio.wait("s.recorder.recording")
    studio.drag(
        studio.part_at(studio.place("handle")), (20, -10), (15, -5), (-40, 5), (-15, -10), (10, 15)
    )
    studio.keys("Shift+R")
    studio.wait("!s.recorder.recording && s.player.motion !== null")
    keep(studio, name)


def keep(studio: Studio, name: str) -> None:
    """Keep what is on the time line under a name."""
    line = studio.page.get_by_role("toolbar", name="Timeline")
    line.get_by_role("button", name="Save", exact=True).click()
    dialog = studio.page.get_by_role("dialog", name="Save this motion")
    dialog.get_by_role("textbox").fill(name)
    dialog.get_by_role("button", name="Save", exact=True).click()
    studio.no_dialog()
    studio.wait("s.snapshot.motions.some((motion) => motion.name === a[0])", name)


def download(studio: Studio, path: Path, opener: str, item: str) -> Path:
    """The file that an item of a menu gives."""
    with studio.page.expect_download() as info:
        studio.menu(opener, item)
    file: Path = path / info.value.suggested_filename
    info.value.save_as(file)
    return file


def motion(studio: Studio) -> dict[str, Any]:
    """The kept motion as the server has it."""
    return dict(studio.value("s.snapshot.motions.find((one) => one.name === 'wave')"))


def test_a_drag_is_recorded_kept_and_played(recorded: Studio) -> None:
    assert "motions:" in recorded.text and "wave" in recorded.text
    made = motion(recorded)
    assert len(made["times"]) == len(made["values"]) > 5
    assert made["times"] == sorted(made["times"])
    after = recorded.q
    # to the beginning, and played to the end
    recorded.keys("[")  # room for all of the time line
    recorded.button("Go to the beginning").click()
    recorded.wait("s.player.time === 0")
    assert math.dist(recorded.q, after) > 0.01
    recorded.value("s.player.setRate(4)")
    recorded.page.locator("canvas").first.focus()  # on a button, Space would press that
    recorded.keys("Space")
    recorded.wait("!s.player.playing && s.player.time === s.player.duration")
    recorded.wait_pose(after, 1e-3)
    assert recorded.gap <= CLOSED


def test_scrubbing_and_stepping(recorded: Studio) -> None:
    duration, end = recorded.value("s.player.duration"), recorded.q
    track = recorded.slider("Time")
    box = track.bounding_box()
    recorded.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    recorded.wait("s.player.time > 0.4 * a[0] && s.player.time < 0.6 * a[0]", duration)
    assert recorded.q != end and recorded.gap <= CLOSED
    recorded.page.locator("canvas").first.focus()
    time = recorded.value("s.player.time")
    recorded.keys(".")
    recorded.wait("s.player.time > a[0]", time)
    stepped = recorded.value("s.player.time")
    times = [t - motion(recorded)["times"][0] for t in motion(recorded)["times"]]
    assert min(abs(t - stepped) for t in times) < 1e-6  # times are stored in microseconds
    recorded.keys(",")
    recorded.wait("s.player.time < a[0]", stepped)
    assert recorded.gap <= CLOSED
    # it can be taken up where it stands
    recorded.drag(recorded.part_at(recorded.place("handle")), (6, -6))
    assert recorded.gap <= CLOSED


def test_trim_smooth_and_undo(recorded: Studio) -> None:
    whole = motion(recorded)
    duration = whole["times"][-1] - whole["times"][0]
    recorded.menu("Edit this motion", "Trim…")
    for label, share in (("Trim from", 0.25), ("Trim to", 0.75)):
        recorded.slider(label).evaluate(
            """(end, value) => {
              end.valueAsNumber = value;
              end.dispatchEvent(new Event("input", { bubbles: true }));
            }""",
            share * duration,
        )
    recorded.button("Trim").click()
    recorded.wait("s.snapshot.motions[0].times.length !== a[0]", len(whole["times"]))
    trimmed = motion(recorded)
    assert trimmed["times"][-1] - trimmed["times"][0] == pytest.approx(duration / 2, rel=0.02)

    recorded.menu("Edit this motion", "Smooth")
    recorded.wait("JSON.stringify(s.snapshot.motions[0]) !== a[0]", json.dumps(trimmed))
    recorded.wait("s.snapshot.undo?.includes('mooth')")
    smooth = motion(recorded)
    assert roughness(smooth) < roughness(trimmed)

    recorded.page.locator("canvas").first.focus()
    recorded.keys("Control+z")
    recorded.wait("s.snapshot.motions[0].values.length === a[0]", len(trimmed["values"]))
    recorded.keys("Control+z")
    recorded.wait("s.snapshot.motions[0].times.length === a[0]", len(whole["times"]))


def roughness(made: dict[str, Any]) -> float:
    """Sum of squares of the accelerations of a motion, by differences."""
    times, values = made["times"], made["values"]
    total = 0.0
    for i in range(1, len(times) - 1):
        before, after = times[i] - times[i - 1], times[i + 1] - times[i]
        for a, b, c in zip(values[i - 1], values[i], values[i + 1], strict=True):
            total += (((c - b) / after - (b - a) / before) / (before + after)) ** 2 * before
    return total


def test_a_motion_is_exported(recorded: Studio, tmp_path: Path) -> None:
    made = motion(recorded)
    table = download(recorded, tmp_path, "Edit this motion", "Export as CSV")
    with table.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0][0].startswith("time") and any("A" in head for head in rows[0])
    assert len(rows) == 1 + len(made["times"])
    assert all(math.isfinite(float(cell)) for row in rows[1:] for cell in row)

    data = json.loads(
        download(recorded, tmp_path, "Edit this motion", "Export as JSON").read_bytes()
    )
    assert "wave" in json.dumps(data) and len(json.dumps(data)) > 200

    scene = download(recorded, tmp_path, "Edit this motion", "Export as animated glTF")
    content = scene.read_bytes()
    if scene.suffix == ".glb":
        assert content[:4] == b"glTF"
        size = int.from_bytes(content[12:16], "little")
        content = content[20 : 20 + size]
    tree = json.loads(content)
    assert tree["animations"] and len(tree["animations"][0]["channels"]) >= 4
    assert tree["meshes"]


def test_charts_show_the_motion_and_are_exported(recorded: Studio, tmp_path: Path) -> None:
    page = recorded.page
    page.locator("canvas").first.focus()
    recorded.keys("b")
    chart = page.get_by_role("figure").first
    chart.wait_for()
    assert {"A", "E"} <= set(chart.get_attribute("aria-label").replace(",", "").split())
    drawn = """(figure) => {
      const canvas = figure.querySelector("canvas");
      const data = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
      const colors = new Set();
      for (let i = 0; i < data.length; i += 4)
        if (data[i + 3] > 200) colors.add(data.slice(i, i + 3).join());
      return colors.size;
    }"""
    assert chart.evaluate(drawn) > 2, "axes and two curves in colours of their own"

    made = motion(recorded)
    table = download(recorded, tmp_path, "Export the chart", "CSV table")
    with table.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["time [s]", "A [°]", "E [°]"]
    assert len(rows) == 1 + len(made["times"])
    ends = [math.radians(float(cell)) for cell in rows[-1][1:]]
    assert ends == pytest.approx([recorded.q[0], recorded.q[2]], abs=1e-2)

    drawing = download(recorded, tmp_path, "Export the chart", "SVG drawing").read_text("utf-8")
    assert drawing.startswith("<svg") and drawing.count("<path") + drawing.count("<polyline") >= 2
    picture = download(recorded, tmp_path, "Export the chart", "PNG picture").read_bytes()
    assert picture[:8] == b"\x89PNG\r\n\x1a\n" and len(picture) > 1000

    page.get_by_text("Speeds", exact=True).click()
    chart.get_by_text("[°/s]").wait_for()
    page.get_by_text("Single", exact=True).click()
    assert page.get_by_role("figure").count() == 2


def test_waypoints_are_set_by_hand(studio: Studio) -> None:
    studio.menu("Motions", "Set a waypoint here")
    studio.drag(studio.part_at(studio.place("handle")), (30, -20))
    studio.menu("Edit this motion", "Add a waypoint here")
    studio.wait("s.player.motion.times.length === 2")
    studio.drag(studio.part_at(studio.place("handle")), (-30, 10))
    studio.menu("Edit this motion", "Add a waypoint here")
    studio.wait("s.player.motion.times.length === 3")
    studio.value("s.player.seek(s.player.duration / 3)")
    assert studio.gap <= CLOSED
