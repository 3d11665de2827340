"""Metric checks: presets, queries of people, and the text that is asked."""

import json
import math
from contextlib import suppress

import promql_parser
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError

from gitops_rollout.api.checks import (
    MEASURES,
    PLACEHOLDERS,
    QUERIES,
    Check,
    NoData,
    OnFailure,
    Preset,
    Subject,
    check_query,
    refusal,
    sentence,
    text,
)
from gitops_rollout.api.checks_document import WrittenCheck, check_faults, written_check
from gitops_rollout.api.engines import Engine, engine_of
from gitops_rollout.api.validation import invalid
from gitops_rollout.api.values import Json

CHAT = Subject("serving", "chat", "r1a2b3c", Engine.VLLM)
TTFT = Check("ttft", preset=Preset.TTFT, maximum=2)
OWN = Check("own", query="sum(rate(errors_total{{pods}}[{window}]))", maximum=0.01)

numbers = st.floats(-1e9, 1e9)
checks = st.one_of(
    st.builds(
        Check,
        st.from_regex(r"[a-z]([-a-z0-9]{0,20}[a-z0-9])?", fullmatch=True),
        query=st.sampled_from(["up", 'up{a="{workload}"}', "sum(x{{pods}})", "1"]),
        maximum=numbers,
        on_failure=st.sampled_from(OnFailure),
    ),
    st.builds(
        lambda of, low, high: Check("own", None, of[0], of[1], max(low, high), min(low, high)),
        st.sampled_from(sorted(QUERIES)),
        numbers,
        numbers,
    ),
)


class Holder(BaseModel):
    checks: list[WrittenCheck]


def read(*written: Json) -> list[Check]:
    return [written_check(model) for model in Holder.model_validate({"checks": list(written)}).checks]


def problems(written: Json) -> list[tuple[str, str]]:
    try:
        read(written)
    except ValidationError as error:
        return [(problem.path, problem.code) for problem in invalid(Holder, error, "POLICY_INVALID")]
    return []


@pytest.mark.parametrize("preset", list(Preset))
def test_a_preset_by_its_name_has_its_default_limit(preset: Preset) -> None:
    assert read(preset.value) == [Check(preset.value, preset=preset, maximum=MEASURES[preset].most)]


def test_a_preset_takes_other_limits() -> None:
    assert read({"preset": "ttft", "engine": "VLLM", "max": 3, "onFailure": "Rollback", "name": "slow"}) == [
        Check("slow", None, Preset.TTFT, Engine.VLLM, 3, on_failure=OnFailure.ROLLBACK)
    ]
    assert read({"preset": "ttft", "min": 1}) == [Check("ttft", preset=Preset.TTFT, minimum=1)]


def test_a_check_of_its_own_says_everything() -> None:
    assert read({"name": "own", "query": OWN.query, "max": 0.01, "noData": "Hold"}) == [OWN]


@pytest.mark.parametrize(
    ("written", "path", "code"),
    [
        ("latency", ".preset", "POLICY_INVALID"),
        (1, "", "POLICY_INVALID"),
        ({}, "", "POLICY_INVALID"),
        ({"name": "own", "query": "up"}, "", "POLICY_INVALID"),
        ({"name": "own", "max": 1}, "", "POLICY_INVALID"),
        ({"query": "up", "max": 1}, "", "POLICY_INVALID"),
        ({"name": "Own", "query": "up", "max": 1}, "", "POLICY_INVALID"),
        ({"name": "own", "query": "up", "preset": "ttft", "max": 1}, "", "POLICY_INVALID"),
        ({"name": "own", "query": "up", "engine": "VLLM", "max": 1}, "", "POLICY_INVALID"),
        ({"name": "own", "query": "up", "max": 1, "min": 2}, "", "POLICY_INVALID"),
        ({"name": "own", "query": "up", "max": True}, ".max", "POLICY_INVALID"),
        ({"name": "own", "query": "up", "max": "1"}, ".max", "POLICY_INVALID"),
        ({"name": "own", "query": "up", "max": math.inf}, ".max", "POLICY_INVALID"),
        ({"name": "own", "query": "sum(", "max": 1}, ".query", "POLICY_INVALID"),
        ({"name": "own", "query": "up", "max": 1, "noData": "Pass"}, ".noData", "POLICY_INVALID"),
        ({"name": "own", "query": "up", "max": 1, "onFailure": "Go"}, ".onFailure", "POLICY_INVALID"),
        ({"name": "own", "query": "up", "maximum": 1}, ".maximum", "UNKNOWN_FIELD"),
        ({"preset": "errors", "engine": "SGLANG"}, "", "POLICY_INVALID"),
        ({"preset": "ttft", "engine": "vllm"}, ".engine", "POLICY_INVALID"),
    ],
)
def test_a_check_that_cannot_be_meant_is_refused_with_its_path(written: Json, path: str, code: str) -> None:
    assert problems(written) == [(f"checks[0]{path}", code)]


def test_two_checks_have_two_names() -> None:
    assert list(check_faults(read("ttft", "itl"))) == []
    assert [path for path, _ in check_faults(read("ttft", {"preset": "ttft", "max": 3}))] == ["[1].name"]


@pytest.mark.parametrize(
    "query",
    [
        "1",
        "up",
        "(up)",
        "-up",
        "scalar(up)",
        "up > 1",
        "{__name__='x'}",
        "up{{pods}}",
        'up{{pods},le="1"}',
        "up{a=\"{namespace}\",b=~'{workload}-.*',c=`{revision}`}",
        "rate(x[{window}:1m])",
        "up # {pods}",
    ],
)
def test_what_gives_numbers_is_a_query(query: str) -> None:
    assert check_query(query) == query


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("", "write a query"),
        (" \n", "write a query"),
        ("1+" * 1_000 + "1", "at most 2000"),
        ("up[5m]", "range"),
        ("up[{window}:1m]", "range"),
        ("((up[5m]))", "range"),
        ('("up")', "string"),
        ("sum(", "unclosed"),
        ("rate(up)", "expected type"),
        ("up{a=~'('}", "regex"),
        ('up{a="{pods}"}', "PromQL"),
        ("{workload}_total", "stand in quotes"),
        ("up{a={namespace}}", "stand in quotes"),
        ("up offset 1e400", "PromQL"),
        ("up[0x7fffffffffffffff]", "PromQL"),
        ("up \ud800", "PromQL"),
        ("up \0", "PromQL"),
        ('up{a="{pod}"}', r"unknown placeholder \{pod\}"),
        ("up{a=" + "(" * 1_000, "PromQL"),
    ],
)
def test_anything_else_is_refused_in_a_short_line(query: str, message: str) -> None:
    with pytest.raises(ValueError, match=message) as refused:
        check_query(query)
    assert len(str(refused.value)) <= 200
    assert "\n" not in str(refused.value)


def test_an_unknown_placeholder_is_told_the_known_ones() -> None:
    with pytest.raises(ValueError, match="unknown") as refused:
        check_query("up{{candidate}}")
    assert all(f"{{{name}}}" in str(refused.value) for name in PLACEHOLDERS)


@pytest.mark.parametrize("preset", list(Preset))
@pytest.mark.parametrize("engine", list(Engine))
def test_every_preset_of_every_engine_is_a_query_or_a_refusal(preset: Preset, engine: Engine) -> None:
    check = Check("own", preset=preset, maximum=1)
    subject = Subject("serving", "chat", "r1a2b3c", engine)
    if (preset, engine) == (Preset.ERRORS, Engine.SGLANG):
        assert refusal(check, engine) == "engine SGLANG counts no failed requests; write a query"
        with pytest.raises(ValueError, match="write a query"):
            text(check, subject, 1800)
    else:
        assert check_query(QUERIES[preset, engine])
        promql_parser.parse(text(check, subject, 1800))


def test_the_pods_are_those_of_the_candidate() -> None:
    assert text(OWN, CHAT, 1800) == (
        'sum(rate(errors_total{namespace="serving",gitops_rollout_io_revision="r1a2b3c"}[30m]))'
    )


def test_the_engine_of_the_check_comes_before_that_of_the_workload() -> None:
    own = Check("own", preset=Preset.TTFT, engine=Engine.SGLANG, maximum=1)
    assert "sglang:" in text(own, CHAT, 60)
    assert "vllm:" in text(TTFT, CHAT, 60)


def test_a_preset_of_no_engine_is_not_asked() -> None:
    with pytest.raises(ValueError, match="engine: VLLM, SGLANG, DYNAMO"):
        text(TTFT, Subject("serving", "chat", "r1"), 1800)


@given(st.text(), st.text(), st.text(), st.integers(-1, 10**9))
def test_no_name_leaves_its_quotes(namespace: str, workload: str, revision: str, window: int) -> None:
    query = "up{a='{workload}',b=\"{revision}\",c=`{namespace}`,{pods}}"
    own = Check("own", query=query, maximum=1)
    asked = promql_parser.parse(text(own, Subject(namespace, workload, revision), window))
    assert isinstance(asked, promql_parser.VectorSelector)
    assert [matcher.name for matcher in asked.matchers.matchers] == [
        "a", "b", "c", "namespace", "gitops_rollout_io_revision"
    ]  # fmt: skip


def test_what_is_filled_in_is_not_looked_at_again() -> None:
    own = Check("own", query='up{a="{namespace}"}', maximum=1)
    assert text(own, Subject("{workload}", "chat", "r1"), 60) == r'up{a="\x7bworkload\x7d"}'


@pytest.mark.parametrize(
    ("check", "line"),
    [
        (TTFT, "ttft: p95 time to first token at most 2 s over 30m"),
        (Check("e", preset=Preset.ERRORS, maximum=0.01), "e: share of failed requests at most 0.01 over 30m"),
        (
            Check("i", preset=Preset.ITL, maximum=0.2, minimum=0.1),
            "i: p95 inter-token latency at least 0.1 s and at most 0.2 s over 30m",
        ),
        (OWN, "own: its query at most 0.01 over 30m"),
        (Check("n", query="up", minimum=1), "n: its query at least 1"),
    ],
)
def test_a_check_is_told_to_people_in_one_line(check: Check, line: str) -> None:
    assert sentence(check, 1800) == line


@pytest.mark.parametrize(
    ("words", "engine"),
    [
        (["vllm/vllm-openai:v0.12.0", "vllm serve x"], Engine.VLLM),
        (["lmsysorg/sglang:v0.5", "python3 -m sglang.launch_server"], Engine.SGLANG),
        (["nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.0", "python3 -m dynamo.frontend"], Engine.DYNAMO),
        (["nvcr.io/nvidia/ai-dynamo/dynamo-frontend:1.0"], Engine.DYNAMO),
        (["nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.0", "python3 -m dynamo.vllm"], Engine.VLLM),
        (["vllm/vllm-openai", "lmsysorg/sglang"], None),
        (["nginx"], None),
        ([], None),
    ],
)
def test_the_engine_is_told_by_images_and_commands(words: list[str], engine: Engine | None) -> None:
    assert engine_of(words) is engine


@given(checks)
def test_a_check_reads_back_from_the_rollout_file(check: Check) -> None:
    assert Check.from_json(json.loads(json.dumps(check.to_json()))) == check


def test_a_recorded_check_is_plain_and_readable() -> None:
    assert TTFT.to_json() == {
        "name": "ttft", "preset": "ttft", "max": 2, "noData": "Hold", "onFailure": "Hold"
    }  # fmt: skip


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
likely = st.sampled_from(["ttft", "errors", "VLLM", "SGLANG", "Hold", "up", 1, 10**400, math.nan])
fields = st.sampled_from(["name", "query", "preset", "engine", "max", "min", "noData", "onFailure"])


@given(st.dictionaries(fields, likely | anything) | anything)
def test_nothing_that_is_written_or_recorded_fails_but_with_a_message(written: Json) -> None:
    with suppress(ValueError):
        assert Check.from_json(written).no_data is NoData.HOLD
    problems(written)


@given(st.text(max_size=60) | st.text(alphabet="up(){}[]\"'`\\5m.+-*/:,=~@ae", max_size=40))
def test_no_query_fails_but_with_a_message(query: str) -> None:
    with suppress(ValueError):
        assert check_query(query) == query


def test_a_preset_may_be_written_before_its_engine_is_known() -> None:
    assert refusal(TTFT, Engine.SGLANG) == ""
    assert refusal(TTFT, None)
