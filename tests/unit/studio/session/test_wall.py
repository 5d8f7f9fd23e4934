"""A wall of screens in a session: room and head, the state for latecomers, refusals."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from kinegen.studio.session import wall
from kinegen.studio.session.files.project import Project
from kinegen.studio.session.room import Client, Room
from kinegen.studio.session.session import Session
from kinegen.studio.wire.codec import WireError
from kinegen.studio.wire.messages import HeadPose, PlaceWall, SetWall
from tests.support.studio import run
from tests.unit.studio.session.test_room import Socket, enter, settle

SCREEN = {
    "name": "left", "lower_left": [-1.0, 2.0, 0.0], "lower_right": [1.0, 2.0, 0.0],
    "upper_left": [-1.0, 2.0, 1.5],
}  # fmt: skip
WALL = {"screens": [SCREEN], "eye": [0.0, 0.0, 1.6]}
AT = (1.0, 0.0, 0.0, 0.0, 0.5, -1.0, 0.2)
HEAD = (1.0, 0.0, 0.0, 0.0, 0.1, 0.0, 1.7)


@pytest.fixture
def session(tmp_path: Path) -> Session:
    session = Session.opened(Project(tmp_path), "library", "four-bar")
    session.edit_structure(SetWall(0, WALL))
    return session


def states(socket: Socket) -> list[dict[str, object]]:
    return [one for one in socket.texts if one["kind"] == "wall_state"]


def test_all_screens_get_room_and_head_also_those_that_come_later(session: Session) -> None:
    async def work() -> None:
        room = Room(session)
        lead, own = await enter(room, 1)
        _, other = await enter(room, 2, read_only=True)
        room.wall.place(lead, PlaceWall(AT, 0.25))
        room.wall.head(lead, HeadPose(HEAD, "camera 0"))
        await settle(lambda: states(other) and states(other)[-1]["head"])
        last = states(other)[-1]
        assert (last["at"], last["scale"], last["lead"]) == (list(AT), 0.25, 1)
        assert (last["head"], last["source"]) == (list(HEAD), "camera 0")
        await settle(lambda: states(own) and states(own)[-1] == last)
        late, third = Client(3), Socket()
        await room.enter(late, read_only=True)
        room._tasks.add(asyncio.create_task(late.outbox.run(third)))
        await settle(lambda: states(third))
        assert states(third) == [last]
        # nobody leads or tracks who has left; the room stays where it is
        room.leave(lead)
        await settle(lambda: states(third)[-1]["lead"] == 0)
        gone = states(third)[-1]
        assert (gone["at"], gone["head"], gone["source"]) == (list(AT), None, "")

    run(work())


def test_a_flood_is_thinned_and_the_last_state_arrives(session: Session) -> None:
    async def work() -> None:
        room = Room(session)
        lead, _ = await enter(room, 1)
        _, other = await enter(room, 2)
        for count in range(300):
            room.wall.place(lead, PlaceWall((*AT[:4], float(count), 0.0, 0.0), 1.0))
        await settle(lambda: states(other) and states(other)[-1]["at"][4] == 299)  # type: ignore[index]
        assert len(states(other)) <= 2
        assert states(other)[-1]["number"] == 300
        await asyncio.sleep(2 * wall.RELAY)
        assert len(states(other)) <= 2

    run(work())


def test_the_last_tracker_counts_until_it_lets_go(session: Session) -> None:
    async def work() -> None:
        room = Room(session)
        one, _ = await enter(room, 1)
        two, _ = await enter(room, 2)
        room.wall.head(one, HeadPose(HEAD, "camera 0"))
        room.wall.head(two, HeadPose((*HEAD[:4], 1.0, 0.0, 1.7), "camera 1"))
        room.wall.head(one, HeadPose(None, "camera 0"))  # it has been replaced
        assert room.wall.state.source == "camera 1"
        room.wall.head(two, HeadPose(None, "camera 1"))
        assert room.wall.state.head is None

    run(work())


def test_a_wall_that_the_file_places_elsewhere_is_there(session: Session) -> None:
    async def work() -> None:
        room = Room(session)
        lead, _ = await enter(room, 1)
        room.wall.place(lead, PlaceWall(AT, 0.25))
        moved = {**WALL, "at": {"xyz": [0.0, 0.0, 2.0]}, "scale": 3.0}
        await room.change(lead, lambda: session.edit_structure(SetWall(1, moved)))
        assert room.wall.state.at is None
        assert session.work.wall is not None and session.work.wall.scale == 3.0
        # other changes leave the room where it was led
        room.wall.place(lead, PlaceWall(AT, 0.25))
        await room.change(lead, lambda: session.set_numbers([(None, "crank", 0.16)]))
        assert room.wall.state.at == AT
        await room.change(lead, lambda: session.edit_structure(SetWall(2, None)))
        with pytest.raises(WireError, match="declares none"):
            room.wall.place(lead, PlaceWall(AT, 1.0))

    run(work())


def test_what_is_no_pose_is_refused(session: Session) -> None:
    async def work() -> None:
        room = Room(session)
        lead, _ = await enter(room, 1)
        with pytest.raises(WireError, match="room's quaternion"):
            room.wall.place(lead, PlaceWall((0.0,) * 7, 1.0))
        with pytest.raises(WireError, match="head must be within"):
            room.wall.head(lead, HeadPose((1.0, 0.0, 0.0, 0.0, 1e9, 0.0, 0.0), "camera 0"))
        assert room.wall.state.number == 0

    run(work())
