"""Running the command: in this process, or as a person's shell would."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import kinegen
from kinegen.cli import main


class Answer(NamedTuple):
    """What a command said."""

    code: int
    out: str
    err: str

    @property
    def data(self) -> Any:
        """The answer of a command run with --json; not-a-number and infinity are no JSON."""

        def refuse(word: str) -> float:
            raise ValueError(word)

        return json.loads(self.out, parse_constant=refuse)

    @property
    def found(self) -> dict[str, Any]:
        """The same of a command that did what was asked, without what every answer has."""
        data = dict(self.data)
        assert (data.pop("ok"), data.pop("error"), data.pop("problems")) == (True, None, [])
        return data


Run = Callable[..., Answer]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Run ``kinegen`` with some words in this process."""

    def command(*words: object) -> Answer:
        code = main([str(word) for word in words])
        out, err = capsys.readouterr()
        assert "Traceback" not in out + err
        return Answer(code, out, err)

    return command


@pytest.fixture
def shell(tmp_path: Path) -> Run:
    """Run ``python -m kinegen`` in a process of its own, with settings of the environment."""

    def command(*words: object, **environment: str) -> Answer:
        done = subprocess.run(
            [sys.executable, "-m", "kinegen", *map(str, words)],
            cwd=tmp_path,
            env=surroundings() | environment,
            capture_output=True,
            check=False,
        )
        out, err = (
            stream.decode("utf-8", "surrogateescape") for stream in (done.stdout, done.stderr)
        )
        return Answer(done.returncode, out, err)

    return command


def surroundings() -> dict[str, str]:
    """The environment of a process that finds this kinegen."""
    return {**os.environ, "PYTHONPATH": str(Path(kinegen.__file__).parents[1])}


@pytest.fixture
def file(tmp_path: Path) -> Callable[[str], Path]:
    """Write a RAFF file of its own."""

    def write(text: str, name: str = "my.raff") -> Path:
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands write where they are called: not into the repository."""
    monkeypatch.chdir(tmp_path)
