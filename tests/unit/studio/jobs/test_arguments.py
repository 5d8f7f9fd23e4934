from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from kinegen.errors import UsageError
from kinegen.studio.jobs.arguments import Asked


def test_what_is_right_is_taken() -> None:
    given = {"n": 3, "x": 1.5, "word": "a", "list": ["a", "b"], "on": True, "none": None}
    more = {"ranges": {"q": [0, 1]}, "rows": [[1, 2]], "q": [1, 2.5], "in": {"n": 1}}
    asked = Asked({**given, **more})
    assert asked.whole("n", 0, 9) == 3 and asked.number("x", 0, 2) == 1.5
    assert asked.word("word") == "a" and asked.words("list") == ["a", "b"] and asked.flag("on")
    assert asked.ranges() == {"q": (0.0, 1.0)}
    np.testing.assert_array_equal(asked.rows("rows", 2, 3), [[1, 2]])
    np.testing.assert_array_equal(asked.floats("q", 2), [1, 2.5])
    assert asked.numbers("q", (2, 3)) == [1.0, 2.5]
    part = asked.part("in")
    assert part is not None and part.whole("n", 0, 1) == 1
    # null is as good as nothing
    assert not asked.has("none") and asked.number("none", 0, 1) is None
    assert asked.choice("none", ("a", "b"), "b") == "b"


@pytest.mark.parametrize(
    ("look", "value", "words"),
    [
        (lambda a: a.number("k", 0, 1), True, "number from 0 to 1"),
        (lambda a: a.number("k", 0, 1), 2, "number from 0 to 1"),
        (lambda a: a.number("k", 0, 1), float("nan"), "number"),
        (lambda a: a.whole("k", 0, 9), 1.5, "whole"),
        (lambda a: a.word("k"), 3, "word"),
        (lambda a: a.choice("k", ("x",), "x"), "y", "one of x"),
        (lambda a: a.words("k"), ["a", 1], "list of words"),
        (lambda a: a.flag("k"), 1, "true or false"),
        (lambda a: a.ranges("k"), {"a": [1]}, "two numbers"),
        (lambda a: a.ranges("k"), [1, 2], "two numbers"),
        (lambda a: a.rows("k", 2, 3), [], "rows of 2"),
        (lambda a: a.rows("k", 2, 3), [[1, "2"]], "rows of 2"),
        (lambda a: a.floats("k", 2), [1], "2 numbers"),
        (lambda a: a.numbers("k", (2, 3)), [1], "2 or 3 numbers"),
        (lambda a: a.numbers("k", (2, 3)), [1, None], "no number"),
        (lambda a: a.part("k"), 3, "object"),
    ],
)
def test_what_is_wrong_is_said(look: Any, value: Any, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        look(Asked({"k": value}))
