"""Places that cannot be written are refused before the work."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kinegen.cli.out import check_place, write_out
from kinegen.errors import UsageError


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("", "--out is empty"),
        (".", "this is a folder"),
        ("no/such/a.csv", "there is no folder 'no/such'"),
        ("a.txt/b.csv", "there is no folder 'a.txt'"),
    ],
)
def test_what_is_wrong_is_said(
    name: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.txt").touch()
    with pytest.raises(UsageError, match=message):
        check_place("--out", name)


@pytest.mark.parametrize("refused", ["a.csv", "."])
def test_a_file_and_its_folder_must_be_writable(
    refused: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.csv").touch()
    # root may write everywhere: the answer of the system is replaced
    monkeypatch.setattr(os, "access", lambda place, _: str(place) != refused)
    with pytest.raises(UsageError, match=f"'{refused}' cannot be written"):
        check_place("--out", "a.csv")


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such files")
def test_devices_and_stores_are_taken(tmp_path: Path) -> None:
    check_place("--out", os.devnull)
    (tmp_path / "cloud.zarr").mkdir()
    check_place("--out", str(tmp_path / "cloud.zarr"))


def test_texts_are_utf_8(tmp_path: Path) -> None:
    write_out(tmp_path / "a.txt", "45°\n")
    assert (tmp_path / "a.txt").read_bytes() == "45°\n".encode()
