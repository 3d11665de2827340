"""The proposal's own block: what it may say, and what warns that it says it."""

import pytest

from gitops_rollout.api.values import Json, Object
from tests.kinds.dynamograph.manifests import alpha, component, frontend, graph, refused, warned

PATH = "spec.rollout"
PAIR = (component("prefill", "prefill"), component("decode", "decode", replicas=4))


def rolled(**rollout: Json) -> Object:
    """Give a graph of router, prefill and decode (4 replicas) with a rollout."""
    return graph(frontend(), *PAIR, rollout={**rollout})


def entries(*written: Json) -> Object:
    return rolled(components=[*written])


def groups(*written: list[Json]) -> Object:
    named: list[Json] = [{"name": f"g{at}", "components": one} for at, one in enumerate(written)]
    return rolled(releaseGroups=named)


def kept(partition: Json) -> Object:
    return entries({"name": "decode", "partition": partition})


CONTRACT: Json = {"edge": ["prefill", "decode"], "contract": "nixl/0.7"}
PARTED: Json = {"name": "g", "components": ["router", "decode"]}
MULTI = component("decode", multinode={"nodeCount": 2})

REFUSALS: list[tuple[Object, str, str]] = [
    (entries({"partition": 1}), "components[0].name", "REQUIRED"),
    (entries({"name": "ghost"}), "components[0].name", "UNKNOWN_COMPONENT"),
    (entries({"name": "Decode"}), "components[0].name", "UNKNOWN_COMPONENT"),
    (entries({"name": "decode"}, {"name": "decode"}), "components[1].name", "DUPLICATE_NAME"),
    (kept(5), "components[0].partition", "RANGE"),
    (kept(-1), "components[0].partition", "RANGE"),
    (kept("50%"), "components[0].partition", "TYPE"),
    (kept("2"), "components[0].partition", "TYPE"),
    (kept(1.5), "components[0].partition", "TYPE"),
    (kept(True), "components[0].partition", "TYPE"),
    (entries({"name": "decode", "paused": "yes"}), "components[0].paused", "TYPE"),
    (
        graph(MULTI, rollout={"components": [{"name": "decode", "partition": 1}]}),
        "components[0].partition",
        "STRATEGY",
    ),
    (
        graph(
            component(),
            annotations={"nvidia.com/deployment-strategy": "Recreate"},
            rollout={"components": [{"name": "decode", "partition": 1}]},
        ),
        "components[0].partition",
        "STRATEGY",
    ),
    (groups([]), "releaseGroups[0].components", "REQUIRED"),
    (groups(["ghost", "prefill", "decode"]), "releaseGroups[0].components[0]", "UNKNOWN_COMPONENT"),
    (groups(["router", "router"]), "releaseGroups[0].components[1]", "OVERLAP"),
    (groups(["prefill", "decode", "router"], ["router"]), "releaseGroups[1].components[0]", "OVERLAP"),
    (groups(["router", "decode"]), "releaseGroups[0].components", "PARTED"),
    (rolled(releaseGroups=[{"components": ["router"]}]), "releaseGroups[0].name", "REQUIRED"),
    (
        rolled(releaseGroups=[{"name": "g", "components": ["router"], "revisionAffinity": "maybe"}]),
        "releaseGroups[0].revisionAffinity",
        "ENUM",
    ),
    (
        rolled(releaseGroups=[PARTED], compatibility=[{"edge": ["router", "worker"], "contract": "x"}]),
        "releaseGroups[0].components",
        "PARTED",
    ),
    (rolled(compatibility=[{"edge": ["prefill"], "contract": "x"}]), "compatibility[0].edge", "REQUIRED"),
    (rolled(compatibility=[{"edge": ["prefill", "decode"]}]), "compatibility[0].contract", "REQUIRED"),
    (
        rolled(compatibility=[{"edge": ["prefill", "ghost"], "contract": "x"}]),
        "compatibility[0].edge[1]",
        "UNKNOWN_COMPONENT",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("value", "path", "code"), REFUSALS, ids=[f"{r[1]}:{r[2]}" for r in REFUSALS])
def test_what_cannot_be_kept_is_refused_with_its_path(value: Object, path: str, code: str) -> None:
    assert refused(value) == [(f"{PATH}.{path}", code)]


@pytest.mark.parametrize(
    "value",
    [
        groups(["router"], ["prefill", "decode"]),
        groups(["router"]),
        rolled(releaseGroups=[PARTED], compatibility=[CONTRACT]),
        entries({"name": "decode", "partition": 0}),
        graph(frontend(), component(), rollout={"releaseGroups": [PARTED]}),
    ],
)
def test_what_can_be_kept_is_accepted_without_a_word(value: Object) -> None:
    assert warned(value) == []


def test_partition_and_pause_of_a_graph_that_moves_as_a_whole_are_told() -> None:
    value = entries({"name": "decode", "partition": 4}, {"name": "prefill", "paused": True})
    assert warned(value) == [
        (f"{PATH}.components[0].partition", "NO_EFFECT"),
        (f"{PATH}.components[1].paused", "NO_EFFECT"),
    ]


def test_v1alpha1_may_carry_it_too() -> None:
    rollout: Object = {"components": [{"name": "decode", "partition": 2}]}
    assert refused(alpha(rollout=rollout)) == [(f"{PATH}.components[0].partition", "RANGE")]
