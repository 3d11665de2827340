"""Real objects: those of other projects that every gateway takes, and those that none does."""

from pathlib import Path
from typing import Any

import pytest

from gitops_rollout.gateway.httproute import route_problems
from gitops_rollout.gateway.inferencepool import pool_problems
from tests.gateway.objects import CHECKS, documents, faults
from tests.shared import SHARED, case, shared

RULE = "spec.rules[0]"
FILTER, BACKEND, MATCH = f"{RULE}.filters[0]", f"{RULE}.backendRefs[0]", f"{RULE}.matches[0]"

INVALID = {
    "duplicate-header-match": f"{MATCH}.headers[1].name",
    "duplicate-query-match": f"{MATCH}.queryParams[1].name",
    "httproute-portless-backend": f"{BACKEND}.port",
    "httproute-portless-service": f"{BACKEND}.port",
    "invalid-backend-group": f"{BACKEND}.group",
    "invalid-backend-kind": f"{BACKEND}.kind",
    "invalid-backend-port": f"{BACKEND}.port",
    "invalid-filter-duplicate-header": f"{FILTER}.requestHeaderModifier.remove[1]",
    "invalid-filter-duplicate": f"{RULE}.filters[1].type",
    "invalid-filter-empty": f"{FILTER}.requestHeaderModifier",
    "invalid-filter-wrong-field": f"{FILTER}.requestRedirect",
    "invalid-header-name": f"{MATCH}.headers[0].name",
    "invalid-hostname": "spec.hostnames[0]",
    "invalid-httpredirect-hostname": f"{FILTER}.requestRedirect.hostname",
    "invalid-method": f"{MATCH}.method",
    "invalid-path-alphanum-specialchars-mix": f"{MATCH}.path.value",
    "invalid-path-specialchars": f"{MATCH}.path.value",
    "invalid-request-redirect-with-backendref": f"{RULE}.backendRefs",
}

# The CRD has no such field; the API server drops it, which is worth saying.
DROPPED = {"llmd_inferencepool-e2e.yaml": [("spec.endpointPickerRef.namespace", "UNKNOWN_FIELD")]}


@pytest.mark.parametrize("name", sorted(INVALID))
def test_an_invalid_route_is_refused_at_its_path(name: str) -> None:
    (invalid,) = documents(shared("data", "gateway", "invalid", f"{name}.yaml"))
    assert INVALID[name] in [path for path, _ in faults(route_problems(invalid))]


def test_no_invalid_route_is_left_out() -> None:
    assert {path.stem for path in shared("data", "gateway", "invalid").iterdir()} == set(INVALID)


def known(path: Path) -> list[Any]:
    return [found for found in documents(path) if found["kind"] in CHECKS]


@pytest.mark.parametrize("name", sorted(p.name for p in (SHARED / "data/gateway/examples").glob("*.yaml")))
def test_an_example_is_accepted(name: str) -> None:
    objects = known(shared("data", "gateway", "examples", name))
    found = [fault for value in objects for fault in faults(CHECKS[value["kind"]](value))]
    assert found == DROPPED.get(name, [])


def test_examples_of_every_kind_are_there() -> None:
    examples = shared("data", "gateway", "examples")
    assert {value["kind"] for path in examples.iterdir() for value in known(path)} == set(CHECKS)


def test_a_pool_that_selects_nothing_is_refused() -> None:
    (value,) = documents(case("54-inferencepool-selector-overlap", "bad-empty.yaml"))
    assert faults(pool_problems(value)) == [("spec.selector.matchLabels", "REQUIRED")]


def test_pools_of_cases_are_well_formed() -> None:
    names = [("53-inferencepool-target-port", "bad-pool.yaml"), ("55-inferencepool-api-group", "pool.yaml")]
    assert [pool_problems(value) for name in names for value in documents(case(*name))] == [(), ()]
