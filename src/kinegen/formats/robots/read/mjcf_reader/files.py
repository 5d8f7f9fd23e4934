"""Files of an MJCF text: what it includes, its meshes, and where its named elements stand."""

from __future__ import annotations

import posixpath
import re
from functools import cached_property

from kinegen.errors import Problem, UsageError
from kinegen.formats.problems import FormatProblems
from kinegen.formats.robots.read.xml_source import Element, XmlSource, beside
from kinegen.raff.opener import Opener

__all__ = ["MjcfFiles"]

MOST_FILES = 1000
_ASSETS = {"mesh", "hfield", "texture", "skin"}
_SECTIONS = {"actuator", "sensor", "equality", "tendon", "keyframe"}
"""Elements whose children share one scope of names, whatever their tags are."""
_KINDS = {"freejoint": "joint"}
_LINE = re.compile(r"[Ll]ine (?:number=)?(\d+)")
_NAME = re.compile(r"name '([^']+)'")
_TAG = re.compile(r"Element '([^']+)'")
_PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c494441"
    "54789c63f8ffff3f0005fe02fe0def46b80000000049454e44ae426082"
)
"""A white PNG file, in place of a texture that is not there: textures are not carried over."""


class MjcfFiles:
    """The files that a text names, read by the opener alone."""

    def __init__(self, opener: Opener | None, source: XmlSource) -> None:
        self.opener, self.source = opener, source
        self.includes: dict[str, bytes] = {}
        self.assets: dict[str, bytes] = {}
        self.sources = [source]
        """The text's own, then those of included files."""
        self.problems: list[Problem] = []
        self.lost_textures: list[Element] = []
        self._roots: dict[str, Element] = {}
        self._folders = {"meshdir": "", "texturedir": ""}

    def gather(self) -> None:
        """Read what the text names, and what included files name; FormatProblems for faults.

        Missing meshes are among the problems, and no reason to stop: the text may have more faults.
        """
        # folders first: a <compiler> of any file counts for all of them
        self._gather_includes(self.source, (posixpath.basename(self.source.file),))
        self.raise_if_any()
        for source in self.sources:
            for compiler in source.root.iter("compiler"):
                for key in self._folders:
                    usual = compiler.get("assetdir", self._folders[key])
                    self._folders[key] = compiler.get(key, usual)
        for source in self.sources:
            for element in source.root.iter():
                if element.tag in _ASSETS and element.get("file"):
                    self._asset(element, source)

    def _gather_includes(self, source: XmlSource, chain: tuple[str, ...]) -> None:
        for element in source.root.iter("include"):
            name = element.get("file", "")
            path = posixpath.normpath(name)
            if path in chain:
                way = " → ".join([*chain[chain.index(path) :], path])
                self._problem(source, element, f"the file includes itself: {way}")
            elif path in self.includes:
                self._problem(source, element, f"'{name}' is included a second time: MuJoCo "
                              "includes a file once")  # fmt: skip
            elif self._has_room(source, element):
                data = self._read(path)
                if isinstance(data, str):
                    message = f"the included file '{name}' was not found: {data}"
                    self._problem(source, element, message)
                    continue
                self.includes[path] = data
                inner = XmlSource.of_bytes(data, beside(self.source.file, path))
                self.sources.append(inner)
                self._roots[path] = inner.root
                self.source.add(inner)
                self._gather_includes(inner, (*chain, path))

    def _asset(self, element: Element, source: XmlSource) -> None:
        name, is_texture = element.get("file", ""), element.tag == "texture"
        folder = self._folders["texturedir" if is_texture else "meshdir"]
        path = posixpath.normpath(posixpath.join(folder, name))
        if path in self.assets or not self._has_room(source, element):
            return
        data = self._read(path)
        if not isinstance(data, str):
            self.assets[path] = data
        elif is_texture and not {"gridsize", "gridlayout"} & element.attrib.keys():
            self.assets[path] = _PIXEL
            self.lost_textures.append(element)
        else:
            self._problem(source, element, f"{element.tag} file '{path}' was not found: {data}")

    def _read(self, path: str) -> bytes | str:
        """A file's content, or why there is none."""
        if self.opener is None or self.opener.folder is None:
            return "a text alone has no files"
        try:
            return self.opener.content(path)
        except UsageError as error:
            return str(error)

    def _has_room(self, source: XmlSource, element: Element) -> bool:
        has_room = len(self.includes) + len(self.assets) < MOST_FILES
        if not has_room and not self.problems:
            self._problem(source, element, f"the text names more than {MOST_FILES} files")
        return has_room

    def _problem(self, source: XmlSource, element: Element, message: str) -> None:
        self.problems.append(source.problem(element, message))

    def raise_if_any(self) -> None:
        """Stop here if anything was wrong."""
        if self.problems:
            raise FormatProblems(self.problems)

    # Places

    def place(self, kind: str, name: str, line: int, index: int = -1) -> Element | int:
        """Where an element stands: by name, by line, by its number, or at the beginning.

        Args:
            kind: Its tag; of actuators, sensors and the like, that of the section it is in.
            name: Its name, or empty.
            line: As MuJoCo has it, which is 0 in included files.
            index: How many of its kind come before it; -1: not known.
        """
        named, ordered = self._elements
        if name and (kind, name) in named:
            return named[kind, name]
        if line > 0 and len(self.sources) == 1:
            return line
        all_of_kind = ordered.get(kind, [])
        if 0 <= index < len(all_of_kind) and all_of_kind[index].get("name", "") == name:
            return all_of_kind[index]
        return max(line, 1)

    @cached_property
    def _elements(self) -> tuple[dict[tuple[str, str], Element], dict[str, list[Element]]]:
        """All elements by kind and name, and by kind in their order."""
        named: dict[tuple[str, str], Element] = {}
        ordered: dict[str, list[Element]] = {}
        waiting = [(self.source.root, child) for child in reversed(self.source.root)]
        while waiting:
            parent, element = waiting.pop()
            inner = None
            if element.tag == "include":
                inner = self._roots.get(posixpath.normpath(element.get("file", "")))
            elif "default" not in (parent.tag, element.tag) and element.tag not in _SECTIONS:
                kind = parent.tag if parent.tag in _SECTIONS else element.tag
                kind = _KINDS.get(kind, kind)
                ordered.setdefault(kind, []).append(element)
                named.setdefault((kind, element.get("name", "")), element)
            # the children of an included root stand where the include does
            home, inside = (element, element) if inner is None else (parent, inner)
            waiting += [(home, child) for child in reversed(inside)]
        return named, ordered

    def refusal(self, error: Exception) -> FormatProblems:
        """What MuJoCo says against the text, at its place, beside the problems found before."""
        message = " ".join(str(error).split())
        line, file = _LINE.search(message), self.source.file
        if line and int(line[1]):
            problem = Problem(file, int(line[1]), 1, f"MuJoCo rejects it: {message}")
        else:
            at = self._suspect(message) if line or len(self.sources) == 1 else None
            if at is not None and line is not None:
                message = message.replace(line[0], "").strip(" ,")
            message = f"MuJoCo rejects it: {message}"
            problem = self.source.problem(1 if at is None else at, message)
        return FormatProblems(sorted([*self.problems, problem]))

    def _suspect(self, message: str) -> Element | None:
        """The element that a message without a line is about: MuJoCo counts none in includes."""
        names, tag = _NAME.findall(message), _TAG.search(message)
        quoted = set(re.findall(r"'([^']+)'", message))
        for source in (*self.sources[1:], self.source):
            for element in source.root.iter():
                if names and element.get("name") == names[-1]:
                    return element
                if not names and tag is not None and element.tag == tag[1]:
                    words = {*element.attrib, *element.attrib.values()}
                    if words & (quoted - {tag[1]}) or quoted == {tag[1]}:
                        return element
        return None
