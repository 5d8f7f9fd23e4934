"""Motions under forces: followed, seen to hit something, led around it by hand, and kept."""

from __future__ import annotations

import csv
from pathlib import Path

from tests.browser.studio import Studio
from tests.browser.test_motion import download, keep

TOOL = "7 * s.model.siteNames.lastIndexOf('tool') + 4"
"""Where the tool's place begins among the poses."""


def simulate(studio: Studio) -> None:
    """Press the button of the panel: there is one in the bar below as well."""
    studio.button("Simulate").last.click()


def slowly(studio: Studio, speed: float) -> None:
    """So slow that a part stays under the pointer."""
    studio.value("s.simulation.set({ speed: a[0] })", speed)
    studio.wait("s.simulation.state.settings.speed === a[0]", speed)
    studio.value("v.camera.isHandled = true")  # and the view where it is
    studio.view_still()


def ended(studio: Studio) -> None:
    """Wait until the motion has run to its end."""
    studio.wait("s.simulation.phase === 'paused' && s.simulation.state.reason.includes('its end')")


def test_an_arm_is_led_around_a_post_that_it_would_hit(studio: Studio, tmp_path: Path) -> None:
    studio.load("arm-and-wall")
    studio.tab("Forces")
    page = studio.page
    page.get_by_label("Motion to follow").select_option("straight")
    studio.wait("s.simulation.phase === 'paused' && s.simulation.frame !== null")
    assert "wrist_3 hits post at 1.8 s" in page.locator("[data-plan]").inner_text()

    # seen from the side, the plan lies in the picture
    studio.value("v.setView('right', false)")
    studio.view_still()
    slowly(studio, 0.05)
    simulate(studio)
    studio.wait("s.simulation.history.rows.length > 2")  # undo goes back to one of them
    slowly(studio, 0.01)
    x, y = studio.part_at(studio.place("wrist_3"), "wrist_3")
    first = studio.on_screen([0.55, -0.3, 0.7])

    def lead(along: float, height: float) -> None:
        to = studio.on_screen([0.55, along, height])
        page.mouse.move(x + to[0] - first[0], y + to[1] - first[1], steps=6)

    page.mouse.move(x, y)
    page.mouse.down()
    lead(-0.3, 0.75)
    lead(-0.3, 0.95)
    studio.wait("s.simulation.hands.all.length === 1")
    slowly(studio, 0.5)
    studio.wait(f"s.poses[{TOOL} + 2] > 0.87 && s.simulation.frame.is_led")
    lead(0.0, 0.95)
    lead(0.27, 0.95)
    # until the plan, which it rejoins then, is past the post
    studio.wait(f"s.poses[{TOOL} + 1] > 0.18 && s.simulation.frame.time > 2.8")
    page.mouse.up()
    ended(studio)
    assert studio.value("s.simulation.frame.least") > 0
    assert "free of collisions" in page.locator("[data-clearance]").inner_text()
    goal = studio.value("s.snapshot.motions[0].values.at(-1)")
    studio.wait_pose(goal, 1e-3)

    # what was done can be undone: the arm is back before the touch, and would hit the post
    rows = studio.value("s.simulation.history.rows.length")
    studio.button("Undo the last touch").click()
    studio.wait("s.simulation.history.rows.length < a[0]", rows)
    assert 0 < studio.value("s.simulation.history.rows.length")
    slowly(studio, 0.25)  # it is in the post for a moment only
    studio.button("Continue").last.click()
    studio.wait(
        "s.simulation.frame.clearance < 0"
        " && v.labels.visible().some(({ text }) => text.startsWith('hits post'))"
    )
    slowly(studio, 2)
    ended(studio)
    assert "hit post" in page.locator("[data-clearance]").inner_text()

    # the run is a motion like any other
    page.get_by_role("button", name="Save this run").click()
    studio.wait("s.simulation.phase === 'off' && s.player.motion?.name === 'run'")
    keep(studio, "through")
    file = download(studio, tmp_path, "Edit this motion", "Export as CSV")
    table = list(csv.reader(file.read_text().splitlines()))
    assert table[0][1] == "waist [rad]" and len(table) > 20


def test_a_planned_path_of_a_five_bar_is_stopped_by_hand_and_gone_on_with(studio: Studio) -> None:
    studio.tab("Path")
    page = studio.page
    page.get_by_role("group", name="Curve").get_by_role("button", name="Segment").click()
    studio.wait("!s.paths.busy && s.paths.plan?.answer.reached === 200")
    studio.button("Simulate").click()
    studio.wait("s.simulation.phase === 'paused' && s.simulation.settings.motion === 'path1'")
    page.get_by_text("Stop", exact=True).click()
    slowly(studio, 0.05)
    simulate(studio)
    studio.wait("s.simulation.frame?.time > 0.1")
    slowly(studio, 0.01)
    x, y = studio.part_at(studio.place("handle"))
    # not far: a long pull would lead it through a singular pose
    studio.drag((x, y), (5, -10), (10, -20), release=False)
    studio.wait("s.simulation.hands.all.length === 1")
    slowly(studio, 0.05)
    studio.wait("s.simulation.frame.is_led && s.simulation.force > 0.01")
    page.mouse.up()
    slowly(studio, 1)
    studio.wait("s.simulation.phase === 'paused' && s.simulation.state.reason !== ''")
    assert studio.gap < 1e-6
    assert "Stopped where the hand let go" in page.locator("[data-reason]").inner_text()
    planned = studio.value("s.snapshot.motions[0].values.at(-1)")
    assert max(abs(a - b) for a, b in zip(studio.q, planned, strict=True)) > 0.01
    studio.button("Continue").last.click()
    ended(studio)
    studio.wait_pose(planned, 2e-3)
    assert studio.gap < 1e-6


def test_a_hand_holds_how_a_part_is_turned_and_shift_turns_it(studio: Studio) -> None:
    studio.load("arm-6")
    studio.tab("Forces")
    studio.value("s.simulation.set({ gravity: 'none' })")
    studio.page.get_by_label("Keep orientation").check()
    simulate(studio)
    studio.wait("s.simulation.frame?.time > 0.05")
    x, y = studio.part_at(studio.place("wrist_3"))
    studio.drag((x, y), (8, 0), (8, -8), release=False)
    studio.wait("s.simulation.hands.all[0]?.quat !== undefined")
    before = studio.value("s.simulation.hands.all[0].quat")
    place = studio.value("s.simulation.hands.all[0].target")
    assert before is not None
    studio.page.keyboard.down("Shift")
    studio.page.mouse.move(x + 90, y - 8, steps=4)
    studio.wait(
        "s.simulation.hands.all[0].quat.some((x, i) => Math.abs(x - a[0][i]) > 0.05)", before
    )
    assert studio.value("s.simulation.hands.all[0].target") == place
    studio.wait("Math.hypot(...s.simulation.frame.hands[0].moment) > 1e-3")
    studio.page.keyboard.up("Shift")
    studio.page.mouse.move(x + 92, y - 8)
    # it continues from where it is, without a jump
    moved = studio.value("s.simulation.hands.all[0].target")
    assert max(abs(a - b) for a, b in zip(moved, place, strict=True)) < 0.05
    studio.page.mouse.up()


TABLE = """raff: 1
name: table
joints:
  - {name: rod, parent: base, d: -0.5, shape: {box: [0.1, 0.1, 0.1]}}
objects:
  - {name: table, shape: {box: [1.2, 1.2, 0.1]}, fixed: true, at: {xyz: [0.5, 0, 0.25]},
     friction: 0.5}
  - {name: ball, shape: {sphere: 60 mm}, mass: 1, friction: 0.5, at: {xyz: [0.3, 0, 0.361]}}
"""


def test_a_ball_on_a_table_is_pushed_by_the_hand_and_rolls(studio: Studio) -> None:
    studio.value("s.editText(a[0])", TABLE)
    studio.wait("s.snapshot.model.name === 'table'")
    studio.tab("Forces")
    page = studio.page
    page.get_by_role("button", name="Engine and surroundings").click()
    page.get_by_label("Objects of the scene").check()
    page.get_by_text("Push", exact=True).click()
    studio.value("v.setView('left', false); v.fit(false)")
    studio.view_still()
    simulate(studio)
    # at rest on the table, not through it
    studio.wait("s.simulation.frame?.time > 0.3")
    assert abs(studio.value("s.simulation.frame.objects[6]") - 0.36) < 2e-3
    studio.value("v.setView('left', false)")
    studio.view_still()
    start = studio.value("[...s.simulation.frame.objects]")
    x, y = studio.on_screen(start[4:])
    page.mouse.move(x, y)
    page.mouse.down()
    studio.wait("s.simulation.frame.hands.length === 1 && s.simulation.force > 0.1")
    studio.wait("s.simulation.frame.objects[4] > a[0] + 0.02", start[4])
    page.mouse.up()
    # it continues and turns on its way: a ball rolls, a sled would not
    studio.wait("s.simulation.frame.objects[4] > a[0] + 0.05", start[4])
    turned = studio.value("2 * Math.acos(Math.min(1, Math.abs(s.simulation.frame.objects[0])))")
    assert turned > 0.2
