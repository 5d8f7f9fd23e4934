"""Half messages are counted, and the largest goes when there are too many."""

from __future__ import annotations

from kinegen.studio.server.entry.half_messages import HalfMessages


def test_the_largest_goes_when_all_hold_too_much() -> None:
    halves, gone = HalfMessages(100), list[str]()

    def note(name: str, size: int) -> None:
        halves.note(name, size, lambda: gone.append(name))

    note("a", 40)
    note("b", 50)
    note("a", 45)
    assert (halves.total, gone) == (95, [])
    note("c", 10)
    assert (halves.total, gone) == (55, ["b"])
    note("a", 0)  # its message is complete
    assert halves.total == 10
    note("d", 101)
    assert (halves.total, gone) == (10, ["b", "d"])
    halves.forget("c")
    halves.forget("nobody")
    assert halves.total == 0
