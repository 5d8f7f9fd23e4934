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


def export(compiled: CompiledText, kind: str, motion: str | None = None) -> MadeFile:
    made, _ = put(compiled, "export", format=kind, motion=motion)
    assert isinstance(made, MadeFile)
    return made


@pytest.fixture(scope="module")
def compiled() -> CompiledText:
    mechanism = kg.load("four-bar")
    wave = {"name": "wave", "joints": ["crank"], "times": [0, 0.5], "values": [[0], [1.5]]}
    set_entry(mechanism, "motions", wave)
    return CompiledText.read(mechanism.to_raff(), Project(Path.cwd()))


def test_the_text_is_exported_as_it_is(compiled: CompiledText) -> None:
    made = export(compiled, "raff")
    assert made.name == "four-bar.raff" and made.data.decode() == compiled.text


def test_a_picture(compiled: CompiledText) -> None:
    made = export(compiled, "svg")
    assert made.media_type == "image/svg+xml"
    assert ElementTree.fromstring(made.data).tag.endswith("svg")


def test_a_pose_and_a_motion_as_tables(compiled: CompiledText) -> None:
    rows = list(csv.reader(io.StringIO(export(compiled, "csv").data.decode())))
    assert rows[0][:2] == ["time [s]", "crank [rad]"] and len(rows) == 2
    made = export(compiled, "csv", "wave")
    assert made.name == "four-bar-wave.csv"
    rows = list(csv.reader(io.StringIO(made.data.decode())))
    assert [float(x) for x in rows[2]] == [0.5, 1.5]
    content = json.loads(export(compiled, "json", "wave").data)
    assert content["times"] == [0, 0.5] and content["mechanism"] == "four-bar"


def test_scenes_for_other_programs(compiled: CompiledText) -> None:
    content = json.loads(export(compiled, "gltf", "wave").data)
    assert content["asset"]["version"] == "2.0" and content["animations"]
    assert export(compiled, "glb").data[:4] == b"glTF"


def test_unknown_formats_and_motions_are_refused(compiled: CompiledText) -> None:
    with pytest.raises(NameNotFoundError, match=r"formats: .*raff"):
        export(compiled, "doc")
    with pytest.raises(NameNotFoundError, match="motions: wave"):
        export(compiled, "csv", "none")


def test_names_of_files_fit_every_system() -> None:
    compiled = CompiledText.read("raff: 1\nname: con\n", Project(Path.cwd()))
    made = export(compiled, "raff")
    assert made.name == "kinegen-con.raff"
