"""The health checks that Argo CD is given, run in Lua without libraries."""

import json
from typing import Any, TypeAlias

import pytest

from tests.project.checkout import ROOT, documents

lua51 = pytest.importorskip("lupa.lua51", reason="pip install lupa")

(CONFIG,) = documents(ROOT / "deploy/argocd/argocd-cm.yaml")
SERVING = "workload.serving.volcano.sh_ModelServing"
ROUTE = "gateway.networking.k8s.io_HTTPRoute"
POOL = "inference.networking.k8s.io_InferencePool"
LIBRARIES = "string, math, os, io, package, require = nil"


def answer(kind: str, spec: dict[str, Any], status: dict[str, Any] | None) -> dict[str, str]:
    lua = lua51.LuaRuntime(unpack_returned_tuples=True)
    lua.execute(LIBRARIES)
    served = {"metadata": {"namespace": "serving", "generation": 3}, "spec": spec, "status": status}
    # By way of JSON: of a dictionary that stands in two places, lupa fills the first table only.
    given = json.loads(json.dumps({k: v for k, v in served.items() if v is not None}))
    check = lua.eval(f"function(obj)\n{CONFIG['data'][f'resource.customizations.health.{kind}']}\nend")
    return dict(check(lua.table_from(given, recursive=True)))


def health(spec: dict[str, Any], status: dict[str, Any] | None) -> str:
    return answer(SERVING, spec, status)["status"]


def reported(updated: int, condition: str = "Available", generation: int = 3) -> dict[str, Any]:
    return {
        "observedGeneration": generation,
        "updatedReplicas": updated,
        "conditions": [{"type": "Progressing", "status": "False"}, {"type": condition, "status": "True"}],
    }


def held(
    partition: int | str, replicas: int = 4, strategy: str = "ServingGroupRollingUpdate"
) -> dict[str, Any]:
    configuration = {"rollingUpdateConfiguration": {"partition": partition}}
    return {"replicas": replicas, "rolloutStrategy": {"type": strategy, **configuration}}


def test_what_kthena_has_not_seen_is_progressing() -> None:
    assert health({"replicas": 4}, None) == "Progressing"
    assert health({"replicas": 4}, reported(4, generation=2)) == "Progressing"


@pytest.mark.parametrize(
    ("spec", "updated", "expected"),
    [
        ({"replicas": 4}, 4, "Healthy"),
        ({"replicas": 4}, 3, "Progressing"),
        ({}, 1, "Healthy"),
        (held(3), 1, "Healthy"),
        (held(3), 0, "Progressing"),
        (held(0), 3, "Progressing"),
        (held("50%"), 2, "Healthy"),
        (held("50%"), 1, "Progressing"),
        (held("30%", replicas=5), 3, "Healthy"),
        (held("30%", replicas=5), 2, "Progressing"),
        (held("100%"), 0, "Healthy"),
        (held(9), 0, "Healthy"),
        ({"replicas": 4, "rolloutStrategy": {"type": "RoleRollingUpdate"}}, 0, "Healthy"),
    ],
)
def test_healthy_is_that_the_groups_which_may_move_have_moved(
    spec: dict[str, Any], updated: int, expected: str
) -> None:
    assert health(spec, reported(updated)) == expected


@pytest.mark.parametrize("condition", ["UpdateInProgress", "Progressing"])
def test_moved_but_not_available_is_progressing(condition: str) -> None:
    assert health({"replicas": 4}, reported(4, condition)) == "Progressing"


def gateway(name: str = "public", **written: Any) -> dict[str, Any]:
    """Give a reference to a gateway as the API server keeps it, with what was written beside."""
    return {"group": "gateway.networking.k8s.io", "kind": "Gateway", "name": name, **written}


def condition(kind: str, status: str = "True", generation: int | None = 3) -> dict[str, Any]:
    observed = {} if generation is None else {"observedGeneration": generation}
    return {"type": kind, "status": status, "message": "as it is", **observed}


def parent(*conditions: dict[str, Any], ref: dict[str, Any] | None = None) -> dict[str, Any]:
    return {"parentRef": ref or gateway(), "controllerName": "x.example/c", "conditions": list(conditions)}


def by(*parents: dict[str, Any]) -> dict[str, Any]:
    return {"parents": list(parents)}


HEALTHY, PROGRESSING, DEGRADED = "Healthy", "Progressing", "Degraded"
ACCEPTED, RESOLVED = condition("Accepted"), condition("ResolvedRefs")
REFUSED, UNRESOLVED = condition("Accepted", "False"), condition("ResolvedRefs", "False")
ACCEPTED_BEFORE, RESOLVED_BEFORE = (condition(c["type"], generation=2) for c in (ACCEPTED, RESOLVED))
UNKNOWN = condition("Accepted", "Unknown")
GOOD = parent(ACCEPTED, RESOLVED)

# What the status of a pool says, by what it is called; Flux is asked about the same.
POOLS: dict[str, tuple[dict[str, Any] | None, str]] = {
    "no status": (None, HEALTHY),
    "an empty status": ({}, HEALTHY),
    "no parents": (by(), HEALTHY),
    "accepted": (by(GOOD), HEALTHY),
    "exported or not": (by(parent(ACCEPTED, RESOLVED, condition("Exported", "False"))), HEALTHY),
    "a parent without conditions": (by({"parentRef": gateway()}), PROGRESSING),
    "references not looked at": (by(parent(ACCEPTED)), PROGRESSING),
    "not known": (by(parent(UNKNOWN, RESOLVED)), PROGRESSING),
    "an old generation": (by(parent(ACCEPTED_BEFORE, RESOLVED_BEFORE)), PROGRESSING),
    "half of an old generation": (by(parent(ACCEPTED_BEFORE, RESOLVED)), PROGRESSING),
    "no generation": (by(parent(condition("Accepted", generation=None), RESOLVED)), PROGRESSING),
    "refused before": (by(parent(condition("Accepted", "False", 2), RESOLVED)), PROGRESSING),
    "one of two parents": (by(GOOD, parent(ref=gateway("internal"))), PROGRESSING),
    "refused": (by(parent(REFUSED, RESOLVED)), DEGRADED),
    "no endpoint picker": (by(parent(ACCEPTED, UNRESOLVED)), DEGRADED),
    "refused by the second of two": (by(GOOD, parent(REFUSED, ref=gateway("internal"))), DEGRADED),
    "refused while the first waits": (by(parent(), parent(REFUSED, ref=gateway("internal"))), DEGRADED),
}


@pytest.mark.parametrize(("status", "expected"), POOLS.values(), ids=POOLS)
def test_a_pool_is_healthy_when_no_route_names_it_or_every_parent_accepts_it(
    status: dict[str, Any] | None, expected: str
) -> None:
    assert answer(POOL, {}, status)["status"] == expected


def test_a_pool_that_waits_for_its_gate_says_so() -> None:
    assert answer(POOL, {}, None) == {"status": "Healthy", "message": "no route names it yet"}


Parents: TypeAlias = list[dict[str, Any]] | None
ONE, TWO = [gateway()], [gateway(), gateway("internal")]
MESH = {"group": "", "kind": "Service", "name": "public"}
DROPPED = condition("PartiallyInvalid")

# The parents that a route names and what its status says; Flux is asked about the same.
ROUTES: dict[str, tuple[Parents, dict[str, Any] | None, str]] = {
    "no status": (ONE, None, PROGRESSING),
    "an empty status": (ONE, {}, PROGRESSING),
    "no entry": (ONE, by(), PROGRESSING),
    "no parent named": (None, by(GOOD), PROGRESSING),
    "an empty list of parents": ([], by(GOOD), PROGRESSING),
    "accepted": (ONE, by(GOOD), HEALTHY),
    "defaults left out in the spec": ([{"name": "public"}], by(GOOD), HEALTHY),
    "defaults left out in the status": (ONE, by(parent(ACCEPTED, RESOLVED, ref={"name": "public"})), HEALTHY),
    "its own namespace written": ([gateway(namespace="serving")], by(GOOD), HEALTHY),
    "another namespace": ([gateway(namespace="infra")], by(GOOD), PROGRESSING),
    "another kind": ([MESH], by(GOOD), PROGRESSING),
    "a service as the parent": ([MESH], by(parent(ACCEPTED, RESOLVED, ref=MESH)), HEALTHY),
    "another listener": ([gateway(sectionName="https")], by(GOOD), PROGRESSING),
    "another port": ([gateway(port=8443)], by(GOOD), PROGRESSING),
    "one of two parents": (TWO, by(GOOD), PROGRESSING),
    "both of two parents": (TWO, by(parent(ACCEPTED, RESOLVED, ref=gateway("internal")), GOOD), HEALTHY),
    "a policy's entry beside": (ONE, by(parent(condition("policy.example/Affected")), GOOD), HEALTHY),
    "an entry without conditions": (ONE, by({"parentRef": gateway()}), PROGRESSING),
    "references not looked at": (ONE, by(parent(ACCEPTED)), PROGRESSING),
    "not known": (ONE, by(parent(UNKNOWN, RESOLVED)), PROGRESSING),
    "an old generation": (ONE, by(parent(ACCEPTED_BEFORE, RESOLVED_BEFORE)), PROGRESSING),
    "half of an old generation": (ONE, by(parent(ACCEPTED, RESOLVED_BEFORE)), PROGRESSING),
    "no generation": (ONE, by(parent(condition("Accepted", generation=None), RESOLVED)), PROGRESSING),
    "refused before": (ONE, by(parent(condition("Accepted", "False", 2), RESOLVED)), PROGRESSING),
    "refused": (ONE, by(parent(REFUSED, RESOLVED)), DEGRADED),
    "no such pool": (ONE, by(parent(ACCEPTED, UNRESOLVED)), DEGRADED),
    "refused by the second of two": (TWO, by(GOOD, parent(REFUSED, ref=gateway("internal"))), DEGRADED),
    "a rule dropped": (ONE, by(parent(ACCEPTED, RESOLVED, DROPPED)), DEGRADED),
    "fallen back to what was good": (ONE, by(parent(ACCEPTED_BEFORE, RESOLVED, DROPPED)), DEGRADED),
    "a rule dropped before": (
        ONE,
        by(parent(ACCEPTED, RESOLVED, condition("PartiallyInvalid", generation=2))),
        PROGRESSING,
    ),
    "no rule dropped": (
        ONE,
        by(parent(ACCEPTED, RESOLVED, condition("PartiallyInvalid", "False"))),
        HEALTHY,
    ),
}


@pytest.mark.parametrize(("parents", "status", "expected"), ROUTES.values(), ids=ROUTES)
def test_a_route_is_healthy_when_every_parent_that_it_names_takes_all_of_it(
    parents: Parents, status: dict[str, Any] | None, expected: str
) -> None:
    spec = {"hostnames": ["chat.example.com"], **({} if parents is None else {"parentRefs": parents})}
    assert answer(ROUTE, spec, status)["status"] == expected


def test_a_refusal_is_told_with_its_parent_and_its_reason() -> None:
    refused = by(parent(ACCEPTED, RESOLVED, DROPPED))
    said = answer(ROUTE, {"parentRefs": ONE}, refused)
    assert said["message"] == "public: PartiallyInvalid is True: as it is"
