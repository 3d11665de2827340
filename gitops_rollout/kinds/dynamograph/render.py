"""The object to publish: a recorded text under the controls of today, in the text's own API version."""

from collections.abc import Mapping
from dataclasses import dataclass

from gitops_rollout.api.values import Object, mapping, sequence, text
from gitops_rollout.api.workload import WHOLE, Thresholds
from gitops_rollout.kinds.dynamograph.graph import Graph
from gitops_rollout.kinds.dynamograph.words import SPEC_CONTROLS
from gitops_rollout.kinds.metadata import labelled
from gitops_rollout.kinds.protocol import Injection
from gitops_rollout.kinds.written import without


def render(source: Object, controls: Object, injection: Injection, _partition: Thresholds | None) -> Object:
    """Give the object without name, namespace and our annotations; inputs are not mutated.

    Nothing of `spec.rollout` is written, and no partition: no released CRD has them (see in_place.py for one
    that does), and contracts are for us.
    A component that the controls do not know gets none.
    """
    graph = Graph(source)
    spec = without(graph.spec, SPEC_CONTROLS)
    if "restart" in controls:
        spec["restart"] = controls["restart"]
    rendering = _Rendering(graph.alpha, mapping(controls.get("components")), injection.labels)
    if isinstance(spec.get("components"), list):
        spec["components"] = [
            rendering.component(text(mapping(one).get("name")), mapping(one))
            for one in sequence(spec["components"])
        ]
    if isinstance(spec.get("services"), dict):
        spec["services"] = {
            name: rendering.component(name, mapping(one)) for name, one in mapping(spec["services"]).items()
        }
    metadata = _metadata(mapping(controls.get("metadata")), mapping(source.get("metadata")))
    return {**source, **({"metadata": metadata} if metadata else {}), "spec": spec}


def _metadata(controls: Object, source: Object) -> Object:
    """Put the annotations of the revision among those that are controls."""
    annotations = {**mapping(controls.get("annotations")), **mapping(source.get("annotations"))}
    return {**controls, "annotations": annotations} if annotations else controls


@dataclass(frozen=True, slots=True)
class _Rendering:
    """How components are written in one API version."""

    alpha: bool
    controls: Object
    labels: Mapping[str, Mapping[str, str]]

    def component(self, name: str, written: Object) -> Object:
        overlay = dict(mapping(self.controls.get(name)))
        if self.alpha and "scalingAdapter" in overlay:
            overlay["scalingAdapter"] = {"enabled": True}
        added = {**self.labels.get(WHOLE, {}), **self.labels.get(name, {})}
        return {**written, **overlay, **(self._labelled(written, added) if added else {})}

    def _labelled(self, written: Object, added: Mapping[str, str]) -> Object:
        if self.alpha:
            return {"extraPodMetadata": labelled(written.get("extraPodMetadata"), added)}
        template = mapping(written.get("podTemplate"))
        metadata = labelled(template.get("metadata"), added)
        return {"podTemplate": {**template, "metadata": metadata}}
