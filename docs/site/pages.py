"""Hooks of mkdocs that add pages from outside ``docs`` to the documentation site.

The pages are written for readers of the repository, so some links lead to files outside ``docs``.
On the site those files are pages too (CHANGELOG, CONTRIBUTING) or downloads (mechanisms and example
scripts); a link to the README leads to the landing page. The build exports the mechanisms that the
landing page embeds.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

import kinegen as kg
from kinegen.formats.registry import format_named
from kinegen.lazy import listed

ROOT = Path(__file__).parents[2]
PAGES = {
    "changelog.md": ROOT / "CHANGELOG.md",
    "contributing.md": ROOT / "CONTRIBUTING.md",
}
LIBRARY = ROOT / "src" / "kinegen" / "mechanism" / "library"
EXAMPLES = ROOT / "examples"
LIVE = {
    "four-bar": "Four-bar",
    "delta": "Delta",
    "stewart": "Stewart-Gough platform",
    "peaucellier": "Peaucellier's straight line",
    "puma560": "PUMA 560",
    "humanoid-30": "Humanoid",
}
"""The mechanisms that visitors of the landing page can drag, with their titles."""
NAMESPACES = tuple(name for name in kg.__all__ if type(getattr(kg, name)).__name__ == "module")
WELCOME = """\
Describe any mechanism in a text file of a few lines; see it, move it, measure it. Click a picture,
then **drag any part**: every loop stays closed. Each picture is a mechanism of the library,
exported as one web page. The [gallery](gallery.md) shows the whole library.

<div class="live">
{figures}
</div>

"""


NAME = """\
::: {module}.{name}
    options:
      heading: "kg.{path}"
      toc_label: "{name}"
      heading_level: 3
      show_root_full_path: false

"""
"""One name of the reference."""


def reference() -> str:
    """Every public name, by namespace: the packages' stubs list them."""
    parts = []
    for namespace in ("", *NAMESPACES):
        package = getattr(kg, namespace) if namespace else kg
        homes = {} if namespace == "errors" else listed(package.__file__)
        names = [name for name in package.__all__ if not _is_module(getattr(package, name))]
        title = f"kg.{namespace}" if namespace else "kg"
        intro = (package.__doc__ or "").strip().partition("\n\n")[0]
        parts.append(f"## {title}\n\n{intro}\n\n")
        for name in names:
            if name != "__version__":
                module = homes.get(name, package.__name__)
                path = f"{namespace}.{name}" if namespace else name
                parts.append(NAME.format(module=module, name=name, path=path))
    return "".join(parts)


def _is_module(value: object) -> bool:
    return type(value).__name__ == "module"


def on_files(files: Files, config: Any) -> Files:
    """Add the files outside ``docs`` and the exported mechanisms."""
    for uri, path in PAGES.items():
        files.append(File.generated(config, uri, content=path.read_text(encoding="utf-8")))
    for path in sorted(LIBRARY.glob("*.raff")):
        files.append(File.generated(config, f"library/{path.name}", content=path.read_bytes()))
    for path in sorted(EXAMPLES.glob("*.py")):
        files.append(File.generated(config, f"examples/{path.name}", content=path.read_bytes()))
    scripts = "\n".join(f"- [{p.name}](examples/{p.name})" for p in sorted(EXAMPLES.glob("*.py")))
    files.append(File.generated(config, "examples.md", content=f"# Examples\n\n{scripts}\n"))
    page = format_named("page")
    assert page.write is not None
    for style in ("live.css", "live.js", "file-worker.js"):
        text = (Path(__file__).parent / style).read_text(encoding="utf-8")
        files.append(File.generated(config, f"live/{style}", content=text))
    for name in LIVE:
        text = page.write(kg.load(name), options={})
        files.append(File.generated(config, f"live/{name}.html", content=text))
    return files


def on_page_content(html: str, page: Any, config: Any, files: Files) -> str:
    """Names in docstrings without the marks that other documentation tools need."""
    return re.sub(r":(?:meth|func|class|data|attr):(?=<code>)", "", html)


def on_page_markdown(markdown: str, page: Any, config: Any, files: Files) -> str:
    """Point links to files outside ``docs`` at the site's copies."""
    here = page.file.src_uri
    up = "../" * here.count("/")
    for uri, path in PAGES.items():
        markdown = re.sub(rf"\]\((?:\.\./)+{re.escape(path.name)}", f"]({up}{uri}", markdown)
        markdown = re.sub(rf"\]\({re.escape(path.name)}\)", f"]({up}{uri})", markdown)
    markdown = re.sub(r"\]\((?:\.\./)+README\.md", f"]({up}index.md", markdown)
    markdown = re.sub(r"\]\((?:\.\./)*src/kinegen/mechanism/library/", f"]({up}library/", markdown)
    markdown = re.sub(r"\]\((?:\.\./)*examples/?\)", f"]({up}examples.md)", markdown)
    markdown = re.sub(r"\]\((?:\.\./)*examples/(?=\w)", f"]({up}examples/", markdown)
    # the word after the language is the file name under which a test saves the block
    markdown = re.sub(r"^```(yaml|csv) (\S+)$", r'```\1 title="\2"', markdown, flags=re.M)
    markdown = re.sub(r"^```console fails$", "```console", markdown, flags=re.M)
    if here == "index.md":
        figures = "".join(
            f'<figure><button type="button" data-page="live/{name}.html" data-title="{title}">'
            f'<img src="gallery/{name}.svg" alt="{title}"><span>Drag it</span></button>'
            f"<figcaption>{title}</figcaption></figure>"
            for name, title in LIVE.items()
        )
        _, _, rest = markdown.partition("\n")
        markdown = f"# Kinegen\n\n{WELCOME.format(figures=figures)}{rest}"
    if here == "api.md":
        markdown += reference()
    if here in PAGES:
        # these files lie in the repository's root, and so their links start there
        markdown = re.sub(r"\]\(docs/", "](", markdown)
        markdown = re.sub(r"\[([^\]]+)\]\(LICENSE\)", r"\1", markdown)
    return markdown
