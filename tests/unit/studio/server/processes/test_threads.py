"""Threads: started when work comes, gone when there is none."""

from __future__ import annotations

import threading
import weakref
from concurrent.futures import CancelledError

import pytest

from kinegen.studio.server.processes.threads import Threads
from tests.support.waiting import wait_for


def test_every_piece_of_work_gets_a_thread_and_all_end() -> None:
    threads = Threads(50, "t", idle=0.01)
    together = threading.Barrier(21)
    done = [threads.submit(together.wait, 60) for _ in range(20)]
    together.wait(60)  # all run at once
    for one in done:
        one.result(60)
    wait_for(lambda: threads.count == 0)
    assert threads.submit(lambda: 7).result(60) == 7


def test_an_idle_thread_is_used_again() -> None:
    threads = Threads(50, "t", idle=60.0)
    first = threads.submit(threading.get_ident).result(60)
    wait_for(lambda: threads._idle == 1)
    assert threads.submit(threading.get_ident).result(60) == first
    threads.shutdown()
    assert threads.count == 0


def test_there_are_never_more_than_allowed() -> None:
    threads = Threads(2, "t")
    go = threading.Event()
    done = [threads.submit(go.wait, 60) for _ in range(5)]
    assert threads.count == 2
    go.set()
    assert [one.result(60) for one in done] == [True] * 5
    threads.shutdown()


def test_errors_come_back_and_nothing_is_held() -> None:
    threads = Threads(2, "t", idle=60.0)
    with pytest.raises(ZeroDivisionError):
        threads.submit(lambda: 1 // 0).result(60)

    class Large:
        pass

    large = Large()
    gone = weakref.ref(large)
    threads.submit(lambda one: None, large).result(60)
    del large
    wait_for(lambda: gone() is None)
    threads.shutdown()


def test_after_the_end_nothing_is_taken() -> None:
    threads = Threads(1, "t")
    go = threading.Event()
    running, waiting = threads.submit(go.wait, 60), threads.submit(go.wait, 60)
    wait_for(running.running)
    threads.shutdown(wait=False, cancel_futures=True)
    go.set()
    assert running.result(60)
    with pytest.raises(CancelledError):
        waiting.result(60)
    with pytest.raises(RuntimeError, match="shutting down"):
        threads.submit(int)


def test_a_system_without_threads_is_an_error_only_where_there_are_none(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    threads = Threads(5, "t")
    go = threading.Event()
    first = threads.submit(go.wait, 60)
    wait_for(lambda: first.running())

    def refuse(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patch:
        patch.setattr(threading.Thread, "start", refuse)
        second = threads.submit(int)
        with pytest.raises(RuntimeError):
            Threads(5, "none").submit(int)
    go.set()
    assert second.result(60) == 0
    threads.shutdown()
