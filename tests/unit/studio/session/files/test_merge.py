"""Two changes of one text: both are in the merged text, or nothing is merged."""

from __future__ import annotations

import random
import time

import pytest

from kinegen.studio.session.files.merge import differences, merge

BASE = "a\nb\nc\nd\ne\n"


@pytest.mark.parametrize(
    ("mine", "theirs", "both"),
    [
        (BASE, BASE, BASE),
        ("a\nB\nc\nd\ne\n", BASE, "a\nB\nc\nd\ne\n"),
        ("a\nB\nc\nd\ne\n", "a\nb\nc\nD\ne\n", "a\nB\nc\nD\ne\n"),
        # lines next to each other
        ("a\nB\nc\nd\ne\n", "a\nb\nC\nd\ne\n", "a\nB\nC\nd\ne\n"),
        ("a\nb\nd\ne\n", "a\nb\nc\nd\ne\nf\n", "a\nb\nd\ne\nf\n"),
        ("x\n" + BASE, BASE + "y\n", "x\n" + BASE + "y\n"),
        # the same change twice
        ("a\nB\nc\nd\ne\n", "a\nB\nc\nd\nE\n", "a\nB\nc\nd\nE\n"),
        # the same lines, or the same place, in different ways
        ("a\nB\nc\nd\ne\n", "a\nX\nc\nd\ne\n", None),
        ("a\nb\nd\ne\n", "a\nb\nC\nd\ne\n", None),
        ("a\nb\n1\nc\nd\ne\n", "a\nb\n2\nc\nd\ne\n", None),
        ("", "a\nb\nC\nd\ne\n", None),
        ("a\nX\nY\nd\ne\n", "a\nb\nc\nZ\ne\n", "a\nX\nY\nZ\ne\n"),
        ("a\nX\nY\nZ\ne\n", "a\nb\nW\nd\ne\n", None),
        # put in within what the other removed
        ("a\nX\ne\n", "a\nb\nc\nnew\nd\ne\n", None),
        ("a\nX\ne\n", "a\nnew\nb\nc\nd\ne\n", "a\nnew\nX\ne\n"),
        # without a last line end, and with other ones
        ("a\nb\nc\nd\ne", "A\nb\nc\nd\ne\n", "A\nb\nc\nd\ne"),
        ("a\r\nb\nc\nd\ne\n", "a\nb\nc\nd\nE\n", "a\r\nb\nc\nd\nE\n"),
    ],
)
def test_changes_of_different_lines_are_merged(mine: str, theirs: str, both: str | None) -> None:
    assert merge(BASE, mine, theirs) == both
    assert merge(BASE, theirs, mine) == both


def test_differences_turn_one_text_into_the_other() -> None:
    noise = random.Random(3)
    for _ in range(400):
        a = [noise.choice("abcdefgh") for _ in range(noise.randrange(12))]
        b = [noise.choice("abcdefgh") for _ in range(noise.randrange(12))]
        made, at = [], 0
        for a0, a1, b0, b1 in differences(a, b):
            assert a0 >= at and (a0 < a1 or b0 < b1)
            made += a[at:a0] + b[b0:b1]
            at = a1
        assert made + a[at:] == b


def test_every_line_of_both_changes_is_in_the_merged_text() -> None:
    """Law, for changes anywhere: what only one has put in is there, what one removed is not."""
    noise = random.Random(5)
    merged = 0
    base = [f"{n}" for n in range(8)]
    for _ in range(2000):

        def changed(name: str) -> list[str]:
            lines = [*base]
            for n in range(noise.randrange(1, 3)):
                at = noise.randrange(len(lines))
                lines[at : at + noise.randrange(3)] = [f"{name}{n}"] * noise.randrange(2)
            return lines

        mine, theirs = changed("m"), changed("t")
        found = merge("\n".join(base), "\n".join(mine), "\n".join(theirs))
        if found is None:
            continue
        merged += 1
        lines = found.split("\n") if found else []
        assert sorted(one for one in lines if one[0] in "mt") == sorted(
            one for one in mine + theirs if one[0] in "mt"
        )
        assert [one for one in lines if one in base] == [
            one for one in base if one in mine and one in theirs
        ]
    assert merged > 300


def test_a_merge_is_as_if_one_change_came_after_the_other() -> None:
    """Law: changes of disjoint lines, made in either order, give the same text."""
    noise = random.Random(4)
    merged = 0
    for _ in range(300):
        base = [str(noise.randrange(30)) for _ in range(30)]
        cut = noise.randrange(1, 29)

        def changed(lines: list[str]) -> list[str]:
            made: list[str] = []
            for line in lines:
                odds = noise.random()
                made += [] if odds < 0.1 else [f"new {noise.random()}"] if odds < 0.2 else [line]
            return made

        head, tail = changed(base[:cut]), changed(base[cut:])
        mine, theirs = "\n".join(head + base[cut:]), "\n".join(base[:cut] + tail)
        found = merge("\n".join(base), mine, theirs)
        merged += found is not None
        assert found in (None, "\n".join(head + tail))
    assert merged > 250, "lines that stand in many places may seem to be changed by both"


@pytest.mark.parametrize("line", ["same", "{n}", "{odd}"])
def test_long_texts_take_no_longer_than_their_length(line: str) -> None:
    count = 100_000
    old = [line.format(n=n, odd=n % 7) for n in range(count)]
    mine = old[: count // 2] + ["mine"] + old[count // 2 :]
    theirs = [*old[: count // 3], *old[count // 3 + 1 :], "theirs"]
    begun = time.monotonic()
    merge("\n".join(old), "\n".join(mine), "\n".join(theirs))
    # linear work takes a fraction of a second, quadratic an hour
    assert time.monotonic() - begun < 60
