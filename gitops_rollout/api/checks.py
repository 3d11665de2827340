"""Metric checks as data: what is asked of Prometheus about a candidate, and which answers are good.

They are validated and shown here and evaluated elsewhere. No data and not-a-number are unknown, and
unknown is never a yes. The presets, and the versions whose metrics they name:

    engine   preset     metric                                            since
    VLLM     errors     vllm:request_success_total, finished_reason       0.12 (`error` is PR 26813)
             ttft       vllm:time_to_first_token_seconds                  0.5
             itl        vllm:inter_token_latency_seconds,                 0.11 (PR 24110); before it
                        vllm:time_per_output_token_seconds                0.5 to 0.12, same meaning
    SGLANG   errors     none: num_aborted_requests_total counts clients that left, too (PR 34132)
             ttft, itl  sglang:time_to_first_token_seconds,               0.4.6, --enable-metrics
                        sglang:inter_token_latency_seconds
    DYNAMO   errors     dynamo_frontend_requests_total, status            0.4.1 (PR 2176)
             ttft, itl  dynamo_frontend_time_to_first_token_seconds,      0.4.1
                        dynamo_frontend_inter_token_latency_seconds

A rate sees what a counter adds after its first sample: failures before that are not counted.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from math import isfinite

import promql_parser

from gitops_rollout.api import values
from gitops_rollout.api.duration import written
from gitops_rollout.api.engines import Engine
from gitops_rollout.api.values import Json, Object, mapping

REVISION_LABEL = "gitops_rollout_io_revision"
ROLE_LABEL = "gitops_rollout_io_role_revision"
"""What `podTargetLabels` of a PodMonitor makes of the pod labels gitops-rollout.io/…."""
QUERY_LIMIT = 2_000
PLACEHOLDERS = ("namespace", "workload", "revision", "window", "pods")
_PLACEHOLDER = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)\}", re.ASCII)
_NAME = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?", re.ASCII)
_SPECIAL = re.compile(r"[^A-Za-z0-9._/-]", re.ASCII)


class Preset(StrEnum):
    """A check that is known by name."""

    ERRORS = "errors"
    TTFT = "ttft"
    ITL = "itl"


class NoData(StrEnum):
    """What an answer without data means: it is waited for."""

    HOLD = "Hold"


class OnFailure(StrEnum):
    """What a bad answer does: wait for a person, or go back to stable."""

    HOLD = "Hold"
    ROLLBACK = "Rollback"


@dataclass(frozen=True, slots=True)
class Measure:
    """What a preset measures; `most` is its limit when nobody writes one, and people should."""

    words: str
    unit: str
    most: float


MEASURES: Mapping[Preset, Measure] = {
    Preset.ERRORS: Measure("share of failed requests", "", 0.01),
    Preset.TTFT: Measure("p95 time to first token", " s", 2.0),
    Preset.ITL: Measure("p95 inter-token latency", " s", 0.2),
}


def _p95(metric: str) -> str:
    return f"histogram_quantile(0.95, sum by (le) (rate({metric}_bucket{{{{pods}}}}[{{window}}])))"


def _rate(metric: str, matcher: str = "") -> str:
    return f"sum(rate({metric}{{{{pods}}{matcher}}}[{{window}}]))"


_VLLM = "vllm:request_success_total"
_VLLM_FAILED = ',finished_reason="error"'
_DYNAMO = "dynamo_frontend_requests_total"
# What a client gets wrong or gives up is not the candidate's failure; a model it cannot find is.
_DYNAMO_FAILED = ',status="error",error_type!~"validation|cancelled"'
NO_ERRORS = "engine {} counts no failed requests; write a query"

QUERIES: Mapping[tuple[Preset, Engine], str] = {
    # vLLM shows every finished_reason from its start on: without `error` it cannot tell, which is no data.
    (Preset.ERRORS, Engine.VLLM): f"{_rate(_VLLM, _VLLM_FAILED)} / {_rate(_VLLM)}",
    # Dynamo shows a status with its first request: without errors the share is none of what it counts.
    (Preset.ERRORS, Engine.DYNAMO): (
        f"({_rate(_DYNAMO, _DYNAMO_FAILED)} or 0 * {_rate(_DYNAMO)}) / {_rate(_DYNAMO)}"
    ),
    (Preset.TTFT, Engine.VLLM): _p95("vllm:time_to_first_token_seconds"),
    (Preset.TTFT, Engine.SGLANG): _p95("sglang:time_to_first_token_seconds"),
    (Preset.TTFT, Engine.DYNAMO): _p95("dynamo_frontend_time_to_first_token_seconds"),
    (Preset.ITL, Engine.VLLM): (
        _p95("vllm:inter_token_latency_seconds") + " or " + _p95("vllm:time_per_output_token_seconds")
    ),
    (Preset.ITL, Engine.SGLANG): _p95("sglang:inter_token_latency_seconds"),
    (Preset.ITL, Engine.DYNAMO): _p95("dynamo_frontend_inter_token_latency_seconds"),
}


@dataclass(frozen=True, slots=True)
class Check:
    """One question about a candidate: a query of its own, or a preset of an engine.

    `engine` None: told from the workload when it is asked.
    """

    name: str
    query: str | None = None
    preset: Preset | None = None
    engine: Engine | None = None
    maximum: float | None = None
    minimum: float | None = None
    no_data: NoData = NoData.HOLD
    on_failure: OnFailure = OnFailure.HOLD

    def __post_init__(self) -> None:
        fault = next(self._faults(), "")
        if fault:
            raise ValueError(fault)
        if self.query is not None:
            check_query(self.query)

    def _faults(self) -> Iterator[str]:
        if not _NAME.fullmatch(self.name):
            yield f"{self.name[:40]!r} is no name of a check: at most 63 of a-z, 0-9 and inner dashes"
        if (self.query is None) == (self.preset is None):
            yield "write either a query or a preset"
        if self.engine is not None and (fault := refusal(self, self.engine)):
            yield fault
        limits = [limit for limit in (self.minimum, self.maximum) if limit is not None]
        if not limits or not all(map(isfinite, limits)):
            yield "write max, min or both, each a number"
        if limits != sorted(limits):
            yield "min is above max: no answer is good"

    def to_json(self) -> Object:
        """Give the object that stands in the rollout file; `from_json` reads it back."""
        written_fields: Object = {
            "name": self.name,
            "query": self.query,
            "preset": self.preset and self.preset.value,
            "engine": self.engine and self.engine.value,
            "max": self.maximum,
            "min": self.minimum,
            "noData": self.no_data.value,
            "onFailure": self.on_failure.value,
        }
        return {name: value for name, value in written_fields.items() if value is not None}

    @classmethod
    def from_json(cls, value: Json) -> "Check":
        """Read what `to_json` gave; ValueError when it is anything else."""
        fields = mapping(value)
        return cls(
            name=values.text(fields.get("name")),
            query=values.text(fields["query"]) if "query" in fields else None,
            preset=Preset(values.text(fields["preset"])) if "preset" in fields else None,
            engine=Engine(values.text(fields["engine"])) if "engine" in fields else None,
            maximum=_number(fields.get("max")),
            minimum=_number(fields.get("min")),
            no_data=NoData(values.text(fields.get("noData"))),
            on_failure=OnFailure(values.text(fields.get("onFailure"))),
        )


@dataclass(frozen=True, slots=True)
class Subject:
    """Whom a check is about: the candidate `revision` of a workload, and what serves it if that is known.

    `roles` are the role revisions that tell its pods where roles roll on their own.
    """

    namespace: str
    workload: str
    revision: str
    engine: Engine | None = None
    roles: tuple[str, ...] = ()


def refusal(check: Check, engine: Engine | None) -> str:
    """Say why `check` cannot be asked of a workload with this engine; empty when it can."""
    if check.preset is None:
        return "" if check.engine is None else "an engine is for a preset; leave it out beside a query"
    if engine is None:
        return f"nothing tells the engine that serves {check.name}; write engine: {', '.join(Engine)}"
    return "" if (check.preset, engine) in QUERIES else NO_ERRORS.format(engine)


def text(check: Check, subject: Subject, window_seconds: int) -> str:
    """Give the query that asks `check` about `subject`, over the last `window_seconds`.

    No name can leave the quotes around its placeholder. ValueError when the check has a refusal.
    """
    engine = check.engine or subject.engine
    if fault := refusal(check, engine):
        raise ValueError(fault)
    query = check.query if check.preset is None or engine is None else QUERIES[check.preset, engine]
    return _filled(query or "", subject, window_seconds)


def sentence(check: Check, window_seconds: int) -> str:
    """Say in one line what is asked: `ttft: p95 time to first token at most 2 s over 30m`."""
    measure = MEASURES[check.preset] if check.preset else Measure("its query", "", 0)
    limits = (("at least", check.minimum), ("at most", check.maximum))
    bounds = " and ".join(f"{word} {limit:.12g}{measure.unit}" for word, limit in limits if limit is not None)
    over = f" over {written(max(1, window_seconds))}" if "{window}" in (check.query or "{window}") else ""
    return f"{check.name}: {measure.words} {bounds}{over}"


def check_query(query: str) -> str:
    """Give `query` when it is PromQL that answers with numbers; ValueError for people otherwise."""
    if not query.strip() or len(query) > QUERY_LIMIT:
        raise ValueError(f"write a query of PromQL of at most {QUERY_LIMIT} characters")
    strange = next((name for name in _PLACEHOLDER.findall(query) if name not in PLACEHOLDERS), None)
    if strange is not None:
        known = ", ".join(f"{{{name}}}" for name in PLACEHOLDERS)
        raise ValueError(f"unknown placeholder {{{strange[:40]}}}; there are {known}")
    # A space is written as an escape, and that is PromQL inside quotes only.
    parsed = _parsed(_filled(query, Subject("a b", "a b", "a b"), 300))
    while isinstance(parsed, promql_parser.ParenExpr):
        parsed = parsed.expr
    if isinstance(parsed, _NO_NUMBERS):
        raise ValueError("the query gives a string or a range; write one that gives numbers, as sum(rate(…))")
    return query


_NO_NUMBERS = (promql_parser.StringLiteral, promql_parser.MatrixSelector, promql_parser.SubqueryExpr)


def _parsed(query: str) -> promql_parser.Expr:
    try:
        return promql_parser.parse(query)
    except BaseException as error:
        # The parser panics on some numbers (`offset 1e400`), and its class of panics cannot be imported.
        if not isinstance(error, ValueError | OverflowError) and type(error).__name__ != "PanicException":
            raise
        fault = " ".join(str(error).split())
    quotes = "; namespace, workload and revision stand in quotes" if "'\\" in fault else ""
    raise ValueError(f"the query is no PromQL: {fault}"[: 200 - len(quotes)] + quotes)


def _filled(query: str, subject: Subject, window_seconds: int) -> str:
    """Replace the placeholders in one go: what is filled in is not looked at again."""
    namespace, revision = _escaped(subject.namespace), _escaped(subject.revision)
    filling = {
        "namespace": namespace,
        "workload": _escaped(subject.workload),
        "revision": revision,
        "window": written(max(1, window_seconds)),
        "pods": f'namespace="{namespace}",{_telling(subject, revision)}',
    }
    return _PLACEHOLDER.sub(lambda found: filling[found[1]], query)


def _telling(subject: Subject, revision: str) -> str:
    roles = "|".join(map(_escaped, subject.roles))
    return f'{ROLE_LABEL}=~"{roles}"' if roles else f'{REVISION_LABEL}="{revision}"'


def _escaped(value: str) -> str:
    """Write a label value so that it ends none of the three kinds of quotes of PromQL."""
    return _SPECIAL.sub(
        lambda found: "".join(f"\\x{byte:02x}" for byte in found[0].encode("utf-8", "replace")), value
    )


def _number(value: Json) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > 1e300:
        raise ValueError("a limit is a number")
    return float(value)
