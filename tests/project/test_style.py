"""How the code reads, as far as a program can say it."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias

import pytest

from tests.project.checkout import ROOT, files, ident

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef

PACKAGE = files("gitops_rollout/*.py")
TESTS = files("tests/*.py")

# Names that say nothing about what is inside.
EMPTY_NAMES = {"base", "common", "helper", "helpers", "manager", "managers", "misc", "util", "utils"}

# What belongs to somebody's desk and not to the project; written so that this file does not match itself.
OF_ONE_DESK = re.compile(
    r"(?<![\w.$}])/wor[k]/|/tmp/brie[f]|helper sessio[n]|the shared folde[r]|\bfounde[r]\b"
)


def functions(path: Path) -> Iterator[Function]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, Function):
            yield node


def span(node: Function | ast.Expr) -> int:
    return (node.end_lineno or node.lineno) - node.lineno + 1


def length(function: Function) -> int:
    """Count the lines of a function from `def`, its docstring apart."""
    first = function.body[0]
    documented = ast.get_docstring(function) is not None and isinstance(first, ast.Expr)
    return span(function) - (span(first) if documented and isinstance(first, ast.Expr) else 0)


def parameters(function: Function) -> list[str]:
    arguments = function.args
    names = [a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]
    return [name for name in names if name not in {"self", "cls"}]


def lines(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def test_there_is_something_to_read() -> None:
    assert ROOT / "gitops_rollout/errors.py" in PACKAGE
    assert ROOT / "tests/project/test_style.py" in TESTS


@pytest.mark.parametrize("path", PACKAGE, ids=ident)
def test_a_module_has_a_docstring_and_at_most_300_lines(path: Path) -> None:
    assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    assert lines(path) <= 300


@pytest.mark.parametrize("path", PACKAGE, ids=ident)
def test_a_function_has_at_most_40_lines_and_five_parameters(path: Path) -> None:
    assert {f.name: length(f) for f in functions(path) if length(f) > 40} == {}
    assert {f.name: parameters(f) for f in functions(path) if len(parameters(f)) > 5} == {}


@pytest.mark.parametrize("path", PACKAGE, ids=ident)
def test_a_name_says_what_is_inside(path: Path) -> None:
    classes = [n.name for n in ast.walk(ast.parse(path.read_text())) if isinstance(n, ast.ClassDef)]
    assert not EMPTY_NAMES & set(path.relative_to(ROOT).with_suffix("").parts)
    assert not [name for name in classes if name.endswith(("Manager", "Helper", "Utils"))]


@pytest.mark.parametrize("path", TESTS, ids=ident)
def test_a_test_file_has_less_than_300_lines(path: Path) -> None:
    assert lines(path) < 300


def test_no_file_speaks_of_the_desk_that_it_was_written_on() -> None:
    spoken = {ident(path): OF_ONE_DESK.findall(path.read_text("utf-8", "replace")) for path in files()}
    assert {name: words for name, words in spoken.items() if words} == {}


def test_the_measures_see_what_they_measure(tmp_path: Path) -> None:
    source = 'def f(a, /, b, *, c):\n    """One.\n\n    Two.\n    """\n    return (\n        a)\n'
    (tmp_path / "module.py").write_text(source)
    (function,) = functions(tmp_path / "module.py")
    assert (length(function), parameters(function)) == (3, ["a", "b", "c"])
