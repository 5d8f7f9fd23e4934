"""What a worker process does with a line."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import OrderedDict
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import kinegen as kg
from kinegen.errors import UsageError
from kinegen.studio.jobs.processes.protocol import Job
from kinegen.studio.jobs.processes.worker import Kept, work
from kinegen.studio.wire.codec import encode
from tests.support.studio import HANG


def job(folder: Path, kind: str, **fields: Any) -> Job:
    q = kg.assemble(kg.load("four-bar").compile()).q.tolist()
    message = json.dumps({"kind": kind, "request": 1, "q": q, **fields})
    return Job(kg.load("four-bar").to_raff(), str(folder), None, message)


def test_models_are_kept_compiled(tmp_path: Path) -> None:
    kept: Kept = OrderedDict()
    work(job(tmp_path, "mobility"), kept, lambda *_: None)
    (piece,) = kept.values()
    work(job(tmp_path, "matrices"), kept, lambda *_: None)
    assert list(kept.values()) == [piece]
    for n in range(20):
        one = job(tmp_path, "matrices")
        one.text += f"# {n}\n"
        work(one, kept, lambda *_: None)
    assert len(kept) == 8


def test_unknown_work_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="'undo' is not a job for this process"):
        undo = replace(job(tmp_path, "mobility"), message='{"kind": "undo", "request": 1}')
        work(undo, OrderedDict(), lambda *_: None)


def test_lines_in_lines_out(tmp_path: Path) -> None:
    bad = job(tmp_path, "mobility", q=[1.0])
    jobs = [job(tmp_path, "export", format="raff"), bad, job(tmp_path, "mobility")]
    done = subprocess.run(
        [sys.executable, "-P", "-m", "kinegen.studio.jobs.processes.worker"],
        input="".join(encode(one) + "\n" for one in jobs),
        capture_output=True,
        text=True,
        timeout=HANG,
        check=True,
    )
    made, _, rest = done.stdout.partition("\n")
    file = json.loads(made)
    assert (file["kind"], file["name"]) == ("file_made", "four-bar.raff")
    content = rest.encode()[: file["data"]].decode()
    assert content == jobs[0].text
    failed, said, found = rest[len(content) :].splitlines()[:3]
    assert "4 numbers" in json.loads(failed)["message"]
    assert json.loads(said)["kind"] == "said"
    assert json.loads(found)["kind"] == "found"
    assert '"finite":1' in rest


def test_a_model_is_read_again_when_what_it_includes_has_changed(tmp_path: Path) -> None:
    kept: Kept = OrderedDict()
    one = job(tmp_path, "mobility", q=[0.0])
    one.text = "raff: 1\nrobots: [{name: r, include: part.raff}]\n"
    part = tmp_path / "part.raff"
    part.write_text("raff: 1\njoints: [{name: J, parent: base}]\n")
    work(one, kept, lambda *_: None)
    (first,) = kept.values()
    part.write_text("raff: 1\njoints: [{name: K, parent: base}]\n")
    work(one, kept, lambda *_: None)
    (second,) = kept.values()
    assert "r.J" in first.mechanism.joints and "r.K" in second.mechanism.joints


def test_a_project_folder_that_is_gone_is_not_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="the project folder no longer exists") as caught:
        work(job(tmp_path / "none", "mobility"), OrderedDict(), lambda *_: None)
    assert str(tmp_path) not in str(caught.value)
