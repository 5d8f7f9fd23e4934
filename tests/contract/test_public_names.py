"""``__all__`` is the truth: every name in it exists, is documented, and is fetched when used."""

from __future__ import annotations

import ast
import inspect
import pkgutil
from importlib import import_module as importing
from pathlib import Path
from types import ModuleType

import pytest

import kinegen as kg

COMPILED = "kinegen.kernels._native"
MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(kg.__path__, "kinegen.")
    if module.name not in {COMPILED, "kinegen.__main__"}
)

ROOMS = sorted(m.name for m in pkgutil.walk_packages(kg.__path__, "kinegen.") if m.ispkg)


def text(module: ModuleType) -> ast.Module:
    assert module.__file__ is not None
    return ast.parse(Path(module.__file__).read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", kg.__all__)
def test_public_names_exist_and_are_documented(name: str) -> None:
    value = getattr(kg, name)
    if callable(value):
        doc = inspect.getdoc(value)
        assert doc, f"kinegen.{name} has no docstring"
        assert doc.splitlines()[0].endswith((".", ":")), f"kinegen.{name}: {doc.splitlines()[0]!r}"
    else:
        assert isinstance(value, str), f"kinegen.{name} is {value!r}"


def test_the_list_has_no_doubles_and_dir_shows_it() -> None:
    assert len(kg.__all__) == len(set(kg.__all__))
    assert dir(kg) == sorted(kg.__all__)


def test_type_checkers_see_the_same_names() -> None:
    # Lazy names are invisible to them but for the block `if TYPE_CHECKING`.
    blocks = [node for node in text(kg).body if isinstance(node, ast.If)]
    seen = {
        alias.asname or alias.name
        for block in blocks
        for node in ast.walk(block)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert seen == set(kg.__all__) - {"__version__"}


def test_unknown_names_are_refused() -> None:
    with pytest.raises(AttributeError, match="module 'kinegen' has no attribute 'froward'"):
        kg.froward  # noqa: B018 - fetching it is the test


def test_every_module_says_what_it_is_and_offers() -> None:
    silent = []
    for name in MODULES:
        module = importing(name)
        if not module.__doc__:
            silent.append(name)
        for public in getattr(module, "__all__", []):
            value = getattr(module, public)
            ours = getattr(value, "__module__", "").startswith("kinegen")
            is_definition = inspect.isclass(value) or inspect.isfunction(value)
            if ours and is_definition and not inspect.getdoc(value):
                silent.append(f"{name}.{public}")
    assert silent == [], "these have no docstring"


@pytest.mark.parametrize("name", ROOMS)
def test_rooms_only_pass_names_on(name: str) -> None:
    module = importing(name)
    made = [type(node).__name__ for node in text(module).body if not _passes_on(node)]
    assert made == [], f"{name}/__init__.py does more than pass names on"


def _passes_on(node: ast.stmt) -> bool:
    is_doc = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    is_list = isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) in {"__all__", "_HOMES"}
    # what the wire consists of is a table of the classes that are passed on
    is_table = isinstance(node, ast.AnnAssign) and ast.unparse(node.target).isupper()
    is_block = isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
    return (
        is_doc or is_list or is_table or is_block or isinstance(node, ast.Import | ast.ImportFrom)
    )


@pytest.mark.parametrize("name", [name for name in ROOMS if hasattr(importing(name), "_HOMES")])
def test_lazy_rooms_tell_type_checkers_the_same(name: str) -> None:
    module = importing(name)
    seen = {
        (str(node.module).removeprefix(f"{name}."), alias.name)
        for block in text(module).body
        if isinstance(block, ast.If)
        for node in ast.walk(block)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    fetched = {(home, one) for home, names in module._HOMES.items() for one in names.split()}
    assert seen == fetched
    assert {one for _, one in fetched} == set(module.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'froward'"):
        module.froward  # noqa: B018 - fetching it is the test
