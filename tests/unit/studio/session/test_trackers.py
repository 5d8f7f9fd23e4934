"""Trackers of a file: packets come by UDP, the page that switched one on gets the latest pose."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Any

import pytest

from kinegen.errors import UsageError
from kinegen.studio.session import trackers
from kinegen.studio.session.files.project import Project
from kinegen.studio.session.room import Client, Room
from kinegen.studio.session.session import Session
from kinegen.studio.wire.messages import SwitchTracker
from tests.support.studio import run
from tests.unit.studio.session.test_room import Socket, enter, settle

TEXT = """raff: 1
name: tracked
joints: [{name: A, parent: base, shape: {box: [0.1, 0.1, 0.1]}}]
frames: [{name: tool, parent: A}]
devices:
  - {name: puck, type: tracker, port: "0", moves: tool}
  - {name: far, type: tracker, port: "192.168.1.7:5005", moves: tool}
  - {name: bare, type: tracker, moves: tool}
"""


@pytest.fixture
def session(tmp_path: Path) -> Session:
    (tmp_path / "tracked.raff").write_text(TEXT)
    return Session.opened(Project(tmp_path), "file", "tracked.raff")


def states(heard: Socket, name: str = "puck") -> list[dict[str, Any]]:
    return [one for one in heard.texts if one["kind"] == "tracker" and one["name"] == name]


def poses(heard: Socket) -> list[list[float]]:
    return [one["pose"] for one in states(heard) if one["pose"] is not None]


async def on(room: Room, client: Client, name: str = "puck", value: bool = True) -> None:
    await room.trackers.switch(client, SwitchTracker(1, name, value))


def test_the_latest_pose_goes_to_the_page_until_the_tracker_is_silent_or_off(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trackers, "SILENCE", 0.1)

    async def work() -> None:
        room = Room(session)
        client, heard = await enter(room, 1)
        other, second = await enter(room, 2)
        await on(room, client)
        await settle(lambda: states(heard))
        first = states(heard)[-1]
        assert first["pose"] is None and first["trouble"] == "no packets yet"
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
            sender.connect(("127.0.0.1", first["port"]))
            for x in range(50):  # faster than they are passed on
                sender.send(b"%g 0.2 1.5 0 0 0.5" % (0.01 * x))
            await settle(lambda: any(pose[4] == 0.49 for pose in poses(heard)))
            assert len(poses(heard)) < 40
            assert poses(heard)[-1][:4] == pytest.approx((0.968912, 0, 0, 0.247404), abs=1e-6)
            # silent: what it moves is let go
            await settle(lambda: states(heard)[-1]["pose"] is None)
            assert states(heard)[-1]["trouble"] == "no packets any more"
            sender.send(b"nonsense")
            await settle(lambda: "the text 'x y z'" in states(heard)[-1]["trouble"])
            sender.send(b"1 2 3")
            await settle(lambda: [1, 0, 0, 0, 1, 2, 3] in poses(heard))
        # one page at a time moves its frame
        with pytest.raises(UsageError, match="already moves the mechanism in another page"):
            await on(room, other)
        await on(room, client, value=False)
        await settle(lambda: states(heard)[-1]["port"] == 0)
        await on(room, other)
        await settle(lambda: states(second))
        room.leave(other)
        await on(room, client)
        await settle(lambda: states(heard)[-1]["port"] > 0)
        room.trackers.close()

    run(work())


def test_what_cannot_be_listened_to_is_refused_in_words(session: Session) -> None:
    async def work() -> None:
        room = Room(session)
        client, _ = await enter(room, 1)
        for name, message in [
            ("nobody", "no tracker 'nobody' with a port; such trackers: puck, far"),
            ("bare", "no tracker 'bare' with a port"),
            ("far", "its own computer only; use 127.0.0.1:5005"),
        ]:
            with pytest.raises(UsageError, match=message):
                await on(room, client, name)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
            taken.bind(("127.0.0.1", 0))
            port = taken.getsockname()[1]
            text = TEXT.replace('port: "0"', f'port: "{port}"')
            await room.change(client, lambda: session.edit_text(text))
            with pytest.raises(UsageError, match=f"cannot listen on 127.0.0.1:{port}: "):
                await on(room, client)

    run(work())


def test_a_tracker_that_the_file_no_longer_declares_is_off(session: Session) -> None:
    async def work() -> None:
        room = Room(session)
        client, heard = await enter(room, 1)
        await on(room, client)
        await settle(lambda: states(heard))
        await room.change(client, lambda: session.edit_text(TEXT.replace("0.1, 0.1]", "0.1, 0.2]")))
        assert room.trackers._open.keys() == {"puck"}  # whatever else changes
        text = TEXT.replace('name: puck, type: tracker, port: "0"', "name: puck, type: tracker")
        await room.change(client, lambda: session.edit_text(text))
        await settle(lambda: states(heard)[-1]["port"] == 0)
        assert not room.trackers._open

    run(work())
