"""What cannot be read is refused whole, with the place, a code and no word of the content."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitops_rollout.api.problems import Problem
from gitops_rollout.documents.load import Limits, Unreadable, load
from tests.shared import case


def refusal(text: str | bytes, limits: Limits | None = None) -> Problem:
    raw = text.encode() if isinstance(text, str) else text
    with pytest.raises(Unreadable) as caught:
        load(raw, limits or Limits())
    return caught.value.problem


@pytest.mark.parametrize(
    ("text", "code", "words"),
    [
        ("a: 1\nb: 2\na: 3\n", "DUPLICATE_KEY", "key `a` stands twice, on lines 1 and 3"),
        ("x:\n  labels: {a: 1, a: 2}\n", "DUPLICATE_KEY", "lines 2 and 2"),
        ("b: &b {x: 1}\na:\n  <<: *b\n  k: 1\n  k: 2\n", "DUPLICATE_KEY", "lines 4 and 5"),
        ("1: a\n'1': b\n", "DUPLICATE_KEY", "key `1`"),
        ("a: .inf\n", "BAD_NUMBER", "line 1: a number is not finite"),
        ("a: -.INF\n", "BAD_NUMBER", "not finite"),
        ("a: 99999999999999999999\n", "BAD_NUMBER", "64 bits"),
        ("a: " + "9" * 6000, "BAD_NUMBER", "64 bits"),
        ("a: +18446744073709551615\n", "BAD_NUMBER", "64 bits"),
        ("a: !foo bar\n", "BAD_TAG", "tag `!foo`"),
        ("a: !!binary aGk=\n", "BAD_TAG", "tag `!!binary`"),
        ("a: !!int x\n", "BAD_TAG", "tag `!!int`"),
        ("a: !!python/none x\n", "BAD_TAG", "tag `!!python/none`"),
        ("a: ! 12\n", "BAD_TAG", "quote"),
        ("a: !foo {b: 1}\n", "BAD_TAG", "tag `!foo`"),
        ("~: a\n", "BAD_KEY", "a key is null"),
        ("[1]: a\n", "BAD_KEY", "list or a mapping"),
        ("1.23456789: a\n", "BAD_KEY", "quote it"),
        ("a: &x 1\n---\nb: *x\n", "UNREADABLE", "line 3: unknown anchor `x`"),
        ("a:\n\tb: 1\n", "UNREADABLE", "line 2: a tab is used as indentation"),
        ("a: b: c\n", "UNREADABLE", "line 1: "),
        ("a: 'open\n", "UNREADABLE", "line "),
        ("a:\n  <<: 1\n", "UNREADABLE", "merge key"),
        ("a: {{ .Values.x }}\n", "TEMPLATED", "line 1: "),
        ("{{- if .x }}\na: 1\n{{- end }}\n", "TEMPLATED", "line 1: "),
        (b"a: \xff\n", "NOT_TEXT", "not UTF-8 text (byte 3)"),
        ("a: 1".encode("utf-16"), "NOT_TEXT", "not UTF-8 text"),
        ("a: é\x07\n", "NOT_TEXT", "control character at byte 5"),
    ],
)
def test_refusals_say_what_and_where(text: str | bytes, code: str, words: str) -> None:
    problem = refusal(text)
    assert problem.code == code
    assert words in problem.message


@pytest.mark.parametrize("text", ["a: 1\nb: 'x {{ y }}'\n", 'a: "\\x7b\\u007b y"\n', "'{{a}}': 1\n"])
def test_a_document_says_that_it_holds_braces(text: str) -> None:
    (document,) = load(text.encode(), Limits())
    assert document.templated


@pytest.mark.parametrize(
    "text", ["# {{ .Values.x }}\na: 1\n", "a: '{ {'\n", "a: {b: {c: 1}}\n", "a: x ! y\n"]
)
def test_harmless_braces_and_marks_are_read(text: str) -> None:
    (document,) = load(text.encode(), Limits())
    assert not document.templated


def test_the_document_is_named() -> None:
    assert refusal("a: 1\n---\nb: 1\nb: 2\n").document == 2


BOMB = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"{name}: &{name} [{','.join([f'*{last}'] * 9)}]\n"
    for last, name in zip("abcdefg", "bcdefgh", strict=True)
)
LIMITS = {"fileBytes": "file_bytes"}
MERGE_BOMB = "e: &e {}\nm: &m [" + "*e," * 999 + "*e]\nx:\n" + "- <<: *m\n" * 999


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("a: " + "x" * 5_000_000, "fileBytes"),
        ("a: &a '" + "x" * 1_000_000 + "'\nb: [*a, *a, *a, *a, *a]\n", "fileBytes"),
        (BOMB, "nodes"),
        (MERGE_BOMB, "nodes"),
        ("[" + "a," * 1_000_000 + "a]", "nodes"),
        ("[" + "a," * 1_000_000 + "left open", "nodes"),
        ("a: &a [*a]\n", "depth"),
        ("a: &a {<<: *a}\n", "depth"),
        ("[" * 65 + "]" * 65, "depth"),
        ("[" * 100_000, "depth"),
        ("- " * 100_000 + "a", "depth"),
        ("{a: " * 100_000, "depth"),
        ("---\n" * 1_001 + "a", "documents"),
    ],
    ids=range(13),
)
def test_limits_hold_and_are_named(text: str, limit: str) -> None:
    problem = refusal(text)
    assert problem.code == "LIMIT"
    assert f"{getattr(Limits(), LIMITS.get(limit, limit))} (limits.{limit})" in problem.message


def test_limits_are_not_false_alarms() -> None:
    entries = "".join(f"  - {{name: V{at}, value: {'x' * 400}}}\n" for at in range(2_000))
    assert load(f"a:\n{entries}b: {'[' * 60}{']' * 60}\n".encode(), Limits())


def test_a_file_is_refused_whole() -> None:
    assert refusal("a: 1\n---\nb: *unknown\n").code == "UNREADABLE"


def test_no_value_stands_in_a_message() -> None:
    texts = [
        "p: hunter2\np: hunter2\n",
        "p: !x hunter2\n",
        "p: hunter2: x\n",
        "p: 'hunter2\n",
        "p: hunter2\n\tq: 1\n",
    ]
    assert not any("hunter2" in str(refusal(text)) for text in texts)


@given(st.binary(max_size=60) | st.text("a:-[]{}&*!|>'\"#%@,? \n\t<~0", max_size=60).map(str.encode))
def test_nothing_but_unreadable_is_raised(raw: bytes) -> None:
    with contextlib.suppress(Unreadable):
        load(raw, Limits())


@pytest.mark.parametrize(
    ("name", "code", "words"),
    [
        ("04-duplicate-keys/bad.yaml", "DUPLICATE_KEY", "key `image`"),
        ("05-anchors-merge-keys/cross-document.yaml", "UNREADABLE", "document 2"),
        ("07-tabs/bad-indent.yaml", "UNREADABLE", "line 17: a tab"),
        ("09-helm-chart-in-folder/repo/specs/loose.yaml", "TEMPLATED", "{{"),
        ("11-binary-file/plot.yaml", "NOT_TEXT", "not UTF-8 text"),
        ("11-binary-file/ctrl.yaml", "NOT_TEXT", "control character at byte"),
    ],
)
def test_cases_are_refused(name: str, code: str, words: str) -> None:
    problem = refusal(case(name).read_bytes())
    assert problem.code == code
    assert words in problem.message
