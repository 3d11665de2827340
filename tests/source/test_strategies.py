"""What of a policy a workload or this version cannot do: told where it was written, before anything moves."""

import pytest

from gitops_rollout.api.graph_terms import Strategy
from gitops_rollout.api.policy import BUILT_IN
from gitops_rollout.api.policy_merge import Explained
from gitops_rollout.api.workload import WorkloadKey
from tests.source.desk import Desk, key, policy, serving

CHAT = WorkloadKey("serving", "DynamoGraphDeployment", "chat")
GRAPH = """\
apiVersion: nvidia.com/v1beta1
kind: DynamoGraphDeployment
metadata: {name: chat, namespace: serving}
spec:
  components:
  - name: Frontend
    type: frontend
    podTemplate: {spec: {containers: [{name: main, image: "engine:1.4.0"}]}}
  - name: Decode
    type: decode
    podTemplate: {spec: {containers: [{name: main, image: "engine:1.4.0"}]}}
"""
GATEWAY = "gateway: {parentRefs: [{name: edge}], component: Frontend, implementation: istio}"


def own(spec: str) -> str:
    return f"""\
apiVersion: gitops-rollout.io/v1alpha1
kind: RevisionRollout
metadata: {{name: chat, namespace: serving}}
spec: {{workload: dgd/chat, {spec}}}
"""


def of_graph(desk: Desk, spec: str) -> Explained:
    """Give the policy of the graph `chat` with a RevisionRollout that says this."""
    desk.write({"specs/chat.yaml": GRAPH, "specs/own.yaml": own(spec)})
    return desk.read().policy(CHAT)


def test_a_graph_with_a_route_is_let_in_as_a_graph_of_its_own(desk: Desk) -> None:
    explained = of_graph(desk, f"strategy: NewGraph, renamesGraph: Accepted, steps: [25%, 100%], {GATEWAY}")
    assert explained.problems == ()
    assert explained.policy.strategy is Strategy.NEW_GRAPH
    assert explained.policy.gateway is not None


@pytest.mark.parametrize(
    ("spec", "path", "code"),
    [
        (GATEWAY, "spec.gateway", "POLICY_INVALID"),
        ("strategy: NewGraph, renamesGraph: Accepted", "spec.strategy", "POLICY_INVALID"),
        ("strategy: InPlace", "spec.strategy", "POLICY_INVALID"),
        ("strategy: Whole, steps: [1, 100%]", "spec.steps", "POLICY_INVALID"),
        (
            "releaseGroups: [{name: a, components: [ghost]}]",
            "spec.releaseGroups[0].components[0]",
            "POLICY_INVALID",
        ),
        (
            "routerPolicy: {mode: ManagementAPI, port: 1, auth: {tokenFile: t}}",
            "spec.routerPolicy",
            "POLICY_INVALID",
        ),
        ("proof: Cluster", "spec.proof", "NOT_YET"),
        ("proof: Cluster, gate: Automatic", "spec.proof", "NOT_YET"),
        ("proof: Cluster, strategy: InPlace", "spec.proof", "NOT_YET"),
    ],
)
def test_what_cannot_be_is_told_where_it_was_written(desk: Desk, spec: str, path: str, code: str) -> None:
    problems = of_graph(desk, spec).problems
    assert [(one.file, one.path, one.code) for one in problems] == [("specs/own.yaml", path, code)]


def test_a_route_that_is_refused_is_all_that_is_said(desk: Desk) -> None:
    problems = of_graph(desk, "strategy: NewGraph, gateway: {component: Frontend}").problems
    assert [one.path for one in problems] == ["spec.gateway.parentRefs"]


@pytest.mark.parametrize(
    ("spec", "word"),
    [
        ("{strategy: NewGraph}", "strategy of its policy: "),
        ("{retireDelay: 30m}", "retireDelay of its policy: "),
        ("{proof: Cluster}", "proof of its policy: "),
    ],
)
def test_a_policy_for_a_fleet_is_named_for_what_a_workload_cannot_do(
    desk: Desk, spec: str, word: str
) -> None:
    desk.write({"specs/a.yaml": serving("chat"), "specs/p.yaml": policy("fleet", spec)})
    (problem,) = desk.read().policy(key("chat"), "fleet").problems
    assert (problem.file, problem.path) == ("specs/a.yaml", "")
    assert problem.message.startswith(word)


def test_steps_of_a_fleet_do_not_split_a_graph(desk: Desk) -> None:
    desk.write({"specs/chat.yaml": GRAPH, "specs/p.yaml": policy("fleet", "{steps: [1, 100%]}")})
    assert desk.read().policy(CHAT, "fleet").problems == ()
    assert desk.read().policy(CHAT).policy == BUILT_IN


PAUSED = f"{GRAPH}  rollout: {{components: [{{name: Decode, paused: true}}]}}\n"
NEW_GRAPH = f"strategy: NewGraph, renamesGraph: Accepted, steps: [25%, 100%], {GATEWAY}"


@pytest.mark.parametrize(
    ("spec", "told"), [("strategy: Whole", {"NO_EFFECT"}), ("soak: 1m", {"NO_EFFECT"}), (NEW_GRAPH, set())]
)
def test_what_is_paused_is_told_to_have_no_effect_only_where_it_has_none(
    desk: Desk, spec: str, told: set[str]
) -> None:
    desk.write({"specs/chat.yaml": PAUSED, "specs/own.yaml": own(spec)})
    source = desk.read()
    assert {one.code for one in source.warnings} == told
    assert {one.code for one in source.specs[CHAT].warnings} == told


def test_a_policy_for_a_fleet_may_say_the_strategy(desk: Desk) -> None:
    fleet = policy("fleet", "{strategy: NewGraph, renamesGraph: Accepted}")
    own_one = own(f"policyRef: fleet, {GATEWAY}")
    desk.write({"specs/chat.yaml": PAUSED, "specs/p.yaml": fleet, "specs/own.yaml": own_one})
    assert desk.read().warnings == ()


def test_requests_go_to_the_only_frontend_where_nobody_says_otherwise(desk: Desk) -> None:
    explained = of_graph(desk, NEW_GRAPH.replace("component: Frontend, ", ""))
    told = {one.field: (one.value, one.origin) for one in explained.origins}
    assert (explained.problems, told["gateway.component"]) == ((), ("Frontend", "derived"))


PARTED = f"""{GRAPH}\
  - name: Prefill
    type: prefill
    podTemplate: {{spec: {{containers: [{{name: main, image: "engine:1.4.0"}}]}}}}
  rollout: {{releaseGroups: [{{name: serving, components: [Frontend, Decode]}}]}}
"""


@pytest.mark.parametrize(
    ("spec", "refused"),
    [
        ("compatibility: [{edge: [prefill, decode], contract: nixl/0.7}]", set()),
        ("compatibility: [{edge: [Prefill, Decode], contract: nixl/0.7}]", set()),
        ("compatibility: [{edge: [frontend, worker], contract: http/1}]", {"PARTED"}),
        ("soak: 1m", {"PARTED"}),
    ],
)
def test_a_contract_of_its_policy_lets_the_graphs_own_group_part_prefill(
    desk: Desk, spec: str, refused: set[str]
) -> None:
    desk.write({"specs/chat.yaml": PARTED, "specs/own.yaml": own(spec)})
    source = desk.read()
    assert {one.code for one in source.problems} == refused
    assert (CHAT in source.specs) is not bool(refused)
    assert {one.code for found in source.refused.values() for one in found} == refused


def test_a_contract_excuses_nothing_else(desk: Desk) -> None:
    contract = own("compatibility: [{edge: [prefill, decode], contract: nixl/0.7}]")
    desk.write({"specs/chat.yaml": PARTED, "specs/other.yaml": serving("chat"), "specs/own.yaml": contract})
    assert CHAT not in desk.read().specs
    desk.write({"specs/chat.yaml": PARTED.replace("name: Decode\n", "name: Decode\n    replicas: -1\n")})
    assert CHAT not in desk.read().specs
