"""Prints what pip installs to build Kinegen and to have some of its extras, one package a line."""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

SETTINGS = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text("utf-8"))
EXTRAS: dict[str, list[str]] = SETTINGS["project"]["optional-dependencies"]


def packages(extra: str) -> Iterator[str]:
    """The packages of an extra, and of the extras that it names."""
    for package in EXTRAS[extra]:
        names = re.fullmatch(r"kinegen\[(.*)\]", package)
        if names is None:
            yield package
        else:
            for name in names[1].split(","):
                yield from packages(name)


if __name__ == "__main__":
    build = [*SETTINGS["build-system"]["requires"], "cmake>=3.20", "ninja"]
    wanted = [package for extra in sys.argv[1:] for package in packages(extra)]
    sys.stdout.write("\n".join([*build, *SETTINGS["project"]["dependencies"], *wanted]) + "\n")
