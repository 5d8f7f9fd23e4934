"""``kinegen check``."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import kinegen as kg
from tests.unit.cli.conftest import Run

File = Callable[..., Path]
GOOD = "raff: 1\njoints: [{name: A, parent: base}]\n"
BAD = "raff: 1\njoints:\n  - {name: A, parent: base, tpye: fixed}\n  - {name: B, parent: C}\n"
OPEN = """raff: 1
joints:
  - {name: A, parent: base, start: 40 deg}
  - {name: B, parent: A, d: 0.3, start: 10 deg}
  - {name: D, parent: base, d: 0.4, start: 90 deg}
  - {name: C, parent: B, d: 0.4, closes: {onto: D, d: 0.3}}
"""
CUT = """raff: 1
joints:
  - {name: A, parent: base, start: 90 deg, motor: true}
  - {name: B, parent: A, d: 0.3, start: -90 deg}
  - {name: D, parent: base, d: 0.4, start: 90 deg}
  - {name: C, parent: B, d: 0.4, closes: {onto: D, d: 0.3}}
"""


def test_a_good_file_is_ok(run: Run, file: File) -> None:
    path = file(GOOD)
    assert run("check", path) == (0, f"{path}: ok, 1 joint, 0 loops, 0 frames\n", "")


def test_the_whole_library_is_ok(run: Run) -> None:
    code, out, err = run("check", *kg.library_names())
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert len(lines) == len(kg.library_names())
    assert all(": ok, " in line for line in lines)


def test_problems_are_listed_with_their_places(run: Run, file: File) -> None:
    path = file(BAD)
    code, out, err = run("check", path)
    assert (code, err) == (1, "")
    lines = out.splitlines()
    assert lines[0].startswith(f"{path}:3:29: ")
    assert "did you mean 'type'" in lines[0]
    assert lines[1].startswith(f"{path}:4:")
    assert "ok" not in out


def test_one_bad_file_among_good_ones_fails_and_all_are_checked(run: Run, file: File) -> None:
    good, bad, after = file(GOOD, "a.raff"), file(BAD, "b.raff"), file(GOOD, "c.raff")
    code, out, _ = run("check", good, bad, after, "nope.raff")
    assert code == 1
    assert f"{good}: ok" in out
    assert f"{after}: ok" in out
    assert f"{bad}:3:29: " in out
    assert "nope.raff: file 'nope.raff' does not exist" in out


def test_folders_and_unknown_names_are_problems(run: Run, tmp_path: Path) -> None:
    code, out, _ = run("check", tmp_path, "fourbar")
    assert code == 1
    assert "is a folder" in out
    assert "did you mean 'four-bar'?" in out


def test_loops_that_are_open_at_the_start_are_noted(run: Run, file: File) -> None:
    path = file(OPEN)
    code, out, _ = run("check", path)
    assert code == 0
    lines = out.splitlines()
    assert "note: the start values leave loops open; assembling moves A by" in lines[0]
    assert lines[1] == f"{path}: ok, 4 joints, 1 loop, 0 frames"


def test_json_of_one_file_and_of_several(run: Run, file: File) -> None:
    good, bad = file(GOOD, "a.raff"), file(BAD, "b.raff")
    code, _, err = one = run("check", bad, "--json")
    assert (code, err) == (1, "")
    assert (one.data["files"][0]["file"], one.data["ok"]) == (str(bad), False)
    problem = one.data["problems"][0]
    assert (problem["file"], problem["line"], problem["column"]) == (str(bad), 3, 29)
    assert "did you mean 'type'" in problem["message"]
    code, _, _ = both = run("check", good, bad, "--json")
    assert code == 1
    assert [result["ok"] for result in both.data["files"]] == [True, False]
    assert both.data["files"][0]["summary"] == "1 joint, 0 loops, 0 frames"
    note = run("check", file(OPEN), "--json").data["files"][0]["notes"]
    assert "the start values leave loops open" in note[0]


def test_a_graph_that_cannot_be_compiled_is_a_problem(run: Run, file: File) -> None:
    nested = "p+p*(" * 40 + "p" + ")" * 40
    path = file(
        f"raff: 1\nparameters: {{p: 1}}\njoints: [{{name: A, parent: base, d: '{nested}'}}]\n"
    )
    code, out, _ = run("check", path)
    assert code == 1
    assert out.startswith(f"{path}: 'd' of 'A' = ")
    assert "split it with a parameter" in out


def test_masses_that_no_body_has_are_noted(run: Run, file: Callable[..., Path]) -> None:
    text = "raff: 1\nname: odd\njoints: [{name: A, parent: base, mass: 1, inertia: [1, 1, 5]}]\n"
    code, out, _ = run("check", file(text))
    assert code == 0 and "note: it cannot be simulated" in out and "link 'A'" in out
    assert "note" not in run("check", "stewart").out


def test_loops_that_cannot_close_are_a_problem(run: Run, file: File) -> None:
    code, out, _ = run("check", file(CUT.replace("parent: B, d: 0.4", "parent: B, d: 1.4")))
    assert code == 1
    assert "link 'B' (1400 mm)" in out and "400 mm too short" in out


def test_a_cut_joint_without_a_start_is_nothing_to_note(run: Run, file: File) -> None:
    code, out, _ = run("check", file(CUT))
    assert code == 0 and "note" not in out
    code, out, _ = run("check", file(CUT.replace("base, d: 0.4", "base, d: 0.45")))
    assert code == 0
    assert "assembling moves B by" in out and "D by" in out and "A by" not in out


def test_plain_numbers_that_are_seldom_meant_are_noted(run: Run, file: File) -> None:
    code, out, _ = run("check", file("raff: 1\njoints: [{name: A, parent: base, alpha: 90}]\n"))
    assert code == 0 and "note: line 2: alpha is 90 rad; did you mean 90 deg?" in out


def test_a_loop_that_leaves_its_plane_is_a_problem_with_its_joint(run: Run, file: File) -> None:
    for command in ("check", "assemble"):
        code, out, err = run(command, file(CUT.replace("A, d: 0.3", "A, d: 0.3, r: 2 mm")))
        said = " ".join((out + err).split())
        assert code == 1
        assert "the loop through 'A', 'B', 'D' and 'C' stays open at 'C' by 2 mm along" in said
        assert "most likely 'B' is placed wrongly" in said and "r 0 mm instead of 2 mm" in said
