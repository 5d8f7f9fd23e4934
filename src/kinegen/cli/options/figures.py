"""``--out FILE.svg`` on the command line: results as pictures, and how they are looked at."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from pathlib import Path

from kinegen.errors import UsageError
from kinegen.formats.drawing.figure import View
from kinegen.formats.drawing.pictures.theme import THEMES
from kinegen.formats.reports.result_figure import Drawable, figure
from kinegen.kernels import Floats

__all__ = ["FIGURES", "add_figure", "is_figure", "palette_of", "view_of", "write_figure"]

FIGURES = (".svg", ".pdf", ".png")


def add_figure(parser: argparse.ArgumentParser) -> None:
    """How a picture is looked at, if ``--out`` asks for one."""
    add = parser.add_argument_group("pictures (--out FILE.svg, .pdf or .png)").add_argument
    add("--view", default="auto",
        help="auto, iso, front, top, side, or AZIMUTH,ELEVATION in degrees; several views, "
        "separated by semicolons, are placed side by side; default: auto")  # fmt: skip
    add("--theme", choices=tuple(THEMES), default="light", help="colours; default: light")
    add("--title", help="title above the picture; default: its contents")


def is_figure(file: str | None) -> bool:
    """Whether a file's name asks for a picture."""
    return bool(file) and Path(str(file)).suffix.lower() in FIGURES


def write_figure(
    result: Drawable,
    options: argparse.Namespace,
    *,
    q: Floats | None = None,
    around: Sequence[Floats] = (),
) -> None:
    """Draw a result into the file of ``--out``."""
    views = [view_of(part.strip()) for part in options.view.split(";") if part.strip()]
    made = figure(
        result, views=views, title=options.title, palette=getattr(options, "palette", "safe"),
        theme=options.theme, q=q, around=around,
    )  # fmt: skip
    made.save(options.out)


def palette_of(options: argparse.Namespace) -> dict[str, str]:
    """The option of coloured points, if ``--out`` writes such."""
    is_coloured = Path(options.out).suffix.lower() == ".ply"
    return {"palette": options.palette} if is_coloured else {}


def view_of(text: str) -> View:
    """A view by name, or by two angles."""
    if re.fullmatch(r"[a-z]*", text):
        return text
    azimuth, _, elevation = text.partition(",")
    try:
        return float(azimuth), float(elevation)
    except ValueError:
        raise UsageError(
            f"--view takes a name or two angles, such as 30,20, got '{text}'"
        ) from None
