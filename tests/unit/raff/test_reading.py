from collections import Counter
from pathlib import Path

import pytest

from kinegen.errors import RaffError, UsageError
from kinegen.raff import read_raff
from kinegen.raff.opener import Opener, Place
from kinegen.raff.rules.names import find_cycle
from kinegen.raff.sections.joint import JOINT_TYPES

EVERYTHING = Path(__file__).with_name("everything.raff")
R = "name: r, include: arm"
ARM = """raff: 1
parameters: {len: 100 mm, twice: 2*len}
joints:
  - {name: A, parent: base, d: twice}
  - {name: cut, parent: A, closes: {onto: base}}
frames:
  - {name: tip, parent: A}
"""


class Files(Opener):
    """Finds included files in a dictionary, and counts how often they are read."""

    def __init__(self, files: dict[str, str]) -> None:
        super().__init__()
        self.texts = files
        self.reads: Counter[str] = Counter()

    def find(self, include: str, including: Place | None = None) -> Place:
        if include not in self.texts:
            raise UsageError("it is not there")
        return Place(include, f"{include}.raff")

    def read(self, place: Place) -> bytes:
        self.reads[place.path] += 1
        return self.texts[place.path].encode()


def opener(**files: str) -> Files:
    return Files(files)


def problems(text: str, **files: str) -> list[str]:
    with pytest.raises(RaffError) as caught:
        read_raff(text, file="top.raff", opener=opener(**files))
    return [str(problem) for problem in caught.value.problems]


def robot(row: str) -> str:
    return f"raff: 1\nparameters: {{w: 0.5 m, tilt: 30 deg}}\nrobots:\n  - {{{row}}}\n"


def test_parameters_are_evaluated_in_the_order_they_need() -> None:
    reading = read_raff("raff: 1\nparameters: {c: 2*b, b: a + 1 mm, a: 10 mm}\n")
    assert reading.values.values == pytest.approx({"a": 0.01, "b": 0.011, "c": 0.022})


def test_included_names_and_parameters_get_the_robots_name() -> None:
    text = robot("name: left, include: arm, at: {d: w}, parameters: {len: w/5}")
    text += "joints:\n  - {name: T, parent: left.A, d: left.twice}\n"
    text += "frames:\n  - {name: f, parent: left}\n"
    reading = read_raff(text, opener=opener(arm=ARM))
    assert reading.names.links == {"base", "T", "left", "left.A"}
    assert reading.names.cuts == {"left.cut"}
    assert reading.names.frames == {"f", "left.tip"}
    assert reading.values.values == pytest.approx(
        {"w": 0.5, "tilt": 0.5235987755982988, "left.len": 0.1, "left.twice": 0.2}
    )


def test_a_file_included_twice_is_read_once() -> None:
    text = robot("name: a, include: arm") + "  - {name: b, include: arm}\n"
    files = opener(arm=ARM)
    reading = read_raff(text, opener=files)
    assert files.reads == {"arm": 1}
    assert reading.robots["a"] is reading.robots["b"]
    assert reading.joint_count == 2 * (2 + 1)


def test_a_robot_may_stand_on_another() -> None:
    text = robot("name: a, include: arm, at: {parent: b.tip}") + "  - {name: b, include: arm}\n"
    assert set(read_raff(text, opener=opener(arm=ARM)).robots) == {"a", "b"}


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("name: r, include: x", "top.raff:4:24: cannot include 'x': it is not there"),
        ("name: r, include: bad", "top.raff:4:24: 'bad' has problems"),
        ("name: r, include: self", "files include each other: self.raff -> self.raff"),
        (R + ", parameters: {lenn: 1}", "parameter 'lenn' is not in 'arm'; did you mean 'len'?"),
        (R + ", parameters: {len: tilt}", "4:47: len is a length, but 'tilt' is an angle"),
        (R + ", parameters: {len: 3 deg}", "len is a length; 'deg' is a unit of angle"),
        (R + ", parameters: {len: r.twice}", "parameters form a cycle: r.len -> r.twice -> r.len"),
        (R + ", at: {parent: r.tip}", "'r' is its own parent"),
        (R + ", at: {parent: r.cut}", "'r.cut' is a cut joint"),
        (R + ", at: {d: 1, xyz: [0, 0, 0]}", "both place a frame"),
        (R + ", at: {on: base}", "unknown key 'on' in at"),
    ],
)
def test_mistakes_with_robots(row: str, message: str) -> None:
    found = problems(robot(row), arm=ARM, bad="raff: 1\njoint: 3\n", self=robot(row))
    assert any(message in problem for problem in found), found


def test_problems_of_an_included_file_carry_its_name() -> None:
    found = problems(robot("name: r, include: bad"), bad="raff: 1\njoint: 3\n")
    assert found[0].startswith("bad.raff:2:1: unknown key 'joint'")


def test_one_mistake_is_not_reported_again_where_it_is_used() -> None:
    text = robot("name: r, include: gone, at: {d: r.x}")
    text += "joints:\n  - {name: A, parent: r, d: r.len}\n  - {name: B, parent: r.tip}\n"
    assert len(problems(text)) == 1
    row = "{name: A, parent: base, d: a + b}"
    text = f"raff: 1\nparameters: {{a: 2 mmm, b: 2*a}}\njoints:\n  - {row}\n"
    assert problems(text) == ["top.raff:2:19: unknown unit 'mmm'; did you mean 'mm'?"]


def test_includes_are_not_nested_for_ever() -> None:
    files = {f"f{i}": robot(f"name: r, include: f{i + 1}") for i in range(30)}
    found = problems(robot("name: r, include: f0"), **files)
    assert any("nested more than 16 deep" in problem for problem in found)


def test_includes_cannot_grow_without_bound() -> None:
    def double(i: int) -> str:
        return robot(f"name: a, include: f{i}") + f"  - {{name: b, include: f{i}}}\n"

    rows = "".join(f"  - {{name: J{i}, parent: base}}\n" for i in range(100))
    files = {f"f{i}": double(i + 1) for i in range(12)} | {"f12": f"raff: 1\njoints:\n{rows}"}
    found = problems(robot("name: r, include: f0"), **files)
    assert any("more than 200000 joints" in problem for problem in found)


def test_an_include_needs_someone_who_opens_files() -> None:
    with pytest.raises(RaffError, match="this text has no folder"):
        read_raff(robot(R))


def test_numbers_may_be_quoted_and_booleans_are_only_true_and_false() -> None:
    row = "{name: A, parent: base, d: \"0.5\", r: '3 mm', motor: false}"
    reading = read_raff(f"raff: 1\njoints:\n  - {row}\n")
    joint = reading.root.values["joints"][0].values
    assert joint["d"].value == 0.5 and joint["r"].value == 0.003 and joint["motor"] is False


def test_names_of_yaml_words_stay_words() -> None:
    """In YAML 1.1 these would be booleans, dates and numbers in base 60."""
    rows = "  - {name: y, parent: base}\n  - {name: on, parent: y}\n"
    text = f"raff: 1\ntitle: 2001-01-01\njoints:\n{rows}"
    reading = read_raff(text)
    assert reading.root.values["title"] == "2001-01-01"
    assert reading.names.joints == {"y", "on"}


@pytest.mark.parametrize("kind", JOINT_TYPES)
def test_the_reader_knows_each_joint_type(kind: str) -> None:
    pitch = ", pitch: 5 mm" if kind == "screw" else ""
    text = f"raff: 1\njoints:\n  - {{name: A, type: {kind}, parent: base{pitch}}}\n"
    assert read_raff(text).root.values["joints"][0].values.get("type") == kind


def test_cycles_are_found_in_large_graphs_without_recursion() -> None:
    chain = {f"n{i}": [f"n{i + 1}"] for i in range(20_000)}
    assert find_cycle(chain) == []
    chain["n20000"] = ["n19998"]
    assert find_cycle(chain) == ["n19998", "n19999", "n20000", "n19998"]


def test_carriage_returns_and_a_byte_order_mark_are_fine() -> None:
    reading = read_raff(("\ufeff" + ARM.replace("\n", "\r\n")).encode())
    assert reading.names.joints == {"A", "cut"}
