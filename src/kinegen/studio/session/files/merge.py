"""Merging of two texts that were made from a third, line by line."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, deque
from itertools import pairwise

from kinegen.studio.wire.limits import MERGE_LOOKS, MERGE_PAIRS

__all__ = ["merge"]

Span = tuple[int, int, int, int]
"""Lines [a0, a1) of one text that stand where the other has [b0, b1)."""


def merge(base: str, mine: str, theirs: str) -> str | None:
    """The text with both changes; None where they touch the same lines in different ways.

    Lines that stand next to each other may be changed by one and the other. What both changed in
    the same way is no conflict.
    """
    if mine in (base, theirs):
        return theirs
    if theirs == base:
        return mine
    old, ours, others = (text.split("\n") for text in (base, mine, theirs))
    left, right = deque(differences(old, ours)), deque(differences(old, others))
    made: list[str] = []
    at = 0
    while left or right:
        if right and (not left or right[0][:2] < left[0][:2]):
            (start, end, b0, b1), lines, other = right.popleft(), others, left
        else:
            (start, end, b0, b1), lines, other = left.popleft(), ours, right
        if other and _collide((start, end), other[0][:2]):
            same = other.popleft()
            foreign = ours if lines is others else others
            if same[:2] != (start, end) or foreign[same[2] : same[3]] != lines[b0:b1]:
                return None
        made += old[at:start] + lines[b0:b1]
        at = end
    return "\n".join(made + old[at:])


def _collide(a: tuple[int, int], b: tuple[int, int]) -> bool:
    """Whether two spans of lines share one, or both put something in at the same place."""
    return (a[0] < b[1] and b[0] < a[1]) or a == b


def differences(a: list[str], b: list[str]) -> list[Span]:
    """Where two lists of lines differ, in order; in nearly linear time for any of them.

    Lines that both have once are the landmarks (patience diff, B. Cohen); between them the longest
    common run is looked for as long as that is cheap.
    """
    pairs = [(-1, -1), *_matches(a, b), (len(a), len(b))]
    spans = []
    for (a0, b0), (a1, b1) in pairwise(pairs):
        if (a1, b1) != (a0 + 1, b0 + 1):
            spans.append((a0 + 1, a1, b0 + 1, b1))
    return spans


def _matches(a: list[str], b: list[str]) -> list[tuple[int, int]]:
    """Pairs of equal lines, growing in both."""
    found: list[tuple[int, int]] = []
    todo = [(0, len(a), 0, len(b))]
    left = MERGE_LOOKS * (len(a) + len(b)) + MERGE_PAIRS
    while todo:
        a0, a1, b0, b1 = todo.pop()
        while a0 < a1 and b0 < b1 and a[a0] == b[b0]:
            found.append((a0, b0))
            a0, b0 = a0 + 1, b0 + 1
        while a0 < a1 and b0 < b1 and a[a1 - 1] == b[b1 - 1]:
            a1, b1 = a1 - 1, b1 - 1
            found.append((a1, b1))
        if a0 == a1 or b0 == b1:
            continue
        left -= a1 - a0 + b1 - b0
        marks = _landmarks(a, b, (a0, a1, b0, b1)) if left > 0 else []
        if not marks and (a1 - a0) * (b1 - b0) <= min(left, MERGE_PAIRS):
            left -= (a1 - a0) * (b1 - b0)
            found += _common(a, b, (a0, a1, b0, b1))
        for (x0, y0), (x1, y1) in zip([(a0, b0), *marks], [*marks, (a1, b1)], strict=True):
            if marks:
                todo.append((x0, x1, y0, y1))
    return sorted(found)


def _landmarks(a: list[str], b: list[str], span: Span) -> list[tuple[int, int]]:
    """Lines that stand once in both: the longest chain of them that grows in both."""
    a0, a1, b0, b1 = span
    once_a, once_b = Counter(a[a0:a1]), Counter(b[b0:b1])
    places = {line: n for n, line in enumerate(b[b0:b1], b0) if once_b[line] == 1}
    pairs = [
        (n, places[line])
        for n, line in enumerate(a[a0:a1], a0)
        if once_a[line] == 1 and line in places
    ]
    # longest growing chain by patience sorting
    ends: list[int] = []
    tops: list[int] = []
    before = [-1] * len(pairs)
    for n, (_, place) in enumerate(pairs):
        pile = bisect_left(ends, place)
        before[n] = tops[pile - 1] if pile else -1
        ends[pile : pile + 1] = [place]
        tops[pile : pile + 1] = [n]
    chain = []
    n = tops[-1] if tops else -1
    while n >= 0:
        chain.append(pairs[n])
        n = before[n]
    return chain[::-1]


def _common(a: list[str], b: list[str], span: Span) -> list[tuple[int, int]]:
    """Pairs of equal lines of a longest common run of two short stretches."""
    a0, a1, b0, b1 = span
    width = b1 - b0 + 1
    lengths = [[0] * width for _ in range(a1 - a0 + 1)]
    for i in range(a1 - a0 - 1, -1, -1):
        for j in range(width - 2, -1, -1):
            same = a[a0 + i] == b[b0 + j]
            lengths[i][j] = (
                lengths[i + 1][j + 1] + 1 if same else max(lengths[i + 1][j], lengths[i][j + 1])
            )
    found, i, j = [], 0, 0
    while i < a1 - a0 and j < b1 - b0:
        if a[a0 + i] == b[b0 + j]:
            found.append((a0 + i, b0 + j))
            i, j = i + 1, j + 1
        elif lengths[i + 1][j] >= lengths[i][j + 1]:
            i += 1
        else:
            j += 1
    return found
