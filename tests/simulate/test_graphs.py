"""Graphs played to their end, and what their operator does (research: Dynamo's managed rolling update)."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from typer.testing import CliRunner

from gitops_rollout.cli.app import app
from gitops_rollout.documents.load import Limits, load
from gitops_rollout.simulate.dynamo import Dynamo
from gitops_rollout.simulate.faults import Faults
from gitops_rollout.simulate.manifests import Manifest
from gitops_rollout.simulate.run import played, prepared
from gitops_rollout.simulate.wishes import NotPlayable
from tests.rollout.graphs import ALL_GATES
from tests.simulate.graph_runs import NEW_GRAPH, SIZES, alpha, beta, graph_wishes

GATES = {"whole": ["all", "complete"], "new-graph": ["attach", *ALL_GATES]}


@pytest.mark.parametrize("write", [beta, alpha])
@pytest.mark.parametrize("policy", GATES)
def test_a_graph_is_played_to_its_end(policy: str, write: Callable[..., bytes]) -> None:
    run = played(graph_wishes(policy, write), Faults())
    assert run.findings == ()
    assert [row.merges for row in run.timeline.rows if row.merges] == GATES[policy]


def test_both_versions_of_the_api_are_one_revision() -> None:
    revisions = [played(graph_wishes("whole", write), Faults()).revisions for write in (beta, alpha)]
    assert revisions[0] == revisions[1]


def picker(image: str, sizes: Mapping[str, int]) -> bytes:
    config = b"type: epp\n    eppConfig: {configMapRef: {name: epp, key: config}}"
    return beta(image, {**sizes, "Frontend": 1}).replace(b"type: frontend", config)


def test_a_route_to_a_picker_is_not_played_yet() -> None:
    pools = NEW_GRAPH.replace("backend: Service", "implementation: istio")
    with pytest.raises(NotPlayable, match="picker"):
        prepared(graph_wishes(pools, picker), Faults())


def test_the_command_tells_components_and_draws_a_graph(tmp_path: Path) -> None:
    texts = {"a.yaml": alpha("a"), "b.yaml": alpha("b"), "policy.yaml": NEW_GRAPH.encode()}
    for name, text in texts.items():
        (tmp_path / name).write_bytes(text)
    first, second, policy = (str(tmp_path / name) for name in texts)
    words = ["simulate", first, second, "--policy", policy, "-o", "json", "--svg", str(tmp_path / "run.svg")]
    rows = json.loads(CliRunner().invoke(app, words).stdout)["timeline"]
    sizes = {
        name: count["ready"] for parts in rows[-1]["components"].values() for name, count in parts.items()
    }
    assert sizes == SIZES
    assert "canary-traffic" in (tmp_path / "run.svg").read_text()


def manifest(text: bytes) -> Manifest:
    value = load(text, Limits())[0].value
    assert isinstance(value, dict)
    return Manifest(text, value)


def running(*texts: bytes, ticks: int = 6) -> Dynamo:
    """Let the operator come to rest with these graphs."""
    dynamo, objects = Dynamo(), [manifest(text) for text in texts]
    for _ in range(ticks):
        dynamo.tick(objects)
    return dynamo


def test_an_update_never_has_fewer_than_may_be_unavailable() -> None:
    dynamo, least = running(beta("a")), 10
    for _ in range(12):
        dynamo.tick([manifest(beta("b"))])
        least = min(least, sum(pod.ready for pod in dynamo.pods if pod.component == "Decode"))
    assert (least, {pod.made_from for pod in dynamo.pods}) == (3, set(made("b").values()))


def made(image: str) -> dict[str, str]:
    return dict(Dynamo().made_from(manifest(beta(image)).value))


def test_a_change_of_one_worker_rolls_all_workers_and_no_router() -> None:
    before, after = made("a"), dict(Dynamo().made_from(manifest(changed("Decode")).value))
    assert {name for name in before if before[name] != after[name]} == {"Prefill", "Decode"}


def changed(component: str) -> bytes:
    head, _, rest = beta("a").partition(component.encode())
    return head + component.encode() + rest.replace(b"engine:a", b"engine:b", 1)


def test_replicas_and_their_adapters_make_no_other_pods() -> None:
    assert made("a") == dict(Dynamo().made_from(manifest(beta("a", dict.fromkeys(SIZES, 9))).value))


def test_a_router_answers_when_it_finds_a_worker_of_each_kind() -> None:
    without = running(beta("a", {**SIZES, "Prefill": 0}))
    assert {pod.component for pod in without.pods if pod.ready} == {"Decode"}
    assert {pod.component for pod in running(beta("a")).pods if pod.ready} == set(SIZES)


def test_a_router_finds_the_workers_of_every_graph_whose_name_begins_like_its_own() -> None:
    two = running(beta("a"), beta("b").replace(b"name: chat", b"name: chat-eu"))
    found = {reach.router.graph: {pod.graph for one in reach.sets for pod in one} for reach in two.reach}
    assert found == {"chat": {"chat", "chat-eu"}, "chat-eu": {"chat-eu"}}


def test_an_object_that_is_deleted_takes_its_pods_along() -> None:
    dynamo = running(beta("a"))
    dynamo.tick([])
    assert dynamo.pods == ()
