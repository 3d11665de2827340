"""The health expressions that Flux is given, asked in Flux's order about what Argo CD is asked about."""

from typing import Any

import pytest

from tests.project.checkout import ROOT, documents
from tests.project.test_argocd_health import (
    DEGRADED,
    HEALTHY,
    POOLS,
    PROGRESSING,
    ROUTES,
    Parents,
    reported,
)

cel = pytest.importorskip("cel", reason="pip install common-expression-language")

CHECKS = {
    check["kind"]: check
    for name in ("capacity", "traffic")
    for document in documents(ROOT / f"deploy/flux/{name}.yaml")
    for check in document["spec"]["healthCheckExprs"]
}
VERDICTS = {"inProgress": PROGRESSING, "failed": DEGRADED, "current": HEALTHY}
OBJECTS = [
    *[
        ("HTTPRoute", {} if refs is None else {"parentRefs": refs}, status)
        for refs, status, _ in ROUTES.values()
    ],
    *[("InferencePool", {}, status) for status, _ in POOLS.values()],
]


def served(kind: str, spec: dict[str, Any], status: dict[str, Any] | None) -> dict[str, Any]:
    """Give an object as the API server keeps it: who wrote which part stands in managedFields."""
    parts = {"spec": spec} if status is None else {"spec": spec, "status": status}
    written = [{"manager": part, "fieldsV1": {f"f:{part}": {}}} for part in parts]
    metadata = {"name": "chat", "namespace": "serving", "generation": 3, "managedFields": written}
    return {"kind": kind, "metadata": metadata, **parts}


def health(obj: dict[str, Any]) -> str:
    """Ask the expressions; one that reads what is not there raises, where Flux would wait in vain."""
    for expression, verdict in VERDICTS.items():
        if cel.evaluate(CHECKS[obj["kind"]].get(expression, "false"), obj):
            return verdict
    return PROGRESSING


@pytest.mark.parametrize(("status", "expected"), POOLS.values(), ids=POOLS)
def test_a_pool_is_as_healthy_as_argo_cd_finds_it(status: dict[str, Any] | None, expected: str) -> None:
    assert health(served("InferencePool", {}, status)) == expected


@pytest.mark.parametrize(("parents", "status", "expected"), ROUTES.values(), ids=ROUTES)
def test_a_route_is_as_healthy_as_argo_cd_finds_it(
    parents: Parents, status: dict[str, Any] | None, expected: str
) -> None:
    spec = {} if parents is None else {"parentRefs": parents}
    assert health(served("HTTPRoute", spec, status)) == expected


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (None, PROGRESSING),
        ({}, PROGRESSING),
        (reported(4), HEALTHY),
        (reported(1), HEALTHY),
        (reported(4, generation=2), PROGRESSING),
        (reported(4, "UpdateInProgress"), PROGRESSING),
    ],
)
def test_a_workload_is_healthy_when_kthena_says_available(
    status: dict[str, Any] | None, expected: str
) -> None:
    assert health(served("ModelServing", {}, status)) == expected


@pytest.mark.parametrize(("kind", "spec", "status"), OBJECTS)
def test_no_object_is_both_failed_and_current(
    kind: str, spec: dict[str, Any], status: dict[str, Any] | None
) -> None:
    obj = served(kind, spec, status)
    if status is not None:
        assert not (cel.evaluate(CHECKS[kind]["failed"], obj) and cel.evaluate(CHECKS[kind]["current"], obj))


def test_what_flux_cannot_ask_it_waits_for() -> None:
    """Show the trap: without any status, has() of something below it is an error and not false."""
    with pytest.raises(RuntimeError, match="status"):
        cel.evaluate("has(status.parents)", served("InferencePool", {}, None))
