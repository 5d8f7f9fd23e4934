"""Draws every mechanism of the library and writes the page that shows them (``make gallery``).

The pictures and the page depend on the library alone: drawing twice gives the same bytes, and
``tests/contract/test_docs.py`` compares them with the files in the repository.
"""

from __future__ import annotations

import textwrap
from pathlib import Path

import kinegen as kg
from kinegen.formats.svg import draw

DOCS = Path(__file__).parent
PAGE = DOCS / "gallery.md"
PICTURES = DOCS / "gallery"

SECTIONS: dict[str, tuple[str, ...]] = {
    "Arms": (
        *("puma560", "ur5e", "franka", "so101", "irb2400", "pa10", "a255", "rhino-xr3"),
        *("teachmover", "lynx6", "pioneer2", "bionic-3", "amtec-7", "arm-6"),
        *("serial-5", "redundant-7"),
    ),
    "Trees and floating bases": ("humanoid-30", "cart", "crawler"),
    "Planar linkages": (
        *("four-bar", "slider-crank", "five-bar", "five-bar-b", "eight-bar", "eight-bar-b"),
        *("peaucellier", "3-rrr"),
    ),
    "Spatial closed loops": (
        *("stewart", "delta", "tricept", "parallel-18", "hybrid-9", "five-bar-spatial"),
        "bricard",
    ),
}
"""The page's sections, each with its mechanisms in the order they are shown."""

INTRODUCTION = """\
# Gallery

Every mechanism of the library in its start pose, drawn by `kinegen draw` from its file alone: link
shapes follow from the joints where the file gives none. The number of freedoms counts all joints;
each loop takes some of them away.

This page and its pictures are made by `make gallery`.
"""


def picture(name: str) -> str:
    """The SVG text of a library mechanism in its start pose."""
    mechanism = kg.load(name)
    model = mechanism.compile()
    return draw(model, kg.forward(model)[: model.link_count], title=mechanism.title)


def page() -> str:
    """The Markdown text of the page."""
    shown = [name for names in SECTIONS.values() for name in names]
    if sorted(shown) != kg.library_names():
        odd = sorted(set(shown) ^ set(kg.library_names()))
        raise SystemExit(f"SECTIONS and the library differ in: {', '.join(odd) or 'duplicates'}")
    parts = [INTRODUCTION]
    for title, names in SECTIONS.items():
        parts.append(f"## {title}\n")
        parts += [_entry(name) for name in names]
    return "\n".join(parts)


def _entry(name: str) -> str:
    mechanism = kg.load(name)
    model = mechanism.compile()
    title = mechanism.title or name
    sizes = [(len(model.joints), "joint"), (len(model.loops), "loop"), (model.nv, "freedom")]
    counted = ", ".join(f"{n} {what}{'' if n == 1 else 's'}" for n, what in sizes)
    text = textwrap.fill(" ".join((mechanism.description or "").split()), 100)
    source = f"[file](../src/kinegen/mechanism/library/{name}.raff)"
    image = f"![{title}](gallery/{name}.svg)"
    return f"### {title}\n\n{image}\n\n`{name}` · {counted} · {source}\n\n{text}\n"


def main() -> None:
    """Write the page and all pictures, and remove pictures of mechanisms that are gone."""
    PICTURES.mkdir(exist_ok=True)
    PAGE.write_text(page(), encoding="utf-8", newline="\n")
    names = kg.library_names()
    for name in names:
        (PICTURES / f"{name}.svg").write_text(picture(name), encoding="utf-8", newline="\n")
    for file in PICTURES.glob("*.svg"):
        if file.stem not in names:
            file.unlink()
    print(f"drew {len(names)} mechanisms into {PICTURES}")  # noqa: T201 - a command's answer


if __name__ == "__main__":
    main()
