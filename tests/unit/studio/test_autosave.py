"""No crash costs much work: journals, locks, recovery after kill -9."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from websockets.asyncio.client import connect

from kinegen.studio.autosave import Journal, Record, state_folder
from tests.support.studio import HANG, Page, greeting, page, printed_address, run, studio


def record(name: str = "abcd1234", **other: object) -> Record:
    fields: dict[str, object] = {
        "session": name, "secret": "s", "name": "n", "text": "t", "good_text": "t",
        "base_text": "b", "q": [1.5], "file": None, "folder": "f", "saved_at": time.time(),
    }  # fmt: skip
    return Record(**{**fields, **other})  # type: ignore[arg-type]


def test_the_state_folder_is_the_platforms(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KINEGEN_STATE", raising=False)
    monkeypatch.setenv("XDG_STATE_HOME", "/x")
    monkeypatch.setenv("LOCALAPPDATA", "/l")
    monkeypatch.setattr(sys, "platform", "linux")
    assert state_folder() == Path("/x/kinegen")
    monkeypatch.setattr(sys, "platform", "win32")
    assert state_folder() == Path("/l/Kinegen")
    monkeypatch.setattr(sys, "platform", "darwin")
    assert state_folder() == Path.home() / "Library/Application Support/Kinegen"
    monkeypatch.setenv("KINEGEN_STATE", "/own")
    assert state_folder() == Path("/own")


def test_a_record_comes_back_with_its_recordings(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    journal.write(record())
    journal.samples("abcd1234", "take", start=True, times=[0.0], values=[[1.0]])
    journal.samples("abcd1234", "take", start=False, times=[0.5], values=[[2.0]])
    journal.samples("abcd1234", "other", start=True, times=[9.0], values=[[9.0]])
    journal.samples("abcd1234", "other", start=True, times=[0.0], values=[[3.0]])
    # power went while a line was written
    with open(tmp_path / "sessions/abcd1234.recording", "ab") as file:
        file.write(b'{"name": "take", "ti')
    found = journal.load("abcd1234")
    assert found is not None and found.q == [1.5] and found.dirty
    assert found.recordings == {
        "take": {"times": [0.0, 0.5], "values": [[1.0], [2.0]]},
        "other": {"times": [0.0], "values": [[3.0]]},
    }
    journal.close()


def test_only_unsaved_work_of_ended_servers_is_offered(tmp_path: Path) -> None:
    first, second = Journal(tmp_path), Journal(tmp_path)
    first.write(record("first-one"))
    second.write(record("second-1"))
    second.write(record("clean-one", text="b"))
    assert [one.session for one in first.recovered(["first-one"])] == []
    assert not first.can_take(second.load("second-1"))  # type: ignore[arg-type]
    second.close()
    assert [one.session for one in first.recovered(["first-one"])] == ["second-1"]
    assert first.can_take(first.load("second-1"))  # type: ignore[arg-type]
    first.remove("second-1")
    assert first.recovered(["first-one"]) == []
    first.close()


def test_old_work_is_given_up(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    journal.write(record("old-work", saved_at=time.time() - 40 * 86400))
    journal.write(record("old-clean", saved_at=time.time() - 2 * 86400, text="b"))
    assert journal.recovered([]) == []
    assert list((tmp_path / "sessions").iterdir()) == []
    journal.close()


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"session": 1}', b"\xff"])
def test_a_broken_journal_is_none(tmp_path: Path, content: bytes) -> None:
    journal = Journal(tmp_path)
    (tmp_path / "sessions/abcd1234.json").write_bytes(content)
    assert journal.load("abcd1234") is None
    assert journal.recovered([]) == []
    journal.close()


@pytest.mark.parametrize("name", ["../../etc/passwd", "a/b", "", "x" * 100, "a.b"])
def test_names_of_sessions_are_no_paths(tmp_path: Path, name: str) -> None:
    journal = Journal(tmp_path)
    assert journal.load(name) is None
    with pytest.raises(ValueError, match="is no session"):
        journal.remove(name)
    journal.close()


def test_work_is_offered_back_after_kill_9(tmp_path: Path) -> None:
    """The studio is killed as soon as the journal has the last change."""
    project, state = tmp_path / "project", tmp_path / "state"
    project.mkdir()
    process = _start(project, state)
    try:
        link = _address(process)

        async def work() -> str:
            async with connect(link, compression=None) as socket:
                one = Page(socket)
                await greeting(one)
                await one.ask("set_numbers", changes=[[None, "crank", 0.123]])
                await one.send(
                    "record_samples", name="take", start=True,
                    times=[0.0, 0.1], values=[one.snapshot["q"], one.snapshot["q"]],
                )  # fmt: skip
                session = one.welcome["session"]
                journal = state / "sessions" / f"{session}.json"
                # how soon it comes is measured by the bench; that it comes is tested here
                async with asyncio.timeout(HANG):
                    while not (
                        journal.exists()
                        and "123 mm" in journal.read_text()
                        and journal.with_suffix(".recording").exists()
                    ):
                        await asyncio.sleep(0.02)
                process.send_signal(signal.SIGKILL if os.name != "nt" else signal.SIGTERM)
                await one.until(lambda: one.closed)
                return session

        session = run(work())
    finally:
        process.kill()
        process.wait()
        assert process.stdout is not None
        process.stdout.close()

    async def again() -> None:
        async with studio(tmp_path) as running, page(running) as one:
            (offered,) = one.welcome["recovered"]
            assert offered["session"] == session
            async with page(running, recover=session) as back:
                assert "123 mm" in back.snapshot["text"] and back.snapshot["dirty"]
                (motion,) = back.snapshot["motions"]
                assert motion["name"] == "take" and motion["times"] == [0.0, 0.1]
            async with page(running) as later:
                assert later.welcome["recovered"] == []

    run(again())


def test_a_page_goes_on_with_its_session_after_a_restart(tmp_path: Path) -> None:
    async def work() -> None:
        async with studio(tmp_path) as running, page(running) as one:
            await one.ask("set_numbers", changes=[[None, "crank", 0.123]])
            known = {key: one.welcome[key] for key in ("session", "secret")}
        async with studio(tmp_path) as running, page(running, **known) as one:
            assert one.welcome["session"] == known["session"]
            assert "123 mm" in one.snapshot["text"]
            assert one.welcome["recovered"] == []

    run(work())


def test_recovered_work_can_be_dismissed(tmp_path: Path) -> None:
    async def work() -> None:
        async with studio(tmp_path) as running, page(running) as one:
            await one.ask("set_numbers", changes=[[None, "crank", 0.123]])
        async with studio(tmp_path) as running:
            async with page(running) as one:
                (offered,) = one.welcome["recovered"]
                assert offered["name"] == "Crank-rocker four-bar"
                await one.ask("dismiss", session=offered["session"])
            async with page(running) as one:
                assert one.welcome["recovered"] == []

    run(work())


def test_saved_work_leaves_no_journal(tmp_path: Path) -> None:
    async def work() -> None:
        async with studio(tmp_path) as running, page(running) as one:
            await one.ask("set_numbers", changes=[[None, "crank", 0.123]])
            await one.ask("save", file="mine.raff")
        assert list((tmp_path / "state/sessions").iterdir()) == []

    run(work())


def _start(project: Path, state: Path) -> subprocess.Popen[str]:
    arguments = ["studio", "four-bar", "--no-browser", "--port", "0", "--folder", str(project)]
    return subprocess.Popen(
        [sys.executable, "-m", "kinegen", *arguments],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "KINEGEN_STATE": str(state)},
    )


def _address(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return printed_address(process.stdout.readline())
