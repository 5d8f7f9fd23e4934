from __future__ import annotations

import threading
from concurrent.futures import Future, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any

import pytest

from kinegen.cluster import Workers, each, in_order
from kinegen.cluster.tasks import TRIES
from kinegen.errors import UsageError


def square(x: int) -> int:
    return x * x


class Failing(ThreadPoolExecutor):
    """An executor whose first tasks fail, as those of workers that die do."""

    def __init__(self, failures: int, error: Exception) -> None:
        super().__init__(2)
        self.failures, self.error, self.asked = failures, error, 0

    def submit(self, fn: Any, /, *args: Any, **options: Any) -> Future[Any]:
        self.asked += 1
        if self.asked <= self.failures:
            lost: Future[Any] = Future()
            lost.set_exception(self.error)
            return lost
        return super().submit(fn, *args, **options)


def tasks(count: int) -> list[tuple[int, tuple[int]]]:
    return [(k, (k,)) for k in range(count)]


def test_each_key_comes_once_and_in_order_if_asked() -> None:
    with ThreadPoolExecutor(3) as pool:
        workers = Workers(pool, 4, "threads")
        assert dict(each(workers, square, tasks(50))) == {k: k * k for k in range(50)}
        assert list(in_order(workers, square, ((k,) for k in range(50)))) == [
            k * k for k in range(50)
        ]
        assert list(each(workers, square, [])) == []


def test_lost_tasks_are_handed_out_again() -> None:
    with Failing(TRIES - 1, RuntimeError("gone")) as pool:
        found = dict(each(Workers(pool, 1, "them"), square, tasks(5)))
    assert found == {k: k * k for k in range(5)} and pool.asked == 5 + TRIES - 1


def test_a_task_that_always_fails_is_passed_on() -> None:
    with (
        Failing(TRIES, RuntimeError("gone")) as pool,
        pytest.raises(UsageError, match=f"them: a task failed {TRIES} times.*RuntimeError: gone"),
    ):
        list(each(Workers(pool, 1, "them"), square, tasks(5)))


@pytest.mark.parametrize("error", [UsageError("no"), BrokenProcessPool("all dead")])
def test_what_cannot_be_helped_is_not_tried_again(error: Exception) -> None:
    with Failing(1, error) as pool, pytest.raises(UsageError, match=r"no|them: lost while"):
        list(each(Workers(pool, 1, "them"), square, tasks(5)))
    assert pool.asked == 1


def test_no_more_than_the_window_is_under_way_and_the_rest_is_called_off() -> None:
    taken: list[int] = []
    free = threading.Event()

    def some() -> Any:
        for k in range(100):
            taken.append(k)
            yield k, (k,)

    def slow(k: int) -> int:
        if k:
            free.wait()
        return k

    with ThreadPoolExecutor(1) as pool:
        made = each(Workers(pool, 3, "one"), slow, some())
        assert next(made) == (0, 0)
        assert taken == [0, 1, 2]
        made.close()  # type: ignore[attr-defined]
        free.set()
