"""What holds of requests on every way through a rollout (G2 7, 13 to 21; R5, R6, R14, R27)."""

from itertools import pairwise

from hypothesis import example, given
from hypothesis import strategies as st

from gitops_rollout.api.values import Json, Object, at
from gitops_rollout.gateway.inferencepool import pool_problems
from gitops_rollout.gateway.sound import sound_problems
from tests.drawn import drawn
from tests.rollout.play import Move
from tests.rollout.traffic_play import MARKED, PLAIN, POLICIES, Moment, TrafficPlay

MOVES: list[Move] = [
    *[("merge", None)] * 9,
    *[("image", f"engine:{name}") for name in "abc"],
    *[("replicas", number) for number in (0, 1, 2, 3, 6)],
    *[("policy", name) for name in POLICIES],
    *[("edit", None), ("revert", None), ("promote", "half"), ("promote", "all")],
    *[("abort", None), ("decline", None), ("retry", None), ("later", 11), ("later", 1)],
]
START: list[Move] = [("image", "engine:b"), ("merge", None), ("merge", None)]
FULL: list[Move] = [*START, *[("merge", None)] * 7]


def runs() -> st.SearchStrategy[list[Move]]:
    return st.lists(st.sampled_from(MOVES), max_size=14).map(lambda rest: [*START, *rest])


def changed(before: Moment, after: Moment, path: str) -> bool:
    return before.files.get(path) != after.files.get(path)


def spec(value: Object) -> Json:
    return at(value, "spec")


def r14_a_reference_comes_after_what_it_names(before: Moment, after: Moment) -> bool:
    return after.named - before.named <= before.pools.keys()


def r14_what_is_named_is_not_removed(before: Moment, after: Moment) -> bool:
    gone = before.pools.keys() - after.pools.keys()
    return not gone & before.named and not gone & after.named


def r6_nothing_goes_that_was_protected(before: Moment, after: Moment) -> bool:
    gone = before.pools.keys() - after.pools.keys()
    notes = [
        at(before.pools[name], "metadata", "annotations", "kustomize.toolkit.fluxcd.io/prune")
        for name in gone
    ]
    return not any(notes)


def r5_one_commit_moves_pods_or_requests_but_not_both(before: Moment, after: Moment) -> bool:
    return spec(before.workload) == spec(after.workload) or spec(before.route) == spec(after.route)


def g2_19_what_a_pool_selects_never_changes(before: Moment, after: Moment) -> bool:
    both = before.pools.keys() & after.pools.keys()
    return all(spec(before.pools[name]) == spec(after.pools[name]) for name in both)


def g2_17_every_route_is_valid(_before: Moment, after: Moment) -> bool:
    faults = [
        *(sound_problems(after.route) if after.route else ()),
        *map(pool_problems, after.pools.values()),
    ]
    return not any(faults)


def g2_7_at_most_two_revisions_are_sent_anything(_before: Moment, after: Moment) -> bool:
    return len({*after.sent(PLAIN), *after.sent(MARKED)}) <= 2


def g2_13_whoever_is_sent_requests_has_pods(_before: Moment, after: Moment) -> bool:
    """One replica, or none, cannot be on both sides: whoever scales down so far is told nothing else."""
    return sum(after.pods.values()) < 2 or all(
        after.running(revision) for revision in {*after.sent(PLAIN), *after.sent(MARKED)}
    )


def g2_17_a_marked_request_has_one_answer(_before: Moment, after: Moment) -> bool:
    marked, plain = after.sent(MARKED), after.sent(PLAIN)
    return marked == plain or len(marked) == 1


def r27_production_is_answered_until_people_let_the_route_go(before: Moment, after: Moment) -> bool:
    kept = at(before.route, "metadata", "annotations", "kustomize.toolkit.fluxcd.io/prune") is not None
    return sum(after.sent(PLAIN).values()) == 100 or (not kept and not after.route)


def r27_a_share_rises_by_a_merge_alone(before: Moment, after: Moment) -> bool:
    candidate, stable = (str(at(after.record, "state", who)) for who in ("candidate", "stable"))
    rises = [
        request
        for request in (PLAIN, MARKED)
        if after.sent(request).get(candidate, 0) > before.sent(request).get(candidate, 0)
    ]
    fence = str(before.record["fence"]).partition("-")[0]
    return not rises or stable == candidate or int(fence) == int(str(at(before.record, "state", "seq"))) + 1


LAWS = [
    r14_a_reference_comes_after_what_it_names,
    r14_what_is_named_is_not_removed,
    r6_nothing_goes_that_was_protected,
    r5_one_commit_moves_pods_or_requests_but_not_both,
    g2_19_what_a_pool_selects_never_changes,
    g2_17_every_route_is_valid,
    g2_7_at_most_two_revisions_are_sent_anything,
    g2_13_whoever_is_sent_requests_has_pods,
    g2_17_a_marked_request_has_one_answer,
    r27_production_is_answered_until_people_let_the_route_go,
    r27_a_share_rises_by_a_merge_alone,
]


@given(moves=runs())
@example(moves=FULL)
@example(moves=[*FULL[:-1], ("abort", None), ("merge", None), ("merge", None), ("merge", None)])
@example(moves=[*FULL[:-1], ("image", "engine:a"), ("later", 11), ("later", 11), ("merge", None)])
@example(moves=[*FULL[:-1], ("image", "engine:c"), ("merge", None), ("merge", None)])
@example(moves=[*FULL[:-1], ("replicas", 6), ("replicas", 2)])
@example(moves=[*FULL[:7], ("replicas", 1), ("later", 11), ("merge", None), ("replicas", 6)])
@example(moves=[*FULL[:7], ("replicas", 0), ("later", 11), ("replicas", 3)])
@drawn(60)
def test_every_commit_keeps_every_law(moves: list[Move]) -> None:
    moments = [moment for _, moment in TrafficPlay().moments(moves)]
    ours = [(before, after) for before, after in pairwise(moments) if not after.by_hand]
    assert [law.__name__ for before, after in ours for law in LAWS if not law(before, after)] == []


@given(moves=runs())
@drawn(25)
def test_with_people_who_merge_every_rollout_ends_on_one_revision(moves: list[Move]) -> None:
    play = TrafficPlay()
    list(play.moments(moves))
    play.finish()
    state = play.stage.state
    assert (state.candidate, state.offered, state.published.traffic) == (None, None, False)


@given(moves=runs())
@drawn(25)
def test_a_way_back_ends_without_anybody_but_the_clock(moves: list[Move]) -> None:
    play = TrafficPlay()
    list(play.moments([*moves, ("abort", None)]))
    for _ in range(4):
        play.stage.later(minutes=11).settle()
    state = play.stage.state
    assert state.offered is not None or not state.published.traffic
