"""What holds of passes of the service as a whole: what they ask, and when they find nothing to do."""

from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta

from gitops_rollout.rollout import gate as gates
from gitops_rollout.rollout.draft import parsed
from gitops_rollout.rollout.facts import needs
from gitops_rollout.simulate.branch import MAIN
from gitops_rollout.simulate.commit_laws import observes
from gitops_rollout.simulate.invariants import GOES_BACK, KEEPS_TO_STEP, PROVEN, SOAKS
from gitops_rollout.simulate.promises import Invariant
from gitops_rollout.simulate.service import Service


def asked_when_proven(service: Service) -> str:
    """Under Cluster proof a gate opens on facts of what was published before (R20)."""
    plan = service.last.plan if service.last is not None else None
    if plan is None or plan.asked is None or not observes(plan.state):
        return ""
    stands_on = needs(plan.state, plan.asked)
    if stands_on and any(one.ref == MAIN for one in service.hand.waiting):
        return f"{plan.asked.step} is asked by the pass that publishes what it stands on"
    lacking = service.seen.missing(stands_on)
    return f"{plan.asked.step} is asked, and not seen: {lacking[0]}" if lacking else ""


def soaked(service: Service) -> str:
    plan = service.last.plan if service.last is not None else None
    step = gates.step_in_force(plan.state) if plan is not None else None
    if plan is None or step is None or plan.gate is None or plan.state.offered is None:
        return ""
    own = plan.gate.step == f"{step.name}{gates.TRAFFIC}" or plan.gate.step in (gates.BACK, gates.DRAINED)
    proven = plan.state.since.proven
    if own or proven is None or plan.state.candidate != plan.state.offered:
        return ""
    early = parsed(proven) + timedelta(seconds=step.soak) > service.at
    return f"{plan.gate.step} is asked, and {step.name} soaks since {proven}" if early else ""


def kept_to_step(service: Service) -> str:
    """A candidate that takes over what another one holds shows what stands already, and no more."""
    plan = service.last.plan if service.last is not None else None
    gate = plan.gate if plan is not None else None
    if plan is None or gate is None or gate.partition is None:
        return ""
    step = next((one for one in gates.steps_of(plan.state) if one.name == gate.step), None)
    stands = plan.state.lowest or {}
    for name, number in gate.partition.items():
        moved, count = gate.counts.get(name, number) - number, gate.counts.get(name, number)
        if step is not None and moved > step.replicas.of(count) and number < stands.get(name, count):
            return f"{gate.step} moves {moved} of {count} replicas"
    return ""


def gone_back(service: Service) -> str:
    """A way back that still has requests when a pass finds nothing to do waits without an end."""
    state = service.last.state if service.last is not None else None
    if state is None or service.blocked or state.candidate is None or state.offered is not None:
        return ""
    waits = state.published.traffic and service.wake is None
    return f"requests still reach {state.candidate}, and no deadline runs" if waits else ""


Law = Callable[[Service], str]
OF_DECISION: Mapping[Law, Invariant] = {asked_when_proven: PROVEN}
OF_GATE: Mapping[Law, Invariant] = {soaked: SOAKS, kept_to_step: KEEPS_TO_STEP}
OF_REST: Mapping[Law, Invariant] = {gone_back: GOES_BACK}


def broken(laws: Mapping[Law, Invariant], service: Service) -> Iterator[tuple[Invariant, str]]:
    """Give the invariants that a pass breaks, and what was seen."""
    for law, invariant in laws.items():
        seen = law(service)
        if seen:
            yield invariant, seen
