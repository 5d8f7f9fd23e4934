"""Serving the studio: a free port, the link printed, the browser opened, a clean end."""

from __future__ import annotations

import asyncio
import contextlib
import io
import logging
import socket
import sys
import webbrowser
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import uvicorn

from kinegen.errors import UsageError
from kinegen.studio.server.access_log import AccessLog
from kinegen.studio.server.app import make_app
from kinegen.studio.server.assets import CLIENT
from kinegen.studio.server.entry.guard import Guard, is_loopback
from kinegen.studio.server.entry.tokens import kept_token
from kinegen.studio.server.entry.visitors import Visitors, raise_file_limit
from kinegen.studio.server.invitations import Invitations, sha256
from kinegen.studio.server.listener import BACKLOG, OWN_FAULTS, ListeningSocket, protocols
from kinegen.studio.server.processes.memory import use_few_arenas
from kinegen.studio.server.uploading.quota import QUOTA
from kinegen.studio.session.files.project import Project
from kinegen.studio.session.hub import Hub
from kinegen.studio.session.journals.autosave import Journal, state_folder
from kinegen.studio.session.pages.entrance import FIRST
from kinegen.studio.session.reading.readers import LONGEST
from kinegen.studio.wire.codec import LARGEST_MESSAGE

if TYPE_CHECKING:
    from starlette.applications import Starlette

    from kinegen.studio.server.certificate import Certificate

__all__ = ["FIRST", "Running", "Settings", "announcement", "open_browser", "run", "serving"]

PORTS = range(8137, 8157)
"""Ports that are tried, so that links stay the same from day to day; then any."""
SWITCH = 5e-4
"""[s] After which a thread that reads texts or writes journals lets the event loop run: poses that
wait for it would be late by Python's usual 5 ms."""
PING = 20.0
"""[s] A page that answers no ping for this long is gone."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How a studio is to run."""

    first: str = FIRST
    folder: Path = Path()
    host: str = "127.0.0.1"
    port: int | None = None
    """None for any that is free."""
    tls: bool = False
    """Also on loopback; elsewhere it is always on."""
    origins: frozenset[str] = frozenset()
    new_token: bool = False
    """Whether the links and cookies of before are to be worth nothing."""
    state: Path | None = None
    client: Path = CLIENT
    ping: float = PING
    workers: int = 2
    quota: int = QUOTA
    """[bytes] that it may write into the project folder."""
    log: Path | str | None = None
    """Where requests and writes are logged, '-' for the terminal; None: in the state folder."""
    connections: int | None = None
    """At a time; None for as many as the system has file descriptors for."""
    warm: bool = False
    """Whether processes are started before they are needed, as soon as a page is there."""
    reading: float = LONGEST
    """[s] A text that takes longer to read is refused."""
    replay: str | None = None
    """A log of a world in the project folder, which pages show first."""
    agents: bool = False
    """Whether agents may run that are programs of a file: whoever has the link can name some."""
    linger: float | None = None
    """[s] After which a studio that everybody left ends itself; None: it runs until it is ended."""


@dataclass(frozen=True, slots=True)
class Running:
    """A studio that runs."""

    link: str
    port: int
    hub: Hub
    guard: Guard
    certificate: Certificate | None
    """None without TLS."""
    visitors: Visitors
    server: uvicorn.Server

    @property
    def printed_link(self) -> str:
        """The link as people get it: with the certificate's fingerprint, which programs check."""
        return self.link + (sha256(self.certificate.fingerprint) if self.certificate else "")


@contextlib.asynccontextmanager
async def serving(settings: Settings) -> AsyncIterator[Running]:
    """Run a studio in this event loop for as long as the context lasts."""
    running, sockets = _prepare(settings)
    server = running.server
    task = asyncio.create_task(server._serve(sockets))  # signals stay with whoever runs the loop
    try:
        while not server.started and not task.done():
            await asyncio.sleep(0.01)
        if task.done():
            await task
        yield running
    finally:
        server.should_exit = True
        await task


def run(
    settings: Settings,
    *,
    browser: bool = True,
    say: Callable[[str], None],
    ready: Callable[[Running], None] | None = None,
) -> int:
    """Run a studio until Ctrl-C; ``say`` shows its address, ``ready`` passes it to programs."""
    raise_file_limit()
    sys.setswitchinterval(SWITCH)
    running, sockets = _prepare(settings)
    if ready is not None:
        ready(running)
    for line in announcement(running, settings):
        say(line)
    if browser:
        open_browser(
            running.link.replace(f"token={running.guard.token}", f"once={running.guard.once}")
        )
    with contextlib.suppress(KeyboardInterrupt):
        running.server.run(sockets=sockets)
    say("Studio stopped.")
    return 0


def _prepare(settings: Settings) -> tuple[Running, list[socket.socket]]:
    use_few_arenas()
    project = Project(settings.folder)
    state = settings.state or state_folder()
    listening = _listen(settings.host, settings.port)
    port = int(listening.getsockname()[1])
    away = not is_loopback(settings.host)
    secure = away or settings.tls
    guard = Guard(
        host=settings.host,
        port=port,
        secure=secure,
        token=kept_token(state, project.folder, new=settings.new_token),
        origins=settings.origins,
    )
    made = None
    if secure:
        from kinegen.studio.server.certificate import certificate

        made = certificate(state, settings.host)
    hub = Hub(
        project,
        Journal(state),
        state,
        first=settings.first,
        workers=settings.workers,
        warm=settings.warm,
        quota=settings.quota,
        reading=settings.reading,
        agents=settings.agents,
        replay=settings.replay,
    )
    hub.log = AccessLog(settings.log or state / "log" / f"studio-{port}.log")
    visitors = Visitors(settings.connections)
    listening.visitors = visitors
    app = make_app(hub, guard, settings.client, visitors=visitors)
    server = uvicorn.Server(_config(app, settings, visitors, made))
    scheme = "https" if secure else "http"
    name = _shown_host(settings.host)
    link = f"{scheme}://{name}:{port}/?token={guard.token}"
    hub.invitations = Invitations(
        scheme, name, port, guard.token, away, made.fingerprint if made else ""
    )
    logging.getLogger("uvicorn.error").addFilter(OWN_FAULTS)
    running = Running(link, port, hub, guard, made, visitors, server)
    if settings.linger is not None:
        hub.linger = settings.linger
        hub.quit = lambda: setattr(server, "should_exit", True)
    return running, [listening]


def _config(
    app: Starlette, settings: Settings, visitors: Visitors, made: Certificate | None
) -> uvicorn.Config:
    http, sockets = protocols(visitors)
    return uvicorn.Config(
        app,
        # asyncio's own: the listening socket's way of taking connections is not known to others
        loop="asyncio",
        http=http,
        ws=sockets,
        backlog=BACKLOG,
        ws_max_size=LARGEST_MESSAGE,
        ws_per_message_deflate=False,
        ws_ping_interval=settings.ping,
        ws_ping_timeout=settings.ping,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=3,
        ssl_certfile=str(made.certificate) if made else None,
        ssl_keyfile=str(made.key) if made else None,
    )


def _listen(host: str, port: int | None) -> ListeningSocket:
    """A socket on the port asked for, or on the first that is free."""
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)[0]
    except OSError:
        raise UsageError(f"'{host}' is not an address of this machine") from None
    family, address = found[0], found[4][0]
    tries = [port] if port is not None else [*PORTS, 0]
    for number in tries:
        # with the protocol named: only then does asyncio send small answers at once (no Nagle)
        listening = ListeningSocket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        try:
            if sys.platform != "win32":
                listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            else:
                listening.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
            listening.bind((address, number))
            listening.listen(BACKLOG)
            listening.setblocking(False)
            return listening
        except (OSError, OverflowError) as error:
            listening.close()
            reason = error
    raise UsageError(
        f"port {port} of {host} cannot be used ({getattr(reason, 'strerror', None) or reason}); "
        "choose another with --port, or omit it to use any free port"
    )


def _shown_host(host: str) -> str:
    """The name to put into a link."""
    if host in ("0.0.0.0", "::"):
        return _address_in_network() or socket.gethostname()
    return f"[{host}]" if ":" in host else host


def _address_in_network() -> str | None:
    """This machine's address as others see it; nothing is sent to find out."""
    with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("192.0.2.1", 9))
        return str(probe.getsockname()[0])
    return None


def announcement(running: Running, settings: Settings) -> Iterator[str]:
    """What people need to know to open the studio, line by line."""
    yield f"Kinegen studio: {running.printed_link}"
    yield f"project folder: {Path(settings.folder).resolve()}"
    if running.certificate:
        if running.certificate.repaired:
            yield f"a new certificate was created: {running.certificate.repaired}"
        yield f"certificate (SHA-256): {running.certificate.fingerprint}"
        yield "browsers warn about it once; compare this fingerprint (also at the end of the link)"
    if not is_loopback(running.guard.host):
        import segno

        picture = io.StringIO()
        segno.make(running.printed_link, error="l").terminal(picture, compact=True)
        yield picture.getvalue()
    yield "anyone who has this link can open and save files in the project folder"
    yield "stop with Ctrl-C"


def open_browser(link: str, otherwise: str = "") -> None:
    """Open a link without waiting for the browser.

    Args:
        link: What to open.
        otherwise: What to write to the terminal where no browser can be opened.
    """
    import threading

    def attempt() -> None:
        if not webbrowser.open(link) and otherwise:
            sys.stderr.write(f"{otherwise}\n")

    # the socket listens already: the browser waits until the server answers
    threading.Thread(target=attempt, daemon=True).start()
