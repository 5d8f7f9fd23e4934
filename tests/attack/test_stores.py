"""Stores under attack: whatever is done to their files, the same call makes the same cloud."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import kinegen as kg
from kinegen.errors import KinegenError
from kinegen.workspace.runs.run import open_run, run, verify_run

pytest.importorskip("zarr", reason="needs kinegen[cluster]")
ASKED = {"count": 380, "chunk": 100, "layer": "limits"}
LYNX = kg.load("lynx6")


def contents(folder: Path) -> dict[str, bytes]:
    """Every file with numbers; metadata may differ in what means the same."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != "zarr.json"
    }


def files(folder: Path, dice: random.Random, count: int) -> list[Path]:
    return dice.sample(sorted(path for path in folder.rglob("*") if path.is_file()), count)


def flip(folder: Path, dice: random.Random) -> None:
    (path,) = files(folder, dice, 1)
    text = bytearray(path.read_bytes())
    text[dice.randrange(len(text))] ^= 1 << dice.randrange(8)
    path.write_bytes(text)


def cut(folder: Path, dice: random.Random) -> None:
    (path,) = files(folder, dice, 1)
    os.truncate(path, dice.randrange(path.stat().st_size))


def grow(folder: Path, dice: random.Random) -> None:
    (path,) = files(folder, dice, 1)
    with path.open("ab") as file:
        file.write(dice.randbytes(dice.choice((1, 4, 5000))))


def delete(folder: Path, dice: random.Random) -> None:
    (path,) = files(folder, dice, 1)
    path.unlink()


def delete_folder(folder: Path, dice: random.Random) -> None:
    shutil.rmtree(dice.choice([path for path in folder.rglob("*") if path.is_dir()]))


def swap(folder: Path, dice: random.Random) -> None:
    one, other = files(folder, dice, 2)
    aside = folder / "aside"
    one.rename(aside)
    other.rename(one)
    aside.rename(other)


def swap_pieces(folder: Path, dice: random.Random) -> None:
    """Two chunks of one array, which Zarr itself cannot distinguish."""
    array = dice.choice(["points/c/0/0/{}", "values/c/0/{}", "bounds/c.{}.0.0.0", "checks/c.{}.0"])
    one, other = (folder / array.format(piece) for piece in dice.sample(range(4), 2))
    text = one.read_bytes()
    one.write_bytes(other.read_bytes())
    other.write_bytes(text)


def copy_over(folder: Path, dice: random.Random) -> None:
    one, other = files(folder, dice, 2)
    shutil.copyfile(one, other)


def fold(folder: Path, dice: random.Random) -> None:
    (path,) = files(folder, dice, 1)
    path.unlink()
    (path / "inside").mkdir(parents=True)


def file_for_folder(folder: Path, dice: random.Random) -> None:
    path = dice.choice([path for path in folder.rglob("*") if path.is_dir()])
    shutil.rmtree(path)
    path.write_bytes(b"no folder")


def link(folder: Path, dice: random.Random) -> None:
    (path,) = files(folder, dice, 1)
    path.unlink()
    path.symlink_to(dice.choice(["/dev/zero", "/nowhere/at/all"]))


def pipe(folder: Path, dice: random.Random) -> None:
    (path,) = files(folder, dice, 1)
    path.unlink()
    os.mkfifo(path)


def blow_up(folder: Path, dice: random.Random) -> None:
    """A file of a terabyte that takes no room."""
    chunks = [path for path in folder.rglob("c*") if path.is_file()]
    os.truncate(dice.choice(chunks), 1 << 40)


def forget(folder: Path, dice: random.Random) -> None:
    """Metadata that are JSON, but something else."""
    path = dice.choice(sorted(folder.rglob("zarr.json")))
    path.write_text(dice.choice(["", "[]", "null", "{}", '{"zarr_format": 3}', "[" * 9999]))


ATTACKS = (
    flip, cut, grow, delete, delete_folder, swap, swap_pieces, copy_over, fold, file_for_folder,
    link, pipe, blow_up, forget,
)  # fmt: skip


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole") / "a.zarr"
    run(LYNX, folder, **ASKED)
    assert verify_run(folder).is_whole
    return folder


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pipes in folders")
@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.__name__)
def test_what_is_damaged_is_named_and_made_again(
    whole: Path, tmp_path: Path, effort: int, attack: Callable[[Path, random.Random], None]
) -> None:
    wanted = contents(whole)
    for seed in range(effort):
        folder = tmp_path / f"{seed}.zarr"
        shutil.copytree(whole, folder)
        for hit in range(1 + (seed + 1) % 3):
            attack(folder, random.Random(f"{attack.__name__} {seed} {hit}"))
        try:
            changed = contents(folder) != wanted
        except (OSError, OverflowError, MemoryError):
            changed = True
        try:
            state = verify_run(folder)
        except KinegenError as error:  # nothing of it is known any more
            assert "not a Kinegen cloud" in str(error)
            continue
        assert not (changed and state.is_whole)
        try:
            seen = sum(len(piece.points) for piece in open_run(folder))
            assert seen == 380 or state.missing
        except KinegenError as error:
            assert "is damaged" in str(error)
        again = run(LYNX, folder, **ASKED)
        assert len(again.repaired) >= len(state.faults)
        assert verify_run(folder).is_whole
        assert contents(folder) == wanted
        shutil.rmtree(folder)


KILLED = """
import os, sys, threading, kinegen as kg
import kinegen.workspace.runs.store as room
left = int(sys.argv[2])
put = room.CloudStore.write
lock = threading.Lock()
def write(self, piece, *arrays):
    global left
    with lock:
        left -= 1
        if left < 0:
            # between any two files of a piece
            self.points[:, :, self.part(piece)] = arrays[0]
            if piece % 2:
                self.values[:, self.part(piece)] = arrays[1]
            os.kill(os.getpid(), 9)
    put(self, piece, *arrays)
room.CloudStore.write = write
kg.workspace.run(kg.load("lynx6"), sys.argv[1], count=380, chunk=100, layer="limits")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signals")
def test_a_run_that_is_killed_again_and_again_ends_with_the_same_store(
    whole: Path, tmp_path: Path, effort: int
) -> None:
    folder = tmp_path / "a.zarr"
    for count in (0, 1, 2)[: 1 + effort]:
        ended = subprocess.run(
            [sys.executable, "-c", KILLED, str(folder), str(count)], check=False, timeout=120
        )
        assert ended.returncode == -9
        assert not verify_run(folder).faults  # half a piece is none
    for left in folder.rglob("*.partial"):  # of other threads; only old ones are no one's
        os.utime(left, (0, 0))
    run(LYNX, folder, **ASKED)
    assert contents(folder) == contents(whole)
