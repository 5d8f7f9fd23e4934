"""Every mechanism of the library in every format that is written without long computations."""

from __future__ import annotations

import pytest

import kinegen as kg
from kinegen.errors import FormatError
from kinegen.formats.export import write_format
from kinegen.formats.registry import formats
from kinegen.mechanism.load import library_names

SLOW = {"stl", "3mf", "step", "parts", "dxf", "cut", "page", "glb", "svg"}
"""Solids and nests of parts take seconds each; tests of their own write some. The page needs to be
built first, and has browser tests. A .glb file has the content of the .gltf file. Pictures of all
mechanisms are drawn by test_svg.py."""
FORMATS = [one for one in formats().values() if one.write is not None and one.name not in SLOW]


@pytest.mark.parametrize("name", library_names())
def test_it_is_written_in_every_format(name: str) -> None:
    mechanism = kg.load(name)
    for writer in FORMATS:
        suffix = next(iter(writer.suffixes), "")
        try:
            made = write_format(writer, mechanism, file=f"{name}{suffix}")
        except FormatError as error:
            # a reason, by the mechanism's name or that of a part of it
            assert any(part in str(error) for part in (name, *mechanism.joints)), error
            continue
        assert made.content or made.files, writer.name
        assert all(note.strip() and "{" not in note for note in made.notes), made.notes


@pytest.mark.parametrize("name", ["delta", "tricept"])
def test_groups_of_repeated_rows_become_python(name: str) -> None:
    mechanism = kg.load(name)
    made = write_format(formats()["python"], mechanism, file=f"{name}.py")
    assert isinstance(made.content, str)
    again = kg.load(made.content, format="python")
    assert list(again.joints) == list(mechanism.joints)
