"""Run: motors that move by themselves, with traces and charts; and the small things around it."""

from __future__ import annotations

import csv
import math
from pathlib import Path
from typing import Any

import pytest

from tests.browser.studio import CLOSED, Studio

TURN = 2 * math.pi


@pytest.fixture
def four_bar(studio: Studio) -> Studio:
    """The page on a crank-rocker."""
    studio.load("four-bar")
    return studio


def strip(studio: Studio) -> Any:
    return studio.page.get_by_role("toolbar", name="Run", exact=True)


def test_a_crank_runs_is_traced_and_charted_over_its_angle(
    four_bar: Studio, tmp_path: Path
) -> None:
    studio = four_bar
    start = studio.q[0]
    studio.button("Run crank").click()
    studio.wait("s.run.isRunning && s.q[0] > a[0] + 0.2", start)
    assert studio.gap < CLOSED
    studio.enter("Speed of crank [°/s]", "40 rpm")
    assert studio.value("s.run.input(0, 0).speed") == pytest.approx(40 * TURN / 60)
    studio.wait("s.q[0] > a[0] + 1.1 * 2 * Math.PI", start)
    assert studio.gap < CLOSED
    assert studio.value("s.settings.overlays.includes('traces')")
    # the space bar pauses, also right after a click
    strip(studio).get_by_text("Pause").focus()
    studio.page.locator("canvas").first.focus()
    studio.keys("Space")
    studio.wait("s.run.isOn && !s.run.isRunning")
    rests = studio.q
    studio.frame_drawn()
    assert studio.q == rests
    studio.button("Charts (B)").click()
    page = studio.page
    page.get_by_role("radiogroup", name="Chart topic").get_by_text("Point").click()
    page.get_by_role("radiogroup", name="Charted quantity").get_by_text("Speeds").click()
    page.get_by_label("Horizontal axis").select_option("crank")
    studio.button("Export the chart").click()
    with page.expect_download() as waiting:
        page.get_by_role("menu").get_by_text("CSV table").click()
    waiting.value.save_as(tmp_path / "speeds.csv")
    rows = list(csv.reader((tmp_path / "speeds.csv").read_text().splitlines()))
    assert rows[0] == ["crank [°]", "x [mm/s]", "y [mm/s]", "z [mm/s]", "speed [mm/s]"]
    angles = [float(row[0]) for row in rows[1:]]
    assert angles == sorted(angles) and angles[-1] - angles[0] > 330
    studio.button("Save").click()
    studio.wait("!s.run.isOn && s.player.motion?.name.startsWith('run')")


def test_a_dead_point_is_said_and_a_sweep_turns_round(four_bar: Studio) -> None:
    studio = four_bar
    rocker = studio.value("s.model.data.joints.findIndex((j) => j.name === 'rocker')")
    studio.value("(s.run.set(a[0], 0, {mode: 'turn', speed: 3}), s.run.start(a[0], 0))", rocker)
    studio.wait("!s.run.isOn")
    assert "dead point" in studio.page.locator("[data-run-note]").inner_text()
    assert studio.gap < CLOSED
    studio.value("(s.run.set(a[0], 0, {mode: 'sweep'}), s.run.start(a[0], 0))", rocker)
    studio.wait("s.run.input(a[0], 0).direction < 0", rocker)
    assert studio.value("s.run.isRunning")


def test_wheels_of_the_cart_turn_at_their_target_speed(studio: Studio) -> None:
    studio.load("cart")
    studio.tab("Forces")
    wheels = [name for name in studio.value("s.model.siteNames") if name.startswith("wheel")]
    before = studio.position("chassis")
    for wheel in wheels:
        studio.slider(f"Speed of {wheel}").fill("6")
    studio.button("Simulate").first.click()
    studio.wait("s.simulation.frame?.time > 1")
    moved = math.dist(studio.position("chassis")[:2], before[:2])
    assert moved > 0.05
    studio.button("End the simulation").click()
    studio.wait("!s.simulation.isOn && s.simulation.acting === null")


def test_the_right_button_opens_its_menu_when_let_go_and_not_after_a_pan(four_bar: Studio) -> None:
    studio = four_bar
    mouse, menu = studio.page.mouse, studio.page.get_by_role("menu")
    x, y = studio.part_at(studio.place("coupler"))
    mouse.move(x, y)
    mouse.down(button="right")
    studio.frame_drawn()
    assert menu.count() == 0
    mouse.up(button="right")
    menu.wait_for()
    studio.keys("Escape")
    menu.wait_for(state="detached")
    before = studio.value("v.camera.eye.target")
    mouse.move(x, y)
    mouse.down(button="right")
    mouse.move(x + 60, y + 20, steps=4)
    mouse.move(x, y + 1, steps=4)  # back to where it began: it was a pan all the same
    mouse.up(button="right")
    studio.frame_drawn()
    assert menu.count() == 0
    assert studio.value("v.camera.eye.target") != before


def test_joint_fields_say_what_they_do_not_take(four_bar: Studio) -> None:
    studio = four_bar
    field = studio.field("crank [°]")
    before = studio.q
    studio.enter("crank [°]", "abc")
    studio.page.get_by_role("alert").get_by_text("“abc” is not an angle").wait_for()
    assert field.get_attribute("aria-invalid") == "true"
    studio.page.locator("canvas").first.focus()  # the mistake stays to be seen
    assert field.input_value() == "abc" and studio.q == before
    studio.enter("crank [°]", "pi/4")
    studio.wait("Math.abs(s.q[0] - Math.PI / 4) < 1e-9")
    studio.enter("crank [°]", "1/4 turn")
    studio.wait("Math.abs(s.q[0] - Math.PI / 2) < 1e-9")
    assert studio.page.get_by_role("alert").count() == 0


def test_control_s_saves_wherever_the_focus_is(four_bar: Studio) -> None:
    studio = four_bar
    for focus in (studio.field("crank [°]"), studio.page.get_by_placeholder("Search mechanisms")):
        focus.focus()
        studio.keys("Control+s")
        studio.page.locator("dialog").wait_for()
        studio.keys("Escape")
        studio.no_dialog()


def test_nothing_is_cut_off_beside_an_open_text(four_bar: Studio) -> None:
    studio = four_bar
    studio.button("Run crank").click()
    studio.wait("s.run.rows.length > 10")
    studio.button("Save").click()
    studio.tab("Text")
    studio.page.get_by_role("toolbar", name="Timeline").wait_for()
    cut = studio.page.evaluate(
        """() => {
          const main = document.querySelector("main").getBoundingClientRect();
          return [...document.querySelectorAll("main button, main input, main select")]
            .filter((one) => one.offsetParent !== null && one.type !== "range")
            .filter((one) => {
              const box = one.getBoundingClientRect();
              return box.width && (box.right > main.right + 1 || box.bottom > innerHeight + 1);
            })
            .map((one) => one.title || one.textContent);
        }"""
    )
    assert cut == []
