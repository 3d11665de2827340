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
