"""``kinegen convert``."""

from __future__ import annotations

import shlex
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest

import kinegen as kg
from kinegen.cli.commands.convert import EXAMPLES
from tests.unit.cli.conftest import Run

TABLE = "theta, d, a, alpha\nq1, 0, 0.1, 90 deg\nq2, 0, L2, 0\n"
PAR = """(* Robotname = 'Two' *)
NL = 2
NJ = 2
NF = 2
Type = 0
Ant = {0, 1}
Sigma = {0, 0}
B = {0, 0}
d = {0, L2}
R = {L1, 0}
gamma = {0, 0}
Alpha = {0, 0}
Mu = {1, 1}
Theta = {t1, t2}
"""


@pytest.fixture(autouse=True)
def files(tmp_path: Path) -> None:
    (tmp_path / "arm.csv").write_text(TABLE.replace("L2", "0.3"))
    (tmp_path / "symbols.csv").write_text(TABLE)
    (tmp_path / "robot.par").write_text(PAR)
    (tmp_path / "lengths.txt").write_text("L1 = 0.2\nL2 = 0.9\n")


@pytest.mark.parametrize("example", EXAMPLES)
def test_the_examples_work(run: Run, example: str) -> None:
    words = shlex.split(example, comments=True)[1:]
    code, out, err = run(*words)
    assert (code, err) == (0, "")
    assert out.startswith(f"wrote {words[2]}: ")


def test_a_table_becomes_a_file_that_is_checked_and_computed(run: Run) -> None:
    code, out, _ = run("convert", "arm.csv", "arm.raff")
    assert (code, out.split(",")[0]) == (0, "wrote arm.raff: 'arm'")
    assert run("check", "arm.raff").code == 0
    xyz = run("fk", "arm.raff", "--q", "0 90deg", "--frame", "tool", "--json").data["xyz"]
    np.testing.assert_allclose(xyz, [0.1, 0, 0.3], atol=1e-15)


def test_symbols_are_given_one_by_one_or_in_a_file(run: Run) -> None:
    run("convert", "robot.par", "two.raff", "--values", "lengths.txt", "--value", "L2=400 mm")
    model = kg.load("two.raff").compile()
    assert model.number("j2", "d") == 0.4
    assert kg.pose(model, np.zeros(model.nq), model.link_names[2]).translation.tolist() == [
        0.4,
        0,
        0.2,
    ]


def test_without_a_target_the_text_is_printed(run: Run) -> None:
    code, out, err = run("convert", "arm.csv")
    assert (code, err) == (0, "")
    assert kg.load(out).compile().nq == 2
    data = run("convert", "arm.csv", "--json").data
    assert (data["ok"], data["format"], data["text"]) == (True, "raff", out)


def test_a_library_mechanism_survives_the_way_through_text(run: Run) -> None:
    back = kg.load(run("convert", "stewart").out).compile()
    model = kg.load("stewart").compile()
    np.testing.assert_allclose(kg.forward(back), kg.forward(model), atol=1e-12)


def test_pictures_are_formats_too(run: Run, tmp_path: Path) -> None:
    assert run("convert", "four-bar", "x.svg").code == 0
    ET.parse(tmp_path / "x.svg")
    answer = run("convert", "four-bar", "y.svg", "--json")
    size = (tmp_path / "y.svg").stat().st_size
    made = {"format": "svg", "files": ["y.svg"], "bytes": size, "notes": []}
    assert answer.found == {"file": "y.svg", **made}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("nope.csv",), "file 'nope.csv' does not exist"),
        (("x.abc",), "no format reads '.abc' files such as x.abc; name one: raff (.raff), dh "),
        (("arm.csv", "x.abc"), "no format writes '.abc' files such as x.abc; name one: "),
        (("arm.csv", "--from", "dhh"), "format 'dhh' is not in Kinegen or its plug-ins; did you"),
        (("arm.csv", "--to", "mdh"), "format 'mdh' can be read but not written"),
        (("a.svg", "--from", "svg"), "format 'svg' can be written but not read"),
        (
            ("arm.csv", "no/such/folder.raff"),
            "TARGET no/such/folder.raff: there is no",
        ),
        (("arm.csv", "--option", "angle"), "--option takes NAME=VALUE, got 'angle'"),
        (("four-bar", "a.svg", "--option", "theme=pink"), "theme 'pink' is unknown"),
        (("four-bar", "a.svg", "--option", "tone=1"), "format 'svg' has no option 'tone'"),
        (("symbols.csv", "--value", "L2"), "'L2' is not NAME=NUMBER"),
        (("symbols.csv", "--values", "nope.txt"), "'nope.txt': there is no such file"),
    ],
)
def test_mistakes_are_reported(run: Run, words: tuple[str, ...], message: str) -> None:
    code, out, err = run("convert", *words)
    assert (code, out) == (1, "")
    assert err.startswith(f"kinegen: {message}")


def test_files_that_are_no_text_are_reported(run: Run, tmp_path: Path) -> None:
    (tmp_path / "picture.csv").write_bytes(b"\x89PNG\xff")
    code, _, err = run("convert", "picture.csv")
    assert (code, err) == (1, "kinegen: picture.csv is not UTF-8 text (byte 1)\n")


def test_a_table_with_mistakes_names_their_places(run: Run, tmp_path: Path) -> None:
    (tmp_path / "bad.csv").write_text("theta, d, a, alpha\nq1, 0, 0.1\nq2, x y, 0, 0\n")
    code, out, err = run("convert", "bad.csv")
    assert (code, out) == (1, "")
    assert "bad.csv:2" in err
    assert "bad.csv:3" in err
