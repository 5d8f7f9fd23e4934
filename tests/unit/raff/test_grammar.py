"""The one grammar agrees with the joint types, its documentation and the file that shows it all."""

import re
from pathlib import Path

import pytest

from kinegen.raff.nodes import Listing, Mapping, Node, Scalar
from kinegen.raff.sections.file import sections
from kinegen.raff.sections.joint import JOINT, JOINT_TYPES, joint_section
from kinegen.raff.sections.kinds import Section
from kinegen.raff.source import parse_source

DOCS = Path(__file__).parents[3] / "docs" / "reference" / "raff.md"
EVERYTHING = Path(__file__).with_name("everything.raff")


@pytest.mark.parametrize("kind", JOINT_TYPES)
def test_each_joint_type_has_a_part_of_the_joint_keys(kind: str) -> None:
    keys = joint_section(kind).keys
    assert set(keys) <= set(JOINT.keys)
    assert ("pitch" in keys) == (kind == "screw")
    assert ("motor" in keys) == (kind != "fixed")


@pytest.mark.parametrize("name", sections())
def test_every_key_is_documented(name: str) -> None:
    """docs/reference/raff.md has a table of keys for each section."""
    section = sections()[name]
    text = DOCS.read_text(encoding="utf-8")
    match = re.search(rf"<!-- keys: {re.escape(name)} -->\n(.*?)\n\n", text, re.S)
    assert match, f"docs/reference/raff.md has no table '<!-- keys: {name} -->'"
    assert match.group(1) == key_table(section), (
        f"the table of '{name}' is stale; run: python tests/unit/raff/test_grammar.py"
    )


def key_table(section: Section) -> str:
    """The documentation of a section as a Markdown table."""
    lines = ["| key | meaning | default |", "|---|---|---|"]
    for name, key in section.keys.items():
        absent = "**required**" if key.required else key.default
        if key.default and (" " not in key.default or key.default.startswith("[")):
            absent = f"`{key.default}`"
        lines.append(f"| `{name}` | {key.doc.replace('|', '&#124;')} | {absent} |")
    return "\n".join(lines)


def test_one_file_uses_every_key() -> None:
    """So that whatever is tested with it is tested with all of RAFF."""
    _, root, problems = parse_source(EVERYTHING.read_text(encoding="utf-8"), "everything")
    assert root is not None and not problems
    used = set(all_keys(root))
    for name, section in sections().items():
        assert set(section.keys) <= used, name


def all_keys(node: Node) -> list[str]:
    if isinstance(node, Scalar):
        return []
    children = node.items if isinstance(node, Listing) else node.values
    keys = [key.text for key in node.keys] if isinstance(node, Mapping) else []
    return keys + [key for child in children for key in all_keys(child)]


def update_docs() -> None:
    """Write the tables into docs/reference/raff.md again."""
    text = DOCS.read_text(encoding="utf-8")
    for name, section in sections().items():
        pattern = re.compile(rf"(<!-- keys: {re.escape(name)} -->\n).*?(?=\n\n)", re.S)
        text = pattern.sub(lambda found, s=section: found.group(1) + key_table(s), text)
    DOCS.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    update_docs()
