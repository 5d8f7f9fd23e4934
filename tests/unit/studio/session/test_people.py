"""People of a session: who sees whom, what is refused, how often it is passed on."""

from __future__ import annotations

import asyncio
import dataclasses
from pathlib import Path

import numpy as np
import pytest

from kinegen.studio.session import people
from kinegen.studio.session.files.project import Project
from kinegen.studio.session.room import Client, Room
from kinegen.studio.session.session import Session
from kinegen.studio.wire.codec import WireError
from kinegen.studio.wire.frames import BodyFrame, is_body, no_body, pack_body, unpack_body
from kinegen.studio.wire.messages import PersonGone, PersonHand, PersonPose, PersonSeen
from tests.support.studio import run
from tests.unit.studio.session.test_room import Socket, enter, settle

HEAD = (1.0, 0.0, 0.0, 0.0, 0.5, -1.0, 1.6)
HAND = PersonHand("right", "hand", (0.0, 2**0.5 / 2, 2**0.5 / 2, 0.0, 0.6, -0.8, 1.2), "stop", "")
PERSON = PersonPose("Ada", HEAD, [HAND], 1.0, True)


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return Session.opened(Project(tmp_path), "library", "four-bar")


def seen(socket: Socket, client: int) -> list[dict[str, object]]:
    return [
        one["person"]
        for one in socket.texts
        if one["kind"] == "person_seen" and one["client"] == client
    ]


def test_people_see_each_other_until_they_leave(session: Session) -> None:
    async def work() -> None:
        room = Room(session)
        ada, own = await enter(room, 1)
        guest, other = await enter(room, 2, read_only=True)
        room.people.take(ada, PERSON)
        room.people.take(guest, dataclasses.replace(PERSON, name=" \n", hands=[], headset=False))
        await settle(lambda: seen(other, 1) and seen(own, 2))
        assert seen(other, 1)[0]["name"] == "Ada" and seen(other, 1)[0]["head"] == list(HEAD)
        assert seen(other, 1)[0]["hands"][0]["gesture"] == "stop"  # type: ignore[index]
        assert seen(own, 2)[0]["name"] == "Guest 2"
        assert not seen(own, 1) and not seen(other, 2)  # nobody sees their own head
        colors = {one["color"] for one in own.texts + other.texts if one["kind"] == "person_seen"}
        assert len(colors) == 2
        # whoever comes later sees both, and a person who leaves is removed
        late, third = Client(3), Socket()
        await room.enter(late, read_only=True)
        room._tasks.add(asyncio.create_task(late.outbox.run(third)))
        await settle(lambda: seen(third, 1) and seen(third, 2))
        room.people.take(ada, dataclasses.replace(PERSON, scale=2.0))  # waits for its turn
        room.leave(ada)
        gone = {"kind": "person_gone", "client": 1}
        await settle(lambda: gone in third.texts and gone in other.texts)
        await asyncio.sleep(2 * people.RELAY)
        assert third.texts.index(gone) > max(
            i for i, one in enumerate(third.texts) if one.get("client") == 1 and one != gone
        )
        assert len(room.people) == 1

    run(work())


def test_a_flood_is_thinned_and_the_last_pose_arrives(session: Session) -> None:
    async def work() -> None:
        room = Room(session)
        ada, _ = await enter(room, 1)
        _, other = await enter(room, 2)
        for count in range(500):
            place = (*HEAD[:4], float(count), 0.0, 0.0)
            room.people.take(ada, dataclasses.replace(PERSON, head=place))
        await settle(lambda: seen(other, 1) and seen(other, 1)[-1]["head"][4] == 499)  # type: ignore[index]
        assert len(seen(other, 1)) == 2  # the first at once, the last at its turn

    run(work())


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"head": (0.0,) * 7}, "head's quaternion must have length 1, got 0"),
        ({"head": (1.0, 0.0, 0.0, 0.0, float("nan"), 0.0, 0.0)}, "head must be within 1e.06 m"),
        ({"head": (1.0, 0.0, 0.0, 0.0, 1e300, 0.0, 0.0)}, "head must be within 1e.06 m"),
        ({"hands": [HAND, HAND]}, "one right hand, got 2"),
    ],
)
def test_what_is_no_person_is_refused(
    session: Session, change: dict[str, object], words: str
) -> None:
    async def work() -> None:
        room = Room(session)
        ada, _ = await enter(room, 1)
        with pytest.raises(WireError, match=words):
            room.people.take(ada, dataclasses.replace(PERSON, **change))  # type: ignore[arg-type]
        assert len(room.people) == 0

    run(work())


def bodies(socket: Socket, client: int) -> list[BodyFrame]:
    found = [unpack_body(one) for one in socket.frames if is_body(one)]
    return [one for one in found if one.client == client]


def ball(size: float = 1.0) -> bytes:
    """The frame of a tetrahedron, as a page sends it."""
    vertices = size * np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]])
    triangles = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]], dtype=np.int32)
    return pack_body(BodyFrame(0, vertices, triangles, np.full((4, 3), 90, dtype=np.uint8)))


def test_bodies_are_seen_by_others_until_they_end(session: Session) -> None:
    async def work() -> None:
        room = Room(session)
        ada, own = await enter(room, 1)
        guest, other = await enter(room, 2, read_only=True)
        room.people.take_body(ada, ball())
        room.people.take_body(guest, ball(3.0))  # being seen changes nothing: guests may
        await settle(lambda: bodies(other, 1) and bodies(own, 2))
        assert np.abs(bodies(own, 2)[0].vertices).max() == pytest.approx(3, abs=1e-4)
        assert not bodies(own, 1) and not bodies(other, 2)
        # whoever comes later sees them, and what a robot's cameras could see is known
        late, third = Client(3), Socket()
        await room.enter(late, read_only=True)
        room._tasks.add(asyncio.create_task(late.outbox.run(third)))
        await settle(lambda: bodies(third, 1) and bodies(third, 2))
        assert sorted(room.people.bodies) == [1, 2]
        assert len(room.people.bodies[1].triangles) == 4
        # it ends when its page says so, or leaves
        room.people.take_body(ada, pack_body(no_body(0)))
        await settle(lambda: len(bodies(third, 1)[-1].triangles) == 0)
        room.leave(guest)
        assert not room.people.bodies

    run(work())


def test_bodies_are_passed_on_at_a_modest_rate_and_the_latest_counts(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(people, "BODY_RELAY", 0.05)

    async def work() -> None:
        room = Room(session)
        ada, _ = await enter(room, 1)
        _, other = await enter(room, 2)
        for size in range(1, 101):
            room.people.take_body(ada, ball(size))
        await settle(lambda: bodies(other, 1) and bodies(other, 1)[-1].vertices.max() > 99)
        assert len(bodies(other, 1)) == 2

    run(work())


def test_a_program_has_no_body_and_nonsense_is_refused(session: Session) -> None:
    async def work() -> None:
        room = Room(session)
        ada, _ = await enter(room, 1)
        with pytest.raises(WireError, match="has 100 bytes, got 99"):
            room.people.take_body(ada, ball()[:-1])
        assert not room.people.bodies
        program, _ = await enter(room, 2)
        program.program = object()  # type: ignore[assignment]
        with pytest.raises(WireError, match="a program has no body"):
            room.people.take_body(program, ball())

    run(work())


def test_those_who_only_watch_have_no_body_in_a_world(session: Session) -> None:
    async def work() -> None:
        room = Room(session)
        ada, _ = await enter(room, 1)
        guest, _ = await enter(room, 2, read_only=True)
        present = dataclasses.replace(PERSON, present=True)
        room.people.take(ada, PERSON)
        room.people.take(guest, present)
        assert room.people.present() == []
        room.people.take(ada, present)
        assert [one.client for one in room.people.present()] == [1]
        room.leave(ada)
        assert room.people.present() == []

    run(work())


def test_somebody_whom_cameras_see_is_in_a_world_that_runs(session: Session) -> None:
    async def work() -> None:
        room = Room(session)
        said: list[object] = []
        monkeypatch = pytest.MonkeyPatch()
        monkeypatch.setattr(room.live, "person", said.append)
        monkeypatch.setattr(room.live, "mesh", lambda n, frame: said.append((n, len(frame))))
        ada, _ = await enter(room, 1)
        guest, other = await enter(room, 2, read_only=True)
        room.people.take(ada, PERSON)  # at the page, without a headset
        await settle(lambda: seen(other, 1))
        assert said == []
        room.people.take_body(ada, ball())
        await settle(lambda: len(said) == 2)
        assert said[0] == (1, len(ball()))
        assert isinstance(said[1], PersonSeen) and said[1].client == 1
        assert [one.client for one in room.people.present()] == [1]
        assert room.people.meshes.keys() == {1}
        # view-only guests are seen by others, and change nothing
        room.people.take(guest, PERSON)
        room.people.take_body(guest, ball())
        await settle(lambda: sum(map(is_body, other.frames)) >= 1)
        assert room.people.bodies.keys() == {1, 2} and room.people.meshes.keys() == {1}
        assert len(said) == 2
        # without cameras, nobody is there any more
        room.people.take_body(ada, pack_body(no_body(0)))
        await settle(lambda: len(said) == 4)
        assert said[2] == (1, 0) and isinstance(said[3], PersonGone)
        assert room.people.present() == []
        # who wears a headset stays, with head and hands
        room.people.take(ada, dataclasses.replace(PERSON, present=True))
        room.people.take_body(ada, ball())
        room.people.take_body(ada, pack_body(no_body(0)))
        await settle(lambda: (1, 0) in said[4:])
        assert not any(isinstance(one, PersonGone) for one in said[4:])
        monkeypatch.undo()

    run(work())
