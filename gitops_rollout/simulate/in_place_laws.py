"""What holds where one object holds both revisions, and a field of it says how much stays (InPlace)."""

from gitops_rollout.api.workload import Thresholds
from gitops_rollout.simulate.commit_laws import Change
from gitops_rollout.simulate.moments import Count, Moment


def nothing_runs_where_the_field_is_pruned(_before: Moment, after: Moment) -> str:
    """Where nothing can hold a candidate back, nothing of it runs (R26)."""
    state = after.state
    if state is None or not after.prunes:
        return ""
    others = [pod for pod in after.pods if state.stable not in after.revisions(pod)]
    return f"{others[0].component} of {after.revision(others[0])} runs" if others else ""


def components_keep_their_partition(_before: Moment, after: Moment) -> str:
    """Of each component as much of stable stays as the lowest partition says that was ever shown."""
    state, low = after.state, after.ledger.low
    if state is None or low is None or state.candidate is None or after.ledger.scaled:
        return ""
    parts: dict[str, Count] = dict(after.parts.get(state.stable, {}))
    for name, number in _least(low, after).items():
        if parts.get(name, Count()).existing < number and not after.is_hurt(state.stable):
            return f"{parts.get(name, Count()).existing} of {number} {name} of stable are left"
    return ""


def _least(low: Thresholds, moment: Moment) -> Thresholds:
    return {name: min(number, moment.wanted.get(name, number)) for name, number in low.items()}


def partitions_fit(change: Change) -> str:
    """No partition is above the replicas of its component: the operator refuses such an object."""
    state = change.after.state
    if state is None or not change.after.intact:
        return ""
    for one in change.after.workloads:
        shown, wanted = change.kind.read_partition(one.value, state.accepted.controls), change.wanted(one)
        above = [name for name, number in shown.items() if number > wanted.get(name, number)]
        if above:
            return f"{above[0]} keeps {shown[above[0]]} of {wanted[above[0]]} replicas"
    return ""
