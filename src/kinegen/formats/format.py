"""Format: what a reader or writer of another file format has to offer; plug-ins provide one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Protocol

from kinegen.errors import UsageError, did_you_mean
from kinegen.kernels import Floats
from kinegen.mechanism.graph import Mechanism
from kinegen.raff.formulas.formula import Formula
from kinegen.raff.opener import Opener

__all__ = ["Format", "Reader", "Writer", "Written", "later"]


@dataclass(frozen=True, slots=True)
class Written:
    """What a writer has made: a file, the files that belong to it, and what the user should know.

    With further files the result is written to a folder as it is, or packed into one ``.zip``.
    """

    content: str | bytes | None
    """Of the file itself; None where there are only further files, which then get a folder."""
    notes: tuple[str, ...] = ()
    """What was cut, changed or left out, each with the names of the parts concerned."""
    files: Mapping[str, str | bytes] = field(default_factory=dict)
    """Further files by their path from the file's own folder, with ``/``: meshes."""


class Reader(Protocol):
    """Reads a file's text."""

    def __call__(
        self,
        text: str,
        *,
        file: str,
        values: Mapping[str, Formula],
        options: Mapping[str, str],
        opener: Opener | None = None,
    ) -> Mechanism:
        """The mechanism of a text.

        Args:
            text: The file's content.
            file: Its name, for error messages and for the mechanism's name.
            values: Numbers for symbols in the text.
            options: The format's own options, as in ``Format.options``.
            opener: Finds and reads the files that the text names; None: there are none.
        """
        ...


class Writer(Protocol):
    """Writes a mechanism as a file."""

    def __call__(
        self,
        mechanism: Mechanism,
        *,
        options: Mapping[str, str],
        file: str = "",
        q: Floats | None = None,
        motion: str | None = None,
    ) -> str | bytes | Written:
        """The file's content, alone or with files and notes beside it.

        Args:
            mechanism: What to write; ``mechanism.opener`` reads the meshes that it names.
            options: The format's own options, as in ``Format.options``.
            file: The file that it will be, for what is named after it or from its folder; empty
                where that is not known.
            q: The pose, loops closed (nq,); None: the start, which the writer closes.
            motion: One of its recorded motions, for formats that have ``has_motions``; None: the
                pose, and all motions where the format holds both.
        """
        ...


@dataclass(frozen=True, slots=True)
class Format:
    """A file format, under the name of its entry point in the group ``kinegen.formats``."""

    name: str
    title: str
    """One line for people."""
    suffixes: tuple[str, ...] = ()
    """Of its files, with the dot, in lower case."""
    read: Reader | None = None
    write: Writer | None = None
    options: Mapping[str, str] = field(default_factory=dict)
    """Names of its options, each with one line of help."""
    recognises: Callable[[str], bool] | None = None
    """Whether a text is of this format, where a suffix does not say it or several formats share
    it; without it the suffix alone does."""
    has_motions: bool = False
    """Whether its files hold recorded motions."""
    media_type: str = "text/plain; charset=utf-8"
    """Of its files, for browsers."""
    needs: Mapping[str, str] = field(default_factory=dict)
    """Modules that writing needs and that do not come with Kinegen, each with the extra that
    installs it: ``{"ezdxf": "workshop"}``."""
    group: str = ""
    """Heading under which people find its writer: one of those of ``downloads.py`` or another
    one; empty: that of the package that the writer is in."""

    def check_options(self, options: Mapping[str, str]) -> None:
        """UsageError for an option that the format does not have."""
        for name in options:
            if name not in self.options:
                hint = did_you_mean(name, self.options)
                listed = ", ".join(self.options) or "none"
                raise UsageError(
                    f"format '{self.name}' has no option '{name}'{hint or ';'} options: {listed}"
                )


def later(place: str) -> Any:
    """A reader or writer that is imported when it is first called: ``package.module:function``.

    Formats are listed and chosen without it, and each of them knows many others.
    """
    module, _, name = place.partition(":")

    def call(*arguments: Any, **options: Any) -> Any:
        return getattr(import_module(module), name)(*arguments, **options)

    call.__module__, call.__name__ = module, name
    return call
