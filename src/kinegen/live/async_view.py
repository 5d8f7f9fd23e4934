"""The asyncio form of a view: waiting calls are awaited, callbacks may be coroutine functions."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Mapping
from typing import Any

import numpy.typing as npt

from kinegen.live.core import Core, Drag
from kinegen.live.motions import motion_data
from kinegen.live.requests import Requests
from kinegen.live.showing import Showing
from kinegen.live.start import Source, join, shown
from kinegen.mechanism.any_model import AnyModel

__all__ = ["AsyncView"]


class AsyncView(Showing):
    """A program's view of a session. Callbacks run in the event loop in which it was created."""

    def __init__(self, core: Core) -> None:
        super().__init__(core)
        self._requests = Requests(core)

    async def __aenter__(self) -> AsyncView:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Leave the session; the page stays open."""
        await asyncio.to_thread(self._core.close)

    @property
    def text(self) -> str:
        """The RAFF text of the mechanism."""
        return self._core.shared.text

    async def set_text(self, text: str) -> None:
        """Change the text, as one undo step; RaffError if it has problems."""
        await asyncio.wrap_future(self._requests.set_text(text))

    @property
    def parameters(self) -> Mapping[str, float]:
        """The current parameters of the mechanism by name [SI]."""
        return self._core.shared.parameters

    async def set_parameters(self, values: Mapping[str, float | str]) -> None:
        """Change parameters, as one undo step: numbers [SI] or formulas."""
        await asyncio.wrap_future(self._requests.set_parameters(values))

    async def undo(self) -> None:
        """Undo the last step of the session, no matter who made it."""
        await asyncio.wrap_future(self._requests.undo())

    async def redo(self) -> None:
        """Redo the last step that was undone."""
        await asyncio.wrap_future(self._requests.redo())

    async def save(self, file: str) -> None:
        """Write the text to a file of the studio's project folder."""
        await asyncio.wrap_future(self._requests.save(file))

    async def play(
        self,
        motion: Any,
        *,
        times: npt.ArrayLike | None = None,
        rate: float = 1.0,
        loop: bool = False,
        wait: bool = False,
    ) -> None:
        """Play a motion in the page; the arguments are those of :meth:`View.play`."""
        before = self._core.plays
        data = motion_data(self._core.shared, motion, times)
        await asyncio.wrap_future(self._requests.play(data, rate, loop))
        while wait and self._core.plays == before and self.state != "closed":
            await asyncio.sleep(0.02)

    async def screenshot(self, width: int = 0, height: int = 0) -> bytes:
        """A picture of the page that was used last, as PNG."""
        return await asyncio.wrap_future(self._requests.screenshot(width, height))

    async def wait_for_drag(self) -> Drag:
        """Wait until a person has dragged the mechanism and let go; returns the end of the drag."""
        return await asyncio.wrap_future(self._core.next_drag("end"))

    async def drags(self) -> AsyncIterator[Drag]:
        """Every start, move and end of every drag; moves that come too fast are merged."""
        news: asyncio.Queue[Drag] = asyncio.Queue()
        latest: list[Drag] = []

        async def take(drag: Drag) -> None:
            if drag.phase == "move" and latest and latest[-1].phase == "move":
                latest[-1] = drag
                return
            latest.append(drag)
            news.put_nowait(drag)

        self.on_drag(take)
        while True:
            await news.get()
            yield latest.pop(0)

    @staticmethod
    async def show(
        source: AnyModel | Source,
        *,
        browser: bool | None = None,
        folder: str | os.PathLike[str] | None = None,
        name: str | None = None,
    ) -> AsyncView:
        """Show a mechanism in a studio; the arguments are those of :func:`kinegen.show`."""
        loop = asyncio.get_running_loop()
        core = await asyncio.to_thread(
            shown, source, browser=browser, folder=folder, name=name, loop=loop
        )
        return AsyncView(core)

    @staticmethod
    async def connect(
        link: str,
        *,
        session: str | None = None,
        name: str | None = None,
        folder: str | os.PathLike[str] | None = None,
        fingerprint: str | None = None,
        patience: float = 30.0,
    ) -> AsyncView:
        """Join a running studio; the arguments are those of :func:`kinegen.connect`."""
        loop = asyncio.get_running_loop()
        core = await asyncio.to_thread(
            join, link, session=session, name=name, folder=folder, fingerprint=fingerprint,
            patience=patience, loop=loop,
        )  # fmt: skip
        return AsyncView(core)
