from pathlib import Path

import pytest

from kinegen.cli.options.figures import is_figure, view_of
from kinegen.errors import UsageError
from tests.unit.cli.conftest import Run


def test_views() -> None:
    assert view_of("top") == "top"
    assert view_of("-70,35") == (-70.0, 35.0)
    with pytest.raises(UsageError, match="two angles"):
        view_of("30;x")


def test_which_files_are_pictures() -> None:
    assert is_figure("a.svg") and is_figure("b/c.PNG") and is_figure("a.pdf")
    assert not is_figure("a.csv") and not is_figure(None) and not is_figure("svg")


@pytest.mark.parametrize(
    "words",
    [
        ("workspace", "lynx6", "--factor", "45"),
        ("zone", "five-bar", "--step", "20 deg"),
        ("path", "five-bar", "--shape", "segment", "--from", "5 cm 30 cm 0", "--to",
         "15 cm 30 cm 0", "--points", "5"),
    ],
)  # fmt: skip
def test_commands_draw(run: Run, tmp_path: Path, words: tuple[str, ...]) -> None:
    answer = run(*words, "--out", "a.svg", "--view", "top; -70,35", "--title", "Mine")
    assert answer.code == 0 and answer.out.endswith("wrote a.svg\n")
    svg = (tmp_path / "a.svg").read_text(encoding="utf-8")
    assert svg.count("x [cm]") == 2 and ">Mine<" in svg


def test_frames_are_chosen(run: Run, tmp_path: Path) -> None:
    words = ["workspace", "lynx6", "--factor", "45", "--frames", "elbow, tool"]
    assert set(run(*words, "--json").data["frames"]) == {"elbow", "tool"}
    assert run(*words, "--out", "a.svg").code == 0
    svg = (tmp_path / "a.svg").read_text(encoding="utf-8")
    assert ">elbow<" in svg and ">wrist<" not in svg


def test_views_that_do_not_exist(run: Run) -> None:
    words = ["zone", "five-bar", "--step", "30 deg", "--out", "a.svg", "--view"]
    assert "unknown" in run(*words, "tpo").err
    assert "at least one view" in run(*words, ";").err


def test_surfaces_are_drawn_around_paths(run: Run, tmp_path: Path) -> None:
    for shape in (
        ["surface", "--surface", "waves", "--curves", "6", "--index", "2"],
        ["seam", "--pipes", "4 cm 45 mm", "--offset", "15 cm 15 cm 10 cm"],
    ):
        words = ["path", "lynx6", "--points", "6", "--shape", *shape, "--out", "a.svg"]
        assert run(*words).code == 0
        assert ">surface<" in (tmp_path / "a.svg").read_text(encoding="utf-8")


def test_charts_of_a_report_are_chosen(run: Run, tmp_path: Path) -> None:
    words = ["plot", "five-bar", "--shape", "segment", "--from", "5 cm 30 cm 0", "--to",
             "15 cm 30 cm 0", "--points", "5", "--out", "a.svg", "--charts"]  # fmt: skip
    assert run(*words, "speeds").code == 0
    svg = (tmp_path / "a.svg").read_text(encoding="utf-8")
    assert "joint speeds" in svg and "joint positions" not in svg
    assert "sped" in run(*words, "sped").err


def test_joints_are_named(run: Run, tmp_path: Path) -> None:
    assert run("draw", "five-bar-b", "--names", "--out", "a.svg").code == 0
    svg = (tmp_path / "a.svg").read_text(encoding="utf-8")
    for name in "OABCD":
        assert f">{name}</text>" in svg
