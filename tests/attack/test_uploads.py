"""Files that are slow to look into: nobody else waits for them."""

from __future__ import annotations

import asyncio
from pathlib import Path

from tests.support.studio import page, run, studio
from tests.unit.studio.server.test_app import fetch


def heavy(size: int) -> list[tuple[str, bytes, str]]:
    """Name, content and answer of files that took the longest to be looked into."""
    return [
        ("x.gltf", b'{"asset": {}, "x": [' + b"{}," * (size // 3) + b"{}]}", "2,000,000 values"),
        ("y.gltf", b"[" * size, "2,000,000 values"),
        ("z.gltf", b'{"asset": {"a": "' + b"x" * size, "is of another kind"),
        ("x.obj", b"\n" * size, "is of another kind"),
        ("x.stl", b"solid facet" + b" " * size, ""),
    ]


def test_nobody_waits_while_large_files_are_looked_into(tmp_path: Path, effort: int) -> None:
    async def work() -> None:
        async with studio(tmp_path) as running, page(running) as one:

            async def put(name: str, data: bytes, words: str) -> None:
                path = f"/upload?file={name}"
                status, _, text = await fetch(running, path, method="POST", body=data)
                assert (status == 400 and words in text.decode()) if words else status == 200

            uploads = asyncio.gather(*(put(*one) for one in heavy(min(effort, 5) * 9 * 2**20)))
            answers = 0
            while not uploads.done():
                # each of these is answered while the files are on their way or being looked into
                await one.ask("open_library", name="four-bar")
                answers += 1
            await uploads
            assert answers > 5

    run(work())
