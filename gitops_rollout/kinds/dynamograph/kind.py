"""DynamoGraphDeployment behind the protocol of kinds."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from gitops_rollout.api.policy import Policy
from gitops_rollout.api.problems import Problem
from gitops_rollout.api.values import Json, Object
from gitops_rollout.api.verdict import Impact
from gitops_rollout.api.workload import Spec, Thresholds
from gitops_rollout.kinds.dynamograph import check, fields, impact, live, project, render, strategy, update
from gitops_rollout.kinds.dynamograph import controls as _controls
from gitops_rollout.kinds.protocol import Checked, Endpoint, Injection, Kind


@dataclass(frozen=True, slots=True)
class DynamoGraphKind:
    """NVIDIA Dynamo's graph, published whole: one thing that moves at once, with its one gate."""

    kind: str = fields.KIND
    short: str = "dgd"
    api_versions: Sequence[str] = (fields.BETA, fields.ALPHA)
    splits: bool = False
    routes: bool = False
    filename: str = "dgd.yaml"

    def check(self, value: Object, default_namespace: str) -> Checked:
        return check.check(value, default_namespace)

    def check_update(self, text: Object, controls: Object, new: Spec) -> tuple[Problem, ...]:
        return update.check_update(text, controls, new)

    def strategy_faults(self, spec: Spec, policy: Policy) -> Iterator[Problem]:
        return strategy.strategy_faults(spec, policy)

    def canonical(self, text: Object) -> Json:
        return project.revision_form(text)

    def components(self, text: Object) -> Mapping[str, Json]:
        return project.projections(text)

    def endpoint(self, text: Object, name: str, component: str) -> Endpoint | None:  # noqa: ARG002
        return None  # published whole: its requests are not split

    def by_component(self, controls: Object) -> bool:
        return _controls.moves_by_component(controls)

    def labels_by_component(self, controls: Object) -> bool:  # noqa: ARG002  # true of every graph
        return True

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
        return live.restored(data, current)

    def impact(self, old: Spec, new: Spec) -> Impact:
        return impact.impact(old, new)


DYNAMO_GRAPH: Kind = DynamoGraphKind()
