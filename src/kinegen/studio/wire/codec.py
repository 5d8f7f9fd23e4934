"""Messages from and to JSON: strict on the way in, fast on the way out."""

from __future__ import annotations

import dataclasses
import functools
import math
import re
import types
import typing
from collections.abc import Callable, Mapping
from typing import Annotated, Any, NotRequired, Required, TypeVar

import orjson

from kinegen.errors import KinegenError, did_you_mean
from kinegen.studio.wire import messages as wire
from kinegen.studio.wire.message import Length, Message, PieceHead, Range, Result
from kinegen.studio.wire.parts import Shape

__all__ = [
    "LARGEST_MESSAGE",
    "Encoded",
    "EncodedResult",
    "WireError",
    "decode",
    "decode_any",
    "decode_keys",
    "decode_result",
    "encode",
    "encoded",
    "is_required",
    "keys_of",
    "kinds_of",
    "tagged",
]

LARGEST_MESSAGE = 8 * 2**20
"""[bytes] A text of a thousand joints has a hundredth of this."""
MOST_VALUES = 1_000_000
"""In one message, texts aside: a motion of ten minutes has fewer."""
_LARGEST_INT = 2**53
"""Beyond this a page's numbers are no longer exact."""
_FEW = 2**18
"""[bytes] A message that is shorter need not be counted."""
_TEXTS = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
_KINDS: dict[str, type[Message]] = {cls.KIND: cls for cls in wire.FROM_PAGE}
M = TypeVar("M", bound=Message)
R = TypeVar("R", bound=Result)

Converter = Callable[[Any, str], Any]
"""Turns a JSON value into a field's value; the text is the field's place, for errors."""


class WireError(KinegenError, ValueError):
    """A frame that is no message; ``request`` is the number it carried, 0 when none."""

    def __init__(self, message: str, *, request: int = 0) -> None:
        super().__init__(message)
        self.request = request


def encode(message: Message) -> str:
    """A message as JSON; numbers that are not finite become null."""
    data = tagged(message)
    options = orjson.OPT_SERIALIZE_NUMPY
    try:
        return orjson.dumps(data, _fragment, options).decode()
    except TypeError:
        # halves of characters, whole numbers of any size: rare, and no reason to send nothing
        return orjson.dumps(_sendable(data), _fragment, options).decode()


def tagged(message: Message | PieceHead) -> dict[str, object]:
    """The fields of a message, or of the head of a piece, and its kind."""
    cls: Any = type(message)
    return {"kind": message.KIND, **{name: getattr(message, name) for name in _names(cls)}}


def _sendable(value: Any) -> Any:
    """A value as JSON can hold it; what cannot be held is replaced."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, dict):
        return {_sendable(str(key)): _sendable(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_sendable(inner) for inner in value]
    if type(value) is int and not -(2**63) <= value < 2**64:
        return float(value) if abs(value) < 2**1023 else None
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {name: _sendable(getattr(value, name)) for name in _names(type(value))}
    try:
        orjson.dumps(value, _fragment, orjson.OPT_SERIALIZE_NUMPY)
    except TypeError:
        return str(value)
    return value


class EncodedResult(Result):
    """A result as JSON, made by another process."""

    __slots__ = ("json",)

    # no dataclass, which would be encoded as an object of its own
    def __init__(self, json: bytes) -> None:
        self.json = json


class Encoded:
    """A model's data as JSON, made once, and in another process where it is large."""

    __slots__ = ("json", "link_shapes")

    def __init__(self, json: bytes, link_shapes: list[Shape]) -> None:
        self.json = json
        self.link_shapes = link_shapes
        """Of the model, for those who look for meshes."""


def encoded(part: wire.ModelData | Encoded) -> Encoded:
    """A model's data as JSON."""
    if isinstance(part, Encoded):
        return part
    options = orjson.OPT_SERIALIZE_NUMPY
    try:
        json = orjson.dumps(part, option=options)
    except TypeError:
        json = orjson.dumps(_sendable(part), option=options)
    return Encoded(json, part.link_shapes)


def _fragment(part: Any) -> orjson.Fragment:
    if isinstance(part, (Encoded, EncodedResult)):
        return orjson.Fragment(part.json)
    raise TypeError(f"messages cannot contain {type(part).__name__}")


def decode(text: str | bytes) -> Message:
    """The message of a page; WireError says what is wrong with it and what is allowed."""
    if len(text) > LARGEST_MESSAGE:
        raise WireError(
            f"a message of {len(text)} bytes is too long; at most {LARGEST_MESSAGE} are taken"
        )
    if len(text) > _FEW and _values(text) > MOST_VALUES:
        raise WireError(
            f"a message contains at most {MOST_VALUES:,} values; send it in parts",
            request=_request_in(text),
        )
    return decode_any(text, _KINDS)


def decode_any(text: str | bytes, kinds: Mapping[str, type[M]]) -> M:
    """A message of one of some kinds, as between the studio's own processes."""
    return decode_keys(keys_of(text), kinds)


def keys_of(text: str | bytes) -> dict[str, object]:
    """The keys of a message of any kind, its parts as JSON."""
    try:
        data: object = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise WireError(f"the message is not JSON: {error}") from None
    if not isinstance(data, dict):
        raise WireError(f"a message must be a JSON object, got {_name(data)}")
    return data


def decode_keys(keys: Mapping[str, object], kinds: Mapping[str, type[M]]) -> M:
    """The message of one of some kinds that has these keys."""
    data = dict(keys)
    given = data.get("request")
    request = given if type(given) is int and 0 <= given < _LARGEST_INT else 0
    kind = data.pop("kind", None)
    cls = kinds.get(kind) if isinstance(kind, str) else None
    if cls is None:
        hint = did_you_mean(kind, kinds) if isinstance(kind, str) else ""
        raise WireError(
            f"there is no message of kind {_short(kind)}{hint or ';'} kinds: {', '.join(kinds)}",
            request=request,
        )
    try:
        made: M = _convert_object(cls, data, cls.KIND)
    except WireError as error:
        raise WireError(str(error), request=request) from None
    return made


def decode_result(cls: type[R], data: object) -> R:
    """What a request was answered with."""
    made: R = _convert_object(cls, data, cls.__name__)
    return made


def kinds_of(*classes: type[M]) -> dict[str, type[M]]:
    """Messages by their kinds, for :func:`decode_any`."""
    return {cls.KIND: cls for cls in classes}


def _values(text: str | bytes) -> int:
    """How many values there are in a message, roughly: each takes far longer than its letters."""
    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    return sum(map(_TEXTS.sub(b"", data).count, (b",", b"[", b"{")))


def _request_in(text: str | bytes) -> int:
    """The number of a message that is not taken apart, as pages write it; 0 for none."""
    head = text[:200] if isinstance(text, str) else text[:200].decode("utf-8", "replace")
    found = re.search(r'"request": ?([0-9]{1,15})\b', head)
    return int(found[1]) if found else 0


def _convert_object(cls: type, data: Any, place: str) -> Any:
    if not isinstance(data, dict):
        raise WireError(f"{place} must be an object, got {_name(data)}")
    converters, required = _fields(cls)
    for key in data:
        if key not in converters:
            hint = did_you_mean(key, converters) or ";"
            raise WireError(f"{place} has no '{key[:40]}'{hint} it takes: {', '.join(converters)}")
    missing = [key for key in required if key not in data]
    if missing:
        raise WireError(f"{place} lacks {', '.join(missing)}; it takes: {', '.join(converters)}")
    return cls(**{key: converters[key](value, f"{place}.{key}") for key, value in data.items()})


@functools.cache
def _names(cls: Any) -> tuple[str, ...]:
    return tuple(field.name for field in dataclasses.fields(cls))


@functools.cache
def _fields(cls: type) -> tuple[dict[str, Converter], tuple[str, ...]]:
    """The converter of each field, and the names of those that must be there."""
    hints = typing.get_type_hints(cls, include_extras=True)
    if typing.is_typeddict(cls):
        required = tuple(name for name, hint in hints.items() if is_required(cls, hint))
        return {name: _converter(hint) for name, hint in hints.items()}, required
    fields = dataclasses.fields(cls)
    missing = dataclasses.MISSING
    required = tuple(
        f.name for f in fields if f.default is missing and f.default_factory is missing
    )
    return {field.name: _converter(hints[field.name]) for field in fields}, required


def is_required(cls: Any, hint: Any) -> bool:
    """Whether a key of a mapping of the wire must be there."""
    origin = typing.get_origin(hint)
    return origin is Required or (origin is not NotRequired and bool(cls.__total__))


def _converter(hint: Any) -> Converter:
    origin, inside = typing.get_origin(hint), typing.get_args(hint)
    if hint in _SIMPLE:
        return _SIMPLE[hint]
    if origin is Annotated:
        return _limited(inside[0], *inside[1:])
    if origin in (Required, NotRequired):
        return _converter(inside[0])
    if origin in (typing.Union, types.UnionType):
        tags = [_tag(one) for one in inside]
        return _either(inside) if None in tags else _one_of(dict(zip(tags, inside, strict=True)))
    if origin is typing.Literal:
        return _word(inside)
    if origin is list:
        return _list(_converter(inside[0]))
    if origin is tuple:
        return _row([_converter(one) for one in inside])
    if origin is dict:
        return _table(_converter(inside[1]))
    if typing.is_typeddict(hint) or (dataclasses.is_dataclass(hint) and isinstance(hint, type)):
        return functools.partial(_convert_object, hint)
    raise TypeError(f"the wire has no converter for {hint!r}")


def _text(value: Any, place: str) -> str:
    if not isinstance(value, str):
        raise WireError(f"{place} must be a string, got {_name(value)}")
    return value


def _int(value: Any, place: str) -> int:
    if type(value) is not int or abs(value) >= _LARGEST_INT:
        raise WireError(f"{place} must be a whole number, got {_name(value)}")
    return value


def _float(value: Any, place: str) -> float:
    if type(value) not in (int, float) or not math.isfinite(value):
        raise WireError(f"{place} must be a finite number, got {_name(value)}")
    return float(value)


def _flag(value: Any, place: str) -> bool:
    if type(value) is not bool:
        raise WireError(f"{place} must be true or false, got {_name(value)}")
    return value


def _null(value: Any, place: str) -> None:
    if value is not None:
        raise WireError(f"{place} must be null, got {_name(value)}")


_SIMPLE: dict[Any, Converter] = {
    str: _text, int: _int, float: _float, bool: _flag, type(None): _null,
}  # fmt: skip


def _limited(hint: Any, limit: Any) -> Converter:
    """What also looks whether a number, or a length, is within its limits."""
    item = _converter(hint)
    if isinstance(limit, Range):
        what = f"a {'whole ' * (hint is int)}number from {limit.low:g} to {limit.high:g}"
    elif isinstance(limit, Length):
        length = f"of {limit.low} to {limit.high}"
        what = f"a string {length} characters" if hint is str else f"a list {length}"
    else:
        raise TypeError(f"the wire knows no limit {limit!r}")

    def convert(value: Any, place: str) -> Any:
        if isinstance(limit, Length):
            if isinstance(value, (str, list)) and not limit.low <= len(value) <= limit.high:
                raise WireError(f"{place} must be {what}, got {_name(value)}")
            return item(value, place)
        if type(value) in (int, float) and limit.low <= value <= limit.high:
            return item(value, place)
        raise WireError(f"{place} must be {what}, got {_name(value)}")

    return convert


def _tag(hint: Any) -> str | None:
    """The only value of a dataclass's field ``kind``, which distinguishes it from others."""
    if not isinstance(hint, type) or "kind" not in getattr(hint, "__dataclass_fields__", ()):
        return None
    words = typing.get_args(typing.get_type_hints(hint)["kind"])
    return words[0] if len(words) == 1 else None


def _one_of(classes: Mapping[Any, Any]) -> Converter:
    """One of several dataclasses, by its ``kind``."""

    def convert(value: Any, place: str) -> Any:
        kind = value.get("kind") if isinstance(value, dict) else None
        if not isinstance(kind, str) or kind not in classes:
            kinds = ", ".join(classes)
            got = _short(kind) if isinstance(value, dict) else _name(value)
            raise WireError(f"{place} must be an object of one of the kinds {kinds}; got {got}")
        return _convert_object(classes[kind], value, place)

    return convert


def _either(hints: tuple[Any, ...]) -> Converter:
    choices = [(_converter(hint), _taken(hint)) for hint in hints]

    def convert(value: Any, place: str) -> Any:
        errors = []
        for choice, kind in choices:
            try:
                return choice(value, place)
            except WireError as error:
                errors.append((not isinstance(value, kind), str(error)))
        # the error of the first choice that takes such a value says most; of none: the first one's
        raise WireError(min(errors, key=lambda one: one[0])[1])

    return convert


def _taken(hint: Any) -> type | tuple[type, ...]:
    """What kind of JSON value a type is made of."""
    origin, inside = typing.get_origin(hint), typing.get_args(hint)
    if origin is Annotated:
        return _taken(inside[0])
    if origin in (list, tuple):
        return list
    if origin is typing.Literal:
        return str
    if hint is float:
        return (int, float)
    return hint if hint in _SIMPLE else dict


def _word(words: tuple[Any, ...]) -> Converter:
    def convert(value: Any, place: str) -> Any:
        if value not in words or not isinstance(value, str):
            raise WireError(
                f"{place} must be one of {', '.join(map(str, words))}; got {_short(value)}"
            )
        return value

    return convert


def _list(item: Converter) -> Converter:
    def convert(value: Any, place: str) -> list[Any]:
        if not isinstance(value, list):
            raise WireError(f"{place} must be a list, got {_name(value)}")
        return [item(one, f"{place}[{i}]") for i, one in enumerate(value)]

    def convert_floats(value: Any, place: str) -> list[Any]:
        # poses and recordings: no place is made for every number
        if isinstance(value, list) and set(map(type, value)) <= {int, float}:
            if all(map(math.isfinite, value)):
                return list(map(float, value))
        return convert(value, place)

    return convert_floats if item is _float else convert


def _row(items: list[Converter]) -> Converter:
    def convert(value: Any, place: str) -> tuple[Any, ...]:
        if not isinstance(value, list) or len(value) != len(items):
            raise WireError(f"{place} must be a list of {len(items)}, got {_name(value)}")
        return tuple(
            item(one, f"{place}[{i}]")
            for i, (item, one) in enumerate(zip(items, value, strict=True))
        )

    return convert


def _table(item: Converter) -> Converter:
    def convert(value: Any, place: str) -> dict[str, object]:
        if not isinstance(value, dict):
            raise WireError(f"{place} must be an object, got {_name(value)}")
        return {key: item(inner, f"{place}.{key[:40]}") for key, inner in value.items()}

    return convert


def _name(value: Any) -> str:
    """What a JSON value is, for people."""
    if isinstance(value, list):
        return f"a list of {len(value)}"
    if isinstance(value, dict):
        return "an object"
    return _short(value)


def _short(value: Any) -> str:
    text = orjson.dumps(value, default=str).decode()
    return text if len(text) <= 40 else text[:39] + "…"
