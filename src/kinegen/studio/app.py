"""The studio as a web application: page, kernels, socket, uploads, meshes, downloads."""

from __future__ import annotations

import contextlib
import functools
import mimetypes
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import IO
from urllib.parse import urlencode

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection, Request
from starlette.responses import (
    FileResponse,
    JSONResponse,
    PlainTextResponse,
    RedirectResponse,
    Response,
    StreamingResponse,
)
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket

from kinegen.errors import KinegenError, reason
from kinegen.kernels import wasm_bytes
from kinegen.studio.assets import CLIENT
from kinegen.studio.connection import Connection
from kinegen.studio.guard import Access, Guard
from kinegen.studio.hub import Hub
from kinegen.studio.meshes import MESHES
from kinegen.studio.missing_page import MISSING_PAGE
from kinegen.studio.project import LARGEST_MESH

__all__ = ["make_app"]

_PIECE = 2**20
"""Bytes of a mesh that are read at a time."""
_POLICY = "; ".join(
    [
        "default-src 'self'",
        "script-src 'self' 'wasm-unsafe-eval'",
        # the editor and the panels set styles of single elements
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        # glTF meshes carry their parts as data: addresses
        "connect-src 'self' data: blob:",
        "worker-src 'self' blob:",
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    ]
)
_HEADERS = {
    "content-security-policy": _POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=(), payment=()",
}


def make_app(hub: Hub, guard: Guard, client: Path = CLIENT) -> Starlette:
    """The application; ``client`` is the folder of the built page."""
    hub.watch_link = guard.watch_link
    is_built = (client / "index.html").is_file()

    async def page(request: Request) -> Response:
        if not is_built:
            return Response(MISSING_PAGE, media_type="text/html", status_code=503)
        return FileResponse(client / "index.html", headers={"cache-control": "no-cache"})

    async def kernels(request: Request) -> Response:
        try:
            data = wasm_bytes()
        except KinegenError as error:
            return PlainTextResponse(str(error), status_code=404)
        headers = {"cache-control": "no-cache"}
        return Response(data, media_type="application/wasm", headers=headers)

    async def socket(websocket: WebSocket) -> None:
        await websocket.accept()
        access: Access = websocket.scope["kinegen.access"]
        await Connection(hub, websocket, only_watch=access.watch).run()

    @_told
    async def upload(request: Request) -> Response:
        data = bytearray()
        async for part in request.stream():
            data += part
            if len(data) > LARGEST_MESH:
                raise HTTPException(413, f"a file has at most {LARGEST_MESH >> 20} MB")
        file = hub.project.store(request.query_params.get("file", ""), bytes(data))
        return JSONResponse({"file": file, "files": hub.project.files()})

    @_told
    async def mesh(request: Request) -> Response:
        path = request.path_params["path"]
        kind = MESHES.get(Path(path).suffix.lower()) or mimetypes.guess_type(path)[0]
        content = _content(hub.project.mesh(path))
        return StreamingResponse(content, media_type=kind, headers={"cache-control": "no-cache"})

    async def download(request: Request) -> Response:
        found = hub.downloads.get(request.path_params["key"])
        if found is None:
            raise HTTPException(404, "this file is not kept any more; export it again")
        name = "".join(
            c if c.isascii() and (c.isalnum() or c in "._-") else "-" for c in found.name
        )
        headers = {"content-disposition": f'attachment; filename="{name}"'}
        return Response(found.data, media_type=found.media_type, headers=headers)

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        hub.start()
        yield
        await hub.stop()

    routes: list[Route | WebSocketRoute | Mount] = [
        Route("/", page),
        Route("/kinegen.wasm", kernels),
        WebSocketRoute("/ws", socket),
        Route("/upload", upload, methods=["POST"]),
        Route("/files/{path:path}", mesh),
        Route("/download/{key}/{name}", download),
    ]
    if is_built:
        routes.append(Mount("/", _Client(directory=client)))
    app = Starlette(routes=routes, lifespan=lifespan)
    app.add_middleware(functools.partial(_Door, guard=guard))
    return app


def _content(file: IO[bytes]) -> Iterator[bytes]:
    """A file in pieces, as much of it as a mesh may have; then it is closed."""
    with file:
        left = LARGEST_MESH
        while left > 0 and (piece := file.read(min(_PIECE, left))):
            left -= len(piece)
            yield piece


def _told(
    handler: Callable[[Request], Awaitable[Response]],
) -> Callable[[Request], Awaitable[Response]]:
    """A handler whose refusals are told in words."""

    @functools.wraps(handler)
    async def told(request: Request) -> Response:
        try:
            return await handler(request)
        except KinegenError as error:
            return PlainTextResponse(str(error), status_code=400)
        except OSError as error:
            return PlainTextResponse(reason(error), status_code=500)

    return told


class _Client(StaticFiles):
    """The built page's files: those under ``assets`` have their content's hash in their names."""

    def file_response(self, full_path: Path | str, *args: object, **keys: object) -> Response:  # type: ignore[override]
        response = super().file_response(full_path, *args, **keys)  # type: ignore[arg-type]
        hashed = "assets" in Path(full_path).parts
        age = "public, max-age=31536000, immutable" if hashed else "no-cache"
        response.headers["cache-control"] = age
        return response


class _Door:
    """Lets in requests that the guard allows, and puts the safety headers on every answer."""

    def __init__(self, app: ASGIApp, guard: Guard) -> None:
        self._app = app
        self._guard = guard

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return

        async def send_safely(message: Message) -> None:
            if message["type"] in ("http.response.start", "websocket.http.response.start"):
                known = {name.lower() for name, _ in message.get("headers", [])}
                message["headers"] = [
                    *message.get("headers", []),
                    *(
                        (name.encode(), value.encode())
                        for name, value in _HEADERS.items()
                        if name.encode() not in known
                    ),
                ]
            await send(message)

        refusal = self._refusal(scope)
        if refusal is not None:
            await refusal(scope, receive, send_safely)
        else:
            await self._app(scope, receive, send_safely)

    def _refusal(self, scope: Scope) -> Response | None:
        """The answer to a request that is not let in, or is sent on; None for those let in."""
        guard = self._guard
        request = HTTPConnection(scope)
        host, origin = request.headers.get("host"), request.headers.get("origin")
        if not guard.allows_host(host):
            return PlainTextResponse("this studio is not called that; use its own link", 403)
        changes = scope["type"] == "websocket" or scope["method"] not in ("GET", "HEAD")
        if changes and not guard.allows_origin(origin, host):
            return PlainTextResponse("pages from elsewhere may not use this studio", 403)
        token = guard.token_in(request.query_params, request.cookies)
        access = guard.access(token)
        if access is None:
            return PlainTextResponse(
                "this studio needs a token: open the whole link that it printed at its start", 403
            )
        if access.watch is not None and changes and scope["type"] != "websocket":
            return PlainTextResponse("this link is for watching only", 403)
        scope["kinegen.access"] = access
        if guard.token and scope["type"] == "http" and "token" in request.query_params:
            return self._with_cookie(request, token or "")
        return None

    def _with_cookie(self, request: HTTPConnection, token: str) -> Response:
        """Send the page on without the token in its address; the cookie has it from now on."""
        rest = [(key, value) for key, value in request.query_params.multi_items() if key != "token"]
        answer = RedirectResponse(f"{request.url.path}?{urlencode(rest)}".rstrip("?"), 303)
        answer.set_cookie(
            self._guard.cookie, token, httponly=True, samesite="strict",
            secure=self._guard.secure, max_age=30 * 86400,
        )  # fmt: skip
        return answer
