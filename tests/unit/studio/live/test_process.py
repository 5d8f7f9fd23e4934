"""The simulation of a session, in its process: frames, hands, watchers, and when it dies."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

from kinegen.errors import KinegenError
from kinegen.kernels import Floats
from kinegen.kernels.records import size_of
from kinegen.studio.live.frames import LiveFacts, LiveFrame, pack_live
from kinegen.studio.live.hands import MOST_HANDS
from kinegen.studio.live.orders import HandTouches
from kinegen.studio.live.process import _BACKLOG, _MOST, Live
from kinegen.studio.wire.messages import Release, ReleaseSignal, StepSimulation, Touch
from tests.support.studio import RefusedError, page, run, studio

DOWN = {"gravity": [0, -9.81, 0]}
BAR = """raff: 1
gravity: [0, 0, -9.81]
joints: [{name: A, parent: base, xyz: [3, 0, 0], mass: 1, shape: {sphere: 0.1}}]
objects:
  - {name: bar, shape: {box: [0.04, 1.0, 0.04]}, mass: 2, at: {xyz: [0, 0, 0.5]}}
"""


def test_a_page_runs_it_pulls_at_it_and_others_follow(tmp_path: Path) -> None:
    async def work() -> None:
        async with (
            studio(tmp_path) as server,
            page(server, open="five-bar") as one,
        ):
            session = one.welcome["session"]
            async with page(server, session=session) as other:
                await one.ask("start_simulation", settings={**DOWN, "speed": 0.2})
                await one.wait("simulation", phase="running")
                await one.until(lambda: one.lives and one.lives[-1].facts.time > 0.02)
                link = one.snapshot["model"]["links"][-1]
                hand = {"hand": 1, "site": link, "point": [0, 0, 0], "target": [0, 0.5, 0]}
                await one.send("touch", **hand)
                await one.until(
                    lambda: len(one.lives[-1].hands) == 1 and any(one.lives[-1].hands[0].force)
                )
                await one.send("release", hand=1)
                await one.until(lambda: one.lives and len(one.lives[-1].hands) == 0)
                # who watches sees all of it
                await other.wait("simulation", phase="running")
                await other.until(lambda: len(other.lives) > 3)
                with pytest.raises(RefusedError, match="view-only"):
                    await other.ask("pause_simulation")
                await one.ask("pause_simulation")
                await one.wait("simulation", phase="paused")
                await one.ask("end_simulation")
                await one.wait("simulation", phase="off")

    run(work())


def test_two_pages_pull_at_once_and_one_that_leaves_takes_its_hands_only(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "bar.raff").write_text(BAR)

    async def work() -> None:
        async with (
            studio(tmp_path) as server,
            page(server, open="bar.raff") as one,
        ):
            key = {"session": one.welcome["session"], "secret": one.welcome["secret"]}
            async with page(server, **key) as other:
                pair = {page.welcome["client"]: y for page, y in ((one, -0.5), (other, 0.5))}
                await one.ask("start_simulation", settings={"objects": True})
                await other.wait("simulation", phase="running")
                # both pages call their first hand 1, and lift by 0.3 m
                for page_, y in zip((one, other), pair.values(), strict=True):
                    place = {"site": "bar", "point": [0, y, 0], "target": [0, y, 0.8]}
                    await page_.send("touch", hand=1, **place)
                await one.until(lambda: one.lives and len(one.lives[-1].hands) == 2)
                now = one.lives[-1].facts.time
                await other.until(lambda: other.lives and other.lives[-1].facts.time > now + 1.5)
                # it has come to rest level, and each end carries half of the weight
                frame = other.lives[-1]
                w, x, y, z, *place = frame.objects[0]
                assert abs(2 * (w * x + y * z)) < 1e-3
                assert 0.75 < place[2] <= 0.8
                felt = {int(hand.client): hand.force for hand in frame.hands}
                assert felt.keys() == pair.keys()
                for force in felt.values():
                    assert force == pytest.approx((0, 0, 9.81), abs=0.05)
                # one page leaves: the other runs it, and its own hand still holds
                await one.socket.close()
                await other.until(lambda: len(other.lives[-1].hands) == 1)
                assert other.lives[-1].hands[0].client == other.welcome["client"]
                await other.wait("simulation", phase="running", owner=other.welcome["client"])
                now = other.lives[-1].facts.time
                await other.until(lambda: other.lives[-1].facts.time > now + 0.1)
                assert len(other.lives[-1].hands) == 1

    run(work())


def test_a_watcher_cannot_pull_and_too_many_hands_are_refused_once_to_their_page(
    tmp_path: Path,
) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "bar.raff").write_text(BAR)

    async def work() -> None:
        async with studio(tmp_path) as server, page(server, open="bar.raff") as one:
            session = one.welcome["session"]
            async with page(server, session=session) as watcher:
                await one.ask("start_simulation", settings={"objects": True, "speed": 0.1})
                hand = {"site": "bar", "point": [0, 0, 0], "target": [0, 0, 0.5]}
                await watcher.send("touch", hand=1, **hand)
                await watcher.until(lambda: watcher.find("refused"))
                for number in [*range(1, MOST_HANDS + 2)] * 3:
                    await one.send("touch", hand=number, **hand)
                await one.send("release", hand=1)
                await one.until(lambda: one.lives and len(one.lives[-1].hands) == MOST_HANDS - 1)
                notices = [each["message"] for each in one.find("notice", level="warning")]
                assert notices == ["one page can hold the mechanism with at most 10 hands"]
                await watcher.until(
                    lambda: watcher.lives and len(watcher.lives[-1].hands) == MOST_HANDS - 1
                )
                assert watcher.find("notice", level="warning") == []

    run(work())


def test_a_page_forces_a_signal_of_a_world_and_a_program_does_not_start(tmp_path: Path) -> None:
    started = tmp_path / "started"
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "mine.py").write_text(
        f"open({str(started)!r}, 'w')\ndef drive(*_): return {{}}\n"
    )
    (tmp_path / "project" / "room.raff").write_text(
        "raff: 1\njoints: [{name: A, parent: base, mass: 1, motor: true, shape: {sphere: 0.1}}]\n"
        "sensors: [{name: turned, type: encoder, parent: A}]\n"
        'agents: [{name: driver, program: "mine.py:drive"}]\n'
    )

    async def work() -> None:
        async with studio(tmp_path) as server, page(server, open="room.raff") as one:
            assert one.snapshot["world"]["agents"] == ["driver"]
            await one.ask("start_simulation", settings={"hold": True})
            state = await one.wait("simulation", phase="running")
            assert any("kinegen studio --agents" in remark for remark in state["remarks"])
            await one.until(lambda: one.lives and one.lives[-1].signals.size > 0)
            await one.send("force_signal", name="turned.position", value=0.5)
            await one.until(lambda: one.find("simulation")[-1]["signals"])
            table = one.find("simulation")[-1]["signals"]
            at = [row["name"] for row in table].index("turned.position")
            await one.until(lambda: one.lives[-1].signals[at] == 0.5)
            await one.ask("end_simulation")
            assert not started.exists()

    run(work())


def test_a_refused_start_leaves_nothing_behind(tmp_path: Path) -> None:
    async def work() -> None:
        async with studio(tmp_path) as server, page(server, open="five-bar") as one:
            with pytest.raises(RefusedError, match="there is no simulation"):
                await one.ask("play_simulation")
            with pytest.raises(RefusedError, match="gravity must be a list of 3"):
                await one.ask("start_simulation", settings={"gravity": [1]})
            with pytest.raises(RefusedError, match="magic"):
                await one.ask("start_simulation", settings={"engine": "magic"})
            await one.wait("simulation", phase="off")

    run(work())


def test_a_process_that_dies_is_reported_and_another_can_be_started(tmp_path: Path) -> None:
    async def work() -> None:
        async with studio(tmp_path) as server, page(server, open="five-bar") as one:
            await one.ask("start_simulation", settings=DOWN)
            (room,) = server.hub.rooms.values()
            assert room.live._process is not None
            room.live._process.kill()
            message = await one.wait("simulation", phase="stopped")
            assert "ended unexpectedly" in message["reason"]
            await one.ask("start_simulation", settings=DOWN, run=False)
            assert one.find("simulation")[-1]["phase"] == "paused"

    run(work())


def test_numbers_change_while_it_runs_and_another_mechanism_ends_it(tmp_path: Path) -> None:
    async def work() -> None:
        async with studio(tmp_path) as server, page(server, open="five-bar") as one:
            await one.ask("start_simulation", settings=DOWN, run=False)
            await one.ask("step_simulation", count=50)
            await one.until(lambda: one.lives[-1].facts.time > 0.04)
            before = one.lives[-1].q
            parameter = one.snapshot["model"]["parameters"][0]["name"]
            count = len(one.lives)
            await one.ask("set_numbers", changes=[[None, parameter, "1.01 * 0.1 m"]], label="x")
            await one.until(lambda: len(one.lives) > count)
            assert one.lives[-1].facts.time == pytest.approx(0.05)
            assert not np.array_equal(one.lives[-1].q, before)
            await one.ask("open_library", name="four-bar")
            await one.wait("simulation", phase="off")

    run(work())


def test_another_mechanism_with_the_same_joints_ends_it_and_keeps_its_own_pose(
    tmp_path: Path,
) -> None:
    async def work() -> None:
        async with studio(tmp_path) as server, page(server, open="five-bar") as one:
            text, start = one.snapshot["text"], one.snapshot["q"]
            version = one.snapshot["version"]
            await one.ask("start_simulation", settings=DOWN)
            await one.until(lambda: one.lives and one.lives[-1].facts.time > 0.05)
            await one.ask("open_text", text=text)
            await one.wait("simulation", phase="off")
            # what the page had on its tongue belongs to what was open before
            late = one.lives[-1].q.tolist()
            assert late != start
            await one.ask("commit_pose", q=late, label="Simulate", version=version)
            (room,) = server.hub.rooms.values()
            assert room.session.live.tolist() == start

    run(work())


def test_who_loads_the_page_again_has_it_again(tmp_path: Path) -> None:
    async def work() -> None:
        async with studio(tmp_path) as server:
            async with page(server, open="five-bar") as one:
                session, secret = one.welcome["session"], one.welcome["secret"]
                await one.ask("start_simulation", settings=DOWN, run=False)
                await one.ask("step_simulation", count=30)
                await one.until(lambda: one.lives[-1].facts.time > 0.02)
            async with page(server, session=session, secret=secret) as again:
                state = await again.wait("simulation", phase="paused")
                await again.until(lambda: len(again.lives) > 0)
                assert again.lives[-1].facts.time == pytest.approx(0.03)
                assert state["owner"] == again.welcome["client"]
                await again.ask("play_simulation")
                await again.until(lambda: again.lives[-1].facts.time > 0.04)

    run(work())


def test_an_order_that_waits_while_it_is_ended_is_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def work() -> None:
        async with studio(tmp_path) as server, page(server, open="five-bar") as one:
            await one.ask("start_simulation", settings=DOWN, run=False)
            (room,) = server.hub.rooms.values()
            monkeypatch.setattr(room.live, "_write", lambda order: None)  # a process that hangs
            waiting = asyncio.create_task(room.live._ask(StepSimulation(0, 1)))
            await asyncio.sleep(0)
            await room.live.close()
            with pytest.raises(KinegenError, match="was stopped"):
                await waiting

    run(work())


def test_a_frame_that_comes_amid_a_change_is_given_again() -> None:
    """A paused simulation has no later frame that would make up for it."""
    given: list[bytes] = []

    class Room:
        clients: ClassVar[dict[int, object]] = {}

        def simulated(self, q: Floats, body: bytes) -> bool:
            given.append(body)
            return len(given) > 2

    async def scene() -> None:
        live = Live(Room())  # type: ignore[arg-type]
        live.state.phase = "paused"
        facts = LiveFacts(*[0.0] * size_of(LiveFacts))
        frame = LiveFrame(facts, np.zeros(2), np.zeros(1), np.zeros(1))
        live._frame(pack_live(frame))
        while len(given) < 3:
            await asyncio.sleep(0.01)
        # a newer one is enough
        live._frame(pack_live(frame))
        assert len(given) == 4

    asyncio.run(scene())


HANGS = """
def drive(time, seen):
    while time > 0.05:
        pass
    return {}
"""


def test_an_agent_that_hangs_is_named_and_the_page_stays_usable(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "mine.py").write_text(HANGS)
    (tmp_path / "project" / "room.raff").write_text(
        "raff: 1\njoints: [{name: A, parent: base, mass: 1, motor: true, shape: {sphere: 0.1}}]\n"
        'agents: [{name: driver, program: "mine.py:drive", timeout: 60}]\n'
    )

    async def work() -> None:
        async with (
            studio(tmp_path, agents=True) as server,
            page(server, open="room.raff") as one,
        ):
            await one.ask("start_simulation", settings={"hold": True})
            notice = await one.wait("notice", level="warning")
            assert notice["message"] == "agent 'driver' has not returned within 1 s"
            # time passes, orders are obeyed
            now = one.lives[-1].facts.time
            await one.until(lambda: one.lives[-1].facts.time > now + 0.05)
            await one.ask("pause_simulation")
            await one.ask("end_simulation")
            await one.wait("simulation", phase="off")

    run(work())


def test_what_is_said_once_is_written_however_much_waits() -> None:
    written: list[bytes] = []
    waiting = _BACKLOG

    class Pipe:
        @property
        def transport(self) -> Pipe:
            return self

        def get_write_buffer_size(self) -> int:
            return waiting

        def write(self, line: bytes) -> None:
            written.append(line)

    class Hung:
        stdin, returncode = Pipe(), None
        killed = False

        def kill(self) -> None:
            self.killed = True

    live = Live.__new__(Live)
    hung = Hung()
    live._process = hung  # type: ignore[assignment]
    live._write(HandTouches(1, Touch(1, "A", (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))))
    assert written == []
    live._write(Release(1))
    live._write(ReleaseSignal("nose.distance"))
    assert len(written) == 2 and not hung.killed
    waiting = _MOST
    live._write(Release(1))
    assert len(written) == 2 and hung.killed
