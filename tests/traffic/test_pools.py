"""Pools: which pods a revision's requests reach, under which name (delivery-gateway B1, G2 19)."""

from dataclasses import replace
from typing import Any, TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gitops_rollout.api.gateway import Backend, Gateway, Picker
from gitops_rollout.api.values import Object, at, mapping
from gitops_rollout.api.workload import WorkloadKey
from gitops_rollout.gateway.inferencepool import pool_problems
from gitops_rollout.kinds.modelserving.kind import MODEL_SERVING
from gitops_rollout.kinds.protocol import Endpoint, Injection
from gitops_rollout.revision.record import Revision
from gitops_rollout.traffic.pools import LONGEST, NoPool, Pool, overlap, pool_object, pool_of, under_free_name
from tests.drawn import drawn
from tests.kinds.manifests import pod, role, serving
from tests.traffic.asked import GATEWAY, KEY, born, recorded, taken_as_it_is, terms

KTHENA = "modelserving.volcano.sh"
IDENTITY = {f"{KTHENA}/name": "chat", f"{KTHENA}/role": "decode", f"{KTHENA}/entry": "true"}
REVISION = f"{KTHENA}/revision"
OURS = "gitops-rollout.io/revision"
TERMS = replace(terms(GATEWAY), port=8000)
Labels: TypeAlias = dict[str, str]
LABELS = st.dictionaries(st.sampled_from(["track", "app", "tier"]), st.sampled_from(["a", "b"]))


def listening(
    *ports: int, sidecar: int | None = None, image: str = "engine:1", labels: Labels | None = None
) -> Object:
    """Write `chat` whose main container declares these ports, and whose pods carry these labels."""
    main: Any = pod(image, ports=[{"containerPort": port} for port in ports])
    if sidecar is not None:
        main["spec"]["containers"].append(
            {"name": "proxy", "image": "proxy:1", "ports": [{"containerPort": sidecar}]}
        )
    return serving(role(entry={"metadata": {"labels": {**(labels or {})}}, **main}))


def made(revision: Revision, gateway: Gateway = TERMS, key: WorkloadKey = KEY) -> Pool:
    return pool_of(MODEL_SERVING, key, revision, gateway)


def adopting(key: str, value: str) -> Gateway:
    return replace(TERMS, adopt=(key, value))


def test_54_1_a_selector_holds_the_revision_label_and_the_identity() -> None:
    revision = born(serving())
    assert made(revision).selector == {**IDENTITY, OURS: revision.id}


def test_54_2_only_entry_pods_are_selected() -> None:
    workers = role(workerReplicas=3, workerTemplate=pod())
    assert made(born(serving(workers))).selector[f"{KTHENA}/entry"] == "true"


def test_a_role_with_a_label_of_its_own_is_selected_by_that() -> None:
    injection = Injection({"decode": {"gitops-rollout.io/role-revision": "d1"}})
    assert made(recorded(serving(), injection)).selector == {
        **IDENTITY,
        "gitops-rollout.io/role-revision": "d1",
    }


def test_another_role_is_another_selector() -> None:
    value = serving(role("server"), role("decode"))
    gateway = replace(TERMS, component="server")
    assert made(born(value), gateway).selector[f"{KTHENA}/role"] == "server"


def test_a_revision_without_the_role_has_no_pool() -> None:
    with pytest.raises(NoPool, match="no server that could answer"):
        made(born(serving()), replace(TERMS, component="server"))


def test_what_ran_before_is_selected_by_the_label_that_is_named() -> None:
    assert made(recorded(serving()), adopting(REVISION, "6d8f")).selector == {**IDENTITY, REVISION: "6d8f"}


def test_what_ran_before_needs_a_label() -> None:
    with pytest.raises(NoPool, match=r"adopt\.revisionLabel"):
        made(recorded(serving()))


def test_a_label_of_people_must_stand_on_the_pods() -> None:
    revision = recorded(listening(8000, labels={"track": "blue"}))
    assert made(revision, adopting("track", "blue")).selector == {**IDENTITY, "track": "blue"}
    with pytest.raises(NoPool, match="no pod of decode"):
        made(revision, adopting("track", "green"))


def test_our_own_label_comes_before_the_one_to_adopt_by() -> None:
    assert REVISION not in made(born(serving()), adopting(REVISION, "6d8f")).selector


@drawn(60)
@given(LABELS, LABELS)
def test_19_pools_of_two_labelled_revisions_never_meet(one: Labels, other: Labels) -> None:
    before, after = born(listening(8000, labels=one)), born(listening(8000, image="engine:2", labels=other))
    for a, b in ((before, after), (after, before)):
        assert not overlap(made(a), made(b), endpoint(b))
        assert not selects(made(a), pods(b))


@drawn(100)
@given(LABELS, LABELS, st.sampled_from(["track", "app", REVISION]), st.sampled_from(["a", "b"]))
def test_19_overlap_says_whether_an_adopted_pool_selects_the_next_revision(
    one: Labels, other: Labels, key: str, value: str
) -> None:
    if key != REVISION:
        one = {**one, key: value}
    before, after = (
        recorded(listening(8000, labels=one)),
        born(listening(8000, image="engine:2", labels=other)),
    )
    adopted = made(before, adopting(key, value))
    assert overlap(adopted, made(after), endpoint(after)) == selects(adopted, pods(after))
    assert not selects(made(after), pods(before))


def endpoint(revision: Revision) -> Endpoint | None:
    return MODEL_SERVING.endpoint(revision.text, "chat", "decode")


def pods(revision: Revision) -> Labels:
    """Give the labels of a revision's entry pods; the controller's own revision label is nobody's guess."""
    found = endpoint(revision)
    assert found is not None
    injected = revision.injection.labels.get("*", {})
    return {REVISION: f"hash-of-{revision.id}", **found.labels, **found.written, **injected}


def selects(pool: Pool, labels: Labels) -> bool:
    return pool.selector.items() <= labels.items()


def test_without_a_pool_to_compare_with_only_other_values_keep_apart() -> None:
    pool = made(born(serving()))
    apart = replace(pool, selector={**pool.selector, OURS: "another"})
    assert overlap(pool, pool, None)
    assert not overlap(pool, apart, None)


def test_53_2_each_revision_has_its_own_port() -> None:
    gateway = replace(TERMS, port=None)
    ports = [made(born(listening(port)), gateway).port for port in (8000, 8300)]
    assert ports == [8000, 8300]


def test_a_port_that_is_written_holds_for_every_revision() -> None:
    assert made(born(listening(8000)), replace(TERMS, port=9000)).port == 9000


@pytest.mark.parametrize(
    ("value", "declares"),
    [
        (listening(), "declares none"),
        (listening(8000, 9090), "declares 8000, 9090"),
        (listening(sidecar=8000), "declares none"),
    ],
)
def test_a_port_that_is_not_plain_must_be_written(value: Object, declares: str) -> None:
    with pytest.raises(NoPool, match=rf"write gateway\.targetPort: decode .* {declares}"):
        made(born(value), replace(TERMS, port=None))


def test_a_sidecars_port_is_not_the_servers() -> None:
    assert made(born(listening(8000, sidecar=9090)), replace(TERMS, port=None)).port == 8000


NAMES = st.from_regex(r"[a-z][-a-z0-9]{0,58}[a-z0-9]", fullmatch=True)


@given(NAMES)
def test_a_name_is_short_and_ends_in_the_revision(name: str) -> None:
    revision = born(serving())
    pool = made(revision, key=replace(KEY, name=name))
    assert len(pool.name) <= LONGEST == 50
    assert pool.name.endswith(f"-{revision.id}")
    assert pool.filename == f"pool-{revision.id}.yaml"


@given(NAMES, st.text("ab", min_size=1, max_size=3))
def test_other_workloads_have_other_names(name: str, more: str) -> None:
    revision = born(serving())
    one, other = (made(revision, key=replace(KEY, name=n)) for n in (name, name + more))
    assert one.name != other.name
    assert one.selector[f"{KTHENA}/name"] != other.selector[f"{KTHENA}/name"]


def test_a_name_that_nobody_has_is_kept() -> None:
    pool, other = made(born(listening(8000))), made(born(listening(8300)))
    assert under_free_name(pool, ()) == under_free_name(pool, [other]) == pool


def test_what_is_there_keeps_its_name() -> None:
    pool = made(born(serving()))
    there = replace(pool, name="chat-of-old")
    assert under_free_name(pool, [there]) == there


@pytest.mark.parametrize(
    "other", [{"port": 9000}, {"picker": Picker("p", 9002)}, {"backend": Backend.SERVICE}, {"selector": {}}]
)
def test_other_content_under_the_name_gives_a_suffix_the_same_each_time(other: dict[str, Any]) -> None:
    pool = made(born(serving()))
    renamed = under_free_name(pool, [replace(pool, **other)])
    assert renamed == under_free_name(pool, [replace(pool, **other)])
    assert renamed.same(pool)
    assert renamed.name.startswith(f"{pool.name}-")
    assert renamed.filename != pool.filename


def test_a_picker_is_named_for_its_revision_and_closes_when_it_fails() -> None:
    revision = born(serving())
    pool = made(revision, replace(TERMS, picker=Picker("{revision}-picker", 9002)))
    assert at(pool_object(KEY, pool), "spec", "endpointPickerRef") == {
        "group": "",
        "kind": "Service",
        "name": f"{revision.id}-picker",
        "port": {"number": 9002},
        "failureMode": "FailClose",
    }


@drawn(40)
@given(LABELS, st.none() | st.just(Picker("{revision}-p", 9002)), st.integers(1, 65535), NAMES)
def test_the_crd_takes_every_pool_and_adds_nothing_to_it(
    labels: Labels, picker: Picker | None, port: int, name: str
) -> None:
    key = replace(KEY, name=name)
    pool = made(born(listening(labels=labels)), replace(TERMS, port=port, picker=picker), key)
    rendered = pool_object(key, pool)
    assert pool_problems(rendered) == ()
    assert taken_as_it_is(rendered)


def test_a_service_has_every_default_that_is_not_given_out_by_the_cluster() -> None:
    gateway = replace(TERMS, backend=Backend.SERVICE, picker=Picker("p", 9002))
    pool = made(born(serving()), gateway)
    assert pool_object(KEY, pool)["spec"] == {
        "type": "ClusterIP",
        "selector": dict(pool.selector),
        "ports": [{"name": "http", "port": 8000, "protocol": "TCP", "targetPort": 8000}],
        "sessionAffinity": "None",
        "internalTrafficPolicy": "Cluster",
    }
    assert pool.reference == {"group": "", "kind": "Service", "name": pool.name, "port": 8000}


@pytest.mark.parametrize("backend", Backend)
def test_an_object_says_whose_it_is(backend: Backend) -> None:
    pool = made(born(serving()), replace(TERMS, backend=backend))
    metadata = mapping(pool_object(KEY, pool)["metadata"])
    assert (metadata["name"], metadata["namespace"]) == (pool.name, "serving")
    assert metadata["labels"] == {
        "app.kubernetes.io/managed-by": "gitops-rollout",
        "gitops-rollout.io/kind": "ModelServing",
        "gitops-rollout.io/workload": "chat",
        "gitops-rollout.io/revision": pool.revision,
    }


def test_a_suffix_makes_no_name_too_long() -> None:
    key = WorkloadKey("serving", "ModelServing", "a" * 45)
    pool = made(born(listening(8000)), key=key)
    other = under_free_name(pool, [replace(pool, port=1)])
    assert (len(other.name) <= LONGEST, other.name == pool.name) == (True, False)


def test_a_template_that_overwrites_the_controllers_label_has_no_pods() -> None:
    hidden = listening(8000, labels={"modelserving.volcano.sh/entry": "false"})
    with pytest.raises(NoPool, match="overwrites"):
        made(born(hidden))
