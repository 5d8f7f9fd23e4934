"""The mechanism under forces: dropped, pulled, pushed; what the screen says about it."""

from __future__ import annotations

import re
import time

import pytest

from tests.browser.studio import HANG, Studio


def drop(studio: Studio, name: str) -> None:
    """Open a mechanism, let it go, and wait until it has moved."""
    if studio.value("s.snapshot.model.name") != name:
        studio.load(name)
    studio.tab("Forces")
    studio.page.get_by_role("button", name="Simulate", exact=True).click()
    studio.wait("s.simulation.phase === 'running' && s.simulation.frame?.time > 0.2")


def slowly(studio: Studio) -> None:
    """So slow that a part stays under the pointer."""
    studio.value("s.simulation.set({ speed: 0.01 })")
    studio.wait("s.simulation.state.settings.speed === 0.01")
    studio.value("v.camera.isHandled = true")  # and the view where it is
    studio.view_still()


def press(studio: Studio, *, by: tuple[float, float]) -> None:
    """Take hold of some part and lead it away; the button stays down."""
    link = studio.value("s.model.data.links.at(-1)")
    mouse = studio.page.mouse
    end = time.monotonic() + HANG
    while True:  # what still moves may have gone before the press
        x, y = studio.part_at(studio.place(link))
        mouse.move(x, y)
        mouse.down()
        mouse.move(x + by[0] / 2, y + by[1] / 2)
        mouse.move(x + by[0], y + by[1])
        studio.frame_drawn()
        if studio.value("s.simulation.hands.all.length === 1"):
            break
        assert time.monotonic() < end, "no part was taken"
        mouse.up()
    studio.value("s.simulation.set({ speed: 1 })")


@pytest.mark.parametrize("name", ["five-bar", "stewart", "humanoid-30"])
def test_it_is_dropped_and_pulled_and_the_screen_says_that_all_is_well(
    studio: Studio, name: str
) -> None:
    drop(studio, name)
    if name == "humanoid-30":
        # it stands on a floor, its motors holding
        assert studio.value("s.simulation.state.settings.floor") is not None
        assert studio.value("s.simulation.state.settings.hold") is True
        studio.wait("s.simulation.frame.contacts > 3 && s.simulation.frame.kinetic < 20")
    slowly(studio)
    press(studio, by=(40, -60))
    studio.wait("s.simulation.force > 0.01")
    studio.wait("v.labels.visible().some(({ text }) => / k?N$/.test(text))")
    studio.page.mouse.up()
    studio.wait("s.simulation.hands.all.length === 0 && s.simulation.frame.hands.length === 0")
    read = studio.page.locator("[data-trust]").inner_text()
    assert float(re.search(r"drift\s+([\d.]+)\s*%", read)[1]) <= 0.1  # type: ignore[index]
    if studio.value("s.model.data.loops.length") > 0:
        gap = re.search(r"closed to\s+<?\s*([\d.]+)\s*µm", read)
        assert gap is not None, read
        assert float(gap[1]) <= 1.0
        assert studio.gap < 1e-6
    studio.page.get_by_role("button", name="Pause", exact=True).first.click()
    studio.wait("s.simulation.phase === 'paused' && s.snapshot.undo === 'Simulate'")


def test_what_falls_stays_in_sight(studio: Studio) -> None:
    studio.load("five-bar")
    studio.view_still()
    start = studio.value("v.camera.eye.distance")  # before it falls: the view widens at once
    drop(studio, "five-bar")
    inside = """s.model.data.links.every((_, i) => {
      const [x, y] = v.onScreen([...s.poses.slice(7 * i + 4, 7 * i + 7)]);
      return x > 0 && x < v.width && y > 0 && y < v.height;
    })"""
    studio.wait("s.simulation.frame.time > 2 && v.camera.eye.distance > 1.1 * a[0]", start)
    studio.wait(inside)
    # who has chosen what to see keeps it
    studio.page.mouse.move(420, 300)
    studio.page.mouse.wheel(0, -600)
    studio.view_still()
    near = studio.value("v.camera.eye.distance")
    studio.value("s.simulation.set({ speed: 1 })")
    time = studio.value("s.simulation.frame.time")
    studio.wait("s.simulation.frame.time > a[0] + 1", time)
    assert studio.value("v.camera.eye.distance") == near


def test_the_button_that_starts_it_stays_under_the_pointer(studio: Studio) -> None:
    studio.load("four-bar")
    studio.tab("Forces")
    start = studio.page.get_by_role("button", name="Simulate", exact=True)
    place = start.bounding_box()
    start.click()
    studio.wait("s.simulation.phase === 'running' && s.simulation.frame?.time > 0.4")
    pause = studio.page.get_by_role("tabpanel").get_by_role("button", name="Pause", exact=True)
    assert pause.bounding_box() == place
    # what nothing moves is said to be in balance
    studio.page.locator("[data-still]").wait_for()


def test_another_mechanism_leaves_nothing_of_a_running_one(studio: Studio) -> None:
    drop(studio, "rhino-xr3")
    # one whose joints have the same names
    studio.page.get_by_text("Simple serial robot", exact=True).click()
    studio.wait("s.snapshot.model.name === 'serial-5' && s.simulation.phase === 'off'")
    assert studio.q == studio.value("[...s.model.start()]")
    assert studio.page.get_by_role("button", name="Simulate", exact=True).is_enabled()


def test_a_page_that_is_loaded_again_goes_on(studio: Studio) -> None:
    drop(studio, "five-bar")
    studio.reload()
    studio.wait("s.simulation.phase === 'paused' && s.simulation.frame?.time > 0.2")
    studio.tab("Forces")
    assert "energy drift" in studio.page.locator("[data-trust]").inner_text()
    time = studio.value("s.simulation.frame.time")
    panel = studio.page.get_by_role("tabpanel")
    panel.get_by_role("button", name="Continue", exact=True).click()
    studio.wait("s.simulation.phase === 'running' && s.simulation.frame.time > a[0]", time)


def test_loads_have_a_scale_and_escape_lets_go(studio: Studio) -> None:
    drop(studio, "five-bar")
    studio.page.get_by_label("Link load").check()
    scale = studio.page.locator("[data-load-scale]")
    scale.wait_for()
    # on a slow machine it has fallen into a stop by now: thousands of newtons
    assert re.search(r"0 N\s+[\d.]+ k?N", scale.inner_text())
    slowly(studio)
    press(studio, by=(30, -30))
    studio.keys("Escape")
    studio.wait("s.simulation.hands.all.length === 0 && s.simulation.frame.hands.length === 0")
    studio.page.mouse.up()


def test_a_push_presses_on_a_surface(studio: Studio) -> None:
    drop(studio, "stewart")
    studio.page.get_by_text("Push", exact=True).click()
    slowly(studio)
    link = studio.value("s.model.data.links.at(-1)")
    x, y = studio.part_at(studio.place(link))
    studio.page.mouse.move(x, y)
    studio.page.mouse.down()
    studio.wait("s.simulation.frame.hands.length === 1 && s.simulation.force > 0")
    normal, force = studio.value(
        "[s.simulation.hands.all[0].normal, s.simulation.frame.hands[0].force]"
    )
    assert sum(n * f for n, f in zip(normal, force, strict=True)) < 0
    studio.page.mouse.up()
    studio.wait("s.simulation.frame.hands.length === 0")


def test_pause_step_reset_and_keep_the_run(studio: Studio) -> None:
    start = studio.q
    drop(studio, "five-bar")
    studio.page.get_by_role("button", name="Pause", exact=True).first.click()
    studio.wait("s.simulation.phase === 'paused' && !s.simulation.busy")
    time = studio.value("s.simulation.frame.time")
    studio.page.get_by_role("button", name="Single step").first.click()
    studio.wait("Math.abs(s.simulation.frame.time - a[0] - 0.001) < 1e-9", time)
    rows = studio.value("s.simulation.history.rows.length")
    assert rows > 3
    studio.page.get_by_role("button", name="Save this run").click()
    studio.wait("s.simulation.phase === 'off' && s.player.motion?.name === 'run'")
    studio.page.get_by_role("button", name="Simulate", exact=True).click()
    studio.wait("s.simulation.frame?.time > 0.05")
    studio.value("s.simulation.reset()")
    studio.wait("s.simulation.phase === 'paused' && s.simulation.frame.time === 0")
    assert studio.q != start  # where it was started last


def test_a_simulation_that_stops_says_why(studio: Studio) -> None:
    studio.tab("Forces")
    studio.value("s.simulation.set({ step: 0.05, gravity: 'own', own: [0, -9810, 0] })")
    studio.page.get_by_role("button", name="Simulate", exact=True).click()
    studio.wait("s.simulation.phase === 'stopped'")
    assert "too large" in studio.page.locator("[data-reason]").inner_text()
    # smaller steps do
    studio.value("s.simulation.end()")
    studio.wait("s.simulation.phase === 'off'")
    studio.load("arm-6")
    assert studio.value("s.simulation.frame") is None


def test_motors_hold_and_follow_their_sliders(studio: Studio) -> None:
    studio.load("arm-6")
    studio.tab("Forces")
    studio.page.get_by_role("button", name="Motors").click()
    studio.page.get_by_label("Motors hold").check()
    studio.page.get_by_role("button", name="Simulate", exact=True).click()
    studio.wait("s.simulation.frame?.time > 0.1")
    goal = studio.value("s.q[0]") + 0.3
    studio.value("s.setVariable(0, 0, a[0])", goal)
    studio.wait("Math.abs(s.q[0] - a[0]) < 0.02", goal)
    assert studio.value("Math.max(...s.simulation.frame.efforts.map(Math.abs))") > 0.1


def test_a_running_motion_is_pulled_aside_and_rejoined(studio: Studio) -> None:
    studio.load("arm-6")
    studio.value(
        "s.storeMotion({ name: 'wave', joints: [s.model.data.joints[0].name], times: [0, 3],"
        " values: [[0], [0.9]], interpolation: 'linear', note: null })"
    )
    studio.wait("s.snapshot.motions.length === 1")
    studio.tab("Forces")
    studio.page.get_by_label("Motion to follow").select_option("wave")
    studio.wait("s.simulation.phase === 'paused' && s.simulation.frame !== null")
    studio.page.get_by_role("button", name="Simulate", exact=True).last.click()
    studio.wait("s.simulation.frame?.time > 0.3")
    slowly(studio)
    press(studio, by=(-30, -60))
    studio.wait("s.simulation.frame.is_led")
    studio.page.mouse.up()
    studio.wait("!s.simulation.frame.is_led && s.simulation.state.reason.includes('at its end')")
    assert abs(studio.q[0] - 0.9) < 0.02


def test_the_chosen_joint_is_charted_with_what_it_gives_and_bears(studio: Studio) -> None:
    studio.load("arm-6")
    studio.tab("Forces")
    studio.value("s.simulation.set({ hold: true })")
    studio.page.get_by_role("button", name="Simulate", exact=True).click()
    studio.wait("s.simulation.frame?.time > 0.1")
    studio.page.get_by_role("button", name="Charts", exact=True).click()
    topics = studio.page.get_by_role("radiogroup", name="Chart topic")
    topics.get_by_text("Joint reactions").click()
    studio.value("s.select({ kind: 'joint', index: 1 })")
    studio.wait("s.simulation.history.rows.at(-1)?.reactions?.length === 36")
    studio.wait("document.body.innerText.includes('motor effort and joint reaction')")
    assert "shoulder" in studio.page.locator(".which").inner_text()
    # the shoulder bears what is beyond it: upper arm, forearm and wrist, 17.1 kg
    # not in every frame
    bears = "Math.hypot(...(s.simulation.jointForces.reactions ?? []).slice(6, 9))"
    studio.wait(f"Math.abs({bears} - 17.1 * 9.81) < 0.1 * 17.1 * 9.81")
    units = "[...document.querySelectorAll('figcaption')].map((one) => one.innerText).join()"
    studio.wait(f"{units} === '[N],[N m]'")


HANGING = """raff: 1
name: hanging
joints:
  - {name: A, parent: base, start: -40 deg}
  - {name: B, parent: A, d: 300 mm}
  - {name: C, parent: B, d: 200 mm}
"""


def test_what_falls_stays_above_the_floor_of_the_picture(studio: Studio) -> None:
    """A flat chain swings in its upright plane: the floor is below it, not through it."""
    studio.value("s.open('text', a[0])", HANGING)
    studio.wait("s.snapshot.model.name === 'hanging'")
    studio.view_still()
    studio.tab("Forces")
    studio.page.get_by_role("button", name="Engine and surroundings").click()
    studio.page.get_by_label("Floor").check()
    ground = studio.value("s.simulation.ground")
    lowest = "Math.min(...s.model.data.links.map((_, i) => s.poses[7 * i + 5]))"
    assert -0.5 < ground < studio.value(lowest) < -0.3
    studio.button("Simulate").last.click()
    studio.wait("s.simulation.frame?.contacts > 0")
    assert studio.value("s.simulation.state.settings.floor") == ground
    studio.wait("s.simulation.frame.time > 1")
    assert ground < studio.value(lowest)


def test_a_plug_in_engine_is_offered_and_runs(studio: Studio) -> None:
    studio.tab("Forces")
    studio.page.get_by_role("button", name="Engine and surroundings").click()
    choice = studio.page.get_by_label("Engine", exact=True)
    offered = [one.inner_text() for one in choice.locator("option").all()]
    assert offered == ["Reduced", "Impulse", "MuJoCo", "Steady"]
    choice.select_option("Steady")
    studio.page.get_by_text("An engine of somebody else's.").wait_for()
    studio.button("Simulate").last.click()
    studio.wait("s.simulation.frame?.time > 0.01")
    assert studio.value("s.simulation.state.settings.engine") == "steady"


def test_what_couplings_transmit_is_charted(studio: Studio) -> None:
    drop(studio, "geared-five-bar")
    page = studio.page
    studio.button("Charts (B)").click()
    page.get_by_role("radiogroup", name="Chart topic").get_by_text("Couplings").click()
    studio.wait("s.simulation.history.rows.some((row) => row.transmitted?.length === 1)")
    charts = page.locator(".charts")
    charts.locator("canvas").first.wait_for()
    coupling = studio.value("s.snapshot.model.couplings[0]")
    charts.get_by_text(f"{coupling['name']} on {coupling['members'][0]}").first.wait_for()
    # those without couplings have no such chart
    drop(studio, "four-bar")
    page.get_by_role("radiogroup", name="Chart topic").get_by_text("Energy").wait_for()
    assert page.get_by_role("radiogroup", name="Chart topic").get_by_text("Couplings").count() == 0


def test_a_curve_that_is_level_but_for_rounding_is_charted(studio: Studio) -> None:
    studio.load("four-bar")
    studio.tab("Forces")
    # it rests in balance, and rounding moves it by less than 1e-9 rad for seconds
    studio.value("s.simulation.set({ engine: 'mujoco' })")
    studio.button("Simulate").click()
    studio.wait("s.simulation.history.rows.length > 3")
    studio.button("Charts (B)").click()
    page = studio.page
    studio.wait("s.simulation.history.rows.length > 120")
    page.locator(".charts canvas").first.wait_for()
    # all topics stand side by side: none runs into the next
    boxes = [
        one.bounding_box()
        for one in page.get_by_role("radiogroup", name="Chart topic").locator("label").all()
    ]
    assert len(boxes) == 7
    words = page.get_by_role("radiogroup", name="Chart topic").locator("label span").all()
    for box, word in zip(boxes, words, strict=True):
        assert word.bounding_box()["width"] <= box["width"]
    page.get_by_role("radiogroup", name="Chart topic").get_by_text("Joint reactions").click()
    page.locator(".charts").get_by_text("does not compute joint reactions").wait_for()
    studio.button("End the simulation").click()
    # and what only a simulation knows is not charted without one
    page.locator("label.on", has_text="Joints").wait_for()
