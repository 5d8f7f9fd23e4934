"""Texts are taken for XML formats only if they are XML."""

from __future__ import annotations

import pytest

import kinegen as kg
from kinegen.errors import RaffError
from kinegen.formats.registry import find_reader
from kinegen.formats.robots.read.recognise import has_text


@pytest.mark.parametrize("text", ["<a>${x}</a>", "\n <a b='${x}'/>", "\ufeff<!-- ${x} --><a/>"])
def test_xml_with_the_pattern_is_recognised(text: str) -> None:
    assert has_text(r"\$\{")(text)
    found = find_reader("text", text)
    assert found is not None and found.name == "xacro"


@pytest.mark.parametrize("text", ["$(\n", "raff: 1\nnote: ${x}\n", "joints: <robot >\n"])
def test_other_texts_are_raff(text: str) -> None:
    assert find_reader("text", text) is None
    with pytest.raises(RaffError, match=r"raff: 1|joints|note"):
        kg.load(text)
