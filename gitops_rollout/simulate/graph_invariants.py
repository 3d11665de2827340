"""The invariants of graphs: of revisions beside each other, of routers that are told, and of one object."""

from gitops_rollout.simulate import graph_laws as graphs
from gitops_rollout.simulate import in_place_laws as in_place
from gitops_rollout.simulate import router_laws as routers
from gitops_rollout.simulate.promises import Invariant, beside, counted

GRAPHS = (
    Invariant(
        "R17", "no graph's Dynamo namespace begins with another one's", graphs.scopes_are_apart, of=beside
    ),
    Invariant(
        "R13 R24 P5",
        "a graph keeps the replicas that its requests need",
        graphs.replicas_follow_requests,
        of=beside,
    ),
    Invariant(
        "R15 R27",
        "a candidate's graph grows by a merged gate, or with the source's replicas",
        graphs.candidate_grows_by_merge,
        of=beside,
    ),
    Invariant("8.17", "prefill leaves last", graphs.what_others_need_goes_last, of=beside),
    Invariant(
        "G2.14 8.18", "a graph is removed when it is empty", graphs.what_is_removed_is_empty, of=beside
    ),
    Invariant(
        "8.15",
        "prefill and decode of a candidate grow in proportion",
        graphs.components_grow_in_proportion,
        of=beside,
    ),
    Invariant(
        "R17 P3",
        "a router finds workers of its own graph alone, or of the one that it is bound to",
        moment=graphs.routers_keep_to_their_graph,
        of=beside,
    ),
    Invariant(
        "G2.13 8.15 P2",
        "whoever is sent requests has one of each component that answers",
        moment=graphs.every_component_answers,
        truthful=True,
        of=beside,
    ),
    Invariant(
        "G2.15 R14 P2",
        "of each component there is as much as its share of the requests",
        moment=graphs.each_share_is_carried,
        truthful=True,
        of=beside,
    ),
    Invariant(
        "G2.9 P1",
        "stable keeps what people protect of each component",
        moment=graphs.components_keep_their_floor,
        truthful=True,
        of=beside,
    ),
    Invariant(
        "G2.7",
        "all pods are of two graphs at most, and of those whose workers these use",
        moment=graphs.two_graphs_at_most_have_pods,
        truthful=True,
        of=beside,
    ),
    Invariant(
        "R17",
        "the graph whose workers a router uses is there",
        moment=graphs.routers_have_their_workers,
        truthful=True,
        of=beside,
    ),
    Invariant(
        "R22", "no pod of a graph is changed in place", moment=graphs.nothing_is_changed_in_place, of=beside
    ),
    Invariant(
        "P4",
        "a graph stays as long as requests are sent to it or in flight in it",
        moment=graphs.what_is_named_stays,
        truthful=True,
        of=beside,
    ),
)
"""Those about revisions beside each other."""

ROUTERS = (
    Invariant(
        "R5 R19", "what routers are told changes in a commit of its own", routers.routers_are_told_alone
    ),
    Invariant("R19", "versions of what routers are told only grow", routers.told_versions_grow),
    Invariant("G2.12", "what routers are told to choose goes together", routers.told_is_coherent),
    Invariant("R18", "who serves a request was told", moment=routers.who_answers_was_told),
    Invariant("R19", "accepted versions grow, each with one body", moment=routers.accepted_versions_grow),
    Invariant(
        "G2.12 P3", "a router finds the workers that it chooses", moment=routers.chosen_workers_are_found
    ),
)
"""Those about routers that are told whom to choose."""

IN_PLACE = (
    Invariant(
        "R26",
        "nothing of a candidate runs where the field that holds it back is pruned",
        moment=in_place.nothing_runs_where_the_field_is_pruned,
        truthful=True,
        of=counted,
    ),
    Invariant(
        "R12 P1",
        "stable keeps the partition of each component",
        moment=in_place.components_keep_their_partition,
        truthful=True,
        of=counted,
    ),
    Invariant("G2.10", "no partition is above its replicas", in_place.partitions_fit, of=counted),
)
"""Those about graphs that hold both revisions."""
