"""Who else reads the output: kubectl builds it, the CRDs take it, an API server would add nothing to it."""

from collections.abc import Iterator
from copy import deepcopy
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import jsonschema
import pytest
import yaml

from gitops_rollout.gateway.sound import sound_problems
from gitops_rollout.rollout.draft import Order
from tests import gitrepo
from tests.gateway.objects import CHECKS, CRDS
from tests.golden.routed import UP, source, started, through
from tests.passes.world import World
from tests.project.checkout import ROOT, build, documents
from tests.shared import shared

Objects: TypeAlias = dict[tuple[str, str, str], Any]
"""By kind, namespace and name."""

EXAMPLES = ("worked-example", "routed-example")
STOPS = [stop for name in EXAMPLES for stop in sorted((ROOT / "tests/golden" / name).iterdir())]
ROUTED = [stop for stop in STOPS if stop.parent.name == "routed-example"]
PRUNE = "kustomize.toolkit.fluxcd.io/prune"


def named(stop: Path) -> str:
    return f"{stop.parent.name}/{stop.name}"


def by_name(objects: list[Any]) -> Objects:
    """Give objects by who they are; two of one name are one too many."""
    found = {(o["kind"], o["metadata"].get("namespace", ""), o["metadata"]["name"]): o for o in objects}
    assert len(found) == len(objects)
    return found


@cache
def built(folder: Path) -> Objects:
    return by_name(build(folder))


def parts(root: Path, half: str = "*") -> list[Path]:
    """Give what can be applied alone: `capacity` and `traffic` of each workload, and other objects."""
    alone = [*root.glob(f"*/*/{half}/kustomization.yaml"), *root.glob("*/_others/kustomization.yaml")]
    return [path.parent for path in alone]


def ours(objects: Objects) -> list[Any]:
    labels = [(one, one["metadata"].get("labels", {})) for one in objects.values()]
    return [one for one, told in labels if told.get("app.kubernetes.io/managed-by") == "gitops-rollout"]


@cache
def schema(kind: str, version: str) -> Any:
    (crd,) = documents(shared("data/gateway/crds", CRDS[kind]))
    (found,) = [one for one in crd["spec"]["versions"] if f"{crd['spec']['group']}/{one['name']}" == version]
    return found["schema"]["openAPIV3Schema"]


def schema_of(value: Any) -> Any:
    return schema(value["kind"], value["apiVersion"])


def with_defaults(shape: Any, value: Any) -> Any:
    """Give a value as the API server stores it: defaults of the schema filled in, at every depth."""
    match value:
        case dict():
            fields = shape.get("properties", {})
            missing = {k: deepcopy(part["default"]) for k, part in fields.items() if "default" in part}
            whole, other = {**missing, **value}, shape.get("additionalProperties") or {}
            return {name: with_defaults(fields.get(name, other), one) for name, one in whole.items()}
        case list():
            return [with_defaults(shape.get("items", {}), one) for one in value]
        case _:
            return value


@pytest.mark.parametrize("stop", STOPS, ids=named)
def test_kubectl_builds_every_part_alone_and_the_root_is_all_of_them(stop: Path) -> None:
    alone = [one for part in parts(stop / "rollouts") for one in built(part).values()]
    assert built(stop / "rollouts") == by_name(alone)


@pytest.mark.parametrize("half", ["capacity", "traffic"])
@pytest.mark.parametrize("stop", STOPS, ids=named)
def test_an_aggregate_is_its_half_of_every_workload(stop: Path, half: str) -> None:
    halves = [one for path in (stop / "rollouts").glob(f"*/*/{half}") for one in built(path).values()]
    aggregate = stop / "rollouts" / f"_{half}"
    assert aggregate.exists() == bool(halves) == (half == "capacity" or stop in ROUTED)
    assert not halves or built(aggregate) == by_name(halves)


@pytest.mark.parametrize("stop", ROUTED, ids=named)
def test_the_crds_take_what_is_rendered_and_so_do_we(stop: Path) -> None:
    checked = [one for one in built(stop / "rollouts").values() if one["kind"] in CRDS]
    assert checked
    for one in checked:
        assert list(jsonschema.Draft7Validator(schema_of(one)).iter_errors(one)) == []
        assert CHECKS[one["kind"]](one) == ()
        assert one["kind"] != "HTTPRoute" or sound_problems(one) == ()


@pytest.mark.parametrize("stop", ROUTED, ids=named)
def test_the_api_server_adds_nothing_to_what_is_rendered(stop: Path) -> None:
    rendered = ours(built(stop / "rollouts"))
    assert rendered
    assert [with_defaults(schema_of(one), one) for one in rendered] == rendered


def test_every_kind_is_rendered_and_defaults_are_seen_where_they_are_missing() -> None:
    attached = built(ROOT / "tests/golden/routed-example/01-attach/rollouts")
    team_s = attached["HTTPRoute", "serving", "chat"]
    assert {one["kind"] for one in ours(attached)} == set(CRDS)
    assert with_defaults(schema_of(team_s), team_s)["spec"]["rules"][0]["backendRefs"][0]["weight"] == 1


class Commit(NamedTuple):
    """The output branch at one commit; `by_us`: not the merge of a gate."""

    workload: Any
    traffic: Objects
    everything: Objects
    by_us: bool


@pytest.fixture(scope="module")
def line(tmp_path_factory: pytest.TempPathFactory) -> list[Commit]:
    """Every commit of a long life: attached, half-way to rB and back, to rC, and on its way to rB again."""
    world = started(tmp_path_factory.mktemp("line"))
    attach, up = UP[:2], UP[2:]
    through(world, *attach)
    source(world, "rB")
    world.settle()
    through(world, *up[:5])
    world.poll(Order.ABORT)
    through(world, "drained", "complete")
    for revision, steps in (("rC", up), ("rB", up[:2])):
        source(world, revision)
        world.settle()
        through(world, *steps)
    return list(commits(world))


def commits(world: World) -> Iterator[Commit]:
    blobs: dict[str, Any] = {}
    told = gitrepo.git(world.output, "log", "--first-parent", "--reverse", "--format=%H %an", "main")
    for oid, _, author in (one.partition(" ") for one in told.splitlines()):
        files = {path: blob for path, blob in world.tree(oid).items() if not path.endswith(".gitattributes")}
        for blob in files.values():
            blobs[blob] = blobs.get(blob) or yaml.safe_load(gitrepo.git(world.output, "cat-file", "-p", blob))
        read = {path: blobs[blob] for path, blob in files.items()}
        objects = {path: one for path, one in read.items() if "metadata" in one and "seal" not in one}
        (workload,) = [one for one in objects.values() if one["kind"] == "ModelServing"]
        traffic = [one for path, one in objects.items() if "/traffic/" in path]
        yield Commit(workload, by_name(traffic), by_name([*objects.values()]), author != "Ada")


def referred(traffic: Objects) -> set[tuple[str, str]]:
    """Give kind and name of every backend of a route of ours."""
    rules = [rule for one in traffic.values() for rule in one["spec"].get("rules", [])]
    return {(ref["kind"], ref["name"]) for rule in rules for ref in rule["backendRefs"]}


def test_a_reference_that_is_new_names_a_pool_that_was_there_before(line: list[Commit]) -> None:
    new = [(a, referred(b.traffic) - referred(a.traffic)) for a, b in pairwise(line)]
    assert sum(len(refs) for _, refs in new) == 4
    for before, refs in new:
        assert refs <= {(kind, name) for kind, _, name in before.traffic}


def test_nothing_goes_that_is_referred_to_or_protected_from_pruning(line: list[Commit]) -> None:
    gone = [(a, b, key) for a, b in pairwise(line) for key in a.everything.keys() - b.everything.keys()]
    assert [key[0] for _, _, key in gone] == ["HTTPRoute", "InferencePool", "InferencePool"]
    for before, after, (kind, namespace, name) in gone:
        annotations = before.everything[kind, namespace, name]["metadata"].get("annotations", {})
        assert PRUNE not in annotations
        assert (kind, name) not in referred(before.traffic) | referred(after.traffic)


def test_no_commit_of_ours_moves_pods_and_requests(line: list[Commit]) -> None:
    for before, after in pairwise(line):
        pods = before.workload["spec"] != after.workload["spec"]
        requests = [specs(before.traffic), specs(after.traffic)]
        assert not (after.by_us and pods and requests[0] != requests[1])


def test_no_merge_of_a_gate_touches_traffic(line: list[Commit]) -> None:
    merges = [(a, b) for a, b in pairwise(line) if not b.by_us]
    assert len(merges) == 20
    assert all(before.traffic == after.traffic for before, after in merges)


def specs(objects: Objects) -> dict[tuple[str, str, str], Any]:
    return {key: one["spec"] for key, one in objects.items()}
