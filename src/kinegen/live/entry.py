"""Entry: how programs get a view; imports what the studio needs at first use."""

from __future__ import annotations

import os
from types import ModuleType
from typing import TYPE_CHECKING

from kinegen.errors import UsageError

if TYPE_CHECKING:
    from kinegen.live.view import View
    from kinegen.mechanism.any_model import AnyModel

__all__ = ["connect", "needed", "show"]


def show(
    source: AnyModel | str | os.PathLike[str],
    *,
    browser: bool | None = None,
    folder: str | os.PathLike[str] | None = None,
    name: str | None = None,
) -> View:
    """Show a mechanism in the studio and share it with the page.

    Starts a studio unless an earlier call has started one that is still running. The studio keeps
    running when the program ends, until its pages are closed. A program that is run again reuses
    the page of its last run.

    Args:
        source: A mechanism or its model, a library name, a file or a RAFF text.
        browser: Whether to open a page; None: open one unless a page is open already, the program
            is a notebook, or KINEGEN_NO_BROWSER is set.
        folder: The project folder, which pages can read and save to; default: the folder of the
            file, or the current one.
        name: The program's name in the page; default: the name of its file.
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
    """Join a running studio, such as one that ``kinegen studio`` started.

    Args:
        link: The link that the studio printed. With a view-only link the program can only watch.
        session: The session to join; None: the one that the link names, else the one that was used
            last, else a new one.
        name: The program's name in the page; default: the name of its file.
        folder: The folder of the files that the text includes, if any.
        fingerprint: For TLS: SHA-256 of the certificate, as the studio printed it. None: that in
            the link, as the studio prints it.
        patience: [s] How long to try to reconnect after the connection is lost.

    Raises:
        LinkError: There is no studio at the address, it rejects the token, or its version differs.
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
    """The module that starts views; UsageError if the studio's packages are missing."""
    try:
        from kinegen.live import start
    except ImportError as error:
        raise UsageError(
            f"views need the package {error.name}: pip install 'kinegen[studio]'"
        ) from None
    return start
