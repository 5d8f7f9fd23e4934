"""RAFF texts that grow: of everything as much as is asked for."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["LARGE_TEXTS", "arm_text", "chain_text", "loops_text"]


def _rows(section: str, rows: list[str]) -> str:
    return f"{section}:\n" + "".join(f"  - {{{row}}}\n" for row in rows)


def _joints(rows: list[str]) -> str:
    return "raff: 1\n" + _rows("joints", rows)


def _parameters(lines: list[str], joint: str = "name: A, parent: base, d: p0") -> str:
    return (
        "raff: 1\nparameters:\n"
        + "".join(f"  {line}\n" for line in lines)
        + _rows("joints", [joint])
    )


def arm_text(count: int) -> str:
    """A chain of hinges, one on the other."""
    return _joints(
        [
            f"name: J{i}, parent: {f'J{i - 1}' if i else 'base'}, d: 0.01, alpha: 90 deg"
            for i in range(count)
        ]
    )


def chain_text(count: int) -> str:
    """Parameters that each follow the one before."""
    return _parameters(["p0: 1", *(f"p{i}: p{i - 1} + 0.001" for i in range(1, count))])


def sums_text(count: int) -> str:
    """Sums of all parameters so far: everything depends on everything before."""
    half = max(count // 2, 1)
    own = [f"p{i}: {i * 0.001}" for i in range(half)]
    return _parameters([*own, "s0: p0", *(f"s{i}: s{i - 1} + p{i}" for i in range(1, half))])


def loops_text(count: int, gap: float = 0.0) -> str:
    """Triangles side by side, each a loop of its own; open by ``gap`` [m] where it is not 0."""
    rows = []
    for i in range(max(count // 3, 1)):
        rows += [
            f"name: a{i}, parent: base, d: {i}",
            f"name: b{i}, parent: a{i}, d: 1, start: 2.0943951",
            f"name: c{i}, parent: b{i}, d: 1, closes: {{onto: base, d: {i + 1 + gap}}}",
        ]
    return _joints(rows)


LARGE_TEXTS: dict[str, Callable[[int], str]] = {
    "parameters": lambda n: _parameters([f"p{i}: {i * 0.001}" for i in range(n)]),
    "chain of parameters": chain_text,
    "sums of parameters": sums_text,
    "chain of joints": arm_text,
    "joints side by side": lambda n: _joints(
        [f"name: J{i}, parent: base, d: 0.01" for i in range(n)]
    ),
    "a parameter for each joint": lambda n: (
        "raff: 1\nparameters:\n"
        + "".join(f"  p{i}: {i * 0.001}\n" for i in range(n // 2))
        + _rows("joints", [f"name: J{i}, parent: base, d: 2*p{i}" for i in range(n // 2)])
    ),
    "loops": loops_text,
    "frames": lambda n: (
        _joints(["name: A, parent: base"])
        + _rows("frames", [f"name: f{i}, parent: A, d: 0.01" for i in range(n)])
    ),
    "objects": lambda n: (
        "raff: 1\njoints: []\n"
        + _rows("objects", [f"name: o{i}, shape: {{sphere: 1}}" for i in range(n)])
    ),
    "a motion": lambda n: (
        _joints(["name: A, parent: base"])
        + f"motions:\n  - name: m\n    joints: [A]\n    times: {list(range(n))}\n"
        + f"    values: {[[i] for i in range(n)]}\n"
    ),
    "included robots": lambda n: (
        "raff: 1\n"
        + _rows("robots", [f"name: r{i}, include: four-bar" for i in range(max(n // 4, 1))])
    ),
    "one long line": lambda n: (
        "raff: 1\njoints: []\nparameters: {" + ", ".join(f"p{i}: {i}" for i in range(n)) + "}\n"
    ),
    "unknown parents": lambda n: _joints([f"name: J{i}, parent: K{i}" for i in range(n)]),
    "unknown parameters": lambda n: _joints(
        [f"name: J{i}, parent: base, d: q{i}" for i in range(n)]
    ),
    "unknown overrides": lambda n: (
        "raff: 1\nrobots:\n  - name: r\n    include: four-bar\n"
        + "    parameters: {"
        + ", ".join(f"q{i}: 1" for i in range(n))
        + "}\n"
    ),
    "unknown colours": lambda n: _joints(
        [f"name: J{i}, parent: base, color: blurple{i}" for i in range(n)]
    ),
    "empty values on one line": lambda n: (
        "raff: 1\njoints: ["
        + ", ".join(f"{{name: J{i}, parent: base, d: }}" for i in range(n))
        + "]\n"
    ),
    "the same name": lambda n: _joints(["name: J, parent: base"] * n),
    "a circle of parameters": lambda n: _parameters([f"p{i}: p{(i + 1) % n}" for i in range(n)]),
    "a circle of parents": lambda n: _joints(
        [f"name: J{i}, parent: J{(i + 1) % n}" for i in range(n)]
    ),
}
"""By name; what a text holds grows with the number, good texts and bad ones."""
