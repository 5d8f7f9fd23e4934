"""``make test`` tries failed tests up to twice more and names those that are flaky."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

MAIN = runpy.run_path(str(Path(__file__).parents[2] / ".ci" / "run_tests.py"))["main"]
TESTS = """
from pathlib import Path

def test_passes():
    pass

def test_passes_at_the_second_time():
    mark = Path("mark")
    was_there = mark.exists()
    mark.touch()
    assert was_there

def test_passes_at_the_third_time():
    marks = [Path("first"), Path("second")]
    missing = [mark for mark in marks if not mark.exists()]
    for mark in missing[:1]:
        mark.touch()
    assert not missing
"""


@pytest.mark.parametrize("has_failing", [False, True])
def test_flaky_tests_are_named(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], has_failing: bool
) -> None:
    (tmp_path / "pytest.ini").touch()
    failing = "def test_fails():\n    assert False\n" if has_failing else ""
    (tmp_path / "test_some.py").write_text(TESTS + failing)
    assert MAIN([["test_some.py"]], tmp_path) == int(has_failing)
    flaky = [f"test_some.py::test_passes_at_the_{time}_time" for time in ("second", "third")]
    assert (tmp_path / "build" / "flaky.txt").read_text().splitlines() == flaky
    last = capfd.readouterr().out.partition("FLAKY: 2 failed")[2]
    assert all(name in last for name in flaky) and "test_fails" not in last


def test_without_failures_there_is_one_run(tmp_path: Path) -> None:
    (tmp_path / "pytest.ini").touch()
    (tmp_path / "test_some.py").write_text("def test_passes(): pass\n")
    assert MAIN([["test_some.py"]], tmp_path) == 0
    assert not (tmp_path / "build").exists()


def test_groups_run_beside_each_other(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    # each waits for the other
    wait = "from pathlib import Path\nimport time\n\ndef test_{0}():\n    Path('{0}').touch()\n"
    wait += "    while not Path('{1}').exists():\n        time.sleep(0.01)\n"
    (tmp_path / "pytest.ini").touch()
    (tmp_path / "test_a.py").write_text(wait.format("a", "b"))
    failing = "\ndef test_fails():\n    assert False\n"
    (tmp_path / "test_b.py").write_text(wait.format("b", "a") + failing)
    assert MAIN([["test_a.py"], ["test_b.py"]], tmp_path) == 1
    out = capfd.readouterr().out
    assert out.index("1 passed") < out.index("1 failed, 1 passed")
    assert not (tmp_path / "build").exists()
