"""Reading: the values that Kubernetes reads, and where each document stands."""

import json
from collections.abc import Mapping

import pytest
import yaml
from hypothesis import assume, given

from gitops_rollout.api.values import Json, at, mapping, sequence
from gitops_rollout.documents.load import Document, Limits, Unreadable, load
from tests.documents.values import same, values
from tests.shared import case, shared, vectors

LIMITS = Limits()
# Ours only: what Kubernetes accepts and we refuse, and merge keys, where the explicit key wins.
REFUSED = {"custom", "nonspec", "binary", "big4", "big5"}
MERGED = {"merge": {"true": 3, "x": 1}, "mergelist": {"x": 1, "z": 3}}


def value(text: str) -> Json:
    documents = load(text.encode(), LIMITS)
    return documents[0].value if documents else None


def test_every_scalar_is_read_as_kubernetes_reads_it() -> None:
    rows = [row for row in vectors("yaml.json")["cases"] if "json" in row and row["name"] not in REFUSED]
    assert [row["name"] for row in rows if not same(value(row["yaml"]), row["json"])] == []


def test_what_kubernetes_refuses_is_refused() -> None:
    rows = [row for row in vectors("yaml.json")["cases"] if row["name"] not in MERGED]
    refused = {row["name"] for row in rows if "json" not in row or row["name"] in REFUSED}
    assert {row["name"] for row in rows if not readable(row)} == refused


def readable(row: Mapping[str, str]) -> bool:
    try:
        load(row["yaml"].encode(), LIMITS)
    except Unreadable:
        return False
    return True


def test_an_explicit_key_wins_over_a_merged_one() -> None:
    texts = {row["name"]: row["yaml"] for row in vectors("yaml.json")["cases"]}
    assert {name: at(value(texts[name]), "a") for name in MERGED} == MERGED


@pytest.mark.parametrize(
    ("text", "number"),
    [("0777", 511), ("0o777", 511), ("0O17", 15), ("-010", -8), ("0B11", 3), ("+0x_f", 15), ("1_0e1", 100)],
)
def test_numbers_of_go_are_numbers(text: str, number: int) -> None:
    assert value(f"a: {text}") == {"a": number}


@pytest.mark.parametrize(
    "word", ["0x", "0b2", "1e", "1_000_", "+", ".5_0", "1:30", "0xFFFFFFFFFFFFFFFFFF", "1٢"]
)
def test_numbers_only_in_looks(word: str) -> None:
    expected = 1000 if word == "1_000_" else word
    assert value(f"a: {word}") == {"a": expected}


@given(values)
def test_json_is_yaml(something: Json) -> None:
    text = json.dumps(something)
    assume("\\ud" not in text)  # half characters, which Kubernetes refuses too
    assert same(value(text), something)


def test_documents_are_counted_with_the_empty_ones() -> None:
    text = "# only words\n---\nnull\n---   # second\nb: 2\n...\n---\n---\nc: |\n  x\n   ---\n"
    assert load(text.encode(), LIMITS) == (
        Document(2, 5, {"b": 2}, b"b: 2\n"),
        Document(4, 9, {"c": "x\n ---\n"}, b"c: |\n  x\n   ---\n"),
    )


def test_a_document_may_begin_on_its_separator_line() -> None:
    raws = [document.raw for document in load(b"--- {a: 1}\n--- |\n  t\n", LIMITS)]
    assert raws == [b" {a: 1}\n", b" |\n  t\n"]


@pytest.mark.parametrize("name", ["06-bom-crlf/after", "08-multi-document/multi", "32-unicode/before"])
def test_raw_bytes_read_alone_give_the_same_value(name: str) -> None:
    raw = case(f"{name}.yaml").read_bytes()
    documents = load(raw, LIMITS)
    assert all(document.raw in raw for document in documents)
    assert [load(document.raw, LIMITS)[0].value for document in documents] == [d.value for d in documents]


def test_multi_document_case() -> None:
    names = [
        at(d.value, "metadata", "name")
        for d in load(case("08-multi-document", "multi.yaml").read_bytes(), LIMITS)
    ]
    assert [name for name in names if name in ("aurora-chat", "cedar-embed")] == [
        "aurora-chat",
        "cedar-embed",
    ]
    assert len(load(case("08-multi-document", "directive.yaml").read_bytes(), LIMITS)) == 1


def test_byte_order_mark_and_windows_lines_change_no_value() -> None:
    before, after = (
        load(case("06-bom-crlf", f"{name}.yaml").read_bytes(), LIMITS) for name in ("before", "after")
    )
    assert [document.value for document in before] == [document.value for document in after]


def test_anchors_are_written_out_into_objects_of_their_own() -> None:
    one = load(case("05-anchors-merge-keys", "before.yaml").read_bytes(), LIMITS)[0].value
    assert one == load(case("05-anchors-merge-keys", "after.yaml").read_bytes(), LIMITS)[0].value
    containers = [
        mapping(sequence(at(role, "entryTemplate", "spec", "containers"))[0])
        for role in sequence(at(one, "spec", "template", "roles"))
    ]
    assert len({id(container["args"]) for container in containers}) == len(containers)


def test_octal_modes_are_decimal_numbers() -> None:
    texts = [case("03-octal-modes", f"{name}.yaml").read_bytes() for name in ("before", "after", "modern")]
    assert len({json.dumps(load(text, LIMITS)[0].value) for text in texts}) == 1


def test_every_manifest_that_others_read_is_read() -> None:
    paths = [path for path in sorted(shared("data").rglob("*.yaml")) if path.stat().st_size < 100_000]
    texts = [text for path in paths if b"{{" not in (text := path.read_bytes())]
    assert len(texts) > 50
    for text in texts:
        theirs = [one for one in yaml.load_all(text, yaml.CBaseLoader) if one]
        assert len(load(text, LIMITS)) == len(theirs)
