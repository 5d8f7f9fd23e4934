"""Start: showing a mechanism in a studio of its own, and joining one that runs."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TypeAlias
from urllib.parse import urlencode

from kinegen.errors import LinkError, UsageError
from kinegen.files import write_atomically
from kinegen.live.address import Address
from kinegen.live.core import Core
from kinegen.live.requests import Origin, Requests
from kinegen.mechanism.any_model import AnyModel, mechanism_of
from kinegen.mechanism.graph import Mechanism
from kinegen.mechanism.load import find_file, is_in_library, is_text, library_names, world_names
from kinegen.mechanism.model import Model
from kinegen.studio.server.entry.tokens import kept_token
from kinegen.studio.server.serve import open_browser
from kinegen.studio.session.journals.autosave import state_folder

__all__ = ["Source", "join", "page_link", "shown"]

Source: TypeAlias = str | os.PathLike[str]
"""A library name, a file, or a RAFF text."""
LINGER = 30.0
"""[s] A studio that was started here ends when everybody has been gone for so long."""


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
    source: AnyModel | Source,
    *,
    browser: bool | None = None,
    folder: str | os.PathLike[str] | None = None,
    name: str | None = None,
    loop: asyncio.AbstractEventLoop | None = None,
) -> Core:
    """What both forms of a view are made of, in a studio that may have to be started."""
    kind, value, place = _source(source, folder)
    core = _in_studio(place, name, loop)
    try:
        requests = Requests(core)
        if core.shared.text != value:
            requests.open(kind, value).result()
        if browser is None:
            is_wanted = "ipykernel" not in sys.modules and not os.environ.get("KINEGEN_NO_BROWSER")
            browser = core.pages == 0 and is_wanted
        if browser:
            open_page(core, requests)
    except BaseException:
        core.close()
        raise
    return core


def open_page(core: Core, requests: Requests) -> None:
    """Open the session of a view in the browser; where there is none, print its link."""
    otherwise = f"no browser can be opened here; the page is at {core.page}"
    open_browser(page_link(core, requests), otherwise)


def page_link(core: Core, requests: Requests) -> str:
    """A link that opens the session of a view in a browser, once and soon."""
    query = urlencode({"once": requests.page_code().result(), "session": core.link.session})
    # behind the #, which no server sees and which is worth nothing without the code
    return f"{core.link.address.place}/?{query}#secret={core.welcome.secret}"


def _source(
    source: AnyModel | Source, folder: str | os.PathLike[str] | None
) -> tuple[Origin, str, Path]:
    """What to open: where it is from, its name or text, and the project folder."""
    place = Path(folder or ".").resolve()
    if not place.is_dir():
        raise UsageError(f"there is no folder '{folder}'")
    if isinstance(source, Model):
        source = mechanism_of(source)
    if isinstance(source, Mechanism):
        document = source.document
        home = document.opener.folder if document is not None and document.opener else None
        # the files that it names are beside its own, unless it is one of the library
        if folder is None and home and document and os.path.isfile(document.file):
            place = Path(home).resolve() if document.file not in _library_files() else place
        return "text", source.to_raff(), place
    if not isinstance(source, (str, os.PathLike)):
        raise UsageError(
            "expected a mechanism, a library name, a file or a RAFF text, got "
            f"{type(source).__name__}"
        )
    if isinstance(source, str) and is_in_library(source):
        return "library", source, place
    if isinstance(source, str) and is_text(source):
        return "text", source, place
    file = find_file(source).resolve()
    place = place if folder else file.parent
    try:
        return "file", file.relative_to(place).as_posix(), place
    except ValueError:
        raise UsageError(f"'{file}' is not in the project folder '{place}'") from None


def _library_files() -> set[str]:
    return {str(find_file(name)) for name in (*library_names(), *world_names())}


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
    with tempfile.TemporaryFile() as complaints:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=complaints,
            start_new_session=True,  # Ctrl-C is meant for the program
        )
        assert process.stdout is not None
        said = b""
        with process.stdout as lines:
            while line := lines.readline():
                said += line
                with contextlib.suppress(ValueError):
                    link = _link_in(json.loads(said))
                    process.returncode = 0  # it outlives this program, which is no mistake
                    return link
        complaints.seek(0)
        words = (said + complaints.read()).decode(errors="replace").strip()
    raise LinkError(f"the studio could not be started: {words[-500:]}")


def _link_in(document: dict[str, object]) -> str:
    if not document.get("ok"):
        raise LinkError(f"the studio could not be started: {document.get('error')}")
    return str(document["link"])
