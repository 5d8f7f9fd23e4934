"""Parameters and numbers of a mechanism for sliders and tables: text, formula, quantity, place."""

from __future__ import annotations

from collections.abc import Iterator

from kinegen.mechanism.editing.numbers import GUIDES, part_of
from kinegen.mechanism.graph import PLACEMENT_KEYS, Joint, Mechanism, Placement, PlacementKind
from kinegen.mechanism.model import Model
from kinegen.raff.axis import WORDS
from kinegen.raff.document import Document
from kinegen.raff.formulas.formula import Formula
from kinegen.raff.formulas.parser import parse_formula
from kinegen.raff.nodes import Listing, Mapping, Node, Scalar
from kinegen.raff.repeat import Indices
from kinegen.raff.rules.numbers import evaluate_parameters
from kinegen.raff.units import dimension_of
from kinegen.studio.wire.messages import NumberData, ParameterData, Quantity

__all__ = ["number_data", "parameter_data"]

_ANGLES = frozenset({"gamma", "alpha", "theta", "roll", "pitch", "yaw"})
_FILE_KEYS = {
    **{axis: f"xyz.{i}" for i, axis in enumerate("xyz")},
    **{turn: f"rpy.{i}" for i, turn in enumerate(("roll", "pitch", "yaw"))},
}
"""How a pose's numbers are called in a file."""
_QUANTITIES: dict[object, Quantity] = {
    dimension_of("angle"): "angle",
    dimension_of("length"): "length",
}

Field = tuple[str, str, str, Formula | None, Quantity]
"""Owner, key in the model, key in the file, formula, quantity."""


def parameter_data(mechanism: Mechanism, model: Model) -> list[ParameterData]:
    """The parameters in the file's order."""
    values = evaluate_parameters({name: p.formula for name, p in mechanism.parameters.items()})
    uses = _uses(mechanism)
    found = []
    for index, (name, parameter) in enumerate(mechanism.parameters.items()):
        measure = values.measures.get(name)
        quantity: Quantity = "number"
        if measure is not None:
            quantity = _QUANTITIES.get(measure.dimension, "number")
        elif len(uses.get(name, ())) == 1:
            # a plain number that stands for lengths only is a length
            (quantity,) = uses[name]
        ends = [
            None if end is None else end.evaluate(values.values)
            for end in (parameter.minimum, parameter.maximum)
        ]
        found.append(
            ParameterData(
                name=name,
                index=index,
                text=parameter.formula.text,
                formula=model.parameters.formula(name) is not None,
                quantity=quantity,
                minimum=ends[0],
                maximum=ends[1],
                note=parameter.note,
            )
        )
    return found


def number_data(mechanism: Mechanism, model: Model) -> list[NumberData]:
    """The numbers of all joints and frames, by the keys that `Mechanism.set_number` takes."""
    rows = _rows(mechanism.document)
    guides = mechanism.document.names(GUIDES) if mechanism.document is not None else set()
    found = []
    for owner, key, file_key, formula, quantity in _fields(mechanism):
        slot = model.number_slot(owner, key)
        row, indices = rows.get(owner, (None, {}))
        if row is None and part_of(owner, guides):
            continue  # it follows from the guide's own row
        written = file_key if row is None else _written_key(row, file_key)
        if written is None:
            continue
        text = _text(row, written) if row is not None else formula.text if formula else ""
        follows = slot.formula is not None or bool(indices and _names(text) & indices.keys())
        found.append(NumberData(owner, written, slot.index, text, follows, quantity))
    return found


def _fields(mechanism: Mechanism) -> Iterator[Field]:
    for joint in mechanism.joints.values():
        yield from _placement(joint.name, "", joint.placement)
        if joint.closes is not None:
            yield from _placement(joint.name, "closes.", joint.closes.placement)
        if joint.type.info.has_pitch:
            yield joint.name, "pitch", "pitch", joint.pitch, "length"
        yield from _variables(joint)
    for frame in mechanism.frames.values():
        yield from _placement(frame.name, "", frame.placement)


def _placement(owner: str, prefix: str, placement: Placement) -> Iterator[Field]:
    is_pose = placement.kind is PlacementKind.POSE
    for key, formula in zip(PLACEMENT_KEYS[placement.kind], placement.numbers, strict=True):
        file_key = _FILE_KEYS[key] if is_pose else key
        quantity: Quantity = "angle" if key in _ANGLES else "length"
        yield owner, prefix + key, prefix + file_key, formula, quantity


def _variables(joint: Joint) -> Iterator[Field]:
    """Start and limits of a joint whose variables are numbers of their own."""
    if joint.type.info.has_quaternion:
        return
    variables = joint.type.info.variables
    for k, (name, unit) in enumerate(variables):
        one = len(variables) == 1
        quantity: Quantity = "angle" if unit == "angle" else "length"
        start = joint.start[k] if k < len(joint.start) else None
        yield (
            joint.name,
            "start" if one else f"start.{k}",
            "start" if one else f"start.{k}",
            start,
            quantity,
        )
        pair = joint.limits[k] if k < len(joint.limits) else None
        if pair is None:
            continue
        for side, key in enumerate(("lower", "upper")):
            file_key = f"limits.{side}" if one else f"limits.{k}.{side}"
            yield joint.name, key if one else f"{key}.{name}", file_key, pair[side], quantity


def _uses(mechanism: Mechanism) -> dict[str, set[Quantity]]:
    """The quantities of the fields that each parameter appears in."""
    uses: dict[str, set[Quantity]] = {}
    for _, _, _, formula, quantity in _fields(mechanism):
        for name in formula.names if formula is not None else ():
            uses.setdefault(name, set()).add(quantity)
    return uses


def _rows(document: Document | None) -> dict[str, tuple[Mapping, Indices]]:
    """The rows of joints and frames that stand in a text itself, by name, with their indices."""
    if document is None:
        return {}
    return {
        name: (row, indices)
        for section in ("joints", "frames", "guides")
        for _, name, row, indices in document.named_rows(section)
    }


def _written_key(row: Mapping, key: str) -> str | None:
    """The key under which a row has a number; None where an axis stands for it."""
    prefix, _, turn = key.rpartition("rpy.")
    holder = row.get("closes") if prefix else row
    axis = holder.get("axis") if isinstance(holder, Mapping) and "rpy." in key else None
    if axis is None:
        return key
    in_plane = isinstance(axis, Scalar) and axis.text not in WORDS
    return f"{prefix}axis" if in_plane and turn == "2" else None


def _names(text: str) -> frozenset[str]:
    """The names in a formula."""
    return parse_formula(text).names if text else frozenset()


def _text(row: Mapping, key: str) -> str:
    """A value as written, '' where it is left out."""
    node: Node | None = row
    for step in key.split("."):
        if isinstance(node, Mapping):
            node = node.get(step)
        elif isinstance(node, Listing) and step.isdigit() and int(step) < len(node.items):
            node = node.items[int(step)]
        else:
            return ""
    return node.text if isinstance(node, Scalar) else ""
