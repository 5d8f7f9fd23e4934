"""What the hub keeps: sessions for a while, recordings as motions, journals."""

from __future__ import annotations

import asyncio
import contextlib
import errno
from pathlib import Path
from typing import Any

import pytest

from kinegen.errors import UsageError
from kinegen.studio.server.serve import Running
from kinegen.studio.session import housekeeping
from kinegen.studio.session import hub as module
from kinegen.studio.session.journals import writer
from kinegen.studio.session.pages import entrance
from kinegen.studio.session.session import Session
from kinegen.studio.wire.messages import Hello, MotionData
from kinegen.studio.wire.typescript import schema_hash
from tests.support.studio import HANG, RefusedError, page, run, studio


async def until(test: Any) -> None:
    async with asyncio.timeout(HANG):
        while not test():
            await asyncio.sleep(0.01)


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Housekeeping at once: what is tested is that it is done, not when."""
    monkeypatch.setattr(housekeeping, "JOURNAL", 0.02)


def test_a_session_that_was_left_for_long_is_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def work() -> None:
        async with studio(tmp_path) as running:
            async with page(running) as one:
                session = one.welcome["session"]
                await one.ask("set_numbers", changes=[[None, "crank", 0.123]])
            monkeypatch.setattr(housekeeping, "KEEP", 0.0)
            await until(lambda: session not in running.hub.rooms)
            async with page(running) as one:
                # what was not saved is offered back
                assert [found["session"] for found in one.welcome["recovered"]] == [session]

    run(work())


def test_a_studio_that_ends_when_all_have_left_waits_for_the_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def work() -> None:
        async with studio(tmp_path, linger=0.0) as running:
            looks = 0

            def look() -> float:
                nonlocal looks
                looks += 1
                return 0.0

            running.hub.keep_spares = look  # type: ignore[method-assign, assignment]
            await until(lambda: looks > 3)
            assert not running.server.should_exit
            # a program that never comes
            monkeypatch.setattr(housekeeping, "FIRST_VISIT", 0.0)
            await until(lambda: running.server.should_exit)

    run(work())


def test_a_session_that_rests_in_its_journal_comes_back_with_its_steps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Saved or not: memory is given back, and the page does not notice."""

    async def work() -> None:
        given: list[int] = []
        monkeypatch.setattr(housekeeping, "give_back", lambda: given.append(1))
        async with studio(tmp_path) as running:
            async with page(running) as one:
                session, secret = one.welcome["session"], one.welcome["secret"]
                await one.ask("set_numbers", changes=[[None, "crank", 0.123]])
                await one.ask("save", file="mine.raff")
            monkeypatch.setattr(housekeeping, "KEEP", 0.0)
            await until(lambda: session not in running.hub.rooms and given)
            monkeypatch.setattr(housekeeping, "KEEP", 60.0)
            async with page(running, session=session, secret=secret) as one:
                assert one.welcome["session"] == session and not one.snapshot["dirty"]
                assert "123 mm" in one.snapshot["text"] and one.snapshot["file"] == "mine.raff"
                await one.ask("undo")
                assert "123 mm" not in one.snapshot["text"]
            monkeypatch.setattr(housekeeping, "KEEP", 0.0)
            await until(lambda: session not in running.hub.rooms)
            monkeypatch.setattr(housekeeping, "KEEP", 60.0)
            async with page(running, session=session) as watcher:
                assert watcher.welcome["read_only"] and "123 mm" not in watcher.snapshot["text"]

    run(work())


def test_a_page_closed_by_accident_gets_its_work_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def work() -> None:
        async with studio(tmp_path) as running:
            async with page(running) as one:
                session = one.welcome["session"]
                await one.ask("set_numbers", changes=[[None, "crank", 0.123]])
            await until(lambda: running.hub.rooms[session].empty_since is not None)
            await until(lambda: (kept := running.hub.journal.load(session)) and kept.dirty)
            async with page(running) as other:
                assert other.welcome["recovered"] == [], "it may just be reloading"
            monkeypatch.setattr(housekeeping, "GRACE", 0.0)
            async with page(running) as other:
                assert [found["session"] for found in other.welcome["recovered"]] == [session]
            async with page(running, recover=session) as other:
                assert "123 mm" in other.snapshot["text"]
                assert session not in running.hub.rooms

    run(work())


def test_a_recording_of_a_lost_page_becomes_a_motion(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def work() -> None:
        async with studio(tmp_path) as running:
            async with page(running) as one:
                known = {key: one.welcome[key] for key in ("session", "secret")}
                q = one.snapshot["q"]
                rows = {"times": [0.0, 0.1], "values": [q, q]}
                await one.send("record_samples", name="take 1", start=True, **rows)
                await one.send(
                    "record_samples", name="take 1", start=False, times=[0.2], values=[q]
                )
                # answered after them: they are here
                await one.ask("commit_pose", q=q, label="drag")
            monkeypatch.setattr(housekeeping, "GRACE", 0.0)
            room = running.hub.rooms[known["session"]]
            await until(lambda: room.session.snapshot().motions)
            async with page(running, **known) as again:
                (motion,) = again.snapshot["motions"]
                assert motion["name"] == "take-1" and motion["times"] == [0.0, 0.1, 0.2]
                assert again.snapshot["undo"] == "store motion take-1"

    run(work())


def test_a_stored_recording_is_not_kept_twice(tmp_path: Path) -> None:
    async def work() -> None:
        async with studio(tmp_path) as running, page(running) as one:
            q = one.snapshot["q"]
            session = one.welcome["session"]
            await one.send(
                "record_samples", name="take", start=True, times=[0.0, 0.1], values=[q, q]
            )
            names = [joint["name"] for joint in one.snapshot["model"]["joints"]]
            motion = {
                "name": "take", "joints": names, "times": [0.0, 0.1], "values": [q, q],
                "interpolation": "linear", "note": None,
            }  # fmt: skip
            await one.ask("store_motion", motion=motion)
            assert len(running.hub.recordings[session]) == 0
            await until(lambda: not running.hub.journal.recording(session).exists())
            assert [found["name"] for found in one.snapshot["motions"]] == ["take"]

    run(work())


def test_bad_samples_are_refused(tmp_path: Path) -> None:
    async def work() -> None:
        async with studio(tmp_path) as running, page(running) as one:
            await one.send("record_samples", name="t", start=True, times=[0.0], values=[[1.0]])
            refused = await one.wait("refused", request=0)
            assert "one row of 4 numbers" in refused["message"]

    run(work())


def test_open_work_cannot_be_dismissed(tmp_path: Path) -> None:
    async def work() -> None:
        async with studio(tmp_path) as running, page(running) as one, page(running) as other:
            for name in (other.welcome["session"], "../../x"):
                with pytest.raises(RefusedError):
                    await one.ask("dismiss", session=name)

    run(work())


def test_a_page_of_another_version_is_reported(tmp_path: Path) -> None:
    async def work() -> None:
        async with studio(tmp_path) as running, page(running, schema="old") as one:
            notice = await one.wait("notice", level="warning")
            assert "another version" in notice["message"]

    run(work())


def test_too_many_sessions_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entrance, "MOST_ROOMS", 1)

    async def work() -> None:
        async with studio(tmp_path) as running, page(running):
            async with page(running, greet=False) as other:
                await other.send("hello", schema="", session=None, secret=None)
                refused = await other.wait("refused")
                assert "1 sessions are open, which is the limit" in refused["message"]

    run(work())


def test_sessions_that_begin_at_once_stay_within_the_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(entrance, "MOST_ROOMS", 3)

    async def work() -> None:
        async with studio(tmp_path) as running:
            hello = Hello(schema_hash(), None, None)
            joins = (running.hub.entrance.join(hello) for _ in range(12))
            found = await asyncio.gather(*joins, return_exceptions=True)
            assert sum(isinstance(one, tuple) for one in found) == 3
            assert len(running.hub.rooms) == 3 and running.hub.entrance._promised == 0
            assert all("the limit" in str(one) for one in found if not isinstance(one, tuple))

    run(work())


def test_a_session_that_was_left_frees_its_place_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(entrance, "MOST_ROOMS", 3)

    async def work() -> None:
        async with studio(tmp_path) as running, page(running) as stays:
            async with page(running) as first:
                await first.ask("set_numbers", changes=[[None, "crank", 0.123]])
            for _ in range(5):
                # the studio hears of a page's end a moment after the page
                await until(lambda: sum(not r.clients for r in running.hub.rooms.values()) > 0)
                async with page(running):
                    pass
            assert len(running.hub.rooms) == 3 and stays.welcome["session"] in running.hub.rooms
            # the work of one that had to go is offered, and a page that comes back has it
            assert first.welcome["session"] not in running.hub.rooms
            offered = [one["session"] for one in (await _welcome(running))["recovered"]]
            assert offered == [first.welcome["session"]]
            known = {key: first.welcome[key] for key in ("session", "secret")}
            async with page(running, **known) as back:
                assert "123 mm" in back.snapshot["text"]

    async def _welcome(running: Running) -> Any:
        async with page(running) as one:
            return one.welcome

    run(work())


def test_work_that_another_studio_has_open_is_left_alone(tmp_path: Path) -> None:
    async def work() -> None:
        async with studio(tmp_path) as first, studio(tmp_path) as second:
            async with page(first) as one, page(second) as other:
                await one.ask("set_numbers", changes=[[None, "crank", 0.123]])
                known = {key: one.welcome[key] for key in ("session", "secret")}
                session = known["session"]
                await until(lambda: (kept := second.hub.journal.load(session)) and kept.dirty)
                with pytest.raises(RefusedError, match="another running studio"):
                    await other.ask("dismiss", session=session)
                async with page(second, recover=session) as thief:
                    assert "123 mm" not in thief.snapshot["text"]
                    await thief.wait("notice", level="warning")
                async with page(second, **known) as thief:
                    assert thief.welcome["session"] != session
                kept = first.hub.journal.load(session)
                assert kept is not None and "123 mm" in kept.present.text

    run(work())


def test_work_of_another_folder_is_neither_shown_nor_touched(tmp_path: Path) -> None:
    async def work() -> None:
        state = tmp_path / "state"
        for name in ("a", "b"):
            (tmp_path / name).mkdir()
        async with studio(tmp_path / "a", state=state) as running:
            async with page(running) as one:
                await one.ask("set_numbers", changes=[[None, "crank", 0.123]])
                known = {key: one.welcome[key] for key in ("session", "secret")}
        session = known["session"]
        async with studio(tmp_path / "b", state=state) as running:
            async with page(running) as one:
                assert one.welcome["recovered"] == []
                with pytest.raises(RefusedError, match="another project folder"):
                    await one.ask("dismiss", session=session)
            for hello in ({"recover": session}, known):
                async with page(running, **hello) as one:
                    assert one.welcome["session"] != session
                    assert "123 mm" not in one.snapshot["text"]
        async with studio(tmp_path / "a", state=state) as running:
            async with page(running, **known) as one:
                assert one.welcome["session"] == session
                assert "123 mm" in one.snapshot["text"]

    run(work())


def test_pages_that_come_back_at_once_are_in_one_room(tmp_path: Path) -> None:
    async def work() -> None:
        async with studio(tmp_path) as running, page(running) as one:
            await one.ask("set_numbers", changes=[[None, "crank", 0.123]])
            known = {key: one.welcome[key] for key in ("session", "secret")}
        async with studio(tmp_path) as running:
            async with contextlib.AsyncExitStack() as stack:
                pages = await asyncio.gather(
                    *(stack.enter_async_context(page(running, **known)) for _ in range(6))
                )
                assert {one.welcome["session"] for one in pages} == {known["session"]}
                await pages[0].ask("set_numbers", changes=[[None, "crank", 0.124]])
                for one in pages:
                    await one.until(lambda one=one: "124 mm" in one.snapshot["text"])

    run(work())


def test_a_full_disk_is_shown_until_it_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    full = [True]
    real = writer._append

    def append(place: Path, data: bytes, size: int) -> int:
        if full[0]:
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(place, data, size)

    async def work() -> None:
        async with studio(tmp_path) as running, page(running) as one:
            session = one.welcome["session"]
            await until(lambda: running.hub.journal.load(session))
            monkeypatch.setattr(writer, "_append", append)
            await one.ask("set_numbers", changes=[[None, "crank", 0.123]])
            await one.wait("keeping", trouble="No space left on device")
            known = {key: one.welcome[key] for key in ("session", "secret")}
            async with page(running, **known) as later:
                await later.wait("keeping", trouble="No space left on device")
            full[0] = False
            await one.wait("keeping", trouble=None)
            kept = running.hub.journal.load(session)
            assert kept is not None and "123 mm" in kept.present.text

    run(work())


def test_work_that_is_not_on_disk_is_not_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A session that everybody left stays here while the disk is full."""
    full = [True]
    real = writer._append

    def append(place: Path, data: bytes, size: int) -> int:
        if full[0]:
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(place, data, size)

    async def work() -> None:
        async with studio(tmp_path) as running:
            async with page(running) as one:
                session = one.welcome["session"]
                await until(lambda: running.hub.journal.load(session))
                monkeypatch.setattr(writer, "_append", append)
                await one.ask("set_numbers", changes=[[None, "crank", 0.123]])
            closed = []
            real_close = running.hub.close

            async def close(room: Any) -> None:
                await real_close(room)
                closed.append(room)

            monkeypatch.setattr(running.hub, "close", close)
            monkeypatch.setattr(housekeeping, "KEEP", 0.0)
            await until(lambda: len(closed) > 1)
            assert session in running.hub.rooms
            full[0] = False
            await until(lambda: session not in running.hub.rooms)
            kept = running.hub.journal.load(session)
            assert kept is not None and "123 mm" in kept.present.text

    run(work())


def test_a_recording_that_cannot_become_a_motion_stays_in_the_journal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such as one that would make the text too long."""
    tries = []

    def too_long(self: Session, motion: MotionData) -> None:
        tries.append(motion.name)
        raise UsageError("a text has at most 4194304 characters")

    monkeypatch.setattr(Session, "store_motion", too_long)

    async def work() -> None:
        async with studio(tmp_path) as running:
            async with page(running) as one:
                session = one.welcome["session"]
                q = one.snapshot["q"]
                rows = {"times": [0.0, 0.1], "values": [q, q]}
                await one.send("record_samples", name="take", start=True, **rows)
                await one.ask("commit_pose", q=q, label="drag")
            monkeypatch.setattr(housekeeping, "GRACE", 0.0)
            await until(lambda: tries and running.hub.recordings[session].tried)
            await until(lambda: running.hub.keeper.lag(session) == 0.0)
            assert len(running.hub.recordings[session]) == 1
            assert running.hub.journal.recording(session).stat().st_size > 0
            await running.hub.keep_recordings(running.hub.rooms[session])
            assert tries == ["take"], "nothing has changed since"
        record = running.hub.journal.load(session)
        assert record is not None and record.recordings["take"]["times"] == [0.0, 0.1]

    run(work())


def test_a_session_is_not_closed_while_a_page_comes_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def work() -> None:
        async with studio(tmp_path) as running:
            hub = running.hub
            async with page(running) as one:
                known = {key: one.welcome[key] for key in ("session", "secret")}
                await one.ask("set_numbers", changes=[[None, "crank", 0.123]])
            room = hub.rooms[known["session"]]
            await until(lambda: room.empty_since is not None)
            real = hub.entrance._welcome

            async def welcome(*arguments: Any) -> Any:
                await hub.close(room)  # what happens when its time is up
                return await real(*arguments)

            monkeypatch.setattr(hub.entrance, "_welcome", welcome)
            async with page(running, **known) as again:
                assert hub.rooms[known["session"]] is room
                await again.ask("set_numbers", changes=[[None, "crank", 0.1]])

    run(work())


def test_there_are_only_so_many_simulations(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_SIMULATIONS", 0)

    async def work() -> None:
        async with studio(tmp_path) as running, page(running) as one:
            with pytest.raises(RefusedError, match="0 simulations are running, which is the limit"):
                await one.ask("start_simulation")

    run(work())
