"""XML as text: numbers that read back, comments that cannot break out."""

from __future__ import annotations

import math
from xml.etree import ElementTree

import pytest

from kinegen.formats.robots.write.out_names import OutNames, identifier
from kinegen.formats.robots.write.xml_text import Element, add, number, xml_text


@pytest.mark.parametrize("value", [0.1, 1 / 3, -1e300, 5e-9, 2.0])
def test_numbers_read_back_exactly(value: float) -> None:
    assert float(number(value)) == value


def test_rounding_is_left_out_and_infinity_refused() -> None:
    assert number(6e-17) == number(-0.0) == "0"
    with pytest.raises(ValueError, match="cannot be written to a file"):
        number(math.inf)


def test_anything_in_a_name_or_comment_stays_there() -> None:
    root = Element("robot")
    add(root, "link", name='a"<&>', class_="x", absent=None, flag=True, xyz=(1.0, 2.0))
    text = xml_text(root, ["ends --> here", "-" * 5, "bell \a"])
    add(root, "note", "a < b\x01")
    again = ElementTree.fromstring(xml_text(root, ["ends --> here", "-" * 5, "bell \a"]).encode())
    assert again[1].text == "a < b\ufffd"
    again = ElementTree.fromstring(text.encode())
    assert again[0].attrib == {"name": 'a"<&>', "class": "x", "flag": "true", "xyz": "1 2"}


def test_names_are_unique_and_changes_are_remembered() -> None:
    names = OutNames(identifier)
    assert [names.new("a-b"), names.new("a_b"), names.new("a.b"), names.new("2", "link")] == [
        "a_b", "a_b_1", "a_b_2", "_2",
    ]  # fmt: skip
    assert names.changed == {"a-b": "a_b", "a_b": "a_b_1", "a.b": "a_b_2", "2": "_2"}
    plain = OutNames()
    assert [plain.new("A"), plain.new("A", "link"), plain.new("A", "link")] == [
        "A", "A_link", "A_link2",
    ]  # fmt: skip


def test_nests_may_be_deeper_than_python_recurses() -> None:
    root = inner = Element("body")
    for _ in range(3000):
        inner = add(inner, "body")
    lines = xml_text(root, []).splitlines()
    assert len(lines) == 1 + 2 * 3000 + 1 and lines[3000 + 1].strip() == "<body/>"
