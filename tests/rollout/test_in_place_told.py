"""What people are told of a graph that holds both revisions: gates, conditions, what a restart takes."""

from dataclasses import replace

from gitops_rollout.conclude import conclude
from gitops_rollout.drafts import offered_impact
from gitops_rollout.kinds.registry import typed
from gitops_rollout.render.messages import change, gate_message
from gitops_rollout.render.question import Question
from gitops_rollout.report import WorkloadReport
from gitops_rollout.rollout.facts import About
from tests.rollout.graphs import graph
from tests.rollout.in_place import NEXT, InPlaceStage, going, only, resting
from tests.rollout.observed import NEW, OLD


def question(stage: InPlaceStage) -> str:
    """Give the whole text of the open gate."""
    assert stage.last is not None
    plan, gate = stage.last.plan, stage.gate
    assert gate is not None
    impact, kind = offered_impact(stage.kind, stage.key, plan), stage.kind.under(plan.state.strategy)
    about = Question(plan.state, impact, gate.revision, typed(stage.key), kind, plan.kept)
    return gate_message(stage.key, about, gate, "head", "main:out")


def conditions(stage: InPlaceStage) -> dict[str, tuple[str, str]]:
    assert stage.last is not None
    plan = stage.last.plan
    report = WorkloadReport(
        stage.key,
        plan.state,
        plan.history,
        gate=plan.gate,
        branch="gate" if plan.asked else "",
        unproven=plan.unproven,
        notes=plan.notes,
    )
    found = conclude(report)
    return {one.type: (one.status, one.message) for one in found.conditions} | {"reason": (found.reason, "")}


def test_a_gate_says_how_many_replicas_of_each_component_it_gives() -> None:
    stage = going("1")
    new = stage.revision_of(NEW)
    assert f"- Decode: 1 → 2 of 4 replicas to {new}" in question(stage)
    assert "Frontend:" not in question(stage).partition("after this")[0].partition(f"to {new}")[0]
    assert "ordinal" not in question(stage)


def test_a_gate_says_what_waits_for_the_last_step() -> None:
    small = {"Frontend": 1, "Decode": 4, "Prefill": 4}
    stage = resting(wanted=graph(OLD, small)).source(graph(NEW, small)).settle()
    assert f"- Frontend: none of 1 yet, all of it stays on {stage.state.stable}" in question(stage)


def test_a_gate_of_a_third_revision_says_what_it_takes_over() -> None:
    stage = going("1", "50pct").source(graph(NEXT)).settle()
    text = question(stage)
    assert f"- Decode: 0 → 2 of 4 replicas to {stage.revision_of(NEXT)}" in text
    assert f"- {stage.revision_of(NEW)} is given up: what it holds restarts" in text


def test_a_gate_counts_no_worker_that_is_only_kept() -> None:
    stage = going(wanted=only(NEW, "Decode"))
    assert "Prefill: NO_CHANGE" in question(stage)
    assert "WORKERS_ROLL_TOGETHER" not in question(stage)


def test_a_condition_says_whether_the_field_is_kept() -> None:
    stage = going("1")
    assert conditions(stage)["RolloutFieldKept"] == ("True", "")
    stage.unknown = frozenset({About.KEPT})
    stage.look()
    status, message = conditions(stage)["RolloutFieldKept"]
    assert (status, "spec.rollout" in message) == ("False", True)
    assert conditions(stage)["reason"] == ("WaitingForProof", "")


def test_where_nothing_runs_nothing_is_proven() -> None:
    none = dict.fromkeys(("Frontend", "Decode", "Prefill"), 0)
    stage = resting(wanted=graph(OLD, none)).source(graph(NEW, none)).settle()
    stage.merge()
    assert (stage.state.stable, conditions(stage)["reason"]) == (stage.revision_of(OLD), ("NothingRuns", ""))


def test_a_commit_says_partitions_in_words() -> None:
    before = resting().state
    after = going("1").state
    said = f"{after.candidate} at partition Decode 3, Frontend 1, Prefill 3"
    assert change(replace(before, candidate=None), after) == said


def test_nobody_is_told_that_a_field_is_not_kept_which_is() -> None:
    assert "NOT_KEPT" not in going("1", "50pct", "100pct").all_codes
