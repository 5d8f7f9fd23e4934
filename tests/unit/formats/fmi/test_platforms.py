"""Binaries for other computers: which ones, where they are in a unit, and what is missing."""

from __future__ import annotations

import io
import os
import struct
import zipfile
from pathlib import Path

import numpy as np
import pytest

import kinegen as kg
from kinegen.cli import main
from kinegen.errors import NameNotFoundError, UsageError
from kinegen.formats.fmi import platforms
from kinegen.formats.fmi.platforms import ALL, binaries, parse_platforms
from kinegen.kernels import backend, fmu_library, fmu_sources
from tests.support.units.driven import DrivenUnit

pytestmark = pytest.mark.skipif(
    backend.name() != backend.NATIVE, reason="units are made of the compiled engine"
)
HEADS = {"linux": b"\x7fELF", "windows": b"MZ", "darwin": b"\xcf\xfa\xed\xfe"}
"""How libraries begin."""
NEEDS_ZIG = pytest.mark.skipif(
    os.environ.get("KINEGEN_PLATFORMS") != "1",
    reason="`make test-platforms` compiles for all platforms, which takes minutes",
)


@pytest.fixture
def pretended(monkeypatch: pytest.MonkeyPatch) -> None:
    """A compiler that takes no time: what it makes is the platform's name."""
    monkeypatch.setattr(platforms, "_compiled", lambda name: name.encode() * 3)
    monkeypatch.setattr(platforms, "_own", lambda: "x86_64-linux")


def test_lists_are_understood(pretended: None) -> None:
    assert parse_platforms(None) == ("x86_64-linux",)
    assert parse_platforms("linux64, win64") == ("x86_64-linux", "x86_64-windows")
    assert parse_platforms("darwin64") == ("x86_64-darwin", "aarch64-darwin")
    assert len(parse_platforms(ALL)) == 5
    with pytest.raises(NameNotFoundError, match=r"platform 'win65'.*did you mean 'win64'"):
        parse_platforms("win65")
    with pytest.raises(NameNotFoundError, match="platform ''"):
        parse_platforms("linux64,")


def test_binaries_are_where_each_version_of_the_standard_has_them(pretended: None) -> None:
    two, three = (binaries(parse_platforms(ALL), version, "u") for version in (2, 3))
    assert list(two) == [
        "binaries/linux64/u.so", "binaries/aarch64-linux/u.so", "binaries/win64/u.dll",
        "binaries/darwin64/u.dylib",
    ]  # fmt: skip
    assert {path.split("/")[1] for path in three} == set(parse_platforms(ALL))
    assert three["binaries/x86_64-windows/u.dll"] == b"x86_64-windows" * 3
    assert two["binaries/linux64/u.so"] == fmu_library()


def test_both_kinds_of_macs_are_in_one_library(pretended: None) -> None:
    (whole,) = binaries(parse_platforms("darwin64"), 2, "u").values()
    mark, count = struct.unpack(">2I", whole[:8])
    assert (mark, count) == (0xCAFEBABE, 2)
    for i, name in enumerate(("x86_64-darwin", "aarch64-darwin")):
        _, _, at, size, power = struct.unpack(">5I", whole[8 + 20 * i : 28 + 20 * i])
        assert at % (1 << power) == 0
        assert whole[at : at + size] == name.encode() * 3


def test_a_missing_compiler_and_other_formats_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(platforms, "_own", lambda: "x86_64-linux")
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(UsageError, match=r"aarch64-linux is compiled by zig.*kinegen\[platforms\]"):
        binaries(["aarch64-linux"], 3, "u")
    assert main(["export", "five-bar", str(tmp_path / "a.urdf"), "--platforms", "all"]) == 1
    assert "--platforms is for .fmu files" in capsys.readouterr().err


def test_sources_are_all_that_a_compiler_needs() -> None:
    with zipfile.ZipFile(io.BytesIO(fmu_sources())) as archive:
        texts = {name: archive.read(name).decode() for name in archive.namelist()}
    assert any(name.endswith("fmi2.cpp") for name in texts)
    asked = {
        line.split('"')[1]
        for text in texts.values()
        for line in text.splitlines()
        if line.startswith('#include "')
    }
    assert asked <= set(texts)


@NEEDS_ZIG
def test_every_platform_is_compiled_and_ours_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(platforms, "_own", lambda: "none")  # this computer's as well
    path = tmp_path / "bars.fmu"
    kg.export(kg.load("five-bar"), path, options={"platforms": ALL, "fmi": "3"})
    with zipfile.ZipFile(path) as archive:
        for name in parse_platforms(ALL):
            (file,) = [one for one in archive.namelist() if f"binaries/{name}/" in one]
            assert archive.read(file).startswith(HEADS[name.partition("-")[2]])
    ours = tmp_path / "ours.fmu"
    monkeypatch.undo()
    kg.export(kg.load("five-bar"), ours, options={"fmi": "3"})
    ends = []
    for one in (path, ours):
        unit = DrivenUnit(one, "3").begin()
        unit.set(motors__A__target_position=2.0)
        unit.step(0.2)
        ends.append(unit.get("joints.A.position", "joints.B.position", "motors.A.effort"))
        unit.end()
    assert np.array(ends[0]) == pytest.approx(np.array(ends[1]), abs=1e-9)
