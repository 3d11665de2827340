"""Public cases about partitions and routes: each item under its number. Pools: tests/traffic."""

from dataclasses import replace

import pytest
import yaml

from gitops_rollout.api.values import Json, Object, at, mapping, sequence
from gitops_rollout.documents.emit import emit
from gitops_rollout.gateway.precedence import Request, answering
from gitops_rollout.gateway.precedence import shares as effective
from gitops_rollout.gateway.sound import sound_problems
from gitops_rollout.kinds.modelserving.kind import MODEL_SERVING
from gitops_rollout.traffic.pools import pool_object, pool_of
from gitops_rollout.traffic.route import grant_objects, route_object
from tests.kinds.manifests import in_case, pod, serving
from tests.rollout.routed import ALL_GATES, ROUTE, TERMS, attached, going
from tests.rollout.stage import Stage, groups, steps
from tests.traffic.asked import EDGE, GATEWAY, KEY, born, documents_of, explained, http_route, terms, written
from tests.traffic.rules import CANDIDATE, STABLE, shares

ISTIO = f"gateway: {{{EDGE}, implementation: istio}}"
POOLS = "inference.networking.k8s.io"
KTHENA = "modelserving.volcano.sh"


def named(value: Object, image: str = "engine:b", **spec: Json) -> Object:
    """Give a workload of a case under the name of the stage, with another image and other fields."""
    entry: Object = {"entryTemplate": pod(image)}
    roles: list[Json] = [
        {**mapping(one), **entry} for one in sequence(at(value, "spec", "template", "roles"))
    ]
    body: Object = {**mapping(value["spec"]), "template": {"roles": roles}, **spec}
    return {**value, "metadata": {"name": "chat", "namespace": "serving"}, "spec": body}


def rules(value: Object) -> list[Object]:
    return [mapping(one) for one in sequence(at(value, "spec", "rules"))]


def backends(rule: Object) -> list[tuple[Json, Json]]:
    return [(at(ref, "name"), at(ref, "weight")) for ref in sequence(rule.get("backendRefs"))]


@pytest.mark.parametrize("name", ["ms-above", "ms-equal"])
def test_42_1_at_or_above_the_replicas_no_step_is_asked(name: str) -> None:
    stage = Stage(named(in_case("42", name), "engine:a"), steps(1, "100%")).settle()
    stage.source(named(in_case("42", name))).settle()
    assert (stage.gate, stage.image) == (None, "engine:a")


def test_42_2_after_scaling_only_ordinals_above_the_partition_are_asked_for() -> None:
    stage = Stage(named(in_case("42", "ms-above"), "engine:a"), steps(1, "100%")).settle()
    stage.source(named(in_case("42", "ms-above"), replicas=7)).settle()
    assert (stage.partition, stage.image) == (5, "engine:a")
    stage.through("1", "100pct")
    assert (stage.partition, stage.image) == (5, "engine:b")


def test_43_5_a_percentage_is_of_the_replicas_of_the_same_commit() -> None:
    stage = Stage(groups("engine:a", 4, "50%"), steps("100%")).settle()
    stage.source(groups("engine:b", 4, "50%")).settle().merge()
    assert stage.partition == 2
    stage.source(groups("engine:b", 8, "50%")).settle()
    assert stage.partition == 4


def test_50_1_weights_of_the_table_are_taken_as_a_steps_weight_or_refused() -> None:
    for row in documents_of("50-weights", "table.yaml")[0]["rows"]:
        rest, weight = row["weights"][0], row["weights"][-1]
        step = f"{{replicas: 100, traffic: {{weight: {weight}}}}}"
        own, problems = written(f"{ISTIO}\nsteps: [{step}, 100%]")
        if row["expect"] == "ok":
            assert problems == ()
        if row["expect"] == "ok" and rest + weight == 100:
            assert own is not None
            assert given(weight) == row["effective"]


def given(weight: int) -> list[float]:
    """Give the shares that requests without a header get, stable first."""
    gateway = terms(GATEWAY)
    found = answering([route_object(KEY, gateway, shares(gateway, weight))], Request("a.example", "/")) or ()
    by_name = dict(zip((one.name for one in found), effective(found), strict=True))
    return [float(by_name.get(name, 0) * 100) for name in (STABLE, CANDIDATE)]


@pytest.mark.parametrize("weight", ["-1", "101", "1000001", "'10'", "66.7", "null"])
def test_50_1_a_weight_that_is_no_share_is_refused(weight: str) -> None:
    _, (problem,) = written(f"{ISTIO}\nsteps: [{{replicas: 100%, traffic: {{weight: {weight}}}}}]")
    assert (problem.path, problem.code) == ("spec.steps[0].traffic.weight", "POLICY_INVALID")


def test_50_2_every_weight_is_explicit_and_stable_comes_first() -> None:
    gateway = terms(GATEWAY)
    _, default = rules(route_object(KEY, gateway, shares(gateway, 10)))
    assert backends(default) == [(STABLE, 90), (CANDIDATE, 10)]


@pytest.mark.parametrize("weight", [None, *range(0, 101, 5)])
def test_50_4_50_5_no_rule_is_ever_without_a_weight(weight: int | None) -> None:
    gateway = terms(GATEWAY)
    for rule in rules(route_object(KEY, gateway, shares(gateway, weight))):
        assert all(int(str(share)) > 0 for _, share in backends(rule))
        assert backends(rule)


def test_51_2_another_weight_leaves_the_header_rule_as_it_is() -> None:
    gateway = terms(GATEWAY)
    routes = [rules(route_object(KEY, gateway, shares(gateway, weight))) for weight in (0, 25, 100)]
    headers = {emit(canary) for canary, _ in routes}
    assert len(headers) == 1
    assert len({emit(default) for _, default in routes}) == 3


def test_51_4_a_rule_added_by_hand_is_put_back_and_gets_no_weight() -> None:
    stage = going("canary", "canary-traffic")
    before = stage.route
    third: Json = {"name": "mine", "backendRefs": sequence(rules(before)[1]["backendRefs"])}
    spec = {**mapping(before["spec"]), "rules": [*rules(before), third]}
    stage.line.commit({ROUTE: emit({**before, "spec": spec}).encode()})
    stage.settle()
    assert stage.route["spec"] == before["spec"]


def test_52_1_52_5_header_rules_come_first_and_the_default_rules_have_no_header() -> None:
    listed: list[Json] = [{"matches": [{"path": {"value": path}}]} for path in ("/v1", "/", "/v1/chat")]
    gateway = terms("route: chat", http_route(*listed))
    found = rules(route_object(KEY, gateway, shares(gateway, 10)))
    assert [str(rule["name"]).split("-")[0] for rule in found] == ["canary"] * 3 + ["default"] * 3
    assert ["headers" in str(rule["matches"]) for rule in found] == [True] * 3 + [False] * 3


def test_52_2_a_header_stands_once_whatever_its_case_and_values_keep_theirs() -> None:
    first, second = (
        one["all"][0] for one in documents_of("52-header-rule-order", "duplicate.yaml")[0]["headers"]
    )
    match = f"matches: [{{headers: [{{name: {second['name']}, value: '1'}}]}}]"
    header = f"canaryHeader: {{name: {first['name']}, value: '1'}}"
    duplicate, *_ = explained(f"gateway: {{{EDGE}, {header}, {match}}}").problems
    assert (duplicate.path, duplicate.code) == ("gateway", "DUPLICATE")
    assert terms(f"gateway: {{{EDGE}, canaryHeader: {{name: X-T, value: Blue}}}}").header.value == "Blue"


def test_52_3_two_headers_are_two_entries_of_one_match() -> None:
    _, both = documents_of("52-header-rule-order", "wanted.yaml")[0]["headers"]
    tenant, canary = both["all"]
    gateway = terms(
        f"gateway: {{{EDGE}, canaryHeader: {{name: {canary['name']}, value: '{canary['value']}'}}, "
        f"matches: [{{headers: [{{name: {tenant['name']}, value: {tenant['value']}}}]}}]}}"
    )
    first, *_ = rules(route_object(KEY, gateway, shares(gateway)))
    (match,) = sequence(first["matches"])
    assert [(at(one, "name"), at(one, "value")) for one in sequence(at(match, "headers"))] == [
        (one["name"], one["value"]) for one in (tenant, canary)
    ]


def test_52_4_after_promotion_one_rule_names_the_new_revision_alone() -> None:
    stage = going(*ALL_GATES)
    assert stage.traffic == ([], [("engine:b", 100)])
    assert len(rules(stage.route)) == 1


def test_52_4_after_a_roll_back_one_rule_names_the_old_revision_alone() -> None:
    stage = going("canary", "canary-traffic", "tenth-traffic")
    stage.source(groups("engine:a")).settle()
    assert stage.traffic == ([], [("engine:a", 100)])
    assert len(rules(stage.route)) == 1


def test_52_5_more_than_16_rules_are_refused() -> None:
    listed: list[Json] = [{"matches": [{"path": {"value": f"/{index}"}}]} for index in range(9)]
    marked = "steps: [{replicas: 1, traffic: {header: true}}, 100%]"
    (problem,) = explained(f"route: chat\n{marked}", http_route(*listed)).problems
    assert "18 entries, at most 16" in problem.message


def test_55_1_a_backend_has_the_group_and_kind_of_its_pool() -> None:
    stage = attached()
    (pool,) = stage.pools()
    rendered = pool_object(KEY, pool)
    (rule,) = rules(stage.route)
    (ref,) = sequence(rule["backendRefs"])
    assert (at(ref, "kind"), f"{at(ref, 'group')}/v1") == (rendered["kind"], rendered["apiVersion"])
    assert (at(ref, "group"), at(ref, "name")) == (POOLS, at(rendered, "metadata", "name"))


def test_55_2_the_experimental_group_is_refused() -> None:
    (value,) = documents_of("55-inferencepool-api-group", "bad-route.yaml")
    (problem,) = sound_problems(value)
    assert "no InferencePool in group 'inference.networking.x-k8s.io'" in problem.message


def test_55_3_a_pool_without_a_group_is_refused() -> None:
    (value,) = documents_of("55-inferencepool-api-group", "bad-route.yaml")
    del value["spec"]["rules"][0]["backendRefs"][0]["group"]
    assert "no group means core Service" in " ".join(one.message for one in sound_problems(value))


def test_55_4_pool_and_route_stand_in_one_namespace_and_need_no_grant() -> None:
    stage = attached()
    (pool,) = stage.pools()
    assert at(stage.route, "metadata", "namespace") == at(pool_object(KEY, pool), "metadata", "namespace")
    assert grant_objects(KEY, TERMS) == {}
    assert all("namespace" not in mapping(ref) for ref in sequence(rules(stage.route)[0]["backendRefs"]))


def test_56_1_56_2_a_policy_cannot_name_a_revision() -> None:
    (policy,) = documents_of("56-revision-of-another-spec", "policy.yaml")
    step = {"replicas": "100%", "traffic": {"default": policy["default"]}}
    _, (default,) = written(yaml.safe_dump({"steps": [step]}))
    step["traffic"] = policy["default"][0]
    _, (revision,) = written(yaml.safe_dump({"steps": [step]}))
    assert (default.path, default.code) == ("spec.steps[0].traffic.default", "UNKNOWN_FIELD")
    assert (revision.path, revision.code) == ("spec.steps[0].traffic.revision", "UNKNOWN_FIELD")


def test_56_3_equal_templates_of_two_workloads_have_two_pools() -> None:
    revision, other = born(serving()), replace(KEY, name="cedar")
    gateway = replace(terms(GATEWAY), port=8000)
    one, two = (pool_of(MODEL_SERVING, key, revision, gateway) for key in (KEY, other))
    assert one.revision == two.revision
    assert one.name != two.name
    assert one.selector[f"{KTHENA}/name"] != two.selector[f"{KTHENA}/name"]
