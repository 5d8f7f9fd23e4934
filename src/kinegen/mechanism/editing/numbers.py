"""Changes of numbers: the graph is updated at once, and one token of the mechanism's text."""

from __future__ import annotations

from kinegen.errors import NumberError, RaffError, UsageError, unknown_name
from kinegen.mechanism.build import build_frame, build_joint
from kinegen.mechanism.graph import Mechanism, Parameter
from kinegen.mechanism.write import write
from kinegen.raff.document import Document, Path
from kinegen.raff.emit import number_like, scalar_text
from kinegen.raff.formulas.formula import Formula
from kinegen.raff.formulas.parser import parse_formula
from kinegen.raff.formulas.tokens import FormulaError
from kinegen.raff.nodes import Mapping, Scalar
from kinegen.raff.quantities import check_quantity, measure
from kinegen.raff.reader import Reader
from kinegen.raff.records import Row
from kinegen.raff.rules.joints import check_joint
from kinegen.raff.rules.names import path_text
from kinegen.raff.rules.numbers import LARGEST, check_numbers, evaluate_parameters
from kinegen.raff.rules.row_rules import RowRules
from kinegen.raff.sections.file import FRAME
from kinegen.raff.sections.joint import JOINT
from kinegen.raff.units import NAMED_DIMENSIONS, quantity_of

__all__ = [
    "GUIDES",
    "Value",
    "alone",
    "key_path",
    "new_text",
    "part_of",
    "robot_of",
    "row_of",
    "set_number",
    "set_parameter",
]

GUIDES = "guides"
Value = float | str
"""A number [SI, rad], or the text of a number or formula: ``"150 mm"``, ``"crank/2"``."""


def set_parameter(mechanism: Mechanism, name: str, value: Value) -> None:
    """Give a parameter another value or formula; one token of the text changes.

    A number keeps the unit the parameter is written in: ``150 mm`` set to 0.2 is ``200 mm``.
    """
    if name not in mechanism.parameters:
        raise unknown_name("parameter", name, f"mechanism '{mechanism.name}'", mechanism.parameters)
    parameter = mechanism.parameters[name]
    text = new_text(value, parameter.formula.text)
    formula = parse_formula(text)
    _check_parameter(mechanism, parameter, formula)
    if mechanism.document:
        _set_parameter_text(mechanism.document, name, scalar_text(text))
    parameter.formula = formula


def _check_parameter(mechanism: Mechanism, parameter: Parameter, formula: Formula) -> None:
    """Refuse a value that the parameter itself cannot have."""
    name, where = parameter.name, f"mechanism '{mechanism.name}'"
    formulas = {key: p.formula for key, p in mechanism.parameters.items()}
    for needed in formula.names:
        if needed not in formulas:
            raise unknown_name("parameter", needed, where, formulas)
    before = evaluate_parameters(formulas)
    after = evaluate_parameters({**formulas, name: formula})
    if after.cycle:
        raise UsageError(f"parameters would form a cycle: {path_text(after.cycle)}")
    old = before.measures.get(name)
    if old is not None and old.dimension in NAMED_DIMENSIONS:
        found = measure(formula, after.measures)
        wrong = check_quantity(formula, found, quantity_of(old.dimension))
        if wrong:
            raise NumberError(f"'{name}' is {wrong}")
    value = formula.evaluate(after.values)
    if abs(value) > LARGEST:
        raise NumberError(f"'{name}' = {value:g} is implausibly large")
    given = (parameter.minimum, parameter.maximum)
    ends = [None if end is None else end.evaluate(after.values) for end in given]
    if (ends[0] is not None and value < ends[0]) or (ends[1] is not None and value > ends[1]):
        raise NumberError(
            f"'{name}' = {formula.text} is outside its min and max "
            f"({' to '.join('…' if end is None else end.text for end in given)})"
        )


def _set_parameter_text(document: Document, name: str, text: str) -> None:
    path: Path = ("parameters", name)
    robot, dot, inner = name.partition(".")
    if dot:
        row = document.row("robots", robot)
        if row is None:
            raise UsageError(f"'{name}' belongs to an included file; change it there")
        if document.find((*row, "parameters")) is None:
            document.add(row, "parameters", "{" + f"{inner}: {text}" + "}")
            return
        path = (*row, "parameters", inner)
        if document.find(path) is None:
            document.add(path[:-1], inner, text)
            return
    if isinstance(document.find(path), Mapping):
        path = (*path, "value")
    document.set(path, text)


def set_number(mechanism: Mechanism, owner: str, key: str, value: Value) -> None:
    """Change one number of a joint or frame; one token of the text changes.

    Args:
        mechanism: The mechanism.
        owner: A joint's or frame's name.
        key: As in the file, dots lead inside: ``"d"``, ``"closes.r"``, ``"motor.torque"``,
            ``"limits.0"``, ``"xyz.2"``. A key that is absent is added.
        value: A number [SI, rad] or a formula's text.
    """
    from kinegen.mechanism.editing.structure import set_value  # which is built on this module

    section = "joints" if owner in mechanism.joints else "frames"
    if section == "frames" and owner not in mechanism.frames:
        where = f"mechanism '{mechanism.name}'"
        raise unknown_name("joint", owner, where, [*mechanism.joints, *mechanism.frames])
    document = _document(mechanism)
    path: Path = (*row_of(document, section, owner), *key_path(key))
    if path[0] == GUIDES:  # several joints follow from its row
        set_value(mechanism, owner, key, value)
        return
    node = document.find(path)
    old = node.text if isinstance(node, Scalar) else ""
    text = scalar_text(new_text(value, old))
    before = document.text
    if node is None and isinstance(path[-1], int):
        raise UsageError(f"'{owner}' has no '{key}'; specify the whole list with set_value")
    if node is None:
        if document.find(path[:-1]) is None:
            document.add(path[:-2], str(path[-2]), "{" + f"{path[-1]}: {text}" + "}")
        else:
            document.add(path[:-1], str(path[-1]), text)
    else:
        document.set(path, text)
    try:
        _reread(mechanism, document, section, owner)
    except RaffError:
        document.replace([(0, len(document.text), before)])
        raise


def _reread(mechanism: Mechanism, document: Document, section: str, owner: str) -> None:
    """Take over one row of the text, checked as if the file were read again.

    A row that is written once for several joints is taken over by all of them.
    """
    path = row_of(document, section, owner)
    reader = Reader(document.source)
    values = evaluate_parameters({name: p.formula for name, p in mechanism.parameters.items()})
    rows = [
        reader.one_row(JOINT if section == "joints" else FRAME, node, indices)
        for at, _, node, indices in document.named_rows(section)
        if at == path
    ]
    if not reader.problems:
        check_numbers(reader, Row(document.root), values)
        for row in rows:
            reader.indices = row.indices
            rules = RowRules(reader, values)
            if section == "joints":
                check_joint(rules, row)
            else:
                rules.placement(row)
    if reader.problems:
        raise RaffError(reader.problems)
    for row in rows:
        name = row.values["name"]
        if section == "joints":
            mechanism.joints[name] = build_joint(row, values.values)
        else:
            mechanism.frames[name] = build_frame(row)


def _document(mechanism: Mechanism) -> Document:
    """The document to edit; one made for the occasion when the mechanism has none."""
    return mechanism.document or Document(write(mechanism))


def row_of(document: Document, section: str, name: str) -> Path:
    """Where a joint's or frame's own row is in a text; UsageError when it has none."""
    row = document.row(section, name)
    if row is None and section == "joints":
        row = document.row(GUIDES, name)
    if row is None:
        guide = part_of(name, document.names(GUIDES))
        if guide:
            raise UsageError(f"'{name}' is a part of the guide '{guide}'; change the guide")
        if robot_of(document, name):
            raise UsageError(
                f"'{name}' belongs to an included file; change it there, or override a parameter"
            )
        raise UsageError(f"'{name}' is not in the text of {document.file}")
    return row


def alone(document: Document, section: str, name: str, verb: str) -> Path:
    """Where the row of one thing is written; UsageError when it stands for others too."""
    path = row_of(document, section, name)
    repeat = document.repeats(path)
    if repeat:
        line, _ = document.source.position(document.need(path).start)
        raise UsageError(
            f"'{name}' cannot be {verb} alone: the row in line {line} is repeated ({repeat}); "
            "edit it in the text"
        )
    return path


def robot_of(document: Document, name: str) -> str:
    """The included robot that a joint or frame is a part of; empty for one of the text itself."""
    return part_of(name, document.names("robots"))


def part_of(name: str, wholes: set[str]) -> str:
    """That of several robots or guides whose part a name is, or which it is; empty for none."""
    ends = [at for at, char in enumerate(name) if char == "."]
    return next((name[:at] for at in (*ends, len(name)) if name[:at] in wholes), "")


def key_path(key: str) -> Path:
    """The steps of a dotted key: ``"limits.0"`` gives ("limits", 0)."""
    return tuple(int(step) if step.isdigit() else step for step in key.split("."))


def new_text(value: Value, old: str) -> str:
    """The text of a value that takes the place of an old one."""
    if isinstance(value, str):
        parse_formula(value)
        return value
    Formula.constant(value)  # refuses what is not finite
    try:
        if parse_formula(old).value == value:
            return old
    except FormulaError:
        pass  # nothing was there
    return number_like(float(value), old)
