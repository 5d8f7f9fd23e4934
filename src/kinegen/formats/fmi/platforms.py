"""Platforms: the binaries of units for this computer, and for others by a cross compiler.

The compiler is that of the ziglang package, which brings the C and C++ libraries of all targets
along. Compiling takes a minute or two for each, once: binaries are kept in the cache folder.
"""

from __future__ import annotations

import hashlib
import importlib.util
import io
import platform
import struct
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from kinegen.errors import FormatError, UsageError, unknown_name
from kinegen.files import cache_folder, write_atomically
from kinegen.kernels import fmu_library, fmu_sources

__all__ = ["ALL", "binaries", "parse_platforms"]

_TARGETS = {
    "x86_64-linux": "x86_64-linux-gnu.2.17",
    "aarch64-linux": "aarch64-linux-gnu.2.17",
    "x86_64-windows": "x86_64-windows-gnu",
    "x86_64-darwin": "x86_64-macos",
    "aarch64-darwin": "aarch64-macos",
}
"""What FMI 3 calls a platform, and what the compiler does. C library 2.17: Linux since 2014."""
_GROUPS = {
    "linux64": ("x86_64-linux",),
    "win64": ("x86_64-windows",),
    "darwin64": ("x86_64-darwin", "aarch64-darwin"),
}
"""What FMI 2 calls them."""
ALL = "all"
_SUFFIXES = {"linux": ".so", "windows": ".dll", "darwin": ".dylib"}
_FLAGS = ("-std=c++20", "-O3", "-ffp-contract=off", "-fno-math-errno", "-fvisibility=hidden",
          "-fvisibility-inlines-hidden", "-shared", "-s", "-I.")  # fmt: skip
"""As in CMakeLists.txt: every platform gives the same digits."""
_MORE_FLAGS = {"darwin": ("-std=gnu++20", "-include", "float.h")}
"""By system. The math.h of macOS includes a part of float.h, and libc++ leaves out the rest then,
unless float.h came first; in strict C++ that has no INFINITY."""
_MACH_O = {"x86_64-darwin": (0x01000007, 3), "aarch64-darwin": (0x0100000C, 0)}
"""Kinds of processors in a universal binary."""
_PAGE = 14
"""Binaries in a universal one begin at multiples of 2 to this power."""


def parse_platforms(text: str | None) -> tuple[str, ...]:
    """Platforms as FMI 3 calls them, from a list such as 'linux64,win64'; None: this computer.

    Raises:
        NameNotFoundError: A platform is not known.
    """
    if text is None:
        return (_own(),)
    found: dict[str, None] = {}
    for name in (word.strip() for word in text.split(",")):
        if name == ALL:
            found |= dict.fromkeys(_TARGETS)
        elif name in _GROUPS:
            found |= dict.fromkeys(_GROUPS[name])
        elif name in _TARGETS:
            found[name] = None
        else:
            raise unknown_name("platform", name, "units", [ALL, *_GROUPS, *_TARGETS])
    return tuple(found)


def binaries(platforms: Sequence[str], version: int, identifier: str) -> dict[str, bytes]:
    """Binaries of a unit by their paths in it.

    Args:
        platforms: As of :func:`parse_platforms`.
        version: Of FMI, 2 or 3.
        identifier: Name of the binary.

    Raises:
        UsageError: The compiler is not installed.
    """
    made = {name: fmu_library() if name == _own() else _compiled(name) for name in platforms}
    by_folder: dict[str, dict[str, bytes]] = {}
    for name, data in made.items():
        by_folder.setdefault(_folder(name, version), {})[name] = data
    out = {}
    for folder, parts in by_folder.items():
        suffix = _SUFFIXES.get(next(iter(parts)).partition("-")[2], ".so")
        data = next(iter(parts.values())) if len(parts) == 1 else _universal(parts)
        out[f"binaries/{folder}/{identifier}{suffix}"] = data
    return out


def _own() -> str:
    system = {"darwin": "darwin", "win32": "windows"}.get(sys.platform, "linux")
    machine = platform.machine().lower()
    return f"{ {'amd64': 'x86_64', 'arm64': 'aarch64'}.get(machine, machine) }-{system}"


def _folder(name: str, version: int) -> str:
    names = {one: group for group, parts in _GROUPS.items() for one in parts}
    return names.get(name, name) if version == 2 else name


def _universal(parts: Mapping[str, bytes]) -> bytes:
    """A library of macOS for several kinds of processors."""
    at, rows, body = 1 << _PAGE, b"", b""
    for name, data in parts.items():
        rows += struct.pack(">5I", *_MACH_O[name], at, len(data), _PAGE)
        body += data + bytes(-len(data) % (1 << _PAGE))
        at = (1 << _PAGE) + len(body)
    head = struct.pack(">2I", 0xCAFEBABE, len(parts)) + rows
    return head + bytes((1 << _PAGE) - len(head)) + body


def _compiled(name: str) -> bytes:
    """The engine for another platform: from the cache, or compiled now."""
    if importlib.util.find_spec("ziglang") is None:
        raise UsageError(
            f"a binary for {name} is compiled by zig, which is not installed: pip install "
            "'kinegen[platforms]'"
        )
    from importlib.metadata import version as version_of

    with zipfile.ZipFile(io.BytesIO(fmu_sources())) as archive:
        texts = {
            one: archive.read(one) for one in sorted(archive.namelist()) if not one.endswith("/")
        }
    flags = (*_FLAGS, *_MORE_FLAGS.get(name.partition("-")[2], ()))
    what = repr((version_of("ziglang"), _TARGETS[name], flags, texts)).encode()
    kept = cache_folder("units") / f"{name}-{hashlib.sha256(what).hexdigest()[:24]}.bin"
    if kept.is_file():
        return kept.read_bytes()
    sys.stderr.write(f"compiling the engine for {name}: a minute or two, once …\n")
    data = _compile(name, flags, texts)
    kept.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(kept, data)
    return data


def _compile(name: str, flags: Sequence[str], texts: Mapping[str, bytes]) -> bytes:
    with tempfile.TemporaryDirectory(prefix="kinegen-unit-") as place:
        folder = Path(place)
        for path, text in texts.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_bytes(text)
        sources = [path for path in texts if path.endswith(".cpp")]
        out = folder / "unit.out"
        words = [sys.executable, "-m", "ziglang", "c++", "-target", _TARGETS[name], *flags]
        done = subprocess.run(
            [*words, *sources, "-o", out.name], cwd=folder, capture_output=True, check=False
        )
        if done.returncode or not out.is_file():
            said = done.stderr.decode(errors="replace").splitlines()
            first = next((line for line in said if "error" in line), "the compiler failed")
            raise FormatError(f"the engine could not be compiled for {name}: {first}")
        return out.read_bytes()
