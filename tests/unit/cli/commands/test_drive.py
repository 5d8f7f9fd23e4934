"""What ``kinegen drive`` refuses before it opens a port."""

from __future__ import annotations

import pytest

from kinegen.cli import main


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "name the port with --to"),
        (["--q", "0 0 0 0 0 0", "--play", "x.csv"], "specify one of --q and --play"),
        (["--out", "d.csv"], "add --also virtual"),
        (["--also", "virtual"], "--also virtual needs commands"),
        (["--time", "1 s"], "--time belongs to --teach and --follow"),
        (["--teach", "x.mp3"], "written as .csv or .json"),
        (["--q", "elbow=1"], "did you mean 'elbow_flex'"),
        (["--speed", "3 m", "--to", "x", "--as", "feetech"], "--speed: '3 m'"),
        (["--speed", "2", "--to", "x", "--as", "feetech"], "speed must be above 0"),
    ],
)
def test_it_says_what_is_wrong(
    capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    assert main(["drive", "so101", *words]) == 1
    assert message in capsys.readouterr().err
