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
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml

import kinegen as kg
from kinegen.cli import main
from kinegen.cli.main import COMMANDS
from kinegen.live.core import Core
from kinegen.studio.wire.questions import QUESTIONS
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
    page: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    request: pytest.FixtureRequest,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KINEGEN_NO_BROWSER", "1")
    request.addfinalizer(_watch_views(monkeypatch))
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
    page = DOCS / "how-to" / "coming-from.md"
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


LOOKED_UP = {
    "Robotics Toolbox for Python": {
        "DHRobot", "Puma560", "RevoluteDH", "accel", "closest_point", "ctraj", "fdyn", "fkine",
        "gravload", "ikine_LM", "ikine_a", "inertia", "iscollided", "jacob0", "jacob0_dot",
        "jacobe", "jtraj", "manipulability", "plot", "rne", "teach",
    },
    "mink": {
        "AxisAlignTask", "CollisionAvoidanceLimit", "Configuration", "ConfigurationLimit",
        "DampingTask", "DofFreezingTask", "EqualityConstraintTask", "FrameTask", "PostureTask",
        "VelocityLimit", "get_transform_frame_to_world", "integrate_inplace", "solve_ik",
    },
}  # fmt: skip
"""Names that were looked up in the packages themselves, which no test installs: Robotics Toolbox
1.5.0 and mink 1.3.0."""


@pytest.mark.parametrize("section", LOOKED_UP)
def test_names_of_libraries_that_are_not_installed_were_looked_up(section: str) -> None:
    text = (DOCS / "how-to" / "coming-from.md").read_text(encoding="utf-8")
    table = text.partition(f"\n## {section}\n")[2].partition("\n## ")[0]
    rows = [line.split(" | ")[0] for line in table.splitlines() if line.startswith("| `")]
    code = [part for row in rows for part in re.findall(r"`(.+?)`", row)]
    called = r"([A-Za-z_]\w+)(?:\(|$)"
    assert {name for part in code for name in re.findall(called, part)} == LOOKED_UP[section]


@pytest.mark.parametrize(
    ("section", "module", "name"),
    [("Pinocchio", "pinocchio", r"[a-z]\w+|[A-Z]\w{3,}"), ("MuJoCo", "mujoco", r"mj_\w+")],
)
def test_names_of_other_libraries_exist(section: str, module: str, name: str) -> None:
    other = pytest.importorskip(module, reason=f"{module} is not installed")
    text = (DOCS / "how-to" / "coming-from.md").read_text(encoding="utf-8")
    table = text.partition(f"\n## {section}\n")[2].partition("\n## ")[0]
    rows = [line.split(" | ")[0] for line in table.splitlines() if line.startswith("| `")]
    code = "".join(f"`{part}`" for row in rows for part in re.findall(r"`(.+?)`", row))
    names = re.findall(rf"`({name})(?=[(`])", code)
    assert len(names) > 6
    assert [one for one in names if not hasattr(other, one)] == []


def _watch_views(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Whoever follows a page leaves Python at its end; what is returned leaves all sessions."""
    opened: list[Core] = []
    begin = Core.__init__

    def begin_watched(core: Core, *words: Any, **options: Any) -> None:
        begin(core, *words, **options)
        opened.append(core)

    def leave() -> None:
        for core in opened:
            core.close()

    monkeypatch.setattr(Core, "__init__", begin_watched)
    return leave


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


INDEXES = (DOCS / "index.md", DOCS / "decisions" / "index.md")


def _title(page: Path) -> str:
    return page.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")


def test_the_indexes_list_every_page_under_its_title() -> None:
    listed = {}
    for index in INDEXES:
        text = index.read_text(encoding="utf-8")
        for title, link in re.findall(r"^- \[([^\]]+)\]\(([^)]+\.md)\)", text, re.MULTILINE):
            listed[(index.parent / link).resolve()] = title
    pages = {page for page in DOCS.rglob("*.md") if page != INDEXES[0]}
    outside = {ROOT / "CHANGELOG.md", ROOT / "CONTRIBUTING.md"}
    assert listed == {page: _title(page) for page in pages | outside}


def test_the_site_lists_the_pages_as_the_indexes_do() -> None:
    nav = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))["nav"]
    copies = {"../CHANGELOG.md": "changelog.md", "../CONTRIBUTING.md": "contributing.md"}
    copies["../examples"] = "examples.md"
    listed = ["index.md"]
    for index in INDEXES:
        folder = index.parent.relative_to(DOCS)
        text = index.read_text(encoding="utf-8")
        for link in re.findall(r"^- \[[^\]]+\]\(([^)]+)\)", text, re.MULTILINE):
            listed.append(copies.get(link) or (folder / link).as_posix())
    assert list(_leaves(nav)) == listed


def _leaves(nav: Any) -> Iterator[str]:
    if isinstance(nav, str):
        yield nav
    else:
        for branch in nav.values() if isinstance(nav, dict) else nav:
            yield from _leaves(branch)


def test_every_public_name_is_in_the_python_page() -> None:
    text = (DOCS / "reference" / "python.md").read_text(encoding="utf-8")
    assert [name for name in kg.__all__ if not re.search(rf"\b{name}\b", text)] == []


def test_every_namespace_is_in_the_table_of_namespaces() -> None:
    text = (DOCS / "reference" / "python.md").read_text(encoding="utf-8")
    namespaces = [name for name in kg.__all__ if isinstance(getattr(kg, name), ModuleType)]
    assert "dynamics" in namespaces
    assert [name for name in namespaces if f"| `kg.{name}` |" not in text] == []
    assert "`import kinegen.gym`" in text


def test_the_paths_in_the_tables_of_the_python_page_exist() -> None:
    rows = (DOCS / "reference" / "python.md").read_text(encoding="utf-8").splitlines()
    cells = [row.split(" | ")[0].partition(" → ")[0] for row in rows if row.startswith("| `")]
    paths = [path for cell in cells for path in re.findall(r"`(?:kg\.)?([\w.]+)", cell)]
    assert len(paths) > 80
    examples = {"path.save", "result.save"}
    assert [path for path in paths if path not in examples and not _is_public(path)] == []


def _is_public(path: str) -> bool:
    package, names = kg, path.split(".")
    for name in names:
        if name not in package.__all__:
            return False
        package = getattr(package, name)
    return True


def test_every_command_is_in_the_command_page() -> None:
    titles = headings(DOCS / "reference" / "cli.md")
    assert [verb for verb in COMMANDS if f"kinegen-{verb}" not in titles] == []


def test_every_joint_type_is_in_the_conventions() -> None:
    text = (DOCS / "reference" / "conventions.md").read_text(encoding="utf-8")
    assert [kind.value for kind in kg.JointType if f"| `{kind.value}` |" not in text] == []


def test_every_question_of_a_page_is_in_the_table_of_the_server() -> None:
    text = (DOCS / "explanation" / "studio-server.md").read_text(encoding="utf-8")
    rows = re.findall(
        r"^\| ((?:`\w+`(?:, )?)+) \|", text.partition("| question | answer |")[2], re.M
    )
    listed = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    assert listed == {question.KIND for question in QUESTIONS}


def test_paths_and_targets_in_the_guide_for_contributors_exist() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"(?:`|\$ )make ([a-z-]+)", re.sub(r"\s+", " ", text)))
    assert "test-fast" in targets
    assert [name for name in targets if not re.search(rf"^{name}:", makefile, re.M)] == []
    named = set(re.findall(r"`([\w./-]+/[\w./-]*)`", text))
    named |= set(re.findall(r"pytest\s+([\w/]+\.py)", text))
    package = ROOT / "src" / "kinegen"
    homes = (ROOT, package, package / "studio", ROOT / "web" / "src")
    absent = {path for path in named if not any((home / path).exists() for home in homes)}
    # made by the commands beside them, or with a placeholder in capitals
    assert {
        path for path in absent if path == path.lower() and not path.startswith("build/")
    } == set()


def maker(name: str) -> ModuleType:
    """A program of the documentation as a module."""
    spec = importlib.util.spec_from_file_location(name, DOCS / "make" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # a dataclass looks its own module up
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def gallery() -> ModuleType:
    return maker("gallery")


def test_the_page_of_worlds_is_current_and_has_a_film_of_each() -> None:
    worlds = maker("worlds")
    assert sorted(worlds.SHOTS) == kg.world.world_names()
    assert worlds.PAGE.read_text(encoding="utf-8") == worlds.page(), "run `make worlds`"
    for name in worlds.SHOTS:
        assert 10_000 < (worlds.FILMS / f"{name}.webp").stat().st_size < worlds.LARGEST


def test_gallery_pages_are_current(gallery: ModuleType) -> None:
    assert gallery.PAGE.read_text(encoding="utf-8") == gallery.page(), REMAKE
    assert gallery.FIGURES_PAGE.read_text(encoding="utf-8") == gallery.figures_page(), REMAKE


def test_gallery_has_a_picture_of_each_mechanism() -> None:
    pictures = sorted(file.stem for file in (DOCS / "images" / "mechanisms").glob("*.svg"))
    assert pictures == kg.library_names(), REMAKE


@pytest.mark.parametrize("name", kg.library_names())
def test_gallery_picture_is_current(gallery: ModuleType, name: str) -> None:
    drawn = gallery.picture(name)
    # Compared here and not in an assert: nobody wants to read the difference of two pictures.
    same = (gallery.PICTURES / f"{name}.svg").read_text(encoding="utf-8") == drawn
    assert same, REMAKE
