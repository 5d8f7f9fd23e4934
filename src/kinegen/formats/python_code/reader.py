"""A mechanism from a Python program, which is read and never run: the calls of the writer alone."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Mapping
from typing import Any

from kinegen.errors import FormatError, Problem, RaffError, UsageError, did_you_mean
from kinegen.formats.problems import FormatProblems
from kinegen.mechanism.editing.structure import as_text
from kinegen.mechanism.graph import Mechanism
from kinegen.mechanism.load import load_document, load_raff
from kinegen.raff.document import Document
from kinegen.raff.emit import flow_text
from kinegen.raff.formulas.formula import Formula
from kinegen.raff.opener import Opener

__all__ = ["CALLS", "read_python"]

LARGEST = 4 * 2**20
"""Characters of a program."""
CALLS: Mapping[str, tuple[str, ...]] = {
    "add_parameter": ("name", "value"),
    "add_joint": ("name", "parent"),
    "add_frame": ("name", "parent"),
    "set_key": ("key", "value"),
    "set_value": ("owner", "key", "value"),
}
"""Calls on a mechanism that are read, with their arguments by position."""
_SUBSET = (
    "only programs written by `kinegen export NAME out.py` can be read: `import kinegen as kg`, "
    "`mechanism = kg.Mechanism(…)`, and calls of "
    + ", ".join(f"mechanism.{name}" for name in CALLS)
    + " with plain values"
)
_TEXTS = ("title", "description", "source")


def read_python(
    text: str,
    *,
    file: str,
    values: Mapping[str, Formula] | None = None,
    options: Mapping[str, str] | None = None,
    opener: Opener | None = None,
) -> Mechanism:
    """The mechanism that a program builds, from its syntax alone: nothing of it is executed.

    Args:
        text: The program.
        file: Its name, for error messages.
        values: None: a program contains its own.
        options: None: there are none.
        opener: Finds and reads the files that the mechanism names.

    Raises:
        FormatError: The program does more than build a mechanism; every such place is named.
    """
    if values:
        raise UsageError(f"{file} is a program: it contains the values of its parameters")
    if options:
        raise UsageError("format 'python' has no options for reading")
    reader = _Reader(file)
    for statement in _parsed(text, file).body:
        reader.statement(statement)
    return reader.finish(opener)


def _parsed(text: str, file: str) -> ast.Module:
    if len(text) > LARGEST:
        raise FormatError(f"{file} has {len(text)} characters; at most {LARGEST} are read")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about the program's own style
            return ast.parse(text)
    except SyntaxError as error:
        place = Problem(file, error.lineno or 1, error.offset or 1, f"not Python: {error.msg}")
        raise FormatProblems([place]) from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise FormatError(f"{file} cannot be read as Python: {error or 'too deep'}") from None


class _Refused(Exception):
    """A part of the program that is not read."""

    def __init__(self, node: ast.AST, message: str) -> None:
        self.node, self.message = node, message


class _Reader:
    """Collects the rows of a mechanism, each with its line of the program."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.problems: list[Problem] = []
        self.mechanism = ""
        """Name of the variable."""
        self.whole: tuple[str, int] | None = None
        """A RAFF text that the program gives to kg.load, and its line."""
        self.name = ""
        self.top: dict[str, tuple[Any, int]] = {}
        self.rows: dict[str, list[tuple[dict[str, Any], int]]] = {
            "parameters": [],
            "joints": [],
            "frames": [],
        }

    def statement(self, node: ast.stmt) -> None:
        """Take one statement of the program, or note that it is not read."""
        try:
            self._statement(node)
        except _Refused as refused:
            at = refused.node
            line, column = getattr(at, "lineno", 1), getattr(at, "col_offset", 0) + 1
            self.problems.append(Problem(self.file, line, column, refused.message))

    def _statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Expr(value=ast.Constant(value=str())):
                return  # a docstring
            case ast.Import(names=[ast.alias(name="kinegen", asname="kg" | None)]):
                return
            case ast.ImportFrom(module="__future__"):
                return
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() as call):
                self._start(name, call)
            case ast.Expr(value=ast.Call() as call):
                self._call(call)
            case ast.If() if ast.unparse(node.test) == "__name__ == '__main__'":
                self._main(node)
            case _:
                raise _Refused(node, f"{_described(node)} is not supported; {_SUBSET}")

    def _main(self, node: ast.If) -> None:
        """What a program does when it is run does not concern its mechanism, if it only prints."""
        allowed = f"print({self.mechanism}.to_raff())"
        for inner in [*node.body, *node.orelse]:
            if ast.unparse(inner) != allowed:
                raise _Refused(
                    inner, f"{_described(inner)} is not supported here; only `{allowed}` is"
                )

    def _start(self, name: str, call: ast.Call) -> None:
        made = ast.unparse(call.func)
        if self.mechanism:
            raise _Refused(call, f"a program describes one mechanism, '{self.mechanism}'")
        if made in ("kg.load", "kinegen.load"):
            match call:
                case ast.Call(args=[ast.Constant(value=str() as text) as own], keywords=[]):
                    self.mechanism, self.whole = name, (text, own.lineno)
                case _:
                    raise _Refused(call, f"{made} is read with one RAFF text and nothing else")
            return
        if made not in ("kg.Mechanism", "kinegen.Mechanism"):
            raise _Refused(call, f"a call of {made} is not supported; {_SUBSET}")
        self.mechanism = name
        given = _arguments(call, ("name",), {"name", *_TEXTS})
        self.name = _text(call, given.get("name", "mechanism"), "name")
        for key in _TEXTS:
            if key in given:
                self.top[key] = (_text(call, given[key], key), call.lineno)

    def _call(self, call: ast.Call) -> None:
        match call.func:
            case ast.Attribute(value=ast.Name(id=owner), attr=method) if owner == self.mechanism:
                pass
            case _:
                made = ast.unparse(call.func)
                raise _Refused(call, f"a call of {made[:60]} is not supported; {_SUBSET}")
        if method not in CALLS:
            hint = did_you_mean(method, CALLS)
            raise _Refused(call, f"'{method}' is not supported{hint or ';'} {_SUBSET}")
        if self.whole is not None:
            raise _Refused(call, "a mechanism from kg.load cannot be changed afterwards")
        given = _arguments(call, CALLS[method])
        line = call.lineno
        match method:
            case "set_key":
                self.top[_text(call, given["key"], "key")] = (given["value"], line)
            case "set_value":
                self._set_value(call, **{key: given[key] for key in CALLS[method]})
            case "add_parameter":
                self.rows["parameters"].append((given, line))
            case _:
                section = "joints" if method == "add_joint" else "frames"
                self.rows[section].append((given, line))

    def _set_value(self, call: ast.Call, owner: Any, key: Any, value: Any) -> None:
        for row, _ in (*self.rows["joints"], *self.rows["frames"]):
            if row["name"] == owner:
                *way, last = _text(call, key, "key").split(".")
                inner = row
                for step in way:
                    inner = inner.setdefault(step, {})
                    if not isinstance(inner, dict):
                        raise _Refused(call, f"'{key}' of '{owner}' leads into a plain value")
                inner[last] = value
                return
        raise _Refused(call, f"set_value: there is no joint or frame '{owner}' above this line")

    def finish(self, opener: Opener | None) -> Mechanism:
        """The mechanism, read as one RAFF text; its problems have the program's lines."""
        if not self.mechanism and not self.problems:
            message = f"no `mechanism = kg.Mechanism(…)`; {_SUBSET}"
            self.problems.append(Problem(self.file, 1, 1, message))
        if self.problems:
            raise FormatProblems(self.problems)
        if self.whole is not None:
            text, first = self.whole
            lines = {n: first + n - 1 for n in range(1, text.count("\n") + 2)}
        else:
            text, lines = self._raff()
        try:
            if self.whole is not None:
                mechanism = load_raff(text if "\n" in text else text + "\n")
            else:
                mechanism = load_document(Document(text, opener=opener))
        except RaffError as error:
            raise FormatProblems(
                Problem(self.file, lines.get(one.line, 1), 1, one.message) for one in error.problems
            ) from None
        mechanism.document = None
        return mechanism

    def _raff(self) -> tuple[str, dict[int, int]]:
        """The text, one row per line, and the line of the program for each of its lines."""
        text = [f"raff: 1\nname: {flow_text(self.name)}"]
        lines = {1: 1, 2: 1}

        def add(row: str, line: int) -> None:
            text.append(row)
            lines[len(lines) + 1] = line

        for key, (value, line) in self.top.items():
            add(f"{flow_text(str(key))}: {flow_text(as_text(value))}", line)
        for section, rows in self.rows.items():
            if rows:
                add(f"{section}:", rows[0][1])
            for row, line in rows:
                if section == "parameters":
                    inner = {key: value for key, value in row.items() if key != "name"}
                    value = inner["value"] if set(inner) == {"value"} else inner
                    add(f"  {flow_text(row['name'])}: {flow_text(as_text(value))}", line)
                else:
                    add(f"  - {flow_text(as_text(row))}", line)
        return "\n".join(text) + "\n", lines


def _arguments(
    call: ast.Call, names: tuple[str, ...], allowed: set[str] | None = None
) -> dict[str, Any]:
    """The arguments of a call by name."""
    if len(call.args) > len(names):
        raise _Refused(call, f"{ast.unparse(call.func)} takes {len(names)} values by position")
    given = {name: _literal(node) for name, node in zip(names, call.args, strict=False)}
    for word in call.keywords:
        value = _literal(word.value)
        if word.arg is None and not isinstance(value, dict):
            raise _Refused(word.value, "** takes a mapping here")
        for key, one in (value if word.arg is None else {word.arg: value}).items():
            if key in given:
                raise _Refused(word.value, f"'{key}' is given twice")
            given[str(key)] = one
    for name in names if allowed is None else ():
        if name not in given:
            raise _Refused(call, f"{ast.unparse(call.func)} needs '{name}'")
    for name in given:
        if allowed is not None and name not in allowed:
            raise _Refused(call, f"{ast.unparse(call.func)} has no '{name}' that is read")
    return given


def _text(node: ast.AST, value: Any, what: str) -> str:
    if not isinstance(value, str):
        raise _Refused(node, f"'{what}' must be a text, not {value!r}")
    return value


def _literal(node: ast.expr) -> Any:
    """A plain value: number, text, flag, list, mapping."""
    match node:
        case ast.Constant(value=str() | bool() | int() | float() | None as value):
            return value
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return [_literal(item) for item in items]
        case ast.Dict(keys=keys, values=inner):
            pairs = zip(keys, inner, strict=True)
            return {_key(node, key): _literal(value) for key, value in pairs}
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as number)):
            return -number
        case _:
            raise _Refused(node, f"{_described(node)} is not a plain value; formulas are texts")


def _key(node: ast.AST, key: ast.expr | None) -> str:
    if isinstance(key, ast.Constant) and isinstance(key.value, str):
        return key.value
    raise _Refused(key or node, "keys of a mapping must be texts")


def _described(node: ast.AST) -> str:
    """A part of a program in a few words: ``the for loop `for i in …` ``."""
    shown = " ".join(ast.unparse(node).split())
    return f"`{shown if len(shown) <= 40 else shown[:40] + '…'}`"
