"""PlugIns: what the names of one entry-point group stand for, each loaded at its first use."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from kinegen.errors import KinegenError, unknown_name

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

__all__ = ["PlugIns", "registered"]

T = TypeVar("T")


def registered(group: str) -> dict[str, EntryPoint]:
    """The entries of all installed packages in a group, by name; none is loaded for it."""
    # imported here: it costs more than all of Kinegen, and a library mechanism needs no plug-in
    from importlib.metadata import entry_points

    return {entry.name: entry for entry in entry_points(group=group)}


class PlugIns(Generic[T]):
    """The plug-ins of one kind by name, Kinegen's own among them.

    A plug-in that is broken costs a warning, never the rest: it is skipped from then on.
    """

    def __init__(
        self,
        kind: str,
        group: str,
        built_in: Mapping[str, str],
        accepts: Callable[[Any], bool],
        wanted: str,
    ) -> None:
        """Nothing is looked for yet.

        Args:
            kind: What one of them is called, for messages: "engine".
            group: The entry-point group in which packages register theirs.
            built_in: Kinegen's own entries, as in pyproject.toml: for a source tree that is not
                installed.
            accepts: Whether an object that an entry names can be one.
            wanted: What it must be, for messages: "callable".
        """
        self.kind, self.group, self.built_in = kind, group, dict(built_in)
        self._accepts, self._wanted = accepts, wanted
        self._loaded: dict[EntryPoint, T | None] = {}
        self._all: tuple[list[EntryPoint], dict[str, T]] | None = None

    @cached_property
    def entries(self) -> dict[str, EntryPoint]:
        """All registered entries; none is loaded for it."""
        from importlib.metadata import EntryPoint  # as late as in `registered`

        own = {name: EntryPoint(name, to, self.group) for name, to in self.built_in.items()}
        return own | registered(self.group)

    def names(self) -> tuple[str, ...]:
        """Names of all registered plug-ins; none is loaded for it."""
        return tuple(self.entries)

    def all(self) -> dict[str, T]:
        """All plug-ins that can be loaded, by name."""
        entries = [*self.entries.values()]
        if self._all is None or [*map(id, self._all[0])] != [*map(id, entries)]:
            self._all = entries, self._load_all()
        return dict(self._all[1])

    def _load_all(self) -> dict[str, T]:
        found = {}
        for name, entry in self.entries.items():
            try:
                found[name] = self._load(entry)
            except KinegenError as error:
                self._skip(entry, error)
        return {name: one for name, one in found.items() if one is not None}

    def named(self, name: str) -> T:
        """A plug-in by its name; NameNotFoundError when there is none or it cannot be loaded.

        A plug-in that raises a KinegenError says itself what it lacks: the error is passed on.
        """
        entry = self.entries.get(name)
        one = self._load(entry) if entry is not None else None
        if one is None:
            good = [key for key, entry in self.entries.items() if self._loaded.get(entry, 1)]
            raise unknown_name(self.kind, name, "Kinegen or its plug-ins", good)
        return one

    def _load(self, entry: EntryPoint) -> T | None:
        """What an entry names; None, with a warning the first time, where it is broken."""
        if entry not in self._loaded:
            try:
                one = entry.load()
                if not self._accepts(one):
                    kind = type(one).__name__
                    raise TypeError(f"{entry.value} is not {self._wanted} but a {kind}")
                self._loaded[entry] = one
            except KinegenError:
                raise
            except Exception as error:
                self._skip(entry, error)
        return self._loaded[entry]

    def _skip(self, entry: EntryPoint, error: Exception) -> None:
        self._loaded[entry] = None
        warnings.warn(
            f"{self.kind} plug-in '{entry.name}' ({entry.value}) is skipped: "
            f"{type(error).__name__}: {error}",
            RuntimeWarning,
            stacklevel=4,
        )
