"""Writing mechanisms to files of any format, with the files that belong to them."""

from __future__ import annotations

import zipfile
from pathlib import Path

import numpy as np
import pytest

import kinegen as kg
from kinegen.errors import FormatError, UsageError
from kinegen.formats.export import packed, save_written, write_format
from kinegen.formats.format import Format, Written
from kinegen.formats.registry import FORMATS, format_named

MADE = Written("<robot/>", ("joint 'C' was cut",), {"meshes/a.stl": b"solid", "meshes/b.txt": "b"})


@pytest.fixture
def folder_format(monkeypatch: pytest.MonkeyPatch) -> Format:
    """A format whose files need others beside them."""
    made = Format("folder", "a file with meshes", (".fold",), write=lambda m, **_: MADE)
    known = {**FORMATS.all(), "folder": made}
    monkeypatch.setattr(FORMATS, "all", lambda: known)
    monkeypatch.setattr(FORMATS, "named", lambda name: known[name])
    return made


def test_further_files_lie_beside_the_file(folder_format: Format, tmp_path: Path) -> None:
    done = kg.export(kg.load("four-bar"), tmp_path / "arm.fold")
    assert (tmp_path / "arm.fold").read_text() == "<robot/>"
    assert (tmp_path / "meshes" / "a.stl").read_bytes() == b"solid"
    assert done.format == "folder" and done.notes == MADE.notes
    assert [Path(one).name for one in done.files] == ["arm.fold", "a.stl", "b.txt"]
    assert done.bytes == 8 + 5 + 1


def test_a_zip_holds_all_of_them(folder_format: Format, tmp_path: Path) -> None:
    done = kg.export(kg.load("four-bar"), tmp_path / "arm.fold.zip")
    other = kg.export(kg.load("four-bar"), tmp_path / "arm.zip", format="folder")
    for name in (done.files[0], other.files[0]):
        with zipfile.ZipFile(name) as archive:
            assert archive.namelist() == ["arm.fold", "meshes/a.stl", "meshes/b.txt"]
            assert archive.read("arm.fold") == b"<robot/>"
    assert packed(MADE, "arm.fold", "text/x")[:2] == ("arm.fold.zip", "application/zip")
    assert packed(Written("x"), "arm.fold", "text/x") == ("arm.fold", "text/x", b"x")
    with pytest.raises(UsageError, match=r"does not name the format .*such as 'arm.urdf"):
        kg.export(kg.load("four-bar"), tmp_path / "arm.zip")


def test_files_without_a_main_one_get_a_folder(tmp_path: Path) -> None:
    files, size = save_written(Written(None, files={"A.stl": b"abc"}), tmp_path / "parts.stl")
    assert files == (str(tmp_path / "parts" / "A.stl"),) and size == 3


@pytest.mark.parametrize("name", ["../a.stl", "/a.stl", "a/../../b", "con", ""])
def test_no_file_leaves_the_folder(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match=r"leads out of its folder|cannot be called"):
        save_written(Written("x", files={name: b""}), tmp_path / "deep" / "arm.fold")
    assert list(tmp_path.iterdir()) == []


def test_a_pose_and_a_models_numbers_are_written(tmp_path: Path) -> None:
    bars = kg.load("four-bar")
    model = bars.compile()
    model.parameters[next(iter(model.parameters))] *= 1.1
    kg.export(model, tmp_path / "bars.raff", q={"crank": 1.2})
    again = kg.load(tmp_path / "bars.raff").compile()
    np.testing.assert_allclose(again.transforms, model.transforms, atol=1e-12)
    assert again.start()[again.joint("crank").q] == pytest.approx(1.2)
    assert kg.kinematics.loop_gap(again).distance < 1e-9
    model.set_number("crank", "r", 0.01)
    with pytest.raises(UsageError, match="were changed"):
        kg.export(model, tmp_path / "bars.raff")
    with pytest.raises(UsageError, match=r"kg.load\('four-bar'\) returns one"):
        kg.export("four-bar", tmp_path / "bars.raff")  # type: ignore[arg-type]


def test_what_cannot_be_written_is_said() -> None:
    with pytest.raises(FormatError, match="can be read but not written"):
        write_format(format_named("dh"), kg.load("four-bar"), file="a.dh")
    with pytest.raises(UsageError, match="format 'svg' has no option 'thme'"):
        write_format(format_named("svg"), kg.load("four-bar"), file="a.svg", options={"thme": ""})
