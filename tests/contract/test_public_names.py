"""``__all__`` is the truth: every name in it exists, is documented, and is fetched when used."""

from __future__ import annotations

import ast
import inspect
import pkgutil
from collections import Counter
from importlib import import_module as importing
from pathlib import Path
from types import ModuleType

import pytest

import kinegen as kg
import kinegen.gym
from tests.support.processes import run_python

COMPILED = "kinegen.kernels._native"
MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(kg.__path__, "kinegen.")
    if module.name not in {COMPILED, "kinegen.__main__"}
)

ROOMS = sorted(m.name for m in pkgutil.walk_packages(kg.__path__, "kinegen.") if m.ispkg)


NAMESPACES = sorted(
    name for name in kg.__all__ if isinstance(getattr(kg, name), ModuleType) and name != "errors"
)
LISTED = [kg, *(getattr(kg, name) for name in NAMESPACES), kinegen.gym]
"""The packages that list public names. ``kinegen.gym`` is imported by itself: it needs Gymnasium,
in which it registers environments."""
MOST_AT_THE_TOP = 40


def text(module: ModuleType) -> ast.Module:
    assert module.__file__ is not None
    return ast.parse(Path(module.__file__).read_text(encoding="utf-8"))


@pytest.mark.parametrize("package", LISTED, ids=lambda package: package.__name__)
def test_public_names_exist_and_are_documented(package: ModuleType) -> None:
    assert package.__all__ == sorted(set(package.__all__)) == dir(package)
    for name in package.__all__:
        value = getattr(package, name)
        assert value is not None
        if inspect.isclass(value) or inspect.isfunction(value):
            doc = inspect.getdoc(value)
            assert doc, f"{package.__name__}.{name} has no docstring"
            assert doc.splitlines()[0].endswith((".", ":")), f"{name}: {doc.splitlines()[0]!r}"


def test_a_name_has_one_public_path() -> None:
    counts = Counter(name for package in [*LISTED, kg.errors] for name in package.__all__)
    assert [name for name, count in counts.items() if count > 1] == []
    at_the_top = {*kg.__all__} - {*NAMESPACES, "errors"}
    assert len(at_the_top) <= MOST_AT_THE_TOP, "the rest goes to the namespaces"


@pytest.mark.parametrize("package", LISTED, ids=lambda package: package.__name__)
def test_no_module_hides_a_public_name(package: ModuleType) -> None:
    # importing a module sets an attribute of its package: the name would change its meaning then
    modules = {module.name for module in pkgutil.iter_modules(package.__path__)}
    allowed = {*NAMESPACES, "errors"} if package is kg else set()
    assert modules & set(package.__all__) == allowed


@pytest.mark.parametrize("package", LISTED, ids=lambda package: package.__name__)
def test_unknown_names_are_refused(package: ModuleType) -> None:
    with pytest.raises(AttributeError, match=f"module '{package.__name__}' has no .* 'froward'"):
        package.froward  # noqa: B018 - fetching it is the test


def test_a_name_in_a_namespace_is_found_for_those_who_look_at_the_top() -> None:
    with pytest.raises(AttributeError, match=r"it is kinegen\.curves\.circle"):
        kg.circle  # noqa: B018 - fetching it is the test


def test_a_package_that_is_imported_by_itself_is_named() -> None:
    code = "import kinegen as kg; kg.gym"
    done = run_python("-c", code)
    assert done.stderr.splitlines()[-1].endswith("no attribute 'gym'; write 'import kinegen.gym'")


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
    is_list = isinstance(node, ast.Assign) and "__all__" in ast.unparse(node.targets[0])
    # what the wire consists of is a table of the classes that are passed on
    is_table = isinstance(node, ast.AnnAssign) and ast.unparse(node.target).isupper()
    return is_doc or is_list or is_table or isinstance(node, ast.Import | ast.ImportFrom)
