"""A hook of mkdocs that makes pictures of mechanisms draggable: landing page and gallery.

The build exports every mechanism of the library as one web page; `live.js` puts it into the place
of its picture when the picture is pressed, or at once for the first ones of the landing page.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

import kinegen as kg
from kinegen.formats.registry import format_named

SITE = Path(__file__).parent
LANDING = ("four-bar", "stewart", "delta", "peaucellier", "puma560", "humanoid-30")
"""The mechanisms of the landing page; the first two can be dragged without a click."""
OPEN = 2
GALLERY = "gallery/mechanisms.md"
PICTURE = re.compile(r"!\[([^\]]*)\]\(\.\./(images/mechanisms/([\w-]+)\.svg)\)")
WELCOME = """\
<div class="welcome" markdown>

# Describe any mechanism. Then drag it. { .claim }

A text file of a few lines describes an arm, a linkage, a parallel robot or any combination. Kinegen
draws it, moves it with every loop closed, measures and simulates it: in the browser, on the command
line and in Python.

[First steps](tutorials/first-steps.md){ .md-button .md-button--primary }
[All mechanisms](gallery/mechanisms.md){ .md-button }

Each picture below is a mechanism of the library, exported as one web page. **Drag any part.**
{ .caption }

</div>

<div class="live">
FIGURES
</div>

"""


def on_files(files: Files, config: Any) -> Files:
    """Add the exported mechanisms, and the script and style that show them."""
    page = format_named("page")
    assert page.write is not None
    for style in ("live.css", "live.js", "file-worker.js"):
        text = (SITE / style).read_text(encoding="utf-8")
        files.append(File.generated(config, f"live/{style}", content=text))
    for name in kg.library_names():
        text = page.write(kg.load(name), options={}).content
        files.append(File.generated(config, f"live/{name}.html", content=text))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Put buttons into the place of pictures."""
    here = page.file.src_uri
    if here == "index.md":
        page.meta["hide"] = ["navigation", "toc"]
        page.meta["title"] = "Home"
        shown = "".join(
            figure(name, kg.load(name).title or name, opens=place < OPEN)
            for place, name in enumerate(LANDING)
        )
        _, _, rest = markdown.partition("\n")
        return WELCOME.replace("FIGURES", shown) + rest
    if here == GALLERY:
        return PICTURE.sub(
            lambda found: f'<div class="live">{figure(found[3], found[1], up="../")}</div>',
            markdown,
        )
    return markdown


def figure(name: str, title: str, *, up: str = "", opens: bool = False) -> str:
    """A picture that becomes the mechanism when it is pressed."""
    return (
        f'<figure><button type="button" data-page="{up}live/{name}.html" data-title="{title}"'
        f"{' data-opens' if opens else ''}>"
        f'<img src="{up}images/mechanisms/{name}.svg" alt="{title}" loading="lazy">'
        f"<span>Drag it</span></button></figure>"
    )
