"""What users install is what is tested: the built wheel, in an empty environment, and from source.

The build uses the working tree's own ``build`` folder, so that after ``make setup`` it has little
left to compile.
"""

from __future__ import annotations

import json
import os
import re
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

import pytest

import kinegen as kg
from tests.support.packages.building import (
    ROOT,
    build,
    command_of,
    install_source,
    install_wheel,
    no_compiler,
    once,
    pip_in,
    python_of,
    run,
)

pytestmark = pytest.mark.slow

if not (ROOT / "CMakeLists.txt").is_file():
    pytest.skip("the sources are not here: nothing to build", allow_module_level=True)
pytest.importorskip("build", reason="the package 'build' is not installed")


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """A folder that all test processes of this run share."""
    base = tmp_path_factory.getbasetemp()
    return base if worker_id == "master" else base.parent


@pytest.fixture(scope="session")
def wheel(shared: Path) -> Path:
    """The built wheel."""
    folder = once(shared / "wheel", lambda folder: build("wheel", folder))
    (file,) = folder.glob("*.whl")
    return file


@pytest.fixture(scope="session")
def installed(shared: Path, wheel: Path) -> Path:
    """An environment that holds the wheel and its dependencies alone."""
    return once(shared / "installed", lambda folder: install_wheel(wheel, folder))


def test_content(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    (compiled,) = [name for name in names if re.search(r"\.(so|pyd)$", name)]
    assert re.fullmatch(r"kinegen/kernels/_native\.[\w.-]+", compiled)
    ours = ("kinegen.wasm", "kinegen_unit.bin", "unit_sources.zip")
    assert {f"kinegen/kernels/{name}" for name in ours} <= set(names)
    assert "kinegen/raff/raff.schema.json" in names
    assert "kinegen/py.typed" in names
    page = {name for name in names if name.startswith("kinegen/studio/client/")}
    assert {f"kinegen/studio/client/{n}" for n in ("index.html", "page/page.js")} <= page
    names = [name for name in names if name not in page]
    library = {Path(name).stem for name in names if re.match(r"kinegen/mechanism/library/", name)}
    assert library == set(kg.library_names())
    worlds = {Path(name).stem for name in names if re.match(r"kinegen/world/library/.*raff", name)}
    assert worlds == set(kg.world.world_names())
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in names)
    top = {name.partition("/")[0] for name in names}
    assert {name for name in top if not name.endswith(".dist-info")} == {"kinegen"}
    kinds = {Path(name).suffix for name in names if name.startswith("kinegen/")}
    allowed = {".py", ".pyi", ".raff", ".json", ".wasm", ".bin", ".zip", ".typed", ""} | {
        Path(compiled).suffix
    }
    assert kinds <= allowed, "no loose C++ sources, no tests, nothing else"


def test_every_source_file_is_in(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    sources = (ROOT / "src").rglob("*.py")
    assert {file.relative_to(ROOT / "src").as_posix() for file in sources} <= names


def test_tags(wheel: Path) -> None:
    python, abi = wheel.stem.split("-")[2:4]
    if sys.version_info >= (3, 12):
        # one wheel for 3.12 and all that follow
        assert (python, abi) == ("cp312", "abi3")
    else:
        assert (python, abi) == ("cp311", "cp311")


def test_the_command_runs(installed: Path, tmp_path: Path) -> None:
    kinegen = command_of(installed)
    listed = run(kinegen, "list", folder=tmp_path)
    assert listed.returncode == 0, listed.stdout
    assert all(name in listed.stdout for name in kg.library_names())
    frame = kg.load("puma560").compile().site_names[-1]
    done = run(kinegen, "fk", "puma560", "--frame", frame, "--json", folder=tmp_path)
    assert done.returncode == 0, done.stdout
    expected = kg.pose(kg.load("puma560").compile(), frame=frame)
    assert json.loads(done.stdout)["xyz"] == pytest.approx(expected.translation.tolist(), abs=1e-9)


def test_python_uses_the_compiled_kernels(installed: Path, tmp_path: Path) -> None:
    code = """
import json, kinegen as kg
from kinegen.kernels import name, wasm_bytes
model = kg.load("stewart").compile()
print(json.dumps([kg.__file__, name(), kg.forward(model).tolist(), len(wasm_bytes())]))
"""
    done = run(python_of(installed), "-W", "error", "-c", code, folder=tmp_path)
    assert done.returncode == 0, done.stdout
    file, kernels, poses, size = json.loads(done.stdout)
    assert Path(file).is_relative_to(installed)
    assert kernels == "native"
    assert size > 0
    here = kg.forward(kg.load("stewart").compile())
    assert poses == [pytest.approx(row, abs=1e-9) for row in here.tolist()]


def test_it_depends_on_little(installed: Path) -> None:
    done = pip_in(installed, "list", "--format=json")
    packages = {package["name"].lower() for package in json.loads(done.stdout.splitlines()[0])}
    assert packages == {"kinegen", "numpy", "pyyaml"}


def test_pages_are_exported_without_node(installed: Path, tmp_path: Path) -> None:
    done = run(command_of(installed), "export", "five-bar", "five-bar.html", folder=tmp_path)
    assert done.returncode == 0, done.stdout
    assert "KinegenPage" in (tmp_path / "five-bar.html").read_text(encoding="utf-8")


def test_source_distribution(shared: Path) -> None:
    folder = once(shared / "sdist", lambda folder: build("sdist", folder))
    (file,) = folder.glob("*.tar.gz")
    with tarfile.open(file) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    for needed in (
        "CMakeLists.txt",
        "native/python/module.cpp",
        "native/wasm/module.cpp",
        "LICENSE",
        "README.md",
    ):
        assert needed in names
    headers = {file.relative_to(ROOT).as_posix() for file in (ROOT / "native").rglob("*.hpp")}
    assert headers <= names
    assert [n for n in names if re.search(r"\.(so|pyd|wasm|pyc)$|^build/|^\.venv|^web/", n)] == []
    assert "src/kinegen/studio/client/index.html" in names, "who builds from it has no Node"


needs_ninja = pytest.mark.skipif(
    sys.platform == "win32", reason="Visual Studio is found without PATH: it cannot be hidden"
)


@needs_ninja
def test_without_compiler_and_choice_there_is_one_clear_sentence(tmp_path: Path) -> None:
    done = install_source(tmp_path, no_compiler(tmp_path))
    assert done.returncode != 0
    said = " ".join(done.stdout.split())
    assert "Kinegen needs a C++20 compiler to build its kernels and found none: install one" in said
    assert "or set KINEGEN_KERNELS=reference to install the slower NumPy kernels" in said


@needs_ninja
def test_without_compiler_the_reference_kernels_install_and_run(tmp_path: Path) -> None:
    choice = {"KINEGEN_KERNELS": "reference"}
    done = install_source(tmp_path, {**no_compiler(tmp_path), **choice})
    assert done.returncode == 0, done.stdout
    site = tmp_path / "site"
    assert [file.name for file in site.rglob("*.so")] == []
    assert (site / "kinegen/kernels/kinegen.wasm").is_file()  # the page has no other kernels
    # -S: without it this Python would find the editable installation first
    path = os.pathsep.join(
        [str(site), sysconfig.get_path("purelib"), sysconfig.get_path("platlib")]
    )
    there = {**choice, "PYTHONPATH": path}
    code = "import kinegen as kg; print(kg.__file__); kg.pose(kg.load('puma560').compile())"
    ran = run(sys.executable, "-S", "-c", code, environment=there, folder=tmp_path)
    assert ran.returncode == 0, ran.stdout
    assert Path(ran.stdout.strip()).is_relative_to(site)
    command = (sys.executable, "-S", "-m", "kinegen", "fk", "puma560")
    fk = run(*command, environment=there, folder=tmp_path)
    assert fk.returncode == 0, fk.stdout
