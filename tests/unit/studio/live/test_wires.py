"""Wires of the robot that a page simulates: another program moves it, and the page follows."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests.support.clients.feetech import FeetechClient
from tests.support.studio import RefusedError, page, run, studio

FAST = {"speed": 10.0}
"""Simulated seconds per second, as far as the machine keeps up."""


def test_a_program_moves_what_the_page_shows(tmp_path: Path) -> None:
    async def work() -> None:
        async with studio(tmp_path) as server, page(server, open="so101") as one:
            joints = [joint["name"] for joint in one.snapshot["model"]["joints"]]
            pan = joints.index("shoulder_pan")
            q, settings = one.snapshot["q"], {**FAST, "wires": ["feetech"]}
            await one.ask("start_simulation", settings=settings)
            state = await one.wait("simulation", phase="running")
            (wire,) = state["wires"]
            assert wire["word"] == wire["kind"] == "feetech"
            assert "1,000,000 bit/s" in wire["facts"]
            client = await asyncio.to_thread(FeetechClient, wire["endpoint"])
            begin = await asyncio.to_thread(client.position)
            await asyncio.to_thread(client.switch_on)
            await asyncio.to_thread(client.aim, begin + 300)
            # 300 of 4096 steps are 0.46 rad; friction keeps the servo a little short of it
            await one.until(lambda: one.lives and one.lives[-1].q[pan] > q[pan] + 0.4)
            # what went over the wire is shown in words
            await one.until(lambda: bool(one.find("traffic")))
            await one.until(
                lambda: any(
                    "goal position" in packet["words"]
                    for packet in one.find("traffic")[-1]["wires"][0]["last"]
                )
            )
            # a reset puts the arm back; the wire stays, and the command still holds
            await one.ask("start_simulation", settings=settings, q=q, run=False)
            assert one.find("simulation")[-1]["wires"] == [wire]
            await one.until(lambda: one.lives[-1].q[pan] == pytest.approx(q[pan], abs=1e-6))
            assert await asyncio.to_thread(client.position) == pytest.approx(begin, abs=20)
            # what is wrong is refused, and changes nothing
            with pytest.raises(RefusedError, match="did you mean 'feetech'"):
                await one.ask("set_simulation", settings={**FAST, "wires": ["fetech"]})
            with pytest.raises(RefusedError, match="specify the port as a number"):
                bad = {**FAST, "wires": ["feetech", "rosbridge:x"]}
                await one.ask("set_simulation", settings=bad)
            assert await asyncio.to_thread(client.position) == pytest.approx(begin, abs=20)
            client.close()
            await one.ask("set_simulation", settings=FAST)
            assert one.find("simulation")[-1]["wires"] == []
            assert not Path(wire["endpoint"]).exists()

    run(work())


def test_a_robot_with_wires_outlives_its_page(tmp_path: Path) -> None:
    async def work() -> None:
        async with studio(tmp_path) as server:
            async with page(server, open="so101") as one:
                welcome = one.welcome
                await one.ask("start_simulation", settings={"wires": ["ssc32:0"]})
                (wire,) = one.find("simulation")[-1]["wires"]
                assert wire["endpoint"].startswith("127.0.0.1:")
            session = {key: welcome[key] for key in ("session", "secret")}
            async with page(server, **session) as again:
                state = await again.wait("simulation", phase="running")
                assert state["wires"] == [wire] and state["settings"]["wires"] == ["ssc32:0"]
                # a change of the file is a change of the robot: its wires are opened again
                text = again.snapshot["text"].replace("title:", "title: Other", 1)
                assert text != again.snapshot["text"]
                await again.ask("edit_text", text=text)
                await again.wait("notice", level="warning")
                assert "opened again" in again.find("notice")[-1]["message"]
                await again.ask("end_simulation")
                assert again.find("simulation")[-1]["wires"] == []

    run(work())
