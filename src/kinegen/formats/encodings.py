"""Encodings of XML files, which state them in their first bytes."""

from __future__ import annotations

import re

__all__ = ["decode_xml"]

_ENCODING = re.compile(rb"""<\?xml[^>]{0,200}?encoding\s*=\s*["']([A-Za-z0-9._-]+)["']""")


def decode_xml(data: bytes) -> str:
    """The text of an XML file: by its byte order mark, its declaration, or else as UTF-8.

    Raises:
        UnicodeError: It is in another encoding than it says, or in one that is not known.
    """
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16")
    declared = _ENCODING.search(data[:1000])
    name = declared[1].decode("ascii") if declared else "utf-8"
    try:
        return data.decode("utf-8-sig" if name.lower() in {"utf-8", "utf8"} else name)
    except LookupError:
        raise UnicodeError(f"its encoding '{name}' is unknown") from None
