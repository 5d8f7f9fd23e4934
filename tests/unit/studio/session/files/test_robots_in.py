"""Robots in a folder, recognised by content."""

from __future__ import annotations

from pathlib import Path

from kinegen.studio.session.files.project import Project
from kinegen.studio.session.files.robots_in import robots_in

URDF = "<robot name='arm'><link name='base'/></robot>"
MJCF = "<mujoco><worldbody/></mujoco>"


def found(folder: Path, files: dict[str, str]) -> list[tuple[str, str, bool]]:
    for name, text in files.items():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    robots = robots_in(Project(folder), sorted(files))
    return [(one.file, one.format, one.likely) for one in robots]


def test_content_decides_and_included_files_come_last(tmp_path: Path) -> None:
    scene = "<mujoco><include file='parts/hand.xml'/></mujoco>"
    files = {
        "package.xml": "<package/>", "a/arm.urdf": URDF, "scene.xml": scene,
        "parts/hand.xml": MJCF, "log.csv": "t,x\n0,1\n", "notes.txt": URDF,
    }  # fmt: skip
    assert found(tmp_path, files) == [
        ("scene.xml", "mjcf", True), ("a/arm.urdf", "urdf", True),
        ("log.csv", "dh", False), ("parts/hand.xml", "mjcf", False),
    ]  # fmt: skip


def test_what_is_known_by_its_ending_alone_counts_when_there_is_nothing_else(
    tmp_path: Path,
) -> None:
    assert found(tmp_path, {"arm.csv": "theta,d,a,alpha\n0,0,1,0\n"}) == [("arm.csv", "dh", True)]


def test_a_raff_file_that_another_includes_is_not_the_robot(tmp_path: Path) -> None:
    cell = "raff: 1\nrobots:\n  - {name: a, file: arm.raff}\n"
    arm = "raff: 1\nname: arm\njoints:\n  - {name: A, parent: base}\n"
    assert found(tmp_path, {"cell.raff": cell, "arm.raff": arm}) == [
        ("cell.raff", "raff", True), ("arm.raff", "raff", False),
    ]  # fmt: skip
