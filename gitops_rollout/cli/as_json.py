"""The JSON of every command: the same answers as the text, in stable words."""

import json

import typer

from gitops_rollout.api.problems import Problem
from gitops_rollout.api.values import Json, Object
from gitops_rollout.api.verdict import Impact
from gitops_rollout.api.workload import WorkloadKey
from gitops_rollout.conclude import conclude
from gitops_rollout.report import Report, WorkloadReport
from gitops_rollout.revision.history import History


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


def report_json(report: Report) -> Object:
    """Give one pass."""
    return {
        "pipeline": report.pipeline,
        "source": report.source,
        "output": report.output,
        "idle": report.idle,
        "commits": list(report.commits),
        "workloads": [workload_json(one) for one in report.workloads],
        "errors": problems_json(report.problems),
        "warnings": problems_json(report.warnings),
    }


def workload_json(report: WorkloadReport) -> Object:
    """Give one workload: where it stands, what is asked, what it waits for."""
    state, gate, concluded = report.state, report.gate, conclude(report)
    waiting = concluded.waiting
    return {
        **key_json(report.key),
        "reason": concluded.reason,
        "message": concluded.message,
        "stable": state.stable if state else None,
        "candidate": state.candidate if state else None,
        "offered": state.offered if state else None,
        "attempt": state.attempt if state else None,
        "step": state.published.step if state else None,
        "partition": state.published.partition if state else None,  # type: ignore[dict-item]
        "committed": report.words,
        "gate": None
        if gate is None
        else {
            "step": gate.step,
            "revision": gate.revision,
            "effect": gate.effect,
            "branch": report.branch or None,
            "from": report.gate_from.isoformat() if report.gate_from else None,
        },
        "waiting": None
        if waiting is None
        else {"for": waiting.what, "since": waiting.since, "who": waiting.who, "command": waiting.command},
        "impact": impact_json(report.impact) if report.impact else None,
        "conditions": [
            {"type": one.type, "status": one.status, "reason": one.reason, "message": one.message}
            for one in concluded.conditions
        ],
        "notes": problems_json(report.notes),
        "errors": problems_json((*report.problems, *report.blocked)),
    }


def history_json(history: History, report: WorkloadReport) -> Json:
    """Give the recorded revisions, the newest first."""
    state = report.state
    roles = {
        revision: role
        for role, revision in (
            ("offered", state.offered if state else None),
            ("candidate", state.candidate if state else None),
            ("stable", state.stable if state else None),
        )
        if revision is not None
    }
    return [
        {
            "revision": one.id,
            "number": one.number,
            "digest": one.digest,
            "commit": one.commit,
            "role": roles.get(one.id, ""),
        }
        for one in reversed(history.revisions)
    ]
