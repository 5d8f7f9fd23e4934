"""What crosses between page, studio and processes has types of its own."""

from __future__ import annotations

import re
import typing
from pathlib import Path

from kinegen.studio.wire.typescript import wire_classes

ROOT = Path(__file__).parents[2]
UNTYPED = re.compile(r"(?:dict|Mapping)\[str, Any\]")
CAST = re.compile(r"\bas unknown as\b|\bas any\b|<any>|: any\b")


def test_studio_and_programs_have_no_mappings_of_anything() -> None:
    package = ROOT / "src/kinegen"
    found = [
        path.relative_to(package).as_posix()
        for folder in ("studio", "live")
        for path in (package / folder).rglob("*.py")
        if UNTYPED.search(path.read_text(encoding="utf-8"))
    ]
    assert found == []


def _page(folder: str, wrong: re.Pattern[str]) -> list[str]:
    """Files of the page that have something wrong."""
    return [
        path.relative_to(ROOT).as_posix()
        for path in sorted((ROOT / "web/src" / folder).rglob("*"))
        if path.suffix in (".ts", ".svelte") and wrong.search(path.read_text(encoding="utf-8"))
    ]


def test_the_page_makes_no_type_of_another() -> None:
    assert _page(".", CAST) == [], "use a type of wire/messages.ts, or a function that checks"


LOOSE = re.compile(r"Record<string, unknown>|Piece<never>")
CHECKED = {
    "web/src/wire/kept-session.ts": "what the browser kept is checked key by key",
    "web/src/wire/share.ts": "what a link holds is checked key by key",
}
"""Files that take apart what no message is, with the reason."""


def test_the_page_asks_by_the_types_of_the_wire() -> None:
    assert _page(".", LOOSE) == list(CHECKED), "a message has a type in wire/messages.ts"


def test_messages_hold_nothing_of_any_type() -> None:
    classes = wire_classes()
    hints = [hint for cls in classes for hint in typing.get_type_hints(cls).values()]
    assert len(classes) > 100 and not any(_has_any(hint) for hint in hints)


def _has_any(hint: object) -> bool:
    return hint in (typing.Any, object) or any(map(_has_any, typing.get_args(hint)))
