"""ModelServing behind the protocol of kinds."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from gitops_rollout.api.graph_terms import Contract, Strategy
from gitops_rollout.api.policy import Policy
from gitops_rollout.api.problems import Problem
from gitops_rollout.api.values import Json, Object
from gitops_rollout.api.verdict import Impact
from gitops_rollout.api.workload import Spec, Thresholds
from gitops_rollout.kinds.modelserving import (
    check,
    endpoint,
    fields,
    graphless,
    history,
    impact,
    project,
    render,
    update,
)
from gitops_rollout.kinds.modelserving import controls as _controls
from gitops_rollout.kinds.protocol import Checked, Endpoint, Injection, Kind

Controller = Literal["semantic", "main"]


@dataclass(frozen=True, slots=True)
class ModelServingKind:
    """Kthena's ModelServing.

    `controller` says which Kthena runs: "semantic" compares as #1799 does, "main" hashes the roles
    alone and so never rolls an edit of plugins. It changes a warning and nothing else.
    """

    controller: Controller = "semantic"
    kind: str = fields.KIND
    short: str = "ms"
    api_versions: Sequence[str] = (fields.API_VERSION,)
    splits: bool = True
    filename: str = "modelserving.yaml"
    beside: None = None
    counted: None = None

    def under(self, strategy: Strategy | None) -> Kind:  # noqa: ARG002  # always in place
        return self

    def check(self, value: Object, default_namespace: str) -> Checked:
        return check.check(value, default_namespace)

    def check_update(self, text: Object, controls: Object, new: Spec) -> tuple[Problem, ...]:
        return update.check_update(text, controls, new)

    def heeds(self, warning: Problem) -> bool:  # noqa: ARG002  # it has one strategy
        return True

    def excused(self, spec: Spec, contracts: Sequence[Contract]) -> bool:  # noqa: ARG002
        return False

    def strategy_faults(self, spec: Spec, policy: Policy) -> Iterator[Problem]:  # noqa: ARG002
        return graphless.strategy_faults(policy)

    def canonical(self, text: Object) -> Json:
        return list(project.projections(text).values())

    def components(self, text: Object) -> Mapping[str, Json]:
        return project.projections(text)

    def roles(self, text: Object) -> Mapping[str, str]:  # noqa: ARG002  # its pods choose nobody
        return {}

    def endpoint(self, text: Object, name: str, component: str) -> Endpoint | None:
        return endpoint.endpoint(text, name, component)

    def answering(self, text: Object) -> str:
        names = list(self.components(text))
        return names[0] if len(names) == 1 else ""

    def by_component(self, controls: Object) -> bool:
        return _controls.rolls_by_role(controls)

    def labels_by_component(self, controls: Object) -> bool:
        return _controls.rolls_by_role(controls)

    def counts(self, controls: Object) -> Thresholds:
        return _controls.counts(controls)

    def floors(self, controls: Object) -> Thresholds:
        return _controls.floors(controls)

    def hold_loosening(self, old: Object, new: Object) -> Object:
        return _controls.hold_loosening(old, new)

    def without_replicas(self, controls: Object) -> Object:
        return _controls.without_replicas(controls)

    def retain(self, old: Object, new: Object, components: Collection[str]) -> Object:
        return _controls.retain(old, new, components)

    def render(
        self, text: Object, controls: Object, injection: Injection, partition: Thresholds | None
    ) -> Object:
        return render.render(text, controls, injection, partition)

    def read_partition(self, published: Object, controls: Object) -> Thresholds:
        return _controls.read_partition(published, controls)

    def restored(self, data: Json, current: Object) -> Object | None:
        return history.restored(data, current)

    def impact(self, old: Spec, new: Spec) -> Impact:
        return impact.impact(old, new, self.controller)


MODEL_SERVING: Kind = ModelServingKind()
