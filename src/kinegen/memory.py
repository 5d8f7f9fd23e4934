"""How much memory this process may still take, and the error when that is not enough."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import ParamSpec, TypeVar

from kinegen.errors import UsageError

__all__ = [
    "NotEnoughMemoryError",
    "available_memory",
    "byte_text",
    "check_memory",
    "names_memory",
]

FALLBACK = 8 << 30
"""Where the system does not say what there is [bytes]."""
LITTLE = 32 << 20
"""What is not worth a look at the limits, which takes a tenth of a millisecond [bytes]."""
_UNLIMITED = 1 << 62
"""Limits from here on are none: cgroups of version 1 write a number near 2**63."""
_Given = ParamSpec("_Given")
_Made = TypeVar("_Made")


class NotEnoughMemoryError(UsageError, MemoryError):
    """Something does not fit into the memory that this process may take."""


def available_memory(proc: Path = Path("/proc"), cgroups: Path = Path("/sys/fs/cgroup")) -> int:
    """Memory that this process may still take [bytes].

    The least of what the machine has free, what the process's own limits leave (``ulimit -v``,
    ``ulimit -d``) and what its control groups leave, which is how containers and batch systems
    set limits.

    Args:
        proc: Where Linux describes processes.
        cgroups: Where it keeps control groups.
    """
    return max(0, min([_machine(proc), *_own_limits(proc), *_group_limits(proc, cgroups)]))


def check_memory(needed: int, what: str, remedy: str) -> None:
    """Refuse what does not fit; systems give out more than they have, and end who takes it.

    Args:
        needed: [bytes]
        what: What it is for.
        remedy: What to do instead.
    """
    if needed <= LITTLE:
        return
    room = available_memory()
    if needed > room:
        raise NotEnoughMemoryError(
            f"{what} takes about {byte_text(needed)}; {byte_text(room)} are available. {remedy}"
        )


def byte_text(number: float) -> str:
    """A number of bytes in words."""
    for unit in ("bytes", "kB", "MB", "GB", "TB"):
        if number < 1000:
            return f"{number:.3g} {unit}"
        number /= 1000
    return f"{number:.3g} PB"


def names_memory(what: str) -> Callable[[Callable[_Given, _Made]], Callable[_Given, _Made]]:
    """Say of a function what was asked for when memory runs out inside it.

    Args:
        what: What it makes and what to do instead: 'the cloud: ask for fewer poses'.
    """

    def wrap(function: Callable[_Given, _Made]) -> Callable[_Given, _Made]:
        @functools.wraps(function)
        def named(*args: _Given.args, **options: _Given.kwargs) -> _Made:
            try:
                return function(*args, **options)
            except NotEnoughMemoryError:
                raise
            except MemoryError as error:
                thing, _, remedy = what.partition(": ")
                asked = f" ({error})" if str(error) else ""
                raise NotEnoughMemoryError(
                    f"there is not enough memory for {thing}{asked}: {remedy}. "
                    f"{byte_text(available_memory())} are available"
                ) from error

        return named

    return wrap


def _machine(proc: Path) -> int:
    """What the machine has to give: free, or kept in caches that it would drop."""
    for line in _lines(proc / "meminfo"):
        name, _, rest = line.partition(":")
        if name == "MemAvailable" and rest.split()[:1]:
            return int(rest.split()[0]) * 1024
    if sys.platform == "win32":
        return _windows()
    try:  # macOS and others do not say what is free: half of what there is
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    except (AttributeError, OSError, ValueError):
        return FALLBACK


def _own_limits(proc: Path) -> Iterator[int]:
    """What the limits of this process leave."""
    try:
        import resource
    except ImportError:  # Windows
        return
    used = next(_lines(proc / "self" / "statm"), "").split()
    page = os.sysconf("SC_PAGE_SIZE")
    # statm counts pages: all address space first, data and stack sixth
    for name, column in (("RLIMIT_AS", 0), ("RLIMIT_DATA", 5)):
        limit = resource.getrlimit(getattr(resource, name))[0]
        if limit != resource.RLIM_INFINITY and 0 <= limit < _UNLIMITED:
            yield limit - (int(used[column]) * page if len(used) > column else 0)


def _group_limits(proc: Path, cgroups: Path) -> Iterator[int]:
    """What each control group that this process is in leaves, from its own up to the first."""
    for line in _lines(proc / "self" / "cgroup"):
        number, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if number == "0" and not controllers:
            roots, names = [cgroups, cgroups / "unified"], ["memory.max", "memory.high"]
            used, cached = "memory.current", "inactive_file"
        elif "memory" in controllers.split(","):
            roots, names = [cgroups / "memory"], ["memory.limit_in_bytes"]
            used, cached = "memory.usage_in_bytes", "total_inactive_file"
        else:
            continue
        for root in roots:
            # inside a container the path may be that of the outside: then its root is ours
            here = root / path.strip("/")
            for folder in (here, *here.parents):
                if not folder.is_relative_to(root):
                    break
                limits = [_number(folder / name) for name in names]
                known = [limit for limit in limits if limit is not None and limit < _UNLIMITED]
                if known:
                    stat = dict(line.split()[:2] for line in _lines(folder / "memory.stat"))
                    # pages of files that were read count as used, but are given back when asked
                    spare = int(stat.get(cached, "0"))
                    yield min(known) - max(0, (_number(folder / used) or 0) - spare)


def _lines(path: Path) -> Iterator[str]:
    try:
        yield from path.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return


def _number(path: Path) -> int | None:
    """The number in a file; None for 'max', or where there is none."""
    text = next(_lines(path), "").strip()
    return int(text) if text.isdigit() else None


def _windows() -> int:
    """What Windows has free."""
    import ctypes

    class Status(ctypes.Structure):
        _fields_ = [("length", ctypes.c_ulong), ("load", ctypes.c_ulong)] + [
            (name, ctypes.c_ulonglong)
            for name in ("physical", "free", "page", "page_free", "address", "address_free", "more")
        ]

    status = Status(length=ctypes.sizeof(Status))
    call = getattr(ctypes, "windll").kernel32.GlobalMemoryStatusEx  # noqa: B009
    return int(status.free) if call(ctypes.byref(status)) else FALLBACK
