"""Tasks handed out a few at a time; those of workers that are lost are handed out again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Future, wait
from typing import Any, TypeVar

from kinegen.cluster.workers import Workers
from kinegen.errors import KinegenError, UsageError

__all__ = ["TRIES", "LostWorkersError", "each", "in_order"]

TRIES = 3
"""How often a task is handed out before its failure is passed on."""
_Key = TypeVar("_Key")
_Made = TypeVar("_Made")


class LostWorkersError(UsageError):
    """All who worked are gone, or a task fails wherever it is tried."""


def each(
    workers: Workers, work: Callable[..., _Made], tasks: Iterable[tuple[_Key, tuple[Any, ...]]]
) -> Iterator[tuple[_Key, _Made]]:
    """Results as they come, each key once.

    Errors that Kinegen raises on purpose end the work at once; others may come from a lost worker,
    and the task is tried again. When the caller goes no further, what waits is called off.

    Args:
        workers: Who works.
        work: What is done, a function that workers can import.
        tasks: Keys with the arguments of each task; asked for only when a worker is free.
    """
    left = iter(tasks)
    running: dict[Future[_Made], tuple[_Key, tuple[Any, ...], int]] = {}

    def hand_out(key: _Key, given: tuple[Any, ...], tries: int) -> None:
        running[workers.submit(work, *given)] = (key, given, tries)

    try:
        while True:
            while len(running) < workers.window:
                task = next(left, None)
                if task is None:
                    break
                hand_out(*task, 1)
            if not running:
                return
            done, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                key, given, tries = running.pop(future)
                try:
                    made = future.result()
                except KinegenError:
                    raise
                except (CancelledError, BrokenExecutor) as error:
                    raise LostWorkersError(
                        f"{workers.place}: lost while working ({type(error).__name__})"
                    ) from error
                except Exception as error:
                    if tries >= TRIES:
                        raise LostWorkersError(
                            f"{workers.place}: a task failed {TRIES} times, the last time with "
                            f"{type(error).__name__}: {error}"
                        ) from error
                    hand_out(key, given, tries + 1)
                    continue
                yield key, made
    finally:
        for future in running:
            future.cancel()


def in_order(
    workers: Workers, work: Callable[..., _Made], given: Iterable[tuple[Any, ...]]
) -> Iterator[_Made]:
    """Results in the order of their tasks, whoever was first."""
    early: dict[int, _Made] = {}
    turn = 0
    for key, made in each(workers, work, enumerate(given)):
        early[key] = made
        while turn in early:
            yield early.pop(turn)
            turn += 1
