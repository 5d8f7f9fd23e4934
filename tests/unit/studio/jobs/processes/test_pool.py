"""Heavy work beside the studio: answers, refusals, cancel, a worker that dies."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import pytest

import kinegen as kg
from kinegen.studio.jobs.processes import pool as module
from kinegen.studio.jobs.processes.pool import JobError, Workers
from kinegen.studio.jobs.processes.protocol import Job, MadeFile
from kinegen.studio.wire.codec import EncodedResult
from tests.support.studio import RefusedError, page, run, studio


def job(name: str, kind: str, folder: Path, **fields: Any) -> Job:
    q = kg.assemble(kg.load(name).compile()).q.tolist()
    message = json.dumps({"kind": kind, "request": 1, "q": q, **fields})
    return Job(kg.load(name).to_raff(), str(folder), None, message)


def decoded(found: EncodedResult | MadeFile) -> Any:
    assert isinstance(found, EncodedResult)
    return json.loads(found.json)


class Heard:
    """Who listens to a job."""

    def __init__(self) -> None:
        self.labels: list[str] = []
        self.pieces: list[tuple[dict[str, Any], bytes]] = []
        self.begun = asyncio.Event()

    def progress(self, label: str, share: float | None) -> None:
        self.labels.append(label)
        self.begun.set()

    async def piece(self, head: bytes, data: bytes) -> None:
        self.pieces.append((json.loads(head), data))


def test_a_worker_answers_one_job_after_the_other(tmp_path: Path) -> None:
    async def work() -> None:
        workers = Workers(1)
        try:
            found = decoded(await workers.run(job("four-bar", "mobility", tmp_path), Heard()))
            assert found["finite"] == 1 and len(found["directions"]) == 1
            modes = decoded(await workers.run(job("four-bar", "modes", tmp_path), Heard()))
            assert [mode["name"] for mode in modes["modes"]] == ["mode 1", "mode 2"]
            with pytest.raises(JobError, match='no message of kind "magic"'):
                await workers.run(job("four-bar", "magic", tmp_path), Heard())
            assert await workers.run(job("four-bar", "matrices", tmp_path), Heard())
        finally:
            await workers.close()

    run(work())


def test_progress_is_reported(tmp_path: Path) -> None:
    async def work() -> None:
        heard = Heard()
        workers = Workers(1)
        try:
            await workers.run(job("four-bar", "diagnosis", tmp_path), heard)
        finally:
            await workers.close()
        assert heard.labels == ["diagnosing faults"]

    run(work())


def test_a_cancelled_job_frees_its_worker(tmp_path: Path) -> None:
    async def work() -> None:
        workers = Workers(1)
        heard = Heard()
        try:
            long = job("stewart", "modes", tmp_path, attempts=20000, limits=False)
            task = asyncio.create_task(workers.run(long, heard))
            await heard.begun.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            # another process is on its way before anybody asks for it
            process = workers._all[0]._process
            assert process is not None and process.returncode is None
            found = decoded(await workers.run(job("four-bar", "mobility", tmp_path), Heard()))
            assert found["finite"] == 1
        finally:
            await workers.close()

    run(work())


def test_a_worker_that_dies_is_replaced(tmp_path: Path) -> None:
    async def work() -> None:
        workers = Workers(1)
        heard = Heard()
        try:
            long = job("stewart", "modes", tmp_path, attempts=20000, limits=False)
            task = asyncio.create_task(workers.run(long, heard))
            await heard.begun.wait()
            process = workers._all[0]._process
            assert process is not None
            os.kill(process.pid, 9)
            with pytest.raises(JobError, match="ended unexpectedly"):
                await task
            assert await workers.run(job("four-bar", "mobility", tmp_path), Heard())
        finally:
            await workers.close()

    run(work())


def test_the_first_page_warms_a_worker(tmp_path: Path) -> None:
    async def work() -> None:
        async with studio(tmp_path, warm=True) as running, page(running) as one:
            assert running.hub.entrance.warming is not None
            await running.hub.entrance.warming
            (warm,) = [worker for worker in running.hub.workers._all if worker._process]
            process = warm._process
            await one.ask("mobility", q=one.snapshot["q"])
            assert warm._process is process
            assert sum(worker._process is not None for worker in running.hub.workers._all) == 1

    run(work())


def test_a_page_cancels_and_others_go_on(tmp_path: Path) -> None:
    async def work() -> None:
        async with studio(tmp_path, workers=1) as running, page(running) as one:
            await one.ask("open_library", name="stewart")
            q = one.snapshot["q"]
            number = await one.start("modes", q=q, attempts=20000, limits=False)
            await one.wait("progress", request=number)
            # edits do not wait for it
            await one.ask("edit_text", text=one.snapshot["text"] + "# more\n")
            await one.send("cancel", request=number)
            with pytest.raises(RefusedError, match="cancelled"):
                await one.answer(number)
            found = await one.ask("mobility", q=q)
            assert found["finite"] >= 6

    run(work())


def test_at_most_four_jobs_of_a_page(tmp_path: Path) -> None:
    async def work() -> None:
        async with studio(tmp_path, workers=1) as running, page(running) as one:
            q = one.snapshot["q"]
            numbers = [await one.start("mobility", q=q) for _ in range(5)]
            with pytest.raises(RefusedError, match="at most 4"):
                await one.answer(numbers[-1])
            for number in numbers[:-1]:
                assert (await one.answer(number))["finite"] == 1

    run(work())


def test_a_long_job_gives_way_to_others(monkeypatch: pytest.MonkeyPatch) -> None:
    """One session alone may work for hours; where others wait, not."""
    monkeypatch.setattr(module, "FAIR", 0.0)
    monkeypatch.setattr(module, "LOOK", 0.01)

    async def work() -> None:
        workers = module.Workers(1)
        begun = asyncio.Event()

        async def endless(job: dict[str, Any], report: Any) -> Any:
            begun.set()
            if job["task"] == "endless":
                await asyncio.Event().wait()
            return job["task"]

        monkeypatch.setattr(workers._all[0], "run", endless)
        long = asyncio.create_task(workers.run({"task": "endless"}, Heard(), "a"))
        await begun.wait()
        own = asyncio.create_task(workers.run({"task": "own"}, Heard(), "a"))
        await asyncio.sleep(0.05)
        assert not long.done() and workers.waiting == 1
        other = asyncio.create_task(workers.run({"task": "short"}, Heard(), "b"))
        with pytest.raises(module.JobError, match="while others waited"):
            await long
        assert await own == "own" and await other == "short"
        assert workers.waiting == workers.running == 0

    asyncio.run(work())
