"""Journals that were cut, flipped, overwritten or made up: a studio keeps what is good."""

from __future__ import annotations

import random
from pathlib import Path

from tests.support.studio import page, run, studio


def harmed(data: bytes, noise: random.Random) -> bytes:
    """Bytes after some accident."""
    kind = noise.randrange(6)
    at = noise.randrange(len(data) + 1)
    if kind == 0:
        return data[:at]
    if kind == 1:
        return data[at:]
    if kind == 2:
        return data[:at] + bytes(noise.randrange(4096)) + data[at:]
    if kind == 3:
        lines = data.split(b"\n")
        noise.shuffle(lines)
        return b"\n".join(lines)
    if kind == 4:
        return noise.randbytes(noise.randrange(3000))
    flipped = bytearray(data)
    for _ in range(noise.randrange(1, 20)):
        flipped[noise.randrange(len(flipped))] ^= 1 << noise.randrange(8)
    return bytes(flipped)


def test_broken_journals_stop_nothing(tmp_path: Path, effort: int) -> None:
    noise = random.Random(6)
    sessions = tmp_path / "state/sessions"

    async def make() -> str:
        async with studio(tmp_path) as running, page(running) as one:
            for n in range(5):
                await one.ask("set_numbers", changes=[[None, "crank", 0.11 + n / 1000]])
            q = one.snapshot["q"]
            rows = {"times": [0.0, 0.1], "values": [q, q]}
            await one.send("record_samples", name="take", start=True, **rows)
            await one.ask("commit_pose", q=q, label="answered after the samples")
            return str(one.welcome["session"])

    session = run(make())
    log = (sessions / f"{session}.journal").read_bytes()
    recording = (sessions / f"{session}.recording").read_bytes()
    for n in range(12 * effort):
        # the name stands in the log too: most of these are of a session they do not belong to
        name = session if n % 2 else f"broken-{n:06}"
        (sessions / f"{name}.journal").write_bytes(harmed(log, noise))
        (sessions / f"{name}.recording").write_bytes(harmed(recording, noise))
        if n % 6 and n != 12 * effort - 1:
            continue

        async def again() -> None:
            async with studio(tmp_path) as running, page(running) as one:
                offered = [found["session"] for found in one.welcome["recovered"]]
                for found in offered:
                    async with page(running, recover=found) as back:
                        assert back.snapshot["text"].startswith("raff: 1")
                        assert back.find("refused") == []
                        if back.snapshot["undo"] is not None:
                            await back.ask("undo")

        run(again())
        for file in sessions.glob("*.journal"):
            file.unlink()


def test_a_good_journal_is_recovered_among_broken_ones(tmp_path: Path) -> None:
    noise = random.Random(7)
    sessions = tmp_path / "state/sessions"

    async def work() -> None:
        async with studio(tmp_path) as running, page(running) as one:
            await one.ask("set_numbers", changes=[[None, "crank", 0.123]])
            session = one.welcome["session"]
        for n in range(20):
            (sessions / f"broken-{n:06}.journal").write_bytes(noise.randbytes(500))
            (sessions / f"odd-{n:06}.journal").mkdir()
        async with studio(tmp_path) as running:
            async with page(running) as one:
                assert [found["session"] for found in one.welcome["recovered"]] == [session]
            async with page(running, recover=session) as back:
                assert "123 mm" in back.snapshot["text"]

    run(work())
