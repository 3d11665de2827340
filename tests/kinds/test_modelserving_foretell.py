"""Kthena's own revision names, foretold from what we publish."""

import json
from importlib.resources import files

import pytest
from hypothesis import given

from gitops_rollout.api.values import Json, Object, at, mapping, sequence
from gitops_rollout.kinds.modelserving import foretell
from gitops_rollout.kinds.modelserving.fields import POD_SPEC, table
from gitops_rollout.kinds.modelserving.gojson import go_bytes, go_value
from gitops_rollout.kinds.modelserving.goquantity import printed
from gitops_rollout.kinds.modelserving.kind import MODEL_SERVING as KIND
from gitops_rollout.kinds.protocol import Injection
from tests.kinds.manifests import accepted, pod, role, serving
from tests.kinds.specs import servings
from tests.shared import vectors

GOLDEN = serving(role(entry=pod("image:v1"), replicas=2), schedulerName="")


def test_the_known_hashes_come_out() -> None:
    for row in vectors("kthena-revision.json")["cases"]:
        assert foretell.revision_hash(row["bytes"].encode(), row["salt"]) == row["hash"], row["of"]


def test_the_known_snapshots_come_out_of_objects() -> None:
    whole, one, legacy = vectors("kthena-revision.json")["cases"][:3]
    only = role(entry=pod("image:v1"), replicas=2)
    assert foretell.snapshot(GOLDEN).decode() == whole["bytes"]
    assert foretell.role_snapshot(GOLDEN, only).decode() == one["bytes"]
    assert foretell.revision(GOLDEN) == whole["hash"]
    assert foretell.role_revisions(GOLDEN) == {"decode": one["hash"]}
    assert foretell.legacy_role_revision(only) == legacy["hash"]


def test_a_collision_gives_another_name() -> None:
    assert foretell.revision(GOLDEN, 1) != foretell.revision(GOLDEN, 0)


def test_the_snapshot_sorts_roles_and_normalises_plugins() -> None:
    plugin: Object = {"name": "a", "config": {"z": 1, "b": "<&>"}, "scope": {"roles": ["p", "d", "p"]}}
    value = serving(role("p"), role("d"), plugins=[plugin, {"name": "b", "config": None, "scope": {}}])
    text = foretell.snapshot(value).decode()
    assert text.index('"name":"d"') < text.index('"name":"p"')
    assert (
        '"plugins":[{"name":"a","type":"BuiltIn","config":{"b":"\\u003c\\u0026\\u003e","z":1},'
        '"scope":{"roles":["d","p"],"target":"All"}},{"name":"b","type":"BuiltIn"}]'
    ) in text


# Printed by Go from the same values.
PRINTED: list[tuple[Object, str]] = [
    ({}, '{"containers":null}'),
    ({"containers": []}, '{"containers":[]}'),
    (
        {"hostNetwork": False, "securityContext": {}, "containers": [{"name": "m", "env": []}]},
        '{"containers":[{"name":"m","resources":{}}],"securityContext":{}}',
    ),
    (
        {"containers": [{"image": "i", "name": "m", "readinessProbe": {"httpGet": {"path": "/"}}}]},
        '{"containers":[{"name":"m","image":"i","resources":{},'
        '"readinessProbe":{"httpGet":{"path":"/","port":0}}}]}',
    ),
    (
        {"containers": [{"name": "<m>", "resources": {"limits": {"b": "1000m", "a": 0.5}}}]},
        '{"containers":[{"name":"\\u003cm\\u003e","resources":{"limits":{"a":"500m","b":"1"}}}]}',
    ),
    (
        {"tolerations": [None], "terminationGracePeriodSeconds": 0, "volumes": [{"emptyDir": {}}]},
        '{"volumes":[{"name":"","emptyDir":{}}],"containers":null,'
        '"terminationGracePeriodSeconds":0,"tolerations":[{}]}',
    ),
]  # fmt: skip


@pytest.mark.parametrize(("value", "text"), PRINTED)
def test_values_are_printed_as_go_prints_them(value: Json, text: str) -> None:
    assert go_bytes(go_value(value, POD_SPEC)).decode() == text


def test_amounts_are_printed_as_kubernetes_prints_them() -> None:
    rows = [row for row in vectors("quantity.json")["cases"] if row["valid"]]
    wrong = [row["in"] for row in rows if _read(row["in"]) and printed(row["in"]) != row["canonical"]]
    assert not wrong
    assert sum(_read(row["in"]) for row in rows) > 700


def _read(text: str) -> bool:
    try:
        return bool(printed(text))
    except ValueError:
        return False  # stricter than Kubernetes: no digit, or an exponent beyond 64


@given(value=servings())
def test_what_is_published_has_the_hashes_of_its_source(value: Object) -> None:
    spec = accepted(value)
    rendered = KIND.render(spec.text, spec.controls, Injection({}), None)
    assert foretell.revision(rendered) == foretell.revision(value)
    assert foretell.role_revisions(rendered) == foretell.role_revisions(value)


@given(value=servings())
def test_a_role_keeps_its_hash_whatever_other_roles_do(value: Object) -> None:
    before = foretell.role_revisions(value)
    alone = [one for one in sequence(at(value, "spec", "template", "roles")) if at(one, "name") == "prefill"]
    spec: Object = {**mapping(value["spec"]), "template": {"roles": alone}}
    assert foretell.role_revisions({**value, "spec": spec}) == {"prefill": before["prefill"]}


def test_the_order_of_go_and_the_types_know_the_same_fields() -> None:
    raw = (
        files("gitops_rollout.kinds.modelserving").joinpath("go-order-1.36.json").read_text(encoding="utf-8")
    )
    for struct, marked in json.loads(raw).items():
        assert sorted(field.removesuffix("!") for field in marked) == sorted(table()[struct]), struct
