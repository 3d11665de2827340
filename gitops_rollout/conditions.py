"""The specific conditions of a rollout, beside Ready, Progressing and Stalled (delivery-gateway G).

What nobody observes is Unknown: under Manual proof people attest it when they merge.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from gitops_rollout.api.graph_terms import Strategy
from gitops_rollout.api.policy import Policy, Proof
from gitops_rollout.report import WorkloadReport
from gitops_rollout.rollout import router_policy, routing
from gitops_rollout.rollout.facts import About
from gitops_rollout.rollout.state import State


@dataclass(frozen=True, slots=True)
class Condition:
    """One condition as Kubernetes writes them."""

    type: str
    status: str
    reason: str
    message: str


def specific(report: WorkloadReport) -> tuple[Condition, ...]:
    """Give the conditions that hold of a rollout that is on; none of a workload at rest."""
    state = report.state
    if report.blocked:
        return (Condition("RevisionResolved", "False", "HistoryUnknown", report.blocked[0].message),)
    if state is None or (state.candidate is None and state.offered is None):
        return ()
    return (
        Condition("RevisionResolved", "True", "Recorded", f"{state.offered or state.candidate} is recorded"),
        *_facts(report, state),
        _gate(report),
        _draining(state),
    )


def _facts(report: WorkloadReport, state: State) -> Iterator[Condition]:
    if state.candidate is not None:
        yield _observed(report, state, About.ROUTABLE, "CandidateRoutable")
        if router_policy.managed(state):
            yield _observed(report, state, About.ACKNOWLEDGED, "PolicyAcknowledged")
    if routing.terms(state) is not None:
        yield _observed(report, state, About.ACCEPTED, "RouteAccepted")
    if state.strategy is Strategy.IN_PLACE:
        yield _field_kept(report)


def _field_kept(report: WorkloadReport) -> Condition:
    """Say whether the cluster keeps the field that holds a candidate back (R26); a note says when not."""
    lacks = next((one for one in report.notes if one.code == "NOT_KEPT"), None)
    if lacks is not None:
        return Condition("RolloutFieldKept", "False", "NotProven", lacks.message)
    return Condition("RolloutFieldKept", "True", "Observed", "")


def _observed(report: WorkloadReport, state: State, about: About, name: str) -> Condition:
    """Say what is known of a fact that the next transition stands on."""
    if Policy.from_json(state.accepted.policy).proof is Proof.MANUAL:
        return Condition(name, "Unknown", "Attested", "who merges the next gate says so")
    lacks = next((fact for fact in report.unproven if fact.about is about), None)
    if lacks is not None:
        return Condition(name, "False", "NotProven", f"{lacks} is not observed")
    return Condition(name, "True", "Observed", "")


def _gate(report: WorkloadReport) -> Condition:
    if report.gate is None:
        return Condition("GatePassed", "True", "NothingAsked", "no gate is due")
    return Condition("GatePassed", "False", "Waiting", f"gate {report.gate.step} is due")


def _draining(state: State) -> Condition:
    drains = state.since.drain is not None
    said = "its requests have left, and the pods that answered them still stand" if drains else ""
    return Condition("Draining", str(drains), "RequestsLeave" if drains else "NothingDrains", said)
