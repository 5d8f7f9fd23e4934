"""Hooks of mkdocs that add pages from outside ``docs`` to the documentation site.

The pages are written for readers of the repository, so some links lead to files outside ``docs``.
On the site those files are pages too (CHANGELOG, CONTRIBUTING) or downloads (mechanisms, worlds and
example scripts); a link to the README leads to the landing page.
"""

from __future__ import annotations

import ast
import os
import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

import kinegen as kg
import kinegen.gym
from kinegen.lazy import listed

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = {
    "changelog.md": ROOT / "CHANGELOG.md",
    "contributing.md": ROOT / "CONTRIBUTING.md",
}
EXAMPLES = ROOT / "examples"
COPIES = {
    **{path: uri for uri, path in PAGES.items()},
    ROOT / "README.md": "index.md",
    EXAMPLES: "examples.md",
}
"""Where links to files outside ``docs`` lead on the site."""
FOLDERS = {
    ROOT / "src" / "kinegen" / "mechanism" / "library": "library/",
    ROOT / "src" / "kinegen" / "world" / "library": "library/worlds/",
    EXAMPLES: "examples/",
}
"""Folders outside ``docs`` whose files are downloads, and their folders on the site."""
EXAMPLES_PAGE = """\
# Examples

These scripts show one subject each. They need no further files, print what they compute and check
it with `assert`. Those with a number from 30 to 39 open the studio.

| script | subject |
|---|---|
"""
LINK = re.compile(r"(?<!!)\[(?P<text>[^\[\]]*)\]\((?P<target>[^()\s]+)\)")


def _is_module(value: object) -> bool:
    return type(value).__name__ == "module"


NAMESPACES = {
    "kg": kg,
    **{f"kg.{name}": getattr(kg, name) for name in kg.__all__ if _is_module(getattr(kg, name))},
    "kinegen.gym": kinegen.gym,
}
NAME = """\
::: {module}.{name}
    options:
      heading: "{path}"
      toc_label: "{name}"
      heading_level: 3
      show_root_full_path: false

"""
"""One name of the reference."""


def reference() -> str:
    """Every public name, by namespace: the packages' stubs list them."""
    parts = []
    for title, package in NAMESPACES.items():
        homes = {} if package is kg.errors else listed(package.__file__)
        names = [name for name in package.__all__ if not _is_module(getattr(package, name))]
        intro = (package.__doc__ or "").strip().partition("\n\n")[0]
        parts.append(f"## {title}\n\n{intro}\n\n")
        for name in names:
            if name != "__version__":
                module = homes.get(name, package.__name__)
                parts.append(NAME.format(module=module, name=name, path=f"{title}.{name}"))
    return "".join(parts)


def on_files(files: Files, config: Any) -> Files:
    """Add the files outside ``docs``."""
    for uri, path in PAGES.items():
        files.append(File.generated(config, uri, content=path.read_text(encoding="utf-8")))
    for folder, uri in FOLDERS.items():
        for path in sorted([*folder.glob("*.raff"), *folder.glob("[!_]*.py")]):
            files.append(File.generated(config, uri + path.name, content=path.read_bytes()))
    files.append(File.generated(config, "examples.md", content=examples()))
    return files


def examples() -> str:
    """The page of the numbered scripts, each with the first line of its docstring."""
    rows = []
    for path in sorted(EXAMPLES.glob("*.py")):
        purpose = (ast.get_docstring(ast.parse(path.read_text("utf-8"))) or "").partition("\n")[0]
        rows.append(f"| [{path.name}](examples/{path.name}) | {purpose} |\n")
    return EXAMPLES_PAGE + "".join(rows)


def on_page_content(html: str, page: Any, config: Any, files: Files) -> str:
    """Names in docstrings without the marks that other documentation tools need."""
    return re.sub(r":(?:meth|func|class|data|attr):(?=<code>)", "", html)


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Point links to files outside ``docs`` at the site's copies."""
    here = page.file.src_uri
    markdown = LINK.sub(lambda link: _on_site(link, here), markdown)
    # the word after the language is the file name under which a test saves the block
    markdown = re.sub(r"^```(yaml|csv) (\S+)$", r'```\1 title="\2"', markdown, flags=re.M)
    markdown = re.sub(r"^```console fails$", "```console", markdown, flags=re.M)
    if here == "reference/api.md":
        markdown += reference()
        page.meta["search"] = {"boost": 0.2}  # after the guides: it contains every term
    return markdown


def _on_site(link: re.Match[str], here: str) -> str:
    """A link of a page as the site needs it; without its target if the site lacks that."""
    path, mark, anchor = link["target"].partition("#")
    if not path or re.match(r"[a-z]+:", path):
        return link[0]
    folder = PAGES[here].parent if here in PAGES else (DOCS / here).parent
    target = Path(os.path.normpath(folder / path))
    if target in COPIES:
        uri = COPIES[target]
    elif target.parent in FOLDERS:
        uri = FOLDERS[target.parent] + target.name
    elif target.is_relative_to(DOCS):
        uri = target.relative_to(DOCS).as_posix()
    else:
        return link["text"]
    relative = posixpath.relpath(uri, posixpath.dirname(here) or ".")
    return f"[{link['text']}]({relative}{mark}{anchor})"
