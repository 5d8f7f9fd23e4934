"""Messages as JSON, as rosbridge writes them."""

from __future__ import annotations

import base64
import json
import math
from typing import Any

import numpy as np

from kinegen.bridges.ros.node import Publication
from kinegen.bridges.ros.values import Time

__all__ = ["dialect_of", "plain", "publish_text"]


def dialect_of(type_name: str) -> str:
    """What a client that names a type so expects of times: 'ros2', or 'both' versions' fields."""
    return "ros2" if "/msg/" in type_name or "/action/" in type_name else "both"


def publish_text(publication: Publication, dialect: str) -> str:
    """The frame that brings a message; made once for all clients."""
    text = publication.encoded.get(dialect)
    if text is None:
        frame = {"op": "publish", "topic": publication.topic}
        text = json.dumps(frame | {"msg": plain(publication.message, dialect)}, allow_nan=False)
        publication.encoded[dialect] = text
    return str(text)


def plain(value: Any, dialect: str) -> Any:
    """A value of a message for JSON: bytes in base64, numbers that are none as null."""
    if isinstance(value, Time):
        found = {"sec": value.sec, "nanosec": value.nanosec}
        return found if dialect == "ros2" else found | {"secs": value.sec, "nsecs": value.nanosec}
    if isinstance(value, dict):
        made = {key: plain(one, dialect) for key, one in value.items()}
        if dialect != "ros2" and "frame_id" in value:
            made.setdefault("seq", 0)
        return made
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, np.ndarray):
        return plain(value.tolist(), dialect)
    if isinstance(value, list | tuple):
        return [plain(one, dialect) for one in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
