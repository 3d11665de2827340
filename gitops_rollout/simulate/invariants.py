"""Every invariant that is checked after every step, with its number, in one table.

A number is that of research it comes from: G2.n (delivery-gateway), Rn (safety rules), Pn (the status and
safety invariants of the proposal for revision-aware graphs).
"""

from collections.abc import Iterator

from gitops_rollout.simulate import commit_laws as commits
from gitops_rollout.simulate import world_laws as world
from gitops_rollout.simulate.commit_laws import Change
from gitops_rollout.simulate.graph_invariants import GRAPHS, IN_PLACE, ROUTERS
from gitops_rollout.simulate.moments import Moment
from gitops_rollout.simulate.promises import Finding, Invariant, in_one_object

INVARIANTS = (
    Invariant(
        "R14 G2.17", "what a route names was published in an earlier commit", commits.reference_after_target
    ),
    Invariant("R14 G2.14", "a pool goes after every reference to it", commits.target_after_reference),
    Invariant("R6", "nothing is removed with its protection on", commits.protected_stays),
    Invariant("R5 G0", "one commit moves pods or requests, never both", commits.pods_or_requests),
    Invariant("G2.19", "what a published pool selects never changes", commits.selector_stays),
    Invariant("G2.17", "every route and pool is valid", commits.route_is_valid),
    Invariant("G2.18", "whatever serves requests carries its owner", commits.single_owner),
    Invariant("G2.7", "a route sends requests to two revisions at most", commits.at_most_two_answer),
    Invariant(
        "R15 R27",
        "a share of requests rises as far as a step says that was let in",
        commits.share_rises_by_merge,
    ),
    Invariant(
        "R15 R27",
        "a partition falls by a merged gate alone",
        commits.threshold_falls_by_merge,
        of=in_one_object,
    ),
    Invariant("R3 R15", "no revision is published that nobody let in", commits.nothing_unknown_is_shown),
    Invariant("R1", "seq grows and is never used again", commits.seq_grows),
    Invariant("G2.4", "the data of a recorded revision never changes", commits.recorded_data_stays),
    Invariant("R12", "the lowest partition shown never rises in a rollout", commits.lowest_never_rises),
    Invariant(
        "G2.11", "stable changes by `complete`, or by what is observed", commits.stable_changes_by_complete
    ),
    Invariant("R15", "attempts are counted upwards", commits.attempt_never_falls),
    Invariant(
        "G2.11",
        "what becomes stable is all that runs",
        moment=world.stable_is_all_that_runs,
        truthful=True,
    ),
    Invariant(
        "R13 P5", "a way back takes the requests first, at once", commits.a_way_back_takes_requests_first
    ),
    Invariant("R3 R9", "nothing runs that nobody let in", moment=world.nothing_runs_before_its_gate),
    Invariant(
        "G2.10 R12",
        "what the partition protects runs stable",
        moment=world.protected_ordinals_stay,
        truthful=True,
        of=in_one_object,
    ),
    Invariant(
        "R22 G2.3",
        "pods of stable are restarted by approved steps alone",
        moment=world.stable_is_restarted_by_steps_only,
        truthful=True,
        of=in_one_object,
    ),
    Invariant(
        "G2.7 R29", "two revisions at most are sent requests", moment=world.at_most_two_are_sent_requests
    ),
    Invariant(
        "G2.7 R13",
        "what is given up never grows",
        moment=world.what_is_given_up_only_shrinks,
        truthful=True,
    ),
    Invariant(
        "G2.13 G2.14 R14 P4",
        "requests always find a ready pod",
        moment=world.requests_find_pods,
        truthful=True,
    ),
    Invariant(
        "G2.15 R14 P2",
        "no share is larger than the replicas that carry it",
        moment=world.share_is_carried,
        truthful=True,
        of=in_one_object,
    ),
    Invariant(
        "G2.9 P1",
        "stable keeps what is protected",
        moment=world.floor_holds,
        truthful=True,
        of=in_one_object,
    ),
    Invariant("G2.19", "no two live pools select one pod", moment=world.pools_are_apart),
    Invariant(
        "G2.14 P4",
        "no pod goes while requests that left it are in flight",
        moment=world.nothing_in_flight_is_cut,
        truthful=True,
    ),
    Invariant(
        "G2.12 P3",
        "the workers that answer one request are of one revision",
        moment=world.workers_are_of_one_revision,
    ),
    *GRAPHS,
    *ROUTERS,
    *IN_PLACE,
)

SETTLES = Invariant("G2.25 R28", "passes that nobody disturbs come to rest and then write nothing")
NO_FORCE = Invariant("R3", "the service never sets the branch back")
SOAKS = Invariant("R16", "no gate opens before its step has soaked")
ENDS = Invariant("G2.25", "once faults stop and people merge, every rollout ends")
GOES_BACK = Invariant("R13 G2.21", "a way back is without requests when its deadlines have passed")
KEEPS_TO_STEP = Invariant("R7 R15", "no gate moves more replicas than its step allows")
PROVEN = Invariant("R20", "nothing is asked before what it stands on is seen, as it was published before")
OTHERS = (SETTLES, NO_FORCE, SOAKS, KEEPS_TO_STEP, PROVEN, ENDS, GOES_BACK)
"""Those that are checked where they happen: they are about a whole pass, or a whole run."""


def of_commit(tick: int, change: Change) -> Iterator[Finding]:
    """Find what a commit of the service breaks."""
    for one in INVARIANTS:
        seen = one.commit(change) if one.commit is not None and one.of(change.kind) else ""
        if seen:
            yield Finding(tick, one, seen)


def of_moment(before: Moment, after: Moment) -> Iterator[Finding]:
    """Find what a step breaks; what rests on attestations is not asked where people were careless."""
    for one in INVARIANTS:
        if one.moment is None or not one.of(after.kind) or (one.truthful and after.ledger.careless):
            continue
        seen = one.moment(before, after)
        if seen:
            yield Finding(after.tick, one, seen)
