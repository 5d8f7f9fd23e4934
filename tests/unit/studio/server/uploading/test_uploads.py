"""Files on their way into the project folder."""

from __future__ import annotations

import asyncio
import contextlib
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from kinegen.errors import UsageError
from kinegen.studio.server.uploading import uploads as module
from kinegen.studio.server.uploading.quota import Quota
from kinegen.studio.server.uploading.uploads import TooLargeError, TooManyError, Uploads
from kinegen.studio.session.files.project import Project
from tests.support.studio import HANG, run

pytestmark = pytest.mark.slow

OBJ = b"v 0 0 0\nv 1 0 0\n"


@contextlib.asynccontextmanager
async def uploading(folder: Path, most: int = 2**30) -> AsyncIterator[Uploads]:
    (folder / "project").mkdir(exist_ok=True)
    project = Project(folder / "project")
    uploads = Uploads(project, folder / "state", Quota(project.folder, folder / "state", most))
    try:
        yield uploads
    finally:
        await uploads.close()
        assert list((folder / "state/uploads").glob("*")) == [], "temporary files were left"


async def parts(*content: bytes, end: asyncio.Event | None = None) -> AsyncIterator[bytes]:
    for one in content:
        yield one
    if end is not None:
        await end.wait()


def test_a_file_comes_in_pieces_and_is_stored_once(tmp_path: Path) -> None:
    async def work() -> None:
        async with uploading(tmp_path) as uploads:
            assert await uploads.take("a/box.obj", parts(OBJ[:5], b"", OBJ[5:])) == "a/box.obj"
            assert (tmp_path / "project/a/box.obj").read_bytes() == OBJ
            assert await uploads.take("a/box.obj", parts(OBJ)) == "a/box.obj"
            assert await uploads.take("a/box.obj", parts(OBJ, OBJ)) == "a/box-2.obj"
            with pytest.raises(UsageError, match="its content is of another kind"):
                await uploads.take("x.stl", parts(b"no"))
            with pytest.raises(UsageError, match="kinds of files"):
                await uploads.take("x.py", parts(b"no"))
            with pytest.raises(UsageError, match="not a path"):
                await uploads.take("../x.obj", parts(OBJ))
            assert uploads.count == 3 and uploads.present == 0

    run(work())


def test_too_much_is_refused_early(tmp_path: Path) -> None:
    async def endless() -> AsyncIterator[bytes]:
        while True:
            yield bytes(2**20)

    async def work() -> None:
        async with uploading(tmp_path, most=100) as uploads:
            with pytest.raises(TooLargeError, match="at most 4 MB"):
                await uploads.take("x.raff", endless(), 10**9)
            with pytest.raises(TooLargeError, match="at most 50 MB"):
                await uploads.take("x.stl", endless())
            with pytest.raises(UsageError, match="--quota"):
                await uploads.take("x.obj", parts(OBJ * 20))
            assert list((tmp_path / "project").iterdir()) == []

    run(work())


def test_uploads_that_stall_or_crowd_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "AT_ONCE", 4)
    monkeypatch.setattr(module, "MOST_WAITING", 2)

    async def work() -> None:
        async with uploading(tmp_path) as uploads:
            end = asyncio.Event()
            slow = [
                asyncio.create_task(uploads.take(f"{n}.obj", parts(OBJ, end=end))) for n in range(6)
            ]
            async with asyncio.timeout(HANG):
                while uploads.present < 6:
                    await asyncio.sleep(0.01)
            with pytest.raises(TooManyError, match="try again"):
                await uploads.take("x.obj", parts(OBJ))
            end.set()
            assert await asyncio.gather(*slow) == [f"{n}.obj" for n in range(6)]
            monkeypatch.setattr(module, "STALL", 0.1)
            with pytest.raises(UsageError, match="received no data"):
                await uploads.take("x.obj", parts(OBJ, end=asyncio.Event()))

    run(work())


def test_uploads_that_trickle_make_room_when_others_wait(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "SHARE", 0.0)
    monkeypatch.setattr(module, "TICK", 0.01)

    async def trickle() -> AsyncIterator[bytes]:
        while True:
            yield b"v"
            await asyncio.sleep(0.01)

    async def work() -> None:
        async with uploading(tmp_path) as uploads:
            slow = [
                asyncio.create_task(uploads.take(f"{n}.obj", trickle()))
                for n in range(module.AT_ONCE)
            ]
            await asyncio.sleep(0.1)
            assert not any(one.done() for one in slow)  # nobody waits: they may take their time
            async with asyncio.timeout(HANG):
                assert await uploads.take("x.obj", parts(OBJ)) == "x.obj"
                done, _ = await asyncio.wait(slow, return_when=asyncio.FIRST_COMPLETED)
            with pytest.raises(TooManyError, match="too slow while others were waiting"):
                done.pop().result()
            for one in slow:
                one.cancel()
            await asyncio.gather(*slow, return_exceptions=True)

    run(work())


def test_the_process_has_bounded_memory() -> None:
    code = (
        "import resource; from kinegen.studio.server.uploading import worker as w; "
        "w.serve = lambda *_: print("
        "resource.getrlimit(resource.RLIMIT_AS)[0] == w.MEMORY); w.main()"
    )
    if sys.platform == "win32":
        pytest.skip("memory is not bounded there")
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert said.stdout == "True\n"
