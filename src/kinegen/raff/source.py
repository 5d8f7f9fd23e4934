"""Text to nodes: YAML syntax through PyYAML's events, with every syntax problem in plain words."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

from kinegen.errors import Problem
from kinegen.raff.nodes import Listing, Mapping, Node, Scalar, Source
from kinegen.raff.wording import short

__all__ = ["decode", "parse_source"]

_SIZE_LIMIT: Final = 64 * 2**20  # characters; the largest sensible file is far smaller
_DEPTH_LIMIT: Final = 40  # nested lists and mappings; the grammar itself needs 6
_PROBLEM_LIMIT: Final = 200  # beyond this many the file is not a RAFF file at all

# What YAML 1.2 does not allow in a stream (its production 1, c-printable).
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")


def decode(data: bytes, file: str) -> tuple[str, list[Problem]]:
    """The text of a file's bytes, or an empty text and the problem with them."""
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return "", [Problem(file, 1, 1, "the file is UTF-16; save it as UTF-8")]
    try:
        return data.decode("utf-8"), []
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8", "replace")
        line, column = Source(before + " ", file).position(len(before))
        byte = data[error.start]
        return "", [
            Problem(file, line, column, f"byte 0x{byte:02x} is not UTF-8; save the file as UTF-8")
        ]


def parse_source(text: str, file: str) -> tuple[Source, Node | None, list[Problem]]:
    """The nodes of a text: (source, root or None, problems).

    A byte order mark stays in the source's text, so that offsets fit what is on disk.
    """
    source = Source(text, file)
    if len(text) > _SIZE_LIMIT:
        message = f"the text has {len(text)} characters; at most {_SIZE_LIMIT} are read"
        return source, None, [Problem(file, 1, 1, message)]
    skip = 1 if text.startswith("\ufeff") else 0
    bad = _FORBIDDEN.search(text, skip)
    if bad:
        char = f"U+{ord(bad.group()):04X}"
        what = f"character {char} is not allowed; is this a text file?"
        return source, None, [Problem(file, *source.position(bad.start()), what)]
    builder = _Builder(source, skip)
    root = builder.build(text[skip:])
    return source, root, builder.problems


def _loader() -> Any:
    """PyYAML's loader in C, or the slow one where its library is missing."""
    import yaml

    return getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _Builder:
    """Collects events into nodes, without recursion."""

    def __init__(self, source: Source, skip: int) -> None:
        self.source = source
        self.skip = skip
        self.problems: list[Problem] = []

    def problem(self, offset: int, message: str) -> None:
        if len(self.problems) < _PROBLEM_LIMIT:
            self.problems.append(Problem(self.source.file, *self.source.position(offset), message))

    def build(self, text: str) -> Node | None:
        import yaml

        try:
            loader = _loader()(text)
            try:
                return self.collect(loader.get_event)
            finally:
                loader.dispose()
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            if error.context_mark and "simple key" in str(error.context):
                mark = error.context_mark  # the key itself, not where the search for ':' ended
            at = self.skip + (mark.index if mark else 0)
            self.problem(min(at, len(self.source.text)), self.explain(error, at))
        except yaml.YAMLError as error:
            self.problem(0, f"this is not YAML: {error}")
        return None

    def collect(self, next_event: Callable[[], Any]) -> Node | None:
        from yaml.events import (
            AliasEvent,
            DocumentStartEvent,
            MappingEndEvent,
            MappingStartEvent,
            ScalarEvent,
            SequenceEndEvent,
            SequenceStartEvent,
            StreamEndEvent,
        )

        skip = self.skip
        root: Node | None = None
        stack: list[Listing | Mapping] = []
        top: Listing | Mapping | None = None
        key: Scalar | None = None
        keys: list[Scalar | None] = []
        documents = 0
        while True:
            event = next_event()
            kind = type(event)
            node: Node
            if kind is ScalarEvent:
                node = self.scalar(event)
            elif kind is MappingStartEvent or kind is SequenceStartEvent:
                node = self.opened(event, is_mapping=kind is MappingStartEvent)
                if len(stack) >= _DEPTH_LIMIT:
                    self.problem(node.start, f"nested more than {_DEPTH_LIMIT} deep")
                    return None
            elif kind is MappingEndEvent or kind is SequenceEndEvent:
                assert top is not None
                top.end = event.end_mark.index + skip
                stack.pop()
                top = stack[-1] if stack else None
                key = keys.pop()
                continue
            elif kind is AliasEvent:
                node = self.alias(event)
            elif kind is DocumentStartEvent:
                documents += 1
                if documents > 1:
                    at = event.start_mark.index + skip
                    self.problem(at, "a second document starts here; a RAFF file has only one")
                    return root
                continue
            elif kind is StreamEndEvent:
                return root
            else:
                continue
            if top is None:
                root = node
            else:
                key = self.enter(top, key, node)
            if type(node) is not Scalar:
                stack.append(node)  # type: ignore[arg-type]
                keys.append(key)
                top = node  # type: ignore[assignment]
                key = None

    def scalar(self, event: Any) -> Scalar:
        start, end = event.start_mark.index + self.skip, event.end_mark.index + self.skip
        if event.anchor is not None or event.tag is not None:
            self.refuse(event, start)
        return Scalar(event.value, start, end, not event.style)

    def opened(self, event: Any, *, is_mapping: bool) -> Mapping | Listing:
        """A mapping or list that begins."""
        start, flow = event.start_mark.index + self.skip, bool(event.flow_style)
        if event.anchor is not None or event.tag is not None:
            self.refuse(event, start)
        return Mapping(start, flow) if is_mapping else Listing(start, flow)

    def alias(self, event: Any) -> Scalar:
        """What stands in the place of an alias, which is a problem."""
        at = event.start_mark.index + self.skip
        self.problem(
            at,
            f"'*{event.anchor}' is a YAML alias, which RAFF does not have; put a formula "
            "that starts with * after its first value, text in quotes",
        )
        return Scalar("0", at, event.end_mark.index + self.skip, False)

    def enter(self, top: Listing | Mapping, key: Scalar | None, node: Node) -> Scalar | None:
        """Enter an item of a list, or a key or value of a mapping: the key that waits for one."""
        if type(top) is Listing:
            top.items.append(node)
        elif key is None:
            return self.new_key(top, node)
        else:
            top.values.append(node)  # type: ignore[union-attr]
        return None

    def new_key(self, mapping: Any, node: Node) -> Scalar:
        """Enter a key into a mapping, whatever it is, and complain when it is no good."""
        key = node
        if not isinstance(key, Scalar):
            self.problem(node.start, "a key must be a plain word, not a list or a mapping")
            key = Scalar("", node.start, node.start, False)
        elif key.text == "<<":
            self.problem(key.start, "'<<' is a YAML merge key, which RAFF does not have")
        elif key.text in mapping.table:
            first = mapping.keys[mapping.table[key.text]]
            line, _ = self.source.position(first.start)
            self.problem(
                key.start, f"key '{short(key.text)}' is given twice; the first is in line {line}"
            )
        mapping.table.setdefault(key.text, len(mapping.keys))
        mapping.keys.append(key)
        return key

    def refuse(self, event: Any, at: int) -> None:
        if event.anchor is not None:
            self.problem(at, f"'&{short(event.anchor)}' is a YAML anchor, which RAFF does not have")
        else:
            self.problem(at, "YAML tags ('!…') are not part of RAFF; put text in quotes")

    def explain(self, error: Any, at: int) -> str:
        """A syntax error in words for people who do not know YAML's."""
        text, problem, context = self.source.text, str(error.problem), str(error.context)
        char = text[at : at + 1]
        if char == "\t":
            return "a tab is not allowed here; indent with spaces"
        if "mapping values are not allowed" in problem:
            return (
                "a second ': ' in one value; put text in quotes, and check the end of the line "
                "above"
            )
        if "cannot start any token" in problem:
            return f"a value cannot start with '{char}'; put it in quotes"
        opened = error.context_mark
        line = self.source.position(opened.index + self.skip)[0] if opened else 0
        if "flow mapping" in context or "flow sequence" in context or "flow node" in context:
            closing = "']'" if "sequence" in context else "'}'"
            if "flow node" in context:
                return "a value is missing, or a '[' or '{' is not closed"
            if char == "{" and text[at - 1 : at].strip(" ,:["):
                return 'inside { } and [ ], put a name with an index in quotes: "leg{i}"'
            return f"',' or {closing} is missing; opened in line {line}"
        if "quoted scalar" in context and "end of stream" in problem:
            return f"the quote opened in line {line} is not closed"
        if "block mapping" in context or "block collection" in context:
            return (
                f"this does not match what started in line {line}: check its indentation and a "
                "missing ':' or '-'"
            )
        if "could not find expected ':'" in problem:
            return "':' is missing after a key"
        return f"this is not YAML: {problem}"
