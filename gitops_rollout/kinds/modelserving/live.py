"""Objects as a cluster holds them, read so that they compare with what stands in Git."""

from dataclasses import replace

from gitops_rollout.api.values import Json, Object, mapping, sequence
from gitops_rollout.api.workload import Spec
from gitops_rollout.kinds.metadata import unlabelled
from gitops_rollout.kinds.modelserving.check import check
from gitops_rollout.kinds.modelserving.fields import DEFAULT_REPLICAS, TEMPLATES
from gitops_rollout.kinds.protocol import Checked
from gitops_rollout.semantics.canonical import folded


def read_live(value: Object) -> Checked:
    """Check and split a live object: server-owned metadata and status dropped, aliases folded.

    Labels under our own prefix are taken out of its pod templates again: they are no part of a text
    (R23). Nothing else is changed, and nothing is written back.
    """
    spec = mapping(value.get("spec"))
    template = mapping(spec.get("template"))
    roles = template.get("roles")
    if not isinstance(roles, list):
        return check(value, "")
    read: list[Json] = [_role(role) if isinstance(role, dict) else role for role in sequence(roles)]
    return check({**value, "spec": {**spec, "template": {**template, "roles": read}}}, "")


def _role(role: Object) -> Object:
    templates: Object = {
        field: folded(_unlabelled(mapping(role[field])))
        for field in TEMPLATES
        if isinstance(role.get(field), dict)
    }
    return {**role, **templates}


def _unlabelled(template: Object) -> Object:
    return {**template, "metadata": unlabelled(template["metadata"])} if "metadata" in template else template


def as_stored(spec: Spec) -> Spec:
    """Give a spec as the API server stores it: replicas written out where they are absent.

    Only for comparing a file with a live object; what is published writes replicas iff the file does.
    """
    roles: Object = {
        name: {"replicas": DEFAULT_REPLICAS, **mapping(role)}
        for name, role in mapping(spec.controls.get("roles")).items()
    }
    return replace(spec, controls={"replicas": DEFAULT_REPLICAS, **spec.controls, "roles": roles})
