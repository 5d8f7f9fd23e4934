"""Processes that wait for simulations: bounded, used once, replaced, and ended."""

from __future__ import annotations

import asyncio
from pathlib import Path

from kinegen.studio.live.spares import MOST, Spares
from tests.support.studio import page, run, studio


async def _until(spares: Spares, count: int) -> None:
    async with asyncio.timeout(60):
        while spares.count != count:
            await asyncio.sleep(0.01)


def test_they_are_kept_taken_and_replaced() -> None:
    async def work() -> None:
        spares = Spares(grace=0.0)
        spares.keep(100)
        await _until(spares, MOST)
        waiting = set(spares._ready)
        first = await spares.take()
        assert first in waiting and first.returncode is None
        await _until(spares, MOST)
        # one that died while it waited is not given away
        dead = spares._ready[0]
        dead.kill()
        await dead.wait()
        second = await spares.take()
        assert second is not dead and second.returncode is None
        spares.keep(0)
        await _until(spares, 0)
        third = await spares.take()  # without spares a new one is started
        assert third.returncode is None and third not in waiting
        for process in (first, second, third):
            process.kill()
            await process.wait()
        await spares.close()

    run(work())


def test_a_page_has_one_ready_and_a_simulation_takes_it(tmp_path: Path) -> None:
    async def work() -> None:
        async with studio(tmp_path, warm=True) as server:
            async with page(server, open="five-bar") as one:
                spares = server.hub.spares
                await _until(spares, 1)
                ready = spares._ready[0]
                await one.ask("start_simulation", settings={}, run=False)
                (room,) = server.hub.rooms.values()
                assert room.live._process is ready
                await _until(spares, 1)
                kept = spares._ready[0]
            async with page(server, open="five-bar"):
                # a page that is loaded again finds the one that waited for it
                await _until(spares, 1)
                assert spares._ready == [kept]
            spares.grace = 0.0
            await _until(spares, 0)

    run(work())
