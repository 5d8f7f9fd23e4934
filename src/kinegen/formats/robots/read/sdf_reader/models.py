"""Models of SDF files: those in a file, those nested in others, and those that it includes."""

from __future__ import annotations

import posixpath

from kinegen.errors import UsageError
from kinegen.formats.problems import FormatProblems
from kinegen.formats.robots.read.mesh_files import FileFinder
from kinegen.formats.robots.read.robot import Robot
from kinegen.formats.robots.read.sdf_reader.scope import WORLD, Scope, Version, flag, word
from kinegen.formats.robots.read.xml_source import Element, XmlSource, beside
from kinegen.raff.opener import Opener

__all__ = ["open_scopes"]

NEWEST = (1, 12)
MOST_FILES = 500
DEEPEST = 50
"""Models in models, and files in files."""


def open_scopes(robot: Robot, source: XmlSource, opener: Opener | None) -> Scope:
    """The world of a robot's file, with all models in it."""
    return _Opening(robot, source, opener).world()


class _Opening:
    """Reads the models of one file and of those that it includes."""

    def __init__(self, robot: Robot, source: XmlSource, opener: Opener | None) -> None:
        self.robot, self.source, self.opener = robot, source, opener
        self.finder = FileFinder(opener, from_file=True)
        self.count = 0

    def world(self) -> Scope:
        root = self.source.root
        version = self.version(root, self.robot)
        worlds = root.findall("world")
        for extra in worlds[1:]:
            self.robot.leave_out(extra, f"world '{extra.get('name', '')}', which is not the first")
        element = worlds[0] if worlds else root
        scope = Scope(self.robot, element, version)
        self.fill(scope, 0, ())
        if len(scope.models) == 1:
            (only,) = scope.models.values()
            self.robot.name = only.name
        elif worlds:
            self.robot.name = element.get("name") or self.robot.name
        self.prefix(scope)
        return scope

    def version(self, root: Element, robot: Robot) -> Version:
        """The file's version; a problem where it is no SDF file, or newer than what is known."""
        text = root.get("version", "1.4")
        if root.tag != "sdf":
            robot.problem(root, f"the root of an SDF file is <sdf>, not <{root.tag}>")
            robot.raise_if_any()
        try:
            major, minor = map(int, text.split(".")[:2])
        except ValueError:
            robot.problem(root, f"'{text}' is not a version of SDF, such as 1.9")
            return 1, 9
        if major != 1 or (major, minor) > NEWEST:
            robot.remark(root, f"SDF {text} is read as {NEWEST[0]}.{NEWEST[1]}")
        return major, minor

    def fill(self, scope: Scope, depth: int, files: tuple[str, ...]) -> None:
        """Everything that has a name in a world or model."""
        if depth > DEEPEST:
            self.robot.problem(scope.element, f"models are nested more than {DEEPEST} deep")
            return
        for element in scope.element:
            if element.tag in {"link", "joint", "frame"}:
                self.member(scope, element)
            elif element.tag == "model":
                self.model(scope, element, depth, files)
            elif element.tag == "include":
                self.include(scope, element, depth, files)

    def member(self, scope: Scope, element: Element) -> None:
        name = element.get("name", "")
        if not name:
            self.robot.problem(element, f"a {element.tag} has no name")
        elif name == WORLD and element.tag == "link" and scope.version < (1, 7):
            self.world_link(scope, element)
        elif name == WORLD or (name.startswith("__") and name.endswith("__")):
            self.robot.problem(element, f"the name '{name}' is reserved")
        elif name in scope.members and scope.members[name].tag == element.tag:
            self.robot.problem(element, f"two {element.tag}s are called '{name}'")
        elif name in scope.members or name in scope.models:
            self.twin_name(scope, element, name)
        else:
            scope.members[name] = element

    def world_link(self, scope: Scope, element: Element) -> None:
        """A link with the world's own name, as old files have it to stand on the ground."""
        if element.find("inertial") is None:
            self.robot.remark(element, "the link 'world' has no <inertial>: it is the ground")
        else:
            scope.aliases[WORLD] = "world_link"
            scope.members["world_link"] = element
            self.robot.leave_out(element, "the name of link 'world', which is 'world_link' here")

    def twin_name(self, scope: Scope, element: Element, name: str) -> None:
        """A link and a joint of one name: allowed until SDF 1.6, each then has its own."""
        if scope.version >= (1, 7) or name in scope.models:
            self.robot.problem(element, f"two parts of a model are called '{name}'")
            return
        free = f"{name}_{element.tag}"
        while free in scope.members:
            free += "_"
        other = scope.members[name]
        if element.tag == "link":  # the link keeps its name
            scope.members[free.removesuffix(element.tag) + other.tag] = other
            scope.members[name] = element
        else:
            scope.members[free] = element

    def model(self, scope: Scope, element: Element, depth: int, files: tuple[str, ...]) -> None:
        model = self.add(scope, element, element.get("name", ""), scope.version, scope.folder)
        if model is not None:
            model.pose_element = element.find("pose")
            model.placement_frame = element.get("placement_frame", "")
            model.is_static = scope.is_static or flag(element.findtext("static"))
            self.fill(model, depth + 1, files)

    def add(
        self, scope: Scope, element: Element, name: str, version: Version, folder: str
    ) -> Scope | None:
        if not name:
            self.robot.problem(element, "a model has no name")
        elif (name in scope.models or name in scope.members) and version >= (1, 7):
            self.robot.problem(element, f"two parts of '{scope.name or WORLD}' are called '{name}'")
        else:
            if name in scope.models or name in scope.members:  # allowed until SDF 1.6
                number = 1
                while f"{name}_{number}" in scope.models:
                    number += 1
                self.robot.leave_out(
                    element, f"the name of model '{name}', which is '{name}_{number}' here"
                )
                name = f"{name}_{number}"
            made = Scope(self.robot, element, version, parent=scope, name=name, folder=folder)
            scope.models[name] = made
            return made
        return None

    # Included files

    def include(self, scope: Scope, element: Element, depth: int, files: tuple[str, ...]) -> None:
        uri = word(element, "uri")
        path = self.find(uri, scope.folder)
        self.count += 1
        if not uri or path is None:
            why = self.finder.why_not(uri)
            self.robot.problem(element, f"the included model '{uri}' was not found: {why}")
        elif path in files:
            chain = " → ".join([*files[files.index(path) :], path])
            self.robot.problem(element, f"the file includes itself: {chain}")
        elif len(files) > DEEPEST or self.count > MOST_FILES:
            self.robot.problem(
                element, f"more than {MOST_FILES} files, or nested more than {DEEPEST} deep"
            )
        else:
            self.included(scope, element, path, depth, (*files, path))

    def included(
        self, scope: Scope, element: Element, path: str, depth: int, files: tuple[str, ...]
    ) -> None:
        """The model of an included file, under the name and at the place that the include gives."""
        source = self.included_source(element, path)
        if source is None:
            return
        self.source.add(source)
        version = self.version(source.root, self.robot)
        inner = source.root.find("model")
        if inner is None:
            self.robot.problem(element, f"the included file '{path}' has no <model>")
            return
        folder = posixpath.dirname(path)
        name = word(element, "name") or inner.get("name", "")
        is_merged = flag(element.get("merge")) and scope.parent is not None
        if flag(element.get("merge")) and not is_merged:
            self.robot.leave_out(element, f"merge of '{path}' into a world, which has models only")
        if is_merged:
            name = f"_merged__{name}__"
        model = self.add(scope, inner, name, version, folder)
        if model is None:
            return
        own = element.find("pose")
        model.pose_element = inner.find("pose") if own is None else own
        model.placement_frame = word(element, "placement_frame") or inner.get("placement_frame", "")
        static = element.findtext("static") or inner.findtext("static")
        model.is_static = scope.is_static or flag(static)
        model.is_merged = is_merged
        self.fill(model, depth + 1, files)

    def find(self, uri: str, folder: str) -> str | None:
        """An included file's path from the file that was opened; a folder has a model.config."""
        if not uri:
            return None
        if "://" not in uri and not uri.startswith("model:"):
            uri = posixpath.join(folder, uri)
        if posixpath.splitext(uri)[1].lower() in {".sdf", ".world", ".xml"}:
            return self.finder.find(uri)
        home = uri.rstrip("/")
        config = self.finder.find(f"{home}/model.config")
        data = None if config is None else self.read(config)
        named = _newest(data) if data is not None else None
        for name in filter(None, (named, "model.sdf")):
            found = self.finder.find(f"{home}/{name}")
            if found is not None:
                return found
        return None

    def read(self, path: str) -> bytes | None:
        try:
            return self.opener.content(path) if self.opener is not None else None
        except UsageError:
            return None

    def included_source(self, element: Element, path: str) -> XmlSource | None:
        data = self.read(path)
        if data is None:
            self.robot.problem(element, f"the included file '{path}' cannot be read")
            return None
        try:
            return XmlSource.of_bytes(data, beside(self.source.file, path))
        except FormatProblems as error:
            self.robot.problems += error.problems
            return None

    def prefix(self, scope: Scope) -> None:
        """Names in the robot: those of an only model as they are, others after their model's."""
        many = scope.parent is not None or len(scope.models) > 1
        for name, model in scope.models.items():
            own = f"{scope.prefix}{name}::" if many else ""
            model.prefix = scope.prefix if model.is_merged else own
            if model.is_merged:
                taken = {*scope.members, *scope.models}
                for twin in (*model.members, *model.models):
                    if twin in taken:
                        self.robot.problem(
                            model.members.get(twin, model.element),
                            f"two parts of '{scope.name}' are called '{twin}', one of them merged",
                        )
            self.prefix(model)


def _newest(config: bytes) -> str | None:
    """The file that a model.config names for the newest version of SDF."""
    try:
        root = XmlSource.of_bytes(config, "model.config").root
    except FormatProblems:
        return None
    files = [(one.get("version", "0"), (one.text or "").strip()) for one in root.findall("sdf")]
    known = sorted((tuple(map(int, v.split("."))), f) for v, f in files if _is_version(v))
    return known[-1][1] if known else next((f for _, f in files), None)


def _is_version(text: str) -> bool:
    return all(part.isdigit() for part in text.split("."))
