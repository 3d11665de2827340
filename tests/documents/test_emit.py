"""Rendered YAML: the same bytes for the same value, the same value for every reader."""

import random
import re

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from gitops_rollout.api.values import Json
from gitops_rollout.documents.emit import emit
from gitops_rollout.documents.load import Limits, load
from tests.documents.values import awkward, same, texts, values
from tests.shared import case

LIMITS = Limits()
# What the core schema of YAML 1.2 takes for something else than text.
YAML_1_2 = re.compile(
    r"~|null|Null|NULL|[Tt]rue|TRUE|[Ff]alse|FALSE||0o[0-7]+|0x[0-9a-fA-F]+|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)"
    r"|[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?"
)
MEANING = """
yes on off y n NO True ~ null 1_000 0x1F 12:30 1e3 .inf 007 08 0o12 = << 2024-01-02 +1 1. 190:20:30
"""
PLAIN = "main vllm:0.10.2 10.0.0.1 1.2.3 sha256:12ab --flag r4f0c2a9b1d 4xH100 nothing it's"


def reread(text: str) -> Json:
    documents = load(text.encode(), LIMITS)
    return documents[0].value if documents else None


@given(values)
def test_our_reader_gives_back_what_was_written(value: Json) -> None:
    assert same(reread(emit(value)), value)


@given(values)
def test_a_reader_of_yaml_1_1_gives_back_what_was_written(value: Json) -> None:
    assert same(yaml.safe_load(emit(value)), value)


@given(texts)
def test_text_is_text_to_a_reader_of_yaml_1_2(text: str) -> None:
    tokens = [token for token in yaml.scan(emit([text])) if isinstance(token, yaml.ScalarToken)]
    assert not any(token.plain and YAML_1_2.fullmatch(token.value) for token in tokens)


def test_a_key_may_be_as_long_as_that_of_an_annotation() -> None:
    key = "d" * 253 + "/" + "n" * 63
    assert reread(emit({key: "v"})) == yaml.safe_load(emit({key: "v"})) == {key: "v"}


@given(values)
def test_writing_what_was_read_changes_no_byte(value: Json) -> None:
    once = emit(value)
    assert emit(reread(once)) == once


@given(st.dictionaries(texts, values, min_size=2), st.randoms(use_true_random=False))
def test_the_order_of_insertion_leaves_no_trace(value: dict[str, Json], shuffle: random.Random) -> None:
    items = list(value.items())
    shuffle.shuffle(items)
    assert emit(dict(items)) == emit(value)


@given(st.dictionaries(texts, values, min_size=2))
def test_unsorted_text_keeps_the_order_at_every_level(value: dict[str, Json]) -> None:
    read = reread(emit({"outer": [value]}, sort=False))
    assert isinstance(read, dict)
    assert list(read["outer"][0]) == list(value)  # type: ignore[index,arg-type]


@given(values)
def test_only_line_feeds_end_lines_and_nothing_is_shared(value: Json) -> None:
    lines = emit([value, value]).split("\n")
    assert not any(mark in line for line in lines for mark in "\r\x85\u2028\u2029")
    assert not any(
        isinstance(token, yaml.AliasToken | yaml.AnchorToken) for token in yaml.scan("\n".join(lines))
    )


@pytest.mark.parametrize("word", MEANING.split())
def test_words_with_a_meaning_are_quoted(word: str) -> None:
    assert emit({"a": word}) == f'a: "{word}"\n'


@pytest.mark.parametrize("word", PLAIN.split())
def test_words_without_one_are_plain(word: str) -> None:
    assert emit({"a": word}) == f"a: {word}\n"


def test_the_layout() -> None:
    value: Json = {"b": [{"l": [], "k": {}}, ["in"]], "a": {"run": "one\ntwo\n"}, "c": "w " * 90 + "w"}
    assert emit(value).splitlines() == [
        *("a:", "  run: |", "    one", "    two"),
        *("b:", "- k: {}", "  l: []", "- - in"),
        "c: " + "w " * 90 + "w",
    ]


@pytest.mark.parametrize("mark", ["\r", "\x85", "\u2028", "\u2029", "\ufeff", "\x00"])
def test_what_one_reader_takes_for_a_line_break_is_escaped(mark: str) -> None:
    text = emit([f"a{mark}b\n"])
    assert mark not in text
    assert reread(text) == [f"a{mark}b\n"]


def test_a_key_is_never_a_block() -> None:
    assert emit({"a\nb": 1}) == '? "a\\nb"\n: 1\n'


def test_numbers_are_plain() -> None:
    assert emit([256, 1.0, 0.5, 1e-7, True, None]) == "- 256\n- 1\n- 0.5\n- 1.0e-07\n- true\n- null\n"


@pytest.mark.parametrize("number", [float("inf"), float("nan")])
def test_numbers_that_json_lacks_are_refused(number: float) -> None:
    with pytest.raises(ValueError, match="not finite"):
        emit([number])


@given(awkward)
def test_control_characters_are_escaped(text: str) -> None:
    assert emit({"a": f"{text}\x07"}).endswith('\\a"\n')


@pytest.mark.parametrize(
    "name", ["02-yaml11-booleans/before", "07-tabs/good-content", "05-anchors-merge-keys/before"]
)
def test_cases_survive_being_written(name: str) -> None:
    (document,) = load(case(f"{name}.yaml").read_bytes(), LIMITS)
    text = emit(document.value)
    assert same(reread(text), document.value)
    assert same(yaml.safe_load(text), document.value)
    assert "<<" not in text
