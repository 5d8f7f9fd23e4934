"""The layout of stores: what is not ours or of another version is said in a sentence."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import pytest

from kinegen.errors import UsageError
from kinegen.workspace.runs.layout import DamagedStoreError, clear_way, make_layout, read_layout

pytest.importorskip("zarr", reason="needs kinegen[cluster]")
ABOUT = {"plan": {}, "frames": ["f"], "poses": 20, "chunk": 10, "dtype": "float32", "version": "0"}


def change(file: Path, *path: str, to: Any) -> None:
    """Replace one value of a JSON file."""
    text = json.loads(file.read_text())
    place = text
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = to
    file.write_text(json.dumps(text))


def test_a_layout_is_read_as_it_was_made(tmp_path: Path) -> None:
    make_layout(tmp_path / "a.zarr", ABOUT)
    found = read_layout(tmp_path / "a.zarr", writable=False)
    assert found is not None and found[0].items() >= ABOUT.items()
    assert list(found[1]) == ["points", "values", "bounds", "checks"]


@pytest.mark.parametrize(
    ("file", "path", "to", "words"),
    [
        ("zarr.json", ("attributes", "kinegen", "poses"), 21, "does not match its checksum"),
        ("zarr.json", ("attributes", "kinegen", "format"), 1, "does not match its checksum"),
        ("zarr.json", ("attributes", "kinegen_digest"), "0", "does not match its checksum"),
        ("zarr.json", ("attributes",), {}, "makes no sense"),
        ("zarr.json", ("attributes",), [1], "makes no sense"),
        ("zarr.json", ("zarr_format",), 7, "makes no sense"),
        ("points/zarr.json", ("shape",), [1, 3, 40], "belongs to another array"),
        ("points/zarr.json", ("data_type",), "float64", "belongs to another array"),
        ("points/zarr.json", ("data_type",), "no type", "makes no sense"),
        ("values/zarr.json", ("codecs",), [{"name": "bytes"}], "belongs to another array"),
        ("checks/zarr.json", ("node_type",), "group", "makes no sense"),
    ],
)
def test_changed_metadata_are_named(
    tmp_path: Path, file: str, path: tuple[str, ...], to: Any, words: str
) -> None:
    folder = tmp_path / "a.zarr"
    make_layout(folder, ABOUT)
    change(folder / file, *path, to=to)
    with pytest.raises(DamagedStoreError) as caught:
        read_layout(folder, writable=True)
    assert caught.value.file == file and words in caught.value.reason
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_a_store_of_another_version_is_said_to_be_one(tmp_path: Path) -> None:
    folder = tmp_path / "a.zarr"
    make_layout(folder, ABOUT)
    text = json.loads((folder / "zarr.json").read_text())
    del text["attributes"]["kinegen"]["format"], text["attributes"]["kinegen_digest"]
    (folder / "zarr.json").write_text(json.dumps(text))
    with pytest.raises(
        UsageError, match=r"by Kinegen 0 in layout 1; this one reads layout 2\. Use"
    ):
        read_layout(folder, writable=True)


@pytest.mark.parametrize("what", ["file", "folder"])
def test_something_else_is_left_alone(tmp_path: Path, what: str) -> None:
    other = tmp_path / "a.zarr"
    if what == "folder":
        other.mkdir()
        (other / "zarr.json").write_text("{}")
    else:
        other.write_text("my notes")
    with pytest.raises(UsageError, match=r"is no cloud of Kinegen's: take another folder"):
        read_layout(other, writable=True)


def test_the_way_is_cleared_inside_the_store_only(tmp_path: Path) -> None:
    store, outside = tmp_path / "store", tmp_path / "outside"
    store.mkdir(), outside.mkdir()
    (outside / "kept").write_text("kept")
    (store / "points").symlink_to(outside)
    clear_way(store, store / "points/c/0")
    assert (store / "points/c").is_dir() and not (store / "points").is_symlink()
    assert (outside / "kept").read_text() == "kept"
    (store / "points/c/0/inside").mkdir(parents=True)
    clear_way(store, store / "points/c/0")
    assert not (store / "points/c/0").exists()
