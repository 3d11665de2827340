"""Which files are read, and which are not."""

import pytest

from gitops_rollout.documents.load import Limits
from gitops_rollout.errors import BadSettings
from gitops_rollout.source.reader import Reader
from tests.source.desk import Desk, codes, key, serving, warned


def test_specs_of_all_folders_are_read_and_other_files_are_not(desk: Desk) -> None:
    desk.write(
        {"specs/a.yaml": serving("a"), "specs/team/b.yml": serving("b"), "specs/README.md": "# words {{"}
    )
    source = desk.read()
    assert set(source.specs) == {key("a"), key("b")}
    assert (source.problems, source.warnings, source.unreadable) == ((), (), False)


def test_files_outside_the_configured_folders_are_not_looked_at(desk: Desk) -> None:
    desk.write(
        {"specs/a.yaml": serving("a"), "specs-old/b.yaml": "\t- broken", ".github/ci.yaml": "on: push"}
    )
    assert set(desk.read().specs) == {key("a")}


def test_folders_whose_name_begins_with_a_dot_are_left_out(desk: Desk) -> None:
    desk.write({"a.yaml": serving("a"), ".github/ci.yaml": "on: push", "x/.ci/pipeline.yaml": "stages: []"})
    source = desk.read(desk.reader(""))
    assert (set(source.specs), source.problems) == ({key("a")}, ())


def test_a_missing_folder_is_an_error_and_not_an_empty_source(desk: Desk) -> None:
    desk.write({"spec/a.yaml": serving("a")})
    with pytest.raises(BadSettings, match="specs"):
        desk.read()


def test_an_empty_file_holds_no_spec_and_says_nothing(desk: Desk) -> None:
    desk.write({"specs/a.yaml": "# only words\n", "specs/b.yaml": "", "specs/c.yaml": "---\n---\n~\n"})
    source = desk.read()
    assert (len(source.specs), source.problems, source.unreadable) == (0, (), False)


def test_a_chart_is_skipped_whole_with_one_warning(desk: Desk) -> None:
    chart = {
        "Chart.yaml": "name: llm",
        "values.yaml": "a: 1",
        "templates/ms.yaml": "{{ .Values }}",
        "charts/sub/Chart.yaml": "x",
    }
    desk.write(
        {f"specs/llm/{path}": content for path, content in chart.items()} | {"specs/a.yaml": serving("a")}
    )
    source = desk.read()
    assert (set(source.specs), codes(source), source.unreadable) == ({key("a")}, [], False)
    assert warned(source) == [("specs/llm", "CHART_SKIPPED")]


def test_a_chart_inside_a_chart_is_not_named_again(desk: Desk) -> None:
    chart = {"Chart.yaml": "name: a", "values.yaml": "a: 1"}
    inner = {f"specs/llm/charts/sub/{path}": content for path, content in chart.items()}
    desk.write({f"specs/llm/{path}": content for path, content in chart.items()} | inner)
    assert warned(desk.read()) == [("specs/llm", "CHART_SKIPPED")]


def test_a_templated_file_outside_a_chart_is_refused_alone(desk: Desk) -> None:
    desk.write({"specs/a.yaml": serving("a"), "specs/loose.yaml": serving("{{ .name }}")})
    source = desk.read()
    assert (set(source.specs), codes(source)) == ({key("a")}, [("specs/loose.yaml", "TEMPLATED")])
    assert source.unreadable


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"\xff\xfe\x00plot", "NOT_TEXT"),
        (b"a: b\x00", "NOT_TEXT"),
        (b"a:\n\t- b: c", "UNREADABLE"),
        (b"a: 1\na: 2", "DUPLICATE_KEY"),
    ],
)
def test_what_cannot_be_read_is_refused_alone_and_nothing_counts_as_deleted(
    desk: Desk, content: bytes, code: str
) -> None:
    desk.write({"specs/a.yaml": serving("a"), "specs/bad.yaml": content})
    source = desk.read()
    assert (set(source.specs), codes(source)) == ({key("a")}, [("specs/bad.yaml", code)])
    assert source.unreadable


def test_a_file_that_is_too_large_is_refused_before_it_is_read(desk: Desk) -> None:
    desk.write({"specs/a.yaml": serving("a"), "specs/big.yaml": "#" * 5000})
    readings = desk.reader().readings
    small = Reader(
        type(readings)(desk.repository, readings.terms, desk.cache, Limits(file_bytes=4000)), ("specs",)
    )
    source = desk.read(small)
    assert (codes(source), source.unreadable) == ([("specs/big.yaml", "LIMIT")], True)
    assert "4000 (limits.fileBytes)" in source.problems[0].message


def test_a_submodule_is_named_and_not_read(desk: Desk) -> None:
    desk.write({"specs/a.yaml": serving("a")})
    desk.link("specs/other", "1" * 40, mode="160000")
    source = desk.read()
    assert (set(source.specs), warned(source)) == ({key("a")}, [("specs/other", "SUBMODULE_SKIPPED")])


@pytest.mark.parametrize("name", ["a\nb.yaml", "a\x1b[31m.yaml", "\u202ea.yaml"])
def test_a_name_that_no_message_could_repeat_is_refused(desk: Desk, name: str) -> None:
    desk.write({f"specs/{name}": serving("a"), "specs/b c \u00e9.yaml": serving("b")})
    source = desk.read()
    assert (set(source.specs), source.unreadable) == ({key("b")}, True)
    assert [problem.code for problem in source.problems if problem.file.isprintable()] == ["NAME"]


def test_a_configured_path_is_a_folder_and_not_a_file(desk: Desk) -> None:
    desk.write({"specs/a.yaml": serving("a")})
    with pytest.raises(BadSettings, match=r"nothing in folder specs/a.yaml"):
        desk.read(desk.reader("specs/a.yaml"))


def test_an_empty_tree_is_an_error_and_not_an_empty_source(desk: Desk) -> None:
    desk.write({"specs/a.yaml": serving("a")})
    desk.write({"specs/a.yaml": None})
    with pytest.raises(BadSettings, match="nothing"):
        desk.read(desk.reader(""))
