"""Watch links: every message and every path, also those that nobody has thought of yet."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from websockets.asyncio.client import connect

from kinegen.studio.server.serve import Running
from kinegen.studio.wire.messages import FROM_PAGE, PersonPose, ScreenDrawn
from tests.support.messages import sample
from tests.support.studio import HANG, Page, address, greeting, page, run, studio
from tests.unit.studio.server.test_app import fetch

MESHES = """\
raff: 1
name: shown
joints:
  - {name: A, parent: base, shape: parts/seen.stl}
objects:
  - {name: crate, shape: {mesh: scene.gltf}}
"""


@asynccontextmanager
async def watching(running: Running, owner: Page) -> AsyncIterator[Page]:
    """A page that has the watch link and nothing else."""
    token = owner.welcome["watch_link"].partition("token=")[2]
    async with connect(
        address(running, token=token), open_timeout=HANG, compression=None, max_size=None
    ) as socket:
        one = Page(socket)
        await greeting(one)
        yield one
        await one.leave()


def test_no_message_of_a_watcher_does_anything(tmp_path: Path) -> None:
    async def work() -> None:
        async with studio(tmp_path) as running, page(running) as owner:
            (tmp_path / "project/secret.raff").write_text("raff: 1\nname: secret\njoints: []\n")
            q = owner.snapshot["q"]
            async with watching(running, owner) as watcher:
                welcome = watcher.welcome
                assert welcome["read_only"] and welcome["secret"] is None
                assert welcome["files"] == [] and welcome["recovered"] == []
                assert welcome["folder"] == ""
                before = (owner.snapshot, len(running.hub.rooms))
                for cls in FROM_PAGE:
                    if cls in (PersonPose, ScreenDrawn):
                        continue  # others see where a watcher is, screens watch: nothing changes
                    fields = {"q": q} if cls.KIND in ("export", "commit_pose") else {}
                    answers = len(watcher.find("refused"))
                    await watcher.send(**sample(cls, **fields))
                    await watcher.until(lambda n=answers: len(watcher.find("refused")) > n)
                    assert "is view-only" in watcher.find("refused")[-1]["message"], cls.KIND
                assert watcher.find("done") == [] and not watcher.closed
                # poses are let fall
                await watcher.pose([9.0] * len(q))
                await owner.ask("mobility", q=q)
                assert running.hub.rooms[welcome["session"]].session.live.tolist() == q
                assert owner.poses == []
                assert (owner.snapshot, len(running.hub.rooms)) == before
            assert sorted(p.name for p in (tmp_path / "project").iterdir()) == ["secret.raff"]

    run(work())


def test_a_watcher_cannot_become_more_by_its_hello(tmp_path: Path) -> None:
    async def work() -> None:
        async with studio(tmp_path) as running, page(running) as owner, page(running) as other:
            token = owner.welcome["watch_link"].partition("token=")[2]
            hellos = [
                {"session": other.welcome["session"]},
                {"session": other.welcome["session"], "secret": other.welcome["secret"]},
                {"session": owner.welcome["session"], "secret": owner.welcome["secret"]},
                {"recover": "abcdef"},
                {"open": "stewart"},
                {"session": "\u00e9", "secret": "\u00e9"},
            ]
            for hello in hellos:
                first = {"kind": "hello", "schema": "", "session": None, "secret": None, **hello}
                async with connect(
                    address(running, token=token), open_timeout=HANG, compression=None
                ) as socket:
                    await socket.send(json.dumps(first))
                    answer = json.loads(await socket.recv())
                    if answer["kind"] == "welcome":
                        assert answer["read_only"] and answer["secret"] is None
                        assert answer["session"] == owner.welcome["session"]
                    else:
                        assert answer["kind"] == "refused"
            assert len(running.hub.rooms) == 2

    run(work())


def test_a_watcher_fetches_the_page_and_what_it_sees(tmp_path: Path) -> None:
    async def work() -> None:
        built = tmp_path / "client"
        built.mkdir()
        (built / "index.html").write_text("<!doctype html>")
        (built / "app.js").write_text("1")
        async with studio(tmp_path, client=built) as running, page(running) as owner:
            project = tmp_path / "project"
            (project / "parts").mkdir()
            for name in (
                "parts/seen.stl",
                "parts/unseen.stl",
                "scene.bin",
                "other.bin",
                "mine.png",
            ):
                (project / name).write_bytes(b"solid x")
            (project / "scene.gltf").write_text('{"buffers": [{"uri": "scene.bin"}]}')
            await owner.ask("open_text", text=MESHES)
            made = await owner.ask("export", format="svg", q=owner.snapshot["q"])
            token = owner.welcome["watch_link"].partition("token=")[2]
            own = {"Cookie": f"{running.guard.watch_cookie('x')}={token}"}
            seen = {"/": 200, "/app.js": 200, "/kinegen.wasm": 200, "/files/parts/seen.stl": 200,
                    "/files/scene.gltf": 200, "/files/scene.bin": 200}  # fmt: skip
            closed = ["/files/parts/unseen.stl", "/files/other.bin", "/files/mine.png", "/metrics",
                      f"/{made['link']}", "/none", "/files", "/upload", "/app.js/x", "//ws",
                      "/files/parts/../parts/unseen.stl", "/health/x", "/docs"]  # fmt: skip
            for path, status in {**seen, **dict.fromkeys(closed, 403)}.items():
                found, headers, _ = await fetch(running, path, headers=own, known=False)
                assert found == status, (path, found)
                assert "set-cookie" not in headers
            for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS"):
                for path in ("/upload?file=x.obj", "/", "/files/parts/seen.stl", "/ws"):
                    found, _, _ = await fetch(
                        running, path, method=method, body=b"v 0 0 0", headers=own, known=False
                    )
                    assert found == 403, (method, path)
            # once the owner shows something else, that is what may be fetched
            await owner.ask("open_library", name="four-bar")
            path = "/files/parts/seen.stl"
            assert (await fetch(running, path, headers=own, known=False))[0] == 403

    run(work())
