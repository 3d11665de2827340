"""What holds of every commit that the service makes: of the one before it and of what it shows then."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from gitops_rollout.api.gateway import Traffic
from gitops_rollout.api.policy import Policy, Proof
from gitops_rollout.api.values import Object, at
from gitops_rollout.api.workload import Thresholds
from gitops_rollout.gateway.inferencepool import pool_problems
from gitops_rollout.gateway.precedence import answering, shares
from gitops_rollout.gateway.sound import sound_problems
from gitops_rollout.kinds.protocol import Kind
from gitops_rollout.rollout.gate import COMPLETE, TRAFFIC, everything_approved, step_in_force
from gitops_rollout.rollout.state import State
from gitops_rollout.simulate.gateway import request_of
from gitops_rollout.simulate.manifests import ARGO, FLUX, Manifest
from gitops_rollout.simulate.moments import Ledger, Shown


@dataclass(frozen=True)
class Change:
    """One commit of the service. `names` tell which revision a template is of, `wanted` how many replicas an
    object asks for, `texts` what was recorded of each revision, `ledger` what people did.
    """

    kind: Kind
    before: Shown
    after: Shown
    names: Callable[[Manifest], str]
    wanted: Callable[[Manifest], Mapping[str, int]]
    texts: Mapping[str, Object]
    ledger: Ledger

    @cached_property
    def states(self) -> tuple[State, State] | None:
        """Give the records of both sides, None where one cannot be used, or an old one was put there."""
        old, new = self.before.state, self.after.state
        if old is None or new is None or old.seq < self.ledger.top:
            return None
        return old, new


def reference_after_target(change: Change) -> str:
    before, after = change.before, change.after
    named = after.route.references if after.route is not None else frozenset()
    known = before.route.references if before.route is not None else frozenset()
    # What was named before the branch was set back by force was live then, and is protected ever since.
    asked = before.intact and not change.ledger.rewound
    missing = sorted(named - known - before.pools.keys()) if asked else []
    return f"{missing[0][1]} is named before it was published" if missing else ""


def target_after_reference(change: Change) -> str:
    gone = change.before.pools.keys() - change.after.pools.keys()
    routes = [one.route.references for one in (change.before, change.after) if one.route is not None]
    named = sorted(name for name in gone if any(name in route for route in routes))
    return f"{named[0][1]} is removed while it is named" if named else ""


def protected_stays(change: Change) -> str:
    before = {**change.before.capacity, **change.before.traffic}
    after = {**change.after.capacity, **change.after.traffic}
    gone = [one for name, one in before.items() if name not in after and name[0] != "ControllerRevision"]
    kept = [one for one in gone if one.is_protected(ARGO) or one.is_protected(FLUX)]
    return f"{kept[0].name[1]} is removed with its protection on" if kept else ""


def pods_or_requests(change: Change) -> str:
    before, after = change.before, change.after
    pods = [at(one.value, "spec") for one in before.workloads] != [
        at(one.value, "spec") for one in after.workloads
    ]
    return (
        "one commit changes the workload and its route"
        if pods and before.intact and not change.ledger.rewound and _moved(before, after)
        else ""
    )


def _moved(before: Shown, after: Shown) -> bool:
    """Say whether requests move. A route that begins or ends moves them, too."""
    old = at(before.route.value, "spec") if before.route is not None else None
    new = at(after.route.value, "spec") if after.route is not None else None
    return old != new


def selector_stays(change: Change) -> str:
    both = change.before.pools.keys() & change.after.pools.keys()
    changed = [
        name
        for name in sorted(both)
        if at(change.before.pools[name].value, "spec") != at(change.after.pools[name].value, "spec")
    ]
    return f"what {changed[0][1]} selects has changed" if changed else ""


def route_is_valid(change: Change) -> str:
    route = change.after.route
    found = [*(sound_problems(route.value) if route is not None else ())]
    for (kind, _), pool in change.after.pools.items():
        found += pool_problems(pool.value) if kind == "InferencePool" else ()
    return str(found[0]) if found else ""


def single_owner(change: Change) -> str:
    label = "app.kubernetes.io/managed-by"
    theirs = [name for name, one in change.after.traffic.items() if one.labels.get(label) != "gitops-rollout"]
    return f"{theirs[0][1]} carries no owner" if theirs else ""


def at_most_two_answer(change: Change) -> str:
    route = change.after.route
    if route is None:
        return ""
    revisions = {change.after.pools[name].revision for name in route.references if name in change.after.pools}
    return f"{sorted(revisions)} are sent requests" if len(revisions) > 2 else ""


def share_rises_by_merge(change: Change) -> str:
    old, states = change.before, change.states
    if states is None or _asks_for_requests(old) or states[0].stable != states[1].stable:
        return ""
    before, after = states[0].published, states[1].published
    rises = (after.weight or 0) > (before.weight or 0) or bool(after.header) > bool(before.header)
    if observes(states[1]):
        # It follows by itself, as far as the step goes whose replicas were let in.
        step = step_in_force(states[0])
        agreed = step.traffic if step is not None and step.traffic is not None else Traffic(weight=0)
        most = 100 if agreed.weight is None else agreed.weight
        beyond = (after.weight or 0) > most or bool(after.header) > agreed.header
        return f"the candidate's share rises to {after.weight}" if rises and beyond else ""
    shown = sent(change.after, states[0].candidate) > sent(old, states[0].candidate)
    hand = change.ledger.careless  # who edits the route, or sets it back, moves requests by hand
    return f"the candidate's share rises to {after.weight}" if rises or (shown and not hand) else ""


def observes(state: State) -> bool:
    """Say whether facts are observed, and not attested by who merges."""
    return Policy.from_json(state.accepted.policy).proof is Proof.CLUSTER


def _asks_for_requests(shown: Shown) -> bool:
    """Say whether a gate about requests was merged here."""
    file = shown.version.file
    step = file.approved.step if file is not None and file.approved is not None else ""
    return shown.merged and step.endswith(TRAFFIC)


def sent(shown: Shown, revision: str | None) -> Fraction:
    """Give the share of the plain requests that a route sends to a revision."""
    if shown.route is None:
        return Fraction(0)
    pools = {name[1]: one.revision for name, one in shown.pools.items()}
    found = answering([shown.route.value], request_of(shown.route.value)) or ()
    parts = zip(found, shares(found), strict=True)
    return sum((part for one, part in parts if pools.get(one.name) == revision), Fraction(0))


def threshold_falls_by_merge(change: Change) -> str:
    states = change.states
    if states is None or change.before.merged or states[0].candidate is None:
        return ""
    old, new = states
    if old.candidate != new.candidate or everything_approved(old) or new.offered is None:
        return ""
    # A threshold at the number of replicas, or above it, protects all of them.
    counts = change.kind.counts(new.accepted.controls)
    coming = {name: number for name, number in (new.partition or {}).items() if number < counts.get(name, 0)}
    if change.kind.counted is not None:
        coming = {name: number for name, number in coming.items() if not _scaled_to_step(change, name)}
    low = _lowered(change.ledger.low, coming)
    return f"the partition falls to {new.partition} from {old.partition}" if low else ""


def _scaled_to_step(change: Change, name: str) -> bool:
    """Say whether a partition that counts replicas goes with other replicas, no further than its step."""
    if change.states is None:
        return False
    (before, after), new = map(_counts_of(change, name), change.states), change.states[1]
    step = step_in_force(new)
    moved = after - (new.partition or {}).get(name, after)
    return before != after and step is not None and moved <= step.replicas.of(after)


def _counts_of(change: Change, name: str) -> Callable[[State], int]:
    return lambda state: change.kind.counts(state.accepted.controls).get(name, 0)


def _lowered(old: Thresholds | None, new: Thresholds | None) -> bool:
    return any(number < (old or {}).get(name, number) for name, number in (new or {}).items())


def nothing_unknown_is_shown(change: Change) -> str:
    states = change.states
    if states is None:
        return ""
    old, new = states
    known = {old.stable, new.stable, old.candidate, *map(change.names, change.before.workloads)}
    known |= change.ledger.let_in
    coming = sorted({change.names(one) for one in change.after.workloads} - {one for one in known if one})
    return f"{coming[0]} is published, and nobody has let it in" if coming else ""


def seq_grows(change: Change) -> str:
    new = change.after.state
    if new is None or change.ledger.rewound:
        return ""
    return f"seq {new.seq} comes after {change.ledger.top}" if new.seq <= change.ledger.top else ""


def recorded_data_stays(change: Change) -> str:
    both = change.before.recorded.keys() & change.after.recorded.keys()
    changed = [
        name
        for name in sorted(both)
        if change.before.version.sound
        and at(change.before.recorded[name].value, "data") != at(change.after.recorded[name].value, "data")
    ]
    return f"the data of {changed[0]} has changed" if changed else ""


def lowest_never_rises(change: Change) -> str:
    if change.states is None:
        return ""
    old, new = change.states
    if old.candidate is None or new.candidate is None or old.lowest is None or new.lowest is None:
        return ""
    risen = [name for name, number in new.lowest.items() if number > old.lowest.get(name, number)]
    return f"lowest rises from {old.lowest} to {new.lowest}" if risen else ""


def stable_changes_by_complete(change: Change) -> str:
    if change.states is None or change.states[0].stable == change.states[1].stable:
        return ""
    file = change.before.version.file
    approved = file.approved if file is not None else None
    complete = change.before.merged and approved is not None and approved.step == COMPLETE
    old, new = change.states
    alike = _alike(change, old.stable, new.stable)
    done = not any(number for name, number in (old.partition or {}).items() if name not in alike)
    proven = complete or observes(old)
    return "" if proven and done else f"{new.stable} is made stable without `complete`"


def _alike(change: Change, one: str, other: str) -> set[str]:
    """Name the components that two revisions make alike: a threshold of theirs holds nothing back (R10)."""
    before, after = (change.kind.components(change.texts.get(name, {})) for name in (one, other))
    return {name for name, form in after.items() if before.get(name) == form}


def attempt_never_falls(change: Change) -> str:
    if change.states is None or change.ledger.rewound:
        return ""
    old, new = change.states
    return f"attempt {new.attempt} comes after {old.attempt}" if new.attempt < old.attempt else ""


def a_way_back_takes_requests_first(change: Change) -> str:
    new = change.after.state
    back = new is not None and new.candidate is not None and new.offered is None
    waits = new is not None and new.since.drain is not None
    stuck = back and not waits and new is not None and new.published.traffic
    return "a way back leaves the requests where they are" if stuck else ""
