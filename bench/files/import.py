"""A fresh process: importing, and the first result; ours beside MuJoCo and Pinocchio.

Run ``python -m bench.files.import [--rounds N]``. Each row is a process of its own from start to
end, Python's own start included; the first result is a pose of the PUMA 560, read from each tool's
own file format. Python keeps what it compiled, as in any installation. All take turns and the least
of all rounds counts. Ratios and bars are about the lesser of the clock's and the processor's time:
a busy machine spoils the first, and NumPy starts on several cores at once, which adds to the
second. Timing decides nothing: the bars are printed as met or missed.
"""

from __future__ import annotations

import argparse
import math
import os
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.kinematics.drag import verdict
from bench.support.notes import note
from bench.support.peers import find, urdf
from bench.support.scenes import arm, mjcf

BAR_IMPORT, BAR_RESULT, BAR_HELP = 0.15, 0.2, 0.2
"""[s] A whole process at most."""

OURS = {
    "import kinegen": "import kinegen",
    "kinegen: first result": (
        "import kinegen as kg\nmodel = kg.load('puma560').compile()\nprint(kg.pose(model))"
    ),
    "kinegen --help": "import sys\nfrom kinegen.cli import main\nsys.exit(main(['--help']))",
}
MUJOCO = """
import sys, mujoco
model = mujoco.MjModel.from_xml_path(sys.argv[1])
data = mujoco.MjData(model)
mujoco.mj_kinematics(model, data)
print(data.site_xpos[0], data.site_xmat[0])
"""
PINOCCHIO = """
import sys, pinocchio as pin
model = pin.buildModelFromUrdf(sys.argv[1])
data = model.createData()
pin.framesForwardKinematics(model, data, pin.neutral(model))
print(data.oMf[model.nframes - 1])
"""


def commands(folder: Path) -> dict[str, list[str]]:
    """What to run, by the name of its row."""
    rows = {name: [code] for name, code in {"(python alone)": "pass", **OURS}.items()}
    rows["(import numpy)"] = ["import numpy"]
    model = arm()
    if find("mujoco"):
        (folder / "arm.xml").write_text(mjcf(model), encoding="utf-8")
        rows["import mujoco"] = ["import mujoco"]
        rows["mujoco: first result"] = [MUJOCO, str(folder / "arm.xml")]
    if find("pinocchio", "pin"):
        (folder / "arm.urdf").write_text(urdf(model), encoding="utf-8")
        rows["import pinocchio"] = ["import pinocchio"]
        rows["pinocchio: first result"] = [PINOCCHIO, str(folder / "arm.urdf")]
    return {name: [sys.executable, "-c", *words] for name, words in rows.items()}


def spent(command: list[str], folder: Path) -> tuple[float, float]:
    """Seconds of one process: by the clock, and of the processor where the system reports it."""
    variables = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    variables["PYTHONPYCACHEPREFIX"] = str(folder / "compiled")
    before, begin = worked(), time.perf_counter()
    subprocess.run(command, cwd=folder, env=variables, stdout=subprocess.DEVNULL, check=True)
    clock = time.perf_counter() - begin
    return clock, worked() - before or clock


def worked() -> float:
    """Seconds that processors spent on processes started here; 0 if unknown."""
    try:
        from resource import RUSAGE_CHILDREN, getrusage
    except ImportError:
        return 0.0
    usage = getrusage(RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Import and first result in a fresh process.")
    parser.add_argument("--rounds", type=int, default=12)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        runs = commands(folder)
        times: dict[str, tuple[float, ...]] = dict.fromkeys(runs, (math.inf, math.inf))
        for _ in range(rounds + 1):  # in the first round Python compiles and the system reads files
            for row, command in runs.items():
                times[row] = tuple(map(min, times[row], spent(command, folder)))

    print(f"\nPython {platform.python_version()}, least of {rounds} processes\n")
    print(f"{'a fresh process':30}{'clock s':>10}{'processor s':>13}{'ratio':>8}")
    least = {row: min(pair) for row, pair in times.items()}
    for row, (clock, busy) in times.items():
        note(row, least[row], "s")
        ours = least["kinegen: first result" if "first" in row else "import kinegen"]
        print(f"{row:30}{clock:10.3f}{busy:13.3f}{least[row] / ours:7.1f}×")
    print()
    for row, bar in zip(OURS, (BAR_IMPORT, BAR_RESULT, BAR_HELP), strict=True):
        print(f"{row}: {verdict(least[row], bar, f's, at most {bar}', least=False)}")


if __name__ == "__main__":
    main()
