"""Door: every request passes it; it admits or refuses them, and sets the headers of all answers."""

from __future__ import annotations

import time
from urllib.parse import urlencode

from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kinegen.studio.server.access_log import AccessLog
from kinegen.studio.server.entry.guard import Access, Guard
from kinegen.studio.server.entry.peer import may_be_own
from kinegen.studio.server.entry.tokens import KEEP
from kinegen.studio.server.plain_pages import NO_TOKEN, NO_TOKEN_PAGE

__all__ = ["ACCESS", "Door"]

ACCESS = "kinegen.access"
"""Key of the scope under which the visitor's `Access` is found."""
_OPEN = frozenset({"/health"})
"""What may be asked without a token; it says nothing about the project."""
_WATCH_LASTS = 86400
"""[s] Cookies of watch links last so long: they are many, and sessions end."""
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
    "permissions-policy": "camera=(self), microphone=(), geolocation=(), payment=()",
}


class Door:
    """Lets in requests that the guard allows, and puts the safety headers on every answer.

    Args:
        app: What is behind it.
        guard: The rules.
        watched: Paths that the bearer of a watch link may fetch; those that end in / stand for all
            below. Everything else is refused, so that a new path is closed until it is listed.
        log: Where every request is logged.
    """

    def __init__(self, app: ASGIApp, guard: Guard, watched: frozenset[str], log: AccessLog) -> None:
        self._app = app
        self._guard = guard
        self._watched = watched
        self._log = log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer it here."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return

        begun = time.monotonic()

        def note(status: int) -> None:
            address = (scope.get("client") or ("-",))[0]
            method = scope.get("method", "SOCKET")
            self._log.request(address, method, scope["path"], status, time.monotonic() - begun)

        async def send_safely(message: Message) -> None:
            if message["type"] in ("http.response.start", "websocket.http.response.start"):
                note(message["status"])
                known = {name.lower() for name, _ in message.get("headers", [])}
                message["headers"] = [
                    *message.get("headers", []),
                    *(
                        (name.encode(), value.encode())
                        for name, value in _HEADERS.items()
                        if name.encode() not in known
                    ),
                ]
            elif message["type"] == "websocket.accept":
                note(101)
            await send(message)

        refusal = self._refusal(scope)
        if refusal is not None:
            await refusal(scope, receive, send_safely)
        else:
            await self._app(scope, receive, send_safely)

    def _refusal(self, scope: Scope) -> Response | None:
        """The answer to a request that is not let in, or is sent on; None for those let in."""
        guard, path = self._guard, scope["path"]
        request = HTTPConnection(scope)
        hosts, origins = request.headers.getlist("host"), request.headers.getlist("origin")
        if len(hosts) > 1 or len(origins) > 1:
            return PlainTextResponse("a request must have one host and one origin", 400)
        host, origin = next(iter(hosts), None), next(iter(origins), None)
        if not path.isprintable() or "\ufffd" in path:
            return PlainTextResponse("this is not a valid path", 400)
        if not guard.allows_host(host):
            return PlainTextResponse(
                "this studio has another host name; use the link that it printed", 403
            )
        is_socket = scope["type"] == "websocket"
        changes = is_socket or scope["method"] not in ("GET", "HEAD")
        if changes and not guard.allows_origin(origin, host):
            return PlainTextResponse("pages of other origins may not use this studio", 403)
        given = request.query_params.getlist("token")
        once = request.query_params.get("once") if path == "/" and not changes else None
        if once and may_be_own(scope.get("client"), guard.port) and guard.redeem(once):
            given.append(guard.token)
        access = guard.access(*guard.tokens_in(given, request.cookies))
        scope[ACCESS] = access
        if access is None:
            return None if path in _OPEN and not changes else _no_token(request)
        if access.watch is not None and not self._may_watch(path, changes and not is_socket):
            return PlainTextResponse("this link is view-only", 403)
        if (given or once) and path == "/" and not is_socket:
            return self._without_token(request, given)
        return None

    def _may_watch(self, path: str, changes: bool) -> bool:
        if changes or ".." in path.split("/"):
            return False
        below = (path[: i + 1] for i, letter in enumerate(path) if letter == "/" and i)
        return path in self._watched or not self._watched.isdisjoint(below)

    def _without_token(self, request: HTTPConnection, given: list[str]) -> Response:
        """Send the page on without the token in its address; the cookie has it from now on."""
        items = request.query_params.multi_items()
        rest = [(key, value) for key, value in items if key not in ("token", "once")]
        # to this very path, whatever was asked for: a link of ours never leads elsewhere
        answer = RedirectResponse(f"/?{urlencode(rest)}" if rest else "/", 303)
        guard = self._guard
        for token in given:
            match guard.access(token):
                case Access(watch=None):
                    name, lasts = guard.cookie, int(KEEP)
                case Access(watch=sessions) if request[ACCESS].watch is not None and sessions:
                    (session,) = sessions
                    name, lasts = guard.watch_cookie(session), _WATCH_LASTS
                case _:
                    continue  # of another studio; or a watch link, for one who may do everything
            answer.set_cookie(
                name, token, httponly=True, samesite="strict", secure=guard.secure, max_age=lasts
            )
        return answer


def _no_token(request: HTTPConnection) -> Response:
    wants_page = "text/html" in request.headers.get("accept", "")
    if wants_page and request.scope["type"] == "http":
        return Response(NO_TOKEN_PAGE, 403, media_type="text/html")
    return PlainTextResponse(NO_TOKEN, 403)
