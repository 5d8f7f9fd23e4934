"""STEP files, read again with build123d: names, places and exact volumes."""

from __future__ import annotations

from pathlib import Path

import pytest

import kinegen as kg
from kinegen.errors import FormatError
from kinegen.formats.workshop import step
from kinegen.formats.workshop.flat.assembly import flat_assembly
from kinegen.formats.workshop.solid.assembly import PRINTED, solid_assembly


def test_without_the_library_one_sentence_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "build123d", None)
    with pytest.raises(FormatError, match=r"need build123d: pip install 'kinegen\[step\]'"):
        step.step_bytes(solid_assembly(kg.load("four-bar")))


def test_parts_are_an_assembly_of_exact_bodies(tmp_path: Path) -> None:
    cad = pytest.importorskip(
        "build123d", reason="STEP files need build123d (OpenCascade): pip install 'kinegen[step]'"
    )
    model = kg.load("five-bar").compile()
    assembly = solid_assembly(model)
    (tmp_path / "a.step").write_bytes(step.step_bytes(assembly))
    read = cad.import_step(tmp_path / "a.step")
    assert read.label == "five-bar"
    assert [child.label for child in read.children] == [part.name for part in assembly.parts]
    flat = {part.name: part for part in flat_assembly(model, sizes=PRINTED).parts}
    for child, part in zip(read.children, assembly.parts, strict=True):
        assert child.is_valid
        if part.name in flat:
            assert child.volume / 1e9 == pytest.approx(flat[part.name].volume(PRINTED), rel=1e-9)
        place = child.location.position
        assert (place.X, place.Y, place.Z) == pytest.approx(
            tuple(1000 * part.X_WS.translation), abs=1e-6
        )


def test_spatial_parts_have_the_volumes_of_their_meshes(tmp_path: Path) -> None:
    cad = pytest.importorskip(
        "build123d", reason="STEP files need build123d (OpenCascade): pip install 'kinegen[step]'"
    )
    pytest.importorskip("manifold3d", reason="meshes need manifold3d")
    from kinegen.formats.workshop.solid.mesh import mesh_of

    assembly = solid_assembly(kg.load("bricard"), pins=False)
    (tmp_path / "a.step").write_bytes(step.step_bytes(assembly))
    for child, part in zip(
        cad.import_step(tmp_path / "a.step").children, assembly.parts, strict=True
    ):
        assert child.is_valid
        assert child.volume / 1e9 == pytest.approx(mesh_of(part, steps=64).volume, rel=1e-3)
