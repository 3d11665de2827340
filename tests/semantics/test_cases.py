"""Public bug reports: what must be equal, what must differ, and under which path."""

import pytest

from gitops_rollout.api.values import Json, at, mapping, sequence
from gitops_rollout.api.verdict import Change
from gitops_rollout.documents.load import Limits, load
from gitops_rollout.semantics.canonical import alias_conflict, canonical, fold_aliases
from gitops_rollout.semantics.changes import changes
from gitops_rollout.semantics.types import POD_TEMPLATE, core_types
from tests.shared import case


def template(folder: str, name: str) -> Json:
    """Give the first pod template of a case's file."""
    (document, *_) = load(case(folder, f"{name}.yaml").read_bytes(), Limits())
    if mapping(document.value).get("kind") == "ModelServing":
        return at(sequence(at(document.value, "spec", "template", "roles"))[0], "entryTemplate")
    return document.value


def between(folder: str, old: str, new: str) -> list[Change]:
    found = changes(template(folder, old), template(folder, new), POD_TEMPLATE, core_types(), "decode")
    return list(found)


@pytest.mark.parametrize(
    ("folder", "old", "new"),
    [
        ("01-quantity-respelled", "before", "after"),
        ("03-octal-modes", "before", "after"),
        ("03-octal-modes", "before", "modern"),
        ("05-anchors-merge-keys", "before", "after"),
        ("06-bom-crlf", "before", "after"),
        ("15-empty-vs-missing", "before", "after"),
        ("16-env-order", "before", "map-order"),
    ],
)
def test_no_change(folder: str, old: str, new: str) -> None:
    assert between(folder, old, new) == []


@pytest.mark.parametrize(
    ("folder", "new", "paths"),
    [
        ("01-quantity-respelled", "after-negative", ["resources/limits/memory"]),
        ("16-env-order", "after", ["env"]),
        ("17-duplicate-env-name", "after", ["env[2]"]),
    ],
)
def test_the_only_change_of_a_container(folder: str, new: str, paths: list[str]) -> None:
    assert [change.path.partition("]/")[2] for change in between(folder, "before", new)] == paths


def test_amounts_are_shown_plain_and_moves_as_moves() -> None:
    (amount,) = between("01-quantity-respelled", "before", "after-negative")
    (move,) = between("16-env-order", "before", "after")
    assert (amount.old, amount.new, amount.note) == ("1Gi", "1G", "1073741824 -> 1000000000")
    assert move.note == "order only"


def test_a_mode_of_another_number_is_a_change() -> None:
    (change,) = between("03-octal-modes", "before", "after-negative")
    assert (change.old, change.new) == (256, 400)


def test_a_port_by_name_by_number_and_by_text_are_three_values() -> None:
    folder = "18-int-or-string-port"
    assert between(folder, "number", "name") != []
    assert between(folder, "number", "quoted") != []
    assert between(folder, "name", "quoted") != []


def test_a_word_of_yaml_in_a_text_field_is_refused_with_its_path() -> None:
    typed = canonical(template("02-yaml11-booleans", "after-unquoted"), POD_TEMPLATE, core_types())
    (problem,) = typed.problems
    assert problem.path == "spec.containers[0].env[0].value"
    assert problem.message == "expected string, got boolean; quote it"


def test_a_port_in_quotes_is_no_container_port() -> None:
    typed = canonical(template("18-int-or-string-port", "bad-container-port"), POD_TEMPLATE, core_types())
    assert [problem.path for problem in typed.problems] == ["spec.containers[0].ports[0].containerPort"]


def test_letters_with_accents_are_compared_as_written() -> None:
    (change,) = between("32-unicode", "before", "after")
    assert change.path.startswith("decode/metadata/annotations")


def test_what_is_empty_but_there_is_a_change() -> None:
    assert len(between("15-empty-vs-missing", "before", "after-negative")) == 4


def test_the_deprecated_alias_of_a_live_template_is_no_change() -> None:
    folder = "20-deprecated-alias-field"
    git, live = template(folder, "before"), mapping(template(folder, "after"))
    assert changes(git, fold_aliases(live), POD_TEMPLATE, core_types(), "decode") == ()
    assert alias_conflict(live) == ()


def test_two_values_of_the_alias_are_told() -> None:
    live = mapping(template("20-deprecated-alias-field", "after-negative"))
    assert len(alias_conflict(live)) == 1
