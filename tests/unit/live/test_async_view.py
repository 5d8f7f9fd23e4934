"""The asyncio form: awaited requests, coroutine functions as callbacks."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest

from kinegen.errors import RaffError
from kinegen.live import AsyncView, Drag
from tests.support.live import StudioThread


def test_the_asyncio_form(served: StudioThread) -> None:
    page = served.page(open="four-bar")
    link = served.link

    async def program() -> None:
        async with await AsyncView.connect(link, session=page.session, name="async.py") as view:
            heard: asyncio.Queue[Drag] = asyncio.Queue()

            @view.on_drag
            async def react(drag: Drag) -> None:
                await asyncio.sleep(0)
                heard.put_nowait(drag)

            view.q = {"crank": 1.25}
            assert view.q[0] == 1.25
            await view.set_parameters({"crank": 0.11})
            assert view.parameters["crank"] == pytest.approx(0.11)
            with pytest.raises(RaffError):
                await view.set_text("raff: 1\njoints: 5\n")
            await view.undo()
            waiting = asyncio.create_task(view.wait_for_drag())
            drags = view.drags()
            first = asyncio.create_task(anext(drags))
            await asyncio.sleep(0.01)
            await asyncio.to_thread(person)
            drag = await asyncio.wait_for(waiting, 60)
            assert drag.phase == "end" and np.allclose(drag.q, view.q)
            assert (await asyncio.wait_for(heard.get(), 60)).phase == "start"
            assert (await asyncio.wait_for(first, 60)).phase == "start"
            await drags.aclose()

    def person() -> None:
        page.send("hand", active=True, sites=["handle"])
        page.send("hand", active=False, sites=[])

    asyncio.run(program())
    page.leave()
