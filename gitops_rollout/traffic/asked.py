"""What one workload asks for: a route, and everything that its terms are made from."""

from dataclasses import dataclass

from gitops_rollout.api.policy_document import Routing
from gitops_rollout.api.values import Object
from gitops_rollout.api.workload import WorkloadKey
from gitops_rollout.kinds.protocol import Kind


@dataclass(frozen=True, slots=True)
class Asked:
    """What one workload asks for; `route` is the HTTPRoute of the source that `routing` names, if there."""

    key: WorkloadKey
    kind: Kind
    text: Object
    routing: Routing
    route: Object | None = None
    where: str = ""
    """In words: RevisionRollout chat."""

    @property
    def component(self) -> str:
        """Name what answers requests, as it is written or as the workload itself says; empty: unknown."""
        return self.routing.gateway.component or self.kind.answering(self.text)
