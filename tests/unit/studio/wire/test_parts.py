"""Parts of files on the wire have the keys of the grammar."""

from __future__ import annotations

from kinegen.raff.sections.file import AT, OBJECT
from kinegen.raff.sections.parts import SHAPE
from kinegen.raff.sections.wall import SCREEN, SHOWS, WALL
from kinegen.studio.wire import parts


def keys(entry: type) -> set[str]:
    return set(entry.__annotations__)


def test_shapes_have_all_keys_of_the_grammar() -> None:
    assert keys(parts.ShapeData) == set(SHAPE.keys)


def test_what_a_page_writes_is_in_the_grammar() -> None:
    assert keys(parts.PlacementData) <= set(AT.keys)
    assert keys(parts.ObjectKeys) <= set(OBJECT.keys)
    assert keys(parts.ScreenEntry) <= set(SCREEN.keys)
    assert keys(parts.WallEntry) <= set(WALL.keys)
    assert parts.Shows.__args__ == SHOWS  # type: ignore[attr-defined]
