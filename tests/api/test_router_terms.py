"""`routerPolicy`: what people may write of the routers' management API, and how a rollout file holds it."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitops_rollout.api.policy import BUILT_IN, Policy, Proof
from gitops_rollout.api.policy_document import read_policy, read_rollout
from gitops_rollout.api.policy_merge import Wish, merge_policy
from gitops_rollout.api.router_terms import ISOLATION, PATH, RouterMode, RouterTerms
from gitops_rollout.documents.load import Limits, load
from tests.api.test_graph_document import KINDS, document, merged, rollout

TOLD = "{mode: ManagementAPI, port: 9090, auth: {tokenFile: chat-token}}"
files = st.sampled_from(["", "token", "tls.crt", "ca.pem"])
managed = st.builds(
    RouterTerms,
    st.just(RouterMode.MANAGEMENT_API),
    st.integers(1, 65535),
    st.just(PATH) | st.just("/policy"),
    *[files] * 3,
)
secured = st.builds(
    RouterTerms,
    st.just(RouterMode.MANAGEMENT_API),
    st.just(1),
    st.just("/"),
    *[files] * 3,
    st.just(True),
    *[files] * 2,
)


def faults(terms: str) -> list[str]:
    found, problems = read_rollout(
        document(f"{{workload: dgd/chat, routerPolicy: {terms}}}"), "serving", KINDS
    )
    assert (found is not None and found.fields is None) == bool(problems)
    return [one.path for one in problems]


@given(st.just(ISOLATION) | managed | secured)
def test_the_rollout_file_holds_what_was_written(terms: RouterTerms) -> None:
    policy = Policy(router_policy=terms, proof=Proof.CLUSTER)
    assert Policy.from_json(json.loads(json.dumps(policy.to_json()))) == policy


def test_isolation_leaves_no_trace() -> None:
    assert "routerPolicy" not in BUILT_IN.to_json()
    assert merged("routerPolicy: {mode: Isolation}").policy == BUILT_IN


def test_the_path_is_the_proposals_by_default() -> None:
    fields = rollout(f"routerPolicy: {TOLD}").fields
    assert fields is not None
    assert fields.router_policy == RouterTerms(RouterMode.MANAGEMENT_API, 9090, PATH, "chat-token")


def test_tls_is_spoken_where_it_is_written() -> None:
    secure = (
        "{mode: ManagementAPI, port: 1, auth: {certificateFile: a.crt, keyFile: a.key}, tls: {serverName: r}}"
    )
    fields = rollout(f"routerPolicy: {secure}").fields
    assert fields is not None
    assert fields.router_policy is not None
    assert (fields.router_policy.secure, fields.router_policy.server_name) == (True, "r")


@pytest.mark.parametrize(
    ("terms", "path"),
    [
        ("{mode: Isolation, port: 1}", "port"),
        ("{mode: ManagementAPI, auth: {tokenFile: t}}", "port"),
        ("{mode: ManagementAPI, port: 1}", "auth"),
        ("{mode: ManagementAPI, port: 1, auth: {}}", "auth"),
        ("{mode: ManagementAPI, port: 1, auth: {keyFile: k}, tls: {}}", "auth"),
        (
            "{mode: ManagementAPI, port: 1, auth: {tokenFile: t, keyFile: k, certificateFile: c}, tls: {}}",
            "auth",
        ),
        ("{mode: ManagementAPI, port: 1, auth: {certificateFile: c, keyFile: k}}", "tls"),
        ("{mode: ManagementAPI, port: 0, auth: {tokenFile: t}}", "port"),
        ("{mode: ManagementAPI, port: 1, path: policy, auth: {tokenFile: t}}", "path"),
        ("{mode: Guess}", "mode"),
        ("{port: 1}", "mode"),
    ],
)
def test_what_cannot_be_meant_is_told_where_it_stands(terms: str, path: str) -> None:
    assert faults(terms) == [f"spec.routerPolicy.{path}"]


@pytest.mark.parametrize("name", ["../git-token", "/etc/passwd", "a/b", "..", ".hidden", "a\\nb"])
def test_no_policy_reaches_a_file_outside_of_its_folder(name: str) -> None:
    terms = f'{{mode: ManagementAPI, port: 1, auth: {{tokenFile: "{name}"}}}}'
    assert faults(terms) == ["spec.routerPolicy.auth.tokenFile"]


def test_it_is_of_one_workload() -> None:
    (found,) = load(b"metadata: {name: fleet}\nspec: {routerPolicy: {mode: Isolation}}", Limits())
    assert isinstance(found.value, dict)
    (problem,) = read_policy(found.value)[1]
    assert (problem.path, problem.code) == ("spec.routerPolicy", "POLICY_INVALID")


def test_nobody_asks_routers_under_manual_proof() -> None:
    explained = merge_policy(Wish(rollout=rollout(f"routerPolicy: {TOLD}")), {})
    assert [(one.path, one.code) for one in explained.problems] == [("routerPolicy", "POLICY_INVALID")]
    assert explained.policy.router_policy == ISOLATION


def test_with_an_observed_cluster_they_are_told() -> None:
    explained = merge_policy(Wish(rollout=rollout(f"proof: Cluster, routerPolicy: {TOLD}")), {})
    assert (explained.problems, explained.policy.router_policy.managed) == ((), True)
    (origin,) = [one for one in explained.origins if one.field == "routerPolicy"]
    assert origin.value == f"ManagementAPI at port 9090, {PATH}"
