from __future__ import annotations

import errno
import os
import shutil
import signal
import subprocess
import sys
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kinegen as kg
import kinegen.workspace.runs.run as room
from kinegen.errors import UsageError
from kinegen.workspace.runs.run import CloudRun, open_run, run
from tests.support.dask_cluster import dask_cluster, until

zarr = pytest.importorskip("zarr", reason="needs kinegen[cluster]")
LYNX = kg.load("lynx6")


def points_of(found: CloudRun) -> np.ndarray:
    return np.concatenate([piece.points for piece in found])


def test_pieces_together_are_the_cloud(tmp_path: Path) -> None:
    whole = kg.cloud(LYNX.compile(), factor=30, layer="joint:elbow")
    found = run(LYNX, tmp_path / "a.zarr", factor=30, layer="joint:elbow", chunk=100)
    assert found.pieces == found.made == 4 and found.frames == whole.frames
    np.testing.assert_array_equal(points_of(found), whole.points)
    values = np.concatenate([piece.values for piece in found])
    np.testing.assert_array_equal(values, whole.values)
    np.testing.assert_array_equal(found.bounds, whole.bounds)
    with ThreadPoolExecutor(2) as pool:
        shared = run(LYNX, tmp_path / "b.zarr", factor=30, chunk=100, executor=pool)
    np.testing.assert_array_equal(points_of(shared), whole.points)


def test_the_room_is_reached_by_its_name(tmp_path: Path) -> None:
    found = kg.workspace.run(LYNX, tmp_path / "a.zarr", count=100)
    assert found.pieces == 1 and found.pose_count == 100


def test_a_store_describes_itself(tmp_path: Path) -> None:
    run(LYNX, tmp_path / "a.zarr", ranges={"elbow": (0.0, 1.0)}, count=250, chunk=100, seed=3)
    group = zarr.open_group(tmp_path / "a.zarr", mode="r")
    assert group["points"].shape == (5, 3, 250) and group["points"].chunks == (5, 3, 100)
    assert group["points"].metadata.dimension_names == ("frame", "axis", "pose")
    about = group.attrs["kinegen"]
    assert about["plan"]["seed"] == 3 and about["plan"]["count"] == 250
    assert about["units"]["points"] == "m" and about["kind"] == "quasi-random"
    elbow = next(one for one in about["ranges"] if one["name"] == "elbow")
    assert (elbow["lower"], elbow["upper"], elbow["quantity"]) == (0.0, 1.0, "angle")
    again = kg.load(about["plan"]["raff"]).compile()
    # joint values are not kept: they are computed again from the plan
    found = open_run(tmp_path / "a.zarr")
    qs = found.configurations(120, 5)
    for q, places in zip(qs, points_of(found)[120:125], strict=True):
        for frame, place in zip(found.frames, places, strict=True):
            np.testing.assert_allclose(kg.pose(again, q, frame).translation, place, atol=1e-12)


def test_a_store_of_a_model_has_no_text(tmp_path: Path) -> None:
    found = run(LYNX.compile(), tmp_path / "a.zarr", count=50)
    whole = run(LYNX, tmp_path / "b.zarr", count=50)
    np.testing.assert_array_equal(points_of(found), points_of(whole))
    with pytest.raises(UsageError, match="computed from a model"):
        found.configurations(0, 5)


def test_half_the_digits(tmp_path: Path) -> None:
    found = run(LYNX, tmp_path / "a.zarr", count=200, frames=["tool"], chunk=80, dtype="float32")
    points = points_of(found)
    assert points.dtype == np.float32 and points.shape == (200, 1, 3)
    whole = kg.cloud(LYNX.compile(), count=200, frames=["tool"])
    np.testing.assert_array_equal(points, whole.points.astype(np.float32))


def test_a_run_that_was_stopped_goes_on(tmp_path: Path) -> None:
    reports: list[tuple[int, int]] = []

    def stop(done: int, total: int) -> bool:
        reports.append((done, total))
        return done < 200

    folder = tmp_path / "a.zarr"
    with (
        ThreadPoolExecutor(1) as pool,
        pytest.raises(UsageError, match=r"stopped at 200 of 324 poses: the same call continues"),
    ):
        run(LYNX, folder, factor=30, chunk=100, progress=stop, executor=pool)
    assert reports == [(0, 324), (100, 324), (200, 324)]
    part = open_run(folder)
    left = len(part.missing)
    assert 0 < left < 4
    assert sum(len(piece.points) for piece in part) < 324
    reports.clear()
    rest = run(LYNX, folder, factor=30, chunk=100, progress=lambda *now: reports.append(now))
    assert reports[0][0] >= 200 and reports[-1] == (324, 324)
    assert rest.made == left and not rest.missing
    np.testing.assert_array_equal(points_of(rest), kg.cloud(LYNX.compile(), factor=30).points)
    assert run(LYNX, folder, factor=30, chunk=100).made == 0


class Losing(ThreadPoolExecutor):
    """An executor that loses every third piece once, as a worker that dies does."""

    def __init__(self) -> None:
        super().__init__(2)
        self.asked = 0

    def submit(self, fn: Any, /, *args: Any, **options: Any) -> Future[Any]:
        self.asked += 1
        if self.asked % 3 == 0:
            lost: Future[Any] = Future()
            lost.set_exception(RuntimeError("the worker is gone"))
            return lost
        return super().submit(fn, *args, **options)


def test_pieces_of_a_lost_worker_are_made_again_each_once(tmp_path: Path) -> None:
    with Losing() as pool:
        found = run(LYNX, tmp_path / "a.zarr", count=1000, chunk=100, executor=pool)
    assert pool.asked > 10 and found.made == 10
    whole = kg.cloud(LYNX.compile(), count=1000)
    np.testing.assert_array_equal(points_of(found), whole.points)


class Elsewhere(ThreadPoolExecutor):
    """An executor whose workers have another disk."""

    def submit(self, fn: Any, /, *args: Any, **options: Any) -> Future[Any]:
        *before, folder, mark, piece = args
        there = f"{folder}-elsewhere" if piece % 2 else folder
        return super().submit(fn, *before, there, f"not-{mark}", piece, **options)


def test_pieces_come_back_from_workers_that_do_not_see_the_store(tmp_path: Path) -> None:
    with Elsewhere(2) as pool:
        found = run(LYNX, tmp_path / "a.zarr", count=500, chunk=100, executor=pool)
    assert found.made == 5
    np.testing.assert_array_equal(points_of(found), kg.cloud(LYNX.compile(), count=500).points)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows cannot halt a process")
def test_every_pose_is_there_once_though_a_worker_is_killed(tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed", reason="needs kinegen[cluster]")
    poses, chunk = 24_000, 1000
    whole = run(LYNX, tmp_path / "here.zarr", count=poses, chunk=chunk, layer="limits")
    with (
        dask_cluster(tmp_path / "cluster", workers=2) as cluster,
        distributed.Client(cluster.address, set_as_default=False) as client,
    ):
        victim = cluster.processes[1]
        name = next(
            address
            for address, one in client.scheduler_info(n_workers=-1)["workers"].items()
            if one["id"] == "worker-0"
        )
        held: list[int] = []
        killer: list[threading.Thread] = []

        def kill() -> None:
            # halted, it keeps the pieces that it is given: it dies with one in its hands
            until(lambda: bool(client.processing([name])[name]), "a piece for the victim")
            held.append(len(client.processing([name])[name]))
            victim.kill()
            victim.wait()

        def progress(done: int, total: int) -> None:
            if done and not killer:
                assert done < total
                victim.send_signal(signal.SIGSTOP)
                killer.append(threading.Thread(target=kill))
                killer[0].start()

        found = run(
            LYNX, tmp_path / "there.zarr", count=poses, chunk=chunk, layer="limits",
            executor=cluster.address, progress=progress,
        )  # fmt: skip
        killer[0].join()
        left = list(client.scheduler_info(n_workers=-1)["workers"])
    assert held and held[0] >= 1
    assert victim.returncode == -signal.SIGKILL and name not in left and len(left) == 1
    assert found.made == found.pieces == poses // chunk and not found.missing
    for array in ("points", "values", "bounds"):
        mine, theirs = (getattr(one.store, array)[:] for one in (found, whole))
        assert np.isfinite(mine).all()
        assert mine.tobytes() == theirs.tobytes()


def test_a_scheduler_that_dies_is_said_and_the_rest_made_later(tmp_path: Path) -> None:
    folder = tmp_path / "a.zarr"
    with dask_cluster(tmp_path / "cluster", workers=1, patience=10) as cluster:

        def progress(done: int, total: int) -> None:
            if done:
                cluster.processes[0].kill()
                cluster.processes[0].wait()

        with pytest.raises(UsageError, match=r"lost while .* of 50 pieces are kept: the same call"):
            run(LYNX, folder, count=5000, chunk=100, executor=cluster.address, progress=progress)
    left = len(open_run(folder).missing)
    assert 0 < left < 50 and run(LYNX, folder, count=5000, chunk=100).made == left
    whole = kg.cloud(LYNX.compile(), count=5000)
    np.testing.assert_array_equal(points_of(open_run(folder)), whole.points)


def test_a_full_disk_is_said_and_the_rest_made_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put, written = zarr.storage.LocalStore.set, []

    async def full(self: Any, key: str, value: Any) -> None:
        if key.startswith("values/c/"):
            written.append(key)
            if len(written) > 2:
                raise OSError(errno.ENOSPC, "No space left on device")
        await put(self, key, value)

    folder = tmp_path / "a.zarr"
    with monkeypatch.context() as patched:
        patched.setattr(zarr.storage.LocalStore, "set", full)
        with pytest.raises(
            UsageError,
            match=r"written to '.*a\.zarr': No space left .* [12] of 10 pieces are kept: free some",
        ):
            run(LYNX, folder, count=1000, chunk=100)
    # the second piece may still be on its way when the third fails
    left = len(open_run(folder).missing)
    assert left in (8, 9)
    assert run(LYNX, folder, count=1000, chunk=100).made == left
    whole = kg.cloud(LYNX.compile(), count=1000)
    np.testing.assert_array_equal(points_of(open_run(folder)), whole.points)


SMALL_DISK = """
import os, subprocess, sys
from pathlib import Path
import kinegen as kg
from kinegen.errors import UsageError
import kinegen.workspace.runs.run as room

disk = Path(sys.argv[1])
subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "none", str(disk)], check=True)
print("mounted", flush=True)
(disk / "ballast").write_bytes(bytes(600_000))
room.check_disk = lambda *a, **k: None  # it looked large enough when the run began
lynx = kg.load("lynx6")
try:
    room.run(lynx, disk / "a.zarr", count=5000, chunk=500)
except UsageError as error:
    print(error)
(disk / "ballast").unlink()
made = room.run(lynx, disk / "a.zarr", count=5000, chunk=500)
print("then", made.made, made.missing)
whole = kg.cloud(lynx.compile(), count=5000).points
same = all((one.points == whole[one.first : one.first + 500]).all() for one in made)
print("same", same)
"""


@pytest.mark.skipif(shutil.which("unshare") is None, reason="no unshare: no disk of one's own")
def test_a_disk_that_is_really_full(tmp_path: Path) -> None:
    done = subprocess.run(
        ["unshare", "-rm", sys.executable, "-c", SMALL_DISK, str(tmp_path)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if not done.stdout.startswith("mounted"):
        pytest.skip(f"no disk of one's own here: {done.stderr.strip()[-200:]}")
    assert done.returncode == 0, done.stderr
    _, said, then, same = done.stdout.splitlines()
    assert "No space left on device" in said and "of 10 pieces are kept: free some space" in said
    kept = int(said.partition(" of 10 pieces")[0].split()[-1])
    assert 0 < kept < 10 and then == f"then {10 - kept} ()" and same == "same True"


def test_what_differs_from_the_store_is_said(tmp_path: Path) -> None:
    folder = tmp_path / "a.zarr"
    run(LYNX, folder, factor=45, chunk=100)
    with pytest.raises(UsageError, match=r"another cloud: factor 45 there, 30 here\. Use"):
        run(LYNX, folder, factor=30, chunk=100)
    with pytest.raises(UsageError, match=r"dtype float64 there, float32 here"):
        run(LYNX, folder, factor=45, chunk=100, dtype="float32")
    longer = kg.load("lynx6")
    longer.set_parameter("a2", 0.2)
    with pytest.raises(UsageError, match=r"another mechanism; other numbers of the mechanism"):
        run(longer, folder, factor=45, chunk=100)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear")
    with pytest.raises(UsageError, match="already exists and is not a Kinegen cloud"):
        run(LYNX, tmp_path / "mine", factor=45)
    with pytest.raises(UsageError, match="there is no cloud in"):
        open_run(tmp_path / "nothing.zarr")


def test_what_cannot_be_run_leaves_nothing_behind(tmp_path: Path) -> None:
    folder = tmp_path / "a.zarr"
    with pytest.raises(UsageError, match="from 1 to"):
        run(LYNX, folder, factor=45, chunk=0)
    with pytest.raises(UsageError, match="needs all points"):
        run(LYNX, folder, factor=45, layer="density")
    with pytest.raises(UsageError, match="dtypes: float64, float32"):
        run(LYNX, folder, factor=45, dtype="float16")
    with pytest.raises(UsageError, match=r"1e\+12 poses to write: about 120 TB and .*--tool-only"):
        run(LYNX, folder, count=10**12)
    with pytest.raises(UsageError, match="an executor must be one of"):
        run(LYNX, folder, factor=45, executor=4)
    assert os.listdir(tmp_path) == []


def test_without_zarr_the_line_to_type_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "zarr", None)
    with pytest.raises(UsageError, match=r"package 'zarr': pip install 'kinegen\[cluster\]'"):
        room.run(LYNX, tmp_path / "a.zarr", factor=45)
