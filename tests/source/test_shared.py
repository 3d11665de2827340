"""Real repositories and reported bugs: what goes in comes out."""

from collections.abc import Mapping
from pathlib import Path

import pytest
import yaml

from gitops_rollout.documents.load import Limits, load
from gitops_rollout.kinds.registry import KINDS
from gitops_rollout.source.identify import Terms, identify
from gitops_rollout.source.item import Sort
from tests.shared import SHARED, case, shared
from tests.source.desk import Desk, codes, key, warned

DATA = sorted((SHARED / "data").rglob("*.yaml"))


def name(path: Path) -> str:
    return str(path.relative_to(SHARED / "data"))


def held(path: Path) -> int:
    """Count the documents of a file with another reader."""
    with path.open(encoding="utf-8") as stream:
        return sum(value is not None for value in yaml.load_all(stream, yaml.CSafeLoader))


def files(folder: Path) -> Mapping[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_there_is_real_data() -> None:
    assert any(shared("data").rglob("*.yaml"))


@pytest.mark.parametrize("path", DATA, ids=name)
def test_no_object_of_a_real_file_is_lost(path: Path) -> None:
    documents = load(path.read_bytes(), Limits())
    items = [identify(document, path.name, Terms(KINDS)) for document in documents]
    assert len(items) == held(path)
    for (item, body), document in zip(items, documents, strict=True):
        assert item.problems or item.sort in (Sort.SPEC, Sort.OTHER, Sort.KEPT)
        assert body == document.raw or item.sort is not Sort.OTHER


def test_case_08_several_documents(desk: Desk) -> None:
    desk.write({"specs/multi.yaml": case("08-multi-document", "multi.yaml").read_bytes()})
    source = desk.read()
    assert set(source.specs) == {key("aurora-chat"), key("cedar-embed")}
    assert (len(source.others), source.problems, source.unreadable) == (1, (), False)


def test_case_09_a_chart_in_the_folder(desk: Desk) -> None:
    desk.write(dict(files(case("09-helm-chart-in-folder", "repo"))))
    source = desk.read(desk.reader("charts", "specs"))
    assert [spec.file for spec in source.specs.values()] == ["specs/plain.yaml"]
    assert codes(source) == [("specs/loose.yaml", "TEMPLATED")]
    assert warned(source) == [("charts/llm", "CHART_SKIPPED")]


def test_case_11_binary_files(desk: Desk) -> None:
    names = ("plot.yaml", "ctrl.yaml", "good.yaml")
    desk.write({f"specs/{name}": case("11-binary-file", name).read_bytes() for name in names})
    source = desk.read()
    assert [spec.file for spec in source.specs.values()] == ["specs/good.yaml"]
    assert codes(source) == [("specs/ctrl.yaml", "NOT_TEXT"), ("specs/plot.yaml", "NOT_TEXT")]
    assert all(problem.message.isprintable() for problem in source.problems)


def test_case_13_the_same_name_twice(desk: Desk) -> None:
    desk.write(dict(files(case("13-same-name-twice", "repo"))))
    source = desk.read()
    assert {("specs/a.yaml", "DUPLICATE"), ("specs/b.yaml", "DUPLICATE")} <= set(codes(source))
    # The case would take the graph in d.yaml; DESIGN 6 refuses a second kind of one name (NAME_SHARED).
    assert ("specs/d.yaml", "NAME_SHARED") in codes(source)
    assert [spec.file for spec in source.specs.values()] == ["specs/c.yaml"]


@pytest.mark.parametrize("file", ["bad-name.yaml", "bad-image.yaml"])
def test_case_32_strange_letters_are_refused_by_name(desk: Desk, file: str) -> None:
    desk.write({"specs/a.yaml": case("32-unicode", file).read_bytes()})
    source = desk.read()
    assert (len(source.specs), len(source.refused), source.unreadable) == (0, 1, False)
