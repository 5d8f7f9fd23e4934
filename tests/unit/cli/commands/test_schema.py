"""``kinegen schema``."""

from __future__ import annotations

import json
from pathlib import Path

from kinegen.raff.schema import json_schema
from tests.unit.cli.conftest import Run


def test_the_schema_is_printed(run: Run) -> None:
    answer = run("schema")
    assert (answer.code, answer.err) == (0, "")
    assert answer.data == json_schema()
    assert run("schema", "--json").found == {"schema": json_schema()}


def test_the_schema_is_written(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "raff.schema.json"
    assert run("schema", "--out", path) == (0, f"wrote {path}\n", "")
    assert json.loads(path.read_text("utf-8")) == json_schema()
    assert run("schema", "--out", path, "--json").found == {"file": str(path)}


def test_a_place_that_cannot_be_written_is_reported(run: Run, tmp_path: Path) -> None:
    code, out, err = run("schema", "--out", tmp_path)
    assert (code, out) == (1, "")
    assert err == f"kinegen: --out {tmp_path}: this is a folder; specify the name of a file\n"
