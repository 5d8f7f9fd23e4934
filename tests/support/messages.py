"""A valid message of every kind, made from its fields: kinds to come are covered as well."""

from __future__ import annotations

import dataclasses
import types
import typing
from typing import Any

from kinegen.studio.wire.codec import is_required
from kinegen.studio.wire.message import Range
from kinegen.studio.wire.messages import FROM_PAGE, Message

NAMES = [cls.KIND for cls in FROM_PAGE]


def sample(cls: type[Message], **fields: Any) -> dict[str, Any]:
    """A message of a kind, as JSON; fields that are not given are made up."""
    return {"kind": cls.KIND, **_object(cls), **fields}


def _object(cls: Any) -> dict[str, Any]:
    hints = typing.get_type_hints(cls, include_extras=True)
    if typing.is_typeddict(cls):
        return {name: _value(hint) for name, hint in hints.items() if is_required(cls, hint)}
    return {field.name: _value(hints[field.name]) for field in dataclasses.fields(cls)}


def _value(hint: Any) -> Any:
    origin, inside = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Annotated:
        limit = inside[1]
        if isinstance(limit, Range):
            return inside[0](limit.low)
        return "x" * limit.low if inside[0] is str else [_value(inside[0].__args__[0])] * limit.low
    if origin in (typing.Union, types.UnionType):
        return _value(next(one for one in inside if one is not type(None)))
    if origin is typing.Literal:
        return inside[0]
    if origin is list:
        return [_value(inside[0])]
    if origin is tuple:
        return [_value(one) for one in inside]
    if origin is dict:
        return {}
    if origin in (typing.Required, typing.NotRequired):
        return _value(inside[0])
    if dataclasses.is_dataclass(hint) or typing.is_typeddict(hint):
        return _object(hint)
    return {str: "x", int: 1, float: 0.5, bool: False}[hint]
