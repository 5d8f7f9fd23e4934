"""One kernel, one stem: its compiled form, its reference and its bindings are found by one name."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[2]
NATIVE = ROOT / "native"
REFERENCE = ROOT / "src" / "kinegen" / "kernels" / "reference"

ONLY_REFERENCE = {
    "base/steps": "joints as products of steps: compiled, each joint type has code of its own",
    "batch/checks": "compiled, the bindings check",
    "batch/columns": "compiled, lanes replace columns",
    "impulse/joints": "compiled, tables of the world",
    "reduced/forces": "compiled, a part of the engine",
    "solver/search_starts": "compiled, a part of search",
}
"""Reference modules without a header of the same name, each with the reason."""

DOOR = "bound"
"""Reference modules of this name hold the protocol's class: compiled, the room's binding does."""
NO_PAGE = {"haptic", "impulse", "reduced"}
"""Rooms whose kernels run in the studio's processes and not in the page."""
READERS = {"robots": ROOT / "src" / "kinegen" / "formats" / "robots" / "read" / "urdf_reader"}
"""Compiled readers of files, which are no kernels, and the folder of their twins in Python."""
NO_BINDING = {"base"}
"""Rooms that others are built on; what users call of them is in the bindings' module file."""
ONLY_BINDING = {
    "impulse/contacts": "the kernel holds contacts among its other limits; here are their shapes",
}
"""Parts of bindings without a header of the same name among the kernels, each with the reason."""


def rooms(folder: Path) -> set[str]:
    return {p.name for p in folder.iterdir() if p.is_dir() and p.name != "__pycache__"}


def test_kernels_and_their_reference_have_the_same_rooms() -> None:
    assert rooms(NATIVE / "kernel") == rooms(REFERENCE)
    assert [p.name for p in (NATIVE / "kernel").glob("*.hpp")] == []
    assert {p.name for p in REFERENCE.glob("*.py")} == {"__init__.py"}


def test_reference_modules_are_named_after_their_kernels() -> None:
    alone = {
        f"{file.parent.name}/{file.stem}"
        for file in REFERENCE.glob("*/*.py")
        if file.stem not in {"__init__", DOOR}
        and not (NATIVE / "kernel" / file.parent.name / f"{file.stem}.hpp").is_file()
    }
    assert alone == set(ONLY_REFERENCE)


def test_every_room_has_its_bindings() -> None:
    readers = set(READERS)
    for binding, without, more in (
        ("python", NO_BINDING, readers),
        ("wasm", NO_BINDING | NO_PAGE, set()),
    ):
        found = {file.stem for file in (NATIVE / binding).glob("*.cpp")}
        assert found == (rooms(NATIVE / "kernel") - without) | more | {"module"}, binding


def test_parts_of_bindings_are_named_after_their_kernels() -> None:
    parts = list((NATIVE / "python").glob("*/*"))
    assert parts
    alone = {
        f"{part.parent.name}/{part.stem}"
        for part in parts
        if not (NATIVE / "kernel" / part.parent.name / part.name).is_file()
    }
    assert alone == set(ONLY_BINDING)


def test_compiled_readers_have_a_twin() -> None:
    for room, twins in READERS.items():
        assert (NATIVE / room / "urdf.hpp").is_file() and (twins / "urdf.py").is_file(), room


def test_the_page_about_kernels_lists_every_room() -> None:
    page = (ROOT / "docs" / "kernels.md").read_text(encoding="utf-8")
    assert [room for room in sorted(rooms(NATIVE / "kernel")) if f"| `{room}` |" not in page] == []
