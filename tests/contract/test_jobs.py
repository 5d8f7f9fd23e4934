"""Server jobs only translate: what they work out is done in rooms that everybody can use."""

from __future__ import annotations

import ast
from pathlib import Path

import kinegen.studio.jobs as jobs

FOLDER = Path(jobs.__path__[0])
LONGEST = 150
"""Lines of a job."""
LONGER = {"curves.py": 185, "path.py": 165, "cloud.py": 160, "zone.py": 160,
          "pool.py": 240}  # fmt: skip
"""Those that answer several questions, and the pool of processes: they must not grow."""
SOLVERS = ("kinegen.kernels.", "kinegen.kinematics.solving.dragging")
"""What a job has no business with: it asks the rooms below for a whole answer."""
MATHS = {"linalg", "kernels", "solver"}
"""Attributes that say that a job calculates by itself."""
EXCUSED = {("curves.py", "linalg"), ("goal.py", "linalg"), ("worker.py", "linalg")}
"""A vector made a unit vector, and the error of a matrix that is caught."""


def test_jobs_are_short_and_do_not_calculate() -> None:
    wrong = []
    for file in sorted(FOLDER.rglob("*.py")):
        text = file.read_text(encoding="utf-8")
        lines = text.count("\n")
        if lines > LONGER.get(file.name, LONGEST):
            wrong.append(f"{file.name} has {lines} lines: move what it works out to a room below")
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith(SOLVERS):
                wrong.append(f"{file.name} imports {node.module}")
            if isinstance(node, ast.Attribute) and node.attr in MATHS:
                if (file.name, node.attr) not in EXCUSED:
                    wrong.append(f"{file.name}:{node.lineno} uses .{node.attr}")
    assert wrong == []
