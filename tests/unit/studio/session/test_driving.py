"""A real robot, played by the virtual bus, that pages of a session drive."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import kinegen as kg
from kinegen.drive.helm import Helm, Look
from tests.support.bridged import arm
from tests.support.studio import Page, RefusedError, page, run, studio

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo terminals")
pytest.importorskip("scservo_sdk", reason="feetech-servo-sdk is not installed")

STEP = 0.02
"""Three steps of the encoder, and how far the arm sags [rad]."""


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither answers nor heartbeats are about time here: the machine may be busy."""
    monkeypatch.setattr("kinegen.drive.register_port.WAIT", 20_000)
    monkeypatch.setattr("kinegen.studio.session.driving.PATIENCE", 60.0)


@pytest.fixture(scope="module")
def bridge() -> Iterator[kg.bridges.Bridge]:
    with kg.bridges.Bridge(arm(), ["feetech"], gravity=[0, 0, 0], hold=True) as made:
        yield made


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "arm.raff").write_text(arm().to_raff())
    return tmp_path


def lift(one: Page) -> float:
    """The measured angle in the last frame."""
    return float(one.find("drive_frame")[-1]["q"][0])


async def connected(one: Page, bridge: kg.bridges.Bridge, **more: object) -> dict[str, object]:
    path = bridge.endpoints["feetech"]
    await one.ask("connect_robot", bus="feetech", port=path, **more)
    await one.until(lambda: one.find("drive_frame"))
    return dict(one.find("drive_state")[-1])


def test_a_page_looks_starts_follows_and_stops(project: Path, bridge: kg.bridges.Bridge) -> None:
    async def work() -> None:
        async with studio(project) as server, page(server, open="arm.raff") as one:
            with pytest.raises(RefusedError, match="choose its port first"):
                await one.ask("start_robot")
            with pytest.raises(RefusedError, match="not a serial port"):
                await one.ask("connect_robot", bus="feetech", port="/etc/passwd")
            with pytest.raises(RefusedError, match="cannot be opened: it does not exist"):
                await one.ask("connect_robot", bus="feetech", port="/dev/nothing-here")
            assert one.find("drive_state")[-1]["phase"] == "none"
            state = await connected(one, bridge, speed=1.0)
            # the summary: nothing moves before somebody agrees
            assert state["phase"] == "off" and state["baud"] == 1_000_000
            first = state["servos"][0]  # type: ignore[index]
            assert (first["id"], first["joint"], first["unit"]) == (1, "lift", "rad")
            assert first["upper"] == pytest.approx(1.745, abs=0.01) and first["speed"] > 0
            with pytest.raises(RefusedError, match="switch them on first"):
                await one.ask("follow_page")
            await one.ask("start_robot")
            goals = one.find("drive_frame")[-1]
            assert goals["goals"] == pytest.approx(goals["positions"], abs=0.1)
            await one.ask("follow_page")
            await one.pose([lift(one) + 0.5, 0.0])
            end = lift(one) + 0.5
            await one.until(lambda: abs(lift(one) - end) < STEP)
            # a stop needs no answer and waits for nothing
            await one.send("drive_stop")
            await one.wait("drive_state", phase="stopped", reason="by the user")
            await one.until(lambda: one.find("drive_state")[-1]["task"] == "")
            await one.ask("disconnect_robot")
            assert one.find("drive_state")[-1]["phase"] == "none"

    run(work())


def test_a_look_from_before_an_order_does_not_undo_what_pages_know(
    project: Path, bridge: kg.bridges.Bridge, monkeypatch: pytest.MonkeyPatch
) -> None:
    look, begun, may_end = Helm.look, threading.Event(), threading.Event()

    def late(self: Helm) -> Look:
        """The first look ends after the order that comes then."""
        found = look(self)
        if not begun.is_set():
            begun.set()
            may_end.wait(60)
        return found

    async def work() -> None:
        async with studio(project) as server, page(server, open="arm.raff") as one:
            await connected(one, bridge)
            monkeypatch.setattr(Helm, "look", late)
            await asyncio.to_thread(begun.wait, 60)
            await one.ask("start_robot")
            assert one.find("drive_state")[-1]["phase"] == "on"
            count = len(one.find("drive_state"))
            frames = len(one.find("drive_frame"))
            may_end.set()
            await one.until(lambda: len(one.find("drive_frame")) > frames + 2)
            assert {state["phase"] for state in one.find("drive_state")[count:]} <= {"on"}

    run(work())


def test_it_is_taught_plays_and_the_file_may_change(
    project: Path, bridge: kg.bridges.Bridge
) -> None:
    async def work() -> None:
        async with studio(project) as server, page(server, open="arm.raff") as one:
            await connected(one, bridge, speed=1.0)
            await one.ask("teach_robot")
            await one.until(lambda: len(one.find("drive_frame")) > 3)
            motion = (await one.ask("finish_task"))["motion"]
            assert motion["joints"] == ["lift", "hand"] and len(motion["times"]) > 1
            await one.ask("start_robot")
            values = [[lift(one), 0.0], [0.2, 0.1]]
            made = {**motion, "times": [0.0, 0.5], "values": values, "name": "wave"}
            done = await one.ask("play_on_robot", motion=made)
            assert 0 < done["pace"] <= 1
            await one.until(lambda: abs(lift(one) - 0.2) < STEP)
            await one.ask("limit_robot", speed=0.5, torque=0.4)
            assert one.find("drive_state")[-1]["torque"] == 0.4
            # what does not concern the servos leaves the robot as it is
            await one.ask("store_motion", motion=made)
            await one.ask("let_go_robot")
            assert one.find("drive_state")[-1]["phase"] == "off"
            # another robot in the file: this one is disconnected, with the reason
            text = one.snapshot["text"].replace("torque: 3", "torque: 3, id: 7")
            await one.ask("edit_text", text=text)
            await one.until(lambda: "connect again" in one.find("drive_state")[-1]["reason"])

    run(work())


def test_zeros_are_found_by_hand_and_written_to_the_file(
    project: Path, bridge: kg.bridges.Bridge
) -> None:
    async def work() -> None:
        async with studio(project) as server, page(server, open="arm.raff") as one:
            await connected(one, bridge, speed=1.0)
            with pytest.raises(RefusedError, match="first move 'lift' to a known value"):
                await one.ask("find_zero", joint="lift")
            with pytest.raises(RefusedError, match="did you mean 'lift'"):
                await one.ask("mark_joint", joint="lfit", value=0.0)
            begin = lift(one)
            await one.ask("mark_joint", joint="lift", value=0.0)
            with pytest.raises(RefusedError, match="move it by at least"):
                await one.ask("find_zero", joint="lift")
            # the motor stands in for a hand, which turns the joint the other way
            await one.ask("start_robot")
            with pytest.raises(RefusedError, match="motors off"):
                await one.ask("mark_joint", joint="lift", value=0.0)
            await one.ask("follow_page")
            await one.pose([begin - 0.3, 0.0])
            await one.until(lambda: lift(one) < begin - 0.25)
            await one.ask("let_go_robot")
            await one.ask("find_zero", joint="lift")
            (found,) = one.find("drive_state")[-1]["zeros"]
            assert found["direction"] == -1
            assert found["offset"] == pytest.approx(begin, abs=STEP)
            await one.ask("write_zeros")
            assert "direction: -1" in one.snapshot["text"]
            await one.until(lambda: "connect again" in one.find("drive_state")[-1]["reason"])

    run(work())


def test_a_page_that_is_gone_stops_the_robot(project: Path, bridge: kg.bridges.Bridge) -> None:
    async def work() -> None:
        async with studio(project) as server:
            async with page(server, open="arm.raff") as one:
                session = {key: one.welcome[key] for key in ("session", "secret")}
                await connected(one, bridge, speed=0.05)
                await one.ask("start_robot")
                await one.ask("follow_page")
                await one.pose([lift(one) - 0.6, 0.0])
                async with page(server, session=one.welcome["session"]) as watcher:
                    with pytest.raises(RefusedError, match="view-only"):
                        await watcher.ask("teach_robot")
            # no heartbeat is missing yet: the connection itself has ended
            async with page(server, **session) as again:
                await again.wait("drive_state", phase="stopped")
                found = again.find("drive_state")[-1]
                assert found["reason"] == "the page was closed or lost"
                async with page(server, open="arm.raff") as other:
                    path = bridge.endpoints["feetech"]
                    with pytest.raises(RefusedError, match="another session drives"):
                        await other.ask("connect_robot", bus="feetech", port=path)
                await again.ask("disconnect_robot")

    run(work())


def test_it_stops_when_the_heartbeats_of_the_page_end(
    project: Path, bridge: kg.bridges.Bridge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("kinegen.studio.session.driving.PATIENCE", 0.2)

    async def work() -> None:
        async with studio(project) as server, page(server, open="arm.raff") as one:
            await connected(one, bridge, speed=0.05)
            await one.ask("start_robot")
            await one.ask("follow_page")
            await one.pose([lift(one) + 0.6, 0.0])
            for _ in range(20):  # nobody measures how long it lasts: it must end without them
                await one.send("drive_beat")
                await asyncio.sleep(0.01)
            await one.wait("drive_state", phase="stopped", reason="no heartbeat for 200 ms")
            await one.ask("disconnect_robot")

    run(work())
