"""``kinegen draw``."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from tests.unit.cli.conftest import Run


def test_the_picture_is_named_after_the_mechanism(run: Run, tmp_path: Path) -> None:
    code, out, err = run("draw", "four-bar")
    assert (code, err) == (0, "")
    assert out == "wrote four-bar.svg: open it in any browser\n"
    root = ET.parse(tmp_path / "four-bar.svg").getroot()
    assert root.tag.endswith("svg")


def test_options_change_the_picture(run: Run, tmp_path: Path) -> None:
    plain = tmp_path / "a.svg"
    run("draw", "four-bar", "--out", plain)
    for words in (
        ("--q", "crank=10 deg"),
        ("--set", "reach=300 mm"),
        ("--view", "top"),
        ("--view", "30,20"),
        ("--theme", "dark"),
        ("--size", "1200x900"),
    ):
        other = tmp_path / "b.svg"
        assert run("draw", "four-bar", "--out", other, *words).code == 0
        assert other.read_text("utf-8") != plain.read_text("utf-8"), words


def test_the_size_is_taken(run: Run, tmp_path: Path) -> None:
    run("draw", "four-bar", "--size", "640X480", "--out", tmp_path / "a.svg")
    root = ET.parse(tmp_path / "a.svg").getroot()
    assert root.get("viewBox", "").split()[2:] == ["640", "480"]


def test_json_says_where_it_is(run: Run) -> None:
    assert run("draw", "four-bar", "--json").found == {"file": "four-bar.svg"}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--size", "10"), "--size takes WIDTHxHEIGHT in pixels, such as 800x600, got '10'"),
        (("--size", "axb"), "--size takes WIDTHxHEIGHT"),
        (("--size", "²x³"), "--size takes WIDTHxHEIGHT"),
        (("--size", "9999999x1"), "--size takes WIDTHxHEIGHT"),
        (("--size", "-800x600"), "--size takes WIDTHxHEIGHT"),
        (
            ("--size", "1x1"),
            "the width or height of a picture [px] must be a whole number from 100 to 20,000",
        ),
        (("--view", "xyzzy"), "view 'xyzzy' is unknown; views: auto, iso, front, "),
        (("--view", "1,a"), "--view takes a name or two angles, such as 30,20, got '1,a'"),
        (("--view", "nan,0"), "view: azimuth and elevation must be finite"),
    ],
)
def test_mistakes_are_reported(run: Run, words: tuple[str, ...], message: str) -> None:
    # --size=… so that a minus is part of the value
    code, out, err = run("draw", "four-bar", "=".join(words))
    assert (code, out) == (1, "")
    assert err.startswith(f"kinegen: {message}")


NO_FOLDER = "there is no folder '{}'"


def test_a_place_that_cannot_be_written_is_reported(run: Run, tmp_path: Path) -> None:
    missing = tmp_path / "no" / "such.svg"
    code, out, err = run("draw", "four-bar", "--out", missing)
    assert (code, out, err) == (
        1,
        "",
        f"kinegen: --out {missing}: {NO_FOLDER.format(missing.parent)}\n",
    )
    code, _, err = run("draw", "four-bar", "--out", tmp_path)
    assert (code, err) == (
        1,
        f"kinegen: --out {tmp_path}: this is a folder; specify the name of a file\n",
    )
    bitmap = tmp_path / "arm.png"
    code, _, err = run("draw", "four-bar", "--out", bitmap)
    assert (code, err) == (
        1,
        f"kinegen: --out {bitmap}: pictures are SVG files: use a name that ends in .svg\n",
    )
    assert not bitmap.exists()
    answer = run("draw", "four-bar", "--out", missing, "--json")
    assert answer.code == 1
    assert answer.data["problems"] == [
        {"message": f"--out {missing}: {NO_FOLDER.format(missing.parent)}"}
    ]


def test_titles_with_marks_of_xml_are_safe(run: Run, file: object, tmp_path: Path) -> None:
    path = file('raff: 1\nname: marks\ntitle: "<b> & \\" é"\njoints: [{name: A, parent: base}]\n')  # type: ignore[operator]
    assert run("draw", path).code == 0
    ET.parse(tmp_path / "marks.svg")
