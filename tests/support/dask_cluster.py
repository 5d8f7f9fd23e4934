"""A real Dask cluster: a scheduler and workers, each a process of its own."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from unittest import mock

import pytest

from kinegen.cluster import workers as room

HANG = 300
"""[s] Only a cluster that never gets there takes this long."""


def until(condition: Callable[[], bool], what: str) -> None:
    """Wait for a state, however long a busy machine takes."""
    end = time.monotonic() + HANG
    while not condition():
        assert time.monotonic() < end, f"never came: {what}"
        time.sleep(0.02)


class Cluster:
    """A scheduler and its workers; used as a block, after which none of them is left."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.processes: list[subprocess.Popen[bytes]] = []
        self.address = ""

    def __enter__(self) -> Cluster:
        note = self.folder / "scheduler.json"
        self._start("scheduler", "--port", "0", "--host", "127.0.0.1", "--no-dashboard",
                    "--scheduler-file", str(note))  # fmt: skip
        until(lambda: note.exists() and '"address"' in note.read_text(), "the scheduler")
        self.address = str(json.loads(note.read_text())["address"])
        return self

    def __exit__(self, *_: object) -> None:
        for process in reversed(self.processes):
            process.kill()
        for process in self.processes:
            process.wait()

    def worker(self, name: str, **environment: str) -> subprocess.Popen[bytes]:
        """Start a worker with one thread and nobody who would start it again."""
        return self._start("worker", self.address, "--name", name, "--nthreads", "1", "--no-nanny",
                           "--no-dashboard", "--local-directory", str(self.folder / name),
                           **environment)  # fmt: skip

    def _start(self, kind: str, *words: str, **environment: str) -> subprocess.Popen[bytes]:
        log = (self.folder / f"{kind}{len(self.processes)}.log").open("wb")
        with log:
            process = subprocess.Popen(
                [sys.executable, "-m", "dask", kind, *words],
                env=os.environ | environment, stdout=log, stderr=log, cwd=self.folder,
            )  # fmt: skip
        self.processes.append(process)
        return process


@contextlib.contextmanager
def dask_cluster(folder: Path, *, workers: int, patience: float = HANG) -> Iterator[Cluster]:
    """A cluster with this many workers that are there.

    Args:
        folder: For its files.
        workers: How many.
        patience: For how long a scheduler that is lost is tried again [s].
    """
    distributed = pytest.importorskip("distributed", reason="needs kinegen[cluster]")
    folder.mkdir(parents=True, exist_ok=True)
    # a busy machine may take longer than a person would wait
    patient = mock.patch.multiple(room, PATIENCE=patience, ARRIVAL=HANG)
    with patient, Cluster(folder) as cluster:
        for k in range(workers):
            cluster.worker(f"worker-{k}")
        if workers:
            with distributed.Client(cluster.address, set_as_default=False) as client:
                client.wait_for_workers(workers, timeout=HANG)
        yield cluster
