"""Reading programs: nothing is run, and everything beyond the writer's calls is named."""

from __future__ import annotations

from pathlib import Path

import pytest

import kinegen as kg
from kinegen.errors import FormatError, UsageError
from kinegen.formats.problems import FormatProblems
from kinegen.formats.python_code.reader import LARGEST, read_python
from kinegen.raff.formulas.formula import Formula

HEAD = 'import kinegen as kg\nmechanism = kg.Mechanism("x")\n'


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("import os", "`import os` is not supported"),
        ("for i in range(3): pass", "`for i in range(3): pass` is not supported"),
        ("open('f', 'w')", "a call of open is not supported"),
        ("__import__('os').system('true')", "a call of __import__('os').system is not supported"),
        ("mechanism.add_joint('A', 'base', d=2 * 3)", "`2 * 3` is not a plain value"),
        ("mechanism.add_joint('A', 'base', d=f'{1}')", "is not a plain value"),
        ("mechanism.add_joint('A', 'base', d=[x for x in (1,)])", "is not a plain value"),
        ("mechanism.add_joint('A', 'base', **dict(d=1))", "is not a plain value"),
        ("mechanism.add_joint('A')", "needs 'parent'"),
        ("mechanism.add_joint('A', 'base', 1)", "takes 2 values by position"),
        ("mechanism.add_joint('A', 'base', name='B')", "'name' is given twice"),
        ("mechanism.add_joints('A', 'base')", "did you mean 'add_joint'?"),
        ("mechanism.save('x.raff')", "'save' is not supported"),
        ("mechanism.set_value('A', 'd', 1)", "there is no joint or frame 'A' above this line"),
        ("other = kg.Mechanism('y')", "describes one mechanism"),
        ("mechanism = 3", "`mechanism = 3` is not supported"),
        ("if __name__ == '__main__': exit()", "`exit()` is not supported here"),
        ("mechanism.add_joint('A', 'base', d={1: 2})", "keys of a mapping must be texts"),
    ],
)
def test_what_is_not_in_the_subset_is_named_with_its_line(line: str, words: str) -> None:
    with pytest.raises(FormatProblems) as error:
        read_python(HEAD + line + "\n", file="arm.py")
    (problem,) = error.value.problems
    assert problem.file == "arm.py" and problem.line == 3
    assert words in problem.message


def test_all_problems_are_reported_at_once() -> None:
    program = HEAD + "import os\nmechanism.add_joint('A', 'base', dd=1)\nx = 1\n"
    with pytest.raises(FormatProblems) as error:
        read_python(program, file="arm.py")
    assert [problem.line for problem in error.value.problems] == [3, 5]


def test_problems_of_the_mechanism_have_the_programs_lines() -> None:
    program = HEAD + "\nmechanism.add_joint(\n    'A',\n    'base',\n    dd=1,\n)\n"
    with pytest.raises(FormatError, match=r"^arm\.py:4:1: .*'dd'"):
        read_python(program, file="arm.py")


def test_nothing_is_run(tmp_path: Path) -> None:
    trap = tmp_path / "trap"
    program = f"{HEAD}open({str(trap)!r}, 'w').write('run')\n"
    (tmp_path / "arm.py").write_text(program)
    with pytest.raises(FormatError):
        kg.load(tmp_path / "arm.py")
    assert not trap.exists()


@pytest.mark.parametrize(
    "text", ["def (", "x = '\0'", "(" * 5000, "-" * 100_000 + "1", "", "# nothing\n", "'text'"]
)
def test_broken_programs_are_refused(text: str) -> None:
    with pytest.raises(FormatError, match=r"arm\.py"):
        read_python(text, file="arm.py")


def test_limits_and_arguments() -> None:
    with pytest.raises(FormatError, match="at most"):
        read_python("#" * (LARGEST + 1), file="arm.py")
    with pytest.raises(UsageError, match="contains the values"):
        read_python(HEAD, file="arm.py", values={"a": Formula.constant(1.0)})
    with pytest.raises(UsageError, match="no options"):
        read_python(HEAD, file="arm.py", options={"a": "1"})


def test_values_of_all_kinds_are_read() -> None:
    program = (
        '"""A pendulum."""\nimport kinegen\n'
        'm = kinegen.Mechanism(name="p", title="Pendulum")\n'
        'm.set_key("gravity", (0, -9.81, 0.0))\n'
        'm.add_parameter("L", 0.3, max="1 m")\n'
        'm.add_joint("A", "base", motor=True, limits=[-1, +1] if False else [-1, 1])\n'
    )
    with pytest.raises(FormatError, match="not a plain value"):
        read_python(program, file="p.py")
    good = program.replace("[-1, +1] if False else ", "")
    read = read_python(good + 'm.set_value("A", "friction.viscous", 0.1)\n', file="p.py")
    assert read.title == "Pendulum" and read.joints["A"].has_motor
    assert read.joints["A"].friction is not None
    assert read.parameters["L"].maximum == Formula.constant(1.0)
