"""Expands one xacro file in a process of its own: the request on stdin, the answer on stdout.

Expressions of xacro are Python, and its own guard against hostile ones can be evaded. So each
expression is checked here as a tree before it is evaluated, files are only read below the folders
that the request allows, and the process has limits of time, memory and output.
"""

from __future__ import annotations

import ast
import json
import os
import re
import sys
from typing import Any
from xml.dom import minidom
from xml.parsers import expat

from kinegen.formats.robots.read.xml_source import with_origins

__all__ = ["main"]

LARGEST = 16 * 2**20
"""[bytes] of one file."""
MEMORY = 2**30
"""[bytes]"""
_HIDDEN = re.compile(r"_|(gi|cr|ag|tb|co|f|func)_|(format|format_map|mro)$")
"""Attributes that lead from a value to the interpreter's own objects."""
_FORBIDDEN = (ast.Lambda, ast.GeneratorExp, ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom,
              ast.JoinedStr)  # fmt: skip
_LONGEST = 10_000
_LARGEST_POWER = 1000
_PACKAGE = re.compile(r".*(package:/{1,2}([^/]+)/(.*))")
_EXPRESSION = re.compile(r"evaluating expression '(.*)'", re.DOTALL)
_INCLUDED = re.compile(r"(?:included file '|includes itself: .* → )([^']*)")
_ENTITY = re.compile(r"<!ENTITY\s+%?\s*([^\s>]*)")


class Refused(Exception):
    """A file that must not be read, or an expression that must not be evaluated."""

    def __init__(self, message: str, **place: Any) -> None:
        super().__init__(message)
        self.place = place
        """Line and column, where they are known."""


def check_expression(text: str) -> None:
    """Refuse an expression that does more than compute."""
    if len(text) > _LONGEST:
        raise Refused(f"an expression has more than {_LONGEST} characters")
    for node in ast.walk(ast.parse(text.strip(), mode="eval")):
        if isinstance(node, _FORBIDDEN):
            raise Refused(f"'{text.strip()[:80]}': {type(node).__name__} is not allowed here")
        name = node.attr if isinstance(node, ast.Attribute) else ""
        if isinstance(node, ast.Name) and node.id.startswith("__"):
            name = node.id
        if name and _HIDDEN.match(name):
            raise Refused(f"'{text.strip()[:80]}': the name '{name}' is not allowed here")
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
            power = node.right
            if isinstance(power, ast.Constant) and isinstance(power.value, int):
                if abs(power.value) > _LARGEST_POWER:
                    raise Refused(f"'{text.strip()[:80]}': the power is too large")


class Expansion:
    """One request: where files may be, and xacro with its doors closed."""

    def __init__(self, request: dict[str, Any]) -> None:
        import xacro
        from xacro import substitution_args

        self.xacro: Any = xacro
        self.file, self.text = request["file"], request["text"]
        self.folder, self.root = request["folder"], request["root"]
        self.elsewhere: list[str] = request["elsewhere"]
        xacro.parse = self.parse
        xacro.safe_eval = self.evaluate
        xacro.open = self.open
        substitution_args._eval_find = self.find
        substitution_args._eval = self.no_eval
        space = xacro._global_symbols.get("python", {})
        for name in ("type", "vars", "hash", "repr", "isinstance", "issubclass"):
            dict.pop(space, name, None)
        self.args: dict[str, str] = request["args"]
        self.texts: dict[str, str] = {}
        """Of all files that were read, the first one included."""

    def run(self) -> str:
        """The expanded text."""
        self.xacro.init_stacks(os.path.join(self.folder, os.path.basename(self.file)))
        self.xacro.verbosity = 0
        document = self.document(self.text, self.file)
        self.xacro.process_doc(document, mappings=dict(self.args), verbosity=0)
        return str(document.toprettyxml(indent="  "))

    def allowed(self, path: str) -> str:
        """The real path of a file that may be read."""
        place = os.path.realpath(path)
        if self.root is not None and os.path.commonpath([place, self.root]) != self.root:
            name = os.path.basename(path)
            raise Refused(f"the included file '{name}' is outside of the project folder")
        return place

    def open(self, path: str, mode: str = "r") -> Any:
        """In place of ``open`` in xacro: regular files of bounded size, for reading."""
        place = self.allowed(self.in_package(path))
        if mode != "r" or not os.path.isfile(place):
            raise OSError(2, "no such file", path)
        if os.path.getsize(place) > LARGEST:
            raise Refused(f"'{os.path.basename(path)}' has more than {LARGEST} bytes")
        return open(place, encoding="utf-8-sig")

    def parse(self, source: Any, filename: str | None = None) -> Any:
        """In place of xacro's own: the document of an included file."""
        if source is not None:
            return source
        stack = self.xacro.filestack
        if filename in stack[:-1]:
            chain = " → ".join(os.path.basename(one) for one in [*stack[stack.index(filename) :]])
            raise Refused(f"the file includes itself: {chain}")
        try:
            with self.open(str(filename)) as file:
                text = file.read()
        except OSError as error:
            stack.pop()
            named = _PACKAGE.search(str(filename))
            name = named[1] if named else os.path.basename(str(filename))
            raise self.xacro.XacroException(
                f"the included file '{name}' was not found", exc=error
            ) from None
        return self.document(text, os.path.relpath(self.in_package(str(filename)), self.folder))

    def document(self, text: str, file: str) -> Any:
        """An XML text without entities, which can stand for gigabytes."""
        self.texts[file] = text
        entity = _ENTITY.search(text)
        if entity is not None:
            message = f"the file declares the entity '{entity[1]}'; entities are not supported"
            raise Refused(message, **_position(text, entity.start()))
        number = len(self.texts) - 1
        minidom.parseString(text.encode("utf-8"))  # for the place of what is not sound
        return minidom.parseString(with_origins(text, number, but="xacro:").encode("utf-8"))

    def place(self, answer: dict[str, Any]) -> dict[str, Any]:
        """File, line and column of what is wrong, as far as xacro says."""
        files = list(self.texts)
        for pattern in (_EXPRESSION, _INCLUDED):
            found = pattern.search(answer["error"])
            if found is None:
                continue
            wanted = re.escape(found[1])
            if pattern is _INCLUDED:
                wanted = rf"<xacro:include[^>]*{re.escape(os.path.basename(found[1]))}"
            for file in reversed(files):
                at = re.search(wanted, self.texts[file])
                if at is not None:
                    return {"file": file, **_position(self.texts[file], at.start())}
        last = files[-1] if files and "line" in answer else self.file
        return {"file": last, "line": 1, "column": 1}

    def evaluate(self, text: str, names: Any, local: Any = None) -> Any:
        """In place of xacro's own: only what was checked is evaluated."""
        check_expression(text)
        names.update(__builtins__={})
        return eval(compile(text.strip(), "<expression>", "eval"), names, local)

    def no_eval(self, text: str, context: Any) -> Any:
        """In place of ``$(eval …)``."""
        raise Refused(f"$(eval {text[:60]}) is not supported: write ${{{text[:60]}}}")

    def in_package(self, path: str) -> str:
        """A path whose package is looked for where that stands in it."""
        from kinegen.formats.robots.read.packages import package_files, package_homes

        named = _PACKAGE.search(path)
        if named is None:
            return path
        homes = package_homes(
            named[2], self.folder, self.elsewhere,
            is_folder=lambda home: os.path.isdir(os.path.join(self.folder, home)),
        )  # fmt: skip
        for *_, found in package_files(homes, named[3]):
            place = os.path.join(self.folder, found)
            if os.path.isfile(place):
                return place
        return path

    def find(self, package: str) -> str:
        """In place of ``$(find …)``; a package with no folder of its name is looked for later."""
        from kinegen.formats.robots.read.packages import package_folders

        for folder in package_folders(package, self.folder, self.elsewhere):
            place = os.path.normpath(os.path.join(self.folder, folder))
            if os.path.isdir(place):
                try:
                    return self.allowed(place)
                except Refused:
                    continue
        return f"package://{package}"


def _position(text: str, at: int) -> dict[str, int]:
    """Line and column of a character."""
    return {"line": text.count("\n", 0, at) + 1, "column": at - text.rfind("\n", 0, at)}


def _reason(error: BaseException) -> str:
    """What an error says; xacro wraps what its expressions raise."""
    inner: Any = error
    while getattr(inner, "exc", None) is not None and isinstance(inner.exc, Exception):
        if isinstance(inner.exc, Refused):
            return str(inner.exc)
        inner = inner.exc
    if isinstance(inner, OSError) and str(error).startswith("the included"):
        return str(error).split(" was not found")[0] + " was not found"
    return " ".join(str(error).split()) or type(error).__name__


def _limit(seconds: int) -> None:
    """Limits for this process, where the system has them."""
    try:
        import resource
    except ImportError:  # Windows: only the time, by the parent
        return
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "linux":
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def main() -> None:
    """Read a request, write the answer: the text, or what is wrong and in which file."""
    request = json.load(sys.stdin)
    answers, sys.stdout = sys.stdout, sys.stderr  # xacro prints
    _limit(request["seconds"])
    expansion = None
    try:
        expansion = Expansion(request)
        text = expansion.run()
        answer: dict[str, Any] = {"text": text, "files": list(expansion.texts)}
    except expat.ExpatError as error:
        answer = {"error": f"this is not well-formed XML: {expat.ErrorString(error.code)}",
                  "line": error.lineno, "column": error.offset + 1}  # fmt: skip
    except MemoryError:
        answer = {"error": f"expanding it takes more than {MEMORY >> 20} MB"}
    except RecursionError:
        answer = {"error": "its macros or properties call themselves without end"}
    except Refused as error:
        answer = {"error": str(error), **error.place}
    except BaseException as error:  # whatever an expression raises is the file's fault
        answer = {"error": _reason(error)}
    if "error" in answer and expansion is not None:
        answer = expansion.place(answer) | answer
    json.dump(answer, answers)
