"""The definitions in manifests/crds say what is read, in a form that API servers take."""

from collections.abc import Iterator
from pathlib import Path

import jsonschema
import pytest
import yaml

from gitops_rollout.api.crds import crds
from gitops_rollout.api.policy_model import PolicyModel, RolloutModel
from gitops_rollout.api.values import Json, Object, at, mapping, sequence, text
from gitops_rollout.documents.emit import emit

FOLDER = Path(__file__).parents[2] / "manifests" / "crds"
BY_KIND = {text(at(crd, "spec", "names", "kind")): crd for crd in crds()}


def schema(kind: str) -> Object:
    (version,) = sequence(at(BY_KIND[kind], "spec", "versions"))
    return mapping(at(version, "schema", "openAPIV3Schema"))


def nodes(node: Object) -> Iterator[Object]:
    yield node
    for below in mapping(node.get("properties")).values():
        yield from nodes(mapping(below))
    if "items" in node:
        yield from nodes(mapping(node["items"]))


def valid(kind: str, spec: str) -> bool:
    value: Json = {"spec": yaml.safe_load(spec)}
    return bool(jsonschema.Draft202012Validator(schema(kind)).is_valid(value))


def test_the_files_are_those_that_the_models_give() -> None:
    expected = {f"{at(crd, 'metadata', 'name')}.yaml": emit(crd) for crd in crds()}
    assert {path.name: path.read_text(encoding="utf-8") for path in FOLDER.iterdir()} == expected


@pytest.mark.parametrize("kind", BY_KIND)
def test_a_schema_is_structural(kind: str) -> None:
    for node in nodes(schema(kind)):
        typed = {"type", "x-kubernetes-int-or-string", "x-kubernetes-preserve-unknown-fields"} & node.keys()
        assert len(typed) == 1
        assert not {"$ref", "anyOf", "additionalProperties", "title", "default", "const"} & node.keys()


@pytest.mark.parametrize("kind", BY_KIND)
def test_every_field_says_what_it_is(kind: str) -> None:
    fields = mapping(at(schema(kind), "properties", "spec", "properties"))
    assert all(text(at(field, "description")) for field in fields.values())


@pytest.mark.parametrize(
    ("kind", "model"), [("RolloutPolicy", PolicyModel), ("RevisionRollout", RolloutModel)]
)
def test_a_definition_has_every_field_that_is_read(kind: str, model: type[PolicyModel]) -> None:
    fields = mapping(at(schema(kind), "properties", "spec", "properties"))
    assert len(fields) == len(model.model_fields)


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ("{steps: [1, 25%, {name: all, replicas: 100%}], soak: 1h30m}", True),
        ("{deletion: Keep, suspend: false, revisionHistoryLimit: 0}", True),
        ("{soak: 30}", False),
        ("{soak: soon}", False),
        ("{deletion: Never}", False),
        ("{suspend: 'yes'}", False),
    ],
)
def test_the_schema_takes_what_is_right_and_refuses_what_is_plainly_wrong(spec: str, expected: bool) -> None:
    assert valid("RolloutPolicy", spec) is expected


def test_a_rollout_needs_a_workload() -> None:
    assert (valid("RevisionRollout", "{workload: ms/chat}"), valid("RevisionRollout", "{}")) == (True, False)
