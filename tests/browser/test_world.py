"""A world in the page: its agent drives, a forced sensor turns it away, and all is marked."""

from __future__ import annotations

from tests.browser.studio import Studio

VALUE = """(() => {
  let at = 0;
  for (const { name, size } of s.simulation.signals.table) {
    if (name === a[0]) return s.simulation.frame.signals[at];
    at += size;
  }
  return null;
})()"""
"""Of the signal with this name, in the last frame."""
PLACE = "s.poses[7 * s.model.data.links.indexOf('cart.chassis') + 4]"


def signal(studio: Studio, name: str) -> float:
    """The value of a signal in the last frame."""
    found = studio.value(VALUE, name)
    assert found is not None, name
    return float(found)


def test_a_cart_explores_and_turns_away_from_a_wall_that_is_not_there(studio: Studio) -> None:
    studio.load("exploring-cart")
    studio.tab("Forces")
    page = studio.page
    assert "3 sensors" in page.locator("[data-world]").inner_text()
    page.get_by_role("button", name="Simulate", exact=True).click()
    studio.wait("s.simulation.phase === 'running' && s.simulation.frame?.time > 0.3")
    # the agent drives on, and its rays are drawn
    assert signal(studio, "cart.wheel_rear_left.target") > 0
    assert studio.value("s.simulation.frame.rays.length") == 3 * 8
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
    assert signal(studio, "cart.eye.distance") == 0.05
    assert "forced to 0.05 m" in row.inner_text()
    studio.wait(
        "v.labels.visible().some(({ text }) => text === 'cart.eye.distance forced to 0.05 m')"
    )
    # the cart backs up and turns
    page.get_by_label("Filter signals").fill("")
    studio.wait(f"{VALUE} < 0", "cart.wheel_rear_left.target")
    assert abs(signal(studio, "cart.steer_left.target")) > 0.5
    # a click charts it
    row.get_by_role("button", name="cart.eye.distance", exact=True).click()
    page.get_by_role("figure", name="Chart of cart.eye.distance").wait_for()
    # until it is released
    page.get_by_role("toolbar", name="Simulation").get_by_role("button", name="Release all").click()
    studio.wait("s.simulation.signals.overridden.length === 0")
    studio.wait("s.simulation.frame.rays.every((x, i) => i % 8 !== 7 || x === 0)")
    page.get_by_role("button", name="Pause", exact=True).first.click()
    studio.wait("s.simulation.phase === 'paused'")
    time = studio.value("s.simulation.frame.time")
    page.get_by_role("button", name="One step").first.click()
    studio.wait("s.simulation.frame.time > a[0]", time)
    page.get_by_role("button", name="Reset to the start, at rest").first.click()
    studio.wait("s.simulation.phase === 'paused' && s.simulation.frame.time === 0")
    assert studio.errors == []
