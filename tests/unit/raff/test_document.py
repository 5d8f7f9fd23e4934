import pytest

from kinegen.errors import RaffError, UsageError
from kinegen.raff.document import Document

TEXT = """# an arm
raff: 1            # version
parameters: {a: 150 mm, b: 2*a}   # lengths
joints:
  # the first
  - {name: A, parent: base, d: a}   # turns
  - {name: B, parent: A, limits: [-1, 1],
     d: b}
  - name: C        # block style
    parent: B
    d: 0.5         # half
    note: |
      several
      lines

  # the last
  - {name: D, parent: C}
frames: []
"""


def changed(document: Document, before: str = TEXT) -> list[tuple[str, str]]:
    """The lines that differ, when no line was added or removed."""
    old, new = before.split("\n"), document.text.split("\n")
    assert len(old) == len(new)
    return [pair for pair in zip(old, new, strict=True) if pair[0] != pair[1]]


def test_setting_a_value_changes_one_token() -> None:
    document = Document(TEXT)
    document.set(("joints", 0, "d"), "2*a + 1 mm")
    before = "  - {name: A, parent: base, d: a}   # turns"
    after = "  - {name: A, parent: base, d: 2*a + 1 mm}   # turns"
    assert changed(document) == [(before, after)]


def test_places_stay_right_after_many_token_edits() -> None:
    """Token edits move the nodes along instead of parsing again: both must agree."""
    document = Document(TEXT)
    for path, text in (
        (("parameters", "a"), "1.2345 m"),
        (("joints", 1, "limits", 0), "-3"),
        (("joints", 2, "d"), "1"),
        (("joints", 1, "d"), "b/2"),
        (("parameters", "b"), "3"),
        (("joints", 0, "name"), "Alpha"),
    ):
        document.set(path, text)
        fresh = Document(document.text)
        assert _shape(document) == _shape(fresh)


def _shape(document: Document) -> list[tuple[int, str]]:
    found, todo = [], [document.root]
    while todo:
        node = todo.pop()
        for child in getattr(node, "items", getattr(node, "values", [])):
            if hasattr(child, "text"):
                found.append((child.start, document.text[child.start : child.end]))
            else:
                todo.append(child)
    return sorted(found)


def test_setting_lists_block_values_and_quoted_ones() -> None:
    document = Document(TEXT)
    document.set(("joints", 1, "limits"), "[-2, 2]")
    document.set(("joints", 2, "note"), '"short: note"')
    document.set(("joints", 2, "note"), "plain")
    assert "limits: [-2, 2],\n     d: b}" in document.text
    assert "    note: plain\n\n  # the last\n" in document.text


def test_adding_keys_in_flow_and_block_rows() -> None:
    document = Document(TEXT)
    document.add(("joints", 0), "r", "0.1")
    document.add(("joints", 2), "r", "0.2")
    document.add(("parameters",), "c", "1")
    document.add((), "title", "Arm")
    assert "{name: A, parent: base, d: a, r: 0.1}   # turns" in document.text
    assert "      lines\n    r: 0.2\n\n  # the last" in document.text
    assert "{a: 150 mm, b: 2*a, c: 1}   # lengths" in document.text
    assert document.text.endswith("frames: []\ntitle: Arm\n")


def test_a_full_line_goes_on_below() -> None:
    row = "{name: A, parent: base, note: " + "x" * 70 + "}"
    document = Document(f"raff: 1\njoints:\n  - {row}\n")
    document.add(("joints", 0), "d", "0.123456")
    assert document.text.endswith("x,\n     d: 0.123456}\n")
    assert document.find(("joints", 0, "d")) is not None


def test_appending_rows() -> None:
    document = Document(TEXT)
    document.append(("joints",), "{name: E, parent: D}")
    document.append(("frames",), "{name: f, parent: E}")
    document.append(("sensors",), "{name: s, type: pose}")
    assert "  - {name: D, parent: C}\n  - {name: E, parent: D}\nframes:" in document.text
    assert document.text.endswith(
        "frames:\n  - {name: f, parent: E}\nsensors:\n  - {name: s, type: pose}\n"
    )
    document = Document("raff: 1\njoints: [{name: A, parent: base}]")
    document.append(("joints",), "{name: B, parent: A}")
    assert document.text == "raff: 1\njoints: [{name: A, parent: base}, {name: B, parent: A}]"
    document = Document("raff: 1\njoints:\n- {name: A, parent: base}")
    document.append(("joints",), "{name: B, parent: A}")
    assert document.text.endswith("- {name: A, parent: base}\n- {name: B, parent: A}\n")


@pytest.mark.parametrize(
    ("path", "gone", "kept"),
    [
        (("joints", 0, "d"), ", d: a", "{name: A, parent: base}   # turns"),
        (("joints", 0, "name"), "name: A", "{parent: base, d: a}   # turns"),
        (("joints", 1, "limits", 0), "-1, ", "limits: [1],"),
        (("joints", 2, "d"), "# half", "    parent: B\n    note: |\n"),
        (("joints", 2, "name"), "# block style", "  - parent: B\n    d: 0.5"),
        (("joints", 2, "note"), "several", "d: 0.5         # half\n\n  # the last"),
        (("joints", 2), "parent: B", "     d: b}\n\n  # the last\n  - {name: D"),
        (("joints", 0), "name: A", "  # the first\n  - {name: B"),
        (("parameters",), "150 mm", "# version\njoints:"),
        (("frames",), "frames", "{name: D, parent: C}\n"),
    ],
)
def test_removing_takes_its_own_text_and_leaves_comments(
    path: tuple[str | int, ...], gone: str, kept: str
) -> None:
    document = Document(TEXT)
    document.remove(path)
    assert gone not in document.text
    assert kept in document.text
    assert "# an arm" in document.text and document.root is not None


def test_removing_the_only_item_leaves_an_empty_list() -> None:
    document = Document("raff: 1\njoints:\n  - {name: A, parent: base}\n")
    document.remove(("joints", 0))
    assert document.text == "raff: 1\njoints: []\n"
    document.append(("joints",), "{name: B, parent: base}")
    assert document.find(("joints", 0, "name")) is not None


def test_a_comment_inside_a_flow_row_survives_removal() -> None:
    text = "raff: 1\nbase: {mass: 1, # heavy\n  color: red}\n"
    document = Document(text)
    document.remove(("base", "color"))
    assert "# heavy" in document.text and document.find(("base", "mass")) is not None
    document = Document(text)
    document.remove(("base", "mass"))
    assert "# heavy" in document.text and document.find(("base", "color")) is not None


def test_windows_line_breaks_stay() -> None:
    document = Document(TEXT.replace("\n", "\r\n"))
    document.append(("joints",), "{name: E, parent: D}")
    document.add(("joints", 2), "r", "1")
    assert document.text.count("\n") == document.text.count("\r\n")


def test_rows_are_found_by_name() -> None:
    document = Document(TEXT)
    assert document.row("joints", "C") == ("joints", 2)
    assert document.row("joints", "X") is None
    assert document.row("robots", "X") is None


def test_what_is_not_there_is_reported() -> None:
    document = Document(TEXT)
    with pytest.raises(UsageError, match=r"text has no 'joints\.9\.d'"):
        document.set(("joints", 9, "d"), "1")
    with pytest.raises(UsageError, match="already has 'd'"):
        document.add(("joints", 0), "d", "1")
    with pytest.raises(UsageError, match="not a mapping"):
        document.add(("joints",), "d", "1")
    with pytest.raises(UsageError, match="not a list"):
        document.append(("parameters",), "1")
    with pytest.raises(RaffError):
        _ = Document("a: [").root


def test_names_of_a_section() -> None:
    text = "raff: 1\nrobots:\n  - {name: a, include: x}\n  - {include: y}\n  - {name: b}\n"
    assert Document(text).names("robots") == {"a", "b"} and Document(text).names("joints") == set()
