"""Paths: chosen in one click, dragged, drawn, gone along, charted, kept, taken along."""

from __future__ import annotations

import csv
import math
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tests.browser.studio import CLOSED, Studio


@pytest.fixture
def panel(studio: Studio) -> Studio:
    """The five-bar with its path panel open."""
    studio.page.get_by_role("tab", name="Path").click()
    return studio


def choose(studio: Studio, kind: str) -> dict[str, Any]:
    """Press a kind of curve; what is shown about its path."""
    studio.page.get_by_role("group", name="Curve").get_by_role("button", name=kind).click()
    studio.wait("s.paths.curve?.kind === a[0]", kind.lower().replace("é", "e"))
    return summary(studio)


def summary(studio: Studio) -> dict[str, Any]:
    """What is shown about the path when nothing more is on its way."""
    studio.wait("!s.paths.busy && s.paths.plan !== null")
    return dict(studio.value("s.paths.plan.answer"))


def handle(studio: Studio, which: str) -> tuple[float, float]:
    """Where a handle is on the screen [px]."""
    return studio.on_screen(
        studio.value("s.paths.handles.find((one) => one.id === a[0]).at", which)
    )


def drag(studio: Studio, start: tuple[float, float], *steps: tuple[float, float]) -> None:
    mouse = studio.page.mouse
    mouse.move(*start)
    mouse.down()
    x, y = start
    for dx, dy in steps:
        x, y = x + dx, y + dy
        mouse.move(x, y, steps=4)
    mouse.up()


@pytest.mark.parametrize(
    "kind", ["Segment", "Ellipse", "Bézier", "Spline", "Formula", "Surface", "Volume"]
)
def test_one_click_gives_a_path_within_reach(panel: Studio, kind: str) -> None:
    found = choose(panel, kind)
    assert found["reached"] == found["count"] == 200
    assert len(found["runs"]) == 1
    panel.page.get_by_text("All 200 points reached").wait_for()


def test_a_handle_is_dragged_and_the_path_planned_again(panel: Studio) -> None:
    before = choose(panel, "Ellipse")
    drag(panel, handle(panel, "p1"), (60, -40), (50, -40))
    after = summary(panel)
    assert after["length"] > 1.2 * before["length"]
    # part of it is beyond reach now, and says why
    assert 0 < after["reached"] < after["count"]
    assert "mm away" in after["gaps"][0]["reason"]
    panel.page.get_by_role("button", name="out of reach").first.wait_for()
    assert panel.gap < CLOSED


def test_it_goes_along_and_skips_what_is_out_of_reach(panel: Studio) -> None:
    choose(panel, "Ellipse")
    drag(panel, handle(panel, "p1"), (60, -40), (50, -40))
    gap = summary(panel)["gaps"][0]
    slider = panel.slider("Along the path")
    middle = (gap["first"] + gap["last"]) // 2
    slider.fill(str(middle))
    panel.wait("s.paths.walk.at !== null")
    at = panel.value("s.paths.walk.at")
    assert not gap["first"] <= at <= gap["last"]
    on_path = panel.value("s.paths.plan.point(s.paths.walk.at)")
    assert math.dist(panel.position("handle"), on_path) < 1e-6
    assert panel.gap < CLOSED


def test_a_curve_is_drawn_by_hand(panel: Studio) -> None:
    panel.page.get_by_role("group", name="Curve").get_by_role("button", name="Draw").click()
    panel.wait("s.paths.mode === 'draw'")
    before = panel.q
    x, y = panel.on_screen(panel.value("s.paths.place.centre"))
    ring = [(x + 40 * math.cos(t / 4), y + 30 * math.sin(t / 4)) for t in range(25)]
    steps = [(b[0] - a[0], b[1] - a[1]) for a, b in pairwise(ring)]
    drag(panel, ring[0], *steps)
    panel.wait("s.paths.curve?.kind === 'spline'")
    assert summary(panel)["reached"] > 100
    assert panel.q == before  # drawing moves no part
    assert panel.value("s.paths.mode") == "handles"


def test_a_formula_shows_the_character_that_is_wrong(panel: Studio) -> None:
    choose(panel, "Formula")
    field = panel.page.get_by_label("x", exact=True)
    field.fill("100 mm + 20 mm*sinn(t)")
    panel.wait("s.paths.problem?.field === 'x'")
    assert panel.value("s.paths.problem.offset") == 15
    panel.page.get_by_text("Character 16: unknown function").wait_for()
    assert panel.value("s.paths.plan.answer.reached") == 200  # the path before stays
    field.fill("100 mm + 20 mm*sin(t)")
    panel.wait("s.paths.problem === null")


def test_another_branch_is_taken(panel: Studio) -> None:
    choose(panel, "Ellipse")
    panel.page.get_by_role("button", name="Show all branches").click()
    panel.wait("s.paths.branches?.length === 4")
    branch = panel.value("s.paths.branches[2]")
    panel.page.get_by_role("button", name=branch["name"], exact=True).click()
    panel.wait("Math.abs(s.paths.plan.poses[0] - a[0]) < 1e-6", branch["q"][0])
    assert summary(panel)["reached"] == 200


def test_changed_numbers_plan_it_again(panel: Studio) -> None:
    choose(panel, "Ellipse")
    panel.value("s.setParameter('crank', 0.1)")
    panel.page.get_by_text("The mechanism has changed").wait_for()
    panel.value("s.commitNumbers('shorter')")
    panel.wait("!s.paths.stale && !s.paths.busy")
    panel.load("lynx6")
    panel.wait("s.paths.curve === null && s.paths.plan === null")


def test_it_is_played_kept_and_taken_along(panel: Studio, tmp_path: Path) -> None:
    choose(panel, "Ellipse")
    page = panel.page
    page.get_by_role("button", name="Joint speeds and timing").click()
    page.get_by_role("figure", name="Joint speeds").wait_for()
    page.get_by_role("button", name="Put on the timeline").click()
    panel.wait("s.player.motion?.times.length === 200")
    page.get_by_role("button", name="Save as motion").click()
    panel.wait_text("motions:")
    panel.keys("Control+z")
    panel.wait("!s.snapshot.text.includes('motions:')")
    with page.expect_download() as info:
        panel.menu("Export the path", "CSV table")
    file = tmp_path / info.value.suggested_filename
    info.value.save_as(file)
    rows = list(csv.reader(file.read_text().splitlines()))
    assert len(rows) == 201 and rows[0][0] == "time [s]"


def test_the_spatial_five_bar_swings(studio: Studio) -> None:
    studio.load("five-bar-spatial")
    studio.page.get_by_role("tab", name="Path").click()
    choose(studio, "Ellipse")
    studio.value("s.paths.walk.scrub(40)")
    swing = studio.slider("Self-motion away from the pose on the path")
    motors = [studio.q[0], studio.value("s.q[s.model.data.joints.find((j) => j.name === 'D').q]")]
    place = studio.position("handle")
    swing.focus()
    for _ in range(10):
        swing.press("ArrowRight")
    studio.wait("s.paths.walk.swing > 0.3")
    assert math.dist(studio.position("handle"), place) > 0.02
    after = [studio.q[0], studio.value("s.q[s.model.data.joints.find((j) => j.name === 'D').q]")]
    assert after == pytest.approx(motors, abs=1e-9)
    assert studio.gap < CLOSED
