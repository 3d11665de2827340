"""The JSON of every command: the same answers as the text, in stable words."""

import json
from collections.abc import Iterable, Mapping

import typer

from gitops_rollout.api.policy_merge import Origin
from gitops_rollout.api.problems import Problem
from gitops_rollout.api.values import Json, Object
from gitops_rollout.api.verdict import Impact
from gitops_rollout.api.workload import WorkloadKey
from gitops_rollout.cli.voice import Voice
from gitops_rollout.conclude import Tense, Waiting
from gitops_rollout.report import Report, WorkloadReport
from gitops_rollout.rollout import routing
from gitops_rollout.rollout.draft import Head
from gitops_rollout.rollout.state import State


def show(value: Json) -> None:
    """Print a value as JSON."""
    typer.echo(json.dumps(value, indent=2, ensure_ascii=False))


def problem_json(problem: Problem) -> Object:
    """Give `{"file", "document", "path", "message", "code"}`."""
    return {
        "file": problem.file,
        "document": problem.document,
        "path": problem.path,
        "message": problem.message,
        "code": problem.code,
    }


def problems_json(problems: tuple[Problem, ...]) -> Json:
    """Give a list of problems."""
    return [problem_json(one) for one in problems]


def key_json(key: WorkloadKey) -> Object:
    """Give `{"kind", "namespace", "name"}`."""
    return {"kind": key.kind, "namespace": key.namespace, "name": key.name}


def impact_json(impact: Impact) -> Object:
    """Give `{"verdict", "components", "changes", "warnings"}`."""
    return {
        "verdict": impact.verdict.value,
        "components": [
            {
                "name": one.name,
                "verdict": one.verdict.value,
                "pods": one.pods,
                "gpus": one.gpus,
                "part": one.part,
            }
            for one in impact.components
        ],
        "changes": [
            {"path": one.path, "old": one.old, "new": one.new, "note": one.note} for one in impact.changes
        ],
        "warnings": problems_json(impact.warnings),
    }


def report_json(report: Report, voice: Voice) -> Object:
    """Give one pass; of one that was not done, no commit, and whether it is due."""
    return {
        "pipeline": report.pipeline,
        "source": report.source,
        "output": report.output,
        "idle": report.idle,
        "due": voice.due(report),
        "commits": [*report.commits] if voice.tense is Tense.DID else [],
        "workloads": [workload_json(one, voice) for one in report.workloads],
        "errors": problems_json(report.problems),
        "warnings": problems_json(report.warnings),
    }


def workload_json(report: WorkloadReport, voice: Voice) -> Object:
    """Give one workload: where it stands, what is asked, what it waits for."""
    concluded = voice(report)
    return {
        **key_json(report.key),
        "reason": concluded.reason,
        "message": concluded.message,
        **_state_json(report.state),
        "change": report.words,
        "gate": _gate_json(report),
        "waiting": _waiting_json(concluded.waiting),
        "impact": impact_json(report.impact) if report.impact else None,
        "conditions": [
            {"type": one.type, "status": one.status, "reason": one.reason, "message": one.message}
            for one in concluded.conditions
        ],
        "notes": problems_json(report.notes),
        "errors": problems_json((*report.problems, *report.blocked)),
    }


_STATE = ("stable", "candidate", "offered", "attempt", "step", "partition", "requests")


def _state_json(state: State | None) -> Object:
    if state is None:
        return dict.fromkeys(_STATE)
    partition = state.published.partition
    return {
        "stable": state.stable,
        "candidate": state.candidate,
        "offered": state.offered,
        "attempt": state.attempt,
        "step": state.published.step,
        "partition": {**partition} if isinstance(partition, dict) else partition,
        "requests": _requests_json(state),
    }


def _requests_json(state: State) -> Json:
    """Give which requests reach whom; None without a route of ours."""
    terms, published = routing.terms(state), state.published
    if terms is None or state.routed is None:
        return None
    return {
        "route": terms.name,
        "stage": state.routed.stage,
        "header": bool(published.header),
        "weight": published.weight or 0,
        "pools": [pool.name for pool in state.routed.pools],
    }


def _gate_json(report: WorkloadReport) -> Json:
    gate = report.gate
    if gate is None:
        return None
    return {
        "step": gate.step,
        "revision": gate.revision,
        "effect": gate.effect,
        "allows": gate.allows,
        "branch": report.branch or None,
        "from": report.gate_from.isoformat() if report.gate_from else None,
        "closed": report.closed or None,
    }


def _waiting_json(waiting: Waiting | None) -> Json:
    if waiting is None:
        return None
    return {
        "for": waiting.what,
        "since": waiting.since,
        "who": waiting.who,
        "how": waiting.how,
        "command": waiting.command,
    }


def policies_json(origins: Mapping[WorkloadKey, Iterable[Origin]]) -> Json:
    """Give every value of each workload's policy and where it comes from."""
    return {
        str(key): [{"field": one.field, "value": one.value, "from": one.origin} for one in fields]
        for key, fields in origins.items()
    }


def history_json(head: Head) -> list[Object]:
    """Give the recorded revisions, the newest first."""
    state = head.file.state
    rejected: dict[str | None, str] = {}
    if state.rejected is not None:
        rejected[state.rejected.revision] = state.rejected.why
    roles: Mapping[str | None, str] = {
        **rejected,
        state.offered: "offered",
        state.candidate: "candidate",
        state.stable: "stable",
    }
    return [
        {
            "revision": one.id,
            "number": one.number,
            "digest": one.digest,
            "commit": one.commit,
            "role": roles.get(one.id, ""),
        }
        for one in reversed(head.history.revisions)
    ]
