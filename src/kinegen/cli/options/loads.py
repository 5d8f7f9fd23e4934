"""Loads on the command line: forces and moments on frames and links, and gravity."""

from __future__ import annotations

import argparse
import re

import numpy as np

from kinegen.cli.options.arguments import numbers_of, words_of
from kinegen.errors import UsageError
from kinegen.kernels import Floats
from kinegen.mechanism.model import Model

__all__ = ["add_gravity", "add_loads", "parse_gravity", "parse_loads"]

_KINDS = ["force"] * 3 + ["torque"] * 3
_PLAIN = r"[A-Za-z][\w.-]*"


STRONGEST = 1e6
"""Of gravity [m/s²]: a hundred thousand times the Earth's."""


def add_loads(parser: argparse.ArgumentParser) -> None:
    """``--load`` for forces and moments."""
    parser.add_argument(
        "--load", metavar='"FRAME=FX,FY,FZ …"', action="append", default=[],
        help='forces on frames or links in world axes ("tool=0,0,-10", newtons); six numbers '
        "include moments [N m]; specify several in one text or repeat the option",
    )  # fmt: skip


def add_gravity(parser: argparse.ArgumentParser) -> None:
    """``--gravity`` instead of the file's."""
    parser.add_argument(
        "--gravity",
        metavar='"X Y Z"',
        help="replaces the gravity of the file [m/s²], such as '0 -9.81 0'",
    )


def parse_gravity(text: str | None) -> tuple[float, float, float] | None:
    """Gravity [m/s²] from what was typed; None: the file's."""
    if text is None:
        return None
    x, y, z = numbers_of("--gravity", text, ["acceleration"] * 3)
    if max(map(abs, (x, y, z))) > STRONGEST:
        raise UsageError(f"--gravity {text}: use at most {STRONGEST:g} m/s²")
    return x, y, z


def parse_loads(model: Model, texts: list[str]) -> dict[str, Floats]:
    """Wrenches by name from 'frame=fx,fy,fz other=…'."""
    loads: dict[str, Floats] = {}
    names = _name_pattern(model)
    for text in texts:
        found = list(names.finditer(text))
        if not found or text[: found[0].start()].strip():
            raise UsageError(f"--load '{text}': specify FRAME=fx,fy,fz in newtons")
        ends = [match.start() for match in found[1:]] + [len(text)]
        for match, end in zip(found, ends, strict=True):
            name, numbers = match[1], text[match.end() : end].strip(" ,;")
            words = words_of(numbers)
            if len(words) not in {3, 6}:
                raise UsageError(
                    f"--load '{name}={numbers}': specify {name}=fx,fy,fz in newtons, or six "
                    "numbers, "
                    "with moments in N m"
                )
            model.site(name)  # the error for an unknown name lists those that exist
            values = np.zeros(6)
            values[: len(words)] = numbers_of("--load", ", ".join(words), _KINDS[: len(words)])
            loads[name] = loads.get(name, np.zeros(6)) + values
    return loads


def _name_pattern(model: Model) -> re.Pattern[str]:
    """Finds names before '=': plain ones, and the model's own of any other form."""
    odd = sorted((one for one in model.site_names if not re.fullmatch(_PLAIN, one)), key=len)
    forms = "|".join([*map(re.escape, reversed(odd)), _PLAIN])
    return re.compile(rf"(?:^|[\s,;])({forms})\s*=")
