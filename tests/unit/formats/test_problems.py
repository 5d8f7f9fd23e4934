"""Problems of files in other formats."""

from __future__ import annotations

import pickle

from kinegen.errors import Problem
from kinegen.formats.problems import FormatProblems


def test_problems_pass_between_processes() -> None:
    error = FormatProblems([Problem("a.urdf", 2, 1, "later"), Problem("a.urdf", 1, 7, "first")])
    other = pickle.loads(pickle.dumps(error))
    assert str(other) == str(error) == "a.urdf:1:7: first\na.urdf:2:1: later"
    assert other.problems == error.problems
