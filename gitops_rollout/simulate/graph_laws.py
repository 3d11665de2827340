"""What holds where revisions stand beside each other, each an object of its own.

Components are told apart: a request needs one of each, so that the scarcest of them counts.
"""

from collections.abc import Mapping
from fractions import Fraction
from itertools import combinations

from gitops_rollout.api.policy import Policy
from gitops_rollout.api.workload import Thresholds
from gitops_rollout.kinds.dynamograph.graph import Graph
from gitops_rollout.kinds.protocol import Kind
from gitops_rollout.rollout import beside
from gitops_rollout.rollout.gate import step_in_force
from gitops_rollout.rollout.state import State
from gitops_rollout.simulate.commit_laws import Change, sent
from gitops_rollout.simulate.controllers import Why
from gitops_rollout.simulate.moments import Count, Moment, Shown, side_of
from gitops_rollout.simulate.world_laws import percent


def scopes_are_apart(change: Change) -> str:
    """No Dynamo namespace of a graph begins with another one's: routers look for workers by prefix."""
    file, kind = change.after.version.file, change.kind.beside
    if file is None or kind is None:
        return ""
    scopes = sorted(kind.scope(file.key.namespace, one.name) for one in file.state.graphs)
    wrong = [(one, other) for one, other in combinations(scopes, 2) if other.startswith(one)]
    return f"{wrong[0][1]} begins with {wrong[0][0]}" if wrong else ""


def replicas_follow_requests(change: Change) -> str:
    """What a commit takes from a revision is not needed by the requests that the route sends it."""
    if change.states is None:
        return ""
    before, after = _sides(change, change.before), _sides(change, change.after)
    for revision in sorted(before.keys() & after.keys()):
        fewer = [name for name, count in before[revision].items() if after[revision].get(name, 0) < count]
        needed = _needed(change.kind, change.states[1], _share(change.before, revision))
        short = [name for name in fewer if after[revision].get(name, 0) < needed.get(name, 0)]
        if short:
            left, name = after[revision].get(short[0], 0), short[0]
            return f"{name} of {revision} falls to {left}, and its requests need {needed[name]}"
    return ""


def _sizes(change: Change, shown: Shown) -> Mapping[str, Thresholds]:
    """Give the replicas of each revision's own graph."""
    return {change.names(one): change.wanted(one) for one in shown.workloads}


def _sides(change: Change, shown: Shown) -> Mapping[str, Thresholds]:
    """Give the replicas that serve each revision: of its own graph, and of the one whose workers it uses."""
    state, own = shown.state, _sizes(change, shown)
    if state is None:
        return own
    wanted = {one.name[1]: change.wanted(one) for one in shown.workloads}
    return {one: side_of(state, one, wanted) if state.graph(one) is not None else own[one] for one in own}


def _share(shown: Shown, revision: str) -> Fraction:
    """Give the share of the plain requests that a route sends to a revision; any marked one is a little."""
    pools = {name for name, one in shown.pools.items() if one.revision == revision}
    named = shown.route is not None and bool(shown.route.references & pools)
    return sent(shown, revision) or (Fraction(1, 1000) if named else Fraction(0))


def _needed(kind: Kind, state: State, share: Fraction) -> Thresholds:
    """Give what a share of the requests needs of each component, less what may be unavailable (R24)."""
    policy, group = Policy.from_json(state.accepted.policy), beside.routed_group(kind, state)
    found = {}
    for name, count in kind.counts(state.accepted.controls).items():
        if share and (not group or name in group):
            spared = policy.capacity.max_unavailable.down(count)
            found[name] = max(min(1, count), int(share * count) - spared)
    return found


def candidate_grows_by_merge(change: Change) -> str:
    """What is shown of a candidate grows only as a gate says, and with the replicas that the source wants."""
    if change.states is None or change.before.merged or change.ledger.careless:
        return ""
    old, new = change.states
    scaled = change.kind.counts(old.accepted.controls) != change.kind.counts(new.accepted.controls)
    before, after = _sizes(change, change.before), _sizes(change, change.after)
    revision = new.candidate or ""
    more = [name for name, count in after.get(revision, {}).items() if count > _left(before, revision, name)]
    following = scaled and new.offered == new.candidate
    return f"{more[0]} of {revision} grows" if more and not following else ""


def what_others_need_goes_last(change: Change) -> str:
    """Prefill hands its cache over to decode until decode is gone (Dynamo #11173)."""
    if change.states is None or change.kind.beside is None:
        return ""
    before, after = _sizes(change, change.before), _sizes(change, change.after)
    desired = change.kind.counts(change.states[1].accepted.controls)
    for revision in sorted(before):
        last = change.kind.beside.last_down(change.texts.get(revision, {}))
        gone = [name for name in last if before[revision].get(name) and not _left(after, revision, name)]
        others = [name for name in before[revision] if name not in last and before[revision][name]]
        wanted = [name for name in gone if desired.get(name)]
        if wanted and others:
            return f"{wanted[0]} of {revision} goes, and {others[0]} still runs"
    return ""


def _left(sizes: Mapping[str, Thresholds], revision: str, component: str) -> int:
    return sizes.get(revision, {}).get(component, 0)


def what_is_removed_is_empty(change: Change) -> str:
    if change.states is None or not change.before.intact or change.ledger.rewound:
        return ""
    before, after = _sizes(change, change.before), _sizes(change, change.after)
    full = [revision for revision, sizes in before.items() if revision not in after and any(sizes.values())]
    return f"the graph of {full[0]} is removed with its replicas" if full else ""


def components_grow_in_proportion(change: Change) -> str:
    """Prefill and decode of a candidate differ by less than one replica from one share (Dynamo #10936)."""
    state, kind = change.after.state, change.kind
    step = step_in_force(state) if state is not None else None
    if state is None or step is None or not step.replicas.percent or state.offered != state.candidate:
        return ""
    graph, desired = state.graph(state.candidate), kind.counts(state.accepted.controls)
    if graph is None or graph.replicas is None:
        return ""
    floors, held = kind.floors(state.accepted.controls), beside.frozen(kind, state)
    workers = [one.name for one in Graph(change.texts.get(graph.revision, {})).components() if one.is_worker]
    pair = [name for name in workers if not floors.get(name) and name not in held]
    has = graph.replicas
    for one, other in combinations(sorted(pair), 2):
        most = max(desired[one], desired[other])
        if abs(has.get(one, 0) * desired[other] - has.get(other, 0) * desired[one]) > most:
            return (
                f"{has.get(one)} of {desired[one]} {one} beside {has.get(other)} of {desired[other]} {other}"
            )
    return ""


def routers_keep_to_their_graph(_before: Moment, after: Moment) -> str:
    """A router finds workers of its own graph, or of the one that it is bound to by a contract; no others."""
    strange = [
        (reach.router, pod)
        for reach in after.reach
        for found in reach.sets
        for pod in found
        if pod.graph != after.bound.get(reach.router.graph, reach.router.graph)
    ]
    return f"{strange[0][0].component} of {strange[0][0].graph} finds {strange[0][1]}" if strange else ""


def every_component_answers(_before: Moment, after: Moment) -> str:
    """Whoever is sent requests has one of each component at least that answers (8.15)."""
    state, parts = after.state, after.sides
    if state is None or after.ledger.overdue or after.ledger.scaled:
        return ""
    for revision in sorted(after.answers.revisions & after.ledger.let_in):
        names = _components(after, state, revision)
        lacking = [name for name in names if not parts.get(revision, {}).get(name, Count()).ready]
        if lacking and not after.is_hurt(revision):
            return f"requests are sent to {revision}, of which no {lacking[0]} answers"
    return ""


def _components(moment: Moment, state: State, revision: str) -> list[str]:
    group = beside.routed_group(moment.kind, state)
    return sorted(name for name in moment.shapes.get(revision, ()) if not group or name in group)


def each_share_is_carried(_before: Moment, after: Moment) -> str:
    """Of each component there is at least the part that the requests are of all, for either revision."""
    state = after.state
    if state is None or state.candidate is None or after.ledger.overdue or after.ledger.scaled:
        return ""
    for revision in (state.stable, state.candidate):
        share = after.answers.plain.get(revision, Fraction(0))
        for name, least in _needed(after.kind, state, share).items():
            ready = after.sides.get(revision, {}).get(name, Count()).ready
            known = name in after.shapes.get(revision, ())
            if known and ready < least and not after.is_hurt(revision):
                return f"{percent(share)} of the requests go to {ready} {name} of {revision}"
    return ""


def components_keep_their_floor(_before: Moment, after: Moment) -> str:
    """Stable keeps what people protect of each component, as long as there is a candidate."""
    state = after.state
    if state is None or state.candidate is None or after.ledger.scaled or after.is_hurt(state.stable):
        return ""
    counts = after.kind.counts(state.accepted.controls)
    for name, floor in after.kind.floors(state.accepted.controls).items():
        least, ready = min(floor, counts[name]), after.sides.get(state.stable, {}).get(name, Count()).ready
        if ready < least:
            return f"{ready} of {least} protected {name} of stable answer"
    return ""


def two_graphs_at_most_have_pods(_before: Moment, after: Moment) -> str:
    """All pods are of two revisions: in the graph of each, and in the one whose workers its routers use."""
    graphs = {pod.graph for pod in after.pods}
    sides = [{name, after.bound.get(name, name)} for name in sorted(graphs)]
    two = len(graphs) <= 2 or any(graphs <= one | other for one, other in combinations(sides, 2))
    return "" if two else f"{', '.join(sorted(graphs))} have pods"


def routers_have_their_workers(_before: Moment, after: Moment) -> str:
    """The graph whose workers a router uses is live, as long as there is a pod of that router (R17)."""
    live = {name for _, name in after.live}
    lost = [
        one.router.graph for one in after.reach if after.bound.get(one.router.graph, "") not in {"", *live}
    ]
    return f"{lost[0]} has routers, and {after.bound[lost[0]]} is not there" if lost else ""


def nothing_is_changed_in_place(_before: Moment, after: Moment) -> str:
    rolled = [death.pod for death in after.deaths if death.why is Why.ROLLED]
    return f"{rolled[0].component} of {rolled[0].graph} is rolled" if rolled else ""


def what_is_named_stays(_before: Moment, after: Moment) -> str:
    """A graph is there as long as requests are sent to it, or are still in flight in it."""
    state, live = after.state, {name for _, name in after.live}
    if state is None or after.ledger.overdue:
        return ""
    needed = {
        name
        for one in state.graphs
        if one.revision in after.answers.revisions | after.draining
        for name in (one.name, *([one.workers] if one.workers else ()))
    }
    gone = sorted(needed - live)
    return f"{gone[0]} is gone, and requests of it are not" if gone else ""
