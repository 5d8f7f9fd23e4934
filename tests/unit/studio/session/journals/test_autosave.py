"""No crash costs much work: journals, locks, recovery after kill -9."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from websockets.asyncio.client import connect

from kinegen.errors import UsageError
from kinegen.studio.session.edits.history import Step
from kinegen.studio.session.journals.autosave import Journal, Record, state_folder
from kinegen.studio.session.journals.writer import JournalWriter
from tests.support.studio import HANG, Page, greeting, page, printed_address, run, studio

pytestmark = pytest.mark.slow


def record(name: str = "abcd1234", *, text: str = "t", **other: Any) -> Record:
    step = Step("open", text, text, np.array([1.5]), None, "b")
    fields = {"secret": "s", "name": "n", "folder": "f", "saved_at": time.time()}
    return Record(name, steps=(step,), at=0, live=np.array([1.5]), **{**fields, **other})


def write(journal: Journal, *records: Record) -> None:
    writer = JournalWriter(journal)
    for one in records:
        writer.keep(one)
    assert writer.close() == []


def samples(journal: Journal, session: str, *parts: dict[str, Any]) -> None:
    writer = JournalWriter(journal)
    for part in parts:
        writer.samples(session, json.dumps(part).encode() + b"\n")
    assert writer.close() == []


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
    write(journal, record())
    samples(
        journal, "abcd1234",
        {"name": "take", "start": True, "times": [0.0], "values": [[1.0]]},
        {"name": "take", "start": False, "times": [0.5], "values": [[2.0]]},
        {"name": "other", "start": True, "times": [9.0], "values": [[9.0]]},
        {"name": "other", "start": True, "times": [0.0], "values": [[3.0]]},
    )  # fmt: skip
    # power went while a line was written; then others that make no sense
    with open(journal.recording("abcd1234"), "ab") as file:
        file.write(b'{"name": "take", "ti\n[]\n{"name": "take", "times": ["x"], "values": [[1]]}\n')
    found = journal.load("abcd1234")
    assert found is not None and found.live.tolist() == [1.5] and found.dirty
    assert found.recordings == {
        "take": {"times": [0.0, 0.5], "values": [[1.0], [2.0]]},
        "other": {"times": [0.0], "values": [[3.0]]},
    }
    journal.close()


def test_only_unsaved_work_of_ended_servers_is_offered(tmp_path: Path) -> None:
    first, second = Journal(tmp_path), Journal(tmp_path)
    write(first, record("first-one"))
    write(
        second, record("second-1"), record("clean-one", text="b"), record("foreign-1", folder="g")
    )
    assert first.recovered(["first-one"], "f") == []
    for take in (first.claim, first.discard):
        with pytest.raises(UsageError, match="another running studio"):
            take("second-1", "f")
    second.close()
    assert [one.session for one in first.recovered(["first-one"], "f")] == ["second-1"]
    assert [one.session for one in first.recovered([], "g")] == ["foreign-1"]
    third = Journal(tmp_path)
    assert first.claim("second-1", "f") is not None
    # now it is the first one's
    assert third.recovered([], "f") == []
    with pytest.raises(UsageError, match="another running studio"):
        third.claim("second-1", "f")
    first.discard("second-1", "f")
    assert first.recovered(["first-one"], "f") == []
    first.close()
    third.close()


def test_the_work_of_another_folder_is_left_alone(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    write(journal, record("foreign-1", folder="g"))
    assert journal.recovered([], "f") == []
    assert journal.claim("foreign-1", "f") is None
    with pytest.raises(UsageError, match="another project folder"):
        journal.discard("foreign-1", "f")
    assert journal.load("foreign-1") is not None
    journal.close()


def test_old_work_is_given_up(tmp_path: Path) -> None:
    journal = Journal(tmp_path)
    write(
        journal,
        record("old-work", saved_at=time.time() - 40 * 86400),
        record("old-clean", saved_at=time.time() - 2 * 86400, text="b"),
    )
    assert journal.recovered([], "f") == []
    assert list((tmp_path / "sessions").iterdir()) == []
    journal.close()


def test_what_is_listed_follows_the_files(tmp_path: Path) -> None:
    """Journals that have not changed are not read again; those that have are."""
    journal = Journal(tmp_path)
    write(journal, record(text="b"))
    assert journal.recovered([], "f") == []
    write(journal, record())
    assert [one.session for one in journal.recovered([], "f")] == ["abcd1234"]
    write(journal, record(text="b"))
    assert journal.recovered([], "f") == []
    samples(journal, "abcd1234", {"name": "t", "start": True, "times": [], "values": []})
    assert [one.session for one in journal.recovered([], "f")] == ["abcd1234"]
    journal.close()


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"session": 1}', b"\xff", b"0 \n\n"])
def test_a_broken_journal_is_none(tmp_path: Path, content: bytes) -> None:
    journal = Journal(tmp_path)
    journal.log("abcd1234").write_bytes(content)
    assert journal.load("abcd1234") is None
    assert journal.recovered([], "f") == []
    assert journal.claim("abcd1234", "f") is None
    journal.discard("abcd1234", "f")
    assert journal.log("abcd1234").exists(), "who has it open is not known"
    journal.close()


@pytest.mark.parametrize("name", ["../../etc/passwd", "a/b", "", "x" * 100, "a.b"])
def test_names_of_sessions_are_no_paths(tmp_path: Path, name: str) -> None:
    journal = Journal(tmp_path)
    assert journal.load(name) is None
    with pytest.raises(ValueError, match="is not a session"):
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
                # how soon it comes is measured by the bench; that it comes is tested here
                journal = Journal(state)
                async with asyncio.timeout(HANG):
                    while True:
                        kept = journal.load(session)
                        if kept and "123 mm" in kept.present.text and kept.recordings:
                            break
                        await asyncio.sleep(0.02)
                journal.close()
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


def test_saved_work_leaves_its_steps_and_is_not_offered(tmp_path: Path) -> None:
    async def work() -> None:
        async with studio(tmp_path) as running:
            async with page(running) as one, page(running):
                await one.ask("set_numbers", changes=[[None, "crank", 0.123]])
                await one.ask("save", file="mine.raff")
                known = {key: one.welcome[key] for key in ("session", "secret")}
        # a session in which nothing was done leaves nothing
        assert len(list((tmp_path / "state/sessions").glob("*.journal"))) == 1
        async with studio(tmp_path) as running, page(running) as one:
            assert one.welcome["recovered"] == []
            async with page(running, **known) as back:
                assert back.welcome["session"] == known["session"]
                assert back.snapshot["file"] == "mine.raff" and not back.snapshot["dirty"]
                await back.ask("undo")
                assert "123 mm" not in back.snapshot["text"]
                await back.ask("redo")
                assert "123 mm" in back.snapshot["text"]

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
