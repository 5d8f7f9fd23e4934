"""Files made for download."""

from __future__ import annotations

import csv
import io
import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

import kinegen as kg
from kinegen.errors import NameNotFoundError
from kinegen.studio.jobs.processes.protocol import MadeFile
from kinegen.studio.session.compiled_text import CompiledText
from kinegen.studio.session.edits.structure import set_entry
from kinegen.studio.session.files.project import Project
from tests.unit.studio.workbench import put


def export(piece: CompiledText, kind: str, motion: str | None = None) -> MadeFile:
    made, _ = put(piece, "export", format=kind, motion=motion)
    assert isinstance(made, MadeFile)
    return made


@pytest.fixture(scope="module")
def piece() -> CompiledText:
    mechanism = kg.load("four-bar")
    wave = {"name": "wave", "joints": ["crank"], "times": [0, 0.5], "values": [[0], [1.5]]}
    set_entry(mechanism, "motions", wave)
    return CompiledText.read(mechanism.to_raff(), Project(Path.cwd()))


def test_the_text_is_exported_as_it_is(piece: CompiledText) -> None:
    made = export(piece, "raff")
    assert made.name == "four-bar.raff" and made.data.decode() == piece.text


def test_a_picture(piece: CompiledText) -> None:
    made = export(piece, "svg")
    assert made.media_type == "image/svg+xml"
    assert ElementTree.fromstring(made.data).tag.endswith("svg")


def test_a_pose_and_a_motion_as_tables(piece: CompiledText) -> None:
    rows = list(csv.reader(io.StringIO(export(piece, "csv").data.decode())))
    assert rows[0][:2] == ["time [s]", "crank [rad]"] and len(rows) == 2
    made = export(piece, "csv", "wave")
    assert made.name == "four-bar-wave.csv"
    rows = list(csv.reader(io.StringIO(made.data.decode())))
    assert [float(x) for x in rows[2]] == [0.5, 1.5]
    content = json.loads(export(piece, "json", "wave").data)
    assert content["times"] == [0, 0.5] and content["mechanism"] == "four-bar"


def test_scenes_for_other_programs(piece: CompiledText) -> None:
    content = json.loads(export(piece, "gltf", "wave").data)
    assert content["asset"]["version"] == "2.0" and content["animations"]
    assert export(piece, "glb").data[:4] == b"glTF"


def test_unknown_formats_and_motions_are_refused(piece: CompiledText) -> None:
    with pytest.raises(NameNotFoundError, match=r"formats: .*raff"):
        export(piece, "doc")
    with pytest.raises(NameNotFoundError, match="motions: wave"):
        export(piece, "csv", "none")


def test_names_of_files_fit_every_system() -> None:
    piece = CompiledText.read("raff: 1\nname: con\n", Project(Path.cwd()))
    made = export(piece, "raff")
    assert made.name == "kinegen-con.raff"
