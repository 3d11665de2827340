"""What holds of every commit of a rollout whose routers are told (delivery-gateway G0, G2.12-14; R5, R19)."""

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from gitops_rollout.api.values import Json, Object, at, mapping, sequence
from tests.rollout.stage import FILE, HOME
from tests.rollout.told import BODY, ToldStage, chosen
from tests.rollout.traffic_play import read

FENCED = {FILE, BODY}


def body_of(files: Mapping[str, bytes]) -> Object:
    return mapping(json.loads(files[BODY])) if BODY in files else {}


def named(files: Mapping[str, bytes], revision: Json) -> bool:
    """Say whether routers of a revision know whom to choose."""
    return isinstance(revision, str) and bool(chosen(body_of(files), revision))


def state_of(files: Mapping[str, bytes]) -> Object:
    return mapping(read(files.get(FILE)).get("state"))


def triples(body: Object) -> Iterator[tuple[Json, Json, Json]]:
    """Enumerate who may serve one request: router, prefill (or worker) and decode (or worker)."""
    routers = [at(one, "routerRevision") for one in sequence(body.get("routerRevisionBindings"))]
    for router in {at(body, "default", "workerRevision"), *routers}:
        found = chosen(body, str(router))
        worker = found.get("workerRevision")
        yield router, found.get("prefillRevision", worker), found.get("decodeRevision", worker)


def emptied(files: Mapping[str, bytes]) -> list[str]:
    """Name the revisions that have lost a router, or are on their way out."""
    graphs = map(mapping, sequence(state_of(files).get("graphs")))
    return [
        str(one["revision"])
        for one in graphs
        if one["stage"] == "leaving" or (one["stage"] == "serving" and at(one, "replicas", "Frontend") == 0)
    ]


def assert_laws(stage: ToldStage, *, late: bool = False) -> None:
    """Hold every commit against them; `late`: a deadline has passed, so that stable may get requests again
    before its routers know.
    """
    versions = [files for files in stage.line.versions if FILE in files]
    for before, after in pairwise(versions):
        changed = {path for path in {*before, *after} if before.get(path) != after.get(path)}
        assert BODY not in changed or changed <= FENCED, changed
    for files in versions:
        _serving_is_named(files, late=late)
        if body_of(files):
            assert all(len(set(one)) == 1 for one in triples(body_of(files)))
            assert not [one for one in emptied(files) if named(files, one)]
    assert_versions_grow(stage.bodies())
    assert f"{HOME}/traffic/kustomization.yaml" in stage.line.files
    assert b"router-policy" not in stage.line.files[f"{HOME}/traffic/kustomization.yaml"]


def _serving_is_named(files: Mapping[str, bytes], *, late: bool) -> None:
    state = state_of(files)
    header, weight = at(state, "published", "header"), at(state, "published", "weight")
    if header or weight:
        assert named(files, state.get("candidate"))
    if weight != 100 and body_of(files) and not late:
        assert named(files, state.get("stable"))


def assert_versions_grow(bodies: Sequence[Object]) -> None:
    numbers = [int(str(one["policyVersion"])) for one in bodies]
    assert numbers == sorted(set(numbers))
