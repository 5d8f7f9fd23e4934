"""A world in the page: its agent drives, a forced sensor turns it away, and all is marked."""

from __future__ import annotations

from pathlib import Path

import kinegen as kg
from tests.browser.studio import Studio
from tests.browser.test_drop import drop

VALUE = """(() => {
  let at = 0;
  for (const { name, size } of s.simulation.signals.table) {
    if (name === a[0]) return s.simulation.frame?.signals[at] ?? null;
    at += size;
  }
  return null;
})()"""
"""Of the signal with this name, in the last frame; null before the first one."""
PLACE = "s.poses[7 * s.model.data.links.indexOf('cart.chassis') + 4]"


def test_a_cart_explores_and_turns_away_from_a_wall_that_is_not_there(
    studio: Studio, tmp_path: Path
) -> None:
    studio.load("exploring-cart")
    page = studio.page
    # the one button that runs a mechanism runs a world with all that it has
    page.get_by_role("toolbar", name="Timeline").get_by_role("button", name="Simulate").click()
    page.get_by_role("button", name="Record a log").click()
    studio.wait("s.simulation.world.isLogging")
    studio.wait("s.simulation.phase === 'running' && s.simulation.frame?.time > 0.3")
    # the agent drives on, and its rays are drawn
    studio.wait(f"{VALUE} > 0", "cart.wheel_rear_left.target")
    assert studio.value("s.simulation.frame.rays.length") == 3 * 9
    start = studio.value(PLACE)
    studio.wait(f"Math.abs({PLACE} - a[0]) > 0.1", start)
    # with the mouse: the sensor reads 5 cm
    page.get_by_label("Filter signals").fill("eye")
    row = page.locator("[data-signal='cart.eye.distance']")
    row.get_by_role("button", name="Override cart.eye.distance").click()
    page.get_by_role("menuitem", name="Force to a value…").click()
    row.get_by_role("textbox").fill("5 cm")
    row.get_by_role("button", name="Apply").click()
    studio.wait("s.simulation.signals.overridden.length === 1")
    # the list of overridden signals and the frame with their values come one after another
    studio.wait(f"{VALUE} === 0.05", "cart.eye.distance")
    row.get_by_text("forced to 0.05 m").first.wait_for()
    studio.wait(
        "v.labels.visible().some(({ text }) => text === 'cart.eye.distance forced to 0.05 m')"
    )
    # the cart backs up and turns
    page.get_by_label("Filter signals").fill("")
    studio.wait(f"{VALUE} < 0", "cart.wheel_rear_left.target")
    studio.wait(f"Math.abs({VALUE}) > 0.5", "cart.steer_left.target")
    # a click charts it
    row.get_by_role("button", name="cart.eye.distance", exact=True).click()
    page.get_by_role("figure", name="Chart of cart.eye.distance").wait_for()
    # what happened is in a file that other tools open
    page.get_by_role("button", name="Save the log").click()
    with page.expect_download() as download:
        page.get_by_role("link", name="Download").click()
    log = kg.world.read_log(Path(download.value.path()).rename(tmp_path / "run.mcap"))
    assert log.signal("cart.eye.distance").values[-1] == 0.05
    # until it is released
    page.get_by_role("toolbar", name="Simulation").get_by_role("button", name="Release all").click()
    studio.wait("s.simulation.signals.overridden.length === 0")
    studio.wait("s.simulation.frame.rays.every((x, i) => i % 9 !== 7 || x === 0)")
    page.get_by_role("button", name="Pause", exact=True).first.click()
    studio.wait("s.simulation.phase === 'paused'")
    time = studio.value("s.simulation.frame.time")
    page.get_by_role("button", name="Single step").first.click()
    studio.wait("s.simulation.frame.time > a[0]", time)
    # back to a time that has passed, and forward again
    end = studio.value("s.simulation.frame.recorded")
    slider = page.get_by_label("Go to a past time")
    slider.fill("0.1")
    studio.wait("Math.abs(s.simulation.frame.time - 0.1) < 1e-9")
    assert studio.value("s.simulation.frame.recorded") == end
    slider.fill(str(end))
    studio.wait("Math.abs(s.simulation.frame.time - a[0]) < 1e-9", end)
    # rays of a sensor that is switched off are not drawn, and an attribute becomes a colour
    page.get_by_role("checkbox", name="cart.eye").uncheck()
    page.get_by_role("button", name="Nodes and colours").click()
    page.get_by_role("button", name="Add an attribute to cart", exact=True).click()
    page.get_by_role("textbox", name="Attribute").fill("load")
    page.get_by_role("textbox", name="Value").fill("0.7")
    page.get_by_role("textbox", name="Unit").fill("kg")
    page.get_by_role("button", name="Add", exact=True).click()
    page.get_by_label("Colour by").select_option("load [kg]")
    page.locator("[data-color-scale]").wait_for()
    assert "0.7 kg" in page.locator("[data-node='cart']").inner_text()
    page.get_by_role("button", name="Reset to the start, at rest").first.click()
    studio.wait("s.simulation.phase === 'paused' && s.simulation.frame.time === 0")
    assert studio.errors == []


SEEING = """raff: 1
name: seeing
joints: [{name: arm, parent: base, mass: 1, shape: {box: [0.4, 0.05, 0.05]}}]
objects: [{name: box, shape: {box: [1, 1, 1]}, fixed: true, at: {xyz: [2, 0, 0]}}]
sensors: [{name: eye, type: camera, pixels: [32, 24], rate: 50, images: [color, depth]}]
"""


def test_a_camera_shows_its_picture_beside_the_view(studio: Studio, folder: Path) -> None:
    (folder / "seeing.raff").write_text(SEEING)
    studio.value("s.open('file', a[0])", "seeing.raff")
    studio.wait("s.snapshot.model.name === 'seeing'")
    studio.tab("Forces")
    page = studio.page
    page.get_by_role("button", name="Simulate", exact=True).first.click()
    card = page.locator("[data-camera='eye']")
    card.wait_for()
    if studio.value("s.simulation.sensors.all[0].camera.is_drawn"):
        card.get_by_role("button", name="Depth").click()
        card.locator("img").wait_for()
        studio.wait("s.simulation.sensors.pictures.get('eye.depth')?.head.high > 1")
        assert "1.50 m" in card.inner_text()  # the near face of the box
    else:
        assert "the page's own view" in card.inner_text()
    small = card.bounding_box()
    card.get_by_role("button", name="Enlarge").click()
    assert small and card.bounding_box()["width"] > 2 * small["width"]
    card.get_by_role("button", name="Close the picture").click()
    studio.wait("s.simulation.sensors.open.length === 0")
    assert studio.errors == []


def test_a_log_that_is_dropped_is_played_with_its_world(studio: Studio, tmp_path: Path) -> None:
    text = SEEING.partition("sensors:")[0] + "sensors: [{name: e, type: encoder, parent: arm}]\n"
    with kg.World(text) as world:
        world.log(tmp_path / "run.mcap")
        world.run(1.0)
    page = studio.page
    studio.load("four-bar")
    drop(studio, [tmp_path / "run.mcap"])
    studio.wait("s.simulation.isReplay && s.simulation.frame?.recorded === 1")
    assert studio.value("s.snapshot.model.name") == "seeing"
    page.get_by_label("Go to a past time").fill("0.5")
    studio.wait("Math.abs(s.simulation.frame.time - 0.5) < 1e-9")
    assert "run.mcap" in page.locator("[data-replay]").inner_text()
    page.locator("[data-signal='e.position']").wait_for()
    page.get_by_role("button", name="Continue", exact=True).first.click()
    studio.wait("s.simulation.frame.time === 1 && s.simulation.phase === 'paused'")
    page.get_by_role("button", name="Close the log").click()
    studio.wait("!s.simulation.isOn && s.simulation.settings.log === null")
    assert studio.errors == []
