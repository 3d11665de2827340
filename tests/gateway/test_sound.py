"""What we ask of our own routes: somebody answers, at most two do, and pools are found."""

from typing import Any

import pytest

from gitops_rollout.api.values import Json, Object
from gitops_rollout.gateway.httproute import route_problems
from gitops_rollout.gateway.precedence import Request, answering, shares
from gitops_rollout.gateway.sound import sound_problems
from tests.gateway.objects import BACKENDS, POOL, SERVICE, documents, faults, route, weighted
from tests.shared import SHARED, case

TABLE = SHARED / "cases" / "50-weights" / "table.yaml"
ROWS = range(len(documents(TABLE)[0]["rows"]) if TABLE.exists() else 1)
REFS = "spec.rules[0].backendRefs"


@pytest.mark.parametrize("index", ROWS)
def test_weights_are_taken_and_shared_as_the_case_says(index: int) -> None:
    row: Any = documents(case("50-weights", "table.yaml"))[0]["rows"][index]
    value = weighted(*row["weights"])
    assert (sound_problems(value) == ()) == (row["expect"] == "ok")
    if "effective" in row:
        given = shares(answering([value], Request("a.example", "/")) or ())
        assert [round(float(share * 100), 2) for share in given] == row["effective"]


UNSOUND: list[tuple[Object, list[tuple[str, str]]]] = [
    (weighted(0, 0), [(REFS, "WEIGHTS")]),
    (weighted(0), [(REFS, "WEIGHTS")]),
    (weighted(1, 1, 1), [(REFS, "WEIGHTS")]),
    (weighted(1, 1, 0), []),
    (route({"backendRefs": [POOL, POOL, POOL]}), []),
    (route({"backendRefs": []}), [(REFS, "REQUIRED")]),
    (route(), [("spec.rules", "REQUIRED")]),
    (route({"filters": [{"type": "RequestRedirect", "requestRedirect": {"port": 443}}]}), []),
    (
        route(BACKENDS, {"backendRefs": [{**SERVICE, "weight": 0}]}),
        [("spec.rules[1].backendRefs", "WEIGHTS")],
    ),
    (route({"backendRefs": [{**POOL, "weight": "0"}]}), [(f"{REFS}[0].weight", "TYPE")]),
]


@pytest.mark.parametrize(("value", "found"), UNSOUND)
def test_in_every_rule_one_or_two_backends_answer(value: Object, found: list[tuple[str, str]]) -> None:
    assert faults(sound_problems(value)) == found


def test_what_is_only_unsound_is_not_refused_of_others() -> None:
    assert route_problems(weighted(0, 0)) == route_problems(weighted(1, 1, 1)) == ()


@pytest.mark.parametrize("group", ["", "inference.networking.x-k8s.io", "example.com"])
def test_a_pool_of_another_group_is_refused_and_both_groups_are_named(group: str) -> None:
    (found,) = sound_problems(route({"backendRefs": [{**POOL, "group": group}]}))
    assert (found.path, found.code) == (f"{REFS}[0].group", "KIND")
    assert {"inference.networking.k8s.io", "inference.networking.x-k8s.io"} <= set(words(found.message))


def words(message: str) -> list[str]:
    return [word.strip("';,()") for word in message.split()]


def test_a_pool_without_a_group_is_a_core_service() -> None:
    (found,) = sound_problems(route({"backendRefs": [{"kind": "InferencePool", "name": "pine-a"}]}))
    assert "core Service" in found.message


def test_a_mirrored_pool_has_the_group_too() -> None:
    ref: Json = {"kind": "InferencePool", "name": "pine-b"}
    filters: Json = [{"type": "RequestMirror", "requestMirror": {"backendRef": ref}}]
    found = sound_problems(
        route({**BACKENDS, "filters": filters}, {"backendRefs": [{**SERVICE, "filters": filters}]})
    )
    assert faults(found) == [
        ("spec.rules[0].filters[0].requestMirror.backendRef.group", "KIND"),
        ("spec.rules[1].backendRefs[0].filters[0].requestMirror.backendRef.group", "KIND"),
    ]


def test_the_old_group_in_the_case_is_refused() -> None:
    (value,) = documents(case("55-inferencepool-api-group", "bad-route.yaml"))
    (found,) = sound_problems(value)
    assert (found.path, found.code) == (f"{REFS}[0].group", "KIND")


def test_duplicates_of_the_case_are_refused_in_one_match() -> None:
    (value,) = documents(case("52-header-rule-order", "duplicate.yaml"))
    names = [entry for rule in value["headers"] for entry in rule["all"]]
    found = sound_problems(route({"matches": [{"headers": names}], **BACKENDS}))
    assert faults(found) == [("spec.rules[0].matches[0].headers[1].name", "DUPLICATE")]
