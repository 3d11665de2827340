"""One graph, read alike from both API versions: components in the form of v1beta1, and where each stands."""

from collections.abc import Iterator
from dataclasses import dataclass

from gitops_rollout.api.values import Json, Object, at, mapping, sequence, text
from gitops_rollout.kinds.dynamograph.convert import component_of
from gitops_rollout.kinds.dynamograph.fields import ALPHA
from gitops_rollout.kinds.dynamograph.words import (
    DEFAULT_NODES,
    DEFAULT_REPLICAS,
    DEPLOYMENT_STRATEGY,
    MAIN,
    WORKERS,
)
from gitops_rollout.kinds.written import count


@dataclass(frozen=True, slots=True)
class Component:
    """One component: as it is written, and in the form of v1beta1."""

    path: str
    """Where it stands in the document: `spec.components[0]`, `spec.services.Frontend`."""
    written: Object
    value: Object

    @property
    def name(self) -> str:
        return text(self.value.get("name"))

    @property
    def type(self) -> str:
        return text(self.value.get("type"))

    @property
    def is_worker(self) -> bool:
        return self.type in WORKERS

    @property
    def template(self) -> Object:
        return mapping(self.value.get("podTemplate"))

    @property
    def main(self) -> Object:
        containers = (mapping(one) for one in sequence(at(self.template, "spec", "containers")))
        return next((one for one in containers if one.get("name") == MAIN), {})

    @property
    def replicas(self) -> int:
        return count(self.value.get("replicas"), DEFAULT_REPLICAS)

    @property
    def multinode(self) -> bool:
        return isinstance(self.value.get("multinode"), dict)

    @property
    def nodes(self) -> int:
        """How many pods one replica is."""
        return count(at(self.value, "multinode", "nodeCount"), DEFAULT_NODES) if self.multinode else 1

    def feature_path(self, name: str) -> str:
        """Say where an experimental feature stands: v1alpha1 has them beside the other fields."""
        return f"{self.path}.{name}" if name in self.written else f"{self.path}.experimental.{name}"

    def feature(self, name: str) -> Object | None:
        """Give one of the experimental features, None when it is not there."""
        found = at(self.value, "experimental", name)
        return found if isinstance(found, dict) else None


@dataclass(frozen=True, slots=True)
class Graph:
    """A document, or a text, of the right kind; what has the wrong type reads as absent."""

    value: Object

    @property
    def alpha(self) -> bool:
        return self.value.get("apiVersion") == ALPHA

    @property
    def name(self) -> str:
        return text(at(self.value, "metadata", "name"))

    @property
    def spec(self) -> Object:
        return mapping(self.value.get("spec"))

    @property
    def env_field(self) -> str:
        return "envs" if self.alpha else "env"

    @property
    def components_path(self) -> str:
        return "spec.services" if self.alpha else "spec.components"

    def annotations(self) -> Object:
        """Give the annotations of the object."""
        return mapping(at(self.value, "metadata", "annotations"))

    def components(self) -> Iterator[Component]:
        """Give the components in the order in which they are written."""
        if not self.alpha:
            for index, written in enumerate(sequence(self.spec.get("components"))):
                yield Component(f"spec.components[{index}]", mapping(written), mapping(written))
            return
        for name, service in mapping(self.spec.get("services")).items():
            yield Component(f"spec.services.{name}", mapping(service), component_of(name, mapping(service)))

    def by_name(self) -> dict[str, Component]:
        """Give the components by name, in the order in which they are written."""
        return {component.name: component for component in self.components()}

    def topology(self) -> Json:
        """Give the topology constraint of the graph in the form of v1beta1."""
        written = self.spec.get("topologyConstraint")
        if not self.alpha or not isinstance(written, dict):
            return written
        return {("clusterTopologyName" if key == "topologyProfile" else key): p for key, p in written.items()}

    def recreates(self, component: Component) -> bool:
        """Say whether an update of the component takes all its pods away first."""
        places = (
            at(component.template, "metadata", "annotations"),
            component.written.get("annotations") if self.alpha else None,
            self.spec.get("annotations"),
        )
        found = (mapping(place).get(DEPLOYMENT_STRATEGY) for place in places)
        return next((word for word in found if word is not None), None) == "Recreate"
