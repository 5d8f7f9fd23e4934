"""XML-RPC over HTTP in an event loop, as ROS 1's master and nodes call each other.

Methods return ``[code, text, value]``: 1 is success, -1 an error of the caller.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Sequence
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit
from xmlrpc import client as xml

from kinegen.errors import KinegenError

__all__ = ["CallError", "Method", "call", "serve"]

LARGEST = 16 << 20
"""Bytes of a request or answer."""
MOST_HEADERS = 100
PATIENCE = 5.0
"""How long a node may take to answer [s]."""
FAULT = -1

_NOT_POST = HTTPStatus.METHOD_NOT_ALLOWED

Method = Callable[..., Any]


class CallError(KinegenError):
    """A call that another node did not answer as it should."""


async def serve(
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    methods: dict[str, Method],
    heard: Callable[[bytes], None],
) -> None:
    """Answer the calls of one client until it is gone; ``heard`` gets the body of each."""
    while True:
        request = (await _line(reader)).split()
        if len(request) != 3:
            return
        try:
            headers = await _headers(reader)
            if request[0] != "POST" or "origin" in headers:
                # nodes send no origin, pages in browsers do
                status = HTTPStatus.FORBIDDEN if "origin" in headers else _NOT_POST
                await _respond(writer, status, b"", is_last=True)
                return
            body = await reader.readexactly(_length(headers))
        except CallError:
            await _respond(writer, HTTPStatus.BAD_REQUEST, b"", is_last=True)
            return
        heard(body)
        is_last = headers.get("connection", "").lower() == "close" or request[2] == "HTTP/1.0"
        await _respond(writer, HTTPStatus.OK, answer(body, methods), is_last=is_last)
        if is_last:
            return


def answer(body: bytes, methods: dict[str, Method]) -> bytes:
    """What a call returns, or the fault it met, as XML."""
    try:
        parameters, name = xml.loads(body)
        found: Any = (_called(methods, str(name), parameters),)
        return xml.dumps(found, methodresponse=True).encode()
    except xml.Fault as fault:
        return xml.dumps(fault, methodresponse=True).encode()
    except Exception as error:  # any bytes may come, with any types and depth
        met = xml.Fault(FAULT, f"{type(error).__name__}: {error}")
        return xml.dumps(met, methodresponse=True).encode()


async def call(uri: str, method: str, *parameters: Any) -> Any:
    """What a node returns.

    Raises:
        CallError: It cannot be reached, or its answer is none.
    """
    try:
        async with asyncio.timeout(PATIENCE):
            return await _call(uri, method, parameters)
    except (OSError, TimeoutError, asyncio.IncompleteReadError, xml.Error, ValueError) as error:
        raise CallError(
            f"{uri} did not answer {method}: {error or type(error).__name__}"
        ) from error


async def _call(uri: str, method: str, parameters: Sequence[Any]) -> Any:
    parts = urlsplit(uri)
    if parts.scheme != "http" or not parts.hostname:
        raise ValueError("it is not an address such as http://localhost:11311")
    body = xml.dumps(tuple(parameters), method).encode()
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port or 80)
    try:
        head = (
            f"POST {parts.path or '/RPC2'} HTTP/1.1\r\nHost: {parts.netloc}\r\n"
            f"Content-Type: text/xml\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
        )
        writer.write(head.encode() + body)
        status = (await _line(reader)).split()
        headers = await _headers(reader)
        if len(status) < 2 or status[1] != "200":
            raise ValueError(f"HTTP status {' '.join(status[1:]) or 'missing'}")
        length = _length(headers)
        return xml.loads(await reader.readexactly(length))[0][0]
    except (CallError, IndexError) as error:
        raise ValueError(str(error)) from None
    finally:
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()


def _called(methods: dict[str, Method], name: str, parameters: Sequence[Any]) -> Any:
    if name == "system.multicall":
        return [_one_of_many(methods, one) for one in parameters[0]]
    if name == "system.listMethods":
        return sorted(methods)
    if name not in methods:
        raise xml.Fault(FAULT, f"unknown method '{name}'; methods: {', '.join(methods)}")
    try:
        return methods[name](*parameters)
    except KinegenError as error:
        return [-1, str(error), 0]


def _one_of_many(methods: dict[str, Method], row: Any) -> Any:
    try:
        if row["methodName"].startswith("system."):
            raise xml.Fault(FAULT, "a multicall cannot call system methods")
        return [_called(methods, row["methodName"], row["params"])]
    except xml.Fault as fault:
        return {"faultCode": fault.faultCode, "faultString": fault.faultString}
    except Exception as error:  # as above
        return {"faultCode": FAULT, "faultString": f"{type(error).__name__}: {error}"}


async def _line(reader: asyncio.StreamReader) -> str:
    try:
        return (await reader.readline()).decode("latin-1").strip()
    except ValueError:  # longer than the reader's limit
        return ""


async def _headers(reader: asyncio.StreamReader) -> dict[str, str]:
    found: dict[str, str] = {}
    for _ in range(MOST_HEADERS):
        name, _, value = (await _line(reader)).partition(":")
        if not name:
            return found
        found[name.lower()] = value.strip()
    raise CallError("too many headers")


def _length(headers: dict[str, str]) -> int:
    text = headers.get("content-length", "")
    if not (text.isascii() and text.isdecimal()) or len(text) > 12 or int(text) > LARGEST:
        raise CallError(f"content-length is {text!r}: use a number up to {LARGEST}")
    return int(text)


async def _respond(
    writer: asyncio.StreamWriter, status: HTTPStatus, body: bytes, *, is_last: bool
) -> None:
    head = (
        f"HTTP/1.1 {status.value} {status.phrase}\r\nContent-Type: text/xml\r\n"
        f"Content-Length: {len(body)}\r\nConnection: {'close' if is_last else 'keep-alive'}\r\n\r\n"
    )
    writer.write(head.encode() + body)
    await writer.drain()
