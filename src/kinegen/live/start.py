"""Start: showing a mechanism in a studio of its own, and joining one that runs."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TypeAlias
from urllib.parse import urlencode

from kinegen.errors import LinkError, UsageError
from kinegen.files import write_atomically
from kinegen.live.address import Address
from kinegen.live.core import Core
from kinegen.live.requests import Requests
from kinegen.live.view import View
from kinegen.mechanism.graph import Mechanism
from kinegen.mechanism.load import find_file, is_text, library_names
from kinegen.studio.server.serve import open_browser
from kinegen.studio.server.tokens import kept_token
from kinegen.studio.session.autosave import state_folder

__all__ = ["Source", "connect", "join", "page_link", "show", "shown"]

Source: TypeAlias = str | os.PathLike[str]
"""A library name, a file, or a RAFF text."""
LINGER = 30.0
"""[s] A studio that was started here ends when everybody has been gone for so long."""
STARTING = 60.0
"""[s] Within which a studio starts."""


def show(
    mechanism: Mechanism | Source,
    *,
    browser: bool | None = None,
    folder: str | os.PathLike[str] | None = None,
    name: str | None = None,
) -> View:
    """Show a mechanism in the studio, and share it with the page.

    A studio is started where none runs that an earlier call started; it continues when the program
    ends, until its pages are closed. A program that is run again finds the page of its last run.

    Args:
        mechanism: A mechanism, a library name, a file or a RAFF text.
        browser: Whether to open a page; None: unless one is open, or this is a notebook.
        folder: Project folder: what pages can see and save to; default: the file's, or this one.
        name: What the page calls the program; default: its file.
    """
    return View(shown(mechanism, browser=browser, folder=folder, name=name))


def connect(
    link: str,
    *,
    session: str | None = None,
    name: str | None = None,
    folder: str | os.PathLike[str] | None = None,
    fingerprint: str | None = None,
    patience: float = 30.0,
) -> View:
    """Join a studio that runs, such as one that ``kinegen studio`` started.

    Args:
        link: What the studio printed; a link for watchers lets the program watch.
        session: The session to join; None: the one that the link names, or the one in which a
            person did something last, or a new one where no page is open.
        name: What the page calls the program; default: its file.
        folder: Where the files are that the text includes, if any.
        fingerprint: SHA-256 of the certificate, as the studio printed it, for TLS.
        patience: [s] How long a lost connection is tried again.

    Raises:
        LinkError: There is no studio, it refuses the token, or it is of another version.
    """
    return View(
        join(
            link, session=session, name=name, folder=folder, fingerprint=fingerprint,
            patience=patience,
        )
    )  # fmt: skip


def join(
    link: str,
    *,
    session: str | None = None,
    name: str | None = None,
    folder: str | os.PathLike[str] | None = None,
    fingerprint: str | None = None,
    patience: float = 30.0,
    loop: asyncio.AbstractEventLoop | None = None,
) -> Core:
    """What both forms of a view are made of, in a studio that runs."""
    return Core(
        Address.parse(link), session=session, name=name, folder=folder, fingerprint=fingerprint,
        patience=patience, loop=loop,
    )  # fmt: skip


def shown(
    mechanism: Mechanism | Source,
    *,
    browser: bool | None = None,
    folder: str | os.PathLike[str] | None = None,
    name: str | None = None,
    loop: asyncio.AbstractEventLoop | None = None,
) -> Core:
    """What both forms of a view are made of, in a studio that may have to be started."""
    source, value, place = _source(mechanism, folder)
    core = _in_studio(place, name, loop)
    try:
        requests = Requests(core)
        if core.shared.text != value:
            requests.open(source, value).result()
        if browser is None:
            browser = core.pages == 0 and "ipykernel" not in sys.modules
        if browser:
            open_browser(page_link(core, requests))
    except BaseException:
        core.close()
        raise
    return core


def page_link(core: Core, requests: Requests) -> str:
    """A link that opens the session of a view in a browser, once and soon."""
    query = urlencode({"once": requests.page_code().result(), "session": core.link.session})
    # behind the #, which no server sees and which is worth nothing without the code
    return f"{core.link.address.place}/?{query}#secret={core.welcome['secret']}"


def _source(
    mechanism: Mechanism | Source, folder: str | os.PathLike[str] | None
) -> tuple[str, str, Path]:
    """What to open: where it is from, its name or text, and the project folder."""
    place = Path(folder or ".").resolve()
    if not place.is_dir():
        raise UsageError(f"there is no folder '{folder}'")
    if isinstance(mechanism, Mechanism):
        document = mechanism.document
        home = document.opener.folder if document is not None and document.opener else None
        # the files that it names are beside its own, unless it is one of the library
        if folder is None and home and document and os.path.isfile(document.file):
            place = Path(home).resolve() if document.file not in _library_files() else place
        return "text", mechanism.to_raff(), place
    if not isinstance(mechanism, (str, os.PathLike)):
        raise UsageError(
            "expected a mechanism, a library name, a file or a RAFF text, got "
            f"{type(mechanism).__name__}"
        )
    if isinstance(mechanism, str) and mechanism in library_names():
        return "library", mechanism, place
    if isinstance(mechanism, str) and is_text(mechanism):
        return "text", mechanism, place
    file = find_file(mechanism).resolve()
    place = place if folder else file.parent
    try:
        return "file", file.relative_to(place).as_posix(), place
    except ValueError:
        raise UsageError(f"'{file}' is not in the project folder '{place}'") from None


def _library_files() -> set[str]:
    return {str(find_file(name)) for name in library_names()}


def _in_studio(folder: Path, name: str | None, loop: asyncio.AbstractEventLoop | None) -> Core:
    """A session in the studio of a folder, which is started where none runs."""
    record = _record(folder)
    with contextlib.suppress(OSError, ValueError, LinkError):
        port = int(record.read_text(encoding="ascii"))
        address = Address("127.0.0.1", port, False, kept_token(state_folder(), folder))
        return Core(address, name=name, begins=True, folder=folder, loop=loop)
    address = Address.parse(_started(folder))
    record.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with contextlib.suppress(OSError):  # then the next program starts another
        write_atomically(record, str(address.port).encode(), mode=0o600)
    return Core(address, name=name, begins=True, folder=folder, loop=loop)


def _record(folder: Path) -> Path:
    """Where the port is noted of the studio that shows mechanisms of a folder."""
    digest = hashlib.sha256(os.fsencode(folder)).hexdigest()[:32]
    return state_folder() / "shown" / digest


def _started(folder: Path) -> str:
    """Start a studio that outlives this program while its pages are open; its link."""
    command = [
        sys.executable, "-m", "kinegen", "studio", "--json", "--no-browser", "--linger",
        f"{LINGER:g}", "--folder", str(folder),
    ]  # fmt: skip
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,  # Ctrl-C is meant for the program
    )
    assert process.stdout is not None and process.stderr is not None
    said = b""
    while line := process.stdout.readline():
        said += line
        with contextlib.suppress(ValueError):
            return _link_in(json.loads(said))
    words = process.stderr.read().decode(errors="replace").strip()
    raise LinkError(f"the studio could not be started: {words[-500:] or said.decode()[-500:]}")


def _link_in(document: dict[str, object]) -> str:
    if not document.get("ok"):
        raise LinkError(f"the studio could not be started: {document.get('error')}")
    return str(document["link"])
