"""Graphs as a cluster holds them, read so that they compare with what stands in Git."""

from dataclasses import replace

from gitops_rollout.api.values import Json, Object, at, mapping, sequence
from gitops_rollout.api.workload import Spec
from gitops_rollout.kinds.dynamograph.check import check
from gitops_rollout.kinds.dynamograph.words import DEFAULT_REPLICAS, OPERATORS_OWN, WORKLOAD_PROVIDER
from gitops_rollout.kinds.metadata import unlabelled
from gitops_rollout.kinds.protocol import Checked
from gitops_rollout.semantics.canonical import folded


def read_live(value: Object) -> Checked:
    """Check and split a live object: what server and operator write of their own is dropped.

    That is status, server-owned metadata, the operator's notes among the annotations, and labels under
    our own prefix in pod templates, which are no part of a text (R23). Aliases are folded.
    """
    metadata = mapping(value.get("metadata"))
    noted = (*OPERATORS_OWN, WORKLOAD_PROVIDER)
    annotations: Object = {
        key: part for key, part in mapping(metadata.get("annotations")).items() if not key.startswith(noted)
    }
    kept: Object = {**metadata, "annotations": annotations}
    spec = dict(mapping(value.get("spec")))
    if isinstance(spec.get("components"), list):
        spec["components"] = [_component(one) for one in sequence(spec["components"])]
    if isinstance(spec.get("services"), dict):
        spec["services"] = {name: _service(one) for name, one in mapping(spec["services"]).items()}
    return check({**value, "metadata": kept, "spec": spec}, "")


def _component(component: Json) -> Json:
    template = at(component, "podTemplate")
    if not isinstance(component, dict) or not isinstance(template, dict):
        return component
    metadata = unlabelled(template.get("metadata"))
    return {**component, "podTemplate": folded({**template, "metadata": metadata})}


def _service(service: Json) -> Json:
    if not isinstance(service, dict):
        return service
    read = dict(service)
    if "extraPodMetadata" in read:
        read["extraPodMetadata"] = unlabelled(read["extraPodMetadata"])
    if isinstance(read.get("extraPodSpec"), dict):
        read["extraPodSpec"] = folded({"spec": read["extraPodSpec"]})["spec"]
    return read


def as_stored(spec: Spec) -> Spec:
    """Give a spec as the API server stores it: replicas written out where they are absent.

    Only for comparing a file with a live object; what is published writes replicas iff the file does.
    """
    components: Object = {
        name: {"replicas": DEFAULT_REPLICAS, **mapping(component)}
        for name, component in mapping(spec.controls.get("components")).items()
    }
    return replace(spec, controls={**spec.controls, "components": components})


def restored(_data: Json, _current: Object) -> Object | None:
    """The operator keeps no history of its own: its worker hash says that something changed, not what."""
    return None
