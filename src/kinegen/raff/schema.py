"""The JSON Schema of RAFF (draft 2020-12), made from the grammar: for editors and programs."""

from __future__ import annotations

import json
from typing import Any

from kinegen.raff.axis import WORDS
from kinegen.raff.repeat import REPEAT, ROWS
from kinegen.raff.sections.file import FILE, sections
from kinegen.raff.sections.joint import JOINT, JOINT_TYPES
from kinegen.raff.sections.kinds import (
    Axis,
    Either,
    Flag,
    Free,
    Key,
    Kind,
    ListOf,
    Maybe,
    Name,
    Number,
    Reference,
    Section,
    Table,
    Text,
    Word,
)
from kinegen.raff.sections.parts import COLORS, KLEINFINGER
from kinegen.raff.units import units_of, with_article

__all__ = ["SCHEMA_FILE", "json_schema", "schema_text"]

SCHEMA_FILE = "raff.schema.json"
"""Name of the published schema, beside this file in the package."""

_NAME = "^[A-Za-z][A-Za-z0-9_-]*$"
_MECHANISM_NAME = "^(?=[0-9_-]*[A-Za-z])[A-Za-z0-9][A-Za-z0-9_-]*$"
_PARAMETER_NAME = "^[A-Za-z][A-Za-z0-9_]*$"
_ANY_NAME = r"""^[^=,;"\s]([^=,;"]*[^=,;"\s])?$"""
_DOTTED = r"^[A-Za-z][A-Za-z0-9_-]*(\.[A-Za-z][A-Za-z0-9_-]*)*$"
_FORMULA = r"^[-+*/^().,0-9A-Za-z_ °µμ²³·%]+$"
_COLOR = "^#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$"

Schema = dict[str, Any]


def json_schema() -> Schema:
    """The schema as a mapping ready for JSON."""
    definitions: Schema = {}
    made = _Maker(definitions)
    names = {id(section): name.replace(".", "_") for name, section in sections().items()}
    made.names = names
    root = made.section(FILE)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:kinegen:raff:1",
        "title": "RAFF, the Robot Arm File Format",
        "description": (
            "A mechanism: its parameters, joints and frames. See docs/reference/raff.md."
        ),
        **root,
        "$defs": dict(sorted(definitions.items())),
    }


def schema_text() -> str:
    """The schema as the published file has it."""
    return json.dumps(json_schema(), indent=2, ensure_ascii=False) + "\n"


class _Maker:
    """Turns kinds into schemas; sections and quantities are shared as definitions."""

    def __init__(self, definitions: Schema) -> None:
        self.definitions = definitions
        self.names: dict[int, str] = {}

    def section(self, section: Section) -> Schema:
        """The schema of a mapping with fixed keys."""
        properties = {name: self.key(name, key) for name, key in section.keys.items()}
        required = [name for name, key in section.keys.items() if key.required]
        schema: Schema = {"type": "object", "properties": properties}
        if required:
            schema["required"] = required
        if "name" in section.keys and section.keys["name"].required:
            properties[REPEAT] = self.repeat()
        schema["additionalProperties"] = False
        if "xyz" in properties and "d" in properties:
            none_of_six = {"properties": dict.fromkeys(KLEINFINGER, False)}
            no_turn = {"properties": dict.fromkeys((*KLEINFINGER, "rpy"), False)}
            schema["dependentSchemas"] = {"xyz": none_of_six, "rpy": none_of_six, "axis": no_turn}
        if section is JOINT:
            schema["allOf"] = list(_joint_rules())
        return schema

    def key(self, name: str, key: Key) -> Schema:
        """The schema of one key, with its documentation."""
        doc = key.doc + (f" (default {key.default})" if key.default else "")
        if name == "color":
            schema: Schema = {"anyOf": [{"enum": list(COLORS)}, {"pattern": _COLOR}]}
            schema["type"] = "string"
        elif name == "raff":
            schema = {"const": 1}
        else:
            schema = self.kind(key.kind)
        return {"description": doc, **schema}

    def kind(self, kind: Kind) -> Schema:
        """The schema of any kind."""
        match kind:
            case Section():
                return self.shared(kind)
            case Number(quantity=quantity):
                return self.number(quantity)
            case Axis():
                vector = {"type": "array", "items": self.number(""), "minItems": 3, "maxItems": 3}
                return {"anyOf": [{"enum": list(WORDS)}, self.number("angle"), vector]}
            case ListOf(item=item, sizes=sizes):
                schema: Schema = {"type": "array", "items": self.kind(item)}
                if isinstance(item, Section) and "name" in item.keys:
                    schema["items"] = self.repeatable(item)
                if sizes:
                    schema |= {"minItems": min(sizes), "maxItems": max(sizes)}
                return schema
            case Maybe(kind=inner):
                return {"anyOf": [{"enum": ["none", None]}, self.kind(inner)]}
            case Either(scalar=scalar, listing=listing, mapping=mapping):
                return {
                    "anyOf": [
                        self.kind(one) for one in (scalar, listing, mapping) if one is not None
                    ]
                }
            case Table(value=value, dotted=dotted):
                return {
                    "type": "object",
                    "propertyNames": {"pattern": _DOTTED if dotted else _PARAMETER_NAME},
                    "additionalProperties": self.kind(value),
                }
            case Name(quoted=True) | Reference():
                return {"type": "string", "pattern": _ANY_NAME}
            case Name(digit_first=digit_first):
                return {"type": "string", "pattern": _MECHANISM_NAME if digit_first else _NAME}
            case Word(choices=choices):
                return {"enum": list(choices)}
            case Flag():
                return {"type": "boolean"}
            case Text():
                return {"type": ["string", "number"]}
            case Free():
                return {}

    def repeat(self) -> Schema:
        """The indices of rows that are written once."""
        whole = {"type": "integer"}
        pair = {"type": "array", "items": whole, "minItems": 2, "maxItems": 2}
        self.definitions[REPEAT] = {
            "description": "indices with their counts (i: 6 is 1 to 6) or [first, last]",
            "type": "object",
            "propertyNames": {"pattern": _PARAMETER_NAME},
            "additionalProperties": {"anyOf": [whole, pair]},
            "minProperties": 1,
        }
        return {
            "description": "the row stands for several: names contain {i}, formulas use i",
            "$ref": f"#/$defs/{REPEAT}",
        }

    def repeatable(self, section: Section) -> Schema:
        """A row of a table, or a group of rows that is repeated."""
        name = f"{self.names[id(section)]}_group"
        if name not in self.definitions:
            self.definitions[name] = {}
            self.definitions[name] = {
                "type": "object",
                "properties": {
                    REPEAT: self.repeat(),
                    ROWS: {"type": "array", "items": self.repeatable(section)},
                },
                "required": [REPEAT, ROWS],
                "additionalProperties": False,
            }
        return {
            "if": {"required": [ROWS]},
            "then": {"$ref": f"#/$defs/{name}"},
            "else": self.shared(section),
        }

    def shared(self, section: Section) -> Schema:
        """A reference to a section's definition."""
        name = self.names.get(id(section))
        if name is None:
            return self.section(section)
        if name not in self.definitions:
            self.definitions[name] = {}  # a section may contain itself
            self.definitions[name] = self.section(section)
        return {"$ref": f"#/$defs/{name}"}

    def number(self, quantity: str) -> Schema:
        """A reference to a quantity's definition."""
        name = "number_" + quantity.replace(" ", "_") if quantity else "number"
        units = units_of(quantity) if quantity else ()
        what = with_article(quantity) if quantity else "a number"
        what += f", in {units[0]} or with its unit ({', '.join(units[1:])}, …)" if units else ""
        self.definitions[name] = {
            "description": f"{what}; formulas over the parameters are allowed",
            "anyOf": [{"type": "number"}, {"type": "string", "pattern": _FORMULA}],
        }
        return {"$ref": f"#/$defs/{name}"}


def _one_of(words: list[str]) -> Schema:
    return {"const": words[0]} if len(words) == 1 else {"enum": words}


def _joint_rules() -> list[Schema]:
    """What depends on a joint's type."""
    moving = ["start", "limits", "motor", "friction", "backlash", "spring"]
    others = [word for word, info in JOINT_TYPES.items() if not info.has_pitch]
    screws = [word for word, info in JOINT_TYPES.items() if info.has_pitch]
    still = [word for word, info in JOINT_TYPES.items() if not info.moves]
    return [
        {
            "if": {"properties": {"type": _one_of(screws)}, "required": ["type"]},
            "then": {"required": ["pitch"]},
        },
        {
            "if": {
                "anyOf": [
                    {"not": {"required": ["type"]}},
                    {"properties": {"type": {"enum": others}}},
                ]
            },
            "then": {"properties": {"pitch": False}},
        },
        {
            "if": {"properties": {"type": _one_of(still)}, "required": ["type"]},
            "then": {"properties": dict.fromkeys(moving, False)},
        },
        {
            "if": {"required": ["closes"]},
            "then": {"properties": dict.fromkeys(["mass", "centre", "inertia", "density"], False)},
        },
    ]
