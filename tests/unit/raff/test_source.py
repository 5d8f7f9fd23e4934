from typing import Any

import pytest
import yaml

from kinegen.raff import source as source_module
from kinegen.raff.nodes import Listing, Mapping, Node, Scalar, Source
from kinegen.raff.source import decode, parse_source

TEXT = 'a: é x # c\r\nb: {c: "q", d: [1, 𝄞]}\r\n\nlist:\n  - one\n  - two: 3\n'


def walk(node: Node) -> list[Scalar]:
    if isinstance(node, Scalar):
        return [node]
    if isinstance(node, Listing):
        return [scalar for item in node.items for scalar in walk(item)]
    pairs = zip(node.keys, node.values, strict=True)
    return [scalar for key, value in pairs for scalar in (key, *walk(value))]


@pytest.fixture(params=["CSafeLoader", "SafeLoader"])
def loader(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Both of PyYAML's parsers: the C one is missing on some machines."""
    monkeypatch.setattr(source_module, "_loader", lambda: getattr(yaml, request.param))
    return request.param


@pytest.mark.usefixtures("loader")
def test_every_scalar_has_its_exact_place() -> None:
    found, root, problems = parse_source(TEXT, "t")
    assert not problems and root is not None
    for scalar in walk(root):
        quotes = 0 if scalar.plain else 1
        assert TEXT[scalar.start + quotes : scalar.end - quotes] == scalar.text
    places = {scalar.text: found.position(scalar.start) for scalar in walk(root)}
    assert places["é x"] == (1, 4)
    assert places["q"] == (2, 8)
    assert places["𝄞"] == (2, 20)
    assert places["two"] == (6, 5)


@pytest.mark.usefixtures("loader")
def test_a_byte_order_mark_does_not_move_places() -> None:
    text = "\ufeffa: 1\nb: 2\n"
    found, root, problems = parse_source(text, "t")
    assert isinstance(root, Mapping) and not problems
    assert text[root.values[1].start : root.values[1].end] == "2"
    assert found.position(root.values[1].start) == (2, 4)


@pytest.mark.usefixtures("loader")
@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("a: &x 1\n", (1, 4), "anchor"),
        ("a: *x\n", (1, 4), "alias"),
        ("a: !!int 5\n", (1, 4), "tags of YAML"),
        ("a: 1\na: 2\n", (2, 1), "key 'a' is given twice; the first is in line 1"),
        ("{a: 1, a: 2}\n", (1, 8), "given twice"),
        ("<<: {a: 1}\n", (1, 1), "merge"),
        ("a: 1\n---\nb: 2\n", (2, 1), "second document"),
        ("? [a]\n: b\n", (1, 3), "a key must be a plain word"),
        ("a: b: c\n", (1, 5), "a second ': '"),
        ("a:\n\t- b\n", (2, 1), "indent with blanks"),
        ("a: @b\n", (1, 4), "cannot start with '@'"),
        ("a: [1, 2\n", (2, 1), "',' or ']' is missing; opened in line 1"),
        ("a: {b: 1\n", (2, 1), "',' or '}' is missing; opened in line 1"),
        ("a: 'b\n", (2, 1), "the quote opened in line 1 is not closed"),
        ("- a\nb: c\n", (2, 1), "check its indentation"),
        ("a: \x00\n", (1, 4), "character U+0000 is not allowed"),
        ("a: \ud800\n", (1, 4), "character U+D800 is not allowed"),
        ("a: \x07\n", (1, 4), "U+0007"),
        ("[" * 100, (1, 41), "nested more than 40 deep"),
        ("- " * 100, (1, 81), "nested more than 40 deep"),
    ],
)
def test_yaml_that_raff_has_not(text: str, place: tuple[int, int], message: str) -> None:
    _, _, problems = parse_source(text, "f.raff")
    assert problems
    assert (problems[0].line, problems[0].column) == place
    assert message in problems[0].message
    assert problems[0].file == "f.raff"


def test_a_text_without_anything_has_no_root() -> None:
    for text in ("", "\n", "# only a comment\n", "---\n"):
        _, root, problems = parse_source(text, "t")
        assert not problems
        assert root is None or (isinstance(root, Scalar) and root.text == "")


def test_too_large_a_text_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source_module, "_SIZE_LIMIT", 10)
    _, root, problems = parse_source("a: 12345678\n", "t")
    assert root is None and "at most 10" in problems[0].message


def test_bytes_that_are_not_utf_8() -> None:
    text, problems = decode(b"raff: 1\nname: \xe9\n", "f")
    assert text == ""
    assert str(problems[0]) == "f:2:7: byte 0xe9 is not UTF-8; save the file as UTF-8"
    assert "UTF-16" in decode("raff: 1".encode("utf-16"), "f")[1][0].message
    assert decode("é".encode(), "f") == ("é", [])


@pytest.mark.parametrize("line_break", ["\n", "\r\n", "\r"])
def test_lines_are_counted_with_any_line_break(line_break: str) -> None:
    text = line_break.join(["ab", "", "cd"])
    found = Source(text, "t")
    assert found.position(text.index("d")) == (3, 2)
    assert found.position(0) == (1, 1)
    assert found.position(len(text)) == (3, 3)
