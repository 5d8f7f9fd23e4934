"""A studio in a thread, with pages without a browser, for programs under test."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Coroutine
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, TypeVar

from kinegen.studio.server.serve import Running
from tests.support.studio import HANG, Page, page, studio

T = TypeVar("T")


class StudioThread:
    """Runs while the block lasts; coroutines of pages run in its event loop."""

    def __init__(self, folder: Path, **settings: Any) -> None:
        self._folder = folder
        self._settings = settings
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._exits = AsyncExitStack()
        self.running: Running

    def __enter__(self) -> StudioThread:
        self._thread.start()
        assert self._ready.wait(HANG)
        self.do(self._start())
        return self

    def __exit__(self, *_: object) -> None:
        self.do(self._exits.aclose())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(HANG)
        self._loop.close()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.call_soon(self._ready.set)
        self._loop.run_forever()

    async def _start(self) -> None:
        self.running = await self._exits.enter_async_context(studio(self._folder, **self._settings))

    @property
    def link(self) -> str:
        """What a studio prints."""
        return self.running.link

    def do(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine in the studio's loop."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(HANG)

    def page(self, **hello: Any) -> FakePage:
        """A page in a session of its own, or in one that is named."""
        context = page(self.running, **hello)
        return FakePage(self, self.do(self._exits.enter_async_context(context)))

    def page_of(self, session: str) -> FakePage:
        """A page of a session, with all rights."""
        room = self.running.hub.rooms[session]
        return self.page(session=session, secret=room.session.secret)


class FakePage:
    """What a page does, for tests that are not coroutines."""

    def __init__(self, studio: StudioThread, one: Page) -> None:
        self._studio = studio
        self.one = one

    @property
    def session(self) -> str:
        return str(self.one.welcome["session"])

    def send(self, kind: str, **fields: Any) -> None:
        self._studio.do(self.one.send(kind, **fields))

    def ask(self, kind: str, **fields: Any) -> Any:
        return self._studio.do(self.one.ask(kind, **fields))

    def pose(self, q: Any) -> None:
        self._studio.do(self.one.pose(q))

    def wait(self, kind: str, **fields: Any) -> dict[str, Any]:
        return self._studio.do(self.one.wait(kind, **fields))

    def until(self, test: Callable[[], Any]) -> Any:
        return self._studio.do(self.one.until(test))

    def leave(self) -> None:
        self._studio.do(self.one.leave())


def until(test: Callable[[], Any], what: str = "it") -> Any:
    """Wait until something is so."""
    end = time.monotonic() + HANG
    while not (found := test()):
        assert time.monotonic() < end, f"{what} never came true"
        time.sleep(0.002)
    return found
