"""Workers from whatever names them: an executor, a Dask client, an address, or nothing."""

from __future__ import annotations

import contextlib
import importlib
import logging
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

from kinegen.errors import UsageError

__all__ = ["Executors", "Workers", "missing_extra", "open_workers"]

Executors: TypeAlias = Any
"""An executor of ``concurrent.futures``, a Dask client or its executor, the address of a Dask
scheduler ('tcp://10.0.0.5:8786'), 'local:4' for four processes here, or None for this process."""

THREADS = 2
"""Of this process: one piece is written while the next is made; kernels have threads of their own.
"""
PATIENCE = 5.0
"""How long a scheduler may take to answer [s]."""
SILENCE = 15.0
"""How long an open connection may be silent before it counts as lost [s]; Dask needs 11 or more."""
ARRIVAL = 10.0
"""How long a scheduler without workers is waited for [s]."""
MOST_PROCESSES = 256
"""That are started here."""
EXTRA = "pip install 'kinegen[cluster]'"
_Made = TypeVar("_Made")


@dataclass(frozen=True, slots=True)
class Workers:
    """What takes tasks."""

    executor: Executor
    window: int
    """Tasks that are handed out at a time: enough to keep all busy, few enough for memory."""
    place: str
    """Where they are, in words."""

    def submit(self, work: Callable[..., _Made], *given: Any) -> Future[_Made]:
        """Hand out one task."""
        return self.executor.submit(work, *given)


def missing_extra(what: str, package: str) -> UsageError:
    """The error for a package that is not installed, with the line to type."""
    return UsageError(f"{what} needs the package '{package}': {EXTRA}")


@contextlib.contextmanager
def open_workers(executor: Executors = None) -> Iterator[Workers]:
    """Workers for as long as the block lasts; what was opened here is closed, the rest is left.

    Raises:
        UsageError: When there are none: the extra is missing, nobody answers at the address, or
            workers lack this version of Kinegen.
    """
    if executor is None:
        pool = ThreadPoolExecutor(THREADS, thread_name_prefix="kinegen")
        try:
            yield Workers(pool, THREADS, "this process")
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
    elif isinstance(executor, str):
        with _dialled(executor) as client:
            yield _of_client(client)
    elif hasattr(executor, "get_executor"):
        yield _of_client(executor)
    elif hasattr(getattr(executor, "_client", None), "get_executor"):  # what get_executor() gives
        yield _of_client(executor._client)
    elif isinstance(executor, Executor):
        count = getattr(executor, "_max_workers", None)
        yield Workers(executor, 2 * count if isinstance(count, int) else 16, "an executor")
    else:
        raise UsageError(
            "an executor must be one of concurrent.futures, a Dask client, the address of a "
            f"scheduler ('tcp://…:8786') or 'local:4', not {type(executor).__name__}"
        )


@contextlib.contextmanager
def _dialled(address: str) -> Iterator[Any]:
    """A client of the scheduler at an address, or of processes that are started here."""
    try:
        distributed: Any = importlib.import_module("distributed")
    except ImportError as error:
        raise missing_extra(f"a cluster at '{address}'", "distributed") from error
    kind, colon, rest = address.partition(":")
    if kind == "local":
        if not (colon and rest.isdecimal() and 0 < int(rest) <= MOST_PROCESSES):
            raise UsageError(
                f"'{address}': specify the number of processes, 1 to {MOST_PROCESSES}, such as "
                "local:4"
            )
        with _quiet(), _started(distributed, int(rest)) as client:
            yield client
        return
    with _quiet(), _answering(distributed, address) as client:
        yield client


@contextlib.contextmanager
def _answering(distributed: Any, address: str) -> Iterator[Any]:
    """A client of a scheduler that runs somewhere."""
    timeouts = {"connect": PATIENCE, "tcp": SILENCE}
    waiting = {f"distributed.comm.timeouts.{what}": f"{s}s" for what, s in timeouts.items()}
    # made in two steps, so that one that fails can be closed: left to the garbage collector it
    # would close itself in any thread, and may wait for a lock that the next client holds
    client = distributed.Client.__new__(distributed.Client)
    try:
        with importlib.import_module("dask.config").set(waiting):
            _greet(distributed, address)
            client.__init__(address, timeout=PATIENCE, set_as_default=False)
    except BaseException as error:
        _abandon(client)
        # whatever answers there may send anything: lengths of exabytes, text that is no message
        if not isinstance(error, Exception):
            raise  # Ctrl-C
        raise UsageError(
            f"no Dask scheduler answers at '{address}' ({type(error).__name__}): start one with "
            "`dask scheduler` and use the address that it prints, such as tcp://127.0.0.1:8786"
        ) from error
    with client:
        yield client


def _greet(distributed: Any, address: str) -> None:
    """Exchange greetings with a scheduler; a client itself would wait forever for the answer."""
    import asyncio

    async def greet() -> None:
        connecting = importlib.import_module("distributed.comm").connect(address, timeout=PATIENCE)
        comm = await asyncio.wait_for(connecting, PATIENCE)
        await comm.close()

    runner = distributed.utils.LoopRunner()
    runner.start()
    try:
        runner.run_sync(greet)
    finally:
        runner.stop()


def _abandon(client: Any) -> None:
    """Close a client that never got far, and keep it from closing itself again later."""
    with contextlib.suppress(Exception):
        client.close(timeout=1)
    with contextlib.suppress(Exception):
        client._loop_runner.stop()  # which close() leaves where nobody ever answered
    with contextlib.suppress(Exception):
        client.status = "closed"


@contextlib.contextmanager
def _started(distributed: Any, count: int) -> Iterator[Any]:
    """A client of processes that are started here, and ended however the block ends."""
    cluster = distributed.LocalCluster.__new__(distributed.LocalCluster)
    try:
        # any free port: several may run beside each other
        cluster.__init__(n_workers=count, threads_per_worker=1, dashboard_address="127.0.0.1:0")
        client = distributed.Client(cluster, set_as_default=False, timeout=ARRIVAL)
    except BaseException as error:
        with contextlib.suppress(Exception):
            cluster.close(timeout=ARRIVAL)
        if not isinstance(error, Exception):
            raise  # Ctrl-C
        raise UsageError(
            f"{count} processes cannot be started here ({type(error).__name__}: {error}): use "
            "fewer, or none (without --cluster)"
        ) from error
    with cluster, client:
        yield client


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Dask's own words about lost connections left out: errors here say it in one sentence."""
    loggers = [logging.getLogger(name) for name in ("distributed", "distributed.client")]
    levels = [logger.level for logger in loggers]
    try:
        for logger in loggers:
            logger.setLevel(logging.CRITICAL)
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


def _of_client(client: Any) -> Workers:
    """The workers of a Dask client, each with the Kinegen of this process."""
    where = str(client.scheduler.address)
    try:
        client.wait_for_workers(1, timeout=ARRIVAL)
    except TimeoutError as error:
        raise UsageError(
            f"the scheduler at '{where}' has no workers: start some with `dask worker {where}`"
        ) from error
    _check_versions(client)
    count = len(client.scheduler_info(n_workers=-1)["workers"])
    return Workers(client.get_executor(pure=False), 2 * count, f"the cluster at '{where}'")


def _check_versions(client: Any) -> None:
    """See that every worker has this Kinegen: another one's poses might differ."""

    def version() -> str:
        # defined here so that it travels as code: a worker without Kinegen can run it
        from importlib import import_module

        try:
            return str(import_module("kinegen").__version__)
        except ImportError as error:
            return f"none ({error})"

    ours = version()
    wrong = {
        worker: found
        for worker, found in client.run(version, on_error="return").items()
        if found != ours
    }
    if wrong:
        worker, found = next(iter(wrong.items()))
        raise UsageError(
            f"{len(wrong)} of the cluster's workers have another version: the one at '{worker}' "
            "has Kinegen "
            f"{found}, this machine has {ours}; install the same version there (pip install "
            f"'kinegen[cluster]=={ours}') and start the worker again"
        )
