"""Who may serve one request: of one revision, or of two across an edge with a contract (G2.12)."""

import json
from dataclasses import replace
from functools import cache
from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from gitops_rollout.api.graph_terms import Contract
from gitops_rollout.api.values import Object
from gitops_rollout.kinds.dynamograph.kind import DYNAMO_GRAPH
from gitops_rollout.rollout import router_policy
from gitops_rollout.rollout.bindings import Binding, Bindings, body, coherent, declared, digest, staying
from gitops_rollout.rollout.state import State
from tests.rollout.graphs import SIZES, GraphStage, graph, policy
from tests.rollout.observed import NEW, OLD
from tests.rollout.router_laws import triples

EDGES = (("router", "worker"), ("router", "prefill"), ("router", "decode"), ("prefill", "decode"))
ROLES = {"Frontend": "router", "Prefill": "prefill", "Decode": "decode"}
edges = st.sets(st.sampled_from(EDGES))
revisions = st.sampled_from(["rA", "rB", "rC"])
choices = st.dictionaries(st.sampled_from(["worker", "prefill", "decode"]), revisions)
bindings = st.builds(
    lambda default, others: Bindings.of(
        "serving", Binding(default, {}), [Binding(*one) for one in others.items()]
    ),
    revisions,
    st.dictionaries(revisions, choices, max_size=2),
)


def contracts(pairs: set[tuple[str, str]]) -> tuple[Contract, ...]:
    return tuple(Contract.between(*pair, "x/1") for pair in sorted(pairs))


def allowed(pairs: set[tuple[str, str]], one: str, other: str) -> bool:
    """Say whether a contract is declared of an edge, or of routers and all workers."""
    known = {frozenset(pair) for pair in pairs}
    return frozenset((one, other)) in known or ("router" in (one, other) and frozenset(EDGES[0]) in known)


@cache
def offered(changed: frozenset[str]) -> GraphStage:
    """Give a workload that is offered a revision in which only these components are other ones."""
    stage = GraphStage(graph(OLD), policy()).settle()
    images: dict[str, Object] = {
        name: {"podTemplate": {"spec": {"containers": [{"name": "main", "image": NEW}]}}} for name in changed
    }
    return stage.source(graph(OLD, changed=images)).settle()


def told(changed: frozenset[str], pairs: set[tuple[str, str]]) -> tuple[State, Bindings]:
    """Bind the candidate of an object that serves both revisions at once (strategy InPlace)."""
    head = offered(changed).head()
    state, history = head.file.state, head.history  # type: ignore[union-attr]
    state = _under(state, pairs)
    return state, router_policy.after(DYNAMO_GRAPH, history, state, "candidate-policy")


def _under(state: State, pairs: set[tuple[str, str]]) -> State:
    written = policy(contracts=contracts(pairs)).to_json()
    accepted = replace(state.accepted, policy=written)
    return replace(
        state, accepted=accepted, candidate=state.offered, bindings=Bindings("serving", state.stable)
    )


@given(st.sets(st.sampled_from(sorted(SIZES)), min_size=1).map(frozenset), edges)
def test_whoever_serves_a_request_is_of_one_revision_or_declared(
    changed: frozenset[str], pairs: set[tuple[str, str]]
) -> None:
    _, found = told(changed, pairs)
    for triple in triples(body(found, 1)):
        members = dict(zip(("router", "prefill", "decode"), triple, strict=True))
        for one, other in combinations(members, 2):
            assert members[one] == members[other] or allowed(pairs, one, other), (triple, pairs)


def test_without_a_contract_everything_is_of_one_revision() -> None:
    state, found = told(frozenset({"Prefill"}), set())
    (bound,) = found.routers
    assert (bound.router, set(bound.chooses.values())) == (state.offered, {state.offered})


def test_what_did_not_change_stays_under_a_contract() -> None:
    state, found = told(frozenset({"Frontend"}), {("router", "worker")})
    (bound,) = found.routers
    assert bound.chooses == {"prefill": state.stable, "decode": state.stable}


def test_prefill_and_decode_part_only_under_a_contract_of_their_own() -> None:
    changed = frozenset({"Frontend", "Prefill"})
    state, found = told(changed, {("router", "worker"), ("prefill", "decode")})
    (bound,) = found.routers
    assert bound.chooses == {"prefill": state.offered, "decode": state.stable}
    assert told(changed, {("router", "worker")})[1].routers[0].plain


def test_components_may_be_named_in_a_contract() -> None:
    named = (Contract.between("Frontend", "Decode", "x/1"),)
    assert declared(named, ROLES) == {frozenset(("router", "decode"))}


@given(revisions, choices)
def test_one_revision_is_always_coherent(router: str, chooses: dict[str, str]) -> None:
    assert coherent(router, dict.fromkeys(chooses, router), ())
    assert coherent(router, chooses, ()) == (set(chooses.values()) <= {router})


@given(bindings, bindings, st.integers(1, 99), st.integers(1, 99))
def test_a_digest_tells_every_body_from_every_other(
    one: Bindings, other: Bindings, version: int, another: int
) -> None:
    same = body(one, version) == body(other, another)
    assert (digest(body(one, version)) == digest(body(other, another))) == same


@given(bindings, st.integers(1, 99))
def test_a_digest_is_of_what_a_body_says(one: Bindings, version: int) -> None:
    spelled = json.loads(json.dumps(body(one, version), indent=7, sort_keys=True))
    assert digest(spelled) == digest(body(one, version))


def test_the_largest_choice_comes_first() -> None:
    assert [*staying({"b", "a"})] == [("a", "b"), ("a",), ("b",), ()]
