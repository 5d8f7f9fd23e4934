"""The studio as a web application: page, kernels, socket, uploads, meshes, downloads."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import mimetypes
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import IO

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import (
    FileResponse,
    JSONResponse,
    PlainTextResponse,
    Response,
    StreamingResponse,
)
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.websockets import WebSocket

from kinegen.errors import KinegenError, reason
from kinegen.kernels import wasm_bytes
from kinegen.studio.server.assets import CLIENT
from kinegen.studio.server.entry.door import ACCESS, Door
from kinegen.studio.server.entry.guard import Access, Guard
from kinegen.studio.server.entry.visitors import Visitors
from kinegen.studio.server.health import Health
from kinegen.studio.server.plain_pages import MISSING_PAGE
from kinegen.studio.server.uploading.meshes import MESHES, Parts
from kinegen.studio.server.uploading.uploads import TooLargeError, TooManyError
from kinegen.studio.session.files.project import LARGEST_MESH
from kinegen.studio.session.hub import Hub
from kinegen.studio.session.pages.connection import Connection

__all__ = ["make_app"]

_PIECE = 2**20
"""Bytes of a mesh that are read at a time."""


def make_app(
    hub: Hub, guard: Guard, client: Path = CLIENT, *, visitors: Visitors | None = None
) -> Starlette:
    """The application; ``client`` is the folder of the built page."""
    visitors = Visitors() if visitors is None else visitors
    hub.watch_link, hub.page_code = guard.watch_link, guard.renew
    health = Health(hub, visitors)

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        hub.start()
        tasks = [asyncio.create_task(work) for work in (visitors.keep_moving(), health.keep_time())]
        yield
        for task in tasks:
            task.cancel()
        await hub.stop()
        hub.log.close()

    app = Starlette(routes=_Site(hub, health, client).routes(), lifespan=lifespan)
    # no redirects of the router's own: it would build them from what the client says its host is
    app.router.redirect_slashes = False
    app.add_middleware(functools.partial(Door, guard=guard, watched=_watched(client), log=hub.log))
    return app


class _Site:
    """What is behind each address."""

    def __init__(self, hub: Hub, health: Health, client: Path) -> None:
        from kinegen import __version__

        self._hub, self._health, self._client = hub, health, client
        self._parts = Parts(hub.project.mesh)
        self._version = __version__
        self.is_built = (client / "index.html").is_file()

    def routes(self) -> list[Route | WebSocketRoute | Mount]:
        """All addresses."""
        found: list[Route | WebSocketRoute | Mount] = [
            Route("/", self.page),
            Route("/kinegen.wasm", self.kernels),
            Route("/health", self.how_it_is),
            Route("/metrics", self.metrics),
            WebSocketRoute("/ws", self.socket),
            Route("/upload", _explained(self.upload), methods=["POST"]),
            Route("/files/{path:path}", _explained(self.mesh)),
            Route("/download/{key}/{name}", self.download),
        ]
        if self.is_built:
            found.append(Mount("/", _Client(directory=self._client)))
        return found

    async def page(self, request: Request) -> Response:
        """The page, or how to build it."""
        if not self.is_built:
            return Response(MISSING_PAGE, media_type="text/html", status_code=503)
        return FileResponse(self._client / "index.html", headers={"cache-control": "no-cache"})

    async def kernels(self, request: Request) -> Response:
        """The kernels that pages run."""
        try:
            data = wasm_bytes()
        except KinegenError as error:
            return PlainTextResponse(str(error), status_code=404)
        headers = {"cache-control": "no-cache"}
        return Response(data, media_type="application/wasm", headers=headers)

    async def socket(self, websocket: WebSocket) -> None:
        """The connection of a page or a program."""
        await websocket.accept()
        access: Access = websocket.scope[ACCESS]
        address = websocket.client.host if websocket.client else "-"
        await Connection(self._hub, websocket, only_watch=access.watch, address=address).run()

    async def upload(self, request: Request) -> Response:
        """Take a file into the project folder."""
        try:
            key = request.query_params.get("upload", "")
            file = await self._hub.uploads.take(
                request.query_params.get("file", ""), request.stream(), _length(request), key=key
            )
        except ClientDisconnect:
            return PlainTextResponse("", 400)  # nobody reads it
        if key:  # the folder is logged once it is complete
            return JSONResponse({"file": file, "files": []})
        self._hub.log.change(request.client.host if request.client else "-", 0, "-", "upload", file)
        files = await asyncio.to_thread(self._hub.project.files)
        return JSONResponse({"file": file, "files": files})

    async def mesh(self, request: Request) -> Response:
        """A file of the project folder that a mechanism shows."""
        path = request.path_params["path"]
        access: Access = request.scope[ACCESS]
        if access.watch is not None and not await asyncio.to_thread(
            self._is_shown, path, access.watch
        ):
            raise HTTPException(403, "this link is view-only")
        kind = MESHES.get(Path(path).suffix.lower()) or mimetypes.guess_type(path)[0]
        file = self._hub.project.mesh(path)
        size = os.fstat(file.fileno()).st_size
        if size > LARGEST_MESH:
            file.close()
            raise TooLargeError(
                f"the mesh has {size >> 20} MB; at most {LARGEST_MESH >> 20} MB are shown"
            )
        headers = {"cache-control": "no-cache", "content-length": str(size)}
        return StreamingResponse(_content(file, size), media_type=kind, headers=headers)

    def _is_shown(self, file: str, sessions: frozenset[str]) -> bool:
        rooms = [self._hub.rooms[name] for name in sessions if name in self._hub.rooms]
        shown = frozenset[str]().union(*(room.shown_meshes() for room in rooms))
        return file in shown or any(self._parts.names(mesh, file) for mesh in shown)

    async def download(self, request: Request) -> Response:
        """A file that was made for download."""
        found = self._hub.downloads.get(request.path_params["key"])
        if found is None:
            raise HTTPException(404, "this file is no longer available; export it again")
        name = "".join(
            c if c.isascii() and (c.isalnum() or c in "._-") else "-" for c in found.name
        )
        headers = {"content-disposition": f'attachment; filename="{name}"'}
        if isinstance(found.data, bytes):
            return Response(found.data, media_type=found.media_type, headers=headers)
        try:
            file = open(found.data, "rb")
        except OSError:
            raise HTTPException(404, f"'{name}' is no longer in the project folder") from None
        size = os.fstat(file.fileno()).st_size
        headers["content-length"] = str(size)
        return StreamingResponse(_content(file, size), media_type=found.media_type, headers=headers)

    async def how_it_is(self, request: Request) -> Response:
        """Whether the studio is well; more for those who have a token."""
        access: Access | None = request.scope[ACCESS]
        if access is None or access.watch is not None:
            return PlainTextResponse("ok")
        return JSONResponse({"status": "ok", "version": self._version, **self._health.numbers()})

    async def metrics(self, request: Request) -> Response:
        """Numbers for monitoring."""
        return PlainTextResponse(self._health.text(), media_type="text/plain; version=0.0.4")


def _content(file: IO[bytes], size: int) -> Iterator[bytes]:
    """A file in pieces, as long as it was said to be whatever becomes of it; then it is closed."""
    with file:
        while size > 0:
            piece = file.read(min(_PIECE, size)) or bytes(min(_PIECE, size))
            size -= len(piece)
            yield piece


def _watched(client: Path) -> frozenset[str]:
    """What those may fetch who only watch: the page with all its files, and the meshes they see."""
    own = (file.relative_to(client).as_posix() for file in client.rglob("*") if file.is_file())
    return frozenset(
        ["/", "/ws", "/health", "/kinegen.wasm", "/files/", *(f"/{one}" for one in own)]
    )


def _length(request: Request) -> int | None:
    text = request.headers.get("content-length", "")
    return int(text) if text.isascii() and text.isdigit() else None


def _explained(
    handler: Callable[[Request], Awaitable[Response]],
) -> Callable[[Request], Awaitable[Response]]:
    """A handler that answers refusals with their reason."""

    @functools.wraps(handler)
    async def explained(request: Request) -> Response:
        try:
            return await handler(request)
        except KinegenError as error:
            status = {TooLargeError: 413, TooManyError: 503}.get(type(error), 400)
            # what was not read to its end is in the way of another request
            headers = {} if request.method == "GET" else {"connection": "close"}
            return PlainTextResponse(str(error), status_code=status, headers=headers)
        except OSError as error:
            return PlainTextResponse(reason(error), status_code=500)

    return explained


class _Client(StaticFiles):
    """The built page's files: those under ``assets`` have their content's hash in their names."""

    def file_response(self, full_path: Path | str, *args: object, **keys: object) -> Response:  # type: ignore[override]
        response = super().file_response(full_path, *args, **keys)  # type: ignore[arg-type]
        hashed = "assets" in Path(full_path).parts
        age = "public, max-age=31536000, immutable" if hashed else "no-cache"
        response.headers["cache-control"] = age
        return response
