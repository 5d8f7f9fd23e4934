"""A studio and its pages over real sockets."""

from __future__ import annotations

import asyncio
import json
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kinegen as kg
from kinegen.studio.session.pages import connection as module
from kinegen.studio.wire.typescript import schema_hash
from tests.support.studio import HANG, RefusedError, page, run, studio

FIVE_BAR = """\
raff: 1
name: mine
parameters: {link: 100 mm}
joints:
  - {name: A, parent: base, start: 120 deg, motor: true}
  - {name: B, parent: A, d: link, start: -80 deg}
  - {name: C, parent: base, d: link, start: 60 deg, motor: true}
  - {name: D, parent: C, d: link, start: 60 deg}
  - {name: E, parent: B, d: 1.5*link, closes: {onto: D, d: 1.5*link}}
"""


def gap(text: str, q: list[float]) -> float:
    return kg.kinematics.loop_gap(kg.load(text).compile(), np.array(q)).distance


def test_a_page_is_welcomed_with_the_mechanism(tmp_path: Path) -> None:
    async def work() -> None:
        async with studio(tmp_path) as running, page(running) as one:
            welcome, snapshot = one.welcome, one.snapshot
            assert welcome["schema"] == schema_hash()
            assert not welcome["read_only"] and welcome["secret"]
            assert {"stewart", "four-bar"} <= {entry["name"] for entry in welcome["library"]}
            assert snapshot["model"]["name"] == "four-bar"
            assert snapshot["pose_changed"] and snapshot["undo"] is None
            assert gap(snapshot["text"], snapshot["q"]) < 1e-9

    run(work())


def test_open_edit_and_undo(tmp_path: Path) -> None:
    async def work() -> None:
        async with studio(tmp_path) as running, page(running) as one:
            await one.ask("open_text", text=FIVE_BAR)
            assert one.snapshot["model"]["name"] == "mine"
            await one.ask("edit_text", text=FIVE_BAR.replace("100 mm", "120 mm"))
            assert "120 mm" in one.snapshot["text"]
            assert one.snapshot["undo"] == "edit text"
            await one.ask("undo")
            assert one.snapshot["text"] == FIVE_BAR and one.snapshot["redo"] == "edit text"
            await one.ask("redo")
            assert "120 mm" in one.snapshot["text"]
            await one.ask("undo")
            await one.ask("undo")
            assert one.snapshot["model"]["name"] == "four-bar"
            with pytest.raises(RefusedError, match="nothing to undo"):
                await one.ask("undo")

    run(work())


def test_a_text_with_problems_keeps_the_model(tmp_path: Path) -> None:
    async def work() -> None:
        async with studio(tmp_path) as running, page(running) as one:
            await one.ask("open_text", text=FIVE_BAR)
            model = one.snapshot["model"]
            await one.ask("edit_text", text=FIVE_BAR.replace("parent: A,", "parent: Z,"))
            assert one.snapshot["model"] == model
            (problem,) = one.snapshot["problems"]
            assert problem["line"] == 6 and "Z" in problem["message"]
            with pytest.raises(RefusedError, match="the text has problems: line 6"):
                await one.ask("set_numbers", changes=[[None, "link", 0.2]])
            await one.ask("edit_text", text=FIVE_BAR)
            assert one.snapshot["problems"] == []

    run(work())


def test_a_pose_with_open_loops_is_closed_and_sent_back(tmp_path: Path) -> None:
    async def work() -> None:
        async with studio(tmp_path) as running, page(running) as one:
            q = list(one.snapshot["q"])
            q[0] += 0.05
            assert gap(one.snapshot["text"], q) > 1e-6
            await one.ask("commit_pose", q=q, label="drag")
            assert one.snapshot["pose_changed"] and one.snapshot["undo"] == "drag"
            assert gap(one.snapshot["text"], one.snapshot["q"]) < 1e-9
            assert one.find("notice", level="warning")

    run(work())


def test_a_closed_pose_stays_the_authors(tmp_path: Path) -> None:
    async def work() -> None:
        async with studio(tmp_path) as running, page(running) as one:
            model = kg.load("four-bar").compile()
            there = kg.assemble(model, {"crank": 1.4}, locked=["crank"]).q.tolist()
            await one.ask("commit_pose", q=there, label="drag")
            assert one.snapshot["pose_changed"] is False
            assert one.snapshot["q"] == there
            await one.ask("undo")
            assert one.snapshot["pose_changed"] is True

    run(work())


def test_a_page_goes_on_after_a_lost_connection(tmp_path: Path) -> None:
    async def work() -> None:
        async with studio(tmp_path) as running:
            async with page(running) as one:
                await one.ask("set_numbers", changes=[[None, "crank", 0.12]])
                known = {key: one.welcome[key] for key in ("session", "secret")}
                text = one.snapshot["text"]
            async with page(running, **known) as again:
                assert again.welcome["session"] == known["session"]
                assert again.snapshot["text"] == text
                assert again.snapshot["undo"] == "change crank"
                await again.ask("undo")
                assert "value: 100 mm" in again.snapshot["text"]
            async with page(running, session=known["session"], secret="wrong") as stranger:
                assert stranger.welcome["session"] != known["session"]

    run(work())


def test_a_second_page_has_a_session_of_its_own(tmp_path: Path) -> None:
    async def work() -> None:
        async with studio(tmp_path) as running, page(running) as one, page(running) as other:
            assert one.welcome["session"] != other.welcome["session"]
            await one.ask("open_library", name="stewart")
            await other.ask("set_numbers", changes=[[None, "crank", 0.12]])
            assert other.snapshot["model"]["name"] == "four-bar"

    run(work())


def test_watchers_see_text_and_poses_and_change_nothing(tmp_path: Path) -> None:
    async def work() -> None:
        async with studio(tmp_path) as running, page(running) as one:
            async with page(running, session=one.welcome["session"]) as watcher:
                assert watcher.welcome["read_only"] and watcher.welcome["secret"] is None
                await one.wait("watchers", count=2)
                q = np.array(one.snapshot["q"]) + 0.001
                await one.pose(q)
                await watcher.until(lambda: watcher.poses)
                assert watcher.poses[-1].q.tolist() == q.tolist()
                await watcher.wait("watchers", driver=one.welcome["client"])
                await one.ask("set_numbers", changes=[[None, "crank", 0.12]])
                await watcher.until(lambda: "120 mm" in watcher.snapshot["text"])
                assert watcher.snapshot["pose_changed"]
                with pytest.raises(RefusedError, match="is view-only"):
                    await watcher.ask("undo")
                before = len(one.poses)
                await watcher.pose(q + 1)
                await one.ask("undo")
                assert len(one.poses) == before
            await one.until(lambda: one.find("watchers")[-1]["count"] == 1)

    run(work())


def test_watching_a_session_that_is_gone_is_refused(tmp_path: Path) -> None:
    async def work() -> None:
        async with studio(tmp_path) as running, page(running, greet=False) as one:
            await one.send("hello", schema=schema_hash(), session="nobody-has-this", secret=None)
            refused = await one.wait("refused")
            assert "no longer open" in refused["message"]
            await one.until(lambda: one.closed)
            assert one.socket.close_code == 4404

    run(work())


def test_garbage_is_refused_and_harms_nobody(tmp_path: Path) -> None:
    async def work() -> None:
        async with studio(tmp_path) as running, page(running) as one, page(running) as other:
            for frame in ("", "{", "[]", '{"kind": 1}', '{"kind": "undo", "request": "x"}', "\0"):
                await one.socket.send(frame)
            for frame in (b"", b"abc", b"\1\0\0\0" + b"\xff" * 12, bytes(16)):
                await one.socket.send(frame)
                await asyncio.sleep(0)
            await one.socket.send(json.dumps({"kind": "undo", "request": 7, "more": 1}))
            assert "no 'more'" in (await one.wait("refused", request=7))["message"]
            assert len(one.find("refused", request=0)) >= 6
            await one.ask("open_library", name="stewart")
            await other.ask("open_library", name="five-bar")
            # somebody who sends nothing else is shown the door
            for _ in range(300):
                await one.socket.send("rubbish")
            await one.until(lambda: one.closed)
            assert one.socket.close_code == 1008
            await other.ask("undo")

    run(work())


@pytest.mark.parametrize("frame", ["{}", '{"kind": "undo", "request": 1}', b"\1"])
def test_the_first_word_must_be_hello(tmp_path: Path, frame: str | bytes) -> None:
    async def work() -> None:
        async with studio(tmp_path) as running, page(running, greet=False) as one:
            await one.socket.send(frame)
            assert await one.wait("refused")
            await one.until(lambda: one.closed)
            assert one.socket.close_code == 1008

    run(work())


def test_ten_thousand_poses_are_coalesced(tmp_path: Path) -> None:
    async def work() -> None:
        async with (
            studio(tmp_path) as running,
            page(running) as one,
            page(running, session=one.welcome["session"]) as watcher,
            page(running) as other,
        ):
            q = np.array(one.snapshot["q"])

            async def flood() -> None:
                for n in range(1, 10_001):
                    await one.pose(q + n * 1e-6, sequence=n)

            flooding = asyncio.create_task(flood())
            # the other page works on meanwhile
            answered = 0
            while not flooding.done():
                await other.ask("set_numbers", changes=[[None, "crank", 0.1 + answered % 2 * 0.01]])
                answered += 1
            await flooding
            assert answered > 0
            await watcher.until(
                lambda: watcher.poses and watcher.poses[-1].q[0] == q[0] + 10_000 * 1e-6
            )
            assert len(watcher.poses) < 5000
            assert not one.poses

    run(work())


def test_a_page_that_does_not_read_is_given_up_alone(tmp_path: Path) -> None:
    async def work() -> None:
        async with studio(tmp_path) as running, page(running) as one:
            (room,) = running.hub.rooms.values()
            (client,) = room.clients.values()
            for n in range(6000):
                client.outbox.put(_notice(n))
            await one.until(lambda: one.closed)
            assert not room.clients

    run(work())


def _notice(n: int) -> object:
    from kinegen.studio.wire.messages import Notice

    return Notice("info", str(n))


def test_a_half_open_socket_is_dropped(tmp_path: Path) -> None:
    async def work() -> None:
        async with studio(tmp_path, ping=0.05) as running:
            reader, writer = await asyncio.open_connection("127.0.0.1", running.port)
            head = (
                f"GET /ws?token={running.guard.token} HTTP/1.1\r\n"
                f"Host: 127.0.0.1:{running.port}\r\nUpgrade: websocket\r\n"
                "Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                "Sec-WebSocket-Version: 13\r\n\r\n"
            )
            writer.write(head.encode())
            assert b"101" in await reader.readline()
            # a peer that answers no ping: the studio ends the connection by itself
            async with asyncio.timeout(60):
                await reader.read(-1)
            writer.close()

    run(work())


def test_edits_typed_over_before_their_turn_are_answered(tmp_path: Path) -> None:
    async def work() -> None:
        async with studio(tmp_path) as running, page(running) as one:
            numbers = [await one.start("edit_text", text=FIVE_BAR + f"# {n}\n") for n in range(50)]
            for number in numbers:
                assert await one.answer(number) is None
            assert one.snapshot["text"].endswith("# 49\n")

    run(work())


def test_a_session_is_kept_for_pages_that_come_back(tmp_path: Path) -> None:
    async def work() -> None:
        async with studio(tmp_path) as running:
            async with page(running) as one:
                session = one.welcome["session"]
            async with page(running):
                assert session in running.hub.rooms
            assert running.hub.rooms[session].empty_since is not None

    run(work())


@pytest.mark.parametrize("with_base", [True, False])
def test_two_pages_that_type_lose_nothing(tmp_path: Path, with_base: bool) -> None:
    """Two tabs of one session; also those that do not say what their text was made from."""

    async def work() -> None:
        async with studio(tmp_path) as running, page(running) as one:
            known = {key: one.welcome[key] for key in ("session", "secret")}
            await one.ask("open_text", text=FIVE_BAR)
            async with page(running, **known) as other:
                text = one.snapshot["text"]
                seen = {"base": one.snapshot["version"]} if with_base else {}
                first = text.replace("100 mm", "120 mm", 1)
                await one.ask("edit_text", text=first, **seen)
                await other.ask("edit_text", text=text + "# other\n", **seen)
                await one.until(lambda: one.snapshot["text"] == first + "# other\n")
                mine = text.replace("100 mm", "130 mm", 1)
                async with page(running, **known) as third:
                    await one.ask("edit_text", text=one.snapshot["text"].replace("120", "140", 1))
                    with pytest.raises(RefusedError, match="same lines"):
                        await third.ask("edit_text", text=mine, **seen)
                    conflict = third.find("refused")[-1]["conflict"]
                    assert conflict["where"] == "session" and "140 mm" in conflict["theirs"]
                    # who has seen it may replace it
                    seen = {"base": int(conflict["version"])} if with_base else {}
                    await third.ask("edit_text", text=mine, **seen)
                    assert third.snapshot["text"] == mine

    run(work())


def test_edits_that_were_typed_over_share_the_fate_of_the_last(tmp_path: Path) -> None:
    """None is said to be done whose text is neither there nor in a later one that is."""

    async def work() -> None:
        async with studio(tmp_path) as running, page(running) as one:
            known = {key: one.welcome[key] for key in ("session", "secret")}
            await one.ask("open_text", text=FIVE_BAR)
            async with page(running, **known) as other:
                room = running.hub.rooms[known["session"]]
                base = one.snapshot["version"]

                async def waiting(count: int) -> None:
                    async with asyncio.timeout(HANG):
                        while len(room._lock._waiters or ()) < count:  # type: ignore[attr-defined]
                            await asyncio.sleep(0.005)

                async with room._lock:
                    blocked = await other.start("edit_text", text=FIVE_BAR + "# other\n")
                    await waiting(1)
                    numbers = [
                        await one.start("edit_text", text=FIVE_BAR + f"# {n}\n", base=base)
                        for n in range(20)
                    ]
                    await waiting(2)
                    assert one.find("done", request=numbers[5]) == []
                await other.answer(blocked)
                for number in numbers:
                    with pytest.raises(RefusedError, match="same lines"):
                        await one.answer(number)
                assert one.snapshot["text"] == FIVE_BAR + "# other\n"
                # one after the other, without waiting for what came of the last
                base = one.snapshot["version"]
                numbers = [
                    await one.start("edit_text", text=FIVE_BAR + f"# {n}\n", base=base)
                    for n in range(20)
                ]
                for number in numbers:
                    await one.answer(number)
                assert one.snapshot["text"] == FIVE_BAR + "# 19\n"

    run(work())


def test_long_messages_hold_up_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are taken apart in threads, wait in small numbers, and are not sent back."""
    threads = []
    real = module.decode

    def decode(text: str | bytes) -> Any:
        threads.append((len(text), threading.current_thread() is threading.main_thread()))
        return real(text)

    monkeypatch.setattr(module, "decode", decode)
    monkeypatch.setattr(module, "MOST_BYTES", 10**6)

    async def work() -> None:
        async with studio(tmp_path) as running, page(running) as one:
            name = "x" * 10**6
            numbers = [await one.start("remove_motion", name=name) for _ in range(6)]
            for number in numbers:
                with pytest.raises(RefusedError, match="motion 'xxx") as refused:
                    await one.answer(number)
                assert len(str(refused.value)) < 3000
            await one.ask("set_numbers", changes=[[None, "crank", 0.123]])

    run(work())
    assert {is_main for size, is_main in threads if size > module.LONG} == {False}
    assert {is_main for size, is_main in threads if size <= module.LONG} == {True}
