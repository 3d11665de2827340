"""What holds of the world after every step: of the moment before it and of the one after."""

from fractions import Fraction

from gitops_rollout.api.workload import WHOLE, Thresholds
from gitops_rollout.rollout import routing
from gitops_rollout.rollout.state import State
from gitops_rollout.simulate.controllers import Pod, Why
from gitops_rollout.simulate.gateway import NOWHERE, Shares
from gitops_rollout.simulate.moments import Moment


def nothing_runs_before_its_gate(_before: Moment, after: Moment) -> str:
    early = [pod for pod in after.pods if not after.revisions(pod) & after.ledger.let_in]
    return f"{after.revision(early[0])} runs, and nobody has let it in" if early else ""


def protected_ordinals_stay(_before: Moment, after: Moment) -> str:
    state, low = after.state, after.ledger.low
    if state is None or low is None or state.candidate is None:
        return ""
    wrong = [
        pod
        for pod in after.pods
        if after.revision(pod) == state.candidate and pod.place is not None and pod.place < _low(low, pod)
    ]
    return f"ordinal {wrong[0].place} runs {state.candidate} below {low}" if wrong else ""


def _low(low: Thresholds, pod: Pod) -> int:
    return low.get(WHOLE, low.get(pod.component, 0))


def stable_is_restarted_by_steps_only(before: Moment, after: Moment) -> str:
    state, low = before.state, after.ledger.low
    if state is None:
        return ""
    rolled = [
        death.pod
        for death in after.deaths
        if death.why is Why.ROLLED and before.revision(death.pod) == state.stable
    ]
    wrong = [pod for pod in rolled if low is None or (pod.place is not None and pod.place < _low(low, pod))]
    late = not _is_applied(after)  # whoever applies the output is behind, or a hand was faster
    return (
        f"a pod of stable {state.stable} is restarted (ordinal {wrong[0].place})"
        if wrong and not late
        else ""
    )


def at_most_two_are_sent_requests(_before: Moment, after: Moment) -> str:
    revisions = after.answers.revisions - {NOWHERE}
    return f"{sorted(revisions)} are sent requests" if len(revisions) > 2 else ""


def what_is_given_up_only_shrinks(before: Moment, after: Moment) -> str:
    """Whoever applies the output comes late may still grow it: that is no longer ours to hold."""
    grown = [
        revision
        for revision, count in after.counts.items()
        if after.serving
        and revision not in after.serving | (after.ledger.whole if after.kind.beside is None else frozenset())
        and count.existing > before.count(revision).existing
    ]
    return f"replicas of {grown[0]} grow, which was given up" if grown and _is_applied(after) else ""


def _is_applied(moment: Moment) -> bool:
    head = moment.head
    return head is not None and all(moment.live.get(one.name) is one for one in head.workloads)


def requests_find_pods(_before: Moment, after: Moment) -> str:
    for shares in (after.answers.plain, after.answers.marked):
        lost = _unanswered(after, shares)
        if lost:
            return lost
    return ""


def _unanswered(moment: Moment, shares: Shares) -> str:
    if moment.ledger.overdue or moment.ledger.scaled:
        return ""
    for revision, share in shares.items():
        if revision == NOWHERE:
            return f"{percent(share)} of the requests go to a pool that is not there"
        if not moment.pools.ready.get(revision, 0) and not moment.is_hurt(revision):
            return f"{percent(share)} of the requests go to {revision}, of which no pod is ready"
    return ""


def percent(share: Fraction) -> str:
    """Write a share for people."""
    return f"{round(float(share) * 100)} %"


def share_is_carried(_before: Moment, after: Moment) -> str:
    state = after.state
    if state is None or state.candidate is None or after.ledger.overdue or after.ledger.scaled:
        return ""
    if state.published.step == routing.RESTORED:
        return ""  # stable gets replicas back before requests: of one object both come from the candidate
    share = after.answers.plain.get(state.candidate, Fraction(0))
    ready, hurt = after.answering(state.candidate).ready, after.is_hurt(state.candidate)
    alone = after.asked - ready <= _in_each(after, state)  # stable keeps one while it is sent requests
    if hurt or alone or share * after.asked <= ready:
        return ""
    return f"{percent(share)} of the requests go to {ready} of {after.asked} replicas"


def _in_each(moment: Moment, state: State) -> int:
    """Give in how many groups a threshold holds: in each of them, where roles roll by themselves (R10)."""
    kind, controls = moment.kind, state.accepted.controls
    if kind.beside is not None or not kind.by_component(controls):
        return 1
    return max(1, moment.asked // (routing.split(kind, state).total or 1))


def floor_holds(_before: Moment, after: Moment) -> str:
    """Stable keeps what the partition in force protects, but for what died or starts by itself.

    A partition of ordinals protects ordinals: where some below it are missing, fewer run (Kthena #1797).
    """
    state, low = after.state, after.ledger.low
    if state is None or low is None or state.candidate is None or after.ledger.scaled:
        return ""
    floor = min(after.asked, low.get(WHOLE, low.get(after.component or "", 0)))
    missing = floor - len({pod.place for pod in after.pods if pod.place is not None and pod.place < floor})
    starting = sum(not pod.ready for pod in after.pods if pod.place is not None and pod.place < floor)
    gaps = missing + starting if any(pod.place is not None for pod in after.pods) else 0
    ready = after.count(state.stable).ready
    if ready >= floor - gaps or after.is_hurt(state.stable):
        return ""
    return f"{ready} of {floor} protected replicas of stable answer"


def pools_are_apart(_before: Moment, after: Moment) -> str:
    return f"{after.pools.shared} are selected by two pools" if after.pools.shared else ""


def stable_is_all_that_runs(before: Moment, after: Moment) -> str:
    """When stable changes, nothing is left that only another revision would make."""
    old, new = before.state, after.state
    if old is None or new is None or old.stable == new.stable:
        return ""
    others = [pod for pod in after.pods if new.stable not in after.served(pod)]
    return f"{new.stable} is made stable, and {after.revision(others[0])} still runs" if others else ""


def nothing_in_flight_is_cut(before: Moment, after: Moment) -> str:
    """Pods that are asked to go have no request of a route any more that is in force no more.

    In one object an ordinal is replaced while its revision still gets requests, and ends its own by itself.
    """
    shares = before.answers.revisions if before.kind.beside is None else frozenset()
    gone = [before.revision(death.pod) for death in after.deaths if death.why is not Why.DIED]
    cut = [revision for revision in gone if revision in before.draining - shares]
    excused = after.ledger.overdue or after.ledger.scaled or not _is_applied(after)
    return (
        f"pods of {cut[0]} go, and requests that were sent to it are in flight" if cut and not excused else ""
    )


def workers_are_of_one_revision(_before: Moment, after: Moment) -> str:
    for reach in after.reach:
        for found in reach.sets:
            alike = [after.revisions(pod) for pod in found]
            if alike and not frozenset.intersection(*alike):
                return (
                    f"{reach.router.component} of {reach.router.graph} finds {sorted(*alike[:1])} and others"
                )
    return ""
