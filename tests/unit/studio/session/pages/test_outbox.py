"""What waits to be sent: events in order, snapshots in their latest form."""

from __future__ import annotations

import asyncio
import json

from kinegen.studio.session.pages import outbox as module
from kinegen.studio.session.pages.outbox import Outbox
from kinegen.studio.wire.messages import Done, Notice, Progress, Watchers
from tests.support.studio import run


class Socket:
    """Keeps what it is sent; reads only while it is open."""

    def __init__(self) -> None:
        self.sent: list[object] = []
        self.open = asyncio.Event()
        self.open.set()

    async def send_text(self, data: str) -> None:
        await self.open.wait()
        self.sent.append(json.loads(data))

    async def send_bytes(self, data: bytes) -> None:
        await self.open.wait()
        self.sent.append(data)


async def drain(outbox: Outbox, socket: Socket) -> None:
    task = asyncio.create_task(outbox.run(socket))
    while len(outbox):
        await asyncio.sleep(0)
    for _ in range(3):
        await asyncio.sleep(0)
    task.cancel()


def test_snapshots_are_replaced_in_their_place() -> None:
    async def work() -> None:
        outbox, socket = Outbox(), Socket()
        outbox.put(Watchers(1, 0))
        outbox.put(Done(1, None))
        outbox.put(Watchers(2, 0))
        outbox.put(Done(2, None))
        outbox.put(Progress(5, "a", None), key="5")
        outbox.put(Progress(6, "b", None), key="6")
        outbox.put(Progress(5, "c", None), key="5")
        await drain(outbox, socket)
        kinds = [(one["kind"], one.get("count") or one.get("label")) for one in socket.sent]  # type: ignore[attr-defined]
        assert kinds == [
            ("watchers", 2), ("done", None), ("done", None), ("progress", "c"), ("progress", "b"),
        ]  # fmt: skip

    run(work())


def test_poses_wait_in_their_latest_form_only() -> None:
    async def work() -> None:
        outbox, socket = Outbox(), Socket()
        for n in range(1000):
            outbox.put_latest("pose", bytes([n % 256]))
        assert len(outbox) == 1 and outbox.waits("pose")
        await drain(outbox, socket)
        assert socket.sent == [bytes([999 % 256])]
        outbox.put_latest("pose", b"next")
        await drain(outbox, socket)
        assert socket.sent[-1] == b"next"

    run(work())


def test_events_are_never_lost_until_there_are_too_many() -> None:
    async def work() -> None:
        outbox, socket = Outbox(), Socket()
        for n in range(module.MOST_WAITING):
            outbox.put(Notice("info", str(n)))
        assert not outbox.overflowed
        outbox.put(Notice("info", "more"))
        assert outbox.overflowed
        # a page that does not read is given up: the sender ends
        await asyncio.wait_for(outbox.run(socket), 60)

    run(work())


def test_what_comes_while_sending_is_sent_too() -> None:
    async def work() -> None:
        outbox, socket = Outbox(), Socket()
        task = asyncio.create_task(outbox.run(socket))
        for n in range(20):
            outbox.put(Notice("info", str(n)))
            await asyncio.sleep(0)
        while len(socket.sent) < 20:
            await asyncio.sleep(0)
        task.cancel()
        assert [one["message"] for one in socket.sent] == [str(n) for n in range(20)]  # type: ignore[index]

    run(work())


def test_pieces_wait_for_a_page_that_reads_slowly() -> None:
    async def work() -> None:
        outbox, socket = Outbox(), Socket()
        socket.open.clear()
        task = asyncio.create_task(outbox.run(socket))
        put = 0

        async def fill() -> None:
            nonlocal put
            for n in range(100):
                await outbox.put_when_read(bytes([n]))
                put += 1

        filling = asyncio.create_task(fill())
        for _ in range(300):
            await asyncio.sleep(0)
        assert module.FEW <= put <= module.FEW + 2
        socket.open.set()
        await filling
        while len(outbox):
            await asyncio.sleep(0)
        task.cancel()
        assert b"".join(socket.sent) == bytes(range(100))  # type: ignore[arg-type]

    run(work())
