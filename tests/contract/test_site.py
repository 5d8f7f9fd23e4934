"""The documentation site: what its hooks add to the pages, without mkdocs."""

from __future__ import annotations

import importlib.util
import re
import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from kinegen.cli.main import COMMANDS
from tests.support.odd_commands import options_of
from tests.support.packages.building import ROOT

HOOKS = ROOT / "docs" / "site"

if not HOOKS.is_dir():
    pytest.skip("the sources are not here", allow_module_level=True)


class _File:
    """What the hook uses of mkdocs' files."""

    @staticmethod
    def generated(config: Any, uri: str, *, content: str | bytes) -> tuple[str, str | bytes]:
        return uri, content


def _hook(name: str, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    files = ModuleType("mkdocs.structure.files")
    vars(files).update(File=_File, Files=list)
    monkeypatch.setitem(sys.modules, "mkdocs.structure.files", files)
    spec = importlib.util.spec_from_file_location(f"site_{name}", HOOKS / f"{name}.py")
    assert spec is not None and spec.loader is not None
    hook = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(hook)
    return hook


def _page(uri: str) -> Any:
    return SimpleNamespace(file=SimpleNamespace(src_uri=uri), meta={})


@pytest.mark.parametrize("name", ["pages", "live"])
def test_every_added_file_has_content(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    added = dict(_hook(name, monkeypatch).on_files([], None))
    assert added
    assert [uri for uri, content in added.items() if not isinstance(content, str | bytes)] == []
    assert [uri for uri, content in added.items() if not content] == []


def test_every_mechanism_of_the_gallery_can_be_dragged(monkeypatch: pytest.MonkeyPatch) -> None:
    hook = _hook("live", monkeypatch)
    exported = dict(hook.on_files([], None))
    text = (ROOT / "docs" / hook.GALLERY).read_text(encoding="utf-8")
    shown = hook.on_page_markdown(text, _page(hook.GALLERY), None, None)
    pages = re.findall(r'data-page="\.\./(live/[^"]+)"', shown)
    assert pages == [f"live/{name}.html" for name in re.findall(r"^`([\w-]+)` ·", text, re.M)]
    assert set(pages) <= set(exported)
    landing = hook.on_page_markdown("# Title\n\nText\n", _page("index.md"), None, None)
    assert set(re.findall(r'data-page="([^"]+)"', landing)) <= set(exported)
    assert landing.count("data-opens") == hook.OPEN and landing.endswith("Text\n")


def test_every_option_of_every_command_is_on_the_site(monkeypatch: pytest.MonkeyPatch) -> None:
    hook = _hook("command_line", monkeypatch)
    text = (ROOT / "docs" / hook.PAGE).read_text(encoding="utf-8")
    sections = re.split(
        r"(?m)^## kinegen (\w+)$", hook.on_page_markdown(text, _page(hook.PAGE), None, None)
    )
    shown = dict(zip(sections[1::2], sections[2::2], strict=True))
    for verb in COMMANDS:
        for option in options_of(verb):
            row = rf"\| <code>[^|]*{option.option_strings[-1]}\b[^|]*</code> \| \S"
            assert re.search(row, shown[verb]), (verb, option.option_strings)


@pytest.mark.parametrize(
    ("here", "link", "on_site"),
    [
        ("how-to/solver.md", "[x](../reference/raff.md#loops)", "[x](../reference/raff.md#loops)"),
        ("how-to/solver.md", "[x](../../CHANGELOG.md)", "[x](../changelog.md)"),
        ("tutorials/first-steps.md", "[x](../../examples)", "[x](../examples.md)"),
        ("gallery/worlds.md", "[x](../../src/kinegen/world/library/segway.py)",
         "[x](../library/worlds/segway.py)"),
        ("contributing.md", "[x](docs/how-to/formats.md)", "[x](how-to/formats.md)"),
        ("contributing.md", "[MIT licence](LICENSE)", "MIT licence"),
        ("index.md", "![x](images/a.png) [x](https://x.org)", "![x](images/a.png) [x](https://x.org)"),
    ],
)  # fmt: skip
def test_links_lead_to_the_copies_on_the_site(
    here: str, link: str, on_site: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    hook = _hook("pages", monkeypatch)
    assert hook.LINK.sub(lambda found: hook._on_site(found, here), link) == on_site
