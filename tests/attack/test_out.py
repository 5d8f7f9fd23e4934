"""Files that commands write: the old one or the new one, whatever happens, and nothing beside."""

from __future__ import annotations

import errno
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import kinegen
from kinegen.cli import main
from kinegen.cli.main import EXIT_INPUT, EXIT_OK, EXIT_STOPPED
from tests.unit.cli.conftest import surroundings

PATH = ["five-bar", "--shape", "segment", "--from", "0.1 0.3 0", "--to", "0.12 0.3 0",
        "--points", "4", "--out"]  # fmt: skip
MAP = ["map", "five-bar", "--box", "0.1 0.3 0; 0.12 0.3 0", "--points", "2", "--out"]
PLAY = ["backlash", "five-bar", "--angle", "1 deg", "--out"]
CLOUD = ["workspace", "bionic-3", "--factor", "60", "--out"]
ZONE = ["zone", "five-bar", "--step", "30 deg", "--out"]
RUN = ["simulate", "four-bar", "--time", "20 ms", "--out"]
WRITERS = [
    ["draw", "four-bar", "--out", "a.svg"],
    ["tour", "four-bar", "--out", "a.svg"],
    ["schema", "--out", "a.json"],
    ["convert", "four-bar", "a.raff"],
    ["design", "five-bar", "--free", "crank", "--goal", "cover", "--box", "0 0.3 0; 0 0.31 0",
     "--starts", "1", "--tries", "2", "--points", "1", "--out", "a.raff"],
    ["singular", "five-bar", "--heading", "-1 0 0", "--cross", "0", "--out", "a.csv"],
    *([*MAP, f"a.{kind}"] for kind in ("svg", "csv")),
    [*PLAY, "a.ply"],
    *(["path", *PATH, f"a.{kind}"] for kind in ("csv", "json", "npz", "mcap", "gcode", "svg")),
    ["plot", *PATH, "a.pdf"],
    *([*CLOUD, f"a.{kind}"] for kind in ("csv", "npz", "glb")),
    *([*ZONE, f"a.{kind}"] for kind in ("csv", "svg")),
    *([*RUN, f"a.{kind}"] for kind in ("csv", "json", "npz", "mcap")),
    *(["export", "four-bar", f"a.{kind}"] for kind in ("glb", "gltf", "csv", "json", "svg")),
]  # fmt: skip


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch) -> Callable[[BaseException], None]:
    """Let the disk fail, or Ctrl-C come, when a file is complete but not yet in its place."""

    def set_up(raised: BaseException) -> None:
        def fail(_: int) -> None:
            raise raised

        monkeypatch.setattr("kinegen.files.os.fsync", fail)

    return set_up


@pytest.mark.parametrize("words", WRITERS, ids=lambda words: f"{words[0]} {words[-1]}")
def test_a_full_disk_leaves_the_old_file(
    words: list[str],
    failing: Callable[[BaseException], None],
    capsys: pytest.CaptureFixture[str],
) -> None:
    place = Path(words[-1])
    place.write_bytes(b"old")
    failing(OSError(errno.ENOSPC, "No space left on device"))
    assert main(words) == EXIT_INPUT
    assert capsys.readouterr().err == f"kinegen: {place}: No space left on device\n"
    assert (place.read_bytes(), os.listdir()) == (b"old", [place.name])


def test_ctrl_c_leaves_the_old_file(failing: Callable[[BaseException], None]) -> None:
    Path("a.svg").write_bytes(b"old")
    failing(KeyboardInterrupt())
    assert main(["draw", "four-bar", "--out", "a.svg"]) == EXIT_STOPPED
    assert (Path("a.svg").read_bytes(), os.listdir()) == (b"old", ["a.svg"])


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such permissions")
def test_a_new_file_has_the_permissions_of_the_old_one() -> None:
    place = Path("a.csv")
    place.touch(0o640)
    assert main(["export", "four-bar", "a.csv"]) == EXIT_OK
    assert place.stat().st_size and place.stat().st_mode & 0o777 == 0o640


@pytest.mark.skipif(sys.platform != "linux", reason="sizes of files are limited by the shell")
def test_a_file_that_may_not_grow_leaves_the_old_one(tmp_path: Path) -> None:
    Path("a.svg").write_bytes(b"old")
    done = subprocess.run(
        ["sh", "-c", f"ulimit -f 1; '{sys.executable}' -m kinegen draw four-bar --out a.svg"],
        env=surroundings(), capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (EXIT_INPUT, "kinegen: a.svg: File too large\n")
    assert (Path("a.svg").read_bytes(), os.listdir()) == (b"old", ["a.svg"])


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such streams")
@pytest.mark.parametrize("streams", ["| cat", "> all.txt", ">> all.txt"])
def test_standard_output_can_be_named(streams: str) -> None:
    Path("all.txt").write_text("before\n" if ">>" in streams else "")
    line = f"'{sys.executable}' -m kinegen schema --out /dev/stdout {streams}"
    done = subprocess.run(
        ["sh", "-c", line], env=surroundings(), capture_output=True, text=True, check=False,
        timeout=120,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (EXIT_OK, "")
    text = done.stdout + Path("all.txt").read_text()
    assert '"$schema"' in text
    assert text.startswith("before\n") == (">>" in streams)
    assert os.listdir() == ["all.txt"]


def test_one_function_writes_every_file() -> None:
    """Direct writing is what leaves half a file: only these may, and say why."""
    allowed = {
        "files.py",  # the one function
        "cli/terminal.py",  # /dev/null
        "studio/wire/tables/__main__.py",  # a tool of the repository
        "studio/session/journals/autosave.py",  # a lock, never read
        "world/log/csv_log.py",  # grows while a world runs: what is there must survive a crash
        "world/log/mcap_log.py",
        "kinematics/collisions/meshes.py",  # what a child process says, in a folder for a moment
        "formats/fmi/platforms.py",  # sources for a compiler, in a folder for a moment
        "studio/server/uploading/uploads.py",  # into the state folder, where it is checked first
    }
    writing = re.compile(r"""\.write_(text|bytes)\(|\bopen\([^()]*["'][wax]b?\+?["']|np\.save""")
    root = Path(kinegen.__file__).parent
    found = {
        path.relative_to(root).as_posix()
        for path in root.rglob("*.py")
        for line in path.read_text("utf-8").splitlines()
        if writing.search(line) and "np.savez" not in line
    }
    assert found <= allowed
