"""The core needs NumPy and PyYAML alone; the studio says in one sentence what it needs besides."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.support.packages.building import ROOT

pytestmark = pytest.mark.slow

ALONE = '''
import runpy, sys

class Absent:
    """Finds no package but the core's: the others seem not to be installed."""

    def find_spec(self, name, path=None, target=None):
        top = name.partition(".")[0]
        if top in {"kinegen", "numpy", "yaml", "_yaml"} or top in sys.stdlib_module_names:
            return None
        raise ModuleNotFoundError(f"No module named {top!r}", name=top)

sys.meta_path.insert(0, Absent())
'''
USES = """
import kinegen as kg

model = kg.load("five-bar").compile()
solved = kg.assemble(model)
assert kg.forward(model, solved.q).shape[1] == 7
kg.simulate(kg.load("five-bar"), time=0.05)
"""
COMMAND = """
sys.argv[0] = "kinegen"
runpy.run_module("kinegen", run_name="__main__", alter_sys=True)
"""


def _python(code: str, *words: str, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", ALONE + code, *words],
        capture_output=True, text=True, encoding="utf-8", timeout=300, check=False, cwd=folder,
    )  # fmt: skip


def test_the_core_runs_without_the_studios_packages() -> None:
    done = _python(USES)
    assert done.returncode == 0, done.stderr


def test_commands_run_without_the_studios_packages(tmp_path: Path) -> None:
    for words in (["list"], ["check", "five-bar"], ["export", "five-bar", "five-bar.html"]):
        done = _python(COMMAND, *words, folder=tmp_path)
        assert done.returncode == 0, (words, done.stderr)
    assert "KinegenPage" in (tmp_path / "five-bar.html").read_text(encoding="utf-8")


def test_every_command_explains_itself_without_the_studios_packages(tmp_path: Path) -> None:
    from kinegen.cli.main import COMMANDS

    code = f"""
from kinegen.cli import main
for name in {list(COMMANDS)}:
    try:
        main([name, "--help"])
    except SystemExit as stop:
        assert not stop.code, name
"""
    done = _python(code, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    assert set(re.findall(r"^usage: kinegen (\S+)", done.stdout, re.MULTILINE)) == set(COMMANDS)


def test_the_studio_says_what_to_install(tmp_path: Path) -> None:
    done = _python(COMMAND, "studio", "--no-browser", folder=tmp_path)
    assert done.returncode == 1
    said = r"kinegen: the studio needs the package \w+: pip install 'kinegen\[studio\]'\n"
    assert re.fullmatch(said, done.stderr)


@pytest.mark.skipif(not (ROOT / "pyproject.toml").is_file(), reason="the sources are not here")
def test_the_declared_dependencies() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    core = {re.split(r"[><=]", need)[0] for need in project["dependencies"]}
    assert core == {"numpy", "PyYAML"}
    everything = project["optional-dependencies"]["all"]
    extras = "studio,notebook,motion,plot,cluster,dynamics,contacts,xacro,workshop,gym"
    extras += ",fmi,platforms,bridges,drive,head"
    assert everything == [f"kinegen[{extras}]"]
    page = (ROOT / "docs" / "explanation" / "packaging.md").read_text(encoding="utf-8")
    assert [name for name in [*extras.split(","), "step"] if f"| `{name}` |" not in page] == []
