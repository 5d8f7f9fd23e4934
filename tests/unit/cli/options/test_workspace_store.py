"""``kinegen workspace --out NAME.zarr``."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import kinegen as kg
from kinegen.cluster import workers
from kinegen.workspace import open_run
from kinegen.workspace.runs import run as runs
from tests.support.dask_cluster import dask_cluster, until
from tests.unit.cli.conftest import Run, surroundings

pytestmark = pytest.mark.slow

pytest.importorskip("zarr", reason="needs kinegen[cluster]")
STORE = ("workspace", "lynx6", "--count", "2500", "--chunk", "500", "--out", "cloud.zarr")


def test_a_store_in_words_and_json(run: Run) -> None:
    code, out, err = run(*STORE, "--body")
    assert code == 0 and out.startswith("lynx6: 2500 poses, 12500 points in 5 pieces, ")
    assert "'tool' fills" in out and out.endswith("wrote cloud.zarr\n")
    assert "2,500 of 2,500 poses (100 %)" in err and "M poses/s, 0 s left" in err
    answer = run(*STORE, "--json")
    assert answer.data["pieces"] == 5 and answer.data["made"] == 0
    assert answer.data["frames"]["tool"]["upper"][2] == pytest.approx(0.48, abs=0.02)
    assert "'cloud.zarr' is complete" in answer.err


def test_the_same_command_goes_on(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(*given: object) -> None:
        if given[-1] == 3:
            raise KeyboardInterrupt
        made(*given)  # type: ignore[arg-type]

    made = runs.make_piece
    with monkeypatch.context() as patched:
        patched.setattr(runs, "make_piece", stopped)
        code, out, err = run(*STORE)
    assert code == 130 and out == ""
    assert "finished pieces are kept in 'cloud.zarr': the same command continues from there" in err
    there = 5 - len(open_run("cloud.zarr").missing)
    assert 0 < there < 5
    code, out, err = run(*STORE)
    assert code == 0 and f"({there} already existed)" in out
    assert f"'cloud.zarr' continues at {20 * there} %" in err
    points = np.concatenate([piece.points for piece in open_run("cloud.zarr")])
    np.testing.assert_array_equal(points, kg.cloud(kg.load("lynx6").compile(), count=2500).points)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGINT for others")
def test_ctrl_c_ends_cleanly(tmp_path: Path) -> None:
    # more poses than any machine makes before it is stopped, in pieces that are soon there
    words = ["workspace", "lynx6", "--count", "20000000", "--tool-only", "--float32",
             "--layer", "singularity", "--chunk", "2000", "--out", "cloud.zarr"]  # fmt: skip
    # as in a terminal: who starts the tests may ignore the signal
    start = (
        "import signal, sys; from kinegen.cli.main import main;"
        "signal.signal(signal.SIGINT, signal.default_int_handler); sys.exit(main(sys.argv[1:]))"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", start, *words], cwd=tmp_path, env=surroundings(),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    chunks = tmp_path / "cloud.zarr" / "bounds"
    try:
        until(lambda: chunks.exists() and len(os.listdir(chunks)) > 3, "the first pieces")
        process.send_signal(signal.SIGINT)
        out, err = process.communicate()
    finally:
        process.kill()
    assert process.returncode == 130 and out == "" and "Traceback" not in err
    assert "kinegen: stopped at" in err and "the same command continues" in err
    there = open_run(tmp_path / "cloud.zarr")
    assert 0 < len(there.missing) < there.pieces


def test_on_a_cluster(run: Run, tmp_path: Path) -> None:
    with dask_cluster(tmp_path / "cluster", workers=1) as cluster:
        code, out, _ = run(*STORE, "--cluster", cluster.address)
    assert code == 0 and "in 5 pieces," in out
    points = np.concatenate([piece.points for piece in open_run("cloud.zarr")])
    np.testing.assert_array_equal(points, kg.cloud(kg.load("lynx6").compile(), count=2500).points)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--cluster", "tcp://127.0.0.1:9"), "no Dask scheduler answers at 'tcp://127.0.0.1:9'"),
        (("--cluster", "local:many"), "as local:4"),
        (("--count", "1000000000000"), "1e+12 poses to write: about 120 TB"),
        (("--chunk", "0"), "must be a whole number from 1 to"),
        (("--out", "cloud.ply", "--chunk", "5"), "--chunk is for large clouds"),
        (("--out", "cloud.ply", "--cluster", "local:2"), "use --out NAME.zarr"),
    ],
)
def test_what_cannot_be_done_is_said(
    run: Run, words: tuple[str, ...], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "PATIENCE", 1.0)
    if words[0] == "--cluster":
        pytest.importorskip("distributed", reason="needs kinegen[cluster]")
    code, out, err = run(*STORE, *words)
    assert code == 1 and out == "" and message in err
    assert not Path("cloud.zarr").exists()


def test_another_cloud_is_not_written_over(run: Run) -> None:
    assert run(*STORE)[0] == 0
    code, _, err = run(*STORE, "--seed", "1")
    assert code == 1 and "holds another cloud: seed 0 there, 1 here" in err
    only = run("workspace", "lynx6", "--count", "100", "--tool-only", "--json").data
    assert list(only["frames"]) == ["tool"]


def test_verify_says_what_is_broken_and_the_same_command_repairs_it(run: Run) -> None:
    assert run(*STORE).code == 0
    code, out, _ = run(*STORE, "--verify")
    assert code == 0 and out == "'cloud.zarr' is complete: 5 pieces, every checksum matches\n"
    path = Path("cloud.zarr/points/c/0/0/3")
    text = bytearray(path.read_bytes())
    text[99] ^= 1
    path.write_bytes(text)
    Path("cloud.zarr/checks/c.1.0").unlink()
    Path("cloud.zarr/values/c/0/4").unlink()
    code, out, _ = run(*STORE, "--verify")
    assert code == 1 and "piece 3: points/c/0/0/3 does not match its checksum\n" in out
    assert "1 piece of 5 missing: 1\n" in out
    answer = run(*STORE, "--verify", "--json")
    assert answer.code == 1 and answer.data["whole"] is False and answer.data["missing"] == [1]
    assert {"piece": 4, "file": "values/c/0/4", "reason": "is missing"} in answer.data["faults"]
    code, out, err = run(*STORE)
    assert code == 0 and "(2 already existed)" in out
    assert "computed again: piece 3: points/c/0/0/3 does not match its checksum" in err
    assert run(*STORE, "--verify").code == 0


def test_verify_of_broken_metadata_and_of_nothing(run: Run) -> None:
    code, _, err = run(*STORE, "--verify")
    assert code == 1 and err == "kinegen: there is no cloud in 'cloud.zarr'\n"
    run(*STORE)
    Path("cloud.zarr/bounds/zarr.json").write_text("\0")
    code, out, err = run(*STORE, "--verify")
    assert code == 1 and "bounds/zarr.json is invalid" in out and err == ""
    code, out, err = run("workspace", "lynx6", "--verify")
    assert code == 1 and "--verify is for large clouds in a store" in err
    assert run(*STORE).code == 0 and run(*STORE, "--verify").code == 0
