"""Names of parts where capital letters do not count: layers of DXF, files on some systems."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["distinct"]


def distinct(names: Iterable[str], taken: Iterable[str] = ()) -> list[str]:
    """The names, with a number behind those that others have, capital letters or not.

    Args:
        names: Names in their order.
        taken: Names that are not free.
    """
    used = {name.lower() for name in taken}
    found = []
    for name in names:
        fresh, number = name, 2
        while fresh.lower() in used:
            fresh, number = f"{name}_{number}", number + 1
        used.add(fresh.lower())
        found.append(fresh)
    return found
