"""Hardware in the page: programs for real robots move the simulated one."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

import kinegen as kg
from tests.browser.studio import Studio
from tests.support.clients.feetech import FeetechClient

PAN = "s.q[s.model.data.joints.find(({ name }) => name === 'shoulder_pan').q]"

AGAIN = """(async () => {
  const { robot } = s;
  if (robot.busy || robot.phase === 'on') return;
  if (robot.phase === 'lost' || robot.phase === 'none')
    await robot.connect({ bus: 'feetech', port: a[0], speed: 0.5, torque: 1, on_stop: 'hold' });
  await robot.start(false);
  await robot.follow();
})()"""
"""Begins again where a busy machine has kept a heartbeat or an answer of the servos too long."""


def rest_of(page: Any, pan: Callable[[], float]) -> float:
    """Where a joint comes to rest."""
    before, now = math.inf, pan()
    while abs(now - before) > 1e-3:
        page.wait_for_timeout(200)
        before, now = now, pan()
    return now


def test_a_program_with_the_makers_package_moves_the_arm_in_the_page(studio: Studio) -> None:
    studio.load("so101")
    page = studio.page
    page.get_by_role("tab", name="Scene").click()
    row = page.locator("[data-kind=feetech]")
    assert "LeRobot" in row.inner_text()
    row.get_by_role("button", name="Switch feetech on").click()
    studio.wait("s.simulation.isRunning && s.simulation.hardware.wires.length === 1")
    path = row.locator("code").inner_text()
    client = FeetechClient(path)
    begin, angle = client.position(), studio.value(PAN)
    client.switch_on()
    client.aim(begin + 300)
    studio.wait(f"{PAN} > a[0] + 0.4", angle)  # 300 of 4096 steps are 0.46 rad
    row.get_by_role("button", name="Packets").click()
    studio.wait("document.querySelector('[aria-label=Packets]').innerText.includes('goal')")
    # what is on stays on when the page is loaded again
    studio.reload()
    studio.wait("s.simulation.isRunning && s.simulation.settings.wires[0] === 'feetech'")
    assert client.position() > begin + 200
    page.get_by_role("tab", name="Scene").click()
    row.get_by_role("button", name="Switch off").click()
    studio.wait("s.simulation.hardware.wires.length === 0")
    client.close()


def test_the_real_arm_follows_the_screen_and_stops_with_space_and_with_the_page(
    studio: Studio,
) -> None:
    pytest.importorskip("scservo_sdk", reason="feetech-servo-sdk is not installed")
    studio.load("so101")
    page = studio.page
    page.get_by_role("tab", name="Scene").click()
    # the bus of a simulated arm is the real one here: Kinegen reaches it by the maker's package
    with kg.bridges.Bridge("so101", ["feetech"], gravity=[0, 0, 0], hold=True) as bridge:
        path = bridge.endpoints["feetech"]

        def pan() -> float:
            return float(bridge.state.servos["shoulder_pan"].position)

        before = pan()
        page.get_by_label("Port", exact=True).select_option("typed")
        page.get_by_label("Device", exact=True).fill(path)
        page.get_by_role("button", name="Find the servos").click()
        studio.wait("s.robot.phase === 'off' && s.robot.frame !== null")
        # the summary comes first, and nobody is asked to agree by surprise
        table = page.get_by_role("table", name="Servos").inner_text()
        assert "shoulder_pan" in table and "gripper" in table
        switch = page.get_by_role("button", name="Switch the motors on")
        assert switch.is_disabled() and pan() == pytest.approx(before, abs=0.01)
        page.get_by_label("I have read this").check()
        switch.click()
        studio.wait("s.robot.phase === 'on'")
        page.get_by_role("button", name="Follow the page").click()
        studio.wait("s.robot.state.task === 'follow'")
        studio.value("s.setVariable(0, 0, a[0])", before + 0.4)
        while abs(pan() - before - 0.4) > 0.03:  # the servo gives a little under friction
            studio.value(AGAIN, path)
            page.wait_for_timeout(50)
        # it is there: no heartbeat can be missing now, and the stop is the key's
        studio.value(AGAIN, path)
        page.keyboard.press("Space")
        studio.wait("s.robot.phase === 'stopped' && s.robot.state.reason === 'by the user'")
        there = rest_of(page, pan)
        assert there == pytest.approx(before + 0.4, abs=0.1)  # it was stopped as it passed
        studio.value("s.setVariable(0, 0, a[0])", before)
        page.get_by_role("button", name="Switch the motors on again").click()
        studio.wait("s.robot.phase === 'on'")
        # the page goes away, and comes back to a robot that stands
        studio.reload()
        studio.wait("s.robot.phase === 'stopped'")
        assert studio.value("s.robot.state.reason") == "the page was closed or lost"
        assert pan() == pytest.approx(there, abs=0.02)
        studio.value("s.robot.disconnect()")
        studio.wait("s.robot.phase === 'none'")
