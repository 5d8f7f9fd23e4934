"""Every figure of the two papers is made by the one command that the gallery shows."""

from __future__ import annotations

import importlib.util
import re
import shlex
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from types import ModuleType

import pytest

from kinegen.cli import main

pytestmark = pytest.mark.slow

DOCS = Path(__file__).parents[2] / "docs"
REMAKE = "run `make gallery` and look at the pictures that changed"


def _gallery() -> ModuleType:
    spec = importlib.util.spec_from_file_location("gallery", DOCS / "make" / "gallery.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # a dataclass looks its own module up
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


GALLERY = _gallery()
ROWS = [(paper, figure) for paper, (_, _, all_) in GALLERY.PAPERS.items() for figure in all_]
COMMANDS = [(paper, figure) for paper, figure in ROWS if figure.command]


def _texts(file: Path) -> list[str]:
    """All words of a picture: titles, counts, legend, axes."""
    return [part.text or "" for part in ET.parse(file).iter() if part.tag.endswith("text")]


@pytest.mark.parametrize(
    ("paper", "figure"), COMMANDS, ids=[f"{paper}-{figure.number}" for paper, figure in COMMANDS]
)
def test_command_makes_the_picture(
    paper: str, figure: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(shlex.split(GALLERY.command_of(paper, figure))[1:]) == 0
    shown = GALLERY.picture_of(paper, figure)
    assert _texts(tmp_path / shown.name) == _texts(shown), REMAKE


@pytest.mark.parametrize(("paper", "last"), [("ras", 10), ("rd", 7)])
def test_every_numbered_figure_is_there(paper: str, last: int) -> None:
    found = {
        int(re.match(r"\d+", figure.number)[0])  # type: ignore[index]
        for one, figure in ROWS
        if one == paper
    }
    assert found == set(range(1, last + 1))


def test_every_figure_is_shown_or_explained() -> None:
    for paper, figure in ROWS:
        if figure.command or figure.picture:
            assert GALLERY.picture_of(paper, figure).is_file(), figure.number
        else:
            assert figure.note, figure.number


def test_no_picture_is_left_over_or_too_large() -> None:
    made = {GALLERY.picture_of(paper, figure) for paper, figure in COMMANDS if not figure.picture}
    files = set(GALLERY.FIGURES.iterdir())
    assert files == made, REMAKE
    assert max(file.stat().st_size for file in files) < 200_000
    assert sum(file.stat().st_size for file in files) < 3_000_000
