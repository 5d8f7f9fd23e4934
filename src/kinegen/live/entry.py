"""Entry: how programs get a view; imports what the studio needs at first use."""

from __future__ import annotations

import os
from types import ModuleType
from typing import TYPE_CHECKING

from kinegen.errors import UsageError

if TYPE_CHECKING:
    from kinegen.live.view import View
    from kinegen.mechanism.graph import Mechanism

__all__ = ["connect", "needed", "show"]


def show(
    source: Mechanism | str | os.PathLike[str],
    *,
    browser: bool | None = None,
    folder: str | os.PathLike[str] | None = None,
    name: str | None = None,
) -> View:
    """Show a mechanism in the studio, and share it with the page.

    A studio is started where none runs that an earlier call started; it continues when the program
    ends, until its pages are closed. A program that is run again finds the page of its last run.

    Args:
        source: A mechanism, a library name, a file or a RAFF text.
        browser: Whether to open a page; None: unless one is open, this is a notebook, or
            KINEGEN_NO_BROWSER is set.
        folder: Project folder: what pages can see and save to; default: the file's, or this one.
        name: What the page calls the program; default: its file.
    """
    start = needed()
    from kinegen.live.view import View

    return View(start.shown(source, browser=browser, folder=folder, name=name))


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
    start = needed()
    from kinegen.live.view import View

    return View(
        start.join(
            link,
            session=session,
            name=name,
            folder=folder,
            fingerprint=fingerprint,
            patience=patience,
        )
    )


def needed() -> ModuleType:
    """The module that starts views; UsageError where the studio's packages are missing."""
    try:
        from kinegen.live import start
    except ImportError as error:
        raise UsageError(
            f"views need the package {error.name}: pip install 'kinegen[studio]'"
        ) from None
    return start
