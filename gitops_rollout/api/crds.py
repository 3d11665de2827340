"""The CustomResourceDefinitions of what people write, made from the models that read it.

They serve editors, `kubectl explain` and API servers; nothing of ours needs them to be installed.
Whatever a schema cannot say (rising shares, reserved names) is said when the source is read.
"""

from gitops_rollout.api.calendar_document import FreezeModel
from gitops_rollout.api.policy_document import GROUP
from gitops_rollout.api.policy_model import PolicyModel, RolloutModel
from gitops_rollout.api.values import Json, Object, mapping, sequence

_VERSION = "v1alpha1"
_KEPT = (
    "type",
    "description",
    "pattern",
    "minimum",
    "maximum",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "format",
)
_INT_OR_STRING = "x-kubernetes-int-or-string"
_PRESERVE = "x-kubernetes-preserve-unknown-fields"


def crds() -> tuple[Object, ...]:
    """Give the definitions, RolloutPolicy first."""
    return (
        _definition("RolloutPolicy", "rolloutpolicies", "Cluster", PolicyModel.model_json_schema()),
        _definition("RevisionRollout", "revisionrollouts", "Namespaced", RolloutModel.model_json_schema()),
        _definition("Freeze", "freezes", "Cluster", FreezeModel.model_json_schema()),
    )


def _definition(kind: str, plural: str, scope: str, schema: Object) -> Object:
    top: Object = {
        "type": "object",
        "description": str(schema["description"]),
        "required": ["spec"],
        "properties": {
            "apiVersion": {"type": "string"},
            "kind": {"type": "string"},
            "metadata": {"type": "object"},
            "spec": _structural(schema, mapping(schema.get("$defs"))),
        },
    }
    version: Object = {"name": _VERSION, "served": True, "storage": True, "schema": {"openAPIV3Schema": top}}
    names: Object = {
        "kind": kind,
        "listKind": f"{kind}List",
        "plural": plural,
        "singular": kind.lower(),
        "categories": ["gitops-rollout"],
    }
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{GROUP}"},
        "spec": {"group": GROUP, "names": names, "scope": scope, "versions": [version]},
    }


def _structural(schema: Object, definitions: Object) -> Object:
    """Give the structural form: no references, no null, no title, no default, no closed objects."""
    schema = _without_null(schema)
    if "$ref" in schema:
        return _structural(mapping(definitions[str(schema["$ref"]).rpartition("/")[2]]), definitions)
    kept: Object = {name: schema[name] for name in _KEPT if name in schema}
    for several in (_INT_OR_STRING, _PRESERVE):
        if schema.get(several):
            return {name: value for name, value in kept.items() if name != "type"} | {several: True}
    values = [schema["const"]] if "const" in schema else sequence(schema.get("enum"))
    if values:
        kept["enum"] = values
    if "required" in schema:
        kept["required"] = sequence(schema["required"])
    if "properties" in schema:
        properties = mapping(schema["properties"]).items()
        kept["properties"] = {name: _structural(mapping(value), definitions) for name, value in properties}
    if "items" in schema:
        kept["items"] = _structural(mapping(schema["items"]), definitions)
    return kept


def _without_null(schema: Object) -> Object:
    """Give the one alternative that is not null; the description stands beside the alternatives."""
    choices: list[Json] = [one for one in sequence(schema.get("anyOf")) if mapping(one).get("type") != "null"]
    if not choices:
        return schema
    rest: Object = {name: value for name, value in schema.items() if name != "anyOf"}
    return {**mapping(choices[0]), **rest}
