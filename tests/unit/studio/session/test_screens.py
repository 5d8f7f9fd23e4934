"""Screens of a wall get the next moment when all have drawn the last one."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from kinegen.studio.session import screens
from kinegen.studio.session.files.project import Project
from kinegen.studio.session.room import Client, Room
from kinegen.studio.session.session import Session
from kinegen.studio.wire.frames import pack_pose
from kinegen.studio.wire.messages import SetWall
from tests.support.studio import run
from tests.unit.studio.session.test_room import Socket, enter, settle
from tests.unit.studio.session.test_wall import WALL


@pytest.fixture
def session(tmp_path: Path) -> Session:
    session = Session.opened(Project(tmp_path), "library", "four-bar")
    session.edit_structure(SetWall(0, WALL))
    return session


def moments(socket: Socket) -> list[int]:
    return [one["number"] for one in socket.texts if one["kind"] == "wall_moment"]


async def wall(session: Session) -> tuple[Room, Client, list[tuple[Client, Socket]]]:
    """A page that moves the mechanism, and two screens."""
    room = Room(session)
    lead, _ = await enter(room, 1)
    found = [await enter(room, number, read_only=True) for number in (2, 3)]
    for client, socket in found:
        room.screens.drew(client, 0)
        await settle(lambda socket=socket: moments(socket) == [0])
    return room, lead, found


def move(room: Room, lead: Client, crank: float) -> None:
    """A page moves the mechanism, and its pose is passed on at once."""
    q = room.session.live.copy()
    q[0] = crank
    room.pose(lead, pack_pose(1, room.session.version, q))
    room.pass_on()


def cranks(socket: Socket) -> list[float]:
    return [one.q[0] for one in socket.poses]


def test_nobody_gets_the_next_moment_before_all_have_drawn_the_last(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(screens, "PATIENCE", 60.0)

    async def work() -> None:
        room, lead, [(one, left), (two, right)] = await wall(session)
        for crank in (0.1, 0.2, 0.3):
            move(room, lead, crank)
        await settle(lambda: moments(left) == moments(right) == [0, 1])
        room.screens.drew(one, 1)
        await asyncio.sleep(0)
        assert moments(left) == [0, 1] and cranks(left) == [0.1]  # the other one has not
        room.screens.drew(two, 1)
        await settle(lambda: moments(left) == moments(right) == [0, 1, 2])
        # the latest of what came meanwhile, the same for both; its moment follows it
        assert cranks(left) == cranks(right) == [0.1, 0.3]
        # who has gone is not waited for
        room.screens.drew(one, 2)
        room.leave(two)
        move(room, lead, 0.4)
        await settle(lambda: moments(left) == [0, 1, 2, 3])
        assert cranks(left)[-1] == 0.4

    run(work())


def test_a_window_that_draws_nothing_is_left_behind_until_it_draws(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(screens, "PATIENCE", 0.05)

    async def work() -> None:
        room, lead, [(one, left), (two, right)] = await wall(session)

        def behind() -> list[int]:
            return [m["behind"] for m in left.texts if m["kind"] == "wall_moment"]

        move(room, lead, 0.1)
        await settle(lambda: moments(left) == [0, 1])
        room.screens.drew(one, 1)
        move(room, lead, 0.2)
        await settle(lambda: moments(left) == [0, 1, 2])  # after the patience
        assert behind() == [0, 0, 1]
        room.screens.drew(one, 2)
        move(room, lead, 0.3)
        await settle(lambda: moments(left) == [0, 1, 2, 3])
        # it gets all of it, and is waited for again once it has drawn the latest
        await settle(lambda: moments(right)[-1] == 3)
        room.screens.drew(one, 3)
        room.screens.drew(two, 3)
        move(room, lead, 0.4)
        await settle(lambda: moments(left) == [0, 1, 2, 3, 4])
        assert behind()[-1] == 0

    run(work())


def test_a_change_of_the_mechanism_comes_after_what_came_before(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(screens, "PATIENCE", 60.0)

    async def work() -> None:
        room, lead, [(_, left), _other] = await wall(session)
        order: list[Any] = []
        keep, text = left.send_bytes, left.send_text

        async def send_bytes(data: bytes) -> None:
            await keep(data)
            order.append(left.poses[-1].q[0])

        async def send_text(data: str) -> None:
            await text(data)
            order.append(left.texts[-1]["kind"])

        monkeypatch.setattr(left, "send_bytes", send_bytes)
        monkeypatch.setattr(left, "send_text", send_text)
        move(room, lead, 0.1)
        move(room, lead, 0.2)  # nobody has drawn the moment before
        q = room.session.live.tolist()
        await room.change(lead, lambda: room.session.commit_pose(q, "Move"))
        await settle(lambda: "snapshot" in order)
        assert order[: order.index("snapshot")].count("wall_moment") == 2
        assert order.index(0.2) < order.index("snapshot")

    run(work())
