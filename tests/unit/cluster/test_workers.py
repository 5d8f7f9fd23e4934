from __future__ import annotations

import contextlib
import socket
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from kinegen.cluster import open_workers
from kinegen.cluster import workers as room
from kinegen.errors import UsageError
from tests.support.dask_cluster import dask_cluster

NEEDS = "needs kinegen[cluster]"


def double(x: int) -> int:
    return 2 * x


def test_threads_and_executors() -> None:
    with open_workers() as here:
        assert here.submit(double, 4).result() == 8
    with ThreadPoolExecutor(3) as pool:
        with open_workers(pool) as there:
            assert there.window == 6 and there.submit(double, 4).result() == 8
        assert pool.submit(double, 1).result() == 2  # not ours to close


def test_a_client_its_executor_and_an_address(tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed", reason=NEEDS)
    with dask_cluster(tmp_path, workers=1) as cluster:
        with distributed.Client(cluster.address, set_as_default=False) as client:
            for given in (client, client.get_executor(), cluster.address):
                with open_workers(given) as workers:
                    assert workers.window == 2 and cluster.address in workers.place
                    # a builtin: workers need not see this file
                    assert workers.submit(max, 3, 4).result() == 4
            assert client.status == "running"


def test_processes_started_here() -> None:
    pytest.importorskip("distributed", reason=NEEDS)
    with open_workers("local:1") as workers:
        assert workers.window == 2 and workers.submit(max, 3, 4).result() == 4


def test_what_is_no_cluster_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match=r"an executor must be one of .* not int"), open_workers(4):
        pass
    monkeypatch.setitem(sys.modules, "distributed", None)
    with (
        pytest.raises(UsageError, match=r"package 'distributed': pip install 'kinegen\[cluster\]'"),
        open_workers("tcp://127.0.0.1:8786"),
    ):
        pass


@pytest.mark.parametrize("address", ["local:", "local:none", "local:0"])
def test_processes_are_counted(address: str) -> None:
    pytest.importorskip("distributed", reason=NEEDS)
    with pytest.raises(UsageError, match="as local:4"), open_workers(address):
        pass


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "nonsense", "foo://bar:1"])
def test_a_scheduler_that_does_not_answer(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed", reason=NEEDS)
    monkeypatch.setattr(room, "PATIENCE", 1.0)
    before = set(threading.enumerate())
    with pytest.raises(UsageError, match=rf"no Dask scheduler answers at '{address}'"):
        with open_workers(address):
            pass
    # what was begun is ended: none of Dask's loops is left
    assert [one.name for one in set(threading.enumerate()) - before if "loop" in one.name] == []


def test_a_scheduler_without_workers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed", reason=NEEDS)
    with dask_cluster(tmp_path, workers=0) as cluster:
        monkeypatch.setattr(room, "ARRIVAL", 0.2)
        with pytest.raises(UsageError, match=r"has no workers: start some with `dask worker tcp:"):
            with open_workers(cluster.address):
                pass


def test_a_worker_without_kinegen(tmp_path: Path) -> None:
    pytest.importorskip("distributed", reason=NEEDS)
    hidden = tmp_path / "hidden"
    hidden.mkdir()
    (hidden / "sitecustomize.py").write_text("import sys\nsys.modules['kinegen'] = None\n")
    with dask_cluster(tmp_path, workers=0) as cluster:
        cluster.worker("bare", PYTHONPATH=str(hidden))
        with pytest.raises(
            UsageError, match=r"1 of the cluster's workers .* has Kinegen none .*pip install"
        ):
            with open_workers(cluster.address):
                pass


class Strange:
    """A server that is no scheduler: it sends something, or nothing, to whoever comes."""

    def __init__(self, words: bytes) -> None:
        self.words = words
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.address = f"tcp://127.0.0.1:{self.socket.getsockname()[1]}"
        self.guests: list[socket.socket] = []
        self.thread = threading.Thread(target=self.serve)

    def serve(self) -> None:
        with contextlib.suppress(OSError):  # closed
            while True:
                guest, _ = self.socket.accept()
                self.guests.append(guest)
                with contextlib.suppress(OSError):
                    guest.sendall(self.words)

    def __enter__(self) -> Strange:
        self.thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self.socket.shutdown(socket.SHUT_RDWR)
        for one in (self.socket, *self.guests):
            one.close()
        self.thread.join()


@pytest.mark.parametrize("words", [b"", b"HTTP/1.1 400 Bad Request\r\n\r\n", b"\xff" * 4096])
def test_something_else_at_the_address(words: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """A length of exabytes in a strange message is no lack of memory here."""
    pytest.importorskip("distributed", reason=NEEDS)
    monkeypatch.setattr(room, "PATIENCE", 1.0)
    with Strange(words) as server:
        with pytest.raises(UsageError, match=rf"no Dask scheduler answers at '{server.address}'"):
            with open_workers(server.address):
                pass


@pytest.mark.parametrize("address", ["local:257", "local:99999999999999999999", "local:²"])
def test_more_processes_than_a_machine_takes(address: str) -> None:
    pytest.importorskip("distributed", reason=NEEDS)
    with pytest.raises(UsageError, match="1 to 256"), open_workers(address):
        pass


@pytest.mark.parametrize("error", [KeyboardInterrupt(), RuntimeError("no room"), MemoryError()])
def test_processes_that_cannot_be_started_are_ended(
    error: BaseException, monkeypatch: pytest.MonkeyPatch
) -> None:
    distributed = pytest.importorskip("distributed", reason=NEEDS)
    closed: list[object] = []

    class Failing:
        def __init__(self, **options: object) -> None:
            raise error

        def close(self, timeout: float) -> None:
            closed.append(self)

    monkeypatch.setattr(distributed, "LocalCluster", Failing)
    wanted = KeyboardInterrupt if isinstance(error, KeyboardInterrupt) else UsageError
    with pytest.raises(wanted) as caught, open_workers("local:2"):
        pass
    assert len(closed) == 1
    assert wanted is KeyboardInterrupt or "2 processes cannot be started" in str(caught.value)
