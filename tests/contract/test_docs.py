"""The documentation does what it says: code runs, commands answer as printed, links lead somewhere.

In a page's order and in one temporary folder: a block ``yaml arm.raff`` is saved under that name,
``python`` blocks run in one namespace, of ``console`` blocks the ``$ kinegen`` lines run. Output
that is shown below a command must be its output, where a line ``…`` stands for any lines. A block
``console fails`` shows a command that ends with an exit code other than 0.
"""

from __future__ import annotations

import importlib.util
import re
import shlex
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import kinegen as kg
from kinegen.cli import main
from kinegen.cli.main import COMMANDS
from tests.support.bridged import be_patient
from tests.support.markdown import Block, Command, blocks, commands, headings, links

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md")])
IDS = [str(page.relative_to(ROOT)) for page in PAGES]
REMAKE = "run `make gallery` and look at the pictures that changed"


@pytest.mark.parametrize("page", PAGES, ids=IDS)
def test_blocks_run(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KINEGEN_NO_BROWSER", "1")
    if page.stem == "driving":
        be_patient(monkeypatch)
    if page.stem == "bridges":
        # these packages give up when a busy machine leaves them no processor for some milliseconds
        for package in ("scservo_sdk", "dynamixel_sdk"):
            if importlib.util.find_spec(package):
                monkeypatch.setattr(f"{package}.port_handler.LATENCY_TIMER", 1000)
    namespace: dict[str, Any] = {"__name__": page.stem}
    for block in blocks(page):
        if re.fullmatch(r"[\w-]+\.\w+", block.info):
            Path(block.info).write_text(block.text, encoding="utf-8")
        if block.language == "yaml":
            _check_yaml(block)
        elif block.language == "python":
            # blank lines before it, so that a traceback shows the page's own line numbers
            code = compile("\n" * (block.line - 1) + block.text, str(page), "exec")
            exec(code, namespace)
        elif block.language == "console":
            for command in commands(block):
                if command.line.startswith("kinegen"):
                    capsys.readouterr()
                    _run_command(command, capsys, fails=block.info == "fails")


def test_calls_beside_those_of_other_libraries_run() -> None:
    page = DOCS / "coming-from.md"
    namespace: dict[str, Any] = {}
    for block in blocks(page):
        exec(block.text, namespace)
    rows = [line.split(" | ") for line in page.read_text(encoding="utf-8").splitlines()]
    calls = [
        call
        for row in rows
        if len(row) == 2 and row[0].startswith("| ")
        for call in re.findall(r"`(kg\..*?)`", row[1])
    ]
    assert len(calls) > 30
    for call in calls:
        if "mujoco" in call and importlib.util.find_spec("mujoco") is None:
            continue  # it has no wheel for this platform
        assert eval(call, namespace) is not None, call


@pytest.mark.parametrize(
    ("section", "module", "name"),
    [("Pinocchio", "pinocchio", r"[a-z]\w+|[A-Z]\w{3,}"), ("MuJoCo", "mujoco", r"mj_\w+")],
)
def test_names_of_other_libraries_exist(section: str, module: str, name: str) -> None:
    other = pytest.importorskip(module, reason=f"{module} is not installed")
    text = (DOCS / "coming-from.md").read_text(encoding="utf-8")
    table = text.partition(f"\n## {section}\n")[2].partition("\n## ")[0]
    rows = [line.split(" | ")[0] for line in table.splitlines() if line.startswith("| `")]
    code = "".join(f"`{part}`" for row in rows for part in re.findall(r"`(.+?)`", row))
    names = re.findall(rf"`({name})(?=[(`])", code)
    assert len(names) > 6
    assert [one for one in names if not hasattr(other, one)] == []


def _check_yaml(block: Block) -> None:
    """A whole RAFF file that is shown is a good one, unless it is called broken."""
    if re.match(r"(#.*\n)*raff:", block.text) and not block.info.startswith("broken"):
        kg.load(block.text, folder=".").compile()


def _run_command(command: Command, capsys: pytest.CaptureFixture[str], *, fails: bool) -> None:
    # What a shell would do behind the command: send its output on, or into a file.
    words, _, rest = re.sub(r"\s+#.*", "", command.line).partition(" > ")
    words = words.partition(" | ")[0]
    code = main(shlex.split(words)[1:])
    captured = capsys.readouterr()
    assert (code != 0) == fails, f"{command.line}: exit code {code}\n{captured.out}{captured.err}"
    if rest:
        Path(rest.strip()).write_text(captured.out, encoding="utf-8")
    elif command.output:
        _compare(command, [line.rstrip() for line in (captured.out + captured.err).splitlines()])


def _compare(command: Command, actual: list[str]) -> None:
    while actual and not actual[-1]:
        actual.pop()
    parts = [
        "(.*\n)*" if line.strip() == "…" else re.escape(line) + "\n" for line in command.output
    ]
    if not re.fullmatch("".join(parts), "".join(line + "\n" for line in actual)):
        shown = "\n".join(actual)
        raise AssertionError(f"`{command.line}` does not answer as the page shows, but:\n{shown}")


@pytest.mark.parametrize("page", PAGES, ids=IDS)
def test_links_lead_somewhere(page: Path) -> None:
    lost = []
    for link in links(page):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        inside = target.is_relative_to(ROOT) and target.exists()
        if not inside or (anchor and anchor not in headings(target)):
            lost.append(link)
    assert not lost


def test_every_page_is_reached_from_the_index() -> None:
    index = DOCS / "index.md"
    reached = {(index.parent / link.partition("#")[0]).resolve() for link in links(index)}
    missing = [str(page) for page in DOCS.rglob("*.md") if page != index and page not in reached]
    assert not missing


def test_every_public_name_is_in_the_python_page() -> None:
    text = (DOCS / "python.md").read_text(encoding="utf-8")
    assert [name for name in kg.__all__ if not re.search(rf"\b{name}\b", text)] == []


def test_every_command_is_in_the_command_page() -> None:
    titles = headings(DOCS / "cli.md")
    assert [verb for verb in COMMANDS if f"kinegen-{verb}" not in titles] == []


def test_every_joint_type_is_in_the_conventions() -> None:
    text = (DOCS / "conventions.md").read_text(encoding="utf-8")
    assert [kind.value for kind in kg.JointType if f"| `{kind.value}` |" not in text] == []


def maker(name: str) -> ModuleType:
    """A program of the documentation as a module."""
    spec = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # a dataclass looks its own module up
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def gallery() -> ModuleType:
    return maker("make_gallery")


def test_the_page_of_worlds_is_current_and_has_a_film_of_each() -> None:
    worlds = maker("make_worlds")
    assert sorted(worlds.SHOTS) == kg.world.world_names()
    assert worlds.PAGE.read_text(encoding="utf-8") == worlds.page(), "run `make worlds`"
    for name in worlds.SHOTS:
        assert 10_000 < (worlds.FILMS / f"{name}.webp").stat().st_size < worlds.LARGEST


def test_gallery_page_is_current(gallery: ModuleType) -> None:
    assert gallery.PAGE.read_text(encoding="utf-8") == gallery.page(), REMAKE


def test_gallery_has_a_picture_of_each_mechanism() -> None:
    pictures = sorted(file.stem for file in (DOCS / "gallery").glob("*.svg"))
    assert pictures == kg.library_names(), REMAKE


@pytest.mark.parametrize("name", kg.library_names())
def test_gallery_picture_is_current(gallery: ModuleType, name: str) -> None:
    drawn = gallery.picture(name)
    # Compared here and not in an assert: nobody wants to read the difference of two pictures.
    same = (gallery.PICTURES / f"{name}.svg").read_text(encoding="utf-8") == drawn
    assert same, REMAKE
