"""What a student reads who mistyped something: the place, what is wrong, what would be right."""

from pathlib import Path

import pytest

from kinegen.errors import RaffError
from kinegen.raff import read_raff

HEAD = "raff: 1\nparameters: {crank: 150 mm, tilt: 30 deg, plain: 2}\njoints:\n"


def problems(text: str) -> list[str]:
    """The problems of a text, without the file's name."""
    with pytest.raises(RaffError) as caught:
        read_raff(text, file="f")
    return [str(problem).removeprefix("f:") for problem in caught.value.problems]


def mistakes() -> list[tuple[str, str, str]]:
    """The blocks of mistakes.txt: (text, place, part of the message)."""
    content = Path(__file__).with_name("mistakes.txt").read_text(encoding="utf-8")
    found = []
    for block in content.split("\n\n")[1:]:
        text, _, answer = block.strip("\n").replace("<tab>", "\t").rpartition("\n=> ")
        place, _, message = answer.partition(": ")
        found.append(
            (f"{HEAD}  {text}\n" if text.startswith("- {") else f"{text}\n", place, message)
        )
    return found


@pytest.mark.parametrize(("text", "place", "message"), mistakes(), ids=lambda text: text[-40:])
def test_a_mistake_is_reported_with_its_place(text: str, place: str, message: str) -> None:
    found = problems(text)
    assert len(found) == 1, found
    assert found[0].startswith(f"{place}: "), found
    assert message in found[0]


def test_there_are_many_mistakes() -> None:
    assert len(mistakes()) >= 100


@pytest.mark.parametrize("text", ["", "\n", "# nothing\n"])
def test_an_empty_file(text: str) -> None:
    assert problems(text) == ["1:1: the file is empty; start it with raff: 1"]


def test_all_problems_come_at_once_in_reading_order() -> None:
    rows = "  - {name: A, parnt: base}\n  - {name: B, parent: A, d: 5 deg, theta: 2*crnk}\n"
    text = f"{HEAD}{rows}frams: []\n"
    assert [problem.split(": ")[0] for problem in problems(text)] == ["4:15", "5:29", "5:45", "6:1"]


def test_no_more_than_a_screenful_of_screenfuls() -> None:
    rows = "".join(f"  - {{name: J{i}, parnt: base}}\n" for i in range(1000))
    assert len(problems(HEAD + rows)) == 200


def test_messages_of_long_texts_stay_short() -> None:
    for row in (
        "{name: %s, parent: base}",
        "{name: A, parent: %s}",
        "{%s: 1}",
        "{name: A, color: %s}",
    ):
        for problem in problems(f"{HEAD}  - {row % ('x' * 3000)}\n"):
            assert len(problem) < 600
