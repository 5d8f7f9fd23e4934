"""A session and those in it: changes alone and to their end, the latest pose, who has it."""

from __future__ import annotations

import asyncio
import json
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kinegen.studio.session.files.project import Project
from kinegen.studio.session.room import Client, Room
from kinegen.studio.session.session import Session
from kinegen.studio.wire.frames import is_body, pack_pose, unpack_pose
from tests.support.studio import run


class Socket:
    """Keeps what it is sent."""

    def __init__(self) -> None:
        self.texts: list[dict[str, Any]] = []
        self.poses: list[Any] = []
        self.frames: list[bytes] = []
        """Binary frames of other kinds."""

    async def send_text(self, data: str) -> None:
        self.texts.append(json.loads(data))

    async def send_bytes(self, data: bytes) -> None:
        if is_body(data):
            self.frames.append(data)
        else:
            self.poses.append(unpack_pose(data))


async def enter(room: Room, number: int, *, read_only: bool = False) -> tuple[Client, Socket]:
    client, socket = Client(number), Socket()
    await room.enter(client, read_only=read_only)
    room._tasks.add(asyncio.create_task(client.outbox.run(socket)))
    await settle(lambda: socket.texts)
    socket.texts.clear()
    return client, socket


async def settle(test: Any) -> None:
    async with asyncio.timeout(60):
        while not test():
            await asyncio.sleep(0.001)


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return Session.opened(Project(tmp_path), "library", "four-bar")


def test_a_change_goes_on_though_its_author_is_gone(session: Session) -> None:
    """Otherwise two threads would change the session at once."""

    async def work() -> None:
        room = Room(session)
        begun, go, order = threading.Event(), threading.Event(), []

        def slow() -> None:
            begun.set()
            go.wait(60)
            order.append("slow")

        first = asyncio.create_task(room.change(None, slow))
        await asyncio.to_thread(begun.wait, 60)
        first.cancel()
        with pytest.raises(asyncio.CancelledError):
            await first
        second = asyncio.create_task(room.change(None, lambda: order.append("quick")))
        await asyncio.sleep(0.01)
        assert order == []
        go.set()
        await second
        assert order == ["slow", "quick"]

    run(work())


def test_a_failed_change_notifies_nobody(session: Session) -> None:
    async def work() -> None:
        room = Room(session)
        client, socket = await enter(room, 1)

        def fail() -> None:
            raise ValueError("no")

        with pytest.raises(ValueError, match="no"):
            await room.change(client, fail)
        await asyncio.sleep(0)
        assert socket.texts == []

    run(work())


def test_everybody_gets_the_change_and_others_the_pose(session: Session) -> None:
    async def work() -> None:
        room = Room(session)
        author, own = await enter(room, 1)
        _, other = await enter(room, 2, read_only=True)
        await room.change(author, lambda: session.edit_text(session.present.text + "# x\n"))
        await settle(lambda: own.texts and other.texts)
        assert own.texts[0]["author"] == 1 and own.texts[0]["pose_changed"] is False
        assert other.texts[0]["pose_changed"] is True
        assert own.texts[0]["text"] == other.texts[0]["text"]

    run(work())


def test_a_pose_that_must_be_taken_is_not_lost_when_snapshots_are_coalesced(
    session: Session,
) -> None:
    async def work() -> None:
        room = Room(session)
        client = Client(1)
        await room.enter(client, read_only=False)
        first = asyncio.create_task(client.outbox.run(Socket()))
        await settle(lambda: not len(client.outbox))
        first.cancel()
        q = session.live + [0.05, 0, 0, 0]
        await room.change(client, lambda: session.commit_pose(q.tolist(), "drag"))
        assert session.pose_changed
        await room.change(client, lambda: session.edit_text(session.present.text + "# x\n"))
        assert not session.pose_changed and len(client.outbox) > 0
        socket = Socket()
        task = asyncio.create_task(client.outbox.run(socket))  # type: ignore[arg-type]
        await settle(lambda: any(one["kind"] == "snapshot" for one in socket.texts))
        task.cancel()
        (snapshot,) = [one for one in socket.texts if one["kind"] == "snapshot"]
        assert snapshot["pose_changed"] and snapshot["q"] == session.live.tolist()

    run(work())


def test_the_latest_pose_wins_and_the_sender_hears_nothing(session: Session) -> None:
    async def work() -> None:
        room = Room(session)
        driver, own = await enter(room, 1)
        _, other = await enter(room, 2, read_only=True)
        for n in range(100):
            room.pose(driver, pack_pose(n, session.version, session.live * 0 + n))
        await settle(lambda: other.poses and other.poses[-1].q[0] == 99.0)
        assert len(other.poses) <= 2  # the first at once, then the latest
        assert own.poses == [] and session.live[0] == 99.0
        assert room.driver == 1
        await settle(lambda: any(one["kind"] == "watchers" for one in other.texts))
        room.leave(driver)
        assert room.driver == 0

    run(work())


def test_watchers_and_strangers_do_not_move_it(session: Session) -> None:
    async def work() -> None:
        room = Room(session)
        watcher, own = await enter(room, 1, read_only=True)
        owner, _ = await enter(room, 2)
        before = session.live.copy()
        room.pose(watcher, pack_pose(1, session.version, before + 1))
        room.pose(owner, pack_pose(1, session.version, np.zeros(9)))
        await settle(lambda: watcher.pose is None and owner.pose is None)
        room.pose(owner, b"rubbish")
        await settle(lambda: owner.pose is None)
        assert session.live.tolist() == before.tolist() and own.poses == []

    run(work())


def test_who_is_there_is_counted(session: Session) -> None:
    async def work() -> None:
        room = Room(session)
        assert room.empty_since is not None
        owner, _ = await enter(room, 1)
        watcher, _ = await enter(room, 2, read_only=True)
        assert room.empty_since is None and room.unattended_since is None
        room.leave(owner)
        assert room.empty_since is None and room.unattended_since is not None
        room.leave(watcher)
        assert room.empty_since is not None

    run(work())
