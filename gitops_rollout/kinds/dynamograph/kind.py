"""DynamoGraphDeployment behind the protocol of kinds."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from gitops_rollout.api.graph_terms import Contract, Strategy
from gitops_rollout.api.policy import Policy
from gitops_rollout.api.problems import Problem
from gitops_rollout.api.values import Json, Object
from gitops_rollout.api.verdict import Impact
from gitops_rollout.api.workload import Spec, Thresholds, WorkloadKey
from gitops_rollout.kinds.dynamograph import (
    apart,
    check,
    fields,
    impact,
    in_place,
    live,
    mixing,
    project,
    render,
    roles,
    routers,
    update,
)
from gitops_rollout.kinds.dynamograph import controls as _controls
from gitops_rollout.kinds.dynamograph import strategy as _strategy
from gitops_rollout.kinds.protocol import (
    Beside,
    Checked,
    Counted,
    Endpoint,
    Injection,
    Kept,
    Kind,
    RoutersAlone,
)
from gitops_rollout.kinds.written import without


@dataclass(frozen=True, slots=True)
class DynamoGraphKind:
    """NVIDIA Dynamo's graph, published whole: one thing that moves at once, with its one gate."""

    kind: str = fields.KIND
    short: str = "dgd"
    api_versions: Sequence[str] = (fields.BETA, fields.ALPHA)
    splits: bool = False
    filename: str = "dgd.yaml"
    beside: Beside | None = None
    counted: Counted | None = None

    def under(self, strategy: Strategy | None) -> Kind:
        return _UNDER.get(strategy, DYNAMO_GRAPH)

    def check(self, value: Object, default_namespace: str) -> Checked:
        return check.check(value, default_namespace)

    def check_update(self, text: Object, controls: Object, new: Spec) -> tuple[Problem, ...]:
        return update.check_update(text, controls, new)

    def heeds(self, warning: Problem) -> bool:
        # Checks take a graph for one that moves whole; all others keep back what is paused, and a partition.
        return not (self.splits and _of_rollout(warning))

    def excused(self, spec: Spec, contracts: Sequence[Contract]) -> bool:
        return _strategy.excused(spec, contracts)

    def strategy_faults(self, spec: Spec, policy: Policy) -> Iterator[Problem]:
        return _strategy.strategy_faults(spec, policy)

    def canonical(self, text: Object) -> Json:
        return project.revision_form(text)

    def components(self, text: Object) -> Mapping[str, Json]:
        return project.projections(text)

    def roles(self, text: Object) -> Mapping[str, str]:
        return roles.roles(text)

    def endpoint(self, text: Object, name: str, component: str) -> Endpoint | None:  # noqa: ARG002
        return None  # published whole: its requests are not split

    def answering(self, text: Object) -> str:
        return apart.answering(text)

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


@dataclass(frozen=True, slots=True)
class GroupedGraph:
    """What people say of the components of a graph that serve a request together."""

    def groups(self, controls: Object) -> Mapping[str, frozenset[str]]:
        return _controls.release_groups(controls)

    def paused(self, controls: Object) -> frozenset[str]:
        return _controls.paused(controls)


@dataclass(frozen=True, slots=True)
class GraphsBeside(GroupedGraph):
    """Graphs of one workload beside each other: names, replicas and restarts of each."""

    def name(self, key: WorkloadKey, digest: str, others: Collection[str]) -> str:
        return apart.graph_name(key, digest, others)

    def scope(self, namespace: str, name: str) -> str:
        return apart.dynamo_namespace(namespace, name)

    def with_replicas(self, controls: Object, replicas: Thresholds) -> Object:
        return apart.with_replicas(controls, replicas)

    def replicas(self, published: Object) -> Thresholds:
        return apart.counts(_controls.controls_of(published))

    def foreign(self, text: Object, controls: Object) -> frozenset[str]:
        return apart.foreign(text, controls)

    def last_down(self, text: Object) -> frozenset[str]:
        return apart.last_down(text)

    def routers_alone(self, old: Kept, new: Kept, controls: Object, answers: str) -> RoutersAlone:
        return routers.routers_alone(old, new, controls, answers)

    def router_contracts(self, text: Object, declared: Sequence[Contract]) -> tuple[Contract, ...]:
        return routers.router_contracts(text, declared)

    def bound(self, value: Object, components: Collection[str], scope: str) -> Object:
        return routers.bound(value, components, scope)

    def restart(self, controls: Object) -> Json:
        return controls.get("restart")

    def without_restart(self, controls: Object) -> Object:
        return without(controls, ("restart",))


@dataclass(frozen=True, slots=True)
class NewGraphKind(DynamoGraphKind):
    """Dynamo's graph with every revision as a graph of its own, let in component by component."""

    splits: bool = True
    beside: Beside | None = GraphsBeside()

    def check_update(self, text: Object, controls: Object, new: Spec) -> tuple[Problem, ...]:
        # A graph that is new may have other components, another framework, another topology. Adapted
        # replicas stay as they are.
        found = update.check_update(text, controls, new)
        return tuple(one for one in found if one.code == "SCALING_ADAPTER")

    def endpoint(self, text: Object, name: str, component: str) -> Endpoint | None:
        return apart.endpoint(text, name, component)

    def labels_by_component(self, controls: Object) -> bool:  # noqa: ARG002  # all of it is new
        return False

    def counts(self, controls: Object) -> Thresholds:
        return apart.counts(controls)

    def floors(self, controls: Object) -> Thresholds:
        return apart.floors(controls)

    def read_partition(self, published: Object, controls: Object) -> Thresholds:
        desired = apart.counts(controls)
        shown = GraphsBeside().replicas(published)
        return {name: max(0, count - shown.get(name, 0)) for name, count in desired.items()}


@dataclass(frozen=True, slots=True)
class CountedInPlace(GroupedGraph):
    """Both revisions in the one graph: what holds them apart, and what lets them serve together."""

    def with_groups(self, controls: Object, groups: Mapping[str, Collection[str]]) -> Object:
        return in_place.with_groups(controls, groups)

    def without_pauses(self, controls: Object) -> Object:
        return in_place.without_pauses(controls)

    def mixed(self, stable: Spec, before: Policy, new: Spec, after: Policy) -> Iterator[Problem]:
        return mixing.mixed(mixing.Side(stable, before), mixing.Side(new, after))


@dataclass(frozen=True, slots=True)
class InPlaceKind(DynamoGraphKind):
    """Dynamo's graph that holds both revisions, with a number of replicas kept back of each component."""

    splits: bool = True
    counted: Counted | None = CountedInPlace()

    def by_component(self, controls: Object) -> bool:  # noqa: ARG002  # true of every graph
        return True

    def counts(self, controls: Object) -> Thresholds:
        return apart.counts(controls)

    def floors(self, controls: Object) -> Thresholds:
        return in_place.floors(controls)

    def hold_loosening(self, old: Object, new: Object) -> Object:
        return in_place.hold_loosening(old, new)

    def render(
        self, text: Object, controls: Object, injection: Injection, partition: Thresholds | None
    ) -> Object:
        return in_place.render(text, controls, injection, partition)

    def read_partition(self, published: Object, controls: Object) -> Thresholds:
        return in_place.read_partition(published, controls)

    def endpoint(self, text: Object, name: str, component: str) -> Endpoint | None:
        return in_place.endpoint(text, name, component)

    def impact(self, old: Spec, new: Spec) -> Impact:
        return impact.impact(old, new, together=False)


def _of_rollout(warning: Problem) -> bool:
    """Say whether a warning is about what a graph that moves whole cannot keep back."""
    return warning.code == "NO_EFFECT" and warning.path.startswith("spec.rollout.")


DYNAMO_GRAPH: Kind = DynamoGraphKind()
_UNDER: Mapping[Strategy | None, Kind] = {
    Strategy.NEW_GRAPH: NewGraphKind(),
    Strategy.IN_PLACE: InPlaceKind(),
}
