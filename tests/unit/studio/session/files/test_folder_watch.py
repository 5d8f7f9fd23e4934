"""What other programs do to the project folder reaches the pages."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from kinegen.studio.session.files import folder_watch as module
from tests.support.studio import RefusedError, page, run, studio

TEXT = "raff: 1\nname: arm\njoints:\n  - {name: A, parent: base, d: 0.1}\n"


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is tested is that it is noticed, not when."""
    monkeypatch.setattr(module, "WATCH", 0.02)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "project").mkdir()
    place = tmp_path / "project/arm.raff"
    place.write_text(TEXT)
    return place


def conflict(one: Any) -> Any:
    found = one.find("disk")
    return found[-1]["conflict"] if found else None


def test_a_clean_page_follows_and_one_with_work_chooses(tmp_path: Path, file: Path) -> None:
    async def work() -> None:
        async with (
            studio(tmp_path, first="arm.raff") as running,
            page(running) as clean,
            page(running) as dirty,
        ):
            assert clean.snapshot["file"] == "arm.raff"
            await dirty.ask("edit_text", text=TEXT + "# mine\n")
            file.write_text(TEXT + "# theirs\n")
            await clean.until(lambda: clean.snapshot["text"].endswith("# theirs\n"))
            assert not clean.snapshot["dirty"] and clean.snapshot["undo"] == "read arm.raff again"
            await clean.wait("notice", level="info")
            await dirty.until(lambda: conflict(dirty))
            assert conflict(dirty)["theirs"] == TEXT + "# theirs\n"
            assert dirty.snapshot["text"] == TEXT + "# mine\n"
            # a page that comes later, or only watches
            known = {key: dirty.welcome[key] for key in ("session", "secret")}
            async with page(running, **known) as again:
                await again.until(lambda: conflict(again))
            async with page(running, session=known["session"]) as watcher:
                assert watcher.find("disk") == []
            with pytest.raises(RefusedError, match="changed on disk"):
                await dirty.ask("save", file="arm.raff")
            refused = dirty.find("refused")[-1]
            assert refused["conflict"] == conflict(dirty)
            version = conflict(dirty)["version"]
            await dirty.ask("save", file="arm.raff", overwrite=version)
            await dirty.until(lambda: conflict(dirty) is None)
            assert file.read_text() == TEXT + "# mine\n"
            # which the other session takes over again
            await clean.until(lambda: clean.snapshot["text"].endswith("# mine\n"))

    run(work())


def test_the_file_is_taken_over_on_request(tmp_path: Path, file: Path) -> None:
    async def work() -> None:
        async with studio(tmp_path, first="arm.raff") as running, page(running) as one:
            await one.ask("edit_text", text=TEXT + "# mine\n")
            file.write_text(TEXT + "# theirs\n")
            await one.until(lambda: conflict(one))
            await one.ask("take_from_disk", version=conflict(one)["version"])
            assert one.snapshot["text"] == TEXT + "# theirs\n" and not one.snapshot["dirty"]
            await one.until(lambda: conflict(one) is None)
            await one.ask("undo")
            assert one.snapshot["text"] == TEXT + "# mine\n"

    run(work())


def test_the_list_of_files_is_kept(tmp_path: Path, file: Path) -> None:
    async def work() -> None:
        async with studio(tmp_path, first="arm.raff") as running, page(running) as one:
            (file.parent / "new.raff").write_text(TEXT)
            await one.wait("files", files=["arm.raff", "new.raff"])
            (file.parent / "new.raff").unlink()
            await one.until(lambda: one.find("files")[-1]["files"] == ["arm.raff"])
            file.rename(file.with_name("moved.raff"))
            await one.until(lambda: one.find("files")[-1]["files"] == ["moved.raff"])
            await one.until(lambda: one.snapshot["dirty"])
            notice = await one.wait("notice", level="warning")
            assert "deleted or renamed" in notice["message"]
            await one.ask("save", file="arm.raff")
            assert file.read_text() == TEXT
            # gone before anybody looked: what the page heard from saving is corrected
            said = len(one.find("files"))
            result = await one.ask("save", file="brief.raff")
            assert "brief.raff" in result["files"]
            (file.parent / "brief.raff").unlink()
            await one.until(
                lambda: (new := one.find("files")[said:]) and "brief.raff" not in new[-1]["files"]
            )
            await one.until(lambda: one.snapshot["dirty"])

    run(work())


def test_a_room_at_a_long_change_holds_up_no_other(tmp_path: Path, file: Path) -> None:
    async def work() -> None:
        async with (
            studio(tmp_path, first="arm.raff") as running,
            page(running) as slow,
            page(running) as quick,
        ):
            begun, go = asyncio.Event(), asyncio.Event()
            room = running.hub.rooms[slow.welcome["session"]]

            async def hold() -> None:
                async with room._lock:
                    begun.set()
                    await go.wait()

            task = asyncio.create_task(hold())
            await begun.wait()
            for n in range(3):
                file.write_text(f"{TEXT}# {n}\n")
                await quick.until(lambda n=n: quick.snapshot["text"].endswith(f"# {n}\n"))
            go.set()
            await task
            await slow.until(lambda: slow.snapshot["text"].endswith("# 2\n"))

    run(work())


def test_included_files_are_followed(tmp_path: Path, file: Path) -> None:
    """Also when they are broken or gone for a while, and when nobody ever had them."""
    part = file.with_name("part.raff")
    part.write_text(TEXT)
    file.write_text("raff: 1\nname: arm\nrobots:\n  - {name: r, include: part.raff}\n")

    def joints(one: Any) -> list[str]:
        return [joint["name"] for joint in one.snapshot["model"]["joints"]]

    async def work() -> None:
        async with studio(tmp_path, first="arm.raff") as running, page(running) as one:
            before = joints(one)
            assert "r.A" in before and "r.B" not in before
            await one.ask("commit_pose", q=[0.1 for _ in one.snapshot["q"]], label="move")
            part.write_text(TEXT + "  - {name: B, parent: A, d: 0.1}\n")
            await one.until(lambda: "r.B" in joints(one))
            assert not one.snapshot["dirty"] and len(one.snapshot["q"]) == 2
            await one.wait("notice", level="info")
            # steps of before fit what the files hold now
            await one.ask("undo")
            assert len(one.snapshot["q"]) == 2
            part.write_text("raff: 1\njoints: 7\n")
            await one.until(lambda: one.snapshot["problems"])
            assert "r.B" in joints(one)
            part.unlink()
            await one.until(lambda: "no such file" in str(one.snapshot["problems"]))
            part.write_text(TEXT)
            await one.until(lambda: not one.snapshot["problems"])
            assert joints(one) == before
            new = "raff: 1\nname: arm\nrobots:\n  - {name: r, include: new.raff}\n"
            await one.ask("edit_text", text=new)
            assert one.snapshot["problems"]
            file.with_name("new.raff").write_text(TEXT.replace("A", "C"))
            await one.until(lambda: "r.C" in joints(one))
            assert one.snapshot["text"] == new and not one.snapshot["problems"]

    run(work())


def test_a_look_that_fails_is_not_the_last(
    tmp_path: Path, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, failures = module.FolderWatch._stats, []

    def stats(self: module.FolderWatch, files: set[str]) -> Any:
        if len(failures) < 3:
            failures.append(files)
            raise RecursionError
        return real(self, files)

    monkeypatch.setattr(module.FolderWatch, "_stats", stats)

    async def work() -> None:
        async with studio(tmp_path, first="arm.raff") as running, page(running) as one:
            file.write_text(TEXT + "# theirs\n")
            await one.until(lambda: one.snapshot["text"].endswith("# theirs\n"))
            assert len(failures) == 3

    run(work())
